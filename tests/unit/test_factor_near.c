#include "linalg_support.h"

#include "base/hash.h"
#include "linalg/factor_near.h"

enum { SIDE = 12, SIZE = 3, N = SIDE * SIDE * SIDE, NDOF = N * SIZE };

/* Springs along the edges of a cube's grid, and ground; every seventh edge is `stiff` times as stiff. Large enough that a
   factorisation is worth avoiding. */
static brn_block_matrix *grid(brn_ctx *ctx, double stiff)
{
    int count = 0;
    int *edge = grid_edges(SIDE, SIDE, SIDE, &count);
    const brn_stencils list = {count, 2, edge};
    brn_block_matrix *a = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, N, SIZE, &list, 1, &a));
    for (int i = 0; i < N; ++i) {
        double *diagonal = a->value + (size_t)a->start[i] * SIZE * SIZE;
        for (int c = 0; c < SIZE; ++c) {
            diagonal[c * (SIZE + 1)] += 1.0;
        }
        for (int k = a->start[i] + 1; k < a->start[i + 1]; ++k) {
            const double spring = (i + a->column[k]) % 7 == 0 ? stiff : 1.0;
            double *other = a->value + (size_t)a->start[a->column[k]] * SIZE * SIZE;
            for (int c = 0; c < SIZE; ++c) {
                a->value[(size_t)k * SIZE * SIZE + (size_t)(c * (SIZE + 1))] = -spring;
                diagonal[c * (SIZE + 1)] += spring;
                other[c * (SIZE + 1)] += spring;
            }
        }
    }
    free(edge);
    return a;
}

static void fill(unsigned char *fixed, double *b)
{
    for (int i = 0; i < NDOF; ++i) {
        fixed[i] = i % 11 == 0;
        b[i] = cos(i);
    }
}

/* The factor of one matrix solves with another, and the error obeys the goal in the norm that it is given in. */
static void test_against_own_factor(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    brn_block_matrix *near = grid(ctx, 1.0);
    brn_block_matrix *a = grid(ctx, 3.0);
    unsigned char *fixed = calloc(NDOF, 1);
    double *b = calloc(NDOF, sizeof *b);
    double *x = calloc(NDOF, sizeof *x);
    double *want = calloc(NDOF, sizeof *want);
    fill(fixed, b);
    brn_factor *factor = NULL;
    brn_factor *own = NULL;
    assert_done(ctx, brn_factor_create(ctx, near, NULL, &factor));
    assert_done(ctx, brn_factor_create(ctx, a, NULL, &own));
    assert_done(ctx, brn_factor_numeric(factor, near, fixed));
    assert_done(ctx, brn_factor_numeric(own, a, fixed));
    /* The right-hand side of free dofs is taken as it is: fixed ones count as 0 there, as identity rows do. */
    assert_done(ctx, brn_factor_solve(own, b, want));
    assert_true(brn_factor_near_cap(factor) >= 4);
    double last = INFINITY;
    static const double errors[] = {0.3, 1e-2, 1e-3};
    for (int k = 0; k < 3; ++k) {
        const brn_near_goal goal = {errors[k], NULL, 0.0};
        bool done = false;
        assert_done(ctx, brn_factor_solve_near(factor, a, fixed, b, &goal, x, &done));
        assert_true(done);
        double worst = 0.0;
        double most = 0.0;
        double descent = 0.0;
        for (int i = 0; i < NDOF; ++i) {
            worst = fmax(worst, fabs(x[i] - want[i]));
            most = fmax(most, fixed[i] ? 0.0 : fabs(want[i]));
            descent += fixed[i] ? 0.0 : x[i] * b[i];
            assert_true(!fixed[i] || x[i] == b[i]);
        }
        /* Eigenvalues of B^-1 A lie in [1, 3] and those of B in [1, 13]: norms differ by a factor of 13 at most. */
        assert_true(worst <= 13.0 * errors[k] * most);
        assert_true(worst < last && descent > 0.0);
        last = worst;
    }
    /* A small solution is asked for more; nothing is asked of 0. */
    double *small = calloc(NDOF, sizeof *small);
    for (int i = 0; i < NDOF; ++i) {
        small[i] = 1e3;
    }
    const brn_near_goal strict = {0.3, small, 1e-3};
    bool done = false;
    assert_done(ctx, brn_factor_solve_near(factor, a, fixed, b, &strict, want, &done));
    assert_true(done);
    assert_memory_equal(x, want, NDOF * sizeof *x);
    small[NDOF - 1] = 0.0; /* one entry is enough */
    assert_done(ctx, brn_factor_solve_near(factor, a, fixed, b, &strict, want, &done));
    assert_true(done && memcmp(x, want, NDOF * sizeof *x) != 0);
    memset(b, 0, NDOF * sizeof *b);
    assert_done(ctx, brn_factor_solve_near(factor, a, fixed, b, &strict, x, &done));
    assert_true(done && x[1] == 0.0);
    brn_factor_destroy(factor);
    brn_factor_destroy(own);
    brn_block_matrix_destroy(near);
    brn_block_matrix_destroy(a);
    free(small);
    free(fixed);
    free(b);
    free(x);
    free(want);
    brn_ctx_destroy(ctx);
}

/* Out of reach, or indefinite: said so, without an error. */
static void test_not_near(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_block_matrix *near = grid(ctx, 1.0);
    brn_block_matrix *far = grid(ctx, 1e6);
    brn_block_matrix *indefinite = grid(ctx, -50.0);
    double *b = calloc(NDOF, sizeof *b);
    double *x = calloc(NDOF, sizeof *x);
    brn_factor *factor = NULL;
    bool done = true;
    const brn_near_goal goal = {1e-2, NULL, 0.0};
    for (int i = 0; i < NDOF; ++i) {
        b[i] = sin(i);
    }
    assert_done(ctx, brn_factor_create(ctx, near, NULL, &factor));
    assert_done(ctx, brn_factor_numeric(factor, near, NULL));
    assert_done(ctx, brn_factor_solve_near(factor, far, NULL, b, &goal, x, &done));
    assert_false(done);
    done = true;
    assert_done(ctx, brn_factor_solve_near(factor, indefinite, NULL, b, &goal, x, &done));
    assert_false(done);
    brn_factor_destroy(factor);
    /* A chain costs less to factor than to think about. */
    int count = 0;
    int *edge = grid_edges(50, 1, 1, &count);
    const brn_stencils list = {count, 2, edge};
    brn_block_matrix *chain = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, 50, 1, &list, 1, &chain));
    assert_done(ctx, brn_factor_create(ctx, chain, NULL, &factor));
    assert_int_equal(brn_factor_near_cap(factor), 0);
    brn_factor_destroy(factor);
    brn_block_matrix_destroy(chain);
    brn_block_matrix_destroy(near);
    brn_block_matrix_destroy(far);
    brn_block_matrix_destroy(indefinite);
    free(edge);
    free(b);
    free(x);
    brn_ctx_destroy(ctx);
}

static void test_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 7};
    uint64_t first = 0;
    for (int t = 0; t < 4; ++t) {
        brn_ctx *ctx = test_ctx(threads[t]);
        brn_block_matrix *near = grid(ctx, 1.0);
        brn_block_matrix *a = grid(ctx, 2.0);
        unsigned char *fixed = calloc(NDOF, 1);
        double *b = calloc(NDOF, sizeof *b);
        double *x = calloc(NDOF, sizeof *x);
        brn_factor *factor = NULL;
        const brn_near_goal goal = {1e-3, NULL, 0.0};
        bool done = false;
        fill(fixed, b);
        assert_done(ctx, brn_factor_create(ctx, near, NULL, &factor));
        assert_done(ctx, brn_factor_numeric(factor, near, fixed));
        assert_done(ctx, brn_factor_solve_near(factor, a, fixed, b, &goal, x, &done));
        assert_true(done);
        const uint64_t hash = brn_hash_bytes(BRN_HASH_START, x, NDOF * sizeof *x);
        first = t == 0 ? hash : first;
        assert_int_equal(hash, first);
        brn_factor_destroy(factor);
        brn_block_matrix_destroy(near);
        brn_block_matrix_destroy(a);
        free(fixed);
        free(b);
        free(x);
        brn_ctx_destroy(ctx);
    }
}

static brn_status solve_once(brn_ctx *ctx)
{
    brn_block_matrix *a = NULL;
    brn_factor *factor = NULL;
    double *x = calloc(40000, sizeof *x); /* more than a chunk of the arena */
    brn_status status = brn_block_matrix_create(ctx, 40000, 1, NULL, 0, &a);
    for (int i = 0; status >= 0 && i < 40000; ++i) {
        a->value[i] = 2.0;
    }
    status = status < 0 ? status : brn_factor_create(ctx, a, NULL, &factor);
    status = status < 0 ? status : brn_factor_numeric(factor, a, NULL);
    const brn_near_goal goal = {1e-3, NULL, 0.0};
    bool done = false;
    status = status < 0 ? status : brn_factor_solve_near(factor, a, NULL, x, &goal, x, &done);
    brn_factor_destroy(factor);
    brn_block_matrix_destroy(a);
    free(x);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    fail_each_allocation(solve_once, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_own_factor),
        cmocka_unit_test(test_not_near),
        cmocka_unit_test(test_same_bits_for_any_thread_count),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
