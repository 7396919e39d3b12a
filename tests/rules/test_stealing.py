"""Actions against the Merch on another's table (rules 4): steal, highest, lowest, return, and stolen Merch Protects."""

from __future__ import annotations

import pytest

from tests.rules.table import ruleset

STEAL_MERCH = {"teased": 10, "flirting_failed": 20, "sabotaged": 50}
RETURN_MERCH = {"embarrassing": 50}
CAPPED = STEAL_MERCH | RETURN_MERCH
BY_TARGET = ["mine_now", "thirsty"]
ATTACKS_ON_MERCH = [*CAPPED, *BY_TARGET]

LADDER = "sticker keyring badge signed_photo mug poster t_shirt"
VALUES = dict(zip(LADDER.split(), [5, 10, 15, 20, 30, 50, 100], strict=True))


# steal_merch and return_merch


@pytest.mark.parametrize("kind", STEAL_MERCH)
def test_steal_merch_moves_one_copy_to_the_players_table(lay, kind):
    """Rules 4, steal_merch; the card goes to the discard pile."""
    table = lay(hands=[f"mug {kind}"], tabled=["keyring", "", "keyring keyring"], last_turn=True)
    table.play(kind, target=2, choice="keyring")
    assert (table.tabled(0), table.tabled(2)) == ("keyring keyring", "keyring")
    assert (table.merch(0), table.merch(2)) == (20, 10)
    assert (table.hand(0), table.hand(2), table.discards) == ("mug", "", kind)


@pytest.mark.parametrize("kind", RETURN_MERCH)
def test_return_merch_sends_one_copy_back_to_its_owners_hand(lay, kind):
    """Rules 4, return_merch: not to the player's."""
    table = lay(hands=[kind, "", "mug"], tabled=["mug", "", "mug mug"], last_turn=True)
    table.play(kind, target=2, choice="mug")
    assert (table.hand(2), table.tabled(2), table.merch(2)) == ("mug mug", "mug", 30)
    assert table.hands_off(2) is None
    assert (table.hand(0), table.tabled(0), table.discards) == ("", "mug", kind)


def test_embarrassing_merch_can_be_tabled_again_by_its_owner(lay):
    """Rules 4, return_merch: it is a card of the hand like any other."""
    table = lay(hands=["embarrassing"], tabled={1: "poster"}).play("embarrassing", target=1, choice="poster")
    assert table.table("poster").tabled(1) == "poster"


@pytest.mark.parametrize("kind", CAPPED)
def test_a_capped_attack_chooses_by_target_seat_then_merch_kind(lay, kind):
    """Rules 4 and 8: one move for each target and kind worth no more than the cap; never of one's own table."""
    reach = [merch for merch in VALUES if VALUES[merch] <= CAPPED[kind]]
    table = lay(hands=[kind], tabled=[LADDER, LADDER, "", f"{LADDER} sticker"])
    assert table.plays(kind) == [(target, merch) for target in (1, 3) for merch in reach]


@pytest.mark.parametrize("kind", CAPPED)
def test_a_capped_attack_is_not_playable_on_dearer_own_or_protected_merch(lay, kind):
    """Rules 4: another seat has an unprotected copy of a kind worth no more than the cap."""
    assert not lay(hands=[kind]).can_play(kind)
    assert not lay(hands=[kind], tabled=["sticker", "t_shirt vinyl"]).can_play(kind)
    assert not lay(hands=[kind], tabled={1: "sticker", 2: "t_shirt"}, protected={1: "sticker"}).can_play(kind)
    assert not lay(hands=[f"{kind} sticker", "sticker"]).can_play(kind)


@pytest.mark.parametrize("kind", CAPPED)
def test_a_capped_attack_by_an_edited_cap(lay, kind):
    """Rules 1: a designer can change a cap; it is reached, not passed."""
    table = lay(rules=ruleset(cards={kind: {"max_value": 15}}), hands=[kind], tabled={1: LADDER})
    assert table.plays(kind) == [(1, "sticker"), (1, "keyring"), (1, "badge")]


@pytest.mark.parametrize("kind", CAPPED)
def test_a_capped_attack_skips_protected_copies(lay, kind):
    """Rules 4: n copies with p protections have n - p unprotected ones."""
    table = lay(hands=[kind], tabled={2: "sticker sticker sticker keyring"}, protected={2: "sticker sticker keyring"})
    assert table.plays(kind) == [(2, "sticker")]
    table.play(kind, target=2, choice="sticker")
    assert (table.tabled(2), table.protected(2)) == ("sticker sticker keyring", "sticker sticker keyring")


# steal_highest_merch


def test_mine_now_steals_the_highest_valued(lay):
    """Rules 4, steal_highest_merch: Read Merch can be taken."""
    table = lay(hands=["mine_now"], tabled={2: "sticker vinyl read_merch", 3: "vinyl"}, last_turn=True)
    assert table.plays("mine_now") == [(2,), (3,)]
    table.play("mine_now", target=2)
    assert (table.tabled(0), table.tabled(2), table.discards) == ("read_merch", "sticker vinyl", "mine_now")


def test_mine_now_skips_protected_copies(lay):
    """Rules 4, steal_highest_merch: the highest-valued *unprotected*."""
    table = lay(hands=["mine_now"], tabled={2: "mug vinyl read_merch"}, protected={2: "vinyl read_merch"})
    assert table.play("mine_now", target=2).tabled(0) == "mug"
    table = lay(hands=["mine_now"], tabled={2: "mug vinyl vinyl"}, protected={2: "vinyl"})
    assert table.play("mine_now", target=2).tabled(0) == "vinyl"


# steal_lowest_merch


def test_thirsty_steals_the_lowest_valued(lay):
    """Rules 4, steal_lowest_merch."""
    table = lay(hands=["thirsty"], tabled={2: "keyring vinyl vinyl", 3: "sticker"}, last_turn=True)
    table.play("thirsty", target=2)
    assert (table.tabled(0), table.tabled(2), table.discards) == ("keyring", "vinyl vinyl", "thirsty")


def test_thirsty_by_default_means_the_lowest_unprotected(lay):
    """Rules 7, lowest_means = unprotected."""
    table = lay(hands=["thirsty"], tabled={2: "sticker mug vinyl"}, protected={2: "sticker"})
    assert table.play("thirsty", target=2).tabled(0) == "mug"


def test_thirsty_with_lowest_means_tabled_has_no_target_whose_lowest_is_protected(lay):
    """Rules 4, steal_lowest_merch, switch lowest_means = tabled: then the seat is no legal target."""
    table = lay(
        rules=ruleset(lowest_means="tabled"),
        hands=["thirsty"],
        tabled={1: "sticker mug", 2: "mug vinyl", 3: "sticker sticker mug"},
        protected={1: "sticker", 2: "vinyl", 3: "sticker"},
    )
    assert table.plays("thirsty") == [(2,), (3,)]
    assert table.play("thirsty", target=3).tabled(0) == "sticker"


def test_thirsty_with_lowest_means_tabled_takes_the_unprotected_of_tied_kinds(lay):
    """Rules 4: among kinds tied for lowest one with an unprotected copy; where there is none no target."""
    rules = ruleset(cards={"keyring": {"value": 5}}, lowest_means="tabled")
    table = lay(rules=rules, hands=["thirsty"], tabled={2: "sticker keyring vinyl"}, protected={2: "sticker"})
    assert table.play("thirsty", target=2).tabled(0) == "keyring"
    table = lay(rules=rules, hands=["thirsty"], tabled={2: "sticker keyring vinyl"}, protected={2: "sticker keyring"})
    assert not table.can_play("thirsty")


@pytest.mark.parametrize("lowest_means", ["unprotected", "tabled"])
def test_thirsty_is_not_playable_where_all_is_protected(lay, lowest_means):
    """Rules 4: the target has unprotected Merch, whatever lowest means."""
    rules = ruleset(lowest_means=lowest_means)
    table = lay(rules=rules, hands=["thirsty"], tabled=["sticker", "mug"], protected={1: "mug"})
    assert not table.can_play("thirsty")


def test_lowest_means_leaves_mine_now_alone(lay):
    """Rules 7: lowest_means is a reading of Caught Being Thirsty."""
    table = lay(rules=ruleset(lowest_means="tabled"), hands=["mine_now"], tabled={1: "mug vinyl"}, protected={1: "mug"})
    assert table.play("mine_now", target=1).tabled(0) == "vinyl"


# What holds for all of them


@pytest.mark.parametrize("kind", BY_TARGET)
def test_an_attack_by_target_is_not_playable_without_another_seats_unprotected_merch(lay, kind):
    """Rules 4: target seat always means another seat."""
    assert not lay(hands=[kind]).can_play(kind)
    assert not lay(hands=[kind], tabled=["vinyl"]).can_play(kind)
    assert not lay(hands=[kind], tabled=["", "vinyl mug"], protected=["", "vinyl mug"]).can_play(kind)


@pytest.mark.parametrize("kind", BY_TARGET)
def test_an_attack_by_target_has_one_move_a_seat(lay, kind):
    """Rules 4 and 8: by target seat, ascending, whatever lies there."""
    table = lay(seats=8, seat_up=3, hands={3: kind}, tabled=["mug", "", "mug vinyl", "mug", "", "vinyl", "", "poster"])
    assert table.plays(kind) == [(0,), (2,), (5,), (7,)]


@pytest.mark.parametrize("kind", ATTACKS_ON_MERCH)
def test_an_attack_on_merch_leaves_the_card_unplayable_against_a_wholly_protected_table(lay, kind):
    """Rules 4: a protected copy cannot be stolen, discarded, exchanged or returned."""
    table = lay(hands=[kind], tabled={1: "sticker", 2: "sticker"}, protected={1: "sticker"})
    assert {play[0] for play in table.plays(kind)} == {2}


@pytest.mark.parametrize("kind", ATTACKS_ON_MERCH)
def test_an_attack_on_merch_takes_no_heed_of_hands_off(lay, kind):
    """Rules 4: Hands Off protects a card of the hand."""
    table = lay(hands=[kind, "", "sticker"], hands_off={2: "sticker"}, tabled={2: "sticker"})
    assert table.can_play(kind)


# steal_protect


def test_wrong_hole_moves_the_protect_beneath_an_own_merch(lay):
    """Rules 4, steal_protect: the Merch that it lay beneath stays and is exposed."""
    table = lay(hands=["wrong_hole"], tabled=["mug", "", "vinyl"], protected={2: "vinyl"}, last_turn=True)
    table.play("wrong_hole", target=2, choice="vinyl", own="mug")
    assert (table.protected(0), table.protected(2)) == ("mug", "")
    assert (table.tabled(0), table.tabled(2), table.discards) == ("mug", "vinyl", "wrong_hole")


def test_wrong_hole_chooses_target_then_protected_kind_then_own_kind(lay):
    """Rules 4 and 8."""
    table = lay(
        hands=["wrong_hole"],
        tabled=["keyring mug vinyl vinyl", "hoodie", "badge mug", "mug hoodie"],
        protected=["mug vinyl", "", "badge", "mug hoodie"],
    )
    assert table.plays("wrong_hole") == [
        (2, "badge", "keyring"),
        (2, "badge", "vinyl"),
        (3, "mug", "keyring"),
        (3, "mug", "vinyl"),
        (3, "hoodie", "keyring"),
        (3, "hoodie", "vinyl"),
    ]


def test_wrong_hole_is_not_playable_without_a_protect_to_steal_or_an_own_unprotected_merch(lay):
    """Rules 4, steal_protect: both exist."""
    assert not lay(hands=["wrong_hole"], tabled=["mug", "vinyl"]).can_play("wrong_hole")
    assert not lay(hands=["wrong_hole mug", "merch_protect"], tabled=["", "vinyl"], protected=["", "vinyl"]).can_play(
        "wrong_hole"
    )
    table = lay(hands=["wrong_hole"], tabled=["mug", "vinyl"], protected=["mug", "vinyl"])
    assert not table.can_play("wrong_hole")
    table = lay(hands=["wrong_hole"], tabled=["mug mug"], protected=["mug"])
    assert not table.can_play("wrong_hole")


def test_wrong_hole_steals_one_of_several_and_adds_to_a_stack(lay):
    """Rules 4: a stack's copies are alike."""
    table = lay(
        hands=["wrong_hole"],
        tabled=["vinyl vinyl vinyl", "", "vinyl vinyl"],
        protected=["vinyl", "", "vinyl vinyl"],
        last_turn=True,
    )
    table.play("wrong_hole", target=2, choice="vinyl", own="vinyl")
    assert (table.protected(0), table.protected(2)) == ("vinyl vinyl", "vinyl")


def test_wrong_hole_exposes_the_merch_to_theft_and_shields_the_own(lay):
    """Rules 4, steal_protect."""
    table = lay(
        seats=3,
        hands=["wrong_hole", "mine_now"],
        tabled=["hoodie", "", "vinyl"],
        protected=["", "", "vinyl"],
    )
    table.play("wrong_hole", target=2, choice="vinyl", own="hoodie")
    assert table.plays("mine_now") == [(2,)]
    assert table.play("mine_now", target=2).tabled(1) == "vinyl"


def test_wrong_hole_can_be_answered_in_kind(lay):
    """Rules 4: a stolen Protect is a protection like any other."""
    table = lay(seats=2, hands=["wrong_hole", "wrong_hole"], tabled=["mug", "vinyl"], protected=["", "vinyl"])
    table.play("wrong_hole", target=1, choice="vinyl", own="mug")
    assert table.plays("wrong_hole") == [(0, "mug", "vinyl")]
    table.play("wrong_hole", target=0, choice="mug", own="vinyl")
    assert (table.protected(0), table.protected(1)) == ("", "vinyl")
