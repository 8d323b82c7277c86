/* Costs, impulses and their derivatives. A contact projects y = R^-1 (target - v) onto the friction cone in the norm of R; with the
   norm along the surface softened, y_r = sqrt(|y_t|^2 + eps^2), the impulse is the exact gradient of

       stick   y_r <= mu y_n                1/2 gamma' R gamma + 1/2 R_t eps^2,            gamma = y
       slide   -m^ y_r < y_n < y_r / mu     1/2 R_n (1 + m~^2) gamma_n^2,                  gamma_n = (y_n + m^ y_r) / (1 + m~^2)
       else    0

   with m~ = mu sqrt(R_t / R_n), m^ = mu R_t / R_n. Friction with a given bound f has no part in the normal's cost: its own is Huber's,
   1/2 R_t |y_t|^2 within the bound and R_t f (|y_t| - f / 2) beyond. */
#include "step/sap/sap_problem.h"

#include <math.h>
#include <string.h>

/* A row of its own, between two bounds. */
static double bounded(double r, double y, double lo, double hi, double *impulse, double *g)
{
    const double held = fmin(fmax(y, lo), hi);
    *impulse = held;
    if (g != NULL) {
        *g = y > lo && y < hi ? 1.0 / r : 0.0;
    }
    /* its derivative in y is R held */
    return r * (0.5 * held * held + held * (y - held));
}

/* The first n of `rows` rows, whose impulses together are bounded: Huber's cost. */
static double bounded_together(int n, int rows, double r, double most, const double *y, double *impulse,
                               double *g)
{
    double length = 0.0;
    for (int i = 0; i < n; ++i) {
        length += y[i] * y[i];
    }
    length = sqrt(length);
    const bool within = length <= most;
    const double share = within ? 1.0 : most / length;
    for (int i = 0; i < n; ++i) {
        impulse[i] = share * y[i];
        for (int j = 0; j < n && g != NULL; ++j) {
            g[i * rows + j] = share / r * ((i == j) - (within ? 0.0 : y[i] * y[j] / (length * length)));
        }
    }
    return within ? 0.5 * r * length * length : r * most * (length - 0.5 * most);
}

/* Friction within a given bound, the normal on its own. */
static double lagged(const brn_sap_constraint *c, const double *y, double *impulse, double *g)
{
    const int n = c->rows - 1;
    double normal_g = 0.0;
    const double cost = bounded(c->r, y[n], 0.0, INFINITY, &impulse[n], g != NULL ? &normal_g : NULL);
    if (g != NULL) {
        memset(g, 0, (size_t)(c->rows * c->rows) * sizeof *g);
        g[n * c->rows + n] = normal_g;
    }
    return cost + bounded_together(n, c->rows, c->r_slip, c->most, y, impulse, g);
}

static double cone(const brn_sap_constraint *c, const double *y, double *impulse, double *g)
{
    const int n = c->rows - 1;
    const double mu = c->mu;
    const double eps = c->softening;
    const double ratio = c->r_slip / c->r;
    const double hat = mu * ratio;                       /* m^ */
    const double shrink = 1.0 / (1.0 + mu * mu * ratio); /* 1 / (1 + m~^2) */
    double square = eps * eps;
    for (int i = 0; i < n; ++i) {
        square += y[i] * y[i];
    }
    const double slip = sqrt(square); /* y_r */
    memset(impulse, 0, (size_t)c->rows * sizeof *impulse);
    if (g != NULL) {
        memset(g, 0, (size_t)(c->rows * c->rows) * sizeof *g);
    }
    if (slip <= mu * y[n]) { /* stick */
        double cost = 0.5 * c->r_slip * square + 0.5 * c->r * y[n] * y[n];
        memcpy(impulse, y, (size_t)c->rows * sizeof *impulse);
        for (int i = 0; i < c->rows && g != NULL; ++i) {
            g[i * c->rows + i] = 1.0 / (i < n ? c->r_slip : c->r);
        }
        return cost;
    }
    if (!(y[n] > -hat * slip)) {
        return 0.0;
    }
    const double normal = (y[n] + hat * slip) * shrink;
    double t[2] = {0.0, 0.0};
    for (int i = 0; i < n; ++i) {
        t[i] = slip > 0.0 ? y[i] / slip : 0.0;
        impulse[i] = mu * normal * t[i];
    }
    impulse[n] = normal;
    if (g != NULL) {
        /* dgamma/dy R^-1, which is symmetric: m^ / R_t = mu / R_n */
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const double along = t[i] * t[j];
                const double turn = slip > 0.0 ? normal / slip : 0.0;
                g[i * c->rows + j] = mu * (turn * ((i == j) - along) + hat * shrink * along) / c->r_slip;
            }
            g[i * c->rows + n] = mu * t[i] * shrink / c->r;
            g[n * c->rows + i] = g[i * c->rows + n];
        }
        g[n * c->rows + n] = shrink / c->r;
    }
    return 0.5 * c->r * normal * normal / shrink;
}

double brn_sap_impulse(const brn_sap_constraint *c, const double *v, double *impulse, double *g)
{
    double y[3];
    double cost = 0.0;
    if (c->kind == BRN_SAP_CONTACT) {
        for (int i = 0; i < c->rows; ++i) {
            y[i] = (c->target[i] - v[i]) / (i < c->rows - 1 ? c->r_slip : c->r);
        }
        return c->most < 0.0 ? cone(c, y, impulse, g) : lagged(c, y, impulse, g);
    }
    if (c->kind == BRN_SAP_PULL) {
        for (int i = 0; i < c->rows; ++i) {
            y[i] = (c->target[i] - v[i]) / c->r;
        }
        return bounded_together(c->rows, c->rows, c->r, c->most, y, impulse, g);
    }
    const double hi = c->kind == BRN_SAP_DRIVE ? c->most : INFINITY;
    const double lo = c->kind == BRN_SAP_LIMIT ? 0.0 : -hi;
    if (g != NULL) {
        memset(g, 0, (size_t)(c->rows * c->rows) * sizeof *g);
    }
    for (int i = 0; i < c->rows; ++i) {
        y[i] = (c->target[i] - v[i]) / c->r;
        cost += bounded(c->r, y[i], lo, hi, &impulse[i], g != NULL ? &g[i * c->rows + i] : NULL);
    }
    return cost;
}

/* The same as from impulse and G, without them. */
static double lagged_slope(const brn_sap_constraint *c, const double *v, const double *d, double *second)
{
    const int n = c->rows - 1;
    const double normal = (c->target[n] - v[n]) / c->r;
    double first = 0.0;
    double square = 0.0;
    double along = 0.0; /* y . d */
    double way = 0.0;   /* d . d */
    if (normal > 0.0) {
        first -= normal * d[n];
        *second += d[n] * d[n] / c->r;
    }
    if (c->most == 0.0) {
        return first;
    }
    for (int i = 0; i < n; ++i) {
        const double y = (c->target[i] - v[i]) / c->r_slip;
        square += y * y;
        along += y * d[i];
        way += d[i] * d[i];
    }
    if (square <= c->most * c->most) {
        *second += way / c->r_slip;
        return first - along;
    }
    const double share = c->most / sqrt(square);
    *second += share / c->r_slip * (way - along * along / square);
    return first - share * along;
}

double brn_sap_slope(const brn_sap_constraint *c, const double *v, const double *d, double *second)
{
    double impulse[3];
    double g[9];
    double first = 0.0;
    if (c->kind == BRN_SAP_CONTACT && c->most >= 0.0) {
        return lagged_slope(c, v, d, second);
    }
    (void)brn_sap_impulse(c, v, impulse, g);
    for (int r = 0; r < c->rows; ++r) {
        first -= impulse[r] * d[r];
        for (int s = 0; s < c->rows; ++s) {
            *second += d[r] * g[r * c->rows + s] * d[s];
        }
    }
    return first;
}
