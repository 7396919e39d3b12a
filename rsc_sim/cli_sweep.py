"""The command `rsc sweep`: arguments in, a plan, its points played, what they say."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsc_sim.cli_common import (
    BackendOption,
    GamesOption,
    JobsOption,
    JsonOption,
    LineupOption,
    PrecisionOption,
    RulesOption,
    SchedulerOption,
    SeedOption,
    SetOption,
    command_line,
    experiment_from,
)
from rsc_sim.errors import InputError

if TYPE_CHECKING:
    from rsc_sim.sweep_plan import SweepPlan

__all__ = ["mount"]


def mount(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command(epilog="Example: rsc sweep baseline --over escape_threshold=600..1400..200 --target median_rounds=15")(
        sweep
    )


def sweep(  # noqa: PLR0917
    experiment: Annotated[
        str | None,
        typer.Argument(
            help="A bundled experiment, a .toml file, or a run; without one, `baseline`.", metavar="EXPERIMENT"
        ),
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            help="A key and its values: V1,V2,… or a range a..b..step; lists in brackets. Keys are those of --set. May "
            "be given again. Without it, what the experiment's file says.",
            metavar="KEY=V1,V2,…",
        ),
    ] = None,
    grid: Annotated[
        bool | None,
        typer.Option(
            "--grid/--one-at-a-time",
            help="Play every combination of several keys (--grid, unless told), or change one at a time.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="Name the setting at which a figure has this value.", metavar="FIGURE=VALUE"),
    ] = None,
    lineup: LineupOption = None,
    rules: RulesOption = None,
    settings: SetOption = None,
    games: GamesOption = None,
    precision: PrecisionOption = None,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = "auto",
    scheduler: SchedulerOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the sweep goes; a new folder runs/sweep-NAME-NNN.", metavar="DIR")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the unfinished sweep in --out.")] = False,
    as_json: JsonOption = False,
    leaves_per_part: Annotated[int | None, typer.Option(hidden=True, min=1)] = None,
) -> None:
    """Play an experiment at several settings, on the same deals, and show what the settings do.

    Each point is a run directory of its own. Over all of them there are one frame (points.parquet, points.csv), with
    each figure, its range and its difference to the base; a page (README.md); and pictures. Figures for --target are
    those of the frame: median_rounds, unfinished, win_share.collector, place_share.1st, …; shares may be in percent.
    """
    from rsc_sim.cluster import address_of
    from rsc_sim.sweep import Sweep, check_target, parse_target, run_sweep

    changes: dict[str, Any] = {"lineup": lineup, "rules": rules, "settings": settings, "games": games, "seed": seed}
    changes["precision"] = precision
    changed = any(value is not None for value in changes.values())
    plan = None
    if resume:
        if out is None:
            raise InputError("--resume: expected --out with the sweep directory to go on with")
        if Sweep.open(out).complete and target is None:
            print(f"rsc: {out}: that sweep is complete, there is nothing left to play", file=sys.stderr)
    if not resume or experiment or changed or over:
        plan = _plan(experiment, over or (), grid, changes)
    wished = parse_target(target) if target is not None else None
    command = _command(experiment, over or (), grid, target, changes)
    if out is None:
        from rsc_sim.store import new_run_folder

        assert plan is not None
        check_target(plan.keys, plan.points, wished)  # before a folder is made for nothing
        out = new_run_folder(Path("runs"), f"sweep-{plan.name}")
    with _progress(as_json=as_json) as on_progress:
        played = run_sweep(
            plan,
            out=out,
            jobs=jobs,
            backend=address_of(backend, scheduler),
            resume=resume,
            target=wished,
            command=command,
            on_progress=on_progress,
            leaves_per_part=leaves_per_part,
        )
    from rsc_sim.present_sweep import show_sweep, sweep_data
    from rsc_sim.sweep_page import write_page
    from rsc_sim.sweep_view import SweepView

    view = SweepView.of(played.record, played.frame)
    made = write_page(played, view)
    if as_json:
        print(json.dumps(sweep_data(played, view, made)))
    else:
        from rsc_sim.console import open_console

        show_sweep(open_console(), played, view, made)


def _plan(experiment: str | None, over: list[str] | tuple[str, ...], grid: bool | None, changes: Any) -> SweepPlan:
    from rsc_sim.experiment_text import parse_values
    from rsc_sim.strategy import split_lineup
    from rsc_sim.sweep_plan import plan_sweep

    how = None if grid is None else "grid" if grid else "one-at-a-time"
    seats = next((text.partition("=")[2] for text in over if text.partition("=")[0].strip() == "seats"), None)
    if seats and changes["lineup"] and len(split_lineup(changes["lineup"])) == 1:
        # One strategy alone is no table yet: it has the first of the sizes that it is about to have.
        first = parse_values(seats, "--over seats")[0]
        changes = {**changes, "settings": [*(changes["settings"] or ()), f"seats={first}"]}
    return plan_sweep(experiment_from(experiment, **changes), over, how)


def _command(
    experiment: str | None, over: list[str] | tuple[str, ...], grid: bool | None, target: str | None, changes: Any
) -> str:
    """Word the command that plays this sweep again."""
    how = {"grid": grid is True, "one_at_a_time": grid is False}
    flags = {flag: changes[flag] for flag in ("lineup", "rules", "games", "precision", "seed")}
    return command_line("rsc", "sweep", experiment, over=over, **how, **flags, set=changes["settings"], target=target)


def _progress(*, as_json: bool) -> Any:
    from rsc_sim.sweep_progress import sweep_progress_bar, sweep_progress_lines

    if as_json:
        return sweep_progress_lines()
    return sweep_progress_bar() if sys.stderr.isatty() else nullcontext(None)
