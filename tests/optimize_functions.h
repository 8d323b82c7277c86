/* Functions with known minima for the optimisers: evaluated with what a test adds (constraints, failures, noise), counted, recorded. */
#ifndef BRN_TESTS_OPTIMIZE_FUNCTIONS_H
#define BRN_TESTS_OPTIMIZE_FUNCTIONS_H

#include "test.h"

#include "base/rng.h"
#include "optimize/optimize.h"

enum { FUNCTION_UNKNOWNS = 32 };

typedef double (*test_function)(int n, const double *x);

static inline double sphere(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sum;
}

/* Axes from 1 to 1000 long. */
static inline double ellipsoid(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += pow(1e6, n > 1 ? (double)i / (n - 1) : 0.0) * x[i] * x[i];
    }
    return sum;
}

static inline double rosenbrock(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i + 1 < n; ++i) {
        const double bend = x[i + 1] - x[i] * x[i];
        sum += 100.0 * bend * bend + (1.0 - x[i]) * (1.0 - x[i]);
    }
    return sum;
}

/* 10^n minima or so within the bounds, one of them the lowest. */
static inline double rastrigin(int n, const double *x)
{
    double sum = 10.0 * n;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i] - 10.0 * cos(2.0 * M_PI * x[i]);
    }
    return sum;
}

typedef struct test_problem {
    test_function value;
    void (*constrain)(const double *x, double *c);
    bool (*fails)(int n, const double *x); /* where the point has no value */
    double noise;                          /* relative */
    brn_rng rng;
    brn_status status; /* of evaluation number `fail_at`, from 0 */
    long fail_at;
    long points, batches;
    int largest; /* batch */
    double *record;
    long record_cap; /* numbers of points x that are recorded */
    int n, m;
    double lower[FUNCTION_UNKNOWNS], upper[FUNCTION_UNKNOWNS], start[FUNCTION_UNKNOWNS],
        best[FUNCTION_UNKNOWNS];
} test_problem;

static inline brn_status test_problem_evaluate(void *user, int count, const double *x, double *value,
                                               double *constraint)
{
    test_problem *t = user;
    t->batches += 1;
    t->largest = count > t->largest ? count : t->largest;
    for (int k = 0; k < count; ++k, ++t->points) {
        const double *at = x + (ptrdiff_t)k * t->n;
        if (t->status < 0 && t->points == t->fail_at) {
            return t->status;
        }
        for (int i = 0; i < t->n; ++i) {
            assert_true(at[i] >= t->lower[i] && at[i] <= t->upper[i]);
        }
        if ((t->points + 1) * t->n <= t->record_cap) {
            memcpy(t->record + t->points * t->n, at, (size_t)t->n * sizeof *at);
        }
        value[k] = t->fails != NULL && t->fails(t->n, at) ? NAN : t->value(t->n, at);
        if (t->noise > 0.0) {
            value[k] *= 1.0 + brn_rng_uniform(&t->rng, -t->noise, t->noise);
        }
        if (t->constrain != NULL) {
            t->constrain(at, constraint + (ptrdiff_t)k * t->m);
        }
    }
    return BRN_OK;
}

static inline void test_problem_init(test_problem *t, test_function value, int n, double lower, double upper,
                                     double start)
{
    *t = (test_problem){.value = value, .n = n, .rng = {7}};
    for (int i = 0; i < n; ++i) {
        t->lower[i] = lower;
        t->upper[i] = upper;
        t->start[i] = start;
    }
}

static inline brn_status test_problem_run(brn_ctx *ctx, test_problem *t, const brn_optimize_options *o,
                                          brn_optimize_result *result)
{
    const brn_optimize_problem p = {.n = t->n,
                                    .constraints = t->m,
                                    .lower = t->lower,
                                    .upper = t->upper,
                                    .start = t->start,
                                    .evaluate = test_problem_evaluate,
                                    .user = t};
    t->points = t->batches = 0;
    t->largest = 0;
    result->x = t->best;
    return brn_optimize(ctx, &p, o, result);
}

#endif
