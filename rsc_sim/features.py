"""The features of a move: what each one means, in the order in which they are numbered.

Weights (`strategies/*.toml`), training and batched Python strategies all speak of moves in these terms; `features.pxd`
computes them. They are seen from the seat that is asked and use nothing that it may not see. Each is scaled by the
ruleset's own figures to about 1, so that weights carry over to edited rulesets. What a decision's other moves would do
is no part of a feature: escaping beside staying, reacting beside passing, tabling one more beside stopping are measured
against 0, for `stay`, `pass` and `stop` have no feature.

    >>> FEATURES[:3]
    ('tables', 'value_gained', 'progress')
    >>> DESCRIPTIONS["progress"].unit
    'escape threshold'
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DESCRIPTIONS", "FEATURES", "Feature"]


class Feature(NamedTuple):
    """Say what a feature of 1 is (`unit`), what it measures (`text`) and where training starts."""

    unit: str
    lean: int
    """The weight that training starts from: from earlier trainings against the archetypes, in whole numbers."""
    text: str


_YES = "1 or 0"
_VALUE = "highest Merch value"

DESCRIPTIONS: dict[str, Feature] = {
    # ---- Merch
    "tables": Feature(_YES, 4, "Tables a Merch card from the hand, at a put-down or by a card that tables more."),
    "tables_early": Feature(
        _VALUE,
        -5,
        "Value that a put-down tables while the seat lacks a ticket, or Read and every card that takes him.",
    ),
    "tables_unticketed": Feature(_VALUE, 1, "The same while the hand has no Escape Ticket."),
    "tables_short": Feature(_VALUE, -4, "The same while all Merch of table and hand does not reach the threshold."),
    "tables_late": Feature(_VALUE, 0, "The same, times the part of the deck that has left the pick-up pile."),
    "tables_more": Feature("2 cards", 3, "Cards beyond the first that a card which tables more could table."),
    "more_early": Feature(
        _VALUE, -5, "Value that it would table while the seat lacks a ticket, or both Read and a card that takes him."
    ),
    "value_gained": Feature(_VALUE, -1, "Value of the Merch that comes onto the own table, the best it may bring."),
    "progress": Feature(
        "escape threshold", 3, "How much of what the own table lacks to the threshold that value closes."
    ),
    "reaches_threshold": Feature(_YES, 3, "The own table reaches the escape threshold, which it had not."),
    "takes_lead": Feature(_YES, -2, "The own table becomes the richest of all."),
    "value_taken": Feature(_VALUE, 1, "Value of the Merch that leaves another table."),
    "taken_ticketed": Feature(_VALUE, 0, "The same while the own hand has an Escape Ticket."),
    "taken_from_danger": Feature(_VALUE, 5, "Value taken, times the danger of the seat it leaves (see target_danger)."),
    "breaks_threshold": Feature(_YES, 3, "The other table falls below the escape threshold, which it had reached."),
    "value_returned": Feature(
        _VALUE, -1, "Value of the Merch that goes back into its owner's hand, to be tabled again."
    ),
    "value_protected": Feature(_VALUE, 0, "Value of the own Merch that a protection comes to lie under."),
    "value_exposed": Feature(_VALUE, -1, "Value of the Merch that loses its protection on another table."),
    # ---- Read and escape
    "gains_read": Feature(_YES, 1, "Takes Read from the seat that displays it."),
    "read_early": Feature("escape threshold", -2, "Takes Read while the own table lacks this much to the threshold."),
    "read_unticketed": Feature(_YES, -3, "Takes Read while the hand has no Escape Ticket."),
    "denies_read": Feature(
        "escape threshold", 3, "Takes Read from a seat whose table has this much of it (1 at most)."
    ),
    "opens_escape": Feature(_YES, 7, "Brings the last of Read, an Escape Ticket and the threshold that was missing."),
    "escape_wins": Feature(_YES, 5, "Escapes, and no other total is higher."),
    "escape_loses": Feature(_YES, -2, "Escapes although another total is higher."),
    # ---- Actions
    "plays": Feature(_YES, 1, "Plays an Action."),
    "draws": Feature("2 cards", 4, "Cards that it draws."),
    "digs_for_ticket": Feature("2 cards", 0, "Cards that it draws or takes while the hand has no Escape Ticket."),
    "digs_for_read": Feature("2 cards", 0, "The same while the seat has neither Read nor a card that takes it."),
    "digs_for_merch": Feature(
        "2 cards", 2, "The same while all Merch of the own table and hand together does not reach the threshold."
    ),
    "extra_turn": Feature(_YES, 2, "Brings a further turn."),
    "takes_card": Feature(_YES, 2, "Takes a random card out of another hand."),
    "spoils_card": Feature(_YES, 3, "Makes another hand lose a random card."),
    "skips_turn": Feature(_YES, 1, "Makes another seat miss a turn."),
    "target_danger": Feature(
        "1: Read and rich enough",
        2,
        "How near to escaping the seat is whose hand, turn or protection it attacks: half for its part of the "
        "threshold, half for Read.",
    ),
    "target_hand": Feature("8 cards", -1, "Cards in the hand that loses one."),
    "stops_escape": Feature(
        _YES, -3, "Attacks the hand, the turn or Read of a seat that displays Read and is rich enough."
    ),
    "covers_card": Feature(_YES, -2, "Puts a card of the own hand under Hands Off."),
    "covers_ticket": Feature(_YES, -1, "Puts an Escape Ticket under Hands Off."),
    # ---- discards
    "spends_ticket": Feature(_YES, -4, "Discards the last Escape Ticket of the hand."),
    "spends_spare_ticket": Feature(_YES, -2, "Discards an Escape Ticket and keeps another."),
    "discards_value": Feature(_VALUE, -2, "Value of the Merch that it discards."),
    "discards_action": Feature(_YES, 0, "Discards an Action other than one that takes Read."),
    "discards_read_card": Feature(_YES, -2, "Discards an Action that takes Read."),
    "discards_reaction": Feature(_YES, -1, "Discards a reaction."),
    # ---- reactions
    "reacts": Feature(_YES, -2, "Spends a reaction."),
    "reaction_breadth": Feature("6 families", -1, "How many families that reaction could have cancelled."),
    "saves_value": Feature(_VALUE, 4, "Value of the Merch that the Action would take, return or unprotect."),
    "saves_threshold": Feature(_YES, 3, "Without it the own table would fall below the escape threshold."),
    "saves_read": Feature(_YES, 4, "Keeps Read."),
    "saves_ticket": Feature("certain loss", -2, "How likely the hand would lose an Escape Ticket."),
    "saves_hand": Feature(_YES, 3, "Keeps a random card in the own hand."),
    "saves_turn": Feature(_YES, -1, "Keeps the own next turn."),
    "saves_escape": Feature(
        "1: all that it takes",
        2,
        "Whatever is attacked, how near to escaping the own seat is: a third each for Read, a ticket and its part of "
        "the threshold.",
    ),
    "defends_action": Feature(_YES, 5, "Cancels a reaction to the own Action."),
}
"""What each feature means, by name, in order."""

FEATURES: tuple[str, ...] = tuple(DESCRIPTIONS)
"""The features' names; a feature's place here is its column in a matrix of features and its number in compiled code."""
