"""`search`: imagines the hidden cards and tries out every move before it makes one.

It deals the cards that it cannot see to the other hands and the pick-up pile, as they may lie after all that it has
seen and remembers. In each such world it makes every move it is considering, lets all seats go on like a simple player
(`rollout`) for `turns` turns, and judges by Read, tickets, tables and hands who will win from there. All moves are
tried in the same worlds, so that luck is the same for all. After a share of its `playouts` it drops the worse half of
the moves, and so on until one is left beside the simple player's, which it makes unless the other is better by `doubt`
standard errors. It takes it that others keep in hand what good players keep, and would have left if they could. With
an `exploration` above 0 it gives each further playout to the move that promises most instead, looking into doubtful
ones the more the higher the number.

Good against everybody; it plans no further than a round, bluffs nobody, and takes a thousand times as long as others.
"""
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy

from cpython.pycapsule cimport PyCapsule_GetPointer

from rsc_sim.outlook cimport chance_to_win, kept_class, outlook_t
from rsc_sim.playout cimport imagine, make_move, play_on, policy_t, share_won, survey, survey_t, world_t
from rsc_sim.strategy cimport (ESCAPE, bounded, move_count, move_set_t, native_strategy, rules_t, strategy_t, view_t,
                               would_win)

from rsc_sim import outlook

cdef enum:
    MOST_MOVES = 256          # that are considered


ctypedef struct parameters_t:
    int32_t playouts
    int32_t turns
    double doubt
    double exploration
    policy_t policy
    const void *policy_parameters
    outlook_t outlook


ctypedef struct candidates_t:
    int32_t n
    int32_t first             # what the simple player would do; wins ties
    int32_t move[MOST_MOVES]  # indices
    int32_t tried[MOST_MOVES]
    double won[MOST_MOVES]    # chances to win, added up
    double more[MOST_MOVES]   # how much more than by the simple player's move in the same world, added up,
    double square[MOST_MOVES]  # and squared


cdef void consider(const view_t *view, const move_set_t *moves, const parameters_t *p, candidates_t *c) noexcept nogil:
    """List the moves to try: all, or, where there are more than the playouts can tell apart, a random choice of them
    and what the simple player would do.
    """
    cdef int n = move_count(moves), most = p.playouts // 2, i, j
    if most > MOST_MOVES:
        most = MOST_MOVES
    if most < 2:
        most = 2
    c.first = p.policy(view, moves, p.policy_parameters)
    c.n = 0
    for i in range(n):
        if c.n < most:
            j = c.n
            c.n += 1
        else:
            j = bounded(view.rng, i + 1)
        if j < most:
            c.move[j] = i
    cdef bint there = False
    for i in range(c.n):
        c.tried[i] = 0
        c.won[i] = 0
        c.more[i] = 0
        c.square[i] = 0
        there |= c.move[i] == c.first
    if not there:
        c.move[0] = c.first


cdef double tried_in(const world_t *world, const move_set_t *moves, int index, int seat,
                     const parameters_t *p) noexcept nogil:
    """Make a move in a world, play on, and return what the seat wins or its chance to."""
    cdef world_t copied
    memcpy(&copied, world, sizeof(world_t))
    make_move(&copied, moves, index)
    if play_on(&copied, p.policy, p.policy_parameters, p.turns):
        return share_won(&copied, seat)
    return chance_to_win(&p.outlook, &copied, seat)


cdef bint is_better(const candidates_t *c, int a, int b) noexcept nogil:
    """Say whether candidate a did better than b, on average; of equal ones the simple player's choice is."""
    cdef double difference = c.won[a] * c.tried[b] - c.won[b] * c.tried[a]
    return difference > 0 or (difference == 0 and c.move[a] == c.first)


cdef void swap(candidates_t *c, int a, int b) noexcept nogil:
    c.move[a], c.move[b] = c.move[b], c.move[a]
    c.tried[a], c.tried[b] = c.tried[b], c.tried[a]
    c.won[a], c.won[b] = c.won[b], c.won[a]
    c.more[a], c.more[b] = c.more[b], c.more[a]
    c.square[a], c.square[b] = c.square[b], c.square[a]


cdef void drop_worse_half(candidates_t *c) noexcept nogil:
    """Sort the candidates, the best first, and keep half of them and always the simple player's move, candidate 0."""
    cdef int i, j
    for i in range(2, c.n):
        j = i
        while j > 1 and is_better(c, j, j - 1):
            swap(c, j, j - 1)
            j -= 1
    c.n = (c.n + 1) // 2 if c.n > 2 else 1


cdef bint is_clearly_better(const candidates_t *c, int i, double doubt) noexcept nogil:
    """Say whether a move wins more than the simple player's by more than `doubt` standard errors."""
    cdef double n = c.tried[i], mean = c.more[i] / n, square = c.square[i] / n - mean * mean
    return mean > 0 and mean * mean * n >= doubt * doubt * square


cdef int by_halving(const view_t *view, const move_set_t *moves, const survey_t *known, candidates_t *c,
                    const parameters_t *p) noexcept nogil:
    """Share the playouts over rounds, halving the moves after each (Karnin, Koren and Somekh 2013); return the best."""
    cdef world_t world
    cdef int rounds = 0, left = p.playouts, worlds, i, _
    cdef double chance, first = 0
    for i in range(c.n):
        if c.move[i] == c.first:
            swap(c, 0, i)
            break
    while 1 << rounds < c.n:
        rounds += 1
    while c.n > 1:
        worlds = left // (rounds * c.n)
        if worlds < 1:
            worlds = 1
        left -= worlds * c.n
        rounds -= 1
        for _ in range(worlds):
            imagine(known, view.rng, &world)
            for i in range(c.n):
                chance = tried_in(&world, moves, c.move[i], view.seat, p)
                first = chance if i == 0 else first
                c.won[i] += chance
                c.more[i] += chance - first
                c.square[i] += (chance - first) * (chance - first)
                c.tried[i] += 1
        drop_worse_half(c)
    return c.move[1] if is_clearly_better(c, 1, p.doubt) else c.move[0]


cdef int by_promise(const view_t *view, const move_set_t *moves, const survey_t *known, candidates_t *c,
                    const parameters_t *p) noexcept nogil:
    """Give each playout to the move of the highest upper bound, a world each; return the one tried most often.

    The bound is UCB1's (Auer, Cesa-Bianchi and Fischer 2002) with sqrt(total) for the logarithm's root: no library
    function in a decision.
    """
    cdef world_t world
    cdef int total, i, best, _
    cdef double bound, best_bound, root
    for total in range(p.playouts):
        imagine(known, view.rng, &world)
        best = 0
        best_bound = -1
        root = 1
        for _ in range(12):
            root = (root + total / root) / 2
        for i in range(c.n):
            if c.tried[i] == 0:
                best = i
                break
            bound = c.won[i] / c.tried[i] + p.exploration * root / (1 + c.tried[i])
            if bound > best_bound:
                best_bound = bound
                best = i
        c.won[best] += tried_in(&world, moves, c.move[best], view.seat, p)
        c.tried[best] += 1
    best = 0
    for i in range(1, c.n):
        if c.tried[i] > c.tried[best] or (c.tried[i] == c.tried[best] and is_better(c, i, best)):
            best = i
    return c.move[best]


cdef void expect(const view_t *view, const parameters_t *p, survey_t *known) noexcept nogil:
    """Say which unseen cards are likely to be in hands: those that good players keep."""
    cdef const rules_t *rules = view.rules
    cdef int kind
    cdef float most = 0.001, kept
    for kind in range(rules.n_kinds):
        kept = p.outlook.kept[kept_class(rules, kind)]
        most = kept if kept > most else most
    for kind in range(rules.n_kinds):
        kept = p.outlook.kept[kept_class(rules, kind)] * 255 / most
        known.kept[kind] = <uint8_t>(kept if kept > 8 else 8)
    known.weighed = True


cdef int decide(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil:
    cdef const parameters_t *p = <const parameters_t *>parameters
    cdef survey_t known
    cdef candidates_t candidates
    if move_count(moves) == 1 or (view.decision == ESCAPE and would_win(view)):
        return 0
    survey(view, moves, &known)
    expect(view, p, &known)
    consider(view, moves, p, &candidates)
    if p.exploration > 0:
        return by_promise(view, moves, &known, &candidates, p)
    return by_halving(view, moves, &known, &candidates, p)


_ROLLOUTS = {}  # bound strategies, which must outlive those that point at them


def bind(playouts=200, rollout="tuned", turns=8, exploration=0.0, doubt=2.0):
    """Bind the strategy.

    `playouts` games are played on for each decision that has two moves or more; `rollout` is the built-in strategy that
    plays them, for `turns` turns (0: the chances right after the move); `exploration` is 0 to halve the moves, or how
    much doubt weighs, about 0.1. Halving, it leaves the simple player's move only for one that wins more by `doubt`
    standard errors.
    """
    from rsc_sim.strategy import built_in
    cdef parameters_t p
    cdef const strategy_t *strategy
    cdef float *number
    cdef int i
    if not 2 <= playouts <= 1_000_000:
        raise ValueError(f"playouts: expected 2 to 1,000,000, got {playouts}")
    if not 0 <= turns <= 1000:
        raise ValueError(f"turns: expected 0 to 1000, got {turns}")
    if not 0 <= doubt <= 100:
        raise ValueError(f"doubt: expected 0 to 100, got {doubt}")
    if not 0 <= exploration <= 100:
        raise ValueError(f"exploration: expected 0 to 100, got {exploration}")
    simple = {name: there for name, there in built_in().items() if there.kind in ("native", "weights")
              and name != "search"}
    if rollout not in simple:
        raise ValueError(f"rollout: expected one of {', '.join(sorted(simple))}, got {rollout!r}")
    if rollout not in _ROLLOUTS:
        _ROLLOUTS[rollout] = simple[rollout].bind()
    strategy = <const strategy_t *>PyCapsule_GetPointer(_ROLLOUTS[rollout], "rsc_sim.strategy")
    if strategy.scratch_size or strategy.memory_size:
        raise ValueError(f"rollout: expected a strategy that keeps nothing during a game, got {rollout!r}")
    p.playouts = playouts
    p.turns = turns
    p.doubt = doubt
    p.exploration = exploration
    p.policy = <policy_t>strategy.decide
    p.policy_parameters = <const void *>(strategy + 1)
    numbers = outlook.numbers()
    if len(numbers) * sizeof(float) != sizeof(outlook_t):
        raise AssertionError(f"outlook.py lists {len(numbers)} numbers, outlook.pxd has {sizeof(outlook_t)} bytes")
    number = <float *>&p.outlook
    for i in range(len(numbers)):
        number[i] = numbers[i]
    return native_strategy(decide, &p, sizeof(p), 0, memory=True)
