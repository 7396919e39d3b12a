"""What a game is like to play, in figures: who leads and for how long, what is done to others, what there is to choose.

`FIGURES` holds the definition of each and where the measure comes from; docs/feel.md tells them at length. The games'
columns are those of `games` and of `FEEL` in `engine/feel.pyx`. All figures but quantiles are ratios of sums over
blocks, the games of a deal together, with the jackknife over blocks for their spread.

The leader is the seat with most tabled Merch, as in `lead_changes`; figures whose names begin with `points_` go by
points instead, Read's counted for whoever displays it, which is what the winner is told by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from rsc_sim.analysis.batches import Numbers, batch_difference, batch_rate, batch_share, jackknife, ratio
from rsc_sim.analysis.intervals import LEVEL, Estimate, critical_value
from rsc_sim.analysis.length import game_length

__all__ = ["FIGURES", "Definition", "Feel", "FeelFigure", "feel_of", "minutes_of", "width_quantiles"]

_BROWNE = "Browne (2008), Automatic Generation and Evaluation of Recombination Games, PhD thesis, QUT"
_ELIAS = "Elias, Garfield and Gutschera (2012), Characteristics of Games, MIT Press"
_ALLIS = "Allis (1994), Searching for Solutions in Games and Artificial Intelligence, PhD thesis, Maastricht"


class Definition(NamedTuple):
    """One figure: a ratio of two sums over games."""

    words: str
    unit: str
    """`share`, `difference of shares`, or what it is a rate of."""
    above: str
    below: str
    source: str


FIGURES: Final = {
    "lead_changes": Definition(
        "changes of the leader in tabled Merch", "a game", "lead_changes", "games", f"{_BROWNE}: lead change"
    ),
    "comeback": Definition(
        "won games whose winner was behind in Merch, another seat leading, after half of the turns",
        "share", "merch_behind", "won", f"{_BROWNE}: drama",
    ),
    "comeback_from_last": Definition(
        "won games whose winner had least Merch, nobody less and not all as much, after half of the turns",
        "share", "merch_last", "won", f"{_BROWNE}: drama",
    ),
    "decided_early": Definition(
        "turns still to come when the winner took the lead in Merch for the last time, a won game; 0 where the winner "
        "does not lead at the end",
        "share", "merch_left", "won", f"{_BROWNE}: uncertainty",
    ),
    "winner_trails": Definition(
        "won games whose winner does not lead in Merch at the end", "share", "merch_trails", "won", f"{_BROWNE}: drama"
    ),
    "points_lead_changes": Definition(
        "changes of the leader by points", "a game", "points_lead_changes", "games", f"{_BROWNE}: lead change"
    ),
    "points_comeback": Definition(
        "won games whose winner was behind by points after half of the turns",
        "share", "points_behind", "won", f"{_BROWNE}: drama",
    ),
    "points_comeback_from_last": Definition(
        "won games whose winner had fewest points after half of the turns",
        "share", "points_last", "won", f"{_BROWNE}: drama",
    ),
    "points_decided_early": Definition(
        "turns still to come when the winner took the lead by points for the last time, a won game",
        "share", "points_left", "won", f"{_BROWNE}: uncertainty",
    ),
    "targeted": Definition(
        "Actions played against another seat", "a game", "targeted", "games", f"{_ELIAS}: interactivity"
    ),
    "targeted_a_turn": Definition(
        "Actions played against another seat", "a turn", "targeted", "turns", f"{_ELIAS}: interactivity"
    ),
    "stolen_merch": Definition(
        "Merch moved from one table to another", "a game", "stolen_merch", "games", f"{_ELIAS}: interactivity"
    ),
    "stolen_hand": Definition(
        "cards moved from one hand to another", "a game", "stolen_hand", "games", f"{_ELIAS}: interactivity"
    ),
    "stolen_protect": Definition(
        "Merch Protects moved to another table", "a game", "stolen_protect", "games", f"{_ELIAS}: interactivity"
    ),
    "read_taken": Definition(
        "times that displayed Read was taken", "a game", "read_moves", "games", f"{_ELIAS}: interactivity"
    ),
    "cancelled": Definition(
        "Actions that a reaction cancelled", "a game", "cancelled", "games", f"{_ELIAS}: interactivity"
    ),
    "idle": Definition(
        "turns with nothing useful to do: nothing but discarding possible, nothing to put down, or missed; of turns "
        "taken and missed",
        "share", "idle", "turns_and_missed", f"{_ELIAS}: downtime",
    ),
    "discard_only": Definition(
        "turns in which nothing but discarding was possible", "share", "discard_only", "turns_and_missed",
        f"{_ELIAS}: downtime",
    ),
    "passed": Definition(
        "turns with nothing to put down", "share", "passed", "turns_and_missed", f"{_ELIAS}: downtime"
    ),
    "missed": Definition("turns that were missed", "share", "missed", "turns_and_missed", f"{_ELIAS}: downtime"),
    "moves": Definition("legal moves", "a decision", "moves", "decisions", f"{_ALLIS}: branching factor"),
    "put_down_moves": Definition(
        "legal moves at a put-down", "a put-down", "put_down_moves", "put_downs", f"{_ALLIS}: branching factor"
    ),
    "single": Definition(
        "decisions with one legal move", "share", "single", "decisions", f"{_ALLIS}: branching factor"
    ),
    "leader_hit": Definition(
        "Actions against another seat, by seats that do not lead in Merch, that go against the leader",
        "share", "merch_hit", "merch_aimed", f"{_ELIAS}: politics",
    ),
    "leader_hit_by_chance": Definition(
        "the same had each gone against a seat drawn evenly from those that it might have named",
        "share", "merch_chance", "merch_aimed", f"{_ELIAS}: politics",
    ),
    "leader_hit_more": Definition(
        "the first less the second: how much more often the leader is hit than by lot",
        "difference of shares", "merch_hit_more", "merch_aimed", f"{_ELIAS}: politics",
    ),
    "points_leader_hit": Definition(
        "Actions against another seat, by seats that do not lead by points, that go against the leader by points",
        "share", "points_hit", "points_aimed", f"{_ELIAS}: politics",
    ),
    "points_leader_hit_by_chance": Definition(
        "the same had each gone against a seat drawn evenly from those that it might have named",
        "share", "points_chance", "points_aimed", f"{_ELIAS}: politics",
    ),
}  # fmt: skip
"""By name, in the order in which they are told."""

_SHARES = (0.1, 0.5, 0.9)


@dataclass(frozen=True, slots=True)
class FeelFigure:
    """A figure with its definition."""

    name: str
    definition: Definition
    estimate: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {**self.estimate.to_dict(), "words": self.definition.words, "source": self.definition.source}


@dataclass(frozen=True, slots=True)
class Feel:
    """What the games of an experiment are like to play."""

    figures: dict[str, FeelFigure]
    """By name, as in `FIGURES`."""
    width_quantiles: dict[float, Estimate]
    """Legal moves that a given share of all decisions does not exceed."""
    minutes: dict[float, Estimate]
    """Minutes that a given share of all games does not exceed, at so many seconds a turn."""
    minutes_at_least: frozenset[float]
    """The shares whose minutes are a lower bound, games having been stopped."""
    seconds_per_turn: float
    n_games: int
    n_won: int
    """Games with one winner, which figures about winners rest on."""

    def __getitem__(self, name: str) -> Estimate:
        return self.figures[name].estimate

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "n_games": self.n_games,
            "n_won": self.n_won,
            "seconds_per_turn": self.seconds_per_turn,
            "figures": {name: figure.to_dict() for name, figure in self.figures.items()},
            "moves_quantiles": [{"share": share, **found.to_dict()} for share, found in self.width_quantiles.items()],
            "minutes_quantiles": [
                {"share": share, **found.to_dict(), "at_least": share in self.minutes_at_least}
                for share, found in self.minutes.items()
            ],
        }


def feel_of(games: pl.LazyFrame, widths: Numbers, *, seconds_per_turn: float, level: float = LEVEL) -> Feel:
    """Work out every figure of some games.

    `widths` counts, by batch of blocks, the decisions that had 0, 1, 2, ... legal moves.
    """
    sums = (
        games.group_by("block").agg(expression.sum().cast(pl.Float64).alias(name) for name, expression in _sums())
    ).sort("block").collect(engine="streaming")  # fmt: skip
    column = {name: sums[name].to_numpy() for name in sums.columns}
    figures = {
        name: FeelFigure(name, it, _estimate(column[it.above], column[it.below], it.unit, level))
        for name, it in FIGURES.items()
    }
    minutes, at_least = minutes_of(games, seconds_per_turn, level=level)
    return Feel(
        figures=figures,
        width_quantiles=width_quantiles(widths, level=level),
        minutes=minutes,
        minutes_at_least=at_least,
        seconds_per_turn=seconds_per_turn,
        n_games=int(column["games"].sum()),
        n_won=int(column["won"].sum()),
    )


def _sums() -> list[tuple[str, pl.Expr]]:
    """Name what is added up over the games of a block."""
    won = pl.col("winner") >= 0

    def number(name: str) -> pl.Expr:
        return pl.col(name).cast(pl.Float64)

    idle = number("discard_only") + number("passed") + number("missed")
    sums: list[tuple[str, pl.Expr]] = [
        ("games", pl.col("turns").is_not_null()),
        ("won", won),
        ("idle", idle),
        ("turns_and_missed", number("turns") + number("missed")),
        ("merch_hit_more", number("merch_hit") - number("merch_chance")),
    ]
    for by in ("merch", "points"):
        left = 1 - number(f"{by}_decided") / number("turns")
        sums += [
            (f"{by}_behind", won & (pl.col(f"{by}_half") & 1 > 0)),
            (f"{by}_last", won & (pl.col(f"{by}_half") & 2 > 0)),
            (f"{by}_left", pl.when(won & (pl.col("turns") > 0)).then(left).otherwise(0.0)),
            (f"{by}_trails", won & (pl.col(f"{by}_decided") >= pl.col("turns"))),
        ]
    there = {name for name, _ in sums}
    wanted = {name for it in FIGURES.values() for name in (it.above, it.below)}
    return [*sums, *((name, number(name)) for name in sorted(wanted - there))]


def _estimate(above: Numbers, below: Numbers, unit: str, level: float) -> Estimate:
    """Estimate a ratio of sums over blocks."""
    value, variance = (float(found) for found in jackknife(ratio, above, below))
    n_blocks = len(above)
    if not math.isnan(value) and (n_blocks < 2 or math.isnan(variance)):
        widest = {"share": (0.0, 1.0), "difference of shares": (-1.0, 1.0)}.get(unit, (0.0, math.inf))
        return Estimate(value, *widest, level, unit, n_blocks, "one block: no interval")
    if unit == "share":
        found = batch_share(value, variance, n_blocks, level=level)
    elif unit == "difference of shares":
        found = batch_difference(value, variance, n_blocks, level=level)
    else:
        found = batch_rate(value, variance, n_blocks, unit=unit, level=level)
    return replace(found, method=found.method.replace("over batches", "over blocks"))


def width_quantiles(
    widths: Numbers, *, shares: tuple[float, ...] = _SHARES, level: float = LEVEL
) -> dict[float, Estimate]:
    """Estimate quantiles of the number of legal moves: each the least number that so many decisions do not exceed.

    `widths` is [batch, moves], of decisions. The interval is Woodruff's, as for lengths (`analysis.length`), with the
    jackknife over batches for the spread of the share.
    """
    counts = widths.sum(axis=0)
    total = counts.sum()
    found: dict[float, Estimate] = {}
    if not total:
        return found
    below = np.cumsum(counts) / total
    of_batches = np.cumsum(widths, axis=1)

    def at(share: float) -> float:
        return float(min(int(np.searchsorted(below, share - 1e-12)), len(below) - 1))

    for share in shares:
        value = at(share)
        _, variance = jackknife(ratio, of_batches[:, int(value)], widths.sum(axis=1))
        if len(widths) < 2 or not math.isfinite(float(variance)):
            most = float(np.flatnonzero(counts)[-1])
            found[share] = Estimate(value, 1.0, most, level, "moves", len(widths), "one batch: no interval")
            continue
        half = critical_value(level, len(widths)) * math.sqrt(float(variance))
        low, high = at(max(share - half, 0.0)), at(min(share + half, 1.0))
        found[share] = Estimate(
            value, min(low, value), max(high, value), level, "moves", len(widths), "Woodruff over batches"
        )
    return found


def minutes_of(
    games: pl.LazyFrame, seconds_per_turn: float, *, level: float = LEVEL
) -> tuple[dict[float, Estimate], frozenset[float]]:
    """Give quantiles of a game's length in minutes, at so many seconds a turn; and those that are lower bounds."""
    length = game_length(games, "turns", shares=_SHARES, level=level)
    scale = seconds_per_turn / 60
    minutes = {
        quantile.share: replace(
            quantile.estimate,
            value=quantile.estimate.value * scale,
            low=quantile.estimate.low * scale,
            high=quantile.estimate.high * scale,
            unit="minutes",
        )
        for quantile in length.quantiles
    }
    return minutes, frozenset(quantile.share for quantile in length.quantiles if quantile.at_least)
