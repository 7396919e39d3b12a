"""How a sweep is told at the command line: a row a point, the differences to the base, what meets the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rsc_sim.console import bullet, columns, line, paragraph
from rsc_sim.findings import listed
from rsc_sim.sweep_view import (
    SweepView,
    curve_finding,
    effects_finding,
    figure_words,
    group_of,
    levels_finding,
    tell,
    tell_change,
    tell_change_range,
    tell_range,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from rsc_sim.analysis.paired import Paired
    from rsc_sim.sweep import Sweep

__all__ = [
    "correlation_words",
    "findings",
    "precision_sentence",
    "saved_words",
    "show_sweep",
    "sweep_data",
    "target_sentence",
]

_TOLD = 5
"""Figures that are told of every point on a screen."""


def show_sweep(console: Console, sweep: Sweep, view: SweepView, made: Sequence[Path] = ()) -> None:
    """Print what a sweep found."""
    line(console, f"{sweep.name}: {len(sweep.points)} points, {sum(view.n_games):,} games", style="bold")
    if view.description:
        paragraph(console, view.description)
    if short := precision_sentence(sweep):
        console.print()
        line(console, "Read this first", style="bold yellow")
        bullet(console, short, mark="!")
    if target := target_sentence(sweep, view):
        console.print()
        line(console, "Target", style="bold")
        bullet(console, target)
    for key in view.headlines()[:_TOLD]:
        console.print()
        line(console, figure_words(key)[:1].upper() + figure_words(key)[1:], style="bold")
        columns(console, _rows(view, key), _widths(console, view), right=(1,))
    console.print()
    line(console, "What it says", style="bold")
    for sentence in findings(view):
        bullet(console, f"{sentence}.")
    if pairing := pairing_sentence(view):
        console.print()
        paragraph(console, pairing)
    console.print()
    line(console, "Ranges hold the true value in 19 of 20 sweeps; the games of a deal count as one.", style="dim")
    console.print()
    line(console, f"sweep     {sweep.path}")
    line(console, f"frame     {sweep.path / 'points.parquet'}, and as points.csv")
    for path in made:
        if path.suffix == ".md":
            line(console, f"page      {path}")
    line(console, f"digest    {sweep.digest}")


def _rows(view: SweepView, key: str) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for number, label in enumerate(view.labels):
        value, found = view.values[key][number], view.differences[key][number]
        if value is None:
            rows.append((label, "–", "", ""))
        elif number == view.base:
            rows.append((label, tell(value), tell_range(value), "the base"))
        elif found is None:
            rows.append((label, tell(value), tell_range(value), ""))
        else:
            rows.append((label, tell(value), tell_range(value), _change(found.difference)))
    return rows


def _change(difference: Any) -> str:
    return f"{tell_change(difference)} ({tell_change_range(difference)})"


def _widths(console: Console, view: SweepView) -> tuple[int, int, int, int]:
    first = min(max(map(len, view.labels)), 30)
    return first, 8, 18, max(console.width - first - 34, 20)


def findings(view: SweepView) -> list[str]:
    """Say what each figure that is shown does."""
    if len(view.keys) == 1:
        return [curve_finding(view, name) for name in view.show if group_of(name, view.figures)]
    if not view.keys and not any(view.notes):
        return [levels_finding(view, key) for key in view.headlines()]
    return [effects_finding(view, key) for key in view.headlines()]


def target_sentence(sweep: Sweep, view: SweepView) -> str:
    """Say which setting meets the target, or that none does."""
    found = sweep.target
    if found is None:
        return ""
    target, crossing = found
    key = view.key_names[0]
    unit = f"{target.value * 100:g} %" if view.values[target.figure][view.base].unit == "share" else f"{target.value:g}"  # type: ignore[union-attr]
    wish = f"{figure_words(target.figure)} of {unit}"
    settings = [point.settings[sweep.keys[0]] for point in sweep.points]
    if crossing.value is None:
        return f"Nothing between {min(settings):,} and {max(settings):,} gives {wish}; sweep further."
    digits = ",.0f" if all(isinstance(setting, int) for setting in settings) and max(settings) >= 100 else ",.3g"
    low = f"{crossing.low:{digits}}" if crossing.low is not None else f"below {min(settings):,}"
    high = f"{crossing.high:{digits}}" if crossing.high is not None else f"above {max(settings):,}"
    near = min(settings, key=lambda setting: abs(setting - crossing.value))
    at = view.values[target.figure][settings.index(near)]
    nearest = f" The nearest setting that was played, {near:,}, gives {tell(at)} ({tell_range(at)})." if at else ""
    return f"{key} {crossing.value:{digits}} ({low} to {high}) gives {wish}.{nearest}"


def pairing_sentence(view: SweepView) -> str:
    """Say what sharing deals was worth."""
    told = []
    for key in view.headlines():
        found = [pair for pair in view.differences[key] if pair is not None and pair.correlation == pair.correlation]
        if found:
            best = max(found, key=lambda pair: pair.games_saved)
            least = min(found, key=lambda pair: pair.games_saved)
            told.append((key, least, best))
    if not told:
        return ""
    parts = [
        f"{figure_words(key)} {saved_words(least.games_saved)}"
        + (f" to {saved_words(best.games_saved)}" if best is not least else "")
        + f" (correlation {correlation_words(least)}"
        + (f" to {correlation_words(best)})" if best is not least else ")")
        for key, least, best in told[:_TOLD]
    ]
    return (
        "Points share their deals. Of the games that these differences would have taken otherwise, that saved: "
        f"{'; '.join(parts)}."
    )


def correlation_words(pair: Paired) -> str:
    """Word the correlation of two points."""
    text = f"{pair.correlation:.2f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def saved_words(share: float) -> str:
    """Word what part of the games sharing deals saved."""
    return f"{round(share * 100)} %".replace("-", "−")


def precision_sentence(sweep: Sweep) -> str:
    """Name the points at which win shares are not known as well as they were to be; empty where there are none."""
    told = {point["label"]: point.get("precision") for point in sweep.record["points"]}
    short = {label: known for label, known in told.items() if known and not known["reached"]}
    if not short:
        return ""
    target = next(iter(short.values()))["win_share"]
    where = "any point" if len(short) == len(told) else listed(list(short))
    return f"Win shares are not known to ± {target * 100:g} points at {where}: more games than were allowed are needed."


def sweep_data(sweep: Sweep, view: SweepView, made: Sequence[Path] = ()) -> dict[str, Any]:
    """Give what `--json` prints."""
    found = sweep.target
    return {
        "sweep": str(sweep.path),
        "sweep_digest": sweep.digest,
        "name": sweep.name,
        "keys": list(view.keys),
        "base": view.base,
        "points": [
            {
                "label": point["label"],
                "settings": point["settings"],
                "run": str(sweep.path / point["run"]),
                "n_games": view.n_games[number],
                "outcome_digest": point["outcome_digest"],
                "figures": {
                    key: value.to_dict() for key in view.figures if (value := view.values[key][number]) is not None
                },
                "differences": {
                    key: pair.to_dict() for key in view.figures if (pair := view.differences[key][number]) is not None
                },
            }
            for number, point in enumerate(sweep.record["points"])
        ],
        "target": None
        if found is None
        else {"figure": found[0].figure, "wanted": found[0].value, "setting": found[1].to_dict()},
        "warnings": [text for text in (precision_sentence(sweep),) if text],
        "findings": findings(view),
        "frame": str(sweep.path / "points.parquet"),
        "made": [str(path) for path in made],
    }
