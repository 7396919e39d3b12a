"""How games end, and how often the escaper wins."""

from __future__ import annotations

from typing import Any

import pytest

from rsc_sim.analysis import how_games_end
from rsc_sim.analysis.intervals import critical_value, wilson


def test_ends_and_reasons_are_shares_of_all_games(make_games: Any) -> None:
    blocks = (
        [[{"winner": 0}]] * 6
        + [[{"winner": None, "end": "turn_cap", "stuck": "tickets"}]] * 3
        + [[{"winner": None, "end": "deadlock", "stuck": "threshold"}]]
    )
    ends = how_games_end(make_games(blocks, ["a", "a"]))
    assert {name: estimate.value for name, estimate in ends.ends.items()} == pytest.approx(
        {"escape": 0.6, "turn_cap": 0.3, "deadlock": 0.1}
    )
    assert {name: estimate.value for name, estimate in ends.stuck.items()} == pytest.approx(
        {"threshold": 0.1, "tickets": 0.3, "lone_turn": 0.0, "stalled": 0.0}
    )
    assert ends.unfinished.value == pytest.approx(0.4)
    assert ends.won.value == pytest.approx(0.6)
    assert ends.n_games == 10


def test_games_without_an_escape_may_have_a_winner(make_games: Any) -> None:
    blocks = [[{"winner": 0, "end": "turn_cap", "escaper": -1, "stuck": "stalled"}]] * 4
    ends = how_games_end(make_games(blocks, ["a", "a"]))
    assert (ends.unfinished.value, ends.won.value) == (1.0, 1.0)
    assert ends.escaper_wins.n_escapes == 0
    assert (ends.escaper_wins.share.low, ends.escaper_wins.share.high) == (0.0, 1.0)


def test_the_escaper_wins_in_some_of_the_games_it_ended(make_games: Any) -> None:
    n = 300
    blocks = [[{"winner": 0, "escaper": 0}]] * (n * 2 // 3) + [[{"winner": 1, "escaper": 0}]] * (n // 3)
    wins = how_games_end(make_games(blocks, ["a", "a"])).escaper_wins
    assert wins.n_escapes == n
    assert wins.share.value == pytest.approx(2 / 3)
    # Every game was ended by an escape: the ratio is a plain share.
    assert (wins.share.low, wins.share.high) == pytest.approx(wilson(2 / 3, n - 1, critical_value(0.95, n)))


def test_the_escaper_s_share_is_of_escapes_alone(make_games: Any) -> None:
    half = [[{"winner": 0, "escaper": 0}]] * 200 + [[{"winner": 1, "escaper": 0}]] * 100
    ends = how_games_end(make_games(half + [[{"winner": None}]] * 300, ["a", "a"]))
    assert ends.escaper_wins.share.value == pytest.approx(2 / 3)
    # As many escapes as above, so about the same interval, whatever else did not end.
    assert ends.escaper_wins.share.low == pytest.approx(wilson(2 / 3, 299, 1.96)[0], abs=1e-3)


def test_ties_count_in_part_for_the_escaper(make_games: Any) -> None:
    blocks = [[{"winner": -2, "won": [0.5, 0.5], "escaper": 0}]] * 4
    assert how_games_end(make_games(blocks, ["a", "a"])).escaper_wins.share.value == pytest.approx(0.5)
