"""The features of a move: what a weighted or a learned strategy sees of a decision, and how weights score it.

Part of the strategy contract (`rsc_sim.strategy` re-exports it); `features.py` says what each feature means and in what
unit. A feature is a whole number of 1/UNIT, and a weight a whole number of 1/WEIGHT_UNIT: sums of their products are
exact in 64 bits, so a score is the same in whatever order it is added up, on any machine, and equals the matrix times
the weights to the last bit. Everything here reads a view and a move set, and could not see more.

One traversal of the moves serves all uses; what it does with a feature is a constant where it is inlined. What a
target, a kind or a Merch brings is reckoned once a decision and not once a move.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from rsc_sim.engine.bits cimport lowest_bit
from rsc_sim.engine.moves cimport coverable, highest_takeable, lowest_takeable
from rsc_sim.engine.types cimport (C_ACTION, C_MERCH, C_REACTION, C_READ, C_TICKET, ESCAPE, F_HAND, F_MERCH, F_PROTECT,
                                   F_READ, F_TURN, MAX_MERCH, MAX_SEATS, N_CLASSES, N_FAMILIES, PUT_DOWN,
                                   P_DISCARD_HAND, P_DRAW, P_EXTRA_TURN, P_SKIP_TURN, P_STEAL_HAND,
                                   P_STEAL_HIGHEST_MERCH, P_STEAL_LOWEST_MERCH, P_STEAL_MERCH, P_STEAL_PROTECT,
                                   P_TABLE_MORE, P_TAKE_READ, REACT, S_HAND, S_OWN_MERCH, S_PROTECTS, S_SEATS,
                                   TABLE_MORE, move_set_t, public_t, rules_t, view_t)
from rsc_sim.standing cimport (UNIT, best_found, cards_to_table, copies_of, could_go, in_units, progress_by,
                               progress_of, stand, standing_t)
from rsc_sim.tactics cimport is_target, loss, worth_tabling, would_win

cdef enum:
    WEIGHT_UNIT = 10000       # a weight of 1: weights count to four decimals

cdef enum:                    # in the order of `features.FEATURES`
    X_TABLES = 0
    X_TABLES_EARLY
    X_TABLES_UNTICKETED
    X_TABLES_SHORT
    X_TABLES_LATE
    X_TABLES_MORE
    X_MORE_EARLY
    X_VALUE_GAINED
    X_PROGRESS
    X_REACHES_THRESHOLD
    X_TAKES_LEAD
    X_VALUE_TAKEN
    X_TAKEN_TICKETED
    X_TAKEN_FROM_DANGER
    X_BREAKS_THRESHOLD
    X_VALUE_RETURNED
    X_VALUE_PROTECTED
    X_VALUE_EXPOSED
    X_GAINS_READ
    X_READ_EARLY
    X_READ_UNTICKETED
    X_DENIES_READ
    X_OPENS_ESCAPE
    X_ESCAPE_WINS
    X_ESCAPE_LOSES
    X_PLAYS
    X_DRAWS
    X_DIGS_FOR_TICKET
    X_DIGS_FOR_READ
    X_DIGS_FOR_MERCH
    X_EXTRA_TURN
    X_TAKES_CARD
    X_SPOILS_CARD
    X_SKIPS_TURN
    X_TARGET_DANGER
    X_TARGET_HAND
    X_STOPS_ESCAPE
    X_COVERS_CARD
    X_COVERS_TICKET
    X_SPENDS_TICKET
    X_SPENDS_SPARE_TICKET
    X_DISCARDS_VALUE
    X_DISCARDS_ACTION
    X_DISCARDS_READ_CARD
    X_DISCARDS_REACTION
    X_REACTS
    X_REACTION_BREADTH
    X_SAVES_VALUE
    X_SAVES_THRESHOLD
    X_SAVES_READ
    X_SAVES_TICKET
    X_SAVES_HAND
    X_SAVES_TURN
    X_SAVES_ESCAPE
    X_DEFENDS_ACTION
    N_FEATURES

cdef enum:                    # what the traversal does
    BEST = 0                  # remember the best move's index
    SCORES = 1                # write each move's score
    ROWS = 2                  # write each move's features


ctypedef struct weights_t:    # a weight a feature, in 1/WEIGHT_UNIT
    int32_t w[N_FEATURES]


ctypedef struct sink_t:       # where the traversal stands
    int64_t score             # of the move at hand
    int64_t best
    int index                 # of the move at hand
    int best_index
    float *row                # of the move at hand
    int64_t *scores


# ---- the sink

cdef inline void put(sink_t *sink, int mode, const int32_t *w, int feature, int units) noexcept nogil:
    """Take one feature of the move at hand."""
    if mode == ROWS:
        sink.row[feature] = units * <float>(1.0 / UNIT)
    else:
        sink.score += <int64_t>w[feature] * units


cdef inline void begin(sink_t *sink, int mode, int64_t score) noexcept nogil:
    """Go to the next move; `score` is what is known of it already."""
    if mode != ROWS:
        sink.score = score


cdef inline void done_against(sink_t *sink, int mode, int distance) noexcept nogil:
    """Close the move at hand, against a seat so far clockwise; 0 against none.

    Of equal moves the one against the nearest seat stays the best, so that seat numbers never matter, then the first.
    """
    cdef int64_t rank
    if mode == ROWS:
        sink.row += N_FEATURES
    elif mode == SCORES:
        sink.scores[sink.index] = sink.score
    else:
        rank = sink.score * MAX_SEATS - distance
        sink.best_index = sink.index if rank > sink.best else sink.best_index
        sink.best = rank if rank > sink.best else sink.best
    sink.index += 1


cdef inline void done(sink_t *sink, int mode) noexcept nogil:
    """Close the move at hand, which names no seat."""
    done_against(sink, mode, 0)


# ---- what moves have in common

cdef inline void put_sum(sink_t *sink, int mode, const int32_t *w, const standing_t *here, int dollars, int value,
                         int progress) noexcept nogil:
    """Take the features of dollars that come onto the own table; what they are worth and close, in units."""
    cdef bint reaches = here.need > 0 and dollars >= here.need
    put(sink, mode, w, X_VALUE_GAINED, value)
    put(sink, mode, w, X_PROGRESS, progress)
    put(sink, mode, w, X_REACHES_THRESHOLD, UNIT * reaches)
    put(sink, mode, w, X_TAKES_LEAD, UNIT * (here.to_lead >= 0 and dollars > here.to_lead))
    put(sink, mode, w, X_OPENS_ESCAPE, UNIT * (reaches and here.has_read and here.has_ticket))


cdef inline void put_gain(sink_t *sink, int mode, const int32_t *w, const rules_t *rules, const standing_t *here,
                          int merch) noexcept nogil:
    """Take the features of a Merch that comes onto the own table."""
    cdef int dollars = rules.value[merch]
    put_sum(sink, mode, w, here, dollars, rules.of_highest[merch],
            rules.of_threshold[merch] if dollars < here.need else here.need_units)


cdef inline void put_tabled(sink_t *sink, int mode, const int32_t *w, const standing_t *here,
                            int value) noexcept nogil:
    """Take the features of a Merch card that is tabled from the hand at a put-down: whether it is time to."""
    put(sink, mode, w, X_TABLES_EARLY, 0 if here.can_finish else value)
    put(sink, mode, w, X_TABLES_UNTICKETED, 0 if here.has_ticket else value)
    put(sink, mode, w, X_TABLES_SHORT, 0 if here.has_means else value)
    put(sink, mode, w, X_TABLES_LATE, value * here.late >> 10)


cdef inline void put_taken(sink_t *sink, int mode, const int32_t *w, const rules_t *rules, const standing_t *here,
                           int merch) noexcept nogil:
    """Take the features of a Merch that leaves another table, whosever it is."""
    put(sink, mode, w, X_VALUE_TAKEN, rules.of_highest[merch])
    put(sink, mode, w, X_TAKEN_TICKETED, rules.of_highest[merch] if here.has_ticket else 0)


cdef inline void put_robbed(sink_t *sink, int mode, const int32_t *w, const rules_t *rules, const standing_t *here,
                            int seat, int merch) noexcept nogil:
    """Take the features of that which hang on the seat it leaves."""
    put(sink, mode, w, X_TAKEN_FROM_DANGER, rules.of_highest[merch] * here.danger[seat] >> 10)
    put(sink, mode, w, X_BREAKS_THRESHOLD, UNIT * (here.beyond[seat] >= 0 and rules.value[merch] > here.beyond[seat]))


cdef inline void put_digging(sink_t *sink, int mode, const int32_t *w, const view_t *view, const standing_t *here,
                             int units) noexcept nogil:
    """Take the features of cards that come into the hand while it lacks what an escape needs."""
    put(sink, mode, w, X_DIGS_FOR_TICKET, units * (not here.has_ticket))
    put(sink, mode, w, X_DIGS_FOR_READ,
        units * (not here.has_read and (view.hand.kinds & view.rules.kinds_of[P_TAKE_READ]) == 0))
    put(sink, mode, w, X_DIGS_FOR_MERCH, units * (not here.has_means))


# ---- the decisions

cdef inline void visit_discards(sink_t *sink, int mode, const int32_t *w, const view_t *view,
                                const move_set_t *moves) noexcept nogil:
    cdef const rules_t *rules = view.rules
    cdef uint64_t rest = moves.options, tickets = view.hand.kinds & rules.tickets
    cdef int kind, merch
    cdef int features[N_CLASSES]
    features[C_MERCH] = X_DISCARDS_VALUE
    features[C_ACTION] = X_DISCARDS_ACTION
    features[C_READ] = X_DISCARDS_READ_CARD
    features[C_REACTION] = X_DISCARDS_REACTION
    features[C_TICKET] = X_SPENDS_TICKET if copies_of(view, tickets) == 1 else X_SPENDS_SPARE_TICKET
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        begin(sink, mode, 0)
        # Looked up, without branches: what a hand holds from card to card cannot be foretold.
        merch = rules.merch_of[kind]
        merch = merch if merch < MAX_MERCH else MAX_MERCH
        put(sink, mode, w, features[rules.card_class[kind]], rules.of_highest[merch])
        done(sink, mode)


cdef inline void visit_merch(sink_t *sink, int mode, const int32_t *w, const rules_t *rules, const standing_t *here,
                             uint64_t kinds, bint tables, bint put_down) noexcept nogil:
    """Go through moves that bring one Merch of a mask of kinds onto the own table."""
    cdef int merch
    while kinds:
        merch = rules.merch_of[lowest_bit(kinds)]
        kinds &= kinds - 1
        begin(sink, mode, 0)
        if tables:
            put(sink, mode, w, X_TABLES, UNIT)
            if put_down:
                put_tabled(sink, mode, w, here, rules.of_highest[merch])
        put_gain(sink, mode, w, rules, here, merch)
        done(sink, mode)


cdef inline void visit_single(sink_t *sink, int mode, const int32_t *w, const view_t *view, const standing_t *here,
                              int kind) noexcept nogil:
    """Take an Action that has one way to be played."""
    cdef const rules_t *rules = view.rules
    cdef int primitive = rules.primitive[kind], holder = view.table.read_holder, dollars, value
    begin(sink, mode, 0)
    put(sink, mode, w, X_PLAYS, UNIT)
    if primitive == P_TAKE_READ:
        put(sink, mode, w, X_GAINS_READ, UNIT)
        put(sink, mode, w, X_READ_EARLY, here.need_units)
        put(sink, mode, w, X_READ_UNTICKETED, UNIT * (not here.has_ticket))
        put(sink, mode, w, X_OPENS_ESCAPE, UNIT * (here.need == 0 and here.has_ticket))
        put(sink, mode, w, X_DENIES_READ, progress_of(view, holder))
        put(sink, mode, w, X_STOPS_ESCAPE, UNIT * could_go(view, holder))
    elif primitive == P_TABLE_MORE:
        dollars = worth_tabling(view, rules.count[kind])
        put(sink, mode, w, X_TABLES_MORE, (cards_to_table(view, rules.count[kind]) - 1) * (UNIT >> 1))
        value = in_units(dollars, rules.per_value)
        put(sink, mode, w, X_MORE_EARLY, 0 if here.can_finish else value)
        put_sum(sink, mode, w, here, dollars, value, progress_by(rules, here, dollars))
    elif primitive == P_DRAW:
        put(sink, mode, w, X_DRAWS, rules.count[kind] * (UNIT >> 1))
        put_digging(sink, mode, w, view, here, rules.count[kind] * (UNIT >> 1))
    elif primitive == P_EXTRA_TURN:
        put(sink, mode, w, X_EXTRA_TURN, UNIT)
    else:
        dollars = best_found(view, kind)
        put_sum(sink, mode, w, here, dollars, in_units(dollars, rules.per_value), progress_by(rules, here, dollars))
    done(sink, mode)


cdef inline void visit_seats(sink_t *sink, int mode, const int32_t *w, const view_t *view, const standing_t *here,
                             int kind, uint64_t seats) noexcept nogil:
    """Go through the ways of an Action that names just a seat."""
    cdef const rules_t *rules = view.rules
    cdef int primitive = rules.primitive[kind], seat, merch
    while seats:
        seat = lowest_bit(seats)
        seats &= seats - 1
        begin(sink, mode, 0)
        put(sink, mode, w, X_PLAYS, UNIT)
        if primitive == P_STEAL_HIGHEST_MERCH or primitive == P_STEAL_LOWEST_MERCH:
            merch = (highest_takeable(rules, view.table, seat) if primitive == P_STEAL_HIGHEST_MERCH
                     else lowest_takeable(rules, view.table, seat))
            put_gain(sink, mode, w, rules, here, merch)
            put_taken(sink, mode, w, rules, here, merch)
            put_robbed(sink, mode, w, rules, here, seat, merch)
        else:
            put(sink, mode, w, X_TARGET_DANGER, here.danger[seat])
            put(sink, mode, w, X_STOPS_ESCAPE, UNIT * could_go(view, seat))
            if primitive != P_SKIP_TURN:
                put(sink, mode, w, X_TARGET_HAND, view.table.hand_n[seat] * UNIT >> 3)
            if primitive == P_STEAL_HAND:
                put(sink, mode, w, X_TAKES_CARD, UNIT)
                put_digging(sink, mode, w, view, here, UNIT >> 1)
            elif primitive == P_DISCARD_HAND:
                put(sink, mode, w, X_SPOILS_CARD, UNIT)
            else:
                put(sink, mode, w, X_SKIPS_TURN, UNIT)
        done_against(sink, mode, here.distance[seat])


cdef inline void put_lane(sink_t *sink, int mode, const int32_t *w, const rules_t *rules, const standing_t *here,
                          int primitive, int merch) noexcept nogil:
    """Take the features of an Action that takes a Merch which hang on the Merch alone."""
    put(sink, mode, w, X_PLAYS, UNIT)
    put_taken(sink, mode, w, rules, here, merch)
    if primitive == P_STEAL_MERCH:
        put_gain(sink, mode, w, rules, here, merch)
    else:
        put(sink, mode, w, X_VALUE_RETURNED, rules.of_highest[merch])


cdef inline void visit_beneath(sink_t *sink, int mode, const int32_t *w, const rules_t *rules, const standing_t *here,
                               int seat, int merch, uint64_t own) noexcept nogil:
    """Go through the own Merch under which a protection may go that lies under another seat's."""
    cdef int covered
    while own:
        covered = lowest_bit(own)
        own &= own - 1
        begin(sink, mode, 0)
        put(sink, mode, w, X_PLAYS, UNIT)
        put(sink, mode, w, X_VALUE_EXPOSED, rules.of_highest[merch])
        put(sink, mode, w, X_VALUE_PROTECTED, rules.of_highest[covered])
        put(sink, mode, w, X_TARGET_DANGER, here.danger[seat])
        done_against(sink, mode, here.distance[seat])


cdef inline void visit_lanes(sink_t *sink, int mode, const int32_t *w, const rules_t *rules, const uint64_t *lanes,
                             const standing_t *here, int primitive, uint64_t own) noexcept nogil:
    """Go through the ways of an Action that names a seat and a Merch, a lane a seat, and perhaps an own Merch."""
    cdef int half, at, seat, merch
    cdef uint64_t rest = lanes[0] | lanes[1]
    cdef int64_t alone[MAX_MERCH]
    cdef sink_t one
    if mode != ROWS and primitive != P_STEAL_PROTECT:
        rest |= rest >> 32
        rest = (rest | rest >> 16) & 0xFFFF
        while rest:
            merch = lowest_bit(rest)
            rest &= rest - 1
            one.score = 0
            put_lane(&one, mode, w, rules, here, primitive, merch)
            alone[merch] = one.score
    for half in range(2):
        rest = lanes[half]
        while rest:
            at = 64 * half + lowest_bit(rest)
            rest &= rest - 1
            seat = at >> 4
            merch = at & (MAX_MERCH - 1)
            if primitive == P_STEAL_PROTECT:
                visit_beneath(sink, mode, w, rules, here, seat, merch, own)
                continue
            begin(sink, mode, alone[merch])
            if mode == ROWS:
                put_lane(sink, mode, w, rules, here, primitive, merch)
            put_robbed(sink, mode, w, rules, here, seat, merch)
            done_against(sink, mode, here.distance[seat])


cdef inline void visit_own(sink_t *sink, int mode, const int32_t *w, const view_t *view, const move_set_t *moves,
                           int kind) noexcept nogil:
    """Go through the ways of an Action that protects: an own Merch, or a card of the hand."""
    cdef const rules_t *rules = view.rules
    cdef bint covers = rules.source[kind] == S_HAND
    cdef uint64_t rest = coverable(moves, kind) if covers else moves.sources[S_OWN_MERCH][0]
    cdef int at
    while rest:
        at = lowest_bit(rest)
        rest &= rest - 1
        begin(sink, mode, 0)
        put(sink, mode, w, X_PLAYS, UNIT)
        if covers:
            put(sink, mode, w, X_COVERS_CARD, UNIT)
            put(sink, mode, w, X_COVERS_TICKET, UNIT * <int>(rules.tickets >> at & 1))
        else:
            put(sink, mode, w, X_VALUE_PROTECTED, rules.of_highest[at])
        done(sink, mode)


cdef inline void visit_put_down(sink_t *sink, int mode, const int32_t *w, const view_t *view,
                                const move_set_t *moves, const standing_t *here) noexcept nogil:
    cdef const rules_t *rules = view.rules
    cdef uint64_t rest = moves.plays | moves.targeted
    cdef uint64_t lanes[2]
    cdef int kind, source
    visit_discards(sink, mode, w, view, moves)
    visit_merch(sink, mode, w, rules, here, moves.tables, True, True)
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        if moves.plays >> kind & 1:
            visit_single(sink, mode, w, view, here, kind)
            continue
        source = rules.source[kind]
        if source <= S_SEATS:
            visit_seats(sink, mode, w, view, here, kind, moves.sources[source][0])
        elif source <= S_PROTECTS:
            lanes[0] = moves.sources[source][0] & rules.lanes[kind][0]
            lanes[1] = moves.sources[source][1] & rules.lanes[kind][1] if rules.seats > 4 else 0
            visit_lanes(sink, mode, w, rules, lanes, here, rules.primitive[kind], moves.sources[S_OWN_MERCH][0])
        else:
            visit_own(sink, mode, w, view, moves, kind)


cdef inline void put_stake(sink_t *sink, int mode, const int32_t *w, const view_t *view,
                           const standing_t *here) noexcept nogil:
    """Take the features of what the Action that is played would cost this seat."""
    cdef const rules_t *rules = view.rules
    cdef const public_t *table = view.table
    cdef int family = rules.family[table.action.kind], seat = view.seat, dollars, exposed, tickets, kind
    cdef uint64_t rest
    if not is_target(view):
        put(sink, mode, w, X_DEFENDS_ACTION, UNIT)
        return
    put(sink, mode, w, X_SAVES_ESCAPE, (UNIT * (here.has_read + here.has_ticket) + progress_of(view, seat)) // 3)
    if family == F_MERCH or family == F_PROTECT:
        dollars = loss(view)
        put(sink, mode, w, X_SAVES_VALUE, in_units(dollars, rules.per_value))
        put(sink, mode, w, X_SAVES_THRESHOLD,
            UNIT * (family == F_MERCH and table.merch[seat] >= rules.escape_threshold
                    and table.merch[seat] - dollars < rules.escape_threshold))
    elif family == F_READ:
        put(sink, mode, w, X_SAVES_READ, UNIT)
    elif family == F_TURN:
        put(sink, mode, w, X_SAVES_TURN, UNIT)
    elif family == F_HAND:
        put(sink, mode, w, X_SAVES_HAND, UNIT)
        exposed = table.hand_n[seat] - table.hands_off_n[seat]
        tickets = 0
        rest = view.hand.kinds & rules.tickets
        while rest:
            kind = lowest_bit(rest)
            rest &= rest - 1
            tickets += view.hand.copies[kind] - (view.hand.hands_off == kind)
        put(sink, mode, w, X_SAVES_TICKET, UNIT * tickets // exposed if exposed > 0 else 0)


cdef inline int breadth_of(const rules_t *rules, int kind) noexcept nogil:
    """Return how many families a reaction cancels, in sixths of a unit."""
    cdef int family, n = 0
    for family in range(F_READ, N_FAMILIES):
        n += rules.cancels[family] >> kind & 1
    return n * UNIT // 6


cdef inline void visit_reactions(sink_t *sink, int mode, const int32_t *w, const view_t *view,
                                 const move_set_t *moves, const standing_t *here) noexcept nogil:
    cdef uint64_t rest = moves.options
    cdef int kind
    begin(sink, mode, 0)
    done(sink, mode)
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        begin(sink, mode, 0)
        put(sink, mode, w, X_REACTS, UNIT)
        put(sink, mode, w, X_REACTION_BREADTH, breadth_of(view.rules, kind))
        put_stake(sink, mode, w, view, here)
        done(sink, mode)


cdef inline void visit(sink_t *sink, int mode, const int32_t *w, const view_t *view,
                       const move_set_t *moves) noexcept nogil:
    """Go through all moves of a decision in their order."""
    cdef standing_t here
    if moves.decision == ESCAPE:
        begin(sink, mode, 0)
        put(sink, mode, w, X_ESCAPE_WINS if would_win(view) else X_ESCAPE_LOSES, UNIT)
        done(sink, mode)
        begin(sink, mode, 0)  # stay
        done(sink, mode)
        return
    stand(&here, view)
    if moves.decision == PUT_DOWN:
        visit_put_down(sink, mode, w, view, moves, &here)
        return
    if moves.decision == REACT:
        visit_reactions(sink, mode, w, view, moves, &here)
        return
    if moves.decision == TABLE_MORE:
        begin(sink, mode, 0)  # stop
        done(sink, mode)
    visit_merch(sink, mode, w, view.rules, &here, moves.options, moves.decision == TABLE_MORE, False)


# ---- what strategies call

cdef inline int write_features(const view_t *view, const move_set_t *moves, float *out) noexcept nogil:
    """Write the features of each move, N_FEATURES numbers a move, move after move; return the number of moves.

    `out` must have room for `move_count(moves) * N_FEATURES` numbers.
    """
    cdef sink_t sink
    memset(out, 0, moves.n * N_FEATURES * sizeof(float))  # at once: by rows it takes a third of all
    sink.index = 0
    sink.row = out
    visit(&sink, ROWS, NULL, view, moves)
    return sink.index


cdef inline int write_scores(const view_t *view, const move_set_t *moves, const weights_t *weights,
                             int64_t *out) noexcept nogil:
    """Write the score of each move in parts of 1 / (UNIT * WEIGHT_UNIT); return the number of moves."""
    cdef sink_t sink
    sink.index = 0
    sink.scores = out
    visit(&sink, SCORES, &weights.w[0], view, moves)
    return sink.index


cdef inline int index_of_best_score(const view_t *view, const move_set_t *moves,
                                    const weights_t *weights) noexcept nogil:
    """Return the index of the move that scores most; of equal ones that against the next seat clockwise, or first."""
    cdef sink_t sink
    sink.index = 0
    sink.best = <int64_t>-0x7FFFFFFFFFFFFFFF
    sink.best_index = 0
    visit(&sink, BEST, &weights.w[0], view, moves)
    return sink.best_index
