/* How far a Newton step may go: nothing may touch (CCD) and no element may turn inside out. */
#include "step/ipc/ipc.h"

#include "base/parallel.h"
#include "geom/ccd.h"
#include "geom/volume_bound.h"
#include "step/inversion.h"

#include <math.h>
#include <string.h>

enum { CCD_BLOCK = 128 };

/* How much of the gap a step keeps. */
static const double KEEP = 0.1;
/* How much of it may be used up with nothing to look at: clearly less than 1 - KEEP, so that looking changes nothing. */
static const double FREE = 0.8;

static double time_of_impact(const brn_candidate *c, const double *x0, const double *x1, double t_max)
{
    double a[4][3];
    double b[4][3];
    const int count = brn_candidate_gather(c->node, x0, a);
    (void)brn_candidate_gather(c->node, x1, b);
    const double(*from)[3] = (const double(*)[3])a;
    const double(*to)[3] = (const double(*)[3])b;
    switch (c->kind) {
    case BRN_TOUCH_POINT_EDGE:
        return brn_ccd_point_edge(from, to, c->offset, KEEP, t_max);
    case BRN_TOUCH_POINT_TRIANGLE:
        return brn_ccd_point_triangle(from, to, c->offset, KEEP, t_max);
    case BRN_TOUCH_EDGE_EDGE:
        return brn_ccd_edge_edge(from, to, c->offset, KEEP, t_max);
    case BRN_TOUCH_POINT_POINT:
        return brn_ccd_point_point(from, to, c->offset, KEEP, t_max);
    default:
        return count == 4 ? brn_bound_plane(from, to, c->offset, KEEP, t_max)
                          : brn_bound_line(from, to, c->offset, KEEP, t_max);
    }
}

typedef struct ccd_job {
    const brn_ipc *ipc;
    brn_candidate_view view;
    const double *x0, *x1;
    double *bound; /* by block */
} ccd_job;

static brn_status ccd_block(void *arg, int block, brn_arena *scratch)
{
    const ccd_job *job = arg;
    (void)scratch;
    const int end = brn_block_end(job->view.count, CCD_BLOCK, block);
    double t = 1.0;
    for (int i = block * CCD_BLOCK; i < end && t > 0.0; ++i) {
        const brn_candidate *c = &job->view.item[i];
        const double gap = brn_candidate_least(&job->view, i) - c->offset;
        if (FREE * gap > brn_candidate_drift(c, job->view.step) ||
            !brn_candidates_near(job->ipc->candidates, c, job->x0, job->x1, job->ipc->dhat)) {
            continue;
        }
        t = fmin(t, time_of_impact(c, job->x0, job->x1, t));
    }
    job->bound[block] = t;
    return BRN_OK;
}

brn_status brn_ipc_bound(void *self, const double *x, const double *step, double *fraction)
{
    brn_ipc *ipc = self;
    brn_model_move(ipc->model, x, step, ipc->far);
    BRN_TRY(brn_inversion_bound(ipc->ctx, ipc->model, x, ipc->far, fraction));
    BRN_TRY(brn_ipc_find_candidates(ipc, x, ipc->far));
    ccd_job job = {.ipc = ipc, .x0 = x, .x1 = ipc->far};
    brn_candidates_view(ipc->candidates, x, ipc->far, &job.view);
    const int nblocks = brn_block_count(job.view.count, CCD_BLOCK);
    BRN_GROW(ipc->ctx, ipc->local, ipc->local_capacity, nblocks);
    job.bound = ipc->local;
    BRN_TRY(brn_parallel_for(ipc->ctx, nblocks, ccd_block, &job));
    for (int b = 0; b < nblocks; ++b) {
        *fraction = fmin(*fraction, job.bound[b]);
    }
    return *fraction > 0.0 ? BRN_OK
                           : brn_fail(ipc->ctx, BRN_ERR_CONVERGENCE,
                                      "two parts touch or an element is flat: no step can be taken");
}
