"""`rsc strategies`: the list, and a check at the command line. The kit itself is tested in tests/conformance."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rsc_sim import conformance
from rsc_sim.conformance import Conformance, Finding
from rsc_sim.strategies import BUILT_IN


def test_each_strategy_is_listed_with_a_sentence(rsc: Any) -> None:
    code, out, err = rsc("strategies")
    assert (code, err) == (0, "")
    for name in BUILT_IN:
        line = next(line for line in out.splitlines() if line.split()[:1] == [name])
        assert line.rstrip().endswith(".")
        assert "`" not in line
    assert max(map(len, out.splitlines())) <= 100
    told = json.loads(rsc("strategies", "--json").out)
    assert [strategy["spec"] for strategy in told] == list(BUILT_IN)
    assert all(strategy["summary"] for strategy in told)


def test_check_tells_what_was_checked(rsc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "GAMES", 14)
    code, out, err = rsc("strategies", "--check", "random")
    assert (code, err) == (0, "")
    assert out.startswith("random passes: ")
    assert "hidden cards never change an answer" in out
    assert "not held, for it draws random numbers" in out
    assert "put_down" in out
    told = json.loads(rsc("strategies", "--check", "random", "--json").out)
    assert (told["spec"], told["passed"]) == ("random", True)


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_check_that_fails_ends_with_4(rsc: Any, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]) -> None:
    report = Conformance((Finding("a", True, 1, "games"), Finding("b", False, 2, "games", "game 7, turn 2")), 3)
    monkeypatch.setattr(conformance, "check_strategy", lambda strategy: report)
    code, out, err = rsc("strategies", "--check", "random", *more)
    assert code == 4
    assert err == "rsc: strategy 'random' fails 1 of 2 checks\n"
    assert "game 7, turn 2" in out
    assert ("FAILS" in out) == (not more)


@pytest.mark.parametrize(
    ("spec", "words"), [("colector", "did you mean collector?"), ("random(x=1)", "no parameter 'x'")]
)
def test_an_unknown_strategy_is_explained(rsc: Any, spec: str, words: str) -> None:
    code, out, err = rsc("strategies", "--check", spec)
    assert (code, out) == (2, "")
    assert words in err
