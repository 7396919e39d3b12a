"""Merch Protect and Hands Off, Babe (rules 4): where they lie, what they save, and for how long."""

from __future__ import annotations

import pytest

from tests.rules.table import action, ruleset

# How each attack on Merch would be played against seat 1's sticker.
AGAINST_A_STICKER = {
    "teased": {"choice": "sticker"},
    "flirting_failed": {"choice": "sticker"},
    "sabotaged": {"choice": "sticker"},
    "embarrassing": {"choice": "sticker"},
    "mine_now": {},
    "thirsty": {},
}
AGAINST_A_HAND = ["jealous", "favourite_changed", "wasnt_yours"]


# Merch Protect


def test_merch_protect_stays_beneath_one_copy(lay):
    """Rules 4, protect_merch: the card stays there and goes to no pile."""
    table = lay(hands=["mug merch_protect"], tabled=["vinyl vinyl"], last_turn=True)
    table.play("merch_protect", choice="vinyl")
    assert (table.protected(0), table.tabled(0)) == ("vinyl", "vinyl vinyl")
    assert (table.hand(0), table.discards) == ("mug", "")
    assert table.outcome("score") == [600, 0, 0, 0]


def test_merch_protect_chooses_among_own_kinds_with_an_unprotected_copy(lay):
    """Rules 4, protect_merch, and rules 8: in file order."""
    table = lay(
        hands=["merch_protect"],
        tabled=["sticker mug mug vinyl", "poster"],
        protected=["sticker mug", ""],
    )
    assert table.plays("merch_protect") == [("mug",), ("vinyl",)]


def test_merch_protect_is_not_playable_without_own_unprotected_merch(lay):
    """Rules 4, protect_merch: one exists; Merch in the hand and Merch of others are none."""
    assert not lay(hands=["mug merch_protect"], tabled={1: "mug"}).can_play("merch_protect")
    assert not lay(hands=["merch_protect"], tabled=["mug vinyl"], protected=["mug vinyl"]).can_play("merch_protect")


def test_merch_protect_goes_once_beneath_a_copy(lay):
    """Rules 4: of n copies with p protections n - p can be protected."""
    table = lay(seats=2, hands=["merch_protect", "mug"], tabled=["mug mug"], protected=["mug"])
    table.play("merch_protect", choice="mug")
    assert table.protected(0) == "mug mug"
    table = lay(hands=["merch_protect"], tabled=["mug mug"], protected=["mug mug"])
    assert not table.can_play("merch_protect")


@pytest.mark.parametrize("kind", AGAINST_A_STICKER)
def test_merch_protect_saves_its_merch_from(lay, kind):
    """Rules 4: a protected copy cannot be stolen, discarded, exchanged or returned."""
    table = lay(seats=2, hands=["merch_protect", kind], tabled=["sticker"])
    table.play("merch_protect", choice="sticker")
    assert table.asked == ("put_down", 1)
    assert not table.can_play(kind)


@pytest.mark.parametrize("kind", AGAINST_A_STICKER)
def test_merch_protect_leaves_the_other_copies_to(lay, kind):
    """Rules 4: n - p unprotected copies, and the protection stays where it is."""
    table = lay(hands=[kind], tabled=["", "sticker sticker"], protected=["", "sticker"])
    table.play(kind, target=1, **AGAINST_A_STICKER[kind])
    assert (table.tabled(1), table.protected(1)) == ("sticker", "sticker")


def test_merch_protect_is_for_good(lay):
    """Rules 4, protect_merch: for good, through its owner's turns."""
    table = lay(seats=2, hands=["merch_protect"], tabled=["vinyl"], pile="read_time " * 20)
    table.play("merch_protect", choice="vinyl")
    for _ in range(8):
        table.discard("read_time")
    assert table.protected(0) == "vinyl"


def test_merch_protect_in_a_hand_protects_nothing_and_is_a_card_like_any_other(lay):
    """Rules 3, step 4: it may be discarded; rules 4: it can be stolen."""
    table = lay(seats=2, hands=["merch_protect", "mine_now"], tabled=["vinyl"]).discard("merch_protect")
    assert table.discards == "merch_protect"
    assert table.can_play("mine_now")
    table = lay(hands=["jealous", "", "merch_protect"]).play("jealous", target=2)
    assert table.hand(0) == "merch_protect"


def test_merch_protect_leaves_its_merch_in_the_count(lay):
    """Rules 5: a protected copy is tabled Merch."""
    tabled = "vinyl vinyl vinyl t_shirt"
    table = lay(hands=["mug escape_ticket"], tabled=[tabled], protected=[tabled], read_holder=0).discard("mug")
    assert table.asked == ("escape", 0)


def test_merch_protect_of_another_kind_protects_alike(lay):
    """Rules 1: a card more of a known primitive."""
    rules = ruleset(cards={"glass_case": action("protect_merch")})
    table = lay(rules=rules, seats=2, hands=["glass_case", "mine_now"], tabled=["vinyl"])
    table.play("glass_case", choice="vinyl")
    assert (table.protected(0), table.discards) == ("vinyl", "")
    assert not table.can_play("mine_now")


# Hands Off


def test_hands_off_chooses_a_kind_beside_the_card_played(lay):
    """Rules 4, protect_hand, and rules 8: in file order; another Hands Off is such a card."""
    table = lay(hands=["escape_ticket mug mug hands_off"])
    assert table.plays("hands_off") == [("escape_ticket",), ("mug",)]
    table = lay(hands=["mug hands_off hands_off covered"], last_turn=True)
    assert table.plays("hands_off") == [("mug",), ("hands_off",), ("covered",)]
    table.play("hands_off", choice="hands_off")
    assert (table.hands_off(0), table.hand(0)) == ("hands_off", "mug hands_off covered")


def test_hands_off_protects_the_card_and_is_discarded(lay):
    """Rules 4, protect_hand."""
    table = lay(hands=["mug hands_off"], last_turn=True).play("hands_off", choice="mug")
    assert (table.hands_off(0), table.hand(0), table.discards) == ("mug", "mug", "hands_off")


def test_hands_off_is_not_playable_as_the_only_card(lay):
    """Rules 4, protect_hand: a kind beside the card played."""
    assert lay(hands=["hands_off"]).moves() == [("discard", "hands_off")]


@pytest.mark.parametrize("kind", AGAINST_A_HAND)
def test_hands_off_saves_its_card_from(lay, kind):
    """Rules 4, steal_hand and discard_hand: one card not under Hands Off."""
    for seed in range(12):
        table = lay(seats=2, seed=seed, hands=["escape_ticket mug vinyl hands_off", kind])
        table.play("hands_off", choice="mug").play(kind, target=0)
        assert "mug" in table.hand(0).split()


@pytest.mark.parametrize("kind", AGAINST_A_HAND)
def test_hands_off_over_the_only_card_leaves_no_target_to(lay, kind):
    """Rules 4: it has a hand card not under Hands Off."""
    table = lay(seats=3, hands=["mug hands_off", kind, "badge"]).play("hands_off", choice="mug")
    assert table.plays(kind) == [(2,)]


@pytest.mark.parametrize("kind", AGAINST_A_HAND)
def test_hands_off_protects_one_copy_only_from(lay, kind):
    """Rules 4, protect_hand: one copy of it."""
    table = lay(hands=[kind, "", "mug mug"], hands_off={2: "mug"}, last_turn=True).play(kind, target=2)
    assert (table.hand(2), table.hands_off(2)) == ("mug", "mug")
    assert not lay(hands=[kind, "", "mug"], hands_off={2: "mug"}).can_play(kind)


def test_hands_off_lasts_until_the_seats_next_turn(lay):
    """Rules 3, step 1: the seat's own protections end as its turn begins."""
    table = lay(seats=3, hands=["mug hands_off", "badge", "poster"]).play("hands_off", choice="mug")
    assert table.asked == ("put_down", 1)
    assert table.hands_off(0) == "mug"
    table.discard("badge")
    assert table.asked == ("put_down", 2)
    assert table.hands_off(0) == "mug"
    table.discard("poster")
    assert table.asked == ("put_down", 0)
    assert table.hands_off(0) is None


def test_hands_off_of_another_seat_outlasts_the_turn(lay):
    """Rules 3, step 1: the seat's *own*."""
    table = lay(seats=3, hands=["mug", "badge", "poster"], hands_off={2: "poster"}).discard("mug")
    assert table.hands_off(2) == "poster"


def test_hands_off_lasts_through_a_missed_turn(lay):
    """Rules 3, step 0: a missed turn does not end the seat's Hands Off protections."""
    table = lay(seats=2, hands=["mug hands_off", "badge badge badge"], missed=[1, 0])
    table.play("hands_off", choice="mug").discard("badge")
    assert table.asked == ("put_down", 1)
    assert (table.hands_off(0), table.missed(0)) == ("mug", 0)
    table.discard("badge")
    assert table.asked == ("put_down", 0)
    assert table.hands_off(0) is None


def test_hands_off_ends_with_an_extra_turn(lay):
    """Rules 3, step 6: an extra turn is from step 1."""
    table = lay(hands=["mug hands_off"], extra_turns=1).play("hands_off", choice="mug")
    assert table.asked == ("put_down", 0)
    assert table.hands_off(0) is None


def test_hands_off_ends_when_the_last_copy_leaves(lay):
    """Rules 4: when the last copy leaves, its protection is over."""
    table = lay(hands=["mine_now", "", "mug not_today"], hands_off={2: "not_today"}, tabled={2: "vinyl"})
    table.play("mine_now", target=2).react("not_today")
    assert (table.hands_off(2), table.hand(2)) == (None, "mug")


def test_hands_off_lets_the_unprotected_copy_go_first(lay):
    """Rules 4: the unprotected copy is the one used first."""
    table = lay(hands=["mine_now", "", "not_today not_today"], hands_off={2: "not_today"}, tabled={2: "vinyl"})
    table.play("mine_now", target=2).react("not_today")
    assert (table.hands_off(2), table.hand(2)) == ("not_today", "not_today")


def test_hands_off_leaves_its_card_to_its_owner(lay):
    """Rules 4: only random hand effects cannot select it; an Escape Ticket under it counts (rules 5)."""
    table = lay(
        hands=["escape_ticket hands_off"],
        tabled=["vinyl vinyl vinyl t_shirt"],
        read_holder=0,
    ).play("hands_off", choice="escape_ticket")
    assert table.asked == ("escape", 0)


def test_hands_off_does_not_pass_to_a_copy_that_comes_later(lay):
    """Rules 4: when the last copy leaves, its protection is over."""
    table = lay(
        seats=3,
        hands=["mine_now", "jealous", "not_today"],
        hands_off={2: "not_today"},
        tabled={2: "vinyl"},
        pile="badge mug not_today poster",
    )
    table.play("mine_now", target=2).react("not_today")
    assert table.asked == ("put_down", 1)
    assert not table.can_play("jealous")
    table.discard("badge")
    assert (table.hand(2), table.hands_off(2)) == ("mug", None)


@pytest.mark.parametrize("kind", ["hands_off", "grip"])
def test_hands_off_of_another_kind_protects_alike(lay, kind):
    """Rules 1: a card more of a known primitive."""
    rules = ruleset(cards={"grip": action("protect_hand")})
    table = lay(rules=rules, seats=2, hands=[f"mug {kind}", "jealous"]).play(kind, choice="mug")
    assert not table.can_play("jealous")
