"""Differences between rulesets, as data and in a designer's words."""

from __future__ import annotations

from typing import Any

import pytest

from rsc_sim.ruleset import Difference, Ruleset, describe_diff

BOOKLET = Ruleset.booklet()


def without(kind: str) -> Ruleset:
    plain = BOOKLET.to_dict()
    del plain["cards"][kind]
    return Ruleset.from_dict(plain)


def with_card(kind: str, **card: Any) -> Ruleset:
    plain = BOOKLET.to_dict()
    plain["cards"][kind] = card
    return Ruleset.from_dict(plain)


def test_equal_rulesets_do_not_differ() -> None:
    assert BOOKLET.diff(BOOKLET.override({})) == []
    assert describe_diff([]) == []


def test_differences_are_typed_and_in_file_order() -> None:
    other = BOOKLET.override({"cards.mug.copies": 3, "escape": "forced", "cards.mine_now.family": None, "name": "x"})
    assert BOOKLET.diff(other) == [
        Difference("figure", "name", "booklet", "x"),
        Difference("figure", "escape", "optional", "forced"),
        Difference("figure", "cards.mug.copies", 5, 3, "Mug"),
        Difference("figure", "cards.mine_now.family", "merch", None, "Mine Now"),
    ]
    assert [difference.affects_play for difference in BOOKLET.diff(other)] == [False, True, True, True]


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("cards.escape_ticket.copies", 3, "Escape Ticket: 4 → 3 copies"),
        ("cards.mug.copies", 0, "Mug: 5 → 0 copies (out of the deck)"),
        ("cards.mug.value", 40, "Mug: worth 30 → 40"),
        ("cards.mug.name", "Cup", "Mug: now called Cup"),
        ("cards.mug.assumed", [], "Mug: assumed copies, value, name → none"),
        ("cards.teased.max_value", 30, "Teased Too Much: reaches Merch worth 10 → 30 or less"),
        ("cards.giveaway.count", 3, "You Won a Giveaway: 2 → 3 cards"),
        ("cards.free_audio.kind", "mug", "Won a Free Audio: finds signed_photo → mug"),
        ("cards.mine_now.family", None, "Mine Now: family merch → none (nothing can cancel it)"),
        ("cards.not_today.cancels", ["merch", "protect"], "Not Today Demon: cancels merch → merch, protect"),
        ("read_points", 20000, "read_points: 10,000 → 20,000"),
        ("escape", "forced", "escape: optional → forced (the game ends as soon as a player can escape)"),
        ("skips_stack", False, "skips_stack: true → false (at most one missed turn is owed)"),
        ("recycle_discard", False, "recycle_discard: true → false (an empty Pick-Up Pile stays empty)"),
        ("available_from", ["pickup"], "available_from: discard, pickup → pickup"),
        ("name", "mine", "name: booklet → mine"),
    ],
)
def test_figures_in_words(key: str, value: Any, line: str) -> None:
    assert describe_diff(BOOKLET.diff(BOOKLET.override({key: value}))) == [line]


def test_a_card_back_into_the_deck() -> None:
    assert describe_diff(BOOKLET.override({"cards.mug.copies": 0}).diff(BOOKLET)) == [
        "Mug: 0 → 5 copies (into the deck)"
    ]


@pytest.mark.parametrize("switch", [key for key, value in BOOKLET.to_dict().items() if isinstance(value, bool)])
def test_every_switch_says_what_it_means(switch: str) -> None:
    flipped = BOOKLET.override({switch: not getattr(BOOKLET, switch)})
    for difference in (BOOKLET.diff(flipped), flipped.diff(BOOKLET)):
        assert describe_diff(difference)[0].endswith(")")


@pytest.mark.parametrize(
    ("switch", "other"), [("lowest_means", "tabled"), ("escape", "forced"), ("unfinished", "score")]
)
def test_every_choice_says_what_it_means(switch: str, other: str) -> None:
    changed = BOOKLET.override({switch: other})
    for difference in (BOOKLET.diff(changed), changed.diff(BOOKLET)):
        assert describe_diff(difference)[0].endswith(")")


def test_a_change_of_primitive_shows_the_figures_that_come_and_go() -> None:
    plain = BOOKLET.to_dict()
    plain["cards"]["giveaway"] |= {"primitive": "take_merch", "max_value": 20}
    del plain["cards"]["giveaway"]["count"]
    assert describe_diff(BOOKLET.diff(Ruleset.from_dict(plain))) == [
        "You Won a Giveaway: primitive draw → take_merch",
        "You Won a Giveaway: 2 → none cards",
        "You Won a Giveaway: reaches Merch worth none → 20 or less",
    ]


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ({"type": "merch", "copies": 3, "value": 1500}, "3 copies, Merch worth 1,500"),
        ({"type": "ticket", "copies": 1}, "1 copy, ticket"),
        ({"type": "reaction", "copies": 2, "cancels": ["hand"]}, "2 copies, reaction that cancels hand"),
        ({"type": "action", "copies": 2, "primitive": "extra_turn"}, "2 copies, extra_turn"),
        (
            {"type": "action", "copies": 2, "primitive": "steal_merch", "max_value": 5, "family": "merch"},
            "2 copies, steal_merch(max_value=5), family merch",
        ),
    ],
)
def test_new_and_gone_cards(card: dict[str, Any], words: str) -> None:
    other = with_card("name", name="Thing", **card)
    [difference] = BOOKLET.diff(other)
    assert (difference.what, difference.key, difference.affects_play) == ("new_card", "cards.name", True)
    assert describe_diff([difference]) == [f"new card Thing (name): {words}"]
    assert describe_diff(other.diff(BOOKLET)) == [f"card gone: Thing (name), which was {words}"]


def test_a_gone_card_is_no_change_of_order() -> None:
    assert [difference.what for difference in BOOKLET.diff(without("mug"))] == ["card_gone"]


def test_order_of_the_cards() -> None:
    plain = BOOKLET.to_dict()
    plain["cards"] = {"mug": plain["cards"].pop("mug"), **plain["cards"]}
    [difference] = BOOKLET.diff(Ruleset.from_dict(plain))
    assert (difference.what, difference.key, difference.affects_play) == ("order", "cards", True)
    assert difference.new[0] == "mug"
    assert describe_diff([difference]) == ["the cards stand in another order, which decides ties and deals"]
