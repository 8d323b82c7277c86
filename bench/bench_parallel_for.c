/* The overhead of brn_parallel_for: empty blocks, beside a plain loop over the same function pointer, which is what the
   loop would cost without workers. */
#include "bench.h"

#include "base/parallel.h"

typedef struct job {
    brn_ctx *ctx;
    brn_block_fn fn;
    int nblocks, calls;
} job;

static brn_status empty_block(void *arg, int block, brn_arena *scratch)
{
    (void)arg;
    (void)block;
    (void)scratch;
    return BRN_OK;
}

static brn_status call_parallel(void *arg)
{
    const job *j = arg;
    for (int i = 0; i < j->calls; ++i) {
        BRN_TRY(brn_parallel_for(j->ctx, j->nblocks, j->fn, NULL));
    }
    return BRN_OK;
}

static brn_status call_plain(void *arg)
{
    const job *j = arg;
    /* volatile: the compiler must not see which function it is, as it cannot in the parallel loop. */
    const volatile brn_block_fn *fn = (const volatile brn_block_fn *)&j->fn;
    for (int i = 0; i < j->calls; ++i) {
        for (int block = 0; block < j->nblocks; ++block) {
            BRN_TRY((*fn)(NULL, block, NULL));
        }
    }
    return BRN_OK;
}

brn_status brn_bench_parallel_for(brn_bench *bench)
{
    /* Calls chosen so that a timing lasts some milliseconds. */
    static const int blocks[] = {1, 16, 256, 4096}, calls[] = {200000, 500, 500, 200};
    job j = {.ctx = brn_bench_ctx(bench), .fn = empty_block};
    for (int i = 0; i < 4; ++i) {
        j.nblocks = blocks[i];
        j.calls = calls[i];
        const char *plural = j.nblocks == 1 ? "" : "s";
        brn_bench_timing parallel, plain;
        BRN_TRY(brn_bench_measure(bench, call_parallel, &j, &parallel));
        BRN_TRY(brn_bench_measure(bench, call_plain, &j, &plain));
        const double call = parallel.wall / j.calls;
        BRN_TRY(brn_bench_add(bench, 1e6 * call, "us", "%d block%s, per call", j.nblocks, plural));
        BRN_TRY(
            brn_bench_add(bench, 1e9 * call / j.nblocks, "ns", "%d block%s, per block", j.nblocks, plural));
        BRN_TRY(brn_bench_add(bench, 1e9 * plain.wall / j.calls / j.nblocks, "ns",
                              "%d block%s, plain loop, per block", j.nblocks, plural));
        BRN_TRY(brn_bench_add(bench, parallel.cpu / parallel.wall, "cores", "%d block%s, busy", j.nblocks,
                              plural));
    }
    return BRN_OK;
}
