"""Positions of many games and who won them: what the outlook of `search` is fitted to (`benchmarks/fit_outlook.py`).

Games are played from the seed by strategies drawn for each seat, now and then with a random move, so that positions are
met which no strategy would choose; some put-downs of each are written down as the signs of all seats (`outlook.pxd`).
`check_worlds` plays alike and looks whether the worlds that seats imagine could be the real one.
"""
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcmp, memset

from cpython.pycapsule cimport PyCapsule_GetPointer

from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.conserved cimport conserved
from rsc_sim.engine.deal cimport set_up
from rsc_sim.engine.effects cimport takeable_merch
from rsc_sim.engine.memory cimport forget_all, memory_of
from rsc_sim.engine.moves cimport move_at
from rsc_sim.engine.rng cimport bounded, open_stream, rng_t, stream_base
from rsc_sim.engine.rules cimport CompiledRules
from rsc_sim.engine.turn cimport advance, apply, list_moves
from rsc_sim.engine.types cimport *
from rsc_sim.outlook cimport N_KEPT, N_SIGNS, kept_class, write_signs
from rsc_sim.playout cimport (imagine, make_move, play_on, policy_t, share_won, survey, survey_t)
from rsc_sim.strategy cimport strategy_t

import numpy as np

from rsc_sim.errors import InputError

cdef enum:
    MOST_A_GAME = 40
    STREAM_POSITIONS = 1000      # far from the purposes of the engine's own streams


cdef struct played_t:                    # a game that is played here, and who plays it
    game_t game
    memories_t memories
    view_t view
    move_set_t moves
    rng_t rng                           # draws players, positions and random moves
    policy_t policy[MAX_SEATS]
    const void *parameters[MAX_SEATS]


cdef void begin(played_t *p, const rules_t *rules, uint64_t seed, uint64_t block, int ordinal) noexcept nogil:
    """Deal a block's game, in which every seat remembers what it may."""
    cdef intervention_t none
    memset(&none, 0, sizeof(none))
    none.seat = NONE
    set_up(&p.game, rules, seed, block, &none, NULL, NULL)
    open_stream(&p.rng, stream_base(seed, block), STREAM_POSITIONS, ordinal)
    p.game.memories = &p.memories
    p.memories.seats = bit(rules.seats) - 1
    forget_all(&p.memories)
    p.view.rules = rules
    p.view.table = &p.game.table
    p.view.scratch = NULL


cdef int draw_players(played_t *p, list strategies) except -1:
    """Have each seat played by one of the strategies (bound, without scratch)."""
    cdef const strategy_t *strategy
    cdef int seat, n_strategies = len(strategies)
    for seat in range(p.game.table.seats):
        strategy = <const strategy_t *>PyCapsule_GetPointer(strategies[bounded(&p.rng, n_strategies)],
                                                            "rsc_sim.strategy")
        if strategy.scratch_size:
            raise InputError("positions: expected strategies that keep nothing during a game")
        p.policy[seat] = <policy_t>strategy.decide
        p.parameters[seat] = <const void *>(strategy + 1)
    return 0


cdef void show(played_t *p, rng_t *rng) noexcept nogil:
    """Show the seat that is asked what it may see; what it draws, it draws from `rng`."""
    cdef int seat = p.game.asked
    p.view.hand = p.game.hidden.hand[seat]
    p.view.memory = memory_of(&p.game, seat)
    p.view.rng = rng
    p.view.seat = seat
    p.view.decision = p.game.decision
    list_moves(&p.game, &p.view.hand, &p.moves)


cdef int answer(played_t *p) except -1 nogil:
    """Give the move of the seat that was shown the position."""
    return p.policy[p.game.asked](&p.view, &p.moves, p.parameters[p.game.asked])


def positions(CompiledRules rules, strategies, *, seed, first_block, n_games, one_in=8, random_moves=0.03):
    """Play games and return (signs, won, turns_left): f32 [position, seat, sign], f32 [position, seat], i32 [position].

    Each seat is played by one of `strategies` (bound, without scratch), drawn for the game; one put-down in `one_in` is
    written down, 40 a game at most. Games that nobody won are left out.
    """
    cdef played_t p
    cdef int seat, index, start, i, n = 0, seats = rules.c.seats, every = one_in, thousandths
    cdef uint64_t c_seed = seed, block, first = first_block, last = first_block + n_games
    thousandths = round(random_moves * 1000)
    signs = np.zeros((n_games * MOST_A_GAME, seats, N_SIGNS), dtype=np.float32)
    won = np.zeros((n_games * MOST_A_GAME, seats), dtype=np.float32)
    turns_left = np.zeros(n_games * MOST_A_GAME, dtype=np.int32)
    cdef float[:, :, ::1] c_signs = signs
    cdef float[:, ::1] c_won = won
    cdef int32_t[::1] c_turns = turns_left
    among = list(strategies)
    for block in range(first, last):
        begin(&p, &rules.c, c_seed, block, 0)
        draw_players(&p, among)
        start = n
        with nogil:
            while advance(&p.game) != OVER:
                if p.game.decision == PUT_DOWN and n < start + MOST_A_GAME and bounded(&p.rng, every) == 0:
                    for seat in range(seats):
                        write_signs(&p.game, seat, &c_signs[n, seat, 0])
                    c_turns[n] = p.game.table.turn
                    n += 1
                show(&p, &p.game.strategy[p.game.asked])
                if bounded(&p.rng, 1000) < thousandths:
                    index = bounded(&p.rng, p.moves.n)
                else:
                    index = answer(&p)
                apply(&p.game, &p.moves, index)
        if p.game.end != END_ESCAPE:
            n = start
        for i in range(start, n):
            c_turns[i] = p.game.table.turn - c_turns[i]
            for seat in range(seats):
                c_won[i, seat] = share_won(&p.game, seat)
    return signs[:n], won[:n], turns_left[:n]


def kept(CompiledRules rules, strategies, *, seed, first_block, n_games):
    """Play games and return f64 [class, 2]: how far cards of a class (`kept_class`) that a seat at its put-down does
    not see lie in the other hands rather than in the pick-up pile: Mantel and Haenszel's (1959) sums, whose quotient is
    the odds ratio.

    Each seat is played by one of `strategies` (bound, without scratch), drawn for the game.
    """
    cdef played_t p
    cdef int seat, kind, which, held, piled, held_n, piled_n, seats = rules.c.seats
    cdef uint64_t c_seed = seed, block, first = first_block, last = first_block + n_games
    sums = np.zeros((N_KEPT, 2))
    cdef double[:, ::1] c_sums = sums
    among = list(strategies)
    for block in range(first, last):
        begin(&p, &rules.c, c_seed, block, 0)
        draw_players(&p, among)
        with nogil:
            while advance(&p.game) != OVER:
                if p.game.decision == PUT_DOWN and p.game.table.pile_n:
                    held_n = 0
                    for seat in range(seats):
                        held_n += p.game.table.hand_n[seat] if seat != p.game.asked else 0
                    piled_n = p.game.table.pile_n
                    for kind in range(rules.c.n_kinds):
                        if kind == rules.c.read_kind:
                            continue
                        held = 0
                        for seat in range(seats):
                            held += p.game.hidden.hand[seat].copies[kind] if seat != p.game.asked else 0
                        piled = p.game.hidden.in_pile[kind]
                        which = kept_class(&rules.c, kind)
                        c_sums[which, 0] += <double>(held * (piled_n - piled)) / (held_n + piled_n)
                        c_sums[which, 1] += <double>(piled * (held_n - held)) / (held_n + piled_n)
                show(&p, &p.game.strategy[p.game.asked])
                apply(&p.game, &p.moves, answer(&p))
    return sums


cdef const char *wrong_with(game_t *world, const game_t *g, const view_t *view, const move_set_t *moves) noexcept nogil:
    """Say why an imagined world could not be the real one as far as its seat knows; NULL if it could."""
    cdef move_set_t there
    cdef move_t a, b
    cdef memories_t memories
    cdef bint sound
    cdef int i
    memset(&memories, 0, sizeof(memories))
    memories.seats = bit(view.seat)
    memories.of[view.seat] = view.memory[0]
    world.memories = &memories
    sound = conserved(world)
    world.memories = NULL
    if not sound:
        return b"cards are lost or gained, or what the seat remembers is not so"
    if memcmp(&world.table, &g.table, sizeof(public_t)):
        return b"the table is another"
    if memcmp(&world.hidden.hand[view.seat], &view.hand, sizeof(hand_t)):
        return b"the own hand is another"
    if g.phase != world.phase or g.to_table != world.to_table and g.decision == TABLE_MORE:
        return b"the game stands elsewhere"
    if g.decision == TAKE and takeable_merch(world, g.table.action.kind) != g.options:
        return b"other Merch can be taken"
    list_moves(world, &world.hidden.hand[view.seat], &there)
    if there.n != moves.n:
        return b"there are other moves"
    for i in range(there.n):
        a = move_at(&there, i)
        b = move_at(moves, i)
        if memcmp(&a, &b, sizeof(move_t)):
            return b"there are other moves"
    return NULL


def check_worlds(CompiledRules rules, strategy, *, seed, first_block, n_games, most_decisions=400):
    """Play games by a native strategy and some random moves, let the seat that is asked imagine a world each time, make
    a move of it there and play on; return (worlds, worlds that differ from the real game in a hand, what was wrong).

    What was wrong is None, or a text that names the game and the turn.
    """
    cdef played_t p
    cdef game_t world
    cdef survey_t known
    cdef const strategy_t *c = <const strategy_t *>PyCapsule_GetPointer(strategy, "rsc_sim.strategy")
    cdef policy_t policy = <policy_t>c.decide
    cdef const char *wrong = NULL
    cdef uint64_t c_seed = seed, block, first = first_block, last = first_block + n_games
    cdef int left, kind
    n_worlds = n_other = 0
    for block in range(first, last):
        begin(&p, &rules.c, c_seed, block, 1)
        left = most_decisions
        while left > 0 and advance(&p.game) != OVER:
            left -= 1
            show(&p, &p.rng)
            survey(&p.view, &p.moves, &known)
            known.weighed = bounded(&p.rng, 2)
            for kind in range(rules.c.n_kinds):
                known.kept[kind] = 8 + bounded(&p.rng, 248)
            imagine(&known, &p.rng, &world)
            wrong = wrong_with(&world, &p.game, &p.view, &p.moves)
            n_worlds += 1
            n_other += memcmp(&world.hidden.hand[0], &p.game.hidden.hand[0], sizeof(p.game.hidden.hand)) != 0
            if wrong == NULL:
                make_move(&world, &p.moves, bounded(&p.rng, p.moves.n))
                play_on(&world, policy, <const void *>(c + 1), 8)
                if not conserved(&world):
                    wrong = b"playing on lost or gained cards"
            if wrong != NULL:
                where = f"game {block}, turn {p.game.table.turn}, seat {p.game.asked}"
                return n_worlds, n_other, f"{wrong.decode()} ({where})"
            if bounded(&p.rng, 2):
                apply(&p.game, &p.moves, policy(&p.view, &p.moves, <const void *>(c + 1)))
            else:
                apply(&p.game, &p.moves, bounded(&p.rng, p.moves.n))
    return n_worlds, n_other, None
