"""`rsc sweep` as a user meets it: the first sweep, a wrong flag, Ctrl-C, the second time."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

QUICK = ("--lineup", "collector,raider", "--games", "200")
OVER = ("--over", "escape_threshold=600,1000")


def test_a_sweep_shows_points_and_leaves_a_page_with_pictures(rsc: Any, tmp_path: Path) -> None:
    code, out, err = rsc("sweep", *QUICK, *OVER, "--target", "median_rounds=20")
    assert (code, err) == (0, "")
    for word in ("Median rounds", "the base", "Target", "Points share their deals", "runs/sweep-baseline-001"):
        assert word in out
    folder = tmp_path / "runs" / "sweep-baseline-001"
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert "rsc sweep --over escape_threshold=600,1000 --lineup collector,raider --games 200" in page
    assert str(tmp_path) not in page
    for line in page.splitlines():
        if line.startswith("!["):
            assert (folder / line.partition("(")[2].rstrip(")")).is_file()
    assert (folder / "plots" / "median_rounds.png").is_file()


def test_json_holds_every_point(rsc: Any) -> None:
    told = json.loads(rsc("sweep", *QUICK, *OVER, "--json").out)
    assert [point["settings"] for point in told["points"]] == [{"escape_threshold": 600}, {"escape_threshold": 1000}]
    assert told["base"] == 1
    figures = told["points"][0]["figures"]["median_rounds"]
    assert figures["low"] <= figures["value"] <= figures["high"]
    assert set(told["points"][0]["differences"]["median_rounds"]) == {"difference", "correlation", "games_saved"}


def test_a_precision_that_is_not_reached_is_said_first_and_progress_is_lines_of_json(rsc: Any, tmp_path: Path) -> None:
    how = ("--lineup", "random", "--over", "seats=2,3", "--games", "4000", "--out", "here", "--json")
    code, out, err = rsc("sweep", *how, "--precision", "0.5pp")
    assert code == 0
    told = json.loads(out)
    words = "Win shares are not known to ± 0.5 points at any point: more games than were allowed are needed."
    assert told["warnings"] == [words]
    assert [point["settings"] for point in told["points"]] == [{"seats": 2}, {"seats": 3}]
    assert f"**Read this first.** {words}" in (tmp_path / "here" / "README.md").read_text(encoding="utf-8")
    lines = [json.loads(line)["progress"] for line in err.splitlines()]
    assert [(line["point"], line["label"]) for line in (lines[0], lines[-1])] == [(0, "seats 2"), (1, "seats 3")]
    assert (lines[-1]["games"], lines[-1]["of"], lines[-1]["seconds_left"]) == (8_000, 8_000, 0.0)
    assert lines[-1]["win_share"]["random"]["value"] == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--over", "gmes=1,2"), "did you mean games"),
        (("--over", "hand_size"), "expected KEY=V1,V2"),
        ((), "over what?"),
        ((*OVER, "--target", "rounds=3"), "no such figure"),
        (("--resume",), "expected --out"),
        (("--resume", "--out", "nowhere"), "no such sweep directory"),
        (("thresold",), "did you mean threshold"),
        ((*OVER, "--grd"), "--grid"),
    ],
)
def test_what_is_wrong_is_said_and_leaves_nothing(
    rsc: Any, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    code, out, err = rsc("sweep", *arguments)
    assert (code, out) == (2, "")
    assert told in err
    assert list(tmp_path.iterdir()) == []


def test_the_second_time_is_another_folder_and_resume_of_a_whole_one_says_so(rsc: Any, tmp_path: Path) -> None:
    first = rsc("sweep", *QUICK, *OVER).out
    rsc("sweep", *QUICK, *OVER)
    assert (tmp_path / "runs" / "sweep-baseline-002" / "sweep.json").is_file()
    code, out, err = rsc("sweep", "--resume", "--out", "runs/sweep-baseline-001")
    assert code == 0
    assert "complete" in err
    assert out == first


def test_ctrl_c_says_how_to_go_on_and_going_on_gives_the_same(rsc: Any, start_rsc: Any, tmp_path: Path) -> None:
    arguments = ("--lineup", "collector,raider", "--games", "12k", *OVER)
    process = start_rsc("sweep", *arguments, "--out", "cut", "--leaves-per-part", "1")
    deadline = time.monotonic() + 60
    while not list((tmp_path / "cut" / "points").glob("*/games/parts.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "rsc sweep --resume --out cut" in err
    code, out, _ = rsc("sweep", "--resume", "--out", "cut", "--json")
    assert code == 0
    whole = json.loads(rsc("sweep", *arguments, "--out", "whole", "--json").out)
    assert json.loads(out)["sweep_digest"] == whole["sweep_digest"]


def test_run_of_a_sweep_plays_it_once_and_says_so(rsc: Any) -> None:
    code, out, err = rsc("run", "threshold", "--games", "100")
    assert code == 0
    assert "rsc sweep threshold" in err
    assert "runs/threshold-001" in out


def test_a_run_played_again_from_its_manifest_is_the_same_and_says_so(rsc: Any, tmp_path: Path) -> None:
    rsc("run", *QUICK, "--set", "hand_size=5", "--out", "here")
    code, out, err = rsc("run", "here/manifest.json", "--out", "again")
    assert code == 0
    assert "the same games as in here" in err
    manifest = tmp_path / "here" / "manifest.json"
    record = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**record, "outcome_digest": "0" * 64}))
    assert "NOT the same games" in rsc("run", "here", "--out", "third").err
    assert "hand_size" not in out
