"""Strategies by name: what there is, and how a spec becomes something that the engine can play.

A spec is a name with parameters, `name` or `name(param=value, other=value)`. Its canonical form (`Strategy.spec`) lists
every parameter that differs from its default, in the order of the strategy's signature, so that equal strategies have
equal specs.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rsc_sim.errors import InputError, nearest
from rsc_sim.strategies import BUILT_IN

__all__ = ["Strategy", "built_in", "resolve", "split_lineup"]


@dataclass(frozen=True)
class Strategy:
    """A strategy with its parameters fixed."""

    spec: str
    name: str
    module: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def bind(self) -> object:
        """Return the compiled strategy, ready for the engine (a capsule)."""
        try:
            return importlib.import_module(self.module).bind(**self.parameters)
        except (TypeError, ValueError) as error:
            raise InputError(f"strategy {self.spec!r}: {error}") from error

    @property
    def summary(self) -> str:
        """The first paragraph of its docstring: what it does, in a player's words."""
        text = inspect.getdoc(importlib.import_module(self.module)) or ""
        return " ".join(text.split("\n\n")[0].split())

    @property
    def description(self) -> str:
        """Its whole docstring."""
        return inspect.getdoc(importlib.import_module(self.module)) or ""


def built_in() -> dict[str, Strategy]:
    """Return the strategies that come with rsc-sim, by name, with their default parameters."""
    return {name: resolve(name) for name in BUILT_IN}


def resolve(spec: str) -> Strategy:
    """Find the strategy that a spec names; InputError for an unknown name or parameter, with what is near."""
    name, arguments = _parse(spec)
    if name not in BUILT_IN:
        raise InputError(
            f"strategy {name!r}: no such strategy{nearest(name, BUILT_IN)}; there are: {', '.join(sorted(BUILT_IN))}"
        )
    module = f"rsc_sim.strategies.{BUILT_IN[name]}"
    known = inspect.signature(importlib.import_module(module).bind).parameters
    for key in arguments:
        if key not in known:
            has = f"it has {', '.join(known)}" if known else "it has no parameters"
            raise InputError(f"strategy {name!r}: no parameter {key!r}{nearest(key, known)}; {has}")
    parameters = {
        key: arguments.get(key, parameter.default)
        for key, parameter in known.items()
        if key in arguments or parameter.default is not parameter.empty
    }
    for key, value in parameters.items():
        default = known[key].default
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            parameters[key] = float(value)
        elif default is not inspect.Parameter.empty and type(value) is not type(default):
            raise InputError(
                f"strategy {name!r}: {key} expects {type(default).__name__} such as {default!r}, got {value!r}"
            )
    shown = [f"{key}={value!r}" for key, value in parameters.items() if value != known[key].default]
    return Strategy(f"{name}({', '.join(shown)})" if shown else name, name, module, parameters)


def split_lineup(text: str) -> list[str]:
    """Split `a,b(x=1,y=2),c` at the commas that are not inside parentheses."""
    specs, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            specs.append(text[start:i].strip())
            start = i + 1
    specs.append(text[start:].strip())
    if depth or not all(specs):
        raise InputError(f"lineup {text!r}: expected strategies separated by commas, such as random,collector")
    return specs


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Read `name(key=value, …)`; values are Python literals."""
    problem = InputError(f"strategy {spec!r}: expected a name, or name(parameter=value), such as collector")
    name, bracket, rest = spec.strip().partition("(")
    if not name.strip().isidentifier() or (bracket and not rest.endswith(")")):
        raise problem
    try:
        call = ast.parse(f"f({rest[:-1]})" if bracket else "f()", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(keyword.arg is None for keyword in call.keywords):
            raise problem
        return name.strip(), {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError) as error:
        raise problem from error
