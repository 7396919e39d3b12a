"""Python strategies for the tests, good ones and bad ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.strategy.scored import WEIGHTS

KEPT: list[Any] = []


def first(view: Any, moves: Any) -> int:
    """Make the first move."""
    return 0


def last(view: Any, moves: Any) -> int:
    """Make the last move, with an index of NumPy's."""
    return np.int64(len(moves) - 1)  # type: ignore[return-value]


def any_move(view: Any, moves: Any) -> int:
    """Play as `random` does."""
    return view.random.below(len(moves))  # type: ignore[no-any-return]


def greedy(view: Any, moves: Any, *, plays: float = 1.0, stop: int = 0) -> int:
    """Bring home the most valuable Merch; remember how often."""
    view.memory.asked = view.memory.get("asked", 0) + 1
    if view.decision == "escape":
        return 0
    return max(
        range(len(moves)), key=lambda i: (moves[i].value * (plays if moves[i].verb == "play" else 1) - stop * i, -i)
    )


def linear(view: Any, moves: Any) -> int:
    """Do what `scored.linear` does, a decision at a time; of equal moves, make that against the next seat clockwise."""
    scores = moves.features() @ WEIGHTS
    best = [int(i) for i in np.flatnonzero(scores == scores.max())]
    if moves[best[0]].target is None:
        return best[0]
    against = [i for i in best if moves[i].target is not None]
    return min(against, key=lambda i: (moves[i].target - view.seat) % view.seats)


def answers(view: Any, moves: Any, *, answer: Any = None, turn: int = 8) -> Any:
    """Answer nonsense from some turn on."""
    return answer if view.turn >= turn else 0


def raises(view: Any, moves: Any, *, turn: int = 8) -> int:
    if view.turn >= turn:
        raise LookupError(f"no idea in turn {view.turn}")
    return 0


def leaves(view: Any, moves: Any) -> int:
    raise SystemExit(3)


def keeps(view: Any, moves: Any, *, what: str = "view", turn: int = 8) -> int:
    """Keep a view, a move list or a stream, and use it at the next decision."""
    if view.turn >= turn:
        if KEPT:
            kept = KEPT.pop()
            return {"view": lambda: kept.turn, "moves": lambda: len(kept), "random": lambda: kept.below(2)}[what]() * 0
        KEPT.append({"view": view, "moves": moves, "random": view.random}[what])
    return 0


def changes(view: Any, moves: Any, *, how: str = "hand") -> int:
    """Try to change what it is shown."""
    if how == "hand":
        view.hand["mug"] = 9
    elif how == "attribute":
        view.turn = 1
    elif how == "new":
        view.mine = 1
    elif how == "moves":
        moves[0] = moves[1]
    elif how == "move":
        moves[0].kind = "mug"
    elif how == "rules":
        view.rules.escape_threshold = 0
    elif how == "cards":
        view.rules.cards["mug"]["value"] = 1000
    elif how == "tabled":
        view.tabled[0].update(mug=3)
    return 0
