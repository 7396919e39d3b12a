"""Standard output and error streams that can be written to: closed ones, names that are no text, poor encodings."""

from __future__ import annotations

import codecs
import io
import os
import sys

__all__ = ["ready_streams"]

_PLAIN = {
    "±": b"+-",
    "−": b"-",
    "–": b"-",
    "—": b"-",
    "…": b"...",
    "≤": b"<=",
    "≥": b">=",
    "×": b"x",
    "→": b"->",
    "é": b"e",
}
"""What stands for a character where the output cannot have it."""


def ready_streams() -> None:
    """Make standard output and error streams ones that can be written to, whatever they are and whatever is written.

    A stream that was closed swallows what it is given. The bytes of a name that are no text go out as they came in,
    so that a command which we print can be pasted; a character that the encoding lacks becomes a plain one.
    """
    codecs.register_error("rsc", _plain)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # as long as we run
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="rsc")


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    code = ord(character)
    raw = bytes([code - 0xDC00]) if 0xDC80 <= code <= 0xDCFF else _PLAIN.get(character, b"?")
    return raw, error.start + 1
