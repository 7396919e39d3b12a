"""What a report is made of, whatever it reports on: doubts, findings, assumptions, and sections of pictures and tables.

Plain data in reading order; how it looks is left to `html` and `markdown`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

__all__ = [
    "Block",
    "Bullets",
    "Code",
    "Facts",
    "Finding",
    "Picture",
    "Remark",
    "Report",
    "Section",
    "State",
    "Table",
    "Text",
    "ordered",
]

State = Literal["beyond", "unsure", "within", "told"]
"""Of a finding beside its limit: clearly beyond it, perhaps, clearly within, or without a limit."""
_RANK: dict[State, int] = {"beyond": 0, "unsure": 1, "told": 2, "within": 3}

_STATES: dict[State, str] = {"beyond": "too much", "unsure": "perhaps", "told": "noted", "within": "fine"}
_OF_CHECK: dict[State, str] = {"beyond": "changed", "unsure": "perhaps", "told": "noted", "within": "same"}


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence, and the section that shows what it speaks of; empty where there is none."""

    text: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found, in a sentence, with its number and range, beside a limit."""

    text: str
    number: str
    """The figure and its range, e.g. `6.2 % (5.9 to 6.5 %)`; empty where the sentence has all of it."""
    limit: str
    """What it is measured by, e.g. `at most 5 %`; empty where there is no limit."""
    href: str
    """The section with its picture."""
    state: State = "told"
    beyond: float = 0.0
    """The figure in units of its limit: above 1 is beyond."""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines for a terminal."""

    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what they are."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the first cell of a row names it."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    folded: bool = False
    """Whether it is long and opens on a click."""
    words: frozenset[int] = field(default_factory=frozenset)
    """Columns of words rather than numbers, besides the first."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was drawn, as SVG and PNG."""

    name: str
    title: str
    """What it shows to have been found."""
    caption: str
    """Its small print."""
    svg: Path
    png: Path


Block = Text | Bullets | Code | Facts | Table | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report, by its id in links."""

    id: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """Its pictures, which stand beside the rest where there is room."""
        return tuple(block for block in self.blocks if isinstance(block, Picture))

    @property
    def others(self) -> tuple[Block, ...]:
        """All else, in order."""
        return tuple(block for block in self.blocks if not isinstance(block, Picture))


@dataclass(frozen=True, slots=True)
class Report:
    """A report, in the order in which it is read."""

    kind: Literal["run", "sweep", "comparison", "check", "cards", "feel"]
    title: str
    lead: tuple[str, ...]
    """What was played, in a sentence or two."""
    doubts: tuple[Remark, ...]
    """Where its conclusions rest on weak ground; said first."""
    findings: tuple[Finding, ...]
    assumed: tuple[Block, ...]
    sections: tuple[Section, ...]

    @property
    def judged(self) -> bool:
        """Whether findings are set beside limits, and so ordered."""
        return any(finding.limit for finding in self.findings)

    @property
    def heading(self) -> str:
        """What stands above the findings."""
        order = "what moved most first" if self.kind == "check" else "the worst first"
        return f"What was found, {order}" if self.judged else "What was found"

    @property
    def states(self) -> dict[State, str]:
        """What a finding is marked with, in words: colour never stands alone."""
        return _OF_CHECK if self.kind == "check" else _STATES

    @property
    def measure(self) -> str:
        """What the limit of a finding is to it."""
        return "does not matter" if self.kind == "check" else "wanted"


def ordered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Put what is furthest beyond its limit first; what has no limit before what is clearly within one."""
    return tuple(sorted(findings, key=lambda finding: (_RANK[finding.state], -finding.beyond)))
