"""Runs to draw: real ones, small, of every awkward sort."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

import rsc_sim
from rsc_sim import Ruleset, Run

FOUR = ("rusher", "raider", "collector", "guardian")
LONG = "✂ 漢字 <b>&amp; $5 or 100 %: the Card Whose Name Goes On and On"


def _many_kinds() -> Ruleset:
    """Give a deck of 64 kinds, the most there can be, all with long names."""
    rules = Ruleset.booklet().to_dict()
    for kind, card in rules["cards"].items():
        card["name"] = f"{kind} {LONG}"[:80].strip() if kind != "read" else "Read"
    for i in range(64 - len(rules["cards"])):
        rules["cards"][f"more_{i}"] = {**rules["cards"]["teased"], "name": f"{LONG} {i}", "copies": 1}
    return Ruleset.from_dict(rules)


RUNS: dict[str, Callable[[], Run]] = {
    "four": lambda: rsc_sim.simulate("booklet", FOUR, games=8_000),
    "two": lambda: rsc_sim.simulate("booklet", ["rusher", "collector"], games=3_000),
    "eight": lambda: rsc_sim.simulate("booklet", [*FOUR, "random", *FOUR[:3]], games=2_000),
    "alike": lambda: rsc_sim.simulate("booklet", ["random"] * 6, games=1_500),
    "one game": lambda: rsc_sim.simulate("booklet", ["random", "random"], games=1),
    "two deals": lambda: rsc_sim.simulate("booklet", FOUR, games=8),
    "ten deals": lambda: rsc_sim.simulate("booklet", FOUR, games=40),
    "nothing ends": lambda: rsc_sim.simulate(
        Ruleset.booklet().override({"escape_threshold": 4_765, "max_rounds": 6}), FOUR, games=400
    ),
    "half ends": lambda: rsc_sim.simulate(Ruleset.booklet().override({"max_rounds": 16}), FOUR, games=2_000),
    "one round": lambda: rsc_sim.simulate(
        Ruleset.booklet().override({"max_rounds": 1, "unfinished": "score"}), FOUR, games=400
    ),
    "long": lambda: rsc_sim.simulate(Ruleset.booklet().override({"max_rounds": 8_000}), ["random"] * 2, games=500),
    "64 kinds": lambda: rsc_sim.simulate(_many_kinds(), FOUR, games=2_000),
    "deadlock": lambda: rsc_sim.simulate(
        Ruleset.booklet().override({"recycle_discard": False, "escape_threshold": 3_000}), ["random"] * 4, games=400
    ),
}


@cache
def played(name: str) -> Run:
    return RUNS[name]()


@pytest.fixture(params=RUNS)
def any_run(request: pytest.FixtureRequest) -> Run:
    return played(request.param)


@pytest.fixture
def four() -> Run:
    return played("four")
