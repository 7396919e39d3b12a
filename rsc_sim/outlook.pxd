"""How likely each seat is to win a world from here: what a search believes where it stops playing on.

Each seat is described by N_SIGNS figures, its signs: what it has tabled and could table, measured by the escape
threshold, Read, its ticket, and what its hand could do. A small network, the same for every seat, takes a seat's signs
and a digest of all others' to a score; the chances to win are the scores' softmax. Its numbers are fitted to who won
many games (`outlook.toml` says how); the signs' names, in this order, stand in `outlook.py`. It sees every hand of the
world it is shown, and so is for imagined worlds only.

Sums go in a fixed order and no library function is called, so that a chance is the same number in every build.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset

from rsc_sim.engine.bits cimport lowest_bit
from rsc_sim.engine.moves cimport highest_takeable, lowest_takeable
from rsc_sim.engine.types cimport *

cdef enum:
    N_SIGNS = 56
    N_UNITS = 16
    FIRST_PRIMITIVE = 32   # sign of primitive p: Actions of it in the hand
    FIRST_FAMILY = 48      # sign of family f: reactions in the hand that cancel it
    N_KEPT = 32            # classes of cards: 0 tickets, 1 on primitives, 17 on families of reactions, 24 on Merch


ctypedef struct outlook_t:              # the network's numbers
    float linear[N_SIGNS]               # straight from a sign to the score
    float own[N_SIGNS][N_UNITS]         # from a seat's signs to its units
    float other[N_SIGNS][N_UNITS]       # from a seat's signs to what the others take in of it,
    float mixed[N_UNITS][N_UNITS]       # and how they do
    float own_bias[N_UNITS]
    float other_bias[N_UNITS]
    float score[N_UNITS]                # from units to the score
    float kept[N_KEPT]                  # how likely a card of a class is to be kept in a hand, against the others


cdef inline int kept_class(const rules_t *rules, int kind) noexcept nogil:
    """Return the class of a kind: Merch by how often its value is to be doubled to reach the threshold, 7 at most."""
    cdef int doubled = 0, i
    cdef int64_t value
    if rules.merch >> kind & 1:
        value = rules.value[rules.merch_of[kind]]
        while value < rules.escape_threshold and doubled < 7:
            value *= 2
            doubled += 1
        return 24 + doubled
    if rules.primitive[kind] != P_NONE:
        return rules.primitive[kind]
    for i in range(1, N_FAMILIES):
        if rules.cancels[i] >> kind & 1:
            return 16 + i
    return 0


cdef inline float at_most_one(float x) noexcept nogil:
    return x if x < 1 else 1


cdef inline void write_signs(const game_t *world, int seat, float *signs) noexcept nogil:
    """Describe a seat of a world."""
    cdef const rules_t *rules = world.rules
    cdef const public_t *table = &world.table
    cdef const hand_t *hand = &world.hidden.hand[seat]
    cdef int threshold = rules.escape_threshold if rules.escape_threshold > 0 else 1
    cdef float dollar = <float>1 / <float>threshold
    cdef int merch, kind, copies, i, turns_away, in_hand = 0, to_table = 0, shielded_worth = 0, n_tickets = 0
    cdef int missing = threshold - table.merch[seat]
    cdef uint64_t rest
    cdef float read = table.read_holder == seat
    cdef float ticket = (hand.kinds & rules.tickets) != 0
    cdef float rich = table.merch[seat] >= rules.escape_threshold
    cdef float tabled = table.merch[seat] * dollar, reach, takes_read
    memset(signs, 0, N_SIGNS * sizeof(float))
    if hand.kinds & rules.merch:
        for i in range(rules.n_merch):
            merch = rules.highest_first[i]
            copies = hand.copies[rules.kind_of[merch]]
            if copies == 0:
                continue
            if in_hand == 0:
                signs[27] = at_most_one(rules.value[merch] * dollar)
            in_hand += copies * rules.value[merch]
            while copies and missing > 0:
                missing -= rules.value[merch]
                to_table += 1
                copies -= 1
    if missing > 0:
        to_table += 2 + <int>(<float>5 * missing * dollar)
    rest = table.shielded[seat]
    while rest:
        merch = lowest_bit(rest)
        rest &= rest - 1
        shielded_worth += table.protections[seat][merch] * rules.value[merch]
    rest = hand.kinds & rules.tickets
    while rest:
        n_tickets += hand.copies[lowest_bit(rest)]
        rest &= rest - 1
    reach = tabled + in_hand * dollar
    turns_away = seat - table.seat_up
    if turns_away < 0:
        turns_away += table.seats
    rest = hand.kinds & ~rules.merch & ~rules.tickets
    while rest:
        kind = lowest_bit(rest)
        rest &= rest - 1
        copies = hand.copies[kind]
        if rules.primitive[kind] != P_NONE:
            signs[FIRST_PRIMITIVE + rules.primitive[kind]] += copies
        else:
            for i in range(1, N_FAMILIES):
                if rules.cancels[i] >> kind & 1:
                    signs[FIRST_FAMILY + i] += copies
    for i in range(FIRST_PRIMITIVE, N_SIGNS):
        if signs[i] > 2:
            signs[i] = 2
    takes_read = signs[FIRST_PRIMITIVE + P_TAKE_READ] > 0
    signs[11] = at_most_one(tabled - 1) if tabled > 1 else 0
    signs[23] = at_most_one(reach - 1) if reach > 1 else 0
    tabled = at_most_one(tabled)
    reach = at_most_one(reach)
    signs[0] = read
    signs[1] = ticket
    signs[2] = tabled
    signs[3] = rich
    signs[4] = reach
    signs[5] = reach >= 1
    signs[6] = read * ticket
    signs[7] = read * rich
    signs[8] = ticket * rich
    signs[9] = read * ticket * rich
    signs[10] = at_most_one(<float>to_table / <float>7)
    signs[12] = <float>turns_away / <float>(table.seats - 1)
    signs[13] = turns_away == 0
    signs[14] = table.missed[seat] if table.missed[seat] < 2 else 2
    signs[15] = <float>(table.hand_n[seat] if table.hand_n[seat] < 12 else 12) / <float>6
    signs[16] = ticket * reach
    signs[17] = read * reach
    signs[18] = at_most_one(shielded_worth * dollar)
    signs[19] = at_most_one(<float>n_tickets / <float>3)
    signs[20] = hand.hands_off != NONE
    if table.unprotected[seat]:
        signs[21] = at_most_one(rules.value[highest_takeable(rules, table, seat)] * dollar)
        merch = lowest_takeable(rules, table, seat)
        signs[22] = at_most_one(rules.value[merch] * dollar) if merch != NONE else 0
    signs[24] = ticket * rich * takes_read
    signs[25] = read * signs[FIRST_FAMILY + F_READ]
    signs[26] = (signs[FIRST_PRIMITIVE + P_TABLE_MORE] > 0) * (to_table > 1)
    signs[28] = ticket * takes_read
    signs[29] = rich * takes_read
    signs[30] = at_most_one(in_hand * dollar)
    signs[31] = read * ticket * reach


cdef inline void take_in(const float *signs, const float (*weights)[N_UNITS], float *units) noexcept nogil:
    """Add the signs, weighted, to the units. Two of three signs are 0."""
    cdef int i, unit
    for i in range(N_SIGNS):
        if signs[i] != 0:
            for unit in range(N_UNITS):
                units[unit] += signs[i] * weights[i][unit]


cdef inline float power_of_e(float x) noexcept nogil:
    """Return e to the power of x, for x from -80 to 0, to six digits: 2 to a whole power, times the series of the rest.
    """
    cdef float y = x * <float>1.44269504
    cdef int whole = <int>(y - <float>0.5)
    cdef float z = (y - <float>whole) * <float>0.693147181
    cdef float series = 1 + z * (1 + z * (<float>0.5 + z * (<float>0.166666667 + z * (<float>0.0416666667
                                 + z * (<float>0.00833333333 + z * <float>0.00138888889)))))
    cdef uint32_t bits = <uint32_t>(whole + 127) << 23
    cdef float power
    memcpy(&power, &bits, sizeof(power))
    return power * series


cdef inline float chance_to_win(const outlook_t *outlook, const game_t *world, int seat) noexcept nogil:
    """Return the seat's chance to win from a put-down of a world on, 0 to 1; over all seats they add up to 1."""
    cdef float signs[MAX_SEATS][N_SIGNS]
    cdef float taken[MAX_SEATS][N_UNITS]
    cdef float all_taken[N_UNITS]
    cdef float units[N_UNITS]
    cdef float scores[MAX_SEATS]
    cdef float best = 0, total = 0, x
    cdef int s, i, unit, n = world.table.seats
    cdef float others = <float>3 / <float>(n - 1)  # what it was fitted to: four seats
    memset(all_taken, 0, sizeof(all_taken))
    for s in range(n):
        write_signs(world, s, signs[s])
        memcpy(taken[s], outlook.other_bias, sizeof(taken[s]))
        take_in(signs[s], outlook.other, taken[s])
        for unit in range(N_UNITS):
            taken[s][unit] = taken[s][unit] if taken[s][unit] > 0 else 0
            all_taken[unit] += taken[s][unit]
    for s in range(n):
        memcpy(units, outlook.own_bias, sizeof(units))
        take_in(signs[s], outlook.own, units)
        for i in range(N_UNITS):
            x = (all_taken[i] - taken[s][i]) * others
            for unit in range(N_UNITS):
                units[unit] += x * outlook.mixed[i][unit]
        x = 0
        for unit in range(N_UNITS):
            x += outlook.score[unit] * (units[unit] if units[unit] > 0 else 0)
        for i in range(N_SIGNS):
            x += outlook.linear[i] * signs[s][i]
        scores[s] = x
        best = x if s == 0 or x > best else best
    for s in range(n):
        x = scores[s] - best
        scores[s] = power_of_e(x if x > -80 else -80)
        total += scores[s]
    return scores[seat] / total
