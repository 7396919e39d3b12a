"""What strategies cost, each way in: decisions a second a core, beside what is asked for.

    python benchmarks/strategies.py [CASE]…        `--help` lists them

Four seats, booklet deck, one core, processor time, all that a game leaves behind kept as a row. Each case and a fixed C
kernel take turns, because a shared machine changes its speed within seconds: compare ratios, not nanoseconds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rsc_sim.engine import CHECKED, CompiledRules, play_blocks
from rsc_sim.features import FEATURES
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve

sys.path.insert(0, str(Path(__file__).parent))
from engine import SHUFFLES, load_kernel

SENSE = {"escape_wins": 50.0, "value_gained": 4, "reaches_threshold": 6, "gains_read": 2, "plays": 0.625, "draws": 1}
WEIGHTS = np.array([SENSE.get(name, 1 / 64) for name in FEATURES], dtype=np.float32)


def trivial(view: Any, moves: Any) -> int:
    """Make the first move: what asking costs, and nothing else."""
    return 0


def scans(view: Any, moves: Any) -> int:
    """Table what is worth most, else make the last move: looks at every move."""
    best, worth = len(moves) - 1, -1
    for i, move in enumerate(moves):
        if move.verb == "table" and move.value > worth:
            best, worth = i, move.value
    return best


def numpy(batch: Any) -> Any:
    """Score all moves by one product with a matrix."""
    return batch.features @ WEIGHTS


class Case(NamedTuple):
    """A lineup, and what is asked for of it."""

    lineup: tuple[str | Callable[..., Any], ...]
    wanted: float
    unit: str
    """`decisions` or `games`, a second."""
    blocks: int
    """A repeat; of the batched one whole groups, of 1,024 games."""


CASES = {
    "trivial": Case((trivial,) * 4, 2e6, "decisions", 2_000),
    "scans": Case((scans,) * 4, 3e5, "decisions", 400),
    "numpy": Case((numpy,) * 4, 2e6, "decisions", 6 * 1_024),
    "weighted": Case(("tuned",) * 4, 4e6, "decisions", 10_000),
    "search": Case(("search(playouts=200)", "rusher", "raider", "collector"), 25, "games", 4),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Time strategies: decisions or games a second, beside a C kernel.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; all unless told")
    parser.add_argument("--repeats", type=int, default=21)
    arguments = parser.parse_args()
    if CHECKED:
        raise SystemExit("this is a checked build, whose times mean nothing; build without RSC_SIM_DEBUG")
    if unknown := set(arguments.cases) - CASES.keys():
        raise SystemExit(f"no such case: {', '.join(sorted(unknown))}; there are: {', '.join(CASES)}")
    kernel = load_kernel()
    rules = CompiledRules(Ruleset.booklet().to_dict(), seats=4)
    print(f"4 seats, booklet deck, one core; median (slowest – fastest) of {arguments.repeats} repeats in turns")
    print(f"{'case':10}{'a second':>44}{'asked for':>12}{'ns a decision':>15}{'of the C kernel':>25}")
    for name in arguments.cases or CASES:
        case = CASES[name]
        lineup = [resolve(entry) for entry in case.lineup]
        specs = [strategy.spec for strategy in lineup]
        bound = {strategy.spec: strategy.bind() for strategy in lineup}
        ids = [specs.index(spec) for spec in specs]
        rates, each, ratios = [], [], []
        for repeat in range(arguments.repeats + 1):
            start = time.process_time_ns()
            rows = play_blocks(
                rules, [bound[spec] for spec in specs], seed=1, first_block=0, n_blocks=case.blocks, strategy_ids=ids
            )
            taken = time.process_time_ns() - start
            start = time.process_time_ns()
            kernel.kernel(SHUFFLES)
            of_kernel = (time.process_time_ns() - start) / SHUFFLES
            decisions = int(rows["decisions"].sum())
            if repeat:  # the first warms up
                rates.append((decisions if case.unit == "decisions" else len(rows)) / taken * 1e9)
                each.append(taken / decisions)
                ratios.append(each[-1] / of_kernel)
        figures = f"{statistics.median(rates):,.0f} ({min(rates):,.0f} – {max(rates):,.0f}) {case.unit}"
        spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} – {max(ratios):.2f})"
        print(f"{name:10}{figures:>44}{case.wanted:>12,.0f}{statistics.median(each):>15,.0f}{spread:>25}", flush=True)


if __name__ == "__main__":
    main()
