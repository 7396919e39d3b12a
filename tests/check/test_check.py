"""The gate end to end: what it compares, what it finds, and that nothing but the question decides the answer."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rsc_sim.accept import accept
from rsc_sim.baseline import GOLDEN_GAMES, Baseline, open_baseline
from rsc_sim.check import check, find_candidate
from rsc_sim.check_result import CheckResult, answer
from rsc_sim.errors import EnvironmentFailure, InputError
from rsc_sim.experiment import Experiment, Margins, ResolvedExperiment
from rsc_sim.metrics import MANY_ROUNDS, BlockMetrics, blocks_of_games, watched
from rsc_sim.play import run_experiment
from rsc_sim.runner import play

LINEUP = ["rusher", "raider", "collector"]
WIDE = Margins(win_share=0.05, turns=0.1, unfinished=0.05)


def experiment(**changes: Any) -> ResolvedExperiment:
    described = Experiment.from_dict({"name": "three", "lineup": LINEUP, "games": 9_000, "seed": 3})
    return described.changed(**changes).resolve()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports") / "three"
    accept(folder, experiment(), None)
    return folder


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "three"
    run_experiment(experiment(), out=folder)
    return folder


def checked(baseline: str | Path, *settings: str, candidate: str | None = None, **how: Any) -> CheckResult:
    there = open_baseline(str(baseline))
    now, name = find_candidate(there, candidate, settings)
    return check(there, now, name=name, **how)


# ---- the figures


def test_block_figures_are_those_of_the_games() -> None:
    played = experiment(games=600)
    games = play(played).games.collect()
    blocks = blocks_of_games(games, played)
    keys = [metric.key for metric in watched(played, Margins())]
    assert blocks.shape == (200, len(keys))
    mean = dict(zip(keys, blocks.mean(axis=0), strict=True))
    for i, spec in enumerate(LINEUP):
        won = sum(
            games.filter(pl.col(f"strategy_{seat}") == spec)[f"won_{seat}"].cast(pl.Float64).sum() for seat in range(3)
        )
        assert mean[f"win_share.strategy.{spec}"] == pytest.approx(won / 600)
        of_place = sum(
            games.filter((seat - pl.col("first_seat").cast(pl.Int64)) % 3 == i)[f"won_{seat}"].cast(pl.Float64).sum()
            for seat in range(3)
        )
        assert mean[f"win_share.place.{i}"] == pytest.approx(of_place / 600)
    assert mean["turns"] == pytest.approx(games["turns"].clip(upper_bound=3 * MANY_ROUNDS).mean())
    assert mean["unfinished"] == pytest.approx((games["end"] != "escape").mean())


def test_one_strategy_in_all_seats_is_watched_by_place_only() -> None:
    mirror = experiment(lineup=["raider"] * 4)
    keys = [metric.key for metric in watched(mirror, Margins())]
    assert keys == [*(f"win_share.place.{place}" for place in range(4)), "turns", "unfinished"]
    rows = play(dataclasses.replace(mirror, n_blocks=50)).games.collect()
    assert blocks_of_games(rows, mirror).shape == (50, 6)
    assert BlockMetrics.of(mirror).seats_of == (4,)


# ---- the exact level


@pytest.mark.parametrize("kind", ["reference", "run"])
def test_the_same_rules_and_code_are_unchanged_by_digest(kind: str, reference: Path, run_folder: Path) -> None:
    result = checked(reference if kind == "reference" else run_folder)
    assert (result.verdict, result.level, result.compared) == ("unchanged", "exact", 9_000)
    assert answer(result) == "Unchanged: the same games, move for move."


def test_names_and_what_is_assumed_change_no_game(reference: Path) -> None:
    result = checked(reference, 'cards.mug.name="Cup"')
    assert (result.verdict, result.level) == ("unchanged", "exact")
    assert result.changes == ("Mug: now called Cup",)


def test_rules_against_themselves_need_no_games() -> None:
    result = checked("booklet")
    assert (result.verdict, result.compared) == ("unchanged", 0)
    assert "nothing to play" in result.notes[0]


def of_other_code(reference: Path, to: Path, played: ResolvedExperiment) -> Path:
    """Make a reference whose games were played otherwise than its rules and strategies say: as other code would."""
    accept(to, played, None)
    real = json.loads((reference / "manifest.json").read_text())
    other = json.loads((to / "manifest.json").read_text())
    other["experiment"] = real["experiment"]
    (to / "manifest.json").write_text(json.dumps(other))
    return to


def test_a_baseline_of_other_code_shows_the_first_game_that_differs_and_golden_moves(
    reference: Path, tmp_path: Path
) -> None:
    old = of_other_code(reference, tmp_path / "three", experiment(overrides={"escape_threshold": 700}))
    result = checked(old, margins=Margins(win_share=0.2, turns=0.01, unfinished=0.2))
    assert (result.verdict, result.level) == ("changed", "statistical")
    there = play(experiment(overrides={"escape_threshold": 700})).games.collect()
    now = play(experiment()).games.collect()
    differ = ((there["trace"] != now["trace"]) | (there["turns"] != now["turns"]))[: result.compared]
    assert result.first_difference == differ.arg_max()
    assert result.differing == differ.sum()
    assert result.golden is not None
    assert result.golden[0] == GOLDEN_GAMES
    assert 0 < result.golden[1] <= GOLDEN_GAMES
    assert result.divergence is not None
    assert "played by other code" in result.notes[0]


def test_the_code_having_changed_as_well_as_the_rules_is_said(reference: Path, tmp_path: Path) -> None:
    old = of_other_code(reference, tmp_path / "three", experiment(overrides={"escape_threshold": 700}))
    result = checked(old, "hand_size=7", margins=WIDE, max_games=9_000)
    assert any("code has changed since" in note for note in result.notes)


# ---- the statistical level


def test_a_changed_rule_is_told_with_how_much_and_where_the_games_part(reference: Path) -> None:
    result = checked(reference, "escape_threshold=600", margins=Margins(win_share=0.2, unfinished=0.2))
    assert result.verdict == "changed"
    changed = {judged.metric.key: judged for judged in result.judged if judged.verdict == "changed"}
    assert set(changed) == {"turns"}
    turns = changed["turns"]
    assert turns.low < turns.difference < turns.high < -turns.margin
    assert turns.correlation > 0.3
    assert turns.worth > 1.3
    assert result.divergence is not None
    assert result.divergence.baseline != result.divergence.candidate
    one = play(dataclasses.replace(experiment(), n_blocks=result.n_blocks)).games.collect()
    assert turns.baseline == pytest.approx(one["turns"].clip(upper_bound=120).mean())


def test_an_edit_that_touches_no_game_is_told_as_such(reference: Path) -> None:
    result = checked(reference, "read_points=20000", margins=WIDE)
    assert (result.verdict, result.differing) == ("unchanged", 0)
    assert answer(result) == "Unchanged: no game took another course."
    assert any("touches no game" in note for note in result.notes)
    assert all(judged.difference == 0 for judged in result.judged)


def test_an_edit_that_adds_a_draw_elsewhere_leaves_untouched_games_identical(reference: Path) -> None:
    # One card more in the effect of a card: a game in which nobody plays it must not notice.
    result = checked(reference, "cards.giveaway.count=3", margins=WIDE, max_games=9_000)
    assert 0 < result.differing < result.compared
    rules = Experiment.from_dict({"lineup": LINEUP, "games": 9_000, "seed": 3})
    one = play(rules.resolve()).games.collect()
    other = play(rules.changed(overrides={"cards.giveaway.count": 3}).resolve()).games.collect()
    same = ((one["trace"] == other["trace"]) & (one["turns"] == other["turns"])).to_numpy()
    assert 0 < same.sum() < len(same)
    assert one.filter(pl.Series(same)).equals(other.filter(pl.Series(same)))


def test_more_copies_are_compared_on_shared_deals() -> None:
    result = checked("booklet", "cards.sticker.copies=7", margins=WIDE, max_games=8_000)
    assert result.differing < result.compared


def test_too_few_games_are_said(reference: Path) -> None:
    result = checked(reference, "hand_size=5", margins=Margins(win_share=0.0001), max_games=7_000)
    assert result.n_games <= 7_000
    undecided = [judged for judged in result.judged if judged.verdict == "undecided"]
    assert undecided
    fewer = checked(reference, "hand_size=5", max_games=900)
    assert fewer.verdict == "undecided"
    assert answer(fewer).startswith("Not enough games to tell")


def test_other_seeds_show_what_chance_alone_does(reference: Path) -> None:
    there = open_baseline(str(reference))
    result = check(there, dataclasses.replace(there.experiment, seed=99), margins=WIDE)
    assert result.verdict == "unchanged"
    assert result.compared == 0
    assert all(abs(judged.correlation) < 0.1 for judged in result.judged if np.isfinite(judged.correlation))


def plain(result: CheckResult) -> Any:
    return dataclasses.replace(result, seconds=0.0).__repr__()


def test_order_jobs_backend_and_cuts_change_nothing(reference: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = "escape_threshold=850"
    first = checked(reference, settings, margins=WIDE, jobs=1)
    assert plain(checked(reference, settings, margins=WIDE, jobs=2)) == plain(first)
    assert plain(checked(reference, settings, margins=WIDE, jobs=2, backend="loky")) == plain(first)
    monkeypatch.setattr(
        "rsc_sim.check._growing_spans", lambda most: [(b, min(333, most - b)) for b in range(0, most, 333)]
    )
    other = checked(reference, settings, margins=WIDE, jobs=2)
    assert plain(dataclasses.replace(other, compared=0, differing=0)) == plain(
        dataclasses.replace(first, compared=0, differing=0)
    )


# ---- what cannot be compared


def test_another_lineup_is_refused(reference: Path, tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text('lineup = ["raider", "raider", "collector"]\n')
    with pytest.raises(InputError, match=r"played by raider, raider, collector, but .*three by rusher"):
        checked(reference, candidate=str(file))
    with pytest.raises(InputError, match="leave out --lineup"):
        open_baseline(str(reference), lineup=["raider", "raider", "collector"])
    with pytest.raises(InputError, match="played with seed 3, not 4"):
        open_baseline(str(reference), seed=4)


def test_rules_that_cannot_deal_to_the_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hand_size"):
        checked("booklet", "hand_size=60")


def test_another_format_is_refused(reference: Path, tmp_path: Path) -> None:
    manifest = json.loads((reference / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "format": 99}))
    with pytest.raises(InputError, match="format 99"):
        open_baseline(str(tmp_path))


@pytest.mark.parametrize("name", ["nothing/there", "reports", "basline"])
def test_what_is_no_baseline_is_said(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    with pytest.raises(InputError, match=r"no such file or folder|no manifest"):
        open_baseline(name)


def test_damaged_traces_are_named_with_what_to_do(reference: Path, tmp_path: Path) -> None:
    old = of_other_code(reference, tmp_path / "three", experiment(seed=5))
    (old / "traces.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(EnvironmentFailure, match=r"traces.parquet.*--accept"):
        checked(old)


def test_an_unfinished_run_is_no_baseline(run_folder: Path, tmp_path: Path) -> None:
    manifest = json.loads((run_folder / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "state": "running"}))
    with pytest.raises(InputError, match="unfinished"):
        open_baseline(str(tmp_path))


# ---- references


def test_a_reference_holds_what_a_check_needs_and_nothing_of_this_machine(reference: Path) -> None:
    assert {file.name for file in reference.iterdir()} == {
        "manifest.json",
        "summary.json",
        "traces.parquet",
        "golden.jsonl",
        "moved.md",
    }
    manifest = json.loads((reference / "manifest.json").read_text())
    assert not {"started", "seconds", "jobs"} & manifest.keys()
    there = open_baseline(str(reference))
    assert there.kind == "reference"
    assert there.games().height == 9_000
    golden = there.golden()
    assert len(golden) == GOLDEN_GAMES
    assert {game.game % 3 for game in golden} == {0, 1, 2}


def test_accepting_writes_down_what_moved(tmp_path: Path) -> None:
    folder = tmp_path / "three"
    accept(folder, experiment(), None)
    there = open_baseline(str(folder))
    now, name = find_candidate(there, None, ["escape_threshold=600"])
    result = check(there, now, name=name, margins=WIDE)
    accept(folder, now, result)
    moved = (folder / "moved.md").read_text()
    assert moved.count("\n## ") == 2
    assert "escape_threshold: 1,000 → 600" in moved
    assert "turns of a game" in moved
    assert checked(folder).level == "exact"
    before = moved
    again = checked(folder)
    accept(folder, again.experiment, again)
    assert (folder / "moved.md").read_text() == before


def test_the_digest_that_is_compared_is_the_least_prefix_of_enough_games() -> None:
    played = dataclasses.replace(experiment(), n_blocks=40_000)
    manifest = {"prefix_digests": {"1": "a", "2": "b", "4": "c", "8": "d", "10": "e"}, "outcome_digest": "e"}
    there = Baseline("run", "x", played, Path(), manifest)
    assert there.digest_of(full=False) == (8 * 4_096, "d")
    assert there.digest_of(full=True) == (40_000, "e")


# ---- cards


def test_a_watched_card_is_the_contrast_of_opening_hands() -> None:
    from rsc_sim.jobs import Stop
    from rsc_sim.tables import play_tables, spans

    played = experiment(games=9_000)
    metrics = BlockMetrics.of(played, ["escape_ticket", "mug"])
    with Stop() as stop:
        blocks = np.vstack(
            [
                span.results[0]
                for span in play_tables(
                    [played], metrics, over=spans(0, 3_000, size=256), jobs=2, stop=stop, tallied=True
                )
            ]
        )
    cards = play(played).cards.filter(pl.col("event") == "opening").collect()
    deck = {kind: card["copies"] for kind, card in played.ruleset["cards"].items()}
    won = 1 - blocks[:, -3].mean()  # all games but the unfinished have a winner
    for column, kind in ((-2, "escape_ticket"), (-1, "mug")):
        of_kind = cards.filter(pl.col("kind") == kind)
        p = deck[kind] / sum(deck.values())
        mean, variance = 6 * p, 6 * p * (1 - p) * (114 / 119)
        assert of_kind["copies"].sum() / 27_000 == pytest.approx(mean, rel=0.05)
        covariance = of_kind["wins"].sum() / 840 / 27_000 - mean * won / 3
        assert blocks[:, column].mean() == pytest.approx(covariance / variance)


def test_cards_are_watched_when_asked_and_must_exist(reference: Path) -> None:
    margins = Margins(win_share=0.05, turns=0.1, unfinished=0.05, cards=("escape_ticket",), card=0.5)
    result = checked(reference, "escape_threshold=990", margins=margins, max_games=9_000)
    assert result.judged[-1].metric.key == "card.escape_ticket"
    assert result.judged[-1].baseline > 0.02
    with pytest.raises(InputError, match="did you mean escape_ticket"):
        checked(reference, "escape_threshold=990", margins=Margins(cards=("escape_tickt",)))
