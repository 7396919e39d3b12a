"""The command `rsc cards`: what each card goes with, and what it does.

Arguments in, one call into `cards`, and out again by `present_cards`; what is heavy is imported where it is needed.
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
    app.command(epilog="Example: rsc cards baseline --games 20k --set cards.escape_ticket.copies=3")(cards)


def cards(  # noqa: PLR0917
    experiment: ExperimentArgument = None,
    lineup: LineupOption = None,
    rules: RulesOption = None,
    settings: SetOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = "auto",
    scheduler: SchedulerOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the study goes; a new folder runs/cards-NAME-NNN.", metavar="DIR")
    ] = None,
    copies: Annotated[
        bool,
        typer.Option("--copies/--no-copies", help="Also play decks with a copy more and a copy less of each kind."),
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Tell what each card does: what having it changes, beside what goes with it.

    From sampled moments at which a card is dealt or drawn, games are played to their end with every other kind in its
    place, on the same deal: what then differs is the card's doing. Beside it stand the win rates of games left alone,
    and where the two disagree the reason is told.
    """
    from rsc_sim.cards import WHAT, study_cards
    from rsc_sim.cluster import address_of
    from rsc_sim.progress import steps_bar
    from rsc_sim.store import new_run_folder
    from rsc_sim.study import check_folder

    described = experiment_from(experiment, lineup=lineup, rules=rules, settings=settings, games=games, seed=seed)
    resolved = fixed_games(described, "cards").resolve()
    backend = address_of(backend, scheduler)
    if out is not None:
        check_folder(out, WHAT)
    with steps_bar() as on_progress:
        study = study_cards(resolved, jobs=jobs, backend=backend, copies=copies, on_progress=on_progress)
    if out is None:
        out = new_run_folder(Path("runs"), f"cards-{resolved.name}")
    study.write(out)
    pictures = []
    if resolved.n_games >= _DRAWN_FROM:
        from rsc_sim.plots.impact import write_impact

        pictures = write_impact(study, out / "plots")
    if as_json:
        print(json.dumps({"study": str(out), "plots": [str(path) for path in pictures], **study.to_dict()}))
    else:
        from rsc_sim.console import open_console
        from rsc_sim.present_cards import show_cards

        show_cards(open_console(), study, out, pictures)
