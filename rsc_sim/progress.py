"""How far a run is, how fast, how long still, and the win shares so far: a bar for people, lines of JSON for machines.

Whoever watches looks again and again, so that intervals are those of a confidence sequence, which allow for that.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from rsc_sim.analysis.intervals import Estimate, sequence_estimate
from rsc_sim.findings import decimals
from rsc_sim.sequential import FIRST_LOOK

if TYPE_CHECKING:
    from rsc_sim import runner

__all__ = [
    "estimates_so_far",
    "json_lines",
    "open_bar",
    "pace_so_far",
    "progress_bar",
    "progress_lines",
    "shares_so_far",
    "steps_bar",
    "time_left",
]


@contextmanager
def open_bar(text: str = "dealing ...") -> Iterator[Callable[[float, float, str], None]]:
    """Show a bar on the error stream while the block runs; yields what is told how much is done, of how much, and the
    text beside it, in which nothing is markup.
    """
    columns = (BarColumn(bar_width=20), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, of, text: bar.update(task, total=of, completed=done, description=text)


@contextmanager
def progress_bar() -> Iterator[Callable[[runner.Progress], None]]:
    """Show a bar on the error stream while the block runs; yields what the runner calls."""
    with open_bar() as update:

        def show(state: runner.Progress) -> None:
            done = state.kept + state.played
            pace = f"{state.games_per_second:,.0f}/s, {time_left(state.seconds_left)} left"
            total = state.expected or state.n_games
            text = f"{done:,} of {'about ' if state.expected else ''}{total:,} games, {pace}"
            update(done, total, f"{text}; {shares_so_far(state)}")

        yield show


@contextmanager
def steps_bar() -> Iterator[Callable[[int, int, str], None] | None]:
    """Show a bar for a study on a terminal, none where the error stream is piped; yields what it tells its steps.

    A step is told as what is done, of how much, and of what.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with open_bar() as update:
        began: dict[str, float] = {}

        def show(done: int, of: int, what: str) -> None:
            start = began.setdefault(what, time.monotonic())
            passed = time.monotonic() - start
            left = f", {time_left(passed * (of - done) / done)} left" if done else ""
            update(done, of, f"{what}: {done:,} of {of:,} parts{left}")

        yield show


def estimates_so_far(state: runner.Progress) -> dict[str, Estimate]:
    """Give the win shares so far, by strategy, with intervals that hold however often one looks.

    Before 2,000 deals they say nothing: 0 to 1.
    """
    if not state.n_blocks:
        return {}
    mean = state.shares / state.n_blocks
    variance = np.maximum(0.0, state.squares / state.n_blocks - mean**2) * state.n_blocks / max(state.n_blocks - 1, 1)
    return {
        spec: sequence_estimate(float(mean[i]), float(variance[i]), state.n_blocks)
        for i, spec in enumerate(state.strategies)
    }


def shares_so_far(state: runner.Progress) -> str:
    """Word the win shares so far with half the width of their intervals, e.g. `collector 46.1 ± 0.4 %`."""
    told = []
    for spec, estimate in list(estimates_so_far(state).items())[:4]:
        if state.n_blocks < FIRST_LOOK:
            told.append(f"{spec} {estimate.value * 100:.0f} %")
            continue
        digits = decimals(estimate)
        half = (estimate.high - estimate.low) / 2
        told.append(f"{spec} {estimate.value * 100:.{digits}f} ± {half * 100:.{digits}f} %")
    return ", ".join(told)


@contextmanager
def progress_lines(every: float = 1.0) -> Iterator[Callable[[runner.Progress], None]]:
    """Write a JSON object a second on the error stream while the block runs; yields what the runner calls."""
    write = json_lines(every)

    def show(state: runner.Progress) -> None:
        done = state.kept + state.played
        told = {"games": done, "of": state.n_games, "expected": state.expected, **pace_so_far(state)}
        write(told, done >= (state.expected or state.n_games))

    yield show


def pace_so_far(run: runner.Progress, seconds_left: float | None = None) -> dict[str, Any]:
    """Give what lines of runs and of sweeps share; `seconds_left` where there is more to play than this run."""
    left = run.seconds_left if seconds_left is None else seconds_left
    return {
        "games_per_second": round(run.games_per_second),
        "seconds_left": round(left, 1) if math.isfinite(left) else None,
        "win_share": {spec: estimate.to_dict() for spec, estimate in estimates_so_far(run).items()},
    }


def json_lines(every: float) -> Callable[[dict[str, Any], bool], None]:
    """Give what writes a line `{"progress": ...}` on the error stream: at most so often, but the last one always."""
    shown = -math.inf

    def write(told: dict[str, Any], last: bool) -> None:
        nonlocal shown
        if last or time.monotonic() - shown >= every:
            shown = time.monotonic()
            print(json.dumps({"progress": told}), file=sys.stderr, flush=True)

    return write


def time_left(seconds: float) -> str:
    """Word how long something still takes.

    >>> time_left(42), time_left(150), time_left(7380), time_left(math.inf)
    ('42 s', '2 min 30 s', '2 h 03 min', '?')
    """
    if seconds == float("inf"):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
