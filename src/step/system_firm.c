/* Rigid bodies whose element hardly strains within a step. */
#include "step/system.h"

#include <math.h>

/* The rigid body whose handles start at a node; -1: none. */
static int rigid_of(const brn_model *model, int node)
{
    int lo = 0;
    int hi = model->nbody;
    while (hi - lo > 1) { /* nodes of bodies follow each other */
        const int middle = (lo + hi) / 2;
        lo = model->body[middle].node_first <= node ? middle : lo;
        hi = model->body[middle].node_first <= node ? hi : middle;
    }
    const bool is = hi > 0 && model->body[lo].type == BRN_BODY_RIGID && model->body[lo].handle == node;
    return is ? lo : -1;
}

/* The part as the system's own, so that its elements may be changed; NULL: out of memory. */
static brn_solid *own_part(brn_system *s, int part)
{
    for (int i = 0; i < s->njoined; ++i) {
        if (&s->joined[i]->group == s->part[part]) {
            return s->joined[i];
        }
    }
    brn_element_group *group = (brn_element_group *)s->part[part];
    brn_solid *solid = NULL;
    if (brn_solid_join(s->ctx, &group, 1, &solid) < 0) {
        return NULL;
    }
    s->joined[s->njoined++] = solid;
    s->part[part] = &solid->group;
    return solid;
}

/* What the stiffness of a rigid body lacks: at rest, over its mass, of the handle that resists least. */
static double lacking(const brn_system *s, int body, double ratio)
{
    const brn_model *model = s->model;
    const int dim = model->dim;
    const int handle = model->body[body].handle;
    double least = INFINITY;
    for (int k = 0; k < dim * (dim + 1); ++k) {
        const int row = model->node_row[handle + k / dim];
        least = fmin(least, s->stiff_diagonal[row * dim + k % dim] / model->node_mass[handle + k / dim]);
    }
    return least > 0.0 && ratio > least ? ratio / least : 1.0;
}

static void scale_element(brn_solid *solid, int element, double factor)
{
    const size_t nquad = (size_t)solid->element->nquad;
    for (size_t q = 0; q < nquad; ++q) {
        const size_t batch = (size_t)(element / BRN_LANES) * nquad + q;
        solid->volume[batch * BRN_LANES + (size_t)(element % BRN_LANES)] *= factor;
    }
}

brn_status brn_system_firm(brn_system *s, double ratio, double heavier)
{
    const brn_model *model = s->model;
    double heaviest = 0.0;
    for (int b = 0; b < model->nbody; ++b) {
        heaviest = model->body[b].type != BRN_BODY_STATIC ? fmax(heaviest, model->body[b].mass) : heaviest;
    }
    BRN_ALLOC(s->ctx, s->firm, (size_t)model->nbody + 1);
    for (int b = 0; b < model->nbody; ++b) {
        s->firm[b] = 1.0;
    }
    for (int p = 0; p < s->npart; ++p) {
        const bool solid_part = brn_solid_of_group(s->part[p]) != NULL;
        for (int e = 0; e < s->part[p]->nelem && solid_part; ++e) {
            const int body = rigid_of(model, s->part[p]->conn[e * s->part[p]->nnode]);
            if (body < 0) {
                continue;
            }
            brn_solid *solid = own_part(s, p);
            if (solid == NULL) {
                return BRN_ERR_MEMORY;
            }
            const double mass = model->body[body].mass;
            s->firm[body] = lacking(s, body, ratio * fmin(heavier, mass > 0.0 ? heaviest / mass : 1.0));
            scale_element(solid, e, s->firm[body]);
        }
    }
    return brn_system_measure_stiffness(s);
}
