/* A pthread pool owned by the ctx. Work is cut into blocks whose size never depends on the number of workers, and a
   block's result is stored by its index, so any number of threads gives the same bits. */
#ifndef BRN_BASE_PARALLEL_H
#define BRN_BASE_PARALLEL_H

#include "base/arena.h"

/* One block of work. scratch is the worker's arena, rewound after the block. Returns BRN_OK or a negative status;
   must not call brn_fail or brn_parallel_for. */
typedef brn_status (*brn_block_fn)(void *arg, int block, brn_arena *scratch);

/* Runs all blocks, in any order; returns the status of the lowest block that failed (every block is run). */
brn_status brn_parallel_for(brn_ctx *ctx, int nblocks, brn_block_fn fn, void *arg);

/* Number of blocks of `size` items that cover n, and the end of one of them. */
static inline int brn_block_count(int n, int size)
{
    return (n + size - 1) / size;
}

static inline int brn_block_end(int n, int size, int block)
{
    const long long end = ((long long)block + 1) * size;
    return end < n ? (int)end : n;
}

brn_status brn_pool_create(brn_ctx *ctx, int threads, brn_pool **out);
void brn_pool_destroy(brn_ctx *ctx, brn_pool *pool);
int brn_pool_workers(const brn_pool *pool);
brn_arena *brn_pool_arena(brn_pool *pool, int index);

#endif
