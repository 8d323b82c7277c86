#include "linalg_support.h"

#include "base/hash.h"
#include "linalg/factor.h"
#include "linalg/pcg.h"

static brn_block_matrix *random_matrix(brn_ctx *ctx, int n, int size, uint64_t seed)
{
    brn_rng rng = {seed};
    int *node = random_stencils(&rng, n, 2 * n, 4);
    const brn_stencils list = {2 * n, 4, node};
    brn_block_matrix *a = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, n, size, &list, 1, &a));
    fill_dominant(a, &rng);
    free(node);
    return a;
}

static void test_against_factor(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    for (int size = 1; size <= 3; ++size) {
        const int n = 700;
        const int ndof = n * size;
        brn_block_matrix *a = random_matrix(ctx, n, size, 31);
        unsigned char *fixed = calloc((size_t)ndof, 1);
        double *b = malloc((size_t)ndof * sizeof *b);
        double *x = malloc((size_t)ndof * sizeof *x);
        double *want = malloc((size_t)ndof * sizeof *want);
        brn_factor *factor = NULL;
        assert_done(ctx, brn_factor_create(ctx, a, NULL, &factor));
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < ndof; ++i) {
                b[i] = cos(i);
                fixed[i] = round == 1 && i % 5 == 0;
                x[i] = fixed[i] ? 1e3 + i : sin(i); /* a start; held entries are kept and do not matter */
            }
            assert_done(ctx, brn_factor_numeric(factor, a, fixed));
            assert_done(ctx, brn_factor_solve(factor, b, want));
            brn_pcg_result result;
            assert_done(ctx, brn_pcg_solve(ctx, a, fixed, b, 1e-12, 1000, x, &result));
            assert_true(result.residual <= 1e-12);
            assert_in_range(result.iterations, 5, 200);
            for (int i = 0; i < ndof; ++i) {
                /* Condition below 1e3, |b| about 30. */
                assert_near(x[i], fixed[i] ? 1e3 + i : want[i], 1e-9);
            }
        }
        brn_factor_destroy(factor);
        brn_block_matrix_destroy(a);
        free(fixed);
        free(b);
        free(x);
        free(want);
    }
    brn_ctx_destroy(ctx);
}

static void test_special_right_hand_sides(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_block_matrix *a = random_matrix(ctx, 50, 3, 3);
    double b[150] = {0};
    double x[150];
    unsigned char fixed[150] = {0};
    for (int i = 0; i < 150; ++i) {
        x[i] = i;
        fixed[i] = i == 7;
    }
    brn_pcg_result result;
    /* b = 0: x = 0 but for the held entry. */
    b[7] = 3.0;
    assert_done(ctx, brn_pcg_solve(ctx, a, fixed, b, 1e-10, 100, x, &result));
    assert_int_equal(result.iterations, 0);
    for (int i = 0; i < 150; ++i) {
        assert_true(x[i] == (i == 7 ? 7.0 : 0.0));
    }
    /* A start that is the solution needs no iteration. */
    for (int i = 0; i < 150; ++i) {
        x[i] = sin(i);
    }
    assert_done(ctx, brn_block_matrix_multiply(a, x, b));
    assert_done(ctx, brn_pcg_solve(ctx, a, NULL, b, 1e-12, 100, x, &result));
    assert_int_equal(result.iterations, 0);
    assert_done(ctx, brn_pcg_solve(ctx, a, NULL, b, 1e-12, 100, x, NULL));
    /* Not finite, not a tolerance. */
    b[3] = NAN;
    assert_int_equal(brn_pcg_solve(ctx, a, NULL, b, 1e-12, 100, x, &result), BRN_ERR_NOT_FINITE);
    assert_int_equal(brn_pcg_solve(ctx, a, NULL, b, NAN, 100, x, &result), BRN_ERR_RANGE);
    brn_block_matrix_destroy(a);
    /* Everything held; an empty system. */
    a = random_matrix(ctx, 4, 1, 3);
    const unsigned char all[4] = {1, 1, 1, 1};
    b[3] = 1.0;
    assert_done(ctx, brn_pcg_solve(ctx, a, all, b, 1e-12, 100, x, &result));
    brn_block_matrix_destroy(a);
    assert_done(ctx, brn_block_matrix_create(ctx, 0, 3, NULL, 0, &a));
    assert_done(ctx, brn_pcg_solve(ctx, a, NULL, b, 1e-12, 100, x, &result));
    brn_block_matrix_destroy(a);
    brn_ctx_destroy(ctx);
}

/* A chain of n springs held at one end, n iterations in exact arithmetic. */
static brn_block_matrix *chain(brn_ctx *ctx, int n)
{
    int count = 0;
    int *edge = grid_edges(n, 1, 1, &count);
    const brn_stencils list = {count, 2, edge};
    brn_block_matrix *a = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, n, 1, &list, 1, &a));
    for (int i = 0; i < n; ++i) {
        a->value[a->start[i]] = i == n - 1 ? 1.0 : 2.0;
        if (i < n - 1) {
            a->value[a->start[i] + 1] = -1.0;
        }
    }
    free(edge);
    return a;
}

static void test_cap_and_rounding(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    enum { N = 1200 };
    brn_block_matrix *a = chain(ctx, N);
    double *b = calloc(N, sizeof *b);
    double *x = calloc(N, sizeof *x);
    b[N - 1] = 1.0;
    brn_pcg_result result;
    assert_int_equal(brn_pcg_solve(ctx, a, NULL, b, 1e-10, 100, x, &result), BRN_ERR_CONVERGENCE);
    assert_int_equal(result.iterations, 100);
    assert_true(result.residual > 1e-10);
    /* It goes on from where it was; the solution is x_i = i + 1. */
    assert_done(ctx, brn_pcg_solve(ctx, a, NULL, b, 1e-10, 20000, x, &result));
    for (int i = 0; i < N; ++i) {
        assert_near(x[i], i + 1.0, 1e-3); /* condition 6e5 times 1e-10 times |x| */
    }
    brn_block_matrix_destroy(a);
    /* A tolerance below rounding ends with a statement, long before the cap. */
    a = random_matrix(ctx, N / 3, 3, 5);
    for (int i = 0; i < N; ++i) {
        b[i] = sin(i);
    }
    assert_int_equal(brn_pcg_solve(ctx, a, NULL, b, 1e-30, 1000000, x, &result), BRN_ERR_CONVERGENCE);
    assert_non_null(strstr(brn_ctx_message(ctx), "rounding"));
    assert_true(result.iterations < 2000);
    assert_true(result.residual < 1e-14);
    free(b);
    free(x);
    brn_block_matrix_destroy(a);
    brn_ctx_destroy(ctx);
}

static void test_not_positive_definite(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_block_matrix *a = chain(ctx, 50);
    double b[50] = {1.0};
    double x[50] = {0};
    brn_pcg_result result;
    /* Indefinite with a positive diagonal: found as negative curvature. */
    a->value[a->start[20] + 1] = -5.0;
    assert_int_equal(brn_pcg_solve(ctx, a, NULL, b, 1e-10, 1000, x, &result), BRN_ERR_SINGULAR);
    assert_non_null(strstr(brn_ctx_message(ctx), "curvature"));
    for (int i = 0; i < 50; ++i) {
        assert_true(isfinite(x[i]));
    }
    /* A bad diagonal block is named. */
    a->value[a->start[31]] = 0.0;
    assert_int_equal(brn_pcg_solve(ctx, a, NULL, b, 1e-10, 1000, x, &result), BRN_ERR_SINGULAR);
    assert_non_null(strstr(brn_ctx_message(ctx), "diagonal block 31 "));
    brn_block_matrix_destroy(a);
    brn_ctx_destroy(ctx);
}

static void test_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 4, 7};
    uint64_t first = 0;
    for (int t = 0; t < 5; ++t) {
        brn_ctx *ctx = test_ctx(threads[t]);
        brn_block_matrix *a = random_matrix(ctx, 3000, 3, 77);
        double *b = malloc(9000 * sizeof *b);
        double *x = calloc(9000, sizeof *x);
        for (int i = 0; i < 9000; ++i) {
            b[i] = sin(i);
        }
        assert_done(ctx, brn_pcg_solve(ctx, a, NULL, b, 1e-9, 1000, x, NULL));
        const uint64_t hash = brn_hash_bytes(BRN_HASH_START, x, 9000 * sizeof *x);
        first = t == 0 ? hash : first;
        assert_int_equal(hash, first);
        free(b);
        free(x);
        brn_block_matrix_destroy(a);
        brn_ctx_destroy(ctx);
    }
}

static brn_status solve_large(brn_ctx *ctx)
{
    enum { N = 60000 }; /* more than a chunk of the arena */
    brn_block_matrix *a = NULL;
    brn_status status = brn_block_matrix_create(ctx, N, 1, NULL, 0, &a);
    if (status == BRN_OK) {
        double *b = calloc(N, sizeof *b);
        double *x = calloc(N, sizeof *x);
        for (int i = 0; i < N; ++i) {
            a->value[i] = 1.0 + i % 3;
            b[i] = 1.0;
        }
        status = brn_pcg_solve(ctx, a, NULL, b, 1e-10, 10, x, NULL);
        free(b);
        free(x);
    }
    brn_block_matrix_destroy(a);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    fail_each_allocation(solve_large, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_factor),
        cmocka_unit_test(test_special_right_hand_sides),
        cmocka_unit_test(test_cap_and_rounding),
        cmocka_unit_test(test_not_positive_definite),
        cmocka_unit_test(test_same_bits_for_any_thread_count),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
