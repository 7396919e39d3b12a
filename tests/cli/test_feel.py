"""`rsc feel` as a newcomer meets it."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rsc_sim.cli import main

SMALL = ["feel", "--games", "40"]


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feel", "--help"]) == 0
    assert "Example: rsc feel baseline" in capsys.readouterr().out


def test_a_study_is_told_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*SMALL, "--seconds-per-turn", "45"]) == 0
    told = capsys.readouterr()
    for words in ("changes of leader a game", "at 45 seconds a turn (assumed)", "Where luck comes from", "legal moves"):
        assert words in told.out
    assert told.err == ""
    assert max(map(len, told.out.splitlines())) <= 100
    assert "nan" not in told.out
    assert [path.name for path in Path("runs/feel-baseline-001").iterdir()] == ["feel.json"]


@pytest.mark.parametrize("lineup", ["collector,random", "random,raider,random", "collector," * 7 + "random"])
def test_any_number_of_seats(lineup: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--lineup", lineup, "--out", str(tmp_path / "study"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["study"] == str(tmp_path / "study")
    assert told["figures"]["moves"]["value"] > 1


def test_games_that_nobody_wins_are_told_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--out", str(tmp_path / "study"), "--set", "escape_threshold=99999", "--set", "max_rounds=10"]
    assert main([*SMALL, *out]) == 0
    told = capsys.readouterr().out
    assert "No game had one winner" in told
    assert "Luck makes no difference to who wins" in told
    assert "games were stopped there" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["feel", "basline"], "did you mean baseline?"),
        (["feel", "--games", "0"], "whole number of games"),
        (["feel", "--backend", "ray"], "backend"),
        (["feel", "--seconds-per-turn", "-1"], "seconds_per_turn: expected seconds above 0"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_folder_that_holds_something_is_refused_before_playing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("")
    assert main(["feel", "--games", "1e9", "--out", str(tmp_path)]) == 2
    assert "holds files already" in capsys.readouterr().err


def test_ctrl_c_stops_it_at_once(start_rsc: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    process = start_rsc("feel", "--games", "1M", "--lineup", "search,search", "--out", str(tmp_path / "study"))
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in err
    assert not (tmp_path / "study").exists()
