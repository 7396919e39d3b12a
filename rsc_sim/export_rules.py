"""A ruleset as a file for a designer to begin with: the booklet with its comments, any other as plain TOML, or the deck
as CSV. Nothing that is there is overwritten.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from rsc_sim.errors import InputError, nearest
from rsc_sim.ruleset import Ruleset
from rsc_sim.ruleset_text import named_after

__all__ = ["as_text", "choose_format", "next_steps", "write_new"]

FORMATS = ("toml", "csv")


def choose_format(form: str | None, out: Path | None) -> str:
    """Settle the format by what was asked for and the file's name, which must go together."""
    if form is not None and form not in FORMATS:
        raise InputError(f"--format: expected toml or csv, came {form!r}{nearest(form, FORMATS)}")
    by_name = "csv" if out is not None and out.suffix.lower() == ".csv" else "toml"
    if form is None or out is None:
        return form or by_name
    if form != by_name:
        wanted = "ends in .csv" if form == "csv" else "does not end in .csv"
        raise InputError(f"{out}: expected a name that {wanted}, for the format is read off it; --format says {form}")
    return form


def as_text(rules: Ruleset, form: str, *, commented: bool = False, name_after: Path | None = None) -> str:
    """Write a ruleset as the text of a file, named after it where there is one.

    With `commented`, the booklet's own file, whose comments say how to edit it.
    """
    if form == "csv":
        return rules.deck_csv()
    name = named_after(name_after, rules.name) if name_after else rules.name
    if not commented:
        return rules.override({"name": name}).to_toml()
    text = (Path(__file__).parent / "rulesets" / "booklet.toml").read_text(encoding="utf-8")
    return re.sub(
        r"^name = .*$", lambda _: f"name = {json.dumps(name, ensure_ascii=False)}", text, count=1, flags=re.MULTILINE
    )


def write_new(path: Path, text: str, form: str) -> None:
    """Write a file that is not there yet; a table begins with the mark by which spreadsheets know UTF-8."""
    try:
        with path.open("x", encoding="utf-8-sig" if form == "csv" else "utf-8", newline="") as file:
            try:
                file.write(text)
                file.flush()
            except BaseException:
                path.unlink()
                raise
    except FileExistsError:
        raise InputError(f"{path}: is there already and is not overwritten; choose another name") from None
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def next_steps(path: Path, form: str) -> str:
    """Say what was written and what to do with it."""
    what = "the deck, one kind a row" if form == "csv" else "the whole ruleset"
    return (
        f"{path}: {what}. Edit it, then\n  rsc rules validate {path}\n  rsc rules diff {path}\n  rsc run --rules {path}"
    )
