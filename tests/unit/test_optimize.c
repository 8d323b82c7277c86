/* The optimisers: bounds, constraints, points without values, noise, the same points from the same values, failures. How many evaluations
   CMA-ES takes is measured by validate/test_optimize_functions. */
#include "optimize_functions.h"
#include "unit/faulty.h"

static brn_optimize_options options_of(brn_optimizer type, int64_t evaluations, double tolerance)
{
    brn_optimize_options o = brn_optimize_options_default();
    o.type = type;
    o.evaluations = evaluations;
    o.tolerance = tolerance;
    return o;
}

/* ---- minima ------------------------------------------------------------------------------------------------------------------ */

static void test_minimum_inside(void **state)
{
    brn_ctx *ctx = *state;
    for (int type = 0; type < BRN_OPTIMIZERS; ++type) {
        for (int n = type == BRN_OPTIMIZER_BOBYQA ? 2 : 1; n <= 6; ++n) {
            test_problem t;
            brn_optimize_result r;
            test_problem_init(&t, sphere, n, -10.0, 7.0, 5.0);
            const brn_optimize_options o = options_of((brn_optimizer)type, 20000, 1e-5);
            assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
            assert_int_equal(r.end, BRN_OPTIMIZE_TOLERANCE);
            assert_int_equal(r.evaluations, t.points);
            assert_near(r.value, sphere(n, t.best), 0.0);
            /* Steps of 1e-5 of a range of 17; a simplex or a generation ends some of them away. */
            assert_true(sqrt(r.value) < 10.0 * 17e-5);
        }
    }
}

/* Ranges of 1e-9 and 1e9 are all one: the same points but for rounding. */
static double sphere_scaled(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double u = x[i] * (i % 2 == 0 ? 1e9 : 1e-9) - 0.3;
        sum += u * u;
    }
    return sum;
}

static void test_ranges_do_not_matter(void **state)
{
    brn_ctx *ctx = *state;
    for (int type = 0; type < BRN_OPTIMIZERS; ++type) {
        test_problem t;
        brn_optimize_result r;
        test_problem_init(&t, sphere_scaled, 4, 0.0, 1.0, 0.0);
        for (int i = 0; i < 4; ++i) {
            t.lower[i] = (i % 2 == 0 ? 1e-9 : 1e9) * -1.0;
            t.upper[i] = (i % 2 == 0 ? 1e-9 : 1e9) * 2.0;
        }
        const brn_optimize_options o = options_of((brn_optimizer)type, 5000, 1e-6);
        assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
        assert_true(sqrt(r.value) < 10.0 * 3e-6); /* as above, of a range of 3 */
    }
}

static void test_minimum_on_bounds(void **state)
{
    brn_ctx *ctx = *state;
    for (int type = 0; type < BRN_OPTIMIZERS; ++type) {
        for (int upper = 0; upper < 2; ++upper) {
            test_problem t;
            brn_optimize_result r;
            test_problem_init(&t, sphere, 4, upper ? -10.0 : 0.5, upper ? -0.5 : 10.0, upper ? -4.0 : 4.0);
            t.lower[2] = -3.0;
            t.upper[2] = 3.0;
            t.start[2] = 2.0;
            const brn_optimize_options o = options_of((brn_optimizer)type, 10000, 1e-5);
            assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
            assert_int_equal(r.end, BRN_OPTIMIZE_TOLERANCE);
            for (int i = 0; i < 4; ++i) {
                assert_near(t.best[i], i == 2 ? 0.0 : upper ? -0.5 : 0.5, 10.0 * 9.5e-5);
            }
            if (type == BRN_OPTIMIZER_CMAES) {
                /* The fold's parabola: steps of 1e-5 in it are 1e-9 of the range at the edge. */
                assert_near(t.best[0], upper ? -0.5 : 0.5, 1e-7);
            }
        }
    }
}

/* ---- constraints --------------------------------------------------------------------------------------------------------------- */

/* x0 + x1 >= 1: the sphere's minimum is 1/2. */
static void above_line(const double *x, double *c)
{
    c[0] = 1.0 - x[0] - x[1];
}

/* Problems 43 and 100 of [Hock & Schittkowski 1981], minima -44 and 680.6300573. */
static double hock_43(int n, const double *x)
{
    (void)n;
    return x[0] * x[0] + x[1] * x[1] + 2.0 * x[2] * x[2] + x[3] * x[3] - 5.0 * x[0] - 5.0 * x[1] -
           21.0 * x[2] + 7.0 * x[3];
}

static void hock_43_constrain(const double *x, double *c)
{
    const double s[4] = {x[0] * x[0], x[1] * x[1], x[2] * x[2], x[3] * x[3]};
    c[0] = s[0] + s[1] + s[2] + s[3] + x[0] - x[1] + x[2] - x[3] - 8.0;
    c[1] = s[0] + 2.0 * s[1] + s[2] + 2.0 * s[3] - x[0] - x[3] - 10.0;
    c[2] = 2.0 * s[0] + s[1] + s[2] + 2.0 * x[0] - x[1] - x[3] - 5.0;
}

static double hock_100(int n, const double *x)
{
    (void)n;
    return pow(x[0] - 10.0, 2) + 5.0 * pow(x[1] - 12.0, 2) + pow(x[2], 4) + 3.0 * pow(x[3] - 11.0, 2) +
           10.0 * pow(x[4], 6) + 7.0 * x[5] * x[5] + pow(x[6], 4) - 4.0 * x[5] * x[6] - 10.0 * x[5] -
           8.0 * x[6];
}

static void hock_100_constrain(const double *x, double *c)
{
    c[0] = 2.0 * x[0] * x[0] + 3.0 * pow(x[1], 4) + x[2] + 4.0 * x[3] * x[3] + 5.0 * x[4] - 127.0;
    c[1] = 7.0 * x[0] + 3.0 * x[1] + 10.0 * x[2] * x[2] + x[3] - x[4] - 282.0;
    c[2] = 23.0 * x[0] + x[1] * x[1] + 6.0 * x[5] * x[5] - 8.0 * x[6] - 196.0;
    c[3] = 4.0 * x[0] * x[0] + x[1] * x[1] - 3.0 * x[0] * x[1] + 2.0 * x[2] * x[2] + 5.0 * x[5] - 11.0 * x[6];
}

static void test_minimum_on_constraint(void **state)
{
    brn_ctx *ctx = *state;
    static const struct {
        test_function value;
        void (*constrain)(const double *x, double *c);
        int n, m;
        double reach, start, minimum;
        double slope; /* of the value along a constraint's normal, roughly */
    } problem[] = {{sphere, above_line, 2, 1, 5.0, 2.0, 0.5, 1.5},
                   {sphere, above_line, 8, 1, 5.0, -2.0, 0.5, 1.5},
                   {hock_43, hock_43_constrain, 4, 3, 5.0, 0.0, -44.0, 20.0},
                   {hock_100, hock_100_constrain, 7, 4, 10.0, 1.0, 680.6300573, 30.0}};
    static const brn_optimizer types[] = {BRN_OPTIMIZER_CMAES, BRN_OPTIMIZER_COBYLA, BRN_OPTIMIZER_GRADIENT};
    for (int k = 0; k < 3 * 4; ++k) {
        const brn_optimizer type = types[k % 3];
        for (uint64_t seed = 1; seed <= (type == BRN_OPTIMIZER_CMAES ? 5 : 1); ++seed) {
            const int i = k / 3;
            test_problem t;
            brn_optimize_result r;
            test_problem_init(&t, problem[i].value, problem[i].n, -problem[i].reach, problem[i].reach,
                              problem[i].start);
            t.constrain = problem[i].constrain;
            t.m = problem[i].m;
            brn_optimize_options o = options_of(type, 20000, 1e-6);
            o.seed = seed;
            o.restarts = 0;
            assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
            assert_int_equal(r.end, BRN_OPTIMIZE_TOLERANCE);
            assert_true(r.violation == 0.0);
            double c[4];
            t.constrain(t.best, c);
            for (int j = 0; j < t.m; ++j) {
                assert_true(c[j] <= o.slack);
            }
            /* Steps of 1e-6 of the range; feasible points lie some of them away where several constraints meet. */
            assert_near(r.value, problem[i].minimum, problem[i].slope * 10.0 * 2.0 * problem[i].reach * 1e-6);
        }
    }
}

/* Nothing is feasible: the least violation is the answer, and says so. */
static void nowhere(const double *x, double *c)
{
    c[0] = 1.0 + x[0] * x[0];
}

static void test_nothing_feasible(void **state)
{
    brn_ctx *ctx = *state;
    test_problem t;
    brn_optimize_result r;
    test_problem_init(&t, sphere, 3, -5.0, 5.0, 2.0);
    t.constrain = nowhere;
    t.m = 1;
    brn_optimize_options o = options_of(BRN_OPTIMIZER_CMAES, 3000, 1e-4);
    o.target = 1e9; /* no target is reached by what breaks a constraint */
    assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
    assert_true(r.end != BRN_OPTIMIZE_TARGET);
    assert_near(r.violation, 1.0, 1e-2);
}

/* ---- points without values, noise ------------------------------------------------------------------------------------------------- */

static bool fails_beyond(int n, const double *x)
{
    (void)n;
    return x[0] + x[1] > 3.0;
}

static bool fails_always(int n, const double *x)
{
    (void)n;
    return x[0] < INFINITY;
}

/* About every third point, whatever it is worth. */
static bool fails_often(int n, const double *x)
{
    return fmod(fabs(1e12 * x[n - 1]), 3.0) < 1.0;
}

static void test_points_without_value(void **state)
{
    brn_ctx *ctx = *state;
    for (int type = 0; type < BRN_OPTIMIZERS; ++type) {
        for (int corner = 0; corner < 2; ++corner) {
            test_problem t;
            brn_optimize_result r;
            test_problem_init(&t, sphere, 3, corner ? 1.0 : -5.0, 5.0, 1.2);
            t.fails = fails_beyond;
            const brn_optimize_options o = options_of((brn_optimizer)type, 5000, 1e-5);
            assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
            assert_near(r.value, corner ? 3.0 : 0.0, corner ? 2e-3 : 1e-5); /* 10 steps of 4e-5, slope 3.5 */
        }
    }
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        test_problem t;
        brn_optimize_result r;
        test_problem_init(&t, sphere, 5, -5.0, 5.0, 2.0);
        t.fails = fails_often;
        brn_optimize_options o = options_of(BRN_OPTIMIZER_CMAES, 5000, 1e-9);
        o.seed = seed;
        o.target = 1e-8;
        assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
        assert_int_equal(r.end, BRN_OPTIMIZE_TARGET);
    }
}

static void test_no_values_at_all(void **state)
{
    brn_ctx *ctx = *state;
    for (int type = 0; type < BRN_OPTIMIZERS; ++type) {
        test_problem t;
        brn_optimize_result r;
        test_problem_init(&t, sphere, 3, -5.0, 5.0, 1.5);
        t.fails = fails_always;
        const brn_optimize_options o = options_of((brn_optimizer)type, 300, 1e-5);
        const brn_status status = test_problem_run(ctx, &t, &o, &r);
        assert_int_equal(status, type == BRN_OPTIMIZER_CMAES ? BRN_OK : BRN_ERR_NOT_FINITE);
        assert_true(isnan(r.value));
        assert_near(t.best[0], 1.5, 0.0);
        assert_int_equal(r.evaluations, type == BRN_OPTIMIZER_CMAES ? 300 : 1);
    }
}

/* A third of every value is noise: the true value still falls by eight orders. */
static void test_noise(void **state)
{
    brn_ctx *ctx = *state;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        test_problem t;
        brn_optimize_result r;
        test_problem_init(&t, sphere, 5, -5.0, 5.0, 4.0);
        t.noise = 0.33;
        brn_optimize_options o = options_of(BRN_OPTIMIZER_CMAES, 4000, 1e-12);
        o.seed = seed;
        assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
        assert_true(sphere(5, t.best) < 1e-8 * 80.0);
    }
}

/* ---- batches, bits -------------------------------------------------------------------------------------------------------------- */

static void test_batches(void **state)
{
    brn_ctx *ctx = *state;
    test_problem t;
    brn_optimize_result r;
    test_problem_init(&t, rosenbrock, 6, -5.0, 5.0, -1.0);
    brn_optimize_options o = options_of(BRN_OPTIMIZER_CMAES, 95, 1e-12);
    o.population = 20;
    assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
    assert_int_equal(t.batches, 5); /* the last one is cut short */
    assert_int_equal(t.points, 95);
    assert_int_equal(r.end, BRN_OPTIMIZE_BUDGET);
    o = options_of(BRN_OPTIMIZER_GRADIENT, 500, 1e-6);
    assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
    assert_int_equal(t.largest, 12);
    assert_true(t.points > 5 * t.batches);
}

/* The points of a search that stops early are the first of one that does not: told the same values again, it goes on where it was. */
static void test_same_bits(void **state)
{
    brn_ctx *ctx = *state;
    enum { N = 4, ALL = 700 };
    static double first[N * ALL], second[N * ALL];
    for (int type = 0; type < BRN_OPTIMIZERS; ++type) {
        test_problem t;
        brn_optimize_result r;
        test_problem_init(&t, rastrigin, N, -5.0, 4.0, 3.3);
        t.record = first;
        t.record_cap = N * ALL;
        brn_optimize_options o = options_of((brn_optimizer)type, ALL, 1e-6);
        assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
        const long all = t.points;
        const double value = r.value;
        static const int stops[] = {1, 2, 37, 299, ALL};
        for (int k = 0; k < 5; ++k) {
            memset(second, 0, sizeof second);
            t.record = second;
            o.evaluations = stops[k];
            assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
            assert_int_equal(t.points, all < stops[k] ? all : stops[k]);
            assert_memory_equal(first, second, (size_t)(t.points * N) * sizeof *first);
        }
        assert_memory_equal(&value, &r.value, sizeof value);
    }
}

static void test_seeds_differ(void **state)
{
    brn_ctx *ctx = *state;
    double best[2];
    for (int k = 0; k < 2; ++k) {
        test_problem t;
        brn_optimize_result r;
        test_problem_init(&t, rosenbrock, 4, -5.0, 4.0, 3.3);
        brn_optimize_options o = options_of(BRN_OPTIMIZER_CMAES, 100, 1e-6);
        o.seed = (uint64_t)k;
        assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
        best[k] = r.value;
    }
    assert_true(best[0] != best[1]);
}

/* The start is among the points: no search ends worse than it began. */
static void test_start_counts(void **state)
{
    brn_ctx *ctx = *state;
    for (int type = 0; type < BRN_OPTIMIZERS; ++type) {
        test_problem t;
        brn_optimize_result r;
        test_problem_init(&t, sphere, 3, -5.0, 5.0, 0.0);
        const brn_optimize_options o = options_of((brn_optimizer)type, 1, 1e-6);
        assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
        assert_near(r.value, 0.0, 1e-28); /* rounding of the scaling */
    }
}

/* ---- failures ------------------------------------------------------------------------------------------------------------------- */

static void test_status_is_returned(void **state)
{
    brn_ctx *ctx = *state;
    for (int type = 0; type < BRN_OPTIMIZERS; ++type) {
        for (long at = 0; at < 60; at += at < 5 ? 1 : 13) {
            test_problem t;
            brn_optimize_result r;
            test_problem_init(&t, rosenbrock, 3, -5.0, 5.0, 3.0);
            t.status = BRN_ERR_FULL;
            t.fail_at = at;
            const brn_optimize_options o = options_of((brn_optimizer)type, 1000, 1e-6);
            assert_int_equal(test_problem_run(ctx, &t, &o, &r), BRN_ERR_FULL);
            assert_int_equal(t.points, at); /* no call after that */
            assert_true(r.evaluations <= at);
            assert_true(isnan(r.value) == (r.evaluations == 0));
        }
    }
    brn_ctx_cancel(ctx, true);
    test_problem t;
    brn_optimize_result r;
    test_problem_init(&t, rosenbrock, 3, -5.0, 5.0, 3.0);
    const brn_optimize_options o = options_of(BRN_OPTIMIZER_CMAES, 1000, 1e-6);
    assert_int_equal(test_problem_run(ctx, &t, &o, &r), BRN_ERR_CANCELLED);
    assert_int_equal(t.points, 0);
    brn_ctx_cancel(ctx, false);
}

static void test_bad_input(void **state)
{
    brn_ctx *ctx = *state;
    for (int k = 0; k < 18; ++k) {
        test_problem t;
        brn_optimize_result r;
        test_problem_init(&t, sphere, k == 16 ? 1 : 3, -5.0, 5.0, 1.0);
        brn_optimize_options o = options_of(BRN_OPTIMIZER_CMAES, 100, 1e-6);
        switch (k) {
        case 0:
            t.n = 0;
            break;
        case 1:
            t.lower[1] = 5.0;
            break;
        case 2:
            t.upper[2] = INFINITY;
            break;
        case 3:
            t.start[0] = NAN;
            break;
        case 4:
            t.start[0] = 5.1;
            break;
        case 5:
            o.type = BRN_OPTIMIZERS;
            break;
        case 6:
            o.evaluations = 0;
            break;
        case 7:
            o.population = 3;
            break;
        case 8:
            o.restarts = -1;
            break;
        case 9:
            o.spread = NAN;
            break;
        case 10:
            o.spread = 1.5;
            break;
        case 11:
            o.tolerance = 0.0;
            break;
        case 12:
            o.target = NAN;
            break;
        case 13:
            o.slack = -1.0;
            break;
        case 14:
        case 15:
            t.m = 1;
            t.constrain = above_line;
            o.type = k == 14 ? BRN_OPTIMIZER_BOBYQA : BRN_OPTIMIZER_SUBPLEX;
            break;
        case 16:
            o.type = BRN_OPTIMIZER_BOBYQA;
            break;
        default:
            t.m = -1;
            break;
        }
        assert_int_equal(test_problem_run(ctx, &t, &o, &r), BRN_ERR_RANGE);
        assert_non_null(strstr(brn_ctx_message(ctx), "optimize"));
        assert_int_equal(t.points, 0);
    }
}

static brn_status search_with(brn_ctx *ctx, void *arg)
{
    test_problem t;
    brn_optimize_result r;
    test_problem_init(&t, rastrigin, 3, -5.0, 5.0, 1.0);
    brn_optimize_options o = options_of(*(brn_optimizer *)arg, 2000, 1e-3);
    if (o.type == BRN_OPTIMIZER_CMAES || o.type == BRN_OPTIMIZER_GRADIENT) {
        t.m = 1;
        t.constrain = above_line;
    }
    o.target = 1e-9;
    return test_problem_run(ctx, &t, &o, &r);
}

static void test_allocations(void **state)
{
    (void)state;
    for (int type = 0; type < BRN_OPTIMIZERS; ++type) {
        brn_optimizer of = (brn_optimizer)type;
        assert_true(faulty_run(search_with, &of, 0) >= (type == BRN_OPTIMIZER_CMAES ? 20 : 4));
    }
}

static int set_up(void **state)
{
    *state = test_ctx(1);
    return 0;
}

static int tear_down(void **state)
{
    brn_ctx_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimum_inside),
        cmocka_unit_test(test_ranges_do_not_matter),
        cmocka_unit_test(test_minimum_on_bounds),
        cmocka_unit_test(test_minimum_on_constraint),
        cmocka_unit_test(test_nothing_feasible),
        cmocka_unit_test(test_points_without_value),
        cmocka_unit_test(test_no_values_at_all),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_start_counts),
        cmocka_unit_test(test_status_is_returned),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
