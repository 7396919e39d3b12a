"""The feel of a game beside its experiment's limits: each figure is too much, too little or fine as the limit says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rsc_sim.errors import InputError
from rsc_sim.experiment import Experiment, Limits
from rsc_sim.feel import FORMAT, study_feel
from rsc_sim.report import Finding, build_report
from rsc_sim.report.judge_feel import judge_feel
from rsc_sim.report.of_feel import READS


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    """Give what the study of a small experiment keeps."""
    described = {"name": "small", "lineup": ["rusher", "raider", "collector"], "games": 900}
    return json.loads(json.dumps(study_feel(Experiment.from_dict(described).resolve()).to_dict()))


def judged(kept: dict[str, Any], words: str, **limits: Any) -> Finding:
    """Give the one finding whose number speaks of these words."""
    (found,) = (one for one in judge_feel(kept, Limits(**limits), alone=True) if words in one.number)
    return found


@pytest.mark.parametrize(
    ("limit", "words", "figure"),
    [
        ("decided_early", "ahead for good", "points_decided_early"),
        ("idle", "nothing useful", "idle"),
        ("single", "one legal move", "single"),
    ],
)
def test_a_share_is_judged_by_the_most_it_should_be(limit: str, words: str, figure: str, kept: dict[str, Any]) -> None:
    of = kept["figures"][figure]
    states = {most: judged(kept, words, **{limit: most}).state for most in (of["low"] / 2, of["value"], 0.999)}
    assert list(states.values()) == ["beyond", "unsure", "within"]
    assert judged(kept, words, **{limit: of["value"] / 3}).beyond == pytest.approx(3)
    assert judged(kept, words, **{limit: 0.5}).limit == "at most 50 %"


def test_a_figure_that_may_be_too_little_or_too_much(kept: dict[str, Any]) -> None:
    words = "behind at half-time"
    told = {
        limits: judged(kept, words, comeback=limits) for limits in ((0.001, 0.01), (0.98, 0.99), (0.01, 0.99))
    }  # fmt: skip
    assert [one.state for one in told.values()] == ["beyond", "beyond", "within"]
    assert [one.text for one in told.values()] == [
        "To lead at half-time means too little.", "Too few winners come from behind.",
        "Winners come from behind often enough.",
    ]  # fmt: skip
    value = kept["figures"]["points_comeback"]["value"]
    assert judged(kept, words, comeback=(value, 0.999)).state == "unsure"
    assert judged(kept, words, comeback=(value, 0.999)).text.startswith("Perhaps too few")
    assert (
        judged(kept, "Actions against another seat", targeted=(0, 0.001)).text == "Players do too much to each other."
    )
    assert judged(kept, "Actions against another seat", targeted=(5, 9)).text == "Players do too little to each other."


def test_hitting_the_leader_is_judged_beside_a_lot(kept: dict[str, Any]) -> None:
    """Raiders go for the leader."""
    more = kept["figures"]["leader_hit_more"]
    hit, lot = kept["figures"]["leader_hit"]["value"], kept["figures"]["leader_hit_by_chance"]["value"]
    assert more["value"] == pytest.approx(hit - lot)
    assert more["low"] > 0
    assert judged(kept, "beside a lot", leader_hit=0.001).text == "The leader is hit too often."
    assert judged(kept, "beside a lot", leader_hit=0.9).state == "within"
    spared = {
        **kept,
        "figures": {**kept["figures"], "leader_hit_more": {**more, "value": -0.3, "low": -0.4, "high": -0.2}},
    }
    assert judged(spared, "beside a lot", leader_hit=0.1).text == "The leader is hit too seldom."


def test_luck_skill_minutes_and_read_are_judged(kept: dict[str, Any]) -> None:
    assert judged(kept, "of luck is", deal_luck=0.0001).state == "beyond"
    assert judged(kept, "choice of strategy", skill=(0, 0.99)).state == "within"
    assert judged(kept, "choice of strategy", skill=(0.9, 0.99)).text == "The choice of strategy decides too little."
    assert judged(kept, "over within", minutes=(1, 2)).text == "Games are too long."
    assert judged(kept, "over within", minutes=(500, 900)).text == "Games are too short."
    assert judged(kept, "of win share", read_dealt=0.9).text == "Being dealt Read neither helps nor harms much."
    in_a_run = [one.number for one in judge_feel(kept, Limits())]
    assert not [number for number in in_a_run if "over within" in number or "of win share" in number]


def test_games_stopped_at_the_limit_are_not_called_short(kept: dict[str, Any]) -> None:
    half = {**kept["minutes_quantiles"][1], "at_least": True}
    stopped = {**kept, "minutes_quantiles": [kept["minutes_quantiles"][0], half, half]}
    assert judged(stopped, "games were stopped", minutes=(500, 900)).state == "unsure"
    assert judged(stopped, "games were stopped", minutes=(1, 2)).state == "beyond"


def test_what_cannot_be_told_is_not_judged() -> None:
    two = {"lineup": ["collector"] * 2, "games": 40}
    numbers = " ".join(
        one.number
        for one in judge_feel(study_feel(Experiment.from_dict(two).resolve()).to_dict(), Limits(), alone=True)
    )
    assert "beside a lot" not in numbers  # only the leader is there to be hit
    assert "choice of strategy" not in numbers
    nobody = {"lineup": ["random"] * 2, "games": 20, "set": {"escape_threshold": 99_999, "max_rounds": 5}}
    found = list(judge_feel(study_feel(Experiment.from_dict(nobody).resolve()).to_dict(), Limits(), alone=True))
    assert not [one for one in found if "nan" in one.number or "of luck" in one.number or "winners" in one.number]


def test_limits_of_the_experiment_are_those_of_its_report(kept: dict[str, Any], tmp_path: Path) -> None:
    kept = {**kept, "experiment": {**kept["experiment"], "report": {"idle": 0.0001}}}
    (tmp_path / "feel.json").write_text(json.dumps(kept))
    first = build_report(tmp_path).findings[0]
    assert (first.state, first.text) == ("beyond", "Too many turns have nothing useful to do.")
    (tmp_path / "feel.json").write_text(json.dumps({**kept, "format": 1}))
    with pytest.raises(InputError, match="its format is 1, expected 2"):
        build_report(tmp_path)
    assert READS == FORMAT
