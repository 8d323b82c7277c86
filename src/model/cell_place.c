/* x(xi) = p by the Gauss-Newton method: exact in one step for an affine cell, quadratic convergence for others. */
#include "model/cell_place.h"

#include "geom/cell.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { STEPS_MAX = 50 };

/* [1] Reference coordinates are of order 1: a step below this is rounding; no step is longer than the cell. */
static const double STEP_LEAST = 1e-15;
static const double STEP_MOST = 1.0;

static bool is_simplex(const brn_element *e)
{
    return brn_cell_get(e->cell)->ncorner == e->dim + 1;
}

/* r = p - x(xi); returns its length. */
static double miss(const brn_element *e, const double (*x)[3], const double p[3], const double xi[3],
                   double r[3])
{
    double n[BRN_ELEMENT_NODES_MAX];
    e->shape(xi, n);
    memcpy(r, p, 3 * sizeof *r);
    for (int a = 0; a < e->nnode; ++a) {
        for (int i = 0; i < 3; ++i) {
            r[i] -= n[a] * x[a][i];
        }
    }
    return sqrt(brn_dense_dot3(r, r));
}

/* The step (J'J)^-1 J' r; false if the cell is flat there. */
static bool newton_step(const brn_element *e, const double (*x)[3], const double xi[3], const double r[3],
                        double step[3])
{
    double dn[BRN_ELEMENT_NODES_MAX][3] = {{0.0}};
    double column[3][3] = {{0.0}}; /* dx/dxi_k */
    double square[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double inverse[9];
    double along[3] = {0.0, 0.0, 0.0};
    e->gradient(xi, dn);
    for (int k = 0; k < e->dim; ++k) {
        for (int a = 0; a < e->nnode; ++a) {
            for (int i = 0; i < 3; ++i) {
                column[k][i] += dn[a][k] * x[a][i];
            }
        }
        along[k] = brn_dense_dot3(column[k], r);
    }
    for (int j = 0; j < e->dim; ++j) {
        for (int k = 0; k < e->dim; ++k) {
            square[3 * j + k] = brn_dense_dot3(column[j], column[k]);
        }
    }
    if (!(brn_dense_inverse3(square, inverse) > 0.0)) {
        return false;
    }
    brn_dense_apply3(inverse, along, step);
    return true;
}

/* Into the reference cell: for a simplex towards its middle plane, for others along each axis. */
static void clamp(const brn_element *e, double xi[3])
{
    const double lo = is_simplex(e) ? 0.0 : -1.0;
    double sum = 0.0;
    for (int k = 0; k < e->dim; ++k) {
        xi[k] = fmin(fmax(xi[k], lo), 1.0);
        sum += xi[k];
    }
    for (int k = 0; k < e->dim && is_simplex(e) && sum > 1.0; ++k) {
        xi[k] /= sum;
    }
}

void brn_cell_place_find(const brn_element *e, const double (*x)[3], const double p[3], brn_cell_place *out)
{
    const double middle = is_simplex(e) ? 1.0 / (e->dim + 1.0) : 0.0;
    double xi[3] = {middle, middle, e->dim == 3 ? middle : 0.0};
    double r[3];
    double step[3];
    bool found = false;
    *out = (brn_cell_place){.distance = INFINITY, .residual = INFINITY};
    for (int n = 0; n < STEPS_MAX && !found; ++n) {
        (void)miss(e, x, p, xi, r);
        if (!newton_step(e, x, xi, r, step)) {
            return;
        }
        const double length = sqrt(brn_dense_dot3(step, step));
        const double scale = length > STEP_MOST ? STEP_MOST / length : 1.0;
        for (int k = 0; k < e->dim; ++k) {
            xi[k] += scale * step[k];
        }
        found = length <= STEP_LEAST * (1.0 + fabs(xi[0]) + fabs(xi[1]) + fabs(xi[2]));
    }
    /* The last steps may cycle within rounding. */
    out->residual = miss(e, x, p, xi, r);
    e->shape(xi, out->weight);
    clamp(e, xi);
    out->distance = miss(e, x, p, xi, r);
}
