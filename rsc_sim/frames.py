"""The columns that games leave behind, as Polars frames.

The engine hands over packed rows of numbers and arrays of counts; `games_frame`, `cards_frame` and `windows_frame` turn
them into the frames that parts hold and analysis reads, and `seats_frame` derives the tidy one, a row a seat and game.
What each column means is in docs/contracts.md. Rows of `games` are in order of `game`, so that the games of a block
stand together; analysis relies on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

__all__ = [
    "ENDS",
    "EVENTS",
    "INTERVENTIONS",
    "KEYS",
    "STUCK",
    "cards_frame",
    "cards_schema",
    "games_frame",
    "games_schema",
    "seats_frame",
    "seats_of",
    "summed",
    "windows_frame",
    "windows_schema",
]

ENDS = ("escape", "turn_cap", "deadlock")
STUCK = ("no", "threshold", "tickets", "lone_turn", "stalled")
INTERVENTIONS = ("swapped", "same", "none_left", "not_reached")
EVENTS = ("opening", "drawn", "tabled", "played", "reacted", "discarded", "lost", "in_hand_at_end", "never_seen")

KEYS: Final = {
    "cards": ("batch", "strategy", "kind", "event"),
    "windows": ("batch", "strategy", "round", "lacks_read", "lacks_ticket", "lacks_merch"),
}
"""What tells the rows of a tallied table apart; its other columns are sums."""

_AT_ONCE = 8_192
"""Rows that stay in the processor's cache while they are taken apart, column by column: 80 ns a game against 170."""

Counts = npt.NDArray[np.uint64]

_GAME: dict[str, Any] = {
    "game": pl.UInt64,
    "block": pl.UInt32,
    "rotation": pl.UInt8,
    "first_seat": pl.UInt8,
    "read_dealt": pl.Int8,
    "turns": pl.UInt16,
    "rounds": pl.UInt16,
    "decisions": pl.UInt32,
    "end": pl.Enum(ENDS),
    "stuck": pl.Enum(STUCK),
    "escaper": pl.Int8,
    "winner": pl.Int8,
    "read_moves": pl.UInt16,
    "lead_changes": pl.UInt16,
    "cancelled": pl.UInt16,
    "trace": pl.UInt64,
}


def games_schema(seats: int, strategies: Sequence[str], *, intervention: bool = False) -> dict[str, Any]:
    """Give each column of the `games` frame, in order, with its type; `strategies` are the run's distinct specs."""
    schema = dict(_GAME)
    for i in range(seats):
        schema[f"strategy_{i}"] = pl.Enum(strategies)
        schema[f"score_{i}"] = pl.Int32
        schema[f"merch_{i}"] = pl.Int32
        schema[f"won_{i}"] = pl.Float32
        schema[f"cards_{i}"] = pl.UInt16
    if intervention:
        schema["iv"] = pl.Enum(INTERVENTIONS)
    return schema


def games_frame(pieces: Sequence[npt.NDArray[np.void]], schema: dict[str, Any]) -> pl.DataFrame:
    """Turn the engine's packed rows, one a game, piece by piece, into the `games` frame of that schema."""
    layout = pieces[0].dtype
    columns = {name: np.empty(sum(map(len, pieces)), dtype=layout[name]) for name in schema}
    first = 0
    for piece in pieces:
        for start in range(0, len(piece), _AT_ONCE):
            rows = piece[start : start + _AT_ONCE]
            for name, column in columns.items():
                column[first : first + len(rows)] = rows[name]
            first += len(rows)
    return pl.DataFrame([_column(columns[name], name, dtype) for name, dtype in schema.items()])


def cards_schema(strategies: Sequence[str], kinds: Sequence[str]) -> dict[str, Any]:
    """Give each column of the `cards` frame, in order, with its type."""
    return {
        "batch": pl.UInt32,
        "strategy": pl.Enum(strategies),
        "kind": pl.Enum(kinds),
        "event": pl.Enum(EVENTS),
        "seat_games": pl.UInt64,
        "copies": pl.UInt64,
        "wins": pl.UInt64,
    }


def cards_frame(first_batch: int, counts: Counts, schema: dict[str, Any]) -> pl.DataFrame:
    """Turn the engine's counts [batch, strategy, event, kind, 3] into the `cards` frame; what never occurred is out."""
    flat = counts.reshape(-1, 3)
    at = np.flatnonzero(flat[:, 0])
    batch, strategy, event, kind = _places(at, counts.shape[:4])
    sums = np.ascontiguousarray(flat[at].T)
    columns = dict(zip(schema, (batch + np.uint32(first_batch), strategy, kind, event, *sums), strict=True))
    return pl.DataFrame([_column(columns[name], name, dtype) for name, dtype in schema.items()])


def windows_schema(strategies: Sequence[str]) -> dict[str, Any]:
    """Give each column of the `windows` frame, in order, with its type."""
    return {
        "batch": pl.UInt32,
        "strategy": pl.Enum(strategies),
        "round": pl.UInt8,
        "lacks_read": pl.Boolean,
        "lacks_ticket": pl.Boolean,
        "lacks_merch": pl.Boolean,
        "windows": pl.UInt64,
    }


def windows_frame(first_batch: int, counts: Counts, schema: dict[str, Any]) -> pl.DataFrame:
    """Turn the engine's counts [batch, strategy, round, missing] into the `windows` frame, without what is zero."""
    flat = counts.reshape(-1)
    at = np.flatnonzero(flat)
    batch, strategy, turn, missing = _places(at, counts.shape)
    lacks = (missing & bit != 0 for bit in (1, 2, 4))
    columns = dict(
        zip(schema, (batch + np.uint32(first_batch), strategy, turn + np.uint8(1), *lacks, flat[at]), strict=True)
    )
    return pl.DataFrame([_column(columns[name], name, dtype) for name, dtype in schema.items()])


def _places(at: npt.NDArray[np.intp], shape: tuple[int, ...]) -> list[npt.NDArray[Any]]:
    """Turn places in a flat array into indices, 32 bits wide for the first axis and 8 for the others.

    `numpy.unravel_index` gives 64 bits for each, which takes three times as long with what follows.
    """
    indices: list[npt.NDArray[Any]] = []
    rest = at.astype(np.uint32)
    for size in reversed(shape[1:]):
        above = rest // np.uint32(size)
        indices.append((rest - above * np.uint32(size)).astype(np.uint8))
        rest = above
    return [rest, *reversed(indices)]


def summed(table: str, parts: pl.LazyFrame) -> pl.LazyFrame:
    """Add up a tallied table over parts, since a batch may lie in two of them; rows come in order of their keys."""
    keys = KEYS[table]
    return parts.group_by(keys).agg(pl.exclude(keys).sum()).sort(keys)


def _column(values: npt.NDArray[Any], name: str, dtype: Any) -> pl.Series:
    if isinstance(dtype, pl.Enum):
        # Gathering by code, not a cast: polars 1 and 2 disagree on how numbers become an Enum.
        return pl.Series(name, dtype.categories, dtype=dtype).gather(values)
    return pl.Series(name, values, dtype=dtype)


def seats_of(games: pl.LazyFrame) -> int:
    """Count the seats of a `games` frame by its columns."""
    return sum(name.startswith("won_") for name in games.collect_schema().names())


def seats_frame(games: pl.LazyFrame) -> pl.LazyFrame:
    """Derive the tidy frame: a row a seat and game, with `place`, 0 for the seat that plays first.

    Rows come seat by seat, not game by game: sort by `game` and `seat` where order matters.
    """
    seats = seats_of(games)
    return pl.concat(
        [
            games.select(
                "game",
                "block",
                "rotation",
                pl.lit(seat, dtype=pl.UInt8).alias("seat"),
                ((pl.lit(seat + seats, dtype=pl.UInt8) - pl.col("first_seat")) % seats).cast(pl.UInt8).alias("place"),
                pl.col(f"strategy_{seat}").alias("strategy"),
                pl.col(f"score_{seat}").alias("score"),
                pl.col(f"merch_{seat}").alias("merch"),
                pl.col(f"won_{seat}").alias("won"),
                pl.col(f"cards_{seat}").alias("cards"),
            )
            for seat in range(seats)
        ]
    )
