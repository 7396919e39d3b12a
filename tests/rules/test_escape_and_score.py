"""Escape and score (rules 5 and 6): who is eligible, in which window, what the game is worth, and every other end."""

from __future__ import annotations

import pytest

from tests.rules.table import FILLER, ruleset

THOUSAND = "vinyl vinyl vinyl t_shirt"
FORCED = ruleset(escape="forced")


def eligible(seat: int = 0, *, with_hand: str = "", tabled: str = THOUSAND) -> dict:
    """Give a seat Read, an Escape Ticket and tabled Merch; all others have a Badge to put down."""
    hands = dict.fromkeys(range(4), "badge") | {seat: f"{with_hand} escape_ticket"}
    return {"hands": hands, "tabled": {seat: tabled}, "read_holder": seat}


# Eligible


def test_escape_takes_read_a_ticket_and_the_threshold(lay):
    """Rules 5: all three, exactly the threshold being enough; rules 8: `escape` has index 0."""
    table = lay(**eligible(with_hand="mug")).discard("mug")
    assert table.asked == ("escape", 0)
    assert table.moves() == [("escape",), ("stay",)]


@pytest.mark.parametrize("lacking", ["read", "ticket", "merch"])
def test_escape_is_not_asked_of_a_seat_that_lacks_one_of_three(lay, lacking):
    """Rules 5: Read's points do not count towards the threshold, nor does Merch in the hand."""
    position = eligible(with_hand="mug vinyl")
    if lacking == "read":
        position["read_holder"] = 1
    elif lacking == "ticket":
        position["hands"][0] = "mug vinyl"
        position["hands"][1] = "escape_ticket"
    else:
        position["tabled"] = {0: "vinyl vinyl vinyl poster mug keyring sticker", 1: THOUSAND}
    table = lay(**position).discard("mug")
    assert table.asked == ("put_down", 1)


@pytest.mark.parametrize(("threshold", "asked"), [(0, True), (300, True), (301, False)])
def test_escape_by_an_edited_threshold(lay, threshold, asked):
    """Rules 7, escape_threshold: any."""
    table = lay(rules=ruleset(escape_threshold=threshold), **eligible(with_hand="mug", tabled="vinyl")).discard("mug")
    assert (table.decision == "escape") == asked


def test_escape_is_asked_only_of_the_seat_whose_turn_it_is(lay):
    """Rules 3, steps 3 and 5: the seat."""
    table = lay(**eligible(2)).discard("badge")
    assert table.asked == ("put_down", 1)


def test_escape_is_lost_with_a_ticket_discarded_or_merch_stolen(lay):
    """Rules 5: eligible is what a seat is at the window."""
    assert lay(**eligible()).discard("escape_ticket").asked == ("put_down", 1)
    position = eligible(1)
    position["hands"][0] = "mine_now"
    assert lay(**position).play("mine_now", target=1).asked == ("put_down", 1)


def test_escape_may_count_a_ticket_under_hands_off(lay):
    """Rules 5: an Escape Ticket under Hands Off counts."""
    position = eligible(with_hand="mug")
    assert lay(**position, hands_off=["escape_ticket"]).discard("mug").asked == ("escape", 0)


# Windows


def test_escape_is_asked_after_the_pick_up_and_after_the_put_down(lay):
    """Rules 3, steps 3 and 5; `stay` goes on."""
    table = lay(**eligible(1), pile="mug mug").discard("badge")
    assert table.asked == ("escape", 1)
    assert table.hand(1) == "escape_ticket mug"
    table.stay()
    assert table.asked == ("put_down", 1)
    table.discard("mug")
    assert table.asked == ("escape", 1)
    assert table.stay().asked == ("put_down", 2)


def test_escape_when_after_pick_up_alone(lay):
    """Rules 7, escape_when: either alone."""
    table = lay(rules=ruleset(escape_when=["after_pick_up"]), **eligible(1), pile="mug mug").discard("badge")
    assert table.asked == ("escape", 1)
    assert table.stay().discard("mug").asked == ("put_down", 2)


def test_escape_when_after_put_down_alone(lay):
    """Rules 7, escape_when: either alone."""
    table = lay(rules=ruleset(escape_when=["after_put_down"]), **eligible(1), pile="mug mug").discard("badge")
    assert table.asked == ("put_down", 1)
    assert table.discard("mug").asked == ("escape", 1)


@pytest.mark.parametrize("drawn", ["read", "escape_ticket"])
def test_escape_after_the_card_picked_up_that_makes_eligible(lay, drawn):
    """Rules 3, steps 2 and 3."""
    position = eligible(1)
    position["hands"][1] = "escape_ticket" if drawn == "read" else "badge"
    position["read_holder"] = None if drawn == "read" else 1
    table = lay(**position, pile=f"{drawn} mug").discard("badge")
    assert table.asked == ("escape", 1)


@pytest.mark.parametrize("short", ["poster", "read_merch"])
def test_escape_after_the_put_down_that_reaches_the_threshold(lay, short):
    """Rules 3, steps 4 and 5."""
    tabled = {"poster": "vinyl vinyl vinyl poster", "read_merch": "vinyl hoodie"}[short]
    assert lay(**eligible(with_hand=short, tabled=tabled)).table(short).asked == ("escape", 0)


def test_escape_after_an_energy_drink_is_asked_once_it_is_done(lay):
    """Rules 3, step 5: after the put-down, not within it."""
    table = lay(**eligible(with_hand="energy_drink mug t_shirt mug", tabled="vinyl vinyl vinyl")).play("energy_drink")
    assert table.table("t_shirt").decision == "table_more"
    assert table.stop().asked == ("escape", 0)


def test_escape_forced_ends_at_once_and_asks_nothing(lay):
    """Rules 5, escape = forced."""
    table = lay(rules=FORCED, **eligible(1), pile="mug mug").discard("badge")
    assert table.over
    assert table.outcome("end", "escaper", "turns", "decisions") == ("escape", 1, 2, 1)
    assert table.hand(1) == "escape_ticket mug"


def test_escape_forced_after_the_put_down(lay):
    """Rules 5: `forced` takes effect at the same windows."""
    table = lay(rules=FORCED, **eligible(with_hand="poster", tabled="vinyl vinyl vinyl poster")).table("poster")
    assert table.outcome("end", "escaper") == ("escape", 0)


@pytest.mark.parametrize(("window", "over"), [("after_pick_up", True), ("after_put_down", False)])
def test_escape_forced_takes_effect_at_the_windows_there_are(lay, window, over):
    """Rules 5 and 7: forced with either window alone."""
    table = lay(rules=ruleset(escape="forced", escape_when=[window]), **eligible(1), pile="mug mug").discard("badge")
    assert table.over == over
    if not over:
        assert table.asked == ("put_down", 1)
        table.discard("mug")
        assert table.outcome("end", "escaper") == ("escape", 1)


def test_escape_forced_lets_a_put_down_spoil_it_before_its_only_window(lay):
    """Rules 5: forced takes effect at the windows, not between them."""
    rules = ruleset(escape="forced", escape_when=["after_put_down"])
    table = lay(rules=rules, **eligible(1), pile="mug mug").discard("badge").discard("escape_ticket")
    assert table.asked == ("put_down", 2)


# Score


def test_escape_ends_the_game_and_all_score(lay):
    """Rules 5: the printed value of tabled Merch, plus read_points for Read's holder; the hand counts nothing."""
    table = lay(
        hands=["escape_ticket read_merch mug", "vinyl", "mug", ""],
        tabled=[THOUSAND, "vinyl mug", "sticker", ""],
        read_holder=0,
        turn=6,
    )
    table.discard("mug").escape()
    assert table.outcome("end", "stuck", "escaper", "winner") == ("escape", "no", 0, 0)
    assert table.outcome("score") == [11_000, 330, 5, 0]
    assert table.outcome("merch") == [1000, 330, 5, 0]
    assert table.outcome("won") == [1, 0, 0, 0]
    assert table.outcome("cards") == [2, 1, 1, 0]
    assert table.moves() == []


@pytest.mark.parametrize(("turn", "rounds"), [(1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_escape_in_a_turn_counts_that_turn_and_rounds_are_rounded_up(lay, turn, rounds):
    """Rules 6: rounds is turns taken divided by seats, rounded up."""
    table = lay(**eligible(with_hand="mug"), turn=turn).discard("mug").escape()
    assert table.outcome("turns", "rounds") == (turn, rounds)


def test_the_escaper_need_not_win(lay):
    """Rules 6: highest total wins (rules 5)."""
    position = eligible(with_hand="mug")
    position["tabled"][2] = "read_merch vinyl vinyl"
    table = lay(rules=ruleset(read_points=99), **position).discard("mug").escape()
    assert table.outcome("escaper", "winner") == (0, 2)
    assert table.outcome("won") == [0, 0, 1, 0]


@pytest.mark.parametrize("read_points", [100, 101])
def test_read_points_decide_as_the_file_says(lay, read_points):
    """Rules 7, read_points: any; an exact tie is shared."""
    position = eligible(with_hand="mug")
    position["tabled"][2] = "read_merch vinyl vinyl"
    table = lay(rules=ruleset(read_points=read_points), **position).discard("mug").escape()
    assert table.outcome("score") == [1000 + read_points, 0, 1100, 0]
    assert table.outcome("winner") == (-2 if read_points == 100 else 0)
    assert table.outcome("won") == ([0.5, 0, 0.5, 0] if read_points == 100 else [1, 0, 0, 0])


def test_three_seats_that_tie_win_a_third_each(lay):
    """Rules 5: k seats that tie for the highest total win 1/k each."""
    position = eligible(with_hand="mug")
    position["tabled"] |= {1: THOUSAND, 3: THOUSAND, 2: "vinyl"}
    table = lay(rules=ruleset(read_points=0), **position).discard("mug").escape()
    assert table.outcome("winner") == -2
    assert table.outcome("won") == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])


# Turn cap


def test_turn_cap_ends_the_game_with_nobody_winning(lay):
    """Rules 5: max_rounds x seats turns taken; unfinished = no_winner."""
    table = lay(hands=["mug"], tabled=["", "vinyl"], read_holder=2, last_turn=True).discard("mug")
    assert table.outcome("end", "winner", "escaper", "turns", "rounds") == ("turn_cap", -1, -1, 800, 200)
    assert table.outcome("won") == [0, 0, 0, 0]
    assert table.outcome("score") == [0, 300, 10_000, 0]


@pytest.mark.parametrize("max_rounds", [1, 7])
@pytest.mark.parametrize("seats", [2, 5])
def test_turn_cap_is_max_rounds_times_seats(lay, max_rounds, seats):
    """Rules 5, max_rounds."""
    table = lay(rules=ruleset(max_rounds=max_rounds), seats=seats, hands=[FILLER] * seats, pile=f"{FILLER} " * 50)
    while not table.over:
        table.discard(FILLER)
    assert table.outcome("end", "turns") == ("turn_cap", max_rounds * seats)


def test_turn_cap_counts_no_missed_turns(lay):
    """Rules 3, step 0: a missed turn is not counted as a turn taken."""
    table = lay(rules=ruleset(max_rounds=2), seats=2, hands=[FILLER] * 2, missed=[0, 3])
    seats_asked = []
    while not table.over:
        seats_asked.append(table.game.seat)
        table.discard(FILLER)
    assert seats_asked == [0, 0, 0, 0]


def test_turn_cap_comes_before_a_pending_extra_turn(lay):
    """Rules 5: tested when a turn ends, before a pending extra turn."""
    assert lay(hands=["read_time mug"], last_turn=True).play("read_time").outcome("end") == "turn_cap"


def test_escape_comes_before_the_turn_cap(lay):
    """Rules 5: tested in the order escape, deadlock, cap."""
    table = lay(**eligible(with_hand="mug"), last_turn=True).discard("mug")
    assert table.asked == ("escape", 0)
    assert lay(**eligible(with_hand="mug"), last_turn=True).discard("mug").stay().outcome("end") == "turn_cap"
    assert table.escape().outcome("end") == "escape"


@pytest.mark.parametrize("read_holder", [None, 2])
def test_unfinished_score_gives_the_win_to_the_highest_total(lay, read_holder):
    """Rules 7, unfinished = score: as in an escape, Read's points too."""
    rules = ruleset(unfinished="score")
    table = lay(rules=rules, hands=["mug"], tabled=["", "vinyl"], read_holder=read_holder, last_turn=True)
    table.discard("mug")
    assert table.outcome("end", "escaper") == ("turn_cap", -1)
    assert table.outcome("winner") == (1 if read_holder is None else 2)
    assert sum(table.outcome("won")) == 1


def test_unfinished_score_shares_a_tie(lay):
    """Rules 5: k seats that tie win 1/k each, at a deadlock too."""
    table = lay(rules=ruleset(unfinished="score"), hands=["mug"], tabled=["", "mug"], pile="").table("mug")
    assert table.outcome("end", "winner") == ("deadlock", -2)
    assert table.outcome("won") == [0.5, 0.5, 0, 0]
