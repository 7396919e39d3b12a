"""`raider`: what the others build, it takes.

Weighs every card in dollars like a merchant, but a dollar taken from the richest table counts double: it comes and it
goes. It robs hands and makes seats miss their turn when they are about to leave, that is when they display Read and are
rich enough; then it also takes Read. It tables its own best Merch when no loot is better. Its reactions wait for what
matters: Read, a ticket in its hand, Merch of $200 and more.

Good against collectors and whoever leads. Against players who table little it finds little to take.
"""
from libc.stdint cimport uint64_t

from rsc_sim.strategy cimport (ESCAPE, F_HAND, F_MERCH, F_READ, F_TURN, NONE, PUT_DOWN, P_DISCARD_HAND, P_DRAW,
                               P_EXTRA_TURN, P_PROTECT_MERCH, P_RETURN_MERCH, P_SKIP_TURN, P_STEAL_HAND,
                               P_STEAL_HIGHEST_MERCH, P_STEAL_LOWEST_MERCH, P_STEAL_MERCH, P_STEAL_PROTECT,
                               P_TABLE_MORE, P_TAKE_MERCH, P_TAKE_READ, REACT, best_merch, best_theft, could_leave,
                               has_read, has_ticket, idle_plays, index_of_any, index_of_best,
                               index_of_cheapest_reaction, index_of_play, index_of_returned, index_of_sacrifice,
                               index_of_table, index_of_theft, index_of_way, is_target, loss, lowest_bit, merch_among,
                               most_dangerous, move_set_t, native_strategy, reactions, rules_t, stealable, theft_t,
                               view_t, worth_tabling, would_win)

cdef enum:
    DRAWN = 25            # dollars that a card drawn is worth,
    TURN = 50             # a further turn,
    ROBBED = 40           # a card out of another hand,
    SPOILED = 15          # a card that another hand loses;
    ALARM = 150           # more for what stops a seat that is about to leave
    BIG_LOSS = 200        # a theft that is worth a reaction


cdef bint about_to_leave(const view_t *view, int seat) noexcept nogil:
    """Say whether a seat lacks nothing that can be seen."""
    return view.table.read_holder == seat and view.table.merch[seat] >= view.rules.escape_threshold


cdef int against_seat(const view_t *view, const move_set_t *moves, int kind, int worth, int *target) noexcept nogil:
    """Return what a card against a hand or a turn is worth, and against whom."""
    target[0] = most_dangerous(view, moves.sources[view.rules.source[kind]][0])
    return worth + ALARM if about_to_leave(view, target[0]) else worth


cdef int put_down(const view_t *view, const move_set_t *moves) noexcept nogil:
    cdef const rules_t *rules = view.rules
    cdef uint64_t rest = moves.plays & rules.kinds_of[P_TAKE_READ]
    cdef int kind, primitive, merch, worth, at, index = NONE, best_worth = 0, target = NONE
    cdef theft_t theft
    if rest and (could_leave(view) or about_to_leave(view, view.table.read_holder)):
        return index_of_play(moves, lowest_bit(rest))
    if moves.tables:
        merch = best_merch(rules, merch_among(rules, moves.tables))
        best_worth = rules.value[merch]
        index = index_of_table(moves, rules.kind_of[merch])

    rest = moves.targeted
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        primitive = rules.primitive[kind]
        at = NONE
        if primitive == P_STEAL_MERCH or primitive == P_STEAL_HIGHEST_MERCH or primitive == P_STEAL_LOWEST_MERCH:
            theft = best_theft(view, moves, kind)
            worth = 2 * theft.value
            if worth >= best_worth:
                at = index_of_theft(moves, kind, theft)
        elif primitive == P_RETURN_MERCH:
            merch = best_merch(rules, stealable(moves, kind))
            worth = rules.value[merch]
            if worth >= best_worth:
                at = index_of_returned(view, moves, kind)
        elif primitive == P_STEAL_HAND or primitive == P_DISCARD_HAND or primitive == P_SKIP_TURN:
            worth = ROBBED if primitive == P_STEAL_HAND else SPOILED
            worth = against_seat(view, moves, kind, worth, &target)
            if worth >= best_worth:
                at = index_of_way(moves, kind, target)
        elif primitive == P_STEAL_PROTECT or primitive == P_PROTECT_MERCH:
            merch = best_merch(rules, view.table.unprotected[view.seat])
            worth = rules.value[merch] // 3
            if worth >= best_worth:
                at = index_of_any(view, moves, kind)
        else:
            continue
        if at != NONE:
            best_worth = worth
            index = at

    rest = idle_plays(view, moves)
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        primitive = rules.primitive[kind]
        if primitive == P_TABLE_MORE:
            worth = worth_tabling(view, rules.count[kind])
        elif primitive == P_DRAW:
            worth = DRAWN * rules.count[kind]
        elif primitive == P_EXTRA_TURN:
            worth = TURN
        elif primitive == P_TAKE_MERCH:
            worth = rules.value[best_merch(rules, rules.capped[kind])] if rules.capped[kind] else 0
        else:
            worth = rules.value[rules.merch_of[rules.find_kind[kind]]]
        if worth >= best_worth:
            best_worth = worth
            index = index_of_play(moves, kind)
    if index != NONE:
        return index
    if moves.targeted:
        return index_of_any(view, moves, lowest_bit(moves.targeted))
    return index_of_sacrifice(view, moves, rules.kinds_of[P_TAKE_READ] | reactions(rules))


cdef bint matters(const view_t *view) noexcept nogil:
    """Say whether the Action that is played is worth a reaction."""
    cdef int family = view.rules.family[view.table.action.kind]
    if not is_target(view) or family == F_READ:
        return True
    if family == F_MERCH:
        return loss(view) >= BIG_LOSS
    if family == F_HAND:
        return has_ticket(view)
    return family == F_TURN and has_read(view) and could_leave(view)


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    if moves.decision == PUT_DOWN:
        return put_down(view, moves)
    if moves.decision == ESCAPE:
        return 0 if would_win(view) else 1
    if moves.decision == REACT:
        return index_of_cheapest_reaction(view, moves) if matters(view) else 0
    return index_of_best(view, moves)


def bind():
    """Bind the strategy; it has no parameters."""
    return native_strategy(decide, NULL, 0, 0)
