"""Games that nobody ends (rules 5, contracts 8): the deadlock, and why a game was stuck; and who leads meanwhile."""

from __future__ import annotations

import pytest

from tests.rules.table import FILLER, ruleset

THOUSAND = "vinyl vinyl vinyl t_shirt"
NO_RECYCLING = ruleset(recycle_discard=False)


# Deadlock


def test_deadlock_when_every_seat_has_passed_without_drawing(lay):
    """Rules 5: since the last other turn taken, every seat has at least once passed without drawing."""
    table = lay(hands=["mug"], tabled=["", THOUSAND], read_holder=1, pile="").table("mug")
    assert table.over
    assert table.outcome("end", "turns", "winner", "escaper", "decisions") == ("deadlock", 5, -1, -1, 1)
    assert table.outcome("won") == [0, 0, 0, 0]
    assert table.outcome("score") == [30, 11_000, 0, 0]


def test_deadlock_without_recycling_leaves_the_discards(lay):
    """Rules 7, recycle_discard = false: the game is played out with what there is."""
    table = lay(rules=NO_RECYCLING, hands=["mug"], pile="").discard("mug")
    assert table.outcome("end", "turns") == ("deadlock", 5)
    assert lay(hands=["mug"], pile="").discard("mug").asked == ("put_down", 1)


def test_deadlock_counts_read_drawn_as_drawing(lay):
    """Rules 3, step 2: Read counts as the card drawn, so the turn drew, though its hand stays empty."""
    table = lay(hands=["mug"], pile="read").table("mug")
    assert table.outcome("end", "turns") == ("deadlock", 6)
    assert table.read_holder == 1


def test_deadlock_needs_all_seats_since_the_last_other_turn(lay):
    """Rules 5: a put-down in between begins the count anew."""
    table = lay(seats=3, hands=["", "", "mug mug"], pile="", turn=1)
    assert (table.asked, table.turn) == (("put_down", 2), 3)
    table.table("mug")
    assert (table.asked, table.turn) == (("put_down", 2), 6)
    table.table("mug")
    assert table.outcome("end", "turns") == ("deadlock", 9)


def test_deadlock_forgets_a_pass_before_the_last_other_turn(lay):
    """Rules 5: *since* the last other turn taken."""
    # Seat 0 passes, gets its Mug back, tables it again; then seat 1 passes, and seat 0 has yet to.
    table = lay(rules=NO_RECYCLING, seats=2, hands=["", "embarrassing"], tabled=["mug"], pile="")
    table.play("embarrassing", target=0, choice="mug").table("mug")
    assert table.outcome("end", "turns") == ("deadlock", 5)


def test_deadlock_is_not_changed_by_missed_turns(lay):
    """Rules 5: missed turns change nothing: a seat that owes them has not passed yet."""
    table = lay(seats=3, hands=["mug"], missed=[0, 2, 0], pile="").table("mug")
    assert table.outcome("end", "turns") == ("deadlock", 6)
    assert table.missed(1) == 0


def test_deadlock_counts_a_seat_once_however_often_it_passes(lay):
    """Rules 5: *every seat* at least once; extra turns are one seat's."""
    table = lay(seats=2, hands=["", ""], extra_turns=2, pile="")
    assert table.outcome("end", "turns") == ("deadlock", 4)


def test_deadlock_comes_before_the_turn_cap(lay):
    """Rules 5: tested in the order escape, deadlock, cap."""
    rules = ruleset(max_rounds=3)
    assert lay(rules=rules, seats=2, turn=5, pile="").outcome("end", "turns") == ("deadlock", 6)
    assert lay(rules=rules, seats=2, turn=6, pile="").outcome("end", "turns") == ("turn_cap", 6)


def test_deadlock_is_none_while_a_seat_holds_a_card(lay):
    """Rules 3, step 4: it must put one down."""
    table = lay(seats=2, hands=["", "mug"], pile="")
    assert table.asked == ("put_down", 1)


# Why it was stuck, the first that holds


def stuck(lay, **position) -> str:
    """End a game of two seats at the turn cap and say why it was stuck."""
    hands = position.pop("hands", {})
    hands |= {0: f"{hands.get(0, '')} covered"}
    table = lay(seats=2, hands=hands, last_turn=True, **position).discard("covered")
    assert table.outcome("end") == "turn_cap"
    return table.outcome("stuck")


@pytest.mark.parametrize("place", ["hand", "other_hand", "pile", "discards"])
def test_stuck_threshold_counts_all_merch_that_is_on_no_table(lay, place):
    """Contracts 8, stuck = threshold: for every seat, its tabled Merch and all on no table is below the threshold."""

    def position(merch: str) -> dict:
        places = {"pile": FILLER, "discards": "", "hands": {}}
        places |= {"hands": {0: merch}} if place == "hand" else {"hands": {1: merch}} if place == "other_hand" else {}
        if place in places:
            places[place] = merch
        return places

    tabled = ["vinyl hoodie", "vinyl"]
    assert stuck(lay, tabled=tabled, **position("vinyl t_shirt poster mug sticker")) == "threshold"
    assert stuck(lay, tabled=tabled, **position("read_merch")) == "tickets"


def test_stuck_threshold_does_not_add_up_the_tables(lay):
    """Contracts 8: for every seat, its own."""
    assert stuck(lay, tabled=["vinyl vinyl", "vinyl vinyl"], pile="escape_ticket") == "threshold"


def test_stuck_threshold_takes_the_edited_one(lay):
    """Rules 7, escape_threshold."""
    assert stuck(lay, rules=ruleset(escape_threshold=300), tabled=["vinyl"], pile=FILLER) == "tickets"


def test_stuck_tickets_where_none_is_anywhere(lay):
    """Contracts 8, stuck = tickets."""
    assert stuck(lay, tabled=[THOUSAND, ""]) == "tickets"


@pytest.mark.parametrize(("seat", "why"), [(0, "stalled"), (1, "tickets")])
def test_stuck_tickets_where_the_hand_that_has_them_is_poor(lay, seat, why):
    """Contracts 8: nor in the hand of a seat whose tabled Merch reaches the threshold."""
    assert stuck(lay, tabled=[THOUSAND, ""], hands={seat: "escape_ticket"}) == why


def test_stuck_tickets_where_none_lies_in_a_pile(lay):
    """Contracts 8: in the pick-up pile, nor in the discard pile while discards come back."""
    tabled = [THOUSAND, ""]
    assert stuck(lay, tabled=tabled, pile="escape_ticket") == "stalled"
    assert stuck(lay, tabled=tabled, discards="escape_ticket") == "stalled"
    assert stuck(lay, rules=NO_RECYCLING, tabled=tabled, pile="escape_ticket") == "stalled"
    assert stuck(lay, rules=NO_RECYCLING, tabled=tabled, discards="escape_ticket") == "tickets"


def test_stuck_stalled_where_somebody_could_have_escaped(lay):
    """Contracts 8, stuck = stalled: none of the others holds."""
    table = lay(
        seats=2,
        hands=["covered", "escape_ticket"],
        tabled=["", THOUSAND],
        read_holder=1,
        last_turn=True,
    ).discard("covered")
    assert table.outcome("stuck") == "stalled"


@pytest.mark.parametrize(("turn", "why"), [(1, "lone_turn"), (2, "lone_turn"), (3, "threshold")])
def test_stuck_lone_turn_needs_more_than_four_rounds_of_turns(lay, turn, why):
    """Contracts 8, stuck = lone_turn: the last turns taken, more than 4 x seats of them, were one seat's."""
    table = lay(rules=ruleset(max_rounds=5), seats=2, hands=["read_time", "mug"], pile="", turn=turn)
    while not table.over:
        assert table.asked == ("put_down", 0)
        table.play("read_time")
    assert table.outcome("end", "turns", "stuck") == ("turn_cap", 10, why)


def test_stuck_lone_turn_is_one_seats_also_while_others_miss_theirs(lay):
    """Contracts 8: turns *taken*; rules 3, step 0: a missed turn is none."""
    table = lay(rules=ruleset(max_rounds=5), seats=2, hands=[FILLER, "mug"], missed=[0, 20], pile=f"{FILLER} " * 20)
    while not table.over:
        table.discard(FILLER)
    assert table.outcome("stuck") == "lone_turn"


def test_stuck_lone_turn_is_over_once_another_seat_has_a_turn(lay):
    """Contracts 8: the *last* turns taken."""
    table = lay(rules=ruleset(max_rounds=6), seats=2, hands=[FILLER, "mug"], missed=[0, 10], pile=f"{FILLER} " * 20)
    while not table.over:
        table.discard(FILLER)
    assert table.outcome("stuck") == "threshold"


def test_stuck_at_a_deadlock_too(lay):
    """Contracts 8: `no` on escape, else the first that holds."""
    assert lay(hands=["mug"], tabled=["", THOUSAND], pile="").table("mug").outcome("end", "stuck") == (
        "deadlock",
        "tickets",
    )
    assert lay(hands=["mug"], pile="").table("mug").outcome("stuck") == "threshold"


# The leader


def lead_changes(lay, moves, **position) -> int:
    """Play these moves of three seats, the last of which ends the game at the turn cap."""
    table = lay(seats=3, turn=600 - len(moves) + 1, **position)
    for verb, kind, *named in moves:
        if verb == "play":
            table.play(kind, target=named[0], choice=named[1] if len(named) > 1 else None)
        else:
            getattr(table, verb)(kind)
    return table.outcome("lead_changes")


def test_lead_changes_not_with_the_first_leader_nor_with_a_tie(lay):
    """Contracts 8: the first leader is no change; a leader stays while no seat has more."""
    moves = [("table", "mug"), ("table", "mug"), ("table", "sticker")]
    assert lead_changes(lay, moves, hands=["mug", "mug", "sticker"]) == 0


def test_lead_changes_when_another_seat_has_more(lay):
    """Contracts 8."""
    moves = [("table", "mug"), ("table", "poster"), ("table", "vinyl")]
    assert lead_changes(lay, moves, hands=["mug", "poster", "vinyl"]) == 2


def test_lead_changes_not_when_the_first_merch_comes_late(lay):
    """Contracts 8: while all have 0 from the start there is no leader."""
    moves = [("discard", "mug"), ("table", "mug"), ("discard", "mug")]
    assert lead_changes(lay, moves, hands=["mug", "mug", "mug"]) == 0


@pytest.mark.parametrize(("attacker", "changes"), [(0, 2), (1, 3)])
def test_lead_changes_to_the_first_clockwise_of_those_with_most(lay, attacker, changes):
    """Contracts 8: from the seat whose turn it is, itself first."""
    # Seat 2 loses the lead while seats 0 and 1 are level, so the attacker leads; then seat 0 goes ahead of seat 1.
    attack = ("play", "embarrassing", 2, "poster")
    moves = [
        *(("table", "mug"), ("table", "mug"), ("table", "poster")),
        *((attack, ("discard", "badge")) if attacker == 0 else (("discard", "badge"), attack)),
        *(("discard", "poster"), ("table", "mug")),
    ]
    hands = ["mug mug embarrassing", "mug badge"] if attacker == 0 else ["mug mug badge", "mug embarrassing"]
    assert lead_changes(lay, moves, hands=[*hands, "poster"]) == changes
