"""How a study of the feel of a game is told at the command line: what it is like to play, and where luck comes from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from rsc_sim.analysis import Estimate
from rsc_sim.console import bullet, line, paragraph
from rsc_sim.findings import percent, percent_range, points, points_range
from rsc_sim.findings_feel import SOURCE_WORDS, feel_finding, luck_finding, share_of_luck
from rsc_sim.present import print_table, table_of_figures

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from rsc_sim.feel import FeelStudy

__all__ = ["show_feel"]

_GROUPS: dict[str, dict[str, str]] = {
    "Who leads (in tabled Merch)": {
        "lead_changes": "changes of leader a game",
        "comeback": "winner was behind after half of the turns",
        "comeback_from_last": "winner was last after half of the turns",
        "decided_early": "turns left when the winner takes the lead for good",
        "winner_trails": "winner does not lead at the end",
    },
    "Who leads by points (Read's counted)": {
        "points_lead_changes": "changes of leader a game",
        "points_comeback": "winner was behind after half of the turns",
        "points_comeback_from_last": "winner was last after half of the turns",
        "points_decided_early": "turns left when the winner takes the lead for good",
    },
    "What one does to others": {
        "targeted": "Actions against another seat, a game",
        "targeted_a_turn": "Actions against another seat, a turn",
        "stolen_merch": "Merch stolen, a game",
        "stolen_hand": "hand cards stolen, a game",
        "stolen_protect": "Merch Protects stolen, a game",
        "read_taken": "Read taken, a game",
        "cancelled": "Actions cancelled, a game",
        "leader_hit": "of Actions by others, against the Merch leader",
        "leader_hit_by_chance": "  the same with targets drawn by lot",
        "leader_hit_more": "  more than by lot, points",
        "points_leader_hit": "of Actions by others, against the leader by points",
        "points_leader_hit_by_chance": "  the same with targets drawn by lot",
    },
    "What there is to do": {
        "idle": "turns with nothing useful to do",
        "discard_only": "  only discards possible",
        "passed": "  nothing to put down",
        "missed": "  missed",
        "moves": "legal moves a decision",
        "put_down_moves": "legal moves a put-down",
        "single": "decisions with one legal move",
    },
}


def show_feel(console: Console, study: FeelStudy, folder: Path, pictures: Sequence[Path] = ()) -> None:
    """Print what a study found."""
    played, feel = study.experiment, study.feel
    line(console, f"{played.name}: {', '.join(played.lineup)}, by the rules {played.ruleset['name']!r}", style="bold")
    of = f" of {played.n_games:,}" if feel.n_games < played.n_games else ""
    line(
        console,
        f"{feel.n_games:,}{of} games on {study.n_blocks:,} deals, seed {played.seed}; "
        f"{feel.n_won:,} with one winner, of which comebacks and leads are told",
    )
    console.print()
    paragraph(console, f"{feel_finding(feel)}.", "bold")
    for heading, names in _GROUPS.items():
        console.print()
        line(console, heading, style="bold")
        table = table_of_figures()
        table.show_header = False
        for name in ("what", "value", "range"):
            table.add_column(name, justify="left" if name == "what" else "right", no_wrap=name != "what")
        for name, words in names.items():
            table.add_row(Text(words), *_told(feel[name]))
        print_table(console, table)
        if "comeback" in names:
            seats = played.seats
            bullet(
                console,
                f"Had half-time meant nothing, {(1 - 1 / seats) * 100:.0f} % would have been behind and "
                f"{100 / seats:.0f} % last.",
            )
    if feel.width_quantiles:
        told = ", ".join(f"{share:.0%} have {it.value:.0f} or fewer" for share, it in feel.width_quantiles.items())
        bullet(console, f"Of all decisions {told} legal moves.".replace("%", " %"))
    console.print()
    _show_length(console, study)
    if study.read_dealt.effect.n_blocks:
        effect = study.read_dealt.effect
        console.print()
        paragraph(console, f"Being dealt Read changes a seat's win share by {points(effect)} ({points_range(effect)}).")
    console.print()
    _show_luck(console, study)
    console.print()
    line(console, "Ranges hold the true value in 19 of 20 studies; the games of a deal count as one.", style="dim")
    line(console, "What each figure is exactly: docs/feel.md.", style="dim")
    console.print()
    line(console, f"study     {folder}")
    if pictures:
        line(console, f"pictures  {pictures[0].parent}: {len({path.stem for path in pictures})}, as png and svg")


def _show_length(console: Console, study: FeelStudy) -> None:
    feel = study.feel
    line(console, f"How long it takes, at {feel.seconds_per_turn:g} seconds a turn (assumed)", style="bold")
    for share, minutes in feel.minutes.items():
        words = {0.1: "one game in ten is over within", 0.5: "half are over within", 0.9: "nine in ten are over within"}
        if share in feel.minutes_at_least:
            bullet(console, f"{words[share]} no fewer than {minutes.value:.0f} minutes: games were stopped there")
            continue
        told = "" if minutes.low == minutes.high else f" ({minutes.low:.1f} to {minutes.high:.1f})"
        bullet(console, f"{words[share]} {minutes.value:.1f} minutes{told}")


def _show_luck(console: Console, study: FeelStudy) -> None:
    line(console, "Luck and skill", style="bold")
    if study.skill is None:
        bullet(console, "One strategy sits at the table: nothing to tell skill by.")
    else:
        spread = study.skill.spread
        told = f"Strategies differ by {_points(spread.value)} points in the win share to be expected"
        bullet(console, f"{told} (standard deviation; {_points(spread.low)} to {_points(spread.high)}).")
        share = study.skill.share
        if not math.isnan(share.value):
            bullet(
                console,
                f"Of what makes a seat win one game or not, {percent(share)} ({percent_range(share)}) is which of them "
                "it plays; the rest is luck.",
            )
    if study.luck is None:
        return
    if not study.luck.variance.value:
        bullet(console, "Luck makes no difference to who wins.")
        return
    bullet(console, f"{luck_finding(study.luck)}.")
    console.print()
    line(console, f"Where luck comes from ({study.luck_blocks:,} deals, each source changed by itself)", style="bold")
    table = table_of_figures()
    table.add_column("")
    for heading in ("alone", "95 % range", "in all", "95 % range"):
        table.add_column(heading, justify="right", no_wrap=True)
    for source in (*study.luck.sources, *study.luck.groups):
        alone, in_all = share_of_luck(source.alone), share_of_luck(source.in_all)
        table.add_row(Text(SOURCE_WORDS[source.name]), *_told(alone), *_told(in_all))
    print_table(console, table)
    bullet(console, "`alone`: how much of luck would be known if only this were known.")
    bullet(console, "`in all`: how much would be unknown if only this were unknown. What `alone` lacks works together.")


def _points(share: float) -> str:
    return f"{share * 100:.1f}"


def _told(estimate: Estimate) -> tuple[str, str]:
    """Word a figure and its range."""
    if math.isnan(estimate.value):
        return "–", ""
    if estimate.low == estimate.high:  # exactly nothing, or all
        return f"{estimate.value * 100:.0f} %", ""
    if estimate.unit == "difference of shares":
        return points(estimate, unit=""), points_range(estimate)
    if estimate.unit == "share":
        return percent(estimate), percent_range(estimate)
    if not math.isfinite(estimate.high):
        return f"{estimate.value:.2f}", ""
    digits = 1 if estimate.high - estimate.low >= 0.2 else 2
    low, high = f"{estimate.low:.{digits}f}", f"{estimate.high:.{digits}f}"
    return f"{estimate.value:.{digits}f}", f"{low} to {high}"
