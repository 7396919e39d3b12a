"""`collector`: builds the fattest table and goes home when it can.

At each put-down it reckons in dollars what every card would bring and does what brings most: tabling its best Merch,
three at once with Energy Drink, free Merch from the piles, theft of the best card in reach. Merch Protect counts half
of what it covers, a card drawn $20, a further turn $40, a card out of another hand $15. It takes Read only when it
could then leave. Where nothing brings anything it plays what hurts whoever is nearest to leaving, and discards only
when it cannot play. It cancels what would cost it more than $20, and escapes when that wins.

Good against players who leave their tables open. It does not chase Read, so whoever does may be out first.
"""
from libc.stdint cimport uint64_t

from rsc_sim.strategy cimport (ESCAPE, F_MERCH, NONE, PUT_DOWN, P_DRAW, P_EXTRA_TURN, P_FIND_MERCH, P_PROTECT_MERCH,
                               P_STEAL_HAND, P_STEAL_HIGHEST_MERCH, P_STEAL_LOWEST_MERCH, P_STEAL_MERCH, P_TABLE_MORE,
                               P_TAKE_MERCH, P_TAKE_READ, REACT, best_merch, best_theft, could_leave, idle_plays,
                               index_of_any, index_of_best, index_of_option, index_of_play, index_of_sacrifice,
                               index_of_table, index_of_theft, is_target, loss, lowest_bit, merch_among, move_set_t,
                               native_strategy, rules_t, view_t, worth_tabling, would_win)

cdef enum:
    DRAWN = 20        # dollars that a card drawn is worth,
    TURN = 40         # a further turn,
    STOLEN = 15       # a random card of another hand
    SMALL_LOSS = 20   # a theft that is not worth a reaction


cdef int gain(const view_t *view, const move_set_t *moves, int kind) noexcept nogil:
    """Return the dollars that playing an Action brings, -1 for one that brings nothing by itself."""
    cdef const rules_t *rules = view.rules
    cdef int primitive = rules.primitive[kind]
    if primitive == P_STEAL_MERCH or primitive == P_STEAL_HIGHEST_MERCH or primitive == P_STEAL_LOWEST_MERCH:
        return best_theft(view, moves, kind).value
    if primitive == P_TABLE_MORE:
        return worth_tabling(view, rules.count[kind])
    if primitive == P_DRAW:
        return DRAWN * rules.count[kind]
    if primitive == P_EXTRA_TURN:
        return TURN
    if primitive == P_STEAL_HAND:
        return STOLEN
    if primitive == P_TAKE_MERCH:
        return rules.value[best_merch(rules, rules.capped[kind])] if rules.capped[kind] else 0
    if primitive == P_FIND_MERCH:
        return rules.value[rules.merch_of[rules.find_kind[kind]]]
    if primitive == P_PROTECT_MERCH:
        return rules.value[best_merch(rules, view.table.unprotected[view.seat])] // 2
    return -1


cdef int best_way(const view_t *view, const move_set_t *moves, int kind) noexcept nogil:
    """Return the index of the best way to play an Action."""
    cdef int primitive = view.rules.primitive[kind]
    if primitive == P_STEAL_MERCH or primitive == P_STEAL_HIGHEST_MERCH or primitive == P_STEAL_LOWEST_MERCH:
        return index_of_theft(moves, kind, best_theft(view, moves, kind))
    return index_of_any(view, moves, kind)


cdef int put_down(const view_t *view, const move_set_t *moves) noexcept nogil:
    cdef const rules_t *rules = view.rules
    cdef uint64_t take_read = moves.plays & rules.kinds_of[P_TAKE_READ]
    cdef uint64_t actions = idle_plays(view, moves) | moves.targeted, rest
    cdef int kind, merch = NONE, worth, best = NONE, best_worth = 0
    if take_read and could_leave(view):
        return index_of_play(moves, lowest_bit(take_read))
    if moves.tables:
        merch = best_merch(rules, merch_among(rules, moves.tables))
        best_worth = rules.value[merch]

    # An Action that brings as much goes first: the Merch can still be tabled next turn.
    rest = actions
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        worth = gain(view, moves, kind)
        if worth >= best_worth:
            best_worth = worth
            best = kind
    if best != NONE:
        return best_way(view, moves, best)
    if merch != NONE:
        return index_of_table(moves, rules.kind_of[merch])
    # Nothing to gain: better a card that hurts somebody than a discard.
    if actions:
        return best_way(view, moves, lowest_bit(actions))
    return index_of_sacrifice(view, moves, 0)


cdef int react(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Cancel what costs more than a trifle, with the first reaction that does; defend an own Action likewise."""
    if is_target(view) and view.rules.family[view.table.action.kind] == F_MERCH and loss(view) <= SMALL_LOSS:
        return 0
    return index_of_option(moves, lowest_bit(moves.options))


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    if moves.decision == PUT_DOWN:
        return put_down(view, moves)
    if moves.decision == ESCAPE:
        return 0 if would_win(view) else 1
    if moves.decision == REACT:
        return react(view, moves)
    return index_of_best(view, moves)


def bind():
    """Bind the strategy; it has no parameters."""
    return native_strategy(decide, NULL, 0, 0)
