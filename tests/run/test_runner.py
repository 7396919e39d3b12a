"""Playing: the same games however the work is cut, and a clean stop whatever ends it."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rsc_sim import engine
from rsc_sim.errors import EnvironmentFailure, InputError, Interrupted, StrategyError
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.frames import ENDS, INTERVENTIONS, STUCK, games_schema
from rsc_sim.plan import LEAF_BLOCKS
from rsc_sim.run import Run
from rsc_sim.runner import Progress, play


@pytest.fixture(scope="module")
def expected(small: ResolvedExperiment) -> str:
    """The digest by definition: the rows of one call, leaf by leaf, with neither jobs nor parts."""
    from rsc_sim.strategy import resolve

    rules = engine.CompiledRules(small.ruleset, seats=small.seats)
    lineup = [resolve(spec).bind() for spec in small.lineup]
    rows = engine.play_blocks(
        rules, lineup, seed=1, first_block=0, n_blocks=small.n_blocks, strategy_ids=small.strategy_ids
    )
    leaves = [hashlib.sha256(rows[i : i + LEAF_BLOCKS].tobytes()).digest() for i in range(0, len(rows), LEAF_BLOCKS)]
    return hashlib.sha256(b"".join(leaves)).hexdigest()


@pytest.mark.parametrize(
    "how",
    [
        {"jobs": 1},
        {"jobs": 2},
        {"jobs": 5, "leaves_per_part": 1},
        {"jobs": 2, "piece_blocks": 333},
        {"jobs": 2, "piece_blocks": 100_000, "leaves_per_part": 2},
    ],
    ids=str,
)
@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "disk"])
def test_one_digest_however_the_work_is_cut(
    small: ResolvedExperiment, expected: str, tmp_path: Path, how: dict[str, Any], on_disk: bool
) -> None:
    run = play(small, out=tmp_path / "run" if on_disk else None, **how)
    assert run.outcome_digest == expected
    games = run.games.select("game", "block").collect()
    assert games["game"].to_list() == list(range(9_000))


def test_rotations_keep_the_digest_too(tmp_path: Path) -> None:
    mixed = Experiment.from_dict({"lineup": ["collector", "random", "random"], "games": 15_000}).resolve()
    digests = {
        play(mixed, jobs=jobs, piece_blocks=piece).outcome_digest for jobs, piece in ((1, None), (2, 999), (2, 64))
    }
    assert len(digests) == 1


def test_prefixes_tell_a_shorter_run(small: ResolvedExperiment) -> None:
    one = Experiment.from_dict({"lineup": ["collector", "collector"], "games": LEAF_BLOCKS}).resolve()
    assert play(small).manifest["prefix_digests"]["1"] == play(one).outcome_digest


def test_the_frame_holds_what_the_engine_played(small: ResolvedExperiment, tmp_path: Path) -> None:
    from rsc_sim.strategy import resolve

    run = play(small, out=tmp_path / "run", leaves_per_part=1)
    frame = run.games.collect()
    assert dict(frame.schema) == games_schema(2, ["collector"])
    assert frame.equals(play(small).games.collect())
    rules = engine.CompiledRules(small.ruleset, seats=2)
    rows = engine.play_blocks(
        rules, [resolve("collector").bind()] * 2, seed=1, first_block=0, n_blocks=9_000, strategy_ids=[0, 0]
    )
    codes = {"end": ENDS, "stuck": STUCK, "strategy_0": ["collector"], "strategy_1": ["collector"]}
    for column in frame.columns:
        played = rows[column].tolist()
        if column in codes:
            played = [codes[column][code] for code in played]
        assert frame[column].to_list() == played, column


def test_codes_are_the_engine_s() -> None:
    assert (ENDS, STUCK, INTERVENTIONS) == (engine.ENDS, engine.STUCK, engine.INTERVENTIONS)


def test_a_run_in_memory_takes_some_100_bytes_a_game() -> None:
    run = play(Experiment.load("baseline").changed(games=20_000).resolve())
    assert run.games.collect().estimated_size() / 20_000 <= 102
    # Tallies take as much for a run of any size: some 2 MB, 2 bytes a game of a million.
    assert sum(len(part) for parts in run._tallies.values() for part in parts) < 3_000_000


def test_seats_are_tidy(small: ResolvedExperiment) -> None:
    mixed = Experiment.from_dict({"lineup": ["collector", "random", "random"], "games": 300}).resolve()
    run = play(mixed)
    games = {row["game"]: row for row in run.games.collect().to_dicts()}
    seats = run.seats.collect()
    assert seats.height == 900
    for row in seats.to_dicts():
        game = games[row["game"]]
        assert row["place"] == (row["seat"] - game["first_seat"]) % 3
        assert row["strategy"] == mixed.lineup[(row["seat"] + game["rotation"]) % 3]
        for name in ("score", "merch", "won", "cards"):
            assert row[name] == game[f"{name}_{row['seat']}"]


def test_an_intervention_is_recorded() -> None:
    data = {"lineup": ["random", "random"], "games": 50, "intervention": {"seat": 1, "card": 3, "kind": "mug"}}
    run = play(Experiment.from_dict(data).resolve())
    assert set(run.games.collect()["iv"].to_list()) <= set(INTERVENTIONS)
    assert "iv" not in play(Experiment.from_dict({**data, "intervention": None}).resolve()).games.collect_schema()


def test_resume_plays_only_what_is_missing(
    small: ResolvedExperiment, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, played = engine.play_blocks, []

    def failing(*arguments: Any, **how: Any) -> Any:
        if how["first_block"] >= 2 * LEAF_BLOCKS:
            raise MemoryError
        return real(*arguments, **how)

    monkeypatch.setattr(engine, "play_blocks", failing)
    with pytest.raises(MemoryError):
        play(small, out=tmp_path, jobs=1, leaves_per_part=1)

    def watched(*arguments: Any, **how: Any) -> Any:
        played.append(how["first_block"])
        return real(*arguments, **how)

    monkeypatch.setattr(engine, "play_blocks", watched)
    states: list[Progress] = []
    run = play(small, out=tmp_path, resume=True, on_progress=states.append)
    assert run.outcome_digest == expected
    assert min(played) == states[-1].kept == 2 * LEAF_BLOCKS
    assert states[-1].kept + states[-1].played == small.n_games


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"seed": 2}, "seed: 1 there, 2 now"),
        ({"games": 9_001}, "n_blocks: 9000 there, 9001 now"),
        ({"lineup": ["random", "random"]}, "strategies"),
        ({"overrides": {"escape_threshold": 800}}, "rules.escape_threshold: 1000 there, 800 now"),
    ],
)
def test_resume_refuses_another_experiment(
    small: ResolvedExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], word: str
) -> None:
    stop_at_once(monkeypatch)
    with pytest.raises(MemoryError):
        play(small, out=tmp_path)
    other = Experiment.from_dict({"lineup": ["collector", "collector"], "games": 9_000}).changed(**change).resolve()
    with pytest.raises(InputError, match=word):
        play(other, out=tmp_path, resume=True)


def test_resume_refuses_another_version(
    small: ResolvedExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at_once(monkeypatch)
    with pytest.raises(MemoryError):
        play(small, out=tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["versions"]["rsc_sim"] = "0.0.9"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"rsc-sim: 0\.0\.9 there"):
        play(small, out=tmp_path, resume=True)


def stop_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any, **how: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(engine, "play_blocks", failing)


def test_a_failing_strategy_keeps_what_was_played_and_names_the_game(
    small: ResolvedExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = engine.play_blocks

    def failing(*arguments: Any, **how: Any) -> Any:
        if how["first_block"] >= 2 * LEAF_BLOCKS:
            error = StrategyError("returned 7 for a decision with 4 moves (game 5000, turn 12, seat 1)")
            error.game = 5_000  # type: ignore[attr-defined]
            raise error
        return real(*arguments, **how)

    monkeypatch.setattr(engine, "play_blocks", failing)
    with pytest.raises(StrategyError, match=rf"(?s)returned 7.*rsc replay {tmp_path}/run --game 5000"):
        play(small, out=tmp_path / "run", jobs=1, leaves_per_part=1)
    kept = Run.open(tmp_path / "run")
    assert len(kept) == 2 * LEAF_BLOCKS
    assert kept.games.collect().height == len(kept)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_run_and_says_how_to_go_on(
    small: ResolvedExperiment, expected: str, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    before = signal.getsignal(number)
    once = threading.Event()

    def asked(state: Progress) -> None:
        if not once.is_set():
            once.set()
            signal.raise_signal(number)

    long = Experiment.from_dict({"lineup": ["collector", "collector"], "games": 10_000_000}).resolve()
    with pytest.raises(Interrupted, match=r"of 10,000,000 games; go on with: rsc run --resume --out") as stopped:
        play(long, out=tmp_path / "run", on_progress=asked)
    assert stopped.value.exit_code == code
    assert signal.getsignal(number) is before
    with pytest.raises(InputError, match="unfinished"):
        _ = Run.open(tmp_path / "run").outcome_digest


def test_an_interrupted_run_keeps_every_whole_leaf(
    small: ResolvedExperiment, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = engine.play_blocks

    def slow(*arguments: Any, cancel: bytearray, **how: Any) -> Any:
        if how["first_block"] // LEAF_BLOCKS == 1:  # the leaf in the middle is not done
            until = time.monotonic() + 20
            while not cancel[0] and time.monotonic() < until:
                time.sleep(0.01)
            raise engine.Cancelled
        return real(*arguments, cancel=cancel, **how)

    def stop(state: Progress) -> None:
        if state.played == small.n_games - LEAF_BLOCKS:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    monkeypatch.setattr(engine, "play_blocks", slow)
    with pytest.raises(Interrupted, match="after 4,904 of 9,000 games"):
        play(small, out=tmp_path, jobs=2, piece_blocks=LEAF_BLOCKS, on_progress=stop)
    monkeypatch.undo()
    unfinished = Run.open(tmp_path)
    assert unfinished.games.collect()["game"].to_list() == [*range(LEAF_BLOCKS), *range(2 * LEAF_BLOCKS, 9_000)]
    run = play(small, out=tmp_path, resume=True)
    assert run.outcome_digest == expected
    undisturbed = play(small)
    assert run.games.collect().equals(undisturbed.games.collect())
    assert run.cards.collect().equals(undisturbed.cards.collect())
    assert run.windows.collect().equals(undisturbed.windows.collect())


def test_a_piece_that_takes_long_is_stopped_too(small: ResolvedExperiment, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*arguments: Any, cancel: bytearray, **how: Any) -> Any:
        until = time.monotonic() + 20
        while not cancel[0] and time.monotonic() < until:
            time.sleep(0.01)
        raise engine.Cancelled

    monkeypatch.setattr(engine, "play_blocks", endless)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(Interrupted):
            play(small, jobs=1)
    finally:
        timer.cancel()
    assert time.monotonic() - start < 5


def test_an_interrupted_run_in_memory_says_that_nothing_is_kept() -> None:
    long = Experiment.from_dict({"lineup": ["collector", "collector"], "games": 10_000_000}).resolve()
    with pytest.raises(Interrupted, match="in memory keeps nothing"):
        play(long, on_progress=lambda state: signal.raise_signal(signal.SIGINT))


def test_progress_adds_up(small: ResolvedExperiment) -> None:
    mixed = Experiment.from_dict({"lineup": ["collector", "random", "collector"], "games": 3_000}).resolve()
    states: list[Progress] = []
    run = play(mixed, on_progress=states.append)
    last = states[-1]
    assert (last.played, last.n_blocks, last.seconds_left) == (3_000, 1_000, 0)
    seats = run.seats.collect()
    for i, spec in enumerate(last.strategies):
        by_block = (
            seats.filter(seats["strategy"] == spec)
            .group_by("block")
            .agg(pl.col("won").mean())["won"]
            .to_numpy()
            .astype(float)
        )
        assert by_block.size == 1_000
        assert last.shares[i] == pytest.approx(by_block.sum(), rel=1e-5)
        assert last.squares[i] == pytest.approx(np.square(by_block).sum(), rel=1e-5)


def test_a_summary_is_written_before_the_run_counts_as_complete(small: ResolvedExperiment, tmp_path: Path) -> None:
    def fails(run: Run) -> dict[str, Any]:
        raise EnvironmentFailure("no")

    with pytest.raises(EnvironmentFailure):
        play(small, out=tmp_path, summarise=fails)
    assert not Run.open(tmp_path).complete
    run = play(small, out=tmp_path, resume=True, summarise=lambda run: {"games": run.games.collect().height})
    assert json.loads((tmp_path / "summary.json").read_text()) == {"games": 9_000}
    assert run.complete


@pytest.mark.parametrize("jobs", [0, -1])
def test_jobs_are_one_or_more(small: ResolvedExperiment, jobs: int) -> None:
    with pytest.raises(InputError, match="jobs: expected 1 or more"):
        play(small, jobs=jobs)
