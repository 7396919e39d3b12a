"""A Python strategy that fails stops the run with exit code 4: named, with its game; the rest is kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

BAD = """
import os


def raises(view, moves):
    if view.turn >= 150:
        raise LookupError("no idea")
    return 0


def nothing(view, moves):
    return None if view.turn >= 9 else 0


def fraction(view, moves):
    return 0.5


def too_high(view, moves):
    return 99


def changes(view, moves):
    view.hand["mug"] = 1


def misspelt(view, moves):
    return len(moves.where("plya"))


def prints(view, moves):
    print("thinking ...")
    return 0


def scores(batch):
    return batch.features[:, 0] * float("nan")
"""
ELSEWHERE = """
import multiprocessing

if multiprocessing.current_process().name != "MainProcess":
    raise ImportError("only at home")


def choose(view, moves):
    return 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "elsewhere.py").write_text(ELSEWHERE)
    return tmp_path


@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raises", "raised LookupError: no idea in bad.py, line 7"),
        ("nothing", "returned None, expected the index of a move"),
        ("fraction", "returned 0.5, expected the index of a move"),
        ("too_high", "returned 99 for a decision with "),
        ("changes", "raised TypeError: what a view shows is read-only"),
        ("misspelt", "raised ValueError: moves.where: no verb 'plya' (did you mean play?)"),
        ("scores", "gave a move no number (NaN) for a score"),
    ],
)
def test_a_failure_is_told_and_can_be_seen(rsc: Any, folder: Path, backend: str, name: str, words: str) -> None:
    code, _, err = rsc(
        *("run", "--lineup", f"bad.py:{name},random", "--games", "600", "--jobs", "2", "--backend", backend),
        *("--out", "here"),
    )
    assert code == 4
    assert f"rsc: strategy 'bad.py:{name}' {words}" in err
    assert re.search(r"\(game \d+, turn \d+, seat [01]\)", err)
    game = re.search(r"see it happen: rsc replay here --game (\d+)", err)
    assert game is not None
    replayed = rsc("replay", "here", "--game", game[1])
    assert replayed.code == 4
    assert f"rsc: strategy 'bad.py:{name}' {words}" in replayed.err
    assert "Here the strategy failed." in replayed.out


def test_one_that_another_process_cannot_load_is_told(rsc: Any, folder: Path) -> None:
    code, _, err = rsc("run", "--lineup", "elsewhere.py:choose,random", "--games", "600", "--out", "here")
    assert code == 4
    assert "strategy 'elsewhere.py:choose' cannot be loaded in another process" in err
    assert "only at home" in err


def test_what_was_played_is_kept_and_an_edited_file_is_not_gone_on_with(rsc: Any, folder: Path) -> None:
    text = BAD.replace("view.turn >= 150", "view.random.random() < 4e-7")
    (folder / "bad.py").write_text(text)
    arguments = ("run", "--lineup", "bad.py:raises,random", "--games", "40000", "--out", "here", "--jobs", "2")
    code, _, err = rsc(*arguments)
    assert code == 4, err
    parts = list((folder / "here" / "games").glob("part-*.parquet"))
    assert parts
    (folder / "bad.py").write_text(text + "\n")
    code, _, err = rsc("run", "--resume", "--out", "here")
    assert code == 2
    assert "'bad.py:raises': its file has changed since (SHA-256" in err
    game = rsc("replay", "here", "--game", "0")
    assert (game.code, "its file has changed since" in game.err) == (2, True)


@pytest.mark.parametrize(("name", "check"), [("nothing", "returned None"), ("scores", "NaN"), ("changes", "read-only")])
def test_a_check_tells_it_too(rsc: Any, folder: Path, name: str, check: str) -> None:
    code, out, err = rsc("strategies", "--check", f"bad.py:{name}")
    assert code == 4
    assert f"strategy 'bad.py:{name}' fails 1 of 6 checks" in err
    assert check in " ".join(out.split())


def test_the_line_is_one_of_the_strategy_s_own_file(rsc: Any, folder: Path) -> None:
    line = BAD.splitlines().index('    view.hand["mug"] = 1') + 1
    _, _, err = rsc("run", "--lineup", "bad.py:changes,random", "--games", "4", "--out", "here")
    assert f" in bad.py, line {line} (game " in err


def test_a_replay_command_can_be_pasted_whatever_the_folder_is_called(rsc: Any, folder: Path) -> None:
    _, _, err = rsc("run", "--lineup", "bad.py:fraction,random", "--games", "4", "--out", "my {ü} out")
    assert "see it happen: rsc replay 'my {ü} out' --game 0\n" in err


@pytest.mark.parametrize(
    "command",
    [
        ("feel", "--lineup", "bad.py:raises,random", "--games", "200"),
        ("cards", "--lineup", "bad.py:raises,random", "--games", "200"),
        ("train", "mine", "--against", "bad.py:raises", "--games", "40", "--generations", "1", "--population", "4"),
    ],
)
def test_studies_and_training_name_it_too(rsc: Any, folder: Path, command: tuple[str, ...]) -> None:
    code, _, err = rsc(*command)
    assert code == 4
    assert err.startswith("rsc: strategy 'bad.py:raises' raised LookupError: no idea in bad.py, line ")
    assert err.endswith("\n     look for it: rsc strategies --check bad.py:raises\n")


def test_a_file_that_ends_the_program_is_told(rsc: Any, folder: Path) -> None:
    (folder / "ends.py").write_text("import sys\nsys.exit(0)\n")
    for command in (("run", "--lineup", "ends.py:choose,random"), ("strategies", "--check", "ends.py:choose")):
        code, _, err = rsc(*command)
        assert (code, err) == (2, "rsc: strategy file ends.py: line 2: SystemExit: 0\n")


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_what_a_strategy_prints_is_kept_out_of_the_one_object(rsc: Any, folder: Path, backend: str) -> None:
    how = ("--games", "2000", "--jobs", "2", "--backend", backend, "--json")
    code, out, _ = rsc("run", "--lineup", "bad.py:prints,random", *how)
    assert code == 0
    assert json.loads(out)["n_games"] == 2_000
