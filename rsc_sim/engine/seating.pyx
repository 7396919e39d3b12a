"""The seats of every rotation of a lineup. See seating.pxd."""
from libc.stdlib cimport calloc, free

from rsc_sim.engine.batch cimport strategy_of
from rsc_sim.engine.seats cimport clear_scratch, seat_t
from rsc_sim.engine.types cimport MAX_SEATS
from rsc_sim.strategy cimport NEEDS_INTERPRETER, strategy_t

from rsc_sim.engine.batch import distinct_rotations
from rsc_sim.errors import InputError


cdef class Seating:
    """Seat bound native strategies, one a seat, in each distinct rotation of the lineup."""

    def __cinit__(self, lineup, strategy_ids, int n_seats):
        cdef int rotation, seat, at
        cdef const strategy_t *strategy
        self._lineup = list(lineup)
        if len(self._lineup) != n_seats or len(strategy_ids) != n_seats or n_seats > MAX_SEATS:
            raise InputError(f"lineup: expected a strategy for each of {n_seats} seats, got {len(self._lineup)}")
        self.n_seats = n_seats
        self.rotations = distinct_rotations(strategy_ids)
        self.seats = <seat_t *>calloc(n_seats * self.rotations, sizeof(seat_t))
        if self.seats == NULL:
            raise MemoryError()
        for rotation in range(self.rotations):
            for seat in range(n_seats):
                at = rotation * n_seats + seat
                strategy = strategy_of(self._lineup[(seat + rotation) % n_seats])
                self.locked |= (strategy.flags & NEEDS_INTERPRETER) != 0
                self.ids[at] = strategy_ids[(seat + rotation) % n_seats]
                self.seats[at].strategy = strategy
                self.seats[at].parameters = <const void *>(strategy + 1)
                if strategy.scratch_size:
                    self.seats[at].scratch = calloc(1, strategy.scratch_size)
                    if self.seats[at].scratch == NULL:
                        raise MemoryError()

    def __dealloc__(self):
        cdef int at
        if self.seats != NULL:
            for at in range(self.n_seats * self.rotations):
                if self.seats[at].scratch != NULL:
                    clear_scratch(&self.seats[at])
                    free(self.seats[at].scratch)
        free(self.seats)
