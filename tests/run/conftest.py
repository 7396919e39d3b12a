"""A small experiment of several leaves: 2 seats, one strategy, so that a leaf is 4,096 quick games."""

from __future__ import annotations

import pytest

from rsc_sim.experiment import Experiment, ResolvedExperiment


@pytest.fixture(scope="session")
def small() -> ResolvedExperiment:
    """Give 9,000 games in 3 leaves, the last of them short."""
    return Experiment.from_dict({"name": "small", "lineup": ["collector", "collector"], "games": 9_000}).resolve()
