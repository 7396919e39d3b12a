"""Rule A against rule B on the same deals: how far a figure moved, and what sharing the deals was worth.

Two runs with one seed play the same deals block by block. A figure that depends on the deal then errs alike in both,
and their difference less than either. Pure functions on influences (`influence`) and their moments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rsc_sim.analysis.influence import Measures
from rsc_sim.analysis.intervals import LEVEL, Estimate, critical_value, share_estimate

__all__ = ["Different", "Joint", "Paired", "joint_moments", "paired_difference"]

Array = npt.NDArray[np.float64]

_ROUNDING = 1e-12
"""A variance of block means below this is rounding."""

_FEW = 20
"""Blocks that differ, below which their mean is nowhere near normal."""

_AT_ONCE = 20_000_000
"""Numbers that are held at once."""


@dataclass(frozen=True, slots=True)
class Paired:
    """How far a figure is from the same figure of another run on the same deals."""

    difference: Estimate
    correlation: float
    """Of the two runs' block means over the deals that both played; nan where one of them has no spread."""
    games_saved: float
    """The share of games that sharing deals saved for this precision; below 0 where it cost some, nan as above."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""

        def told(value: float) -> float | None:
            return value if math.isfinite(value) else None

        return {
            "difference": self.difference.to_dict(),
            "correlation": told(self.correlation),
            "games_saved": told(self.games_saved),
        }


def paired_difference(
    difference: float,
    variances: tuple[float, float],
    n_blocks: tuple[int, int],
    covariance: float,
    *,
    unit: str,
    most: float = 1.0,
    n_different: int | None = None,
    level: float = LEVEL,
) -> Paired:
    """Estimate a difference of two figures from the moments of their influences over blocks.

    `covariance` is over the blocks that both runs played, the first min(n_blocks) of each. The variance of the
    difference is then V1/n1 + V2/n2 - 2 C min(n1, n2)/(n1 n2); without pairing its last term is missing, and it would
    take as many times the games as that makes it larger. Source: Glasserman, P. and Yao, D. D. (1992), Some guidelines
    and guarantees for common random numbers, Management Science 38, 884-908.

    A difference that hardly a block shows is no normal matter. `most` is the largest that one block can make, and
    `n_different` counts the blocks in which anything went otherwise, None where that says nothing of this figure. Where
    they are few, or None, the interval is not narrower than for an event that none of the blocks showed,
    most × -ln(1 - level)/n.
    """
    (first, second), (n, m) = variances, n_blocks
    first, second = (0.0 if value < _ROUNDING else value for value in (first, second))
    covariance = covariance if first and second else 0.0
    common = min(n, m)
    apart = first / n + second / m
    variance = max(0.0, apart - 2 * covariance * common / (n * m))
    spread = math.sqrt(first * second)
    correlation = min(1.0, max(-1.0, covariance / spread)) if spread > 0 else math.nan
    saved = 1 - variance / apart if apart > 0 else math.nan
    method = "difference of block means on shared deals"
    if common < 2:
        return Paired(
            Estimate(difference, -math.inf, math.inf, level, unit, common, "one block: no interval"), correlation, saved
        )
    half = critical_value(level, common) * math.sqrt(variance)
    least = -math.log(1 - level) / common * most
    if half < least and (n_different is None or n_different < _FEW):
        half, method = least, "hardly a deal differs: as for an event never seen"
    return Paired(
        Estimate(difference, difference - half, difference + half, level, unit, common, method), correlation, saved
    )


@dataclass(frozen=True, slots=True)
class Different:
    """How many games of two runs on the same deals went differently, in whatever."""

    games: Estimate
    """Their share of the games that both played."""
    n_blocks: int
    """Blocks with such a game."""


@dataclass(frozen=True, slots=True)
class Joint:
    """Moments of the influences of several runs on the same deals."""

    variances: list[Array]
    """By run, of each of its figures."""
    covariances: list[dict[str, float]]
    """By run, with the same figure of the base run, by the figure's key; where both have it."""
    different: list[Different | None]
    """By run, how much of it went otherwise than the base run; None where their tables are of different sizes."""
    among: Array | None
    """Of the one figure that was asked for, the covariances of its *estimates* over all runs [run, run]."""


def joint_moments(runs: Sequence[Measures], *, base: int = 0, among: str | None = None) -> Joint:
    """Take the moments of the influences of runs on the same deals, in stretches of blocks.

    `among` is the key of a figure, which all runs must have, whose covariances over all runs are wanted.
    """
    keys = [[figure.key for figure in run.figures] for run in runs]
    squares = [np.zeros(len(names)) for names in keys]
    shared = [[name for name in names if name in keys[base]] for names in keys]
    products = [np.zeros(len(names)) for names in shared]
    matrix = np.zeros((len(runs), len(runs)))
    shares: list[list[Array]] = [[] for _ in runs]
    n_most = max(run.n_blocks for run in runs)
    stretch = max(1_000, _AT_ONCE // (3 * max(map(len, keys)) + len(runs)))
    for first in range(0, n_most, stretch):
        columns = np.zeros((min(stretch, n_most - first), len(runs)))
        ours = _some(runs[base], first, stretch)
        for i, run in enumerate(runs):
            theirs = ours if i == base else _some(run, first, stretch)
            squares[i] += np.einsum("bk,bk->k", theirs, theirs)
            n = min(len(ours), len(theirs))
            here, there = ([names.index(name) for name in shared[i]] for names in (keys[base], keys[i]))
            products[i] += np.einsum("bk,bk->k", ours[:n, here], theirs[:n, there])
            if run.table == runs[base].table and n:
                otherwise = run.traces(first, n) != runs[base].traces(first, n)
                shares[i].append(otherwise.mean(axis=1))
            if among is not None:
                columns[: len(theirs), i] = theirs[:, keys[i].index(among)]
        matrix += columns.T @ columns
    n_blocks = [run.n_blocks for run in runs]
    free = [max(n - 1, 1) for n in n_blocks]
    overlaps = [max(min(n, n_blocks[base]) - 1, 1) for n in n_blocks]
    size = np.array(n_blocks, dtype=np.float64)
    return Joint(
        variances=[total / n for total, n in zip(squares, free, strict=True)],
        covariances=[
            dict(zip(names, (total / n).tolist(), strict=True))
            for names, total, n in zip(shared, products, overlaps, strict=True)
        ],
        different=[_different(some) if some else None for some in shares],
        among=None if among is None else matrix / np.outer(size, size),
    )


def _different(shares: list[Array]) -> Different:
    by_block = np.concatenate(shares)
    variance = float(by_block.var(ddof=1)) if len(by_block) > 1 else 0.0
    estimate = share_estimate(float(by_block.mean()), variance, len(by_block))
    return Different(estimate, int((by_block > 0).sum()))


def _some(run: Measures, first: int, n_blocks: int) -> Array:
    n = min(n_blocks, run.n_blocks - first)
    return run.influences(first, n) if n > 0 else np.zeros((0, len(run.figures)))
