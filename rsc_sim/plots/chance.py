"""The picture of what chance alone does: the same rules against themselves, on other deals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from rsc_sim.analysis import Apart, figures_of
from rsc_sim.findings import chance_finding, nth
from rsc_sim.plots.page import LABEL, Page, picture, told_apart
from rsc_sim.plots.palette import ESCAPE, GRID, INK, strategy_colours
from rsc_sim.plots.rows import PITCH

if TYPE_CHECKING:
    from rsc_sim.run import Run

__all__ = ["chance"]

_LONGEST = 1.5
"""Inches that a name may take."""


@picture
def chance(run: Run, ax: Axes | None = None) -> Axes:
    """Draw how far apart two runs of the same rules lie: expected for this size, and seen between pieces of this run.

    For runs of a few hundred deals or more, else there is nothing to draw but a page that says so.
    """
    found = figures_of(run).chance
    rows = found.shares if found else ()
    page = Page(ax, height=PITCH * 1.1 * max(len(rows), 1) + 0.1)
    ax = page.ax
    page.label_x("difference in win share (percentage points)", bins=5)
    ax.set_ylim(len(rows) - 0.4 if rows else 1, -0.6)
    ax.set_yticks(range(len(rows)), told_apart([_name(row) for row in rows], _LONGEST, LABEL), parse_math=False)
    colours = strategy_colours(row.who for row in rows if row.group == "strategy")
    for y, row in enumerate(rows):
        colour = colours.get(row.who, ESCAPE) if row.group == "strategy" else ESCAPE
        for half, height, shade, what in ((row.piece, 0.72, GRID, "pieces"), (row.whole, 0.72, colour, "runs")):
            ax.barh(
                [y], [200 * half], left=[-100 * half], height=height, color=shade, gid=f"{what} {row.group} {row.who}"
            )
        ax.plot(
            [100 * difference for difference in row.differences], [y] * len(row.differences), "o", color=INK,
            markersize=2.6, alpha=0.75, markeredgewidth=0, gid=f"pairs {row.group} {row.who}",
        )  # fmt: skip
        ax.annotate(
            f"± {100 * row.whole:.{2 if row.whole < 0.002 else 1}f}", (1, y), xycoords=("axes fraction", "data"),
            xytext=(5, 0), textcoords="offset points", ha="left", va="center", fontsize=LABEL, color=INK,
            annotation_clip=False,
        )  # fmt: skip
    if rows:
        widest = 110 * max(max(row.piece, *map(abs, row.differences)) for row in rows)
        widest = widest or 1.0  # where nobody ever wins nothing differs
        ax.set_xlim(-widest, widest)
    return page.finish(chance_finding(found), _small_print(run))


def _name(row: Apart) -> str:
    return row.who if row.group == "strategy" else f"{nth(int(row.who))} to play"


def _small_print(run: Run) -> str:
    found, played = figures_of(run).chance, run.experiment
    if found is None:
        return f"{played.n_blocks:,} deals are too few to cut the run into pieces."
    inside = sum(row.within for row in found.shares)
    pairs = sum(len(row.differences) for row in found.shares)
    games = found.n_piece_blocks * played.rotations
    return (
        f"Same rules, same table, other deals. Coloured: in 19 of 20 pairs, two runs of {played.n_games:,} games lie "
        f"no further apart. Grey: the same of {games:,} games. Dots: pieces of this run so large, two by two; "
        f"{inside} of {pairs} lie within the grey ({0.95 * pairs:.0f} expected)."
    )
