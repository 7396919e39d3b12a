"""The table of docs/features.md, written from `rsc_sim.features`.

python -m tests.features.page
"""

from __future__ import annotations

from pathlib import Path

from rsc_sim.features import DESCRIPTIONS

PAGE = Path(__file__).parents[2] / "docs" / "features.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def table() -> str:
    """Give the table as Markdown."""
    rows = ["| feature | 1 is | leans | what it measures |", "|---|---|---|---|"]
    rows += [f"| `{name}` | {f.unit} | {f.lean} | {f.text} |" for name, f in DESCRIPTIONS.items()]
    return "\n".join(rows) + "\n"


def renewed(text: str) -> str:
    """Put the present table into the page's text."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
