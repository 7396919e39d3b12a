"""What holds games up: of the three things that an escape needs, which are missing at escape windows, round by round.

A seat may escape that displays Read, has an Escape Ticket in its hand and has tabled Merch worth the threshold. At each
window the engine tallies which of them the seat lacks. One seat at most displays Read, so that most windows lack it
whatever the deck; what holds a game up shows in the windows that lack one thing *only*. Later rounds speak of the games
that last so long, and of no others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from rsc_sim.analysis.batches import batch_share, dense, jackknife, ratio
from rsc_sim.analysis.intervals import LEVEL, Estimate

__all__ = ["LAST_ROUND", "NEEDS", "Bottleneck", "Windows", "bottleneck"]

NEEDS = ("read", "ticket", "merch")
"""What an escape needs."""
LAST_ROUND = 100
"""The round under which the `windows` frame counts all later ones too."""


@dataclass(frozen=True, slots=True)
class Windows:
    """What the escape windows of a round lack, as shares of them."""

    n_windows: int
    lacks: dict[str, Estimate]
    """By need: windows that lack it, whatever else they lack."""
    lacks_only: dict[str, Estimate]
    """By need: windows that lack nothing else."""
    ready: Estimate
    """Windows that lack nothing: the seat may escape."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "n_windows": self.n_windows,
            "lacks": {need: estimate.to_dict() for need, estimate in self.lacks.items()},
            "lacks_only": {need: estimate.to_dict() for need, estimate in self.lacks_only.items()},
            "ready": self.ready.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """What escape windows lack, over all of them and by round."""

    all_rounds: Windows
    """Games that last long weigh more here: they have more windows."""
    rounds: dict[int, Windows]
    """By round from 1, those that were reached; `LAST_ROUND` holds later ones too."""

    def typical(self, share: float = 0.05) -> dict[int, Windows]:
        """Give the rounds that still have this share of the fullest round's windows; not the last, which is many."""
        single = {number: windows for number, windows in self.rounds.items() if number < LAST_ROUND}
        most = max((windows.n_windows for windows in single.values()), default=0)
        return {number: windows for number, windows in single.items() if windows.n_windows >= share * most}


def bottleneck(windows: pl.LazyFrame, *, level: float = LEVEL) -> Bottleneck:
    """Estimate from a `windows` frame what escape windows lack. Filter the frame to ask it of one strategy.

    Intervals are from a jackknife over batches.
    """
    count = pl.col("windows")
    n_lacking = pl.sum_horizontal(pl.col(f"lacks_{need}").cast(pl.UInt8) for need in NEEDS)
    # Numbers times yes or no, added up: to filter within groups takes 45 MiB more for a million games.
    parts = {"all": count}
    for need in NEEDS:
        parts[f"lacks {need}"] = count * pl.col(f"lacks_{need}")
        parts[f"only {need}"] = count * (pl.col(f"lacks_{need}") & (n_lacking == 1))
    parts["ready"] = count * (n_lacking == 0)
    frame = (
        windows.select(
            "batch",
            (pl.col("round").cast(pl.Int64) - 1).alias("round"),
            *(part.alias(name) for name, part in parts.items()),
        )
        .group_by("batch", "round")
        .agg(pl.col(name).sum() for name in parts)
        .with_columns((pl.col("batch").rank("dense") - 1).cast(pl.Int64))
        .collect(engine="streaming")
    )
    n_batches = int(frame["batch"].max() or 0) + 1 if frame.height else 0  # type: ignore[arg-type]
    sums = dense(frame, {"batch": n_batches, "round": LAST_ROUND}, tuple(parts))
    names = tuple(parts)[1:]

    def of_rounds(first: int, after: int) -> Windows:
        chosen = sums[:, first:after].sum(axis=1)
        value, variance = jackknife(ratio, chosen[:, 1:], chosen[:, :1])
        n = int((chosen[:, 0] > 0).sum())
        share = {name: batch_share(float(value[i]), float(variance[i]), n, level=level) for i, name in enumerate(names)}
        return Windows(
            n_windows=int(chosen[:, 0].sum()),
            lacks={need: share[f"lacks {need}"] for need in NEEDS},
            lacks_only={need: share[f"only {need}"] for need in NEEDS},
            ready=share["ready"],
        )

    by_round = {number: of_rounds(number - 1, number) for number in range(1, LAST_ROUND + 1)}
    return Bottleneck(of_rounds(0, LAST_ROUND), {n: found for n, found in by_round.items() if found.n_windows})
