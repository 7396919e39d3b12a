"""Pictures of sweeps: they show the figures, their titles say what was found, and no word runs into another."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from rsc_sim.experiment import Experiment
from rsc_sim.plots.page import WIDTH, house_style
from rsc_sim.plots.sweep import curve, effects, heat_map, levels, write_sweep
from rsc_sim.present_sweep import correlation_words, saved_words
from rsc_sim.sweep import run_sweep
from rsc_sim.sweep_page import weigh
from rsc_sim.sweep_plan import plan_sweep
from rsc_sim.sweep_view import SweepView, curve_finding, key_words, tell, tell_change
from tests.plots.reading import artist, collisions, title, value, words

BASELINE = Experiment.load("baseline").changed(games=1_200)


@cache
def view(*over: str, name: str = "", how: str | None = None) -> SweepView:
    experiment = Experiment.load(name).changed(games=200) if name else BASELINE
    sweep = run_sweep(plan_sweep(experiment, over, how), out=Path(mkdtemp()) / "sweep")
    return SweepView.of(sweep.record, sweep.frame)


THRESHOLD = ("escape_threshold=600,1000,1400",)
TWO = ("escape_threshold=800,1200", "cards.escape_ticket.copies=2,4,6")
LINEUPS = ("lineup=[rusher,raider,collector,guardian],[random,random,random,random]",)

DRAWN = [
    *((curve, THRESHOLD, name) for name in ("median_rounds", "unfinished", "win_share", "place_share", "place_edge")),
    *((heat_map, TWO, name) for name in ("median_rounds", "unfinished", "lead_changes")),
    *((levels, LINEUPS, name) for name in ("median_rounds", "unfinished")),
]


@pytest.mark.parametrize(("draw", "over", "name"), DRAWN, ids=lambda entry: getattr(entry, "__name__", str(entry)))
def test_sweeps_are_drawn_without_words_running_into_each_other(draw: Any, over: tuple[str, ...], name: str) -> None:
    with house_style():
        ax = draw(view(*over), name)
        assert collisions(ax) == []
    assert title(ax)
    assert ax.figure.get_size_inches()[0] == pytest.approx(WIDTH)
    assert min(text.get_fontsize() for text in words(ax)) >= 7.5


@pytest.mark.parametrize("figure", ["median_rounds", "strategy_spread", "unfinished"])
def test_readings_are_drawn_without_words_running_into_each_other(figure: str) -> None:
    with house_style():
        ax = effects(view(name="rulings"), figure)
        assert collisions(ax) == []


def test_a_curve_shows_the_figures() -> None:
    seen = view(*THRESHOLD)
    ax = curve(seen, "win_share", wanted=0.25)
    for spec in ("rusher", "raider"):
        line = artist(ax, f"value win_share.{spec}")
        there = seen.values[f"win_share.{spec}"]
        assert list(line.get_xdata()) == [600, 1_000, 1_400]
        assert list(line.get_ydata()) == pytest.approx([100 * v.value for v in there if v])
        assert there[0] is not None
        low, high = artist(ax, f"range win_share.{spec} 600").get_ydata()
        assert (low, high) == pytest.approx((100 * there[0].low, 100 * there[0].high))
    assert artist(ax, "wanted").get_ydata()[0] == pytest.approx(25)


def test_effects_show_the_differences() -> None:
    seen = view(name="rulings")
    ax = effects(seen, "median_rounds")
    for number in seen.others:
        pair = seen.differences["median_rounds"][number]
        assert pair is not None
        assert value(ax, f"value {seen.labels[number]}") == pytest.approx(pair.difference.value)


def test_a_map_tells_each_cell() -> None:
    seen = view(*TWO)
    ax = heat_map(seen, "median_rounds")
    texts = {text.get_gid(): text.get_text() for text in words(ax)}
    for settings, found in zip(seen.settings, seen.values["median_rounds"], strict=True):
        assert found is not None
        across, down = settings.values()
        assert texts[f"value {across} {down}"] == tell(found)


def test_which_pictures_suit_a_sweep(tmp_path: Path) -> None:
    assert {path.stem for path in write_sweep(view(*THRESHOLD), tmp_path / "a")} == {
        "win_share", "place_share", "median_rounds", "unfinished",
    }  # fmt: skip
    one_by_one = view(*THRESHOLD, "hand_size=5,6", how="one-at-a-time")
    drawn = {path.stem for path in write_sweep(one_by_one, tmp_path / "b")}
    assert "effect_median_rounds" in drawn
    assert "effect_escaper_wins" not in drawn  # nothing moves it


def test_a_finding_names_ends_that_differ_and_nothing_else() -> None:
    seen = view(*THRESHOLD)
    rounds = seen.values["median_rounds"]
    assert rounds[0] is not None
    assert rounds[2] is not None
    assert curve_finding(seen, "median_rounds") == (
        f"Median rounds rise from {tell(rounds[0])} at escape threshold 600 to {tell(rounds[2])} at 1,400"
    )
    assert curve_finding(seen, "tie") == "Games that end in a tie: no measurable change"


def test_readings_are_weighed_by_what_they_clearly_change() -> None:
    seen = view(name="rulings")
    weights = weigh(seen)
    assert [w.size for w in weights] == sorted((w.size for w in weights), reverse=True)
    assert {w.number for w in weights} == set(seen.others)
    assert seen.labels[weights[0].number] in {"Escape only after the pick-up", "An empty pile stays empty"}


def test_keys_and_changes_in_words() -> None:
    assert key_words("cards.mug.copies", {"mug": {"name": "Mug"}}) == "copies of Mug"
    assert key_words("escape_threshold", {}) == "escape threshold"
    pair = view(*THRESHOLD).differences["median_rounds"][0]
    assert pair is not None
    assert tell_change(pair.difference).startswith("−")
    assert tell_change(pair.difference).endswith(" rounds")
    assert saved_words(-0.04) == "−4 %"
    assert (saved_words(-0.004), saved_words(0.5)) == ("0 %", "50 %")
    for correlation, told in ((-0.08, "−0.08"), (-0.004, "0.00"), (0.5, "0.50")):
        assert correlation_words(replace(pair, correlation=correlation)) == told
