"""Where what goes with a card is not what it does, and why: observational figures held against causal ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rsc_sim.analysis.causal import CardEffect, Seen
from rsc_sim.analysis.intervals import Estimate, critical_value

__all__ = ["MARGIN", "Disagreement", "disagreements"]

MARGIN = 0.005
"""Differences in win share below this are no designer's business, however clear."""
_MUCH = 1 / 3
"""Of a disagreement, what a reason must explain to be named."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A kind that goes with winning otherwise than it makes a seat win."""

    kind: str
    rate: str
    """What disagrees: `in_hand` (all cards dealt or drawn) or `drawn` (those drawn from the pick-up pile)."""
    seen: Estimate
    caused: Estimate
    opposite: bool
    """Whether the two point to different sides, and not only differ in size."""
    reason: str
    """`unfinished`, `when`, `who`, or `other`."""
    in_words: str

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "kind": self.kind,
            "rate": self.rate,
            "seen": self.seen.to_dict(),
            "caused": self.caused.to_dict(),
            "opposite": self.opposite,
            "reason": self.reason,
            "in_words": self.in_words,
        }


def disagreements(
    effects: Sequence[CardEffect], drawn: Sequence[CardEffect], seen: Sequence[Seen]
) -> tuple[Disagreement, ...]:
    """Find the kinds whose rates in hand, or once drawn, lie elsewhere than their effect, largest difference first.

    Each rate is held against the effect on the same cards: all that were seen, or those `drawn` from the pile.

    Elsewhere: by more than `MARGIN`, with intervals apart from each other after both were stretched for the number of
    kinds looked at (Bonferroni; see `findings.side`). Only the larger of a kind's two differences is told.
    """
    looks = sum(not math.isnan(effect.won.value) for effect in effects)
    found = []
    for effect, of_drawn, of_kind in zip(effects, drawn, seen, strict=True):
        rates = {"in_hand": (of_kind.edge, effect), "drawn": (of_kind.drawn, of_drawn)}
        apart = {name: pair for name, pair in rates.items() if _apart(pair[0], pair[1].won, looks)}
        if apart:
            name = max(apart, key=lambda name: abs(apart[name][0].value - apart[name][1].won.value))
            found.append(_explained(apart[name][1], of_kind, name, apart[name][0]))
    return tuple(sorted(found, key=lambda one: -abs(one.seen.value - one.caused.value)))


def _apart(rate: Estimate, effect: Estimate, looks: int) -> bool:
    values = (rate.value, effect.value, rate.low, effect.low, rate.high, effect.high)
    if not all(map(math.isfinite, values)) or min(rate.n_blocks, effect.n_blocks) < 2:
        return False
    if abs(rate.value - effect.value) < MARGIN:
        return False
    (_, high), (low, _) = sorted((_stretched(rate, looks), _stretched(effect, looks)))
    return high < low


def _stretched(estimate: Estimate, looks: int) -> tuple[float, float]:
    wide = critical_value(1 - (1 - estimate.level) / max(looks, 1), estimate.n_blocks)
    stretch = wide / critical_value(estimate.level, estimate.n_blocks)
    half = stretch * (estimate.high - estimate.low) / 2
    return estimate.value - half, estimate.value + half


def _explained(effect: CardEffect, seen: Seen, name: str, rate: Estimate) -> Disagreement:
    gap = rate.value - effect.won.value
    parts = {"unfinished": seen.unfinished, "when": seen.when, "who": seen.who}
    reason = max(parts, key=lambda part: parts[part] / gap if math.isfinite(parts[part]) else -math.inf)
    if not math.isfinite(parts[reason]) or parts[reason] / gap < _MUCH:
        reason = "other"
    return Disagreement(
        kind=effect.kind,
        rate=name,
        seen=rate,
        caused=effect.won,
        opposite=rate.value * effect.won.value < 0,
        reason=reason,
        in_words=_words(reason, gap > 0, seen.late > 0),
    )


def _words(reason: str, too_high: bool, late: bool) -> str:
    if reason == "unfinished":
        return (
            "games that nobody wins show less of it than of other cards"
            if too_high
            else "it is drawn over and over in games that nobody wins"
        )
    if reason == "when":
        if late:
            return (
                "it is seen late, and long games favour late cards: whoever still draws then wins more anyway"
                if too_high
                else "it is seen late, when whoever still draws wins less anyway"
            )
        return (
            "it is seen early, when every seat wins more than later on"
            if too_high
            else "it is seen early, before those who lose have stopped drawing"
        )
    if reason == "who":
        return (
            "players who win anyway see more of it than others"
            if too_high
            else "players who lose anyway see more of it than others"
        )
    return (
        "seats that come to see it stand better than others at that time, whatever the card"
        if too_high
        else "seats that come to see it stand worse than others at that time, whatever the card"
    )
