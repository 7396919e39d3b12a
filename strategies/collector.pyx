"""`collector`: builds the fattest table and goes home when it can.

At each put-down it reckons in dollars what every card would bring and does what brings most: tabling its best Merch, three at
once with Energy Drink, free Merch from the piles, theft of the best card in reach. Merch Protect counts half of what it covers, a card
drawn $20, a further turn $40, a card out of another hand $15. It takes Read only when it could then leave. Where nothing brings
anything it plays what hurts the richest table, and discards only when it cannot play. It cancels what would cost it more than $20, and escapes when that wins.

Good against players who leave their tables open. It does not chase Read, so whoever does may be out first.
"""
from libc.stdint cimport uint64_t

from rsc_sim.strategy cimport (ESCAPE, F_MERCH, NONE, P_DRAW, P_EXTRA_TURN, P_PROTECT_MERCH, P_STEAL_HAND, P_STEAL_HIGHEST_MERCH,
                               P_STEAL_LOWEST_MERCH, P_STEAL_MERCH, P_TABLE_MORE, P_TAKE_MERCH, P_TAKE_READ, PUT_DOWN, REACT, S_SEATS, best_merch,
                               highest_takeable, index_of_discard, index_of_option, index_of_play, index_of_protect,
                               index_of_steal, index_of_table, index_of_way, lowest_bit, lowest_takeable, merch_among,
                               move_set_t, native_strategy, next_clockwise, rules_t, seats_with, stealable, view_t)

cdef enum:
    DRAWN = 20        # dollars that a card drawn is worth,
    TURN = 40         # a further turn,
    STOLEN = 15       # a random card of another hand
    SMALL_LOSS = 20   # a theft that is not worth a reaction


cdef int worth_tabling(const view_t *view, int count) noexcept nogil:
    """Add up the most valuable Merch of the hand, `count` cards at most."""
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


cdef int richest(const view_t *view, uint64_t seats) noexcept nogil:
    """Return the seat of a mask with most tabled Merch; of equals the next one clockwise."""
    cdef int last = next_clockwise(seats, view.seat), best = last, seat = next_clockwise(seats, last)
    while seat != last:
        if view.table.merch[seat] > view.table.merch[best]:
            best = seat
        seat = next_clockwise(seats, seat)
    return best


cdef bint could_leave(const view_t *view) noexcept nogil:
    return ((view.hand.kinds & view.rules.tickets) != 0
            and view.table.merch[view.seat] >= view.rules.escape_threshold)


cdef bint would_win(const view_t *view) noexcept nogil:
    """Say whether no other table would score more than the own one with Read."""
    cdef int seat
    for seat in range(view.table.seats):
        if seat != view.seat and view.table.merch[seat] > view.table.merch[view.seat] + view.rules.read_points:
            return False
    return True


cdef int lowest_theft(const view_t *view, uint64_t seats, int *victim) noexcept nogil:
    """Return the best Merch that is somebody's lowest (a dense number), and whose; of equals the next one clockwise."""
    cdef const rules_t *rules = view.rules
    cdef int seat, merch, best = NONE, last = next_clockwise(seats, view.seat)
    seat = last
    while True:
        merch = lowest_takeable(rules, view.table, seat)
        if best == NONE or rules.value[merch] > rules.value[best]:
            best = merch
            victim[0] = seat
        seat = next_clockwise(seats, seat)
        if seat == last:
            return best


cdef int put_down(const view_t *view, const move_set_t *moves) noexcept nogil:
    cdef const rules_t *rules = view.rules
    cdef uint64_t rest, spare, found
    cdef int kind, primitive, merch, victim = NONE, worth, index = NONE, best_worth = 0

    if moves.plays & rules.kinds_of[P_TAKE_READ] and could_leave(view):
        return index_of_play(moves, lowest_bit(moves.plays & rules.kinds_of[P_TAKE_READ]))
    if moves.tables:
        merch = best_merch(rules, merch_among(rules, moves.tables))
        best_worth = rules.value[merch]
        index = index_of_table(moves, rules.kind_of[merch])

    # An Action that brings as much goes first: the Merch can still be tabled next turn.
    rest = moves.plays & ~rules.kinds_of[P_TAKE_READ]
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        if rules.kinds_of[P_TABLE_MORE] >> kind & 1:
            worth = worth_tabling(view, rules.count[kind])
        elif rules.kinds_of[P_DRAW] >> kind & 1:
            worth = DRAWN * rules.count[kind]
        elif rules.kinds_of[P_EXTRA_TURN] >> kind & 1:
            worth = TURN
        elif rules.kinds_of[P_TAKE_MERCH] >> kind & 1:
            worth = rules.value[best_merch(rules, rules.capped[kind])] if rules.capped[kind] else 0
        else:
            worth = rules.value[rules.merch_of[rules.find_kind[kind]]]
        if worth >= best_worth:
            best_worth = worth
            index = index_of_play(moves, kind)

    rest = moves.targeted
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        primitive = rules.primitive[kind]
        if primitive == P_STEAL_MERCH or primitive == P_STEAL_HIGHEST_MERCH:
            found = stealable(moves, kind)
            merch = best_merch(rules, found)
            if rules.value[merch] >= best_worth:
                best_worth = rules.value[merch]
                victim = next_clockwise(seats_with(moves, merch), view.seat)
                index = (index_of_steal(moves, kind, victim, merch) if primitive == P_STEAL_MERCH
                         else index_of_way(moves, kind, victim))
        elif primitive == P_STEAL_LOWEST_MERCH:
            merch = lowest_theft(view, moves.sources[rules.source[kind]][0], &victim)
            if rules.value[merch] >= best_worth:
                best_worth = rules.value[merch]
                index = index_of_way(moves, kind, victim)
        elif primitive == P_PROTECT_MERCH:
            merch = best_merch(rules, view.table.unprotected[view.seat])
            if rules.value[merch] // 2 >= best_worth:
                best_worth = rules.value[merch] // 2
                index = index_of_protect(moves, kind, merch)
        elif primitive == P_STEAL_HAND and STOLEN >= best_worth:
            best_worth = STOLEN
            index = index_of_way(moves, kind, richest(view, moves.sources[rules.source[kind]][0]))
    if index != NONE:
        return index

    # Nothing to gain: better a card that hurts the richest than a discard.
    if moves.targeted:
        kind = lowest_bit(moves.targeted)
        if rules.source[kind] <= S_SEATS:
            return index_of_way(moves, kind, richest(view, moves.sources[rules.source[kind]][0]))
        return index_of_play(moves, kind)
    if moves.plays & ~rules.kinds_of[P_TAKE_READ]:
        return index_of_play(moves, lowest_bit(moves.plays & ~rules.kinds_of[P_TAKE_READ]))
    spare = moves.options & ~rules.tickets
    return index_of_discard(moves, lowest_bit(spare if spare else moves.options))


cdef int react(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Cancel what costs more than a trifle, with the first reaction that does; defend an own Action likewise."""
    cdef const rules_t *rules = view.rules
    cdef int kind = view.table.action.kind, primitive = rules.primitive[kind], merch = NONE
    if rules.family[kind] == F_MERCH:
        if primitive == P_STEAL_HIGHEST_MERCH:
            merch = highest_takeable(rules, view.table, view.table.action.target)
        elif primitive == P_STEAL_LOWEST_MERCH:
            merch = lowest_takeable(rules, view.table, view.table.action.target)
        elif view.table.action.choice != NONE:
            merch = rules.merch_of[view.table.action.choice]
        if merch != NONE and rules.value[merch] <= SMALL_LOSS:
            return 0
    return index_of_option(moves, lowest_bit(moves.options))


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    if moves.decision == PUT_DOWN:
        return put_down(view, moves)
    if moves.decision == ESCAPE:
        return 0 if would_win(view) else 1
    if moves.decision == REACT:
        return react(view, moves)
    return index_of_option(moves, view.rules.kind_of[best_merch(view.rules, merch_among(view.rules, moves.options))])


def bind():
    """Bind the strategy; it has no parameters."""
    return native_strategy(decide, NULL, 0, 0)
