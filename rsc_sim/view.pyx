"""What a Python strategy is shown, and how it is asked: `def choose(view, moves) -> int`.

`View` is what one seat may see at one decision, `Moves` its legal moves, in the booklet's words. Both read the engine's
own memory, so nothing is copied that is not asked for, and nothing can be reached that the seat may not see: they know
of the public table, the own hand, what the seat remembers, and its own random stream. They are read-only, and good for
one decision: used later they raise a StrategyError that names the strategy. What a strategy wants to keep it puts into
`view.memory`, which is its own for one game; what it reads out of a view or a move list (numbers, names, `Move`s,
counts by kind) are values that it may keep.

`example_view` gives a view and moves that do not expire, to try a strategy on in a notebook. What is shown and whoever
shows it stand together, 800 lines, because the one must take back what the other points at.
"""
import operator
import os
import traceback
from collections.abc import Sequence

cimport cython
from cpython.dict cimport PyDict_SetItem
from cpython.mem cimport PyMem_Free
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_SetDestructor
from cpython.ref cimport Py_INCREF
from libc.stdint cimport uint64_t, uint8_t

from rsc_sim.engine.bits cimport load64, lowest_bit, mul_high
from rsc_sim.engine.moves cimport highest_takeable, lowest_takeable, move_at
from rsc_sim.engine.rng cimport next64, rng_t
from rsc_sim.engine.rules cimport CompiledRules
from rsc_sim.engine.types cimport *
from rsc_sim.strategy cimport (NEEDS_INTERPRETER, N_FEATURES, decide_t, has_read, has_ticket, native_strategy,
                               rich_enough, strategy_t, would_win, write_features)

from rsc_sim.engine.columns import DECISIONS, HAPPENINGS
from rsc_sim.errors import InputError, StrategyError, nearest
from rsc_sim.ruleset_check import PRIMITIVES
from rsc_sim.values import Counts, Memory, Move, PublicEvent, Rules, portrait, words
from rsc_sim.values import __file__ as VALUES_FILE


cdef extern from "Python.h":
    PyObject *PyObject_Vectorcall(PyObject *function, PyObject **arguments, size_t n, PyObject *names)
    size_t PY_VECTORCALL_ARGUMENTS_OFFSET
    Py_ssize_t Py_REFCNT(PyObject *thing)
    bint PyLong_CheckExact(PyObject *thing)
    long PyLong_AsLongAndOverflow(PyObject *thing, int *overflow)
    void raw_decref "Py_DECREF"(PyObject *thing)

cdef enum:
    MAX_PARAMETERS = 32
    N_KEPT = 2048           # moves that a player has at hand as objects; a power of two

cdef tuple ASKED = DECISIONS
cdef tuple WHAT = HAPPENINGS
cdef tuple VERBS = HAPPENINGS[V_ESCAPE:V_REACT + 1]


# ---- what a strategy is shown

@cython.final
cdef class Random:
    """The seat's own random stream. Use no other: a run could not be repeated."""

    cdef rng_t *stream
    cdef Player player

    cdef rng_t *now(self) except NULL:
        if self.stream == NULL:
            raise expired(self.player, "random stream")
        return self.stream

    def random(self):
        """Return a number from 0 up to 1, 1 excluded."""
        return (next64(self.now()) >> 11) * (1.0 / 9007199254740992.0)

    def below(self, n):
        """Return a whole number from 0 to n − 1."""
        cdef uint64_t bound
        n = operator.index(n)
        if not 0 < n < 2**63:
            raise ValueError(f"below: expected a number from 1, got {n}")
        bound = n
        return mul_high(next64(self.now()), bound)

    def choice(self, sequence):
        """Return one of a sequence, each as likely as the other."""
        return sequence[self.below(len(sequence))]

    def __repr__(self):
        return "<the seat's own random stream>"


@cython.final
cdef class View:
    """What a seat may see when it is asked for a decision. See the page on strategies for a guide.

    Read-only, and good for this decision alone.
    """

    cdef const view_t *c
    cdef const move_set_t *asked_of
    cdef Player player
    cdef Random stream
    cdef object still           # keeps alive what `c` points at, for a view that does not expire

    cdef const view_t *now(self) except NULL:
        if self.c == NULL:
            raise expired(self.player, "view")
        return self.c

    cdef object kind(self, int kind):
        return None if kind < 0 else self.player.rules.kinds[kind]

    cdef object merch_counts(self, const uint8_t *copies):
        cdef const rules_t *rules = self.c.rules
        counts = Counts()
        cdef tuple kinds = self.player.rules.kinds
        cdef int merch
        for merch in range(rules.n_merch):
            if copies[merch]:
                PyDict_SetItem(counts, kinds[rules.kind_of[merch]], copies[merch])
        return counts

    cdef object kind_counts(self, const uint8_t *copies):
        counts = Counts()
        cdef tuple kinds = self.player.rules.kinds
        cdef int kind
        for kind in range(self.c.rules.n_kinds):
            if copies[kind]:
                PyDict_SetItem(counts, kinds[kind], copies[kind])
        return counts

    # -- the decision

    @property
    def decision(self):
        """What is asked: put_down, escape, react, take or table_more."""
        return ASKED[self.now().decision]

    @property
    def seat(self):
        """The seat that is asked: the strategy's own."""
        return self.now().seat

    @property
    def rules(self):
        """The ruleset: figures, switches, cards (`Rules`)."""
        self.now()
        return self.player.shown

    @property
    def memory(self):
        """What the strategy keeps for the rest of this game; empty when it begins (`Memory`)."""
        cdef PyObject **own = <PyObject **>self.now().scratch
        if own[0] == NULL:
            memory = Memory()
            Py_INCREF(memory)
            own[0] = <PyObject *>memory
        return <object>own[0]

    @property
    def random(self):
        """The seat's own random stream (`Random`)."""
        self.now()
        if self.stream is None:
            self.stream = Random.__new__(Random)
            self.stream.player = self.player
        self.stream.stream = self.c.rng
        return self.stream

    # -- seats and turns

    @property
    def seats(self):
        """How many sit at the table."""
        return self.now().table.seats

    @property
    def others(self):
        """The other seats, clockwise from the next one: go through these, and seat numbers never matter."""
        cdef int n = self.now().table.seats, i
        return tuple([(self.c.seat + i) % n for i in range(1, n)])

    @property
    def place(self):
        """How long after the first seat this one plays; 0 plays first."""
        cdef const public_t *table = self.now().table
        return (self.c.seat - table.first_seat) % table.seats if self.c.seat >= table.first_seat else (
            self.c.seat - table.first_seat + table.seats)

    @property
    def turn(self):
        """Turns taken in this game, the present one included."""
        return self.now().table.turn

    @property
    def round(self):
        """The round, from 1: turns taken by the number of seats."""
        cdef const public_t *table = self.now().table
        return (table.turn + table.seats - 1) // table.seats

    @property
    def seat_up(self):
        """The seat whose turn it is; at `react` it may be another than the one that is asked."""
        return self.now().table.seat_up

    @property
    def missed_turns(self):
        """For each seat, the turns that it still has to miss."""
        cdef const public_t *table = self.now().table
        cdef int seat
        return tuple([table.missed[seat] for seat in range(table.seats)])

    @property
    def extra_turns(self):
        """Turns that follow this one for the seat that is up."""
        return self.now().table.extra_turns

    # -- the own hand

    @property
    def hand(self):
        """Copies of each kind in the own hand (`Counts`)."""
        cdef const hand_t *hand = &self.now().hand
        counts = Counts()
        cdef tuple kinds = self.player.rules.kinds
        cdef uint64_t rest = hand.kinds
        cdef int kind
        while rest:
            kind = lowest_bit(rest)
            rest &= rest - 1
            PyDict_SetItem(counts, kinds[kind], hand.copies[kind])
        return counts

    @property
    def hands_off(self):
        """The kind of the own hand of which one copy is under Hands Off, None for none."""
        return self.kind(self.now().hand.hands_off)

    @property
    def has_ticket(self):
        """Whether the own hand has an Escape Ticket."""
        return has_ticket(self.now())

    # -- what all may see

    @property
    def read_holder(self):
        """The seat that displays Read, None while nobody does."""
        cdef int holder = self.now().table.read_holder
        return None if holder < 0 else holder

    @property
    def has_read(self):
        """Whether this seat displays Read."""
        return has_read(self.now())

    @property
    def tabled(self):
        """For each seat, copies of each Merch kind on its table, protected ones included (`Counts`)."""
        cdef const public_t *table = self.now().table
        cdef int seat
        return tuple([self.merch_counts(table.tabled[seat]) for seat in range(table.seats)])

    @property
    def protected(self):
        """For each seat, of these the copies with a protection beneath (`Counts`)."""
        cdef const public_t *table = self.now().table
        cdef int seat
        return tuple([self.merch_counts(table.protections[seat]) for seat in range(table.seats)])

    @property
    def merch(self):
        """For each seat, what its tabled Merch is worth, in dollars."""
        cdef const public_t *table = self.now().table
        cdef int seat
        return tuple([table.merch[seat] for seat in range(table.seats)])

    @property
    def rich_enough(self):
        """Whether the own tabled Merch reaches the escape threshold."""
        return rich_enough(self.now())

    @property
    def would_win(self):
        """Whether no other total is higher than the own one with Read's points: escaping now would win or tie."""
        return would_win(self.now())

    @property
    def hand_sizes(self):
        """For each seat, the cards in its hand."""
        cdef const public_t *table = self.now().table
        cdef int seat
        return tuple([table.hand_n[seat] for seat in range(table.seats)])

    @property
    def hands_off_sizes(self):
        """For each seat, the cards of its hand that are under Hands Off."""
        cdef const public_t *table = self.now().table
        cdef int seat
        return tuple([table.hands_off_n[seat] for seat in range(table.seats)])

    @property
    def discard_pile(self):
        """Copies of each kind in the discard pile (`Counts`)."""
        return self.kind_counts(self.now().table.discards)

    @property
    def discard_size(self):
        """Cards in the discard pile."""
        return self.now().table.discard_n

    @property
    def pile_size(self):
        """Cards in the pick-up pile."""
        return self.now().table.pile_n

    @property
    def action(self):
        """The Action being played by the seat that is up, at react, take and table_more; else None."""
        cdef const move_t *action = &self.now().table.action
        return self.player.move(self.c, action[0]) if action.verb else None

    @property
    def reacted_with(self):
        """The kinds of reactions that lie on that Action: how many, and the last one, as (n, kind); (0, None)."""
        cdef const public_t *table = self.now().table
        return table.reactions_played, self.kind(table.reacted_with)

    @property
    def events(self):
        """The last public events, the latest last; at most 64 (`PublicEvent`)."""
        cdef const public_t *table = self.now().table
        cdef const event_t *event
        cdef uint64_t number, first = table.n_events - N_PUBLIC_EVENTS if table.n_events > N_PUBLIC_EVENTS else 0
        events = []
        for number in range(first, table.n_events):
            event = &table.events[number & (N_PUBLIC_EVENTS - 1)]
            events.append(PublicEvent(event.turn, WHAT[event.what], None if event.seat < 0 else event.seat,
                                      self.kind(event.kind), None if event.target < 0 else event.target,
                                      self.kind(event.choice), self.kind(event.own)))
        return tuple(events)

    # -- what the seat may remember

    @property
    def seen(self):
        """For each other seat, copies that its hand is known to hold: stolen from this one, or returned (`Counts`)."""
        cdef const view_t *c = self.now()
        cdef int seat
        return tuple([self.kind_counts(c.memory.seen[seat]) if c.memory != NULL else Counts()
                      for seat in range(c.table.seats)])

    @property
    def pile_seen(self):
        """The pick-up pile when this seat last looked through it, less what it saw leave it since (`Counts`); None if
        it has not, or the pile was renewed. `pile_unseen` more cards have left it unseen.
        """
        cdef const view_t *c = self.now()
        return self.kind_counts(c.memory.pile) if c.memory != NULL and c.memory.pile_known else None

    @property
    def pile_unseen(self):
        """Cards that have left the pick-up pile unseen since this seat last looked through it."""
        cdef const view_t *c = self.now()
        return c.memory.pile_unseen if c.memory != NULL else 0

    @property
    def pile_lacks(self):
        """The kinds of which the pick-up pile is known to hold none, a frozenset."""
        cdef const view_t *c = self.now()
        cdef uint64_t rest = c.memory.pile_lacks if c.memory != NULL else 0
        kinds = []
        while rest:
            kinds.append(self.player.rules.kinds[lowest_bit(rest)])
            rest &= rest - 1
        return frozenset(kinds)

    def __repr__(self):
        if self.c == NULL:
            return "<a view of an earlier decision>"
        return f"<view of seat {self.seat} of {self.seats}: {self.decision}, turn {self.turn}>"

    def __str__(self):
        return "\n".join(portrait(self))


@cython.final
cdef class Moves:
    """The legal moves of a decision, a read-only sequence of `Move`; a strategy answers with the index of one.

    At a put-down `discards`, `tables` and `plays` are the indices of each sort, in this order. Good for this decision
    alone; the `Move`s in it are values that may be kept.
    """

    cdef const move_set_t *c
    cdef const view_t *view
    cdef Player player
    cdef object still

    cdef const move_set_t *now(self) except NULL:
        if self.c == NULL:
            raise expired(self.player, "move list")
        return self.c

    cdef object at(self, int index):
        return self.player.move(self.view, move_at(self.c, index))

    cdef list all(self):
        cdef int i
        self.now()
        return [self.at(i) for i in range(self.c.n)]

    def __len__(self):
        return self.now().n

    def __getitem__(self, index):
        cdef int n = self.now().n, i
        if isinstance(index, slice):
            return tuple(self.all()[index])
        i = index
        if i < 0:
            i += n
        if not 0 <= i < n:
            raise IndexError(f"move {index}: there are {n} moves")
        return self.at(i)

    def __iter__(self):
        return iter(self.all())

    def __reversed__(self):
        return reversed(self.all())

    def __contains__(self, move):
        return move in self.all()

    def index(self, move):
        """Return the index of a move; ValueError where it is not legal here."""
        return self.all().index(move)

    def count(self, move):
        """Return 1 for a legal move, 0 for another."""
        return self.all().count(move)

    @property
    def discards(self):
        """The indices of the moves that discard a card, a range."""
        cdef const move_set_t *c = self.now()
        return range(c.n_discards if c.decision == PUT_DOWN else 0)

    @property
    def tables(self):
        """The indices of the moves that table a card, a range."""
        cdef const move_set_t *c = self.now()
        if c.decision == PUT_DOWN:
            return range(c.n_discards, c.n_discards + c.n_tables)
        return range(1, c.n) if c.decision == TABLE_MORE else range(0)

    @property
    def plays(self):
        """The indices of the moves that play an Action, a range."""
        cdef const move_set_t *c = self.now()
        return range(c.n_discards + c.n_tables, c.n) if c.decision == PUT_DOWN else range(0)

    def where(self, verb=None, *, kind=None, target=None, choice=None, primitive=None):
        """List the indices of the moves with all that is given, as in `moves.where("play", primitive="take_read")`."""
        cdef int i
        found = []
        for i, move in enumerate(self.all()):
            if ((verb is None or move.verb == verb) and (kind is None or move.kind == kind)
                    and (target is None or move.target == target) and (choice is None or move.choice == choice)
                    and (primitive is None or move.primitive == primitive)):
                found.append(i)
        if not found:
            expect_known("verb", verb, VERBS)
            expect_known("primitive", primitive, PRIMITIVES)
        return found

    def describe(self, index):
        """Say a move in words, with the names printed on the cards."""
        return words(self[index], self.player.shown)

    def features(self):
        """Return the documented features of the moves (`rsc_sim.features.FEATURES`): float32, a row a move."""
        import numpy as np

        cdef float[:, ::1] rows = np.empty((self.now().n, N_FEATURES), dtype=np.float32)
        write_features(self.view, self.c, &rows[0, 0])
        return rows.base

    def __repr__(self):
        if self.c == NULL:
            return "<moves of an earlier decision>"
        return "\n".join([f"{i:3}  {self.describe(i)}" for i in range(self.c.n)])


Sequence.register(Moves)


cdef int expect_known(str what, given, known) except -1:
    """Raise ValueError for a word that no game knows."""
    if given is not None and given not in known:
        raise ValueError(f"moves.where: no {what} {given!r}{nearest(str(given), known)}; there are {', '.join(known)}")
    return 0


# ---- how it is asked

ctypedef struct kept_t:
    uint64_t key
    PyObject *move


@cython.final
cdef class Player:
    """A function that plays, with what it needs to be asked quickly."""

    cdef readonly object function
    cdef readonly str spec
    cdef tuple names
    cdef list values
    cdef const rules_t *rules_at
    cdef CompiledRules rules
    cdef object shown
    cdef View spare_view        # shown last, and not kept by anybody
    cdef Moves spare_moves
    cdef kept_t kept[N_KEPT]

    def __cinit__(self, function, parameters, spec):
        self.function = function
        self.spec = spec
        self.names = tuple(parameters) or None
        self.values = list(parameters.values())
        if len(self.values) > MAX_PARAMETERS:
            raise InputError(f"strategy {spec!r}: has more than {MAX_PARAMETERS} parameters")

    def __dealloc__(self):
        self.forget()

    cdef void forget(self) noexcept:
        cdef int i
        cdef PyObject *move
        for i in range(N_KEPT):
            move = self.kept[i].move
            self.kept[i].move = NULL
            if move != NULL:
                raw_decref(move)

    cdef int meet(self, const rules_t *rules) except -1:
        """Get to know the rules of the games that come now."""
        self.forget()
        self.rules = <CompiledRules>rules.owner
        self.shown = Rules(self.rules._source, self.rules.seats)
        self.rules_at = rules
        return 0

    cdef object move(self, const view_t *view, move_t move):
        """Return a move as an object: made once, at hand from then on."""
        cdef const rules_t *rules = view.rules
        cdef int primitive = rules.primitive[move.kind] if move.kind >= 0 else P_NONE, merch = NONE
        cdef kept_t *kept
        cdef uint64_t key
        if move.verb == V_PLAY and move.target >= 0:
            if primitive == P_STEAL_HIGHEST_MERCH:
                merch = highest_takeable(rules, view.table, move.target)
            elif primitive == P_STEAL_LOWEST_MERCH:
                merch = lowest_takeable(rules, view.table, move.target)
        move.padding[0] = <uint8_t>(merch + 1)
        move.padding[1] = move.padding[2] = 0
        key = load64(&move)
        kept = &self.kept[key * <uint64_t>0x9E3779B97F4A7C15 >> 53]
        if kept.move == NULL or kept.key != key:
            made = self.make_move(&move, primitive, merch)
            if kept.move != NULL:
                raw_decref(kept.move)
            kept.key = key
            kept.move = <PyObject *>made
            Py_INCREF(made)
        return <object>kept.move

    cdef object make_move(self, const move_t *move, int primitive, int merch):
        cdef const rules_t *rules = &self.rules.c
        kinds = self.rules.kinds
        if merch == NONE and move.kind >= 0 and rules.merch >> move.kind & 1:
            merch = rules.merch_of[move.kind]
        elif merch == NONE and move.choice >= 0 and rules.merch >> move.choice & 1:
            merch = rules.merch_of[move.choice]
        return Move(WHAT[move.verb],
                    None if move.kind < 0 else kinds[move.kind],
                    None if move.target < 0 else move.target,
                    None if move.choice < 0 else kinds[move.choice],
                    None if move.own < 0 else kinds[move.own],
                    primitive=None if primitive == P_NONE else self.shown.cards[kinds[move.kind]]["primitive"],
                    value=0 if merch < 0 else rules.value[merch])

    cdef int ask(self, const view_t *view, const move_set_t *moves) except -1:
        """Call the function; what it answers is the index of a move, or an error is raised."""
        cdef View shown = self.spare_view
        cdef Moves listed = self.spare_moves
        cdef PyObject *arguments[MAX_PARAMETERS + 3]
        cdef PyObject *answer
        cdef int i, n = len(self.values), overflow = 0
        cdef long index
        if view.rules != self.rules_at:
            self.meet(view.rules)
        if shown is None:
            shown = View.__new__(View)
            shown.player = self
        if listed is None:
            listed = Moves.__new__(Moves)
            listed.player = self
        self.spare_view = None
        self.spare_moves = None
        shown.c = listed.view = view
        listed.c = moves
        arguments[1] = <PyObject *>shown
        arguments[2] = <PyObject *>listed
        for i in range(n):
            arguments[3 + i] = <PyObject *>self.values[i]
        answer = PyObject_Vectorcall(<PyObject *>self.function, &arguments[1], 2 | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                     <PyObject *>self.names if n else NULL)
        shown.c = listed.view = NULL
        listed.c = NULL
        if shown.stream is not None:
            shown.stream.stream = NULL
            if Py_REFCNT(<PyObject *>shown.stream) > 1:
                shown.stream = None
        # Kept by somebody, an object has expired for good, and the next decision is shown in a new one.
        if Py_REFCNT(<PyObject *>shown) == 1:
            self.spare_view = shown
        if Py_REFCNT(<PyObject *>listed) == 1:
            self.spare_moves = listed
        if answer == NULL:
            self.fail()
        if PyLong_CheckExact(answer):
            index = PyLong_AsLongAndOverflow(answer, &overflow)
            if not overflow and 0 <= index < moves.n:
                raw_decref(answer)
                return <int>index
        given = <object>answer
        raw_decref(answer)
        return self.checked(given, moves.n)

    cdef int checked(self, answer, int n) except -1:
        """Return an answer that is no plain int, a NumPy integer for one, as an index; raise for all that is none."""
        try:
            index = None if isinstance(answer, bool) else operator.index(answer)
        except TypeError:
            index = None
        if index is None:
            shown = _short(repr(answer))
            raise self.told(f"returned {shown}, expected the index of a move: a whole number from 0 to {n - 1}")
        if not 0 <= index < n:
            raise self.told(f"returned {index} for a decision with {n} moves")
        return index

    cdef int fail(self) except -1:
        """Raise the error that the function left behind as one that says where in its file that was."""
        try:
            minus_one()
        except (KeyboardInterrupt, GeneratorExit, MemoryError):
            raise
        except BaseException as error:
            raise self.told(what_happened(error)) from error
        return -1

    cdef object told(self, str did):
        error = StrategyError(f"strategy {self.spec!r} {did}")
        error.did = did
        return error


cdef int minus_one() except? -1:
    """Return what, while an exception is set, Cython takes for having raised it."""
    return -1


cdef object expired(Player player, str what):
    if player is None:
        return StrategyError(f"a {what} comes from the engine, or from example_view, and is not made by hand")
    error = player.told(f"used a {what} of an earlier decision")
    error.hint = f": a {what} is good for one decision, and what is to last belongs into view.memory"
    error.args = (f"{error}{error.hint}",)
    return error


def what_happened(error):
    """Say what was raised, and in which line: the innermost one of a Python file, but for what a view is made of."""
    if getattr(error, "did", "") and not hasattr(error, "hint"):
        return error.did  # it played others, which failed
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.endswith(".py") and frame.filename != VALUES_FILE
    ]
    where = f" in {os.path.basename((last := frames[len(frames) - 1]).filename)}, line {last.lineno}" if frames else ""
    text = _short(str(error))
    did = getattr(error, "did", "") or f"raised {type(error).__name__}{': ' if text else ''}{text}"
    return f"{did}{where}{getattr(error, 'hint', '')}"


def _short(text):
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:197] + "..."


cdef int ask_player(const view_t *view, const move_set_t *moves, const void *parameters) except -1:
    """The engine's way into a Python strategy; called with the interpreter's lock held."""
    return (<Player>(<PyObject **>parameters)[0]).ask(view, moves)


cdef void free_player(object capsule) noexcept:
    cdef strategy_t *strategy = <strategy_t *>PyCapsule_GetPointer(capsule, "rsc_sim.strategy")
    raw_decref((<PyObject **>(strategy + 1))[0])
    PyMem_Free(strategy)


def bind_python(function, parameters, *, spec):
    """Bind a function `(view, moves, **parameters) -> index` as a strategy; `spec` is what errors call it."""
    cdef Player player = Player(function, parameters, spec)
    cdef PyObject *held = <PyObject *>player
    # The engine calls it with the lock held, whatever the type of `decide` says: see NEEDS_INTERPRETER.
    capsule = native_strategy(<decide_t><void *>ask_player, &held, sizeof(held), sizeof(held), True, NEEDS_INTERPRETER)
    PyCapsule_SetDestructor(capsule, free_player)
    Py_INCREF(player)
    return capsule


# ---- to try things on

@cython.final
cdef class Still:
    """A copy of what a strategy was shown, which outlives the decision."""

    cdef public_t table
    cdef rng_t rng
    cdef memory_t memory
    cdef view_t view
    cdef move_set_t moves
    cdef PyObject *own

    def __dealloc__(self):
        if self.own != NULL:
            raw_decref(self.own)


cdef int take_still(const view_t *view, const move_set_t *moves, const void *parameters) except -1:
    """Copy what a strategy is shown; called by `Game.choose`, which holds the interpreter's lock."""
    cdef Still still = <Still>(<PyObject **>parameters)[0]
    still.table = view.table[0]
    still.rng = view.rng[0]
    still.view = view[0]
    still.moves = moves[0]
    still.view.table = &still.table
    still.view.rng = &still.rng
    still.view.scratch = &still.own
    still.moves.hand = &still.view.hand
    if view.memory != NULL:
        still.memory = view.memory[0]
        still.view.memory = &still.memory
    return 0


def look(game):
    """Return what the asked seat of a `Game` is shown, a view and moves that stay as they are when the game goes on."""
    cdef Still still = Still.__new__(Still)
    cdef PyObject *held = <PyObject *>still
    cdef Player player = Player(None, {}, "a view to look at")
    cdef View view = View.__new__(View)
    cdef Moves moves = Moves.__new__(Moves)
    game.choose(native_strategy(<decide_t><void *>take_still, &held, sizeof(held), 0, True))
    player.meet(still.view.rules)
    view.player = moves.player = player
    view.still = moves.still = still
    view.c = moves.view = &still.view
    moves.c = &still.moves
    return view, moves


def example_view(*, turn=12, decision="put_down", seats=4, seed=1, rules=None, strategies=("random",)):
    """Return a view and moves out of a game: the first such decision from that turn on. They do not expire.

    `strategies` are bound and seated in turn; `rules` is a `Ruleset`, by default the booklet's. Another `seed` is
    another game.

    >>> view, moves = example_view(turn=8)
    >>> moves[0].verb
    'discard'
    """
    from rsc_sim.engine import Game
    from rsc_sim.ruleset import Ruleset
    from rsc_sim.strategy import resolve

    if decision not in DECISIONS[1:]:
        raise InputError(f"decision: expected {', '.join(sorted(DECISIONS[1:]))}, came {decision!r}")
    plain = (Ruleset.booklet() if rules is None else rules).to_dict()
    bound = [resolve(strategy).bind() for strategy in strategies]
    compiled = CompiledRules(plain, seats=seats)
    for block in range(1000):
        game = Game(compiled, seed=seed, block=block)
        while game.decision is not None:
            if game.turn >= turn and game.decision == decision:
                return look(game)
            game.apply(game.choose(bound[game.seat % len(bound)]))
    raise InputError(f"no game of a thousand comes to {decision} in turn {turn} or later")
