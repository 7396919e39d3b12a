"""Pictures and sentences of comparisons: numbers read back, titles word for word, no word on another."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rsc_sim.analysis.standings import Standings
from rsc_sim.analysis.tables import TableCounts
from rsc_sim.findings_compare import beaten, cycle, elo, findings, warnings
from rsc_sim.plots import compare as plots
from rsc_sim.plots.page import WIDTH, house_style
from rsc_sim.ruleset import Ruleset
from tests.analysis.made_tables import by_model, counted, drawn, duel
from tests.plots.reading import artist, collisions, ends_of, small_print, title, value, words

RULES = Ruleset.booklet().to_dict()
LONG = "a/long/path/to/a/strategy_that_somebody_wrote.py:choose(greed=0.75, bold=True)"


def logit(n: int, k: int, theta: Any, *, n_blocks: int = 400, names: str = "abcdefghijklmnopqrstuvwxyz") -> Standings:
    chance = np.random.default_rng(1)
    strength = by_model(theta, (0.0,) * k)
    made = [drawn(chance, group, strength, n_blocks=n_blocks) for group in combinations(range(n), k)]
    return Standings(list(names[:n]), made)


def table(*winners: int) -> TableCounts:
    """Give a table of three of which these win in turn."""
    return counted(
        (0, 1, 2),
        lambda seating: np.array([[float(who == winner) for who in seating] for winner in winners]),
        n_blocks=len(winners),
    )


FIELDS: dict[str, Callable[[], Standings]] = {
    "clear": lambda: logit(4, 4, (0.6, 0.2, -0.2, -0.6)),
    "level": lambda: logit(4, 3, (0.0,) * 4),
    "one far off": lambda: logit(5, 4, (0.1, 0.05, 0.0, -0.1, -6.0)),
    "cycle": lambda: Standings(
        ["rock", "scissors", "paper"], [duel(0, 1, 300, 200), duel(1, 2, 300, 200), duel(0, 2, 200, 300)]
    ),
    "level in steps": lambda: Standings(
        ["rusher", "raider", "collector", "guardian"],
        [
            duel(0, 1, 250, 250),
            duel(0, 2, 300, 200),
            duel(0, 3, 268, 232),
            duel(1, 2, 260, 240),
            duel(1, 3, 265, 235),
            duel(2, 3, 268, 232),
        ],
    ),
    "two": lambda: Standings(["collector", "random"], [duel(0, 1, 90, 10)]),
    "never wins": lambda: Standings(["a", "b", "c"], [table(*[0, 1] * 40, *[0] * 20)]),
    "one deal": lambda: Standings(["a", "b", "c"], [table(1)]),
    "nobody wins": lambda: Standings(["a", "b"], [counted((0, 1), lambda s: np.zeros((50, 2)), n_blocks=50)]),
    "many": lambda: logit(17, 2, np.linspace(0.5, -0.5, 17), n_blocks=20),
    "long leader": lambda: Standings([LONG, LONG + "2", "✂ 漢字 $5"], FIELDS["never wins"]().counts),
    "long names": lambda: Standings([LONG, LONG + "2", "✂ 漢字 $5"], FIELDS["cycle"]().counts),
    "repeated": lambda: Standings(
        ["a", "b"],
        [
            drawn(np.random.default_rng(2), group, by_model((0.3, 0.0), (0.0,) * 3), n_blocks=200)
            for group in ((0, 0, 1), (0, 1, 1))
        ],
    ),
}


@cache
def field(name: str) -> Standings:
    return FIELDS[name]()


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("draw", [plots.ratings, plots.against], ids=["ratings", "against"])
def test_any_comparison_is_drawn_without_words_running_into_each_other(draw: Any, name: str) -> None:
    ax = draw(field(name))
    with house_style():
        assert collisions(ax) == []
    assert title(ax)
    assert ax.get_xlabel()
    assert ax.figure.get_size_inches()[0] == pytest.approx(WIDTH)
    assert min(text.get_fontsize() for text in words(ax)) >= 7.5
    assert ("The 16 highest rated of 17" in small_print(ax)) == (name == "many" and draw is plots.against)


def test_ratings_are_the_figures() -> None:
    standings = field("clear")
    ax = plots.ratings(standings)
    for name, rating in zip(standings.names, standings.ratings.elo, strict=True):
        assert value(ax, f"value {name}") == pytest.approx(rating.value)
        assert ends_of(ax, f"range {name}") == pytest.approx((rating.low, rating.high))
        assert artist(ax, f"label {name}").get_text().startswith(elo(rating))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c", "d"]


def test_one_far_off_leaves_the_scale_to_the_others() -> None:
    ax = plots.ratings(field("one far off"))
    assert artist(ax, "beyond e").get_marker() == "<"
    low, high = ax.get_xlim()
    assert high - low < 150
    assert "Arrows: off the scale" in small_print(ax)
    assert artist(plots.ratings(field("never wins")), "label c").get_text() == "–  (0 %)"


def test_cells_are_the_figures_and_bold_is_clear() -> None:
    standings = field("cycle")
    ax = plots.against(standings)
    number = artist(ax, "number rock / scissors")
    assert (number.get_text(), number.get_fontweight()) == ("60.0", "bold")
    level = plots.against(field("level"))
    assert artist(level, "number a / b").get_fontweight() == "normal"
    more, less = (artist(ax, f"cell {pair}").get_facecolor() for pair in ("rock / scissors", "scissors / rock"))
    assert more[2] > more[0]
    assert less[0] > less[2]


def test_pictures_are_written_and_come_out_alike(tmp_path: Path) -> None:
    first = plots.write_all(field("cycle"), tmp_path / "a")
    again = plots.write_all(field("cycle"), tmp_path / "b")
    assert [path.name for path in first] == ["ratings.svg", "ratings.png", "against.svg", "against.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


@pytest.mark.parametrize(
    ("name", "leader", "picture"),
    [
        ("clear", "a is the strongest: it wins ", "a wins more than each of the others"),
        ("level", "No strategy wins measurably more than another", "No strategy wins clearly more than another"),
        (
            "many",
            "a, b, d and c rate above the average: no two strategies alone are clearly apart",
            "No strategy wins clearly more than another",
        ),
        ("cycle", "No strategy is the strongest: each one loses to another", "No order of all: rock beats scissors"),
        ("two", "collector is the strongest: it wins 90 % of its games", "collector wins more than random"),
        ("level in steps", "rusher and raider are the strongest: they win ", "None beats rusher or raider or guardian"),
        ("nobody wins", "Nobody won a single game", "No strategy wins clearly more than another"),
        ("repeated", "a is the strongest: each of its seats wins ", "a wins more than b"),
    ],
)
def test_what_is_said_of_the_strongest(name: str, leader: str, picture: str) -> None:
    standings = field(name)
    assert findings(standings)["leader"].replace("90.0 %", "90 %").startswith(leader)
    assert title(plots.against(standings)).startswith(picture)


def test_no_order_is_said_in_plain_words() -> None:
    said = findings(field("cycle"))
    assert said["cycle"].startswith(
        "There is no order of all of them: rock beats scissors (60.0 % of what the two win, "
    )
    assert "scissors beats paper" in said["cycle"]
    assert "and paper beats rock" in said["cycle"]
    assert said["fit"].startswith("Ratings do not tell all: who else sits there matters")
    assert "cycle" not in findings(field("clear"))


def test_the_order_shows_which_steps_are_clear() -> None:
    assert findings(field("clear"))["order"] == "By rating: a > b > c > d"
    assert "≈" in findings(field("level"))["order"]
    assert findings(field("clear"))["fit"].startswith("Whether the ratings hold at every table could not be tested")
    assert findings(field("one far off"))["fit"].startswith(
        "The ratings hold at every table, as far as these games tell"
    )


def test_the_strongest_and_the_order_do_not_contradict_each_other() -> None:
    """Guardian, which nobody beats, rates below collector, which rusher beats: it is not among the strongest."""
    said = findings(field("level in steps"))
    assert said["leader"].endswith("; guardian rates lower, though none clearly wins more than it")
    assert said["order"] == "By rating: rusher ≈ raider ≈ collector ≈ guardian; over several steps rusher > collector"


def test_what_to_distrust() -> None:
    (never, few) = sorted(warnings(field("never wins"), RULES), key=len, reverse=True)
    assert never.startswith("c won no game from a and b: how far apart they are cannot be told")
    assert few.startswith("Only 100 different deals were played")
    assert "Only one deal a table" in warnings(field("one deal"), RULES)[0]
    assert "100 % of the games did not end with a winner" in warnings(field("nobody wins"), RULES)[0]
    assert warnings(field("clear"), RULES) == []
    out_of_reach = Ruleset.booklet().override({"escape_threshold": 5_000}).to_dict()
    assert "Nobody can escape" in warnings(field("clear"), out_of_reach)[-1]


def test_shortest_cycles_are_found() -> None:
    assert cycle([[1, 2], [2], []]) == ()
    assert cycle([[1], [2], [3], [0, 1]]) == (1, 2, 3)
    assert cycle([[1], [0]]) == (0, 1)
    assert beaten(field("cycle")) == ((1,), (2,), (0,))
