"""The page on a first strategy keeps its word: in an empty folder, each file, command and line of Python works."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rsc_sim.conformance import check_strategy
from rsc_sim.features import FEATURES
from rsc_sim.strategy import resolve
from tests.test_readme import ROOT, say, tell

PAGE = (ROOT / "docs" / "your-first-strategy.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("first")


def test_the_page_works_from_top_to_bottom(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for kind, file, text in BLOCKS:
        if file:
            (folder / file).write_text(text, encoding="utf-8")
        elif kind == "python":
            done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, check=True)
            said.append(done.stdout)
        else:
            for line in text.splitlines():
                command = re.sub(r"--games \d+k", "--games 1k", line.removeprefix("$ "))
                in_a_shell = command.endswith("--out first")  # as its reader would; the others for speed in here
                said.append(say(command, folder) if in_a_shell else tell(command, folder, monkeypatch, capsys))
    assert len(said) == 7
    assert "quick.py:choose passes" in said[5]
    assert "mine.py:choose passes" in said[0]
    share = re.search(r"mine\.py:choose +(\d+\.\d) %", said[1])
    assert share is not None
    assert float(share[1]) > 40, "it beats random players"
    assert "As recorded." in said[2]
    assert "Seat " in said[3]


def test_seat_numbers_do_not_matter_to_the_strategies_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole check takes a minute for a network: moves that are alike must come out alike wherever they stand."""
    monkeypatch.chdir(tmp_path)
    for _, file, text in BLOCKS:
        if file:
            Path(file).write_text(text, encoding="utf-8")
    assert check_strategy(resolve("bold.py:choose"), games=14).passed
    score = runpy.run_path("net.py")["score"]
    chance = np.random.default_rng(1)
    for n in range(2, 40):
        rows = chance.normal(size=(n, len(FEATURES))).astype(np.float32)
        rows[-1] = rows[0]
        first, *_, last = score(SimpleNamespace(features=rows))
        assert first == last


def test_every_attribute_that_the_page_names_is_there() -> None:
    from rsc_sim.batched import Batch
    from rsc_sim.view import example_view

    view, moves = example_view(turn=20)
    named = re.findall(r"`view\.(\w+)", PAGE)
    assert len(named) > 25
    for name in named:
        getattr(view, name)
    for name in ("discards", "tables", "plays", "where", "describe"):
        getattr(moves, name)
    for name in set(re.findall(r"batch\.(\w+)", PAGE)):
        assert hasattr(Batch, name)
