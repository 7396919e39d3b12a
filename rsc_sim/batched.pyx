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
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t

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
    cdef Py_ssize_t rows
    cdef float *room_at
    cdef object room            # float32 [rows, features], for the next block unless somebody kept the last
    cdef object shown           # the same, read-only

    def __cinit__(self, function, parameters, spec):
        self.function = function
        self.spec = spec
        self.parameters = dict(parameters)

    cdef object told(self, str did):
        error = StrategyError(f"strategy {self.spec!r} {did}")
        error.did = did
        return error

    cdef int ask(self, const asked_t *asked, int n, int32_t *choices) except -1:
        cdef Batch batch = Batch.__new__(Batch)
        cdef int i, n_moves = 0
        cdef float *row
        for i in range(n):
            n_moves += asked[i].moves.n
        if self.room is None or Py_REFCNT(self.room) > 2 or self.rows < n_moves:
            self.rows = n_moves + n_moves // 2 + 64
            self.room = np.empty((self.rows, N_FEATURES), dtype=np.float32)
            self.room_at = <float *><size_t>self.room.ctypes.data
            self.shown = self.room.view()
            self.shown.setflags(write=False)
        row = self.room_at
        for i in range(n):
            write_features(asked[i].view, asked[i].moves, row)
            row += asked[i].moves.n * N_FEATURES
        batch.features = self.shown[:n_moves]
        batch.asked = asked
        batch.n = n
        batch.scorer = self
        try:
            answer = self.function(batch, **self.parameters)
        except (KeyboardInterrupt, GeneratorExit, MemoryError):
            raise
        except BaseException as error:
            raise self.told(f"{what_happened(error)}, while it scored {n} decisions") from error
        finally:
            batch.asked = NULL
        return self.choose(answer, asked, n, n_moves, choices)

    cdef int choose(self, answer, const asked_t *asked, int n, int n_moves, int32_t *choices) except -1:
        """Choose the move of the highest score of each decision."""
        cdef Py_buffer buffer
        try:
            given = np.asarray(answer)
        except Exception as error:
            raise self.wrong(type(answer).__name__, n_moves) from error
        if given.ndim != 1 or given.shape[0] != n_moves or given.dtype.kind not in "fiub":
            raise self.wrong(f"an array of {given.dtype} of shape {given.shape}", n_moves)
        single = given.dtype == FLOAT32
        PyObject_GetBuffer(np.ascontiguousarray(given, FLOAT32 if single else FLOAT64), &buffer, PyBUF_SIMPLE)
        try:
            if single:
                return highest[float](self, <const float *>buffer.buf, asked, n, n_moves, choices)
            return highest[double](self, <const double *>buffer.buf, asked, n, n_moves, choices)
        finally:
            PyBuffer_Release(&buffer)

    cdef object wrong(self, str what, int n_moves):
        return self.told(f"returned {what}, expected a score for each of {n_moves} moves: an array of shape "
                         f"({n_moves},)")


ctypedef fused score_t:
    float
    double


cdef int distance_to(const asked_t *asked, int move) noexcept nogil:
    """Return how many seats clockwise the seat is that a move is against; 0 for none."""
    cdef int target = move_at(asked.moves, move).target, distance = target - asked.view.seat
    if target < 0:
        return 0
    return distance if distance >= 0 else distance + asked.view.table.seats


cdef int nearest_best(const asked_t *asked, const score_t *scores, int at) noexcept nogil:
    """Return which of the best moves is made; `at` is the first of them, an Action."""
    cdef int j, distance, least = -1
    cdef score_t best = scores[at]
    for j in range(at + 1, asked.moves.n):
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


cdef int first_without_number(const score_t *scores, const asked_t *asked, int n, int n_moves) noexcept nogil:
    """Return the first decision of which a move's score is no number; -1 for none."""
    cdef int i, j, bad = 0
    for j in range(n_moves):
        bad |= scores[j] != scores[j]
    if not bad:
        return -1
    for i in range(n):
        for j in range(asked[i].moves.n):
            if scores[j] != scores[j]:
                return i
        scores += asked[i].moves.n
    return -1


cdef int highest(Scorer scorer, const score_t *scores, const asked_t *asked, int n, int n_moves,
                 int32_t *choices) except -1:
    """Choose; without a branch that depends on a score, for none could be foretold."""
    cdef const move_set_t *moves
    cdef score_t best
    cdef int i = first_without_number(scores, asked, n, n_moves), at, j
    cdef bint better
    if i >= 0:
        choices[i] = MARKED
        raise scorer.told("gave a move no number (NaN) for a score")
    for i in range(n):
        moves = asked[i].moves
        best = scores[0]
        at = 0
        for j in range(1, moves.n):
            better = scores[j] > best
            at = j if better else at
            best = scores[j] if better else best
        if moves.decision == PUT_DOWN and at >= moves.n_discards + moves.n_tables:
            at = nearest_best(&asked[i], scores, at)
        choices[i] = at
        scores += moves.n
    return 0


cdef int choose_many(void *scorer, const asked_t *asked, int n, int32_t *choices) except -1:
    """The engine's way into a batched strategy; called with the interpreter's lock held."""
    return (<Scorer>scorer).ask(asked, n, choices)


cdef int choose_one(const view_t *view, const move_set_t *moves, const void *parameters) except -1:
    """Answer a single decision as a batch of one, where a game is played by itself."""
    cdef asked_t asked
    cdef int32_t choice = -1
    asked.view = view
    asked.moves = moves
    asked.game = 0
    (<Scorer>(<const batched_t *>parameters).player).ask(&asked, 1, &choice)
    return choice


def bind_batched(function, parameters, *, spec):
    """Bind a function `(batch, **parameters) -> scores` as a strategy; `spec` is what errors call it."""
    cdef Scorer scorer = Scorer(function, parameters, spec)
    cdef batched_t own
    own.player = <void *>scorer
    own.choose = choose_many
    capsule = native_strategy(<decide_t><void *>choose_one, &own, sizeof(own), 0, False,
                              NEEDS_INTERPRETER | SCORES_BATCHES)
    PyCapsule_SetDestructor(capsule, free_player)
    Py_INCREF(scorer)
    return capsule
