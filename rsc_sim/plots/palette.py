"""Colours, the same in every picture: one for each strategy by its name, one for each type of card.

They are those of Okabe and Ito, which people with any common colour blindness tell apart
(https://jfly.uni-koeln.de/color/), less its yellow, too pale on white, and with a grey and a wine red. Colour never
stands alone: rows and lines are labelled, and types of card differ in their marks too.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

__all__ = [
    "DARK",
    "ESCAPE",
    "GRID",
    "INK",
    "LETTERS",
    "PAPER",
    "SOFT",
    "STOPPED",
    "THEMED",
    "TYPES",
    "strategy_colours",
]

INK = "#1a1a1a"
SOFT = "#595959"
GRID = "#e4e4e4"
PAPER = "#ffffff"

ESCAPE = "#7d93a6"
"""Games that an escape ended, and figures of games that belong to nobody."""
STOPPED = "#d9d9d9"
"""Games that did not end; hatched as well."""

_NAMED = {
    "rusher": "#D55E00",
    "raider": "#0072B2",
    "collector": "#009E73",
    "guardian": "#CC79A7",
    "random": "#7F7F7F",
}
_SPARE = ("#E69F00", "#56B4E9", "#882255", "#1A1A1A")

TYPES = {
    "read": ("#1A1A1A", "*", "Read"),
    "ticket": ("#882255", "^", "ticket"),
    "merch": ("#E69F00", "s", "Merch"),
    "action": ("#0072B2", "o", "Action"),
    "reaction": ("#009E73", "D", "reaction"),
}
"""By type of card: colour, mark and name."""

DARK = {
    INK: "#ececec",
    SOFT: "#b4b4b4",
    GRID: "#3a3d42",
    PAPER: "#1d1f23",
    STOPPED: "#4a4d52",
    ESCAPE: "#8fa6ba",
    "#d55e00": "#f0813a",
    "#0072b2": "#4fa9e0",
    "#009e73": "#2fbf94",
    "#cc79a7": "#d98db8",
    "#7f7f7f": "#9c9c9c",
    "#e69f00": "#e8ab2c",
    "#56b4e9": "#6cc0ef",
    "#882255": "#d9799f",
    "#8f6300": "#e0b04e",
}
"""What each colour becomes on a dark page: as far from the paper there as on white."""

LETTERS = {
    "#009e73": "#007a58",
    "#d55e00": "#b04d00",
    "#cc79a7": "#9c4a78",
    "#7f7f7f": "#666666",
    "#e69f00": "#8f6300",
    "#56b4e9": "#1c6fa3",
    "#7d93a6": "#566b7d",
}
"""What a colour becomes in letters on white, where it is too pale for them."""

THEMED = {light: f"var(--c-{light[1:]}, {light})" for light in DARK}
"""A colour in a page's style sheet, which has both of it."""


def strategy_colours(specs: Iterable[str]) -> dict[str, str]:
    """Give each strategy its colour: those that come with the program their own, others one by their spec.

    Where two that sit at one table would share a colour, the later gets the next that is free.
    """
    specs = list(dict.fromkeys(specs))
    colours = {spec: _NAMED[spec] for spec in specs if spec in _NAMED}
    everything = (*_SPARE, *_NAMED.values())
    for spec in specs:
        if spec not in colours:
            first = zlib.crc32(spec.encode()) % len(_SPARE)
            choices = [*_SPARE[first:], *_SPARE[:first], *_NAMED.values()]
            colours[spec] = next((colour for colour in choices if colour not in colours.values()), everything[first])
    return colours
