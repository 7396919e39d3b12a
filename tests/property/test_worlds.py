"""What `search` imagines could be the real game: all that its seat sees and remembers holds in it, and nothing else
decides.
"""

import random
from typing import Any

import numpy as np
import pytest
from rsc_sim.positions import check_worlds, kept, positions

from rsc_sim.engine import CompiledRules, play_blocks
from rsc_sim.errors import InputError
from rsc_sim.outlook import KEPT, PARTS, SIGNS, numbers, read
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategies import search
from rsc_sim.strategy import resolve
from tests.builds.play_many import at_the_limits
from tests.reference.rulesets import random_ruleset

BOOKLET = Ruleset.booklet().to_dict()
COLLECTOR = resolve("collector").bind()


def protections(rules: dict[str, Any]) -> int:
    return sum(card.get("primitive") == "protect_merch" and card["copies"] > 0 for card in rules["cards"].values())


def test_imagined_worlds_agree_with_all_that_is_known() -> None:
    worlds = other = 0
    for number in range(90):
        rules, seats = (BOOKLET, 2 + number % 7) if number % 3 == 0 else random_ruleset(random.Random(number))
        if protections(rules) > 1:
            continue  # which kind lies beneath which Merch is on no view, so that a world may have the wrong one there
        compiled = CompiledRules(rules, seats=seats)
        n, n_other, wrong = check_worlds(compiled, COLLECTOR, seed=number, first_block=0, n_games=3)
        assert wrong is None, f"ruleset {number}: {wrong}"
        worlds += n
        other += n_other
    assert worlds > 10_000
    assert other > 0.8 * worlds, "they are guesses, not copies of the game"


def test_worlds_at_the_limits_of_rulesets() -> None:
    for rules, seats in at_the_limits():
        compiled = CompiledRules(rules, seats=seats)
        assert check_worlds(compiled, COLLECTOR, seed=1, first_block=0, n_games=1, most_decisions=60)[2] is None


def test_search_plays_every_limit_to_the_end() -> None:
    """Reactions on reactions, hands and piles of 255, a lone Read Time that comes back for ever."""
    quick = search.bind(playouts=4, turns=1)
    for rules, seats in list(at_the_limits())[::3]:
        short = CompiledRules({**rules, "max_rounds": 10}, seats=seats)
        ids = [0] + [1] * (seats - 1)
        lineup = [quick] + [COLLECTOR] * (seats - 1)
        rows = play_blocks(short, lineup, seed=1, first_block=0, n_blocks=1, strategy_ids=ids)
        assert len(rows) == seats


def play(spec: str, blocks: int) -> Any:
    lineup = [resolve(spec).bind(), COLLECTOR, COLLECTOR, COLLECTOR]
    rules = CompiledRules(BOOKLET, seats=4)
    return play_blocks(rules, lineup, seed=2, first_block=0, n_blocks=blocks, strategy_ids=[0, 1, 1, 1])


def test_each_parameter_is_heard() -> None:
    usual = play("search(playouts=20)", 4)["trace"]
    assert (usual == play("search(playouts=20)", 4)["trace"]).all()
    for change in ("playouts=30", "rollout='rusher'", "turns=0", "exploration=0.2", "doubt=0"):
        spec = f"search({change})" if "playouts" in change else f"search(playouts=20, {change})"
        assert (usual != play(spec, 4)["trace"]).any(), change


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"playouts": 1}, "playouts: expected 2 to"),
        ({"turns": -1}, "turns: expected 0 to"),
        ({"doubt": -1}, "doubt: expected 0 to"),
        ({"exploration": -0.5}, "exploration: expected 0 to"),
        ({"rollout": "search"}, "rollout: expected one of .*collector"),
        ({"rollout": "nobody"}, "rollout: expected one of .*collector"),
    ],
)
def test_a_parameter_out_of_range_is_refused(parameters: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        search.bind(**parameters)


def test_search_wins_more_than_its_share() -> None:
    """Against players it does not imagine. A fixed seed: the measured share is in reports/strength."""
    rows = play("search(playouts=100)", 40)
    won = sum(np.where(rows[f"strategy_{i}"] == 0, rows[f"won_{i}"], 0) for i in range(4)).reshape(40, 4).mean(axis=1)
    assert won.mean() > 0.2


def test_positions_tell_of_all_seats_and_who_won() -> None:
    rules = CompiledRules(BOOKLET, seats=3)
    signs, won, turns_left = positions(rules, [COLLECTOR], seed=1, first_block=0, n_games=50)
    assert signs.shape == (len(won), 3, len(SIGNS))
    assert np.allclose(won.sum(axis=1), 1)
    assert (turns_left >= 0).all()
    read = signs[:, :, SIGNS.index("read")]
    assert set(np.unique(read.sum(axis=1))) == {0, 1}, "one seat displays Read, or none"
    assert (signs[:, :, SIGNS.index("up")].sum(axis=1) == 1).all()
    again = positions(rules, [COLLECTOR], seed=1, first_block=0, n_games=50)
    assert (again[0] == signs).all()


def test_good_players_keep_tickets_and_play_draws() -> None:
    """Odds of a hand over the pick-up pile: what `search` takes others to hold."""
    rules = CompiledRules(BOOKLET, seats=4)
    sums = kept(rules, [resolve("tuned").bind()], seed=1, first_block=0, n_games=100)
    held, piled = (dict(zip(KEPT, column, strict=True)) for column in sums.T)
    assert held["ticket"] > 1.5 * piled["ticket"]
    assert held["draw"] < 0.5 * piled["draw"]
    at_random = kept(rules, [resolve("random").bind()], seed=1, first_block=0, n_games=100)[KEPT.index("ticket")]
    assert at_random[0] / at_random[1] < held["ticket"] / piled["ticket"]


def test_a_file_of_numbers_that_does_not_fit_is_refused() -> None:
    assert len(numbers()) == len(SIGNS) * 33 + 16 * 16 + 3 * 16 + len(KEPT)
    for part in PARTS:
        with pytest.raises(InputError, match=r"outlook: linear expects|outlook: "):
            read(f"{part} = []")
