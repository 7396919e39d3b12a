"""The largest tables and decks: 8 seats, 64 kinds, 16 Merch kinds, 255 cards, values and figures at their ends."""

from __future__ import annotations

import pytest

from tests.rules.table import BOOKLET, FILLER, action, card, merch, ruleset

# How each Action against a seat is played against the only seat that has anything.
TARGETED = {
    "teased": {"choice": "keyring"},
    "flirting_failed": {"choice": "keyring"},
    "sabotaged": {"choice": "keyring"},
    "mine_now": {},
    "embarrassing": {"choice": "keyring"},
    "thirsty": {},
    "wrong_hole": {"choice": "hoodie", "own": "badge"},
    "jealous": {},
    "favourite_changed": {},
    "wasnt_yours": {},
    "attention": {},
}

SIX_MERCH = {f"own_merch_{n}": merch(600 + n, copies=9) for n in range(6)}
EIGHTEEN_ACTIONS = {f"own_action_{n}": action("steal_highest_merch", family="merch") for n in range(18)}
FULL_CARDS = {
    **{"sticker": {"copies": 30}},
    **SIX_MERCH,
    **EIGHTEEN_ACTIONS,
    "last_word": card("reaction", copies=255 - 120 - 24 - 54 - 36, cancels=["merch", "reaction"]),
}
FULL = ruleset(cards=FULL_CARDS)
"""64 kinds, 16 of them Merch, and 255 cards; the last kind is a reaction."""


def test_the_full_deck_is_full():
    """Rules 1: the limits themselves; one more of anything is an error."""
    cards = FULL["cards"]
    assert len(cards) == 64
    assert sum(entry["type"] == "merch" for entry in cards.values()) == 16
    assert sum(entry["copies"] for entry in cards.values()) == 255
    with pytest.raises(ValueError, match="255"):
        ruleset(cards={**FULL_CARDS, "mug": {"copies": 6}})
    with pytest.raises(ValueError, match="64"):
        ruleset(cards={**FULL_CARDS, "one_more": action("extra_turn", copies=0)})
    with pytest.raises(ValueError, match="16"):
        ruleset(cards={**SIX_MERCH, "one_more": merch(1, copies=0)})


# Eight seats


@pytest.mark.parametrize("kind", TARGETED)
@pytest.mark.parametrize("seat_up", [0, 6])
def test_every_seat_of_eight_can_be_the_target_of(lay, kind, seat_up):
    """Rules 2 and 4: another seat, seats 4 to 7 too."""
    for target in set(range(8)) - {seat_up}:
        table = lay(
            seats=8,
            seat_up=seat_up,
            hands={seat_up: kind, target: "mug"},
            tabled={seat_up: "badge", target: "keyring hoodie"},
            protected={target: "hoodie"},
            last_turn=True,
        )
        before = table.belongings(target)
        others = {play[0] for play in table.plays(kind)}
        assert others == (set(range(8)) - {seat_up} if kind == "attention" else {target})
        table.play(kind, target=target, **TARGETED[kind])
        assert table.belongings(target) != before


@pytest.mark.parametrize("reactor", [1, 4, 7])
def test_every_seat_of_eight_can_react(lay, reactor):
    """Rules 4, reactions."""
    table = lay(seats=8, hands={0: "mine_now", reactor: "not_today"}, tabled={reactor: "mug"})
    assert table.play("mine_now", target=reactor).asked == ("react", reactor)
    assert table.react("not_today").tabled(reactor) == "mug"


@pytest.mark.parametrize("holder", [4, 7])
def test_a_high_seat_escapes_and_wins(lay, holder):
    """Rules 5."""
    hands = {0: "mug"} | {holder: "escape_ticket mug"}
    table = lay(seats=8, seat_up=holder, hands=hands, tabled={holder: "vinyl vinyl vinyl t_shirt"}, read_holder=holder)
    table.discard("mug").escape()
    assert table.outcome("escaper", "winner") == (holder, holder)
    assert table.outcome("won") == [float(seat == holder) for seat in range(8)]


@pytest.mark.parametrize("seats", [2, 5, 8])
def test_copies_are_conserved_in_whole_games(deal, seats):
    """Rules 6: at every decision each kind's copies add up to the deck; `Table` counts after every move."""
    deal(seats=seats, seed=seats, rules=ruleset(max_rounds=12)).play_out(seats)


# The full deck


@pytest.mark.parametrize("seats", [2, 8])
def test_the_full_deck_plays_whole_games(deal, seats):
    """Rules 6: copies are conserved."""
    table = deal(seats=seats, rules=FULL | {"max_rounds": 12}).play_out(3)
    assert table.outcome("end") in ("turn_cap", "escape")


def test_the_last_kinds_of_the_full_deck_do_what_they_say(lay):
    """Rules 4: the 63rd kind is an Action, the 64th a reaction, the 16th Merch kind the dearest."""
    table = lay(rules=FULL, hands=["own_action_17", "", "last_word"], tabled={2: "vinyl own_merch_5"}, last_turn=True)
    table.play("own_action_17", target=2)
    assert table.moves() == [("pass",), ("react", "last_word")]
    table.let_it_pass()
    assert (table.tabled(0), table.merch(0)) == ("own_merch_5", 605)


def test_the_last_merch_kind_is_taken_returned_protected_and_tabled(lay):
    """Rules 4: whatever its number."""
    rules = ruleset(
        cards={
            **{kind: entry | {"value": 1} for kind, entry in SIX_MERCH.items()},
            "lost_and_found": action("find_merch", kind="own_merch_5"),
        }
    )
    own = "own_merch_5"
    assert lay(rules=rules, hands=["cheeky_pic"], pile=f"vinyl {own}").play("cheeky_pic").moves() == [("take", own)]
    assert lay(rules=rules, hands=["cheeky_pic"], discards=own, pile="").play("cheeky_pic").take(own).tabled(0) == own
    assert lay(rules=rules, hands=["lost_and_found"], pile=f"vinyl {own}").play("lost_and_found").tabled(0) == own
    assert lay(rules=rules, hands=["teased"], tabled={2: own}).play("teased", target=2, choice=own).tabled(0) == own
    table = lay(rules=rules, hands=["embarrassing"], tabled={2: own}).play("embarrassing", target=2, choice=own)
    assert table.hand(2) == own
    table = lay(rules=rules, seats=2, hands=["merch_protect", "thirsty"], tabled=[own])
    assert not table.play("merch_protect", choice=own).can_play("thirsty")


def test_wrong_hole_of_many_kinds_has_thousands_of_moves(lay):
    """Rules 4 and 8: one move for each target, protected kind and own kind, for each of the kinds."""
    holes = {f"hole_{n}": action("steal_protect", family="protect") for n in range(13)}
    rules = ruleset(cards={**SIX_MERCH, **holes})
    kinds = [kind for kind, entry in rules["cards"].items() if entry["type"] == "merch"]
    everything = " ".join(kinds)
    table = lay(
        rules=rules,
        seats=8,
        hands=[" ".join(["wrong_hole", *holes])],
        tabled=[everything] * 8,
        protected=["", *[everything] * 7],
        pile="",
        last_turn=True,
    )
    expected = [(target, theirs, own) for target in range(1, 8) for theirs in kinds for own in kinds]
    assert len(expected) == 1792
    for kind in ("wrong_hole", *holes):
        assert table.plays(kind) == expected
    assert len(table.moves()) == 14 + 14 * 1792
    table.make(len(table.moves()) - 1)
    assert table.protected(0) == kinds[-1]


# Long stacks, hands and figures


def test_a_stack_of_many_copies(lay):
    """Rules 4: n copies, p protections, n - p unprotected."""
    table = lay(hands=["sabotaged"], tabled={1: "mug " * 160}, protected={1: "mug " * 80})
    assert table.merch(1) == 4800
    table.play("sabotaged", target=1, choice="mug")
    assert len(table.tabled(1).split()) == 159
    assert len(table.protected(1).split()) == 80
    table = lay(hands=["sabotaged"], tabled={1: "mug " * 120}, protected={1: "mug " * 120})
    assert not table.can_play("sabotaged")


def test_a_hand_of_two_hundred_cards(lay):
    """Rules 4, steal_hand: uniform over copies, the one under Hands Off left out."""
    table = lay(hands=["jealous", "", "vinyl " * 200 + "covered"], hands_off={2: "covered"}, last_turn=True)
    table.play("jealous", target=2).let_it_pass()
    assert (table.hand(0), len(table.hand(2).split())) == ("vinyl", 200)


@pytest.mark.parametrize("kind", ["giveaway", "gifted_big"])
def test_a_draw_of_255_takes_all_there_is(lay, kind):
    """Rules 7 and 4, draw: the pile, then what the discards renew."""
    rules = ruleset(cards={kind: {"count": 255}})
    table = lay(rules=rules, hands=[kind], pile="mug " * 100, discards="vinyl " * 100, last_turn=True).play(kind)
    assert table.hand(0).split() == ["mug"] * 100 + ["vinyl"] * 100
    assert (table.pile, table.discards) == ("", kind)


def test_table_more_of_255_ends_with_the_hand(lay):
    """Rules 4, table_more."""
    rules = ruleset(cards={"energy_drink": {"count": 255}})
    table = lay(rules=rules, hands=["mug " * 200 + "energy_drink"], last_turn=True).play("energy_drink")
    for _ in range(200):
        table.table("mug")
    assert table.over
    assert table.outcome("merch", "decisions") == ([6000, 0, 0, 0], 201)


def test_values_and_points_at_their_ends(lay):
    """Rules 5: scores of over a thousand million."""
    rules = ruleset(cards={"mug": {"value": 1_000_000}}, read_points=1_000_000_000, escape_threshold=200_000_000)
    table = lay(rules=rules, hands=["escape_ticket mug"], tabled=["mug " * 199, "mug " * 40], read_holder=0)
    table.table("mug").escape()
    assert table.outcome("score") == [1_200_000_000, 40_000_000, 0, 0]


def test_the_longest_game_there_is_comes_to_its_cap(lay):
    """Rules 7, max_rounds: 1 to 8,000, with 8 seats 64,000 turns."""
    rules = ruleset(max_rounds=8000)
    table = lay(rules=rules, seats=8, hands=[FILLER] * 8, turn=63_999).discard(FILLER)
    assert (table.asked, table.turn) == (("put_down", 1), 64_000)
    assert table.discard(FILLER).outcome("end", "turns", "rounds") == ("turn_cap", 64_000, 8000)


def test_missed_turns_add_up_past_255(lay):
    """Rules 7, skips_stack: every one is owed."""
    table = lay(hands=["attention"], missed={2: 255}, last_turn=True).play("attention", target=2)
    assert table.missed(2) == 256


def test_a_kind_of_no_copies_is_no_card_of_the_game(deal):
    """Rules 1: 0 copies takes a kind out and keeps its entry."""
    rules = ruleset(cards={"covered": {"copies": 0}})
    table = deal(rules=rules)
    everywhere = " ".join([table.pile, *(table.hand(seat) for seat in range(4))]).split()
    assert "covered" not in everywhere
    assert len(everywhere) + (table.read_holder is not None) == sum(c["copies"] for c in BOOKLET["cards"].values()) - 2
