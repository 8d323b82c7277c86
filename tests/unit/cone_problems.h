/* Random frictional contact problems. */
#ifndef BRN_TESTS_UNIT_CONE_PROBLEMS_H
#define BRN_TESTS_UNIT_CONE_PROBLEMS_H

#include "test.h"

#include "base/rng.h"

typedef struct cone_problem {
    brn_cone_problem problem;
    int *first, *column;
    double *w, *q, *mu;
} cone_problem;

static inline void cone_problem_free(cone_problem *c)
{
    free(c->first);
    free(c->column);
    free(c->w);
    free(c->q);
    free(c->mu);
}

static inline double cone_normal(brn_rng *rng)
{
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) {
        sum += brn_rng_uniform(rng, 0.0, 1.0);
    }
    return sum;
}

/* A dense W [rows][rows], row-major, as blocks; those of zeros off the diagonal are left out. */
static inline cone_problem cone_from_dense(int dim, int n, const double *w)
{
    cone_problem c = {.problem = {.dim = dim, .contacts = n}};
    const size_t contacts = n > 0 ? (size_t)n : 0;
    const size_t rows = contacts * (size_t)dim;
    c.first = calloc(contacts + 1, sizeof *c.first);
    c.column = calloc(contacts * contacts, sizeof *c.column);
    c.w = calloc(rows * rows, sizeof *c.w);
    c.q = calloc(rows, sizeof *c.q);
    c.mu = calloc(contacts, sizeof *c.mu);
    int count = 0;
    for (int i = 0; i < n; ++i) {
        c.first[i] = count;
        for (int j = 0; j < n; ++j) {
            bool any = i == j;
            for (int k = 0; k < dim * dim; ++k) {
                const double value = w[(size_t)(i * dim + k / dim) * rows + (size_t)(j * dim + k % dim)];
                c.w[(size_t)count * (size_t)(dim * dim) + (size_t)k] = value;
                any = any || value != 0.0;
            }
            c.column[count] = j;
            count += any;
        }
    }
    c.first[n] = count;
    c.problem.first = c.first;
    c.problem.column = c.column;
    c.problem.w = c.w;
    c.problem.q = c.q;
    c.problem.mu = c.mu;
    return c;
}

/* W = J M^-1 J' and q = J v of bodies with `dofs` degrees of freedom that contacts join at random, to each other or to the ground; the free
   velocities v could be reached without any impulse, so that there is a solution. Masses differ by `spread`. */
static inline cone_problem cone_of_bodies(brn_rng *rng, int dim, int n, int bodies, double spread)
{
    const int dofs = dim == 3 ? 6 : 3;
    const int rows = n * dim;
    const int columns = bodies * dofs;
    double *jacobian = calloc((size_t)rows * (size_t)columns, sizeof *jacobian);
    double *inverse = calloc((size_t)columns, sizeof *inverse);
    double *velocity = calloc((size_t)columns, sizeof *velocity);
    double *w = calloc((size_t)rows * (size_t)rows, sizeof *w);
    for (int b = 0; b < columns; ++b) {
        inverse[b] = b % dofs == 0 ? pow(spread, -brn_rng_uniform(rng, 0.0, 1.0)) : inverse[b - 1];
        velocity[b] = cone_normal(rng);
    }
    for (int i = 0; i < n; ++i) {
        const int one = (int)(brn_rng_next(rng) % (uint64_t)bodies);
        const int other = (int)(brn_rng_next(rng) % (uint64_t)(bodies + 1));
        for (int d = 0; d < dim; ++d) {
            for (int k = 0; k < dofs; ++k) {
                jacobian[(size_t)(i * dim + d) * (size_t)columns + (size_t)(one * dofs + k)] =
                    cone_normal(rng);
                if (other < bodies && other != one) {
                    jacobian[(size_t)(i * dim + d) * (size_t)columns + (size_t)(other * dofs + k)] =
                        cone_normal(rng);
                }
            }
        }
    }
    for (int i = 0; i < rows; ++i) {
        const double *row = jacobian + (size_t)i * (size_t)columns;
        for (int k = 0; k < columns; ++k) {
            for (int j = 0; j < rows && row[k] != 0.0; ++j) {
                w[(size_t)i * (size_t)rows + (size_t)j] +=
                    row[k] * inverse[k] * jacobian[(size_t)j * (size_t)columns + (size_t)k];
            }
        }
    }
    cone_problem c = cone_from_dense(dim, n, w);
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < columns; ++k) {
            c.q[i] += jacobian[(size_t)i * (size_t)columns + (size_t)k] * velocity[k];
        }
    }
    free(jacobian);
    free(inverse);
    free(velocity);
    free(w);
    return c;
}

/* W = H D H' with reflections H and eigenvalues D from 1 / condition to 1, and a skew part of that size: its symmetric part is positive definite, so
   that there is a solution for any q. */
static inline cone_problem cone_of_spectrum(brn_rng *rng, int dim, int n, double condition, double skew)
{
    const int rows = n * dim;
    double *w = calloc((size_t)rows * (size_t)rows, sizeof *w);
    double *v = calloc((size_t)rows, sizeof *v);
    double *wv = calloc((size_t)rows, sizeof *wv);
    for (int i = 0; i < rows; ++i) {
        w[(size_t)i * (size_t)rows + (size_t)i] = pow(condition, -brn_rng_uniform(rng, 0.0, 1.0));
    }
    for (int k = 0; k < 4; ++k) {
        double vv = 0.0;
        for (int i = 0; i < rows; ++i) {
            v[i] = cone_normal(rng);
            vv += v[i] * v[i];
        }
        for (int side = 0; side < 2; ++side) { /* w - 2 v (v' w) / v'v, then its transpose */
            memset(wv, 0, (size_t)rows * sizeof *wv);
            for (int i = 0; i < rows; ++i) {
                for (int j = 0; j < rows; ++j) {
                    wv[side == 0 ? j : i] += w[(size_t)i * (size_t)rows + (size_t)j] * v[side == 0 ? i : j];
                }
            }
            for (int i = 0; i < rows; ++i) {
                for (int j = 0; j < rows; ++j) {
                    w[(size_t)i * (size_t)rows + (size_t)j] -=
                        2.0 / vv * (side == 0 ? v[i] * wv[j] : wv[i] * v[j]);
                }
            }
        }
    }
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < i; ++j) {
            double *lower = &w[(size_t)i * (size_t)rows + (size_t)j];
            double *upper = &w[(size_t)j * (size_t)rows + (size_t)i];
            const double turn =
                skew / sqrt((double)rows) * brn_rng_uniform(rng, -1.0, 1.0) *
                sqrt(w[(size_t)i * (size_t)rows + (size_t)i] * w[(size_t)j * (size_t)rows + (size_t)j]);
            const double mean = 0.5 * (*lower + *upper);
            *lower = mean + turn;
            *upper = mean - turn;
        }
    }
    cone_problem c = cone_from_dense(dim, n, w);
    for (int i = 0; i < rows; ++i) {
        c.q[i] = cone_normal(rng);
    }
    free(w);
    free(v);
    free(wv);
    return c;
}

/* Number `seed` of a series: 1 to `most` contacts, mu from 0 to 2, conditions to 1e12. kind: what it is, in a few words. */
static inline cone_problem cone_random(uint64_t seed, int most, const char **kind)
{
    static const char *const kinds[] = {"bodies", "many contacts a body", "spectrum", "not symmetric",
                                        "plane"};
    brn_rng rng = {seed * 7919 + 17};
    const int which = (int)(seed % 5);
    const int n = (int)pow(most + 0.5, brn_rng_uniform(&rng, 0.0, 1.0));
    const double spread = pow(10.0, brn_rng_uniform(&rng, 0.0, 12.0));
    cone_problem c;
    *kind = kinds[which];
    if (which == 2 || which == 3) {
        c = cone_of_spectrum(&rng, 3, n, spread, which == 3 ? 0.05 : 0.0);
    } else {
        const int bodies = which == 1 ? 1 + n / 6 : 1 + n / 2;
        c = cone_of_bodies(&rng, which == 4 ? 2 : 3, n, bodies, pow(spread, 0.5));
    }
    const int law = (int)(brn_rng_next(&rng) % 4);
    for (int i = 0; i < n; ++i) {
        c.mu[i] = law == 0 ? 0.0 : law == 1 ? 0.7 : brn_rng_uniform(&rng, 0.0, 2.0);
    }
    return c;
}

#endif
