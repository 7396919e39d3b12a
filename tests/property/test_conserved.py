"""No card is lost or gained: at every decision each kind's copies add up to the deck."""

import random

import pytest

from rsc_sim.engine import CompiledRules, Game
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategies import collector, uniform
from tests.reference.rulesets import random_ruleset

BOOKLET = Ruleset.booklet().to_dict()


def test_cards_are_conserved_at_every_decision() -> None:
    decisions = 0
    for number in range(100):
        rng = random.Random(number)
        rules, seats = random_ruleset(rng) if number % 3 else (BOOKLET, 2 + number % 7)
        strategies = [rng.choice([uniform, collector]).bind() for _ in range(seats)]
        game = Game(CompiledRules(rules, seats=seats), seed=9, block=number)
        while game.decision is not None:
            assert game.conserved, f"game {number}, turn {game.turn}"
            game.apply(game.choose(strategies[game.seat]))
            decisions += 1
        assert game.conserved
    assert decisions > 10_000


@pytest.mark.parametrize(
    "change",
    [
        {"discards": {"mug": 1}},
        {"hands": [{"mug": 6}, {}]},
        {"tabled": [{"mug": 1}, {}]},
        {"pile": ["mug"]},
        {"read_holder": 1},
        {"hands_off": [None, "mug"]},
    ],
)
def test_a_card_too_many_is_noticed(change: dict) -> None:
    compiled = CompiledRules(BOOKLET, seats=2)
    whole = Game(compiled, seed=1, block=0)
    while not (
        whole.decision == "put_down" and whole.seat == 0 and whole.turn > 40 and whole.state()["read_holder"] == 0
    ):
        whole.apply(whole.choose(uniform.bind()))
    position = whole.state()
    assert Game.from_position(compiled, position).conserved
    if "read_holder" in change:
        change = {"pile": [*position["pile"], "read"]}
    elif "pile" in change:
        change = {"pile": [*position["pile"], "mug"]}
    elif "discards" in change:
        change = {"discards": position["discards"] | {"mug": position["discards"].get("mug", 0) + 1}}
    elif "tabled" in change:
        table = position["tabled"][0] | {"mug": position["tabled"][0].get("mug", 0) + 1}
        change = {"tabled": [table, position["tabled"][1]]}
    elif "hands_off" in change:
        absent = next(kind for kind in BOOKLET["cards"] if kind not in position["hands"][1])
        change = {"hands_off": [None, absent]}
    assert not Game.from_position(compiled, position | change).conserved
