"""Analysis never plays: it imports neither the engine nor anything that does, and of the rest only `sequential`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rsc_sim

FILES = sorted((Path(rsc_sim.__file__).parent / "analysis").glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_analysis_imports_nothing_of_ours_but_analysis(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module or ""]
        for name in names:
            assert not name.startswith("rsc_sim") or name.startswith(("rsc_sim.analysis", "rsc_sim.sequential")), name
