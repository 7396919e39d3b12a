"""Fixtures that more than one suite uses."""

import importlib
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests.plugin.building import build_example


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """Build the example plug-in package and give its modules."""
    built = build_example(tmp_path_factory.mktemp("plugin") / "package")
    sys.path.insert(0, str(built))
    names = ("patient", "mindful", "faulty")
    yield SimpleNamespace(**{name: importlib.import_module(f"rsc_plugin_example.{name}") for name in names})
    sys.path.remove(str(built))
