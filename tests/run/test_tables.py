"""Several experiments on the same blocks: the same games as their runs, in block order, on any jobs and backend."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
import polars as pl
import pytest

from rsc_sim.engine import Cancelled
from rsc_sim.errors import StrategyError
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.jobs import Stop
from rsc_sim.runner import play
from rsc_sim.tables import play_tables, spans


def turns(rows: Any, rotations: int) -> Any:
    return rows["turns"].reshape(-1, rotations).mean(axis=1)


@pytest.fixture(scope="module")
def experiments() -> list[ResolvedExperiment]:
    described = Experiment.from_dict({"lineup": ["collector", "random"], "games": 400})
    return [described.resolve(), described.changed(overrides={"escape_threshold": 500}).resolve()]


def test_spans_do_not_cross_leaves() -> None:
    cut = spans(4_000, 9_000, size=3_000)
    assert [first for first, _ in cut] == [4_000, 4_096, 7_096, 8_192, 11_192, 12_288]
    assert sum(n for _, n in cut) == 9_000


@pytest.mark.parametrize(("jobs", "backend", "size"), [(1, "threading", 200), (2, "threading", 17), (2, "loky", 50)])
def test_the_games_are_those_of_the_runs_and_come_in_block_order(
    experiments: list[ResolvedExperiment], jobs: int, backend: str, size: int
) -> None:
    got: list[list[Any]] = [[], []]
    at = 0
    with Stop() as stop:
        for span in play_tables(
            experiments, turns, over=spans(0, 200, size=size), jobs=jobs, stop=stop, backend=backend
        ):
            assert span.first_block == at
            at += span.n_blocks
            for table, result in enumerate(span.results):
                got[table].append(result)
    assert at == 200
    for experiment, results in zip(experiments, got, strict=True):
        run = play(experiment).games.group_by("block").agg(pl.col("turns").mean()).sort("block").collect()
        assert np.array_equal(np.concatenate(results), run["turns"].to_numpy())


def test_closing_stops_what_is_still_playing(experiments: list[ResolvedExperiment]) -> None:
    with (
        Stop() as stop,
        closing(play_tables(experiments, turns, over=spans(0, 10_000_000), jobs=2, stop=stop)) as running,
    ):
        assert next(running).first_block == 0


def test_a_strategy_that_fails_names_its_table(
    experiments: list[ResolvedExperiment], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise StrategyError("returned 7")

    monkeypatch.setattr("rsc_sim.jobs.Table.rows", fail)
    with Stop() as stop, pytest.raises(StrategyError) as failure:
        list(play_tables(experiments, turns, over=spans(0, 10), jobs=1, stop=stop))
    assert failure.value.table == 0  # type: ignore[attr-defined]


def test_what_was_stopped_before_it_began_does_not_wait_for_ever(experiments: list[ResolvedExperiment]) -> None:
    with Stop() as stop:
        stop.cancel[0] = 1
        with pytest.raises(Cancelled):
            list(play_tables(experiments, turns, over=spans(0, 10), jobs=2, stop=stop))
