"""The report of a run: who wins, from which place, how long, how it ends, what holds it up, which cards, how sure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsc_sim.findings import (
    NEED_WORDS,
    chance_finding,
    counted,
    drawn_over_and_over,
    length_words,
    nth,
    percent,
    percent_range,
    points,
    points_range,
    read_finding,
    sides,
    stuck_words,
)
from rsc_sim.report.judge import judge_run
from rsc_sim.report.model import (
    Block,
    Bullets,
    Code,
    Facts,
    Finding,
    Picture,
    Remark,
    Report,
    Section,
    Table,
    Text,
    ordered,
)

if TYPE_CHECKING:
    from rsc_sim.analysis import Chance, Share
    from rsc_sim.experiment import Limits, ResolvedExperiment
    from rsc_sim.run import Run
    from rsc_sim.summary import Summary

__all__ = ["assumptions", "made_of_experiment", "rules_section", "run_report"]

_VERDICTS = {1: "more", -1: "less", 0: "no difference seen"}


def run_report(
    run: Run,
    summary: Summary,
    pictures: Sequence[Picture],
    *,
    further: Sequence[Section] = (),
    found: Sequence[Finding] = (),
    also: Sequence[Finding] = (),
) -> Report:
    """Make the report of a complete run from its summary and pictures.

    `further` sections follow the one on cards, with what was `found` there: then cards are judged by that alone.
    `also` holds what was found of other matters.
    """
    played = run.experiment
    drawn = {picture.name: picture for picture in pictures}
    each = f"each with {played.rotations} seatings" if played.rotations > 1 else "once each"
    chance = summary.figures.chance
    lead: tuple[str, ...] = (
        f"{', '.join(played.lineup)} at one table, by the rules “{played.ruleset['name']}”.",
        f"{counted(played.n_games, 'game')}: {counted(played.n_blocks, 'deal')}, {each}; seed {played.seed}.",
    )

    def shown(name: str) -> tuple[Block, ...]:
        return (drawn[name],) if name in drawn else ()

    if played.description:
        lead = (played.description, *lead)
    return Report(
        kind="run",
        title=played.name,
        lead=lead,
        doubts=tuple(_doubts(summary, played)),
        findings=ordered([*judge_run(summary, played, causal=bool(found)), *found, *also]),
        assumed=assumptions(played, summary, feel=any(section.id == "feel" for section in further)),
        sections=(
            Section("who-wins", "Who wins", (drawn["win_share"], _shares_table("By strategy", summary.by_strategy))),
            Section("places", "Does the place at the table matter?", _places(summary, drawn["places"])),
            Section("length", "How long a game lasts", (drawn["game_length"], *_length(summary, played))),
            Section("ends", "How games end", (drawn["ends"], *_ends(summary, played))),
            Section("bottleneck", "What holds up an escape", (*shown("bottleneck"), *_bottleneck(summary))),
            Section("cards", "Which cards go with winning", (*shown("card_impact"), *_cards(summary, played))),
            *further,
            Section("chance", "How much is chance", (drawn["chance"], *_chance(chance, played))),
            rules_section(played),
            made_of_run(run),
        ),
    )


def _doubts(summary: Summary, played: ResolvedExperiment) -> list[Remark]:
    hrefs = {"did not end": "ends", "Nobody won": "ends", "No game was": "ends", "counted": "who-wins"}
    hrefs |= {"by construction": "who-wins", "never won": "who-wins", "Nobody ever": "cards", "Nobody can": "rules"}
    hrefs |= {"Only": "chance", "Read is worth": "rules"}
    doubts = [
        Remark(text, next((href for words, href in hrefs.items() if words in text), "")) for text in summary.warnings
    ]
    if played.intervention is not None:
        seat, card, kind = played.intervention
        name = played.ruleset["cards"][kind]["name"]
        doubts.insert(0, Remark(f"Card {card} of seat {seat} was forced to be {name}: these are not games as dealt."))
    if summary.missing is not None:
        doubts.append(Remark(str(summary.missing), "cards" if summary.cards is None else "bottleneck"))
    if summary.assumed.total:
        doubts.append(
            Remark(f"{summary.assumed.in_words} Every figure rests on them; another deck gives others.", "assumed")
        )
    chance = summary.figures.chance
    if chance is not None and chance.shares:
        if any(figure.whole for figure in chance.shares):
            words = f"{chance_finding(chance)}: a smaller difference to another run says nothing."
            doubts.append(Remark(words, "chance"))
        pairs = sum(len(figure.differences) for figure in chance.shares)
        inside = sum(figure.within for figure in chance.shares)
        # Shares of one table add up, so that pairs go together: twice the spread of independent ones is allowed for.
        if inside < 0.95 * pairs - 2 * 3.1 * math.sqrt(0.95 * 0.05 * pairs):
            doubts.insert(
                0,
                Remark(
                    f"Pieces of this run differ more than its ranges say: {inside} of {pairs} pairs lie where "
                    f"{0.95 * pairs:.0f} should. The ranges are too narrow.",
                    "chance",
                ),
            )
    elif chance is None:
        doubts.append(Remark("Too few deals to set the run against itself and see how much is chance.", "chance"))
    return doubts


def assumptions(
    played: ResolvedExperiment,
    summary: Summary | None = None,
    *,
    feel: bool = False,
    players: Sequence[str] = (),
    judged: bool = True,
) -> tuple[Block, ...]:
    """Say what was assumed: the deck, the players, the time of a turn, the limits.

    With `feel` those of the feel of a game too; `players` are those of the lineup unless told.
    """
    limits, cards = played.limits, played.ruleset["cards"]
    assumed = [card for card in cards.values() if card["assumed"]]
    told = [
        "The players are programs with one plan each: "
        f"{', '.join(players or dict.fromkeys(played.lineup))}. People play otherwise, and learn.",
    ]
    if judged:
        told.append(f"A turn of one seat takes {limits.seconds_per_turn:g} seconds at the table.")
    if summary is not None and summary.assumed.total:
        told.insert(0, summary.assumed.in_words)
    elif summary is None and assumed:
        told.insert(0, f"The booklet does not give all of the deck: of {len(assumed)} cards something is assumed.")
    blocks: list[Block] = [Bullets(tuple(told))]
    if judged:
        blocks.append(_limits_table(limits, feel=feel))
    if assumed:
        rows = tuple(
            (
                card["name"] + _star(card, "name"),
                f"{card['copies']}{_star(card, 'copies')}",
                f"${card['value']:,}{_star(card, 'value')}" if "value" in card else "–",
            )
            for card in assumed
        )
        blocks.append(Table("Cards with assumed figures (marked *)", ("Card", "Copies", "Worth"), rows, folded=True))
    return tuple(blocks)


def _limits_table(limits: Limits, *, feel: bool) -> Table:
    """Say what is wanted, by the keys of the experiment's table that set it."""

    def most(name: str) -> str:
        return f"at most {100 * getattr(limits, name):g} %"

    def off(name: str) -> str:
        return f"within {100 * getattr(limits, name):g} points"

    def span(name: str, scale: float = 1.0, unit: str = "") -> str:
        least, high = getattr(limits, name)
        return f"{scale * least:g} to {scale * high:g}{unit}"

    rows = [
        ("games that do not end", most("unfinished"), "unfinished"),
        ("a strategy's win share, off the equal share", off("strategy"), "strategy"),
        ("a place's win share, off the equal share", off("place"), "place"),
        ("what being dealt Read changes in win share", off("read_dealt"), "read_dealt"),
        ("what one card changes in win share", off("card"), "card"),
        ("escapes that the escaper wins", most("escaper_wins"), "escaper_wins"),
        ("rounds that half of the games take", span("median_rounds"), "median_rounds"),
        ("minutes that half of the games take", span("minutes"), "minutes"),
    ]
    if feel:
        rows += [
            ("turns to come when the winner goes ahead for good", most("decided_early"), "decided_early"),
            ("winners that were behind at half-time", span("comeback", 100, " %"), "comeback"),
            ("turns with nothing useful to do", most("idle"), "idle"),
            ("decisions with one legal move", most("single"), "single"),
            ("Actions against another seat, a turn", span("targeted"), "targeted"),
            ("Actions against the leader, off what a lot would give", off("leader_hit"), "leader_hit"),
            ("luck that the deal and the order of the pile settle", most("deal_luck"), "deal_luck"),
            ("who wins one game, by the choice of strategy", span("skill", 100, " %"), "skill"),
        ]
    caption = "What is wanted, and the key in the experiment's table [report] that says so"
    return Table(caption, ("Figure", "wanted", "key"), tuple(rows), folded=True, words=frozenset({1, 2}))


def _star(card: dict[str, Any], figure: str) -> str:
    return "*" if figure in card["assumed"] else ""


def _shares_table(caption: str, shares: Sequence[Share]) -> Table:
    rows = []
    for share, at in zip(shares, sides(shares), strict=True):
        name = share.who if caption == "By strategy" else f"{nth(int(share.who))} to play"
        seats = f", each of {share.n_seats} seats" if share.n_seats > 1 else ""
        verdict = _VERDICTS[at] + (" (doubtful)" if share.fragile else "")
        rows.append((f"{name}{seats}", percent(share.share), percent_range(share.share), verdict))
    equal = f"beside the equal share, {100 * shares[0].reference:.1f} %"
    return Table(caption, ("", "wins", "95 % range", equal), tuple(rows), words=frozenset({3}))


def _places(summary: Summary, picture: Picture) -> tuple[Block, ...]:
    blocks: list[Block] = [picture, _shares_table("By place", summary.by_place)]
    effect = summary.read_dealt.effect
    if effect.n_blocks:
        blocks.append(Text(f"{read_finding(summary.read_dealt)}: {points(effect)} ({points_range(effect)})."))
    return tuple(blocks)


def _length(summary: Summary, played: ResolvedExperiment) -> tuple[Block, ...]:
    minute = played.limits.seconds_per_turn / 60

    names = ("one in ten is over within", "half are over within", "nine in ten are over within")
    pairs = zip(names, summary.rounds.quantiles, summary.turns.quantiles, strict=True)
    rows = tuple(
        (name, length_words(rounds), length_words(turns), length_words(turns, scale=minute))
        for name, rounds, turns in pairs
    )
    head = (
        "Of all games",
        "rounds",
        "turns of single seats",
        f"minutes, at {played.limits.seconds_per_turn:g} s a turn",
    )
    blocks: list[Block] = [Table("Length, with 95 % ranges", head, rows)]
    if n := summary.rounds.n_stopped:
        blocks.append(
            Text(
                f"{n:,} game{'s were' if n > 1 else ' was'} stopped at the limit of {played.ruleset['max_rounds']:,} "
                "rounds and would have gone on; they count as longest."
            )
        )
    return tuple(blocks)


def _ends(summary: Summary, played: ResolvedExperiment) -> tuple[Block, ...]:
    ends, rules = summary.ends, played.ruleset
    names = {"escape": "by an escape", "turn_cap": f"stopped after {rules['max_rounds']:,} rounds"}
    names["deadlock"] = "in a deadlock: nobody can move"
    rows = [(names[end], percent(share), percent_range(share)) for end, share in ends.ends.items()]
    rows += [
        (f"unfinished because {stuck_words(reason, rules)}", percent(share), percent_range(share))
        for reason, share in ends.stuck.items()
        if share.value
    ]
    blocks: list[Block] = [Table("Share of all games", ("Games end", "share", "95 % range"), tuple(rows))]
    if ends.escaper_wins.n_escapes:
        won = ends.escaper_wins.share
        blocks.append(Text(f"Whoever escapes wins {percent(won)} of those games ({percent_range(won)})."))
    return tuple(blocks)


def _missing(summary: Summary) -> tuple[Block, ...]:
    if summary.missing is None:
        return ()
    text, command = summary.missing
    return (Text(text), Code(command)) if command else (Text(text),)


def _bottleneck(summary: Summary) -> tuple[Block, ...]:
    if summary.bottleneck is None:
        return _missing(summary)
    windows = summary.bottleneck.all_rounds
    if not summary.bottleneck.rounds:
        return (Text("No escape window came up."),)
    rows = tuple(
        (
            NEED_WORDS[need],
            f"{percent(windows.lacks[need])} ({percent_range(windows.lacks[need])})",
            f"{percent(alone)} ({percent_range(alone)})",
        )
        for need, alone in windows.lacks_only.items()
    )
    return (
        Table("Share of escape windows, with 95 % ranges", ("What is missing", "missing", "only that is"), rows),
        Text(
            "An escape window is a moment at which a seat might end the game, had it all three: Read before it, a "
            "ticket in the hand, Merch enough on the table."
        ),
    )


def _cards(summary: Summary, played: ResolvedExperiment) -> tuple[Block, ...]:
    if summary.cards is None:
        return _missing(summary)
    kinds = played.ruleset["cards"]

    def order(card: Any) -> float:
        return math.inf if math.isnan(card.edge.value) else -card.edge.value

    def rate(estimate: Any) -> str:
        return "–" if math.isnan(estimate.value) else f"{100 * estimate.value:.0f} %"

    rows = []
    for card in sorted(summary.cards, key=order):
        about = kinds[card.kind]
        if not about["copies"]:
            continue
        seen = f"{points(card.impact, unit='')} ({points_range(card.impact)})"
        if drawn_over_and_over(card, about["copies"]):
            seen = f"[{seen}]"
        dealt = f"{points(card.edge, unit='')} ({points_range(card.edge)})"
        rows.append((about["name"], dealt, seen, rate(card.played), rate(card.left)))
    head = ("Card", "in the opening hand", "once seen", "played", "left in hand")
    return (
        Text(
            "In the opening hand, less the average card: chance deals, so this is the card's doing. Once seen, less "
            "never seen: correlation, not effect, for long games show more cards, and whoever draws much has more of "
            "all. In square brackets: drawn over and over in few games."
        ),
        Table(
            "Difference in win share, percentage points with 95 % ranges; copies played and left, of those had",
            head, tuple(rows), folded=True,
        ),
    )  # fmt: skip


def _chance(chance: Chance | None, played: ResolvedExperiment) -> tuple[Block, ...]:
    if chance is None:
        return (Text("A run is set against itself in twenty pieces of ten deals or more; this one has too few deals."),)
    rows: list[tuple[str, ...]] = []
    for figure in chance.figures:
        name = {"strategy": figure.who, "unfinished": "unfinished games", "rounds": "mean rounds"}.get(figure.group)
        scale, unit = (1.0, "") if figure.group == "rounds" else (100.0, " points")
        rows.append(
            (
                name or f"{nth(int(figure.who))} to play",
                f"± {scale * figure.whole:.2f}{unit}",
                f"± {scale * figure.piece:.1f}{unit}",
                f"{figure.within} of {len(figure.differences)}",
            )
        )
    small = chance.n_piece_blocks * played.rotations
    head = ("Figure", f"two runs of {played.n_games:,} games", f"of {small:,} games", "pieces within")
    return (
        Text(
            "The same rules against themselves. Deals are independent of each other, so a stretch of this run is what "
            "a smaller run with another seed would be: the run was cut into twenty such stretches, and they were set "
            "against each other two by two. Nothing differs but the deals."
        ),
        Table("How far chance alone puts two runs apart, in 19 of 20 pairs", head, tuple(rows)),
    )


def rules_section(played: ResolvedExperiment) -> Section:
    """Show the rules and the deck that were played."""
    from rsc_sim.present_rules import card_rows, figure_rows
    from rsc_sim.ruleset import Ruleset

    rules = Ruleset.from_dict(played.ruleset)
    return Section(
        "rules",
        "The rules that were played",
        (
            Table(
                f"Figures and switches of “{rules.name}”", ("Key", "Value", "Means"), tuple(figure_rows(rules)),
                folded=True, words=frozenset({1, 2}),
            ),
            Table(
                f"The deck: {rules.n_cards} cards (* assumed, not in the booklet)",
                ("Card", "Copies", "Does"), tuple(card_rows(rules)), folded=True, words=frozenset({2}),
            ),
        ),
    )  # fmt: skip


def made_of_run(run: Run) -> Section:
    """Say how a run was made, and how to make it again."""
    manifest, played = run.manifest, run.experiment
    versions = ", ".join(f"{name} {version}" for name, version in manifest.get("versions", {}).items())
    name = Path(run.path).name if run.path else played.name
    facts = [
        ("Played", f"{played.n_games:,} games, seed {played.seed}"),
        ("Outcome digest", run.outcome_digest),
        ("Experiment digest", str(manifest.get("experiment_digest", played.digest))),
        ("Rules digest", played.ruleset_digest),
        ("Versions", versions),
    ]
    return made_of_experiment(
        facts,
        f"rsc run {name}/manifest.json --out again",
        "The manifest in the run's directory holds rules, strategies and seed in full. Played again it gives the same "
        "games, and so the same outcome digest, on any number of jobs.",
    )


def made_of_experiment(facts: Sequence[tuple[str, str]], command: str, note: str) -> Section:
    """Say how something was made, by facts and the command that makes it again."""
    return Section(
        "made",
        "How this was made",
        (
            Facts(tuple((name, value) for name, value in facts if value)),
            Text(note),
            Code(command),
            Text("Ranges hold the true value in 19 of 20 such studies; the games of a deal count as one."),
        ),
    )
