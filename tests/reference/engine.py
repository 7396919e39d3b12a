"""One game of Read Sir Chaos, written to be checked against the rules page line by line.

`ReferenceGame` stops at each decision (`decision`, `seat`, `moves()`) and goes on with `apply(index)`. The game itself
is a generator, so that a turn reads from top to bottom as the rules tell it. Hands and tables are Counters of kind ids,
piles are lists with the front first. Speed, strategies, tallies and the validation of the ruleset are left to others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from typing import Any

from . import moves as legal
from . import outcome
from .memory import Witnesses
from .moves import VERBS, Move
from .streams import DEAL, HAND_PICK, INTERVENTION, RENEWAL, SEARCH, STRATEGY, Stream, rotl, tag, trace_step

Question = tuple[str, int, list[Move]]
"""The decision, the seat asked, its moves."""


class ReferenceGame:
    """One game from the deal to its end.

    `rules` is the plain dict of contracts 1, `deal_order` one kind id for each copy (default: file order), and
    `intervention` the `(seat, n, kind)` of contracts 7.
    """

    def __init__(
        self,
        rules: dict[str, Any],
        *,
        seats: int,
        seed: int,
        block: int,
        deal_order: list[str] | None = None,
        intervention: tuple[int, int, str] | None = None,
    ):
        self._clear(rules, seats=seats, seed=seed, block=block)
        deck = [kind for kind, card in self.cards.items() for _ in range(card["copies"])]
        self.deal_order = deck if deal_order is None else list(deal_order)
        if Counter(self.deal_order) != Counter(deck):
            raise ValueError("deal_order does not list each kind as often as it has copies")
        needed = seats * rules["hand_size"] + rules["replace_dealt_read"]
        if needed > len(deck):
            raise ValueError(f"{seats} seats need {needed} cards, the deck has {len(deck)}")
        if intervention is not None:
            seat, n, kind = intervention
            if not (0 <= seat < seats and n >= 1 and kind in self.cards):
                raise ValueError(f"intervention {intervention}: wanted (seat, n from 1, kind of the deck)")
        self.all_cards = Counter(deck)
        self.intervention = intervention
        self.iv = None if intervention is None else "not_reached"
        self._run = self._whole_game()
        self._go_on(None)

    @classmethod
    def from_position(
        cls, rules: dict[str, Any], position: dict[str, Any], *, seats: int, seed: int = 0, block: int = 0
    ) -> ReferenceGame:
        """Begin at `seat_up`'s put-down in a hand-made position with the keys of `state()`, all optional.

        `merch` is not read, as it follows from `tabled`. Whatever the position holds is the deck for `check_conserved`.
        """
        game = cls.__new__(cls)
        game._clear(rules, seats=seats, seed=seed, block=block)

        def each_seat(key: str, default: Any) -> list[Any]:
            values = list(position.get(key, [default] * seats))
            if len(values) != seats:
                raise ValueError(f"position[{key!r}] has {len(values)} entries for {seats} seats")
            return values

        game.seat_up = position.get("seat_up", 0)
        game.first_seat = position.get("first_seat", game.seat_up)
        game.turns = position.get("turn", 1)
        game.read_holder = position.get("read_holder")
        game.hands = [Counter(hand) for hand in each_seat("hands", {})]
        game.hands_off = each_seat("hands_off", None)
        game.tabled = [Counter(table) for table in each_seat("tabled", {})]
        game.protected = [Counter(table) for table in each_seat("protected", {})]
        game.missed = each_seat("missed", 0)
        game.draws = each_seat("draws", 0)
        game.discards = Counter(position.get("discards", {}))
        game.pile = list(position.get("pile", []))
        game.extra_turns = position.get("extra_turns", 0)
        game.turns_in_a_row = 1

        # A position does not say which Merch Protect lies where; of several such kinds any will do, as none comes back.
        protects = [kind for kind, card in game.cards.items() if card.get("primitive") == "protect_merch"]
        game.beneath[protects[0] if protects else "protect"] = sum(map(Counter.total, game.protected))
        game.all_cards = game._cards_everywhere()
        game._run = game._turns(begin_at_put_down=True)
        game._go_on(None)
        return game

    def _clear(self, rules: dict[str, Any], *, seats: int, seed: int, block: int) -> None:
        """Set up an empty table."""
        if not 2 <= seats <= 8:
            raise ValueError(f"2 to 8 seats, not {seats}")
        self.rules, self.seats, self.seed, self.block = rules, seats, seed, block
        self.cards: dict[str, dict[str, Any]] = rules["cards"]
        self.type_of = {kind: card["type"] for kind, card in self.cards.items()}
        self.value_of = {kind: card["value"] for kind, card in self.cards.items() if card["type"] == "merch"}
        self.merch_kinds = list(self.value_of)
        self.read = next(kind for kind in self.cards if self.type_of[kind] == "read")
        self._file_index = {kind: i for i, kind in enumerate(self.cards)}

        self.hands: list[Counter[str]] = [Counter() for _ in range(seats)]
        self.hands_off: list[str | None] = [None] * seats
        self.tabled: list[Counter[str]] = [Counter() for _ in range(seats)]
        self.protected: list[Counter[str]] = [Counter() for _ in range(seats)]  # by the Merch kind above
        self.beneath: Counter[str] = Counter()  # by the kind of the protecting card, over all tables
        self.missed = [0] * seats
        self.draws = [0] * seats
        self.pile: list[str] = []
        self.discards: Counter[str] = Counter()
        self.playing: str | None = None
        self.read_holder: int | None = None

        self.seat_up = self.first_seat = 0
        self.read_dealt = -1
        self.turns = 0
        self.turns_in_a_row = 0  # taken by seat_up, with no other seat's turn between
        self.extra_turns = 0
        self.drew = False  # whether seat_up has drawn in this turn
        self.passed_without_drawing: set[int] = set()
        self.leader: int | None = None

        self.end: str | None = None
        self.stuck = "no"
        self.escaper = -1
        self.decisions = self.read_moves = self.lead_changes = self.cancelled = 0
        self.trace = 0
        self.intervention: tuple[int, int, str] | None = None
        self.iv: str | None = None
        self.witnesses = Witnesses(seats, list(self.cards))
        self.log: list[tuple[Any, ...]] = []

        self.renewals = 0
        self.hand_pick_stream = Stream.keyed(seed, block, HAND_PICK)
        self.search_stream = Stream.keyed(seed, block, SEARCH)

    # What a caller sees

    def moves(self) -> list[Move]:
        return list(self._moves)

    def apply(self, index: int) -> None:
        """Make the move with this index and run on to the next decision or the end."""
        if not 0 <= index < len(self._moves):
            raise ValueError(f"move {index} of a decision with {len(self._moves)} moves")
        self._go_on(index)

    def _go_on(self, index: int | None) -> None:
        self.decision: str | None
        self.seat: int
        self._moves: list[Move]
        try:
            self.decision, self.seat, self._moves = self._run.send(index)
        except StopIteration:
            self.decision, self.seat, self._moves = None, -1, []

    def state(self) -> dict[str, Any]:
        return {
            "turn": self.turns,
            "seat_up": self.seat_up,
            "first_seat": self.first_seat,
            "read_holder": self.read_holder,
            "hands": [self._plain(hand) for hand in self.hands],
            "hands_off": list(self.hands_off),
            "tabled": [self._plain(table) for table in self.tabled],
            "protected": [self._plain(table) for table in self.protected],
            "merch": [self.merch_value(seat) for seat in range(self.seats)],
            "missed": list(self.missed),
            "discards": self._plain(self.discards),
            "pile": list(self.pile),
            "extra_turns": self.extra_turns,
            "draws": list(self.draws),
        }

    def memory(self, seat: int) -> dict[str, Any]:
        """Tell what a seat remembers (contracts 11)."""
        return self.witnesses[seat].recall()

    def row(self) -> dict[str, Any]:
        """Return the columns of contracts 8 that the game itself knows; once over."""
        if self.end is None:
            raise ValueError("the game is not over")
        return outcome.row(self)

    def check_conserved(self) -> None:
        found = self._cards_everywhere()
        assert found == self.all_cards, f"found {found}, the deck has {self.all_cards}"
        assert sum(map(Counter.total, self.protected)) == self.beneath.total()
        for seat in range(self.seats):
            assert self.protected[seat] <= self.tabled[seat], f"seat {seat} protects Merch that it has not tabled"
            assert self.hands_off[seat] is None or self.hands[seat][self.hands_off[seat]] > 0

    # What the rules ask of a position

    def unprotected(self, seat: int) -> list[str]:
        """List in file order the Merch kinds of which the seat has a tabled copy without a protection beneath."""
        tabled, protected = self.tabled[seat], self.protected[seat]
        return [kind for kind in self.merch_kinds if tabled.get(kind, 0) > protected.get(kind, 0)]

    def exposed_cards(self, seat: int) -> list[str]:
        """List the seat's hand cards not under Hands Off, copy by copy in file order."""
        cards = [kind for kind in self.in_file_order(self.hands[seat]) for _ in range(self.hands[seat][kind])]
        if self.hands_off[seat] is not None:
            cards.remove(self.hands_off[seat])
        return cards

    def merch_value(self, seat: int) -> int:
        return self.worth(self.tabled[seat])

    def merch_up_to(self, max_value: int) -> list[str]:
        return [kind for kind in self.merch_kinds if self.value_of[kind] <= max_value]

    def eligible(self, seat: int) -> bool:
        return (
            self.read_holder == seat
            and any(self.hands[seat][kind] for kind in self.ticket_kinds())
            and self.merch_value(seat) >= self.rules["escape_threshold"]
        )

    def in_file_order(self, cards: Counter[str]) -> list[str]:
        return sorted((kind for kind, n in cards.items() if n > 0), key=self._file_index.__getitem__)

    def _plain(self, cards: Counter[str]) -> dict[str, int]:
        return {kind: cards[kind] for kind in self.in_file_order(cards)}

    def ticket_kinds(self) -> list[str]:
        return [kind for kind, of_type in self.type_of.items() if of_type == "ticket"]

    def worth(self, cards: Counter[str]) -> int:
        return sum(n * self.value_of.get(kind, 0) for kind, n in cards.items())

    def _cards_everywhere(self) -> Counter[str]:
        found = Counter(self.pile) + self.discards + self.beneath
        for cards in (*self.hands, *self.tabled):
            found += cards
        found += Counter([self.read] if self.read_holder is not None else [])
        return found + Counter([self.playing] if self.playing is not None else [])

    # The deal (rules 2, contracts 3 and 7)

    def _whole_game(self) -> Generator[Question, int, None]:
        self._deal()
        yield from self._turns(begin_at_put_down=False)

    def _deal(self) -> None:
        stream = Stream.keyed(self.seed, self.block, DEAL)
        self.pile = stream.shuffled(self.deal_order)
        size = self.rules["hand_size"]
        dealt = [[self.pile.pop(0) for _ in range(size)] for _ in range(self.seats)]
        self.draws = [size] * self.seats
        if self.intervention is not None and self.intervention[1] <= size:
            seat, n, _ = self.intervention
            dealt[seat][n - 1] = self._intervene(dealt[seat][n - 1])
        for seat, cards in enumerate(dealt):
            self.log.append(("dealt", seat, tuple(cards)))
            for kind in cards:
                self.trace = trace_step(self.trace, tag(kind))
                self._receive(seat, kind)
            if self.read in cards:
                self.read_dealt = seat
        if self.read_dealt >= 0 and self.rules["replace_dealt_read"]:
            self._next_card(self.read_dealt)
        self.first_seat = self.read_dealt if self.read_dealt >= 0 else stream.bounded(self.seats)
        self.seat_up = self.first_seat
        self.trace = trace_step(self.trace, self.first_seat + 1)

    def _intervene(self, card: str) -> str:
        """Exchange the card with a copy of the intervention's kind in the pile; return what the seat gets."""
        kind = self.intervention[2]
        places = [place for place, other in enumerate(self.pile) if other == kind]
        if card == kind:
            self.iv = "same"
        elif not places:
            self.iv = "none_left"
        else:
            stream = Stream.keyed(self.seed, self.block, INTERVENTION)
            self.pile[places[stream.only_if_needed(len(places))]] = card
            card = kind
            self.iv = "swapped"
        self.log.append(("intervention", self.iv))
        return card

    # Cards that change places

    def _receive(self, seat: int, kind: str) -> None:
        """Put a card that was dealt or drawn where it belongs: Read is displayed at once."""
        if kind == self.read:
            self.read_holder = seat
        else:
            self.hands[seat][kind] += 1

    def _next_card(self, seat: int) -> str:
        """Give the seat the front card of the pile, which holds one."""
        kind = self.pile.pop(0)
        self.draws[seat] += 1
        if self.intervention is not None and self.intervention[:2] == (seat, self.draws[seat]):
            kind = self._intervene(kind)
        self.trace = trace_step(self.trace, tag(kind))
        self.log.append(("drawn", seat, kind))
        self._receive(seat, kind)
        return kind

    def _draw_one(self, seat: int) -> str | None:
        if not self.pile and self.rules["recycle_discard"] and self.discards.total():
            stream = Stream.keyed(self.seed, self.block, RENEWAL, self.renewals)
            self.renewals += 1
            self.pile = stream.shuffled([k for k in self.in_file_order(self.discards) for _ in range(self.discards[k])])
            self.discards.clear()
            self.witnesses.pile_renewed()
            self.log.append(("renewal", tuple(self.pile)))
        if not self.pile:
            return None
        self.drew = True
        kind = self._next_card(seat)
        self.witnesses.drawn(seat, kind, displayed=kind == self.read)
        return kind

    def _draw(self, seat: int, n: int) -> None:
        for _ in range(n):
            if self._draw_one(seat) == self.read and self.rules["redraw_after_read"]:
                self._draw_one(seat)

    def _leaves_hand(self, seat: int, kind: str) -> None:
        """Take one copy from the hand, an exposed one first: a Hands Off ends only with the last copy."""
        assert self.hands[seat][kind] > 0
        self.hands[seat][kind] -= 1
        if self.hands_off[seat] == kind and self.hands[seat][kind] == 0:
            self.hands_off[seat] = None

    def _random_card_leaves_hand(self, seat: int) -> str | None:
        """Take one exposed card; there is none where the target's last went in a reaction that was itself cancelled."""
        cards = self.exposed_cards(seat)
        if not cards:
            return None
        kind = cards[self.hand_pick_stream.only_if_needed(len(cards))]
        self.trace = trace_step(self.trace, tag(kind))
        self.log.append(("random card", seat, kind))
        self._leaves_hand(seat, kind)
        return kind

    def _shows_hand_card(self, seat: int, kind: str) -> None:
        """Take one copy from the hand before everybody's eyes."""
        self._leaves_hand(seat, kind)
        self.witnesses.left_hand(seat, kind)

    def _table_from_hand(self, seat: int, kind: str) -> None:
        self._shows_hand_card(seat, kind)
        self.tabled[seat][kind] += 1

    def _table_from_sources(self, seat: int, kind: str, sources: Iterable[str]) -> None:
        """Table one copy of the kind from the discard pile, else from the pick-up pile, else nothing."""
        if "discard" in sources and self.discards[kind]:
            self.discards[kind] -= 1
        elif "pickup" in sources and kind in self.pile:
            places = [place for place, other in enumerate(self.pile) if other == kind]
            del self.pile[places[self.search_stream.only_if_needed(len(places))]]
            self.witnesses.left_pile(kind)
        else:
            return
        self.tabled[seat][kind] += 1
        self.log.append(("found", seat, kind))

    # Turns (rules 3 and 5, contracts 4)

    def _turns(self, *, begin_at_put_down: bool) -> Generator[Question, int, None]:
        at_put_down = begin_at_put_down
        while True:
            if not at_put_down:
                self._begin_turn()
                if (yield from self._escape_window("after_pick_up")):
                    return self._finish("escape")
            at_put_down = False

            if self.hands[self.seat_up].total():
                yield from self._put_down()
                passed = False
            else:
                self.log.append(("passes", self.seat_up))
                passed = True

            if (yield from self._escape_window("after_put_down")):
                return self._finish("escape")
            if passed and not self.drew:
                self.passed_without_drawing.add(self.seat_up)
            else:
                self.passed_without_drawing.clear()
            if len(self.passed_without_drawing) == self.seats:
                return self._finish("deadlock")
            if self.turns >= self.rules["max_rounds"] * self.seats:
                return self._finish("turn_cap")
            self._update_leader()
            if self.extra_turns:
                self.extra_turns -= 1
            else:
                self._next_seat()

    def _next_seat(self) -> None:
        """Pass the turn on, over every seat that pays a missed turn."""
        before = self.seat_up
        while True:
            self.seat_up = (self.seat_up + 1) % self.seats
            if not self.missed[self.seat_up]:
                break
            self.missed[self.seat_up] -= 1
            self.log.append(("misses a turn", self.seat_up))
        if self.seat_up != before:
            self.turns_in_a_row = 0

    def _begin_turn(self) -> None:
        seat = self.seat_up
        self.turns += 1
        self.turns_in_a_row += 1
        self.log.append(("turn", self.turns, seat))
        self.hands_off[seat] = None
        self.drew = False
        opening = self.turns == 1 and self.read_dealt >= 0
        self._draw(seat, self.rules["opening_draw"] if opening else self.rules["normal_draw"])

    def _escape_window(self, window: str) -> Generator[Question, int, bool]:
        """Return whether the seat escapes in this window."""
        seat = self.seat_up
        if window not in self.rules["escape_when"] or not self.eligible(seat):
            return False
        if self.rules["escape"] == "optional":
            move = yield from self._ask("escape", seat, legal.escape_moves())
            if move.verb == "stay":
                return False
        self.escaper = seat
        return True

    def _put_down(self) -> Generator[Question, int, None]:
        seat = self.seat_up
        move = yield from self._ask("put_down", seat, legal.put_down_moves(self, seat))
        if move.verb == "discard":
            self._shows_hand_card(seat, move.kind)
            self.discards[move.kind] += 1
        elif move.verb == "table":
            self._table_from_hand(seat, move.kind)
        else:
            yield from self._play(seat, move)

    def _ask(self, decision: str, seat: int, moves: list[Move]) -> Generator[Question, int, Move]:
        self.decisions += 1
        move = moves[(yield decision, seat, moves)]
        code = VERBS[move.verb] + 256 * (0 if move.target is None else move.target + 1)
        code += tag(move.kind) + rotl(tag(move.choice), 21) + rotl(tag(move.own), 42)
        self.trace = trace_step(self.trace, code)
        self.log.append((decision, seat, *(part for part in move if part is not None)))
        return move

    # Actions (rules 4)

    def _play(self, seat: int, move: Move) -> Generator[Question, int, None]:
        card = self.cards[move.kind]
        self._shows_hand_card(seat, move.kind)
        self.playing = move.kind
        target = self.read_holder if card["primitive"] == "take_read" else move.target
        cancelled = False
        if card["family"] is not None and target is not None:
            cancelled = yield from self._reactions(seat, target, card["family"])
        if cancelled:
            self.cancelled += 1
        else:
            yield from self._resolve(seat, target, move, card)
        self.playing = None
        if card["primitive"] == "protect_merch":
            self.beneath[move.kind] += 1
        else:
            self.discards[move.kind] += 1

    def _reactions(self, player: int, target: int, family: str) -> Generator[Question, int, bool]:
        """Let the target and the player react in turn until one does not; return whether the Action is cancelled."""
        played = 0
        while True:
            seat = player if played % 2 else target
            moves = legal.react_moves(self, seat, "reaction" if played else family)
            if len(moves) == 1:
                break
            move = yield from self._ask("react", seat, moves)
            if move.verb == "pass":
                break
            self._shows_hand_card(seat, move.kind)
            self.discards[move.kind] += 1
            played += 1
        return played % 2 == 1

    def _resolve(
        self, seat: int, target: int | None, move: Move, card: dict[str, Any]
    ) -> Generator[Question, int, None]:
        match card["primitive"]:
            case "take_read":
                self.read_holder = seat
                self.read_moves += 1
            case "take_merch":
                moves = legal.take_moves(self, card["max_value"])
                if "pickup" in self.rules["available_from"]:
                    self.witnesses.searched_pile(seat, self.pile, self.merch_up_to(card["max_value"]), bool(moves))
                if moves:
                    taken = yield from self._ask("take", seat, moves)
                    self._table_from_sources(seat, taken.kind, self.rules["available_from"])
            case "find_merch":
                kind, sources = card["kind"], self.rules["find_from"]
                if "pickup" in sources and not ("discard" in sources and self.discards[kind]):
                    self.witnesses.searched_pile(seat, self.pile, [kind], kind in self.pile)
                self._table_from_sources(seat, kind, sources)
            case "table_more":
                for _ in range(card["count"]):
                    moves = legal.table_more_moves(self, seat)
                    if len(moves) == 1:
                        break
                    more = yield from self._ask("table_more", seat, moves)
                    if more.verb == "stop":
                        break
                    self._table_from_hand(seat, more.kind)
            case "draw":
                self._draw(seat, card["count"])
            case "extra_turn":
                self.extra_turns += 1
            case "steal_merch":
                self._steal_merch(seat, target, move.choice)
            case "steal_highest_merch":
                self._steal_merch(seat, target, legal.highest_merch(self, target))
            case "steal_lowest_merch":
                self._steal_merch(seat, target, legal.lowest_merch(self, target))
            case "return_merch":
                self.tabled[target][move.choice] -= 1
                self.hands[target][move.choice] += 1
                self.witnesses.entered_hand(target, move.choice)
            case "steal_protect":
                self.protected[target][move.choice] -= 1
                self.protected[seat][move.own] += 1
            case "steal_hand":
                stolen = self._random_card_leaves_hand(target)
                if stolen is not None:
                    self.hands[seat][stolen] += 1
                    self.witnesses.stolen(target, seat, stolen)
            case "discard_hand":
                lost = self._random_card_leaves_hand(target)
                if lost is not None:
                    self.discards[lost] += 1
                    self.witnesses.left_hand(target, lost)
            case "skip_turn":
                self.missed[target] = self.missed[target] + 1 if self.rules["skips_stack"] else 1
            case "protect_merch":
                self.protected[seat][move.choice] += 1
            case "protect_hand":
                self.hands_off[seat] = move.choice

    def _steal_merch(self, seat: int, target: int, kind: str) -> None:
        self.tabled[target][kind] -= 1
        self.tabled[seat][kind] += 1
        self.log.append(("stolen", target, kind))

    # The end (rules 5, contracts 8)

    def _finish(self, end: str) -> None:
        self._update_leader()
        self.end = end
        if end != "escape":
            self.stuck = outcome.why_stuck(self)
        self.log.append(("end", end, self.stuck))

    def _update_leader(self) -> None:
        """Find who leads as a turn ends."""
        merch = [self.merch_value(seat) for seat in range(self.seats)]
        if self.leader is None and max(merch) == 0:
            return
        if self.leader is not None and merch[self.leader] == max(merch):
            return
        clockwise = [(self.seat_up + i) % self.seats for i in range(self.seats)]
        new = next(seat for seat in clockwise if merch[seat] == max(merch))
        if self.leader is not None:
            self.lead_changes += 1
        self.leader = new


def play_random(
    rules: dict[str, Any],
    *,
    seats: int,
    seed: int,
    block: int,
    deal_order: list[str] | None = None,
    intervention: tuple[int, int, str] | None = None,
) -> ReferenceGame:
    """Play a game in which every seat picks uniformly, one bounded draw a decision on its own strategy stream."""
    game = ReferenceGame(rules, seats=seats, seed=seed, block=block, deal_order=deal_order, intervention=intervention)
    streams = [Stream.keyed(seed, block, STRATEGY, seat) for seat in range(seats)]
    while game.decision is not None:
        game.apply(streams[game.seat].bounded(len(game.moves())))
    return game
