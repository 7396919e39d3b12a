"""Playing many games: the boundary between Python and the engine.

The one function here validates, releases the GIL, plays, and hands back a NumPy array of rows. Games depend on
(rules, seats, seed, block, lineup) alone; how blocks are cut into calls changes nothing.
"""
import numpy as np

from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from rsc_sim.engine.deal cimport set_up
from rsc_sim.engine.record cimport row_t, seat_row_t, write_row
from rsc_sim.engine.rules cimport CompiledRules
from rsc_sim.engine.turn cimport advance, apply, list_moves
from rsc_sim.engine.types cimport *
from rsc_sim.strategy cimport ABI_VERSION, strategy_t

from rsc_sim.engine.columns import row_dtype
from rsc_sim.errors import InputError, RscError, StrategyError


class Cancelled(RscError):
    """Say that `play_blocks` stopped because it was asked to."""


cdef extern from *:
    """
    #ifdef RSC_DEBUG
    #define RSC_CHECKED 1
    #else
    #define RSC_CHECKED 0
    #endif
    """
    bint RSC_CHECKED

CHECKED = bool(RSC_CHECKED)


ctypedef struct failure_t:
    uint64_t game
    int32_t turn
    int32_t seat
    int32_t answered
    int32_t n_moves
    int32_t decision


cdef enum:
    PLAYED = 0
    BAD_INDEX = 1
    RAISED = 2
    NOT_CONSERVED = 3
    STOPPED = 4


# A strategy's function as the loop calls it: -1 comes back as a number. By its own type, -1 would leave `play_out`, which cannot raise, by
# Cython's way out of such a function: the error printed and forgotten, the unfinished game counted as played.
ctypedef int (*raw_decide_t)(const view_t *view, const move_set_t *moves, const void *parameters) noexcept nogil


ctypedef struct seat_t:                 # who plays a seat in one rotation
    const strategy_t *strategy
    const void *parameters
    void *scratch


cdef const strategy_t *strategy_of(object capsule) except NULL:
    """Return what a strategy's capsule holds, after checking that it was compiled against this engine."""
    cdef const strategy_t *strategy
    if not PyCapsule_IsValid(capsule, "rsc_sim.strategy"):
        raise InputError(f"lineup: expected a bound native strategy, got {type(capsule).__name__}")
    strategy = <const strategy_t *>PyCapsule_GetPointer(capsule, "rsc_sim.strategy")
    if (strategy.abi != ABI_VERSION or strategy.view_size != sizeof(view_t)
            or strategy.moves_size != sizeof(move_set_t) or strategy.table_size != sizeof(public_t)
            or strategy.rules_size != sizeof(rules_t)):
        raise InputError(
            f"a native strategy was compiled for another version of rsc-sim (its interface {strategy.abi}, here "
            f"{ABI_VERSION}; its view {strategy.view_size} bytes, here {sizeof(view_t)}): build it again against this one")
    return strategy


cdef bint conserved(const game_t *g) noexcept nogil:
    """Say whether every kind's copies add up to the deck, and every derived figure to its cards. Protections: over all kinds of them."""
    cdef const rules_t *rules = g.rules
    cdef int kind, seat, merch, n, i, beneath = 0, protects = 0, in_hand, pile_n = 0, discard_n = 0
    cdef uint8_t counted[MAX_KINDS]
    memset(counted, 0, sizeof(counted))
    for i in range(g.hidden.pile_front, g.hidden.pile_front + g.table.pile_n):
        counted[g.hidden.pile[i]] += 1
    for kind in range(rules.n_kinds):
        if counted[kind] != g.hidden.in_pile[kind]:
            return False
        pile_n += counted[kind]
        discard_n += g.table.discards[kind]
        if (g.table.discards[kind] != 0) != (g.table.discard_kinds >> kind & 1):
            return False
        n = g.hidden.in_pile[kind] + g.table.discards[kind]
        for seat in range(rules.seats):
            n += g.hidden.hand[seat].copies[kind]
            if (g.hidden.hand[seat].copies[kind] != 0) != (g.hidden.hand[seat].kinds >> kind & 1):
                return False
            if rules.merch_of[kind] != 255:
                n += g.table.tabled[seat][rules.merch_of[kind]]
        if g.table.action.verb and g.table.action.kind == kind:
            n += 1
        if kind == rules.read_kind:
            n += g.table.read_holder != NONE
        if rules.primitive[kind] == P_PROTECT_MERCH:
            protects += rules.copies[kind] - n
        elif n != rules.copies[kind]:
            return False
    if pile_n != g.table.pile_n or discard_n != g.table.discard_n:
        return False
    for seat in range(rules.seats):
        in_hand = 0
        for kind in range(rules.n_kinds):
            in_hand += g.hidden.hand[seat].copies[kind]
        if in_hand != g.table.hand_n[seat]:
            return False
        if (g.hidden.hand[seat].hands_off != NONE) != (g.table.hands_off_n[seat] == 1):
            return False
        if g.hidden.hand[seat].hands_off != NONE and not (
                g.hidden.hand[seat].kinds >> g.hidden.hand[seat].hands_off & 1):
            return False
        n = 0
        for merch in range(rules.n_merch):
            beneath += g.table.protections[seat][merch]
            n += g.table.tabled[seat][merch] * rules.value[merch]
            if (g.table.tabled[seat][merch] > g.table.protections[seat][merch]) != (
                    g.table.unprotected[seat] >> merch & 1):
                return False
            if (g.table.protections[seat][merch] > 0) != (g.table.shielded[seat] >> merch & 1):
                return False
            if g.table.protections[seat][merch] > g.table.tabled[seat][merch]:
                return False
        if n != g.table.merch[seat]:
            return False
    return beneath == protects


cdef int play_out(game_t *g, const seat_t *seats, failure_t *failure) noexcept nogil:
    """Play a game to its end; return PLAYED or what went wrong."""
    cdef view_t view
    cdef move_set_t moves
    cdef int seat, index
    cdef const seat_t *player
    view.rules = g.rules
    view.table = &g.table
    view.memory = NULL
    while advance(g) != OVER:
        seat = g.asked
        player = &seats[seat]
        view.hand = g.hidden.hand[seat]
        view.rng = &g.strategy[seat]
        view.scratch = player.scratch
        view.seat = seat
        view.decision = g.decision
        list_moves(g, &view.hand, &moves)
        if RSC_CHECKED and not conserved(g):
            index = NOT_CONSERVED
        else:
            index = (<raw_decide_t>player.strategy.decide)(&view, &moves, player.parameters)
            if 0 <= index < moves.n:
                apply(g, &moves, index)
                continue
            failure.answered = index
            index = RAISED if index == -1 else BAD_INDEX
        failure.turn = g.table.turn
        failure.seat = seat
        failure.n_moves = moves.n
        failure.decision = g.decision
        return index
    return PLAYED


cdef int play_all(const rules_t *rules, const seat_t *seats, const uint8_t *ids, int rotations, uint64_t seed,
                  uint64_t first_block, uint64_t n_blocks, const intervention_t *intervention, uint8_t *rows,
                  size_t row_size, const uint8_t *cancel, failure_t *failure) noexcept nogil:
    """Play every rotation of every block; `seats` and `ids` hold `rotations` lineups of rules.seats entries."""
    cdef game_t dealt, game
    cdef uint64_t i, number
    cdef int rotation, seat, outcome
    cdef const seat_t *lineup
    for i in range(n_blocks):
        if cancel != NULL and (<volatile_u8 *>cancel)[0]:
            return STOPPED
        set_up(&dealt, rules, seed, first_block + i, intervention, NULL)
        for rotation in range(rotations):
            lineup = &seats[rotation * rules.seats]
            for seat in range(rules.seats):
                if lineup[seat].scratch != NULL:
                    memset(lineup[seat].scratch, 0, lineup[seat].strategy.scratch_size)
            memcpy(&game, &dealt, sizeof(game_t))
            number = (first_block + i) * rotations + rotation
            outcome = play_out(&game, lineup, failure)
            if outcome != PLAYED:
                failure.game = number
                return outcome
            write_row(&game, number, <uint32_t>(first_block + i), rotation, &ids[rotation * rules.seats], rows)
            rows += row_size
    return PLAYED


cdef extern from *:
    """
    typedef volatile unsigned char rsc_volatile_u8;
    """
    ctypedef unsigned char volatile_u8 "rsc_volatile_u8"


def distinct_rotations(strategy_ids):
    """Return the smallest period of a lineup: how many rotations of it differ."""
    ids = list(strategy_ids)
    for period in range(1, len(ids)):
        if len(ids) % period == 0 and ids == ids[period:] + ids[:period]:
            return period
    return len(ids)


def play_blocks(CompiledRules rules, lineup, *, seed, first_block, n_blocks, strategy_ids, intervention=None,
                cancel=None):
    """Play each distinct rotation of a lineup on a range of blocks and return the rows.

    `lineup` holds one bound native strategy a seat and `strategy_ids` a number below 256 for each, equal for equal ones: the rotations
    that differ are played, r of them. `intervention` is (seat, n, kind id) or None. Returns a structured array of n_blocks · r rows
    (`row_dtype`), block by block. Setting `cancel[0]` (a bytearray) from another thread makes the call raise Cancelled.
    Raises StrategyError when a strategy raises or answers with no legal move's index.
    """
    cdef int n_seats = rules.c.seats, r, rotation, seat, outcome
    cdef size_t row_size = sizeof(row_t) + n_seats * sizeof(seat_row_t)
    cdef seat_t *seats = NULL
    cdef failure_t failure
    cdef intervention_t iv
    cdef uint8_t ids[MAX_SEATS * MAX_SEATS]
    cdef unsigned char[::1] out, flag
    cdef const uint8_t *cancel_at = NULL
    cdef uint8_t *out_at = NULL
    cdef uint64_t c_seed = seed, c_first = first_block, c_blocks = n_blocks
    cdef const strategy_t *strategy
    cause = None
    if len(lineup) != n_seats or len(strategy_ids) != n_seats:
        raise InputError(f"lineup: expected a strategy for each of {n_seats} seats, got {len(lineup)}")
    if c_first + c_blocks > <uint64_t>0xFFFFFFFF:
        raise InputError("blocks: expected numbers below 2^32")
    memset(&failure, 0, sizeof(failure))
    memset(&iv, 0, sizeof(iv))
    iv.seat = NONE
    if intervention is not None:
        iv.seat, iv.n, kind = intervention
        if not 0 <= iv.seat < n_seats or iv.n < 1 or kind not in rules.kinds:
            raise InputError(f"intervention: expected (a seat below {n_seats}, a card number from 1, a kind), got {intervention!r}")
        iv.kind = rules.kinds.index(kind)
    if cancel is not None:
        flag = cancel
        cancel_at = &flag[0]
    r = distinct_rotations(strategy_ids)
    rows = np.zeros(c_blocks * r, dtype=row_dtype(n_seats))
    if rows.dtype.itemsize != row_size:
        raise AssertionError(f"row layout: columns.py says {rows.dtype.itemsize} bytes, record.pxd {row_size}")
    if c_blocks:
        out = rows.view(np.uint8)
        out_at = &out[0]
    seats = <seat_t *>calloc(n_seats * r, sizeof(seat_t))
    if seats == NULL:
        raise MemoryError()
    try:
        for rotation in range(r):
            for seat in range(n_seats):
                strategy = strategy_of(lineup[(seat + rotation) % n_seats])
                ids[rotation * n_seats + seat] = strategy_ids[(seat + rotation) % n_seats]
                seats[rotation * n_seats + seat].strategy = strategy
                seats[rotation * n_seats + seat].parameters = <const void *>(strategy + 1)
                if strategy.scratch_size:
                    seats[rotation * n_seats + seat].scratch = calloc(1, strategy.scratch_size)
                    if seats[rotation * n_seats + seat].scratch == NULL:
                        raise MemoryError()
        with nogil:
            outcome = play_all(&rules.c, seats, ids, r, c_seed, c_first, c_blocks, &iv, out_at, row_size, cancel_at,
                               &failure)
        if outcome == RAISED:
            cause = error_left_behind()
    finally:
        for seat in range(n_seats * r):
            free(seats[seat].scratch)
        free(seats)
    if outcome == PLAYED:
        return rows
    if outcome == STOPPED:
        raise Cancelled("stopped on request")
    if outcome == NOT_CONSERVED:
        raise AssertionError(f"game {failure.game}, turn {failure.turn}: cards were lost or gained")
    raise_failure(&failure, cause)


cdef int minus_one() except? -1:
    """Return what, while an exception is set, Cython takes for having raised it."""
    return -1


cdef object error_left_behind():
    """Take up the exception that a strategy set when it returned -1; None where it returned -1 and set none."""
    try:
        minus_one()
    except BaseException as error:
        return error
    return None


cdef object raise_failure(const failure_t *failure, object cause):
    """Raise the StrategyError for what a strategy did; what it raised itself, or None, is the cause."""
    if cause is not None and not isinstance(cause, Exception):
        raise cause  # Ctrl-C and an exit are not the strategy's failure
    did = f"returned {failure.answered} for a decision with {failure.n_moves} moves"
    if cause is not None:
        did = f"raised {type(cause).__name__}: {cause}"
    error = StrategyError(f"{did} (game {failure.game}, turn {failure.turn}, seat {failure.seat})")
    error.game = failure.game
    error.turn = failure.turn
    error.seat = failure.seat
    error.did = did
    raise error from cause
