"""Hand-made `games` frames, small enough to work out on paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
import pytest

from rsc_sim.frames import games_schema

Game = dict[str, Any]


def games_of(blocks: Sequence[Sequence[Game]], lineup: Sequence[str]) -> pl.LazyFrame:
    """Lay out blocks of games; a game names who won (None: unfinished), perhaps first, read, turns, end, stuck."""
    seats, strategies = len(lineup), list(dict.fromkeys(lineup))
    rows = []
    for block, games in enumerate(blocks):
        for rotation, game in enumerate(games):
            winner = game.get("winner")
            end = game.get("end", "turn_cap" if winner is None else "escape")
            row = {
                "game": block * len(games) + rotation,
                "block": block,
                "rotation": rotation,
                "first_seat": game.get("first", 0),
                "read_dealt": game.get("read", -1),
                "turns": game.get("turns", 10),
                "rounds": -(-game.get("turns", 10) // seats),
                "decisions": 20,
                "end": end,
                "stuck": game.get("stuck", "no" if end == "escape" else "stalled"),
                "escaper": game.get("escaper", -1 if winner is None else winner),
                "winner": -1 if winner is None else winner,
                "read_moves": 0,
                "lead_changes": 0,
                "cancelled": 0,
                "trace": 0,
            }
            for i in range(seats):
                row[f"strategy_{i}"] = lineup[(i + rotation) % seats]
                row[f"won_{i}"] = game["won"][i] if "won" in game else float(i == winner)
                row |= {f"score_{i}": 0, f"merch_{i}": 0, f"cards_{i}": 0}
            rows.append(row)
    schema = games_schema(seats, strategies)
    return pl.DataFrame(rows, schema=schema, orient="row").lazy()


@pytest.fixture
def make_games() -> Callable[..., pl.LazyFrame]:
    return games_of
