"""`rsc cards` as a newcomer meets it."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rsc_sim.cli import main

SMALL = ["cards", "--games", "40", "--no-copies"]


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cards", "--help"]) == 0
    assert "Example: rsc cards baseline" in capsys.readouterr().out


def test_a_study_is_told_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(SMALL) == 0
    told = capsys.readouterr()
    assert "What having a card instead of an average one changes" in told.out
    assert "Escape Ticket" in told.out
    assert told.err == ""
    assert max(map(len, told.out.splitlines())) <= 100
    assert sorted(path.name for path in Path("runs/cards-baseline-001").iterdir()) == ["cards.json", "impact.parquet"]


@pytest.mark.parametrize("lineup", ["collector,random", "random,raider,random", "collector," * 7 + "random"])
def test_any_number_of_seats(lineup: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--lineup", lineup, "--out", str(tmp_path / "study"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["kinds"]) == 39
    assert told["study"] == str(tmp_path / "study")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cards", "basline"], "did you mean baseline?"),
        (["cards", "--set", "cards.escape_tickt.copies=3"], "did you mean escape_ticket?"),
        (["cards", "--games", "0"], "whole number of games"),
        (["cards", "--backend", "ray"], "backend"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_folder_that_holds_something_is_refused_before_playing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("")
    assert main(["cards", "--games", "1e9", "--out", str(tmp_path)]) == 2
    assert "holds files already" in capsys.readouterr().err


def test_ctrl_c_stops_it_at_once(start_rsc: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    process = start_rsc("cards", "--games", "1M", "--out", "study")
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in err
    assert not (tmp_path / "study").exists()
