#include "linalg_support.h"

#include "base/hash.h"
#include "linalg/modes.h"

/* K = graph Laplacian of a grid (+ grounded ends where `ground`), M = identity, both scalar blocks expanded by `size`. */
static void grid_problem(brn_ctx *ctx, const int size[3], int block, const double stiffness[3], bool ground,
                         brn_block_matrix **k, brn_block_matrix **m)
{
    int count = 0;
    int *edge = grid_edges(size[0], size[1], size[2], &count);
    const int n = size[0] * size[1] * size[2];
    const brn_stencils list = {count, 2, edge};
    assert_done(ctx, brn_block_matrix_create(ctx, n, block, &list, 1, k));
    assert_done(ctx, brn_block_matrix_create(ctx, n, block, NULL, 0, m));
    const int bb = block * block;
    for (int e = 0; e < count; ++e) {
        const int i = edge[2 * e];
        const int j = edge[2 * e + 1];
        const int d = j - i == 1 ? 0 : j - i == size[0] ? 1 : 2;
        for (int c = 0; c < block; ++c) {
            (*k)->value[(size_t)(*k)->start[i] * bb + c * (block + 1)] += stiffness[d];
            (*k)->value[(size_t)(*k)->start[j] * bb + c * (block + 1)] += stiffness[d];
            (*k)->value[(size_t)brn_block_matrix_find(*k, i, j) * bb + c * (block + 1)] -= stiffness[d];
        }
    }
    for (int i = 0; i < n; ++i) {
        const int at[3] = {i % size[0], i / size[0] % size[1], i / (size[0] * size[1])};
        for (int c = 0; c < block; ++c) {
            (*m)->value[(size_t)(*m)->start[i] * bb + c * (block + 1)] = 1.0;
            for (int d = 0; ground && d < 3; ++d) {
                const double ends = (at[d] == 0) + (at[d] == size[d] - 1);
                (*k)->value[(size_t)(*k)->start[i] * bb + c * (block + 1)] +=
                    size[d] > 1 ? ends * stiffness[d] : 0.0;
            }
        }
    }
    free(edge);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Closed form: sums over the directions of k (2 - 2 cos(pi j / (n + 1))), grounded, or k (2 - 2 cos(pi j / n)), free,
   each `block` times. */
static double *grid_lambda(const int size[3], int block, const double stiffness[3], bool ground)
{
    const int n = size[0] * size[1] * size[2];
    double *lambda = malloc((size_t)(n * block) * sizeof *lambda);
    for (int i = 0; i < n; ++i) {
        const int at[3] = {i % size[0], i / size[0] % size[1], i / (size[0] * size[1])};
        double sum = 0.0;
        for (int d = 0; d < 3; ++d) {
            if (size[d] > 1) {
                const double angle = ground ? M_PI * (at[d] + 1) / (size[d] + 1) : M_PI * at[d] / size[d];
                sum += 4.0 * stiffness[d] * sin(0.5 * angle) * sin(0.5 * angle);
            }
        }
        for (int c = 0; c < block; ++c) {
            lambda[i * block + c] = sum;
        }
    }
    qsort(lambda, (size_t)(n * block), sizeof *lambda, compare);
    return lambda;
}

static void check_orthonormal(const brn_modes *modes, const unsigned char *fixed)
{
    for (int a = 0; a < modes->count; ++a) {
        for (int b = 0; b <= a; ++b) {
            double sum = 0.0;
            for (int i = 0; i < modes->ndof; ++i) {
                sum += modes->shape[a * modes->ndof + i] * modes->shape[b * modes->ndof + i];
            }
            /* Twice-applied Gram-Schmidt: rounding, grown by the rotations of the restarts. */
            assert_near(sum, a == b ? 1.0 : 0.0, 1e-11);
        }
        for (int i = 0; fixed != NULL && i < modes->ndof; ++i) {
            if (fixed[i]) {
                assert_true(modes->shape[a * modes->ndof + i] == 0.0);
            }
        }
    }
}

static void check_grid(const int size[3], int block, const double stiffness[3], bool ground, int count)
{
    brn_ctx *ctx = test_ctx(1);
    brn_block_matrix *k = NULL;
    brn_block_matrix *m = NULL;
    grid_problem(ctx, size, block, stiffness, ground, &k, &m);
    double *want = grid_lambda(size, block, stiffness, ground);
    brn_modes *modes = NULL;
    assert_done(ctx, brn_modes_find(ctx, k, m, NULL, count, 1e-10, &modes));
    for (int i = 0; i < count; ++i) {
        /* Rayleigh quotients: rounding of the largest eigenvalue (about 12), measured below 2e-14. */
        assert_near(modes->lambda[i], want[i], 2e-13);
    }
    check_orthonormal(modes, NULL);
    assert_true(modes->residual_max < 5e-8); /* worst of these problems measured 3e-9 */
    brn_modes_destroy(modes);
    free(want);
    brn_block_matrix_destroy(k);
    brn_block_matrix_destroy(m);
    brn_ctx_destroy(ctx);
}

static const double ones[3] = {1.0, 1.0, 1.0};

static void test_chain(void **state)
{
    (void)state;
    check_grid((int[3]){400, 1, 1}, 1, ones, true, 10);
    check_grid((int[3]){1000, 1, 1}, 1, ones, true, 40);
}

static void test_free_chain_has_its_zero_mode(void **state)
{
    (void)state;
    check_grid((int[3]){500, 1, 1}, 1, ones, false, 6);
    /* Three copies in three components: a triple zero and triple elastic modes. */
    check_grid((int[3]){200, 1, 1}, 3, ones, false, 10);
}

static void test_square_grid_has_double_modes(void **state)
{
    (void)state;
    check_grid((int[3]){25, 25, 1}, 1, ones, true, 20);
    check_grid((int[3]){24, 24, 1}, 2, ones, false, 25);
}

static void test_cube_grid_has_sixfold_modes(void **state)
{
    (void)state;
    check_grid((int[3]){9, 9, 9}, 1, ones, true, 30);
    /* Three components: multiplicity 18, more than the block of the Lanczos process. */
    check_grid((int[3]){8, 8, 8}, 3, ones, true, 40);
}

static void test_small_problems_are_complete(void **state)
{
    (void)state;
    check_grid((int[3]){1, 1, 1}, 1, ones, true, 1);
    check_grid((int[3]){5, 1, 1}, 2, ones, true, 10);
    check_grid((int[3]){4, 3, 2}, 3, ones, false, 72);
}

static void test_slender_spectrum(void **state)
{
    (void)state;
    /* Stiffnesses over six decades: the lowest modes lie 1e-7 below the mean eigenvalue. */
    brn_ctx *ctx = test_ctx(1);
    const int size[3] = {60, 5, 4};
    const double stiffness[3] = {1.0, 1e4, 1e6};
    brn_block_matrix *k = NULL;
    brn_block_matrix *m = NULL;
    grid_problem(ctx, size, 1, stiffness, false, &k, &m);
    double *want = grid_lambda(size, 1, stiffness, false);
    brn_modes *modes = NULL;
    assert_done(ctx, brn_modes_find(ctx, k, m, NULL, 12, 1e-10, &modes));
    for (int i = 0; i < 12; ++i) {
        assert_near(modes->lambda[i], want[i], 1e-8); /* rounding of 4e6 */
    }
    brn_modes_destroy(modes);
    free(want);
    brn_block_matrix_destroy(k);
    brn_block_matrix_destroy(m);
    brn_ctx_destroy(ctx);
}

/* Seven separate free chains: the zero eigenvalue is 7 x 3 = 21-fold. */
static void test_many_free_bodies(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    enum { CHAINS = 7, LENGTH = 40, WANT = 30 };
    int edge[CHAINS * (LENGTH - 1)][2];
    int e = 0;
    for (int c = 0; c < CHAINS; ++c) {
        for (int i = 0; i + 1 < LENGTH; ++i, ++e) {
            edge[e][0] = c * LENGTH + i;
            edge[e][1] = c * LENGTH + i + 1;
        }
    }
    const brn_stencils list = {e, 2, edge[0]};
    brn_block_matrix *k = NULL;
    brn_block_matrix *m = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, CHAINS * LENGTH, 3, &list, 1, &k));
    assert_done(ctx, brn_block_matrix_create(ctx, CHAINS * LENGTH, 3, NULL, 0, &m));
    for (int i = 0; i < e; ++i) {
        for (int c = 0; c < 3; ++c) {
            k->value[9 * k->start[edge[i][0]] + 4 * c] += 1.0;
            k->value[9 * k->start[edge[i][1]] + 4 * c] += 1.0;
            k->value[9 * brn_block_matrix_find(k, edge[i][0], edge[i][1]) + 4 * c] -= 1.0;
        }
    }
    for (int i = 0; i < CHAINS * LENGTH; ++i) {
        for (int c = 0; c < 3; ++c) {
            m->value[9 * i + 4 * c] = 2.0;
        }
    }
    brn_modes *modes = NULL;
    assert_done(ctx, brn_modes_find(ctx, k, m, NULL, WANT, 1e-10, &modes));
    const double first = 4.0 * sin(0.5 * M_PI / LENGTH) * sin(0.5 * M_PI / LENGTH) / 2.0;
    for (int i = 0; i < WANT; ++i) {
        assert_near(modes->lambda[i], i < 3 * CHAINS ? 0.0 : first, 1e-13);
    }
    brn_modes_destroy(modes);
    brn_block_matrix_destroy(k);
    brn_block_matrix_destroy(m);
    brn_ctx_destroy(ctx);
}

/* A free grid with its ends held: the closed form of the grounded chain of the nodes in between. */
static void test_fixed_dofs(void **state)
{
    (void)state;
    const int size[3] = {302, 1, 1};
    brn_ctx *ctx = test_ctx(1);
    brn_block_matrix *k = NULL;
    brn_block_matrix *m = NULL;
    grid_problem(ctx, size, 2, ones, false, &k, &m);
    unsigned char *fixed = calloc(604, 1);
    fixed[0] = fixed[1] = fixed[602] = fixed[603] = 1;
    brn_modes *modes = NULL;
    assert_done(ctx, brn_modes_find(ctx, k, m, fixed, 12, 1e-10, &modes));
    double *want = grid_lambda((int[3]){300, 1, 1}, 2, ones, true);
    for (int i = 0; i < 12; ++i) {
        assert_near(modes->lambda[i], want[i], 2e-13);
    }
    check_orthonormal(modes, fixed);
    brn_modes_destroy(modes);
    free(want);
    /* More modes than free dofs, and none at all. */
    assert_int_equal(brn_modes_find(ctx, k, m, fixed, 601, 1e-10, &modes), BRN_ERR_RANGE);
    assert_null(modes);
    assert_int_equal(brn_modes_find(ctx, k, m, fixed, 0, 1e-10, &modes), BRN_ERR_RANGE);
    assert_int_equal(brn_modes_find(ctx, k, m, fixed, 5, NAN, &modes), BRN_ERR_RANGE);
    /* No mass. */
    brn_block_matrix_zero(m);
    assert_int_equal(brn_modes_find(ctx, k, m, fixed, 5, 1e-10, &modes), BRN_ERR_SINGULAR);
    free(fixed);
    brn_block_matrix_destroy(k);
    brn_block_matrix_destroy(m);
    brn_ctx_destroy(ctx);
}

static void test_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 4, 7};
    uint64_t first = 0;
    for (int t = 0; t < 5; ++t) {
        brn_ctx *ctx = test_ctx(threads[t]);
        brn_block_matrix *k = NULL;
        brn_block_matrix *m = NULL;
        grid_problem(ctx, (int[3]){30, 20, 3}, 1, ones, true, &k, &m);
        brn_modes *modes = NULL;
        assert_done(ctx, brn_modes_find(ctx, k, m, NULL, 8, 1e-9, &modes));
        const uint64_t hash = brn_hash_bytes(BRN_HASH_START, modes->shape,
                                             (size_t)modes->count * (size_t)modes->ndof * sizeof(double));
        first = t == 0 ? hash : first;
        assert_int_equal(hash, first);
        brn_modes_destroy(modes);
        brn_block_matrix_destroy(k);
        brn_block_matrix_destroy(m);
        brn_ctx_destroy(ctx);
    }
}

static brn_status small_modes(brn_ctx *ctx, int length)
{
    brn_block_matrix *k = NULL;
    brn_block_matrix *m = NULL;
    int edge[400][2];
    for (int i = 0; i + 1 < length; ++i) {
        edge[i][0] = i;
        edge[i][1] = i + 1;
    }
    const brn_stencils list = {length - 1, 2, edge[0]};
    brn_status status = brn_block_matrix_create(ctx, length, 1, &list, 1, &k);
    status = status < 0 ? status : brn_block_matrix_create(ctx, length, 1, NULL, 0, &m);
    brn_modes *modes = NULL;
    if (status >= 0) {
        for (int i = 0; i < length; ++i) {
            m->value[i] = 1.0;
            k->value[k->start[i]] = 2.0;
            if (i + 1 < length) {
                k->value[k->start[i] + 1] = -1.0;
            }
        }
        status = brn_modes_find(ctx, k, m, NULL, 2, 1e-8, &modes);
    }
    brn_modes_destroy(modes);
    brn_block_matrix_destroy(k);
    brn_block_matrix_destroy(m);
    return status;
}

static brn_status modes_sparse(brn_ctx *ctx)
{
    return small_modes(ctx, 150);
}

static brn_status modes_dense(brn_ctx *ctx)
{
    return small_modes(ctx, 20);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    fail_each_allocation(modes_sparse, 1);
    fail_each_allocation(modes_dense, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_free_chain_has_its_zero_mode),
        cmocka_unit_test(test_square_grid_has_double_modes),
        cmocka_unit_test(test_cube_grid_has_sixfold_modes),
        cmocka_unit_test(test_small_problems_are_complete),
        cmocka_unit_test(test_slender_spectrum),
        cmocka_unit_test(test_many_free_bodies),
        cmocka_unit_test(test_fixed_dofs),
        cmocka_unit_test(test_same_bits_for_any_thread_count),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
