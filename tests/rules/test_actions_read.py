"""Kidnap Read, Seduce Read Away, Trick Read Away (rules 4, take_read)."""

from __future__ import annotations

import pytest

from tests.rules.table import ruleset

TAKE_READ = ["kidnap_read", "seduce_read", "trick_read"]

pytestmark = pytest.mark.parametrize("kind", TAKE_READ)


def test_take_read_moves_read_to_the_players_slot(lay, kind):
    """Rules 4, take_read; the card goes to the discard pile."""
    table = lay(hands=[f"mug {kind}"], read_holder=2, last_turn=True).play(kind)
    assert table.read_holder == 0
    assert (table.hand(0), table.discards) == ("mug", kind)
    assert table.outcome("read_moves", "score") == (1, [10_000, 0, 0, 0])


def test_take_read_has_one_choice_and_names_no_target(lay, kind):
    """Rules 4, take_read: no choices, the target is Read's holder."""
    assert lay(hands=[kind, "mug", "mug", "mug"], read_holder=3).plays(kind) == [()]


def test_take_read_is_not_playable_while_nobody_displays_read(lay, kind):
    """Rules 4, take_read: another seat displays Read; in the pick-up pile he can be taken by nobody."""
    assert not lay(hands=[kind], pile="read mug").can_play(kind)


def test_take_read_is_not_playable_by_his_holder(lay, kind):
    """Rules 4, take_read: *another* seat displays Read."""
    table = lay(hands=[kind], read_holder=0)
    assert not table.can_play(kind)
    assert table.moves() == [("discard", kind)]


@pytest.mark.parametrize("seat_up", [0, 5])
def test_take_read_reaches_every_seat_of_eight(lay, kind, seat_up):
    """Rules 2 and 4: 2 to 8 seats."""
    for holder in set(range(8)) - {seat_up}:
        table = lay(seats=8, seat_up=seat_up, hands={seat_up: kind}, read_holder=holder).play(kind)
        assert table.read_holder == seat_up


def test_take_read_leaves_merch_protections_and_hands_as_they_are(lay, kind):
    """Rules 4, take_read: protections guard Merch and hand cards, not Read."""
    table = lay(
        hands=[kind, "", "mug vinyl"],
        hands_off={2: "mug"},
        tabled={2: "poster"},
        protected={2: "poster"},
        read_holder=2,
        last_turn=True,
    ).play(kind)
    assert table.read_holder == 0
    assert table.belongings(2) == ("mug vinyl", "poster", "poster", 0, False)


def test_take_read_is_cancelled_by_covered_alone(lay, kind):
    """Rules 4, reactions: taking Read is a negative card, and neither Merch nor hand."""
    table = lay(hands=[kind, "", "not_today fan_ticket covered"], read_holder=2, last_turn=True).play(kind)
    assert table.asked == ("react", 2)
    assert table.moves() == [("pass",), ("react", "covered")]
    table.react("covered")
    assert table.read_holder == 2
    assert table.outcome("read_moves", "cancelled") == (0, 1)


def test_take_read_asks_nobody_but_his_holder(lay, kind):
    """Rules 4, reactions: the target seat may react."""
    table = lay(hands=[kind, "covered", "mug", "covered"], read_holder=2).play(kind)
    assert table.decision == "put_down"
    assert table.read_holder == 0


def test_take_read_can_make_its_player_eligible_the_same_turn(lay, kind):
    """Rules 3, step 5."""
    table = lay(hands=[f"escape_ticket {kind}"], tabled=["vinyl vinyl vinyl t_shirt"], read_holder=1).play(kind)
    assert table.asked == ("escape", 0)


def test_take_read_with_a_family_taken_away_cannot_be_cancelled(lay, kind):
    """Contracts 1: family absent, nothing can cancel it."""
    rules = ruleset(cards={kind: {"family": None}})
    table = lay(rules=rules, hands=[kind, "", "covered"], read_holder=2).play(kind)
    assert table.read_holder == 0
