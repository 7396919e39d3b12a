"""Who sits where: the seats of every rotation of a lineup, with their scratch, as the loops of play want them."""
from libc.stdint cimport uint64_t, uint8_t
from libc.string cimport memcpy

from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.seats cimport clear_scratch, seat_t
from rsc_sim.engine.types cimport MAX_SEATS


cdef class Seating:
    cdef seat_t *seats                      # `rotations` lineups of `n_seats` entries
    cdef uint8_t ids[MAX_SEATS * MAX_SEATS]  # the strategies' numbers, likewise
    cdef readonly int n_seats
    cdef readonly int rotations
    cdef readonly bint locked               # a strategy needs the interpreter, whose lock is to be held
    cdef list _lineup                       # keeps the capsules while their strategies play


cdef inline void begin_scratch(const seat_t *seats, int n) noexcept nogil:
    """Begin a game: nobody has written anything down."""
    cdef int seat
    for seat in range(n):
        if seats[seat].scratch != NULL:
            clear_scratch(&seats[seat])


cdef inline void copy_scratch(const seat_t *to, const seat_t *of, int n) noexcept nogil:
    """Let the seats of one lineup know what those of another, of the same strategies, have written down.

    Not where a strategy needs the interpreter: what it keeps is a reference, and not ours to copy.
    """
    cdef int seat
    for seat in range(n):
        if of[seat].scratch != NULL:
            memcpy(to[seat].scratch, of[seat].scratch, of[seat].strategy.scratch_size)


cdef inline uint64_t seats_that_remember(const seat_t *seats, int n) noexcept nogil:
    """Say which seats of a lineup asked for a memory, a bit a seat."""
    cdef uint64_t remember = 0
    cdef int seat
    for seat in range(n):
        if seats[seat].strategy.memory_size:
            remember |= bit(seat)
    return remember
