"""Intervals on real games hold what they say."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from rsc_sim.analysis import how_games_end, win_share_by_place, win_share_by_strategy


def test_small_runs_hold_the_true_shares_about_95_times_in_100() -> None:
    """One run of 24,000 deals is 200 small ones of 120; its own shares stand in for the truth."""
    import rsc_sim

    small, runs = 120, 200
    games = rsc_sim.simulate("booklet", ["collector", "random", "random"], games=small * runs * 3).games.collect()

    def figures(frame: pl.LazyFrame) -> list[tuple[float, float, float]]:
        shares = [*win_share_by_strategy(frame), *win_share_by_place(frame)]
        estimates = [*(share.share for share in shares), how_games_end(frame).ends["escape"]]
        return [(estimate.value, estimate.low, estimate.high) for estimate in estimates]

    truth = [value for value, _, _ in figures(games.lazy())]
    held = [0] * len(truth)
    for i in range(runs):
        for j, (_, low, high) in enumerate(figures(games[i * small * 3 : (i + 1) * small * 3].lazy())):
            held[j] += low <= truth[j] <= high
    # With 200 runs, 95 % is seen as 90.5 to 98.5 % in 99 of 100 cases. Escapes are all but certain: wider is right.
    assert all(0.905 <= n / runs <= 0.985 for n in held[:-1]), held
    assert held[-1] / runs >= 0.93, held


@pytest.mark.slow
def test_a_thousand_small_runs_hold_the_true_win_shares_in_92_to_98_per_cent() -> None:
    """The truth is a run of twice as many games as the thousand together; the result goes to reports/coverage/."""
    import rsc_sim

    lineup, games, runs = ["rusher", "raider", "collector", "guardian"], 2_000, 1_000
    truth = {
        share.who: share.share.value
        for share in win_share_by_strategy(rsc_sim.simulate("booklet", lineup, games=4_000_000, seed=2**40).games)
    }
    held = dict.fromkeys(truth, 0)
    for seed in range(1, runs + 1):
        for share in win_share_by_strategy(rsc_sim.simulate("booklet", lineup, games=games, seed=seed).games):
            held[share.who] += share.share.low <= truth[share.who] <= share.share.high
    result = {
        "question": "how often does the 95 % range of a strategy's win share hold the truth?",
        "runs": runs,
        "games_a_run": games,
        "games_behind_the_truth": 4_000_000,
        "truth": truth,
        "held": {who: n / runs for who, n in held.items()},
    }
    folder = Path(__file__).parents[2] / "reports" / "coverage"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "win_share.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    assert all(0.92 <= n / runs <= 0.98 for n in held.values()), result["held"]
