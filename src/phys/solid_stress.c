/* Stresses for output, averages of elements and values at their sample points. Cauchy stress of an isotropic material in stretches: sigma = U diag(W_i s_i) U^T / J, and in
   plane strain (s3 = 1) sigma_zz = W_3 / J. For a linear material it is the small-strain stress
   2 mu e + lambda tr(e). */
#include "phys/lane_rows.h"
#include "phys/solid_batch.h"
#include "phys/svd.h"

/* Cauchy stress at a point of a batch, [xx, yy, zz, yz, xz, xy]. */
static void linear_stress(const brn_moduli *m, const brn_lanes *f, int dim, brn_lanes sigma[6],
                          brn_lanes *energy)
{
    brn_lanes e[9] = {0}; /* strain, 3x3 */
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
            e[3 * i + j] = 0.5 * (f[i * dim + j] + f[j * dim + i]) - (i == j ? 1.0 : 0.0);
        }
    }
    const brn_lanes trace = e[0] + e[4] + e[8];
    static const int place[6] = {0, 4, 8, 5, 2, 1};
    brn_lanes square = brn_lanes_all(0.0);
    for (int i = 0; i < 6; ++i) {
        const brn_lanes strain = e[place[i]];
        sigma[i] = 2.0 * m->mu * strain + (i < 3 ? m->lambda : 0.0) * trace;
        square += (i < 3 ? 1.0 : 2.0) * strain * strain;
    }
    *energy = m->mu * square + 0.5 * m->lambda * trace * trace;
}

static void stretch_stress(const brn_solid *solid, const brn_lanes *f, int dim, brn_lanes sigma[6],
                           brn_lanes *energy)
{
    brn_stretch_batch w;
    brn_lanes u[9], v[9];
    if (dim == 3) {
        brn_svd3(f, u, w.s, v);
    } else {
        brn_lanes u2[4];
        brn_svd2(f, u2, w.s, v);
        w.s[2] = brn_lanes_all(1.0);
        for (int i = 0; i < 9; ++i) {
            u[i] = brn_lanes_all(i == 8 ? 1.0 : 0.0);
        }
        u[0] = u2[0];
        u[1] = u2[1];
        u[3] = u2[2];
        u[4] = u2[3];
    }
    solid->material->stretches(&solid->moduli, BRN_ORDER_FIRST, &w);
    *energy = w.energy;
    /* s_i / J = 1 / (s_j s_k); a flat element's stress is unbounded, held finite here */
    brn_lanes principal[3];
    for (int i = 0; i < 3; ++i) {
        const brn_lanes area = w.s[(i + 1) % 3] * w.s[(i + 2) % 3];
        const brn_mask flat = (brn_mask)(brn_lanes_abs(area) < 1e-12);
        const brn_lanes floor =
            brn_lanes_select((brn_mask)(area < 0.0), brn_lanes_all(-1e-12), brn_lanes_all(1e-12));
        principal[i] = w.first[i] / brn_lanes_select(flat, floor, area);
    }
    static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
    for (int i = 0; i < 6; ++i) {
        sigma[i] = brn_lanes_all(0.0);
        for (int k = 0; k < 3; ++k) {
            sigma[i] += u[3 * row[i] + k] * u[3 * column[i] + k] * principal[k];
        }
    }
}

/* Averages of one batch. */
typedef struct averages {
    brn_lanes cauchy[6], jacobian, energy;
} averages;

/* The elements of a batch: positions of their nodes, and the mean that replaces the growth of each point unless NULL. */
typedef struct placed {
    const brn_solid *solid;
    int batch;
    brn_lanes edge[BRN_ELEMENT_NODES_MAX * 3], mean;
    bool averaged;
} placed;

static void place(const brn_solid *solid, brn_mean_fn mean, const double (*x)[3], int batch, placed *out)
{
    out->solid = solid;
    out->batch = batch;
    out->averaged = mean != NULL;
    brn_batch_gather(brn_group_elements(&solid->group), x, batch, solid->element->dim, solid->element->nnode,
                     out->edge);
    if (mean != NULL) {
        mean(solid, x, batch, &out->mean);
    }
}

/* Stress and energy density at a quadrature point of a batch, if sigma is not NULL; returns det F there. */
static brn_lanes point_stress(const placed *at, int quad, brn_lanes sigma[6], brn_lanes *energy)
{
    const brn_solid *solid = at->solid;
    const int dim = solid->element->dim;
    brn_lanes f[9], cof[9];
    brn_batch_gradient(solid, at->batch, quad, dim, solid->element->nnode, at->edge, f);
    const brn_lanes jac = brn_batch_cofactor(f, dim, cof);
    if (sigma == NULL) {
        return jac;
    }
    if (at->averaged) {
        (void)brn_batch_average(solid, brn_batch_growth(solid, f, dim), at->mean, dim, f);
    }
    if (solid->material->linear) {
        linear_stress(&solid->moduli, f, dim, sigma, energy);
    } else {
        stretch_stress(solid, f, dim, sigma, energy);
    }
    return jac;
}

static void average_batch(const placed *at, averages *out)
{
    const brn_solid *solid = at->solid;
    brn_lanes total = brn_lanes_all(0.0);
    *out = (averages){.jacobian = brn_lanes_all(INFINITY)};
    for (int q = 0; q < solid->element->nquad; ++q) {
        brn_lanes sigma[6], energy;
        out->jacobian = brn_lanes_min(out->jacobian, point_stress(at, q, sigma, &energy));
        const brn_lanes volume = brn_batch_volume(solid, at->batch, q);
        total += volume;
        out->energy += volume * energy;
        for (int i = 0; i < 6; ++i) {
            out->cauchy[i] += volume * sigma[i];
        }
    }
    out->energy /= total;
    for (int i = 0; i < 6; ++i) {
        out->cauchy[i] /= total;
    }
}

/* det F alone, for every step's look at inverted elements. */
static void smallest_jacobian(const placed *at, averages *out)
{
    *out = (averages){.jacobian = brn_lanes_all(INFINITY)};
    for (int q = 0; q < at->solid->element->nquad; ++q) {
        out->jacobian = brn_lanes_min(out->jacobian, point_stress(at, q, NULL, NULL));
    }
}

void brn_solid_stress_about(const brn_solid *solid, brn_mean_fn mean, const double (*x)[3], int first,
                            int count, double *cauchy, double *jacobian, double *energy_density)
{
    for (int batch = first / BRN_LANES; batch * BRN_LANES < first + count; ++batch) {
        placed at;
        averages a;
        place(solid, mean, x, batch, &at);
        if (cauchy == NULL && energy_density == NULL) {
            smallest_jacobian(&at, &a);
        } else {
            average_batch(&at, &a);
        }
        const int rows = brn_batch_rows(batch, first + count);
        for (int l = 0; l < rows; ++l) {
            const size_t e = (size_t)(batch * BRN_LANES - first + l);
            for (int i = 0; cauchy != NULL && i < 6; ++i) {
                cauchy[6 * e + (size_t)i] = a.cauchy[i][l];
            }
            if (jacobian != NULL) {
                jacobian[e] = a.jacobian[l];
            }
            if (energy_density != NULL) {
                energy_density[e] = a.energy[l];
            }
        }
    }
}

void brn_solid_samples_about(const brn_solid *solid, brn_mean_fn mean, const double (*x)[3], int first,
                             int count, double *cauchy)
{
    const brn_element *element = solid->element;
    const int width = 6 * element->nsample;
    brn_sampling share;
    brn_element_sampling(element, share);
    for (int batch = first / BRN_LANES; batch * BRN_LANES < first + count; ++batch) {
        placed at;
        brn_lanes out[6 * BRN_ELEMENT_SAMPLES_MAX] = {0};
        place(solid, mean, x, batch, &at);
        for (int q = 0; q < element->nquad; ++q) {
            brn_lanes sigma[6], energy;
            (void)point_stress(&at, q, sigma, &energy);
            for (int k = 0; k < width; ++k) {
                out[k] += share[k / 6][q] * sigma[k % 6];
            }
        }
        const size_t row = (size_t)(batch * BRN_LANES - first);
        brn_lanes_write_rows(out, width, brn_batch_rows(batch, first + count), cauchy + row * (size_t)width);
    }
}

void brn_solid_stress(const brn_solid *solid, const double (*x)[3], int first, int count, double *cauchy,
                      double *jacobian, double *energy_density)
{
    brn_solid_stress_about(solid, NULL, x, first, count, cauchy, jacobian, energy_density);
}

void brn_solid_samples(const brn_solid *solid, const double (*x)[3], int first, int count, double *cauchy)
{
    brn_solid_samples_about(solid, NULL, x, first, count, cauchy);
}
