"""`rsc run`: what it prints, what it leaves behind, and how it is told what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rsc_sim.cli import app, main
from rsc_sim.cli_common import parse_count
from rsc_sim.errors import EnvironmentFailure
from rsc_sim.run import Run

QUICK = ("--lineup", "collector,random", "--games", "300")


def test_run_tells_the_main_things_in_order(rsc: Any) -> None:
    code, out, err = rsc("run", *QUICK)
    assert (code, err) == (0, "")
    headings = [
        "Read this first",
        "Who wins",
        "How a game lasts",
        "How games end",
        "Assumed, not in the booklet",
        "digest",
        "speed",
    ]
    headings[2] = "How long a game lasts"
    places = [out.index(heading) for heading in headings]
    assert places == sorted(places)
    assert "1st to play" in out
    assert re.search(r"collector +\d+(\.\d+)? % +\d+\.\d+ to \d+\.\d+ %", out)
    assert not re.search(r" +$", out, flags=re.MULTILINE)
    assert "\x1b" not in out


def test_run_leaves_a_run_directory(rsc: Any, tmp_path: Path) -> None:
    out = rsc("run", *QUICK).out
    run = Run.open(tmp_path / "runs" / "baseline-001")
    assert "runs/baseline-001" in out
    assert run.outcome_digest in out
    assert run.complete
    assert run.games.collect().height == 300
    there = sorted(p.name for p in run.path.iterdir() if p.name != ".lock")
    assert there == ["cards", "games", "manifest.json", "summary.json", "windows"]
    rsc("run", *QUICK)
    assert (tmp_path / "runs" / "baseline-002").is_dir()


def test_summary_json_holds_every_headline_figure_with_its_interval(rsc: Any, tmp_path: Path) -> None:
    rsc("run", *QUICK, "--out", "here")
    summary = json.loads((tmp_path / "here" / "summary.json").read_text())
    figures = [*summary["win_share_by_strategy"], *summary["win_share_by_place"], *summary["rounds"]["quantiles"]]
    figures += [*summary["ends"]["ends"].values(), summary["ends"]["escaper_wins"], summary["ends"]["unfinished"]]
    assert len(figures) == 2 + 2 + 3 + 3 + 2
    for figure in figures:
        assert figure["low"] <= figure["value"] <= figure["high"]
        assert {"level", "unit", "n_blocks", "method"} <= set(figure)


def test_json_is_one_object_with_directory_digest_and_figures(rsc: Any, tmp_path: Path) -> None:
    code, out, _ = rsc("run", *QUICK, "--out", "here", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["run"] == "here"
    assert told["outcome_digest"] == Run.open(tmp_path / "here").outcome_digest
    assert told["figures"] == json.loads((tmp_path / "here" / "summary.json").read_text())


def test_a_run_is_drawn_when_it_is_large_enough(rsc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "pictures" not in rsc("run", *QUICK, "--out", "small").out
    assert not (tmp_path / "small" / "plots").exists()
    monkeypatch.setattr("rsc_sim.cli.DRAWN_FROM", 300)
    out = rsc("run", *QUICK, "--out", "large").out
    assert re.search(r"^pictures +large/plots: 7, as png and svg$", out, flags=re.MULTILINE)
    names = {"win_share", "places", "game_length", "ends", "card_impact", "bottleneck", "chance"}
    assert {path.name for path in (tmp_path / "large" / "plots").iterdir()} == {
        f"{name}.{kind}" for name in names for kind in ("png", "svg")
    }
    assert len(json.loads(rsc("run", *QUICK, "--out", "json", "--json").out)["plots"]) == 14


def test_read_windows_and_cards_are_told_and_kept(rsc: Any, tmp_path: Path) -> None:
    out = " ".join(rsc("run", "--lineup", "rusher,collector", "--games", "9000", "--out", "here").out.split())
    assert re.search(r"A seat that is dealt Read wins more: .* \(\+.* to \+.*\)\.", out)
    assert re.search(r"What holds up an escape: Merch until round \d+, Read from round \d+\.", out)
    assert re.search(r"Escape Ticket \+\d+\.\d \+\d+\.\d to \+\d+\.\d \+\d+\.\d", out)
    assert "correlation, not effect" in out
    summary = json.loads((tmp_path / "here" / "summary.json").read_text(), parse_constant=pytest.fail)
    assert summary["read_dealt"]["effect"]["low"] > 0
    assert set(summary["bottleneck"]["lacks_only"]) == {"read", "ticket", "merch"}
    assert len(summary["cards"]) == 39
    for card in summary["cards"]:
        assert card["impact"]["low"] <= card["impact"]["value"] <= card["impact"]["high"]
    assert set(summary["findings"]) == {
        *("strategies", "places", "read_dealt", "length", "ends", "bottleneck", "cards"),
    }


def test_the_same_command_gives_the_same_digest_and_another_seed_another(rsc: Any) -> None:
    def digest(*more: str) -> str:
        return str(json.loads(rsc("run", *QUICK, "--json", *more).out)["outcome_digest"])

    assert digest() == digest("--jobs", "1") == digest("--seed", "1", "--jobs", "2", "--leaves-per-part", "1")
    assert digest("--seed", "2") != digest()


def test_games_are_rounded_up_and_it_says_so(rsc: Any) -> None:
    out = rsc("run", "--lineup", "collector,random,random", "--games", "100").out
    assert "102 games: 34 deals" in out
    assert "rounded up from 100" in out


def test_rules_can_be_set_and_brought_along(rsc: Any, tmp_path: Path) -> None:
    rsc("run", *QUICK, "--set", "escape_threshold=800", "--set", "cards.mug.copies=7", "--out", "a")
    rules = Run.open(tmp_path / "a").experiment.ruleset
    assert (rules["escape_threshold"], rules["cards"]["mug"]["copies"]) == (800, 7)
    import rsc_sim

    booklet = Path(rsc_sim.__file__).parent / "rulesets" / "booklet.toml"
    (tmp_path / "mine.toml").write_text(booklet.read_text().replace('name = "booklet"', 'name = "mine"'))
    assert "'mine'" in rsc("run", *QUICK, "--rules", "mine.toml").out


def test_an_experiment_file_is_run(rsc: Any, tmp_path: Path) -> None:
    (tmp_path / "duel.toml").write_text('name = "duel"\nlineup = ["collector", "random"]\ngames = 50\n')
    assert "runs/duel-001" in rsc("run", "duel.toml").out
    assert "runs/duel-002" in rsc("run", "./duel.toml", "--seed", "3").out


def test_unfinished_games_come_first(rsc: Any) -> None:
    out = rsc("run", *QUICK, "--set", "escape_threshold=4700", "--set", "max_rounds=30").out
    assert re.search(r"\d+(\.\d+)? % of the games did not end \((above )?\d", out)
    assert out.index("did not end") < out.index("Who wins")
    assert "Why some did not end" in out
    assert "would have lasted longer" in out
    assert "Half of the games take more than 30 rounds." in out
    assert "Fewer than one in ten are over within 30 rounds." in out
    assert "beyond" not in out


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("cards.escape_ticket.copies=0", "there is no Escape Ticket in the deck"),
        ("escape_threshold=5000", "all Merch together is worth less than $5,000"),
        ("escape_threshold=4700", "no table could reach $4,700 any more"),
        ("recycle_discard=false", "Escape Tickets were discarded, or sat with seats that cannot escape"),
    ],
)
def test_why_games_did_not_end_is_true_of_the_deck(rsc: Any, setting: str, why: str) -> None:
    out = rsc("run", *QUICK, "--set", setting, "--set", "max_rounds=30").out
    reasons = out.partition("Why some did not end")[2].partition("What is missing")[0]
    assert why in reasons
    if "copies=0" in setting:
        assert "sat with seats" not in reasons


def test_equal_by_construction_and_few_deals_are_said(rsc: Any) -> None:
    out = rsc("run", "--lineup", "random,random,random", "--games", "60").out
    assert "equal share by construction" in " ".join(out.split())
    assert "Only 60 different deals" in out


def test_read_worth_more_than_all_merch_is_said_only_when_so(rsc: Any) -> None:
    assert "decides nothing" in rsc("run", *QUICK).out
    assert "decides nothing" not in rsc("run", *QUICK, "--set", "read_points=500").out


def test_resume_of_a_complete_run_says_so(rsc: Any) -> None:
    first = rsc("run", *QUICK, "--out", "here").out
    code, out, err = rsc("run", "--resume", "--out", "here")
    assert code == 0
    assert "complete" in err
    assert out == first


@pytest.mark.parametrize(
    ("text", "number"),
    [("1000", 1_000), ("1_000_000", 10**6), ("1e6", 10**6), ("100k", 10**5), ("2M", 2 * 10**6), ("1.5k", 1_500)],
)
def test_numbers_of_games_as_people_write_them(text: str, number: int) -> None:
    assert parse_count(text) == number


def test_every_command_has_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (None, *(c.callback.__name__ for c in app.registered_commands if c.callback)):
        assert main([*([command] if command else []), "--help"]) == 0
        assert "Example: rsc " in capsys.readouterr().out


def test_version(rsc: Any) -> None:
    from rsc_sim import __version__

    assert rsc("--version") == (0, f"rsc {__version__}\n", "")


def test_simulate_gives_what_the_command_gives(rsc: Any, tmp_path: Path) -> None:
    import rsc_sim

    rsc("run", *QUICK, "--out", "here")
    there = Run.open(tmp_path / "here")
    run = rsc_sim.simulate("booklet", ["collector", "random"], games=300)
    assert run.outcome_digest == there.outcome_digest
    assert run.games.collect().equals(there.games.collect())
    assert "300 games" in repr(run)
    kept = rsc_sim.simulate(rsc_sim.Ruleset.booklet(), ["collector", "random"], games=300, out=tmp_path / "kept")
    assert (tmp_path / "kept" / "summary.json").is_file()
    assert kept.seats.filter(pl.col("place") == 0).collect().height == 300


@pytest.mark.parametrize(
    ("how", "word"),
    [({"games": 0}, "games"), ({"seed": -1}, "seed"), ({"lineup": "random,random"}, "list"), ({"jobs": 0}, "jobs")],
)
def test_simulate_refuses_what_does_not_fit(how: dict[str, Any], word: str) -> None:
    import rsc_sim

    with pytest.raises(ValueError, match=word):
        rsc_sim.simulate(**{"rules": "booklet", "lineup": ["random", "random"], "games": 10, **how})


def test_public_names_are_there() -> None:
    import rsc_sim

    for name in rsc_sim.__all__:
        assert getattr(rsc_sim, name) is not None
    with pytest.raises(AttributeError):
        _ = rsc_sim.nothing
    assert issubclass(rsc_sim.EnvironmentFailure, rsc_sim.RscError)
    assert rsc_sim.EnvironmentFailure is EnvironmentFailure
