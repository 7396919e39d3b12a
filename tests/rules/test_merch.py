"""Merch (rules 1, 3, 4 and 6): tabling it, stacks of it, its worth, and what a Merch Protect saves it from."""

from __future__ import annotations

import pytest

from tests.rules.table import action, kinds_of, merch, ruleset

# Rules 1, written out a second time on purpose.
VALUES = {
    "sticker": 5,
    "keyring": 10,
    "badge": 15,
    "signed_photo": 20,
    "mug": 30,
    "poster": 50,
    "t_shirt": 100,
    "hoodie": 200,
    "vinyl": 300,
    "read_merch": 500,
}
MERCH = list(VALUES)
STEALING_BY_VALUE = {"teased": 10, "flirting_failed": 20, "sabotaged": 50}


def test_every_merch_kind_is_here():
    assert kinds_of("merch") == MERCH


@pytest.mark.parametrize("kind", MERCH)
def test_merch_is_tabled_and_counts_its_printed_value(lay, kind):
    """Rules 3, step 4, and rules 5."""
    table = lay(hands=[f"{kind} hands_off"], tabled=["mug"], last_turn=True)
    assert table.merch(0) == 30
    table.table(kind)
    assert table.merch(0) == 30 + VALUES[kind]
    assert sorted(table.tabled(0).split()) == sorted(["mug", kind])
    assert table.hand(0) == "hands_off"
    assert table.outcome("score") == [30 + VALUES[kind], 0, 0, 0]


@pytest.mark.parametrize("kind", MERCH)
def test_merch_may_be_discarded_and_counts_nothing_in_a_hand(lay, kind):
    """Rules 3, step 4; only tabled Merch scores (rules 5)."""
    table = lay(hands=[f"{kind} {kind}"], last_turn=True).discard(kind)
    assert (table.discards, table.hand(0)) == (kind, kind)
    assert table.outcome("score") == [0, 0, 0, 0]


@pytest.mark.parametrize("kind", MERCH)
def test_merch_stacks_with_its_like(lay, kind):
    """Rules 4: a stack's copies are alike."""
    table = lay(hands=[kind], tabled=[f"{kind} {kind}"], last_turn=True).table(kind)
    assert table.tabled(0) == f"{kind} {kind} {kind}"
    assert table.merch(0) == 3 * VALUES[kind]


@pytest.mark.parametrize("kind", MERCH)
def test_merch_unprotected_can_be_stolen_and_protected_cannot(lay, kind):
    """Rules 4: of a stack of n with p protections n - p can be stolen."""
    table = lay(hands=["mine_now"], tabled={2: f"{kind} {kind}"}, protected={2: kind}, last_turn=True)
    table.play("mine_now", target=2)
    assert (table.tabled(0), table.tabled(2), table.protected(2)) == (kind, kind, kind)
    assert table.merch(0) == table.merch(2) == VALUES[kind]
    assert not lay(hands=["mine_now"], tabled={2: kind}, protected={2: kind}).can_play("mine_now")


@pytest.mark.parametrize("kind", MERCH)
@pytest.mark.parametrize("thief", STEALING_BY_VALUE)
def test_merch_is_within_reach_of_a_cap_by_its_printed_value(lay, kind, thief):
    """Rules 4, steal_merch: worth no more than the cap, the cap itself included."""
    table = lay(hands=[thief], tabled={2: kind})
    assert table.can_play(thief) == (VALUES[kind] <= STEALING_BY_VALUE[thief])


def test_tabling_is_one_move_a_kind_whatever_the_copies(lay):
    """Rules 3: moves are distinct by what they do, not by which copy they use."""
    table = lay(hands=["mug mug mug vinyl vinyl"])
    assert table.moves() == [("discard", "mug"), ("discard", "vinyl"), ("table", "mug"), ("table", "vinyl")]


def test_tabling_is_one_merch_a_turn(lay):
    """Rules 3, step 4: exactly one of."""
    assert lay(hands=["mug mug"]).table("mug").asked == ("put_down", 1)


def test_merch_picked_up_can_be_tabled_the_same_turn(lay):
    """Rules 3: the put-down comes after the pick-up."""
    table = lay(hands=["mug", ""], pile="vinyl").discard("mug")
    assert table.table("vinyl").tabled(1) == "vinyl"


def test_tabled_merch_never_returns_by_its_owners_own_move(lay):
    """Rules 3, step 4: moves are of cards in the hand."""
    assert lay(hands=["hands_off"], tabled=["mug vinyl"]).moves() == [("discard", "hands_off")]


# A Merch kind of a designer's own


OWN = ruleset(cards={"lanyard": merch(40)})


def test_own_merch_kind_is_tabled_and_scores(lay):
    """Rules 1: a Merch kind more needs no code."""
    table = lay(rules=OWN, hands=["lanyard"], last_turn=True).table("lanyard")
    assert table.outcome("merch") == [40, 0, 0, 0]


@pytest.mark.parametrize("thief", STEALING_BY_VALUE)
def test_own_merch_kind_is_capped_by_its_value(lay, thief):
    """Rules 4, steal_merch."""
    assert lay(rules=OWN, hands=[thief], tabled={1: "lanyard"}).can_play(thief) == (thief == "sabotaged")


def test_own_merch_kind_is_taken_found_protected_and_returned(lay):
    """Rules 4: each primitive takes it as it takes the booklet's."""
    rules = ruleset(cards={"lanyard": merch(40), "lost_and_found": action("find_merch", kind="lanyard")})
    pile = "vinyl lanyard vinyl"
    assert lay(rules=rules, hands=["fan_of_month"], pile=pile).play("fan_of_month").moves() == [("take", "lanyard")]
    assert lay(rules=rules, hands=["lost_and_found"], pile=pile).play("lost_and_found").tabled(0) == "lanyard"
    table = lay(rules=rules, hands=["merch_protect"], tabled=["lanyard"])
    assert table.play("merch_protect", choice="lanyard").protected(0) == "lanyard"
    table = lay(rules=rules, hands=["embarrassing"], tabled={2: "lanyard"})
    assert table.play("embarrassing", target=2, choice="lanyard").hand(2) == "lanyard"


def test_own_merch_kind_worth_nothing_is_merch_all_the_same(lay):
    """Rules 4: what can be stolen is Merch, whatever it is worth."""
    rules = ruleset(cards={"leaflet": merch(0)})
    table = lay(rules=rules, hands=["thirsty"], tabled={2: "mug leaflet"}).play("thirsty", target=2)
    assert (table.tabled(0), table.merch(0)) == ("leaflet", 0)


@pytest.mark.parametrize("value", [5, 500])
def test_an_edited_value_decides_what_is_highest(lay, value):
    """Rules 1: values are figures of the file."""
    rules = ruleset(cards={"mug": {"value": value}})
    table = lay(rules=rules, hands=["mine_now"], tabled={2: "mug vinyl"}, last_turn=True).play("mine_now", target=2)
    assert table.tabled(0) == ("vinyl" if value == 5 else "mug")


# Ties


@pytest.mark.parametrize("listed_first", ["lanyard", "vinyl"])
def test_tied_values_are_decided_by_file_order_for_the_highest(lay, listed_first):
    """Rules 4: where values tie, the kind listed first in the ruleset file is meant."""
    rules = ruleset(cards={"lanyard": merch(300)}, listed_first=["read", listed_first])
    table = lay(rules=rules, hands=["mine_now"], tabled={2: "mug lanyard vinyl"}).play("mine_now", target=2)
    assert table.tabled(0) == listed_first


@pytest.mark.parametrize("listed_first", ["lanyard", "vinyl"])
@pytest.mark.parametrize("lowest_means", ["unprotected", "tabled"])
def test_tied_values_are_decided_by_file_order_for_the_lowest(lay, listed_first, lowest_means):
    """Rules 4, as above, whatever lowest means."""
    rules = ruleset(cards={"lanyard": merch(300)}, listed_first=["read", listed_first], lowest_means=lowest_means)
    table = lay(rules=rules, hands=["thirsty"], tabled={2: "lanyard vinyl read_merch"}).play("thirsty", target=2)
    assert table.tabled(0) == listed_first


@pytest.mark.parametrize("kind", ["mine_now", "thirsty"])
def test_tied_values_pass_over_a_protected_kind(lay, kind):
    """Rules 4: only unprotected Merch is meant."""
    rules = ruleset(cards={"lanyard": merch(300)})
    table = lay(rules=rules, hands=[kind], tabled={2: "vinyl lanyard"}, protected={2: "vinyl"}).play(kind, target=2)
    assert table.tabled(0) == "lanyard"
