"""What chance alone does: pieces of a run against each other, and how far apart they are expected."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from rsc_sim.analysis import chance_alone

MakeGames = Callable[..., pl.LazyFrame]


def test_the_expected_distance_is_that_of_two_means(make_games: MakeGames) -> None:
    """One game a block, seat 0 winning 3 in 10: two runs differ with a variance of 2 · 0.3 · 0.7 / (n - 1)."""
    won = np.tile([0, 0, 0, 1, 1, 1, 1, 1, 1, 1], 40)
    games = make_games([[{"winner": int(seat)}] for seat in won], ["a", "b"])
    found = chance_alone(games)
    assert found is not None
    assert (found.n_blocks, found.n_piece_blocks) == (400, 20)
    first = next(figure for figure in found.figures if (figure.group, figure.who) == ("strategy", "a"))
    assert first.whole == pytest.approx(1.959964 * math.sqrt(2 * 0.3 * 0.7 / 399), rel=1e-5)
    assert first.differences == pytest.approx([0.0] * 10)
    assert first.within == 10
    assert [figure.who for figure in found.shares] == ["a", "b", "0", "1"]


def test_pieces_are_stretches_of_blocks_two_by_two(make_games: MakeGames) -> None:
    chance = np.random.default_rng(5)
    won = chance.integers(0, 2, 403)
    games = make_games([[{"winner": int(seat)}] for seat in won], ["a", "b"])
    found = chance_alone(games)
    assert found is not None
    means = [np.mean(won[(np.arange(403) * 20 // 403) == piece] == 0) for piece in range(20)]
    assert found.shares[0].differences == pytest.approx([means[2 * i + 1] - means[2 * i] for i in range(10)])
    # A strategy that sits at every rotation alike and the place it sits at are the same figure here.
    assert found.shares[2].differences == pytest.approx(found.shares[0].differences)


def test_about_19_of_20_pairs_lie_within(make_games: MakeGames) -> None:
    chance = np.random.default_rng(7)
    inside = pairs = 0
    for _ in range(20):
        games = make_games([[{"winner": int(seat)}] for seat in chance.integers(0, 2, 1_000)], ["a", "b"])
        found = chance_alone(games)
        assert found is not None
        inside, pairs = inside + found.shares[0].within, pairs + 10
    assert 0.90 <= inside / pairs <= 0.99


def test_too_few_deals_say_nothing(make_games: MakeGames) -> None:
    assert chance_alone(make_games([[{"winner": 0}]] * 199, ["a", "b"])) is None
    found = chance_alone(make_games([[{"winner": 0}]] * 200, ["a", "a"]))
    assert found is not None
    assert {figure.group for figure in found.shares} == {"place"}
    data: Any = found.to_dict()
    assert data["figures"][0]["whole"] == 0.0
