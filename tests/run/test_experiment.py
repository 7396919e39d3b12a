"""Experiments: what a person may write, what is refused and how, and what a run depends on."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from rsc_sim.errors import InputError
from rsc_sim.experiment import Experiment, ResolvedExperiment, bundled, period

DUEL = {"name": "duel", "lineup": ["collector", "random"], "games": 1_000}


@pytest.mark.parametrize("name", bundled())
def test_bundled_experiments_resolve_and_say_what_they_ask(name: str) -> None:
    experiment = Experiment.load(name)
    assert experiment.name == name
    assert len(experiment.description.split()) > 20
    assert experiment.resolve().n_games >= experiment.games


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gmaes": 3}, ["duel.toml: gmaes: no such key (did you mean games?)"]),
        ({"games": 0}, ["duel.toml: games: expected", "at least 1", "came 0"]),
        ({"games": 1.5}, ["games: expected a whole number", "came 1.5"]),
        ({"games": "many"}, ["games: expected a whole number", "'many'"]),
        ({"seed": -1}, ["seed: expected", "at least 0"]),
        ({"seed": 2**64}, ["seed: expected"]),
        ({"lineup": ["random"]}, ["lineup: a table has 2 to 8 seats, this lineup has 1"]),
        ({"lineup": ["random"] * 9}, ["lineup: a table has 2 to 8 seats, this lineup has 9"]),
        ({"lineup": "random"}, ["lineup: expected a list of strategies", "'random'"]),
        ({"lineup": ["random", 3]}, ["lineup.1: expected a string"]),
        ({"name": "a/b"}, ["name: expected letters"]),
        (
            {"intervention": {"seat": 0, "crd": 1, "kind": "mug"}},
            ["intervention.crd: no such key (did you mean card?)"],
        ),
        ({"set": 3}, ["set: expected"]),
    ],
)
def test_each_mistake_is_named_with_file_and_key(change: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InputError) as error:
        Experiment.from_dict({**DUEL, **change}, where="duel.toml")
    for word in words:
        assert word in str(error.value)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(InputError, match=r"(?s)games.*seed"):
        Experiment.from_dict({**DUEL, "games": 0, "seed": -1})


def test_a_lineup_is_needed() -> None:
    with pytest.raises(InputError, match="lineup: missing"):
        Experiment.from_dict({"name": "duel"})


@pytest.mark.parametrize("text", ["games = ", 'name = "\xff"'])
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "duel.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"duel.toml: not valid TOML"):
        Experiment.load(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing.toml: cannot read"):
        Experiment.load(tmp_path / "nothing.toml")
    with pytest.raises(InputError, match=r"basline.*did you mean baseline"):
        Experiment.load("basline")


def test_rules_are_sought_beside_the_experiment_s_file(tmp_path: Path) -> None:
    booklet = resources.files("rsc_sim") / "rulesets" / "booklet.toml"
    text = booklet.read_text(encoding="utf-8").replace('name = "booklet"', 'name = "mine"')
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    path = tmp_path / "duel.toml"
    path.write_text('lineup = ["random", "random"]\nrules = "mine.toml"\n', encoding="utf-8")
    assert Experiment.load(path).resolve().ruleset["name"] == "mine"


def test_settings_may_be_written_as_toml_reads_dotted_keys(tmp_path: Path) -> None:
    path = tmp_path / "duel.toml"
    path.write_text(
        'lineup = ["random", "random"]\n[set]\ncards.mug.copies = 3\n"cards.badge.copies" = 2\nescape_threshold = 800\n'
    )
    rules = Experiment.load(path).resolve().ruleset
    assert (rules["cards"]["mug"]["copies"], rules["cards"]["badge"]["copies"]) == (3, 2)
    assert rules["escape_threshold"] == 800


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"set": {"escape_treshold": 3}}, "escape_treshold.*did you mean escape_threshold"),
        ({"lineup": ["colector", "random"]}, "colector.*did you mean collector"),
        ({"rules": "nowhere.toml"}, "nowhere.toml"),
        ({"intervention": {"seat": 2, "card": 1, "kind": "mug"}}, "intervention.seat: 2, but the seats are 0 to 1"),
        ({"intervention": {"seat": 0, "card": 1, "kind": "mgu"}}, "mgu: no such card.*did you mean mug"),
        ({"lineup": ["random"] * 8, "set": {"hand_size": 40}}, "."),
    ],
)
def test_what_does_not_fit_together_is_refused_when_resolved(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Experiment.from_dict({**DUEL, **change}).resolve()


def test_games_are_rounded_up_to_whole_blocks() -> None:
    resolved = Experiment.from_dict({**DUEL, "games": 1_001}).resolve()
    assert (resolved.rotations, resolved.n_blocks, resolved.n_games, resolved.games_asked) == (2, 501, 1_002, 1_001)


@pytest.mark.parametrize(
    ("ids", "rotations"), [((0, 0, 0), 1), ((0, 1), 2), ((0, 1, 0, 1), 2), ((0, 1, 1, 0), 4), ((0, 1, 2, 0, 1, 2), 3)]
)
def test_only_distinct_rotations_are_counted(ids: tuple[int, ...], rotations: int) -> None:
    from rsc_sim.engine import distinct_rotations

    assert period(ids) == rotations == distinct_rotations(ids)


def test_plain_data_and_back_is_the_same_experiment() -> None:
    resolved = Experiment.from_dict({**DUEL, "intervention": {"seat": 1, "card": 2, "kind": "mug"}}).resolve()
    back = ResolvedExperiment.from_dict(json.loads(json.dumps(resolved.to_dict())))
    assert back.digest == resolved.digest
    assert back.differences(resolved) == []


def test_digest_holds_what_results_depend_on_and_nothing_else() -> None:
    base = Experiment.from_dict(DUEL)
    digest = base.resolve().digest
    assert base.changed(name="other", description="words").resolve().digest == digest
    assert base.changed(games=999).resolve().digest == digest  # 500 blocks all the same
    for change in ({"seed": 2}, {"games": 2_000}, {"lineup": ["random", "collector"]}, {"overrides": {"hand_size": 5}}):
        assert base.changed(**change).resolve().digest != digest


def test_a_deal_in_file_order_is_no_order_of_its_own() -> None:
    from rsc_sim.ruleset import Ruleset

    rules = Ruleset.booklet()
    order = [kind for kind, card in rules.to_dict()["cards"].items() for _ in range(card["copies"])]
    plain = ResolvedExperiment.of(rules, ["random", "random"], games=10)
    assert ResolvedExperiment.of(rules, ["random", "random"], games=10, deal_order=order).digest == plain.digest
    turned = ResolvedExperiment.of(rules, ["random", "random"], games=10, deal_order=order[::-1])
    assert turned.digest != plain.digest


def test_differences_are_worded() -> None:
    base = Experiment.from_dict(DUEL)
    other = base.changed(seed=2, overrides={"cards.mug.copies": 4})
    assert base.resolve().differences(other.resolve()) == [
        "rules.cards.mug.copies: 5 there, 4 now",
        "seed: 1 there, 2 now",
    ]
