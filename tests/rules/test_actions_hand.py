"""Actions that bring or take hand cards (rules 4): draw, steal_hand, discard_hand."""

from __future__ import annotations

import pytest

from tests.rules.table import ruleset

DRAW = ["giveaway", "gifted_big"]
STEAL_HAND = ["jealous", "favourite_changed"]
DISCARD_HAND = ["wasnt_yours"]
AGAINST_A_HAND = [*STEAL_HAND, *DISCARD_HAND]

each_draw = pytest.mark.parametrize("kind", DRAW)
each_attack = pytest.mark.parametrize("kind", AGAINST_A_HAND)


# draw


@each_draw
def test_draw_picks_up_two(lay, kind):
    """Rules 4, draw(2): the front of the pile; the card goes to the discard pile."""
    table = lay(hands=[f"mug {kind}"], pile="vinyl poster badge", last_turn=True).play(kind)
    assert (table.hand(0), table.pile, table.discards) == ("mug poster vinyl", "badge", kind)


@each_draw
def test_draw_gives_no_further_put_down(lay, kind):
    """Rules 3, step 4: exactly one of."""
    assert lay(hands=[kind]).play(kind).asked == ("put_down", 1)


@each_draw
def test_draw_is_not_playable_where_it_would_yield_no_card(lay, kind):
    """Rules 4, draw: a draw would yield a card; a discard pile that comes back would."""
    assert not lay(hands=[f"{kind} mug"], pile="").can_play(kind)
    assert lay(hands=[kind], pile="mug").can_play(kind)
    assert lay(hands=[kind], pile="", discards="mug").can_play(kind)
    no_recycling = ruleset(recycle_discard=False)
    assert not lay(rules=no_recycling, hands=[kind], pile="", discards="mug").can_play(kind)
    assert lay(rules=no_recycling, hands=[kind], pile="mug").can_play(kind)


@each_draw
def test_draw_takes_what_there_is(lay, kind):
    """Rules 3, step 2: if there is nothing, nothing is drawn; rules 4: the card is in no pile while it resolves."""
    table = lay(hands=[kind], pile="mug", last_turn=True).play(kind)
    assert (table.hand(0), table.pile, table.discards) == ("mug", "", kind)


@each_draw
def test_draw_renews_the_pile_between_two_cards(lay, kind):
    """Rules 3, step 2: drawing from an empty pile first shuffles the discard pile into a new one."""
    table = lay(hands=[kind], pile="mug", discards="vinyl vinyl", last_turn=True).play(kind)
    assert (table.hand(0), table.pile, table.discards) == ("mug vinyl", "vinyl", kind)


@each_draw
def test_draw_without_recycling_leaves_the_discards(lay, kind):
    """Rules 7, recycle_discard = false: the game is played out with what there is."""
    rules = ruleset(recycle_discard=False)
    table = lay(rules=rules, hands=[kind], pile="mug", discards="vinyl", last_turn=True).play(kind)
    assert table.hand(0) == "mug"
    assert sorted(table.discards.split()) == sorted(["vinyl", kind])


@each_draw
@pytest.mark.parametrize("count", [1, 4])
def test_draw_by_an_edited_count(lay, kind, count):
    """Rules 1: a designer can change a count."""
    rules = ruleset(cards={kind: {"count": count}})
    table = lay(rules=rules, hands=[kind], pile="mug " * 6, last_turn=True).play(kind)
    assert table.hand(0).split() == ["mug"] * count


def test_giveaway_and_gifted_big_are_two_moves(lay):
    """Rules 3: two kinds with the same effect are two moves."""
    table = lay(hands=["giveaway gifted_big"])
    assert table.moves()[-2:] == [("play", "giveaway"), ("play", "gifted_big")]


# steal_hand and discard_hand


@pytest.mark.parametrize("kind", STEAL_HAND)
def test_steal_hand_moves_one_card_to_the_players_hand(lay, kind):
    """Rules 4, steal_hand."""
    table = lay(hands=[f"mug {kind}", "", "vinyl vinyl"], last_turn=True).play(kind, target=2)
    assert (table.hand(0), table.hand(2), table.discards) == ("mug vinyl", "vinyl", kind)


@pytest.mark.parametrize("kind", DISCARD_HAND)
def test_discard_hand_puts_one_card_on_the_discard_pile(lay, kind):
    """Rules 4, discard_hand."""
    table = lay(hands=[f"mug {kind}", "", "vinyl vinyl"], last_turn=True).play(kind, target=2)
    assert (table.hand(0), table.hand(2), table.discards) == ("mug", "vinyl", f"vinyl {kind}")


@each_attack
def test_an_attack_on_a_hand_is_not_playable_against_empty_hands(lay, kind):
    """Rules 4: another seat has a hand card not under Hands Off; tabled Merch is none."""
    assert not lay(hands=[f"{kind} mug vinyl"], tabled={1: "mug"}).can_play(kind)
    table = lay(hands=[kind, "mug", "", "vinyl"], hands_off={1: "mug"})
    assert table.plays(kind) == [(3,)]


@each_attack
def test_an_attack_on_a_hand_may_take_any_card_of_it(lay, kind):
    """Rules 4: one such card, uniformly at random: ticket, Merch, Action, reaction, or the attack's own like."""
    hand = f"escape_ticket mug {kind} merch_protect not_today"
    gone = set()
    for seed in range(60):
        table = lay(seed=seed, hands=[kind, "", hand], last_turn=True).play(kind, target=2)
        if not table.over:
            table.let_it_pass()
        gone |= set(hand.split()) - set(table.hand(2).split())
    assert gone == set(hand.split())


@each_attack
def test_an_attack_on_a_hand_is_uniform_over_copies_not_kinds(lay, kind):
    """Rules 3: a random card of a hand is uniform over copies, not kinds."""
    vinyl_left = 0
    for seed in range(120):
        table = lay(seed=seed, hands=[kind, "", "mug mug mug vinyl"], last_turn=True).play(kind, target=2)
        vinyl_left += "vinyl" in table.hand(2).split()
    assert 75 < vinyl_left < 105  # 90 expected, 4.7 the standard deviation; 60 were kinds chosen


@each_attack
def test_an_attack_on_a_hand_is_uniform_over_the_copies_not_under_hands_off(lay, kind):
    """Rules 4: one such card; the protected copy is out of the draw."""
    vinyl_left = 0
    for seed in range(120):
        table = lay(seed=seed, hands=[kind, "", "mug mug vinyl"], hands_off={2: "mug"}, last_turn=True)
        vinyl_left += "vinyl" in table.play(kind, target=2).hand(2).split()
        assert table.hands_off(2) == "mug"
    assert 45 < vinyl_left < 74  # 60 expected, 5.5 the standard deviation; 80 were all copies chosen from


@each_attack
def test_an_attack_on_a_hand_takes_no_heed_of_merch_protect(lay, kind):
    """Rules 4: Merch Protect saves tabled Merch."""
    table = lay(hands=[kind, "", "mug"], tabled={2: "mug"}, protected={2: "mug"}, last_turn=True).play(kind, target=2)
    assert (table.hand(2), table.tabled(2), table.protected(2)) == ("", "mug", "mug")


def test_jealous_can_bring_the_ticket_that_escapes_the_same_turn(lay):
    """Rules 3, step 5."""
    table = lay(hands=["jealous", "", "escape_ticket"], tabled=["vinyl vinyl vinyl t_shirt"], read_holder=0)
    assert table.play("jealous", target=2).asked == ("escape", 0)


def test_wasnt_yours_can_leave_a_seat_without_a_card_to_put_down(lay):
    """Rules 3, step 4: with an empty hand the seat passes."""
    table = lay(seats=3, hands=["wasnt_yours", "mug", "badge"], pile="", rules=ruleset(recycle_discard=False))
    assert table.play("wasnt_yours", target=1).asked == ("put_down", 2)
    assert table.turn == 3
