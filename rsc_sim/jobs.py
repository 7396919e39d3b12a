"""Pieces on threads: hands them out in order, yields what comes back, and stops at once when asked.

Jobs are joblib threads, since the engine plays without the interpreter's lock. This is the one place that knows how
work is spread; the runner sees only pieces that are done.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed  # type: ignore[import-untyped]

from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.plan import Part, plan_batch
from rsc_sim.strategy import resolve

if TYPE_CHECKING:
    from rsc_sim.engine import Tallies

__all__ = ["Piece", "Rows", "Stop", "played"]

Rows = npt.NDArray[np.void]
"""The engine's packed rows, one a game."""


class Piece(NamedTuple):
    """Blocks of a part that were played."""

    part: Part
    first_block: int
    rows: Rows
    tallies: Tallies


def played(
    experiment: ResolvedExperiment, pieces: Iterable[tuple[Part, int, int]], jobs: int, stop: Stop
) -> Generator[Piece, None, None]:
    """Play pieces on `jobs` threads and yield them as they come, with no more than a few waiting."""
    from rsc_sim.engine import Cancelled, CompiledRules, Tallies, play_blocks

    rules = CompiledRules(experiment.ruleset, seats=experiment.seats, deal_order=experiment.deal_order)
    bound = [resolve(strategy.spec).bind() for strategy in experiment.strategies]
    lineup = [bound[i] for i in experiment.strategy_ids]
    gate = _Gate(jobs, stop)
    batch_blocks = plan_batch(experiment.n_blocks)

    def work(number: int, part: Part, first_block: int, n_blocks: int) -> Piece | Exception:
        try:
            gate.wait(number)
            tallies = Tallies(
                rules,
                n_strategies=len(bound),
                batch_blocks=batch_blocks,
                first_block=first_block,
                n_blocks=n_blocks,
            )
            rows: Rows = play_blocks(
                rules,
                lineup,
                seed=experiment.seed,
                first_block=first_block,
                n_blocks=n_blocks,
                strategy_ids=experiment.strategy_ids,
                intervention=experiment.intervention,
                cancel=stop.cancel,
                tallies=tallies,
            )
        except Exception as error:  # handed over, not raised: joblib would throw away what others have finished
            return error
        finally:
            gate.finished()
        return Piece(part, first_block, rows, tallies)

    def until_stopped() -> Iterator[Any]:
        for number, piece in enumerate(pieces):
            if stop.cancel[0]:
                return
            yield delayed(work)(number, *piece)

    # A single joblib job would play in this thread, where a Ctrl-C is not seen until the piece is done.
    parallel = Parallel(n_jobs=max(2, jobs), backend="threading", return_as="generator_unordered", batch_size=1)
    results = parallel(until_stopped())
    try:
        for result in results:
            if isinstance(result, Exception):
                raise result
            if stop.cancel[0]:
                raise Cancelled("stopped on request")
            gate.taken()
            yield result
    finally:
        # Whatever ended the loop, threads still playing stop too, and are waited for: joblib warns of results left
        # behind.
        stop.cancel[0] = 1
        for _ in results:
            pass


class _Gate:
    """Let pieces start in order, `jobs` at a time, and no more than a few ahead of what the loop has taken.

    joblib hands out work as fast as it is done, not as fast as results are taken: this is what bounds memory.
    Semaphores would do, were they fair: of two threads that share one, the first kept it for the whole run.
    """

    def __init__(self, jobs: int, stop: Stop) -> None:
        self._jobs, self._stop = jobs, stop
        self._n_finished = self._n_taken = 0
        self._changed = threading.Condition()

    def wait(self, number: int) -> None:
        from rsc_sim.engine import Cancelled

        with self._changed:
            while number >= min(self._n_finished + self._jobs, self._n_taken + 4 * self._jobs):
                if self._stop.cancel[0]:
                    raise Cancelled("stopped on request")
                self._changed.wait(timeout=0.1)

    def finished(self) -> None:
        with self._changed:
            self._n_finished += 1
            self._changed.notify_all()

    def taken(self) -> None:
        with self._changed:
            self._n_taken += 1
            self._changed.notify_all()


class Stop(AbstractContextManager["Stop"]):
    """Turn Ctrl-C and SIGTERM into a flag that the engine and the loop look at; a second Ctrl-C interrupts at once."""

    def __init__(self) -> None:
        self.cancel = bytearray(1)
        self.signal = signal.SIGINT
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._asked)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.cancel[0] and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.signal = signal.Signals(number)
        self.cancel[0] = 1
