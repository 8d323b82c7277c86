/* Lagged friction of a pair [Li et al. 2020, eq. 14]: E = F f0(|u|), u = P sum_k w_k (x_k - x_k^n), P = 1 - n n', with the
   smooth f0 whose slope f1 rises from 0 to 1 within eps = eps_v h. Its Hessian F (f1/|u| P + (f1' |u| - f1)/|u|^3 u u') is
   positive semi-definite by itself because f1' >= 0. */
#include "step/ipc/ipc.h"

#include "geom/mollifier.h"
#include "linalg/dense.h"
#include "step/ipc/ipc_barrier.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 12 };

/* f0, f1/|u| and (f1' |u| - f1)/|u|^3 at |u| = y. */
static void friction_law(double y, double eps, double *f0, double *f1_over, double *second)
{
    if (y < eps) {
        *f0 = y * y / eps * (1.0 - y / (3.0 * eps)) + eps / 3.0;
        *f1_over = (2.0 - y / eps) / eps;
        *second = y > 0.0 ? -1.0 / (eps * eps * y) : 0.0;
    } else {
        *f0 = y;
        *f1_over = 1.0 / y;
        *second = -1.0 / (y * y * y);
    }
}

/* Slip of a pair since x^n, across its normal; returns its length. */
static double slip(const brn_ipc *ipc, const brn_ipc_slide *s, const double *x, double u[3])
{
    memset(u, 0, 3 * sizeof *u);
    for (int k = 0; k < s->count; ++k) {
        for (int i = 0; i < 3; ++i) {
            const int at = 3 * s->node[k] + i;
            u[i] += s->weight[k] * (x[at] - ipc->from[at]);
        }
    }
    const double along = brn_dense_dot3(u, s->normal);
    for (int i = 0; i < 3; ++i) {
        u[i] -= along * s->normal[i];
    }
    return sqrt(brn_dense_dot3(u, u));
}

brn_status brn_ipc_renew_friction(brn_ipc *ipc, const double *x)
{
    const brn_candidate *all = brn_candidates_get(ipc->candidates);
    ipc->nslide = 0;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    for (int i = 0; i < ipc->ncontact; ++i) {
        const brn_ipc_contact *contact = &ipc->contact[i];
        const brn_candidate *c = &all[contact->candidate];
        const int last = c->kind == BRN_TOUCH_POINT_EDGE ? 2 : 3;
        const int a = ipc->skin->node_body[c->node[0]];
        const int b = ipc->skin->node_body[c->node[last]];
        const double mu = ipc->model->friction[a * ipc->model->nbody + b];
        if (!(mu > 0.0)) {
            continue;
        }
        double at[4][3];
        brn_ipc_slide s = {.count = contact->stencil.count};
        (void)brn_candidate_gather(c, x, at);
        const double d2 = brn_stencil_closest(contact->stencil, (const double(*)[3])at, s.weight, s.normal);
        const double d = sqrt(d2);
        for (int k = 0; k < s.count; ++k) {
            s.node[k] = c->node[contact->stencil.node[k]];
        }
        for (int k = 0; k < 3; ++k) {
            s.normal[k] /= d;
        }
        const double m = c->kind == BRN_TOUCH_EDGE_EDGE
                             ? brn_mollifier((const double(*)[3])at, brn_ipc_mollifier_threshold(ipc, c))
                             : 1.0;
        s.force = mu * c->area * m * brn_barrier_at(ipc->kappa, ipc->dhat, d2).force;
        BRN_GROW(ipc->ctx, ipc->slide, ipc->slide_capacity, ipc->nslide + 1);
        ipc->slide[ipc->nslide++] = s;
    }
    return BRN_OK;
}

double brn_ipc_friction_energy(const brn_ipc *ipc, const double *x)
{
    double sum = 0.0;
    for (int n = 0; n < ipc->nslide; ++n) {
        double u[3];
        double f0 = 0.0;
        double f1_over = 0.0;
        double second = 0.0;
        friction_law(slip(ipc, &ipc->slide[n], x, u), ipc->slip_scale, &f0, &f1_over, &second);
        sum += ipc->slide[n].force * f0;
    }
    return sum;
}

void brn_ipc_friction_gradient(const brn_ipc *ipc, const double *x, double *grad)
{
    const int dim = ipc->model->dim;
    for (int n = 0; n < ipc->nslide; ++n) {
        const brn_ipc_slide *s = &ipc->slide[n];
        double u[3];
        double f0 = 0.0;
        double f1_over = 0.0;
        double second = 0.0;
        friction_law(slip(ipc, s, x, u), ipc->slip_scale, &f0, &f1_over, &second);
        for (int k = 0; k < s->count; ++k) {
            for (int i = 0; i < dim; ++i) {
                grad[s->node[k] * dim + i] += s->force * f1_over * s->weight[k] * u[i];
            }
        }
    }
}

void brn_ipc_friction_hessian(const brn_ipc *ipc, const brn_ipc_slide *s, const double *x, double *h)
{
    double u[3];
    double f0 = 0.0;
    double f1_over = 0.0;
    double second = 0.0;
    friction_law(slip(ipc, s, x, u), ipc->slip_scale, &f0, &f1_over, &second);
    memset(h, 0, WIDTH * WIDTH * sizeof *h);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double across = (i == j ? 1.0 : 0.0) - s->normal[i] * s->normal[j];
            const double core = s->force * (f1_over * across + second * u[i] * u[j]);
            for (int p = 0; p < s->count; ++p) {
                for (int q = 0; q < s->count; ++q) {
                    h[(3 * p + i) * WIDTH + 3 * q + j] = s->weight[p] * s->weight[q] * core;
                }
            }
        }
    }
}
