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

from rsc_sim.analysis.blocks import Moments, block_moments
from rsc_sim.analysis.intervals import LEVEL, Estimate, difference_estimate, sequence_estimate, share_estimate

__all__ = [
    "ReadDealt",
    "Share",
    "Verdict",
    "seated_strategies",
    "win_share_by_place",
    "win_share_by_read_dealt",
    "win_share_by_strategy",
    "won_by_place",
    "won_by_strategy",
]

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


@dataclass(frozen=True, slots=True)
class ReadDealt:
    """The win share a seat by whom the deal gave Read, of one strategy or of all.

    Who is dealt Read is chance, so that the difference is what being dealt it does: displaying Read, playing first and
    picking up the opening draw, all together.
    """

    who: str | None
    """None: over all strategies."""
    to_this: Estimate
    """Of deals that gave Read to this seat."""
    to_another: Estimate
    """Of deals that gave Read to another seat."""
    to_nobody: Estimate
    """Of deals that gave nobody Read; over all strategies it is the equal share by construction."""
    effect: Estimate
    """`to_this` less `to_another`, on the same deals."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        estimates = ("to_this", "to_another", "to_nobody", "effect")
        return {"who": self.who, **{name: getattr(self, name).to_dict() for name in estimates}}


def win_share_by_strategy(games: pl.LazyFrame, *, level: float = LEVEL, watched: bool = False) -> tuple[Share, ...]:
    """Estimate each strategy's win share a seat, in the order of the run's strategies.

    `watched`: the run ended because of what it found, so that intervals are those that hold at every look.
    """
    seated = seated_strategies(games)
    return _shares(games, won_by_strategy(seated), seated, sum(seated.values()), level, watched=watched)


def win_share_by_place(games: pl.LazyFrame, *, level: float = LEVEL, watched: bool = False) -> tuple[Share, ...]:
    """Estimate the win share of each place, named `0` for the seat that plays first, `1` for the next, and so on.

    Place is chance, or Read's: the seat that is dealt Read plays first. So the first place wins more where Read helps.
    """
    seats = sum(name.startswith("won_") for name in games.collect_schema().names())
    values = won_by_place(seats)
    return _shares(games, values, dict.fromkeys(values, 1), seats, level, watched=watched)


def win_share_by_read_dealt(
    games: pl.LazyFrame, *, by_strategy: bool = False, level: float = LEVEL
) -> tuple[ReadDealt, ...]:
    """Estimate the win share a seat by whether Read was dealt to it, to another seat, or to nobody.

    One entry over all strategies, or one for each. All rotations of a block share its deal, and each seat is played
    by each strategy alike often over them, so that every block that dealt Read has the same weights.
    """
    seated = seated_strategies(games)
    seats = sum(seated.values())
    groups: dict[str | None, int] = dict(seated.items()) if by_strategy else {None: seats}
    to_this, to_another, to_nobody = {}, {}, {}
    for who, n_seats in groups.items():
        won = [_won_by(who, i) for i in range(seats)]
        held = [pl.when(pl.col("read_dealt") == i).then(won[i]).otherwise(0.0) for i in range(seats)]
        # Read falls to one seat of `seats`, and to one of this strategy in n_seats of `seats` games of a block.
        to_this[who] = pl.sum_horizontal(held) * seats / n_seats
        to_another[who] = (pl.sum_horizontal(won) - pl.sum_horizontal(held)) * seats / (n_seats * (seats - 1))
        to_nobody[who] = pl.sum_horizontal(won) / n_seats
    values = {f"this {who}": to_this[who] for who in groups} | {f"another {who}": to_another[who] for who in groups}
    values |= {f"effect {who}": to_this[who] - to_another[who] for who in groups}
    dealt = block_moments(games.filter(pl.col("read_dealt") >= 0), values)
    others = block_moments(games.filter(pl.col("read_dealt") < 0), {f"nobody {who}": to_nobody[who] for who in groups})

    def share(moments: Moments, name: str) -> Estimate:
        return share_estimate(moments.mean[name], moments.variance[name], moments.n_blocks, level=level)

    return tuple(
        ReadDealt(
            who=who,
            to_this=share(dealt, f"this {who}"),
            to_another=share(dealt, f"another {who}"),
            to_nobody=share(others, f"nobody {who}"),
            effect=difference_estimate(
                dealt.mean[f"effect {who}"], dealt.variance[f"effect {who}"], dealt.n_blocks, level=level
            ),
        )
        for who in groups
    )


def won_by_strategy(seated: Mapping[str, int]) -> dict[str, pl.Expr]:
    """Give by strategy what of a game each of its seats won, on average; `seated` counts its seats at the table."""
    seats = sum(seated.values())
    return {spec: pl.sum_horizontal(_won_by(spec, i) for i in range(seats)) / n for spec, n in seated.items()}


def won_by_place(seats: int) -> dict[str, pl.Expr]:
    """Give by place, `0` for the seat that plays first, what of a game it won."""
    values = {}
    for place in range(seats):
        won = pl.lit(0.0)
        for first in range(seats):
            won = pl.when(pl.col("first_seat") == first).then(pl.col(f"won_{(first + place) % seats}")).otherwise(won)
        values[str(place)] = won
    return values


def seated_strategies(games: pl.LazyFrame) -> dict[str, int]:
    """Count the seats of each strategy, in the run's order; the same in every game, since games differ by rotation."""
    schema = games.collect_schema()
    seats = sum(name.startswith("won_") for name in schema.names())
    dtype = schema["strategy_0"]
    specs = list(dtype.categories) if isinstance(dtype, pl.Enum) else []
    first = games.head(1).select(pl.concat_list(pl.col(f"strategy_{i}") for i in range(seats))).collect()
    seated = [str(spec) for spec in first.item().to_list()] if first.height else []
    return {spec: seated.count(spec) for spec in specs if spec in seated}


def _won_by(who: str | None, seat: int) -> pl.Expr:
    won = pl.col(f"won_{seat}").cast(pl.Float64)
    return won if who is None else pl.when(pl.col(f"strategy_{seat}") == who).then(won).otherwise(0.0)


def _shares(
    games: pl.LazyFrame,
    values: Mapping[str, pl.Expr],
    n_seats: Mapping[str, int],
    seats: int,
    level: float,
    *,
    watched: bool,
) -> tuple[Share, ...]:
    estimate = sequence_estimate if watched else share_estimate
    nobody = (pl.col("winner") == -1).cast(pl.Float64)
    moments = block_moments(games, {**values, "nobody": nobody}, pairs=tuple((who, "nobody") for who in values))
    unfinished, spread = moments.mean["nobody"], moments.variance["nobody"]
    reference = (1 - unfinished) / seats
    shares = []
    for who in values:
        mean, variance = moments.mean[who], moments.variance[who]
        share = estimate(mean, variance, moments.n_blocks, level=level)
        together = max(0.0, variance + spread / seats**2 + 2 * moments.covariance[who, "nobody"] / seats)
        split = estimate(mean + unfinished / seats, together, moments.n_blocks, level=level)
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
