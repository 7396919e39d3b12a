"""Ratios of sums over batches of deals, with the jackknife for their spread.

Tallies are kept per batch of consecutive blocks, not per game. Batches are independent and alike but for the last,
which may be shorter; figures from tallies are ratios of sums over them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rsc_sim.analysis.intervals import LEVEL, Estimate, difference_estimate, half_width, share_estimate

__all__ = ["Numbers", "batch_difference", "batch_rate", "batch_share", "dense", "jackknife", "ratio"]

Numbers = npt.NDArray[np.float64]


def ratio(above: Numbers, below: Numbers) -> Numbers:
    """Divide; nothing by nothing is NaN."""
    quotient: Numbers = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=quotient, where=below != 0)
    return quotient


def jackknife(statistic: Callable[..., Numbers], *sums: Numbers) -> tuple[Numbers, Numbers]:
    """Give a statistic of sums over batches, and the variance of its estimate, by leaving out one batch at a time.

    Each of `sums` has the batches along its first axis; `statistic` takes them summed over batches, and works
    elementwise. With n batches and the values t(i) without batch i the variance is (n - 1) / n · Σ (t(i) - mean t)².
    It is NaN where the statistic is, or where it hangs on one batch alone.
    Sources: Tukey, J. W. (1958), Bias and confidence in not-quite large samples, Ann. Math. Stat. 29, 614; Efron, B.
    and Tibshirani, R. J. (1993), An Introduction to the Bootstrap, section 11.2.

    >>> wins, games = np.array([2.0, 1.0, 3.0]), np.array([4.0, 4.0, 4.0])
    >>> value, variance = jackknife(ratio, wins, games)
    >>> float(value), round(float(variance), 6)  # of the mean of 2/4, 1/4 and 3/4: their variance, 1/16, by 3
    (0.5, 0.020833)
    """
    n = len(sums[0])
    totals = [part.sum(axis=0) for part in sums]
    left = statistic(*(total - part for total, part in zip(totals, sums, strict=True)))
    spread = ((left - left.mean(axis=0)) ** 2).sum(axis=0) if n > 1 else np.full(totals[0].shape, np.nan)
    return statistic(*totals), (n - 1) / max(n, 1) * spread


def batch_share(value: float, variance: float, n_batches: int, *, level: float = LEVEL) -> Estimate:
    """Put an interval on a share whose jackknife variance is known: Wilson's, as for shares of games.

    `n_batches` are those with anything of it. Where it was never or always seen each batch is taken for one trial,
    which errs on the wide side.
    """
    if math.isnan(value) or math.isnan(variance):
        return _untold(value, (0.0, 1.0), n_batches, "share", level)
    found = share_estimate(value, variance * n_batches, n_batches, level=level)
    return replace(found, method=_by_batches(found.method))


def batch_difference(value: float, variance: float, n_batches: int, *, level: float = LEVEL) -> Estimate:
    """Put an interval on a difference of two shares whose jackknife variance is known: Student's."""
    if math.isnan(value) or math.isnan(variance):
        return _untold(value, (-1.0, 1.0), n_batches, "difference of shares", level)
    found = difference_estimate(value, variance * n_batches, n_batches, level=level)
    return replace(found, method=_by_batches(found.method))


def batch_rate(value: float, variance: float, n_batches: int, *, unit: str, level: float = LEVEL) -> Estimate:
    """Put an interval on a rate, which is not below 0 but may exceed 1: Student's, cut off at 0."""
    if math.isnan(value) or math.isnan(variance):
        return _untold(value, (0.0, math.inf), n_batches, unit, level)
    half, method = half_width(variance * n_batches, n_batches, level=level)
    return Estimate(value, max(0.0, value - half), value + half, level, unit, n_batches, _by_batches(method))


def _by_batches(method: str) -> str:
    return method.replace("block means", "a jackknife over batches")


def _untold(value: float, widest: tuple[float, float], n_batches: int, unit: str, level: float) -> Estimate:
    """Say that nothing is known, or a value without its spread."""
    method = "never met" if math.isnan(value) else "one batch: no interval"
    return Estimate(value, *widest, level, unit, n_batches, method)


def dense(frame: pl.DataFrame, axes: Mapping[str, int], values: Sequence[str]) -> Numbers:
    """Lay a long frame out as an array: an axis for each of `axes`, columns of numbers from 0, and the values last."""
    array = np.zeros((*axes.values(), len(values)))
    place: tuple[Any, ...] = tuple(frame[name].to_numpy() for name in axes)
    for i, value in enumerate(values):
        array[(*place, i)] = frame[value].to_numpy()
    return array
