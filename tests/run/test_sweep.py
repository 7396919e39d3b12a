"""Sweeps: which points there are, that they share their deals, and that a sweep cut anywhere goes on to the same."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rsc_sim.errors import InputError, Interrupted
from rsc_sim.experiment import Experiment, bundled
from rsc_sim.pairing import file_order
from rsc_sim.play import run_experiment
from rsc_sim.run import Run
from rsc_sim.sweep import Sweep, Target, parse_target, run_sweep
from rsc_sim.sweep_plan import SweepPlan, folder_name, plan_sweep, sweeps

DUEL = Experiment.from_dict({"name": "duel", "lineup": ["collector", "raider"], "games": 400})
THRESHOLDS = ["escape_threshold=600,1000,1400"]


def plan(over: list[str] = THRESHOLDS, **how: Any) -> SweepPlan:
    return plan_sweep(DUEL, over, **how)


# ---- points


def test_a_grid_has_every_combination_and_knows_its_base() -> None:
    found = plan(["escape_threshold=800..1200..200", "hand_size=5,6"])
    assert [tuple(point.settings.values()) for point in found.points] == [
        (800, 5), (800, 6), (1_000, 5), (1_000, 6), (1_200, 5), (1_200, 6),
    ]  # fmt: skip
    assert found.points[found.base].settings == {"escape_threshold": 1_000, "hand_size": 6}
    for point in found.points:
        rules = point.experiment.ruleset
        assert (rules["escape_threshold"], rules["hand_size"]) == tuple(point.settings.values())


def test_one_at_a_time_changes_one_key_and_begins_with_the_base() -> None:
    found = plan(["escape_threshold=800,1000,1200", "hand_size=5,6"], how="one-at-a-time")
    assert found.base == 0
    assert [point.settings for point in found.points] == [
        {"escape_threshold": 1_000, "hand_size": 6},
        {"escape_threshold": 800, "hand_size": 6},
        {"escape_threshold": 1_200, "hand_size": 6},
        {"escape_threshold": 1_000, "hand_size": 5},
    ]


@pytest.mark.parametrize(
    ("over", "lineups"),
    [
        ("lineup=[raider,random],[collector,random]", [("raider", "random"), ("collector", "random")]),
        ("seats=2,4", [("collector", "raider"), ("collector", "raider") * 2]),
    ],
)
def test_a_sweep_may_be_over_the_table(over: str, lineups: list[tuple[str, ...]]) -> None:
    assert [point.experiment.lineup for point in plan([over]).points] == lineups


def test_a_list_is_one_value_in_brackets() -> None:
    found = plan(["available_from=[discard,pickup],discard,[pickup]"])
    there = [set(point.experiment.ruleset["available_from"]) for point in found.points]
    assert there == [{"discard", "pickup"}, {"discard"}, {"pickup"}]


def test_points_may_be_written_out_with_lineups_and_games_of_their_own() -> None:
    experiment = Experiment.from_dict(
        {
            "lineup": ["random", "random"],
            "games": 400,
            "sweep": {
                "base": "no plan",
                "points": [
                    {"label": "collects", "lineup": ["collector"], "seats": 2, "games": 100},
                    {"label": "robs", "lineup": ["raider", "raider"], "set": {"cards": {"mug": {"copies": 3}}}},
                ],
            },
        }
    )
    found = plan_sweep(experiment)
    assert [point.label for point in found.points] == ["no plan", "collects", "robs"]
    assert [point.experiment.games_asked for point in found.points] == [400, 100, 400]
    assert found.points[2].experiment.ruleset["cards"]["mug"]["copies"] == 3


def test_lineups_may_bear_labels() -> None:
    over = {"lineup": {"weak": ["random"], "strong": ["collector", "raider"]}}
    experiment = Experiment.from_dict({"lineup": ["random"], "seats": 2, "sweep": {"over": over}})
    found = plan_sweep(experiment)
    assert [point.settings for point in found.points] == [{"lineup": "weak"}, {"lineup": "strong"}]
    assert found.points[1].experiment.lineup == ("collector", "raider")


@pytest.mark.parametrize(
    ("over", "told"),
    [
        (["seed=1,2"], "would not share their deals"),
        (["escape_treshold=1,2"], "did you mean escape_threshold"),
        (["hand_size=6"], "a sweep of one point"),
        (["hand_size=5,6,5"], "are the same"),
        (["hand_size=5,6", "hand_size=7"], "given twice"),
        (["hand_size"], "expected KEY=V1,V2"),
        (["hand_size=5,none"], "point 'hand_size none': hand_size: expected"),
        ([], "over what?"),
        (["escape_threshold=1..3000"], "more than 1000"),
        (["escape_threshold=600..1400..300"], "do not meet 1400; expected 600..1200..300, or a step that meets it"),
        (["escape_threshold=1400..600..300"], "do not meet 600; expected 1400..800..300, or a step that meets it"),
    ],
)
def test_what_cannot_be_swept_is_refused(over: list[str], told: str) -> None:
    with pytest.raises(InputError) as error:
        plan(over)
    assert told in str(error.value)


def test_a_deck_that_cannot_be_dealt_is_told_of_for_the_table() -> None:
    with pytest.raises(InputError, match=r"4 seats with 200 cards each need 800 .* at most 30"):
        plan_sweep(Experiment.load("baseline"), ["hand_size=200,6"])
    with pytest.raises(InputError, match=r"2 seats with 200 cards each need 400 .* at most 60"):
        plan(["hand_size=200,6"])


def test_a_description_goes_with_the_lineup_that_it_tells_of() -> None:
    baseline = Experiment.load("baseline")
    assert "a rusher" in plan_sweep(baseline, ["escape_threshold=800,1000"]).description
    for over in ("lineup=[random,raider],[collector,raider]", "seats=4,8"):
        assert plan_sweep(baseline, [over]).description == ""


@pytest.mark.parametrize("name", ["seats", "threshold", "tickets", "hand_size", "read_points", "rulings"])
def test_bundled_sweeps_are_planned_and_say_what_they_ask(name: str) -> None:
    assert name in bundled()
    assert name in sweeps()
    found = plan_sweep(Experiment.load(name))
    assert len(found.points) >= 5
    assert len(found.description.split()) > 40


def test_every_ruling_has_its_sentence_and_both_readings() -> None:
    """Each point switches one thing and quotes the booklet word for word."""
    found = plan_sweep(Experiment.load("rulings"))
    usual = found.points[found.base].experiment.ruleset
    for number, point in enumerate(found.points):
        if number == found.base:
            continue
        assert set(point.note) == {"question", "sentence", "usual", "reading"}
        rules = point.experiment.ruleset
        changed = [key for key in usual if key != "cards" and usual[key] != rules[key]]
        changed += [kind for kind in usual["cards"] if usual["cards"][kind] != rules["cards"][kind]]
        assert len(changed) == 1, point.label


# ---- deals


def test_decks_of_different_size_share_the_copies_they_have_in_common() -> None:
    found = plan(["cards.mug.copies=5,7,3"])
    orders = [point.experiment.deal_order or file_order(point.experiment.ruleset) for point in found.points]
    common = len(min(orders, key=len))
    assert len({tuple(order[:common]) for order in orders}) == 1
    assert {tuple(order[common:]) for order in orders} == {(), ("mug",) * 2, ("mug",) * 4}


def test_points_with_one_deck_play_what_runs_of_their_own_play(tmp_path: Path) -> None:
    sweep = run_sweep(plan(), out=tmp_path / "sweep")
    alone = run_experiment(DUEL.changed(overrides={"escape_threshold": 600}).resolve())[0]
    assert sweep.run(0).outcome_digest == alone.outcome_digest


# ---- the directory


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return run_sweep(plan(), out=tmp_path_factory.mktemp("sweeps") / "whole", jobs=2)


def same(sweep: Sweep, other: Sweep) -> bool:
    files = ("points.parquet", "points.csv")
    return sweep.digest == other.digest and all(
        (sweep.path / name).read_bytes() == (other.path / name).read_bytes() for name in files
    )


def test_the_frame_has_each_figure_of_each_point_with_its_difference(whole: Sweep) -> None:
    frame = whole.frame
    assert frame["escape_threshold"].dtype == pl.Int64
    rounds = frame.filter(pl.col("figure") == "median_rounds")
    assert rounds["escape_threshold"].to_list() == [600, 1_000, 1_400]
    assert rounds["difference"].is_null().to_list() == [False, True, False]
    base = rounds["value"][1]
    for value, difference in zip(rounds["value"], rounds["difference"], strict=True):
        assert difference is None or difference == pytest.approx(value - base)
    assert (frame["low"] <= frame["value"]).all()
    assert (frame["value"] <= frame["high"]).all()
    different = frame.filter(pl.col("figure") == "played_differently")
    assert different["point"].to_list() == [0, 2]
    assert all(0 < share <= 1 for share in different["value"])
    assert pl.read_csv(whole.path / "points.csv").height == frame.height


def test_every_point_is_a_run_like_any_other(whole: Sweep) -> None:
    for number, point in enumerate(whole.points):
        run = Run.open(whole.folder(number))
        assert run.complete
        assert run.experiment.digest == point.experiment.digest
        assert (whole.folder(number) / "summary.json").is_file()


@pytest.mark.parametrize("how", [{"jobs": 1}, {"jobs": 2, "backend": "loky"}])
def test_a_sweep_is_the_same_on_any_jobs(whole: Sweep, tmp_path: Path, how: dict[str, Any]) -> None:
    assert same(run_sweep(plan(), out=tmp_path / "sweep", **how), whole)


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_sweep_that_is_interrupted_goes_on_to_the_same(whole: Sweep, tmp_path: Path, after: int) -> None:
    """Ctrl-C while a point is played; then on, from its record alone."""

    def stop(state: Any) -> None:
        if state.point == after:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted, match=r"rsc sweep --resume --out"):
        run_sweep(plan(), out=tmp_path / "sweep", on_progress=stop)
    cut = Sweep.open(tmp_path / "sweep")
    assert not cut.complete
    with pytest.raises(InputError, match="unfinished"):
        _ = cut.frame
    assert same(run_sweep(None, out=tmp_path / "sweep", resume=True), whole)


@pytest.mark.parametrize("lost", ["points.parquet", "points/01-escape_threshold-1000", "points"])
def test_a_sweep_that_was_killed_anywhere_goes_on_to_the_same(whole: Sweep, tmp_path: Path, lost: str) -> None:
    """What kill -9 leaves: the record as it was at the beginning, and some of the rest."""
    import shutil

    shutil.copytree(whole.path, tmp_path / "sweep")
    record = json.loads((tmp_path / "sweep" / "sweep.json").read_text())
    record["state"] = "running"
    (tmp_path / "sweep" / "sweep.json").write_text(json.dumps(record))
    path = tmp_path / "sweep" / lost
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    assert same(run_sweep(None, out=tmp_path / "sweep", resume=True), whole)


def test_resuming_refuses_another_sweep(whole: Sweep) -> None:
    with pytest.raises(InputError, match=r"(?s)another one.*escape_threshold: 600 there, 700 now"):
        run_sweep(plan(["escape_threshold=700,1000,1400"]), out=whole.path, resume=True)


def test_a_folder_that_is_taken_is_left_alone(whole: Sweep, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="finished sweep"):
        run_sweep(plan(), out=whole.path)
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="something else"):
        run_sweep(plan(), out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


@pytest.mark.parametrize("text", ["{", "{}", '{"format": 99}'])
def test_what_is_no_sweep_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "sweep.json").write_text(text)
    with pytest.raises(InputError, match=r"sweep.json"):
        Sweep.open(tmp_path)
    with pytest.raises(InputError, match="no such sweep"):
        Sweep.open(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("number", "label", "name"),
    [(3, "escape_threshold 1,000", "03-escape_threshold-1000"), (0, "…", "00"), (120, "a/b", "120-a-b")],
)
def test_folders_are_named_after_points(number: int, label: str, name: str) -> None:
    assert folder_name(number, label) == name


# ---- the target


def test_a_target_names_the_setting_that_meets_it(tmp_path: Path) -> None:
    over = ["escape_threshold=200,1000,2000"]
    plain = run_sweep(plan(over), out=tmp_path / "plain")
    rounds = plain.frame.filter(pl.col("figure") == "median_rounds")["value"].to_list()
    wanted = (rounds[1] + rounds[2]) / 2
    sweep = run_sweep(plan(over), out=tmp_path / "sweep", target=Target("median_rounds", wanted))
    assert same(sweep, plain)
    assert sweep.target is not None
    crossing = sweep.target[1]
    assert crossing.value is not None
    assert crossing.low is not None
    assert crossing.high is not None
    assert crossing.low < crossing.value < crossing.high
    assert 1_000 < crossing.value < 2_000


def test_a_sweep_that_is_there_answers_another_target_without_playing(whole: Sweep) -> None:
    def played(state: Any) -> None:
        raise AssertionError("played again")

    sweep = run_sweep(None, out=whole.path, resume=True, target=Target("unfinished", 0.5), on_progress=played)
    assert sweep.target is not None
    assert sweep.target[1].value is None


@pytest.mark.parametrize(
    ("over", "target", "told"),
    [
        (THRESHOLDS, "median_round=15", "did you mean median_rounds"),
        (["escape=forced,optional"], "median_rounds=15", "expected a key with numbers"),
        ([*THRESHOLDS, "hand_size=5,6"], "median_rounds=15", "over one key"),
    ],
)
def test_a_target_that_cannot_be_met_is_refused_before_playing(
    tmp_path: Path, over: list[str], target: str, told: str
) -> None:
    with pytest.raises(InputError) as error:
        run_sweep(plan(over), out=tmp_path / "sweep", target=parse_target(target))
    assert told in str(error.value)
    assert not (tmp_path / "sweep").exists()


def test_targets_as_people_write_them() -> None:
    assert parse_target("unfinished = 5%") == Target("unfinished", 0.05)
    assert parse_target("win_share.collector=0.25") == Target("win_share.collector", 0.25)
    for text in ("median_rounds", "median_rounds=soon", "=3"):
        with pytest.raises(InputError, match="expected FIGURE=VALUE"):
            parse_target(text)
