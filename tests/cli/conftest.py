"""The command line as a user meets it: in this process for speed, in one of its own where signals matter."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rsc_sim.cli import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Rsc = Callable[..., Outcome]


@pytest.fixture
def rsc(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Rsc:
    """Run `rsc` with some arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: Any) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return run


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def start_python(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a Python as a process of its own in an empty folder; whatever the test does, it does not outlive it."""
    started = []

    def start(*arguments: Any, **how: Any) -> subprocess.Popen[str]:
        command = [sys.executable, *(str(argument) for argument in arguments)]
        # Whoever started the tests may ignore Ctrl-C (a script's `&` does), and that would be handed on.
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": _heed_ctrl_c, **how}
        started.append(subprocess.Popen(command, text=True, cwd=tmp_path, **how))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        process.wait()


@pytest.fixture
def start_rsc(start_python: Callable[..., subprocess.Popen[str]]) -> Callable[..., subprocess.Popen[str]]:
    """Start `rsc` as a process of its own in an empty folder."""
    return partial(start_python, "-m", "rsc_sim")
