"""Strategies that must be caught, for rsc-sim's own tests.

`cheater` reads the other hands and the pick-up pile, `mind_reader` what the other seats remember, `by_number` goes by
the numbers of seats, `answers` gives an index that no move has, `raises` raises, and `stale` tells of another interface
than this one.

What a strategy is not shown lies right behind what it is shown, so nothing in C keeps a cheater from reading on. The
checks in tests/property do.
"""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, uint8_t

from rsc_sim.strategy cimport (MAX_SEATS, decide_t, hand_t, memory_t, move_count, move_set_t, native_strategy,
                               public_t, strategy_t, view_t)


cdef int cheat(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    """Choose by the cards in the other hands and by the front of the pick-up pile."""
    cdef const uint8_t *beyond = <const uint8_t *>view.table + sizeof(public_t)
    cdef const hand_t *hands = <const hand_t *>beyond
    cdef const uint8_t *pile = beyond + MAX_SEATS * sizeof(hand_t)
    cdef int seat, kind, total = pile[0]
    for seat in range(view.table.seats):
        if seat != view.seat:
            for kind in range(view.rules.n_kinds):
                total += hands[seat].copies[kind] * (kind + 1) * (seat + 1)
    return total % move_count(moves)


def cheater():
    return native_strategy(cheat, NULL, 0, 0)


cdef int read_minds(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    """Choose by what the other seats have seen, whose memories lie on both sides of the own one."""
    cdef const memory_t *memories = view.memory - view.seat
    cdef int seat, owner, kind, total = 0
    for seat in range(view.table.seats):
        if seat != view.seat:
            for owner in range(view.table.seats):
                for kind in range(view.rules.n_kinds):
                    total += memories[seat].seen[owner][kind] * (kind + 1) * (owner + 1)
    return total % move_count(moves)


def mind_reader():
    return native_strategy(read_minds, NULL, 0, 0, memory=True)


cdef int last(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    """Make the last move: a play if there is one, and then against the seat of the highest number."""
    return move_count(moves) - 1


def by_number():
    return native_strategy(last, NULL, 0, 0)


ctypedef struct fault_t:
    int32_t from_turn     # until then it makes the first move
    int32_t index         # what it answers,
    int32_t past_the_end  # whether that counts from the number of moves
    int32_t interrupt     # whether it raises KeyboardInterrupt


cdef int answer(const view_t *view, const move_set_t *moves, const void *parameters) except? -1 nogil:
    cdef const fault_t *fault = <const fault_t *>parameters
    if view.table.turn < fault.from_turn:
        return 0
    return fault.index + (move_count(moves) if fault.past_the_end else 0)


def answers(index, *, from_turn=1, past_the_end=False):
    cdef fault_t fault
    fault.from_turn, fault.index, fault.past_the_end, fault.interrupt = from_turn, index, past_the_end, False
    return native_strategy(<decide_t>answer, &fault, sizeof(fault), 0)


cdef int fail(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    cdef const fault_t *fault = <const fault_t *>parameters
    if view.table.turn < fault.from_turn:
        return 0
    with gil:
        if fault.interrupt:
            raise KeyboardInterrupt
        raise LookupError(f"no idea in turn {view.table.turn}")


def raises(*, from_turn=1, interrupt=False):
    cdef fault_t fault
    fault.from_turn, fault.index, fault.past_the_end, fault.interrupt = from_turn, 0, False, interrupt
    return native_strategy(fail, &fault, sizeof(fault), 0)


def stale(figure, by):
    """Bind a strategy with one figure of its interface off by so much."""
    capsule = native_strategy(last, NULL, 0, 0, memory=True)
    cdef strategy_t *strategy = <strategy_t *>PyCapsule_GetPointer(capsule, "rsc_sim.strategy")
    if figure == "abi":
        strategy.abi += <int32_t>by
    elif figure == "view_size":
        strategy.view_size += <int32_t>by
    elif figure == "moves_size":
        strategy.moves_size += <int32_t>by
    elif figure == "table_size":
        strategy.table_size += <int32_t>by
    elif figure == "rules_size":
        strategy.rules_size += <int32_t>by
    elif figure == "memory_size":
        strategy.memory_size += <int32_t>by
    else:
        raise KeyError(figure)
    return capsule
