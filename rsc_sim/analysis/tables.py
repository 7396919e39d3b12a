"""What blocks of several tables add up to: wins by strategy and place, finished games by seating, and their products.

A table is a group of strategies that sat together. Its block is one deal, played once with each of some seatings. All
that ratings and shares need of the blocks are their sums and the sums of their products, whole numbers, so that memory
does not grow with the number of games and the order in which blocks come changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

__all__ = ["WIN", "Integers", "Numbers", "TableCounts", "block_counts"]

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

WIN = 840
"""Parts of a win, as in tallies: 1 to 8 winners share it without remainder."""


@dataclass(frozen=True, slots=True, eq=False)
class TableCounts:
    """Sums over the blocks of one table.

    A block is counted by a vector: wins by strategy (those at the table, in order of number), wins by place, both in
    parts of 1/840, and finished games by seating.
    """

    seatings: Integers
    """A row for each game of a block: the number of the strategy at each place, from the one that plays first on."""
    n_blocks: int
    sums: Integers
    """The sum of the blocks' vectors."""
    products: Integers
    """The sum of their outer products."""

    @classmethod
    def empty(cls, seatings: npt.ArrayLike) -> TableCounts:
        """Begin with no blocks."""
        rows = np.asarray(seatings, dtype=np.int64)
        size = len(np.unique(rows)) + rows.shape[1] + len(rows)
        return cls(rows, 0, np.zeros(size, dtype=np.int64), np.zeros((size, size), dtype=np.int64))

    def with_blocks(self, vectors: Integers) -> TableCounts:
        """Add blocks, a row for each."""
        return replace(
            self,
            n_blocks=self.n_blocks + len(vectors),
            sums=self.sums + vectors.sum(axis=0),
            products=self.products + vectors.T @ vectors,
        )

    def __add__(self, other: TableCounts) -> TableCounts:
        """Put blocks of the same table together."""
        if not np.array_equal(self.seatings, other.seatings):
            raise ValueError("only blocks of the same table can be put together")
        return replace(
            self,
            n_blocks=self.n_blocks + other.n_blocks,
            sums=self.sums + other.sums,
            products=self.products + other.products,
        )

    @property
    def strategies(self) -> tuple[int, ...]:
        """The numbers of the strategies at the table, each once, in order."""
        return tuple(int(number) for number in np.unique(self.seatings))

    @property
    def seats(self) -> int:
        """How many sit at the table."""
        return int(self.seatings.shape[1])

    @property
    def n_games(self) -> int:
        """Games that were played."""
        return self.n_blocks * len(self.seatings)

    @property
    def seats_of(self) -> dict[int, int]:
        """How many seats each strategy has."""
        return {number: int((self.seatings[0] == number).sum()) for number in self.strategies}

    @property
    def wins(self) -> Numbers:
        """Wins by strategy, in the order of `strategies`."""
        won: Numbers = self.sums[: len(self.strategies)] / WIN
        return won

    @property
    def wins_by_place(self) -> Numbers:
        """Wins by place."""
        q = len(self.strategies)
        won: Numbers = self.sums[q : q + self.seats] / WIN
        return won

    @property
    def finished(self) -> Integers:
        """Games that somebody won, by seating."""
        games: Integers = self.sums[len(self.strategies) + self.seats :]
        return games

    def block_covariance(self) -> Numbers:
        """Give the sample covariance of the blocks' vectors, in wins and games; NaN from fewer than two blocks."""
        if self.n_blocks < 2:
            return np.full(self.products.shape, np.nan)
        n = self.n_blocks
        scale = np.ones(len(self.sums))
        scale[: len(self.strategies) + self.seats] = 1 / WIN
        # In parts that are whole numbers, near their mean: a difference of products of sums would not fit 64 bits.
        mean = self.sums // n
        rest = self.sums - n * mean
        centred = self.products - np.outer(mean, self.sums) - np.outer(rest, mean)
        spread = (centred - np.outer(rest, rest / n)) / (n - 1)
        covariance: Numbers = spread * np.outer(scale, scale)
        return covariance


def block_counts(
    seatings: Sequence[Sequence[int]] | Integers, games: Iterable[tuple[npt.NDArray[np.intp], npt.NDArray[np.floating]]]
) -> Integers:
    """Make the vectors of some blocks from the wins of their games.

    Each of `games` holds one game of every block: the row of `seatings` that it was played with, and what each place
    won of it, a row a block.
    """
    rows = np.asarray(seatings, dtype=np.int64)
    present, numbered = np.unique(rows, return_inverse=True)
    numbered = numbered.reshape(rows.shape)
    q, (n_seatings, seats) = len(present), rows.shape
    total: Integers | None = None
    for seating, won in games:
        parts = np.rint(np.asarray(won, dtype=np.float64) * WIN).astype(np.int64)
        blocks = np.arange(len(parts))
        if total is None:
            total = np.zeros((len(parts), q + seats + n_seatings), dtype=np.int64)
        at = numbered[seating]
        for place in range(seats):
            total[blocks, at[:, place]] += parts[:, place]
        total[:, q : q + seats] += parts
        total[blocks, q + seats + seating] += parts.any(axis=1)
    if total is None:
        raise ValueError("a block has at least one game")
    return total
