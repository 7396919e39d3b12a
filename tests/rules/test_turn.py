"""A turn (rules 3): missed turns, the pick-up, the put-down and its moves, extra turns, whose turn is next."""

from __future__ import annotations

import random

import pytest

from tests.rules.table import FILLER, ruleset

NO_RECYCLING = ruleset(recycle_discard=False)


# Pick up


def test_pick_up_is_one_card_from_the_front(lay):
    """Rules 3, step 2: normal_draw = 1."""
    table = lay(hands=["mug", "badge"], pile="vinyl poster").discard("mug")
    assert (table.hand(1), table.pile) == ("badge vinyl", "poster")


@pytest.mark.parametrize(("normal_draw", "drawn"), [(0, ""), (3, " vinyl vinyl vinyl")])
def test_pick_up_of_an_edited_normal_draw(lay, normal_draw, drawn):
    """Rules 7: any figure."""
    table = lay(rules=ruleset(normal_draw=normal_draw), hands=["mug", "badge"], pile="vinyl " * 6).discard("mug")
    assert table.hand(1) == f"badge{drawn}"


def test_pick_up_from_an_empty_pile_renews_it_from_the_discards(lay):
    """Rules 3, step 2: the discard pile is shuffled into a new one."""
    table = lay(hands=["mug", "badge"], pile="", discards="vinyl poster").discard("mug")
    assert table.discards == ""
    drawn = set(table.hand(1).split()) - {"badge"}
    assert len(drawn) == 1
    assert sorted([*drawn, *table.pile.split()]) == ["mug", "poster", "vinyl"]


def test_pick_up_shuffles_what_it_renews(lay):
    """Rules 3, step 2: *shuffles*: any of the discards may lie in front."""
    position = {"hands": ["mug"], "pile": "", "discards": "vinyl poster"}
    drawn = [lay(block=block, **position).discard("mug").hand(1) for block in range(120)]
    assert set(drawn) == {"mug", "vinyl", "poster"}
    assert min(map(drawn.count, set(drawn))) > 25  # 40 expected, 5.2 the standard deviation


def test_pick_up_of_the_last_card_renews_nothing_yet(lay):
    """Rules 3, step 2: it is *drawing from an empty pile* that renews it."""
    table = lay(hands=["mug", "badge"], pile="vinyl", discards="poster").discard("mug")
    assert (table.hand(1), table.pile, table.discards) == ("badge vinyl", "", "mug poster")


def test_pick_up_of_several_renews_the_pile_on_the_way(lay):
    """Rules 3, step 2."""
    table = lay(rules=ruleset(normal_draw=3), hands=["mug", ""], pile="vinyl", discards="").discard("mug")
    assert (table.hand(1), table.pile, table.discards) == ("mug vinyl", "", "")


def test_pick_up_without_recycling_draws_nothing_from_an_empty_pile(lay):
    """Rules 7, recycle_discard = false; the turn goes on with what is in the hand."""
    table = lay(rules=NO_RECYCLING, hands=["mug", "badge"], pile="", discards="poster").discard("mug")
    assert table.asked == ("put_down", 1)
    assert (table.hand(1), table.discards) == ("badge", "mug poster")


def test_pick_up_with_nothing_left_anywhere_draws_nothing(lay):
    """Rules 3, step 2: if there is still nothing, nothing is drawn."""
    table = lay(hands=["mug", "badge"], pile="").table("mug")
    assert table.asked == ("put_down", 1)
    assert table.hand(1) == "badge"


# Put down


def test_put_down_moves_stand_in_their_order(lay):
    """Rules 8: discards, tables, plays, each in file order; a play's choices by target, Merch kind, own kind."""
    table = lay(
        seats=3,
        hands=["hands_off attention wrong_hole teased giveaway vinyl mug mug escape_ticket not_today"],
        tabled=["poster", "keyring sticker", "keyring"],
        protected=["", "", "keyring"],
    )
    assert table.moves() == [
        ("discard", "escape_ticket"),
        ("discard", "mug"),
        ("discard", "vinyl"),
        ("discard", "giveaway"),
        ("discard", "teased"),
        ("discard", "wrong_hole"),
        ("discard", "attention"),
        ("discard", "hands_off"),
        ("discard", "not_today"),
        ("table", "mug"),
        ("table", "vinyl"),
        ("play", "giveaway"),
        ("play", "teased", 1, "sticker"),
        ("play", "teased", 1, "keyring"),
        ("play", "wrong_hole", 2, "keyring", "poster"),
        ("play", "attention", 1),
        ("play", "attention", 2),
        ("play", "hands_off", "escape_ticket"),
        ("play", "hands_off", "mug"),
        ("play", "hands_off", "vinyl"),
        ("play", "hands_off", "giveaway"),
        ("play", "hands_off", "teased"),
        ("play", "hands_off", "wrong_hole"),
        ("play", "hands_off", "attention"),
        ("play", "hands_off", "not_today"),
    ]


def test_put_down_is_asked_also_with_one_move_and_counted(lay):
    """Rules 3: a decision is asked, and counted, also when it has only one move."""
    table = lay(hands=["covered"], last_turn=True)
    assert table.moves() == [("discard", "covered")]
    assert table.discard("covered").outcome("decisions") == 1


def test_put_down_of_an_empty_hand_passes_a_turn_taken_but_no_decision(lay):
    """Rules 3, step 4."""
    table = lay(hands=["mug", "", "", "badge"], pile="").table("mug")
    assert table.asked == ("put_down", 3)
    assert table.turn == 4
    table = lay(hands=["", "badge"], pile="", turn=2 * 200 - 1, seats=2).discard("badge")
    assert table.outcome("turns", "decisions") == (400, 1)


@pytest.mark.parametrize("verb", ["discard", "table"])
def test_put_down_is_exactly_one(lay, verb):
    """Rules 3, steps 4 and 6: then the next seat clockwise is up."""
    table = lay(hands=["mug mug", "badge"])
    getattr(table, verb)("mug")
    assert table.asked == ("put_down", 1)
    assert table.hand(0) == "mug"


@pytest.mark.parametrize("seats", range(2, 9))
def test_put_down_passes_the_turn_clockwise_round_the_table(lay, seats):
    """Rules 2 and 3: seats are numbered in turn order."""
    table = lay(seats=seats, seat_up=seats - 1, hands={seats - 1: FILLER})
    for seat in [seats - 1, *range(seats), 0]:
        assert table.asked == ("put_down", seat)
        table.discard(FILLER)


# Missed turns


def test_attention_makes_the_target_miss_its_next_turn(lay):
    """Rules 4, skip_turn, and rules 3, step 0: no pick-up, no put-down, no turn taken."""
    table = lay(hands=["attention", "badge", "poster"], pile="vinyl mug").play("attention", target=1)
    assert table.asked == ("put_down", 2)
    assert (table.hand(1), table.hand(2), table.discards) == ("badge", "poster vinyl", "attention")
    assert (table.missed(1), table.turn) == (0, 2)


def test_attention_on_a_later_seat_waits_for_its_turn(lay):
    """Rules 3, step 0."""
    table = lay(hands=["attention", "badge", "poster", "mug"]).play("attention", target=2)
    assert table.asked == ("put_down", 1)
    assert table.missed(2) == 1
    assert table.discard("badge").asked == ("put_down", 3)
    assert table.missed(2) == 0


@pytest.mark.parametrize("seat_up", [0, 3, 7])
def test_attention_is_always_playable_on_any_other_seat_of_eight(lay, seat_up):
    """Rules 4, skip_turn: target seat (another), always, also on a seat that has nothing or owes a turn already."""
    table = lay(seats=8, seat_up=seat_up, hands={seat_up: "attention"}, missed={5: 1, 6: 3}, pile="")
    assert table.plays("attention") == [(seat,) for seat in range(8) if seat != seat_up]


@pytest.mark.parametrize(("skips_stack", "owed"), [(True, 3), (False, 1)])
def test_attention_adds_up_where_skips_stack(lay, skips_stack, owed):
    """Rules 7, skips_stack: when false a seat owes at most one, and playing on one who owes is legal and wasted."""
    table = lay(rules=ruleset(skips_stack=skips_stack), hands=["attention"] * 3 + [""], last_turn=False, turn=5)
    table.play("attention", target=3).play("attention", target=3).play("attention", target=3)
    assert table.asked == ("put_down", 0)
    assert table.missed(3) == owed - 1


def test_attention_without_skips_stack_is_discarded_though_wasted(lay):
    """Rules 7, skips_stack = false."""
    table = lay(rules=ruleset(skips_stack=False), hands=["attention"], missed={2: 1}, last_turn=True)
    table.play("attention", target=2)
    assert (table.missed(2), table.discards) == (1, "attention")


def test_attention_on_the_only_other_seat_brings_the_turn_back(lay):
    """Rules 3, step 0: its turn passes."""
    table = lay(seats=2, hands=["attention", "badge"]).play("attention", target=1)
    assert table.asked == ("put_down", 0)
    assert table.turn == 2


def test_a_missed_turn_is_paid_one_at_a_time(lay):
    """Rules 3, step 0: pays one and its turn passes."""
    table = lay(seats=3, hands=[FILLER] * 3, missed=[0, 2, 0])
    asked = []
    for _ in range(6):
        asked.append(table.game.seat)
        table.discard(FILLER)
    assert asked == [0, 2, 0, 2, 0, 1]


def test_missed_turns_all_round_are_all_paid(lay):
    """Rules 3, step 0: the player whose turn it is may owe one too."""
    table = lay(seats=3, hands=[FILLER] * 3, missed=[1, 1, 2]).discard(FILLER)
    assert table.asked == ("put_down", 1)
    assert [table.missed(seat) for seat in range(3)] == [0, 0, 1]
    assert table.turn == 2


# Extra turns


def test_read_time_brings_one_more_turn_after_this_one(lay):
    """Rules 4, extra_turn, and rules 3, step 6: the same seat takes it, from step 1, with a pick-up."""
    table = lay(hands=["mug read_time", "badge"], pile="vinyl poster").play("read_time")
    assert table.asked == ("put_down", 0)
    assert (table.hand(0), table.discards, table.turn) == ("mug vinyl", "read_time", 2)
    assert table.discard("mug").asked == ("put_down", 1)


def test_read_time_is_always_playable(lay):
    """Rules 4, extra_turn: always."""
    assert lay(hands=["read_time"], pile="").moves() == [("discard", "read_time"), ("play", "read_time")]


def test_read_time_adds_up(lay):
    """Rules 4, extra_turn: they add up."""
    table = lay(hands=["read_time"], extra_turns=2, pile=f"{FILLER} " * 9).play("read_time")
    for turn in (2, 3, 4):
        assert (table.asked, table.turn) == (("put_down", 0), turn)
        table.discard(FILLER)
    assert table.asked == ("put_down", 1)


def test_an_extra_turn_pays_no_missed_turn(lay):
    """Rules 3, step 6: from step 1, and step 0 is where a missed turn is paid."""
    table = lay(hands=["mug mug", "badge"], extra_turns=1, missed=[1]).discard("mug")
    assert table.asked == ("put_down", 0)
    assert table.missed(0) == 1


def test_an_extra_turn_follows_also_where_the_hand_is_empty(lay):
    """Rules 3, steps 4 and 6: passing is a turn taken."""
    table = lay(hands=["", "badge"], extra_turns=1, pile="vinyl")
    assert table.asked == ("put_down", 0)
    assert (table.hand(0), table.turn) == ("vinyl", 2)


# Seats


@pytest.mark.parametrize("by", [1, 2, 3])
def test_seat_numbers_alone_never_matter(lay, by):
    """Rules 8: a table turned by some seats plays as the table did."""
    seats = 4
    hands = [
        "mug vinyl jealous mine_now read_time giveaway",
        "escape_ticket poster covered wrong_hole hands_off teased",
        "hoodie merch_protect not_today attention kidnap_read badge",
        "sticker energy_drink wasnt_yours flirted thirsty embarrassing",
    ]
    tabled = ["vinyl", "hoodie t_shirt", "mug", "sticker sticker"]
    protected = ["", "hoodie", "", "sticker"]
    pile = "vinyl mug read attention favourite_changed t_shirt fan_ticket sabotaged hands_off read_time escape_ticket"

    def turned(values):
        return [values[(seat - by) % seats] for seat in range(seats)]

    for seed in range(4):
        rng = random.Random(seed)
        table = lay(seed=seed, hands=hands, tabled=tabled, protected=protected, pile=pile)
        other = lay(
            seed=seed,
            seat_up=by,
            hands=turned(hands),
            tabled=turned(tabled),
            protected=turned(protected),
            pile=pile,
        )
        for _ in range(60):
            if table.over:
                break
            move = rng.choice(table.game.moves())
            mirrored = move._replace(target=None if move.target is None else (move.target + by) % seats)
            table.make(table.game.moves().index(move))
            other.make(other.game.moves().index(mirrored))
            assert other.decision == table.decision
            assert table.over or other.game.seat == (table.game.seat + by) % seats
            state, other_state = table.state, other.state
            for key in ("hands", "hands_off", "tabled", "protected", "missed", "merch"):
                assert other_state[key] == turned(state[key])
            for key in ("pile", "discards", "turn", "extra_turns"):
                assert other_state[key] == state[key]
