"""Who wins: win share by strategy and by place at the table.

A win share is counted a seat: where a strategy sits on several seats it is the mean over them, so that one number, the
equal share, is the reference for all. A game that did not end has no winner; the shares then add up to less than 1 and
the reference is (1 - unfinished) / seats. Each share also comes with those games split evenly, against 1 / seats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from rsc_sim.analysis.blocks import block_moments
from rsc_sim.analysis.intervals import LEVEL, Estimate, share_estimate

__all__ = ["Share", "Verdict", "win_share_by_place", "win_share_by_strategy"]

Verdict = Literal["above", "below", "level"]


@dataclass(frozen=True, slots=True)
class Share:
    """The win share a seat of one strategy or place."""

    who: str
    n_seats: int
    """Seats of the table that it covers in each game."""
    share: Estimate
    """Unfinished games count as lost."""
    reference: float
    """The equal share of the games that were won: (1 - unfinished) / seats."""
    split: Estimate
    """The share with unfinished games split evenly among the seats; its reference is 1 / seats."""
    verdict: Verdict
    """Against the equal share: `above` or `below` where the interval lies wholly to one side, else `level`."""
    fragile: bool
    """Whether the verdict depends on how unfinished games are counted."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "who": self.who,
            "n_seats": self.n_seats,
            **self.share.to_dict(),
            "reference": self.reference,
            "unfinished_split": self.split.to_dict(),
            "verdict": self.verdict,
            "fragile": self.fragile,
        }


def win_share_by_strategy(games: pl.LazyFrame, *, level: float = LEVEL) -> tuple[Share, ...]:
    """Estimate each strategy's win share a seat, in the order of the run's strategies."""
    schema = games.collect_schema()
    seats = sum(name.startswith("won_") for name in schema.names())
    dtype = schema["strategy_0"]
    specs = list(dtype.categories) if isinstance(dtype, pl.Enum) else []
    # Which strategies sit on how many seats is the same in every game, since games differ by rotation only.
    counts = games.head(1).select(pl.concat_list(pl.col(f"strategy_{i}") for i in range(seats))).collect()
    seated = [str(spec) for spec in counts.item().to_list()] if counts.height else []
    values = {
        spec: pl.sum_horizontal(
            pl.when(pl.col(f"strategy_{i}") == spec).then(pl.col(f"won_{i}").cast(pl.Float64)).otherwise(0.0)
            for i in range(seats)
        )
        / max(seated.count(spec), 1)
        for spec in specs
        if spec in seated
    }
    return _shares(games, values, {spec: seated.count(spec) for spec in values}, seats, level)


def win_share_by_place(games: pl.LazyFrame, *, level: float = LEVEL) -> tuple[Share, ...]:
    """Estimate the win share of each place, named `0` for the seat that plays first, `1` for the next, and so on.

    Place is chance, or Read's: the seat that is dealt Read plays first. So the first place wins more where Read helps.
    """
    seats = sum(name.startswith("won_") for name in games.collect_schema().names())
    values = {}
    for place in range(seats):
        won = pl.lit(0.0)
        for first in range(seats):
            won = pl.when(pl.col("first_seat") == first).then(pl.col(f"won_{(first + place) % seats}")).otherwise(won)
        values[str(place)] = won
    return _shares(games, values, dict.fromkeys(values, 1), seats, level)


def _shares(
    games: pl.LazyFrame, values: Mapping[str, pl.Expr], n_seats: Mapping[str, int], seats: int, level: float
) -> tuple[Share, ...]:
    nobody = (pl.col("winner") == -1).cast(pl.Float64)
    both = {f"share {who}": value for who, value in values.items()}
    both |= {f"split {who}": value + nobody / seats for who, value in values.items()}
    moments = block_moments(games, {**both, "nobody": nobody})
    reference = (1 - moments.mean["nobody"]) / seats
    shares = []
    for who in values:
        share = share_estimate(
            moments.mean[f"share {who}"], moments.variance[f"share {who}"], moments.n_blocks, level=level
        )
        split = share_estimate(
            moments.mean[f"split {who}"], moments.variance[f"split {who}"], moments.n_blocks, level=level
        )
        # With the unfinished split, share and reference both move by unfinished / seats a block: their difference is
        # the same, and its variance is right, since 1 / seats has none.
        verdict = _verdict(split, 1 / seats)
        shares.append(
            Share(
                who=who,
                n_seats=n_seats[who],
                share=share,
                reference=reference,
                split=split,
                verdict=verdict,
                fragile=_verdict(share, reference) != verdict,
            )
        )
    return tuple(shares)


def _verdict(estimate: Estimate, reference: float) -> Verdict:
    if estimate.low > reference:
        return "above"
    return "below" if estimate.high < reference else "level"
