"""Playing many games: the boundary between Python and the engine.

The one function here validates, releases the GIL, plays, and hands back a NumPy array of rows. Games depend on
(rules, seats, seed, block, lineup) alone; how blocks are cut into calls changes nothing.
"""
import numpy as np

from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from libc.stdint cimport int32_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.conserved cimport RSC_CHECKED, conserved
from rsc_sim.engine.deal cimport set_up
from rsc_sim.engine.lockstep cimport (begin_group, free_group, group_blocks, group_t, make_group, play_group, slot_t)
from rsc_sim.engine.memory cimport forget_all, memory_of
from rsc_sim.engine.record cimport row_t, seat_row_t, write_row
from rsc_sim.engine.rules cimport CompiledRules
from rsc_sim.engine.seats cimport *
from rsc_sim.engine.tally cimport WIN, add_game, flush, sums_t
from rsc_sim.engine.turn cimport advance, apply, list_moves
from rsc_sim.engine.types cimport *
from rsc_sim.strategy cimport ABI_VERSION, NEEDS_INTERPRETER, SCORES_BATCHES, strategy_t

from rsc_sim.engine.columns import row_dtype
from rsc_sim.errors import InputError, RscError, StrategyError


class Cancelled(RscError):
    """Say that `play_blocks` stopped because it was asked to."""


CHECKED = bool(RSC_CHECKED)


cdef const strategy_t *strategy_of(object capsule) except NULL:
    """Return what a strategy's capsule holds, after checking that it was compiled against this engine."""
    cdef const strategy_t *strategy
    if not PyCapsule_IsValid(capsule, "rsc_sim.strategy"):
        raise InputError(f"lineup: expected a bound native strategy, got {type(capsule).__name__}")
    strategy = <const strategy_t *>PyCapsule_GetPointer(capsule, "rsc_sim.strategy")
    if (strategy.abi != ABI_VERSION or strategy.view_size != sizeof(view_t)
            or strategy.moves_size != sizeof(move_set_t) or strategy.table_size != sizeof(public_t)
            or strategy.rules_size != sizeof(rules_t)
            or strategy.memory_size not in (0, sizeof(memory_t))):
        raise InputError(
            f"a native strategy was compiled for another version of rsc-sim (its interface {strategy.abi}, here "
            f"{ABI_VERSION}; its view {strategy.view_size} bytes, here {sizeof(view_t)}): build it again against this "
            "one")
    return strategy


cdef int play_out(game_t *g, const seat_t *seats, failure_t *failure) noexcept nogil:
    """Play a game to its end; return PLAYED or what went wrong."""
    cdef view_t view
    cdef move_set_t moves
    cdef int seat, index
    cdef const seat_t *player
    view.rules = g.rules
    view.table = &g.table
    while advance(g) != OVER:
        seat = g.asked
        player = &seats[seat]
        view.hand = g.hidden.hand[seat]
        view.memory = memory_of(g, seat)
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


cdef struct tally_plan_t:               # where tallies go; cards is NULL when none are kept
    uint64_t *cards
    uint64_t *windows
    uint64_t first_block                # of the first batch
    uint64_t batch_blocks
    size_t cards_size                   # numbers a batch
    size_t windows_size
    int n_strategies
    sums_t *sums
    tally_t *dealt                      # counted while dealing, and in the game that is played
    tally_t *played


cdef void flush_batch(const tally_plan_t *plan, const rules_t *rules, uint64_t block) noexcept nogil:
    cdef uint64_t batch = block // plan.batch_blocks - plan.first_block // plan.batch_blocks
    flush(plan.sums, plan.n_strategies, rules.n_kinds, plan.cards + batch * plan.cards_size,
          plan.windows + batch * plan.windows_size)


cdef void clear_tally(tally_t *tally, const tally_t *dealt, int seats) noexcept nogil:
    """Begin a game's tally as its deal left it, or empty."""
    if dealt == NULL:
        memset(tally.counts, 0, seats * sizeof(tally.counts[0]))
    else:
        memcpy(tally.counts, dealt.counts, seats * sizeof(tally.counts[0]))


cdef inline void tally_game(const tally_plan_t *plan, const game_t *game, const tally_t *tally,
                            const uint8_t *strategies, uint64_t block, const uint8_t *row) noexcept nogil:
    """Add a finished game, whose row is written, to its batch."""
    cdef const seat_row_t *seat_rows = <const seat_row_t *>(row + sizeof(row_t))
    cdef uint32_t won[MAX_SEATS]
    cdef int seat
    for seat in range(game.rules.seats):
        won[seat] = <uint32_t>(seat_rows[seat].won * WIN + <float>0.5)
    add_game(plan.sums, game, tally, strategies, won)
    if plan.sums.most > <uint64_t>0xF0000000:
        flush_batch(plan, game.rules, block)


cdef int play_all(const rules_t *rules, const seat_t *seats, const uint8_t *ids, int rotations, uint64_t seed,
                  uint64_t first_block, uint64_t n_blocks, const intervention_t *intervention, uint8_t *rows,
                  size_t row_size, const uint8_t *cancel, const tally_plan_t *plan, bint locked,
                  failure_t *failure) noexcept nogil:
    """Play every rotation of every block; `seats` and `ids` hold `rotations` lineups of rules.seats entries.

    `locked`: a strategy needs the interpreter, whose lock is held all the while.
    """
    cdef game_t dealt, copied
    cdef game_t *game
    cdef memories_t memories
    cdef uint64_t block, number
    cdef int rotation, seat, outcome
    cdef const seat_t *lineup
    cdef const uint8_t *strategies
    cdef bint tallied = plan.cards != NULL
    for block in range(first_block, first_block + n_blocks):
        if cancel != NULL and (<volatile_u8 *>cancel)[0]:
            return STOPPED
        if locked and PyErr_CheckSignals() != 0:
            return SIGNALLED
        if tallied:
            clear_tally(plan.dealt, NULL, rules.seats)
        set_up(&dealt, rules, seed, block, intervention, NULL, plan.dealt if tallied else NULL)
        for rotation in range(rotations):
            lineup = &seats[rotation * rules.seats]
            strategies = &ids[rotation * rules.seats]
            memories.seats = 0
            for seat in range(rules.seats):
                if lineup[seat].scratch != NULL:
                    clear_scratch(&lineup[seat])
                if lineup[seat].strategy.memory_size:
                    memories.seats |= bit(seat)
            game = &dealt  # the last rotation may use up the deal itself
            if rotation < rotations - 1:
                game = &copied
                memcpy(game, &dealt, sizeof(game_t))
            if memories.seats:
                game.memories = &memories
                forget_all(&memories)
            if tallied:
                game.tally = plan.played
                clear_tally(plan.played, plan.dealt, rules.seats)
                for seat in range(rules.seats):
                    plan.played.windows[seat] = plan.sums.windows[strategies[seat]]
            number = block * rotations + rotation
            outcome = play_out(game, lineup, failure)
            if outcome != PLAYED:
                failure.game = number
                return outcome
            write_row(game, number, <uint32_t>block, rotation, strategies, rows)
            if tallied:
                tally_game(plan, game, plan.played, strategies, block, rows)
            rows += row_size
        if tallied and ((block + 1) % plan.batch_blocks == 0 or block + 1 == first_block + n_blocks):
            flush_batch(plan, rules, block)
    return PLAYED


cdef struct told_t:                     # the choices of one game of the first block, by whoever sat there
    int rotation                        # NONE: none are told
    int32_t *choices
    int n


cdef struct keeper_t:                   # what is kept of the games of groups
    const rules_t *rules
    const uint8_t *ids
    int rotations
    uint8_t *rows
    size_t row_size
    uint64_t first                      # game of the first row
    const tally_plan_t *plan
    uint64_t batch_block                # of the batch that is summed up: a block of it
    uint64_t first_batch                # of the group
    uint32_t *windows                   # by batch of the group and by strategy: escape windows


cdef void count_windows(void *keeper, slot_t *slot) noexcept nogil:
    """Let a game that begins count its escape windows in its batch."""
    cdef keeper_t *kept = <keeper_t *>keeper
    cdef uint64_t batch = slot.number // kept.rotations // kept.plan.batch_blocks - kept.first_batch
    cdef const uint8_t *strategies = kept.ids + slot.number % kept.rotations * kept.rules.seats
    cdef int seat
    for seat in range(kept.rules.seats):
        slot.tally.windows[seat] = kept.windows + (batch * kept.plan.n_strategies + strategies[seat]) * (
            N_ROUNDS * N_MISSING)


cdef void keep_game(void *keeper, slot_t *slot) noexcept nogil:
    """Write the row of a game that is over, and tally it. Games of few batches are over at a time."""
    cdef keeper_t *kept = <keeper_t *>keeper
    cdef const tally_plan_t *plan = kept.plan
    cdef uint64_t block = slot.number // kept.rotations
    cdef int rotation = <int>(slot.number % kept.rotations)
    cdef uint8_t *row = kept.rows + (slot.number - kept.first) * kept.row_size
    cdef const uint8_t *strategies = kept.ids + rotation * kept.rules.seats
    write_row(&slot.game, slot.number, <uint32_t>block, rotation, strategies, row)
    if plan.cards == NULL:
        return
    if block // plan.batch_blocks != kept.batch_block // plan.batch_blocks:
        flush_batch(plan, kept.rules, kept.batch_block)
        kept.batch_block = block
    tally_game(plan, &slot.game, slot.tally, strategies, block, row)


cdef void flush_group(keeper_t *kept, uint64_t n_batches) noexcept nogil:
    """Move what a group's games were tallied in to the totals of their batches."""
    cdef const tally_plan_t *plan = kept.plan
    cdef size_t size = plan.n_strategies * N_ROUNDS * N_MISSING
    cdef uint64_t batch
    flush_batch(plan, kept.rules, kept.batch_block)
    for batch in range(n_batches):
        memcpy(plan.sums.windows, kept.windows + batch * size, size * sizeof(uint32_t))
        flush_batch(plan, kept.rules, (kept.first_batch + batch) * plan.batch_blocks)
    memset(kept.windows, 0, n_batches * size * sizeof(uint32_t))


cdef int play_in_groups(const rules_t *rules, const seat_t *seats, const uint8_t *ids, int rotations, uint64_t seed,
                        uint64_t first_block, uint64_t n_blocks, const intervention_t *intervention, uint8_t *rows,
                        size_t row_size, const uint8_t *cancel, const tally_plan_t *plan, told_t *told,
                        failure_t *failure) noexcept:
    """Do what `play_all` does where strategies are asked for many decisions at once: their games are played in groups.
    """
    cdef group_t *group = <group_t *>calloc(1, sizeof(group_t))
    cdef keeper_t kept
    cdef uint64_t size = group_blocks(rotations), begin = first_block // size * size, after = first_block + n_blocks
    cdef uint64_t first, last
    cdef int outcome
    if group == NULL:
        return NO_ROOM
    memset(&kept, 0, sizeof(kept))
    kept.rules, kept.ids, kept.rotations = rules, ids, rotations
    kept.rows, kept.row_size, kept.first = rows, row_size, first_block * rotations
    kept.plan = plan
    group.rules, group.seats, group.rotations = rules, seats, rotations
    group.seed, group.intervention = seed, intervention
    group.wanted_from, group.wanted_to = first_block * rotations, after * rotations
    group.told = <uint64_t>-1 if told.rotation == NONE else first_block * rotations + told.rotation
    group.keeper, group.ends = &kept, keep_game
    outcome = make_group(group)
    if plan.cards != NULL:
        group.begins = count_windows
        kept.windows = <uint32_t *>calloc((size // plan.batch_blocks + 2) * plan.n_strategies * N_ROUNDS * N_MISSING,
                                          sizeof(uint32_t))
        if kept.windows == NULL:
            outcome = NO_ROOM
    while outcome == PLAYED and begin < after:
        first = begin if begin > first_block else first_block
        last = (begin + size if begin + size < after else after) - 1
        if plan.cards != NULL:
            kept.batch_block = first
            kept.first_batch = first // plan.batch_blocks
        begin_group(group, begin)
        outcome = play_group(group, cancel, failure)
        if outcome == PLAYED and plan.cards != NULL:
            flush_group(&kept, last // plan.batch_blocks - kept.first_batch + 1)
        begin += size
    told.choices, told.n = group.choices, group.n_choices
    group.choices = NULL
    free_group(group)
    free(group)
    free(kept.windows)
    return outcome


def group_size(rotations):
    """Return how many blocks are played side by side where strategies score many decisions at once: calls for whole
    groups of them play no game twice.
    """
    return group_blocks(rotations)


def distinct_rotations(strategy_ids):
    """Return the smallest period of a lineup: how many rotations of it differ."""
    ids = list(strategy_ids)
    for period in range(1, len(ids)):
        if len(ids) % period == 0 and ids == ids[period:] + ids[:period]:
            return period
    return len(ids)


class Tallies:
    """What `play_blocks` tallies, by batches of consecutive blocks.

    `cards` is a u64 array [batch, strategy, event, kind, 3]: seat-games with at least one copy, copies, and wins times
    copies in parts of 1/840; `windows` a u64 array [batch, strategy, round, missing]: escape windows by round (the
    last: all later ones) and by what was missing (1 Read + 2 ticket + 4 Merch). Batch `first_batch + i` holds the
    blocks from (first_batch + i) · batch_blocks on; where a call begins or ends within a batch, it holds the part that
    was played.
    """

    EVENTS = ("opening", "drawn", "tabled", "played", "reacted", "discarded", "lost", "in_hand_at_end", "never_seen")

    def __init__(self, rules, *, n_strategies, batch_blocks, first_block, n_blocks):
        if not 1 <= n_strategies <= MAX_SEATS or batch_blocks < 1:
            raise InputError(f"tallies: expected 1 to {MAX_SEATS} strategies and batches of a block or more, got "
                             f"{n_strategies} and {batch_blocks}")
        self.batch_blocks = batch_blocks
        self.first_block = first_block
        self.n_blocks = n_blocks
        self.first_batch = first_block // batch_blocks
        n_batches = (first_block + n_blocks - 1) // batch_blocks - self.first_batch + 1 if n_blocks else 0
        self.cards = np.zeros((n_batches, n_strategies, N_TALLIES, len(rules.kinds), 3), dtype=np.uint64)
        self.windows = np.zeros((n_batches, n_strategies, N_ROUNDS, N_MISSING), dtype=np.uint64)


def play_blocks(CompiledRules rules, lineup, *, seed, first_block, n_blocks, strategy_ids, intervention=None,
                cancel=None, tallies=None, choices=None):
    """Play each distinct rotation of a lineup on a range of blocks and return the rows.

    `lineup` holds one bound strategy a seat and `strategy_ids` a number below 256 for each, equal for equal
    ones: the rotations that differ are played, r of them. `intervention` is (seat, n, kind id) or None. Returns a
    structured array of n_blocks · r rows (`row_dtype`), block by block. Setting `cancel[0]` (a bytearray) from another
    thread makes the call raise Cancelled. `tallies`, made for this range of blocks, is added to. Raises StrategyError
    when a strategy raises or answers with no legal move's index. `choices` is (rotation, list): where strategies score
    many decisions at once, the list gets every choice of that game of the first block, as far as it came.
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
    cdef tally_plan_t plan
    cdef uint64_t[:, :, :, :, ::1] cards
    cdef uint64_t[:, :, :, ::1] windows
    cdef uint32_t flags = 0
    cdef told_t told
    cause = None
    if len(lineup) != n_seats or len(strategy_ids) != n_seats:
        raise InputError(f"lineup: expected a strategy for each of {n_seats} seats, got {len(lineup)}")
    if c_first + c_blocks > <uint64_t>0xFFFFFFFF:
        raise InputError("blocks: expected numbers below 2^32")
    memset(&failure, 0, sizeof(failure))
    memset(&told, 0, sizeof(told))
    told.rotation = NONE if choices is None else choices[0]
    memset(&iv, 0, sizeof(iv))
    iv.seat = NONE
    if intervention is not None:
        iv.seat, iv.n, kind = intervention
        if not 0 <= iv.seat < n_seats or iv.n < 1 or kind not in rules.kinds:
            raise InputError(f"intervention: expected (a seat below {n_seats}, a card number from 1, a kind), got "
                             f"{intervention!r}")
        iv.kind = rules.kinds.index(kind)
    memset(&plan, 0, sizeof(plan))
    if tallies is not None and c_blocks:
        if (tallies.first_block, tallies.n_blocks) != (first_block, n_blocks):
            raise InputError("tallies: made for another range of blocks")
        if max(strategy_ids) >= tallies.cards.shape[1]:
            raise InputError("tallies: made for fewer strategies")
        cards, windows = tallies.cards, tallies.windows
        plan.cards, plan.windows = &cards[0, 0, 0, 0, 0], &windows[0, 0, 0, 0]
        plan.cards_size, plan.windows_size = cards[0].size, windows[0].size
        plan.first_block, plan.batch_blocks = c_first, tallies.batch_blocks
        plan.n_strategies = cards.shape[1]
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
        if plan.cards != NULL:
            plan.sums = <sums_t *>calloc(1, sizeof(sums_t))
            plan.dealt = <tally_t *>calloc(1, sizeof(tally_t))
            plan.played = <tally_t *>calloc(1, sizeof(tally_t))
            if plan.sums == NULL or plan.dealt == NULL or plan.played == NULL:
                raise MemoryError()
        for rotation in range(r):
            for seat in range(n_seats):
                strategy = strategy_of(lineup[(seat + rotation) % n_seats])
                flags |= strategy.flags
                ids[rotation * n_seats + seat] = strategy_ids[(seat + rotation) % n_seats]
                seats[rotation * n_seats + seat].strategy = strategy
                seats[rotation * n_seats + seat].parameters = <const void *>(strategy + 1)
                if strategy.scratch_size:
                    seats[rotation * n_seats + seat].scratch = calloc(1, strategy.scratch_size)
                    if seats[rotation * n_seats + seat].scratch == NULL:
                        raise MemoryError()
        if flags & SCORES_BATCHES:
            outcome = play_in_groups(&rules.c, seats, ids, r, c_seed, c_first, c_blocks, &iv, out_at, row_size,
                                     cancel_at, &plan, &told, &failure)
        elif flags & NEEDS_INTERPRETER:
            outcome = play_all(&rules.c, seats, ids, r, c_seed, c_first, c_blocks, &iv, out_at, row_size, cancel_at,
                               &plan, True, &failure)
        else:
            with nogil:
                outcome = play_all(&rules.c, seats, ids, r, c_seed, c_first, c_blocks, &iv, out_at, row_size, cancel_at,
                                   &plan, False, &failure)
        if outcome == RAISED or outcome == SIGNALLED:
            cause = error_left_behind()
        if choices is not None:
            choices[1].extend([told.choices[i] for i in range(told.n)])
    finally:
        free(told.choices)
        for seat in range(n_seats * r):
            if seats[seat].scratch != NULL:
                clear_scratch(&seats[seat])
                free(seats[seat].scratch)
        free(seats)
        free(plan.sums)
        free(plan.dealt)
        free(plan.played)
    if outcome == PLAYED:
        return rows
    if outcome == STOPPED:
        raise Cancelled("stopped on request")
    if outcome == SIGNALLED:
        raise cause
    if outcome == NO_ROOM:
        raise MemoryError()
    if outcome == NOT_CONSERVED:
        raise AssertionError(f"game {failure.game}, turn {failure.turn}: cards were lost or gained, or a seat remembers"
                             " what is not so")
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


cdef str did(object error):
    """Say what a strategy did that failed with an error: `raised …`, or what the error says of it."""
    return getattr(error, "did", "") or f"raised {type(error).__name__}: {error}"


cdef object raise_failure(const failure_t *failure, object cause):
    """Raise the StrategyError for what a strategy did; what it raised itself, or None, is the cause."""
    if cause is not None and not isinstance(cause, Exception):
        raise cause  # Ctrl-C and an exit are not the strategy's failure
    what = f"returned {failure.answered} for a decision with {failure.n_moves} moves" if cause is None else did(cause)
    error = StrategyError(f"{what} (game {failure.game}, turn {failure.turn}, seat {failure.seat})")
    error.game = failure.game
    error.turn = failure.turn
    error.seat = failure.seat
    error.did = what
    if isinstance(cause, StrategyError) and cause.__cause__ is not None:
        cause = cause.__cause__
    raise error from cause
