/* Radix sort. Large arrays are first dealt into 256 ranges by their highest digit, block by block; where each block's keys go
   is known beforehand, so this is stable and parallel. The ranges fit a cache and are then sorted from the lowest digit up,
   each by one worker. */
#include "base/radix.h"

#include "base/parallel.h"

#include <string.h>

enum {
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    FEW = 48,          /* up to here insertion is faster than counting */
    ALONE = 8192,      /* up to here one worker sorts without dealing */
    DEAL_BLOCK = 16384 /* keys a block of the dealing */
};

typedef struct deal {
    uint64_t *key, *temp;
    size_t n;
    int low;
    int shift;               /* lowest bit of the dealt digit */
    size_t (*place)[DIGITS]; /* [nblock] counts, then where the block's next key of a digit goes */
    size_t start[DIGITS + 1];
} deal;

static void sort_few(uint64_t *key, size_t n, int low, int high)
{
    const uint64_t mask = (~UINT64_C(0) >> (64 - (high - low))) << low;
    for (size_t i = 1; i < n; ++i) {
        const uint64_t moving = key[i];
        size_t j = i;
        for (; j > 0 && (key[j - 1] & mask) > (moving & mask); --j) {
            key[j] = key[j - 1];
        }
        key[j] = moving;
    }
}

/* Sorts `from`, using `other`, and leaves the result in `want`, which is one of the two. */
static void sort_range(uint64_t *from, uint64_t *other, uint64_t *want, size_t n, int low, int high)
{
    uint64_t varying = 0;
    for (size_t i = 1; i < n; ++i) {
        varying |= from[i] ^ from[0];
    }
    if (n > 1 && high > low && n <= FEW) {
        sort_few(from, n, low, high);
        varying = 0;
    }
    for (int shift = low; shift < high; shift += DIGIT_BITS) {
        const int bits = high - shift < DIGIT_BITS ? high - shift : DIGIT_BITS;
        const uint64_t mask = (UINT64_C(1) << bits) - 1;
        if ((varying >> shift & mask) == 0) {
            continue;
        }
        size_t place[DIGITS] = {0};
        for (size_t i = 0; i < n; ++i) {
            place[from[i] >> shift & mask]++;
        }
        size_t sum = 0;
        for (int d = 0; d < DIGITS; ++d) {
            const size_t count = place[d];
            place[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; ++i) {
            other[place[from[i] >> shift & mask]++] = from[i];
        }
        uint64_t *swap = from;
        from = other;
        other = swap;
    }
    if (from != want && n > 0) {
        memcpy(want, from, n * sizeof *want);
    }
}

static size_t deal_end(const deal *d, int block)
{
    const size_t end = ((size_t)block + 1) * DEAL_BLOCK;
    return end < d->n ? end : d->n;
}

static brn_status count_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    deal *d = arg;
    size_t *count = d->place[block];
    memset(count, 0, sizeof *d->place);
    for (size_t i = (size_t)block * DEAL_BLOCK; i < deal_end(d, block); ++i) {
        count[d->key[i] >> d->shift & (DIGITS - 1)]++;
    }
    return BRN_OK;
}

static brn_status deal_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    deal *d = arg;
    size_t *place = d->place[block];
    for (size_t i = (size_t)block * DEAL_BLOCK; i < deal_end(d, block); ++i) {
        d->temp[place[d->key[i] >> d->shift & (DIGITS - 1)]++] = d->key[i];
    }
    return BRN_OK;
}

static brn_status range_block(void *arg, int range, brn_arena *scratch)
{
    (void)scratch;
    deal *d = arg;
    const size_t first = d->start[range];
    sort_range(d->temp + first, d->key + first, d->key + first, d->start[range + 1] - first, d->low,
               d->shift);
    return BRN_OK;
}

brn_status brn_radix_sort(brn_ctx *ctx, uint64_t *key, uint64_t *temp, size_t n, int low, int high)
{
    if (low >= high || n < 2) {
        return BRN_OK;
    }
    if (n <= ALONE || high - low <= DIGIT_BITS) {
        sort_range(key, temp, key, n, low, high);
        return BRN_OK;
    }
    const size_t nblock = (n + DEAL_BLOCK - 1) / DEAL_BLOCK;
    if (nblock > INT32_MAX) {
        return brn_fail(ctx, BRN_ERR_LIMIT, "%zu keys are too many to sort", n);
    }
    deal d = {.key = key, .temp = temp, .n = n, .low = low, .shift = high - DIGIT_BITS};
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    BRN_TAKE(arena, d.place, nblock);
    (void)brn_parallel_for(ctx, (int)nblock, count_block, &d);
    size_t sum = 0;
    for (int digit = 0; digit < DIGITS; ++digit) {
        d.start[digit] = sum;
        for (size_t block = 0; block < nblock; ++block) {
            const size_t count = d.place[block][digit];
            d.place[block][digit] = sum;
            sum += count;
        }
    }
    d.start[DIGITS] = sum;
    (void)brn_parallel_for(ctx, (int)nblock, deal_block, &d);
    (void)brn_parallel_for(ctx, DIGITS, range_block, &d);
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}
