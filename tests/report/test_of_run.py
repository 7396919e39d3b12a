"""The report of a run: its figures are the run's, its links resolve, and it doubts what is to be doubted."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import rsc_sim
from rsc_sim import Ruleset, Run
from rsc_sim.cli import main
from rsc_sim.findings import percent
from rsc_sim.report import build_report, write_report
from rsc_sim.report.machine import as_data
from rsc_sim.summary import summarise
from tests.report.reading import Page

FOUR = ["rusher", "raider", "collector", "guardian"]
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a card of a dangerous name."""
    rules = Ruleset.booklet().to_dict()
    rules["cards"]["mug"]["name"] = EVIL
    path = tmp_path_factory.mktemp("report") / "run"
    rsc_sim.simulate(Ruleset.from_dict(rules), FOUR, games=4_000, out=path)
    return path


@pytest.fixture(scope="module")
def page(folder: Path) -> Page:
    file = write_report(build_report(folder), folder / "report.html", "html")
    return Page(file.read_text(encoding="utf-8"))


def test_it_stands_by_itself(page: Page, folder: Path) -> None:
    assert page.all("script") == []
    assert any(EVIL in cell.text for cell in page.all("th"))
    loaded = [e.attributes.get("src", e.attributes.get("href", "")) for e in page.elements if e.tag != "meta"]
    assert {text[0] for text in loaded if text} <= {"#", "d"}
    assert all(text.startswith(("#", "data:")) for text in loaded if text)
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "//" not in re.sub(r"http://www\.w3\.org/2000/svg", "", text)
    assert len(text) < 1_000_000


def test_it_is_in_order(page: Page) -> None:
    ids = {e.attributes["id"] for e in page.elements if "id" in e.attributes}
    assert {e.attributes["href"][1:] for e in page.all("a", "use") if e.attributes["href"][0] == "#"} <= ids
    levels = [int(e.tag[1]) for e in page.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    order = [e.attributes["id"] for e in page.all("section")]
    assert order[:3] == ["doubts", "findings", "assumed"]
    assert len(page.of(role="img")) == 7
    assert all(len(e.attributes["aria-label"]) > 40 for e in page.of(role="img"))


def test_its_figures_are_those_of_the_run(page: Page, folder: Path) -> None:
    run = Run.open(folder)
    summary = summarise(run)
    text = " ".join(e.text for e in page.all("section")).replace("\N{NO-BREAK SPACE}", " ")
    for share in (*summary.by_strategy, *summary.by_place):
        assert percent(share.share) in text
    assert percent(summary.ends.unfinished) in text
    assert run.outcome_digest in text
    assert "4,000 games: 1,000 deals, each with 4 seatings; seed 1" in page.all("header")[0].text


def test_every_picture_is_written_as_svg_and_png(page: Page, folder: Path) -> None:
    assert len({p.stem for p in (folder / "plots").glob("*.svg")}) == 7
    assert {p.stem for p in (folder / "plots").glob("*.svg")} == {p.stem for p in (folder / "plots").glob("*.png")}


def test_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "else" / "told.md"
    assert main(["report", str(folder), "--format", "md", "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["report"] == str(out)
    assert told["kind"] == "run"
    assert told["findings"][0]["state"] == "beyond"
    text = out.read_text(encoding="utf-8")
    pictures = re.findall(r"\]\(<([^>]+)>\)", text)
    assert len(pictures) == 7
    assert all((out.parent / picture).is_file() for picture in pictures)
    assert main(["report", str(folder)]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    places = [said.out.index(words) for words in ("Read this first", "What was found", "report.html")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere"], "no such directory; expected the directory that rsc run"),
        (["."], "nothing to report on; expected manifest.json"),
        (["{run}", "--format", "pdf"], "--format pdf: expected html or md"),
        (["{run}", "--out", "."], "a directory; expected the file"),
        (["{run}", "--with", "nowhere"], "nowhere"),
    ],
)
def test_bad_input(
    folder: Path,
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", *(text.replace("{run}", str(folder)) for text in arguments)]) == 2
    assert complaint in capsys.readouterr().err


def test_an_unfinished_run_is_refused_with_what_to_do(folder: Path, tmp_path: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "state": "running"}))
    with pytest.raises(rsc_sim.RscError, match=r"unfinished, and a report on part of it .*--resume"):
        build_report(tmp_path)


def report_of(run: Run) -> dict[str, Any]:
    """Give the report of a run in memory, without its pictures."""
    from rsc_sim.report.model import Picture
    from rsc_sim.report.of_run import run_report

    names = ("win_share", "places", "game_length", "ends", "card_impact", "bottleneck", "chance")
    pictures = [Picture(name, name, "", Path(name), Path(name)) for name in names]
    return as_data(run_report(run, summarise(run), pictures))


def test_what_is_weak_is_said_first() -> None:
    rules = Ruleset.booklet().override({"max_rounds": 16})
    doubts = " ".join(d["text"] for d in report_of(rsc_sim.simulate(rules, FOUR, games=2_000))["doubts"])
    assert "of the games did not end" in doubts
    assert "Assumed, not in the booklet" in doubts
    assert "Chance alone puts two such runs up to" in doubts
    doubts = " ".join(d["text"] for d in report_of(rsc_sim.simulate("booklet", ["random"] * 4, games=100))["doubts"])
    assert "the equal share by construction" in doubts
    assert "Too few deals" in doubts


def test_cards_that_nobody_plays_are_doubted() -> None:
    """With one round and a pile of Merch nobody gets to tabling some; a card of 0 copies is not named."""
    rules = Ruleset.booklet().override({"max_rounds": 1, "unfinished": "score", "cards.mug.copies": 0})
    told = report_of(rsc_sim.simulate(rules, ["collector", "rusher"], games=40))
    doubts = " ".join(d["text"] for d in told["doubts"])
    assert "Nobody ever" in doubts
    assert "Mug" not in doubts


def test_read_and_tickets_dealt_out_in_full_are_told_as_won_by_the_first_to_play() -> None:
    """A known answer: whoever is dealt Read plays first, holds a ticket, and at threshold 0 escapes at once."""
    none = {
        f"cards.{kind}.copies": 0
        for kind in Ruleset.booklet().to_dict()["cards"]
        if kind not in {"read", "escape_ticket"}
    }
    rules = Ruleset.booklet().override({**none, "cards.escape_ticket.copies": 23, "escape_threshold": 0})
    told = report_of(rsc_sim.simulate(rules.override({"escape": "forced"}), ["random"] * 4, games=100))
    first = next(f for f in told["findings"] if f["text"].startswith("The 1st to play"))
    assert (first["state"], first["text"]) == ("beyond", "The 1st to play wins too much.")
    assert first["number"].startswith("100 % of games (above ")
    assert any(f["number"].startswith("half of them are over within 1 round (1 to 1)") for f in told["findings"])


def test_limits_are_those_of_the_experiment() -> None:
    from rsc_sim.experiment import Experiment
    from rsc_sim.play import run_experiment

    def states(**limits: Any) -> dict[str, str]:
        described = Experiment.load("baseline").changed(games=4_000, report=limits)
        run, _ = run_experiment(described.resolve())
        return {f["limit"]: f["state"] for f in report_of(run)["findings"] if f["limit"]}

    assert states(unfinished=0.5)["at most 50 %"] == "within"
    assert states(median_rounds=[1, 5])["1 to 5 rounds"] == "beyond"
    assert states(minutes=[1, 9], seconds_per_turn=60)["1 to 9 minutes"] == "beyond"
    assert states(strategy=0.0001)["within 0.01 points of the equal share"] in {"beyond", "unsure"}
