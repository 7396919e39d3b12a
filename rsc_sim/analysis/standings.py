"""The figures of a comparison, each worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rsc_sim.analysis.encounters import Encounters, encounters, unfinished_share
from rsc_sim.analysis.intervals import Estimate
from rsc_sim.analysis.ratings import Fit, Ratings, fit_ratings, fit_test
from rsc_sim.analysis.tables import TableCounts

__all__ = ["Standings"]


class Standings:
    """Say how strategies stand to each other, from the counts of the tables at which they sat."""

    def __init__(self, names: Sequence[str], counts: Sequence[TableCounts]) -> None:
        self.names, self.counts = tuple(names), tuple(counts)

    @property
    def seats(self) -> int:
        """How many sit at a table."""
        return self.counts[0].seats

    @property
    def n_games(self) -> int:
        """Games that were played."""
        return sum(table.n_games for table in self.counts)

    @property
    def n_tables(self) -> int:
        """Groups of strategies that sat together."""
        return len({tuple(sorted(table.seatings[0].tolist())) for table in self.counts})

    @property
    def n_deals(self) -> int:
        """Deals that were played, over all tables."""
        return sum(table.n_blocks for table in self.counts)

    @property
    def repeated(self) -> bool:
        """Whether there are fewer strategies than seats, so that one sits on several."""
        return len(self.names) < self.seats

    @cached_property
    def ratings(self) -> Ratings:
        """Ratings of the strategies, in the order of `names`."""
        return fit_ratings(self.counts, len(self.names))

    @cached_property
    def fit(self) -> Fit:
        """Whether the ratings hold at every table."""
        return fit_test(self.counts, self.ratings)

    @cached_property
    def encounters(self) -> Encounters:
        """Win shares: overall, beside each other, against each other."""
        return encounters(self.counts, len(self.names))

    @cached_property
    def unfinished(self) -> Estimate:
        """The share of games that nobody won."""
        return unfinished_share(self.counts)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The numbers of the strategies, the highest rated first."""
        return tuple(sorted(range(len(self.names)), key=lambda i: (-self.ratings.values[i], i)))

    def to_dict(self) -> dict[str, Any]:
        """Give every figure as plain data."""
        names, met = self.names, self.encounters

        def matrix(of: Sequence[Sequence[Estimate | None]]) -> dict[str, Any]:
            return {
                row: {column: cell.to_dict() for column, cell in zip(names, cells, strict=True) if cell is not None}
                for row, cells in zip(names, of, strict=True)
            }

        return {
            "order": [names[i] for i in self.order],
            "win_share": {name: share.to_dict() for name, share in zip(names, met.overall, strict=True)},
            "win_share_beside": matrix(met.beside),
            "against": matrix(met.against),
            "ratings": self.ratings.to_dict(names),
            "fit": self.fit.to_dict(names),
            "unfinished": self.unfinished.to_dict(),
        }
