"""`rsc compare`: which of some strategies is the strongest, and whether there is an order of them at all."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from rsc_sim.cli_common import (
    BackendOption,
    GamesOption,
    JobsOption,
    JsonOption,
    RulesOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    experiment_from,
    progress,
)
from rsc_sim.errors import InputError

__all__ = ["mount"]

DRAWN_FROM = 2_000
"""Games from which on a comparison is drawn: loading matplotlib and drawing take some 3 s."""
_SEATS = 4


def mount(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command(epilog="Example: rsc compare random collector rusher raider guardian --games 200k")(compare)


def compare(  # noqa: PLR0917
    strategies: Annotated[
        list[str] | None,
        typer.Argument(
            help="Two strategies or more: names, or specs as `rsc strategies` tells.", metavar="STRATEGY..."
        ),
    ] = None,
    seats: Annotated[
        int | None, typer.Option(help="Seats of each table; 4 unless told.", min=2, max=8, metavar="K")
    ] = None,
    rules: RulesOption = None,
    settings: SetOption = None,
    games: GamesOption = None,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = "auto",
    scheduler: SchedulerOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Where it goes; a new folder runs/compare-NNN.", metavar="DIR")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the unfinished comparison in --out.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Let strategies play each other, all with all, and rate them.

    Every group of K strategies plays as a table, on many deals, each with every seating; of fewer than K, every group
    that has each of them on one seat or more. --games counts them all. What is said: who wins how much, against whom,
    ratings with ranges, whether places matter, and whether the ratings tell who wins at every table. The folder gets
    the figures, `compare.json`, and pictures when 2,000 games or more were played.

    Ctrl-C stops it (exit code 130) and keeps what was played; --resume --out DIR goes on.
    """
    from rsc_sim.cluster import address_of
    from rsc_sim.compare import Compared, open_unfinished
    from rsc_sim.compare import compare as play
    from rsc_sim.comparison import Comparison

    changes: dict[str, Any] = {"rules": rules, "settings": settings, "games": games, "seed": seed}
    backend = address_of(backend, scheduler)
    if resume and out is None:
        raise InputError("--resume: expected --out with the folder of the comparison to go on with")
    if resume and out is not None and not strategies:
        if seats is not None or any(value is not None for value in changes.values()):
            raise InputError("--resume: takes all from the folder; name the strategies too where anything is changed")
        comparison, complete = open_unfinished(out)
        if complete:
            print(f"rsc: {out}: that comparison is complete, there is nothing left to play", file=sys.stderr)
    else:
        for text in settings or ():
            key = text.partition("=")[0].strip()
            if key in {"seats", "lineup", "intervention"}:
                raise InputError(f"--set {key}: a comparison seats its strategies itself; see --seats")
            if key.partition(".")[0] in {"precision", "record"}:
                raise InputError(
                    f"--set {key}: a comparison plays every table on as many deals, for ratings of all strategies at "
                    "once, and keeps their counts and no games; expected --games"
                )
        named = list(strategies or ())
        wanted = _SEATS if seats is None else seats
        described = experiment_from(None, **changes).changed(lineup=(named or ["random"])[:1] * wanted, seats=wanted)
        comparison = Comparison.of(described.resolve(), named, seats=wanted)
    if out is None:
        from rsc_sim.store import new_run_folder

        out = new_run_folder(Path("runs"), "compare")
    with progress() as on_progress:
        compared: Compared = play(
            comparison, jobs=jobs, backend=backend, out=out, resume=resume, on_progress=on_progress
        )
    pictures = _draw(compared, out)
    if as_json:
        print(json.dumps({**compared.to_dict(), "out": str(out), "plots": [str(path) for path in pictures]}))
        return
    from rsc_sim.console import open_console
    from rsc_sim.present_compare import show_comparison

    show_comparison(open_console(), compared, out, pictures)


def _draw(compared: Any, out: Path) -> list[Path]:
    if compared.comparison.n_games < DRAWN_FROM:
        return []
    from rsc_sim.plots.compare import write_all

    return write_all(compared.standings, out / "plots")
