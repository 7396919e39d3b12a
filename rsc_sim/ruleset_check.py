"""What a ruleset may say, and what is wrong with one that says something else.

The vocabulary (types, families, primitives and their parameters, limits) stands here once, beside the checks that use it.
Data whose single figures are wrong are still checked for what is wrong between figures, so that one pass finds
everything. A problem is a path of keys and a sentence; `ruleset` puts the name of the file before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from rsc_sim.errors import nearest
from rsc_sim.ruleset_text import shown

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

Keys = tuple[str, ...]
Problem = tuple[Keys, str]


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
