"""What `rsc report` says at the command line: the doubts and findings in short, and where the report is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rsc_sim.console import bullet, line

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from rsc_sim.report import Report
    from rsc_sim.report.model import State

__all__ = ["show_report"]

_MARKS: dict[State, str] = {"beyond": "!", "unsure": "?", "told": "-", "within": "="}


def show_report(console: Console, report: Report, file: Path) -> None:
    """Print the top of a report."""
    line(console, report.title, style="bold")
    if report.doubts:
        console.print()
        line(console, "Read this first", style="bold yellow")
        for doubt in report.doubts:
            bullet(console, doubt.text, mark="!")
    console.print()
    marks = ", ".join(f"{mark} {report.states[state]}" for state, mark in _MARKS.items())
    line(console, f"{report.heading} ({marks})" if report.judged else report.heading, style="bold")
    for finding in report.findings:
        number = f" {finding.number[:1].upper()}{finding.number[1:]}" if finding.number else ""
        limit = f"{';' if number else ''} {report.measure}: {finding.limit}" if finding.limit else ""
        bullet(console, f"{finding.text}{number}{limit}{'.' if number or limit else ''}", mark=_MARKS[finding.state])
    console.print()
    line(console, f"report    {file}")
    pictures = [picture for section in report.sections for picture in section.pictures]
    if pictures:
        line(console, f"pictures  {pictures[0].svg.parent}: {len(pictures)}, as svg and png")
