"""Rulesets as text: TOML and CSV round trips, spreadsheets' habits, settings of the command line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsc_sim.errors import InputError
from rsc_sim.ruleset import LIMITS, PRIMITIVES, Ruleset, parse_setting

BOOKLET = Ruleset.booklet()


# ---------------------------------------------------------------------------------------------------------- any ruleset

_characters = st.characters(codec="utf-8", exclude_categories=("C", "Z"), include_characters=" ")
_names = st.text(_characters, max_size=80).map(lambda name: name.strip() or "a name")
_spreadsheet_names = st.sampled_from(["=1+1", "'=1+1", "+x", "-x", "@x", "''-x", 'say "hi"', "a;b,c", "'quoted'", "="])
_ids = st.from_regex(r"[a-z][a-z0-9_]{0,39}", fullmatch=True)


def _some(members: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(members.split()), unique=True, min_size=1)


def _figure(figure: str) -> st.SearchStrategy[Any]:
    return st.integers(*LIMITS[figure])


@st.composite
def rulesets(draw: st.DrawFn) -> dict[str, Any]:
    """Plain data of any sound ruleset, small enough to deal."""
    kinds = draw(st.lists(_ids, unique=True, min_size=2, max_size=8))
    cards: dict[str, Any] = {}
    for i, kind in enumerate(kinds):
        type_ = ("read", "merch")[i] if i < 2 else draw(st.sampled_from(["ticket", "merch", "action", "reaction"]))
        card: dict[str, Any] = {"name": draw(_names | _spreadsheet_names), "type": type_}
        card["copies"] = (1, 4)[i] if i < 2 else draw(st.integers(0, 40))
        if type_ == "merch":
            card["value"] = draw(_figure("value"))
        elif type_ == "action":
            card["primitive"] = draw(st.sampled_from(list(PRIMITIVES)))
            for figure in PRIMITIVES[card["primitive"]].parameters:
                card[figure] = kinds[1] if figure == "kind" else draw(_figure(figure))
            families = ["read", "merch", "protect", "hand", "turn", None]
            targets = PRIMITIVES[card["primitive"]].targets
            card["family"] = draw(st.sampled_from(families)) if targets else None
        elif type_ == "reaction":
            card["cancels"] = draw(_some("read merch protect hand turn reaction"))
        card["assumed"] = draw(st.sampled_from([[], ["copies"], ["copies", "name"]]))
        cards[kind] = card
    return {
        "name": draw(_names),
        "hand_size": draw(st.integers(0, 2)),
        **{figure: draw(_figure(figure)) for figure in ("normal_draw", "opening_draw", "escape_threshold")},
        **{figure: draw(_figure(figure)) for figure in ("read_points", "max_rounds")},
        "available_from": draw(_some("discard pickup")),
        "find_from": draw(_some("discard pickup")),
        "escape_when": draw(_some("after_pick_up after_put_down")),
        "lowest_means": draw(st.sampled_from(["unprotected", "tabled"])),
        "escape": draw(st.sampled_from(["optional", "forced"])),
        "unfinished": draw(st.sampled_from(["no_winner", "score"])),
        **{
            switch: draw(st.booleans())
            for switch in ("recycle_discard", "redraw_after_read", "replace_dealt_read", "skips_stack")
        },
        "cards": cards,
    }


@settings(max_examples=60, deadline=None)
@given(rulesets())
def test_any_ruleset_survives_dict_toml_and_csv(plain: dict[str, Any]) -> None:
    rules = Ruleset.from_dict(plain)
    assert Ruleset.from_dict(rules.to_dict()) == rules
    assert Ruleset.from_dict(tomllib.loads(rules.to_toml())) == rules
    deck = rules.deck_csv()
    for text in (deck, "\ufeff" + deck, deck.replace("\n", "\r\n")):
        assert rules.with_deck_csv(text) == rules


# ----------------------------------------------------------------------------------------------------------------- TOML


def test_toml_round_trip_through_a_file(tmp_path: Path) -> None:
    changed = BOOKLET.override({"cards.mug.name": 'The "Big" \\ Mug', "cards.mine_now.family": None, "name": "mine"})
    path = tmp_path / "mine.toml"
    path.write_text(changed.to_toml(), encoding="utf-8")
    assert Ruleset.load(path) == changed


def test_toml_is_laid_out_as_the_booklet_file_is() -> None:
    assert BOOKLET.to_toml().startswith('name               = "booklet"\nhand_size          = 6\n')
    assert '\n[cards.mug]\nname    = "Mug"\ntype    = "merch"\ncopies  = 5\nvalue   = 30\n' in BOOKLET.to_toml()


# ------------------------------------------------------------------------------------------------------------------ CSV

HEADER = "id,name,type,copies,value,primitive,max_value,count,kind,family,cancels,assumed"


def csv_problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        BOOKLET.with_deck_csv(text)
    return str(caught.value).splitlines()


def test_csv_is_a_table_with_one_row_a_kind() -> None:
    lines = BOOKLET.deck_csv().splitlines()
    assert lines[0] == HEADER
    assert len(lines) == 40
    assert lines[7] == "mug,Mug,merch,5,30,,,,,,,copies value name"
    assert lines[28] == """embarrassing,"Oops, That's Embarrassing",action,2,,return_merch,50,,,merch,,copies"""
    assert lines[38] == "fan_ticket,Fan Ticket,reaction,2,,,,,,,merch protect hand,copies"


def test_csv_edits_change_the_deck_and_keep_the_figures() -> None:
    rules = BOOKLET.override({"hand_size": 5, "name": "mine"})
    edited = rules.deck_csv().replace("mug,Mug,merch,5,30", "mug,Mug,merch,4,35")
    edited += "lanyard,Lanyard,merch,3,25,,,,,,,\n"
    changed = rules.with_deck_csv(edited)
    assert changed.hand_size == 5
    assert (changed.cards["mug"].copies, changed.cards["mug"].value) == (4, 35)
    assert changed.kinds == (*rules.kinds, "lanyard")


def test_csv_as_spreadsheets_save_it() -> None:
    rows = [
        line.split(",")
        for line in BOOKLET.deck_csv().replace("Oops, T", "Oops T").replace("Off, B", "Off B").splitlines()
    ]
    rows = [[cell.strip('"') for cell in row] for row in rows]
    plain = BOOKLET.override(
        {"cards.embarrassing.name": "Oops That's Embarrassing", "cards.hands_off.name": "Hands Off Babe"}
    )
    for separator in (";", "\t", ","):
        text = "\ufeff" + "\r\n".join(separator.join([*row, "", ""]) for row in [[], *rows, [], [" "]])
        assert plain.with_deck_csv(text) == plain
    # columns in another order and case, lists with commas and bars, blanks around, empty columns left out
    text = 'Copies, ID ,NAME,Type,cancels\n1,read, Read ,read,\n9,no,No,reaction,"merch, hand|turn"\n'
    small = BOOKLET.override({"hand_size": 0}).with_deck_csv(text)
    assert small.cards["no"].cancels == ("merch", "hand", "turn")
    assert small.cards["read"].name == "Read"


def test_csv_gives_a_spreadsheet_no_formula() -> None:
    for name in ("=SUM(A1)", "+1", "-1", "@x", "'=x"):
        rules = BOOKLET.override({"cards.mug.name": name})
        assert f"\nmug,'{name},merch," in rules.deck_csv()
        assert rules.with_deck_csv(rules.deck_csv()) == rules
    assert "\nmug,'Mug',merch," in BOOKLET.override({"cards.mug.name": "'Mug'"}).deck_csv()


def test_csv_errors_name_row_and_column() -> None:
    rows = BOOKLET.deck_csv().splitlines()
    rows[7] = "mug,Mug,merch,5.0,-30,,,,,,,"
    rows[28] = rows[28].replace(",merch,", ",merhc,")
    rows[39] = "covered,Read Has You Covered,reaction,2,,,,,,,read marsh,copies"
    rows += ["", "new,New,merch,,5,draw,,,,,,", "mug,Mug,merch,1,1", "x,X,ticket,1,,,,,,,,,surplus", "Bad,X,ticket,1"]
    assert csv_problems("\n".join(rows)) == [
        'deck.csv: row 43, column id: "mug" is in row 8 already',
        'deck.csv: row 44: "surplus" stands in no column',
        'deck.csv: row 8, column copies: expected a whole number from 0 to 255, got "5.0"',
        "deck.csv: row 8, column value: expected a whole number from 0 to 1000000, got -30",
        'deck.csv: row 29, column family: expected one of read, merch, protect, hand, turn, got "merhc" '
        "(did you mean merch?)",
        "deck.csv: row 40, column cancels: expected a list of one or more of read, merch, protect, hand, turn, "
        'reaction, got "marsh" (did you mean merch?)',
        "deck.csv: row 42, column primitive: a Merch has no primitive; "
        "its figures are name, type, copies, value, assumed",
        "deck.csv: row 42, column copies: missing: expected a whole number from 0 to 255",
        "deck.csv: row 45, column id: not an id: expected a small letter, then small letters, digits and _, "
        "at most 40 in all",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [f"deck.csv: expected a table with the columns {HEADER.replace(',', ', ')}, got nothing"]),
        (" \n\n", [f"deck.csv: expected a table with the columns {HEADER.replace(',', ', ')}, got nothing"]),
        (
            "id,nam,copies,type,id\n",
            [
                'deck.csv: row 1: no such column "nam" (did you mean name?)',
                "deck.csv: row 1: column id is there twice",
                "deck.csv: row 1: expected a column name, got none",
            ],
        ),
        ('id,name,type,copies\nread,"Read,read,1\n', ["deck.csv: row 2: expected CSV: unexpected end of data"]),
        ("id,name,type,copies\n", ["deck.csv: cards: expected exactly one card of type read, got none"]),
        ("id,name,type,copies\n,Read,read,1\n,x,ticket,1\n", ['deck.csv: row 3, column id: "" is in row 2 already']),
    ],
)
def test_csv_that_is_no_deck(text: str, lines: list[str]) -> None:
    assert csv_problems(text)[: len(lines)] == lines


def test_csv_problems_of_the_whole_deck_and_of_another_source() -> None:
    text = BOOKLET.deck_csv().replace("mug,Mug,merch,5,", "mug,Mug,merch,200,")
    assert csv_problems(text) == ["deck.csv: cards: expected at most 255 cards in the deck, got 315"]
    with pytest.raises(InputError, match=r"^my deck\.csv: cards: expected at most 255"):
        BOOKLET.with_deck_csv(text, source="my deck.csv")
    few = "id,name,type,copies\nread,Read,read,1\nt,T,ticket,2\n"
    assert csv_problems(few)[0].startswith(
        "deck.csv: hand_size: 2 seats with 6 cards each need 12 cards, the deck has 3;"
    )


# ------------------------------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("hand_size=5", "hand_size", 5),
        (" hand_size = 5 ", "hand_size", 5),
        ("escape_threshold=1_000", "escape_threshold", 1000),
        ("hand_size=6.0", "hand_size", 6.0),
        ("skips_stack=false", "skips_stack", False),
        ("escape=forced", "escape", "forced"),
        ('escape="forced"', "escape", "forced"),
        ("available_from=discard", "available_from", ["discard"]),
        ("available_from=discard,pickup", "available_from", ["discard", "pickup"]),
        ('available_from=["discard", "pickup"]', "available_from", ["discard", "pickup"]),
        ("cards.covered.cancels=read, hand", "cards.covered.cancels", ["read", "hand"]),
        ("cards.mug.name=2024", "cards.mug.name", "2024"),
        ("cards.mug.name=Oops, a = b", "cards.mug.name", "Oops, a = b"),
        ("cards.mug.name='Oops'", "cards.mug.name", "Oops"),
        ("cards.free_audio.kind=true", "cards.free_audio.kind", "true"),
        ("hand_size=1,2", "hand_size", [1, 2]),
        ("hand_size=five", "hand_size", "five"),
        ("hand_size=5\nread_points=1", "hand_size", "5\nread_points=1"),
    ],
)
def test_parse_setting(text: str, key: str, value: Any) -> None:
    parsed = parse_setting(text)
    assert parsed == (key, value)
    assert type(parsed[1]) is type(value)


@pytest.mark.parametrize("text", ["hand_size", "=5", "", "hand_size=", " = "])
def test_parse_setting_wants_key_and_value(text: str) -> None:
    with pytest.raises(InputError, match="expected KEY=VALUE, for example escape_threshold=800"):
        parse_setting(text)


def test_override_text() -> None:
    changed = BOOKLET.override_text(["hand_size=5", "cards.mine_now.family=none", "escape_when=after_put_down"])
    same = {"hand_size": 5, "cards.mine_now.family": None, "escape_when": ["after_put_down"]}
    assert changed == BOOKLET.override(same)
    with pytest.raises(InputError, match=r'^hand_size: expected a whole number from 0 to 255, got "five"$'):
        BOOKLET.override_text(["hand_size=five"])
