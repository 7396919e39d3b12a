"""What a run records, at the command line: nothing crashes or is shown as 0, and each page says what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

HOW = "--set record=games,cards,windows --out again"
SMALL = ("run", "--lineup", "random,collector", "--games", 400)


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_run_without_tallies_says_so_wherever_it_is_told(rsc: Any, tmp_path: Path) -> None:
    done = rsc(*SMALL, "--set", "record=games", "--out", "bare")
    assert done.code == 0
    assert "Which cards" not in done.out
    assert "What is missing when" not in done.out
    words = "Not recorded: what became of the cards (cards) and what escape windows lacked (windows)."
    assert words in flat(done.out)
    assert f"\nrsc run bare {HOW}\n" in done.out  # on a line of its own, to be copied
    told = json.loads((tmp_path / "bare" / "summary.json").read_text())
    assert words in told["not_recorded"]
    assert not {"cards", "bottleneck"} & told.keys()
    assert rsc("report", "bare", "--format", "md").code == 0
    page = (tmp_path / "bare" / "report.md").read_text()
    assert page.count("Not recorded: ") == 3  # at the top, and where it would stand
    assert "card_impact" not in page
    again = rsc("run", "bare", "--set", "record=games,cards,windows", "--out", "again", "--json")
    data = json.loads(again.out)
    assert data["outcome_digest"] == json.loads((tmp_path / "bare" / "manifest.json").read_text())["outcome_digest"]
    assert "not_recorded" not in data["figures"]


def test_a_run_without_games_says_so_wherever_it_is_asked(rsc: Any, tmp_path: Path) -> None:
    done = rsc(*SMALL, "--set", "record=[]", "--out", "bare")
    assert done.code == 0
    assert "Who wins" not in done.out
    assert f"rsc run bare {HOW}" in flat(done.out)
    data = json.loads(rsc(*SMALL, "--set", "record=windows", "--out", "windows", "--json").out)
    assert data["n_games"] == 400
    assert data["figures"].keys() == {"not_recorded", "bottleneck"}
    refused = rsc("report", "bare")
    assert refused.code == 2
    assert "its games were not recorded" in refused.err
    assert "rsc run bare --set record=games --out again" in refused.err
    assert rsc("check", "bare", "--full").code == 0  # the digest is enough to see that nothing changed
    replayed = rsc("replay", "bare", "--game", 7)
    assert replayed.code == 0
    assert "could not be compared" in replayed.out
    assert rsc("run", "--resume", "--out", "bare").code == 0


@pytest.mark.parametrize("command", ["cards", "feel"])
def test_studies_have_tallies_and_ends_of_their_own(rsc: Any, command: str, tmp_path: Path) -> None:
    more = ("--no-copies",) if command == "cards" else ("--no-luck",)
    settings = ("--set", "precision.win_share=0.3")
    done = rsc(command, "--lineup", "random,collector", "--games", 40, *settings, *more, "--out", "study", "--json")
    assert done.code == 0, done.err
    assert f"rsc {command} plays as many games as it needs, or --games, here 40" in done.err


def test_a_comparison_has_neither(rsc: Any) -> None:
    for setting in ("precision.win_share=0.01", "record=games"):
        done = rsc("compare", "random", "collector", "--set", setting)
        assert done.code == 2
        assert "a comparison plays every table on as many deals" in done.err
