"""The figures of a run as one list, each with what every block does to it: the ground for comparing runs.

A figure is a share, a mean, a ratio or a median. Each is linearised: to first order its error is the mean over blocks
of an *influence*, so that its variance, and its covariance with the same figure of a run on the same deals, follow from
block means alone. Source: Huber, P. J. (1981), Robust Statistics, section 2.5; for ratios Cochran, W. G. (1977),
Sampling Techniques, 3rd ed., section 6.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from rsc_sim.analysis.intervals import (
    LEVEL,
    Estimate,
    difference_estimate,
    half_width,
    sequence_estimate,
    share_estimate,
)
from rsc_sim.analysis.length import length_distribution
from rsc_sim.analysis.shares import seated_strategies, won_by_place, won_by_strategy

__all__ = ["Figure", "Measures", "figure_keys", "mid_median"]

Array = npt.NDArray[np.float64]
Unit = Literal["share", "difference of shares", "rounds", "turns", "times a game"]

_STRETCH = 50_000
"""Blocks that are looked at at once."""
_STUCK = ("threshold", "tickets", "lone_turn", "stalled")
_COUNTS = ("lead_changes", "read_moves", "cancelled")
_PLACES = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")


@dataclass(frozen=True, slots=True)
class Figure:
    """Name a figure: what it is, of whom where there are several, and its unit."""

    name: str
    of: str | None
    unit: Unit

    @property
    def key(self) -> str:
        """What `--target` and `show` call it, e.g. `median_rounds`, `win_share.collector`."""
        return self.name if self.of is None else f"{self.name}.{self.of}"


@dataclass(frozen=True, slots=True)
class _Measure:
    """A figure's value and the weight of each primitive in its influence."""

    figure: Figure
    value: float
    weights: dict[str, float]
    kind: Literal["share", "ratio", "mean", "spread", "edge"]


class Measures:
    """Work out the figures of some games, and on demand what each block does to them."""

    def __init__(self, games: pl.LazyFrame, *, watched: bool = False) -> None:
        """Take games in order of `game`, equally many a block, blocks from 0 on.

        `watched`: they ended by how well win shares were known, so that those get intervals that allow for it.
        """
        self._games = games
        self._watched = watched
        seated = seated_strategies(games)
        self.seats = sum(seated.values())
        n_games, last = games.select(pl.len(), pl.col("block").max()).collect(engine="streaming").row(0)
        if not n_games:
            raise ValueError("no games")
        self.n_games: int = n_games
        self.n_blocks: int = last + 1
        self._rotations = n_games // self.n_blocks
        medians = {unit: mid_median(*_distribution(games, unit)) for unit in ("rounds", "turns")}
        self._values = self._primitives(seated, medians)
        self._mean = self._means()
        self._n_escapes = round(self._mean["escape"] * n_games)
        self._measures = self._list(seated, medians)
        self._longest = {unit: float(median.longest) for unit, median in medians.items()}
        self._slopes = {f"median_{unit}": median.slope for unit, median in medians.items()}

    @property
    def table(self) -> tuple[int, int]:
        """How many seats the table has and games a block; runs with others than these play no games in common."""
        return self.seats, self._rotations

    @property
    def figures(self) -> list[Figure]:
        """What there is, in the order in which it is to be read."""
        return [measure.figure for measure in self._measures]

    @property
    def values(self) -> Array:
        """The figures' values."""
        return np.array([measure.value for measure in self._measures])

    def influences(self, first_block: int, n_blocks: int) -> Array:
        """Give, for some blocks, what each adds to each figure's error: [block, figure], mean 0 over all blocks."""
        means = self._block_means(first_block, n_blocks)
        names = list(self._values)
        weights = np.zeros((len(names), len(self._measures)))
        for number, measure in enumerate(self._measures):
            for name, weight in measure.weights.items():
                weights[names.index(name), number] = weight
        centred: Array = means - np.array([self._mean[name] for name in names])
        return centred @ weights

    def _block_means(self, first_block: int, n_blocks: int) -> Array:
        """Average each primitive over the games of each of some blocks: [block, primitive]."""
        r = self._rotations
        some = self._games.slice(first_block * r, n_blocks * r).select(
            value.cast(pl.Float64).alias(name) for name, value in self._values.items()
        )
        columns = some.collect(engine="streaming").to_numpy()
        means: Array = columns.reshape(-1, r, columns.shape[1]).mean(axis=1)
        return means

    def most(self, figure: Figure) -> float:
        """Give the most that one block can move a figure: all of a share, a median by its slope, a mean by a game."""
        if "share" in figure.unit:
            return 1.0
        return self._slopes.get(figure.name, self._longest.get(figure.unit, self._longest["turns"]))

    def traces(self, first_block: int, n_blocks: int) -> npt.NDArray[np.uint64]:
        """Give, for some blocks, the hash of what happened in each game: [block, game]."""
        r = self._rotations
        some = self._games.slice(first_block * r, n_blocks * r).select("trace").collect(engine="streaming")
        return some["trace"].to_numpy().reshape(-1, r)

    def estimates(self, variances: Array, *, level: float = LEVEL) -> list[Estimate]:
        """Give each figure with its interval, from the variances of its influences over blocks."""
        return [
            self._estimate(measure, float(variance), level)
            for measure, variance in zip(self._measures, variances, strict=True)
        ]

    def _estimate(self, measure: _Measure, variance: float, level: float) -> Estimate:
        n = self.n_blocks
        if measure.kind == "ratio":
            # Blocks without an escape say nothing about it; at most this many blocks hold some.
            n_met = min(n, self._n_escapes)
            return share_estimate(measure.value, variance * n_met / n, n_met, level=level)
        if measure.kind == "share":
            chose_the_end = self._watched and measure.figure.name in {"win_share", "place_share"}
            return (sequence_estimate if chose_the_end else share_estimate)(measure.value, variance, n, level=level)
        if measure.kind == "spread":
            found = difference_estimate(measure.value, variance, n, level=level)
            return Estimate(found.value, max(0.0, found.low), found.high, level, "share", n, found.method)
        if measure.kind == "edge":
            return difference_estimate(measure.value, variance, n, level=level)
        unit = measure.figure.unit
        if n < 2:
            return Estimate(measure.value, 0.0, math.inf, level, unit, n, "one block: no interval")
        half, method = half_width(variance, n, level=level)
        if measure.figure.name.startswith("median"):
            method = "mid-distribution median, linearised, on block means"
        return Estimate(measure.value, max(0.0, measure.value - half), measure.value + half, level, unit, n, method)

    def _primitives(self, seated: dict[str, int], medians: dict[str, MidMedian]) -> dict[str, pl.Expr]:
        """Name what is averaged over the games of a block."""
        won = [pl.col(f"won_{seat}").cast(pl.Float64) for seat in range(self.seats)]
        escaped = pl.col("end") == "escape"
        values: dict[str, pl.Expr] = {f"strategy {spec}": value for spec, value in won_by_strategy(seated).items()}
        values |= {f"place {place}": value for place, value in won_by_place(self.seats).items()}
        values |= {f"stuck {reason}": pl.col("stuck") == reason for reason in _STUCK}
        values |= {
            "unfinished": ~escaped,
            "escape": escaped,
            "tie": pl.col("winner") == -2,
            "escaper won": pl.sum_horizontal(
                pl.when(escaped & (pl.col("escaper") == seat)).then(won[seat]).otherwise(0.0)
                for seat in range(self.seats)
            ),
        }
        values |= {name: pl.col(name) for name in ("rounds", "turns", *_COUNTS)}
        values |= {f"median {unit}": median.influence(pl.col(unit)) for unit, median in medians.items()}
        return values

    def _means(self) -> dict[str, float]:
        # In stretches of one size: a mean by Polars depends, in its last digits, on how the games are cut into files.
        total = np.zeros(len(self._values))
        for first in range(0, self.n_blocks, _STRETCH):
            total += self._block_means(first, _STRETCH).sum(axis=0)
        return dict(zip(self._values, (total / self.n_blocks).tolist(), strict=True))

    def _list(self, seated: dict[str, int], medians: dict[str, MidMedian]) -> list[_Measure]:
        mean = self._mean

        def plain(name: str, of: str | None, unit: Unit, primitive: str) -> _Measure:
            kind: Literal["share", "mean"] = "share" if unit == "share" else "mean"
            return _Measure(Figure(name, of, unit), mean[primitive], {primitive: 1.0}, kind)

        found = []
        if len(seated) > 1:
            found += [plain("win_share", spec, "share", f"strategy {spec}") for spec in seated]
            found.append(self._spread("strategy_spread", [f"strategy {spec}" for spec in seated]))
        places = [f"place {place}" for place in range(self.seats)]
        found += [plain("place_share", _PLACES[i], "share", place) for i, place in enumerate(places)]
        found.append(self._spread("place_spread", places))
        found += [self._edge(_PLACES[i], place) for i, place in enumerate(places)]
        found.append(plain("unfinished", None, "share", "unfinished"))
        found += [plain("stuck", reason, "share", f"stuck {reason}") for reason in _STUCK]
        for unit in ("rounds", "turns"):
            weights = {f"median {unit}": 1.0}
            found.append(_Measure(Figure(f"median_{unit}", None, unit), medians[unit].value, weights, "mean"))
            found.append(plain(f"mean_{unit}", None, unit, unit))
        found += [plain(name, None, "times a game", name) for name in _COUNTS]
        escapes = mean["escape"]
        ratio = mean["escaper won"] / escapes if escapes else 0.0
        weights = {"escaper won": 1 / escapes, "escape": -ratio / escapes} if escapes else {}
        found.append(_Measure(Figure("escaper_wins", None, "share"), ratio, weights, "ratio"))
        found.append(plain("tie", None, "share", "tie"))
        return found

    def _edge(self, place: str, primitive: str) -> _Measure:
        """Give by how much a place wins more than its equal share of the games that end: the same at any table."""
        value = self._mean[primitive] - (1 - self._mean["unfinished"]) / self.seats
        weights = {primitive: 1.0, "unfinished": 1 / self.seats}
        return _Measure(Figure("place_edge", place, "difference of shares"), value, weights, "edge")

    def _spread(self, name: str, primitives: list[str]) -> _Measure:
        """Give the largest less the smallest of some shares.

        It is never negative, so that where all shares are alike it is some standard errors above 0.
        """
        most = max(primitives, key=lambda primitive: self._mean[primitive])
        least = min(primitives, key=lambda primitive: self._mean[primitive])
        value = self._mean[most] - self._mean[least]
        return _Measure(Figure(name, None, "share"), value, {most: 1.0, least: -1.0} if value else {}, "spread")


def figure_keys(seats: int, specs: Sequence[str]) -> list[str]:
    """List the keys of all figures of a table, in the order of `Measures.figures`; `specs` are its strategies."""
    several = [*(f"win_share.{spec}" for spec in specs), "strategy_spread"] if len(specs) > 1 else []
    return [
        *several,
        *(f"place_share.{place}" for place in _PLACES[:seats]),
        "place_spread",
        *(f"place_edge.{place}" for place in _PLACES[:seats]),
        "unfinished",
        *(f"stuck.{reason}" for reason in _STUCK),
        *(f"{kind}_{unit}" for unit in ("rounds", "turns") for kind in ("median", "mean")),
        *_COUNTS,
        *("escaper_wins", "tie"),
    ]


@dataclass(frozen=True, slots=True)
class MidMedian:
    """A median between whole numbers, and how a game moves it."""

    value: float
    below: int
    """The whole number whose mid-distribution is at or below one half."""
    above: int
    """The next one that occurs; the same where the median is at an end."""
    slope: float
    """How far the median goes for each unit of the distribution."""
    at: float
    """How far from `below` to `above` it lies, 0 to 1."""
    longest: int

    def influence(self, length: pl.Expr) -> pl.Expr:
        """Give what a game of a length adds to the median's error, up to a constant."""

        def up_to(point: int) -> pl.Expr:
            return (length < point).cast(pl.Float64) + 0.5 * (length == point).cast(pl.Float64)

        return -self.slope * ((1 - self.at) * up_to(self.below) + self.at * up_to(self.above))


def mid_median(lengths: list[int], counts: list[int]) -> MidMedian:
    """Give the median of whole numbers by the mid-distribution: between two of them, by how the games lie.

    An ordinary median of rounds jumps by whole rounds; this one moves with the games, and is asymptotically normal.
    Source: Ma, Y., Genton, M. G. and Parzen, E. (2011), Asymptotic properties of sample quantiles of discrete
    distributions, Ann. Inst. Stat. Math. 63, 227-243.

    >>> mid_median([10, 11, 12], [1, 2, 1]).value, round(mid_median([10, 11], [1, 3]).value, 3)
    (11.0, 10.75)
    """
    total, before, middle = sum(counts), 0, []
    for count in counts:
        middle.append((before + count / 2) / total)
        before += count
    j = max((i for i, reached in enumerate(middle) if reached <= 0.5), default=0)
    if middle[j] > 0.5 or j + 1 == len(middle):
        return MidMedian(float(lengths[j]), lengths[j], lengths[j], 0.0, 0.0, lengths[-1])
    gap, step = middle[j + 1] - middle[j], lengths[j + 1] - lengths[j]
    at = (0.5 - middle[j]) / gap
    return MidMedian(lengths[j] + at * step, lengths[j], lengths[j + 1], step / gap, at, lengths[-1])


def _distribution(games: pl.LazyFrame, unit: Literal["rounds", "turns"]) -> tuple[list[int], list[int]]:
    counts = length_distribution(games, unit)
    return counts["length"].to_list(), counts["n_games"].to_list()
