"""`guardian`: holds what it has.

Merch Protect goes beneath its best Merch as soon as that is worth $100, Wrong Hole brings another one, Hands Off covers
its ticket. It hoards reactions: it never discards one while it can help it, and takes Read only when it could leave, or
when it holds a reaction to keep it with. Otherwise it tables its best Merch, draws, and plays its attacks last, on
whoever is nearest to leaving. It cancels everything that would cost it $30 or more, a card of its hand, a protection or
Read.

Good against raiders, who break their teeth on it. It is slow, and a rusher may be gone before its wall stands.
"""
from libc.stdint cimport uint64_t

from rsc_sim.strategy cimport (ESCAPE, F_MERCH, F_READ, F_TURN, NONE, PUT_DOWN, P_DRAW, P_PROTECT_HAND,
                               P_PROTECT_MERCH, P_STEAL_HIGHEST_MERCH, P_STEAL_LOWEST_MERCH, P_STEAL_MERCH,
                               P_STEAL_PROTECT, P_TABLE_MORE, P_TAKE_READ, REACT, best_merch, best_theft, could_leave,
                               has_read, has_ticket, idle_plays, index_of_any, index_of_best,
                               index_of_cheapest_reaction, index_of_cover, index_of_play, index_of_sacrifice,
                               index_of_table, index_of_theft, is_target, loss, lowest_bit, merch_among, move_set_t,
                               native_strategy, reactions, rules_t, theft_t, turn_cards, view_t, worth_tabling,
                               would_win)

cdef enum:
    WORTH_A_WALL = 100    # dollars of Merch that deserve a Merch Protect
    SMALL_LOSS = 30       # a theft below this is let pass


cdef int wall(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Protect the best Merch or the ticket; -1 where there is nothing to protect, or to protect it with."""
    cdef const rules_t *rules = view.rules
    cdef uint64_t cards = moves.targeted & (rules.kinds_of[P_PROTECT_MERCH] | rules.kinds_of[P_STEAL_PROTECT])
    cdef int kind, merch
    if cards:
        kind = lowest_bit(cards)
        merch = best_merch(rules, view.table.unprotected[view.seat])
        if rules.value[merch] >= WORTH_A_WALL:
            return index_of_any(view, moves, kind)
    cards = moves.targeted & rules.kinds_of[P_PROTECT_HAND]
    if cards and has_ticket(view):
        return index_of_cover(moves, lowest_bit(cards), lowest_bit(view.hand.kinds & rules.tickets))
    return -1


cdef int put_down(const view_t *view, const move_set_t *moves) noexcept nogil:
    cdef const rules_t *rules = view.rules
    cdef uint64_t cards = moves.plays & rules.kinds_of[P_TAKE_READ]
    cdef int kind, merch, best_worth = 0, index
    cdef theft_t theft
    if cards and (could_leave(view) or view.hand.kinds & rules.cancels[F_READ]):
        return index_of_play(moves, lowest_bit(cards))
    index = wall(view, moves)
    if index != NONE:
        return index
    if moves.tables:
        merch = best_merch(rules, merch_among(rules, moves.tables))
        best_worth = rules.value[merch]
        index = index_of_table(moves, rules.kind_of[merch])
        cards = moves.plays & rules.kinds_of[P_TABLE_MORE]
        if cards and worth_tabling(view, rules.count[lowest_bit(cards)]) > best_worth:
            return index_of_play(moves, lowest_bit(cards))
    cards = moves.targeted & (rules.kinds_of[P_STEAL_HIGHEST_MERCH] | rules.kinds_of[P_STEAL_MERCH]
                              | rules.kinds_of[P_STEAL_LOWEST_MERCH])
    while cards:
        kind = lowest_bit(cards)
        cards &= cards - 1
        theft = best_theft(view, moves, kind)
        if theft.value > best_worth:
            best_worth = theft.value
            index = index_of_theft(moves, kind, theft)
    # Cards bring reactions: worth more than small Merch.
    cards = moves.plays & (rules.kinds_of[P_DRAW] | turn_cards(view))
    if cards and best_worth < 50:
        return index_of_play(moves, lowest_bit(cards))
    if index != NONE:
        return index
    cards = idle_plays(view, moves)
    if cards:
        return index_of_play(moves, lowest_bit(cards))
    if moves.targeted:
        return index_of_any(view, moves, lowest_bit(moves.targeted))
    return index_of_sacrifice(view, moves, rules.kinds_of[P_TAKE_READ] | reactions(rules))


cdef bint to_be_cancelled(const view_t *view) noexcept nogil:
    cdef int family = view.rules.family[view.table.action.kind]
    if not is_target(view):
        return True
    if family == F_MERCH:
        return loss(view) >= SMALL_LOSS
    return family != F_TURN or has_read(view)


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    if moves.decision == PUT_DOWN:
        return put_down(view, moves)
    if moves.decision == ESCAPE:
        return 0 if would_win(view) else 1
    if moves.decision == REACT:
        return index_of_cheapest_reaction(view, moves) if to_be_cancelled(view) else 0
    return index_of_best(view, moves)


def bind():
    """Bind the strategy; it has no parameters."""
    return native_strategy(decide, NULL, 0, 0)
