"""Tallies over many games: what became of each kind in the hands of each strategy, and what its escape windows lacked.

A game counts into its `tally_t` while it is played; `add_game` adds that, weighted by who won, to 32-bit sums that fit
the nearest cache, and `flush` empties these into the 64-bit totals of a batch before any of them can overflow.
"""
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memset

from rsc_sim.engine.types cimport *

cdef enum:
    WIN = 840              # a win, in parts that 1 to 8 winners can share


cdef extern from * nogil:
    """
    /* Add one seat's counts of a tally, kind by kind; written for the vectoriser, which wants restrict, no calls and no
       odd end: n is rounded up to 16 counts, of which those past the last kind are 0. */
    static void rsc_add_counts(uint32_t *restrict seat_games, uint32_t *restrict copies, uint32_t *restrict wins,
                               const uint16_t *restrict counts, uint32_t won, int n) {
        n = (n + 15) & ~15;
        for (int i = 0; i < n; i++) {
            uint32_t c = counts[i];
            seat_games[i] += c != 0;
            copies[i] += c;
            wins[i] += c * won;
        }
    }
    """
    void add_counts "rsc_add_counts"(uint32_t *seat_games, uint32_t *copies, uint32_t *wins, const uint16_t *counts,
                                     uint32_t won, int n)


ctypedef struct sums_t:
    uint32_t cards[MAX_SEATS][N_TALLIES][3][MAX_KINDS]      # by strategy: seat-games, copies, wins times copies
    uint32_t windows[MAX_SEATS][N_ROUNDS * N_MISSING]       # by strategy: escape windows by round and what was missing
    uint64_t most                                           # no sum exceeds this


cdef inline uint64_t most_of(const game_t *g) noexcept nogil:
    """Bound what one game can add to any one sum."""
    cdef int seat
    cdef uint64_t cards = 2 * <uint64_t>g.table.turn + 256
    for seat in range(g.table.seats):
        cards += g.draws[seat]
    return cards * WIN * MAX_SEATS


cdef inline void add_game(sums_t *sums, const game_t *g, const tally_t *tally, const uint8_t *strategies,
                          const uint32_t *won) noexcept nogil:
    """Add a finished game; `strategies` and `won` (in parts of WIN) hold a number for each seat."""
    cdef int seat, event, kind, n = g.rules.n_kinds
    cdef uint16_t counts[MAX_KINDS]
    cdef uint32_t (*cards)[3][MAX_KINDS]
    memset(counts, 0, sizeof(counts))
    for seat in range(g.table.seats):
        cards = sums.cards[strategies[seat]]
        for event in range(N_COUNTED):
            add_counts(cards[event][0], cards[event][1], cards[event][2], tally.counts[seat][event], won[seat], n)
        for kind in range(n):
            counts[kind] = g.hidden.hand[seat].copies[kind]
        add_counts(cards[T_IN_HAND][0], cards[T_IN_HAND][1], cards[T_IN_HAND][2], counts, won[seat], n)
        for kind in range(n):
            counts[kind] = tally.counts[seat][T_DRAWN][kind] == 0
        add_counts(cards[T_NEVER_SEEN][0], cards[T_NEVER_SEEN][1], cards[T_NEVER_SEEN][2], counts, won[seat], n)
    sums.most += most_of(g)


cdef inline void flush(sums_t *sums, int n_strategies, int n_kinds, uint64_t *cards, uint64_t *windows) noexcept nogil:
    """Move the sums to a batch's totals: cards[strategy][event][kind][3] and windows[strategy][round][missing]."""
    cdef int strategy, event, kind, what, i
    for strategy in range(n_strategies):
        for event in range(N_TALLIES):
            for kind in range(n_kinds):
                for what in range(3):
                    cards[0] += sums.cards[strategy][event][what][kind]
                    cards += 1
        for i in range(N_ROUNDS * N_MISSING):
            windows[0] += sums.windows[strategy][i]
            windows += 1
    memset(sums, 0, sizeof(sums_t))
