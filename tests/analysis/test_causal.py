"""Effects of cards by hand: moments small enough to work out on paper, and the published example for many questions."""

from __future__ import annotations

import numpy as np
import pytest

from rsc_sim.analysis.causal import ImpactSums, Seen, card_effects
from rsc_sim.analysis.copies import copy_effects
from rsc_sim.analysis.disagreement import disagreements
from rsc_sim.analysis.discoveries import adjusted, two_sided
from rsc_sim.analysis.intervals import Estimate


def sums_of(batches: list[list[tuple[dict[str, int], dict[str, float]]]], copies: dict[str, int]) -> ImpactSums:
    """Sum up moments: the copies that might have been drawn, and what came of each kind."""
    kinds = tuple(copies)
    n = len(kinds)
    sums = np.zeros((len(batches), 1, 3, n, 4))
    pairs = np.zeros((1, 3, n, n))
    counts = np.zeros((len(batches), 1, 3, 3), dtype=np.uint64)
    for number, moments in enumerate(batches):
        for there, came in moments:
            m = np.array([there.get(kind, 0) for kind in kinds], dtype=float)
            y = np.array([came.get(kind, 0.0) for kind in kinds])
            sums[number, 0, 0, :, 0] += m
            sums[number, 0, 0, :, 1] += m * (y - m @ y / m.sum())
            pairs[0, 0] += np.outer(m, m) / m.sum()
            counts[number, 0, 0] += np.array([1, 1, (m > 0).sum()], dtype=np.uint64)
    shape = (len(batches), 1, 3, n, 4)
    return ImpactSums(
        kinds, tuple(copies.values()), ("all",), (6, 12), sums, pairs, counts, np.zeros(shape),
        np.zeros((len(batches), 1, n, 2, 4)),
    )  # fmt: skip


def values(found: ImpactSums) -> dict[str, float]:
    return {one.kind: one.won.value for one in card_effects(found)}


def test_where_every_kind_is_there_the_effect_is_its_mean_less_the_mean_over_cards() -> None:
    deck = {"a": 1, "b": 2, "c": 1}
    moments = [(deck, {"a": 1.0, "b": 0.0, "c": 0.0}), (deck, {"a": 1.0, "b": 1.0, "c": 0.0})]
    # a: 1 - (1/4 + 3/4) / 2; b: 1/2 - 1/2; c: 0 - 1/2
    assert values(sums_of([moments], deck)) == pytest.approx({"a": 0.5, "b": 0.0, "c": -0.5})


def test_a_kind_that_lacks_is_allowed_for() -> None:
    """Levels of moments are free: what is added to all of a moment changes nothing, whichever kinds it has."""
    deck = {"a": 1, "b": 1, "c": 2}
    true = {"a": 0.3, "b": -0.1, "c": -0.1}
    moments = [
        (there, {kind: level + true[kind] for kind in there})
        for there, level in (({"a": 1, "b": 1}, 0.5), ({"b": 1, "c": 2}, 0.2), ({"a": 1, "c": 1}, 0.4))
    ]
    assert values(sums_of([moments], deck)) == pytest.approx(true)


def test_a_kind_that_was_never_there_has_no_effect() -> None:
    found = sums_of([[({"a": 1, "b": 1}, {"a": 1.0})]] * 3, {"a": 1, "b": 1, "c": 2})
    effects = {one.kind: one for one in card_effects(found)}
    assert np.isnan(effects["c"].won.value)
    assert effects["c"].won.method == "never met"
    assert np.isnan(effects["c"].p)
    assert effects["a"].won.value == pytest.approx(0.5)


def test_spread_is_that_of_the_batches() -> None:
    """With every kind there each time, an effect is a mean of batches, and its error that of the mean."""
    deck = {"a": 1, "b": 1}
    rng = np.random.default_rng(7)
    batches = [[(deck, {"a": float(rng.random()), "b": float(rng.random())})] for _ in range(50)]
    effect = card_effects(sums_of(batches, deck))[0].won
    halves = [(moments[0][1]["a"] - moments[0][1]["b"]) / 2 for moments in batches]
    error = np.std(halves, ddof=1) / np.sqrt(50)
    assert effect.value == pytest.approx(np.mean(halves))
    assert (effect.high - effect.low) / 2 == pytest.approx(2.00957523712924 * error)


def test_adjusted_is_the_published_example() -> None:
    """Benjamini and Hochberg (1995), section 4.1: of 15 p-values four are discoveries at 0.05, by Bonferroni three."""
    p = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
        0.7590, 1.0,
    ]  # fmt: skip
    found = adjusted(p)
    assert [value <= 0.05 for value in found] == [True] * 4 + [False] * 11
    assert sum(value * 15 <= 0.05 for value in p) == 3
    assert found[:4] == pytest.approx([0.0015, 0.003, 0.0095, 0.035625])
    assert adjusted([*p[::-1], float("nan")])[:15] == pytest.approx(found[::-1])


def test_two_sided_is_students_table() -> None:
    assert two_sided(2.228, 1.0, 10) == pytest.approx(0.05, abs=1e-4)
    assert two_sided(-1.96, 1.0, 10**7) == pytest.approx(0.05, abs=1e-4)
    assert np.isnan(two_sided(1.0, 1.0, 0))
    assert (two_sided(0.0, 0.0, 9), two_sided(1.0, 0.0, 9)) == (1.0, 0.0)


def test_copy_effects_allow_for_the_kinds_of_a_figure() -> None:
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(400, 2))
    differences = {("a", 1): noise + np.array([0.5, 0.0]), ("b", 1): noise[::-1], ("a", -1): noise}
    found = {(one.kind, one.change, one.figure): one for one in copy_effects(differences, ("x", "turns"))}
    assert found["a", 1, "x"].p_adjusted < 1e-6
    assert found["a", 1, "turns"].p_adjusted > 0.05
    assert found["a", 1, "turns"].difference.unit == "turns"
    assert found["a", -1, "x"].difference.value == pytest.approx(noise[:, 0].mean())


def estimate(value: float, half: float = 0.004) -> Estimate:
    return Estimate(value, value - half, value + half, 0.95, "difference of shares", 400, "")


@pytest.mark.parametrize(
    ("caused", "edge", "parts", "reason"),
    [
        (0.04, 0.005, {"unfinished": -0.03}, "unfinished"),
        (-0.02, 0.02, {"when": 0.03}, "when"),
        (0.0, 0.03, {"who": 0.02}, "who"),
        (0.0, 0.03, {}, "other"),
        (0.02, 0.021, {}, None),
    ],
)
def test_a_disagreement_is_found_and_explained(
    caused: float, edge: float, parts: dict[str, float], reason: str | None
) -> None:
    from rsc_sim.analysis.causal import CardEffect

    nothing = estimate(0.0)
    effect = CardEffect("mug", None, None, estimate(caused), nothing, nothing, 0.5, 0.5)
    told = {"who": 0.0, "when": 0.0, "unfinished": 0.0, "late": 0.1, **parts}
    found = disagreements([effect], [effect], [Seen("mug", estimate(edge), estimate(edge), **told)])
    assert [one.reason for one in found] == ([] if reason is None else [reason])
    assert all(one.opposite == (caused * edge < 0) for one in found)
