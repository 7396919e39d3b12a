"""What each weight of a strategy is worth: win share lost or won where one is moved and the others stay.

    python benchmarks/weights.py --out reports/strength/weights [--weights strategies/tuned.toml] [--step 0.7]

One seat against three of a field, 4 seats, the booklet's rules, every rotation of every deal; each moved weight plays
the deals that the weights as they are play, so that differences are paired. Writes `weights.csv` and `weights.md`. The
same arguments give the same figures on any machine.
"""

from __future__ import annotations

import argparse
import csv
import shlex
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from rsc_sim.engine import CompiledRules, play_blocks
from rsc_sim.features import FEATURES
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve
from rsc_sim.weights import Weights, load

SEATS = 4
FIELDS = ("raider", "guardian", "collector")


def shares(task: tuple[tuple[float, ...], str, int, int]) -> np.ndarray:
    """Give the win share, block by block, of a seat with some weights against three of a field."""
    vector, field, seed, blocks = task
    rules = CompiledRules(Ruleset.booklet().to_dict(), seats=SEATS)
    lineup = [Weights.of_vector(vector, name="moved", description="").bind(), *[resolve(field).bind()] * (SEATS - 1)]
    ids = [0, *[1] * (SEATS - 1)]
    rows = play_blocks(rules, lineup, seed=seed, first_block=0, n_blocks=blocks, strategy_ids=ids)
    won = sum(np.where(rows[f"strategy_{seat}"] == 0, rows[f"won_{seat}"], 0) for seat in range(SEATS))
    return won.reshape(blocks, -1).mean(axis=1, dtype=np.float64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="path without an ending")
    parser.add_argument("--weights", type=Path, default=Path("strategies/tuned.toml"))
    parser.add_argument("--fields", nargs="+", default=list(FIELDS))
    parser.add_argument("--step", type=float, default=0.7, help="how far a weight is moved, up and down")
    parser.add_argument("--blocks", type=int, default=25_000, help="deals, four games each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    weights = load(arguments.weights)
    start = tuple(weights.vector)
    moved = [(name, sign * arguments.step) for name in FEATURES for sign in (1, -1)]
    vectors = [start]
    vectors += [tuple(w + by * (f == name) for f, w in zip(FEATURES, start, strict=True)) for name, by in moved]
    tasks = [(vector, field, arguments.seed, arguments.blocks) for vector in vectors for field in arguments.fields]
    n = len(arguments.fields)
    found, before = [], np.empty(0)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        results = pool.map(shares, tasks)
        for number in range(len(vectors)):
            mine = np.mean([next(results) for _ in range(n)], axis=0)  # by deals, which the fields share
            if not number:
                before = mine
                continue
            change = 100 * (mine - before)
            error = 1.959964 * float(change.std(ddof=1)) / len(change) ** 0.5
            found.append((*moved[number - 1], float(change.mean()), error))
            print(f"{found[-1][0]:20} {found[-1][1]:+.2f} {found[-1][2]:+.3f} ± {error:.3f} points", flush=True)
    write(arguments, weights, before, found)


def write(
    arguments: argparse.Namespace, weights: Weights, before: np.ndarray, found: list[tuple[str, float, float, float]]
) -> None:
    """Write what was found, as CSV and as a page."""
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["weight", "moved", "points", "half_width"])
        writer.writerows((name, f"{by:g}", f"{change:.4f}", f"{error:.4f}") for name, by, change, error in found)
    up = {name: (change, error) for name, by, change, error in found if by > 0}
    down = {name: (change, error) for name, by, change, error in found if by < 0}
    worth = sorted(up, key=lambda name: min(up[name][0], down[name][0]))
    won = sum(change - error > 0 for _, _, change, error in found)
    lost = sum(change + error < 0 for _, _, change, error in found)
    best = max(found, key=lambda one: one[2])
    fields, games = ", ".join(arguments.fields), SEATS * arguments.blocks
    lines = [
        f"# What each weight of `{weights.name}` is worth",
        "",
        f"What its win share changes by, in points, where one weight is moved by {arguments.step:g} and the others",
        f"stay: one seat against three of {fields}, {games:,} games against each, on the same deals;",
        f"as it is it wins {100 * before.mean():.2f} %. 95 % intervals by deals. Made by",
        "```",
        f"python benchmarks/weights.py {shlex.join(sys.argv[1:])}",
        "```",
        f"Of {len(found)} moves {lost} lose and {won} win beyond their range, the best of them {best[2]:+.2f} points "
        f"(`{best[0]}` {best[1]:+g}).",
        "",
        "| weight | as it is | moved up | moved down |",
        "|---|---:|---:|---:|",
    ]
    now = dict(zip(FEATURES, weights.vector, strict=True))
    for name in worth:
        cells = (f"{change:+.2f} ± {error:.2f}" for change, error in (up[name], down[name]))
        lines.append(f"| {name} | {now[name]:g} | {' | '.join(cells)} |")
    arguments.out.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
