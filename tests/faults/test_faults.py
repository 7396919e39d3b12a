"""A folder that may not be written to, a terminal that went away, names that are no text, an impatient hand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rsc_sim.errors import ProcessesLost
from rsc_sim.experiment import Experiment
from rsc_sim.play import run_experiment
from rsc_sim.run import Run
from rsc_sim.runner import available_jobs, play

ROOT = Path(__file__).parents[2]
SMALL = ("run", "--games", "400", "--lineup", "random,collector")
NOBODY = 65_534


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give a folder that anybody can reach, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def rsc(*arguments: Any, cwd: Path, **how: Any) -> subprocess.CompletedProcess[bytes]:
    command = [os.fsencode(sys.executable), b"-m", b"rsc_sim", *(os.fsencode(str(a)) for a in arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(cwd), **how.pop("env", {})}
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    return subprocess.run(command, cwd=cwd, env=environment, timeout=120, check=False, **how)


def test_a_folder_that_may_not_be_written_to_ends_with_5_and_says_so(open_folder: Path) -> None:
    (open_folder / "locked").mkdir()
    (open_folder / "locked").chmod(0o555)
    (open_folder / "duel.toml").write_text('lineup = ["random", "random"]\ngames = 400\n')
    # As somebody who is not allowed everything, with all imported and read before: his Python and the package may
    # lie in a folder that is closed to him.
    script = (
        "import os, sys; from rsc_sim.cli import main\n"
        "small = 'run duel.toml --out'.split()\n"
        "assert main([*small, 'open']) == 0\n"
        "os.seteuid(int(sys.argv[1]))\n"
        "sys.exit(main([*small, 'locked/run']))\n"
    )
    done = as_nobody(script, open_folder)
    assert (done.returncode, done.stderr) == (5, "rsc: locked/run: Permission denied\n")


def as_nobody(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder, with the number of a user who is not root."""
    return subprocess.run(
        [sys.executable, "-c", script, str(NOBODY if os.geteuid() == 0 else os.geteuid())],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_a_run_whose_folder_is_locked_halfway_is_gone_on_with_when_it_is_open_again(open_folder: Path) -> None:
    small = Experiment.from_dict({"lineup": ["collector", "collector"], "games": 9_000}).resolve()
    expected = play(small).outcome_digest
    script = (
        "import os, sys; from rsc_sim import store\n"
        "real = store.RunStore.write_part\n"
        "def write(self, part, *rest):\n"
        "    if part.number == 1: os.chmod('run/cards', 0o555); os.seteuid(int(sys.argv[1]))\n"
        "    real(self, part, *rest)\n"
        "store.RunStore.write_part = write\n"
        "from rsc_sim.cli import main\n"
        "how = '--lineup collector,collector --games 9000 --jobs 1 --leaves-per-part 1 --out run'\n"
        "sys.exit(main(['run', *how.split()]))\n"
    )
    done = as_nobody(script, open_folder)
    assert done.returncode == 5, done.stderr
    assert "Permission denied" in done.stderr
    assert "what was played is kept; when that is mended: rsc run --resume --out run" in done.stderr
    (open_folder / "run" / "cards").chmod(0o777)
    assert len(Run.open(open_folder / "run")) == 4_096
    assert play(small, out=open_folder / "run", resume=True).outcome_digest == expected


@pytest.mark.parametrize("file", ["cards/.part-00001.parquet.tmp", ".summary.json.tmp"])
def test_a_disk_that_is_full_ends_with_5_and_the_run_is_gone_on_with_when_there_is_room(
    tmp_path: Path, file: str
) -> None:
    small = Experiment.from_dict({"lineup": ["collector", "collector"], "games": 9_000}).resolve()
    # What is written beside the second part goes to /dev/full: the kernel itself says that there is no room.
    script = (
        "import os, sys; from rsc_sim import store\n"
        "real = store.RunStore.write_part\n"
        "def write(self, part, *rest):\n"
        "    if part.number == 1: os.symlink('/dev/full', f'run/{sys.argv[1]}')\n"
        "    real(self, part, *rest)\n"
        "store.RunStore.write_part = write\n"
        "from rsc_sim.cli import main\n"
        "how = '--lineup collector,collector --games 9000 --jobs 1 --leaves-per-part 1 --out run'\n"
        "sys.exit(main(['run', *how.split()]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, file], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr == (
        "rsc: run: no room left on the disk\n"
        "     what was played is kept; when that is mended: rsc run --resume --out run\n"
    )
    assert len(Run.open(tmp_path / "run")) == (4_096 if "part" in file else 9_000)
    if "part" not in file:
        (tmp_path / "run" / file).unlink()  # of parts, remains go by themselves
    assert run_experiment(small, out=tmp_path / "run", resume=True)[0].outcome_digest == play(small).outcome_digest
    assert (tmp_path / "run" / "summary.json").is_file()
    assert not list((tmp_path / "run").rglob("*.tmp"))


def test_no_room_for_what_processes_hand_over_is_told_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = Experiment.from_dict({"lineup": ["collector", "collector"], "games": 9_000}).resolve()
    (tmp_path / "handed").mkdir()
    for number in range(1, 200):
        (tmp_path / "handed" / str(number)).symlink_to("/dev/full")
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **_: str(tmp_path / "handed"))
    words = r"(?s)No space left on device; processes hand over .* set TMPDIR .*go on with: rsc run --resume --out"
    with pytest.raises(ProcessesLost, match=words):
        play(small, backend="loky", jobs=2, out=tmp_path / "run")
    monkeypatch.undo()
    assert play(small, out=tmp_path / "run", resume=True).outcome_digest == play(small).outcome_digest


@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2)], ids=str)
def test_a_closed_output_is_no_error(tmp_path: Path, closed: tuple[int, ...]) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    done = rsc(*SMALL, "--out", "here", cwd=tmp_path, preexec_fn=close)
    assert (done.returncode, done.stderr) == (0, b"")
    assert Run.open(tmp_path / "here").complete


def test_an_output_that_is_full_ends_with_5_and_the_run_is_there(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = rsc(*SMALL, "--out", "here", cwd=tmp_path, stdout=full)
    assert done.returncode == 5
    assert b"No space left on device" in done.stderr
    assert Run.open(tmp_path / "here").complete


@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict"])
def test_any_folder_and_any_encoding_will_do(tmp_path: Path, encoding: str) -> None:
    name = os.fsdecode(b"caf\xe9 \xff")
    how = {"cwd": tmp_path, "env": {"PYTHONIOENCODING": encoding}}
    done = rsc(*SMALL, "--out", name, **how)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"run       caf\xe9 \xff\n" in done.stdout
    taken = rsc(*SMALL, "--out", name, **how)
    assert taken.returncode == 2
    assert taken.stderr.startswith(b"rsc: caf\xe9 \xff: holds a finished run")


def test_ctrl_c_twice_does_not_wait_for_what_does_not_listen(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys, time; from rsc_sim import engine\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a script's `&` would have it ignored
        "def deaf(*a, **k):\n"
        "    os.write(1, b'playing\\n')\n"  # at once, and not by print: two threads say it
        "    time.sleep(60)\n"
        "engine.play_blocks = deaf\n"
        "from rsc_sim.cli import main\n"
        "sys.exit(main('run --games 400 --lineup random,random --jobs 2 --out here'.split()))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "playing\n"
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert err == "rsc: interrupted after 0 of 400 games; go on with: rsc run --resume --out here\n"


def test_no_more_jobs_are_begun_than_are_of_use() -> None:
    small = Experiment.from_dict({"lineup": ["random", "random"], "games": 200}).resolve()
    assert play(small, jobs=300).manifest["jobs"] == max(8, 2 * available_jobs())
    assert play(small, jobs=5).manifest["jobs"] == 5
