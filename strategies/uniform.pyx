"""`random`: any legal move, each as likely as the other.

Plays without a thought, and so is the yardstick: what wins against it by little is no strategy, and a rule that already
goes wrong under it is wrong. It discards Escape Tickets, escapes by the toss of a coin, and never holds a reaction back
on purpose.
"""
from rsc_sim.strategy cimport bounded, move_count, move_set_t, native_strategy, view_t


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    return bounded(view.rng, move_count(moves))


def bind():
    """Bind the strategy; it has no parameters."""
    return native_strategy(decide, NULL, 0, 0)
