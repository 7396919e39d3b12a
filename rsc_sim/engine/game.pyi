from collections.abc import Mapping
from typing import Any, NamedTuple

from rsc_sim.engine.rules import CompiledRules

STATE_KEYS: tuple[str, ...]

class Move(NamedTuple):
    verb: str
    kind: str | None
    target: int | None
    choice: str | None
    own: str | None

class Event(NamedTuple):
    turn: int
    what: str
    seat: int | None
    kind: str | None
    target: int | None
    choice: str | None
    own: str | None
    index: int  # type: ignore[assignment]
    of: int

class Game:
    rules: CompiledRules
    def __init__(
        self, rules: CompiledRules, *, seed: int, block: int, intervention: tuple[int, int, str] | None = None
    ) -> None: ...
    @classmethod
    def from_position(
        cls, rules: CompiledRules, position: Mapping[str, Any], *, seed: int = 0, block: int = 0
    ) -> Game: ...
    @property
    def decision(self) -> str | None: ...
    @property
    def seat(self) -> int: ...
    @property
    def turn(self) -> int: ...
    @property
    def conserved(self) -> bool: ...
    @property
    def events(self) -> list[Event]: ...
    def moves(self) -> list[Move]: ...
    def apply(self, index: int) -> None: ...
    def choose(self, strategy: object) -> int: ...
    def copy(self) -> Game: ...
    def reshuffle_hidden(self, seed: int) -> None: ...
    def memory(self, seat: int) -> dict[str, Any]: ...
    def state(self) -> dict[str, Any]: ...
    def row(self) -> dict[str, Any]: ...
