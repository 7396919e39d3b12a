"""What other compiled modules use of the batch room."""
from rsc_sim.engine.seats cimport failure_t, seat_t
from rsc_sim.engine.types cimport game_t
from rsc_sim.strategy cimport strategy_t


cdef const strategy_t *strategy_of(object capsule) except NULL

cdef int play_out(game_t *g, const seat_t *seats, failure_t *failure) noexcept nogil

cdef str did(object error)

cdef object error_left_behind()

cdef object raise_failure(const failure_t *failure, object cause)
