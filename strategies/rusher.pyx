"""`rusher`: Read, a ticket, the door.

Takes Read from whoever displays it, whenever it can. Without an Escape Ticket it digs for one: it draws, steals from
hands, takes further turns. Between these it tables just what the threshold asks for, best first, or steals it; rich
enough, it covers its ticket with Hands Off and keeps digging for what is still missing. It keeps Read Has You Covered
for Read, defends its hand only while a ticket is in it, and escapes the moment it may.

Good against slow builders, who are still tabling when it leaves. Read draws fire, and it has little to answer it with.
"""
from libc.stdint cimport uint64_t

from rsc_sim.strategy cimport (ESCAPE, F_HAND, F_MERCH, F_READ, PUT_DOWN, P_DRAW, P_FIND_MERCH, P_PROTECT_HAND,
                               P_PROTECT_MERCH, P_STEAL_HAND, P_STEAL_HIGHEST_MERCH, P_STEAL_LOWEST_MERCH,
                               P_STEAL_MERCH, P_TABLE_MORE, P_TAKE_MERCH, P_TAKE_READ, REACT, best_merch, best_theft,
                               has_read, has_ticket, index_of_any, index_of_best, index_of_cheapest_reaction,
                               index_of_cover, index_of_play, index_of_protect, index_of_sacrifice, index_of_table,
                               index_of_theft, index_of_way, is_target, loss, lowest_bit, merch_among, most_dangerous,
                               move_set_t, native_strategy, reactions, rich_enough, rules_t, theft_t, turn_cards,
                               view_t, worth_tabling)

cdef enum:
    BIG_LOSS = 100        # dollars from which on a theft is worth a reaction


cdef int dig(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Play what brings cards into the hand, or the turn back; -1 where nothing does."""
    cdef const rules_t *rules = view.rules
    cdef uint64_t cards = moves.plays & (rules.kinds_of[P_DRAW] | turn_cards(view))
    cdef int kind
    if cards:
        return index_of_play(moves, lowest_bit(cards))
    cards = moves.targeted & rules.kinds_of[P_STEAL_HAND]
    if cards:
        kind = lowest_bit(cards)
        return index_of_way(moves, kind, most_dangerous(view, moves.sources[rules.source[kind]][0]))
    return -1


cdef int build(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Bring the most dollars onto the table at once, from the hand or another table; -1 where nothing does."""
    cdef const rules_t *rules = view.rules
    cdef uint64_t cards
    cdef int kind, merch, worth, best_worth = 0, index = -1
    cdef theft_t theft
    if moves.tables:
        merch = best_merch(rules, merch_among(rules, moves.tables))
        best_worth = rules.value[merch]
        index = index_of_table(moves, rules.kind_of[merch])
        cards = moves.plays & rules.kinds_of[P_TABLE_MORE]
        if cards:
            kind = lowest_bit(cards)
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
        if theft.value >= best_worth:
            best_worth = theft.value
            index = index_of_theft(moves, kind, theft)
    if index == -1:
        cards = moves.plays & (rules.kinds_of[P_TAKE_MERCH] | rules.kinds_of[P_FIND_MERCH])
        if cards:
            index = index_of_play(moves, lowest_bit(cards))
    return index


cdef int cover(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Put the ticket under Hands Off or the best Merch under protection; -1 where neither can be done."""
    cdef const rules_t *rules = view.rules
    cdef uint64_t cards = moves.targeted & rules.kinds_of[P_PROTECT_HAND]
    if cards and has_ticket(view):
        return index_of_cover(moves, lowest_bit(cards), lowest_bit(view.hand.kinds & rules.tickets))
    cards = moves.targeted & rules.kinds_of[P_PROTECT_MERCH]
    if cards:
        return index_of_protect(moves, lowest_bit(cards), best_merch(rules, view.table.unprotected[view.seat]))
    return -1


cdef int put_down(const view_t *view, const move_set_t *moves) noexcept nogil:
    cdef const rules_t *rules = view.rules
    cdef uint64_t cards = moves.plays & rules.kinds_of[P_TAKE_READ]
    cdef int index = -1
    cdef bint rich = rich_enough(view)
    if cards:
        return index_of_play(moves, lowest_bit(cards))
    if not has_ticket(view):
        index = dig(view, moves)
    if index == -1 and not rich:
        index = build(view, moves)
    if index == -1:
        index = cover(view, moves)
    if index == -1:
        index = dig(view, moves)
    if index == -1 and rich:
        index = build(view, moves)
    if index != -1:
        return index
    if moves.targeted:
        return index_of_any(view, moves, lowest_bit(moves.targeted))
    return index_of_sacrifice(view, moves, rules.kinds_of[P_TAKE_READ] | reactions(rules))


cdef bint worth_a_reaction(const view_t *view) noexcept nogil:
    cdef int family = view.rules.family[view.table.action.kind]
    if not is_target(view) or family == F_READ:
        return True
    if family == F_HAND:
        return has_ticket(view)
    return family == F_MERCH and loss(view) >= BIG_LOSS


cdef int react(const view_t *view, const move_set_t *moves) noexcept nogil:
    cdef const rules_t *rules = view.rules
    cdef bint read_at_stake = rules.family[view.table.action.kind] == F_READ
    if not worth_a_reaction(view):
        return 0
    # What cancels the taking of Read is kept for that while it has Read.
    if has_read(view) and not read_at_stake and not moves.options & ~rules.cancels[F_READ]:
        return 0
    return index_of_cheapest_reaction(view, moves)


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    if moves.decision == PUT_DOWN:
        return put_down(view, moves)
    if moves.decision == ESCAPE:
        return 0
    if moves.decision == REACT:
        return react(view, moves)
    return index_of_best(view, moves)


def bind():
    """Bind the strategy; it has no parameters."""
    return native_strategy(decide, NULL, 0, 0)
