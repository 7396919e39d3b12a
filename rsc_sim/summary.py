"""The headline figures of a run, and what makes them weak.

`summarise` asks analysis for each figure and judges what a conclusion would rest on; how it looks is left to `present`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rsc_sim import findings
from rsc_sim.analysis import Bottleneck, CardImpact, Ends, Figures, Length, ReadDealt, Share, figures_of
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.findings import MANY_UNFINISHED
from rsc_sim.recorded import Missing, not_recorded

if TYPE_CHECKING:
    from rsc_sim.run import Run

__all__ = ["Assumed", "Summary", "summarise", "tallied_figures"]

FEW_BLOCKS = 200
"""Below this many deals intervals are wide and their own width is poorly known."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """Figures of the deck that the booklet does not give."""

    copies: int
    values: int
    names: int
    n_kinds: int
    """Kinds of card in the deck."""

    @property
    def total(self) -> int:
        """How many figures are assumed."""
        return self.copies + self.values + self.names

    @property
    def in_words(self) -> str:
        """What is assumed, in a sentence; empty where nothing is."""
        if not self.total:
            return ""
        parts = [
            f"how many copies there are of {self.copies} of the {self.n_kinds} cards" if self.copies else "",
            f"what {self.values} Merch cards are worth" if self.values else "",
            f"the names of {self.names}" if self.names else "",
        ]
        return f"Assumed, not in the booklet: {', '.join(part for part in parts if part)}."


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run found, in the order in which it is to be read."""

    warnings: tuple[str, ...]
    """What the figures rest on weakly, in plain sentences; to be shown first."""
    by_strategy: tuple[Share, ...]
    by_place: tuple[Share, ...]
    read_dealt: ReadDealt
    rounds: Length
    turns: Length
    ends: Ends
    bottleneck: Bottleneck | None
    """None where what escape windows lacked was not recorded."""
    cards: tuple[CardImpact, ...] | None
    """None where tallies of cards were not recorded."""
    missing: Missing | None
    """What was not recorded, and how to have it; None where all was."""
    findings: dict[str, str]
    """What each group of figures says, in a sentence."""
    assumed: Assumed
    figures: Figures
    """What all of it was taken from, for pictures to draw without asking again."""

    def to_dict(self) -> dict[str, Any]:
        """Give what `summary.json` holds: each figure with value, low, high, level, unit, n_blocks and method."""
        return {
            "warnings": list(self.warnings),
            "findings": self.findings,
            "win_share_by_strategy": [share.to_dict() for share in self.by_strategy],
            "win_share_by_place": [share.to_dict() for share in self.by_place],
            "read_dealt": self.read_dealt.to_dict(),
            "rounds": self.rounds.to_dict(),
            "turns": self.turns.to_dict(),
            "ends": self.ends.to_dict(),
            **_tallied(self.bottleneck, self.cards, self.missing),
            "assumed": {
                "copies": self.assumed.copies,
                "values": self.assumed.values,
                "names": self.assumed.names,
                "n_kinds": self.assumed.n_kinds,
            },
        }


def summarise(run: Run) -> Summary:
    """Work out the headline figures of a run, and what to distrust about them."""
    figures, rules = figures_of(run), run.experiment.ruleset
    names = {kind: card["name"] for kind, card in rules["cards"].items()}
    copies = {kind: card["copies"] for kind, card in rules["cards"].items()}
    return Summary(
        warnings=(
            *_imprecise(run),
            *_warnings(figures.by_strategy, figures.by_place, figures.ends, figures.cards, run.experiment),
        ),
        by_strategy=figures.by_strategy,
        by_place=figures.by_place,
        read_dealt=figures.read_dealt,
        rounds=figures.rounds,
        turns=figures.turns,
        ends=figures.ends,
        bottleneck=figures.bottleneck,
        cards=figures.cards,
        missing=not_recorded(run.recorded, run.path),
        findings={
            "strategies": findings.strategies_finding(figures.by_strategy),
            "places": findings.places_finding(figures.by_place),
            "read_dealt": findings.read_finding(figures.read_dealt),
            "length": findings.length_finding(figures.rounds),
            "ends": findings.ends_finding(figures.ends, rules),
            **({} if figures.bottleneck is None else {"bottleneck": findings.bottleneck_finding(figures.bottleneck)}),
            **({} if figures.cards is None else {"cards": findings.cards_finding(figures.cards, names, copies)}),
        },
        assumed=_assumed(rules),
        figures=figures,
    )


def tallied_figures(run: Run) -> dict[str, Any]:
    """Give what `summary.json` holds of a run that kept no games: figures of its tallies, and what is missing."""
    from rsc_sim.analysis import bottleneck, card_impact

    cards = card_impact(run.cards) if "cards" in run.recorded else None
    windows = bottleneck(run.windows) if "windows" in run.recorded else None
    return _tallied(windows, cards, not_recorded(run.recorded, run.path))


def _tallied(
    bottleneck: Bottleneck | None, cards: tuple[CardImpact, ...] | None, missing: Missing | None
) -> dict[str, Any]:
    told: dict[str, Any] = {} if missing is None else {"not_recorded": str(missing)}
    if bottleneck is not None:
        told["bottleneck"] = bottleneck.all_rounds.to_dict()
    if cards is not None:
        told["cards"] = [card.to_dict() for card in cards]
    return told


def _imprecise(run: Run) -> list[str]:
    """Say so where the most games that were allowed were not enough for what was to be known."""
    told = run.manifest.get("precision") or {"reached": True}
    if told["reached"]:
        return []
    half = "nothing" if told["half_width"] is None else f"± {told['half_width'] * 100:.2f} points"
    return [
        f"Win shares were to be known to ± {told['win_share'] * 100:g} points and are known to {half}: more games than "
        f"{run.experiment.n_games:,} are needed."
    ]


def _warnings(
    by_strategy: tuple[Share, ...],
    by_place: tuple[Share, ...],
    ends: Ends,
    cards: tuple[CardImpact, ...] | None,
    experiment: ResolvedExperiment,
) -> list[str]:
    rules = experiment.ruleset
    said = []
    unfinished = ends.unfinished
    if unfinished.value > MANY_UNFINISHED:
        counted = "Nobody wins those, and shares of wins are low by as much."
        if rules["unfinished"] == "score":
            counted = "Those are won by the highest score at the time, as the rules for this run say."
        said.append(
            f"{findings.percent(unfinished)} of the games did not end ({findings.percent_range(unfinished)}). "
            f"{counted} Why is told below."
        )
    if ends.won.value == 0:
        said.append("Nobody won a single game: shares of wins say nothing.")
    elif ends.escaper_wins.n_escapes == 0:
        said.append("No game was ended by an escape.")
    if len(by_strategy) == 1:
        said.append(
            f"Every seat is played by {by_strategy[0].who}: its share by strategy is the equal share by construction."
        )
    never_won = [share.who for share in by_strategy if share.share.value == 0]
    if never_won and ends.won.value:
        said.append(
            f"{findings.listed(never_won)} never won: a share of 0 % says that it is small, not that it is nothing."
        )
    doubtful = [share.who for share in by_strategy if share.fragile]
    doubtful += [f"the {findings.nth(int(share.who))} to play" for share in by_place if share.fragile]
    if doubtful:
        said.append(
            f"How unfinished games are counted decides whether an equal share is won by: {', '.join(doubtful)}."
        )
    if experiment.n_blocks < FEW_BLOCKS:
        said.append(f"Only {experiment.n_blocks:,} different deals were played: ranges are wide, and rough themselves.")
    if cards is not None:
        said += _unplayed(cards, rules["cards"])
    merch = findings.merch_worth(rules)
    if not findings.tickets_in(rules):
        said.append("Nobody can escape: there is no Escape Ticket in the deck.")
    if rules["escape_threshold"] > merch:
        said.append(
            f"Nobody can escape: all Merch together ({merch:,}) is worth less than the threshold "
            f"({rules['escape_threshold']:,})."
        )
    if rules["read_points"] > merch:
        said.append(
            f"Read is worth more ({rules['read_points']:,}) than all Merch together ({merch:,}): whoever holds Read at "
            'the end wins, so whoever escapes wins, and "highest total wins" decides nothing.'
        )
    return said


def _unplayed(cards: tuple[CardImpact, ...], kinds: dict[str, Any]) -> list[str]:
    """Name the cards of which nothing can be said, because nobody had them or nobody played them."""
    seen = {card.kind: card for card in cards}
    unseen, unplayed = [], []
    for kind, about in kinds.items():
        if not about["copies"]:
            continue
        card = seen.get(kind)
        if card is None or not card.n_copies:
            unseen.append(about["name"])
        elif about["type"] not in {"read", "ticket"} and card.played.value == 0:
            unplayed.append(about["name"])
    said = []
    if unseen:
        said.append(f"Nobody ever held {findings.listed(unseen)}: nothing here is about what it does.")
    if unplayed:
        said.append(
            f"Nobody ever played {findings.listed(unplayed)}: what goes with holding it is not what playing it does."
        )
    return said


def _assumed(rules: dict[str, Any]) -> Assumed:
    figures = Counter(figure for card in rules["cards"].values() for figure in card["assumed"])
    return Assumed(figures["copies"], figures["value"], figures["name"], len(rules["cards"]))
