"""The report of a study of cards: what each card changes beside what goes with it, and what a copy more or less does.

Made of `cards.json` and the pictures beside it. The report of a run has the same section where a study of the same
experiment is at hand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rsc_sim.analysis import Estimate
from rsc_sim.errors import InputError
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.report.judge import off_by
from rsc_sim.report.model import Block, Bullets, Finding, Picture, Remark, Report, Section, Table, Text, ordered
from rsc_sim.report.of_run import assumptions, made_of_experiment, rules_section
from rsc_sim.report.pictures import kept_pictures

__all__ = ["CardsRecord", "card_findings", "cards_report", "cards_section"]

_NAMED = 4
_FALSE_DISCOVERIES = 0.05
_PICTURES = ("card_effects", "card_effects_by_strategy", "card_effects_by_number")


class CardsRecord:
    """What a study of cards left in its directory. Raises `InputError` where that is not what it should be."""

    def __init__(self, folder: Path) -> None:
        file = folder / "cards.json"
        try:
            self.data: dict[str, Any] = json.loads(file.read_bytes())
            self.experiment = ResolvedExperiment.from_dict(self.data["experiment"])
            self.kinds: list[dict[str, Any]] = self.data["kinds"]
            self.digest = str(self.data["experiment_digest"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file}: not the record of a study of cards ({type(error).__name__}: {error})") from None
        self.folder = folder
        self.pictures: list[Picture] = kept_pictures(folder / "plots", _PICTURES)


def cards_report(record: CardsRecord) -> Report:
    """Make the report of a study."""
    played = record.experiment
    doubts = [Remark("How people play decides what a card does: these players are programs.", "assumed")]
    flagged = [kind for kind in record.kinds if kind["disagreement"]]
    if flagged:
        doubts.insert(
            0,
            Remark(
                f"Of {len(flagged)} card{'s' * (len(flagged) > 1)} win rates tell another story than what the card "
                "does: where they differ, trust what it changes.",
                "card-effects",
            ),
        )
    return Report(
        kind="cards",
        title=f"{played.name}: what the cards do",
        lead=(
            f"{', '.join(played.lineup)} at one table, by the rules “{played.ruleset['name']}”.",
            f"{played.n_games:,} games; {record.data['n_played_on']:,} were played on from "
            f"{record.data['n_moments']:,} moments with another card; seed {played.seed}.",
        ),
        doubts=tuple(doubts),
        findings=ordered(list(card_findings(record, played.limits.card))),
        assumed=assumptions(played),
        sections=(
            cards_section(record),
            rules_section(played),
            made_of_experiment(
                [("Experiment digest", record.digest), ("Rules digest", played.ruleset_digest)],
                f"rsc cards {played.name} --games {played.games_asked} --seed {played.seed}",
                "The same experiment gives the same figures on any number of jobs.",
            ),
        ),
    )


def card_findings(record: CardsRecord, limit: float) -> Iterator[Finding]:
    """Set what each card changes beside the limit, and name those whose win rates mislead."""
    measured = f"within {100 * limit:g} points"
    known = [kind for kind in record.kinds if kind["causal"]["won"]["value"] is not None and kind["copies"]]
    known.sort(key=lambda kind: -abs(kind["causal"]["won"]["value"]))
    told = {kind["kind"]: Estimate.from_dict(kind["causal"]["won"]) for kind in known}
    states = {name: off_by(estimate, 0.0, limit, len(known)) for name, estimate in told.items()}
    beyond = [kind for kind in known if states[kind["kind"]] != "within"]
    beyond.sort(key=lambda kind: states[kind["kind"]] != "beyond")
    for kind in beyond[:_NAMED]:
        won, state = kind["causal"]["won"], states[kind["kind"]]
        strong = "strong" if won["value"] > 0 else "weak"
        text = f"{kind['name']} {'is' if state == 'beyond' else 'may be'} too {strong}."
        yield Finding(text, f"{_told(won)} of win share", measured, "card-effects", state, abs(won["value"]) / limit)
    if not beyond and known:
        kind = known[0]
        yield Finding(
            "No card decides too much.", f"most: {kind['name']}, {_told(kind['causal']['won'])} of win share",
            measured, "card-effects", "within", abs(kind["causal"]["won"]["value"]) / limit,
        )  # fmt: skip
    flagged = sorted(
        (kind for kind in record.kinds if kind["disagreement"]),
        key=lambda kind: -abs(kind["disagreement"]["seen"]["value"] - kind["disagreement"]["caused"]["value"]),
    )
    for kind in flagged[:2]:
        flag = kind["disagreement"]
        number = f"win rates say {_told(flag['seen'])}, it changes {_told(flag['caused'])}; {flag['in_words']}"
        yield Finding(f"Win rates mislead about {kind['name']}.", number, "", "card-effects")


def cards_section(record: CardsRecord) -> Section:
    """Show what each card changes beside what goes with it."""
    bands = record.data["bands"]

    def order(kind: Mapping[str, Any]) -> float:
        value = kind["causal"]["won"]["value"]
        return math.inf if value is None else -value

    rows = []
    for kind in sorted(record.kinds, key=order):
        if not kind["copies"]:
            continue
        of_band = {effect["n"]: effect["won"] for effect in kind["by_n"]}
        cells = [_told(of_band[band], unit="") if band in of_band else "–" for band in (bands[0], bands[-1])]
        name = kind["name"] + (" !" if kind["disagreement"] else "")
        rows.append(
            (name, _told(kind["causal"]["won"], unit=""), *cells, _told(kind["seen"]["edge"], unit=""),
             _told(kind["causal"]["turns"], unit="", scale=1))
        )  # fmt: skip
    head = ("Card", "changes", f"dealt ({bands[0]})", f"late ({bands[-1]})", "goes with", "turns")
    blocks: list[Block] = [
        *record.pictures,
        Text(
            "What having the card instead of an average one changes: from one moment, on the same deal, games were "
            "played on with every kind in its place. What goes with it is the win share of seats that saw it, less the "
            "average: correlation. ! marks cards of which the two disagree."
        ),
        Table(
            "Win share, percentage points; turns; with 95 % ranges", head, tuple(rows), folded=True,
        ),
    ]  # fmt: skip
    reasons = [
        f"{kind['name']}: win rates say {_told(kind['disagreement']['seen'])}, it changes "
        f"{_told(kind['disagreement']['caused'])}. Why: {kind['disagreement']['in_words']}."
        for kind in record.kinds
        if kind["disagreement"]
    ]
    if reasons:
        blocks.append(Bullets(tuple(reasons)))
    blocks += _copies(record.data.get("copies", ()), {kind["kind"]: kind["name"] for kind in record.kinds})
    return Section("card-effects", "What having a card changes", tuple(blocks))


def _copies(effects: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> list[Block]:
    clear = [e for e in effects if e["p_adjusted"] is not None and e["p_adjusted"] <= _FALSE_DISCOVERIES]
    if not effects:
        return []
    if not clear:
        return [Text("A copy more or less of any card changes nothing that can be told from chance.")]
    rows = []
    for effect in sorted(clear, key=lambda effect: effect["p_adjusted"]):
        change = "one more" if effect["change"] > 0 else "one less"
        if effect["figure"] == "turns":
            told = ("turns of a game", _told(effect["difference"], unit="", scale=1))
        elif effect["figure"] == "unfinished":
            told = ("unfinished games", _told(effect["difference"]))
        else:
            told = (f"wins of {effect['figure']}", _told(effect["difference"]))
        rows.append((names.get(effect["kind"], effect["kind"]), change, *told))
    caption = "What a copy more or less in the deck clearly changes"
    return [Table(caption, ("Card", "Copies", "Figure", "Change"), tuple(rows), folded=True, words=frozenset({1, 2}))]


def _told(estimate: Mapping[str, Any], *, unit: str = " points", scale: float = 100) -> str:
    """Word a difference with its range, e.g. `+3.6 points (+3.1 to +4.1)`."""
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    if value is None:
        return "–"
    if low is None or high is None:
        return f"{_signed(scale * value)}{unit}"
    return f"{_signed(scale * value)}{unit} ({_signed(scale * low)} to {_signed(scale * high)})"


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")
