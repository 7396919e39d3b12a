"""The slow, obvious engine: what the rules page and `docs/contracts.md` say, in plain Python.

It shares no code with the compiled engine, and neither was written by looking at the other. A test walks both side by
side.
"""

from .engine import ReferenceGame, play_random
from .moves import Move

__all__ = ["Move", "ReferenceGame", "play_random"]
