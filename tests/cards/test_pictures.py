"""The pictures of a study of cards: they show its figures, words do not run into each other, they look as they did.

After a change that was meant:
`python -m pytest -n 0 tests/cards/test_pictures.py --mpl-generate-path=tests/cards/baseline`, and look at them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes

from rsc_sim.analysis.causal import CardEffect
from rsc_sim.cards import CardStudy, study_cards
from rsc_sim.experiment import Experiment
from rsc_sim.plots.impact import card_effects, card_effects_by_number, card_effects_by_strategy, write_impact
from rsc_sim.plots.page import house_style
from rsc_sim.plots.palette import strategy_colours
from tests.plots.reading import artist, collisions, ends_of, small_print, title, value

ALL = (card_effects, card_effects_by_strategy, card_effects_by_number)


def assert_shown(ax: Axes, series: str, effects: Sequence[CardEffect]) -> None:
    """Hold the marks of a series and their ranges, which are cut off at a hundred points, to the figures."""
    for one in effects:
        if not math.isnan(one.won.value):
            assert value(ax, f"{series} {one.kind}") == pytest.approx(100 * one.won.value)
            bounds = (100 * max(one.won.low, -1.0), 100 * min(one.won.high, 1.0))
            assert ends_of(ax, f"{series} range {one.kind}") == pytest.approx(bounds)


def test_what_a_card_changes_stands_beside_what_goes_with_it(study: CardStudy) -> None:
    ax = card_effects(study)
    assert_shown(ax, "what it changes", study.effects)
    for one in study.seen:
        assert value(ax, f"what goes with it {one.kind}") == pytest.approx(100 * one.edge.value)
    rows = {one.kind: artist(ax, f"what it changes {one.kind}").get_ydata()[0] for one in study.effects}
    best = sorted(study.effects, key=lambda one: -one.won.value)
    assert [one.kind for one in best] == sorted(rows, key=rows.__getitem__)
    flagged = {flag.kind for flag in study.disagreements}
    marked = {one.kind for one in study.effects if artist(ax, f"name {one.kind}").get_text().startswith("!")}
    assert marked == flagged
    assert f"{study.n_played_on:,} games" in small_print(ax)


def test_by_strategy_and_by_number_every_mark_is_its_figure(study: CardStudy) -> None:
    ax = card_effects_by_strategy(study)
    colours = strategy_colours(study.sums.strategies)
    for spec in study.sums.strategies:
        assert_shown(ax, spec, [one for one in study.by_strategy if one.strategy == spec])
        assert artist(ax, f"{spec} escape_ticket").get_color() == colours[spec]
    ax = card_effects_by_number(study)
    for band in ("1–6", "7–12", "13+"):
        assert_shown(ax, f"card {band}", [one for one in study.by_band if one.band == band])


@pytest.mark.parametrize("draw", ALL, ids=lambda draw: draw.__name__)
def test_words_do_not_run_into_each_other(draw: Any, study: CardStudy) -> None:
    ax = draw(study)
    with house_style():
        assert collisions(ax) == []
    assert title(ax)
    assert ax.get_xlabel() == "change in win share (percentage points)"


@pytest.mark.parametrize(
    "described",
    [
        {"lineup": ["random"] * 2, "games": 4},
        {"lineup": ["rusher", "raider", "collector", "guardian"] * 2, "games": 16},
        {"lineup": ["random"] * 2, "games": 20, "set": {"escape_threshold": 99_999, "max_rounds": 5}},
    ],
    ids=["few games", "eight seats", "nobody wins"],
)
def test_awkward_studies_are_drawn(described: dict[str, Any]) -> None:
    study = study_cards(Experiment.from_dict(described).resolve(), copies=False)
    for draw in ALL:
        ax = draw(study)
        with house_style():
            assert collisions(ax) == []


def test_pictures_are_written(study: CardStudy, tmp_path: Path) -> None:
    paths = write_impact(study, tmp_path)
    assert [path.name for path in paths[::2]] == [f"{draw.__name__}.svg" for draw in ALL]
    assert all(path.stat().st_size > 5_000 for path in paths)


@pytest.mark.mpl_image_compare(baseline_dir="baseline", tolerance=4, style="default", savefig_kwargs={"dpi": 80})
@pytest.mark.parametrize("draw", ALL, ids=lambda draw: draw.__name__)
def test_it_looks_as_it_did(draw: Any, study: CardStudy) -> Any:
    return draw(study).figure
