"""`mindful`: goes by all that it remembers, and by nothing else.

It makes a number of everything in its memory and takes the move that this number falls on. That is no way to win, but
any difference in what it remembers soon shows in what it does, which is what rsc-sim's tests want of it. A strategy
that plays to win asks for its memory in the same way and reads it with the same functions.
"""
from libc.stdint cimport uint64_t

from rsc_sim.strategy cimport (known_in_hand, least_in_pile, most_in_pile, move_count, move_set_t, native_strategy,
                               pile_known, view_t)


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    cdef uint64_t number = 0
    cdef int seat, kind
    if view.memory == NULL:
        return 0
    for kind in range(view.rules.n_kinds):
        number = number * 31 + most_in_pile(view, kind)
        number = number * 31 + least_in_pile(view, kind)
        for seat in range(view.table.seats):
            if seat != view.seat:
                number = number * 31 + known_in_hand(view, seat, kind)
    number = number * 31 + pile_known(view)
    return <int>((number ^ number >> 17) % move_count(moves))


def bind(memory=True):
    """Bind the strategy; without `memory` it makes the first move each time."""
    return native_strategy(decide, NULL, 0, 0, memory=memory)
