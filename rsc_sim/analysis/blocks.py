"""From games to block means, in one streaming pass.

A block is one deal, played with each rotation of the lineup; its games are dependent, its mean is the unit of analysis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

__all__ = ["Moments", "block_moments"]


@dataclass(frozen=True, slots=True)
class Moments:
    """Means, sample variances and covariances of block means."""

    n_blocks: int
    mean: dict[str, float]
    variance: dict[str, float]
    covariance: dict[tuple[str, str], float]


def block_moments(
    games: pl.LazyFrame, values: Mapping[str, pl.Expr], *, pairs: tuple[tuple[str, str], ...] = ()
) -> Moments:
    """Average each value over the games of a block, and take moments over blocks.

    `values` are expressions a game. `pairs` names those whose covariance is wanted. All blocks must hold equally many
    games, as a run's do. Memory does not grow with the number of games: ten million take some 120 MB.
    """
    numbers = [value.cast(pl.Float64).alias(name) for name, value in values.items()]
    sums = [pl.len().alias("n")]
    for name in values:
        sums += [pl.col(name).mean().alias(f"mean {name}"), pl.col(name).var().alias(f"variance {name}")]
    for a, b in pairs:
        sums.append((pl.col(a) * pl.col(b)).mean().alias(f"product {a} {b}"))
    row = (
        games
        # Blocks come in order: saying so lets polars close each group when it is past, instead of keeping all of them.
        .select(pl.col("block").set_sorted(), *numbers)
        .group_by("block")
        .agg(pl.col(name).mean() for name in values)
        .select(sums)
        .collect(engine="streaming")
        .row(0, named=True)
    )
    n = int(row["n"])
    mean = {name: _number(row[f"mean {name}"]) for name in values}
    scale = n / (n - 1) if n > 1 else 0.0
    return Moments(
        n_blocks=n,
        mean=mean,
        variance={name: _number(row[f"variance {name}"]) for name in values},
        covariance={(a, b): (_number(row[f"product {a} {b}"]) - mean[a] * mean[b]) * scale for a, b in pairs},
    )


def _number(value: float | None) -> float:
    return 0.0 if value is None else float(value)
