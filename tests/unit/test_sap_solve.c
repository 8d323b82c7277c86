/* The convex problem of `sap`: its laws, and random problems of all sizes and conditions. */
#include "test.h"

#include "base/rng.h"
#include "step/sap/sap_problem.h"

/* ---- laws ------------------------------------------------------------------------------------------------------------------- */

/* kinds: so many of them. */
static brn_sap_constraint random_constraint(brn_rng *rng, int kinds, int size)
{
    brn_sap_constraint c = {.kind = (brn_sap_kind)(int)brn_rng_uniform(rng, 0.0, kinds)};
    c.rows = c.kind == BRN_SAP_CONTACT || c.kind == BRN_SAP_PULL ? size : 1;
    c.rows = c.kind == BRN_SAP_EQUALITY ? 1 + (int)brn_rng_uniform(rng, 0.0, 2.99) : c.rows;
    c.r = pow(10.0, brn_rng_uniform(rng, -3.0, 1.0));
    c.r_slip = c.r * pow(10.0, brn_rng_uniform(rng, -3.0, 1.0));
    c.mu = brn_rng_uniform(rng, 0.0, 1.0) < 0.1 ? 0.0 : brn_rng_uniform(rng, 0.0, 2.0);
    c.softening = 1e-3;
    c.most = brn_rng_uniform(rng, 0.0, 1.0) < 0.5 && c.kind == BRN_SAP_CONTACT
                 ? -1.0
                 : brn_rng_uniform(rng, 0.0, 2.0);
    for (int i = 0; i < 3; ++i) {
        c.target[i] = c.kind == BRN_SAP_CONTACT && i < c.rows - 1 ? 0.0 : brn_rng_uniform(rng, -1.0, 1.0);
    }
    return c;
}

/* The impulse is minus the gradient of the cost, G that of the impulse; both by central differences. The second derivative jumps where
   stick, slide and separation meet: such places are left out by comparing one-sided differences. */
static void test_derivatives(void **state)
{
    (void)state;
    brn_rng rng = {1};
    int compared = 0;
    for (int n = 0; n < 20000; ++n) {
        const int size = 2 + n % 2;
        const brn_sap_constraint c = random_constraint(&rng, BRN_SAP_PULL + 1, size);
        double v[3];
        double impulse[3];
        double g[9];
        for (int i = 0; i < 3; ++i) {
            v[i] = brn_rng_uniform(&rng, -2.0, 2.0);
        }
        (void)brn_sap_impulse(&c, v, impulse, g);
        for (int i = 0; i < c.rows; ++i) {
            const double eps = 1e-6;
            double at[2][3];
            double cost[2];
            double other[9];
            double jump = 0.0;
            for (int side = 0; side < 2; ++side) {
                double w[3] = {v[0], v[1], v[2]};
                w[i] += side == 0 ? -eps : eps;
                cost[side] = brn_sap_impulse(&c, w, at[side], other);
                for (int k = 0; k < c.rows * c.rows; ++k) {
                    jump = fmax(jump, fabs(other[k] - g[k]));
                }
            }
            const double stiff = 1.0 / fmin(c.r, c.r_slip);
            /* rounding of the cost over eps, and the third derivative */
            assert_near(-(cost[1] - cost[0]) / (2.0 * eps), impulse[i],
                        1e-6 * stiff + 1e-9 * fabs(cost[0]) / eps);
            for (int k = 0; k < c.rows && jump < 1e-2 * stiff; ++k, ++compared) {
                assert_near(-(at[1][k] - at[0][k]) / (2.0 * eps), g[i * c.rows + k], 1e-2 * stiff);
                assert_near(g[i * c.rows + k], g[k * c.rows + i], 1e-12 * stiff);
            }
        }
    }
    assert_true(compared > 20000);
}

/* Slopes along a line are those of impulse and G. */
static void test_slopes(void **state)
{
    (void)state;
    brn_rng rng = {3};
    for (int n = 0; n < 20000; ++n) {
        const brn_sap_constraint c = random_constraint(&rng, BRN_SAP_PULL + 1, 2 + n % 2);
        double v[3];
        double d[3];
        double impulse[3];
        double g[9];
        double first = 0.0;
        double second = 0.0;
        double size = 0.0;
        for (int i = 0; i < 3; ++i) {
            v[i] = brn_rng_uniform(&rng, -2.0, 2.0);
            d[i] = brn_rng_uniform(&rng, -1.0, 1.0);
        }
        (void)brn_sap_impulse(&c, v, impulse, g);
        for (int i = 0; i < c.rows; ++i) {
            first -= impulse[i] * d[i];
            size += fabs(impulse[i] * d[i]);
            for (int k = 0; k < c.rows; ++k) {
                second += d[i] * g[i * c.rows + k] * d[k];
            }
        }
        double bend = 1.0; /* is added to */
        const double slope = brn_sap_slope(&c, v, d, &bend);
        assert_near(slope, first, 1e-14 * size); /* sums of three terms in another order */
        assert_near(bend - 1.0, second, 1e-14 * (1.0 + 4.0 / fmin(c.r, c.r_slip)));
    }
}

/* Impulses lie in the cone, and oppose slip. */
static void test_cone(void **state)
{
    (void)state;
    brn_rng rng = {2};
    for (int n = 0; n < 20000; ++n) {
        brn_sap_constraint c = random_constraint(&rng, BRN_SAP_PULL + 1, 3);
        double v[3];
        double y[3];
        if (c.kind != BRN_SAP_CONTACT) {
            continue;
        }
        c.most = -1.0;
        for (int i = 0; i < 3; ++i) {
            v[i] = brn_rng_uniform(&rng, -2.0, 2.0);
        }
        (void)brn_sap_impulse(&c, v, y, NULL);
        assert_true(y[2] >= 0.0);
        assert_true(hypot(y[0], y[1]) <= c.mu * y[2] * (1.0 + 1e-12));
        assert_true(y[0] * v[0] + y[1] * v[1] <= 0.0);
    }
}

/* ---- problems --------------------------------------------------------------------------------------------------------------- */

typedef struct problem {
    brn_sap_problem p;
    brn_block_matrix *a;
    double *start, *gradient, *free; /* free: where the smooth part is least */
    unsigned char *fixed;
} problem;

/* `bodies` chains of rows, each with a random symmetric positive definite matrix. */
static brn_block_matrix *random_matrix(brn_ctx *ctx, brn_rng *rng, int nrow, int size, double decades)
{
    int *pair = calloc((size_t)nrow * 2, sizeof *pair);
    int npair = 0;
    for (int row = 0; row + 1 < nrow; ++row) {
        if (row % 5 != 4) {
            pair[2 * npair] = row;
            pair[2 * npair++ + 1] = row + 1;
        }
    }
    const brn_stencils list = {npair, 2, pair};
    brn_block_matrix *a = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, nrow, size, &list, 1, &a));
    for (int row = 0; row < nrow; ++row) { /* sums of B' B over pairs and rows */
        const bool joined = row % 5 != 4 && row + 1 < nrow;
        const double scale = pow(10.0, decades * brn_rng_uniform(rng, -0.5, 0.5));
        double b[2][9];
        for (int i = 0; i < 18; ++i) {
            b[i / 9][i % 9] = brn_rng_uniform(rng, -1.0, 1.0);
        }
        for (int s = 0; s < size; ++s) {
            b[0][s * size + s] += 2.0;
        }
        for (int k = 0; k < 2; ++k) {
            for (int l = k; l < 2 && (joined || l == 0); ++l) {
                const int at = brn_block_matrix_find(a, row + k, row + l);
                for (int i = 0; i < size; ++i) {
                    for (int j = 0; j < size; ++j) {
                        for (int s = 0; s < size; ++s) {
                            a->value[at * size * size + i * size + j] +=
                                scale * b[k][s * size + i] * b[l][s * size + j];
                        }
                    }
                }
            }
        }
        for (int s = 0; s < size; ++s) {
            a->value[a->start[row] * size * size + s * size + s] += 0.1 * scale;
        }
    }
    free(pair);
    return a;
}

/* w of the regularisation: sum of J diag(A)^-1 J' by its size. */
static double weight_of(const problem *q, const brn_sap_constraint *c)
{
    const int size = q->p.size;
    double sum[9] = {0};
    double square = 0.0;
    for (int k = c->first; k < c->first + c->count; ++k) {
        const brn_sap_block *b = &q->p.block[k];
        const double *d = &q->a->value[q->a->start[b->row] * size * size];
        for (int i = 0; i < c->rows; ++i) {
            for (int j = 0; j < c->rows; ++j) {
                for (int s = 0; s < size; ++s) {
                    sum[3 * i + j] += b->j[i * size + s] * b->j[j * size + s] / d[s * size + s];
                }
            }
        }
    }
    for (int i = 0; i < 9; ++i) {
        square += sum[i] * sum[i];
    }
    return sqrt(square) / c->rows;
}

static void make_problem(brn_ctx *ctx, uint64_t seed, int nrow, int nconstraint, double decades, problem *q)
{
    brn_rng rng = {seed};
    const int size = 2 + (int)(seed % 2);
    const int n = nrow * size;
    *q = (problem){.p = {.nrow = nrow, .size = size}};
    q->a = random_matrix(ctx, &rng, nrow, size, decades);
    q->start = calloc((size_t)n, sizeof(double));
    q->gradient = calloc((size_t)n, sizeof(double));
    q->free = calloc((size_t)n, sizeof(double));
    q->fixed = calloc((size_t)n, 1);
    for (int i = 0; i < n; ++i) {
        q->free[i] = brn_rng_uniform(&rng, -1.0, 1.0);
        q->fixed[i] = i % 17 == 16;
    }
    q->p.constraint = calloc((size_t)nconstraint, sizeof *q->p.constraint);
    q->p.block = calloc((size_t)nconstraint * 4, sizeof *q->p.block);
    for (int i = 0; i < nconstraint; ++i) {
        brn_sap_constraint *c = &q->p.constraint[i];
        *c = random_constraint(&rng, BRN_SAP_DRIVE + 1, size);
        c->first = q->p.nblock;
        c->count = 1 + (int)brn_rng_uniform(&rng, 0.0, fmin(3.99, nrow - 0.01));
        const int base = (int)brn_rng_uniform(&rng, 0.0, nrow - c->count + 0.99);
        for (int k = 0; k < c->count; ++k) {
            brn_sap_block *b = &q->p.block[q->p.nblock++];
            /* any order, neighbours and far ones */
            b->row = k == 0 || c->count > nrow / 2 ? base + (c->count - 1 - k)
                                                   : (base + k * (nrow / 7 + 1)) % nrow;
            for (int l = c->first; l < q->p.nblock - 1; ++l) {
                while (q->p.block[l].row == b->row) {
                    b->row = (b->row + 1) % nrow;
                    l = c->first;
                }
            }
            for (int j = 0; j < 9; ++j) {
                b->j[j] = brn_rng_uniform(&rng, -1.0, 1.0);
            }
        }
        const double w = weight_of(q, c);
        c->r = (c->kind == BRN_SAP_CONTACT ? 1.0 : 0.01) * w / (4.0 * M_PI * M_PI);
        c->r_slip = 1e-3 * w;
        c->softening = 1e-7 / w;
        c->most = c->most < 0.0 ? -1.0 : c->most / w;
    }
    q->p.nconstraint = nconstraint;
    q->p.a = q->a;
    q->p.fixed = q->fixed;
    q->p.start = q->start;
    q->p.gradient = q->gradient;
}

/* Starts at s: the smooth gradient there is A (s - free). */
static void start_at(problem *q, const double *s)
{
    const int n = q->p.nrow * q->p.size;
    double *way = calloc((size_t)n, sizeof *way);
    for (int i = 0; i < n; ++i) {
        q->start[i] = q->fixed[i] ? q->free[i] : s[i];
        way[i] = q->start[i] - q->free[i];
    }
    assert_int_equal(brn_block_matrix_multiply(q->a, way, q->gradient), BRN_OK);
    free(way);
}

static void free_problem(problem *q)
{
    brn_block_matrix_destroy(q->a);
    free(q->start);
    free(q->gradient);
    free(q->free);
    free(q->fixed);
    free(q->p.constraint);
    free(q->p.block);
}

/* Converges, has one solution wherever it starts, needs no iteration from there, and the same bits on two threads. */
static void test_random(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_ctx *two = test_ctx(2);
    brn_sap_solver *solver = NULL;
    brn_sap_solver *other = NULL;
    assert_done(ctx, brn_sap_solver_create(ctx, &solver));
    assert_done(two, brn_sap_solver_create(two, &other));
    brn_stopwatch watch = {0};
    brn_rng rng = {9};
    int most = 0;
    for (int n = 0; n < 200; ++n) {
        problem q;
        const int nconstraint = (int)pow(500.0, brn_rng_uniform(&rng, 0.0, 1.0));
        const int nrow = 1 + (int)pow(300.0, brn_rng_uniform(&rng, 0.0, 1.0));
        const double decades = brn_rng_uniform(&rng, 0.0, 12.0);
        make_problem(ctx, (uint64_t)(1000 + n), fmax(nrow, 4), nconstraint, decades, &q);
        const int dofs = q.p.nrow * q.p.size;
        double *v[3];
        double *impulse = calloc(3 * (size_t)nconstraint, sizeof *impulse);
        brn_sap_result result;
        const brn_sap_goal goal = {1e-6, 200, false};
        const brn_sap_goal tight = {1e-10, 200, false}; /* impulses are rounded, of stiff constraints most */
        for (int k = 0; k < 3; ++k) {
            v[k] = calloc((size_t)dofs, sizeof(double));
            for (int i = 0; i < dofs; ++i) {
                v[k][i] = k == 0 ? q.free[i] : brn_rng_uniform(&rng, -10.0, 10.0);
            }
            start_at(&q, v[k]);
            const brn_status status =
                brn_sap_solve(solver, &q.p, k == 0 ? &goal : &tight, &watch, v[k], impulse, &result);
            if (status < 0) {
                fail_msg("problem %d, %d rows, %d constraints, %.1f decades: %s", n, q.p.nrow, nconstraint,
                         decades, brn_ctx_message(ctx));
            }
            most = result.iterations > most ? result.iterations : most;
        }
        double size = 0.0;
        for (int i = 0; i < dofs; ++i) {
            size = fmax(size, fabs(v[1][i]));
        }
        for (int i = 0; i < dofs; ++i) {
            assert_near(v[2][i], v[1][i], 1e-8 * size);
        }
        start_at(&q, v[0]);
        assert_done(ctx, brn_sap_solve(solver, &q.p, &tight, &watch, v[1], impulse, &result));
        assert_done(two, brn_sap_solve(other, &q.p, &tight, &watch, v[2], impulse, &result));
        assert_memory_equal(v[1], v[2], (size_t)dofs * sizeof(double));
        start_at(&q, v[2]);
        assert_done(ctx, brn_sap_solve(solver, &q.p, &goal, &watch, v[0], impulse, &result));
        assert_int_equal(result.iterations, 0);
        free(impulse);
        for (int k = 0; k < 3; ++k) {
            free(v[k]);
        }
        free_problem(&q);
    }
    print_message("at most %d iterations\n", most);
    brn_sap_solver_destroy(solver);
    brn_sap_solver_destroy(other);
    brn_ctx_destroy(two);
    brn_ctx_destroy(ctx);
}

/* Coulomb's law: the bounds that are left are mu times the normal impulses, and the convex problem with them has this solution; the
   same bits on two threads. With friction up to 2 and Jacobians at random some problems have no solution: there bounds never settle, but the
   problem with the last ones is solved. */
static void test_coulomb(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_ctx *two = test_ctx(2);
    brn_sap_solver *solver = NULL;
    brn_sap_solver *other = NULL;
    assert_done(ctx, brn_sap_solver_create(ctx, &solver));
    assert_done(two, brn_sap_solver_create(two, &other));
    brn_stopwatch watch = {0};
    brn_rng rng = {19};
    int settled = 0;
    enum { PROBLEMS = 100 };
    for (int n = 0; n < PROBLEMS; ++n) {
        problem q;
        const int nconstraint = (int)pow(300.0, brn_rng_uniform(&rng, 0.0, 1.0));
        const int nrow = 4 + (int)pow(300.0, brn_rng_uniform(&rng, 0.0, 1.0));
        make_problem(ctx, (uint64_t)(2000 + n), nrow, nconstraint, brn_rng_uniform(&rng, 0.0, 6.0), &q);
        const size_t dofs = (size_t)(q.p.nrow * q.p.size);
        double *v = calloc(dofs, sizeof *v);
        double *again = calloc(dofs, sizeof *again);
        double *impulse = calloc(3 * (size_t)nconstraint, sizeof *impulse);
        const brn_sap_goal goal = {1e-6, 200, true};
        const brn_sap_goal convex = {1e-6, 200, false};
        brn_sap_result result;
        start_at(&q, q.free);
        assert_done(two, brn_sap_solve(other, &q.p, &goal, &watch, again, impulse, &result));
        assert_done(ctx, brn_sap_solve(solver, &q.p, &goal, &watch, v, impulse, &result));
        assert_memory_equal(v, again, dofs * sizeof *v);
        double off = 0.0;
        double most = 0.0;
        for (int i = 0; i < nconstraint; ++i) {
            const brn_sap_constraint *c = &q.p.constraint[i];
            if (c->kind == BRN_SAP_CONTACT) {
                const double bound = c->mu * impulse[3 * i + c->rows - 1];
                most = fmax(most, bound);
                off = fmax(off, fabs(c->most - bound));
            }
        }
        settled += off <= 1e-12 * most; /* rounding of one product */
        start_at(&q, v);
        assert_done(ctx, brn_sap_solve(solver, &q.p, &convex, &watch, again, impulse, &result));
        assert_int_equal(result.iterations, 0);
        free(v);
        free(again);
        free(impulse);
        free_problem(&q);
    }
    print_message("bounds settled in %d of %d problems\n", settled, PROBLEMS);
    assert_true(settled >= PROBLEMS * 95 / 100);
    brn_sap_solver_destroy(solver);
    brn_sap_solver_destroy(other);
    brn_ctx_destroy(two);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_slopes),  cmocka_unit_test(test_cone),
        cmocka_unit_test(test_random),      cmocka_unit_test(test_coulomb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
