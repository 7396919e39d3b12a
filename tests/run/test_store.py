"""The run directory: whole or resumable whatever happens, and nobody else's folder touched."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rsc_sim.errors import EnvironmentFailure, InputError
from rsc_sim.plan import Part
from rsc_sim.store import (
    TABLES,
    RunStore,
    new_run_folder,
    outcome_digest,
    part_path,
    prefix_digests,
    read_journal,
    read_manifest,
)

FRAME = pl.DataFrame({"game": pl.Series([0, 1, 2], dtype=pl.UInt64)})
FRAMES = {"games": FRAME, "cards": pl.DataFrame({"copies": [1, 2]}), "windows": pl.DataFrame({"windows": [5]})}
LEAF = "ab" * 32


def written(path: Path, *numbers: int) -> None:
    with RunStore.create(path, {"facts": 1}) as store:
        for number in numbers:
            store.write_part(Part(number, number * 3, 3), FRAMES, [LEAF], 3)


def test_a_run_is_running_until_it_is_finished(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", {"facts": 1}) as store:
        assert read_manifest(tmp_path / "run")["state"] == "running"
        store.write_part(Part(0, 0, 3), FRAMES, [LEAF], 3)
        store.finish(seconds=1.0)
    manifest = read_manifest(tmp_path / "run")
    assert manifest["state"] == "complete"
    assert manifest["outcome_digest"] == outcome_digest([LEAF])
    assert manifest["facts"] == 1
    for table in TABLES:
        assert pl.read_parquet(part_path(tmp_path / "run", 0, table)).equals(FRAMES[table])


def test_parts_may_come_in_any_order(tmp_path: Path) -> None:
    digests = []
    for order in ([0, 1], [1, 0]):
        with RunStore.create(tmp_path / str(order), {}) as store:
            for number in order:
                store.write_part(Part(number, number * 3, 3), FRAMES, [f"{number}{number}" * 32], 3)
            store.finish()
        digests.append(read_manifest(tmp_path / str(order))["outcome_digest"])
    assert digests[0] == digests[1]


def test_prefixes_are_digests_of_shorter_runs() -> None:
    leaves = [f"{i:02x}" * 32 for i in range(11)]
    prefixes = prefix_digests(leaves)
    assert list(prefixes) == ["1", "2", "4", "8", "11"]
    assert all(prefixes[n] == outcome_digest(leaves[: int(n)]) for n in prefixes)
    assert list(prefix_digests(leaves[:8])) == ["1", "2", "4", "8"]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("what", ["lost", "cut", "changed"])
def test_a_part_counts_only_while_all_its_files_are_whole(tmp_path: Path, table: str, what: str) -> None:
    path = tmp_path / "run"
    written(path, 0, 1)
    file = part_path(path, 0, table)
    data = file.read_bytes()
    file.unlink()
    if what != "lost":
        file.write_bytes(data[:-1] + (b"?" if what == "changed" else b""))
    with RunStore.reopen(path) as store:
        assert sorted(store.done) == [1]
    for folder in TABLES:
        assert [file.name for file in (path / folder).glob("part-*.parquet")] == ["part-00001.parquet"]


def test_a_crash_between_the_files_of_a_part_leaves_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    real, written_so_far = Path.replace, []
    with RunStore.create(path, {}) as store:

        def dies(self: Path, target: Path) -> Path:
            if len(written_so_far) == 2:
                raise KeyboardInterrupt
            written_so_far.append(target)
            return real(self, target)

        monkeypatch.setattr(Path, "replace", dies)
        with pytest.raises(KeyboardInterrupt):
            store.write_part(Part(0, 0, 3), FRAMES, [LEAF], 3)
        monkeypatch.undo()
    assert [file.parent.name for file in written_so_far] == ["games", "cards"]
    assert read_journal(path) == {}
    with RunStore.reopen(path) as store:
        assert store.done == {}
    assert [file.name for file in path.rglob("*part*") if file.is_file()] == ["parts.jsonl"]


def test_reopening_keeps_whole_parts_and_removes_remains(tmp_path: Path) -> None:
    path = tmp_path / "run"
    written(path, 0, 1, 2)
    part_path(path, 1).write_bytes(part_path(path, 1).read_bytes()[:-1] + b"?")  # same size, other bytes
    part_path(path, 2).write_bytes(b"cut")
    part_path(path, 7).write_bytes(b"never entered in the journal")
    (path / "games" / ".part-00008.parquet.tmp").write_bytes(b"torn")
    with RunStore.reopen(path) as store:
        assert sorted(store.done) == [0]
    assert sorted(entry.name for entry in (path / "games").iterdir()) == ["part-00000.parquet", "parts.jsonl"]
    assert list(read_journal(path)) == [0]


def test_a_torn_line_of_the_journal_is_no_entry(tmp_path: Path) -> None:
    path = tmp_path / "run"
    written(path, 0, 1)
    journal = path / "games" / "parts.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])
    assert list(read_journal(path)) == [0]
    with RunStore.reopen(path) as store:
        assert sorted(store.done) == [0]
        store.write_part(Part(1, 3, 3), FRAMES, [LEAF], 3)
    assert list(read_journal(path)) == [0, 1]


def test_a_run_that_died_before_its_manifest_can_begin_again(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / ".lock").touch()
    written(tmp_path, 0)
    assert list(read_journal(tmp_path)) == [0]


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "games/old.parquet", "cards/mine.csv"])
def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="holds something else"):
        RunStore.create(tmp_path, {})
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / name).read_text() == "mine"


def test_a_finished_run_and_an_unfinished_one_are_told_apart(tmp_path: Path) -> None:
    written(tmp_path / "begun", 0)
    with pytest.raises(InputError, match=r"unfinished run; go on with it: rsc run --resume --out .*begun"):
        RunStore.create(tmp_path / "begun", {})
    with RunStore.reopen(tmp_path / "begun") as store:
        store.finish()
    with pytest.raises(InputError, match="holds a finished run"):
        RunStore.create(tmp_path / "begun", {})


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="a file; expected"):
        RunStore.create(tmp_path / "file", {})
    with pytest.raises(InputError, match="expected a run directory"):
        read_manifest(tmp_path / "file")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}'])
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match="not the manifest of a run"):
        read_manifest(tmp_path)


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 99, "state": "complete"}))
    with pytest.raises(InputError, match="format 99"):
        read_manifest(tmp_path)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", {}):
        for attempt in (lambda: RunStore.create(tmp_path / "run", {}), lambda: RunStore.reopen(tmp_path / "run")):
            with pytest.raises(InputError, match=f"is being written by process {os.getpid()}"):
                attempt()
    RunStore.reopen(tmp_path / "run").close()


def test_new_folders_are_numbered_and_never_shared(tmp_path: Path) -> None:
    names = [new_run_folder(tmp_path / "runs", "x").name for _ in range(2)]
    (tmp_path / "runs" / "x-007").mkdir()
    (tmp_path / "runs" / "x-old").mkdir()
    (tmp_path / "runs" / "xy-050").mkdir()
    names.append(new_run_folder(tmp_path / "runs", "x").name)
    assert names == ["x-001", "x-002", "x-008"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_refuses_is_an_environment_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    with RunStore.create(tmp_path / "run", {}) as store:

        def refuse(descriptor: int) -> Any:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(EnvironmentFailure, match=r"(?s)what was played is kept.*rsc run --resume --out"):
            store.write_part(Part(0, 0, 3), FRAMES, [LEAF], 3)
        monkeypatch.undo()
    with RunStore.reopen(tmp_path / "run") as store:
        assert store.done == {}


def finished(path: Path) -> str:
    written(path, 0, 1)
    with RunStore.reopen(path) as store:
        store.finish()
    return str(read_manifest(path)["outcome_digest"])


def test_a_finished_run_that_is_whole_stays_finished(tmp_path: Path) -> None:
    finished(tmp_path / "run")
    before = (tmp_path / "run" / "manifest.json").read_bytes()
    with RunStore.reopen(tmp_path / "run") as store:
        assert (store.manifest["state"], store.damaged) == ("complete", [])
    assert (tmp_path / "run" / "manifest.json").read_bytes() == before


@pytest.mark.parametrize("what", ["part", "line", "leaf", "binary"])
def test_a_finished_run_that_is_damaged_names_it_and_has_to_come_to_the_same_digest(tmp_path: Path, what: str) -> None:
    path = tmp_path / "run"
    digest = finished(path)
    journal = path / "games" / "parts.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    if what == "part":
        part_path(path, 1, "cards").write_bytes(b"junk")
    elif what == "leaf":
        journal.write_bytes(lines[0] + lines[1].replace(b'"abab', b'"cdcd'))
    else:
        journal.write_bytes(lines[0] + (b"\xff\xfe\n" if what == "binary" else b""))
    with RunStore.reopen(path) as store:
        assert store.damaged == ["cards/part-00001.parquet" if what == "part" else "games/parts.jsonl"]
        assert store.manifest["state"] == "running"
        assert sorted(store.done) == ([0] if what == "part" else [])
        for number in {0, 1} - set(store.done):
            store.write_part(Part(number, number * 3, 3), FRAMES, [LEAF], 3)
        store.finish()
    assert read_manifest(path)["outcome_digest"] == digest
    part_path(path, 1, "cards").unlink()
    with RunStore.reopen(path) as store:
        store.write_part(Part(1, 3, 3), FRAMES, ["cd" * 32], 3)
        with pytest.raises(EnvironmentFailure, match="did not come out as before"):
            store.finish()
    assert read_manifest(path)["state"] == "running"
