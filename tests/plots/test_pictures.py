"""Every picture of every run: it is drawn without a warning, says its figures, and no word runs into another."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from rsc_sim import Run, plots
from rsc_sim.analysis import figures_of, length_shares
from rsc_sim.plots.page import WIDTH, house_style, shortened, text_width, told_apart, wrapped
from rsc_sim.plots.palette import TYPES, strategy_colours
from tests.plots.conftest import played
from tests.plots.reading import artist, collisions, ends_of, small_print, title, value, words

ALL = (plots.win_share, plots.places, plots.game_length, plots.ends, plots.card_impact, plots.bottleneck, plots.chance)


@pytest.mark.parametrize("draw", ALL, ids=lambda draw: draw.__name__)
def test_any_run_is_drawn_without_words_running_into_each_other(draw: Any, any_run: Run) -> None:
    ax = draw(any_run)
    with house_style():
        assert collisions(ax) == []
    assert title(ax)
    assert ax.get_xlabel()
    assert ax.figure.get_size_inches()[0] == pytest.approx(WIDTH)
    assert min(text.get_fontsize() for text in words(ax)) >= 7.5


def test_words_that_run_into_each_other_are_noticed(four: Run) -> None:
    ax = plots.win_share(four)
    ax.set_yticks(ax.get_yticks(), ["a name that nobody cut to the width of a page, whatever it may be", "b", "c", "d"])
    ax.text(0.5, 0.5, "here", transform=ax.transAxes)
    ax.text(0.5, 0.5, "there", transform=ax.transAxes)
    found = " / ".join(collisions(ax))
    assert "'here' on 'there'" in found
    assert "leaves the page" in found


def test_win_shares_are_the_figures(four: Run) -> None:
    ax = plots.win_share(four)
    for share in figures_of(four).by_strategy:
        assert value(ax, f"value {share.who}") == pytest.approx(100 * share.share.value)
        bounds = (100 * share.share.low, 100 * share.share.high)
        assert ends_of(ax, f"range {share.who}") == pytest.approx(bounds)
        assert to_hex(artist(ax, f"value {share.who}").get_color()) == strategy_colours([share.who])[share.who].lower()
    assert artist(ax, "reference").get_xdata()[0] == pytest.approx(100 * figures_of(four).by_strategy[0].reference)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["rusher", "raider", "collector", "guardian"]


def test_places_are_the_figures(four: Run) -> None:
    ax, figures = plots.places(four), figures_of(four)
    for name, share in zip(("1st", "2nd", "3rd", "4th"), figures.by_place, strict=True):
        assert value(ax, f"value {name} to play") == pytest.approx(100 * share.share.value)
    assert value(ax, "value this seat") == pytest.approx(100 * figures.read_dealt.to_this.value)
    assert value(ax, "value another seat") == pytest.approx(100 * figures.read_dealt.to_another.value)
    assert "Where nobody is dealt Read, the 1st to play wins" in small_print(ax)


def test_what_chance_does_is_the_figures(four: Run) -> None:
    ax, found = plots.chance(four), figures_of(four).chance
    assert found is not None
    for figure in found.shares:
        bar = artist(ax, f"runs {figure.group} {figure.who}")
        assert bar.get_x() + bar.get_width() == pytest.approx(100 * figure.whole)
        dots = artist(ax, f"pairs {figure.group} {figure.who}").get_xdata()
        assert list(dots) == pytest.approx([100 * difference for difference in figure.differences])
    assert f"{sum(figure.within for figure in found.shares)} of 80 lie within" in small_print(ax)
    assert "too few" in small_print(plots.chance(played("ten deals")))


def test_bars_of_length_hold_every_game_once() -> None:
    for name in ("four", "half ends", "long", "nothing ends", "one game"):
        ax = plots.game_length(played(name))
        assert sum(bar.get_height() for bar in ax.patches if bar.get_gid() is None or "games" in bar.get_gid()) > 99.99
    run = played("half ends")
    ax = plots.game_length(run)
    (stopped,) = (c for c in ax.containers if c.patches[0].get_gid() == "games stopped")
    assert stopped.patches[0].get_height() == pytest.approx(100 * length_shares(run.games, [])[-1].value)
    assert stopped.patches[0].get_hatch()
    assert 20 < stopped.patches[0].get_height() < 80
    assert "stopped\nat 16" in [label.get_text() for label in ax.get_xticklabels()]


def test_the_median_and_its_range_are_marked(four: Run) -> None:
    ax, middle = plots.game_length(four), figures_of(four).rounds.quantiles[1].estimate
    assert artist(ax, "median").get_xdata()[0] == middle.value
    box = artist(ax, "median range").get_extents().transformed(ax.transData.inverted())
    assert (box.x0, box.x1) == pytest.approx((middle.low - 0.5, middle.high + 0.5))


def test_ends_are_the_figures() -> None:
    run = played("half ends")
    ax, ends = plots.ends(run), figures_of(run).ends
    widths = {bar.get_gid(): bar.get_width() for bar in ax.patches}
    assert widths["value escape"] == pytest.approx(100 * ends.ends["escape"].value)
    assert widths["value stopped at 16 rounds"] == pytest.approx(100 * ends.ends["turn_cap"].value)
    assert widths["value players stall"] == pytest.approx(100 * ends.stuck_of_unfinished["stalled"].value)
    assert sum(share.value for share in ends.stuck_of_unfinished.values()) == pytest.approx(1)


def test_every_kind_has_its_impact_its_edge_its_name_and_its_mark(four: Run) -> None:
    ax = plots.card_impact(four)
    kinds = four.experiment.ruleset["cards"]
    rows = []
    for card in figures_of(four).cards:
        assert value(ax, f"impact {card.kind}") == pytest.approx(100 * card.impact.value)
        assert value(ax, f"edge {card.kind}") == pytest.approx(100 * card.edge.value)
        assert ends_of(ax, f"impact range {card.kind}") == pytest.approx(
            (100 * card.impact.low, 100 * card.impact.high)
        )
        mark = artist(ax, f"impact {card.kind}")
        assert (mark.get_color(), mark.get_marker()) == TYPES[kinds[card.kind]["type"]][:2]
        assert artist(ax, f"name {card.kind}").get_text().strip("()") == kinds[card.kind]["name"]
        rows.append((mark.get_ydata()[0], card.impact.value))
    assert len(rows) == 39
    assert [impact for _, impact in sorted(rows)] == sorted((impact for _, impact in rows), reverse=True)
    assert "correlation, not effect" in small_print(ax)


def test_names_of_cards_stay_clear_of_the_marks(any_run: Run) -> None:
    ax = plots.card_impact(any_run)
    with house_style():
        ax.figure.draw_without_rendering()
        for card in figures_of(any_run).cards:
            names = [text for text in ax.texts if text.get_gid() == f"name {card.kind}"]
            for name in names:
                box = name.get_bbox_patch().get_window_extent()
                for what in ("impact", "edge"):
                    for mark in (line for line in ax.lines if line.get_gid() == f"{what} {card.kind}"):
                        x = ax.transData.transform((mark.get_xdata()[0], 0))[0]
                        assert not box.x0 < x < box.x1, (card.kind, what)


def test_lines_of_the_bottleneck_are_the_figures(four: Run) -> None:
    ax, found = plots.bottleneck(four), figures_of(four).bottleneck.typical()
    for need in ("read", "ticket", "merch"):
        for what, of in (("lacks", "lacks"), ("lacks only", "lacks_only")):
            line = artist(ax, f"{what} {need}")
            assert list(line.get_xdata()) == list(found)
            shares = [100 * getattr(windows, of)[need].value for windows in found.values()]
            assert list(line.get_ydata()) == pytest.approx(shares)
        assert artist(ax, f"lacks {need}").get_color() == TYPES[need][0]


def test_titles_say_what_was_found(four: Run) -> None:
    assert title(plots.win_share(played("two"))).startswith("rusher wins most: 5")
    assert title(plots.card_impact(four)).startswith("Escape Ticket goes with winning most: +")
    assert title(plots.bottleneck(four)).startswith("What holds up an escape: Merch until round ")
    assert title(plots.game_length(four)).startswith("Half of the games are over within 1")
    assert title(plots.ends(four)).endswith("of games end by an escape")
    assert title(plots.ends(played("half ends"))).endswith("of games do not end, mostly because players stall")


def test_titles_say_when_nothing_was_found() -> None:
    assert title(plots.win_share(played("alike"))) == "Every seat is random: equal shares by construction"
    assert title(plots.win_share(played("two deals"))) == "No strategy wins measurably more than its equal share"
    assert title(plots.places(played("two deals"))) == "No place wins measurably more than an equal share"
    assert title(plots.card_impact(played("one game"))) == "No card goes measurably with winning or losing"
    nothing = played("nothing ends")
    assert title(plots.win_share(nothing)) == title(plots.places(nothing)) == "Nobody won a single game"
    assert title(plots.card_impact(nothing)) == "Nobody won a single game"
    assert title(plots.bottleneck(nothing)) == "No seat ever tabled enough Merch to escape"
    assert title(plots.ends(nothing)).startswith("No game ended by an escape, mostly because ")
    assert title(plots.game_length(nothing)) == "At least half of the games were stopped at 6 rounds"


def test_a_caller_s_axes_are_drawn_into_and_not_laid_out(four: Run) -> None:
    figure = Figure(figsize=(12, 9))
    FigureCanvasAgg(figure)
    for draw, ax in zip(ALL, figure.subplots(2, 4).flat, strict=False):
        before = ax.get_position().bounds
        assert draw(four, ax=ax) is ax
        assert ax.get_position().bounds == before
        assert title(ax)
    assert figure.get_size_inches().tolist() == [12, 9]


def test_write_all_gives_the_same_bytes_whatever_the_caller_s_settings(four: Run, tmp_path: Path) -> None:
    paths = plots.write_all(four, tmp_path / "a" / "plots")
    assert sorted({path.suffix for path in paths}) == [".png", ".svg"]
    assert [path.stem for path in paths[::2]] == [draw.__name__ for draw in ALL]
    assert sorted(path.name for path in (tmp_path / "a" / "plots").iterdir()) == sorted(path.name for path in paths)
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.hashsalt": None, "lines.linewidth": 9}):
        again = plots.write_all(four, str(tmp_path / "b"))
    for one, other in zip(paths, again, strict=True):
        assert _digest(one) == _digest(other), one.name


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_svg_keeps_text_as_text_and_no_date(tmp_path: Path) -> None:
    for path in plots.write_all(played("64 kinds"), tmp_path):
        if path.suffix == ".svg":
            svg = path.read_text(encoding="utf-8")
            assert "<title>" in svg
            assert "dc:date" not in svg
            assert "matplotlib.org" not in svg.split("<g ")[0].split("-->")[-1]
    svg = (tmp_path / "card_impact.svg").read_text(encoding="utf-8")
    assert "goes with winning most" in svg
    assert "<b>" not in svg


def test_pyplot_is_not_loaded() -> None:
    code = "import sys; from rsc_sim import plots; print('matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_colours_belong_to_names() -> None:
    eight = [
        "rusher", "raider", "collector", "guardian", "random", "mine", "mine(bold=true)", "patient",
    ]  # fmt: skip
    colours = strategy_colours(eight)
    assert len(set(colours.values())) == 8
    assert strategy_colours(["guardian", "rusher"]) == {who: colours[who] for who in ("guardian", "rusher")}
    assert strategy_colours(["patient", "random"])["random"] == colours["random"]
    assert len(set(strategy_colours(f"s{i}" for i in range(8)).values())) == 8


def test_text_is_wrapped_and_cut_by_its_width() -> None:
    text = "Escape Ticket goes with winning most: 35 % of games"
    lines = wrapped(text, 1.5, 8).split("\n")
    assert " ".join(lines) == text
    assert all(text_width(line, 8) <= 1.5 for line in lines)
    assert not any(line.startswith("%") for line in lines)
    assert shortened("short", 1, 8) == "short"
    assert re.fullmatch("x+…x+", shortened("x" * 90, 1, 8))
    assert text_width(shortened("x" * 90, 1, 8), 8) <= 1
    assert wrapped("x" * 90, 1, 8).replace("\n", "") == "x" * 90
    assert max(text_width(line, 8) for line in wrapped("x" * 90, 1, 8).split("\n")) <= 1


@pytest.mark.parametrize(
    ("names", "cut"),
    [
        (
            ["bold.py:choose(greed=1.5)", "bold.py:choose(greed=2.5)"],
            ["bold.py:ch…(greed=1.5)", "bold.py:ch…(greed=2.5)"],
        ),
        (["/some/folder/of/mine/bold.py:choose", "mug"], ["…/bold.py:choose", "mug"]),
        (
            ["bold.py:choose(greed=1.5, boldness=17, other=3)", "bold.py:choose(greed=2.5, boldness=17, other=3)"],
            ["…greed=1.5, boldness…", "…greed=2.5, boldness…"],
        ),
        (
            ["/x/ay/bold.py:choose(a=1)", "/x/by/bold.py:choose(a=1)"],
            ["…ay/bold.py:choose(a…", "…by/bold.py:choose(a…"],
        ),
        (["x" * 60, "x" * 61, "x" * 60], [f"…{'x' * n}" for n in (12, 13, 12)]),
    ],
)
def test_names_that_differ_are_cut_where_they_still_do(names: list[str], cut: list[str]) -> None:
    assert told_apart(names, 1.5, 8.5) == cut
    assert max(text_width(name, 8.5) for name in cut) <= 1.5
