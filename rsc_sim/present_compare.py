"""How a comparison is told at the command line: what to distrust, findings in sentences, ratings, who beats whom.

Everything shown comes from `Standings` and the record; nothing is worked out here but wording.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len

from rsc_sim.console import bullet, columns, line, paragraph
from rsc_sim.findings import counted, percent, percent_range
from rsc_sim.findings_compare import beaten, elo, elo_range

if TYPE_CHECKING:
    from rich.console import Console

    from rsc_sim.analysis.standings import Standings
    from rsc_sim.compare import Compared

__all__ = ["show_comparison"]

_LONGEST = 32


def show_comparison(console: Console, compared: Compared, out: Path, pictures: Sequence[Path] = ()) -> None:
    """Print what a comparison found."""
    standings, comparison = compared.standings, compared.comparison
    said = compared.said
    names = ", ".join(standings.names)
    line(console, f"{names}: {standings.seats} at a table, by the rules {comparison.base.ruleset['name']!r}", "bold")
    for text in _size(compared):
        paragraph(console, text)
    if said["warnings"]:
        console.print()
        line(console, "Read this first", style="bold yellow")
        for text in said["warnings"]:
            bullet(console, text, mark="!")
    console.print()
    line(console, "What was found", style="bold")
    for text in said["findings"].values():
        bullet(console, f"{text}.", mark="-")
    console.print()
    line(console, "Ratings in Elo points, and the share of games won" + _a_seat(standings), style="bold")
    _ratings(console, standings)
    bullet(
        console,
        "400 points are odds of 10 to 1 on which of two wins, 70 points 3 to 2. The average here is 0: a rating says "
        "nothing beyond this list.",
    )
    console.print()
    line(console, "Who wins more: of what two win at tables that hold both, the share of the row's (%)", style="bold")
    _matrix(console, standings)
    bullet(console, "> clearly more than the other, < clearly less (95 %, allowing for how many pairs there are).")
    console.print()
    line(console, "Ranges hold the true value in 19 of 20 comparisons; the games of a deal count as one.", style="dim")
    console.print()
    for name, value in _footer(compared, out, pictures):
        line(console, f"{name:<9} {value}")


def _size(compared: Compared) -> Iterator[str]:
    standings, comparison = compared.standings, compared.comparison
    n = standings.n_tables
    deals = comparison.n_blocks * len(comparison.tables) // n
    games = sorted({len(table.seatings) for table in comparison.tables})
    of = f"{games[0]}" if len(games) == 1 else f"{games[0]} to {games[-1]}"
    tables = f"{counted(n, 'table')}{', each' if n > 1 else ''} with {counted(deals, 'deal')}"
    text = f"{counted(comparison.n_games, 'game')}: {tables} of {of} seatings; "
    text += f"seed {comparison.base.seed}"
    if comparison.n_games != comparison.games_asked:
        text += f" (rounded up from {comparison.games_asked:,} to whole deals)"
    yield text
    if standings.repeated:
        yield (
            f"With fewer strategies than seats, a table is any {standings.seats} of them that hold each at least once; "
            "shares are a seat."
        )


def _a_seat(standings: Standings) -> str:
    return " by a seat" if standings.repeated else ""


def _ratings(console: Console, standings: Standings) -> None:
    rows = [("", "rating", "95 % range", "wins", "95 % range")]
    for i in standings.order:
        rating, share = standings.ratings.elo[i], standings.encounters.overall[i]
        told = elo(rating) if math.isfinite(rating.low) or standings.n_deals < 2 else f"({elo(rating)})"
        rows.append((standings.names[i], told, elo_range(rating), percent(share), percent_range(share)))
    widths = _widths(rows)
    columns(console, rows[:1], widths, right={1, 2, 3, 4}, style="dim")
    columns(console, rows[1:], widths, right={1, 2, 3, 4})


def _matrix(console: Console, standings: Standings) -> None:
    order, names, against = standings.order, standings.names, standings.encounters.against
    wins_over = beaten(standings)
    heads = [names[i] for i in order]
    longest = min(_LONGEST, max(map(cell_len, heads)))
    if sum(max(7, cell_len(head)) + 2 for head in heads) + longest + 4 > console.width:
        heads = [str(number) for number in range(1, len(order) + 1)]
    numbered = heads[0] == "1"
    rows = [["", *heads]]
    for number, i in enumerate(order, 1):
        cells = []
        for j in order:
            met = against[i][j]
            if met is None:
                cells.append("·")
            elif math.isnan(met.value):
                cells.append("–")
            else:
                sign = ">" if j in wins_over[i] else "<" if i in wins_over[j] else " "
                cells.append(f"{percent(met).removesuffix(' %')} {sign}")
        rows.append([f"{number} {names[i]}" if numbered else names[i], *cells])
    widths = _widths(rows)
    right = set(range(1, len(widths)))
    columns(console, rows[:1], widths, right=right, style="dim")
    columns(console, rows[1:], widths, right=right)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    first, *rest = (max(map(cell_len, column)) for column in zip(*rows, strict=True))
    return [min(first, _LONGEST), *rest]


def _footer(compared: Compared, out: Path, pictures: Sequence[Path]) -> Iterator[tuple[str, str]]:
    yield "figures", f"{out / 'compare.json'}"
    if pictures:
        kinds = sorted({path.suffix[1:] for path in pictures})
        yield "pictures", f"{pictures[0].parent}: {len({path.stem for path in pictures})}, as {' and '.join(kinds)}"
    yield "digest", compared.outcome_digest
    manifest = compared.manifest
    if "games_per_second" in manifest:
        jobs = manifest["jobs"]
        yield (
            "speed",
            f"{manifest['games_per_second']:,} games/s, {manifest['seconds']:,.1f} s on {jobs} job{'s' * (jobs != 1)}",
        )
