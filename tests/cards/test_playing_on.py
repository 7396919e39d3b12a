"""Games that are played on from a card are those of `play_blocks` with the intervention, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rsc_sim.engine import INTERVENTIONS, play_blocks
from rsc_sim.engine.impact import play_impact
from rsc_sim.errors import InputError
from rsc_sim.experiment import Experiment
from rsc_sim.jobs import Table

MINE = "def choose(view, moves):\n    return (7 * view.turn + view.seat) % len(moves)\n"


def played_on(table: Table, n_blocks: int, *, chance: float = 0.02, keep: int = 100_000) -> dict[str, Any]:
    bound = [strategy.bind() for strategy in table.strategies]
    return play_impact(
        table.rules,
        [bound[i] for i in table.strategy_ids],
        seed=table.seed,
        first_block=3,
        n_blocks=n_blocks,
        strategy_ids=table.strategy_ids,
        chances=np.full((len(table.strategies), 3), chance),
        bands=(6, 12),
        turn_limit=10**6,
        keep=keep,
    )


@pytest.mark.parametrize(
    ("lineup", "overrides"),
    [
        (["rusher", "raider", "collector", "guardian"], {}),
        (["random"] * 3, {"redraw_after_read": True, "replace_dealt_read": True}),
        (["random", "collector"], {"recycle_discard": False, "normal_draw": 2}),
        (["collector"] * 8, {"escape": "forced"}),
    ],
)
def test_they_are_the_games_with_the_intervention(lineup: list[str], overrides: dict[str, Any]) -> None:
    table = Table.of(Experiment.from_dict({"lineup": lineup, "set": overrides, "games": 100}).resolve())
    found = played_on(table, 6)
    kept = found["kept"]
    assert found["counts"][..., 2].sum() == len(kept) > 200
    rng = np.random.default_rng(1)
    for game in kept[rng.choice(len(kept), 60, replace=False)]:
        assert_is_the_game(table, game)
    assert {INTERVENTIONS[result] for result in kept["result"]} == {"swapped", "same"}
    assert set(kept["n"] > 6) == {True, False}


def assert_is_the_game(table: Table, game: Any) -> None:
    bound = [strategy.bind() for strategy in table.strategies]
    rows = play_blocks(
        table.rules,
        [bound[i] for i in table.strategy_ids],
        seed=table.seed,
        first_block=int(game["block"]),
        n_blocks=1,
        strategy_ids=table.strategy_ids,
        intervention=(int(game["seat"]), int(game["n"]), table.rules.kinds[game["kind"]]),
    )
    row = rows[game["rotation"]]
    assert (row["trace"], row["iv"]) == (game["trace"], game["result"])


def test_a_python_strategy_is_played_on_from_the_start(tmp_path: Any) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    lineup = [f"{tmp_path}/mine.py:choose", "collector"]
    table = Table.of(Experiment.from_dict({"lineup": lineup, "games": 100}).resolve())
    kept = played_on(table, 1, chance=0.03)["kept"]
    assert len(kept) > 0
    for game in kept[:10]:
        assert_is_the_game(table, game)


def test_every_kind_that_might_have_come_is_played_once() -> None:
    table = Table.of(Experiment.from_dict({"lineup": ["collector"] * 4, "games": 100}).resolve())
    kept = played_on(table, 20, chance=0.01)["kept"]
    moments: dict[Any, list[int]] = {}
    for game in kept:
        moments.setdefault((game["block"], game["rotation"], game["seat"], game["n"]), []).append(game["kind"])
    assert all(len(kinds) == len(set(kinds)) > 1 for kinds in moments.values())
    same = INTERVENTIONS.index("same")
    assert (kept["result"] == same).sum() == len(moments)


def test_what_is_counted_does_not_depend_on_what_is_picked() -> None:
    table = Table.of(Experiment.from_dict({"lineup": ["raider", "collector"], "games": 100}).resolve())
    some, none = played_on(table, 10), played_on(table, 10, chance=0.0)
    assert none["counts"][..., 1:].sum() == 0
    for name in ("seen", "dealt"):
        assert np.array_equal(some[name], none[name])
    assert np.array_equal(some["counts"][..., 0], none["counts"][..., 0])
    # Every seat was dealt six cards, and what it saw later was counted as drawn.
    assert none["dealt"][:, :, 0, 0].sum(axis=1).tolist() == [120.0, 120.0]
    assert np.array_equal(none["seen"][..., 0].sum(axis=2), none["counts"][..., 0])
    assert none["counts"][:, 0, 0].tolist() == [120, 120]


def test_chances_for_other_strategies_are_refused() -> None:
    table = Table.of(Experiment.from_dict({"lineup": ["raider", "collector"], "games": 100}).resolve())
    lineup = [strategy.bind() for strategy in table.strategies]
    how = {"seed": 1, "first_block": 0, "n_blocks": 1, "strategy_ids": (0, 1), "bands": (6, 12), "turn_limit": 10}
    with pytest.raises(InputError, match="a row for each strategy"):
        play_impact(table.rules, lineup, chances=np.zeros((1, 3)), **how)
    with pytest.raises(InputError, match="a strategy for each of 2 seats"):
        play_impact(table.rules, lineup[:1], chances=np.zeros((2, 3)), **how)
