"""What a comparison starts from: a run, a reference folder or a ruleset.

A *reference folder* is a run of which only so much is kept as fits into a repository: the manifest, `summary.json`,
`traces.parquet` with what the first 50,000 games came to, and `golden.jsonl` with every event of 20 of them. A whole
run directory serves as well, with all its games; a ruleset, or the name of an experiment, has no games and is played
when it is compared. Nothing is compared here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rsc_sim.errors import EnvironmentFailure, InputError
from rsc_sim.experiment import Experiment, ResolvedExperiment, bundled
from rsc_sim.plan import LEAF_BLOCKS
from rsc_sim.run import Run
from rsc_sim.store import read_manifest

if TYPE_CHECKING:
    import polars as pl

    from rsc_sim.summary import Summary

__all__ = [
    "GOLDEN_GAMES",
    "REFERENCE_GAMES",
    "Baseline",
    "Golden",
    "is_experiment",
    "open_baseline",
    "trace_columns",
    "write_reference",
]

REFERENCE_GAMES = 50_000
"""Games whose traces a reference folder keeps, rounded up to whole blocks: 8 bytes each that nothing compresses."""
GOLDEN_GAMES = 20


@dataclass(frozen=True)
class Golden:
    """One game of a reference folder, event by event."""

    game: int
    lineup: tuple[str, ...]
    events: tuple[tuple[Any, ...], ...]
    """`(turn, what, seat, kind, target, choice, own)` each, as `Game.events` gives them."""


@dataclass(frozen=True)
class Baseline:
    """Hold what is compared with: an experiment, and what is known of its games."""

    kind: Literal["run", "reference", "rules"]
    name: str
    """How it was named."""
    experiment: ResolvedExperiment
    path: Path | None = None
    manifest: dict[str, Any] = field(default_factory=dict)

    @property
    def n_games(self) -> int:
        """Games that it holds, from the first on; 0 for a ruleset."""
        if self.kind == "run":
            return self.experiment.n_games
        if self.kind == "reference":
            blocks = -(-REFERENCE_GAMES // self.experiment.rotations)
            return min(blocks, self.experiment.n_blocks) * self.experiment.rotations
        return 0

    def digest_of(self, *, full: bool) -> tuple[int, str]:
        """Give blocks from the first on and the digest that they have: the least that hold 50,000 games, or all."""
        played = self.experiment
        if full:
            return played.n_blocks, str(self.manifest["outcome_digest"])
        for leaves, digest in sorted((int(n), d) for n, d in self.manifest["prefix_digests"].items()):
            blocks = min(leaves * LEAF_BLOCKS, played.n_blocks)
            if blocks * played.rotations >= REFERENCE_GAMES or blocks == played.n_blocks:
                return blocks, str(digest)
        raise InputError(f"{self.name}: the manifest has no digest; play it again")

    def games(self) -> pl.DataFrame:
        """Give the columns of `games` that comparisons need, for the games that it holds."""
        import polars as pl

        wanted = trace_columns(self.experiment.seats)
        if self.kind == "run":
            assert self.path is not None
            return Run.open(self.path).games.select(wanted).collect(engine="streaming")
        assert self.path is not None
        file = self.path / "traces.parquet"
        try:
            frame = pl.read_parquet(file)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise EnvironmentFailure(
                f"{file}: cannot be read ({str(error).splitlines()[0]}); fetch it again, or renew the reference with "
                f"rsc check {self.path} --accept"
            ) from None
        if frame.columns != wanted or frame.height != self.n_games:
            raise InputError(
                f"{file}: expected {self.n_games:,} games with {', '.join(wanted)}; it is of another version, or cut "
                f"short: renew it with rsc check {self.path} --accept"
            )
        return frame

    def golden(self) -> list[Golden]:
        """Read the games that are kept event by event; none for a run or a ruleset."""
        if self.kind != "reference" or self.path is None:
            return []
        file = self.path / "golden.jsonl"
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
            entries = [json.loads(line) for line in lines]
            return [
                Golden(entry["game"], tuple(entry["lineup"]), tuple(tuple(event) for event in entry["events"]))
                for entry in entries
            ]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file}: cannot be read: {error}") from None


def open_baseline(name: str, *, lineup: Sequence[str] | None = None, seed: int | None = None) -> Baseline:
    """Find a baseline by what a person names: a run directory, a reference folder, a ruleset, or an experiment.

    `lineup` and `seed` are for a ruleset or experiment, which is yet to be played. Raises `InputError` where there is
    nothing of the kind, or where what was played does not fit what is asked.
    """
    path = Path(name)
    if path.is_dir():
        return _open_folder(path, lineup, seed)
    changes = {"lineup": lineup, "seed": seed}
    changes = {key: value for key, value in changes.items() if value is not None}
    if name in bundled() or is_experiment(path):
        described = Experiment.load(name if name in bundled() else path)
    elif name == "booklet" or path.suffix in {".toml", ".csv"}:
        described = Experiment.load("baseline").changed(name="check", rules=name, folder=Path(), description="")
    elif path.exists():
        raise InputError(f"{name}: expected a run directory, a folder such as reports/baseline, or a ruleset file")
    else:
        known = ", ".join(sorted(bundled()))
        raise InputError(
            f"{name}: no such file or folder; a baseline is a run directory, a folder such as reports/baseline, a "
            f"ruleset file, booklet, or one of the experiments {known}"
        )
    return Baseline("rules", name, (described.changed(**changes) if changes else described).resolve())


def _open_folder(path: Path, lineup: Sequence[str] | None, seed: int | None) -> Baseline:
    manifest = read_manifest(path)
    run = Run(manifest, path=path)
    if not run.complete:
        raise InputError(f"{path}: the run is unfinished; go on with it first: rsc run --resume --out {path}")
    played = run.experiment
    if lineup is not None:
        from rsc_sim.strategy import resolve

        asked = tuple(resolve(spec).spec for spec in lineup)
        if asked != played.lineup:
            raise InputError(
                f"{path}: was played by {', '.join(played.lineup)}, not by {', '.join(asked)}; only like can be "
                "compared with like: leave out --lineup, or play a baseline with these strategies"
            )
    if seed is not None and seed != played.seed:
        raise InputError(
            f"{path}: was played with seed {played.seed}, not {seed}; only the same deals can be compared: leave out "
            "--seed, or play a baseline with that seed"
        )
    whole = (path / "games").is_dir()
    return Baseline("run" if whole else "reference", str(path), played, path, manifest)


def trace_columns(seats: int) -> list[str]:
    """Name the columns of `games` that comparisons need."""
    of_seats = [f"{column}_{seat}" for seat in range(seats) for column in ("strategy", "won")]
    return ["game", "trace", "first_seat", "turns", "end", *of_seats]


def is_experiment(path: Path) -> bool:
    """Tell an experiment file from a ruleset: it has a lineup."""
    import tomllib

    if path.suffix != ".toml":
        return False
    with suppress(OSError, ValueError), path.open("rb") as file:
        return "lineup" in tomllib.load(file)
    return False


# ---- writing a reference folder


def write_reference(run: Run, summary: Summary, folder: Path) -> None:
    """Keep of a run what a reference folder holds; files that are there are replaced one by one, the manifest last."""
    import polars as pl

    from rsc_sim.store import FORMAT, parquet, write_file, write_json

    played = run.experiment
    games = Baseline("reference", str(folder), played, folder, run.manifest).n_games
    frame = run.games.filter(pl.col("game") < games).select(trace_columns(played.seats)).collect()
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / "traces.parquet", parquet(frame))
    lines = "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in _golden_of(played, games))
    write_file(folder / "golden.jsonl", lines.encode())
    write_json(folder / "summary.json", summary.to_dict())
    kept = {"format": FORMAT, **{key: value for key, value in run.manifest.items() if key not in _OF_ONE_MACHINE}}
    write_json(folder / "manifest.json", kept)


_OF_ONE_MACHINE = {"started", "finished", "jobs", "backend", "seconds", "games_per_second"}
"""What a manifest tells of how a run was played: it would change a reference folder that is renewed without need."""


def _golden_of(experiment: ResolvedExperiment, n_games: int) -> Iterator[dict[str, Any]]:
    """Play the golden games, spread over those that are kept and over the rotations."""
    from rsc_sim.narrate import play_again

    step = max(1, n_games // GOLDEN_GAMES)
    for i in range(min(GOLDEN_GAMES, n_games)):
        number = min(i * step + i % experiment.rotations, n_games - 1)
        replay = play_again(experiment, number)
        events = [[e.turn, e.what, e.seat, e.kind, e.target, e.choice, e.own] for e in replay.events]
        yield {"game": number, "lineup": list(replay.lineup), "events": events}
