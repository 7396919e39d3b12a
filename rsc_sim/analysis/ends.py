"""How games end: by an escape, at the turn limit, in deadlock; why some do not end; how often the escaper wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from rsc_sim.analysis.blocks import block_moments
from rsc_sim.analysis.intervals import LEVEL, Estimate, share_estimate

__all__ = ["Ends", "EscaperWins", "how_games_end"]

_ENDS = ("escape", "turn_cap", "deadlock")
_STUCK = ("threshold", "tickets", "lone_turn", "stalled")


@dataclass(frozen=True, slots=True)
class EscaperWins:
    """How often the seat that ends the game wins it, among the games that an escape ended."""

    share: Estimate
    """Ties count in part, 1/m in an m-way tie."""
    n_escapes: int

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {**self.share.to_dict(), "n_escapes": self.n_escapes}


@dataclass(frozen=True, slots=True)
class Ends:
    """How the games of a run ended. Shares are of all games, whether seen or not."""

    n_games: int
    ends: dict[str, Estimate]
    """By `escape`, `turn_cap`, `deadlock`."""
    unfinished: Estimate
    """Games that no escape ended."""
    stuck: dict[str, Estimate]
    """Why unfinished games did not end: `threshold`, `tickets`, `lone_turn`, `stalled`."""
    won: Estimate
    """Games that somebody won, alone or in a tie."""
    escaper_wins: EscaperWins

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "n_games": self.n_games,
            "ends": {name: estimate.to_dict() for name, estimate in self.ends.items()},
            "unfinished": self.unfinished.to_dict(),
            "stuck": {name: estimate.to_dict() for name, estimate in self.stuck.items()},
            "won": self.won.to_dict(),
            "escaper_wins": self.escaper_wins.to_dict(),
        }


def how_games_end(games: pl.LazyFrame, *, level: float = LEVEL) -> Ends:
    """Estimate the share of each way to end and of each reason not to, and how often the escaper wins.

    The last is a ratio of block means, its variance linearised: Var(Y - R·X) / mean(X)², where X is a block's share
    of escapes and Y of escapes won. Source: Cochran, W. G. (1977), Sampling Techniques, 3rd ed., section 6.3.
    """
    seats = sum(name.startswith("won_") for name in games.collect_schema().names())
    escaped = pl.col("end") == "escape"
    escaper_won = pl.sum_horizontal(
        pl.when(pl.col("escaper") == seat).then(pl.col(f"won_{seat}").cast(pl.Float64)).otherwise(0.0)
        for seat in range(seats)
    )
    values = {f"end {name}": pl.col("end") == name for name in _ENDS}
    values |= {f"stuck {name}": pl.col("stuck") == name for name in _STUCK}
    values |= {"unfinished": ~escaped, "won": pl.col("winner") != -1, "escaper": escaper_won}
    moments = block_moments(games, values, pairs=(("escaper", "end escape"),))
    totals = games.select(pl.len().alias("n"), escaped.sum().alias("escapes")).collect(engine="streaming").row(0)

    def share(name: str) -> Estimate:
        return share_estimate(moments.mean[name], moments.variance[name], moments.n_blocks, level=level)

    met, won = moments.mean["end escape"], moments.mean["escaper"]
    ratio = won / met if met else 0.0
    spread = (
        moments.variance["escaper"]
        + ratio**2 * moments.variance["end escape"]
        - 2 * ratio * moments.covariance["escaper", "end escape"]
    )
    # Blocks without an escape say nothing about it; at most this many blocks hold one.
    n_blocks = min(moments.n_blocks, int(totals[1]))
    variance = max(spread, 0.0) / met**2 * n_blocks / moments.n_blocks if met else 0.0
    return Ends(
        n_games=int(totals[0]),
        ends={name: share(f"end {name}") for name in _ENDS},
        unfinished=share("unfinished"),
        stuck={name: share(f"stuck {name}") for name in _STUCK},
        won=share("won"),
        escaper_wins=EscaperWins(share_estimate(ratio, variance, n_blocks, level=level), int(totals[1])),
    )
