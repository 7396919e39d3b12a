"""What a card changes: the effect of having a kind of card instead of an average one, from games played on with each.

The games come from `engine/impact.pyx`: at a moment, when a seat is dealt or draws its n-th card, the game was played
to its end once with each kind that might have been drawn. The kinds that might have been drawn differ from moment to
moment, as pick-up piles do, so that moments are incomplete blocks and effects are had by least squares within them:
with m copies of each kind, y(p, k) what came of kind k at moment p, and moments' levels a(p) free, the effects t(k)
minimise the sum of m (y(p, k) - a(p) - t(k))². Where every kind is there each time this is the mean of what came of the
kind less the mean over all cards. Effects are fixed by their sum, weighted by the deck's copies, which is 0: "an
average card" is the average over the deck. Sources: Yates, F. (1936), Incomplete randomized blocks, Ann. Eugenics 7,
121-140, for the analysis within blocks; Rubin, D. B. (1974), J. Educ. Psych. 66, 688-701, for what is estimated: the
difference between outcomes of one unit, its card set by us.

Within a strategy and a band of n, moments weigh by the cards that might have been drawn; strategies and bands weigh by
the cards that they are dealt or draw. For dealt cards the shuffle itself is such an experiment: the copies of a kind
that a seat was dealt against those that nobody was (`opening_effects`).

Spread is taken over batches of blocks, by linearisation: the estimates' influence is summed up batch by batch (Binder,
D. A. (1983), On the variances of asymptotically normal estimators from complex surveys, Int. Stat. Rev. 51, 279-292).
Most games that are played on end as they would have, so that few batches make most of it, and a spread that rests on
few is poorly known itself: Student's t has the degrees of freedom that it is worth (Satterthwaite, F. E. (1946), An
approximate distribution of estimates of variance components, Biometrics Bull. 2, 110-114).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rsc_sim.analysis.batches import Numbers, batch_difference, jackknife, ratio
from rsc_sim.analysis.discoveries import adjusted, two_sided
from rsc_sim.analysis.intervals import LEVEL, Estimate, critical_value

__all__ = [
    "FIGURES",
    "CardEffect",
    "ImpactSums",
    "Seen",
    "band_names",
    "card_effects",
    "opening_effects",
    "seen_edges",
]

FIGURES = {"won": "difference of shares", "turns": "turns", "unfinished": "difference of shares"}
"""What an effect is told in, with its unit: win share, length of the game, share of games that do not end."""


@dataclass(frozen=True)
class ImpactSums:
    """Sums over moments and games, by batch of blocks, as `engine/impact.pyx` lays them out."""

    kinds: tuple[str, ...]
    copies: tuple[int, ...]
    """Of each kind in the deck."""
    strategies: tuple[str, ...]
    bands: tuple[int, ...]
    """The last n of each band of n but the last, which has no end."""
    sums: Numbers
    """[batch, strategy, band, kind, 1 + figure]: copies that might have been drawn, those times what they change."""
    pairs: Numbers
    """[strategy, band, kind, kind], over all batches: the product of two kinds' copies by the copies of all."""
    counts: npt.NDArray[np.uint64]
    """[batch, strategy, band, 3]: cards seen, moments, games that were played on."""
    seen: Numbers
    """[batch, strategy, band, kind, 1 + figure]: cards dealt or drawn in games left alone, and those times a figure."""
    dealt: Numbers
    """[batch, strategy, kind, 2, 1 + figure]: the same of copies in the seat's first hand, and of those nobody got."""


@dataclass(frozen=True, slots=True)
class CardEffect:
    """What having a kind instead of an average card changes for the seat that has it."""

    kind: str
    strategy: str | None
    """None: over all strategies."""
    band: str | None
    """Of n, the number of the card among those that the seat was dealt and has drawn; None: over all."""
    won: Estimate
    turns: Estimate
    unfinished: Estimate
    p: float
    """Of the change in win share: how often chance alone would show as much or more."""
    p_adjusted: float
    """The same after allowing for the kinds that are looked at together (Benjamini and Hochberg)."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "kind": self.kind,
            "strategy": self.strategy,
            "n": self.band,
            "won": self.won.to_dict(),
            "turns": self.turns.to_dict(),
            "unfinished": self.unfinished.to_dict(),
            "p": None if math.isnan(self.p) else self.p,
            "p_adjusted": None if math.isnan(self.p_adjusted) else self.p_adjusted,
        }


def band_names(bands: Sequence[int]) -> tuple[str, ...]:
    """Name the bands of n.

    >>> band_names((6, 12))
    ('1–6', '7–12', '13+')
    """
    firsts = [1, *(last + 1 for last in bands)]
    return (*(f"{first}–{last}" for first, last in zip(firsts, bands, strict=False)), f"{firsts[-1]}+")


def card_effects(
    found: ImpactSums, *, by_strategy: bool = False, by_band: bool = False, drawn: bool = False, level: float = LEVEL
) -> tuple[CardEffect, ...]:
    """Work out what each kind changes, in order of the kinds; group after group where groups are asked for.

    With `drawn` cards of the first hand, the first band, are left out.
    """
    effects: list[CardEffect] = []
    for strategy, band, cells in _groups(found, by_strategy=by_strategy, by_band=by_band):
        cells[:, 0] &= not drawn
        effects += _told(found, strategy, band, *_solve(found, cells), level)
    return tuple(effects)


def opening_effects(found: ImpactSums, *, by_strategy: bool = False, level: float = LEVEL) -> tuple[CardEffect, ...]:
    """Work out the same for dealt cards from the deal alone, which is an experiment of its own.

    The seats that were dealt a copy, less those of the deals in which it was dealt to nobody, in the scale of
    `card_effects`: such a card stands beside the deck's n - 1 others, an average card is one of all n.
    """
    n = sum(found.copies)
    effects: list[CardEffect] = []
    for number, strategy in enumerate(found.strategies if by_strategy else [None]):
        dealt = found.dealt[:, [number]].sum(axis=1) if by_strategy else found.dealt.sum(axis=1)
        mine, nobodys = dealt[:, :, 0], dealt[:, :, 1]
        columns = [
            jackknife(_difference, mine[..., i], mine[..., 0], nobodys[..., i], nobodys[..., 0])
            for i in range(1, 1 + len(FIGURES))
        ]
        scale = (n - 1) / n
        values = np.stack([scale * value for value, _ in columns], axis=1)
        errors = np.stack([scale * np.sqrt(variance) for _, variance in columns], axis=1)
        freedom = np.full(values.shape, len(found.dealt) - 1.0)
        effects += _told(found, strategy, None, values, errors, freedom, level)
    return tuple(effects)


def _difference(mine: Numbers, copies: Numbers, others: Numbers, other_copies: Numbers) -> Numbers:
    difference: Numbers = ratio(mine, copies) - ratio(others, other_copies)
    return difference


def _groups(
    found: ImpactSums, *, by_strategy: bool, by_band: bool
) -> list[tuple[str | None, str | None, npt.NDArray[np.bool_]]]:
    """List the groups of cells [strategy, band] that effects are worked out for."""
    shape = found.pairs.shape[:2]
    names = band_names(found.bands)
    groups = []
    for s in range(shape[0]) if by_strategy else [None]:
        for b in range(shape[1]) if by_band else [None]:
            cells = np.zeros(shape, dtype=bool)
            cells[slice(None) if s is None else s, slice(None) if b is None else b] = True
            groups.append((None if s is None else found.strategies[s], None if b is None else names[b], cells))
    return groups


def _solve(found: ImpactSums, cells: npt.NDArray[np.bool_]) -> tuple[Numbers, Numbers, Numbers]:
    """Give the effects [kind, figure] over some cells, their standard errors and the degrees of freedom of those.

    Where a kind was never there they are NaN.
    """
    copies = np.asarray(found.copies, dtype=np.float64)
    values = np.full((len(copies), len(FIGURES)), np.nan)
    errors, freedom = values.copy(), values.copy()
    weight = found.sums[..., 0].sum(axis=(0, 3))
    cards = found.counts[..., 0].sum(axis=0).astype(np.float64)
    scale = np.where(cells, ratio(cards, weight), 0.0)
    scale[weight == 0] = 0.0
    by_batch = np.einsum("tsbkf,sb->tkf", found.sums, scale)
    products = np.einsum("sbkl,sb->kl", found.pairs, scale)
    total = by_batch.sum(axis=0)
    there = np.flatnonzero((total[:, 0] - products.diagonal() > 1e-9 * total[:, 0].sum()) & (copies > 0))
    if len(there) < 2:
        return values, errors, freedom
    total, products = total[there], products[np.ix_(there, there)]
    n = total[:, 0]
    # The last row and column hold the effects' sum, weighted by copies, at 0.
    bordered = np.zeros((len(there) + 1, len(there) + 1))
    bordered[:-1, :-1] = np.diag(n) - products
    bordered[:-1, -1] = bordered[-1, :-1] = copies[there] * n.mean() / copies[there].mean()
    inverse = np.linalg.pinv(bordered, hermitian=True)[:-1, :-1]
    values[there] = inverse @ total[:, 1:]
    rest = by_batch[:, there, 1:] - by_batch[:, there, :1] * (total[:, 1:] / n[:, None])
    influence = np.einsum("kl,tlf->tkf", inverse, rest)
    batches = len(by_batch)
    if batches > 1:
        errors[there] = np.sqrt(batches / (batches - 1) * (influence**2).sum(axis=0))
        freedom[there] = _freedom(influence)
    return values, errors, freedom


def _freedom(influence: Numbers) -> Numbers:
    """Give the degrees of freedom of a sum of squares over batches, the first axis: 2 over its squared variation.

    With n batches of kurtosis K it is 2 n / (K - 1), n for normal ones; n - 1 at most.

    >>> round(float(_freedom(np.array([3.0, -1.0, -1.0, -1.0]))), 2)  # K is 2.33
    3.0
    >>> round(float(_freedom(np.array([10.0, -10.0] + [0.0] * 98))), 2)  # two batches make all of it
    4.08
    """
    n = len(influence)
    squares = influence**2
    kurtosis = ratio(n * (squares**2).sum(axis=0), squares.sum(axis=0) ** 2)
    freedom: Numbers = np.minimum(n - 1, 2 * n / np.maximum(np.nan_to_num(kurtosis, nan=3.0) - 1, 1e-9))
    return freedom


def _told(  # noqa: PLR0917
    found: ImpactSums,
    strategy: str | None,
    band: str | None,
    values: Numbers,
    errors: Numbers,
    freedom: Numbers,
    level: float,
) -> list[CardEffect]:
    batches = len(found.sums)
    p = [
        two_sided(float(value), float(error), float(free))
        for value, error, free in zip(values[:, 0], errors[:, 0], freedom[:, 0], strict=True)
    ]
    q = adjusted(p)
    effects = []
    for k, kind in enumerate(found.kinds):
        told = {
            figure: _estimate(float(values[k, i]), float(errors[k, i]), float(freedom[k, i]), batches, unit, level)
            for i, (figure, unit) in enumerate(FIGURES.items())
        }
        effects.append(CardEffect(kind, strategy, band, **told, p=p[k], p_adjusted=q[k]))
    return effects


def _estimate(  # noqa: PLR0917
    value: float, error: float, freedom: float, n_batches: int, unit: str, level: float
) -> Estimate:
    """Put Student's interval on an effect; shares differ by 1 at most."""
    if not math.isnan(value) and not math.isnan(error):
        half = critical_value(level, round(freedom) + 1) * error
        low, high = value - half, value + half
        method = "Student's t on influence by batch"
    else:
        low, high = -math.inf, math.inf
        method = "never met" if math.isnan(value) else "one batch: no interval"
    if unit != "turns":
        low, high = max(-1.0, low), min(1.0, high)
    return Estimate(value, low, high, level, unit, n_batches, method)


# ---- what is seen to go with a card


@dataclass(frozen=True, slots=True)
class Seen:
    """What goes with a kind in games left alone: the win share of the seats that saw it, less the average card's.

    Three parts of it that are not the card's doing are told apart.
    """

    kind: str
    edge: Estimate
    """Over all cards dealt or drawn."""
    drawn: Estimate
    """Over those drawn from the pick-up pile."""
    who: float
    """Of `edge`: that strategies which win more, or less, than others see more of the kind."""
    when: float
    """Of `edge`: that it is seen early or late, when a strategy's seats that are still there win more or less."""
    unfinished: float
    """Of `edge`: that games which nobody wins show more, or less, of the kind than of others."""
    late: float
    """The share of the kind's copies seen in the last band, less that of all cards."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        told = {"who": self.who, "when": self.when, "unfinished": self.unfinished, "late": self.late}
        return {
            "kind": self.kind,
            "edge": self.edge.to_dict(),
            "drawn": self.drawn.to_dict(),
            **{name: None if math.isnan(value) else value for name, value in told.items()},
        }


def seen_edges(found: ImpactSums, *, level: float = LEVEL) -> tuple[Seen, ...]:
    """Work out what goes with each kind, in order of the kinds; the average is over all cards that were seen."""
    edge = _edge(found.seen, level)
    drawn = _edge(found.seen[:, :, 1:], level)
    seen = found.seen.sum(axis=0)
    cards, wins = seen[..., 0], seen[..., 1]
    overall = wins.sum() / max(cards.sum(), 1)
    of_strategy = ratio(wins.sum(axis=(1, 2)), cards.sum(axis=(1, 2)))
    of_cell = ratio(wins.sum(axis=2), cards.sum(axis=2))
    share = ratio(cards, cards.sum(axis=(0, 1)))
    who = np.nansum(share.sum(axis=1) * (of_strategy - overall)[:, None], axis=0)
    when = np.nansum(share * (of_cell - of_strategy[:, None])[..., None], axis=(0, 1))
    won = ratio(wins.sum(axis=(0, 1)), (cards - seen[..., 3]).sum(axis=(0, 1)))
    average = wins.sum() / max((cards - seen[..., 3]).sum(), 1)
    unfinished = np.array([estimate.value for estimate in edge]) - (won - average)
    late = share[:, -1].sum(axis=0) - cards[:, -1].sum() / max(cards.sum(), 1)
    return tuple(
        Seen(kind, edge[k], drawn[k], *(float(part[k]) for part in (who, when, unfinished, late)))
        for k, kind in enumerate(found.kinds)
    )


def _edge(seen: Numbers, level: float) -> list[Estimate]:
    cards, wins = seen[..., 0].sum(axis=(1, 2)), seen[..., 1].sum(axis=(1, 2))
    everything = (part.sum(axis=1, keepdims=True) for part in (wins, cards))
    value, variance = jackknife(_difference, wins, cards, *everything)
    return [batch_difference(float(value[k]), float(variance[k]), len(seen), level=level) for k in range(len(value))]
