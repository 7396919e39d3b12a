"""A sweep to a precision: each point ends where its own run would, and points are paired on the deals they share."""

from __future__ import annotations

import signal
from pathlib import Path

import polars as pl
import pytest

from rsc_sim.errors import Interrupted
from rsc_sim.experiment import Experiment
from rsc_sim.runner import play
from rsc_sim.sweep import Sweep, SweepProgress, run_sweep
from rsc_sim.sweep_plan import SweepPlan, plan_sweep

TARGET = 0.01


@pytest.fixture(scope="module")
def plan() -> SweepPlan:
    data = {"name": "duel", "lineup": ["collector", "random"], "games": 60_000, "precision": {"win_share": TARGET}}
    return plan_sweep(Experiment.from_dict(data), ["escape_threshold=600,1000,1400"])


@pytest.fixture(scope="module")
def swept(plan: SweepPlan, tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return run_sweep(plan, out=tmp_path_factory.mktemp("sweep") / "whole")


def test_each_point_ends_where_its_own_run_would(plan: SweepPlan, swept: Sweep) -> None:
    for number, point in enumerate(plan.points):
        run, alone = swept.run(number), play(point.experiment)
        assert run.manifest["precision"] == alone.manifest["precision"]
        assert run.manifest["precision"]["reached"]
        assert run.outcome_digest == alone.outcome_digest
    assert len({swept.run(number).experiment.n_blocks for number in range(3)}) > 1


def test_win_shares_have_the_ranges_that_chose_the_end_and_differences_are_paired(swept: Sweep) -> None:
    shares = swept.frame.filter(pl.col("figure").is_in(["win_share", "place_share"]))
    assert set(shares["method"]) == {"confidence sequence"}
    widest = shares.select((pl.col("high") - pl.col("low")).max() / 2).item()
    assert widest <= TARGET
    assert "confidence sequence" not in set(swept.frame.filter(figure="median_rounds")["method"])
    blocks = [swept.run(number).experiment.n_blocks for number in range(3)]
    assert swept.frame.filter(figure="unfinished").sort("point")["n_blocks"].to_list() == blocks
    different = swept.frame.filter(figure="median_rounds").filter(pl.col("difference").is_not_null())
    assert different.height == 2
    assert (different["correlation"] > 0.05).all()


def test_it_is_the_same_after_an_interruption(
    plan: SweepPlan, swept: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    states: list[SweepProgress] = []

    def stop(state: SweepProgress) -> None:
        states.append(state)
        if state.done >= 15_000:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted, match="rsc sweep --resume"):
        run_sweep(plan, out=tmp_path / "sweep", jobs=2, on_progress=stop, leaves_per_part=1)
    done = run_sweep(None, out=tmp_path / "sweep", resume=True, jobs=1, on_progress=states.append)
    assert done.digest == swept.digest
    assert done.frame.equals(swept.frame)
    total = sum(swept.run(number).experiment.n_games for number in range(3))
    assert states[-1].done >= total  # with what was in flight at the end
    assert states[-1].n_games == pytest.approx(total, rel=0.1)
