"""Experiments on the same deals: orders the copies of their decks so that what is common to all is shuffled alike.

The shuffle is inside-out: the i-th copy takes part in it from the i-th step on (docs/contracts.md, section 2). With the
copies that all decks have in common first and surplus copies last, two decks that differ in a card lie alike but for
the places that the surplus copies take. Nothing is played here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rsc_sim.experiment import ResolvedExperiment, file_order

__all__ = ["deal_orders", "paired"]


def deal_orders(rulesets: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Give, for each ruleset's plain data, its deck's kinds one a copy: copies common to all first, its surplus last.

    Common copies stand in the order of the first ruleset's file, the same for all; surplus in the order of the own.

    >>> deal_orders([{"cards": {"mug": {"copies": 2}, "hat": {"copies": 1}}}, {"cards": {"mug": {"copies": 1}}}])
    [('mug', 'mug', 'hat'), ('mug',)]
    """
    copies = [{kind: int(card["copies"]) for kind, card in rules["cards"].items()} for rules in rulesets]
    common = {kind: min(deck.get(kind, 0) for deck in copies) for kind in copies[0]}
    shared = [kind for kind, n in common.items() for _ in range(n)]
    return [(*shared, *(kind for kind, n in deck.items() for _ in range(n - common.get(kind, 0)))) for deck in copies]


def paired(experiments: Sequence[ResolvedExperiment]) -> list[ResolvedExperiment]:
    """Give the experiments with deals that agree as far as their decks do."""
    orders = deal_orders([experiment.ruleset for experiment in experiments])
    return [
        replace(experiment, deal_order=None if list(order) == file_order(experiment.ruleset) else order)
        for experiment, order in zip(experiments, orders, strict=True)
    ]
