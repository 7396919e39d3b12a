"""What a training says, in a sentence: where its curve ended, and against which fields it lost what it had.

Sentences are made from the points of the curve alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rsc_sim.analysis.intervals import Estimate
from rsc_sim.findings import listed, percent

__all__ = ["Points", "curve_finding", "lost_against"]

Points = Sequence[tuple[int, Sequence[Estimate]]]
"""Generations, and the share of games won against each field then."""


def curve_finding(name: str, fields: Sequence[str], points: Points, *, seats: int) -> str:
    """Say where the curve ended: ahead of an even share against all fields, some or none, and by how much at least;
    and against which fields what was trained wins less than what it was trained from.
    """
    before, after = points[0][1], points[-1][1]
    lost = lost_against(points)
    if not lost:
        return _reached(name, before, after, 100 / seats)
    told = listed([f"{fields[i]} {percent(after[i])}, at the start {percent(before[i])}" for i in lost])
    if any(_clearly_less(one, other) for one, other in zip(before, after, strict=True)):
        return f"{_reached(name, before, after, 100 / seats)}; it wins less than what it started from against {told}"
    which = f" against {len(lost)} of {len(after)} fields" if len(lost) < len(after) else ""
    return f"{name} wins less than what it started from{which}: against {told}"


def lost_against(points: Points) -> list[int]:
    """Number the fields against which the last point lies clearly below the first."""
    before, after = points[0][1], points[-1][1]
    return [i for i in range(len(after)) if _clearly_less(after[i], before[i])]


def _clearly_less(one: Estimate, other: Estimate) -> bool:
    """Say whether one lies below another by more than both ranges leave to chance, had they deals of their own.

    Points of a curve share their deals, which makes their difference surer than that.
    """
    return other.value - one.value > math.hypot(one.high - one.value, other.value - other.low)


def _reached(name: str, before: Sequence[Estimate], after: Sequence[Estimate], even: float) -> str:
    worst, first = (min(range(len(after)), key=lambda i: each[i].value) for each in (after, before))
    value = f"{100 * after[worst].value:.1f} %"
    ahead = sum(100 * estimate.low > even for estimate in after)
    learned = after[worst].low > before[first].high
    trained = f", {100 * before[first].value:.1f} % before training" if learned else ""
    if ahead == len(after):
        which = "against every field" if len(after) > 1 else "against its field"
        return f"{name} wins more than an even share {which}: {value} at least{trained}"
    if ahead:
        return f"{name} is ahead of an even share against {ahead} of {len(after)} fields; the least is {value}{trained}"
    return f"{name} is not ahead of an even share against any field: {value} at the least{trained}"
