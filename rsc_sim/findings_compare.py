"""What a comparison says, in sentences: who is strongest, in which order, where there is none, and what to distrust.

One strategy *beats* another where it clearly wins more at tables that hold both, after allowing for how many pairs are
looked at. Sentences are made from `Standings` alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from rsc_sim.analysis.intervals import Estimate
from rsc_sim.analysis.standings import Standings
from rsc_sim.findings import MANY_UNFINISHED, listed, merch_worth, nth, percent, percent_range, side

__all__ = [
    "SURE",
    "beaten",
    "cycle",
    "cycle_finding",
    "elo",
    "elo_range",
    "findings",
    "fit_finding",
    "leader_finding",
    "order_finding",
    "place_finding",
    "warnings",
]

SURE = 0.01
"""A chance below this makes the fit of ratings doubtful."""

_FEW_DEALS = 200
_STEPS = 3
"""Pairs named at most that are clearly apart though no step between them is."""


def elo(estimate: Estimate) -> str:
    """Word Elo points, e.g. `+72`; with a decimal where the range deserves one."""
    return _points(estimate.value, _digits(estimate))


def elo_range(estimate: Estimate) -> str:
    """Word the range of Elo points, e.g. `+67 to +77`."""
    if not math.isfinite(estimate.low):
        return "cannot be told"
    digits = _digits(estimate)
    return f"{_points(estimate.low, digits)} to {_points(estimate.high, digits)}"


def _digits(estimate: Estimate) -> int:
    return 1 if estimate.high - estimate.low < 5 else 0


def _points(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("+-")


def beaten(standings: Standings) -> tuple[tuple[int, ...], ...]:
    """Give for each strategy those that it clearly wins more than."""
    n = len(standings.names)
    against = standings.encounters.against
    return tuple(
        tuple(j for j in range(n) if (met := against[i][j]) is not None and side(met, 0.5, looks=n * (n - 1) // 2) > 0)
        for i in range(n)
    )


def cycle(wins_over: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Find a shortest cycle, each beating the next and the last the first; empty where there is none.

    >>> cycle([[1], [2], [0, 3], []])
    (0, 1, 2)
    """
    best: tuple[int, ...] = ()
    for start in range(len(wins_over)):
        paths: dict[int, tuple[int, ...]] = {start: (start,)}
        queue = [start]
        for at in queue:
            for there in wins_over[at]:
                if there == start and (not best or len(paths[at]) < len(best)):
                    best = paths[at]
                if there not in paths:
                    paths[there] = (*paths[at], there)
                    queue.append(there)
    return best


def findings(standings: Standings) -> dict[str, str]:
    """Say what a comparison found, in the order in which it is to be read."""
    said = {
        "leader": leader_finding(standings),
        "cycle": cycle_finding(standings),
        "order": order_finding(standings),
        "fit": fit_finding(standings),
        "places": place_finding(standings),
    }
    return {name: text for name, text in said.items() if text}


def leader_finding(standings: Standings, names: Sequence[str] = ()) -> str:
    """Say which strategy is the strongest, if one is; `names` where other ones than the specs are to be shown."""
    names, overall = names or standings.names, standings.encounters.overall
    if not any(share.value for share in overall):
        return "Nobody won a single game"
    wins_over = beaten(standings)
    everybody = range(len(names))
    unbeaten = [i for i in everybody if not any(i in wins_over[j] for j in everybody)]
    if not unbeaten:
        return "No strategy is the strongest: each one loses to another"
    if len(unbeaten) == len(names):
        return _level_finding(standings, names)
    group = _leading(standings, unbeaten, wins_over)
    if len(group) == 1:
        best = group[0]
        unclear = [j for j in everybody if j != best and j not in wins_over[best]]
        level = [names[j] for j in unclear if not _rates_below(standings, j, best)]
        who = "each of its seats" if standings.repeated else "it"
        told = f"{who} wins {percent(overall[best])} of its games ({percent_range(overall[best])}), beside an equal "
        told += f"share of {_equal(standings):.1f} %"
        if not level:
            others = "each of the others" if len(names) > 2 else names[1 - best]
            above = "rates clearly above" if unclear else "more than"
            return f"{names[best]} is the strongest: {told}, and {above} {others}"
        return f"{names[best]} is beaten by none: {told}; {listed(level)} may be level with it"
    shares = [percent(overall[i]) for i in group]
    who = "each of their seats wins" if standings.repeated else "they win"
    between = "neither clearly more than the other" if len(group) == 2 else "none clearly more than another"
    lower = [names[i] for i in standings.order if i in unbeaten and i not in group]
    rate, them = ("rates", "it") if len(lower) == 1 else ("rate", "them")
    also = f"; {listed(lower)} {rate} lower, though none clearly wins more than {them}" if lower else ""
    return (
        f"{listed([names[i] for i in group])} are the strongest: {who} {listed(shares)} of their games, {between}, "
        f"beside an equal share of {_equal(standings):.1f} %{also}"
    )


def _leading(standings: Standings, unbeaten: Sequence[int], wins_over: Sequence[Sequence[int]]) -> list[int]:
    """Give the unbeaten ones, the highest rated first, down to one that they beat or that rates clearly lower.

    Who rates below that one is not called the strongest for having met the others too seldom to be beaten.
    """
    group: list[int] = []
    for i in standings.order:
        if group and (any(i in wins_over[j] for j in group) or _rates_below(standings, i, group[0])):
            break
        if i in unbeaten:
            group.append(i)
    return group


def _rates_below(standings: Standings, low: int, high: int) -> bool:
    n = len(standings.names)
    return side(standings.ratings.difference(high, low), looks=n * (n - 1) // 2) > 0


def _level_finding(standings: Standings, names: Sequence[str]) -> str:
    """Say what the ratings tell where no two strategies alone are clearly apart."""
    found = standings.ratings.elo
    above = [names[i] for i in standings.order if side(found[i], looks=len(names)) > 0]
    if not above:
        return "No strategy wins measurably more than another"
    rate = "rates" if len(above) == 1 else "rate"
    return f"{listed(above)} {rate} above the average: no two strategies alone are clearly apart"


def cycle_finding(standings: Standings) -> str:
    """Say that there is no order of all, and show why; empty where there is no sign of that."""
    found = cycle(beaten(standings))
    if not found:
        return ""
    against, names = standings.encounters.against, standings.names
    steps = []
    for i, j in pairwise((*found, found[0])):
        met = against[i][j]
        assert met is not None
        steps.append(f"{names[i]} beats {names[j]} ({percent(met)} of what the two win, {percent_range(met)})")
    return f"There is no order of all of them: {listed(steps)}"


def order_finding(standings: Standings) -> str:
    """Give the order of ratings, where a step of it is clear, and what is clear only over several steps."""
    wins_over, order, names = beaten(standings), standings.order, standings.names
    text = names[order[0]]
    runs = [[order[0]]]
    for above, below in pairwise(order):
        sign = ">" if below in wins_over[above] else "<" if above in wins_over[below] else "≈"
        text += f" {sign} {names[below]}"
        runs = [*runs[:-1], [*runs[-1], below]] if sign == "≈" else [*runs, [below]]
    apart = []
    for run in runs:
        for at, above in enumerate(run):
            clear = next((below for below in run[at + 2 :] if below in wins_over[above]), None)
            if clear is not None:
                apart.append(f"{names[above]} > {names[clear]}")
    if len(apart) > _STEPS:
        apart = [*apart[:_STEPS], f"{len(apart) - _STEPS} more"]
    return f"By rating: {text}" + (f"; over several steps {listed(apart)}" if apart else "")


def fit_finding(standings: Standings) -> str:
    """Say whether one rating each tells who wins at every table."""
    fit = standings.fit
    if not fit.freedom:
        return f"Whether the ratings hold at every table could not be tested: {fit.reason}"
    off = f"as a rule they are off by {fit.typical_miss * 100:.1f} points"
    if fit.p >= SURE:
        return f"The ratings hold at every table, as far as these games tell: {off}"
    names, worst = standings.names, fit.misses[0]
    others = [names[i] for i in dict.fromkeys(worst.table) if i != worst.strategy]
    beside = listed(others) if len(others) < len(set(worst.table)) else "them"
    seats = worst.table.count(worst.strategy)
    on = f" on {seats} seats" if seats > 1 else ""
    return (
        f"Ratings do not tell all: who else sits there matters. {names[worst.strategy]}{on} beside {beside} wins "
        f"{worst.won * 100:.1f} %, where its rating says {worst.expected * 100:.1f} %; {off}"
    )


def place_finding(standings: Standings) -> str:
    """Say which place helps and which hurts."""
    places = standings.ratings.places
    where = [side(place, looks=len(places)) if math.isfinite(place.low) else 0 for place in places]
    best = max(range(len(places)), key=lambda i: places[i].value)
    worst = min(range(len(places)), key=lambda i: places[i].value)
    if where[best] > 0:
        return _place(best, places[best], "best")
    if where[worst] < 0:
        return _place(worst, places[worst], "worst")
    return "No place at the table is measurably better than another"


def _place(place: int, estimate: Estimate, word: str) -> str:
    return (
        f"The {nth(place)} to play has the {word} place: {elo(estimate)} Elo points beside the average place "
        f"({elo_range(estimate)})"
    )


def warnings(standings: Standings, rules: Mapping[str, Any]) -> list[str]:
    """Say what to distrust."""
    said = []
    unfinished, names = standings.unfinished, standings.names
    if unfinished.value > MANY_UNFINISHED:
        counted = (
            "they say nothing about who is stronger and are left out of ratings; in shares of wins they count as lost"
        )
        said.append(
            f"{percent(unfinished)} of the games did not end with a winner ({percent_range(unfinished)}): {counted}."
        )
    fewest = min(table.n_blocks for table in standings.counts)
    if fewest == 1:
        said.append("Only one deal a table was played: no range can be told. More --games.")
    elif standings.n_deals < _FEW_DEALS:
        said.append(f"Only {standings.n_deals:,} different deals were played: ranges are wide, and rough themselves.")
    groups = standings.ratings.groups
    if len(groups) > 1 and any(share.value for share in standings.encounters.overall):
        main = max(groups, key=len)
        for group in groups:
            if group == main:
                continue
            who = listed([names[i] for i in group])
            above = groups.index(group) < groups.index(main)
            did = "lost no game to" if above else "won no game from"
            said.append(
                f"{who} {did} {listed([names[i] for i in main])}: how far apart they are cannot be told, and the "
                "rating shown is only how far the number of games lets it go."
            )
    merch = merch_worth(rules)
    if rules["escape_threshold"] > merch:
        said.append(f"Nobody can escape: all Merch together ({merch:,}) is worth less than the threshold.")
    return said


def _equal(standings: Standings) -> float:
    return 100 * (1 - standings.unfinished.value) / standings.seats
