"""Pictures of games as a whole: how long they last, and how they end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
from matplotlib.axes import Axes

from rsc_sim.analysis import Estimate, Quantile, figures_of, length_distribution, length_shares
from rsc_sim.findings import ends_finding, length_finding, length_words, percent, stuck_words
from rsc_sim.plots.page import SMALL, Page, picture
from rsc_sim.plots.palette import ESCAPE, INK, SOFT, STOPPED
from rsc_sim.plots.rows import Group, Row, bars, rows_height
from rsc_sim.plots.words import sample

if TYPE_CHECKING:
    from rsc_sim.run import Run

__all__ = ["ends", "game_length"]

_HATCH = "/////"
_MOST_BARS = 36
_SLOT = 0.17
"""Of the axis, what a bar that stands apart takes with its label."""
_TAIL = 0.005
"""The longest games, this share of those that were not stopped, go into one bar."""


@picture
def ends(run: Run, ax: Axes | None = None) -> Axes:
    """Draw how games end, and why those that do not end do not."""
    found = figures_of(run).ends
    rules = run.experiment.ruleset
    names = {"escape": "escape", "turn_cap": f"stopped at {rules['max_rounds']:,} rounds", "deadlock": "deadlock"}
    looks = {end: (ESCAPE, None) if end == "escape" else (STOPPED, _HATCH) for end in names}
    groups: list[Group] = [("", [Row(names[end], share, *looks[end]) for end, share in found.ends.items()])]
    reasons = found.stuck_of_unfinished
    if reasons:
        rows = [
            Row(stuck_words(reason, rules), reasons[reason], STOPPED, _HATCH)
            for reason in sorted(reasons, key=lambda reason: -reasons[reason].value)
        ]
        groups.append((f"Why {percent(found.unfinished)} do not end: share of those", rows))
    page = Page(ax, height=rows_height(groups))
    page.label_x("share of games (%)", bins=5)
    bars(page, groups)
    return page.finish(ends_finding(found, rules), sample(run))


@dataclass(frozen=True, slots=True)
class _Bar:
    """Games of `first` to `last` rounds, and where they are drawn; `stopped` are those that the limit stopped."""

    first: int
    last: int
    stopped: bool
    x: float
    width: float

    @property
    def name(self) -> str:
        if self.stopped:
            return "stopped"
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


@picture
def game_length(run: Run, ax: Axes | None = None) -> Axes:
    """Draw how many games last how many rounds, with the median; games stopped at the limit stand apart."""
    length = figures_of(run).rounds
    regular, apart = _bars(length_distribution(run.games))
    everything = [*regular, *apart]
    shares = _shares(run, regular, apart)
    page = Page(ax, height=2.0)
    ax = page.ax
    page.label_y("share of games (%)", bins=4)
    page.label_x("rounds (turns of each seat)")
    ax.grid(visible=False, axis="x")
    for bar, share in zip(everything, shares, strict=True):
        colour, hatch = (STOPPED, _HATCH) if bar.stopped else (ESCAPE, None)
        ax.bar(
            [bar.x], [100 * share.value], width=0.84 * bar.width, color=colour, hatch=hatch, edgecolor=SOFT,
            linewidth=0.5, gid=f"games {bar.name}",
        )  # fmt: skip
        if share.value:
            ax.plot(
                [bar.x, bar.x], [100 * share.low, 100 * share.high], color=INK, linewidth=1, solid_capstyle="butt",
                gid=f"range {bar.name}",
            )  # fmt: skip
    ax.set_ylim(0, 112 * max(share.high for share in shares if share.value))
    _ticks(ax, regular, apart)
    tenth, middle, most = length.quantiles
    if not middle.at_least:
        _median(ax, middle, apart)
    for bar, share in zip(apart, shares[len(regular) :], strict=True):
        ax.annotate(
            percent(share), (bar.x, 100 * share.high), xytext=(0, 2), textcoords="offset points", ha="center",
            fontsize=SMALL, color=INK, parse_math=False,
        )  # fmt: skip
    soon = f"One in ten is over within {_rounds(tenth)}"
    late = f"one in ten lasts {_rounds(most) if most.at_least else f'{_rounds(most)} or more'}"
    told = "Fewer than one in ten end before the limit." if tenth.at_least else f"{soon}, {late}."
    if length.n_stopped:
        told += " Games stopped at the limit would have gone on; they count as longest."
    return page.finish(length_finding(length), f"{told} {sample(run)}")


def _bars(counts: pl.DataFrame) -> tuple[list[_Bar], list[_Bar]]:
    """Cut lengths into bars of one width, and put the longest games, and those that were stopped, apart."""
    ended = counts.with_columns(n=pl.col("n_games") - pl.col("n_stopped")).filter(pl.col("n") > 0)
    regular: list[_Bar] = []
    apart: list[tuple[int, int, bool]] = []
    width, edge = 1, 0
    if ended.height:
        first, longest = int(ended["length"][0]), int(ended["length"][-1])
        beyond = (ended["n"].sum() - ended["n"].cum_sum()) <= _TAIL * int(ended["n"].sum())
        last = int(ended["length"].filter(beyond)[0])
        if longest - last <= max(3, (last - first) // 10):
            last = longest  # so short a tail needs no bar of its own
        width = next(w for w in _widths() if last - first < w * _MOST_BARS)
        start = (first - 1) // width * width
        n_bars = -(-(last - start) // width)
        edge = start + n_bars * width
        regular = [
            _Bar(a + 1, a + width, stopped=False, x=a + (width + 1) / 2, width=width) for a in range(start, edge, width)
        ]
        if longest > edge:
            apart.append((edge + 1, longest, False))
    if counts["n_stopped"].sum():
        limit = int(counts.filter(pl.col("n_stopped") > 0)["length"].max())  # type: ignore[arg-type]
        apart.append((limit, limit, True))
    # Each bar that stands apart takes as much of the axis as its label does.
    span = edge + 0.5 - (regular[0].x - 0.5 * width if regular else 0.5)
    slot = _SLOT * max(span, width) / (1 - _SLOT * len(apart))
    placed = [
        _Bar(first, last, stopped=stopped, x=edge + 0.5 + slot * (i + 0.5), width=min(slot / 3, 3 * width))
        for i, (first, last, stopped) in enumerate(apart)
    ]
    return regular, placed


def _widths() -> Sequence[int]:
    return [factor * 10**power for power in range(5) for factor in (1, 2, 5)]


def _shares(run: Run, regular: Sequence[_Bar], apart: Sequence[_Bar]) -> list[Estimate]:
    *shares, longer, stopped = length_shares(run.games, [bar.last for bar in regular])
    return shares + [stopped if bar.stopped else longer for bar in apart]


def _ticks(ax: Axes, regular: Sequence[_Bar], apart: Sequence[_Bar]) -> None:
    """Number some lengths, and name the bars that stand apart."""
    edge = max((bar.last for bar in regular), default=0)
    start = min((bar.first for bar in regular), default=1)
    step = next(w for w in _widths() if edge - start < 6 * w)
    numbers = [n for n in range(0, edge + 1, step) if n >= start - step / 2 and n > 0] or [start][: len(regular)]
    slot = apart[0].x - edge - 0.5 if apart else 0.0
    numbers = [n for n in numbers if n < edge + 0.5 - slot / 2] or numbers[:1]
    labels = [f"{n:,}" for n in numbers]
    labels += [f"stopped\nat {bar.last:,}" if bar.stopped else f"longer:\n{bar.name}" for bar in apart]
    ax.set_xticks([*numbers, *(bar.x for bar in apart)], labels)
    for label in ax.get_xticklabels()[len(numbers) :]:
        label.set_fontsize(SMALL)
    ax.set_xlim(start - 0.6, apart[-1].x + slot if apart else edge + 0.6)


def _median(ax: Axes, middle: Quantile, apart: Sequence[_Bar]) -> None:
    """Mark the length that half of the games do not exceed, with its interval."""
    low, high = ax.get_xlim()

    def x(length: float) -> float:
        return next((bar.x for bar in apart if bar.first <= length <= bar.last), length)

    at, begin, end = x(middle.estimate.value), x(middle.estimate.low), x(middle.estimate.high)
    ax.axvspan(begin - 0.5, end + 0.5, color=INK, alpha=0.12, linewidth=0, zorder=0.5, gid="median range")
    ax.axvline(at, color=INK, linewidth=1, linestyle=(0, (4, 2)), gid="median")
    text = f"median {length_words(middle, 'rounds')}"
    right = (at - low) / (high - low) > 0.55
    ax.annotate(
        text, (at, 1), xycoords=("data", "axes fraction"), xytext=(0, 2), textcoords="offset points",
        ha="right" if right else "left", va="bottom", fontsize=SMALL, color=INK, parse_math=False,
    )  # fmt: skip


def _rounds(quantile: Quantile) -> str:
    more = "more than " if quantile.at_least else ""
    return f"{more}{quantile.estimate.value:,.0f}"
