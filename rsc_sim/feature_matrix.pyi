from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rsc_sim.engine import Game

FEATURE_UNIT: int
SCALE: int
SIZE: int

def matrix(
    game: Game, weights: Sequence[int] | NDArray[np.int32] | None = None
) -> tuple[NDArray[np.float32], NDArray[np.int64], int]: ...
