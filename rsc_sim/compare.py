"""Plays a comparison: hands stretches of tables to jobs, adds up what comes back, keeps a record, says what it means.

Games are counted where they are played and leave only sums (`analysis.tables`), so that memory does not grow with their
number; the sums are whole numbers, so that neither jobs nor the order in which they are done change anything. With a
directory, the sums so far are written now and then and when it is stopped, and `resume` goes on from there.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from rsc_sim.analysis.encounters import encounters
from rsc_sim.analysis.standings import Standings
from rsc_sim.analysis.tables import TableCounts, block_counts
from rsc_sim.comparison import ComparedTable, Comparison
from rsc_sim.errors import EnvironmentFailure, InputError, ProcessesLost, RscError, StrategyError, name_failure
from rsc_sim.experiment import period
from rsc_sim.jobs import Stop, Table, backend_for, done
from rsc_sim.plan import LEAF_BLOCKS
from rsc_sim.ruleset import Ruleset
from rsc_sim.runner import Progress, available_jobs
from rsc_sim.store import write_json

__all__ = ["FORMAT", "Compared", "compare", "open_unfinished"]

FORMAT = 1
"""Version of the directory's layout."""

_TASK_GAMES = 50_000
"""Games in a task at most: some 0.5 s of the archetypes' play."""
_SAVE_SECONDS = 30.0
_PROGRESS_SECONDS = 0.5


@dataclass
class _Played:
    """What was played of one table."""

    counts: TableCounts
    traces: int = 0
    """The sum of the games' traces modulo 2^64: two comparisons that share it played the same games."""
    done: list[tuple[int, int]] = field(default_factory=list)
    """Stretches of blocks `(first, number)`, in order, none touching another."""

    def add(self, first_block: int, counts: TableCounts, traces: int) -> None:
        self.counts = self.counts + counts
        self.traces = (self.traces + traces) % 2**64
        merged: list[tuple[int, int]] = []
        for first, n in sorted([*self.done, (first_block, counts.n_blocks)]):
            if merged and sum(merged[-1]) == first:
                merged[-1] = (merged[-1][0], merged[-1][1] + n)
            else:
                merged.append((first, n))
        self.done = merged

    def missing(self, n_blocks: int) -> Iterator[tuple[int, int]]:
        first = 0
        for begin, n in [*self.done, (n_blocks, 0)]:
            if begin > first:
                yield first, begin - first
            first = begin + n

    def to_dict(self) -> dict[str, Any]:
        above = np.triu_indices(len(self.counts.sums))
        return {
            "done": self.done,
            "sums": self.counts.sums.tolist(),
            "products": self.counts.products[above].tolist(),
            "traces": self.traces,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], table: ComparedTable) -> Self:
        counts = TableCounts.empty(table.seatings)
        spans = [(int(first), int(n)) for first, n in data["done"]]
        above = np.triu_indices(len(counts.sums))
        products = np.zeros_like(counts.products)
        products[above] = data["products"]
        products.T[above] = data["products"]
        sums = np.asarray(data["sums"], dtype=np.int64)
        if sums.shape != counts.sums.shape:
            raise ValueError(f"expected {len(counts.sums)} sums, came {len(sums)}")
        counts = replace(counts, n_blocks=sum(n for _, n in spans), sums=sums, products=products)
        return cls(counts, int(data["traces"]), spans)


class Compared:
    """Hold a comparison that was played: its counts, and each figure worked out when it is first asked for."""

    def __init__(self, comparison: Comparison, played: Sequence[_Played], manifest: Mapping[str, Any]) -> None:
        self.comparison = comparison
        self.manifest = dict(manifest)
        """The record of it, as in `compare.json`."""
        self._played = played

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a directory that `rsc compare` left. Raises `InputError` where there is none."""
        manifest, comparison, played = _read(Path(path))
        if manifest["state"] != "complete":
            raise InputError(f"{path}: an unfinished comparison; go on with it: {_resume_command(Path(path))}")
        return cls(comparison, played, manifest)

    @property
    def names(self) -> tuple[str, ...]:
        """The strategies' specs."""
        return self.comparison.names

    @property
    def counts(self) -> tuple[TableCounts, ...]:
        """What the blocks of each table add up to, in the order of `comparison.tables`."""
        return tuple(played.counts for played in self._played)

    @property
    def outcome_digest(self) -> str:
        """SHA-256 over all counts and the sums of traces: the same for the same games."""
        text = json.dumps([played.to_dict() for played in self._played], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def standings(self) -> Standings:
        """How the strategies stand to each other."""
        return Standings(self.names, self.counts)

    @cached_property
    def said(self) -> dict[str, Any]:
        """What it says in sentences: `warnings`, to be read first, and `findings`."""
        from rsc_sim.findings_compare import findings, warnings

        rules = self.comparison.base.ruleset
        return {"warnings": warnings(self.standings, rules), "findings": findings(self.standings)}

    def to_dict(self) -> dict[str, Any]:
        """Give what `compare.json` holds."""
        return {**self.manifest, **self.said, "figures": self.standings.to_dict()}


def open_unfinished(path: Path) -> tuple[Comparison, bool]:
    """Give what is being compared in a directory, and whether it is complete."""
    manifest, comparison, _ = _read(path)
    return comparison, manifest["state"] == "complete"


def compare(
    comparison: Comparison,
    *,
    jobs: int | None = None,
    backend: str = "auto",
    out: Path | None = None,
    resume: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    task_blocks: int | None = None,
) -> Compared:
    """Play every table of a comparison and return what came of it.

    With `out` it leaves a directory, and `resume` goes on with what is there. Neither `jobs` nor `backend` nor
    `task_blocks`, which is for tests, change what comes out. Raises `Interrupted` on Ctrl-C and SIGTERM,
    `StrategyError` and `EnvironmentFailure`; what was played by then is kept in the directory.
    """
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs: expected 1 or more, came {jobs}")
    jobs = jobs or available_jobs()
    backend = backend_for(replace(comparison.base, strategies=comparison.strategies), backend)
    played = [_Played(TableCounts.empty(table.seatings)) for table in comparison.tables]
    record = _Record(comparison, out)
    if out is not None and resume:
        played = record.resume()
        if record.there["state"] == "complete":
            return Compared(comparison, played, record.there)
    elif out is not None:
        record.begin()
    kept = sum(each.counts.n_games for each in played)
    start = time.monotonic()
    _play(comparison, played, record, jobs=jobs, backend=backend, on_progress=on_progress, task_blocks=task_blocks)
    seconds = time.monotonic() - start
    facts = {
        "jobs": jobs,
        "backend": backend,
        "seconds": round(seconds, 3),
        "games_per_second": round((comparison.n_games - kept) / seconds) if seconds > 0 else 0,
    }
    compared = Compared(comparison, played, {**record.manifest, **facts, "state": "complete"})
    record.finish(compared)
    return compared


def _play(
    comparison: Comparison,
    played: list[_Played],
    record: _Record,
    *,
    jobs: int,
    backend: str,
    on_progress: Callable[[Progress], None] | None,
    task_blocks: int | None,
) -> None:
    from rsc_sim.engine import Cancelled

    tasks = _plan(comparison, played, jobs=jobs, task_blocks=task_blocks)
    kept = sum(each.counts.n_games for each in played)
    state = Progress(n_games=comparison.n_games, strategies=comparison.names, kept=kept)
    start = shown = saved = time.monotonic()
    with Stop() as stop:
        try:
            with closing(done([task for _, task in tasks], jobs, stop, backend=backend)) as results:
                for number, (counts, traces) in results:
                    at, task = tasks[number]
                    played[at].add(task.first_block, counts, traces)
                    state.played += counts.n_games
                    now = time.monotonic()
                    if now - saved >= _SAVE_SECONDS:
                        saved = now
                        record.save(played)
                    if on_progress and (now - shown >= _PROGRESS_SECONDS or state.kept + state.played == state.n_games):
                        shown = now
                        state.seconds = now - start
                        _tell_shares(state, played, len(comparison.strategies))
                        on_progress(state)
        except StrategyError as error:
            record.save(played)
            raise _told(error, comparison) from None
        except ProcessesLost as error:
            record.save(played)
            raise EnvironmentFailure(f"{error}{record.how_to_go_on()}") from None
        except (Cancelled, KeyboardInterrupt):
            record.save(played)
            n = state.kept + state.played
            raise stop.interruption(
                f"{stop.word} after {n:,} of {comparison.n_games:,} games{record.how_to_go_on()}"
            ) from None


def _plan(
    comparison: Comparison, played: Sequence[_Played], *, jobs: int, task_blocks: int | None
) -> list[tuple[int, _PlayTable]]:
    """Cut what is missing into tasks, round and round the tables, so that early results are of all of them."""
    base = Table.of(replace(comparison.base, strategies=comparison.strategies))
    left = comparison.n_games - sum(each.counts.n_games for each in played)
    most = min(_TASK_GAMES, -(-left // (16 * jobs)))
    by_table: list[list[_PlayTable]] = []
    for table, so_far in zip(comparison.tables, played, strict=True):
        size = task_blocks or max(1, min(LEAF_BLOCKS, most // len(table.seatings)))
        by_table.append(
            [
                _PlayTable(base, table, first, min(size, begin + n - first))
                for begin, n in so_far.missing(comparison.n_blocks)
                for first in range(begin, begin + n, size)
            ]
        )
    rounds = range(max((len(tasks) for tasks in by_table), default=0))
    return [(at, tasks[turn]) for turn in rounds for at, tasks in enumerate(by_table) if turn < len(tasks)]


@dataclass(frozen=True)
class _PlayTable:
    """The task of playing some blocks of a table, with all its seatings, and of counting them."""

    base: Table
    table: ComparedTable
    first_block: int
    n_blocks: int

    def __call__(self, cancel: bytearray | None) -> tuple[TableCounts, int]:
        games: list[tuple[Any, Any]] = []
        traces, seating = 0, 0
        for order in self.table.orders:
            present = list(dict.fromkeys(order))
            ids = tuple(present.index(number) for number in order)
            table = replace(
                self.base,
                strategies=tuple(self.base.strategies[number] for number in present),
                strategy_ids=ids,
                seed=self.table.seed,
            )
            try:
                rows = table.rows(self.first_block, self.n_blocks, cancel)
            except StrategyError as error:
                error.order, error.seed = order, self.table.seed  # type: ignore[attr-defined]
                raise
            n_seats, n_rotations = len(order), period(ids)
            rows = rows.reshape(self.n_blocks, n_rotations)
            traces += int(rows["trace"].sum(dtype=np.uint64))
            for rotation in range(n_rotations):
                some = rows[:, rotation]
                first = some["first_seat"].astype(np.intp)
                won = np.stack([some[f"won_{seat}"] for seat in range(n_seats)], axis=1)
                seat_at = (first[:, None] + np.arange(n_seats)) % n_seats
                by_place = np.take_along_axis(won, seat_at, axis=1)
                # Seat i holds order[i + rotation], and the place p is the seat first + p.
                games.append((seating + (first + rotation) % n_rotations, by_place))
            seating += n_rotations
        counts = TableCounts.empty(self.table.seatings)
        return counts.with_blocks(block_counts(counts.seatings, games)), traces % 2**64

    def __str__(self) -> str:
        return f"blocks {self.first_block} to {self.first_block + self.n_blocks - 1} of a table"


def _tell_shares(state: Progress, played: Sequence[_Played], n_strategies: int) -> None:
    """Put the shares so far into the form in which a run tells them, with their intervals."""
    counts = [each.counts for each in played if each.counts.n_blocks > 1]
    if len(counts) < len(played):
        return
    n = sum(each.n_blocks for each in counts)
    shares = encounters(counts, n_strategies).overall
    state.n_blocks = n
    state.shares = np.array([share.value * n for share in shares])
    # What gives an interval of the same width, of n blocks.
    variances = [((share.high - share.low) / 2 / 1.96) ** 2 * n for share in shares]
    state.squares = np.array([v * (n - 1) + n * share.value**2 for v, share in zip(variances, shares, strict=True)])


def _told(error: StrategyError, comparison: Comparison) -> StrategyError:
    """Say which strategy failed and how to see it, in a run of its own."""
    order = getattr(error, "order", None)
    if order is None:
        return error
    lineup = [comparison.names[number] for number in order]
    told = name_failure(error, lineup, period(order), partial(_see, ",".join(lineup), error.seed))  # type: ignore[attr-defined]
    if comparison.base.ruleset_digest != Ruleset.booklet().digest:
        told.args = (f"{told}\n     with the --rules and the --set of this comparison",)
    return told


def _see(lineup: str, seed: int, game: int) -> str:
    asked = f"--lineup {shlex.quote(lineup)} --seed {seed} --games {game + 1}"
    return f"rsc run {asked} --out failed; rsc replay failed --game {game}"


class _Record:
    """The directory of a comparison, or none."""

    def __init__(self, comparison: Comparison, path: Path | None) -> None:
        from rsc_sim import __version__

        self.path, self.comparison = path, comparison
        self.there: dict[str, Any] = {}
        """The record that was in the directory already."""
        self.manifest: dict[str, Any] = {
            "format": FORMAT,
            "kind": "comparison",
            "state": "running",
            "comparison": comparison.to_dict(),
            "comparison_digest": comparison.digest,
            "n_games": comparison.n_games,
            "tables": [
                {
                    "strategies": [comparison.names[i] for i in table.seated],
                    "seed": table.seed,
                    "orders": [[comparison.names[i] for i in order] for order in table.orders],
                }
                for table in comparison.tables
            ],
            "versions": {"rsc_sim": __version__, "numpy": np.__version__},
        }

    def begin(self) -> None:
        """Begin in a folder that is new or empty."""
        assert self.path is not None
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path}: a file; expected a new or empty folder for the comparison")
        there = sorted(entry.name for entry in self.path.iterdir()) if self.path.is_dir() else []
        if "compare.json" in there:
            state = _read_json(self.path / "compare.json").get("state")
            if state == "running":
                raise InputError(
                    f"{self.path}: holds an unfinished comparison; go on with it: {_resume_command(self.path)}"
                )
            raise InputError(f"{self.path}: holds a finished comparison; choose another folder with --out")
        if there:
            raise InputError(
                f"{self.path}: holds something else ({there[0]}{' …' if len(there) > 1 else ''}), left untouched; "
                "choose a new or empty folder with --out"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentFailure(f"{self.path}: {error.strerror}") from None
        self._write("compare.json", self.manifest, indent=1)

    def resume(self) -> list[_Played]:
        """Take up what is there. Raises `InputError` where it is of another comparison or version."""
        assert self.path is not None
        there, comparison, played = _read(self.path)
        self.there = there
        differences = comparison.differences(self.comparison)
        if there["versions"]["rsc_sim"] != self.manifest["versions"]["rsc_sim"]:
            differences.append(
                f"rsc-sim: {there['versions']['rsc_sim']} there, {self.manifest['versions']['rsc_sim']} now"
            )
        if differences:
            raise InputError(
                f"{self.path}: cannot go on with that comparison, it is another one:\n     "
                + "\n     ".join(differences)
            )
        return played

    def save(self, played: Sequence[_Played]) -> None:
        """Write what was played so far."""
        if self.path is not None:
            self._write("counts.json", {"tables": [each.to_dict() for each in played]})

    def finish(self, compared: Compared) -> None:
        """Write the counts, the figures, and that it is complete."""
        self.manifest = compared.manifest
        self.manifest["outcome_digest"] = compared.outcome_digest
        if self.path is None:
            return
        self.save(compared._played)
        self._write("compare.json", compared.to_dict(), indent=1)

    def how_to_go_on(self) -> str:
        """Word how to go on after a stop."""
        if self.path is None:
            return "; nothing is kept of a comparison in memory"
        return f"; go on with: {_resume_command(self.path)}"

    def _write(self, name: str, data: Mapping[str, Any], *, indent: int | None = None) -> None:
        assert self.path is not None
        write_json(self.path / name, data, indent=indent)


def _read(path: Path) -> tuple[dict[str, Any], Comparison, list[_Played]]:
    """Read a directory: its record, what was compared, and what was played of it."""
    if not path.is_dir():
        raise InputError(f"{path}: no such directory")
    manifest = _read_json(path / "compare.json")
    if manifest.get("format") != FORMAT:
        raise InputError(f"{path}: format {manifest.get('format')}, this version of rsc-sim reads {FORMAT}")
    try:
        comparison = Comparison.from_dict(manifest["comparison"])
        if comparison.digest != manifest["comparison_digest"]:
            raise InputError(f"{path}/compare.json: changed since the comparison began")
        kept = _read_json(path / "counts.json")["tables"] if (path / "counts.json").exists() else None
        tables = comparison.tables
        played = [
            _Played(TableCounts.empty(table.seatings)) if kept is None else _Played.from_dict(kept[at], table)
            for at, table in enumerate(tables)
        ]
    except (KeyError, TypeError, IndexError, ValueError) as error:
        if isinstance(error, RscError):
            raise
        raise InputError(f"{path}: not what rsc compare writes, or damaged: {error!r}") from None
    return manifest, comparison, played


def _read_json(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{file.parent}: no comparison there: it has no {file.name}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from None
    if not isinstance(data, dict):
        raise InputError(f"{file}: not what rsc compare writes")
    return data


def _resume_command(path: Path) -> str:
    return f"rsc compare --resume --out {shlex.quote(str(path))}"
