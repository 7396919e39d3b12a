"""The page of a sweep, README.md in its directory: what was asked, what was found, pictures, and how to read them.

Made from a `SweepView` alone, so that the same sweep gives the same page. Where the points are readings of unclear
sentences, each gets a section of its own, the one that matters most first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rsc_sim.findings import side
from rsc_sim.present_sweep import correlation_words, findings, precision_sentence, saved_words, target_sentence
from rsc_sim.store import write_file
from rsc_sim.sweep_view import SweepView, figure_words, tell, tell_change, tell_change_range, tell_range

if TYPE_CHECKING:
    from rsc_sim.sweep import Sweep

__all__ = ["Weight", "weigh", "write_page"]

SHARE_MATTERS = 0.01
"""A share that moves by a percentage point is a different game at the table."""
LENGTH_MATTERS = 0.05
"""Likewise a length or a count that moves by this part of itself."""


def write_page(sweep: Sweep, view: SweepView) -> list[Path]:
    """Draw the pictures and write README.md beside them; return the files."""
    from rsc_sim.plots.sweep import write_sweep

    target = sweep.target
    wanted = None if target is None else (target[0].figure, target[0].value)
    pictures = write_sweep(view, sweep.path / "plots", wanted=wanted)
    page = sweep.path / "README.md"
    write_file(page, "\n".join(page_lines(sweep, view, pictures)).encode())
    return [page, *pictures]


def page_lines(sweep: Sweep, view: SweepView, pictures: Sequence[Path]) -> Iterator[str]:
    """Give the page, line by line."""
    readings = any(view.notes)
    yield f"# {'What the unclear sentences of the booklet change' if readings else f'Sweep: {view.name}'}"
    yield ""
    if view.description:
        yield view.description
        yield ""
    games = sum(view.n_games)
    played = sweep.points[view.base].experiment
    alike = len({point.experiment.lineup for point in sweep.points}) == 1
    who = ", ".join(played.lineup) if alike else "a lineup of its own at each point,"
    yield (
        f"{len(view.labels)} points, {games:,} games in all, played by {who} with seed "
        f"{played.seed}. Every point plays the same deals as **{view.labels[view.base]}**, with which it is compared."
    )
    yield ""
    if short := precision_sentence(sweep):
        yield f"**Read this first.** {short}"
        yield ""
    if target := target_sentence(sweep, view):
        yield f"**Target.** {target}"
        yield ""
    yield from _readings(view) if readings else _found(view)
    yield "## In pictures"
    yield ""
    for path in pictures:
        if path.suffix == ".svg":
            yield f"![{path.stem.replace('_', ' ')}](plots/{path.name})"
            yield ""
    yield from _table(view)
    yield from _pairing(view)
    yield "## How to read this"
    yield ""
    yield (
        "A range in brackets holds the true value in 19 of 20 such studies. All games of a deal count as one, since "
        "they share its luck. A difference is measured deal by deal, which makes its range much narrower than those of "
        "the two figures it is the difference of. Games that do not end are won by nobody. A median of rounds lies "
        "between whole rounds where the games do (mid-distribution median). The gap between best and worst is never "
        "below 0, and reads a little too high where there is none."
    )
    yield ""
    yield "All figures, with their ranges, are in `points.csv` and `points.parquet`. They were made by"
    yield ""
    yield "```"
    yield str(sweep.record.get("command") or f"rsc sweep {view.name}")
    yield "```"
    yield ""


def _found(view: SweepView) -> Iterator[str]:
    yield "## What was found"
    yield ""
    for sentence in findings(view):
        yield f"- {sentence}."
    yield ""


def _table(view: SweepView) -> Iterator[str]:
    keys = view.headlines()
    yield "## All points"
    yield ""
    heads = [figure_words(key) for key in keys]
    yield f"| {' | '.join(['', *(head[:1].upper() + head[1:] for head in heads)])} |"
    yield f"|---|{'---:|' * len(keys)}"
    for number, label in enumerate(view.labels):
        cells = []
        for key in keys:
            value = view.values[key][number]
            cells.append("–" if value is None else f"{tell(value)} ({tell_range(value)})")
        yield f"| {' | '.join([f'**{label}**' if number == view.base else label, *cells])} |"
    yield ""


def _pairing(view: SweepView) -> Iterator[str]:
    """Tell by point and figure what sharing deals was worth."""
    keys = view.headlines()
    yield "## What sharing deals saved"
    yield ""
    yield (
        "Of the games that it would have taken to know each difference to the base as well on deals of its own, the "
        "part that sharing them saved; in brackets the correlation of the two points, deal by deal. Near 0, or below, "
        "the points have too little in common."
    )
    yield ""
    yield f"| {' | '.join(['', *(figure_words(key)[:1].upper() + figure_words(key)[1:] for key in keys)])} |"
    yield f"|---|{'---:|' * len(keys)}"
    for number in view.others:
        cells = []
        for key in keys:
            pair = view.differences[key][number]
            told = pair is not None and math.isfinite(pair.correlation)
            cells.append(f"{saved_words(pair.games_saved)} ({correlation_words(pair)})" if pair and told else "–")
        yield f"| {' | '.join([view.labels[number], *cells])} |"
    yield ""


# ---- readings of unclear sentences


class Weight:
    """How much a point matters: its largest clear change, in units of what matters, and what else it clearly moves."""

    def __init__(self, view: SweepView, number: int) -> None:
        self.number = number
        self.moves: list[tuple[float, str]] = []
        """Size and figure of each change that is clear after allowing for how many were looked at, largest first."""
        self.widest = 0.0
        """The largest change that the ranges leave possible, over all figures."""
        self.widest_key = ""
        looks = len(view.others) * len(view.headlines())
        for key in view.headlines():
            pair, base = view.differences[key][number], view.values[key][view.base]
            if pair is None or base is None:
                continue
            matters = SHARE_MATTERS if "share" in base.unit else max(LENGTH_MATTERS * base.value, 1e-9)
            found = pair.difference
            possible = max(abs(found.low), abs(found.high)) / matters
            if possible > self.widest:
                self.widest, self.widest_key = possible, key
            if side(found, looks=looks):
                self.moves.append((abs(found.value) / matters, key))
        self.moves.sort(reverse=True)

    @property
    def size(self) -> float:
        """The largest clear change; 1 is what matters."""
        return self.moves[0][0] if self.moves else 0.0


def weigh(view: SweepView) -> list[Weight]:
    """Weigh every point but the base, what matters most first."""
    return sorted((Weight(view, number) for number in view.others), key=lambda w: (-w.size, -w.widest))


def _readings(view: SweepView) -> Iterator[str]:
    weights = weigh(view)
    grave = [w for w in weights if w.size >= 1]
    yield "## In short"
    yield ""
    if grave:
        yield (
            f"{len(grave)} of {len(weights)} readings change the game enough to be felt at the table: a share by a "
            f"percentage point or more, a length or a count by {LENGTH_MATTERS * 100:.0f} % or more."
        )
    else:
        yield f"None of {len(weights)} readings changes the game enough to be felt at the table."
    yield ""
    yield "| | Reading | What it changes most | Advice |"
    yield "|---:|---|---|---|"
    for rank, weight in enumerate(weights, 1):
        yield f"| {rank} | {view.labels[weight.number]} | {_most(view, weight)} | {_advice(view, weight, short=True)} |"
    yield ""
    yield "## One by one, what matters most first"
    yield ""
    for rank, weight in enumerate(weights, 1):
        yield from _reading(view, weight, rank)


def _most(view: SweepView, weight: Weight) -> str:
    if not weight.moves:
        return "nothing measurably"
    return _moved(view, weight, weight.moves[0][1])


def _moved(view: SweepView, weight: Weight, key: str) -> str:
    pair = view.differences[key][weight.number]
    assert pair is not None
    return f"{figure_words(key)} by {tell_change(pair.difference)} ({tell_change_range(pair.difference)})"


def _listed(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _reading(view: SweepView, weight: Weight, rank: int) -> Iterator[str]:
    note = view.notes[weight.number]
    yield f"### {rank}. {view.labels[weight.number]}"
    yield ""
    if "question" in note:
        yield f"{note['question']}"
        yield ""
    if "sentence" in note:
        yield f"> {note['sentence']}"
        yield ""
    if "usual" in note:
        yield f"- Usual reading: {note['usual']}"
    if "reading" in note:
        yield f"- Other reading: {note['reading']}"
    yield ""
    if different := view.values.get("played_differently", [None] * len(view.labels))[weight.number]:
        yield f"Of all games, {tell(different)} ({tell_range(different)}) went differently in anything at all."
        yield ""
    yield "| | Usual reading | Other reading | Change |"
    yield "|---|---:|---:|---:|"
    for key in view.headlines():
        base, value, pair = (
            view.values[key][view.base],
            view.values[key][weight.number],
            view.differences[key][weight.number],
        )
        if base is None or value is None or pair is None:
            continue
        clear = any(key == moved for _, moved in weight.moves)
        change = f"{tell_change(pair.difference)} ({tell_change_range(pair.difference)})"
        words = figure_words(key)
        shown = f"**{change}**" if clear else change
        yield f"| {words[:1].upper() + words[1:]} | {tell(base)} | {tell(value)} | {shown} |"
    yield ""
    yield f"**Advice.** {_advice(view, weight)}"
    yield ""


def _advice(view: SweepView, weight: Weight, *, short: bool = False) -> str:
    """Advise on a sentence from what its other reading changes."""
    if weight.size >= 1:
        if short:
            return "say it in print"
        felt = [key for size, key in weight.moves if size >= 1][:3]
        told = _listed([_moved(view, weight, key) for key in felt])
        return f"Say in print which is meant. The other reading changes {told}."
    if weight.moves:
        return (
            "either will do"
            if short
            else f"Either reading will do. What it changes can be measured, {_most(view, weight)}, but hardly be felt."
        )
    if weight.widest < 1:
        return (
            "leave it"
            if short
            else "Leave the sentence as it is: no figure here moves enough to be felt, whatever is read."
        )
    return (
        "not settled by this many games"
        if short
        else f"This many games cannot tell: {figure_words(weight.widest_key)} might still move enough to be felt."
    )
