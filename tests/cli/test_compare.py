"""`rsc compare`: what it prints, what it leaves behind, and how it is told what to do."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from rsc_sim.compare import Compared

THREE = ("compare", "collector", "rusher", "random")


def test_it_tells_the_main_things_in_order(rsc: Any) -> None:
    code, out, err = rsc(*THREE, "--games", 600, "--seats", 2)
    assert (code, err) == (0, "")
    wanted = [
        "collector, rusher, random: 2 at a table, by the rules 'booklet'",
        "600 games: 3 tables, each with 100 deals of 2 seatings; seed 1",
        "What was found",
        "By rating: ",
        "Ratings in Elo points",
        "Who wins more",
        "runs/compare-001/compare.json",
        "digest",
    ]
    places = [out.index(words) for words in wanted]
    assert places == sorted(places)
    assert "\x1b" not in out
    assert all(line == line.rstrip() and len(line) <= 100 for line in out.splitlines())


def test_fewer_strategies_than_seats_are_repeated_and_that_is_said(rsc: Any) -> None:
    out = rsc("compare", "collector", "random", "--games", 100).out
    assert "3 tables, each with 8 deals of 4 to 6 seatings" in out
    out = " ".join(out.split())
    assert "rounded up from 100 to whole deals" in out
    assert "With fewer strategies than seats, a table is any 4 of them that hold each at least once" in out
    assert "Only 24 different deals were played" in out


def test_json_is_what_the_folder_holds(rsc: Any, tmp_path: Path) -> None:
    told = json.loads(rsc(*THREE, "--games", 600, "--seats", 3, "--out", "here", "--json").out)
    kept = json.loads((tmp_path / "here" / "compare.json").read_text())
    assert {key: told[key] for key in kept} == kept
    assert told["out"] == "here"
    assert told["plots"] == []
    figures = told["figures"]
    assert set(figures["win_share"]) == {"collector", "rusher", "random"}
    assert figures["against"]["collector"]["random"]["low"] > 0.5
    assert figures["ratings"]["strategies"]["collector"]["unit"] == "Elo"
    assert Compared.open(tmp_path / "here").outcome_digest == told["outcome_digest"]


def test_two_thousand_games_are_drawn(rsc: Any, tmp_path: Path) -> None:
    out = rsc(*THREE, "--games", 2_000, "--out", "here").out
    assert "here/plots: 2, as png and svg" in out
    names = {path.name for path in (tmp_path / "here" / "plots").iterdir()}
    assert names == {"ratings.png", "ratings.svg", "against.png", "against.svg"}


def test_the_same_seed_gives_the_same_digest_and_another_another(rsc: Any) -> None:
    digests = [
        json.loads(rsc(*THREE, "--games", 300, "--json", *more).out)["outcome_digest"]
        for more in ((), ("--jobs", 1), ("--seed", 2), ("--set", "escape_threshold=800"))
    ]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_any_number_of_seats(rsc: Any, seats: int) -> None:
    out = rsc("compare", "collector", "rusher", "guardian", "--seats", seats, "--games", 200)
    assert out.code == 0
    assert f"{seats} at a table" in out.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "expected two strategies or more to compare, came none"),
        (["collector"], "expected two strategies or more to compare, came collector"),
        (["collector", "collector()"], "strategy 'collector' is there twice"),
        (["collector", "colector"], "did you mean collector?"),
        (["collector", "random", "--seats", "1"], "--seats"),
        (["collector", "random", "--seats", "9"], "--seats"),
        (["collector", "random", "--games", "none"], "expected a whole number of games"),
        (["collector", "random", "--set", "seats=3"], "see --seats"),
        (["collector", "random", "--set", "escape_treshold=3"], "did you mean escape_threshold?"),
        (["collector", "random", "--set", "hand_size=60"], "hand"),
        (["--resume"], "expected --out"),
        (["--resume", "--out", "nowhere"], "nowhere: no such directory"),
        (["--resume", "--out", "nowhere", "--seed", "3"], "name the strategies too"),
        (["collector", "random", "--backend", "gpu"], "backend: expected"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_bad_input_is_explained_and_ends_with_2(rsc: Any, tmp_path: Path, arguments: list[str], words: str) -> None:
    code, out, err = rsc("compare", *arguments)
    assert code == 2
    assert err.startswith("rsc: ") or "Usage" in err
    assert words in " ".join(err.split())
    assert "Traceback" not in err
    assert out == ""


def test_help_has_an_example(rsc: Any) -> None:
    out = rsc("compare", "--help").out
    assert "Example: rsc compare random collector" in out
    assert "Ctrl-C" in out


def test_ctrl_c_keeps_what_was_played_and_resume_goes_on(
    start_rsc: Any, rsc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rsc_sim.cli_compare._draw", lambda *_: [])
    arguments = (*THREE, "--seats", 2, "--games", 40_000, "--out", "here")
    process = start_rsc(*arguments)
    until = time.monotonic() + 30
    while not (tmp_path / "here" / "compare.json").exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "go on with: rsc compare --resume --out here" in err
    again = json.loads(rsc("compare", "--resume", "--out", "here", "--json").out)
    whole = json.loads(rsc(*arguments[:-1], "whole", "--json").out)
    assert again["outcome_digest"] == whole["outcome_digest"]
    done = rsc("compare", "--resume", "--out", "here", "--json")
    assert "nothing left to play" in done.err


def test_strategies_of_your_own_play_in_processes_and_their_failures_name_the_table(rsc: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def last(view, moves):\n    return len(moves) - 1\n\n\n"
        "def wrong(view, moves):\n    return -1 if view.turn > 3 else 0\n"
    )
    code, out, err = rsc("compare", "mine.py:last", "random", "--seats", 2, "--games", 40)
    assert code == 0, err
    assert "mine.py:last" in out
    code, _, err = rsc("compare", "mine.py:wrong", "random", "--seats", 2, "--games", 40, "--jobs", 1)
    assert code == 4
    assert "strategy 'mine.py:wrong'" in err
    again = re.search(r"see it happen: rsc (run .*); rsc (replay .*)\n", err)
    assert again
    assert "with the --rules" not in err
    for words in again.groups():
        code, _, same = rsc(*words.split())
        assert code == 4
        assert same.splitlines()[0].partition(" (")[0] == err.splitlines()[0].partition(" (")[0]
    *_, err = rsc("compare", "mine.py:wrong", "random", "--seats", 2, "--games", 40, "--set", "hand_size=5")
    assert err.endswith("\n     with the --rules and the --set of this comparison\n")
