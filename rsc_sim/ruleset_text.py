"""Rulesets as text and plain data: TOML in and out, the deck as CSV in and out, settings of the command line.

Only words and tables are handled here; whether the figures are sound is decided by `ruleset`. What cannot be taken
apart at all raises `InputError` with the line or row.
"""

from __future__ import annotations

import csv
import io
import json
import operator
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rsc_sim.errors import InputError, nearest

__all__ = [
    "COLUMNS",
    "DeckTable",
    "named_after",
    "parse_setting",
    "plain_copy",
    "read_deck_csv",
    "read_text",
    "read_toml",
    "shown",
    "toml_value",
    "write_deck_csv",
    "write_toml",
]

# Figures that are words: `cards.mug.name=2024` means the text, not the number.
_WORDS = ("name", "type", "primitive", "kind", "family", "lowest_means", "escape", "unfinished")
_LISTS = ("available_from", "find_from", "escape_when", "cancels", "assumed")

COLUMNS = (
    *("id", "name", "type", "copies", "value", "primitive", "max_value", "count", "kind", "family", "cancels"),
    "assumed",
)
_NUMBERS = ("copies", "value", "max_value", "count")


def shown(value: object) -> str:
    """Write a value as a TOML file would, cut to what an error can show."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, (bool, str)):
        text = json.dumps(value, ensure_ascii=False)
    elif isinstance(value, list):
        text = f"[{', '.join(map(shown, value))}]"
    elif isinstance(value, int) and value.bit_length() > 64:
        text = f"a number of {value.bit_length()} bits"
    else:
        text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def plain_copy(value: Any) -> Any:
    """Copy plain data: any mapping to a dict, any sequence or set to a list, NumPy's scalars to Python's."""
    if isinstance(value, Mapping):
        copy = {str(key): plain_copy(part) for key, part in value.items()}
        # TOML and flags have no null; "none" is how they say that no family, so nothing, can cancel the card.
        return copy | {"family": None} if copy.get("family") == "none" else copy
    if isinstance(value, (list, tuple)):
        return [plain_copy(part) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain_copy, value), key=str)
    return _plain_scalar(value)


def _plain_scalar(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str, float)):
        return value
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        return value.item()
    try:
        return operator.index(value)
    except TypeError:
        return value


# ------------------------------------------------------------------------------------------------------------- settings


def parse_setting(setting: str) -> tuple[str, Any]:
    """Take `KEY=VALUE` apart, as `--set` gives it.

    VALUE is a TOML value; a bare word is text, values with commas between them are a list, and a figure that is a list
    takes a single word as a list of one.

    >>> parse_setting("cards.not_today.cancels=merch,protect")
    ('cards.not_today.cancels', ['merch', 'protect'])
    """
    key, equals, text = (part.strip() for part in setting.partition("="))
    if not equals or not key or not text:
        raise InputError(f"{shown(setting)}: expected KEY=VALUE, for example escape_threshold=800")
    figure = key.rpartition(".")[2]
    if figure in _WORDS and text[0] not in "\"'":
        return key, text
    value = toml_value(text)
    return key, [value] if figure in _LISTS and not isinstance(value, list) else value


def toml_value(text: str) -> Any:
    """Read a TOML value; a bare word is text, and values with commas between them are a list."""
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        table = {}
    if table.keys() == {"value"}:  # more keys when the text holds a line break
        return table["value"]
    if "," in text and text[0] not in "[{\"'":
        return [toml_value(part) for part in map(str.strip, text.split(",")) if part]
    return text


# ----------------------------------------------------------------------------------------------------------------- TOML


def read_text(path: Path, what: str) -> str:
    """Read a text file in UTF-8 or raise InputError saying why not; `what` names in errors what it should be."""
    suffix = ".csv" if path.suffix.lower() == ".csv" else ".toml"
    try:
        raw = path.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{path}: expected {what}, this is a directory") from None
    except FileNotFoundError:
        beside = [entry.name for entry in path.parent.glob(f"*{suffix}")] if path.parent.is_dir() else []
        raise InputError(f"{path}: no such ruleset file{nearest(path.name, beside)}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}: line {line}: expected UTF-8 text, got byte 0x{raw[error.start]:02x}") from None


def named_after(path: Path, otherwise: str) -> str:
    """Name a ruleset after its file, `mine` for mine.toml; `otherwise` where that makes no name."""
    stem = path.stem.strip()[:80].strip()
    return stem if stem and stem.isprintable() else otherwise


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file or raise InputError saying why not, with the line where there is one."""
    text = read_text(path, "a ruleset file (TOML)")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: expected TOML: {error}") from None


def write_toml(plain: Mapping[str, Any]) -> str:
    """Write a ruleset's plain data as TOML, one table a card."""
    figures = {figure: value for figure, value in plain.items() if figure != "cards"}
    tables = [_assignments(figures)]
    tables += [f"[cards.{kind}]\n{_assignments(card)}" for kind, card in plain["cards"].items()]
    return "\n".join(tables)


def _assignments(figures: Mapping[str, Any]) -> str:
    # JSON's strings, numbers, booleans and lists of strings are TOML's too, as long as the text is printable.
    told = {figure: json.dumps(value, ensure_ascii=False) for figure, value in figures.items() if value is not None}
    width = max(map(len, told))
    return "".join(f"{figure:<{width}} = {value}\n" for figure, value in told.items())


# ------------------------------------------------------------------------------------------------------------------ CSV


@dataclass
class DeckTable:
    """Hold a deck as read from a table: the cards, the row that each stands in, and what is wrong with the rows."""

    cards: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def write_deck_csv(cards: Mapping[str, Mapping[str, Any]]) -> str:
    """Write cards as CSV with a header; lists are words with blanks between, absent figures empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(
        [_cell(kind if column == "id" else card.get(column)) for column in COLUMNS] for kind, card in cards.items()
    )
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return " ".join(value)
    # A spreadsheet runs what begins like this as a formula. One apostrophe more, whatever is there, reads back exactly.
    return f"'{value}" if isinstance(value, str) and re.match(r"'*[=+\-@]", value) else value


def read_deck_csv(text: str, source: str) -> DeckTable:
    """Take a table apart; commas, semicolons or tabs, any line ends, columns in any order, empty rows are skipped."""
    text = text.removeprefix("\ufeff")
    first = next(filter(str.strip, text.splitlines()), "")
    separator = max(",;\t", key=first.count)
    table = DeckTable()
    columns: list[str] = []
    row = 0
    try:
        for row, raw in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), 1):
            cells = [cell.strip() for cell in raw]
            if not any(cells):
                continue
            if columns:
                _read_row(table, columns, cells, f"{source}: row {row}", row)
            else:
                columns = _read_header(cells, f"{source}: row {row}")
    except csv.Error as error:
        raise InputError(f"{source}: row {row + 1}: expected CSV: {error}") from None
    if not columns:
        raise InputError(f"{source}: expected a table with the columns {', '.join(COLUMNS)}, got nothing")
    return table


def _read_header(cells: Iterable[str], where: str) -> list[str]:
    columns = [cell.lower() for cell in cells]
    problems = [
        f"{where}: no such column {shown(column)}{nearest(column, COLUMNS)}"
        for column in columns
        if column and column not in COLUMNS
    ]
    problems += [f"{where}: column {column} is there twice" for column in COLUMNS if columns.count(column) > 1]
    problems += [
        f"{where}: expected a column {column}, got none"
        for column in ("id", "name", "type", "copies")
        if column not in columns
    ]
    if problems:
        raise InputError("\n".join(problems))
    return columns


def _read_row(table: DeckTable, columns: list[str], cells: list[str], where: str, row: int) -> None:
    named = dict(zip(columns, cells, strict=False))
    beyond = [cell for column, cell in zip([*columns, *[""] * len(cells)], cells, strict=False) if cell and not column]
    if beyond:
        table.problems.append(f"{where}: {shown(beyond[0])} stands in no column")
    kind = named.pop("id", "")
    if kind in table.cards:
        table.problems.append(f"{where}, column id: {shown(kind)} is in row {table.rows[kind]} already")
        return
    table.cards[kind] = {column: _figure(column, cell) for column, cell in named.items() if column and cell}
    table.rows[kind] = row


def _figure(column: str, cell: str) -> Any:
    if column in _LISTS:
        return re.split(r"[\s,;|]+", cell.strip(" ,;|"))
    if column in _NUMBERS and re.fullmatch(r"[+-]?[0-9]{1,12}", cell):
        return int(cell)
    return cell[1:] if re.match(r"'+[=+\-@]", cell) else cell
