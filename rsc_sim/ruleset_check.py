"""What a ruleset may say, and what is wrong with one that says something else.

The vocabulary (types, families, primitives and their parameters, limits) stands here once, beside the checks that use
it. Data whose single figures are wrong are still checked for what is wrong between figures, so that one pass finds
everything. A problem is a path of keys and a sentence; `ruleset` says which file, or row of a table, the keys are in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from rsc_sim.errors import nearest
from rsc_sim.ruleset_text import shown

__all__ = [
    "CARD_FIGURES",
    "CHOICES",
    "FAMILIES",
    "LIMITS",
    "MAX_CARDS",
    "MAX_KINDS",
    "MAX_MERCH_KINDS",
    "MAX_SEATS",
    "MIN_SEATS",
    "PRIMITIVES",
    "SETS",
    "TYPES",
    "Keys",
    "Primitive",
    "Problem",
    "cannot_deal",
    "deck_problems",
    "figure_problems",
    "figures_of",
    "in_file_order",
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
    "primitive": get_args(PrimitiveName),
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
CARD_FIGURES = (
    *("name", "type", "copies", "value", "primitive", "max_value", "count", "kind", "family", "cancels", "assumed"),
)

_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_WORDS: Mapping[str, str] = {
    "id": "a small letter, then small letters, digits and _, at most 40 in all",
    "name": "a name of 1 to 80 printable characters, without blanks at its ends",
    "kind": "the id of a Merch kind",
    "cards": "tables [cards.ID], one for each kind",
}
_A_CARD: Mapping[str, str] = {
    "read": "Read",
    "ticket": "a ticket",
    "merch": "a Merch",
    "action": "an action",
    "reaction": "a reaction",
}

Keys = tuple[str, ...]
Problem = tuple[Keys, str]


def figures_of(type_: str, primitive: str | None) -> tuple[str, ...]:
    """Name the figures of a card of this type and, for an action, primitive, in the order of the file."""
    own: tuple[str, ...] = ()
    if type_ == "merch":
        own = ("value",)
    elif type_ == "action" and primitive is not None:
        own = ("primitive", *PRIMITIVES[primitive].parameters, "family")
    elif type_ == "reaction":
        own = ("cancels",)
    return ("name", "type", "copies", *own, "assumed")


# ------------------------------------------------------------------------------------------------------- single figures


def _expected(figure: str) -> str:
    """Say in words what a figure may be."""
    if figure in LIMITS:
        return "a whole number from {} to {}".format(*LIMITS[figure])
    if figure in CHOICES:
        return f"one of {', '.join(CHOICES[figure])}"
    if figure in SETS:
        some = "a list of some of" if figure == "assumed" else "a list of one or more of"
        return f"{some} {', '.join(SETS[figure])}"
    return _WORDS.get(figure, "true or false")


def figure_problems(
    findings: Iterable[Mapping[str, Any]], plain: Mapping[str, Any], figures: Iterable[str]
) -> list[Problem]:
    """Word what pydantic found (`ValidationError.errors()`) in `plain`; `figures` are the ruleset's own."""
    problems: list[Problem] = []
    for found in findings:
        if found["type"] == "too_short" and found["input"]:
            continue  # short only of the members that are complained about already
        loc = tuple(str(step) for step in found["loc"])
        # Deeper steps are the members of a list; an empty path is the check between figures, worded by deck_problems.
        keys = loc[:3] if loc[:1] == ("cards",) else loc[:1]
        if keys:
            known = figures if len(keys) == 1 else _known_figures(plain["cards"][keys[1]])
            problems.append((keys, _figure_problem(keys, found, known)))
    return problems


def _figure_problem(keys: Keys, found: Mapping[str, Any], known: Iterable[str]) -> str:
    figure, came = keys[-1], found["input"]
    if found["type"] == "extra_forbidden":
        return f"no such figure{nearest(figure, known)}"
    if len(keys) == 2:
        return f"expected a table of the card's figures, got {shown(came)}"
    expected = _expected(figure)
    if found["type"] == "missing":
        return f"missing: expected {expected}"
    choices = CHOICES.get(figure) or SETS.get(figure) or (("true", "false") if expected == "true or false" else ())
    hint = nearest(came.lower(), choices) if isinstance(came, str) and came not in choices else ""
    twice = ", which names one twice" if "twice" in found["msg"] else ""
    return f"expected {expected}, got {shown(came)}{twice}{hint}"


def _known_figures(card: Any) -> tuple[str, ...]:
    if not isinstance(card, Mapping):
        return CARD_FIGURES
    type_, primitive = card.get("type"), card.get("primitive")
    if type_ not in TYPES or (type_ == "action" and primitive not in CHOICES["primitive"]):
        return CARD_FIGURES
    return figures_of(type_, primitive)


# ------------------------------------------------------------------------------------------------------ between figures


def deck_problems(plain: Mapping[str, Any], seats: int = MIN_SEATS) -> list[Problem]:
    """Find what is wrong between figures, card by card and in the deck; single figures may be anything.

    A deck must do for two seats; one that does not is told of as `seats` would need it.
    """
    cards = plain.get("cards")
    if not isinstance(cards, Mapping):
        return []
    problems: list[Problem] = []
    tables = {kind: card for kind, card in cards.items() if isinstance(card, Mapping)}
    for kind in cards:
        if not _ID.fullmatch(kind):
            problems.append((("cards", kind), f"not an id: expected {_WORDS['id']}"))
        problems += [(("cards", kind, figure), text) for figure, text in _card_problems(tables.get(kind, {}), tables)]

    reads = [kind for kind, card in tables.items() if card.get("type") == "read"]
    n_merch = sum(card.get("type") == "merch" for card in tables.values())
    if len(reads) != 1:
        came = ", ".join(reads) or "none"
        problems.append((("cards",), f"expected exactly one card of type read, got {came}"))
    if len(cards) > MAX_KINDS:
        problems.append((("cards",), f"expected at most {MAX_KINDS} kinds, got {len(cards)}"))
    if n_merch > MAX_MERCH_KINDS:
        problems.append((("cards",), f"expected at most {MAX_MERCH_KINDS} Merch kinds, got {n_merch}"))

    copies = [card.get("copies") for card in tables.values()]
    counts = [n for n in copies if type(n) is int and 0 <= n <= MAX_CARDS]
    if len(counts) == len(cards):
        problems += _size_problems(sum(counts), plain, seats)
    return problems


def _size_problems(n_cards: int, plain: Mapping[str, Any], seats: int) -> Iterable[Problem]:
    if n_cards > MAX_CARDS:
        yield ("cards",), f"expected at most {MAX_CARDS} cards in the deck, got {n_cards}"
    if n_cards < 2:
        yield ("cards",), f"expected at least one card besides Read, got a deck of {n_cards}"
        return
    hand_size = plain.get("hand_size")
    if type(hand_size) is int and 0 <= hand_size <= MAX_CARDS:
        replaces = plain.get("replace_dealt_read") is True
        if cannot_deal(n_cards, MIN_SEATS, hand_size, replaces):
            yield ("hand_size",), cannot_deal(n_cards, max(seats, MIN_SEATS), hand_size, replaces)


def _card_problems(card: Mapping[str, Any], cards: Mapping[str, Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    """Find figures that do not go with the card's type and primitive, as (figure, what is wrong)."""
    type_, primitive = card.get("type"), card.get("primitive")
    if type_ not in TYPES:
        return
    a_card = _A_CARD[type_]
    if type_ == "read" and type(card.get("copies")) is int and card["copies"] != 1:
        yield "copies", f"expected 1, since Read is unique, got {shown(card['copies'])}"
    if type_ != "merch" and isinstance(card.get("assumed"), list) and "value" in card["assumed"]:
        yield "assumed", f"expected a list of some of copies, name, since {a_card} has no value"
    if type_ == "action" and primitive is None:
        yield "primitive", f"missing: expected {_expected('primitive')}"
    if type_ == "action" and primitive not in CHOICES["primitive"]:
        return
    own = figures_of(type_, primitive)
    for figure in CARD_FIGURES:
        if card.get(figure) is None:
            if figure in own and figure not in ("name", "copies", "family", "assumed"):
                yield figure, f"missing: expected {_expected(figure)}"
        elif figure not in own:
            subject = a_card if figure == "primitive" or type_ != "action" else primitive
            yield figure, f"{subject} has no {figure}; its figures are {', '.join(own)}"
    if type_ == "action" and primitive is not None:
        yield from _action_problems(primitive, card, cards)


def _action_problems(
    primitive: str, card: Mapping[str, Any], cards: Mapping[str, Mapping[str, Any]]
) -> Iterable[tuple[str, str]]:
    what = PRIMITIVES[primitive]
    if card.get("family") is not None and not what.targets:
        against = ", ".join(name for name, other in PRIMITIVES.items() if other.targets)
        yield "family", f"{primitive} is played against nobody, so nothing can cancel it; a family goes with {against}"
    kind = card.get("kind")
    if "kind" in what.parameters and isinstance(kind, str) and cards.get(kind, {}).get("type") != "merch":
        merch = [other for other, its in cards.items() if its.get("type") == "merch"]
        yield "kind", f"expected {_expected('kind')}, got {shown(kind)}{nearest(kind, merch)}"


def cannot_deal(n_cards: int, seats: int, hand_size: int, replace_dealt_read: bool) -> str:
    """Say why the deck cannot be dealt and what to do about it, or nothing where it can."""
    spare = int(replace_dealt_read)
    needed = seats * hand_size + spare
    if needed <= n_cards:
        return ""
    each = f"{seats} seats with {hand_size} cards each" + (" and one card in Read's place" if spare else "")
    fewer = (n_cards - spare) // hand_size
    remedies = [f"at most {fewer} seats"] if fewer >= MIN_SEATS else []
    remedies += [f"a hand_size of at most {max(n_cards - spare, 0) // seats}", f"a deck of {needed} cards"]
    return f"{each} need {needed} cards, the deck has {n_cards}; use {', or '.join(remedies)}"


def in_file_order(problems: Iterable[Problem], plain: Mapping[str, Any]) -> list[Problem]:
    """Sort problems by where they are in the file, the same one only once; what is missing comes last."""
    figures, cards = list(plain), plain.get("cards")
    kinds = list(cards) if isinstance(cards, Mapping) else []

    def place(problem: Problem) -> tuple[int, int]:
        figure, *card = problem[0]
        return (
            figures.index(figure) if figure in figures else len(figures),
            kinds.index(card[0]) if card and card[0] in kinds else -1,
        )

    return sorted(dict.fromkeys(problems), key=place)
