/* What the kernels of a solid share: node positions of a batch, and the deformation gradient at its points. */
#ifndef BRN_PHYS_SOLID_BATCH_H
#define BRN_PHYS_SOLID_BATCH_H

#include "phys/lane_rows.h"
#include "phys/solid.h"

/* The volume ratio that replaces det F at all points of each element of a batch; of a linear material its growth, tr(F - 1). */
typedef void (*brn_mean_fn)(const brn_solid *solid, const double (*x)[3], int batch, brn_lanes *mean);

/* brn_solid_stress and brn_solid_samples with that mean; NULL: every point has its own. */
void brn_solid_stress_about(const brn_solid *solid, brn_mean_fn mean, const double (*x)[3], int first,
                            int count, double *cauchy, double *jacobian, double *energy_density);
void brn_solid_samples_about(const brn_solid *solid, brn_mean_fn mean, const double (*x)[3], int first,
                             int count, double *cauchy);

/* How many elements of a batch exist when elements up to `end` are requested. */
static inline int brn_batch_rows(int batch, int end)
{
    const int left = end - batch * BRN_LANES;
    return left < BRN_LANES ? left : BRN_LANES;
}

/* Positions of nodes 1.. relative to node 0, edge[nnode - 1][dim]. Shape gradients sum to zero, so node 0 needs no
   terms of its own, and a body far from the origin loses no digits. */
BRN_LANES_INLINE void brn_batch_gather(brn_stencils list, const double (*x)[3], int batch, const int dim,
                                       const int nnode, brn_lanes *edge)
{
    if (dim == 3) {
        int room[BRN_GROUP_NODES_MAX * BRN_LANES];
        const int *node = brn_lanes_nodes(list.node, nnode, list.count, batch, room);
        brn_lanes origin[3];
        brn_lanes_gather3(x, node, nnode, origin);
        for (int a = 1; a < nnode; ++a) {
            brn_lanes_gather3(x, node + a, nnode, &edge[(a - 1) * 3]);
            for (int i = 0; i < 3; ++i) {
                edge[(a - 1) * 3 + i] -= origin[i];
            }
        }
        return;
    }
    double *out = (double *)edge;
    for (int l = 0; l < BRN_LANES; ++l) {
        const int element = batch * BRN_LANES + l < list.count ? batch * BRN_LANES + l : list.count - 1;
        const int *node = list.node + (size_t)element * (size_t)nnode;
        const double *origin = x[node[0]];
        for (int a = 1; a < nnode; ++a) {
            for (int i = 0; i < dim; ++i) {
                out[((a - 1) * dim + i) * BRN_LANES + l] = x[node[a]][i] - origin[i];
            }
        }
    }
}

BRN_LANES_INLINE const double *brn_batch_inverse(const brn_solid *solid, int batch, int quad, const int dim)
{
    const size_t point = (size_t)batch * (size_t)solid->element->nquad + (size_t)quad;
    return solid->inverse + point * (size_t)(dim * dim * BRN_LANES);
}

BRN_LANES_INLINE brn_lanes brn_batch_volume(const brn_solid *solid, int batch, int quad)
{
    const size_t point = (size_t)batch * (size_t)solid->element->nquad + (size_t)quad;
    return brn_lanes_load(solid->volume + point * BRN_LANES);
}

/* F = d(current)/d(reference) * d(reference)/d(rest), row-major dim x dim. */
BRN_LANES_INLINE void brn_batch_gradient(const brn_solid *solid, int batch, int quad, const int dim,
                                         const int nnode, const brn_lanes *edge, brn_lanes *f)
{
    const double *dn = solid->reference + quad * nnode * dim;
    const double *inverse = brn_batch_inverse(solid, batch, quad, dim);
    brn_lanes current[9];
    for (int i = 0; i < dim * dim; ++i) {
        current[i] = brn_lanes_all(0.0);
    }
    for (int a = 1; a < nnode; ++a) {
        for (int i = 0; i < dim; ++i) {
            for (int r = 0; r < dim; ++r) {
                current[i * dim + r] += edge[(a - 1) * dim + i] * dn[a * dim + r];
            }
        }
    }
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
            f[i * dim + j] = current[i * dim] * brn_lanes_load(inverse + j * BRN_LANES);
            for (int r = 1; r < dim; ++r) {
                f[i * dim + j] += current[i * dim + r] * brn_lanes_load(inverse + (r * dim + j) * BRN_LANES);
            }
        }
    }
}

/* Determinant of a 2x2 or 3x3 matrix, and its cofactors cof[i][j] = d det / d f[i][j]. */
BRN_LANES_INLINE brn_lanes brn_batch_cofactor(const brn_lanes *f, const int dim, brn_lanes *cof)
{
    if (dim == 2) {
        cof[0] = f[3];
        cof[1] = -f[2];
        cof[2] = -f[1];
        cof[3] = f[0];
        return f[0] * f[3] - f[1] * f[2];
    }
    for (int i = 0; i < 3; ++i) {
        const brn_lanes *p = f + 3 * ((i + 1) % 3), *q = f + 3 * ((i + 2) % 3);
        for (int j = 0; j < 3; ++j) {
            cof[3 * i + j] = p[(j + 1) % 3] * q[(j + 2) % 3] - p[(j + 2) % 3] * q[(j + 1) % 3];
        }
    }
    return f[0] * cof[0] + f[1] * cof[1] + f[2] * cof[2];
}

/* What is averaged: det F, of a linear material tr(F - 1). */
BRN_LANES_INLINE brn_lanes brn_batch_growth(const brn_solid *solid, const brn_lanes *f, const int dim)
{
    if (solid->material->linear) {
        const brn_lanes trace = f[0] + f[dim + 1];
        return (dim == 3 ? trace + f[8] : trace) - dim;
    }
    brn_lanes cof[9];
    return brn_batch_cofactor(f, dim, cof);
}

/* (mean/jac)^(1/dim) of positive numbers; 1 where one is not. */
BRN_LANES_INLINE brn_lanes brn_batch_ratio(brn_lanes jac, brn_lanes mean, const int dim)
{
    const brn_mask inside = (brn_mask)(jac >= DBL_MIN) & (brn_mask)(mean >= DBL_MIN);
    brn_lanes ratio = brn_lanes_select(inside, mean / jac, brn_lanes_all(1.0));
    if (dim == 2) {
        return brn_lanes_sqrt(ratio);
    }
    for (int l = 0; l < BRN_LANES; ++l) {
        ratio[l] = cbrt(ratio[l]);
    }
    return ratio;
}

/* F with the mean in place of its own growth: F (mean/growth)^(1/dim), of a linear material F + (mean - growth)/dim 1. Returns the
   factor. */
BRN_LANES_INLINE brn_lanes brn_batch_average(const brn_solid *solid, brn_lanes growth, brn_lanes mean,
                                             const int dim, brn_lanes *f)
{
    if (solid->material->linear) {
        for (int i = 0; i < dim; ++i) {
            f[i * (dim + 1)] += (mean - growth) / (double)dim;
        }
        return brn_lanes_all(1.0);
    }
    const brn_lanes ratio = brn_batch_ratio(growth, mean, dim);
    for (int i = 0; i < dim * dim; ++i) {
        f[i] *= ratio;
    }
    return ratio;
}

#endif
