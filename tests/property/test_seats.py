"""Seat numbers never matter: only place does, how long after the first seat one plays.

By structure: a position with all seats moved on by k is the same position, so every move list, choice, event and
outcome is the same with the seats moved on by k. By count: in mirror matches each seat wins as often as any other, and
each place as often whoever plays first.
"""

import random
from collections import Counter
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rsc_sim.engine import CompiledRules, Event, Game, Move, play_blocks
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategies import BUILT_IN, collector, uniform
from rsc_sim.strategy import resolve
from tests.reference.rulesets import random_ruleset
from tests.strategy import asked, scored

BOOKLET = Ruleset.booklet().to_dict()
RANDOM, COLLECTOR = uniform.bind(), collector.bind()
PER_SEAT = ("hands", "hands_off", "tabled", "protected", "merch", "missed", "draws")
SEATS = ("seat_up", "first_seat", "read_holder")
CERTAIN = 1e-5  # a fixed seed gives the same figures each time; of new seeds one in a hundred thousand would fail

# ---- by structure


def moved_on(state: dict[str, Any], by: int) -> dict[str, Any]:
    """Give the position in which seat s + by has what seat s has here."""
    n = len(state["hands"])
    per_seat = {key: [state[key][(seat - by) % n] for seat in range(n)] for key in PER_SEAT}
    seats = {key: None if state[key] is None else (state[key] + by) % n for key in SEATS}
    return state | per_seat | seats


def move_moved_on(move: Move, by: int, n: int) -> Move:
    return move if move.target is None else move._replace(target=(move.target + by) % n)


def events_moved_on(events: list[Event], by: int, n: int) -> list[Event]:
    """Move events on; where a move stands in its list is left out, for moves are listed by target."""

    def on(seat: int | None) -> int | None:
        return None if seat is None else (seat + by) % n

    return [event._replace(seat=on(event.seat), target=on(event.target), index=None) for event in events]


def row_moved_on(row: dict[str, Any], by: int) -> dict[str, Any]:
    n = len(row["score"])
    moved = {key: [row[key][(seat - by) % n] for seat in range(n)] for key in ("score", "merch", "won", "cards")}
    for key in ("first_seat", "read_dealt", "escaper", "winner"):
        moved[key] = (row[key] + by) % n if row[key] >= 0 else row[key]
    return {key: value for key, value in row.items() if key != "trace"} | moved  # the trace names seats


def first_difference(strategy: Any, *, number: int, compared: Counter[str]) -> str | None:
    """Play a position and the same one moved on side by side to the end; say where they first differ, None for nowhere.

    `strategy`, which must draw no random numbers, is asked at every decision; in half of the games its choice is
    played, in the others, and where it is None, a random one. `compared` counts the decisions.
    """
    rng = random.Random(number)
    rules, seats = (BOOKLET, 2 + number // 2 % 7) if number % 2 == 0 else random_ruleset(rng)
    compiled = CompiledRules(rules, seats=seats)
    game = Game(compiled, seed=2, block=number)
    begin = rng.randrange(60)  # turns of random play
    while game.decision is not None and not (game.turn >= begin and game.decision == "put_down"):
        game.apply(game.choose(RANDOM))
    if game.decision is None:
        return None
    by = rng.randrange(1, seats)
    state = game.state()
    here = Game.from_position(compiled, state, seed=2, block=number)
    there = Game.from_position(compiled, moved_on(state, by), seed=2, block=number)
    while here.decision is not None:
        where = f"game {number}, turn {here.turn}, seat {here.seat}, {here.decision}, {by} seats on"
        if (there.decision, there.seat) != (here.decision, (here.seat + by) % seats):
            return f"{where}: asked {there.decision} of {there.seat}"
        moves = [move_moved_on(move, by, seats) for move in here.moves()]
        if set(there.moves()) != set(moves) or len(there.moves()) != len(moves):
            return f"{where}: other moves"
        index = rng.randrange(len(moves))
        if strategy is not None:
            choice, other = here.choose(strategy), there.choose(strategy)
            if there.moves()[other] != moves[choice]:
                return f"{where}: {moves[choice]} became {there.moves()[other]}"
            if number % 4 < 2:
                index = choice
        compared[here.decision] += 1
        here.apply(index)
        there.apply(there.moves().index(moves[index]))
    if there.state() != moved_on(here.state(), by) or there.row() | {"trace": 0} != row_moved_on(here.row(), by) | {
        "trace": 0
    }:
        return f"game {number}: another end"
    if events_moved_on(there.events, 0, seats) != events_moved_on(here.events, by, seats):
        return f"game {number}: other events"
    return None


def test_a_position_moved_on_is_the_same_position() -> None:
    compared: Counter[str] = Counter()
    for number in range(100):
        assert first_difference(None, number=number, compared=compared) is None
    assert set(compared) == {"put_down", "take", "table_more", "react", "escape"}
    assert min(compared.values()) > 20


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in BUILT_IN
        if name not in {"random", "search"}  # they draw from a stream of their seat; see the test after the next
    ],
)
def test_a_position_moved_on_gives_the_same_choice(name: str) -> None:
    strategy = resolve(name).bind()
    for number in range(60):
        assert first_difference(strategy, number=number, compared=Counter()) is None


def doubt_of_equal_choices(strategy: Any, *, positions: int, times: int) -> float:
    """Return the p-value of the test that moves are chosen as often with all seats moved on, over some positions.

    A strategy that draws random numbers draws others in another seat, so that single choices cannot be compared.
    """
    statistic, freedom = 0.0, 0
    for number in range(positions):
        rng = random.Random(f"choices {number}")
        rules, seats = (BOOKLET, 3 + number // 2 % 6) if number % 2 == 0 else random_ruleset(rng)
        compiled = CompiledRules(rules, seats=seats)
        game = Game(compiled, seed=3, block=number)
        begin = rng.randrange(60)
        while game.decision is not None and not (game.turn >= begin and game.decision == "put_down"):
            game.apply(game.choose(RANDOM))
        if game.decision is None:
            continue
        by = rng.randrange(1, seats)
        here, there = game.state(), moved_on(game.state(), by)
        moves = [move_moved_on(move, by, seats) for move in game.moves()]
        counts = np.zeros((2, len(moves)))
        for seed in range(times):
            one = Game.from_position(compiled, here, seed=seed, block=number)
            other = Game.from_position(compiled, there, seed=seed, block=number)
            counts[0, one.choose(strategy)] += 1
            counts[1, moves.index(other.moves()[other.choose(strategy)])] += 1
        seldom = counts.sum(axis=0) < 10
        counts = np.column_stack([counts[:, ~seldom], counts[:, seldom].sum(axis=1)])
        counts = counts[:, counts.sum(axis=0) > 0]
        if counts.shape[1] > 1:
            found = stats.chi2_contingency(counts, correction=False)
            statistic, freedom = statistic + found.statistic, freedom + found.dof
    assert freedom > positions / 2
    return float(stats.chi2.sf(statistic, freedom))


@pytest.mark.parametrize(("spec", "positions"), [("random", 60), ("search(playouts=16)", 40)])
def test_moves_are_chosen_as_often_with_all_seats_moved_on(spec: str, positions: int) -> None:
    assert doubt_of_equal_choices(resolve(spec).bind(), positions=positions, times=60) > CERTAIN


def test_one_that_leans_to_a_seat_number_is_noticed() -> None:
    def leaning(view: Any, moves: Any) -> int:
        """Play by lot, but one time in four against the lowest seat number that there is."""
        first = next((i for i, move in enumerate(moves) if move.target is not None), 0)
        return first if view.random.below(4) == 0 else view.random.below(len(moves))

    assert doubt_of_equal_choices(resolve(leaning).bind(), positions=60, times=60) < CERTAIN


@pytest.mark.parametrize("function", [asked.linear, scored.linear], ids=["python", "batched"])
def test_it_gives_the_same_choice_in_python(function: Any) -> None:
    strategy = resolve(function).bind()
    for number in range(30):
        assert first_difference(strategy, number=number, compared=Counter()) is None


def test_a_strategy_that_goes_by_numbers_is_caught(example: SimpleNamespace) -> None:
    strategy = example.faulty.by_number()
    found = [first_difference(strategy, number=number, compared=Counter()) for number in range(10)]
    assert any(found)
    assert all("became" in text for text in found if text)


# ---- by count

GAMES = 120_000


@cache
def mirror_match(name: str, seats: int) -> np.ndarray:
    """Play a strategy against itself; return the finished games with one winner."""
    rules = CompiledRules(BOOKLET, seats=seats)
    strategy = {"random": RANDOM, "collector": COLLECTOR}[name]
    rows = play_blocks(rules, [strategy] * seats, seed=11, first_block=0, n_blocks=GAMES, strategy_ids=[0] * seats)
    return rows[rows["winner"] >= 0]


def doubt_of_equal_seats(winner: np.ndarray, seats: int) -> float:
    """Return the p-value of Pearson's chi-square test that each seat wins as often as any other."""
    return float(stats.chisquare(np.bincount(winner, minlength=seats)).pvalue)


def doubt_of_places(rows: np.ndarray, seats: int) -> float:
    """Return the p-value of the chi-square test that who plays first does not change how often each place wins."""
    place = (rows["winner"].astype(int) - rows["first_seat"]) % seats
    wins = np.zeros((seats, seats))
    np.add.at(wins, (rows["first_seat"], place), 1)
    return float(stats.chi2_contingency(wins).pvalue)


def biased(rows: np.ndarray, seats: int, by: float) -> np.ndarray:
    """Give seat 0 as many wins of the others as raise its share by `by`."""
    rows = rows.copy()
    lost = rows["winner"] > 0
    rows["winner"][lost & (np.random.default_rng(1).random(len(rows)) < by * seats / (seats - 1))] = 0
    return rows


@pytest.mark.parametrize(("name", "seats"), [("random", 4), ("collector", 4), ("collector", 3)])
def test_each_seat_wins_as_often(name: str, seats: int) -> None:
    rows = mirror_match(name, seats)
    assert len(rows) > 0.8 * GAMES
    assert doubt_of_equal_seats(rows["winner"], seats) > CERTAIN
    assert doubt_of_places(rows, seats) > CERTAIN
    # The same test finds one percentage point.
    planted = biased(rows, seats, 0.01)
    assert 0.008 < np.mean(planted["winner"] == 0) - np.mean(rows["winner"] == 0) < 0.012
    assert doubt_of_equal_seats(planted["winner"], seats) < CERTAIN


def test_a_bias_by_place_of_the_first_seat_is_found() -> None:
    """Where seat 0 begins, a percentage point goes from the place after it to the first."""
    rows = mirror_match("collector", 4).copy()
    rows["winner"][(rows["first_seat"] == 0) & (rows["winner"] == 1) & (np.arange(len(rows)) % 8 == 0)] = 0
    assert doubt_of_places(rows, 4) < CERTAIN
