#include "linalg_support.h"

/* Base and joined pattern of random stencils against the pattern of both lists made from scratch. */
static void check_join(brn_ctx *ctx, brn_rng *rng, int n, int size, int count, int more)
{
    const int width = n < 4 ? n : 4;
    brn_block_matrix *base = NULL;
    brn_block_matrix *joined = NULL;
    int *node = random_stencils(rng, n, count, width);
    const brn_stencils first = {count, width, node};
    assert_done(ctx, brn_block_matrix_create(ctx, n, size, &first, 1, &base));
    fill_dominant(base, rng);
    /* More, then fewer, then none: the memory of the last one is used again. */
    for (int round = 0; round < 4; ++round) {
        const int extra = round == 3 ? 0 : more >> round;
        int *add = random_stencils(rng, n, extra, width);
        if (extra > 1) {
            add[1] = add[0]; /* a node may occur twice */
        }
        const brn_stencils both[] = {first, {extra, width, add}};
        brn_block_matrix *whole = NULL;
        assert_done(ctx, brn_block_matrix_create(ctx, n, size, both, 2, &whole));
        assert_done(ctx, brn_block_matrix_join(base, &both[1], 1, &joined));
        const size_t blocks = (size_t)whole->start[n];
        assert_memory_equal(joined->start, whole->start, (size_t)(n + 1) * sizeof(int));
        assert_memory_equal(joined->column, whole->column, blocks * sizeof(int));
        assert_memory_equal(joined->lower_start, whole->lower_start, (size_t)(n + 1) * sizeof(int));
        assert_memory_equal(joined->lower_row, whole->lower_row, (blocks - (size_t)n) * sizeof(int));
        assert_memory_equal(joined->lower_block, whole->lower_block, (blocks - (size_t)n) * sizeof(int));
        assert_done(ctx, brn_block_matrix_add(whole, 1.0, base));
        assert_done(ctx, brn_block_matrix_load(joined, base));
        assert_memory_equal(joined->value, whole->value, blocks * (size_t)(size * size) * sizeof(double));
        /* Every stencil finds its blocks. */
        const int pairs = width * (width + 1) / 2;
        int *at = malloc((size_t)(extra * pairs + 1) * sizeof *at);
        assert_done(ctx, brn_block_matrix_locate(joined, &both[1], at));
        for (int e = 0, k = 0; e < extra; ++e) {
            for (int p = 0; p < width; ++p) {
                for (int q = p; q < width; ++q, ++k) {
                    const int row = at[k] < 0 ? add[e * width + q] : add[e * width + p];
                    const int column = at[k] < 0 ? add[e * width + p] : add[e * width + q];
                    assert_int_equal(brn_block_matrix_find(joined, row, column), at[k] < 0 ? ~at[k] : at[k]);
                }
            }
        }
        free(at);
        free(add);
        brn_block_matrix_destroy(whole);
    }
    free(node);
    brn_block_matrix_destroy(joined);
    brn_block_matrix_destroy(base);
}

static void test_join_against_scratch(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    brn_rng rng = {77};
    for (int size = 1; size <= 3; ++size) {
        check_join(ctx, &rng, 1, size, 0, 1);
        check_join(ctx, &rng, 2, size, 0, 1);
        check_join(ctx, &rng, 50, size, 0, 40);
        check_join(ctx, &rng, 50, size, 40, 300); /* nearly dense */
        check_join(ctx, &rng, 3000, size, 4000, 2000);
    }
    brn_ctx_destroy(ctx);
}

static void test_bad_input(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_block_matrix *base = NULL;
    brn_block_matrix *other = NULL;
    brn_block_matrix *joined = NULL;
    const int pair[] = {0, 2};
    const int outside[] = {0, 3};
    const int below[] = {-1, 1};
    const brn_stencils list = {1, 2, pair};
    assert_done(ctx, brn_block_matrix_create(ctx, 3, 2, NULL, 0, &base));
    assert_done(ctx, brn_block_matrix_create(ctx, 4, 2, NULL, 0, &other));
    assert_done(ctx, brn_block_matrix_join(base, &list, 1, &joined));
    assert_int_equal(joined->start[3], 4);
    /* A part does not hold the whole; a stencil needs its pairs; sizes must agree. */
    assert_int_equal(brn_block_matrix_load(base, joined), BRN_ERR_RANGE);
    assert_int_equal(brn_block_matrix_load(other, base), BRN_ERR_RANGE);
    int at[3];
    assert_int_equal(brn_block_matrix_locate(base, &list, at), BRN_ERR_RANGE);
    /* Another base: the old one is of no use. */
    assert_done(ctx, brn_block_matrix_join(other, &list, 1, &joined));
    assert_int_equal(joined->n, 4);
    assert_int_equal(brn_block_matrix_join(base, &(brn_stencils){1, 2, outside}, 1, &joined), BRN_ERR_RANGE);
    assert_null(joined);
    assert_int_equal(brn_block_matrix_join(base, &(brn_stencils){1, 2, below}, 1, &joined), BRN_ERR_RANGE);
    assert_null(joined);
    /* No rows at all. */
    brn_block_matrix *none = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, 0, 3, NULL, 0, &none));
    assert_done(ctx, brn_block_matrix_join(none, NULL, 0, &joined));
    assert_done(ctx, brn_block_matrix_load(joined, none));
    brn_block_matrix_destroy(none);
    brn_block_matrix_destroy(joined);
    brn_block_matrix_destroy(base);
    brn_block_matrix_destroy(other);
    brn_ctx_destroy(ctx);
}

static brn_status join_twice(brn_ctx *ctx)
{
    int count = 0;
    int *edge = grid_edges(4, 3, 2, &count);
    const int more[] = {0, 23, 7, 1, 22, 5, 11, 3, 0, 13, 17, 19, 2, 20, 18, 6};
    const brn_stencils list = {count, 2, edge};
    brn_block_matrix *base = NULL;
    brn_block_matrix *joined = NULL;
    brn_status status = brn_block_matrix_create(ctx, 24, 3, &list, 1, &base);
    for (int round = 1; status == BRN_OK && round <= 2; ++round) {
        const brn_stencils extra = {2 * round, 4, more};
        status = brn_block_matrix_join(base, &extra, 1, &joined);
        status = status < 0 ? status : brn_block_matrix_load(joined, base);
        assert_true((status == BRN_OK) == (joined != NULL));
    }
    brn_block_matrix_destroy(joined);
    brn_block_matrix_destroy(base);
    free(edge);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    fail_each_allocation(join_twice, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join_against_scratch),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
