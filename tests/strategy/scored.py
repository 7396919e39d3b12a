"""Batched strategies for the tests, good ones and bad ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsc_sim.features import FEATURES

SENSE = {"escape_wins": 50.0, "value_gained": 4, "reaches_threshold": 6, "gains_read": 2, "plays": 0.625, "draws": 1}
WEIGHTS = np.array([SENSE.get(name, 1 / 64) for name in FEATURES], dtype=np.float32)
"""Parts of a power of two, as features are: scores are exact, whatever the order of their sums."""
KEPT: list[Any] = []


def linear(batch: Any, *, scale: float = 1.0) -> Any:
    """Score moves by a linear function of their features."""
    return batch.features @ (WEIGHTS * np.float32(scale))


def noisy(batch: Any) -> Any:
    """The same with noise from the seats' own streams, in double precision."""
    return batch.features @ WEIGHTS.astype(np.float64) + batch.random()


def wrong(batch: Any, *, how: str = "shape") -> Any:
    """Answer nonsense once a game is well under way."""
    scores = linear(batch)
    if batch.turn.max() < 12:
        return scores
    if how == "nan":
        scores[batch.owner == int(batch.turn.argmax())] = np.nan
        return scores
    if how == "raises":
        raise LookupError("no idea")
    answers = {"shape": scores[:-1], "matrix": scores[:, None], "words": ["a"] * len(scores), "none": None}
    return answers[how]


def changes(batch: Any) -> Any:
    batch.features[0, 0] = 1
    return linear(batch)


def keeps(batch: Any) -> Any:
    """Keep a batch and its arrays; the arrays are its own, the batch is not."""
    KEPT.append((batch, batch.features, batch.features.copy()))
    return linear(batch)
