"""The confidence sequence against its published form, its error rate, and the gate's verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rsc_sim.sequential import ALPHA, FIRST_LOOK, Gate, Sums, gate, half_width, interval, looks, overall


def test_looks_grow_by_a_tenth_and_end_with_the_most() -> None:
    assert list(looks(2_700)) == [2_000, 2_200, 2_420, 2_662, 2_700]
    assert list(looks(500)) == [500]
    assert list(looks(2_000)) == [2_000]


def test_half_width_is_the_published_formula() -> None:
    n, alpha = 20_000, 0.05
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / 20_000
    expected = 0.3 * math.sqrt(2 * (n * rho2 + 1) / (n * n * rho2) * math.log(math.sqrt(n * rho2 + 1) / alpha))
    assert half_width(n, 0.09) == pytest.approx(expected)
    # About 1.6 times a fixed-size interval where it is tightest: the price of looking at any time.
    assert 1.4 < half_width(n, 0.09) / (1.96 * 0.3 / math.sqrt(n)) < 1.7


def test_nothing_is_known_before_the_first_look() -> None:
    assert np.isinf(half_width(FIRST_LOOK - 1, [1.0, 2.0])).all()


def test_sums_are_the_same_to_the_last_bit_however_blocks_are_cut() -> None:
    blocks = np.random.default_rng(1).normal(size=(5_000, 3))
    whole = Sums.empty(3).add(blocks)
    cut = Sums.empty(3)
    for start, end in [(0, 7), (7, 4_096), (4_096, 5_000)]:
        cut = cut.add(blocks[start:end])
    assert cut.n == whole.n == 5_000
    assert (cut.total == whole.total).all()
    assert (cut.squares == whole.squares).all()
    assert whole.mean == pytest.approx(blocks.mean(axis=0))
    assert whole.variance() == pytest.approx(blocks.var(axis=0), rel=1e-3)


def test_differences_that_are_all_0_do_not_decide_at_once() -> None:
    sums = Sums.empty(1).add(np.zeros((2_000, 1)))
    low, high = interval(sums, bound=1.0)
    assert low < -0.001 < 0.001 < high
    assert gate(sums, [0.001], bound=1.0) == ("undecided",)
    assert gate(sums, [0.01], bound=1.0) == ("unchanged",)


def test_the_sequence_holds_the_truth_at_all_looks_at_once() -> None:
    rng = np.random.default_rng(7)
    missed = 0
    n_runs, most = 400, 20_000
    for _ in range(n_runs):
        values = rng.integers(0, 2, size=most).astype(np.float64)
        total, squares = np.cumsum(values), np.cumsum(values * values)
        for n in looks(most):
            low, high = interval(Sums(n, total[n - 1 : n], squares[n - 1 : n]), bound=1.0)
            if not low[0] <= 0.5 <= high[0]:
                missed += 1
                break
    assert missed / n_runs <= 0.05


@pytest.mark.parametrize(
    ("shift", "verdict"), [(0.0, "unchanged"), (0.03, "changed"), (-0.03, "changed"), (0.01, "undecided")]
)
def test_gate_gives_three_verdicts(shift: float, verdict: str) -> None:
    differences = np.random.default_rng(3).normal(shift, 0.2, size=(20_000, 1))
    assert gate(Sums.empty(1).add(differences), [0.01], bound=1.0) == (verdict,)


def test_changed_allows_for_the_number_of_figures_and_unchanged_does_not() -> None:
    n, variance = 20_000, 0.04
    half, stricter = half_width(n + 2, variance), half_width(n + 2, variance, alpha=ALPHA / 10)
    mean = float(half + stricter) / 2

    def figures(m: int) -> Sums:
        return Sums(n, np.full(m, n * mean), np.full(m, n * (variance + mean**2)))

    assert gate(figures(1), [0.0], bound=0.0) == ("changed",)
    assert gate(figures(10), [0.0] * 10, bound=0.0) == ("undecided",) * 10
    margin = mean + 1.001 * float(half)
    assert gate(figures(10), [margin] * 10, bound=0.0) == ("unchanged",) * 10


def test_overall_is_changed_if_any_and_unchanged_only_if_all() -> None:
    assert overall(["unchanged", "changed", "undecided"]) == "changed"
    assert overall(["unchanged", "unchanged"]) == "unchanged"
    assert overall(["unchanged", "undecided"]) == "undecided"


def test_a_gate_looks_at_fixed_blocks_however_it_is_fed() -> None:
    differences = np.random.default_rng(5).normal(0.004, 0.2, size=(30_000, 2))
    whole = Gate([0.01, 0.01], bound=[1.0, 1.0], most=30_000)
    whole.add(differences)
    fed = Gate([0.01, 0.01], bound=[1.0, 1.0], most=30_000)
    for start in range(0, 30_000, 777):
        if fed.add(differences[start : start + 777]):
            break
    assert [look.n for look in whole.trail] == [look.n for look in fed.trail]
    assert whole.verdicts == fed.verdicts
    assert (whole.sums.total == fed.sums.total).all()
    assert whole.done


def test_a_gate_stops_once_all_is_decided_or_lingers_after_a_change() -> None:
    rng = np.random.default_rng(11)
    same = Gate([0.02], bound=[1.0], most=100_000)
    assert same.add(rng.normal(0.0, 0.2, size=(100_000, 1)))
    assert same.verdict == "unchanged"
    assert same.sums.n < 20_000
    # One figure has plainly changed; the other lies at its margin and would stay undecided for ever.
    changed = Gate([0.02, 0.01], bound=[1.0, 1.0], most=100_000)
    changed.add(np.column_stack([rng.normal(0.2, 0.2, size=100_000), rng.normal(0.01, 0.5, size=100_000)]))
    assert changed.verdicts == ("changed", "undecided")
    assert changed.sums.n == Gate.LINGER * FIRST_LOOK


def test_a_gate_gives_up_at_the_most_blocks() -> None:
    gate = Gate([0.001], bound=[1.0], most=2_500)
    assert gate.add(np.random.default_rng(1).normal(0.0, 0.3, size=(5_000, 1)))
    assert (gate.verdict, gate.sums.n) == ("undecided", 2_500)
