"""What other compiled modules use of the batch room."""
from rsc_sim.engine.types cimport game_t
from rsc_sim.strategy cimport strategy_t


cdef const strategy_t *strategy_of(object capsule) except NULL

cdef bint conserved(const game_t *g) noexcept nogil

cdef str did(object error)
