"""`rsc report`: arguments in, one report out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from rsc_sim.cli_common import JsonOption
from rsc_sim.errors import InputError

__all__ = ["mount", "report"]

_FORMATS = ("html", "md")


def mount(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command(epilog="Example: rsc report runs/baseline-001")(report)


def report(
    directory: Annotated[
        Path,
        typer.Argument(help="The directory of a run, sweep, comparison, check or study.", metavar="RUN"),
    ],
    form: Annotated[
        str, typer.Option("--format", help="One HTML file, or Markdown beside its pictures.", metavar="html|md")
    ] = "html",
    out: Annotated[
        Path | None, typer.Option(help="The file to write; report.html or report.md in RUN.", metavar="FILE")
    ] = None,
    include: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            help="A study of the same experiment by rsc cards or rsc feel to include; may be given again.",
            metavar="DIR",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell what was found, the worst first, how sure that is, and show it in pictures.

    The HTML file stands by itself: it opens from the disk, on a phone, in the dark and on paper. Markdown links to the
    pictures, which go into RUN/plots as SVG and PNG either way. What is too much stands in the experiment's table
    [report].
    """
    if form not in _FORMATS:
        raise InputError(f"--format {form}: expected {' or '.join(_FORMATS)}")
    from rsc_sim.report import build_report, write_report

    file = out or directory / f"report.{form}"
    if file.is_dir():
        raise InputError(f"{file}: a directory; expected the file that the report goes to")
    made = build_report(directory, beside=tuple(include or ()))
    write_report(made, file, "html" if form == "html" else "md")
    if as_json:
        from rsc_sim.report.machine import as_data

        print(json.dumps({"report": str(file), **as_data(made)}))
        return
    from rsc_sim.console import open_console
    from rsc_sim.present_report import show_report

    show_report(open_console(), made, file)
