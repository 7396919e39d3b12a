"""The words of the progress bar."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rsc_sim.progress import progress_lines, shares_so_far, time_left
from rsc_sim.runner import Progress
from rsc_sim.sequential import half_width


def test_shares_so_far_carry_half_an_interval_that_holds_at_every_look() -> None:
    # 5,000 blocks, each a single game that is won or lost: 2,000 won.
    state = Progress(10_000, ("a",), n_blocks=5_000, shares=np.array([2_000.0]), squares=np.array([2_000.0]))
    half = half_width(5_000, (2_000 + 2) / 5_002 - (2_000 / 5_002) ** 2)
    assert shares_so_far(state) == f"a 40.0 ± {half * 100:.1f} %"


def test_nothing_is_claimed_of_few_blocks() -> None:
    state = Progress(10_000, ("a",), n_blocks=1_000, shares=np.array([400.0]), squares=np.array([400.0]))
    assert shares_so_far(state) == "a 40 %"
    assert shares_so_far(Progress(10, ("a",))) == ""


def test_machines_get_lines_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_lines(every=0) as show:
        show(Progress(1_000, ("a",), kept=400, played=100, seconds=2.0))
        show(
            Progress(
                10_000, ("a",), 0, 10_000, 2.0, n_blocks=5_000, shares=np.array([2e3]), squares=np.array([2e3])
            )
        )  # fmt: skip
    first, second = (json.loads(line)["progress"] for line in capsys.readouterr().err.splitlines())
    assert first == {
        **{"games": 500, "of": 1_000, "expected": None},
        **{"games_per_second": 50, "seconds_left": 10, "win_share": {}},
    }
    assert second["win_share"]["a"]["low"] < 0.4 < second["win_share"]["a"]["high"]
    assert second["win_share"]["a"]["method"] == "confidence sequence"


@pytest.mark.parametrize(
    ("seconds", "text"), [(float("inf"), "?"), (4.4, "4 s"), (65, "1 min 05 s"), (3_660, "1 h 01 min")]
)
def test_time_left(seconds: float, text: str) -> None:
    assert time_left(seconds) == text


def test_pace_counts_only_what_was_played_now() -> None:
    state = Progress(1_000, ("a",), kept=400, played=100, seconds=2.0)
    assert (state.games_per_second, state.seconds_left) == (50, 10)
