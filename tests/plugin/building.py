"""Builds the example package, as its author would, into a folder outside the checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import rsc_sim

EXAMPLE = Path(__file__).resolve().parent


def build_example(
    folder: Path, *, against: Path | None = None, only: str | None = None, flags: str = "-O1 -g0"
) -> Path:
    """Build the example package in `folder`; return the folder to import it from.

    `against` holds another rsc_sim to compile against than the one in use; `only` names the one module to build, and
    `flags` are the compiler's.
    """
    sources, built = folder / "sources", folder / "built"
    shutil.copytree(
        EXAMPLE, sources, ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__", "build", "*.egg-info")
    )
    if only is not None:
        for path in (sources / "rsc_plugin_example").glob("*.pyx"):
            if path.stem != only:
                path.unlink()
    package = against or Path(rsc_sim.__file__).parents[1]
    environment = os.environ | {"CC": "gcc", "CFLAGS": flags, "PYTHONPATH": str(package)}
    build = ["build", "--build-lib", str(built), "--parallel", str(os.cpu_count() or 1)]
    metadata = ["egg_info", "--egg-base", str(built)]
    command = [sys.executable, "setup.py", "-q", *build, *metadata]
    done = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(
            f"{' '.join(command)} ended with {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}"
        )
    return built
