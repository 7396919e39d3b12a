"""The contract of a native strategy: what it is shown, what it answers, and how the engine gets hold of it.

A strategy is one function, `int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1
nogil`, that returns the index of a legal move. Its module offers it through a function `bind`, whose keyword arguments
are the strategy's parameters:

    from rsc_sim.strategy cimport move_count, move_set_t, native_strategy, view_t

    cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
        return 0

    def bind():
        return native_strategy(decide, NULL, 0, 0)

Everything a strategy needs is cimported from here and nothing from the engine: what is not named here is not for
strategies to know. All of it is inline or a type, so that a module compiled against an older rsc-sim carries that
version's sizes in its capsule and is refused, instead of reading the wrong bytes.
"""
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy

from rsc_sim.engine.bits cimport bit, lowest_bit, popcount, select_bit
from rsc_sim.engine.moves cimport (best_merch, highest_takeable, index_of_cover, index_of_discard, index_of_option,
                                   index_of_play, index_of_protect, index_of_steal, index_of_steal_protect,
                                   index_of_table, index_of_way, lowest_takeable, merch_among, move_at, move_count,
                                   next_clockwise, seats_with, stealable, way_at, worst_merch)
from rsc_sim.engine.rng cimport bounded, rng_t
from rsc_sim.engine.types cimport (ESCAPE, F_HAND, F_MERCH, F_NONE, F_PROTECT, F_REACTION, F_READ, F_TURN, MAX_KINDS,
                                   MAX_MERCH, MAX_SEATS, NONE, PUT_DOWN, P_DISCARD_HAND, P_DRAW, P_EXTRA_TURN,
                                   P_FIND_MERCH, P_NONE, P_PROTECT_HAND, P_PROTECT_MERCH, P_RETURN_MERCH, P_SKIP_TURN,
                                   P_STEAL_HAND, P_STEAL_HIGHEST_MERCH, P_STEAL_LOWEST_MERCH, P_STEAL_MERCH,
                                   P_STEAL_PROTECT, P_TABLE_MORE, P_TAKE_MERCH, P_TAKE_READ, REACT, S_HAND, S_MERCH,
                                   S_OWN_MERCH, S_PROTECTS, S_SEATS, S_SEATS_HAND, S_SEATS_LOWEST, S_SEATS_MERCH,
                                   TABLE_MORE, TAKE, V_DISCARD, V_ESCAPE, V_PASS, V_PLAY, V_REACT, V_STAY, V_STOP,
                                   V_TABLE, V_TAKE, decide_t, event_t, hand_t, memory_t, move_set_t, move_t, public_t,
                                   rules_t, view_t)
from rsc_sim.features cimport (N_FEATURES, WEIGHT_UNIT, index_of_best_score, weights_t, write_features, write_scores)
from rsc_sim.standing cimport UNIT
from rsc_sim.tactics cimport (best_theft, could_leave, has_read, has_ticket, idle_plays, index_of_any, index_of_best,
                              index_of_cheapest_reaction, index_of_returned, index_of_robbed_protection,
                              index_of_sacrifice, index_of_theft, is_target, loss, most_dangerous, reactions,
                              rich_enough, richest, theft_t, turn_cards, worth_tabling, would_win)

cdef enum:
    ABI_VERSION = 5         # raised whenever a struct or the meaning of a field here changes


cdef enum:                  # strategy_t.flags
    NEEDS_INTERPRETER = 1   # is called with the interpreter's lock held; its scratch is one owned reference or NULL
    SCORES_BATCHES = 2      # its parameters begin with a batched_t


ctypedef struct asked_t:    # one decision among many that are put to a strategy at once
    const view_t *view
    const move_set_t *moves
    int32_t game            # of those played side by side


ctypedef struct batched_t:  # how a strategy is asked for many decisions at once; all of it with the lock held
    void *player
    # Begin to ask for at most so many decisions at a time; give what the others take, which `close` gives back.
    void *(*open)(void *player, int most) except NULL
    void (*close)(void *session) noexcept
    # Look at a decision as soon as it waits, while it is at hand. It is put to `choose` in the order of notes; where
    # one falls out, all that are left are put to it without notes.
    void (*note)(void *session, const asked_t *asked) noexcept nogil
    # Write an index for each decision, -1 for one that it has no answer to.
    int (*choose)(void *session, const asked_t *asked, int n, int32_t *choices) except -1


cdef inline int known_in_hand(const view_t *view, int seat, int kind) noexcept nogil:
    """Return how many copies a hand holds at least, as far as the seat knows: all of its own."""
    if seat == view.seat:
        return view.hand.copies[kind]
    return 0 if view.memory == NULL else view.memory.seen[seat][kind]


cdef inline bint pile_known(const view_t *view) noexcept nogil:
    """Say whether the seat has looked through the pick-up pile since it was last renewed."""
    return view.memory != NULL and view.memory.pile_known


cdef inline int most_in_pile(const view_t *view, int kind) noexcept nogil:
    """Return how many copies the pick-up pile holds at most, as far as the seat remembers; its size if it knows
    nothing.
    """
    cdef const memory_t *memory = view.memory
    cdef int n = view.table.pile_n
    if memory == NULL:
        return n
    if memory.pile_lacks >> kind & 1:
        return 0
    return memory.pile[kind] if memory.pile_known and memory.pile[kind] < n else n


cdef inline int least_in_pile(const view_t *view, int kind) noexcept nogil:
    """Return how many copies the pick-up pile holds at least, as far as the seat remembers."""
    cdef const memory_t *memory = view.memory
    if memory == NULL or not memory.pile_known or memory.pile_lacks >> kind & 1:
        return 0
    return memory.pile[kind] - memory.pile_unseen if memory.pile[kind] > memory.pile_unseen else 0


ctypedef struct strategy_t:
    uint32_t abi
    uint32_t view_size      # sizes as the strategy's own compiler saw them
    uint32_t moves_size
    uint32_t table_size
    uint32_t rules_size
    uint32_t parameters_size
    uint32_t scratch_size   # bytes that the engine keeps for a seat of it during one game, zeroed at the start
    uint32_t memory_size    # of memory_t, 0 where the strategy asks for no memory
    uint32_t flags
    uint32_t reserved
    decide_t decide
    # parameters_size bytes of parameters follow


cdef inline void free_strategy(object capsule) noexcept:
    PyMem_Free(PyCapsule_GetPointer(capsule, "rsc_sim.strategy"))


cdef inline object native_strategy(decide_t decide, const void *parameters, size_t parameters_size,
                                   size_t scratch_size, bint memory=False, uint32_t flags=0):
    """Wrap a strategy for the engine; the parameters are copied. Returns a capsule named `rsc_sim.strategy`.

    `memory`: whether the engine keeps `view.memory` for its seats; NULL otherwise. `flags` are for strategies in
    Python, which `view.pyx` wraps.
    """
    cdef strategy_t *strategy = <strategy_t *>PyMem_Malloc(sizeof(strategy_t) + parameters_size)
    if strategy == NULL:
        raise MemoryError()
    strategy.abi = ABI_VERSION
    strategy.view_size = sizeof(view_t)
    strategy.moves_size = sizeof(move_set_t)
    strategy.table_size = sizeof(public_t)
    strategy.rules_size = sizeof(rules_t)
    strategy.parameters_size = <uint32_t>parameters_size
    strategy.scratch_size = <uint32_t>scratch_size
    strategy.memory_size = sizeof(memory_t) if memory else 0
    strategy.flags = flags
    strategy.reserved = 0
    strategy.decide = decide
    if parameters_size:
        memcpy(<void *>(strategy + 1), parameters, parameters_size)
    return PyCapsule_New(strategy, "rsc_sim.strategy", free_strategy)
