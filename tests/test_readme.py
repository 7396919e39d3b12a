"""README keeps its word: its commands run as they stand, its Python runs, and what it shows is what comes out.

The lines that set up a virtual environment are left to `.ci/run`, which does nothing but follow them.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from joblib.externals.loky import get_reusable_executor

from rsc_sim import conformance
from rsc_sim.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LESS = {
    "rsc sweep": "--games 400",
    "rsc cards": "--games 400 --no-copies",
    "rsc check": "--max-games 20k",
    "rsc compare": "--games 1k",
    "rsc feel": "--games 400",
    "rsc run --lineup mine.py": "--games 600",
    "rsc run --rules mine.toml": "--games 2k",
}
"""What is added to commands that would play for longer than a test may."""
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
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def tell(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Do the same in this process, where all is loaded by now; a check of a strategy plays fewer games."""
    program, *words = shlex.split(command)
    assert program == "rsc"
    monkeypatch.setattr(conformance, "GAMES", 28)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")
    get_reusable_executor().shutdown()  # processes know the folder in which they began
    capsys.readouterr()
    code = main(words)
    told = capsys.readouterr()
    answers = {0, 1} if command.startswith("rsc check") else {0}  # 1: it found a change
    assert code in answers, f"{command}\n{told.out}\n{told.err}"
    return told.out


def test_the_first_run_prints_what_readme_shows(folder: Path) -> None:
    setup, *_ = blocks("sh")
    assert setup.splitlines()[-1] == "rsc run"
    shown, *_ = blocks("text")
    assert VARIES.sub("", say("rsc run", folder)).strip() == VARIES.sub("", shown).strip()


def test_every_command_runs_in_the_order_of_readme(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]
    assert len(commands) >= 5
    assert all(command.startswith("rsc ") for command in commands)
    (folder / "mine.py").write_text(blocks("python")[0], encoding="utf-8")
    for command in commands:
        asked = next((f"{command} {less}" for slow, less in LESS.items() if command.startswith(slow)), command)
        tell(asked, folder, monkeypatch, capsys)


def test_the_python_runs(folder: Path) -> None:
    _, program = blocks("python")
    (folder / "program.py").write_text(program, encoding="utf-8")
    say(f"{sys.executable} program.py", folder)


def test_pictures_and_pages_exist() -> None:
    linked = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(linked) >= 10
    for target in linked:
        assert (ROOT / target).exists(), target
