"""`rsc train`: fits the weights of a strategy to a field of opponents."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rsc_sim.cli_common import (
    GamesOption,
    JobsOption,
    JsonOption,
    RulesOption,
    SeedOption,
    SetOption,
    command_line,
    experiment_from,
)
from rsc_sim.errors import InputError

if TYPE_CHECKING:
    from rsc_sim.train import Asked, State, Trained

__all__ = ["mount"]

GAMES = 2_000
"""Games of a candidate against a field in a generation, unless told."""


def mount(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command(epilog="Example: rsc train mine --against raider,hoarder --generations 50")(train)


def train(  # noqa: PLR0917
    name: Annotated[str, typer.Argument(help="What the strategy is to be called.", metavar="NAME")],
    against: Annotated[
        str,
        typer.Option(
            help="Fields of opponents: strategies by commas, each filling a table of its own; a+b+c names all "
            "opponents of one table.",
            metavar="FIELD",
        ),
    ],
    seats: Annotated[int, typer.Option(help="Seats of a table.", min=2, max=8, metavar="K")] = 4,
    rules: RulesOption = None,
    settings: SetOption = None,
    games: GamesOption = None,
    generations: Annotated[int, typer.Option(help="How many generations.", min=1, metavar="N")] = 200,
    population: Annotated[int, typer.Option(help="Candidates of a generation.", min=4, metavar="N")] = 20,
    step: Annotated[
        float, typer.Option(help="How far the first candidates spread, in weights.", min=0.0001, max=100, metavar="S")
    ] = 0.5,
    start: Annotated[
        str | None,
        typer.Option(
            help="Weights to start from: a name such as `tuned`, or a .toml; unless told, the leans of "
            "docs/features.md.",
            metavar="WEIGHTS",
        ),
    ] = None,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Where it goes; a new folder runs/train-NAME-NNN.", metavar="DIR")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the training in --out.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Fit the weights of a strategy so that it wins most games against a field of opponents.

    --games is what each candidate of a generation plays against each field, 2,000 unless told. The folder gets
    NAME.toml, which a spec can name (`rsc run --lineup runs/train-mine-001/mine.toml,raider,raider,raider`), and the
    learning curve on deals that were not trained on. Ctrl-C stops it (exit code 130); --resume with the same options
    goes on, --generations may then be more.
    """
    from rsc_sim.train import needed
    from rsc_sim.train import train as fit

    needed()
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise InputError(f"{name!r}: expected a name of letters, digits, _ and -, such as mine")
    if resume and out is None:
        raise InputError("--resume: expected --out with the folder of the training to go on with")
    for text in settings or ():
        key = text.partition("=")[0].strip()
        if key in {"seats", "lineup", "intervention", "games", "seed"}:
            raise InputError(f"--set {key}: a training seats and deals itself; see --seats, --games and --seed")
    asked = _asked(
        name,
        against,
        seats=seats,
        rules=rules,
        settings=settings,
        games=games or GAMES,
        population=population,
        step=step,
        start=start,
        seed=seed,
    )
    if out is None:
        from rsc_sim.store import new_run_folder

        out = new_run_folder(Path("runs"), f"train-{name}")
    command = _command(asked, against, generations=generations, rules=rules, settings=settings, start=start)
    with _progress() as on_generation:
        trained = fit(asked, generations, out, command=command, resume=resume, jobs=jobs, on_generation=on_generation)
    pictures = _draw(trained)
    if as_json:
        print(json.dumps({**trained.to_dict(), "plots": [str(path) for path in pictures]}))
    else:
        _show(trained, pictures)


def _asked(
    name: str,
    against: str,
    *,
    seats: int,
    rules: str | None,
    settings: list[str] | None,
    games: int,
    population: int,
    step: float,
    start: str | None,
    seed: int | None,
) -> Asked:
    from rsc_sim.train import Asked, fields_of, start_from

    fields = fields_of(against, seats=seats)
    described = experiment_from(None, rules=rules, settings=settings, games=games, seed=seed)
    resolved = described.changed(lineup=("random",) * seats, seats=seats).resolve()
    more = {} if start is None else start_from(start)
    return Asked.of(
        name,
        fields,
        rules=resolved.ruleset,
        seed=resolved.seed,
        games=games,
        population=population,
        step=step,
        **more,
    )


def _command(
    asked: Asked,
    against: str,
    *,
    generations: int,
    rules: str | None,
    settings: list[str] | None,
    start: str | None,
) -> str:
    """Word the command that trains the same again, with every figure that counts."""
    return command_line(
        "rsc",
        "train",
        asked.name,
        against=against.replace(" ", ""),
        seats=asked.seats if asked.seats != 4 else None,
        rules=rules,
        set=settings,
        games=asked.games,
        generations=generations,
        population=asked.population,
        step=f"{asked.step:g}",
        start=start,
        seed=asked.seed,
    )


@contextmanager
def _progress() -> Iterator[Callable[[State, int], None] | None]:
    """Show how far the training is, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    from rsc_sim.progress import open_bar, time_left

    with open_bar("playing ...") as update:
        began, first = 0.0, -1

        def show(state: State, generations: int) -> None:
            nonlocal began, first
            done = state.generation
            if first < 0:  # of this sitting: what a resumed training had done already takes no time
                began, first = time.monotonic(), done
            passed = time.monotonic() - began
            left = f", {time_left(passed * (generations - done) / (done - first))} left" if done > first else ""
            shares = ", ".join(f"{estimate.value:.1%}" for estimate in state.curve[-1].fields)
            text = f"generation {done} of {generations}{left}; at {state.curve[-1].generation}: {shares}"
            update(done, generations, text)

        yield show


def _draw(trained: Trained) -> list[Path]:
    from rsc_sim.plots.training import write_curve
    from rsc_sim.train import named

    asked = trained.state.asked
    fields = [named(opponents) for opponents in asked.against]
    return write_curve(asked.name, fields, trained.state.curve, trained.folder, seats=asked.seats)


def _show(trained: Trained, pictures: list[Path]) -> None:
    from rsc_sim.console import columns, line, open_console, paragraph
    from rsc_sim.findings import counted
    from rsc_sim.findings_train import curve_finding, lost_against
    from rsc_sim.train import named

    console = open_console()
    asked, first, last = trained.state.asked, trained.state.curve[0], trained.state.curve[-1]
    n = last.fields[0].n_blocks * asked.seats
    generations, fields = counted(trained.state.generation, "generation"), [named(each) for each in asked.against]
    line(console, f"{asked.name}: {generations} against {counted(len(fields), 'field')}", "bold")
    line(console, "")
    line(console, f"Games won, one seat against {asked.seats - 1}, on {n:,} games a field that were not trained on:")
    rows = [("field", "before", "after", "95 % range")]
    for name, before, after in zip(fields, first.fields, last.fields, strict=True):
        between = f"{after.low:.1%} to {after.high:.1%}"
        rows.append((name, f"{before.value:.1%}", f"{after.value:.1%}", between))
    width = min(40, max(len(row[0]) for row in rows))
    columns(console, rows, (width, 7, 7, 16), right=(1, 2))
    line(console, "")
    paragraph(console, f"{curve_finding(asked.name, fields, trained.state.curve, seats=asked.seats)}.")
    if lost_against(trained.state.curve):
        paragraph(console, "More --games tell candidates apart better; --resume with more --generations goes on.")
    line(console, "")
    line(console, f"Weights  {trained.file}")
    for path in pictures:
        line(console, f"Picture  {path}")
