"""Python strategies: what they are shown is so, what they may not do is an error that names them."""

from __future__ import annotations

import copy
import functools
import gc
import pickle
import random
import re
import threading
from typing import Any

import numpy as np
import pytest

from rsc_sim import simulate
from rsc_sim.engine import CompiledRules, Game, play_blocks
from rsc_sim.errors import InputError, StrategyError
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve
from rsc_sim.values import Counts, Memory, Move, Rules
from rsc_sim.view import example_view, look
from tests.reference.rulesets import random_ruleset
from tests.strategy import asked

BOOKLET = Ruleset.booklet().to_dict()
RULES = CompiledRules(BOOKLET, seats=3)
RANDOM = resolve("random").bind()


def bound(function: Any, **parameters: Any) -> Any:
    return resolve(functools.partial(function, **parameters)).bind()


def play(*lineup: Any, first_block: int = 0, n_blocks: int = 20, rules: CompiledRules = RULES) -> Any:
    ids = [lineup.index(strategy) for strategy in lineup]
    return play_blocks(rules, lineup, seed=5, first_block=first_block, n_blocks=n_blocks, strategy_ids=ids)


# ---- what is shown


def some_games(n: int) -> Any:
    """Give games of many rulesets, played on by random players."""
    for number in range(n):
        rules, seats = (
            (BOOKLET, 2 + number // 2 % 7) if number % 2 == 0 else random_ruleset(random.Random(f"view {number}"))
        )
        yield rules, Game(CompiledRules(rules, seats=seats), seed=3, block=number)


def some(table: dict[str, int]) -> dict[str, int]:
    return {kind: n for kind, n in table.items() if n}


def test_a_view_shows_the_position() -> None:
    decisions = set()
    for rules, game in some_games(60):
        for _ in range(150):
            if game.decision is None:
                break
            view, moves = look(game)
            state, seat, n = game.state(), game.seat, game.rules.seats
            decisions.add(view.decision)
            assert (view.decision, view.seat, view.seats, view.turn) == (game.decision, seat, n, game.turn)
            assert view.round == -(-game.turn // n)
            assert view.seat_up == state["seat_up"]
            assert view.place == (seat - state["first_seat"]) % n
            assert view.others == tuple((seat + i) % n for i in range(1, n))
            assert view.hand == state["hands"][seat]
            assert view.hand.total == view.hand_sizes[seat]
            assert view.hands_off == state["hands_off"][seat]
            assert view.hand_sizes == tuple(sum(hand.values()) for hand in state["hands"])
            assert view.hands_off_sizes == tuple(kind is not None for kind in state["hands_off"])
            assert view.tabled == tuple(map(some, state["tabled"]))
            assert view.protected == tuple(map(some, state["protected"]))
            assert view.merch == tuple(state["merch"])
            assert view.read_holder == state["read_holder"]
            assert view.has_read == (state["read_holder"] == seat)
            assert view.missed_turns == tuple(state["missed"])
            assert view.extra_turns == state["extra_turns"]
            assert view.discard_pile == some(state["discards"])
            assert (view.discard_size, view.pile_size) == (sum(state["discards"].values()), len(state["pile"]))
            tickets = [kind for kind in view.hand if rules["cards"][kind]["type"] == "ticket"]
            assert view.has_ticket == bool(tickets)
            assert view.rich_enough == (state["merch"][seat] >= rules["escape_threshold"])
            assert view.would_win == (max(state["merch"]) <= state["merch"][seat] + rules["read_points"])
            memory = game.memory(seat)
            assert view.seen == tuple(map(some, memory["seen"]))
            assert view.pile_seen == memory["pile"]
            assert (view.pile_unseen, view.pile_lacks) == (memory["pile_unseen"], set(memory["pile_lacks"]))
            assert [(m.verb, m.kind, m.target, m.choice, m.own) for m in moves] == [tuple(m) for m in game.moves()]
            game.apply(game.choose(RANDOM))
    assert decisions == {"put_down", "escape", "react", "take", "table_more"}


def test_moves_are_a_sequence_and_sorted() -> None:
    verbs = {"discards": "discard", "tables": "table", "plays": "play"}
    for _, game in some_games(30):
        for _ in range(60):
            if game.decision is None:
                break
            view, moves = look(game)
            listed = list(moves)
            assert len(listed) == len(moves) == len(game.moves())
            assert [moves[i] for i in range(len(moves))] == listed
            assert (moves[-1], moves[1:]) == (listed[-1], tuple(listed[1:]))
            assert moves.index(listed[-1]) == len(moves) - 1
            assert listed[0] in moves
            for name, verb in verbs.items():
                assert list(getattr(moves, name)) == moves.where(verb), name
            for i, move in enumerate(listed):
                assert moves.describe(i)
                value = view.rules.values[move.kind] or view.rules.values[move.choice or ""]
                if move.verb == "play" and move.primitive == "steal_highest_merch":
                    state = game.state()
                    open_kinds = [
                        kind
                        for kind, n in state["tabled"][move.target].items()
                        if n > state["protected"][move.target].get(kind, 0)
                    ]
                    value = max(view.rules.values[kind] for kind in open_kinds)
                if move.verb != "play" or move.primitive != "steal_lowest_merch":
                    assert move.value == value
            with pytest.raises(IndexError):
                moves[len(moves)]
            game.apply(game.choose(RANDOM))


def test_features_are_those_of_the_engine() -> None:
    from rsc_sim.feature_matrix import matrix

    for _, game in some_games(10):
        for _ in range(40):
            if game.decision is not None:
                assert np.array_equal(look(game)[1].features(), matrix(game)[0])
                game.apply(game.choose(RANDOM))


def test_events_tell_what_all_saw() -> None:
    view, _ = example_view(turn=40)
    assert len(view.events) == 64
    assert [event.turn for event in view.events] == sorted(event.turn for event in view.events)
    drawn = [event for event in view.events if event.what == "draw"]
    assert drawn
    assert all(event.kind in {None, "read"} for event in drawn), "what was drawn is hidden"
    assert not {"stay", "pass", "deal"} & {event.what for event in view.events}


def test_the_action_is_shown_to_who_may_react() -> None:
    view, moves = example_view(decision="react")
    assert view.action is not None
    assert view.action.verb == "play"
    assert view.seat_up != view.seat
    assert view.reacted_with == (0, None)
    assert moves[0].verb == "pass"
    assert example_view()[0].action is None


def test_the_rules_are_shown_and_read_only() -> None:
    rules = example_view(rules=Ruleset.booklet().override({"escape_threshold": 800}))[0].rules
    assert (rules.escape_threshold, rules.read_points, rules.seats) == (800, 10_000, 4)
    assert rules.values["mug"] == 30
    assert rules.values["read"] == 0
    assert rules.cards["teased"]["primitive"] == "steal_merch"
    assert rules.find_from == ("pickup",)
    assert rules.name_of("mug") == "Mug"
    with pytest.raises(AttributeError, match="no figure of the rules is called 'escape_treshold'"):
        rules.escape_treshold  # noqa: B018
    again = pickle.loads(pickle.dumps(rules))
    assert isinstance(again, Rules)
    assert again.cards == rules.cards


def test_what_is_read_out_of_a_view_are_values() -> None:
    view, moves = example_view(turn=20)
    for value in (view.hand, moves[0], view.tabled, view.events, view.merch):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value
    assert view.hand["no such card"] == 0
    assert {**view.hand} == dict(view.hand)
    assert hash(moves[0]) == hash(moves[0])
    assert repr(moves[0]).startswith("Move('discard', kind=")
    assert repr(Move("escape")) == "Move('escape')"
    for what in (view, moves):
        with pytest.raises(TypeError):
            pickle.dumps(what)
    counts = Counts(mug=2)
    for change in (counts.clear, counts.popitem, lambda: counts.pop("mug"), lambda: counts.setdefault("a", 1)):
        with pytest.raises(TypeError, match="read-only"):
            change()
    with pytest.raises(TypeError, match="read-only"):
        counts |= {"mug": 1}  # type: ignore[misc]
    assert counts == {"mug": 2}


def test_an_example_can_be_looked_at() -> None:
    view, moves = example_view(turn=12, seats=3, seed=7)
    assert str(view).splitlines()[0] == f"Seat {view.seat} of 3 is asked to put down, turn {view.turn}, round 4"
    assert repr(moves).splitlines()[0].startswith("  0  Discard ")
    assert example_view(turn=12, seats=3, seed=7)[1][:] == moves[:]
    assert 0 <= view.random.below(3) < 3
    assert 0 <= view.random.random() < 1
    view.memory.plan = 1
    assert (view.memory.plan, view.memory["plan"]) == (1, 1)
    with pytest.raises(AttributeError, match="nothing called 'other'"):
        view.memory.other  # noqa: B018
    with pytest.raises(InputError, match="decision: expected"):
        example_view(decision="putdown")  # type: ignore[arg-type]


# ---- it plays


def test_it_plays_as_the_compiled_one_does() -> None:
    """`any_move` is `random`, drawn from the same stream: the same games, move by move."""
    for number in range(8):
        rules, seats = random_ruleset(random.Random(f"same {number}")) if number else (BOOKLET, 4)
        compiled = CompiledRules(rules, seats=seats)
        mine, theirs = ([strategy] * seats for strategy in (bound(asked.any_move), RANDOM))
        assert play(*mine, rules=compiled).tobytes() == play(*theirs, rules=compiled).tobytes()


def test_parameters_and_numpy_integers_count() -> None:
    rows = {
        play(bound(function, **parameters), RANDOM, RANDOM, n_blocks=5).tobytes()
        for function, parameters in (
            (asked.first, {}),
            (asked.last, {}),
            (asked.greedy, {}),
            (asked.greedy, {"stop": 9}),
        )
    }
    assert len(rows) == 4


def test_memory_is_its_own_for_one_game() -> None:
    seen: list[tuple[int, int, int]] = []

    def counts(view: Any, moves: Any) -> int:
        assert type(view.memory) is Memory
        view.memory.n = view.memory.get("n", 0) + 1
        seen.append((view.turn, view.seat, view.memory.n))
        return 0

    strategy = bound(counts)
    play(strategy, strategy, RANDOM, n_blocks=4)
    starts = [entry for entry in seen if entry[2] == 1]
    assert len(starts) == 4 * 3 * 2  # each seat of it, in each game
    last: dict[int, int] = {}
    for turn, seat, n in seen:
        assert n == (1 if turn <= 3 and n == 1 else last[seat] + 1)
        last[seat] = n


def test_memory_belongs_to_a_copy_of_a_game_too() -> None:
    game = Game(RULES, seed=1, block=0)
    strategy = bound(asked.greedy)
    other = None
    for _ in range(30):
        if other is None and game.turn > 5:
            other = game.copy()
        index = game.choose(strategy)
        if other is not None:
            assert other.choose(strategy) == index
            other.apply(index)
        game.apply(index)
    assert other is not None
    assert other.state() == game.state()


def test_what_it_kept_in_memory_is_let_go() -> None:
    class Thing:
        alive = 0

        def __init__(self) -> None:
            Thing.alive += 1

        def __del__(self) -> None:
            Thing.alive -= 1

    def keeps(view: Any, moves: Any) -> int:
        view.memory.thing = Thing()
        assert Thing.alive <= 2 * 3 + 1  # a seat of it in each rotation keeps that of its last game
        return 0

    play(bound(keeps), bound(keeps), RANDOM, n_blocks=4)
    game = Game(RULES, seed=1, block=0)
    game.choose(bound(keeps))
    del game
    gc.collect()
    assert Thing.alive == 0


def test_it_may_ask_another_and_itself() -> None:
    """A strategy may play a whole game inside its own decision."""
    inner = bound(asked.any_move)

    def thinks(view: Any, moves: Any) -> int:
        if view.turn == 2 and view.seats == 3:
            play(inner, mine, n_blocks=1, rules=CompiledRules(BOOKLET, seats=2))
        assert len(moves) > 0
        return int(view.seat) * 0

    mine = bound(thinks)
    play(mine, RANDOM, RANDOM, n_blocks=2)


def test_many_threads_play_the_same() -> None:
    strategy = bound(asked.greedy)
    whole = play(strategy, strategy, RANDOM, n_blocks=12).tobytes()
    parts: dict[int, bytes] = {}

    def work(block: int) -> None:
        parts[block] = play(strategy, strategy, RANDOM, first_block=block, n_blocks=1).tobytes()

    threads = [threading.Thread(target=work, args=(block,)) for block in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert b"".join(parts[block] for block in range(12)) == whole


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_any_number_of_jobs_gives_the_same(backend: str) -> None:
    lineup = ["tests/strategy/asked.py:greedy", "random"]
    runs = {simulate("booklet", lineup, games=600, jobs=jobs, backend=backend).outcome_digest for jobs in (1, 2)}
    assert runs == {simulate("booklet", lineup, games=600, jobs=2).outcome_digest}


def test_a_function_of_a_notebook_plays_in_processes() -> None:
    limit = 7

    def local(view: Any, moves: Any, *, plays: float = 1.0) -> int:
        return min(limit, len(moves) - 1)

    run = simulate("booklet", [functools.partial(local, plays=2), "random"], games=200, jobs=2)
    assert run.manifest["backend"] == "loky"
    assert run.experiment.lineup == ("__main__:local(plays=2.0)", "random")


# ---- it fails


def fails(strategy: Any) -> StrategyError:
    with pytest.raises(StrategyError) as caught:
        play(strategy, RANDOM, RANDOM, first_block=3)
    return caught.value


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "returned None, expected the index of a move: a whole number from 0 to "),
        (1.0, "returned 1.0, expected the index"),
        ("0", "returned '0', expected the index"),
        (True, "returned True, expected the index"),
        (-1, "returned -1 for a decision with "),
        (99, "returned 99 for a decision with "),
        (10**30, f"returned {10**30} for a decision with "),
        ([0], "returned [0], expected the index"),
    ],
)
def test_nonsense_is_told(answer: Any, words: str) -> None:
    error = fails(bound(asked.answers, answer=answer))
    assert error.did.startswith(words)
    assert str(error) == f"{error.did} (game {error.game}, turn {error.turn}, seat {error.seat})"  # type: ignore[attr-defined]


def test_what_it_raises_is_the_cause_and_told_with_its_line() -> None:
    error = fails(bound(asked.raises))
    assert isinstance(error.__cause__, LookupError)
    assert re.fullmatch(rf"raised LookupError: {error.__cause__} in asked\.py, line \d+", error.did)
    assert re.fullmatch(r"raised SystemExit: 3 in asked\.py, line \d+", fails(bound(asked.leaves)).did)


def test_nothing_is_left_of_a_failure() -> None:
    before = play(RANDOM, RANDOM, RANDOM).tobytes()
    for turn in range(1, 20):
        fails(bound(asked.raises, turn=turn))
    assert play(RANDOM, RANDOM, RANDOM).tobytes() == before


@pytest.mark.parametrize(("what", "called"), [("view", "view"), ("moves", "move list"), ("random", "random stream")])
def test_what_is_kept_has_expired(what: str, called: str) -> None:
    asked.KEPT.clear()
    error = fails(bound(asked.keeps, what=what))
    assert error.did.startswith(f"used a {called} of an earlier decision in asked.py, line ")
    assert "belongs into view.memory" in error.did
    kept: list[Any] = []

    def keep(view: Any, moves: Any) -> int:
        kept.append({"view": view, "moves": moves, "random": view.random}[what])
        return 0

    play(bound(keep), RANDOM, RANDOM, n_blocks=1)
    assert len(set(map(id, kept))) == len(kept) > 10
    for thing in kept:
        with pytest.raises(StrategyError, match=f"strategy '__main__:keep' used a {called} of an earlier decision"):
            thing.turn if what == "view" else len(thing) if what == "moves" else thing.below(2)
        repr(thing)


def test_every_attribute_of_a_kept_view_says_so() -> None:
    kept: list[Any] = []

    def keep(view: Any, moves: Any) -> int:
        kept[:] = [view, moves]
        return 0

    play(bound(keep), RANDOM, RANDOM, n_blocks=1)
    for thing in kept:
        names = [name for name in dir(thing) if not name.startswith("_")]
        assert len(names) >= 7
        for name in names:
            arguments = {"index": [Move("escape")], "count": [Move("escape")], "describe": [0]}.get(name, [])
            with pytest.raises(StrategyError, match="of an earlier decision"):
                getattr(thing, name)(*arguments) if callable(getattr(type(thing), name)) else getattr(thing, name)


@pytest.mark.parametrize("how", ["hand", "attribute", "new", "moves", "move", "rules", "cards", "tabled"])
def test_what_is_shown_cannot_be_changed(how: str) -> None:
    error = fails(bound(asked.changes, how=how))
    assert error.did.startswith(("raised TypeError: ", "raised AttributeError: "))


def test_interruption_is_not_its_failure() -> None:
    def interrupted(view: Any, moves: Any) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(bound(interrupted), RANDOM, RANDOM)


def test_a_view_is_not_made_by_hand() -> None:
    view, moves = example_view()
    for thing in (type(view)(), type(moves)()):
        with pytest.raises(StrategyError, match="is not made by hand"):
            thing.seat if hasattr(type(thing), "seat") else len(thing)
