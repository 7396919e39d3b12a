from collections.abc import Sequence

import numpy as np

from rsc_sim.engine.rules import CompiledRules
from rsc_sim.errors import RscError

CHECKED: bool

class Cancelled(RscError): ...

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
) -> np.ndarray[tuple[int], np.dtype[np.void]]: ...
