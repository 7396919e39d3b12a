"""Puts pieces of a run together again: into parts of whole leaves, and onto the disk what waits for the rest of a leaf.

Pieces come in any order. Of a part that is whole, leaves are digested, frames made, and all goes to the sink: a run
directory or the memory. What belongs to leaves that are not whole when a run is stopped, or for long, is kept as it is,
so that going on has to play none of it again. Which pieces there are, and who plays them, is left to the runner.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.jobs import Piece, Rows
from rsc_sim.plan import LEAF_BLOCKS, Part, make_part
from rsc_sim.recorded import Recorded

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Counts", "Recorder", "Sink", "unpack"]

_SAVE_SECONDS = 10.0
"""Pieces that wait as long for the rest of their leaf are kept on the disk meanwhile, so that a run that is killed
loses twice this of play at most. Fast runs have whole parts by then, and keep none."""


class Counts(NamedTuple):
    """Tallies of some blocks, as arrays."""

    first_batch: int
    cards: npt.NDArray[np.uint64]
    windows: npt.NDArray[np.uint64]


class Sink(Protocol):
    """Where whole parts go, and pieces that wait."""

    def write_part(
        self, part: Part, frames: Mapping[Recorded, pl.DataFrame], leaves: Sequence[str], n_games: int
    ) -> None:
        """Take a part with the digests of its leaves; pieces of it that were kept are no longer wanted."""

    keeps_pieces: bool
    """Whether it has somewhere to keep them."""

    def keep_pieces(self, first_block: int, n_blocks: int, data: bytes) -> None:
        """Keep what was played of a leaf, instead of whatever is kept of the same blocks."""


@dataclass(eq=False)
class _Held:
    """Blocks that were played and wait, in rows as they came."""

    first_block: int
    n_blocks: int
    rows: list[Rows]
    counts: Counts | None
    since: float = field(default_factory=time.monotonic)
    saved: bool = False

    @property
    def end(self) -> int:
        return self.first_block + self.n_blocks


class Recorder:
    """Put pieces together again, and each part into the sink as soon as it is whole."""

    def __init__(self, experiment: ResolvedExperiment, sink: Sink, cuts: Iterable[int] = ()) -> None:
        """`cuts` are the numbers of blocks at which the run may end: nothing that is put together crosses one."""
        from rsc_sim.frames import cards_schema, games_schema, windows_schema

        specs = [strategy.spec for strategy in experiment.strategies]
        self._games = games_schema(experiment.seats, specs, intervention=experiment.intervention is not None)
        self._cards = cards_schema(specs, list(experiment.ruleset["cards"]))
        self._windows = windows_schema(specs)
        self._rotations = experiment.rotations
        self._record = experiment.record
        self._sink = sink
        self._cuts = frozenset(cuts)
        self._pending: dict[Part, dict[int, _Held]] = {}
        self._looked = time.monotonic()

    def add(self, piece: Piece, *, saved: bool = False) -> None:
        """Take a piece; `saved` where it is on the disk already."""
        held = _Held(piece.first_block, len(piece.rows) // self._rotations, [piece.rows], None, saved=saved)
        if piece.tallies is not None:
            held.counts = Counts(piece.tallies.first_batch, piece.tallies.cards, piece.tallies.windows)
        there = self._pending.setdefault(piece.part, {})
        # Neighbours of one size are joined, as in a binary counter: of a leaf in a thousand pieces some ten are held,
        # and tallies take the room of their batches and not of their pieces.
        while (other := self._neighbour(held, there)) is not None:
            del there[other.first_block]
            held = _joined(*sorted((held, other), key=lambda each: each.first_block))
        there[held.first_block] = held

    def _neighbour(self, held: _Held, there: Mapping[int, _Held]) -> _Held | None:
        n, first = held.n_blocks, held.first_block
        if n >= LEAF_BLOCKS or n & (n - 1) or first % n:
            return None
        other = there.get(first ^ n)
        return other if other is not None and other.n_blocks == n and first | n not in self._cuts else None

    def write_whole(self, end: int) -> None:
        """Put into the sink the parts that are whole and of which no block is from `end` on."""
        for part, there in list(self._pending.items()):
            whole = sum(held.n_blocks for held in there.values()) == part.n_blocks
            if whole and part.first_block + part.n_blocks <= end:
                del self._pending[part]
                self._write(part, [there[first_block] for first_block in sorted(there)])

    def end_at(self, n_blocks: int) -> None:
        """Put into the sink what there is before the end of the run, all of it, and forget the rest."""
        for part, there in sorted(self._pending.items()):
            pieces = [there[first_block] for first_block in sorted(there) if first_block < n_blocks]
            if pieces:
                self._write(make_part(part.first_block, min(part.first_block + part.n_blocks, n_blocks)), pieces)
        self._pending.clear()

    def save_waiting(self) -> None:
        """Keep on the disk, now and then, what has waited long for the rest of its leaf."""
        now = time.monotonic()
        if now - self._looked >= _SAVE_SECONDS:
            self._save(until=self._looked)
            self._looked = now

    def close_early(self, end: int) -> None:
        """Put into the sink what there is of parts that will not become whole now, as shorter parts of whole leaves.

        No block from `end` on is put there. All else is kept as it is.
        """
        for part, there in sorted(self._pending.items()):
            last = min(part.first_block + part.n_blocks, end)
            pieces: list[_Held] = []
            for first_leaf in range(part.first_block, last, LEAF_BLOCKS):
                leaf_end = min(first_leaf + LEAF_BLOCKS, part.first_block + part.n_blocks)
                leaf = [there[block] for block in sorted(there) if first_leaf <= block < leaf_end]
                if sum(held.n_blocks for held in leaf) == leaf_end - first_leaf and leaf_end <= last:
                    pieces += leaf
                elif pieces:
                    self._write_some(there, pieces)
                    pieces = []
            if pieces:
                self._write_some(there, pieces)
        self._save()
        self._pending.clear()

    def _write_some(self, there: dict[int, _Held], pieces: list[_Held]) -> None:
        self._write(make_part(pieces[0].first_block, pieces[-1].end), pieces)
        for held in pieces:
            del there[held.first_block]

    def _save(self, until: float = float("inf")) -> None:
        for there in self._pending.values() if self._sink.keeps_pieces else ():
            for held in there.values():
                if not held.saved and held.since <= until:
                    self._sink.keep_pieces(held.first_block, held.n_blocks, _packed(held))
                    held.saved = True

    def _write(self, part: Part, pieces: list[_Held]) -> None:
        from rsc_sim.frames import cards_frame, games_frame, windows_frame

        rows = [some for held in pieces for some in held.rows]
        frames: dict[Recorded, pl.DataFrame] = {}
        if "games" in self._record:
            frames["games"] = games_frame(rows, self._games)
        counts = [held.counts for held in pieces if held.counts is not None]
        if "cards" in self._record:
            frames["cards"] = cards_frame(*_added(counts, "cards"), self._cards)
        if "windows" in self._record:
            frames["windows"] = windows_frame(*_added(counts, "windows"), self._windows)
        self._sink.write_part(part, frames, _leaf_digests(pieces), sum(map(len, rows)))


def _joined(one: _Held, other: _Held) -> _Held:
    counts = None
    if one.counts is not None and other.counts is not None:
        both = [one.counts, other.counts]
        first, cards = _added(both, "cards")
        counts = Counts(first, cards, _added(both, "windows")[1])
    return _Held(
        one.first_block,
        one.n_blocks + other.n_blocks,
        one.rows + other.rows,
        counts,
        min(one.since, other.since),
        one.saved and other.saved,
    )


def _added(counts: Sequence[Counts], table: str) -> tuple[int, npt.NDArray[np.uint64]]:
    """Add up tallies of consecutive pieces; gives the number of the first batch with the counts by batch."""
    first = counts[0].first_batch
    tables = [getattr(each, table) for each in counts]
    if len(tables) == 1:
        return first, tables[0]
    total = np.zeros((counts[-1].first_batch + len(tables[-1]) - first, *tables[0].shape[1:]), dtype=np.uint64)
    for each, some in zip(counts, tables, strict=True):
        at = each.first_batch - first
        total[at : at + len(some)] += some
    return first, total


def _leaf_digests(pieces: Iterable[_Held]) -> list[str]:
    """Digest the rows of each leaf, as bytes, padding included."""
    leaves: dict[int, Any] = {}
    for held in pieces:
        leaf = leaves.setdefault(held.first_block // LEAF_BLOCKS, hashlib.sha256())
        for rows in held.rows:
            leaf.update(rows.view(np.uint8))
    return [leaf.hexdigest() for leaf in leaves.values()]


# ---- pieces that wait, as bytes


def _packed(held: _Held) -> bytes:
    # As bytes: joined as rows, what pads them would be left undefined, and a digest is taken over that too.
    arrays: dict[str, Any] = {"rows": np.concatenate([rows.view(np.uint8) for rows in held.rows])}
    if held.counts is not None:
        arrays |= held.counts._asdict()
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def unpack(data: bytes, seats: int) -> tuple[Rows, Counts | None]:
    """Take back rows and tallies from what a sink kept."""
    from rsc_sim.engine.columns import row_dtype

    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        rows: Rows = arrays["rows"].view(row_dtype(seats))
        if "cards" not in arrays:
            return rows, None
        return rows, Counts(int(arrays["first_batch"]), arrays["cards"], arrays["windows"])
