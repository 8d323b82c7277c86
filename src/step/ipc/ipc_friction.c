/* Lagged friction of a pair [Li et al. 2020, eq. 14]: E = F f0(|u|), u = P sum_k w_k (x_k - x_k^n), P = 1 - n n',
   with the smooth f0 whose slope f1 rises from 0 to 1 within eps = eps_v h of the pair. Its Hessian
   F (f1/|u| P + (f1' |u| - f1)/|u|^3 u u') is positive semi-definite by itself because f1' >= 0. Friction acts at the surface,
   which may be away from the nodes (contact/lever.h). */
#include "step/ipc/ipc.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Slip u of a pair [m], f0 [m], f1/|u| and (f1' |u| - f1)/|u|^3. */
typedef struct law {
    double u[3], f0, f1_over, second;
} law;

void brn_ipc_slip(const brn_ipc *ipc, const brn_ipc_slide *s, const double *x, double u[3])
{
    memset(u, 0, 3 * sizeof *u);
    for (int k = 0; k < s->lever.count; ++k) {
        for (int i = 0; i < 3; ++i) {
            const int at = 3 * s->lever.node[k] + i;
            u[i] += s->lever.weight[k] * (x[at] - ipc->from[at]);
        }
    }
    const double along = brn_dense_dot3(u, s->normal);
    for (int i = 0; i < 3; ++i) {
        u[i] -= along * s->normal[i];
    }
}

static law law_of(const brn_ipc *ipc, const brn_ipc_slide *s, const double *x)
{
    const double eps = s->scale;
    law l;
    brn_ipc_slip(ipc, s, x, l.u);
    const double y = sqrt(brn_dense_dot3(l.u, l.u));
    if (y < eps) {
        l.f0 = y * y / eps * (1.0 - y / (3.0 * eps)) + eps / 3.0;
        l.f1_over = (2.0 - y / eps) / eps;
        l.second = y > 0.0 ? -1.0 / (eps * eps * y) : 0.0;
    } else {
        l.f0 = y;
        l.f1_over = 1.0 / y;
        l.second = -1.0 / (y * y * y);
    }
    return l;
}

/* ---- renewal ----------------------------------------------------------------------------------------------------------- */

brn_status brn_ipc_renew_friction(brn_ipc *ipc, const double *x)
{
    ipc->nslide = 0;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    for (int i = 0; i < ipc->ncontact; ++i) {
        const brn_contact_pair *c = &ipc->contact[i];
        const int count = brn_touch_count(c->node);
        const int a = ipc->skin->node_body[c->node[0]];
        const int b = ipc->skin->node_body[c->node[count - 1]];
        const double mu = ipc->system->controls->friction[brn_model_pair(ipc->model, a, b)];
        /* A negative share subtracts what others count twice: its own friction would drive the slip. */
        if (!(mu > 0.0) || c->area < 0.0) {
            continue;
        }
        brn_ipc_slide s = {.kind = c->kind};
        double weight[4];
        memcpy(s.pair, c->node, sizeof s.pair);
        s.force = mu * brn_ipc_normal_force(ipc, c, x, weight, s.normal);
        s.scale = brn_ipc_speed(ipc, c->node[0], c->node[count - 1]) * ipc->h;
        brn_lever_of_pair(ipc->skin, c, weight, s.normal, x, &s.lever);
        BRN_GROW(ipc->ctx, ipc->slide, ipc->slide_capacity, ipc->nslide + 1);
        ipc->slide[ipc->nslide++] = s;
    }
    return BRN_OK;
}

int brn_ipc_slide_order(const void *a, const void *b)
{
    const brn_ipc_slide *x = a;
    const brn_ipc_slide *y = b;
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    for (int k = 0; k < 4; ++k) {
        if (x->pair[k] != y->pair[k]) {
            return x->pair[k] < y->pair[k] ? -1 : 1;
        }
    }
    return 0;
}

/* Force and frame between those of a pair at two renewals. Nearly parallel edges may change where they act as much as their
   force, so the frame in between weights both by their forces. */
static void blend_slide(brn_ipc_slide *s, const brn_ipc_slide *was, double share)
{
    const double now = share * s->force;
    const double then = (1.0 - share) * was->force;
    s->force = now + then;
    if (!(now * then > 0.0)) {
        return;
    }
    const double a = now / s->force;
    double normal[3];
    for (int i = 0; i < 3; ++i) {
        normal[i] = a * s->normal[i] + (1.0 - a) * was->normal[i];
    }
    const double length = sqrt(brn_dense_dot3(normal, normal));
    for (int i = 0; i < 3 && length > 0.5; ++i) {
        s->normal[i] = normal[i] / length;
    }
    for (int k = 0; k < s->lever.count; ++k) {
        s->lever.weight[k] *= a;
    }
    for (int k = 0; k < was->lever.count; ++k) { /* the same nodes, except those without weight */
        brn_lever_add(&s->lever, was->lever.node[k], (1.0 - a) * was->lever.weight[k]);
    }
}

/* Friction below this fraction of the largest is dropped once its pair has parted. */
static const double FAINT = 1e-9;

brn_status brn_ipc_blend_friction(brn_ipc *ipc, brn_ipc_slide *old, int nold, double share)
{
    double largest = 0.0;
    if (nold > 0) {
        qsort(old, (size_t)nold, sizeof *old, brn_ipc_slide_order);
    }
    for (int i = 0; i < ipc->nslide; ++i) {
        brn_ipc_slide *s = &ipc->slide[i];
        brn_ipc_slide *was =
            nold > 0 ? bsearch(s, old, (size_t)nold, sizeof *old, brn_ipc_slide_order) : NULL;
        if (was != NULL) {
            blend_slide(s, was, share);
            was->force = 0.0; /* carried on */
        } else {
            s->force *= share;
        }
        largest = fmax(largest, fabs(s->force));
    }
    for (int i = 0; i < nold; ++i) {
        old[i].force *= 1.0 - share;
        if (fabs(old[i].force) > FAINT * largest) {
            BRN_GROW(ipc->ctx, ipc->slide, ipc->slide_capacity, ipc->nslide + 1);
            ipc->slide[ipc->nslide++] = old[i];
        }
    }
    return BRN_OK;
}

/* ---- the potential --------------------------------------------------------------------------------------------------------- */

double brn_ipc_friction_energy(const brn_ipc *ipc, const double *x)
{
    double sum = 0.0;
    for (int n = 0; n < ipc->nslide; ++n) {
        sum += ipc->slide[n].force * law_of(ipc, &ipc->slide[n], x).f0;
    }
    return sum;
}

void brn_ipc_friction_force(const brn_ipc *ipc, const brn_ipc_slide *s, const double *x, double force[3])
{
    const law l = law_of(ipc, s, x);
    for (int i = 0; i < 3; ++i) {
        force[i] = -s->force * l.f1_over * l.u[i];
    }
}

void brn_ipc_friction_gradient(const brn_ipc *ipc, const double *x, double *grad)
{
    for (int n = 0; n < ipc->nslide; ++n) {
        const brn_ipc_slide *s = &ipc->slide[n];
        double force[3];
        brn_ipc_friction_force(ipc, s, x, force);
        for (int k = 0; k < s->lever.count; ++k) {
            brn_model_add_force(ipc->model, s->lever.node[k], -s->lever.weight[k], force, grad);
        }
    }
}

void brn_ipc_friction_core(const brn_ipc *ipc, const brn_ipc_slide *s, const double *x, double core[9])
{
    const law l = law_of(ipc, s, x);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double across = (i == j ? 1.0 : 0.0) - s->normal[i] * s->normal[j];
            core[3 * i + j] = s->force * (l.f1_over * across + l.second * l.u[i] * l.u[j]);
        }
    }
}
