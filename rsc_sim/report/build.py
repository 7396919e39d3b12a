"""Makes the report of a directory that a command left, whichever command that was.

What lies in a directory is told by its record: a run has `manifest.json`, a sweep `sweep.json`, a comparison
`compare.json`, a check `check.json`, a study of cards `cards.json`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rsc_sim.errors import InputError
from rsc_sim.report.model import Picture, Report

if TYPE_CHECKING:
    from rsc_sim.run import Run

__all__ = ["Format", "build_report", "record_of", "write_report"]

Format = Literal["html", "md"]
RECORDS = {
    "manifest.json": "run",
    "sweep.json": "sweep",
    "compare.json": "comparison",
    "check.json": "check",
    "cards.json": "cards",
}


def record_of(folder: Path) -> str:
    """Say what a directory holds: `run`, `sweep`, `comparison`, `check` or `cards`. Raises `InputError` else."""
    if not folder.is_dir():
        what = "a file" if folder.exists() else "no such directory"
        raise InputError(
            f"{folder}: {what}; expected the directory that rsc run, sweep, compare, check or cards left behind"
        )
    for record, kind in RECORDS.items():
        if (folder / record).is_file():
            return kind
    raise InputError(
        f"{folder}: nothing to report on; expected {', '.join(RECORDS)} in it, as rsc run, sweep, compare, check and "
        "cards leave them"
    )


def build_report(folder: Path, *, beside: Sequence[Path] = ()) -> Report:
    """Make the report of a directory; pictures go into its `plots`. `beside` are directories to include.

    Raises `InputError` where the directory holds nothing to report on, or what it holds is not complete.
    """
    kind = record_of(folder)
    for other in beside:
        record_of(other)
    if kind == "run":
        return _of_run(folder, beside)
    raise InputError(f"{folder}: a {kind}; reports are made of runs")


def write_report(report: Report, file: Path, form: Format) -> Path:
    """Write a report into a file, as a whole or not at all. Raises `InputError` where it cannot be written."""
    from rsc_sim.report.html import as_html
    from rsc_sim.report.markdown import as_markdown
    from rsc_sim.store import write_file

    if file.is_dir():
        raise InputError(f"{file}: a directory; expected the file that the report goes to")
    file.parent.mkdir(parents=True, exist_ok=True)
    text = as_html(report) if form == "html" else as_markdown(report, file.parent)
    write_file(file, text.encode())
    return file


def _of_run(folder: Path, beside: Sequence[Path]) -> Report:
    from rsc_sim.report.of_run import run_report
    from rsc_sim.run import Run
    from rsc_sim.store import resume_command
    from rsc_sim.summary import summarise

    run = Run.open(folder)
    if not run.complete:
        raise InputError(
            f"{folder}: the run is unfinished, and a report on part of it would speak of other games than its record "
            f"says; go on with it: {resume_command(folder)}"
        )
    return run_report(run, summarise(run), draw_run(run, folder / "plots"))


def draw_run(run: Run, folder: Path) -> list[Picture]:
    """Draw the pictures of a run into a folder, and say what each shows."""
    from rsc_sim import plots

    return [
        Picture(name, ax_title, caption, folder / f"{name}.svg", folder / f"{name}.png")
        for name, ax_title, caption in plots.write_told(run, folder)
    ]


def relative(path: Path, start: Path) -> str:
    """Give a path as seen from a folder."""
    return Path(os.path.relpath(path, start)).as_posix()
