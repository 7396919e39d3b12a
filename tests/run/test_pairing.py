"""Decks that differ in a card are dealt alike as far as they can be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import polars as pl

from rsc_sim.experiment import Experiment
from rsc_sim.pairing import deal_orders, paired
from rsc_sim.runner import play


def test_common_copies_come_first_in_one_order_and_surplus_last() -> None:
    first = {"cards": {"mug": {"copies": 1}, "hat": {"copies": 2}, "pin": {"copies": 0}}}
    second = {"cards": {"hat": {"copies": 1}, "cap": {"copies": 1}, "mug": {"copies": 3}}}
    orders = deal_orders([first, second])
    assert orders == [("mug", "hat", "hat"), ("mug", "hat", "cap", "mug", "mug")]
    for order, rules in zip(orders, (first, second), strict=True):
        assert Counter(order) == Counter({k: c["copies"] for k, c in rules["cards"].items() if c["copies"]})


def test_equal_decks_keep_the_order_of_their_file() -> None:
    base = Experiment.from_dict({"lineup": ["collector", "random"], "games": 10})
    one, other = paired([base.resolve(), base.changed(overrides={"escape_threshold": 800}).resolve()])
    assert one == base.resolve()
    assert other.deal_order is None


def test_pairing_makes_decks_that_differ_in_a_late_card_share_most_of_the_deal() -> None:
    base = Experiment.from_dict({"lineup": ["rusher", "rusher"], "games": 2_000})
    more = base.changed(overrides={"cards.sticker.copies": 7}).resolve()
    alike = {}
    for name, pair in {"paired": paired([base.resolve(), more]), "as filed": [base.resolve(), more]}.items():
        one, other = (play(replace(e, n_blocks=2_000)).games.select("game", "trace").collect() for e in pair)
        both = one.join(other, on="game")
        alike[name] = both.select((pl.col("trace") == pl.col("trace_right")).mean()).item()
    assert alike["paired"] > 0.2
    assert alike["as filed"] < 0.01
