"""README keeps its word: its commands run as they stand, its Python runs, and what it shows is what comes out.

The lines that set up a virtual environment are left to `.ci/run`, which does nothing but follow them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LESS = {
    "rsc sweep": "--games 1k",
    "rsc cards": "--games 500 --no-copies",
    "rsc compare": "--games 1k",
    "rsc feel": "--games 1k",
    "rsc run --lineup mine.py": "--games 1k",
}
"""What is added to commands that would play for minutes."""
VARIES = re.compile(r"^(run|pictures|speed) .*$", re.MULTILINE)


def blocks(kind: str) -> list[str]:
    """Return the code blocks of a kind, in order, without their indent."""
    found = re.findall(rf"^( *)```{kind}\n(.*?)^ *```$", README, re.MULTILINE | re.DOTALL)
    return ["\n".join(line.removeprefix(indent) for line in text.splitlines()) for indent, text in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("newcomer")


def say(command: str, folder: Path) -> str:
    """Run a command of README in a newcomer's folder and return what it prints."""
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": paths, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    answers = {0, 1} if command.startswith("rsc check") else {0}  # 1: it found a change
    assert done.returncode in answers, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_first_run_prints_what_readme_shows(folder: Path) -> None:
    setup, *_ = blocks("sh")
    assert setup.splitlines()[-1] == "rsc run"
    shown, *_ = blocks("text")
    assert VARIES.sub("", say("rsc run", folder)).strip() == VARIES.sub("", shown).strip()


def test_every_command_runs_in_the_order_of_readme(folder: Path) -> None:
    commands = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]
    assert len(commands) >= 5
    assert all(command.startswith("rsc ") for command in commands)
    (folder / "mine.py").write_text(blocks("python")[0], encoding="utf-8")
    for command in commands:
        say(next((f"{command} {less}" for slow, less in LESS.items() if command.startswith(slow)), command), folder)


def test_the_python_runs(folder: Path) -> None:
    _, program = blocks("python")
    (folder / "program.py").write_text(program, encoding="utf-8")
    say(f"{sys.executable} program.py", folder)


def test_pictures_and_pages_exist() -> None:
    linked = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(linked) >= 10
    for target in linked:
        assert (ROOT / target).exists(), target
