"""Random streams and the trace's arithmetic, as in contracts 2 and 6: exact to the bit, and no rules."""

import hashlib
from functools import cache

WORD = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15

DEAL, RENEWAL, HAND_PICK, SEARCH, INTERVENTION, STRATEGY = range(6)


def rotl(word: int, by: int) -> int:
    return (word << by | word >> 64 - by) & WORD


def mix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


def stream_key(seed: int, block: int, purpose: int, ordinal: int) -> int:
    h = mix(seed + GOLDEN & WORD)
    h = mix((h ^ block) + GOLDEN & WORD)
    return mix((h ^ (purpose << 32 | ordinal)) + GOLDEN & WORD)


def splitmix64(key: int, n: int) -> list[int]:
    """Return the first n outputs of splitmix64 from this state."""
    return [mix(key + (i + 1) * GOLDEN & WORD) for i in range(n)]


class Stream:
    """One xoshiro256++ generator."""

    def __init__(self, state: list[int]):
        self.state = list(state)

    @classmethod
    def keyed(cls, seed: int, block: int, purpose: int, ordinal: int = 0) -> "Stream":
        return cls(splitmix64(stream_key(seed, block, purpose, ordinal), 4))

    def next(self) -> int:
        s0, s1, s2, s3 = self.state
        result = rotl(s0 + s3 & WORD, 23) + s0 & WORD
        t = s1 << 17 & WORD
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= t
        s3 = rotl(s3, 45)
        self.state = [s0, s1, s2, s3]
        return result

    def bounded(self, n: int) -> int:
        return self.next() * n >> 64

    def only_if_needed(self, n: int) -> int:
        """Choose among n as `bounded` does, but draw nothing where only one is possible."""
        return self.bounded(n) if n > 1 else 0

    def shuffled(self, cards: list[str]) -> list[str]:
        """Return the cards shuffled inside-out; every step draws, the first too."""
        out: list[str] = []
        for i, card in enumerate(cards):
            j = self.bounded(i + 1)
            out.append(card)
            out[i] = out[j]
            out[j] = card
        return out


@cache
def tag(kind: str | None) -> int:
    return 0 if kind is None else int.from_bytes(hashlib.sha256(kind.encode()).digest()[:8], "little")


def trace_step(trace: int, code: int) -> int:
    return (rotl(trace, 23) ^ code & WORD) * GOLDEN & WORD
