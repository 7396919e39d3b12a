"""Game length: Woodruff's interval on a distribution whose quantiles are known, and games stopped at the limit."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

from rsc_sim.analysis import game_length, length_shares
from rsc_sim.analysis.blocks import block_moments
from rsc_sim.analysis.intervals import share_estimate
from rsc_sim.analysis.length import length_distribution


def test_quantiles_and_woodruff_intervals_of_four_hundred_different_lengths(make_games: Any) -> None:
    order = random.Random(3).sample(range(1, 401), 400)
    games = make_games([[{"winner": 0, "turns": turns}] for turns in order], ["a", "a"])
    tenth, half, most = game_length(games, "turns").quantiles
    assert (tenth.estimate.value, half.estimate.value, most.estimate.value) == (40, 200, 360)
    # 1.96 · sqrt(0.25 / 399) = 0.0491: the 45.1 % and 54.9 % points of the lengths 1 to 400.
    assert (half.estimate.low, half.estimate.high) == (181, 220)
    # 1.96 · sqrt(0.09 / 399) = 0.0294.
    assert (tenth.estimate.low, tenth.estimate.high) == (29, 52)
    assert not half.at_least


def test_games_of_a_block_that_go_together_count_once(make_games: Any) -> None:
    order = random.Random(3).sample(range(1, 401), 400)
    alone = game_length(make_games([[{"winner": 0, "turns": n}] for n in order], ["a", "a"]), "turns")
    double = game_length(make_games([[{"winner": 0, "turns": n}] * 2 for n in order], ["a", "b"]), "turns")
    assert double.quantiles[1].estimate.low == alone.quantiles[1].estimate.low
    assert double.quantiles[1].estimate.high == alone.quantiles[1].estimate.high


def test_rounds_are_turns_by_seats(make_games: Any) -> None:
    games = make_games([[{"winner": 0, "turns": turns}] for turns in (4, 5, 6, 7, 8)], ["a", "a"])
    assert game_length(games, "rounds").quantiles[1].estimate.value == 3
    assert game_length(games, "turns").quantiles[1].estimate.value == 6


def test_stopped_games_are_counted_and_their_quantiles_are_lower_bounds(make_games: Any) -> None:
    ended = [[{"winner": 0, "turns": 10 + i}] for i in range(80)]
    stopped = [[{"winner": None, "turns": 400, "end": "turn_cap"}] for _ in range(20)]
    length = game_length(make_games(ended + stopped, ["a", "a"]), "turns")
    assert (length.n_stopped, length.stopped.value) == (20, 0.2)
    tenth, half, most = length.quantiles
    assert not tenth.at_least
    assert not half.at_least
    assert most.at_least
    assert most.estimate.value == 400


def test_a_deadlocked_game_has_the_length_it_has(make_games: Any) -> None:
    games = make_games([[{"winner": None, "turns": 30, "end": "deadlock"}]] * 10, ["a", "a"])
    length = game_length(games, "turns")
    assert length.n_stopped == 0
    assert not any(quantile.at_least for quantile in length.quantiles)


def test_the_distribution_adds_up(make_games: Any) -> None:
    games = make_games([[{"winner": 0, "turns": turns}] for turns in (4, 8, 8)], ["a", "a"])
    frame = length_distribution(games, "turns")
    assert frame.to_dict(as_series=False) == {"length": [4, 8], "n_games": [1, 2], "n_stopped": [0, 0]}


def test_no_games_are_an_error(make_games: Any) -> None:
    with pytest.raises(ValueError, match="no games"):
        game_length(make_games([[{"winner": 0}]], ["a", "a"]).head(0))


@pytest.mark.parametrize("edges", [[2, 4, 6], [3, 4, 9], [5], []])
def test_length_shares_are_those_of_block_means(make_games: Any, edges: list[int]) -> None:
    blocks = [
        [{"winner": 0, "turns": 2 * (1 + (3 * i + j * j) % 9)} if (i + j) % 7 else {"winner": None} for j in range(2)]
        for i in range(30)
    ]
    games = make_games(blocks, ["a", "b"])
    shares = length_shares(games, edges)
    assert sum(share.value for share in shares) == pytest.approx(1)
    bounds = [-1, *edges, 10**6]
    ended = pl.col("end") != "turn_cap"
    values = {
        str(i): ended & (pl.col("rounds") > bounds[i]) & (pl.col("rounds") <= bounds[i + 1])
        for i in range(len(edges) + 1)
    }
    values[str(len(edges) + 1)] = ~ended
    moments = block_moments(games, values)
    for i, share in enumerate(shares):
        direct = share_estimate(moments.mean[str(i)], moments.variance[str(i)], 30)
        assert (share.value, share.low, share.high) == pytest.approx((direct.value, direct.low, direct.high))


def test_coverage_of_the_median() -> None:
    """The interval for the median of a known distribution holds it in 92 to 98 % of 300 runs."""
    import numpy as np
    import polars as pl

    random_numbers = np.random.default_rng(5)
    held, runs, n_blocks = 0, 300, 200
    for _ in range(runs):
        # Four games a block that share part of their length: the sum of two geometric draws, whose median can be
        # counted.
        shared = random_numbers.geometric(0.05, n_blocks)
        turns = (shared[:, None] + random_numbers.geometric(0.05, (n_blocks, 4))).ravel()
        games = pl.LazyFrame(
            {
                "block": np.repeat(np.arange(n_blocks, dtype=np.uint32), 4),
                "turns": turns,
                "end": ["escape"] * turns.size,
            }
        )
        (half,) = game_length(games, "turns", shares=(0.5,)).quantiles
        held += half.estimate.low <= _TRUE_MEDIAN <= half.estimate.high
    assert 0.92 <= held / runs <= 0.985


def _median_of_two_geometric(p: float) -> int:
    reached, n = 0.0, 1
    while reached < 0.5:
        n += 1
        reached += (n - 1) * p * p * (1 - p) ** (n - 2)
    return n


_TRUE_MEDIAN = _median_of_two_geometric(0.05)
