"""Small print that several pictures share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rsc_sim.run import Run

__all__ = ["sample"]


def sample(run: Run, ranges: str = "Lines") -> str:
    """Say how much a picture rests on, and how its ranges are drawn."""
    played = run.experiment
    deals = played.n_blocks
    text = f"{played.n_games:,} game{'s' * (played.n_games != 1)} on {deals:,} deal{'s' * (deals != 1)}"
    return f"{text}. {ranges}: 95 % ranges."
