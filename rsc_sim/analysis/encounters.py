"""Who wins against whom: win shares over several tables, by who else sits there, and strategy against strategy.

All are a seat: where a strategy sits on several seats of a table it is the mean over them. Every table counts alike.
Intervals rest on blocks, tables being strata.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rsc_sim.analysis.intervals import LEVEL, Estimate, share_estimate
from rsc_sim.analysis.tables import Numbers, TableCounts

__all__ = ["Encounters", "encounters", "unfinished_share"]


@dataclass(frozen=True, slots=True)
class Encounters:
    """Win shares of strategies, by number."""

    overall: tuple[Estimate, ...]
    """The share of all games at its tables that a seat of the strategy wins; unfinished games count as lost."""
    beside: tuple[tuple[Estimate | None, ...], ...]
    """The same at the tables where the strategy of the column sits too; None on the diagonal."""
    against: tuple[tuple[Estimate | None, ...], ...]
    """Of what a seat of the two together won at tables that hold both, the share of the row's: 1/2 is level. None on
    the diagonal; the value is NaN where neither won anything."""


def encounters(tables: Sequence[TableCounts], n_strategies: int, *, level: float = LEVEL) -> Encounters:
    """Estimate how often strategies win, at all their tables, beside each other, and against each other."""
    seated = [_a_seat(table, n_strategies) for table in tables]
    at = [{i for i in range(n_strategies) if i in table.strategies} for table in tables]

    def held_by(*who: int) -> list[int]:
        return [index for index, there in enumerate(at) if there.issuperset(who)]

    pairs = [[_together(tables, seated, held_by(i, j)) for j in range(n_strategies)] for i in range(n_strategies)]
    every = range(n_strategies)
    return Encounters(
        overall=tuple(_share(pairs[i][i], i, level) for i in every),
        beside=tuple(tuple(None if i == j else _share(pairs[i][j], i, level) for j in every) for i in every),
        against=tuple(tuple(None if i == j else _versus(pairs[i][j], i, j, level) for j in every) for i in every),
    )


def unfinished_share(tables: Iterable[TableCounts], *, level: float = LEVEL) -> Estimate:
    """Estimate the share of games that nobody won, over all tables alike."""
    means, variances, n_blocks = [], [], 0
    for table in tables:
        games = len(table.seatings)
        means.append(1 - table.finished.sum() / max(table.n_games, 1))
        spread = table.block_covariance()[-games:, -games:].sum() / games**2
        variances.append(spread / max(table.n_blocks, 1))
        n_blocks += table.n_blocks
    n = len(means)
    return _estimate(float(np.mean(means)), float(np.sum(variances)) / n**2, n_blocks, level)


@dataclass(frozen=True, slots=True)
class _Shares:
    mean: Numbers
    """Win share a seat, by strategy, over some tables."""
    covariance: Numbers
    """Of these means."""
    n_blocks: int


def _a_seat(table: TableCounts, n_strategies: int) -> tuple[Numbers, Numbers]:
    """Give the win shares a seat at a table, by strategy, and the covariance of their block means."""
    numbers, games = list(table.strategies), len(table.seatings)
    scale = np.array([1 / (games * seats) for seats in table.seats_of.values()])
    mean, spread = np.zeros(n_strategies), np.zeros((n_strategies, n_strategies))
    mean[numbers] = table.wins * scale / max(table.n_blocks, 1)
    covariance = table.block_covariance()[: len(numbers), : len(numbers)] * np.outer(scale, scale)
    spread[np.ix_(numbers, numbers)] = covariance / max(table.n_blocks, 1)
    return mean, spread


def _together(
    tables: Sequence[TableCounts], seated: Sequence[tuple[Numbers, Numbers]], indices: Sequence[int]
) -> _Shares:
    n = max(len(indices), 1)
    mean = np.sum([seated[i][0] for i in indices], axis=0) / n
    covariance = np.sum([seated[i][1] for i in indices], axis=0) / n**2
    return _Shares(mean, covariance, sum(tables[i].n_blocks for i in indices))


def _share(shares: _Shares, i: int, level: float) -> Estimate:
    return _estimate(float(shares.mean[i]), float(shares.covariance[i, i]), shares.n_blocks, level)


def _versus(shares: _Shares, i: int, j: int, level: float) -> Estimate:
    """Estimate a share of two by the delta method."""
    a, b, c = float(shares.mean[i]), float(shares.mean[j]), shares.covariance
    if a + b == 0:
        return Estimate(math.nan, 0.0, 1.0, level, "share", shares.n_blocks, "neither won a game")
    variance = (b * b * c[i, i] + a * a * c[j, j] - 2 * a * b * c[i, j]) / (a + b) ** 4
    return _estimate(a / (a + b), float(variance), shares.n_blocks, level)


def _estimate(mean: float, variance: float, n_blocks: int, level: float) -> Estimate:
    if not math.isfinite(variance):
        return Estimate(mean, 0.0, 1.0, level, "share", n_blocks, "one block a table: no interval")
    return share_estimate(mean, max(variance, 0.0) * n_blocks, n_blocks, level=level)
