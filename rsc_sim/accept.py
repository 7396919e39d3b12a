"""Renews a reference folder: plays its experiment as it stands now, and writes down what moved.

The folder keeps, newest first in `moved.md`, what each renewal changed: the rules, the share of games that took another
course, and every watched figure before and after. What a reference folder holds stands in `baseline`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rsc_sim.baseline import write_reference
from rsc_sim.recorded import TABLES
from rsc_sim.store import write_file

if TYPE_CHECKING:
    from rsc_sim.check_result import CheckResult
    from rsc_sim.experiment import ResolvedExperiment
    from rsc_sim.run import Run
    from rsc_sim.runner import Progress

__all__ = ["accept"]

_HEAD = "# What moved\n\nEach renewal of this reference, newest first.\n"


def accept(
    folder: Path,
    experiment: ResolvedExperiment,
    result: CheckResult | None,
    *,
    jobs: int | None = None,
    backend: str = "auto",
    on_progress: Callable[[Progress], None] | None = None,
) -> Run:
    """Play an experiment and make a folder its reference; `result` says how it compares with what was there.

    Nothing in the folder is touched before all is played.
    """
    from rsc_sim.play import run_experiment

    whole = replace(experiment, record=TABLES)  # a reference keeps of everything
    run, summary = run_experiment(whole, jobs=jobs, backend=backend, on_progress=on_progress)
    assert summary is not None
    write_reference(run, summary, folder)
    if result is not None and result.level == "exact":
        return run  # the same games: there is nothing to tell
    file = folder / "moved.md"
    before = file.read_text(encoding="utf-8").removeprefix(_HEAD) if file.is_file() else ""
    write_file(file, f"{_HEAD}\n{_entry(run, result)}{before}".encode())
    return run


def _entry(run: Run, result: CheckResult | None) -> str:
    from rsc_sim.check_result import answer, difference_words
    from rsc_sim.present_check import explanation, margin_words

    played = run.experiment
    title = f"## {run.outcome_digest[:12]}, by rsc-sim {run.manifest['versions']['rsc_sim']}"
    if result is None:
        return f"{title}\n\nMade anew: {played.n_games:,} games of {', '.join(played.lineup)}, seed {played.seed}.\n"
    lines = [title, "", f"**{answer(result)}**", ""]
    lines += [f"- {change}" for change in result.changes]
    lines += [f"- {said}" for said in explanation(result)]
    if result.divergence is not None:
        parted = result.divergence
        where = f"turn {parted.turn}" if parted.turn else "the deal"
        lines.append(f"- Game {parted.game:,} parts at {where}. Before: {parted.baseline} Now: {parted.candidate}")
    if result.judged:
        lines += ["", "| figure | before | now | difference (95 %) | margin | verdict |", "|---|---|---|---|---|---|"]
        for j in result.judged:
            scale = j.metric.scale
            lines.append(
                f"| {j.metric.label} | {j.baseline * scale:.2f} | {j.candidate * scale:.2f} | {difference_words(j)} | "
                f"{margin_words(j)} | {j.verdict} |"
            )
    return "\n".join(lines) + "\n\n"
