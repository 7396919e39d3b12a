"""How a Python strategy is asked for many decisions at once: `def score(batch) -> array`.

Hundreds of games are played side by side (`engine/lockstep.pxd`); when each waits for such a strategy, it is shown all
their moves as one block of the documented features, and gives each move a score. Of each decision's moves the one of
the highest score is made; of equal ones that against the next seat clockwise, so that seat numbers do not matter, or
else the first. A `Batch` is good for one call, but its arrays are NumPy's and may
be kept.
"""
import numpy as np

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.pycapsule cimport PyCapsule_SetDestructor
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

from rsc_sim.engine.moves cimport move_at
from rsc_sim.engine.rng cimport next64
from rsc_sim.engine.types cimport PUT_DOWN, move_set_t, view_t
from rsc_sim.strategy cimport (NEEDS_INTERPRETER, N_FEATURES, SCORES_BATCHES, asked_t, batched_t, decide_t,
                               native_strategy, write_features)
from rsc_sim.view cimport free_player

from rsc_sim.errors import StrategyError
from rsc_sim.view import what_happened

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(object thing)

cdef object FLOAT32 = np.dtype(np.float32)
cdef object FLOAT64 = np.dtype(np.float64)

cdef enum:
    MARKED = -2             # as in engine/lockstep.pxd


@cython.final
cdef class Batch:
    """Decisions of many games, all put to one strategy, with all their moves."""

    cdef const asked_t *asked
    cdef int n
    cdef Scorer scorer
    cdef readonly object features
    """float32 [moves, features]: the documented features (`rsc_sim.features.FEATURES`) of the moves of all decisions,
    one decision after the other. Read-only.
    """

    def __len__(self):
        return self.n

    cdef const asked_t *now(self) except NULL:
        if self.asked == NULL:
            raise self.scorer.told("used a batch of an earlier call: a batch is good for one call, its arrays may be "
                                   "kept")
        return self.asked

    @property
    def offsets(self):
        """int64 [decisions + 1]: the moves of decision d are rows offsets[d] up to offsets[d + 1]."""
        cdef int64_t[::1] out = np.zeros(self.n + 1, dtype=np.int64)
        cdef int i
        for i in range(self.n):
            out[i + 1] = out[i] + self.now()[i].moves.n
        return out.base

    @property
    def owner(self):
        """int64 [moves]: the decision that each move belongs to."""
        return np.repeat(np.arange(self.n), np.diff(self.offsets))

    @property
    def game(self):
        """int32 [decisions]: which of the games side by side; a game keeps its number to its end."""
        cdef int32_t[::1] out = np.empty(self.n, dtype=np.int32)
        cdef int i
        for i in range(self.n):
            out[i] = self.now()[i].game
        return out.base

    @property
    def seat(self):
        """int32 [decisions]: the seat that is asked."""
        cdef int32_t[::1] out = np.empty(self.n, dtype=np.int32)
        cdef int i
        for i in range(self.n):
            out[i] = self.now()[i].view.seat
        return out.base

    @property
    def turn(self):
        """int32 [decisions]: turns taken in its game, the present one included."""
        cdef int32_t[::1] out = np.empty(self.n, dtype=np.int32)
        cdef int i
        for i in range(self.n):
            out[i] = self.now()[i].view.table.turn
        return out.base

    @property
    def decision(self):
        """int32 [decisions]: what is asked: 1 escape, 2 put_down, 3 take, 4 table_more, 5 react."""
        cdef int32_t[::1] out = np.empty(self.n, dtype=np.int32)
        cdef int i
        for i in range(self.n):
            out[i] = self.now()[i].view.decision
        return out.base

    def random(self):
        """Draw a number from 0 up to 1 for each move, from the stream of the seat that is asked: float64 [moves]."""
        cdef double[::1] out = np.empty(len(self.features), dtype=np.float64)
        cdef int i
        cdef Py_ssize_t at = 0
        for i in range(self.n):
            for _ in range(self.now()[i].moves.n):
                out[at] = (next64(self.asked[i].view.rng) >> 11) * (1.0 / 9007199254740992.0)
                at += 1
        return out.base

    def __repr__(self):
        return f"<{self.n} decisions with {len(self.features)} moves>"


@cython.final
cdef class Scorer:
    """A function that scores moves, with what it needs to be asked."""

    cdef readonly object function
    cdef readonly str spec
    cdef dict parameters

    def __cinit__(self, function, parameters, spec):
        self.function = function
        self.spec = spec
        self.parameters = dict(parameters)

    cdef object told(self, str did):
        error = StrategyError(f"strategy {self.spec!r} {did}")
        error.did = did
        return error

    cdef object wrong(self, str what, Py_ssize_t n_moves):
        return self.told(f"returned {what}, expected a score for each of {n_moves} moves: an array of shape "
                         f"({n_moves},)")


ctypedef struct shape_t:        # of a decision
    int32_t n                   # moves
    int32_t n_safe              # of those, before the first Action


ctypedef struct block_t:        # the features of the decisions that are to be scored
    void *session
    float *rows
    Py_ssize_t room             # rows that there is room for
    Py_ssize_t n_rows
    int most                    # decisions that there is room for
    int n                       # decisions that are written down; -1 where one had no room
    shape_t *shapes


cdef void take_note(void *block, const asked_t *asked) noexcept nogil:
    """Write a decision down behind the others, if there is room."""
    cdef block_t *b = <block_t *>block
    cdef const move_set_t *moves = asked.moves
    if b.n < 0 or b.n == b.most or b.n_rows + moves.n > b.room:
        b.n = -1
        return
    write_features(asked.view, moves, b.rows + b.n_rows * N_FEATURES)
    b.shapes[b.n].n = moves.n
    b.shapes[b.n].n_safe = moves.n_discards + moves.n_tables if moves.decision == PUT_DOWN else moves.n
    b.n_rows += moves.n
    b.n += 1


@cython.final
cdef class Session:
    """A time of asking a scorer, with the block that its features are written into."""

    cdef Scorer scorer
    cdef block_t block
    cdef object room            # float32 [rows, features], for the next block unless somebody kept the last
    cdef object shown           # the same, read-only

    def __dealloc__(self):
        free(self.block.shapes)

    cdef int prepare(self, Scorer scorer, int most) except -1:
        self.scorer = scorer
        self.block.session = <void *>self
        self.block.most = most
        self.block.shapes = <shape_t *>malloc(most * sizeof(shape_t))
        if self.block.shapes == NULL:
            raise MemoryError()
        return self.make_room(most * 24 + 64)  # of 14 moves a decision there are on average

    cdef int make_room(self, Py_ssize_t rows) except -1:
        self.room = np.empty((rows, N_FEATURES), dtype=np.float32)
        self.shown = self.room.view()
        self.shown.setflags(write=False)
        self.block.rows = <float *><size_t>self.room.ctypes.data
        self.block.room = rows
        self.block.n = 0
        self.block.n_rows = 0
        return 0

    cdef int begin_anew(self) except -1:
        """Make ready for the next block: in a room of its own if somebody kept what the last one showed."""
        self.block.n = 0
        self.block.n_rows = 0
        return self.make_room(self.block.room) if Py_REFCNT(self.room) > 2 else 0

    cdef int ask(self, const asked_t *asked, int n, int32_t *choices) except -1:
        cdef Batch batch = Batch.__new__(Batch)
        cdef Scorer scorer = self.scorer
        cdef Py_ssize_t n_moves = 0
        cdef int i
        if self.block.n != n:
            for i in range(n):
                n_moves += asked[i].moves.n
            if self.block.room < n_moves:
                self.make_room(n_moves + n_moves // 2)
            self.block.n = 0
            self.block.n_rows = 0
            for i in range(n):
                take_note(&self.block, &asked[i])
        n_moves = self.block.n_rows
        batch.features = self.shown[:n_moves]
        batch.asked = asked
        batch.n = n
        batch.scorer = scorer
        try:
            answer = scorer.function(batch, **scorer.parameters)
        except (KeyboardInterrupt, GeneratorExit, MemoryError):
            raise
        except BaseException as error:
            raise scorer.told(f"{what_happened(error)}, while it scored {n} decisions") from error
        finally:
            batch.asked = NULL
        return self.choose(answer, asked, choices)

    cdef int choose(self, answer, const asked_t *asked, int32_t *choices) except -1:
        """Choose the move of the highest score of each decision."""
        cdef Py_buffer buffer
        cdef Py_ssize_t n_moves = self.block.n_rows
        try:
            given = np.asarray(answer)
        except Exception as error:
            raise self.scorer.wrong(type(answer).__name__, n_moves) from error
        if given.ndim != 1 or given.shape[0] != n_moves or given.dtype.kind not in "fiub":
            raise self.scorer.wrong(f"an array of {given.dtype} of shape {given.shape}", n_moves)
        single = given.dtype == FLOAT32
        PyObject_GetBuffer(np.ascontiguousarray(given, FLOAT32 if single else FLOAT64), &buffer, PyBUF_SIMPLE)
        try:
            if single:
                return highest[float](self.scorer, <const float *>buffer.buf, asked, &self.block, choices)
            return highest[double](self.scorer, <const double *>buffer.buf, asked, &self.block, choices)
        finally:
            PyBuffer_Release(&buffer)


ctypedef fused score_t:
    float
    double


cdef int distance_to(const asked_t *asked, int move) noexcept nogil:
    """Return how many seats clockwise the seat is that a move is against; 0 for none."""
    cdef int target = move_at(asked.moves, move).target, distance = target - asked.view.seat
    if target < 0:
        return 0
    return distance if distance >= 0 else distance + asked.view.table.seats


cdef int nearest_best(const asked_t *asked, const score_t *scores, int at, int n) noexcept nogil:
    """Return which of the best moves is made; `at` is the first of them, an Action, of `n` moves."""
    cdef int j, distance, least = -1
    cdef score_t best = scores[at]
    for j in range(at + 1, n):
        if scores[j] == best:
            if least < 0:
                least = distance_to(asked, at)
            if least == 0:
                break
            distance = distance_to(asked, j)
            if 0 < distance < least:
                least = distance
                at = j
    return at


cdef int first_without_number(const score_t *scores, const block_t *block) noexcept nogil:
    """Return the first decision of which a move's score is no number; -1 for none."""
    cdef int i, bad = 0
    cdef Py_ssize_t j
    for j in range(block.n_rows):
        bad |= scores[j] != scores[j]
    if not bad:
        return -1
    for i in range(block.n):
        for j in range(block.shapes[i].n):
            if scores[j] != scores[j]:
                return i
        scores += block.shapes[i].n
    return -1


cdef int highest(Scorer scorer, const score_t *scores, const asked_t *asked, const block_t *block,
                 int32_t *choices) except -1:
    """Choose; without a branch that depends on a score, for none could be foretold."""
    cdef score_t best
    cdef int i = first_without_number(scores, block), at, j, n
    cdef bint better
    if i >= 0:
        choices[i] = MARKED
        raise scorer.told("gave a move no number (NaN) for a score")
    for i in range(block.n):
        n = block.shapes[i].n
        best = scores[0]
        at = 0
        for j in range(1, n):
            better = scores[j] > best
            at = j if better else at
            best = scores[j] if better else best
        if at >= block.shapes[i].n_safe:
            at = nearest_best(&asked[i], scores, at, n)
        choices[i] = at
        scores += n
    return 0


cdef void *open_session(void *scorer, int most) except NULL:
    """Begin to ask a scorer: give its block, which the session owns, and the session is kept by it."""
    cdef Session session = Session.__new__(Session)
    session.prepare(<Scorer>scorer, most)
    Py_INCREF(session)
    return &session.block


cdef void close_session(void *block) noexcept:
    Py_DECREF(<Session>(<block_t *>block).session)


cdef int choose_many(void *block, const asked_t *asked, int n, int32_t *choices) except -1:
    """The engine's way into a batched strategy."""
    cdef Session session = <Session>(<block_t *>block).session
    try:
        return session.ask(asked, n, choices)
    finally:
        session.begin_anew()


cdef int choose_one(const view_t *view, const move_set_t *moves, const void *parameters) except -1:
    """Answer a single decision as a batch of one, where a game is played by itself."""
    cdef asked_t asked
    cdef int32_t choice = -1
    cdef Session session = Session.__new__(Session)
    session.prepare(<Scorer>(<const batched_t *>parameters).player, 1)
    asked.view = view
    asked.moves = moves
    asked.game = 0
    session.ask(&asked, 1, &choice)
    return choice


def bind_batched(function, parameters, *, spec):
    """Bind a function `(batch, **parameters) -> scores` as a strategy; `spec` is what errors call it."""
    cdef Scorer scorer = Scorer(function, parameters, spec)
    cdef batched_t own
    own.player = <void *>scorer
    own.open = open_session
    own.close = close_session
    own.note = take_note
    own.choose = choose_many
    capsule = native_strategy(<decide_t><void *>choose_one, &own, sizeof(own), 0, False,
                              NEEDS_INTERPRETER | SCORES_BATCHES)
    PyCapsule_SetDestructor(capsule, free_player)
    Py_INCREF(scorer)
    return capsule
