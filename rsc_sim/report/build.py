"""Makes the report of a directory that a command left, whichever command that was.

What lies in a directory is told by its record: a run has `manifest.json`, a sweep `sweep.json`, a comparison
`compare.json`, a check `check.json`, a study of cards `cards.json`, one of the feel of a game `feel.json`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rsc_sim.errors import InputError
from rsc_sim.report.model import Picture, Report
from rsc_sim.report.pictures import kept_pictures

if TYPE_CHECKING:
    from rsc_sim.report.of_cards import CardsRecord
    from rsc_sim.report.of_feel import FeelRecord
    from rsc_sim.run import Run

__all__ = ["Format", "build_report", "record_of", "write_report"]

Format = Literal["html", "md"]
RECORDS = {
    "manifest.json": "run",
    "sweep.json": "sweep",
    "compare.json": "comparison",
    "check.json": "check",
    "cards.json": "cards",
    "feel.json": "feel",
}
STUDIES = ("cards", "feel")
"""What the report of a run may include."""
_OF_ONE_RUN = ("seed", "n_blocks", "precision")
"""What a study may have otherwise than the run whose report it stands in."""


def record_of(folder: Path) -> str:
    """Say what a directory holds: one of the kinds of `RECORDS`. Raises `InputError` else."""
    if not folder.is_dir():
        what = "a file" if folder.exists() else "no such directory"
        raise InputError(
            f"{folder}: {what}; expected the directory that rsc run, sweep, compare, check, cards or feel left behind"
        )
    for record, kind in RECORDS.items():
        if (folder / record).is_file():
            return kind
    raise InputError(
        f"{folder}: nothing to report on; expected {', '.join(RECORDS)} in it, as rsc run, sweep, compare, check, "
        "cards and feel leave them"
    )


def build_report(folder: Path, *, beside: Sequence[Path] = ()) -> Report:
    """Make the report of a directory; pictures go into its `plots`. `beside` are directories to include.

    Raises `InputError` where the directory holds nothing to report on, or what it holds is not complete.
    """
    kind = record_of(folder)
    for other in beside:
        if record_of(other) not in STUDIES or kind != "run":
            raise InputError(
                f"--with {other}: a {record_of(other)}; expected a study by rsc cards or rsc feel, for a run's report"
            )
    if kind == "run":
        return _of_run(folder, beside)
    if kind == "cards":
        from rsc_sim.report.of_cards import CardsRecord, cards_report

        return cards_report(CardsRecord(folder))
    if kind == "feel":
        from rsc_sim.report.of_feel import FeelRecord, feel_report

        return feel_report(FeelRecord(folder))
    if kind == "comparison":
        return _of_comparison(folder)
    if kind == "sweep":
        return _of_sweep(folder)
    from rsc_sim.report.of_others import check_report

    return check_report(folder, kept_pictures(folder / "plots", ("check",)))


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
    from rsc_sim.report.judge_feel import judge_feel
    from rsc_sim.report.of_cards import CardsRecord, card_findings, cards_section
    from rsc_sim.report.of_feel import FeelRecord, feel_section
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
    if not (folder / "games").is_dir():
        raise InputError(f"{folder}: a reference folder, which keeps figures and no games; expected the run itself")
    run.require("games")
    studies = [_study(other, run) for other in _studies(folder, beside)]
    pictures = draw_run(run, folder / "plots")
    of_cards = [study for study in studies if isinstance(study, CardsRecord)]
    of_feel = [study for study in studies if isinstance(study, FeelRecord)]
    sections = [*map(cards_section, of_cards), *map(feel_section, of_feel)]
    found = [finding for study in of_cards for finding in card_findings(study, run.experiment.limits.card)]
    also = [finding for study in of_feel for finding in judge_feel(study.data, run.experiment.limits)]
    return run_report(run, summarise(run), pictures, further=sections, found=found, also=also)


def _studies(folder: Path, beside: Sequence[Path]) -> list[Path]:
    """Give the directories of studies: those that are named, else one of each kind in the run's own directory."""
    there = [sorted(folder.glob(f"*/{kind}.json"))[:1] for kind in STUDIES]
    return list(beside) or [path.parent for found in there for path in found]


def _study(folder: Path, run: Run) -> CardsRecord | FeelRecord:
    """Open a study of the rules and strategies that the run played. Raises `InputError` where it is of others."""
    from rsc_sim.report.of_cards import CardsRecord
    from rsc_sim.report.of_feel import FeelRecord

    played = run.experiment
    study = CardsRecord(folder) if record_of(folder) == "cards" else FeelRecord(folder)
    there = {key: value for key, value in study.experiment.essence().items() if key not in _OF_ONE_RUN}
    here = {key: value for key, value in played.essence().items() if key not in _OF_ONE_RUN}
    if json.dumps(there, sort_keys=True) != json.dumps(here, sort_keys=True):
        told = [text for text in played.differences(study.experiment) if not text.startswith(_OF_ONE_RUN)]
        raise InputError(
            f"--with {folder}: a study of other rules or strategies than {run.path}: {'; '.join(told[:3])}"
        )
    return study


def _of_comparison(folder: Path) -> Report:
    from rsc_sim.compare import Compared
    from rsc_sim.plots.compare import write_all
    from rsc_sim.report.of_others import comparison_report

    compared = Compared.open(folder)
    write_all(compared.standings, folder / "plots")
    return comparison_report(compared, kept_pictures(folder / "plots", ("ratings", "against")))


def _of_sweep(folder: Path) -> Report:
    from rsc_sim.report.of_others import sweep_report
    from rsc_sim.sweep import Sweep
    from rsc_sim.sweep_view import SweepView

    sweep = Sweep.open(folder)
    if not sweep.complete:
        raise InputError(f"{folder}: the sweep is unfinished; go on with it: rsc sweep --resume --out {folder}")
    view = SweepView.of(sweep.record, sweep.frame)
    return sweep_report(sweep, view, kept_pictures(folder / "plots"))


def draw_run(run: Run, folder: Path) -> list[Picture]:
    """Draw the pictures of a run into a folder, and say what each shows."""
    from rsc_sim import plots

    return [
        Picture(name, ax_title, caption, folder / f"{name}.svg", folder / f"{name}.png")
        for name, ax_title, caption in plots.write_told(run, folder)
    ]
