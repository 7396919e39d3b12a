"""The words of the progress bar."""

from __future__ import annotations

import numpy as np
import pytest

from rsc_sim.analysis.intervals import critical_value, wilson
from rsc_sim.progress import _left, shares_so_far
from rsc_sim.runner import Progress


def test_shares_so_far_carry_half_their_interval() -> None:
    # 1,000 blocks, each a single game that is won or lost: 400 won.
    state = Progress(10_000, ("a",), n_blocks=1_000, shares=np.array([400.0]), squares=np.array([400.0]))
    low, high = wilson(0.4, 999, critical_value(0.95, 1_000))
    assert shares_so_far(state) == f"a 40.0 ± {(high - low) * 50:.1f} %"


def test_nothing_is_claimed_of_a_single_block() -> None:
    state = Progress(10, ("a",), n_blocks=1, shares=np.array([1.0]), squares=np.array([1.0]))
    assert shares_so_far(state) == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(float("inf"), "?"), (4.4, "4 s"), (65, "1 min 05 s"), (3_660, "1 h 01 min")]
)
def test_time_left(seconds: float, text: str) -> None:
    assert _left(seconds) == text


def test_pace_counts_only_what_was_played_now() -> None:
    state = Progress(1_000, ("a",), kept=400, played=100, seconds=2.0)
    assert (state.games_per_second, state.seconds_left) == (50, 10)
