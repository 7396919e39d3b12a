"""Hidden means hidden: what a seat cannot see never changes what it is asked, what it may do, or what it does.

At each decision the other hands and the pick-up pile are dealt anew, with the public table, the own hand and all random
streams as they are; every strategy must make the same choice. A cheater that reads beyond what it is shown must be
caught by the same check.
"""

import random
from types import SimpleNamespace
from typing import Any

import pytest

from rsc_sim.engine import CompiledRules, Game
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategies import BUILT_IN, uniform
from rsc_sim.strategy import resolve
from tests.reference.rulesets import random_ruleset
from tests.strategy import asked, scored

BOOKLET = Ruleset.booklet().to_dict()
RANDOM = uniform.bind()
RESHUFFLES = 3


def bound(name: str) -> Any:
    return resolve("search(playouts=12)" if name == "search" else name).bind()


def some_rules(number: int) -> tuple[dict[str, Any], int]:
    """Give the booklet's rules for each number of seats in turn, and between them random rulesets."""
    return (BOOKLET, 2 + number // 2 % 7) if number % 2 == 0 else random_ruleset(random.Random(number))


def first_leak(strategy: Any, *, games: int, checked_decisions: int = 30) -> str | None:
    """Say where something hidden first changed a choice; None where it nowhere did.

    The strategy plays against itself and, in every other game, against random players. Of a game about
    `checked_decisions` decisions are looked at.
    """
    for number in range(games):
        rng = random.Random(-1 - number)
        rules, seats = some_rules(number)
        game = Game(CompiledRules(rules, seats=seats), seed=4, block=number)
        alone = number % 4 < 2
        share = 1.0
        for decision in range(10_000):
            if game.decision is None:
                break
            where = f"game {number}, turn {game.turn}, seat {game.seat}, {game.decision}"
            # All of the first decisions, fewer and fewer later on: games are long.
            share = min(1.0, checked_decisions / 2 / (decision + 1))
            copies = [game.copy() for _ in range(RESHUFFLES if rng.random() < share else 0)]
            mine = alone or game.seat % 2 == 0
            choice = game.choose(strategy if mine else RANDOM)
            for copy in copies:
                copy.reshuffle_hidden(rng.getrandbits(32))
                if copy.moves() != game.moves():
                    return f"{where}: other moves"
                other = copy.choose(strategy)
                if mine and other != choice:
                    return f"{where}: {game.moves()[choice]}, with other hidden cards {game.moves()[other]}"
            game.apply(choice)
    return None


@pytest.mark.parametrize("name", BUILT_IN)
def test_hidden_cards_never_change_a_choice(name: str) -> None:
    assert first_leak(bound(name), games=28 if name == "search" else 56) is None


@pytest.mark.parametrize("function", [asked.linear, asked.greedy, scored.linear], ids=["linear", "greedy", "batched"])
def test_hidden_cards_never_change_a_choice_in_python(function: Any) -> None:
    assert first_leak(resolve(function).bind(), games=28) is None


def test_an_outside_strategy_is_held_to_it(example: SimpleNamespace) -> None:
    assert first_leak(example.patient.bind(min_table=100), games=28) is None


def test_what_a_seat_remembers_is_its_own(example: SimpleNamespace) -> None:
    """A strategy that goes by all that it remembers is not moved by cards that it could not have seen."""
    assert first_leak(example.mindful.bind(), games=56) is None


def test_a_mind_reader_is_caught(example: SimpleNamespace) -> None:
    """What the other seats remember is as hidden as their hands."""
    leak = first_leak(example.faulty.mind_reader(), games=20)
    assert leak is not None
    assert "with other hidden cards" in leak


def test_a_cheater_is_caught(example: SimpleNamespace) -> None:
    leak = first_leak(example.faulty.cheater(), games=2)
    assert leak is not None
    assert "with other hidden cards" in leak


def public_part(game: Game) -> dict[str, Any]:
    """Give what the asked seat sees of a position."""
    state = game.state()
    seat = game.seat
    hidden = {
        "hands": [sum(hand.values()) for hand in state["hands"]],
        "hands_off": [kind is not None for kind in state["hands_off"]],
        "pile": len(state["pile"]),
    }
    own = {"memory": game.memory(seat), "hand": state["hands"][seat], "own_hands_off": state["hands_off"][seat]}
    return state | hidden | own


def test_a_reshuffle_changes_what_is_hidden_and_nothing_else() -> None:
    decisions = hands = piles = remembering = 0
    takes = 0
    for number in range(70):
        rules, seats = some_rules(number)
        game = Game(CompiledRules(rules, seats=seats), seed=6, block=number)
        for step in range(60):
            if game.decision is None:
                break
            before, seen = game.state(), public_part(game)
            copy = game.copy()
            assert copy.state() == before
            copy.reshuffle_hidden(step)
            after = copy.state()
            assert copy.conserved
            assert public_part(copy) == seen
            assert game.state() == before, "a copy is independent"
            decisions += 1
            remembering += any(seen["memory"]["seen"]) and seen["memory"]["pile"] is not None
            hands += after["hands"] != before["hands"]
            piles += after["pile"] != before["pile"]
            if game.decision == "take" and "pickup" in rules["available_from"]:
                takes += 1
                assert sorted(after["pile"]) == sorted(before["pile"]), "it is looking through the pile"
            game.apply(game.choose(RANDOM))
    # The rest are positions in which hardly anything is hidden: no pile, no cards in other hands, one kind of card.
    assert decisions > 3000
    assert hands > 0.75 * decisions
    assert piles > 0.6 * decisions
    assert takes > 20
    assert remembering > 20


def test_a_copy_goes_on_as_the_game_does() -> None:
    """Else a choice could differ for another reason than hidden cards: the streams' positions are part of a copy."""
    for number in range(20):
        rules, seats = some_rules(number)
        game = Game(CompiledRules(rules, seats=seats), seed=8, block=number)
        while game.decision is not None and game.turn < 15:
            game.apply(game.choose(RANDOM))
        copy = game.copy()
        while game.decision is not None:
            index = game.choose(RANDOM)
            assert copy.choose(RANDOM) == index
            game.apply(index)
            copy.apply(index)
        assert copy.row() == game.row()
