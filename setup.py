"""The extension modules and their compiler flags; everything else is in pyproject.toml.

RSC_SIM_MARCH=...   another instruction set than x86-64-v3 (on x86-64); empty: the compiler's default
RSC_SIM_DEBUG=1     checks copies and derived figures at every decision
RSC_SIM_SANITIZE=1  address and undefined-behaviour sanitizers besides
"""

import os
import platform
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

here = Path(__file__).resolve().parent
for link in ("strategies", "experiments"):
    if not (here / "rsc_sim" / link).is_dir():
        sys.exit(
            f"rsc_sim/{link} must be a symbolic link to ../{link}, or a folder, and is neither: "
            "this copy was made without symlinks.\n"
            "Clone again with `git -c core.symlinks=true clone`, or install from a source distribution."
        )

march = os.environ.get("RSC_SIM_MARCH", "x86-64-v3" if platform.machine() in {"x86_64", "AMD64"} else "")
debug = os.environ.get("RSC_SIM_DEBUG") == "1"
sanitize = os.environ.get("RSC_SIM_SANITIZE") == "1"

flags = ["-O3", "-g0", "-ffp-contract=off", "-Wno-unused-function"]
link_flags = []
macros = [("CYTHON_WITHOUT_ASSERTIONS", "1")]
if debug or sanitize:
    flags = ["-O1", "-g", "-ffp-contract=off", "-Wno-unused-function"]
    macros = [("RSC_DEBUG", "1")]
if sanitize:
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
    link_flags += ["-fsanitize=address,undefined"]
tuned = [f"-march={march}"] if march else []
macros.append(("RSC_NEEDS_V3", "1" if march == "x86-64-v3" else "0"))


def extension(name: str, *, tune: bool = True) -> Extension:
    """Describe the extension of a module; without `tune` for any processor of the kind."""
    return Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        extra_compile_args=flags + (tuned if tune else []),
        extra_link_args=link_flags,
        define_macros=macros,
    )


setup(
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    ext_modules=cythonize(
        [
            extension("rsc_sim.engine.cpu", tune=False),
            extension("rsc_sim.engine.rules"),
            extension("rsc_sim.engine.batch"),
            extension("rsc_sim.engine.game"),
            extension("rsc_sim.engine.seating"),
            extension("rsc_sim.engine.impact"),
            extension("rsc_sim.engine.feel"),
            extension("rsc_sim.feature_matrix"),
            extension("rsc_sim.batched"),
            extension("rsc_sim.view"),
            extension("rsc_sim.strategies.uniform"),
            extension("rsc_sim.strategies.collector"),
            extension("rsc_sim.strategies.rusher"),
            extension("rsc_sim.strategies.raider"),
            extension("rsc_sim.strategies.guardian"),
            extension("rsc_sim.strategies.hoarder"),
            extension("rsc_sim.strategies.opportunist"),
            extension("rsc_sim.strategies.weighted"),
            extension("rsc_sim.positions"),
            extension("rsc_sim.strategies.search"),
        ],
        build_dir="build/cython",
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "binding": True,
        },
    ),
)
