"""`rsc check`: arguments in, one call into `check`, an exit code out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsc_sim.cli_common import (
    BackendOption,
    JobsOption,
    JsonOption,
    LineupOption,
    SeedOption,
    SetOption,
    command_line,
    parse_count,
)
from rsc_sim.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rsc_sim.baseline import Baseline
    from rsc_sim.check import Progress
    from rsc_sim.check_result import CheckResult
    from rsc_sim.experiment import Margins, ResolvedExperiment

__all__ = ["check", "mount"]


def mount(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command(epilog="Example: rsc check reports/baseline --set escape_threshold=900")(check)


def check(  # noqa: PLR0917
    baseline: Annotated[
        str,
        typer.Argument(
            help="A run directory, a folder such as reports/baseline, a ruleset, or an experiment.", metavar="BASELINE"
        ),
    ],
    candidate: Annotated[
        str | None,
        typer.Argument(
            help="A ruleset (or an experiment, or a run) to compare; without one, rules and code as they are now.",
            metavar="[CANDIDATE]",
        ),
    ] = None,
    settings: SetOption = None,
    max_games: Annotated[
        int | None,
        typer.Option(help="Games a side at which to give up; 1M unless told.", parser=parse_count, metavar="N"),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Compare all games exactly, not the first 50,000.")] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Make BASELINE what is now, and write down what moved.")
    ] = False,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            help="What does not matter: win_share=0.01, turns=0.02 (of the baseline's), unfinished=0.002, "
            "card=0.01 (of watched cards).",
            metavar="KEY=SHARE",
        ),
    ] = None,
    lineup: LineupOption = None,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Where the answer is kept; a new folder runs/check-NNN.", metavar="DIR")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML for a pipeline.", metavar="FILE")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether a change of rules or code changes the game: unchanged, changed (what, by how much), or too few games
    to tell.

    The exit code is 0 for unchanged, 1 for changed and 3 for undecided. Both sides are played on the same deals; what
    is small enough not to matter stands in the experiment's table [check].
    """
    from rsc_sim.baseline import open_baseline
    from rsc_sim.check import MAX_GAMES, find_candidate
    from rsc_sim.check import check as compare
    from rsc_sim.present_check import EXIT_CODES
    from rsc_sim.strategy import split_lineup

    if accept:
        _accept(
            baseline,
            candidate,
            settings=settings or [],
            margin=margin,
            jobs=jobs,
            backend=backend,
            as_json=as_json,
        )
        return
    there = open_baseline(baseline, lineup=split_lineup(lineup) if lineup else None, seed=seed)
    against, name = find_candidate(there, candidate, settings or [])
    margins = _margins(there, margin)
    with _progress() as on_progress:
        result = compare(
            there,
            against,
            name=name,
            margins=margins,
            max_games=max_games or MAX_GAMES,
            full=full,
            jobs=jobs,
            backend=backend,
            on_progress=on_progress,
        )
    words = ("rsc", "check", baseline, candidate)
    flags = {"lineup": lineup, "seed": seed, "max_games": max_games, "full": full}
    kept = _keep(result, out, junit, command_line(*words, set=settings, margin=margin, **flags))
    _show(result, kept, as_json)
    raise typer.Exit(EXIT_CODES[result.verdict])


def _margins(baseline: Baseline, given: list[str] | None) -> Margins:
    """Take the baseline's margins with those that flags give."""
    from pydantic import ValidationError

    from rsc_sim.errors import nearest
    from rsc_sim.experiment import Margins

    data: dict[str, Any] = baseline.experiment.margins.model_dump()
    shares = [key for key, value in data.items() if isinstance(value, float)]
    for text in given or []:
        key, equals, value = text.partition("=")
        if key not in shares or not equals:
            expected = ", ".join(f"{known}=SHARE" for known in shares)
            raise InputError(f"--margin {text}: expected {expected}{nearest(key, shares)}")
        try:
            data[key] = float(value)
            Margins(**data)
        except (ValueError, ValidationError):
            raise InputError(f"--margin {text}: expected a share above 0, at most 1, such as {key}=0.01") from None
    return Margins(**data)


def _keep(result: CheckResult, out: Path | None, junit: Path | None, command: str) -> Path:
    """Write the answer as JSON, with the command that asked, and as XML; and its picture where there is one to draw."""
    from rsc_sim.present_check import as_data, as_junit
    from rsc_sim.store import new_run_folder, write_file, write_json

    if out is None:
        out = new_run_folder(Path("runs"), "check")
    else:
        if out.exists() and not out.is_dir():
            raise InputError(f"{out}: a file; expected a folder for the answer")
        if (out / "manifest.json").exists():
            raise InputError(f"{out}: holds a run; choose another folder with --out")
        out.mkdir(parents=True, exist_ok=True)
    if result.trail:
        from rsc_sim.plots.check import check_trail
        from rsc_sim.plots.page import save

        (out / "plots").mkdir(exist_ok=True)
        save(check_trail(result), out / "plots", "check")
    write_file(out / "junit.xml", as_junit(result))
    write_json(out / "check.json", {**as_data(result), "command": command})
    if junit is not None:
        junit.parent.mkdir(parents=True, exist_ok=True)
        write_file(junit, as_junit(result))
    return out


def _show(result: CheckResult, kept: Path, as_json: bool) -> None:
    from rsc_sim.present_check import as_data, show_check

    if as_json:
        print(json.dumps({**as_data(result), "kept": str(kept)}))
        return
    from rsc_sim.console import open_console

    show_check(open_console(), result, f"Kept in {kept}; {result.seconds:.1f} s.")


def _accept(
    baseline: str,
    candidate: str | None,
    *,
    settings: list[str],
    margin: list[str] | None,
    jobs: int | None,
    backend: str,
    as_json: bool,
) -> None:
    """Renew a reference folder, or make one where there is none yet."""
    from rsc_sim.accept import accept
    from rsc_sim.baseline import open_baseline
    from rsc_sim.check import check as compare
    from rsc_sim.check import find_candidate

    folder = Path(baseline)
    result = None
    if (folder / "manifest.json").exists():
        there = open_baseline(baseline)
        if there.kind != "reference":
            raise InputError(
                f"{baseline}: a whole run, which stays as it was played; --accept renews a reference folder"
            )
        now, name = find_candidate(there, candidate, settings)
        result = compare(there, now, name=name, margins=_margins(there, margin), jobs=jobs, backend=backend)
    else:
        now = _new_reference(folder, candidate, settings)
    with _run_progress() as on_progress:
        run = accept(folder, now, result, jobs=jobs, backend=backend, on_progress=on_progress)
    if as_json:
        from rsc_sim.present_check import as_data

        told = None if result is None else as_data(result)
        print(json.dumps({"folder": str(folder), "outcome_digest": run.outcome_digest, "moved": told}))
        return
    if result is not None:
        from rsc_sim.console import open_console
        from rsc_sim.present_check import show_check

        show_check(open_console(), result)
    moved = "nothing moved" if result is not None and result.level == "exact" else f"what moved: {folder / 'moved.md'}"
    print(f"{folder} holds {run.outcome_digest[:12]} now; {moved}")


def _new_reference(folder: Path, candidate: str | None, settings: list[str]) -> ResolvedExperiment:
    """Find the experiment of a reference that is made for the first time: the candidate, or the one of that name."""
    from rsc_sim.experiment import Experiment, bundled, parse_settings

    if candidate is None and folder.name not in bundled():
        raise InputError(
            f"{folder}: nothing there yet; name the experiment that it is to keep, as in rsc check {folder} mine.toml "
            f"--accept, or one of {', '.join(sorted(bundled()))}"
        )
    described = Experiment.load(candidate or folder.name)
    return (described.changed(**parse_settings(settings)) if settings else described).resolve()


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None] | None]:
    """Show how far a check is, on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rsc_sim.progress import open_bar

    with open_bar("playing ...") as update:

        def show(state: Progress) -> None:
            pace = state.n_games / state.seconds if state.seconds > 0 else 0.0
            text = (
                f"{state.n_games:,} of at most {state.most:,} games, {pace:,.0f}/s; "
                f"{state.decided} of {state.figures} figures decided"
            )
            update(state.n_games, state.most, text)

        yield show


def _run_progress() -> Any:
    from rsc_sim.cli_common import progress

    return progress()
