from collections.abc import Sequence

import numpy as np

from rsc_sim.engine.rules import CompiledRules
from rsc_sim.errors import RscError

CHECKED: bool

class Cancelled(RscError): ...

class Tallies:
    EVENTS: tuple[str, ...]
    batch_blocks: int
    first_block: int
    n_blocks: int
    first_batch: int
    cards: np.ndarray[tuple[int, int, int, int, int], np.dtype[np.uint64]]
    windows: np.ndarray[tuple[int, int, int, int], np.dtype[np.uint64]]
    def __init__(
        self, rules: CompiledRules, *, n_strategies: int, batch_blocks: int, first_block: int, n_blocks: int
    ) -> None: ...

def group_size(rotations: int) -> int: ...
def distinct_rotations(strategy_ids: Sequence[int]) -> int: ...
def play_blocks(
    rules: CompiledRules,
    lineup: Sequence[object],
    *,
    seed: int,
    first_block: int,
    n_blocks: int,
    strategy_ids: Sequence[int],
    intervention: tuple[int, int, str] | None = None,
    cancel: bytearray | None = None,
    tallies: Tallies | None = None,
    choices: tuple[int, list[int]] | None = None,
) -> np.ndarray[tuple[int], np.dtype[np.void]]: ...
