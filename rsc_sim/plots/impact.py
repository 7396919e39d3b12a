"""The pictures of a study of cards: what each kind changes beside what goes with it; by strategy; by number."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from rsc_sim.analysis import Estimate
from rsc_sim.analysis.intervals import critical_value
from rsc_sim.findings import impact_finding, points
from rsc_sim.plots.kinds import PITCH, KindRow, name_rows
from rsc_sim.plots.page import SMALL, Page, house_style, save
from rsc_sim.plots.palette import INK, PAPER, SOFT, strategy_colours

if TYPE_CHECKING:
    from rsc_sim.cards import CardStudy

__all__ = ["card_effects", "card_effects_by_number", "card_effects_by_strategy", "write_impact"]

_BANDS = ("#56B4E9", "#0072B2", "#1A1A1A")
"""Of early, middle and late cards: from light to dark."""
_MARKS = ("o", "s", "D", "^", "v", "P", "X", "*")
_SHOWN = 1.0
"""Points of a range beyond which it says nothing, and is cut off."""


@dataclass(frozen=True)
class _Series:
    """One mark in each row."""

    name: str
    colour: str
    mark: str
    full: bool
    of_kind: Mapping[str, Estimate]


def card_effects(study: CardStudy, ax: Axes | None = None) -> Axes:
    """Draw what each kind changes, most first, and beside it what goes with it; mark where these disagree."""
    names = _names(study)
    flagged = frozenset(flag.kind for flag in study.disagreements)
    series = [
        _Series("what it changes", "#0072B2", "o", True, {one.kind: one.won for one in study.effects}),
        _Series("what goes with it", "#D55E00", "D", False, {one.kind: one.edge for one in study.seen}),
    ]
    title = impact_finding(study.effects, names)
    if flagged:
        title += f". {_count(len(flagged))}"
    small = (
        f"Full: change in win share by having the card instead of an average one, from {study.n_played_on:,} games "
        "played on with each kind in its place. Hollow: win share of seats that saw the card, less the average: "
        f"correlation. {'! : the two disagree. ' if flagged else ''}{_sample(study)}"
    )
    return _draw(study, ax, series, title, small, flagged=flagged)


def card_effects_by_strategy(study: CardStudy, ax: Axes | None = None) -> Axes:
    """Draw what each kind changes in the hands of each strategy."""
    specs = study.sums.strategies
    colours = strategy_colours(specs)
    series = [
        _Series(
            spec, colours[spec], _MARKS[i % len(_MARKS)], True,
            {one.kind: one.won for one in study.by_strategy if one.strategy == spec},
        )
        for i, spec in enumerate(specs)
    ]  # fmt: skip
    title = _widest(study, series, "with", "strategies")
    small = f"Change in win share by having the card instead of an average one, by who has it. {_sample(study)}"
    return _draw(study, ax, series, title, small)


def card_effects_by_number(study: CardStudy, ax: Axes | None = None) -> Axes:
    """Draw what each kind changes as one of a seat's first, middle and late cards."""
    bands = list(dict.fromkeys(one.band for one in study.by_band))
    series = [
        _Series(
            f"card {band}", _BANDS[i % len(_BANDS)], _MARKS[i], True,
            {one.kind: one.won for one in study.by_band if one.band == band},
        )
        for i, band in enumerate(bands)
    ]  # fmt: skip
    title = _widest(study, series, "as", "early and late cards")
    small = (
        "Change in win share by having the card instead of an average one, by its number among the cards that the seat "
        f"was dealt and has drawn. {_sample(study)}"
    )
    return _draw(study, ax, series, title, small)


_ALL: tuple[Callable[..., Axes], ...] = (card_effects, card_effects_by_strategy, card_effects_by_number)


def write_impact(study: CardStudy, folder: Path) -> list[Path]:
    """Draw every picture of a study and write each as SVG and PNG into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for draw in _ALL:
        ax = draw(study)
        with house_style():
            paths += save(ax, folder, draw.__name__)
    return paths


def _names(study: CardStudy) -> dict[str, str]:
    return {kind: card["name"] for kind, card in study.experiment.ruleset["cards"].items()}


def _count(n: int) -> str:
    return f"{n} cards go with winning otherwise than they help" if n > 1 else "One goes with winning otherwise"


def _sample(study: CardStudy) -> str:
    played = study.experiment
    return f"{study.n_moments:,} moments on {played.n_blocks:,} deals. Lines: 95 % ranges."


def _widest(study: CardStudy, series: Sequence[_Series], by: str, between: str) -> str:
    """Say for which kind two of the series differ most, allowing for all that are compared (Bonferroni)."""
    names = _names(study)
    found: tuple[float, str] = (0.0, f"No card's effect differs measurably between {between}")
    looks = max(len(study.effects) * len(series) * (len(series) - 1) // 2, 1)
    for kind in names:
        told = [(one.name, one.of_kind[kind]) for one in series if math.isfinite(one.of_kind[kind].value)]
        if len(told) < 2:
            continue
        (low_name, low), *_, (high_name, high) = sorted(told, key=lambda pair: pair[1].value)
        usual = critical_value(high.level, high.n_blocks)
        stretch = critical_value(1 - (1 - high.level) / looks, high.n_blocks) / usual
        gap, half = high.value - low.value, math.hypot(high.high - high.value, low.value - low.low)
        if found[0] < gap > stretch * half:
            words = f"{points(high)} {by} {high_name}, {points(low, unit='')} {by} {low_name}"
            found = (gap, f"{names[kind]} differs most: {words}")
    return found[1]


def _draw(
    study: CardStudy,
    ax: Axes | None,
    series: Sequence[_Series],
    title: str,
    small: str,
    *,
    flagged: frozenset[str] = frozenset(),
) -> Axes:
    """Draw a row a kind, with the marks of all series in it."""
    with house_style():
        names = _names(study)
        order = sorted(
            (effect for effect in study.effects if not math.isnan(effect.won.value)), key=lambda one: -one.won.value
        )
        pitch = PITCH * (1.0 if len(series) < 3 else 0.75 + 0.25 * len(series))
        rows = [
            _row(y, one.kind, f"! {names[one.kind]}" if one.kind in flagged else names[one.kind], series)
            for y, one in enumerate(order)
        ]
        page = Page(ax, height=pitch * (len(rows) + 1))
        ax = page.ax
        page.label_x("change in win share (percentage points)")
        ax.set_yticks([])
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.axvline(0, color=SOFT, linewidth=1, zorder=0.9)
        for number, one in enumerate(series):
            away = 0.0 if len(series) < 3 else (number - (len(series) - 1) / 2) * 0.7 / len(series)
            for row in rows:
                _mark(ax, one, row, away)
        page.fit()
        _key(ax, series)
        name_rows(page, rows)
        return page.finish(title, small)


def _row(y: int, kind: str, name: str, series: Sequence[_Series]) -> KindRow:
    bounds = [
        max(-_SHOWN, min(_SHOWN, bound))
        for one in series
        for bound in (one.of_kind[kind].low, one.of_kind[kind].high)
        if not math.isnan(one.of_kind[kind].value)
    ]
    return KindRow(y, kind, name, 100 * min(bounds, default=0.0), 100 * max(bounds, default=0.0))


def _mark(ax: Axes, one: _Series, row: KindRow, away: float) -> None:
    estimate = one.of_kind[row.kind]
    if math.isnan(estimate.value):
        return
    low, high = 100 * max(estimate.low, -_SHOWN), 100 * min(estimate.high, _SHOWN)
    y = row.y + away
    ax.plot(
        [low, high], [y, y], color=one.colour, linewidth=1.6 if one.full else 0.9, solid_capstyle="butt",
        gid=f"{one.name} range {row.kind}",
    )  # fmt: skip
    ax.plot(
        [100 * estimate.value], [y], one.mark, markersize=4.4 if one.full else 3.8,
        color=one.colour if one.full else PAPER, markeredgecolor=one.colour, markeredgewidth=0.9,
        gid=f"{one.name} {row.kind}",
    )  # fmt: skip


def _key(ax: Axes, series: Sequence[_Series]) -> None:
    """Name the marks above the rows."""
    handles: list[Any] = []
    for one in series:
        handles += ax.plot(
            [], [], one.mark, color=one.colour if one.full else PAPER, markeredgecolor=one.colour, markersize=5,
            label=one.name,
        )  # fmt: skip
    ax.legend(
        handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0),
        ncols=len(series) if len(series) < 5 else 3, frameon=False,
        fontsize=SMALL, handletextpad=0.1, columnspacing=1.0, borderpad=0, borderaxespad=0.3, labelcolor=INK,
    )  # fmt: skip
