"""Sets the figures of the feel of a game beside the limits of its experiment.

As in `judge`: *beyond* where the whole interval is, *within* where all of it is within, else unsure. Figures are those
of `feel.json`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rsc_sim.analysis import Estimate
from rsc_sim.findings import percent, percent_range, points, points_range
from rsc_sim.findings_feel import share_of_luck
from rsc_sim.report.judge import above, between, length_finding, off_by, read_dealt
from rsc_sim.report.model import Finding, State

if TYPE_CHECKING:
    from rsc_sim.experiment import Limits

__all__ = ["judge_feel"]


def judge_feel(kept: Mapping[str, Any], limits: Limits, *, alone: bool = False) -> Iterator[Finding]:
    """Give the findings of a study, in no order; `alone` those too that a run's report has of its own."""
    figure = {name: Estimate.from_dict(one) for name, one in kept["figures"].items()}
    if kept["n_won"]:
        early, behind = figure["points_decided_early"], figure["points_comeback"]
        yield from _at_most(
            early, limits.decided_early,
            ("Games are decided too early.", "Games may be decided too early.", "Games stay open long enough."),
            f"the winner goes ahead for good with {_told(early)} of the turns to come",
        )  # fmt: skip
        yield from _within(
            behind, limits.comeback, _span(limits.comeback),
            ("Too few winners come from behind.", "To lead at half-time means too little.",
             "Winners come from behind often enough."),
            f"{_told(behind)} of the winners were behind at half-time",
        )  # fmt: skip
    idle, single, targeted = figure["idle"], figure["single"], figure["targeted_a_turn"]
    yield from _at_most(
        idle, limits.idle,
        ("Too many turns have nothing useful to do.", "Turns with nothing useful to do may be too many.",
         "There is nearly always something useful to do."),
        f"{_told(idle)} of the turns have nothing useful to do",
    )  # fmt: skip
    yield from _at_most(
        single, limits.single,
        ("Too many decisions leave no choice.", "Decisions that leave no choice may be too many.",
         "There is mostly something to choose."),
        f"{_told(single)} of the decisions have one legal move",
    )  # fmt: skip
    yield from _within(
        targeted, limits.targeted, f"{limits.targeted[0]:g} to {limits.targeted[1]:g}",
        ("Players do too little to each other.", "Players do too much to each other.",
         "Players do enough to each other."),
        f"{targeted.value:.2f} Actions against another seat a turn ({targeted.low:.2f} to {targeted.high:.2f})",
    )  # fmt: skip
    if figure["leader_hit_by_chance"].value < 1:  # else there is nobody but the leader to hit
        yield from _leader(figure["leader_hit_more"], figure["leader_hit"], limits.leader_hit)
    yield from _luck(kept, limits)
    if alone:
        yield from _minutes(kept, limits.minutes)
        effect = Estimate.from_dict(kept["read_dealt"]["effect"])
        yield from read_dealt(effect, limits.read_dealt, "feel")


def _minutes(kept: Mapping[str, Any], limits: tuple[float, float]) -> Iterator[Finding]:
    half = next(one for one in kept["minutes_quantiles"] if one["share"] == 0.5)
    minutes, (least, most) = Estimate.from_dict(half), limits
    number = f"half of them are over within {minutes.value:.0f} minutes ({minutes.low:.0f} to {minutes.high:.0f})"
    if half["at_least"]:
        number = f"half of them take more than {minutes.value:.0f} minutes, at which games were stopped"
    # A game that was stopped would have been longer: of such a bound only the lower end is known.
    high = math.inf if half["at_least"] else minutes.high
    state: State = "beyond" if minutes.low > most or high < least else "unsure"
    state = "within" if minutes.low >= least and high <= most else state
    yield length_finding(minutes.value, number, limits, unit="minutes", state=state, href="feel")


def _leader(more: Estimate, hit: Estimate, limit: float) -> Iterator[Finding]:
    """Say whether the leader is picked on, or spared, beside targets drawn by lot."""
    state, often = off_by(more, 0.0, limit, 1), "often" if more.value > 0 else "seldom"
    text = {
        "beyond": f"The leader is hit too {often}.",
        "within": "The leader is neither picked on nor spared too much.",
    }.get(state, f"The leader may be hit too {often}.")
    number = (
        f"{_told(hit)} of others' Actions go against the leader, {points(more)} ({points_range(more)}) beside a lot"
    )
    yield Finding(text, number, f"within {100 * limit:g} points of a lot", "feel", state, abs(more.value) / limit)


def _luck(kept: Mapping[str, Any], limits: Limits) -> Iterator[Finding]:
    luck, skill = kept["luck"], kept["skill"]
    if luck and luck["variance"]["value"]:
        group = next(group for group in luck["groups"] if group["name"] == "deal")
        deal = share_of_luck(Estimate.from_dict(group["alone"]))
        yield from _at_most(
            deal, limits.deal_luck,
            ("Too much of luck is settled before the first turn.",
             "Perhaps too much of luck is settled before the first turn.",
             "Most of luck comes while the game is played."),
            f"{_told(deal)} of luck is the deal and the order of the pile",
        )  # fmt: skip
    if skill and skill["share"]["value"] is not None:
        share = Estimate.from_dict(skill["share"])
        yield from _within(
            share, limits.skill, _span(limits.skill),
            ("The choice of strategy decides too little.", "The choice of strategy decides too much.",
             "The choice of strategy decides neither too little nor too much."),
            f"{_told(share)} of who wins one game is the choice of strategy",
        )  # fmt: skip


def _at_most(figure: Estimate, limit: float, words: tuple[str, str, str], number: str) -> Iterator[Finding]:
    """Judge a share by the most that it should be; `words` are for beyond, unsure and within."""
    if math.isnan(figure.value):
        return
    state = above(figure, limit)
    text = dict(zip(("beyond", "unsure", "within"), words, strict=True))[state]
    yield Finding(text, number, f"at most {100 * limit:g} %", "feel", state, figure.value / limit)


def _within(
    figure: Estimate, limits: tuple[float, float], wanted: str, words: tuple[str, str, str], number: str
) -> Iterator[Finding]:
    """Judge a figure by the least and the most that it should be; `words` are for too low, too high and neither."""
    if math.isnan(figure.value):
        return
    (least, most), (low, high, neither) = limits, words
    state: State = between(figure, least, most)
    too_little = figure.low < least and (figure.high <= most or figure.value < (least + most) / 2)
    text = neither if state == "within" else low if too_little else high
    if state == "unsure":
        text = f"Perhaps {text[:1].lower()}{text[1:]}"
    beyond = max(figure.value / most, least / figure.value if figure.value else math.inf)
    yield Finding(text, number, wanted, "feel", state, beyond)


def _span(limits: tuple[float, float]) -> str:
    least, most = (100 * bound for bound in limits)
    return f"{least:g} to {most:g} %" if least else f"at most {most:g} %"


def _told(share: Estimate) -> str:
    return f"{percent(share)} ({percent_range(share)})"
