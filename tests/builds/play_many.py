"""Plays many games of random rulesets and of rulesets at the limits, and prints what came of them as one line of JSON.

`python -m tests.builds.play_many GAMES [MODULE]…` plays strategies of ours and those of further modules. It uses
whatever build it finds first, so that one program serves all builds. Two builds that print the same digest for the same
arguments have played the same games to the byte.
"""

import hashlib
import importlib
import json
import random
import sys
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import rsc_sim
from rsc_sim.engine import CHECKED, CompiledRules, Game, Tallies, play_blocks
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategies import collector, search, uniform
from tests.reference.rulesets import random_ruleset

BLOCKS = 4  # a ruleset, and for each block as many games as the lineup has rotations
STRATEGIES = [uniform.bind(), collector.bind()]
SEARCH = search.bind(playouts=4, turns=2)
SEARCHED = 8  # of so many rulesets one seats a search, in one of its seats
SEARCHED_ROUNDS = 60


def at_the_limits() -> Iterator[tuple[dict[str, Any], int]]:
    """Yield rulesets at the ends of what `Ruleset` allows, checked by it, each with a number of seats."""
    booklet = Ruleset.booklet().to_dict()
    figures = {key: value for key, value in booklet.items() if key != "cards"}

    def checked(cards: dict[str, Any], **changes: Any) -> dict[str, Any]:
        return Ruleset.from_dict({**figures, **changes, "cards": deepcopy(cards)}).to_dict()

    # 64 kinds, 16 of them Merch, 255 cards: three Actions of each primitive and as many reactions as there is room for.
    merch = {f"merch_{i}": {"name": "M", "type": "merch", "value": 10 * i, "copies": 4} for i in range(16)}
    actions = [card for card in booklet["cards"].values() if card["type"] == "action"]
    crowd = {"read": booklet["cards"]["read"], "ticket": {"name": "T", "type": "ticket", "copies": 5}, **merch}
    everything = ["read", "merch", "protect", "hand", "turn", "reaction"]
    for i in range(40):
        crowd[f"action_{i}"] = {**actions[i % len(actions)], "copies": 4}
        if "kind" in crowd[f"action_{i}"]:
            crowd[f"action_{i}"]["kind"] = "merch_15"
    for i in range(6):
        crowd[f"reaction_{i}"] = {"name": "R", "type": "reaction", "copies": 4, "cancels": everything}
    crowd["merch_0"]["copies"] += 255 - sum(card["copies"] for card in crowd.values())
    full = checked(crowd)
    assert (len(full["cards"]), sum(card["copies"] for card in full["cards"].values())) == (64, 255)
    for seats in range(2, 9):
        yield full, seats
        yield checked(crowd, hand_size=255 // seats, normal_draw=255, opening_draw=255, max_rounds=8000), seats
        yield checked(crowd, hand_size=254 // seats, replace_dealt_read=True, redraw_after_read=True), seats

    # One kind with 200 copies and more, of each sort: a hand, a pile and a table count to 255.
    for kind, changes in (
        ("merch", {"value": 1_000_000}),
        ("draw", {"primitive": "draw", "count": 255, "family": None}),
        ("table_more", {"primitive": "table_more", "count": 255, "family": None}),
        ("protect_merch", {"primitive": "protect_merch", "family": None}),
        ("protect_hand", {"primitive": "protect_hand", "family": None}),
        ("extra_turn", {"primitive": "extra_turn", "family": None}),
        ("skip_turn", {"primitive": "skip_turn", "family": None}),
        ("take_merch", {"primitive": "take_merch", "max_value": 1_000_000, "family": None}),
        ("steal_highest_merch", {"primitive": "steal_highest_merch", "family": "merch"}),
        ("steal_hand", {"primitive": "steal_hand", "family": "hand"}),
        ("discard_hand", {"primitive": "discard_hand", "family": "hand"}),
        ("reaction", {"cancels": everything}),
        ("ticket", {}),
    ):
        type_ = kind if kind in ("merch", "reaction", "ticket") else "action"
        cards = {"read": booklet["cards"]["read"], "many": {"name": "Many", "type": type_, "copies": 220, **changes}}
        cards["dear"] = {"name": "Dear", "type": "merch", "copies": 13, "value": 1_000_000}
        cards["theft"] = {**actions[13], "primitive": "steal_highest_merch", "family": "merch", "copies": 21}
        cards["theft"].pop("max_value", None)
        for seats in (2, 8):
            for hand_size in (0, 255 // seats):
                yield (
                    checked(
                        cards,
                        hand_size=hand_size,
                        read_points=1_000_000_000,
                        escape_threshold=1_000_000_000,
                        max_rounds=300,
                    ),
                    seats,
                )


def play(games: int) -> dict[str, Any]:
    digest, played, seats_met, ends = hashlib.sha256(), 0, set(), set()
    limits = list(at_the_limits())
    number = searched = 0
    while played < games or number < len(limits):
        rng = random.Random(number)
        rules, seats = limits[number] if number < len(limits) else random_ruleset(rng)
        strategies = [*STRATEGIES, SEARCH]
        ids = [rng.randrange(len(STRATEGIES)) for _ in range(seats)]
        if rng.randrange(SEARCHED) == 0:
            ids[rng.randrange(seats)] = len(STRATEGIES)
            rules = {**rules, "max_rounds": min(rules["max_rounds"], SEARCHED_ROUNDS)}
            searched += 1
        intervention = None
        if rng.random() < 0.5:
            intervention = (
                rng.randrange(seats),
                rng.randint(1, rules["hand_size"] + 8),
                rng.choice(list(rules["cards"])),
            )
        compiled, first_block = CompiledRules(rules, seats=seats), rng.getrandbits(31)
        tallies = Tallies(
            compiled,
            n_strategies=len(strategies),
            batch_blocks=rng.randint(1, 5),
            first_block=first_block,
            n_blocks=BLOCKS,
        )
        rows = play_blocks(
            compiled,
            [strategies[i] for i in ids],
            seed=rng.getrandbits(64),
            first_block=first_block,
            n_blocks=BLOCKS,
            strategy_ids=ids,
            intervention=intervention,
            tallies=tallies,
        )
        for outcome in (rows, tallies.cards, tallies.windows):
            digest.update(outcome.tobytes())
        played += len(rows)
        seats_met.add(seats)
        ends |= set(rows["end"].tolist())
        number += 1
    return {
        "engine": rsc_sim.__file__,
        "checked": CHECKED,
        "games": played,
        "rulesets": number,
        "searched": searched,
        "seats": sorted(seats_met),
        "ends": sorted(ends),
        "stepped": step(number // 20),
        "digest": digest.hexdigest(),
    }


def step(games: int) -> int:
    """Play games a step at a time through `Game`, copying, reshuffling and reading on the way; return the decisions."""
    decisions = 0
    for number in range(games):
        rng = random.Random(-1 - number)
        rules, seats = random_ruleset(rng)
        compiled = CompiledRules(rules, seats=seats)
        game = Game(compiled, seed=1, block=number)
        last = rng.random() < 0.5  # the last move plays and reacts, so games are long and full of incident
        while game.decision is not None:
            moves = game.moves()
            if decisions % 16 == 0:
                other = game.copy()
                other.reshuffle_hidden(decisions)
                assert other.conserved
                assert other.moves() == moves
                other.choose(STRATEGIES[-1])
                other.choose(SEARCH)
                other.apply(len(moves) - 1)
                Game.from_position(compiled, game.state()).choose(
                    STRATEGIES[0]
                ) if game.decision == "put_down" else None
            game.apply(len(moves) - 1 if last else rng.randrange(len(moves)))
            decisions += 1
        game.row(), game.events
    return decisions


if __name__ == "__main__":
    STRATEGIES += [importlib.import_module(name).bind() for name in sys.argv[2:]]
    print(json.dumps(play(int(sys.argv[1]))))
