"""Strategies at the command line: the list, and what came of a check."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rsc_sim.console import columns, line, paragraph

if TYPE_CHECKING:
    from rich.console import Console

    from rsc_sim.conformance import Conformance
    from rsc_sim.strategy import Strategy

__all__ = ["show_report", "show_strategies", "strategy_data"]

WIDEST = 100


def strategy_data(strategy: Strategy) -> dict[str, Any]:
    """Give a strategy as plain data."""
    return {
        "spec": strategy.spec,
        "parameters": dict(strategy.parameters),
        "summary": strategy.summary,
        "description": strategy.description,
    }


def show_strategies(console: Console, strategies: Sequence[Strategy]) -> None:
    """Print each strategy with what it does and, where it has any, its parameters."""
    first = max(len(strategy.name) for strategy in strategies)
    rest = max(min(console.width, WIDEST) - first - 4, 20)
    for strategy in strategies:
        columns(console, [(strategy.name, _sentence(strategy))], (first, rest))
        for key, value in strategy.parameters.items():
            columns(console, [("", f"{key}={value!r}")], (first, rest))
    console.print()
    pair = ",".join(strategy.name for strategy in strategies[-2:])
    paragraph(console, f"Seat them with `rsc run --lineup {pair}`, one for each seat, as many of a kind as you like.")


def _sentence(strategy: Strategy) -> str:
    """Give the first sentence of a strategy's docstring without its name, which stands before it."""
    text = re.sub(rf"^`?{re.escape(strategy.name)}`?: *", "", strategy.summary)
    return text[:1].upper() + text[1:]


def show_report(console: Console, spec: str, report: Conformance) -> None:
    """Print what came of each check, and what was asked of the strategy."""
    width = min(console.width, WIDEST)
    verdict = "passes" if report.passed else "fails"
    line(console, f"{spec} {verdict}: {report.games} games at 2 to 8 seats, by the booklet and by odd rules", "bold")
    marks = {True: "ok", False: "FAILS", None: "-"}
    first = max(len(finding.check) for finding in report.findings)
    for finding in report.findings:
        count = "" if finding.passed is None else f"{finding.n:,} {finding.unit}"
        columns(console, [(marks[finding.passed], finding.check, count)], (5, first, max(width - first - 13, 12)))
        if finding.detail:
            columns(console, [("", finding.detail)], (5, max(width - 9, 20)))
    asked = ", ".join(f"{decision} {report.decisions.get(decision, 0):,}" for decision in _DECISIONS)
    paragraph(console, f"Decisions put to it: {asked}.")
    if report.decisions_per_second:
        paragraph(console, f"Speed: {report.decisions_per_second:,.0f} decisions a second on one processor.")


_DECISIONS = ("put_down", "react", "take", "table_more", "escape")
