"""The project's own baselines: every bundled experiment plays the games that its reference in `reports/` keeps.

A change of engine, strategies or rules shows itself here. If it is meant: `rsc check reports/NAME --accept`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rsc_sim.baseline import open_baseline
from rsc_sim.check import check, find_candidate
from rsc_sim.check_result import answer
from rsc_sim.experiment import Experiment, bundled

REPORTS = Path(__file__).parents[2] / "reports"
REFERENCES = sorted(path.parent.name for path in REPORTS.glob("*/traces.parquet"))


@pytest.mark.parametrize("name", REFERENCES)
def test_the_games_are_those_of_the_reference(name: str) -> None:
    there = open_baseline(str(REPORTS / name))
    now, called = find_candidate(there, None)
    result = check(there, now, name=called, max_games=50_000)
    assert (result.verdict, result.level) == ("unchanged", "exact"), answer(result)
    assert len(there.golden()) == 20


def test_every_bundled_experiment_has_a_reference() -> None:
    """Its own, or, where its base point is another's to the last figure, that one's: the games would be the same."""
    essences = []
    for name in REFERENCES:
        essence = open_baseline(str(REPORTS / name)).experiment.essence()
        del essence["n_blocks"]
        essences.append(essence)
    for name in bundled():
        essence = Experiment.load(name).resolve().essence()
        del essence["n_blocks"]
        assert name in REFERENCES or essence in essences, f"rsc check reports/{name} --accept"
