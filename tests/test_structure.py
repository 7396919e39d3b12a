"""Who may import whom (cimports too), how long a file may be, and that `rsc --help` loads nothing heavy.

What a room may import stands in `MAY_IMPORT` and `MAY_CIMPORT`; a module that neither names may import any but the
command line. The checker is itself tested on planted violations.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd"}
LONG = 600  # lines, past which the header says why

# A name stands for the module and all beneath it, `rsc_sim` for the package's own names, such as __version__. The
# longest name that fits a module is the one that counts for it.
MAY_IMPORT: dict[str, set[str]] = {
    "rsc_sim.errors": set(),
    "rsc_sim.ruleset_text": {"rsc_sim.errors"},
    "rsc_sim.ruleset_diff": set(),
    "rsc_sim.ruleset_check": {"rsc_sim.errors", "rsc_sim.ruleset_text"},
    "rsc_sim.ruleset": {"rsc_sim.errors", "rsc_sim.ruleset_check", "rsc_sim.ruleset_diff", "rsc_sim.ruleset_text"},
    "rsc_sim.strategies": set(),
    "rsc_sim.strategies.search": {"rsc_sim.outlook", "rsc_sim.strategy"},
    "rsc_sim.outlook": {"rsc_sim.errors"},
    "rsc_sim.sources": {"rsc_sim.errors", "rsc_sim.strategies", "rsc_sim.weights"},
    "rsc_sim.strategy": {f"rsc_sim.{room}" for room in ("batched", "errors", "sources", "strategies", "view")},
    "rsc_sim.batched": {"rsc_sim.errors", "rsc_sim.view"},
    "rsc_sim.values": {"rsc_sim.view"},
    "rsc_sim.view": {
        f"rsc_sim.{room}" for room in ("engine", "errors", "ruleset", "ruleset_check", "strategy", "values")
    },
    "rsc_sim.engine": {"rsc_sim.engine", "rsc_sim.errors"},
    "rsc_sim.experiment_text": {"rsc_sim.errors"},
    "rsc_sim.sweep_table": set(),
    "rsc_sim.report_table": set(),
    "rsc_sim.check_table": set(),
    "rsc_sim.recorded": set(),
    "rsc_sim.experiment": {
        *("rsc_sim.errors", "rsc_sim.ruleset", "rsc_sim.strategy"),
        *("rsc_sim.experiment_text", "rsc_sim.ruleset_text", "rsc_sim.report_table", "rsc_sim.sweep_table"),
        *("rsc_sim.check_table", "rsc_sim.recorded"),
    },
    "rsc_sim.plan": {"rsc_sim.errors"},
    "rsc_sim.store": {"rsc_sim.errors", "rsc_sim.plan", "rsc_sim.recorded"},
    "rsc_sim.frames": {"rsc_sim.errors", "rsc_sim.plan"},
    "rsc_sim.run": {f"rsc_sim.{room}" for room in ("errors", "experiment", "frames", "plan", "recorded", "store")},
    "rsc_sim.analysis": {"rsc_sim.analysis", "rsc_sim.sequential"},
    "rsc_sim.sequential": set(),
    "rsc_sim.features": set(),
    "rsc_sim.weights": {"rsc_sim.errors", "rsc_sim.features", "rsc_sim.strategies"},
    "rsc_sim.train": {
        *("rsc_sim.analysis", "rsc_sim.engine", "rsc_sim.errors", "rsc_sim.experiment", "rsc_sim.features"),
        *("rsc_sim.jobs", "rsc_sim.store", "rsc_sim.strategy", "rsc_sim.weights"),
    },
    "rsc_sim.findings": {"rsc_sim.analysis"},
    "rsc_sim.findings_compare": {"rsc_sim.analysis", "rsc_sim.findings"},
    "rsc_sim.findings_train": {"rsc_sim.analysis", "rsc_sim.findings"},
    "rsc_sim.findings_feel": {"rsc_sim.analysis", "rsc_sim.findings"},
    "rsc_sim.plots.feel": {
        *("rsc_sim.analysis", "rsc_sim.feel", "rsc_sim.findings", "rsc_sim.findings_feel", "rsc_sim.plots"),
    },
    "rsc_sim.plots.impact": {"rsc_sim.analysis", "rsc_sim.cards", "rsc_sim.findings", "rsc_sim.plots"},
    "rsc_sim.plots.training": {"rsc_sim.analysis", "rsc_sim.findings_train", "rsc_sim.plots"},
    "rsc_sim.plots.compare": {"rsc_sim.analysis", "rsc_sim.findings", "rsc_sim.findings_compare", "rsc_sim.plots"},
    "rsc_sim.sweep_view": {"rsc_sim.analysis", "rsc_sim.findings"},
    "rsc_sim.plots": {
        *("rsc_sim.analysis", "rsc_sim.errors", "rsc_sim.findings", "rsc_sim.plots", "rsc_sim.run"),
        *("rsc_sim.recorded", "rsc_sim.sweep_view"),
    },
}
# Jobs and the runner play and record; what the games mean is for others to say.
_PLAYING = {
    "cluster",
    "engine",
    "errors",
    "experiment",
    "frames",
    "jobs",
    "precision",
    "plan",
    "recorded",
    "recorder",
    "run",
    "runner",
    "sequential",
    "store",
    "strategy",
}
for _room in ("rsc_sim.cluster", "rsc_sim.jobs", "rsc_sim.precision", "rsc_sim.recorder", "rsc_sim.runner"):
    MAY_IMPORT[_room] = {"rsc_sim"} | {f"rsc_sim.{room}" for room in _PLAYING}
MAY_IMPORT["rsc_sim.metrics"] = {"rsc_sim.engine", "rsc_sim.errors", "rsc_sim.experiment"}
MAY_IMPORT["rsc_sim.check_result"] = {"rsc_sim.experiment", "rsc_sim.metrics", "rsc_sim.sequential"}
MAY_IMPORT["rsc_sim.plots"].add("rsc_sim.check_result")
# A report is made of what was played: it asks analysis, findings and pictures, and plays nothing.
_TOLD = {
    "analysis",
    "errors",
    "experiment",
    "findings",
    "findings_feel",
    "plots",
    "present_rules",
    "recorded",
    "report",
    "ruleset",
    "run",
    "store",
}
_TOLD |= {"compare", "findings_compare", "present_sweep", "sweep", "sweep_view"}
MAY_IMPORT["rsc_sim.report"] = {"rsc_sim"} | {f"rsc_sim.{room}" for room in _TOLD} | {"rsc_sim.summary"}
MAY_IMPORT["rsc_sim.present_report"] = {"rsc_sim.console", "rsc_sim.report"}
MAY_IMPORT["rsc_sim.sweep_plan"] = {
    f"rsc_sim.{room}" for room in ("errors", "experiment", "experiment_text", "pairing", "sweep_table")
}
MAY_IMPORT["rsc_sim.study"] = {f"rsc_sim.{room}" for room in ("engine", "errors", "experiment", "jobs", "store")}
MAY_IMPORT["rsc_sim.pairing"] = {"rsc_sim.experiment"}
MAY_IMPORT["rsc_sim.tables"] = {f"rsc_sim.{room}" for room in ("engine", "errors", "experiment", "jobs", "plan")}

TO_COME: set[str] = set()  # rooms that need not be there yet


# The contract of strategies is one type and one number to the engine, and a choice of the engine to strategies.
_CONTRACT = {f"rsc_sim.strategy.{name}" for name in ("strategy_t", "ABI_VERSION", "NEEDS_INTERPRETER")}
_IN_GROUPS = {f"rsc_sim.strategy.{name}" for name in ("SCORES_BATCHES", "asked_t", "batched_t", "decide_t")}
MAY_CIMPORT: dict[str, set[str]] = {
    "rsc_sim.engine": {"rsc_sim.engine"},
    "rsc_sim.engine.batch": {"rsc_sim.engine"} | _CONTRACT | _IN_GROUPS,
    "rsc_sim.engine.seats": {"rsc_sim.engine"} | _CONTRACT,
    "rsc_sim.engine.lockstep": {"rsc_sim.engine"} | _IN_GROUPS,
    "rsc_sim.engine.game": {"rsc_sim.engine"} | _CONTRACT,
    "rsc_sim.engine.seating": {"rsc_sim.engine"} | _CONTRACT,
    "rsc_sim.tactics": {"rsc_sim.engine.bits", "rsc_sim.engine.moves", "rsc_sim.engine.types"},
    "rsc_sim.standing": {"rsc_sim.engine.bits", "rsc_sim.engine.moves", "rsc_sim.engine.types", "rsc_sim.tactics"},
    "rsc_sim.features": {
        *("rsc_sim.engine.bits", "rsc_sim.engine.moves", "rsc_sim.engine.types"),
        *("rsc_sim.standing", "rsc_sim.tactics"),
    },
    "rsc_sim.feature_matrix": {"rsc_sim.strategy"},
    "rsc_sim.strategy": {
        *("rsc_sim.engine.bits", "rsc_sim.engine.moves", "rsc_sim.engine.rng", "rsc_sim.engine.types"),
        *("rsc_sim.features", "rsc_sim.standing", "rsc_sim.tactics"),
    },
    "rsc_sim.view": {"rsc_sim.engine", "rsc_sim.strategy"},
    "rsc_sim.batched": {"rsc_sim.engine", "rsc_sim.strategy", "rsc_sim.view"},
    "rsc_sim.strategies": {"rsc_sim.strategy"},
    # What search imagines is a whole game; the rooms that make one of it read a view and nothing else.
    "rsc_sim.playout": {
        *("rsc_sim.engine.bits", "rsc_sim.engine.effects", "rsc_sim.engine.rng", "rsc_sim.engine.turn"),
        "rsc_sim.engine.types",
    },
    "rsc_sim.outlook": {"rsc_sim.engine.bits", "rsc_sim.engine.moves", "rsc_sim.engine.types"},
    "rsc_sim.strategies.search": {"rsc_sim.outlook", "rsc_sim.playout", "rsc_sim.strategy"},
    # It plays games of its own to fit the outlook and to check worlds against the real game.
    "rsc_sim.positions": {"rsc_sim.engine", "rsc_sim.outlook", "rsc_sim.playout", "rsc_sim.strategy.strategy_t"},
}
COMPILED_LIBRARIES = {"libc", "cpython", "cython"}  # NumPy would be a build requirement


class Import(NamedTuple):
    """`from module import name`, or `import module` where name is None; `c` for a cimport."""

    module: str
    name: str | None
    c: bool
    line: int


# ---- the checker


def imports_of(path: Path, text: str, module: str) -> list[Import]:
    """List everything that a file imports, wherever in the file it does so."""
    if path.suffix in {".py", ".pyi"}:
        return list(_python_imports(text, module if path.stem == "__init__" else module.rpartition(".")[0]))
    return list(_cython_imports(text, module.rpartition(".")[0]))


def _python_imports(text: str, package: str) -> Iterator[Import]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, None, False, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute("." * node.level + (node.module or ""), package)
            yield from (Import(module, alias.name, False, node.lineno) for alias in node.names)
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func).endswith(("import_module", "__import__"))
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield Import(str(node.args[0].value), None, False, node.lineno)


_FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+(c?)import[ \t]*(\([^)]*\)|[^\n#]*)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*(c?)import[ \t]+([^\n#]*)", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*include[ \t]+(\S+)", re.MULTILINE)


def _cython_imports(text: str, package: str) -> Iterator[Import]:
    text = re.sub(r'"""(.*?)"""', lambda quoted: "\n" * quoted[0].count("\n"), text, flags=re.DOTALL).replace(
        "\\\n", " "
    )

    def line(found: re.Match[str]) -> int:
        return text.count("\n", 0, found.start()) + 1

    for found in _FROM.finditer(text):
        names = re.sub(r"#[^\n]*", "", found[3]).strip("() \n").split(",")
        for name in filter(None, (part.split(" as ")[0].strip() for part in names)):
            yield Import(_absolute(found[1], package), name, found[2] == "c", line(found))
    for found in _IMPORT.finditer(text):
        for part in found[2].split(","):
            yield Import(part.split(" as ")[0].strip(), None, found[1] == "c", line(found))
    for found in _INCLUDE.finditer(text):
        yield Import(f"rsc_sim.included.{found[1]}", None, True, line(found))


def _absolute(module: str, package: str) -> str:
    dots = len(module) - len(module.lstrip("."))
    if not dots:
        return module
    above = package.split(".")[: len(package.split(".")) - dots + 1]
    return ".".join([*above, *filter(None, [module.lstrip(".")])])


def within(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def allowed(module: str, table: dict[str, set[str]]) -> set[str] | None:
    rooms = [room for room in table if within(module, room)]
    return table[max(rooms, key=len)] if rooms else None


def is_command_line(module: str) -> bool:
    return module in {"rsc_sim.cli", "rsc_sim.__main__"} or module.startswith("rsc_sim.cli_")


def violations(module: str, found: list[Import], modules: set[str]) -> Iterator[str]:
    """Say which imports of a module go against the direction; `modules` are all that there are."""
    for entry in found:
        verb = "cimports" if entry.c else "imports"
        target = entry.module
        if entry.name is not None and (f"{target}.{entry.name}" in modules or entry.c):
            target = f"{target}.{entry.name}"  # a module, or one name of a contract
        complaint = f"{module}, line {entry.line}: {verb} {target}"
        if not within(target, "rsc_sim"):
            if entry.c and target.split(".")[0] not in COMPILED_LIBRARIES:
                yield f"{complaint}, which is neither ours nor {' nor '.join(sorted(COMPILED_LIBRARIES))}"
            continue
        if is_command_line(target) and not is_command_line(module):
            yield f"{complaint}: nobody imports the command line"
        rooms = allowed(module, MAY_CIMPORT if entry.c else MAY_IMPORT)
        if rooms is None and entry.c:
            yield f"{complaint}: no room for cimports (MAY_CIMPORT)"
        elif rooms is not None and not any(
            target == room == "rsc_sim" or (room != "rsc_sim" and within(target, room)) for room in rooms
        ):
            yield f"{complaint}, and may {verb.removesuffix('s')} only {', '.join(sorted(rooms)) or 'nothing of ours'}"


def length_complaint(path: Path, text: str) -> str | None:
    """Say that a file is long and does not say why in its header, the first docstring or comment: the word `lines`."""
    n = text.count("\n")
    header = re.match(r'\s*("""(.*?)"""|(#[^\n]*\n)+)', text, flags=re.DOTALL)
    if n <= LONG or (header and re.search(r"\blines\b", header[0])):
        return None
    return f"{path.name} has {n} lines, more than {LONG}; its header must say why so many `lines` stand together"


# ---- the package


def files() -> dict[Path, str]:
    """Map the package's files to the names of their modules; `strategies` is a link to the folder beside it."""
    found = {}
    for folder, package in ((ROOT / "rsc_sim", "rsc_sim"), (ROOT / "strategies", "rsc_sim.strategies")):
        for path in sorted(folder.rglob("*")):
            parts = path.relative_to(folder).with_suffix("").parts
            linked = package == "rsc_sim" and parts[0] in ("strategies", "experiments")
            if path.suffix in SUFFIXES and not linked:
                found[path] = ".".join([package, *parts]).removesuffix(".__init__")
    return found


FILES = files()
MODULES = set(FILES.values())


def test_imports_go_one_way() -> None:
    complaints = []
    for path, module in FILES.items():
        found = imports_of(path, path.read_text(encoding="utf-8"), module)
        complaints += violations(module, found, MODULES)
    assert complaints == []


def test_the_checker_reads_the_real_files() -> None:
    """Else it would find nothing because it looks at nothing."""
    seen = {
        (module, entry.module, entry.name, entry.c)
        for path, module in FILES.items()
        for entry in imports_of(path, path.read_text(encoding="utf-8"), module)
    }
    assert ("rsc_sim.engine.batch", "rsc_sim.strategy", "ABI_VERSION", True) in seen
    assert ("rsc_sim.engine.turn", "rsc_sim.engine.types", "*", True) in seen
    assert ("rsc_sim.strategies.uniform", "rsc_sim.strategy", "view_t", True) in seen
    assert ("rsc_sim.engine.game", "rsc_sim.errors", "StrategyError", False) in seen
    assert ("rsc_sim.cli", "rsc_sim.play", "run_experiment", False) in seen
    assert {room for room in (*MAY_IMPORT, *MAY_CIMPORT) if not any(within(m, room) for m in MODULES)} <= TO_COME


def test_long_files_say_why() -> None:
    complaints = [length_complaint(path, path.read_text(encoding="utf-8")) for path in FILES]
    assert list(filter(None, complaints)) == []


def test_no_help_loads_anything_heavy() -> None:
    """Of the program and of each of its commands, in one fresh process.

    Some versions of typer load pydantic themselves for a command's arguments, so it counts for the program's help only.
    """
    code = """
import sys
from rsc_sim.cli import app, main
import typer.main

def paths(command, path=()):
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from paths(below, (*path, name))

heavy = {"matplotlib", "scipy", "polars", "numpy", "joblib", "jinja2", "rsc_sim.engine", "rsc_sim.ruleset"}
assert main(["--help"]) == 0
loaded = {"pydantic"} & set(sys.modules)
every = list(paths(typer.main.get_command(app)))
for path in every:
    assert main([*path, "--help"]) == 0
print(len(every), sorted(loaded | heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    n, loaded = done.stdout.splitlines()[-1].split(" ", 1)
    assert int(n) >= 9
    assert loaded == "[]"


# ---- planted violations


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("errors.py", "from rsc_sim.ruleset import Ruleset", "imports rsc_sim.ruleset, and may import only nothing"),
        ("ruleset.py", "from rsc_sim import engine", "imports rsc_sim.engine"),
        ("ruleset_diff.py", "def f():\n    import rsc_sim.errors", "line 2: imports rsc_sim.errors"),
        ("strategy.py", "from rsc_sim.runner import play", "imports rsc_sim.runner"),
        ("experiment.py", "if TYPE_CHECKING:\n    from rsc_sim.runner import play", "imports rsc_sim.runner"),
        ("store.py", "from .runner import play", "imports rsc_sim.runner"),
        ("runner.py", "from . import analysis", "imports rsc_sim.analysis"),
        ("runner.py", "import rsc_sim.plots as p", "imports rsc_sim.plots"),
        ("analysis/shares.py", "from rsc_sim.runner import play", "imports rsc_sim.runner"),
        ("analysis/shares.py", "from ..engine import Game", "imports rsc_sim.engine"),
        (
            "analysis/shares.py",
            "import importlib\nimportlib.import_module('rsc_sim.engine')",
            "line 2: imports rsc_sim.engine",
        ),
        ("analysis/__init__.py", "from .. import run", "imports rsc_sim.run"),
        ("play.py", "from rsc_sim.cli import main", "nobody imports the command line"),
        ("present.py", "from rsc_sim import cli_rules", "nobody imports the command line"),
        ("sweep.py", "from rsc_sim.cli_common import progress", "nobody imports the command line"),
        ("engine/batch.pyi", "from rsc_sim.experiment import Experiment", "imports rsc_sim.experiment"),
        ("engine/game.pyx", "import numpy as np, rsc_sim.store", "imports rsc_sim.store"),
        ("engine/batch.pyx", "from rsc_sim.strategy cimport ABI_VERSION, view_t", "cimports rsc_sim.strategy.view_t"),
        ("engine/turn.pxd", "from rsc_sim.strategy cimport strategy_t", "cimports rsc_sim.strategy.strategy_t"),
        ("engine/turn.pxd", "from rsc_sim.tactics cimport (\n    loss)", "cimports rsc_sim.tactics.loss"),
        ("engine/turn.pxd", "cimport numpy as np", "cimports numpy"),
        ("engine/turn.pxd", 'include "more.pxi"', "included"),
        ("strategies/mine.pyx", "from rsc_sim.engine.types cimport game_t", "cimports rsc_sim.engine.types.game_t"),
        ("strategies/mine.pyx", "from rsc_sim.strategies.other cimport x", "cimports rsc_sim.strategies.other.x"),
        ("strategies/mine.pyx", "from rsc_sim.tactics cimport loss", "cimports rsc_sim.tactics.loss"),
        ("strategies/mine.pyx", "from rsc_sim.ruleset import Ruleset", "imports rsc_sim.ruleset"),
        ("strategies/mine.pyx", "cimport rsc_sim.engine.types", "cimports rsc_sim.engine.types"),
        ("strategy.pxd", "from rsc_sim.engine.turn cimport advance", "cimports rsc_sim.engine.turn.advance"),
        ("tactics.pxd", "from rsc_sim.engine \\\n    cimport effects", "cimports rsc_sim.engine.effects"),
        ("play.pyx", "from rsc_sim.engine.types cimport game_t", "no room for cimports"),
    ],
)
def test_a_planted_violation_is_found(file: str, text: str, complaint: str) -> None:
    path = Path(file)
    module = "rsc_sim." + ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    found = list(violations(module, imports_of(path, text, module), MODULES | {module}))
    assert len(found) == 1
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("errors.py", "import difflib\nfrom collections.abc import Iterable"),
        ("runner.py", "from rsc_sim import __version__\nfrom rsc_sim.engine import Cancelled"),
        ("engine/batch.pyx", "from rsc_sim.strategy cimport (ABI_VERSION,   # why\n    strategy_t)"),
        ("strategies/mine.pyx", '"""\nfrom rsc_sim.engine.types cimport game_t\n"""\nfrom libc.stdint cimport int8_t'),
        ("strategies/mine.pyx", "# from rsc_sim.engine.types cimport game_t\nfrom rsc_sim.strategy cimport loss"),
        ("analysis/shares.py", '"""from rsc_sim.engine import Game"""\nfrom rsc_sim.analysis.blocks import x'),
        ("__main__.py", "from rsc_sim.cli import main"),
    ],
)
def test_what_is_allowed_is_not_complained_about(file: str, text: str) -> None:
    path = Path(file)
    module = "rsc_sim." + ".".join(path.with_suffix("").parts)
    assert list(violations(module, imports_of(path, text, module), MODULES | {module})) == []


def test_a_long_file_is_found_unless_it_says_why() -> None:
    path = Path("long.py")
    assert length_complaint(path, '"""Does things."""\n' + "x = 1\n" * LONG) is not None
    assert length_complaint(path, "x = 1  # these lines\n" + "x = 1\n" * LONG) is not None
    assert length_complaint(path, '"""Does things."""\n' + "x = 1\n" * (LONG - 1)) is None
    assert length_complaint(path, '"""Its lines stand together because …"""\n' + "x = 1\n" * LONG) is None
    assert length_complaint(path, "# Its lines stand together because …\n" + "x = 1\n" * LONG) is None
