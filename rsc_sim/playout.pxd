"""Looking ahead: worlds that agree with all a seat knows, and games played on in them.

Part of the contract of strategies that search. `survey` writes down, once a decision, what a view says of the game:
everything public, the own hand, and the cards that are neither, with what the seat remembers of where they are.
`imagine` deals those unseen cards at random to the other hands and the pick-up pile: a world that could be the real
one. `make_move` and `play_on` then play such a world with the engine's own rules. Nothing here reads more than a view
and a move set, so a world can tell nothing that the seat does not know. Worlds keep no log, no tallies, no memory.
"""
from libc.stdint cimport int32_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset

from rsc_sim.engine.bits cimport bit, lowest_bit
from rsc_sim.engine.effects cimport update_leader
from rsc_sim.engine.rng cimport STREAM_HAND_PICK, STREAM_SEARCH, STREAM_STRATEGY, bounded, next64, open_stream, rng_t
from rsc_sim.engine.turn cimport FIRST_WINDOW, PUTTING_DOWN, RESOLVING, SECOND_WINDOW, advance, apply, list_moves
from rsc_sim.engine.types cimport *

ctypedef game_t world_t                 # a whole game that a seat imagines


ctypedef struct survey_t:               # what a view says, ready to be filled with guesses
    world_t known                       # the game without the cards that are unseen
    int32_t n_unseen
    uint8_t unseen[MAX_CARDS + 1]       # kinds, one a copy: in another hand or in the pick-up pile, nobody knows
    int32_t n_buried
    uint8_t buried[MAX_KINDS]           # kinds of which a copy must lie in the pick-up pile, Read among them
    uint8_t most[MAX_KINDS]             # copies of each kind that the pick-up pile can hold
    int32_t n_seen[MAX_SEATS]           # cards of each hand that the seat has seen enter it
    uint8_t seen[MAX_SEATS][MAX_CARDS + 1]
    bint weighed                        # where cards lie is guessed by `kept`, and by who has not left; else all alike
    uint8_t kept[MAX_KINDS]             # 1 to 255: how likely a copy of a kind is to be in a hand, against others


ctypedef int (*policy_t)(const view_t *view, const move_set_t *moves, const void *parameters) noexcept nogil


cdef inline int asked_phase(const view_t *view) noexcept nogil:
    """Return the engine's phase in which the view's decision is asked."""
    cdef const public_t *table = view.table
    cdef const event_t *event
    cdef uint32_t i
    if view.decision == PUT_DOWN:
        return PUTTING_DOWN
    if view.decision != ESCAPE:
        return RESOLVING
    for i in range(1, <uint32_t>N_PUBLIC_EVENTS + 1):
        if i > table.n_events:
            break
        event = &table.events[(table.n_events - i) & (N_PUBLIC_EVENTS - 1)]
        if event.turn != <uint16_t>table.turn:
            break
        if event.seat == view.seat and (event.what == V_DISCARD or event.what == V_TABLE or event.what == V_PLAY):
            return SECOND_WINDOW
    return FIRST_WINDOW


cdef inline int left_to_table(const view_t *view) noexcept nogil:
    """Return how many Merch, at least 1, the table_more that is being played may still table."""
    cdef const public_t *table = view.table
    cdef int what, left = view.rules.count[table.action.kind]
    cdef uint32_t i
    for i in range(1, <uint32_t>N_PUBLIC_EVENTS + 1):
        if i > table.n_events:
            break
        what = table.events[(table.n_events - i) & (N_PUBLIC_EVENTS - 1)].what
        if what != V_TABLE:
            break
        left -= 1
    return left if left > 1 else 1


cdef inline int known_elsewhere(const memory_t *memory, int kind) noexcept nogil:
    """Return how many copies of a kind are known to lie in other hands or in the pick-up pile."""
    cdef int seat, n = 0
    if memory != NULL:
        for seat in range(MAX_SEATS):
            n += memory.seen[seat][kind]
        if memory.pile[kind] > memory.pile_unseen and not memory.pile_lacks >> kind & 1:
            n += memory.pile[kind] - memory.pile_unseen
    return n


cdef inline void survey(const view_t *view, const move_set_t *moves, survey_t *out) noexcept nogil:
    """Write down all that is known at the decision that is asked."""
    cdef const rules_t *rules = view.rules
    cdef const public_t *table = view.table
    cdef world_t *g = &out.known
    cdef const memory_t *memory = view.memory
    cdef int kind, seat, merch, n, i, _, beneath = 0, hidden_n
    memset(g, 0, sizeof(world_t))
    g.table = table[0]
    g.rules = rules
    g.phase = asked_phase(view)
    g.decision = view.decision
    g.asked = view.seat
    g.options = moves.options
    g.to_table = left_to_table(view) if view.decision == TABLE_MORE else 0
    g.streak = 1
    g.streak_seat = table.seat_up
    g.leader = NONE
    g.read_dealt = NONE
    g.escaper = NONE
    g.intervention.seat = NONE
    update_leader(g)
    for seat in range(MAX_SEATS):
        g.hidden.hand[seat].hands_off = NONE
    g.hidden.hand[view.seat] = view.hand

    for seat in range(table.seats):
        for merch in range(rules.n_merch):
            beneath += table.protections[seat][merch]
    out.weighed = False
    out.n_unseen = 0
    out.n_buried = 0
    hidden_n = table.pile_n
    for seat in range(table.seats):
        hidden_n += table.hand_n[seat] if seat != view.seat else 0
    for seat in range(table.seats):
        out.n_seen[seat] = 0
    for kind in range(rules.n_kinds):
        n = rules.copies[kind] - view.hand.copies[kind] - table.discards[kind]
        out.most[kind] = 255
        if memory != NULL:
            if memory.pile_lacks >> kind & 1:
                out.most[kind] = 0
            elif memory.pile_known:
                out.most[kind] = memory.pile[kind]
        if kind == rules.read_kind:
            if table.read_holder == NONE and table.pile_n:
                out.buried[out.n_buried] = <uint8_t>kind
                out.n_buried += 1
            continue
        merch = rules.merch_of[kind]
        if merch != 255:
            for seat in range(table.seats):
                n -= table.tabled[seat][merch]
        if table.action.verb and table.action.kind == kind:
            n -= 1
        if rules.primitive[kind] == P_PROTECT_MERCH:
            # Which of several kinds lies beneath is not kept: the first in the file is taken to, as far as it is not
            # known to be elsewhere.
            i = n - known_elsewhere(memory, kind)
            i = i if i < beneath else beneath
            if i > 0:
                n -= i
                beneath -= i
        if memory != NULL:
            for seat in range(table.seats):
                for _ in range(memory.seen[seat][kind]):
                    if n > 0 and out.n_seen[seat] < table.hand_n[seat]:
                        out.seen[seat][out.n_seen[seat]] = <uint8_t>kind
                        out.n_seen[seat] += 1
                        hidden_n -= 1
                        n -= 1
        for _ in range(n):
            if out.n_unseen + out.n_buried < MAX_CARDS:
                out.unseen[out.n_unseen] = <uint8_t>kind
                out.n_unseen += 1
    if view.decision == TAKE and not (memory != NULL and memory.pile_known):
        look_through_pile(view, moves, out)
    # A position made by hand need not add up to the deck.
    while out.n_unseen + out.n_buried < hidden_n:
        kind = out.n_unseen % rules.n_kinds
        out.unseen[out.n_unseen] = <uint8_t>(kind if kind != rules.read_kind else (kind + 1) % rules.n_kinds)
        out.n_unseen += 1


cdef inline void look_through_pile(const view_t *view, const move_set_t *moves, survey_t *out) noexcept nogil:
    """Take in what a `take` shows: Merch that is not in reach is not in the pick-up pile, what is in reach and not in
    the discard pile is.
    """
    cdef const rules_t *rules = view.rules
    cdef uint64_t capped = rules.capped[view.table.action.kind]
    cdef int kind, i
    if not rules.switches & SW_AVAILABLE_PICKUP:
        return
    while capped:
        kind = rules.kind_of[lowest_bit(capped)]
        capped &= capped - 1
        if not moves.options >> kind & 1:
            out.most[kind] = 0
        elif not (rules.switches & SW_AVAILABLE_DISCARD and view.table.discards[kind]):
            for i in range(out.n_unseen):
                if out.unseen[i] == kind:
                    out.n_unseen -= 1
                    out.unseen[i] = out.unseen[out.n_unseen]
                    out.buried[out.n_buried] = <uint8_t>kind
                    out.n_buried += 1
                    break


cdef inline void hold_back(const survey_t *known, rng_t *rng, uint8_t *cards) noexcept nogil:
    """Reorder shuffled cards so that those that hands keep come last, where they are dealt to hands: each next card
    from the end is drawn by weight (Wallenius's distribution), by rejection.
    """
    cdef int n = known.n_unseen, piled = known.known.table.pile_n - known.n_buried, i = n, j
    cdef uint8_t kind
    while i > 1 and i > piled:
        j = bounded(rng, i)
        while bounded(rng, 255) >= known.kept[cards[j]]:
            j = bounded(rng, i)
        i -= 1
        kind = cards[i]
        cards[i] = cards[j]
        cards[j] = kind


cdef inline bint lacks_ticket(const survey_t *known, int seat) noexcept nogil:
    """Say whether another seat would have left, had it a ticket."""
    cdef const public_t *table = &known.known.table
    return table.read_holder == seat and table.merch[seat] >= known.known.rules.escape_threshold


cdef inline void give_tickets_on(const survey_t *known, uint8_t *held, int first, int last, int n_held,
                                 hidden_t *hidden, int n_piled) noexcept nogil:
    """Exchange the tickets of held[first:last] for other cards of later hands, or of the pick-up pile where it can hold
    them.
    """
    cdef const rules_t *rules = known.known.rules
    cdef int i, other = last, piled = 0, kind, instead
    for i in range(first, last if last < n_held else n_held):
        kind = held[i]
        if not rules.tickets >> kind & 1:
            continue
        while other < n_held and rules.tickets >> held[other] & 1:
            other += 1
        if other < n_held:
            held[i] = held[other]
            held[other] = <uint8_t>kind
            continue
        while piled < n_piled and (hidden.pile[piled] == rules.read_kind or rules.tickets >> hidden.pile[piled] & 1
                                   or known.n_buried):
            piled += 1
        if piled < n_piled and hidden.in_pile[kind] < known.most[kind]:
            instead = hidden.pile[piled]
            hidden.pile[piled] = <uint8_t>kind
            hidden.in_pile[kind] += 1
            hidden.in_pile[instead] -= 1
            held[i] = <uint8_t>instead


cdef inline void imagine(const survey_t *known, rng_t *rng, world_t *world) noexcept nogil:
    """Deal the unseen cards: a world that agrees with all that is known, its chance still to come drawn from `rng`."""
    cdef const rules_t *rules = known.known.rules
    cdef hidden_t *hidden = &world.hidden
    cdef public_t *table = &world.table
    cdef hand_t *hand
    cdef uint8_t cards[MAX_CARDS + 1]
    cdef uint8_t held[MAX_CARDS + 1]
    cdef int i, j, _, kind, seat, n_piled = 0, n_held = 0, at = 0, left, first
    cdef int n = known.n_unseen, pile_n = known.known.table.pile_n
    memcpy(world, &known.known, sizeof(world_t))
    world.stream_base = next64(rng)
    open_stream(&world.hand_pick, world.stream_base, STREAM_HAND_PICK, 0)
    open_stream(&world.search, world.stream_base, STREAM_SEARCH, 0)
    for seat in range(table.seats):
        open_stream(&world.strategy[seat], world.stream_base, STREAM_STRATEGY, <uint64_t>seat)
    for i in range(n):
        j = bounded(rng, i + 1)
        cards[i] = cards[j]
        cards[j] = known.unseen[i]
    if known.weighed:
        hold_back(known, rng, cards)
    for i in range(known.n_buried):
        if n_piled < pile_n:
            kind = known.buried[i]
            hidden.pile[n_piled] = <uint8_t>kind
            hidden.in_pile[kind] += 1
            n_piled += 1
    for i in range(n):
        kind = cards[i]
        if n_piled < pile_n and hidden.in_pile[kind] < known.most[kind]:
            hidden.pile[n_piled] = <uint8_t>kind
            hidden.in_pile[kind] += 1
            n_piled += 1
        else:
            held[n_held] = <uint8_t>kind
            n_held += 1
    while n_piled < pile_n and n_held:  # what is remembered cannot hold in a position made by hand
        n_held -= 1
        kind = held[n_held]
        hidden.pile[n_piled] = <uint8_t>kind
        hidden.in_pile[kind] += 1
        n_piled += 1
    table.pile_n = n_piled
    for i in range(known.n_buried if known.n_buried < n_piled else n_piled):
        j = i + bounded(rng, n_piled - i)
        kind = hidden.pile[i]
        hidden.pile[i] = hidden.pile[j]
        hidden.pile[j] = <uint8_t>kind
    seat = known.known.asked
    if known.weighed:
        for i in range(n_held):
            j = i + bounded(rng, n_held - i)
            kind = held[i]
            held[i] = held[j]
            held[j] = <uint8_t>kind
    for _ in range(table.seats - 1):
        seat = seat + 1 if seat + 1 < table.seats else 0
        hand = &hidden.hand[seat]
        if known.weighed and lacks_ticket(known, seat):
            first = at + table.hand_n[seat] - known.n_seen[seat]
            give_tickets_on(known, held, at, first, n_held, hidden, n_piled)
        left = table.hand_n[seat] - known.n_seen[seat]
        for i in range(known.n_seen[seat]):
            hand.copies[known.seen[seat][i]] += 1
            hand.kinds |= bit(known.seen[seat][i])
        while left and at < n_held:
            hand.copies[held[at]] += 1
            hand.kinds |= bit(held[at])
            at += 1
            left -= 1
        table.hand_n[seat] -= <uint8_t>left
        if table.hands_off_n[seat]:
            if hand.kinds == 0:
                table.hands_off_n[seat] = 0
            else:
                hand.hands_off = <int8_t>lowest_bit(hand.kinds & rules.tickets if hand.kinds & rules.tickets
                                                    else hand.kinds)


cdef inline void make_move(world_t *world, const move_set_t *moves, int index) noexcept nogil:
    """Make the move of that index at the decision that the world stands at."""
    apply(world, moves, index)


cdef inline int play_on(world_t *world, policy_t policy, const void *parameters, int turns) noexcept nogil:
    """Let a policy play every seat to the end, or to the first put-down after that many turns; say if it is over."""
    cdef view_t view
    cdef move_set_t moves
    cdef int seat, last = world.table.turn + turns
    view.rules = world.rules
    view.table = &world.table
    view.memory = NULL
    view.scratch = NULL
    while advance(world) != OVER:
        if world.table.turn >= last and world.decision == PUT_DOWN:
            return 0
        seat = world.asked
        view.hand = world.hidden.hand[seat]
        view.rng = &world.strategy[seat]
        view.seat = seat
        view.decision = world.decision
        list_moves(world, &view.hand, &moves)
        apply(world, &moves, policy(&view, &moves, parameters))
    return 1


cdef inline double share_won(const world_t *world, int seat) noexcept nogil:
    """Return what a seat wins of a game that is over: 1, 1/m in an m-way tie, 0."""
    cdef int score, own, s, at_top = 0
    if world.end != END_ESCAPE and not world.rules.switches & SW_UNFINISHED_SCORE:
        return 0
    own = world.table.merch[seat] + (world.rules.read_points if world.table.read_holder == seat else 0)
    for s in range(world.table.seats):
        score = world.table.merch[s] + (world.rules.read_points if world.table.read_holder == s else 0)
        if score > own:
            return 0
        at_top += score == own
    return 1.0 / at_top
