from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rsc_sim.engine.rules import CompiledRules

FEEL: np.dtype[np.void]
SOURCES: tuple[str, ...]

def play_feel(
    rules: CompiledRules,
    lineup: Sequence[object],
    *,
    seed: int,
    first_block: int,
    n_blocks: int,
    strategy_ids: Sequence[int],
    cancel: bytearray | None = None,
) -> tuple[npt.NDArray[np.void], npt.NDArray[np.void], npt.NDArray[np.uint64]]: ...
def play_luck(
    rules: CompiledRules,
    lineup: Sequence[object],
    *,
    seed: int,
    first_block: int,
    n_blocks: int,
    strategy_ids: Sequence[int],
    ways: Sequence[int],
    cancel: bytearray | None = None,
) -> npt.NDArray[np.float32]: ...
