"""A table to play the rule tests on, the same one for both engines.

`Table` wraps a game in progress so that a test reads like a rule: `table.play("mine_now", target=2)`,
`assert table.tabled(0) == "vinyl"`. Cards are written as kind ids in one string, a copy a word and in file order:
"mug mug vinyl". After each move the table counts its cards; that both engines agree move by move is tested elsewhere.

`lay` (a fixture of conftest.py) makes a table from a position, `deal` one from a shuffled deck.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from rsc_sim.engine import CompiledRules, Game
from rsc_sim.ruleset import Ruleset
from tests.reference.engine import ReferenceGame

__all__ = ["BOOKLET", "FILLER", "Cards", "Table", "action", "card", "deal_on", "kinds_of", "lay_on", "merch", "ruleset"]

BOOKLET = Ruleset.booklet().to_dict()

FILLER = "read_time"
"""What the pick-up pile holds unless a test says otherwise: no Merch, no reaction, and whoever draws one has a move."""

Cards = str
"""Kind ids with blanks between, a copy a word."""


def kinds_of(card_type: str) -> list[str]:
    """List the booklet's kinds of that type."""
    return [kind for kind, entry in BOOKLET["cards"].items() if entry["type"] == card_type]


# Rulesets


def merch(value: int, copies: int = 5) -> dict[str, Any]:
    """Describe a Merch kind of one's own."""
    return {"name": "Own Merch", "type": "merch", "copies": copies, "value": value, "assumed": []}


def action(primitive: str, *, copies: int = 2, **figures: Any) -> dict[str, Any]:
    """Describe an Action of one's own, made of a known primitive."""
    return {"name": "Own card", "type": "action", "copies": copies, "primitive": primitive, "assumed": []} | figures


def card(card_type: str, *, copies: int = 2, **figures: Any) -> dict[str, Any]:
    """Describe any other card of one's own."""
    return {"name": "Own card", "type": card_type, "copies": copies, "assumed": []} | figures


def ruleset(
    *,
    cards: Mapping[str, Mapping[str, Any]] | None = None,
    listed_first: Iterable[str] = (),
    deck: Cards | None = None,
    **switches: Any,
) -> dict[str, Any]:
    """Edit the booklet: figures of known cards, whole new cards at the file's end, `deck` for exactly these copies.

    Kinds `listed_first` move to the top of the file, in that order.
    """
    if not (cards or listed_first or switches) and deck is None:
        return BOOKLET
    entries = {kind: dict(entry) for kind, entry in BOOKLET["cards"].items()}
    for kind, figures in (cards or {}).items():
        entries[kind] = entries.get(kind, {}) | dict(figures)
    if deck is not None:
        copies = Counter(deck.split())
        assert set(copies) <= set(entries)
        for kind, entry in entries.items():
            entry["copies"] = copies[kind]
    order = [*listed_first, *(kind for kind in entries if kind not in listed_first)]
    return _checked(json.dumps(BOOKLET | switches | {"cards": {kind: entries[kind] for kind in order}}))


@cache
def _checked(data: str) -> dict[str, Any]:
    return Ruleset.from_dict(json.loads(data)).to_dict()


# Tables


class Table:
    """A game in progress. `rules` is the plain ruleset, `game` either engine's game."""

    def __init__(self, game: Any, rules: dict[str, Any], seats: int):
        self.game, self.rules, self.seats = game, rules, seats
        self._file_index = {kind: index for index, kind in enumerate(rules["cards"])}
        self._playing: str | None = None
        self._deck = self._cards_everywhere()

    # What is asked

    @property
    def decision(self) -> str | None:
        """Return what is asked, None once the game is over."""
        return self.game.decision

    @property
    def asked(self) -> tuple[str | None, int | None]:
        """Return what is asked and whom; nothing and nobody once the game is over."""
        return (None, None) if self.over else (self.game.decision, self.game.seat)

    @property
    def over(self) -> bool:
        return self.game.decision is None

    def moves(self) -> list[tuple[Any, ...]]:
        """List the legal moves in order, without the parts that they do not have."""
        return [tuple(part for part in move if part is not None) for move in self.game.moves()]

    def options(self, verb: str) -> list[Any]:
        """List the kinds that the moves of this verb name, in order."""
        return [move.kind for move in self.game.moves() if move.verb == verb]

    def plays(self, kind: str) -> list[tuple[Any, ...]]:
        """List the ways to play this kind: target, choice, own, as far as they apply."""
        ways = [move[2:] for move in self.game.moves() if move.verb == "play" and move.kind == kind]
        return [tuple(part for part in way if part is not None) for way in ways]

    def can_play(self, kind: str) -> bool:
        assert self.decision == "put_down"
        assert kind in self.hand(self.game.seat).split(), f"{kind} is not even in the hand"
        return bool(self.plays(kind))

    # Moves

    def play(self, kind: str, *, target: int | None = None, choice: str | None = None, own: str | None = None) -> Table:
        return self._move("play", kind, target, choice, own)

    def discard(self, kind: str) -> Table:
        return self._move("discard", kind)

    def table(self, kind: str) -> Table:
        return self._move("table", kind)

    def take(self, kind: str) -> Table:
        return self._move("take", kind)

    def react(self, kind: str) -> Table:
        return self._move("react", kind)

    def let_it_pass(self) -> Table:
        return self._move("pass")

    def stop(self) -> Table:
        return self._move("stop")

    def escape(self) -> Table:
        return self._move("escape")

    def stay(self) -> Table:
        return self._move("stay")

    def _move(self, *parts: Any) -> Table:
        wanted = parts + (None,) * (5 - len(parts))
        moves = [tuple(move) for move in self.game.moves()]
        assert moves.count(wanted) == 1, f"{wanted} is no move of {self.asked}: {self.moves()}"
        return self.make(moves.index(wanted))

    def make(self, index: int) -> Table:
        """Make the move of that index, and see to it that no card is lost or made."""
        move = self.game.moves()[index]
        if move.verb == "play":
            self._playing = move.kind
        self.game.apply(index)
        in_play = Counter[str]()
        if self.decision in ("react", "take", "table_more"):
            in_play[self._playing] = 1
        assert self._cards_everywhere() + in_play == self._deck, "copies are not conserved"
        return self

    def play_out(self, seed: int = 0) -> Table:
        """Go on at random until the game is over."""
        rng = random.Random(seed)
        while not self.over:
            self.make(rng.randrange(len(self.moves())))
        return self

    # What lies where

    @property
    def state(self) -> dict[str, Any]:
        return self.game.state()

    def hand(self, seat: int) -> Cards:
        return self._words(self.state["hands"][seat])

    def tabled(self, seat: int) -> Cards:
        return self._words(self.state["tabled"][seat])

    def protected(self, seat: int) -> Cards:
        """Return the Merch copies with a Merch Protect beneath."""
        return self._words(self.state["protected"][seat])

    def merch(self, seat: int) -> int:
        return self.state["merch"][seat]

    def hands_off(self, seat: int) -> str | None:
        return self.state["hands_off"][seat]

    def missed(self, seat: int) -> int:
        return self.state["missed"][seat]

    def belongings(self, seat: int) -> tuple[Any, ...]:
        """Return all that an attack on the seat could change."""
        holds_read = self.read_holder == seat
        return self.hand(seat), self.tabled(seat), self.protected(seat), self.missed(seat), holds_read

    @property
    def discards(self) -> Cards:
        return self._words(self.state["discards"])

    @property
    def pile(self) -> Cards:
        """Return the pick-up pile, front first."""
        return " ".join(self.state["pile"])

    def seen(self, observer: int, seat: int) -> Cards:
        """Return what the observer knows to be in the seat's hand."""
        return self._words(self.game.memory(observer)["seen"][seat])

    def remembered_pile(self, observer: int) -> tuple[Cards, int] | None:
        """Return the pile as the observer remembers it, and how many more have left it unseen; None if not known."""
        memory = self.game.memory(observer)
        return None if memory["pile"] is None else (self._words(memory["pile"]), memory["pile_unseen"])

    def pile_lacks(self, observer: int) -> Cards:
        """Return the kinds of which the observer knows that the pick-up pile holds none."""
        return " ".join(self.game.memory(observer)["pile_lacks"])

    @property
    def read_holder(self) -> int | None:
        return self.state["read_holder"]

    @property
    def turn(self) -> int:
        return self.state["turn"]

    def row(self) -> dict[str, Any]:
        """Return the outcome's columns."""
        row: dict[str, Any] = self.game.row()
        return row

    def outcome(self, *columns: str) -> Any:
        """Return those columns of the outcome; the one itself if there is but one."""
        row = self.row()
        return row[columns[0]] if len(columns) == 1 else tuple(row[column] for column in columns)

    def _words(self, cards: Mapping[str, int]) -> Cards:
        held = sorted((kind for kind, n in cards.items() if n), key=self._file_index.__getitem__)
        return " ".join(kind for kind in held for _ in range(cards[kind]))

    def _cards_everywhere(self) -> Counter[str]:
        """Count all cards but the one being played; Merch Protects of several kinds count as one kind."""
        state = self.state
        found = Counter(state["pile"])
        for cards in (state["discards"], *state["hands"], *state["tabled"]):
            found.update(cards)
        if state["read_holder"] is not None:
            found["read"] += 1
        protects = sum(sum(cards.values()) for cards in state["protected"])
        for kind, entry in self.rules["cards"].items():
            if entry.get("primitive") == "protect_merch":
                protects += found.pop(kind, 0)
        found["merch_protect"] = protects
        return +found


PerSeat = Mapping[int, Any] | list[Any] | tuple[Any, ...]


def _per_seat(values: PerSeat, seats: int, default: Any) -> list[Any]:
    given = values if isinstance(values, Mapping) else dict(enumerate(values))
    assert set(given) <= set(range(seats))
    return [given.get(seat, default) for seat in range(seats)]


def lay_on(
    engine: str,
    *,
    seats: int = 4,
    rules: dict[str, Any] | None = None,
    seed: int = 0,
    block: int = 0,
    hands: PerSeat = (),
    tabled: PerSeat = (),
    protected: PerSeat = (),
    hands_off: PerSeat = (),
    missed: PerSeat = (),
    pile: Cards = f"{FILLER} " * 12,
    discards: Cards = "",
    last_turn: bool = False,
    **position: Any,
) -> Table:
    """Lay a position out, at the put-down of `seat_up` (seat 0 unless told otherwise).

    Seats come as a list from seat 0 or by number. In the `last_turn` the game ends at the turn cap when the turn does.
    """
    rules = BOOKLET if rules is None else rules
    if last_turn:
        position["turn"] = rules["max_rounds"] * seats
    position |= {
        "hands": [Counter(cards.split()) for cards in _per_seat(hands, seats, "")],
        "tabled": [Counter(cards.split()) for cards in _per_seat(tabled, seats, "")],
        "protected": [Counter(cards.split()) for cards in _per_seat(protected, seats, "")],
        "hands_off": _per_seat(hands_off, seats, None),
        "missed": _per_seat(missed, seats, 0),
        "pile": pile.split(),
        "discards": Counter(discards.split()),
    }
    rules = _of_these_cards(rules, position)
    if engine == "compiled":
        game = Game.from_position(CompiledRules(rules, seats=seats), position, seed=seed, block=block)
    else:
        game = ReferenceGame.from_position(rules, position, seats=seats, seed=seed, block=block)
    return Table(game, rules, seats)


def _of_these_cards(rules: dict[str, Any], position: Mapping[str, Any]) -> dict[str, Any]:
    """Let the deck be what lies on the table, since some of the rules ask what the whole deck holds."""
    copies = Counter(position["pile"]) + position["discards"]
    for cards in (*position["hands"], *position["tabled"]):
        copies += cards
    protects = (kind for kind, entry in rules["cards"].items() if entry.get("primitive") == "protect_merch")
    copies[next(protects)] += sum(cards.total() for cards in position["protected"])
    copies["read"] = 1
    cards = {kind: entry | {"copies": copies[kind]} for kind, entry in rules["cards"].items()}
    return rules | {"cards": cards, "hand_size": 0}


def deal_on(
    engine: str,
    *,
    seats: int = 4,
    rules: dict[str, Any] | None = None,
    seed: int = 0,
    block: int = 0,
    deal_order: list[str] | None = None,
    intervention: tuple[int, int, str] | None = None,
) -> Table:
    """Shuffle and deal, and go on to the first decision."""
    rules = BOOKLET if rules is None else rules
    if engine == "compiled":
        compiled = CompiledRules(rules, seats=seats, deal_order=deal_order)
        game: Any = Game(compiled, seed=seed, block=block, intervention=intervention)
    else:
        game = ReferenceGame(
            rules, seats=seats, seed=seed, block=block, deal_order=deal_order, intervention=intervention
        )
    return Table(game, rules, seats)
