/* Plates and strips with closed forms, on meshes of all kinds. */
#ifndef BRN_TESTS_VALIDATE_PLATE_CASES_H
#define BRN_TESTS_VALIDATE_PLATE_CASES_H

#include "plate.h"
#include "rows.h"

typedef enum plate_edge { SUPPORTED, CLAMPED, FREE } plate_edge;

static const plate_material steel = {2e11, 0.3, 0.01, 7800.0, BRN_MEMBRANE_QUADRATIC, false};

/* A square of side `size` with n x n cells. CLAMPED: a ring of held triangles around it, whose inner line is the edge. */
static inline plate plate_square(brn_ctx *ctx, plate_mesh kind, plate_edge edge, int n, double size,
                                 const plate_material *m)
{
    const int ring = edge == CLAMPED;
    const double h = ring * size / n, box[4] = {-h, -h, size + h, size + h}, tiny = 1e-9 * size;
    plate p = plate_rectangle(ctx, kind, box, n + 2 * ring, n + 2 * ring, ring);
    for (int i = 0; i < p.nnode; ++i) {
        const double x = p.rest[i][0], y = p.rest[i][1];
        const bool at_edge = x < tiny || y < tiny || x > size - tiny || y > size - tiny;
        unsigned char *fixed = p.fixed + 3 * i;
        if (edge == CLAMPED) {
            fixed[0] = fixed[1] = fixed[2] = at_edge;
        } else if (edge == SUPPORTED) {
            /* in the plane just enough that it cannot move away */
            fixed[0] = fabs(x) < tiny && fabs(y) < tiny;
            fixed[1] = fabs(y) < tiny && (fabs(x) < tiny || fabs(x - size) < tiny);
            fixed[2] = at_edge;
        }
    }
    plate_build(&p, m);
    return p;
}

/* Deflection of the centre under a uniform load q, times D / (q size^4). */
static inline double plate_deflection(brn_ctx *ctx, plate_mesh kind, plate_edge edge, int n, double size,
                                      const plate_material *m)
{
    plate p = plate_square(ctx, kind, edge, n, size, m);
    const double d = plate_bending_stiffness(m), q = 1e-6 * d / (size * size * size);
    double *u = malloc((size_t)p.nnode * 3 * sizeof *u);
    plate_weight(&p, q, 2);
    plate_linear(&p, u);
    const double centre = plate_at(&p, u, 2, 0.5 * size, 0.5 * size);
    free(u);
    plate_destroy(&p);
    return centre * d / (q * size * size * size * size);
}

/* A strip along x, clamped at x = 0, of nx x ny cells and one column of held cells before them. */
static inline plate plate_strip(brn_ctx *ctx, plate_mesh kind, double length, double width, int nx, int ny,
                                const plate_material *m)
{
    const double h = length / nx, box[4] = {-h, 0.0, length, width};
    plate p = plate_rectangle(ctx, kind, box, nx + 1, ny, 1);
    for (int i = 0; i < p.nnode; ++i) {
        p.fixed[3 * i] = p.fixed[3 * i + 1] = p.fixed[3 * i + 2] = p.rest[i][0] < 1e-9 * length;
    }
    plate_build(&p, m);
    return p;
}

/* A force on the end x = length, spread evenly over its length. */
static inline void plate_end_load(plate *p, double length, double width, int axis, double force)
{
    for (int e = 0; e < p->nelem; ++e) {
        for (int i = 0; i < 3; ++i) {
            const int a = p->conn[3 * e + i], b = p->conn[3 * e + (i + 1) % 3];
            if (p->rest[a][0] > length * (1.0 - 1e-9) && p->rest[b][0] > length * (1.0 - 1e-9)) {
                const double share = 0.5 * force * fabs(p->rest[a][1] - p->rest[b][1]) / width;
                p->load[a][axis] += share;
                p->load[b][axis] += share;
            }
        }
    }
}

/* Tip (x, z)/L of an inextensible cantilever under the tip load P and the weight q L: theta'' = -(a + b (1 - s)) cos(theta),
   a = P L^2/EI, b = q L^3/EI, theta(0) = 0, theta'(1) = 0; by shooting with Runge-Kutta of order 4, both loads down. */
static inline void elastica_tip(double a, double b, double tip[2])
{
    enum { STEPS = 2000 };
    double lo = 0.0, hi = 2.0 * (a + b);
    for (int k = 0; k < 80; ++k) {
        const double start = 0.5 * (lo + hi), h = 1.0 / STEPS;
        double y[4] = {0.0, start, 0.0, 0.0}; /* theta, its derivative, x, z */
        for (int i = 0; i < STEPS; ++i) {
            double sum[4] = {0}, at[4], slope[4] = {0};
            static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
            for (int stage = 0; stage < 4; ++stage) {
                for (int c = 0; c < 4; ++c) {
                    at[c] = y[c] + node[stage] * h * slope[c];
                }
                const double s = (i + node[stage]) * h;
                slope[0] = at[1];
                slope[1] = -(a + b * (1.0 - s)) * cos(at[0]);
                slope[2] = cos(at[0]);
                slope[3] = sin(at[0]);
                for (int c = 0; c < 4; ++c) {
                    sum[c] += weight[stage] * slope[c];
                }
            }
            for (int c = 0; c < 4; ++c) {
                y[c] += h / 6.0 * sum[c];
            }
        }
        *(y[1] < 0.0 ? &lo : &hi) = start;
        tip[0] = y[2];
        tip[1] = -y[3];
    }
}

/* Smallest factor of the present loads at which the plate, still in its plane, is no longer stable; between lo and hi. */
static inline double plate_buckling(plate *p, double lo, double hi)
{
    double(*load)[3] = malloc((size_t)p->nnode * sizeof *load);
    memcpy(load, p->load, (size_t)p->nnode * sizeof *load);
    brn_factor *factor = NULL;
    assert_done(p->ctx, brn_factor_create(p->ctx, p->matrix, p->fixed, &factor));
    for (int k = 0; k < 14; ++k) {
        const double middle = 0.5 * (lo + hi);
        for (int i = 0; i < 3 * p->nnode; ++i) {
            (&p->load[0][0])[i] = middle * (&load[0][0])[i];
        }
        (void)plate_newton(p, 1e-9, 20);
        (void)plate_energy(p, BRN_TANGENT_EXACT, NULL, true);
        *(brn_factor_numeric(factor, p->matrix, p->fixed) < 0 ? &hi : &lo) = middle;
    }
    brn_factor_destroy(factor);
    free(load);
    return 0.5 * (lo + hi);
}

/* Rows of a quantity on refined meshes; returns the last relative error. order: of the last two, where wanted. */
static inline double convergence_rows(FILE *file, const char *what, const char *mesh, double exact, int count,
                                      const int *cells, const double *value)
{
    char name[128];
    double error = NAN;
    for (int i = 0; i < count; ++i) {
        (void)snprintf(name, sizeof name, "%s, %s mesh, %d cells", what, mesh, cells[i]);
        error = value[i] / exact - 1.0;
        validation_row(file, name, exact, value[i], fabs(error), "error relative");
    }
    return error;
}

static inline double order_of(double coarse, double fine, double exact)
{
    return log2(fabs(coarse - exact) / fabs(fine - exact));
}

#endif
