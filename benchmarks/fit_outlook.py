"""Fit the outlook of `search`: from positions of many games to the network in `rsc_sim/outlook.toml`.

    python benchmarks/fit_outlook.py --out rsc_sim/outlook.toml --players tuned tuned tuned hoarder raider --games 40000

Plays games of four by players drawn for each seat, and fits the chances to win at some put-downs to who won, by
softmax over the seats and Adam (Kingma and Ba 2015) on the cross-entropy. A tenth of the positions, the last ones, is
held out and told. `kept`, where cards lie that a seat does not see, comes from games of the first player alone. The
file says by which command it was made. `--start` goes on from a file, so that it can be fitted in rounds, to `search`
too.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from rsc_sim.positions import kept, positions

from rsc_sim.engine import CompiledRules
from rsc_sim.outlook import KEPT, SIGNS, UNITS, read
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve

ARCHETYPES = ("collector", "rusher", "raider", "guardian")
SHAPES = {
    "linear": (len(SIGNS),),
    "own": (len(SIGNS), UNITS),
    "other": (len(SIGNS), UNITS),
    "mixed": (UNITS, UNITS),
    "own_bias": (UNITS,),
    "other_bias": (UNITS,),
    "score": (UNITS,),
}
CHUNK, BATCH, KEPT_GAMES = 100, 512, 3_000
Network = dict[str, np.ndarray]


def play(task: tuple[tuple[str, ...], int, int]) -> tuple[np.ndarray, np.ndarray]:
    players, seed, first = task
    rules = CompiledRules(Ruleset.booklet().to_dict(), seats=4)
    strategies = [resolve(player).bind() for player in players]
    signs, won, _ = positions(rules, strategies, seed=seed, first_block=first, n_games=CHUNK)
    return signs, won


def odds_kept(player: str, seed: int, games: int) -> dict[str, int]:
    """Give, by class of cards, the odds of a hand over the pick-up pile against all other cards, in thousandths."""
    rules = CompiledRules(Ruleset.booklet().to_dict(), seats=4)
    sums = kept(rules, [resolve(player).bind()], seed=seed, first_block=0, n_games=games)
    named = [(name, *both) for name, both in zip(KEPT, sums, strict=True) if not name.startswith("unused")]
    return {name: round(1000 * held / piled) if piled else 1000 for name, held, piled in named}


def forward(net: Network, x: np.ndarray) -> tuple[np.ndarray, ...]:
    """Give what each seat shows, what it takes in of the others, its units, and the chances of all seats."""
    shown = np.maximum(x @ net["other"] + net["other_bias"], 0)
    others = shown.sum(axis=1, keepdims=True) - shown
    units = np.maximum(x @ net["own"] + net["own_bias"] + others @ net["mixed"], 0)
    scores = units @ net["score"] + x @ net["linear"]
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shown, others, units, chances / chances.sum(axis=1, keepdims=True)


def gradients(net: Network, x: np.ndarray, won: np.ndarray) -> Network:
    shown, others, units, chances = forward(net, x)
    d_score = (chances - won) / len(x)
    d_units = d_score[..., None] * net["score"] * (units > 0)
    d_others = d_units @ net["mixed"].T
    d_shown = (d_others.sum(axis=1, keepdims=True) - d_others) * (shown > 0)
    rows = x.reshape(-1, x.shape[2])
    return {
        "linear": np.einsum("bk,bkf->f", d_score, x),
        "own": rows.T @ d_units.reshape(-1, UNITS),
        "other": rows.T @ d_shown.reshape(-1, UNITS),
        "mixed": others.reshape(-1, UNITS).T @ d_units.reshape(-1, UNITS),
        "own_bias": d_units.sum(axis=(0, 1)),
        "other_bias": d_shown.sum(axis=(0, 1)),
        "score": np.einsum("bk,bku->u", d_score, units),
    }


def surprise(net: Network, x: np.ndarray, won: np.ndarray) -> float:
    """Give the mean cross-entropy; not knowing anything it is log 4 = 1.386 at four seats."""
    return float(-(np.log(forward(net, x)[-1] + 1e-12) * won).sum(axis=1).mean())


def fit(net: Network, x: np.ndarray, won: np.ndarray, *, epochs: int, seed: int) -> Network:
    rng = np.random.default_rng(seed)
    n = len(x) * 9 // 10
    mean = {part: np.zeros_like(numbers) for part, numbers in net.items()}
    square = {part: np.zeros_like(numbers) for part, numbers in net.items()}
    steps = epochs * (n // BATCH)
    step = 0
    for epoch in range(epochs):
        for batch in np.array_split(rng.permutation(n)[: n // BATCH * BATCH], n // BATCH):
            step += 1
            rate = 1.5e-3 * (1 + np.cos(np.pi * step / steps)) + 1e-5
            for part, gradient in gradients(net, x[batch], won[batch]).items():
                mean[part] = 0.9 * mean[part] + 0.1 * gradient
                square[part] = 0.999 * square[part] + 0.001 * gradient**2
                moved = mean[part] / (1 - 0.9**step) / (np.sqrt(square[part] / (1 - 0.999**step)) + 1e-8)
                net[part] = net[part] - rate * moved
        print(f"epoch {epoch + 1}: {surprise(net, x[n:], won[n:]):.4f} on positions held out", flush=True)
    return net


def thousandths(numbers: np.ndarray) -> list[int]:
    return [round(float(number) * 1000) for number in numbers]


def text_of(net: Network, odds: dict[str, int], how: str) -> str:
    lines = [
        "# The network of `search` (rsc_sim/outlook.pxd), in whole thousandths: how much each sign of a seat counts.",
        f"# {how}",
        f"#     python benchmarks/fit_outlook.py {' '.join(sys.argv[1:])}",
        "",
        *(f"{part} = {thousandths(net[part])}" for part in ("own_bias", "other_bias", "score")),
        "mixed = [",
        *(f"    {thousandths(row)}," for row in net["mixed"]),
        "]",
    ]
    for i, name in enumerate(SIGNS):
        if not name.startswith("unused"):
            lines += ["", f"[signs.{name}]", f"linear = {thousandths(net['linear'][i : i + 1])[0]}"]
            lines += [f"{part} = {thousandths(net[part][i])}" for part in ("own", "other")]
    lines += ["", "[kept]", *(f"{name} = {number}" for name, number in odds.items())]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--players", nargs="+", default=list(ARCHETYPES))
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--start", type=Path, help="numbers to go on from")
    arguments = parser.parse_args()
    tasks = [(tuple(arguments.players), arguments.seed, first) for first in range(0, arguments.games, CHUNK)]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        played = list(pool.map(play, tasks))
    x, won = (np.concatenate([part[i] for part in played]) for i in range(2))
    rng = np.random.default_rng(arguments.seed)
    net: Network = {part: rng.normal(0, 0.1, shape).astype(np.float32) for part, shape in SHAPES.items()}
    if arguments.start is not None:
        flat = np.array(read(arguments.start.read_text(encoding="utf-8")), dtype=np.float32)
        for part, shape in SHAPES.items():
            net[part], flat = flat[: np.prod(shape)].reshape(shape), flat[np.prod(shape) :]
    net = fit(net, x, won, epochs=arguments.epochs, seed=arguments.seed)
    how = f"Fitted to {len(x):,} positions of {arguments.games:,} games by"
    odds = odds_kept(arguments.players[0], arguments.seed, KEPT_GAMES)
    arguments.out.write_text(text_of(net, odds, how), encoding="utf-8")


if __name__ == "__main__":
    main()
