"""Batched strategies: what they are shown, that games come out the same however cut, and what they may not do."""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np
import pytest

from rsc_sim import simulate
from rsc_sim.engine import CompiledRules, Game, Tallies, play_blocks
from rsc_sim.errors import StrategyError
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.features import FEATURES
from rsc_sim.narrate import play_again, replay_game
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve
from tests.reference.rulesets import random_ruleset
from tests.strategy import asked, scored

BOOKLET = Ruleset.booklet().to_dict()
RULES = CompiledRules(BOOKLET, seats=3)
RANDOM = resolve("random").bind()


def bound(function: Any, **parameters: Any) -> Any:
    return resolve(functools.partial(function, **parameters)).bind()


def play(*lineup: Any, first_block: int = 0, n_blocks: int = 20, rules: CompiledRules = RULES, **more: Any) -> Any:
    ids = [lineup.index(strategy) for strategy in lineup]
    return play_blocks(rules, lineup, seed=5, first_block=first_block, n_blocks=n_blocks, strategy_ids=ids, **more)


@pytest.mark.parametrize("number", range(5))
def test_it_plays_what_it_would_play_one_by_one(number: int) -> None:
    rules, seats = random_ruleset(random.Random(f"batched {number}")) if number else (BOOKLET, 4)
    compiled = CompiledRules(rules, seats=seats)
    pair = bound(scored.linear), bound(asked.linear)
    lineups = [[strategy, RANDOM, *([strategy] * (seats - 2))] for strategy in pair]
    together, alone = (play(*lineup, rules=compiled, n_blocks=30) for lineup in lineups)
    assert np.array_equal(together["trace"], alone["trace"])


def test_hands_so_full_that_a_block_is_longer_than_there_was_room_for() -> None:
    rules = Ruleset.booklet().override({"hand_size": 14, "max_rounds": 8}).to_dict()
    compiled = CompiledRules(rules, seats=8)
    widest: list[float] = []

    def look(batch: Any) -> Any:
        widest.append(len(batch.features) / len(batch))
        return scored.linear(batch)

    together, alone = (play(*[bound(f)] * 8, rules=compiled, n_blocks=30) for f in (look, asked.linear))
    assert max(widest) > 26
    assert np.array_equal(together["trace"], alone["trace"])


def test_any_cutting_gives_the_same_rows_and_tallies() -> None:
    lineup = [bound(scored.noisy), bound(asked.greedy), RANDOM]

    def tallies(first: int, n: int) -> Tallies:
        return Tallies(RULES, n_strategies=3, batch_blocks=7, first_block=first, n_blocks=n)

    counted = tallies(160, 30)
    whole = play(*lineup, first_block=160, n_blocks=30, tallies=counted)
    assert counted.cards.any()
    summed = tallies(160, 30)
    pieces = []
    for first, n in ((160, 1), (161, 9), (170, 1), (171, 19)):
        piece = tallies(first, n)
        pieces.append(play(*lineup, first_block=first, n_blocks=n, tallies=piece))
        at = slice(piece.first_batch - counted.first_batch, piece.first_batch - counted.first_batch + len(piece.cards))
        summed.cards[at] += piece.cards
        summed.windows[at] += piece.windows
    assert b"".join(piece.tobytes() for piece in pieces) == whole.tobytes()
    assert np.array_equal(summed.cards, counted.cards)
    assert np.array_equal(summed.windows, counted.windows)


def test_any_number_of_jobs_gives_the_same_run_and_it_can_be_told() -> None:
    lineup = ["tests/strategy/scored.py:linear", "tests/strategy/scored.py:noisy", "random"]
    runs = [
        simulate("booklet", lineup, games=900, jobs=jobs, backend=backend)
        for jobs, backend in ((2, "auto"), (1, "threading"), (2, "threading"))
    ]
    assert len({run.outcome_digest for run in runs}) == 1
    assert runs[0].manifest["backend"] == "loky"
    for number in (0, 400, 899):
        assert replay_game(runs[0], number).checked


def test_a_batch_shows_many_decisions() -> None:
    sizes: list[int] = []
    kinds: set[int] = set()

    def look(batch: Any) -> Any:
        n = len(batch)
        sizes.append(n)
        assert batch.features.shape == (batch.offsets[-1], len(FEATURES))
        assert batch.features.dtype == np.float32
        assert len(batch.offsets) == n + 1
        assert np.array_equal(np.bincount(batch.owner, minlength=n), np.diff(batch.offsets))
        for column in (batch.seat, batch.turn, batch.game, batch.decision):
            assert column.shape == (n,)
        assert len(set(batch.game.tolist())) == n
        assert (batch.seat >= 0).all()
        assert (batch.seat < 3).all()
        kinds.update(batch.decision.tolist())
        drawn = batch.random()
        assert drawn.shape == (batch.offsets[-1],)
        assert ((drawn >= 0) & (drawn < 1)).all()
        return batch.features @ scored.WEIGHTS

    strategy = bound(look)
    play(strategy, strategy, RANDOM, n_blocks=170)
    assert max(sizes) == 256
    assert {1, 2, 3, 5} <= kinds


def test_a_game_by_itself_is_a_batch_of_one() -> None:
    game = Game(RULES, seed=1, block=0)
    strategy = bound(scored.linear)
    while game.decision is not None and game.turn < 30:
        game.apply(game.choose(strategy))
    assert game.turn > 3


# ---- it fails


def fails(strategy: Any) -> StrategyError:
    with pytest.raises(StrategyError) as caught:
        play(RANDOM, strategy, RANDOM, first_block=3)
    return caught.value


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("shape", "returned an array of float32 of shape ("),
        ("matrix", ", expected a score for each of "),
        ("words", "returned an array of <U1"),
        ("none", "returned an array of object of shape (), expected"),
        ("nan", "gave a move no number (NaN) for a score"),
        ("raises", "raised LookupError: no idea in scored.py, line "),
    ],
)
def test_nonsense_is_told_with_its_game(how: str, words: str) -> None:
    error = fails(bound(scored.wrong, how=how))
    assert words in str(error)
    assert 9 <= error.game < 9 + 60  # type: ignore[attr-defined]
    assert play(RANDOM, RANDOM, RANDOM).tobytes() == play(RANDOM, RANDOM, RANDOM).tobytes()


def test_a_failing_game_is_told_up_to_its_failure() -> None:
    lineup = ["tests/strategy/scored.py:wrong(how='nan')", "random", "random"]
    with pytest.raises(StrategyError) as caught:
        simulate("booklet", lineup, games=300, jobs=1, backend="threading")
    failing = ResolvedExperiment.of(Ruleset.booklet(), lineup, games=300)
    told = play_again(failing, caught.value.game)  # type: ignore[attr-defined]
    assert told.failure is not None
    assert "NaN" in str(told.failure)
    assert told.events[-1].turn == caught.value.turn  # type: ignore[attr-defined]


def test_features_are_read_only() -> None:
    assert fails(bound(scored.changes)).did.startswith("raised ValueError: assignment destination is read-only")


def test_kept_arrays_stay_and_a_kept_batch_has_expired() -> None:
    scored.KEPT.clear()
    play(bound(scored.keeps), RANDOM, RANDOM, n_blocks=2)
    assert len(scored.KEPT) > 20
    for batch, features, copied in scored.KEPT:
        assert np.array_equal(features, copied)
        with pytest.raises(StrategyError, match="used a batch of an earlier call"):
            batch.seat  # noqa: B018
    scored.KEPT.clear()
