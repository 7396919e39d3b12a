"""Many questions at once: how many of the differences that stand out would stand out by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["adjusted", "two_sided"]


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Give for each p-value the least false discovery rate at which its question counts as answered.

    The step-up procedure of Benjamini and Hochberg: with p(1) ≤ ... ≤ p(m), the i-th gets the least of m p(j) / j over
    j ≥ i. Answering those at or below q keeps the expected share of false answers below q, also where figures are
    positively dependent. NaN, a question that could not be asked, stays out and stays NaN. Sources: Benjamini, Y. and
    Hochberg, Y. (1995), Controlling the false discovery rate, J. R. Stat. Soc. B 57, 289-300; Benjamini, Y. and
    Yekutieli, D. (2001), Ann. Stat. 29, 1165-1188.

    >>> adjusted([0.01, 0.04, 0.03, 0.5])
    [0.04, 0.05333333333333334, 0.05333333333333334, 0.5]
    """
    values = np.asarray(p_values, dtype=np.float64)
    asked = np.flatnonzero(~np.isnan(values))
    order = asked[np.argsort(values[asked], kind="stable")]
    scaled = values[order] * len(order) / np.arange(1, len(order) + 1)
    result = np.full(len(values), np.nan)
    result[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return [float(value) for value in result]


def two_sided(value: float, error: float, freedom: float) -> float:
    """Give the chance of a value at least so far from 0, in units of its standard error, by Student's t."""
    if math.isnan(value) or math.isnan(error) or not freedom >= 1:
        return math.nan
    if error == 0:
        return 1.0 if value == 0 else 0.0
    from scipy.special import stdtr  # type: ignore[import-untyped]

    return float(2 * stdtr(freedom, -abs(value) / error))
