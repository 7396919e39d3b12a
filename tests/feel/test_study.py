"""A study of the feel of a game: the same on any jobs, true to a run of the same games, and what it leaves behind."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from rsc_sim.analysis.feel import FIGURES
from rsc_sim.analysis.shares import win_share_by_read_dealt
from rsc_sim.errors import InputError, Interrupted
from rsc_sim.experiment import Experiment
from rsc_sim.feel import FORMAT, WHAT, FeelStudy, study_feel
from rsc_sim.runner import play
from rsc_sim.study import check_folder

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("jobs", "backend"), [(1, "threading"), (3, "threading"), (2, "loky")])
def test_the_same_on_any_jobs(jobs: int, backend: str) -> None:
    experiment = Experiment.from_dict({"lineup": ["collector", "random", "raider"], "games": 60}).resolve()
    one = study_feel(experiment, jobs=2).to_dict()
    assert study_feel(experiment, jobs=jobs, backend=backend).to_dict() == one


def test_figures_that_a_run_has_too(study: FeelStudy) -> None:
    run = play(study.experiment, jobs=1)
    games = run.games.collect()
    assert study.feel["lead_changes"].value == pytest.approx(games["lead_changes"].mean())
    assert study.feel["read_taken"].value == pytest.approx(games["read_moves"].mean())
    assert study.feel["cancelled"].value == pytest.approx(games["cancelled"].mean())
    assert study.read_dealt == win_share_by_read_dealt(run.games)[0]


def test_shares_of_luck_keep_their_bounds(study: FeelStudy) -> None:
    assert study.luck is not None
    by = {one.name: one for one in (*study.luck.sources, *study.luck.groups)}
    assert sum(one.alone.value for one in study.luck.sources) < 1
    assert sum(one.in_all.value for one in study.luck.sources) > 1
    for one in by.values():
        assert one.alone.low < one.in_all.high
    assert by["deal"].in_all.high >= max(by["hands"].in_all.value, by["pile"].in_all.value)
    assert by["strategies"].in_all.low > 0  # one of them draws its moves
    assert study.skill is not None
    assert study.skill.spread.low > 0.02  # `random` wins less


def test_a_mirror_of_strategies_that_draw_nothing_has_no_luck_of_theirs_and_no_skill() -> None:
    mirror = study_feel(Experiment.from_dict({"lineup": ["collector"] * 3, "games": 30}).resolve(), jobs=1)
    assert mirror.luck is not None
    dice = next(one for one in mirror.luck.sources if one.name == "strategies")
    assert (dice.alone.value, dice.in_all.value, dice.in_all.high) == (0, 0, 0)
    assert mirror.skill is None


def test_minutes_are_at_the_experiment_s_pace_unless_told() -> None:
    described = {"lineup": ["collector"] * 2, "games": 40, "report": {"seconds_per_turn": 45.0}}
    experiment = Experiment.from_dict(described).resolve()
    slow, fast = study_feel(experiment, luck=False), study_feel(experiment, luck=False, seconds_per_turn=15)
    assert slow.feel.seconds_per_turn == 45
    assert slow.feel.minutes[0.5].value == 3 * fast.feel.minutes[0.5].value
    assert slow.luck is None
    with pytest.raises(InputError, match="seconds_per_turn: expected seconds above 0"):
        study_feel(experiment, seconds_per_turn=0)


def test_a_study_is_written_whole(study: FeelStudy, tmp_path: Path) -> None:
    study.write(tmp_path / "study")
    data = json.loads((tmp_path / "study" / "feel.json").read_text())
    assert data["format"] == FORMAT
    assert list(data["figures"]) == list(FIGURES)
    assert all(one["words"] and one["source"] for one in data["figures"].values())
    assert [one["name"] for one in data["luck"]["sources"]] == ["hands", "pile", "renewals", "picks", "strategies"]
    with pytest.raises(InputError, match="holds files already"):
        check_folder(tmp_path / "study", WHAT)


def test_the_page_defines_every_figure() -> None:
    page = (ROOT / "docs" / "feel.md").read_text(encoding="utf-8")
    assert [name for name in FIGURES if f"`{name}`" not in page] == []


def test_an_experiment_with_an_intervention_is_refused() -> None:
    described = Experiment.from_dict(
        {"lineup": ["collector"] * 2, "games": 10, "intervention": {"seat": 0, "card": 1, "kind": "mug"}}
    )
    with pytest.raises(InputError, match="forces a card"):
        study_feel(described.resolve())


def test_a_single_deal_tells_that_it_tells_nothing() -> None:
    study = study_feel(Experiment.from_dict({"lineup": ["collector"] * 2, "games": 1}).resolve())
    assert study.feel["comeback"].low == 0
    json.dumps(study.to_dict(), allow_nan=False)


def test_a_stop_asked_when_all_of_a_phase_is_played_ends_the_study() -> None:
    experiment = Experiment.from_dict({"lineup": ["collector", "random"], "games": 60}).resolve()
    told: list[str] = []

    def stop_late(done: int, of: int, what: str) -> None:
        told.append(what)
        if done == of:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted, match="of a study of"):
        study_feel(experiment, jobs=1, on_progress=stop_late)
    assert set(told) == {"games watched"}
