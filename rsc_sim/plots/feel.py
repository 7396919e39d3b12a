"""The pictures of a study of the feel of a game: how open it is and what there is to do; where luck comes from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from rsc_sim.analysis import Estimate
from rsc_sim.findings_feel import SOURCE_WORDS, feel_finding, luck_finding, share_of_luck
from rsc_sim.plots.page import SMALL, Page, house_style, save
from rsc_sim.plots.palette import ESCAPE, INK, PAPER, SOFT, STOPPED
from rsc_sim.plots.rows import PITCH, Group, Row, bars, rows_height

if TYPE_CHECKING:
    from rsc_sim.feel import FeelStudy

__all__ = ["game_feel", "luck_sources", "write_feel"]

_BLUE, _PALE = "#0072B2", "#56B4E9"


def game_feel(study: FeelStudy, ax: Axes | None = None) -> Axes:
    """Draw how open games are, whom Actions go against, and how often there is nothing to do, as shares."""
    feel = study.feel
    wanted = (
        ("Of winners, by points", _BLUE, (
            ("behind at half-time", "points_comeback"), ("last at half-time", "points_comeback_from_last"),
        )),
        ("Of winners, by tabled Merch", _PALE, (
            ("behind at half", "comeback"), ("last at half", "comeback_from_last"),
            ("behind at the end", "winner_trails"),
        )),
        ("Turns left once the winner leads for good", "#009E73", (
            ("by points", "points_decided_early"), ("by tabled Merch", "decided_early"),
        )),
        ("Others' Actions that hit the Merch leader", "#D55E00", (
            ("as played", "leader_hit"), ("targets drawn by lot", "leader_hit_by_chance"),
        )),
        ("Nothing to do, nothing to choose", "#882255", (
            ("idle turns", "idle"), ("decisions with one move", "single"),
        )),
    )  # fmt: skip
    with house_style():
        groups: list[Group] = [
            (heading, [Row(name, feel[figure], ESCAPE if "chance" in figure else colour) for name, figure in rows])
            for heading, colour, rows in wanted
        ]
        page = Page(ax, height=rows_height(groups))
        page.label_x("share (%)")
        bars(page, groups)
        small = (
            f"{feel.n_games:,} games on {study.n_blocks:,} deals. Points: tabled Merch, and Read's for whoever "
            "displays it. Behind: another seat leads. Lines: 95 % ranges. Definitions: docs/feel.md."
        )
        return page.finish(feel_finding(feel), small)


def luck_sources(study: FeelStudy, ax: Axes | None = None) -> Axes:
    """Draw how much of luck each source makes up alone, and how much hangs on it in all."""
    luck = study.luck
    if luck is None:
        raise ValueError("luck: this study did not play with luck changed; expected one made with luck=True")
    with house_style():
        rows = (*luck.sources, *luck.groups)
        page = Page(ax, height=1.7 * PITCH * len(rows))
        ax = page.ax
        page.label_x("share of luck (%)")
        ax.set_ylim(len(rows) - 0.45, -0.6)
        ax.set_yticks(range(len(rows)), [_two_lines(SOURCE_WORDS[row.name]) for row in rows], parse_math=False)
        for y, row in enumerate(rows):
            _bar(ax, y - 0.18, share_of_luck(row.alone), _BLUE, f"alone {row.name}")
            _bar(ax, y + 0.18, share_of_luck(row.in_all), STOPPED, f"in all {row.name}")
        ax.set_xlim(0, 103)
        handles = [
            ax.barh([0], [0], color=_BLUE, label="alone: known if only this were known"),
            ax.barh(
                [0],
                [0],
                color=STOPPED,
                edgecolor=SOFT,
                linewidth=0.6,
                label="in all: unknown if only this were unknown",
            ),
        ]
        page.fit()
        ax.legend(
            handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=SMALL,
            labelcolor=INK, borderpad=0, borderaxespad=0.3, handlelength=1.2, facecolor=PAPER,
        )  # fmt: skip
        small = (
            f"Sobol's first-order and total shares of the variance of a seat's win, {study.luck_blocks:,} deals played "
            "again with one source of luck changed. Lines: 95 % ranges."
        )
        return page.finish(luck_finding(luck), small)


def _bar(ax: Axes, y: float, share: Estimate, colour: str, gid: str) -> None:
    ax.barh([y], [100 * share.value], height=0.34, color=colour, edgecolor=SOFT, linewidth=0.6, gid=f"value {gid}")
    ax.plot([100 * share.low, 100 * share.high], [y, y], color=INK, linewidth=1.2, gid=f"range {gid}")


def _two_lines(words: str) -> str:
    """Break a name where its lines are of most equal length."""
    parts = words.split(" ")
    cuts = range(1, len(parts))
    best = min(cuts, key=lambda i: max(len(" ".join(parts[:i])), len(" ".join(parts[i:]))), default=0)
    return f"{' '.join(parts[:best])}\n{' '.join(parts[best:])}" if best else words


def write_feel(study: FeelStudy, folder: Path) -> list[Path]:
    """Draw every picture of a study and write each as SVG and PNG into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    draws: list[Callable[[FeelStudy], Axes]] = [game_feel]
    if study.luck is not None and study.luck.variance.value > 0:
        draws.append(luck_sources)
    paths: list[Path] = []
    for draw in draws:
        ax = draw(study)
        with house_style():
            paths += save(ax, folder, draw.__name__)
    return paths
