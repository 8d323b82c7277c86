/* Sorting of 64-bit keys by some of their bits: stable, and the same result for any number of threads. */
#ifndef BRN_BASE_RADIX_H
#define BRN_BASE_RADIX_H

#include "base/ctx.h"

#include <stdint.h>

/* Sorts key[n] ascending by its bits low <= bit < high <= 64; keys that agree there keep their order. temp: [n] scratch.
   Takes only scratch from the ctx's arena; on BRN_ERR_MEMORY the keys are as they were. */
brn_status brn_radix_sort(brn_ctx *ctx, uint64_t *key, uint64_t *temp, size_t n, int low, int high);

/* Number of bits that hold the integers 0 ... count - 1; at least 1. */
static inline int brn_radix_bits(uint64_t count)
{
    return count <= 2 ? 1 : 64 - __builtin_clzll(count - 1);
}

#endif
