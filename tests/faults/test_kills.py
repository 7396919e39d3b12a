"""Kill it, 60 times, at random moments: who gives out games and who plays them, on threads, processes and machines.

After each kill the run goes on, by itself where a player was lost, by `--resume` where all was; in the end nothing is
lost, nothing doubled, and the digest is that of a run which nothing disturbed. What was killed when is left in
`reports/faults/kills.json`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rsc_sim.experiment import Experiment
from rsc_sim.run import Run
from rsc_sim.runner import play
from rsc_sim.store import TABLES, read_journal
from tests.run.dask_cluster import LocalCluster, local_cluster
from tests.run.test_backends import children

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "reports" / "faults" / "kills.json"
N_PARTS = 60
GAMES = N_PARTS * 4_096 - 1_000
LINEUP = "collector,random"  # 2 rotations, so that a leaf, and a part, is 8,192 games: 30 parts
DRIVER, PLAYER = "the one who gives out games", "one who plays them"
SHARES = {"threading": {DRIVER: 20}, "loky": {DRIVER: 10, PLAYER: 10}, "dask": {DRIVER: 10, PLAYER: 10}}


def start(out: Path, backend: str, address: str, jobs: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rsc_sim", "run", "--lineup", LINEUP, "--games", str(GAMES), "--out", str(out)]
    command += ["--leaves-per-part", "1", "--jobs", str(jobs), "--backend", backend]
    command += ["--scheduler", address] if backend == "dask" else []
    command += ["--resume"] if (out / "manifest.json").exists() else []
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def kill_player(process: subprocess.Popen[str], cluster: LocalCluster | None, chance: random.Random) -> bool:
    """Kill one of those who play; False where there is none yet."""
    if cluster is not None:
        cluster.lose(chance.choice(cluster.workers))
        cluster.add_worker()
        return True
    players = sorted(children(process.pid))
    with suppress(ProcessLookupError):
        if players:
            os.kill(chance.choice(players), signal.SIGKILL)
            return True
    return False


def moment(out: Path, process: subprocess.Popen[str], chance: random.Random) -> None:
    """Wait for a moment of any kind: while it starts, in the middle of a part, while one is written, at the end."""
    if chance.random() < 0.25:
        time.sleep(chance.uniform(0, 2))
    else:
        parts = len(read_journal(out)) + chance.randint(0, 12)
        until = time.monotonic() + 60
        while len(read_journal(out)) < parts and process.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.1))


def check_whole(out: Path, undisturbed: Run) -> None:
    run = Run.open(out)
    assert run.complete
    assert run.outcome_digest == undisturbed.outcome_digest
    games = run.games.collect()
    assert games["game"].to_list() == list(range(undisturbed.experiment.n_games))
    assert games.equals(undisturbed.games.collect())
    for table in ("cards", "windows"):
        assert getattr(run, table).collect().equals(getattr(undisturbed, table).collect())
    numbers = list(read_journal(out))
    for table in TABLES:
        files = sorted(path.name for path in (out / table).iterdir() if path.name != "parts.jsonl")
        assert files == [f"part-{number:05d}.parquet" for number in numbers]
    assert pl.read_parquet(out / "games" / "*.parquet").height == games.height


@pytest.mark.slow
def test_killed_at_random_moments_60_times_nothing_is_lost_and_nothing_doubled(tmp_path: Path) -> None:
    chance = random.Random(20)
    experiment = Experiment.from_dict({"lineup": LINEUP.split(","), "games": GAMES}).resolve()
    undisturbed = play(experiment, jobs=2)
    report: dict[str, Any] = {}
    for backend, wanted in SHARES.items():
        left, killed, runs = Counter(wanted), [], 0
        folder = tmp_path / backend
        folder.mkdir()
        with local_cluster(folder, workers=2) if backend == "dask" else nullcontext() as cluster:
            while left.total():
                runs += 1
                out = folder / f"run-{runs}"
                while not (out / "manifest.json").exists() or not Run.open(out).complete:
                    process = start(out, backend, cluster.address if cluster else "", jobs=chance.choice((1, 2)))
                    whom = chance.choice(sorted(+left)) if left.total() else None
                    while whom is not None and process.poll() is None:
                        moment(out, process, chance)
                        parts = len(read_journal(out))
                        if process.poll() is not None:
                            break
                        if whom == DRIVER:
                            process.kill()
                        elif not kill_player(process, cluster, chance):
                            continue
                        left[whom] -= 1
                        killed.append({"run": runs, "killed": whom, "parts that were whole": parts})
                        whom = chance.choice(sorted(+left)) if left.total() else None
                    _, err = process.communicate(timeout=600)
                    # A run may give up where players are lost again and again; then it says how to go on.
                    assert process.returncode in {0, -signal.SIGKILL} or "go on with" in err, err
                check_whole(out, undisturbed)
        report[backend] = {"killed": dict(Counter(kill["killed"] for kill in killed)), "runs": runs, "moments": killed}
    total = sum(len(told["moments"]) for told in report.values())
    assert total >= 50
    told = {
        "what": "rsc run, killed with SIGKILL at random moments and gone on with until whole; rows, tallies, files and "
        "digest of each run were then those of one that nothing disturbed",
        "experiment": {"lineup": LINEUP, "games": undisturbed.experiment.n_games, "parts": N_PARTS // 2},
        "outcome_digest": undisturbed.outcome_digest,
        "kills": total,
        "games_lost": 0,
        "games_doubled": 0,
        "backends": report,
    }
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
