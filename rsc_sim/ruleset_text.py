"""Rulesets as text: settings of the command line, TOML out, the deck as CSV in and out.

Only words and tables are handled here; whether the figures are sound is decided in `ruleset`.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

from rsc_sim.errors import InputError

__all__ = ["parse_setting", "shown"]

# Figures that are words: `--set cards.mug.name=2024` means the text, not the number.
_WORDS = ("name", "type", "primitive", "kind", "family", "lowest_means", "escape", "unfinished")
_LISTS = ("available_from", "find_from", "escape_when", "cancels", "assumed")


def shown(value: object) -> str:
    """Write a value as a TOML file would, cut to what an error can show."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, (bool, str)):
        text = json.dumps(value, ensure_ascii=False)
    elif isinstance(value, (list, tuple)):
        text = f"[{', '.join(map(shown, value))}]"
    else:
        text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def parse_setting(setting: str) -> tuple[str, Any]:
    """Take `KEY=VALUE` apart, as `--set` gives it.

    VALUE is a TOML value; a bare word is text, words with commas between them are a list, and a figure that is a list
    takes a single word as a list of one.
    """
    key, equals, text = setting.partition("=")
    key, text = key.strip(), text.strip()
    if not equals or not key:
        raise InputError(f"--set {setting}: expected KEY=VALUE, for example escape_threshold=800")
    figure = key.rpartition(".")[2]
    if figure in _WORDS and text[:1] not in ('"', "'"):
        return key, text
    value = _toml_value(text)
    if figure in _LISTS and not isinstance(value, list):
        value = [value]
    return key, value


def _toml_value(text: str) -> Any:
    try:
        table = tomllib.loads(f"value = {text}")
    except ValueError:
        table = {}
    if table.keys() == {"value"}:
        return table["value"]
    if "," in text:
        return [_toml_value(part.strip()) for part in text.split(",") if part.strip()]
    return text
