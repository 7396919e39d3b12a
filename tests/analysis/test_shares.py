"""Win shares on games small enough to count."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from rsc_sim.analysis import win_share_by_place, win_share_by_read_dealt, win_share_by_strategy
from rsc_sim.analysis.blocks import block_moments
from rsc_sim.analysis.intervals import critical_value, wilson


def test_shares_are_means_over_blocks(make_games: Any) -> None:
    # Rotation 0 seats (a, b), rotation 1 seats (b, a). a wins 2, 1, 1 and 0 of the two games of each block.
    blocks = [
        [{"winner": 0}, {"winner": 1}],
        [{"winner": 0}, {"winner": 0}],
        [{"winner": 1}, {"winner": 1}],
        [{"winner": 1}, {"winner": 0}],
    ]
    a, b = win_share_by_strategy(make_games(blocks, ["a", "b"]))
    assert (a.who, a.share.value, b.share.value, a.share.n_blocks) == ("a", 0.5, 0.5, 4)
    variance = (0.25 + 0 + 0 + 0.25) / 3
    effective = 0.25 * 4 / variance
    assert (a.share.low, a.share.high) == pytest.approx(wilson(0.5, effective, critical_value(0.95, 4)))
    assert a.reference == 0.5


def test_games_of_a_block_that_go_together_count_once(make_games: Any) -> None:
    # Both games of a block are won by the same strategy: 200 blocks, 400 games, 200 trials.
    n = 200
    blocks = [[{"winner": 0}, {"winner": 1}]] * (n // 4) + [[{"winner": 1}, {"winner": 0}]] * (n * 3 // 4)
    a, _ = win_share_by_strategy(make_games(blocks, ["a", "b"]))
    assert a.share.value == 0.25
    assert (a.share.low, a.share.high) == pytest.approx(wilson(0.25, n - 1, critical_value(0.95, n)))
    assert a.verdict == "below"


def test_a_strategy_on_several_seats_is_counted_a_seat(make_games: Any) -> None:
    # a sits at seats 0 and 2 in rotation 0, at 1 and 3 in rotation 1, and wins everything.
    blocks = [[{"winner": 0}, {"winner": 3}], [{"winner": 2}, {"winner": 1}]]
    a, b = win_share_by_strategy(make_games(blocks, ["a", "b", "a", "b"]))
    assert (a.n_seats, a.share.value, b.share.value) == (2, 0.5, 0.0)
    assert a.reference == 0.25


def test_place_is_counted_from_the_first_seat(make_games: Any) -> None:
    # Seat 1 plays first and wins: place 0. Seat 2 plays first, seat 1 wins: place 2.
    blocks = [[{"winner": 1, "first": 1}], [{"winner": 1, "first": 2}], [{"winner": 1, "first": 2}]]
    shares = win_share_by_place(make_games(blocks, ["a", "a", "a"]))
    assert [share.share.value for share in shares] == pytest.approx([1 / 3, 0, 2 / 3])


def test_ties_count_in_part(make_games: Any) -> None:
    blocks = [[{"winner": -2, "won": [0.5, 0.5, 0.0], "escaper": 0}], [{"winner": 2}]]
    shares = win_share_by_place(make_games(blocks, ["a", "b", "c"]))
    assert [share.share.value for share in shares] == [0.25, 0.25, 0.5]


def test_unfinished_games_lower_the_reference_and_can_be_split(make_games: Any) -> None:
    blocks = [[{"winner": 0}, {"winner": 1}], [{"winner": None}, {"winner": None}]] * 10
    a, b = win_share_by_strategy(make_games(blocks, ["a", "b"]))
    assert (a.share.value, b.share.value, a.reference) == (0.5, 0.0, 0.25)
    assert (a.split.value, b.split.value) == (0.75, 0.25)
    assert sum(share.share.value for share in (a, b)) == pytest.approx(1 - 0.5)


def test_a_verdict_that_hangs_on_unfinished_games_is_marked(make_games: Any) -> None:
    # Half the blocks do not end. Of the others a mostly wins one game of two, sometimes both. Among games that ended
    # that is clearly more; the spread between ended and unended blocks hides it where unended ones count as lost.
    ended = [[{"winner": 0}, {"winner": 1}]] * 20 + [[{"winner": 0}, {"winner": 0}]] * 180
    a, _ = win_share_by_strategy(make_games(ended + [[{"winner": None}] * 2] * 200, ["a", "b"]))
    assert a.share.low < a.reference < a.share.high
    assert a.verdict == "above"
    assert a.fragile


def test_where_all_games_end_no_verdict_is_fragile(make_games: Any) -> None:
    blocks = [[{"winner": 0}, {"winner": 1}]] * 20 + [[{"winner": 0}, {"winner": 0}]] * 180
    assert not any(share.fragile for share in win_share_by_strategy(make_games(blocks, ["a", "b"])))


def test_block_moments_agree_with_numpy_in_memory_and_streamed(make_games: Any, tmp_path: Any) -> None:
    blocks = [
        [{"winner": (7 * i + j) % 3 % 2, "turns": 5 + (i * i + 3 * j) % 11} for j in range(2)] for i in range(500)
    ]
    games = make_games(blocks, ["a", "b"])
    turns = games.select("turns").collect().to_numpy().reshape(500, 2).mean(axis=1)
    won = games.select("won_0").collect().to_numpy().reshape(500, 2).mean(axis=1)
    frame = games.collect()
    frame[:400].write_parquet(tmp_path / "1.parquet")
    frame[400:].write_parquet(tmp_path / "2.parquet")
    for source in (games, pl.scan_parquet([tmp_path / "1.parquet", tmp_path / "2.parquet"])):
        values = {"turns": pl.col("turns"), "won": pl.col("won_0")}
        moments = block_moments(source, values, pairs=(("turns", "won"),))
        assert moments.n_blocks == 500
        assert moments.mean["turns"] == pytest.approx(turns.mean())
        assert moments.variance["turns"] == pytest.approx(turns.var(ddof=1))
        covariance = ((turns - turns.mean()) * (won - won.mean())).sum() / 499
        assert moments.covariance["turns", "won"] == pytest.approx(covariance)


def test_moments_come_out_to_the_last_digit_whatever_the_order_of_blocks() -> None:
    """Blocks come back from threads in any order, and a sum of thirds hangs on it."""
    n = 3_000
    games = pl.DataFrame({"block": pl.Series(range(n), dtype=pl.UInt32)}).with_columns(
        won=1 / (3 + pl.col("block") % 7)
    )
    values = {"won": pl.col("won")}
    told = {repr(block_moments(games.sample(n, shuffle=True, seed=s).lazy(), values)) for s in range(5)}
    assert len(told) == 1


def test_read_dealt_parts_deals_into_three(make_games: Any) -> None:
    """Two seats, both rotations. Read to seat 0: who has it wins 3 of 4 games. Read to nobody: an equal share."""
    blocks = [
        [{"read": 0, "winner": 0}, {"read": 0, "winner": 0}],
        [{"read": 0, "winner": 0}, {"read": 0, "winner": 1}],
        [{"read": -1, "winner": 1}, {"read": -1, "winner": 1}],
    ]
    (dealt,) = win_share_by_read_dealt(make_games(blocks, ["a", "b"]))
    assert (dealt.to_this.value, dealt.to_another.value, dealt.to_nobody.value) == (0.75, 0.25, 0.5)
    assert dealt.effect.value == 0.5
    assert [e.n_blocks for e in (dealt.to_this, dealt.to_another, dealt.effect, dealt.to_nobody)] == [2, 2, 2, 1]
    # Block means of the difference are 1 and 0.
    assert dealt.effect.high == min(1.0, 0.5 + critical_value(0.95, 2) * 0.5)


def test_read_dealt_by_strategy_counts_each_in_its_own_seats(make_games: Any) -> None:
    # Rotation 0 seats (a, b, b), rotation 1 (b, b, a), rotation 2 (b, a, b); seat 1 is dealt Read in every game.
    blocks = [[{"read": 1, "winner": 1}, {"read": 1, "winner": 2}, {"read": 1, "winner": 1}]] * 4
    a, b = win_share_by_read_dealt(make_games(blocks, ["a", "b", "b"]), by_strategy=True)
    # a holds Read in rotation 2 alone and wins it; without it, it wins rotation 1 of rotations 0 and 1.
    assert (a.who, a.to_this.value, a.to_another.value) == ("a", 1.0, pytest.approx(0.5))
    # b holds Read in rotations 0 and 1 and wins rotation 0; its other seat there, and both in rotation 2, win nothing.
    assert (b.who, b.to_this.value, b.to_another.value) == ("b", pytest.approx(0.5), 0.0)


def test_the_split_share_has_the_moments_of_its_own_block_means(make_games: Any) -> None:
    blocks = [[{"winner": (i * j) % 3 if (i + j) % 5 else None} for j in range(3)] for i in range(40)]
    games = make_games(blocks, ["a", "b", "c"])
    for share in win_share_by_place(games):
        won = pl.col(f"won_{share.who}") + (pl.col("winner") == -1) / 3
        moments = block_moments(games, {"split": won})
        assert share.split.value == pytest.approx(moments.mean["split"])
        effective = share.split.value * (1 - share.split.value) * 40 / moments.variance["split"]
        bounds = wilson(share.split.value, effective, critical_value(0.95, 40))
        assert (share.split.low, share.split.high) == pytest.approx(bounds)
