"""At which setting a figure has a wished value: exact cases, and how often the interval holds the truth."""

from __future__ import annotations

import numpy as np
import pytest

from rsc_sim.analysis.target import find_crossing, monotone

X = [400.0, 600.0, 800.0, 1_000.0, 1_200.0]


@pytest.mark.parametrize(
    ("y", "weights", "fitted"),
    [
        ([1, 2, 3], [1, 1, 1], [1, 2, 3]),
        ([1, 3, 2, 4], [1, 1, 1, 1], [1, 2.5, 2.5, 4]),
        ([3, 2, 1], [1, 1, 1], [2, 2, 2]),
        ([1, 3, 2], [1, 1, 3], [1, 2.25, 2.25]),
        ([4, 5, 3, 2, 6], [1, 1, 1, 1, 1], [3.5, 3.5, 3.5, 3.5, 6]),
    ],
)
def test_adjacent_violators_are_pooled(y: list[float], weights: list[float], fitted: list[float]) -> None:
    assert monotone(y, weights, rising=True).tolist() == pytest.approx(fitted)
    assert monotone([-v for v in y], weights, rising=False).tolist() == pytest.approx([-v for v in fitted])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_straight_line_is_read_back_exactly(sign: int) -> None:
    found = find_crossing(X, [sign * x / 100 for x in X], np.eye(5) * 1e-8, sign * 7.25)
    assert found.value == pytest.approx(725, abs=0.5)
    assert found.rising == (sign > 0)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 725 < found.high
    assert found.high - found.low < 0.2
    assert found.reached == 1


def test_the_width_of_the_interval_is_that_of_the_figure_over_its_slope() -> None:
    found = find_crossing(X, [x / 100 for x in X], np.full((5, 5), 0.01), 8.0)  # all points err together, by 0.1
    assert found.low == pytest.approx(800 - 19.6, abs=2)
    assert found.high == pytest.approx(800 + 19.6, abs=2)


@pytest.mark.parametrize(("wanted", "low", "high"), [(3.0, None, None), (30.0, None, None)])
def test_what_is_out_of_reach_is_said(wanted: float, low: float | None, high: float | None) -> None:
    found = find_crossing(X, [x / 100 for x in X], np.eye(5) * 1e-4, wanted)
    assert (found.value, found.low, found.high) == (None, low, high)
    assert found.reached == 0


def test_an_end_that_may_be_beyond_is_open() -> None:
    found = find_crossing(X, [x / 100 for x in X], np.eye(5) * 0.04, 11.99)
    assert found.value is not None
    assert found.low is not None
    assert found.high is None


def test_a_flat_curve_names_its_middle_and_how_unsure_it_is() -> None:
    found = find_crossing(X, [5.0] * 5, np.eye(5) * 1e-4, 5.0)
    assert found.value == pytest.approx(800)
    assert found.low is None or found.low < 500


def test_settings_must_ascend() -> None:
    with pytest.raises(ValueError, match="ascending"):
        find_crossing([2, 1], [1, 2], np.eye(2), 1.5)


def test_the_same_points_give_the_same_answer() -> None:
    args = (X, [x / 100 for x in X], np.eye(5) * 1e-2, 7.0)
    assert find_crossing(*args) == find_crossing(*args)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(4)
    truth = np.sqrt(np.array(X))
    covariance = 0.02 * (0.5 + 0.5 * np.eye(5))
    wanted = np.sqrt(870.0)
    times, held = 40, 0
    for _ in range(times):
        y = rng.multivariate_normal(truth, covariance)
        found = find_crossing(X, y.tolist(), covariance, float(wanted))
        held += (found.low is None or found.low <= 870) and (found.high is None or found.high >= 870)
    assert 0.85 <= held / times <= 0.99
