"""Pictures of a sweep: a curve over numbers, values by point, differences to the base, a map over two keys.

Each function draws one figure of a `SweepView` and returns its axes, as the pictures of a run do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from rsc_sim.analysis.intervals import Estimate
from rsc_sim.plots.page import LABEL, SMALL, Page, house_style, save, text_width, told_apart, wrapped
from rsc_sim.plots.palette import ESCAPE, GRID, INK, SOFT, strategy_colours
from rsc_sim.plots.rows import reference_line
from rsc_sim.sweep_view import (
    SweepView,
    curve_finding,
    effects_finding,
    figure_words,
    group_of,
    levels_finding,
    map_finding,
    moves_anything,
    tell,
    tell_change,
)

__all__ = ["curve", "effects", "heat_map", "levels", "pictures_of", "write_sweep"]

_PITCH = 0.27
_LINE = 0.15
"""Inches that a further line of a row's name takes."""
_NAME = 1.7
"""Inches that a row's name may take."""
_END = 1.3
"""Inches that the name of a line may take."""
_PLACES = ("#1A1A1A", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
_MAP = LinearSegmentedColormap.from_list("paper to blue", ["#f4f7fa", "#9ecae1", "#0072B2", "#00304d"])


def curve(view: SweepView, name: str, ax: Axes | None = None, *, wanted: float | None = None) -> Axes:
    """Draw a figure, or each of a group such as `win_share`, over the numbers of the sweep's key."""
    keys = group_of(name, view.figures)
    key = view.keys[0]
    order = sorted(range(len(view.labels)), key=lambda number: view.settings[number][key])
    page = Page(ax, height=2.3)
    ax = page.ax
    colours = _colours(name, keys)
    at_x = _places_of([float(view.settings[number][key]) for number in order])
    scale = _scale(_some(view, keys))
    ends: list[tuple[float, str, str]] = []
    for figure in keys:
        there = [(number, value) for number in order if (value := view.values[figure][number]) is not None]
        settings = [float(view.settings[number][key]) for number, _ in there]
        x = [at_x[setting] for setting in settings]
        y = [scale * value.value for _, value in there]
        ax.fill_between(
            x, [scale * value.low for _, value in there], [scale * value.high for _, value in there],
            color=colours[figure], alpha=0.18, linewidth=0, gid=f"band {figure}",
        )  # fmt: skip
        ax.plot(x, y, "o-", color=colours[figure], markersize=4, linewidth=1.6, gid=f"value {figure}")
        for at, setting, (_, value) in zip(x, settings, there, strict=True):
            ax.plot(
                [at, at], [scale * value.low, scale * value.high], color=colours[figure], linewidth=1.4,
                solid_capstyle="butt", gid=f"range {figure} {setting:g}",
            )  # fmt: skip
        ends.append((y[-1], figure.partition(".")[2] or "", colours[figure]))
    page.label_y(_axis(name, _some(view, keys)), bins=5)
    even = any(place != setting for setting, place in at_x.items())
    page.label_x(f"{view.key_names[0]}{' (not to scale)' if even else ''}", bins=6)
    _whole_ticks(ax, [view.settings[number][key] for number in order], list(at_x.values()))
    ax.grid(visible=False, axis="x")
    if wanted is not None:
        ax.axhline(scale * wanted, color=INK, linewidth=1, linestyle=(0, (1, 2)), gid="wanted")
        ax.annotate(
            "wished", (0, scale * wanted), xycoords=("axes fraction", "data"), xytext=(3, 2),
            textcoords="offset points", fontsize=SMALL, color=INK, va="bottom",
        )  # fmt: skip
    if len(keys) > 1:
        _name_ends(page, ends)
    page.fit()
    base = view.settings[view.base][key]
    reference_line(ax, at_x[float(base)], f"as it is: {base:,}")
    return page.finish(curve_finding(view, name), _sample(view, "Bands and lines"))


def levels(view: SweepView, figure: str, ax: Axes | None = None) -> Axes:
    """Draw a figure at each point, one under the other."""
    rows = [
        (label, value, tell(value), value)
        for label, value in zip(view.labels, view.values[figure], strict=True)
        if value is not None
    ]
    page = _rows(rows, ax, mark=view.labels[view.base])
    page.label_x(_axis(figure, rows[0][1]), bins=5)
    return page.finish(levels_finding(view, figure), _sample(view, "Lines"))


def effects(view: SweepView, figure: str, ax: Axes | None = None) -> Axes:
    """Draw how far each point moves a figure from the base, most first."""
    found = [(number, pair) for number in view.others if (pair := view.differences[figure][number]) is not None]
    found.sort(key=lambda entry: -entry[1].difference.value)
    rows = [
        (view.labels[number], pair.difference, tell_change(pair.difference), pair.difference) for number, pair in found
    ]
    page = _rows(rows, ax)
    base = view.values[figure][view.base]
    assert base is not None
    unit = {**dict.fromkeys(("share", "difference of shares"), "in percentage points"), "times a game": "a game"}.get(
        base.unit, f"in {base.unit}"
    )
    page.label_x(f"change {unit}", bins=5)
    ax = page.ax
    reference_line(ax, 0.0, f"{view.labels[view.base]}: {tell(base)}")
    return page.finish(effects_finding(view, figure), f"{_sample(view, 'Lines')} Filled marks: clear of no change.")


def heat_map(view: SweepView, figure: str, ax: Axes | None = None) -> Axes:
    """Draw a figure over two keys, each cell with its value and half the width of its range."""
    across, down = view.keys
    columns = list(dict.fromkeys(settings[across] for settings in view.settings))
    lines = list(dict.fromkeys(settings[down] for settings in view.settings))
    page = Page(ax, height=max(1.2, 0.42 * len(lines)))
    ax = page.ax
    values = {(s[across], s[down]): v for s, v in zip(view.settings, view.values[figure], strict=True)}
    scale = _scale(_some(view, [figure]))
    numbers = [scale * value.value for value in values.values() if value is not None]
    low, high = min(numbers), max(numbers)
    for i, column in enumerate(columns):
        for j, row in enumerate(lines):
            value = values.get((column, row))
            if value is None:
                continue
            share = (scale * value.value - low) / (high - low) if high > low else 0.0
            ax.add_patch(_cell(i, j, _MAP(share), base=view.settings[view.base] == {across: column, down: row}))
            ink = "white" if share > 0.55 else INK
            half = scale * (value.high - value.low) / 2
            ax.text(
                i, j - 0.12, tell(value), ha="center", va="center", fontsize=LABEL, color=ink,
                gid=f"value {column} {row}",
            )  # fmt: skip
            ax.text(
                i, j + 0.24, f"± {half:.2g}", ha="center", va="center", fontsize=SMALL, color=ink,
                gid=f"range {column} {row}",
            )  # fmt: skip
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(lines) - 0.5, -0.5)
    page.label_x(view.key_names[0])
    page.label_y(view.key_names[1])
    ax.grid(visible=False)
    ax.set_xticks(range(len(columns)), [_number(column) for column in columns])
    ax.set_yticks(range(len(lines)), [_number(row) for row in lines])
    for spine in ax.spines.values():
        spine.set_visible(False)
    return page.finish(
        map_finding(view, figure), f"Framed: as it is. {_sample(view, '±')}".replace("±: 95", "±: half of 95")
    )


def write_sweep(view: SweepView, folder: Path, *, wanted: tuple[str, float] | None = None) -> list[Path]:
    """Draw the pictures that suit a sweep and write each as SVG and PNG into a folder; return their files."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    with house_style():
        for name, draw in pictures_of(view, wanted=wanted).items():
            paths += save(draw(), folder, name)
    return paths


def pictures_of(view: SweepView, *, wanted: tuple[str, float] | None = None) -> dict[str, Callable[[], Axes]]:
    """Name the pictures that suit a sweep, in the order in which they are to be seen, each with what draws it."""
    figures = view.headlines()
    if view.numeric:
        names = [name for name in view.show if group_of(name, view.figures)]
        names = list(dict.fromkeys([*names, *([wanted[0]] if wanted else [])]))
        at = dict([wanted]) if wanted else {}
        return {_file(name): partial(curve, view, name, wanted=at.get(name)) for name in names}
    if len(view.keys) == 2 and _is_full(view):
        return {_file(figure): partial(heat_map, view, figure) for figure in figures[:4]}
    if len(view.keys) == 1 or (not view.keys and not any(view.notes)):
        told = [figure for figure in figures if sum(value is not None for value in view.values[figure]) > 1]
        return {_file(figure): partial(levels, view, figure) for figure in told}
    moved = [figure for figure in figures if moves_anything(view, figure)]
    return {f"effect_{_file(figure)}": partial(effects, view, figure) for figure in moved or figures[:1]}


def _is_full(view: SweepView) -> bool:
    """Say whether every combination of two keys is there, and few enough columns to be read."""
    across, down = (len({str(s[key]) for s in view.settings}) for key in view.keys)
    return across * down == len(view.labels) and across <= 7


def _file(name: str) -> str:
    return name.replace(".", "_").replace("(", "_").replace(")", "").replace("=", "_").replace(", ", "_")


def _some(view: SweepView, keys: Sequence[str]) -> Estimate:
    return next(value for key in keys for value in view.values[key] if value is not None)


def _scale(value: Estimate) -> float:
    return 100.0 if "share" in value.unit else 1.0


def _axis(name: str, value: Estimate) -> str:
    words = {
        "win_share": "share of games that one seat wins",
        "place_share": "share of games won",
        "place_edge": "beyond an equal share",
    }
    unit = {"share": " (%)", "difference of shares": " (points)"}.get(value.unit, "")
    return f"{words.get(name, figure_words(name))}{unit}"


def _colours(name: str, keys: Sequence[str]) -> dict[str, str]:
    if name == "win_share":
        by_spec = strategy_colours(key.partition(".")[2] for key in keys)
        return {key: by_spec[key.partition(".")[2]] for key in keys}
    return dict(zip(keys, _PLACES if len(keys) > 1 else (ESCAPE,), strict=False)) if len(keys) > 1 else {keys[0]: INK}


def _name_ends(page: Page, ends: list[tuple[float, str, str]]) -> None:
    """Name each line at its end, names pushed apart where lines meet."""
    ax = page.ax
    low, high = ax.get_ylim()
    least = (high - low) * LABEL * 1.25 / 72 / 2.3
    placed = sorted(ends)
    heights = [height for height, _, _ in placed]
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + least)
    excess = max(0.0, (heights[-1] - high) if heights else 0.0)
    heights = [height - excess for height in heights]
    labels = told_apart([name for _, name, _ in placed], _END, LABEL)
    for height, label, (_, name, colour) in zip(heights, labels, placed, strict=True):
        ax.annotate(
            label, (1, height), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=LABEL, color=colour, parse_math=False, annotation_clip=False, gid=f"label {name}",
        )  # fmt: skip


def _places_of(settings: Sequence[float]) -> dict[float, float]:
    """Place settings on the axis: to scale, or evenly where steps are so uneven that small ones could not be seen."""
    steps = [b - a for a, b in pairwise(settings)]
    if steps and max(steps) > 12 * min(steps):
        return {setting: float(i) for i, setting in enumerate(settings)}
    return {setting: setting for setting in settings}


def _whole_ticks(ax: Axes, settings: Sequence[float], places: Sequence[float]) -> None:
    """Put a tick at each setting, or at every second or third where there is no room for all."""
    labels = [_number(setting) for setting in settings]
    every = next(n for n in range(1, len(labels) + 1) if sum(text_width(x, LABEL) + 0.12 for x in labels[::n]) < 3.0)
    ax.set_xticks(places[::every], labels[::every])


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def _rows(rows: Sequence[tuple[str, Estimate, str, Estimate]], ax: Axes | None, *, mark: str | None = None) -> Page:
    """Draw rows of marks with their ranges, named at the left and told at the right."""
    names = [wrapped(label, _NAME, LABEL) for label, *_ in rows]
    heights = [_PITCH + _LINE * name.count("\n") for name in names]
    page = Page(ax, height=sum(heights) + 0.1)
    ax = page.ax
    y, places = 0.0, []
    for height in heights:
        places.append(y + height / 2)
        y += height
    ax.set_ylim(y + 0.05, -0.05)
    ax.set_yticks(places, names, parse_math=False, multialignment="right")
    scale = _scale(rows[0][1])
    for place, (label, value, told, _) in zip(places, rows, strict=True):
        clear = value.low > 0 or value.high < 0 or mark is not None
        colour = INK if clear else SOFT
        ax.plot(
            [scale * value.low, scale * value.high], [place, place], color=colour, linewidth=2.0,
            solid_capstyle="butt", gid=f"range {label}",
        )  # fmt: skip
        ax.plot(
            [scale * value.value], [place], "D" if label == mark else "o", color=colour, markersize=5.5,
            markerfacecolor=colour if clear else "white", gid=f"value {label}",
        )  # fmt: skip
        ax.annotate(
            told, (1, place), xycoords=("axes fraction", "data"), xytext=(5, 0), textcoords="offset points",
            ha="left", va="center", fontsize=LABEL, color=INK, parse_math=False, annotation_clip=False,
            gid=f"label {label}",
        )  # fmt: skip
    page.fit()
    for place, height in zip(places[1:], heights[1:], strict=True):
        ax.axhline(place - height / 2, color=GRID, linewidth=0.6, zorder=0.5)
    return page


def _cell(i: int, j: int, colour: Any, *, base: bool) -> Rectangle:
    edge = (INK, 2.0) if base else ("white", 1.0)
    inset = 0.02 if base else 0.0
    return Rectangle(
        (i - 0.5 + inset, j - 0.5 + inset), 1 - 2 * inset, 1 - 2 * inset, facecolor=colour, edgecolor=edge[0],
        linewidth=edge[1], zorder=2 if base else 1,
    )  # fmt: skip


def _sample(view: SweepView, ranges: str) -> str:
    least, most = min(view.n_games), max(view.n_games)
    games = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{games} games a point, on the same deals. {ranges}: 95 % ranges."
