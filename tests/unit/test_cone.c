/* The frictional contact problem: stored and random problems, the limits of the law, what has no solution, and files. */
#include "test.h"

#include "cone/cone.h"
#include "cone_problems.h"
#include "faulty.h"

#include <unistd.h>

/* ---- stored problems -------------------------------------------------------------------------------------------------------- */

/* Problems of real simulations (shared reference data; see its README), and the sums of normal impulses known for two of them. */
typedef struct stored {
    const char *name;
    int contacts;
    double sum, digits; /* NaN: not known */
} stored;

static const stored stored_problems[] = {
    {"NESpheres_10_1.dat", 9, 3.59413048, 1e-8},
    {"Capsules-i100-889.dat", 276, 0.5728109092,
     1e-9}, /* hyperstatic: of many solutions that of plain Gauss-Seidel */
    {"Rover1039.dat", 4, NAN, 0.0},
    {"Rover4396.dat", 2, NAN, 0.0},
    {"FrictionContact3D_RR_1c.dat", 1, NAN, 0.0},
    {"Confeti-ex13-4contact-Fc3D-SBM.dat", 4, NAN, 0.0},
};

static void test_stored(void **state)
{
    (void)state;
    const char *given = getenv("BRUNT_REFERENCE");
    brn_ctx *ctx = test_ctx(1);
    for (size_t k = 0; k < sizeof stored_problems / sizeof *stored_problems; ++k) {
        const stored *known = &stored_problems[k];
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/fc3d/%s",
                       given != NULL ? given : BRN_SOURCE_DIR "/../shared/reference", known->name);
        if (access(path, R_OK) != 0) {
            print_message("SKIPPED: %s is absent (BRUNT_REFERENCE names its folder)\n", path);
            brn_ctx_destroy(ctx);
            skip();
        }
        brn_cone_file *file = NULL;
        assert_done(ctx, brn_cone_read(ctx, path, &file));
        const brn_cone_problem *p = brn_cone_file_problem(file);
        assert_int_equal(p->contacts, known->contacts);
        double *r = calloc((size_t)p->contacts * 3, sizeof *r);
        double *u = calloc((size_t)p->contacts * 3, sizeof *u);
        for (int pass = 0; pass < 2;
             ++pass) { /* as it is, then with Newton's method from the first sweeps on */
            brn_cone_report report;
            brn_cone_options options = brn_cone_options_default();
            options.tolerance = pass == 0 ? 1e-8 : 1e-12;
            memset(r, 0, (size_t)p->contacts * 3 * sizeof *r);
            assert_done(ctx, brn_cone_solve(ctx, p, &options, r, u, &report));
            assert_true(report.relative <= options.tolerance);
            assert_true(report.penetration <= options.tolerance * report.scale);
            assert_true(report.slip <= options.tolerance * report.scale);
            double sum = 0.0;
            for (int i = 0; i < p->contacts; ++i) {
                sum += r[3 * i];
            }
            if (pass == 0 && !isnan(known->sum)) {
                assert_near(sum, known->sum, known->digits);
            }
        }
        free(r);
        free(u);
        brn_cone_close(file);
    }
    brn_ctx_destroy(ctx);
}

/* ---- random problems -------------------------------------------------------------------------------------------------------- */

/* Every answer is checked here, from W and q alone: done means that the laws hold, and a failure says how far it came. */
static void check_answer(const brn_cone_problem *p, const double *r, const double *u, brn_status status,
                         const brn_cone_report *report)
{
    double worst = 0.0;
    for (int i = 0; i < p->contacts; ++i) {
        double sum[3] = {0.0, 0.0, 0.0}, own[2] = {0.0, 0.0};
        for (int k = p->first[i]; k < p->first[i + 1]; ++k) {
            const double *w = p->w + (size_t)k * (size_t)(p->dim * p->dim);
            for (int d = 0; d < p->dim * p->dim; ++d) {
                sum[d / p->dim] += w[d] * r[p->column[k] * p->dim + d % p->dim];
            }
            if (p->column[k] == i) {
                own[0] = w[0];
                own[1] = p->dim == 3 ? 0.5 * (w[4] + w[8]) : w[3];
            }
        }
        const double *ri = r + i * p->dim, *ui = u + i * p->dim;
        double slip = 0.0, friction = 0.0, along = 0.0;
        for (int d = 0; d < p->dim; ++d) {
            assert_near(ui[d], sum[d] + p->q[i * p->dim + d], 10.0 * report->rounding);
            slip = d > 0 ? hypot(slip, ui[d]) : 0.0;
            friction = d > 0 ? hypot(friction, ri[d]) : 0.0;
            along += d > 0 ? ri[d] * ui[d] : 0.0;
        }
        worst = fmax(worst, fmax(-ui[0], -own[0] * ri[0]));
        worst = fmax(worst, fmin(fabs(ui[0]), own[0] * fabs(ri[0])));
        const double within = own[1] * (p->mu[i] * ri[0] - friction);
        worst = fmax(worst, -within);
        /* sticks, or slides against all of its friction, whose direction counts as far as there is any */
        const double askew = friction > 0.0 ? fmin(slip + along / friction, 2.0 * own[1] * friction) : 0.0;
        worst = fmax(worst, fmin(slip, fmax(fabs(within), askew)));
    }
    if (status == BRN_OK) {
        assert_true(report->relative <= 1e-8);
        assert_true(worst <= 2e-8 * report->scale); /* another norm of the same errors */
    } else {
        assert_int_equal(status, BRN_ERR_CONVERGENCE);
        assert_true(report->relative > 1e-8);
    }
}

static void test_random(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    brn_ctx *ctx = test_ctx(1);
    int failed = 0;
    for (uint64_t seed = 0; seed < COUNT; ++seed) {
        const char *kind = NULL;
        cone_problem c = cone_random(seed, 40, &kind);
        const size_t count = (size_t)(c.problem.contacts * c.problem.dim);
        double *r = calloc(count, sizeof *r);
        double *u = calloc(count, sizeof *u);
        brn_cone_report report;
        const brn_status status = brn_cone_solve(ctx, &c.problem, NULL, r, u, &report);
        check_answer(&c.problem, r, u, status, &report);
        if (status < 0) {
            ++failed;
            print_message("%d, %s, %d contacts: %s\n", (int)seed, kind, c.problem.contacts,
                          brn_ctx_message(ctx));
        }
        free(r);
        free(u);
        cone_problem_free(&c);
    }
    print_message("%d of %d without a solution to 1e-8\n", failed, COUNT);
    assert_int_equal(failed, 0);
    brn_ctx_destroy(ctx);
}

/* Solves with so many steps of each kind; u may be NULL. */
static brn_status solve_by(brn_ctx *ctx, const brn_cone_problem *p, int newton, int path, double *u,
                           brn_cone_report *report)
{
    const brn_cone_options options = {.tolerance = 1e-8, .sweeps = 10000, .newton = newton, .path = path};
    const size_t count = (size_t)(p->contacts * p->dim);
    double *r = calloc(count, sizeof *r);
    const brn_status status = brn_cone_solve(ctx, p, &options, r, u, report);
    check_answer(p, r, u, status, report);
    free(r);
    return status;
}

/* Where Newton's method gives up, the path leads to a solution; and only if it may. */
static void test_path(void **state)
{
    (void)state;
    const uint64_t hard[] = {741, 787, 788, 981};
    brn_ctx *ctx = test_ctx(1);
    for (size_t k = 0; k < sizeof hard / sizeof *hard; ++k) {
        const char *kind = NULL;
        cone_problem c = cone_random(hard[k], 60, &kind);
        double *u = calloc((size_t)(c.problem.contacts * c.problem.dim), sizeof *u);
        brn_cone_report report;
        assert_int_equal(solve_by(ctx, &c.problem, 300, 0, u, &report), BRN_ERR_CONVERGENCE);
        assert_int_equal(report.path, 0);
        assert_int_equal(solve_by(ctx, &c.problem, 300, 300, u, &report), BRN_OK);
        assert_true(report.path > 0 && report.path <= 300);
        free(u);
        cone_problem_free(&c);
    }
    brn_ctx_destroy(ctx);
}

/* The path alone finds what Newton's method finds, where W is regular and there is little friction, so that there is one solution. */
static void test_path_alone(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (uint64_t seed = 0; seed < 20; ++seed) {
        enum { CONTACTS = 12, COUNT = 3 * CONTACTS };
        brn_rng rng = {seed};
        cone_problem c = cone_of_spectrum(&rng, 3, CONTACTS, 100.0, 0.0);
        double by_path[COUNT], by_newton[COUNT];
        brn_cone_report report;
        for (int i = 0; i < CONTACTS; ++i) {
            c.mu[i] = i % 3 == 0 ? 0.0 : 0.1;
        }
        const brn_cone_options path = {.tolerance = 1e-10, .sweeps = 1, .path = 100};
        double r[COUNT] = {0.0};
        assert_done(ctx, brn_cone_solve(ctx, &c.problem, &path, r, by_path, &report));
        assert_true(report.path > 0 && report.newton == 0);
        assert_done(ctx, solve_by(ctx, &c.problem, 100, 0, by_newton, &report));
        assert_int_equal(report.path, 0);
        for (int k = 0; k < COUNT; ++k) {
            /* the tolerance of the rougher one, times the condition of W */
            assert_near(by_path[k], by_newton[k], 1e-8 * 100.0 * report.scale);
        }
        cone_problem_free(&c);
    }
    brn_ctx_destroy(ctx);
}

/* Problems that are well scaled are all solved, from any start. */
static void test_starts(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (uint64_t seed = 0; seed < 40; ++seed) {
        brn_rng rng = {seed};
        cone_problem c = cone_of_bodies(&rng, seed % 3 == 0 ? 2 : 3, 30, 12, 10.0);
        const size_t count = (size_t)(c.problem.contacts * c.problem.dim);
        double *r = calloc(count, sizeof *r);
        double *u = calloc(count, sizeof *u);
        brn_cone_report report;
        for (int i = 0; i < 30; ++i) {
            c.mu[i] = 0.5;
        }
        for (size_t k = 0; k < count; ++k) {
            r[k] = 100.0 * cone_normal(&rng);
        }
        assert_done(ctx, brn_cone_solve(ctx, &c.problem, NULL, r, u, &report));
        check_answer(&c.problem, r, u, BRN_OK, &report);
        /* a solution is its own start */
        assert_done(ctx, brn_cone_solve(ctx, &c.problem, NULL, r, u, &report));
        assert_int_equal(report.sweeps + report.newton, 0);
        free(r);
        free(u);
        cone_problem_free(&c);
    }
    brn_ctx_destroy(ctx);
}

/* Many contacts that all feel each other: a short turn and Newton's method are enough, and near a solution Newton's method alone. */
static void test_many(void **state)
{
    enum { N = 180 };
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {7};
    cone_problem c = cone_of_bodies(&rng, 3, N, 1, 1.0);
    double *r = calloc(3 * N, sizeof *r);
    double *u = calloc(3 * N, sizeof *u);
    brn_cone_report report;
    for (int i = 0; i < N; ++i) {
        c.mu[i] = 0.5;
        for (int d = 0; d < 3; ++d) { /* every contact has a compliance of its own, too */
            c.w[((size_t)i * N + (size_t)i) * 9 + (size_t)(4 * d)] += 1.0;
        }
    }
    assert_int_equal(c.first[N], N * N);
    assert_done(ctx, brn_cone_solve(ctx, &c.problem, NULL, r, u, &report));
    check_answer(&c.problem, r, u, BRN_OK, &report);
    assert_true(report.sweeps <= 16);
    for (int k = 0; k < 3 * N; ++k) {
        r[k] *= 1.0 + 1e-6 * cone_normal(&rng);
    }
    assert_done(ctx, brn_cone_solve(ctx, &c.problem, NULL, r, u, &report));
    check_answer(&c.problem, r, u, BRN_OK, &report);
    assert_true(report.sweeps == 0 && report.newton > 0);
    free(r);
    free(u);
    cone_problem_free(&c);
    brn_ctx_destroy(ctx);
}

/* ---- known answers ---------------------------------------------------------------------------------------------------------- */

/* A block of mass m on a plane, held by n equal points: the sum of their impulses stops it, whatever their shares. */
static cone_problem rigid_points(int n, double mass)
{
    double *w = calloc(9 * (size_t)n * (size_t)n, sizeof *w);
    for (int i = 0; i < 3 * n; ++i) {
        for (int j = 0; j < 3 * n; ++j) {
            w[(size_t)i * 3 * (size_t)n + (size_t)j] = i % 3 == j % 3 ? 1.0 / mass : 0.0;
        }
    }
    cone_problem c = cone_from_dense(3, n, w);
    free(w);
    return c;
}

static void solve_points(double mu, double push, double sums[3], brn_cone_report *report, double *slip)
{
    enum { N = 50 };
    brn_ctx *ctx = test_ctx(1);
    cone_problem c = rigid_points(N, 2.0);
    double r[3 * N] = {0.0}, u[3 * N];
    for (int i = 0; i < N; ++i) {
        c.q[3 * i] = -0.1;
        c.q[3 * i + 1] = push;
        c.mu[i] = mu;
    }
    assert_done(ctx, brn_cone_solve(ctx, &c.problem, NULL, r, u, report));
    for (int i = 0; i < 3 * N; ++i) {
        sums[i % 3] += r[i];
    }
    *slip = u[1];
    cone_problem_free(&c);
    brn_ctx_destroy(ctx);
}

static void test_hyperstatic(void **state)
{
    (void)state;
    brn_cone_report report;
    double slip = 0.0, slides[3] = {0.0}, sticks[3] = {0.0}, holds[3] = {0.0}, smooth[3] = {0.0};
    /* m v_n = 0.2, friction at most mu times that */
    solve_points(0.5, 0.3, slides, &report, &slip);
    assert_near(slides[0], 0.2, 1e-8);
    assert_near(slides[1], -0.1, 1e-8);
    assert_near(slip, 0.3 - 0.05, 1e-8);
    assert_true(report.sliding > 0 && report.sticking == 0); /* one point may carry all */
    solve_points(0.5, 0.04, sticks, &report, &slip);
    assert_near(sticks[1], -0.08, 1e-8);
    assert_true(report.sticking > 0 && report.sliding == 0);
    solve_points(INFINITY, 30.0, holds, &report, &slip);
    assert_near(holds[1], -60.0, 1e-6);
    assert_near(slip, 0.0, 3e-7);
    solve_points(0.0, 0.3, smooth, &report, &slip);
    assert_near(smooth[1], 0.0, 0.0);
    assert_near(slip, 0.3, 0.0);
}

/* Two bodies are pressed into each other from both sides by walls that cannot move: a velocity that no impulse changes. */
static void test_no_solution(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* u1 = r1 - r2 - 1, u2 = -r1 + r2 - 1: their sum is -2 */
    const double w[16] = {1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0, -1.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 1.0};
    cone_problem c = cone_from_dense(2, 2, w);
    double r[4] = {0.0}, u[4];
    brn_cone_report report;
    c.q[0] = c.q[2] = -1.0;
    c.mu[0] = c.mu[1] = 0.5;
    assert_int_equal(brn_cone_solve(ctx, &c.problem, NULL, r, u, &report), BRN_ERR_CONVERGENCE);
    assert_true(strstr(brn_ctx_message(ctx), "no solution") != NULL);
    assert_true(report.penetration >= 1.0 - 1e-9 && isfinite(r[0] + r[1] + r[2] + r[3]));
    cone_problem_free(&c);
    brn_ctx_destroy(ctx);
}

/* The errors are what the header says, in their units. */
static void test_errors(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const double w[9] = {2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    cone_problem c = cone_from_dense(3, 1, w);
    double r[3] = {0.5, -0.4, 0.0}, u[3];
    const brn_cone_options none = {.tolerance = 1e-8, .sweeps = 0, .newton = 0};
    brn_cone_report report;
    c.q[0] = -1.5;
    c.q[1] = 3.0;
    c.mu[0] = 0.6;
    assert_int_equal(brn_cone_solve(ctx, &c.problem, &none, r, u, &report), BRN_ERR_CONVERGENCE);
    /* u = (-0.5, 2.6, 0); friction 0.4 of 0.3; x = -0.4 - 2.6, shortened to 0.3 */
    assert_near(report.penetration, 0.5, 1e-15);
    assert_near(report.pull, 0.0, 0.0);
    assert_near(report.cone, 0.1, 1e-15);
    assert_near(report.complementarity, 0.25, 1e-15);
    assert_near(report.slip, 0.1, 1e-15);
    assert_near(report.scale, hypot(1.5, 3.0), 1e-15);
    assert_near(report.relative, hypot(0.5, 0.1) / report.scale, 1e-15);
    assert_int_equal(report.sliding, 1);
    r[0] = -0.25;
    assert_int_equal(brn_cone_solve(ctx, &c.problem, &none, r, u, &report), BRN_ERR_CONVERGENCE);
    assert_near(report.pull, 0.25, 0.0);
    cone_problem_free(&c);
    brn_ctx_destroy(ctx);
}

/* Without anything that moves, without contacts, and while a stop is asked for. */
static void test_ends(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {3};
    cone_problem c = cone_of_bodies(&rng, 3, 20, 5, 1.0);
    double r[60];
    brn_cone_report report;
    for (int i = 0; i < 60; ++i) {
        r[i] = 1.0;
    }
    brn_ctx_cancel(ctx, true);
    assert_int_equal(brn_cone_solve(ctx, &c.problem, NULL, r, NULL, &report), BRN_ERR_CANCELLED);
    brn_ctx_cancel(ctx, false);
    memset(c.q, 0, 60 * sizeof *c.q);
    assert_done(ctx, brn_cone_solve(ctx, &c.problem, NULL, r, NULL, &report));
    for (int i = 0; i < 60; ++i) {
        assert_near(r[i], 0.0, 0.0);
    }
    assert_done(ctx, brn_cone_solve(ctx, &(brn_cone_problem){.dim = 3}, NULL, r, NULL, &report));
    cone_problem_free(&c);
    brn_ctx_destroy(ctx);
}

static void test_bad_problems(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const double w[16] = {1.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0, 1.0, 0.0, 0.0, 0.5, 0.0, 1.0};
    for (int k = 0; k < 7; ++k) {
        cone_problem c = cone_from_dense(2, 2, w);
        double r[4] = {0.0};
        brn_cone_report report;
        const char *names = NULL;
        switch (k) {
        case 0:
            c.w[0] = 0.0, names = "normal entry of W of contact 0";
            break;
        case 1:
            c.w[5] = NAN, names = "contacts 0 and 1 is not finite";
            break;
        case 2:
            c.q[3] = INFINITY, names = "q of contact 1";
            break;
        case 3:
            c.mu[1] = -0.1, names = "mu of contact 1 is -0.1";
            break;
        case 4:
            c.column[1] = 2, names = "column[1] = 2";
            break;
        case 5:
            c.first[1] = 1, c.column[1] = 1, c.column[2] = 1, names = "ascend";
            break;
        default:
            c.first[2] = 3, c.column[2] = 0, names = "row 1 has no block on the diagonal";
            break;
        }
        assert_true(brn_cone_solve(ctx, &c.problem, NULL, r, NULL, &report) < 0);
        if (strstr(brn_ctx_message(ctx), names) == NULL) {
            fail_msg("'%s' does not name '%s'", brn_ctx_message(ctx), names);
        }
        cone_problem_free(&c);
    }
    brn_ctx_destroy(ctx);
}

/* ---- files ------------------------------------------------------------------------------------------------------------------ */

static void test_files(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int dim = 2; dim <= 3; ++dim) {
        brn_rng rng = {(uint64_t)dim};
        cone_problem c = cone_of_bodies(&rng, dim, 15, 6, 100.0);
        double r[45] = {0.0}, u[45];
        const double *stored_r = NULL, *stored_u = NULL;
        brn_cone_report report;
        brn_cone_file *file = NULL;
        for (int i = 0; i < 15; ++i) {
            c.mu[i] = i == 3 ? INFINITY : 0.1 * i;
        }
        assert_done(ctx, brn_cone_solve(ctx, &c.problem, NULL, r, u, &report));
        for (int with = 0; with < 2; ++with) {
            assert_done(ctx,
                        brn_cone_write(ctx, &c.problem, with ? r : NULL, with ? u : NULL, "test_cone.dat"));
            assert_done(ctx, brn_cone_read(ctx, "test_cone.dat", &file));
            const brn_cone_problem *p = brn_cone_file_problem(file);
            const size_t blocks = (size_t)c.first[15];
            assert_int_equal(p->dim, dim);
            assert_int_equal(p->contacts, 15);
            assert_memory_equal(p->first, c.first, 16 * sizeof *c.first);
            assert_memory_equal(p->column, c.column, blocks * sizeof *c.column);
            assert_memory_equal(p->w, c.w, blocks * (size_t)(dim * dim) * sizeof *c.w);
            assert_memory_equal(p->q, c.q, 15 * (size_t)dim * sizeof *c.q);
            assert_memory_equal(p->mu, c.mu, 15 * sizeof *c.mu);
            assert_int_equal(brn_cone_file_solution(file, &stored_r, &stored_u), with);
            if (with) {
                assert_memory_equal(stored_r, r, 15 * (size_t)dim * sizeof *r);
                assert_memory_equal(stored_u, u, 15 * (size_t)dim * sizeof *u);
            }
            brn_cone_close(file);
        }
        cone_problem_free(&c);
    }
    brn_ctx_destroy(ctx);
}

/* Dense and sparse files of the same problem, entries column by column. */
static void test_columns(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "2 1 0  2 2 2 2  1 2 3 4  5 6  0.5",
        "2\n1\n1\n2 2\n1\n1 1\n2\n2\n2 1\n0 1\n0\n0\n1 2 3 4\n5 6\n0.5\n0\n",
    };
    brn_ctx *ctx = test_ctx(1);
    for (int k = 0; k < 2; ++k) {
        const double want[4] = {1.0, 3.0, 2.0, 4.0}; /* by rows */
        brn_cone_file *file = NULL;
        assert_done(ctx, brn_cone_parse(ctx, texts[k], strlen(texts[k]), "two", &file));
        assert_memory_equal(brn_cone_file_problem(file)->w, want, sizeof want);
        brn_cone_close(file);
    }
    brn_ctx_destroy(ctx);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "expected the dimension, 2 or 3"},
        {"4 1 0", "the dimension, 2 or 3"},
        {"3\n0\n0\n", "number of contacts"},
        {"3\n1\n2\n", "kind of W"},
        {"3\n1000000\n0\n3000000\n", "too short for 1000000 contacts"},
        {"2\n1\n0\n2 3\n2 2\n1 0 0 1\n0 0\n1\n", "bad.dat:4: the number of columns of W is 3: must be 2"},
        {"2\n1\n0\n2 2\n2 2\n1 0 0 x\n0 0\n1\n",
         "bad.dat:6: expected an entry of W (a finite number), found 'x'"},
        {"2\n1\n0\n2 2\n2 2\n1 0 0 1\n0 0\n-1\n",
         "bad.dat:8: the coefficient of friction of contact 0 is '-1'"},
        {"2\n1\n0\n2 2\n2 2\n1 0 0 1\n0 0\n", "expected a coefficient of friction"},
        {"2\n1\n0\n2 2\n2 2\n1 0 0 1\n0 0\n1\n0\n7\n", "nothing may follow"},
        {"2\n1\n0\n2 2\n2 2\n1 0 0 1\n0 0\n1\n1\n7\n", "expected an impulse of the solution"},
        {"2\n1\n0\n2 2\n2 2\n-1 0 0 1\n0 0\n1\n", "normal entry of W of contact 0 is -1"},
        {"2\n1\n1\n2 2\n9\n1 1\n2\n2\n2 9\n", "too short for 9 blocks"},
        {"2\n1\n1\n2 2\n1\n1 1\n3\n2\n2 1\n0 1\n0\n0\n1 2 3 4\n5 6\n0.5\n",
         "the end of a block row is 3: must be 2"},
        {"2\n1\n1\n2 2\n1\n1 1\n2\n2\n2 1\n0 1\n5\n0\n1 2 3 4\n5 6\n0.5\n", "the column of a block"},
    };
    brn_ctx *ctx = test_ctx(1);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        brn_cone_file *file = NULL;
        assert_int_equal(brn_cone_parse(ctx, bad[k].text, strlen(bad[k].text), "bad.dat", &file),
                         BRN_ERR_FORMAT);
        assert_null(file);
        if (strstr(brn_ctx_message(ctx), bad[k].says) == NULL ||
            strncmp(brn_ctx_message(ctx), "bad.dat:", 8) != 0) {
            fail_msg("'%s' does not say '%s'", brn_ctx_message(ctx), bad[k].says);
        }
    }
    brn_cone_file *file = NULL;
    assert_int_equal(brn_cone_read(ctx, "/dev/zero", &file), BRN_ERR_FILE);
    assert_int_equal(brn_cone_read(ctx, "no such file", &file), BRN_ERR_FILE);
    brn_ctx_destroy(ctx);
}

/* A problem that needs Newton's method or the path, solved by either, written and read. */
static brn_status all_calls(brn_ctx *ctx, void *arg)
{
    const cone_problem *c = arg;
    const brn_cone_options options = {.tolerance = 1e-10, .sweeps = 1000, .newton = 100};
    double r[90] = {0.0}, u[90];
    brn_cone_report report;
    brn_cone_file *file = NULL;
    brn_status status = brn_cone_solve(ctx, &c->problem, &options, r, u, &report);
    assert_true(status < 0 || report.newton > 0);
    if (status >= 0) {
        const brn_cone_options path = {.tolerance = 1e-8, .sweeps = 1, .path = 100};
        memset(r, 0, sizeof r);
        status = brn_cone_solve(ctx, &c->problem, &path, r, u, &report);
        assert_true(status < 0 || report.path > 0);
    }
    status = status < 0 ? status : brn_cone_write(ctx, &c->problem, r, u, "test_cone_memory.dat");
    status = status < 0 ? status : brn_cone_read(ctx, "test_cone_memory.dat", &file);
    brn_cone_close(file);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    brn_rng rng = {5};
    cone_problem c = cone_of_bodies(&rng, 3, 30, 8, 10.0);
    for (int i = 0; i < 30; ++i) {
        c.mu[i] = 0.5;
    }
    assert_true(faulty_run(all_calls, &c, 0) > 10);
    cone_problem_free(&c);
}

/* Problems that follow each other, the same but for q, solved with and without a memory: the same answers. */
static void test_again(void **state)
{
    enum { CONTACTS = 60, ROUNDS = 6 };
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {11};
    cone_problem c = cone_of_bodies(&rng, 3, CONTACTS, 30, 10.0);
    for (int i = 0; i < CONTACTS; ++i) {
        c.mu[i] = 0.5;
    }
    /* One sweep: the rest is Newton's method. */
    const brn_cone_options options = {.tolerance = 1e-10, .sweeps = 1, .newton = 300};
    brn_cone_memory memory = {0};
    double r[2][3 * CONTACTS] = {{0.0}};
    int again = 0;
    for (int k = 0; k < ROUNDS; ++k) {
        double u[2][3 * CONTACTS];
        brn_cone_report report[2];
        const brn_status with =
            brn_cone_solve_again(ctx, &c.problem, &options, &memory, r[0], u[0], &report[0]);
        const brn_status without = brn_cone_solve(ctx, &c.problem, &options, r[1], u[1], &report[1]);
        assert_int_equal(with, without);
        if (with < 0) {
            continue;
        }
        for (int i = 0; i < 3 * CONTACTS; ++i) {
            assert_near(u[0][i], u[1][i],
                        1e-8 * (1.0 + fabs(u[1][i]))); /* the tolerance, times what W passes on */
        }
        again += report[0].newton > 0;
        for (int i = 0; i < 3 * CONTACTS; ++i) {
            c.q[i] *= 1.0 + 1e-4 * brn_rng_uniform(&rng, -1.0, 1.0);
        }
    }
    print_message("%d of %d rounds took Newton's method\n", again, ROUNDS);
    assert_true(again > 2);
    brn_cone_forget(ctx, &memory);
    cone_problem_free(&c);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored),       cmocka_unit_test(test_random),
        cmocka_unit_test(test_path),         cmocka_unit_test(test_path_alone),
        cmocka_unit_test(test_starts),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_hyperstatic),  cmocka_unit_test(test_no_solution),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_ends),
        cmocka_unit_test(test_bad_problems), cmocka_unit_test(test_files),
        cmocka_unit_test(test_columns),      cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
