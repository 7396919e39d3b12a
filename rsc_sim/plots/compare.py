"""Pictures of a comparison: ratings with their ranges, and who wins more against whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import wraps
from itertools import product
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from rsc_sim.analysis.intervals import Estimate
from rsc_sim.analysis.standings import Standings
from rsc_sim.findings import percent
from rsc_sim.findings_compare import beaten, cycle, elo, leader_finding
from rsc_sim.plots.page import LABEL, SMALL, TITLE, Page, house_style, save, told_apart
from rsc_sim.plots.palette import INK, PAPER, SOFT, strategy_colours
from rsc_sim.plots.rows import PITCH

__all__ = ["against", "ratings", "write_all"]

_LONGEST = 1.5
"""Inches that a name may take."""
_IN_TITLE = 2.2
"""Inches that a name may take in a title."""
_MORE, _LESS = "#0072B2", "#D55E00"
_SHOWN = 16
"""Rows of the matrix at most: more would not be read on a phone."""
_FAR = 4
"""A gap this many times as wide as all the rest leaves those beyond it off the axis."""

_Draw = Callable[[Standings, Axes | None], Axes]


def _picture(draw: _Draw) -> Callable[..., Axes]:
    @wraps(draw)
    def drawn(standings: Standings, ax: Axes | None = None) -> Axes:
        with house_style() if ax is None else nullcontext():
            return draw(standings, ax)

    return drawn


def write_all(standings: Standings, folder: str | Path) -> list[Path]:
    """Draw both pictures and write each as SVG and PNG into a folder, which is made where it is missing."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for draw in (ratings, against):
        ax = draw(standings)
        with house_style():
            paths += save(ax, folder, draw.__name__)
    return paths


@_picture
def ratings(standings: Standings, ax: Axes | None = None) -> Axes:
    """Draw each strategy's rating with its range, the highest first; beside it the share of games that it wins."""
    order, found = standings.order, standings.ratings.elo
    shares, colours = standings.encounters.overall, strategy_colours(standings.names)
    page = Page(ax, height=PITCH * (len(order) + 0.2))
    page.label_x("rating (Elo points; the average is 0)", bins=5)
    ax = page.ax
    ax.set_ylim(len(order) - 0.4, -0.6)
    names = told_apart([standings.names[i] for i in order], _LONGEST, LABEL)
    ax.set_yticks(range(len(order)), names, parse_math=False)
    near = _near([found[i].value for i in order])
    low, high = _reach([found[order[at]] for at in near])
    inset = 0.04 * (high - low)
    low, high = low - 2 * inset * (near[-1] < len(order) - 1), high + 2 * inset * (near[0] > 0)
    ax.set_xlim(low, high)
    for y, i in enumerate(order):
        rating, name, colour = found[i], standings.names[i], colours[standings.names[i]]
        if y in near:
            bounded = math.isfinite(rating.low)
            ends = (rating.low, rating.high) if bounded else (low, high)
            ax.plot(
                ends, [y, y], color=colour, linewidth=2.2, linestyle="-" if bounded else ":", solid_capstyle="butt",
                gid=f"range {name}",
            )  # fmt: skip
            ax.plot([rating.value], [y], "o", color=colour, markersize=6.5, gid=f"value {name}")
        else:
            edge, mark = (low + inset, "<") if rating.value < low else (high - inset, ">")
            ax.plot([edge], [y], mark, color=colour, markersize=7.5, gid=f"beyond {name}")
        told = elo(rating) if math.isfinite(rating.low) or standings.n_deals < 2 else "–"
        ax.annotate(
            f"{told}  ({percent(shares[i])})", (1, y), xycoords=("axes fraction", "data"), xytext=(7, 0),
            textcoords="offset points", ha="left", va="center", fontsize=LABEL, color=INK, parse_math=False,
            annotation_clip=False, gid=f"label {name}",
        )  # fmt: skip
    if low < 0 < high:
        ax.axvline(0, color=INK, linewidth=1, linestyle=(0, (4, 2)), zorder=0.9)
    off = " Arrows: off the scale." if len(near) < len(order) else ""
    a_seat = " by a seat" if standings.repeated else ""
    return page.finish(
        leader_finding(standings, _short(standings)).partition(": ")[0],
        f"{_sample(standings)} Lines: 95 % ranges. In brackets: games won{a_seat}, beside an equal share of "
        f"{100 * (1 - standings.unfinished.value) / standings.seats:.1f} %.{off}",
    )


@_picture
def against(standings: Standings, ax: Axes | None = None) -> Axes:
    """Draw, of what two strategies win at tables that hold both, the share of the row's."""
    order, met, wins_over = standings.order[:_SHOWN], standings.encounters.against, beaten(standings)
    n = len(order)
    page = Page(ax, height=max(PITCH, min(0.42, 2.6 / n)) * n)
    ax = page.ax
    ax.spines["bottom"].set_visible(False)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    cut = told_apart([standings.names[i] for i in order], _LONGEST - 0.3, LABEL)
    ax.set_yticks(range(n), [f"{number}  {name}" for number, name in enumerate(cut, 1)], parse_math=False)
    ax.xaxis.tick_top()
    ax.set_xticks(range(n), [str(number) for number in range(1, n + 1)])
    for (y, i), (x, j) in product(enumerate(order), repeat=2):
        pair, cell = f"{standings.names[i]} / {standings.names[j]}", met[i][j]
        value = math.nan if cell is None else cell.value
        square = Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=_shade(value), edgecolor=PAPER, linewidth=1.5)
        square.set_gid(f"cell {pair}")
        ax.add_patch(square)
        if cell is None:
            continue
        clear = j in wins_over[i] or i in wins_over[j]
        text = "–" if math.isnan(value) else f"{100 * value:.{1 if n <= 8 else 0}f}"
        ax.text(
            x, y, text, ha="center", va="center", fontsize=LABEL if n <= 8 else SMALL,
            fontweight="bold" if clear else "normal", color=INK, gid=f"number {pair}",
        )  # fmt: skip
    ax.set_xlabel("against (%)", fontsize=LABEL, color=SOFT, labelpad=4)
    ax.xaxis.set_label_position("top")
    few = f" The {n} highest rated of {len(standings.names)}." if n < len(standings.names) else ""
    return page.finish(
        _title(standings, wins_over),
        "Of what the two win at tables that hold both, the share of the row's: 50 % is level, blue is more, orange "
        f"less, bold is clear (95 %, allowing for the number of pairs). {_sample(standings)}{few}",
    )


def _title(standings: Standings, wins_over: Sequence[Sequence[int]]) -> str:
    names, n = _short(standings), len(standings.names)
    found = cycle(wins_over)
    if found:
        steps = [f"{names[i]} beats {names[j]}" for i, j in zip(found, (*found[1:], found[0]), strict=True)]
        return f"No order of all: {', '.join(steps)}"
    best = next((i for i in range(n) if len(wins_over[i]) == n - 1), None)
    if best is not None:
        return f"{names[best]} wins more than {'each of the others' if n > 2 else names[1 - best]}"
    unbeaten = [i for i in standings.order if not any(i in others for others in wins_over)]
    if len(unbeaten) == n:
        return "No strategy wins clearly more than another"
    return f"None beats {' or '.join(names[i] for i in unbeaten)}"


def _short(standings: Standings) -> list[str]:
    """Give names that a title has room for."""
    return told_apart(standings.names, _IN_TITLE, TITLE)


def _shade(share: float) -> tuple[float, float, float]:
    """Colour a share: by odds, so that 52 and 55 % are told apart as well as 80 and 98 %."""
    if math.isnan(share):
        return to_rgb("#f2f2f2")
    odds = math.log(max(share, 1e-6) / max(1 - share, 1e-6))
    depth = 0.75 * abs(odds) / (abs(odds) + 0.35)
    tint = to_rgb(_MORE if odds > 0 else _LESS)
    red, green, blue = (1 - depth * (1 - part) for part in tint)
    return red, green, blue


def _near(values: Sequence[float]) -> list[int]:
    """Say which of the values, highest first, the axis shows: without those far from most."""
    gaps = sorted(((values[i] - values[i + 1], i + 1) for i in range(len(values) - 1)), reverse=True)
    if len(values) >= 3:
        gap, at = gaps[0]
        above, below = list(range(at)), list(range(at, len(values)))
        most = above if len(above) > len(below) else below
        if len(above) != len(below) and gap > _FAR * (values[most[0]] - values[most[-1]]):
            return most
    return list(range(len(values)))


def _reach(shown: Sequence[Estimate]) -> tuple[float, float]:
    ends = [end for rating in shown for end in (rating.value, rating.low, rating.high) if math.isfinite(end)]
    low, high = min(ends), max(ends)
    room = max(0.06 * (high - low), 1.0)
    return low - room, high + room


def _sample(standings: Standings) -> str:
    n, deals = standings.n_tables, standings.n_deals
    return f"{standings.n_games:,} games at {n:,} table{'s' * (n != 1)} of {standings.seats}, {deals:,} deals."
