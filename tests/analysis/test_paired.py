"""Figures as lists with influences, and differences on shared deals: exact small cases, and runs really played.

Whether sharing deals pays is asked of play itself: the difference of two rules, measured again and again on segments of
one run, must vary as little as its interval claims, and far less than on different deals.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import polars as pl
import pytest

from rsc_sim import Ruleset, Run, simulate
from rsc_sim.analysis import figures_of
from rsc_sim.analysis.influence import Measures, figure_keys, mid_median
from rsc_sim.analysis.intervals import critical_value
from rsc_sim.analysis.paired import joint_moments, paired_difference

FOUR = ["rusher", "raider", "collector", "guardian"]


@cache
def played(threshold: int, seed: int = 1, games: int = 16_000) -> Run:
    return simulate(Ruleset.booklet().override({"escape_threshold": threshold}), FOUR, games=games, seed=seed)


@cache
def measured(threshold: int, seed: int = 1) -> Measures:
    return Measures(played(threshold, seed).games)


def value_of(run: Measures, key: str) -> float:
    return float(run.values[[figure.key for figure in run.figures].index(key)])


# ---- medians


@pytest.mark.parametrize(
    ("lengths", "counts", "median"),
    [
        ([10, 11, 12], [1, 2, 1], 11.0),  # symmetric
        ([10, 11], [1, 1], 10.5),
        ([10, 11], [1, 3], 10.75),  # F_mid is 1/8 and 5/8: (1/2 - 1/8) / (1/2) from 10 to 11
        ([10, 20], [1, 3], 17.5),  # over a gap, likewise
        ([7], [5], 7.0),
        ([7, 9], [9, 1], 7.2),  # F_mid is 0.45 and 0.95
        ([7, 9], [99, 1], 7 + 2 * 0.005 / 0.5),
    ],
)
def test_the_median_lies_between_whole_numbers_as_the_games_do(
    lengths: list[int], counts: list[int], median: float
) -> None:
    assert mid_median(lengths, counts).value == pytest.approx(median)


def test_the_influence_of_a_game_on_the_median_is_its_derivative() -> None:
    lengths, counts = [10, 11, 12, 13], [300, 420, 200, 80]
    median = mid_median(lengths, counts)
    total = sum(counts)
    frame = pl.DataFrame({"length": lengths})
    influence = frame.select(moved=median.influence(pl.col("length")))["moved"].to_numpy()
    centred = influence - np.average(influence, weights=counts)
    for i in range(len(lengths)):
        more = [count * 1_000 for count in counts]
        more[i] += 1
        moved = mid_median(lengths, more).value - median.value
        assert moved * (total * 1_000 + 1) == pytest.approx(centred[i], rel=1e-2, abs=1e-6)


# ---- the list of figures


def test_figures_are_those_of_a_summary() -> None:
    run, measures = played(1_000), measured(1_000)
    joint = joint_moments([measures])
    estimates = dict(zip([f.key for f in measures.figures], measures.estimates(joint.variances[0]), strict=True))
    figures = figures_of(run)
    for share in figures.by_strategy:
        there = estimates[f"win_share.{share.who}"]
        assert (there.value, there.low, there.high) == pytest.approx(
            (share.share.value, share.share.low, share.share.high)
        )
    for place, share in zip(("1st", "2nd", "3rd", "4th"), figures.by_place, strict=True):
        there = estimates[f"place_share.{place}"]
        assert (there.value, there.low, there.high) == pytest.approx(
            (share.share.value, share.share.low, share.share.high)
        )
        assert estimates[f"place_edge.{place}"].value == pytest.approx(share.share.value - share.reference)
    for key, there in (("unfinished", figures.ends.unfinished), ("escaper_wins", figures.ends.escaper_wins.share)):
        found = estimates[key]
        assert (found.value, found.low, found.high) == pytest.approx((there.value, there.low, there.high))
    whole = figures.rounds.quantiles[1].estimate.value
    assert abs(estimates["median_rounds"].value - whole) <= 1
    games = run.games.collect()
    assert estimates["mean_rounds"].value == pytest.approx(games["rounds"].mean())
    assert estimates["lead_changes"].value == pytest.approx(games["lead_changes"].mean())


def test_a_ratio_that_varies_has_the_interval_of_a_summary() -> None:
    run = simulate(Ruleset.booklet().override({"read_points": 300}), FOUR, games=4_000)
    measures = Measures(run.games)
    estimates = measures.estimates(joint_moments([measures]).variances[0])
    found = next(e for f, e in zip(measures.figures, estimates, strict=True) if f.key == "escaper_wins")
    there = figures_of(run).ends.escaper_wins.share
    assert there.value < 0.99
    assert (found.value, found.low, found.high) == pytest.approx((there.value, there.low, there.high))


@pytest.mark.parametrize("lineup", [["random"] * 3, ["collector", "random"], FOUR])
def test_the_keys_of_figures_are_known_beforehand(lineup: list[str]) -> None:
    run = simulate("booklet", lineup, games=60)
    specs = [strategy.spec for strategy in run.experiment.strategies]
    assert [figure.key for figure in Measures(run.games).figures] == figure_keys(len(lineup), specs)


def test_influences_have_mean_zero_and_come_the_same_in_stretches() -> None:
    measures = measured(1_000)
    whole = measures.influences(0, measures.n_blocks)
    assert np.abs(whole.mean(axis=0)).max() < 1e-9
    parts = np.vstack([measures.influences(0, 1_000), measures.influences(1_000, measures.n_blocks - 1_000)])
    assert np.allclose(whole, parts)


# ---- differences


def test_a_difference_is_that_of_the_blocks() -> None:
    """With as many blocks on both sides it is Student's interval on the differences of block means."""
    a, b = measured(1_000), measured(800)
    joint = joint_moments([a, b])
    at = [figure.key for figure in a.figures].index("win_share.rusher")
    found = paired_difference(
        float(b.values[at] - a.values[at]),
        (float(joint.variances[0][at]), float(joint.variances[1][at])),
        (a.n_blocks, b.n_blocks),
        joint.covariances[1]["win_share.rusher"],
        unit="share",
    )
    shares = []
    for run in (played(1_000), played(800)):
        games = run.games.collect()
        won = sum(
            np.where(games[f"strategy_{seat}"] == "rusher", games[f"won_{seat}"].to_numpy(), 0.0) for seat in range(4)
        )
        shares.append(np.asarray(won, dtype=np.float64).reshape(-1, 4).mean(axis=1))
    by_block = shares[1] - shares[0]
    half = critical_value(0.95, len(by_block)) * by_block.std(ddof=1) / math.sqrt(len(by_block))
    assert found.difference.value == pytest.approx(by_block.mean(), abs=1e-7)
    assert found.difference.high - found.difference.value == pytest.approx(half, rel=1e-4)
    assert found.correlation == pytest.approx(np.corrcoef(*shares)[0, 1], abs=1e-4)
    apart = (shares[0].var(ddof=1) + shares[1].var(ddof=1)) / len(by_block)
    assert found.games_saved == pytest.approx(1 - by_block.var(ddof=1) / len(by_block) / apart, abs=1e-4)


def test_pairs_of_different_size_count_what_they_share() -> None:
    """V1/n + V2/m - 2 C min/(n m): with 100 and 400 blocks, 100 shared, variances 1 and correlation 1/2."""
    found = paired_difference(0.0, (1.0, 1.0), (100, 400), 0.5, unit="rounds", n_different=100)
    variance = 1 / 100 + 1 / 400 - 2 * 0.5 * 100 / (100 * 400)
    assert found.difference.high == pytest.approx(critical_value(0.95, 100) * math.sqrt(variance))
    assert found.games_saved == pytest.approx(1 - variance / (1 / 100 + 1 / 400))


def test_where_nothing_differs_the_interval_is_that_of_an_event_never_seen() -> None:
    found = paired_difference(0.0, (0.2, 0.2), (1_000, 1_000), 0.2, unit="share")
    assert found.difference.high == pytest.approx(-math.log(0.05) / 1_000)
    assert found.games_saved == pytest.approx(1.0)
    none = paired_difference(0.0, (0.0, 0.0), (1_000, 1_000), 0.0, unit="share")
    assert math.isnan(none.correlation)
    assert none.to_dict()["correlation"] is None


def test_one_block_tells_nothing() -> None:
    assert paired_difference(0.1, (0.0, 0.0), (1, 1), 0.0, unit="share").difference.high == math.inf


def test_games_that_went_differently_are_counted() -> None:
    a, b = measured(1_000), measured(800)
    joint = joint_moments([a, b])
    traces = [run.games.select("trace").collect()["trace"].to_numpy() for run in (played(1_000), played(800))]
    differs = traces[0] != traces[1]
    assert joint.different[0] is not None
    assert joint.different[1] is not None
    assert joint.different[0].games.value == 0
    assert joint.different[1].games.value == pytest.approx(differs.mean())
    assert joint.different[1].n_blocks == differs.reshape(-1, 4).any(axis=1).sum()


def test_paired_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    n, held, times = 150, 0, 2_000
    for _ in range(times):
        shared = rng.standard_normal(n)
        a, b = shared + rng.standard_normal(n), 0.3 + shared + rng.standard_normal(n)
        c = float(np.cov(a, b)[0, 1])
        found = paired_difference(
            float(b.mean() - a.mean()), (float(a.var(ddof=1)), float(b.var(ddof=1))), (n, n), c, unit="rounds",
            n_different=n,
        ).difference  # fmt: skip
        held += found.low <= 0.3 <= found.high
    assert 0.935 <= held / times <= 0.965


# ---- pairing pays


KEYS = ("median_rounds", "mean_rounds", "lead_changes", "read_moves", "win_share.rusher", "place_share.1st")


def test_sharing_deals_saves_the_games_that_it_claims() -> None:
    """Threshold 800 against 1000, 80 segments of 50 deals: how much the difference really varies, paired and not.

    A ratio of variances from 80 segments errs by some 22 % (one standard error), so that twice that is allowed; what is
    claimed to be saved is more than a third for every figure looked at, so a claim without ground would be found.
    """
    a, b, apart = measured(1_000), measured(800), measured(800, 2)
    joint = joint_moments([a, b])
    n = a.n_blocks // 80
    for key in KEYS:
        at = [figure.key for figure in a.figures].index(key)
        claimed = paired_difference(
            0.0, (float(joint.variances[0][at]), float(joint.variances[1][at])), (a.n_blocks, b.n_blocks),
            joint.covariances[1][key], unit="rounds", n_different=n,
        )  # fmt: skip
        segments = [run.influences(0, run.n_blocks)[: 80 * n, at].reshape(80, n).mean(axis=1) for run in (a, b, apart)]
        paired = (segments[1] - segments[0]).var(ddof=1)
        unpaired = (segments[2] - segments[0]).var(ddof=1)
        assert claimed.games_saved > 1 / 3, key
        assert paired / unpaired == pytest.approx(1 - claimed.games_saved, rel=0.45), key
        assert claimed.correlation > 1 / 3, key
