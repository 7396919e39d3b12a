"""What a deck changes by a copy more, or a copy less, of a kind: differences of blocks on shared deals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsc_sim.analysis.batches import Numbers
from rsc_sim.analysis.discoveries import adjusted, two_sided
from rsc_sim.analysis.intervals import LEVEL, Estimate, difference_estimate, half_width

__all__ = ["CopyEffect", "copy_effects"]


@dataclass(frozen=True, slots=True)
class CopyEffect:
    """What one copy more, or less, of a kind in the deck changes in one figure."""

    kind: str
    change: int
    """1: one copy more; -1: one less."""
    figure: str
    """`turns`, `unfinished`, or the strategy whose win share a seat is meant."""
    difference: Estimate
    p_adjusted: float
    """How often chance alone would show as much, after allowing for the kinds looked at (Benjamini and Hochberg)."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "kind": self.kind,
            "change": self.change,
            "figure": self.figure,
            "difference": self.difference.to_dict(),
            "p_adjusted": None if math.isnan(self.p_adjusted) else self.p_adjusted,
        }


def copy_effects(
    differences: Mapping[tuple[str, int], Numbers], figures: Sequence[str], *, level: float = LEVEL
) -> tuple[CopyEffect, ...]:
    """Work out each change from its differences [block, figure]: Student's interval on the mean over blocks.

    Kinds are allowed for within a figure and a direction of change.
    """
    effects = []
    for i, figure in enumerate(figures):
        for change in (1, -1):
            asked = {kind: blocks[:, i] for (kind, which), blocks in differences.items() if which == change}
            told = {kind: _estimate(blocks, figure, level) for kind, blocks in asked.items()}
            p = [_p(blocks) for blocks in asked.values()]
            for (kind, estimate), q in zip(told.items(), adjusted(p), strict=True):
                effects.append(CopyEffect(kind, change, figure, estimate, q))
    return tuple(effects)


def _estimate(blocks: Numbers, figure: str, level: float) -> Estimate:
    n = len(blocks)
    mean = float(blocks.mean()) if n else math.nan
    variance = float(blocks.var(ddof=1)) if n > 1 else math.nan
    if figure != "turns":
        return difference_estimate(mean, variance, n, level=level)
    if n < 2:
        return Estimate(mean, -math.inf, math.inf, level, "turns", n, "one block: no interval")
    half, method = half_width(variance, n, level=level)
    return Estimate(mean, mean - half, mean + half, level, "turns", n, method)


def _p(blocks: Numbers) -> float:
    n = len(blocks)
    if n < 2:
        return math.nan
    return two_sided(float(blocks.mean()), float(np.std(blocks, ddof=1) / math.sqrt(n)), n - 1)
