"""How far apart chance alone puts two runs of the same rules: an A/A comparison, taken from one run.

Blocks are dealt from streams of their own, so that a stretch of a run is what a smaller run with another seed would be.
A run is cut into pieces, and pieces are set against each other two by two: rules, table and strategies are the same,
and whatever they differ by is chance. Beside it stands how far apart the spread of the blocks says that two such
pieces, and two runs of the whole size, should lie; where pieces keep to that, the ranges of the run can be trusted.
Source: Kohavi, R., Longbotham, R., Sommerfield, D. and Henne, R. M. (2009), Controlled experiments on the web: survey
and practical guide, Data Mining and Knowledge Discovery 18, 140-181, on A/A tests.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from rsc_sim.analysis.blocks import stretches
from rsc_sim.analysis.intervals import LEVEL, critical_value
from rsc_sim.analysis.shares import seated_strategies, won_by_place, won_by_strategy

__all__ = ["Apart", "Chance", "chance_alone"]

PIECES = 20
"""Ten pairs show a spread to the eye; more would leave pieces of small runs too small."""
_LEAST = 10
"""Blocks a piece, below which its mean is far from normal."""


@dataclass(frozen=True, slots=True)
class Apart:
    """How far chance alone puts two runs apart in one figure."""

    group: Literal["strategy", "place", "unfinished", "rounds"]
    who: str
    """The strategy, or the place from `0`; empty for figures of the whole table."""
    whole: float
    """Two runs of the whole size differ by no more than this in `level` of all pairs."""
    piece: float
    """The same of two runs as small as a piece."""
    differences: tuple[float, ...]
    """What the pieces differ by, pair by pair."""

    @property
    def within(self) -> int:
        """How many of the pairs differ by no more than expected."""
        return sum(abs(difference) <= self.piece for difference in self.differences)


@dataclass(frozen=True, slots=True)
class Chance:
    """An A/A comparison of a run with itself."""

    level: float
    n_blocks: int
    n_piece_blocks: int
    """Blocks of the smallest piece."""
    figures: tuple[Apart, ...]

    @property
    def shares(self) -> tuple[Apart, ...]:
        """The win shares, by strategy where there are several, then by place."""
        return tuple(figure for figure in self.figures if figure.group in {"strategy", "place"})

    def of(self, group: str) -> float:
        """Give how far two runs of the whole size lie apart in the widest figure of a group; NaN where it has none."""
        return max((figure.whole for figure in self.figures if figure.group == group), default=math.nan)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "level": self.level,
            "n_blocks": self.n_blocks,
            "n_piece_blocks": self.n_piece_blocks,
            "figures": [
                {
                    "group": figure.group,
                    "who": figure.who,
                    "whole": figure.whole,
                    "piece": figure.piece,
                    "differences": list(figure.differences),
                }
                for figure in self.figures
            ],
        }


def chance_alone(games: pl.LazyFrame, *, pieces: int = PIECES, level: float = LEVEL) -> Chance | None:
    """Set pieces of a run against each other; give None where a piece would hold too few blocks.

    The expected distance of two means of n blocks is z·√(2·s²/n), with s² the variance of block means over the run.
    """
    values: dict[tuple[Literal["strategy", "place", "unfinished", "rounds"], str], pl.Expr] = {}
    seated = seated_strategies(games)
    if len(seated) > 1:  # one strategy alone has the equal share by construction
        values |= {("strategy", who): value for who, value in won_by_strategy(seated).items()}
    values |= {("place", who): value for who, value in won_by_place(sum(seated.values())).items()}
    values |= {("unfinished", ""): pl.col("end") != "escape", ("rounds", ""): pl.col("rounds")}
    n_blocks = int(games.select(pl.col("block").max()).collect(engine="streaming").item() or 0) + 1
    if n_blocks < pieces * _LEAST:
        return None
    names = [str(number) for number in range(len(values))]
    numbers = [value.cast(pl.Float64).alias(name) for name, value in zip(names, values.values(), strict=True)]
    sums: dict[str, dict[int, float]] = {name: defaultdict(float) for name in ("n", *names)}
    squares = dict.fromkeys(names, 0.0)
    for some in stretches(games):
        of_pieces = (
            some.select("block", *numbers)
            .group_by("block")
            .agg(pl.col(name).mean() for name in names)
            .with_columns(piece=pl.col("block").cast(pl.UInt64) * pieces // n_blocks)
            .group_by("piece")
            .agg(
                pl.len().alias("n"),
                *(pl.col(name).sum() for name in names),
                *((pl.col(name) ** 2).sum().alias(f"squares {name}") for name in names),
            )
            .sort("piece")
            .collect(engine="streaming")
        )
        for row in of_pieces.iter_rows(named=True):
            for name in ("n", *names):
                sums[name][row["piece"]] += row[name]
            for name in names:
                squares[name] += row[f"squares {name}"]
    sizes = sums["n"]
    n, smallest = sum(sizes.values()), min(sizes.values())
    figures = []
    for name, (group, who) in zip(names, values, strict=True):
        mean = sum(sums[name].values()) / n
        spread = math.sqrt(2 * max(0.0, squares[name] - n * mean**2) / (n - 1))
        means = [sums[name][piece] / sizes[piece] for piece in range(pieces)]
        figures.append(
            Apart(
                group,
                who,
                whole=critical_value(level, int(n)) * spread / math.sqrt(n),
                piece=critical_value(level, int(smallest)) * spread / math.sqrt(smallest),
                differences=tuple(b - a for a, b in zip(means[::2], means[1::2], strict=True)),
            )
        )
    return Chance(level, int(n), int(smallest), tuple(figures))
