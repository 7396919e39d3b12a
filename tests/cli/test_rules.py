"""`rsc rules`: what a designer is shown of a ruleset, and that what is exported can be edited, checked and played."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from rsc_sim import export_rules, present_rules
from rsc_sim.ruleset import Ruleset

BOOKLET = Ruleset.booklet()


def shown_at(width: int, rules: Ruleset) -> list[str]:
    """Give the lines of `rsc rules show` on a terminal of that width."""
    out = io.StringIO()
    present_rules.show_rules(Console(file=out, width=width, color_system=None), rules)
    return out.getvalue().splitlines()


# ---- show


def test_rules_alone_shows_the_booklet(rsc: Any) -> None:
    code, out, err = rsc("rules")
    assert (code, err) == (0, "")
    assert out == rsc("rules", "show").out
    assert out.startswith("Rules 'booklet': 120 cards of 39 kinds\n")


def test_show_names_every_figure_and_card_with_its_copies_and_value(rsc: Any) -> None:
    out = rsc("rules").out
    rows = {
        line.split()[0]: " ".join(line.split()) for line in out.splitlines() if line.startswith("  ") and line.split()
    }
    for figure in BOOKLET.to_dict():
        assert figure in rows or figure in ("name", "cards")
    assert rows["escape_threshold"].startswith("escape_threshold 1,000 dollars")
    assert rows["escape"] == "escape optional a player who can escape decides"
    for kind, card in BOOKLET.cards.items():
        star = "*" if "copies" in card.assumed else ""
        assert rows[kind].startswith(f"{kind} {card.name.split()[0]}")
        assert f" {card.copies}{star} " in rows[kind]
        if card.value is not None:
            assert rows[kind].endswith(f" ${card.value}{'*' if 'value' in card.assumed else ''}")
    assert rows["sticker"] == "sticker Sticker* 6* $5*"
    assert rows["read_merch"] == "read_merch Read Merch 1 $500*"
    assert rows["teased"].endswith("steal Merch worth $10 or less")
    assert rows["free_audio"].endswith("find one Signed Photo")
    assert rows["giveaway"].endswith("draw 2 cards")


def test_show_gives_totals(rsc: Any) -> None:
    out = rsc("rules").out
    assert "Merch: 51 cards, worth $4,765 together; escaping takes $1,000." in out
    assert "The deck can be dealt to 2 to 8 seats." in out
    assert f"{len(BOOKLET.assumed_figures())} names, copies and values are assumed" in out
    assert "difference" not in out


def test_show_says_who_cancels_a_family(rsc: Any) -> None:
    out = rsc("rules", "--help").out
    assert "Example: rsc rules" in out
    out = rsc("rules", "show", "--set", "cards.covered.copies=0").out
    assert "Actions of the family “turn”, cancelled by no card of this deck" in out
    assert "Actions of the family “hand”, cancelled by Fan Ticket\n" in out
    assert "Not in the deck (0 copies): Read Has You Covered." in out


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_show_fits_the_terminal(width: int) -> None:
    lines = shown_at(width, BOOKLET)
    assert max(map(len, lines)) <= width
    assert not any(line.endswith(" ") for line in lines)
    assert sum("*" in line for line in lines) >= 36


def test_show_fits_with_long_and_wide_names() -> None:
    rules = BOOKLET.override({"cards.mug.name": "杯" * 60, "cards.badge.name": "B" * 80, "name": "x" * 80})
    assert max(map(cell_len, shown_at(80, rules)[1:])) <= 80


def test_show_on_the_narrowest_terminal_still_shows_everything() -> None:
    assert any("$500*" in line for line in shown_at(20, BOOKLET))


def test_show_piped_has_neither_colour_nor_wide_lines(start_rsc: Any) -> None:
    out, _ = start_rsc("rules").communicate(timeout=60)
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 100


def test_show_json_holds_the_ruleset_and_its_totals(rsc: Any) -> None:
    told = json.loads(rsc("rules", "show", "--json", "--set", "escape_threshold=800").out)
    rules = BOOKLET.override({"escape_threshold": 800})
    assert told["ruleset"] == rules.to_dict()
    assert told["digest"] == rules.digest
    assert (told["n_cards"], told["merch_total"], told["most_seats"]) == (120, 4765, 8)
    assert told["assumed"]["cards.mug.value"] == 30


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("escape_threshold=5000", "Nobody can escape: all Merch together is worth $4,765, escaping takes $5,000."),
        ("cards.escape_ticket.copies=0", "Nobody can escape: the deck has no Escape Ticket."),
        ("hand_size=40", "The deck can be dealt to 2 to 3 seats."),
        ("hand_size=60", "The deck can be dealt to 2 seats only."),
        ("normal_draw=0", "Nobody picks up a card in a turn"),
        ("escape=forced", "1 difference from the booklet"),
    ],
)
def test_show_says_what_is_odd(rsc: Any, setting: str, words: str) -> None:
    assert words in rsc("rules", "show", "--set", setting).out


# ---- diff


def test_diff_of_the_same_says_so_and_ends_with_0(rsc: Any) -> None:
    assert rsc("rules", "diff", "booklet") == (0, "From booklet to booklet: no difference\n", "")


def test_diff_is_in_a_designers_words_and_ends_with_0(rsc: Any, tmp_path: Path) -> None:
    changed = BOOKLET.override(
        {"escape_threshold": 800, "cards.escape_ticket.copies": 3, "cards.mug.name": "Cup", "name": "mine"}
    )
    (tmp_path / "mine.toml").write_text(changed.to_toml())
    code, out, err = rsc("rules", "diff", "mine.toml")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "From booklet to mine.toml: 3 differences",
        "   escape_threshold: 1,000 → 800",
        "   Escape Ticket: 4 → 3 copies",
        "",
        "Names and what is marked as assumed (games stay the same)",
        "   Mug: now called Cup",
        "",
        "In all: cards 120 → 119.",
    ]
    assert rsc("rules", "diff", "booklet", "mine.toml").out == out
    back = rsc("rules", "diff", "mine.toml", "booklet").out
    assert "From mine.toml to booklet" in back
    assert "Escape Ticket: 3 → 4 copies" in back


def test_diff_takes_settings_for_the_later_one(rsc: Any) -> None:
    out = rsc("rules", "diff", "--set", "hand_size=40").out
    assert "From booklet to booklet with hand_size=40: 1 difference\n   hand_size: 6 → 40" in out
    assert "can be dealt to 2 to 8 seats → 2 to 3 seats" in " ".join(out.split())


def test_diff_json_says_what_affects_play(rsc: Any) -> None:
    told = json.loads(rsc("rules", "diff", "--json", "--set", "escape=forced", "--set", "cards.mug.name=Cup").out)
    assert [(d["key"], d["old"], d["new"], d["affects_play"]) for d in told["differences"]] == [
        ("escape", "optional", "forced", True),
        ("cards.mug.name", "Mug", "Cup", False),
    ]
    assert told["old"]["digest"] == BOOKLET.digest


# ---- validate

BAD = """
name = "bad"
hand_sise = 6
[cards.read]
name = "Read"
type = "read"
copies = -1
"""


def test_validate_names_all_problems_one_a_line_and_ends_with_2(rsc: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(BAD)
    code, out, err = rsc("rules", "validate", "bad.toml")
    assert (code, out) == (2, "")
    lines = err.splitlines()
    assert lines[0] == f"rsc: bad.toml: {len(lines) - 1} problems"
    assert any("hand_sise: no such figure (did you mean hand_size?)" in line for line in lines)
    assert any("cards.read.copies: expected a whole number from 0 to 255, got -1" in line for line in lines)
    told = json.loads(rsc("rules", "validate", "bad.toml", "--json").out)
    assert told["sound"] is False
    assert [f"     {problem}" for problem in told["problems"]] == lines[1:]
    assert rsc("rules", "validate", "bad.toml", "--json").code == 2


def test_validate_says_a_problem_of_a_list_once(rsc: Any, tmp_path: Path) -> None:
    text = BOOKLET.to_toml().replace('cancels = ["merch"]', 'cancels = ["merc"]')
    (tmp_path / "bad.toml").write_text(text)
    err = rsc("rules", "validate", "bad.toml").err
    assert len(err.splitlines()) == 1
    assert "did you mean merch?" in err


def test_validate_says_what_is_fine(rsc: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(BOOKLET.override({"escape_threshold": 9999}).to_toml())
    code, out, err = rsc("rules", "validate", "mine.toml")
    assert (code, err) == (0, "")
    assert out.startswith("mine.toml: a sound ruleset\n")
    assert "39 kinds (at most 64), 10 of them Merch (at most 16), 120 cards (at most 255)." in out
    assert " ! Nobody can escape" in out
    told = json.loads(rsc("rules", "validate", "mine.toml", "--json").out)
    assert (told["sound"], told["problems"], len(told["notes"])) == (True, [], 1)


# ---- export


def test_the_exported_booklet_keeps_its_comments_and_is_named_after_its_file(rsc: Any, tmp_path: Path) -> None:
    code, out, _ = rsc("rules", "export", "--out", "mine.toml")
    assert code == 0
    assert "rsc run --rules mine.toml" in out
    text = (tmp_path / "mine.toml").read_text(encoding="utf-8")
    assert '# Booklet: "Deal 6 cards to each player."' in text
    rules = Ruleset.load(tmp_path / "mine.toml")
    assert (rules.name, rules.digest) == ("mine", BOOKLET.digest)


def test_export_without_out_prints_what_can_be_read_back(rsc: Any) -> None:
    assert Ruleset.from_dict(tomllib.loads(rsc("rules", "export").out)) == BOOKLET
    assert BOOKLET.with_deck_csv(rsc("rules", "export", "--format", "csv").out) == BOOKLET
    told = json.loads(rsc("rules", "export", "--json").out)
    assert (told["format"], told["digest"]) == ("toml", BOOKLET.digest)
    assert told["text"] == rsc("rules", "export").out


def test_a_deck_goes_out_to_a_spreadsheet_and_back_into_a_run(rsc: Any, tmp_path: Path) -> None:
    assert rsc("rules", "export", "--out", "deck.csv").code == 0
    path = tmp_path / "deck.csv"
    assert path.read_bytes().startswith(b"\xef\xbb\xbf"), "or a spreadsheet misreads the dashes"
    assert "no difference" in rsc("rules", "diff", "deck.csv").out
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    for row in rows:
        if row["id"] == "hoodie":
            row["copies"], row["value"] = "3", "150"
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8-sig")
    assert "It is played with the figures and switches of the booklet." in rsc("rules", "validate", "deck.csv").out
    assert "Hoodie: 6 → 3 copies" in rsc("rules", "diff", "deck.csv").out
    assert "Rules 'deck': 117 cards" in rsc("rules", "show", "--rules", "deck.csv").out
    code, out_text, err = rsc("run", "--rules", "deck.csv", "--lineup", "collector,random", "--games", "50")
    assert (code, err) == (0, "")
    assert "by the rules 'deck'" in out_text
    assert rsc("rules", "export", "--rules", "deck.csv", "--out", "whole.toml").code == 0
    assert Ruleset.load(tmp_path / "whole.toml").digest == Ruleset.load(path).digest


def test_a_bad_deck_is_told_by_row_and_column(rsc: Any, tmp_path: Path) -> None:
    (tmp_path / "deck.csv").write_text(BOOKLET.deck_csv().replace("merch,6,5", "merch,many,5"))
    code, _, err = rsc("rules", "validate", "deck.csv")
    assert code == 2
    assert err == 'rsc: deck.csv: row 4, column copies: expected a whole number from 0 to 255, got "many"\n'
    assert rsc("run", "--rules", "deck.csv").err == err


def test_nothing_is_overwritten(rsc: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("precious")
    (tmp_path / "folder.toml").mkdir()
    for name in ("mine.toml", "folder.toml"):
        code, out, err = rsc("rules", "export", "--out", name)
        assert (code, out) == (2, "")
        assert f"{name}: is there already and is not overwritten" in err
    assert (tmp_path / "mine.toml").read_text() == "precious"


def test_an_export_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        export_rules.write_new(tmp_path / "mine.toml", "\udc80", "toml")
    assert list(tmp_path.iterdir()) == []


# ---- bad input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["shw"], "Did you mean 'show'?"),
        (["show", "--rules", "nowhere.toml"], "nowhere.toml: no such ruleset file"),
        (["show", "--rules", "nowhere.csv"], "nowhere.csv: no such ruleset file"),
        (["show", "--set", "escape_treshold=3"], "did you mean escape_threshold?"),
        (["show", "--set", "hand_size=61"], "hand_size: 2 seats with 61 cards each need 122 cards"),
        (["diff", "a.toml", "b.toml"], "a.toml: no such ruleset file"),
        (["diff", "a", "b", "c"], "unexpected extra argument"),
        (["validate"], "Missing argument 'FILE'"),
        (["validate", "."], "expected a ruleset file (TOML), this is a directory"),
        (["validate", "nowhere.toml"], "nowhere.toml: no such ruleset file"),
        (["export", "--format", "yaml"], "--format: expected toml or csv, came 'yaml'"),
        (["export", "--format", "csv", "--out", "deck.txt"], "deck.txt: expected a name that ends in .csv"),
        (["export", "--format", "toml", "--out", "deck.csv"], "deck.csv: expected a name that does not end in .csv"),
        (["export", "--out", "no/such/folder.toml"], "cannot be written: No such file or directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_explained_and_ends_with_2(rsc: Any, tmp_path: Path, arguments: list[str], words: str) -> None:
    code, out, err = rsc("rules", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("rsc: ")
    assert words in err
    assert list(tmp_path.iterdir()) == []


def test_every_command_has_an_example(rsc: Any) -> None:
    for command in ("show", "diff", "validate", "export"):
        code, out, _ = rsc("rules", command, "--help")
        assert code == 0
        assert f"Example: rsc rules {command}" in out


def test_rules_need_no_frames() -> None:
    code = (
        "import sys; from rsc_sim.cli import main; main(['rules']); main(['rules', 'diff', '--set', 'hand_size=5']); "
        "print(sorted({'numpy', 'polars', 'joblib', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
