"""At which setting does a figure reach a wished value? A monotone curve through estimates, read backwards.

Pure functions on numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rsc_sim.analysis.intervals import LEVEL

__all__ = ["Crossing", "find_crossing", "monotone"]

Array = npt.NDArray[np.float64]

_DRAWS = 2_000
_GRID = 64
"""Points between two settings at which the curve is read."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The setting at which a curve reaches a value."""

    value: float | None
    """None where the curve does not reach it between the settings that were played."""
    low: float | None
    """None where the interval goes beyond the settings that were played."""
    high: float | None
    level: float
    reached: float
    """The share of plausible curves that reach the value at all."""
    rising: bool
    method: str = "monotone curve, redrawn from the covariance of its points"

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return asdict(self)


def monotone(y: Sequence[float] | Array, weights: Sequence[float] | Array, *, rising: bool) -> Array:
    """Fit the nearest monotone sequence by pooling adjacent violators.

    Source: Ayer, M., Brunk, H. D., Ewing, G. M., Reid, W. T. and Silverman, E. (1955), An empirical distribution
    function for sampling with incomplete information, Ann. Math. Stat. 26, 641-647.

    >>> monotone([1, 3, 2, 4], [1, 1, 1, 1], rising=True).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    sign = 1.0 if rising else -1.0
    pools: list[list[float]] = []  # value, weight, count
    for value, weight in zip(y, weights, strict=True):
        pools.append([sign * float(value), float(weight), 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, v, n), (b, w, m) = pools[-2], pools[-1]
            pools[-2:] = [[(a * v + b * w) / (v + w), v + w, n + m]]
    return sign * np.repeat([pool[0] for pool in pools], [int(pool[2]) for pool in pools])


def find_crossing(
    x: Sequence[float],
    y: Sequence[float],
    covariance: npt.ArrayLike,
    wanted: float,
    *,
    level: float = LEVEL,
) -> Crossing:
    """Estimate at which setting, among and between those played, a monotone figure reaches a wished value.

    The points are made monotone, in whichever direction fits better, and joined by a cubic that keeps them so. Source:
    Fritsch, F. N. and Carlson, R. E. (1980), Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17, 238-246.
    The interval is had by redrawing the points from the normal distribution with the covariance of their estimates
    (asymptotically that of block means), and reading each curve backwards. Its limit: it knows nothing of how the
    figure bends between two settings that were played. Always draws the same, whatever the process.
    """
    at, mean = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    spread = np.asarray(covariance, dtype=np.float64)
    if len(at) < 2 or np.any(np.diff(at) <= 0):
        raise ValueError("expected two settings or more, in ascending order")
    weights = 1 / np.maximum(np.diag(spread), 1e-18)
    errors = {way: float((weights * (monotone(mean, weights, rising=way) - mean) ** 2).sum()) for way in (True, False)}
    rising = errors[True] < errors[False] or (errors[True] == errors[False] and bool(mean[-1] >= mean[0]))
    # By eigenvectors, since points that hardly differ on shared deals make the matrix singular.
    lengths, axes = np.linalg.eigh((spread + spread.T) / 2)
    root = axes * np.sqrt(np.maximum(lengths, 0.0))
    draws = mean + np.random.default_rng(20_11).standard_normal((_DRAWS, len(at))) @ root.T
    curves = np.array([monotone(points, weights, rising=rising) for points in (mean, *draws)])
    value, *found = _read_back(at, curves, wanted, rising)
    reached = float(np.isfinite(found).mean())
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], method="nearest")
    bounds = [float(bound) if np.isfinite(bound) else None for bound in (low, high)]
    return Crossing(float(value) if np.isfinite(value) else None, bounds[0], bounds[1], level, reached, rising)


def _read_back(x: Array, curves: Array, wanted: float, rising: bool) -> list[float]:
    """Read monotone curves [curve, setting] backwards.

    -inf or inf stands for a curve that stays to one side; of a flat stretch it is the middle.
    """
    from scipy.interpolate import PchipInterpolator  # type: ignore[import-untyped]

    fine = np.linspace(0, len(x) - 1, (len(x) - 1) * _GRID + 1)
    settings = np.interp(fine, np.arange(len(x)), x)
    heights = PchipInterpolator(x, curves, axis=1)(settings)
    if not rising:
        heights, settings = heights[:, ::-1], settings[::-1]
    return [_read_one(np.maximum.accumulate(curve), settings, wanted, rising) for curve in heights]


def _read_one(curve: Array, settings: Array, wanted: float, rising: bool) -> float:
    """Read one rising curve on a fine grid backwards; `settings` descend where the figure falls."""
    tiny = 1e-9 * max(1.0, abs(wanted))
    if not curve[0] - tiny <= wanted <= curve[-1] + tiny:
        return float(np.inf if (wanted > curve[-1]) == rising else -np.inf)
    left, right = (int(at) for at in np.searchsorted(curve, [wanted - tiny, wanted + tiny]))
    if right > left:
        return float((settings[left] + settings[right - 1]) / 2)
    share = (wanted - curve[left - 1]) / (curve[left] - curve[left - 1])
    return float(settings[left - 1] + share * (settings[left] - settings[left - 1]))
