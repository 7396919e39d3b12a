"""What a study of the feel of a game says, in one sentence each: titles of its pictures, lines of what is printed."""

from __future__ import annotations

import math

from rsc_sim.analysis import Estimate
from rsc_sim.analysis.feel import Feel
from rsc_sim.analysis.luck import Luck, Source
from rsc_sim.findings import percent

__all__ = ["SOURCE_WORDS", "feel_finding", "luck_finding", "share_of_luck"]

SOURCE_WORDS = {
    "hands": "opening hands, who begins",
    "pile": "order of the pick-up pile",
    "renewals": "reshuffles of discards",
    "picks": "random picks and searches",
    "strategies": "the strategies' own dice",
    "deal": "hands and pile together",
}
"""What each source of luck is called."""


def share_of_luck(estimate: Estimate) -> Estimate:
    """Give an index as what it can be: no less than nothing and no more than all."""
    if math.isnan(estimate.value):
        return Estimate(math.nan, 0.0, 1.0, estimate.level, "share", estimate.n_blocks, estimate.method)
    value, low, high = (min(max(bound, 0.0), 1.0) for bound in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.level, "share", estimate.n_blocks, estimate.method)


def feel_finding(feel: Feel) -> str:
    """Say when games are decided."""
    left = feel["points_decided_early"]
    if not feel.n_won or math.isnan(left.value):
        return "No game had one winner, so that nothing can be said of leads and comebacks"
    return (
        f"The winner goes ahead for good with {percent(left)} of the turns to come, and was behind at half-time in "
        f"{percent(feel['points_comeback'])} of games"
    )


def luck_finding(luck: Luck) -> str:
    """Say what luck is made of."""
    if not luck.variance.value or math.isnan(luck.variance.value):
        return "Luck makes no difference to who wins"
    deal = _named(luck.groups, "deal")
    hands = _named(luck.sources, "hands")
    if deal is None or hands is None:
        return "Where luck comes from"
    return (
        f"{percent(share_of_luck(deal.alone))} of luck is settled by the deal and the order of the pile, "
        f"{percent(share_of_luck(hands.alone))} by the opening hands alone"
    )


def _named(sources: tuple[Source, ...], name: str) -> Source | None:
    return next((source for source in sources if source.name == name), None)
