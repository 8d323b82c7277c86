#include "geom/box.h"

#include "base/parallel.h"

#include <float.h>
#include <math.h>

enum { SWEEP_BLOCK = 4096 };

typedef struct sweep_job {
    const brn_box_sweep *sweep;
    brn_box *out;
} sweep_job;

/* Returns 0, or NaN for a position that is not finite. */
static double include(brn_box *box, const double x[3])
{
    double poison = 0.0;
    for (int k = 0; k < 3; ++k) {
        box->lo[k] = x[k] < box->lo[k] ? x[k] : box->lo[k];
        box->hi[k] = x[k] > box->hi[k] ? x[k] : box->hi[k];
        poison += x[k] - x[k];
    }
    return poison;
}

/* a - margin or less, a + margin or more: the rounded value is off by at most half a unit in its last place, and 2^-52 of it
   is one unit or more. (Differences so small that they are subnormal are exact.) */
static void grow(brn_box *box, double margin)
{
    for (int k = 0; k < 3; ++k) {
        const double lo = box->lo[k] - margin, hi = box->hi[k] + margin;
        box->lo[k] = lo - DBL_EPSILON * fabs(lo);
        box->hi[k] = hi + DBL_EPSILON * fabs(hi);
    }
}

static brn_status sweep_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const sweep_job *job = arg;
    const brn_box_sweep *s = job->sweep;
    const int end = brn_block_end(s->count, SWEEP_BLOCK, block);
    for (int i = block * SWEEP_BLOCK; i < end; ++i) {
        brn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        double poison = 0.0;
        for (int j = 0; j < s->width; ++j) {
            const int node = s->node != NULL ? s->node[(size_t)i * (size_t)s->width + (size_t)j] : i;
            poison += include(&box, s->x0[node]);
            if (s->x1 != NULL) {
                poison += include(&box, s->x1[node]);
            }
        }
        if (s->margin > 0.0) {
            grow(&box, s->margin);
        }
        /* A NaN ends up in the box, where the tree detects it. */
        box.lo[0] += poison;
        job->out[i] = box;
    }
    return BRN_OK;
}

brn_status brn_box_sweep_all(brn_ctx *ctx, const brn_box_sweep *sweep, brn_box *out)
{
    if (sweep->count < 0 || sweep->width < 1 || !(sweep->margin >= 0.0) || !isfinite(sweep->margin)) {
        return brn_fail(ctx, BRN_ERR_RANGE,
                        "boxes: %d items of %d nodes, margin %g m: must be >= 0, >= 1, >= 0", sweep->count,
                        sweep->width, sweep->margin);
    }
    sweep_job job = {sweep, out};
    return brn_parallel_for(ctx, brn_block_count(sweep->count, SWEEP_BLOCK), sweep_block, &job);
}
