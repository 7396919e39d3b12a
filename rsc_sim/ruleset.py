"""The ruleset: every card, figure and switch of the game as checked, immutable data.

A ruleset comes from a TOML file, a dict, a spreadsheet's CSV or another ruleset with overrides, and whatever comes is
checked as a whole: a file's problems are all reported in one `InputError`, one a line. A `Ruleset` that exists is sound:
its deck can deal to two seats, its sums fit in 32 bits, and each card has exactly the figures that its type and
primitive ask for. What the figures mean is told in `docs/rules.md`; their shape in `docs/contracts.md`, section 1.

No figure of the game has a default here: they stand once, in `rulesets/booklet.toml`. Texts (TOML, CSV, `KEY=VALUE`) are
written and taken apart in `ruleset_text`, differences are found and worded in `ruleset_diff`.
"""

from __future__ import annotations

import hashlib
import json
import operator
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from rsc_sim import ruleset_text
from rsc_sim.errors import InputError, nearest
from rsc_sim.ruleset_diff import Difference, describe_diff, find_differences
from rsc_sim.ruleset_text import parse_setting, shown

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

MIN_SEATS, MAX_SEATS = 2, 8
MAX_KINDS = 64
MAX_MERCH_KINDS = 16
MAX_CARDS = 255
MAX_VALUE = 1_000_000
# 255 cards worth MAX_VALUE each and Read's points come to 1,255,000,000: every sum fits in an int32.
MAX_POINTS = 1_000_000_000

LIMITS: Mapping[str, tuple[int, int]] = {
    "hand_size": (0, MAX_CARDS),
    "normal_draw": (0, MAX_CARDS),
    "opening_draw": (0, MAX_CARDS),
    "escape_threshold": (0, MAX_POINTS),
    "read_points": (0, MAX_POINTS),
    "max_rounds": (1, 8_000),  # times 8 seats: turns fit in 16 bits
    "copies": (0, MAX_CARDS),
    "value": (0, MAX_VALUE),
    "max_value": (0, MAX_VALUE),
    "count": (1, MAX_CARDS),
}

Type = Literal["read", "ticket", "merch", "action", "reaction"]
Family = Literal["read", "merch", "protect", "hand", "turn"]
Cancellable = Literal["read", "merch", "protect", "hand", "turn", "reaction"]
Source = Literal["discard", "pickup"]
Window = Literal["after_pick_up", "after_put_down"]
Assumable = Literal["copies", "value", "name"]
PrimitiveName = Literal[
    "take_read",
    "take_merch",
    "find_merch",
    "table_more",
    "draw",
    "extra_turn",
    "steal_merch",
    "steal_highest_merch",
    "steal_lowest_merch",
    "return_merch",
    "steal_protect",
    "steal_hand",
    "discard_hand",
    "skip_turn",
    "protect_merch",
    "protect_hand",
]

TYPES: tuple[str, ...] = get_args(Type)
FAMILIES: tuple[str, ...] = get_args(Family)


class Primitive(NamedTuple):
    """Say what a primitive asks for: the names of its parameters, and whether it is played against another seat."""

    parameters: tuple[str, ...] = ()
    targets: bool = False


PRIMITIVES: Mapping[str, Primitive] = {
    "take_read": Primitive(targets=True),
    "take_merch": Primitive(("max_value",)),
    "find_merch": Primitive(("kind",)),
    "table_more": Primitive(("count",)),
    "draw": Primitive(("count",)),
    "extra_turn": Primitive(),
    "steal_merch": Primitive(("max_value",), targets=True),
    "steal_highest_merch": Primitive(targets=True),
    "steal_lowest_merch": Primitive(targets=True),
    "return_merch": Primitive(("max_value",), targets=True),
    "steal_protect": Primitive(targets=True),
    "steal_hand": Primitive(targets=True),
    "discard_hand": Primitive(targets=True),
    "skip_turn": Primitive(targets=True),
    "protect_merch": Primitive(),
    "protect_hand": Primitive(),
}

CHOICES: Mapping[str, tuple[str, ...]] = {
    "type": TYPES,
    "primitive": tuple(PRIMITIVES),
    "family": FAMILIES,
    "lowest_means": ("unprotected", "tabled"),
    "escape": ("optional", "forced"),
    "unfinished": ("no_winner", "score"),
}
SETS: Mapping[str, tuple[str, ...]] = {
    "available_from": get_args(Source),
    "find_from": get_args(Source),
    "escape_when": get_args(Window),
    "cancels": get_args(Cancellable),
    "assumed": get_args(Assumable),
}

_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ID_WORDS = "a small letter, then small letters, digits and _, at most 40 in all"
_NAME_WORDS = "a name of 1 to 80 printable characters, without blanks at its ends"

type_words = {"read": "Read", "ticket": "a ticket", "merch": "a Merch", "action": "an action", "reaction": "a reaction"}

Path_ = tuple[str, ...]
Problem = tuple[Path_, str]


def _within(figure: str) -> Any:
    low, high = LIMITS[figure]
    return Field(ge=low, le=high)


def _check_name(name: str) -> str:
    if not name.isprintable() or name != name.strip():
        raise ValueError(_NAME_WORDS)
    return name


def _ordered(figure: str) -> Any:
    """Refuse members named twice and put a set's members in one order, so that equal sets are equal data."""

    def check(members: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(members)) < len(members):
            raise ValueError("twice")
        return tuple(member for member in SETS[figure] if member in members)

    return AfterValidator(check)


# Strict would refuse a list where a tuple is declared; the members stay as strict as literals are.
_some = Field(strict=False, min_length=1)
_any = Field(strict=False)
Name = Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_check_name)]


class Card(BaseModel):
    """Hold one kind of card; figures that its type does not have are None, or empty."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    name: Name
    type: Type
    copies: Annotated[int, _within("copies")]
    value: Annotated[int, _within("value")] | None = None
    primitive: PrimitiveName | None = None
    max_value: Annotated[int, _within("max_value")] | None = None
    count: Annotated[int, _within("count")] | None = None
    kind: str | None = None
    family: Family | None = None
    cancels: Annotated[tuple[Cancellable, ...], _some, _ordered("cancels")] | None = None
    assumed: Annotated[tuple[Assumable, ...], _any, _ordered("assumed")] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the figures that the card's type has, in the order of the file; `family` is None where absent."""
        figures = _figures_of(self.type, self.primitive)
        values = ((figure, getattr(self, figure)) for figure in figures)
        return {figure: list(value) if isinstance(value, tuple) else value for figure, value in values}


CARD_FIGURES = tuple(Card.model_fields)


def _figures_of(type_: str, primitive: str | None) -> tuple[str, ...]:
    """Name the figures of a card of this type and primitive, in the order of the file."""
    own: tuple[str, ...] = ()
    if type_ == "merch":
        own = ("value",)
    elif type_ == "action":
        own = ("primitive", *PRIMITIVES[primitive or "draw"].parameters, "family")
    elif type_ == "reaction":
        own = ("cancels",)
    return ("name", "type", "copies", *own, "assumed")


class Ruleset(BaseModel):
    """Hold the rules of one game: build it with `booklet`, `load`, `from_dict`, `override` or `with_deck_csv`.

    >>> rules = Ruleset.booklet().override({"escape_threshold": 800, "cards.escape_ticket.copies": 3})
    >>> rules.n_cards
    119
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    name: Name
    hand_size: Annotated[int, _within("hand_size")]
    normal_draw: Annotated[int, _within("normal_draw")]
    opening_draw: Annotated[int, _within("opening_draw")]
    escape_threshold: Annotated[int, _within("escape_threshold")]
    read_points: Annotated[int, _within("read_points")]
    recycle_discard: bool
    available_from: Annotated[tuple[Source, ...], _some, _ordered("available_from")]
    find_from: Annotated[tuple[Source, ...], _some, _ordered("find_from")]
    lowest_means: Literal["unprotected", "tabled"]
    escape: Literal["optional", "forced"]
    escape_when: Annotated[tuple[Window, ...], _some, _ordered("escape_when")]
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
        if problems := _deck_problems(self._plain):
            raise ValueError("\n".join(f"{'.'.join(path)}: {text}" for path, text in problems))
        return self

    # ------------------------------------------------------------------------------------------------------ data in

    @classmethod
    def booklet(cls) -> Self:
        """Give the booklet's rules, with the assumed figures of `rulesets/booklet.toml`."""
        return _booklet(cls)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a ruleset from a TOML file; raise InputError with every problem of the file."""
        return cls.from_dict(_read_toml(Path(path)), source=str(path))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], source: str = "ruleset") -> Self:
        """Check plain data in the shape of `to_dict`; `source` names in errors where they came from."""
        return cls._build(data, source, lambda path: ": ".join((source, *filter(None, [".".join(path)]))))

    @classmethod
    def _build(cls, data: Mapping[str, Any], source: str, where: Callable[[Path_], str], *more: Problem) -> Self:
        if not isinstance(data, Mapping):
            raise InputError(f"{source}: expected a table of figures and cards, got {shown(data)}")
        plain = _normal(data)
        problems = [*more, *_deck_problems(plain)]
        built = None
        try:
            built = cls.model_validate(plain)
        except ValidationError as error:
            problems += _translate(error, plain)
        if problems or built is None:
            raise InputError("\n".join(f"{where(path)}: {text}" for path, text in _in_file_order(problems, plain)))
        built._source = source
        return built

    def override(self, settings: Mapping[str, Any]) -> Self:
        """Give these rules with some figures changed, by dotted key: `{"cards.mug.value": 40, "escape": "forced"}`.

        Values are whole: a list replaces a list. Nested tables mean the same as dotted keys. Only figures can be set, on
        cards that exist. Raises InputError naming all keys and values that cannot be used.
        """
        plain = self.to_dict()
        unknown: list[Problem] = []
        for path, value in _leaves(settings):
            match path:
                case ("cards", card, figure) if card in plain["cards"]:
                    plain["cards"][card][figure] = value
                case (figure,) if figure in plain and figure != "cards":
                    plain[figure] = value
                case _:
                    unknown.append(self._no_such(path))
        return self._build(plain, self._source, ".".join, *unknown)

    def override_text(self, settings: Iterable[str]) -> Self:
        """Give these rules with some figures changed, each written `KEY=VALUE` as on the command line."""
        return self.override(dict(map(parse_setting, settings)))

    def _no_such(self, path: Path_) -> Problem:
        """Say what is wrong with a key that names no figure of these rules."""
        match path:
            case ("cards", card, *_) if card not in self.cards:
                return path[:2], f"no such card in {self._source}{nearest(card, self.cards)}"
            case ("cards",) | ("cards", _):
                example = f"cards.{path[1] if path[1:] else 'read'}.copies"
                return path, f"expected one figure of a card, for example {example}"
        figures = [key for key in self._plain if key != "cards"]
        known = [*figures, *(f"cards.{card}.{figure}" for card in self.cards for figure in CARD_FIGURES)]
        return path, f"no such figure in {self._source}{nearest('.'.join(path), known)}"

    # ----------------------------------------------------------------------------------------------------- data out

    @cached_property
    def _plain(self) -> dict[str, Any]:
        figures = {name: getattr(self, name) for name in type(self).model_fields if name != "cards"}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in figures.items()}
        return plain | {"cards": {kind: card.to_dict() for kind, card in self.cards.items()}}

    def to_dict(self) -> dict[str, Any]:
        """Give the rules as plain data, ordered, every optional figure filled in; the caller may change the copy."""
        return _normal(self._plain)

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hex, of all that matters to play and to reading the results.

        That is canonical JSON (ASCII, no blanks, keys in the order of `to_dict`) of everything but the ruleset's own
        name. Cards' names and what is assumed of them count, since results are read by them; so does the order of the
        cards, which decides ties and deals. Comments, layout and the place of the file do not.
        """
        matter = {key: value for key, value in self._plain.items() if key != "name"}
        return hashlib.sha256(json.dumps(matter, separators=(",", ":")).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ruleset):
            return NotImplemented
        return (self.name, self.digest) == (other.name, other.digest)

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    # A mapping proxy does not pickle or copy; the plain data do, and are checked again (about 1 ms).
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(), self._source)

    def __copy__(self) -> Self:
        return type(self).from_dict(self._plain, self._source)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return self.__copy__()

    # ------------------------------------------------------------------------------------------------ what it holds

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
        if isinstance(seats, bool) or not isinstance(seats, int) or not MIN_SEATS <= seats <= MAX_SEATS:
            raise InputError(f"seats: expected a whole number from {MIN_SEATS} to {MAX_SEATS}, got {shown(seats)}")
        if short := _cannot_deal(self.n_cards, seats, self.hand_size, self.replace_dealt_read):
            raise InputError(f"{self._source}: hand_size: {short}")


@lru_cache(maxsize=4)
def _booklet(cls: type[Ruleset]) -> Any:
    path = Path(__file__).parent / "rulesets" / "booklet.toml"
    return cls.from_dict(_read_toml(path), source=path.name)


# -------------------------------------------------------------------------------------------------------------- reading


def _read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file or raise InputError saying why not, with the line where there is one."""
    try:
        raw = path.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{path}: expected a ruleset file (TOML), this is a directory") from None
    except FileNotFoundError:
        beside = [entry.name for entry in path.parent.glob("*.toml")] if path.parent.is_dir() else []
        raise InputError(f"{path}: no such ruleset file{nearest(path.name, beside)}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}: line {line}: expected UTF-8 text, got byte 0x{raw[error.start]:02x}") from None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not TOML: {error}") from None


def _normal(value: Any) -> Any:
    """Copy plain data: any mapping to a dict, any sequence or set to a list, NumPy's scalars to Python's."""
    if isinstance(value, Mapping):
        copy = {str(key): _normal(part) for key, part in value.items()}
        if copy.get("family") == "none":  # as a flag says it: TOML has no null
            copy["family"] = None
        return copy
    if isinstance(value, (list, tuple)):
        return [_normal(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(_normal, value), key=str)
    if isinstance(value, (bool, str)):
        return value
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        return value.item()
    try:
        return operator.index(value)
    except TypeError:
        return value


def _leaves(settings: Mapping[str, Any], prefix: Path_ = ()) -> Iterable[tuple[Path_, Any]]:
    """Walk overrides: dotted keys and nested tables alike give (path, value)."""
    for key, value in settings.items():
        path = (*prefix, *str(key).split("."))
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, path)
        else:
            yield path, value


# ------------------------------------------------------------------------------------------------------------- checking


def _expected(figure: str) -> str:
    """Say in words what a figure may be."""
    if figure in LIMITS:
        low, high = LIMITS[figure]
        return f"a whole number from {low} to {high}"
    if figure in CHOICES:
        return f"one of {', '.join(CHOICES[figure])}"
    if figure in SETS:
        some = "a list of some of" if figure == "assumed" else "a list of one or more of"
        return f"{some} {', '.join(SETS[figure])}"
    return {
        "name": _NAME_WORDS,
        "kind": "the id of a Merch kind",
        "cards": "tables [cards.ID], one for each kind",
    }.get(figure, "true or false")


def _translate(error: ValidationError, plain: Mapping[str, Any]) -> list[Problem]:
    """Turn pydantic's findings into problems in a designer's words."""
    problems: list[Problem] = []
    for found in error.errors(include_url=False):
        path = tuple(str(step) for step in found["loc"])
        in_card = len(path) > 2 and path[0] == "cards"
        path = path[: 3 if in_card else 2 if path[:1] == ("cards",) else 1]
        if not path:
            continue  # from _is_sound, which _deck_problems says better
        figure = path[-1]
        if found["type"] == "extra_forbidden":
            known = _known_figures(plain["cards"][path[1]]) if in_card else Ruleset.model_fields
            problems.append((path, f"no such figure{nearest(figure, known)}"))
            continue
        if len(path) == 2:
            problems.append((path, f"expected a table of the card's figures, got {shown(found['input'])}"))
            continue
        expected = _expected(figure)
        if found["type"] == "missing":
            problems.append((path, f"missing: expected {expected}"))
            continue
        came = found["input"]
        names = CHOICES.get(figure) or SETS.get(figure) or (("true", "false") if expected == "true or false" else ())
        hint = nearest(came, names) if isinstance(came, str) else ""
        again = ", with one of them twice" if "twice" in found["msg"] else ""
        problems.append((path, f"expected {expected}, got {shown(came)}{again}{hint}"))
    return problems


def _known_figures(card: Mapping[str, Any]) -> tuple[str, ...]:
    if card.get("type") not in TYPES or (card["type"] == "action" and card.get("primitive") not in PRIMITIVES):
        return CARD_FIGURES
    return _figures_of(card["type"], card.get("primitive"))


def _deck_problems(plain: Mapping[str, Any]) -> list[Problem]:
    """Find what is wrong between figures, card by card and in the deck, in data whose single figures may be wrong too."""
    cards = plain.get("cards")
    if not isinstance(cards, Mapping):
        return []
    tables = {kind: card for kind, card in cards.items() if isinstance(card, Mapping)}
    problems = [
        (("cards", kind), f"not an id: expected {_ID_WORDS}") for kind in cards if not _ID.fullmatch(kind)
    ]
    for kind, card in tables.items():
        problems += [(("cards", kind, figure), text) for figure, text in _card_problems(card, tables)]
    by_type = {type_: [kind for kind, card in tables.items() if card.get("type") == type_] for type_ in TYPES}
    if len(by_type["read"]) != 1:
        came = ", ".join(by_type["read"]) or "none"
        problems.append((("cards",), f"expected exactly one card of type read, got {came}"))
    if len(cards) > MAX_KINDS:
        problems.append((("cards",), f"expected at most {MAX_KINDS} kinds, got {len(cards)}"))
    if len(by_type["merch"]) > MAX_MERCH_KINDS:
        problems.append((("cards",), f"expected at most {MAX_MERCH_KINDS} Merch kinds, got {len(by_type['merch'])}"))
    copies = [card.get("copies") for card in tables.values()]
    if all(type(n) is int and n >= 0 for n in copies):
        problems += _size_problems(sum(copies), plain)
    return problems


def _size_problems(n_cards: int, plain: Mapping[str, Any]) -> Iterable[Problem]:
    if n_cards > MAX_CARDS:
        yield ("cards",), f"expected at most {MAX_CARDS} cards in the deck, got {n_cards}"
    if n_cards < 2:
        yield ("cards",), f"expected at least one card besides Read, got a deck of {n_cards}"
    hand_size, replace = plain.get("hand_size"), plain.get("replace_dealt_read") is True
    if type(hand_size) is int and 0 <= hand_size <= MAX_CARDS:
        short = _cannot_deal(n_cards, MIN_SEATS, hand_size, replace)
        if short:
            yield ("hand_size",), short


def _card_problems(card: Mapping[str, Any], cards: Mapping[str, Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    """Find figures that do not go with the card's type and primitive, as (figure, what is wrong)."""
    type_, primitive = card.get("type"), card.get("primitive")
    if type_ not in TYPES:
        return
    if type_ == "read" and type(card.get("copies")) is int and card["copies"] != 1:
        yield "copies", f"expected 1, there is only one Read; got {card['copies']}"
    if type_ != "merch" and isinstance(card.get("assumed"), list) and "value" in card["assumed"]:
        yield "assumed", f"expected no value in it, {type_words[type_]} has none"
    if type_ == "action" and primitive is None:
        yield "primitive", f"missing: expected {_expected('primitive')}"
    if type_ == "action" and primitive not in PRIMITIVES:
        return
    own = _figures_of(type_, primitive)
    subject = primitive if type_ == "action" else type_words[type_]
    for figure in CARD_FIGURES:
        if card.get(figure) is not None and figure not in own:
            yield figure, f"{subject} has no {figure}; its figures are {', '.join(own)}"
        elif card.get(figure) is None and figure in own and figure not in ("name", "copies", "family", "assumed"):
            yield figure, f"missing: expected {_expected(figure)}"
    if type_ != "action":
        return
    if card.get("family") is not None and not PRIMITIVES[primitive].targets:
        against = ", ".join(name for name, what in PRIMITIVES.items() if what.targets)
        yield "family", f"{primitive} is played against nobody, so nothing can cancel it; a family goes with {against}"
    kind = card.get("kind")
    if "kind" in own and isinstance(kind, str) and cards.get(kind, {}).get("type") != "merch":
        merch = [other for other, its in cards.items() if its.get("type") == "merch"]
        yield "kind", f"expected the id of a Merch kind, got {shown(kind)}{nearest(kind, merch)}"


def _cannot_deal(n_cards: int, seats: int, hand_size: int, replace_dealt_read: bool) -> str:
    """Say why the deck cannot be dealt and what to do, or nothing where it can."""
    spare = int(replace_dealt_read)
    needed = seats * hand_size + spare
    if needed <= n_cards:
        return ""
    sum_ = f"{seats} seats with {hand_size} cards each" + (" and one in Read's place" if spare else "")
    fewer = (n_cards - spare) // hand_size
    remedies = [f"{fewer} seats"] if MIN_SEATS <= fewer < seats else []
    remedies += [f"hand_size = {(n_cards - spare) // seats}", f"{needed - n_cards} more cards"]
    return f"{sum_} need {needed} cards, the deck has {n_cards}; use at most {' or '.join(remedies[:-1])}, or {remedies[-1]}"


def _in_file_order(problems: list[Problem], plain: Mapping[str, Any]) -> list[Problem]:
    figures = list(plain)
    cards = list(plain["cards"]) if isinstance(plain.get("cards"), dict) else []

    def place(problem: Problem) -> tuple[int, int]:
        path = problem[0]
        figure = figures.index(path[0]) if path and path[0] in figures else len(figures)
        return figure, cards.index(path[1]) if path[1:] and path[1] in cards else -1

    return sorted(dict.fromkeys(problems), key=place)
