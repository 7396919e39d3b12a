"""The state machine of one game: `advance` goes on to the next decision or to the end, `apply` makes a move.

All that plays (the loop of a run, search, replay, lockstep) calls these two and keeps nothing of its own about where a
game stands. The phases follow section 3 of the rules page.
"""
from libc.stdint cimport int32_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t

from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.effects cimport (add_to_discards, add_to_table, announce, announce_move, draw, hash_move, note,
                                     resolve, search_for_merch, spend, table_from, tell, write_log)
from rsc_sim.engine.moves cimport list_options, list_put_down, move_at, plain_move
from rsc_sim.engine.types cimport *

cdef enum:
    SEAT_IS_UP = 0         # missed turns first
    TURN_BEGINS = 1        # Hands Off ends, pick up
    FIRST_WINDOW = 2       # asked: escape after the pick-up
    PUTTING_DOWN = 3       # asked: put-down
    RESOLVING = 4          # asked: a decision within a play
    PUT_DONE = 5           # second window next
    SECOND_WINDOW = 6      # asked: escape after the put-down
    TURN_ENDS = 7
    GAME_OVER = 8


cdef inline int ask(game_t *g, int decision, int seat) noexcept nogil:
    """Note what is asked of whom; return it."""
    g.decision = decision
    g.asked = seat
    g.decisions += 1
    return decision


cdef inline bint may_escape(game_t *g, int seat) noexcept nogil:
    """Say whether the seat has Read, an Escape Ticket and enough tabled Merch; tally which of them it lacks.

    One number, not three tests: who has Read is hard to predict, that all three hold is not (0.4 mispredicted branches
    a decision less).
    """
    cdef int missing = (
        MISSING_READ * (g.table.read_holder != seat)
        | MISSING_TICKET * ((g.hidden.hand[seat].kinds & g.rules.tickets) == 0)
        | MISSING_MERCH * (g.table.merch[seat] < g.rules.escape_threshold)
    )
    cdef int round_number
    if g.tally != NULL:
        round_number = (g.table.turn - 1) // g.table.seats
        round_number = round_number if round_number < N_ROUNDS else N_ROUNDS - 1
        g.tally.windows[seat][round_number * N_MISSING + missing] += 1
    return missing == 0


cdef inline int finish(game_t *g, int end) noexcept nogil:
    g.phase = GAME_OVER
    g.decision = OVER
    g.end = end
    note(g, E_END, g.table.seat_up, NONE, NONE)
    return OVER


cdef inline int escape_now(game_t *g) noexcept nogil:
    g.escaper = g.table.seat_up
    return finish(g, END_ESCAPE)


cdef inline bint escape_window(game_t *g, uint32_t window, int phase) noexcept nogil:
    """Hold an escape window, if the rules have it: ask, or escape where that is forced; say whether either happened."""
    cdef int seat = g.table.seat_up
    if not g.rules.switches & window or not may_escape(g, seat):
        return False
    if g.rules.switches & SW_FORCED:
        escape_now(g)
    else:
        g.phase = phase
        ask(g, ESCAPE, seat)
    return True


cdef inline void begin_turn(game_t *g) noexcept nogil:
    """Step 1 and 2: the seat's Hands Off ends, it picks up."""
    cdef public_t *table = &g.table
    cdef int seat = table.seat_up
    table.turn += 1
    g.drew = 0
    g.streak = g.streak + 1 if g.streak_seat == seat else 1
    g.streak_seat = seat
    g.hidden.hand[seat].hands_off = NONE
    table.hands_off_n[seat] = 0
    note(g, E_TURN, seat, NONE, NONE)
    draw(g, seat, g.rules.opening_draw if g.opening else g.rules.normal_draw)
    g.opening = False


cdef inline int next_seat(const game_t *g) noexcept nogil:
    cdef int seat = g.table.seat_up + 1
    return seat if seat < g.table.seats else 0


cdef inline int advance(game_t *g) noexcept nogil:
    """Go on to the next decision and return what it asks (of seat `asked`), or OVER."""
    cdef const rules_t *rules = g.rules
    cdef public_t *table = &g.table
    cdef int seat
    while True:
        seat = table.seat_up
        if g.phase == SEAT_IS_UP:
            if table.missed[seat]:
                table.missed[seat] -= 1
                tell(g, E_MISSED, seat, NONE, NONE)
                table.seat_up = <int8_t>next_seat(g)
                continue
            g.phase = TURN_BEGINS
        if g.phase == TURN_BEGINS:
            begin_turn(g)
            g.phase = PUTTING_DOWN
            if escape_window(g, SW_AFTER_PICK_UP, FIRST_WINDOW):
                return g.decision
        if g.phase == PUTTING_DOWN:
            if table.hand_n[seat]:
                g.passed = 0
                return ask(g, PUT_DOWN, seat)
            g.passed = 0 if g.drew else g.passed | <uint32_t>bit(seat)
            tell(g, E_PASSED, seat, NONE, NONE)
            g.phase = PUT_DONE
        if g.phase == PUT_DONE:
            g.phase = TURN_ENDS
            if escape_window(g, SW_AFTER_PUT_DOWN, SECOND_WINDOW):
                return g.decision
        if g.phase == TURN_ENDS:
            if g.passed == <uint32_t>(bit(table.seats) - 1):
                return finish(g, END_DEADLOCK)
            if table.turn >= rules.turn_cap:
                return finish(g, END_TURN_CAP)
            if table.extra_turns:
                table.extra_turns -= 1
                g.phase = TURN_BEGINS
            else:
                table.seat_up = <int8_t>next_seat(g)
                g.phase = SEAT_IS_UP
            continue
        return g.decision  # asked within a play, or the game is over


cdef inline void end_action(game_t *g, bint stays) noexcept nogil:
    """Put the Action that was played onto the discard pile, unless it stays on the table, and end the put-down."""
    if not stays:
        add_to_discards(g, g.table.action.kind)
    g.table.action = plain_move(0, NONE)  # what went under Hands Off must not stay readable
    g.table.reactions_played = 0
    g.table.reacted_with = NONE
    g.phase = PUT_DONE


cdef inline void ask_within(game_t *g, int decision, int seat, uint64_t options) noexcept nogil:
    g.options = options
    g.phase = RESOLVING
    ask(g, decision, seat)


cdef inline void carry_out(game_t *g) noexcept nogil:
    """Let the Action being played take effect, or ask what it asks."""
    cdef int seat = g.table.seat_up, kind = g.table.action.kind
    cdef int primitive = g.rules.primitive[kind]
    cdef uint64_t options
    if primitive == P_TAKE_MERCH:
        options = search_for_merch(g, seat, kind)
        if options:
            ask_within(g, TAKE, seat, options)
            return
        tell(g, E_NOT_FOUND, seat, NONE, NONE)
    elif primitive == P_TABLE_MORE:
        g.to_table = g.rules.count[kind]
        ask_within(g, TABLE_MORE, seat, g.hidden.hand[seat].kinds & g.rules.merch)
        return
    else:
        resolve(g, seat, &g.table.action)
    end_action(g, primitive == P_PROTECT_MERCH)


cdef inline int action_target(const game_t *g) noexcept nogil:
    """Return the seat that the Action being played is played against."""
    return g.table.read_holder if g.rules.primitive[g.table.action.kind] == P_TAKE_READ else g.table.action.target


cdef inline void play(game_t *g, int seat, const move_t *move) noexcept nogil:
    cdef int family = g.rules.family[move.kind]
    cdef int target
    cdef uint64_t options
    announce(g, V_PLAY, seat, move.kind, move.target, NONE if g.rules.source[move.kind] == S_HAND else move.choice,
             move.own)
    spend(g, seat, move.kind, T_PLAYED)
    g.table.action = move[0]
    if family != F_NONE:
        target = action_target(g)
        options = g.hidden.hand[target].kinds & g.rules.cancels[family]
        if options:
            ask_within(g, REACT, target, options)
            return
    carry_out(g)


cdef inline void settle(game_t *g) noexcept nogil:
    """Nobody reacts any more: the last reaction resolves first, so an odd number of them cancels the Action."""
    if g.table.reactions_played & 1:
        g.cancelled += 1
        tell(g, E_CANCELLED, g.table.seat_up, g.table.action.kind, NONE)
        end_action(g, False)
    else:
        carry_out(g)


cdef inline void react(game_t *g, int seat, int kind) noexcept nogil:
    cdef int other = g.table.seat_up if seat != g.table.seat_up else action_target(g)
    cdef uint64_t options
    announce(g, V_REACT, seat, kind, NONE, NONE, NONE)
    spend(g, seat, kind, T_REACTED)
    add_to_discards(g, kind)
    g.table.reactions_played += 1
    g.table.reacted_with = <int8_t>kind
    options = g.hidden.hand[other].kinds & g.rules.cancels[F_REACTION]
    if options:
        ask_within(g, REACT, other, options)
    else:
        settle(g)


cdef inline void make_move(game_t *g, const move_t *move) noexcept nogil:
    """Make a legal move of the decision that was asked."""
    cdef int seat = g.asked, kind = move.kind, verb = move.verb
    cdef uint64_t options
    hash_move(g, move)
    if verb == V_DISCARD:
        announce_move(g, seat, move)
        spend(g, seat, kind, T_DISCARDED)
        add_to_discards(g, kind)
        g.phase = PUT_DONE
    elif verb == V_TABLE:
        announce_move(g, seat, move)
        spend(g, seat, kind, T_TABLED)
        add_to_table(g, seat, g.rules.merch_of[kind])
        if g.phase == PUTTING_DOWN:
            g.phase = PUT_DONE
            return
        g.to_table -= 1
        options = g.hidden.hand[seat].kinds & g.rules.merch
        if g.to_table > 0 and options:
            ask_within(g, TABLE_MORE, seat, options)
        else:
            end_action(g, False)
    elif verb == V_PLAY:
        play(g, seat, move)
    elif verb == V_ESCAPE:
        announce_move(g, seat, move)
        escape_now(g)
    elif verb == V_STAY:
        g.phase = PUTTING_DOWN if g.phase == FIRST_WINDOW else TURN_ENDS
    elif verb == V_TAKE:
        table_from(g, seat, kind, (g.rules.switches & SW_AVAILABLE_DISCARD) != 0)
        end_action(g, False)
    elif verb == V_STOP:
        announce_move(g, seat, move)
        end_action(g, False)
    elif verb == V_PASS:
        settle(g)
    elif verb == V_REACT:
        react(g, seat, kind)


cdef inline void list_moves(const game_t *g, const hand_t *hand, move_set_t *moves) noexcept nogil:
    """Fill in the legal moves of the decision that was asked; `hand` is the asked seat's and must outlive `moves`."""
    if g.decision == PUT_DOWN:
        list_put_down(g.rules, &g.table, hand, g.asked, moves)
    else:
        list_options(g.rules, hand, g.decision, g.options, moves)


cdef inline void apply(game_t *g, const move_set_t *moves, int index) noexcept nogil:
    """Make the legal move of an index."""
    cdef move_t move = move_at(moves, index)
    if g.log != NULL:
        write_log(g, move.verb, g.asked, move.kind, move.target, move.choice, move.own, index, moves.n)
    make_move(g, &move)
