"""What a run keeps of its games beside its manifest and its digest: the key `record` of an experiment.

A run may keep less than everything, to be faster and smaller: it plays the same games and comes to the same digest, and
can be gone on with. Whoever asks it for what it did not keep is told so, and how to have it, in the words made here.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

__all__ = ["TABLES", "Missing", "Recorded", "how_to_have", "in_order", "not_recorded", "record_setting"]

Recorded = Literal["games", "cards", "windows"]
TABLES: Final[tuple[Recorded, ...]] = get_args(Recorded)
"""What there is to keep, each a folder of a run directory and a file a part: a row a game, tallies of what became of
the cards, tallies of what escape windows lacked."""

_WORDS = {
    "games": "games one by one",
    "cards": "what became of the cards",
    "windows": "what escape windows lacked",
}


def in_order(tables: Iterable[Recorded]) -> tuple[Recorded, ...]:
    """Give some tables each once, in the order of `TABLES`."""
    wanted = set(tables)
    return tuple(table for table in TABLES if table in wanted)


def record_setting(tables: Sequence[str]) -> str:
    """Word a `record` as `--set` takes it.

    >>> record_setting(["games", "cards"]), record_setting([])
    ('record=games,cards', 'record=[]')
    """
    return f"record={','.join(tables) or '[]'}"


class Missing(NamedTuple):
    """What a run did not keep, and the command that gives it; no command where the run lies in memory."""

    text: str
    command: str

    def __str__(self) -> str:
        return f"{self.text} {self.command}".rstrip()


def not_recorded(tables: Sequence[Recorded], path: Path | None) -> Missing | None:
    """Say what is not among the tables that a run kept; None where all is."""
    lacking = [f"{_WORDS[table]} ({table})" for table in TABLES if table not in tables]
    if not lacking:
        return None
    how, command = how_to_have(tables, TABLES, path)
    told = " and ".join(filter(None, [", ".join(lacking[:-1]), lacking[-1]]))
    return Missing(f"Not recorded: {told}. {how}", command)


def how_to_have(tables: Sequence[Recorded], wanted: Sequence[Recorded], path: Path | None) -> Missing:
    """Word how to have what a run did not keep: it is played again and gives the same games."""
    setting = record_setting(in_order([*tables, *wanted]))
    if path is None:
        return Missing(f"Played again with {setting} it gives the same games and has it.", "")
    return Missing(
        "Played again it gives the same games and has it:",
        f"rsc run {shlex.quote(str(path))} --set {setting} --out again",
    )
