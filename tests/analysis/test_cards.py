"""Card impact on tallies small enough to count, and on real ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

import rsc_sim
from rsc_sim.analysis import card_impact
from rsc_sim.analysis.batches import jackknife

EVENTS = ("opening", "drawn", "tabled", "played", "reacted", "discarded", "lost", "in_hand_at_end", "never_seen")
KINDS = ("read", "mug", "teased")
Tally = tuple[int, str, str, str, int, int, float]


def cards_of(tallies: Sequence[Tally], strategies: Sequence[str] = ("a", "b")) -> pl.LazyFrame:
    """Lay out (batch, strategy, kind, event, seat-games, copies, wins in games)."""
    schema = {
        "batch": pl.UInt32,
        "strategy": pl.Enum(strategies),
        "kind": pl.Enum(KINDS),
        "event": pl.Enum(EVENTS),
        "seat_games": pl.UInt64,
        "copies": pl.UInt64,
        "wins": pl.UInt64,
    }
    return pl.DataFrame([(*row[:-1], round(840 * row[-1])) for row in tallies], schema=schema, orient="row").lazy()


def mug_of(found: Sequence[Any]) -> Any:
    return next(card for card in found if card.kind == "mug")


MUGS: list[Tally] = [
    (0, "a", "mug", "opening", 4, 4, 3),
    (0, "a", "mug", "drawn", 8, 10, 4),
    (0, "b", "mug", "drawn", 5, 6, 1.5),
    (0, "a", "mug", "tabled", 6, 7, 4),
    (0, "b", "mug", "played", 1, 1, 0),
    (0, "b", "mug", "reacted", 1, 2, 0),
    (0, "a", "mug", "in_hand_at_end", 3, 3, 1),
    (0, "a", "mug", "never_seen", 12, 12, 3),
    (1, "b", "mug", "opening", 2, 2, 0),
    (1, "b", "mug", "drawn", 4, 4, 1),
    (1, "b", "mug", "never_seen", 8, 8, 4),
    (0, "a", "teased", "opening", 6, 6, 3),
    (1, "b", "teased", "opening", 4, 4, 2),
]


def test_measures_are_win_shares_over_copies() -> None:
    mug = mug_of(card_impact(cards_of(MUGS)))
    assert mug.strategy is None
    assert (mug.n_copies, mug.draws) == (20, pytest.approx(20 / 17))
    assert mug.opening.value == pytest.approx(3 / 6)
    assert mug.in_hand.value == pytest.approx(6.5 / 20)
    assert mug.drawn_later.value == pytest.approx((6.5 - 3) / (20 - 6))
    assert mug.never_seen.value == pytest.approx(7 / 20)
    assert mug.impact.value == pytest.approx(6.5 / 20 - 7 / 20)
    assert mug.edge.value == pytest.approx(3 / 6 - 8 / 16)
    assert mug.played.value == pytest.approx(10 / 20)
    assert mug.left.value == pytest.approx(3 / 20)


def test_by_strategy_each_has_its_own() -> None:
    found = card_impact(cards_of(MUGS), by_strategy=True)
    assert [(card.strategy, card.kind) for card in found] == [(who, kind) for who in ("a", "b") for kind in KINDS]
    a, b = (card for card in found if card.kind == "mug")
    assert (a.in_hand.value, b.in_hand.value) == (pytest.approx(0.4), pytest.approx(0.25))
    assert a.impact.value == pytest.approx(0.4 - 0.25)
    assert b.edge.value == pytest.approx(0 - 2 / 6)


def test_the_interval_of_impact_leaves_out_whole_batches() -> None:
    tallies: list[Tally] = []
    numbers = np.random.default_rng(3).integers(1, 40, (9, 2))
    for batch, (drawn, unseen) in enumerate(numbers.tolist()):
        tallies += [
            (batch, "a", "mug", "drawn", drawn, drawn, drawn / 3 if batch % 2 else drawn),
            (batch, "a", "mug", "never_seen", unseen, unseen, unseen / 2),
        ]
    mug = mug_of(card_impact(cards_of(tallies)))
    drawn, unseen = numbers.astype(float).T
    wins = np.where(np.arange(9) % 2, drawn / 3, drawn)
    value, variance = jackknife(lambda w, d, v, u: np.asarray(w / d - v / u), wins, drawn, unseen / 2, unseen)
    assert mug.impact.value == pytest.approx(float(value), abs=1e-4)  # wins are whole parts of 840
    assert mug.impact.high - mug.impact.value == pytest.approx(2.306 * math.sqrt(variance), rel=1e-3)  # t, 8 degrees
    assert mug.impact.n_blocks == 9


def test_a_batch_in_two_parts_is_one() -> None:
    halves = [(b, s, k, e, n // 2, c // 2, w / 2) for b, s, k, e, n, c, w in MUGS if n % 2 == c % 2 == 0]
    whole = [row for row in MUGS if row[4] % 2 == row[5] % 2 == 0]
    assert mug_of(card_impact(cards_of(halves * 2))).to_dict() == mug_of(card_impact(cards_of(whole))).to_dict()


def test_a_kind_that_never_came_has_no_figures() -> None:
    read = card_impact(cards_of(MUGS))[0]
    assert (read.kind, read.n_copies) == ("read", 0)
    plain = read.to_dict()
    assert plain["draws"] is None
    assert {plain[name]["value"] for name in ("opening", "impact", "edge", "played")} == {None}


def test_no_tallies_at_all() -> None:
    assert {card.n_copies for card in card_impact(cards_of([]))} == {0}


@pytest.fixture(scope="module")
def run() -> rsc_sim.Run:
    return rsc_sim.simulate("booklet", ["collector", "random", "rusher"], games=12_000)


def test_weighted_by_copies_edges_of_all_kinds_sum_to_0(run: rsc_sim.Run) -> None:
    found = card_impact(run.cards)
    opening = run.cards.filter(pl.col("event") == "opening").group_by("kind").agg(pl.col("copies").sum())
    copies = dict(opening.collect().cast({"kind": pl.String}).iter_rows())
    assert sum(copies[card.kind] * card.edge.value for card in found) == pytest.approx(0, abs=1e-6)
    assert sum(copies.values()) == 12_000 * 3 * 6
    # Each seat is dealt six cards: the copy-weighted opening-hand share is the mean win share.
    mean = sum(copies[card.kind] * card.opening.value for card in found) / sum(copies.values())
    won = run.seats.select(pl.col("won").cast(pl.Float64).mean()).collect().item()
    assert mean == pytest.approx(won, abs=1e-6)


def test_in_hand_and_never_seen_divide_the_seats(run: rsc_sim.Run) -> None:
    seats = pl.col("seat_games").sum()
    by = run.cards.group_by("kind", "event").agg(seats).collect()
    drawn, unseen = (dict(by.filter(pl.col("event") == e).drop("event").iter_rows()) for e in ("drawn", "never_seen"))
    assert all(drawn[kind] + unseen[kind] == 12_000 * 3 for kind in drawn)


def test_two_names_for_one_card_have_one_impact(run: rsc_sim.Run) -> None:
    """Giveaway and Gifted Big do the same; so do the two that steal from the hand."""
    found = {card.kind: card for card in card_impact(run.cards, level=0.999)}
    for one, other in (("giveaway", "gifted_big"), ("jealous", "favourite_changed")):
        for name in ("impact", "edge", "opening", "in_hand"):
            a, b = getattr(found[one], name), getattr(found[other], name)
            assert max(a.low, b.low) <= min(a.high, b.high), (one, name)


def test_small_runs_hold_the_true_impact_about_95_times_in_100() -> None:
    """One run in 400 batches is 20 small ones; its own figures stand in for the truth."""
    cards = rsc_sim.simulate("booklet", ["collector", "random"], games=40_000, seed=7).cards.collect()
    truth = {card.kind: card for card in card_impact(cards.lazy())}
    last = cards["batch"].max()
    assert isinstance(last, int)
    each = (last + 1) // 20
    held = n = 0
    for i in range(20):
        small = cards.filter(pl.col("batch").is_between(i * each, (i + 1) * each - 1))
        for card in card_impact(small.lazy()):
            for name in ("impact", "edge", "never_seen"):
                found, true = getattr(card, name), getattr(truth[card.kind], name)
                held += found.low <= true.value <= found.high
                n += 1
    # 39 kinds, 3 figures, 20 runs: not independent, so no narrower than this.
    assert 0.935 <= held / n <= 0.975, held / n
