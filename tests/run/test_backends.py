"""Threads and processes: the same run, and processes that are lost, stopped or orphaned do no harm."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rsc_sim import jobs
from rsc_sim.errors import EnvironmentFailure, InputError, Interrupted, StrategyError
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.run import Run
from rsc_sim.runner import Progress, play


def children(of: int) -> set[int]:
    """Processes that play for another one: its children that loky began."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == of and "LokyProcess" in (entry / "cmdline").read_text():
                found.add(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(processes: set[int]) -> bool:
    until = time.monotonic() + 10
    while any(alive(process) for process in processes) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(alive(process) for process in processes)


def same(one: Run, other: Run) -> bool:
    """Say whether two runs hold the same games and the same tallies."""
    return one.outcome_digest == other.outcome_digest and all(
        getattr(one, table).collect().equals(getattr(other, table).collect()) for table in ("games", "cards", "windows")
    )


@pytest.fixture(scope="module")
def mixed() -> ResolvedExperiment:
    """Four strategies, 4 rotations, and batches of 11 blocks, which straddle pieces and parts."""
    lineup = ["rusher", "raider", "collector", "guardian"]
    return Experiment.from_dict({"lineup": lineup, "games": 17_500}).resolve()


@pytest.fixture(scope="module")
def expected(mixed: ResolvedExperiment) -> Run:
    return play(mixed, jobs=1, piece_blocks=100_000)


@pytest.mark.parametrize(
    ("how", "on_disk"),
    [
        ({"backend": "threading", "jobs": 1, "piece_blocks": 77}, False),
        ({"backend": "threading", "jobs": 3}, True),
        ({"backend": "auto", "jobs": 2, "leaves_per_part": 1}, True),
        ({"backend": "loky", "jobs": 1}, True),
        ({"backend": "loky", "jobs": 2, "piece_blocks": 333}, False),
        ({"backend": "loky", "jobs": 2, "leaves_per_part": 1}, True),
    ],
    ids=str,
)
def test_rows_and_tallies_are_the_same_however_they_are_played(
    mixed: ResolvedExperiment, expected: Run, tmp_path: Path, how: dict[str, Any], on_disk: bool
) -> None:
    assert same(play(mixed, out=tmp_path if on_disk else None, **how), expected)


def once(act: Callable[[], None]) -> Callable[[Progress], None]:
    done: list[bool] = []

    def on_progress(state: Progress) -> None:
        if not done:
            done.append(True)
            act()

    return on_progress


def test_a_lost_process_is_replaced_and_its_pieces_are_played_again(
    mixed: ResolvedExperiment, expected: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    lost: list[int] = []

    def kill() -> None:
        lost.append(min(children(os.getpid())))
        os.kill(lost[0], signal.SIGKILL)

    run = play(mixed, backend="loky", jobs=2, piece_blocks=64, on_progress=once(kill))
    assert lost
    assert not alive(lost[0])
    assert same(run, expected)


def test_processes_that_are_lost_again_and_again_end_the_run_and_nothing_is_lost(
    mixed: ResolvedExperiment, expected: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    out = tmp_path / "run"
    real = jobs._work

    def lose(number: int, task: Any, **how: Any) -> Any:
        if task.first_block >= 4_096:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(number, task, **how)

    monkeypatch.setattr(jobs, "_work", lose)
    message = r"(?s)blocks 4096 to 4374 was lost 3 times.*rsc run --resume --out"
    with pytest.raises(EnvironmentFailure, match=message) as failure:
        play(mixed, backend="loky", jobs=2, piece_blocks=1_024, out=out, leaves_per_part=1)
    assert failure.value.exit_code == 5
    monkeypatch.undo()
    states: list[Progress] = []
    assert same(play(mixed, out=out, resume=True, on_progress=states.append), expected)
    assert states[-1].kept == 4_096 * 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_processes_too(tmp_path: Path, number: signal.Signals) -> None:
    long = Experiment.from_dict({"lineup": ["collector", "random"], "games": 10_000_000}).resolve()
    before: set[int] = set()

    def stop() -> None:
        before.update(children(os.getpid()))
        signal.raise_signal(number)

    with pytest.raises(Interrupted, match="go on with"):
        play(long, backend="loky", jobs=2, out=tmp_path / "run", on_progress=once(stop))
    assert before
    assert gone(before)


def test_a_strategy_that_fails_in_another_process_is_named(
    mixed: ResolvedExperiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(number: int, task: Any, **how: Any) -> Any:
        error = StrategyError("returned 7 for a decision with 4 moves (game 5, turn 12, seat 1)")
        error.game, error.seat = 5, 1  # type: ignore[attr-defined]
        return error

    monkeypatch.setattr(jobs, "_work", fails)
    with pytest.raises(StrategyError, match="strategy 'collector' returned 7"):
        play(mixed, backend="loky", jobs=2)


def test_a_file_is_found_from_the_folder_of_the_run_wherever_processes_were_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, move in (("one", "0"), ("two", "len(moves) - 1")):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        Path("mine.py").write_text(f"def choose(view, moves):\n    return {move}\n")
        experiment = Experiment.from_dict({"lineup": ["mine.py:choose", "random"], "games": 200}).resolve()
        run = play(experiment, backend="loky", jobs=2)
        assert run.manifest["experiment"]["lineup"] == ["mine.py:choose", "random"]
        assert run.outcome_digest == play(experiment, backend="threading").outcome_digest


def test_only_loky_s_own_thread_may_fail_while_its_processes_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda failed: heard.append(failed.thread.name))

    def fails() -> None:
        raise KeyError(21)

    for name in ("ExecutorManagerThread", "another"):
        with jobs._without_its_manager():
            thread = threading.Thread(target=fails, name=name)
            thread.start()
            thread.join()
    assert heard == ["another"]


def test_an_unknown_backend_is_refused(mixed: ResolvedExperiment) -> None:
    with pytest.raises(InputError, match=r"backend: expected auto, .*, came 'ray'"):
        play(mixed, backend="ray")
