"""The kit that every strategy must pass, ours or another's.

    >>> from rsc_sim.conformance import check_strategy
    >>> from rsc_sim.strategy import resolve
    >>> check_strategy(resolve("random").bind(), games=14).passed
    True

`check_strategy` takes a strategy of any kind, native, Python, batched or weights. It plays the strategy against itself
and against random players at 2 to 8 seats, by the booklet and by rules at the edge of what a ruleset may say, and looks
whether

- every answer is the index of a legal move,
- hidden cards never matter: dealt anew, they leave the answer as it was,
- the same question gets the same answer,
- a game depends on its deal alone, and not on the games before it,
- seat numbers do not matter: with all seats moved on, so is the answer. A strategy that draws random numbers draws
  others in another seat, so it is not held to this one.

How well it plays is not asked. A strategy that corrupts memory or never returns takes the process with it.
"""

from __future__ import annotations

import pickle
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from rsc_sim.engine import CompiledRules, Game, Move, play_blocks
from rsc_sim.ruleset import MAX_SEATS, MIN_SEATS, Ruleset
from rsc_sim.strategy import Strategy, resolve

__all__ = ["Conformance", "Finding", "check_strategy", "odd_rules"]

GAMES = 210
RESHUFFLES = 2
LOOKED_AT = 24  # decisions of a game that are asked about again, most of them early: games are long

_PER_SEAT = ("hands", "hands_off", "tabled", "protected", "merch", "missed", "draws")
_SEATS = ("seat_up", "first_seat", "read_holder")


@dataclass(frozen=True)
class Finding:
    """Hold what came of one check: passed, failed, or None where it was not held."""

    check: str
    passed: bool | None
    n: int
    unit: str
    detail: str = ""


@dataclass(frozen=True)
class Conformance:
    """Hold what came of all checks, and how often each kind of decision was put to the strategy."""

    findings: tuple[Finding, ...]
    games: int
    decisions: dict[str, int] = field(default_factory=dict)
    decisions_per_second: float = field(default=0.0, compare=False)
    """With the strategy in all of four seats, on one processor, the engine's time included; 0 where not measured."""

    @property
    def passed(self) -> bool:
        """Tell whether no check failed."""
        return all(finding.passed is not False for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data."""
        return {"passed": self.passed, **asdict(self)}


def odd_rules() -> dict[str, Ruleset]:
    """Give the rules that strategies are checked by: the booklet's, and what a designer might try at the edges."""
    booklet = Ruleset.booklet()
    merch = [kind for kind, card in booklet.cards.items() if card.type == "merch"]
    changes: dict[str, dict[str, Any]] = {
        "booklet": {},
        "other readings": {
            "recycle_discard": False,
            "available_from": ["discard"],
            "find_from": ["discard", "pickup"],
            "lowest_means": "tabled",
            "redraw_after_read": True,
            "replace_dealt_read": True,
            "skips_stack": False,
            "unfinished": "score",
        },
        "forced escape at $50": {"escape": "forced", "escape_when": ["after_put_down"], "escape_threshold": 50},
        "optional escape at $0": {"escape_threshold": 0, "read_points": 0},
        "hands of one, three drawn": {"hand_size": 1, "normal_draw": 3},
        "nothing drawn": {"normal_draw": 0, "max_rounds": 30},
        "no Merch": {f"cards.{kind}.copies": 0 for kind in merch},
        "all Merch worth the same": {f"cards.{kind}.value": 10 for kind in merch},
        "reactions to reactions": {
            "cards.covered.cancels": ["read", "merch", "protect", "hand", "turn", "reaction"],
            "cards.covered.copies": 20,
        },
        "free tables": {
            "cards.energy_drink.count": 9,
            "cards.energy_drink.copies": 15,
            "cards.fan_of_month.copies": 15,
        },
    }
    return {name: booklet.override({"name": name, **change}) for name, change in changes.items()}


def check_strategy(strategy: object, *, games: int | None = None, seed: int = 1) -> Conformance:
    """Put a strategy through all checks; `games` of some hundred decisions are played for the first three.

    It is what `resolve` gives, or what a native one's `bind` returns; of the latter it cannot be told whether it
    travels. A failed check names where it first failed. One that could not be held after an illegal answer has
    `passed` None.
    """
    games = GAMES if games is None else games
    bound = strategy.bind() if isinstance(strategy, Strategy) else strategy
    kit = _Kit(bound, seed)
    kit.play(games)
    speed = 0.0
    if kit.illegal is None:
        kit.move_seats_on(games // 3)
        # A batched strategy plays each deal among hundreds of others.
        batched = isinstance(strategy, Strategy) and strategy.kind == "batched"
        kit.play_in_another_order(4 * games if not batched else 60)
        speed = _speed(bound)
    findings = [*kit.findings(), *([_travels(strategy)] if isinstance(strategy, Strategy) else [])]
    return Conformance(tuple(findings), games, dict(kit.asked), speed)


def _travels(strategy: Strategy) -> Finding:
    """Say whether a strategy can be sent to another process, and bound there."""
    detail = ""
    try:
        pickle.loads(pickle.dumps(strategy.portable())).bind()
    except Exception as error:
        detail = str(error)
    return Finding("it can be sent to another process", not detail, 1, "journey", detail)


def _speed(bound: object) -> float:
    """Measure decisions a second with the strategy in all of four seats: the best of three short runs."""
    rules = CompiledRules(Ruleset.booklet().to_dict(), seats=4)
    best, n_blocks = 0.0, 4
    for _ in range(3):
        start = time.process_time()
        rows = play_blocks(rules, [bound] * 4, seed=1, first_block=0, n_blocks=n_blocks, strategy_ids=[0] * 4)
        seconds = time.process_time() - start
        best = max(best, int(rows["decisions"].sum()) / max(seconds, 1e-6))
        n_blocks = 512 if seconds < 0.1 else n_blocks
    return best


class _Kit:
    """What the checks have found so far."""

    def __init__(self, strategy: object, seed: int) -> None:
        self.strategy = strategy
        self.seed = seed
        self.rules = odd_rules()
        self.random = resolve("random").bind()
        self.asked: Counter[str] = Counter()
        self.n_reshuffled = self.n_repeated = self.n_moved_on = self.n_replayed = 0
        self.illegal: str | None = None
        self.leak: str | None = None
        self.second_answer: str | None = None
        self.by_seat: str | None = None
        self.by_order: str | None = None
        self.draws = False

    def table(self, number: int) -> tuple[str, CompiledRules]:
        """Give the rules of a game, every other time the booklet's, for 2 to 8 seats in turn."""
        names = list(self.rules)
        name = names[0] if number % 2 == 0 else names[1 + number // 2 % (len(names) - 1)]
        seats = MIN_SEATS + number // 2 % (MAX_SEATS - MIN_SEATS + 1)
        return f"{name}, {seats} seats, game {number}", CompiledRules(self.rules[name].to_dict(), seats=seats)

    def play(self, games: int) -> None:
        """Play whole games; ask about some decisions again, with hidden cards as they are and with others."""
        for number in range(games):
            rng = random.Random(f"{self.seed} {number}")
            where, rules = self.table(number)
            game = Game(rules, seed=self.seed, block=number)
            alone = number % 4 < 2
            mine = 0
            while game.decision is not None:
                if not (alone or game.seat % 2 == number // 4 % 2):
                    game.apply(game.choose(self.random))
                    continue
                self.asked[game.decision] += 1
                mine += 1
                look = rng.random() < LOOKED_AT / 2 / max(mine, LOOKED_AT / 2)
                copies = [game.copy() for _ in range(1 + RESHUFFLES)] if look else []
                here = f"{where}, turn {game.turn}, seat {game.seat}, {game.decision}"
                try:
                    choice = game.choose(self.strategy)
                    if copies:
                        self.ask_again(game, choice, copies, rng, here)
                except Exception as error:
                    self.illegal = f"{here}: {type(error).__name__}: {error}"
                    return
                game.apply(choice)

    def ask_again(self, game: Game, choice: int, copies: list[Game], rng: random.Random, where: str) -> None:
        """Ask copies of a decision: the first as it is, the others with hidden cards dealt anew."""
        moves = game.moves()
        again = copies[0].choose(self.strategy)
        self.n_repeated += 1
        if again != choice:
            self.second_answer = self.second_answer or f"{where}: {_words(moves[choice])}, then {_words(moves[again])}"
            return
        for copy in copies[1:]:
            copy.reshuffle_hidden(rng.getrandbits(32))
            other = copy.choose(self.strategy)
            self.n_reshuffled += 1
            if other != choice:
                self.leak = self.leak or (
                    f"{where}: {_words(moves[choice])}, with other hidden cards {_words(moves[other])}"
                )

    def move_seats_on(self, games: int) -> None:
        """From a position in the middle, play on side by side with all seats moved on, and once with other streams.

        Where other streams change an answer, the strategy draws random numbers.
        """
        for number in range(games):
            rng = random.Random(f"{self.seed} {number} seats")
            where, rules = self.table(number)
            game = Game(rules, seed=self.seed, block=number)
            begin = rng.randrange(60)
            while game.decision is not None and not (game.turn >= begin and game.decision == "put_down"):
                game.apply(game.choose(self.random))
            if game.decision is None:
                continue
            by = rng.randrange(1, rules.seats)
            state = game.state()
            here = Game.from_position(rules, state, seed=self.seed, block=number)
            there = Game.from_position(rules, _moved_on(state, by), seed=self.seed, block=number)
            twin: Game | None = Game.from_position(rules, state, seed=self.seed + 1, block=number)
            for step in range(400):
                if here.decision is None:
                    break
                moves = here.moves()
                choice, other = here.choose(self.strategy), there.moves()[there.choose(self.strategy)]
                if twin is not None and twin.state() != here.state():
                    twin = None  # chance took it elsewhere
                if twin is not None and twin.choose(self.strategy) != choice:
                    self.draws = True
                    return
                expected = _move_moved_on(moves[choice], by, rules.seats)
                self.n_moved_on += 1
                if other != expected and self.by_seat is None:
                    self.by_seat = (
                        f"{where}, turn {here.turn}, seat {here.seat}, {here.decision}: {_words(expected)} expected "
                        f"with all seats moved on by {by}, came {_words(other)}"
                    )
                # Half of the way with its own choices, half with others, so that it meets what it would not do.
                index = choice if step % 2 else rng.randrange(len(moves))
                there.apply(there.moves().index(_move_moved_on(moves[index], by, rules.seats)))
                if twin is not None:
                    twin.apply(index)
                here.apply(index)

    def play_in_another_order(self, blocks: int) -> None:
        """Play deals in one go, then one by one from the last to the first: each must come out the same."""
        for seats in (2, 4, 7):
            rules = CompiledRules(self.rules["booklet"].to_dict(), seats=seats)
            lineup = [self.strategy, self.random] * 4
            ids = ([0, 1] * 4)[:seats]

            def play(first: int, n: int, rules: Any = rules, lineup: Any = lineup[:seats], ids: Any = ids) -> Any:
                return play_blocks(rules, lineup, seed=self.seed, first_block=first, n_blocks=n, strategy_ids=ids)

            n = blocks // 3 // len(play(0, 1))
            whole = play(0, n)["trace"].reshape(n, -1)
            for block in reversed(range(n)):
                self.n_replayed += whole.shape[1]
                if (play(block, 1)["trace"] != whole[block]).any():
                    self.by_order = self.by_order or f"booklet, {seats} seats, deal {block}"

    def findings(self) -> Iterator[Finding]:
        """Word what came of each check."""
        n = self.asked.total()
        yield Finding("every answer is a legal move", self.illegal is None, n, "decisions", self.illegal or "")
        reached = self.illegal is None

        def finding(check: str, failure: str | None, n: int, unit: str) -> Finding:
            if failure is None and not reached:
                return Finding(check, None, n, unit, "not held, for an answer was no legal move")
            return Finding(check, failure is None, n, unit, failure or "")

        yield finding("hidden cards never change an answer", self.leak, self.n_reshuffled, "deals anew")
        yield finding("the same question gets the same answer", self.second_answer, self.n_repeated, "decisions")
        yield finding("a game depends on its deal alone", self.by_order, self.n_replayed, "games")
        seats = finding("seat numbers do not matter", self.by_seat, self.n_moved_on, "decisions")
        if self.draws:
            seats = Finding(seats.check, None, 0, seats.unit, "not held, for it draws random numbers")
        yield seats


def _moved_on(state: dict[str, Any], by: int) -> dict[str, Any]:
    """Give the position in which seat s + by has what seat s has here."""
    n = len(state["hands"])
    per_seat = {key: [state[key][(seat - by) % n] for seat in range(n)] for key in _PER_SEAT}
    seats = {key: None if state[key] is None else (state[key] + by) % n for key in _SEATS}
    return state | per_seat | seats


def _move_moved_on(move: Move, by: int, seats: int) -> Move:
    return move if move.target is None else move._replace(target=(move.target + by) % seats)


def _words(move: Move) -> str:
    """Say a move in a few words, by the ids of its cards."""
    parts = [move.verb, move.kind]
    parts += ["against seat " + str(move.target)] if move.target is not None else []
    parts += [move.choice, move.own]
    return " ".join(part for part in parts if part is not None)
