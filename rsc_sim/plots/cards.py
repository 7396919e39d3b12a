"""The picture of card impact: every kind, sorted, with its interval; and what chance alone says, from opening hands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from rsc_sim.analysis import CardImpact, figures_of
from rsc_sim.findings import cards_finding, drawn_over_and_over
from rsc_sim.plots.kinds import PITCH, KindRow, name_rows
from rsc_sim.plots.page import SMALL, Page, picture
from rsc_sim.plots.palette import INK, PAPER, SOFT, TYPES
from rsc_sim.plots.words import sample

if TYPE_CHECKING:
    from rsc_sim.run import Run

__all__ = ["card_impact"]

_WIDEST = 1.0
"""Points of a range beyond which it says nothing, and is cut off."""


@dataclass(frozen=True)
class _Row(KindRow):
    card: CardImpact
    colour: str
    mark: str


@picture
def card_impact(run: Run, ax: Axes | None = None) -> Axes:
    """Draw each kind's impact, highest first, and beside it its edge in opening hands, which chance deals."""
    kinds: dict[str, dict[str, Any]] = run.experiment.ruleset["cards"]
    run.require("cards")
    found = [card for card in figures_of(run).cards or () if card.kind in kinds and kinds[card.kind]["copies"]]
    names = {kind: card["name"] for kind, card in kinds.items()}
    copies = {kind: card["copies"] for kind, card in kinds.items()}
    rows = _rows(found, kinds)
    page = Page(ax, height=PITCH * (len(rows) + 1))
    ax = page.ax
    page.label_x("difference in win share (percentage points)")
    ax.set_yticks([])
    ax.set_ylim(len(rows) - 0.2, -0.8)
    ax.axvline(0, color=SOFT, linewidth=1, zorder=0.9)
    for row in rows:
        _draw(ax, row)
    page.fit()
    _key(ax, {kinds[row.card.kind]["type"] for row in rows})
    name_rows(page, rows)
    over = [names[card.kind] for card in found if drawn_over_and_over(card, copies[card.kind])]
    return page.finish(cards_finding(found, names, copies), f"{_SMALL_PRINT}{_over(over)} {sample(run)}")


_SMALL_PRINT = (
    "Full marks: win share of seats that saw the card, less that of seats that never did. This is correlation, not "
    "effect: long games show more cards, and whoever draws much has more of all. Hollow marks: win share of seats "
    "dealt it in their opening hand, less the average; chance deals, so this is the card's doing."
)


def _over(names: Sequence[str]) -> str:
    if not names:
        return ""
    return f" Drawn over and over in few games, so little to be trusted (in brackets): {', '.join(names)}."


def _rows(found: Sequence[CardImpact], kinds: dict[str, dict[str, Any]]) -> list[_Row]:
    def order(card: CardImpact) -> float:
        return math.inf if math.isnan(card.impact.value) else -card.impact.value

    rows = []
    for y, card in enumerate(sorted(found, key=order)):
        colour, mark, _ = TYPES[kinds[card.kind]["type"]]
        name = kinds[card.kind]["name"]
        if drawn_over_and_over(card, kinds[card.kind]["copies"]):
            name = f"({name})"
        bounds = [
            bound
            for estimate in (card.impact, card.edge)
            if not math.isnan(estimate.value)
            for bound in (estimate.low, estimate.high)
        ]
        low, high = min(bounds, default=0.0), max(bounds, default=0.0)
        low, high = 100 * max(low, -_WIDEST), 100 * min(high, _WIDEST)
        rows.append(_Row(y, card.kind, name, low, high, card, colour, mark))
    return rows


def _draw(ax: Axes, row: _Row) -> None:
    size = {"*": 7.5, "^": 5.5, "D": 4.2, "s": 4.6}.get(row.mark, 5.2)
    for estimate, what, full in ((row.card.impact, "impact", True), (row.card.edge, "edge", False)):
        if math.isnan(estimate.value):
            continue
        ax.plot(
            [100 * estimate.low, 100 * estimate.high], [row.y, row.y], color=row.colour,
            linewidth=1.8 if full else 0.9, solid_capstyle="butt", gid=f"{what} range {row.card.kind}",
        )  # fmt: skip
        ax.plot(
            [100 * estimate.value], [row.y], row.mark, markersize=size if full else 0.85 * size,
            color=row.colour if full else PAPER, markeredgecolor=row.colour, markeredgewidth=0.9,
            gid=f"{what} {row.card.kind}",
        )  # fmt: skip


def _key(ax: Axes, types: set[str]) -> None:
    """Name the marks above the rows."""
    handles = []
    for name, (colour, mark, label) in TYPES.items():
        if name in types:
            handles += ax.plot([], [], mark, color=colour, markersize=5, label=label)
    looks: dict[str, Any] = {
        "loc": "lower center", "frameon": False, "fontsize": SMALL, "handletextpad": 0.1, "columnspacing": 1.0,
        "borderpad": 0, "borderaxespad": 0.3, "labelcolor": INK,
    }  # fmt: skip
    full = ax.plot([], [], "o", color=SOFT, markersize=5, label="once seen")
    hollow = ax.plot([], [], "o", color=PAPER, markeredgecolor=SOFT, markersize=4.5, label="in the opening hand")
    line = 1.5 * SMALL / 72 / (ax.get_window_extent().height / ax.figure.dpi)
    above = ax.legend(handles=handles, bbox_to_anchor=(0.5, 1 + line), ncols=max(len(handles), 1), **looks)
    ax.add_artist(above)
    above.set_clip_on(False)
    ax.legend(handles=[*full, *hollow], bbox_to_anchor=(0.5, 1.0), ncols=2, **looks)
