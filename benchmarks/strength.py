"""How strong `search` is: one seat of it against three others, all rotations, win share with its interval.

    python benchmarks/strength.py --out reports/strength/search [--blocks 100] [--fields collector ...] [--clairvoyant]

Writes `search.csv` and `search.md`. Equal players win 25 % each at four seats. Intervals are Wilson's on deals, 95 %.
A field is one strategy, three times, or three of them with commas between. `--clairvoyant` adds a search that sees all
cards (`clairvoyant.py`): what knowing could bring. The same arguments give the same figures on any machine.
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
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve, split_lineup

SEATS = 4
PLAYERS = ("search(playouts=50)", "search(playouts=200)", "search(playouts=800)")
FIELDS = ("collector", "rusher", "raider", "guardian", "rusher,raider,guardian")
CHUNK = 10  # blocks


def bound(spec: str) -> object:
    if not spec.startswith("clairvoyant"):
        return resolve(spec).bind()
    sys.path.insert(0, str(Path(__file__).parent))
    from clairvoyant import clairvoyant

    return clairvoyant()


def play(task: tuple[str, str, int, int, int]) -> np.ndarray:
    """Give the win share of the player in each of some blocks."""
    player, field, seed, first, n = task
    others = (split_lineup(field) * SEATS)[: SEATS - 1]
    rules = CompiledRules(Ruleset.booklet().to_dict(), seats=SEATS)
    lineup = [bound(player), *(bound(spec) for spec in others)]
    ids = list(range(SEATS))  # the player sits on each seat in turn
    rows = play_blocks(rules, lineup, seed=seed, first_block=first, n_blocks=n, strategy_ids=ids)
    won = sum(np.where(rows[f"strategy_{seat}"] == 0, rows[f"won_{seat}"], 0) for seat in range(SEATS))
    return won.reshape(n, -1).mean(axis=1)


def wilson(shares: np.ndarray) -> tuple[float, float, float]:
    """Give a mean of block means with Wilson's interval (1927) for as many games as their variance is worth."""
    share, z = float(shares.mean()), 1.959964
    n = share * (1 - share) / (float(shares.var(ddof=1)) / len(shares)) if 0 < share < 1 else len(shares)
    centre, half = share + z * z / (2 * n), z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    return share, (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="path without an ending")
    parser.add_argument("--players", nargs="+", default=list(PLAYERS))
    parser.add_argument("--fields", nargs="+", default=list(FIELDS))
    parser.add_argument("--blocks", type=int, default=250, help="deals, four games each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--clairvoyant", action="store_true")
    parser.add_argument("--title", default="How strong search is")
    arguments = parser.parse_args()
    players = [*arguments.players, *(["clairvoyant search(playouts=200)"] if arguments.clairvoyant else [])]
    found = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for field in arguments.fields:
            for player in players:
                starts = range(0, arguments.blocks, CHUNK)
                tasks = [
                    (player, field, arguments.seed, first, min(CHUNK, arguments.blocks - first)) for first in starts
                ]
                share, low, high = wilson(np.concatenate(list(pool.map(play, tasks))))
                found.append((player, field, SEATS * arguments.blocks, share, low, high))
                print(f"{player:34} against {field:26} {share:6.1%} ({low:.1%} to {high:.1%})", flush=True)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["player", "against", "games", "win_share", "low", "high"])
        writer.writerows((*row[:3], *(f"{x:.4f}" for x in row[3:])) for row in found)
    command = f"python benchmarks/strength.py {shlex.join(sys.argv[1:])}"
    lines = [
        f"# {arguments.title}",
        "",
        f"One seat against three, {SEATS} seats, the booklet's rules, every rotation of every deal; equal players win",
        "25 %. 95 % intervals by deals. Made by",
        "```",
        command,
        "```",
        "| player | against three of | games | win share | 95 % interval |",
        "|---|---|---|---|---|",
        *(f"| {p} | {f} | {n:,} | {s:.1%} | {a:.1%} to {b:.1%} |" for p, f, n, s, a, b in found),
    ]
    if arguments.clairvoyant:
        lines += [
            "",
            "The clairvoyant search sees every hand and the order of the pick-up pile. It is no strategy (nothing in",
            "the registry can do it) and shows what knowing could bring.",
        ]
    arguments.out.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
