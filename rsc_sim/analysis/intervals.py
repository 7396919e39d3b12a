"""Intervals for shares, from the mean and variance of block means.

Pure functions on numbers. The frames they come from are `blocks`' matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from rsc_sim.sequential import Sums, interval

__all__ = [
    "LEVEL",
    "Estimate",
    "critical_value",
    "difference_estimate",
    "half_width",
    "sequence_estimate",
    "share_estimate",
    "wilson",
]

LEVEL = 0.95
"""The level of every interval unless told otherwise."""

_ROUNDING = 1e-12
"""A variance of block means below this is rounding: means of 32-bit win shares differ by some 1e-8."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval: `low` to `high` holds the true value in `level` of all runs."""

    value: float
    low: float
    high: float
    level: float
    unit: str
    """What 1 stands for: `share`, `difference of shares`, `rounds`, `turns`, `a copy drawn`."""
    n_blocks: int
    """Independent deals that it rests on; of a figure from tallies, batches of deals. `method` tells which."""
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file, which knows no infinity: what cannot be told is None."""
        return {name: None if _untold(value) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Estimate:
        """Give an estimate that was kept in a JSON file; other keys are passed over."""
        untold = {"value": math.nan, "low": -math.inf, "high": math.inf}
        told = {name: none if data[name] is None else float(data[name]) for name, none in untold.items()}
        return cls(
            told["value"], told["low"], told["high"], data["level"], data["unit"], data["n_blocks"], data["method"]
        )


def _untold(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


@lru_cache(maxsize=1024)
def critical_value(level: float, n_blocks: int) -> float:
    """Give the half-width, in standard errors, of a two-sided interval on the mean of `n_blocks` block means.

    Student's t below 200 blocks, the normal above, where they differ by less than 0.7 %. From 19 degrees of freedom on
    t is had from its expansion in the normal quantile, right to 1 part in 100,000 up to level 0.999; below, by search
    in the distribution itself. scipy has both, and takes as long to load as a thousand games take to play. Source:
    Abramowitz, M. and Stegun, I. A. (1964), Handbook of Mathematical Functions, 26.7.3 to 26.7.5.
    """
    freedom = max(n_blocks - 1, 1)
    if freedom < 19:
        low, high = 0.0, 1.0
        while _within(high, freedom) < level:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if _within(middle, freedom) < level else (low, middle)
        return high
    z = NormalDist().inv_cdf((1 + level) / 2)
    if n_blocks >= 200:
        return z
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return math.fsum([z, *(term / math.pow(freedom, i) for i, term in enumerate(terms, 1))])


def _within(t: float, freedom: int) -> float:
    """Give the probability that Student's t of so many degrees of freedom, few of them, lies within -t and t."""
    angle = math.atan(t / math.sqrt(freedom))
    odd = freedom % 2
    term, series = (math.cos(angle) if odd else 1.0), 0.0
    for i in range(1 + odd, freedom, 2):
        series += term
        term *= math.cos(angle) ** 2 * i / (i + 1)
    series *= math.sin(angle)
    return 2 / math.pi * (angle + series) if odd else series


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Give the score interval of a share among `n` independent trials; `n` need not be whole.

    Source: Wilson, E. B. (1927), Probable inference, the law of succession, and statistical inference, J. Am. Stat.
    Assoc. 22, 209-212. With 15 of 148, as in Newcombe (1998), table I:

    >>> [round(bound, 4) for bound in wilson(15 / 148, 148, 1.959964)]
    [0.0624, 0.1605]
    """
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def share_estimate(mean: float, variance: float, n_blocks: int, *, level: float = LEVEL) -> Estimate:
    """Estimate a share from the mean and the sample variance of its block means.

    Wilson's interval with the effective number of trials n* = p(1 - p) / Var(mean), where Var(mean) = variance /
    n_blocks; unlike a t interval it stays within 0 and 1 and holds for rare wins. At 0 and 1 it is one-sided: an
    event that n blocks never showed has a share below about 3 / n (at 95 %: -ln 0.05 = 2.996). Where all block means
    are alike, each block counts as one trial, which errs on the wide side. One block alone tells nothing about the
    spread: the interval is 0 to 1.
    """
    if n_blocks < 1:
        return Estimate(math.nan, 0.0, 1.0, level, "share", n_blocks, "no blocks")
    mean = min(max(mean, 0.0), 1.0)
    if n_blocks == 1:
        return Estimate(mean, 0.0, 1.0, level, "share", 1, "one block: no interval")
    if mean * (1 - mean) < _ROUNDING:
        bound = min(1.0, -math.log(1 - level) / n_blocks)
        low, high = (0.0, bound) if mean < 0.5 else (1.0 - bound, 1.0)
        return Estimate(float(round(mean)), low, high, level, "share", n_blocks, "never or always seen: one-sided")
    effective = n_blocks if variance < _ROUNDING else mean * (1 - mean) * n_blocks / variance
    low, high = wilson(mean, effective, critical_value(level, n_blocks))
    return Estimate(mean, low, high, level, "share", n_blocks, "Wilson on block means")


def sequence_estimate(mean: float, variance: float, n_blocks: int, *, level: float = LEVEL) -> Estimate:
    """Estimate a share by an interval that holds at every look at once, for a run that ended because of what it found.

    The confidence sequence of `sequential`, two pseudo-blocks of ± 1 included, as at the look that ended the run.
    """
    total = np.array([mean * n_blocks])
    sums = Sums(n_blocks, total, np.array([variance * max(n_blocks - 1, 0)]) + total * mean)
    low, high = interval(sums, bound=1.0, alpha=1 - level)
    return Estimate(
        mean, max(0.0, float(low[0])), min(1.0, float(high[0])), level, "share", n_blocks, "confidence sequence"
    )


def half_width(variance: float, n_blocks: int, *, level: float = LEVEL) -> tuple[float, str]:
    """Give half of Student's interval on the mean of two or more block means, from their sample variance; and its name.

    It holds for many blocks, or for values that are near normal. Where all block means are alike it is that of an
    event never seen, -ln(1 - level) / n_blocks.
    """
    if variance < _ROUNDING:
        return -math.log(1 - level) / n_blocks, "no spread seen: as for an event never seen"
    return critical_value(level, n_blocks) * math.sqrt(variance / n_blocks), "Student's t on block means"


def difference_estimate(mean: float, variance: float, n_blocks: int, *, level: float = LEVEL) -> Estimate:
    """Estimate a difference of two shares from the mean and the sample variance of its block means."""
    unit = "difference of shares"
    if n_blocks < 1:
        return Estimate(math.nan, -1.0, 1.0, level, unit, n_blocks, "no blocks")
    if n_blocks == 1:
        return Estimate(mean, -1.0, 1.0, level, unit, 1, "one block: no interval")
    half, method = half_width(variance, n_blocks, level=level)
    return Estimate(mean, max(-1.0, mean - half), min(1.0, mean + half), level, unit, n_blocks, method)
