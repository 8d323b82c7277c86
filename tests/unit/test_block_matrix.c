#include "linalg_support.h"

#include "base/hash.h"

/* The pattern against a slow obvious one: a table of all pairs. */
static void check_pattern(brn_ctx *ctx, int n, const brn_stencils *lists, int nlists)
{
    brn_block_matrix *a = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, n, 1, lists, nlists, &a));
    unsigned char *pair = calloc((size_t)n * (size_t)n + 1, 1);
    for (int i = 0; i < n; ++i) {
        pair[(size_t)i * (size_t)n + (size_t)i] = 1;
    }
    for (int l = 0; l < nlists; ++l) {
        for (int e = 0; e < lists[l].count && lists[l].width > 0; ++e) {
            const int *node = lists[l].node + e * lists[l].width;
            for (int p = 0; p < lists[l].width; ++p) {
                for (int q = 0; q < lists[l].width; ++q) {
                    pair[(size_t)node[p] * (size_t)n + (size_t)node[q]] = 1;
                }
            }
        }
    }
    int next = 0;
    for (int i = 0; i < n; ++i) {
        assert_int_equal(a->start[i], next);
        for (int j = 0; j < n; ++j) {
            const bool there = pair[(size_t)i * (size_t)n + (size_t)j] != 0;
            if (j >= i && there) {
                assert_int_equal(a->column[next], j);
                assert_int_equal(brn_block_matrix_find(a, i, j), next);
                ++next;
            } else {
                assert_int_equal(brn_block_matrix_find(a, i, j), -1);
            }
        }
    }
    assert_int_equal(a->start[n], next);
    free(pair);
    brn_block_matrix_destroy(a);
}

static void test_pattern_against_all_pairs(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    brn_rng rng = {5};
    for (int repeat = 0; repeat < 20; ++repeat) {
        const int n = 20 + (int)(brn_rng_next(&rng) % 700);
        int *four = random_stencils(&rng, n, n, 4);
        int *eight = random_stencils(&rng, n, n / 4, 8);
        int *one = random_stencils(&rng, n, 3, 1);
        const brn_stencils lists[] = {
            {n, 4, four}, {0, 3, NULL}, {n / 4, 8, eight}, {3, 1, one}, {5, 0, NULL}};
        check_pattern(ctx, n, lists, 5);
        free(four);
        free(eight);
        free(one);
    }
    brn_ctx_destroy(ctx);
}

static void test_pattern_special(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    /* Nothing at all, only a diagonal, a node that meets all others, a stencil that repeats a node. */
    check_pattern(ctx, 0, NULL, 0);
    check_pattern(ctx, 7, NULL, 0);
    enum { N = 1500 };
    int star[N][2];
    for (int i = 0; i < N; ++i) {
        star[i][0] = i;
        star[i][1] = 700;
    }
    const brn_stencils spokes = {N, 2, star[0]};
    check_pattern(ctx, N, &spokes, 1);
    const int twice[] = {2, 0, 2, 1};
    const brn_stencils repeated = {1, 4, twice};
    check_pattern(ctx, 3, &repeated, 1);
    /* Bad input. */
    brn_block_matrix *a = NULL;
    const int outside[] = {0, 1, 1, 3};
    const brn_stencils wrong = {2, 2, outside};
    assert_int_equal(brn_block_matrix_create(ctx, 3, 1, &wrong, 1, &a), BRN_ERR_RANGE);
    assert_null(a);
    assert_non_null(strstr(brn_ctx_message(ctx), "stencil 1: node 3"));
    assert_int_equal(brn_block_matrix_create(ctx, 3, 4, NULL, 0, &a), BRN_ERR_RANGE);
    assert_int_equal(brn_block_matrix_create(ctx, -1, 1, NULL, 0, &a), BRN_ERR_RANGE);
    brn_block_matrix_destroy(NULL);
    brn_ctx_destroy(ctx);
}

static void test_multiply_against_dense(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(3);
    brn_rng rng = {9};
    for (int size = 1; size <= 3; ++size) {
        const int n = 150;
        int *node = random_stencils(&rng, n, 200, 3);
        const brn_stencils list = {200, 3, node};
        brn_block_matrix *a = NULL;
        assert_done(ctx, brn_block_matrix_create(ctx, n, size, &list, 1, &a));
        fill_dominant(a, &rng);
        double *dense = to_dense(a);
        double x[450];
        double y[450];
        for (int i = 0; i < n * size; ++i) {
            x[i] = brn_rng_uniform(&rng, -1.0, 1.0);
        }
        assert_done(ctx, brn_block_matrix_multiply(a, x, y));
        for (int i = 0; i < n * size; ++i) {
            double want = 0.0;
            for (int j = 0; j < n * size; ++j) {
                want += dense[(size_t)(i * n * size + j)] * x[j];
            }
            assert_near(y[i], want, 1e-12); /* rows of up to 60 entries of size 1, diagonal 30 */
        }
        free(dense);
        free(node);
        brn_block_matrix_destroy(a);
    }
    brn_ctx_destroy(ctx);
}

static void test_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    uint64_t first = 0;
    const int threads[] = {1, 2, 3, 4, 7};
    for (int t = 0; t < 5; ++t) {
        brn_ctx *ctx = test_ctx(threads[t]);
        int count = 0;
        int *edge = grid_edges(25, 20, 17, &count);
        const brn_stencils list = {count, 2, edge};
        brn_block_matrix *a = NULL;
        const int n = 25 * 20 * 17;
        assert_done(ctx, brn_block_matrix_create(ctx, n, 3, &list, 1, &a));
        brn_rng rng = {4};
        fill_dominant(a, &rng);
        double *x = malloc((size_t)n * 3 * sizeof *x);
        double *y = malloc((size_t)n * 3 * sizeof *y);
        for (int i = 0; i < n * 3; ++i) {
            x[i] = brn_rng_uniform(&rng, -1.0, 1.0);
        }
        assert_done(ctx, brn_block_matrix_multiply(a, x, y));
        /* 9 chunks of rows: against the sum block by block. */
        double *want = calloc((size_t)n * 3, sizeof *want);
        for (int i = 0; i < n; ++i) {
            for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
                for (int e = 0; e < 9; ++e) {
                    const int j = a->column[k];
                    want[i * 3 + e / 3] += a->value[9 * k + e] * x[j * 3 + e % 3];
                    want[j * 3 + e % 3] += j == i ? 0.0 : a->value[9 * k + e] * x[i * 3 + e / 3];
                }
            }
        }
        for (int i = 0; i < n * 3; ++i) {
            assert_near(y[i], want[i], 1e-13);
        }
        free(want);
        uint64_t hash = brn_hash_bytes(BRN_HASH_START, y, (size_t)n * 3 * sizeof *y);
        hash = brn_hash_bytes(hash, a->column, (size_t)a->start[n] * sizeof *a->column);
        first = t == 0 ? hash : first;
        assert_int_equal(hash, first);
        free(x);
        free(y);
        free(edge);
        brn_block_matrix_destroy(a);
        brn_ctx_destroy(ctx);
    }
}

static void test_copy_add_zero(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {21};
    int *node = random_stencils(&rng, 50, 60, 4);
    const brn_stencils all = {60, 4, node};
    const brn_stencils some = {30, 4, node};
    brn_block_matrix *a = NULL;
    brn_block_matrix *b = NULL;
    brn_block_matrix *c = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, 50, 2, &all, 1, &a));
    assert_done(ctx, brn_block_matrix_create(ctx, 50, 2, &some, 1, &b));
    fill_dominant(a, &rng);
    fill_dominant(b, &rng);
    assert_done(ctx, brn_block_matrix_copy(a, &c));
    assert_done(ctx, brn_block_matrix_add(c, -0.25, b));
    double *da = to_dense(a);
    double *db = to_dense(b);
    double *dc = to_dense(c);
    for (int i = 0; i < 100 * 100; ++i) {
        assert_near(dc[i], da[i] - 0.25 * db[i], 1e-14);
    }
    /* The other way round the pattern is too small. */
    assert_int_equal(brn_block_matrix_add(b, 1.0, a), BRN_ERR_RANGE);
    brn_block_matrix_zero(c);
    for (int k = 0; k < 4 * c->start[50]; ++k) {
        assert_true(c->value[k] == 0.0);
    }
    free(da);
    free(db);
    free(dc);
    free(node);
    brn_block_matrix_destroy(a);
    brn_block_matrix_destroy(b);
    brn_block_matrix_destroy(c);
    brn_ctx_destroy(ctx);
}

static brn_status create_and_copy(brn_ctx *ctx)
{
    int edge[1199][2];
    for (int i = 0; i < 1199; ++i) {
        edge[i][0] = i + 1;
        edge[i][1] = i;
    }
    const brn_stencils list = {1199, 2, edge[0]};
    brn_block_matrix *a = NULL;
    brn_block_matrix *b = NULL;
    brn_status status = brn_block_matrix_create(ctx, 1200, 3, &list, 1, &a);
    status = status < 0 ? status : brn_block_matrix_copy(a, &b);
    brn_block_matrix_destroy(a);
    brn_block_matrix_destroy(b);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    fail_each_allocation(create_and_copy, 1);
    fail_each_allocation(create_and_copy, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern_against_all_pairs),
        cmocka_unit_test(test_pattern_special),
        cmocka_unit_test(test_multiply_against_dense),
        cmocka_unit_test(test_same_bits_for_any_thread_count),
        cmocka_unit_test(test_copy_add_zero),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
