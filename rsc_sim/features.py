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
    """Say what a feature of 1 is (`unit`) and what it measures (`text`)."""

    unit: str
    text: str


_YES = "1 or 0"
_VALUE = "highest Merch value"

DESCRIPTIONS: dict[str, Feature] = {
    # ---- Merch
    "tables": Feature(_YES, "Tables a Merch card from the hand, at a put-down or by a card that tables more."),
    "value_gained": Feature(_VALUE, "Value of the Merch that comes onto the own table, the best it may bring."),
    "progress": Feature("escape threshold", "How much of what the own table lacks to the threshold that value closes."),
    "reaches_threshold": Feature(_YES, "The own table reaches the escape threshold, which it had not."),
    "value_taken": Feature(_VALUE, "Value of the Merch that leaves another table."),
    "taken_from_danger": Feature(_VALUE, "The same, times the danger of the seat it leaves (see target_danger)."),
    "breaks_threshold": Feature(_YES, "The other table falls below the escape threshold, which it had reached."),
    "value_returned": Feature(_VALUE, "Value of the Merch that goes back into its owner's hand, to be tabled again."),
    "value_protected": Feature(_VALUE, "Value of the own Merch that a protection comes to lie under."),
    "value_exposed": Feature(_VALUE, "Value of the Merch that loses its protection on another table."),
    # ---- Read and escape
    "gains_read": Feature(_YES, "Takes Read from the seat that displays it."),
    "read_early": Feature("escape threshold", "Takes Read while the own table lacks this much to the threshold."),
    "denies_read": Feature("escape threshold", "Takes Read from a seat whose table has this much of it (1 at most)."),
    "opens_escape": Feature(_YES, "Brings the last of Read, an Escape Ticket and the threshold that was missing."),
    "escape_wins": Feature(_YES, "Escapes, and no other total is higher."),
    "escape_loses": Feature(_YES, "Escapes although another total is higher."),
    # ---- Actions
    "plays": Feature(_YES, "Plays an Action."),
    "draws": Feature("2 cards", "Cards that it draws."),
    "digs_for_ticket": Feature("2 cards", "Cards that it draws or takes while the hand has no Escape Ticket."),
    "digs_for_read": Feature("2 cards", "The same while the seat has neither Read nor a card that takes it."),
    "extra_turn": Feature(_YES, "Brings a further turn."),
    "takes_card": Feature(_YES, "Takes a random card out of another hand."),
    "spoils_card": Feature(_YES, "Makes another hand lose a random card."),
    "skips_turn": Feature(_YES, "Makes another seat miss a turn."),
    "target_danger": Feature(
        "1: Read and rich enough",
        "How near to escaping the seat is whose hand, turn or protection it attacks: half for its part of the "
        "threshold, half for Read.",
    ),
    "stops_escape": Feature(
        _YES, "Attacks the hand, the turn or Read of a seat that displays Read and is rich enough."
    ),
    "covers_card": Feature(_YES, "Puts a card of the own hand under Hands Off."),
    "covers_ticket": Feature(_YES, "Puts an Escape Ticket under Hands Off."),
    # ---- discards
    "spends_ticket": Feature("last ticket", "Discards an Escape Ticket: 1 for the last in the hand, else a quarter."),
    "discards_value": Feature(_VALUE, "Value of the Merch that it discards."),
    "discards_action": Feature(_YES, "Discards an Action other than one that takes Read."),
    "discards_read_card": Feature(_YES, "Discards an Action that takes Read."),
    "discards_reaction": Feature(_YES, "Discards a reaction."),
    # ---- reactions
    "reacts": Feature(_YES, "Spends a reaction."),
    "reaction_breadth": Feature("6 families", "How many families that reaction could have cancelled."),
    "saves_value": Feature(_VALUE, "Value of the Merch that the Action would take, return or unprotect."),
    "saves_threshold": Feature(_YES, "Without it the own table would fall below the escape threshold."),
    "saves_read": Feature(_YES, "Keeps Read."),
    "saves_ticket": Feature("certain loss", "How likely the hand would lose an Escape Ticket."),
    "saves_hand": Feature(_YES, "Keeps a random card in the own hand."),
    "saves_turn": Feature(_YES, "Keeps the own next turn."),
    "saves_escape": Feature(
        "1: all that it takes",
        "Whatever is attacked, how near to escaping the own seat is: a third each for Read, a ticket and its part of "
        "the threshold.",
    ),
    "defends_action": Feature(_YES, "Cancels a reaction to the own Action."),
}
"""What each feature means, by name, in order."""

FEATURES: tuple[str, ...] = tuple(DESCRIPTIONS)
"""The features' names; a feature's place here is its column in a matrix of features and its number in compiled code."""
