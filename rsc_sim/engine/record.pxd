"""What one game leaves behind: a row of fixed layout.

The bytes of a row are what the outcome digest is taken over, so their layout is part of the file format: little-endian,
padding always 0. `columns.py` describes the same layout to NumPy; a test holds the two together.
"""
from libc.stdint cimport int32_t, int64_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memset

from rsc_sim.engine.bits cimport lowest_bit
from rsc_sim.engine.rng cimport mix
from rsc_sim.engine.types cimport *


ctypedef struct row_t:
    uint64_t game
    uint64_t trace
    uint32_t block
    uint32_t decisions
    uint16_t turns
    uint16_t rounds
    uint16_t read_moves
    uint16_t lead_changes
    uint16_t cancelled
    uint8_t first_seat
    uint8_t rotation
    int8_t read_dealt
    uint8_t end
    uint8_t stuck
    int8_t escaper
    int8_t winner
    uint8_t iv
    uint8_t padding[6]


ctypedef struct seat_row_t:            # follows row_t once for each seat
    int32_t score
    int32_t merch
    float won
    uint16_t cards
    uint8_t strategy
    uint8_t padding


cdef inline int why_stuck(const game_t *g) noexcept nogil:
    """Say why a game did not end by escape: the first reason of docs/contracts.md, section 8, that holds."""
    cdef const rules_t *rules = g.rules
    cdef const public_t *table = &g.table
    cdef int64_t loose = 0
    cdef int merch, seat, kind, copies
    cdef uint64_t tickets
    cdef bint can_reach = False, ticket_lives = False
    if g.streak > 4 * table.seats:
        return STUCK_LONE_TURN
    for merch in range(rules.n_merch):
        copies = rules.copies[rules.kind_of[merch]]
        for seat in range(table.seats):
            copies -= table.tabled[seat][merch]
        loose += <int64_t>copies * rules.value[merch]
    for seat in range(table.seats):
        if table.merch[seat] + loose >= rules.escape_threshold:
            can_reach = True
    if not can_reach:
        return STUCK_THRESHOLD
    tickets = rules.tickets
    while tickets:
        kind = lowest_bit(tickets)
        tickets &= tickets - 1
        if g.hidden.in_pile[kind] or (rules.switches & SW_RECYCLE and table.discards[kind]):
            ticket_lives = True
    for seat in range(table.seats):
        if g.hidden.hand[seat].kinds & rules.tickets and table.merch[seat] >= rules.escape_threshold:
            ticket_lives = True
    return STUCK_STALLED if ticket_lives else STUCK_TICKETS


cdef inline void write_row(const game_t *g, uint64_t game, uint32_t block, int rotation, const uint8_t *strategies,
                           uint8_t *out) noexcept nogil:
    """Write the finished game's row, sizeof(row_t) + seats · sizeof(seat_row_t) bytes; `strategies` has a number for
    each seat.
    """
    cdef const rules_t *rules = g.rules
    cdef const public_t *table = &g.table
    cdef row_t *row = <row_t *>out
    cdef seat_row_t *seats = <seat_row_t *>(out + sizeof(row_t))
    cdef int seat, best, at_top = 0, top = NONE, n = table.seats
    cdef bint decided = g.end == END_ESCAPE or rules.switches & SW_UNFINISHED_SCORE
    memset(out, 0, sizeof(row_t) + n * sizeof(seat_row_t))
    for seat in range(n):
        seats[seat].merch = table.merch[seat]
        seats[seat].score = table.merch[seat] + (rules.read_points if table.read_holder == seat else 0)
        seats[seat].cards = table.hand_n[seat]
        seats[seat].strategy = strategies[seat]
    best = seats[0].score
    for seat in range(1, n):
        if seats[seat].score > best:
            best = seats[seat].score
    for seat in range(n):
        if seats[seat].score == best:
            at_top += 1
            top = seat
    if decided:
        for seat in range(n):
            if seats[seat].score == best:
                seats[seat].won = <float>1.0 / <float>at_top
    row.game = game
    row.trace = mix(g.trace)
    row.block = block
    row.decisions = g.decisions
    row.turns = <uint16_t>table.turn
    row.rounds = <uint16_t>((table.turn + n - 1) // n)
    row.read_moves = <uint16_t>g.read_moves
    row.lead_changes = <uint16_t>g.lead_changes
    row.cancelled = <uint16_t>g.cancelled
    row.first_seat = <uint8_t>table.first_seat
    row.rotation = <uint8_t>rotation
    row.read_dealt = <int8_t>g.read_dealt
    row.end = <uint8_t>g.end
    row.stuck = <uint8_t>(STUCK_NO if g.end == END_ESCAPE else why_stuck(g))
    row.escaper = <int8_t>g.escaper
    row.winner = <int8_t>((top if at_top == 1 else -2) if decided else -1)
    row.iv = <uint8_t>g.intervention.result
