"""The errors that rsc-sim raises on purpose.

Every one derives from `RscError` and carries the exit code that the command line ends with. A message says what was
expected, what came, where, and what to do; `nearest` words the "did you mean" part of it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "EnvironmentFailure",
    "InputError",
    "Interrupted",
    "ProcessesLost",
    "RscError",
    "StrategyError",
    "nearest",
]


class RscError(Exception):
    """Stand for any failure that rsc-sim explains in its own words."""

    exit_code = 2


class InputError(RscError, ValueError):
    """Reject a file, a flag or an argument that cannot be used as it is."""

    exit_code = 2


class StrategyError(RscError):
    """Report a strategy that failed or answered nonsense while playing."""

    exit_code = 4
    did = ""
    """What it did, without who and where, as in `returned 7 for a decision with 4 moves`."""


class EnvironmentFailure(RscError):
    """Report that the machine, not the input, stood in the way: disk, memory, workers, a build that does not fit."""

    exit_code = 5


class ProcessesLost(EnvironmentFailure):
    """Report that those who play, processes or machines, are lost or cannot play; what was played by then is good."""


class Interrupted(RscError):
    """Report that a run was stopped from outside; its message says how to go on."""

    exit_code = 130


def nearest(name: str, known: Iterable[str]) -> str:
    """Word a hint for a mistyped name: ` (did you mean mug?)`, or the empty string where nothing is near."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""
