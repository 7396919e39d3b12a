"""What the games say: pure functions from `games` frames to estimates with intervals.

Nothing here plays, reads a run directory or knows of one: a function takes a LazyFrame with the columns of
docs/contracts.md, rows in order of `game`, and streams over it. The games of a block share a deal and are dependent, so
that every interval is computed on means over blocks.
"""

from rsc_sim.analysis.ends import Ends, EscaperWins, how_games_end
from rsc_sim.analysis.intervals import Estimate
from rsc_sim.analysis.length import Length, Quantile, game_length
from rsc_sim.analysis.shares import Share, win_share_by_place, win_share_by_strategy

__all__ = [
    "Ends",
    "EscaperWins",
    "Estimate",
    "Length",
    "Quantile",
    "Share",
    "game_length",
    "how_games_end",
    "win_share_by_place",
    "win_share_by_strategy",
]
