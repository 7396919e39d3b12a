"""A real Dask scheduler and workers, each a process of its own on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


class LocalCluster:
    """A scheduler at `address`, and the workers that were started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        until = time.monotonic() + 60
        while not file.exists() or not file.read_text().strip():
            assert time.monotonic() < until, "no scheduler"
            assert self.scheduler.poll() is None
            time.sleep(0.05)
        self.address = str(json.loads(file.read_text())["address"])
        self.workers: list[subprocess.Popen[bytes]] = []

    def _start(self, what: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        # --no-nanny: a nanny would bring back what a test has killed.
        command = [sys.executable, "-m", "dask", what, "--no-dashboard", *arguments]
        paths = {"PYTHONPATH": str(ROOT), **environment}
        with (self.folder / "log.txt").open("ab") as log:
            return subprocess.Popen(command, cwd=self.folder, env={**os.environ, **paths}, stdout=log, stderr=log)

    def add_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread."""
        arguments = ("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", "--local-directory", str(self.folder))
        worker = self._start("worker", self.address, *arguments, **environment)
        self.workers.append(worker)
        return worker

    def lose(self, worker: subprocess.Popen[bytes]) -> None:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        self.workers.remove(worker)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def local_cluster(folder: Path, workers: int) -> Iterator[LocalCluster]:
    """Run a scheduler and some workers while the block runs."""
    cluster = LocalCluster(folder)
    try:
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.close()
