/* What Newton's method asks of contact: energy, gradient and Hessian of barriers and friction, and the bound of a step by
   CCD. */
#include "step/ipc/ipc.h"

#include "geom/ccd.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 12 };

/* How much of the gap a step keeps. */
static const double KEEP = 0.1;

static brn_status ipc_energy(void *self, const double *x, double *value)
{
    brn_ipc *ipc = self;
    double sum = 0.0;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    for (int i = 0; i < ipc->ncontact; ++i) {
        sum += brn_ipc_barrier_term(ipc, &ipc->contact[i], x, NULL, NULL);
    }
    *value = sum + brn_ipc_friction_energy(ipc, x);
    return BRN_OK;
}

static brn_status ipc_gradient(void *self, const double *x, double *grad)
{
    brn_ipc *ipc = self;
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    const int dim = ipc->model->dim;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    brn_ipc_friction_gradient(ipc, x, grad);
    for (int n = 0; n < ipc->ncontact; ++n) {
        const brn_candidate *c = &all[ipc->contact[n].candidate];
        double g[WIDTH];
        (void)brn_ipc_barrier_term(ipc, &ipc->contact[n], x, g, NULL);
        for (int k = 0; k < 4 && c->node[k] >= 0; ++k) {
            for (int i = 0; i < dim; ++i) {
                grad[c->node[k] * dim + i] += g[3 * k + i];
            }
        }
    }
    return BRN_OK;
}

/* Adds a local matrix (rows of 3 a node, WIDTH long) to the blocks of its nodes' upper triangle. */
static void add_local(brn_block_matrix *a, const int *node, int count, const double *local)
{
    const int dim = a->size;
    for (int p = 0; p < count; ++p) {
        for (int q = 0; q < count; ++q) {
            if (node[p] > node[q]) {
                continue;
            }
            const int at = brn_block_matrix_find(a, node[p], node[q]);
            double *block = &a->value[(size_t)at * (size_t)(dim * dim)];
            for (int e = 0; e < dim * dim; ++e) {
                block[e] += local[(3 * p + e / dim) * WIDTH + 3 * q + e % dim];
            }
        }
    }
}

/* The nodes of every contact, 4 each (the last repeated where there are 3): whether they are those of the last pattern. */
static brn_status read_pattern(brn_ipc *ipc, bool *anew)
{
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    const int n = ipc->ncontact + ipc->nslide;
    *anew = ipc->sum == NULL || n != ipc->npattern;
    BRN_GROW(ipc->ctx, ipc->pattern, ipc->pattern_capacity, 4 * (size_t)n);
    for (int i = 0; i < n; ++i) {
        const int *node =
            i < ipc->ncontact ? all[ipc->contact[i].candidate].node : ipc->slide[i - ipc->ncontact].node;
        const int count = i >= ipc->ncontact ? ipc->slide[i - ipc->ncontact].count : node[3] >= 0 ? 4 : 3;
        for (int k = 0; k < 4; ++k) {
            const int value = node[k < count ? k : count - 1];
            *anew = *anew || ipc->pattern[4 * i + k] != value;
            ipc->pattern[4 * i + k] = value;
        }
    }
    ipc->npattern = n;
    return BRN_OK;
}

static brn_status make_sum(brn_ipc *ipc)
{
    const brn_model *model = ipc->model;
    brn_stencils *lists = NULL;
    BRN_ALLOC(ipc->ctx, lists, model->nsolid + 1);
    for (int i = 0; i < model->nsolid; ++i) {
        const brn_solid *solid = model->solid[i];
        lists[i] = (brn_stencils){solid->nelem, solid->element->nnode, solid->conn};
    }
    lists[model->nsolid] = (brn_stencils){ipc->npattern, 4, ipc->pattern};
    brn_block_matrix_destroy(ipc->sum);
    ipc->sum = NULL;
    const brn_status status =
        brn_block_matrix_create(ipc->ctx, model->nnode, model->dim, lists, model->nsolid + 1, &ipc->sum);
    brn_free(ipc->ctx, lists);
    return status;
}

static brn_status ipc_hessian(void *self, const double *x, const brn_block_matrix *base,
                              brn_block_matrix **sum, bool *anew)
{
    brn_ipc *ipc = self;
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    BRN_TRY(read_pattern(ipc, anew));
    if (*anew) {
        BRN_TRY(make_sum(ipc));
    }
    brn_block_matrix_zero(ipc->sum);
    BRN_TRY(brn_block_matrix_add(ipc->sum, 1.0, base));
    double h[WIDTH * WIDTH];
    for (int n = 0; n < ipc->ncontact; ++n) {
        const brn_candidate *c = &all[ipc->contact[n].candidate];
        BRN_TRY(brn_ipc_barrier_projected(ipc, &ipc->contact[n], x, h));
        add_local(ipc->sum, c->node, c->node[3] >= 0 ? 4 : 3, h);
    }
    for (int n = 0; n < ipc->nslide; ++n) {
        brn_ipc_friction_hessian(ipc, &ipc->slide[n], x, h);
        add_local(ipc->sum, ipc->slide[n].node, ipc->slide[n].count, h);
    }
    *sum = ipc->sum;
    return BRN_OK;
}

static double time_of_impact(const brn_candidate *c, const double *x0, const double *x1, double t_max)
{
    double a[4][3];
    double b[4][3];
    (void)brn_candidate_gather(c, x0, a);
    (void)brn_candidate_gather(c, x1, b);
    const double(*from)[3] = (const double(*)[3])a;
    const double(*to)[3] = (const double(*)[3])b;
    return c->kind == BRN_TOUCH_POINT_EDGE       ? brn_ccd_point_edge(from, to, 0.0, KEEP, t_max)
           : c->kind == BRN_TOUCH_POINT_TRIANGLE ? brn_ccd_point_triangle(from, to, 0.0, KEEP, t_max)
                                                 : brn_ccd_edge_edge(from, to, 0.0, KEEP, t_max);
}

static brn_status ipc_bound(void *self, const double *x, const double *step, double *fraction)
{
    brn_ipc *ipc = self;
    memcpy(ipc->far, x, (size_t)ipc->model->nnode * 3 * sizeof *ipc->far);
    for (int dof = 0; dof < ipc->system->ndof; ++dof) {
        ipc->far[dof / ipc->model->dim * 3 + dof % ipc->model->dim] += step[dof];
    }
    BRN_TRY(brn_candidates_find(ipc->candidates, x, ipc->far, ipc->dhat));
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    double t = 1.0;
    for (int i = 0; i < brn_candidates_count(ipc->candidates) && t > 0.0; ++i) {
        t = fmin(t, time_of_impact(&all[i], x, ipc->far, t));
    }
    *fraction = t;
    return t > 0.0 ? BRN_OK
                   : brn_fail(ipc->ctx, BRN_ERR_CONVERGENCE, "two parts touch: no step can be taken");
}

void brn_ipc_fill_terms(brn_ipc *ipc)
{
    ipc->terms = (brn_newton_terms){ipc, ipc_energy, ipc_gradient, ipc_hessian, ipc_bound};
}
