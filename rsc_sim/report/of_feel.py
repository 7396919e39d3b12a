"""The report of a study of the feel of a game: leads, comebacks, what seats do to each other, choice, luck and skill.

Made of `feel.json` and the pictures beside it. The report of a run has the same section where a study of the same
experiment is at hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rsc_sim.errors import InputError
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.findings_feel import SOURCE_WORDS
from rsc_sim.report.model import Block, Finding, Picture, Remark, Report, Section, Table, Text, ordered
from rsc_sim.report.of_run import assumptions, made_of_experiment, rules_section
from rsc_sim.report.pictures import kept_pictures

__all__ = ["FeelRecord", "feel_findings", "feel_report", "feel_section"]

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
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{file}: not the record of a study of the feel ({type(error).__name__}: {error})"
            ) from None
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
        findings=ordered(list(feel_findings(record))),
        assumed=assumptions(played),
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


def feel_findings(record: FeelRecord) -> Iterator[Finding]:
    """Say what stands out, without a limit: what is too much here is a matter of taste."""
    figures = record.figures
    early, behind = figures["points_decided_early"], figures["points_comeback"]
    if record.data["n_won"]:
        yield Finding("Turns still to come when the winner goes ahead for good.", _told(early), "", "feel")
        yield Finding("Winners who were behind at half-time.", _told(behind), "", "feel")
    hit, lot = figures["leader_hit"], figures["leader_hit_by_chance"]
    if hit["low"] is not None and lot["high"] is not None and (hit["low"] > lot["high"] or hit["high"] < lot["low"]):
        more = "More" if hit["value"] > lot["value"] else "Fewer"
        yield Finding(
            f"{more} Actions go against the leader than if targets were drawn by lot.",
            f"{_told(hit)}; by lot {_told(lot)}", "", "feel",
        )  # fmt: skip
    luck, skill = record.data["luck"], record.data["skill"]
    if luck and luck["variance"]["value"]:
        deal = next(group["alone"] for group in luck["groups"] if group["name"] == "deal")
        yield Finding("Luck that is settled by the deal and the order of the pile.", _told(deal), "", "feel")
    if skill and skill["share"]["value"] is not None:
        yield Finding(
            "What the choice of strategy accounts for in who wins one game.", _told(skill["share"]), "", "feel"
        )


def feel_section(record: FeelRecord) -> Section:
    """Show every figure."""
    rows = tuple(
        (figure["words"] + ("" if figure["unit"] == "share" else f", {figure['unit']}"), _told(figure))
        for figure in record.figures.values()
    )
    blocks: list[Block] = [
        *record.pictures,
        Text(
            "The leader is the seat with most tabled Merch; by points, Read's are counted for whoever displays it. "
            "Luck: each source was changed by itself on the same deals."
        ),
        Table("What games are like, with 95 % ranges", ("Figure", "Value"), rows, folded=True),
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


def _told(estimate: Mapping[str, Any]) -> str:
    """Word a figure with its range: shares in percent, of which those of variance are kept between none and all."""
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    if value is None:
        return "–"
    if not estimate["unit"].startswith("share"):
        return f"{value:.2f}" if low is None or high is None else f"{value:.2f} ({low:.2f} to {high:.2f})"
    value, low, high = (100 * min(max(bound, 0.0), 1.0) for bound in (value, low or 0.0, 1.0 if high is None else high))
    digits = 1 if high - low >= 0.1 else 2
    return f"{value:.{digits}f} % ({low:.{digits}f} to {high:.{digits}f} %)"
