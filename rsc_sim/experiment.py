"""Experiments: which rules, which strategies at the table, how many games, which seed.

`Experiment` is what a person writes, in a TOML file, in flags or in Python. `resolve()` turns it into a
`ResolvedExperiment`, which holds everything that results may depend on and nothing else: the ruleset in full, the
order of the deal, the strategies with their parameters, the seed and the number of blocks. The manifest of a run keeps
that, and is an experiment again. How a run is cut into pieces is decided in `plan`; playing is left to the runner; what
several points a `[sweep]` stands for, to `sweep_plan`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from rsc_sim.check_table import Margins
from rsc_sim.errors import InputError, nearest
from rsc_sim.experiment_text import explain, flatten, line_of, parse_games, read_toml
from rsc_sim.recorded import TABLES, Recorded, in_order
from rsc_sim.report_table import Limits
from rsc_sim.sweep_table import SweepTable, SweptPoint

if TYPE_CHECKING:
    from rsc_sim.ruleset import Ruleset
    from rsc_sim.strategy import Strategy

__all__ = [
    "MAX_GAMES",
    "Experiment",
    "Intervention",
    "Limits",
    "Margins",
    "Precision",
    "ResolvedExperiment",
    "ResolvedStrategy",
    "bundled",
    "file_order",
    "parse_settings",
]

MAX_GAMES = 2**34
"""Most games in a run. The column `block` is 32 bits wide and a block may be a single game."""

MAX_SEED = 2**64 - 1
MIN_SEATS, MAX_SEATS = 2, 8


class Intervention(BaseModel):
    """One forced card: the `card`-th card (from 1) that `seat` is dealt or draws becomes `kind`."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    seat: Annotated[int, Field(ge=0, lt=MAX_SEATS)]
    card: Annotated[int, Field(ge=1, le=65_535)]
    kind: str


class Precision(BaseModel):
    """When it is enough; the table `[precision]` in a file."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    win_share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
    """Every win share, by strategy and by place, is known to ± this: 0.002 is ± 0.2 percentage points."""


class Experiment(BaseModel):
    """State a question to put to the simulator, as a person writes it.

    >>> Experiment.from_dict({"name": "duel", "lineup": ["collector", "random"], "games": 1_000}).seats
    2
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", populate_by_name=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=80)] = "custom"
    """Names the run's folder."""
    description: str = ""
    """A paragraph on what it asks."""
    lineup: Annotated[tuple[str, ...], Field(strict=False, min_length=1, max_length=MAX_SEATS)]
    """A strategy for each seat, or for the first of them; every distinct rotation of the table is played."""
    seats: Annotated[int, Field(ge=MIN_SEATS, le=MAX_SEATS)] | None = None
    """How many sit at the table, the lineup repeated until it is full; as many as the lineup has unless told. A list of
    several in a file is a sweep over them."""
    rules: Annotated[str, Field(min_length=1)] = "booklet"
    """`booklet`, or a ruleset file."""
    overrides: Annotated[dict[str, Any], Field(alias="set")] = {}
    """Figures and switches that differ from the ruleset, by dotted key; the table `[set]` in a file."""
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] = 100_000
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 1
    intervention: Intervention | None = None
    precision: Precision | None = None
    """How well win shares are to be known; `games` is then the most that is played."""
    record: Annotated[tuple[Recorded, ...], Field(strict=False), AfterValidator(in_order)] = TABLES
    """What is kept of each game beside the digest of all: less is faster and smaller, and the games are the same."""
    margins: Annotated[Margins, Field(alias="check")] = Margins()
    """What `rsc check` takes for no change."""
    limits: Annotated[Limits, Field(alias="report")] = Limits()
    """From where on `rsc report` calls a figure too much."""
    sweep: SweepTable | None = None
    """Over what `rsc sweep` repeats it; `rsc run` plays it once, as it stands."""

    _folder: Path = PrivateAttr(default=Path())
    _resolved: ResolvedExperiment | None = PrivateAttr(default=None)
    """What a manifest kept: its ruleset and order of the deal stand for `rules`."""
    _lineup_folder: Path = PrivateAttr(default=Path())

    @property
    def table(self) -> tuple[str, ...]:
        """The strategy at each seat: the lineup, repeated until the table is full."""
        n = self.seats or len(self.lineup)
        return tuple(self.lineup[i % len(self.lineup)] for i in range(n))

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], *, where: str = "experiment", folder: Path = Path(), text: str = ""
    ) -> Self:
        """Validate plain data; `where` names its origin in errors, `folder` is what relative paths start from.

        `text` is the TOML that it was read from, so that errors can name the line. Raises `InputError` that names each
        key which does not fit.
        """
        table = _tidied(data)
        try:
            experiment = cls.model_validate(table)
        except ValidationError as error:
            known = [f.alias or name for name, f in cls.model_fields.items()]
            problems = [{**problem, "beside": _beside(problem["loc"])} for problem in error.errors()]
            raise InputError(explain(problems, where, known, text)) from None
        n, n_lineup = len(experiment.table), len(experiment.lineup)
        problem = ""
        if n < MIN_SEATS:
            problem = (
                f"lineup: a table has {MIN_SEATS} to {MAX_SEATS} seats, this lineup has {n_lineup}; "
                "the key `seats` repeats it until the table is full: --set seats=4, or seats = 4 in a file"
            )
        elif n < n_lineup:
            problem = f"seats: {n}, but the lineup has {n_lineup} strategies; name at most {n}"
        elif experiment.precision is not None and "games" not in experiment.record:
            problem = "record: a run with a precision target goes by its games; expected games in the list"
        if problem:
            number = line_of(text, [problem.partition(":")[0]])
            place = ", ".join(filter(None, [where, f"line {number}" if number else ""]))
            raise InputError(f"{place}: {problem}" if place else problem)
        experiment._folder = experiment._lineup_folder = folder
        return experiment

    @classmethod
    def load(cls, source: str | Path) -> Self:
        """Read a bundled experiment by its name (`baseline`), an experiment file, or a run's `manifest.json`."""
        text = str(source)
        path = Path(source)
        if isinstance(source, str) and not text.endswith((".toml", ".json")) and "/" not in text:
            known = bundled()
            if text not in known and (path / "manifest.json").is_file():
                return cls.from_manifest(path / "manifest.json")
            if text not in known:
                hint = nearest(text, known) or f": there is {', '.join(sorted(known))}"
                raise InputError(f"experiment {text!r}: no such experiment{hint}, or give the path of a .toml file")
            path = known[text]
        if path.is_dir() and (path / "manifest.json").is_file():
            path /= "manifest.json"
        if path.suffix == ".json":
            return cls.from_manifest(path)
        data, toml = read_toml(path)
        return cls.from_dict(data, where=path.name, folder=path.parent, text=toml)

    @classmethod
    def from_manifest(cls, path: Path) -> Self:
        """Take the experiment out of a run's manifest: played again, it gives the same games."""
        try:
            kept = ResolvedExperiment.from_dict(json.loads(path.read_bytes())["experiment"])
        except OSError as error:
            raise InputError(f"{path}: cannot read the manifest: {error.strerror}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: not the manifest of a run ({type(error).__name__}: {error})") from None
        return cls.of(kept, where=str(path))

    @classmethod
    def of(cls, resolved: ResolvedExperiment, *, where: str = "experiment") -> Self:
        """Take a resolved experiment back to one that can be changed; unchanged, it resolves to the same."""
        forced = resolved.intervention
        experiment = cls.from_dict(
            {
                "name": resolved.name,
                "description": resolved.description,
                "lineup": list(resolved.lineup),
                "games": resolved.games_asked,
                "seed": resolved.seed,
                "intervention": None if forced is None else dict(zip(("seat", "card", "kind"), forced, strict=True)),
                "precision": None if resolved.precision is None else {"win_share": resolved.precision},
                "record": list(resolved.record),
                "check": resolved.margins.model_dump(),
                "report": resolved.limits.model_dump(),
            },
            where=where,
        )
        experiment._resolved = resolved
        return experiment

    def changed(self, **changes: Any) -> Self:
        """Return the experiment with some fields replaced and validated again; `overrides` are added to."""
        data = self.model_dump(by_alias=True)
        data["set"] = {**data["set"], **changes.pop("overrides", {})}
        for name in _TABLES:  # one figure of a table may be set by itself
            if isinstance(changes.get(name), Mapping) and isinstance(data.get(name), Mapping):
                changes[name] = {**data[name], **changes[name]}
        folder = changes.pop("folder", self._folder)
        if "lineup" in changes and "seats" not in changes and len(changes["lineup"]) > 1:
            changes["seats"] = None  # a whole lineup brings its own table
        for table in ("check", "report"):
            if table in changes:
                changes[table] = {**data[table], **changes[table]}
        changed = self.from_dict({**data, **changes}, where="", folder=folder)
        changed._resolved = None if "rules" in changes else self._resolved
        changed._lineup_folder = Path() if "lineup" in changes else self._lineup_folder
        return changed

    def ruleset(self) -> Ruleset:
        """Load the rules that it is played by, what it sets included. Raises `InputError`."""
        from rsc_sim.ruleset import Ruleset

        if self._resolved is not None:
            rules = Ruleset.from_dict(self._resolved.ruleset)
        else:
            rules = Ruleset.booklet() if self.rules == "booklet" else Ruleset.load(self._folder / self.rules)
        return rules.override(self.overrides, seats=len(self.table)) if self.overrides else rules

    def resolve(self, *, deal_order: Sequence[str] | None = None) -> ResolvedExperiment:
        """Load the rules, look up the strategies, count the blocks. Raises `InputError` where any of it fails."""
        from rsc_sim.strategy import resolve

        rules = self.ruleset()
        if deal_order is None and self._resolved is not None and self._resolved.deal_order is not None:
            order = self._resolved.deal_order
            deal_order = order if sorted(order) == sorted(file_order(rules.to_dict())) else None
        kept = {strategy.spec: strategy for strategy in (self._resolved.strategies if self._resolved else ())}
        return ResolvedExperiment.of(
            rules,
            [kept[spec].find() if spec in kept else resolve(spec, folder=self._lineup_folder) for spec in self.table],
            name=self.name,
            description=" ".join(self.description.split()),
            games=self.games,
            seed=self.seed,
            intervention=self.intervention,
            deal_order=deal_order,
            margins=self.margins,
            precision=None if self.precision is None else self.precision.win_share,
            limits=self.limits,
            record=self.record,
        )


def parse_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Turn `KEY=VALUE` texts, as `--set` gives them, into changes for `Experiment.changed`.

    A key of the experiment goes by its bare name (`games`, `seats`, `lineup`, `intervention.seat` …), one of the rules
    as in the ruleset file (`hand_size`, `cards.mug.copies`). The two share no name but `name`, which is the
    experiment's; `rules.KEY` means the rules' in any case.

    >>> parse_settings(["games=20k", "lineup=collector,random", "hand_size=5"])
    {'games': 20000, 'lineup': ['collector', 'random'], 'overrides': {'hand_size': 5}}
    """
    from rsc_sim.ruleset import parse_setting
    from rsc_sim.ruleset_text import toml_value
    from rsc_sim.strategy import split_lineup

    changes: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = (part.strip() for part in setting.partition("="))
        head, _, rest = key.partition(".")
        if not equals or not text or head not in SETTABLE or (rest and head not in _TABLES):
            name, value = parse_setting(setting.strip().removeprefix("rules."))
            if "." not in name and (near := nearest(name, SETTABLE)) and not nearest(name, _rules_figures()):
                raise InputError(f"{name}: no such figure of the rules, nor key of the experiment{near}")
            changes.setdefault("overrides", {})[name] = value
        elif head == "rules" and rest:
            name, value = parse_setting(f"{rest}={text}")
            changes.setdefault("overrides", {})[name] = value
        elif rest:
            changes.setdefault(head, {})[rest] = toml_value(text)
        elif key == "games":
            try:
                changes["games"] = parse_games(text)
            except InputError as error:
                raise InputError(f"games: {error}") from None
        elif key == "lineup":
            changes["lineup"] = split_lineup(text.removeprefix("[").removesuffix("]"))
        elif key == "record":
            changes["record"] = [name.strip(" \"'") for name in text.strip("[]").split(",") if name.strip()]
        elif key == "rules":
            changes |= {"rules": text, "folder": Path()}  # a path in a flag starts here, not beside the file
        else:
            changes[key] = text if key in _TEXTS else parse_setting(f"{key}={text}")[1]
    return changes


def _rules_figures() -> list[str]:
    from rsc_sim.ruleset import Ruleset

    return list(Ruleset.booklet().to_dict())


def _tidied(data: Mapping[str, Any]) -> dict[str, Any]:
    """Put plain data into the shape that is validated: dotted keys for nested tables, several seats as a sweep."""
    table = dict(data)
    if isinstance(table.get("set"), Mapping):
        table["set"] = dict(flatten(table["set"]))
    sweep = table.get("sweep")
    seats = table.get("seats")
    if isinstance(seats, (list, tuple)) and seats and (sweep is None or isinstance(sweep, Mapping)):
        sweep = {**(sweep or {})}
        sweep["over"] = {"seats": list(seats), **sweep.get("over", {})}
        table["seats"] = seats[0]
    if isinstance(sweep, Mapping):
        table["sweep"] = sweep = dict(sweep)
        if isinstance(sweep.get("over"), Mapping):
            lineups = {key: value for key, value in sweep["over"].items() if key == "lineup"}
            others = {key: value for key, value in sweep["over"].items() if key != "lineup"}
            sweep["over"] = {**lineups, **dict(flatten(others))}
        if isinstance(sweep.get("points"), (list, tuple)):
            sweep["points"] = [
                {**point, "set": dict(flatten(point["set"]))}
                if isinstance(point, Mapping) and isinstance(point.get("set"), Mapping)
                else point
                for point in sweep["points"]
            ]
    return table


def _beside(keys: tuple[str | int, ...]) -> list[str]:
    """Name the keys that a table of an experiment knows, for hints."""
    tables: dict[str, type[BaseModel]] = {
        "sweep": SweepTable,
        "precision": Precision,
        "check": Margins,
        "report": Limits,
    }
    model = tables.get(str(keys[0]), Intervention)
    if keys[:2] == ("sweep", "points"):
        model = SweptPoint
    return [field.alias or name for name, field in model.model_fields.items()]


SETTABLE = tuple(
    field.alias or name for name, field in Experiment.model_fields.items() if name not in {"overrides", "sweep"}
)
"""Keys of an experiment that `--set` reaches by their bare name."""
_TABLES = ("check", "intervention", "precision", "report", "rules")
_TEXTS = ("name", "description")


@dataclass(frozen=True)
class ResolvedStrategy:
    """A strategy as a run records it: its canonical spec, its name and every parameter."""

    spec: str
    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    sha256: str | None = None
    """Of the file that it comes from; None for compiled ones."""

    def find(self) -> Strategy:
        """Look the strategy up. Raises `InputError` where its file is no longer what was resolved."""
        from rsc_sim.strategy import resolve

        found = resolve(self.spec)
        if found.sha256 != self.sha256:
            raise InputError(f"strategy {self.spec!r}: {_changed(self.sha256, found.sha256)}")
        return found

    def essence(self) -> dict[str, Any]:
        """Give what results depend on, as plain data."""
        plain = {"spec": self.spec, "name": self.name, "parameters": self.parameters}
        return plain if self.sha256 is None else {**plain, "sha256": self.sha256}


@dataclass(frozen=True)
class ResolvedExperiment:
    """Hold all that a run's results depend on; name, description and the number of games asked for are for reading."""

    name: str
    description: str
    games_asked: int
    ruleset: dict[str, Any]
    ruleset_digest: str
    deal_order: tuple[str, ...] | None
    """Kind ids, one a copy, in the order in which the deck goes into the shuffle; None is the ruleset file's order."""
    strategies: tuple[ResolvedStrategy, ...]
    """Distinct strategies, in the order in which they first sit in the lineup."""
    strategy_ids: tuple[int, ...]
    """For each seat of the lineup, its index in `strategies`."""
    seed: int
    n_blocks: int
    intervention: tuple[int, int, str] | None = None
    precision: float | None = None
    """Half-width of every win share at which the run ends, `n_blocks` being the most that is played."""
    margins: Margins = field(default_factory=Margins)
    """What a check takes for no change; results do not depend on it."""
    limits: Limits = field(default_factory=Limits)
    """What a report calls too much; results do not depend on it either."""
    record: tuple[Recorded, ...] = TABLES
    """What is kept of the games; they are the same whatever is kept."""

    @classmethod
    def of(
        cls,
        rules: Ruleset,
        lineup: Sequence[Any],
        *,
        name: str = "custom",
        description: str = "",
        games: int,
        seed: int = 1,
        intervention: Intervention | None = None,
        deal_order: Sequence[str] | None = None,
        margins: Margins | None = None,
        precision: float | None = None,
        limits: Limits | None = None,
        record: Sequence[Recorded] = TABLES,
    ) -> Self:
        """Resolve from a ruleset at hand; `lineup` holds specs, strategies or functions, `games` is rounded up to whole
        blocks.
        """
        from rsc_sim.strategy import resolve

        rules.check_seats(len(lineup))
        seated = [resolve(entry) for entry in lineup]
        distinct = {strategy.spec: strategy for strategy in reversed(seated)}
        for strategy in seated:
            if strategy.differs(distinct[strategy.spec]):
                raise InputError(
                    f"lineup: two strategies that differ are both called {strategy.spec}: rename one (a function that "
                    "another made, or a lambda, by its __qualname__)"
                )
        specs = list(dict.fromkeys(strategy.spec for strategy in seated))
        ids = tuple(specs.index(strategy.spec) for strategy in seated)
        plain = rules.to_dict()
        order = None if deal_order is None else tuple(deal_order)
        if order is not None and list(order) == file_order(plain):
            order = None
        if intervention is not None:
            _check_intervention(intervention, plain, len(lineup))
        return cls(
            name=name,
            description=description,
            games_asked=games,
            ruleset=plain,
            ruleset_digest=rules.digest,
            deal_order=order,
            strategies=tuple(
                ResolvedStrategy(s, distinct[s].name, dict(distinct[s].parameters), distinct[s].sha256) for s in specs
            ),
            strategy_ids=ids,
            seed=seed,
            n_blocks=-(-games // period(ids)),
            intervention=None if intervention is None else (intervention.seat, intervention.card, intervention.kind),
            margins=margins or Margins(),
            precision=precision,
            limits=limits or Limits(),
            record=in_order(record),
        )

    @property
    def seats(self) -> int:
        """How many players sit at the table."""
        return len(self.strategy_ids)

    @property
    def rotations(self) -> int:
        """Games in a block: the distinct rotations of the lineup."""
        return period(self.strategy_ids)

    @property
    def n_games(self) -> int:
        """Games that are played: `games_asked` rounded up to whole blocks."""
        return self.n_blocks * self.rotations

    @property
    def lineup(self) -> tuple[str, ...]:
        """The strategy specs in the order of the lineup."""
        return tuple(self.strategies[i].spec for i in self.strategy_ids)

    @property
    def digest(self) -> str:
        """SHA-256 over everything that results depend on."""
        text = json.dumps(self.essence(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def essence(self) -> dict[str, Any]:
        """Give everything that results depend on, as plain data."""
        plain: dict[str, Any] = {
            "rules": self.ruleset,
            "deal_order": None if self.deal_order is None else list(self.deal_order),
            "strategies": [strategy.essence() for strategy in self.strategies],
            "strategy_ids": list(self.strategy_ids),
            "seed": self.seed,
            "n_blocks": self.n_blocks,
            "intervention": None if self.intervention is None else list(self.intervention),
        }
        # Left out where there is none, so that the digests of such experiments are those they always had.
        return plain if self.precision is None else {**plain, "precision": self.precision}

    def to_dict(self) -> dict[str, Any]:
        """Give the plain data that a manifest keeps; `from_dict` takes it back."""
        return {
            "name": self.name,
            "description": self.description,
            "games_asked": self.games_asked,
            "lineup": list(self.lineup),
            "rules_digest": self.ruleset_digest,
            "check": self.margins.model_dump(),
            "report": self.limits.model_dump(mode="json"),
            "record": list(self.record),
            **self.essence(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Take back what `to_dict` gave. Raises `KeyError` or `TypeError` on anything else."""
        return cls(
            name=data["name"],
            description=data["description"],
            games_asked=data["games_asked"],
            ruleset=data["rules"],
            ruleset_digest=data["rules_digest"],
            deal_order=None if data["deal_order"] is None else tuple(data["deal_order"]),
            strategies=tuple(ResolvedStrategy(**strategy) for strategy in data["strategies"]),
            strategy_ids=tuple(data["strategy_ids"]),
            seed=data["seed"],
            n_blocks=data["n_blocks"],
            intervention=None if data["intervention"] is None else tuple(data["intervention"]),
            margins=Margins(**data.get("check", {})),
            precision=data.get("precision"),
            limits=Limits(**data.get("report", {})),
            record=in_order(data.get("record", TABLES)),
        )

    def differences(self, other: ResolvedExperiment) -> list[str]:
        """Word each way in which `other` would give other results, e.g. `seed: 1 there, 2 now`."""
        mine, theirs = json.loads(json.dumps(self.essence())), json.loads(json.dumps(other.essence()))
        if [s.spec for s in self.strategies] == [s.spec for s in other.strategies]:
            for essence in (mine, theirs):
                essence["strategies"] = {strategy["spec"]: strategy for strategy in essence["strategies"]}
        return [
            f"{key.removesuffix('.sha256')}: {_changed(there, here)}"
            if key.endswith(".sha256")
            else f"{key}: {there} there, {here} now"
            for key, there, here in _walk(mine, theirs)
        ]


def period(ids: Sequence[int]) -> int:
    """Count the distinct rotations of a lineup.

    >>> period((0, 1, 0, 1))
    2
    """
    return next(r for r in range(1, len(ids) + 1) if tuple(ids[r:]) + tuple(ids[:r]) == tuple(ids))


def bundled() -> dict[str, Path]:
    """Map the names of the experiments that come with the package to their files."""
    folder = Path(str(resources.files("rsc_sim"))) / "experiments"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def _changed(there: str | None, here: str | None) -> str:
    """Say that a strategy is not the one that it was, by the first digits of the digests of its file."""
    return f"its file has changed since (SHA-256 {(there or 'none')[:12]} then, {(here or 'none')[:12]} now)"


def _check_intervention(intervention: Intervention, rules: Mapping[str, Any], seats: int) -> None:
    if intervention.seat >= seats:
        raise InputError(f"intervention.seat: {intervention.seat}, but the seats are 0 to {seats - 1}")
    if intervention.kind not in rules["cards"]:
        hint = nearest(intervention.kind, rules["cards"])
        raise InputError(f"intervention.kind: {intervention.kind}: no such card in the ruleset{hint}")


def file_order(rules: Mapping[str, Any]) -> list[str]:
    """Give a deck's kinds, one a copy, in the order of the ruleset's file, which is what no `deal_order` means."""
    return [kind for kind, card in rules["cards"].items() for _ in range(card["copies"])]


def _walk(there: Any, here: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(there, dict) and isinstance(here, dict):
        for name in [*there, *(name for name in here if name not in there)]:
            yield from _walk(there.get(name, "absent"), here.get(name, "absent"), f"{key}.{name}" if key else name)
    elif there != here:
        yield key, there, here
