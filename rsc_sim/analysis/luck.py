"""How much of who wins is luck, and of which kind; and how much is skill.

A seat's win share in a game is a function of independent sources of chance. Sobol's indices split its variance among
them: *alone*, the first-order index, is what fixing a source would take away on average; *in all*, the total index,
what is left when all but it is fixed. Alone they add up to at most 1, what is missing being sources working together;
in all to at least 1. Both are had by playing with one source drawn anew and the others kept (pick-freeze).

Sources: Sobol, I. M. (1993), Sensitivity estimates for nonlinear mathematical models, Math. Modelling Comput. Exp. 1,
407-414; Sobol, I. M. (2001), Global sensitivity indices, Math. Comput. Simul. 55, 271-280; Jansen, M. J. W. (1999),
Analysis of variance designs for model output, Comput. Phys. Commun. 117, 35-43; Saltelli, A. et al. (2010), Variance
based sensitivity analysis of model output, Comput. Phys. Commun. 181, 259-270, table 2 (b), (f).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rsc_sim.analysis.batches import Numbers, batch_rate, jackknife, ratio
from rsc_sim.analysis.intervals import LEVEL, Estimate, critical_value
from rsc_sim.analysis.shares import seated_strategies, won_by_strategy

__all__ = ["Luck", "Skill", "Source", "luck_of", "skill_of", "squares_of"]


@dataclass(frozen=True, slots=True)
class Source:
    """What of the variance a source of chance, or several together, account for."""

    name: str
    alone: Estimate
    """The first-order index: how much would be known if only it were known."""
    in_all: Estimate
    """The total index: how much would be unknown if only it were unknown."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {"name": self.name, "alone": self.alone.to_dict(), "in_all": self.in_all.to_dict()}


@dataclass(frozen=True, slots=True)
class Luck:
    """The variance that luck makes, and where it comes from."""

    variance: Estimate
    """Of a seat's win share in one game, its strategy and all seats' known; 0.1875 where one in four wins by luck."""
    sources: tuple[Source, ...]
    groups: tuple[Source, ...]
    """Several sources together."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "variance": self.variance.to_dict(),
            "sources": [source.to_dict() for source in self.sources],
            "groups": [source.to_dict() for source in self.groups],
        }


@dataclass(frozen=True, slots=True)
class Skill:
    """How much the strategies at the table differ in what they win."""

    spread: Estimate
    """Standard deviation, over the seats of the table, of the win share to be expected of the seat's strategy."""
    n_strategies: int
    share: Estimate
    """Of the variance of a seat's win in a game, what the choice of strategy accounts for; the rest is luck."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {"spread": self.spread.to_dict(), "n_strategies": self.n_strategies, "share": self.share.to_dict()}


def squares_of(a: Numbers, b: Numbers, mixed: Sequence[Numbers]) -> Numbers:
    """Sum up, for each block, what `luck_of` needs: [block, 1 + 2 · source].

    `a` and `b` are values [block, ...] with all chance from one key or from another, `mixed` those with one source from
    the other key and the rest from the first. The sums are of (a - b)² / 2, then for each source of (b - mixed)² / 2
    and (a - mixed)² / 2, as means over what a block holds.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    axes = tuple(range(1, a.ndim))
    pairs = [(a, b)]
    for one in mixed:
        pairs += [(b, np.asarray(one, dtype=np.float64)), (a, np.asarray(one, dtype=np.float64))]
    squares: Numbers = np.stack([((x - y) ** 2 / 2).mean(axis=axes) for x, y in pairs], axis=1)
    return squares


def luck_of(squares: Numbers, names: Sequence[str], *, groups: Sequence[str] = (), level: float = LEVEL) -> Luck:
    """Estimate the indices of each source, `names`, and of sources changed together, `groups`, which come after them.

    Jansen's estimators: alone 1 - E(b - mixed)² / E(a - b)², in all E(a - mixed)² / E(a - b)². Half of E(a - b)² is
    the variance itself, since a and b are independent. As ratios of sums over blocks they get the jackknife's spread.
    An index lies between 0 and 1; its estimate need not, by chance, and is left as it is.
    """
    n_blocks = len(squares)
    of_variance = batch_rate(
        float(squares[:, 0].mean()) if n_blocks else math.nan,
        float(squares[:, 0].var(ddof=1)) / n_blocks if n_blocks > 1 else math.nan,
        n_blocks, unit="variance of a win share", level=level,
    )  # fmt: skip

    def index(column: int, *, alone: bool) -> Estimate:
        value, variance = (float(found) for found in jackknife(ratio, squares[:, column], squares[:, 0]))
        value = 1 - value if alone else value
        if not math.isfinite(variance) or n_blocks < 2:
            return Estimate(value, 0.0, 1.0, level, "share of variance", n_blocks, "no interval")
        half = critical_value(level, n_blocks) * math.sqrt(variance)
        return Estimate(
            value, value - half, value + half, level, "share of variance", n_blocks, "jackknife over blocks"
        )

    sources = tuple(
        Source(name, index(1 + 2 * k, alone=True), index(2 + 2 * k, alone=False))
        for k, name in enumerate((*names, *groups))
    )
    variance = replace(of_variance, method=of_variance.method.replace("a jackknife over batches", "block means"))
    return Luck(variance, sources[: len(names)], sources[len(names) :])


def skill_of(games: pl.LazyFrame, luck_variance: float = math.nan, *, level: float = LEVEL) -> Skill | None:
    """Estimate how far apart the strategies' expected win shares are; None where only one sits at the table.

    `luck_variance` is that of a seat's win by luck, from `luck_of`; its own uncertainty is small beside that of skill.

    With w the estimated win shares and a the shares of the seats, Q = Σ a (w - Σ a w)² less what noise alone adds to
    it, the mean of the variances of w - Σ a w, is unbiased for the true spread squared (the variance component of a
    one-way layout: Searle, S. R., Casella, G. and McCulloch, C. E. (1992), Variance Components, chapter 3). The range
    is that of the normal quadratic form: Var Q = 4 d'ASAd + 2 tr(ASAS), with S the covariance of w - Σ a w and d those
    differences (Searle, S. R. (1971), Linear Models, section 2.5).
    """
    seated = seated_strategies(games)
    if len(seated) < 2:
        return None
    won = won_by_strategy(seated)
    blocks = (
        games.select("block", *(expression.alias(f"won {i}") for i, expression in enumerate(won.values())))
        .group_by("block").agg(pl.all().mean()).sort("block").collect(engine="streaming")
    )  # fmt: skip
    means = blocks.drop("block").to_numpy()
    n_blocks = len(means)
    a = np.array(list(seated.values())) / sum(seated.values())
    away = means - (means @ a)[:, None]
    d = away.mean(axis=0)
    if n_blocks < 2:
        spread = Estimate(math.sqrt(float(a @ d**2)), 0.0, 1.0, level, "share", n_blocks, "one block: no interval")
        return Skill(spread, len(seated), replace(spread, value=math.nan))
    noise = np.atleast_2d(np.cov(away, rowvar=False)) / n_blocks
    q = float(a @ d**2 - a @ np.diag(noise))
    weighted = noise * a
    variance = float(4 * (d * a) @ noise @ (a * d) + 2 * np.trace(weighted @ weighted))
    half = critical_value(level, n_blocks) * math.sqrt(max(variance, 0.0))
    value, low, high = (max(bound, 0.0) for bound in (q, q - half, q + half))
    method = "variance component, noise subtracted"
    spread = Estimate(math.sqrt(value), math.sqrt(low), math.sqrt(high), level, "share", n_blocks, method)
    value, low, high = (bound / (bound + luck_variance) if luck_variance else math.nan for bound in (value, low, high))
    return Skill(spread, len(seated), Estimate(value, low, high, level, "share", n_blocks, method))
