from collections.abc import Sequence

class Seating:
    n_seats: int
    rotations: int
    def __init__(self, lineup: Sequence[object], strategy_ids: Sequence[int], n_seats: int) -> None: ...
