"""Fixed matches, and the SHA-256 of the rows that they leave.

A digest changes when a rule, a stream, a strategy or a row's layout does, and then on purpose. To put the new ones on
record:

    python -m tests.golden.rows
"""

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from rsc_sim.engine import CompiledRules, Tallies, play_blocks
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategies import collector, uniform

ON_RECORD = Path(__file__).with_suffix(".json")
BLOCKS = 500

OTHER_READINGS: dict[str, Any] = {
    "recycle_discard": False,
    "available_from": ["discard"],
    "find_from": ["discard", "pickup"],
    "lowest_means": "tabled",
    "escape": "forced",
    "escape_when": ["after_put_down"],
    "redraw_after_read": True,
    "replace_dealt_read": True,
    "skips_stack": False,
    "unfinished": "score",
    "cards.covered.cancels": ["read", "merch", "protect", "hand", "turn", "reaction"],
}


class Match(NamedTuple):
    rules: dict[str, Any]
    lineup: tuple[str, ...]
    intervention: tuple[int, int, str] | None = None


def matches() -> dict[str, Match]:
    booklet, other = Ruleset.booklet().to_dict(), Ruleset.booklet().override(OTHER_READINGS).to_dict()
    named = {}
    for seats in (2, 4, 8):
        for name in ("random", "collector"):
            named[f"booklet, {seats} x {name}"] = Match(booklet, (name,) * seats)
        mixed = ("random", "collector", "collector", "random", "random", "collector", "random", "random")[:seats]
        named[f"booklet, {seats} mixed"] = Match(booklet, mixed)
        named[f"other readings, {seats} mixed"] = Match(other, mixed)
        named[f"booklet, {seats} mixed, dealt vinyl"] = Match(booklet, mixed, (1, 2, "vinyl"))
        named[f"booklet, {seats} mixed, drawn ticket"] = Match(booklet, mixed, (0, 9, "escape_ticket"))
    return named


def play(match: Match, *, first_block: int = 0, n_blocks: int = BLOCKS, tallies: Tallies | None = None) -> bytes:
    bound = {"random": uniform.bind(), "collector": collector.bind()}
    return play_blocks(
        CompiledRules(match.rules, seats=len(match.lineup)),
        [bound[name] for name in match.lineup],
        seed=1,
        first_block=first_block,
        n_blocks=n_blocks,
        strategy_ids=[list(bound).index(name) for name in match.lineup],
        intervention=match.intervention,
        tallies=tallies,
    ).tobytes()


def digests() -> dict[str, str]:
    return {name: hashlib.sha256(play(match)).hexdigest() for name, match in matches().items()}


if __name__ == "__main__":
    ON_RECORD.write_text(json.dumps(digests(), indent=1) + "\n")
