"""One game, a step at a time: for replay, for tests, and for anybody who wants to look on.

A `Game` is the engine's own game with names in place of numbers. It hides nothing: `state()` and `events` tell every
hand. It is slow and is not what runs are played with.
"""
from collections import namedtuple
from copy import deepcopy

from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport uint16_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

from rsc_sim.engine.batch cimport did, strategy_of
from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.conserved cimport conserved
from rsc_sim.engine.deal cimport clear, open_streams, set_up
from rsc_sim.engine.effects cimport add_to_hand, update_leader
from rsc_sim.engine.memory cimport forget_all, memory_of
from rsc_sim.engine.moves cimport move_at
from rsc_sim.engine.record cimport write_row
from rsc_sim.engine.rules cimport CompiledRules
from rsc_sim.engine.turn cimport PUTTING_DOWN, advance, apply, list_moves
from rsc_sim.engine.types cimport *
from rsc_sim.strategy cimport NEEDS_INTERPRETER, strategy_t

import numpy as np

from rsc_sim.engine.columns import DECISIONS, ENDS, HAPPENINGS, INTERVENTIONS, STUCK, row_dtype
from rsc_sim.errors import InputError, StrategyError

Move = namedtuple("Move", "verb kind target choice own")
Move.__doc__ = "A legal move: verb and kind ids, the target seat; None where a part does not apply."
Event = namedtuple("Event", "turn what seat kind target choice own index of")
Event.__doc__ = "Something that happened, hidden things included; `index` and `of` belong to moves: which of how many."

cdef tuple WHAT = HAPPENINGS


cdef class Game:
    """A game of a ruleset, dealt from (seed, block).

    `decision` names what is asked (None once the game is over) and `seat` whom; `moves()` lists the legal moves,
    `apply(index)` makes one and goes on to the next decision.
    """

    cdef game_t g
    cdef log_t log
    cdef memories_t memories
    cdef view_t view
    cdef move_set_t move_set
    cdef readonly CompiledRules rules
    cdef list _events
    cdef dict _scratch
    cdef dict _own                  # by seat, what a strategy in Python keeps for the game

    def __init__(self, CompiledRules rules, *, seed, block, intervention=None):
        cdef intervention_t iv
        self.rules = rules
        self._events = []
        self._scratch = {}
        self._own = {}
        iv.seat = NONE
        if intervention is not None:
            iv.seat, iv.n, kind = intervention
            iv.kind = rules.kinds.index(kind)
        set_up(&self.g, &rules.c, seed, block, &iv, &self.log, NULL)
        self._remember()
        self._go_on()

    @classmethod
    def from_position(cls, CompiledRules rules, position, *, seed=0, block=0):
        """Begin at the put-down of seat `seat_up` in a hand-made position; its keys are those of `state()`, all
        optional.

        Copies need not add up to the deck. A seat without a card passes at once.
        """
        cdef Game self = cls.__new__(cls)
        cdef game_t *g = &self.g
        cdef int seat, kind, merch, i
        unknown = set(position) - set(STATE_KEYS)
        if unknown:
            raise InputError(f"position: no such key {sorted(unknown)[0]!r}; it has {', '.join(STATE_KEYS)}")
        self.rules = rules
        self._events = []
        self._scratch = {}
        self._own = {}
        number = {name: i for i, name in enumerate(rules.kinds)}
        clear(g, &rules.c, &self.log, NULL)
        open_streams(g, seed, block)
        g.table.turn = position.get("turn", 1)
        g.table.seat_up = position.get("seat_up", 0)
        g.table.first_seat = position.get("first_seat", g.table.seat_up)
        holder = position.get("read_holder")
        g.table.read_holder = NONE if holder is None else holder
        g.table.extra_turns = position.get("extra_turns", 0)
        g.streak = 1
        g.streak_seat = g.table.seat_up
        for seat, hand in enumerate(position.get("hands", ())):
            for name, copies in hand.items():
                for _ in range(copies):
                    add_to_hand(g, seat, number[name])
        for seat, name in enumerate(position.get("hands_off", ())):
            if name is not None:
                g.hidden.hand[seat].hands_off = number[name]
                g.table.hands_off_n[seat] = 1
        for seat, table in enumerate(position.get("tabled", ())):
            for name, copies in table.items():
                merch = rules.c.merch_of[number[name]]
                g.table.tabled[seat][merch] = copies
                g.table.merch[seat] += copies * rules.c.value[merch]
                g.table.unprotected[seat] |= <uint16_t>(1 << merch)
        for seat, table in enumerate(position.get("protected", ())):
            for name, copies in table.items():
                merch = rules.c.merch_of[number[name]]
                g.table.protections[seat][merch] = copies
                g.table.shielded[seat] |= <uint16_t>(1 << merch)
                if g.table.tabled[seat][merch] <= copies:
                    g.table.unprotected[seat] &= <uint16_t>~(1 << merch)
        for seat, n in enumerate(position.get("missed", ())):
            g.table.missed[seat] = n
        for seat, n in enumerate(position.get("draws", ())):
            g.draws[seat] = n
        for name, copies in position.get("discards", {}).items():
            g.table.discards[<int>number[name]] = copies
            g.table.discard_kinds |= bit(number[name]) if copies else 0
            g.table.discard_n += copies
        for i, name in enumerate(position.get("pile", ())):
            kind = number[name]
            g.hidden.pile[i] = <uint8_t>kind
            g.hidden.in_pile[kind] += 1
            g.table.pile_n += 1
        update_leader(g)
        g.lead_changes = 0
        g.phase = PUTTING_DOWN
        self._remember()
        self._go_on()
        return self

    def __dealloc__(self):
        free(self.log.entries)

    cdef _remember(self):
        """Keep a memory for every seat, whoever plays it."""
        self.memories.seats = bit(self.rules.c.seats) - 1
        forget_all(&self.memories)
        self.g.memories = &self.memories

    cdef _go_on(self):
        """Run to the next decision and lay out its moves."""
        cdef game_t *g = &self.g
        if advance(g) != OVER:
            self._look()
        if self.log.failed:
            raise MemoryError()

    cdef _look(self):
        """Show the asked seat what it may see."""
        cdef game_t *g = &self.g
        self.view.rules = &self.rules.c
        self.view.table = &g.table
        self.view.hand = g.hidden.hand[g.asked]
        self.view.memory = NULL
        self.view.rng = &g.strategy[g.asked]
        self.view.seat = g.asked
        self.view.decision = g.decision
        if g.decision != OVER:
            list_moves(g, &self.view.hand, &self.move_set)

    cdef _name(self, int kind):
        return None if kind < 0 else self.rules.kinds[kind]

    @property
    def decision(self):
        """What is asked: escape, put_down, take, table_more, react; None once the game is over."""
        return DECISIONS[self.g.decision]

    @property
    def seat(self):
        """The seat that is asked."""
        return self.g.asked

    @property
    def turn(self):
        """Turns taken so far, the present one included."""
        return self.g.table.turn

    def moves(self):
        """List the legal moves in their order."""
        cdef int i
        cdef move_t move
        if self.g.decision == OVER:
            return []
        listed = []
        for i in range(self.move_set.n):
            move = move_at(&self.move_set, i)
            listed.append(Move(WHAT[move.verb], self._name(move.kind), None if move.target < 0 else move.target,
                               self._name(move.choice), self._name(move.own)))
        return listed

    def apply(self, index):
        """Make the move of that index and run on to the next decision or the end."""
        cdef int i = index
        if self.g.decision == OVER:
            raise InputError("the game is over: no move can be made")
        if not 0 <= i < self.move_set.n:
            raise InputError(f"move {index}: expected 0 to {self.move_set.n - 1}")
        apply(&self.g, &self.move_set, i)
        self._go_on()

    def choose(self, strategy):
        """Ask a bound strategy for its index here. Its random stream moves on, so ask once a decision.

        A strategy that asked for no memory is shown none.
        """
        cdef const strategy_t *c = strategy_of(strategy)
        cdef int index, seat = self.g.asked
        cdef unsigned char[::1] scratch
        cdef PyObject *own = NULL
        if self.g.decision == OVER:
            raise InputError("the game is over: nothing is asked")
        self.view.memory = memory_of(&self.g, seat) if c.memory_size else NULL
        self.view.scratch = NULL
        if c.flags & NEEDS_INTERPRETER:
            kept = self._own.get(seat)
            if kept is not None:
                own = <PyObject *>kept
                Py_INCREF(kept)
            self.view.scratch = &own
        elif c.scratch_size:
            scratch = self._scratch.setdefault(seat, bytearray(c.scratch_size))
            self.view.scratch = &scratch[0]
        where = f"(turn {self.g.table.turn}, seat {seat})"
        try:
            index = c.decide(&self.view, &self.move_set, <const void *>(c + 1))
        except SystemError:  # Cython's word for -1 without an exception
            index = -1
        except Exception as error:
            raise StrategyError(f"{did(error)} {where}") from error
        finally:
            if own != NULL:
                self._own[seat] = <object>own
                Py_DECREF(<object>own)
        if not 0 <= index < self.move_set.n:
            raise StrategyError(f"returned {index} for a decision with {self.move_set.n} moves {where}")
        return index

    def copy(self):
        """Return an independent copy: same position, same random streams, no events of its own yet."""
        cdef Game other = Game.__new__(Game)
        other.rules = self.rules
        other._events = []
        other._scratch = {seat: bytearray(scratch) for seat, scratch in self._scratch.items()}
        other._own = deepcopy(self._own)
        other.g = self.g
        other.g.log = &other.log
        other.memories = self.memories
        other.g.memories = &other.memories
        other.move_set = self.move_set
        other.view = self.view
        other._look()
        return other

    def reshuffle_hidden(self, seed):
        """Deal what the asked seat cannot see anew, the other hands and the pick-up pile, as it may be after all that
        the seat remembers: sizes stay, hands hold what it has seen enter them, and the pile is what it knows it to be.

        The other seats forget: what they remember belongs to other cards. What is asked, and what the seat may do,
        stays as it was.
        """
        cdef game_t *g = &self.g
        cdef hidden_t *hidden = &g.hidden
        cdef const memory_t *memory = &self.memories.of[g.asked]
        cdef int i, kind, seat, copies, n = self.rules.c.n_kinds
        rng = np.random.default_rng(seed)
        others = [seat for seat in range(g.table.seats) if seat != g.asked]
        sizes = {seat: g.table.hand_n[seat] for seat in others}
        unseen = [hidden.in_pile[kind] for kind in range(n)]
        for seat in others:
            for kind in range(n):
                unseen[kind] += hidden.hand[seat].copies[kind] - memory.seen[seat][kind]
            memset(&hidden.hand[seat], 0, sizeof(hand_t))
            hidden.hand[seat].hands_off = NONE
            g.table.hand_n[seat] = 0
            for kind in range(n):
                for _ in range(memory.seen[seat][kind]):
                    add_to_hand(g, seat, kind)
        # Read may lie in the pile but never in a hand.
        pile = [self.rules.c.read_kind] * unseen[self.rules.c.read_kind]
        may_lie, may_not = [], []
        for kind in range(n):
            if kind == self.rules.c.read_kind:
                continue
            copies = memory.pile[kind] if memory.pile_known else unseen[kind]
            copies = 0 if memory.pile_lacks >> kind & 1 else min(copies, unseen[kind])
            may_lie.extend([kind] * copies)
            may_not.extend([kind] * (unseen[kind] - copies))
        may_lie = rng.permutation(may_lie).tolist()
        in_hands = rng.permutation(may_not + may_lie[g.table.pile_n - len(pile):]).tolist()
        pile = rng.permutation(pile + may_lie[:g.table.pile_n - len(pile)])
        memset(hidden.in_pile, 0, sizeof(hidden.in_pile))
        for i, kind in enumerate(pile):
            hidden.pile[hidden.pile_front + i] = <uint8_t>kind
            hidden.in_pile[kind] += 1
        for seat in others:
            while g.table.hand_n[seat] < sizes[seat]:
                add_to_hand(g, seat, int(in_hands.pop()))
            if g.table.hands_off_n[seat]:
                held = [kind for kind in range(n) if hidden.hand[seat].copies[kind]]
                hidden.hand[seat].hands_off = held[rng.integers(len(held))]
            memset(&self.memories.of[seat], 0, sizeof(memory_t))
        self._look()

    def state(self):
        """Return everything about the position, hidden things included, with kind ids for keys."""
        cdef game_t *g = &self.g
        cdef int seat, kind, merch, n = self.rules.c.seats
        cdef rules_t *c = &self.rules.c
        kinds = self.rules.kinds
        return {
            "turn": g.table.turn,
            "seat_up": g.table.seat_up,
            "first_seat": g.table.first_seat,
            "read_holder": None if g.table.read_holder < 0 else g.table.read_holder,
            "hands": [{kinds[kind]: g.hidden.hand[seat].copies[kind] for kind in range(c.n_kinds)
                       if g.hidden.hand[seat].copies[kind]} for seat in range(n)],
            "hands_off": [self._name(g.hidden.hand[seat].hands_off) for seat in range(n)],
            "tabled": [{kinds[c.kind_of[merch]]: g.table.tabled[seat][merch] for merch in range(c.n_merch)
                        if g.table.tabled[seat][merch]} for seat in range(n)],
            "protected": [{kinds[c.kind_of[merch]]: g.table.protections[seat][merch] for merch in range(c.n_merch)
                           if g.table.protections[seat][merch]} for seat in range(n)],
            "merch": [g.table.merch[seat] for seat in range(n)],
            "missed": [g.table.missed[seat] for seat in range(n)],
            "discards": {kinds[kind]: g.table.discards[kind] for kind in range(c.n_kinds) if g.table.discards[kind]},
            "pile": [kinds[g.hidden.pile[i]] for i in range(g.hidden.pile_front, g.hidden.pile_front + g.table.pile_n)],
            "extra_turns": g.table.extra_turns,
            "draws": [g.draws[seat] for seat in range(n)],
        }

    def memory(self, seat):
        """Return what a seat remembers (docs/contracts.md, section 11), with kind ids for keys.

        `seen` holds, for each seat, copies known to be in its hand (of the own hand none: the seat sees it); `pile` the
        pick-up pile as last looked through, less what was seen to leave it since, or None; `pile_unseen` the cards
        drawn unseen since; `pile_lacks` the kinds of which the pile is known to hold none.
        """
        cdef const memory_t *memory
        cdef int owner, kind
        cdef rules_t *c = &self.rules.c
        if not 0 <= seat < c.seats:
            raise InputError(f"seat {seat}: expected 0 to {c.seats - 1}")
        memory = memory_of(&self.g, seat)
        kinds = self.rules.kinds
        pile = {kinds[kind]: memory.pile[kind] for kind in range(c.n_kinds) if memory.pile[kind]}
        return {
            "seen": [{kinds[kind]: memory.seen[owner][kind] for kind in range(c.n_kinds) if memory.seen[owner][kind]}
                     for owner in range(c.seats)],
            "pile": pile if memory.pile_known else None,
            "pile_unseen": memory.pile_unseen,
            "pile_lacks": [kinds[kind] for kind in range(c.n_kinds) if memory.pile_lacks >> kind & 1],
        }

    @property
    def conserved(self):
        """Whether all copies add up to the deck, all derived figures to their cards, and all memories are true."""
        return conserved(&self.g)

    @property
    def events(self):
        """All that has happened so far."""
        cdef log_entry_t *entry
        cdef int i
        for i in range(len(self._events), self.log.n):
            entry = &self.log.entries[i]
            choice = self._name(entry.choice)
            if entry.what == E_FOUND:
                choice = "discard" if entry.index else "pickup"
            self._events.append(Event(entry.turn, WHAT[entry.what], None if entry.seat < 0 else entry.seat,
                                      self._name(entry.kind), None if entry.target < 0 else entry.target, choice,
                                      self._name(entry.own), entry.index, entry.of))
        return list(self._events)

    def row(self):
        """Return the outcome: the columns of a game, those of seats as lists. Only once the game is over."""
        cdef unsigned char[::1] out
        cdef uint8_t ids[MAX_SEATS]
        if self.g.decision != OVER:
            raise InputError("the game is not over: it has no outcome yet")
        dtype = row_dtype(self.rules.seats)
        rows = np.zeros(1, dtype=dtype)
        out = rows.view(np.uint8)
        memset(ids, 0, sizeof(ids))
        write_row(&self.g, 0, 0, 0, ids, &out[0])
        row = {name: rows[name][0].item() for name in dtype.names if name not in {"game", "block", "rotation"}}
        for column in ("score", "merch", "won", "cards", "strategy"):
            values = [row.pop(f"{column}_{seat}") for seat in range(self.rules.seats)]
            if column != "strategy":
                row[column] = values
        row["end"] = ENDS[row["end"]]
        row["stuck"] = STUCK[row["stuck"]]
        row["iv"] = None if self.g.intervention.seat == NONE else INTERVENTIONS[row["iv"]]
        return row


STATE_KEYS = ("turn", "seat_up", "first_seat", "read_holder", "hands", "hands_off", "tabled", "protected", "merch",
              "missed", "discards", "pile", "extra_turns", "draws")
