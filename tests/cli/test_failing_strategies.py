"""A Python strategy that fails stops the run with exit code 4: named, with its game; the rest is kept."""

from __future__ import annotations

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
