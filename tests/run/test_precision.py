"""A run that ends when win shares are known well enough: at the same block whoever plays it, and whatever happens."""

from __future__ import annotations

import signal
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rsc_sim import sequential
from rsc_sim.analysis import figures_of
from rsc_sim.errors import InputError
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.plan import LEAF_BLOCKS, make_part, plan_pieces
from rsc_sim.run import Run
from rsc_sim.runner import Progress, play
from tests.run.test_backends import same

TARGET = 0.004


@pytest.fixture(scope="module")
def asked() -> ResolvedExperiment:
    data = {"lineup": ["collector", "random"], "games": 60_000, "precision": {"win_share": TARGET}}
    return Experiment.from_dict(data).resolve()


@pytest.fixture(scope="module")
def expected(asked: ResolvedExperiment) -> Run:
    return play(asked, jobs=1)


def half_widths(run: Run, n: int) -> float:
    """Work out the widest interval after n blocks by hand: by strategy and by place, from the games."""
    seats = run.seats.collect()
    seats = seats.filter(seats["block"] < n)
    values = [seats.filter(seats["strategy"] == spec) for spec in ("collector", "random")]
    values += [seats.filter(seats["place"] == place) for place in (0, 1)]
    means = [
        frame.group_by("block").agg(pl.col("won").mean()).sort("block")["won"].to_numpy().astype(float)
        for frame in values
    ]
    sums = sequential.Sums.empty(4).add(np.column_stack(means))
    return float(sequential.half_width(n, sums.variance(1.0)).max())


def test_it_ends_at_the_first_look_that_is_good_enough(asked: ResolvedExperiment, expected: Run) -> None:
    looks = list(takewhile(lambda n: n <= expected.experiment.n_blocks, sequential.looks(asked.n_blocks)))
    told = expected.manifest["precision"]
    assert len(looks) > 3
    assert told["blocks"] == looks[-1] < asked.n_blocks
    assert told["looks"] == len(looks)
    assert told["reached"]
    assert half_widths(expected, looks[-1]) <= TARGET < half_widths(expected, looks[-2])
    assert told["half_width"] == pytest.approx(half_widths(expected, looks[-1]), abs=1e-6)


def test_it_holds_the_games_of_a_run_of_that_many_and_no_more(expected: Run) -> None:
    n = expected.experiment.n_games
    plain = play(Experiment.from_dict({"lineup": ["collector", "random"], "games": n}).resolve())
    assert plain.outcome_digest == expected.outcome_digest
    assert len(expected) == n == expected.games.collect().height
    assert expected.cards.collect()["copies"].sum() == plain.cards.collect()["copies"].sum()


@pytest.mark.parametrize(
    ("how", "on_disk"),
    [
        ({"jobs": 3, "piece_blocks": 77, "leaves_per_part": 1}, True),
        ({"jobs": 2}, True),
        ({"backend": "loky", "jobs": 2, "piece_blocks": 1_000}, False),
    ],
    ids=str,
)
def test_the_end_does_not_depend_on_who_plays(
    asked: ResolvedExperiment, expected: Run, tmp_path: Path, how: dict[str, Any], on_disk: bool
) -> None:
    run = play(asked, out=tmp_path if on_disk else None, **how)
    assert same(run, expected)
    assert run.manifest["precision"] == expected.manifest["precision"]


@pytest.mark.parametrize("after", [500, 5_000, 12_000, 19_000])
def test_it_is_the_same_after_an_interruption(
    asked: ResolvedExperiment, expected: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    def stop(state: Progress) -> None:
        if state.played >= after:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    with pytest.raises(Exception, match="go on with"):
        play(asked, out=tmp_path, jobs=2, piece_blocks=333, leaves_per_part=1, on_progress=stop)
    run = play(asked, out=tmp_path, resume=True, jobs=1)
    assert same(run, expected)
    assert run.manifest["precision"] == expected.manifest["precision"]
    assert run.asked.digest == asked.digest


def test_a_part_that_is_lost_afterwards_is_made_again(asked: ResolvedExperiment, expected: Run, tmp_path: Path) -> None:
    play(asked, out=tmp_path, jobs=2, leaves_per_part=1)
    (tmp_path / "games" / "part-00000.parquet").unlink()
    run = play(asked, out=tmp_path, resume=True)
    assert run.mended == ("games/part-00000.parquet",)
    assert same(run, expected)
    assert run.manifest["precision"] == expected.manifest["precision"]


def test_intervals_are_those_that_hold_at_every_look(expected: Run) -> None:
    shares = [*figures_of(expected).by_strategy, *figures_of(expected).by_place]
    assert {share.share.method for share in shares} == {"confidence sequence"}
    widest = max(share.share.high - share.share.low for share in shares) / 2
    assert widest == pytest.approx(expected.manifest["precision"]["half_width"], abs=1e-6)


def test_too_few_games_are_told() -> None:
    from rsc_sim.summary import summarise

    data = {"lineup": ["collector", "random"], "games": 5_000, "precision": {"win_share": 0.001}}
    run = play(Experiment.from_dict(data).resolve())
    assert not run.manifest["precision"]["reached"]
    assert run.experiment.n_games == 5_000
    assert summarise(run).warnings[0].startswith("Win shares were to be known to ± 0.1 points and are known to ± ")


def test_precision_is_part_of_what_was_asked(asked: ResolvedExperiment, tmp_path: Path) -> None:
    play(asked, out=tmp_path)
    assert Experiment.load(tmp_path / "manifest.json").resolve().digest == asked.digest
    other = Experiment.load(tmp_path / "manifest.json").changed(precision={"win_share": 0.1}).resolve()
    with pytest.raises(InputError, match=r"precision: 0\.004 there, 0\.1 now"):
        play(other, out=tmp_path, resume=True)


def test_pieces_do_not_cross_a_place_where_the_run_may_end() -> None:
    pieces = list(plan_pieces([make_part(0, 6_000)], n_blocks=6_000, jobs=1, cuts=sequential.looks(6_000)))
    ends = {first + n for _, first, n in pieces}
    assert set(sequential.looks(6_000)) | {LEAF_BLOCKS} <= ends
    assert [first for _, first, _ in pieces] == [0, *sorted(ends)[:-1]]


def test_progress_tells_when_it_will_end(
    asked: ResolvedExperiment, expected: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int | None] = []
    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    play(asked, jobs=1, piece_blocks=1_000, on_progress=lambda state: told.append(state.expected))
    assert told[0] is None
    later = [games for games in told if games is not None]
    assert max(later) < 1.3 * expected.experiment.n_games
    assert min(later) > 0.7 * expected.experiment.n_games
