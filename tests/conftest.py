"""Fixtures that more than one suite uses."""

import fcntl
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.plugin.building import build_example


@pytest.fixture(scope="session")
def example_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the example plug-in package, once for all workers, and give the folder to import it from."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "plugin"
    with (folder.parent / "plugin.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "done"
        if not done.exists():
            build_example(folder / "package")
            done.touch()
    return folder / "package" / "built"


@pytest.fixture(scope="session")
def example(example_package: Path) -> Iterator[SimpleNamespace]:
    """Give the modules of the example plug-in package."""
    sys.path.insert(0, str(example_package))
    names = ("patient", "mindful", "faulty")
    yield SimpleNamespace(**{name: importlib.import_module(f"rsc_plugin_example.{name}") for name in names})
    sys.path.remove(str(example_package))
