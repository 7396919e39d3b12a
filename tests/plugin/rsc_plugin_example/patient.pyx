"""`patient`: builds a table in peace and troubles nobody before that is done.

Tables its most valuable Merch, plays what needs no victim, and discards. From the turn on in which its table is worth
`min_table` dollars it plays any Action that it can, thieves included, and keeps to that even when its table is robbed.
It reacts to whatever it can and escapes as soon as it may. Good against players who leave it alone as long as it leaves
them alone, of whom there are none.
"""
from libc.stdint cimport int32_t, uint64_t

from rsc_sim.strategy cimport (ESCAPE, PUT_DOWN, P_TAKE_READ, bounded, index_of_play, index_of_table, lowest_bit,
                               move_count, move_set_t, native_strategy, rules_t, view_t)


ctypedef struct parameters_t:
    int32_t min_table     # dollars of tabled Merch from which on it attacks


ctypedef struct scratch_t:  # zeroed by the engine before each game, one for each seat
    int32_t bold          # whether its table has been worth min_table in this game


cdef int most_valuable(const rules_t *rules, uint64_t kinds) noexcept nogil:
    """Return the most valuable Merch kind of a mask that has one."""
    cdef int i, kind = 0
    for i in range(rules.n_merch):
        kind = rules.kind_of[rules.highest_first[i]]
        if kinds >> kind & 1:
            break
    return kind


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    cdef const parameters_t *own = <const parameters_t *>parameters
    cdef scratch_t *scratch = <scratch_t *>view.scratch
    cdef int peaceful = moves.n_discards + moves.n_tables
    if view.table.merch[view.seat] >= own.min_table:
        scratch.bold = True
    if moves.decision == ESCAPE:
        return 0
    if moves.decision != PUT_DOWN:
        return move_count(moves) - 1
    if scratch.bold and move_count(moves) > peaceful:
        return peaceful + bounded(view.rng, move_count(moves) - peaceful)
    if moves.tables:
        return index_of_table(moves, most_valuable(view.rules, moves.tables))
    if moves.plays & ~view.rules.kinds_of[P_TAKE_READ]:
        return index_of_play(moves, lowest_bit(moves.plays & ~view.rules.kinds_of[P_TAKE_READ]))
    return bounded(view.rng, moves.n_discards)


def bind(min_table=500):
    """Bind the strategy; `min_table` is in dollars."""
    cdef parameters_t own
    own.min_table = min_table
    return native_strategy(decide, &own, sizeof(own), sizeof(scratch_t))
