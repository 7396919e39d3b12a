"""The answer of a check in words: as a table for people, as JSON, as JUnit XML for pipelines.

Everything comes from a `CheckResult`; nothing is worked out here but wording.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from rich.table import Table
from rich.text import Text

from rsc_sim.check_result import answer, difference_words, digits_for
from rsc_sim.console import bullet, line, paragraph

if TYPE_CHECKING:
    from rich.console import Console

    from rsc_sim.check_result import CheckResult, Judged

__all__ = [
    "EXIT_CODES",
    "answer",
    "as_data",
    "as_junit",
    "difference_words",
    "explanation",
    "margin_words",
    "show_check",
]

EXIT_CODES = {"unchanged": 0, "changed": 1, "undecided": 3}
_STYLE = {"unchanged": "bold green", "changed": "bold red", "undecided": "bold yellow"}
_MARKS = {"unchanged": "=", "changed": "≠", "undecided": "?"}


def margin_words(judged: Judged) -> str:
    """Word a margin, e.g. `± 1 points`, `± 1.41 turns (2 %)`."""
    if judged.metric.relative:
        return f"± {judged.margin:.2f} {judged.metric.unit} ({judged.metric.margin * 100:g} %)"
    return f"± {judged.margin * judged.metric.scale:g} points"


def explanation(result: CheckResult) -> list[str]:
    """Tell what the answer rests on, a sentence each: games compared, where they part, what pairing saved."""
    said = list(result.notes)
    if result.compared and result.differing:
        share = (
            f"{result.touched * 100:.{2 if result.touched < 0.01 else 1}f} %" if result.differing > 10 else "hardly any"
        )
        said.append(
            f"{result.differing:,} of {result.compared:,} games compared took another course ({share}); the first is "
            f"game {result.first_difference:,}."
        )
    if result.golden is not None:
        n, differing = result.golden
        said.append(f"Of {n} games kept move by move, {differing} {'goes' if differing == 1 else 'go'} otherwise now.")
    if result.n_blocks and not any("of its own" in note for note in result.notes):
        worth = sorted(j.worth for j in result.judged if math.isfinite(j.worth))
        if worth:
            middle = worth[len(worth) // 2]
            saved = (middle - 1) * result.n_games
            said.append(
                f"Shared deals made one game worth {middle:.1f} (by figure between {worth[0]:.1f} and {worth[-1]:.1f})"
                + (f": without them it would have taken some {saved:,.0f} games more a side." if saved > 0 else ".")
            )
    return said


def show_check(console: Console, result: CheckResult, kept: str = "") -> None:
    """Print the answer first, then the table, then what it rests on."""
    played = result.experiment
    line(console, answer(result), style=_STYLE[result.verdict])
    line(console, f"{result.candidate} against {result.baseline}: {', '.join(played.lineup)}, seed {played.seed}")
    for change in result.changes[:12]:
        bullet(console, change, mark="·")
    if len(result.changes) > 12:
        bullet(console, f"… and {len(result.changes) - 12} more", mark="·")
    if result.judged:
        console.print()
        console.print(_table(result))
        line(
            console,
            f"{result.n_games:,} games a side. Ranges are 95 % and hold at whatever moment one stops; “changed” allows "
            "for the number of figures.",
            style="dim",
        )
    elif result.compared:
        line(console, f"{result.compared:,} games compared, byte for byte.")
    said = explanation(result)
    if said:
        console.print()
    for text in said:
        paragraph(console, text)
    if result.divergence is not None:
        parted = result.divergence
        console.print()
        where = f"turn {parted.turn}" if parted.turn else "the deal"
        line(console, f"Where game {parted.game:,} parts, {where}", style="bold")
        bullet(console, parted.baseline, mark="<")
        bullet(console, parted.candidate, mark=">")
    if kept:
        console.print()
        line(console, kept)


def _table(result: CheckResult) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", "figure", "before", "now", "difference (range)", "does not matter", "verdict"):
        table.add_column(heading, justify="right" if heading in {"before", "now"} else "left")
    for judged in result.judged:
        style = _STYLE[judged.verdict] if judged.verdict != "unchanged" else ""
        table.add_row(
            _MARKS[judged.verdict],
            judged.metric.label,
            _value(judged, judged.baseline),
            _value(judged, judged.candidate),
            difference_words(judged),
            margin_words(judged),
            Text(judged.verdict, style=style),
        )
    return table


def _value(judged: Judged, value: float) -> str:
    half = (judged.high - judged.low) / 2 * judged.metric.scale
    digits = digits_for(half) if math.isfinite(half) else 2
    return f"{value * judged.metric.scale:.{digits}f}" + (" %" if judged.metric.unit == "share" else "")


# ---- for machines


def as_data(result: CheckResult) -> dict[str, Any]:
    """Give what `--json` prints and `check.json` keeps; figures that are unknown are null."""
    played = result.experiment
    return {
        "verdict": result.verdict,
        "exit_code": EXIT_CODES[result.verdict],
        "answer": answer(result),
        "level": result.level,
        "baseline": result.baseline,
        "candidate": result.candidate,
        "lineup": list(played.lineup),
        "seed": played.seed,
        "rule_changes": list(result.changes),
        "games_compared": result.compared,
        "games_differing": result.differing,
        "share_touched": result.touched,
        "first_differing_game": result.first_difference,
        "divergence": None
        if result.divergence is None
        else {
            "game": result.divergence.game,
            "turn": result.divergence.turn,
            "baseline": result.divergence.baseline,
            "candidate": result.divergence.candidate,
        },
        "golden": None if result.golden is None else {"games": result.golden[0], "differing": result.golden[1]},
        "games_a_side": result.n_games,
        "blocks": result.n_blocks,
        "seconds": round(result.seconds, 3),
        "notes": list(result.notes),
        "explanation": explanation(result),
        "figures": [_figure(judged) for judged in result.judged],
        "trail": [
            {
                "games": look.n * result.rotations,
                "low": [
                    _number(value * j.margin / j.metric.margin)
                    for value, j in zip(look.low, result.judged, strict=True)
                ],
                "high": [
                    _number(value * j.margin / j.metric.margin)
                    for value, j in zip(look.high, result.judged, strict=True)
                ],
                "verdicts": list(look.verdicts),
            }
            for look in result.trail
        ],
    }


def _figure(judged: Judged) -> dict[str, Any]:
    return {
        "key": judged.metric.key,
        "label": judged.metric.label,
        "unit": judged.metric.unit,
        "baseline": _number(judged.baseline),
        "candidate": _number(judged.candidate),
        "difference": _number(judged.difference),
        "low": _number(judged.low),
        "high": _number(judged.high),
        "margin": _number(judged.margin),
        "verdict": judged.verdict,
        "correlation": _number(judged.correlation),
        "worth": _number(judged.worth),
        "method": "asymptotic confidence sequence over blocks",
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def as_junit(result: CheckResult) -> bytes:
    """Give the answer as JUnit XML: a test a figure; changed is a failure, undecided an error."""
    cases: list[tuple[str, str, str]] = [
        (j.metric.label, j.verdict, f"{difference_words(j)}, margin {margin_words(j)}") for j in result.judged
    ] or [("the same games", result.verdict, answer(result))]
    counts = [sum(verdict == kind for _, verdict, _ in cases) for kind in ("changed", "undecided")]
    suite = ElementTree.Element(
        "testsuite",
        name=f"rsc check {result.baseline}: {result.candidate}",
        tests=str(len(cases)),
        failures=str(counts[0]),
        errors=str(counts[1]),
        time=f"{result.seconds:.3f}",
    )
    for label, verdict, text in cases:
        case = ElementTree.SubElement(suite, "testcase", classname="rsc.check", name=label)
        if verdict != "unchanged":
            kind = "failure" if verdict == "changed" else "error"
            ElementTree.SubElement(case, kind, message=f"{verdict}: {text}", type=verdict)
    ElementTree.SubElement(suite, "system-out").text = "\n".join(
        [answer(result), *result.changes, *explanation(result)]
    )
    whole = ElementTree.Element("testsuites")
    whole.append(suite)
    ElementTree.indent(whole)
    return bytes(ElementTree.tostring(whole, encoding="utf-8", xml_declaration=True)) + b"\n"
