"""The picture of a check: how each figure's range closed in, over games played, against the margin that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from rsc_sim.plots.page import LABEL, SMALL, Page, house_style, told_apart
from rsc_sim.plots.palette import GRID, INK, SOFT

if TYPE_CHECKING:
    from rsc_sim.check_result import CheckResult

__all__ = ["check_trail"]

_COLOURS = {"unchanged": "#009E73", "changed": "#D55E00", "undecided": "#7F7F7F"}
_MARKS = {"unchanged": "=", "changed": "≠", "undecided": "?"}
_ROW = 0.42
"""Inches a figure."""
_NAME = 2.2
"""Inches that a figure's name may take."""
_SHOWN = 2.0
"""Margins to either side that a row has room for."""


def check_trail(result: CheckResult, ax: Axes | None = None) -> Axes:
    """Draw a row for each watched figure: its range in units of its margin, look by look; a band is what does not
    matter.

    For a result of the statistical level; the exact level has nothing to draw.
    """
    from rsc_sim.check_result import answer, difference_words

    with house_style():
        page = Page(ax, height=_ROW * max(1, len(result.judged)))
        ax = page.ax
        games = np.array([look.n * result.rotations for look in result.trail], dtype=float)
        if len(games) == 1:
            games = np.array([games[0] * 0.9, games[0]])
        half = 0.5 / _SHOWN * 0.94
        for row, judged in enumerate(result.judged):
            y = -row
            margin = judged.metric.margin
            ax.axhspan(y - half, y + half, color=GRID, linewidth=0)
            ax.axhline(y, color=SOFT, linewidth=0.5, dashes=(2, 2))
            ends = []
            for values in ([look.low[row] for look in result.trail], [look.high[row] for look in result.trail]):
                scaled = np.clip(np.array(values) / margin, -_SHOWN, _SHOWN) * half
                ends.append(y + np.resize(scaled, len(games)) if len(scaled) == 1 else y + scaled)
            colour = _COLOURS[judged.verdict]
            ax.fill_between(games, ends[0], ends[1], color=colour, alpha=0.35, linewidth=0)
            for end in ends:
                ax.plot(games, end, color=colour, linewidth=1.2, solid_capstyle="butt")
            if abs(judged.difference) > _SHOWN * judged.margin:
                mark = "^" if judged.difference > 0 else "v"
                at = y + np.sign(judged.difference) * _SHOWN * half * 0.8
                ax.plot([games[-1]], [at], marker=mark, markersize=5, color=colour, clip_on=False, linewidth=0)
            told = f"{_MARKS[judged.verdict]} {difference_words(judged).split(' (')[0]}"
            ax.annotate(
                told, (1, y), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
                va="center", fontsize=SMALL, color=INK, parse_math=False,
            )  # fmt: skip
        ax.set_ylim(-len(result.judged) + 0.5, 0.5)
        ax.set_xlim(games[0], games[-1])
        if games[-1] > 4 * games[0]:
            ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_xticks([games[0], games[-1]] if games[-1] < 4 * games[0] else _ticks(games[0], games[-1]))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _thousands(value)))
        names = told_apart([judged.metric.label for judged in result.judged], _NAME, LABEL)
        ax.set_yticks([-row for row in range(len(result.judged))], names, parse_math=False)
        ax.tick_params(axis="y", labelsize=LABEL)
        ax.set_xlabel("games a side", fontsize=LABEL, color=SOFT)
        what = f"{result.candidate} against {result.baseline}"
        return page.finish(
            f"{answer(result)[:-1]}",
            f"{what}. Each row: the range of the difference at 95 %, as games were played; the grey band is what does "
            "not matter (the margin), the line in it is no difference. Ranges beyond twice the margin are cut off.",
        )


def _ticks(low: float, high: float) -> list[float]:
    """Give two to four round places on a logarithmic axis."""
    places = [m * 10.0**e for e in range(2, 12) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    step = max(1, -(-len(places) // 4))
    return places[::step]


def _thousands(value: float) -> str:
    return f"{value / 1e6:g} M" if value >= 1e6 else f"{value / 1e3:.3g} k" if value >= 1e3 else f"{value:g}"
