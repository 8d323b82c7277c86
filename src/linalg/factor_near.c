/* [Hestenes & Stiefel 1952], from x = 0. */
#include "linalg/factor_near.h"

#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DOFS = 4096 }; /* of one parallel block; partial sums are added in block order */

/* Operations of a factorisation that take as long as what an iteration does with one entry of the factor: 20 GFLOP/s against
   0.8 ns, which is 11 on small factors and 40 on those that no cache holds. */
static const double FLOPS_PER_ENTRY = 10.0;
enum { CAP_LEAST = 4, TREND = 3 }; /* iterations worth a try, and those after which their trend counts */

typedef struct near {
    brn_ctx *ctx;
    const unsigned char *fixed;
    size_t ndof;
    const double *b, *small;
    double *x, *r, *z, *p, *q; /* [ndof]; all but x are 0 at fixed dofs */
    int nblocks;
    double *part; /* [nblocks] partial results */
    double alpha, beta;
} near;

static size_t block_end(const near *w, int block)
{
    return (size_t)brn_block_end((int)w->ndof, DOFS, block);
}

/* r = b, x = 0 */
static brn_status begin(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    near *w = arg;
    for (size_t i = (size_t)block * DOFS; i < block_end(w, block); ++i) {
        w->r[i] = w->fixed != NULL && w->fixed[i] ? 0.0 : w->b[i];
        w->x[i] = 0.0;
        w->p[i] = 0.0;
    }
    return BRN_OK;
}

/* p = z + beta p */
static brn_status turn(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    near *w = arg;
    for (size_t i = (size_t)block * DOFS; i < block_end(w, block); ++i) {
        w->p[i] = w->z[i] + w->beta * w->p[i];
    }
    return BRN_OK;
}

/* p . q, with q made 0 at fixed dofs */
static brn_status curvature(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    near *w = arg;
    double sum = 0.0;
    for (size_t i = (size_t)block * DOFS; i < block_end(w, block); ++i) {
        w->q[i] = w->fixed != NULL && w->fixed[i] ? 0.0 : w->q[i];
        sum += w->p[i] * w->q[i];
    }
    w->part[block] = sum;
    return BRN_OK;
}

/* x += alpha p, r -= alpha q; how many entries of x are not small */
static brn_status advance(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    near *w = arg;
    int large = 0;
    for (size_t i = (size_t)block * DOFS; i < block_end(w, block); ++i) {
        w->x[i] += w->alpha * w->p[i];
        w->r[i] -= w->alpha * w->q[i];
        large += w->small == NULL || fabs(w->x[i]) > w->small[i];
    }
    w->part[block] = large;
    return BRN_OK;
}

static brn_status residual(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    near *w = arg;
    double sum = 0.0;
    for (size_t i = (size_t)block * DOFS; i < block_end(w, block); ++i) {
        sum += w->r[i] * w->z[i];
    }
    w->part[block] = sum;
    return BRN_OK;
}

static brn_status sum_of(near *w, brn_block_fn fn, double *sum)
{
    BRN_TRY(brn_parallel_for(w->ctx, w->nblocks, fn, w));
    *sum = 0.0;
    for (int i = 0; i < w->nblocks; ++i) {
        *sum += w->part[i];
    }
    return BRN_OK;
}

static brn_status workspace(near *w)
{
    brn_arena *arena = brn_ctx_arena(w->ctx);
    w->nblocks = brn_block_count((int)w->ndof, DOFS);
    BRN_TAKE(arena, w->r, w->ndof);
    BRN_TAKE(arena, w->z, w->ndof);
    BRN_TAKE(arena, w->p, w->ndof);
    BRN_TAKE(arena, w->q, w->ndof);
    BRN_TAKE(arena, w->part, w->nblocks);
    return BRN_OK;
}

static brn_status iterate(near *w, brn_factor *factor, const brn_block_matrix *a, const brn_near_goal *goal,
                          bool *done)
{
    const int cap = brn_factor_near_cap(factor);
    double size = 0.0; /* r . z at the start, and now */
    BRN_TRY(brn_parallel_for(w->ctx, w->nblocks, begin, w));
    BRN_TRY(brn_factor_solve_rounded(factor, w->r, w->z));
    BRN_TRY(sum_of(w, residual, &size));
    double now = size;
    double rate = 1.0; /* of the iteration before */
    *done = size == 0.0;
    w->beta = 0.0;
    for (int k = 1; k <= cap && now > 0.0 && isfinite(now); ++k) {
        double pq = 0.0;
        double before = now;
        BRN_TRY(brn_ctx_check(w->ctx));
        BRN_TRY(brn_parallel_for(w->ctx, w->nblocks, turn, w));
        BRN_TRY(brn_block_matrix_multiply(a, w->p, w->q));
        BRN_TRY(sum_of(w, curvature, &pq));
        if (!(pq > 0.0) || !isfinite(pq)) {
            return BRN_OK;
        }
        w->alpha = now / pq;
        double large = 0.0;
        BRN_TRY(sum_of(w, advance, &large));
        const double error = large > 0.0 ? goal->error : goal->error_small;
        /* Another substitution would only tell what the rate tells already. */
        *done = rate < 1.0 && now * rate <= error * error * size;
        if (*done) {
            return BRN_OK;
        }
        BRN_TRY(brn_factor_solve_rounded(factor, w->r, w->z));
        BRN_TRY(sum_of(w, residual, &now));
        *done = now <= error * error * size;
        /* At this pace the cap comes first. */
        const bool hopeless = k >= TREND && k * log(error * error) < cap * log(now / size);
        if (*done || hopeless) {
            return BRN_OK;
        }
        w->beta = now / before;
        rate = now / before;
    }
    return BRN_OK;
}

int brn_factor_near_cap(const brn_factor *factor)
{
    brn_factor_stats stats;
    brn_factor_get_stats(factor, &stats);
    const double cap = 0.5 * stats.flops / (FLOPS_PER_ENTRY * stats.nonzeros);
    return cap >= CAP_LEAST ? (int)fmin(cap, 1e6) : 0;
}

brn_status brn_factor_solve_near(brn_factor *factor, const brn_block_matrix *a, const unsigned char *fixed,
                                 const double *b, const brn_near_goal *goal, double *x, bool *done)
{
    near w = {.ctx = a->ctx,
              .fixed = fixed,
              .ndof = (size_t)a->n * (size_t)a->size,
              .b = b,
              .small = goal->small,
              .x = x};
    brn_arena *arena = brn_ctx_arena(a->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    *done = false;
    brn_status status = workspace(&w);
    if (status >= 0) {
        status = iterate(&w, factor, a, goal, done);
    }
    brn_arena_rewind(arena, mark);
    for (size_t i = 0; fixed != NULL && i < w.ndof; ++i) {
        x[i] = fixed[i] ? b[i] : x[i];
    }
    return status;
}
