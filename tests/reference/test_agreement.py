"""The compiled engine and the reference engine play the same streams and must agree: who is asked what, every legal
move in its order, what it remembers, the whole position, the trace, the row.

`walk` is the one comparison; the tests differ in which games they send through it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rsc_sim.engine import CompiledRules, Game
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategies import collector, uniform
from tests.reference.engine import ReferenceGame
from tests.reference.rulesets import random_ruleset, rulesets
from tests.reference.streams import STRATEGY, Stream

BOOKLET = Ruleset.booklet().to_dict()
RANDOM, COLLECTOR = uniform.bind(), collector.bind()
Chooser = Callable[[Game, int], int]


def random_player(seed: int, block: int, seats: int) -> Chooser:
    """Be the uniformly random player in every seat, from the reference's streams, and hold the compiled one to it."""
    streams = [Stream.keyed(seed, block, STRATEGY, seat) for seat in range(seats)]

    def choose(game: Game, n_moves: int) -> int:
        index = streams[game.seat].bounded(n_moves)
        assert game.choose(RANDOM) == index
        return index

    return choose


def collectors(game: Game, n_moves: int) -> int:
    return game.choose(COLLECTOR)


def last_move(game: Game, n_moves: int) -> int:
    """Always make the last move: plays before discards, stays, reacts and hardly ever ends a game."""
    return n_moves - 1


def walk(
    rules: dict[str, Any],
    *,
    seats: int,
    seed: int,
    block: int,
    choose: Chooser,
    intervention: tuple[int, int, str] | None = None,
    deal_order: list[str] | None = None,
    states: bool = True,
) -> dict[str, Any]:
    """Play one game on both engines and compare everything; return the row."""
    game = Game(
        CompiledRules(rules, seats=seats, deal_order=deal_order), seed=seed, block=block, intervention=intervention
    )
    reference = ReferenceGame(
        rules, seats=seats, seed=seed, block=block, deal_order=deal_order, intervention=intervention
    )
    while reference.decision is not None:
        where = f"seed {seed}, block {block}, turn {game.turn}, seat {game.seat}"
        assert (game.decision, game.seat) == (reference.decision, reference.seat), where
        moves = reference.moves()
        assert game.moves() == moves, where
        assert game.memory(game.seat) == reference.memory(game.seat), where
        if states:
            assert all(game.memory(seat) == reference.memory(seat) for seat in range(seats)), where
            assert game.state() == reference.state(), where
            assert game.conserved, where
        index = choose(game, len(moves))
        game.apply(index)
        reference.apply(index)
    assert game.decision is None
    assert game.state() == reference.state()
    row = game.row()
    expected = reference.row()
    expected["won"] = [np.float32(share) for share in expected["won"]]
    assert row == expected
    return row


def some_intervention(rng: random.Random, rules: dict[str, Any], seats: int) -> tuple[int, int, str] | None:
    if rng.random() < 0.5:
        return None
    return rng.randrange(seats), rng.randint(1, rules["hand_size"] + 8), rng.choice(list(rules["cards"]))


def random_game(number: int, *, states: bool) -> dict[str, Any]:
    """Walk through the number-th game of a fixed, endless list of random rulesets, seats, interventions and players."""
    rng = random.Random(number)
    rules, seats = random_ruleset(rng)
    order = [kind for kind, card in rules["cards"].items() for _ in range(card["copies"])]
    if rng.random() < 0.5:
        rng.shuffle(order)
    seed = rng.getrandbits(64)
    choose = rng.choice([random_player(seed, number, seats), random_player(seed, number, seats), collectors, last_move])
    return walk(
        rules,
        seats=seats,
        seed=seed,
        block=number,
        choose=choose,
        intervention=some_intervention(rng, rules, seats),
        deal_order=order,
        states=states,
    )


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("player", ["random", "collector"])
def test_booklet_games_agree(seats: int, player: str) -> None:
    for block in range(12):
        choose = random_player(7, block, seats) if player == "random" else collectors
        walk(BOOKLET, seats=seats, seed=7, block=block, choose=choose, states=block < 3)


def test_random_rulesets_agree() -> None:
    ends, stuck, outcomes = set(), set(), set()
    for number in range(420):
        row = random_game(number, states=number % 4 == 0)
        ends.add(row["end"])
        stuck.add(row["stuck"])
        outcomes.add(row["iv"])
    assert ends == {"escape", "turn_cap", "deadlock"}
    assert stuck >= {"no", "threshold", "tickets", "stalled"}
    assert outcomes == {None, "swapped", "same", "none_left", "not_reached"}


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(rulesets(), st.integers(0, 2**64 - 1), st.integers(0, 2**32 - 1))
def test_any_valid_ruleset_agrees(pair: tuple[dict[str, Any], int], seed: int, block: int) -> None:
    rules, seats = pair
    walk(rules, seats=seats, seed=seed, block=block, choose=random_player(seed, block, seats))


def test_lone_turn_agrees() -> None:
    """A pick-up pile of one lone Read Time is drawn, played and drawn again without end."""
    rules = Ruleset.booklet().override({"hand_size": 0, "max_rounds": 20}).to_dict()
    for kind, card in rules["cards"].items():
        card["copies"] = {"read": 1, "read_time": 1}.get(kind, 0)
    rows = [walk(rules, seats=2, seed=1, block=block, choose=last_move) for block in range(4)]
    assert {row["stuck"] for row in rows} == {"lone_turn"}


@pytest.mark.slow
def test_twenty_thousand_games_agree() -> None:
    for number in range(1000, 18_000):
        random_game(number, states=number % 20 == 0)
    for block in range(100, 3_100):
        seats = 2 + block % 7
        choose = collectors if block % 3 == 0 else random_player(3, block, seats)
        walk(BOOKLET, seats=seats, seed=3, block=block, choose=choose, states=block % 20 == 0)
