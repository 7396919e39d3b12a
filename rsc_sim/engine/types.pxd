"""The engine's types: what everybody may see, what is hidden, what a strategy is shown, and what it may answer.

All sizes are fixed so that any valid ruleset fits and a game is cloned by one memcpy. Kinds are numbered in file order;
Merch kinds have a second, dense number. `kind` is always the first and `merch` the second, -1 (NONE) stands for no kind
and no seat.
"""
from libc.stdint cimport int32_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t

from rsc_sim.engine.rng cimport rng_t

cdef enum:
    MAX_SEATS = 8
    MAX_KINDS = 64
    MAX_MERCH = 16
    MAX_CARDS = 255
    N_TAGS = 128          # a kind of -1, seen as an unsigned 7-bit number, finds a tag of 0
    N_PUBLIC_EVENTS = 64  # the last events that a strategy can read back; a power of two
    WHOLE = 1024          # parts in which a share of a whole is counted
    NONE = -1

cdef enum:                # what a decision asks
    OVER = 0
    ESCAPE = 1            # escape, stay
    PUT_DOWN = 2          # discard, table or play
    TAKE = 3              # which Merch take_merch takes
    TABLE_MORE = 4        # stop, or one more Merch on the table
    REACT = 5             # pass, or a reaction

cdef enum:                # verbs of moves; the numbers enter the trace
    V_ESCAPE = 1
    V_STAY = 2
    V_DISCARD = 3
    V_TABLE = 4
    V_PLAY = 5
    V_TAKE = 6
    V_STOP = 7
    V_PASS = 8
    V_REACT = 9

cdef enum:                # further events of a log
    E_DEAL = 10
    E_DISPLAY = 11
    E_FIRST = 12
    E_TURN = 13
    E_MISSED = 14
    E_RENEW = 15
    E_DRAW = 16
    E_EMPTY = 17
    E_PASSED = 18
    E_PICKED = 19
    E_FOUND = 20
    E_NOT_FOUND = 21
    E_CANCELLED = 22
    E_MOVED_READ = 23
    E_MOVED = 24
    E_RETURNED = 25
    E_MOVED_PROTECT = 26
    E_SWAPPED = 27
    E_END = 28

cdef enum:                # primitives, in the order of the rules page
    P_NONE = 0
    P_TAKE_READ = 1
    P_TAKE_MERCH = 2
    P_FIND_MERCH = 3
    P_TABLE_MORE = 4
    P_DRAW = 5
    P_EXTRA_TURN = 6
    P_STEAL_MERCH = 7
    P_STEAL_HIGHEST_MERCH = 8
    P_STEAL_LOWEST_MERCH = 9
    P_RETURN_MERCH = 10
    P_STEAL_PROTECT = 11
    P_STEAL_HAND = 12
    P_DISCARD_HAND = 13
    P_SKIP_TURN = 14
    P_PROTECT_MERCH = 15
    P_PROTECT_HAND = 16
    N_PRIMITIVES = 17

cdef enum:                # families; F_NONE: nothing can cancel it
    F_NONE = 0
    F_READ = 1
    F_MERCH = 2
    F_PROTECT = 3
    F_HAND = 4
    F_TURN = 5
    F_REACTION = 6
    N_FAMILIES = 7

cdef enum:                # what a card is to whoever holds it
    C_MERCH = 0
    C_ACTION = 1          # but for those that take Read
    C_READ = 2            # an Action that takes Read
    C_REACTION = 3
    C_TICKET = 4
    N_CLASSES = 5

cdef enum:                # where the choices of a play come from (move_set_t.sources)
    S_SEATS_MERCH = 0     # seats with unprotected Merch, a bit a seat
    S_SEATS_LOWEST = 1    # seats whose lowest-valued Merch can be taken
    S_SEATS_HAND = 2      # seats with a hand card not under Hands Off
    S_SEATS = 3           # all other seats
    S_MERCH = 4           # unprotected Merch of the others: 16 bits a seat, 4 seats a word
    S_PROTECTS = 5        # protected Merch of the others likewise; each goes with each own unprotected kind
    S_OWN_MERCH = 6       # own kinds with an unprotected copy
    S_HAND = 7            # kinds in the hand
    N_SOURCES = 8

cdef enum:                # how a game ended, and why it was stuck
    END_ESCAPE = 0
    END_TURN_CAP = 1
    END_DEADLOCK = 2
    STUCK_NO = 0
    STUCK_THRESHOLD = 1
    STUCK_TICKETS = 2
    STUCK_LONE_TURN = 3
    STUCK_STALLED = 4

cdef enum:                # what came of an intervention
    IV_SWAPPED = 0
    IV_SAME = 1
    IV_NONE_LEFT = 2
    IV_NOT_REACHED = 3

cdef enum:                # bits of rules_t.switches
    SW_RECYCLE = 1
    SW_AVAILABLE_DISCARD = 2
    SW_AVAILABLE_PICKUP = 4
    SW_FIND_DISCARD = 8
    SW_FIND_PICKUP = 16
    SW_LOWEST_TABLED = 32
    SW_FORCED = 64
    SW_AFTER_PICK_UP = 128
    SW_AFTER_PUT_DOWN = 256
    SW_REDRAW = 512
    SW_REPLACE = 1024
    SW_SKIPS_STACK = 2048
    SW_UNFINISHED_SCORE = 4096


ctypedef struct rules_t:
    void *owner                         # the CompiledRules that they lie in: names, for strategies in Python
    uint64_t tag[N_TAGS]                # a name's hash for the trace; 0 from MAX_KINDS on
    uint64_t merch                      # masks of kinds: Merch
    uint64_t tickets                    # Escape Tickets
    uint64_t kinds_of[N_PRIMITIVES]     # Actions by primitive
    uint64_t targeted                   # Actions that name a seat or a kind; the others have one way to play them
    uint64_t cancels[N_FAMILIES]        # reactions that cancel an Action of the family
    uint64_t lanes[MAX_KINDS][2]        # what an Action may choose, as a mask over its source
    uint16_t capped[MAX_KINDS]          # Merch (dense numbers) worth no more than the kind's max_value
    uint8_t primitive[MAX_KINDS]
    uint8_t family[MAX_KINDS]
    uint8_t source[MAX_KINDS]
    uint8_t count[MAX_KINDS]            # cards of draw and table_more
    uint8_t covers_itself[MAX_KINDS]    # 1 for protect_hand, which may choose another copy of the kind played
    uint8_t find_kind[MAX_KINDS]        # kind that find_merch looks for
    uint8_t merch_of[MAX_KINDS]         # dense Merch number of a kind, 255 for others
    uint8_t copies[MAX_KINDS]
    uint8_t kind_of[MAX_MERCH]          # kind of a dense Merch number
    uint8_t highest_first[MAX_MERCH]    # dense numbers by value, ties in file order
    uint8_t lowest_first[MAX_MERCH]
    uint8_t top_rank[2][256]            # of the Merch in the low and in the high byte of a mask, the smallest place in
    uint8_t bottom_rank[2][256]         # highest_first, and in lowest_first; 255 for none
    int32_t value[MAX_MERCH]
    uint8_t deal_order[MAX_CARDS + 1]   # kinds, one a copy, as they go into the shuffle
    int32_t read_kind
    int32_t n_kinds
    int32_t n_merch
    int32_t n_cards
    int32_t seats
    int32_t hand_size
    int32_t normal_draw
    int32_t opening_draw
    int32_t escape_threshold
    int32_t read_points
    int32_t turn_cap                    # turns, not rounds
    uint32_t switches                   # SW_ bits
    uint8_t card_class[MAX_KINDS]       # C_ of a kind
    int32_t of_highest[MAX_MERCH + 1]   # a Merch card's value in parts of the highest; WHOLE in the last place
    int32_t of_threshold[MAX_MERCH]     # in parts of the escape threshold, WHOLE at most
    double per_value                    # parts of the highest value that a dollar is
    double per_threshold                # parts of the escape threshold


ctypedef struct move_t:
    uint8_t verb
    int8_t kind                         # kind that is discarded, tabled, played, taken
    int8_t target                       # seat that an Action names
    int8_t choice                       # kind that it names: the target's Merch, the own Merch, the hand card
    int8_t own                          # own Merch kind that a stolen protection goes beneath
    uint8_t padding[3]                  # so that a move is read as one word


ctypedef struct event_t:                # one public event
    uint16_t turn
    int8_t seat
    uint8_t what                        # V_ or E_
    int8_t kind
    int8_t target
    int8_t choice
    int8_t own


ctypedef struct public_t:
    int32_t merch[MAX_SEATS]            # value of each seat's tabled Merch
    uint16_t unprotected[MAX_SEATS]     # Merch with an unprotected copy on the seat's table, a bit a dense number
    uint16_t shielded[MAX_SEATS]        # Merch of which a copy on the seat's table is protected
    uint8_t hand_n[MAX_SEATS]           # cards in each hand
    uint8_t hands_off_n[MAX_SEATS]      # of those, cards under Hands Off
    uint16_t missed[MAX_SEATS]          # turns that the seat still has to miss
    uint8_t tabled[MAX_SEATS][MAX_MERCH]     # copies on each seat's table, protected ones included
    uint8_t protections[MAX_SEATS][MAX_MERCH]  # of those, copies with a Merch Protect beneath
    uint64_t discard_kinds              # kinds in the discard pile
    uint8_t discards[MAX_KINDS]         # copies in the discard pile
    int32_t discard_n
    int32_t pile_n                      # cards in the pick-up pile
    int32_t turn                        # turns taken, the present one included
    int8_t seats
    int8_t first_seat
    int8_t seat_up                      # whose turn it is
    int8_t read_holder                  # seat that displays Read, NONE while nobody does
    uint8_t extra_turns                 # that follow this turn
    uint8_t reactions_played            # on the Action being played
    int8_t reacted_with                 # kind of the last of them
    move_t action                       # the Action being played (verb 0: none), by the seat that is up
    uint32_t n_events                   # events so far; number i lies at i % N_PUBLIC_EVENTS until it is written over
    event_t events[N_PUBLIC_EVENTS]


ctypedef struct hand_t:
    uint64_t kinds                      # kinds of which there is a copy
    uint8_t copies[MAX_KINDS]
    int8_t hands_off                    # kind of which one copy is under Hands Off, NONE


ctypedef struct hidden_t:
    hand_t hand[MAX_SEATS]
    uint8_t pile[MAX_CARDS + 1]         # pick-up pile, front at pile_front
    uint8_t in_pile[MAX_KINDS]          # copies of each kind in it
    int32_t pile_front


ctypedef struct memory_t:               # what a seat may remember (rules, section 2), always true of the hidden cards
    uint64_t pile_lacks                 # kinds of which the pick-up pile is known to hold none
    uint8_t seen[MAX_SEATS][MAX_KINDS]  # copies that each other hand holds at least; 0 for the own, which is in view
    uint8_t pile[MAX_KINDS]             # the pick-up pile as last looked through, less what was seen to leave it since
    uint8_t pile_unseen                 # cards drawn unseen since then: the pile is `pile` less so many cards of it
    uint8_t pile_known                  # 0: not looked through since it was renewed; `pile` and `pile_unseen` are 0


ctypedef struct memories_t:             # the memories of one game
    uint64_t seats                      # seats that keep one, a bit a seat
    memory_t of[MAX_SEATS]


ctypedef struct view_t:
    const rules_t *rules
    const public_t *table               # all that everybody may see
    hand_t hand                         # the seat's own
    const memory_t *memory              # what the seat remembers; NULL where its strategy did not ask for it
    rng_t *rng                          # the seat's own random stream
    void *scratch                       # the seat's own for one game, zeroed; of the size it declared, NULL for 0
    int32_t seat
    int32_t decision                    # what is asked


ctypedef struct move_set_t:
    int32_t n                           # legal moves
    int32_t decision
    int32_t n_discards
    int32_t n_tables
    uint64_t options                    # put_down: kinds to discard; else: kinds to take, table or react with
    uint64_t tables                     # put_down: kinds to table
    uint64_t plays                      # put_down: Actions with one way to play them
    uint64_t targeted                   # put_down: Actions that name a seat or a kind and have one to name
    uint64_t sources[N_SOURCES][2]      # what they choose from
    uint8_t times[N_SOURCES]            # ways that each of a source's choices can be carried out
    uint16_t n_ways[MAX_KINDS]          # ways to play each of `targeted`
    const rules_t *rules
    const hand_t *hand                  # the hand that the moves are made from


ctypedef int (*decide_t)(const view_t *view, const move_set_t *moves, const void *parameters) except -1 nogil


ctypedef struct log_entry_t:
    int32_t turn
    int32_t index
    int32_t of
    uint8_t what
    int8_t seat
    int8_t kind
    int8_t target
    int8_t choice
    int8_t own


ctypedef struct log_t:
    log_entry_t *entries
    int32_t n
    int32_t room
    bint failed                         # no memory for another entry


cdef enum:                # what is tallied of a kind, for each seat and game
    T_OPENING = 0         # dealt
    T_DRAWN = 1           # dealt or drawn from the pile
    T_TABLED = 2          # tabled from the hand, or taken or found in a pile and tabled
    T_PLAYED = 3          # played as an Action
    T_REACTED = 4         # played as a reaction
    T_DISCARDED = 5       # discarded at a put-down
    T_LOST = 6            # taken out of the hand or off the table by another seat
    N_COUNTED = 7         # those above are counted while playing, the rest at the end
    T_IN_HAND = 7         # in the hand at the end
    T_NEVER_SEEN = 8      # no copy was dealt or drawn: one a seat and game
    N_TALLIES = 9
    N_ROUNDS = 100        # rounds told apart by the escape windows; the last one stands for all later ones
    MISSING_READ = 1      # what an escape window lacked
    MISSING_TICKET = 2
    MISSING_MERCH = 4
    N_MISSING = 8


ctypedef struct tally_t:                # what one game is tallied in
    uint16_t counts[MAX_SEATS][N_COUNTED][MAX_KINDS]
    uint32_t *windows[MAX_SEATS]        # the seat's strategy's windows: N_ROUNDS times N_MISSING


ctypedef struct intervention_t:
    int32_t seat                        # NONE: no intervention
    int32_t n                           # the seat's n-th card dealt or drawn, from 1
    int32_t kind
    int32_t result                      # IV_


ctypedef struct game_t:
    public_t table
    hidden_t hidden
    rng_t hand_pick
    rng_t search
    rng_t strategy[MAX_SEATS]
    uint64_t stream_base                # names this block's streams
    uint64_t trace
    const rules_t *rules
    log_t *log                          # NULL: no log is kept
    tally_t *tally                      # NULL: nothing is tallied
    memories_t *memories                # NULL: nobody remembers anything
    int32_t phase                       # where `advance` goes on
    int32_t decision                    # asked last
    int32_t asked                       # seat that it was asked of
    uint64_t options                    # of a decision within a play
    int32_t to_table                    # Merch that table_more may still table
    int32_t drew                        # cards drawn this turn
    int32_t opening                     # this is the first turn of a seat that was dealt Read
    uint32_t passed                     # seats that passed without drawing since the last other turn, a bit a seat
    int32_t streak                      # turns that the same seat has taken in a row
    int32_t streak_seat
    int32_t renewals                    # of the pick-up pile
    int32_t leader                      # seat with most tabled Merch, NONE
    int32_t read_dealt
    int32_t end                         # END_, once over
    int32_t escaper
    uint32_t decisions
    int32_t read_moves
    int32_t lead_changes
    int32_t cancelled
    intervention_t intervention
    uint16_t draws[MAX_SEATS]           # cards that each seat was dealt or has drawn
