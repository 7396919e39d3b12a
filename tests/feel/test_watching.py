"""What is counted while games are watched: held against the rows of a run, against replays, and against known games."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rsc_sim.engine import Game
from rsc_sim.engine.feel import SOURCES, play_feel, play_luck
from rsc_sim.engine.game import Move
from rsc_sim.experiment import Experiment
from rsc_sim.jobs import Table

LINEUPS = [["collector", "raider"], ["guardian", "random", "rusher"], ["raider"] * 7 + ["hoarder"]]
ALL_FROM_B = (1 << len(SOURCES)) - 1
WAYS = (0, ALL_FROM_B, *(1 << k for k in range(len(SOURCES))))


def table(lineup: list[str], **more: Any) -> Table:
    return Table.of(Experiment.from_dict({"lineup": lineup, "games": 40, **more}).resolve())


def watched(seated: Table, n_blocks: int, first_block: int = 0) -> tuple[Any, Any, Any]:
    bound = [strategy.bind() for strategy in seated.strategies]
    lineup = [bound[i] for i in seated.strategy_ids]
    return play_feel(
        seated.rules, lineup, seed=seated.seed, first_block=first_block, n_blocks=n_blocks,
        strategy_ids=seated.strategy_ids,
    )  # fmt: skip


def dealt_anew(seated: Table, n_blocks: int) -> npt.NDArray[np.float32]:
    bound = [strategy.bind() for strategy in seated.strategies]
    lineup = [bound[i] for i in seated.strategy_ids]
    return play_luck(
        seated.rules, lineup, seed=seated.seed, first_block=0, n_blocks=n_blocks, strategy_ids=seated.strategy_ids,
        ways=WAYS,
    )  # fmt: skip


@pytest.mark.parametrize("lineup", LINEUPS)
def test_the_games_watched_are_those_of_a_run(lineup: list[str]) -> None:
    seated = table(lineup)
    rows, feel, widths = watched(seated, 30, first_block=5)
    assert rows.tobytes() == seated.rows(5, 30, None).tobytes()
    assert (feel["decisions"] == rows["decisions"]).all()
    assert widths.sum() == rows["decisions"].sum()
    assert (widths * np.arange(len(widths))).sum() == feel["moves"].sum()
    assert widths[1] == feel["single"].sum()
    assert (feel["put_downs"] + feel["passed"] <= rows["turns"]).all()


@pytest.mark.parametrize("lineup", [["raider", "random", "guardian"], ["collector", "random"]])
def test_counts_are_those_of_games_stepped_through(lineup: list[str]) -> None:
    seated = table(lineup)
    rows, feel, _ = watched(seated, 12)
    bound = [strategy.bind() for strategy in seated.strategies]
    for number, row in enumerate(rows):
        block, rotation = divmod(number, len(rows) // 12)
        ids = [seated.strategy_ids[(seat + rotation) % len(lineup)] for seat in range(len(lineup))]
        counted, leaders = _step_through(Game(seated.rules, seed=seated.seed, block=block), [bound[i] for i in ids])
        assert {name: feel[number][name] for name in counted} == pytest.approx(counted, rel=1e-5), number
        winner, turns = row["winner"], row["turns"]
        if winner >= 0:
            for by, leader in leaders.items():
                held = [leader[t] == winner for t in range(turns + 1)]
                decided = next(t for t in range(turns + 2) if all(held[t:]))
                assert feel[number][f"{by}_decided"] == min(decided, turns)
                behind = leader[turns // 2] not in {winner, None}
                assert feel[number][f"{by}_half"] & 1 == behind
    assert feel["merch_aimed"].sum() > 50


def _step_through(game: Game, strategies: list[object]) -> tuple[Counter[str], dict[str, list[int | None]]]:
    """Count by the slow and obvious way; give too who led after each turn, by Merch and by points."""
    n: Counter[str] = Counter()
    leaders: dict[str, list[int | None]] = {"merch": [], "points": []}
    ahead: dict[str, int | None] = {"merch": None, "points": None}
    read, at, escapable = None, 0, 0
    points = 10_000
    while True:
        state, events = game.state(), game.events
        for event in events[at:]:
            if event.what == "turn":
                _lead(ahead, state, read, points)
                for by, leader in ahead.items():
                    leaders[by].append(leader)
            elif event.what == "display":
                read = event.seat
                _lead(ahead, state, read, points)
            elif event.what == "moved_read":
                read = event.target
            elif event.what == "passed":
                n["passed"] += escapable != event.turn
            elif event.what in {"missed", "moved", "moved_protect", "react"}:
                name = {"moved": "stolen_merch", "moved_protect": "stolen_protect", "react": "reactions"}
                n[name.get(event.what, event.what)] += 1
            elif event.what == "picked":
                n["stolen_hand"] += event.target is not None
        at = len(events)
        _lead(ahead, state, read, points)
        if game.decision is None:
            for by, leader in ahead.items():
                leaders[by].append(leader)
            return n, leaders
        moves = game.moves()
        move = moves[game.choose(strategies[game.seat])]
        n["decisions"] += 1
        n["moves"] += len(moves)
        n["single"] += len(moves) == 1
        if game.decision == "escape":
            escapable = game.turn
        if game.decision == "put_down":
            n["put_downs"] += 1
            n["put_down_moves"] += len(moves)
            n["discard_only"] += {one.verb for one in moves} == {"discard"} and escapable != game.turn
        if move.verb == "play":
            _aim(n, ahead, game.seat, move, moves, state["read_holder"])
        game.apply(moves.index(move))


def _lead(ahead: dict[str, int | None], state: dict[str, Any], read: int | None, points: int) -> None:
    merch = state["merch"]
    for by, have in (("merch", merch), ("points", [m + points * (s == read) for s, m in enumerate(merch)])):
        old = ahead[by]
        if max(have) > 0 or old is not None:
            clockwise = [(state["seat_up"] + i) % len(have) for i in range(len(have))]
            best = [seat for seat in clockwise if have[seat] == max(have)]
            ahead[by] = old if old in best else best[0]


def _aim(n: Counter[str], ahead: Any, seat: int, move: Move, moves: list[Move], holder: int | None) -> None:
    reads = {"kidnap_read", "seduce_read", "trick_read"}
    target = holder if move.kind in reads else move.target
    if target is None:
        return
    n["targeted"] += 1
    might = {one.target for one in moves if one.verb == "play" and one.kind == move.kind} - {None} or {target}
    for by, leader in ahead.items():
        if leader is not None and leader != seat:
            n[f"{by}_aimed"] += 1
            n[f"{by}_hit"] += target == leader
            n[f"{by}_chance"] += (leader in might) / len(might)  # type: ignore[assignment]


def test_standings_at_half_time_and_at_the_end() -> None:
    """The winner leads by points at the end, whatever else; who is last is behind too."""
    rows, feel, _ = watched(table(["raider", "collector", "guardian", "rusher"]), 250)
    won = rows["winner"] >= 0
    assert (feel["points_decided"][won] <= rows["turns"][won]).all()
    most = np.stack([rows[f"score_{seat}"] for seat in range(4)]).max(axis=0)
    winners = np.choose(np.maximum(rows["winner"], 0), [rows[f"score_{seat}"] for seat in range(4)])
    assert (winners[won] == most[won]).all()
    for by in ("merch", "points"):
        half = feel[f"{by}_half"][won]
        assert set(np.unique(half)) <= {0, 1, 3}  # last and not behind would be both at once
        early = feel[f"{by}_decided"][won] <= rows["turns"][won] // 2
        assert not half[early].any()  # whoever led from before half-time on was not behind at half-time
        assert early.any()


def test_hits_of_the_leader() -> None:
    _, two, _ = watched(table(["raider", "collector"]), 200)
    for by in ("merch", "points"):
        # With two at the table, whoever does not lead can aim at nobody else.
        assert (two[f"{by}_hit"] == two[f"{by}_aimed"]).all()
        assert two[f"{by}_chance"] == pytest.approx(two[f"{by}_aimed"], rel=1e-5)
    _, drawn, _ = watched(table(["random"] * 4), 1_200)
    _, raids, _ = watched(table(["raider"] * 4), 300)
    # The random player draws a move, which is nearly to draw a seat; raiders go for the leader.
    excess = [(one["merch_hit"].sum() - one["merch_chance"].sum()) / one["merch_aimed"].sum() for one in (drawn, raids)]
    assert abs(excess[0]) < 0.02
    assert excess[1] > 0.1


def test_nothing_to_do_but_discard() -> None:
    """A deck of Read and tickets alone: nothing can be tabled or played, and nobody may escape but Read's holder."""
    kinds = Experiment.from_dict({"lineup": ["random"] * 2}).resolve().ruleset["cards"]
    none = {f"cards.{kind}.copies": 0 for kind in kinds if kind not in {"read", "escape_ticket"}}
    changed = {**none, "cards.escape_ticket.copies": 23, "escape_threshold": 1000, "max_rounds": 5}
    rows, feel, _ = watched(table(["random"] * 2, set=changed), 40)
    assert (rows["end"] != 0).all()
    assert (feel["discard_only"] + feel["passed"] == rows["turns"]).all()
    assert feel["targeted"].sum() == 0


# ---- chance from two keys


def test_a_source_that_is_not_changed_changes_nothing() -> None:
    """The same key twice is the same game; deterministic strategies draw nothing, so their stream is no matter."""
    won = dealt_anew(table(["collector"] * 3), 60)
    assert (won[:, :, 2 + SOURCES.index("strategies")] == won[:, :, 0]).all()
    for source in ("hands", "pile", "picks"):
        assert (won[:, :, 2 + SOURCES.index(source)] != won[:, :, 0]).any()
    again = dealt_anew(table(["collector"] * 3), 60)
    assert (again == won).all()
    drawn = dealt_anew(table(["random"] * 3), 60)
    assert (drawn[:, :, 2 + SOURCES.index("strategies")] != drawn[:, :, 0]).any()


def test_where_hands_are_all_there_is_they_are_all_of_luck() -> None:
    """Read and tickets, dealt out in full, at threshold 0: whoever is dealt Read begins and escapes."""
    kinds = Experiment.from_dict({"lineup": ["random"] * 2}).resolve().ruleset["cards"]
    none = {f"cards.{kind}.copies": 0 for kind in kinds if kind not in {"read", "escape_ticket"}}
    changed = {**none, "cards.escape_ticket.copies": 11, "escape_threshold": 0, "escape": "forced"}
    won = dealt_anew(table(["random"] * 2, set=changed), 200)
    assert (won.sum(axis=3) == 1).all()
    for k, source in enumerate(SOURCES):
        assert (won[:, :, 2 + k] == won[:, :, 1 if source == "hands" else 0]).all()
    assert (won[:, :, 0] != won[:, :, 1]).any()
