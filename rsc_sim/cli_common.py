"""What the commands share: their options, numbers as people write them, an experiment from flags, progress.

A command takes `games: GamesOption = None` among its arguments and hands what came to `experiment_from`, so that an
option means the same wherever it is. What is heavy is imported inside the functions, so that `--help` answers at once.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsc_sim.errors import InputError

if TYPE_CHECKING:
    from rsc_sim.experiment import Experiment

__all__ = [
    "BackendOption",
    "ExperimentArgument",
    "GamesOption",
    "JobsOption",
    "JsonOption",
    "LineupOption",
    "OutOption",
    "PrecisionOption",
    "ResumeOption",
    "RulesOption",
    "SchedulerOption",
    "SeedOption",
    "SetOption",
    "command_line",
    "experiment_from",
    "fixed_games",
    "parse_count",
    "parse_points",
    "progress",
]


def parse_count(text: str) -> int:
    """Read a number of games as people write it.

    >>> [parse_count(text) for text in ("1_000_000", "1e6", "100k", "1.5M", "20,000")]
    [1000000, 1000000, 100000, 1500000, 20000]
    """
    from rsc_sim.experiment_text import parse_games

    try:
        return parse_games(text)
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


ExperimentArgument = Annotated[
    str | None,
    typer.Argument(
        help="A bundled experiment, a .toml file, or a run to play again; without one, `baseline`.",
        metavar="EXPERIMENT",
    ),
]
LineupOption = Annotated[
    str | None, typer.Option(help="A strategy for each seat.", metavar="A,B,C,D", show_default=False)
]
RulesOption = Annotated[str | None, typer.Option(help="A ruleset file, a deck (.csv), or `booklet`.", metavar="FILE")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Change a figure of the rules (hand_size, cards.mug.copies …) or of the experiment (seats, games, lineup, "
        "seed …); may be given again.",
        metavar="KEY=VALUE",
    ),
]
GamesOption = Annotated[
    int | None,
    typer.Option(help="How many games: 1000, 100k, 1e6. Rounded up to whole deals.", parser=parse_count, metavar="N"),
]
SeedOption = Annotated[
    int | None, typer.Option(help="Which random games: any number below 2^64; 1 unless told.", metavar="S")
]
JobsOption = Annotated[
    int | None, typer.Option(help="How many play at once; as many as processors.", min=1, metavar="J")
]
BackendOption = Annotated[
    str,
    typer.Option(
        help="What jobs are: `threading`, processes with `loky`, other machines with `dask`; results are the same.",
        metavar="auto|threading|loky|dask",
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        help="The Dask scheduler whose workers play, such as tcp://10.0.0.5:8786; DASK_SCHEDULER_ADDRESS unless told.",
        metavar="ADDRESS",
        show_default=False,
    ),
]
PrecisionOption = Annotated[
    str | None,
    typer.Option(
        help="Play until every win share is known to ± this, such as 0.2pp (percentage points); --games is the most.",
        metavar="P",
        show_default=False,
    ),
]
OutOption = Annotated[Path | None, typer.Option(help="Where the run goes; a new folder runs/NAME-NNN.", metavar="DIR")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on with the unfinished run in --out.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines instead of text.")]


def parse_points(text: str) -> float:
    """Read a share, or percentage points as people write them.

    >>> [parse_points(text) for text in ("0.2pp", "0.2 pp", "0.2%", "0.002")]
    [0.002, 0.002, 0.002, 0.002]
    """
    match = re.fullmatch(r"(\d*\.?\d+)\s*(pp|%)?", text.strip())
    share = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < share < 1:
        raise InputError(
            f"precision: expected percentage points such as 0.2pp, or a share such as 0.002, came {text!r}"
        )
    return round(share, 12)


def experiment_from(
    experiment: str | None,
    *,
    lineup: str | None = None,
    rules: str | None = None,
    settings: list[str] | None = None,
    games: int | None = None,
    seed: int | None = None,
    precision: str | None = None,
) -> Experiment:
    """Load an experiment, `baseline` where none is named, and change what flags say; `.resolve()` comes next."""
    from rsc_sim.experiment import Experiment, parse_settings
    from rsc_sim.strategy import split_lineup

    flags: dict[str, Any] = {"games": games, "seed": seed, "rules": rules, "lineup": lineup}
    flags = {name: value for name, value in flags.items() if value is not None}
    if lineup is not None:
        flags["lineup"] = split_lineup(lineup)
    if precision is not None:
        flags["precision"] = {"win_share": parse_points(precision)}
    if rules is not None:
        flags["folder"] = Path()  # a path in a flag starts here, not beside the experiment's file
    changes = parse_settings(settings or ())
    if twice := sorted(flags.keys() & changes.keys() - {"folder"}):
        raise InputError(f"{twice[0]}: given twice, by --{twice[0]} and by --set {twice[0]}=; expected it once")
    changes |= flags
    if changes.keys() & {"lineup", "rules", "overrides", "seats", "intervention"}:
        changes.setdefault("description", "")  # it tells of the experiment as it is in its file
    described = Experiment.load(experiment or "baseline")
    return described.changed(**changes) if changes else described


def command_line(*words: str | None, **flags: object) -> str:
    """Word a command so that a shell takes it, with a flag for each value that is there, and for each of a list.

    >>> command_line("rsc", "check", "base", None, set=["seats=4", "name=a b"], max_games=None, seed=0, full=True)
    "rsc check base --set seats=4 --set 'name=a b' --seed 0 --full"
    """
    told = [word for word in words if word is not None]
    for name, value in flags.items():
        flag = f"--{name.replace('_', '-')}"
        for each in value if isinstance(value, list | tuple) else (value,):
            if each is not None and each is not False:
                told += [flag] if each is True else [flag, str(each)]
    return shlex.join(told)


def fixed_games(experiment: Experiment, command: str) -> Experiment:
    """Leave out a precision target where a command has no use for one, and say so."""
    if experiment.precision is None:
        return experiment
    print(
        f"rsc: {experiment.name}: precision: only rsc run and rsc sweep end by it; rsc {command} plays as many games "
        f"as it needs, or --games, here {experiment.games:,}",
        file=sys.stderr,
    )
    return experiment.changed(precision=None)


def progress(*, as_json: bool = False) -> Any:
    """Show how far a run is, on a terminal; write lines of JSON beside `--json`; else give no callback.

    A context manager. The lines go to the error stream, so that standard output holds the one object that it promises;
    and so does what strategies print meanwhile.
    """
    if as_json:
        from rsc_sim.progress import progress_lines

        return _aside(progress_lines())
    if not sys.stderr.isatty():
        return nullcontext(None)
    from rsc_sim.progress import progress_bar

    return progress_bar()


@contextmanager
def _aside(lines: AbstractContextManager[Any]) -> Iterator[Any]:
    with redirect_stdout(sys.stderr), lines as on_progress:
        yield on_progress
