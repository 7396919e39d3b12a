"""Scores are the matrix of features times the weights, to the last bit, and the best is the first of the highest."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from rsc_sim.conformance import odd_rules
from rsc_sim.engine import CompiledRules, Game
from rsc_sim.feature_matrix import FEATURE_UNIT, SIZE, matrix
from rsc_sim.features import DESCRIPTIONS, FEATURES
from tests.features import page

GAMES = 110


def test_names_and_numbers_agree() -> None:
    assert len(FEATURES) == len(set(FEATURES)) == SIZE
    for name, feature in DESCRIPTIONS.items():
        assert name.isidentifier()
        assert feature.text.endswith(".")
        assert feature.unit


def test_the_factorised_score_is_features_times_weights() -> None:
    rng = random.Random(7)
    rules = list(odd_rules().values())
    asked: Counter[str] = Counter()
    seen = np.zeros(SIZE, dtype=bool)
    for number in range(GAMES):
        seats = 2 + number % 7
        game = Game(CompiledRules(rules[number % len(rules)].to_dict(), seats=seats), seed=3, block=number)
        while game.decision is not None and game.turn < 14 * seats:
            weights = np.array([rng.randrange(-50_000, 50_000) for _ in FEATURES], dtype=np.int32)
            rows, scores, best = matrix(game, weights)
            units = np.rint(rows.astype(np.float64) * FEATURE_UNIT).astype(np.int64)
            assert (units / FEATURE_UNIT == rows).all()
            assert (units @ weights.astype(np.int64) == scores).all()
            targets = [move.target for move in game.moves()]
            distance = [0 if target is None else (target - game.seat) % seats for target in targets]
            assert best == (scores * 8 - distance).argmax()
            seen |= (rows != 0).any(axis=0)
            asked[game.decision] += 1
            game.apply(best if rng.random() < 0.3 else rng.randrange(len(scores)))
    assert asked.total() > 5_000
    assert set(asked) == {"escape", "put_down", "take", "table_more", "react"}
    assert [name for name, met in zip(FEATURES, seen, strict=True) if not met] == []


def test_the_page_lists_them_as_they_are() -> None:
    """Renew it with `python -m tests.features.page`."""
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.renewed(text) == text
    assert all(f"| `{name}` |" in text for name in FEATURES)
