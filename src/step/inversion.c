#include "step/inversion.h"

#include "base/parallel.h"

#include <math.h>

enum { BLOCK = 512 }; /* elements */

/* Elements are numbered consecutively through the groups that set a bound. */
typedef struct inversion_job {
    const double (*x0)[3], (*x1)[3];
    const brn_element_group **group; /* those that set a bound */
    int ngroup;
    int *first;       /* [ngroup + 1] number of each group's first element */
    double *fraction; /* by block */
} inversion_job;

/* Blocks span groups, so that a hundred one-element bodies are one block. */
static brn_status bound_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const inversion_job *job = arg;
    const int begin = block * BLOCK, end = brn_block_end(job->first[job->ngroup], BLOCK, block);
    /* The group of the first element, by bisection. */
    int g = 0, above = job->ngroup;
    while (above - g > 1) {
        const int middle = g + (above - g) / 2;
        if (job->first[middle] <= begin) {
            g = middle;
        } else {
            above = middle;
        }
    }
    double fraction = 1.0;
    for (; g < job->ngroup && job->first[g] < end; ++g) {
        const int from = begin > job->first[g] ? begin : job->first[g];
        const int to = end < job->first[g + 1] ? end : job->first[g + 1];
        fraction = fmin(fraction, job->group[g]->kind->bound(job->group[g], job->x0, job->x1,
                                                             from - job->first[g], to - from));
    }
    job->fraction[block] = fraction;
    return BRN_OK;
}

static brn_status run(brn_ctx *ctx, const brn_model *model, brn_arena *arena, inversion_job *job,
                      double *fraction)
{
    BRN_TAKE(arena, job->group, model->ngroup);
    BRN_TAKE(arena, job->first, model->ngroup + 1);
    job->first[0] = 0;
    for (int g = 0; g < model->ngroup; ++g) {
        if (model->group[g]->kind->bound != NULL) {
            job->group[job->ngroup++] = model->group[g];
            job->first[job->ngroup] = job->first[job->ngroup - 1] + model->group[g]->nelem;
        }
    }
    const int nblocks = brn_block_count(job->first[job->ngroup], BLOCK);
    BRN_TAKE(arena, job->fraction, nblocks);
    BRN_TRY(brn_parallel_for(ctx, nblocks, bound_block, job));
    *fraction = 1.0;
    for (int b = 0; b < nblocks; ++b) {
        *fraction = fmin(*fraction, job->fraction[b]);
    }
    return BRN_OK;
}

brn_status brn_inversion_bound(brn_ctx *ctx, const brn_model *model, const double *x0, const double *x1,
                               double *fraction)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    inversion_job job = {.x0 = (const double(*)[3])x0, .x1 = (const double(*)[3])x1};
    const brn_status status = run(ctx, model, arena, &job, fraction);
    brn_arena_rewind(arena, mark);
    return status;
}
