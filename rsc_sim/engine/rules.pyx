"""Ruleset -> rules_t: names become numbers, lists become masks, choices become sources and lanes.

Takes the plain dict of `Ruleset.to_dict()`, which is valid by then; what is tested here again is only what would
overrun a buffer or leave a table half filled.
"""
import hashlib

from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memset

from rsc_sim.engine.bits cimport bit
from rsc_sim.engine.types cimport *

from rsc_sim.errors import InputError

cdef dict PRIMITIVES = {
    "take_read": P_TAKE_READ,
    "take_merch": P_TAKE_MERCH,
    "find_merch": P_FIND_MERCH,
    "table_more": P_TABLE_MORE,
    "draw": P_DRAW,
    "extra_turn": P_EXTRA_TURN,
    "steal_merch": P_STEAL_MERCH,
    "steal_highest_merch": P_STEAL_HIGHEST_MERCH,
    "steal_lowest_merch": P_STEAL_LOWEST_MERCH,
    "return_merch": P_RETURN_MERCH,
    "steal_protect": P_STEAL_PROTECT,
    "steal_hand": P_STEAL_HAND,
    "discard_hand": P_DISCARD_HAND,
    "skip_turn": P_SKIP_TURN,
    "protect_merch": P_PROTECT_MERCH,
    "protect_hand": P_PROTECT_HAND,
}
cdef dict SOURCES = {
    P_STEAL_MERCH: S_MERCH,
    P_STEAL_HIGHEST_MERCH: S_SEATS_MERCH,
    P_STEAL_LOWEST_MERCH: S_SEATS_LOWEST,
    P_RETURN_MERCH: S_MERCH,
    P_STEAL_PROTECT: S_PROTECTS,
    P_STEAL_HAND: S_SEATS_HAND,
    P_DISCARD_HAND: S_SEATS_HAND,
    P_SKIP_TURN: S_SEATS,
    P_PROTECT_MERCH: S_OWN_MERCH,
    P_PROTECT_HAND: S_HAND,
}
cdef dict FAMILIES = {
    None: F_NONE,
    "read": F_READ,
    "merch": F_MERCH,
    "protect": F_PROTECT,
    "hand": F_HAND,
    "turn": F_TURN,
    "reaction": F_REACTION,
}


cdef uint32_t switches_of(dict rules):
    flags = {
        SW_RECYCLE: rules["recycle_discard"],
        SW_AVAILABLE_DISCARD: "discard" in rules["available_from"],
        SW_AVAILABLE_PICKUP: "pickup" in rules["available_from"],
        SW_FIND_DISCARD: "discard" in rules["find_from"],
        SW_FIND_PICKUP: "pickup" in rules["find_from"],
        SW_LOWEST_TABLED: rules["lowest_means"] == "tabled",
        SW_FORCED: rules["escape"] == "forced",
        SW_AFTER_PICK_UP: "after_pick_up" in rules["escape_when"],
        SW_AFTER_PUT_DOWN: "after_put_down" in rules["escape_when"],
        SW_REDRAW: rules["redraw_after_read"],
        SW_REPLACE: rules["replace_dealt_read"],
        SW_SKIPS_STACK: rules["skips_stack"],
        SW_UNFINISHED_SCORE: rules["unfinished"] == "score",
    }
    return sum(flag for flag, on in flags.items() if on)


cdef int set_masks(rules_t *c, int kind, int primitive) except -1:
    """File an Action under its primitive."""
    cdef uint64_t own = bit(kind)
    c.kinds_of[primitive] |= own
    if primitive in SOURCES:
        c.targeted |= own
        c.source[kind] = SOURCES[primitive]
        c.covers_itself[kind] = primitive == P_PROTECT_HAND
        c.lanes[kind][0] = c.lanes[kind][1] = ~<uint64_t>0
        if primitive == P_STEAL_MERCH or primitive == P_RETURN_MERCH:
            c.lanes[kind][0] = c.lanes[kind][1] = <uint64_t>c.capped[kind] * <uint64_t>0x0001000100010001
        elif primitive == P_PROTECT_HAND:
            c.lanes[kind][0] = ~own
    return 0


cdef int set_ranks(rules_t *c) except -1:
    """Lay out the best and the worst Merch of any mask, a byte of it at a time."""
    cdef int byte, mask, place
    for byte in range(2):
        for mask in range(256):
            c.top_rank[byte][mask] = c.bottom_rank[byte][mask] = 255
            for place in reversed(range(c.n_merch)):
                if mask << 8 * byte >> c.highest_first[place] & 1:
                    c.top_rank[byte][mask] = <uint8_t>place
                if mask << 8 * byte >> c.lowest_first[place] & 1:
                    c.bottom_rank[byte][mask] = <uint8_t>place
    return 0


cdef class CompiledRules:
    """A ruleset for a number of seats, as the engine plays it.

    `rules` is the dict of `Ruleset.to_dict()`. `deal_order` lists kind ids, one a copy, in the order in which they go
    into the shuffle; it must be a permutation of the deck and is file order by default. Raises InputError where seats,
    deck and order do not fit together.
    """

    def __init__(self, rules, *, seats, deal_order=None):
        cdef rules_t *c = &self.c
        cdef int kind, merch, n_merch = 0
        cdef uint16_t capped
        if not 2 <= seats <= MAX_SEATS:
            raise InputError(f"seats: expected 2 to {MAX_SEATS}, got {seats}")
        cards = rules["cards"]
        self._source = rules
        self.kinds = tuple(cards)
        self.seats = seats
        number = {name: i for i, name in enumerate(self.kinds)}
        in_file_order = [name for name, card in cards.items() for _ in range(card["copies"])]
        self.deal_order = tuple(in_file_order if deal_order is None else deal_order)
        if sorted(self.deal_order) != sorted(in_file_order):
            raise InputError("deal_order: expected each copy of the deck once, got another collection of cards")
        values = [card["value"] for card in cards.values() if card["type"] == "merch"]
        if len(cards) > MAX_KINDS or len(values) > MAX_MERCH or len(in_file_order) > MAX_CARDS:
            raise InputError(f"deck: at most {MAX_KINDS} kinds, {MAX_MERCH} Merch kinds and {MAX_CARDS} cards; got "
                             f"{len(cards)}, {len(values)} and {len(in_file_order)}")
        needed = seats * rules["hand_size"] + rules["replace_dealt_read"]
        if needed > len(in_file_order):
            raise InputError(f"deck: {seats} seats need {needed} cards, this deck has {len(in_file_order)}")

        memset(c, 0, sizeof(rules_t))
        c.owner = <void *>self
        c.switches = switches_of(rules)
        c.seats = seats
        c.n_kinds = len(cards)
        c.n_merch = len(values)
        c.n_cards = len(in_file_order)
        c.hand_size = rules["hand_size"]
        c.normal_draw = rules["normal_draw"]
        c.opening_draw = rules["opening_draw"]
        c.escape_threshold = rules["escape_threshold"]
        c.read_points = rules["read_points"]
        c.turn_cap = rules["max_rounds"] * seats
        c.of_highest[MAX_MERCH] = WHOLE
        c.per_value = <double>WHOLE / (max(values, default=0) or 1)
        c.per_threshold = <double>WHOLE / (c.escape_threshold or 1)
        for i, name in enumerate(self.deal_order):
            c.deal_order[i] = number[name]
        for kind, (name, card) in enumerate(cards.items()):
            c.tag[kind] = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
            c.copies[kind] = card["copies"]
            c.merch_of[kind] = 255
            if card["type"] == "read":
                c.read_kind = kind
            elif card["type"] == "ticket":
                c.tickets |= bit(kind)
                c.card_class[kind] = C_TICKET
            elif card["type"] == "merch":
                c.merch |= bit(kind)
                c.merch_of[kind] = n_merch
                c.kind_of[n_merch] = kind
                c.value[n_merch] = card["value"]
                c.of_highest[n_merch] = <int>(c.value[n_merch] * c.per_value + 0.5)
                c.of_threshold[n_merch] = min(WHOLE, <int>(c.value[n_merch] * c.per_threshold + 0.5))
                n_merch += 1
            elif card["type"] == "reaction":
                c.card_class[kind] = C_REACTION
                for family in card["cancels"]:
                    c.cancels[FAMILIES[family]] |= bit(kind)
        for i, merch in enumerate(sorted(range(n_merch), key=lambda m: -values[m])):
            c.highest_first[i] = merch
        for i, merch in enumerate(sorted(range(n_merch), key=lambda m: values[m])):
            c.lowest_first[i] = merch
        set_ranks(c)
        for kind, card in enumerate(cards.values()):
            if card["type"] != "action":
                continue
            capped = 0
            for merch in range(n_merch):
                if values[merch] <= card.get("max_value", -1):
                    capped |= <uint16_t>(1 << merch)
            c.capped[kind] = capped
            c.primitive[kind] = PRIMITIVES[card["primitive"]]
            c.card_class[kind] = C_READ if c.primitive[kind] == P_TAKE_READ else C_ACTION
            c.family[kind] = FAMILIES[card["family"]]
            c.count[kind] = card.get("count", 0)
            if "kind" in card:
                c.find_kind[kind] = number[card["kind"]]
            set_masks(c, kind, c.primitive[kind])

    def __reduce__(self):
        return _compile, (self._source, self.seats, self.deal_order)


def _compile(rules, seats, deal_order):
    """Compile again, in the process that unpickles."""
    return CompiledRules(rules, seats=seats, deal_order=deal_order)
