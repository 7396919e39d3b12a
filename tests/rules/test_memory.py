"""What a seat may remember (rules 2, (a) to (c)): each sentence, on both engines.

That memory is always true, and the same on both engines, is tested over many games elsewhere.
"""

from __future__ import annotations

import pytest

from tests.rules.table import FILLER, ruleset

# (a) other hands


def test_nobody_has_seen_anything_at_the_deal(deal):
    """Rules 2: hands are private. A seat's own hand is no matter of memory."""
    table = deal(block=3)
    for observer in range(4):
        assert [table.seen(observer, seat) for seat in range(4)] == [""] * 4
        assert table.remembered_pile(observer) is None
        assert table.pile_lacks(observer) == ""


def test_return_merch_shows_all_what_enters_the_hand(lay):
    """Rules 2 (a): return_merch, all see."""
    table = lay(hands=["embarrassing", "mug", "mug", "mug"], tabled={2: "poster"})
    table.play("embarrassing", target=2, choice="poster")
    assert [table.seen(observer, 2) for observer in range(4)] == ["poster", "poster", "", "poster"]
    assert table.seen(0, 1) == table.seen(0, 3) == ""


def test_steal_hand_shows_the_victim_what_enters_the_thiefs_hand(lay):
    """Rules 2 (a): steal_hand, the victim, of the thief's hand; nobody else."""
    table = lay(hands=["jealous", "", "mug", "badge"], pile="").play("jealous", target=2)
    assert table.hand(0) == "mug"
    assert [table.seen(observer, 0) for observer in range(4)] == ["", "", "mug", ""]


@pytest.mark.parametrize(
    ("holding", "leave"),
    [
        ("poster", lambda table: table.discard("poster")),
        ("poster", lambda table: table.table("poster")),
        ("poster energy_drink", lambda table: table.play("energy_drink").table("poster")),
    ],
)
def test_a_card_that_visibly_leaves_a_hand_lowers_what_was_seen(lay, holding, leave):
    """Rules 2 (a): -1 when a copy visibly leaves it: discarded, tabled, tabled by table_more."""
    table = lay(seats=3, hands=["embarrassing mug", f"{holding} mug", "mug"], tabled={1: "poster poster"}, seat_up=0)
    table.play("embarrassing", target=1, choice="poster")
    assert table.seen(0, 1) == table.seen(2, 1) == "poster"
    leave(table)
    assert table.seen(0, 1) == table.seen(2, 1) == ""
    assert "poster" in table.hand(1), "the copy that it had is as good as the one that was seen"


def test_only_the_kind_that_leaves_is_lowered(lay):
    """Rules 2 (a): a copy of that kind."""
    table = lay(seats=2, hands=["embarrassing mug", "mug"], tabled={1: "poster"})
    table.play("embarrassing", target=1, choice="poster").discard("mug")
    assert table.seen(0, 1) == "poster"


def test_what_was_seen_is_not_lowered_below_nothing(lay):
    """Rules 2 (a): not below 0, so a card seen later counts in full."""
    table = lay(seats=2, hands=["mug embarrassing", "mug poster"], tabled={1: "poster"})
    table.discard("mug").discard("poster")
    assert table.seen(0, 1) == ""
    table.play("embarrassing", target=1, choice="poster")
    assert table.seen(0, 1) == "poster"


def test_an_action_that_is_played_visibly_leaves_the_hand(lay):
    """Rules 2 (a): when it is played, whatever comes of it."""
    table = lay(seats=2, hands=["giveaway", "jealous"], seat_up=1, extra_turns=1).play("jealous", target=0)
    assert table.seen(0, 1) == "giveaway"
    table.play("giveaway")
    assert table.seen(0, 1) == ""


def test_a_reaction_visibly_leaves_the_hand(lay):
    """Rules 2 (a): when it is played. That its seat is asked shows nothing."""
    table = lay(seats=3, hands=["not_today", "jealous", "teased"], tabled={1: "sticker"}, pile="", seat_up=1)
    table.play("jealous", target=0)
    assert table.seen(0, 1) == "not_today"
    table.play("teased", target=1, choice="sticker")
    assert table.asked == ("react", 1)
    assert table.seen(0, 1) == "not_today"
    table.react("not_today")
    assert table.seen(0, 1) == ""


def test_discard_hand_visibly_leaves_the_hand(lay):
    """Rules 2 (a): what is discarded at random is seen by all."""
    table = lay(
        seats=3, hands=["embarrassing mug", "wasnt_yours mug", "mug"], tabled={2: "poster"}, hands_off={2: "mug"}
    )
    table.play("embarrassing", target=2, choice="poster")
    assert table.seen(0, 2) == table.seen(1, 2) == "poster"
    table.play("wasnt_yours", target=2)
    assert table.discards.split().count("poster") == 1
    assert table.seen(0, 2) == table.seen(1, 2) == ""


def test_the_thief_sees_what_it_steals(lay):
    """Rules 2 (a): the card visibly leaves the victim's hand, to the thief."""
    table = lay(seats=3, hands=["embarrassing mug", "jealous mug", "mug"], tabled={2: "poster"}, hands_off={2: "mug"})
    table.play("embarrassing", target=2, choice="poster").play("jealous", target=2)
    assert "poster" in table.hand(1)
    assert table.seen(1, 2) == ""


def test_a_steal_hand_that_is_only_watched_lowers_every_kind(lay):
    """Rules 2 (a): it may have been any of the victim's cards; and of the thief's hand a watcher learns nothing."""
    hands = ["embarrassing embarrassing", "jealous mug", "badge", "mug"]
    table = lay(hands=hands, tabled={2: "poster poster sticker"}, hands_off={2: "badge"}, extra_turns=1)
    table.play("embarrassing", target=2, choice="poster").play("embarrassing", target=2, choice="sticker")
    assert [table.seen(observer, 2) for observer in (0, 1, 3)] == ["sticker poster"] * 3
    table.play("jealous", target=2)
    left = table.hand(2).replace("badge", "").split()
    assert len(left) == 2, "it has drawn a card since"
    assert table.seen(0, 2) == table.seen(3, 2) == ""
    assert table.seen(0, 1) == table.seen(3, 1) == ""
    assert table.seen(1, 2) in left, "the thief saw which it was"


def test_a_cancelled_theft_shows_no_card_but_those_played(lay):
    """Rules 4: it does nothing."""
    table = lay(seats=3, hands=["embarrassing mug", "jealous mug", "fan_ticket"], tabled={2: "poster"})
    table.play("embarrassing", target=2, choice="poster").let_it_pass()
    table.play("jealous", target=2).react("fan_ticket")
    assert [table.seen(observer, 2) for observer in range(3)] == ["poster", "poster", ""]


# (b) the pick-up pile after a look


@pytest.mark.parametrize(("kind", "found"), [("cheeky_pic", "sticker"), ("free_audio", "signed_photo")])
def test_a_look_makes_the_pile_known_to_who_looks(lay, kind, found):
    """Rules 2 (b): its take_merch or find_merch through it. What is taken has left it."""
    table = lay(hands=[f"{kind} mug"], pile=f"badge {found} vinyl read_time", turn=5, last_turn=True)
    table.play(kind)
    if kind == "cheeky_pic":
        assert table.remembered_pile(0) == (f"{found} badge vinyl read_time", 0), "it chooses with the pile before it"
        table.take(found)
    assert table.remembered_pile(0) == ("badge vinyl read_time", 0)
    assert [table.remembered_pile(seat) for seat in (1, 2, 3)] == [None] * 3


@pytest.mark.parametrize(
    ("sources", "kind"), [({"available_from": ["discard"]}, "cheeky_pic"), ({"find_from": ["discard"]}, "free_audio")]
)
def test_no_look_where_the_pile_is_no_source(lay, sources, kind):
    """Rules 2 (b): through it."""
    table = lay(rules=ruleset(**sources), hands=[kind], discards="sticker signed_photo", pile="mug", last_turn=True)
    table.play(kind)
    assert table.remembered_pile(0) is None


def test_a_find_in_the_discard_pile_spares_the_look(lay):
    """Rules 4, find_merch: the discard pile first."""
    rules = ruleset(find_from=["discard", "pickup"])
    table = lay(rules=rules, hands=["free_audio"], discards="signed_photo", pile="mug", last_turn=True)
    table.play("free_audio")
    assert table.tabled(0) == "signed_photo"
    assert table.remembered_pile(0) is None


def test_what_it_draws_leaves_what_it_remembers(lay):
    """Rules 2 (b): less what it drew."""
    table = lay(seats=2, hands=["free_audio", ""], pile="mug badge vinyl", seat_up=0, missed=[0, 1])
    table.play("free_audio")
    assert table.asked == ("put_down", 0)
    assert table.hand(0) == "mug"
    assert table.remembered_pile(0) == ("badge vinyl", 0)


def test_what_others_draw_is_counted_unseen(lay):
    """Rules 2 (b): how many were drawn unseen since."""
    table = lay(seats=2, hands=["free_audio", "giveaway"], pile=f"mug badge vinyl {FILLER}")
    table.play("free_audio")
    assert table.remembered_pile(0) == (f"badge mug vinyl {FILLER}", 1)
    table.play("giveaway")
    assert table.hand(0) == FILLER
    assert table.remembered_pile(0) == ("badge mug vinyl", 3)


def test_read_drawn_by_another_is_seen_to_leave(lay):
    """Rules 2 (b): what it saw leave; Read is displayed as it is drawn."""
    table = lay(seats=2, hands=["free_audio", "mug"], pile="read badge vinyl").play("free_audio")
    assert table.read_holder == 1
    assert table.remembered_pile(0) == ("badge vinyl", 0)


def test_what_another_takes_from_the_pile_is_seen_to_leave(lay):
    """Rules 2 (b)."""
    table = lay(seats=2, hands=["free_audio", "cheeky_pic"], pile="mug sticker vinyl badge").play("free_audio")
    assert table.remembered_pile(0) == ("sticker badge mug vinyl", 1)
    table.play("cheeky_pic").take("sticker")
    assert table.remembered_pile(0) == ("badge mug", 1), "and it drew Vinyl itself"


def test_what_another_takes_from_the_discard_pile_leaves_the_pile_as_it_is(lay):
    """Rules 2 (b): the discard pile is no part of it."""
    table = lay(seats=2, hands=["free_audio", "cheeky_pic"], pile="mug sticker vinyl badge", discards="sticker")
    table.play("free_audio").play("cheeky_pic").take("sticker")
    assert table.remembered_pile(0) == ("badge mug vinyl", 1)


def test_a_second_look_counts_anew(lay):
    """Rules 2 (b): the last look."""
    table = lay(seats=2, hands=["free_audio free_audio", "mug"], pile="mug badge vinyl poster").play("free_audio")
    table.discard("mug")
    assert table.remembered_pile(0) == ("mug poster vinyl", 1)
    table.play("free_audio")
    assert table.remembered_pile(0) == ("poster vinyl", 1), "and seat 1 has drawn again"


def test_a_renewed_pile_is_not_known(lay):
    """Rules 2 (b): cleared when the pile is renewed."""
    table = lay(seats=2, hands=["free_audio", "mug"], pile="mug", discards="vinyl").play("free_audio")
    assert table.remembered_pile(0) == ("mug", 1)
    table.discard("mug")
    assert table.remembered_pile(0) is None


# (c) what a search did not find


def test_a_find_that_comes_out_empty_tells_all(lay):
    """Rules 2 (c): that the pile holds none of that kind."""
    table = lay(hands=["free_audio"], pile="mug vinyl", last_turn=True).play("free_audio")
    assert [table.pile_lacks(seat) for seat in range(4)] == ["signed_photo"] * 4


def test_a_take_that_comes_out_empty_tells_all(lay):
    """Rules 2 (c): none of those kinds, that is Merch worth no more than the card says."""
    table = lay(hands=["flirted"], pile="mug vinyl", last_turn=True).play("flirted")
    assert [table.pile_lacks(seat) for seat in range(4)] == ["sticker keyring badge signed_photo"] * 4


def test_a_take_from_the_discard_pile_tells_nothing(lay):
    """Rules 2 (c): nothing came out of the pick-up pile, for nothing was looked for there before all eyes."""
    table = lay(hands=["cheeky_pic"], pile="mug", discards="sticker", last_turn=True)
    table.play("cheeky_pic").take("sticker")
    assert [table.pile_lacks(seat) for seat in range(4)] == [""] * 4


def test_a_find_tells_nothing_of_what_is_left(lay):
    """Rules 2 (c): only a search that comes out empty does."""
    table = lay(hands=["free_audio"], pile="signed_photo mug", last_turn=True).play("free_audio")
    assert [table.pile_lacks(seat) for seat in range(4)] == [""] * 4


def test_what_the_pile_lacks_is_forgotten_when_it_is_renewed(lay):
    """Rules 2 (c): likewise cleared."""
    table = lay(seats=2, hands=["free_audio", "mug"], pile="mug", discards="signed_photo").play("free_audio")
    assert table.pile_lacks(1) == "signed_photo"
    table.discard("mug")
    assert [table.pile_lacks(seat) for seat in range(2)] == ["", ""]
