"""The answer of a check: what was found, and the sentence that says it.

Made by `check`; told by `present_check`, drawn by `plots.check`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rsc_sim.metrics import Metric
from rsc_sim.sequential import Look, Verdict

if TYPE_CHECKING:
    from rsc_sim.experiment import ResolvedExperiment

__all__ = ["CheckResult", "Divergence", "Judged", "answer", "difference_words", "digits_for"]


@dataclass(frozen=True)
class Divergence:
    """Where the first game that differs parts: in which turn, and what each side does there."""

    game: int
    turn: int
    """0: the deal."""
    baseline: str
    candidate: str


@dataclass(frozen=True)
class Judged:
    """One watched figure, and what is known of its difference."""

    metric: Metric
    baseline: float
    candidate: float
    difference: float
    """Candidate less baseline."""
    low: float
    high: float
    """The confidence sequence's interval at 95 %, valid whenever one stops."""
    margin: float
    """In the same unit as the difference."""
    verdict: Verdict
    correlation: float
    """Between the two sides' blocks; nan where one of them does not vary."""
    worth: float
    """How many games on deals of their own one game on shared deals is worth for this difference."""


@dataclass(frozen=True)
class CheckResult:
    """The answer, and what it rests on."""

    verdict: Verdict
    level: str
    """`exact`, or `statistical` where that did not settle it."""
    baseline: str
    candidate: str
    experiment: ResolvedExperiment
    """The baseline's."""
    changes: tuple[str, ...]
    """How the rules differ, in words."""
    compared: int
    """Games whose course was compared, from the first on."""
    differing: int
    """Of those, games that took another course."""
    first_difference: int | None
    """The first such game."""
    divergence: Divergence | None
    golden: tuple[int, int] | None
    """Golden games, and how many of them differ; None where there are none."""
    judged: tuple[Judged, ...]
    trail: tuple[Look, ...]
    n_blocks: int
    rotations: int
    seconds: float
    notes: tuple[str, ...] = ()
    wanted: tuple[Metric, ...] = ()
    """What was to be watched, whether or not it came to that."""

    @property
    def n_games(self) -> int:
        """Games a side of the statistical level; 0 where the exact one settled it."""
        return self.n_blocks * self.rotations

    @property
    def touched(self) -> float:
        """Share of the games compared that took another course."""
        return self.differing / self.compared if self.compared else 0.0


def answer(result: CheckResult) -> str:
    """Give the answer in a sentence, what moved most first."""
    if result.verdict == "changed":
        moved = sorted(
            (j for j in result.judged if j.verdict == "changed"), key=lambda j: -abs(j.difference) / j.margin
        )
        told = "; ".join(f"{j.metric.label} {difference_words(j)}" for j in moved[:3])
        more = f"; and {len(moved) - 3} more" if len(moved) > 3 else ""
        return f"Changed: {told}{more}."
    if result.verdict == "unchanged":
        if result.level == "exact":
            return "Unchanged: the same games, move for move."
        if result.compared and not result.differing:
            return "Unchanged: no game took another course."
        return "Unchanged: whatever moved, moved less than matters."
    open_ = [j.metric.label for j in result.judged if j.verdict == "undecided"]
    told = ", ".join(open_[:3]) + (f" and {len(open_) - 3} more" if len(open_) > 3 else "")
    return f"Not enough games to tell: {told}."


def difference_words(judged: Judged) -> str:
    """Word a difference with its range in its unit, e.g. `+1.3 points (+0.8 to +1.8)`."""
    scale, unit = judged.metric.scale, " points" if judged.metric.unit == "share" else f" {judged.metric.unit}"
    if not math.isfinite(judged.low):
        return f"{judged.difference * scale:+.2f}{unit} (range unknown yet)".replace("-", "−")
    digits = digits_for((judged.high - judged.low) / 2 * scale)
    d, low, high = (value * scale for value in (judged.difference, judged.low, judged.high))
    return f"{d:+.{digits}f}{unit} ({low:+.{digits}f} to {high:+.{digits}f})".replace("-", "−")


def digits_for(half: float) -> int:
    """Give the decimals that a range of this half width deserves: its first significant one, and one at least."""
    if not half > 0:
        return 2
    return min(4, max(1, -math.floor(math.log10(half))))
