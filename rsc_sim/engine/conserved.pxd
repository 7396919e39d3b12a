"""The check of checked builds: no card is lost or gained, and all that is derived from cards agrees with them."""
from libc.stdint cimport uint8_t
from libc.string cimport memset

from rsc_sim.engine.memory cimport memory_is_true
from rsc_sim.engine.types cimport *

cdef extern from *:
    """
    #ifdef RSC_DEBUG
    #define RSC_CHECKED 1
    #else
    #define RSC_CHECKED 0
    #endif
    """
    bint RSC_CHECKED


cdef inline bint conserved(const game_t *g) noexcept nogil:
    """Say whether every kind's copies add up to the deck, every derived figure to its cards, and every memory is true.
    Protections: over all kinds of them.
    """
    cdef const rules_t *rules = g.rules
    cdef int kind, seat, merch, n, i, beneath = 0, protects = 0, in_hand, pile_n = 0, discard_n = 0
    cdef uint8_t counted[MAX_KINDS]
    memset(counted, 0, sizeof(counted))
    for i in range(g.hidden.pile_front, g.hidden.pile_front + g.table.pile_n):
        counted[g.hidden.pile[i]] += 1
    for kind in range(rules.n_kinds):
        if counted[kind] != g.hidden.in_pile[kind]:
            return False
        pile_n += counted[kind]
        discard_n += g.table.discards[kind]
        if (g.table.discards[kind] != 0) != (g.table.discard_kinds >> kind & 1):
            return False
        n = g.hidden.in_pile[kind] + g.table.discards[kind]
        for seat in range(rules.seats):
            n += g.hidden.hand[seat].copies[kind]
            if (g.hidden.hand[seat].copies[kind] != 0) != (g.hidden.hand[seat].kinds >> kind & 1):
                return False
            if rules.merch_of[kind] != 255:
                n += g.table.tabled[seat][rules.merch_of[kind]]
        if g.table.action.verb and g.table.action.kind == kind:
            n += 1
        if kind == rules.read_kind:
            n += g.table.read_holder != NONE
        if rules.primitive[kind] == P_PROTECT_MERCH:
            protects += rules.copies[kind] - n
        elif n != rules.copies[kind]:
            return False
    if pile_n != g.table.pile_n or discard_n != g.table.discard_n:
        return False
    for seat in range(rules.seats):
        in_hand = 0
        for kind in range(rules.n_kinds):
            in_hand += g.hidden.hand[seat].copies[kind]
        if in_hand != g.table.hand_n[seat]:
            return False
        if (g.hidden.hand[seat].hands_off != NONE) != (g.table.hands_off_n[seat] == 1):
            return False
        if g.hidden.hand[seat].hands_off != NONE and not (
                g.hidden.hand[seat].kinds >> g.hidden.hand[seat].hands_off & 1):
            return False
        n = 0
        for merch in range(rules.n_merch):
            beneath += g.table.protections[seat][merch]
            n += g.table.tabled[seat][merch] * rules.value[merch]
            if (g.table.tabled[seat][merch] > g.table.protections[seat][merch]) != (
                    g.table.unprotected[seat] >> merch & 1):
                return False
            if (g.table.protections[seat][merch] > 0) != (g.table.shielded[seat] >> merch & 1):
                return False
            if g.table.protections[seat][merch] > g.table.tabled[seat][merch]:
                return False
        if n != g.table.merch[seat]:
            return False
    return beneath == protects and memory_is_true(g)
