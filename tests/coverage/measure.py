"""How often the ranges that the program shows hold the truth: 4,000 runs of 2,000 games, each looked at as by a user.

What is asked was named before anything was measured. Six figures, each in 93.8 to 96.2 % of the runs:

- the win share of `rusher` and that of `guardian`,
- the win share of the first to play,
- what Escape Ticket and what Mine Now change in win share when a seat has them (the causal impact of `rsc cards`),
- the share of games that do not end;

and six quantiles of length, of turns and of rounds, that 10, 50 and 90 % of games do not exceed, each in 93.8 % or
more: lengths are whole numbers, so that an exact level cannot be asked of them.

The games are those of `baseline` with a limit of 40 rounds, at which two or three games in a hundred are cut
off: in 2,000 games some fifty, few, but not so few that their number can take two or three values only.
Games are played on from fewer moments than `rsc cards` does by itself (`MOMENTS`), for time.
Each figure comes from the function that makes it for a run's headline, its places, its ends, its lengths and its cards.

The truth of shares and lengths is a run of five hundred times as many games, that of cards a study of two hundred times
as many, of four times the moments; their seeds are no run's. Runs are kept in `build/coverage` as they are made, a file
for every hundred, and a measurement that was stopped goes on where it was; what code of other figures left is not used.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rsc_sim.analysis import Estimate, Quantile, game_length, how_games_end, win_share_by_place, win_share_by_strategy
from rsc_sim.analysis.causal import card_effects
from rsc_sim.analysis.shares import win_share_by_read_dealt
from rsc_sim.cards import impact_sums
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.frames import games_frame, games_schema
from rsc_sim.jobs import Table

ROOT = Path(__file__).parents[2]
RUNS, GAMES = 4_000, 2_000
FILE_RUNS = 100
MOMENTS = 0.25
"""Moments a game that games are played on from."""
TRUE_GAMES, TRUE_STUDIED, TRUE_MOMENTS = 1_000_000, 400_000, 1.0
TRUE_SEED = 2**40

ASKED = {
    "win share of rusher": (0.938, 0.962),
    "win share of guardian": (0.938, 0.962),
    "win share of the 1st to play": (0.938, 0.962),
    "impact of escape_ticket": (0.938, 0.962),
    "impact of mine_now": (0.938, 0.962),
    "unfinished share": (0.938, 0.962),
    **{f"{share:g} quantile of {unit}": (0.938, 1.0) for unit in ("turns", "rounds") for share in (0.1, 0.5, 0.9)},
}
"""What was named beforehand, with the share of runs that its 95 % range is to hold the truth in."""


@cache
def _described(games: int) -> ResolvedExperiment:
    described = {"lineup": ["rusher", "raider", "collector", "guardian"], "set": {"max_rounds": 40}}
    return Experiment.from_dict({"name": "coverage", **described, "games": games}).resolve()


def experiment(games: int, seed: int) -> ResolvedExperiment:
    """Give what is played: `baseline`, cut off after 40 rounds."""
    return replace(_described(games), seed=seed)


def shares_and_lengths(played: ResolvedExperiment) -> dict[str, Estimate]:
    """Give what a run tells, by name, with its ranges."""
    rows = Table.of(played).rows(0, played.n_blocks, None)
    specs = [strategy.spec for strategy in played.strategies]
    games = games_frame([rows], games_schema(played.seats, specs)).lazy()
    told = {f"win share of {one.who}": one.share for one in win_share_by_strategy(games)}
    places = ("1st", "2nd", "3rd", "4th")
    told |= {f"win share of the {places[int(one.who)]} to play": one.share for one in win_share_by_place(games)}
    told["effect of being dealt Read"] = win_share_by_read_dealt(games)[0].effect
    ends = how_games_end(games)
    told |= {"unfinished share": ends.unfinished} | {f"share stuck: {reason}": it for reason, it in ends.stuck.items()}
    for unit in ("turns", "rounds"):
        told |= {f"{one.share:g} quantile of {unit}": _quantile(one) for one in game_length(games, unit).quantiles}
    return told


def _quantile(one: Quantile) -> Estimate:
    assert not one.at_least
    return one.estimate


def impacts(played: ResolvedExperiment, moments: float) -> dict[str, Estimate]:
    """Give what each kind changes in win share, by name, with its range."""
    sums = impact_sums(played, moments=moments, jobs=1, backend="threading")
    return {f"impact of {one.kind}": one.won for one in card_effects(sums)}


def truth() -> dict[str, float]:
    """Play far more games than a run has, and give what they come to."""
    told = shares_and_lengths(experiment(TRUE_GAMES, TRUE_SEED))
    told |= impacts(experiment(TRUE_STUDIED, TRUE_SEED + 1), TRUE_MOMENTS)
    return {name: one.value for name, one in told.items()}


def runs(names: list[str], first: int, n: int) -> npt.NDArray[np.float64]:
    """Play so many runs, the first of this seed, and give [run, figure, (value, low, high)]."""
    made = np.full((n, len(names), 3), np.nan)
    for i in range(n):
        played = experiment(GAMES, first + i)
        told = {**shares_and_lengths(played), **impacts(played, MOMENTS)}
        made[i] = [(told[name].value, told[name].low, told[name].high) for name in names]
    return made


def state(folder: Path) -> Path:
    """Give the folder of what asks this question and was made by code that gives these figures: a small run's."""
    probe = experiment(400, 7)
    told = {**shares_and_lengths(probe), **impacts(probe, 1.0)}
    figures = [f"{name} {one.value:.6g} {one.low:.6g} {one.high:.6g}" for name, one in told.items()]
    asked = (experiment(GAMES, 1).digest, MOMENTS, TRUE_GAMES, TRUE_STUDIED, TRUE_MOMENTS, *figures)
    return folder / hashlib.sha256(repr(asked).encode()).hexdigest()[:16]


def measure(folder: Path, n_runs: int = RUNS) -> dict[str, Any]:
    """Measure, or go on measuring, and give what came of it."""
    folder = state(folder)
    folder.mkdir(parents=True, exist_ok=True)
    true_file, began = folder / "truth.json", time.process_time()
    if not true_file.is_file():
        _write(true_file, json.dumps(truth(), indent=1).encode())
    true: dict[str, float] = json.loads(true_file.read_text())
    made = np.concatenate(list(_parts(folder, list(true), n_runs)))
    seconds = _spent(folder, time.process_time() - began)
    held = {name: _held(made[:, i], value) for i, (name, value) in enumerate(true.items())}
    kinds = [held[name]["held"] for name in held if name.startswith("impact of ")]
    return {
        "question": "how often do the 95 % ranges that a run and a study of cards show hold the truth?",
        "experiment": "baseline with max_rounds = 40",
        "runs": n_runs,
        "games_a_run": GAMES,
        "moments_a_game": MOMENTS,
        "games_behind_the_truth": {
            "of shares and lengths": TRUE_GAMES, "of cards": TRUE_STUDIED, "moments of those": TRUE_MOMENTS,
        },
        "processor_seconds": seconds,
        "asked": {name: {"asked": list(band), **held[name]} for name, band in ASKED.items()},
        "all_kinds_of_card": {"held_on_average": float(np.mean(kinds)), "least": min(kinds), "most": max(kinds)},
        "not_asked": {name: told for name, told in held.items() if name not in ASKED},
    }  # fmt: skip


def _parts(folder: Path, names: list[str], n_runs: int) -> Iterator[npt.NDArray[np.float64]]:
    for first in range(1, n_runs + 1, FILE_RUNS):
        n, file = min(FILE_RUNS, n_runs + 1 - first), folder / f"runs-{first:05}.npy"
        if not file.is_file():
            began = time.process_time()
            made = runs(names, first, n)
            with (beside := file.with_suffix(".part")).open("wb") as out:
                np.save(out, made)
            beside.replace(file)
            print(f"runs {first} to {first + n - 1}: {time.process_time() - began:.0f} s", flush=True)
        yield np.load(file)


def _spent(folder: Path, seconds: float) -> int:
    """Add up what every sitting took."""
    file = folder / "seconds.txt"
    total = seconds + (float(file.read_text()) if file.is_file() else 0.0)
    _write(file, str(total).encode())
    return round(total)


def _write(file: Path, data: bytes) -> None:
    beside = file.with_suffix(".part")
    beside.write_bytes(data)
    beside.replace(file)


def _held(made: npt.NDArray[np.float64], true: float) -> dict[str, Any]:
    """Count in how many runs the range held the truth; where not, whether it lay above or below it."""
    value, low, high = made.T
    below, above = high < true, low > true
    return {
        "truth": true,
        "held": float(np.mean(~(below | above))),
        "range_below": float(np.mean(below)),
        "range_above": float(np.mean(above)),
        "estimates_less_truth": float(value.mean() - true),
        "half_the_range": float((high - low).mean() / 2),
        "spread_of_estimates_times_1_96": 1.96 * float(value.std(ddof=1)),
    }
