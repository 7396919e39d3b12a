"""Pieces on threads, processes or machines: hands them out, yields what comes back, and stops at once when asked.

Jobs are joblib's, threads by default, since the engine plays without the interpreter's lock, or loky processes; or the
workers of a Dask cluster (`cluster`), of which the address of the scheduler is the name. This is the one place that
knows how work is spread; the runner sees only pieces that are done, and cannot tell by whom.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed  # type: ignore[import-untyped]

from rsc_sim.cluster import address_of, connect, is_address
from rsc_sim.errors import InputError, Interrupted, ProcessesLost
from rsc_sim.plan import LEAF_BLOCKS, Part, plan_batch

if TYPE_CHECKING:
    from rsc_sim.engine import CompiledRules, Tallies
    from rsc_sim.experiment import ResolvedExperiment
    from rsc_sim.strategy import Strategy

__all__ = [
    "BACKENDS",
    "Blocks",
    "Pace",
    "Piece",
    "ProcessesLost",
    "Rows",
    "Stop",
    "Table",
    "Task",
    "backend_for",
    "done",
    "played",
]

BACKENDS = ("auto", "threading", "loky", "dask")
"""What jobs may be. `dask` stands for the scheduler that the environment names; its address is a backend too."""

Rows = npt.NDArray[np.void]
"""The engine's packed rows, one a game."""

_AHEAD = 4
"""Pieces a job that may be out, or back and not yet taken: enough to keep jobs busy, few enough to hold in memory."""
_PIECE_SECONDS = 0.5
"""How long a piece may take: handing one out costs some milliseconds, and a job that is stopped loses as much play."""
_LOSSES = 3
"""Times that processes are lost before the same piece is back: by then it is no accident."""


class Tallied(Protocol):
    """Tallies by batch, wherever they come from."""

    @property
    def first_batch(self) -> int:
        """Number of the batch with which the counts begin."""

    @property
    def cards(self) -> npt.NDArray[np.uint64]:
        """Counts [batch, strategy, event, kind, 3]."""

    @property
    def windows(self) -> npt.NDArray[np.uint64]:
        """Counts [batch, strategy, round, missing]."""


class Piece(NamedTuple):
    """Blocks of a part that were played."""

    part: Part
    first_block: int
    rows: Rows
    tallies: Tallied | None
    """None where the experiment records none."""


class Pace:
    """How many blocks make a piece, by how long pieces took so far.

    What is in flight when a run is stopped is lost, and a strategy may take a second a game or a microsecond.
    """

    def __init__(self, group: int = 1) -> None:
        """`group`: blocks that are played side by side, of which a piece holds whole ones."""
        self._least = self._blocks = group

    def limit(self) -> int:
        """Give the most blocks of a piece, a power of two."""
        return self._blocks

    def note(self, n_blocks: int, seconds: float) -> None:
        """Take how long a piece took to play; a single one may be short by chance, so that trust comes in steps."""
        wanted = min(n_blocks * _PIECE_SECONDS / max(seconds, 1e-6), 8.0 * self._blocks, LEAF_BLOCKS)
        self._blocks = max(self._least, 1 << max(0, int(wanted).bit_length() - 1))


def backend_for(experiment: ResolvedExperiment, backend: str) -> str:
    """Choose between threads and processes where that is left to us: processes for what needs the interpreter.

    The address of a Dask scheduler is a backend too. Raises `InputError` on an unknown backend, `StrategyError` where a
    strategy cannot be sent to a process.
    """
    backend = address_of(backend, None)
    if backend not in BACKENDS and not is_address(backend):
        raise InputError(
            f"backend: expected {', '.join(BACKENDS)} or the address of a Dask scheduler, came {backend!r}"
        )
    seated = [strategy.find() for strategy in experiment.strategies]
    if backend == "auto":
        backend = "loky" if any(strategy.needs_interpreter for strategy in seated) else "threading"
    if backend != "threading":
        for strategy in seated:
            strategy.portable()
    return backend


def played(
    experiment: ResolvedExperiment,
    pieces: Iterable[tuple[Part, int, int]],
    jobs: int,
    stop: Stop,
    *,
    backend: str = "threading",
    pace: Pace | None = None,
) -> Generator[Piece, None, None]:
    """Play pieces with `jobs` threads or processes and yield them as they come, with no more than a few waiting.

    Pieces are asked for when it is their turn, and `pace` is told how long each took. Lost processes are replaced, and
    what they were playing is played again. Raises `ProcessesLost` where they are lost again and again, `Cancelled` or
    `KeyboardInterrupt` when told to stop, and what a strategy raised.
    """
    table = Table.of(experiment)
    out: dict[int, tuple[Part, int, int]] = {}

    def tasks() -> Iterator[Task]:
        for number, (part, first_block, n_blocks) in enumerate(pieces):
            out[number] = part, first_block, n_blocks
            yield _PlayPiece(table, first_block, n_blocks)

    for number, (rows, tallies, seconds) in done(tasks(), jobs, stop, backend=backend):
        part, first_block, n_blocks = out.pop(number)
        if pace is not None:
            pace.note(n_blocks, seconds)
        yield Piece(part, first_block, rows, tallies)


class Task(Protocol):
    """Something to do in a thread or in a process, to which it can be sent: called, it gives what came of it."""

    def __call__(self, cancel: bytearray | None) -> Any:
        """Do it; in a thread, give up with `Cancelled` soon after `cancel[0]` is set."""


def done(
    tasks: Iterable[Task], jobs: int, stop: Stop, *, backend: str = "threading"
) -> Generator[tuple[int, Any], None, None]:
    """Do tasks with `jobs` threads or processes, started in their order; yield the number and the result of each.

    Results come as they are done, with no more than a few waiting. A task names itself, by `str`, in `ProcessesLost`.
    Fails as `played` does.
    """
    from rsc_sim.engine import Cancelled

    source = _Source(tasks)
    if is_address(backend):
        with stop.at_once(True):
            cluster = connect(backend)
        for number, result in cluster.done(iter(source), jobs, stop.cancel):
            if isinstance(result, Exception):
                raise result
            yield number, result
        return
    losses: Counter[int] = Counter()
    while source.left():
        if stop.cancel[0]:  # asked before anything began, or used up by other tasks: nothing would ever be done
            raise Cancelled("stopped on request")
        # Before giving up, the first task is done by itself, so that nothing else is lost with it.
        alone = bool(source.out) and losses[min(source.out)] == _LOSSES - 1
        again = sorted(source.out.items())[: 1 if alone else None]
        try:
            for number, result in _results(again if alone else chain(again, source), jobs, stop, backend):
                del source.out[number]
                yield number, result
            if stop.cancel[0] and source.left():  # told to stop when nothing happened to be playing
                raise Cancelled("stopped on request")
        except BrokenProcessPool:
            if stop.cancel[0]:  # a signal to all of us reached them first
                raise Cancelled("stopped on request") from None
            first = min(source.out)
            losses[first] += 1
            if losses[first] == _LOSSES:
                raise ProcessesLost(
                    f"the process that plays {source.out[first]} was lost {_LOSSES} "
                    "times: it was killed, or short of memory, of which fewer --jobs and --backend threading need less"
                ) from None


class _Source:
    """Tasks, numbered and handed out one by one when they are asked for, and those that are out.

    joblib asks from whichever thread has something done.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = enumerate(tasks)
        self._lock = threading.Lock()
        self._next: tuple[int, Task] | None = None
        self.out: dict[int, Task] = {}
        """Handed out and not known to be done."""

    def __iter__(self) -> Iterator[tuple[int, Task]]:
        while True:
            with self._lock:
                found = self._next or next(self._tasks, None)
                self._next = None
                if found is None:
                    return
                self.out[found[0]] = found[1]
            yield found

    def left(self) -> bool:
        """Say whether anything is to be done still."""
        with self._lock:
            if self._next is None and not self.out:
                self._next = next(self._tasks, None)
            return self._next is not None or bool(self.out)


@dataclass(frozen=True)
class Table:
    """What is played, in a form that another process can be sent: strategies found, rules compiled there."""

    rules: CompiledRules
    strategies: tuple[Strategy, ...]
    strategy_ids: tuple[int, ...]
    seed: int
    batch_blocks: int
    intervention: tuple[int, int, str] | None
    tallied: bool = True
    """Whether the experiment records anything but games."""

    @classmethod
    def of(cls, experiment: ResolvedExperiment) -> Table:
        """Make ready what an experiment plays."""
        from rsc_sim.engine import CompiledRules

        return cls(
            rules=CompiledRules(experiment.ruleset, seats=experiment.seats, deal_order=experiment.deal_order),
            strategies=tuple(strategy.find() for strategy in experiment.strategies),
            strategy_ids=experiment.strategy_ids,
            seed=experiment.seed,
            batch_blocks=plan_batch(experiment.n_blocks, experiment.precision),
            intervention=experiment.intervention,
            tallied=bool({"cards", "windows"} & set(experiment.record)),
        )

    def play(self, first_block: int, n_blocks: int, cancel: bytearray | None) -> tuple[Rows, Tallies]:
        """Play a range of blocks with everything recorded."""
        from rsc_sim.engine import Tallies

        tallies = Tallies(
            self.rules,
            n_strategies=len(self.strategies),
            batch_blocks=self.batch_blocks,
            first_block=first_block,
            n_blocks=n_blocks,
        )
        return self.rows(first_block, n_blocks, cancel, tallies), tallies

    def fingerprint(self, n_blocks: int) -> str:
        """Digest the first blocks: whoever gets the same plays the same games."""
        rows, tallies = self.play(0, n_blocks, None)
        digest = hashlib.sha256(rows.tobytes())
        for counts in (tallies.cards, tallies.windows):
            digest.update(counts.tobytes())
        return digest.hexdigest()

    def rows(self, first_block: int, n_blocks: int, cancel: bytearray | None, tallies: Tallies | None = None) -> Rows:
        """Play a range of blocks. Binding costs 0.1 ms, compiling rules in another process 0.2 ms."""
        from rsc_sim.engine import play_blocks

        rows: Rows = self.ask(
            play_blocks, first_block, n_blocks, cancel, intervention=self.intervention, tallies=tallies
        )
        return rows

    def ask(
        self, how: Callable[..., Any], first_block: int, n_blocks: int, cancel: bytearray | None, **more: Any
    ) -> Any:
        """Bind the strategies and call a loop of the engine (`play_blocks` or its like) on a range of blocks."""
        bound = [strategy.bind() for strategy in self.strategies]
        return how(
            self.rules,
            [bound[i] for i in self.strategy_ids],
            seed=self.seed,
            first_block=first_block,
            n_blocks=n_blocks,
            strategy_ids=self.strategy_ids,
            cancel=cancel,
            **more,
        )


@dataclass(frozen=True)
class Blocks:
    """Some blocks of a table: what tasks that play them have in common."""

    table: Table
    first_block: int
    n_blocks: int

    def ask(self, how: Callable[..., Any], cancel: bytearray | None, **more: Any) -> Any:
        """Call a loop of the engine on them."""
        return self.table.ask(how, self.first_block, self.n_blocks, cancel, **more)

    def __str__(self) -> str:
        return f"blocks {self.first_block} to {self.first_block + self.n_blocks - 1}"


@dataclass(frozen=True)
class _PlayPiece(Blocks):
    """The task of playing a range of blocks with what is recorded of them, and of telling how long that took."""

    def __call__(self, cancel: bytearray | None) -> tuple[Rows, Tallies | None, float]:
        start = time.perf_counter()
        tallies = None
        if self.table.tallied:
            rows, tallies = self.table.play(self.first_block, self.n_blocks, cancel)
        else:
            rows = self.table.rows(self.first_block, self.n_blocks, cancel)
        return rows, tallies, time.perf_counter() - start


def _work(
    number: int, task: Task, *, cancel: bytearray | None = None, folder: str | None = None
) -> tuple[int, Any] | Exception:
    """Do a task; give its number with what came of it, or with a file in the folder that holds that.

    A process hands over by file. Killed while it writes to the pipe that all of them share, it would leave the reader
    waiting for the rest for ever; what goes through the pipe now is short enough to be written at one go.
    """
    try:
        result = task(cancel)
        if folder is None:
            return number, result
        _folders.add(folder)
        return number, _put(Path(folder) / str(number), result)
    except Exception as error:  # handed over, not raised: joblib would throw away what others have finished
        return error


def _put(path: Path, result: Any) -> Path:
    try:
        with path.open("wb") as file:
            pickle.dump(result, file, protocol=pickle.HIGHEST_PROTOCOL)
    except OSError as error:
        raise ProcessesLost(
            f"{path}: {error.strerror or error}; processes hand over what they played by files there: make room, or "
            "set TMPDIR to a folder that has some"
        ) from None
    return path


def _results(numbered: Iterable[tuple[int, Task]], jobs: int, stop: Stop, backend: str) -> Iterator[tuple[int, Any]]:
    """Do numbered tasks, started in their order, and yield what came of them as it comes back."""
    from rsc_sim.engine import Cancelled

    threads = backend == "threading"
    folder = None if threads else tempfile.mkdtemp(prefix="rsc-")
    how = {"cancel": stop.cancel} if threads else {"folder": folder}
    n_out = n_taken = 0

    def tasks() -> Iterator[Any]:
        nonlocal n_out
        for number, task in numbered:
            # joblib hands out work as fast as it is done, not as fast as results are taken, and to block here would
            # block it as well: a job that has nothing to do but wait is what bounds memory.
            while n_out - n_taken >= _AHEAD * jobs and not stop.cancel[0]:
                yield delayed(time.sleep)(0.02)
            if stop.cancel[0]:
                return
            n_out += 1
            yield delayed(_work)(number, task, **how)

    # A single joblib job would play in this thread, where a Ctrl-C is not seen until the piece is done: for one job
    # there are two, of which only one is given work.
    parallel = Parallel(
        n_jobs=max(2, jobs),
        backend=backend,
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch=1 if jobs == 1 else 2 * jobs,
        **({} if threads else {"initializer": _enter_process, "initargs": (os.getpid(),)}),
    )
    results: Any = None
    try:
        with nullcontext() if threads else _shielded():
            results = parallel(tasks())
        while True:
            with stop.at_once(not threads):
                result = next(results, results)
            if result is results:
                return
            if result is None:
                continue
            if isinstance(result, Exception):
                raise result
            if stop.cancel[0]:
                raise Cancelled("stopped on request")
            n_taken += 1
            number, what = result
            if isinstance(what, Path):
                with what.open("rb") as file:
                    got = pickle.load(file)  # ours, from a folder that nobody else may write to
                what.unlink()
            else:
                got = what
            yield number, got
    finally:
        if threads:
            # Whatever ended the loop, threads still playing stop too, and are waited for: joblib warns of results
            # left behind.
            stop.cancel[0] = 1
            for _ in results or ():
                pass
        else:
            # Processes are ended where they are. Closed, joblib's generator would warn of what they leave undone.
            with suppress(KeyboardInterrupt), _without_its_manager():
                if results is not None:
                    results.throw(KeyboardInterrupt())
            shutil.rmtree(folder or "", ignore_errors=True)


@contextmanager
def _without_its_manager() -> Iterator[None]:
    """Say nothing of loky's own thread that fails while its processes are ended, and with it what is left to do.

    It takes away tasks that wait, and then looks for them (KeyError, loky 3.6); the processes are gone by then.
    """
    before = threading.excepthook

    def heed(failed: threading.ExceptHookArgs) -> None:
        if failed.thread is None or failed.thread.name != "ExecutorManagerThread":
            before(failed)

    threading.excepthook = heed
    try:
        yield
    finally:
        threading.excepthook = before


_folders: set[str] = set()
"""In a process that plays, where it has put pieces."""


def _enter_process(parent: int) -> None:
    """Begin a process that plays: it leaves stopping to its parent, and does not outlive it even if that is killed.

    What strategies print goes to the error stream; the other one is for what the command has to say.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        for folder in _folders:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _shielded() -> Iterator[None]:
    """Hold back a Ctrl-C here, and for good in processes that are started now: it goes to them too, half begun."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as of_loky  # type: ignore[import-untyped]

    for tracker in (resource_tracker, of_loky):  # begun later, they would let Ctrl-C through again
        tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Stop(AbstractContextManager["Stop"]):
    """Turn Ctrl-C and SIGTERM into a flag that the engine and the loop look at; a second Ctrl-C interrupts at once.

    What is asked within another `Stop` is asked of that one too, so that whoever plays several runs hears of it when it
    came too late for the run of that moment.
    """

    def __init__(self) -> None:
        self.cancel = bytearray(1)
        self.asked = False
        """Whether a signal came; `cancel` is also set when what is playing is no longer wanted."""
        self.signal = signal.SIGINT
        self._before: dict[signal.Signals, Any] = {}
        self._at_once = False

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._asked)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def word(self) -> str:
        """What the signal did to us: `interrupted`, or `terminated`."""
        return "terminated" if self.signal == signal.SIGTERM else "interrupted"

    def interruption(self, message: str) -> Interrupted:
        """Give the error that ends what a signal stopped, with the exit code that is usual for the signal."""
        error = Interrupted(message)
        error.exit_code = 128 + self.signal
        return error

    @contextmanager
    def at_once(self, wanted: bool) -> Iterator[None]:
        """While waiting for what does not see the flag, raise `KeyboardInterrupt` on any of these signals, or now."""
        self._at_once = wanted
        try:
            if wanted and self.cancel[0]:
                raise KeyboardInterrupt
            yield
        finally:
            self._at_once = False

    def _asked(self, number: int, frame: FrameType | None) -> None:
        outer = self._before[signal.Signals(number)]
        if isinstance(getattr(outer, "__self__", None), Stop):
            outer(number, frame)
        again = self.cancel[0] and number == signal.SIGINT
        self.cancel[0] = 1
        self.asked = True
        if not again:
            self.signal = signal.Signals(number)
        if again or self._at_once:
            raise KeyboardInterrupt
