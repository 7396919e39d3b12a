"""Specs: what they may name, how they are worded, and what is said when they name nothing."""

from __future__ import annotations

import functools
import hashlib
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

from rsc_sim.errors import InputError, StrategyError
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import Strategy, resolve

TEXT = '''"""A file of two strategies."""

import os

HELPER = 3


def choose(view, moves, *, greed=0.5, bold=False, name=None):
    """`choose`: the first move.

    More of it.
    """
    return 0


def score(batch):
    return batch.features @ batch.features[0]


def neither(view, moves, third):
    return 0


class Play:
    def __call__(self, view, moves):
        return 0


played = Play()
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "mine.py").write_text(TEXT)
    (tmp_path / "sub" / "deep.py").write_text("def choose(view, moves):\n    return 1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "canonical", "kind"),
    [
        ("collector", "collector", "native"),
        (" collector() ", "collector", "native"),
        ("mine.py:choose", "mine.py:choose", "python"),
        ("./mine.py:choose", "mine.py:choose", "python"),
        ("sub/../mine.py:choose(greed=0.5)", "mine.py:choose", "python"),
        ("mine.py:choose(bold=True, greed=1)", "mine.py:choose(greed=1.0, bold=True)", "python"),
        ("mine.py:choose(name='a')", "mine.py:choose(name='a')", "python"),
        ("mine.py:score", "mine.py:score", "batched"),
        ("mine.py:played", "mine.py:played", "python"),
        ("sub/deep.py:choose", "sub/deep.py:choose", "python"),
        ("rsc_sim.strategies.rusher:bind", "rsc_sim.strategies.rusher:bind", "native"),
    ],
)
def test_a_spec_is_found_and_worded_in_one_way(spec: str, canonical: str, kind: str) -> None:
    strategy = resolve(spec)
    assert (strategy.spec, strategy.kind) == (canonical, kind)
    assert resolve(canonical) == strategy
    assert strategy.needs_interpreter == (kind in {"python", "batched"})


def test_a_strategy_from_a_file_is_known_by_what_the_file_says(folder: Path) -> None:
    strategy = resolve("mine.py:choose")
    assert strategy.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert strategy.parameters == {"greed": 0.5, "bold": False, "name": None}
    assert strategy.summary == "`choose`: the first move."
    (folder / "mine.py").write_text(TEXT.replace("return 0", "return 1"))
    edited = resolve("mine.py:choose")
    assert edited != strategy
    assert edited.source is not None
    assert edited.source.target(None, None) == 1


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("colector", "did you mean collector?"),
        ("nowhere.py:choose", "no such file in "),
        ("mien.py:choose", "did you mean mine.py?"),
        ("mine.py:chose", "no 'chose' in the file (did you mean choose?); it has choose, score, played"),
        ("mine.py:neither", "got a function (view, moves, third)"),
        ("mine.py:HELPER", "got int 3"),
        ("mine.py", "Write for instance mine.py:choose"),
        ("mine.py:choose(gred=1.0)", "no parameter 'gred' (did you mean greed?); it has greed, bold, name"),
        ("mine.py:choose(greed='a')", "greed expects float such as 0.5, got 'a'"),
        ("mine.py:choose(greed=", "expected a name, path/file.py:function"),
        ("mine.py:choose(0.5)", "with parameters as in name(parameter=value)"),
        ("search(rollout=rusher)", "each value a number, True, False, or a text in quotes"),
        ("search(playouts=1, playouts=2)", "playouts is given twice"),
        ("no.such.module:choose", "no module 'no' can be imported"),
        ("os:choose", "no 'choose' in os"),
        ("", "expected a name"),
    ],
)
def test_a_spec_that_names_nothing_is_explained(spec: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(spec)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def choose(view, moves):\n    return (\n", "mine.py: line 2: "),
        ("import os\n1 / 0\n", "mine.py: line 2: ZeroDivisionError: division by zero"),
        ("import nothing_of_that_name", "line 1: ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    ],
)
def test_a_file_that_does_not_run_is_told_with_its_line(folder: Path, text: str, words: str) -> None:
    (folder / "mine.py").write_text(text)
    with pytest.raises(InputError) as caught:
        resolve("mine.py:choose")
    assert words in str(caught.value)


def test_a_file_named_as_a_module_is_recognised(folder: Path) -> None:
    (folder / "unheard_of.py").write_text(TEXT)
    with pytest.raises(InputError, match=r"a file is named with its ending, such as unheard_of\.py:choose"):
        resolve("unheard_of:choose")


def test_what_lies_beside_a_file_can_be_imported_by_it(folder: Path) -> None:
    (folder / "beside_it_7.py").write_text("def choose(view, moves):\n    return 0\n")
    (folder / "mine.py").write_text("from beside_it_7 import choose\n")
    assert resolve("mine.py:choose").spec == "mine.py:choose"


def test_paths_in_an_experiment_start_beside_its_file(folder: Path) -> None:
    (folder / "sub" / "ask.toml").write_text('name = "ask"\nlineup = ["deep.py:choose", "random"]\ngames = 100\n')
    experiment = Experiment.load("sub/ask.toml")
    assert experiment.resolve().lineup == ("sub/deep.py:choose", "random")
    assert experiment.changed(games=200).resolve().lineup == ("sub/deep.py:choose", "random")
    assert experiment.changed(lineup=["mine.py:choose", "random"]).resolve().lineup[0] == "mine.py:choose"


def lineup_of(*lineup: Any) -> ResolvedExperiment:
    return ResolvedExperiment.of(Ruleset.booklet(), lineup, games=10)


def test_an_edited_file_is_another_experiment(folder: Path) -> None:
    before = lineup_of("mine.py:choose", "random")
    again = ResolvedExperiment.from_dict(before.to_dict())
    assert again == before
    assert "sha256" not in before.to_dict()["strategies"][1]
    (folder / "mine.py").write_text(TEXT + "\n")
    after = lineup_of("mine.py:choose", "random")
    assert after.digest != before.digest
    (difference,) = before.differences(after)
    assert difference.startswith("strategies.mine.py:choose: its file has changed since (SHA-256 ")
    with pytest.raises(InputError, match=r"'mine.py:choose': its file has changed since"):
        before.strategies[0].find()


def simple(view: Any, moves: Any, *, greed: float = 0.5) -> int:
    """Play the first move."""
    return 0


def test_a_function_stands_for_itself() -> None:
    assert resolve(simple).spec == f"{__name__}:simple"
    assert resolve(functools.partial(simple, greed=1)).spec == f"{__name__}:simple(greed=1.0)"

    def local(view: Any, moves: Any) -> int:
        return 0

    strategy = resolve(local)
    assert (strategy.spec, strategy.kind) == ("__main__:local", "python")
    assert resolve("__main__:local") == strategy
    assert lineup_of(local, "random").strategies[0].find() == strategy

    def other(view: Any, moves: Any) -> int:
        return 1

    other.__qualname__ = local.__qualname__
    with pytest.raises(InputError, match="two strategies that differ are both called __main__:local: rename one"):
        lineup_of(local, other)
    with pytest.raises(InputError, match="expected a spec such as 'collector' or a function, came 3"):
        resolve(3)  # type: ignore[arg-type]


def test_a_strategy_travels_as_its_spec() -> None:
    for spec in ("collector", "mine.py:choose(greed=1.0)"):
        there = pickle.loads(pickle.dumps(resolve(spec)))
        assert there == resolve(spec)
        assert there.source is None
        assert there.carried is None
    assert isinstance(there, Strategy)


def test_one_that_cannot_be_pickled_is_told_before_anything_is_played() -> None:
    def make() -> Any:
        lock = threading.Lock()

        def local(view: Any, moves: Any) -> int:
            return int(lock.locked())

        return local

    with pytest.raises(StrategyError, match="'__main__:local' cannot be sent to another process: TypeError"):
        resolve(make()).portable()


def test_functions_of_one_text_that_play_otherwise_are_not_taken_for_one() -> None:
    def made(answer: int) -> Any:
        def inner(view: Any, moves: Any) -> int:
            return answer

        return inner

    first, last = made(0), made(-1)
    with pytest.raises(InputError, match="two strategies that differ are both called __main__:inner: rename one"):
        lineup_of(first, last)
    assert lineup_of(first, first).rotations == 1
    last.__qualname__ = "other"
    assert lineup_of(first, last).lineup == ("__main__:inner", "__main__:other")
