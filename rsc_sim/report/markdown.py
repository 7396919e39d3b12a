"""A report as Markdown, with links to its pictures beside it: for a wiki, a pull request, a folder in a repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from rsc_sim import __version__
from rsc_sim.report.html import KINDS
from rsc_sim.report.model import Block, Bullets, Code, Facts, Picture, Report, Table, Text

__all__ = ["as_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$])")


def as_markdown(report: Report, folder: Path) -> str:
    """Give the report as Markdown; links to pictures start from the folder that it will lie in."""
    return "\n".join(_lines(report, folder)).rstrip() + "\n"


def _lines(report: Report, folder: Path) -> Iterator[str]:
    titles = {section.id: section.title for section in report.sections} | {"assumed": "What was assumed"}

    def see(href: str) -> str:
        return f" ([{_escape(titles[href])}](#{href}))" if href else ""

    yield f"# {_escape(report.title)}"
    yield ""
    yield f"*{KINDS[report.kind]}*"
    for line in report.lead:
        yield ""
        yield _escape(line)
    if report.doubts:
        yield from _heading("doubts", "Read this first")
        for doubt in report.doubts:
            yield f"- {_escape(doubt.text)}{see(doubt.href)}"
    yield from _heading("findings", report.heading)
    for number, finding in enumerate(report.findings, 1):
        limit = f"{report.measure}: {_escape(finding.limit)}" if finding.limit else ""
        told = "; ".join(filter(None, [_escape(finding.number), limit]))
        more = f" {told[:1].upper()}{told[1:]}." if told else ""
        yield f"{number}. *{report.states[finding.state]}* – **{_escape(finding.text)}**{more}{see(finding.href)}"
    if report.assumed:
        yield from _heading("assumed", "What was assumed")
        for block in report.assumed:
            yield from _block(block, folder)
    for section in report.sections:
        yield from _heading(section.id, section.title)
        for block in section.blocks:
            yield from _block(block, folder)
    yield ""
    yield "---"
    yield f"Made by rsc-sim {__version__}."


def _heading(identity: str, title: str) -> Iterator[str]:
    yield ""
    yield f'<a id="{identity}"></a>'
    yield ""
    yield f"## {_escape(title)}"
    yield ""


def _block(block: Block, folder: Path) -> Iterator[str]:
    if isinstance(block, Text):
        yield _escape(block.text)
    elif isinstance(block, Bullets):
        yield from (f"- {_escape(item)}" for item in block.items)
    elif isinstance(block, Code):
        yield from ("```", block.text.replace("```", "` ` `"), "```")
    elif isinstance(block, Facts):
        yield from (f"- {_escape(name)}: {_escape(value)}" for name, value in block.items)
    elif isinstance(block, Picture):
        path = Path(os.path.relpath(block.png, folder)).as_posix()
        alt = f"{block.title}. {block.caption}" if block.caption else block.title
        yield f"![{_escape(alt)}](<{path}>)"
    elif isinstance(block, Table):
        yield f"**{_escape(block.caption)}**"
        yield ""
        yield _row(block.head)
        yield _row(tuple("---" if not i or i in block.words else "---:" for i in range(len(block.head))), escape=False)
        yield from (_row(row) for row in block.rows)
    yield ""


def _row(cells: tuple[str, ...], *, escape: bool = True) -> str:
    return f"| {' | '.join(_escape(cell) if escape else cell for cell in cells)} |"


def _escape(text: str) -> str:
    """Make a text mean itself, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
