"""Strategies without a compiler, as a package brings them: two functions, and a file of weights by its path."""

from pathlib import Path

import numpy as np

from rsc_sim.features import FEATURES

THRIFTY = Path(__file__).with_name("thrifty.toml")
TAKEN = FEATURES.index("value_taken")


def choose(view, moves, *, greed=1.0):
    """Play the Action of the dearest Merch, table what is dear, and discard what is cheap."""

    def worth(i):
        move = moves[i]
        if move.verb == "discard":
            return (-1000 if move.kind == "escape_ticket" else -move.value), 0
        distance = 0 if move.target is None else (move.target - view.seat) % view.seats
        return move.value * (greed if move.verb == "play" else 1), -distance  # of equal ones, against the next seat

    return max(range(len(moves)), key=worth)


def score(batch):
    """Take from the others what can be taken, and escape where that wins."""
    weights = np.zeros(len(FEATURES), dtype=np.float32)
    weights[[TAKEN, FEATURES.index("value_gained"), FEATURES.index("escape_wins")]] = 3, 2, 8
    return batch.features @ weights
