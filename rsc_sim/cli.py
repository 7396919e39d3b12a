"""The command line: arguments in, one call into a room, an exit code out.

Every command has `--help` with an example and `--json` for machines. Errors that rsc-sim explains are printed as they
are, `rsc: ...`, with the exit code they carry; whatever else goes wrong is our fault and says so. What is heavy is
imported inside the commands, so that `rsc --help` answers at once.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsc_sim import __version__, cli_rules
from rsc_sim.errors import EnvironmentFailure, InputError, RscError

if TYPE_CHECKING:
    from rsc_sim.experiment import ResolvedExperiment
    from rsc_sim.run import Run

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


def parse_count(text: str) -> int:
    """Read a number of games as people write it.

    >>> [parse_count(text) for text in ("1_000_000", "1e6", "100k", "1.5M", "20,000")]
    [1000000, 1000000, 100000, 1500000, 20000]
    """
    match = re.fullmatch(r"(\d[\d_,]*(?:\.\d+)?(?:e\d{1,2})?)([kKmM]?)", text.strip())
    number = 0.0
    if match:
        number = (
            float(match[1].replace("_", "").replace(",", "")) * {"": 1, "k": 1_000, "m": 1_000_000}[match[2].lower()]
        )
    if number < 1 or number != int(number):
        raise typer.BadParameter(f"expected a whole number of games such as 1000, 100k or 1e6, came {text!r}")
    return int(number)


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


_JSON = typer.Option("--json", help="Print one JSON object for machines instead of text.")


@app.command(epilog="Example: rsc run --lineup collector,random --games 100k --set escape_threshold=800")
def run(  # noqa: PLR0917
    experiment: Annotated[
        str | None,
        typer.Argument(help="A bundled experiment or a .toml file; without one, `baseline`.", metavar="EXPERIMENT"),
    ] = None,
    lineup: Annotated[
        str | None, typer.Option(help="A strategy for each seat.", metavar="A,B,C,D", show_default=False)
    ] = None,
    rules: Annotated[
        str | None, typer.Option(help="A ruleset file, a deck (.csv), or `booklet`.", metavar="FILE")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a figure of the rules; may be given again.", metavar="KEY=VALUE"),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="How many games: 1000, 100k, 1e6. Rounded up to whole deals.", parser=parse_count, metavar="N"
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Which random games: any number below 2^64; 1 unless told.", metavar="S")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="How many play at once; as many as processors.", min=1, metavar="J")
    ] = None,
    backend: Annotated[
        str,
        typer.Option(
            help="What jobs are: `threading`, or processes with `loky`; results are the same.",
            metavar="auto|threading|loky",
        ),
    ] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Where the run goes; a new folder runs/NAME-NNN.", metavar="DIR")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the unfinished run in --out.")] = False,
    as_json: Annotated[bool, _JSON] = False,
    leaves_per_part: Annotated[int | None, typer.Option(hidden=True, min=1)] = None,
) -> None:
    """Play an experiment, keep every game, and sum up who wins, how long it lasts and how it ends.

    The run directory also gets pictures of it, in `plots`, when 10,000 games or more were played: fewer are answered in
    less time than drawing takes.
    """
    from rsc_sim.play import run_experiment
    from rsc_sim.run import Run

    changes = {"lineup": lineup, "rules": rules, "settings": settings, "games": games, "seed": seed}
    changes = {name: value for name, value in changes.items() if value is not None}
    if resume:
        if out is None:
            raise InputError("--resume: expected --out with the run directory to go on with")
        earlier = Run.open(out)
        resolved = _experiment(experiment, changes) if experiment or changes else earlier.experiment
        if earlier.complete:
            print(f"rsc: {out}: that run is complete, there is nothing left to play", file=sys.stderr)
    else:
        resolved = _experiment(experiment, changes)
    if out is None:
        from rsc_sim.store import new_run_folder

        out = new_run_folder(Path("runs"), resolved.name)
    with _progress() as on_progress:
        played, summary = run_experiment(
            resolved,
            jobs=jobs,
            backend=backend,
            out=out,
            resume=resume,
            on_progress=on_progress,
            leaves_per_part=leaves_per_part,
        )
    pictures = _draw(played)
    if as_json:
        figures = {
            "run": str(played.path),
            "outcome_digest": played.outcome_digest,
            "n_games": played.experiment.n_games,
            "games_asked": played.experiment.games_asked,
            "games_per_second": played.manifest["games_per_second"],
            "figures": summary.to_dict(),
            "plots": [str(path) for path in pictures],
        }
        print(json.dumps(figures))
    else:
        from rsc_sim.console import open_console
        from rsc_sim.present import show_run

        show_run(open_console(), played, summary, pictures)


@app.command(epilog="Example: rsc replay runs/baseline-001 --game 81234")
def replay(
    directory: Annotated[Path, typer.Argument(help="The run directory.", metavar="RUN")],
    game: Annotated[int, typer.Option(help="The game's number, from 0.", min=0, metavar="N")],
    as_json: Annotated[bool, _JSON] = False,
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


cli_rules.mount(app)


def main(arguments: list[str] | None = None) -> int:
    """Run the program, with the process's arguments unless told otherwise, and return its exit code."""
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


def _experiment(experiment: str | None, changes: dict[str, Any]) -> ResolvedExperiment:
    """Load an experiment, `baseline` where none is named, and change what flags say."""
    from rsc_sim.experiment import Experiment
    from rsc_sim.ruleset import parse_setting
    from rsc_sim.strategy import split_lineup

    described = Experiment.load(experiment or "baseline")
    if "lineup" in changes:
        changes["lineup"] = split_lineup(changes["lineup"])
    if "rules" in changes:
        changes["folder"] = Path()  # a path in a flag starts here, not beside the experiment's file
    if "settings" in changes:
        changes["overrides"] = dict(parse_setting(text) for text in changes.pop("settings"))
    if changes.keys() & {"lineup", "rules", "overrides"}:
        changes["description"] = ""  # it tells of the experiment as it is in its file
    return (described.changed(**changes) if changes else described).resolve()


def _draw(run: Run) -> list[Path]:
    """Draw the pictures of a run into its directory, if it is large enough to wait for them; return their files."""
    if run.path is None or len(run) < DRAWN_FROM:
        return []
    from rsc_sim.plots import write_all

    return write_all(run, run.path / "plots")


def _progress() -> Any:
    """Show how far a run is, on a terminal; give no callback where the output is piped."""
    from contextlib import nullcontext

    if not sys.stderr.isatty():
        return nullcontext(None)
    from rsc_sim.progress import progress_bar

    return progress_bar()
