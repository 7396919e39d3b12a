"""The headline figures of a run, each worked out when it is first asked for and then kept.

A summary and six pictures ask for the same figures; over millions of games each costs a pass over them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol
from weakref import WeakKeyDictionary

import polars as pl

from rsc_sim.analysis.bottleneck import Bottleneck, bottleneck
from rsc_sim.analysis.cards import CardImpact, card_impact
from rsc_sim.analysis.chance import Chance, chance_alone
from rsc_sim.analysis.ends import Ends, how_games_end
from rsc_sim.analysis.length import Length, game_length
from rsc_sim.analysis.shares import (
    ReadDealt,
    Share,
    win_share_by_place,
    win_share_by_read_dealt,
    win_share_by_strategy,
)

__all__ = ["Figures", "Frames", "figures_of", "keep_figures"]


class Frames(Protocol):
    """What figures are worked out from: a run, or anything with its frames.

    Where it has a true `watched`, it ended because of the win shares that it found, and they get intervals that allow
    for that. Where it has `recorded`, only the frames named there are to be had.
    """

    @property
    def games(self) -> pl.LazyFrame:
        """A row a game."""

    @property
    def cards(self) -> pl.LazyFrame:
        """Tallies of kinds by batch."""

    @property
    def windows(self) -> pl.LazyFrame:
        """Tallies of escape windows by batch."""


class Figures:
    """Work out the figures of some frames on demand, at the usual level."""

    def __init__(self, frames: Frames) -> None:
        # The frames, not what holds them: figures that are kept for a run must not keep the run.
        recorded = getattr(frames, "recorded", ("games", "cards", "windows"))
        self._games = frames.games
        self._cards = frames.cards if "cards" in recorded else None
        self._windows = frames.windows if "windows" in recorded else None
        self._watched = bool(getattr(frames, "watched", False))

    @cached_property
    def by_strategy(self) -> tuple[Share, ...]:
        """Win share a seat by strategy."""
        return win_share_by_strategy(self._games, watched=self._watched)

    @cached_property
    def by_place(self) -> tuple[Share, ...]:
        """Win share by place at the table."""
        return win_share_by_place(self._games, watched=self._watched)

    @cached_property
    def by_place_without_read(self) -> tuple[Share, ...]:
        """The same on the deals that gave nobody Read, where chance decides who plays first."""
        return win_share_by_place(self._games.filter(pl.col("read_dealt") < 0))

    @cached_property
    def read_dealt(self) -> ReadDealt:
        """Win share a seat by who was dealt Read."""
        return win_share_by_read_dealt(self._games)[0]

    @cached_property
    def rounds(self) -> Length:
        """Game length in rounds."""
        return game_length(self._games, "rounds")

    @cached_property
    def turns(self) -> Length:
        """Game length in turns of single seats."""
        return game_length(self._games, "turns")

    @cached_property
    def ends(self) -> Ends:
        """How games end, and why not."""
        return how_games_end(self._games)

    @cached_property
    def cards(self) -> tuple[CardImpact, ...] | None:
        """Card impact, over all strategies; None where tallies of cards were not recorded."""
        return None if self._cards is None else card_impact(self._cards)

    @cached_property
    def bottleneck(self) -> Bottleneck | None:
        """What escape windows lack; None where they were not recorded."""
        return None if self._windows is None else bottleneck(self._windows)

    @cached_property
    def chance(self) -> Chance | None:
        """How far apart chance alone puts two runs; None where there are too few deals to tell."""
        return chance_alone(self._games)


_KEPT: WeakKeyDictionary[Frames, Figures] = WeakKeyDictionary()


def figures_of(frames: Frames) -> Figures:
    """Give the figures of a run, the same ones each time it is asked for as long as the run is held."""
    return keep_figures(frames, _KEPT.get(frames) or Figures(frames))


def keep_figures(frames: Frames, figures: Figures) -> Figures:
    """Keep figures for a run that were worked out from another view of the same one."""
    _KEPT[frames] = figures
    return figures
