"""How games end: by an escape, at the turn limit, in deadlock; why some do not end; how often the escaper wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from rsc_sim.analysis.blocks import Moments, block_moments
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
    stuck_of_unfinished: dict[str, Estimate]
    """The same as shares of the unfinished games alone; empty where all games ended."""
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
            "stuck_of_unfinished": {name: estimate.to_dict() for name, estimate in self.stuck_of_unfinished.items()},
            "won": self.won.to_dict(),
            "escaper_wins": self.escaper_wins.to_dict(),
        }


def how_games_end(games: pl.LazyFrame, *, level: float = LEVEL) -> Ends:
    """Estimate the share of each way to end and of each reason not to, and how often the escaper wins."""
    seats = sum(name.startswith("won_") for name in games.collect_schema().names())
    escaped = pl.col("end") == "escape"
    escaper_won = pl.sum_horizontal(
        pl.when(pl.col("escaper") == seat).then(pl.col(f"won_{seat}").cast(pl.Float64)).otherwise(0.0)
        for seat in range(seats)
    )
    values = {f"end {name}": pl.col("end") == name for name in _ENDS}
    values |= {f"stuck {name}": pl.col("stuck") == name for name in _STUCK}
    values |= {"unfinished": ~escaped, "won": pl.col("winner") != -1, "escaper": escaper_won}
    pairs = (("escaper", "end escape"), *((f"stuck {name}", "unfinished") for name in _STUCK))
    moments = block_moments(games, values, pairs=pairs)
    totals = games.select(pl.len().alias("n"), escaped.sum().alias("escapes")).collect(engine="streaming").row(0)
    n_games, n_escapes = (int(total) for total in totals)

    def share(name: str) -> Estimate:
        return share_estimate(moments.mean[name], moments.variance[name], moments.n_blocks, level=level)

    reasons = _STUCK if n_games > n_escapes else ()
    return Ends(
        n_games=n_games,
        ends={name: share(f"end {name}") for name in _ENDS},
        unfinished=share("unfinished"),
        stuck={name: share(f"stuck {name}") for name in _STUCK},
        stuck_of_unfinished={
            name: _share_of(moments, f"stuck {name}", "unfinished", n_games - n_escapes, level) for name in reasons
        },
        won=share("won"),
        escaper_wins=EscaperWins(_share_of(moments, "escaper", "end escape", n_escapes, level), n_escapes),
    )


def _share_of(moments: Moments, part: str, whole: str, n_whole: int, level: float) -> Estimate:
    """Estimate what share a part is of a whole, `n_whole` games of all, as a ratio of block means.

    Its variance is linearised: Var(Y - R·X) / mean(X)², where X is a block's share of the whole and Y of the part.
    Source: Cochran, W. G. (1977), Sampling Techniques, 3rd ed., section 6.3.
    """
    met, found = moments.mean[whole], moments.mean[part]
    ratio = found / met if met else 0.0
    variance, of_whole, both = moments.variance[part], moments.variance[whole], moments.covariance[part, whole]
    spread = variance + ratio**2 * of_whole - 2 * ratio * both
    # Blocks without any of the whole say nothing about it; at most this many blocks hold some.
    n_blocks = min(moments.n_blocks, n_whole)
    scaled = max(spread, 0.0) / met**2 * n_blocks / moments.n_blocks if met else 0.0
    return share_estimate(ratio, scaled, n_blocks, level=level)
