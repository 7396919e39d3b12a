"""How a run is told at the command line: short, in plain words, each figure with its range.

Everything shown comes from a `Summary` and the record of the run; nothing is worked out here but wording.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from rsc_sim.analysis import Bottleneck, CardImpact, Estimate, Quantile, Share
from rsc_sim.console import bullet, line, paragraph
from rsc_sim.findings import (
    NEED_WORDS,
    counted,
    drawn_over_and_over,
    length_words,
    merch_worth,
    nth,
    percent,
    percent_range,
    points,
    points_range,
    sides,
    standing_out,
    tickets_in,
)
from rsc_sim.recorded import not_recorded

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from rsc_sim.run import Run
    from rsc_sim.summary import Assumed, Summary

__all__ = ["print_table", "show_bare", "show_run", "table_of_figures"]

_SHOWN = 3
"""Cards that are named from the top, and from the bottom."""

_STUCK = {
    "threshold": "no table could reach {threshold} any more",
    "tickets": "the Escape Tickets sat with seats that could not escape",
    "lone_turn": "one seat kept the turn without end",
    "stalled": "players could have gone on but did not get there",
}


def show_run(console: Console, run: Run, summary: Summary, pictures: Sequence[Path] = ()) -> None:
    """Print what a run found: what to distrust, who wins, how long games last, how they end, and where it all is."""
    played = run.experiment
    limit = f"{played.ruleset['max_rounds']:,}"
    _show_title(console, run)
    if summary.warnings:
        console.print()
        line(console, "Read this first", style="bold yellow")
        for warning in summary.warnings:
            bullet(console, warning, mark="!")
    console.print()
    line(console, "Who wins: share of all games that one seat wins", style="bold")
    print_table(console, _shares(summary))
    if summary.read_dealt.effect.n_blocks:
        console.print()
        paragraph(console, _read(summary))
    console.print()
    line(console, "How long a game lasts", style="bold")
    for text in _length(summary):
        bullet(console, text)
    console.print()
    line(console, "How games end", style="bold")
    ends = summary.ends
    names = {"escape": "escape", "turn_cap": f"stopped after {limit} rounds", "deadlock": "deadlock: nobody can move"}
    print_table(console, _figures({names[name]: estimate for name, estimate in ends.ends.items()}))
    reasons = {name: estimate for name, estimate in ends.stuck.items() if estimate.value > 0}
    if reasons:
        console.print()
        line(console, "Why some did not end (share of all games)", style="bold")
        print_table(console, _figures({_stuck(name, played.ruleset): reasons[name] for name in reasons}))
    if ends.escaper_wins.n_escapes:
        won = ends.escaper_wins.share
        console.print()
        paragraph(
            console,
            f"Of the games that an escape ended, {percent(won)} were won by whoever escaped ({percent_range(won)}).",
        )
    _show_tallied(console, run, summary)
    console.print()
    paragraph(console, _assumed(summary.assumed))
    console.print()
    line(console, "Ranges hold the true value in 19 of 20 runs; the games of a deal count as one.", style="dim")
    if run.watched:
        paragraph(
            console, "Ranges of win shares are wider than for a fixed number of games: they chose the end.", "dim"
        )
    console.print()
    _show_footer(console, run, pictures)


def _stuck(reason: str, rules: dict[str, Any]) -> str:
    """Say why games by these rules did not end."""
    threshold = f"${rules['escape_threshold']:,}"
    if reason == "tickets" and not tickets_in(rules):
        return "there is no Escape Ticket in the deck"
    if reason == "tickets" and not rules["recycle_discard"]:
        return "Escape Tickets were discarded, or sat with seats that cannot escape"
    if reason == "threshold" and merch_worth(rules) < rules["escape_threshold"]:
        return f"all Merch together is worth less than {threshold}"
    return _STUCK[reason].format(threshold=threshold)


def _show_tallied(console: Console, run: Run, summary: Summary) -> None:
    """Print what tallies say, and what is not recorded."""
    if summary.bottleneck is not None and summary.bottleneck.rounds:
        console.print()
        line(console, "What is missing when a seat might escape", style="bold")
        for text in _bottleneck(summary.bottleneck, summary.findings["bottleneck"]):
            bullet(console, text)
    if summary.cards is not None:
        console.print()
        _show_cards(console, run.experiment.ruleset["cards"], summary.cards, summary.findings["cards"])
    _show_missing(console, run)


def _show_missing(console: Console, run: Run) -> None:
    missing = not_recorded(run.recorded, run.path)
    if missing is not None:
        console.print()
        paragraph(console, missing.text)
        line(console, missing.command)


def _show_title(console: Console, run: Run) -> None:
    played = run.experiment
    line(console, f"{played.name}: {_lineup(played.lineup)}, by the rules {played.ruleset['name']!r}", style="bold")
    line(console, _size(run))


def show_bare(console: Console, run: Run) -> None:
    """Print what there is to say of a run that kept no games, and what is missing."""
    _show_title(console, run)
    _show_missing(console, run)
    console.print()
    _show_footer(console, run, ())


def _show_footer(console: Console, run: Run, pictures: Sequence[Path]) -> None:
    for name, value in _footer(run, pictures):
        line(console, f"{name:<9} {value}")


def _lineup(lineup: tuple[str, ...]) -> str:
    return ", ".join(lineup)


def _size(run: Run) -> str:
    played = run.experiment
    each = f"each with {played.rotations} seatings" if played.rotations > 1 else "once each"
    text = f"{counted(played.n_games, 'game')}: {counted(played.n_blocks, 'deal')}, {each}; seed {played.seed}"
    if played.precision is not None:
        told = run.manifest["precision"]
        known = f"every win share is known to ± {told['win_share'] * 100:g} points"
        text += f" (of at most {run.asked.n_games:,}: {known if told['reached'] else 'the most that were allowed'})"
    elif played.n_games != played.games_asked:
        text += f" (rounded up from {played.games_asked:,} to whole deals)"
    return text


def _shares(summary: Summary) -> Table:
    reference = summary.by_strategy[0].reference
    table = table_of_figures()
    table.add_column("", no_wrap=True)
    table.add_column("wins", justify="right", no_wrap=True)
    table.add_column("95 % range", justify="right", no_wrap=True)
    table.add_column(f"beside the equal share, {reference * 100:.1f} %", no_wrap=True)
    words = {1: "more", -1: "less", 0: "no difference seen"}
    strategies = [(_seated(share), share) for share in summary.by_strategy]
    places = [(f"{nth(int(share.who))} to play", share) for share in summary.by_place]
    for group in (strategies, places):
        for (label, share), at in zip(group, sides([share for _, share in group]), strict=True):
            verdict = words[at] + (" (doubtful, see above)" if share.fragile else "")
            table.add_row(Text(label), percent(share.share), percent_range(share.share), verdict)
        if group is strategies:
            table.add_row()
    return table


def _seated(share: Share) -> str:
    return f"{share.who}, each of {share.n_seats} seats" if share.n_seats > 1 else share.who


def _figures(figures: dict[str, Estimate]) -> Table:
    table = table_of_figures()
    table.show_header = False
    table.add_column("what")
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("range", justify="right", no_wrap=True)
    for name, estimate in figures.items():
        table.add_row(name, percent(estimate), percent_range(estimate))
    return table


def table_of_figures() -> Table:
    """Give an empty table in the house's look."""
    return Table(box=None, padding=(0, 1, 0, 2), header_style="dim")


def _length(summary: Summary) -> Iterator[str]:
    tenth, half, most = summary.rounds.quantiles
    yield f"Half of the games {_take(half)} {length_words(half, 'rounds')}."
    if tenth.at_least:
        yield f"Fewer than one in ten are over within {tenth.estimate.value:,.0f} rounds."
    else:
        or_more = "" if most.at_least else " or more"
        yield (
            f"One in ten is over within {length_words(tenth, 'rounds')}; "
            f"one in ten takes {length_words(most, 'rounds')}{or_more}."
        )
    if summary.rounds.n_stopped:
        were, they = ("was", "it counts") if summary.rounds.n_stopped == 1 else ("were", "they count")
        yield (
            f"{counted(summary.rounds.n_stopped, 'game')} {were} stopped at the limit and would have lasted longer; "
            f"{they} as longest."
        )
    middle = summary.turns.quantiles[1]
    yield f"In turns of single seats, half {_take(middle)} {length_words(middle)}."


def _read(summary: Summary) -> str:
    effect = summary.read_dealt.effect
    return f"{summary.findings['read_dealt']}: {points(effect)} ({points_range(effect)})."


def _bottleneck(bottleneck: Bottleneck, finding: str) -> Iterator[str]:
    yield f"{finding}."
    alone = bottleneck.all_rounds.lacks_only
    told = [f"{NEED_WORDS[need]} in {percent(share)} ({percent_range(share)})" for need, share in alone.items()]
    yield f"Of all escape windows, the one thing missing is {', '.join(told)}."


def _show_cards(console: Console, kinds: dict[str, Any], cards: Sequence[CardImpact], finding: str) -> None:
    """Name the cards that go with winning, and with losing, most."""
    line(console, "Which cards go with winning (difference in win share, percentage points)", style="bold")
    above, below = standing_out(cards, {kind: card["copies"] for kind, card in kinds.items()})
    if not above and not below:
        bullet(console, f"{finding}.")
        return
    table = table_of_figures()
    table.add_column("")
    table.add_column("once seen", justify="right", no_wrap=True)
    table.add_column("95 % range", justify="right", no_wrap=True)
    table.add_column("in the opening hand", justify="right", no_wrap=True)
    table.add_column("95 % range", justify="right", no_wrap=True)
    top, bottom = above[:_SHOWN], below[:_SHOWN][::-1]
    for group in (top, bottom):
        for card in group:
            figures = [
                word for each in (card.impact, card.edge) for word in (points(each, unit=""), points_range(each))
            ]
            table.add_row(Text(kinds[card.kind]["name"]), *figures)
        if group is top and top and bottom:
            table.add_row()
    print_table(console, table)
    bullet(
        console,
        "Once seen, against never seen: correlation, not effect, for long games show more cards and whoever draws much "
        "has more of all. In the opening hand, against the average: dealt by chance, so the card's doing.",
    )
    over = [kinds[card.kind]["name"] for card in cards if drawn_over_and_over(card, kinds[card.kind]["copies"])]
    if over:
        bullet(console, f"Left out, for a few games drew them over and over: {', '.join(over)}.")


def _take(quantile: Quantile) -> str:
    return "take" if quantile.at_least else "are over within"


def _assumed(assumed: Assumed) -> str:
    if not assumed.total:
        return "Every figure of this deck is marked as given by the game itself."
    return f"{assumed.in_words} They are marked `assumed` in the ruleset file, and all figures above rest on them."


def _footer(run: Run, pictures: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    manifest = run.manifest
    if run.path is not None:
        yield "run", run.path
    if pictures:
        kinds = sorted({path.suffix[1:] for path in pictures})
        yield "pictures", f"{pictures[0].parent}: {len({path.stem for path in pictures})}, as {' and '.join(kinds)}"
    if run.complete:
        yield "digest", run.outcome_digest
        jobs = manifest["jobs"]
        yield (
            "speed",
            f"{manifest['games_per_second']:,} games/s, {manifest['seconds']:,.1f} s on {jobs} job{'s' * (jobs != 1)}",
        )


def print_table(console: Console, table: Table) -> None:
    """Print a table without the blanks that fill its last column."""
    for segments in console.render_lines(table, pad=False):
        row = Text.assemble(*((segment.text, segment.style or "") for segment in segments))
        row.rstrip()
        console.print(row, soft_wrap=True)
