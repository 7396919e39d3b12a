"""Reports of what is no single run: a comparison of strategies, a sweep, a check."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsc_sim.errors import InputError
from rsc_sim.findings import percent, percent_range
from rsc_sim.findings_compare import elo, elo_range
from rsc_sim.report.model import Block, Bullets, Finding, Picture, Remark, Report, Section, State, Table, Text, ordered
from rsc_sim.report.of_run import assumptions, made_of_experiment, rules_section

if TYPE_CHECKING:
    from rsc_sim.compare import Compared
    from rsc_sim.sweep import Sweep
    from rsc_sim.sweep_view import SweepView

__all__ = ["check_report", "comparison_report", "sweep_report"]


def comparison_report(compared: Compared, pictures: list[Picture]) -> Report:
    """Make the report of a comparison."""
    standings, base = compared.standings, compared.comparison.base
    said = compared.said
    drawn = {picture.name: picture for picture in pictures}
    hrefs = {"cycle": "against", "fit": "ratings", "places": "ratings", "leader": "ratings", "order": "ratings"}
    found = standings.ratings.elo
    rows = tuple(
        (standings.names[i], elo(found[i]), elo_range(found[i]), percent(standings.encounters.overall[i]),
         percent_range(standings.encounters.overall[i]))
        for i in standings.order
    )  # fmt: skip
    names = [standings.names[i] for i in standings.order]
    cells = [
        tuple("–" if (met := standings.encounters.against[i][j]) is None or i == j else percent(met)
              for j in standings.order)
        for i in standings.order
    ]  # fmt: skip
    table = Table(
        "Ratings in Elo points, and share of games won a seat",
        ("Strategy", "rating", "95 % range", "wins", "95 % range"),
        rows,
    )
    matrix = Table(
        "Of what two win at tables that hold both, the share of the row's",
        ("", *names),
        tuple((name, *row) for name, row in zip(names, cells, strict=True)),
        folded=len(names) > 6,
    )
    return Report(
        kind="comparison",
        title=f"Who is the strongest: {', '.join(standings.names)}",
        lead=(
            f"{standings.n_games:,} games at {standings.n_tables:,} table{'s' * (standings.n_tables != 1)} of "
            f"{standings.seats}, {standings.n_deals:,} deals; rules “{base.ruleset['name']}”, seed {base.seed}.",
        ),
        doubts=tuple(Remark(text) for text in said["warnings"]),
        findings=tuple(
            Finding(f"{text}.", "", "", hrefs.get(name, "ratings")) for name, text in said["findings"].items()
        ),
        assumed=(
            Text(
                "A rating is about this list: its average is 0, and with other company the numbers change. 400 points "
                "are odds of 10 to 1 on which of two wins, 70 points 3 to 2."
            ),
            *assumptions(base, players=standings.names, judged=False),
        ),
        sections=(
            Section("ratings", "Ratings", (drawn["ratings"], table)),
            Section("against", "Who wins more against whom", (drawn["against"], matrix)),
            rules_section(base),
            made_of_experiment(
                [
                    ("Outcome digest", compared.outcome_digest),
                    ("Comparison digest", str(compared.manifest.get("comparison_digest", ""))),
                    ("Rules digest", base.ruleset_digest),
                ],
                f"rsc compare {' '.join(standings.names)} --seats {standings.seats} --games "
                f"{compared.manifest['comparison'].get('games_asked', standings.n_games)} --seed {base.seed}",
                "Under the same rules that gives the same figures.",
            ),
        ),
    )  # fmt: skip


def sweep_report(sweep: Sweep, view: SweepView, pictures: list[Picture]) -> Report:
    """Make the report of a sweep."""
    from rsc_sim.present_sweep import findings, pairing_sentence, precision_sentence, target_sentence
    from rsc_sim.sweep_view import figure_words, tell, tell_range

    base = sweep.run(view.base).experiment if _is_there(sweep, view.base) else None
    played = base or sweep.points[view.base].experiment
    keys = view.headlines()
    heads = tuple(figure_words(key) for key in keys)
    rows = []
    for number, label in enumerate(view.labels):
        told = [view.values[key][number] for key in keys]
        cells = ("–" if value is None else f"{tell(value)} ({tell_range(value)})" for value in told)
        rows.append((label + (" (the base)" if number == view.base else ""), *cells))
    found = [Finding(f"{sentence}.", "", "", "pictures" if pictures else "points") for sentence in findings(view)]
    if target := target_sentence(sweep, view):
        found.insert(0, Finding(target, "", "", "points"))
    blocks: list[Block] = [Table("Every point, with 95 % ranges", ("", *heads), tuple(rows))]
    if pairing := pairing_sentence(view):
        blocks.append(Text(pairing))
    sections = [Section("points", "All points", tuple(blocks))]
    if pictures:
        sections.insert(0, Section("pictures", "In pictures", tuple(pictures)))
    unfinished = [
        view.labels[number]
        for number in range(len(view.labels))
        if (share := view.values.get("unfinished", [None] * len(view.labels))[number]) is not None
        and share.value > played.limits.unfinished
    ]
    limit = f"{100 * played.limits.unfinished:g} %"
    doubts = [Remark(text) for text in (precision_sentence(sweep),) if text]
    if unfinished:
        doubts.append(Remark(f"More than {limit} of the games do not end at: {', '.join(unfinished)}.", "points"))
    return Report(
        kind="sweep",
        title=f"Sweep: {view.name}",
        lead=tuple(
            filter(
                None,
                (
                    view.description,
                    f"{len(view.labels)} points, {sum(view.n_games):,} games in all, played by "
                    f"{', '.join(played.lineup)} with seed {played.seed}. Every point plays the same deals as "
                    f"“{view.labels[view.base]}”, with which it is compared.",
                ),
            )
        ),
        doubts=tuple(doubts),
        findings=tuple(found),
        assumed=assumptions(played),
        sections=(
            *sections,
            rules_section(played),
            made_of_experiment(
                [("Sweep digest", sweep.digest)],
                str(sweep.record.get("command") or f"rsc sweep {view.name}"),
                "The rules above are those of the base; what differs at a point is its name.",
            ),
        ),
    )


def _is_there(sweep: Sweep, number: int) -> bool:
    return (sweep.folder(number) / "manifest.json").is_file()


def check_report(folder: Path, pictures: list[Picture]) -> Report:
    """Make the report of a check from its `check.json`."""
    file = folder / "check.json"
    try:
        data: dict[str, Any] = json.loads(file.read_bytes())
        return _check(data, pictures)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file}: not the record of a check ({type(error).__name__}: {error})") from None


def _check(data: Mapping[str, Any], pictures: list[Picture]) -> Report:
    states: dict[str, State] = {"changed": "beyond", "undecided": "unsure", "unchanged": "within"}
    found = [Finding(data["answer"], "", "", "figures" if data["figures"] else "differences", "beyond", float("inf"))]
    if data["verdict"] != "changed":
        found = [Finding(data["answer"], "", "", found[0].href, "told", float("inf"))]
    rows = []
    for figure in data["figures"]:
        words = _moved(figure)
        beyond = abs(figure["difference"] or 0.0) / figure["margin"] if figure["margin"] else 0.0
        state = states[figure["verdict"]]
        what = {"beyond": "moved", "unsure": "may have moved", "within": "did not move by what matters"}[state]
        found.append(
            Finding(
                f"{figure['label'][:1].upper()}{figure['label'][1:]} {what}.",
                words,
                f"within {_margin(figure)}",
                "figures",
                state,
                beyond,
            )
        )
        rows.append(
            (figure["label"], _value(figure, figure["baseline"]), _value(figure, figure["candidate"]),
             *_two_cells(words), f"± {_margin(figure)}", figure["verdict"])
        )  # fmt: skip
    sections = []
    if rows:
        head = ("Figure", "before", "now", "difference", "95 % range", "does not matter", "verdict")
        table = Table("Each watched figure", head, tuple(rows), words=frozenset({6}))
        sections.append(Section("figures", "What moved", (*pictures, table)))
    told: list[Block] = []
    if data["rule_changes"]:
        told.append(Bullets(tuple(data["rule_changes"])))
    told += [Text(text) for text in data["explanation"]]
    if data["divergence"]:
        parted = data["divergence"]
        where = f"turn {parted['turn']}" if parted["turn"] else "the deal"
        told += [
            Text(f"Where game {parted['game']:,} parts, {where}:"),
            Bullets((f"before: {parted['baseline']}", f"now: {parted['candidate']}")),
        ]
    sections.append(Section("differences", "What differs", tuple(told) or (Text("Nothing differs."),)))
    sections.append(
        made_of_experiment(
            [
                ("Games compared", f"{data['games_compared']:,}"),
                ("Games a side", f"{data['games_a_side']:,}"),
                ("Compared", {"exact": "move for move"}.get(data["level"], "by the figures of shared deals")),
            ],
            str(data.get("command") or f"rsc check {data['baseline']}"),
            "The ranges hold at whatever moment one stops; “changed” allows for the number of figures.",
        )
    )
    undecided = [figure["label"] for figure in data["figures"] if figure["verdict"] == "undecided"]
    doubts = [Remark(f"Not enough games to tell of: {', '.join(undecided)}.", "figures")] if undecided else []
    doubts += [Remark(note) for note in data["notes"]]
    return Report(
        kind="check",
        title=f"{data['candidate']} against {data['baseline']}",
        lead=(f"{', '.join(data['lineup'])}; seed {data['seed']}.",),
        doubts=tuple(doubts),
        findings=(found[0], *ordered(found[1:])),
        assumed=(),
        sections=tuple(sections),
    )


def _scaled(figure: Mapping[str, Any]) -> tuple[float, str]:
    return (100.0, " points") if figure["unit"] == "share" else (1.0, f" {figure['unit']}")


def _moved(figure: Mapping[str, Any]) -> str:
    scale, unit = _scaled(figure)
    value, low, high = (figure[name] for name in ("difference", "low", "high"))
    if value is None:
        return "–"
    told = f"{scale * value:+.2f}{unit}".replace("-", "−")
    if low is None or high is None:
        return f"{told} (range unknown yet)"
    return f"{told} ({scale * low:+.2f} to {scale * high:+.2f})".replace("-", "−")


def _two_cells(words: str) -> tuple[str, str]:
    """Put a difference and its range into cells of their own, which need not break."""
    value, _, bounds = words.partition(" (")
    return value, bounds.removesuffix(")") or "–"


def _margin(figure: Mapping[str, Any]) -> str:
    scale, unit = _scaled(figure)
    margin = f"{scale * figure['margin']:.3g}"
    return f"{margin}{unit.removesuffix('s') if margin == '1' else unit}"


def _value(figure: Mapping[str, Any], value: float | None) -> str:
    if value is None:
        return "–"
    return f"{100 * value:.2f} %" if figure["unit"] == "share" else f"{value:.2f}"
