"""The values that a view shows: moves, counts of cards, public events, the rules; and how they are put in words.

All of them are values: read-only, independent of the game that goes on, fit to be kept, compared and pickled. `Memory`
alone is for the strategy to write in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

if TYPE_CHECKING:
    from rsc_sim.view import View

__all__ = ["Counts", "Memory", "Move", "PublicEvent", "Rules", "portrait", "words"]


class Move:
    """A legal move: what is done with which card, against whom.

    `verb` is escape, stay, discard, table, play, take, stop, pass or react; `kind` the id of the card; `target` the
    seat it is played against; `choice` the kind it names (the victim's Merch, the own Merch, the hand card); `own` the
    own Merch that a stolen protection goes beneath. `primitive` is what an Action does. `value` is in dollars: of the
    Merch that is tabled, taken, discarded, stolen, returned or protected, 0 where there is none.
    """

    # Slots of a plain class: since Python 3.11 they are read in half the time of a named tuple or a property.
    __slots__ = ("choice", "kind", "own", "primitive", "target", "value", "verb")

    verb: str
    kind: str | None
    target: int | None
    choice: str | None
    own: str | None
    primitive: str | None
    value: int

    def __init__(
        self,
        verb: str,
        kind: str | None = None,
        target: int | None = None,
        choice: str | None = None,
        own: str | None = None,
        *,
        primitive: str | None = None,
        value: int = 0,
    ) -> None:
        parts = {"verb": verb, "kind": kind, "target": target, "choice": choice, "own": own}
        for name, part in {**parts, "primitive": primitive, "value": value}.items():
            object.__setattr__(self, name, part)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a move is read-only")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a move is read-only")

    def _parts(self) -> tuple[str, str | None, int | None, str | None, str | None]:
        return self.verb, self.kind, self.target, self.choice, self.own

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, Move) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._parts())

    def __reduce__(self) -> tuple[Any, ...]:
        return _move, (self._parts(), self.primitive, self.value)

    def __repr__(self) -> str:
        named = [f"{name}={part!r}" for name, part in zip(_PARTS, self._parts(), strict=True) if part is not None]
        return f"Move({', '.join([repr(self.verb), *named[1:]])})"


_PARTS = ("verb", "kind", "target", "choice", "own")


def _move(parts: tuple[Any, ...], primitive: str | None, value: int) -> Move:
    return Move(*parts, primitive=primitive, value=value)


class Counts(dict[str, int]):
    """Copies (or dollars) by kind; 0 for a kind that is not there. Read-only: `dict(counts)` is a copy to change."""

    __slots__ = ()

    def __missing__(self, kind: str) -> int:
        return 0

    @property
    def total(self) -> int:
        """All of them together."""
        return sum(self.values())

    def _refuse(self, *arguments: object, **more: object) -> NoReturn:
        raise TypeError("what a view shows is read-only; dict(...) makes a copy to change")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return Counts, (dict(self),)


class PublicEvent(NamedTuple):
    """Something that every seat saw: when, what, who, which card, against whom; None where a part does not apply."""

    turn: int
    what: str
    seat: int | None
    kind: str | None
    target: int | None
    choice: str | None
    own: str | None


class Memory(dict[str, Any]):
    """What a strategy keeps for the rest of a game: by name, `view.memory.bold = True`, or by key, as in a dict."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"nothing called {name!r} has been put into view.memory in this game") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        self.pop(name, None)


class Rules:
    """The ruleset of a game: figures and switches by their names, as in `rules.escape_threshold`, and the cards."""

    cards: Mapping[str, Mapping[str, Any]]
    """By kind, what the ruleset file says of it: name, type, copies, value, primitive and so on."""
    kinds: tuple[str, ...]
    """Ids of the kinds, in file order."""
    values: Counts
    """Dollars of each Merch kind."""
    seats: int

    def __init__(self, source: Mapping[str, Any], seats: int) -> None:
        cards = {kind: _frozen(card) for kind, card in source["cards"].items()}
        values = Counts({kind: card["value"] for kind, card in cards.items() if card["type"] == "merch"})
        figures = {key: _frozen(value) for key, value in source.items() if key != "cards"}
        own = {"cards": MappingProxyType(cards), "kinds": tuple(cards), "values": values, "seats": seats}
        self.__dict__.update(figures | own)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("the rules are read-only")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no figure of the rules is called {name!r}; there are {', '.join(sorted(self.__dict__))}")

    def name_of(self, kind: str) -> str:
        """Return what is printed on a card."""
        return str(self.cards[kind]["name"])

    def __reduce__(self) -> tuple[Any, ...]:
        plain = {key: _thawed(value) for key, value in self.__dict__.items()}
        return Rules, (plain, self.seats)

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<rules {self.name!r} for {self.seats} seats>"


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return MappingProxyType({key: _frozen(part) for key, part in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _thawed(value: Any) -> Any:
    return {key: _thawed(part) for key, part in value.items()} if isinstance(value, Mapping) else value


# ---- in words

_PLAIN = {"escape": "Escape", "stay": "Stay", "stop": "Table no more", "pass": "Let it happen"}
_BEGIN = {"discard": "Discard", "table": "Table", "take": "Take", "react": "React with"}
_BESIDE = {"protect_merch": "beneath the own", "protect_hand": "over the own"}


def words(move: Move, rules: Rules) -> str:
    """Say a move with the names that are printed on the cards."""

    def card(kind: str) -> str:
        value = rules.values[kind]
        return f"{rules.name_of(kind)} (${value:,})" if value else rules.name_of(kind)

    if move.kind is None:
        return _PLAIN[move.verb]
    if move.verb != "play":
        return f"{_BEGIN[move.verb]} {card(move.kind)}"
    text = f"Play {rules.name_of(move.kind)}"
    if move.target is not None:
        text += f" against seat {move.target}"
    if move.choice is not None and move.own is not None:
        return f"{text}, its protection of {card(move.choice)} for the own {card(move.own)}"
    if move.choice is not None:
        return f"{text}, {_BESIDE.get(move.primitive or '', 'for')} {card(move.choice)}"
    return f"{text}, worth ${move.value:,}" if move.value else text


def portrait(view: View) -> Iterator[str]:
    """Show what a view shows, line by line."""
    rules = view.rules

    def cards(counts: Mapping[str, int]) -> str:
        return ", ".join(f"{rules.name_of(kind)}{f' ×{n}' if n > 1 else ''}" for kind, n in counts.items()) or "none"

    asked = view.decision.replace("_", " ")
    yield f"Seat {view.seat} of {view.seats} is asked to {asked}, turn {view.turn}, round {view.round}"
    if view.action is not None:
        yield f"  played     {words(view.action, rules)}, by seat {view.seat_up}"
    yield f"  hand       {cards(view.hand)}"
    for seat in (view.seat, *view.others):
        notes = [f"${view.merch[seat]:,}", f"{view.hand_sizes[seat]} in hand"]
        notes += ["displays Read"] if view.read_holder == seat else []
        notes += [f"misses {view.missed_turns[seat]}"] if view.missed_turns[seat] else []
        whose = "own table" if seat == view.seat else f"seat {seat}"
        yield f"  {whose:9}  {', '.join(notes)}: {cards(view.tabled[seat])}"
    yield f"  piles      {view.pile_size} to pick up, {view.discard_size} discarded"
