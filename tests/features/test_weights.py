"""Files of weights: read, refused with the place of the mistake, bound to the compiled scorer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rsc_sim.engine import CompiledRules, Game
from rsc_sim.errors import InputError
from rsc_sim.feature_matrix import matrix
from rsc_sim.features import FEATURES
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve
from rsc_sim.weights import Weights, load

THRIFTY = """\
name = "thrifty"
description = '''
Keeps its tickets
and its reactions.

Never mind the rest.
'''

[weights]
value_gained = 1.5
spends_ticket = -2
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "thrifty.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_read(tmp_path: Path) -> None:
    weights = load(written(tmp_path, THRIFTY))
    assert (weights.name, weights.command) == ("thrifty", "")
    assert weights.summary == "Keeps its tickets and its reactions."
    assert tuple(weights.weights) == FEATURES
    assert {name: w for name, w in weights.weights.items() if w} == {"value_gained": 1.5, "spends_ticket": -2.0}


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    vector = [(-1) ** i * (i + 1) / 7 for i in range(len(FEATURES))]
    weights = Weights.of_vector(vector, name="a\\b", description='"""Odd""" \\ text', command="rsc train 'x y'")
    path = written(tmp_path, weights.to_toml())
    again = load(path)
    assert again == weights
    assert again.digest == weights.digest
    assert again.vector == [round(weight, 4) for weight in vector]
    assert Weights.of_vector([0.0] * len(FEATURES), name="a\\b").digest != weights.digest


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("value_gained", "valeu_gained", "thrifty.toml: line 10: weights.valeu_gained: no such feature (did you mean"),
        ("value_gained", "zzz", "line 10: weights.zzz: no such feature; docs/features.md lists them"),
        ("1.5", "'much'", "line 10: weights.value_gained: expected a number, came 'much'"),
        ("1.5", "true", "weights.value_gained: expected a number, came True"),
        ("1.5", "nan", "weights.value_gained: expected a number from -1000 to 1000, came nan"),
        ("-2", "-1000.5", "line 11: weights.spends_ticket: expected a number from -1000 to 1000, came -1000.5"),
        ("[weights]", "[wieghts]", "line 9: no such key (did you mean weights?)"),
        ('"thrifty"', "7", "line 1: expected text, came 7"),
        ("[weights]", "[weights", "not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = written(tmp_path, THRIFTY.replace(old, new))
    with pytest.raises(InputError) as error:
        load(path)
    assert words in str(error.value)


def test_every_mistake_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        load(written(tmp_path, THRIFTY.replace("value_gained", "gained").replace("-2", "'x'")))
    assert len(str(error.value).splitlines()) == 2


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the weights"):
        load(tmp_path / "none.toml")


def test_a_vector_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match=f"expected {len(FEATURES)}, one a feature, got 2"):
        Weights.of_vector([1, 2], name="short")


def test_the_bound_strategy_makes_the_move_that_weighs_most(tmp_path: Path) -> None:
    """A spec that names the file plays what the matrix of features times the weights says."""
    vector = [((i * 37) % 21 - 10) / 8 for i in range(len(FEATURES))]
    path = written(tmp_path, Weights.of_vector(vector, name="thrifty").to_toml())
    strategy = resolve(str(path)).bind()
    game = Game(CompiledRules(Ruleset.booklet().to_dict(), seats=3), seed=5, block=2)
    asked = 0
    while game.decision is not None and asked < 300:
        rows, _, _ = matrix(game)
        index = game.choose(strategy)
        scores = rows.astype(np.float64) @ vector
        assert scores[index] == scores.max()
        game.apply(index)
        asked += 1
    assert asked > 50
