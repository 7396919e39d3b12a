from collections.abc import Mapping, Sequence
from typing import Any

class CompiledRules:
    kinds: tuple[str, ...]
    seats: int
    deal_order: tuple[str, ...]
    def __init__(self, rules: Mapping[str, Any], *, seats: int, deal_order: Sequence[str] | None = None) -> None: ...
