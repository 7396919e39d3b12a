"""Every built-in strategy passes the kit; planted faults do not, and each is named by the check that is for it."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from rsc_sim.conformance import GAMES, Conformance, check_strategy, odd_rules
from rsc_sim.strategies import BUILT_IN
from rsc_sim.strategy import resolve

CHECKS = {
    "legal": "every answer is a legal move",
    "hidden": "hidden cards never change an answer",
    "repeated": "the same question gets the same answer",
    "order": "a game depends on its deal alone",
    "seats": "seat numbers do not matter",
}


def failed(report: Conformance) -> dict[str, str]:
    """Give the failed checks with their details."""
    names = {check: name for name, check in CHECKS.items()}
    assert [finding.check for finding in report.findings] == list(CHECKS.values())
    return {names[finding.check]: finding.detail for finding in report.findings if finding.passed is False}


SLOW = {"search": ("search(playouts=12, turns=3)", 5), "beginner": ("beginner", 5)}
"""In the default suite how little they look ahead, and in how many times fewer games; the whole kit is `slow`."""


def passes_and_is_asked_often(spec: str, fewer: int) -> None:
    report = check_strategy(resolve(spec).bind(), games=GAMES // fewer)
    assert failed(report) == {}
    assert report.passed
    legal, hidden, repeated, order, seats = report.findings
    assert legal.n > 20_000 / fewer
    assert hidden.n > 10_000 / fewer
    assert repeated.n > 5_000 / fewer
    assert order.n > 800 / fewer
    assert (seats.passed is None) == spec.startswith(("random", "search"))
    assert seats.passed is None or seats.n > 5_000 / fewer
    assert set(report.decisions) == {"put_down", "react", "take", "table_more", "escape"}


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_strategy_passes_and_is_asked_often(name: str) -> None:
    passes_and_is_asked_often(*SLOW.get(name, (name, 3)))


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["search(playouts=50)", *(name for name in BUILT_IN if name != "search")])
def test_a_built_in_strategy_passes_the_whole_kit(spec: str) -> None:
    passes_and_is_asked_often(spec, 1)


def test_the_kit_looks_at_every_part_of_the_game() -> None:
    """`random` meets all decisions even in a short check, and its own luck is not mistaken for anything."""
    report = check_strategy(resolve("random").bind(), games=42)
    assert min(report.decisions.values()) > 5
    assert report.passed
    assert check_strategy(resolve("random").bind(), games=42) == report


def test_the_odd_rules_are_sound_and_differ() -> None:
    rules = odd_rules()
    assert len({ruleset.digest for ruleset in rules.values()}) == len(rules)
    for ruleset in rules.values():
        ruleset.check_seats(8)


def test_an_outside_strategy_is_put_through_it(example: SimpleNamespace) -> None:
    assert "hidden" not in failed(check_strategy(example.patient.bind(), games=14))


def test_a_cheater_is_caught(example: SimpleNamespace) -> None:
    found = failed(check_strategy(example.faulty.cheater(), games=14))
    assert re.search(r"turn \d+, seat \d, .* with other hidden cards", found["hidden"])
    assert "legal" not in found


def test_one_that_goes_by_seat_numbers_is_caught(example: SimpleNamespace) -> None:
    found = failed(check_strategy(example.faulty.by_number(), games=42))
    assert set(found) == {"seats"}
    assert "with all seats moved on" in found["seats"]


@pytest.mark.parametrize("fault", ["illegal", "raises"])
def test_one_that_fails_is_named_and_nothing_else_is_claimed(example: SimpleNamespace, fault: str) -> None:
    faulty = example.faulty
    strategy = faulty.answers(3, from_turn=5, past_the_end=True) if fault == "illegal" else faulty.raises(from_turn=5)
    report = check_strategy(strategy, games=14)
    found = failed(report)
    assert set(found) == {"legal"}
    assert "turn" in found["legal"]
    assert ("returned" in found["legal"]) == (fault == "illegal")
    assert [finding.passed for finding in report.findings[1:]] == [None] * 4
