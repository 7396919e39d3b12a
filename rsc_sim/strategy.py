"""Strategies by spec: what there is, and how a spec becomes something that the engine can play.

A spec says where a strategy is and what its parameters are, in one way for all kinds:

    collector                               built in, or brought by an installed package
    mine.py:choose                          a function of a file
    package.module:function                 a function of a module
    trained/tuned.toml                      a file of weights
    mine.py:choose(greed=0.8, bold=True)    any of them, with parameters

Its canonical form (`Strategy.spec`) lists every parameter that differs from its default, in the order of the
strategy's signature, so that equal strategies have equal specs. What a file says counts, not its name: a strategy from
a file carries the file's SHA-256.
"""

from __future__ import annotations

import ast
import functools
import inspect
import pickle
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rsc_sim.errors import InputError, StrategyError, nearest
from rsc_sim.sources import Kind, Source, file_of, find, given, outside
from rsc_sim.strategies import BUILT_IN

__all__ = ["Strategy", "built_in", "installed", "resolve", "split_lineup"]


@dataclass(frozen=True)
class Strategy:
    """A strategy with its parameters fixed. It travels to another process as a spec, and is looked up there again."""

    spec: str
    name: str
    kind: Kind
    """`native` (compiled), `weights`, `python` (asked move by move) or `batched` (asked for many games at once)."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    sha256: str | None = None
    """Of the file that it comes from, or of its text; None for compiled ones."""
    source: Source | None = field(default=None, repr=False, compare=False)
    carried: bytes | None = field(default=None, repr=False, compare=False)
    """A function that was handed over as it is, pickled; it travels with the spec."""
    folder: str | None = field(default=None, repr=False, compare=False)
    """Where the path in the spec starts from, if it names a file: processes may have been started elsewhere."""

    @property
    def needs_interpreter(self) -> bool:
        """Whether it holds the interpreter's lock while it plays, so that processes serve it better than threads."""
        return self.kind in {"python", "batched"}

    def differs(self, other: Strategy) -> bool:
        """Say whether another of the same spec plays something else: functions in hand may share a name and a text."""
        if self.sha256 != other.sha256:
            return True
        if self.source is None or other.source is None:
            return False
        return self.source.head.startswith("__main__:") and bool(self.source.target != other.source.target)

    def bind(self) -> object:
        """Return the strategy ready for the engine (a capsule)."""
        target = self.source.target if self.source is not None else self._look_up()
        try:
            if self.kind == "weights":
                return target.bind()
            if self.kind == "native":
                return getattr(target, "bind", target)(**self.parameters)
            if self.kind == "batched":
                from rsc_sim.batched import bind_batched

                return bind_batched(target, self.parameters, spec=self.spec)
            from rsc_sim.view import bind_python

            return bind_python(target, self.parameters, spec=self.spec)
        except (TypeError, ValueError) as error:
            raise InputError(f"strategy {self.spec!r}: {error}") from error

    def _look_up(self) -> Any:
        """Find, in another process, what the spec names."""
        try:
            if self.carried is not None:
                return pickle.loads(self.carried)
            head = _parse(self.spec)[0]
            there = Path(self.folder or "", file_of(head) or "").is_file()  # another machine may keep it elsewhere
            source = find(head, Path(self.folder) if self.folder and there else Path())
        except Exception as error:
            what = error if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            raise StrategyError(f"strategy {self.spec!r} cannot be loaded in another process: {what}") from error
        if source.sha256 != self.sha256:
            raise StrategyError(f"strategy {self.spec!r}: its file has changed while it was played")
        return source.target

    @property
    def summary(self) -> str:
        """The first paragraph of its description: what it does, in a player's words."""
        return " ".join(self.description.split("\n\n")[0].split())

    @property
    def description(self) -> str:
        """Its whole docstring, or what its file of weights says of it."""
        return "" if self.source is None else self.source.description

    def portable(self) -> Strategy:
        """Return it in the form in which it travels. Raises `StrategyError` where it cannot be pickled."""
        carried = None
        if self.source is not None and self.source.head in _given:
            import cloudpickle  # type: ignore[import-untyped]

            try:
                carried = cloudpickle.dumps(self.source.target)
            except Exception as error:
                raise StrategyError(
                    f"strategy {self.spec!r} cannot be sent to another process: {type(error).__name__}: {error}\n"
                    "     put it into a file and name it path/file.py:function, or play it with the backend threading"
                ) from error
        return replace(self, source=None, carried=carried)

    def __reduce__(self) -> tuple[type[Strategy], tuple[Any, ...]]:
        there = self if self.source is None else self.portable()
        parts = (there.spec, there.name, there.kind, dict(there.parameters), there.sha256, None, there.carried)
        return Strategy, (*parts, there.folder)


_given: dict[str, Source] = {}
"""Functions that were handed over as they are, by the head of their specs; the latest of a name."""


def built_in() -> dict[str, Strategy]:
    """Return the strategies that come with rsc-sim, by name, with their default parameters."""
    return {name: resolve(name) for name in BUILT_IN}


def installed() -> dict[str, Strategy]:
    """Return the strategies that other installed packages bring, by name."""
    return {name: resolve(name) for name in outside()}


def resolve(strategy: str | Strategy | Callable[..., Any], *, folder: Path = Path()) -> Strategy:
    """Find the strategy that a spec names, or take a function, `functools.partial` fixing its parameters.

    A relative path starts from `folder`. InputError for an unknown name or parameter, with what is near.
    """
    if isinstance(strategy, Strategy):
        return strategy
    if not isinstance(strategy, str):
        return _in_hand(strategy)
    head, arguments = _parse(strategy)
    return _with(_given[head] if head in _given else find(head, folder), arguments)


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


def _in_hand(function: Any) -> Strategy:
    arguments: dict[str, Any] = {}
    while isinstance(function, functools.partial) and not function.args:
        arguments = {**function.keywords, **arguments}
        function = function.func
    if not callable(function):
        raise InputError(f"strategy: expected a spec such as 'collector' or a function, came {function!r}")
    source = given(function)
    if source.head.startswith("__main__:"):
        _given[source.head] = source
    return _with(source, arguments)


def _with(source: Source, arguments: Mapping[str, Any]) -> Strategy:
    """Fix the parameters of a strategy, with defaults for those that are not given."""
    known = source.signature
    called = source.head
    for key in arguments:
        if key not in known:
            has = f"it has {', '.join(known)}" if known else "it has no parameters"
            raise InputError(f"strategy {called!r}: no parameter {key!r}{nearest(key, known)}; {has}")
    missing = [key for key, parameter in known.items() if parameter.default is parameter.empty and key not in arguments]
    if missing:
        raise InputError(f"strategy {called!r}: {missing[0]} has no default; write {called}({missing[0]}=...)")
    parameters = {key: arguments.get(key, parameter.default) for key, parameter in known.items()}
    for key, value in parameters.items():
        parameters[key] = _fitting(called, key, value, known[key])
    shown = [f"{key}={value!r}" for key, value in parameters.items() if value != known[key].default]
    spec = f"{source.head}({', '.join(shown)})" if shown else source.head
    folder = None if file_of(source.head) is None else str(Path.cwd())
    return Strategy(spec, source.name, source.kind, parameters, source.sha256, source, folder=folder)


def _fitting(called: str, key: str, value: Any, parameter: inspect.Parameter) -> Any:
    """Return a parameter's value in its default's type; whole numbers stand for fractions too."""
    default = parameter.default
    if default is None or default is parameter.empty:
        return value
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default):
        raise InputError(
            f"strategy {called!r}: {key} expects {type(default).__name__} such as {default!r}, got {value!r}"
        )
    return value


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Read `head(key=value, …)`; values are Python literals."""
    problem = InputError(
        f"strategy {spec!r}: expected a name, path/file.py:function, package.module:function or path/file.toml, "
        "with parameters as in name(parameter=value)"
    )
    head, bracket, rest = spec.strip().partition("(")
    head = head.strip()
    if not head or any(c in head for c in "\n\"'=,;") or (bracket and not rest.endswith(")")):
        raise problem
    try:
        call = ast.parse(f"f({rest[:-1]})" if bracket else "f()", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(keyword.arg is None for keyword in call.keywords):
            raise problem
        values = [(str(keyword.arg), ast.literal_eval(keyword.value)) for keyword in call.keywords]
    except (SyntaxError, ValueError) as error:
        raise InputError(
            f"strategy {spec!r}: expected {head} with parameters as in name(parameter=value), each value a number, "
            "True, False, or a text in quotes"
        ) from error
    if twice := [key for key, n in Counter(key for key, _ in values).items() if n > 1]:
        raise InputError(f"strategy {spec!r}: {twice[0]} is given twice; expected each parameter once")
    return head, dict(values)
