"""What the games say: pure functions from frames to estimates with intervals.

Nothing here plays, reads a run directory or knows of one: a function takes a LazyFrame with the columns of
docs/contracts.md, rows in order of `game`, and streams over it. The games of a block share a deal and are dependent, so
that every interval is computed on means over blocks, or over batches of blocks where only tallies of them are kept.
"""

from rsc_sim.analysis.bottleneck import Bottleneck, Windows, bottleneck
from rsc_sim.analysis.cards import CardImpact, card_impact
from rsc_sim.analysis.chance import Apart, Chance, chance_alone
from rsc_sim.analysis.encounters import Encounters, encounters, unfinished_share
from rsc_sim.analysis.ends import Ends, EscaperWins, how_games_end
from rsc_sim.analysis.figures import Figures, figures_of, keep_figures
from rsc_sim.analysis.intervals import Estimate
from rsc_sim.analysis.length import Length, Quantile, game_length, length_distribution, length_shares
from rsc_sim.analysis.ratings import Fit, Ratings, fit_ratings, fit_test
from rsc_sim.analysis.shares import (
    ReadDealt,
    Share,
    win_share_by_place,
    win_share_by_read_dealt,
    win_share_by_strategy,
)
from rsc_sim.analysis.standings import Standings
from rsc_sim.analysis.tables import TableCounts, block_counts

__all__ = [
    "Apart",
    "Bottleneck",
    "CardImpact",
    "Chance",
    "Encounters",
    "Ends",
    "EscaperWins",
    "Estimate",
    "Figures",
    "Fit",
    "Length",
    "Quantile",
    "Ratings",
    "ReadDealt",
    "Share",
    "Standings",
    "TableCounts",
    "Windows",
    "block_counts",
    "bottleneck",
    "card_impact",
    "chance_alone",
    "encounters",
    "figures_of",
    "fit_ratings",
    "fit_test",
    "game_length",
    "how_games_end",
    "keep_figures",
    "length_distribution",
    "length_shares",
    "unfinished_share",
    "win_share_by_place",
    "win_share_by_read_dealt",
    "win_share_by_strategy",
]
