"""The numbers behind `outlook.pxd`: the names of its signs, and its network from `outlook.toml`.

The file holds whole thousandths, a table a sign, so that a person can see what a sign does and a build that orders them
otherwise still reads it right.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from rsc_sim.errors import InputError

__all__ = ["KEPT", "PARTS", "SIGNS", "UNITS", "numbers", "read"]

UNITS = 16
SIGNS = (
    "read",
    "ticket",
    "tabled",
    "rich",
    "reach",
    "reaches",
    "read_and_ticket",
    "read_and_rich",
    "ticket_and_rich",
    "all_three",
    "cards_to_table",
    "beyond_threshold",
    "turns_away",
    "up",
    "missed_turns",
    "hand",
    "ticket_times_reach",
    "read_times_reach",
    "protected",
    "tickets",
    "hands_off",
    "highest_at_risk",
    "lowest_at_risk",
    "reach_beyond",
    "lacks_only_read_and_takes_it",
    "read_and_its_reactions",
    "tables_more",
    "best_in_hand",
    "ticket_and_takes_read",
    "rich_and_takes_read",
    "merch_in_hand",
    "read_and_ticket_times_reach",
    "unused",
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
    "cancels_read",
    "cancels_merch",
    "cancels_protect",
    "cancels_hand",
    "cancels_turn",
    "cancels_reaction",
    "unused_too",
)
KEPT = (
    "ticket",
    *SIGNS[33:],
    *(f"merch_{1 << doubled}th" for doubled in range(8)),  # worth less of the threshold than half of this, or all
)
PARTS = ("linear", "own", "other", "mixed", "own_bias", "other_bias", "score", "kept")  # in the order of outlook_t


def read(text: str) -> list[float]:
    """Read a file of numbers and lay them out as `outlook_t` does; InputError where it does not fit."""
    data = tomllib.loads(text)
    flat: list[float] = []
    blank: dict[str, Any] = {"linear": 0, "own": [0] * UNITS, "other": [0] * UNITS}
    kept = data.get("kept")
    kept = kept if isinstance(kept, dict) else {}
    signs = [blank if name.startswith("unused") else data.get("signs", {}).get(name, {}) for name in SIGNS]
    columns = {
        "linear": [sign.get("linear") for sign in signs],
        "own": [x for sign in signs for x in sign.get("own", ())],
        "other": [x for sign in signs for x in sign.get("other", ())],
        "mixed": [x for row in data.get("mixed", ()) for x in row],
        **{part: data.get(part, ()) for part in PARTS[4:7]},
        "kept": [1000 if name.startswith("unused") else kept.get(name) for name in KEPT],
    }
    sizes = (len(SIGNS), len(SIGNS) * UNITS, len(SIGNS) * UNITS, UNITS * UNITS, UNITS, UNITS, UNITS, len(KEPT))
    for part, size in zip(PARTS, sizes, strict=True):
        numbers = columns[part]
        if len(numbers) != size or not all(type(number) is int for number in numbers):
            raise InputError(f"outlook: {part} expects {size} whole thousandths, got {len(numbers)} numbers")
        flat += [number / 1000 for number in numbers]
    return flat


@cache
def numbers() -> tuple[float, ...]:
    """Return the numbers that come with rsc-sim."""
    return tuple(read(resources.files("rsc_sim").joinpath("outlook.toml").read_text(encoding="utf-8")))
