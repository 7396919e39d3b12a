"""Figures of the feel of a game from made games whose figures can be told by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rsc_sim.analysis.feel import FIGURES, feel_of, minutes_of, width_quantiles


def made(n_blocks: int = 4) -> pl.LazyFrame:
    """Give games of two a block: in the first the winner led throughout, in the second it was last at half-time."""
    blocks = np.repeat(np.arange(n_blocks), 2)
    second = np.arange(2 * n_blocks) % 2
    columns = {
        "block": blocks, "winner": second * 0, "turns": 10 + 10 * second, "end": ["escape"] * (2 * n_blocks),
        "lead_changes": 2 * second, "points_lead_changes": second, "merch_half": 3 * second, "points_half": second,
        "merch_decided": 1 + 19 * second, "points_decided": 5 + 10 * second,
    }  # fmt: skip
    rest = {it.above for it in FIGURES.values()} | {it.below for it in FIGURES.values()}
    rest = rest - columns.keys() | {"discard_only", "passed", "missed"}
    numbers = {
        "decisions": 40,
        "moves": 400,
        "discard_only": 2,
        "passed": 1,
        "missed": 3,
        "merch_aimed": 4,
        "merch_hit": 3,
    }
    ones = {name: np.full(2 * n_blocks, numbers.get(name, 1)) for name in sorted(rest)}
    return pl.DataFrame({**ones, **columns}).lazy()


def test_figures_of_made_games() -> None:
    widths = np.tile([0, 1, 2, 5, 2.0], (4, 1))
    feel = feel_of(made(), widths, seconds_per_turn=30)
    expected = {
        "lead_changes": 1, "comeback": 0.5, "comeback_from_last": 0.5, "decided_early": (0.9 + 0) / 2,
        "winner_trails": 0.5, "points_comeback": 0.5, "points_comeback_from_last": 0, "points_decided_early": 3 / 8,
        "targeted_a_turn": 2 / 30, "idle": 12 / 36, "discard_only": 4 / 36, "missed": 6 / 36, "moves": 10,
        "leader_hit": 0.75, "leader_hit_by_chance": 0.25, "leader_hit_more": 0.5,
    }  # fmt: skip
    assert {name: feel[name].value for name in expected} == pytest.approx(expected)
    assert feel.n_games == feel.n_won == 8
    assert {share: one.value for share, one in feel.width_quantiles.items()} == {0.1: 1, 0.5: 3, 0.9: 4}
    assert feel.minutes[0.5].value == 5
    assert all(one.estimate.low <= one.estimate.value <= one.estimate.high for one in feel.figures.values())


def test_ranges_are_over_deals_not_games() -> None:
    """Eight games on four deals that are alike tell as little as four."""
    rng = np.random.default_rng(1)
    one = pl.DataFrame({name: [0] for name in made(1).collect().columns if name != "end"})
    hits = rng.integers(0, 2, 400)
    single = pl.concat([one] * 400).with_columns(
        block=np.arange(400), turns=pl.lit(10), end=pl.lit("escape"), merch_aimed=pl.lit(1), merch_hit=pl.Series(hits)
    )
    twice = pl.concat([single, single]).sort("block")
    widths = np.ones((4, 3))
    a, b = (feel_of(games.lazy(), widths, seconds_per_turn=20)["leader_hit"] for games in (single, twice))
    assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high))
    assert a.high - a.low == pytest.approx(2 * 1.96 * 0.5 / 20, rel=0.02)


def test_quantiles_of_choice_have_a_range_that_batches_give() -> None:
    rng = np.random.default_rng(2)
    widths = rng.multinomial(50, [0, 0.2, 0.31, 0.29, 0.2], size=40).astype(float)
    found = width_quantiles(widths)[0.5]
    assert (found.value, found.low, found.high) == (2, 2, 3)  # 51 % have two or fewer, give or take 1 %
    assert width_quantiles(np.zeros((3, 5))) == {}


def test_minutes_of_games_that_were_stopped_are_lower_bounds() -> None:
    games = made(10).with_columns(
        end=pl.when(pl.col("turns") == 20).then(pl.lit("turn_cap")).otherwise(pl.lit("escape"))
    )
    minutes, at_least = minutes_of(games, 60)
    assert minutes[0.1].value == 10
    assert minutes[0.9].value == 20
    assert 0.9 in at_least
    assert 0.1 not in at_least
