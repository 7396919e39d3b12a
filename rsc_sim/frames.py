"""The columns that a game leaves behind, as Polars frames.

The engine hands over packed rows of numbers; `games_frame` turns them into the `games` frame that parts hold and
analysis reads, and `seats_frame` derives the tidy one, a row a seat and game. What each column means is in
docs/contracts.md. Rows are in order of `game`, so that the games of a block stand together; analysis relies on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

__all__ = ["ENDS", "INTERVENTIONS", "STUCK", "games_frame", "games_schema", "seats_frame", "seats_of"]

ENDS = ("escape", "turn_cap", "deadlock")
STUCK = ("no", "threshold", "tickets", "lone_turn", "stalled")
INTERVENTIONS = ("swapped", "same", "none_left", "not_reached")

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


def games_frame(rows: npt.NDArray[np.void], schema: dict[str, Any]) -> pl.DataFrame:
    """Turn the engine's packed rows, one a game, into the `games` frame of that schema."""
    return pl.DataFrame([_column(rows[name], name, dtype) for name, dtype in schema.items()])


def _column(values: npt.NDArray[Any], name: str, dtype: Any) -> pl.Series:
    dense = np.ascontiguousarray(values)
    if isinstance(dtype, pl.Enum):
        # Gathering by code, not a cast: polars 1 and 2 disagree on how numbers become an Enum.
        return pl.Series(name, dtype.categories, dtype=dtype).gather(dense)
    return pl.Series(name, dense, dtype=dtype)


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
