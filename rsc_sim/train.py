"""Fits the weights of a strategy to a field of opponents, by CMA-ES on the share of games that it wins.

Every candidate of a generation plays the same deals, each generation has deals of its own, and the learning curve is
taken on deals that no generation plays. What is written down after each generation is what was asked and how each
candidate fared: since candidates follow from that, a training is resumed by asking and telling again without playing,
and comes out the same to the last decimal, on any number of jobs.

Source of the method: Hansen, N. (2016), The CMA Evolution Strategy: A Tutorial, arXiv:1604.00772; as in package `cma`.
"""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from rsc_sim.analysis.intervals import Estimate, share_estimate
from rsc_sim.engine import Cancelled, CompiledRules, play_blocks
from rsc_sim.errors import EnvironmentFailure, InputError, StrategyError, name_failure
from rsc_sim.experiment import period
from rsc_sim.features import DESCRIPTIONS, FEATURES
from rsc_sim.jobs import Stop
from rsc_sim.store import write_file
from rsc_sim.strategy import resolve, split_lineup
from rsc_sim.weights import Weights

if TYPE_CHECKING:
    from rsc_sim.strategy import Strategy

__all__ = [
    "CHECKPOINT",
    "HELD_OUT",
    "Asked",
    "Point",
    "State",
    "Trained",
    "Training",
    "fields_of",
    "named",
    "needed",
    "start_from",
    "train",
]

HELD_OUT = 2**31
"""First block of the deals that the learning curve is taken on; training begins at block 0 and never gets there."""
HELD_OUT_GAMES = 20_000
"""Games a field of a point of the curve, always the same ones."""
CURVE_EVERY = 10
"""Generations from one point of the curve to the next."""
CHECKPOINT = "training.json"
"""What is written after each generation, in the training's folder."""
FORMAT = 1
_WIN = 840
"""Parts of a win that 1 to 8 winners can share."""


@dataclass(frozen=True)
class Asked:
    """Hold all that a training depends on, but for the number of generations."""

    name: str
    against: tuple[tuple[str, ...], ...]
    """Fields: the specs of the opponents of a table each."""
    rules: Mapping[str, Any]
    seed: int = 1
    games: int = 2_000
    """Games of a candidate against a field in a generation, rounded up to whole blocks."""
    population: int = 20
    step: float = 0.5
    """How far the first candidates spread, in weights."""
    start: tuple[float, ...] = tuple(float(DESCRIPTIONS[feature].lean) for feature in FEATURES)
    sources: Mapping[str, str | None] = field(default_factory=dict)
    """Digest of each opponent that comes from a file."""
    begun_from: str = ""
    """In words, what `start` was taken from; empty for the leans. Nothing depends on it."""

    @classmethod
    def of(cls, name: str, against: Sequence[Sequence[str]], *, rules: Mapping[str, Any], **figures: Any) -> Self:
        """Ask for a training against fields of opponents' specs; `rules` is a ruleset in full, as plain data."""
        fields = [[resolve(spec) for spec in opponents] for opponents in against]
        specs = tuple(tuple(opponent.spec for opponent in opponents) for opponents in fields)
        return cls(name, specs, dict(rules), sources=_sources(fields), **figures)

    @property
    def seats(self) -> int:
        """How many sit at a table."""
        return len(self.against[0]) + 1

    @property
    def n_blocks(self) -> int:
        """Blocks of a candidate against a field in a generation."""
        return -(-self.games // self.seats)


class Point(NamedTuple):
    """A point of the learning curve: how the mean of the search fared on deals kept for this, field by field."""

    generation: int
    fields: tuple[Estimate, ...]


@dataclass
class State:
    """What has come of a training so far: the objective of each candidate of each generation, and the curve."""

    asked: Asked
    fared: list[list[float]] = field(default_factory=list)
    curve: list[Point] = field(default_factory=list)

    @property
    def generation(self) -> int:
        """Generations that are done."""
        return len(self.fared)

    def to_json(self) -> str:
        """Give the text that a checkpoint holds; numbers come back from it to the last bit."""
        curve = [{"generation": p.generation, "fields": [asdict(e) for e in p.fields]} for p in self.curve]
        return json.dumps({"format": FORMAT, "asked": asdict(self.asked), "fared": self.fared, "curve": curve})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a checkpoint. Raises `InputError` where there is none, or one that cannot be read."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data["format"] != FORMAT:
                raise InputError(f"{path}: a training of another version of rsc-sim (its format is {data['format']})")
            asked = dict(data["asked"])
            asked["against"] = tuple(tuple(opponents) for opponents in asked["against"])
            asked["start"] = tuple(asked["start"])
            curve = [Point(p["generation"], tuple(Estimate(**e) for e in p["fields"])) for p in data["curve"]]
            return cls(Asked(**asked), [[float(x) for x in fared] for fared in data["fared"]], curve)
        except FileNotFoundError:
            raise InputError(f"{path}: no training there to go on with") from None
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path}: not a training's checkpoint: {error}") from None


def fields_of(text: str, *, seats: int = 4) -> tuple[tuple[str, ...], ...]:
    """Read fields as people write them: strategies by commas, each filling a table; `a+b+c` names all opponents.

    >>> fields_of("raider, rusher+raider+collector")
    (('raider', 'raider', 'raider'), ('rusher', 'raider', 'collector'))
    """
    fields = []
    for entry in split_lineup(text):
        opponents = [part.strip() for part in entry.split("+")]
        if len(opponents) == 1:
            opponents *= seats - 1
        if len(opponents) != seats - 1 or not all(opponents):
            raise InputError(
                f"field {entry!r}: expected one strategy for all opponents, or {seats - 1} of them with + between, "
                f"for a table of {seats} seats"
            )
        fields.append(tuple(resolve(spec).spec for spec in opponents))
    return tuple(fields)


def start_from(spec: str) -> dict[str, Any]:
    """Give what `Asked` holds of weights to start from, by their name or file: `start` and `begun_from`.

    Since the weights that are found may take their name, their digest and their own command go on record with it.
    """
    strategy = resolve(spec)
    weights = strategy.source.target if strategy.source is not None else None
    if not isinstance(weights, Weights):
        raise InputError(f"--start {spec}: expected weights, such as tuned or a .toml; this one is {strategy.kind}")
    made = f", made by `{weights.command}`" if weights.command else ""
    return {"start": tuple(weights.vector), "begun_from": f"{strategy.spec} (weights {weights.digest[:12]}{made})"}


def needed() -> Any:
    """Give the package that training needs; `EnvironmentFailure` says how to install it where it is not there."""
    try:
        import cma  # type: ignore[import-untyped]
    except ImportError:
        raise EnvironmentFailure(
            "training needs the package cma, which is not installed: pip install 'rsc-sim[train]'"
        ) from None
    return cma


class _Normal:
    """Numbers of the standard normal distribution for CMA-ES, from a stream that nobody else draws on."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.Generator(np.random.PCG64(seed))

    def __call__(self, *shape: int) -> npt.NDArray[np.float64]:
        return self._rng.standard_normal(shape)


class Training:
    """A training under way: candidates come from CMA-ES, their shares of games from the engine.

    `generation()` plays one; `weights` are those that the search centres on. Made from a `State` it first tells the
    search again what came of the generations that are done.
    """

    def __init__(self, state: State, *, jobs: int | None = None) -> None:
        cma = needed()
        asked = state.asked
        self.state = state
        self.jobs = jobs or os.cpu_count() or 1
        self._rules = CompiledRules(asked.rules, seats=asked.seats)
        self._opponents = [[resolve(spec) for spec in opponents] for opponents in asked.against]
        self._check_sources()
        self.cancel = bytearray(1)
        options = {"popsize": asked.population, "randn": _Normal(asked.seed), "seed": math.nan, "verbose": -9}
        self._search = cma.CMAEvolutionStrategy(list(asked.start), asked.step, {**options, "verb_log": 0})
        for fared in state.fared:
            self._search.tell(self._search.ask(), fared)

    def _check_sources(self) -> None:
        sources = _sources(self._opponents)
        for spec, digest in self.state.asked.sources.items():
            if sources.get(spec) != digest:
                raise InputError(f"strategy {spec!r}: its file has changed since this training began")

    @property
    def weights(self) -> list[float]:
        """The weights that the search centres on, in the features' order."""
        return [float(x) for x in self._search.mean]

    def generation(self) -> None:
        """Let each candidate play each field on this generation's deals, and learn from it."""
        asked = self.state.asked
        candidates = self._search.ask()
        first = self.state.generation * asked.n_blocks
        if first + asked.n_blocks > HELD_OUT:
            raise InputError(
                f"training: no deals left for generation {self.state.generation}; fewer --games last longer"
            )
        tasks = [(vector, field) for vector in candidates for field in range(len(asked.against))]
        shares = self._play(tasks, first, asked.n_blocks, lambda won: float(won.mean()))
        worst = 0.5 / (asked.n_blocks * asked.seats)
        n = len(asked.against)
        fared = [
            -math.fsum(math.log(max(share, worst)) for share in shares[i * n : (i + 1) * n]) / n
            for i in range(len(candidates))
        ]
        self._search.tell(candidates, fared)
        self.state.fared.append(fared)

    def take_point(self) -> Point:
        """Add a point to the curve: play the centre of the search on the deals kept for this."""
        asked = self.state.asked
        blocks = -(-HELD_OUT_GAMES // asked.seats)
        tasks = [(self.weights, field) for field in range(len(asked.against))]
        point = Point(self.state.generation, tuple(self._play(tasks, HELD_OUT, blocks, _estimate)))
        self.state.curve.append(point)
        return point

    def _play(
        self,
        tasks: Sequence[tuple[Sequence[float], int]],
        first_block: int,
        n_blocks: int,
        reduce: Callable[[npt.NDArray[np.float64]], Any],
    ) -> list[Any]:
        """Play candidates against fields, a thread each; reduce the share won of each block."""

        def one(task: tuple[Sequence[float], int]) -> Any:
            vector, field = task
            bound = Weights.of_vector(vector, name=self.state.asked.name).bind()
            return reduce(self._won(bound, self._opponents[field], first_block, n_blocks))

        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                return list(pool.map(one, tasks))
            except BaseException:
                self.cancel[0] = 1
                pool.shutdown(cancel_futures=True)
                raise

    def _won(
        self, candidate: object, opponents: Sequence[Strategy], first_block: int, n_blocks: int
    ) -> npt.NDArray[np.float64]:
        """Play a candidate against opponents in every rotation; return its share of the wins of each block."""
        specs = list(dict.fromkeys(opponent.spec for opponent in opponents))
        bound = {opponent.spec: opponent.bind() for opponent in opponents}
        ids = [0, *(1 + specs.index(opponent.spec) for opponent in opponents)]
        try:
            rows = play_blocks(
                self._rules,
                [candidate, *(bound[opponent.spec] for opponent in opponents)],
                seed=self.state.asked.seed,
                first_block=first_block,
                n_blocks=n_blocks,
                strategy_ids=ids,
                cancel=self.cancel,
            )
        except StrategyError as error:
            lineup = [self.state.asked.name, *(opponent.spec for opponent in opponents)]
            raise name_failure(error, lineup, period(ids)) from None
        won = np.zeros(len(rows), dtype=np.float64)
        for seat in range(self._rules.seats):
            # Whole parts of a win, so that the sum is the same in whatever order it is taken.
            won += np.where(rows[f"strategy_{seat}"] == 0, np.rint(rows[f"won_{seat}"] * _WIN), 0)
        of_blocks: npt.NDArray[np.float64] = won.reshape(n_blocks, -1).mean(axis=1)
        return of_blocks / _WIN


def _sources(fields: Sequence[Sequence[Strategy]]) -> dict[str, str | None]:
    """Give the digest of each opponent that comes from a file, by its spec."""
    return {s.spec: s.sha256 for opponents in fields for s in opponents if getattr(s, "sha256", None)}


def _estimate(won: npt.NDArray[np.float64]) -> Estimate:
    return share_estimate(float(won.mean()), float(won.var(ddof=1)), len(won))


@dataclass(frozen=True)
class Trained:
    """What came of a training."""

    weights: Weights
    state: State
    folder: Path

    @property
    def file(self) -> Path:
        """The weights, as a file that a spec can name."""
        return self.folder / f"{self.state.asked.name}.toml"

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data."""
        asked, last = self.state.asked, self.state.curve[-1]
        return {
            "weights": str(self.file),
            "digest": self.weights.digest,
            "generations": self.state.generation,
            "against": [list(opponents) for opponents in asked.against],
            "win_share": [estimate.to_dict() for estimate in last.fields],
        }


def train(
    asked: Asked,
    generations: int,
    folder: Path,
    *,
    command: str,
    resume: bool = False,
    jobs: int | None = None,
    on_generation: Callable[[State, int], None] | None = None,
) -> Trained:
    """Train until so many generations are done, and keep in a folder what came of it after each of them.

    The curve gets a point at the start, at every tenth generation and at the last; with it the file of weights is
    written anew. `command` goes into that file. With `resume` the folder's training goes on, if it is the one that is
    asked for. Raises `Interrupted` on Ctrl-C and SIGTERM, with the command that goes on.
    """
    state = _begin(asked, folder, resume=resume)
    training = Training(state, jobs=jobs)
    folder.mkdir(parents=True, exist_ok=True)
    with Stop() as stop:
        training.cancel = stop.cancel
        try:
            while True:
                at = state.generation
                due = at % CURVE_EVERY == 0 or at >= generations
                if due and not (state.curve and state.curve[-1].generation == at):
                    training.take_point()
                trained = Trained(_weights(training, command), state, folder)
                write_file(folder / CHECKPOINT, state.to_json().encode())
                if due:
                    write_file(trained.file, trained.weights.to_toml().encode())
                if on_generation is not None:
                    on_generation(state, generations)
                if at >= generations:
                    return trained
                training.generation()
        except (Cancelled, KeyboardInterrupt):
            raise stop.interruption(
                f"{stop.word} after {state.generation} of {generations} generations; they are kept, go on with\n"
                f"     {command} --resume --out {shlex.quote(str(folder))}"
            ) from None


def _begin(asked: Asked, folder: Path, *, resume: bool) -> State:
    """Give the state to start from: none yet, or what the folder holds of the same training."""
    path = folder / CHECKPOINT
    if not resume:
        if path.exists():
            raise InputError(f"{folder}: holds a training already; go on with it by --resume, or choose another --out")
        return State(asked)
    state = State.load(path)
    there, here = json.loads(json.dumps(asdict(state.asked))), json.loads(json.dumps(asdict(asked)))
    different = [key for key in here if there[key] != here[key] and key != "begun_from"]
    if different:
        key = different[0]
        told = key not in {"rules", "start", "sources"}
        detail = f"{there[key]!r} there, {here[key]!r} now" if told else "not the same there"
        raise InputError(f"{folder}: holds another training: {key}: {detail}")
    return state


def _weights(training: Training, command: str) -> Weights:
    asked, n = training.state.asked, training.state.generation
    fields = ", ".join(named(opponents) for opponents in asked.against)
    text = (
        f"Plays what training found: weights fitted to win against {fields}.\n\n"
        f"By CMA-ES, {n} generations of {asked.population} candidates, {asked.games:,} games each a field"
        f"{', from ' + asked.begun_from if asked.begun_from else ''}."
    )
    return Weights.of_vector(training.weights, name=asked.name, description=text, command=command)


def named(opponents: Sequence[str]) -> str:
    """Word a field: the strategy that fills it, or all of its opponents.

    >>> named(["raider"] * 3), named(["raider", "rusher"])
    ('raider', 'raider+rusher')
    """
    return opponents[0] if len(set(opponents)) == 1 else "+".join(opponents)
