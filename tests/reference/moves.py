"""Which moves a decision offers, in the order of rules 8 and contracts 5. Nothing here changes the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .engine import ReferenceGame


class Move(NamedTuple):
    """One distinct move; parts that it does not have are None."""

    verb: str
    kind: str | None = None
    target: int | None = None
    choice: str | None = None
    own: str | None = None


VERBS = {"escape": 1, "stay": 2, "discard": 3, "table": 4, "play": 5, "take": 6, "stop": 7, "pass": 8, "react": 9}


def put_down_moves(game: ReferenceGame, seat: int) -> list[Move]:
    held = game.in_file_order(game.hands[seat])
    moves = [Move("discard", kind) for kind in held]
    moves += [Move("table", kind) for kind in held if game.type_of[kind] == "merch"]
    for kind in held:
        if game.type_of[kind] == "action":
            moves += plays(game, seat, kind)
    return moves


def plays(game: ReferenceGame, seat: int, kind: str) -> list[Move]:
    """List the ways to play this Action: none where rules 4 call it not playable."""
    card = game.cards[kind]
    primitive = card["primitive"]
    others = [target for target in range(game.seats) if target != seat]
    without_choice = [Move("play", kind)]

    if primitive == "take_read":
        return without_choice if game.read_holder in others else []
    if primitive == "take_merch":
        from_pile = "pickup" in game.rules["available_from"] and game.pile
        from_discards = "discard" in game.rules["available_from"] and any(
            game.discards[merch] for merch in game.merch_up_to(card["max_value"])
        )
        return without_choice if from_pile or from_discards else []
    if primitive == "find_merch":
        from_pile = "pickup" in game.rules["find_from"] and game.pile
        from_discards = "discard" in game.rules["find_from"] and game.discards[card["kind"]]
        return without_choice if from_pile or from_discards else []
    if primitive == "table_more":
        return without_choice if table_more_moves(game, seat)[1:] else []
    if primitive == "draw":
        return without_choice if game.pile or (game.rules["recycle_discard"] and game.discards.total()) else []
    if primitive == "extra_turn":
        return without_choice

    if primitive in ("steal_merch", "return_merch"):
        return [
            Move("play", kind, target, merch)
            for target in others
            for merch in game.unprotected(target)
            if game.value_of[merch] <= card["max_value"]
        ]
    if primitive == "steal_highest_merch":
        return [Move("play", kind, target) for target in others if highest_merch(game, target)]
    if primitive == "steal_lowest_merch":
        return [Move("play", kind, target) for target in others if lowest_merch(game, target)]
    if primitive == "steal_protect":
        return [
            Move("play", kind, target, theirs, own)
            for target in others
            for theirs in game.in_file_order(game.protected[target])
            for own in game.unprotected(seat)
        ]
    if primitive in ("steal_hand", "discard_hand"):
        return [Move("play", kind, target) for target in others if game.exposed_cards(target)]
    if primitive == "skip_turn":
        return [Move("play", kind, target) for target in others]
    if primitive == "protect_merch":
        return [Move("play", kind, None, own) for own in game.unprotected(seat)]
    if primitive == "protect_hand":
        beside = game.exposed_cards(seat)
        # The card played is no candidate. With a copy of it under Hands Off already, the exposed one is what is played.
        if kind in beside:
            beside.remove(kind)
        return [Move("play", kind, None, own) for own in dict.fromkeys(beside)]
    raise ValueError(f"no such primitive: {primitive!r}")


def highest_merch(game: ReferenceGame, seat: int) -> str | None:
    """Return the seat's highest-valued unprotected Merch kind; max() keeps the first listed of a tie."""
    return max(game.unprotected(seat), key=game.value_of.__getitem__, default=None)


def lowest_merch(game: ReferenceGame, seat: int) -> str | None:
    """Return the kind that `steal_lowest_merch` takes from the seat, None where the seat is no legal target."""
    unprotected = game.unprotected(seat)
    if game.rules["lowest_means"] == "tabled":
        lowest = min((game.value_of[kind] for kind in game.in_file_order(game.tabled[seat])), default=None)
        unprotected = [kind for kind in unprotected if game.value_of[kind] == lowest]
    return min(unprotected, key=game.value_of.__getitem__, default=None)


def take_moves(game: ReferenceGame, max_value: int) -> list[Move]:
    sources = game.rules["available_from"]
    return [
        Move("take", kind)
        for kind in game.merch_up_to(max_value)
        if ("discard" in sources and game.discards[kind]) or ("pickup" in sources and kind in game.pile)
    ]


def table_more_moves(game: ReferenceGame, seat: int) -> list[Move]:
    return [Move("stop")] + [Move("table", kind) for kind in game.merch_kinds if game.hands[seat][kind]]


def react_moves(game: ReferenceGame, seat: int, family: str) -> list[Move]:
    return [Move("pass")] + [
        Move("react", kind)
        for kind in game.in_file_order(game.hands[seat])
        if game.type_of[kind] == "reaction" and family in game.cards[kind]["cancels"]
    ]


def escape_moves() -> list[Move]:
    return [Move("escape"), Move("stay")]
