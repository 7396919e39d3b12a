"""Where a strategy comes from: built in, an entry point, a function in a file or a module, a file of weights.

`find` takes what stands before the parentheses of a spec; `given` takes a function itself, as a notebook hands it over.
Either gives a `Source`: what to bind, of which kind, and the digest of the text that it was made from. Parameters and
the wording of specs are left to `strategy`, playing to the engine.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import marshal
import os
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from rsc_sim.errors import InputError, nearest
from rsc_sim.strategies import BUILT_IN

__all__ = ["GROUP", "Kind", "Source", "file_of", "find", "given", "outside"]

Kind = Literal["native", "weights", "python", "batched"]

GROUP = "rsc_sim.strategies"
"""The group of entry points through which outside packages bring strategies."""

_PACKAGE = "rsc_sim.strategies"


@dataclass(frozen=True)
class Source:
    """What a strategy is made from."""

    head: str
    """What a canonical spec calls it."""
    name: str
    kind: Kind
    target: Any
    """A module or function `bind` (native), a `Weights`, or the function that plays."""
    description: str
    sha256: str | None = None
    """Of the file or the text that it was made from; None for native ones, which go by the version of their package."""

    @property
    def signature(self) -> dict[str, inspect.Parameter]:
        """The strategy's parameters, by name."""
        if self.kind == "weights":
            return {}
        if self.kind == "native":
            return dict(inspect.signature(_binder(self.target)).parameters)
        return dict(list(inspect.signature(self.target).parameters.items())[_N_SHOWN[self.kind] :])


_N_SHOWN = {"python": 2, "batched": 1}


def find(head: str, folder: Path = Path()) -> Source:
    """Find what stands before a spec's parentheses; `folder` is what a relative path starts from."""
    if head.endswith(".toml"):
        return _weights(head, _existing(head, folder))
    place, colon, name = head.rpartition(":")
    if colon:
        if file_of(head) is not None:
            path = _existing(place, folder)
            return _attribute(f"{_short(path)}:{name}", *_load_file(path), name)
        return _attribute(head, *_load_module(place, head), name)
    if head.endswith(".py"):
        functions = _strategies_in(_load_file(_existing(head, folder))[0])
        hint = f"{head}:{functions[0]}" if functions else f"{head}:choose"
        raise InputError(f"strategy {head!r}: which function of the file? Write for instance {hint}")
    if head in BUILT_IN:
        return _built_in(head)
    points = {point.name: point for point in metadata.entry_points(group=GROUP)}
    if head in points:
        return _entry_point(points[head])
    known = [*BUILT_IN, *points]
    raise InputError(
        f"strategy {head!r}: no such strategy{nearest(head, known)}; there are: {', '.join(sorted(known))}"
        "\n     or path/file.py:function, package.module:function, path/file.toml"
    )


def file_of(head: str) -> str | None:
    """Give the path that stands in what stands before a spec's parentheses; None where it names no file.

    >>> file_of("mine.py:choose"), file_of("package.module:choose"), file_of("collector")
    ('mine.py', None, None)
    """
    if head.endswith(".toml"):
        return head
    place = head.rpartition(":")[0]
    return place if place.endswith(".py") or "/" in place or os.sep in place else None


def outside() -> list[str]:
    """List the names that other packages bring, those that are not built in."""
    return sorted({point.name for point in metadata.entry_points(group=GROUP)} - BUILT_IN.keys())


def given(function: Callable[..., Any]) -> Source:
    """Take a function, or any callable, that somebody holds in hand."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if module and name and module != "__main__" and _at(sys.modules.get(module), name) is function:
        file = inspect.getsourcefile(function)
        head = f"{_short(Path(file))}:{name}" if module.startswith(_LOADED) and file else f"{module}:{name}"
        return _function(head, name, function, _digest(Path(file).read_bytes()) if file else None)
    named = name or type(function).__qualname__
    plain = re.sub(r"\W+", "_", named.rpartition("<locals>.")[2]).strip("_")
    return _function(f"__main__:{plain}", plain, function, _digest(_text_of(function)))


# ---- files and modules


def _existing(text: str, folder: Path) -> Path:
    path = folder / text
    if not path.is_file():
        there = path.parent if path.parent.is_dir() else Path()
        hint = nearest(path.name, [other.name for other in there.iterdir()]) if path.parent.is_dir() else ""
        raise InputError(f"strategy {text!r}: no such file in {path.parent.resolve()}{hint}")
    return path


def _short(path: Path) -> str:
    """Word a path as seen from the working directory where it lies below, else in full; always with slashes."""
    full = Path(os.path.normpath(Path.cwd() / path))  # not resolve(): a symbolic link stays what it is called
    here = Path.cwd()
    return (full.relative_to(here) if full.is_relative_to(here) else full).as_posix()


_LOADED = "rsc_strategy_"
_files: dict[Path, tuple[str, ModuleType]] = {}


def _load_file(path: Path) -> tuple[ModuleType, str]:
    """Run a file as a module, again only when its content has changed; give it with the digest of what was run."""
    full = path.resolve()
    text = full.read_bytes()
    digest = _digest(text)
    if full in _files and _files[full][0] == digest:
        return _files[full][1], digest
    module = ModuleType(f"{_LOADED}{_digest(str(full).encode())[:12]}")
    module.__file__ = str(full)
    if str(full.parent) not in sys.path:
        sys.path.append(str(full.parent))  # what lies beside a file can be imported by it
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, str(full), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise InputError(f"strategy file {path}: {_what(error, full)}") from error
    _files[full] = digest, module
    return module, digest


def _load_module(name: str, head: str) -> tuple[ModuleType, str | None]:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            hint = f"; a file is named with its ending, such as {name}.py:choose" if Path(f"{name}.py").exists() else ""
            raise InputError(f"strategy {head!r}: no module {error.name!r} can be imported{hint}") from None
        raise InputError(f"strategy {head!r}: {name} cannot be imported: {error}") from error
    except (Exception, SystemExit) as error:
        raise InputError(f"strategy {head!r}: {name} cannot be imported: {type(error).__name__}: {error}") from error
    return module, _source_digest(module)


def _what(error: BaseException, path: Path) -> str:
    """Say what a file raised and in which of its lines."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    where = f"line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"


def _source_digest(module: ModuleType) -> str | None:
    file = getattr(module, "__file__", None)
    return _digest(Path(file).read_bytes()) if file and file.endswith(".py") else None


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _text_of(function: Callable[..., Any]) -> bytes:
    """Give what a function in hand is made of: its source, else its code."""
    try:
        return inspect.getsource(function).encode()
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return marshal.dumps(code) if code is not None else repr(type(function)).encode()


# ---- what was found there


def _attribute(head: str, module: ModuleType, digest: str | None, name: str) -> Source:
    target = _at(module, name)
    if target is None:
        names = _strategies_in(module)
        has = f"; it has {', '.join(names)}" if names else ""
        where = "the file" if module.__name__.startswith(_LOADED) else module.__name__
        raise InputError(f"strategy {head!r}: no {name!r} in {where}{nearest(name, names)}{has}")
    if name == "bind" or (isinstance(target, ModuleType) and hasattr(target, "bind")):
        return Source(head, module.__name__.rpartition(".")[2], "native", target, inspect.getdoc(module) or "")
    return _function(head, name, target, digest)


def _at(module: ModuleType | None, name: str) -> Any:
    target: Any = module
    for part in name.split("."):
        target = getattr(target, part, None)
    return target


def _function(head: str, name: str, function: Any, digest: str | None) -> Source:
    kind = _kind_of(function)
    if kind is None:
        raise InputError(
            f"strategy {head!r}: expected a function (view, moves) that returns a move's index, or (batch) that "
            f"returns a score for each move, with parameters of its own behind; got {_shape(function)}"
        )
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    described = inspect.getdoc(function) or (inspect.getdoc(module) if module and module.__name__ != "__main__" else "")
    return Source(head, name, kind, function, described or "", digest)


def _kind_of(function: Any) -> Kind | None:
    """Tell a function that is shown `view, moves` from one that is shown `batch`: by how many it asks for."""
    if not callable(function) or isinstance(function, type):
        return None
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    shown = [p for p in parameters if p.kind in positional and p.default is p.empty]
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters) or parameters[: len(shown)] != shown:
        return None
    return {1: "batched", 2: "python"}.get(len(shown))  # type: ignore[return-value]


def _shape(function: Any) -> str:
    if not callable(function) or isinstance(function, type):
        return f"{type(function).__name__} {getattr(function, '__name__', function)!r}"
    try:
        return f"a function {inspect.signature(function)}"
    except (TypeError, ValueError):
        return f"{function!r}"


def _strategies_in(module: ModuleType) -> list[str]:
    """Name the functions of a module that could be strategies."""
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", module.__name__) == module.__name__
    ]
    return [name for name in own if _kind_of(getattr(module, name)) is not None]


def _binder(target: Any) -> Any:
    return target.bind if isinstance(target, ModuleType) else target


def _weights(head: str, path: Path, *, name: str | None = None) -> Source:
    weights = importlib.import_module("rsc_sim.weights").load(path)
    return Source(
        name or _short(path), name or weights.name, "weights", weights, weights.description, _digest(path.read_bytes())
    )


def _built_in(name: str) -> Source:
    where = BUILT_IN[name]
    if where.endswith(".toml"):
        return _weights(name, Path(importlib.import_module(_PACKAGE).__file__ or "").parent / where, name=name)
    file, colon, function = where.partition(":")
    module = importlib.import_module(f"{_PACKAGE}.{file.removesuffix('.py')}")
    if not colon:
        return Source(name, name, "native", module, inspect.getdoc(module) or "")
    found = _function(name, name, getattr(module, function), _source_digest(module))
    return Source(name, name, found.kind, found.target, inspect.getdoc(module) or found.description, found.sha256)


def _entry_point(point: metadata.EntryPoint) -> Source:
    try:
        target = point.load()
    except (Exception, SystemExit) as error:
        package = f" of the package {point.dist.name}" if point.dist else ""
        raise InputError(
            f"strategy {point.name!r}: its entry point {point.value}{package} cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error
    if isinstance(target, Path):
        return _weights(point.name, target, name=point.name)
    if isinstance(target, ModuleType) and hasattr(target, "bind"):
        return Source(point.name, point.name, "native", target, inspect.getdoc(target) or "")
    if getattr(target, "__name__", "") == "bind":
        module = sys.modules[target.__module__]
        return Source(point.name, point.name, "native", target, inspect.getdoc(module) or "")
    home = sys.modules.get(getattr(target, "__module__", ""))
    found = _function(point.name, point.name, target, _source_digest(home) if home else None)
    return Source(point.name, point.name, found.kind, found.target, found.description, found.sha256)
