"""The errors that rsc-sim raises on purpose.

Every one derives from `RscError` and carries the exit code that the command line ends with. A message says what was
expected, what came, where, and what to do; `nearest` words the "did you mean" part of it.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "EnvironmentFailure",
    "InputError",
    "Interrupted",
    "ProcessesLost",
    "RscError",
    "StrategyError",
    "name_failure",
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
    named = False
    """Whether the message says who it was."""


class EnvironmentFailure(RscError):
    """Report that the machine, not the input, stood in the way: disk, memory, workers, a build that does not fit."""

    exit_code = 5


class ProcessesLost(EnvironmentFailure):
    """Report that those who play, processes or machines, are lost or cannot play; what was played by then is good."""


class Interrupted(RscError):
    """Report that a run was stopped from outside; its message says how to go on."""

    exit_code = 130


def name_failure(
    error: StrategyError, lineup: Sequence[str], rotations: int, see: Callable[[int], str] | None = None
) -> StrategyError:
    """Say which strategy of a lineup failed, and how to see it; the engine knows games and seats only.

    `see` gives the command that shows a game; without it, and where a strategy can be found by its name, that is the
    kit which every strategy must pass.
    """
    game, seat = getattr(error, "game", None), getattr(error, "seat", None)
    if error.named or game is None:
        return error
    spec = None if seat is None else lineup[(seat + game % rotations) % len(lineup)]
    message = str(error) if spec is None else f"strategy {spec!r} {error}"
    if see is not None:
        message += f"\n     see it happen: {see(game)}"
    elif spec is not None and not spec.startswith("__main__:"):
        message += f"\n     look for it: rsc strategies --check {shlex.quote(spec)}"
    told = StrategyError(message)
    told.__dict__.update(error.__dict__)
    told.named = True
    return told


def nearest(name: str, known: Iterable[str]) -> str:
    """Word a hint for a mistyped name: ` (did you mean mug?)`, or the empty string where nothing is near."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""
