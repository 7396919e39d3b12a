"""Experiments: which rules, which strategies at the table, how many games, which seed.

`Experiment` is what a person writes, in a TOML file, in flags or in Python. `resolve()` turns it into a
`ResolvedExperiment`, which holds everything that results may depend on and nothing else: the ruleset in full, the
order of the deal, the strategies with their parameters, the seed and the number of blocks. How a run is cut into
pieces is decided in `plan`; playing is left to the runner.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from rsc_sim.errors import InputError, nearest

if TYPE_CHECKING:
    from rsc_sim.ruleset import Ruleset

__all__ = [
    "MAX_GAMES",
    "Experiment",
    "Intervention",
    "ResolvedExperiment",
    "ResolvedStrategy",
    "bundled",
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
    lineup: Annotated[tuple[str, ...], Field(strict=False, min_length=MIN_SEATS, max_length=MAX_SEATS)]
    """A strategy for each seat; every distinct rotation of it is played."""
    rules: Annotated[str, Field(min_length=1)] = "booklet"
    """`booklet`, or a ruleset file."""
    overrides: Annotated[dict[str, Any], Field(alias="set")] = {}
    """Figures and switches that differ from the ruleset, by dotted key; the table `[set]` in a file."""
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] = 100_000
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 1
    intervention: Intervention | None = None

    _folder: Path = PrivateAttr(default=Path())

    @property
    def seats(self) -> int:
        """How many players sit at the table."""
        return len(self.lineup)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, where: str = "experiment", folder: Path = Path()) -> Self:
        """Validate plain data; `where` names its origin in errors, `folder` is what a relative `rules` starts from.

        Raises `InputError` that names each key which does not fit.
        """
        table = dict(data)
        if isinstance(table.get("set"), Mapping):
            table["set"] = dict(_flatten(table["set"]))
        try:
            experiment = cls.model_validate(table)
        except ValidationError as error:
            raise InputError(_explain(error, where, cls)) from None
        experiment._folder = folder
        return experiment

    @classmethod
    def load(cls, source: str | Path) -> Self:
        """Read a bundled experiment by its name (`baseline`) or an experiment file by its path."""
        text = str(source)
        if isinstance(source, str) and not text.endswith(".toml") and "/" not in text:
            known = bundled()
            if text not in known:
                hint = nearest(text, known) or f": there is {', '.join(sorted(known))}"
                raise InputError(f"experiment {text!r}: no such experiment{hint}, or give the path of a .toml file")
            path = known[text]
        else:
            path = Path(source)
        return cls.from_dict(_read_toml(path), where=path.name, folder=path.parent)

    def changed(self, **changes: Any) -> Self:
        """Return the experiment with some fields replaced and validated again; `overrides` are added to."""
        data = self.model_dump()
        data["set"] = {**data.pop("overrides"), **changes.pop("overrides", {})}
        folder = changes.pop("folder", self._folder)
        return self.from_dict({**data, **changes}, where="", folder=folder)

    def resolve(self) -> ResolvedExperiment:
        """Load the rules, look up the strategies, count the blocks. Raises `InputError` where any of it fails."""
        from rsc_sim.ruleset import Ruleset

        rules = Ruleset.booklet() if self.rules == "booklet" else Ruleset.load(self._folder / self.rules)
        if self.overrides:
            rules = rules.override(self.overrides)
        return ResolvedExperiment.of(
            rules,
            self.lineup,
            name=self.name,
            description=" ".join(self.description.split()),
            games=self.games,
            seed=self.seed,
            intervention=self.intervention,
        )


@dataclass(frozen=True)
class ResolvedStrategy:
    """A strategy as a run records it: its canonical spec, its name and every parameter."""

    spec: str
    name: str
    parameters: dict[str, Any] = field(default_factory=dict)


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
    ) -> Self:
        """Resolve from a ruleset at hand; `lineup` holds specs or strategies, `games` is rounded up to whole blocks."""
        from rsc_sim.strategy import resolve

        rules.check_seats(len(lineup))
        seated = [resolve(str(getattr(entry, "spec", entry))) for entry in lineup]
        distinct = {strategy.spec: strategy for strategy in reversed(seated)}
        specs = list(dict.fromkeys(strategy.spec for strategy in seated))
        ids = tuple(specs.index(strategy.spec) for strategy in seated)
        plain = rules.to_dict()
        order = None if deal_order is None else tuple(deal_order)
        if order is not None and list(order) == _file_order(plain):
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
            strategies=tuple(ResolvedStrategy(s, distinct[s].name, dict(distinct[s].parameters)) for s in specs),
            strategy_ids=ids,
            seed=seed,
            n_blocks=-(-games // period(ids)),
            intervention=None if intervention is None else (intervention.seat, intervention.card, intervention.kind),
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
        return {
            "rules": self.ruleset,
            "deal_order": None if self.deal_order is None else list(self.deal_order),
            "strategies": [{"spec": s.spec, "name": s.name, "parameters": s.parameters} for s in self.strategies],
            "strategy_ids": list(self.strategy_ids),
            "seed": self.seed,
            "n_blocks": self.n_blocks,
            "intervention": None if self.intervention is None else list(self.intervention),
        }

    def to_dict(self) -> dict[str, Any]:
        """Give the plain data that a manifest keeps; `from_dict` takes it back."""
        return {
            "name": self.name,
            "description": self.description,
            "games_asked": self.games_asked,
            "lineup": list(self.lineup),
            "rules_digest": self.ruleset_digest,
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
        )

    def differences(self, other: ResolvedExperiment) -> list[str]:
        """Word each way in which `other` would give other results, e.g. `seed: 1 there, 2 now`."""
        mine, theirs = json.loads(json.dumps(self.essence())), json.loads(json.dumps(other.essence()))
        return [f"{key}: {there} there, {here} now" for key, there, here in _walk(mine, theirs)]


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


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise InputError(f"{path}: cannot read the experiment: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Turn nested tables into dotted keys: TOML reads `cards.mug.copies = 3` as nested tables, people mean one key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


_WORDS = {
    "a valid tuple": "a list of strategies",
    "greater than or equal to": "a number at least",
    "less than or equal to": "a number at most",
    "a valid ": "a ",
    "a integer": "a whole number",
}


def _explain(error: ValidationError, where: str, model: type[BaseModel]) -> str:
    known = [f.alias or name for name, f in model.model_fields.items()]
    lines = []
    for problem in error.errors():
        key = ".".join(str(part) for part in problem["loc"]) or "(file)"
        if problem["type"] == "extra_forbidden":
            near = known if len(problem["loc"]) == 1 else list(Intervention.model_fields)
            lines.append(f"{key}: no such key{nearest(str(problem['loc'][-1]), near)}")
        elif problem["type"] == "missing":
            lines.append(f"{key}: missing")
        elif key == "lineup" and problem["type"] in {"too_short", "too_long"}:
            came = len(problem["input"])
            if len(error.errors()) > 1 and MIN_SEATS <= came <= MAX_SEATS:
                continue  # short only of the entries that are complained about already
            lines.append(f"lineup: a table has {MIN_SEATS} to {MAX_SEATS} seats, this lineup has {came}")
        elif problem["type"] == "string_pattern_mismatch":
            lines.append(f"{key}: expected letters, digits, '_', '.' and '-' only, came {problem['input']!r}")
        else:
            expected = problem["msg"].removeprefix("Input should be ")
            for theirs, ours in _WORDS.items():
                expected = expected.replace(theirs, ours)
            lines.append(f"{key}: expected {expected}, came {problem['input']!r}")
    return "\n     ".join(f"{where}: {line}" if where else line for line in lines)


def _check_intervention(intervention: Intervention, rules: Mapping[str, Any], seats: int) -> None:
    if intervention.seat >= seats:
        raise InputError(f"intervention.seat: {intervention.seat}, but the seats are 0 to {seats - 1}")
    if intervention.kind not in rules["cards"]:
        hint = nearest(intervention.kind, rules["cards"])
        raise InputError(f"intervention.kind: {intervention.kind}: no such card in the ruleset{hint}")


def _file_order(rules: Mapping[str, Any]) -> list[str]:
    return [kind for kind, card in rules["cards"].items() for _ in range(card["copies"])]


def _walk(there: Any, here: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(there, dict) and isinstance(here, dict):
        for name in [*there, *(name for name in here if name not in there)]:
            yield from _walk(there.get(name, "absent"), here.get(name, "absent"), f"{key}.{name}" if key else name)
    elif there != here:
        yield key, there, here
