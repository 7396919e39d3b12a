"""`beginner`: a first strategy in Python, written to be copied.

Escapes when it may and would win. Otherwise it makes the move that brings most Merch onto its table, where taking Read
counts as much as the dearest Merch once its own table is worth the escape threshold. It plays any Action rather than
discard, reacts to whatever it can, and discards its cheapest card that is no Escape Ticket.

Good against players who leave their tables open; it thinks no further than one move.
"""


def choose(view, moves, *, read=500):
    """Give each move a number and make the one with the highest; `read` is what taking Read is worth, in dollars."""
    if view.decision == "escape":
        return 0 if view.would_win else 1
    if view.decision == "react":
        return 1

    def worth(i):
        move = moves[i]
        if move.verb == "discard":
            return -1000 if view.rules.cards[move.kind]["type"] == "ticket" else -move.value
        if move.verb == "play" and move.primitive == "take_read":
            return read if view.rich_enough else 0
        if move.verb == "play" and move.primitive == "table_more":
            return sum(view.rules.values[kind] * copies for kind, copies in view.hand.items())
        return max(move.value, 1) if move.verb == "play" else move.value

    def how_soon(i):
        """Of equal victims take the next one clockwise: then it never matters which seat one has."""
        return 0 if moves[i].target is None else (view.seat - moves[i].target) % view.seats

    return max(range(len(moves)), key=lambda i: (worth(i), how_soon(i)))
