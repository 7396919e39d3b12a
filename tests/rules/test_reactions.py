"""Not Today Demon, Fan Ticket, Read Has You Covered (rules 4, reactions): who may react, with what, to what end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.table import BOOKLET, kinds_of, ruleset

READ = ["kidnap_read", "seduce_read", "trick_read"]
MERCH = ["teased", "flirting_failed", "sabotaged", "mine_now", "embarrassing", "thirsty"]
PROTECT = ["wrong_hole"]
HAND = ["jealous", "favourite_changed", "wasnt_yours"]
TURN = ["attention"]
ATTACKS = [*READ, *MERCH, *PROTECT, *HAND, *TURN]
HARMLESS = [kind for kind in kinds_of("action") if kind not in ATTACKS]

# Rules 1, written out a second time on purpose. Fan Ticket covers Wrong Hole, Not Today Demon does not; neither Read.
CANCELS = {
    "not_today": MERCH,
    "fan_ticket": MERCH + PROTECT + HAND,
    "covered": READ + MERCH + PROTECT + HAND + TURN,
}
REACTIONS = list(CANCELS)
CANCELLED = [(reaction, kind) for reaction in REACTIONS for kind in ATTACKS if kind in CANCELS[reaction]]
NOT_CANCELLED = [(reaction, kind) for reaction in REACTIONS for kind in ATTACKS if kind not in CANCELS[reaction]]

# How each attack is played against seat 2 of `attacked`.
AGAINST_SEAT_2: dict[str, dict[str, Any]] = {
    **{kind: {} for kind in READ},
    **{kind: {"target": 2, "choice": "keyring"} for kind in MERCH},
    **{kind: {"target": 2} for kind in ("mine_now", "thirsty", *HAND, *TURN)},
    "wrong_hole": {"target": 2, "choice": "hoodie", "own": "badge"},
}


def attacked(lay: Any, kind: str, *, with_hand: str, mine: str = "", **more: Any) -> Any:
    """Lay a table where seat 0 attacks seat 2, which has something of everything, and make the attack."""
    table = lay(
        hands=[f"{kind} {mine}", "", with_hand],
        tabled=["badge", "", "keyring hoodie"],
        protected=["", "", "hoodie"],
        read_holder=2,
        last_turn=True,
        **more,
    )
    return table.play(kind, **AGAINST_SEAT_2[kind])


@pytest.mark.parametrize(("reaction", "kind"), CANCELLED)
def test_reaction_cancels(lay, reaction, kind):
    """Rules 4, reactions: the Action does nothing; both cards go to the discard pile."""
    table = attacked(lay, kind, with_hand=f"mug {reaction}")
    assert table.asked == ("react", 2)
    table.react(reaction)
    assert table.over
    assert table.belongings(2) == ("mug", "keyring hoodie", "hoodie", 0, True)
    assert table.belongings(0) == ("", "badge", "", 0, False)
    assert sorted(table.discards.split()) == sorted([kind, reaction])
    assert table.outcome("cancelled") == 1


@pytest.mark.parametrize(("reaction", "kind"), CANCELLED)
def test_reaction_may_be_kept_and_then_nothing_is_cancelled(lay, reaction, kind):
    """Rules 4, reactions: it decides, `pass` or `react`; passing, it suffers the Action."""
    table = attacked(lay, kind, with_hand=f"mug {reaction}")
    assert table.moves() == [("pass",), ("react", reaction)]
    table.let_it_pass()
    assert table.over
    assert table.belongings(2) != (f"mug {reaction}", "keyring hoodie", "hoodie", 0, True)
    assert kind in table.discards.split()
    assert table.outcome("cancelled") == 0


@pytest.mark.parametrize(("reaction", "kind"), NOT_CANCELLED)
def test_reaction_that_does_not_list_the_family_never_cancels(lay, reaction, kind):
    """Rules 4, reactions: where the seat has no reaction that lists the family there is no decision."""
    table = attacked(lay, kind, with_hand=f"mug {reaction}")
    assert table.over
    assert table.belongings(2) != (f"mug {reaction}", "keyring hoodie", "hoodie", 0, True)
    assert table.outcome("cancelled", "decisions") == (0, 1)


@pytest.mark.parametrize("kind", ATTACKS)
def test_reactions_that_may_cancel_are_offered_in_file_order(lay, kind):
    """Rules 8: `pass` has index 0, the others follow in file order; rules 3: by kind, not by copy."""
    table = attacked(lay, kind, with_hand="covered covered fan_ticket not_today mug")
    assert table.moves() == [("pass",), *(("react", reaction) for reaction in REACTIONS if kind in CANCELS[reaction])]


@pytest.mark.parametrize("kind", ATTACKS)
def test_only_the_target_is_asked_whether_to_cancel(lay, kind):
    """Rules 4, reactions: that seat, and no third one; nor the player itself."""
    everything = "not_today fan_ticket covered"
    table = lay(
        hands=[f"{kind} {everything}", everything, "mug", everything],
        tabled=["badge", "", "keyring hoodie"],
        protected=["", "", "hoodie"],
        read_holder=2,
    ).play(kind, **AGAINST_SEAT_2[kind])
    assert table.asked == ("put_down", 1)


@pytest.mark.parametrize("kind", HARMLESS)
def test_an_action_without_a_family_cannot_be_cancelled(lay, kind):
    """Rules 4: if it has a family the target seat may react."""
    everything = "not_today fan_ticket covered"
    table = lay(
        hands=[f"mug {kind}", *[everything] * 3],
        tabled=["badge"],
        pile="signed_photo sticker mug mug",
    )
    first = next(index for index, move in enumerate(table.moves()) if move[:2] == ("play", kind))
    table.make(first)
    assert table.decision != "react"
    assert table.game.seat in (0, 1)


@pytest.mark.parametrize("kind", ATTACKS)
def test_an_attack_whose_family_is_taken_away_cannot_be_cancelled(lay, kind):
    """Contracts 1: family absent, nothing can cancel it."""
    rules = ruleset(cards={kind: {"family": None}})
    assert attacked(lay, kind, with_hand="not_today fan_ticket covered", rules=rules).over


def test_a_family_is_a_figure_of_the_card(lay):
    """Rules 1: family is what the card attacks, it decides which reactions can cancel it."""
    rules = ruleset(cards={"attention": {"family": "merch"}})
    assert attacked(lay, "attention", with_hand="not_today", rules=rules).asked == ("react", 2)


@pytest.mark.parametrize("reaction", REACTIONS)
def test_reactions_are_not_playable_at_a_put_down_only_discarded(lay, reaction):
    """Rules 3, step 4."""
    table = lay(hands=[reaction], tabled=["mug", "vinyl"], read_holder=1)
    assert table.moves() == [("discard", reaction)]
    assert table.discard(reaction).discards == reaction


@pytest.mark.parametrize("reaction", REACTIONS)
def test_a_reaction_under_hands_off_may_be_used(lay, reaction):
    """Rules 4, reactions."""
    table = attacked(lay, "mine_now", with_hand=f"mug {reaction}", hands_off={2: reaction}).react(reaction)
    assert (table.hand(2), table.hands_off(2), table.tabled(0)) == ("mug", None, "badge")


@pytest.mark.parametrize("reaction", REACTIONS)
def test_a_seat_that_owes_a_missed_turn_may_react(lay, reaction):
    """Rules 3, step 0: it is the turn that is missed, nothing else."""
    table = attacked(lay, "mine_now", with_hand=reaction, missed={2: 2}).react(reaction)
    assert table.tabled(0) == "badge"


def test_a_cancelled_action_counts_as_played(lay):
    """Rules 6: the put-down is over."""
    table = lay(hands=["mine_now mug", "", "covered"], tabled={2: "vinyl"}).play("mine_now", target=2).react("covered")
    assert table.asked == ("put_down", 1)
    assert (table.hand(0), table.discards) == ("mug", "mine_now covered")


def test_the_action_is_in_no_pile_while_its_target_decides(lay):
    """Rules 4: it leaves the hand, and is in no pile while it resolves."""
    table = lay(hands=["mine_now mug", "", "covered"], tabled={2: "vinyl"}).play("mine_now", target=2)
    assert (table.hand(0), table.discards) == ("mug", "")
    assert table.tabled(2) == "vinyl"


def test_a_cancelled_hand_attack_touches_no_card(lay):
    """Rules 4, reactions: the Action does nothing, whatever the random card would have been."""
    for seed in range(6):
        table = attacked(lay, "wasnt_yours", with_hand="mug vinyl covered", seed=seed).react("covered")
        assert table.hand(2) == "mug vinyl"


@pytest.mark.parametrize("kind", HAND)
def test_a_hand_attack_may_hit_the_reaction_that_was_kept(lay, kind):
    """Rules 4, reactions: passing spends nothing."""
    table = attacked(lay, kind, with_hand="covered").let_it_pass()
    assert table.hand(2) == ""


# Edited `cancels` lists


@pytest.mark.parametrize("kind", ATTACKS)
@pytest.mark.parametrize("reaction", REACTIONS)
def test_cancels_is_a_list_to_edit(lay, reaction, kind):
    """Rules 7, a reaction's cancels: it cancels the families that it lists, and no other."""
    family = BOOKLET["cards"][kind]["family"]
    others = [other for other in ("read", "merch", "protect", "hand", "turn") if other != family]
    only_it = ruleset(cards={reaction: {"cancels": [family]}})
    all_but_it = ruleset(cards={reaction: {"cancels": others}})
    assert attacked(lay, kind, with_hand=f"mug {reaction}", rules=only_it).asked == ("react", 2)
    assert attacked(lay, kind, with_hand=f"mug {reaction}", rules=all_but_it).over


# Chains of reactions

CHAIN = ruleset(cards={"covered": {"cancels": ["read", "merch", "protect", "hand", "turn", "reaction"]}})
"""The reading of the booklet in which Read Has You Covered answers a reaction too."""


@pytest.mark.parametrize("kind", ATTACKS)
@pytest.mark.parametrize("reactions", range(5))
def test_a_chain_of_reactions_is_cancelled_by_an_odd_number(lay, kind, reactions):
    """Rules 4, reactions: first the target, then the player, one card a step; the last played resolves first."""
    hand = "covered covered covered"
    table = attacked(lay, kind, with_hand=f"mug {hand}", mine=hand, rules=CHAIN)
    for step in range(reactions):
        assert table.asked == ("react", 2 if step % 2 == 0 else 0)
        assert table.moves() == [("pass",), ("react", "covered")]
        table.react("covered")
        assert table.discards.split() == ["covered"] * (step + 1)
    table.let_it_pass()
    assert table.over
    cancelled = reactions % 2 == 1
    left = ["covered"] * (3 - (reactions + 1) // 2)
    untouched = (" ".join(["mug", *left]), "keyring hoodie", "hoodie", 0, True)
    assert (table.belongings(2) == untouched) == cancelled
    assert table.outcome("cancelled") == cancelled


@pytest.mark.parametrize("reaction", ["not_today", "fan_ticket"])
def test_a_chain_needs_a_reaction_that_lists_reaction(lay, reaction):
    """Rules 4, reactions: the player may react with one that lists `reaction`."""
    table = attacked(lay, "mine_now", with_hand=reaction, mine="not_today fan_ticket covered", rules=CHAIN)
    table.react(reaction)
    assert table.asked == ("react", 0)
    assert table.moves() == [("pass",), ("react", "covered")]
    table.react("covered")
    assert table.over
    assert table.outcome("cancelled", "merch") == (0, [25, 0, 200, 0])
    assert sorted(table.discards.split()) == sorted(["mine_now", reaction, "covered"])


def test_a_chain_gives_the_target_no_second_try(lay):
    """Rules 4, reactions: a cancelled reaction does nothing and the target gets no second try."""
    table = attacked(lay, "mine_now", with_hand="not_today fan_ticket", mine="covered", rules=CHAIN)
    table.react("not_today").react("covered")
    assert table.over
    assert (table.tabled(0), table.hand(2)) == ("keyring badge", "fan_ticket")


def test_a_chain_stops_at_the_side_that_has_none(lay):
    """Rules 4, reactions: where a seat has no such reaction there is no decision."""
    table = attacked(lay, "mine_now", with_hand="covered covered", mine="mug", rules=CHAIN).react("covered")
    assert table.over
    assert table.outcome("cancelled") == 1


def test_a_reaction_that_lists_only_reaction_answers_no_action(lay):
    """Rules 4, reactions: a reaction is itself of family `reaction`, an Action never."""
    rules = ruleset(cards={"covered": {"cancels": ["reaction"]}})
    assert attacked(lay, "mine_now", with_hand="covered", rules=rules).over
    table = attacked(lay, "mine_now", with_hand="not_today", mine="covered", rules=rules).react("not_today")
    assert table.asked == ("react", 0)


def test_a_chain_may_use_reactions_under_hands_off(lay):
    """Rules 4, reactions: on the target's side, its unprotected copy first."""
    table = attacked(
        lay, "mine_now", with_hand="covered covered", mine="covered", rules=CHAIN, hands_off={2: "covered"}
    )
    table.react("covered")
    assert table.hands_off(2) == "covered"
    table.react("covered").react("covered")
    assert (table.hand(2), table.hands_off(2)) == ("", None)
    assert table.outcome("cancelled") == 1


@pytest.mark.parametrize("kind", HAND)
def test_a_hand_attack_on_a_hand_spent_in_a_cancelled_reaction_does_nothing(lay, kind):
    """Rules 4: it takes a card not under Hands Off; the victim spent its only such card on a cancelled reaction."""
    for with_hand, hands_off, left in (("covered", None, ""), ("mug covered", "mug", "mug")):
        table = attacked(lay, kind, with_hand=with_hand, mine="covered", rules=CHAIN, hands_off={2: hands_off})
        table.react("covered").react("covered")
        assert table.over
        assert (table.hand(0), table.hand(2)) == ("", left)
        assert sorted(table.discards.split()) == sorted([kind, "covered", "covered"])
        assert table.outcome("cancelled") == 0


def test_in_the_booklet_no_reaction_is_reacted_to(lay):
    """Rules 4, reactions: in the booklet's deck none lists `reaction`."""
    table = attacked(lay, "mine_now", with_hand="covered", mine="not_today fan_ticket covered").react("covered")
    assert table.over
    assert table.hand(0) == "not_today fan_ticket covered"
