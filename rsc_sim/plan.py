"""How a run is cut: parts, which become files, and pieces, which jobs play.

Nothing here changes a result. Parts follow from the size of the run alone, so that a run resumed with other jobs
finds the same ones; pieces follow from the jobs too. The digest of a run is taken over leaves, and both are cut along
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["LEAF_BLOCKS", "PART_GAMES", "Part", "plan_parts", "plan_pieces"]

LEAF_BLOCKS = 4_096
"""Blocks in a leaf of the outcome digest. A part of a run is whole leaves."""

PART_GAMES = 100_000
"""Games that a part holds at least: smaller Parquet files read and compress markedly worse."""


class Part(NamedTuple):
    """A run of whole leaves that becomes one Parquet file."""

    number: int
    first_block: int
    n_blocks: int


def plan_parts(
    n_blocks: int, *, rotations: int, n_parts: int | None = None, leaves_per_part: int | None = None
) -> list[Part]:
    """Cut a run into parts of whole leaves, each of some 100,000 games or more where the run is that big.

    The plan depends on the size of the run alone, never on jobs. `n_parts` cuts as a run began that is resumed;
    `leaves_per_part` is for tests.
    """
    n_leaves = -(-n_blocks // LEAF_BLOCKS)
    leaves = leaves_per_part or -(-PART_GAMES // (LEAF_BLOCKS * rotations))
    n_parts = n_parts or max(1, n_leaves // leaves)
    edges = [min(n_blocks, i * n_leaves // n_parts * LEAF_BLOCKS) for i in range(n_parts + 1)]
    return [Part(i, edges[i], edges[i + 1] - edges[i]) for i in range(n_parts)]


def plan_pieces(
    parts: Iterable[Part], *, n_blocks: int, jobs: int, piece_blocks: int | None = None
) -> Iterator[tuple[Part, int, int]]:
    """Cut parts into the pieces that jobs play: `(part, first_block, n_blocks)`, in order, none across two leaves.

    A piece is a leaf (0.2 to 0.5 s of play, where the cost of handing it out vanishes), or less of it where the run is
    small, so that each job gets four or more. `piece_blocks` is for tests.
    """
    size = piece_blocks or LEAF_BLOCKS
    while piece_blocks is None and size > 64 and n_blocks < 4 * jobs * size:
        size //= 2
    for part in parts:
        end = part.first_block + part.n_blocks
        first = part.first_block
        while first < end:
            leaf_end = (first // LEAF_BLOCKS + 1) * LEAF_BLOCKS
            n = min(size, leaf_end - first, end - first)
            yield part, first, n
            first += n
