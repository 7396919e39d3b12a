"""Bit arithmetic that C compilers have and Cython has no words for.

Promises the same results on every build: where a machine lacks pdep, `select_bit` counts its way. Nothing here knows of
cards.
"""
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t, uint8_t

cdef extern from * nogil:
    """
    #ifndef RSC_BITS_H
    #define RSC_BITS_H
    #include <stdint.h>
    #include <string.h>
    #if defined(__BMI2__)
    #include <immintrin.h>
    #endif
    #if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    #error "rsc-sim packs seats into 64-bit lanes and needs a little-endian machine"
    #endif

    /* Number of bits set. */
    static inline int rsc_popcount(uint64_t x) { return __builtin_popcountll(x); }

    /* Index of the lowest bit set; x must not be 0. */
    static inline int rsc_lowest(uint64_t x) { return __builtin_ctzll(x); }

    /* Index of the n-th bit set (from 0); x must have more than n bits. */
    static inline int rsc_select(uint64_t x, int n) {
    #if defined(__BMI2__)
        return __builtin_ctzll(_pdep_u64((uint64_t)1 << n, x));
    #else
        while (n-- > 0) x &= x - 1;
        return __builtin_ctzll(x);
    #endif
    }

    /* The bits of x that stand where mask has ones, moved together at the low end. */
    static inline uint64_t rsc_gather(uint64_t x, uint64_t mask) {
    #if defined(__BMI2__)
        return _pext_u64(x, mask);
    #else
        uint64_t out = 0;
        for (int n = 0; mask; n++, mask &= mask - 1) out |= (x >> __builtin_ctzll(mask) & 1) << n;
        return out;
    #endif
    }

    /* High half of a 64 by 64 bit product. */
    static inline uint64_t rsc_mulhi(uint64_t a, uint64_t b) {
        return (uint64_t)(((unsigned __int128)a * b) >> 64);
    }

    static inline uint64_t rsc_rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

    /* Eight bytes as one word; memcpy, because a cast would break C's aliasing rule. */
    static inline uint64_t rsc_load64(const void *p) { uint64_t x; memcpy(&x, p, 8); return x; }

    static inline void rsc_store64(void *p, uint64_t x) { memcpy(p, &x, 8); }

    /* One bit for each of the four 16-bit lanes that is not 0. */
    static inline uint64_t rsc_nonzero_lanes(uint64_t w) {
        uint64_t low = 0x7fff7fff7fff7fffULL;
        uint64_t top = ((((w & low) + low) | w) >> 15) & 0x0001000100010001ULL;
        return (top * 0x0001000200040008ULL) >> 48 & 15;
    }

    /* One bit for each of the eight bytes that is not 0. */
    static inline uint64_t rsc_nonzero_bytes(uint64_t w) {
        uint64_t low = 0x7f7f7f7f7f7f7f7fULL;
        uint64_t top = ((((w & low) + low) | w) >> 7) & 0x0101010101010101ULL;
        return (top * 0x0102040810204080ULL) >> 56;
    }
    #endif
    """
    int popcount "rsc_popcount"(uint64_t x)
    int lowest_bit "rsc_lowest"(uint64_t x)
    int select_bit "rsc_select"(uint64_t x, int n)
    uint64_t gather_bits "rsc_gather"(uint64_t x, uint64_t mask)
    uint64_t mul_high "rsc_mulhi"(uint64_t a, uint64_t b)
    uint64_t rotl "rsc_rotl"(uint64_t x, int k)
    uint64_t load64 "rsc_load64"(const void *p)
    void store64 "rsc_store64"(void *p, uint64_t x)
    uint64_t nonzero_lanes "rsc_nonzero_lanes"(uint64_t w)
    uint64_t nonzero_bytes "rsc_nonzero_bytes"(uint64_t w)


cdef inline uint64_t bit(int i) noexcept nogil:
    return <uint64_t>1 << i


cdef inline uint64_t when(bint condition) noexcept nogil:
    """All ones if the condition holds, else 0: a mask in place of a branch."""
    return -<uint64_t>condition
