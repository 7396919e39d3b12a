"""Luck and skill: indices of functions that have exact ones, and spreads that were put in."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from rsc_sim.analysis.luck import Luck, luck_of, skill_of, squares_of

Numbers = npt.NDArray[np.float64]


def mixed_from(f: Callable[[Numbers], Numbers], k: int, n: int, seed: int, low: float, high: float) -> Luck:
    """Estimate the indices of a function of k independent numbers, uniform from `low` to `high`."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(low, high, (2, n, k))
    changed = []
    for groups in [[i] for i in range(k)] + [[0, 1]]:
        one = a.copy()
        one[:, groups] = b[:, groups]
        changed.append(f(one)[:, None])
    squares = squares_of(f(a)[:, None], f(b)[:, None], changed)
    return luck_of(squares, [f"x{i}" for i in range(k)], groups=["both"])


def test_indices_of_ishigami_s_function() -> None:
    """Exact: Ishigami, T. and Homma, T. (1990); a = 7, b = 0.1: 0.3139, 0.4424, 0 alone; 0.5576, 0.4424, 0.2437."""
    luck = mixed_from(
        lambda x: np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0]),
        3, 40_000, 5, -math.pi, math.pi,
    )  # fmt: skip
    assert luck.variance.value == pytest.approx(13.8446, rel=0.02)
    for source, alone, in_all in zip(luck.sources, (0.3139, 0.4424, 0.0), (0.5576, 0.4424, 0.2437), strict=True):
        assert source.alone.low < alone < source.alone.high
        assert source.in_all.low < in_all < source.in_all.high
        assert source.alone.high - source.alone.low < 0.06
    both = luck.groups[0]  # what the first two settle between them is all but what hangs on the third
    assert both.alone.low < 1 - 0.2437 < both.alone.high


def test_a_sum_has_its_variances_and_a_product_works_together() -> None:
    luck = mixed_from(lambda x: 3 * x[:, 0] + 4 * x[:, 1], 2, 20_000, 6, -1, 1)
    for source, exact in zip(luck.sources, (9 / 25, 16 / 25), strict=True):
        assert source.alone.low < exact < source.alone.high
        assert source.in_all.low < exact < source.in_all.high
    luck = mixed_from(lambda x: np.sign(x[:, 0] * x[:, 1]), 2, 5_000, 7, -1, 1)
    for source in luck.sources:
        assert source.alone.low < 0 < source.alone.high
        assert source.in_all.low < 1 < source.in_all.high


def test_ranges_hold_the_exact_index_as_often_as_they_say() -> None:
    inside = 0
    for seed in range(200):
        luck = mixed_from(lambda x: 3.0 * (x[:, 0] > 0.5) + 4 * (x[:, 1] > 0.5), 2, 300, seed, 0, 1)
        inside += sum(one.low < 9 / 25 < one.high for one in (luck.sources[0].alone, luck.sources[0].in_all))
    assert 0.92 < inside / 400 < 0.98


def test_what_draws_nothing_has_no_share() -> None:
    a, b = np.random.default_rng(8).uniform(size=(2, 100, 1))
    luck = luck_of(squares_of(a, b, [a, b]), ["idle", "all"])
    assert [(one.alone.value, one.in_all.value) for one in luck.sources] == [(0, 0), (1, 1)]


def games_of(shares: list[float], n_blocks: int, seed: int) -> pl.LazyFrame:
    """Give games of a table where a seat of each strategy wins by lot; four rotations a block."""
    rng = np.random.default_rng(seed)
    seats = len(shares)
    winner = rng.choice(seats, p=shares, size=n_blocks * seats)
    rotation = np.tile(np.arange(seats), n_blocks)
    names = pl.Enum([f"s{i}" for i in range(seats)])
    columns: dict[str, pl.Series] = {"block": pl.Series(np.repeat(np.arange(n_blocks), seats))}
    for seat in range(seats):
        who = (seat + rotation) % seats
        columns[f"strategy_{seat}"] = pl.Series([f"s{i}" for i in who], dtype=names)
        columns[f"won_{seat}"] = pl.Series((winner == who).astype(np.float32))
    return pl.DataFrame(columns).lazy()


def test_spread_is_what_was_put_in_and_noise_is_none_of_it() -> None:
    exact = float(np.std([0.1, 0.2, 0.3, 0.4]))
    squares, equal, inside = [], [], 0
    for seed in range(60):
        skill = skill_of(games_of([0.1, 0.2, 0.3, 0.4], 60, seed), 0.17)
        assert skill is not None
        squares.append(skill.spread.value**2)
        inside += skill.spread.low < exact < skill.spread.high
        level = skill_of(games_of([0.25] * 4, 60, seed), 0.1875)
        assert level is not None
        equal.append(level.spread.low)
    assert np.mean(squares) == pytest.approx(exact**2, abs=3 * np.std(squares) / math.sqrt(60))
    assert inside >= 52
    assert np.mean(np.array(equal) > 0) < 0.15
    assert skill.share.value == pytest.approx(squares[-1] / (squares[-1] + 0.17))


def test_one_strategy_has_nothing_to_differ_from() -> None:
    games = games_of([0.5, 0.5], 4, 1).with_columns(
        pl.col(f"strategy_{seat}").cast(pl.String).str.replace("s1", "s0").cast(pl.Enum(["s0"])) for seat in range(2)
    )
    assert skill_of(games, 0.2) is None
