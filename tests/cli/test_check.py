"""`rsc check` as a user meets it: exit codes, what it prints and keeps, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

MINE = 'name = "mine"\nlineup = ["raider", "collector"]\ngames = 6_000\n[check]\nwin_share = 0.04\nturns = 0.05\n'


@pytest.fixture
def folder(rsc: Any) -> Path:
    Path("mine.toml").write_text(MINE)
    code, out, err = rsc("check", "reports/mine", "mine.toml", "--accept")
    assert (code, err) == (0, "")
    assert "what moved: reports/mine/moved.md" in out
    return Path("reports/mine")


def test_unchanged_is_0_and_says_so_first(rsc: Any, folder: Path) -> None:
    code, out, err = rsc("check", folder)
    assert (code, err) == (0, "")
    assert out.startswith("Unchanged: the same games, move for move.")
    assert "6,000 games compared" in out
    assert Path("runs/check-001/check.json").is_file()


def test_changed_is_1_with_a_table_and_where_games_part(rsc: Any, folder: Path) -> None:
    code, out, err = rsc("check", folder, "--set", "escape_threshold=500", "--out", "answer", "--junit", "ci/junit.xml")
    assert (code, err) == (1, "")
    assert out.startswith("Changed: turns of a game −")
    assert " · escape_threshold: 1,000 → 500" in out
    assert "Where game" in out
    assert "Shared deals made one game worth" in out
    kept = json.loads(Path("answer/check.json").read_text())
    assert (kept["verdict"], kept["exit_code"]) == ("changed", 1)
    figures = {figure["key"]: figure for figure in kept["figures"]}
    assert figures["turns"]["verdict"] == "changed"
    assert figures["turns"]["high"] < -figures["turns"]["margin"] < 0
    assert len(kept["trail"]) >= 1
    assert {path.name for path in Path("answer/plots").iterdir()} == {"check.png", "check.svg"}
    suite = ElementTree.parse("ci/junit.xml").getroot()[0]
    assert suite.get("failures") == str(sum(f["verdict"] == "changed" for f in kept["figures"]))
    failed = [case for case in suite.findall("testcase") if case.find("failure") is not None]
    assert "turns" in str(failed[-1].find("failure").get("message"))


def test_undecided_is_3(rsc: Any, folder: Path) -> None:
    code, out, _ = rsc("check", folder, "--set", "hand_size=5", "--max-games", "500", "--json")
    told = json.loads(out)
    assert (code, told["verdict"], told["exit_code"]) == (3, "undecided", 3)
    assert told["figures"][0]["low"] is None


def test_margins_come_from_the_experiment_and_from_flags(rsc: Any, folder: Path) -> None:
    _, out, _ = rsc("check", folder, "--set", "hand_size=5", "--max-games", "500", "--json")
    margins = {f["key"]: f["margin"] for f in json.loads(out)["figures"]}
    assert margins["win_share.place.0"] == 0.04
    _, out, _ = rsc(
        "check", folder, "--set", "hand_size=5", "--max-games", "500", "--json", "--margin", "win_share=0.5"
    )
    assert json.loads(out)["figures"][0]["margin"] == 0.5


def test_a_ruleset_against_another(rsc: Any) -> None:
    rsc("rules", "export", "--out", "mine.toml")
    text = Path("mine.toml").read_text()
    Path("mine.toml").write_text(text.replace("escape_threshold = 1000", "escape_threshold = 990"))
    code, out, _ = rsc("check", "booklet", "mine.toml", "--lineup", "raider,collector", "--margin", "turns=0.2")
    assert code == 0
    assert "escape_threshold: 1,000 → 990" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "nothing: no such file or folder"),
        (["booklet", "--set", "hand_sise=5"], "did you mean hand_size"),
        (["booklet", "nowhere.toml"], "nowhere.toml"),
        (["booklet", "--margin", "win=0.1"], "expected win_share=SHARE"),
        (["booklet", "--margin", "cards=0.1"], "did you mean card?"),
        (["booklet", "--margin", "turns=7"], "a share above 0, at most 1"),
        (["booklet", "--max-games", "none"], "expected a whole number"),
        (["reports/fresh", "--accept"], "name the experiment that it is to keep"),
    ],
)
def test_bad_input_is_2_and_says_what_to_do(rsc: Any, arguments: list[str], message: str) -> None:
    code, out, err = rsc("check", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_a_run_is_not_overwritten(rsc: Any) -> None:
    rsc("run", "--lineup", "raider,collector", "--games", "200", "--out", "run")
    before = {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()}
    code, _, err = rsc("check", "run", "--accept")
    assert code == 2
    assert "--accept renews a reference folder" in err
    code, _, err = rsc("check", "run", "--out", "run")
    assert code == 2
    assert "holds a run" in err
    assert before == {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()}


def test_ctrl_c_is_130_and_keeps_nothing(start_rsc: Any, tmp_path: Path) -> None:
    import signal
    import time

    process = start_rsc("check", "booklet", "--set", "escape_threshold=999", "--margin", "win_share=0.00001")
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in err
    assert not (tmp_path / "runs").exists()
