"""The run directory: manifest, parts, journal, lock.

A crash at any moment leaves a directory that can be read and resumed. A part is a file in each of `games`, `cards` and
`windows`, or in those that the run records, written beside, flushed to the disk and renamed; only when all are there
does `games/parts.jsonl`, the journal, gain the line that makes the part count, with the digests of its leaves. What was
played of leaves that are not whole is kept in `pending` meanwhile. The manifest comes first with state `running`, and
last with `complete` and the outcome digest. Which games are played, and what they mean, is left to others.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from rsc_sim.errors import EnvironmentFailure, InputError
from rsc_sim.plan import Part
from rsc_sim.recorded import TABLES, Recorded, in_order

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "FORMAT",
    "TABLES",
    "PartRecord",
    "RunStore",
    "new_run_folder",
    "outcome_digest",
    "parquet",
    "part_path",
    "prefix_digests",
    "read_journal",
    "read_manifest",
    "resume_command",
    "write_file",
    "write_json",
]

FORMAT = 2
"""Version of the directory's layout; a reader refuses another one."""

_PENDING = "pending"
"""Folder of what was played of leaves that are not whole."""
_DIGITS = 32
"""Of the SHA-256 of such a file, in its name."""

_NO_MANIFEST = (
    "     if it was one, put a copy of it back, or play the run again into another folder; the games that are there "
    "can still be read, as Parquet files"
)

_OUT_OF_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@dataclass(frozen=True)
class PartRecord:
    """One line of the journal: a part that is whole."""

    part: int
    first_block: int
    n_blocks: int
    n_games: int
    files: dict[str, tuple[int, str]]
    """By table, the length of its file in bytes and its SHA-256 in hex."""
    leaves: tuple[str, ...]
    """SHA-256, in hex, of the rows of each leaf."""


class RunStore:
    """Hold a run directory open for writing, with its lock.

    Use `create` or `reopen`, then `write_part` in any order, then `finish`; it is a context manager that gives the lock
    back. Every failure of the disk becomes an `EnvironmentFailure` that says how to go on.
    """

    keeps_pieces = True

    def __init__(self, path: Path, lock: IO[str]) -> None:
        self.path = path
        self.manifest: dict[str, Any] = {}
        self.done: dict[int, PartRecord] = {}
        self.damaged: list[str] = []
        """What was found to be damaged or lost when the run was opened, and is not in `done`."""
        self._pieces: dict[tuple[int, int], Path] = {}
        self._lock = lock

    @classmethod
    def create(cls, path: Path, manifest: Mapping[str, Any]) -> Self:
        """Begin a run in a folder that is new or empty. Raises `InputError` where it holds anything, untouched."""
        _refuse_occupied(path)
        with _disk(path):
            path.mkdir(parents=True, exist_ok=True)
        store = cls(path, _take_lock(path))
        try:
            _refuse_occupied(path)  # again, now that nobody else can begin one
            store.manifest = {"format": FORMAT, "state": "running", **manifest}
            store._make_folders()
            store.write_manifest(store.manifest)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def reopen(cls, path: Path) -> Self:
        """Open a run to go on with it; parts that are whole, byte by byte, are in `done`, remains of others are gone.

        A finished run that is whole stays finished. One that is not is unfinished again, and has to come to the digest
        that it had.
        """
        read_manifest(path)
        store = cls(path, _take_lock(path))
        try:
            store.manifest = read_manifest(path)
            store._check()
        except BaseException:
            store.close()
            raise
        return store

    @property
    def tables(self) -> tuple[Recorded, ...]:
        """What a part of this run holds, a file each, in a folder of that name."""
        return in_order(self.manifest.get("experiment", {}).get("record", TABLES))

    def _make_folders(self) -> None:
        with _disk(self.path):
            for table in {"games", *self.tables}:  # the journal is with the games, also where none are recorded
                (self.path / table).mkdir(exist_ok=True)

    def _check(self) -> None:
        """Keep the parts that the journal vouches for, byte by byte; take everything else beside them away."""
        finished = self.manifest["state"] == "complete"
        with _disk(self.path):
            for number, record in read_journal(self.path).items():
                wrong = [
                    f"{table}/{part_path(self.path, number, table).name}"
                    for table in self.tables
                    if not _is_whole(part_path(self.path, number, table), *record.files.get(table, (-1, "")))
                ]
                self.damaged += wrong
                if not wrong:
                    self.done[number] = record
        if finished and outcome_digest(self._leaves()) != self.manifest.get("outcome_digest"):
            if not self.damaged:  # its files are whole, so it is the journal that has lost lines or changed
                self.damaged = [str(_journal_path(self.path).relative_to(self.path))]
                self.done = {}
        elif finished and not self.damaged:
            return
        self._make_folders()
        self._sweep()
        if finished:
            digest = self.manifest.pop("outcome_digest", None)
            self.manifest.pop("prefix_digests", None)
            self.write_manifest({**self.manifest, "state": "running", "came_to": digest})

    def keep_only(self, wanted: Callable[[PartRecord], bool]) -> None:
        """Take parts out of the run again."""
        if not all(wanted(record) for record in self.done.values()):
            self.done = {number: record for number, record in self.done.items() if wanted(record)}
            self._sweep()

    def _sweep(self) -> None:
        """Remove what is beside the parts that are kept, and make the journal theirs."""
        with _disk(self.path):
            # The journal first: cut off in between, files that no line vouches for are nobody's.
            lines = "".join(_journal_line(record) for record in self.done.values())
            _write_atomically(_journal_path(self.path), lines.encode())
            for table in {"games", *self.tables}:
                kept = {_journal_path(self.path)}
                if table in self.tables:
                    kept |= {part_path(self.path, number, table) for number in self.done}
                for path in (self.path / table).iterdir():
                    if path not in kept:
                        path.unlink()

    @property
    def n_games(self) -> int:
        """Games in the parts that are whole."""
        return sum(record.n_games for record in self.done.values())

    def _leaves(self) -> list[str]:
        return [leaf for number in sorted(self.done) for leaf in self.done[number].leaves]

    def pieces(self) -> Iterator[tuple[int, int, bytes]]:
        """Read what was played of leaves that are not whole: first block, blocks, and what `keep_pieces` was given.

        What overlaps with parts or with each other is out, so is what is damaged.
        """
        folder = self.path / _PENDING
        if not folder.is_dir():
            return
        taken = [(record.first_block, record.n_blocks) for record in self.done.values()]
        with _disk(self.path):
            found = [(_piece_of(path), path) for path in folder.iterdir()]
        for (first_block, n_blocks, sha256), path in sorted(found, key=lambda each: -each[0][1]):
            with _disk(self.path):
                data = path.read_bytes()
            sound = hashlib.sha256(data).hexdigest()[:_DIGITS] == sha256
            if n_blocks and not sound:
                self.damaged.append(f"{_PENDING}/{path.name}")
            if not sound or any(first < first_block + n_blocks and first_block < first + n for first, n in taken):
                with _disk(self.path):
                    path.unlink()
                continue
            taken.append((first_block, n_blocks))
            self._pieces[first_block, n_blocks] = path
            yield first_block, n_blocks, data

    def keep_pieces(self, first_block: int, n_blocks: int, data: bytes) -> None:
        """Keep what was played of a leaf that is not whole, instead of whatever is kept of the same blocks."""
        name = f"{first_block:010d}-{n_blocks:04d}-{hashlib.sha256(data).hexdigest()[:_DIGITS]}.npz"
        path = self.path / _PENDING / name
        with _disk(self.path):
            path.parent.mkdir(exist_ok=True)
            _write_atomically(path, data)
        self._forget_pieces(first_block, n_blocks)
        self._pieces[first_block, n_blocks] = path

    def _forget_pieces(self, first_block: int, n_blocks: int) -> None:
        for first, n in list(self._pieces):
            if first_block <= first < first_block + n_blocks:
                with _disk(self.path):
                    self._pieces.pop((first, n)).unlink(missing_ok=True)

    def write_part(
        self, part: Part, frames: Mapping[Recorded, pl.DataFrame], leaves: Sequence[str], n_games: int
    ) -> None:
        """Write a part, a frame for each table that is recorded, and enter it in the journal."""
        files: dict[str, tuple[int, str]] = {}
        for table in self.tables:
            # Through memory, some 4 MB a part: Polars hides the error number when it writes by itself.
            data = parquet(frames[table])
            files[table] = (len(data), hashlib.sha256(data).hexdigest())
            with _disk(self.path):
                _write_atomically(part_path(self.path, part.number, table), data)
        record = PartRecord(
            part=part.number,
            first_block=part.first_block,
            n_blocks=part.n_blocks,
            n_games=n_games,
            files=files,
            leaves=tuple(leaves),
        )
        with _disk(self.path), _journal_path(self.path).open("a", encoding="utf-8") as journal:
            journal.write(_journal_line(record))
            journal.flush()
            os.fsync(journal.fileno())
        self.done[part.number] = record
        self._forget_pieces(part.first_block, part.n_blocks)

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest as a whole."""
        self.manifest = dict(manifest)
        self.write_json("manifest.json", self.manifest)

    def write_json(self, name: str, data: Mapping[str, Any]) -> None:
        """Write a JSON file of the run directory as a whole."""
        write_json(self.path / name, data)

    def finish(self, **facts: Any) -> None:
        """Mark the run complete, with its digests and the facts given.

        Raises `EnvironmentFailure` where a run that had been finished, and was mended, comes to another digest.
        """
        leaves = self._leaves()
        digest, before = outcome_digest(leaves), self.manifest.pop("came_to", None)
        if before not in {None, digest}:
            self.manifest["came_to"] = before
            raise EnvironmentFailure(
                f"{self.path}: what was played again did not come out as before (digest {before[:12]}, now "
                f"{digest[:12]}): "
                "its manifest is damaged, or this is another build of rsc-sim; play the run again into another folder"
            )
        with _disk(self.path):
            shutil.rmtree(self.path / _PENDING, ignore_errors=True)
        self.write_manifest(
            {
                **self.manifest,
                **facts,
                "state": "complete",
                "outcome_digest": digest,
                "prefix_digests": prefix_digests(leaves),
            }
        )

    def close(self) -> None:
        """Give the lock back."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def write_file(path: Path, data: bytes) -> None:
    """Write a file as a whole: beside, flushed to the disk, and renamed; its folder where that is missing."""
    with _disk(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_atomically(path, data)


def write_json(path: Path, data: Mapping[str, Any], *, indent: int | None = 1) -> None:
    """Write a JSON file as a whole."""
    write_file(path, json_bytes(data, indent=indent))


def new_run_folder(root: Path, name: str) -> Path:
    """Make `root/NAME-NNN` with the next free number; two processes never get the same one."""
    with _disk(root):
        root.mkdir(parents=True, exist_ok=True)
        taken = [p.name.removeprefix(f"{name}-") for p in root.iterdir() if p.name.startswith(f"{name}-")]
        number = max((int(text) for text in taken if text.isdecimal()), default=0)
        while True:
            number += 1
            with contextlib.suppress(FileExistsError):
                path = root / f"{name}-{number:03d}"
                path.mkdir()
                return path


def read_manifest(path: Path) -> dict[str, Any]:
    """Read a run's manifest. Raises `InputError` where the folder is no run, or one of a later version."""
    file = path / "manifest.json"
    try:
        manifest = json.loads(file.read_bytes())
    except FileNotFoundError:
        what = "no run there: it has no manifest.json" if path.is_dir() else "no such run directory"
        raise InputError(f"{path}: {what}") from None
    except NotADirectoryError:
        raise InputError(f"{path}: a file; expected a run directory") from None
    except OSError as error:
        raise InputError(f"{file}: cannot read it: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{file}: not the manifest of a run: {error}\n{_NO_MANIFEST}") from None
    if not isinstance(manifest, dict) or "format" not in manifest or "state" not in manifest:
        raise InputError(f"{file}: not the manifest of a run\n{_NO_MANIFEST}")
    if manifest["format"] != FORMAT:
        made_by = manifest.get("versions", {}).get("rsc_sim", "another version")
        raise InputError(
            f"{file}: format {manifest['format']}, this version of rsc-sim reads {FORMAT}; it was made by {made_by}"
        )
    return manifest


def read_journal(path: Path) -> dict[int, PartRecord]:
    """Read which parts are whole, by number, in order of blocks; a last line that a crash tore is no entry."""
    records = {}
    with contextlib.suppress(FileNotFoundError):
        for line in _journal_path(path).read_bytes().split(b"\n"):
            with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
                entry = json.loads(line)
                files = {table: (int(n_bytes), str(sha256)) for table, (n_bytes, sha256) in entry["files"].items()}
                leaves = tuple(bytes.fromhex(leaf).hex() for leaf in entry["leaves"])
                records[int(entry["part"])] = PartRecord(**{**entry, "files": files, "leaves": leaves})
    return dict(sorted(records.items()))


def parquet(frame: pl.DataFrame) -> bytes:
    """Give a frame as the bytes of a Parquet file.

    Level 1, without statistics, costs half of what Polars does by itself (370 ns a game of 4 seats against 780) and
    takes the same room, 30 bytes.
    """
    buffer = BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=1, statistics=False)
    return buffer.getvalue()


def json_bytes(data: Mapping[str, Any], *, indent: int | None = 1) -> bytes:
    """Give plain data as the bytes of a JSON file; what a file's name has that is no UTF-8, as escapes."""
    try:
        return (json.dumps(data, indent=indent, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(data, indent=indent) + "\n").encode()


def part_path(path: Path, number: int, table: str = "games") -> Path:
    """Name the file of a part in one of `TABLES`."""
    return path / table / f"part-{number:05d}.parquet"


def outcome_digest(leaves: Iterable[str]) -> str:
    """Digest a run: SHA-256 over the concatenated digests of its leaves, in order."""
    return hashlib.sha256(b"".join(bytes.fromhex(leaf) for leaf in leaves)).hexdigest()


def prefix_digests(leaves: Sequence[str]) -> dict[str, str]:
    """Give the digest after 1, 2, 4, 8 … leaves and after the last, by number of leaves."""
    counts = [1 << i for i in range(len(leaves).bit_length()) if 1 << i < len(leaves)]
    return {str(n): outcome_digest(leaves[:n]) for n in [*counts, len(leaves)]}


def resume_command(path: Path) -> str:
    """Word the command that goes on with a run."""
    return f"rsc run --resume --out {shlex.quote(str(path))}"


def _refuse_occupied(path: Path) -> None:
    if path.is_dir():
        names = {entry.name for entry in path.iterdir()}
        if "manifest.json" in names:
            state = read_manifest(path)["state"]
            if state == "complete":
                raise InputError(f"{path}: holds a finished run; choose another folder with --out")
            # Somebody may be at it now: then say so rather than offer to resume.
            _take_lock(path).close()
            raise InputError(f"{path}: holds an unfinished run; go on with it: {resume_command(path)}")
        # Empty folders and half a manifest are what is left of a run that was killed before its manifest.
        empty = {name for name in names & set(TABLES) if (path / name).is_dir() and not any((path / name).iterdir())}
        foreign = sorted(names - {".lock", ".manifest.json.tmp"} - empty)
        if foreign:
            raise InputError(
                f"{path}: holds something else ({foreign[0]}{' …' if len(foreign) > 1 else ''}), "
                "left untouched; choose a new or empty folder with --out"
            )
    elif path.exists():
        raise InputError(f"{path}: a file; expected a new or empty folder for the run")


def _take_lock(path: Path) -> IO[str]:
    with _disk(path):
        lock = (path / ".lock").open("a+", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise InputError(f"{path}: is being written by process {holder}") from None
        lock.seek(0)
        lock.truncate()
        lock.write(f"{os.getpid()}\n")
        lock.flush()
    return lock


def _piece_of(path: Path) -> tuple[int, int, str]:
    """Read what a file of pieces is called: first block, blocks (0 if it is none), first digits of its SHA-256."""
    match = re.fullmatch(rf"(\d{{10}})-(\d{{4}})-([0-9a-f]{{{_DIGITS}}})\.npz", path.name)
    return (int(match[1]), int(match[2]), match[3]) if match else (0, 0, "")


def _is_whole(path: Path, n_bytes: int, sha256: str) -> bool:
    if not path.is_file() or path.stat().st_size != n_bytes:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def _journal_path(path: Path) -> Path:
    return path / "games" / "parts.jsonl"


def _journal_line(record: PartRecord) -> str:
    return json.dumps(asdict(record), separators=(",", ":")) + "\n"


def _write_atomically(path: Path, data: bytes) -> None:
    beside = path.with_name(f".{path.name}.tmp")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def _disk(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into an `EnvironmentFailure` that says what is kept and how to go on."""
    try:
        yield
    except OSError as error:
        where = error.filename or path
        reason = "no room left on the disk" if error.errno in _OUT_OF_ROOM else error.strerror or str(error)
        message = f"{where}: {reason}"
        if (path / "manifest.json").exists():
            message += f"\n     what was played is kept; when that is mended: {resume_command(path)}"
        raise EnvironmentFailure(message) from None
