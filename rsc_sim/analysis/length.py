"""How long games last: quantiles of rounds and turns.

A game that was stopped at the turn limit would have gone on: its length is censored. Such games are counted, and lie at
the long end, where a quantile that falls among them is only a lower bound. Deadlocked games have the length at which
nobody could move any more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import polars as pl

from rsc_sim.analysis.blocks import block_moments, stretches
from rsc_sim.analysis.intervals import LEVEL, Estimate, critical_value, share_estimate

__all__ = ["Length", "Quantile", "game_length", "length_distribution", "length_shares"]


@dataclass(frozen=True, slots=True)
class Quantile:
    """A length that a given share of all games does not exceed."""

    share: float
    estimate: Estimate
    at_least: bool
    """Whether the value is a turn limit that stopped the game, so that the true one lies above."""
    high_at_least: bool
    """The same of the interval's upper end."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        censored = {"at_least": self.at_least, "high_at_least": self.high_at_least}
        return {"share": self.share, **self.estimate.to_dict(), **censored}


@dataclass(frozen=True, slots=True)
class Length:
    """How long games last, in one unit."""

    unit: Literal["rounds", "turns"]
    quantiles: tuple[Quantile, ...]
    stopped: Estimate
    """Share of games stopped at the turn limit."""
    n_stopped: int

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "unit": self.unit,
            "quantiles": [quantile.to_dict() for quantile in self.quantiles],
            "stopped": self.stopped.to_dict(),
            "n_stopped": self.n_stopped,
        }


def length_distribution(games: pl.LazyFrame, unit: Literal["rounds", "turns"] = "rounds") -> pl.DataFrame:
    """Count games by length: columns `length`, `n_games`, `n_stopped`, in order of length."""
    return (
        games.group_by(pl.col(unit).alias("length"))
        .agg(pl.len().alias("n_games"), (pl.col("end") == "turn_cap").sum().alias("n_stopped"))
        .sort("length")
        .collect(engine="streaming")
    )


def length_shares(
    games: pl.LazyFrame,
    edges: Sequence[int],
    unit: Literal["rounds", "turns"] = "rounds",
    *,
    level: float = LEVEL,
) -> list[Estimate]:
    """Estimate what share of the games has a length in each class, stopped games in a class of their own, the last.

    Class i holds lengths above `edges[i - 1]` and up to `edges[i]`; the one after them all, longer lengths.
    """
    n_edges = len(edges)
    length_class = pl.when(pl.col("end") == "turn_cap").then(n_edges + 1).otherwise(_class(pl.col(unit), edges))
    found: dict[int, tuple[float, float]] = {}
    n_blocks = n_games = 0
    for some in stretches(games):  # all at once, ten million games take half a gigabyte
        counts = (
            some.select("block", length_class.cast(pl.UInt32).alias("class"))
            .group_by("block", "class")
            .agg(pl.len().cast(pl.Float64).alias("n"))
            .group_by("class")
            .agg(pl.col("n").sum(), (pl.col("n") ** 2).sum().alias("squares"))
            .select("class", "n", "squares")
            .collect(engine="streaming")
        )
        for number, n, squares in counts.iter_rows():
            before = found.get(number, (0.0, 0.0))
            found[number] = (before[0] + n, before[1] + squares)
        size = some.select(pl.col("block").n_unique(), pl.len()).collect(engine="streaming").row(0)
        n_blocks, n_games = n_blocks + size[0], n_games + size[1]
    per_block = n_games / max(n_blocks, 1)
    estimates = []
    for number in range(n_edges + 2):
        n, squares = found.get(number, (0.0, 0.0))
        # Moments of each block's share of such games, blocks without any included.
        mean = n / max(n_games, 1)
        variance = (squares / per_block**2 - n_blocks * mean**2) / (n_blocks - 1) if n_blocks > 1 else 0.0
        estimates.append(share_estimate(mean, max(variance, 0.0), n_blocks, level=level))
    return estimates


def _class(length: pl.Expr, edges: Sequence[int]) -> pl.Expr:
    """Number the class of a length; edges of equal steps, as a picture's bars have, need no search."""
    if not edges:
        return pl.lit(0)
    steps = {b - a for a, b in pairwise(edges)}
    if len(steps) > 1:
        return pl.sum_horizontal((length > edge).cast(pl.UInt32) for edge in edges)
    step = steps.pop() if steps else 1
    above = (length.cast(pl.Int64) - edges[0] + step - 1).clip(lower_bound=0)
    return (above // step).clip(upper_bound=len(edges))


def game_length(
    games: pl.LazyFrame,
    unit: Literal["rounds", "turns"] = "rounds",
    *,
    shares: tuple[float, ...] = (0.1, 0.5, 0.9),
    level: float = LEVEL,
) -> Length:
    """Estimate quantiles of game length: each the shortest length that at least that share of games does not exceed.

    The interval is Woodruff's: the standard error of the share of games up to the estimate, from block means, is laid
    on the wanted share and carried back through the distribution. Source: Woodruff, R. S. (1952), Confidence
    intervals for medians and other position measures, J. Am. Stat. Assoc. 47, 635-646. Its limit: in the far tail of
    few blocks the standard error is itself poorly known.
    """
    counts = length_distribution(games, unit)
    lengths: list[int] = counts["length"].to_list()
    if not lengths:
        raise ValueError("no games")
    n_games = int(counts["n_games"].sum())
    up_to = [total / n_games for total in counts["n_games"].cum_sum().to_list()]
    limit = min(counts.filter(pl.col("n_stopped") > 0)["length"].to_list(), default=math.inf)
    points = [_inverse(share, up_to, lengths) for share in shares]
    values = {f"up to {point}": pl.col(unit) <= point for point in points}
    moments = block_moments(games, {**values, "stopped": pl.col("end") == "turn_cap"})
    quantiles = []
    for share, point in zip(shares, points, strict=True):
        low, high, method = _woodruff(share, moments.variance[f"up to {point}"], moments.n_blocks, level)
        interval = [float(_inverse(bound, up_to, lengths)) for bound in (low, high)]
        estimate = Estimate(float(point), interval[0], interval[1], level, unit, moments.n_blocks, method)
        stopped = [value >= limit for value in (point, interval[1])]
        quantiles.append(Quantile(share, estimate, at_least=stopped[0], high_at_least=stopped[1]))
    return Length(
        unit=unit,
        quantiles=tuple(quantiles),
        stopped=share_estimate(moments.mean["stopped"], moments.variance["stopped"], moments.n_blocks, level=level),
        n_stopped=int(counts["n_stopped"].sum()),
    )


def _woodruff(share: float, variance: float, n_blocks: int, level: float) -> tuple[float, float, str]:
    if n_blocks < 2:
        return 0.0, 1.0, "one block: no interval"
    error = math.sqrt((variance or share * (1 - share)) / n_blocks)
    half = critical_value(level, n_blocks) * error
    return max(0.0, share - half), min(1.0, share + half), "Woodruff on block means"


def _inverse(share: float, up_to: list[float], lengths: list[int]) -> int:
    """Give the first length up to which at least that share of games goes."""
    return next(
        (length for reached, length in zip(up_to, lengths, strict=True) if reached >= share - 1e-12), lengths[-1]
    )
