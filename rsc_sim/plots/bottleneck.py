"""The picture of what holds games up: what escape windows lack, round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from rsc_sim.analysis import Estimate, figures_of
from rsc_sim.analysis.bottleneck import NEEDS
from rsc_sim.findings import bottleneck_finding
from rsc_sim.plots.page import LABEL, SMALL, Page, picture
from rsc_sim.plots.palette import TYPES
from rsc_sim.plots.words import sample

if TYPE_CHECKING:
    from rsc_sim.run import Run

__all__ = ["bottleneck"]

_HEIGHT = 2.8


@picture
def bottleneck(run: Run, ax: Axes | None = None) -> Axes:
    """Draw, by round, the shares of escape windows that lack Read, a ticket or Merch, and that lack only that."""
    run.require("windows")
    found = figures_of(run).bottleneck
    assert found is not None
    rounds = found.typical()
    page = Page(ax, height=_HEIGHT)
    ax = page.ax
    page.label_y("share of escape windows (%)")
    page.label_x("round")
    ends: list[tuple[float, str, str, bool]] = []
    for need in NEEDS:
        colour = TYPES[need][0]
        lines = (
            ("lacks", {number: windows.lacks[need] for number, windows in rounds.items()}),
            ("lacks only", {number: windows.lacks_only[need] for number, windows in rounds.items()}),
        )
        for what, line in lines:
            _line(ax, line, colour, dashed=what == "lacks", gid=f"{what} {need}")
            if line:
                name = _NAMES[need] if what == "lacks" else f"only {_NAMES[need]}"
                ends.append((100 * list(line.values())[-1].value, name, colour, what == "lacks only"))
    ax.set_ylim(0, 100)
    first, last = min(rounds, default=1), max(rounds, default=1)
    ax.set_xlim(first - 0.5, max(last, first + 1) + 0.3)
    _label_ends(ax, ends)
    small_print = (
        "Solid: that alone is missing. Dashed: it is missing, whatever else is. One seat at a time displays Read, so "
        "most windows lack it in any deck. Later rounds show only the games that last so long. "
    )
    return page.finish(bottleneck_finding(found), small_print + sample(run, "Bands"))


_NAMES = {"read": "Read", "ticket": "ticket", "merch": "Merch"}


def _line(ax: Axes, line: dict[int, Estimate], colour: str, *, dashed: bool, gid: str) -> None:
    x = list(line)
    ax.fill_between(
        x, [100 * estimate.low for estimate in line.values()], [100 * estimate.high for estimate in line.values()],
        # A range of 0 to 100 says nothing, six of them hide the picture.
        where=[estimate.high - estimate.low < 1 for estimate in line.values()],
        color=colour, alpha=0.2, linewidth=0, gid=f"range {gid}",
    )  # fmt: skip
    ax.plot(
        x, [100 * estimate.value for estimate in line.values()], color=colour, linewidth=1.2 if dashed else 2.2,
        linestyle=(0, (4, 1.5)) if dashed else "solid", marker="o" if len(x) < 2 else None, markersize=4, gid=gid,
    )  # fmt: skip


def _label_ends(ax: Axes, ends: list[tuple[float, str, str, bool]]) -> None:
    """Name each line at its right end, pushed apart where two would touch."""
    apart = 100 * 1.25 * LABEL / 72 / _HEIGHT
    ends = sorted(ends)
    y: list[float] = []
    for value, *_ in ends:
        y.append(max([value, *(place + apart for place in y[-1:])]))
    over = max(0.0, y[-1] - 100) if y else 0.0
    for i in reversed(range(len(y))):
        y[i] = min(y[i] - over if i == len(y) - 1 else y[i], *(place - apart for place in y[i + 1 : i + 2]), 100.0)
    for place, (_, name, colour, bold) in zip(y, ends, strict=True):
        ax.annotate(
            name, (1, place), xycoords=("axes fraction", "data"), xytext=(5, 0), textcoords="offset points",
            ha="left", va="center", fontsize=LABEL if bold else SMALL, color=_dark(colour),
            fontweight="bold" if bold else "normal", annotation_clip=False, gid=f"name {name}",
        )  # fmt: skip


def _dark(colour: str) -> str:
    """Give a colour dark enough for letters."""
    return {"#E69F00": "#8F6300"}.get(colour, colour)
