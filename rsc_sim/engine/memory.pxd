"""What seats may remember (rules, section 2; docs/contracts.md, section 11): every event that teaches a seat something.

Each function is called once where its event happens and updates the memory of every seat that keeps one. Memory is kept
for the seats whose strategies ask for it, in `game_t.memories`; where that is NULL an event costs one test, and nothing
here ever changes what happens in a game.

A memory is always true of the hidden cards (`memory_is_true`) and follows from what its owner saw alone.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memset

from rsc_sim.engine.bits cimport bit, lowest_bit
from rsc_sim.engine.types cimport *

cdef extern from * nogil:
    """
    /* Most lineups keep no memory; their games then run straight on past each test. */
    #define rsc_seldom(x) __builtin_expect(!!(x), 0)
    """
    bint seldom "rsc_seldom"(bint condition)


cdef inline void forget_all(memories_t *memories) noexcept nogil:
    """Begin a game's memories: nobody has seen anything yet. Which seats keep one stays as it is."""
    memset(memories.of, 0, sizeof(memories.of))


cdef inline const memory_t *memory_of(const game_t *g, int seat) noexcept nogil:
    """Return what a seat remembers, NULL where it keeps no memory."""
    if g.memories == NULL or not g.memories.seats >> seat & 1:
        return NULL
    return &g.memories.of[seat]


# ---- hands

cdef inline void lower(uint8_t *count) noexcept nogil:
    count[0] -= count[0] != 0


cdef inline void saw_leave_hand(game_t *g, int owner, int kind) noexcept nogil:
    """All see a card leave a hand: discarded, tabled, played, reacted with, or discarded by discard_hand."""
    cdef uint64_t seats
    if seldom(g.memories != NULL):
        seats = g.memories.seats & ~bit(owner)
        while seats:
            lower(&g.memories.of[lowest_bit(seats)].seen[owner][kind])
            seats &= seats - 1


cdef inline void saw_return(game_t *g, int owner, int kind) noexcept nogil:
    """All see return_merch put a card into its owner's hand."""
    cdef uint64_t seats
    if seldom(g.memories != NULL):
        seats = g.memories.seats & ~bit(owner)
        while seats:
            g.memories.of[lowest_bit(seats)].seen[owner][kind] += 1
            seats &= seats - 1


cdef inline void saw_steal_hand(game_t *g, int victim, int thief, int kind) noexcept nogil:
    """The thief and the victim see which card changes hands. To the others it may have been any of the victim's."""
    cdef uint64_t seats
    cdef memory_t *memory
    cdef int seat, other
    if seldom(g.memories != NULL):
        seats = g.memories.seats
        while seats:
            seat = lowest_bit(seats)
            seats &= seats - 1
            memory = &g.memories.of[seat]
            if seat == thief:
                lower(&memory.seen[victim][kind])
            elif seat == victim:
                memory.seen[thief][kind] += 1
            else:
                for other in range(MAX_KINDS):
                    lower(&memory.seen[victim][other])


# ---- the pick-up pile

cdef inline void saw_draw(game_t *g, int drawer, int kind) noexcept nogil:
    """A card is drawn from the pick-up pile: its drawer sees which, all see Read."""
    cdef uint64_t seats
    cdef memory_t *memory
    cdef int seat
    if seldom(g.memories != NULL):
        seats = g.memories.seats
        while seats:
            seat = lowest_bit(seats)
            seats &= seats - 1
            memory = &g.memories.of[seat]
            if not memory.pile_known:
                continue
            if seat == drawer or kind == g.rules.read_kind:
                memory.pile[kind] -= 1
            else:
                memory.pile_unseen += 1


cdef inline void saw_leave_pile(game_t *g, int kind) noexcept nogil:
    """All see Merch that was taken or found in the pick-up pile go to a table."""
    cdef uint64_t seats
    cdef memory_t *memory
    if seldom(g.memories != NULL):
        seats = g.memories.seats
        while seats:
            memory = &g.memories.of[lowest_bit(seats)]
            seats &= seats - 1
            if memory.pile_known:
                memory.pile[kind] -= 1


cdef inline void look_through_pile(game_t *g, int seat) noexcept nogil:
    """A seat looks through the pick-up pile, by take_merch or find_merch, before anything is taken from it."""
    cdef memory_t *memory
    cdef int kind
    if seldom(g.memories != NULL) and g.memories.seats >> seat & 1:
        memory = &g.memories.of[seat]
        for kind in range(MAX_KINDS):
            memory.pile[kind] = g.hidden.in_pile[kind]
        memory.pile_known = True
        memory.pile_unseen = 0


cdef inline void saw_pile_lacks(game_t *g, uint64_t kinds) noexcept nogil:
    """A search of the pick-up pile came out empty: all learn that it holds none of the kinds that were wanted."""
    cdef uint64_t seats
    if seldom(g.memories != NULL):
        seats = g.memories.seats
        while seats:
            g.memories.of[lowest_bit(seats)].pile_lacks |= kinds
            seats &= seats - 1


cdef inline void pile_is_renewed(game_t *g) noexcept nogil:
    """What was known of the old pick-up pile is no use any more."""
    cdef uint64_t seats
    cdef memory_t *memory
    if seldom(g.memories != NULL):
        seats = g.memories.seats
        while seats:
            memory = &g.memories.of[lowest_bit(seats)]
            seats &= seats - 1
            memset(memory.pile, 0, sizeof(memory.pile))
            memory.pile_known = False
            memory.pile_unseen = 0
            memory.pile_lacks = 0


# ---- for checks

cdef inline bint memory_is_true(const game_t *g) noexcept nogil:
    """Say whether all that seats remember is true of the hidden cards."""
    cdef const memory_t *memory
    cdef int observer, seat, kind, held
    if g.memories == NULL:
        return True
    for observer in range(g.rules.seats):
        memory = memory_of(g, observer)
        if memory == NULL:
            continue
        held = -memory.pile_unseen
        for kind in range(MAX_KINDS):
            for seat in range(MAX_SEATS):
                if memory.seen[seat][kind] > (g.hidden.hand[seat].copies[kind] if seat != observer else 0):
                    return False
            if memory.pile_lacks >> kind & 1 and g.hidden.in_pile[kind]:
                return False
            if memory.pile[kind] < (g.hidden.in_pile[kind] if memory.pile_known else 0):
                return False
            held += memory.pile[kind]
        if held != (g.table.pile_n if memory.pile_known else 0):
            return False
    return True
