"""No card forgotten: each kind of the booklet has rule tests of its own, by the test's name or its parameters.

The rule tests are collected by pytest itself, in a process of their own, so what is found does not depend on what else
is being run. What is asked of a kind follows from its entry in the ruleset file.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.rules.table import BOOKLET, kinds_of

HERE = Path(__file__).parent
NOT_OF_CARDS = {"test_ruleset.py", "test_ruleset_diff.py", "test_ruleset_text.py", Path(__file__).name}
"""These test what the file says, or the tests; not what a card does."""

ACTIONS, REACTIONS = kinds_of("action"), kinds_of("reaction")
FAMILY = {kind: BOOKLET["cards"][kind]["family"] for kind in ACTIONS}
A_KIND = re.compile("|".join(sorted(BOOKLET["cards"], key=len, reverse=True)))


class Collected(NamedTuple):
    """One test: its function's name, and the kinds that the name and the parameters tell."""

    name: str
    kinds: frozenset[str]
    engine: str


@cache
def rule_tests() -> list[Collected]:
    files = [str(path) for path in sorted(HERE.glob("test_*.py")) if path.name not in NOT_OF_CARDS]
    pytest_options = ["--collect-only", "-q", "-p", "no:cacheprovider", "-o", "addopts="]
    listing = subprocess.run(
        [sys.executable, "-m", "pytest", *pytest_options, *files],
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert listing.returncode == 0, listing.stdout + listing.stderr
    tests = []
    for line in listing.stdout.splitlines():
        _, found, test = line.partition("::test_")
        if found:
            name, _, parameters = test.rstrip("]").partition("[")
            engine, *parts = parameters.split("-")
            kinds = {part for part in parts if part in BOOKLET["cards"]} | set(A_KIND.findall(name))
            tests.append(Collected(name, frozenset(kinds), engine))
    return tests


def missing(wanted: set[frozenset[str]] | set[str], *words: str) -> list[str]:
    """Name the kinds, or pairs of kinds, that no test has, on both engines, whose name holds one of the words."""
    lacking = []
    for kinds in wanted:
        group = {kinds} if isinstance(kinds, str) else set(kinds)
        engines = {
            test.engine
            for test in rule_tests()
            if group <= test.kinds and (not words or any(word in test.name for word in words))
        }
        if engines != {"compiled", "reference"}:
            lacking.append(" and ".join(sorted(group)))
    return sorted(lacking)


@pytest.mark.parametrize("kind", list(BOOKLET["cards"]))
def test_every_kind_of_the_booklet_has_a_rule_test(kind):
    """Rules 1: 39 kinds."""
    assert missing({kind}) == []


def test_every_action_is_tested_for_when_it_is_not_playable():
    """Rules 4, column playable (or `always`)."""
    assert missing(set(ACTIONS), "playable") == []


def test_every_reaction_is_tested_for_when_it_is_not_playable():
    """Rules 3, step 4."""
    assert missing(set(REACTIONS), "not_playable") == []


def test_every_attack_is_tested_against_every_reaction():
    """Rules 4, reactions: each that cancels it, and each that does not."""
    pairs = {frozenset((reaction, kind)) for reaction in REACTIONS for kind in ACTIONS if FAMILY[kind]}
    assert len(pairs) == 42
    assert missing(pairs, "reaction_cancels", "reaction_that_does_not_list_the_family_never_cancels") == []


def test_every_action_without_a_family_is_tested_not_to_be_cancelled():
    """Rules 4, reactions."""
    assert missing({kind for kind in ACTIONS if FAMILY[kind] is None}, "without_a_family_cannot_be_cancelled") == []


def test_every_attack_on_merch_is_tested_against_merch_protect():
    """Rules 4: a protected copy cannot be stolen, discarded, exchanged or returned."""
    assert missing({frozenset((kind, "merch_protect")) for kind in ACTIONS if FAMILY[kind] == "merch"}, "saves") == []


def test_every_attack_on_a_hand_is_tested_against_hands_off():
    """Rules 4: random hand effects cannot select the protected card."""
    assert missing({frozenset((kind, "hands_off")) for kind in ACTIONS if FAMILY[kind] == "hand"}, "saves") == []
