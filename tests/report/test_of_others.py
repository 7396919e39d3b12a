"""Reports of comparisons, sweeps, checks and studies of cards: told apart by their record, links that resolve."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rsc_sim
from rsc_sim.cli import main
from rsc_sim.report import build_report, write_report
from rsc_sim.report.html import as_html
from tests.report.reading import Page

ROOT = Path(__file__).parents[2]


def page_of(folder: Path, out: Path) -> Page:
    """Give the page of a report, after its Markdown was written too."""
    report = build_report(folder)
    told = write_report(report, out / "report.md", "md").read_text(encoding="utf-8")
    assert "## What was found" in told
    page = Page(as_html(report))
    ids = {e.attributes["id"] for e in page.elements if "id" in e.attributes}
    assert {e.attributes["href"][1:] for e in page.all("a", "use") if e.attributes["href"][0] == "#"} <= ids
    assert page.all("script") == []
    # No picture is white in the dark but for the table of who beats whom, whose shades have no counterpart.
    assert [e.attributes["class"] for e in page.of(role="img")].count("plain") <= (report.kind == "comparison")
    return page


def test_a_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "cmp"
    assert main(["compare", "collector", "random", "--seats", "2", "--games", "600", "--out", str(folder)]) == 0
    page = page_of(folder, tmp_path)
    findings = next(e for e in page.all("section") if e.attributes["id"] == "findings").text
    assert "collector" in findings
    assert len(page.of(role="img")) == 2
    assert json.loads((folder / "compare.json").read_text())["outcome_digest"] in page.all("main")[0].text


def test_a_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "check"
    arguments = ["check", "booklet", "--set", "escape_threshold=400", "--max-games", "20k", "--out", str(folder)]
    assert main(arguments) == 1
    page = page_of(folder, tmp_path)
    findings = page.all("ol")[0].text
    assert "Changed:" in findings
    assert "moved" in findings
    assert {e.text for e in page.all("span") if e.attributes.get("class") == "state"} <= {"changed", "perhaps", "same"}
    assert len(page.of(role="img")) == 1
    assert "rsc check booklet --set escape_threshold=400 --max-games 20000" in page.all("pre")[-1].text
    (folder / "check.json").write_text("{}")
    with pytest.raises(rsc_sim.RscError, match="not the record of a check"):
        build_report(folder)


def test_a_sweep_that_is_committed(tmp_path: Path) -> None:
    page = page_of(ROOT / "reports" / "threshold", tmp_path)
    assert "gives median rounds" in page.all("ol")[0].text
    assert len(page.of(role="img")) >= 3


def test_cards_beside_a_run_of_the_same_experiment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study, run, other = tmp_path / "study", tmp_path / "run", tmp_path / "other"
    lineup = ["--lineup", "rusher,collector"]
    assert main(["cards", *lineup, "--games", "400", "--no-copies", "--out", str(study)]) == 0
    page = page_of(study, tmp_path)
    assert "What having a card changes" in [e.text for e in page.all("h2")]
    rsc_sim.simulate("booklet", ["rusher", "collector"], games=300, seed=5, out=run)
    capsys.readouterr()
    assert main(["report", str(run), "--with", str(study), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "card-effects" in [section["id"] for section in told["sections"]]
    assert "cards" not in [finding["section"] for finding in told["findings"]]
    rsc_sim.simulate("booklet", ["rusher", "random"], games=10, out=other)
    assert main(["report", str(other), "--with", str(study)]) == 2
    assert "a study of other rules or strategies" in capsys.readouterr().err
    assert main(["report", str(run), "--with", str(other)]) == 2
    assert "expected a study by rsc cards" in capsys.readouterr().err


def test_the_feel_of_a_game_by_itself_and_beside_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study, run = tmp_path / "study", tmp_path / "run"
    assert main(["feel", "--lineup", "rusher,collector", "--games", "200", "--out", str(study)]) == 0
    page = page_of(study, tmp_path)
    assert "What it is like to play" in [e.text for e in page.all("h2")]
    assert "of the winners were behind at half-time" in page.all("ol")[0].text
    rsc_sim.simulate("booklet", ["rusher", "collector"], games=60, seed=5, out=run)
    study.rename(run / "feel")  # a study in the run's own directory is found without being named
    capsys.readouterr()
    assert main(["report", str(run), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "feel" in [section["id"] for section in told["sections"]]
    assert "feel" in [finding["section"] for finding in told["findings"]]
    assert "cards" in [finding["section"] for finding in told["findings"]]  # judged by win rates as without it


def test_a_reference_folder_is_no_run() -> None:
    with pytest.raises(rsc_sim.RscError, match="keeps figures and no games"):
        build_report(ROOT / "reports" / "baseline")
