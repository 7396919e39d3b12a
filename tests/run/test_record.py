"""What a run records: less is the same run, and whoever asks for what is not there is told so and how to have it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rsc_sim
from rsc_sim import plots
from rsc_sim.errors import InputError
from rsc_sim.experiment import Experiment, parse_settings
from rsc_sim.recorded import TABLES
from rsc_sim.run import Run
from rsc_sim.runner import play
from rsc_sim.store import read_journal
from rsc_sim.sweep_plan import plan_sweep
from tests.run.test_pending import gone_on, stopped

DUEL = Experiment.from_dict({"name": "duel", "lineup": ["collector", "random"], "games": 12_000})


@pytest.fixture(scope="module")
def whole() -> Run:
    return play(DUEL.resolve())


@pytest.mark.parametrize("record", [["games"], ["cards"], ["windows", "games"], []], ids=str)
def test_the_games_are_the_same_and_no_more_is_kept(whole: Run, tmp_path: Path, record: list[str]) -> None:
    experiment = DUEL.changed(record=record).resolve()
    kept = tuple(table for table in TABLES if table in record)
    assert experiment.record == kept
    assert experiment.digest == DUEL.resolve().digest
    run = play(experiment, out=tmp_path)
    assert run.outcome_digest == whole.outcome_digest == play(experiment).outcome_digest
    assert len(run) == 12_000
    for table in TABLES:
        parts = [path.name for path in (tmp_path / table).glob("part-*")]
        assert bool(parts) == (table in kept)
        if table in kept:
            assert getattr(run, table).collect().equals(getattr(whole, table).collect())
            assert getattr(play(experiment), table).collect().equals(getattr(whole, table).collect())
        else:
            with pytest.raises(
                InputError, match=rf"{table} were not recorded .*\n.*--set record=.*{table}.* --out again"
            ):
                getattr(run, table)
    assert {table for record in read_journal(tmp_path).values() for table in record.files} == set(kept)
    again = Experiment.load(tmp_path / "manifest.json").resolve()
    assert again.record == kept
    assert again == experiment


@pytest.mark.parametrize("record", [["cards"], []], ids=str)
def test_such_a_run_is_gone_on_with(
    whole: Run, tmp_path: Path, record: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    experiment = DUEL.changed(record=record).resolve()
    there = stopped(experiment, tmp_path, 9_000)
    with pytest.raises(InputError, match=r"record: \[.*\] there, \['games', 'cards', 'windows'\] now"):
        play(DUEL.resolve(), out=tmp_path, resume=True)
    run, kept = gone_on(experiment, tmp_path)
    assert kept == there
    assert run.outcome_digest == whole.outcome_digest
    if record:
        (tmp_path / "cards" / "part-00000.parquet").unlink()
        mended = play(experiment, out=tmp_path, resume=True)
        assert mended.mended == ("cards/part-00000.parquet",)
        assert mended.cards.collect().equals(whole.cards.collect())


def test_what_is_drawn_from_what_is_not_there_is_refused_or_left_out(tmp_path: Path) -> None:
    run = play(DUEL.changed(record=["games"], games=400).resolve())
    for draw in (plots.card_impact, plots.bottleneck):
        with pytest.raises(InputError, match="were not recorded"):
            draw(run)
    names = {path.stem for path in plots.write_all(run, tmp_path)}
    assert names == {"win_share", "places", "game_length", "ends", "chance"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'record = ["games", "card"]',
            "duel.toml, line 3: record.1: expected 'games', 'cards' or 'windows', came 'card'",
        ),
        ('record = "games"', "duel.toml, line 3: record: expected a list, came 'games'"),
        (
            'record = ["cards"]\n[precision]\nwin_share = 0.01',
            "duel.toml, line 3: record: a run with a precision target goes by its games; expected games in the list",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "duel.toml"
    file.write_text(f'lineup = ["random", "random"]\ngames = 10\n{text}\n')
    with pytest.raises(InputError) as refused:
        Experiment.load(file)
    assert str(refused.value) == words


def test_flags_set_it(tmp_path: Path) -> None:
    for text, record in (
        ("record=games", ("games",)),
        ("record=[cards, games]", ("games", "cards")),
        ('record=["windows"]', ("windows",)),
        ("record=[]", ()),
    ):
        assert DUEL.changed(**parse_settings([text])).record == record
    with pytest.raises(InputError, match="expected a list of games, cards, windows, came 'rows'"):
        rsc_sim.simulate("booklet", ["random", "random"], games=10, record=["rows"])  # type: ignore[list-item]


def test_a_sweep_needs_games_and_is_not_over_what_is_recorded() -> None:
    with pytest.raises(InputError, match="compared game by game"):
        plan_sweep(DUEL.changed(record=["cards"]), ["hand_size=5,6"])
    with pytest.raises(InputError, match="cannot be over record"):
        plan_sweep(DUEL, ["record=[games],[cards]"])


def test_the_summary_of_a_run_without_games_has_what_its_tallies_say(whole: Run, tmp_path: Path) -> None:
    from rsc_sim.play import run_experiment
    from rsc_sim.summary import summarise

    _, summary = run_experiment(DUEL.changed(record=["cards", "windows"]).resolve(), out=tmp_path)
    assert summary is None
    told: dict[str, Any] = json.loads((tmp_path / "summary.json").read_text())
    assert told.keys() == {"not_recorded", "cards", "bottleneck"}
    assert told["not_recorded"].startswith("Not recorded: games one by one (games). Played again it gives the same")
    expected = json.loads(json.dumps(summarise(whole).to_dict()))
    assert told["cards"] == expected["cards"]
    assert told["bottleneck"] == expected["bottleneck"]
