"""A run: what was played and how it came out, as frames.

`Run` reads a run directory, finished or not, or holds a run in memory. It gives frames, the digest and the record of
what was played; it plays nothing and sums up nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from rsc_sim.errors import EnvironmentFailure, InputError
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.recorded import Recorded, how_to_have
from rsc_sim.store import part_path, read_journal, read_manifest, resume_command

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Run"]


class Run:
    """Hold the games of a run and the record of how they were played.

    >>> run = Run.open("runs/baseline-001")  # doctest: +SKIP
    >>> run.seats.group_by("place").agg(pl.col("won").mean()).collect()  # doctest: +SKIP
    """

    def __init__(
        self,
        manifest: dict[str, Any],
        *,
        path: Path | None = None,
        games: pl.DataFrame | None = None,
        tallies: Mapping[str, Sequence[bytes]] | None = None,
    ) -> None:
        self.manifest = manifest
        """The record of the run, as in `manifest.json`."""
        self.path = path
        """The run directory, None for a run in memory."""
        self.mended: tuple[str, ...] = ()
        """Files that were damaged or lost when the run was gone on with, and were made again."""
        self._games = games
        self._tallies = tallies or {}

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a run directory. Raises `InputError` where there is none."""
        folder = Path(path)
        return cls(read_manifest(folder), path=folder)

    @property
    def games(self) -> pl.LazyFrame:
        """The `games` frame, a row a game in order of `game`; of an unfinished run, the parts that are whole."""
        self.require("games")
        return self._games.lazy() if self._games is not None else self._scan("games")

    @property
    def cards(self) -> pl.LazyFrame:
        """The `cards` frame: by batch, strategy, kind and event, the seat-games, the copies and the wins in 1/840."""
        return self._tallied("cards")

    @property
    def windows(self) -> pl.LazyFrame:
        """The `windows` frame: by batch, strategy, round and what was lacking, the escape windows."""
        return self._tallied("windows")

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        """What was kept of its games: some of `games`, `cards` and `windows`."""
        return self.asked.record

    def require(self, *tables: Recorded) -> None:
        """Raise `InputError` where one of some tables was not recorded, with how to have it."""
        if missing := [table for table in tables if table not in self.recorded]:
            there = ", ".join(self.recorded) or "nothing"
            raise InputError(
                f"{self.path or 'this run'}: its {missing[0]} were not recorded ({there} was: the experiment's key "
                f"`record`)\n     {how_to_have(self.recorded, tables, self.path)}"
            )

    def _tallied(self, table: Recorded) -> pl.LazyFrame:
        from rsc_sim.frames import summed

        self.require(table)
        return summed(table, self._scan(table))

    def _scan(self, table: Recorded) -> pl.LazyFrame:
        """Read a table, part by part in order of blocks."""
        import polars as pl

        if self.path is None:
            held: list[IO[bytes]] = [BytesIO(part) for part in self._tallies[table]]
            return pl.scan_parquet(held)
        journal = read_journal(self.path)
        if not journal and not self.complete:
            raise InputError(f"{self.path}: no games are written yet; go on with it: {resume_command(self.path)}")
        parts = [part_path(self.path, number, table) for number in journal]
        there = sum(record.n_games for record in journal.values())
        lost = [part for part in parts if not part.is_file()]
        if lost or (self.complete and there != len(self)):
            what = lost[0] if lost else f"{self.path}/games/parts.jsonl: {len(self) - there:,} games are"
            raise EnvironmentFailure(
                f"{what} missing; the run has lost games\n     play them again with: {resume_command(self.path)}"
            )
        try:
            str(self.path).encode()
        except UnicodeEncodeError:  # Polars knows no such names
            files: list[IO[bytes]] = [BytesIO(part.read_bytes()) for part in parts]
            return pl.scan_parquet(files)
        return pl.scan_parquet(parts)

    @property
    def seats(self) -> pl.LazyFrame:
        """The tidy frame, a row a seat and game: who sat there, at which place, and how it came out."""
        from rsc_sim.frames import seats_frame

        return seats_frame(self.games)

    @cached_property
    def experiment(self) -> ResolvedExperiment:
        """What was played, with all that the results depend on; its blocks are those played where it ended early."""
        blocks = self.manifest.get("precision", {}).get("blocks")
        return self.asked if blocks is None else replace(self.asked, n_blocks=blocks)

    @cached_property
    def asked(self) -> ResolvedExperiment:
        """What was to be played: the same, but for a run that ended when win shares were known well enough."""
        try:
            return ResolvedExperiment.from_dict(self.manifest["experiment"])
        except (KeyError, TypeError) as error:
            raise InputError(f"{self.path}: the manifest's experiment cannot be read: {error}") from None

    @property
    def watched(self) -> bool:
        """Whether win shares decided when it ended, so that their intervals have to allow for that."""
        return self.asked.precision is not None

    @property
    def complete(self) -> bool:
        """Whether every game was played."""
        return bool(self.manifest["state"] == "complete")

    @property
    def outcome_digest(self) -> str:
        """SHA-256 that two runs share when they came out alike, game for game. Raises `InputError` while unfinished."""
        if not self.complete:
            raise InputError(f"{self.path}: the run is unfinished and has no digest yet")
        return str(self.manifest["outcome_digest"])

    def __len__(self) -> int:
        if self.complete:
            return self.experiment.n_games
        return sum(record.n_games for record in read_journal(self.path).values()) if self.path else 0

    def __repr__(self) -> str:
        played = self.experiment
        state = f"digest {self.outcome_digest[:12]}" if self.complete else "unfinished"
        where = "in memory" if self.path is None else str(self.path)
        return (
            f"<Run {played.name}: {len(self):,} games of {', '.join(played.lineup)} by {played.ruleset['name']}, "
            f"seed {played.seed}, {state}, {where}>"
        )
