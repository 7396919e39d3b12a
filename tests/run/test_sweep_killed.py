"""Sweeps that are killed outright, at random moments, and gone on with: nothing lost, nothing played twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rsc_sim.sweep import Sweep, run_sweep
from rsc_sim.sweep_plan import plan_sweep
from tests.run.test_sweep import DUEL, same

OVER = ["escape_threshold=600..1400..200", "cards.mug.copies=4,5"]


@pytest.mark.slow
def test_a_sweep_killed_at_random_moments_comes_out_the_same(tmp_path: Path) -> None:
    whole = run_sweep(plan_sweep(DUEL.changed(games=30_000), OVER), out=tmp_path / "whole")
    rng = random.Random(5)
    command = [sys.executable, "-m", "rsc_sim", "sweep", "--lineup", "collector,raider", "--games", "30000"]
    command += [*(word for key in OVER for word in ("--over", key)), "--out", "cut", "--leaves-per-part", "1"]
    kills = 0
    for _ in range(40):
        more = ["--resume"] if (tmp_path / "cut" / "sweep.json").is_file() else []
        process = subprocess.Popen([*command, *more], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            _, said = process.communicate(timeout=rng.uniform(0.5, 6.0))
            assert process.returncode == 0, said
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
    assert kills >= 3
    time.sleep(0.2)
    cut = run_sweep(None, out=tmp_path / "cut", resume=True)
    assert same(cut, whole)
    games = sum(run["n_blocks"] * 2 for run in map(_size, [cut.folder(n) for n in range(len(cut.points))]))
    assert games == sum(point.experiment.n_games for point in Sweep.open(tmp_path / "whole").points)


def _size(folder: Path) -> dict[str, int]:
    lines = (folder / "games" / "parts.jsonl").read_text().splitlines()
    return {"n_blocks": sum(json.loads(line)["n_blocks"] for line in lines)}
