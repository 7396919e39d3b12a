"""Memory is true: what a seat remembers fits the hidden cards at every decision, whatever the rules.

And it is the same wherever a game is played: step by step, in a run, in any rotation.
"""

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rsc_sim.engine import CompiledRules, Game, play_blocks
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategies import uniform
from tests.reference.rulesets import random_ruleset, rulesets

BOOKLET = Ruleset.booklet().to_dict()
RANDOM = uniform.bind()


def untruth(game: Game) -> str | None:
    """Say what a seat remembers that is not so; None where all of it is."""
    state = game.state()
    for observer in range(len(state["hands"])):
        memory = game.memory(observer)
        for seat, seen in enumerate(memory["seen"]):
            if not Counter(seen) <= Counter({} if seat == observer else state["hands"][seat]):
                return f"seat {observer} has seen {seen} in the hand of seat {seat}: {state['hands'][seat]}"
        pile = Counter(state["pile"])
        if set(memory["pile_lacks"]) & set(pile):
            return f"seat {observer}: the pile lacks {memory['pile_lacks']}, and is {pile}"
        if memory["pile"] is None:
            if memory["pile_unseen"]:
                return f"seat {observer} counts what left a pile that it does not know"
        elif not pile <= Counter(memory["pile"]) or (
            sum(memory["pile"].values()) - memory["pile_unseen"] != pile.total()
        ):
            return f"seat {observer}: the pile is {memory['pile']} less {memory['pile_unseen']}, and is {pile}"
    return None


def walk(rules: dict[str, Any], seats: int, *, seed: int, block: int, met: Counter[str], greedy: bool = False) -> None:
    """Play a game at random, or always the last move, and hold every memory against the truth at every decision.

    Of a game that goes on and on only its first 400 decisions are looked at.
    """
    rng = random.Random(seed)
    iv = (rng.randrange(seats), rng.randint(1, 14), rng.choice(list(rules["cards"]))) if rng.random() < 0.5 else None
    game = Game(CompiledRules(rules, seats=seats), seed=seed, block=block, intervention=iv)
    for _ in range(400):
        if game.decision is None:
            break
        assert untruth(game) is None
        memory = game.memory(game.seat)
        met["decisions"] += 1
        met["seen"] += any(memory["seen"])
        met["pile"] += bool(memory["pile"])
        met["pile_unseen"] += memory["pile_unseen"] > 0
        met["pile_lacks"] += bool(memory["pile_lacks"])
        n = len(game.moves())
        game.apply(n - 1 if greedy else rng.randrange(n))


def test_memory_is_true_of_the_hidden_cards() -> None:
    met: Counter[str] = Counter()
    for number in range(56):
        rules, seats = (BOOKLET, 2 + number // 2 % 7) if number % 2 else random_ruleset(random.Random(number))
        walk(rules, seats, seed=number, block=number, met=met, greedy=number % 8 == 0)
    assert min(met[what] for what in ("seen", "pile", "pile_unseen", "pile_lacks")) > 200


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(rulesets(), st.integers(0, 2**64 - 1), st.integers(0, 2**32 - 1), st.booleans())
def test_memory_is_true_by_any_rules(pair: tuple[dict[str, Any], int], seed: int, block: int, greedy: bool) -> None:
    walk(*pair, seed=seed, block=block, met=Counter(), greedy=greedy)


def test_memory_stays_true_after_a_reshuffle() -> None:
    """The cards that are dealt anew fit what the asked seat remembers; what the others remembered is gone."""
    looked = 0
    for number in range(40):
        rules, seats = (BOOKLET, 2 + number // 2 % 7) if number % 2 else random_ruleset(random.Random(number))
        rng = random.Random(number)
        game = Game(CompiledRules(rules, seats=seats), seed=3, block=number)
        for decision in range(80):
            if game.decision is None:
                break
            if decision % 12 == 11:
                copy = game.copy()
                copy.reshuffle_hidden(decision)
                assert copy.memory(game.seat) == game.memory(game.seat)
                assert not any(any(copy.memory(seat)["seen"]) for seat in range(seats) if seat != game.seat)
                looked += any(game.memory(game.seat)["seen"])
                for _ in range(15):
                    assert untruth(copy) is None
                    assert copy.conserved
                    if copy.decision is not None:
                        copy.apply(rng.randrange(len(copy.moves())))
            game.apply(rng.randrange(len(game.moves())))
    assert looked > 10


def test_a_false_memory_is_told() -> None:
    """Else truth would be found because nothing is looked at: one seat's cards, held against another's memory."""
    game = Game(CompiledRules(BOOKLET, seats=4), seed=1, block=0)
    while not any(game.memory(game.seat)["seen"]):
        game.apply(game.choose(RANDOM))
    other = Game(CompiledRules(BOOKLET, seats=4), seed=2, block=9)
    state = other.state() | {"hands": [{}, {}, {}, {}]}
    lied_to = SimpleNamespace(state=lambda: state, memory=game.memory)
    assert "has seen" in str(untruth(lied_to))  # type: ignore[arg-type]


@pytest.mark.parametrize("names", ["mmmm", "mrmr", "mrrr", "rrmn"])
def test_a_run_remembers_as_a_game_does(example: SimpleNamespace, names: str) -> None:
    """Memory begins anew with each game and each rotation, and is shown to those only who asked for it."""
    of = {"m": example.mindful.bind(), "r": RANDOM, "n": example.mindful.bind(memory=False)}
    lineup = [of[name] for name in names]
    rules = CompiledRules(BOOKLET, seats=4)
    rows = play_blocks(
        rules, lineup, seed=5, first_block=7, n_blocks=12, strategy_ids=[names.index(name) for name in names]
    )
    for row in rows:
        game = Game(rules, seed=5, block=int(row["block"]))
        while game.decision is not None:
            name = names[(game.seat + row["rotation"]) % 4]
            index = game.choose(of[name])
            if name == "n":
                assert index == 0
            game.apply(index)
        assert game.row()["trace"] == row["trace"]


def test_memory_is_used(example: SimpleNamespace) -> None:
    """Else the comparison above would compare nothing: `mindful` decides by what it remembers."""
    mindful = example.mindful.bind()
    differed = 0
    for block in range(20):
        game = Game(CompiledRules(BOOKLET, seats=4), seed=5, block=block)
        while game.decision is not None:
            if game.decision == "put_down":
                fresh = Game.from_position(game.rules, game.state())
                if fresh.moves() == game.moves():
                    differed += fresh.choose(mindful) != game.choose(mindful)
            game.apply(game.choose(RANDOM))
    assert differed > 100
