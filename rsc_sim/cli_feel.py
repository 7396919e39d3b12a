"""The command `rsc feel`: what the game is like to play, and how much of it is luck.

Arguments in, one call into `feel`, and out again by `present_feel`; what is heavy is imported where it is needed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from rsc_sim.cli_common import (
    BackendOption,
    ExperimentArgument,
    GamesOption,
    JobsOption,
    JsonOption,
    LineupOption,
    RulesOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    experiment_from,
    fixed_games,
)

__all__ = ["mount"]

_DRAWN_FROM = 1_000
"""Games from which on a study is drawn: with fewer there is little to see."""


def mount(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command(epilog="Example: rsc feel baseline --games 20k --seconds-per-turn 30")(feel)


def feel(  # noqa: PLR0917
    experiment: ExperimentArgument = None,
    lineup: LineupOption = None,
    rules: RulesOption = None,
    settings: SetOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    seconds_per_turn: Annotated[
        float | None,
        typer.Option(
            help="How long a turn takes at the table, for minutes a game; the experiment's [report] says unless told.",
            metavar="S",
            show_default=False,
        ),
    ] = None,
    luck: Annotated[
        bool, typer.Option("--luck/--no-luck", help="Also play with one source of luck changed at a time.")
    ] = True,
    jobs: JobsOption = None,
    backend: BackendOption = "auto",
    scheduler: SchedulerOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the study goes; a new folder runs/feel-NAME-NNN.", metavar="DIR")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell what the game is like to play: leads, comebacks, what one does to others, what there is to choose, and luck.

    Up to 100,000 of the experiment's games are watched. Then deals are played again with one source of luck changed
    at a time: the hands, the order of the pick-up pile, reshuffles, random picks, the strategies' own dice.
    """
    from rsc_sim.cluster import address_of
    from rsc_sim.feel import WHAT, study_feel
    from rsc_sim.progress import steps_bar
    from rsc_sim.store import new_run_folder
    from rsc_sim.study import check_folder

    described = experiment_from(experiment, lineup=lineup, rules=rules, settings=settings, games=games, seed=seed)
    resolved = fixed_games(described, "feel").resolve()
    backend = address_of(backend, scheduler)
    if out is not None:
        check_folder(out, WHAT)
    with steps_bar() as on_progress:
        study = study_feel(
            resolved, seconds_per_turn=seconds_per_turn, luck=luck, jobs=jobs, backend=backend, on_progress=on_progress
        )
    if out is None:
        out = new_run_folder(Path("runs"), f"feel-{resolved.name}")
    study.write(out)
    pictures = []
    if study.feel.n_games >= _DRAWN_FROM:
        from rsc_sim.plots.feel import write_feel

        pictures = write_feel(study, out / "plots")
    if as_json:
        print(json.dumps({"study": str(out), "plots": [str(path) for path in pictures], **study.to_dict()}))
    else:
        from rsc_sim.console import open_console
        from rsc_sim.present_feel import show_feel

        show_feel(open_console(), study, out, pictures)
