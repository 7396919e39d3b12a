"""Sentences about figures, word for word."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rsc_sim import findings
from rsc_sim.analysis import CardImpact, Estimate, Quantile, Share
from rsc_sim.findings_train import curve_finding
from rsc_sim.ruleset import Ruleset


def estimate(value: float, half: float = 0.01, *, n: int = 5_000, unit: str = "share") -> Estimate:
    return Estimate(value, value - half, value + half, 0.95, unit, n, "made up")


def shares(*values: float, half: float = 0.01, who: str = "abcdefgh", n_seats: int = 1) -> list[Share]:
    each = [estimate(value, half) for value in values]
    reference = 1 / (len(values) * n_seats)
    return [Share(who[i], n_seats, e, reference, e, "level", fragile=False) for i, e in enumerate(each)]


def card(kind: str, impact: float, *, half: float = 0.01, edge: float = 0.0, draws: float = 1.0) -> CardImpact:
    rest: dict[str, Any] = dict.fromkeys(("opening", "drawn_later", "in_hand", "never_seen", "played", "left"))
    rest = {name: estimate(0.25) for name in rest}
    return CardImpact(kind, None, 100, draws, impact=estimate(impact, half), edge=estimate(edge, 0.02), **rest)


NAMES = {"mug": "Mug", "hoodie": "Hoodie", "vinyl": "Vinyl"}
COPIES = dict.fromkeys(NAMES, 2)


def test_a_figure_stands_out_only_after_allowing_for_how_many_were_looked_at() -> None:
    just = estimate(0.011, 0.01)
    assert (findings.side(just), findings.side(just, looks=8)) == (1, 0)
    assert findings.side(estimate(-0.02, 0.01), looks=8) == -1
    assert findings.side(estimate(0.5, 0.01, n=1)) == 0
    assert findings.side(estimate(math.nan)) == 0


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((0.30, 0.25, 0.25, 0.20), "a wins most: 30.0 % of games, beside its equal share of 25.0 %"),
        ((0.30, 0.30, 0.20, 0.20), "a and b win most, more than their equal share"),
        ((0.28, 0.28, 0.29, 0.15), "a, b and c win most, more than their equal share"),
        ((0.255, 0.255, 0.255, 0.235), "d wins 23.5 %, less than its equal share of 25.0 %"),
        ((0.255, 0.245, 0.25, 0.25), "No strategy wins measurably more than its equal share"),
        ((0.0, 0.0), "Nobody won a single game"),
        ((0.5,), "Every seat is a: equal shares by construction"),
    ],
)
def test_strategies(values: tuple[float, ...], told: str) -> None:
    assert findings.strategies_finding(shares(*values)) == told


def test_a_strategy_on_several_seats_wins_so_much_a_seat() -> None:
    told = findings.strategies_finding(shares(0.30, 0.20, n_seats=2))
    assert told == "a wins most: 30.0 % of games a seat, beside its equal share of 25.0 %"


def test_places() -> None:
    assert findings.places_finding(shares(0.28, 0.24, 0.24, 0.24, who="0123")) == (
        "The 1st to play wins most: 28.0 % of games, beside an equal share of 25.0 %"
    )
    assert findings.places_finding(shares(0.30, 0.30, 0.2, 0.2, who="0123")) == (
        "The 1st to play and the 2nd to play win most, more than an equal share"
    )
    assert findings.places_finding(shares(0.25, 0.25, who="01", half=0.3)) == (
        "No place wins measurably more than an equal share"
    )


def test_cards() -> None:
    def told(*cards: CardImpact) -> str:
        return findings.cards_finding(cards, NAMES, COPIES)

    assert told(card("mug", 0.1), card("vinyl", 0.2, edge=0.05)) == (
        "Vinyl goes with winning most: +20.0 points once seen, +5.0 in the opening hand"
    )
    assert told(card("mug", 0.1, edge=0.01)) == "Mug goes with winning most: +10.0 points once seen"
    assert told(card("mug", -0.1), card("vinyl", 0.001)) == "Mug goes with losing most: −10.0 points once seen"
    assert told(card("mug", 0.001), card("vinyl", -0.001)) == "No card goes measurably with winning or losing"
    # Drawn five times a game with two copies in the deck: a few games weigh most.
    assert told(card("mug", 0.3, draws=5), card("vinyl", 0.1)).startswith("Vinyl")
    above, below = findings.standing_out([card("mug", 0.1), card("vinyl", 0.2), card("hoodie", -0.1)], COPIES)
    assert [[c.kind for c in side] for side in (above, below)] == [["vinyl", "mug"], ["hoodie"]]


def test_points_are_signed_and_as_long_as_they_deserve() -> None:
    assert findings.points(estimate(0.1234)) == "+12.3 points"
    assert findings.points(estimate(-0.1234, 0.0004)) == "−12.34 points"
    assert findings.points(estimate(0.0)) == "0.0 points"
    assert findings.points_range(estimate(0.0)) == "−1.0 to +1.0"


def test_a_training_that_lost_says_so() -> None:
    def told(before: list[float], after: list[float]) -> str:
        points = [(0, [estimate(share) for share in before]), (6, [estimate(share) for share in after])]
        return curve_finding("mine", ["raider", "rusher"][: len(before)], points, seats=4)

    assert (
        told([0.32], [0.30]) == "mine wins less than what it started from: against raider 30.0 %, at the start 32.0 %"
    )
    assert told([0.32], [0.31]) == "mine wins more than an even share against its field: 31.0 % at least"
    assert told([0.32, 0.30], [0.30, 0.30]).startswith(
        "mine wins less than what it started from against 1 of 2 fields: "
    )
    assert told([0.32, 0.30], [0.30, 0.40]) == (
        "mine wins more than an even share against every field: 30.0 % at least; "
        "it wins less than what it started from against raider 30.0 %, at the start 32.0 %"
    )


def test_why_games_did_not_end_is_true_of_the_deck() -> None:
    rules = Ruleset.booklet()
    none, dear = (
        rules.override(change).to_dict() for change in ({"cards.escape_ticket.copies": 0}, {"escape_threshold": 4_766})
    )
    assert findings.stuck_words("tickets", rules.to_dict()) == "tickets are out of reach"
    assert findings.stuck_words("tickets", none) == "the deck has no ticket"
    assert findings.stuck_words("threshold", {**rules.to_dict(), "escape_threshold": 4_765}) == (
        "no table can reach $4,765"
    )
    assert findings.stuck_words("threshold", dear) == "all Merch is below $4,766"


def test_lengths_beyond_the_limit_have_no_range_of_their_own() -> None:
    def told(low: int, value: int, high: int) -> str:
        length = Estimate(value, low, high, 0.95, "rounds", 100, "made up")
        return findings.length_words(Quantile(0.5, length, value == 200, high == 200), "rounds")

    assert told(17, 17, 18) == "17 rounds (17 to 18)"
    assert told(150, 180, 200) == "180 rounds (150 to beyond 200)"
    assert told(180, 200, 200) == "more than 200 rounds (180 or more)"
    assert told(200, 200, 200) == "more than 200 rounds"
