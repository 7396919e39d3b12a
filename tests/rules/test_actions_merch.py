"""Actions that bring Merch to one's own table, but not from another's (rules 4): take_merch, find_merch, table_more."""

from __future__ import annotations

from itertools import product

import pytest

from tests.rules.table import action, ruleset

# The dearest Merch that each card reaches: rules 1, written out a second time on purpose.
TAKE_MERCH = {"cheeky_pic": 10, "flirted": 20, "fan_of_month": 50}
AT_THE_CAP = {"cheeky_pic": "keyring", "flirted": "signed_photo", "fan_of_month": "poster"}
ABOVE_THE_CAP = {"cheeky_pic": "badge", "flirted": "mug", "fan_of_month": "t_shirt"}
WITHIN_REACH = {
    "cheeky_pic": ["sticker", "keyring"],
    "flirted": ["sticker", "keyring", "badge", "signed_photo"],
    "fan_of_month": ["sticker", "keyring", "badge", "signed_photo", "mug", "poster"],
}
ALL_MERCH = "sticker keyring badge signed_photo mug poster t_shirt hoodie vinyl read_merch"
SOURCES = [["discard"], ["pickup"], ["discard", "pickup"]]

each_take = pytest.mark.parametrize("kind", TAKE_MERCH)


# take_merch


@each_take
@pytest.mark.parametrize("source", ["discards", "pile"])
def test_take_merch_tables_the_chosen_kind(lay, kind, source):
    """Rules 4, take_merch: from either source, and the card goes to the discard pile."""
    lying = {"discards": "", "pile": "read_time read_time"}
    lying[source] = f"sticker {lying[source]}"
    table = lay(hands=[f"vinyl {kind}"], **lying, last_turn=True).play(kind)
    assert table.asked == ("take", 0)
    table.take("sticker")
    assert (table.tabled(0), table.merch(0), table.hand(0)) == ("sticker", 5, "vinyl")
    assert (table.discards, table.pile) == (kind, "read_time read_time")


@each_take
@pytest.mark.parametrize("source", ["discards", "pile"])
def test_take_merch_offers_all_within_its_cap_and_must_take(lay, kind, source):
    """Rules 4, take_merch: must take one worth no more than the cap, in file order; there is no stop."""
    backwards = " ".join(reversed(ALL_MERCH.split()))
    table = lay(hands=[kind], **({"pile": ""} | {source: f"escape_ticket {backwards} sticker"})).play(kind)
    assert table.moves() == [("take", merch) for merch in WITHIN_REACH[kind]]


@each_take
def test_take_merch_asks_also_where_there_is_but_one_kind(lay, kind):
    """Rules 3: a decision is asked also when it has only one move."""
    table = lay(hands=[kind], discards="sticker sticker").play(kind)
    assert table.moves() == [("take", "sticker")]


@each_take
def test_take_merch_offers_both_sources_together(lay, kind):
    """Rules 4, take_merch: one kind that is there, in either source."""
    table = lay(hands=[kind], discards="keyring vinyl", pile="sticker vinyl").play(kind)
    assert table.moves() == [("take", "sticker"), ("take", "keyring")]


@each_take
@pytest.mark.parametrize("sources", [["discard", "pickup"], ["pickup", "discard"]])
def test_take_merch_prefers_the_discard_pile(lay, kind, sources):
    """Rules 4, take_merch: from the discard pile if it has the kind; rules 7: the order of the set means nothing."""
    rules = ruleset(available_from=sources)
    table = lay(rules=rules, hands=[kind], discards="sticker", pile="sticker mug", last_turn=True)
    table.play(kind).take("sticker")
    assert (table.discards, table.pile) == (kind, "sticker mug")


@each_take
@pytest.mark.parametrize("sources", SOURCES, ids="+".join)
def test_take_merch_is_not_playable_unless_a_source_may_have_it(lay, kind, sources):
    """Rules 4, take_merch, and switch available_from: everything that the two piles can be, for each reading.

    The pick-up pile, face down, need only hold a card; of the discard pile everybody sees whether it has the Merch.
    """
    in_reach, too_dear = AT_THE_CAP[kind], ABOVE_THE_CAP[kind]
    rules = ruleset(available_from=sources)
    for discards, pile in product(["", too_dear, in_reach], repeat=2):
        table = lay(rules=rules, hands=[kind], discards=discards, pile=pile)
        wanted = (discards == in_reach and "discard" in sources) or (pile != "" and "pickup" in sources)
        assert table.can_play(kind) == wanted, (discards, pile)


@each_take
@pytest.mark.parametrize("sources", [["pickup"], ["discard", "pickup"]], ids="+".join)
def test_take_merch_that_finds_nothing_asks_nothing_and_is_spent(lay, kind, sources):
    """Rules 4, take_merch: one that is there, *if any*."""
    pile = f"{ABOVE_THE_CAP[kind]} read_time"
    table = lay(rules=ruleset(available_from=sources), hands=[kind], pile=pile, last_turn=True).play(kind)
    assert table.over
    assert (table.tabled(0), table.discards, table.pile) == ("", kind, pile)


@each_take
def test_take_merch_sees_no_source_that_is_none(lay, kind):
    """Rules 7, available_from: [pickup] leaves the discard pile alone, [discard] the pick-up pile."""
    lying = {"hands": [kind], "discards": "sticker", "pile": "keyring"}
    assert lay(rules=ruleset(available_from=["pickup"]), **lying).play(kind).moves() == [("take", "keyring")]
    assert lay(rules=ruleset(available_from=["discard"]), **lying).play(kind).moves() == [("take", "sticker")]


@each_take
def test_take_merch_does_not_renew_an_empty_pick_up_pile(lay, kind):
    """Rules 3: *drawing* from an empty pile renews it; looking does not."""
    table = lay(rules=ruleset(available_from=["pickup"]), hands=[kind], pile="", discards="sticker")
    assert not table.can_play(kind)


@each_take
def test_take_merch_reaches_no_table_and_no_hand(lay, kind):
    """Rules 4, take_merch: available is what lies in the sources."""
    table = lay(hands=[kind, "sticker"], tabled={2: "sticker"}, pile="vinyl", last_turn=True).play(kind)
    assert table.tabled(0) == ""


def test_take_merch_of_the_pile_takes_a_uniformly_chosen_copy_and_leaves_the_order(lay):
    """Rules 4, take_merch, and rules 8: uniform over the pile's copies of the kind."""
    left = []
    for seed in range(120):
        table = lay(seed=seed, hands=["flirted"], pile="sticker vinyl sticker poster sticker mug", last_turn=True)
        left.append(table.play("flirted").take("sticker").pile)
    first, middle, last = (
        left.count(pile)
        for pile in (
            "vinyl sticker poster sticker mug",
            "sticker vinyl poster sticker mug",
            "sticker vinyl sticker poster mug",
        )
    )
    assert first + middle + last == 120
    assert min(first, middle, last) > 25  # 40 expected, 5.2 the standard deviation


@pytest.mark.parametrize(("cap", "offered"), [(4, []), (5, ["sticker"]), (500, ALL_MERCH.split())])
def test_take_merch_by_an_edited_cap(lay, cap, offered):
    """Rules 1: a designer can change a cap."""
    rules = ruleset(cards={"cheeky_pic": {"max_value": cap}})
    table = lay(rules=rules, hands=["cheeky_pic"], pile=ALL_MERCH, last_turn=True).play("cheeky_pic")
    assert table.options("take") == offered


# find_merch


def test_free_audio_tables_a_signed_photo_from_the_pick_up_pile(lay):
    """Rules 4, find_merch: no decision."""
    table = lay(hands=["free_audio"], pile="vinyl signed_photo mug", last_turn=True).play("free_audio")
    assert (table.tabled(0), table.discards, table.pile) == ("signed_photo", "free_audio", "vinyl mug")


def test_free_audio_that_finds_none_is_spent(lay):
    """Rules 4, find_merch: tabled *if there*."""
    table = lay(hands=["free_audio"], pile="vinyl mug", last_turn=True).play("free_audio")
    assert (table.tabled(0), table.discards, table.pile) == ("", "free_audio", "vinyl mug")


@pytest.mark.parametrize("sources", SOURCES, ids="+".join)
def test_free_audio_is_not_playable_unless_a_source_may_have_it(lay, sources):
    """Rules 4, find_merch, and switch find_from: all that the two piles can be, for each reading, and what it finds."""
    for discards, pile in product(["", "vinyl", "signed_photo"], repeat=2):
        table = lay(
            rules=ruleset(find_from=sources), hands=["free_audio"], discards=discards, pile=pile, last_turn=True
        )
        in_discards = discards == "signed_photo" and "discard" in sources
        in_pile = pile == "signed_photo" and "pickup" in sources
        assert table.can_play("free_audio") == (in_discards or (pile != "" and "pickup" in sources)), (discards, pile)
        if not table.can_play("free_audio"):
            continue
        table.play("free_audio")
        assert table.tabled(0) == ("signed_photo" if in_discards or in_pile else "")
        assert table.pile == ("" if in_pile and not in_discards else pile)


def test_free_audio_finds_one_of_many_and_by_default_not_the_discarded(lay):
    """Rules 4, find_merch: one copy; rules 7: find_from is [pickup]."""
    table = lay(hands=["free_audio"], discards="signed_photo", pile="signed_photo vinyl signed_photo", last_turn=True)
    table.play("free_audio")
    assert table.tabled(0) == "signed_photo"
    assert table.pile.split().count("signed_photo") == 1
    assert table.discards == "signed_photo free_audio"


def test_free_audio_of_another_kind(lay):
    """Rules 1: `kind` is a figure of the card."""
    rules = ruleset(cards={"free_audio": {"kind": "vinyl"}})
    table = lay(rules=rules, hands=["free_audio"], pile="signed_photo vinyl", last_turn=True).play("free_audio")
    assert table.tabled(0) == "vinyl"


# table_more


def test_energy_drink_tables_up_to_three(lay):
    """Rules 4, table_more(3)."""
    table = lay(hands=["sticker mug mug vinyl energy_drink"], last_turn=True).play("energy_drink")
    assert table.asked == ("table_more", 0)
    table.table("mug").table("vinyl").table("mug")
    assert table.over
    assert (table.tabled(0), table.hand(0), table.discards) == ("mug mug vinyl", "sticker", "energy_drink")


def test_energy_drink_offers_stop_and_each_kind_once_each_time(lay):
    """Rules 4, table_more: `stop` at the first too; rules 8: stop has index 0, kinds in file order."""
    table = lay(hands=["escape_ticket mug mug vinyl energy_drink jealous"]).play("energy_drink")
    assert table.moves() == [("stop",), ("table", "mug"), ("table", "vinyl")]
    table.table("vinyl")
    assert table.moves() == [("stop",), ("table", "mug")]


@pytest.mark.parametrize("tabled", range(3))
def test_energy_drink_may_stop_early(lay, tabled):
    """Rules 4, table_more: `stop`, at the first too."""
    table = lay(hands=["mug mug mug energy_drink"], last_turn=True).play("energy_drink")
    for _ in range(tabled):
        table.table("mug")
    table.stop()
    assert table.over
    assert table.tabled(0).split().count("mug") == tabled
    assert table.discards == "energy_drink"


def test_energy_drink_ends_with_the_last_merch_of_the_hand(lay):
    """Rules 4, table_more: while there is Merch in the hand."""
    table = lay(hands=["mug escape_ticket energy_drink"]).play("energy_drink").table("mug")
    assert table.asked == ("put_down", 1)


def test_energy_drink_is_not_playable_without_merch(lay):
    """Rules 4, table_more: there is Merch in the hand."""
    table = lay(hands=["escape_ticket energy_drink energy_drink jealous"], tabled=["mug"])
    assert not table.can_play("energy_drink")


@pytest.mark.parametrize("count", [1, 5])
def test_energy_drink_by_an_edited_count(lay, count):
    """Rules 1: a designer can change a count."""
    rules = ruleset(cards={"energy_drink": {"count": count}})
    table = lay(rules=rules, hands=["mug mug mug mug mug mug energy_drink"], last_turn=True).play("energy_drink")
    for _ in range(count):
        table.table("mug")
    assert table.over


def test_energy_drink_lies_in_no_pile_while_it_resolves(lay):
    """Rules 4: it is in no pile while it resolves."""
    table = lay(hands=["mug energy_drink"]).play("energy_drink")
    assert (table.hand(0), table.discards) == ("mug", "")


# An Action of a designer's own


def test_own_card_from_a_known_primitive(lay):
    """Rules 1: a designer can add a card without touching code; its family and figures are its own."""
    rules = ruleset(cards={"raid": action("steal_merch", max_value=300, family="merch")})
    table = lay(rules=rules, hands=["raid", "", "not_today"], tabled={2: "vinyl read_merch"})
    assert table.plays("raid") == [(2, "vinyl")]
    table.play("raid", target=2, choice="vinyl").react("not_today")
    assert (table.tabled(2), table.discards) == ("vinyl read_merch", "not_today raid")
