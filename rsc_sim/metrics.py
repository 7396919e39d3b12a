"""The figures that a comparison watches, block by block: win shares, turns, unfinished games.

`watched` lists them for an experiment with the margins within which a change does not matter; `BlockMetrics` takes
them from the engine's rows, `blocks_of_games` from a run that is written. Both give, for each block, the mean over its
games. What is concluded is left to `sequential` and `check`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rsc_sim.errors import InputError, nearest

if TYPE_CHECKING:
    import polars as pl

    from rsc_sim.engine import Tallies
    from rsc_sim.experiment import Margins, ResolvedExperiment

__all__ = ["MANY_ROUNDS", "BlockMetrics", "Columns", "Metric", "blocks_of_games", "watched"]

MANY_ROUNDS = 40
"""Rounds at which the length of a game is cut for its mean: without a limit, the few games that go on to the turn limit
would decide it."""

Numbers = npt.NDArray[np.float64]
Columns = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Metric:
    """One figure that is watched."""

    key: str
    """For machines: `win_share.strategy.collector`, `win_share.place.0`, `turns`, `unfinished`, `card.mug`."""
    label: str
    """For people."""
    unit: str
    """`share` (shown in percent), or `turns`."""
    margin: float
    """Differences of no more than this do not matter: absolute for shares, relative to the baseline for turns."""
    relative: bool
    bound: float
    """Largest possible difference of two block means."""

    @property
    def scale(self) -> float:
        """What a difference is multiplied with to be shown: percentage points for shares."""
        return 100.0 if self.unit == "share" else 1.0


def watched(experiment: ResolvedExperiment, margins: Margins) -> tuple[Metric, ...]:
    """List what is watched, in the columns' order of `BlockMetrics`.

    With one strategy in all seats its win share follows from the unfinished games, and is not watched.
    """
    found = []
    specs = [strategy.spec for strategy in experiment.strategies]
    if len(specs) > 1:
        found += [
            Metric(f"win_share.strategy.{spec}", f"win share of {spec}", "share", margins.win_share, False, 1.0)
            for spec in specs
        ]
    found += [
        Metric(
            f"win_share.place.{place}", f"win share, {_nth(place + 1)} to play", "share", margins.win_share, False, 1.0
        )
        for place in range(experiment.seats)
    ]
    longest = float(MANY_ROUNDS * experiment.seats)
    found += [
        Metric("turns", "turns of a game", "turns", margins.turns, True, longest),
        Metric("unfinished", "unfinished games", "share", margins.unfinished, False, 1.0),
    ]
    cards = experiment.ruleset["cards"]
    for kind in margins.cards:
        if kind not in cards:
            raise InputError(f"check.cards: {kind}: no such card in the ruleset{nearest(kind, cards)}")
        opening = _Opening.of(experiment, kind)
        label = f"win share, one {cards[kind]['name']} more dealt"
        found.append(Metric(f"card.{kind}", label, "share", margins.card, False, opening.bound))
    return tuple(found)


@dataclass(frozen=True)
class BlockMetrics:
    """Take the watched figures from games: a reducer for `tables`, and for the columns of a run.

    Called with rows, it gives an array of shape (blocks, figures).
    """

    seats: int
    seats_of: tuple[int, ...]
    """Seats that each strategy has in a game."""
    openings: tuple[_Opening, ...] = ()
    """Cards that are watched."""

    @classmethod
    def of(cls, experiment: ResolvedExperiment, cards: Sequence[str] = ()) -> BlockMetrics:
        """Make the reducer for an experiment's table; `cards` are watched too, for which it needs tallies by block."""
        ids = experiment.strategy_ids
        seats_of = tuple(ids.count(i) for i in range(len(experiment.strategies)))
        return cls(experiment.seats, seats_of, tuple(_Opening.of(experiment, kind) for kind in cards))

    def __call__(self, rows: Columns, rotations: int, tallies: Tallies | None = None) -> Numbers:
        """Average over the games of each block; `rows` are whole blocks in order, `tallies` have a batch a block."""
        first = np.asarray(rows["first_seat"], dtype=np.int64)
        n_blocks, seats, n = len(first) // rotations, self.seats, len(self.seats_of)
        block = np.repeat(np.arange(n_blocks), rotations)
        by_strategy, by_place = np.zeros(n_blocks * n), np.zeros(n_blocks * seats)
        for seat in range(seats):
            won = np.asarray(rows[f"won_{seat}"], dtype=np.float64)
            by_place += np.bincount(block * seats + (seat - first) % seats, weights=won, minlength=n_blocks * seats)
            if n > 1:
                by_strategy += np.bincount(
                    block * n + np.asarray(rows[f"strategy_{seat}"], np.int64), weights=won, minlength=n_blocks * n
                )
        turns = np.minimum(np.asarray(rows["turns"], dtype=np.float64), MANY_ROUNDS * seats)
        unfinished = np.asarray(rows["end"]) != 0
        columns = [by_place.reshape(n_blocks, seats) / rotations]
        if n > 1:
            columns.insert(0, by_strategy.reshape(n_blocks, n) / (np.array(self.seats_of) * rotations))
        columns += [
            values.astype(np.float64).reshape(n_blocks, rotations).mean(axis=1, keepdims=True)
            for values in (turns, unfinished)
        ]
        if self.openings:
            assert tallies is not None
            won = by_place.reshape(n_blocks, seats).sum(axis=1)
            columns += [opening(tallies, won, rotations * seats)[:, None] for opening in self.openings]
        return np.hstack(columns)


@dataclass(frozen=True)
class _Opening:
    """What one more copy of a kind in the opening hand goes with: Cov(copies dealt, won) / Var(copies dealt).

    The shuffle alone decides who is dealt what, so this is a causal figure, and mean and variance of the copies are
    those of the hypergeometric distribution: a mean over blocks, as sequential decisions need it.
    """

    kind: int
    mean: float
    variance: float

    @classmethod
    def of(cls, experiment: ResolvedExperiment, kind: str) -> _Opening:
        cards = experiment.ruleset["cards"]
        n, k, hand = (
            sum(card["copies"] for card in cards.values()),
            cards[kind]["copies"],
            experiment.ruleset["hand_size"],
        )
        p = k / n
        return cls(list(cards).index(kind), hand * p, max(hand * p * (1 - p) * (n - hand) / max(n - 1, 1), 1e-9))

    @property
    def bound(self) -> float:
        """Largest size of a block's value."""
        return (1.0 + self.mean) / self.variance

    def __call__(self, tallies: Tallies, won: Numbers, seat_games: int) -> Numbers:
        """Give each block's value; `won` are the wins of all seats of its games."""
        opening, wins = 0, 2  # the first event; seat-games, copies, wins in 1/840
        with_copies = tallies.cards[:, :, opening, self.kind, wins].sum(axis=1) / 840
        return np.asarray((with_copies - self.mean * won) / (seat_games * self.variance))


def blocks_of_games(games: pl.DataFrame, experiment: ResolvedExperiment) -> Numbers:
    """Take the watched figures from the `games` frame of whole blocks in order."""
    import polars as pl

    enums = [name for name, kind in games.schema.items() if isinstance(kind, pl.Enum)]
    plain = games.with_columns(pl.col(enums).to_physical())
    return BlockMetrics.of(experiment)({name: plain[name].to_numpy() for name in plain.columns}, experiment.rotations)


def _nth(number: int) -> str:
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number, 'th')}"
