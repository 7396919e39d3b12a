"""Weights of a strategy: a `.toml` file that says how much each feature of a move counts.

    name = "thrifty"
    description = '''Tables what is dear and keeps its reactions.'''
    command = "rsc train thrifty --against raider"     # how it was made, where it was not made by hand

    [weights]                                          # by feature; one that is not named counts 0
    value_gained = 1.5
    spends_ticket = -2

What a feature means stands in `features.py` and docs/features.md; a weight counts to four decimals.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from rsc_sim.errors import InputError, nearest
from rsc_sim.features import DESCRIPTIONS, FEATURES

__all__ = ["DECIMALS", "LARGEST", "Weights", "load"]

DECIMALS = 4
"""Decimals that a weight counts to."""
LARGEST = 1000
"""The largest weight, either way. Only the weights' proportions matter, so no more is needed."""

_KEYS = ("name", "description", "command", "weights")


@dataclass(frozen=True)
class Weights:
    """Hold the weights of a strategy, where they come from, and bind them to the compiled scorer."""

    name: str
    description: str
    weights: Mapping[str, float] = field(default_factory=dict)
    """A weight for each feature, in the features' order; those that a file leaves out are 0."""
    command: str = ""
    """The command that made them; empty where a person did."""

    def __post_init__(self) -> None:
        """Fill in what is not named, round to what counts, and refuse what does not fit."""
        for name, weight in self.weights.items():
            problem = _problem(name, weight)
            if problem:
                raise InputError(f"weights {self.name!r}: {problem}")
        filled = {feature: round(float(self.weights.get(feature, 0.0)), DECIMALS) + 0.0 for feature in FEATURES}
        object.__setattr__(self, "weights", MappingProxyType(filled))
        object.__setattr__(self, "description", self.description.strip())

    @classmethod
    def of_vector(cls, vector: Sequence[float], *, name: str, description: str = "", command: str = "") -> Self:
        """Take a weight for each feature, in the features' order.

        >>> Weights.of_vector([0.12345] + [0] * (len(FEATURES) - 1), name="mine").weights["tables"]
        0.1235
        """
        if len(vector) != len(FEATURES):
            raise InputError(f"weights {name!r}: expected {len(FEATURES)}, one a feature, got {len(vector)}")
        return cls(name, description, dict(zip(FEATURES, map(float, vector), strict=True)), command)

    @property
    def vector(self) -> list[float]:
        """The weights in the features' order."""
        return [self.weights[feature] for feature in FEATURES]

    @property
    def summary(self) -> str:
        """The first paragraph of the description."""
        return " ".join(self.description.split("\n\n")[0].split())

    @property
    def digest(self) -> str:
        """SHA-256 over the weights, whatever the file looks like."""
        return hashlib.sha256(json.dumps(dict(self.weights)).encode()).hexdigest()

    def bind(self) -> object:
        """Return the strategy ready for the engine (a capsule)."""
        scorer = importlib.import_module("rsc_sim.strategies.weighted")
        return scorer.bind_vector([round(weight * 10**DECIMALS) for weight in self.vector])

    def to_toml(self) -> str:
        """Write the file that `load` reads back, each weight beside what it weighs."""
        lines = [f"name = {_quoted(self.name)}", f'description = """\n{_escaped(self.description)}\n"""']
        if self.command:
            lines.append(f"command = {_quoted(self.command)}")
        lines += ["", "[weights]"]
        width = max(map(len, FEATURES))
        for feature, weight in self.weights.items():
            lines.append(f"{feature:{width}} = {weight:>10.{DECIMALS}f}  # {DESCRIPTIONS[feature].text}")
        return "\n".join(lines) + "\n"


def load(path: str | Path) -> Weights:
    """Read a file of weights. Raises `InputError` that names the file, the line and each key that does not fit."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise InputError(f"{path}: cannot read the weights: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None
    table = data.get("weights")
    problems = [_at(text, key, f"no such key{nearest(key, _KEYS)}") for key in data if key not in _KEYS]
    problems += [
        _at(text, key, f"expected text, came {data[key]!r}")
        for key in ("name", "description", "command")
        if key in data and not isinstance(data[key], str)
    ]
    if not isinstance(table, dict):
        problems.append("expected a table [weights] with a number for each feature that counts")
    else:
        found = ((name, _problem(name, weight)) for name, weight in table.items())
        problems += [_at(text, name, problem) for name, problem in found if problem]
    if problems:
        raise InputError("\n     ".join(f"{path.name}: {problem}" for problem in problems))
    assert isinstance(table, dict)
    return Weights(data.get("name", path.stem), data.get("description", ""), table, data.get("command", ""))


def _problem(name: str, weight: Any) -> str | None:
    """Say what is wrong with a weight, without its place."""
    if name not in DESCRIPTIONS:
        return f"weights.{name}: no such feature{nearest(name, FEATURES) or '; docs/features.md lists them'}"
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        return f"weights.{name}: expected a number, came {weight!r}"
    if not math.isfinite(weight) or abs(weight) > LARGEST:
        return f"weights.{name}: expected a number from -{LARGEST} to {LARGEST}, came {weight!r}"
    return None


def _at(text: str, key: str, problem: str) -> str:
    """Put the line of a key before what is wrong with it, where the key is found."""
    lines = [i for i, line in enumerate(text.splitlines(), 1) if re.match(rf'\s*\[?"?{re.escape(key)}\b', line)]
    return f"line {lines[0]}: {problem}" if lines else problem


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
