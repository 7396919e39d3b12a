"""Experiments as files and flags: where a mistake is, table sizes, settings for every key, manifests played again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rsc_sim.errors import InputError
from rsc_sim.experiment import SETTABLE, Experiment, ResolvedExperiment, parse_settings
from rsc_sim.experiment_text import line_of, parse_values
from rsc_sim.play import run_experiment
from rsc_sim.ruleset import Ruleset

DUEL = {"name": "duel", "lineup": ["collector", "random"], "games": 1_000}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('lineup = ["random", "random"]\n\ngames = 0\n', "duel.toml, line 3: games: expected a number at least 1"),
        (
            'lineup = ["random", "random"]\n[intervention]\nseat = 0\nkind = "mug"\ncrd = 1\n',
            "line 5: intervention.crd",
        ),
        ('# who\nlineup = ["random"]\n', "line 2: lineup: a table has 2 to 8 seats, this lineup has 1"),
        ('seats = 2\nlineup = ["random", "collector", "raider"]\n', "line 1: seats: 2, but the lineup has 3"),
        ('lineup = ["random", "random"]\n[sweep]\nhow = "gird"\n', "line 3: sweep.how: expected 'grid'"),
        ('lineup = ["random", "random"]\n[[sweep.points]]\nlabl = "a"\n', "did you mean label?"),
        ('lineup = ["random", "random"]\nseats = [2, 9]\n', None),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, told: str | None) -> None:
    path = tmp_path / "duel.toml"
    path.write_text(text)
    if told is None:
        assert Experiment.load(path).sweep is not None  # a point that cannot be is the sweep's to refuse
        return
    with pytest.raises(InputError) as error:
        Experiment.load(path)
    assert told in str(error.value)


def test_a_line_is_found_within_tables_of_tables() -> None:
    text = '[[sweep.points]]\nlabel = "a"\n[sweep.points.set]\nx = 1\n[[sweep.points]]\nlabel = 3\n'
    assert line_of(text, ["sweep", "points", 1, "label"]) == 6
    assert line_of(text, ["sweep", "points", 1, "lineup"]) == 5
    assert line_of(text, ["games"]) is None


@pytest.mark.parametrize(
    ("lineup", "seats", "table"),
    [
        (["collector"], 3, ("collector",) * 3),
        (["raider", "rusher"], 5, ("raider", "rusher", "raider", "rusher", "raider")),
        (["raider", "rusher"], None, ("raider", "rusher")),
    ],
)
def test_a_lineup_is_repeated_until_the_table_is_full(
    lineup: list[str], seats: int | None, table: tuple[str, ...]
) -> None:
    experiment = Experiment.from_dict({"lineup": lineup, "seats": seats})
    assert experiment.table == table
    assert experiment.resolve().lineup == table


def test_several_seats_are_a_sweep_over_them() -> None:
    experiment = Experiment.from_dict({"lineup": ["collector"], "seats": [3, 4]})
    assert experiment.seats == 3
    assert experiment.sweep is not None
    assert experiment.sweep.over == {"seats": [3, 4]}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("minutes = [60, 15]", "minutes: the least, 60, is above the most, 15"),
        ("unfinished = 5", "unfinished"),
        ("unfinshed = 0.1", "did you mean unfinished?"),
        ("seconds_per_turn = 0", "seconds_per_turn"),
        ("comeback = [0.9, 0.2]", "comeback: the least, 0.9, is above the most, 0.2"),
        ("comeback = [20, 90]", "comeback"),
        ("targeted = [0.5, 0.1]", "targeted: the least, 0.5, is above the most, 0.1"),
        ("decided_early = 0", "decided_early"),
        ("dealt_luck = 0.5", "did you mean deal_luck?"),
    ],
)
def test_limits_of_a_report_that_make_no_sense_are_refused(line: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'lineup = ["collector", "random"]\n[report]\n{line}\n')
    with pytest.raises(InputError, match=re.escape(complaint)) as caught:
        Experiment.load(file)
    assert "line " in str(caught.value)


def test_settings_reach_every_key() -> None:
    texts = [
        *("name=other", "description=some words", "lineup=raider,rusher", "seats=4", "rules=booklet", "games=20k"),
        *("seed=7", "intervention.seat=1", "intervention.card=2", "intervention.kind=mug", "hand_size=5"),
        *("cards.mug.copies=3", "rules.name=house", "check.turns=0.03"),
        *("precision.win_share=0.01", "report.unfinished=0.1", "report.minutes=[5,9.5]"),
        *("report.comeback=[0.3,0.5]", "report.idle=0.01", "record=games,cards"),
    ]
    changes = parse_settings(texts)
    assert {key for key in SETTABLE if key in changes} == set(SETTABLE)
    resolved = Experiment.from_dict(DUEL).changed(**changes).resolve()
    assert (resolved.name, resolved.description, resolved.seed) == ("other", "some words", 7)
    assert resolved.lineup == ("raider", "rusher", "raider", "rusher")
    assert resolved.games_asked == 20_000
    assert resolved.intervention == (1, 2, "mug")
    assert resolved.precision == 0.01
    assert resolved.record == ("games", "cards")
    assert (resolved.margins.turns, resolved.margins.win_share) == (0.03, 0.01)
    assert (resolved.limits.unfinished, resolved.limits.place, resolved.limits.minutes) == (0.1, 0.03, (5, 9.5))
    assert (resolved.limits.comeback, resolved.limits.idle, resolved.limits.skill) == ((0.3, 0.5), 0.01, (0, 0.25))
    kept = json.loads(json.dumps(resolved.to_dict()))
    assert ResolvedExperiment.from_dict(kept).limits == resolved.limits
    assert (resolved.ruleset["hand_size"], resolved.ruleset["name"]) == (5, "house")
    assert resolved.ruleset["cards"]["mug"]["copies"] == 3


def test_one_figure_of_a_table_may_be_set_by_itself() -> None:
    forced = Experiment.from_dict({**DUEL, "intervention": {"seat": 1, "card": 2, "kind": "mug"}})
    assert forced.changed(**parse_settings(["intervention.card=3"])).resolve().intervention == (1, 3, "mug")


def test_a_key_is_the_experiment_s_or_the_rules_but_for_name() -> None:
    assert set(SETTABLE) & set(Ruleset.booklet().to_dict()) == {"name"}


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("gmes=3", "did you mean games"),
        ("games=lots", "games: expected a whole number"),
        ("escape_treshold=3", "did you mean escape_threshold"),
        ("seats=many", "seats: expected a whole number"),
        ("games", "expected KEY=VALUE"),
        ("intervention.crd=3", "did you mean card"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(setting: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        Experiment.from_dict(DUEL).changed(**parse_settings([setting])).resolve()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2", ["1", "2"]),
        ("400..1000..200,1500", ["400", "600", "800", "1000", "1500"]),
        ("3..1", ["3", "2", "1"]),
        ("0.1..0.3..0.1", ["0.1", "0.2", "0.3"]),
        ("[discard,pickup],discard", ["[discard,pickup]", "discard"]),
        ("collector(x=1,y=2),random", ["collector(x=1,y=2)", "random"]),
    ],
)
def test_values_as_people_write_them(text: str, values: list[str]) -> None:
    assert parse_values(text, "key") == values


@pytest.mark.parametrize("text", ["1,,2", "1..", "a..b", "1..9..0", "1..1000000"])
def test_values_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="key: "):
        parse_values(text, "key")


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"set": {"cards.mug.copies": 3, "escape": "forced"}},
        {"intervention": {"seat": 1, "card": 2, "kind": "mug"}},
        {"lineup": ["collector"], "seats": 3, "games": 301, "seed": 2**64 - 1},
    ],
)
def test_a_manifest_is_an_experiment_again(tmp_path: Path, change: dict[str, Any]) -> None:
    first = Experiment.from_dict({**DUEL, "games": 300, **change}).resolve()
    run, _ = run_experiment(first, out=tmp_path / "run")
    again = Experiment.load(tmp_path / "run" / "manifest.json").resolve()
    assert again.to_dict() == first.to_dict()
    assert run_experiment(again)[0].outcome_digest == run.outcome_digest
    other = Experiment.load(str(tmp_path / "run")).changed(overrides={"hand_size": 5}).resolve()
    assert other.ruleset["hand_size"] == 5


def test_a_manifest_keeps_the_order_of_the_deal_as_long_as_the_copies_are_those() -> None:
    plain = Experiment.from_dict(DUEL)
    order = sorted(plain.resolve().to_dict()["rules"]["cards"])
    copies = plain.resolve().ruleset["cards"]
    deal = [kind for kind in order for _ in range(copies[kind]["copies"])]
    kept = plain.resolve(deal_order=deal)
    assert kept.deal_order == tuple(deal)
    again = Experiment.of(kept)
    assert again.resolve().digest == kept.digest
    assert again.changed(overrides={"cards.mug.copies": 1}).resolve().deal_order is None


@pytest.mark.parametrize("text", ["{", "{}", "[]", json.dumps({"experiment": {"name": "a"}})])
def test_what_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"manifest.json: not the manifest of a run"):
        Experiment.load(path)
