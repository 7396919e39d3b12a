"""Many games side by side: for strategies that are asked for many decisions at once.

A group is a fixed range of blocks, whatever range is asked for: sums in a matrix product depend on its shape, so a game
comes out the same only in the same company. The games of a group go on until each waits for such a strategy; it is
asked once for all; so on, to the end. What is left behind is every choice of every game, from which the engine's own
loop plays the games over, and replay tells one of them.
"""
from libc.stdint cimport int32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.deal cimport set_up
from rsc_sim.engine.memory cimport forget_all, memory_of
from rsc_sim.engine.seats cimport *
from rsc_sim.engine.turn cimport advance, apply, list_moves
from rsc_sim.engine.types cimport *
from rsc_sim.strategy cimport SCORES_BATCHES, asked_t, batched_t

cdef enum:
    GROUP_GAMES = 512                   # of a group; as they end, some 256 are asked at once on average
    MARKED = -2                         # the decision for which an error was raised

ctypedef int (*raw_choose_t)(void *player, const asked_t *asked, int n, int32_t *choices) noexcept nogil


ctypedef struct slot_t:                 # one game of a group
    game_t game
    memories_t memories
    view_t view
    move_set_t moves
    seat_t seats[MAX_SEATS]
    int32_t *choices                    # made so far
    int32_t n_choices
    int32_t room
    uint64_t number
    const void *waits_for               # parameters of the strategy that is asked, NULL while none is
    bint wanted                         # it belongs to what was asked for; the others keep it company
    bint over


ctypedef struct group_t:
    slot_t *slots
    asked_t *asked
    slot_t **waiting
    int32_t *answers
    int n


cdef inline uint64_t group_blocks(int rotations) noexcept nogil:
    """Return how many blocks a group has."""
    return GROUP_GAMES // rotations if rotations < GROUP_GAMES else 1


cdef inline void free_group(group_t *group) noexcept nogil:
    """Give back everything; with the interpreter's lock, for what strategies kept."""
    cdef int i, seat
    if group.slots != NULL:
        for i in range(group.n):
            for seat in range(MAX_SEATS):
                if group.slots[i].seats[seat].scratch != NULL:
                    clear_scratch(&group.slots[i].seats[seat])
                    free(group.slots[i].seats[seat].scratch)
            free(group.slots[i].choices)
    free(group.slots)
    free(group.asked)
    free(group.waiting)
    free(group.answers)


cdef inline int make_group(group_t *group, const seat_t *seats, int n_seats, int rotations) noexcept nogil:
    """Make room for a group's games, and seat who plays them."""
    cdef int i, seat
    cdef slot_t *slot
    cdef const seat_t *player
    group.n = <int>group_blocks(rotations) * rotations
    group.slots = <slot_t *>calloc(group.n, sizeof(slot_t))
    group.asked = <asked_t *>calloc(group.n, sizeof(asked_t))
    group.waiting = <slot_t **>calloc(group.n, sizeof(slot_t *))
    group.answers = <int32_t *>calloc(group.n, sizeof(int32_t))
    if group.slots == NULL or group.asked == NULL or group.waiting == NULL or group.answers == NULL:
        return NO_ROOM
    for i in range(group.n):
        slot = &group.slots[i]
        for seat in range(n_seats):
            player = &seats[i % rotations * n_seats + seat]
            slot.seats[seat].strategy = player.strategy
            slot.seats[seat].parameters = player.parameters
            if player.strategy.scratch_size:
                slot.seats[seat].scratch = calloc(1, player.strategy.scratch_size)
                if slot.seats[seat].scratch == NULL:
                    return NO_ROOM
            if player.strategy.memory_size:
                slot.memories.seats |= bit(seat)
    return PLAYED


cdef inline void deal_group(group_t *group, const rules_t *rules, int rotations, uint64_t seed, uint64_t first_block,
                            uint64_t wanted_from, uint64_t wanted_to,
                            const intervention_t *intervention) noexcept nogil:
    """Begin the games of a group; those of blocks from `wanted_from` up to `wanted_to` are wanted."""
    cdef int i, seat
    cdef uint64_t block
    cdef slot_t *slot
    for i in range(group.n):
        slot = &group.slots[i]
        block = first_block + i // rotations
        if i % rotations == 0:
            set_up(&slot.game, rules, seed, block, intervention, NULL, NULL)
        else:
            memcpy(&slot.game, &group.slots[i - i % rotations].game, sizeof(game_t))
        slot.game.memories = NULL
        if slot.memories.seats:
            slot.game.memories = &slot.memories
            forget_all(&slot.memories)
        for seat in range(rules.seats):
            if slot.seats[seat].scratch != NULL:
                clear_scratch(&slot.seats[seat])
        slot.view.rules = rules
        slot.view.table = &slot.game.table
        slot.number = block * rotations + i % rotations
        slot.wanted = wanted_from <= block < wanted_to
        slot.over = block > <uint64_t>0xFFFFFFFF
        slot.n_choices = 0
        slot.waits_for = NULL


cdef inline int choose(slot_t *slot, int index) noexcept nogil:
    """Note a choice and make the move."""
    cdef int32_t *grown
    if slot.n_choices == slot.room:
        grown = <int32_t *>realloc(slot.choices, (2 * slot.room + 512) * sizeof(int32_t))
        if grown == NULL:
            return NO_ROOM
        slot.choices = grown
        slot.room = 2 * slot.room + 512
    slot.choices[slot.n_choices] = index
    slot.n_choices += 1
    slot.waits_for = NULL
    apply(&slot.game, &slot.moves, index)
    return PLAYED


cdef inline void blame(const slot_t *slot, int answered, failure_t *failure) noexcept nogil:
    failure.game = slot.number
    failure.turn = slot.game.table.turn
    failure.seat = slot.game.asked
    failure.answered = answered
    failure.n_moves = slot.moves.n
    failure.decision = slot.game.decision


cdef inline int go_on(slot_t *slot, failure_t *failure) noexcept nogil:
    """Play on until a strategy that scores many decisions is asked (WAITS), or to the end, or to a failure."""
    cdef game_t *g = &slot.game
    cdef const seat_t *player
    cdef int index
    while advance(g) != OVER:
        player = &slot.seats[g.asked]
        slot.view.hand = g.hidden.hand[g.asked]
        slot.view.memory = memory_of(g, g.asked)
        slot.view.rng = &g.strategy[g.asked]
        slot.view.scratch = player.scratch
        slot.view.seat = g.asked
        slot.view.decision = g.decision
        list_moves(g, &slot.view.hand, &slot.moves)
        if player.strategy.flags & SCORES_BATCHES:
            slot.waits_for = player.parameters
            return WAITS
        index = (<raw_decide_t>player.strategy.decide)(&slot.view, &slot.moves, player.parameters)
        if not 0 <= index < slot.moves.n:
            blame(slot, index, failure)
            return RAISED if index == -1 else BAD_INDEX
        if choose(slot, index) == NO_ROOM:
            return NO_ROOM
    slot.over = True
    return PLAYED


cdef inline int answer_all(group_t *group, const void *parameters, failure_t *failure) noexcept nogil:
    """Put all decisions that wait for a strategy to it, and make the moves that it chooses."""
    cdef const batched_t *batched = <const batched_t *>parameters
    cdef int i, n, at
    cdef slot_t *slot
    while True:
        n = 0
        for i in range(group.n):
            slot = &group.slots[i]
            if not slot.over and slot.waits_for == parameters:
                group.asked[n].view = &slot.view
                group.asked[n].moves = &slot.moves
                group.asked[n].game = i
                group.waiting[n] = slot
                group.answers[n] = -1
                n += 1
        if n == 0:
            return PLAYED
        if (<raw_choose_t><void *>batched.choose)(batched.player, group.asked, n, group.answers) != -1:
            break
        at = 0
        for i in range(n):
            if group.answers[i] == MARKED or (group.answers[at] != MARKED and not group.waiting[at].wanted):
                at = i
        if group.answers[at] != MARKED or group.waiting[at].wanted:
            blame(group.waiting[at], -1, failure)
            return RAISED
        PyErr_Clear()
        group.waiting[at].over = True  # in the call that wants this game it is a failure; here it drops out
    for i in range(n):
        if choose(group.waiting[i], group.answers[i]) == NO_ROOM:
            return NO_ROOM
    return PLAYED


cdef inline int play_group(group_t *group, const seat_t *seats, int n_seats, int rotations, const uint8_t *cancel,
                           failure_t *failure) noexcept nogil:
    """Play a dealt group until all games that are wanted are over. With the interpreter's lock."""
    cdef int i, outcome, seat
    cdef bint wanted
    cdef const void *asked[MAX_SEATS]
    cdef int n_asked = 0
    cdef slot_t *slot
    for seat in range(n_seats):         # the first rotation seats every strategy that there is
        if seats[seat].strategy.flags & SCORES_BATCHES:
            for i in range(n_asked):
                if asked[i] == seats[seat].parameters:
                    break
            else:
                asked[n_asked] = seats[seat].parameters
                n_asked += 1
    while True:
        if cancel != NULL and (<volatile_u8 *>cancel)[0]:
            return STOPPED
        if PyErr_CheckSignals() != 0:
            return SIGNALLED
        wanted = False
        for i in range(group.n):
            slot = &group.slots[i]
            if slot.over:
                continue
            outcome = go_on(slot, failure)
            if outcome == NO_ROOM or (outcome != PLAYED and outcome != WAITS and slot.wanted):
                return outcome
            if outcome != PLAYED and outcome != WAITS:
                PyErr_Clear()
                slot.over = True
            wanted |= slot.wanted and not slot.over
        if not wanted:
            return PLAYED
        for i in range(n_asked):
            outcome = answer_all(group, asked[i], failure)
            if outcome != PLAYED:
                return outcome


ctypedef struct recording_t:            # choices to be made again
    const slot_t *slots                 # whose games come next
    const int32_t *next
    const int32_t *end


cdef inline void next_game(recording_t *recording) noexcept nogil:
    """Go to the next game's choices."""
    recording.next = recording.slots.choices
    recording.end = recording.slots.choices + recording.slots.n_choices
    recording.slots += 1


cdef inline int decide_as_recorded(const view_t *view, const move_set_t *moves, const void *parameters) noexcept nogil:
    """Make the next choice of a recording."""
    cdef recording_t *recording = <recording_t *>parameters
    if recording.next == recording.end:
        return -1
    recording.next += 1
    return (recording.next - 1)[0]
