"""A small study of the feel of a game, played once for all tests that read it."""

from __future__ import annotations

import pytest

from rsc_sim.experiment import Experiment
from rsc_sim.feel import FeelStudy, study_feel


@pytest.fixture(scope="session")
def study() -> FeelStudy:
    """Give a study of three strategies, one of which draws its moves by lot, of 1,500 games."""
    described = Experiment.from_dict({"name": "small", "lineup": ["collector", "random", "raider"], "games": 1_500})
    return study_feel(described.resolve(), jobs=2)
