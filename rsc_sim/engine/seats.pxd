"""Who sits where, how a strategy is called, and what can go wrong: what every loop that plays games shares."""
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from rsc_sim.engine.types cimport move_set_t, view_t
from rsc_sim.strategy cimport NEEDS_INTERPRETER, strategy_t

cdef enum:                              # what came of playing
    PLAYED = 0
    BAD_INDEX = 1
    RAISED = 2
    NOT_CONSERVED = 3
    STOPPED = 4
    SIGNALLED = 5
    WAITS = 6                           # for an answer to many decisions at once
    NO_ROOM = 7


ctypedef struct failure_t:
    uint64_t game
    int32_t turn
    int32_t seat
    int32_t answered
    int32_t n_moves
    int32_t decision


# A strategy's function as a loop calls it: -1 comes back as a number. By its own type, -1 would leave the loop, which
# cannot raise, by Cython's way out of such a function: the error printed and forgotten, the unfinished game counted as
# played.
ctypedef int (*raw_decide_t)(const view_t *view, const move_set_t *moves, const void *parameters) noexcept nogil


ctypedef struct seat_t:                 # who plays a seat in one rotation
    const strategy_t *strategy
    const void *parameters
    void *scratch


cdef extern from "Python.h" nogil:      # for loops, which have no lock, or were called with it held
    int PyErr_CheckSignals()
    void PyErr_Clear()
    void Py_XDECREF(PyObject *thing)


cdef extern from *:
    """
    typedef volatile unsigned char rsc_volatile_u8;
    """
    ctypedef unsigned char volatile_u8 "rsc_volatile_u8"


cdef inline void clear_scratch(const seat_t *seat) noexcept nogil:
    """Begin a game, or end the last one: nothing is left of what a strategy kept."""
    cdef PyObject *own
    if seat.strategy.flags & NEEDS_INTERPRETER:
        own = (<PyObject **>seat.scratch)[0]
        (<PyObject **>seat.scratch)[0] = NULL
        Py_XDECREF(own)
    else:
        memset(seat.scratch, 0, seat.strategy.scratch_size)
