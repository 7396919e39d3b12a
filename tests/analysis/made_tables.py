"""Tables of made-up games: by counts given, or drawn by a model that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from rsc_sim.analysis.tables import TableCounts, block_counts

Numbers = npt.NDArray[np.float64]


def seatings_of(seated: Sequence[int]) -> list[tuple[int, ...]]:
    return sorted(set(permutations(seated)))


def counted(seated: Sequence[int], games: Callable[[tuple[int, ...]], Any], *, n_blocks: int) -> TableCounts:
    """Count blocks, of which `games` gives what each place wins, a row a block, for a seating."""
    seatings = seatings_of(seated)
    played = [(np.full(n_blocks, at), np.asarray(games(seating), dtype=float)) for at, seating in enumerate(seatings)]
    return TableCounts.empty(seatings).with_blocks(block_counts(seatings, played))


def duel(i: int, j: int, wins_i: int, wins_j: int) -> TableCounts:
    """Give two strategies that many wins each in each of two seatings, so that no place is better."""

    def games(seating: tuple[int, ...]) -> Numbers:
        winners = [i] * wins_i + [j] * wins_j
        return np.array([[float(who == winner) for who in seating] for winner in winners])

    return counted((i, j), games, n_blocks=wins_i + wins_j)


def drawn(
    chance: np.random.Generator,
    seated: Sequence[int],
    strength: Callable[[tuple[int, ...]], Numbers],
    *,
    n_blocks: int,
    alike: float = 0.0,
) -> TableCounts:
    """Draw games by the conditional logit; `strength` gives the utility of each place of a seating.

    With `alike` the noise of a strategy is correlated so much over the games of a block, each game still being drawn by
    the same model.
    """
    numbers = sorted(set(seated))
    deal = chance.standard_normal((n_blocks, len(numbers)))

    def games(seating: tuple[int, ...]) -> Numbers:
        once = [seating.index(who) == at for at, who in enumerate(seating)]
        shared = deal[:, [numbers.index(who) for who in seating]]
        own = chance.standard_normal((n_blocks, len(seating)))
        mixed = np.sqrt(alike) * shared + np.sqrt(1 - alike) * own if all(once) else own
        gumbel = -np.log(-np.log(ndtr(mixed)))
        best = (gumbel + strength(seating)).argmax(axis=1)
        return (best[:, None] == np.arange(len(seating))).astype(float)

    return counted(seated, games, n_blocks=n_blocks)


def by_model(theta: Sequence[float], places: Sequence[float]) -> Callable[[tuple[int, ...]], Numbers]:
    """Give utilities that are those of strategies and places alone."""
    return lambda seating: np.array([theta[who] for who in seating]) + np.array(places)
