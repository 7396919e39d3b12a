"""How a study of cards is told at the command line.

What each card changes, where that is not what goes with it, and what a copy more or less in the deck does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from rsc_sim.analysis import Estimate
from rsc_sim.console import bullet, line
from rsc_sim.findings import FALSE_DISCOVERIES, impact_finding, points
from rsc_sim.present import print_table, table_of_figures

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from rsc_sim.analysis.causal import CardEffect
    from rsc_sim.analysis.copies import CopyEffect
    from rsc_sim.cards import CardStudy

__all__ = ["show_cards"]

_COPIES_SHOWN = 12


def show_cards(console: Console, study: CardStudy, folder: Path, pictures: Sequence[Path] = ()) -> None:
    """Print what a study found."""
    played = study.experiment
    names = {kind: card["name"] for kind, card in played.ruleset["cards"].items()}
    line(console, f"{played.name}: {', '.join(played.lineup)}, by the rules {played.ruleset['name']!r}", style="bold")
    line(
        console,
        f"{played.n_games:,} games on {played.n_blocks:,} deals, seed {played.seed}; {study.n_played_on:,} games "
        f"played on from {study.n_moments:,} moments",
    )
    console.print()
    line(console, f"{impact_finding(study.effects, names)}.", style="bold")
    console.print()
    line(
        console,
        "What having a card instead of an average one changes (win share, percentage points; 95 % range as ±)",
        style="bold",
    )
    print_table(console, _effects(study, names))
    bullet(console, "`dealt`, `late`: the same for cards of the opening hand, and for those drawn latest.")
    bullet(console, "`goes with`: win share of seats that saw the card, less the average; correlation, not effect.")
    bullet(
        console, "* clear after allowing for the number of cards looked at. ! goes with winning otherwise: see below."
    )
    console.print()
    flags = study.disagreements
    line(console, "Where what goes with a card is not what it does", style="bold")
    if not flags:
        bullet(console, "Nowhere: win rates of seats that have a card tell of its effect, as far as can be seen.")
    for flag in flags:
        rate = "in hand" if flag.rate == "in_hand" else "once drawn"
        bullet(
            console,
            f"{names[flag.kind]}: {points(flag.seen, unit='')} {rate}, but there it changes "
            f"{points(flag.caused, unit='')}. Why: {flag.in_words}.",
            mark="!",
        )
    if study.copies:
        console.print()
        _show_copies(console, study, names)
    console.print()
    line(console, f"study     {folder}")
    if pictures:
        line(console, f"pictures  {pictures[0].parent}: {len({path.stem for path in pictures})}, as png and svg")


def _effects(study: CardStudy, names: dict[str, str]) -> Table:
    first, last = study.by_band[0].band, study.by_band[-1].band
    of_band = {(effect.kind, effect.band): effect for effect in study.by_band}
    flagged = {flag.kind for flag in study.disagreements}
    seen = {one.kind: one.edge for one in study.seen}
    table = table_of_figures()
    table.add_column("")
    for heading in ("changes", f"dealt ({first})", f"late ({last})", "goes with", "turns"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)

    def order(effect: CardEffect) -> float:
        return math.inf if math.isnan(effect.won.value) else -effect.won.value

    for effect in sorted(study.effects, key=order):
        clear = "*" if effect.p_adjusted <= FALSE_DISCOVERIES else " "
        table.add_row(
            Text(names[effect.kind]),
            f"{share(effect.won)}{clear}",
            share(of_band[effect.kind, first].won),
            share(of_band[effect.kind, last].won),
            share(seen[effect.kind]),
            number(effect.turns),
            "!" if effect.kind in flagged else "",
        )
    return table


def _show_copies(console: Console, study: CardStudy, names: dict[str, str]) -> None:
    line(
        console,
        f"What a copy more or less in the deck changes ({study.copies_games:,} games with each deck)",
        style="bold",
    )
    clear = [effect for effect in study.copies if effect.p_adjusted <= FALSE_DISCOVERIES]
    if not clear:
        bullet(console, "Nothing that can be told from chance.")
        return
    clear.sort(key=lambda effect: effect.p_adjusted)
    for text in _copies(clear[:_COPIES_SHOWN], names):
        bullet(console, text)
    if len(clear) > _COPIES_SHOWN:
        bullet(console, f"And {len(clear) - _COPIES_SHOWN} more, in cards.json.")


def _copies(effects: Sequence[CopyEffect], names: dict[str, str]) -> Iterator[str]:
    for effect in effects:
        what = "one copy more" if effect.change > 0 else "one copy less"
        if effect.figure == "turns":
            told = f"length {number(effect.difference)} turns"
        elif effect.figure == "unfinished":
            told = f"unfinished games {share(effect.difference)} points"
        else:
            told = f"wins of {effect.figure} {share(effect.difference)} points a seat"
        yield f"{names[effect.kind]}, {what}: {told}"


def share(estimate: Estimate) -> str:
    """Word a difference of shares in points with half the width of its range, e.g. `+3.6 ±0.5`."""
    return _signed(estimate, 100)


def number(estimate: Estimate) -> str:
    """Word a difference of numbers likewise."""
    return _signed(estimate, 1)


def _signed(estimate: Estimate, times: float) -> str:
    if math.isnan(estimate.value):
        return "–"
    half = times * (estimate.high - estimate.low) / 2
    if not math.isfinite(half):
        return f"{times * estimate.value:+.1f} ±?".replace("-", "−")
    digits = 1 if half >= 0.15 else 2
    return f"{times * estimate.value:+.{digits}f} ±{half:.{digits}f}".replace("-", "−")
