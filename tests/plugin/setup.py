"""Compiles this package's strategies against the installed rsc-sim, of which they need the .pxd files alone."""

from importlib.util import find_spec
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

rsc_sim = Path(find_spec("rsc_sim").origin).parent

setup(
    ext_modules=cythonize(
        [
            Extension(f"rsc_plugin_example.{path.stem}", [str(path)])
            for path in Path("rsc_plugin_example").glob("*.pyx")
        ],
        include_path=[str(rsc_sim.parent)],
        compiler_directives={"language_level": 3, "boundscheck": False, "wraparound": False, "cdivision": True},
    ),
)
