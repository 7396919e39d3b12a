"""Is it fun? Plays an experiment, counts what it is like to play, and asks how much of it is luck.

`study_feel` plans, has it played, hands sums to analysis and writes the directory of a study. Batches of blocks are the
pieces that are handed out, and what they give is put together in order, so that a study comes out the same on any
number of jobs and on threads or processes. What the figures mean is analysis' matter, how they look `present_feel`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rsc_sim.analysis.feel import Feel, feel_of
from rsc_sim.analysis.luck import Luck, Skill, luck_of, skill_of, squares_of
from rsc_sim.analysis.shares import ReadDealt, win_share_by_read_dealt
from rsc_sim.errors import InputError
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.frames import games_frame, games_schema
from rsc_sim.jobs import Blocks, Table, Task, backend_for, done
from rsc_sim.plan import plan_batches
from rsc_sim.runner import available_jobs
from rsc_sim.study import OnProgress, stoppable, write_study

__all__ = ["FORMAT", "MOST_GAMES", "WHAT", "FeelStudy", "study_feel"]

WHAT = "the feel of a game"
"""What is studied, in messages."""
FORMAT = 2
"""Version of `feel.json`."""
MOST_GAMES = 100_000
"""Games that are watched at most: by then every figure is known to a part in a hundred or better."""
MOST_DEALS_ANEW = 10_000
"""Blocks that are played with chance dealt anew at most; each of their games is played once for every way to mix."""

_GROUPS = {"deal": ("hands", "pile")}
"""Sources that are changed together too."""


@dataclass(frozen=True)
class FeelStudy:
    """What a study found."""

    experiment: ResolvedExperiment
    n_blocks: int
    """Deals that were watched: the experiment's, or the first of them."""
    feel: Feel
    read_dealt: ReadDealt
    """What being dealt Read does, over all strategies."""
    luck: Luck | None
    """None where that was not asked for."""
    luck_blocks: int
    skill: Skill | None
    """None where one strategy sits at the table."""

    def to_dict(self) -> dict[str, Any]:
        """Give what `feel.json` holds (docs/contracts.md)."""
        return {
            "format": FORMAT,
            "experiment": self.experiment.to_dict(),
            "experiment_digest": self.experiment.digest,
            "n_blocks": self.n_blocks,
            **self.feel.to_dict(),
            "read_dealt": self.read_dealt.to_dict(),
            "luck": self.luck.to_dict() if self.luck else None,
            "luck_blocks": self.luck_blocks,
            "skill": self.skill.to_dict() if self.skill else None,
        }

    def write(self, folder: Path) -> None:
        """Write `feel.json`."""
        write_study(folder / "feel.json", self.to_dict())


def study_feel(
    experiment: ResolvedExperiment,
    *,
    seconds_per_turn: float | None = None,
    luck: bool = True,
    jobs: int | None = None,
    backend: str = "auto",
    on_progress: OnProgress | None = None,
) -> FeelStudy:
    """Play and work out what an experiment's game is like to play.

    `seconds_per_turn`, for minutes, is the experiment's unless told. Without `luck` no game is played with chance dealt
    anew. Neither `jobs` nor `backend` change what comes out. Raises `InputError` for an experiment with an
    intervention, `Interrupted`, `StrategyError` and `EnvironmentFailure`.
    """
    if experiment.intervention is not None:
        raise InputError(
            "intervention: this experiment forces a card; what a game is like is asked of games left alone"
        )
    if seconds_per_turn is None:
        seconds_per_turn = experiment.limits.seconds_per_turn
    if not 0 < seconds_per_turn <= 3_600:
        raise InputError(f"seconds_per_turn: expected seconds above 0 and up to 3600, came {seconds_per_turn:g}")
    from rsc_sim.engine.feel import SOURCES

    jobs = jobs or available_jobs()
    chosen = backend_for(experiment, backend)
    table = Table.of(experiment)
    n_blocks = max(1, min(experiment.n_blocks, MOST_GAMES // experiment.rotations))
    watching = [_Watch(table, first, n) for first, n in plan_batches(n_blocks)]
    watched = _in_order(experiment, watching, "games watched", jobs, chosen, on_progress)
    games = _frame(experiment, [part[0] for part in watched], [part[1] for part in watched])
    widths = np.stack([part[2] for part in watched]).astype(np.float64)
    found: Luck | None = None
    luck_blocks = min(n_blocks, MOST_DEALS_ANEW) if luck else 0
    if luck:
        masks = [1 << k for k in range(len(SOURCES))]
        masks += [sum(1 << SOURCES.index(name) for name in names) for names in _GROUPS.values()]
        ways = (0, (1 << len(SOURCES)) - 1, *masks)
        dealing = [_DealAnew(table, first, n, ways) for first, n in plan_batches(luck_blocks)]
        squares = np.concatenate(
            _in_order(experiment, dealing, "deals played with luck changed", jobs, chosen, on_progress)
        )
        found = luck_of(squares, SOURCES, groups=tuple(_GROUPS))
    return FeelStudy(
        experiment=experiment,
        n_blocks=n_blocks,
        feel=feel_of(games.lazy(), widths, seconds_per_turn=seconds_per_turn),
        read_dealt=win_share_by_read_dealt(games.lazy())[0],
        luck=found,
        luck_blocks=luck_blocks,
        skill=skill_of(games.lazy(), found.variance.value if found else float("nan")),
    )


def _frame(
    experiment: ResolvedExperiment, rows: Sequence[npt.NDArray[np.void]], feel: Sequence[npt.NDArray[np.void]]
) -> pl.DataFrame:
    """Put the columns of a run's games and those of what was counted side by side."""
    specs = [strategy.spec for strategy in experiment.strategies]
    games = games_frame(rows, games_schema(experiment.seats, specs))
    counted = np.concatenate(feel)
    return games.with_columns(pl.Series(name, counted[name]) for name in counted.dtype.names or ())


def _in_order(  # noqa: PLR0917
    experiment: ResolvedExperiment,
    tasks: Sequence[Task],
    what: str,
    jobs: int,
    backend: str,
    on_progress: OnProgress | None,
) -> list[Any]:
    """Have tasks done and give their results in order."""
    results: list[Any] = [None] * len(tasks)
    with stoppable(WHAT, experiment) as stop, closing(done(tasks, jobs, stop, backend=backend)) as coming:
        for n_done, (number, result) in enumerate(coming, 1):
            results[number] = result
            if on_progress:
                on_progress(n_done, len(tasks), what)
    return results


@dataclass(frozen=True)
class _Watch(Blocks):
    """The task of watching the games of some blocks."""

    def __call__(self, cancel: bytearray | None) -> tuple[npt.NDArray[np.void], npt.NDArray[np.void], Any]:
        from rsc_sim.engine.feel import play_feel

        result: tuple[npt.NDArray[np.void], npt.NDArray[np.void], Any] = self.ask(play_feel, cancel)
        return result


@dataclass(frozen=True)
class _DealAnew(Blocks):
    """The task of playing some blocks with luck mixed from two keys in several ways; gives sums of squares."""

    ways: tuple[int, ...]

    def __call__(self, cancel: bytearray | None) -> npt.NDArray[np.float64]:
        from rsc_sim.engine.feel import play_luck

        won = self.ask(play_luck, cancel, ways=self.ways)
        return squares_of(won[:, :, 0], won[:, :, 1], [won[:, :, way] for way in range(2, len(self.ways))])
