"""Which points a sweep has: from an experiment and keys with values to experiments on shared deals, each with a label.

Nothing is played here. Points come from `[sweep]` in the experiment's file or from `--over KEY=V1,V2,…`; each is
resolved, so that what cannot be is refused before the first game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from rsc_sim.errors import InputError
from rsc_sim.experiment import SETTABLE, Experiment, ResolvedExperiment, bundled, parse_settings
from rsc_sim.experiment_text import MOST_VALUES, expand_range, parse_values
from rsc_sim.pairing import paired
from rsc_sim.sweep_table import HOW, SweptPoint

__all__ = ["PlannedPoint", "SweepPlan", "folder_name", "plan_sweep", "sweeps"]

_EXPERIMENT_ONLY = {"name", "description", "seed", "record", "precision.win_share"}
"""Keys that a sweep cannot be over: its points would not share their deals, or not differ."""


@dataclass(frozen=True)
class PlannedPoint:
    """One point: its label, its value of each key, what is played, and what was written about it."""

    label: str
    settings: dict[str, Any]
    """By key of the sweep, the value here: a number, a word, or text for what is a list."""
    experiment: ResolvedExperiment
    note: dict[str, str] = field(default_factory=dict)
    """`question`, `sentence`, `usual`, `reading`, where the file gives them."""


@dataclass(frozen=True)
class SweepPlan:
    """What a sweep will play."""

    name: str
    description: str
    how: str
    """`grid`, `one-at-a-time`, or `points` that were written out."""
    keys: tuple[str, ...]
    base: int
    """The point that the others are compared with."""
    points: tuple[PlannedPoint, ...]
    show: tuple[str, ...]


def plan_sweep(experiment: Experiment, over: Sequence[str] = (), how: str | None = None) -> SweepPlan:
    """Plan a sweep from `over` (`KEY=V1,V2,…`, or `KEY=a..b..step`), or else from the experiment's own `[sweep]`.

    Raises `InputError` that names the key or the point at fault.
    """
    table = experiment.sweep
    if "games" not in experiment.record:
        raise InputError(
            f"{experiment.name}: record: the points of a sweep are compared game by game; expected games in the list"
        )
    if how is not None and how not in HOW:
        raise InputError(f"how: expected {' or '.join(HOW)}, came {how!r}")
    if over:
        axes = [_axis_from_flag(text) for text in over]
    elif table is not None and (table.over or table.points):
        axes = [_axis_from_table(key, values) for key, values in table.over.items()]
    else:
        ready = ", ".join(sweeps())
        raise InputError(
            f"{experiment.name}: over what? Expected --over KEY=V1,V2,…, for example --over escape_threshold=800,1000, "
            f"or an experiment that is a sweep: {ready}"
        )
    keys = [axis.key for axis in axes]
    if doubled := next((key for key in keys if keys.count(key) > 1), None):
        raise InputError(f"--over {doubled}: given twice; name all its values at once")
    plain = experiment.changed(sweep=None)
    written = () if over or table is None else table.points
    if written and axes:
        raise InputError(f"{experiment.name}: sweep: expected `over` or `points`, came both")
    base_label = table.base if table is not None else "as it is"
    if written:
        drafts, mode = _written_out(plain, written, base_label), "points"
    else:
        mode = how or (table.how if table is not None and not over else "grid")
        drafts = _grid(plain, axes) if mode == "grid" else _one_at_a_time(plain, axes, base_label)
    if len(drafts) > MOST_VALUES:
        raise InputError(f"{experiment.name}: a sweep of {len(drafts):,} points, more than {MOST_VALUES}")
    other_table = bool(over) and not {"lineup", "seats", "rules"}.isdisjoint(keys)
    return _finish(experiment, plain, drafts, mode, tuple(keys), over_another_table=other_table)


def sweeps() -> list[str]:
    """Name the bundled experiments that are sweeps."""
    return [name for name in bundled() if Experiment.load(name).sweep is not None]


# ---- axes


@dataclass(frozen=True)
class _Axis:
    key: str
    values: tuple[tuple[str, Any, dict[str, Any]], ...]
    """Label, plain value, and the changes to the experiment."""


def _axis_from_flag(text: str) -> _Axis:
    key, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not key or not values:
        raise InputError(f"--over {text}: expected KEY=V1,V2,…, for example escape_threshold=800,1000")
    where = f"--over {key}"
    _check_key(key, where)
    found = []
    for value in parse_values(values, where):
        inner = value[1:-1] if value.startswith("[") and value.endswith("]") else value
        change = parse_settings([f"{key}={inner}"])
        plain = next(iter(change["overrides"].values())) if "overrides" in change else change[key.split(".")[0]]
        found.append((_label_of(key, plain), _plain(key, plain), change))
    return _Axis(key, tuple(found))


def _axis_from_table(key: str, values: Any) -> _Axis:
    where = f"sweep.over.{key}"
    _check_key(key, where)
    labelled: list[tuple[str | None, Any]]
    if isinstance(values, str) and ".." in values:
        labelled = [
            (None, int(text) if text.lstrip("-").isdigit() else float(text)) for text in expand_range(values, where)
        ]
    elif isinstance(values, Mapping) and key == "lineup":
        labelled = list(values.items())
    elif isinstance(values, (list, tuple)) and values:
        labelled = [(None, value) for value in values]
    else:
        raise InputError(f"{where}: expected a list of values, or a range such as '400..1400..200', came {values!r}")
    found = []
    for label, given in labelled:
        value = [given] if key == "lineup" and isinstance(given, str) else given
        change = {key: value} if key in SETTABLE else {"overrides": {key.removeprefix("rules."): value}}
        found.append((label or _label_of(key, value), _plain(key, value) if label is None else label, change))
    return _Axis(key, tuple(found))


def _check_key(key: str, where: str) -> None:
    if key in _EXPERIMENT_ONLY:
        why = "points of other seeds would not share their deals" if key == "seed" else "points would not differ"
        raise InputError(f"{where}: a sweep cannot be over {key}: {why}")


def _label_of(key: str, value: Any) -> str:
    if key == "lineup" and len(set(value)) == 1:
        return str(value[0])
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _plain(key: str, value: Any) -> Any:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else _label_of(key, value)


# ---- points


@dataclass(frozen=True)
class _Draft:
    label: str
    settings: dict[str, Any]
    experiment: Experiment
    note: dict[str, str] = field(default_factory=dict)
    is_base: bool = False


def _merged(changes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for change in changes:
        for name, value in change.items():
            merged[name] = {**merged.get(name, {}), **value} if isinstance(value, dict) else value
    return merged


def _grid(plain: Experiment, axes: Sequence[_Axis]) -> list[_Draft]:
    drafts = []
    for combination in product(*(axis.values for axis in axes)):
        settings = {axis.key: value for axis, (_, value, _) in zip(axes, combination, strict=True)}
        label = ", ".join(f"{axis.key} {label}" for axis, (label, _, _) in zip(axes, combination, strict=True))
        drafts.append(_Draft(label, settings, _changed(plain, [change for *_, change in combination], label)))
    return drafts


def _one_at_a_time(plain: Experiment, axes: Sequence[_Axis], base_label: str) -> list[_Draft]:
    usual = {axis.key: _value_now(plain, axis.key) for axis in axes}
    drafts = [_Draft(base_label, usual, plain, is_base=True)]
    for axis in axes:
        for label, value, change in axis.values:
            if value != usual[axis.key]:
                told = f"{axis.key} {label}"
                drafts.append(_Draft(told, {**usual, axis.key: value}, _changed(plain, [change], told)))
    return drafts


def _written_out(plain: Experiment, points: Sequence[SweptPoint], base_label: str) -> list[_Draft]:
    drafts = [_Draft(base_label, {}, plain, is_base=True)]
    for point in points:
        change: dict[str, Any] = {
            name: value for name in ("lineup", "seats", "rules", "games") if (value := getattr(point, name)) is not None
        }
        if point.overrides:
            change["overrides"] = point.overrides
        note = {name: getattr(point, name) for name in ("question", "sentence", "usual", "reading")}
        told = {name: " ".join(text.split()) for name, text in note.items() if text}
        drafts.append(_Draft(point.label, {}, _changed(plain, [change], point.label), told))
    return drafts


def _changed(plain: Experiment, changes: Sequence[Mapping[str, Any]], label: str) -> Experiment:
    try:
        return plain.changed(**_merged(changes))
    except InputError as error:
        raise InputError(f"point '{label}': {error}") from None


def _value_now(experiment: Experiment, key: str) -> Any:
    """Give the value that a key has without a sweep."""
    if key == "seats":
        return len(experiment.table)
    if key in SETTABLE:
        return _plain(key, getattr(experiment, key))
    value: Any = experiment.ruleset().to_dict()
    for part in key.removeprefix("rules.").split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None  # refused where the point is resolved, with a hint
        value = value[part]
    return _plain(key, value)


def _finish(
    experiment: Experiment,
    plain: Experiment,
    drafts: Sequence[_Draft],
    how: str,
    keys: tuple[str, ...],
    *,
    over_another_table: bool,
) -> SweepPlan:
    """Resolve every point, order the deals alike, refuse points that are the same, and find the base."""
    resolved = []
    for draft in drafts:
        try:
            resolved.append(draft.experiment.resolve())
        except InputError as error:
            raise InputError(f"point '{draft.label}': {error}") from None
    base = _base_of(plain, drafts, resolved)
    seen: dict[str, str] = {}
    for draft, point in zip(drafts, resolved, strict=True):
        if point.digest in seen:
            raise InputError(f"points '{seen[point.digest]}' and '{draft.label}' are the same; leave one out")
        seen[point.digest] = draft.label
    if len(drafts) < 2:
        raise InputError(f"{experiment.name}: a sweep of one point; name two values or more")
    table = experiment.sweep
    return SweepPlan(
        name=experiment.name,
        # It tells of the table as it is in the experiment's file.
        description="" if over_another_table else " ".join(experiment.description.split()),
        how=how,
        keys=keys,
        base=base,
        points=tuple(
            PlannedPoint(draft.label, draft.settings, point, draft.note)
            for draft, point in zip(drafts, paired(resolved), strict=True)
        ),
        show=table.show if table is not None else (),
    )


def _base_of(plain: Experiment, drafts: Sequence[_Draft], resolved: Sequence[ResolvedExperiment]) -> int:
    """Find the point that is the experiment as it stands; the first where none is."""
    marked = [i for i, draft in enumerate(drafts) if draft.is_base]
    if marked:
        return marked[0]
    try:
        digest = plain.resolve().digest
    except InputError:
        return 0
    return next((i for i, point in enumerate(resolved) if point.digest == digest), 0)


def folder_name(number: int, label: str) -> str:
    """Name a point's folder: its number and as much of its label as a file system likes.

    >>> folder_name(3, "escape_threshold 1,000")
    '03-escape_threshold-1000'
    """
    slug = re.sub(r"[^A-Za-z0-9_.]+", "-", label.replace(",", "")).strip("-.")[:50].rstrip("-.")
    return f"{number:02d}-{slug}" if slug else f"{number:02d}"
