"""The command line: arguments in, one call into a room, an exit code out.

Every command has `--help` with an example and `--json` for machines. Errors that rsc-sim explains are printed as they
are, `rsc: ...`, with the exit code they carry; whatever else goes wrong is our fault and says so. What is heavy is
imported inside the commands, so that `rsc --help` answers at once.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsc_sim import (
    __version__,
    cli_cards,
    cli_check,
    cli_compare,
    cli_feel,
    cli_report,
    cli_rules,
    cli_sweep,
    cli_train,
)
from rsc_sim.cli_common import (
    BackendOption,
    ExperimentArgument,
    GamesOption,
    JobsOption,
    JsonOption,
    LineupOption,
    OutOption,
    PrecisionOption,
    ResumeOption,
    RulesOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    experiment_from,
    progress,
)
from rsc_sim.errors import EnvironmentFailure, InputError, RscError
from rsc_sim.streams import ready_streams

if TYPE_CHECKING:
    from rsc_sim.experiment import Experiment, ResolvedExperiment
    from rsc_sim.run import Run
    from rsc_sim.summary import Summary

__all__ = ["app", "main"]

UNEXPECTED = 70
INTERRUPTED = 130
DRAWN_FROM = 10_000
"""Games from which on a run is drawn: loading matplotlib and drawing take some 3 s, playing 1,000 games 1 s."""
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.EIO}

app = typer.Typer(
    name="rsc",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Play the card game Read Sir Chaos by the hundred thousand and see whether it is balanced.",
    epilog="Example: rsc run --games 10k",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rsc {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command(epilog="Example: rsc run --lineup collector,random --games 100k --set escape_threshold=800")
def run(  # noqa: PLR0917
    experiment: ExperimentArgument = None,
    lineup: LineupOption = None,
    rules: RulesOption = None,
    settings: SetOption = None,
    games: GamesOption = None,
    precision: PrecisionOption = None,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = "auto",
    scheduler: SchedulerOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    as_json: JsonOption = False,
    leaves_per_part: Annotated[int | None, typer.Option(hidden=True, min=1)] = None,
) -> None:
    """Play an experiment, keep every game, and sum up who wins, how long it lasts and how it ends.

    The run directory also gets pictures of it, in `plots`, when 10,000 games or more were played: fewer are answered in
    less time than drawing takes.
    """
    from rsc_sim.cluster import address_of, connect, is_address
    from rsc_sim.play import run_experiment
    from rsc_sim.run import Run

    changes: dict[str, Any] = {"lineup": lineup, "rules": rules, "settings": settings, "games": games, "seed": seed}
    changes["precision"] = precision
    changed = any(value is not None for value in changes.values())
    was_complete = False
    if resume:
        if out is None:
            raise InputError("--resume: expected --out with the run directory to go on with")
        earlier = Run.open(out)
        resolved = _once(experiment_from(experiment, **changes)) if experiment or changed else earlier.asked
        was_complete = earlier.complete
    else:
        resolved = _once(experiment_from(experiment, **changes))
    backend = address_of(backend, scheduler)
    if is_address(backend):
        connect(backend)  # before there is a folder: nothing is to be left of a run that could not begin
    if out is None:
        from rsc_sim.store import new_run_folder

        out = new_run_folder(Path("runs"), resolved.name)
    with progress(as_json=as_json) as on_progress:
        played, summary = run_experiment(
            resolved,
            jobs=jobs,
            backend=backend,
            out=out,
            resume=resume,
            on_progress=on_progress,
            leaves_per_part=leaves_per_part,
        )
    if jobs is not None and played.manifest["jobs"] < jobs and not was_complete:
        print(f"rsc: {played.manifest['jobs']} jobs instead of {jobs}: more would take memory only", file=sys.stderr)
    if played.mended:
        print(f"rsc: {out}: damaged or lost, and made again: {', '.join(played.mended)}", file=sys.stderr)
    elif was_complete:
        print(f"rsc: {out}: that run is complete and whole, there is nothing left to play", file=sys.stderr)
    if experiment and not changed:
        _compare_with(experiment, played)
    _tell(played, summary, as_json=as_json)


@app.command(epilog="Example: rsc replay runs/baseline-001 --game 81234")
def replay(
    directory: Annotated[Path, typer.Argument(help="The run directory.", metavar="RUN")],
    game: Annotated[int, typer.Option(help="The game's number, from 0.", min=0, metavar="N")],
    as_json: JsonOption = False,
) -> None:
    """Tell one game of a run in words, move by move, hidden cards included, and check that it came out as recorded."""
    from rsc_sim.narrate import narrate, replay_game
    from rsc_sim.run import Run

    played = Run.open(directory)
    replayed = replay_game(played, game)
    if as_json:
        for event in replayed.events:
            print(json.dumps(event._asdict()))
        print(json.dumps({"outcome": replayed.row, "checked": replayed.checked}))
    else:
        for line in narrate(replayed, played.experiment):
            print(line)
    if replayed.failure is not None:
        raise replayed.failure


cli_cards.mount(app)
cli_check.mount(app)
cli_rules.mount(app)
cli_compare.mount(app)
cli_feel.mount(app)
cli_sweep.mount(app)
cli_train.mount(app)
cli_report.mount(app)


def main(arguments: list[str] | None = None) -> int:
    """Run the program, with the process's arguments unless told otherwise, and return its exit code."""
    ready_streams()
    try:
        try:
            # Not `app()`: its own handling of Ctrl-C and closed pipes ends the process before ours is heard.
            command = typer.main.get_command(app)
            with command.make_context("rsc", list(sys.argv[1:] if arguments is None else arguments)) as context:
                command.invoke(context)
            sys.stdout.flush()
        except typer.Exit as end:
            sys.stdout.flush()
            return end.exit_code
        except BrokenPipeError:
            raise
        except Exception as error:
            return _explain(error)
        return 0
    except BrokenPipeError:  # whoever read our output has seen enough
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)


def _explain(error: Exception) -> int:
    """Print what went wrong and return the exit code for it."""
    code = UNEXPECTED
    if isinstance(error, RscError):
        code, message = error.exit_code, str(error)
    elif hasattr(error, "format_message"):  # a usage error, of whichever click this typer comes with
        code, message = InputError.exit_code, _usage(error)
    elif isinstance(error, MemoryError):
        code, message = EnvironmentFailure.exit_code, "out of memory; fewer --jobs need less"
    elif type(error).__module__.startswith("polars."):  # what it cannot read, after a run was written whole
        code = EnvironmentFailure.exit_code
        message = f"a file of the run cannot be read, it is damaged or not ours: {str(error).splitlines()[0]}"
    elif isinstance(error, OSError) and error.errno in _DISK:
        code, message = EnvironmentFailure.exit_code, f"{error.filename or 'disk'}: {error.strerror}"
    else:
        message = _unexpected(error)
    return _say(message, code) if message else code


def _say(message: str, code: int) -> int:
    print(f"rsc: {message}", file=sys.stderr)
    return code


def _usage(error: Any) -> str:
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.format_message())
        return ""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "rsc"
    return f"{_one_line(error.format_message())}\n     see: {command} --help"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _unexpected(error: Exception) -> str:
    how = "; RSC_DEBUG=1 in the environment shows where"
    if os.environ.get("RSC_DEBUG"):
        traceback.print_exception(error)
        how = ""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" ({Path(last[0].filename).name}, line {last[0].lineno})" if last else ""
    return f"unexpected error, our fault: {type(error).__name__}: {_one_line(str(error))}{where}{how}"


def _once(experiment: Experiment) -> ResolvedExperiment:
    """Resolve an experiment to be played once; of a sweep that is the point from which it starts, and is said."""
    if experiment.sweep is not None:
        print(
            f"rsc: {experiment.name} is a sweep; this plays it once, as it stands. All its points: "
            f"rsc sweep {experiment.name}",
            file=sys.stderr,
        )
    return experiment.resolve()


def _compare_with(source: str, run: Run) -> None:
    """Say whether a run that was played again from its record came out the same."""
    path = Path(source)
    file = path / "manifest.json" if path.is_dir() else path
    if file.suffix != ".json" or not file.is_file() or not run.complete:
        return
    there = json.loads(file.read_bytes())
    if there.get("outcome_digest") is None:
        return
    if there["outcome_digest"] == run.outcome_digest:
        print(f"rsc: the same games as in {file.parent}, to the last card", file=sys.stderr)
    else:
        made_by = there.get("versions", {}).get("rsc_sim", "unknown")
        print(
            f"rsc: NOT the same games as in {file.parent} (digest {there['outcome_digest'][:12]} there, made by "
            f"rsc-sim {made_by}; this is {__version__})",
            file=sys.stderr,
        )


def _tell(run: Run, summary: Summary | None, *, as_json: bool) -> None:
    """Draw and print what a run found, as far as it was recorded."""
    from rsc_sim.summary import tallied_figures

    pictures = _draw(run)
    if as_json:
        figures = {
            "run": str(run.path),
            "outcome_digest": run.outcome_digest,
            "n_games": run.experiment.n_games,
            "games_asked": run.experiment.games_asked,
            "precision": run.manifest.get("precision"),
            "games_per_second": run.manifest["games_per_second"],
            "figures": tallied_figures(run) if summary is None else summary.to_dict(),
            "plots": [str(path) for path in pictures],
        }
        print(json.dumps(figures))
        return
    from rsc_sim.console import open_console
    from rsc_sim.present import show_bare, show_run

    if summary is None:
        show_bare(open_console(), run)
    else:
        show_run(open_console(), run, summary, pictures)


def _draw(run: Run) -> list[Path]:
    """Draw the pictures of a run into its directory, if it is large enough to wait for them; return their files."""
    if run.path is None or len(run) < DRAWN_FROM or "games" not in run.recorded:
        return []
    from rsc_sim.plots import write_all

    return write_all(run, run.path / "plots")
