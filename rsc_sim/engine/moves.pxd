"""Legal moves, as masks and counts, in the order of docs/contracts.md section 5.

A put-down has some 16 moves; writing them out costs more than making one, so a `move_set_t` holds what they are made
from and `move_at` builds the one that is wanted. Everything here reads the public table and one hand and could not see
more.
"""
from libc.stdint cimport int32_t, uint16_t, uint64_t, uint8_t

from rsc_sim.engine.bits cimport (bit, gather_bits, load64, lowest_bit, nonzero_bytes, nonzero_lanes, popcount,
                                  select_bit, store64, when)
from rsc_sim.engine.types cimport *


cdef inline int best_merch(const rules_t *rules, uint64_t merch) noexcept nogil:
    """Return the most valuable Merch of a mask of dense numbers; ties go to the kind first in the file. The mask must
    not be 0.
    """
    cdef int low = rules.top_rank[0][merch & 255], high = rules.top_rank[1][merch >> 8 & 255]
    return rules.highest_first[low if low < high else high]


cdef inline int worst_merch(const rules_t *rules, uint64_t merch) noexcept nogil:
    """Return the least valuable Merch of a mask of dense numbers; ties go to the kind first in the file. The mask must
    not be 0.
    """
    cdef int low = rules.bottom_rank[0][merch & 255], high = rules.bottom_rank[1][merch >> 8 & 255]
    return rules.lowest_first[low if low < high else high]


cdef inline uint64_t merch_among(const rules_t *rules, uint64_t kinds) noexcept nogil:
    """Return the Merch of a mask of kinds as a mask of dense numbers: these follow file order too."""
    return gather_bits(kinds, rules.merch)


cdef inline int highest_takeable(const rules_t *rules, const public_t *table, int seat) noexcept nogil:
    """Return the dense number of the seat's highest-valued unprotected Merch (ties: first in the file), NONE for none.
    """
    return best_merch(rules, table.unprotected[seat]) if table.unprotected[seat] else NONE


cdef inline int lowest_takeable(const rules_t *rules, const public_t *table, int seat) noexcept nogil:
    """Return the dense number of the seat's lowest-valued Merch that steal_lowest_merch may take, NONE for none.

    Ties go to the kind first in the file. With `lowest_means = tabled` only the lowest of all its Merch counts,
    protected or not.
    """
    cdef int merch, lowest
    if table.unprotected[seat] == 0:
        return NONE
    merch = worst_merch(rules, table.unprotected[seat])
    if rules.switches & SW_LOWEST_TABLED:
        lowest = worst_merch(rules, table.unprotected[seat] | table.shielded[seat])
        if rules.value[lowest] != rules.value[merch]:
            return NONE
    return merch


cdef inline uint64_t single_plays(const rules_t *rules, const public_t *table, const hand_t *hand,
                                  int seat) noexcept nogil:
    """Return the Actions of the hand that are playable and have one way to be played."""
    cdef bint pickup = table.pile_n > 0
    cdef uint64_t plays = (
        rules.kinds_of[P_EXTRA_TURN]
        | rules.kinds_of[P_TAKE_READ] & when(table.read_holder != NONE and table.read_holder != seat)
        | rules.kinds_of[P_TABLE_MORE] & when((hand.kinds & rules.merch) != 0)
        | rules.kinds_of[P_DRAW] & when(pickup or (rules.switches & SW_RECYCLE and table.discard_n > 0))
        | rules.kinds_of[P_TAKE_MERCH] & when(pickup and rules.switches & SW_AVAILABLE_PICKUP)
        | rules.kinds_of[P_FIND_MERCH] & when(pickup and rules.switches & SW_FIND_PICKUP)
    )
    plays &= hand.kinds
    # What the pick-up pile does not make playable the discard pile may.
    cdef uint64_t rest = hand.kinds & (rules.kinds_of[P_TAKE_MERCH] | rules.kinds_of[P_FIND_MERCH]) & ~plays
    cdef int kind
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        if rules.primitive[kind] == P_FIND_MERCH:
            if rules.switches & SW_FIND_DISCARD and table.discards[rules.find_kind[kind]]:
                plays |= bit(kind)
        elif rules.switches & SW_AVAILABLE_DISCARD:
            if merch_among(rules, table.discard_kinds) & rules.capped[kind]:
                plays |= bit(kind)
    return plays


cdef inline void list_put_down(const rules_t *rules, const public_t *table, const hand_t *hand, int seat,
                               move_set_t *moves) noexcept nogil:
    """Fill in the put-down moves of a hand that is not empty."""
    cdef uint64_t kinds = hand.kinds
    cdef int own_shift = 16 * (seat & 3)
    cdef uint64_t own_lane = <uint64_t>0xFFFF << own_shift
    cdef uint64_t own_low = own_lane & when(seat < 4), own_high = own_lane & when(seat >= 4)
    cdef uint64_t others = (bit(table.seats) - 1) & ~bit(seat)
    cdef uint64_t low, high, lowest
    cdef int s, n, kind, source

    moves.decision = PUT_DOWN
    moves.rules = rules
    moves.hand = hand
    moves.options = kinds
    moves.tables = kinds & rules.merch
    moves.n_discards = popcount(kinds)
    moves.n_tables = popcount(moves.tables)
    moves.plays = single_plays(rules, table, hand, seat)
    n = moves.n_discards + moves.n_tables + popcount(moves.plays)

    cdef uint64_t rest = kinds & rules.targeted
    moves.targeted = 0
    low = load64(&table.unprotected[0]) & ~own_low
    high = load64(&table.unprotected[4]) & ~own_high
    moves.sources[S_MERCH][0] = low
    moves.sources[S_MERCH][1] = high
    moves.sources[S_SEATS_MERCH][0] = nonzero_lanes(low) | nonzero_lanes(high) << 4
    moves.sources[S_SEATS_MERCH][1] = 0
    if rules.switches & SW_LOWEST_TABLED:
        lowest = 0
        for s in range(table.seats):
            if s != seat and lowest_takeable(rules, table, s) != NONE:
                lowest |= bit(s)
        moves.sources[S_SEATS_LOWEST][0] = lowest
    else:
        moves.sources[S_SEATS_LOWEST][0] = moves.sources[S_SEATS_MERCH][0]
    moves.sources[S_SEATS_LOWEST][1] = 0
    # No byte borrows from the next: a hand holds at least what it has under Hands Off.
    moves.sources[S_SEATS_HAND][0] = nonzero_bytes(load64(&table.hand_n[0]) - load64(&table.hands_off_n[0])) & others
    moves.sources[S_SEATS_HAND][1] = 0
    moves.sources[S_SEATS][0] = others
    moves.sources[S_SEATS][1] = 0
    moves.sources[S_PROTECTS][0] = load64(&table.shielded[0]) & ~own_low
    moves.sources[S_PROTECTS][1] = load64(&table.shielded[4]) & ~own_high
    moves.sources[S_OWN_MERCH][0] = table.unprotected[seat]
    moves.sources[S_OWN_MERCH][1] = 0
    moves.sources[S_HAND][0] = kinds
    moves.sources[S_HAND][1] = 0
    # A protection that is stolen goes with each own kind that can take it; all other choices count once.
    store64(&moves.times[0], <uint64_t>0x0101010101010101)
    moves.times[S_PROTECTS] = <uint8_t>popcount(table.unprotected[seat])
    cdef int ways
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        source = rules.source[kind]
        # One formula for all sources, without a branch: a switch here is mispredicted more often than not. The last
        # term: another copy of the Hands Off that is played may be the card put under it.
        ways = popcount(moves.sources[source][0] & rules.lanes[kind][0])
        if table.seats > 4:
            ways += popcount(moves.sources[source][1] & rules.lanes[kind][1])
        ways = ways * moves.times[source] + ((hand.copies[kind] > 1) & rules.covers_itself[kind])
        moves.n_ways[kind] = <uint16_t>ways
        moves.targeted |= bit(kind) & when(ways != 0)
        n += ways
    moves.n = n


cdef inline void list_options(const rules_t *rules, const hand_t *hand, int decision, uint64_t options,
                              move_set_t *moves) noexcept nogil:
    """Fill in the moves of any other decision: an option a kind, behind the one without a kind (not for `take`)."""
    moves.decision = decision
    moves.rules = rules
    moves.hand = hand
    moves.options = options
    moves.tables = 0
    moves.plays = 0
    moves.targeted = 0
    if decision == ESCAPE:
        moves.n = 2
    else:
        moves.n = popcount(options) + (decision != TAKE)


cdef inline int move_count(const move_set_t *moves) noexcept nogil:
    """Return the number of legal moves, at least 1."""
    return moves.n


cdef inline int index_of_discard(const move_set_t *moves, int kind) noexcept nogil:
    """Return the index of `discard(kind)`; the kind must be in `options`."""
    return popcount(moves.options & (bit(kind) - 1))


cdef inline int index_of_table(const move_set_t *moves, int kind) noexcept nogil:
    """Return the index of `table(kind)`; at a put-down the kind must be in `tables`, at table_more in `options`."""
    if moves.decision == PUT_DOWN:
        return moves.n_discards + popcount(moves.tables & (bit(kind) - 1))
    return 1 + popcount(moves.options & (bit(kind) - 1))


cdef inline int index_of_option(const move_set_t *moves, int kind) noexcept nogil:
    """Return the index of `take(kind)`, `react(kind)` or, within table_more, `table(kind)`."""
    return popcount(moves.options & (bit(kind) - 1)) + (moves.decision != TAKE)


cdef inline int index_of_play(const move_set_t *moves, int kind) noexcept nogil:
    """Return the index of the first way to play a kind that is in `plays` or in `targeted`."""
    cdef uint64_t below = bit(kind) - 1
    cdef uint64_t rest = moves.targeted & below
    cdef int index = moves.n_discards + moves.n_tables + popcount(moves.plays & below)
    while rest:
        index += moves.n_ways[lowest_bit(rest)]
        rest &= rest - 1
    return index


cdef inline int index_of_way(const move_set_t *moves, int kind, int target) noexcept nogil:
    """Return the index of playing a kind that names just a seat on that seat; the seat must be in the kind's source."""
    return index_of_play(moves, kind) + popcount(moves.sources[moves.rules.source[kind]][0] & (bit(target) - 1))


cdef inline int index_of_steal(const move_set_t *moves, int kind, int target, int merch) noexcept nogil:
    """Return the index of a steal_merch or return_merch play on a seat's Merch (a dense number) that is in its source.
    """
    cdef int at = 16 * target + merch
    cdef int before
    if at < 64:
        before = popcount(moves.sources[S_MERCH][0] & moves.rules.lanes[kind][0] & (bit(at) - 1))
    else:
        before = (popcount(moves.sources[S_MERCH][0] & moves.rules.lanes[kind][0])
                  + popcount(moves.sources[S_MERCH][1] & moves.rules.lanes[kind][1] & (bit(at - 64) - 1)))
    return index_of_play(moves, kind) + before


cdef inline int index_of_steal_protect(const move_set_t *moves, int kind, int target, int merch,
                                       int own) noexcept nogil:
    """Return the index of taking a seat's protection of a Merch for an own Merch (dense numbers)."""
    cdef int at = 16 * target + merch
    cdef int before
    if at < 64:
        before = popcount(moves.sources[S_PROTECTS][0] & (bit(at) - 1))
    else:
        before = (popcount(moves.sources[S_PROTECTS][0])
                  + popcount(moves.sources[S_PROTECTS][1] & (bit(at - 64) - 1)))
    return (index_of_play(moves, kind) + before * moves.times[S_PROTECTS]
            + popcount(moves.sources[S_OWN_MERCH][0] & (bit(own) - 1)))


cdef inline int index_of_protect(const move_set_t *moves, int kind, int merch) noexcept nogil:
    """Return the index of putting a Merch Protect beneath an own unprotected Merch (a dense number)."""
    return index_of_play(moves, kind) + popcount(moves.sources[S_OWN_MERCH][0] & (bit(merch) - 1))


cdef inline uint64_t stealable(const move_set_t *moves, int kind) noexcept nogil:
    """Return the Merch (dense numbers) that a steal_merch or return_merch kind finds with any other seat."""
    cdef uint64_t lanes = (moves.sources[S_MERCH][0] | moves.sources[S_MERCH][1]) & moves.rules.lanes[kind][0]
    lanes |= lanes >> 32
    return (lanes | lanes >> 16) & 0xFFFF


cdef inline uint64_t seats_with(const move_set_t *moves, int merch) noexcept nogil:
    """Return the other seats that have an unprotected copy of a Merch (a dense number), a bit a seat."""
    cdef uint64_t lanes = <uint64_t>0x0001000100010001 << merch
    return gather_bits(moves.sources[S_MERCH][0], lanes) | gather_bits(moves.sources[S_MERCH][1], lanes) << 4


cdef inline int next_clockwise(uint64_t seats, int seat) noexcept nogil:
    """Return the first seat of a mask that is met going clockwise from a seat, itself last. The mask must not be 0."""
    cdef uint64_t later = seats & ~((<uint64_t>2 << seat) - 1)
    return lowest_bit(later if later else seats)


cdef inline uint64_t coverable(const move_set_t *moves, int kind) noexcept nogil:
    """Return the kinds that a protect_hand kind may cover: all of the hand, itself only if there is another copy."""
    return moves.sources[S_HAND][0] & ~bit(kind) | bit(kind) & when(moves.hand.copies[kind] > 1)


cdef inline int index_of_cover(const move_set_t *moves, int kind, int covered) noexcept nogil:
    """Return the index of putting a kind of the hand under Hands Off; it must be among `coverable`."""
    return index_of_play(moves, kind) + popcount(coverable(moves, kind) & (bit(covered) - 1))


cdef inline move_t make(int verb, int kind, int target, int choice, int own) noexcept nogil:
    """Return a move, written as one word: it is read as one, and a word read over single bytes waits for them (4 % of
    a run).
    """
    cdef move_t move
    store64(&move, <uint64_t><uint8_t>verb | <uint64_t><uint8_t>kind << 8 | <uint64_t><uint8_t>target << 16
            | <uint64_t><uint8_t>choice << 24 | <uint64_t><uint8_t>own << 32)
    return move


cdef inline move_t plain_move(int verb, int kind) noexcept nogil:
    """Return a move that names no seat and no second kind."""
    return make(verb, kind, NONE, NONE, NONE)


cdef inline move_t way_at(const move_set_t *moves, int kind, int way) noexcept nogil:
    """Return the way-th way to play a targeted kind."""
    cdef const rules_t *rules = moves.rules
    cdef int source = rules.source[kind]
    cdef uint64_t low = moves.sources[source][0] & rules.lanes[kind][0]
    cdef uint64_t high
    cdef int n_low, at, own = NONE
    if source <= S_SEATS:
        return make(V_PLAY, kind, select_bit(low, way), NONE, NONE)
    if source <= S_PROTECTS:
        if source == S_PROTECTS:
            own = rules.kind_of[select_bit(moves.sources[S_OWN_MERCH][0], way % moves.times[S_PROTECTS])]
            way = way // moves.times[S_PROTECTS]
        n_low = popcount(low)
        if way < n_low:
            at = select_bit(low, way)
        else:
            high = moves.sources[source][1] & rules.lanes[kind][1]
            at = 64 + select_bit(high, way - n_low)
        return make(V_PLAY, kind, at >> 4, rules.kind_of[at & 15], own)
    if source == S_OWN_MERCH:
        return make(V_PLAY, kind, NONE, rules.kind_of[select_bit(low, way)], NONE)
    return make(V_PLAY, kind, NONE, select_bit(coverable(moves, kind), way), NONE)


cdef inline move_t move_at(const move_set_t *moves, int index) noexcept nogil:
    """Return the legal move of an index from 0 to move_count − 1."""
    cdef uint64_t singles, rest, below
    cdef int kind, before
    cdef int verb
    if moves.decision != PUT_DOWN:
        if moves.decision == ESCAPE:
            return plain_move(V_ESCAPE if index == 0 else V_STAY, NONE)
        if moves.decision == TAKE:
            return plain_move(V_TAKE, select_bit(moves.options, index))
        if index == 0:
            return plain_move(V_STOP if moves.decision == TABLE_MORE else V_PASS, NONE)
        verb = V_TABLE if moves.decision == TABLE_MORE else V_REACT
        return plain_move(verb, select_bit(moves.options, index - 1))
    if index < moves.n_discards:
        return plain_move(V_DISCARD, select_bit(moves.options, index))
    index -= moves.n_discards
    if index < moves.n_tables:
        return plain_move(V_TABLE, select_bit(moves.tables, index))
    index -= moves.n_tables
    singles = moves.plays
    rest = moves.targeted
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        below = bit(kind) - 1
        before = popcount(singles & below)
        if index < before:
            break
        index -= before
        singles &= ~below
        if index < moves.n_ways[kind]:
            return way_at(moves, kind, index)
        index -= moves.n_ways[kind]
    return plain_move(V_PLAY, select_bit(singles, index))
