"""Where a seat stands when it is asked: what all moves of a decision are measured by, reckoned once for all of them.

Shares are whole numbers of 1/UNIT. Everything here reads a view, and could not see more. Which feature is made of it is
left to `features.pxd`.
"""
from libc.stdint cimport uint64_t

from rsc_sim.engine.bits cimport bit, lowest_bit
from rsc_sim.engine.moves cimport best_merch
from rsc_sim.engine.types cimport (MAX_SEATS, NONE, PUT_DOWN, P_FIND_MERCH, P_TAKE_READ, SW_AVAILABLE_DISCARD,
                                   SW_AVAILABLE_PICKUP, SW_FIND_DISCARD, SW_FIND_PICKUP, WHOLE, public_t, rules_t,
                                   view_t)
from rsc_sim.tactics cimport has_read, has_ticket, worth_of_hand

cdef enum:
    UNIT = WHOLE              # a feature of 1


ctypedef struct standing_t:   # what is reckoned once a decision
    int need                  # dollars that the own table lacks to the threshold
    int need_units            # the same as a part of the threshold, in units
    int to_lead               # dollars that the richest other table is ahead of the own, below 0 if it is behind
    bint has_read
    bint has_ticket
    int late                  # at a put-down: how much of the deck is not in the pick-up pile, in units
    bint can_finish           # the same: has a ticket, and Read or a card that takes him
    bint has_means            # the same: the Merch on the own table and in the hand reaches the threshold
    int danger[MAX_SEATS]     # the same: half a seat's part of the threshold, and half a unit more if it displays Read
    int beyond[MAX_SEATS]     # dollars that its table is beyond the threshold, below 0 if it lacks some
    int distance[MAX_SEATS]   # seats clockwise from the own one


cdef inline int in_units(int dollars, double per_dollar) noexcept nogil:
    return <int>(dollars * per_dollar + 0.5)


cdef inline int richest_other(const view_t *view) noexcept nogil:
    """Return the dollars on the richest table of another seat."""
    cdef int seat, merch, most = 0
    for seat in range(view.table.seats):
        merch = view.table.merch[seat] if seat != view.seat else 0
        most = merch if merch > most else most
    return most


cdef inline int progress_of(const view_t *view, int seat) noexcept nogil:
    """Return how much of the escape threshold a seat's table has, UNIT at most."""
    cdef int merch = view.table.merch[seat], threshold = view.rules.escape_threshold
    return in_units(merch if merch < threshold else threshold, view.rules.per_threshold) if threshold else UNIT


cdef inline int progress_by(const rules_t *rules, const standing_t *here, int dollars) noexcept nogil:
    """Return how much of the escape threshold dollars on the own table close of what it lacks."""
    return in_units(dollars if dollars < here.need else here.need, rules.per_threshold)


cdef inline void look_around(standing_t *here, const view_t *view) noexcept nogil:
    """Reckon what is asked of seats that Actions name: of all that there may be, which costs less than of a few."""
    cdef const public_t *table = view.table
    cdef int threshold = view.rules.escape_threshold, seat, merch
    for seat in range(MAX_SEATS):
        merch = table.merch[seat]
        here.beyond[seat] = merch - threshold
        here.danger[seat] = in_units(merch if merch < threshold else threshold, view.rules.per_threshold) >> 1
        here.distance[seat] = seat - view.seat + (table.seats if seat < view.seat else 0)
    if threshold == 0:
        for seat in range(MAX_SEATS):
            here.danger[seat] = UNIT >> 1
    if table.read_holder != NONE:
        here.danger[table.read_holder] += UNIT >> 1


cdef inline void stand(standing_t *here, const view_t *view) noexcept nogil:
    """Reckon what all moves of a decision are measured by."""
    cdef const rules_t *rules = view.rules
    here.need = rules.escape_threshold - view.table.merch[view.seat]
    if here.need < 0:
        here.need = 0
    here.need_units = in_units(here.need, rules.per_threshold)
    here.has_read = has_read(view)
    here.has_ticket = has_ticket(view)
    here.to_lead = richest_other(view) - view.table.merch[view.seat]
    if view.decision != PUT_DOWN:
        here.late = here.can_finish = here.has_means = 0
        return
    here.can_finish = here.has_ticket and (here.has_read or (view.hand.kinds & rules.kinds_of[P_TAKE_READ]) != 0)
    here.has_means = here.need == 0 or worth_of_hand(view) >= here.need
    look_around(here, view)
    here.late = UNIT - UNIT * view.table.pile_n // (rules.n_cards if rules.n_cards > 0 else 1)


cdef inline bint could_go(const view_t *view, int seat) noexcept nogil:
    """Say whether a seat lacks nothing that can be seen to escape."""
    return view.table.read_holder == seat and view.table.merch[seat] >= view.rules.escape_threshold


cdef inline int copies_of(const view_t *view, uint64_t kinds) noexcept nogil:
    """Return how many cards of some kinds the hand holds."""
    cdef int n = 0
    while kinds:
        n += view.hand.copies[lowest_bit(kinds)]
        kinds &= kinds - 1
    return n


cdef inline int cards_to_table(const view_t *view, int count) noexcept nogil:
    """Return how many Merch cards of the hand, `count` at most, a card that tables more could table."""
    cdef uint64_t rest = view.hand.kinds & view.rules.merch
    cdef int n = 0
    while rest and n < count:
        n += view.hand.copies[lowest_bit(rest)]
        rest &= rest - 1
    return n if n < count else count


cdef inline bint may_lie(const view_t *view, int kind, bint discards, bint pickup) noexcept nogil:
    """Say whether a kind lies in the discard pile, or may lie in the pick-up pile for all that is visible."""
    cdef const rules_t *rules = view.rules
    cdef const public_t *table = view.table
    cdef int seat, unseen, merch = rules.merch_of[kind]
    if discards and table.discards[kind]:
        return True
    if not pickup or table.pile_n == 0:
        return False
    unseen = rules.copies[kind] - table.discards[kind] - view.hand.copies[kind]
    for seat in range(table.seats):
        unseen -= table.tabled[seat][merch]
    return unseen > 0


cdef inline int best_found(const view_t *view, int kind) noexcept nogil:
    """Return the dollars of the best Merch that a take_merch or find_merch card may bring."""
    cdef const rules_t *rules = view.rules
    cdef uint64_t capped
    cdef int found, merch
    if rules.primitive[kind] == P_FIND_MERCH:
        found = rules.find_kind[kind]
        if may_lie(view, found, (rules.switches & SW_FIND_DISCARD) != 0, (rules.switches & SW_FIND_PICKUP) != 0):
            return rules.value[rules.merch_of[found]]
        return 0
    capped = rules.capped[kind]
    while capped:
        merch = best_merch(rules, capped)
        capped &= ~bit(merch)
        if may_lie(view, rules.kind_of[merch], (rules.switches & SW_AVAILABLE_DISCARD) != 0,
                   (rules.switches & SW_AVAILABLE_PICKUP) != 0):
            return rules.value[merch]
    return 0
