"""How a run is cut: parts, which become files, pieces, which jobs play, and batches, over which tallies are summed.

Nothing here changes a result. The digest of a run is taken over leaves, and parts and pieces are cut along them. Parts
fill what a run still lacks; pieces follow from the jobs too; batches follow from the size of the run alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

__all__ = [
    "BATCHES",
    "LEAF_BLOCKS",
    "PART_GAMES",
    "Part",
    "make_part",
    "plan_batch",
    "plan_batches",
    "plan_parts",
    "plan_pieces",
]

LEAF_BLOCKS = 4_096
"""Blocks in a leaf of the outcome digest. A part of a run is whole leaves."""

PART_GAMES = 100_000
"""Games that a part holds at least: smaller Parquet files read and compress markedly worse."""

BATCHES = 400
"""Batches in a run that is big enough: tallies need hundreds for an interval, and each batch costs rows."""


class Part(NamedTuple):
    """A run of whole leaves that becomes one Parquet file a table."""

    number: int
    """That of its first leaf, so that parts are in order however a run was stopped and resumed."""
    first_block: int
    n_blocks: int


def plan_parts(
    n_blocks: int, *, rotations: int, done: Iterable[tuple[int, int]] = (), leaves_per_part: int | None = None
) -> list[Part]:
    """Cut what a run lacks into parts of whole leaves, each of some 100,000 games or more where there are so many.

    `done` holds the first block and the number of blocks of each part that is there. The plan depends on that and on
    the size of the run, never on jobs. `leaves_per_part` is for tests.
    """
    size = leaves_per_part or -(-PART_GAMES // (LEAF_BLOCKS * rotations))
    parts, first = [], 0
    for begin, n in [*sorted(done), (n_blocks, 0)]:
        n_leaves = -(-(begin - first) // LEAF_BLOCKS)
        n_parts = min(n_leaves, max(1, n_leaves // size))
        leaf = first // LEAF_BLOCKS
        for i in range(n_parts):
            start, end = leaf + i * n_leaves // n_parts, leaf + (i + 1) * n_leaves // n_parts
            parts.append(make_part(start * LEAF_BLOCKS, min(begin, end * LEAF_BLOCKS)))
        first = begin + n
    return parts


def make_part(first_block: int, end_block: int) -> Part:
    """Give the part of these blocks, which begin with a leaf and end with one or with the run."""
    return Part(first_block // LEAF_BLOCKS, first_block, end_block - first_block)


def plan_batch(n_blocks: int, precision: float | None = None) -> int:
    """Give the blocks in a batch of tallies; batches follow from the size of the run alone, and know no parts.

    A run with a `precision` may end long before its most: batches are then for as many blocks as it takes where win
    shares vary as those of four seats do, which is right within a factor of ten.

    >>> plan_batch(1_000), plan_batch(100)
    (3, 1)
    """
    if precision is not None:
        n_blocks = min(n_blocks, round(9 * 0.05 / precision**2))
    return max(1, -(-n_blocks // BATCHES))


def plan_batches(n_blocks: int) -> list[tuple[int, int]]:
    """Cut the blocks of a run into its batches: `(first block, blocks)`.

    >>> plan_batches(1_000)[-1], len(plan_batches(1_000))
    ((999, 1), 334)
    """
    size = plan_batch(n_blocks)
    return [(first, min(size, n_blocks - first)) for first in range(0, n_blocks, size)]


def plan_pieces(
    parts: Iterable[Part],
    *,
    n_blocks: int,
    jobs: int,
    least: int = 64,
    group: int = 1,
    limit: Callable[[], int] | None = None,
    piece_blocks: int | None = None,
    cuts: Iterable[int] = (),
    there: Iterable[tuple[int, int]] = (),
) -> Iterator[tuple[Part, int, int]]:
    """Cut parts into the pieces that jobs play: `(part, first_block, n_blocks)`, in order, none across two leaves.

    A piece is a leaf (0.2 to 0.5 s of play, where the cost of handing it out vanishes), or less of it where few of the
    `n_blocks` to play are left, so that each job gets four or more of a small run and none plays on alone at the end of
    a big one, but for that not below `least`; nor is it more than `limit` says when it is its turn. All sizes are
    powers of two, and pieces begin at multiples of theirs where nothing is in the way; where games are played side by
    side in groups of blocks, they end where groups do. No piece crosses one of the `cuts`, which are in order, and what
    is `there` (first block, blocks) is left out. `piece_blocks` is for tests.
    """
    cuts = iter(cuts)
    cut = next(cuts, None)
    gaps = sorted(there, reverse=True)
    size, left = piece_blocks or LEAF_BLOCKS, n_blocks
    for part in parts:
        end = part.first_block + part.n_blocks
        first = part.first_block
        while first < end:
            while gaps and sum(gaps[-1]) <= first:
                gaps.pop()
            if gaps and gaps[-1][0] <= first:
                first = sum(gaps[-1])
                continue
            while piece_blocks is None and size > least and left < 4 * jobs * size:
                size //= 2
            while cut is not None and cut <= first:
                cut = next(cuts, None)
            stops = [end, (first // LEAF_BLOCKS + 1) * LEAF_BLOCKS, *(gap[0] for gap in gaps[-1:])]
            n = min(min(stops) - first, size, end if cut is None else cut - first)
            if piece_blocks is None:
                n = min(n, limit() if limit else n, group - first % group if first % group else (first & -first) or n)
            yield part, first, n
            first += n
            left -= n
