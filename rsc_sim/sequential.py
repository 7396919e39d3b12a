"""Decides while playing: how sure the sums over blocks are by now, and whether that is enough.

Pure functions from sums over blocks to intervals and verdicts; nothing here plays or reads. The intervals form a
confidence sequence: they hold the truth at every look at once (asymptotically, so the first look is late), which lets
whoever plays look often and stop when the answer is there. Looks are at numbers of blocks fixed beforehand and in
block order, so that a decision depends on the games alone and never on who played them or how they were cut.

Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, *Time-uniform central limit theory and asymptotic confidence
sequences*, Annals of Statistics 52 (2024), Theorem 2.2 for the interval and the appendix on tuning for ρ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

__all__ = [
    "ALPHA",
    "FIRST_LOOK",
    "Gate",
    "Look",
    "Sums",
    "Verdict",
    "gate",
    "half_width",
    "interval",
    "looks",
    "overall",
]

ALPHA = 0.05
"""Error rate where none is named: intervals of 95 %."""
FIRST_LOOK = 2_000
"""Blocks before the first look: the normal approximation is not trusted with fewer."""
GROWTH = 1.1
"""Blocks at a look are those at the look before times this, rounded up."""
TIGHTEST = 20_000
"""Blocks at which the sequence is tightest; fixed beforehand."""

Numbers = npt.NDArray[np.float64]
Verdict = Literal["unchanged", "changed", "undecided"]


@dataclass(frozen=True)
class Sums:
    """Sums over the first `n` blocks of m figures: `total` and `squares` have shape (m,)."""

    n: int
    total: Numbers
    squares: Numbers

    @classmethod
    def empty(cls, figures: int) -> Self:
        """Begin with no blocks."""
        return cls(0, np.zeros(figures), np.zeros(figures))

    def add(self, blocks: Numbers) -> Self:
        """Add further blocks, of shape (blocks, m), in block order; added one after the other, so that the sums are
        the same to the last bit however the blocks are cut.
        """
        total = np.add.accumulate(np.vstack([self.total, blocks]))[-1]
        squares = np.add.accumulate(np.vstack([self.squares, blocks * blocks]))[-1]
        return type(self)(self.n + len(blocks), total, squares)

    @property
    def mean(self) -> Numbers:
        """Mean over blocks of each figure."""
        return self.total / max(self.n, 1)

    def variance(self, bound: npt.ArrayLike = 0.0) -> Numbers:
        """Variance over blocks, two pseudo-blocks of ± `bound` included (for each figure, the largest value possible).

        Early differences on shared deals are often all 0, and a variance of 0 would decide at once and wrongly.
        """
        n = self.n + 2
        squares = self.squares + 2 * np.asarray(bound, dtype=np.float64) ** 2
        return np.maximum(0.0, squares / n - (self.total / n) ** 2)


def looks(most: int) -> Iterator[int]:
    """Give the numbers of blocks at which to look, the last one being `most`, the most that may be played.

    >>> list(looks(2_500))
    [2000, 2200, 2420, 2500]
    """
    n = FIRST_LOOK
    while n < most:
        yield n
        n = -int(-n * GROWTH // 1)
    yield most


def half_width(n: int, variance: npt.ArrayLike, *, alpha: float = ALPHA) -> Numbers:
    """Half the width of the sequence's interval for a mean over `n` blocks: infinite before the first look.

    σ · √(2 (nρ² + 1) / (n²ρ²) · ln(√(nρ² + 1) / α)) with ρ² = (−2 ln α + ln(1 − 2 ln α)) / 20,000.
    """
    variance = np.asarray(variance, dtype=np.float64)
    if n < FIRST_LOOK:
        return np.full(variance.shape, np.inf)
    rho2 = (-2 * np.log(alpha) + np.log(1 - 2 * np.log(alpha))) / TIGHTEST
    grown = n * rho2 + 1
    width = np.sqrt(2 * grown / (n * n * rho2) * np.log(np.sqrt(grown) / alpha))
    return np.asarray(np.sqrt(variance) * width)


def interval(sums: Sums, *, bound: npt.ArrayLike = 0.0, alpha: float = ALPHA) -> tuple[Numbers, Numbers]:
    """Low and high ends, for each figure, of the sequence's interval at this moment."""
    half = half_width(sums.n, sums.variance(bound), alpha=alpha)
    return sums.mean - half, sums.mean + half


def gate(
    differences: Sums, margins: npt.ArrayLike, *, bound: npt.ArrayLike, alpha: float = ALPHA
) -> tuple[Verdict, ...]:
    """Judge, for each of m figures, whether a difference is within its margin by what is known now.

    *changed*: the interval at 1 − α/m lies wholly outside ± margin, so that at most α of all comparisons without a
    change beyond the margins show one anywhere. *unchanged*: the interval at 1 − α lies inside; the overall verdict
    needs that of all figures, so none of them has to be allowed for. *undecided* else.
    """
    margin = np.asarray(margins, dtype=np.float64)
    outside_low, outside_high = interval(differences, bound=bound, alpha=alpha / max(margin.size, 1))
    low, high = interval(differences, bound=bound, alpha=alpha)
    verdicts: list[Verdict] = []
    for i in range(margin.size):
        if outside_low[i] > margin[i] or outside_high[i] < -margin[i]:
            verdicts.append("changed")
        elif -margin[i] < low[i] and high[i] < margin[i]:
            verdicts.append("unchanged")
        else:
            verdicts.append("undecided")
    return tuple(verdicts)


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """Sum up: changed if any is, unchanged if all are, undecided else.

    >>> overall(["unchanged", "undecided"])
    'undecided'
    """
    if "changed" in verdicts:
        return "changed"
    return "unchanged" if all(verdict == "unchanged" for verdict in verdicts) else "undecided"


@dataclass(frozen=True)
class Look:
    """What a gate saw at one look: for each figure the mean difference, its interval at 1 − α, and what is decided."""

    n: int
    mean: Numbers
    low: Numbers
    high: Numbers
    verdicts: tuple[Verdict, ...]


class Gate:
    """Judge differences as they are played, at the looks fixed beforehand, and say when to stop.

    What is decided stays decided. The gate is done when every figure is decided; or, once one has changed and so the
    overall verdict is known, at `LINGER` times the blocks that took, in which more of the picture may become clear; or
    at `most` blocks.

    >>> g = Gate([0.01], bound=[1.0], most=50_000)
    >>> g.add(np.zeros((3_000, 1))), g.verdict, g.sums.n
    (True, 'unchanged', 2000)
    """

    LINGER = 4

    def __init__(self, margins: npt.ArrayLike, *, bound: npt.ArrayLike, most: int, alpha: float = ALPHA) -> None:
        self._margins = np.asarray(margins, dtype=np.float64)
        self._bound = np.asarray(bound, dtype=np.float64)
        self._alpha = alpha
        self._looks = looks(most)
        self._next = next(self._looks)
        self._most = most
        self.sums = Sums.empty(self._margins.size)
        nothing: Verdict = "undecided"
        self.verdicts: tuple[Verdict, ...] = (nothing,) * self._margins.size
        self.trail: list[Look] = []
        self.done = False

    @property
    def verdict(self) -> Verdict:
        """The overall verdict so far."""
        return overall(self.verdicts)

    def add(self, differences: Numbers) -> bool:
        """Take further blocks, of shape (blocks, figures), in block order; True once no more are wanted.

        Blocks past the one at which it was done are not taken.
        """
        at = 0
        while not self.done and at < len(differences):
            some = differences[at : at + self._next - self.sums.n]
            self.sums = self.sums.add(some)
            at += len(some)
            if self.sums.n == self._next:
                self._look()
        return self.done

    def _look(self) -> None:
        known = self.verdict
        fresh = gate(self.sums, self._margins, bound=self._bound, alpha=self._alpha)
        self.verdicts = tuple(new if old == "undecided" else old for old, new in zip(self.verdicts, fresh, strict=True))
        low, high = interval(self.sums, bound=self._bound, alpha=self._alpha)
        self.trail.append(Look(self.sums.n, self.sums.mean, low, high, self.verdicts))
        if known != "changed" and self.verdict == "changed":
            self._most = min(self._most, self.LINGER * self.sums.n)
        self.done = "undecided" not in self.verdicts or self.sums.n >= self._most
        if not self.done:
            self._next = min(next(self._looks), self._most)
