"""What figures say, in one sentence each: titles of pictures, lines of a summary.

Sentences are made from analysis results alone. Where nothing was found they say that nothing was: of several figures
looked at together one stands out only if it does after allowing for how many were looked at (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rsc_sim.analysis import Bottleneck, CardImpact, Chance, Ends, Estimate, Length, Quantile, ReadDealt, Share
from rsc_sim.analysis.bottleneck import NEEDS
from rsc_sim.analysis.causal import CardEffect
from rsc_sim.analysis.intervals import critical_value

__all__ = [
    "FALSE_DISCOVERIES",
    "MANY_UNFINISHED",
    "NEED_WORDS",
    "bottleneck_finding",
    "cards_finding",
    "chance_finding",
    "counted",
    "decimals",
    "drawn_over_and_over",
    "ends_finding",
    "impact_finding",
    "length_finding",
    "length_words",
    "listed",
    "merch_worth",
    "nth",
    "percent",
    "percent_range",
    "places_finding",
    "points",
    "points_range",
    "read_finding",
    "side",
    "sides",
    "standing_out",
    "strategies_finding",
    "stuck_words",
    "tickets_in",
]

MANY_UNFINISHED = 0.05
"""A share of unfinished games above this makes every other figure doubtful."""

FALSE_DISCOVERIES = 0.05
"""Of effects of cards that are called clear, the share that may be chance."""

NEED_WORDS = {"read": "Read", "ticket": "a ticket", "merch": "Merch"}
"""What an escape needs, as sentences call it."""

_NEVER_HAD = {"read": "displayed Read", "ticket": "held an Escape Ticket", "merch": "tabled enough Merch to escape"}
_ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")


# Figures in words


def decimals(estimate: Estimate) -> int:
    """Give the decimals of a percentage that its range leaves meaningful."""
    half = (estimate.high - estimate.low) / 2
    return next((digits for digits in range(1, 8) if half >= 0.5 * 10 ** -(digits + 2)), 8)


def percent(estimate: Estimate) -> str:
    """Word a share with as many decimals as its range deserves, e.g. `24.7 %`."""
    if estimate.value in (0, 1):
        return f"{estimate.value * 100:.0f} %"
    return f"{estimate.value * 100:.{decimals(estimate)}f} %".replace("-", "−")


def percent_range(estimate: Estimate) -> str:
    """Word the range of a share, e.g. `24.4 to 25.0 %`; one-sided where an event was never or always seen."""
    digits = decimals(estimate)
    if estimate.value == 0 and estimate.low == 0:
        return f"below {estimate.high * 100:.{digits}f} %"
    if estimate.value == 1 and estimate.high == 1:
        return f"above {estimate.low * 100:.{digits}f} %"
    return f"{estimate.low * 100:.{digits}f} to {estimate.high * 100:.{digits}f} %"


def points(estimate: Estimate, *, unit: str = " points") -> str:
    """Word a difference of shares in percentage points, e.g. `+11.3 points`."""
    if math.isnan(estimate.value):
        return "–"
    return f"{_signed(estimate.value, decimals(estimate))}{unit}"


def points_range(estimate: Estimate) -> str:
    """Word the range of a difference of shares, e.g. `+10.9 to +11.6`."""
    if math.isnan(estimate.value):
        return "–"
    digits = decimals(estimate)
    return f"{_signed(estimate.low, digits)} to {_signed(estimate.high, digits)}"


def nth(place: int) -> str:
    """Name a place, from 0: `1st`, `2nd`, ..."""
    return _ORDINALS[place]


def length_words(quantile: Quantile, unit: str = "", scale: float = 1.0) -> str:
    """Word a length with its range, e.g. `17 rounds (17 to 18)`, or `more than 200 rounds` where games were stopped."""
    more = "more than " if quantile.at_least else ""
    found = _length_range(quantile, scale)
    return f"{more}{scale * quantile.estimate.value:,.0f}{unit and f' {unit}'}" + (found and f" ({found})")


def _length_range(quantile: Quantile, scale: float = 1.0) -> str:
    """Word the range of a length, e.g. `17 to 18`; empty where all of it lies beyond the limit of rounds."""
    low, high = quantile.estimate.low, quantile.estimate.high
    if quantile.at_least:
        return f"{scale * low:,.0f} or more" if low < quantile.estimate.value else ""
    return f"{scale * low:,.0f} to {'beyond ' if quantile.high_at_least else ''}{scale * high:,.0f}"


def counted(n: int, what: str) -> str:
    """Word a number of things, e.g. `1 deal`, `1,200 deals`."""
    return f"{n:,} {what}{'s' * (n != 1)}"


def tickets_in(rules: Mapping[str, Any]) -> int:
    """Count the Escape Tickets of a deck."""
    return sum(int(card["copies"]) for card in rules["cards"].values() if card["type"] == "ticket")


def merch_worth(rules: Mapping[str, Any]) -> int:
    """Say what all Merch of a deck is worth together."""
    return sum(int(card["copies"] * card["value"]) for card in rules["cards"].values() if card["type"] == "merch")


def stuck_words(reason: str, rules: Mapping[str, Any]) -> str:
    """Say why games by these rules did not end, in few words."""
    if reason == "tickets" and not tickets_in(rules):
        return "the deck has no ticket"
    if reason == "threshold":
        short = merch_worth(rules) < rules["escape_threshold"]
        return f"{'all Merch is below' if short else 'no table can reach'} ${rules['escape_threshold']:,}"
    return {
        "tickets": "tickets are out of reach",
        "lone_turn": "one seat keeps the turn",
        "stalled": "players stall",
    }[reason]


def _signed(value: float, digits: int) -> str:
    text = f"{value * 100:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("+-")


# What stands out


def side(estimate: Estimate, reference: float = 0.0, *, looks: int = 1) -> int:
    """Say on which side of a reference a figure lies: 1, -1, or 0 where its interval, widened for the looks, holds it.

    `looks` figures are looked at together; the interval is stretched to the level 1 - (1 - level) / looks. Source:
    Dunn, O. J. (1961), Multiple comparisons among means, J. Am. Stat. Assoc. 56, 52-64.
    """
    if math.isnan(estimate.value) or estimate.n_blocks < 2:
        return 0
    wide = critical_value(1 - (1 - estimate.level) / max(looks, 1), estimate.n_blocks)
    stretch = wide / critical_value(estimate.level, estimate.n_blocks)
    if estimate.value - stretch * (estimate.value - estimate.low) > reference:
        return 1
    return -1 if estimate.value + stretch * (estimate.high - estimate.value) < reference else 0


def sides(shares: Sequence[Share]) -> list[int]:
    """Say of each share of a whole table whether it is clearly above (1) or below (-1) the equal share, or neither."""
    seats = sum(share.n_seats for share in shares)
    return [side(share.split, 1 / seats, looks=len(shares)) for share in shares]


def drawn_over_and_over(card: CardImpact, copies: int) -> bool:
    """Say whether seats that saw a kind drew it more often than its copies and once more: few games weigh most."""
    return card.draws > copies + 1


def standing_out(cards: Sequence[CardImpact], copies: Mapping[str, int]) -> tuple[list[CardImpact], list[CardImpact]]:
    """Give the kinds whose impact is clearly above 0, highest first, and those clearly below, lowest first.

    Kinds that few games weigh most of are left out.
    """
    looks = sum(not math.isnan(card.impact.value) for card in cards)
    fair = [card for card in cards if not drawn_over_and_over(card, copies.get(card.kind, 0))]
    above = [card for card in fair if side(card.impact, looks=looks) > 0]
    below = [card for card in fair if side(card.impact, looks=looks) < 0]
    return sorted(above, key=lambda c: -c.impact.value), sorted(below, key=lambda c: c.impact.value)


# Findings


def strategies_finding(shares: Sequence[Share]) -> str:
    """Say which strategy wins most."""
    if len(shares) == 1:
        return f"Every seat is {shares[0].who}: equal shares by construction"
    return _shares_finding(shares, [share.who for share in shares], "strategy", "its equal share")


def places_finding(shares: Sequence[Share]) -> str:
    """Say which place at the table wins most."""
    names = [f"The {nth(int(share.who))} to play" for share in shares]
    return _shares_finding(shares, names, "place", "an equal share")


def _shares_finding(shares: Sequence[Share], names: Sequence[str], what: str, equal: str) -> str:
    if not shares or not any(share.share.value for share in shares):
        return "Nobody won a single game"
    where = sides(shares)
    above = [i for i, at in enumerate(where) if at > 0]
    if not above:
        below = [i for i, at in enumerate(where) if at < 0]
        if len(below) == 1:
            lost = shares[below[0]]
            than = f"less than {equal} of {lost.reference * 100:.1f} %"
            return f"{names[below[0]]} wins {percent(lost.share)}, {than}"
        return f"No {what} wins measurably more than {equal}"
    best = max(above, key=lambda i: shares[i].share.value)
    level = [i for i in above if shares[i].share.high >= shares[best].share.low]
    if len(level) == 1:
        share = shares[best]
        each = " a seat" if share.n_seats > 1 else ""
        return (
            f"{names[best]} wins most: {percent(share.share)} of games{each}, beside {equal} of "
            f"{share.reference * 100:.1f} %"
        )
    told = listed([names[i] if n == 0 else names[i].replace("The ", "the ") for n, i in enumerate(level)])
    return f"{told} win most, more than {equal.replace('its', 'their')}"


def read_finding(dealt: ReadDealt) -> str:
    """Say what being dealt Read does."""
    if dealt.effect.n_blocks < 1:
        return "No deal gave a seat Read"
    if not side(dealt.effect):
        return "Being dealt Read makes no measurable difference"
    more = "more" if dealt.effect.value > 0 else "less"
    return (
        f"A seat that is dealt Read wins {more}: {percent(dealt.to_this)}, and {percent(dealt.to_another)} where "
        "another seat is"
    )


def length_finding(length: Length) -> str:
    """Say how long games last."""
    middle = next(quantile for quantile in length.quantiles if quantile.share == 0.5)
    value = f"{middle.estimate.value:,.0f} {length.unit if middle.estimate.value != 1 else length.unit[:-1]}"
    if middle.at_least:
        return f"At least half of the games were stopped at {value}"
    return f"Half of the games are over within {value}"


def ends_finding(ends: Ends, rules: Mapping[str, Any]) -> str:
    """Say how many games end, and why the others do not."""
    unfinished = ends.unfinished
    if unfinished.value == 0:
        return "Every game ended by an escape"
    reason = max(ends.stuck, key=lambda name: ends.stuck[name].value)
    why = stuck_words(reason, rules)
    if unfinished.value == 1:
        return f"No game ended by an escape, mostly because {why}"
    if unfinished.value > MANY_UNFINISHED:
        return f"{percent(unfinished)} of games do not end, mostly because {why}"
    return f"{percent(ends.ends['escape'])} of games end by an escape"


def cards_finding(cards: Sequence[CardImpact], names: Mapping[str, str], copies: Mapping[str, int]) -> str:
    """Say which card goes with winning most."""
    if not any(card.in_hand.value > 0 or card.never_seen.value > 0 for card in cards):
        return "Nobody won a single game"
    above, below = standing_out(cards, copies)
    if above:
        best = above[0]
        dealt = f", {points(best.edge, unit='')} in the opening hand" if side(best.edge) else ""
        return f"{names[best.kind]} goes with winning most: {points(best.impact)} once seen{dealt}"
    if below:
        return f"{names[below[0].kind]} goes with losing most: {points(below[0].impact)} once seen"
    return "No card goes measurably with winning or losing"


def impact_finding(effects: Sequence[CardEffect], names: Mapping[str, str]) -> str:
    """Say which card helps most, and which least."""
    clear = [effect for effect in effects if effect.p_adjusted <= FALSE_DISCOVERIES]
    best = max(clear, key=lambda effect: effect.won.value, default=None)
    worst = min(clear, key=lambda effect: effect.won.value, default=None)
    if best is None or worst is None:
        return "No card measurably makes a seat win more or less than another"
    if best.won.value > 0 > worst.won.value:
        return (
            f"{names[best.kind]} helps most: {points(best.won)} of win share over an average card; "
            f"{names[worst.kind]} least, {points(worst.won)}"
        )
    one = best if best.won.value > 0 else worst
    return f"{names[one.kind]} stands out: {points(one.won)} of win share beside an average card"


def bottleneck_finding(found: Bottleneck) -> str:
    """Say what holds up an escape: what most often is the only thing missing, over the rounds that most games see."""
    if not found.rounds:
        return "No escape window came up"
    for need, missing in found.all_rounds.lacks.items():
        if missing.value == 1:
            return f"No seat ever {_NEVER_HAD[need]}"
    leading = {number: _only_missing(windows.lacks_only) for number, windows in found.typical().items()}
    ruled = [(number, need) for number, need in leading.items() if need]
    if not ruled:
        return "No single thing holds up the escape"
    needs = [need for _, need in ruled]
    changes = [i for i in range(1, len(needs)) if needs[i] != needs[i - 1]]
    if not changes:
        (first, need), (last, _) = ruled[0], ruled[-1]
        when = f"in round {first}" if first == last else f"from round {first} to {last}"
        when = "from first to last" if len(ruled) == len(leading) else when
        return f"What holds up an escape is {NEED_WORDS[need]}, {when}"
    if len(changes) == 1:
        before, after = ruled[changes[0] - 1], ruled[changes[0]]
        return (
            f"What holds up an escape: {NEED_WORDS[before[1]]} until round {before[0]}, {NEED_WORDS[after[1]]} from "
            f"round {after[0]}"
        )
    most = max(NEEDS, key=needs.count)
    return f"What holds up an escape is mostly {NEED_WORDS[most]}: in {needs.count(most)} of {len(needs)} rounds"


def chance_finding(found: Chance | None) -> str:
    """Say how far apart chance alone puts two runs."""
    if found is None:
        return "Too few deals to tell how much is chance"
    widest = max((figure.whole for figure in found.shares), default=0.0)
    if not widest:
        return "Two such runs would not differ in who wins"
    return f"Chance alone puts two such runs up to {100 * widest:.{2 if widest < 0.002 else 1}f} points apart"


def _only_missing(lacks_only: Mapping[str, Estimate]) -> str | None:
    """Name the need that is most often the only one missing, if clearly so."""
    first, second = sorted(lacks_only, key=lambda need: -lacks_only[need].value)[:2]
    return first if lacks_only[first].low > lacks_only[second].high else None


def listed(names: Sequence[str]) -> str:
    """Word a list: `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
