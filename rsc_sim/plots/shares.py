"""Pictures of who wins: by strategy, by place at the table, and by who was dealt Read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from rsc_sim.analysis import Share, figures_of
from rsc_sim.findings import nth, percent, percent_range, places_finding, side, strategies_finding
from rsc_sim.plots.page import Page, picture
from rsc_sim.plots.palette import ESCAPE, INK, strategy_colours
from rsc_sim.plots.rows import Row, dots, reference_line, rows_height
from rsc_sim.plots.words import sample

if TYPE_CHECKING:
    from rsc_sim.run import Run

__all__ = ["places", "win_share"]

_AXIS = "share of all games that one seat wins (%)"


@picture
def win_share(run: Run, ax: Axes | None = None) -> Axes:
    """Draw each strategy's win share a seat beside the equal share."""
    shares = figures_of(run).by_strategy
    colours = strategy_colours(share.who for share in shares)
    groups = [("", [Row(share.who, share.share, colours[share.who]) for share in shares])]
    page = Page(ax, height=rows_height(groups))
    page.label_x(_AXIS, bins=5)
    dots(page, groups, reference=shares[0].reference)
    _equal_share(page, shares)
    several = [f"{share.who} on {share.n_seats}" for share in shares if share.n_seats > 1 and len(shares) > 1]
    seats = f" Seats: {', '.join(several)} of {sum(share.n_seats for share in shares)}." if several else ""
    return page.finish(strategies_finding(shares), f"{sample(run)}{seats}{_doubts(shares)}")


@picture
def places(run: Run, ax: Axes | None = None) -> Axes:
    """Draw the win share of each place at the table, and that of a seat that is dealt Read."""
    figures = figures_of(run)
    shares, dealt = figures.by_place, figures.read_dealt
    groups = [("Place", [Row(f"{nth(i)} to play", share.share, ESCAPE) for i, share in enumerate(shares)])]
    if dealt.effect.n_blocks:
        rows = [Row("this seat", dealt.to_this, INK), Row("another seat", dealt.to_another, INK)]
        groups.append(("By who is dealt Read, and so plays first", rows))
    page = Page(ax, height=rows_height(groups))
    page.label_x(_AXIS, bins=5)
    dots(page, groups, reference=shares[0].reference)
    _equal_share(page, shares)
    return page.finish(
        places_finding(shares), f"{sample(run)}{_without_read(figures.by_place_without_read[0])}{_doubts(shares)}"
    )


def _equal_share(page: Page, shares: tuple[Share, ...]) -> None:
    if shares[0].reference:
        reference = 100 * shares[0].reference
        reference_line(page.ax, reference, f"equal share {reference:.1f} %")


def _without_read(first: Share) -> str:
    """Say what the first turn alone is worth: where nobody was dealt Read, chance decides who has it."""
    if first.share.n_blocks < 2:
        return ""
    verdict = {1: "more than", -1: "less than", 0: "not measurably other than"}[side(first.share, first.reference)]
    return (
        f" Where nobody is dealt Read, the 1st to play wins {percent(first.share)} ({percent_range(first.share)}), "
        f"{verdict} an equal share."
    )


def _doubts(shares: tuple[Share, ...]) -> str:
    if any(share.fragile for share in shares):
        return " Which of them differ depends on how unfinished games are counted."
    return ""
