"""Table and set-up (rules 2 and 8): the deal, Read dealt, the first seat, the order of the deck, interventions."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.reference.streams import DEAL, Stream
from tests.rules.table import BOOKLET, ruleset

IN_FILE_ORDER = [kind for kind, entry in BOOKLET["cards"].items() for _ in range(entry["copies"])]
NOTHING_DRAWN = ruleset(normal_draw=0, opening_draw=0, max_rounds=3)
SHORT = ruleset(max_rounds=3)
REPLACED = ruleset(normal_draw=0, opening_draw=0, replace_dealt_read=True)


def shuffled(*, seed: int = 0, block: int = 0, seats: int = 4, order: list[str] | None = None) -> tuple[list[str], int]:
    """Shuffle as rules 8 says; return the deck, front first, and the seat that chance would make the first."""
    stream = Stream.keyed(seed, block, DEAL)
    return stream.shuffled(IN_FILE_ORDER if order is None else order), stream.bounded(seats)


def block_where(wanted, *, blocks: int = 400, **deal) -> int:
    """Find the first block whose shuffled deck is as wanted."""
    return next(block for block in range(blocks) if wanted(shuffled(block=block, **deal)[0]))


def read_among_the_first(n: int):
    return lambda deck: "read" in deck[:n]


# The deal


@pytest.mark.parametrize("seats", range(2, 9))
def test_each_seat_is_dealt_six_and_the_rest_is_the_pile(deal, seats):
    """Rules 2 and 8: seat 0's whole hand first; what is left, front first, is the pick-up pile."""
    for block in range(6):
        deck, _ = shuffled(block=block, seats=seats)
        table = deal(seats=seats, block=block, rules=NOTHING_DRAWN)
        for seat in range(seats):
            hand = Counter(deck[6 * seat : 6 * seat + 6])
            assert Counter(table.hand(seat).split()) == hand - Counter(["read"])
            assert (table.read_holder == seat) == ("read" in hand)
        assert table.pile.split() == deck[6 * seats :]
        assert table.discards == ""


@pytest.mark.parametrize("hand_size", [1, 9])
def test_hand_size_is_a_figure(deal, hand_size):
    """Rules 7, hand_size: any."""
    rules = ruleset(hand_size=hand_size, normal_draw=0, opening_draw=0)
    table = deal(rules=rules, block=block_where(lambda deck: "read" not in deck[: 4 * hand_size]))
    assert [len(table.hand(seat).split()) for seat in range(4)] == [hand_size] * 4


def test_hand_size_nought_begins_with_the_pick_up(deal):
    """Rules 7, hand_size: any."""
    block = block_where(lambda deck: deck[0] != "read")
    table = deal(rules=ruleset(hand_size=0), block=block)
    assert sum(len(table.hand(seat).split()) for seat in range(4)) == 1
    assert table.hand(table.game.seat) == shuffled(block=block)[0][0]


def test_tables_are_empty_at_the_start(deal):
    """Rules 2."""
    table = deal()
    assert all(table.belongings(seat)[1:4] == ("", "", 0) for seat in range(4))
    assert table.turn == 1


@pytest.mark.parametrize("seats", [1, 9])
def test_a_table_has_two_to_eight_seats(deal, seats):
    """Rules 2."""
    with pytest.raises(ValueError, match="8"):
        deal(seats=seats)


def test_dealing_may_use_up_the_deck_exactly_but_no_more(deal):
    """Rules 2: a set-up that the deck cannot deal is an error."""
    rules = ruleset(deck="read " + "mug " * 17)
    table = deal(seats=3, rules=rules)
    assert table.pile == ""
    assert sum(table.hand(seat).count("mug") for seat in range(3)) == 17
    with pytest.raises(ValueError, match="need 24"):
        deal(seats=4, rules=rules)


def test_replace_dealt_read_takes_a_deck_of_one_card_more(deal):
    """Rules 2: when true the deck must have one card more."""
    too_few = ruleset(deck="read " + "mug " * 17, replace_dealt_read=True)
    with pytest.raises(ValueError, match="need 19"):
        deal(seats=3, rules=too_few)
    rules = ruleset(deck="read " + "mug " * 18, replace_dealt_read=True, opening_draw=0)
    table = deal(seats=3, rules=rules, block=block_where(read_among_the_first(18), order=rules_deck(rules)))
    assert [table.hand(seat).split() for seat in range(3)] == [["mug"] * 6] * 3


def rules_deck(rules) -> list[str]:
    return [kind for kind, entry in rules["cards"].items() for _ in range(entry["copies"])]


# Read dealt, and the first seat


def test_read_dealt_is_displayed_and_his_seat_goes_first_with_two_cards(deal):
    """Rules 2: its hand is then 5, it takes the first turn, and in that turn picks up opening_draw = 2."""
    seats = set()
    for block in range(60):
        deck, _ = shuffled(block=block)
        if "read" not in deck[:24]:
            continue
        seat = deck.index("read") // 6
        seats.add(seat)
        table = deal(block=block)
        assert table.asked == ("put_down", seat)
        assert table.read_holder == table.state["first_seat"] == seat
        picked_up = Counter(deck[6 * seat : 6 * seat + 6]) - Counter(["read"]) + Counter(deck[24:26])
        assert Counter(table.hand(seat).split()) == picked_up
        assert picked_up.total() == 7
    assert seats == {0, 1, 2, 3}


@pytest.mark.parametrize(("normal_draw", "opening_draw", "drawn"), [(1, 0, 0), (1, 5, 5), (3, 2, 2)])
def test_opening_draw_is_a_figure_in_place_of_the_normal_draw(deal, normal_draw, opening_draw, drawn):
    """Rules 7, opening_draw: any."""
    rules = ruleset(normal_draw=normal_draw, opening_draw=opening_draw)
    table = deal(rules=rules, block=block_where(read_among_the_first(24)))
    assert len(table.hand(table.game.seat).split()) == 5 + drawn


def test_opening_draw_is_for_the_first_turn_only(deal):
    """Rules 2: in that first turn; an extra turn after it picks up one."""
    rules = ruleset(deck="read " + "read_time " * 39)
    table = deal(seats=2, rules=rules, block=block_where(read_among_the_first(12), order=rules_deck(rules)))
    first = table.game.seat
    assert len(table.hand(first).split()) == 7
    table.play("read_time")
    assert table.asked == ("put_down", first)
    assert len(table.hand(first).split()) == 7
    table.discard("read_time")
    assert len(table.hand(1 - first).split()) == 7


def test_opening_draw_is_not_for_a_first_seat_that_chance_decides(deal):
    """Rules 2: if nobody was dealt Read."""
    table = deal(block=block_where(lambda deck: "read" not in deck[:25]))
    assert len(table.hand(table.game.seat).split()) == 7


def test_first_seat_without_read_dealt_is_one_draw_after_the_shuffle(deal):
    """Rules 8: a first seat that chance decides is one bounded draw after the deck's shuffle."""
    seats = set()
    for block in range(60):
        deck, chance = shuffled(block=block)
        if "read" not in deck[:24]:
            seats.add(chance)
            assert deal(block=block).state["first_seat"] == chance
    assert seats == {0, 1, 2, 3}


def test_first_seat_without_read_dealt_is_uniformly_random(deal):
    """Rules 2."""
    rules = ruleset(hand_size=0)
    first = Counter(deal(rules=rules, block=block).state["first_seat"] for block in range(240))
    assert set(first) == {0, 1, 2, 3}
    assert min(first.values()) > 36  # 60 expected, 6.7 the standard deviation


def test_read_dealt_is_not_replaced_by_default(deal):
    """Rules 2: replace_dealt_read = false: no card in its place."""
    table = deal(rules=NOTHING_DRAWN, block=block_where(read_among_the_first(24)))
    assert len(table.hand(table.read_holder).split()) == 5


def test_replace_dealt_read_gives_the_front_card_of_the_pile(deal):
    """Rules 2, switch replace_dealt_read, and contracts 3."""
    block = block_where(read_among_the_first(24))
    deck, _ = shuffled(block=block)
    table = deal(rules=REPLACED, block=block)
    seat = deck.index("read") // 6
    assert Counter(table.hand(seat).split()) == Counter(deck[6 * seat : 6 * seat + 6]) - Counter(["read"]) + Counter(
        [deck[24]]
    )
    assert table.pile.split() == deck[25:]


def test_replace_dealt_read_is_nothing_to_read_picked_up(deal):
    """Rules 2: it is Read *dealt* that is replaced; rules 3: Read drawn counts as the card."""
    block = block_where(lambda deck: deck[24] == "read")
    table = deal(rules=ruleset(replace_dealt_read=True), block=block)
    assert table.read_holder == table.game.seat == table.state["first_seat"]
    assert len(table.hand(table.game.seat).split()) == 6


def test_redraw_after_read_is_nothing_to_read_dealt(deal):
    """Rules 3, step 2: Read *drawn*."""
    table = deal(rules=ruleset(redraw_after_read=True), block=block_where(read_among_the_first(24)))
    assert len(table.hand(table.read_holder).split()) == 7


# Streams and the order of the deck


def test_deal_order_is_the_order_that_is_shuffled(deal):
    """Rules 8: the deck goes in in deal_order, by default in file order."""
    backwards = IN_FILE_ORDER[::-1]
    usual = deal(rules=NOTHING_DRAWN).state
    assert deal(rules=NOTHING_DRAWN, deal_order=IN_FILE_ORDER).state == usual
    table = deal(rules=NOTHING_DRAWN, deal_order=backwards)
    deck, _ = shuffled(order=backwards)
    assert table.pile.split() == deck[24:]
    assert table.state != usual


def test_deal_order_lists_each_copy_once(deal):
    """Contracts 3: a list of kind ids, one per copy."""
    with pytest.raises(ValueError, match="deal_order"):
        deal(deal_order=[*IN_FILE_ORDER[:-1], "mug"])
    with pytest.raises(ValueError, match="deal_order"):
        deal(deal_order=IN_FILE_ORDER[:-1])


def test_seed_and_block_decide_the_deal(deal):
    """Rules 8: streams are keyed by seed and block."""
    states = [deal(seed=seed, block=block).state for seed, block in ((1, 2), (1, 3), (2, 2), (2, 1), (1, 2))]
    assert states[0] == states[4]
    assert all(states[i] != states[j] for i in range(4) for j in range(i))


# Interventions: the deck as it lay, one card of it exchanged (contracts 7)


def dealt_to(seat: int, deck: list[str]) -> list[str]:
    return deck[6 * seat : 6 * seat + 6]


def test_intervention_same_on_a_dealt_card_changes_nothing(deal):
    """Contracts 7: the card is of that kind already."""
    deck, _ = shuffled()
    table = deal(rules=NOTHING_DRAWN, intervention=(2, 4, deck[15]))
    assert table.state == deal(rules=NOTHING_DRAWN).state
    assert table.play_out().outcome("iv") == "same"


def test_intervention_none_left_on_a_dealt_card_changes_nothing(deal):
    """Contracts 7: the pile holds none; it is the pile that counts, not the other hands."""
    block = block_where(read_among_the_first(6))
    table = deal(block=block, rules=NOTHING_DRAWN, intervention=(1, 1, "read"))
    assert table.state == deal(block=block, rules=NOTHING_DRAWN).state
    assert table.play_out().outcome("iv") == "none_left"


def test_intervention_same_is_tested_before_none_left(deal):
    """Contracts 7."""
    block = block_where(read_among_the_first(6))
    n = shuffled(block=block)[0].index("read") + 1
    table = deal(block=block, rules=NOTHING_DRAWN, intervention=(0, n, "read"))
    assert table.play_out().outcome("iv") == "same"


def test_intervention_swapped_on_a_dealt_card(deal):
    """Contracts 7: the card changes places with a copy of the kind in the pile; the rest lies as it lay."""
    block = block_where(lambda deck: "read" not in deck[:24] and deck[15] != "vinyl" and "vinyl" in deck[24:])
    deck, _ = shuffled(block=block)
    table = deal(block=block, rules=NOTHING_DRAWN, intervention=(2, 4, "vinyl"))
    hand = dealt_to(2, deck)
    hand[3] = "vinyl"
    assert Counter(table.hand(2).split()) == Counter(hand)
    changed = [place for place, kind in enumerate(table.pile.split()) if kind != deck[24 + place]]
    assert len(changed) == 1
    assert (deck[24 + changed[0]], table.pile.split()[changed[0]]) == ("vinyl", deck[15])
    assert table.play_out().outcome("iv") == "swapped"


def test_intervention_chooses_uniformly_among_the_copies_of_the_pile(deal):
    """Contracts 7: uniform over those copies."""
    rules = ruleset(deck="read mug mug mug vinyl vinyl vinyl badge badge", hand_size=1, normal_draw=0, opening_draw=0)
    places = Counter()
    for block in range(500):
        deck, _ = shuffled(block=block, seats=2, order=rules_deck(rules))
        if "vinyl" in deck[:2] or "read" in deck[:2]:
            continue
        table = deal(seats=2, block=block, rules=rules, intervention=(0, 1, "vinyl"))
        before = [place for place, kind in enumerate(deck[2:]) if kind == "vinyl"]
        gone = next(place for place in before if table.pile.split()[place] != "vinyl")
        places[before.index(gone)] += 1
    assert set(places) == {0, 1, 2}
    assert min(places.values()) > places.total() / 4


def test_intervention_that_deals_read_makes_his_seat_the_first(deal):
    """Contracts 7: it happens before Read is displayed."""
    block = block_where(lambda deck: "read" not in deck[:24])
    table = deal(block=block, rules=SHORT, intervention=(3, 6, "read"))
    assert table.read_holder == table.state["first_seat"] == table.game.seat == 3
    assert len(table.hand(3).split()) == 7
    assert table.play_out().outcome("iv", "read_dealt", "first_seat") == ("swapped", 3, 3)


def test_intervention_that_takes_dealt_read_away_leaves_the_first_seat_to_chance(deal):
    """Contracts 7: Read goes to the pile; rules 2: then nobody was dealt Read."""
    block = block_where(read_among_the_first(6))
    deck, chance = shuffled(block=block)
    table = deal(block=block, rules=NOTHING_DRAWN, intervention=(0, deck.index("read") + 1, "vinyl"))
    assert (table.read_holder, table.state["first_seat"]) == (None, chance)
    assert "read" in table.pile.split()
    assert len(table.hand(0).split()) == 6


def drawing_block(wanted=lambda deck: True) -> int:
    return block_where(lambda deck: "read" not in deck[:25] and wanted(deck))


def test_intervention_swapped_on_a_drawn_card(deal):
    """Contracts 7: it happens as the card is drawn; the pile is what is left after it."""
    block = drawing_block(lambda deck: deck[24] != "vinyl" and "vinyl" in deck[25:])
    deck, first = shuffled(block=block)
    table = deal(block=block, rules=SHORT, intervention=(first, 7, "vinyl"))
    assert Counter(table.hand(first).split()) == Counter([*dealt_to(first, deck), "vinyl"])
    changed = [place for place, kind in enumerate(table.pile.split()) if kind != deck[25 + place]]
    assert [deck[25 + place] for place in changed] == ["vinyl"]
    assert [table.pile.split()[place] for place in changed] == [deck[24]]
    assert table.play_out().outcome("iv") == "swapped"


def test_intervention_same_on_a_drawn_card(deal):
    """Contracts 7."""
    block = drawing_block()
    deck, first = shuffled(block=block)
    table = deal(block=block, rules=SHORT, intervention=(first, 7, deck[24]))
    assert table.state == deal(block=block, rules=SHORT).state
    assert table.play_out().outcome("iv") == "same"


def test_intervention_none_left_on_a_drawn_card(deal):
    """Contracts 7."""
    block = drawing_block(lambda deck: "read_merch" in deck[:24])
    _, first = shuffled(block=block)
    table = deal(block=block, rules=SHORT, intervention=(first, 7, "read_merch"))
    assert table.state == deal(block=block, rules=SHORT).state
    assert table.play_out().outcome("iv") == "none_left"


def test_intervention_not_reached(deal):
    """Contracts 7: no such card came to the seat."""
    table = deal(rules=SHORT, intervention=(1, 60_000, "vinyl"))
    assert table.state == deal(rules=SHORT).state
    assert table.play_out().outcome("iv") == "not_reached"


def test_intervention_that_draws_read_displays_him(deal):
    """Contracts 7 and rules 3, step 2."""
    block = drawing_block()
    _, first = shuffled(block=block)
    table = deal(block=block, rules=SHORT, intervention=(first, 7, "read"))
    assert table.read_holder == first
    assert len(table.hand(first).split()) == 6


def test_intervention_counts_cards_of_draw_effects(deal):
    """Contracts 7: counting cards dealt, then drawn from the pick-up pile."""
    rules = ruleset(deck="read mug " + "giveaway " * 12, hand_size=1)
    order = rules_deck(rules)
    block = block_where(lambda deck: not {"read", "mug"} & set(deck[:6]), seats=2, order=order)
    _, first = shuffled(block=block, seats=2, order=order)
    table = deal(seats=2, block=block, rules=rules, intervention=(first, 4, "mug"))
    assert table.hand(first) == "giveaway giveaway"
    table.play("giveaway")
    assert table.hand(first) == "mug giveaway giveaway"


def test_intervention_counts_the_card_that_replaces_read(deal):
    """Contracts 3: it counts as the seat's next card for the intervention's n."""
    block = block_where(lambda deck: "read" in deck[:6] and deck[24] != "vinyl" and "vinyl" in deck[25:])
    deck, _ = shuffled(block=block)
    table = deal(block=block, rules=REPLACED, intervention=(0, 7, "vinyl"))
    assert Counter(table.hand(0).split()) == Counter([*dealt_to(0, deck), "vinyl"]) - Counter(["read"])


def test_a_game_without_an_intervention_has_no_outcome_of_one(deal):
    """Contracts 8, iv: only in runs with an intervention."""
    assert deal(rules=SHORT).play_out().outcome("iv") is None
