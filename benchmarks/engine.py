"""What a decision costs.

    python benchmarks/engine.py [LINEUP]…        a lineup is `random`, or `rusher,raider,collector,guardian`

One core, everything on (view, strategy pointer, move set, trace, rows). Engine and a fixed C kernel take turns, because
a shared machine changes its speed within seconds: compare ratios, not nanoseconds, and read the median with its spread.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from rsc_sim.engine import CHECKED, CompiledRules, Game, distinct_rotations, play_blocks
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve, split_lineup

SHUFFLES = 100_000


def load_kernel() -> ctypes.CDLL:
    """Compile the C kernel into a temporary folder and load it."""
    folder = tempfile.mkdtemp()
    library = Path(folder) / "kernel.so"
    source = Path(__file__).with_name("kernel.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    kernel = ctypes.CDLL(str(library))
    kernel.kernel.restype = ctypes.c_uint64
    kernel.kernel.argtypes = [ctypes.c_uint64]
    return kernel


def legal_moves(rules: CompiledRules, lineup: list[object], games: int) -> float:
    """Count the legal moves of a decision, on average over some games."""
    listed = decisions = 0
    for block in range(games):
        game = Game(rules, seed=1, block=block)
        while game.decision is not None:
            listed += len(game.moves())
            decisions += 1
            game.apply(game.choose(lineup[game.seat]))
    return listed / decisions


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the engine: ns a decision, beside a fixed C kernel.")
    parser.add_argument("lineups", nargs="*", default=["random", "collector", "rusher,raider,collector,guardian"])
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=21)
    parser.add_argument("--decisions", type=int, default=1_500_000, help="decisions a repeat, about")
    arguments = parser.parse_args()
    if CHECKED:
        raise SystemExit("this is a checked build, whose times mean nothing; build without RSC_SIM_DEBUG")
    kernel = load_kernel()
    rules = CompiledRules(Ruleset.booklet().to_dict(), seats=arguments.seats)
    print(f"{arguments.seats} seats, booklet deck, one core; median (fastest – slowest) of {arguments.repeats} repeats")
    for text in arguments.lineups:
        specs = split_lineup(text)
        specs = [specs[seat % len(specs)] for seat in range(arguments.seats)]
        lineup = [resolve(spec).bind() for spec in specs]
        ids = [specs.index(spec) for spec in specs]
        probe = play_blocks(rules, lineup, seed=1, first_block=0, n_blocks=2000, strategy_ids=ids)
        per_game = float(probe["decisions"].mean())
        blocks = max(1, int(arguments.decisions / per_game / distinct_rotations(ids)))
        engine_ns, kernel_ns = [], []
        for _ in range(arguments.repeats):
            start = time.process_time_ns()
            rows = play_blocks(rules, lineup, seed=1, first_block=0, n_blocks=blocks, strategy_ids=ids)
            engine_ns.append((time.process_time_ns() - start) / int(rows["decisions"].sum()))
            start = time.process_time_ns()
            kernel.kernel(SHUFFLES)
            kernel_ns.append((time.process_time_ns() - start) / SHUFFLES)
        ratios = [a / b for a, b in zip(engine_ns, kernel_ns, strict=True)]
        median = statistics.median(engine_ns)
        print(
            f"{text}\n{'':4}{median:6.1f} ns a decision ({min(engine_ns):.1f} – {max(engine_ns):.1f}), "
            f"{1e3 / median:.1f} M decisions/s, {1e9 / median / per_game:,.0f} games/s, "
            f"{per_game:.0f} decisions a game, "
            f"{legal_moves(rules, lineup, 60):.1f} legal moves a decision"
        )
        print(
            f"{'':4}{statistics.median(kernel_ns):6.1f} ns the C kernel's shuffle "
            f"({min(kernel_ns):.1f} – {max(kernel_ns):.1f}); "
            f"ratio {statistics.median(ratios):.3f} ({min(ratios):.3f} – {max(ratios):.3f})"
        )


if __name__ == "__main__":
    main()
