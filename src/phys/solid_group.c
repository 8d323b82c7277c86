/* A solid as an element group, and how far its elements may move before one turns inside out. */
#include "base/hash.h"
#include "geom/volume_bound.h"
#include "linalg/dense.h"
#include "phys/solid.h"

#include <math.h>
#include <string.h>

static const double KEEP = 0.1; /* of the volume at the start */
/* A material whose energy is finite there does not resist being flattened. With less than this of its volume at rest, a point of
   it is on its way through: to hold it back would only take steps. */
static const double FLAT = 0.01;

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

/* Whether a point of an element is flat and may turn inside out; simplex: as `columns` gives it. */
static bool may_pass(const brn_solid *solid, int e, int quad, const double simplex[4][3])
{
    const int dim = solid->element->dim;
    const size_t at = ((size_t)(e / BRN_LANES) * (size_t)solid->element->nquad + (size_t)quad) * BRN_LANES;
    const double rest = solid->volume[at + (size_t)(e % BRN_LANES)] / solid->element->weight[quad];
    double edges[9] = {0};
    for (int i = 0; i < dim * dim; ++i) {
        edges[i] = simplex[1 + i / dim][i % dim] - simplex[0][i % dim];
    }
    const double now = dim == 3 ? brn_dense_det3(edges) : brn_dense_det2(edges);
    return !solid->barrier && now < FLAT * rest;
}

/* For one element with its nodes at x0 and x1. */
static double element_bound(const brn_solid *solid, int e, const double x0[][3], const double x1[][3])
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
        if (t > 0.0 && t < fraction && !may_pass(solid, e, quad, from)) {
            fraction = t;
        }
    }
    return fraction;
}

double brn_solid_bound(const brn_solid *solid, const double (*x0)[3], const double (*x1)[3], int first,
                       int count)
{
    const int nnode = solid->element->nnode;
    double fraction = 1.0;
    for (int e = first; e < first + count; ++e) {
        const int *conn = solid->group.conn + (size_t)e * (size_t)nnode;
        double from[BRN_ELEMENT_NODES_MAX][3], to[BRN_ELEMENT_NODES_MAX][3];
        for (int a = 0; a < nnode; ++a) {
            memcpy(from[a], x0[conn[a]], sizeof from[a]);
            memcpy(to[a], x1[conn[a]], sizeof to[a]);
        }
        fraction = fmin(fraction, element_bound(solid, e, (const double(*)[3])from, (const double(*)[3])to));
    }
    return fraction;
}

/* ---- the group ---------------------------------------------------------------------------------------------------- */

static void group_destroy(brn_element_group *group)
{
    brn_solid_destroy((brn_solid *)group);
}

static void group_eval(const brn_element_group *group, const double (*x)[3], int first, int count,
                       brn_tangent tangent, double *energy, double *grad, double *hess)
{
    brn_solid_eval((const brn_solid *)group, x, first, count, tangent, energy, grad, hess);
}

static void group_resist(const brn_element_group *group, const double (*x)[3], const double (*v)[3],
                         int first, int count, double *out)
{
    brn_solid_resist((const brn_solid *)group, x, v, first, count, out);
}

void brn_solid_group_mass(const brn_element_group *group, const double (*rest)[3], int first, int count,
                          double *mass)
{
    brn_solid_mass((const brn_solid *)group, rest, first, count, mass);
}

double brn_solid_group_volume(const brn_element_group *group, int element)
{
    return brn_solid_element_volume((const brn_solid *)group, element);
}

static void group_stress(const brn_element_group *group, const double (*x)[3], int first, int count,
                         double *cauchy, double *jacobian, double *energy_density)
{
    brn_solid_stress((const brn_solid *)group, x, first, count, cauchy, jacobian, energy_density);
}

static void group_samples(const brn_element_group *group, const double (*x)[3], int first, int count,
                          double *cauchy)
{
    brn_solid_samples((const brn_solid *)group, x, first, count, cauchy);
}

double brn_solid_group_bound(const brn_element_group *group, const double (*x0)[3], const double (*x1)[3],
                             int first, int count)
{
    return brn_solid_bound((const brn_solid *)group, x0, x1, first, count);
}

/* Its first element's volume stands for a rigid body's, which differs from that of its handles. */
static uint64_t group_hash(const brn_element_group *group, uint64_t hash)
{
    const brn_solid *solid = (const brn_solid *)group;
    const double volume = group->nelem > 0 ? brn_solid_element_volume(solid, 0) : 0.0;
    hash = brn_hash_text(hash, solid->material->table->name);
    hash = brn_hash_bytes(hash, &solid->moduli, sizeof solid->moduli);
    return brn_hash_bytes(hash, &volume, sizeof volume);
}

const brn_group_kind brn_solid_kind = {
    .name = "solid",
    .destroy = group_destroy,
    .eval = group_eval,
    .resist = group_resist,
    .mass = brn_solid_group_mass,
    .volume = brn_solid_group_volume,
    .stress = group_stress,
    .samples = group_samples,
    .bound = brn_solid_group_bound,
    .hash = group_hash,
};

const brn_solid *brn_solid_of_group(const brn_element_group *group)
{
    return group->kind == &brn_solid_kind ? (const brn_solid *)group : NULL;
}
