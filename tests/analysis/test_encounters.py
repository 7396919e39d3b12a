"""Win shares over several tables, by hand, against runs' own, and how often their ranges hold."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from rsc_sim.analysis.encounters import encounters, unfinished_share
from rsc_sim.analysis.intervals import share_estimate
from rsc_sim.analysis.standings import Standings
from tests.analysis.made_tables import by_model, counted, drawn, duel


def test_shares_by_hand() -> None:
    """0 wins 6 of 10 blocks against 1, and 8 of 10 against 2; 1 and 2 are level."""
    met = encounters([duel(0, 1, 6, 4), duel(0, 2, 8, 2), duel(1, 2, 5, 5)], 3)
    assert [share.value for share in met.overall] == pytest.approx([0.7, 0.45, 0.35])
    assert met.against[0][0] is None
    pairs = {(i, j): met.against[i][j] for i, j in ((0, 1), (1, 0), (0, 2), (1, 2))}
    assert {pair: share.value for pair, share in pairs.items() if share} == pytest.approx(
        {(0, 1): 0.6, (1, 0): 0.4, (0, 2): 0.8, (1, 2): 0.5}
    )
    one = met.against[0][1]
    assert one is not None
    expected = share_estimate(0.6, 0.24 * 10 / 9, 10)  # both games of a block came out alike
    assert (one.low, one.high) == pytest.approx((expected.low, expected.high))
    assert one.n_blocks == 10
    assert met.overall[0].n_blocks == 20


def test_a_share_is_a_seat_where_a_strategy_has_several() -> None:
    """On three of four seats, one that plays like the other wins three times as often and is no better."""
    chance = np.random.default_rng(1)
    table = drawn(chance, (0, 0, 0, 1), by_model((0.0, 0.0), (0.0,) * 4), n_blocks=2_000)
    met = encounters([table], 2)
    assert table.wins[0] / table.n_games == pytest.approx(0.75, abs=0.02)
    assert met.overall[0].value == pytest.approx(0.25, abs=0.01)
    assert met.against[0][1] is not None
    assert met.against[0][1].low < 0.5 < met.against[0][1].high


def test_unfinished_games_are_lost_and_counted() -> None:
    def games(seating: tuple[int, ...]) -> Any:
        return np.array([[0.0, 0.0]] * 4 + [[float(who == 0) for who in seating]] * 6)

    table = counted((0, 1), games, n_blocks=10)
    met = encounters([table], 2)
    assert met.overall[0].value == pytest.approx(0.6)
    assert unfinished_share([table]).value == pytest.approx(0.4)
    assert met.against[0][1] is not None
    assert met.against[0][1].value == 1


def test_nobody_won() -> None:
    table = counted((0, 1), lambda seating: np.zeros((5, 2)), n_blocks=5)
    met = encounters([table], 2)
    assert met.against[0][1] is not None
    assert math.isnan(met.against[0][1].value)
    standings = Standings(["a", "b"], [table])
    assert unfinished_share([table]).value == 1
    assert standings.ratings.values == pytest.approx([0, 0])
    assert standings.to_dict()["against"]["a"]["b"]["value"] is None


def test_ranges_of_both_kinds_hold_the_truth() -> None:
    """With 150 runs, 95 % is seen as 90 to 99 % in 99 of 100 cases."""
    theta, runs, held = (0.4, 0.0, -0.3, -0.1), 150, np.zeros(2)
    odds = np.exp(theta)
    others = [group for group in combinations(range(4), 3) if 0 in group]
    overall = np.mean([odds[0] / odds[list(group)].sum() for group in others])
    both = [group for group in others if 1 in group]
    a, b = (np.mean([odds[i] / odds[list(group)].sum() for group in both]) for i in (0, 1))
    for seed in range(runs):
        chance = np.random.default_rng(seed)
        strength = by_model(theta, (0.0,) * 3)
        made = [drawn(chance, group, strength, n_blocks=60, alike=0.6) for group in combinations(range(4), 3)]
        met = encounters(made, 4)
        versus = met.against[0][1]
        assert versus is not None
        held += [met.overall[0].low <= overall <= met.overall[0].high, versus.low <= a / (a + b) <= versus.high]
    assert (held / runs >= 0.90).all(), held / runs
    assert (held / runs <= 0.99).all(), held / runs
