#include "step/inversion.h"

#include "base/parallel.h"
#include "geom/volume_bound.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 512 };
static const double KEEP = 0.1; /* of the volume at the start */

/* Elements are numbered through in the order of solids. */
typedef struct inversion_job {
    const brn_model *model;
    const double (*x0)[3], (*x1)[3];
    const int *first; /* [nsolid + 1] number of each solid's first element */
    double *fraction; /* by block */
} inversion_job;

static bool is_finite(int count, const double x0[][3], const double x1[][3])
{
    bool good = true;
    for (int a = 0; a < count; ++a) {
        for (int i = 0; i < 3; ++i) {
            good = good && isfinite(x0[a][i]) && isfinite(x1[a][i]);
        }
    }
    return good;
}

/* Nodes 1.. of a simplex whose edges from node 0 = 0 are the columns of d(current)/d(reference), at a quadrature point.
   Relative to node 0, as shape gradients sum to zero. */
static void columns(const brn_solid *solid, int quad, const double x[][3], double out[4][3])
{
    const int nnode = solid->element->nnode, dim = solid->element->dim;
    const double *dn = solid->reference + quad * nnode * dim;
    memset(out, 0, 4 * sizeof out[0]);
    for (int a = 1; a < nnode; ++a) {
        for (int r = 0; r < dim; ++r) {
            for (int i = 0; i < dim; ++i) {
                out[r + 1][i] += dn[a * dim + r] * (x[a][i] - x[0][i]);
            }
        }
    }
}

/* Of one element with its nodes at x0 and x1. */
static double element_bound(const brn_solid *solid, const double x0[][3], const double x1[][3])
{
    const brn_element *element = solid->element;
    const bool simplex = element->cell == BRN_TET4 || element->cell == BRN_TRI3;
    double fraction = 1.0;
    for (int quad = 0; quad < (simplex ? 1 : element->nquad); ++quad) {
        double column0[4][3], column1[4][3];
        const double(*from)[3] = x0, (*to)[3] = x1;
        if (!simplex) {
            columns(solid, quad, x0, column0);
            columns(solid, quad, x1, column1);
            from = (const double(*)[3])column0;
            to = (const double(*)[3])column1;
        }
        const double t = element->dim == 3 ? brn_bound_tet_volume(from, to, KEEP, 1.0)
                                           : brn_bound_tri_area(from, to, KEEP, 1.0);
        if (!(t > 0.0) && !is_finite(element->nnode, x0, x1)) {
            return 0.0;
        }
        fraction = t > 0.0 && t < fraction ? t : fraction;
    }
    return fraction;
}

static brn_status bound_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const inversion_job *job = arg;
    const brn_model *model = job->model;
    const int begin = block * BLOCK, end = brn_block_end(job->first[model->nsolid], BLOCK, block);
    /* The solid of the first element, by bisection. */
    int s = 0, above = model->nsolid;
    while (above - s > 1) {
        const int middle = s + (above - s) / 2;
        if (job->first[middle] <= begin) {
            s = middle;
        } else {
            above = middle;
        }
    }
    double fraction = 1.0;
    for (int e = begin; e < end; ++e) {
        while (e >= job->first[s + 1]) {
            ++s;
        }
        const brn_solid *solid = model->solid[s];
        const int nnode = solid->element->nnode;
        const int *conn = solid->conn + (size_t)(e - job->first[s]) * (size_t)nnode;
        double x0[BRN_ELEMENT_NODES_MAX][3], x1[BRN_ELEMENT_NODES_MAX][3];
        for (int a = 0; a < nnode; ++a) {
            memcpy(x0[a], job->x0[conn[a]], sizeof x0[a]);
            memcpy(x1[a], job->x1[conn[a]], sizeof x1[a]);
        }
        fraction = fmin(fraction, element_bound(solid, (const double(*)[3])x0, (const double(*)[3])x1));
    }
    job->fraction[block] = fraction;
    return BRN_OK;
}

static brn_status run(brn_ctx *ctx, brn_arena *arena, inversion_job *job, double *fraction)
{
    const brn_model *model = job->model;
    int *first = NULL;
    BRN_TAKE(arena, first, model->nsolid + 1);
    first[0] = 0;
    for (int s = 0; s < model->nsolid; ++s) {
        first[s + 1] = first[s] + model->solid[s]->nelem;
    }
    job->first = first;
    const int nblocks = brn_block_count(first[model->nsolid], BLOCK);
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
    inversion_job job = {.model = model, .x0 = (const double(*)[3])x0, .x1 = (const double(*)[3])x1};
    const brn_status status = run(ctx, arena, &job, fraction);
    brn_arena_rewind(arena, mark);
    return status;
}
