"""Rows of figures, one under the other: a mark or a bar with its interval, its name to the left, its value right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from rsc_sim.analysis import Estimate
from rsc_sim.findings import percent
from rsc_sim.plots.page import LABEL, SMALL, Page, told_apart
from rsc_sim.plots.palette import INK, PAPER, SOFT

__all__ = ["PITCH", "Row", "bars", "dots", "reference_line", "rows_height"]

PITCH = 0.25
"""Inches from row to row."""
_LONGEST = 1.75
"""Inches that a name may take."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, a share: what it is, its interval, its colour."""

    name: str
    share: Estimate
    colour: str
    hatch: str | None = None
    mark: str = "o"


Group = tuple[str, Sequence[Row]]
"""A heading, which may be empty, and its rows."""


def rows_height(groups: Sequence[Group]) -> float:
    """Give the height in inches that the rows want."""
    return PITCH * (_places(groups)[1] + 0.2)


def dots(page: Page, groups: Sequence[Group], *, reference: float | None = None) -> None:
    """Draw each share as a mark with its interval; the axis spans what is shown and need not begin at 0."""
    ax = page.ax
    for y, row in _name_rows(page, groups):
        low, high, value = (100 * bound for bound in (row.share.low, row.share.high, row.share.value))
        ax.plot([low, high], [y, y], color=row.colour, linewidth=2.2, solid_capstyle="butt", gid=f"range {row.name}")
        ax.plot([value], [y], row.mark, color=row.colour, markersize=6.5, gid=f"value {row.name}")
    shown = [bound for _, rows in groups for row in rows for bound in (row.share.low, row.share.high)]
    shown += [] if reference is None else [reference]
    low, high = 100 * min(shown, default=0.0), 100 * max(shown, default=1.0)
    room = max(0.08 * (high - low), 0.25)
    # A mark at 0 or 100 is not cut in two, and no number beyond them is on the axis.
    beyond = 0.03 * (high - low + room)
    ax.set_xlim(max(low - room, -beyond), min(high + room, 100 + beyond))


def bars(page: Page, groups: Sequence[Group]) -> None:
    """Draw each share as a bar from 0 to at most 100 %, with its interval."""
    ax = page.ax
    for y, row in _name_rows(page, groups):
        low, high, value = (100 * bound for bound in (row.share.low, row.share.high, row.share.value))
        ax.barh(
            [y], [value], height=0.62, color=row.colour, hatch=row.hatch, edgecolor=SOFT, linewidth=0.6,
            gid=f"value {row.name}",
        )  # fmt: skip
        ax.plot([low, high], [y, y], color=INK, linewidth=1.4, solid_capstyle="butt", gid=f"range {row.name}")
    ax.set_xlim(0, 100)


def reference_line(ax: Axes, value: float, text: str) -> None:
    """Draw a vertical line across and say above it what it is."""
    ax.axvline(value, color=INK, linewidth=1, linestyle=(0, (4, 2)), zorder=0.9, gid="reference")
    low, high = ax.get_xlim()
    where = (value - low) / (high - low)
    align = "left" if where < 0.3 else "right" if where > 0.7 else "center"
    ax.annotate(
        text, (value, 1), xycoords=("data", "axes fraction"), xytext=(0, 2), textcoords="offset points",
        ha=align, va="bottom", fontsize=SMALL, color=INK, parse_math=False, annotation_clip=False,
    )  # fmt: skip


def _places(groups: Sequence[Group]) -> tuple[list[tuple[float, str]], float]:
    """Place headings, and give them with the number of rows in all, headings and gaps counted."""
    y, headings = 0.0, []
    for number, (heading, rows) in enumerate(groups):
        y += 0.35 if number else 0.0
        if heading:
            headings.append((y, heading))
            y += 0.95
        y += len(rows)
    return headings, y


def _name_rows(page: Page, groups: Sequence[Group]) -> list[tuple[float, Row]]:
    """Lay out the rows from the top down, name them, and write each value at the right."""
    ax, y, placed = page.ax, 0.0, []
    for number, (heading, rows) in enumerate(groups):
        y += 0.35 if number else 0.0
        y += 0.95 if heading else 0.0
        for row in rows:
            placed.append((y, row))
            y += 1
    ax.set_ylim(y - 0.4, -0.6)
    names = told_apart([row.name for _, row in placed], _LONGEST, LABEL)
    ax.set_yticks([place for place, _ in placed], names, parse_math=False)
    for place, row in placed:
        ax.annotate(
            "–" if math.isnan(row.share.value) else percent(row.share), (1, place),
            xycoords=("axes fraction", "data"), xytext=(5, 0), textcoords="offset points",
            ha="left", va="center", fontsize=LABEL, color=INK, parse_math=False, annotation_clip=False,
            gid=f"label {row.name}",
        )  # fmt: skip
    inches = page.fit()
    for place, heading in _places(groups)[0]:
        left = inches / (ax.get_window_extent().width / ax.figure.dpi)
        ax.text(
            -left, place, heading, transform=ax.get_yaxis_transform(), fontsize=SMALL, color=SOFT, va="center",
            parse_math=False, bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.5},
        )  # fmt: skip
    return placed
