"""Reading a picture back: its numbers, its words, and whether any of its words run into each other."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Text


def artist(ax: Axes, gid: str) -> Any:
    """Find the one artist of that name."""
    (found,) = (each for each in ax.get_children() if each.get_gid() == gid)
    return found


def value(ax: Axes, gid: str) -> float:
    """Give the value of a mark, in percent."""
    (x,) = artist(ax, gid).get_xdata()
    return float(x)


def ends_of(ax: Axes, gid: str) -> tuple[float, float]:
    """Give the ends of a horizontal range, in percent."""
    low, high = artist(ax, gid).get_xdata()
    return float(low), float(high)


def title(ax: Axes) -> str:
    return ax.get_title(loc="left").replace("\n", " ")


def small_print(ax: Axes) -> str:
    return str(artist(ax, "small print").get_text()).replace("\n", " ")


def words(ax: Axes) -> list[Text]:
    """Give every text that is seen."""
    figure: Any = ax.figure
    figure.draw_without_rendering()
    shown = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    low, high = sorted(ax.get_xlim())
    bottom, top = sorted(ax.get_ylim())
    beyond = [
        tick
        for axis, (a, b) in ((ax.xaxis, (low, high)), (ax.yaxis, (bottom, top)))
        for tick in axis.get_major_ticks()
        if not a - 1e-9 <= tick.get_loc() <= b + 1e-9
    ]
    unseen = {id(label) for tick in beyond for label in (tick.label1, tick.label2)}
    return [text for text in shown if id(text) not in unseen]


def collisions(ax: Axes) -> list[str]:
    """Name each pair of texts that overlap by more than a hair, and each text that leaves the page."""
    figure: Any = ax.figure
    dots = figure.dpi / 72
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in words(ax)]
    found = []
    for (a, one), (b, other) in combinations(boxes, 2):
        across = min(one.x1, other.x1) - max(one.x0, other.x0)
        down = min(one.y1, other.y1) - max(one.y0, other.y0)
        if across > 1 * dots and down > 1.5 * dots:  # a line's box is higher than its letters
            found.append(f"{a!r} on {b!r}")
    page = figure.bbox
    for text, box in boxes:
        if box.x0 < page.x0 or box.x1 > page.x1 or box.y0 < page.y0 or box.y1 > page.y1:
            found.append(f"{text!r} leaves the page")
    return found
