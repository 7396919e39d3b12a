"""A Dask cluster: reached, looked over, given tasks, and told from machines that would play other games.

Results come back one by one, with no more than a few tasks out a thread, so that memory is bounded here and there. What
a lost worker was doing is done again by another. It speaks to Dask directly: joblib's way to Dask waits for ever where
a task fails before it begins or its workers are lost too often, and where the last worker is gone (docs/decisions.md).
Needs the extra `rsc-sim[dask]`.
"""

from __future__ import annotations

import atexit
import logging
import os
import queue
import socket
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rsc_sim import __version__
from rsc_sim.errors import EnvironmentFailure, InputError, ProcessesLost

if TYPE_CHECKING:
    from rsc_sim.jobs import Table

__all__ = ["Cluster", "Greeting", "address_of", "connect", "disconnect", "is_address"]

_ANSWER_SECONDS = 15
"""How long the scheduler may take to answer, and the first worker to be there."""
_ALONE_SECONDS = 60
"""How long a run waits for another worker when the last one is lost."""
_HELLO = b"compression"
"""Stands in the first words of any scheduler."""
_ASK_SECONDS = 2
"""How often the workers are counted."""
_OUT = 3
"""Tasks that are out for each thread of the workers: one at play, one that waits there, one on its way."""
_LOSSES = 3
"""Times that Dask may give a task up, each time after it was with several workers that were lost."""
_GREETING_SECONDS = 0.05
_GREETING_BLOCKS = 64

_connected: dict[str, Cluster] = {}


def is_address(backend: str) -> bool:
    """Say whether a backend is the address of a scheduler, such as `tcp://10.0.0.5:8786`."""
    return "://" in backend


def address_of(backend: str, scheduler: str | None) -> str:
    """Give the backend that flags name: for `dask`, or where a scheduler is given, its address.

    Where none is given it is Dask's own `DASK_SCHEDULER_ADDRESS` in the environment.
    """
    if scheduler is None and backend == "dask":
        scheduler = os.environ.get("DASK_SCHEDULER_ADDRESS")
        if not scheduler:
            raise InputError(
                "backend dask: expected the address of a scheduler beside it, such as --scheduler tcp://10.0.0.5:8786; "
                "docs/many-machines.md tells how to start one"
            )
    if scheduler is None:
        return backend
    if backend not in {"auto", "dask"}:
        raise InputError(f"--scheduler goes with --backend dask, came --backend {backend}")
    if not is_address(scheduler):
        raise InputError(f"scheduler: expected an address such as tcp://10.0.0.5:8786, came {scheduler!r}")
    return scheduler


@dataclass(frozen=True)
class Greeting:
    """What a worker must be able to say too before it plays: which version it is, and how a table's first games go."""

    version: str
    n_blocks: int = 0
    games: str = ""

    @classmethod
    def of(cls, table: Table | None) -> Greeting:
        """Play the first blocks of a table, as many as take no time, and note how they went."""
        if table is None:
            return cls(__version__)
        n, until = 1, time.monotonic() + _GREETING_SECONDS
        games = table.fingerprint(n)
        while time.monotonic() < until and n < _GREETING_BLOCKS:
            n *= 2
            games = table.fingerprint(n)
        return cls(__version__, n, games)

    def check(self, table: Table | None) -> None:
        """Say it here, on a worker. Raises `EnvironmentFailure` where this machine would play otherwise."""
        if self in _greeted:
            return
        if self.version != __version__:
            raise EnvironmentFailure(
                f"it has rsc-sim {__version__}, the machine that runs the command {self.version}: "
                "install the same on both"
            )
        if table is not None and table.fingerprint(self.n_blocks) != self.games:
            raise EnvironmentFailure(
                "it plays the first games otherwise than the machine that runs the command: install rsc-sim on both "
                "from the same source, and the same strategies"
            )
        _greeted.add(self)


_greeted: set[Greeting] = set()
"""On a worker, greetings that it has answered."""


def _work(call: Callable[[bytearray | None], Any], table: Table | None, greeting: Greeting) -> Any:
    """Do a task on a worker, if it plays as the one who gives tasks does; give what it raised as a result too."""
    try:
        greeting.check(table)
        return call(None)
    except (EnvironmentFailure, InputError, ImportError) as error:  # of this machine: the other one has tried already
        from distributed import get_worker

        return ProcessesLost(f"worker {get_worker().address} cannot play: {error}")
    except Exception as error:
        return error


@dataclass
class Cluster:
    """A scheduler that answers, and its workers."""

    address: str
    client: Any
    _greetings: dict[int, tuple[Table | None, Greeting]] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        """How many tasks the workers do at once, all together."""
        threads: Mapping[str, int] = self.client.nthreads()
        return sum(threads.values())

    def look_over(self) -> None:
        """Make sure that every worker knows rsc-sim at all; each is asked more when it begins."""
        for worker, answer in self.client.run(_version, on_error="return").items():
            wrong = str(answer) if isinstance(answer, BaseException) else f"it has rsc-sim {answer}"
            if answer != __version__:
                raise EnvironmentFailure(
                    f"worker {worker} cannot play: {wrong}; this machine has rsc-sim {__version__}\n"
                    "     install the same there, in the environment that the worker is started from"
                )

    def done(
        self, tasks: Iterator[tuple[int, Callable[[bytearray | None], Any]]], jobs: int | None, cancel: bytearray
    ) -> Generator[tuple[int, Any], None, None]:
        """Have numbered tasks done and yield what came of each, also an exception, as it comes.

        Tasks are asked for when it is their turn. `jobs` is how many to keep busy, by default all threads of all
        workers, those that join later too. Raises `Cancelled` soon after `cancel[0]` is set, and `ProcessesLost`.
        """
        from rsc_sim.engine import Cancelled

        calls: dict[int, Callable[[bytearray | None], Any]] = {}
        again: list[int] = []
        out: dict[int, Any] = {}
        losses: Counter[int] = Counter()
        back: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        run, watch = uuid4().hex, _Watch(self)
        try:
            while True:
                while len(out) < _OUT * (jobs or watch.threads or 1):
                    if again:
                        begun = again.pop()
                    elif (task := next(tasks, None)) is not None:
                        begun, calls[begun] = task
                    else:
                        break
                    out[begun] = self._submit(calls[begun], f"rsc-{run}-{begun}-{losses[begun]}")
                    self.client.loop.add_callback(_fetch, self.client, begun, out[begun], back)
                if not out:
                    return
                number, what = None, None
                with suppress(queue.Empty):
                    number, what = back.get(timeout=0.2)
                if cancel[0]:
                    raise Cancelled("stopped on request")
                watch.look(what)
                if number is None:
                    continue
                del out[number]
                if not isinstance(what, _Failed):
                    del calls[number]
                    yield number, what
                    continue
                losses[number] += 1
                if losses[number] == _LOSSES or not what.is_loss:
                    raise ProcessesLost(f"workers that play {calls[number]} are lost, or fail: {what.error}")
                again.append(number)
        finally:
            out.clear()  # tasks that nobody waits for are dropped, but for those at play, which end with their piece

    def _submit(self, call: Callable[[bytearray | None], Any], key: str) -> Any:
        table = getattr(call, "table", None)
        if id(table) not in self._greetings:
            self._greetings[id(table)] = table, Greeting.of(table)
        return self.client.submit(_work, call, table, self._greetings[id(table)][1], key=key, pure=False)


class _Watch:
    """Look now and then whether there is still somebody to play."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.threads = cluster.threads
        self._asked = self._seen = time.monotonic()

    def look(self, what: Any) -> None:
        """Raise `ProcessesLost` where the scheduler is gone, or nothing came and no worker was there for a minute."""
        from concurrent.futures import CancelledError

        from distributed.comm.core import CommClosedError  # what it raises depends on what was under way

        failed = isinstance(what, _Failed) and isinstance(what.error, CancelledError | CommClosedError)
        if failed or self.cluster.client.status != "running":
            raise ProcessesLost(f"the connection to the scheduler {self.cluster.address} was lost")
        now = time.monotonic()
        if now - self._asked > _ASK_SECONDS:
            with suppress(OSError):  # if the scheduler is gone, its tasks say so too
                self.threads = self.cluster.threads
            self._asked = now
        if self.threads or what is not None:
            self._seen = now
        elif now - self._seen > _ALONE_SECONDS:
            raise ProcessesLost(f"the scheduler {self.cluster.address} has had no worker for {_ALONE_SECONDS} s")


@dataclass
class _Failed:
    """An error of Dask's own in place of a result."""

    error: BaseException

    @property
    def is_loss(self) -> bool:
        """Whether the task was with several workers, one after the other, when they were lost."""
        from distributed import KilledWorker

        return isinstance(self.error, KilledWorker)


async def _fetch(client: Any, number: int, future: Any, back: queue.SimpleQueue[tuple[int, Any]]) -> None:
    """Wait for a task, on the client's own thread, and hand over what came of it."""
    try:
        back.put((number, await client.gather(future, asynchronous=True)))
    except BaseException as error:
        back.put((number, _Failed(error)))


def _version() -> str:
    return __version__


def connect(address: str) -> Cluster:
    """Reach a scheduler and wait for its first worker, for seconds at most; the connection is kept for the next call.

    Raises `InputError` where Dask is not installed or that is no address, `EnvironmentFailure` where nobody answers.
    """
    there = _connected.get(address)
    if there is not None and there.client.status == "running":
        return there
    try:
        from distributed import Client
    except ImportError:
        raise InputError('backend dask: Dask is not installed; install it with: pip install "rsc-sim[dask]"') from None
    for name in ("distributed", "distributed.client", "distributed.utils", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what they would say, we say
    _knock(address)
    try:
        client: Any = Client(  # type: ignore[no-untyped-call]
            address, timeout=_ANSWER_SECONDS, set_as_default=False, name="rsc"
        )
    except Exception as error:  # what else listens there makes it fail in any way
        raise EnvironmentFailure(
            f"{address} does not answer as a Dask scheduler does: {_cause(error)}\n"
            "     check that a scheduler runs there (dask scheduler), of the same version of Dask as here"
        ) from None
    cluster = Cluster(address, client)
    until = time.monotonic() + _ANSWER_SECONDS
    while not cluster.threads:
        if time.monotonic() > until:
            _close(client)
            raise EnvironmentFailure(f"the scheduler {address} has no worker; start one: dask worker {address}")
        time.sleep(0.1)
    try:
        cluster.look_over()
    except BaseException:
        _close(client)
        raise
    _connected[address] = cluster
    return cluster


def disconnect(address: str) -> None:
    """Leave a scheduler; what its workers were doing for us is dropped."""
    cluster = _connected.pop(address, None)
    if cluster is not None:
        _close(cluster.client)


def _close(client: Any) -> None:
    with suppress(Exception):  # nobody may be left to take leave of
        client.close(timeout=5)


@atexit.register
def _leave_all() -> None:
    for address in list(_connected):
        disconnect(address)


def _knock(address: str) -> None:
    """Reach the port at all: Dask would try for seconds, and would not tell a wrong port from a wrong name."""
    from distributed.comm.addressing import get_address_host_port

    try:
        host, port = get_address_host_port(address)
    except ValueError as error:
        raise InputError(
            f"scheduler: expected an address such as tcp://10.0.0.5:8786, came {address!r}: {error}"
        ) from None
    hello = b""
    try:
        with socket.create_connection((host, port), timeout=_ANSWER_SECONDS) as line:
            # A scheduler speaks first. For one that stays silent Dask would wait for ever, and what others say it takes
            # for lengths. Behind tls nothing can be read.
            hello = line.recv(64) if address.startswith("tcp://") else _HELLO
    except TimeoutError:
        pass
    except OSError as error:
        raise EnvironmentFailure(
            f"the scheduler {address} does not answer: {error.strerror or error}\n     check that it runs there (dask "
            f"scheduler), and that this machine reaches port {port} of {host} past any firewall"
        ) from None
    if _HELLO not in hello:
        raise EnvironmentFailure(
            f"{address} does not answer as a Dask scheduler does\n"
            "     check that a scheduler runs there (dask scheduler), on the port that it names when it starts"
        )


def _cause(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__
