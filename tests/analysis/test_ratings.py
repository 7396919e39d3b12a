"""Ratings: against published and exactly computable values, against an independent solver, and on games drawn by a
known model.
"""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from rsc_sim.analysis.intervals import Estimate
from rsc_sim.analysis.ratings import ELO, Ratings, fit_ratings, fit_test, win_groups
from rsc_sim.analysis.tables import TableCounts
from tests.analysis.made_tables import by_model, counted, drawn, duel, seatings_of

THETA, PLACES = (0.5, 0.1, 0.0, -0.2, -0.4), (0.25, 0.05, -0.1, -0.2)


def tables(seed: int, *, n: int = 5, k: int = 4, n_blocks: int = 100, alike: float = 0.0) -> list[TableCounts]:
    chance = np.random.default_rng(seed)
    strength = by_model(THETA[:n], PLACES[:k])
    return [drawn(chance, group, strength, n_blocks=n_blocks, alike=alike) for group in combinations(range(n), k)]


# ---- values that are known


@pytest.mark.parametrize(("wins", "losses"), [(30, 20), (999, 1), (50, 50)])
def test_two_strategies_differ_by_the_log_of_their_odds(wins: int, losses: int) -> None:
    """Bradley and Terry's maximum has this closed form."""
    ratings = fit_ratings([duel(0, 1, wins, losses)], 2)
    assert ratings.values[0] - ratings.values[1] == pytest.approx(math.log(wins / losses), abs=0.02)
    assert ratings.elo[0].value == pytest.approx(200 / math.log(10) * math.log(wins / losses), abs=2)
    assert ratings.difference(0, 1).value == pytest.approx(ELO * math.log(wins / losses), abs=4)


def test_the_standard_error_of_two_strategies_has_a_closed_form() -> None:
    """Of independent games: 1 / sqrt(n p (1 - p)). Both games of a block came out alike, so that n counts blocks."""
    half = fit_ratings([duel(0, 1, 300, 200)], 2).difference(0, 1)
    expected = 1.959964 * ELO / math.sqrt(500 * 0.6 * 0.4)
    assert (half.high - half.low) / 2 == pytest.approx(expected, rel=0.002)


def test_baseball_of_1987() -> None:
    """Agresti, A. (2002), Categorical Data Analysis, table 10.10, and its Bradley-Terry estimates beside Baltimore."""
    teams = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
    wins = [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
    published = {
        "Milwaukee": 1.5814,
        "Detroit": 1.4364,
        "Toronto": 1.2945,
        "New York": 1.2476,
        "Boston": 1.1077,
        "Cleveland": 0.6839,
    }
    ratings = fit_ratings([duel(i, j, wins[i][j], wins[j][i]) for i, j in combinations(range(7), 2)], 7)
    for team, value in published.items():
        assert ratings.values[teams.index(team)] - ratings.values[6] == pytest.approx(value, abs=0.001)
    assert ratings.place_values == pytest.approx([0, 0], abs=1e-9)


def test_it_finds_what_an_independent_solver_finds() -> None:
    """The likelihood written down game by game and left to scipy; with ties, unfinished games and places."""
    chance = np.random.default_rng(11)
    seated = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 0, 1)]
    record: list[tuple[tuple[int, ...], Any]] = []

    def games(seating: tuple[int, ...]) -> Any:
        won = np.zeros((20, 3))
        for row in won:
            kind = chance.integers(10)
            if kind == 0:
                continue  # unfinished
            winners = chance.choice(3, size=2 if kind == 1 else 1, replace=False, p=[0.5, 0.3, 0.2])
            row[winners] = 1 / len(winners)
        record.extend((seating, row) for row in won)
        return won

    made = [counted(group, games, n_blocks=20) for group in seated]

    seats, won = np.array([seating for seating, _ in record]), np.array([row for _, row in record])

    def loss(at: Any) -> float:
        theta, places = np.append(at[:3], -at[:3].sum()), np.append(at[3:], -at[3:].sum())
        utility = theta[seats] + places
        log_chances = utility - np.log(np.exp(utility).sum(axis=1, keepdims=True))
        return float(-(won * log_chances).sum() + 0.005 * (theta @ theta + places @ places))

    solved = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-7})
    ratings = fit_ratings(made, 4)
    assert ratings.values[:3] == pytest.approx(solved.x[:3], abs=1e-5)
    assert ratings.place_values[:2] == pytest.approx(solved.x[3:], abs=1e-5)
    unfinished = sum(not row.any() for _, row in record)
    assert (ratings.n_games, ratings.n_dropped) == (len(record) - unfinished, unfinished)
    assert unfinished > 0


# ---- what they mean


def test_the_strengths_and_the_places_that_made_the_games_are_found() -> None:
    ratings = fit_ratings(tables(1, n_blocks=4_000), 5)
    assert ratings.values == pytest.approx(np.array(THETA) - np.mean(THETA), abs=0.02)
    assert ratings.place_values == pytest.approx(np.array(PLACES) - np.mean(PLACES), abs=0.02)
    assert all(place.low < ELO * true < place.high for place, true in zip(ratings.places, PLACES, strict=True))


def test_ratings_and_places_add_up_to_0_and_so_do_their_errors() -> None:
    """Only differences can be told: what is added to all strategies, or to all places, changes no chance."""
    ratings = fit_ratings(tables(2), 5)
    assert ratings.values.sum() == pytest.approx(0, abs=1e-9)
    assert ratings.place_values.sum() == pytest.approx(0, abs=1e-9)
    assert ratings.covariance[:5].sum(axis=0) == pytest.approx(0, abs=1e-9)
    assert ratings.covariance[5:].sum(axis=0) == pytest.approx(0, abs=1e-9)


def test_a_tie_counts_half_for_each() -> None:
    tied = counted((0, 1), lambda seating: np.full((10, 2), 0.5), n_blocks=10)
    split = duel(0, 1, 5, 5)
    assert fit_ratings([tied], 2).values == pytest.approx([0, 0], abs=1e-12)
    assert np.array_equal(tied.sums, split.sums)
    three = counted((0, 1, 2), lambda seating: np.tile([1 / 3] * 3, (7, 1)), n_blocks=7)
    assert three.wins.tolist() == [14.0] * 3


def test_unfinished_games_are_dropped_and_counted() -> None:
    def games(seating: tuple[int, ...]) -> Any:
        won = np.array([[float(who == winner) for who in seating] for winner in [0] * 30 + [1] * 20])
        return np.concatenate([won, np.zeros((40, 2))])

    ratings = fit_ratings([counted((0, 1), games, n_blocks=90)], 2)
    assert ratings.values == pytest.approx(fit_ratings([duel(0, 1, 30, 20)], 2).values, abs=1e-9)
    assert (ratings.n_games, ratings.n_dropped, ratings.n_blocks) == (100, 80, 90)


def test_a_strategy_that_never_wins_has_a_finite_rating_without_a_range_and_shifts_no_other() -> None:
    def never(games: TableCounts) -> bool:
        return games.wins[-1] == 0

    chance = np.random.default_rng(3)
    strength = by_model((0.2, 0.0, -0.2, -50.0), (0.0, 0.0, 0.0))
    made = [drawn(chance, group, strength, n_blocks=200) for group in combinations(range(4), 3)]
    assert all(never(table) for table in made if 3 in table.strategies)
    ratings = fit_ratings(made, 4)
    assert ratings.groups == ((0, 1, 2), (3,))
    assert math.isfinite(ratings.elo[3].value)
    assert ratings.elo[3].value < -1_000
    assert (ratings.elo[3].low, ratings.elo[3].high) == (-math.inf, math.inf)
    assert ratings.elo[3].to_dict()["low"] is None
    assert ratings.values[:3].sum() == pytest.approx(0, abs=1e-9)
    assert all(rating.high - rating.low < 40 for rating in ratings.elo[:3])


def test_a_strategy_that_always_wins() -> None:
    made = [counted((0, 1, 2), lambda s: np.tile([float(who == 0) for who in s], (50, 1)), n_blocks=50)]
    assert win_groups(made, 3)[0] == (0,)
    ratings = fit_ratings(made, 3)
    assert np.isfinite(ratings.values).all()
    assert ratings.values[0] > max(ratings.values[1:]) + 5


def test_one_block_tells_no_range() -> None:
    ratings = fit_ratings(tables(4, n_blocks=1), 5)
    assert all(rating.low == -math.inf and rating.high == math.inf for rating in ratings.elo)


def test_counts_in_any_order_and_any_cut_are_the_same() -> None:
    whole = tables(5, n=4, k=3, n_blocks=60)[0]
    seatings = seatings_of((0, 1, 2))
    chance = np.random.default_rng(6)
    vectors = chance.integers(0, 841, size=(60, len(whole.sums)))
    at_once = TableCounts.empty(seatings).with_blocks(vectors)
    pieces = [TableCounts.empty(seatings).with_blocks(vectors[i : i + 7]) for i in range(0, 60, 7)]
    together = pieces[-1]
    for piece in reversed(pieces[:-1]):
        together = together + piece
    assert np.array_equal(together.products, at_once.products)
    scale = np.concatenate([np.full(6, 1 / 840), np.ones(6)])
    assert at_once.block_covariance() == pytest.approx(np.cov(vectors.T * scale[:, None]), rel=1e-9)
    with pytest.raises(ValueError, match="same table"):
        _ = at_once + TableCounts.empty(seatings_of((0, 1, 3)))


# ---- intervals and the test, measured


def held(runs: int, *, n_blocks: int, alike: float) -> list[float]:
    """Give how often 95 % intervals of three strategies and three places hold the truth."""
    truth = [*(np.array(THETA[:3]) - np.mean(THETA[:3])), *(np.array(PLACES[:3]) - np.mean(PLACES[:3]))]
    hits = np.zeros(6)
    for seed in range(runs):
        found = fit_ratings(tables(seed, n=3, k=3, n_blocks=n_blocks, alike=alike), 3)
        hits += [e.low <= ELO * t <= e.high for e, t in zip((*found.elo, *found.places), truth, strict=True)]
    return [float(hit) for hit in hits / runs]


def test_intervals_hold_the_truth_though_the_games_of_a_deal_are_alike() -> None:
    """With 200 runs, 95 % is seen as 90.5 to 98.5 % in 99 of 100 cases, and six figures are looked at."""
    assert all(0.90 <= share <= 0.99 for share in held(200, n_blocks=120, alike=0.7))


def test_games_of_a_deal_that_are_alike_widen_the_range() -> None:
    """Had they been taken for independent, the range would be the same."""

    def width(estimate: Estimate) -> float:
        return estimate.high - estimate.low

    alone = fit_ratings(tables(1, n=3, k=3, n_blocks=500), 3)
    alike = fit_ratings(tables(1, n=3, k=3, n_blocks=500, alike=0.7), 3)
    assert width(alike.elo[0]) > 1.3 * width(alone.elo[0])


def sized(runs: int, *, n: int, k: int, n_blocks: int, alike: float) -> list[float]:
    made = (tables(seed, n=n, k=k, n_blocks=n_blocks, alike=alike) for seed in range(runs))
    return [fit_test(counts, fit_ratings(counts, n)).p for counts in made]


def test_the_fit_is_rejected_about_5_times_in_100_where_it_holds() -> None:
    p = np.array(sized(150, n=4, k=3, n_blocks=60, alike=0.5))
    assert 0.01 <= (p < 0.05).mean() <= 0.09
    assert 0.40 <= (p < 0.5).mean() <= 0.60


def rock_paper_scissors(n_blocks: int, edge: float) -> tuple[list[TableCounts], Ratings]:
    chance = np.random.default_rng(8)

    def strength(seating: tuple[int, ...]) -> Any:
        a, b = seating
        return np.array([edge if (a - b) % 3 == 1 else 0.0, edge if (b - a) % 3 == 1 else 0.0])

    made = [drawn(chance, pair, strength, n_blocks=n_blocks) for pair in combinations(range(3), 2)]
    return made, fit_ratings(made, 3)


def test_the_fit_is_rejected_where_there_is_no_order() -> None:
    made, ratings = rock_paper_scissors(500, 0.4)
    fit = fit_test(made, ratings)
    assert fit.freedom == 1
    assert fit.p < 1e-6
    assert {miss.table for miss in fit.misses} == {(0, 1), (0, 2), (1, 2)}
    assert fit.typical_miss == pytest.approx(1 / (1 + math.exp(-0.4)) - 0.5, abs=0.02)
    assert [round(value, 1) for value in ratings.values] == [0.0, 0.0, 0.0]


def test_company_that_helps_one_strategy_is_found() -> None:
    """Strategy 0 is stronger where 4 sits: no single rating of 0 says that."""
    chance = np.random.default_rng(9)

    def strength(seating: tuple[int, ...]) -> Any:
        return by_model(THETA, PLACES)(seating) + np.array([0.4 * (who == 0 and 4 in seating) for who in seating])

    made = [drawn(chance, group, strength, n_blocks=200) for group in combinations(range(5), 4)]
    fit = fit_test(made, fit_ratings(made, 5))
    assert fit.freedom == 5 * 3 - 4
    assert fit.p < 1e-4
    assert fit.misses[0].strategy == 0


def test_a_place_that_helps_all_alike_is_no_misfit_and_one_table_is_no_test() -> None:
    one = tables(1)[:1]
    fit = fit_test(one, fit_ratings(one, 5))
    assert (fit.freedom, math.isnan(fit.p)) == (0, True)
    assert "nothing to compare" in fit.reason
    few = tables(1, n_blocks=10)
    assert "it takes 100 deals, and 20 a table" in fit_test(few, fit_ratings(few, 5)).reason


@pytest.mark.slow
def test_coverage_and_size_over_thousands_of_comparisons() -> None:
    """The result goes to reports/coverage/."""
    runs = 1_000
    shares = {f"alike {alike}": held(runs, n_blocks=120, alike=alike) for alike in (0.0, 0.7)}
    sizes = {
        f"alike {alike}, {n} deals a table": float(
            np.mean(np.array(sized(runs, n=5, k=4, n_blocks=n, alike=alike)) < 0.05)
        )
        for alike, n in ((0.0, 20), (0.0, 200), (0.7, 20), (0.7, 200))
    }
    result = {
        "question": "how often do 95 % ranges of ratings and places hold the truth, and how often does a true model "
        "fail the test of the fit at 5 %?",
        "runs": runs,
        "held": shares,
        "rejected": sizes,
    }
    folder = Path(__file__).parents[2] / "reports" / "coverage"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ratings.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    assert all(0.93 <= share <= 0.97 for each in shares.values() for share in each), shares
    # With few deals a table their own spread is known less well, and the test rejects a little too often.
    assert all(0.03 <= size <= (0.10 if ", 20 deals" in how else 0.08) for how, size in sizes.items()), sizes
