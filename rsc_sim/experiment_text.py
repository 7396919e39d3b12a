"""Experiments as text: the TOML file, where in it a mistake is, and `KEY=VALUE` as flags give it.

Pure functions on text and plain data. What an experiment may hold is the matter of `experiment`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rsc_sim.errors import InputError, nearest

__all__ = ["explain", "flatten", "line_of", "parse_games", "parse_values", "read_toml", "split_top"]

_WORDS = {
    "a valid tuple": "a list",
    "a valid dictionary or instance of Intervention": "a table with seat, card and kind",
    "greater than or equal to": "a number at least",
    "less than or equal to": "a number at most",
    "a valid ": "a ",
    "a integer": "a whole number",
}

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]#]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")

Keys = Sequence[str | int]


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """Read a TOML file: its data, and its text to look up lines in. Raises `InputError`."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text), text
    except OSError as error:
        raise InputError(f"{path}: cannot read the experiment: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None


def flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Turn nested tables into dotted keys: TOML reads `cards.mug.copies = 3` as nested tables, people mean one key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def line_of(text: str, keys: Keys) -> int | None:
    r"""Find the line, from 1, on which a key of a TOML text is set, or the nearest table around it begins.

    >>> line_of("seed = 1\n[set]\ncards.mug.copies = 3\n", ["set", "cards", "mug", "copies"])
    3
    """
    best: tuple[int, int] | None = None
    wanted = [str(key) for key in keys]
    table: list[str] = []
    counts: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _parts(header[2])
            if header[1] == "[[":
                name = tuple(table)
                counts[name] = counts.get(name, -1) + 1
                table = [*table, str(counts[name])]
            here = table
        elif key := _KEY.match(line):
            here = table + _parts(key[1])
        else:
            continue
        if here == wanted[: len(here)] and (best is None or len(here) > best[0]):
            best = (len(here), number)
    return best[1] if best else None


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", dotted)]


def explain(problems: Iterable[Mapping[str, Any]], where: str, known: Sequence[str], text: str = "") -> str:
    """Word what pydantic found, a line each: the file, the line where there is a text, the key, what was expected."""
    problems = list(problems)
    lines = []
    for problem in problems:
        keys = [part for part in problem["loc"] if part not in {"int", "tuple[int, ...]"}]
        wording = _expected(problem, keys, known)
        if wording is None and len(problems) > 1:
            continue  # follows from the others
        number = line_of(text, keys)
        place = ", ".join(filter(None, [where, f"line {number}" if number else ""]))
        lines.append(f"{place}: {wording}" if place else f"{wording}")
    return "\n     ".join(lines)


def _expected(problem: Mapping[str, Any], keys: Keys, known: Sequence[str]) -> str | None:
    key = ".".join(str(part) for part in keys) or "(file)"
    kind, came = problem["type"], problem["input"]
    if kind == "extra_forbidden":
        near = known if len(keys) == 1 else problem.get("beside", ())
        return f"{key}: no such key{nearest(str(keys[-1]), near)}"
    if kind == "missing":
        return f"{key}: missing"
    if kind == "value_error":
        return f"{key}: {problem['ctx']['error']}" if keys else str(problem["ctx"]["error"])
    if kind == "string_pattern_mismatch":
        return f"{key}: expected letters, digits, '_', '.' and '-' only, came {came!r}"
    if key == "lineup" and kind in {"too_short", "too_long"}:
        n = len(came)
        return f"lineup: a table has 2 to 8 seats, this lineup has {n}" if n < 1 or n > 8 else None
    expected = problem["msg"].removeprefix("Input should be ")
    for theirs, ours in _WORDS.items():
        expected = expected.replace(theirs, ours)
    if key == "lineup" and expected == "a list":
        expected = "a list of strategies"
    return f"{key}: expected {expected}, came {came!r}"


def parse_games(text: str) -> int:
    """Read a number of games as people write it.

    >>> [parse_games(text) for text in ("1_000_000", "1e6", "100k", "1.5M", "20,000")]
    [1000000, 1000000, 100000, 1500000, 20000]
    """
    match = re.fullmatch(r"(\d[\d_,]*(?:\.\d+)?(?:e\d{1,2})?)([kKmM]?)", text.strip())
    number = 0.0
    if match:
        number = (
            float(match[1].replace("_", "").replace(",", "")) * {"": 1, "k": 1_000, "m": 1_000_000}[match[2].lower()]
        )
    if number < 1 or number != int(number):
        raise InputError(f"expected a whole number of games such as 1000, 100k or 1e6, came {text!r}")
    return int(number)


def split_top(text: str) -> list[str]:
    """Split at the commas that are inside no brackets and no quotes.

    >>> split_top("[discard,pickup],discard, a(x=1,y=2)")
    ['[discard,pickup]', 'discard', 'a(x=1,y=2)']
    """
    parts, depth, quote, start = [], 0, "", 0
    for i, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
        else:
            depth += (character in "([{") - (character in ")]}")
    parts.append(text[start:].strip())
    return parts


def parse_values(text: str, where: str) -> list[str]:
    """Take the alternatives of `KEY=V1,V2,…` apart; `a..b..step` stands for the numbers from a to b, both included.

    >>> parse_values("400..1000..200,1500", "threshold")
    ['400', '600', '800', '1000', '1500']
    """
    values = []
    for part in split_top(text):
        if not part:
            raise InputError(f"{where}: expected values separated by commas, came {text!r}")
        values += expand_range(part, where) if ".." in part else [part]
    return values


def expand_range(text: str, where: str) -> list[str]:
    """Give the numbers that `a..b` or `a..b..step` stands for, as text; decimals are kept exact."""
    from decimal import Decimal, InvalidOperation

    try:
        bounds = [Decimal(part.replace("_", "")) for part in text.split("..")]
        first, last, step = bounds if len(bounds) == 3 else (*bounds, Decimal(1))
        if not all(bound.is_finite() for bound in bounds) or step == 0:
            raise ValueError
    except (InvalidOperation, ValueError):
        raise InputError(f"{where}: expected a range such as 400..1400..200, came {text!r}") from None
    step = abs(step).copy_sign(last - first) if last != first else abs(step)
    n = int((last - first) / step) + 1
    if n > MOST_VALUES:
        raise InputError(f"{where}: {text} stands for {n:,} values, more than {MOST_VALUES}")
    end = first + (n - 1) * step
    if end != last:
        begin, met, by, wanted = (f"{number.normalize():f}" for number in (first, end, abs(step), last))
        raise InputError(
            f"{where}: {text} includes both ends, and steps of {by} do not meet {wanted}; expected "
            f"{begin}..{met}..{by}, or a step that meets it"
        )
    return [f"{(first + i * step).normalize():f}" for i in range(n)]


MOST_VALUES = 1_000
"""Values in a range, and points in a sweep."""
