"""`weighted`: makes the move whose features weigh most.

The player behind every `.toml` of weights: each move scores the sum of its features times their weights, the highest
score is played, of equal ones that against the next seat clockwise, or the first. Without weights all moves are equal.
"""
from rsc_sim.strategy cimport (N_FEATURES, index_of_best_score, move_set_t, native_strategy, view_t, weights_t)


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    return index_of_best_score(view, moves, <const weights_t *>parameters)


def bind_vector(parts):
    """Bind the strategy to a weight a feature, in order, in whole ten-thousandths."""
    cdef weights_t weights
    cdef int i
    if len(parts) != N_FEATURES:
        raise ValueError(f"weights: expected {N_FEATURES}, one a feature, got {len(parts)}")
    for i in range(N_FEATURES):
        weights.w[i] = parts[i]
    return native_strategy(decide, &weights, sizeof(weights_t), 0)
