"""The jackknife over batches, against leaving batches out one at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rsc_sim.analysis.batches import batch_difference, batch_rate, batch_share, jackknife, ratio


def test_jackknife_is_what_leaving_out_one_batch_at_a_time_gives() -> None:
    random_numbers = np.random.default_rng(1)
    copies = random_numbers.integers(1, 30, (7, 3)).astype(float)
    wins = copies * random_numbers.random((7, 3))
    value, variance = jackknife(ratio, wins, copies)
    for k in range(3):
        left = []
        for out in range(7):
            kept = [batch for batch in range(7) if batch != out]
            left.append(wins[kept, k].sum() / copies[kept, k].sum())
        mean = sum(left) / 7
        assert value[k] == pytest.approx(wins[:, k].sum() / copies[:, k].sum())
        assert variance[k] == pytest.approx(6 / 7 * sum((one - mean) ** 2 for one in left))


def test_of_equal_batches_it_is_the_variance_of_their_mean() -> None:
    wins = np.array([3.0, 5.0, 4.0, 8.0])
    _, variance = jackknife(ratio, wins, np.full(4, 10.0))
    assert variance == pytest.approx((wins / 10).var(ddof=1) / 4)


def test_what_hangs_on_one_batch_has_no_spread_and_what_never_came_no_value() -> None:
    wins, copies = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 0.0]])
    value, variance = jackknife(ratio, wins, copies)
    assert value[0] == 0.5
    assert math.isnan(variance[0])
    assert math.isnan(value[1])
    share, never = (batch_share(float(value[i]), float(variance[i]), n) for i, n in ((0, 1), (1, 0)))
    assert (share.value, share.low, share.high) == (0.5, 0.0, 1.0)
    assert math.isnan(never.value)
    assert never.to_dict()["value"] is None


def test_one_batch_alone_has_no_spread() -> None:
    _, variance = jackknife(ratio, np.array([3.0]), np.array([4.0]))
    assert math.isnan(variance)


def test_rates_may_exceed_1_but_not_fall_below_0() -> None:
    rate = batch_rate(1.2, 0.01, 300, unit="a copy")
    assert (rate.low, rate.high, rate.unit) == (
        pytest.approx(1.004, abs=1e-3),
        pytest.approx(1.396, abs=1e-3),
        "a copy",
    )
    assert batch_rate(0.01, 0.01, 300, unit="a copy").low == 0
    assert batch_difference(0.01, 0.01, 300).low == pytest.approx(-0.186, abs=1e-3)
