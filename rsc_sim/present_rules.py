"""Rulesets at the command line: what one holds, what two differ in, what is wrong or odd in one.

What a card does is said here in a few words, from its figures alone; the words for differences are in `ruleset_diff`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from rsc_sim.console import bullet, columns, line, paragraph
from rsc_sim.errors import InputError
from rsc_sim.ruleset import MAX_CARDS, MAX_KINDS, MAX_MERCH_KINDS, MAX_SEATS, MIN_SEATS, Card, Ruleset, describe_diff
from rsc_sim.ruleset_diff import meaning

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "card_rows",
    "diff_data",
    "figure_rows",
    "notes",
    "problem_text",
    "rules_data",
    "show_diff",
    "show_rules",
    "show_sound",
]

WIDEST = 120  # a line longer than this is harder to read than two

_FIGURES: Mapping[str, str] = {
    "hand_size": "cards dealt to each player",
    "normal_draw": "cards picked up in a turn",
    "opening_draw": "cards picked up in the first turn by whoever was dealt Read",
    "escape_threshold": "dollars of tabled Merch that it takes to escape",
    "read_points": "points for whoever holds Read at the end",
    "max_rounds": "rounds after which a game is stopped",
    "available_from": "piles that “available” Merch is taken from",
    "find_from": "piles that Merch is found in",
    "escape_when": "moments of a turn at which a player may escape",
}
_DOES: Mapping[str, str] = {
    "take_read": "take Read",
    "take_merch": "take Merch worth ${max_value:,} or less",
    "find_merch": "find one {kind}",
    "table_more": "table up to {count} Merch this turn",
    "draw": "draw {count} card{s}",
    "extra_turn": "take another turn",
    "steal_merch": "steal Merch worth ${max_value:,} or less",
    "steal_highest_merch": "steal the highest-valued Merch",
    "steal_lowest_merch": "steal the lowest-valued Merch",
    "return_merch": "return Merch worth ${max_value:,} or less to its hand",
    "steal_protect": "steal a Merch Protect",
    "steal_hand": "steal a random card of a hand",
    "discard_hand": "discard a random card of a hand",
    "skip_turn": "make a player miss a turn",
    "protect_merch": "protect one Merch for good",
    "protect_hand": "protect one card of the hand",
}


# ----------------------------------------------------------------------------------------------------------------- show


def show_rules(console: Console, rules: Ruleset) -> None:
    """Print a ruleset: figures and switches, the deck by type, totals."""
    width = min(console.width, WIDEST)
    line(console, f"Rules {rules.name!r}: {_size(rules)}", style="bold")
    console.print()
    line(console, "Figures and switches", style="bold")
    figures = figure_rows(rules)
    first = max(len(figure) for figure, *_ in figures)
    rest = max(width - first - 2 - 11 - 2 - 2, 20)
    for figure, told, means in figures:
        if len(told) > 11:
            columns(console, [(figure, told)], (first, rest + 13))
            columns(console, [("", "", means)], (first, 11, rest))
        else:
            columns(console, [(figure, told, means)], (first, 11, rest))
    console.print()
    line(
        console, "The deck" + (" (* the booklet does not give it: assumed)" if rules.assumed_figures() else ""), "bold"
    )
    widths = _card_widths(rules, width)
    columns(console, [("id", "name", "copies", "what it does")], widths, right=(2,), style="dim")
    for title, cards in _groups(rules):
        console.print()
        paragraph(console, title, style="bold")
        rows = [
            (kind, card.name + _mark(card, "name"), f"{card.copies}{_mark(card, 'copies') or ' '}", _does(rules, card))
            for kind, card in cards.items()
        ]
        columns(console, rows, widths, right=(2,))
    console.print()
    for text in _totals(rules):
        bullet(console, text)
    for text in notes(rules):
        bullet(console, text, mark="!")


def figure_rows(rules: Ruleset) -> list[tuple[str, str, str]]:
    """Give each figure and switch, its value and what it means."""
    figures = [(figure, value) for figure, value in rules.to_dict().items() if figure not in ("name", "cards")]
    return [(figure, _told(value), meaning(figure, value) or _FIGURES[figure]) for figure, value in figures]


def card_rows(rules: Ruleset) -> list[tuple[str, str, str]]:
    """Give each card's name, copies and what it does, with a star at what is assumed."""
    return [
        (card.name + _mark(card, "name"), f"{card.copies}{_mark(card, 'copies')}", _does(rules, card))
        for _, cards in _groups(rules)
        for card in cards.values()
    ]


def _size(rules: Ruleset) -> str:
    return f"{rules.n_cards} cards of {sum(card.copies > 0 for card in rules.cards.values())} kinds"


def _told(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _groups(rules: Ruleset) -> Iterator[tuple[str, dict[str, Card]]]:
    """Give the cards by type, actions by what can cancel them, with a title for each group."""
    cards = rules.cards

    def some(type_: str) -> dict[str, Card]:
        return {kind: card for kind, card in cards.items() if card.type == type_}

    groups = [("Read and what it takes to escape", some("read") | some("ticket")), ("Merch", some("merch"))]
    actions, reactions = some("action"), some("reaction")
    for family in dict.fromkeys(card.family for card in actions.values()):
        title = "Actions that nothing cancels"
        if family is not None:
            against = [card.name for card in reactions.values() if card.copies and family in (card.cancels or ())]
            title = f"Actions of the family “{family}”, cancelled by {', '.join(against) or 'no card of this deck'}"
        groups.append((title, {kind: card for kind, card in actions.items() if card.family == family}))
    groups.append(("Reactions", reactions))
    return ((title, group) for title, group in groups if group)


def _card_widths(rules: Ruleset, width: int) -> tuple[int, int, int, int]:
    """Share the width out: names are wrapped where they would leave too little for what cards do."""
    ids = min(max(map(len, rules.kinds)), 24)
    copies = len("copies ")
    rest = width - ids - copies - 4 * 2
    names = max(cell_len(card.name) for card in rules.cards.values()) + 1
    names = max(min(names, rest - len("steal Merch worth $100 or less")), 12)
    return ids, names, copies, max(rest - names, 12)


def _mark(card: Card, figure: str) -> str:
    return "*" if figure in card.assumed else ""


def _does(rules: Ruleset, card: Card) -> str:
    """Say what a card does or is worth, in a few words."""
    if card.type == "merch":
        return f"${card.value:,}{_mark(card, 'value')}"
    if card.type == "reaction":
        return f"cancels {', '.join(card.cancels or ())}"
    if card.primitive is None:
        return "displayed, never in a hand" if card.type == "read" else "needed to escape"
    found = rules.cards[card.kind].name if card.kind else ""
    plural = "" if card.count == 1 else "s"
    return _DOES[card.primitive].format(max_value=card.max_value, count=card.count, s=plural, kind=found)


def _totals(rules: Ruleset) -> Iterator[str]:
    merch = [card for card in rules.cards.values() if card.type == "merch"]
    yield (
        f"Merch: {sum(card.copies for card in merch)} cards, worth ${rules.merch_total:,} together; "
        f"escaping takes ${rules.escape_threshold:,}."
    )
    yield f"The deck can be dealt to {_seats(rules)}."
    if assumed := len(rules.assumed_figures()):
        yield f"{assumed} names, copies and values are assumed, for the booklet does not give them."
    if n := sum(difference.affects_play for difference in Ruleset.booklet().diff(rules)):
        yield f"{_count(n, 'difference')} from the booklet; `rsc rules diff` names them."


def most_seats(rules: Ruleset) -> int:
    """Count the seats that the deck can deal to at most."""
    for seats in range(MAX_SEATS, MIN_SEATS, -1):
        try:
            rules.check_seats(seats)
        except InputError:
            continue
        return seats
    return MIN_SEATS


def _seats(rules: Ruleset) -> str:
    most = most_seats(rules)
    return f"{MIN_SEATS} seats only" if most == MIN_SEATS else f"{MIN_SEATS} to {most} seats"


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def rules_data(rules: Ruleset) -> dict[str, Any]:
    """Give what `show_rules` prints, as plain data."""
    return {
        "ruleset": rules.to_dict(),
        "digest": rules.digest,
        "n_cards": rules.n_cards,
        "merch_total": rules.merch_total,
        "most_seats": most_seats(rules),
        "assumed": dict(rules.assumed_figures()),
        "notes": notes(rules),
    }


# ----------------------------------------------------------------------------------------------------------------- diff


def show_diff(console: Console, old: Ruleset, new: Ruleset, names: tuple[str, str]) -> None:
    """Print what is different in `new`: what changes play first, then what changes reading only."""
    differences = [difference for difference in old.diff(new) if difference.key != "name"]  # the title names both
    title = f"From {names[0]} to {names[1]}: "
    if not differences:
        line(console, title + "no difference")
        return
    playing = [difference for difference in differences if difference.affects_play]
    reading = [difference for difference in differences if not difference.affects_play]
    line(console, title + _count(len(differences), "difference"), style="bold")
    if playing:
        for text in describe_diff(playing):
            bullet(console, text)
    if reading:
        if playing:
            console.print()
        line(console, "Names and what is marked as assumed (games stay the same)", style="bold")
        for text in describe_diff(reading):
            bullet(console, text)
    changed = [f"{what} {before} → {after}" for what, before, after in _changed_totals(old, new) if before != after]
    if changed:
        console.print()
        paragraph(console, f"In all: {'; '.join(changed)}.")


def _changed_totals(old: Ruleset, new: Ruleset) -> Iterator[tuple[str, str, str]]:
    yield "cards", str(old.n_cards), str(new.n_cards)
    yield "all Merch together", f"${old.merch_total:,}", f"${new.merch_total:,}"
    yield "can be dealt to", _seats(old), _seats(new)


def diff_data(old: Ruleset, new: Ruleset, names: tuple[str, str]) -> dict[str, Any]:
    """Give what `show_diff` prints, as plain data."""
    differences = old.diff(new)
    return {
        "old": {"source": names[0], "digest": old.digest},
        "new": {"source": names[1], "digest": new.digest},
        "differences": [
            {
                "what": difference.what,
                "key": difference.key,
                "old": difference.old,
                "new": difference.new,
                "affects_play": difference.affects_play,
                "words": words,
            }
            for difference, words in zip(differences, describe_diff(differences), strict=True)
        ],
    }


# ------------------------------------------------------------------------------------------------------------- validate


def problem_text(file: str, problems: list[str]) -> str:
    """Word what is wrong with a file: the file and a count, then one problem a line."""
    if len(problems) == 1:
        return f"{file}: {problems[0]}"
    return "\n     ".join([f"{file}: {len(problems)} problems", *problems])


def show_sound(console: Console, rules: Ruleset, file: str) -> None:
    """Print that a ruleset is sound, what that covers, and what is odd about it all the same."""
    n_merch = sum(card.type == "merch" for card in rules.cards.values())
    line(console, f"{file}: a sound ruleset", style="bold")
    bullet(console, "Every figure and switch is there and within its limits, and each card has what its type asks for.")
    bullet(
        console,
        f"{len(rules.kinds)} kinds (at most {MAX_KINDS}), {n_merch} of them Merch (at most {MAX_MERCH_KINDS}), "
        f"{rules.n_cards} cards (at most {MAX_CARDS}).",
    )
    bullet(console, f"The deck can be dealt to {_seats(rules)}.")
    if file.lower().endswith(".csv"):
        bullet(console, "It is played with the figures and switches of the booklet.")
    for text in notes(rules):
        bullet(console, text, mark="!")


def notes(rules: Ruleset) -> list[str]:
    """Name what is allowed and yet hardly meant."""
    found = []
    if rules.merch_total < rules.escape_threshold:
        found.append(
            f"Nobody can escape: all Merch together is worth ${rules.merch_total:,}, escaping takes "
            f"${rules.escape_threshold:,}."
        )
    if not any(card.type == "ticket" and card.copies for card in rules.cards.values()):
        found.append("Nobody can escape: the deck has no Escape Ticket.")
    if rules.normal_draw == 0:
        found.append("Nobody picks up a card in a turn: normal_draw is 0.")
    out = [card.name for card in rules.cards.values() if not card.copies]
    if out:
        found.append(f"Not in the deck (0 copies): {', '.join(out)}.")
    return found
