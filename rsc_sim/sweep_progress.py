"""The progress bar of a sweep on a terminal: which point, how far over all points, how fast, how long still."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rsc_sim.progress import open_bar

if TYPE_CHECKING:
    from rsc_sim.sweep import SweepProgress

_LABEL = 24

__all__ = ["sweep_progress_bar"]


@contextmanager
def sweep_progress_bar() -> Iterator[Callable[[SweepProgress], None]]:
    """Show a bar on the error stream while the block runs; yields what the sweep calls."""
    with open_bar() as update:
        yield lambda state: update(state.done, state.n_games, progress_line(state))


def progress_line(state: SweepProgress) -> str:
    """Word how far a sweep is."""
    left = state.seconds_left
    time = "?" if left == float("inf") else f"{round(left) // 60} min {round(left) % 60:02} s"
    # The bar and this fit into 80 columns; a longer label is cut.
    label = state.label if len(state.label) <= _LABEL else f"{state.label[: _LABEL - 1]}…"
    return f"{state.point + 1}/{state.n_points} {label}: {state.games_per_second:,.0f}/s, {time} left"
