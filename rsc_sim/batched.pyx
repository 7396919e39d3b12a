"""How a Python strategy is asked for many decisions at once: `def score(batch) -> array`.

Hundreds of games are played side by side (`engine/lockstep.pxd`); when each waits for such a strategy, it is shown all
their moves as one block of the documented features, and gives each move a score. Of each decision's moves the one of
the highest score is made; of equal ones that against the next seat clockwise, so that seat numbers do not matter, or
else the first. A `Batch` is good for one call, but its arrays are NumPy's and may
be kept.
"""
import numpy as np

cimport cython
from cpython.pycapsule cimport PyCapsule_SetDestructor
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t

from rsc_sim.engine.moves cimport move_at
from rsc_sim.engine.rng cimport next64
from rsc_sim.engine.types cimport move_set_t, view_t
from rsc_sim.strategy cimport (NEEDS_INTERPRETER, N_FEATURES, SCORES_BATCHES, asked_t, batched_t, decide_t,
                               native_strategy, write_features)
from rsc_sim.view cimport free_player

from rsc_sim.errors import StrategyError
from rsc_sim.view import what_happened

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(object thing)

cdef object FLOAT32 = np.dtype(np.float32)

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
        if self.room is None or Py_REFCNT(self.room) > 1 or self.rows < n_moves:
            self.rows = n_moves + n_moves // 2 + 64
            self.room = np.empty((self.rows, N_FEATURES), dtype=np.float32)
            self.room_at = <float *><size_t>self.room.ctypes.data
        row = self.room_at
        for i in range(n):
            write_features(asked[i].view, asked[i].moves, row)
            row += asked[i].moves.n * N_FEATURES
        batch.features = self.room[:n_moves]
        batch.features.setflags(write=False)
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
        cdef const double[::1] doubles
        cdef const float[::1] singles
        try:
            given = np.asarray(answer)
        except Exception as error:
            raise self.wrong(type(answer).__name__, n_moves) from error
        if given.ndim != 1 or given.shape[0] != n_moves or given.dtype.kind not in "fiub":
            raise self.wrong(f"an array of {given.dtype} of shape {given.shape}", n_moves)
        if given.dtype == FLOAT32:
            singles = np.ascontiguousarray(given)
            return highest[float](self, &singles[0], asked, n, choices)
        doubles = np.ascontiguousarray(given, dtype=np.float64)
        return highest[double](self, &doubles[0], asked, n, choices)

    cdef object wrong(self, str what, int n_moves):
        return self.told(f"returned {what}, expected a score for each of {n_moves} moves: an array of shape "
                         f"({n_moves},)")


ctypedef fused score_t:
    float
    double


cdef bint sooner(const asked_t *asked, int move, int other) noexcept nogil:
    """Say whether a move is against a seat that comes sooner, clockwise, than the one that another is against."""
    cdef int n = asked.view.table.seats
    cdef int here = move_at(asked.moves, move).target, there = move_at(asked.moves, other).target
    return here >= 0 and there >= 0 and (here - asked.view.seat + n) % n < (there - asked.view.seat + n) % n


cdef int highest(Scorer scorer, const score_t *scores, const asked_t *asked, int n, int32_t *choices) except -1:
    cdef score_t best
    cdef int i, at, j, n_moves
    cdef bint no_number
    for i in range(n):
        at = 0
        n_moves = asked[i].moves.n
        best = scores[0]
        no_number = best != best
        for j in range(1, n_moves):
            no_number |= scores[j] != scores[j]
            if scores[j] > best:
                best = scores[j]
                at = j
            elif scores[j] == best and sooner(&asked[i], j, at):
                at = j
        if no_number:
            choices[i] = MARKED
            raise scorer.told("gave a move no number (NaN) for a score")
        choices[i] = at
        scores += n_moves
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
