"""A Dask cluster: the same run as here, workers that are lost or differ, schedulers that are none or go away."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rsc_sim import cluster
from rsc_sim.errors import EnvironmentFailure, InputError, Interrupted, ProcessesLost
from rsc_sim.experiment import Experiment, ResolvedExperiment
from rsc_sim.run import Run
from rsc_sim.runner import Progress, play
from rsc_sim.store import read_journal
from tests.run.dask_cluster import ROOT, LocalCluster, local_cluster
from tests.run.test_backends import once, same

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.xdist_group("cluster"),
    # Sockets that a cluster leaves behind when it is killed are no fault of ours.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with local_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as running:
        yield running
        cluster.disconnect(running.address)
    gc.collect()  # what it leaves behind is found here, and is not the fault of whichever test comes next


@pytest.fixture(scope="module")
def mixed() -> ResolvedExperiment:
    """Four strategies, 4 rotations, and batches of 11 blocks, which straddle pieces and parts."""
    lineup = ["rusher", "raider", "collector", "guardian"]
    return Experiment.from_dict({"lineup": lineup, "games": 17_500}).resolve()


@pytest.fixture(scope="module")
def expected(mixed: ResolvedExperiment) -> Run:
    return play(mixed, jobs=1, piece_blocks=100_000)


def test_a_worker_that_is_killed_costs_what_it_was_playing_and_no_more(
    mixed: ResolvedExperiment, expected: Run, there: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    lost: list[Any] = []

    def kill() -> None:
        lost.append(there.workers[0])
        there.lose(lost[0])
        there.add_worker()

    run = play(mixed, backend=there.address, piece_blocks=64, out=tmp_path, on_progress=once(kill))
    assert lost
    assert run.manifest["backend"] == "dask"
    assert same(run, expected)


def test_a_run_that_was_begun_here_is_gone_on_with_there(
    mixed: ResolvedExperiment, expected: Run, there: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class EnoughError(Exception):
        pass

    def stop(state: Progress) -> None:
        raise EnoughError

    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    with pytest.raises(EnoughError):
        play(mixed, out=tmp_path, jobs=2, piece_blocks=333, leaves_per_part=1, on_progress=stop)
    assert same(play(mixed, backend=there.address, jobs=1, out=tmp_path, resume=True), expected)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_at_once_and_keeps_what_came_back(
    mixed: ResolvedExperiment, expected: Run, there: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
) -> None:  # fmt: skip
    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    states: list[int] = []

    def stop(state: Progress) -> None:
        states.append(state.kept + state.played)
        if state.played >= 3_000:
            signal.raise_signal(number)

    with pytest.raises(Interrupted, match="go on with: rsc run --resume") as stopped:
        play(mixed, backend=there.address, piece_blocks=64, out=tmp_path, on_progress=stop)
    assert stopped.value.exit_code == 128 + number
    kept: list[int] = []
    run = play(mixed, backend=there.address, out=tmp_path, resume=True, on_progress=lambda now: kept.append(now.kept))
    assert kept[0] == states[-1]
    assert same(run, expected)


def test_so_does_ctrl_c_from_outside(there: LocalCluster, tmp_path: Path) -> None:
    script = (
        "import signal, sys; from rsc_sim.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a script's `&` would have it ignored
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", script, "run", "--games", "100M", "--out", "here", "--leaves-per-part", "1"]
    command += ["--backend", "dask", "--scheduler", there.address]
    with subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            while not read_journal(tmp_path / "here") and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert err.startswith("rsc: interrupted after ")
    assert err.endswith("go on with: rsc run --resume --out here\n")
    assert len(err.splitlines()) == 1


def test_a_precision_target_ends_it_where_it_ends_here(there: LocalCluster, tmp_path: Path) -> None:
    data = {"lineup": ["collector", "random"], "games": 60_000, "precision": {"win_share": 0.006}}
    asked = Experiment.from_dict(data).resolve()
    here = play(asked)
    run = play(asked, backend=there.address, out=tmp_path)
    assert here.manifest["precision"]["reached"]
    assert run.manifest["precision"] == here.manifest["precision"]
    assert same(run, here)


def test_a_worker_of_another_version_is_refused(
    mixed: ResolvedExperiment, there: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "__version__", "9.9.9")
    with pytest.raises(ProcessesLost, match=r"worker tcp://127.*it has rsc-sim 0.*runs the command 9\.9\.9") as failure:
        play(mixed, backend=there.address, out=tmp_path / "run")
    assert failure.value.exit_code == 5
    assert "go on with: rsc run --resume" in str(failure.value)
    cluster.disconnect(there.address)
    with pytest.raises(EnvironmentFailure, match=r"it has rsc-sim 0.*this machine has rsc-sim 9\.9\.9"):
        play(mixed, backend=there.address)


def test_a_worker_that_would_play_other_games_is_refused(
    there: LocalCluster, mixed: ResolvedExperiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rsc_sim.jobs.Table.fingerprint", lambda table, n_blocks: "of other games")
    with pytest.raises(ProcessesLost, match="plays the first games otherwise"):
        play(mixed, backend=there.address)


def test_a_cluster_without_workers_is_left_after_a_while(
    mixed: ResolvedExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_ALONE_SECONDS", 1)
    monkeypatch.setattr(cluster, "_ASK_SECONDS", 0.2)
    monkeypatch.setattr(cluster, "_ANSWER_SECONDS", 3)
    monkeypatch.setattr("rsc_sim.runner._PROGRESS_SECONDS", 0)
    (tmp_path / "cluster").mkdir()
    with local_cluster(tmp_path / "cluster", workers=0) as empty:
        with pytest.raises(EnvironmentFailure, match="has no worker; start one: dask worker tcp://"):
            play(mixed, backend=empty.address)
        monkeypatch.setattr(cluster, "_ANSWER_SECONDS", 30)
        worker = empty.add_worker()
        with pytest.raises(ProcessesLost, match=r"(?s)has had no worker for 1 s.*rsc run --resume --out"):
            play(
                mixed, backend=empty.address, piece_blocks=64, out=tmp_path / "run",
                on_progress=once(lambda: empty.lose(worker)),
            )  # fmt: skip
        monkeypatch.setattr(cluster, "_ALONE_SECONDS", 60)
        empty.add_worker()

        def leave() -> None:
            empty.scheduler.kill()

        with pytest.raises(ProcessesLost, match=r"(?s)the connection to the scheduler .* was lost.*--resume"):
            play(
                mixed, backend=empty.address, piece_blocks=64, out=tmp_path / "run", resume=True,
                on_progress=once(leave),
            )  # fmt: skip
        cluster.disconnect(empty.address)
    assert not Run.open(tmp_path / "run").complete


def test_what_is_no_scheduler_is_told_from_one_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_ANSWER_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"

        def stay_silent() -> None:
            with silent.accept()[0] as line:
                line.recv(1)  # until the other side has had enough

        listener = threading.Thread(target=stay_silent)
        listener.start()
        with pytest.raises(EnvironmentFailure, match="does not answer as a Dask scheduler does"):
            cluster.connect(address)
        listener.join()
    with pytest.raises(EnvironmentFailure, match="Connection refused"):
        cluster.connect(address)


@pytest.mark.parametrize(
    ("backend", "scheduler", "word"),
    [
        ("dask", None, "expected the address of a scheduler"),
        ("loky", "tcp://10.0.0.5:8786", "goes with --backend dask"),
        ("dask", "10.0.0.5:8786", "expected an address such as tcp://"),
    ],
)
def test_flags_that_name_no_scheduler_are_refused(
    backend: str, scheduler: str | None, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    with pytest.raises(InputError, match=word):
        cluster.address_of(backend, scheduler)


def test_the_environment_may_name_the_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://10.0.0.5:8786")
    assert cluster.address_of("dask", None) == "tcp://10.0.0.5:8786"
    assert cluster.address_of("auto", None) == "auto"


def test_without_dask_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(InputError, match=r'pip install "rsc-sim\[dask\]"'):
        cluster.connect("tcp://127.0.0.1:1")


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_one_digest_whoever_plays_however_it_is_cut_killed_or_not(
    mixed: ResolvedExperiment, expected: Run, there: LocalCluster, tmp_path: Path, backend: str, jobs: int
) -> None:
    scheduler = {"scheduler": there.address} if backend == "dask" else {}
    name = there.address if backend == "dask" else backend
    assert same(play(mixed, backend=name, jobs=jobs, piece_blocks={1: 1_500, 2: 64}[jobs]), expected)
    # Killed as soon as there is something on the disk, and gone on with.
    lineup = ",".join(mixed.lineup)
    command = [sys.executable, "-m", "rsc_sim", "run", "--lineup", lineup, "--games", "17500", "--out", str(tmp_path)]
    command += ["--leaves-per-part", "1", "--jobs", str(jobs), "--backend", backend]
    command += [text for flag, value in scheduler.items() for text in (f"--{flag}", value)]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
    while not read_journal(tmp_path) and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    process.wait()
    assert same(play(mixed, out=tmp_path, resume=True, backend=name, jobs=jobs), expected)
