"""Decisions a second beside other card game engines: OpenSpiel's crazy_eights and go_fish, RLCard's uno.

    python benchmarks/peers.py

Four players, uniform random play, one core, in one run and in turns, because a shared machine changes its speed within
seconds. Other games are other work: their legal moves a decision and decisions a game stand beside each figure. A row
`from Python` steps a game decision by decision through the engine's Python interface; `compiled loop` leaves the whole
game to compiled code, choices included (OpenSpiel: `evaluate_bots` with its own random bots). RLCard is written in
Python, so it has the first kind only, and it encodes an observation at each step. Ours records a row a game.

Both peers are optional (`pip install open_spiel rlcard`); a missing one is named and left out.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from types import ModuleType
from typing import Any

from rsc_sim.engine import CHECKED, CompiledRules, Game, play_blocks
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve

SEATS = 4
Played = tuple[int, int, int]  # games, decisions, legal moves listed (0 where that is not counted)


@dataclass
class Row:
    """One engine, game and way of stepping.

    `play(number, games)` plays the number-th so many games and gives the seconds it took; `listed` counts legal moves.
    """

    engine: str
    game: str
    how: str
    play: Callable[[int, int], tuple[float, Played]]
    listed: Callable[[], Played]
    games: int = 1
    per_second: list[float] = field(default_factory=list)


def timed(play: Callable[[], Played]) -> tuple[float, Played]:
    start = time.process_time()
    played = play()
    return time.process_time() - start, played


# ---- ours


def rows_of_ours() -> Iterator[Row]:
    rules = CompiledRules(Ruleset.booklet().to_dict(), seats=SEATS)
    strategy = resolve("random").bind()

    def compiled(number: int, games: int) -> tuple[float, Played]:
        def play() -> Played:
            rows = play_blocks(
                rules,
                [strategy] * SEATS,
                seed=1,
                first_block=number * games,
                n_blocks=games,
                strategy_ids=[0] * SEATS,
            )
            return games, int(rows["decisions"].sum()), 0

        return timed(play)

    def stepped(number: int, games: int) -> tuple[float, Played]:
        rng = random.Random(number)

        def play() -> Played:
            decisions = listed = 0
            for block in range(number * games, (number + 1) * games):
                game = Game(rules, seed=1, block=block)
                while game.decision is not None:
                    moves = game.moves()
                    decisions += 1
                    listed += len(moves)
                    game.apply(rng.randrange(len(moves)))
            return games, decisions, listed

        return timed(play)

    def count() -> Played:
        return stepped(1_000, 60)[1]

    yield Row("rsc-sim", "Read Sir Chaos", "compiled loop", compiled, count)
    yield Row("rsc-sim", "Read Sir Chaos", "from Python", stepped, count)


# ---- OpenSpiel


def rows_of_open_spiel(pyspiel: ModuleType) -> Iterator[Row]:
    engine = f"OpenSpiel {version('open_spiel')}"
    for name in ("crazy_eights", "go_fish"):
        game = pyspiel.load_game(f"{name}(players={SEATS})")
        yield Row(engine, name, "compiled loop", spiel_bots(pyspiel, game), lambda g=game: spiel_steps(g)(99, 60)[1])
        yield Row(engine, name, "from Python", spiel_steps(game), lambda g=game: spiel_steps(g)(99, 60)[1])


def spiel_steps(game: Any) -> Callable[[int, int], tuple[float, Played]]:
    def stepped(number: int, games: int) -> tuple[float, Played]:
        rng = random.Random(number)

        def play() -> Played:
            decisions = listed = 0
            for _ in range(games):
                state = game.new_initial_state()
                while not state.is_terminal():
                    if state.is_chance_node():
                        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                        state.apply_action(rng.choices(outcomes, weights)[0])
                        continue
                    actions = state.legal_actions()
                    decisions += 1
                    listed += len(actions)
                    state.apply_action(actions[rng.randrange(len(actions))])
            return games, decisions, listed

        return timed(play)

    return stepped


def spiel_bots(pyspiel: ModuleType, game: Any) -> Callable[[int, int], tuple[float, Played]]:
    def compiled(number: int, games: int) -> tuple[float, Played]:
        bots = [pyspiel.make_uniform_random_bot(seat, number * SEATS + seat) for seat in range(SEATS)]
        states = []

        def play() -> Played:
            for i in range(games):
                state = game.new_initial_state()
                pyspiel.evaluate_bots(state, bots, number * games + i)
                states.append(state)
            return games, 0, 0

        seconds, _ = timed(play)
        decisions = sum(step.player >= 0 for state in states for step in state.full_history())
        return seconds, (games, decisions, 0)

    return compiled


# ---- RLCard


def rows_of_rlcard(rlcard: ModuleType) -> Iterator[Row]:
    def stepped(number: int, games: int) -> tuple[float, Played]:
        rng = random.Random(number)
        env = rlcard.make("uno", config={"game_num_players": SEATS, "seed": number})

        def play() -> Played:
            decisions = listed = 0
            for _ in range(games):
                state, _ = env.reset()
                while not env.is_over():
                    actions = list(state["legal_actions"])
                    decisions += 1
                    listed += len(actions)
                    state, _ = env.step(actions[rng.randrange(len(actions))])
            return games, decisions, listed

        return timed(play)

    yield Row(f"RLCard {version('rlcard')}", "uno", "from Python", stepped, lambda: stepped(99, 60)[1])


# ---- all in turns


def optional(module: str, package: str) -> ModuleType | None:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        print(f"{package}: left out, for it does not import ({error}); `pip install {package}` and run again")
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description="Decisions a second beside other engines, in one run and in turns.")
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.4, help="for each row and repeat, about")
    arguments = parser.parse_args()
    if CHECKED:
        raise SystemExit("this is a checked build, whose times mean nothing; build without RSC_SIM_DEBUG")
    rows = list(rows_of_ours())
    if pyspiel := optional("pyspiel", "open_spiel"):
        rows += rows_of_open_spiel(pyspiel)
    if rlcard := optional("rlcard", "rlcard"):
        rows += rows_of_rlcard(rlcard)

    for row in rows:  # as many games a repeat as fill its time
        seconds = 0.0
        while seconds < arguments.seconds / 4:
            row.games *= 2
            seconds, _ = row.play(0, row.games)
        row.games = max(1, int(row.games * arguments.seconds / seconds))
    for repeat in range(arguments.repeats):
        for row in rows:
            seconds, (_, decisions, _) = row.play(repeat + 1, row.games)
            row.per_second.append(decisions / seconds)

    print(f"{SEATS} players, uniform random play, one core; median (slowest – fastest) of {arguments.repeats} in turns")
    print(
        f"{'engine':<16} {'game':<14} {'how':<13} {'decisions/s':>12} {'':<24} {'moves/decision':>14} "
        f"{'decisions/game':>14} {'games/s':>8}"
    )
    for row in rows:
        median = statistics.median(row.per_second)
        spread = f"({min(row.per_second):,.0f} – {max(row.per_second):,.0f})"
        games, decisions, listed = row.listed()
        print(
            f"{row.engine:<16} {row.game:<14} {row.how:<13} {median:>12,.0f} {spread:<24} {listed / decisions:>14.1f} "
            f"{decisions / games:>14.0f} {median * games / decisions:>8,.0f}"
        )


if __name__ == "__main__":
    main()
