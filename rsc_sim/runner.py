"""Plays a resolved experiment: hands pieces to jobs, puts what comes back together, and stops cleanly.

Pieces come back from `jobs` in any order, and the `recorder` puts them together into parts, which go to the run
directory or stay in memory. Memory is bounded whatever the size of the run. What the games mean is left to analysis,
and is asked from here only through `summarise`.
"""

from __future__ import annotations

import os
import platform
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rsc_sim.cluster import connect, is_address
from rsc_sim.errors import InputError, ProcessesLost, RscError, StrategyError, name_failure
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.jobs import Pace, Piece, Rows, Stop, backend_for, played
from rsc_sim.plan import LEAF_BLOCKS, Part, plan_batch, plan_parts, plan_pieces
from rsc_sim.precision import Columns, Follower, columns_of
from rsc_sim.recorded import Recorded
from rsc_sim.recorder import Recorder, unpack
from rsc_sim.run import Run
from rsc_sim.sequential import FIRST_LOOK
from rsc_sim.store import (
    PartRecord,
    RunStore,
    outcome_digest,
    parquet,
    part_path,
    prefix_digests,
    read_manifest,
    resume_command,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Progress", "available_jobs", "play"]

_PROGRESS_SECONDS = 0.1
_MOST_JOBS = 8
"""Jobs that are begun at most on a small machine, elsewhere two a processor: more are no faster, and each of them takes
some 100 MB as a process, and some 10 MB as a thread."""


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
    expected: int | None = None
    """Games after which a run with a precision target will end, by how well shares are known now; None where that
    cannot be told."""
    n_blocks: int = 0
    """Blocks in the sums below: all from the first on, without a gap."""
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
        rest = max(0, (self.expected or self.n_games) - self.kept - self.played)
        return rest / self.games_per_second if self.played else float("inf")


def available_jobs(backend: str = "auto") -> int:
    """Count the processors that this process may use, or the threads of the workers where the backend is a cluster."""
    if is_address(backend):
        return connect(backend).threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play(
    experiment: ResolvedExperiment,
    *,
    jobs: int | None = None,
    backend: str = "auto",
    out: Path | None = None,
    resume: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    summarise: Callable[[Run], dict[str, Any]] | None = None,
    leaves_per_part: int | None = None,
    piece_blocks: int | None = None,
) -> Run:
    """Play every game of an experiment and return the run.

    With `out` the run goes to that directory as it is played, and `resume` goes on with what is there; without it the
    run is held in memory, some 100 bytes a game. `backend` is `threading`, `loky` (processes), `auto`, or the address
    of a Dask scheduler. `summarise` makes what goes to `summary.json`. Neither `jobs` nor `backend` nor the two
    arguments for tests, `leaves_per_part` and `piece_blocks`, change what comes out.

    Raises `Interrupted` on Ctrl-C and SIGTERM, `StrategyError`, and `EnvironmentFailure`; what was played by then is
    kept in the directory, and the message says how to go on.
    """
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs: expected 1 or more, came {jobs}")
    backend = backend_for(experiment, backend)
    jobs = jobs or available_jobs(backend)
    if not is_address(backend):
        jobs = min(jobs, max(_MOST_JOBS, 2 * available_jobs()))
    how: dict[str, Any] = {"jobs": jobs, "backend": backend, "on_progress": on_progress, "piece_blocks": piece_blocks}
    if out is None:
        collected = _Memory()
        start = time.monotonic()
        follower, _ = _play_parts(experiment, collected, leaves_per_part=leaves_per_part, **how)
        leaves = collected.leaves()
        facts = _facts(jobs, backend, start, collected.n_games) | _ended(experiment, follower)
        digests = {"outcome_digest": outcome_digest(leaves), "prefix_digests": prefix_digests(leaves)}
        manifest = {**_manifest(experiment), **facts, "state": "complete", **digests}
        return Run(manifest, games=collected.games(), tallies=collected.tallies)
    with _open_store(experiment, out, resume) as store:
        if store.manifest["state"] == "complete":
            return Run(store.manifest, path=out)
        if experiment.precision is not None:
            # The last part may end within a leaf, and nothing can be joined to it; that part is played again.
            store.keep_only(lambda part: (part.first_block + part.n_blocks) % LEAF_BLOCKS == 0)
        start = time.monotonic()
        follower, kept = _play_parts(experiment, store, leaves_per_part=leaves_per_part, **how)
        facts = _facts(jobs, backend, start, store.n_games - kept) | _ended(experiment, follower)
        if summarise is not None:
            store.write_json("summary.json", summarise(Run({**store.manifest, **facts}, path=out)))
        store.finish(**facts)
        run = Run(store.manifest, path=out)
        run.mended = tuple(store.damaged)
        return run


def _ended(experiment: ResolvedExperiment, follower: Follower | None) -> dict[str, Any]:
    """Record, for a run with a precision target, after how many blocks it ended and how well shares are known."""
    if follower is None or experiment.precision is None:
        return {}
    return {
        "precision": {
            "win_share": experiment.precision,
            "reached": follower.stop is not None,
            "looks": follower.n_looks,
            "blocks": follower.n_blocks,
            "half_width": round(float(follower.half_widths().max()), 6) if follower.n_blocks >= FIRST_LOOK else None,
        }
    }


def _open_store(experiment: ResolvedExperiment, out: Path, resume: bool) -> RunStore:
    if not resume:
        return RunStore.create(out, _manifest(experiment))
    _refuse_another(experiment, out, read_manifest(out))  # before anything there is touched
    store = RunStore.reopen(out)
    try:
        _refuse_another(experiment, out, store.manifest)
    except BaseException:
        store.close()
        raise
    return store


def _refuse_another(experiment: ResolvedExperiment, out: Path, manifest: dict[str, Any]) -> None:
    there = Run(manifest, path=out).asked
    differences = there.differences(experiment)
    if there.record != experiment.record:
        differences.append(f"record: {list(there.record)} there, {list(experiment.record)} now")
    if manifest.get("experiment_digest") != there.digest:
        raise InputError(f"{out}/manifest.json: changed since the run began, so its parts are of another experiment")
    made_by, here = manifest.get("versions", {}).get("rsc_sim", "unknown"), _versions()["rsc_sim"]
    if made_by != here:
        differences.append(f"rsc-sim: {made_by} there, {here} now")
    if differences:
        raise InputError(f"{out}: cannot go on with that run, it is another one:\n     " + "\n     ".join(differences))


class _Memory:
    """Keep parts in memory; the counterpart of a `RunStore`."""

    path: Path | None = None
    keeps_pieces = False

    def __init__(self) -> None:
        self._games: dict[int, pl.DataFrame] = {}
        self._leaves: dict[int, Sequence[str]] = {}
        self.n_games = 0
        self.tallies: dict[str, list[bytes]] = {}
        """Packed as in a file, a tenth of what frames of them take."""

    def write_part(
        self, part: Part, frames: Mapping[Recorded, pl.DataFrame], leaves: Sequence[str], n_games: int
    ) -> None:
        self.n_games += n_games
        self._leaves[part.number] = leaves
        for table, frame in frames.items():
            if table == "games":
                self._games[part.number] = frame
            else:
                self.tallies.setdefault(table, []).append(parquet(frame))

    def keep_pieces(self, first_block: int, n_blocks: int, data: bytes) -> None:
        """Keep nothing: when the process ends, all of a run in memory is gone."""

    def leaves(self) -> list[str]:
        return [leaf for number in sorted(self._leaves) for leaf in self._leaves[number]]

    def games(self) -> pl.DataFrame | None:
        import polars as pl

        return (
            pl.concat([self._games[number] for number in sorted(self._games)], rechunk=False) if self._games else None
        )


def _group(experiment: ResolvedExperiment) -> int:
    """Give the blocks that are played side by side: 1, or where a strategy is asked for many games at once, all those.

    A piece of less would play the games that keep its own company, and throw them away.
    """
    if any(strategy.find().kind == "batched" for strategy in experiment.strategies):
        from rsc_sim.engine import group_size

        return int(group_size(experiment.rotations))
    return 1


def _play_parts(
    experiment: ResolvedExperiment,
    sink: RunStore | _Memory,
    *,
    jobs: int,
    backend: str,
    on_progress: Callable[[Progress], None] | None,
    piece_blocks: int | None,
    leaves_per_part: int | None,
) -> tuple[Follower | None, int]:
    """Play what is missing, part by part, and put each part into the sink as soon as it is whole and sure to count.

    Gives also how many games were there already.
    """
    from rsc_sim.engine import Cancelled

    done = list(sink.done.values()) if isinstance(sink, RunStore) else []
    follower = _follower(experiment, sink, done, wanted=on_progress is not None)
    if follower is not None and follower.stop is not None:
        return follower, sink.n_games
    parts = plan_parts(
        experiment.n_blocks,
        rotations=experiment.rotations,
        done=[(record.first_block, record.n_blocks) for record in done],
        leaves_per_part=leaves_per_part,
    )
    recorder = Recorder(experiment, sink, follower.cuts() if follower else ())
    waiting = list(_waiting(experiment, sink, parts))
    n_waiting = sum(len(piece.rows) for piece in waiting) // experiment.rotations
    kept = sink.n_games + n_waiting * experiment.rotations
    progress = Progress(experiment.n_games, tuple(strategy.spec for strategy in experiment.strategies), kept=kept)
    group = _group(experiment)
    pace = Pace(group)
    pieces = plan_pieces(
        parts,
        n_blocks=sum(part.n_blocks for part in parts) - n_waiting,
        jobs=jobs,
        least=max(64, group),
        group=group,
        limit=pace.limit,
        piece_blocks=piece_blocks,
        cuts=follower.cuts() if follower else (),
        there=[(piece.first_block, len(piece.rows) // experiment.rotations) for piece in waiting],
    )
    start = shown = time.monotonic()

    def safe() -> int:
        return follower.safe if follower else experiment.n_blocks

    def ended() -> bool:
        return follower is not None and follower.stop is not None

    def take(piece: Piece, *, saved: bool = False) -> None:
        recorder.add(piece, saved=saved)
        if follower is not None:
            follower.add(piece.first_block, _columns(piece.rows))
        recorder.write_whole(safe())

    def tell(*, last: bool) -> None:
        nonlocal shown
        now = time.monotonic()
        if on_progress is not None and (last or now - shown >= _PROGRESS_SECONDS):
            shown, progress.seconds = now, now - start
            if follower is not None:
                follower.tell(progress)
            on_progress(progress)

    for piece in waiting:
        take(piece, saved=True)
    with Stop() as stop, ExitStack() as stack:
        playing = played(experiment, () if ended() else pieces, jobs, stop, backend=backend, pace=pace)
        try:
            for piece in stack.enter_context(closing(playing)):
                progress.played += len(piece.rows)
                take(piece)
                recorder.save_waiting()
                tell(last=ended() or kept + progress.played == progress.n_games)
                if ended():
                    break
        except (StrategyError, ProcessesLost, Cancelled, KeyboardInterrupt) as error:
            recorder.close_early(safe())
            raise _told(error, stop, kept + progress.played, experiment, sink.path) from None
    if follower is not None and follower.stop is not None:
        recorder.end_at(follower.stop)
    return follower, kept


def _waiting(experiment: ResolvedExperiment, sink: RunStore | _Memory, parts: Sequence[Part]) -> Iterator[Piece]:
    """Give what was played of leaves that are not whole, in an earlier session of the run."""
    if isinstance(sink, RunStore):
        for first_block, n_blocks, data in sink.pieces():
            rows, counts = unpack(data, experiment.seats)
            part = next(part for part in parts if part.first_block <= first_block < part.first_block + part.n_blocks)
            assert len(rows) == n_blocks * experiment.rotations
            yield Piece(part, first_block, rows, counts)


def _follower(
    experiment: ResolvedExperiment, sink: RunStore | _Memory, done: Sequence[PartRecord], *, wanted: bool
) -> Follower | None:
    """Follow the run from its first block on; parts that are there are read when it is their turn.

    None where that is not `wanted` and decides nothing, or the games of those parts were not kept.
    """
    import polars as pl

    if experiment.precision is None and not (wanted and ("games" in experiment.record or not done)):
        return None

    def read(number: int) -> Columns:
        return columns_of(pl.read_parquet(part_path(Path(sink.path or ""), number).read_bytes()), experiment.seats)

    follower = Follower(experiment)
    for record in done:
        follower.add_later(record.first_block, partial(read, record.part))
    return follower


def _columns(rows: Rows) -> dict[str, npt.NDArray[Any]]:
    return {name: rows[name] for name in rows.dtype.names or () if name.startswith(("first_seat", "won_", "strategy_"))}


def _told(
    error: BaseException, stop: Stop, n_games: int, experiment: ResolvedExperiment, path: Path | None
) -> RscError:
    """Say what ended a run before its end, and how to go on with it."""
    if isinstance(error, StrategyError):
        see = partial(_replay_command, path) if path else None
        return name_failure(error, experiment.lineup, experiment.rotations, see)
    if isinstance(error, ProcessesLost):
        how = f"\n     what was played is kept; go on with: {resume_command(path)}" if path else ""
        return ProcessesLost(f"{error}{how}")
    message = f"{stop.word} after {n_games:,} of {experiment.n_games:,} games"
    message += f"; go on with: {resume_command(path)}" if path else "; a run in memory keeps nothing"
    return stop.interruption(message)


def _replay_command(path: Path, game: int) -> str:
    return f"rsc replay {shlex.quote(str(path))} --game {game}"


def _versions() -> dict[str, str]:
    import polars as pl

    from rsc_sim import __version__

    return {
        "rsc_sim": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "polars": pl.__version__,
    }


def _manifest(experiment: ResolvedExperiment) -> dict[str, Any]:
    return {
        "experiment": experiment.to_dict(),
        "experiment_digest": experiment.digest,
        "seats": experiment.seats,
        "rotations": experiment.rotations,
        "n_games": experiment.n_games,
        "plan": {"leaf_blocks": LEAF_BLOCKS, "batch_blocks": plan_batch(experiment.n_blocks, experiment.precision)},
        "versions": _versions(),
        "started": _now(),
    }


def _facts(jobs: int, backend: str, start: float, n_played: int) -> dict[str, Any]:
    seconds = time.monotonic() - start
    return {
        "finished": _now(),
        "jobs": jobs,
        "backend": "dask" if is_address(backend) else backend,
        "seconds": round(seconds, 3),
        "games_per_second": round(n_played / seconds) if seconds > 0 else 0,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
