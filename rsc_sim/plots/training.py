"""The learning curve of a training: the share of games won against each field, on deals that were not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from matplotlib.axes import Axes

from rsc_sim.findings_train import Points, curve_finding
from rsc_sim.plots.page import LABEL, SMALL, Page, house_style, save, told_apart
from rsc_sim.plots.palette import SOFT, strategy_colours

__all__ = ["learning_curve", "write_curve"]

_LONGEST = 1.3
"""Inches that a field's name may take."""
_HEIGHT = 2.7
_APART = 0.15
"""Inches between the middles of two labels, at least."""


def write_curve(name: str, fields: Sequence[str], points: Points, folder: Path, *, seats: int) -> list[Path]:
    """Draw the curve and write it as SVG and PNG into a folder."""
    ax = learning_curve(name, fields, points, seats=seats)
    with house_style():
        return save(ax, folder, "curve")


def learning_curve(name: str, fields: Sequence[str], points: Points, *, seats: int, ax: Axes | None = None) -> Axes:
    """Draw the share of games won against each field over generations, with ranges at 95 %, and the even share."""
    with house_style() if ax is None else nullcontext():
        return _draw(name, fields, points, seats, Page(ax, height=_HEIGHT))


def _draw(name: str, fields: Sequence[str], points: Points, seats: int, page: Page) -> Axes:
    ax, colours = page.ax, strategy_colours(fields)
    generations = [generation for generation, _ in points]
    last = [100 * estimate.value for estimate in points[-1][1]]
    lows = [100 * estimate.low for _, estimates in points for estimate in estimates]
    highs = [100 * estimate.high for _, estimates in points for estimate in estimates]
    even = 100 / seats
    low, high = min([*lows, even]), max([*highs, even])
    ax.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))
    ax.set_xlim(generations[0], max(generations[-1], generations[0] + 1))
    page.label_x("generations")
    page.label_y("games won by its one seat (%)")
    ax.axhline(even, color=SOFT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    ax.annotate(
        f"even share {even:.1f} %",
        (1, even),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 2),
        textcoords="offset points",
        ha="right",
        fontsize=SMALL,
        color=SOFT,
    )
    for i, field in enumerate(fields):
        estimates = [each[i] for _, each in points]
        ax.fill_between(
            generations,
            [100 * estimate.low for estimate in estimates],
            [100 * estimate.high for estimate in estimates],
            color=colours[field],
            alpha=0.18,
            linewidth=0,
        )
        values = [100 * estimate.value for estimate in estimates]
        ax.plot(generations, values, color=colours[field], linewidth=1.8, marker="o", markersize=2.4, zorder=3)
    names = told_apart(fields, _LONGEST, LABEL)
    shown = [f"{name} {value:.1f}" for name, value in zip(names, last, strict=True)]
    unit = (ax.get_ylim()[1] - ax.get_ylim()[0]) / _HEIGHT
    for i, y in _spread(last, _APART * unit):
        ax.annotate(
            shown[i],
            (1, y),
            xycoords=("axes fraction", "data"),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=LABEL,
            color=colours[fields[i]],
            annotation_clip=False,
            parse_math=False,
        )
    n = points[-1][1][0].n_blocks * seats
    small = (
        f"One seat of {seats}, the others as named beside the line, on {n:,} games a field that were not trained on. "
        "Bands: 95 % ranges."
    )
    return page.finish(curve_finding(name, fields, points, seats=seats), small)


def _spread(values: Sequence[float], apart: float) -> list[tuple[int, float]]:
    """Give each label's height, moved up where it would stand on the one below."""
    placed: list[tuple[int, float]] = []
    for i in sorted(range(len(values)), key=lambda i: values[i]):
        y = values[i] if not placed else max(values[i], placed[-1][1] + apart)
        placed.append((i, y))
    return placed
