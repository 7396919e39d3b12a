"""Builds a copy of this checkout elsewhere and runs Python against it, so that the checkout's own modules stay."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_COPIED = shutil.ignore_patterns(
    ".*", "build", "dist", "runs", "reports", "*.so", "*.pyd", "*.c", "*.egg-info", "__pycache__"
)


def build_copy(
    target: Path, *, source: Path = ROOT, plant: Callable[[Path], None] | None = None, **settings: str
) -> Path:
    """Copy the checkout, or a copy of it, to `target`, let `plant` change it, and compile it with these settings."""
    shutil.copytree(source, target, ignore=NOT_COPIED)
    if plant is not None:
        plant(target)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("RSC_SIM_")}
    run([sys.executable, "setup.py", "build_ext", "--inplace", "-q"], target, plain | {"CC": "gcc"} | settings)
    return target


def run_in_copy(copy: Path, arguments: list[str], **settings: str) -> str:
    """Run Python in a built copy, which it imports in place of any installed package; return its output."""
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"} | settings
    return run([sys.executable, *arguments], copy, environment)


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(
            f"{' '.join(command)} ended with {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-12000:]}"
        )
    return done.stdout
