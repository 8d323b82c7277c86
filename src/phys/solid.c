#include "phys/solid.h"

/* d(rest)/d(reference) of one element at a point with shape gradients dn[nnode][dim], row-major; returns its
   determinant. */
static double jacobian_at(const brn_element *element, const double *dn, const double (*rest)[3],
                          const int *node, double m[9])
{
    const int dim = element->dim;
    for (int i = 0; i < dim; ++i) {
        for (int r = 0; r < dim; ++r) {
            double sum = 0.0;
            for (int a = 1; a < element->nnode; ++a) {
                sum += (rest[node[a]][i] - rest[node[0]][i]) * dn[a * dim + r];
            }
            m[i * dim + r] = sum;
        }
    }
    if (dim == 2) {
        return m[0] * m[3] - m[1] * m[2];
    }
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static void invert(const double m[9], int dim, double det, double out[9])
{
    if (dim == 2) {
        out[0] = m[3] / det;
        out[1] = -m[1] / det;
        out[2] = -m[2] / det;
        out[3] = m[0] / det;
        return;
    }
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            out[3 * j + i] = (m[3 * i1 + j1] * m[3 * i2 + j2] - m[3 * i1 + j2] * m[3 * i2 + j1]) / det;
        }
    }
}

/* The determinant relative to the product of the column lengths (1 for orthogonal axes, whatever their lengths).
   Below 1e-13 its sign is decided by rounding. NaN fails. */
static bool well_shaped(const double m[9], int dim, double det)
{
    double box = 1.0;
    for (int r = 0; r < dim; ++r) {
        double square = 0.0;
        for (int i = 0; i < dim; ++i) {
            square += m[i * dim + r] * m[i * dim + r];
        }
        box *= sqrt(square);
    }
    return det > 1e-13 * box && isfinite(1.0 / det);
}

/* Shape gradients at all points of a rule, [nquad][nnode][dim]. */
static void tabulate(const brn_element *element, const double *point, int nquad, double *out)
{
    double dn[BRN_ELEMENT_NODES_MAX][3];
    for (int q = 0; q < nquad; ++q) {
        element->gradient(point + 3 * q, dn);
        for (int a = 0; a < element->nnode; ++a) {
            for (int i = 0; i < element->dim; ++i) {
                *out++ = dn[a][i];
            }
        }
    }
}

/* Inverse Jacobians and volumes of all lanes of a batch; number of a bad element, or -1. */
static int prepare_batch(brn_solid *solid, const double (*rest)[3], int batch)
{
    const brn_element *element = solid->element;
    const int dim = element->dim, nnode = element->nnode, nquad = element->nquad;
    for (int l = 0; l < BRN_LANES; ++l) {
        const bool real = batch * BRN_LANES + l < solid->group.nelem;
        const int number = real ? batch * BRN_LANES + l : solid->group.nelem - 1;
        const int *node = solid->group.conn + (size_t)number * (size_t)nnode;
        for (int q = 0; q < nquad; ++q) {
            double m[9], inverse[9];
            const double det = jacobian_at(element, solid->reference + q * nnode * dim, rest, node, m);
            if (!well_shaped(m, dim, det)) {
                return number;
            }
            invert(m, dim, det, inverse);
            const size_t point = (size_t)batch * (size_t)nquad + (size_t)q;
            solid->volume[point * BRN_LANES + (size_t)l] = real ? element->weight[q] * det : 0.0;
            for (int i = 0; i < dim * dim; ++i) {
                solid->inverse[(point * (size_t)(dim * dim) + (size_t)i) * BRN_LANES + (size_t)l] =
                    inverse[i];
            }
        }
    }
    return -1;
}

static brn_status fill(brn_solid *solid, const double (*rest)[3], const int *conn)
{
    brn_ctx *ctx = solid->group.ctx;
    const brn_element *element = solid->element;
    const size_t nconn = (size_t)solid->group.nelem * (size_t)element->nnode;
    const int nbatch = solid->group.nelem / BRN_LANES + (solid->group.nelem % BRN_LANES != 0);
    const size_t npoint = (size_t)nbatch * (size_t)element->nquad;
    BRN_ALLOC(ctx, solid->group.conn, nconn);
    BRN_ALLOC(ctx, solid->reference, element->nquad * element->nnode * element->dim);
    BRN_ALLOC(ctx, solid->inverse, npoint * (size_t)(element->dim * element->dim * BRN_LANES));
    BRN_ALLOC(ctx, solid->volume, npoint * BRN_LANES);
    if (nconn > 0) {
        memcpy(solid->group.conn, conn, nconn * sizeof *conn);
    }
    tabulate(element, element->point, element->nquad, solid->reference);
    for (int batch = 0; batch < nbatch; ++batch) {
        const int bad = prepare_batch(solid, rest, batch);
        if (bad >= 0) {
            return brn_fail(ctx, BRN_ERR_MESH,
                            "element %d (%s): inverted or degenerate at rest, or smaller than the rounding "
                            "of its coordinates",
                            bad, brn_cell_get(element->cell)->name);
        }
    }
    return BRN_OK;
}

static double young_of(const brn_moduli *m)
{
    return m->mu * (3.0 * m->lambda + 2.0 * m->mu) / (m->lambda + m->mu);
}

brn_status brn_solid_init(brn_ctx *ctx, brn_cell cell, const brn_material *material, const brn_moduli *moduli,
                          const double (*rest)[3], const int *conn, int nelem, brn_solid *out)
{
    const brn_element *element = brn_element_of_cell(cell);
    *out = (brn_solid){.group.ctx = ctx};
    if (element == NULL) {
        return brn_fail(ctx, BRN_ERR_MISSING, "cells of kind %d are not solid elements", (int)cell);
    }
    if (nelem < 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%d elements: must be >= 0", nelem);
    }
    *out = (brn_solid){.group = {.kind = &brn_solid_kind,
                                 .ctx = ctx,
                                 .dim = element->dim,
                                 .nnode = element->nnode,
                                 .nelem = nelem,
                                 .cell = (int)cell,
                                 .density = 1.0,
                                 .young = young_of(moduli)},
                       .element = element,
                       .material = material,
                       .moduli = *moduli,
                       .barrier = material->barrier};
    return fill(out, rest, conn);
}

brn_status brn_solid_create(brn_ctx *ctx, brn_cell cell, const brn_material *material,
                            const brn_moduli *moduli, const double (*rest)[3], const int *conn, int nelem,
                            brn_solid **out)
{
    brn_solid *solid = NULL;
    *out = NULL;
    BRN_ALLOC(ctx, solid, 1);
    const brn_status status = brn_solid_init(ctx, cell, material, moduli, rest, conn, nelem, solid);
    if (status < 0) {
        brn_solid_destroy(solid);
        return status;
    }
    *out = solid;
    return BRN_OK;
}

void brn_solid_clear(brn_solid *solid)
{
    brn_free(solid->group.ctx, solid->group.conn);
    brn_free(solid->group.ctx, solid->reference);
    brn_free(solid->group.ctx, solid->inverse);
    brn_free(solid->group.ctx, solid->volume);
}

void brn_solid_destroy(brn_solid *solid)
{
    if (solid != NULL) {
        brn_solid_clear(solid);
        brn_free(solid->group.ctx, solid);
    }
}

double brn_solid_element_volume(const brn_solid *solid, int element)
{
    const int nquad = solid->element->nquad;
    const size_t batch = (size_t)(element / BRN_LANES), lane = (size_t)(element % BRN_LANES);
    double sum = 0.0;
    for (int q = 0; q < nquad; ++q) {
        sum += solid->volume[(batch * (size_t)nquad + (size_t)q) * BRN_LANES + lane];
    }
    return sum;
}

void brn_solid_mass(const brn_solid *solid, const double (*rest)[3], int first, int count, double *mass)
{
    const brn_element *element = solid->element;
    const int n = element->nnode, size = n * (n + 1) / 2;
    memset(mass, 0, (size_t)count * (size_t)size * sizeof *mass);
    for (int q = 0; q < element->nquad_mass; ++q) {
        const double *point = element->point_mass + 3 * q;
        double shape[BRN_ELEMENT_NODES_MAX], dn[BRN_ELEMENT_NODES_MAX * 3], m[9];
        element->shape(point, shape);
        tabulate(element, point, 1, dn);
        for (int e = 0; e < count; ++e) {
            const int *node = solid->group.conn + ((size_t)first + (size_t)e) * (size_t)n;
            const double det = jacobian_at(element, dn, rest, node, m);
            const double weight = solid->group.density * element->weight_mass[q] * det;
            double *out = mass + (size_t)e * (size_t)size;
            for (int a = 0; a < n; ++a) {
                for (int b = a; b < n; ++b) {
                    *out++ += weight * shape[a] * shape[b];
                }
            }
        }
    }
}
