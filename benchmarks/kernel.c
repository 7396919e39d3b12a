/* A fixed piece of work to hold the engine's time against: xoshiro256++ and inside-out shuffles of 120 bytes.
 * It never changes, so that the ratio engine / kernel can be compared between days and machines. */
#include <stdint.h>

static uint64_t s[4] = {1, 2, 3, 4};

static inline uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t next(void) {
    uint64_t out = rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotl(s[3], 45);
    return out;
}

/* Shuffle n times; the sum keeps the compiler from dropping the work. */
uint64_t kernel(uint64_t n) {
    uint8_t cards[120];
    uint64_t sum = 0;
    for (uint64_t k = 0; k < n; k++) {
        for (int i = 0; i < 120; i++) {
            int j = (int)(((unsigned __int128)next() * (uint64_t)(i + 1)) >> 64);
            cards[i] = cards[j];
            cards[j] = (uint8_t)i;
        }
        sum += cards[k % 120];
    }
    return sum;
}
