"""How far a sweep is: which point, how far over all points, how fast, how long still; a bar for people, lines of JSON
for machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rsc_sim.progress import json_lines, open_bar, pace_so_far, time_left

if TYPE_CHECKING:
    from rsc_sim.sweep import SweepProgress

_LABEL = 24

__all__ = ["sweep_progress_bar", "sweep_progress_lines"]


@contextmanager
def sweep_progress_bar() -> Iterator[Callable[[SweepProgress], None]]:
    """Show a bar on the error stream while the block runs; yields what the sweep calls."""
    with open_bar() as update:
        yield lambda state: update(state.done, state.n_games, progress_line(state))


def progress_line(state: SweepProgress) -> str:
    """Word how far a sweep is."""
    # The bar and this fit into 80 columns; a longer label is cut.
    label = state.label if len(state.label) <= _LABEL else f"{state.label[: _LABEL - 1]}…"
    pace = f"{state.games_per_second:,.0f}/s, {time_left(state.seconds_left)} left"
    return f"{state.point + 1}/{state.n_points} {label}: {pace}"


@contextmanager
def sweep_progress_lines(every: float = 1.0) -> Iterator[Callable[[SweepProgress], None]]:
    """Write a JSON object a second on the error stream while the block runs; yields what the sweep calls."""
    write = json_lines(every)

    def show(state: SweepProgress) -> None:
        run = state.run
        point_done = run.kept + run.played
        told = {
            "point": state.point,
            "points": state.n_points,
            "label": state.label,
            "point_games": point_done,
            "point_of": run.n_games,
            "point_expected": run.expected,
            "games": state.done,
            "of": state.n_games,
            **pace_so_far(run, state.seconds_left),
        }
        write(told, point_done >= (run.expected or run.n_games))

    yield show
