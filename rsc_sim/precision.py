"""Follows how well win shares are known while a run is played, and says where a run with a precision target ends.

Blocks are taken in their order, whoever played them and however they were cut, so that what is known after n blocks,
and the block at which a run ends, depend on the games alone. Intervals are those of `sequential`, which hold at every
look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rsc_sim.sequential import FIRST_LOOK, Sums, half_width, looks

if TYPE_CHECKING:
    import polars as pl

    from rsc_sim.experiment import ResolvedExperiment
    from rsc_sim.runner import Progress

__all__ = ["Columns", "Follower", "columns_of"]

_WIN = 840
"""A win, in parts that 1 to 8 winners can share: sums of them are whole, and the same in any order."""

Columns = Mapping[str, npt.NDArray[Any]]
"""`first_seat`, and `strategy_i` (by number) and `won_i` of every seat; rows of the engine are that too."""


class Follower:
    """Sums up win shares, by strategy and by place, block by block.

    With a target, `stop` becomes the number of blocks after which every one of them is known to ± the target.
    """

    def __init__(self, experiment: ResolvedExperiment) -> None:
        self.specs = tuple(strategy.spec for strategy in experiment.strategies)
        self._seats, self._rotations = experiment.seats, experiment.rotations
        seats_of = np.bincount(experiment.strategy_ids)
        # What one block adds at most: a win in every game, and for a strategy on every seat.
        self._most = _WIN * self._rotations * np.concatenate([seats_of, np.ones(self._seats)])
        self._sums = Sums.empty(self._most.size)
        self._ahead: dict[int, Callable[[], npt.NDArray[np.float64]]] = {}
        self._target = experiment.precision
        self._looks = looks(experiment.n_blocks)
        self._look_at = next(self._looks)
        self._n_blocks = experiment.n_blocks
        self.n_looks = 0
        """Looks taken."""
        self.stop: int | None = None
        """Blocks of the run, as soon as it is known that they are enough."""

    @property
    def n_blocks(self) -> int:
        """Blocks that are summed up: all from the first on, without a gap."""
        return self._sums.n

    @property
    def safe(self) -> int:
        """Blocks that the run has in any case, by what is known."""
        return self._n_blocks if self._target is None else self._look_at

    def add(self, first_block: int, columns: Columns) -> None:
        """Take some blocks that were played."""
        blocks = self._blocks(columns)  # now: rows are held no longer than it takes to write them
        self._put(first_block, lambda: blocks)

    def add_later(self, first_block: int, read: Callable[[], Columns]) -> None:
        """Take some blocks that are read when it is their turn."""
        self._put(first_block, lambda: self._blocks(read()))

    def cuts(self) -> Iterator[int]:
        """Give the numbers of blocks at which the run may end."""
        return iter(()) if self._target is None else looks(self._n_blocks)

    def tell(self, progress: Progress) -> None:
        """Put the sums of win shares by strategy, and when the run will end, into what is told while it goes on."""
        n = len(self.specs)
        progress.n_blocks = self._sums.n
        progress.shares = self._sums.total[:n] / self._most[:n]
        progress.squares = self._sums.squares[:n] / self._most[:n] ** 2
        if self._target is not None and self._sums.n >= FIRST_LOOK:
            progress.expected = self._expected(self._target) * self._rotations

    def _expected(self, target: float) -> int:
        """Give the look at which the run will end if blocks go on varying as they did."""
        variance = self._sums.variance() / self._most**2
        enough = (n for n in looks(self._n_blocks) if half_width(n, variance + 2 / (n + 2)).max() <= target)
        return max(self._sums.n, next(enough, self._n_blocks))

    def half_widths(self) -> npt.NDArray[np.float64]:
        """Give half the width of each interval, by strategy and then by place."""
        variance = self._sums.variance(self._most) / self._most**2
        return half_width(self._sums.n, variance)

    def _put(self, first_block: int, blocks: Callable[[], npt.NDArray[np.float64]]) -> None:
        self._ahead[first_block] = blocks
        while self.stop is None and self._sums.n in self._ahead:
            values = self._ahead.pop(self._sums.n)()
            while values.size and self.stop is None:
                n = min(len(values), self._look_at - self._sums.n) if self._look_at > self._sums.n else len(values)
                self._sums = self._sums.add(values[:n])
                values = values[n:]
                if self._sums.n == self._look_at:
                    self._look()

    def _look(self) -> None:
        self.n_looks += 1
        if self._target is not None and self._sums.n >= FIRST_LOOK and self.half_widths().max() <= self._target:
            self.stop = self._sums.n
        else:
            self._look_at = next(self._looks, self._n_blocks)

    def _blocks(self, columns: Columns) -> npt.NDArray[np.float64]:
        """Add up wins, in parts of `_WIN`, by block and figure."""
        first = np.asarray(columns["first_seat"]).astype(np.int64)
        n_blocks, n, n_specs = len(first) // self._rotations, self._most.size, len(self.specs)
        block = np.repeat(np.arange(n_blocks), self._rotations) * n
        won = np.zeros(n_blocks * n)
        for seat in range(self._seats):
            wins = np.rint(np.asarray(columns[f"won_{seat}"], dtype=np.float64) * _WIN)
            for figure in (columns[f"strategy_{seat}"], n_specs + (seat - first) % self._seats):
                won += np.bincount(block + figure, weights=wins, minlength=n_blocks * n)
        return won.reshape(n_blocks, n)


def columns_of(games: pl.DataFrame, seats: int) -> Columns:
    """Read what a follower needs from a `games` frame."""
    import polars as pl

    names = [f"{name}_{seat}" for name in ("won", "strategy") for seat in range(seats)]
    frame = games.select("first_seat", *(pl.col(name).to_physical() for name in names))
    return {name: frame[name].to_numpy() for name in frame.columns}
