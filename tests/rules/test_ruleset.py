"""The ruleset file: the booklet's figures, every limit and its error, overrides, the digest."""

from __future__ import annotations

import copy
import doctest
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import rsc_sim.ruleset
import rsc_sim.ruleset_diff
import rsc_sim.ruleset_text
from rsc_sim.errors import InputError
from rsc_sim.ruleset import PRIMITIVES, Card, Ruleset
from rsc_sim.ruleset_check import CARD_FIGURES, CHOICES

BOOKLET_FILE = Path(rsc_sim.ruleset.__file__).parent / "rulesets" / "booklet.toml"

# RULES section 1, written out a second time on purpose: id, name, copies, the rest of the card.
MERCH = [
    ("sticker", "Sticker", 6, 5),
    ("keyring", "Keyring", 6, 10),
    ("badge", "Badge", 5, 15),
    ("signed_photo", "Signed Photo", 5, 20),
    ("mug", "Mug", 5, 30),
    ("poster", "Poster", 5, 50),
    ("t_shirt", "T-Shirt", 6, 100),
    ("hoodie", "Hoodie", 6, 200),
    ("vinyl", "Vinyl", 6, 300),
    ("read_merch", "Read Merch", 1, 500),
]
ACTIONS: list[tuple[str, str, int, str, dict[str, Any], str | None]] = [
    ("kidnap_read", "Kidnap Read", 2, "take_read", {}, "read"),
    ("seduce_read", "Seduce Read Away", 2, "take_read", {}, "read"),
    ("trick_read", "Trick Read Away", 2, "take_read", {}, "read"),
    ("cheeky_pic", "Sent Cheeky Pic", 3, "take_merch", {"max_value": 10}, None),
    ("flirted", "Flirted Successfully", 3, "take_merch", {"max_value": 20}, None),
    ("fan_of_month", "Fan of the Month", 2, "take_merch", {"max_value": 50}, None),
    ("free_audio", "Won a Free Audio", 2, "find_merch", {"kind": "signed_photo"}, None),
    ("energy_drink", "Energy Drink Activates", 3, "table_more", {"count": 3}, None),
    ("giveaway", "You Won a Giveaway", 3, "draw", {"count": 2}, None),
    ("gifted_big", "Gifted Big During Live", 3, "draw", {"count": 2}, None),
    ("read_time", "Read Time Activates", 2, "extra_turn", {}, None),
    ("teased", "Teased Too Much", 3, "steal_merch", {"max_value": 10}, "merch"),
    ("flirting_failed", "Flirting Failed", 3, "steal_merch", {"max_value": 20}, "merch"),
    ("sabotaged", "Fans Sabotaged", 2, "steal_merch", {"max_value": 50}, "merch"),
    ("mine_now", "Mine Now", 3, "steal_highest_merch", {}, "merch"),
    ("embarrassing", "Oops, That's Embarrassing", 2, "return_merch", {"max_value": 50}, "merch"),
    ("thirsty", "Caught Being Thirsty", 2, "steal_lowest_merch", {}, "merch"),
    ("wrong_hole", "Wrong Hole", 2, "steal_protect", {}, "protect"),
    ("jealous", "Jealous Much?", 2, "steal_hand", {}, "hand"),
    ("favourite_changed", "Read's Favourite Changed", 2, "steal_hand", {}, "hand"),
    ("wasnt_yours", "That Wasn't Yours", 2, "discard_hand", {}, "hand"),
    ("attention", "Someone Else Got All the Attention", 2, "skip_turn", {}, "turn"),
    ("merch_protect", "Blow a Kiss to Read — Merch Protect", 3, "protect_merch", {}, None),
    ("hands_off", "Hands Off, Babe", 2, "protect_hand", {}, None),
]
REACTIONS: list[tuple[str, str, int, list[str]]] = [
    ("not_today", "Not Today Demon", 3, ["merch"]),
    ("fan_ticket", "Fan Ticket", 2, ["merch", "protect", "hand"]),
    ("covered", "Read Has You Covered", 2, ["read", "merch", "protect", "hand", "turn"]),
]
SWITCHES = {
    "name": "booklet",
    "hand_size": 6,
    "normal_draw": 1,
    "opening_draw": 2,
    "escape_threshold": 1000,
    "read_points": 10000,
    "recycle_discard": True,
    "available_from": ["discard", "pickup"],
    "find_from": ["pickup"],
    "lowest_means": "unprotected",
    "escape": "optional",
    "escape_when": ["after_pick_up", "after_put_down"],
    "redraw_after_read": False,
    "replace_dealt_read": False,
    "skips_stack": True,
    "unfinished": "no_winner",
    "max_rounds": 200,
}
TARGETED = {
    *("take_read", "steal_merch", "steal_highest_merch", "steal_lowest_merch", "return_merch"),
    *("steal_protect", "steal_hand", "discard_hand", "skip_turn"),
}


@pytest.fixture
def plain() -> dict[str, Any]:
    return Ruleset.booklet().to_dict()


def problems(data: Any, source: str = "mine.toml") -> list[str]:
    """Lines of the error that the data raise, each without the source that it must begin with."""
    with pytest.raises(InputError) as caught:
        Ruleset.from_dict(data, source=source)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{source}: ") for line in lines)
    return [line.removeprefix(f"{source}: ") for line in lines]


def with_value(plain: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    *tables, figure = key.split(".")
    table = plain
    for step in tables:
        table = table[step]
    table[figure] = value
    return plain


# ------------------------------------------------------------------------------------------------------- the booklet


def test_booklet_is_the_deck_of_the_rules(plain: dict[str, Any]) -> None:
    cards = plain.pop("cards")
    assert plain == SWITCHES
    assert list(plain) == list(SWITCHES)
    expected: dict[str, Any] = {
        "read": {"name": "Read Sir Chaos", "type": "read", "copies": 1, "assumed": []},
        "escape_ticket": {"name": "Escape Ticket", "type": "ticket", "copies": 4, "assumed": ["copies"]},
    }
    for kind, name, copies, value in MERCH:
        assumed = {"signed_photo": ["copies", "value"], "read_merch": ["value"]}.get(kind, ["copies", "value", "name"])
        expected[kind] = {"name": name, "type": "merch", "copies": copies, "value": value, "assumed": assumed}
    for kind, name, copies, primitive, given, family in ACTIONS:
        assumed = [] if kind == "merch_protect" else ["copies"]
        expected[kind] = {"name": name, "type": "action", "copies": copies, "primitive": primitive, **given}
        expected[kind] |= {"family": family, "assumed": assumed}
    for kind, name, copies, cancels in REACTIONS:
        expected[kind] = {"name": name, "type": "reaction", "copies": copies, "cancels": cancels, "assumed": ["copies"]}
    assert cards == expected
    assert list(cards) == list(expected)
    assert {kind: list(card) for kind, card in cards.items()} == {kind: list(card) for kind, card in expected.items()}


def test_booklet_totals() -> None:
    rules = Ruleset.booklet()
    assert (len(rules.kinds), rules.n_cards, rules.merch_total) == (39, 120, 4765)
    assert rules.kinds[:3] == ("read", "escape_ticket", "sticker")


def test_booklet_digest_is_golden() -> None:
    # A change here means that runs of before and after cannot be taken for runs of the same rules.
    assert Ruleset.booklet().digest == "24d28d39ad787d4217b860addbcb52673be251a461f7ef522a61c03d923f0922"


def test_booklet_comments_every_switch() -> None:
    lines = BOOKLET_FILE.read_text(encoding="utf-8").splitlines()
    for switch in set(SWITCHES) - {"name"}:
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{switch} ="))
        block = []
        while lines[at - 1].startswith("#"):
            at -= 1
            block.append(lines[at])
        assert any("ooklet: " in line for line in block), switch
        assert any("Others: " in line or line.startswith("#   ") or "as above" in line for line in block), switch


def test_booklet_file_is_not_wider_than_the_code() -> None:
    assert max(map(len, BOOKLET_FILE.read_text(encoding="utf-8").splitlines())) <= 120


def test_assumed_figures() -> None:
    figures = Ruleset.booklet().assumed_figures()
    assert figures[0] == ("cards.escape_ticket.copies", 4)
    assert ("cards.mug.name", "Mug") in figures
    assert ("cards.read_merch.value", 500) in figures
    # 1 ticket, 9 Merch, 23 Actions and 3 reactions have assumed copies; 10 values; 8 names.
    assert len(figures) == 36 + 10 + 8
    assert not {"cards.read.copies", "cards.read_merch.copies", "cards.merch_protect.copies"} & {
        key for key, _ in figures
    }


def test_vocabulary_agrees_with_the_models() -> None:
    assert tuple(Card.model_fields) == CARD_FIGURES
    assert tuple(PRIMITIVES) == CHOICES["primitive"]
    assert {name for name, primitive in PRIMITIVES.items() if primitive.targets} == TARGETED


# ------------------------------------------------------------------------------------------------------------ loading


def test_load_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + BOOKLET_FILE.read_bytes())  # as Notepad saves it
    assert Ruleset.load(path) == Ruleset.load(str(path)) == Ruleset.booklet()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'name = "x"\nhand_size = \n', r"mine\.toml: expected TOML: .*line 2"),
        (b'name = "x"\nname = "y"\n', r"mine\.toml: expected TOML: .*line 2"),
        (b'# caf\xe9\nname = "x"\n', r"mine\.toml: line 1: expected UTF-8 text, got byte 0xe9"),
        (b'name = "x"\n# \xff\n', r"mine\.toml: line 2: expected UTF-8 text, got byte 0xff"),
        (b"hand_size = " + b"9" * 5000, r"mine\.toml: expected TOML: "),
        (b"x = " + b"[" * 5000 + b"]" * 5000, r"mine\.toml: expected TOML: "),
        (b"", r"mine\.toml: name: missing: expected a name"),
    ],
)
def test_load_refuses_what_is_no_ruleset(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        Ruleset.load(path)


def test_load_says_which_file_is_missing_and_what_is_near(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").touch()
    with pytest.raises(InputError, match=r"mien\.toml: no such ruleset file \(did you mean mine\.toml\?\)"):
        Ruleset.load(tmp_path / "mien.toml")
    with pytest.raises(InputError, match=r"nowhere/x\.toml: no such ruleset file$"):
        Ruleset.load(tmp_path / "nowhere" / "x.toml")


def test_load_refuses_a_directory_and_a_null_byte(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a ruleset file \(TOML\), this is a directory"):
        Ruleset.load(tmp_path)
    with pytest.raises(InputError, match=r"cannot be read: .*null byte"):
        Ruleset.load("a\0b")


def test_input_error_is_a_value_error_with_exit_code_2() -> None:
    with pytest.raises(ValueError, match="hand_size") as caught:
        Ruleset.from_dict({})
    assert isinstance(caught.value, InputError)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("data", [None, 3, [], "name"])
def test_from_dict_refuses_what_is_no_table(data: Any) -> None:
    assert problems(data)[0].startswith("expected a table of figures and cards, got ")


def test_every_missing_figure_is_reported() -> None:
    lines = problems({})
    assert [line.split(":")[0] for line in lines] == [*SWITCHES, "cards"]
    assert "read_points: missing: expected a whole number from 0 to 1000000000" in lines
    assert "cards: missing: expected tables [cards.ID], one for each kind" in lines


def test_all_problems_are_reported_at_once_in_file_order(plain: dict[str, Any]) -> None:
    plain["hand_size"] = "six"
    plain["escape"] = "force"
    plain["cards"]["mug"]["copies"] = -1
    plain["cards"]["sticker"]["value"] = None
    plain["cards"]["giveaway"]["family"] = "hand"
    plain["cards"]["covered"]["cancels"] = []
    assert [line.split(": ")[0] for line in problems(plain)] == [
        "hand_size",
        "escape",
        "cards.sticker.value",
        "cards.mug.copies",
        "cards.giveaway.family",
        "cards.covered.cancels",
    ]


def test_direct_construction_holds_the_same_rules(plain: dict[str, Any]) -> None:
    plain["cards"]["mug"]["family"] = "merch"
    with pytest.raises(ValueError, match="a Merch has no family"):
        Ruleset(**plain)


# ----------------------------------------------------------------------------------------------------- single figures

WHOLE = "expected a whole number from {} to {}, got {}"
LIMITED = [
    ("hand_size", 0, 255, [60, 0]),
    ("normal_draw", 0, 255, [255, 0]),
    ("opening_draw", 0, 255, [255, 0]),
    ("escape_threshold", 0, 1_000_000_000, [1_000_000_000, 0]),
    ("read_points", 0, 1_000_000_000, [1_000_000_000, 0]),
    ("max_rounds", 1, 8000, [8000, 1]),
    ("cards.mug.copies", 0, 255, [140, 0]),
    ("cards.mug.value", 0, 1_000_000, [1_000_000, 0]),
    ("cards.teased.max_value", 0, 1_000_000, [1_000_000, 0]),
    ("cards.flirted.max_value", 0, 1_000_000, [1_000_000, 0]),
    ("cards.embarrassing.max_value", 0, 1_000_000, [1_000_000, 0]),
    ("cards.giveaway.count", 1, 255, [255, 1]),
    ("cards.energy_drink.count", 1, 255, [255, 1]),
]


@pytest.mark.parametrize(("key", "low", "high", "good"), LIMITED)
def test_limits_of_whole_numbers(plain: dict[str, Any], key: str, low: int, high: int, good: list[int]) -> None:
    for whole in good:
        Ruleset.from_dict(with_value(plain, key, whole))
    wrong: list[tuple[Any, str]] = [
        (low - 1, str(low - 1)),
        (high + 1, str(high + 1)),
        (6.0, "6.0"),
        (True, "true"),
        ("6", '"6"'),
        ([6], "[6]"),
        (float("nan"), "nan"),
        (2**70, "a number of 71 bits"),
        (16**9999, "a number of 39997 bits"),
    ]
    for value, told in wrong:
        assert f"{key}: {WHOLE.format(low, high, told)}" in problems(with_value(plain, key, value))


@pytest.mark.parametrize("key", ["recycle_discard", "redraw_after_read", "replace_dealt_read", "skips_stack"])
def test_booleans_are_true_or_false(plain: dict[str, Any], key: str) -> None:
    for value in (True, False):
        assert Ruleset.from_dict(with_value(plain, key, value)).to_dict()[key] is value
    wrong: list[tuple[Any, str]] = [(1, "1"), (0, "0"), ("yes", '"yes"'), (None, "nothing")]
    for other, told in wrong:
        assert problems(with_value(plain, key, other)) == [f"{key}: expected true or false, got {told}"]
    assert problems(with_value(plain, key, "True"))[0].endswith('got "True" (did you mean true?)')


@pytest.mark.parametrize(
    ("key", "wrong", "line"),
    [
        ("escape", "optinal", 'expected one of optional, forced, got "optinal" (did you mean optional?)'),
        ("escape", "FORCED", 'got "FORCED" (did you mean forced?)'),
        ("lowest_means", "table", 'expected one of unprotected, tabled, got "table" (did you mean tabled?)'),
        ("unfinished", 3, "expected one of no_winner, score, got 3"),
        ("cards.mug.type", "mrch", 'of read, ticket, merch, action, reaction, got "mrch" (did you mean merch?)'),
        ("cards.teased.primitive", "steal_march", 'got "steal_march" (did you mean steal_merch?)'),
        ("cards.teased.family", "hands", 'of read, merch, protect, hand, turn, got "hands" (did you mean hand?)'),
        ("cards.teased.family", "reaction", 'expected one of read, merch, protect, hand, turn, got "reaction"'),
        ("cards.teased.family", ["merch"], 'expected one of read, merch, protect, hand, turn, got ["merch"]'),
        ("cards.free_audio.kind", 3, "expected the id of a Merch kind, got 3"),
        ("cards.mug", 3, "expected a table of the card's figures, got 3"),
        ("cards", [], "expected tables [cards.ID], one for each kind, got []"),
    ],
)
def test_words(plain: dict[str, Any], key: str, wrong: Any, line: str) -> None:
    found = [problem for problem in problems(with_value(plain, key, wrong)) if problem.startswith(f"{key}: ")]
    assert len(found) == 1
    assert line in found[0]


@pytest.mark.parametrize(
    ("key", "members"),
    [
        ("available_from", "discard, pickup"),
        ("find_from", "discard, pickup"),
        ("escape_when", "after_pick_up, after_put_down"),
        ("cards.covered.cancels", "read, merch, protect, hand, turn, reaction"),
    ],
)
def test_sets(plain: dict[str, Any], key: str, members: str) -> None:
    expected = f"{key}: expected a list of one or more of {members}, got "
    names = members.split(", ")
    for name in names:
        Ruleset.from_dict(with_value(plain, key, [name]))
    assert problems(with_value(plain, key, [])) == [f"{expected}[]"]
    assert problems(with_value(plain, key, names[0])) == [f'{expected}"{names[0]}"']
    assert problems(with_value(plain, key, [names[0], names[0][:-1]])) == [
        f'{expected}"{names[0][:-1]}" (did you mean {names[0]}?)'
    ]
    assert problems(with_value(plain, key, [names[1], names[0], names[1]])) == [
        f'{expected}["{names[1]}", "{names[0]}", "{names[1]}"], which names one twice'
    ]


def test_sets_have_no_order(plain: dict[str, Any]) -> None:
    plain["available_from"].reverse()
    plain["cards"]["covered"]["cancels"].reverse()
    plain["cards"]["mug"]["assumed"] = {"name", "value", "copies"}
    rules = Ruleset.from_dict(plain)
    assert rules == Ruleset.booklet()
    assert rules.to_dict() == Ruleset.booklet().to_dict()


def test_assumed_may_be_left_out_and_names_only_what_the_card_has(plain: dict[str, Any]) -> None:
    del plain["cards"]["mug"]["assumed"]
    assert Ruleset.from_dict(plain).to_dict()["cards"]["mug"]["assumed"] == []
    assert problems(with_value(plain, "cards.teased.assumed", ["copies", "value"])) == [
        "cards.teased.assumed: expected a list of some of copies, name, since an action has no value"
    ]
    assert problems(with_value(plain, "cards.teased.assumed", ["copis"])) == [
        'cards.teased.assumed: expected a list of some of copies, value, name, got "copis" (did you mean copies?)'
    ]


@pytest.mark.parametrize("name", ["", " Mug", "Mug ", "M\nug", "M\tug", "x" * 81, "\u202eguM", 7, None])
def test_names(plain: dict[str, Any], name: Any) -> None:
    for key in ("name", "cards.mug.name"):
        lines = problems(with_value(copy.deepcopy(plain), key, name))
        assert len(lines) == 1
        assert lines[0].startswith(
            f"{key}: expected a name of 1 to 80 printable characters, without blanks at its ends"
        )
    Ruleset.from_dict(with_value(plain, "cards.mug.name", "ö" * 80))


# ---------------------------------------------------------------------------------------------------- between figures


def test_unknown_figures_have_a_nearest_name(plain: dict[str, Any]) -> None:
    plain["hand_sise"] = 6
    plain["zzz"] = 1
    plain["cards"]["mug"]["valu"] = 6
    plain["cards"]["teased"]["max_valu"] = 6
    plain["cards"]["read"]["copis"] = 6
    assert problems(plain) == [
        "cards.read.copis: no such figure (did you mean copies?)",
        "cards.mug.valu: no such figure (did you mean value?)",
        "cards.teased.max_valu: no such figure (did you mean max_value?)",
        "hand_sise: no such figure (did you mean hand_size?)",
        "zzz: no such figure",
    ]


@pytest.mark.parametrize("kind", ["Mug", "1st", "_x", "mug cup", "a.b", "", "mügli", "x" * 41, "mug\n"])
def test_ids(plain: dict[str, Any], kind: str) -> None:
    plain["cards"][kind] = plain["cards"]["mug"]
    with pytest.raises(InputError, match=re.escape(f"cards.{kind}: not an id: expected a small letter, then small")):
        Ruleset.from_dict(plain)


def test_ids_may_have_forty_characters(plain: dict[str, Any]) -> None:
    plain["cards"]["x" * 40] = plain["cards"]["mug"]
    assert "x" * 40 in Ruleset.from_dict(plain).kinds


@pytest.mark.parametrize("figure", ["name", "type", "copies"])
@pytest.mark.parametrize("kind", ["read", "escape_ticket", "mug", "teased", "fan_ticket"])
def test_every_card_needs_name_type_and_copies(plain: dict[str, Any], kind: str, figure: str) -> None:
    del plain["cards"][kind][figure]
    assert any(line.startswith(f"cards.{kind}.{figure}: missing: expected ") for line in problems(plain))


@pytest.mark.parametrize(
    ("kind", "figure"),
    [
        ("mug", "value"),
        ("teased", "primitive"),
        ("teased", "max_value"),
        ("cheeky_pic", "max_value"),
        ("embarrassing", "max_value"),
        ("giveaway", "count"),
        ("energy_drink", "count"),
        ("free_audio", "kind"),
        ("covered", "cancels"),
    ],
)
def test_a_card_needs_the_figures_of_its_type_and_primitive(plain: dict[str, Any], kind: str, figure: str) -> None:
    as_nothing = with_value(copy.deepcopy(plain), f"cards.{kind}.{figure}", None)
    del plain["cards"][kind][figure]
    for data in (plain, as_nothing):
        [line] = [line for line in problems(data) if f".{figure}:" in line]
        assert line.startswith(f"cards.{kind}.{figure}: missing: expected ")


@pytest.mark.parametrize(
    ("kind", "figure", "value", "line"),
    [
        ("read", "value", 10, "Read has no value; its figures are name, type, copies, assumed"),
        ("escape_ticket", "value", 10, "a ticket has no value; its figures are name, type, copies, assumed"),
        ("mug", "cancels", ["merch"], "a Merch has no cancels; its figures are name, type, copies, value, assumed"),
        ("mug", "family", "merch", "a Merch has no family; its figures are name, type, copies, value, assumed"),
        ("covered", "primitive", "draw", "a reaction has no primitive; its figures are name, type, copies, cancels"),
        (
            "teased",
            "count",
            2,
            "steal_merch has no count; its figures are name, type, copies, primitive, max_value, family",
        ),
        (
            "giveaway",
            "max_value",
            2,
            "draw has no max_value; its figures are name, type, copies, primitive, count, family",
        ),
        ("read_time", "kind", "mug", "extra_turn has no kind; its figures are name, type, copies, primitive, family"),
        ("teased", "cancels", ["merch"], "steal_merch has no cancels; its figures are"),
    ],
)
def test_a_card_has_no_figures_of_others(plain: dict[str, Any], kind: str, figure: str, value: Any, line: str) -> None:
    [problem] = problems(with_value(plain, f"cards.{kind}.{figure}", value))
    assert problem.startswith(f"cards.{kind}.{figure}: {line}")


@pytest.mark.parametrize("primitive", PRIMITIVES)
def test_families_go_with_primitives_that_target_a_seat(plain: dict[str, Any], primitive: str) -> None:
    given = {"max_value": 10, "count": 2, "kind": "mug"}
    card = {"name": "New", "type": "action", "copies": 1, "primitive": primitive}
    card |= {figure: given[figure] for figure in PRIMITIVES[primitive].parameters}
    for family in (None, "none"):
        data = with_value(plain, "cards.new", card | {"family": family})
        assert Ruleset.from_dict(data).to_dict()["cards"]["new"]["family"] is None
    with_value(plain, "cards.new", card | {"family": "turn"})
    if primitive in TARGETED:
        assert Ruleset.from_dict(plain).cards["new"].family == "turn"
    else:
        [line] = problems(plain)
        assert f"cards.new.family: {primitive} is played against nobody, so nothing can cancel it" in line
        assert "a family goes with take_read, steal_merch," in line


@pytest.mark.parametrize(("kind", "hint"), [("mugg", " (did you mean mug?)"), ("read", ""), ("giveaway", "")])
def test_find_merch_finds_a_merch_kind(plain: dict[str, Any], kind: str, hint: str) -> None:
    assert problems(with_value(plain, "cards.free_audio.kind", kind)) == [
        f'cards.free_audio.kind: expected the id of a Merch kind, got "{kind}"{hint}'
    ]


def test_exactly_one_read(plain: dict[str, Any]) -> None:
    plain["cards"]["second"] = plain["cards"]["read"]
    assert problems(plain) == ["cards: expected exactly one card of type read, got read, second"]
    del plain["cards"]["second"], plain["cards"]["read"]
    assert problems(plain) == ["cards: expected exactly one card of type read, got none"]


@pytest.mark.parametrize("copies", [0, 2])
def test_read_is_unique(plain: dict[str, Any], copies: int) -> None:
    assert problems(with_value(plain, "cards.read.copies", copies)) == [
        f"cards.read.copies: expected 1, since Read is unique, got {copies}"
    ]


def test_at_most_64_kinds(plain: dict[str, Any]) -> None:
    for i in range(25):
        plain["cards"][f"more_{i}"] = {"name": "More", "type": "ticket", "copies": 0}
    assert len(Ruleset.from_dict(plain).kinds) == 64
    plain["cards"]["one_more"] = {"name": "More", "type": "ticket", "copies": 0}
    assert problems(plain) == ["cards: expected at most 64 kinds, got 65"]


def test_at_most_16_merch_kinds(plain: dict[str, Any]) -> None:
    for i in range(6):
        plain["cards"][f"more_{i}"] = plain["cards"]["mug"]
    Ruleset.from_dict(plain)
    plain["cards"]["one_more"] = plain["cards"]["mug"]
    assert problems(plain) == ["cards: expected at most 16 Merch kinds, got 17"]


def test_at_most_255_cards(plain: dict[str, Any]) -> None:
    assert Ruleset.from_dict(with_value(plain, "cards.mug.copies", 140)).n_cards == 255
    assert problems(with_value(plain, "cards.mug.copies", 141)) == [
        "cards: expected at most 255 cards in the deck, got 256"
    ]


def test_a_deck_with_a_wrong_count_is_not_counted(plain: dict[str, Any]) -> None:
    cards = {"read": plain["cards"]["read"], "mug": plain["cards"]["mug"] | {"copies": -5}}
    lines = problems(plain | {"cards": cards})
    assert lines == ["cards.mug.copies: expected a whole number from 0 to 255, got -5"]


def test_sums_fit_in_32_bits(plain: dict[str, Any]) -> None:
    cards = {"read": plain["cards"]["read"], "mug": plain["cards"]["mug"] | {"copies": 254, "value": 1_000_000}}
    rules = Ruleset.from_dict(plain | {"cards": cards, "read_points": 1_000_000_000})
    assert rules.merch_total + rules.read_points < 2**31


def test_the_smallest_decks(plain: dict[str, Any]) -> None:
    read, ticket = plain["cards"]["read"], plain["cards"]["escape_ticket"]
    plain |= {"escape_threshold": 0, "hand_size": 0, "cards": {"read": read}}
    assert problems(plain) == ["cards: expected at least one card besides Read, got a deck of 1"]
    plain["cards"]["escape_ticket"] = ticket | {"copies": 1}
    assert Ruleset.from_dict(plain).n_cards == 2
    plain["hand_size"] = 1
    Ruleset.from_dict(plain).check_seats(2)
    no_ticket = {"read": read, "giveaway": Ruleset.booklet().to_dict()["cards"]["giveaway"]}
    assert Ruleset.from_dict(plain | {"cards": no_ticket}).merch_total == 0


def test_several_tickets_are_allowed(plain: dict[str, Any]) -> None:
    plain["cards"]["back_door"] = plain["cards"]["escape_ticket"] | {"name": "Back Door"}
    assert Ruleset.from_dict(plain).n_cards == 124


# -------------------------------------------------------------------------------------------------------------- seats


def test_a_ruleset_can_be_dealt_to_two(plain: dict[str, Any]) -> None:
    Ruleset.from_dict(with_value(plain, "hand_size", 60)).check_seats(2)
    with_value(plain, "replace_dealt_read", True)
    assert problems(plain) == [
        "hand_size: 2 seats with 60 cards each and one card in Read's place need 121 cards, the deck has 120; "
        "use a hand_size of at most 59, or a deck of 121 cards"
    ]


def test_check_seats() -> None:
    rules = Ruleset.booklet().override({"hand_size": 30})
    rules.check_seats(4)
    rules.check_seats(np.int64(3))  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        rules.check_seats(5)
    assert str(caught.value) == (
        "booklet.toml: hand_size: 5 seats with 30 cards each need 150 cards, the deck has 120; "
        "use at most 4 seats, or a hand_size of at most 24, or a deck of 150 cards"
    )
    with pytest.raises(InputError, match=r"and one card in Read's place need 121 cards.*at most 3 seats.*at most 29"):
        rules.override({"replace_dealt_read": True}).check_seats(4)
    for seats in range(2, 9):
        Ruleset.booklet().check_seats(seats)


@pytest.mark.parametrize(
    ("seats", "told"), [(1, "1"), (9, "9"), (True, "true"), (4.0, "4.0"), ("4", '"4"'), (None, "nothing")]
)
def test_seats_are_two_to_eight(seats: Any, told: str) -> None:
    with pytest.raises(InputError, match=f"^seats: expected a whole number from 2 to 8, got {re.escape(told)}$"):
        Ruleset.booklet().check_seats(seats)


# ---------------------------------------------------------------------------------------------------------- overrides


def test_override_sets_figures_and_leaves_the_original() -> None:
    rules = Ruleset.booklet()
    changed = rules.override({"escape_threshold": 800, "cards.escape_ticket.copies": 3, "available_from": ["pickup"]})
    assert changed.escape_threshold == 800
    assert changed.cards["escape_ticket"].copies == 3
    assert changed.available_from == ("pickup",)
    assert rules == Ruleset.booklet()
    assert rules.escape_threshold == 1000
    expected = rules.to_dict() | {"escape_threshold": 800, "available_from": ["pickup"]}
    expected["cards"]["escape_ticket"]["copies"] = 3
    assert changed.to_dict() == expected


def test_override_takes_nested_tables_and_numpy_numbers() -> None:
    nested = Ruleset.booklet().override({"cards": {"mug": {"copies": np.int64(3)}}, "skips_stack": np.bool_(False)})
    assert nested == Ruleset.booklet().override({"cards.mug.copies": 3, "skips_stack": False})
    assert type(nested.to_dict()["cards"]["mug"]["copies"]) is int


def test_override_may_give_and_take_a_family() -> None:
    rules = Ruleset.booklet()
    assert rules.override({"cards.mine_now.family": None}).cards["mine_now"].family is None
    assert rules.override({"cards.mine_now.family": None}).override({"cards.mine_now.family": "merch"}) == rules


def test_override_of_nothing_is_the_same() -> None:
    assert Ruleset.booklet().override({}) == Ruleset.booklet()


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("cards.escape_tickt.copies", "cards.escape_tickt: no such card in booklet.toml (did you mean escape_ticket?)"),
        ("cards.escape_tickt", "cards.escape_tickt: no such card in booklet.toml (did you mean escape_ticket?)"),
        ("cards.qqqqq.copies", "cards.qqqqq: no such card in booklet.toml"),
        ("hand_sise", "hand_sise: no such figure in booklet.toml (did you mean hand_size?)"),
        ("mug.copies", "mug.copies: no such figure in booklet.toml (did you mean cards.mug.copies?)"),
        ("cards.mug.copis", "cards.mug.copis: no such figure (did you mean copies?)"),
        ("cards.mug.copies.x", "cards.mug.copies.x: no such figure in booklet.toml (did you mean cards.mug.copies?)"),
        ("cards.mug", "cards.mug: expected one figure of a card, for example cards.mug.copies"),
        ("cards", "cards: expected one figure of a card, for example cards.read.copies"),
        ("", ": no such figure in booklet.toml"),
    ],
)
def test_override_refuses_unknown_keys(key: str, line: str) -> None:
    with pytest.raises(InputError) as caught:
        Ruleset.booklet().override({key: 3})
    assert str(caught.value) == line


def test_override_reports_all_problems_at_once_and_takes_no_strings_for_numbers() -> None:
    with pytest.raises(InputError) as caught:
        Ruleset.booklet().override({"hand_size": "6", "cards.mugg.copies": 1, "escape": "forcd", "cards.mug.value": -1})
    assert str(caught.value).splitlines() == [
        "cards.mugg: no such card in booklet.toml (did you mean mug?)",
        'hand_size: expected a whole number from 0 to 255, got "6"',
        'escape: expected one of optional, forced, got "forcd" (did you mean forced?)',
        "cards.mug.value: expected a whole number from 0 to 1000000, got -1",
    ]


def test_override_refuses_what_is_no_table() -> None:
    with pytest.raises(InputError, match="override: expected a table of figures, got 3"):
        Ruleset.booklet().override(3)  # type: ignore[arg-type]


def test_override_checks_the_deck_as_a_whole() -> None:
    with pytest.raises(InputError, match=r"^cards: expected at most 255 cards in the deck, got 320$"):
        Ruleset.booklet().override({"cards.mug.copies": 205})


def test_errors_of_an_override_name_the_file_that_was_loaded(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(Ruleset.booklet().to_toml(), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(f"no such card in {path} (did")):
        Ruleset.load(path).override({"cards.mugg.copies": 3})


# -------------------------------------------------------------------------------------------- identity, digest, copies


def test_dict_round_trip_and_the_copy_is_the_callers(plain: dict[str, Any]) -> None:
    assert Ruleset.from_dict(plain) == Ruleset.booklet()
    plain["cards"]["mug"]["assumed"].clear()
    plain["available_from"].clear()
    plain["cards"].clear()
    assert len(Ruleset.booklet().to_dict()["cards"]) == 39
    assert Ruleset.booklet().to_dict()["available_from"] == ["discard", "pickup"]


def test_digest_depends_on_what_matters_and_on_nothing_else(plain: dict[str, Any], tmp_path: Path) -> None:
    digest = Ruleset.booklet().digest
    path = tmp_path / "elsewhere.toml"
    path.write_text("# a comment\n" + Ruleset.booklet().to_toml(), encoding="utf-8")
    assert Ruleset.load(path).digest == digest
    assert Ruleset.booklet().override({"name": "mine"}).digest == digest
    changes: dict[str, Any] = {
        **{"hand_size": 5, "recycle_discard": False, "find_from": ["discard"], "escape": "forced"},
        **{"cards.mug.value": 31, "cards.mug.name": "Cup", "cards.mug.assumed": [], "cards.teased.family": "hand"},
    }
    digests = {Ruleset.booklet().override({key: value}).digest for key, value in changes.items()}
    assert len(digests | {digest}) == len(changes) + 1
    cards = plain["cards"]
    plain["cards"] = {kind: cards[kind] for kind in reversed(cards)}
    assert Ruleset.from_dict(plain).digest != digest


def test_key_order_of_figures_does_not_matter(plain: dict[str, Any]) -> None:
    shuffled = {key: plain[key] for key in reversed(plain)}
    shuffled["cards"] = {kind: dict(reversed(card.items())) for kind, card in plain["cards"].items()}
    rules = Ruleset.from_dict(shuffled)
    assert rules.digest == Ruleset.booklet().digest
    assert list(rules.to_dict()) == list(plain)


def test_equality_counts_the_name_of_the_ruleset() -> None:
    rules = Ruleset.booklet()
    assert rules != rules.override({"name": "mine"})
    assert rules != rules.override({"hand_size": 5})
    assert len({rules, Ruleset.from_dict(rules.to_dict(), source="x"), rules.override({"hand_size": 5})}) == 2
    assert rules != 3


def test_rulesets_are_frozen() -> None:
    rules = Ruleset.booklet()
    with pytest.raises(ValueError, match="frozen"):
        rules.hand_size = 5  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        rules.cards["mug"].copies = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        rules.cards["mug"] = rules.cards["badge"]  # type: ignore[index]


def test_rulesets_pickle_and_copy() -> None:
    rules = Ruleset.booklet().override({"hand_size": 5})
    for twin in (pickle.loads(pickle.dumps(rules)), copy.copy(rules), copy.deepcopy(rules)):
        assert twin == rules
        with pytest.raises(InputError, match=r"no such card in booklet\.toml"):
            twin.override({"cards.x.copies": 1})


def test_repr_is_short() -> None:
    assert repr(Ruleset.booklet()) == "<Ruleset booklet: 39 kinds, 120 cards, 24d28d39>"


@pytest.mark.parametrize("module", [rsc_sim.ruleset, rsc_sim.ruleset_text, rsc_sim.ruleset_diff])
def test_examples_in_docstrings_run(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert failed == 0


def test_pydantic_is_imported_by_the_ruleset_alone() -> None:
    code = "import sys; from rsc_sim import ruleset_check, ruleset_diff, ruleset_text; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
