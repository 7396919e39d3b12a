"""What a seat may remember (rules, section 2; contracts 11), told by what it witnesses.

The engine shows each event to every seat's `Memory`, and leaves out of it what that seat does not see: `None` in place
of a card. So a memory cannot know more than its owner saw. It is kept as it would be told: the cards that entered and
left the hands, the pile as it lay at the last look and, card by card, what has left it since.
"""

from __future__ import annotations

from collections import Counter
from typing import Any


class Memory:
    """The memory of one seat at a table of `seats`; `kinds` are all there are, in file order."""

    def __init__(self, *, owner: int, seats: int, kinds: list[str]):
        self.owner = owner
        self.kinds = kinds
        self.seen: list[Counter[str]] = [Counter() for _ in range(seats)]
        self.looked_at: Counter[str] | None = None  # the pile at the last look
        self.left_since: list[str | None] = []  # None: a card that was not seen
        self.lacks: set[str] = set()

    def recall(self) -> dict[str, Any]:
        """Tell what is remembered, with the keys of `Game.memory`."""
        pile, unseen = None, 0
        if self.looked_at is not None:
            left = Counter(kind for kind in self.left_since if kind is not None)
            assert left <= self.looked_at, "a card left the pile that was not in it"
            pile = dict(self.looked_at - left)
            unseen = self.left_since.count(None)
        return {
            "seen": [dict(+cards) for cards in self.seen],
            "pile": pile,
            "pile_unseen": unseen,
            "pile_lacks": [kind for kind in self.kinds if kind in self.lacks],
        }

    # What is witnessed

    def entered_hand(self, seat: int, kind: str) -> None:
        if seat != self.owner:
            self.seen[seat][kind] += 1

    def left_hand(self, seat: int, kind: str | None) -> None:
        """See a card leave a hand; when it was not to be seen which, it may have been any."""
        if seat == self.owner:
            return
        for gone in self.kinds if kind is None else [kind]:
            self.seen[seat][gone] = max(0, self.seen[seat][gone] - 1)

    def looked_through_pile(self, cards: list[str]) -> None:
        self.looked_at = Counter(cards)
        self.left_since = []

    def left_pile(self, kind: str | None) -> None:
        self.left_since.append(kind)

    def pile_had_none(self, kinds: list[str]) -> None:
        self.lacks.update(kinds)

    def pile_renewed(self) -> None:
        self.looked_at = None
        self.left_since = []
        self.lacks = set()


class Witnesses:
    """The memories of all seats; what happens is shown to each as it sees it."""

    def __init__(self, seats: int, kinds: list[str]):
        self.memories = [Memory(owner=seat, seats=seats, kinds=kinds) for seat in range(seats)]

    def __getitem__(self, seat: int) -> Memory:
        return self.memories[seat]

    def entered_hand(self, seat: int, kind: str) -> None:
        for memory in self.memories:
            memory.entered_hand(seat, kind)

    def left_hand(self, seat: int, kind: str) -> None:
        for memory in self.memories:
            memory.left_hand(seat, kind)

    def stolen(self, victim: int, thief: int, kind: str) -> None:
        """Show a card stolen from a hand: which it was is between the two."""
        for memory in self.memories:
            memory.left_hand(victim, kind if memory.owner == thief else None)
        self.memories[victim].entered_hand(thief, kind)

    def drawn(self, seat: int, kind: str, *, displayed: bool) -> None:
        for memory in self.memories:
            memory.left_pile(kind if displayed or memory.owner == seat else None)

    def left_pile(self, kind: str) -> None:
        for memory in self.memories:
            memory.left_pile(kind)

    def searched_pile(self, seat: int, pile: list[str], wanted: list[str], found: bool) -> None:
        """Show the pile to who looks through it, and to all when the search came out empty."""
        self.memories[seat].looked_through_pile(pile)
        for memory in self.memories:
            if not found:
                memory.pile_had_none(wanted)

    def pile_renewed(self) -> None:
        for memory in self.memories:
            memory.pile_renewed()
