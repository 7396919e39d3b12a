"""Comparisons: which tables there are, that their games are those of runs, and that nothing changes what comes out."""

from __future__ import annotations

import json
import signal
from collections import Counter
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rsc_sim import Ruleset
from rsc_sim.compare import Compared, compare
from rsc_sim.comparison import ORDERS_A_BLOCK, Comparison
from rsc_sim.errors import InputError, Interrupted, StrategyError
from rsc_sim.experiment import ResolvedExperiment, period
from rsc_sim.jobs import Stop, Table
from rsc_sim.runner import play

FIVE = ("random", "collector", "rusher", "raider", "guardian")


def comparison(*specs: str, seats: int = 4, games: int = 1_000, seed: int = 1, **rules: Any) -> Comparison:
    base = ResolvedExperiment.of(
        Ruleset.booklet().override(rules), [specs[0] if specs else "random"] * seats, games=games, seed=seed
    )
    return Comparison.of(base, specs, seats=seats)


# ---- which tables


@pytest.mark.parametrize(
    ("n", "seats", "n_tables", "games_a_deal"),
    [(5, 4, 5, 5 * 24), (4, 4, 1, 24), (3, 2, 3, 3 * 2), (4, 3, 4, 4 * 6), (2, 4, 3, 4 + 6 + 4), (3, 4, 3, 3 * 12)],
)
def test_every_group_plays_in_every_seating(n: int, seats: int, n_tables: int, games_a_deal: int) -> None:
    made = comparison(*FIVE[:n], seats=seats, games=1_000)
    assert (len(made.tables), made.games_a_deal) == (n_tables, games_a_deal)
    assert made.n_games == made.n_blocks * games_a_deal >= 1_000 > (made.n_blocks - 1) * games_a_deal
    for table in made.tables:
        assert len(set(table.seatings)) == len(table.seatings)
        assert all(sorted(seating) == list(table.seated) for seating in table.seatings)
    if n < seats:
        assert all(set(table.seated) == set(range(n)) for table in made.tables)
    else:
        assert len({table.seated for table in made.tables}) == comb(n, seats)


def test_beyond_four_seats_orders_are_sampled() -> None:
    assert [len(table.orders) for table in comparison(*FIVE, seats=5).tables] == [ORDERS_A_BLOCK]
    five = comparison(*FIVE, seats=5, games=6_000)
    assert [len(table.orders) for table in five.tables] == [ORDERS_A_BLOCK] * 4
    assert len({order for table in five.tables for order in table.orders}) == 24  # all that there are
    assert len({table.seed for table in five.tables}) == 4
    eight = comparison("random", "collector", seats=8)
    for table in eight.tables:
        assert 1 <= len(table.orders) <= ORDERS_A_BLOCK
        assert len({tuple(sorted(o[i:] + o[:i] for i in range(8))[0]) for o in table.orders}) == len(table.orders)
    assert comparison(*FIVE, seats=5, games=6_000).tables == five.tables
    assert comparison(*FIVE, seats=5).tables == five.tables[:1]
    assert comparison(*FIVE, seats=5, seed=2).tables[0].orders != five.tables[0].orders


def test_a_strategy_more_changes_no_game_of_the_other_tables() -> None:
    few = {frozenset(few.names[i] for i in t.seated): t.seed for few in [comparison(*FIVE[:4])] for t in few.tables}
    more = comparison(*reversed(FIVE))
    seeds = {frozenset(more.names[i] for i in table.seated): table.seed for table in more.tables}
    assert few.items() <= seeds.items()
    assert len(set(seeds.values())) == 5


@pytest.mark.parametrize(
    ("specs", "words"),
    [
        ((), "expected two strategies or more to compare, came none"),
        (("random",), "expected two strategies or more to compare, came random"),
        (("random", "collector", "random"), "'random' is there twice"),
        (("random", "colector"), "did you mean collector"),
    ],
)
def test_what_cannot_be_compared_is_explained(specs: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        comparison(*specs)


# ---- what is played


def test_the_games_are_those_of_runs() -> None:
    """Each order of a table, played as an experiment and counted by polars."""
    made = comparison(*FIVE[1:4], seats=3, games=240)
    counts = compare(made, jobs=1).counts[0]
    wins: Counter[str] = Counter()
    by_place: Counter[int] = Counter()
    finished = traces = 0
    (table,) = made.tables
    for order in table.orders:
        run = play(made.experiment(table, order))
        seats = run.seats.collect()
        for spec, won in seats.group_by("strategy").agg(pl.col("won").sum()).iter_rows():
            wins[spec] += won
        for place, won in seats.group_by("place").agg(pl.col("won").sum()).iter_rows():
            by_place[place] += won
        games = run.games.collect()
        finished += games.filter(pl.col("winner") != -1).height
        traces += sum(games["trace"].to_list())
    assert counts.wins.tolist() == pytest.approx([wins[made.names[i]] for i in counts.strategies])
    assert counts.wins_by_place.tolist() == pytest.approx([by_place[place] for place in range(3)])
    assert (counts.finished.sum(), counts.n_games) == (finished, 240)
    assert compare(made, jobs=1)._played[0].traces == traces % 2**64


def test_finished_games_are_counted_by_who_sat_at_which_place() -> None:
    """By rules that end half of the games."""
    made = comparison(*FIVE[2:5], seats=3, games=600, max_rounds=18)
    counts = compare(made).counts[0]
    expected: Counter[tuple[int, ...]] = Counter()
    for order in made.tables[0].orders:
        seats = play(made.experiment(made.tables[0], order)).seats.sort("game", "place").collect()
        for row in seats.group_by("game").agg("strategy", pl.col("won").sum()).iter_rows(named=True):
            expected[tuple(made.names.index(who) for who in row["strategy"])] += row["won"] > 0.5
    found = {tuple(seating): n for seating, n in zip(counts.seatings.tolist(), counts.finished.tolist(), strict=True)}
    assert found == expected
    assert 0.1 < sum(found.values()) / made.n_games < 0.9


@pytest.mark.parametrize(
    ("seats", "how"),
    [
        (4, {"jobs": 1}),
        (4, {"jobs": 2, "task_blocks": 1}),
        (5, {"jobs": 2, "task_blocks": 3}),
        (4, {"jobs": 2, "backend": "loky", "task_blocks": 5}),
    ],
    ids=str,
)
def test_nothing_changes_what_comes_out(seats: int, how: dict[str, Any]) -> None:
    made = comparison(*FIVE[:seats], seats=seats, games=600)
    here, there = compare(made, jobs=2), compare(made, **how)
    assert here.outcome_digest == there.outcome_digest
    assert json.dumps(here.standings.to_dict()) == json.dumps(there.standings.to_dict())


# ---- the directory


def test_a_directory_can_be_read_again(tmp_path: Path) -> None:
    made = comparison(*FIVE[1:4], seats=2, games=600)
    played = compare(made, out=tmp_path / "here")
    again = Compared.open(tmp_path / "here")
    assert again.outcome_digest == played.outcome_digest == again.manifest["outcome_digest"]
    assert again.standings.to_dict() == played.standings.to_dict()
    told = json.loads((tmp_path / "here" / "compare.json").read_text())
    assert told["figures"] == json.loads(json.dumps(played.standings.to_dict()))
    assert told["state"] == "complete"
    with pytest.raises(InputError, match="holds a finished comparison"):
        compare(made, out=tmp_path / "here")
    done = compare(made, out=tmp_path / "here", resume=True)
    assert done.outcome_digest == played.outcome_digest


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match=r"holds something else \(mine.txt\)"):
        compare(comparison("random", "collector"), out=tmp_path)
    with pytest.raises(InputError, match="no comparison there"):
        Compared.open(tmp_path)


def interrupted(made: Comparison, out: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Play until Ctrl-C comes after some pieces."""
    n = 0
    stops: list[Stop] = []
    enter, rows = Stop.__enter__, Table.rows

    def entered(self: Stop) -> Stop:
        stops.append(self)
        return enter(self)

    def counted(self: Table, *arguments: Any) -> Any:
        nonlocal n
        n += 1
        if n == after:
            stops[0].signal = signal.SIGINT
            stops[0].cancel[0] = 1
        return rows(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Stop, "__enter__", entered)
        patch.setattr(Table, "rows", counted)
        with pytest.raises(Interrupted, match=r"go on with: rsc compare --resume --out") as stopped:
            compare(made, out=out, jobs=1, task_blocks=3)
    assert stopped.value.exit_code == 130


def test_interrupted_and_resumed_it_comes_out_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = comparison(*FIVE[1:4], seats=2, games=240)
    interrupted(made, tmp_path, monkeypatch, after=20)
    kept = json.loads((tmp_path / "counts.json").read_text())["tables"]
    n_kept = sum(n for table in kept for _, n in table["done"])
    assert 0 < n_kept < 3 * made.n_blocks
    with pytest.raises(InputError, match="unfinished comparison"):
        Compared.open(tmp_path)
    with pytest.raises(InputError, match="holds an unfinished comparison; go on with it: rsc compare --resume"):
        compare(made, out=tmp_path)
    with pytest.raises(InputError, match=r"seed: 1 there, 2 now"):
        compare(comparison(*FIVE[1:4], seats=2, games=240, seed=2), out=tmp_path, resume=True)
    with pytest.raises(InputError, match=r"strategies: collector, rusher, raider there, collector, rusher now"):
        compare(comparison(*FIVE[1:3], seats=2, games=240), out=tmp_path, resume=True)
    resumed = compare(made, out=tmp_path, resume=True, task_blocks=5)
    assert resumed.outcome_digest == compare(made).outcome_digest
    assert all(each.done == [(0, made.n_blocks)] for each in resumed._played)


def test_a_damaged_directory_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = comparison("random", "collector", seats=2, games=60)
    interrupted(made, tmp_path, monkeypatch, after=3)
    (tmp_path / "counts.json").write_text('{"tables": [{}]}')
    with pytest.raises(InputError, match="damaged"):
        compare(made, out=tmp_path, resume=True)
    told = json.loads((tmp_path / "compare.json").read_text())
    told["comparison"]["seed"] = 3
    (tmp_path / "compare.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match="changed since the comparison began"):
        compare(made, out=tmp_path, resume=True)


def test_a_strategy_that_fails_is_named_with_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    made = comparison("random", "collector", "raider", seats=3, games=60)
    game, seat = 4, 1
    error = StrategyError(f"returned 7 for a decision with 4 moves (game {game}, turn 12, seat {seat})")
    error.game, error.seat = game, seat  # type: ignore[attr-defined]

    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(Table, "rows", fail)
    with pytest.raises(StrategyError) as failure:
        compare(made, jobs=1)
    (table,) = made.tables
    order = table.orders[0]
    who = made.names[order[(seat + game % period(order)) % 3]]
    assert f"strategy {who!r} returned 7" in str(failure.value)
    lineup = ",".join(made.names[i] for i in order)
    assert f"rsc run --lineup {lineup} --seed {table.seed} --games 5" in str(failure.value)


def test_progress_tells_games_and_shares() -> None:
    seen: list[tuple[int, int]] = []
    compare(
        comparison(*FIVE[:3], seats=2, games=600),
        on_progress=lambda state: seen.append((state.played, state.n_blocks)),
        task_blocks=20,
    )
    assert seen[-1][0] == 600
    assert seen[-1][1] == 300
    assert all(a < b for (a, _), (b, _) in pairwise(seen))
