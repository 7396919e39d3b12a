"""Read Sir Chaos and the Escape Ticket (rules 1, 2, 3 and 5): where they lie and what they can never do."""

from __future__ import annotations

import pytest

from tests.rules.table import FILLER, card, ruleset

TWO_DRAWS = ["giveaway", "gifted_big"]
REDRAW = ruleset(redraw_after_read=True)


# Read


def test_read_picked_up_is_displayed_at_once_and_counts_as_the_card(lay):
    """Rules 3, step 2; rules 1: never in a hand."""
    table = lay(hands=["mug", "badge"], pile="read poster").discard("mug")
    assert table.read_holder == 1
    assert table.hand(1) == "badge"
    assert table.pile == "poster"


def test_read_picked_up_with_redraw_after_read_brings_one_further_card(lay):
    """Rules 3, step 2, switch redraw_after_read."""
    table = lay(rules=REDRAW, hands=["mug", "badge"], pile="read poster keyring").discard("mug")
    assert table.read_holder == 1
    assert table.hand(1) == "badge poster"
    assert table.pile == "keyring"


@pytest.mark.parametrize("kind", TWO_DRAWS)
@pytest.mark.parametrize(("rules", "drawn"), [(ruleset(), "mug"), (REDRAW, "mug poster")], ids=["default", "redraw"])
def test_read_drawn_by_an_action_is_displayed_and_redrawn_where_the_switch_says(lay, kind, rules, drawn):
    """Rules 3, step 2: "by whatever means", and the switch "in draw effects too"."""
    table = lay(rules=rules, hands=[kind], pile=f"read mug poster {FILLER}", last_turn=True).play(kind)
    assert table.read_holder == 0
    assert table.hand(0) == drawn


@pytest.mark.parametrize("kind", TWO_DRAWS)
def test_read_drawn_last_by_an_action_still_brings_the_further_card(lay, kind):
    """Rules 3, step 2, switch redraw_after_read."""
    table = lay(rules=REDRAW, hands=[kind], pile="mug read poster keyring", last_turn=True).play(kind)
    assert table.hand(0) == "mug poster"


def test_read_drawn_as_the_last_of_the_pile_renews_it_for_the_further_card(lay):
    """Rules 3, step 2: a draw from an empty pile recycles, the redraw too."""
    table = lay(rules=REDRAW, hands=["mug", "badge"], pile="read").discard("mug")
    assert table.read_holder == 1
    assert table.hand(1) == "badge mug"
    assert (table.pile, table.discards) == ("", "")


def test_read_in_the_pick_up_pile_is_no_merch_to_take(lay):
    """Rules 4, take_merch: only Merch kinds."""
    table = lay(hands=["fan_of_month"], pile="read mug").play("fan_of_month")
    assert table.moves() == [("take", "mug")]


def test_read_cannot_be_stolen_by_mine_now(lay):
    """Rules 4, steal_highest_merch: never Read."""
    table = lay(hands=["mine_now"], tabled={2: "sticker"}, read_holder=2, last_turn=True)
    table.play("mine_now", target=2)
    assert table.read_holder == 2
    assert table.tabled(0) == "sticker"


def test_read_alone_makes_nobody_a_target_of_mine_now(lay):
    """Rules 4, steal_highest_merch: a target has unprotected Merch."""
    assert not lay(hands=["mine_now"], read_holder=2).can_play("mine_now")


@pytest.mark.parametrize("kind", ["jealous", "favourite_changed", "wasnt_yours"])
def test_read_is_no_card_of_a_hand_to_steal_or_discard(lay, kind):
    """Rules 1 and 4: Read is displayed, so a holder with an empty hand is no target."""
    assert not lay(hands=[kind], read_holder=2).can_play(kind)


def test_read_gives_his_holder_no_move(lay):
    """Rules 3, step 4: moves are of cards in the hand."""
    assert lay(hands=["mug"], read_holder=0).moves() == [("discard", "mug"), ("table", "mug")]


def test_read_never_comes_to_a_hand_or_to_the_discards(deal):
    """Rules 1 and 6: at every decision Read is in exactly one place, a slot or the pick-up pile."""
    for block in range(3):
        table = deal(seats=3, block=block)
        for step in range(400):
            if table.over:
                break
            in_slot, in_pile = table.read_holder is not None, table.pile.split().count("read")
            assert in_slot + in_pile == 1
            assert "read" not in table.discards.split()
            assert not any("read" in table.hand(seat).split() for seat in range(3))
            table.make(step * 7 % len(table.moves()))


# Escape Ticket


def test_escape_ticket_can_only_be_discarded(lay):
    """Rules 3, step 4: any card may be discarded, an Escape Ticket too; it is neither Merch nor Action."""
    table = lay(hands=["escape_ticket"])
    assert table.moves() == [("discard", "escape_ticket")]
    assert table.discard("escape_ticket").discards == "escape_ticket"


def test_escape_ticket_is_worth_nothing_and_stays_in_the_hand(lay):
    """Rules 1: worth 0."""
    table = lay(hands=["escape_ticket mug"], tabled=["vinyl"], last_turn=True).discard("mug")
    assert table.outcome("score") == [300, 0, 0, 0]
    assert table.hand(0) == "escape_ticket"


def test_escape_ticket_can_be_stolen_from_a_hand(lay):
    """Rules 4, steal_hand: any card of the hand not under Hands Off."""
    table = lay(hands=["jealous", "", "escape_ticket"], last_turn=True).play("jealous", target=2)
    assert table.hand(0) == "escape_ticket"


def test_escape_ticket_of_another_kind_escapes_too(lay):
    """Contracts 1: there may be several ticket kinds."""
    rules = ruleset(cards={"back_door": card("ticket")})
    table = lay(rules=rules, hands=["mug back_door"], tabled=["vinyl vinyl vinyl hoodie"], read_holder=0)
    assert table.discard("mug").asked == ("escape", 0)
