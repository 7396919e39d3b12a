"""Small studies of cards, played once for all tests that read them."""

from __future__ import annotations

import pytest

from rsc_sim.cards import CardStudy, study_cards
from rsc_sim.experiment import Experiment


@pytest.fixture(scope="session")
def study() -> CardStudy:
    """Give a study of two strategies, of 1,600 games, with decks of a copy more and less."""
    described = Experiment.from_dict({"name": "small", "lineup": ["collector", "raider"], "games": 1_600})
    return study_cards(described.resolve(), jobs=2)
