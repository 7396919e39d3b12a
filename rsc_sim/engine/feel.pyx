"""What a game is like to play: what rows do not tell, counted while games are watched; games with chance dealt anew.

`play_feel` plays the games of a run, to the bit, and counts beside each row. `play_luck` plays each block with its
sources of chance from two keys, A and B, mixed in each way that is asked for (pick-freeze). Neither is part of a run,
so that a run pays nothing for them.

A game's standing is told twice: by tabled Merch, whose leader is that of `lead_changes`, and by points, Read's counted
for whoever displays it. Of either the leader is a seat with most; ties keep the one that led, and nobody leads before
anybody has any.
"""
import numpy as np

from libc.stdint cimport int8_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

from rsc_sim.engine.batch cimport error_left_behind, play_out, raise_failure
from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.deal cimport set_up
from rsc_sim.engine.effects cimport shuffle
from rsc_sim.engine.memory cimport forget_all, memory_of
from rsc_sim.engine.moves cimport move_at
from rsc_sim.engine.record cimport row_t, seat_row_t, write_row
from rsc_sim.engine.rng cimport (STREAM_HAND_PICK, STREAM_SEARCH, STREAM_STRATEGY, mix, open_stream, rng_t,
                                 stream_base)
from rsc_sim.engine.rules cimport CompiledRules
from rsc_sim.engine.seating cimport Seating, begin_scratch, seats_that_remember
from rsc_sim.engine.seats cimport (BAD_INDEX, NOT_CONSERVED, PLAYED, PyErr_CheckSignals, RAISED, SIGNALLED, STOPPED,
                                   failure_t, raw_decide_t, seat_t, volatile_u8)
from rsc_sim.engine.turn cimport advance, list_moves, make_move
from rsc_sim.engine.types cimport *

from rsc_sim.engine.batch import Cancelled
from rsc_sim.engine.columns import row_dtype

cdef enum:
    BY_MERCH = 0
    BY_POINTS = 1
    N_STANDINGS = 2
    TIMELINE = 65536         # turns, as many as a row can tell
    WIDEST = 1024            # decisions of more moves count as so many, less one
    PURPOSE_PILE = 7         # names the stream of the pick-up pile's order, beside those of rng.pxd and impact.pyx
    NO_MEMORY = 100          # beside what seats.pxd says may come of playing

SOURCES = ("hands", "pile", "renewals", "picks", "strategies")
FEEL = np.dtype([
    ("merch_decided", "<u2"), ("points_decided", "<u2"), ("points_lead_changes", "<u2"), ("merch_half", "u1"),
    ("points_half", "u1"), ("decisions", "<u4"), ("moves", "<u4"), ("single", "<u4"), ("put_downs", "<u4"),
    ("put_down_moves", "<u4"), ("discard_only", "<u2"), ("passed", "<u2"), ("missed", "<u2"), ("targeted", "<u2"),
    ("stolen_merch", "<u2"), ("stolen_hand", "<u2"), ("stolen_protect", "<u2"), ("reactions", "<u2"),
    ("merch_aimed", "<u2"), ("merch_hit", "<u2"), ("points_aimed", "<u2"), ("points_hit", "<u2"),
    ("merch_chance", "<f4"), ("points_chance", "<f4"),
])


ctypedef packed struct feel_t:
    uint16_t decided[N_STANDINGS]        # turns after which the only winner led to the end; `turns` where it did not
    uint16_t points_lead_changes
    uint8_t half[N_STANDINGS]            # of the only winner after half of the turns: 1 another led, 2 nobody had less
    uint32_t decisions
    uint32_t moves                       # legal moves of all decisions
    uint32_t single                      # decisions with one
    uint32_t put_downs
    uint32_t put_down_moves
    uint16_t discard_only                # turns in which nothing but discarding was possible
    uint16_t passed                      # turns with nothing to put down
    uint16_t missed                      # turns that did not take place
    uint16_t targeted                    # Actions played against another seat
    uint16_t stolen_merch
    uint16_t stolen_hand
    uint16_t stolen_protect
    uint16_t reactions
    uint16_t aimed[2 * N_STANDINGS]      # by standing: of the targeted, those while another seat led; those against it
    float chance[N_STANDINGS]            # how many would be if each went to a seat drawn from those it might name


cdef struct row_of_seats_t:
    row_t game
    seat_row_t seats[MAX_SEATS]


cdef struct stage_t:
    game_t game
    memories_t remembered
    log_t log
    const seat_t *seats
    int read_at                          # who displays Read, as far as the log has been read
    int ahead                            # who leads by points
    int turn                             # that has begun, as far as the log has been read
    int asked_in                         # turn in which something but a pass was possible
    int8_t leader[N_STANDINGS][TIMELINE]  # after each turn, 0 being before the first
    uint8_t least[N_STANDINGS][TIMELINE]  # seats with least after each turn, where not all have as much


# ---- watching a game

cdef inline int points_of(const stage_t *s, int seat) noexcept nogil:
    return s.game.table.merch[seat] + (s.game.rules.read_points if s.read_at == seat else 0)


cdef void look_ahead(stage_t *s, feel_t *f) noexcept nogil:
    """Find who leads by points, as `update_leader` does by Merch."""
    cdef int seat = s.game.table.seat_up, best = 0, points
    cdef int _, other
    for other in range(s.game.table.seats):
        points = points_of(s, other)
        if points > best:
            best = points
    if s.ahead != NONE and points_of(s, s.ahead) == best or s.ahead == NONE and best == 0:
        return
    for _ in range(s.game.table.seats):
        if points_of(s, seat) == best:
            break
        seat = seat + 1 if seat + 1 < s.game.table.seats else 0
    f.points_lead_changes += s.ahead != NONE
    s.ahead = seat


cdef void take_down(stage_t *s) noexcept nogil:
    """Note the standings at the end of the turn that has begun last, or before the first."""
    cdef int standing, seat, points, least, at = s.turn if s.turn < TIMELINE else TIMELINE - 1
    cdef int mine[MAX_SEATS]
    s.leader[BY_MERCH][at] = <int8_t>s.game.leader
    s.leader[BY_POINTS][at] = <int8_t>s.ahead
    for standing in range(N_STANDINGS):
        least = 0x7FFFFFFF
        points = -1
        for seat in range(s.game.table.seats):
            mine[seat] = points_of(s, seat) if standing == BY_POINTS else s.game.table.merch[seat]
            least = mine[seat] if mine[seat] < least else least
            points = mine[seat] if mine[seat] > points else points
        s.least[standing][at] = 0
        for seat in range(s.game.table.seats):
            s.least[standing][at] |= <uint8_t>((mine[seat] == least and points > least) << seat)


cdef void read_log(stage_t *s, feel_t *f) noexcept nogil:
    """Take up what happened since the last decision. Merch moves before any new turn begins."""
    cdef const log_entry_t *entry
    cdef int i
    for i in range(s.log.n):
        entry = &s.log.entries[i]
        if entry.what == E_TURN:
            look_ahead(s, f)
            take_down(s)
            s.turn = entry.turn
        elif entry.what == E_DISPLAY:
            s.read_at = entry.seat
            look_ahead(s, f)
        elif entry.what == E_MOVED_READ:
            s.read_at = entry.target
        elif entry.what == E_PASSED:
            f.passed += s.asked_in != entry.turn
        elif entry.what == E_MISSED:
            f.missed += 1
        elif entry.what == E_MOVED:
            f.stolen_merch += 1
        elif entry.what == E_MOVED_PROTECT:
            f.stolen_protect += 1
        elif entry.what == E_PICKED:
            f.stolen_hand += entry.target != NONE
    look_ahead(s, f)
    s.log.n = 0


cdef void aim(stage_t *s, feel_t *f, const move_set_t *moves, const move_t *played, int target) noexcept nogil:
    """Count an Action against a seat, and what had come of it had its seat been drawn from those it might name."""
    cdef const game_t *g = &s.game
    cdef uint64_t might = 0
    cdef move_t move
    cdef int i, n = 0, standing, leader
    f.targeted += 1
    for i in range(moves.n_discards + moves.n_tables, moves.n):
        move = move_at(moves, i)
        if move.kind == played.kind and move.verb == V_PLAY:
            might |= bit(move.target if move.target != NONE else target)
    for i in range(g.table.seats):
        n += might >> i & 1
    for standing in range(N_STANDINGS):
        leader = s.ahead if standing == BY_POINTS else g.leader
        if leader == NONE or leader == g.asked:
            continue
        f.aimed[2 * standing] += 1
        f.aimed[2 * standing + 1] += target == leader
        f.chance[standing] += <float>((might >> leader & 1) / <double>n)


cdef int watch(stage_t *s, feel_t *f, uint64_t *widths, failure_t *failure) noexcept nogil:
    """Play a game that has been set up, and count."""
    cdef game_t *g = &s.game
    cdef view_t view
    cdef move_set_t moves
    cdef move_t move
    cdef int seat, index, asked, target
    view.rules = g.rules
    view.table = &g.table
    while True:
        asked = advance(g)
        if s.log.failed:
            return NO_MEMORY
        read_log(s, f)
        if asked == OVER:
            take_down(s)
            return PLAYED
        seat = g.asked
        view.hand = g.hidden.hand[seat]
        view.memory = memory_of(g, seat)
        view.rng = &g.strategy[seat]
        view.scratch = s.seats[seat].scratch
        view.seat = seat
        view.decision = g.decision
        list_moves(g, &view.hand, &moves)
        f.decisions += 1
        f.moves += moves.n
        f.single += moves.n == 1
        widths[moves.n if moves.n < WIDEST else WIDEST - 1] += 1
        if asked == PUT_DOWN:
            f.put_downs += 1
            f.put_down_moves += moves.n
            f.discard_only += moves.n == moves.n_discards and s.asked_in != g.table.turn
        if asked == ESCAPE:
            s.asked_in = g.table.turn
        index = (<raw_decide_t>s.seats[seat].strategy.decide)(&view, &moves, s.seats[seat].parameters)
        if not 0 <= index < moves.n:
            failure.turn, failure.seat, failure.n_moves = g.table.turn, seat, moves.n
            failure.answered, failure.decision = index, g.decision
            return RAISED if index == -1 else BAD_INDEX
        move = move_at(&moves, index)
        if move.verb == V_REACT:
            f.reactions += 1
        elif move.verb == V_PLAY:
            target = g.table.read_holder if g.rules.primitive[move.kind] == P_TAKE_READ else move.target
            if target != NONE:
                aim(s, f, &moves, &move, target)
        make_move(g, &move)


cdef void finish(stage_t *s, feel_t *f, int winner) noexcept nogil:
    """Take down how the winner came to win; `winner` is below 0 where nobody won, or more than one."""
    cdef int last = s.game.table.turn if s.game.table.turn < TIMELINE else TIMELINE - 1
    cdef int standing, turn
    if winner < 0:
        return
    for standing in range(N_STANDINGS):
        turn = last + 1
        while turn > 0 and s.leader[standing][turn - 1] == winner:
            turn -= 1
        f.decided[standing] = <uint16_t>(turn if turn < last else last)
        turn = last // 2
        f.half[standing] = <uint8_t>(
            (s.leader[standing][turn] != NONE and s.leader[standing][turn] != winner)
            | (s.least[standing][turn] >> winner & 1) << 1
        )


cdef int watch_all(stage_t *s, const rules_t *rules, uint64_t seed, uint64_t first_block, uint64_t n_blocks,
                   Seating seating, uint8_t *rows, feel_t *feel, uint64_t *widths, const uint8_t *cancel,
                   failure_t *failure) noexcept nogil:
    cdef intervention_t none
    cdef uint64_t block
    cdef size_t size = sizeof(row_t) + rules.seats * sizeof(seat_row_t)
    cdef int rotation, outcome, rotations = seating.rotations
    none.seat = NONE
    for block in range(first_block, first_block + n_blocks):
        for rotation in range(rotations):
            if cancel != NULL and (<volatile_u8 *>cancel)[0]:
                return STOPPED
            if seating.locked and PyErr_CheckSignals() != 0:
                return SIGNALLED
            s.seats = &seating.seats[rotation * rules.seats]
            s.log.n = 0
            set_up(&s.game, rules, seed, block, &none, &s.log, NULL)
            begin_scratch(s.seats, rules.seats)
            s.remembered.seats = seats_that_remember(s.seats, rules.seats)
            if s.remembered.seats:
                forget_all(&s.remembered)
                s.game.memories = &s.remembered
            s.read_at = s.ahead = NONE
            s.turn = 0
            s.asked_in = 0
            outcome = watch(s, feel, widths, failure)
            if outcome != PLAYED:
                failure.game = block * rotations + rotation
                return outcome
            write_row(&s.game, block * rotations + rotation, <uint32_t>block, rotation,
                      &seating.ids[rotation * rules.seats], rows)
            finish(s, feel, (<row_t *>rows).winner)
            rows += size
            feel += 1
    return PLAYED


def play_feel(CompiledRules rules, lineup, *, seed, first_block, n_blocks, strategy_ids, cancel=None):
    """Play each distinct rotation of a lineup on a range of blocks, and count what it is like.

    Returns (rows, feel, widths): the rows that `play_blocks` gives, an array of FEEL beside them, and how many
    decisions had each number of legal moves. Fails as `play_blocks` does.
    """
    cdef failure_t failure
    cdef uint64_t c_seed = seed, c_first = first_block, c_blocks = n_blocks
    cdef Seating seating = Seating(lineup, strategy_ids, rules.c.seats)
    cdef const unsigned char[::1] flag
    cdef const uint8_t *c_cancel = NULL
    cdef int outcome
    cdef stage_t *s
    cause = None
    if sizeof(feel_t) != FEEL.itemsize:
        raise AssertionError("the layout of what is counted is not what NumPy was told")
    memset(&failure, 0, sizeof(failure))
    rows = np.zeros(n_blocks * seating.rotations, dtype=row_dtype(rules.c.seats))
    feel = np.zeros(n_blocks * seating.rotations, dtype=FEEL)
    widths = np.zeros(WIDEST, dtype=np.uint64)
    if not len(rows):
        return rows, feel, widths
    cdef unsigned char[::1] c_rows = rows.view(np.uint8), c_feel = feel.view(np.uint8)
    cdef uint64_t[::1] c_widths = widths
    if cancel is not None:
        flag = cancel
        c_cancel = &flag[0]
    cdef unsigned char[::1] room = bytearray(sizeof(stage_t) + 64)
    s = <stage_t *>((<size_t>&room[0] + 63) & ~<size_t>63)
    try:
        if seating.locked:
            outcome = watch_all(s, &rules.c, c_seed, c_first, c_blocks, seating, &c_rows[0], <feel_t *>&c_feel[0],
                                &c_widths[0], c_cancel, &failure)
        else:
            with nogil:
                outcome = watch_all(s, &rules.c, c_seed, c_first, c_blocks, seating, &c_rows[0], <feel_t *>&c_feel[0],
                                    &c_widths[0], c_cancel, &failure)
        if outcome == RAISED or outcome == SIGNALLED:
            cause = error_left_behind()
    finally:
        free(s.log.entries)
    give_up_unless_played(outcome, &failure, cause)
    return rows, feel, widths


cdef object give_up_unless_played(int outcome, const failure_t *failure, object cause):
    if outcome == STOPPED:
        raise Cancelled("stopped on request")
    if outcome == SIGNALLED:
        raise cause
    if outcome == NO_MEMORY:
        raise MemoryError()
    if outcome == NOT_CONSERVED:
        raise AssertionError(f"game {failure.game}, turn {failure.turn}: cards were lost or gained, or a seat remembers"
                             " what is not so")
    if outcome != PLAYED:
        raise_failure(failure, cause)


# ---- chance from two keys

cdef void deal_from(game_t *g, const rules_t *rules, const uint64_t *seeds, uint64_t block,
                    const uint64_t *bases, int from_b) noexcept nogil:
    """Set a game up with each source of chance from key A, or from B where its bit of `from_b` is set."""
    cdef intervention_t none
    cdef uint8_t left[MAX_CARDS + 8]
    cdef rng_t rng
    cdef int _, kind, seat, n = 0
    none.seat = NONE
    set_up(g, rules, seeds[from_b & 1], block, &none, NULL, NULL)
    for kind in range(rules.n_kinds):
        for _ in range(g.hidden.in_pile[kind]):
            left[n] = <uint8_t>kind
            n += 1
    open_stream(&rng, bases[from_b >> 1 & 1], PURPOSE_PILE, 0)
    shuffle(&g.hidden.pile[g.hidden.pile_front], left, n, &rng)
    g.stream_base = bases[from_b >> 2 & 1]  # from which renewals open their streams
    open_stream(&g.hand_pick, bases[from_b >> 3 & 1], STREAM_HAND_PICK, 0)
    open_stream(&g.search, bases[from_b >> 3 & 1], STREAM_SEARCH, 0)
    for seat in range(rules.seats):
        open_stream(&g.strategy[seat], bases[from_b >> 4 & 1], STREAM_STRATEGY, <uint64_t>seat)


cdef int play_luck_all(game_t *g, memories_t *memories, const rules_t *rules, uint64_t seed, uint64_t first_block,
                       uint64_t n_blocks, Seating seating, const uint8_t *ways, int n_ways, float *won,
                       const uint8_t *cancel, failure_t *failure) noexcept nogil:
    cdef uint64_t seeds[2]
    cdef uint64_t bases[2]
    cdef row_of_seats_t row
    cdef const seat_t *seats
    cdef uint64_t block
    cdef int rotation, way, seat, outcome
    seeds[0] = seed
    seeds[1] = mix(seed ^ <uint64_t>0x6C75636B)
    for block in range(first_block, first_block + n_blocks):
        bases[0] = stream_base(seeds[0], block)
        bases[1] = stream_base(seeds[1], block)
        for rotation in range(seating.rotations):
            if seating.locked and PyErr_CheckSignals() != 0:
                return SIGNALLED
            seats = &seating.seats[rotation * rules.seats]
            memories.seats = seats_that_remember(seats, rules.seats)
            for way in range(n_ways):
                if cancel != NULL and (<volatile_u8 *>cancel)[0]:
                    return STOPPED
                deal_from(g, rules, seeds, block, bases, ways[way])
                begin_scratch(seats, rules.seats)
                if memories.seats:
                    forget_all(memories)
                    g.memories = memories
                outcome = play_out(g, seats, failure)
                if outcome != PLAYED:
                    failure.game = block * seating.rotations + rotation
                    return outcome
                write_row(g, 0, 0, 0, &seating.ids[rotation * rules.seats], <uint8_t *>&row)
                for seat in range(rules.seats):
                    won[seat] = row.seats[seat].won
                won += rules.seats
    return PLAYED


def play_luck(CompiledRules rules, lineup, *, seed, first_block, n_blocks, strategy_ids, ways, cancel=None):
    """Play each block of a range with chance from two keys, A and B.

    Each of `ways` is a mask over SOURCES: those that come from B. Returns win shares [block, rotation, way, seat].
    Fails as `play_blocks` does, but that the games are none of a run's.
    """
    cdef failure_t failure
    cdef game_t g
    cdef memories_t memories
    cdef uint64_t c_seed = seed, c_first = first_block, c_blocks = n_blocks
    cdef Seating seating = Seating(lineup, strategy_ids, rules.c.seats)
    cdef const unsigned char[::1] flag
    cdef const uint8_t *c_cancel = NULL
    cdef int outcome
    cause = None
    memset(&failure, 0, sizeof(failure))
    cdef const unsigned char[::1] c_ways = bytes(ways)
    won = np.zeros((n_blocks, seating.rotations, len(ways), rules.c.seats), dtype=np.float32)
    if not won.size:
        return won
    cdef float[::1] c_won = won.reshape(-1)
    if cancel is not None:
        flag = cancel
        c_cancel = &flag[0]
    if seating.locked:
        outcome = play_luck_all(&g, &memories, &rules.c, c_seed, c_first, c_blocks, seating, &c_ways[0],
                                len(c_ways), &c_won[0], c_cancel, &failure)
    else:
        with nogil:
            outcome = play_luck_all(&g, &memories, &rules.c, c_seed, c_first, c_blocks, seating, &c_ways[0],
                                    len(c_ways), &c_won[0], c_cancel, &failure)
    if outcome == RAISED or outcome == SIGNALLED:
        cause = error_left_behind()
    give_up_unless_played(outcome, &failure, cause)
    return won
