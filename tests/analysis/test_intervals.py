"""Intervals against published and exactly computable values, and their coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rsc_sim.analysis.intervals import Estimate, critical_value, difference_estimate, share_estimate, wilson


@pytest.mark.parametrize(
    ("events", "trials", "low", "high"),
    # Newcombe, R. G. (1998), Statistics in Medicine 17, 857-872, table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_published_intervals(events: int, trials: int, low: float, high: float) -> None:
    assert wilson(events / trials, trials, 1.959964) == pytest.approx((low, high), abs=6e-5)


def test_critical_value_is_students_t_for_few_blocks() -> None:
    assert critical_value(0.95, 11) == pytest.approx(2.228, abs=5e-4)  # 10 degrees of freedom, any table
    assert critical_value(0.95, 10_000) == pytest.approx(1.960, abs=5e-4)


def test_independent_blocks_have_as_many_trials_as_blocks() -> None:
    share, n = 0.25, 4_000
    variance = share * (1 - share) * n / (n - 1)  # sample variance of zeros and ones
    estimate = share_estimate(share, variance, n)
    assert (estimate.low, estimate.high) == pytest.approx(wilson(share, n - 1, critical_value(0.95, n)))


def test_a_smaller_variance_of_block_means_counts_as_more_trials() -> None:
    share, n = 0.25, 4_000
    wide = share_estimate(share, share * (1 - share), n)
    narrow = share_estimate(share, share * (1 - share) / 4, n)
    assert (narrow.high - narrow.low) * 2 == pytest.approx(wide.high - wide.low, rel=1e-3)


def test_an_event_never_seen_has_a_share_below_three_by_the_blocks() -> None:
    never = share_estimate(0.0, 0.0, 1_000)
    assert (never.value, never.low) == (0.0, 0.0)
    assert never.high == pytest.approx(3 / 1_000, rel=2e-3)
    always = share_estimate(1.0, 0.0, 1_000)
    assert (always.high, always.low) == pytest.approx((1.0, 1 - never.high))


def test_the_bound_for_an_event_never_seen_is_exact() -> None:
    high = share_estimate(0.0, 0.0, 50).high
    # The share at which 50 blocks without one have a chance of 5 %: (1 - p)^50 = 0.05; ours may only be wider.
    exact = 1 - 0.05 ** (1 / 50)
    assert exact <= high < exact * 1.05


def test_one_block_says_nothing() -> None:
    estimate = share_estimate(0.5, 0.0, 1)
    assert (estimate.low, estimate.high) == (0.0, 1.0)
    assert math.isnan(share_estimate(0.0, 0.0, 0).value)


def test_blocks_that_are_all_alike_do_not_give_certainty() -> None:
    estimate = share_estimate(0.5, 0.0, 10)
    assert estimate.low < 0.3 < 0.7 < estimate.high


@pytest.mark.parametrize(("share", "correlation", "n_blocks"), [(0.3, 0.3, 300), (0.25, 0.0, 30), (0.03, 0.2, 500)])
def test_coverage(share: float, correlation: float, n_blocks: int) -> None:
    """Of 2,000 runs of blocks of 4 dependent games the interval holds the truth in 93 to 97 %."""
    random = np.random.default_rng(20)
    runs = 2_000
    # Beta-binomial blocks: each has its own chance to win, whose spread gives the games that correlation.
    if correlation:
        concentration = 1 / correlation - 1
        chance = random.beta(share * concentration, (1 - share) * concentration, (runs, n_blocks))
    else:
        chance = np.full((runs, n_blocks), share)
    means = random.binomial(4, chance) / 4
    held = 0
    for mean, variance in zip(means.mean(axis=1), means.var(axis=1, ddof=1), strict=True):
        estimate = share_estimate(float(mean), float(variance), n_blocks)
        held += estimate.low <= share <= estimate.high
    assert 0.93 <= held / runs <= 0.97


def test_critical_values_are_those_of_scipy() -> None:
    from scipy.special import stdtrit

    for n in (2, 3, 4, 5, 6, 12, 19, 20, 21, 50, 199):
        for level in (0.5, 0.9, 0.95, 0.99, 1 - 0.05 / 64):
            assert critical_value(level, n) == pytest.approx(float(stdtrit(n - 1, (1 + level) / 2)), rel=2e-5), (
                n,
                level,
            )


def test_a_difference_has_students_interval_within_its_bounds() -> None:
    found = difference_estimate(0.1, 0.04, 16)
    assert (found.value, found.high) == (0.1, pytest.approx(0.1 + 2.131 * 0.05, abs=1e-4))
    assert difference_estimate(0.9, 4.0, 16).high == 1.0
    assert difference_estimate(0.2, 0.0, 100).low == pytest.approx(0.2 - 2.9957 / 100, abs=1e-5)
    assert (difference_estimate(0.2, 0.0, 1).low, difference_estimate(0.2, 0.0, 1).high) == (-1.0, 1.0)


def test_what_cannot_be_told_is_null_in_json() -> None:
    plain = Estimate(math.nan, 0.0, math.inf, 0.95, "share", 0, "never met").to_dict()
    assert (plain["value"], plain["low"], plain["high"]) == (None, 0.0, None)
