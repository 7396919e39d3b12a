"""What a card changes: games are played on from the moment a card is dealt or drawn, once with each kind in its place.

A *moment* is the drawing of a seat's n-th card, dealt cards counted. Of all the moments of a game some are picked, with
a chance that depends on the seat's strategy and on n alone. At a picked moment the game is played to its end with every
kind that might have been drawn instead: what `play_blocks` plays for the intervention (seat, n, kind), to the bit, but
from a copy of the game one step before instead of from the start. The kinds that might have been drawn are those of the
cards that lay in the pick-up pile, the drawn one included; each weighs by its copies there.

What comes of a moment counts 1/chance times, so that sums are fair to all the cards that are seen. Kept are sums only:
with m the copies of each kind that might have been drawn, M of them in all, and y a figure of the games that followed,
they are, by strategy, band of n, and kind, the sums over moments of m, of m (y − Σ m y / M), and of m m / M for each
two kinds. Where only one card is left nothing hangs on it, and nothing is played.
"""
import numpy as np

from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rsc_sim.engine.batch cimport error_left_behind, play_out, raise_failure
from rsc_sim.engine.deal cimport set_up
from rsc_sim.engine.memory cimport forget_all, memory_of
from rsc_sim.engine.moves cimport move_at
from rsc_sim.engine.record cimport row_t, seat_row_t, write_row
from rsc_sim.engine.rng cimport mix, stream_base
from rsc_sim.engine.rules cimport CompiledRules
from rsc_sim.engine.seating cimport Seating, begin_scratch, copy_scratch, seats_that_remember
from rsc_sim.engine.seats cimport (BAD_INDEX, NOT_CONSERVED, PLAYED, PyErr_CheckSignals, RAISED, SIGNALLED, STOPPED,
                                   failure_t, raw_decide_t, seat_t, volatile_u8)
from rsc_sim.engine.turn cimport advance, list_moves, make_move
from rsc_sim.engine.types cimport *

from rsc_sim.engine.batch import Cancelled
from rsc_sim.errors import InputError

cdef enum:
    N_BANDS = 3
    N_FIGURES = 3            # won, turns, unfinished
    NOT_DEALT = -1           # phase of a game that is still to be set up
    PURPOSE_PICK = 6         # names the stream that moments are picked by, beside those of rng.pxd
    NO_MEMORY = 100          # beside what batch.pxd says may become of a game
    NOT_AS_SEEN = 101        # a game that was played on did not meet the card it was to meet: our fault

FIGURES = ("won", "turns", "unfinished")


cdef struct plan_t:
    const rules_t *rules
    uint64_t seed
    int last_of_band[N_BANDS - 1]        # n of the last card of each band but the last
    const double *chances                # [strategy, band] that a card is picked
    int turn_limit                       # longer games count as so many turns
    double *sums                         # [strategy, band, kind, 1 + figure]: m, m (y - mean)
    double *pairs                        # [strategy, band, kind, kind]: m m / M
    uint64_t *counts                     # [strategy, band, 3]: cards seen, moments, games played on from them
    double *seen                         # [strategy, band, kind, 1 + figure]: cards dealt or drawn, those times y
    double *dealt                        # [strategy, kind, own hand or pile, 1 + figure]: copies, copies times y
    uint8_t *kept                        # room for games that were played on, or NULL
    uint64_t n_kept
    uint64_t room
    bint locked                          # a strategy needs the interpreter, whose lock is held
    const uint8_t *cancel


ctypedef packed struct kept_t:           # a game that was played on
    uint64_t trace
    uint32_t block
    uint16_t n
    uint8_t rotation
    uint8_t seat
    uint8_t kind
    uint8_t result


KEPT = np.dtype([("trace", "<u8"), ("block", "<u4"), ("n", "<u2"), ("rotation", "u1"), ("seat", "u1"), ("kind", "u1"),
                 ("result", "u1")])


cdef struct row_of_seats_t:
    row_t game
    seat_row_t seats[MAX_SEATS]


cdef struct scene_t:                     # one game, and the place one step before what is drawn now
    game_t game
    game_t before
    game_t tail
    move_t move                          # made in that step; verb 0 before the first
    log_t log
    uint64_t base                        # names the block's streams
    uint64_t block
    int rotation
    uint16_t seen[MAX_SEATS][N_BANDS][MAX_KINDS]  # cards that each seat was dealt or has drawn
    const seat_t *seats                  # who plays it, with what they have written down by now
    const seat_t *then                   # with what they had written down one step before
    const seat_t *others                 # who plays on
    memories_t remembered                # what the seats remember now, one step before, and where they play on
    memories_t remembered_then
    memories_t remembered_on
    const uint8_t *ids


cdef inline int band_of(const plan_t *plan, int n) noexcept nogil:
    cdef int band = 0
    while band < N_BANDS - 1 and n > plan.last_of_band[band]:
        band += 1
    return band


cdef inline bint picked(plan_t *plan, scene_t *s, int seat, int n, int kind) noexcept nogil:
    """Count a seat's n-th card, and decide by (seed, block, rotation, seat, n) whether it is a moment."""
    cdef int band = band_of(plan, n)
    cdef int cell = s.ids[seat] * N_BANDS + band
    cdef uint64_t golden = <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t h = mix((s.base ^ (<uint64_t>PURPOSE_PICK << 32 | <uint64_t>s.rotation)) + golden)
    plan.counts[3 * cell] += 1
    s.seen[seat][band][kind] += s.seen[seat][band][kind] != 0xFFFF
    h = mix((h ^ (<uint64_t>seat << 32 | <uint64_t>n)) + golden)
    return (h >> 11) * <double>1.1102230246251565e-16 < plan.chances[cell]


cdef inline void figures_of(const plan_t *plan, const game_t *g, const uint8_t *ids, double (*out)[N_FIGURES],
                            uint64_t *trace) noexcept nogil:
    """Give, for each seat, what came of a finished game."""
    cdef row_of_seats_t row
    cdef int seat
    write_row(g, 0, 0, 0, ids, <uint8_t *>&row)
    trace[0] = row.game.trace
    for seat in range(g.table.seats):
        out[seat][0] = <int>(row.seats[seat].won * 840 + <float>0.5) / <double>840
        out[seat][1] = g.table.turn if g.table.turn < plan.turn_limit else plan.turn_limit
        out[seat][2] = g.end != END_ESCAPE


cdef int play_on(plan_t *plan, scene_t *s, int seat, int n, int natural, const uint8_t *there,
                 failure_t *failure) noexcept nogil:
    """Play a moment: once with each kind of which `there` has a copy in the place of the card drawn, `natural`."""
    cdef const rules_t *rules = plan.rules
    cdef int kind, other, i, outcome, n_kinds = rules.n_kinds, copies = 0
    cdef int cell = s.ids[seat] * N_BANDS + band_of(plan, n)
    cdef double times = 1 / plan.chances[cell]
    cdef double came[MAX_KINDS][N_FIGURES]
    cdef double of_seats[MAX_SEATS][N_FIGURES]
    cdef double mean[N_FIGURES]
    cdef double *sums = &plan.sums[cell * n_kinds * (1 + N_FIGURES)]
    cdef double *pairs = &plan.pairs[cell * n_kinds * n_kinds]
    cdef uint64_t trace
    cdef intervention_t forced
    cdef kept_t *kept
    memset(mean, 0, sizeof(mean))
    for kind in range(n_kinds):
        copies += there[kind]
    if copies < 2:
        return PLAYED
    for kind in range(n_kinds):
        if there[kind] == 0:
            continue
        if plan.cancel != NULL and (<volatile_u8 *>plan.cancel)[0]:
            return STOPPED
        if plan.locked and PyErr_CheckSignals() != 0:
            return SIGNALLED
        forced.seat, forced.n, forced.kind, forced.result = seat, n, kind, IV_NOT_REACHED
        if s.before.phase == NOT_DEALT:
            set_up(&s.tail, rules, plan.seed, s.block, &forced, NULL, NULL)
            begin_scratch(s.others, rules.seats)
            forget_all(&s.remembered_on)
        else:
            memcpy(&s.tail, &s.before, sizeof(game_t))
            s.tail.log = NULL
            s.tail.intervention = forced
            copy_scratch(s.others, s.then, rules.seats)
            if s.remembered.seats:
                s.remembered_on = s.remembered_then
        s.tail.memories = &s.remembered_on if s.remembered.seats else NULL
        if s.before.phase != NOT_DEALT and s.move.verb:
            make_move(&s.tail, &s.move)
        outcome = play_out(&s.tail, s.others, failure)
        if outcome != PLAYED:
            return outcome
        figures_of(plan, &s.tail, s.ids, of_seats, &trace)
        if plan.n_kept < plan.room:
            kept = <kept_t *>(plan.kept + plan.n_kept * sizeof(kept_t))
            kept.trace = trace
            kept.block = <uint32_t>s.block
            kept.n = <uint16_t>n
            kept.rotation = <uint8_t>s.rotation
            kept.seat = <uint8_t>seat
            kept.kind = <uint8_t>kind
            kept.result = <uint8_t>s.tail.intervention.result
            plan.n_kept += 1
        if s.tail.intervention.result != (IV_SAME if kind == natural else IV_SWAPPED):
            return NOT_AS_SEEN
        plan.counts[3 * cell + 2] += 1
        for i in range(N_FIGURES):
            came[kind][i] = of_seats[seat][i]
            mean[i] += there[kind] * of_seats[seat][i] / copies
    plan.counts[3 * cell + 1] += 1
    for kind in range(n_kinds):
        if there[kind]:
            sums[kind * (1 + N_FIGURES)] += times * there[kind]
            for i in range(N_FIGURES):
                sums[kind * (1 + N_FIGURES) + 1 + i] += times * there[kind] * (came[kind][i] - mean[i])
            for other in range(n_kinds):
                pairs[kind * n_kinds + other] += times * there[kind] * there[other] / copies
    return PLAYED


cdef int look_at_deal(plan_t *plan, scene_t *s, failure_t *failure) noexcept nogil:
    """Count the cards dealt, and play the moments among them; the log holds them in order."""
    cdef const rules_t *rules = plan.rules
    cdef uint8_t there[MAX_KINDS]
    cdef int i, seat, n, kind, outcome, dealt = rules.seats * rules.hand_size
    cdef int at = 0, replacement = NONE
    cdef uint8_t counted[MAX_SEATS]
    memset(counted, 0, sizeof(counted))
    for i in range(s.log.n):
        if s.log.entries[i].what == E_DEAL:
            at += 1
            if at > dealt:
                replacement = s.log.entries[i].kind
    s.before.phase = NOT_DEALT
    for i in range(s.log.n):
        if s.log.entries[i].what != E_DEAL:
            continue
        seat, kind = s.log.entries[i].seat, s.log.entries[i].kind
        counted[seat] += 1
        n = counted[seat]
        if not picked(plan, s, seat, n, kind):
            continue
        memcpy(there, s.game.hidden.in_pile, sizeof(there))
        there[kind] += 1
        if replacement != NONE and n <= rules.hand_size:
            there[replacement] += 1  # it lay in the pile until all were dealt
        outcome = play_on(plan, s, seat, n, kind, there, failure)
        if outcome != PLAYED:
            return outcome
    return PLAYED


cdef int look_at_step(plan_t *plan, scene_t *s, uint16_t *drawn, failure_t *failure) noexcept nogil:
    """Count the cards drawn in the last step, and play the moments among them; `drawn` is how many each seat had."""
    cdef uint8_t there[MAX_KINDS]
    cdef int i, later, seat, kind, outcome
    cdef bint renewed
    for i in range(s.log.n):
        if s.log.entries[i].what != E_DRAW:
            continue
        seat, kind = s.log.entries[i].seat, s.log.entries[i].kind
        drawn[seat] += 1
        if not picked(plan, s, seat, drawn[seat], kind):
            continue
        # What might have been drawn: this card, those drawn after it, and what is left or, until a renewal, nothing.
        memset(there, 0, sizeof(there))
        there[kind] = 1
        renewed = False
        for later in range(i + 1, s.log.n):
            if s.log.entries[later].what == E_RENEW:
                renewed = True
                break
            if s.log.entries[later].what == E_DRAW:
                there[s.log.entries[later].kind] += 1
        if not renewed:
            for later in range(plan.rules.n_kinds):
                there[later] += s.game.hidden.in_pile[later]
        outcome = play_on(plan, s, seat, drawn[seat], kind, there, failure)
        if outcome != PLAYED:
            return outcome
    return PLAYED


cdef int play_base(plan_t *plan, scene_t *s, failure_t *failure) noexcept nogil:
    """Play one game, and on from the moments picked in it."""
    cdef const rules_t *rules = plan.rules
    cdef game_t *g = &s.game
    cdef view_t view
    cdef move_set_t moves
    cdef intervention_t none
    cdef uint16_t drawn[MAX_SEATS]
    cdef int seat, index, outcome
    none.seat = NONE
    s.log.n = 0
    s.remembered.seats = seats_that_remember(s.seats, rules.seats)
    s.remembered_on.seats = s.remembered.seats
    memset(s.seen, 0, sizeof(s.seen))
    set_up(g, rules, plan.seed, s.block, &none, &s.log, NULL)
    outcome = look_at_deal(plan, s, failure)
    if outcome != PLAYED:
        return outcome
    begin_scratch(s.seats, rules.seats)
    if s.remembered.seats:
        forget_all(&s.remembered)
        g.memories = &s.remembered
    memcpy(drawn, g.draws, sizeof(drawn))
    view.rules = rules
    view.table = &g.table
    s.move.verb = 0
    while True:
        if not plan.locked:  # else what its strategies keep cannot be copied, and games are played from the start
            memcpy(&s.before, g, sizeof(game_t))
            copy_scratch(s.then, s.seats, rules.seats)
            if s.remembered.seats:
                s.remembered_then = s.remembered
        s.log.n = 0
        if s.move.verb:
            make_move(g, &s.move)
        advance(g)
        if s.log.failed:
            return NO_MEMORY
        outcome = look_at_step(plan, s, drawn, failure)
        if outcome != PLAYED:
            return outcome
        if g.decision == OVER:
            return PLAYED
        seat = g.asked
        view.hand = g.hidden.hand[seat]
        view.memory = memory_of(g, seat)
        view.rng = &g.strategy[seat]
        view.scratch = s.seats[seat].scratch
        view.seat = seat
        view.decision = g.decision
        list_moves(g, &view.hand, &moves)
        index = (<raw_decide_t>s.seats[seat].strategy.decide)(&view, &moves, s.seats[seat].parameters)
        if not 0 <= index < moves.n:
            failure.turn, failure.seat, failure.n_moves = g.table.turn, seat, moves.n
            failure.answered, failure.decision = index, g.decision
            return RAISED if index == -1 else BAD_INDEX
        s.move = move_at(&moves, index)


cdef void add_game(plan_t *plan, const scene_t *s, const uint8_t (*hands)[MAX_KINDS],
                   const uint8_t *pile) noexcept nogil:
    """Add a finished game's figures for each card that a seat saw, was dealt, and for each that was dealt to nobody."""
    cdef int seat, band, kind, i, n_kinds = plan.rules.n_kinds
    cdef double of_seats[MAX_SEATS][N_FIGURES]
    cdef uint64_t trace
    cdef double *to
    figures_of(plan, &s.game, s.ids, of_seats, &trace)
    for seat in range(plan.rules.seats):
        for kind in range(n_kinds):
            to = &plan.dealt[(s.ids[seat] * n_kinds + kind) * 2 * (1 + N_FIGURES)]
            to[0] += hands[seat][kind]
            to[1 + N_FIGURES] += pile[kind]
            for i in range(N_FIGURES):
                to[1 + i] += hands[seat][kind] * of_seats[seat][i]
                to[2 + N_FIGURES + i] += pile[kind] * of_seats[seat][i]
        for band in range(N_BANDS):
            for kind in range(n_kinds):
                if s.seen[seat][band][kind]:
                    to = &plan.seen[((s.ids[seat] * N_BANDS + band) * n_kinds + kind) * (1 + N_FIGURES)]
                    to[0] += s.seen[seat][band][kind]
                    for i in range(N_FIGURES):
                        to[1 + i] += s.seen[seat][band][kind] * of_seats[seat][i]


cdef int play_all(plan_t *plan, scene_t *s, const seat_t *seats, const seat_t *then, const seat_t *others,
                  const uint8_t *ids, int rotations, uint64_t first_block, uint64_t n_blocks,
                  failure_t *failure) noexcept nogil:
    cdef const rules_t *rules = plan.rules
    cdef uint8_t hands[MAX_SEATS][MAX_KINDS]
    cdef uint8_t pile[MAX_KINDS]
    cdef game_t dealt
    cdef intervention_t none
    cdef uint64_t block
    cdef int rotation, i, outcome
    none.seat = NONE
    for block in range(first_block, first_block + n_blocks):
        s.block = block
        s.base = stream_base(plan.seed, block)
        s.log.n = 0
        set_up(&dealt, rules, plan.seed, block, &none, &s.log, NULL)
        memset(hands, 0, sizeof(hands))
        memcpy(pile, dealt.hidden.in_pile, sizeof(pile))
        for i in range(s.log.n):
            if s.log.entries[i].what == E_DEAL:
                hands[s.log.entries[i].seat][s.log.entries[i].kind] += 1
        for rotation in range(rotations):
            if plan.cancel != NULL and (<volatile_u8 *>plan.cancel)[0]:
                return STOPPED
            s.rotation = rotation
            s.seats = &seats[rotation * rules.seats]
            s.then = &then[rotation * rules.seats]
            s.others = &others[rotation * rules.seats]
            s.ids = &ids[rotation * rules.seats]
            outcome = play_base(plan, s, failure)
            if outcome != PLAYED:
                failure.game = block * rotations + rotation
                return outcome
            add_game(plan, s, hands, pile)
    return PLAYED


def play_impact(CompiledRules rules, lineup, *, seed, first_block, n_blocks, strategy_ids, chances, bands, turn_limit,
                cancel=None, keep=0):
    """Play each distinct rotation of a lineup on a range of blocks, and on from the cards picked in those games.

    `chances` is [strategy, band], the chance that a card is picked; `bands` holds the last n of each band but the last.
    Returns a dict of arrays: `sums` [strategy, band, kind, 4], `pairs` [strategy, band, kind, kind], `counts`
    [strategy, band, 3] (cards seen, moments, games played on), `seen` [strategy, band, kind, 4] (cards dealt or drawn,
    and those times each of FIGURES), `dealt` [strategy, kind, 2, 4] (the same of the own hand, and of copies dealt to
    nobody); and `kept`, the first `keep` games that were played on. Fails as `play_blocks` does.
    """
    cdef plan_t plan
    cdef scene_t *s
    cdef failure_t failure
    cdef uint64_t c_first = first_block, c_blocks = n_blocks
    cdef const double[:, ::1] c_chances = np.ascontiguousarray(chances, dtype=np.float64)
    cdef double[:, :, :, ::1] sums, pairs, seen, dealt
    cdef uint64_t[:, :, ::1] counts
    cdef const unsigned char[::1] flag
    cdef unsigned char[::1] kept
    cdef Seating seats = Seating(lineup, strategy_ids, rules.c.seats)
    cdef Seating then = Seating(lineup, strategy_ids, rules.c.seats)
    cdef Seating others = Seating(lineup, strategy_ids, rules.c.seats)
    cdef int i, outcome, n_strategies = c_chances.shape[0], n_kinds = rules.c.n_kinds
    cause = None
    if c_chances.shape[1] != N_BANDS or len(bands) != N_BANDS - 1 or n_strategies <= max(strategy_ids):
        raise InputError(f"chances: expected {N_BANDS} bands, and a row for each strategy")
    memset(&plan, 0, sizeof(plan))
    memset(&failure, 0, sizeof(failure))
    found = {
        "sums": np.zeros((n_strategies, N_BANDS, n_kinds, 1 + N_FIGURES)),
        "pairs": np.zeros((n_strategies, N_BANDS, n_kinds, n_kinds)),
        "counts": np.zeros((n_strategies, N_BANDS, 3), dtype=np.uint64),
        "seen": np.zeros((n_strategies, N_BANDS, n_kinds, 1 + N_FIGURES)),
        "dealt": np.zeros((n_strategies, n_kinds, 2, 1 + N_FIGURES)),
    }
    sums, pairs, counts, dealt = found["sums"], found["pairs"], found["counts"], found["dealt"]
    seen = found["seen"]
    plan.sums, plan.pairs, plan.dealt = &sums[0, 0, 0, 0], &pairs[0, 0, 0, 0], &dealt[0, 0, 0, 0]
    plan.counts, plan.seen = &counts[0, 0, 0], &seen[0, 0, 0, 0]
    plan.rules, plan.seed, plan.turn_limit, plan.chances = &rules.c, seed, turn_limit, &c_chances[0, 0]
    for i in range(N_BANDS - 1):
        plan.last_of_band[i] = bands[i]
    games = np.zeros(keep, dtype=KEPT)
    if keep:
        if sizeof(kept_t) != KEPT.itemsize:
            raise AssertionError("a kept game's layout is not what NumPy was told")
        kept = games.view(np.uint8)
        plan.kept, plan.room = &kept[0], keep
    if cancel is not None:
        flag = cancel
        plan.cancel = &flag[0]
    scene = bytearray(sizeof(scene_t) + 64)
    cdef unsigned char[::1] room = scene
    s = <scene_t *>((<size_t>&room[0] + 63) & ~<size_t>63)
    memset(s, 0, sizeof(scene_t))
    try:
        plan.locked = seats.locked
        if seats.locked:
            outcome = play_all(&plan, s, seats.seats, then.seats, others.seats, seats.ids, seats.rotations, c_first,
                               c_blocks, &failure)
        else:
            with nogil:
                outcome = play_all(&plan, s, seats.seats, then.seats, others.seats, seats.ids, seats.rotations, c_first,
                                   c_blocks, &failure)
        if outcome == RAISED or outcome == SIGNALLED:
            cause = error_left_behind()
    finally:
        free(s.log.entries)
    if outcome == STOPPED:
        raise Cancelled("stopped on request")
    if outcome == SIGNALLED:
        raise cause
    if outcome == NO_MEMORY:
        raise MemoryError()
    if outcome == NOT_AS_SEEN or outcome == NOT_CONSERVED:
        raise AssertionError(f"game {failure.game}: a card that lay in the pick-up pile was not there to be drawn")
    if outcome != PLAYED:
        raise_failure(&failure, cause)
    found["kept"] = games[:plan.n_kept]
    return found
