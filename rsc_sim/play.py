"""Plays an experiment from beginning to end: resolves it, runs it, sums it up.

The one call behind `rsc run` and behind a notebook's `simulate`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

from rsc_sim.errors import InputError
from rsc_sim.experiment import MAX_GAMES, MAX_SEED, ResolvedExperiment
from rsc_sim.recorded import TABLES, Recorded
from rsc_sim.run import Run

if TYPE_CHECKING:
    from rsc_sim.ruleset import Ruleset
    from rsc_sim.runner import Progress
    from rsc_sim.summary import Summary

__all__ = ["run_experiment", "simulate"]


def simulate(
    rules: Ruleset | Mapping[str, Any] | str | Path,
    lineup: Sequence[Any],
    *,
    games: int = 100_000,
    seed: int = 1,
    jobs: int | None = None,
    backend: str = "auto",
    out: str | Path | None = None,
    record: Sequence[Recorded] = TABLES,
) -> Run:
    """Play a lineup of strategies by some rules and return the run.

    `rules` is a `Ruleset`, `"booklet"`, a ruleset file or plain data; `lineup` holds a spec or a strategy for each
    seat, and each distinct rotation of it is played; `games` is rounded up to whole blocks. `jobs` is the number of
    threads, by default one a processor, or of processes with `backend="loky"`. With `out` the run is written to that
    directory, else it is held in memory (some 100 bytes a game). `record` says what is kept of the games: `games`, one
    by one, tallies of `cards`, tallies of escape `windows`. Raises `InputError` where any of it does not fit.

    >>> run = simulate("booklet", ["collector", "random"], games=100)
    >>> run.games.select("turns", "won_0").collect().height
    100
    """
    from rsc_sim.ruleset import Ruleset

    games, seed = _whole("games", games), _whole("seed", seed)
    jobs = None if jobs is None else _whole("jobs", jobs)
    if not 1 <= games <= MAX_GAMES:
        raise InputError(f"games: expected 1 to {MAX_GAMES:,}, came {games}")
    if not 0 <= seed <= MAX_SEED:
        raise InputError(f"seed: expected 0 to {MAX_SEED}, came {seed}")
    if isinstance(lineup, str):
        raise InputError(f"lineup: expected a list with a strategy for each seat, came {lineup!r}")
    odd = [record] if isinstance(record, str) else [name for name in record if name not in TABLES]
    if odd:
        raise InputError(f"record: expected a list of {', '.join(TABLES)}, came {odd[0]!r}")
    if isinstance(rules, Mapping):
        rules = Ruleset.from_dict(rules)
    elif not isinstance(rules, Ruleset):
        rules = Ruleset.booklet() if str(rules) == "booklet" else Ruleset.load(Path(rules))
    experiment = ResolvedExperiment.of(rules, lineup, games=games, seed=seed, record=record)
    if out is None:
        from rsc_sim.runner import play

        return play(experiment, jobs=jobs, backend=backend)
    return run_experiment(experiment, jobs=jobs, backend=backend, out=Path(out))[0]


def _whole(name: str, value: object) -> int:
    """Take a whole number of any kind, NumPy's too; raise `InputError` for anything else, True and 1.0 included."""
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        return operator.index(value)
    raise InputError(f"{name}: expected a whole number, came {value!r}")


def run_experiment(
    experiment: ResolvedExperiment,
    *,
    jobs: int | None = None,
    backend: str = "auto",
    out: Path | None = None,
    resume: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    leaves_per_part: int | None = None,
) -> tuple[Run, Summary | None]:
    """Play a resolved experiment and sum it up; with `out`, leave a whole run directory with its `summary.json`.

    There is no summary where the experiment does not record games.
    """
    from rsc_sim.analysis import keep_figures
    from rsc_sim.runner import play
    from rsc_sim.summary import summarise, tallied_figures

    found: list[Summary] = []

    def sum_up(run: Run) -> dict[str, Any]:
        if "games" not in run.recorded:
            return tallied_figures(run)
        found.append(summarise(run))
        return found[0].to_dict()

    run = play(
        experiment,
        jobs=jobs,
        backend=backend,
        out=out,
        resume=resume,
        on_progress=on_progress,
        summarise=sum_up,
        leaves_per_part=leaves_per_part,
    )
    if "games" not in run.recorded:
        return run, None
    # A run in memory, and one that was complete already, did not ask.
    summary = found[0] if found else summarise(run)
    keep_figures(run, summary.figures)
    return run, summary
