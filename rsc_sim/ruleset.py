"""The ruleset: every card, figure and switch of the game as checked, immutable data.

A ruleset comes from a TOML file, a dict, a spreadsheet's CSV or another ruleset with overrides, and whatever comes is
checked as a whole: its problems are all reported in one `InputError`, one a line. A `Ruleset` that exists is sound: its
deck can deal to two seats, its sums fit in 32 bits, and each card has exactly the figures that its type and primitive
ask for. What the figures mean is told in `docs/rules.md`; their shape in `docs/contracts.md`, section 1.

No figure of the game has a default here: they stand once, in `rulesets/booklet.toml`. What a file may say and the words
for what is wrong are in `ruleset_check`; TOML, CSV and `KEY=VALUE` in `ruleset_text`; differences in `ruleset_diff`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, PrivateAttr, ValidationError, model_validator

from rsc_sim.errors import InputError, nearest
from rsc_sim.ruleset_check import (
    CARD_FIGURES,
    FAMILIES,
    LIMITS,
    MAX_CARDS,
    MAX_KINDS,
    MAX_MERCH_KINDS,
    MAX_SEATS,
    MIN_SEATS,
    PRIMITIVES,
    SETS,
    Assumable,
    Cancellable,
    Family,
    Keys,
    Primitive,
    PrimitiveName,
    Problem,
    Source,
    Type,
    Window,
    cannot_deal,
    deck_problems,
    figure_problems,
    figures_of,
    in_file_order,
)
from rsc_sim.ruleset_diff import Difference, describe_diff, find_differences
from rsc_sim.ruleset_text import (
    named_after,
    parse_setting,
    plain_copy,
    read_deck_csv,
    read_text,
    read_toml,
    shown,
    write_deck_csv,
    write_toml,
)

__all__ = [
    "FAMILIES",
    "LIMITS",
    "MAX_CARDS",
    "MAX_KINDS",
    "MAX_MERCH_KINDS",
    "MAX_SEATS",
    "MIN_SEATS",
    "PRIMITIVES",
    "Card",
    "Difference",
    "Primitive",
    "Ruleset",
    "describe_diff",
    "parse_setting",
]


def _within(figure: str) -> Any:
    low, high = LIMITS[figure]
    return Field(ge=low, le=high)


def _set(figure: str) -> Any:
    """Refuse members named twice and put a set's members in one order, so that equal sets are equal data."""

    def check(members: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(members)) < len(members):
            raise ValueError("twice")
        return tuple(member for member in SETS[figure] if member in members)

    return AfterValidator(check)


def _check_name(name: str) -> str:
    if not name.isprintable() or name != name.strip():
        raise ValueError("not printable")
    return name


# Strict refuses a list where a tuple is declared; the members stay strict, as literals always are.
_SOME = Field(strict=False, min_length=1)
_ANY = Field(strict=False)

Name = Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_check_name)]


class Card(BaseModel, strict=True, frozen=True, extra="forbid"):
    """Hold one kind of card; figures that its type does not have are None."""

    name: Name
    type: Type
    copies: Annotated[int, _within("copies")]
    value: Annotated[int, _within("value")] | None = None
    primitive: PrimitiveName | None = None
    max_value: Annotated[int, _within("max_value")] | None = None
    count: Annotated[int, _within("count")] | None = None
    kind: str | None = None
    family: Family | None = None
    cancels: Annotated[tuple[Cancellable, ...], _SOME, _set("cancels")] | None = None
    assumed: Annotated[tuple[Assumable, ...], _ANY, _set("assumed")] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the figures that the card's type has, in the order of the file; `family` is None where absent."""
        figures = figures_of(self.type, self.primitive)
        return {figure: plain_copy(getattr(self, figure)) for figure in figures}


class Ruleset(BaseModel, strict=True, frozen=True, extra="forbid"):
    """Hold the rules of one game: build it with `booklet`, `load`, `from_dict`, `override` or `with_deck_csv`.

    >>> rules = Ruleset.booklet().override({"escape_threshold": 800, "cards.escape_ticket.copies": 3})
    >>> rules.n_cards
    119
    """

    name: Name
    hand_size: Annotated[int, _within("hand_size")]
    normal_draw: Annotated[int, _within("normal_draw")]
    opening_draw: Annotated[int, _within("opening_draw")]
    escape_threshold: Annotated[int, _within("escape_threshold")]
    read_points: Annotated[int, _within("read_points")]
    recycle_discard: bool
    available_from: Annotated[tuple[Source, ...], _SOME, _set("available_from")]
    find_from: Annotated[tuple[Source, ...], _SOME, _set("find_from")]
    lowest_means: Literal["unprotected", "tabled"]
    escape: Literal["optional", "forced"]
    escape_when: Annotated[tuple[Window, ...], _SOME, _set("escape_when")]
    redraw_after_read: bool
    replace_dealt_read: bool
    skips_stack: bool
    unfinished: Literal["no_winner", "score"]
    max_rounds: Annotated[int, _within("max_rounds")]
    cards: Annotated[Mapping[str, Card], AfterValidator(MappingProxyType)]

    _source: str = PrivateAttr(default="ruleset")

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        """Hold the rules that span several figures by whatever door the data came."""
        cards = {
            kind: {figure: plain_copy(getattr(card, figure)) for figure in CARD_FIGURES}
            for kind, card in self.cards.items()
        }
        if problems := deck_problems(self._plain | {"cards": cards}):
            raise ValueError("\n".join(f"{'.'.join(keys)}: {text}" for keys, text in problems))
        return self

    # -------------------------------------------------------------------------------------------------------- data in

    @classmethod
    def booklet(cls) -> Ruleset:
        """Give the booklet's rules, with the assumed figures of `rulesets/booklet.toml`."""
        return _booklet()

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a ruleset from a TOML file; raise InputError with every problem of the file.

        A file whose name ends in .csv is a deck (`deck_csv`): it replaces the booklet's cards, and the booklet's
        figures and switches stay. Its ruleset is named after the file.
        """
        path = Path(path)
        if path.suffix.lower() != ".csv":
            return cls.from_dict(read_toml(path), source=str(path))
        booklet = cls.from_dict(cls.booklet().to_dict(), source=str(path))
        rules = booklet.with_deck_csv(read_text(path, "a deck (CSV)"), source=str(path))
        return rules.override({"name": named_after(path, rules.name)})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], source: str = "ruleset") -> Self:
        """Check plain data in the shape of `to_dict`; `source` tells in errors where they came from."""
        return cls._build(data, source, lambda keys: f"{source}: {'.'.join(keys)}")

    @classmethod
    def _build(
        cls,
        data: Mapping[str, Any],
        source: str,
        where: Callable[[Keys], str],
        found: Iterable[str] = (),
        seats: int = MIN_SEATS,
    ) -> Self:
        """Check everything, then build; `found` are problems that the caller has met on the way here."""
        if not isinstance(data, Mapping):
            raise InputError(f"{source}: expected a table of figures and cards, got {shown(data)}")
        plain: dict[str, Any] = plain_copy(data)
        problems: list[Problem] = deck_problems(plain, seats)
        built = None
        try:
            built = cls.model_validate(plain)
        except ValidationError as error:
            problems += figure_problems(error.errors(include_url=False), plain, cls.model_fields)
        lines = [*found, *(f"{where(keys)}: {text}" for keys, text in in_file_order(problems, plain))]
        if built is None or lines:
            raise InputError("\n".join(lines))
        built._source = source  # type: ignore[misc]  # set once, by its maker
        return built

    def override(self, settings: Mapping[str, Any], *, seats: int = MIN_SEATS) -> Self:
        """Give these rules with some figures changed, by dotted key: `{"cards.mug.value": 40, "escape": "forced"}`.

        Values are whole: a list replaces a list. Nested tables mean the same as dotted keys. Cards are neither added
        nor removed (0 copies takes one out); a figure that the card's type allows, such as `family`, may be new, and
        None takes it away. Raises InputError naming all keys and values that cannot be used; what is said of a deck
        that cannot be dealt at all is for a table of `seats`.
        """
        if not isinstance(settings, Mapping):
            raise InputError(f"override: expected a table of figures, got {shown(settings)}")
        plain = self.to_dict()
        unknown: list[str] = []
        for keys, value in _leaves(settings):
            match keys:
                case ("cards", card, figure) if card in plain["cards"]:
                    plain["cards"][card][figure] = value
                case (figure,) if figure in plain and figure != "cards":
                    plain[figure] = value
                case _:
                    unknown.append(self._no_such(keys))
        return self._build(plain, self._source, ".".join, unknown, seats)

    def override_text(self, settings: Iterable[str]) -> Self:
        """Give these rules with some figures changed, each written `KEY=VALUE` as on the command line."""
        return self.override(dict(map(parse_setting, settings)))

    def with_deck_csv(self, text: str, *, source: str = "deck.csv") -> Self:
        """Give these rules with the deck of a table as `deck_csv` writes it; errors name row and column."""
        deck = read_deck_csv(text, source)

        def where(keys: Keys) -> str:
            if len(keys) < 2:
                return f"{source}: {keys[0]}"
            return f"{source}: row {deck.rows[keys[1]]}, column {keys[2] if keys[2:] else 'id'}"

        return self._build(self.to_dict() | {"cards": deck.cards}, source, where, deck.problems)

    def _no_such(self, keys: Keys) -> str:
        """Say what is wrong with a key that names no figure of these rules."""
        key = ".".join(keys)
        match keys:
            case ("cards", card, *_) if card not in self.cards:
                return f"cards.{card}: no such card in {self._source}{nearest(card, self.cards)}"
            case ("cards",) | ("cards", _):
                example = f"cards.{keys[1] if keys[1:] else 'read'}.copies"
                return f"{key}: expected one figure of a card, for example {example}"
        figures = [figure for figure in self._plain if figure != "cards"]
        known = [*figures, *(f"cards.{card}.{figure}" for card in self.cards for figure in CARD_FIGURES)]
        return f"{key}: no such figure in {self._source}{nearest(key, known)}"

    # ------------------------------------------------------------------------------------------------------- data out

    @cached_property
    def _plain(self) -> dict[str, Any]:
        figures = {figure: plain_copy(getattr(self, figure)) for figure in type(self).model_fields if figure != "cards"}
        return figures | {"cards": {kind: card.to_dict() for kind, card in self.cards.items()}}

    def to_dict(self) -> dict[str, Any]:
        """Give the rules as plain data, ordered, every optional figure filled in; a copy that is the caller's own."""
        plain: dict[str, Any] = plain_copy(self._plain)
        return plain

    def to_toml(self) -> str:
        """Write the rules as a TOML file (UTF-8) that `load` reads back to an equal ruleset; comments are not kept."""
        return write_toml(self._plain)

    def deck_csv(self) -> str:
        """Write the deck as a table for a spreadsheet, one kind a row.

        Write it with the encoding `utf-8-sig`, or Excel takes dashes and accents for something else. A name that a
        spreadsheet would run as a formula gets an apostrophe before it, which `with_deck_csv` takes off again.
        """
        return write_deck_csv(self._plain["cards"])

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hex, of all that matters to play and to reading the results.

        That is canonical JSON (ASCII, no blanks, keys in the order of `to_dict`) of everything but the ruleset's own
        name. Cards' names and what is assumed of them count, since results are read by them; so does the order of the
        cards, which decides ties and deals. Comments, layout and the place of the file do not.
        """
        matter = {figure: value for figure, value in self._plain.items() if figure != "name"}
        return hashlib.sha256(json.dumps(matter, separators=(",", ":")).encode()).hexdigest()

    def diff(self, other: Ruleset) -> list[Difference]:
        """List what is different in `other`, in its file's order; `describe_diff` words the list."""
        return find_differences(self._plain, other._plain)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ruleset):
            return NotImplemented
        return (self.name, self.digest) == (other.name, other.digest)

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    def __repr__(self) -> str:
        return f"<Ruleset {self.name}: {len(self.kinds)} kinds, {self.n_cards} cards, {self.digest[:8]}>"

    __str__ = __repr__

    # A mapping proxy neither pickles nor copies; the plain data do, and are checked again (about 1 ms).
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(), self._source)

    def __copy__(self) -> Self:
        return type(self).from_dict(self._plain, self._source)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return self.__copy__()

    # -------------------------------------------------------------------------------------------------- what it holds

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Ids of all kinds, in file order."""
        return tuple(self.cards)

    @cached_property
    def n_cards(self) -> int:
        """Cards in the deck."""
        return sum(card.copies for card in self.cards.values())

    @cached_property
    def merch_total(self) -> int:
        """What all Merch of the deck is worth together."""
        return sum(card.copies * (card.value or 0) for card in self.cards.values())

    def assumed_figures(self) -> list[tuple[str, int | str]]:
        """List the figures that the booklet does not give, as (dotted key, value), in file order."""
        return [
            (f"cards.{kind}.{figure}", getattr(card, figure))
            for kind, card in self.cards.items()
            for figure in card.assumed
        ]

    def check_seats(self, seats: int) -> None:
        """Raise InputError unless the deck can be dealt to that many seats (2 to 8)."""
        if type(plain_copy(seats)) is not int or not MIN_SEATS <= seats <= MAX_SEATS:
            raise InputError(f"seats: expected a whole number from {MIN_SEATS} to {MAX_SEATS}, got {shown(seats)}")
        if short := cannot_deal(self.n_cards, seats, self.hand_size, self.replace_dealt_read):
            raise InputError(f"{self._source}: hand_size: {short}")


@lru_cache(maxsize=1)
def _booklet() -> Ruleset:
    path = Path(__file__).parent / "rulesets" / "booklet.toml"
    return Ruleset.from_dict(read_toml(path), source=path.name)


def _leaves(settings: Mapping[str, Any], prefix: Keys = ()) -> Iterable[tuple[Keys, Any]]:
    """Walk overrides: dotted keys and nested tables alike give (keys, value)."""
    for key, value in settings.items():
        keys = (*prefix, *str(key).split("."))
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, keys)
        else:
            yield keys, value
