"""A `search` that sees all cards, the order of the pick-up pile too: what play could gain from knowing, an upper bound.

It is no strategy and stays out of the registry. Its source is that of `strategies/search.pyx` with one call replaced:
where search imagines the hidden cards, this one copies the game as it lies, so that all else is equal. Nothing in C
keeps a strategy from reading on behind what it is shown; that `search` does not is what tests/property is for.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGINED = "imagine(known, view.rng, &world)"
SEEN = "see(view, &world)"
SEE = '''
from rsc_sim.engine.rng cimport STREAM_HAND_PICK, STREAM_SEARCH, STREAM_STRATEGY, next64, open_stream
from libc.stdint cimport uint64_t


cdef void see(const view_t *view, world_t *world) noexcept nogil:
    """Copy the game that the view's table is the first part of; its chance still to come is drawn anew."""
    cdef int seat
    memcpy(world, view.table, sizeof(world_t))
    world.log = NULL
    world.tally = NULL
    world.memories = NULL
    world.stream_base = next64(view.rng)
    open_stream(&world.hand_pick, world.stream_base, STREAM_HAND_PICK, 0)
    open_stream(&world.search, world.stream_base, STREAM_SEARCH, 0)
    for seat in range(world.table.seats):
        open_stream(&world.strategy[seat], world.stream_base, STREAM_STRATEGY, <uint64_t>seat)


cdef enum:
'''


@cache
def _module() -> ModuleType:
    source = (ROOT / "strategies" / "search.pyx").read_text(encoding="utf-8")
    if source.count(IMAGINED) < 1 or source.count("\ncdef enum:\n") < 1:
        raise SystemExit("strategies/search.pyx imagines otherwise than benchmarks/clairvoyant.py expects")
    source = source.replace(IMAGINED, SEEN).replace("\ncdef enum:\n", SEE, 1)
    folder = Path(tempfile.mkdtemp())
    (folder / "clairvoyant.pyx").write_text(source, encoding="utf-8")
    (folder / "setup.py").write_text(
        "from setuptools import Extension, setup\nfrom Cython.Build import cythonize\n"
        "flags = ['-O3', '-g0', '-ffp-contract=off', '-march=x86-64-v3', '-w']\n"
        "directives = {'language_level': 3, 'boundscheck': False, 'wraparound': False, 'cdivision': True}\n"
        "setup(ext_modules=cythonize([Extension('clairvoyant', ['clairvoyant.pyx'], extra_compile_args=flags)],"
        " compiler_directives=directives))\n",
        encoding="utf-8",
    )
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True, capture_output=True)
    spec = importlib.util.spec_from_file_location("clairvoyant", next(folder.glob("clairvoyant*.so")))
    if spec is None or spec.loader is None:
        raise SystemExit("the clairvoyant search could not be built")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def clairvoyant(**parameters: Any) -> object:
    """Return the search that sees all cards, bound; its parameters are those of `search`."""
    return _module().bind(**parameters)
