"""From games to block means, in one streaming pass.

A block is one deal, played with each rotation of the lineup; its games are dependent, its mean is the unit of analysis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

__all__ = ["Moments", "block_moments", "stretches"]

_STRETCH = 32_000
"""Blocks that are grouped at once; some 7 MB for ten values. A report of a million games peaks at some 275 MiB."""


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
    games, as a run's do. Memory does not grow with the number of games.
    """
    numbers = [value.cast(pl.Float64).alias(name) for name, value in values.items()]
    sums = [pl.len().cast(pl.Float64).alias("n")]
    for name in values:
        sums += [pl.col(name).sum().alias(f"sum {name}"), (pl.col(name) ** 2).sum().alias(f"squares {name}")]
    for a, b in pairs:
        sums.append((pl.col(a) * pl.col(b)).sum().alias(f"products {a} {b}"))
    total: dict[str, float] = dict.fromkeys((expression.meta.output_name() for expression in sums), 0.0)
    for some in stretches(games):
        of_blocks = some.select("block", *numbers).group_by("block").agg(pl.col(name).mean() for name in values)
        # In order, or the last digit of a sum would hang on which thread was done first.
        row = of_blocks.collect(engine="streaming").sort("block").select(sums).row(0, named=True)
        for name, value in row.items():
            total[name] += value
    n = int(total["n"])
    mean = {name: total[f"sum {name}"] / max(n, 1) for name in values}

    def spread(products: float, a: str, b: str) -> float:
        return (products - n * mean[a] * mean[b]) / (n - 1) if n > 1 else 0.0

    return Moments(
        n_blocks=n,
        mean=mean,
        variance={name: max(0.0, spread(total[f"squares {name}"], name, name)) for name in values},
        covariance={(a, b): spread(total[f"products {a} {b}"], a, b) for a, b in pairs},
    )


def stretches(games: pl.LazyFrame) -> Iterator[pl.LazyFrame]:
    """Cut games into stretches of blocks, so that grouping by block holds no more than these at once.

    To tell polars that blocks come in order bounds memory as well, and takes twice the time.
    """
    last = games.select(pl.col("block").max()).collect(engine="streaming").item()
    if last is None or last < _STRETCH:
        yield games
        return
    for first in range(0, last + 1, _STRETCH):
        yield games.filter(pl.col("block").is_between(first, first + _STRETCH - 1))
