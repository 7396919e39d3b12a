"""What goes wrong: one clear message, the right exit code, nothing left half done."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rsc_sim.play
from rsc_sim import engine
from rsc_sim.errors import StrategyError
from rsc_sim.store import RunStore

QUICK = ("--lineup", "collector,random", "--games", "300")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rnu"], "No such command 'rnu'"),
        (["run", "--foo"], "--foo"),
        (["run", "--games", "many"], "expected a whole number of games such as 1000, 100k or 1e6, came 'many'"),
        (["run", "--games", "0"], "expected a whole number of games"),
        (["run", "--games", "1.5"], "expected a whole number of games"),
        (["run", "--games", "1e20"], "games: expected"),
        (["run", "--seed", "-1"], "seed: expected a number at least 0, came -1"),
        (["run", "--seed", str(2**64)], "seed: expected"),
        (["run", "--jobs", "0"], "--jobs"),
        (["run", "--lineup", "collector"], "lineup: a table has 2 to 8 seats"),
        (["run", "--lineup", "colector,random"], "did you mean collector?"),
        (["run", "--lineup", "random,,random"], "lineup"),
        (["run", "--lineup", "random(,random"], "lineup"),
        (["run", "--set", "escape_treshold=3"], "did you mean escape_threshold?"),
        (["run", "--set", "escape_threshold"], "escape_threshold"),
        (["run", "--set", "cards.mug.copies=-1"], "cards.mug.copies"),
        (["run", "--set", "hand_size=60"], "hand"),
        (["run", "--rules", "nowhere.toml"], "nowhere.toml"),
        (["run", "nowhere.toml"], "nowhere.toml: cannot read"),
        (["run", "basline"], "did you mean baseline?"),
        (["run", "--resume"], "--out"),
        (["run", "--resume", "--out", "nowhere"], "nowhere: no such run directory"),
        (["replay", "nowhere", "--game", "0"], "nowhere: no such run directory"),
        (["replay", "nowhere"], "--game"),
        (["replay", "nowhere", "--game", "-1"], "--game"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_bad_input_is_explained_and_ends_with_2(rsc: Any, tmp_path: Path, arguments: list[str], words: str) -> None:
    code, out, err = rsc(*arguments)
    assert code == 2
    assert err.startswith("rsc: ")
    assert words in " ".join(err.split())
    assert "Traceback" not in err
    assert out == ""
    assert len(err.splitlines()) <= 3
    assert not (tmp_path / "runs").exists()


def test_a_foreign_folder_is_left_untouched(rsc: Any, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    code, _, err = rsc("run", *QUICK, "--out", "mine")
    assert code == 2
    assert "mine: holds something else (thesis.txt)" in err
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_finished_run_is_not_played_over(rsc: Any, tmp_path: Path) -> None:
    rsc("run", *QUICK, "--out", "here")
    before = (tmp_path / "here" / "manifest.json").read_bytes()
    code, _, err = rsc("run", *QUICK, "--out", "here")
    assert (code, "holds a finished run" in err) == (2, True)
    assert (tmp_path / "here" / "manifest.json").read_bytes() == before


def test_a_second_run_into_the_same_folder_is_told_who_is_there(rsc: Any, tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "here", {}):
        for more in ((), ("--resume",)):
            code, _, err = rsc("run", *QUICK, "--out", "here", *more)
            assert code == 2
            assert f"is being written by process {os.getpid()}" in err or "manifest" in err


def test_resume_refuses_another_experiment(rsc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any, **how: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(engine, "play_blocks", failing)
        code, _, err = rsc("run", *QUICK, "--out", "here")
        assert (code, "out of memory" in err) == (5, True)
    code, _, err = rsc("run", *QUICK, "--out", "here", "--resume", "--seed", "2")
    assert code == 2
    assert "seed: 1 there, 2 now" in err
    code, _, err = rsc("run", *QUICK, "--out", "here")
    assert (code, "go on with it: rsc run --resume --out here" in err) == (2, True)
    assert rsc("run", "--out", "here", "--resume").code == 0


def test_a_failing_strategy_ends_with_4_and_the_way_to_see_it(rsc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any, **how: Any) -> Any:
        error = StrategyError("returned 7 for a decision with 4 moves (game 12, turn 3, seat 1)")
        error.game, error.seat = 12, 1  # type: ignore[attr-defined]
        raise error

    monkeypatch.setattr(engine, "play_blocks", failing)
    code, _, err = rsc("run", *QUICK, "--out", "here")
    assert code == 4
    assert "rsc: strategy 'random' returned 7" in err  # rotation 0 of collector, random
    assert "rsc replay here --game 12" in err
    # The run has no games yet, and the game can still be told.
    replayed = rsc("replay", "here", "--game", "12")
    assert replayed.code == 0
    assert "could not be compared" in replayed.out


def test_an_error_of_ours_ends_with_70_and_says_where_the_traceback_is(
    rsc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: Any, **how: Any) -> Any:
        raise KeyError("oops")

    monkeypatch.setattr(rsc_sim.play, "run_experiment", broken)
    code, _, err = rsc("run", *QUICK)
    assert code == 70
    assert "our fault: KeyError: 'oops'" in err
    assert "RSC_DEBUG=1" in err
    assert "Traceback" not in err
    monkeypatch.setenv("RSC_DEBUG", "1")
    assert "Traceback" in rsc("run", *QUICK).err


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, 5), (errno.EROFS, 5)])
def test_a_disk_that_refuses_ends_with_5(rsc: Any, monkeypatch: pytest.MonkeyPatch, number: int, code: int) -> None:
    def refuse(self: Path, *arguments: Any, **how: Any) -> None:
        raise OSError(number, os.strerror(number), str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    outcome = rsc("run", *QUICK, "--out", "here")
    assert outcome.code == code
    assert "here" in outcome.err


def test_a_full_disk_keeps_what_is_there_and_the_run_goes_on_when_there_is_room(
    rsc: Any, start_rsc: Any, tmp_path: Path
) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    arguments = ("run", "--lineup", "random,random", "--games", "3000", "--out", "here")
    process = start_rsc(*arguments, preexec_fn=little_room)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 5
    assert "no room left on the disk" in err
    assert "rsc run --resume --out here" in err
    assert rsc("run", "--resume", "--out", "here").code == 0


def test_a_closed_pipe_is_no_error(start_rsc: Any) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = start_rsc("strategies", stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")


def test_help_and_version_import_nothing_heavy() -> None:
    code = (
        "import sys, rsc_sim; from rsc_sim.cli import main; main(['--help']); main(['--version']); dir(rsc_sim); "
        "print(sorted({'numpy', 'polars', 'joblib', 'pydantic', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_run_imports_neither_scipy_nor_matplotlib() -> None:
    code = (
        "import sys, tempfile; from rsc_sim.cli import main; "
        "main(['run', '--games', '1000', '--out', tempfile.mkdtemp(), '--lineup', 'collector,random']); "
        "print(sorted({'scipy', 'matplotlib', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
