"""Setting a game up: the deal, the first seat, the streams.

A deal depends on (rules, seed, block) alone, so all rotations of a block begin from copies of one set-up.
"""
from libc.stdint cimport int32_t, int8_t, uint64_t, uint8_t
from libc.string cimport memset

from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.effects cimport add_to_hand, count_card, hash_in, intervene, note, shuffle, tell
from rsc_sim.engine.rng cimport (STREAM_DEAL, STREAM_HAND_PICK, STREAM_SEARCH, STREAM_STRATEGY, bounded, open_stream,
                                 rng_t, stream_base)
from rsc_sim.engine.turn cimport SEAT_IS_UP
from rsc_sim.engine.types cimport *


cdef inline void clear(game_t *g, const rules_t *rules, log_t *log, tally_t *tally) noexcept nogil:
    """Empty the table: no card is anywhere yet."""
    cdef int seat
    memset(g, 0, sizeof(game_t))
    g.rules = rules
    g.log = log
    g.tally = tally
    g.table.seats = <int8_t>rules.seats
    g.table.read_holder = NONE
    g.table.reacted_with = NONE
    g.leader = NONE
    g.read_dealt = NONE
    g.escaper = NONE
    g.streak_seat = NONE
    g.intervention.seat = NONE
    g.intervention.result = IV_NOT_REACHED
    for seat in range(MAX_SEATS):
        g.hidden.hand[seat].hands_off = NONE


cdef inline void open_streams(game_t *g, uint64_t seed, uint64_t block) noexcept nogil:
    cdef int seat
    g.stream_base = stream_base(seed, block)
    open_stream(&g.hand_pick, g.stream_base, STREAM_HAND_PICK, 0)
    open_stream(&g.search, g.stream_base, STREAM_SEARCH, 0)
    for seat in range(g.rules.seats):
        open_stream(&g.strategy[seat], g.stream_base, STREAM_STRATEGY, <uint64_t>seat)


cdef inline void take_dealt(game_t *g, int seat, int kind) noexcept nogil:
    """Give a dealt card to a seat; Read goes to its Read slot."""
    hash_in(g, g.rules.tag[kind])
    count_card(g, seat, T_OPENING, kind)
    count_card(g, seat, T_DRAWN, kind)
    note(g, E_DEAL, seat, kind, NONE)
    if kind == g.rules.read_kind:
        g.table.read_holder = <int8_t>seat
        g.read_dealt = seat
    else:
        add_to_hand(g, seat, kind)


cdef inline void set_up(game_t *g, const rules_t *rules, uint64_t seed, uint64_t block,
                        const intervention_t *intervention, log_t *log, tally_t *tally) noexcept nogil:
    """Shuffle, deal, and decide who plays first."""
    cdef rng_t rng
    cdef int seat, i, kind, at, dealt = rules.seats * rules.hand_size
    clear(g, rules, log, tally)
    open_streams(g, seed, block)
    open_stream(&rng, g.stream_base, STREAM_DEAL, 0)
    shuffle(g.hidden.pile, rules.deal_order, rules.n_cards, &rng)
    for kind in range(rules.n_kinds):
        g.hidden.in_pile[kind] = rules.copies[kind]
    for i in range(dealt):
        g.hidden.in_pile[g.hidden.pile[i]] -= 1
    g.hidden.pile_front = dealt
    g.table.pile_n = rules.n_cards - dealt
    if intervention.seat != NONE:
        g.intervention = intervention[0]
        g.intervention.result = IV_NOT_REACHED
        if intervention.seat < rules.seats and intervention.n <= rules.hand_size:
            at = intervention.seat * rules.hand_size + intervention.n - 1
            g.hidden.pile[at] = <uint8_t>intervene(g, intervention.seat, g.hidden.pile[at])
    for seat in range(rules.seats):
        for i in range(rules.hand_size):
            take_dealt(g, seat, g.hidden.pile[seat * rules.hand_size + i])
        g.draws[seat] = <uint16_t>rules.hand_size
    if g.read_dealt != NONE:
        tell(g, E_DISPLAY, g.read_dealt, NONE, NONE)
        if rules.switches & SW_REPLACE:
            kind = g.hidden.pile[g.hidden.pile_front]
            g.hidden.pile_front += 1
            g.hidden.in_pile[kind] -= 1
            g.table.pile_n -= 1
            g.draws[g.read_dealt] += 1
            if g.intervention.seat == g.read_dealt and g.intervention.n == g.draws[g.read_dealt]:
                kind = intervene(g, g.read_dealt, kind)
            take_dealt(g, g.read_dealt, kind)
        g.table.first_seat = <int8_t>g.read_dealt
        g.opening = True
    else:
        g.table.first_seat = <int8_t>bounded(&rng, rules.seats)
    hash_in(g, <uint64_t>(g.table.first_seat + 1))
    g.table.seat_up = g.table.first_seat
    tell(g, E_FIRST, g.table.first_seat, NONE, NONE)
    g.phase = SEAT_IS_UP
