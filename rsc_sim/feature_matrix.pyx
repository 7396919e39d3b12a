"""The features of a position's moves as an array, for looking at and for tests.

Puts a strategy to the position that writes down what it is shown and makes no choice, so that the features are exactly
those that a seat would be scored by.
"""
import numpy as np

from libc.stdint cimport int32_t, int64_t

from rsc_sim.strategy cimport (N_FEATURES, UNIT, WEIGHT_UNIT, index_of_best_score, move_set_t, native_strategy,
                               view_t, weights_t, write_features, write_scores)

FEATURE_UNIT = UNIT
SCALE = WEIGHT_UNIT
SIZE = N_FEATURES


ctypedef struct note_t:               # where the strategy writes
    float *rows
    int64_t *scores
    int32_t *best
    weights_t weights


cdef int write_down(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    cdef const note_t *note = <const note_t *>parameters
    write_features(view, moves, note.rows)
    write_scores(view, moves, &note.weights, note.scores)
    note.best[0] = index_of_best_score(view, moves, &note.weights)
    return 0


def matrix(game, weights=None):
    """Return (features, scores, best) of a `Game`'s decision: a float32 array [move, feature], the scores by weights
    (an int32 vector in parts of 1 / SCALE, by default all 0) in parts of 1 / (FEATURE_UNIT · SCALE), the best index.
    """
    cdef note_t note
    cdef int i, n = len(game.moves())
    cdef float[:, ::1] rows = np.full((n, N_FEATURES), np.nan, dtype=np.float32)
    cdef int64_t[::1] scores = np.zeros(n, dtype=np.int64)
    cdef int32_t best = -1
    cdef int32_t[::1] given = np.zeros(N_FEATURES, np.int32) if weights is None else np.asarray(weights, np.int32)
    if n == 0 or given.shape[0] != N_FEATURES:
        raise ValueError(f"expected a game that is not over and {N_FEATURES} weights, got {n} moves and "
                         f"{given.shape[0]} weights")
    for i in range(N_FEATURES):
        note.weights.w[i] = given[i]
    note.rows = &rows[0, 0]
    note.scores = &scores[0]
    note.best = &best
    game.choose(native_strategy(write_down, &note, sizeof(note_t), 0))
    return np.asarray(rows), np.asarray(scores), best
