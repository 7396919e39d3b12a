"""Many games side by side: for strategies that are asked for many decisions at once.

A group is a fixed range of blocks, whatever range is asked for: sums in a matrix product depend on its shape, so a game
comes out the same only in the same company. So many of its games are played at a time; they go on until each waits for
such a strategy, it is asked once for all, and so on; as a game ends, the group's next one takes its place. Who keeps
what came of a game is told of its beginning and its end.
"""
from libc.stdint cimport int32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.conserved cimport RSC_CHECKED, conserved
from rsc_sim.engine.deal cimport set_up
from rsc_sim.engine.memory cimport forget_all, memory_of
from rsc_sim.engine.seats cimport *
from rsc_sim.engine.turn cimport advance, apply, list_moves
from rsc_sim.engine.types cimport *
from rsc_sim.strategy cimport SCORES_BATCHES, asked_t, batched_t

cdef enum:
    SLOTS = 256                         # games side by side: with their features they fit a cache of 2 MB
    GROUP_GAMES = 1024                  # of a group, at most
    MARKED = -2                         # the decision for which an error was raised

# As in `seats`: -1 and NULL come back as they are. All are called with the interpreter's lock.
ctypedef void *(*raw_open_t)(void *player, int most) noexcept nogil
ctypedef void (*raw_close_t)(void *session) noexcept nogil
ctypedef int (*raw_choose_t)(void *session, const asked_t *asked, int n, int32_t *choices) noexcept nogil


cdef extern from * nogil:
    """
    static inline void rsc_fetch(const void *at, size_t bytes) {
        for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)at + i);
    }
    """
    void fetch "rsc_fetch"(const void *at, size_t bytes)


ctypedef struct slot_t:                 # where one game after the other is played
    game_t game
    view_t view
    move_set_t moves
    seat_t seats[MAX_SEATS]
    void *scratch[MAX_SEATS]            # by place in the lineup, not by seat
    uint64_t number                     # of the game
    bint wanted                         # it belongs to what was asked for; the others keep it company
    bint over
    memories_t *memories                # these two apart: most games need neither, and slots lie closer together
    tally_t *tally


ctypedef void (*told_of_t)(void *keeper, slot_t *slot) noexcept nogil


ctypedef struct scorer_t:               # a strategy that is asked for many decisions at once
    const void *parameters              # by which it is known
    const batched_t *batched
    void *session


ctypedef struct group_t:
    const rules_t *rules
    const seat_t *seats                 # the lineup of each rotation
    int rotations
    uint64_t seed
    const intervention_t *intervention
    uint64_t wanted_from                # games that were asked for, by number
    uint64_t wanted_to
    uint64_t left                       # of those, not yet over
    uint64_t next                       # to be dealt
    uint64_t end                        # after the group's last game
    game_t dealt                        # the deal that a block's rotations share
    tally_t dealt_tally
    void *keeper
    told_of_t begins                    # called as a game that is wanted begins; NULL: it is not tallied
    told_of_t ends                      # called as it ends
    slot_t *slots
    memories_t *memories
    tally_t *tallies
    int n                               # slots
    int32_t *alive                      # slots with a game, in order
    int n_alive
    int32_t *waits_for                  # by place in `alive`: the number of the strategy that is asked, -1 for none
    int32_t *chosen                     # the same: the move to make, -1 for none
    asked_t *asked
    int32_t *waiting                    # by decision that is put to a strategy: its place in `alive`
    int32_t *answers
    scorer_t scorers[MAX_SEATS]
    int n_scorers
    uint64_t told                       # game of which the choices are kept
    int32_t *choices
    int32_t n_choices
    int32_t room


cdef inline uint64_t group_blocks(int rotations) noexcept nogil:
    """Return how many blocks a group has: a power of two, so that whatever a run is cut into holds whole groups."""
    cdef uint64_t blocks = GROUP_GAMES
    while blocks * rotations > GROUP_GAMES:
        blocks >>= 1
    return blocks


cdef inline void free_group(group_t *group) noexcept nogil:
    """Give back everything; with the interpreter's lock, for what strategies kept."""
    cdef int i, place
    cdef seat_t player
    for i in range(group.n_scorers):
        (<raw_close_t><void *>group.scorers[i].batched.close)(group.scorers[i].session)
    if group.slots != NULL:
        for i in range(group.n):
            for place in range(group.rules.seats):
                if group.slots[i].scratch[place] != NULL:
                    player = group.seats[place]
                    player.scratch = group.slots[i].scratch[place]
                    clear_scratch(&player)
                    free(player.scratch)
    free(group.slots)
    free(group.memories)
    free(group.tallies)
    free(group.alive)
    free(group.waits_for)
    free(group.chosen)
    free(group.asked)
    free(group.waiting)
    free(group.answers)
    free(group.choices)


cdef inline int scorer_of(const group_t *group, const void *parameters) noexcept nogil:
    """Return the number of a strategy that is asked for many decisions at once, -1 where it is not there."""
    cdef int i
    for i in range(group.n_scorers):
        if group.scorers[i].parameters == parameters:
            return i
    return -1


cdef inline int open_scorers(group_t *group) noexcept nogil:
    """Begin to ask each strategy that scores many decisions; the first rotation seats every one that there is."""
    cdef int seat
    cdef scorer_t *scorer
    for seat in range(group.rules.seats):
        if (not group.seats[seat].strategy.flags & SCORES_BATCHES
                or scorer_of(group, group.seats[seat].parameters) >= 0):
            continue
        scorer = &group.scorers[group.n_scorers]
        scorer.parameters = group.seats[seat].parameters
        scorer.batched = <const batched_t *>scorer.parameters
        scorer.session = (<raw_open_t><void *>scorer.batched.open)(scorer.batched.player, group.n)
        if scorer.session == NULL:
            PyErr_Clear()
            return NO_ROOM
        group.n_scorers += 1
    return PLAYED


cdef inline int make_group(group_t *group) noexcept nogil:
    """Make room for the games that are played at a time; rules, seats and rotations are there."""
    cdef int i, place
    cdef slot_t *slot
    group.n = <int>group_blocks(group.rotations) * group.rotations
    if group.n > SLOTS:
        group.n = SLOTS
    group.slots = <slot_t *>calloc(group.n, sizeof(slot_t))
    group.memories = <memories_t *>calloc(group.n, sizeof(memories_t))
    group.tallies = <tally_t *>calloc(group.n, sizeof(tally_t))
    group.alive = <int32_t *>calloc(group.n, sizeof(int32_t))
    group.chosen = <int32_t *>calloc(group.n, sizeof(int32_t))
    group.waits_for = <int32_t *>calloc(group.n, sizeof(int32_t))
    group.asked = <asked_t *>calloc(group.n, sizeof(asked_t))
    group.waiting = <int32_t *>calloc(group.n, sizeof(int32_t))
    group.answers = <int32_t *>calloc(group.n, sizeof(int32_t))
    if (group.slots == NULL or group.memories == NULL or group.tallies == NULL or group.alive == NULL
            or group.chosen == NULL or group.waits_for == NULL or group.asked == NULL or group.waiting == NULL
            or group.answers == NULL):
        return NO_ROOM
    for i in range(group.n):
        slot = &group.slots[i]
        slot.memories = &group.memories[i]
        slot.tally = &group.tallies[i]
        slot.view.rules = group.rules
        slot.view.table = &slot.game.table
        for place in range(group.rules.seats):
            if group.seats[place].strategy.scratch_size:
                slot.scratch[place] = calloc(1, group.seats[place].strategy.scratch_size)
                if slot.scratch[place] == NULL:
                    return NO_ROOM
    return open_scorers(group)


cdef inline bint deal_next(group_t *group, slot_t *slot) noexcept nogil:
    """Begin the group's next game in a slot; say whether there is one."""
    cdef const rules_t *rules = group.rules
    cdef uint64_t block = group.next // group.rotations
    cdef int rotation = <int>(group.next % group.rotations), seat
    cdef tally_t *tally = NULL
    if group.next == group.end or block > <uint64_t>0xFFFFFFFF:
        return False
    slot.number = group.next
    slot.wanted = group.wanted_from <= group.next < group.wanted_to
    slot.over = False
    group.next += 1
    if slot.wanted and group.begins != NULL:
        tally = slot.tally
    if rotation == 0:
        if tally != NULL:
            memset(group.dealt_tally.counts, 0, rules.seats * sizeof(tally.counts[0]))
        set_up(&group.dealt, rules, group.seed, block, group.intervention, NULL,
               &group.dealt_tally if tally != NULL else NULL)
    memcpy(&slot.game, &group.dealt, sizeof(game_t))
    slot.game.tally = tally
    if tally != NULL:
        memcpy(tally.counts, group.dealt_tally.counts, rules.seats * sizeof(tally.counts[0]))
        group.begins(group.keeper, slot)
    slot.memories.seats = 0
    for seat in range(rules.seats):
        slot.seats[seat] = group.seats[rotation * rules.seats + seat]
        slot.seats[seat].scratch = slot.scratch[(seat + rotation) % rules.seats]
        if slot.seats[seat].scratch != NULL:
            clear_scratch(&slot.seats[seat])
        if slot.seats[seat].strategy.memory_size:
            slot.memories.seats |= bit(seat)
    slot.game.memories = NULL
    if slot.memories.seats:
        slot.game.memories = slot.memories
        forget_all(slot.memories)
    return True


cdef inline void begin_group(group_t *group, uint64_t first_block) noexcept nogil:
    """Begin the first games of the group that begins with a block."""
    cdef int i
    cdef uint64_t first = first_block * group.rotations
    group.next = first
    group.end = first + group_blocks(group.rotations) * group.rotations
    group.left = ((group.end if group.end < group.wanted_to else group.wanted_to)
                  - (first if first > group.wanted_from else group.wanted_from))
    group.n_alive = 0
    for i in range(group.n):
        if not deal_next(group, &group.slots[i]):
            break
        group.alive[i] = i
        group.chosen[i] = -1
        group.n_alive += 1


cdef inline int choose(group_t *group, slot_t *slot, int index) noexcept nogil:
    """Make a move; note it where the game is the one that is told."""
    cdef int32_t *grown
    if slot.number == group.told:
        if group.n_choices == group.room:
            grown = <int32_t *>realloc(group.choices, (2 * group.room + 512) * sizeof(int32_t))
            if grown == NULL:
                return NO_ROOM
            group.choices = grown
            group.room = 2 * group.room + 512
        group.choices[group.n_choices] = index
        group.n_choices += 1
    apply(&slot.game, &slot.moves, index)
    return PLAYED


cdef inline void blame(const slot_t *slot, int answered, failure_t *failure) noexcept nogil:
    failure.game = slot.number
    failure.turn = slot.game.table.turn
    failure.seat = slot.game.asked
    failure.answered = answered
    failure.n_moves = slot.moves.n
    failure.decision = slot.game.decision


cdef inline int go_on(group_t *group, slot_t *slot, failure_t *failure) noexcept nogil:
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
        if RSC_CHECKED and not conserved(g):
            blame(slot, 0, failure)
            return NOT_CONSERVED
        if player.strategy.flags & SCORES_BATCHES:
            return WAITS
        index = (<raw_decide_t>player.strategy.decide)(&slot.view, &slot.moves, player.parameters)
        if not 0 <= index < slot.moves.n:
            blame(slot, index, failure)
            return RAISED if index == -1 else BAD_INDEX
        if choose(group, slot, index) == NO_ROOM:
            return NO_ROOM
    return PLAYED


cdef inline void fetch_slot(const slot_t *slot) noexcept nogil:
    """Ask for what playing on will read of a game, while another one is played."""
    fetch(&slot.game.table, 448)
    fetch(&slot.game.hidden.hand[0], slot.game.table.seats * sizeof(hand_t))
    fetch(&slot.game.stream_base, sizeof(game_t)
          - <size_t>(<const char *>&slot.game.stream_base - <const char *>&slot.game))
    fetch(&slot.view, sizeof(view_t) + sizeof(move_set_t))


cdef inline int go_on_all(group_t *group, failure_t *failure) noexcept nogil:
    """Make the moves that were chosen and play on to where each game waits; where one ends, or drops out, begin the
    next in its place.
    """
    cdef int i, at, outcome, number, n = 0
    cdef slot_t *slot
    cdef asked_t asked
    for i in range(group.n_alive):
        at = group.alive[i]
        slot = &group.slots[at]
        if i + 1 < group.n_alive:
            fetch_slot(&group.slots[group.alive[i + 1]])
        if group.chosen[i] >= 0 and choose(group, slot, group.chosen[i]) == NO_ROOM:
            return NO_ROOM
        while True:
            if slot.over:
                outcome = PLAYED
            else:
                outcome = go_on(group, slot, failure)
                if outcome == WAITS:
                    number = scorer_of(group, slot.seats[slot.game.asked].parameters)
                    asked.view, asked.moves, asked.game = &slot.view, &slot.moves, at
                    group.scorers[number].batched.note(group.scorers[number].session, &asked)
                    group.alive[n] = at
                    group.chosen[n] = -1
                    group.waits_for[n] = number
                    n += 1
                    break
                if outcome == PLAYED and slot.wanted:
                    group.ends(group.keeper, slot)
                    group.left -= 1
                    if group.left == 0:
                        return PLAYED
                elif outcome != PLAYED:
                    if slot.wanted or outcome == NO_ROOM or outcome == NOT_CONSERVED:
                        return outcome
                    PyErr_Clear()  # in the call that wants this game it is a failure; here it drops out
            if not deal_next(group, slot):
                break
    group.n_alive = n
    return PLAYED


cdef inline int answer_all(group_t *group, int number, failure_t *failure) noexcept nogil:
    """Put all decisions that wait for a strategy to it, and remember the moves that it chooses."""
    cdef const scorer_t *scorer = &group.scorers[number]
    cdef int i, n, at
    cdef slot_t *slot
    while True:
        n = 0
        for i in range(group.n_alive):
            if group.waits_for[i] == number:
                slot = &group.slots[group.alive[i]]
                group.asked[n].view = &slot.view
                group.asked[n].moves = &slot.moves
                group.asked[n].game = group.alive[i]
                group.waiting[n] = i
                group.answers[n] = -1
                n += 1
        if n == 0:
            return PLAYED
        if (<raw_choose_t><void *>scorer.batched.choose)(scorer.session, group.asked, n, group.answers) != -1:
            break
        at = 0
        for i in range(n):
            if group.answers[i] == MARKED or (group.answers[at] != MARKED
                                              and not waiting_slot(group, at).wanted):
                at = i
        slot = waiting_slot(group, at)
        if group.answers[at] != MARKED or slot.wanted:
            blame(slot, -1, failure)
            return RAISED
        PyErr_Clear()
        slot.over = True  # as in `go_on_all`
        group.waits_for[group.waiting[at]] = -1
    for i in range(n):
        group.chosen[group.waiting[i]] = group.answers[i]
    return PLAYED


cdef inline slot_t *waiting_slot(group_t *group, int at) noexcept nogil:
    """Return the slot of a decision that is put to a strategy."""
    return &group.slots[group.alive[group.waiting[at]]]


cdef inline int play_group(group_t *group, const uint8_t *cancel, failure_t *failure) noexcept nogil:
    """Play a group until all its games that are wanted are over. With the interpreter's lock."""
    cdef int i, outcome
    while True:
        if cancel != NULL and (<volatile_u8 *>cancel)[0]:
            return STOPPED
        if PyErr_CheckSignals() != 0:
            return SIGNALLED
        outcome = go_on_all(group, failure)
        if outcome != PLAYED or group.left == 0:
            return outcome
        for i in range(group.n_scorers):
            outcome = answer_all(group, i, failure)
            if outcome != PLAYED:
                return outcome
