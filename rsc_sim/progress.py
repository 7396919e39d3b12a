"""The progress bar of a run on a terminal: how far, how fast, how long still, and the win shares so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from rsc_sim.analysis.intervals import share_estimate
from rsc_sim.findings import decimals

if TYPE_CHECKING:
    from rsc_sim import runner

__all__ = ["progress_bar", "shares_so_far"]


@contextmanager
def progress_bar() -> Iterator[Callable[[runner.Progress], None]]:
    """Show a bar on the error stream while the block runs; yields what the runner calls."""
    columns = (BarColumn(bar_width=20), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("dealing ...", total=None)

        def show(state: runner.Progress) -> None:
            done = state.kept + state.played
            pace = f"{state.games_per_second:,.0f}/s, {_left(state.seconds_left)} left"
            text = f"{done:,} of {state.n_games:,} games, {pace}"
            bar.update(task, total=state.n_games, completed=done, description=f"{text}; {shares_so_far(state)}")

        yield show


def shares_so_far(state: runner.Progress) -> str:
    """Word the win shares so far with half the width of their intervals, e.g. `collector 46.1 ± 0.4 %`."""
    if state.n_blocks < 2:
        return ""
    told = []
    for i, spec in enumerate(state.strategies[:4]):
        mean = float(state.shares[i]) / state.n_blocks
        variance = max(0.0, (float(state.squares[i]) - state.n_blocks * mean**2) / (state.n_blocks - 1))
        estimate = share_estimate(mean, variance, state.n_blocks)
        digits = decimals(estimate)
        half = (estimate.high - estimate.low) / 2
        told.append(f"{spec} {estimate.value * 100:.{digits}f} ± {half * 100:.{digits}f} %")
    return ", ".join(told)


def _left(seconds: float) -> str:
    if seconds == float("inf"):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
