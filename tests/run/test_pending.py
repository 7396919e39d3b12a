"""What was played of leaves that are not whole: kept when a run is stopped, now and then before that, never twice."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from rsc_sim.errors import Interrupted
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.jobs import Pace
from rsc_sim.run import Run
from rsc_sim.runner import Progress, play
from tests.run.test_backends import same

GAMES = 2 * 6_000


@pytest.fixture(scope="module")
def duel() -> ResolvedExperiment:
    """A leaf and half a leaf, in batches of 15 blocks, which straddle pieces."""
    return Experiment.from_dict({"lineup": ["collector", "random"], "games": GAMES}).resolve()


@pytest.fixture(scope="module")
def expected(duel: ResolvedExperiment) -> Run:
    return play(duel, jobs=1)


@pytest.fixture(autouse=True)
def told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)


def stopped(experiment: ResolvedExperiment, out: Path, after: int, **how: Any) -> int:
    """Play until so many games are there and stop; give how many there were then."""
    states: list[int] = []

    def stop(state: Progress) -> None:
        states.append(state.kept + state.played)
        if states[-1] >= after:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted, match=r"interrupted after [\d,]+ of"):
        play(experiment, out=out, on_progress=stop, **{"jobs": 2, "piece_blocks": 64, **how})
    return states[-1]


def gone_on(experiment: ResolvedExperiment, out: Path, **how: Any) -> tuple[Run, int]:
    """Go on with a run to its end; give it and how many games were kept."""
    kept: list[int] = []
    run = play(experiment, out=out, resume=True, on_progress=lambda state: kept.append(state.kept), **how)
    return run, kept[0]


def pending(out: Path) -> list[Path]:
    return sorted((out / "pending").iterdir())


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_what_was_played_is_kept_game_by_game_and_not_by_the_leaf(
    duel: ResolvedExperiment, expected: Run, tmp_path: Path, backend: str
) -> None:
    there = stopped(duel, tmp_path, 2_000, backend=backend)
    assert there < 4_096  # not a leaf of 8,192 games
    again = stopped(duel, tmp_path, 9_000, backend=backend, resume=True, piece_blocks=48)
    run, kept = gone_on(duel, tmp_path)
    assert again == kept
    assert same(run, expected)
    assert not (tmp_path / "pending").exists()


def test_tallies_of_a_run_that_records_none_are_not_missed(tmp_path: Path, duel: ResolvedExperiment) -> None:
    bare = Experiment.of(duel).changed(record=["games"]).resolve()
    there = stopped(bare, tmp_path, 2_000)
    run, kept = gone_on(bare, tmp_path)
    assert kept == there
    assert run.outcome_digest == play(duel).outcome_digest


class EnoughError(Exception):
    """As good as a kill: nobody is told."""


def test_a_run_that_is_killed_has_kept_what_waited_for_long(
    duel: ResolvedExperiment, expected: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rsc_sim.recorder._SAVE_SECONDS", 0)
    states: list[int] = []

    def die(state: Progress) -> None:
        states.append(state.played)
        if state.played >= 3_000:
            raise EnoughError

    with pytest.raises(EnoughError):
        play(duel, out=tmp_path, jobs=2, piece_blocks=64, on_progress=die)
    n_files = len(pending(tmp_path))
    assert 1 <= n_files < 12  # joined, as they were played, and not one a piece
    monkeypatch.undo()
    run, kept = gone_on(duel, tmp_path)
    assert states[-2] <= kept <= states[-1]
    assert same(run, expected)


def test_a_damaged_piece_is_named_and_played_again(duel: ResolvedExperiment, expected: Run, tmp_path: Path) -> None:
    there = stopped(duel, tmp_path, 2_000)
    file = pending(tmp_path)[0]
    data = file.read_bytes()
    file.write_bytes(data[:-1] + b"?")
    (tmp_path / "pending" / "notes.txt").write_text("nobody's")
    run, kept = gone_on(duel, tmp_path)
    assert kept < there
    assert run.mended == (f"pending/{file.name}",)
    assert same(run, expected)


def test_pieces_that_a_part_holds_already_are_not_counted_twice(
    duel: ResolvedExperiment, expected: Run, tmp_path: Path
) -> None:
    stopped(duel, tmp_path, 2_000)
    held = {file: file.read_bytes() for file in pending(tmp_path)}
    stopped(duel, tmp_path, 9_000, resume=True)  # the first leaf is whole by now
    for file, data in held.items():
        file.write_bytes(data)  # as if it had been killed before it took them away
    run, _ = gone_on(duel, tmp_path)
    assert same(run, expected)


def test_a_run_that_ends_by_precision_keeps_pieces_too(tmp_path: Path) -> None:
    data = {"lineup": ["collector", "random"], "games": 60_000, "precision": {"win_share": 0.006}}
    asked = Experiment.from_dict(data).resolve()
    expected = play(asked)
    there = stopped(asked, tmp_path, 6_000, piece_blocks=100)
    run, kept = gone_on(asked, tmp_path)
    assert kept == there
    assert same(run, expected)
    assert run.manifest["precision"] == expected.manifest["precision"]


def test_pieces_grow_with_trust_and_shrink_at_once() -> None:
    pace = Pace()
    sizes = []
    for _ in range(5):
        sizes.append(pace.limit())
        pace.note(pace.limit(), 0.0001 * pace.limit())
    assert sizes == [1, 8, 64, 512, 4_096]
    pace.note(4_096, 4_096 * 0.1)
    assert pace.limit() == 4
    pace.note(4, 40.0)
    assert pace.limit() == 1
    groups = Pace(256)
    groups.note(256, 1_000.0)
    assert groups.limit() == 256
