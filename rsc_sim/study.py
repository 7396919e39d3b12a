"""What studies of an experiment have in common: an empty folder, one file at the end, and a stop that keeps nothing.

A study (of cards, of the feel of a game) is played in phases and written when it is done. What it asks, and what the
figures mean, is the matter of its own room.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsc_sim.errors import EnvironmentFailure, InputError, StrategyError, name_failure
from rsc_sim.jobs import ProcessesLost, Stop
from rsc_sim.store import write_file

if TYPE_CHECKING:
    from rsc_sim.experiment import ResolvedExperiment

__all__ = ["OnProgress", "check_folder", "stoppable", "write_study"]

OnProgress = Callable[[int, int, str], None]
"""Told what is done, of how much, and of what."""


def check_folder(folder: Path, what: str) -> None:
    """Refuse a folder that holds anything, before games are played for it. Raises `InputError`."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        there = "holds files already" if folder.is_dir() else "is a file"
        raise InputError(f"{folder}: {there}; a study of {what} goes to a new folder")


def write_study(path: Path, data: Mapping[str, Any]) -> None:
    """Write the file of a study as a whole, and its folder where there is none. Raises `ValueError` on nan."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, (json.dumps(data, indent=1, allow_nan=False) + "\n").encode())


@contextmanager
def stoppable(what: str, experiment: ResolvedExperiment) -> Iterator[Stop]:
    """Give what stops a phase of play: one for each, for it is used up when the phase is over.

    A strategy that fails is named. What was asked too late for the phase, when all of it was played, ends the study
    too.
    """
    from rsc_sim.engine import Cancelled

    stop = Stop()
    try:
        with stop:
            yield stop
            if stop.asked:
                raise KeyboardInterrupt
    except (Cancelled, KeyboardInterrupt):
        raise stop.interruption(f"interrupted; of a study of {what} nothing is kept before it is done") from None
    except StrategyError as error:
        raise name_failure(error, experiment.lineup, experiment.rotations) from None
    except ProcessesLost as error:
        raise EnvironmentFailure(f"{error}\n     of a study of {what} nothing is kept before it is done") from None
