"""Rows of kinds of card, each with its marks and its name beside them, on the side where the row is empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rsc_sim.plots.page import SMALL, Page, text_width, told_apart
from rsc_sim.plots.palette import INK, PAPER

__all__ = ["PITCH", "KindRow", "name_rows"]

PITCH = 0.155
"""Inches from row to row: 64 kinds make a picture of some ten inches."""
_LONGEST = (2.3, 2.0, 1.7, 1.4)
"""Inches that a name may take: the first that leaves the marks enough room."""
_ENOUGH = 0.45
"""Of the axis, what the marks should have."""
_GAP = 0.07
"""Inches between a mark and the name beside it."""


@dataclass(frozen=True)
class KindRow:
    """A row: where it lies, what it is called, and from where to where its marks reach."""

    y: int
    kind: str
    name: str
    low: float
    high: float

    @property
    def on_left(self) -> bool:
        """Whether the name stands on the left of the marks: on the side where the row is empty."""
        return self.low + self.high >= 0


def name_rows(page: Page, rows: Sequence[KindRow]) -> None:
    """Write each name beside its marks, where the row is empty, and widen the axis until all names fit."""
    ax = page.ax
    wide = float(ax.get_window_extent().width / ax.figure.dpi)
    low, high = min((row.low for row in rows), default=-1.0), max((row.high for row in rows), default=1.0)
    low, high = min(low, -0.5), max(high, 0.5)
    for longest in _LONGEST:
        names = told_apart([row.name for row in rows], longest, SMALL, head=1.0)
        limits = _limits(rows, names, low, high, wide)
        if high - low >= _ENOUGH * (limits[1] - limits[0]):
            break
    ax.set_xlim(*limits)
    for row, name in zip(rows, names, strict=True):
        ax.annotate(
            name, (min(row.low, 0) if row.on_left else max(row.high, 0), row.y),
            xytext=(-_GAP * 72 if row.on_left else _GAP * 72, 0), textcoords="offset points",
            ha="right" if row.on_left else "left", va="center", fontsize=SMALL, color=INK, parse_math=False,
            annotation_clip=False, gid=f"name {row.kind}",
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.5}, in_layout=False,
        )  # fmt: skip


def _limits(rows: Sequence[KindRow], names: Sequence[str], low: float, high: float, wide: float) -> tuple[float, float]:
    """Find the ends of an axis `wide` inches long that holds every mark and every name."""
    margin = _GAP * 1.2
    scale = (high - low) / wide  # points an inch; names take more points the more points an inch there are
    for _ in range(100):
        left, right = low - margin * scale, high + margin * scale
        for row, name in zip(rows, names, strict=True):
            room = (text_width(name, SMALL) + 1.5 * _GAP) * scale
            if row.on_left:
                left = min(left, min(row.low, 0) - room)
            else:
                right = max(right, max(row.high, 0) + room)
        if right - left <= scale * wide * 1.001:
            break
        scale = 1.001 * (right - left) / wide
    spare = max(0.0, scale * wide - (right - left)) / 2
    return left - spare, right + spare
