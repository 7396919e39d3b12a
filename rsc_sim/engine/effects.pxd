"""What changes the table: cards going from place to place, and what each primitive does once it resolves.

Each primitive of the rules page is one function of the same name. They assume a legal move and keep every derived
figure (masks, counts, values, the leader) in step with the cards, so that nothing else has to.
"""
from libc.stdint cimport int32_t, int8_t, uint16_t, uint64_t, uint8_t
from libc.stdlib cimport realloc
from libc.string cimport memmove

from rsc_sim.engine.bits cimport bit, load64, lowest_bit, rotl, store64
from rsc_sim.engine.memory cimport (look_through_pile, pile_is_renewed, saw_draw, saw_leave_hand, saw_leave_pile,
                                    saw_pile_lacks, saw_return, saw_steal_hand)
from rsc_sim.engine.moves cimport highest_takeable, lowest_takeable
from rsc_sim.engine.rng cimport STREAM_INTERVENTION, STREAM_RENEWAL, bounded, open_stream, rng_t
from rsc_sim.engine.types cimport *


# ---- what is remembered of it: trace, log, public events

cdef inline void hash_in(game_t *g, uint64_t code) noexcept nogil:
    """Take one happening into the trace (docs/contracts.md, section 6)."""
    g.trace = (rotl(g.trace, 23) ^ code) * <uint64_t>0x9E3779B97F4A7C15


cdef inline void hash_move(game_t *g, const move_t *move) noexcept nogil:
    cdef const uint64_t *tag = &g.rules.tag[0]
    hash_in(g, move.verb + 256 * <uint64_t>(move.target + 1) + tag[move.kind & (N_TAGS - 1)]
            + rotl(tag[move.choice & (N_TAGS - 1)], 21) + rotl(tag[move.own & (N_TAGS - 1)], 42))


cdef inline void write_log(game_t *g, int what, int seat, int kind, int target, int choice, int own,
                           int index, int of) noexcept nogil:
    cdef log_t *log = g.log
    cdef log_entry_t *entry
    cdef void *grown
    if log.n == log.room:
        grown = realloc(log.entries, 2 * (log.room + 64) * sizeof(log_entry_t))
        if grown == NULL:
            log.failed = True
            return
        log.entries = <log_entry_t *>grown
        log.room = 2 * (log.room + 64)
    entry = &log.entries[log.n]
    log.n += 1
    entry.turn = g.table.turn
    entry.index = index
    entry.of = of
    entry.what = <uint8_t>what
    entry.seat = <int8_t>seat
    entry.kind = <int8_t>kind
    entry.target = <int8_t>target
    entry.choice = <int8_t>choice
    entry.own = <int8_t>own


cdef inline void note(game_t *g, int what, int seat, int kind, int target) noexcept nogil:
    """Write what not everybody sees into the log, where one is kept."""
    if g.log != NULL:
        write_log(g, what, seat, kind, target, NONE, NONE, 0, 0)


cdef inline void announce(game_t *g, int what, int seat, int kind, int target, int choice, int own) noexcept nogil:
    """Let every seat know. Never call it with what a seat may not see, nor for `stay` and `pass`: being asked is a
    secret.
    """
    # One store of a word: putting an event together byte by byte cost 17 instructions a decision.
    write_event(g, <uint64_t><uint8_t>what << 24 | <uint64_t><uint8_t>kind << 32 | <uint64_t><uint8_t>target << 40
                | <uint64_t><uint8_t>choice << 48 | <uint64_t><uint8_t>own << 56, seat)


cdef inline void announce_move(game_t *g, int seat, const move_t *move) noexcept nogil:
    """Let every seat know of a move that hides nothing; a move's five bytes are the last five of its event."""
    write_event(g, load64(move) << 24, seat)


cdef inline void write_event(game_t *g, uint64_t what, int seat) noexcept nogil:
    store64(&g.table.events[g.table.n_events & (N_PUBLIC_EVENTS - 1)],
            what | <uint64_t><uint8_t>seat << 16 | <uint64_t><uint16_t>g.table.turn)
    g.table.n_events += 1


cdef inline void tell(game_t *g, int what, int seat, int kind, int target) noexcept nogil:
    """Let every seat know, and write it into the log."""
    announce(g, what, seat, kind, target, NONE, NONE)
    note(g, what, seat, kind, target)


cdef inline void count_card(game_t *g, int seat, int event, int kind) noexcept nogil:
    """Tally a card for a seat, where tallies are kept."""
    cdef uint16_t *count
    if g.tally != NULL:
        count = &g.tally.counts[seat][event][kind]
        count[0] += count[0] != 0xFFFF


# ---- hands and piles

cdef inline void add_to_hand(game_t *g, int seat, int kind) noexcept nogil:
    cdef hand_t *hand = &g.hidden.hand[seat]
    hand.copies[kind] += 1
    hand.kinds |= bit(kind)
    g.table.hand_n[seat] += 1


cdef inline void remove_from_hand(game_t *g, int seat, int kind) noexcept nogil:
    """Take one copy out of a hand: one that is not under Hands Off as long as there is one."""
    cdef hand_t *hand = &g.hidden.hand[seat]
    cdef uint8_t left = hand.copies[kind] - 1
    hand.copies[kind] = left
    g.table.hand_n[seat] -= 1
    if left == 0:
        hand.kinds &= ~bit(kind)
        if hand.hands_off == kind:
            hand.hands_off = NONE
            g.table.hands_off_n[seat] = 0


cdef inline void spend(game_t *g, int seat, int kind, int event) noexcept nogil:
    """Let a seat part with a card of its hand before everybody's eyes; `event` is the tally's word for it."""
    count_card(g, seat, event, kind)
    saw_leave_hand(g, seat, kind)
    remove_from_hand(g, seat, kind)


cdef inline void add_to_discards(game_t *g, int kind) noexcept nogil:
    g.table.discards[kind] += 1
    g.table.discard_kinds |= bit(kind)
    g.table.discard_n += 1


cdef inline void remove_from_discards(game_t *g, int kind) noexcept nogil:
    g.table.discards[kind] -= 1
    g.table.discard_n -= 1
    if g.table.discards[kind] == 0:
        g.table.discard_kinds &= ~bit(kind)


cdef inline int copy_in_pile(const game_t *g, int kind, rng_t *rng) noexcept nogil:
    """Return where in the pile array a uniformly chosen copy of a kind lies; the pile must hold one."""
    cdef int copies = g.hidden.in_pile[kind]
    cdef int left = 0 if copies == 1 else bounded(rng, copies)
    cdef int at = g.hidden.pile_front
    while True:
        if g.hidden.pile[at] == kind:
            if left == 0:
                return at
            left -= 1
        at += 1


cdef inline void remove_from_pile(game_t *g, int kind) noexcept nogil:
    """Take a uniformly chosen copy of a kind out of the pick-up pile."""
    cdef hidden_t *hidden = &g.hidden
    cdef int at = copy_in_pile(g, kind, &g.search)
    memmove(&hidden.pile[hidden.pile_front + 1], &hidden.pile[hidden.pile_front], at - hidden.pile_front)
    hidden.pile_front += 1
    hidden.in_pile[kind] -= 1
    g.table.pile_n -= 1


cdef inline void shuffle(uint8_t *out, const uint8_t *cards, int n, rng_t *rng) noexcept nogil:
    """Shuffle inside-out: every prefix of `cards` is shuffled by the same draws whatever follows it."""
    cdef int i, j
    for i in range(n):
        j = bounded(rng, i + 1)
        out[i] = out[j]
        out[j] = cards[i]


cdef inline bint renew_pile(game_t *g) noexcept nogil:
    """Shuffle the discard pile into a new pick-up pile; say whether there was anything to shuffle."""
    cdef hidden_t *hidden = &g.hidden
    cdef public_t *table = &g.table
    cdef uint8_t cards[MAX_CARDS + 8]
    cdef rng_t rng
    cdef int kind, i, n = 0
    cdef uint64_t kinds = table.discard_kinds
    if not g.rules.switches & SW_RECYCLE or table.discard_n == 0:
        return False
    while kinds:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        # Eight copies at a stroke: a loop over some two or three is mispredicted nearly every time.
        for i in range(0, table.discards[kind], 8):
            store64(&cards[n + i], kind * <uint64_t>0x0101010101010101)
        n += table.discards[kind]
        hidden.in_pile[kind] = table.discards[kind]
        table.discards[kind] = 0
    open_stream(&rng, g.stream_base, STREAM_RENEWAL, <uint64_t>g.renewals)
    g.renewals += 1
    shuffle(hidden.pile, cards, n, &rng)
    hidden.pile_front = 0
    table.pile_n = n
    table.discard_kinds = 0
    table.discard_n = 0
    pile_is_renewed(g)
    announce(g, E_RENEW, NONE, NONE, NONE, NONE, NONE)
    if g.log != NULL:
        write_log(g, E_RENEW, NONE, NONE, NONE, NONE, NONE, 0, n)
    return True


cdef inline int intervene(game_t *g, int seat, int card) noexcept nogil:
    """Let the card that is being dealt or drawn change places with a copy of the intervention's kind in the pile;
    return what it is now.
    """
    cdef intervention_t *iv = &g.intervention
    cdef rng_t rng
    cdef int at
    if card == iv.kind:
        iv.result = IV_SAME
        return card
    if g.hidden.in_pile[iv.kind] == 0:
        iv.result = IV_NONE_LEFT
        return card
    open_stream(&rng, g.stream_base, STREAM_INTERVENTION, 0)
    at = copy_in_pile(g, iv.kind, &rng)
    g.hidden.pile[at] = <uint8_t>card
    g.hidden.in_pile[iv.kind] -= 1
    g.hidden.in_pile[card] += 1
    iv.result = IV_SWAPPED
    note(g, E_SWAPPED, seat, iv.kind, NONE)
    return iv.kind


cdef inline int pick_up(game_t *g, int seat) noexcept nogil:
    """Draw one card; return its kind, or NONE when there is nothing to draw. Read goes to the Read slot at once."""
    cdef hidden_t *hidden = &g.hidden
    cdef int kind
    if g.table.pile_n == 0:
        if not renew_pile(g):
            note(g, E_EMPTY, seat, NONE, NONE)
            return NONE
    kind = hidden.pile[hidden.pile_front]
    hidden.pile_front += 1
    hidden.in_pile[kind] -= 1
    g.table.pile_n -= 1
    g.drew += 1
    g.draws[seat] += 1
    if g.intervention.seat == seat and g.intervention.n == g.draws[seat]:
        kind = intervene(g, seat, kind)
    hash_in(g, g.rules.tag[kind])
    count_card(g, seat, T_DRAWN, kind)
    saw_draw(g, seat, kind)
    announce(g, E_DRAW, seat, NONE, NONE, NONE, NONE)
    note(g, E_DRAW, seat, kind, NONE)
    if kind == g.rules.read_kind:
        g.table.read_holder = <int8_t>seat
        tell(g, E_DISPLAY, seat, NONE, NONE)
    else:
        add_to_hand(g, seat, kind)
    return kind


cdef inline void draw(game_t *g, int seat, int count) noexcept nogil:
    """Draw `count` cards; with `redraw_after_read` Read does not count as one of them."""
    cdef int _, kind
    for _ in range(count):
        kind = pick_up(g, seat)
        if kind == g.rules.read_kind and g.rules.switches & SW_REDRAW:
            kind = pick_up(g, seat)
        if kind == NONE:
            return


# ---- tables

cdef inline void update_leader(game_t *g) noexcept nogil:
    """Find the seat with most tabled Merch; ties keep the old leader, else go clockwise from the seat that is up."""
    cdef public_t *table = &g.table
    cdef int _, seat, best = 0, leader = g.leader
    for seat in range(table.seats):
        if table.merch[seat] > best:
            best = table.merch[seat]
    if leader == NONE and best == 0:
        return
    if leader != NONE and table.merch[leader] == best:
        return
    seat = table.seat_up
    for _ in range(table.seats):
        if table.merch[seat] == best:
            break
        seat = seat + 1 if seat + 1 < table.seats else 0
    g.lead_changes += leader != NONE
    g.leader = seat


cdef inline void add_to_table(game_t *g, int seat, int merch) noexcept nogil:
    g.table.tabled[seat][merch] += 1
    g.table.unprotected[seat] |= <uint16_t>(1 << merch)
    g.table.merch[seat] += g.rules.value[merch]
    # Only this seat gained, so it leads if it has more than the leader.
    if g.leader == NONE:
        if g.table.merch[seat] > 0:
            g.leader = seat
    elif g.table.merch[seat] > g.table.merch[g.leader]:
        g.leader = seat
        g.lead_changes += 1


cdef inline void remove_from_table(game_t *g, int seat, int merch) noexcept nogil:
    """Take an unprotected copy off a table. The leader is left to the caller: what was taken may be tabled elsewhere
    first.
    """
    g.table.tabled[seat][merch] -= 1
    g.table.merch[seat] -= g.rules.value[merch]
    if g.table.tabled[seat][merch] == g.table.protections[seat][merch]:
        g.table.unprotected[seat] &= <uint16_t>~(1 << merch)


cdef inline void protect(game_t *g, int seat, int merch) noexcept nogil:
    g.table.protections[seat][merch] += 1
    g.table.shielded[seat] |= <uint16_t>(1 << merch)
    if g.table.tabled[seat][merch] == g.table.protections[seat][merch]:
        g.table.unprotected[seat] &= <uint16_t>~(1 << merch)


cdef inline void unprotect(game_t *g, int seat, int merch) noexcept nogil:
    g.table.protections[seat][merch] -= 1
    g.table.unprotected[seat] |= <uint16_t>(1 << merch)
    if g.table.protections[seat][merch] == 0:
        g.table.shielded[seat] &= <uint16_t>~(1 << merch)


cdef inline void move_merch(game_t *g, int victim, int seat, int merch) noexcept nogil:
    """Move an unprotected copy from one table to another."""
    cdef public_t *table = &g.table
    remove_from_table(g, victim, merch)
    table.tabled[seat][merch] += 1
    table.unprotected[seat] |= <uint16_t>(1 << merch)
    table.merch[seat] += g.rules.value[merch]
    update_leader(g)
    count_card(g, victim, T_LOST, g.rules.kind_of[merch])
    tell(g, E_MOVED, victim, g.rules.kind_of[merch], seat)


# ---- the primitives, in the order of the rules page

cdef inline void take_read(game_t *g, int seat) noexcept nogil:
    """Move displayed Read to the player's slot."""
    cdef int holder = g.table.read_holder
    g.table.read_holder = <int8_t>seat
    g.read_moves += 1
    tell(g, E_MOVED_READ, holder, NONE, seat)


cdef inline uint64_t takeable_merch(const game_t *g, int kind) noexcept nogil:
    """Return the kinds of Merch that a take_merch card finds in its sources, as a mask."""
    cdef const rules_t *rules = g.rules
    cdef uint64_t capped = rules.capped[kind], found = 0
    cdef int merch_kind
    while capped:
        merch_kind = rules.kind_of[lowest_bit(capped)]
        capped &= capped - 1
        if ((rules.switches & SW_AVAILABLE_DISCARD and g.table.discards[merch_kind])
                or (rules.switches & SW_AVAILABLE_PICKUP and g.hidden.in_pile[merch_kind])):
            found |= bit(merch_kind)
    return found


cdef inline uint64_t search_for_merch(game_t *g, int seat, int kind) noexcept nogil:
    """Let a seat look through the sources of a take_merch card; return the kinds that it may take, as a mask."""
    cdef const rules_t *rules = g.rules
    cdef uint64_t capped = rules.capped[kind], wanted = 0, found = takeable_merch(g, kind)
    if rules.switches & SW_AVAILABLE_PICKUP:
        look_through_pile(g, seat)
        if found == 0:
            while capped:
                wanted |= bit(rules.kind_of[lowest_bit(capped)])
                capped &= capped - 1
            saw_pile_lacks(g, wanted)
    return found


cdef inline void table_from(game_t *g, int seat, int kind, bint discard_is_source) noexcept nogil:
    """Table a copy of a Merch kind that lies in the discard pile, if that is a source, or else in the pick-up pile."""
    cdef bint discarded = discard_is_source and g.table.discards[kind] > 0
    if discarded:
        remove_from_discards(g, kind)
    else:
        remove_from_pile(g, kind)
        saw_leave_pile(g, kind)
    add_to_table(g, seat, g.rules.merch_of[kind])
    count_card(g, seat, T_TABLED, kind)
    announce(g, E_FOUND, seat, kind, NONE, NONE, NONE)
    if g.log != NULL:
        write_log(g, E_FOUND, seat, kind, NONE, NONE, NONE, discarded, 0)


cdef inline void find_merch(game_t *g, int seat, int kind) noexcept nogil:
    """Table a copy of the kind if the sources have one; a discard pile that has it spares the look through the other.
    """
    cdef uint32_t switches = g.rules.switches
    if switches & SW_FIND_DISCARD and g.table.discards[kind]:
        table_from(g, seat, kind, True)
        return
    if switches & SW_FIND_PICKUP:
        look_through_pile(g, seat)
        if g.hidden.in_pile[kind]:
            table_from(g, seat, kind, False)
            return
        saw_pile_lacks(g, bit(kind))
    tell(g, E_NOT_FOUND, seat, kind, NONE)


cdef inline void return_merch(game_t *g, int victim, int merch) noexcept nogil:
    """Put an unprotected copy back into its owner's hand."""
    cdef int kind = g.rules.kind_of[merch]
    remove_from_table(g, victim, merch)
    add_to_hand(g, victim, kind)
    saw_return(g, victim, kind)
    update_leader(g)
    tell(g, E_RETURNED, victim, kind, NONE)


cdef inline void steal_protect(game_t *g, int victim, int merch, int seat, int own) noexcept nogil:
    """Move a protection from beneath the victim's Merch to beneath the player's own."""
    unprotect(g, victim, merch)
    protect(g, seat, own)
    tell(g, E_MOVED_PROTECT, victim, g.rules.kind_of[merch], seat)


cdef inline int pick_from_hand(game_t *g, int victim) noexcept nogil:
    """Take a random card that is not under Hands Off out of a hand; return its kind.

    NONE where there is none left: the victim may have spent its last such card on a reaction that was itself cancelled.
    """
    cdef hand_t *hand = &g.hidden.hand[victim]
    cdef int free_n = g.table.hand_n[victim] - g.table.hands_off_n[victim]
    cdef uint64_t kinds = hand.kinds
    cdef int kind, copies, left
    if free_n == 0:
        return NONE
    left = 0 if free_n == 1 else bounded(&g.hand_pick, free_n)
    while True:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        copies = hand.copies[kind] - (hand.hands_off == kind)
        if left < copies:
            break
        left -= copies
    remove_from_hand(g, victim, kind)
    hash_in(g, g.rules.tag[kind])
    count_card(g, victim, T_LOST, kind)
    return kind


cdef inline void steal_hand(game_t *g, int victim, int seat) noexcept nogil:
    """Move a random card from one hand to another."""
    cdef int kind = pick_from_hand(g, victim)
    if kind == NONE:
        return
    add_to_hand(g, seat, kind)
    saw_steal_hand(g, victim, seat, kind)
    note(g, E_PICKED, victim, kind, seat)


cdef inline void discard_hand(game_t *g, int victim) noexcept nogil:
    """Discard a random card of a hand."""
    cdef int kind = pick_from_hand(g, victim)
    if kind == NONE:
        return
    saw_leave_hand(g, victim, kind)
    add_to_discards(g, kind)
    tell(g, E_PICKED, victim, kind, NONE)


cdef inline void skip_turn(game_t *g, int victim) noexcept nogil:
    """Make a seat miss one more turn; without `skips_stack` it never owes more than one."""
    if g.rules.switches & SW_SKIPS_STACK or g.table.missed[victim] == 0:
        g.table.missed[victim] += 1


cdef inline void protect_hand(game_t *g, int seat, int kind) noexcept nogil:
    """Put one copy of a kind in the hand under Hands Off until the seat's next turn taken."""
    g.hidden.hand[seat].hands_off = <int8_t>kind
    g.table.hands_off_n[seat] = 1


cdef inline void resolve(game_t *g, int seat, const move_t *move) noexcept nogil:
    """Carry out an Action that nothing cancelled and that asks nothing further."""
    cdef const rules_t *rules = g.rules
    cdef int primitive = rules.primitive[move.kind]
    cdef int target = move.target
    if primitive == P_TAKE_READ:
        take_read(g, seat)
    elif primitive == P_FIND_MERCH:
        find_merch(g, seat, rules.find_kind[move.kind])
    elif primitive == P_DRAW:
        draw(g, seat, rules.count[move.kind])
    elif primitive == P_EXTRA_TURN:
        g.table.extra_turns += 1
    elif primitive == P_STEAL_MERCH:
        move_merch(g, target, seat, rules.merch_of[move.choice])
    elif primitive == P_STEAL_HIGHEST_MERCH:
        move_merch(g, target, seat, highest_takeable(rules, &g.table, target))
    elif primitive == P_STEAL_LOWEST_MERCH:
        move_merch(g, target, seat, lowest_takeable(rules, &g.table, target))
    elif primitive == P_RETURN_MERCH:
        return_merch(g, target, rules.merch_of[move.choice])
    elif primitive == P_STEAL_PROTECT:
        steal_protect(g, target, rules.merch_of[move.choice], seat, rules.merch_of[move.own])
    elif primitive == P_STEAL_HAND:
        steal_hand(g, target, seat)
    elif primitive == P_DISCARD_HAND:
        discard_hand(g, target)
    elif primitive == P_SKIP_TURN:
        skip_turn(g, target)
    elif primitive == P_PROTECT_MERCH:
        protect(g, seat, rules.merch_of[move.choice])
    elif primitive == P_PROTECT_HAND:
        protect_hand(g, seat, move.choice)
