/* An allocator whose k-th call fails, and that counts what is still alive: for loops over every k. */
#ifndef BRN_TESTS_UNIT_FAULTY_H
#define BRN_TESTS_UNIT_FAULTY_H

#include "test.h"

typedef struct faulty {
    long calls, fail_at, alive; /* fail_at < 0: never */
} faulty;

static inline void *faulty_realloc(void *user, void *block, size_t size)
{
    faulty *f = user;
    if (size == 0) {
        __atomic_sub_fetch(&f->alive, block != NULL, __ATOMIC_RELAXED);
        free(block);
        return NULL;
    }
    if (__atomic_fetch_add(&f->calls, 1, __ATOMIC_RELAXED) == f->fail_at) {
        return NULL;
    }
    void *grown = realloc(block, size);
    __atomic_add_fetch(&f->alive, block == NULL && grown != NULL, __ATOMIC_RELAXED);
    return grown;
}

static inline brn_ctx *faulty_ctx(faulty *f, int threads)
{
    *f = (faulty){.fail_at = -1};
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = threads;
    options.realloc = faulty_realloc;
    options.realloc_user = f;
    brn_ctx *ctx = NULL;
    assert_int_equal(brn_ctx_create(&options, &ctx), BRN_OK);
    return ctx;
}

/* Runs `work` with each allocation failing in turn until it gets through; every failure must report BRN_ERR_MEMORY and
   leak nothing, but for `absorbed` of them that a library below may get around. Returns the number of failures seen. */
static inline long faulty_run(brn_status (*work)(brn_ctx *ctx, void *arg), void *arg, int absorbed)
{
    for (long k = 0; k < 100000; ++k) {
        faulty f;
        brn_ctx *ctx = faulty_ctx(&f, 1);
        f.fail_at = f.calls + k;
        const brn_status status = work(ctx, arg);
        const bool failed = f.calls > f.fail_at;
        absorbed -= failed && status == BRN_OK;
        if (status != BRN_OK || absorbed < 0) {
            if (status != BRN_ERR_MEMORY) {
                print_error("allocation %ld: %s: %s\n", k, brn_status_name(status), brn_ctx_message(ctx));
            }
            assert_int_equal(status, failed ? BRN_ERR_MEMORY : BRN_OK);
        }
        brn_ctx_destroy(ctx);
        assert_int_equal(f.alive, 0);
        if (!failed) {
            return k;
        }
    }
    fail_msg("the allocations do not end");
    return -1;
}

#endif
