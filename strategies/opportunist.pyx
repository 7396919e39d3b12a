"""`opportunist`: one step ahead, never two.

It looks at each move it could make, pictures the table right after it, and takes the move after which it likes the
table best. It likes, in dollars: its own tabled Merch up to the threshold, beyond that a quarter of it; a fifth more of
what is protected; Read, from $60 with an empty table to $360 when rich enough; an Escape Ticket $200, a further one
$30; a card that takes Read $90, a reaction $50, other Actions $15, Merch in the hand a third of its value, a card
unknown $25. What it likes on the strongest other table it dislikes by a third, on every other by a sixth, and more
where a seat lacks nothing that can be seen. A table from which it can leave is worth more than all else. What a move
may bring by chance counts as the likeliest or the average card.

Good against whoever leaves something lying about. It has no plan: what pays only after two turns it does not see.
"""
from libc.stdint cimport int64_t, uint64_t

from rsc_sim.strategy cimport (ESCAPE, F_HAND, F_MERCH, F_PROTECT, F_READ, F_TURN, MAX_SEATS, NONE, PUT_DOWN,
                               P_DRAW, P_EXTRA_TURN, P_FIND_MERCH, P_PROTECT_HAND, P_PROTECT_MERCH,
                               P_RETURN_MERCH, P_SKIP_TURN, P_STEAL_HAND, P_STEAL_HIGHEST_MERCH,
                               P_STEAL_LOWEST_MERCH, P_STEAL_MERCH, P_STEAL_PROTECT, P_TABLE_MORE, P_TAKE_MERCH,
                               P_TAKE_READ, REACT, V_DISCARD, V_TABLE, best_merch, has_read, has_ticket,
                               highest_takeable, index_of_best, index_of_cheapest_reaction, is_target, loss,
                               lowest_takeable, move_at, move_count, move_set_t, move_t, native_strategy,
                               rules_t, turn_cards, view_t, worth_tabling, would_win)

cdef enum:
    READ = 60             # dollars that Read is worth on an empty table,
    READ_READY = 300      # and how much more at the threshold;
    TICKET = 200          # a first Escape Ticket,
    SPARE_TICKET = 30     # a further one,
    READ_CARD = 90        # a card that takes Read,
    REACTION = 50         # a reaction,
    ACTION = 15           # another Action,
    UNKNOWN = 25          # a card that is yet to be drawn;
    COULD_GO = 500        # a seat that lacks nothing that can be seen;
    MISSED = 40           # a turn that is missed,
    EXTRA = 45            # a further one
    LEAVING = 1000000     # a table from which the seat can leave


ctypedef struct after_t:  # how the table looks after a move
    int merch[MAX_SEATS]
    int holder
    int hand              # what the hand is worth more than before
    int covered           # value that gets a protection, less what it costs others


cdef int card_worth(const view_t *view, int kind) noexcept nogil:
    """Return the dollars that a card is worth in the hand."""
    cdef const rules_t *rules = view.rules
    if rules.merch >> kind & 1:
        return rules.value[rules.merch_of[kind]] // 3
    if rules.tickets >> kind & 1:
        return TICKET if view.hand.copies[kind] == 1 else SPARE_TICKET
    if rules.primitive[kind] == P_TAKE_READ:
        return READ_CARD
    return ACTION if rules.primitive[kind] else REACTION


cdef int stand(const view_t *view, int merch, bint read) noexcept nogil:
    """Return the dollars that a table is worth to its seat."""
    cdef int threshold = view.rules.escape_threshold, worth
    if merch >= threshold:
        worth = threshold + (merch - threshold) // 4
        return worth + READ + READ_READY if read else worth
    if read:
        return merch + READ + <int>(<double>READ_READY * merch / threshold)
    return merch


cdef int liking(const view_t *view, const after_t *after, bint ticket) noexcept nogil:
    """Return how much the seat likes a table, in dollars."""
    cdef int seat, worth, own, strongest = 0, others = 0
    cdef bint rich = after.merch[view.seat] >= view.rules.escape_threshold
    own = stand(view, after.merch[view.seat], after.holder == view.seat) + after.hand + after.covered // 5
    if ticket and rich and after.holder == view.seat:
        own += LEAVING
    for seat in range(view.table.seats):
        if seat == view.seat:
            continue
        worth = stand(view, after.merch[seat], after.holder == seat)
        if after.holder == seat and after.merch[seat] >= view.rules.escape_threshold:
            worth += COULD_GO
        others += worth
        if worth > strongest:
            strongest = worth
    return own - strongest // 3 - others // 6


cdef after_t as_it_is(const view_t *view) noexcept nogil:
    cdef after_t after
    cdef int seat
    for seat in range(MAX_SEATS):
        after.merch[seat] = view.table.merch[seat]
    after.holder = view.table.read_holder
    after.hand = 0
    after.covered = 0
    return after


cdef int may_find(const view_t *view, int kind) noexcept nogil:
    """Return the dollars of what a card finds in the piles, if it is there."""
    cdef const rules_t *rules = view.rules
    if rules.primitive[kind] == P_FIND_MERCH:
        return rules.value[rules.merch_of[rules.find_kind[kind]]]
    return rules.value[best_merch(rules, rules.capped[kind])] if rules.capped[kind] else 0


cdef void picture(const view_t *view, const move_t *move, after_t *after) noexcept nogil:
    """Change the table as a put-down would."""
    cdef const rules_t *rules = view.rules
    cdef int seat = view.seat, target = move.target, primitive, value = 0
    after.hand -= card_worth(view, move.kind)
    if move.verb == V_DISCARD:
        return
    if move.verb == V_TABLE:
        after.merch[seat] += rules.value[rules.merch_of[move.kind]]
        return
    primitive = rules.primitive[move.kind]
    if move.choice != NONE and primitive != P_PROTECT_HAND:
        value = rules.value[rules.merch_of[move.choice]]
    elif primitive == P_STEAL_HIGHEST_MERCH:
        value = rules.value[highest_takeable(rules, view.table, target)]
    elif primitive == P_STEAL_LOWEST_MERCH:
        value = rules.value[lowest_takeable(rules, view.table, target)]
    if primitive == P_TAKE_READ:
        after.holder = seat
    elif primitive == P_TABLE_MORE:
        value = worth_tabling(view, rules.count[move.kind])
        after.merch[seat] += value
        after.hand -= value // 3
    elif primitive == P_TAKE_MERCH or primitive == P_FIND_MERCH:
        after.merch[seat] += may_find(view, move.kind)
    elif primitive == P_DRAW:
        after.hand += UNKNOWN * rules.count[move.kind]
    elif primitive == P_EXTRA_TURN:
        after.hand += EXTRA if turn_cards(view) else 0
    elif (primitive == P_STEAL_MERCH or primitive == P_STEAL_HIGHEST_MERCH
            or primitive == P_STEAL_LOWEST_MERCH):
        after.merch[target] -= value
        after.merch[seat] += value
    elif primitive == P_RETURN_MERCH:
        after.merch[target] -= value * 2 // 3
    elif primitive == P_STEAL_PROTECT:
        after.covered += rules.value[rules.merch_of[move.own]] + value // 3
    elif primitive == P_PROTECT_MERCH:
        after.covered += value
    elif primitive == P_PROTECT_HAND:
        after.hand += card_worth(view, move.choice) // 10
    else:
        # A card that a hand loses, or a turn, weighs by how near its seat is to leaving.
        after.merch[target] -= MISSED if primitive == P_SKIP_TURN else UNKNOWN
        after.hand += UNKNOWN if primitive == P_STEAL_HAND else 0
        if after.holder == target and view.table.merch[target] >= rules.escape_threshold:
            after.hand += COULD_GO // 4


cdef int put_down(const view_t *view, const move_set_t *moves) noexcept nogil:
    cdef int i, best = 0, distance
    cdef int64_t liked, most = <int64_t>-0x7FFFFFFFFFFFFFFF
    cdef bint ticket
    cdef after_t before = as_it_is(view), after
    cdef move_t move
    for i in range(move_count(moves)):
        move = move_at(moves, i)
        after = before
        picture(view, &move, &after)
        ticket = has_ticket(view)
        if view.rules.tickets >> move.kind & 1:
            ticket = (view.hand.kinds & view.rules.tickets & ~(<uint64_t>1 << move.kind)) != 0
            ticket = ticket or view.hand.copies[move.kind] > 1
        # Where moves are liked alike, the one against the next seat clockwise: seat numbers must not matter.
        distance = (move.target - view.seat + view.table.seats) % view.table.seats if move.target != NONE else 0
        liked = <int64_t>liking(view, &after, ticket) * MAX_SEATS - distance
        if liked > most:
            most = liked
            best = i
    return best


cdef int at_stake(const view_t *view) noexcept nogil:
    """Return how much less the seat would like the table if the Action against it took effect."""
    cdef const rules_t *rules = view.rules
    cdef int family = rules.family[view.table.action.kind], seat = view.seat, by = view.table.seat_up, value
    cdef bint ticket = has_ticket(view)
    cdef after_t before = as_it_is(view), after = before
    if family == F_READ:
        after.holder = by
    elif family == F_MERCH:
        value = loss(view)
        after.merch[seat] -= value
        if rules.primitive[view.table.action.kind] == P_RETURN_MERCH:
            after.hand += value // 3
        else:
            after.merch[by] += value
    elif family == F_PROTECT:
        after.covered -= loss(view)
    elif family == F_HAND:
        after.hand -= UNKNOWN + (TICKET // view.table.hand_n[seat] if ticket and view.table.hand_n[seat] else 0)
    elif family == F_TURN:
        after.hand -= MISSED + (COULD_GO // 2 if has_read(view) and ticket else 0)
    return liking(view, &before, False) - liking(view, &after, False)


cdef int react(const view_t *view, const move_set_t *moves) noexcept nogil:
    """Cancel what costs more than the reaction is worth; defend an own Action, for a reaction was spent on it."""
    if is_target(view) and at_stake(view) <= REACTION:
        return 0
    return index_of_cheapest_reaction(view, moves)


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
