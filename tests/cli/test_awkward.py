"""What a person does who is in a hurry, curious or unlucky: narrow terminals, edited manifests, damaged files."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rsc_sim
from rsc_sim.analysis import Estimate
from rsc_sim.console import LEAST_WIDTH, open_console
from rsc_sim.findings import points, points_range
from rsc_sim.store import resume_command

SMALL = ("run", "--games", "400", "--lineup", "random,collector")


@pytest.mark.parametrize(("columns", "width"), [(40, LEAST_WIDTH), (120, 120)])
def test_no_figure_is_left_out_of_a_narrow_terminal(columns: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert open_console().width == width


def test_a_figure_that_nothing_is_known_of_is_a_dash() -> None:
    nothing = Estimate(math.nan, -1.0, 1.0, 0.95, "share", 10, "")
    assert (points(nothing), points_range(nothing)) == ("–", "–")


def test_a_manifest_that_was_edited_is_not_gone_on_with(rsc: Any, tmp_path: Path) -> None:
    assert rsc(*SMALL, "--out", "here").code == 0
    manifest = json.loads((tmp_path / "here/manifest.json").read_text())
    manifest["state"] = "running"
    manifest["experiment"]["seed"] = 2
    (tmp_path / "here/manifest.json").write_text(json.dumps(manifest))
    outcome = rsc("run", "--resume", "--out", "here")
    assert outcome.code == 2
    assert "manifest.json: changed since the run began" in outcome.err


@pytest.mark.parametrize("file", ["cards/part-00000.parquet", "games/part-00000.parquet", "games/parts.jsonl"])
@pytest.mark.parametrize("how", ["junk", "lost"])
def test_a_finished_run_that_is_damaged_is_named_and_mended(rsc: Any, tmp_path: Path, file: str, how: str) -> None:
    assert rsc(*SMALL, "--out", "here").code == 0
    digest = json.loads((tmp_path / "here/manifest.json").read_text())["outcome_digest"]
    assert "complete and whole" in rsc("run", "--resume", "--out", "here").err
    (tmp_path / "here" / file).unlink()
    if how == "junk":
        (tmp_path / "here" / file).write_bytes(b"junk \xff")
    else:
        outcome = rsc("run", "--resume", "--out", "here", "--seed", "2")
        assert outcome.code == 2
        assert not (tmp_path / "here" / file).exists()
        with pytest.raises(rsc_sim.RscError, match=r"(?s)missing; the run has lost games.*rsc run --resume --out"):
            _ = getattr(rsc_sim.Run.open(tmp_path / "here"), file.partition("/")[0]).collect()
    outcome = rsc("run", "--resume", "--out", "here")
    assert outcome.code == 0
    assert f"damaged or lost, and made again: {file}" in outcome.err
    assert json.loads((tmp_path / "here/manifest.json").read_text())["outcome_digest"] == digest
    assert "complete and whole" in rsc("run", "--resume", "--out", "here").err


def test_a_manifest_that_is_lost_or_torn_says_what_to_do(rsc: Any, tmp_path: Path) -> None:
    assert rsc(*SMALL, "--out", "here").code == 0
    (tmp_path / "here/manifest.json").write_bytes(b'{"format": 2, "st')
    outcome = rsc("run", "--resume", "--out", "here")
    assert outcome.code == 2
    assert "put a copy of it back, or play the run again into another folder" in outcome.err


def test_a_precision_is_played_to(rsc: Any, tmp_path: Path) -> None:
    outcome = rsc("run", "--games", "60k", "--lineup", "random,collector", "--precision", "1pp", "--out", "a", "--json")
    assert outcome.code == 0
    told = json.loads(outcome.out)
    assert told["precision"]["reached"]
    assert told["n_games"] < 60_000
    assert [json.loads(line)["progress"]["of"] for line in outcome.err.splitlines()][-1:] == [60_000]
    text = rsc("run", "--resume", "--out", "a").out
    assert "every win share is known to ± 1 points" in text
    assert "they chose the end" in text
    outcome = rsc("run", "--precision", "much", "--out", "b")
    assert outcome.code == 2
    assert "precision: expected percentage points such as 0.2pp" in outcome.err
    assert rsc("run", "--set", "precision.win_share=2", "--out", "b").code == 2


def test_the_command_that_resumes_can_be_pasted_into_a_shell() -> None:
    assert resume_command(Path("runs/a$b & c")) == "rsc run --resume --out 'runs/a$b & c'"


def test_numbers_of_numpy_are_numbers() -> None:
    games = [rsc_sim.simulate("booklet", ["random"] * 2, games=n, seed=n) for n in (np.int64(3), 3)]
    assert games[0].outcome_digest == games[1].outcome_digest


@pytest.mark.parametrize(
    "wrong", [{"seed": 1.5}, {"games": True}, {"games": "100"}, {"jobs": 1.5}, {"seed": None}, {"games": 1e3}]
)
def test_what_is_no_whole_number_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(rsc_sim.InputError, match="expected a whole number"):
        rsc_sim.simulate("booklet", ["random"] * 2, **{"games": 10, **wrong})


def test_a_deck_that_nobody_can_escape_with_says_so_first(rsc: Any) -> None:
    out = rsc(*SMALL, "--set", "cards.escape_ticket.copies=0", "--set", "max_rounds=5").out
    assert "! Nobody can escape: there is no Escape Ticket in the deck." in out
    out = rsc(*SMALL, "--set", "escape_threshold=6000", "--set", "max_rounds=5").out
    assert "all Merch together (4,765) is worth less than the threshold (6,000)" in " ".join(out.split())


def test_places_are_said_to_win_more_only_where_the_finding_says_so(rsc: Any, tmp_path: Path) -> None:
    """The table allows for how many places it compares, as the sentences beside it do."""
    for seed in range(1, 5):
        out = rsc(
            "run", "--games", "2000", "--lineup", "random,random,random,random", "--seed", seed, "--out", seed
        ).out
        places = [line for line in out.splitlines() if "to play" in line]
        summary = json.loads((tmp_path / str(seed) / "summary.json").read_text())
        if summary["findings"]["places"].startswith("No place wins measurably more"):
            assert not any(line.rstrip().endswith("more") for line in places), out
