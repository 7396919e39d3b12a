"""The layout of a row, for NumPy, and the names of what the engine codes.

Byte for byte the structs of `record.pxd`; names, types and codes are those of the `games` table in docs/contracts.md,
section 8.
"""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = ["DECISIONS", "ENDS", "HAPPENINGS", "INTERVENTIONS", "STUCK", "row_dtype"]

DECISIONS: Final = (None, "escape", "put_down", "take", "table_more", "react")
HAPPENINGS: Final = (
    *(None, "escape", "stay", "discard", "table", "play", "take", "stop", "pass", "react", "deal", "display", "first"),
    *("turn", "missed", "renew", "draw", "empty", "passed", "picked", "found", "not_found", "cancelled", "moved_read"),
    *("moved", "returned", "moved_protect", "swapped", "end"),
)
"""The verbs of moves, then what else happens in a game."""

ENDS: Final = ("escape", "turn_cap", "deadlock")
STUCK: Final = ("no", "threshold", "tickets", "lone_turn", "stalled")
INTERVENTIONS: Final = ("swapped", "same", "none_left", "not_reached")

_GAME: Final = (
    ("game", "<u8"),
    ("trace", "<u8"),
    ("block", "<u4"),
    ("decisions", "<u4"),
    ("turns", "<u2"),
    ("rounds", "<u2"),
    ("read_moves", "<u2"),
    ("lead_changes", "<u2"),
    ("cancelled", "<u2"),
    ("first_seat", "u1"),
    ("rotation", "u1"),
    ("read_dealt", "i1"),
    ("end", "u1"),
    ("stuck", "u1"),
    ("escaper", "i1"),
    ("winner", "i1"),
    ("iv", "u1"),
)
_SEAT: Final = (("score", "<i4"), ("merch", "<i4"), ("won", "<f4"), ("cards", "<u2"), ("strategy", "u1"))
_GAME_BYTES: Final = 48
_SEAT_BYTES: Final = 16


def row_dtype(seats: int) -> np.dtype[np.void]:
    """Describe one row of a game with that many seats: 48 bytes, and 16 for each seat, the rest of each being padding
    of 0.
    """
    names: list[str] = []
    formats: list[str] = []
    offsets: list[int] = []

    def add(columns: tuple[tuple[str, str], ...], start: int, suffix: str) -> None:
        at = start
        for name, kind in columns:
            names.append(name + suffix)
            formats.append(kind)
            offsets.append(at)
            at += np.dtype(kind).itemsize

    add(_GAME, 0, "")
    for seat in range(seats):
        add(_SEAT, _GAME_BYTES + seat * _SEAT_BYTES, f"_{seat}")
    size = _GAME_BYTES + seats * _SEAT_BYTES
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})
