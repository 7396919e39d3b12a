"""`hoarder`: keeps the best for last, in its hand.

What lies on the table can be stolen, so it tables the cheapest Merch first and sits on the dear cards until it has a
ticket and Read, or a card that takes him; then it unloads, best first, three at once with Energy Drink, takes Read and
leaves. Until then it draws, robs hands and takes further turns for more to sit on, and plays what it cannot use rather
than give up a ticket, a reaction or a card that takes Read. Hands Off covers a ticket, reactions guard the hand first;
on the table only a theft of $100 and more is worth one.

Good against raiders, who find nothing on its table. Whoever robs hands hurts it, and it is late when others rush.
"""
from libc.stdint cimport uint64_t

from rsc_sim.strategy cimport (ESCAPE, F_HAND, F_MERCH, F_READ, NONE, PUT_DOWN, P_DRAW, P_PROTECT_HAND, P_STEAL_HAND,
                               P_STEAL_HIGHEST_MERCH, P_STEAL_LOWEST_MERCH, P_STEAL_MERCH, P_TABLE_MORE,
                               P_TAKE_READ, REACT, best_merch, best_theft, could_leave, has_read,
                               has_ticket, idle_plays, index_of_any, index_of_best, index_of_cheapest_reaction,
                               index_of_cover, index_of_play, index_of_sacrifice, index_of_table, index_of_theft,
                               index_of_way, is_target, loss, lowest_bit, merch_among, most_dangerous, move_set_t,
                               native_strategy, reactions, rules_t, theft_t, turn_cards, view_t, worst_merch,
                               worth_tabling, would_win)

cdef enum:
    DEAR = 50             # dollars from which on a Merch is kept back,
    BIG_LOSS = 100        # and a theft is worth a reaction
    WORTH_A_DRINK = 100   # dollars that a card which tables more must bring


cdef bint can_finish(const view_t *view) noexcept nogil:
    """Say whether the seat has a ticket, and Read or a card that takes him."""
    return has_ticket(view) and (has_read(view) or (view.hand.kinds & view.rules.kinds_of[P_TAKE_READ]) != 0)


cdef int unload(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Bring the most dollars onto the table at once, from the hand or another table; -1 where nothing does."""
    cdef const rules_t *rules = view.rules
    cdef uint64_t cards
    cdef int kind, merch, worth, best_worth = 0, index = NONE
    cdef theft_t theft
    if moves.tables:
        merch = best_merch(rules, merch_among(rules, moves.tables))
        best_worth = rules.value[merch]
        index = index_of_table(moves, rules.kind_of[merch])
    cards = moves.plays & rules.kinds_of[P_TABLE_MORE]
    while cards:
        kind = lowest_bit(cards)
        cards &= cards - 1
        worth = worth_tabling(view, rules.count[kind])
        if worth > best_worth:
            best_worth = worth
            index = index_of_play(moves, kind)
    cards = moves.targeted & (rules.kinds_of[P_STEAL_HIGHEST_MERCH] | rules.kinds_of[P_STEAL_MERCH]
                              | rules.kinds_of[P_STEAL_LOWEST_MERCH])
    while cards:
        kind = lowest_bit(cards)
        cards &= cards - 1
        theft = best_theft(view, moves, kind)
        if theft.value > best_worth:
            best_worth = theft.value
            index = index_of_theft(moves, kind, theft)
    return index


cdef int gather(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Play what brings cards into the hand, or covers a ticket in it; -1 where nothing does."""
    cdef const rules_t *rules = view.rules
    cdef uint64_t cards = moves.plays & (rules.kinds_of[P_DRAW] | turn_cards(view))
    cdef int kind
    if cards:
        return index_of_play(moves, lowest_bit(cards))
    cards = moves.targeted & rules.kinds_of[P_STEAL_HAND]
    if cards:
        kind = lowest_bit(cards)
        return index_of_way(moves, kind, most_dangerous(view, moves.sources[rules.source[kind]][0]))
    cards = moves.targeted & rules.kinds_of[P_PROTECT_HAND]
    if cards and has_ticket(view):
        return index_of_cover(moves, lowest_bit(cards), lowest_bit(view.hand.kinds & rules.tickets))
    return NONE


cdef int put_down(const view_t *view, const move_set_t *moves) noexcept nogil:
    cdef const rules_t *rules = view.rules
    cdef uint64_t cards = moves.plays & rules.kinds_of[P_TAKE_READ]
    cdef int index, merch
    if cards and could_leave(view):
        return index_of_play(moves, lowest_bit(cards))
    if can_finish(view):
        index = unload(view, moves)
        if index != NONE:
            return index
    index = gather(view, moves)
    if index != NONE:
        return index
    cards = moves.plays & rules.kinds_of[P_TABLE_MORE]
    if cards and worth_tabling(view, rules.count[lowest_bit(cards)]) >= WORTH_A_DRINK:
        return index_of_play(moves, lowest_bit(cards))
    if moves.tables:
        merch = worst_merch(rules, merch_among(rules, moves.tables))
        if rules.value[merch] < DEAR:
            return index_of_table(moves, rules.kind_of[merch])
    # Nothing cheap to table: any Action is easier to part with than a dear card.
    cards = idle_plays(view, moves) & ~rules.kinds_of[P_TABLE_MORE]
    if cards:
        return index_of_play(moves, lowest_bit(cards))
    if moves.targeted:
        return index_of_any(view, moves, lowest_bit(moves.targeted))
    if moves.tables:
        return index_of_table(moves, rules.kind_of[worst_merch(rules, merch_among(rules, moves.tables))])
    return index_of_sacrifice(view, moves, rules.kinds_of[P_TAKE_READ] | reactions(rules))


cdef bint to_be_cancelled(const view_t *view) noexcept nogil:
    cdef int family = view.rules.family[view.table.action.kind]
    if not is_target(view) or family == F_READ:
        return True
    if family == F_MERCH:
        return loss(view) >= BIG_LOSS
    return family == F_HAND


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
