/* All candidates, in parallel: which are near, and how far a step may go before one of them meets. */
#include "contact/pair.h"

#include "base/parallel.h"
#include "contact/candidates_inner.h"

#include <math.h>
#include <string.h>

enum { FIND_BLOCK = 512, STEP_BLOCK = 128 };

/* Bounds of distances are accurate to rounding, which is far below SURE - 1. */
static const double SURE = 1.0 + 1e-9;
/* How much of the gap a step keeps. */
static const double KEEP = 0.1;
/* How much of it may be used up without a closer look: clearly less than 1 - KEEP, so that a look would change nothing. */
static const double FREE = 0.8;
/* Far above the rounding of a time. */
static const double AHEAD = 1.0 + 1e-6;

/* ---- near pairs ------------------------------------------------------------------------------------------------------------- */

typedef struct find_job {
    brn_candidate_view view;
    const double *x;
    double within;
    brn_contact_pair *to; /* [view.count], each block from its first candidate's place on */
    int *found;           /* by block */
} find_job;

static brn_status find_block(void *arg, int block, brn_arena *scratch)
{
    const find_job *job = arg;
    (void)scratch;
    const int first = block * FIND_BLOCK;
    const int end = brn_block_end(job->view.count, FIND_BLOCK, block);
    int count = 0;
    for (int i = first; i < end; ++i) {
        const brn_candidate *c = &job->view.item[i];
        /* Most are further apart, as their earlier distance shows. */
        if (brn_candidate_least(&job->view, i) > SURE * (fmin(job->within, c->reach) + c->offset)) {
            continue;
        }
        count += brn_pair_measure(c, job->x, job->within, &job->to[first + count]);
    }
    job->found[block] = count;
    return BRN_OK;
}

static brn_status find_pairs(brn_ctx *ctx, find_job *job, int *count)
{
    const int nblocks = brn_block_count(job->view.count, FIND_BLOCK);
    BRN_TAKE(brn_ctx_arena(ctx), job->found, nblocks);
    BRN_TRY(brn_parallel_for(ctx, nblocks, find_block, job));
    *count = 0;
    for (int b = 0; b < nblocks; ++b) {
        memmove(&job->to[*count], &job->to[b * FIND_BLOCK], (size_t)job->found[b] * sizeof *job->to);
        *count += job->found[b];
    }
    return BRN_OK;
}

brn_status brn_pairs_find(brn_candidates *candidates, const double *x, double within, brn_contact_pair *to,
                          int *count)
{
    brn_arena *arena = brn_ctx_arena(candidates->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    find_job job = {.x = x, .within = within, .to = to};
    brn_candidates_view(candidates, x, NULL, &job.view);
    const brn_status status = find_pairs(candidates->ctx, &job, count);
    brn_arena_rewind(arena, mark);
    return status;
}

/* ---- a free step ------------------------------------------------------------------------------------------------------------ */

typedef struct step_job {
    const brn_candidates *candidates;
    brn_candidate_view view;
    const double *x0, *x1;
    double within;
    double *bound; /* by block */
} step_job;

/* How far to look for a meeting where others allow t. A time below t must come out as if there were no others, to the last bit:
   which pairs share a block depends on the past (contact/candidates.h). CCD finds the same time with any limit clearly above it;
   the bound of a half-space depends on its range. */
static double limit_of(const brn_candidate *c, double t)
{
    return c->kind == BRN_TOUCH_POINT_PLANE ? 1.0 : fmin(1.0, AHEAD * t);
}

static brn_status step_block(void *arg, int block, brn_arena *scratch)
{
    const step_job *job = arg;
    (void)scratch;
    const int end = brn_block_end(job->view.count, STEP_BLOCK, block);
    BRN_TRY(brn_ctx_check(job->candidates->ctx));
    double t = 1.0;
    for (int i = block * STEP_BLOCK; i < end && t > 0.0; ++i) {
        const brn_candidate *c = &job->view.item[i];
        const double gap = brn_candidate_least(&job->view, i) - c->offset;
        if (FREE * gap > brn_candidate_drift(c, job->view.step) ||
            !brn_candidates_near(job->candidates, c, job->x0, job->x1, job->within)) {
            continue;
        }
        t = fmin(t, brn_pair_impact_time(c, job->x0, job->x1, KEEP, limit_of(c, t)));
    }
    job->bound[block] = t;
    return BRN_OK;
}

static brn_status bound_step(brn_ctx *ctx, step_job *job, double *fraction)
{
    const int nblocks = brn_block_count(job->view.count, STEP_BLOCK);
    BRN_TAKE(brn_ctx_arena(ctx), job->bound, nblocks);
    BRN_TRY(brn_parallel_for(ctx, nblocks, step_block, job));
    for (int b = 0; b < nblocks; ++b) {
        *fraction = fmin(*fraction, job->bound[b]);
    }
    return BRN_OK;
}

brn_status brn_pairs_free_step(brn_candidates *candidates, const double *x0, const double *x1, double within,
                               double *fraction)
{
    brn_arena *arena = brn_ctx_arena(candidates->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    step_job job = {.candidates = candidates, .x0 = x0, .x1 = x1, .within = within};
    brn_candidates_view(candidates, x0, x1, &job.view);
    const brn_status status = bound_step(candidates->ctx, &job, fraction);
    brn_arena_rewind(arena, mark);
    return status;
}
