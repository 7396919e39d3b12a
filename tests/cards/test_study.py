"""A study of cards: known answers, the same on any jobs, and what it leaves behind."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rsc_sim.cards import WHAT, CardStudy, study_cards
from rsc_sim.errors import InputError
from rsc_sim.experiment import Experiment
from rsc_sim.study import check_folder


def test_impacts_weighted_by_copies_add_up_to_nothing(study: CardStudy) -> None:
    copies = dict(zip(study.sums.kinds, study.sums.copies, strict=True))
    for effects in (study.effects, study.by_band[:39], study.by_band[39:78], study.by_strategy[:39]):
        for figure in ("won", "turns", "unfinished"):
            total = sum(copies[one.kind] * getattr(one, figure).value for one in effects)
            assert abs(total) < 1e-9


def test_the_deal_says_the_same_of_dealt_cards_as_the_intervention(study: CardStudy) -> None:
    """Two estimates of one figure from different games: their differences are as large as chance makes them."""
    first = {one.kind: one for one in study.by_band if one.band == "1–6"}
    for figure in ("won", "turns"):
        z = []
        for dealt in study.opening:
            forced = getattr(first[dealt.kind], figure)
            given = getattr(dealt, figure)
            error = math.hypot(forced.high - forced.low, given.high - given.low) / 2 / 1.97
            z.append((forced.value - given.value) / error)
        assert max(map(abs, z)) < 4
        # Of 38 free differences, correlated but for the better: within the 0.1 % tails of chi-square.
        assert 8 < sum(one**2 for one in z) < 72


def test_kinds_of_one_effect_have_one_impact(study: CardStudy) -> None:
    of = {one.kind: one.won for one in study.effects}
    for one, other in (("kidnap_read", "seduce_read"), ("seduce_read", "trick_read"), ("giveaway", "gifted_big")):
        half = math.hypot(of[one].high - of[one].low, of[other].high - of[other].low) / 2
        assert abs(of[one].value - of[other].value) < 1.5 * half


def test_a_copy_more_of_kinds_of_one_effect_changes_the_same(study: CardStudy) -> None:
    """The surplus copy is shuffled in last whatever its name, so the games are alike, card for card."""
    more = {(one.kind, one.figure): one.difference.value for one in study.copies if one.change == 1}
    for figure in ("collector", "raider", "turns", "unfinished"):
        assert more["kidnap_read", figure] == more["seduce_read", figure] == more["trick_read", figure]
    assert more["escape_ticket", "turns"] < 0


def test_decks_that_cannot_be_are_left_out(study: CardStudy) -> None:
    kinds = {(one.kind, one.change) for one in study.copies}
    assert not kinds & {("read", 1), ("read", -1)}
    assert len(kinds) == 2 * 38


@pytest.mark.parametrize(("jobs", "backend"), [(1, "threading"), (3, "threading"), (2, "loky")])
def test_the_same_on_any_jobs(jobs: int, backend: str) -> None:
    experiment = Experiment.from_dict({"lineup": ["collector", "random", "raider"], "games": 60}).resolve()
    one = study_cards(experiment, jobs=2, copies=False).to_dict()
    assert study_cards(experiment, jobs=jobs, backend=backend, copies=False).to_dict() == one


def test_in_hand_rates_are_those_of_the_tallies(study: CardStudy) -> None:
    """Two paths count the cards that seats see and who of them won."""
    tallied = {one.kind: one for one in study.observational}
    seen = study.sums.seen.sum(axis=(0, 1, 2))
    for k, kind in enumerate(study.sums.kinds):
        assert seen[k, 0] == tallied[kind].n_copies
        assert seen[k, 1] / seen[k, 0] == pytest.approx(tallied[kind].in_hand.value, abs=1e-9)


def test_parts_of_an_edge_are_told_apart(study: CardStudy) -> None:
    cards = study.sums.seen[..., 0].sum(axis=(0, 1, 2))
    assert abs(sum(n * one.edge.value for n, one in zip(cards, study.seen, strict=True))) < 1e-6
    assert abs(sum(n * one.who for n, one in zip(cards, study.seen, strict=True))) < 1e-6


def test_a_study_is_written_whole(study: CardStudy, tmp_path: Path) -> None:
    study.write(tmp_path / "study")
    data = json.loads((tmp_path / "study" / "cards.json").read_text())
    assert data["format"] == 1
    assert [kind["kind"] for kind in data["kinds"]] == list(study.sums.kinds)
    frame = pl.read_parquet(tmp_path / "study" / "impact.parquet")
    ticket = frame.filter(
        pl.col("strategy").is_null(), pl.col("n").is_null(), kind="escape_ticket", source="causal", figure="won"
    )
    assert ticket["value"].to_list() == [data["kinds"][1]["causal"]["won"]["value"]]
    assert sorted(path.name for path in (tmp_path / "study").iterdir()) == ["cards.json", "impact.parquet"]
    with pytest.raises(InputError, match="holds files already"):
        check_folder(tmp_path / "study", WHAT)


def test_an_experiment_with_an_intervention_is_refused() -> None:
    described = Experiment.from_dict(
        {"lineup": ["collector"] * 2, "games": 10, "intervention": {"seat": 0, "card": 1, "kind": "mug"}}
    )
    with pytest.raises(InputError, match="forces a card already"):
        study_cards(described.resolve())


def test_a_handful_of_deals_tells_that_it_tells_nothing() -> None:
    study = study_cards(Experiment.from_dict({"lineup": ["collector"] * 2, "games": 1}).resolve(), copies=False)
    assert all(not np.isfinite(one.turns.high) for one in study.effects)
    assert study.disagreements == ()
    json.dumps(study.to_dict(), allow_nan=False)
