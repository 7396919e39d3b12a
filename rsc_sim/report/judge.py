"""Sets a run's figures beside the limits of its experiment: which are too much, by how far, and how sure that is.

A figure is *beyond* its limit where its whole interval is, after allowing for how many of its sort are looked at;
*within* where the whole interval is within; else it is unsure. Sentences speak of the table, numbers carry their range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rsc_sim.findings import (
    bottleneck_finding,
    drawn_over_and_over,
    ends_finding,
    length_words,
    listed,
    nth,
    percent,
    percent_range,
    points,
    points_range,
    side,
    stuck_words,
)
from rsc_sim.report.model import Finding, State, ordered

if TYPE_CHECKING:
    from rsc_sim.analysis import CardImpact, Estimate, Quantile, Share
    from rsc_sim.experiment import Limits, ResolvedExperiment
    from rsc_sim.summary import Summary

__all__ = [
    "above",
    "between",
    "judge_run",
    "length_finding",
    "minutes_words",
    "off_by",
    "read_dealt",
    "rounds_words",
]

_CARDS_NAMED = 3
"""Cards beyond the limit that get a finding of their own; of more, the rest is counted."""


def judge_run(summary: Summary, experiment: ResolvedExperiment, *, causal: bool = False) -> tuple[Finding, ...]:
    """Give the findings of a run, the worst first; where the causal effect of cards is known, cards are left to it."""
    limits, rules = experiment.limits, experiment.ruleset
    found = [
        *_unfinished(summary, limits, rules),
        *_escaper(summary, limits),
        *_strategies(summary.by_strategy, limits.strategy),
        *_places(summary.by_place, limits.place),
        *read_dealt(summary.read_dealt.effect, limits.read_dealt),
        *_length(summary, limits),
    ]
    if summary.bottleneck is not None and summary.bottleneck.rounds:
        alone = summary.bottleneck.all_rounds.lacks_only
        need = max(alone, key=lambda name: alone[name].value)
        words = {"read": "Read", "ticket": "a ticket", "merch": "Merch"}[need]
        number = f"of all escape windows {percent(alone[need])} lack only {words} ({percent_range(alone[need])})"
        found.append(Finding(f"{bottleneck_finding(summary.bottleneck)}.", number, "", "bottleneck"))
    if not causal and summary.cards is not None:
        names = {kind: card["name"] for kind, card in rules["cards"].items()}
        copies = {kind: card["copies"] for kind, card in rules["cards"].items()}
        found += _cards(summary.cards, names, copies, limits.card)
    return ordered(found)


def _unfinished(summary: Summary, limits: Limits, rules: Mapping[str, Any]) -> Iterator[Finding]:
    share = summary.ends.unfinished
    state = above(share, limits.unfinished)
    text = f"{ends_finding(summary.ends, rules)}."
    if share.value > 0 and state == "within":
        reason = max(summary.ends.stuck, key=lambda name: summary.ends.stuck[name].value)
        text = f"Nearly all games end; where one does not, it is mostly because {stuck_words(reason, rules)}."
    number = f"{percent(share)} do not end ({percent_range(share)})"
    yield Finding(text, number, f"at most {_share(limits.unfinished)}", "ends", state, share.value / limits.unfinished)


def _escaper(summary: Summary, limits: Limits) -> Iterator[Finding]:
    won = summary.ends.escaper_wins
    if not won.n_escapes:
        return
    state = above(won.share, limits.escaper_wins)
    text = {
        "beyond": "Whoever escapes wins nearly always: the other points hardly count.",
        "within": "To escape is not yet to win.",
    }.get(state, "Whoever escapes may win nearly always.")
    number = f"{percent(won.share)} of escapes are won by the escaper ({percent_range(won.share)})"
    yield Finding(
        text, number, f"at most {_share(limits.escaper_wins)}", "ends", state, won.share.value / limits.escaper_wins
    )


def _strategies(shares: Sequence[Share], limit: float) -> Iterator[Finding]:
    if len(shares) > 1:
        names, words = [share.who for share in shares], ("strategy", "strategies")
        yield from _shares(shares, names, words=words, limit=limit, href="who-wins")


def _places(shares: Sequence[Share], limit: float) -> Iterator[Finding]:
    names = [f"The {nth(int(share.who))} to play" for share in shares]
    yield from _shares(shares, names, words=("place at the table", "places"), limit=limit, href="places")


def _shares(
    shares: Sequence[Share], names: Sequence[str], *, words: tuple[str, str], limit: float, href: str
) -> Iterator[Finding]:
    """Name each share that lies, or may lie, beyond the limit; else say of all that they are within."""
    if not any(share.share.value for share in shares):
        return
    what, several = words
    measured = f"within {100 * limit:g} points of the equal share"
    states = [off_by(share.share, share.reference, limit, len(shares)) for share in shares]
    for share, name, state in zip(shares, names, states, strict=True):
        if state == "within":
            continue
        off = share.share.value - share.reference
        wins = "wins" if state == "beyond" else "may win"
        how = "more" if off > 0 else "less"
        seat = " a seat" if share.n_seats > 1 else ""
        text = f"{name} {wins} too much" if off > 0 else f"{name} {wins} too little"
        number = (
            f"{percent(share.share)} of games{seat} ({percent_range(share.share)}), {100 * abs(off):.1f} points {how} "
            f"than the equal share of {100 * share.reference:.1f} %"
        )
        yield Finding(f"{text}.", number, measured, href, state, abs(off) / limit)
    if all(state == "within" for state in states):
        worst = max(range(len(shares)), key=lambda i: abs(shares[i].share.value - shares[i].reference))
        share = shares[worst]
        number = f"furthest off: {_lower(names[worst])} with {percent(share.share)} ({percent_range(share.share)})"
        number += f" beside {100 * share.reference:.1f} %"
        off = abs(share.share.value - share.reference)
        yield Finding(
            f"No {what} wins too much or too little: all {len(shares)} {several} lie near the equal share.",
            number, measured, href, "within", off / limit,
        )  # fmt: skip


def read_dealt(effect: Estimate, limit: float, href: str = "places") -> Iterator[Finding]:
    """Judge what being dealt Read changes in win share."""
    if effect.n_blocks < 2:
        return
    state = off_by(effect, 0.0, limit, 1)
    text = {
        "beyond": f"Being dealt Read {'helps' if effect.value > 0 else 'harms'} too much.",
        "within": "Being dealt Read neither helps nor harms much.",
    }.get(state, f"Being dealt Read may {'help' if effect.value > 0 else 'harm'} too much.")
    number = f"{points(effect)} of win share ({points_range(effect)})"
    yield Finding(text, number, f"within {100 * limit:g} points", href, state, abs(effect.value) / limit)


def _length(summary: Summary, limits: Limits) -> Iterator[Finding]:
    rounds, turns = summary.rounds.quantiles[1], summary.turns.quantiles[1]
    minute = limits.seconds_per_turn / 60
    for quantile, scale, (least, most), told, unit in (
        (rounds, 1.0, limits.median_rounds, rounds_words(rounds), "rounds"),
        (turns, minute, limits.minutes, minutes_words(turns, limits.seconds_per_turn), "minutes"),
    ):
        low, value, high = (scale * bound for bound in _three(quantile))
        state: State = "unsure"
        if low > most or (high < least and not quantile.high_at_least):
            state = "beyond"
        elif low >= least and high <= most and not quantile.high_at_least:
            state = "within"
        number = f"half of them {'take' if quantile.at_least else 'are over within'} {told}"
        yield length_finding(value, number, (least, most), unit=unit, state=state, href="length")


def length_finding(
    value: float, number: str, limits: tuple[float, float], *, unit: str, state: State, href: str
) -> Finding:
    """Say of a median of length, judged already, whether games are too long, too short, or neither."""
    least, most = limits
    text = {"beyond": "Games are too", "unsure": "Games may be too"}.get(state, "")
    text = f"{text} {'long' if value > (least + most) / 2 else 'short'}." if text else ""
    beyond = max(value / most, least / value if value else 0.0)
    limit = f"{least:g} to {most:g} {unit}"
    return Finding(text or f"Games take as long as they should, in {unit}.", number, limit, href, state, beyond)


def _cards(
    cards: Sequence[CardImpact], names: Mapping[str, str], copies: Mapping[str, int], limit: float
) -> Iterator[Finding]:
    """Judge what a card in the opening hand goes with, which chance deals."""
    known = [card for card in cards if card.edge.n_blocks > 1 and not drawn_over_and_over(card, copies[card.kind])]
    if not known or not any(card.opening.value > 0 for card in known):
        return
    measured = f"within {100 * limit:g} points"
    states = {card.kind: off_by(card.edge, 0.0, limit, len(known)) for card in known}
    known.sort(key=lambda card: -abs(card.edge.value))
    beyond = [card for card in known if states[card.kind] == "beyond"]
    for card in beyond[:_CARDS_NAMED]:
        strong = "strong" if card.edge.value > 0 else "weak"
        number = f"{points(card.edge)} of win share in the opening hand ({points_range(card.edge)})"
        text = f"{names[card.kind]} is too {strong}."
        yield Finding(text, number, measured, "cards", "beyond", abs(card.edge.value) / limit)
    if len(beyond) > _CARDS_NAMED:
        rest = beyond[_CARDS_NAMED:]
        yield Finding(
            f"So {'is' if len(rest) == 1 else 'are'} {listed([names[card.kind] for card in rest])}.",
            "", measured, "cards", "beyond", abs(rest[0].edge.value) / limit,
        )  # fmt: skip
    unsure = [card for card in known if states[card.kind] == "unsure"]
    if unsure:
        many = f"{names[unsure[0].kind]} and {len(unsure) - 1} more" if len(unsure) > 4 else ""
        text = f"Of {many or listed([names[card.kind] for card in unsure])} these games cannot tell whether "
        text += "they are too strong or too weak."
        first = unsure[0]
        number = f"{names[first.kind]}: {points(first.edge)} in the opening hand ({points_range(first.edge)})"
        yield Finding(text, number, measured, "cards", "unsure", abs(first.edge.value) / limit)
    if not beyond and not unsure:
        first = known[0]
        number = f"furthest off: {names[first.kind]}, {points(first.edge)} ({points_range(first.edge)})"
        text = "No card of the opening hand decides too much."
        yield Finding(text, number, measured, "cards", "within", abs(first.edge.value) / limit)


# ---- beside a limit


def above(share: Estimate, limit: float) -> State:
    """Set a share beside the most it should be."""
    if share.value > limit and (side(share, limit) > 0 or share.low > limit):
        return "beyond"
    return "within" if share.high < limit else "unsure"


def off_by(estimate: Estimate, reference: float, limit: float, looks: int) -> State:
    """Set a figure beside the furthest it should be from a reference, either way."""
    if side(estimate, reference + limit, looks=looks) > 0 or side(estimate, reference - limit, looks=looks) < 0:
        return "beyond"
    inside = side(estimate, reference + limit) < 0 < side(estimate, reference - limit)
    return "within" if inside else "unsure"


def between(estimate: Estimate, least: float, most: float) -> State:
    """Set a figure beside the least and the most it should be."""
    if side(estimate, most) > 0 or side(estimate, least) < 0:
        return "beyond"
    inside = estimate.low >= least and estimate.high <= most
    return "within" if inside else "unsure"


def _three(quantile: Quantile) -> tuple[float, float, float]:
    return quantile.estimate.low, quantile.estimate.value, quantile.estimate.high


def _share(limit: float) -> str:
    return f"{100 * limit:g} %"


def _lower(name: str) -> str:
    return name.replace("The ", "the ", 1)


# ---- lengths in words


def rounds_words(quantile: Quantile) -> str:
    """Word a length with its range, e.g. `17 rounds (17 to 18)`."""
    unit = quantile.estimate.unit.removesuffix("s") if quantile.estimate.value == 1 else quantile.estimate.unit
    return length_words(quantile, unit)


def minutes_words(quantile: Quantile, seconds_per_turn: float) -> str:
    """Word a length of turns as minutes, e.g. `22 minutes (22 to 23)`."""
    return length_words(quantile, "minutes", seconds_per_turn / 60)
