"""What a game leaves behind: the columns of contracts 8, and why a game that did not end was stuck."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from .streams import mix

if TYPE_CHECKING:
    from .engine import ReferenceGame


def row(game: ReferenceGame) -> dict[str, Any]:
    merch = [game.merch_value(seat) for seat in range(game.seats)]
    score = [m + game.rules["read_points"] * (seat == game.read_holder) for seat, m in enumerate(merch)]
    winner, won = -1, [0.0] * game.seats
    if game.end == "escape" or game.rules["unfinished"] == "score":
        best = [seat for seat in range(game.seats) if score[seat] == max(score)]
        winner = best[0] if len(best) == 1 else -2
        for seat in best:
            won[seat] = 1 / len(best)
    return {
        "first_seat": game.first_seat,
        "read_dealt": game.read_dealt,
        "turns": game.turns,
        "rounds": -(-game.turns // game.seats),
        "decisions": game.decisions,
        "end": game.end,
        "stuck": game.stuck,
        "escaper": game.escaper,
        "winner": winner,
        "read_moves": game.read_moves,
        "lead_changes": game.lead_changes,
        "cancelled": game.cancelled,
        "trace": mix(game.trace),
        "score": score,
        "merch": merch,
        "won": won,
        "cards": [hand.total() for hand in game.hands],
        "iv": game.iv,
    }


def why_stuck(game: ReferenceGame) -> str:
    """Return the first reason of contracts 8 that holds."""
    if game.turns_in_a_row > 4 * game.seats:
        return "lone_turn"
    threshold = game.rules["escape_threshold"]
    merch = [game.merch_value(seat) for seat in range(game.seats)]
    on_no_table = sum(game.worth(cards) for cards in (*game.hands, Counter(game.pile), game.discards))
    if all(m + on_no_table < threshold for m in merch):
        return "threshold"
    useful = Counter(game.pile)
    if game.rules["recycle_discard"]:
        useful += game.discards
    for seat in range(game.seats):
        if merch[seat] >= threshold:
            useful += game.hands[seat]
    if not any(useful[kind] for kind in game.ticket_kinds()):
        return "tickets"
    return "stalled"
