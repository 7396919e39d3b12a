"""The report of a study of the feel of a game: leads, comebacks, what seats do to each other, choice, luck and skill.

Made of `feel.json` and the pictures beside it. The report of a run has the same section where a study of the same
experiment is at hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rsc_sim.analysis import Estimate
from rsc_sim.errors import InputError
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.findings import points, points_range
from rsc_sim.findings_feel import SOURCE_WORDS
from rsc_sim.report.judge_feel import judge_feel
from rsc_sim.report.model import Block, Picture, Remark, Report, Section, Table, Text, ordered
from rsc_sim.report.of_run import assumptions, made_of_experiment, rules_section
from rsc_sim.report.pictures import kept_pictures

__all__ = ["FeelRecord", "feel_report", "feel_section"]

READS = 2
"""Version of `feel.json` that is read."""

_PICTURES = ("game_feel", "luck_sources")


class FeelRecord:
    """What a study of the feel of a game left in its directory. Raises `InputError` where that is not it."""

    def __init__(self, folder: Path) -> None:
        file = folder / "feel.json"
        try:
            self.data: dict[str, Any] = json.loads(file.read_bytes())
            self.experiment = ResolvedExperiment.from_dict(self.data["experiment"])
            self.figures: dict[str, dict[str, Any]] = self.data["figures"]
            self.digest = str(self.data["experiment_digest"])
            there = self.data["format"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{file}: not the record of a study of the feel ({type(error).__name__}: {error})"
            ) from None
        if there != READS:
            raise InputError(f"{file}: its format is {there}, expected {READS}; make the study anew with `rsc feel`")
        self.folder = folder
        self.pictures: list[Picture] = kept_pictures(folder / "plots", _PICTURES)


def feel_report(record: FeelRecord) -> Report:
    """Make the report of a study."""
    played = record.experiment
    return Report(
        kind="feel",
        title=f"{played.name}: what it is like to play",
        lead=(
            f"{', '.join(played.lineup)} at one table, by the rules “{played.ruleset['name']}”.",
            f"{record.data['n_games']:,} games on {record.data['n_blocks']:,} deals were watched; seed {played.seed}.",
        ),
        doubts=(
            Remark("No figure says that a game is fun; these say where to look, for programs at the table.", "feel"),
        ),
        findings=ordered(list(judge_feel(record.data, played.limits, alone=True))),
        assumed=assumptions(played, feel=True),
        sections=(
            feel_section(record),
            rules_section(played),
            made_of_experiment(
                [("Experiment digest", record.digest), ("Rules digest", played.ruleset_digest)],
                f"rsc feel {played.name} --games {played.games_asked} --seed {played.seed}",
                "The same experiment gives the same figures on any number of jobs.",
            ),
        ),
    )


def feel_section(record: FeelRecord) -> Section:
    """Show every figure."""
    rows = tuple(
        (figure["words"] + ("" if "share" in figure["unit"] else f", {figure['unit']}"), _told(figure))
        for figure in record.figures.values()
    )
    blocks: list[Block] = [
        *record.pictures,
        Text(
            "The leader is the seat with most tabled Merch; by points, Read's are counted for whoever displays it. "
            "Luck: each source was changed by itself on the same deals."
        ),
        Table("What games are like, with 95 % ranges", ("Figure", "Value"), (*rows, *_further(record)), folded=True),
    ]
    luck = record.data["luck"]
    if luck:
        told = tuple(
            (SOURCE_WORDS.get(source["name"], source["name"]), _told(source["alone"]), _told(source["in_all"]))
            for source in (*luck["sources"], *luck["groups"])
        )
        caption = "Where luck comes from: known if only this were known; unknown if only this were unknown"
        blocks.append(Table(caption, ("Source", "alone", "in all"), told, folded=True))
    return Section("feel", "What it is like to play", tuple(blocks))


def _further(record: FeelRecord) -> Iterator[tuple[str, str]]:
    """Word what is no ratio over games: quantiles, and what being dealt Read does."""
    for one in record.data["moves_quantiles"]:
        yield f"legal moves that {one['share']:.0%} of the decisions do not exceed".replace("%", " %"), _told(one)
    pace = f"{record.data['seconds_per_turn']:g} seconds a turn"
    for one in record.data["minutes_quantiles"]:
        more = "more than " if one["at_least"] else ""
        yield (
            f"minutes, at {pace}, that {one['share']:.0%} of the games do not exceed".replace("%", " %"),
            more + _told(one),
        )
    effect = Estimate.from_dict(record.data["read_dealt"]["effect"])
    if effect.n_blocks > 1:
        yield (
            "win share of seats that are dealt Read, less that of the others",
            f"{points(effect)} ({points_range(effect)})",
        )


def _told(estimate: Mapping[str, Any]) -> str:
    """Word a figure with its range: shares in percent, of which those of variance are kept between none and all."""
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    if value is None:
        return "–"
    if estimate["unit"] == "difference of shares":
        difference = Estimate.from_dict(estimate)
        return f"{points(difference)} ({points_range(difference)})"
    if not estimate["unit"].startswith("share"):
        return f"{value:.2f}" if low is None or high is None else f"{value:.2f} ({low:.2f} to {high:.2f})"
    value, low, high = (100 * min(max(bound, 0.0), 1.0) for bound in (value, low or 0.0, 1.0 if high is None else high))
    digits = 1 if high - low >= 0.1 else 2
    return f"{value:.{digits}f} % ({low:.{digits}f} to {high:.{digits}f} %)"
