"""How every command prints: the width, lines, bullets, paragraphs, and columns of text.

On a terminal all goes by its width, but nothing is set narrower than 80: a line that wraps can be read, a figure that
was left out for want of room cannot. Piped, lines are at most 100 wide and bear no colour.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

__all__ = ["bullet", "columns", "line", "open_console", "paragraph"]

PIPED_WIDTH = 100
LEAST_WIDTH = 80


class _Output(Console):
    """A console that leaves a closed pipe to `cli`: rich would end the process with 1."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704  # called while the BrokenPipeError is handled


def open_console() -> Console:
    """Give the console of standard output."""
    terminal = sys.stdout.isatty()
    width = max(LEAST_WIDTH, Console().width) if terminal else PIPED_WIDTH
    return _Output(width=width, highlight=False, no_color=None if terminal else True)


def line(console: Console, text: str, style: str = "") -> None:
    """Print a line as it is, however long."""
    console.print(Text(text, style=style), soft_wrap=True)


def paragraph(console: Console, text: str, style: str = "") -> None:
    """Print text, wrapped."""
    line(console, textwrap.fill(text, console.width, break_on_hyphens=False), style)


def bullet(console: Console, text: str, mark: str = "") -> None:
    """Print text, wrapped and set in behind a mark."""
    lead = f"{mark:>2} "
    line(console, textwrap.fill(text, console.width, initial_indent=lead, subsequent_indent=" " * len(lead)))


def columns(
    console: Console,
    rows: Iterable[Sequence[str]],
    widths: Sequence[int],
    right: Collection[int] = (),
    style: str = "",
) -> None:
    """Print rows of cells, each wrapped to the width of its column; `right` are the columns set to the right."""
    for row in rows:
        cells = [_wrap(console, cell, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            fitted = [_fit(part, width, n in right) for n, (part, width) in enumerate(zip(parts, widths, strict=True))]
            line(console, ("  " + "  ".join(fitted)).rstrip(), style)


def _wrap(console: Console, text: str, width: int) -> list[str]:
    if cell_len(text) <= width:
        return [text]
    return [part.plain.rstrip() for part in Text(text).wrap(console, width)]


def _fit(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks
