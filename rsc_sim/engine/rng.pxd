"""Keyed random streams: xoshiro256++ (Blackman and Vigna, ACM TOMS 47, 2021) seeded by splitmix64.

A stream is named by (seed, block, purpose, ordinal) and by nothing else, so that an extra draw in one shifts nothing in
another. The exact arithmetic is in docs/contracts.md, section 2.
"""
from libc.stdint cimport uint32_t, uint64_t

from rsc_sim.engine.bits cimport mul_high, rotl

cdef enum:
    STREAM_DEAL = 0
    STREAM_RENEWAL = 1
    STREAM_HAND_PICK = 2
    STREAM_SEARCH = 3
    STREAM_INTERVENTION = 4
    STREAM_STRATEGY = 5

ctypedef struct rng_t:
    uint64_t s[4]


cdef inline uint64_t mix(uint64_t z) noexcept nogil:
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t stream_base(uint64_t seed, uint64_t block) noexcept nogil:
    """The part of a stream's key that all streams of one block share."""
    cdef uint64_t golden = <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t h = mix(seed + golden)
    return mix((h ^ block) + golden)


cdef inline void open_stream(rng_t *rng, uint64_t base, uint64_t purpose, uint64_t ordinal) noexcept nogil:
    cdef uint64_t golden = <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t x = mix((base ^ (purpose << 32 | ordinal)) + golden)
    rng.s[0] = mix(x + golden)
    rng.s[1] = mix(x + 2 * golden)
    rng.s[2] = mix(x + 3 * golden)
    rng.s[3] = mix(x + 4 * golden)


cdef inline uint64_t next64(rng_t *rng) noexcept nogil:
    cdef uint64_t s0 = rng.s[0], s1 = rng.s[1], s2 = rng.s[2], s3 = rng.s[3]
    cdef uint64_t out = rotl(s0 + s3, 23) + s0
    cdef uint64_t t = s1 << 17
    s2 ^= s0
    s3 ^= s1
    rng.s[1] = s1 ^ s2
    rng.s[0] = s0 ^ s3
    rng.s[2] = s2 ^ t
    rng.s[3] = rotl(s3, 45)
    return out


cdef inline int bounded(rng_t *rng, int n) noexcept nogil:
    """A number from 0 to n − 1: the high half of one output times n (bias below n / 2^64)."""
    return <int>mul_high(next64(rng), <uint64_t>n)
