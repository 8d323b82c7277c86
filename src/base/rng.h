/* A small random number generator (splitmix64 [Steele, Lea, Flood 2014]); its whole state is one integer. */
#ifndef BRN_BASE_RNG_H
#define BRN_BASE_RNG_H

#include <stdint.h>

typedef struct brn_rng {
    uint64_t state;
} brn_rng;

static inline uint64_t brn_rng_next(brn_rng *rng)
{
    uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [lo, hi). */
static inline double brn_rng_uniform(brn_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(brn_rng_next(rng) >> 11) * 0x1p-53);
}

#endif
