"""Training: the same on any number of jobs, the same when it is resumed, and it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rsc_sim import train as training
from rsc_sim.errors import InputError, Interrupted
from rsc_sim.ruleset import Ruleset
from rsc_sim.train import CHECKPOINT, HELD_OUT, Asked, State, Training, fields_of, train
from rsc_sim.weights import load

pytest.importorskip("cma")

RULES = Ruleset.booklet().to_dict()


@pytest.fixture(autouse=True)
def _few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "HELD_OUT_GAMES", 80)
    monkeypatch.setattr(training, "CURVE_EVERY", 2)


def asked(**figures: Any) -> Asked:
    figures = {"games": 40, "population": 5, **figures}
    return Asked.of("mine", fields_of("collector, rusher+random+raider"), rules=RULES, **figures)


def fit(folder: Path, generations: int = 4, **how: Any) -> tuple[str, str]:
    train(asked(), generations, folder, command="rsc train mine", **how)
    return (folder / "mine.toml").read_text(), (folder / CHECKPOINT).read_text()


def test_it_comes_out_the_same_on_any_jobs_and_however_it_is_cut(tmp_path: Path) -> None:
    whole = fit(tmp_path / "whole", jobs=1)
    assert fit(tmp_path / "two", jobs=2) == whole
    fit(tmp_path / "cut", 2)
    assert fit(tmp_path / "cut", resume=True) == whole
    assert load(tmp_path / "whole" / "mine.toml").command == "rsc train mine"


@pytest.mark.parametrize("stop_at", [1, 3])
def test_a_training_that_is_killed_goes_on_as_if_nothing_had_been(tmp_path: Path, stop_at: int) -> None:
    whole = fit(tmp_path / "whole")

    def killed(state: State, _: int) -> None:
        if state.generation == stop_at:
            raise MemoryError

    with pytest.raises(MemoryError):
        fit(tmp_path / "killed", on_generation=killed)
    assert fit(tmp_path / "killed", resume=True) == whole


def test_ctrl_c_tells_how_to_go_on(tmp_path: Path) -> None:
    def interrupted(state: State, _: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="--resume --out") as error:
        fit(tmp_path, on_generation=interrupted)
    assert error.value.exit_code == 130


def test_another_training_is_not_gone_on_with(tmp_path: Path) -> None:
    fit(tmp_path, 1)
    with pytest.raises(InputError, match="holds a training already"):
        fit(tmp_path, 1)
    with pytest.raises(InputError, match="games: 40 there, 44 now"):
        train(asked(games=44), 2, tmp_path, command="", resume=True)
    (tmp_path / CHECKPOINT).write_text("{}")
    with pytest.raises(InputError, match="not a training's checkpoint"):
        fit(tmp_path, 1, resume=True)
    with pytest.raises(InputError, match="no training there"):
        fit(tmp_path / "nowhere", 1, resume=True)


def test_each_generation_has_deals_of_its_own_and_the_curve_others(monkeypatch: pytest.MonkeyPatch) -> None:
    dealt = []
    play = training.play_blocks

    def noted(*arguments: Any, **how: Any) -> Any:
        dealt.append((how["first_block"], how["n_blocks"], how["strategy_ids"]))
        return play(*arguments, **how)

    monkeypatch.setattr(training, "play_blocks", noted)
    under_way = Training(State(asked()), jobs=1)
    under_way.generation()
    under_way.generation()
    under_way.take_point()
    assert dealt[:20] == [
        *[(0, 10, ids) for ids in ([0, 1, 1, 1], [0, 1, 2, 3])] * 5,
        *[(10, 10, ids) for ids in ([0, 1, 1, 1], [0, 1, 2, 3])] * 5,
    ]
    assert {first for first, _, _ in dealt[20:]} == {HELD_OUT}


def test_the_share_is_that_of_the_candidates_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against copies of itself a candidate wins a quarter in a block of all rotations, ties and all."""
    from rsc_sim.features import FEATURES
    from rsc_sim.weights import Weights

    one = Training(State(asked()), jobs=1)
    bound = Weights.of_vector(asked().start, name="mine").bind()

    class Same:
        spec = "same"

        @staticmethod
        def bind() -> object:
            return bound

    won = one._won(bound, [Same(), Same(), Same()], 0, 200)  # type: ignore[list-item]
    assert len(FEATURES) == len(asked().start)
    assert ((won == 0.25) | (won == 0)).all()
    assert (won == 0.25).mean() > 0.9


def test_a_few_generations_already_beat_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """From weights of 0 it wins nothing; what it learns from random opponents wins more than its share."""
    monkeypatch.setattr(training, "HELD_OUT_GAMES", 400)
    start = (0.0,) * len(asked().start)
    fields = fields_of("random")
    under_way = Training(State(Asked.of("mine", fields, rules=RULES, games=80, population=12, start=start)), jobs=2)
    before = under_way.take_point().fields[0]
    for _ in range(6):
        under_way.generation()
    after = under_way.take_point().fields[0]
    assert before.high < 0.25 < after.low


def test_fields_as_people_write_them() -> None:
    assert fields_of("raider,rusher", seats=2) == (("raider",), ("rusher",))
    assert fields_of("random(), collector+raider", seats=3) == (("random", "random"), ("collector", "raider"))
    with pytest.raises(InputError, match=r"expected one strategy for all opponents, or 3 of them with \+ between"):
        fields_of("raider+rusher")
    with pytest.raises(InputError, match="no such strategy"):
        fields_of("rader")


def test_a_file_that_has_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    opponent = tmp_path / "other.toml"
    opponent.write_text("[weights]\ntables = 1\n")
    one = Asked.of("mine", fields_of(str(opponent), seats=2), rules=RULES, games=4, population=4)
    train(one, 1, tmp_path / "t", command="")
    opponent.write_text("[weights]\ntables = 2\n")
    with pytest.raises(InputError, match="its file has changed since this training began"):
        Training(State.load(tmp_path / "t" / CHECKPOINT))
