from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rsc_sim.engine.rules import CompiledRules

FIGURES: tuple[str, ...]
KEPT: np.dtype[np.void]

def play_impact(
    rules: CompiledRules,
    lineup: Sequence[object],
    *,
    seed: int,
    first_block: int,
    n_blocks: int,
    strategy_ids: Sequence[int],
    chances: npt.NDArray[np.float64],
    bands: Sequence[int],
    turn_limit: int,
    cancel: bytearray | None = None,
    keep: int = 0,
) -> dict[str, Any]: ...
