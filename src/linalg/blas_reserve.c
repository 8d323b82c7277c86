#include "base/os.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

/* OpenBLAS's own; weak, because another build may do without. */
void *blas_memory_alloc(int position) __attribute__((weak));
void blas_memory_free(void *buffer) __attribute__((weak));

enum { BUFFER_MB = 128, WORKERS_MAX = 256 };

/* Buffers that are known to be there. They belong to the process, and so does their number. */
static atomic_int reserved;

static brn_status no_room(brn_ctx *ctx, int workers)
{
    char limit[64] = "";
    if (isfinite(brn_memory_limit_mb())) {
        (void)snprintf(limit, sizeof limit, " (the limit of this process, ulimit -v, is %.0f MB)",
                       brn_memory_limit_mb());
    }
    return brn_fail(
        ctx, BRN_ERR_MEMORY,
        "out of memory: OpenBLAS needs %d MB of address space for each of %d thread%s%s: raise the limit%s",
        BUFFER_MB, workers, workers == 1 ? "" : "s", limit, workers > 1 ? ", or take fewer threads" : "");
}

brn_status brn_blas_reserve(brn_ctx *ctx)
{
    const int workers = brn_ctx_threads(ctx) < WORKERS_MAX ? brn_ctx_threads(ctx) : WORKERS_MAX;
    const int before = atomic_load(&reserved);
    if (before >= workers) {
        return BRN_OK;
    }
    /* With the page that goes with it, and some rest for others. */
    const size_t bytes = ((size_t)BUFFER_MB + 1) << 20;
    const bool direct = blas_memory_alloc != NULL && blas_memory_free != NULL;
    void *buffer[WORKERS_MAX];
    int have = 0;
    /* All of them before the first is let go: OpenBLAS hands out the free ones first. */
    while (direct && have < workers && (have < before || brn_memory_has(bytes))) {
        buffer[have++] = blas_memory_alloc(0);
    }
    for (int i = 0; i < have; ++i) {
        blas_memory_free(buffer[i]);
    }
    if (direct ? have < workers : !brn_memory_has(bytes * (size_t)workers)) {
        return no_room(ctx, workers);
    }
    atomic_store(&reserved, workers);
    return BRN_OK;
}
