"""Which cards go with winning: observational card impact, from tallies of what became of each kind.

The measures are those of 17Lands (https://www.17lands.com/metrics_definitions), carried over to seats at one table.
Each is a win share over copies: a seat that drew two copies in a game counts twice, once for each.

- *opening hand* (OH WR): of the copies that seats were dealt, the share whose seat won.
- *drawn later* (GD WR): the same of the copies drawn from the pick-up pile.
- *in hand* (GIH WR): the same of both together.
- *never seen* (GNS WR): of the seats and games in which no copy was dealt or drawn, the share that won.
- *impact* (IIH): in hand less never seen.

Impact is correlation, not effect. A long game shows every seat more cards, so that in-hand shares speak of long games
and never-seen shares of short ones; a seat that draws more has more of every card and often wins for other reasons; a
card that one seat draws over and over weighs as often as it was drawn; and in games that nobody won all cards lose. The
opening hand alone is free of this, since chance deals it: so its share is also given less the average over all cards
dealt (*edge*; weighted by copies, edges sum to 0). What a card that is drawn later changes is another question, and
asked by playing the same deals with it and without.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rsc_sim.analysis.batches import Numbers, batch_difference, batch_rate, batch_share, dense, jackknife, ratio
from rsc_sim.analysis.intervals import LEVEL, Estimate

__all__ = ["CardImpact", "card_impact"]

WIN = 840
"""Parts of a win in which the `cards` frame counts: 1 to 8 winners can share it."""
_COPY = "a copy dealt or drawn"


@dataclass(frozen=True, slots=True)
class CardImpact:
    """How the seats fared that had a kind of card, and those that had not."""

    kind: str
    strategy: str | None
    """None: over all strategies."""
    n_copies: int
    """Copies dealt or drawn."""
    draws: float
    """Of those, how many a seat and game that saw any; far above the copies in the deck, few games weigh most."""
    opening: Estimate
    drawn_later: Estimate
    in_hand: Estimate
    never_seen: Estimate
    impact: Estimate
    """In hand less never seen, a difference of shares."""
    edge: Estimate
    """Opening hand less the average over all cards dealt, a difference of shares."""
    played: Estimate
    """Copies tabled, played and reacted with, a copy dealt or drawn. Merch taken or found is tabled without being
    drawn, and stolen cards are played by others, so that it may exceed 1."""
    left: Estimate
    """Copies in the hand at the end, a copy dealt or drawn: dead weight, or kept on purpose."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        estimates = ("opening", "drawn_later", "in_hand", "never_seen", "impact", "edge", "played", "left")
        return {
            "kind": self.kind,
            "strategy": self.strategy,
            "n_copies": self.n_copies,
            "draws": None if math.isnan(self.draws) else self.draws,
            **{name: getattr(self, name).to_dict() for name in estimates},
        }


def card_impact(cards: pl.LazyFrame, *, by_strategy: bool = False, level: float = LEVEL) -> tuple[CardImpact, ...]:
    """Work out each kind's impact from a `cards` frame, in order of the kinds; by strategy, one strategy after another.

    Intervals are from a jackknife over batches, since copies of a game, and games of a deal, go together.
    """
    schema = cards.collect_schema()
    kinds, events, strategies = (_categories(schema[name], name) for name in ("kind", "event", "strategy"))
    groups: list[str | None] = list(strategies) if by_strategy else [None]
    group = pl.col("strategy").to_physical().cast(pl.Int64) if by_strategy else pl.lit(0, dtype=pl.Int64)
    frame = (
        cards.select(
            "batch",
            group.alias("group"),
            pl.col("kind").to_physical().cast(pl.Int64),
            pl.col("event").to_physical().cast(pl.Int64),
            "seat_games",
            "copies",
            "wins",
        )
        .group_by("batch", "group", "kind", "event")
        .agg(pl.col("seat_games", "copies", "wins").sum())
        .with_columns((pl.col("batch").rank("dense") - 1).cast(pl.Int64))
        .collect(engine="streaming")
    )
    n_batches = int(frame["batch"].max() or 0) + 1 if frame.height else 0  # type: ignore[arg-type]
    axes = {"event": len(events), "batch": n_batches, "group": len(groups), "kind": len(kinds)}
    sums = dense(frame, axes, ("seat_games", "copies", "wins"))
    of = {event: sums[number] for number, event in enumerate(events)}
    return _impacts(of, kinds, groups, level)


def _impacts(
    of: dict[str, Numbers], kinds: list[str], groups: list[str | None], level: float
) -> tuple[CardImpact, ...]:
    """Work on sums by event, each [batch, group, kind, what], what being seat-games, copies and wins."""
    copies = {event: part[..., 1] for event, part in of.items()}
    wins = {event: part[..., 2] / WIN for event, part in of.items()}
    drawn, unseen = copies["drawn"], copies["never_seen"]
    later, later_wins = drawn - copies["opening"], wins["drawn"] - wins["opening"]
    used = copies["tabled"] + copies["played"] + copies["reacted"]
    draws = ratio(drawn.sum(axis=0), of["drawn"][..., 0].sum(axis=0))

    shares = {
        "opening": (wins["opening"], copies["opening"]),
        "drawn_later": (later_wins, later),
        "in_hand": (wins["drawn"], drawn),
        "never_seen": (wins["never_seen"], unseen),
    }
    found = {name: (*jackknife(ratio, *parts), _batches(parts[1])) for name, parts in shares.items()}
    impact = jackknife(_difference, wins["drawn"], drawn, wins["never_seen"], unseen)
    all_dealt = (part.sum(axis=-1, keepdims=True) for part in (wins["opening"], copies["opening"]))
    edge = jackknife(_difference, wins["opening"], copies["opening"], *all_dealt)
    rates = {
        name: (*jackknife(ratio, part, drawn), _batches(drawn))
        for name, part in (("played", used), ("left", copies["in_hand_at_end"]))
    }
    both = np.minimum(_batches(drawn), _batches(unseen))

    def one(g: int, k: int) -> CardImpact:
        def at(three: tuple[Numbers, Numbers, Numbers]) -> tuple[float, float, int]:
            value, variance, n = three
            return float(value[g, k]), float(variance[g, k]), int(n[g, k])

        return CardImpact(
            kind=kinds[k],
            strategy=groups[g],
            n_copies=int(drawn[:, g, k].sum()),
            draws=float(draws[g, k]),
            **{name: batch_share(*at(three), level=level) for name, three in found.items()},
            impact=batch_difference(*at((*impact, both)), level=level),
            edge=batch_difference(*at((*edge, _batches(copies["opening"]))), level=level),
            **{name: batch_rate(*at(three), unit=_COPY, level=level) for name, three in rates.items()},
        )

    return tuple(one(g, k) for g in range(len(groups)) for k in range(len(kinds)))


def _difference(wins: Numbers, copies: Numbers, other_wins: Numbers, other_copies: Numbers) -> Numbers:
    difference: Numbers = ratio(wins, copies) - ratio(other_wins, other_copies)
    return difference


def _batches(counted: Numbers) -> Numbers:
    """Count the batches in which anything was counted."""
    n: Numbers = (counted > 0).sum(axis=0).astype(np.float64)
    return n


def _categories(dtype: pl.DataType, name: str) -> list[str]:
    if not isinstance(dtype, pl.Enum):
        raise ValueError(f"cards: expected column {name!r} to be an Enum, came {dtype}")
    return list(dtype.categories)
