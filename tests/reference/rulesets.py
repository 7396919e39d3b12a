"""Random rulesets that stress every switch, figure and primitive, as plain dicts of contracts 1 with a number of seats.

`rulesets()` is the hypothesis strategy, `random_ruleset(rng)` the same for bulk runs. Both make the choices of one
function, so what the one can make the other can. Shrinking goes towards few kinds, few copies and the booklet's
switches.
"""

import random
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

MAX_CARDS, MAX_KINDS, MAX_MERCH = 255, 64, 16
FAMILIES = ("read", "merch", "protect", "hand", "turn")
PRIMITIVES = (
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
)
# Only what is played against another seat can have a family. The booklet's is used most: a random one seldom meets a
# reaction that lists it.
USUAL_FAMILY = {
    "take_read": "read",
    "steal_merch": "merch",
    "steal_highest_merch": "merch",
    "steal_lowest_merch": "merch",
    "return_merch": "merch",
    "steal_protect": "protect",
    "steal_hand": "hand",
    "discard_hand": "hand",
    "skip_turn": "turn",
}


class Choices(Protocol):
    """Where choices come from; hypothesis shrinks towards the low end and the first option."""

    def integer(self, low: int, high: int) -> int: ...

    def one_of(self, options: Sequence[T]) -> T: ...

    def shuffled(self, items: Sequence[T]) -> list[T]: ...


class RandomChoices:
    def __init__(self, rng: random.Random):
        self.rng = rng

    def integer(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def one_of(self, options: Sequence[T]) -> T:
        return self.rng.choice(options)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self.rng.sample(items, len(items))


class DrawnChoices:
    def __init__(self, draw: st.DrawFn):
        self.draw = draw

    def integer(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def one_of(self, options: Sequence[T]) -> T:
        return self.draw(st.sampled_from(options))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self.draw(st.permutations(items))


@st.composite
def rulesets(draw: st.DrawFn) -> tuple[dict[str, Any], int]:
    """Draw a valid ruleset and a number of seats that its deck can deal."""
    return make_ruleset(DrawnChoices(draw))


def random_ruleset(rng: random.Random) -> tuple[dict[str, Any], int]:
    return make_ruleset(RandomChoices(rng))


def make_ruleset(choose: Choices) -> tuple[dict[str, Any], int]:
    cards = make_cards(choose)
    n_cards = sum(card["copies"] for card in cards.values())
    seats = choose.integer(2, 8)
    replace_dealt_read = choose.one_of([False, True])
    largest = min(9, (n_cards - replace_dealt_read) // seats)
    rules = {
        "name": "random",
        # The largest often: a deck dealt out, or nearly, begins with an empty pile.
        "hand_size": choose.one_of([choose.integer(0, largest), largest]),
        "normal_draw": choose.one_of([1, 1, 1, 2, 3, 0]),
        "opening_draw": choose.integer(0, 4),
        "escape_threshold": choose.one_of([0, 1, 5, 20, 60, 150, 400, 1000, 4000, 100_000]),
        "read_points": choose.one_of([10_000, 0, 1, 30, 300, 1_000_000]),
        "recycle_discard": choose.one_of([True, True, False]),
        "available_from": choose.one_of([["discard", "pickup"], ["pickup", "discard"], ["discard"], ["pickup"]]),
        "find_from": choose.one_of([["pickup"], ["discard", "pickup"], ["pickup", "discard"], ["discard"]]),
        "lowest_means": choose.one_of(["unprotected", "tabled"]),
        "escape": choose.one_of(["optional", "forced"]),
        "escape_when": choose.one_of(
            [
                ["after_pick_up", "after_put_down"],
                ["after_pick_up"],
                ["after_put_down"],
                ["after_put_down", "after_pick_up"],
            ]
        ),
        "redraw_after_read": choose.one_of([False, True]),
        "replace_dealt_read": replace_dealt_read,
        "skips_stack": choose.one_of([True, False]),
        "unfinished": choose.one_of(["no_winner", "score"]),
        "max_rounds": choose.one_of([choose.integer(1, 60), choose.integer(1, 60), 200]),
        "cards": cards,
    }
    return rules, seats


def make_cards(choose: Choices) -> dict[str, dict[str, Any]]:
    # A small deck soon lies in one hand or in none: lone turns, deadlocks, piles that run out.
    small = choose.one_of([True, False, False, False])
    n_merch = choose.integer(1, 3 if small else MAX_MERCH)
    n_tickets = choose.one_of([1, 1, 2, 3, 0])
    n_reactions = choose.integer(0, 1 if small else 6)
    most_actions = 3 if small else choose.one_of([8, 20, MAX_KINDS - 1 - n_merch - n_tickets - n_reactions])
    n_actions = choose.integer(0, most_actions)

    kinds: dict[str, dict[str, Any]] = {"read": {"type": "read"}}
    # A narrow range of values makes ties, a wide one tells the highest from the lowest.
    highest = choose.one_of([3, 50, 600])
    merch = [f"merch_{i}" for i in range(n_merch)]
    kinds |= {kind: {"type": "merch", "value": choose.integer(0, highest)} for kind in merch}
    kinds |= {f"ticket_{i}": {"type": "ticket"} for i in range(n_tickets)}
    kinds |= {f"action_{i}": make_action(choose, merch, highest) for i in range(n_actions)}
    for i in range(n_reactions):
        cancels = choose.shuffled([*FAMILIES, "reaction"])[: choose.integer(1, 6)]
        if choose.one_of([False, True]) and "reaction" not in cancels:
            cancels.append("reaction")
        kinds[f"reaction_{i}"] = {"type": "reaction", "cancels": cancels}

    left = MAX_CARDS - 1
    cards = {}
    for kind in choose.shuffled(list(kinds)):
        copies = 1
        if kind != "read":
            copies = min(left, choose.integer(0, choose.one_of([2] if small else [3, 3, 3, 8, 8, 40])))
            left -= copies
        cards[kind] = {"name": kind.replace("_", " ").title(), "copies": copies, "assumed": [], **kinds[kind]}

    # Room for the smallest deal: eight hands of none and the card in Read's place.
    if left == MAX_CARDS - 1:
        cards[merch[0]]["copies"] = 1
    return cards


def make_action(choose: Choices, merch: list[str], highest: int) -> dict[str, Any]:
    primitive = choose.one_of(PRIMITIVES)
    usual = USUAL_FAMILY.get(primitive)
    family = usual and choose.one_of([*[usual] * 6, None, *FAMILIES])
    action: dict[str, Any] = {"type": "action", "primitive": primitive, "family": family}
    if primitive in ("take_merch", "steal_merch", "return_merch"):
        action["max_value"] = choose.integer(0, highest + 1)
    elif primitive in ("draw", "table_more"):
        action["count"] = choose.integer(1, 4)
    elif primitive == "find_merch":
        action["kind"] = choose.one_of(merch)
    return action
