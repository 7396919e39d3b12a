"""How often the gate errs, measured: on resampled differences of real games, and end to end.

    python -m pytest -m slow tests/check -n 2

Some 15 minutes on 2 cores; the result goes to reports/check/error_rates.json.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import beta

from rsc_sim.baseline import Baseline
from rsc_sim.check import check
from rsc_sim.experiment import Experiment, Margins, ResolvedExperiment
from rsc_sim.metrics import BlockMetrics, watched
from rsc_sim.pairing import paired
from rsc_sim.runner import available_jobs, play
from rsc_sim.sequential import Gate
from rsc_sim.tables import play_tables, spans

pytestmark = pytest.mark.slow

REPORT = Path(__file__).parents[2] / "reports" / "check" / "error_rates.json"
REPLICATIONS = 2_000
MOST = 40_000
"""Blocks at which a resampled check gives up: 160,000 games a side."""
POOL = 60_000
"""Real blocks that are resampled from."""


def at_most(errors: int, n: int) -> float:
    """Upper 95 % bound of a rate (Clopper and Pearson 1934)."""
    return 1.0 if errors == n else float(beta.ppf(0.95, errors + 1, n - errors))


def note(**found: Any) -> None:
    """Add to the report; each test writes what it measured."""
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    there = json.loads(REPORT.read_text()) if REPORT.is_file() else {}
    REPORT.write_text(json.dumps(dict(sorted({**there, **found}.items())), indent=1) + "\n")


@pytest.fixture(scope="module")
def baseline() -> ResolvedExperiment:
    return Experiment.load("baseline").resolve()


@pytest.fixture(scope="module")
def pool(baseline: ResolvedExperiment) -> npt.NDArray[np.float64]:
    """Block differences of real games, a slight change of rules against none, with their means taken off."""
    from rsc_sim.jobs import Stop

    changed = Experiment.load("baseline").changed(overrides={"escape_threshold": 950}).resolve()
    found = []
    with Stop() as stop:
        for span in play_tables(
            paired([baseline, changed]),
            BlockMetrics.of(baseline),
            over=spans(0, POOL),
            jobs=available_jobs(),
            stop=stop,
        ):
            before, now = span.results
            found.append(now - before)
    differences = np.vstack(found)
    return differences - differences.mean(axis=0)


@pytest.mark.parametrize("key", ["win_share.strategy.collector", "turns", "unfinished"])
def test_resampled_differences(baseline: ResolvedExperiment, pool: npt.NDArray[np.float64], key: str) -> None:
    metrics = watched(baseline, baseline.margins)
    scale = np.array([70.0 if metric.relative else 1.0 for metric in metrics])
    bound = np.array([metric.bound for metric in metrics]) / scale
    margins = np.array([metric.margin for metric in metrics])
    moved = next(i for i, metric in enumerate(metrics) if metric.key == key)
    values = pool / scale
    rng = np.random.default_rng([2024, moved])
    found: dict[str, dict[str, int]] = {}
    blocks = []
    for times in (0, 1, 2):
        shifted = values.copy()
        shifted[:, moved] += times * margins[moved]
        counts = {"unchanged": 0, "changed": 0, "undecided": 0}
        for _ in range(REPLICATIONS):
            gate = Gate(margins, bound=bound, most=MOST)
            while not gate.done:
                gate.add(shifted[rng.integers(0, len(shifted), size=4_000)])
            counts[gate.verdict] += 1
            blocks.append(gate.sums.n)
        found[f"{times} margins"] = counts
    wrong = found["1 margins"]["changed"] + found["1 margins"]["unchanged"]
    note(
        **{
            f"resampled: {key}": {
                "replications": REPLICATIONS,
                "figures_watched": len(metrics),
                "verdicts": found,
                "wrong_at_the_margin_at_most": round(at_most(wrong, REPLICATIONS), 4),
                "median_blocks": int(np.median(blocks)),
            }
        }
    )
    assert at_most(wrong, REPLICATIONS) <= 0.05
    assert found["2 margins"]["changed"] >= 0.95 * REPLICATIONS
    assert found["0 margins"]["unchanged"] >= 0.95 * REPLICATIONS


def test_200_checks_of_nothing_on_other_seeds(baseline: ResolvedExperiment) -> None:
    counts = {"unchanged": 0, "changed": 0, "undecided": 0}
    games = []
    for i in range(200):
        there = dataclasses.replace(baseline, seed=10_000 + 2 * i)
        result = check(Baseline("rules", "A", there), dataclasses.replace(there, seed=10_001 + 2 * i))
        counts[result.verdict] += 1
        games.append(result.n_games)
    note(
        **{
            "end to end: no change, other seeds": {
                "checks": 200,
                "verdicts": counts,
                "median_games": int(np.median(games)),
            }
        }
    )
    assert at_most(counts["changed"], 200) <= 0.05
    assert counts["unchanged"] >= 190


def test_100_checks_of_a_change_of_twice_the_margin(baseline: ResolvedExperiment) -> None:
    described = Experiment.load("baseline").changed(overrides={"escape_threshold": 900})
    changed = described.resolve()
    # What the change does, from ten times the games of a check, on seeds that no check uses.
    turns = [
        play(dataclasses.replace(side, seed=5, n_blocks=50_000)).games.select("turns").collect()["turns"].clip(0, 160)
        for side in (baseline, changed)
    ]
    effect = float(turns[1].mean() / turns[0].mean() - 1)  # type: ignore[operator]
    margins = Margins(win_share=0.05, turns=round(abs(effect) / 2, 4), unfinished=0.02)
    counts = {"unchanged": 0, "changed": 0, "undecided": 0}
    games = []
    for i in range(100):
        there, now = (dataclasses.replace(side, seed=30_000 + i) for side in (baseline, changed))
        result = check(Baseline("rules", "A", there), now, margins=margins)
        counts[result.verdict] += 1
        games.append(result.n_games)
    note(
        **{
            "end to end: escape_threshold 900": {
                "checks": 100,
                "effect_on_turns": round(effect, 4),
                "margin": margins.turns,
                "verdicts": counts,
                "median_games": int(np.median(games)),
            }
        }
    )
    assert counts["changed"] >= 95
    assert counts["unchanged"] == 0
