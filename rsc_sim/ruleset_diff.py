"""What two rulesets differ in, as data and in a designer's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Difference", "describe_diff", "find_differences", "meaning"]


@dataclass(frozen=True)
class Difference:
    """Hold one difference: a changed figure, a card that is new or gone, or another order of the cards.

    `old` and `new` are plain values: the figure's, the whole card's, or the ids in order. None stands for absent.
    """

    what: Literal["figure", "new_card", "card_gone", "order"]
    key: str
    old: Any
    new: Any
    card: str | None = None  # the card's name, where the difference is one card's

    @property
    def affects_play(self) -> bool:
        """Tell whether games can come out differently; names and what is assumed only change how results are read."""
        return self.what != "figure" or self.key.rpartition(".")[2] not in ("name", "assumed")


def find_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Difference]:
    """List what differs between two rulesets' plain data, in the order of the new one."""
    found = [
        Difference("figure", figure, old[figure], value)
        for figure, value in new.items()
        if figure != "cards" and value != old[figure]
    ]
    before, after = old["cards"], new["cards"]
    for kind, card in after.items():
        if kind not in before:
            found.append(Difference("new_card", f"cards.{kind}", None, card, card["name"]))
            continue
        was = before[kind]
        found += [
            Difference("figure", f"cards.{kind}.{figure}", was.get(figure), card.get(figure), was["name"])
            for figure in dict.fromkeys((*was, *card))
            if was.get(figure) != card.get(figure)
        ]
    found += [
        Difference("card_gone", f"cards.{kind}", card, None, card["name"])
        for kind, card in before.items()
        if kind not in after
    ]
    order = [kind for kind in before if kind in after], [kind for kind in after if kind in before]
    if order[0] != order[1]:
        found.append(Difference("order", "cards", *order))
    return found


def describe_diff(differences: Iterable[Difference]) -> list[str]:
    """Word differences for a designer, one line each; no difference, no line.

    >>> describe_diff([Difference("figure", "cards.escape_ticket.copies", 4, 3, "Escape Ticket")])
    ['Escape Ticket: 4 → 3 copies']
    """
    return [_line(difference) for difference in differences]


def meaning(figure: str, value: Any) -> str:
    """Say what the value of a switch means in play; nothing for a number or a list, which speak for themselves."""
    return "" if isinstance(value, (int, list)) and not isinstance(value, bool) else _MEANS.get((figure, value), "")


# What the value of a switch means, for the side that is new.
_MEANS: Mapping[tuple[str, Any], str] = {
    ("recycle_discard", True): "the discard pile becomes the new Pick-Up Pile",
    ("recycle_discard", False): "an empty Pick-Up Pile stays empty",
    ("lowest_means", "unprotected"): "the lowest-valued of the unprotected Merch is stolen",
    (
        "lowest_means",
        "tabled",
    ): "only the lowest-valued of all tabled Merch can be stolen, and not while it is protected",
    ("escape", "optional"): "a player who can escape decides",
    ("escape", "forced"): "the game ends as soon as a player can escape",
    ("redraw_after_read", True): "whoever draws Read draws one more card",
    ("redraw_after_read", False): "Read counts as the card drawn",
    ("replace_dealt_read", True): "whoever is dealt Read gets another card in his place",
    ("replace_dealt_read", False): "whoever is dealt Read begins with one card fewer",
    ("skips_stack", True): "missed turns add up",
    ("skips_stack", False): "at most one missed turn is owed",
    ("unfinished", "no_winner"): "nobody wins a game that does not end",
    ("unfinished", "score"): "the highest total wins a game that does not end",
}
_CARD_LINES: Mapping[str, str] = {
    "name": "{card}: now called {new}",
    "copies": "{card}: {old} → {new} copies",
    "value": "{card}: worth {old} → {new}",
    "max_value": "{card}: reaches Merch worth {old} → {new} or less",
    "count": "{card}: {old} → {new} cards",
    "kind": "{card}: finds {old} → {new}",
    "cancels": "{card}: cancels {old} → {new}",
}


def _line(difference: Difference) -> str:
    key, old, new = difference.key, _told(difference.old), _told(difference.new)
    figure = key.rpartition(".")[2]
    match difference.what:
        case "new_card":
            return f"new card {difference.card} ({figure}): {_card(difference.new)}"
        case "card_gone":
            return f"card gone: {difference.card} ({figure}), which was {_card(difference.old)}"
        case "order":
            return "the cards stand in another order, which decides ties and deals"
    if difference.card is None:
        means = meaning(key, difference.new)
        return f"{key}: {old} → {new}" + (f" ({means})" if means else "")
    line = _CARD_LINES.get(figure, f"{{card}}: {figure} {{old}} → {{new}}")
    text = line.format(card=difference.card, old=old, new=new)
    if figure == "copies" and 0 in (difference.old, difference.new):
        text += " (out of the deck)" if difference.new == 0 else " (into the deck)"
    if figure == "family" and difference.new is None:
        text += " (nothing can cancel it)"
    return text


def _told(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(value) or "none" if isinstance(value, list) else str(value)


def _card(card: Mapping[str, Any]) -> str:
    """Say in a few words what a card is."""
    copies = f"{card['copies']} {'copy' if card['copies'] == 1 else 'copies'}"
    match card["type"]:
        case "merch":
            what = f"Merch worth {_told(card['value'])}"
        case "action":
            given = [f"{figure}={card[figure]}" for figure in ("max_value", "count", "kind") if figure in card]
            what = card["primitive"] + (f"({', '.join(given)})" if given else "")
            what += f", family {card['family']}" if card["family"] else ""
        case "reaction":
            what = f"reaction that cancels {_told(card['cancels'])}"
        case _:
            what = card["type"]
    return f"{copies}, {what}"
