"""Kill it at any moment: what is on the disk is whole, and going on gives the run that nothing disturbed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rsc_sim
from rsc_sim.run import Run
from rsc_sim.store import part_path, read_journal

# A part a leaf, and two seats with one strategy, so that a leaf is 4,096 games.
LONG, SHORT = 24 * 4_096 - 1_000, 10 * 4_096 - 1_000
ARGUMENTS = ("run", "--lineup", "collector,collector", "--games", SHORT, "--leaves-per-part", 1)


def whole(games: int) -> Run:
    return rsc_sim.simulate("booklet", ["collector", "collector"], games=games)


@pytest.fixture(scope="module")
def undisturbed() -> str:
    return whole(SHORT).outcome_digest


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than all that is tested here, and is tested elsewhere."""
    monkeypatch.setattr("rsc_sim.cli._draw", lambda run: [])


def wait_for_parts(path: Path, n: int, process: Any) -> None:
    """Wait until the journal holds that many parts, or the process has ended."""
    until = time.monotonic() + 60
    while len(read_journal(path)) < n and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.002)


def members(group: int) -> list[int]:
    """List the processes of a group that live."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group, *_ = entry.read_text().rpartition(")")[2].split()
            if int(its_group) == group and state != "Z":
                found.append(int(entry.parent.name))
    return found


def test_killed_at_random_moments_and_resumed(start_rsc: Any, rsc: Any, tmp_path: Path) -> None:
    chance = random.Random(7)
    here = tmp_path / "here"
    killed, kept = 0, 0
    for attempt in range(4):
        more = ("--resume",) if (here / "manifest.json").exists() else ()
        process = start_rsc(*ARGUMENTS, "--games", LONG, "--out", "here", *more)
        wait_for_parts(here, kept + 1 + 4 * (attempt % 2), process)
        time.sleep(chance.uniform(0, 0.05))
        process.kill()
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        # Whatever the journal vouches for can be read as it is.
        records = read_journal(here)
        assert len(records) >= kept
        kept = len(records)
        for number, record in records.items():
            assert pl.read_parquet(part_path(here, number)).height == record.n_games
            dealt = pl.read_parquet(part_path(here, number, "cards")).filter(event="opening")["copies"].sum()
            assert dealt == record.n_games * 2 * 6
            assert pl.read_parquet(part_path(here, number, "windows")).height > 0
    assert killed >= 2
    assert not Run.open(here).complete
    assert rsc("run", "--resume", "--out", "here").code == 0
    run = Run.open(here)
    alone = whole(LONG)
    assert run.outcome_digest == alone.outcome_digest
    assert (
        run.games.select(pl.col("game").is_sorted() & (pl.col("game").n_unique() == run.experiment.n_games))
        .collect()
        .item()
    )
    assert run.cards.collect().equals(alone.cards.collect())
    assert run.windows.collect().equals(alone.windows.collect())
    assert not list(here.glob("*/.*"))


@pytest.mark.parametrize("delay", [0.15, 0.35])
def test_killed_before_or_just_after_it_began(
    start_rsc: Any, rsc: Any, tmp_path: Path, undisturbed: str, delay: float
) -> None:
    process = start_rsc(*ARGUMENTS, "--out", "here")
    time.sleep(delay)
    process.kill()
    process.communicate()
    more = ("--resume",) if (tmp_path / "here" / "manifest.json").exists() else ()
    assert rsc(*ARGUMENTS, "--out", "here", *more).code == 0
    assert Run.open(tmp_path / "here").outcome_digest == undisturbed


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_stopped_by_a_signal_and_resumed(
    start_rsc: Any, rsc: Any, tmp_path: Path, undisturbed: str, number: int, code: int, word: str
) -> None:
    here = tmp_path / "here"
    process = start_rsc(*ARGUMENTS, "--out", "here", "--jobs", 2)
    wait_for_parts(here, 2, process)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert out == ""
    assert f"rsc: {word} after" in err
    assert "go on with: rsc run --resume --out here" in err
    assert "Traceback" not in err
    assert not Run.open(here).complete
    assert rsc("run", "--resume", "--out", "here").code == 0
    assert Run.open(here).outcome_digest == undisturbed


def test_ctrl_c_in_a_terminal_ends_processes_without_a_word_from_them(start_rsc: Any, rsc: Any, tmp_path: Path) -> None:
    here = tmp_path / "here"
    process = start_rsc(*ARGUMENTS, "--out", "here", "--backend", "loky", start_new_session=True)
    wait_for_parts(here, 2, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: everybody gets it
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "go on with: rsc run --resume --out here" in err
    assert len(err.splitlines()) == 1
    until = time.monotonic() + 10
    while members(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert members(process.pid) == []
    assert rsc("run", "--resume", "--out", "here", "--backend", "loky").code == 0


SLOW = """
import time


def choose(view, moves):
    time.sleep(0.0005)
    return len(moves) - 1
"""


def test_ctrl_c_keeps_what_slow_strategies_played_in_processes(start_rsc: Any, rsc: Any, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    process = start_rsc("run", "--lineup", "slow.py:choose,random", "--games", 8_000, "--out", "here", "--json")
    assert process.stderr is not None
    shown = 0
    while shown < 40:
        shown = json.loads(process.stderr.readline())["progress"]["games"]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    told = re.search(r"interrupted after ([\d,]+) of 8,000 games", err)
    assert told is not None
    n_games = int(told[1].replace(",", ""))
    assert shown <= n_games < 4_000
    blocks = [int(file.name.split("-")[1]) for file in (tmp_path / "here" / "pending").iterdir()]
    assert 2 * sum(blocks) == n_games  # not a leaf was whole, and all that was shown is there


def test_processes_do_not_outlive_a_run_that_is_killed(start_rsc: Any, tmp_path: Path) -> None:
    process = start_rsc(*ARGUMENTS, "--out", "here", "--backend", "loky", start_new_session=True)
    wait_for_parts(tmp_path / "here", 1, process)
    process.kill()
    process.communicate(timeout=30)  # returns when nobody holds its output any more
    assert process.returncode == -signal.SIGKILL


BEGUN = "print('begun', flush=True); import sys; from rsc_sim.cli import main; sys.exit(main(sys.argv[1:]))"


def test_ctrl_c_while_it_starts_is_quiet(start_python: Any) -> None:
    process = start_python("-c", BEGUN, *ARGUMENTS, "--out", "here")
    assert process.stdout.readline() == "begun\n"  # before that it is Python that starts
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode in {130, -signal.SIGINT}
    if process.returncode == 130:
        assert "rsc: interrupted" in err
        assert "Traceback" not in err
