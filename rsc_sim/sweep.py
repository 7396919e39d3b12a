"""A sweep: plays the points of a plan, a run directory each, and puts their figures into one tidy frame.

    SWEEP/sweep.json         what is swept, the points in full, the state, the digests
    SWEEP/points/NN-LABEL/   a run directory a point, as `rsc run` makes it
    SWEEP/points.parquet     a row a point and figure: estimate, interval, and the paired difference to the base point
    SWEEP/points.csv         the same for a spreadsheet

`sweep.json` is written before the first game and holds all that is needed to go on, wherever it was cut. What the
figures are worth is analysis' matter, pictures and pages are others'.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rsc_sim.errors import EnvironmentFailure, InputError, Interrupted, nearest
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.run import Run
from rsc_sim.store import resume_command, write_file, write_json
from rsc_sim.sweep_plan import PlannedPoint, SweepPlan, folder_name

if TYPE_CHECKING:
    import polars as pl

    from rsc_sim.analysis.influence import Measures
    from rsc_sim.analysis.target import Crossing
    from rsc_sim.jobs import Stop
    from rsc_sim.runner import Progress

__all__ = [
    "Sweep",
    "SweepProgress",
    "Target",
    "check_target",
    "parse_target",
    "point_figures",
    "run_sweep",
    "sweep_resume_command",
]

FORMAT = 1


@dataclass(frozen=True)
class SweepProgress:
    """Tell how far a sweep is."""

    point: int
    """From 0."""
    n_points: int
    label: str
    done: int
    """Games of all points that are there."""
    n_games: int
    """Games of all points; where a precision target ends them, as many as is expected by now."""
    run: Progress
    """How far the run of this point is."""

    @property
    def games_per_second(self) -> float:
        """Games of this point played a second."""
        return self.run.games_per_second

    @property
    def seconds_left(self) -> float:
        """Time that the rest will take at the pace of this point so far."""
        return max(0, self.n_games - self.done) / self.games_per_second if self.games_per_second else float("inf")


@dataclass(frozen=True)
class Target:
    """A figure and the value that is wished for."""

    figure: str
    value: float


def parse_target(text: str) -> Target:
    """Read `FIGURE=VALUE`; a share may be written in percent.

    >>> parse_target("unfinished=5%")
    Target(figure='unfinished', value=0.05)
    """
    figure, equals, value = (part.strip() for part in text.partition("="))
    try:
        if not equals or not figure:
            raise ValueError
        number = float(value.removesuffix("%").replace(",", "").replace("_", ""))
    except ValueError:
        raise InputError(f"--target {text}: expected FIGURE=VALUE, for example median_rounds=15") from None
    return Target(figure, number / 100 if value.endswith("%") else number)


class Sweep:
    """Hold a sweep directory: its points, their runs, and the frame over all of them.

    >>> sweep = Sweep.open("runs/sweep-threshold-001")  # doctest: +SKIP
    >>> sweep.frame.filter(pl.col("figure") == "median_rounds")  # doctest: +SKIP
    """

    def __init__(self, path: Path, record: dict[str, Any]) -> None:
        self.path = path
        self.record = record
        """What `sweep.json` holds."""
        self.points = tuple(
            PlannedPoint(
                point["label"], point["settings"], ResolvedExperiment.from_dict(point["experiment"]), point["note"]
            )
            for point in record["points"]
        )

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a sweep directory, finished or not. Raises `InputError` where there is none."""
        path = Path(path)
        file = path / "sweep.json"
        try:
            record = json.loads(file.read_bytes())
            if record["format"] != FORMAT:
                raise InputError(f"{file}: format {record['format']}, this version of rsc-sim reads {FORMAT}")
            return cls(path, record)
        except OSError as error:
            what = "no sweep there: it has no sweep.json" if path.is_dir() else "no such sweep directory"
            why = what if isinstance(error, (FileNotFoundError, NotADirectoryError)) else error.strerror
            raise InputError(f"{path}: {why}") from None
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{file}: not the record of a sweep ({type(error).__name__}: {error})") from None

    @property
    def name(self) -> str:
        """The experiment's name."""
        return str(self.record["name"])

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that it is over; none where its points are written out."""
        return tuple(self.record["keys"])

    @property
    def base(self) -> int:
        """The point that the others are compared with."""
        return int(self.record["base"])

    @property
    def complete(self) -> bool:
        """Whether every point was played and the frame is there."""
        return bool(self.record["state"] == "complete")

    @property
    def digest(self) -> str:
        """SHA-256 over the points' outcome digests, in order."""
        if not self.complete:
            raise InputError(f"{self.path}: the sweep is unfinished; go on with it: {sweep_resume_command(self.path)}")
        return str(self.record["sweep_digest"])

    @property
    def frame(self) -> pl.DataFrame:
        """A row a point and figure; the columns are in docs/sweeps.md."""
        import polars as pl

        if not self.complete:
            raise InputError(f"{self.path}: the sweep is unfinished; go on with it: {sweep_resume_command(self.path)}")
        return pl.read_parquet(self.path / "points.parquet")

    def folder(self, number: int) -> Path:
        """Give the run directory of a point."""
        return self.path / str(self.record["points"][number]["run"])

    def run(self, number: int) -> Run:
        """Open the run of a point."""
        return Run.open(self.folder(number))

    @property
    def target(self) -> tuple[Target, Crossing] | None:
        """The wished value and the setting that meets it, where one was asked for."""
        from rsc_sim.analysis.target import Crossing

        kept = self.record["target"]
        if kept is None or "crossing" not in kept:
            return None
        return Target(kept["figure"], kept["wanted"]), Crossing(**kept["crossing"])


def run_sweep(
    plan: SweepPlan | None,
    *,
    out: Path,
    jobs: int | None = None,
    backend: str = "auto",
    resume: bool = False,
    target: Target | None = None,
    command: str = "",
    on_progress: Callable[[SweepProgress], None] | None = None,
    leaves_per_part: int | None = None,
) -> Sweep:
    """Play every point of a plan into `out` and write the frame over all of them.

    `command` is what a reader is told to type to have the same. With `resume` the sweep in `out` goes on; the plan may
    then be None, and a sweep that is complete can be asked for another target. Raises what `runner.play` does; what was
    played by then is kept, and the message says how to go on.
    """
    from rsc_sim.jobs import Stop
    from rsc_sim.play import run_experiment
    from rsc_sim.runner import play

    if resume:
        sweep = _reopened(out, plan)
        if sweep.complete and target is None:
            return sweep
        wished = sweep.record["target"]
        target = target or (Target(wished["figure"], wished["wanted"]) if wished else None)
        check_target(sweep.keys, sweep.points, target)
    else:
        if plan is None:
            raise InputError("a new sweep needs a plan")
        check_target(plan.keys, plan.points, target)
        sweep = _begun(out, {**_record(plan), **_wished(target), "command": command})
    played: list[int] = []
    with Stop() as stop, _resumed_by(sweep, stop):
        for number, point in enumerate(sweep.points):

            def show(state: Progress, number: int = number) -> None:
                if on_progress is not None:
                    done, n = sum(played) + state.kept + state.played, len(sweep.points)
                    of, label = _expected(sweep, played, state), sweep.points[number].label
                    on_progress(SweepProgress(number, n, label, done, of, state))

            folder = sweep.folder(number)
            there = (folder / "manifest.json").is_file()
            how: dict[str, Any] = {"jobs": jobs, "backend": backend, "out": folder, "resume": there}
            if there and Run.open(folder).complete:
                run = play(point.experiment, **how)  # which looks whether it is that experiment, and all there
            else:
                how |= {"on_progress": on_progress and show, "leaves_per_part": leaves_per_part}
                run, _ = run_experiment(point.experiment, **how)
            played.append(len(run))
            with stop.at_once(True):  # what came too late for the run of this point
                pass
        with stop.at_once(True):
            _finish(sweep, target)
    return Sweep.open(out)


def _expected(sweep: Sweep, played: Sequence[int], now: Progress) -> int:
    """Give the games that all points will have; of those to come, what the others needed where that ends them."""
    known = [*played, now.expected or now.n_games]
    usual = sum(known) / len(known)
    later = sweep.points[len(known) :]
    return sum(known) + sum(
        point.experiment.n_games if point.experiment.precision is None else min(point.experiment.n_games, round(usual))
        for point in later
    )


def sweep_resume_command(path: Path) -> str:
    """Word the command that goes on with a sweep."""
    return f"rsc sweep --resume --out {shlex.quote(str(path))}"


# ---- the directory


def _begun(out: Path, record: dict[str, Any]) -> Sweep:
    if (out / "sweep.json").exists():
        state = Sweep.open(out).record["state"]
        if state == "complete":
            raise InputError(f"{out}: holds a finished sweep; choose another folder with --out")
        raise InputError(f"{out}: holds an unfinished sweep; go on with it: {sweep_resume_command(out)}")
    # Half a record is what is left of a sweep that was killed before it began.
    if out.exists() and (not out.is_dir() or {entry.name for entry in out.iterdir()} - {".sweep.json.tmp"}):
        raise InputError(f"{out}: holds something else, left untouched; choose a new or empty folder with --out")
    write_json(out / "sweep.json", record)
    return Sweep.open(out)


def _record(plan: SweepPlan) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "state": "running",
        "name": plan.name,
        "description": plan.description,
        "how": plan.how,
        "keys": list(plan.keys),
        "base": plan.base,
        "show": list(plan.show),
        "points": [
            {
                "label": point.label,
                "settings": point.settings,
                "note": point.note,
                "run": f"points/{folder_name(number, point.label)}",
                "experiment": point.experiment.to_dict(),
            }
            for number, point in enumerate(plan.points)
        ],
    }


def _wished(target: Target | None) -> dict[str, Any]:
    return {"target": None if target is None else {"figure": target.figure, "wanted": target.value}}


def _reopened(out: Path, plan: SweepPlan | None) -> Sweep:
    sweep = Sweep.open(out)
    if plan is not None:
        differences = []
        if len(plan.points) != len(sweep.points):
            differences.append(f"points: {len(sweep.points)} there, {len(plan.points)} now")
        for there, here in zip(sweep.points, plan.points, strict=False):
            told = there.experiment.differences(here.experiment)
            differences += [f"point '{there.label}': {text}" for text in told]
        if differences:
            raise InputError(
                f"{out}: cannot go on with that sweep, it is another one:\n     " + "\n     ".join(differences[:10])
            )
    return sweep


@contextmanager
def _resumed_by(sweep: Sweep, stop: Stop) -> Iterator[None]:
    """Say in errors how to go on with the sweep, where they say how to go on with the run of one point."""
    command = sweep_resume_command(sweep.path)
    try:
        yield
    except (EnvironmentFailure, Interrupted) as error:
        text = str(error)
        for number in range(len(sweep.points)):
            text = text.replace(resume_command(sweep.folder(number)), command)
        error.args = (text if command in text else f"{text}\n     go on with: {command}",)
        raise
    except KeyboardInterrupt:
        raise stop.interruption(f"{stop.word}; what was played is kept, go on with: {command}") from None


# ---- the frame


def _finish(sweep: Sweep, target: Target | None) -> None:
    """Write the frame, and mark the sweep complete."""
    runs = [sweep.run(number) for number in range(len(sweep.points))]
    frame, crossing = analyse(sweep, runs, target)
    packed = BytesIO()
    frame.write_parquet(packed, compression="zstd", statistics=False)
    write_file(sweep.path / "points.parquet", packed.getvalue())
    write_file(sweep.path / "points.csv", frame.write_csv().encode())
    digests = [run.outcome_digest for run in runs]
    points = [
        {**point, "outcome_digest": run.outcome_digest, "precision": run.manifest.get("precision")}
        for point, run in zip(sweep.record["points"], runs, strict=True)
    ]
    record = {
        **sweep.record,
        "state": "complete",
        "sweep_digest": hashlib.sha256(b"".join(map(bytes.fromhex, digests))).hexdigest(),
        "points": points,
    }
    if target is not None and crossing is not None:
        record["target"] = {"figure": target.figure, "wanted": target.value, "crossing": crossing.to_dict()}
    write_json(sweep.path / "sweep.json", record)


def analyse(sweep: Sweep, runs: list[Run], target: Target | None) -> tuple[pl.DataFrame, Crossing | None]:
    """Estimate every figure of every point, each with its paired difference to the base point."""
    import polars as pl

    from rsc_sim.analysis.influence import Measures
    from rsc_sim.analysis.paired import joint_moments, paired_difference

    measures = [Measures(run.games, watched=run.watched) for run in runs]
    joint = joint_moments(measures, base=sweep.base, among=None if target is None else target.figure)
    base = measures[sweep.base]
    where = {figure.key: number for number, figure in enumerate(base.figures)}
    rows: list[dict[str, Any]] = []
    for number, (point, run) in enumerate(zip(sweep.points, measures, strict=True)):
        estimates = run.estimates(joint.variances[number])
        different = joint.different[number]
        for at, (figure, estimate) in enumerate(zip(run.figures, estimates, strict=True)):
            row = {
                "point": number,
                "label": point.label,
                **point.settings,
                "figure": figure.name,
                "of": figure.of,
                "unit": figure.unit,
                **{name: value for name, value in asdict(estimate).items() if name not in {"unit", "method"}},
                "n_games": run.n_games,
                "method": estimate.method,
            }
            bounded = "share" in figure.unit or figure.name.startswith("median")
            covariance = joint.covariances[number].get(figure.key)
            if number != sweep.base and covariance is not None:
                there = where[figure.key]
                found = paired_difference(
                    estimate.value - float(base.values[there]),
                    (float(joint.variances[sweep.base][there]), float(joint.variances[number][at])),
                    (base.n_blocks, run.n_blocks),
                    covariance,
                    unit=figure.unit,
                    # Tables of other sizes play no game alike.
                    n_different=None if bounded else different.n_blocks if different else base.n_blocks,
                    most=max(base.most(figure), run.most(figure)),
                )
                row |= {
                    "difference": found.difference.value,
                    "difference_low": found.difference.low,
                    "difference_high": found.difference.high,
                    "correlation": found.correlation,
                    "games_saved": found.games_saved,
                }
            rows.append(row)
        if number != sweep.base and different is not None:
            rows.append(
                {
                    **{"point": number, "label": point.label, **point.settings},
                    **{"figure": "played_differently", "of": None, "n_games": run.n_games},
                    **asdict(different.games),
                }
            )
    frame = pl.DataFrame(rows, schema=_schema(sweep), orient="row").with_columns(
        pl.col("correlation", "games_saved").fill_nan(None)
    )
    return frame, None if target is None else _crossing(sweep, measures, target, joint.among)


def _schema(sweep: Sweep) -> dict[str, Any]:
    import polars as pl

    keys: dict[str, Any] = {}
    for key in sweep.keys:
        kinds = {type(point.settings[key]) for point in sweep.points}
        keys[key] = pl.Int64 if kinds == {int} else pl.Float64 if kinds <= {int, float} else pl.String
    texts = dict.fromkeys(("figure", "of", "unit"), pl.String)
    return {
        "point": pl.UInt16,
        "label": pl.String,
        **keys,
        **texts,
        **dict.fromkeys(("value", "low", "high", "level"), pl.Float64),
        "n_blocks": pl.UInt32,
        "n_games": pl.UInt64,
        **dict.fromkeys(("difference", "difference_low", "difference_high", "correlation", "games_saved"), pl.Float64),
        "method": pl.String,
    }


# ---- the target


def check_target(keys: Sequence[str], points: Sequence[PlannedPoint], target: Target | None) -> None:
    """Refuse before playing what cannot be answered after it."""
    if target is None:
        return
    if len(keys) != 1:
        over = f"over {len(keys)} keys" if keys else "over points that are written out"
        raise InputError(f"--target: expected a sweep over one key, this one is {over}")
    odd = [value for point in points if not isinstance(value := point.settings[keys[0]], (int, float))]
    if odd:
        raise InputError(f"--target: expected a key with numbers, {keys[0]} has {odd[0]!r}")
    for point in points:
        known = point_figures(point)
        if target.figure not in known:
            hint = nearest(target.figure, known)
            raise InputError(f"--target {target.figure}: no such figure{hint}; there are {', '.join(known)}")


def point_figures(point: PlannedPoint) -> list[str]:
    """List the keys of the figures that a point will have."""
    from rsc_sim.analysis.influence import figure_keys

    played = point.experiment
    return figure_keys(played.seats, [strategy.spec for strategy in played.strategies])


def _crossing(sweep: Sweep, measures: list[Measures], target: Target, among: Any) -> Crossing:
    from rsc_sim.analysis.target import find_crossing

    settings = [float(point.settings[sweep.keys[0]]) for point in sweep.points]
    order = sorted(range(len(settings)), key=lambda number: settings[number])
    keys = [[figure.key for figure in run.figures] for run in measures]
    values = [float(run.values[names.index(target.figure)]) for run, names in zip(measures, keys, strict=True)]
    return find_crossing(
        [settings[number] for number in order],
        [values[number] for number in order],
        among[order][:, order],
        target.value,
    )
