"""Plays a resolved experiment: hands pieces to jobs, puts what comes back together, and stops cleanly.

Pieces come back from `jobs` in any order; when all of a part is there its leaves are digested and it goes to the run
directory, or stays in memory. Memory is bounded whatever the size of the run. What the games mean is left to analysis,
and is asked from here only through `summarise`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rsc_sim.errors import InputError, Interrupted, RscError, StrategyError
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.jobs import Rows, Stop, played
from rsc_sim.plan import LEAF_BLOCKS, Part, plan_parts, plan_pieces
from rsc_sim.run import Run
from rsc_sim.store import RunStore, outcome_digest, prefix_digests, resume_command

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Progress", "available_jobs", "play"]

_PROGRESS_SECONDS = 0.1


@dataclass
class Progress:
    """Tell how far a run is, with the sums over blocks from which shares and their intervals follow."""

    n_games: int
    """Games that the run will have."""
    strategies: tuple[str, ...]
    kept: int = 0
    """Games that were there already when the run was resumed."""
    played: int = 0
    seconds: float = 0.0
    n_blocks: int = 0
    """Blocks in the sums below: those played now."""
    shares: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """By strategy, the sum over blocks of its win share a seat."""
    squares: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """By strategy, the sum over blocks of the square of the same."""

    @property
    def games_per_second(self) -> float:
        """Games played a second, without those that were kept."""
        return self.played / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float:
        """Time that the rest will take at the pace so far."""
        rest = self.n_games - self.kept - self.played
        return rest / self.games_per_second if self.played else float("inf")


def available_jobs() -> int:
    """Count the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play(
    experiment: ResolvedExperiment,
    *,
    jobs: int | None = None,
    out: Path | None = None,
    resume: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    summarise: Callable[[Run], dict[str, Any]] | None = None,
    leaves_per_part: int | None = None,
    piece_blocks: int | None = None,
) -> Run:
    """Play every game of an experiment and return the run.

    With `out` the run goes to that directory as it is played, and `resume` goes on with what is there; without it the
    run is held in memory, some 100 bytes a game. `summarise` makes what goes to `summary.json`. Neither `jobs` nor
    the two arguments for tests, `leaves_per_part` and `piece_blocks`, change what comes out.

    Raises `Interrupted` on Ctrl-C and SIGTERM, `StrategyError`, and `EnvironmentFailure`; what was played by then is
    kept in the directory, and the message says how to go on.
    """
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs: expected 1 or more, came {jobs}")
    jobs = jobs or available_jobs()
    if out is None:
        parts = plan_parts(experiment.n_blocks, rotations=experiment.rotations, leaves_per_part=leaves_per_part)
        collected = _Memory()
        start = time.monotonic()
        _play_parts(experiment, parts, collected, jobs=jobs, on_progress=on_progress, piece_blocks=piece_blocks, kept=0)
        leaves = collected.leaves()
        facts = _facts(jobs, start, experiment.n_games)
        digests = {"outcome_digest": outcome_digest(leaves), "prefix_digests": prefix_digests(leaves)}
        manifest = {**_manifest(experiment, parts), **facts, "state": "complete", **digests}
        return Run(manifest, games=collected.frame())
    with _open_store(experiment, out, resume, leaves_per_part) as store:
        if store.manifest["state"] == "complete":
            return Run(store.manifest, path=out)
        n_parts = store.manifest["plan"]["parts"]
        parts = plan_parts(experiment.n_blocks, rotations=experiment.rotations, n_parts=n_parts)
        missing = [part for part in parts if part.number not in store.done]
        kept = sum(record.n_games for record in store.done.values())
        start = time.monotonic()
        _play_parts(
            experiment, missing, store, jobs=jobs, on_progress=on_progress, piece_blocks=piece_blocks, kept=kept
        )
        facts = _facts(jobs, start, experiment.n_games - kept)
        if summarise is not None:
            store.write_json("summary.json", summarise(Run({**store.manifest, **facts}, path=out)))
        store.finish(**facts)
        return Run(store.manifest, path=out)


def _open_store(experiment: ResolvedExperiment, out: Path, resume: bool, leaves_per_part: int | None) -> RunStore:
    if not resume:
        parts = plan_parts(experiment.n_blocks, rotations=experiment.rotations, leaves_per_part=leaves_per_part)
        return RunStore.create(out, _manifest(experiment, parts))
    store = RunStore.reopen(out)
    try:
        there = Run(store.manifest, path=out).experiment
        differences = there.differences(experiment)
        made_by, here = store.manifest["versions"]["rsc_sim"], _versions()["rsc_sim"]
        if made_by != here:
            differences.append(f"rsc-sim: {made_by} there, {here} now")
        if differences:
            raise InputError(
                f"{out}: cannot go on with that run, it is another one:\n     " + "\n     ".join(differences)
            )
    except BaseException:
        store.close()
        raise
    return store


class _Memory:
    """Keep parts in memory; the counterpart of a `RunStore`."""

    path: Path | None = None

    def __init__(self) -> None:
        self._parts: dict[int, tuple[pl.DataFrame, list[str]]] = {}

    def write_part(self, part: Part, frame: pl.DataFrame, leaves: list[str]) -> None:
        self._parts[part.number] = (frame, leaves)

    def leaves(self) -> list[str]:
        return [leaf for index in sorted(self._parts) for leaf in self._parts[index][1]]

    def frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.concat([self._parts[index][0] for index in sorted(self._parts)], rechunk=False)


def _play_parts(
    experiment: ResolvedExperiment,
    parts: list[Part],
    sink: RunStore | _Memory,
    *,
    jobs: int,
    on_progress: Callable[[Progress], None] | None,
    piece_blocks: int | None,
    kept: int,
) -> None:
    """Play the given parts and put each into the sink as soon as it is whole."""
    from rsc_sim.engine import Cancelled
    from rsc_sim.frames import games_frame, games_schema

    specs = tuple(strategy.spec for strategy in experiment.strategies)
    schema = games_schema(experiment.seats, specs, intervention=experiment.intervention is not None)
    progress = Progress(n_games=experiment.n_games, strategies=specs, kept=kept)
    tally = _Tally(experiment, progress) if on_progress else None
    pieces = plan_pieces(parts, n_blocks=sum(part.n_blocks for part in parts), jobs=jobs, piece_blocks=piece_blocks)
    pending: dict[int, dict[int, Rows]] = {}
    start = shown = time.monotonic()
    with Stop() as stop, ExitStack() as stack:
        try:
            for part, first_block, rows in stack.enter_context(closing(played(experiment, pieces, jobs, stop))):
                there = pending.setdefault(part.number, {})
                there[first_block] = rows
                progress.played += len(rows)
                if sum(map(len, there.values())) == part.n_blocks * experiment.rotations:
                    pieces_in_order = [there[block] for block in sorted(there)]
                    del pending[part.number], there
                    whole = _joined(pieces_in_order)
                    del pieces_in_order
                    sink.write_part(part, games_frame(whole, schema), _leaf_digests(whole, experiment.rotations))
                    del whole
                if tally is not None and on_progress is not None:
                    tally.add(rows)
                    now = time.monotonic()
                    if now - shown >= _PROGRESS_SECONDS or progress.kept + progress.played == progress.n_games:
                        shown = now
                        progress.seconds = now - start
                        on_progress(progress)
        except StrategyError as error:
            raise _named(error, experiment, sink.path) from None
        except (Cancelled, KeyboardInterrupt):
            raise _interrupted(stop.signal, kept + progress.played, experiment.n_games, sink.path) from None


class _Tally:
    """Add up win shares by strategy, block by block, while the run goes on."""

    def __init__(self, experiment: ResolvedExperiment, progress: Progress) -> None:
        self._rotations, self._seats = experiment.rotations, experiment.seats
        self._seats_of = np.bincount(experiment.strategy_ids).astype(np.float64)
        self._progress = progress
        progress.shares, progress.squares = np.zeros((2, len(self._seats_of)))

    def add(self, rows: Rows) -> None:
        n_blocks, n = len(rows) // self._rotations, len(self._seats_of)
        block = np.repeat(np.arange(n_blocks), self._rotations) * n
        won = np.zeros(n_blocks * n)
        for seat in range(self._seats):
            won += np.bincount(block + rows[f"strategy_{seat}"], weights=rows[f"won_{seat}"], minlength=n_blocks * n)
        share = won.reshape(n_blocks, n) / (self._seats_of * self._rotations)
        self._progress.n_blocks += n_blocks
        self._progress.shares += share.sum(axis=0)
        self._progress.squares += (share**2).sum(axis=0)


def _joined(pieces: list[Rows]) -> Rows:
    """Put pieces one behind the other, padding included: joined as records, NumPy would lay the rows out anew."""
    return pieces[0] if len(pieces) == 1 else np.concatenate([p.view(np.uint8) for p in pieces]).view(pieces[0].dtype)


def _leaf_digests(rows: Rows, rotations: int) -> list[str]:
    size = LEAF_BLOCKS * rotations
    return [hashlib.sha256(rows[i : i + size].tobytes()).hexdigest() for i in range(0, len(rows), size)]


def _named(error: StrategyError, experiment: ResolvedExperiment, path: Path | None) -> StrategyError:
    """Say which strategy failed, and how to see it; the engine knows games and seats only."""
    game, seat = getattr(error, "game", None), getattr(error, "seat", None)
    message = str(error)
    if game is not None and seat is not None:
        spec = experiment.lineup[(seat + game % experiment.rotations) % experiment.seats]
        message = f"strategy {spec!r} {message}"
    if game is not None and path is not None:
        message += f"\n     see it happen: rsc replay {path} --game {game}"
    named = StrategyError(message)
    named.__dict__.update(error.__dict__)
    return named


def _interrupted(number: signal.Signals, played: int, n_games: int, path: Path | None) -> RscError:
    what = "terminated" if number == signal.SIGTERM else "interrupted"
    message = f"{what} after {played:,} of {n_games:,} games"
    message += f"; go on with: {resume_command(path)}" if path else "; a run in memory keeps nothing"
    error = Interrupted(message)
    error.exit_code = 128 + number
    return error


def _versions() -> dict[str, str]:
    import polars as pl

    from rsc_sim import __version__

    return {
        "rsc_sim": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "polars": pl.__version__,
    }


def _manifest(experiment: ResolvedExperiment, parts: list[Part]) -> dict[str, Any]:
    return {
        "experiment": experiment.to_dict(),
        "experiment_digest": experiment.digest,
        "seats": experiment.seats,
        "rotations": experiment.rotations,
        "n_games": experiment.n_games,
        "plan": {"leaf_blocks": LEAF_BLOCKS, "parts": len(parts)},
        "versions": _versions(),
        "started": _now(),
    }


def _facts(jobs: int, start: float, n_played: int) -> dict[str, Any]:
    seconds = time.monotonic() - start
    return {
        "finished": _now(),
        "jobs": jobs,
        "seconds": round(seconds, 3),
        "games_per_second": round(n_played / seconds) if seconds > 0 else 0,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
