"""Several tables on the same deals: plays experiments side by side and hands over what a reducer makes of the games.

Comparing rules, strategies or cards means playing experiments that differ in one thing on the same blocks. Here they
are played span by span, on threads or processes, and come back in block order, whoever finished first, so that a
decision made from them is the same on any machine. Nothing is written: games are reduced to small arrays where they
are played. What is compared, and what follows from it, is left to others.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rsc_sim.jobs import Blocks, Stop, Table, backend_for, done
from rsc_sim.plan import LEAF_BLOCKS

if TYPE_CHECKING:
    from rsc_sim.experiment import ResolvedExperiment

__all__ = ["Reducer", "Span", "play_tables", "spans"]

Reducer = Callable[..., Any]
"""What is kept of some blocks: from their rows, block by block, the number of games a block, and the tallies where they
are asked for. A function of a module, or an object that can be pickled, so that processes can be sent it."""


class Span(NamedTuple):
    """Some blocks that every table has played; `results` holds what the reducer made of them, table by table."""

    first_block: int
    n_blocks: int
    results: tuple[Any, ...]


def spans(first_block: int, n_blocks: int, *, size: int = LEAF_BLOCKS) -> list[tuple[int, int]]:
    """Cut blocks into spans `(first block, blocks)`, none across two leaves.

    >>> spans(4_000, 5_000)
    [(4000, 96), (4096, 4096), (8192, 808)]
    """
    cut, end = [], first_block + n_blocks
    while first_block < end:
        n = min(size, end - first_block, LEAF_BLOCKS - first_block % LEAF_BLOCKS)
        cut.append((first_block, n))
        first_block += n
    return cut


def play_tables(
    experiments: Sequence[ResolvedExperiment],
    reduce: Reducer | Sequence[Reducer],
    *,
    over: Iterable[tuple[int, int]],
    jobs: int,
    stop: Stop,
    backend: str = "auto",
    tallied: bool = False,
) -> Generator[Span, None, None]:
    """Play each experiment on each span of blocks and yield the spans in their order, each as soon as it is there.

    `reduce` is one reducer for all tables, or one for each.

    With `tallied` the reducer is also handed the engine's `Tallies`, a batch for each block (60 kB each at 4 seats: cut
    spans short). The experiments' own numbers of blocks are not looked at. Closing the generator stops what is still
    playing. Fails as `jobs.done` does: `StrategyError` (its `table` names the experiment by its index),
    `ProcessesLost`, `Cancelled`, `KeyboardInterrupt`.
    """
    tables = [Table.of(experiment) for experiment in experiments]
    reducers = list(reduce) if isinstance(reduce, Sequence) else [reduce] * len(tables)
    over = list(over)
    tasks = [
        _PlaySpan(table, first_block, n_blocks, index, reducers[index], tallied)
        for first_block, n_blocks in over
        for index, table in enumerate(tables)
    ]
    chosen = {backend_for(experiment, backend) for experiment in experiments}
    there: dict[int, dict[int, Any]] = {}
    given = 0
    with closing(done(tasks, jobs, stop, backend="loky" if "loky" in chosen else chosen.pop())) as results:
        for number, result in results:
            at, index = divmod(number, len(tables))
            there.setdefault(at, {})[index] = result
            while len(there.get(given, ())) == len(tables):
                of_tables = there.pop(given)
                yield Span(*over[given], tuple(of_tables[index] for index in range(len(tables))))
                given += 1


@dataclass(frozen=True)
class _PlaySpan(Blocks):
    """The task of playing one table on a span."""

    index: int
    reduce: Reducer
    tallied: bool

    def __call__(self, cancel: bytearray | None) -> Any:
        from rsc_sim.errors import StrategyError

        try:
            if self.tallied:
                rows, tallies = replace(self.table, batch_blocks=1).play(self.first_block, self.n_blocks, cancel)
                return self.reduce(rows, len(rows) // self.n_blocks, tallies)
            rows = self.table.rows(self.first_block, self.n_blocks, cancel)
        except StrategyError as error:
            error.table = self.index  # type: ignore[attr-defined]
            raise
        return self.reduce(rows, len(rows) // self.n_blocks)
