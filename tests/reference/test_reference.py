"""The reference engine against what is known without it: published vectors, conservation, hand-made positions."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings

from rsc_sim.ruleset import Ruleset

from .engine import ReferenceGame, play_random
from .moves import Move
from .rulesets import random_ruleset, rulesets
from .streams import WORD, Stream, splitmix64, tag


@pytest.fixture
def booklet():
    return Ruleset.booklet().to_dict()


def choose(game, *move):
    """Make this move, which must be legal."""
    game.apply(game.moves().index(Move(*move)))


def walk(game, choices):
    """Play to the end, checking what holds at every decision; return what can be compared."""
    seen = []
    while game.decision is not None:
        game.check_conserved()
        moves = game.moves()
        assert moves, "a decision without moves"
        assert len(set(moves)) == len(moves), "a move listed twice"
        seen.append((game.decision, game.seat, moves, game.state()))
        game.apply(choices.randrange(len(moves)))
    game.check_conserved()
    return seen, game.row()


# Streams


def test_splitmix64_published_outputs():
    assert splitmix64(1234567, 5) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_xoshiro256plusplus_published_outputs():
    stream = Stream([1, 2, 3, 4])
    assert [stream.next() for _ in range(10)] == [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
        9973669472204895162,
        14011001112246962877,
        12406186145184390807,
        15849039046786891736,
        10450023813501588000,
    ]


def test_bounded_is_the_high_half_of_the_product():
    stream, copy = Stream([1, 2, 3, 4]), Stream([1, 2, 3, 4])
    for n in (1, 2, 7, 120, 255):
        assert stream.bounded(n) == copy.next() * n // 2**64


def test_shuffle_places_each_card_anywhere_equally_often():
    stream = Stream.keyed(1, 0, 0)
    n = 6_000
    orders = Counter("".join(stream.shuffled(list("abc"))) for _ in range(n))
    assert len(orders) == 6
    # A count has a standard deviation of 29.
    assert all(abs(count - n / 6) < 130 for count in orders.values())


def test_keys_differ_in_every_part():
    keys = [(0, 0, 0, 0), (1, 0, 0, 0), (WORD, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 1, 1), (0, 0, 0, 1)]
    assert len({Stream.keyed(*key).next() for key in keys}) == len(keys)


def test_tag_is_the_first_eight_bytes_of_sha256_little_endian():
    # SHA-256 of "abc" begins ba7816bf 8f01cfea.
    assert tag("abc") == 0xEACF018FBF1678BA
    assert tag(None) == 0


# Whole games


@pytest.mark.parametrize("seats", range(2, 9))
def test_booklet_games_conserve_cards_and_repeat(booklet, seats):
    games = [ReferenceGame(booklet, seats=seats, seed=seats, block=3) for _ in range(2)]
    first, second = (walk(game, random.Random(seats)) for game in games)
    assert first == second
    assert first[1]["decisions"] == len(first[0])


def test_random_rulesets_conserve_cards():
    for seed in range(60):
        rng = random.Random(seed)
        rules, seats = random_ruleset(rng)
        rules["max_rounds"] = min(rules["max_rounds"], 20)
        intervention = (rng.randrange(seats), rng.randint(1, 10), rng.choice(list(rules["cards"])))
        game = ReferenceGame(rules, seats=seats, seed=seed, block=0, intervention=rng.choice([None, intervention]))
        _, row = walk(game, rng)
        assert sum(row["won"]) == pytest.approx(0 if row["winner"] == -1 else 1)


@settings(max_examples=40, deadline=None)
@given(rulesets())
def test_drawn_rulesets_are_valid_and_play(drawn):
    rules, seats = drawn
    Ruleset.from_dict(rules)
    rules["max_rounds"] = min(rules["max_rounds"], 5)
    walk(ReferenceGame(rules, seats=seats, seed=1, block=0), random.Random(0))


def test_random_rulesets_are_valid():
    for seed in range(200):
        rules, seats = random_ruleset(random.Random(seed))
        Ruleset.from_dict(rules)
        assert rules["hand_size"] * seats <= sum(card["copies"] for card in rules["cards"].values())


def test_a_kind_that_no_game_meets_leaves_the_trace(booklet):
    edited = {**booklet, "cards": {"novelty": {**booklet["cards"]["giveaway"], "copies": 0}, **booklet["cards"]}}
    rows = [play_random(rules, seats=4, seed=7, block=1).row() for rules in (booklet, edited)]
    assert rows[0] == rows[1]


# The deal and the intervention


def test_a_seat_dealt_read_goes_first_and_picks_up_two(booklet):
    games = [ReferenceGame(booklet, seats=4, seed=1, block=block) for block in range(40)]
    dealt = [game for game in games if game.read_dealt >= 0]
    assert dealt
    for game in dealt:
        assert game.seat_up == game.first_seat == game.read_holder == game.read_dealt
        assert game.draws[game.first_seat] == 8
        assert game.hands[game.first_seat].total() == 7


def test_intervention_deals_read_as_if_the_deck_had_lain_so(booklet):
    outcomes = Counter()
    for block in range(30):
        plain = ReferenceGame(booklet, seats=4, seed=2, block=block)
        game = ReferenceGame(booklet, seats=4, seed=2, block=block, intervention=(3, 6, "read"))
        outcomes[game.iv] += 1
        if game.iv == "swapped":
            assert plain.read_dealt == -1
            assert game.read_dealt == game.first_seat == 3
        else:
            assert plain.read_dealt == game.read_dealt
    assert outcomes["swapped"]
    assert outcomes["none_left"]


# Cards, from hand-made positions


def test_steal_highest_merch_skips_protected_copies(booklet):
    position = {
        "hands": [{"mine_now": 1, "sticker": 1}, {}],
        "tabled": [{}, {"vinyl": 1, "mug": 2}],
        "protected": [{}, {"vinyl": 1}],
    }
    game = ReferenceGame.from_position(booklet, position, seats=2)
    choose(game, "play", "mine_now", 1)
    assert game.state()["tabled"] == [{"mug": 1}, {"vinyl": 1, "mug": 1}]
    game.check_conserved()


@pytest.mark.parametrize(("lowest_means", "taken"), [("unprotected", "mug"), ("tabled", None)])
def test_steal_lowest_merch_by_what_lowest_means(booklet, lowest_means, taken):
    position = {
        "hands": [{"thirsty": 1}, {}],
        "tabled": [{}, {"sticker": 1, "mug": 1}],
        "protected": [{}, {"sticker": 1}],
    }
    game = ReferenceGame.from_position({**booklet, "lowest_means": lowest_means}, position, seats=2)
    plays = [move for move in game.moves() if move.verb == "play"]
    assert plays == ([] if taken is None else [Move("play", "thirsty", 1)])
    if taken:
        game.apply(game.moves().index(plays[0]))
        assert game.tabled[0][taken] == 1


def test_steal_protect_leaves_merch_exposed_and_moves_in_order(booklet):
    position = {
        "hands": [{"wrong_hole": 1}, {"jealous": 1}, {}],
        "tabled": [{"badge": 1, "sticker": 1}, {"vinyl": 1}, {"hoodie": 1}],
        "protected": [{"badge": 1}, {"vinyl": 1}, {"hoodie": 1}],
    }
    game = ReferenceGame.from_position(booklet, position, seats=3)
    assert game.moves() == [
        Move("discard", "wrong_hole"),
        Move("play", "wrong_hole", 1, "vinyl", "sticker"),
        Move("play", "wrong_hole", 2, "hoodie", "sticker"),
    ]
    game.apply(1)
    assert game.state()["protected"] == [{"sticker": 1, "badge": 1}, {}, {"hoodie": 1}]


def test_hands_off_protects_one_copy_from_random_picks(booklet):
    position = {"hands": [{"hands_off": 2, "mug": 1}, {"jealous": 3}], "pile": []}
    game = ReferenceGame.from_position(booklet, position, seats=2)
    plays = [move for move in game.moves() if move.verb == "play"]
    assert plays == [Move("play", "hands_off", None, "mug"), Move("play", "hands_off", None, "hands_off")]
    game.apply(game.moves().index(plays[0]))
    choose(game, "play", "jealous", 0)
    # Only the other Hands Off was exposed, so no other card can have gone.
    assert ("random card", 0, "hands_off") in game.log
    assert game.hands[0]["mug"] == 1


def test_take_merch_prefers_the_discard_pile(booklet):
    position = {"hands": [{"flirted": 1}, {"mug": 1}], "discards": {"badge": 1}, "pile": ["badge", "poster", "keyring"]}
    game = ReferenceGame.from_position(booklet, position, seats=2)
    choose(game, "play", "flirted")
    assert (game.decision, game.moves()) == ("take", [Move("take", "keyring"), Move("take", "badge")])
    game.check_conserved()
    choose(game, "take", "badge")
    assert game.tabled[0] == Counter(badge=1)
    # Seat 1 has since drawn the front card, which the search left in the pile.
    assert game.state()["pile"] == ["poster", "keyring"]


def test_table_more_may_stop_at_once(booklet):
    position = {"hands": [{"energy_drink": 1, "mug": 4}, {"mug": 1}]}
    game = ReferenceGame.from_position(booklet, position, seats=2)
    choose(game, "play", "energy_drink")
    for _ in range(3):
        assert game.moves() == [Move("stop"), Move("table", "mug")]
        game.apply(1)
    assert game.tabled[0]["mug"] == 3
    game = ReferenceGame.from_position(booklet, position, seats=2)
    choose(game, "play", "energy_drink")
    game.apply(0)
    assert (game.decision, game.seat) == ("put_down", 1)


@pytest.mark.parametrize("answers", range(4))
def test_reactions_cancel_each_other_in_turn(booklet, answers):
    booklet["cards"]["covered"]["cancels"] = ["merch", "reaction"]
    position = {
        "hands": [{"mine_now": 1, "covered": 2, "mug": 1}, {"covered": 2, "mug": 1}],
        "tabled": [{}, {"vinyl": 1}],
    }
    game = ReferenceGame.from_position(booklet, position, seats=2)
    choose(game, "play", "mine_now", 1)
    for answer in range(answers):
        assert (game.decision, game.seat) == ("react", 1 - answer % 2)
        choose(game, "react", "covered")
        assert game.state()["discards"] == {"covered": answer + 1}
        game.check_conserved()
    choose(game, "pass")
    assert game.cancelled == answers % 2
    assert game.tabled[0]["vinyl"] == 1 - answers % 2


def test_a_random_hit_on_a_hand_spent_in_reactions_does_nothing(booklet):
    booklet["cards"]["covered"]["cancels"] = ["hand", "reaction"]
    position = {"hands": [{"jealous": 1, "covered": 1, "mug": 1}, {"covered": 1}, {"mug": 1}]}
    game = ReferenceGame.from_position(booklet, position, seats=3)
    choose(game, "play", "jealous", 1)
    choose(game, "react", "covered")
    choose(game, "react", "covered")
    assert game.cancelled == 0
    assert game.hands[0] == Counter(mug=1)


@pytest.mark.parametrize(("skips_stack", "owed"), [(True, 2), (False, 1)])
def test_skips_stack(booklet, skips_stack, owed):
    position = {"hands": [{"attention": 1}, {}, {"mug": 2}], "missed": [0, 1, 0]}
    game = ReferenceGame.from_position({**booklet, "skips_stack": skips_stack}, position, seats=3)
    choose(game, "play", "attention", 1)
    assert (game.seat, game.missed[1]) == (2, owed - 1)


def test_read_drawn_is_displayed_and_counts_as_the_card(booklet):
    for redraw, hand in ((False, {"mug": 2}), (True, {"mug": 3})):
        position = {"hands": [{"sticker": 1}, {"mug": 2}], "pile": ["read", "mug"]}
        game = ReferenceGame.from_position({**booklet, "redraw_after_read": redraw}, position, seats=2)
        choose(game, "discard", "sticker")
        assert game.read_holder == 1
        assert game.state()["hands"][1] == hand


# The end

ELIGIBLE = {
    "hands": [{"escape_ticket": 1, "mug": 1}, {"mug": 2}],
    "tabled": [{"read_merch": 1, "vinyl": 2}, {"vinyl": 4}],
    "read_holder": 0,
    "pile": ["mug", "mug"],
}


def test_escape_is_asked_after_the_put_down_and_ends_the_game(booklet):
    game = ReferenceGame.from_position(booklet, ELIGIBLE, seats=2)
    choose(game, "discard", "mug")
    assert (game.decision, game.moves()) == ("escape", [Move("escape"), Move("stay")])
    game.apply(0)
    row = game.row()
    assert (row["end"], row["stuck"], row["escaper"], row["winner"], row["turns"]) == ("escape", "no", 0, 0, 1)
    assert row["score"] == [11_100, 1200]


def test_forced_escape_asks_nothing(booklet):
    game = ReferenceGame.from_position({**booklet, "escape": "forced"}, ELIGIBLE, seats=2)
    choose(game, "table", "mug")
    assert game.decision is None
    assert game.row()["decisions"] == 1


def test_a_discarded_ticket_escapes_nobody(booklet):
    game = ReferenceGame.from_position(booklet, ELIGIBLE, seats=2)
    choose(game, "discard", "escape_ticket")
    assert (game.decision, game.seat) == ("put_down", 1)


def test_deadlock_when_all_pass_without_drawing(booklet):
    game = ReferenceGame.from_position(booklet, {"tabled": [{"mug": 1}, {"vinyl": 4}]}, seats=2)
    row = game.row()
    assert (row["end"], row["stuck"], row["winner"], row["turns"]) == ("deadlock", "tickets", -1, 2)
    assert row["won"] == [0, 0]


@pytest.mark.parametrize(("unfinished", "winner", "won"), [("no_winner", -1, [0, 0]), ("score", -2, [0.5, 0.5])])
def test_turn_cap_and_unfinished(booklet, unfinished, winner, won):
    rules = {**booklet, "max_rounds": 1, "unfinished": unfinished}
    game = ReferenceGame.from_position(rules, {"turn": 2, "hands": [{"read_time": 1}, {}]}, seats=2)
    choose(game, "play", "read_time")
    row = game.row()
    assert (row["end"], row["stuck"], row["winner"], row["won"]) == ("turn_cap", "threshold", winner, won)


def test_a_lone_read_time_keeps_the_turn_until_the_cap(booklet):
    game = ReferenceGame.from_position({**booklet, "max_rounds": 5}, {"hands": [{"read_time": 1}, {}]}, seats=2)
    while game.decision is not None:
        assert game.seat == 0
        choose(game, "play", "read_time")
    row = game.row()
    assert (row["end"], row["stuck"], row["turns"], row["decisions"]) == ("turn_cap", "lone_turn", 10, 10)


def test_the_leader_stays_while_no_seat_has_more(booklet):
    position = {"hands": [{"mug": 1}, {"mug": 1}, {"poster": 2}, {}], "turn": 5}
    game = ReferenceGame.from_position(booklet, position, seats=4)
    choose(game, "table", "mug")
    choose(game, "table", "mug")
    assert (game.leader, game.lead_changes) == (0, 0)
    choose(game, "table", "poster")
    assert (game.leader, game.lead_changes) == (2, 1)
