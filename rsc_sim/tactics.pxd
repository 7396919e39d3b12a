"""What a player reckons with: small questions about the table that most strategies ask.

Part of the strategy contract (`rsc_sim.strategy` re-exports it). Each reads a view and a move set and nothing else;
where seats are equal the next one clockwise is meant, so that no seat number ever matters.
"""
from libc.stdint cimport uint64_t

from rsc_sim.engine.bits cimport lowest_bit, nonzero_lanes
from rsc_sim.engine.moves cimport (best_merch, highest_takeable, index_of_discard, index_of_option, index_of_play,
                                   index_of_protect, index_of_steal, index_of_steal_protect, index_of_way,
                                   lowest_takeable, merch_among, next_clockwise, seats_with, stealable)
from rsc_sim.engine.types cimport (F_HAND, F_MERCH, F_PROTECT, F_REACTION, F_READ, F_TURN, NONE, P_EXTRA_TURN,
                                   P_STEAL_HIGHEST_MERCH, P_STEAL_LOWEST_MERCH, P_STEAL_MERCH, P_TAKE_READ, S_HAND,
                                   S_MERCH, S_PROTECTS, S_SEATS, move_set_t, rules_t, view_t)


ctypedef struct theft_t:
    int merch             # dense number of what the theft brings, NONE where there is nothing to steal
    int victim            # whose it is
    int value             # in dollars


cdef inline bint has_read(const view_t *view) noexcept nogil:
    return view.table.read_holder == view.seat


cdef inline bint has_ticket(const view_t *view) noexcept nogil:
    return (view.hand.kinds & view.rules.tickets) != 0


cdef inline bint rich_enough(const view_t *view) noexcept nogil:
    """Say whether the own table reaches the escape threshold."""
    return view.table.merch[view.seat] >= view.rules.escape_threshold


cdef inline bint could_leave(const view_t *view) noexcept nogil:
    """Say whether Read is all that the seat lacks to escape."""
    return has_ticket(view) and rich_enough(view)


cdef inline uint64_t turn_cards(const view_t *view) noexcept nogil:
    """Return the Actions that bring a further turn, as a mask; none while hardly a card is left to draw.

    With nothing else in the piles such a card comes straight back: it would be drawn and played again without end.
    """
    return view.rules.kinds_of[P_EXTRA_TURN] if view.table.pile_n + view.table.discard_n > 4 else 0


cdef inline uint64_t idle_plays(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Return the plays with one way to play them that a player with nothing to gain may well make: not the taking of
    Read, which keeps, nor a further turn that comes to nothing.
    """
    cdef const rules_t *rules = view.rules
    return moves.plays & ~(rules.kinds_of[P_TAKE_READ] | rules.kinds_of[P_EXTRA_TURN]) | moves.plays & turn_cards(view)


cdef inline bint would_win(const view_t *view) noexcept nogil:
    """Say whether no other table would score more than the own one with Read."""
    cdef int seat
    for seat in range(view.table.seats):
        if seat != view.seat and view.table.merch[seat] > view.table.merch[view.seat] + view.rules.read_points:
            return False
    return True


cdef inline int richest(const view_t *view, uint64_t seats) noexcept nogil:
    """Return the seat of a mask with most tabled Merch. The mask must not be 0."""
    cdef int last = next_clockwise(seats, view.seat), best = last, seat = next_clockwise(seats, last)
    while seat != last:
        if view.table.merch[seat] > view.table.merch[best]:
            best = seat
        seat = next_clockwise(seats, seat)
    return best


cdef inline int most_dangerous(const view_t *view, uint64_t seats) noexcept nogil:
    """Return the seat of a mask that is nearest to escaping: Read's holder if it is among them, else the richest."""
    cdef int holder = view.table.read_holder
    if holder != NONE and holder != view.seat and seats >> holder & 1:
        return holder
    return richest(view, seats)


cdef inline int index_of_robbed_protection(const view_t *view, const move_set_t *moves, int kind) noexcept nogil:
    """Return the index of a steal_protect play: from the richest seat that has one, off its best, for the own best."""
    cdef const rules_t *rules = view.rules
    cdef uint64_t low = moves.sources[S_PROTECTS][0], high = moves.sources[S_PROTECTS][1]
    cdef int victim = richest(view, nonzero_lanes(low) | nonzero_lanes(high) << 4)
    return index_of_steal_protect(moves, kind, victim, best_merch(rules, view.table.shielded[victim]),
                                  best_merch(rules, view.table.unprotected[view.seat]))


cdef inline int index_of_returned(const view_t *view, const move_set_t *moves, int kind) noexcept nogil:
    """Return the index of a return_merch play: the best Merch in reach, from the richest seat that has it."""
    cdef int merch = best_merch(view.rules, stealable(moves, kind))
    return index_of_steal(moves, kind, richest(view, seats_with(moves, merch)), merch)


cdef inline int index_of_any(const view_t *view, const move_set_t *moves, int kind) noexcept nogil:
    """Return the index of playing an Action for want of something better: against whoever is nearest to escaping, for
    the own best Merch.
    """
    cdef int source = view.rules.source[kind]
    if not moves.targeted >> kind & 1 or source == S_HAND:
        return index_of_play(moves, kind)
    if source <= S_SEATS:
        return index_of_way(moves, kind, most_dangerous(view, moves.sources[source][0]))
    if source == S_MERCH:
        return index_of_returned(view, moves, kind)
    if source == S_PROTECTS:
        return index_of_robbed_protection(view, moves, kind)
    return index_of_protect(moves, kind, best_merch(view.rules, view.table.unprotected[view.seat]))


cdef inline int worth_tabling(const view_t *view, int count) noexcept nogil:
    """Add up the most valuable Merch of the hand, `count` cards at most, in dollars."""
    cdef const rules_t *rules = view.rules
    cdef int i, kind, copies, worth = 0
    for i in range(rules.n_merch):
        kind = rules.kind_of[rules.highest_first[i]]
        copies = view.hand.copies[kind]
        if copies > count:
            copies = count
        worth += copies * rules.value[rules.highest_first[i]]
        count -= copies
        if count == 0:
            break
    return worth


cdef inline int worth_of_hand(const view_t *view) noexcept nogil:
    """Return the dollars of all Merch in the hand."""
    cdef const rules_t *rules = view.rules
    cdef uint64_t rest = view.hand.kinds & rules.merch
    cdef int kind, worth = 0
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        worth += view.hand.copies[kind] * rules.value[rules.merch_of[kind]]
    return worth


cdef inline theft_t best_theft(const view_t *view, const move_set_t *moves, int kind) noexcept nogil:
    """Return the best that a playable card of a stealing primitive (any, highest, lowest Merch) brings, and from whom.
    """
    cdef const rules_t *rules = view.rules
    cdef theft_t theft
    cdef uint64_t seats
    cdef int seat, last, merch
    if rules.primitive[kind] != P_STEAL_LOWEST_MERCH:
        theft.merch = best_merch(rules, stealable(moves, kind))
        theft.victim = next_clockwise(seats_with(moves, theft.merch), view.seat)
    else:
        seats = moves.sources[rules.source[kind]][0]
        last = seat = next_clockwise(seats, view.seat)
        theft.merch = NONE
        while True:
            merch = lowest_takeable(rules, view.table, seat)
            if theft.merch == NONE or rules.value[merch] > rules.value[theft.merch]:
                theft.merch = merch
                theft.victim = seat
            seat = next_clockwise(seats, seat)
            if seat == last:
                break
    theft.value = rules.value[theft.merch]
    return theft


cdef inline int index_of_theft(const move_set_t *moves, int kind, theft_t theft) noexcept nogil:
    """Return the index of playing a stealing card so as to get that theft."""
    if moves.rules.primitive[kind] == P_STEAL_MERCH:
        return index_of_steal(moves, kind, theft.victim, theft.merch)
    return index_of_way(moves, kind, theft.victim)


cdef inline int loss(const view_t *view) noexcept nogil:
    """Return the value of the Merch that the Action being played would take from this seat, 0 if it takes none."""
    cdef const rules_t *rules = view.rules
    cdef int kind = view.table.action.kind, primitive = rules.primitive[kind], merch = NONE
    if primitive == P_STEAL_HIGHEST_MERCH:
        merch = highest_takeable(rules, view.table, view.seat)
    elif primitive == P_STEAL_LOWEST_MERCH:
        merch = lowest_takeable(rules, view.table, view.seat)
    elif view.table.action.choice != NONE:
        merch = rules.merch_of[view.table.action.choice]
    return rules.value[merch] if merch != NONE else 0


cdef inline uint64_t reactions(const rules_t *rules) noexcept nogil:
    """Return all reactions as a mask of kinds."""
    return (rules.cancels[F_READ] | rules.cancels[F_MERCH] | rules.cancels[F_PROTECT] | rules.cancels[F_HAND]
            | rules.cancels[F_TURN] | rules.cancels[F_REACTION])


cdef inline int index_of_best(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Return the index of the most valuable Merch offered at `take` or `table_more`."""
    return index_of_option(moves, view.rules.kind_of[best_merch(view.rules, merch_among(view.rules, moves.options))])


cdef inline int index_of_cheapest_reaction(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Return the index of a reaction that does not cancel the taking of Read, if there is one; else of the first."""
    cdef uint64_t spare = moves.options & ~view.rules.cancels[F_READ]
    return index_of_option(moves, lowest_bit(spare if spare else moves.options))


cdef inline int index_of_sacrifice(const view_t *view, const move_set_t *moves, uint64_t keep) noexcept nogil:
    """Return the index of discarding what is needed least: no ticket, and none of a mask of kinds, where that can be
    helped.
    """
    cdef uint64_t spare = moves.options & ~view.rules.tickets & ~keep
    if spare == 0:
        spare = moves.options & ~view.rules.tickets
    return index_of_discard(moves, lowest_bit(spare if spare else moves.options))


cdef inline bint is_target(const view_t *view) noexcept nogil:
    """Say, at `react`, whether the Action is played against this seat (else the seat defends its own Action)."""
    return view.table.seat_up != view.seat
