"""A sweep as it is read: points with short labels, figures with their ranges and differences, and what they say.

Made from the record and the frame of a sweep alone; screens, pages and pictures show what is here. A finding says that
a figure moves only where its interval says so, after allowing for how many points were looked at (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rsc_sim.analysis.intervals import Estimate
from rsc_sim.analysis.paired import Paired
from rsc_sim.findings import percent, percent_range, points, points_range, side

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "DRAWN",
    "HEADLINES",
    "SweepView",
    "curve_finding",
    "effects_finding",
    "figure_words",
    "group_of",
    "key_words",
    "levels_finding",
    "map_finding",
    "moves_anything",
    "tell",
    "tell_change",
    "tell_change_range",
    "tell_range",
]

DRAWN = ("win_share", "place_share", "median_rounds", "unfinished")
"""Figures that are drawn unless the experiment says which."""
HEADLINES = (
    *("strategy_spread", "place_spread", "unfinished", "median_rounds", "lead_changes", "read_moves", "escaper_wins"),
)
"""Figures, one number each, that are told of every point, as far as it has them."""

_WORDS = {
    "win_share": "wins of one seat",
    "place_share": "wins by place",
    "place_edge": "wins by place beyond an equal share",
    "strategy_spread": "gap between best and worst strategy",
    "place_spread": "gap between best and worst place",
    "unfinished": "games that do not end",
    "stuck": "games that got stuck",
    "median_rounds": "median rounds",
    "mean_rounds": "mean rounds",
    "median_turns": "median turns",
    "mean_turns": "mean turns",
    "lead_changes": "lead changes a game",
    "read_moves": "Read's moves a game",
    "cancelled": "Actions cancelled a game",
    "escaper_wins": "escapes that the escaper wins",
    "tie": "games that end in a tie",
}
_STUCK = {
    "threshold": "games where no table can reach the threshold",
    "tickets": "games where tickets are out of reach",
    "lone_turn": "games where one seat keeps the turn",
    "stalled": "games where players stall",
}


@dataclass(frozen=True)
class SweepView:
    """A sweep, ready to be read."""

    name: str
    description: str
    keys: tuple[str, ...]
    key_names: tuple[str, ...]
    """The keys in words."""
    base: int
    labels: tuple[str, ...]
    """By point, short."""
    settings: tuple[dict[str, Any], ...]
    notes: tuple[dict[str, str], ...]
    n_games: tuple[int, ...]
    figures: tuple[str, ...]
    """Keys of all figures, in order."""
    values: dict[str, list[Estimate | None]]
    """By figure, its value at each point; None where a point has no such figure."""
    differences: dict[str, list[Paired | None]]
    """By figure, the paired difference of each point to the base; None for the base itself."""
    show: tuple[str, ...]

    @classmethod
    def of(cls, record: Mapping[str, Any], frame: pl.DataFrame) -> SweepView:
        """Make it from what `sweep.json` holds and the frame over all points."""
        described = record["points"]
        n = len(described)
        keys = tuple(record["keys"])
        rows = frame.to_dicts()
        figures = list(dict.fromkeys(_key(row) for row in rows))
        values: dict[str, list[Estimate | None]] = {key: [None] * n for key in figures}
        differences: dict[str, list[Paired | None]] = {key: [None] * n for key in figures}
        n_games = [0] * n
        for row in rows:
            key, number = _key(row), row["point"]
            n_games[number] = row["n_games"]
            how = {name: row[name] for name in ("unit", "n_blocks", "method")}
            values[key][number] = Estimate(row["value"], row["low"], row["high"], row["level"], **how)
            if row["difference"] is not None:
                differences[key][number] = Paired(
                    Estimate(row["difference"], row["difference_low"], row["difference_high"], row["level"], **how),
                    *(math.nan if row[name] is None else row[name] for name in ("correlation", "games_saved")),
                )
        cards = described[record["base"]]["experiment"]["rules"]["cards"]
        whole = not keys or record["how"] != "grid" or len(keys) > 1
        labels = [point["label"] if whole else point["label"].removeprefix(f"{keys[0]} ") for point in described]
        return cls(
            name=record["name"],
            description=record["description"],
            keys=keys,
            key_names=tuple(key_words(key, cards) for key in keys),
            base=record["base"],
            labels=tuple(labels),
            settings=tuple(point["settings"] for point in described),
            notes=tuple(point["note"] for point in described),
            n_games=tuple(n_games),
            figures=tuple(figures),
            values=values,
            differences=differences,
            show=tuple(record["show"]) or DRAWN,
        )

    @property
    def numeric(self) -> bool:
        """Whether it is over one key whose values are numbers."""
        return len(self.keys) == 1 and all(isinstance(s[self.keys[0]], (int, float)) for s in self.settings)

    @property
    def others(self) -> list[int]:
        """The points without the base."""
        return [number for number in range(len(self.labels)) if number != self.base]

    def headlines(self) -> list[str]:
        """Give the figures of one number each that are told of every point: those shown first, then the usual ones."""
        wanted = [key for name in (*self.show, *HEADLINES) for key in group_of(name, self.figures) if key == name]
        return [key for key in dict.fromkeys(wanted) if self.values[key][self.base] is not None]

    def place(self, number: int) -> str:
        """Say where a point is: `at escape threshold 800`, or its label in quotes."""
        if len(self.keys) == 1:
            return f"{self.key_names[0]} {self.labels[number]}"
        return f"'{self.labels[number]}'"


def _key(row: Mapping[str, Any]) -> str:
    return str(row["figure"] if row["of"] is None else f"{row['figure']}.{row['of']}")


def group_of(name: str, figures: Sequence[str]) -> list[str]:
    """List the figures that a name stands for: one, or all of a group such as `win_share`."""
    return [key for key in figures if key == name or key.startswith(f"{name}.")]


def figure_words(key: str) -> str:
    """Say what a figure is."""
    name, _, of = key.partition(".")
    if name == "stuck" and of in _STUCK:
        return _STUCK[of]
    if name == "win_share" and of:
        return f"wins of {of}"
    if name == "place_share" and of:
        return f"wins of the {of} to play"
    if name == "place_edge" and of:
        return f"wins of the {of} to play beyond an equal share"
    return _WORDS.get(name, name.replace("_", " "))


def key_words(key: str, cards: Mapping[str, Any]) -> str:
    """Say what a key is: `cards.mug.copies` is `copies of Mug`."""
    parts = key.removeprefix("rules.").split(".")
    if parts[0] == "cards" and len(parts) == 3 and parts[1] in cards:
        return f"{parts[2].replace('_', ' ')} of {cards[parts[1]]['name']}"
    return key.replace("_", " ")


# ---- figures in words


def _digits(half: float) -> int:
    return next((digits for digits in range(3) if half >= 2 * 10**-digits), 3) if half > 0 else 1


def tell(estimate: Estimate) -> str:
    """Word a figure with as many decimals as its range deserves."""
    if estimate.unit == "difference of shares":
        return points(estimate)
    if estimate.unit == "share":
        return percent(estimate)
    return f"{estimate.value:,.{_digits((estimate.high - estimate.low) / 2)}f}"


def tell_range(estimate: Estimate) -> str:
    """Word the range of a figure."""
    if estimate.unit == "difference of shares":
        return points_range(estimate)
    if estimate.unit == "share":
        return percent_range(estimate)
    digits = _digits((estimate.high - estimate.low) / 2)
    return f"{estimate.low:,.{digits}f} to {estimate.high:,.{digits}f}"


def tell_change(estimate: Estimate) -> str:
    """Word a difference: in percentage points where it is of shares."""
    if "share" in estimate.unit:
        return points(estimate)
    return _signed(estimate.value, _digits((estimate.high - estimate.low) / 2)) + _unit(estimate)


def tell_change_range(estimate: Estimate) -> str:
    """Word the range of a difference."""
    if "share" in estimate.unit:
        return points_range(estimate)
    digits = _digits((estimate.high - estimate.low) / 2)
    return f"{_signed(estimate.low, digits)} to {_signed(estimate.high, digits)}"


def _unit(estimate: Estimate) -> str:
    return "" if estimate.unit == "times a game" else f" {estimate.unit}"


def _signed(value: float, digits: int) -> str:
    text = f"{value:+,.{digits}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("+-")


# ---- findings


def curve_finding(view: SweepView, name: str) -> str:
    """Say what a figure, or the one of a group that moves most, does from the first point to the last."""
    moved = []
    for key in group_of(name, view.figures):
        there = [(number, value) for number, value in enumerate(view.values[key]) if value is not None]
        if len(there) < 2:
            continue
        (first, low), (last, high) = _ends(view, there)
        if low.high < high.low or high.high < low.low:
            moved.append((abs(high.value - low.value), key, (first, low), (last, high)))
    if not moved:
        return _capital(f"{figure_words(name)}: no measurable change")
    _, key, (first, a), (last, b) = max(moved, key=lambda entry: entry[0])
    verb = "rise" if b.value > a.value else "fall"
    if figure_words(key).startswith("gap"):
        verb += "s"
    return _capital(
        f"{figure_words(key)} {verb} from {tell(a)} at {view.place(first)} to {tell(b)} at {view.labels[last]}"
    )


def _ends(view: SweepView, there: list[tuple[int, Estimate]]) -> tuple[tuple[int, Estimate], tuple[int, Estimate]]:
    if view.numeric:
        ordered = sorted(there, key=lambda pair: view.settings[pair[0]][view.keys[0]])
        return ordered[0], ordered[-1]
    return min(there, key=lambda pair: pair[1].value), max(there, key=lambda pair: pair[1].value)


def moves_anything(view: SweepView, key: str) -> bool:
    """Say whether any point clearly moves a figure from the base."""
    pairs = [view.differences[key][number] for number in view.others]
    return any(side(pair.difference, looks=len(view.others)) for pair in pairs if pair is not None)


def effects_finding(view: SweepView, key: str) -> str:
    """Say which point moves a figure most, beside the base."""
    looks = len(view.others)
    moved = [
        (abs(found.difference.value), number)
        for number in view.others
        if (found := view.differences[key][number]) is not None and side(found.difference, looks=looks)
    ]
    if not moved:
        return _capital(f"{figure_words(key)}: nothing moves it measurably")
    _, number = max(moved)
    found = view.differences[key][number]
    assert found is not None
    return _capital(f"{figure_words(key)}: '{view.labels[number]}' moves it most, by {tell_change(found.difference)}")


def levels_finding(view: SweepView, key: str) -> str:
    """Say between which points a figure varies."""
    there = [(value.value, number, value) for number, value in enumerate(view.values[key]) if value is not None]
    (_, first, low), (_, last, high) = min(there, key=itemgetter(0)), max(there, key=itemgetter(0))
    if low.high >= high.low:
        return _capital(f"{figure_words(key)}: no measurable difference between the points")
    return _capital(
        f"{figure_words(key)}: from {tell(low)} ({view.labels[first]}) to {tell(high)} ({view.labels[last]})"
    )


def map_finding(view: SweepView, key: str) -> str:
    """Say where on a map a figure is lowest and highest."""
    there = [(value.value, number, value) for number, value in enumerate(view.values[key]) if value is not None]
    (_, _, low), (_, last, high) = min(there, key=itemgetter(0)), max(there, key=itemgetter(0))
    if low.high >= high.low:
        return _capital(f"{figure_words(key)}: no measurable difference anywhere")
    return _capital(f"{figure_words(key)}: {tell(low)} to {tell(high)}, most at {_where(view, last)}")


def _where(view: SweepView, number: int) -> str:
    return " and ".join(
        f"{name} {_number(view.settings[number][key])}" for key, name in zip(view.keys, view.key_names, strict=True)
    )


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
