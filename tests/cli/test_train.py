"""`rsc train` as a user meets it: the first training, going on, Ctrl-C, weights to start from, what is refused."""

from __future__ import annotations

import json
import re
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rsc_sim import cli_train
from rsc_sim import train as training
from rsc_sim.strategy import resolve
from rsc_sim.weights import load

pytest.importorskip("cma")

QUICK = ("train", "mine", "--against", "random", "--seats", 2, "--games", 8, "--population", 4)
DRAW = cli_train._draw  # by one test; others do without


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "HELD_OUT_GAMES", 40)
    monkeypatch.setattr("rsc_sim.cli_train._draw", lambda trained: [])


def test_a_training_leaves_weights_that_play_and_a_curve(
    rsc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rsc_sim.cli_train._draw", DRAW)
    code, out, err = rsc(*QUICK, "--generations", 2)
    assert (code, err) == (0, "")
    folder = tmp_path / "runs" / "train-mine-001"
    assert "mine: 2 generations against 1 field\n" in out
    assert "random" in out
    assert "runs/train-mine-001/mine.toml" in out
    assert {path.suffix for path in folder.rglob("*.*")} == {".toml", ".json", ".png", ".svg"}
    assert rsc("run", "--lineup", "runs/train-mine-001/mine.toml,random", "--games", 20).code == 0


def test_json_holds_the_shares_won(rsc: Any) -> None:
    told = json.loads(rsc(*QUICK, "--generations", 1, "--json").out)
    assert told["weights"] == "runs/train-mine-001/mine.toml"
    assert told["generations"] == 1
    assert told["against"] == [["random"]]
    assert 0 <= told["win_share"][0]["low"] <= told["win_share"][0]["value"] <= told["win_share"][0]["high"] <= 1


def test_a_training_that_is_gone_on_with_is_the_same_as_one_in_one_go(rsc: Any, tmp_path: Path) -> None:
    assert rsc(*QUICK, "--generations", 3, "--out", "whole").code == 0
    assert rsc(*QUICK, "--generations", 1, "--out", "cut").code == 0
    assert rsc(*QUICK, "--generations", 3, "--out", "cut", "--resume").code == 0
    assert (tmp_path / "cut" / "mine.toml").read_text() == (tmp_path / "whole" / "mine.toml").read_text()
    whole, cut = (training.State.load(tmp_path / folder / training.CHECKPOINT) for folder in ("whole", "cut"))
    assert cut.fared == whole.fared
    assert [point.generation for point in cut.curve] == [0, 1, 3]  # where it ended it has a point


def test_the_command_on_record_trains_the_same_again(rsc: Any, tmp_path: Path) -> None:
    figures = ("--step", 0.25, "--seed", 7, "--set", "hand_size=5", "--start", "tuned", "--generations", 1)
    assert rsc(*QUICK, *figures, "--out", "first").code == 0
    there = load(tmp_path / "first" / "mine.toml")
    program, *words = shlex.split(there.command)
    assert program == "rsc"
    assert rsc(*words, "--out", "second").code == 0
    assert load(tmp_path / "second" / "mine.toml") == there


@pytest.mark.parametrize("start", ["tuned", "other.toml"])
def test_it_starts_from_weights_and_says_which(rsc: Any, tmp_path: Path, start: str) -> None:
    (tmp_path / "other.toml").write_text('command = "rsc train other"\n[weights]\ntables = 3\n')
    assert rsc(*QUICK, "--start", start, "--generations", 1, "--out", "t").code == 0
    begun = resolve(start, folder=tmp_path).source
    assert begun is not None
    state = training.State.load(tmp_path / "t" / training.CHECKPOINT)
    assert list(state.asked.start) == begun.target.vector
    written = load(tmp_path / "t" / "mine.toml")
    assert f"--start {start} " in written.command
    assert begun.target.digest[:12] in written.description
    assert begun.target.command in written.description
    other = ("train", "mine", "--against", "random", "--seats", 2, "--games", 8, "--population", 4)
    refused = rsc(*other, "--generations", 2, "--out", "t", "--resume")
    assert refused.code == 2
    assert "another training: start: not the same there" in refused.err


SITS_LONG = """
import sys
from rsc_sim import train
from rsc_sim.cli import main
train.HELD_OUT_GAMES = 40
sys.exit(main(sys.argv[1:]))
"""


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(rsc: Any, start_python: Any, tmp_path: Path) -> None:
    process = start_python("-c", SITS_LONG, *QUICK, "--generations", 100_000, "--out", "here")
    until = time.monotonic() + 60
    while not (tmp_path / "here" / training.CHECKPOINT).exists() and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    told = re.search(
        r"rsc: interrupted after (\d+) of 100000 generations; they are kept, go on with\n +rsc (.+)\n", err
    )
    assert told is not None, err
    done = training.State.load(tmp_path / "here" / training.CHECKPOINT).generation
    assert done == int(told[1])
    words = shlex.split(told[2].replace("--generations 100000", f"--generations {done + 1}"))
    assert rsc(*words).code == 0
    assert training.State.load(tmp_path / "here" / training.CHECKPOINT).generation == done + 1


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--against", "rader"), "no such strategy (did you mean raider?)"),
        (("--against", "raider+rusher"), "expected one strategy for all opponents, or 1 of them with + between"),
        (("--against", "raider,,rusher"), "expected strategies separated by commas"),
        (("--start", "raider"), "--start raider: expected weights, such as tuned or a .toml; this one is native"),
        (("--start", "tunde"), "no such strategy (did you mean tuned?)"),
        (("--start", "nowhere.toml"), "no such file"),
        (("--resume",), "--resume: expected --out"),
        (("--resume", "--out", "nowhere"), "no training there to go on with"),
        (("--set", "seats=3"), "--set seats: a training seats and deals itself; see --seats, --games and --seed"),
        (("--set", "hand_sice=3"), "did you mean hand_size?"),
        (("--population", 2), "--population"),
        (("--games", "many"), "many"),
    ],
)
def test_what_is_wrong_is_said_and_leaves_nothing(rsc: Any, tmp_path: Path, more: tuple[Any, ...], told: str) -> None:
    code, out, err = rsc(*QUICK, *more)
    assert (code, out) == (2, "")
    assert told in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "a b", "../x", "7up"])
def test_a_name_that_is_none_is_refused(rsc: Any, tmp_path: Path, name: str) -> None:
    code, _, err = rsc("train", name, "--against", "random")
    assert code == 2
    assert "expected a name of letters, digits, _ and -" in err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_a_training_is_not_written_over(rsc: Any, tmp_path: Path) -> None:
    assert rsc(*QUICK, "--generations", 1, "--out", "t").code == 0
    before = (tmp_path / "t" / "mine.toml").read_text()
    code, _, err = rsc(*QUICK, "--generations", 1, "--seed", 2, "--out", "t")
    assert code == 2
    assert "t: holds a training already; go on with it by --resume, or choose another --out" in err
    assert (tmp_path / "t" / "mine.toml").read_text() == before


def test_without_cma_it_is_said_what_to_install(rsc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cma", None)
    code, out, err = rsc(*QUICK)
    assert (code, out) == (5, "")
    assert "training needs the package cma, which is not installed: pip install 'rsc-sim[train]'" in err
    assert list(tmp_path.iterdir()) == []
