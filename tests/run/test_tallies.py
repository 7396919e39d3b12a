"""Tallies in frames: what the engine counted, whatever pieces and parts it was cut into."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rsc_sim import engine
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.frames import EVENTS, KEYS, cards_frame, cards_schema, windows_frame, windows_schema
from rsc_sim.plan import LEAF_BLOCKS, plan_batch
from rsc_sim.run import Run
from rsc_sim.runner import play
from rsc_sim.store import part_path, read_journal
from rsc_sim.strategy import resolve

SPECS = ["collector", "random", "rusher"]


@pytest.fixture(scope="module")
def three() -> ResolvedExperiment:
    """Two leaves, the last of them short; batches of 11 blocks, of which one straddles the leaves."""
    return Experiment.from_dict({"lineup": SPECS, "games": 3 * 4_200}).resolve()


@pytest.fixture(scope="module")
def counted(three: ResolvedExperiment) -> engine.Tallies:
    rules = engine.CompiledRules(three.ruleset, seats=3)
    batch_blocks = plan_batch(three.n_blocks)
    assert LEAF_BLOCKS % batch_blocks
    tallies = engine.Tallies(rules, n_strategies=3, batch_blocks=batch_blocks, first_block=0, n_blocks=three.n_blocks)
    engine.play_blocks(
        rules,
        [resolve(spec).bind() for spec in SPECS],
        seed=1,
        first_block=0,
        n_blocks=three.n_blocks,
        strategy_ids=[0, 1, 2],
        tallies=tallies,
    )
    return tallies


@pytest.fixture(scope="module")
def run(three: ResolvedExperiment, tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("tallies") / "run"
    return play(three, out=out, jobs=2, piece_blocks=1_000, leaves_per_part=1)


def test_the_cards_frame_holds_what_the_engine_counted(run: Run, counted: engine.Tallies) -> None:
    cards = run.cards.collect()
    assert dict(cards.schema) == cards_schema(SPECS, list(run.experiment.ruleset["cards"]))
    kinds = list(run.experiment.ruleset["cards"])
    expected = [
        (batch, strategy, kind, event, *counted.cards[batch, s, e, k].tolist())
        for batch in range(len(counted.cards))
        for s, strategy in enumerate(SPECS)
        for k, kind in enumerate(kinds)
        for e, event in enumerate(EVENTS)
        if counted.cards[batch, s, e, k, 0] > 0
    ]
    assert cards.rows() == expected


def test_the_windows_frame_holds_what_the_engine_counted(run: Run, counted: engine.Tallies) -> None:
    windows = run.windows.collect()
    assert dict(windows.schema) == windows_schema(SPECS)
    expected = [
        (batch, SPECS[s], turn + 1, missing & 1 > 0, missing & 2 > 0, missing & 4 > 0, count)
        for (batch, s, turn, missing), count in np.ndenumerate(counted.windows)
        if count
    ]
    assert sorted(windows.rows()) == sorted((*row[:-1], int(row[-1])) for row in expected)


def test_events_are_the_engine_s_in_order() -> None:
    assert EVENTS == engine.Tallies.EVENTS


def test_a_batch_that_straddles_parts_is_summed(run: Run) -> None:
    assert run.path is not None
    parts = [pl.read_parquet(part_path(run.path, number, "cards")) for number in read_journal(run.path)]
    assert len(parts) == 2
    assert set(parts[0]["batch"]) & set(parts[1]["batch"]) == {LEAF_BLOCKS // plan_batch(run.experiment.n_blocks)}
    for table, keys in KEYS.items():
        frame = getattr(run, table).collect()
        assert frame.select(keys).is_duplicated().sum() == 0
        assert frame.equals(frame.sort(keys))


def test_batches_are_recorded(run: Run) -> None:
    assert run.path is not None
    manifest = json.loads((run.path / "manifest.json").read_text())
    assert manifest["plan"]["batch_blocks"] == plan_batch(run.experiment.n_blocks) == 11
    batches = run.cards.select("batch").unique().collect()["batch"].sort().to_list()
    assert batches == list(range(-(-run.experiment.n_blocks // 11)))


def test_tallies_agree_with_the_games(run: Run) -> None:
    """Each seat of each game is dealt six cards, and wins what its row says."""
    by_strategy = run.cards.filter(event="opening").group_by("strategy").agg(pl.col("copies", "wins").sum())
    won = run.seats.group_by("strategy").agg((pl.col("won").cast(pl.Float64).sum() * 6 * 840).round().alias("won"))
    both = by_strategy.join(won, on="strategy").collect()
    assert both["copies"].to_list() == [6 * run.experiment.n_games] * 3
    assert both["wins"].to_list() == both["won"].to_list()
    in_hand = run.cards.filter(event="in_hand_at_end").group_by("strategy").agg(pl.col("copies").sum())
    cards = run.seats.group_by("strategy").agg(pl.col("cards").cast(pl.UInt64).sum())
    both = in_hand.join(cards, on="strategy").collect()
    assert both["copies"].to_list() == both["cards"].to_list()


def test_eight_strategies_at_one_table() -> None:
    lineup = ["random", "collector", "rusher", "raider", "guardian"]
    eight = Experiment.from_dict({"lineup": [*lineup, "random", "random", "collector"], "games": 80}).resolve()
    run = play(eight)
    games = run.cards.filter(event="never_seen").select(pl.col("strategy").unique().sort()).collect()
    assert games["strategy"].to_list() == lineup
    windows = run.windows.select(pl.col("windows").sum()).collect().item()
    assert windows > 0


def test_the_frames_take_the_widest_arrays() -> None:
    """8 strategies, 64 kinds, 100 rounds, and numbers beyond 32 bits."""
    rng = np.random.default_rng(1)
    specs, kinds = [f"s{i}" for i in range(8)], [f"k{i}" for i in range(64)]
    counts = rng.integers(0, 3, size=(5, 8, 9, 64, 3), dtype=np.uint64) * np.uint64(2**33)
    frame = cards_frame(7, counts, cards_schema(specs, kinds))
    assert frame.height == np.count_nonzero(counts[..., 0])
    row = frame.row(frame.height - 1, named=True)
    at = (row["batch"] - 7, specs.index(row["strategy"]), EVENTS.index(row["event"]), kinds.index(row["kind"]))
    assert counts[at].tolist() == [row["seat_games"], row["copies"], row["wins"]]
    windows = rng.integers(0, 2, size=(5, 8, 100, 8), dtype=np.uint64)
    told = windows_frame(0, windows, windows_schema(specs))
    assert told["windows"].sum() == windows.sum()
    assert (told["round"].min(), told["round"].max()) == (1, 100)
    assert told.filter(round=100)["windows"].sum() == windows[:, :, 99].sum()


def test_a_run_in_memory_gives_frames_that_can_be_asked_again(three: ResolvedExperiment, run: Run) -> None:
    held = play(three)
    for _ in range(2):
        assert held.cards.collect().equals(run.cards.collect())
        assert held.windows.collect().equals(run.windows.collect())


def test_an_unfinished_run_has_the_tallies_of_its_parts(
    three: ResolvedExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = engine.play_blocks

    def failing(*arguments: Any, **how: Any) -> Any:
        if how["first_block"] >= LEAF_BLOCKS:
            raise MemoryError
        return real(*arguments, **how)

    monkeypatch.setattr(engine, "play_blocks", failing)
    with pytest.raises(MemoryError):
        play(three, out=tmp_path, jobs=1, leaves_per_part=1)
    unfinished = Run.open(tmp_path)
    dealt = unfinished.cards.filter(event="opening").select(pl.col("copies").sum()).collect().item()
    assert dealt == len(unfinished) * 3 * 6 == LEAF_BLOCKS * 3 * 3 * 6
