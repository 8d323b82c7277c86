#include "linalg_support.h"

#include "base/hash.h"
#include "linalg/factor.h"

#include <SuiteSparse_config.h>

int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

/* Largest |A x - b| over the rows, A with the fixed dofs replaced by identity. */
static double residual(const double *dense, int ndof, const unsigned char *fixed, const double *x,
                       const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < ndof; ++i) {
        double sum = 0.0;
        for (int j = 0; j < ndof; ++j) {
            const bool held = fixed != NULL && (fixed[i] || fixed[j]);
            sum += held ? (i == j ? x[j] : 0.0) : dense[(size_t)i * (size_t)ndof + (size_t)j] * x[j];
        }
        worst = fmax(worst, fabs(sum - b[i]));
    }
    return worst;
}

/* The rounded factor solves as the whole one does, to single precision, and symmetrically: its columns are the same on the way up
   and on the way down. */
static void check_rounded(brn_ctx *ctx, brn_factor *factor, int ndof, const double *b, const double *c)
{
    double *x = malloc((size_t)ndof * sizeof *x);
    double *y = malloc((size_t)ndof * sizeof *y);
    double *z = malloc((size_t)ndof * sizeof *z);
    assert_done(ctx, brn_factor_solve(factor, b, x));
    assert_done(ctx, brn_factor_solve_rounded(factor, b, y));
    assert_done(ctx, brn_factor_solve_rounded(factor, c, z));
    double one = 0.0;
    double other = 0.0;
    double far = 0.0;
    for (int i = 0; i < ndof; ++i) {
        far = fmax(far, fabs(y[i] - x[i]));
        one += c[i] * y[i];
        other += b[i] * z[i];
    }
    /* Condition below 1e3 and rounding of 6e-8; more than double precision would leave. */
    assert_true(far < 1e-4);
    assert_true(far > 0.0 || ndof < 20);
    assert_near(one, other, 1e-12 * ndof);
    free(x);
    free(y);
    free(z);
}

/* The compliance of sparse columns is what solves for them give, on both sides of its diagonal; columns of few nodes and of many, at any place, some
   of them twice. */
static void check_compliance(brn_ctx *ctx, brn_rng *rng, brn_factor *factor, int n, int size,
                             const unsigned char *held)
{
    enum { COLUMNS = 230, MOST = 4 };
    static int start[COLUMNS + 1], node[COLUMNS * MOST];
    static double value[COLUMNS * MOST * 3], w[COLUMNS * COLUMNS];
    const int ndof = n * size;
    double *b = calloc((size_t)ndof, sizeof *b);
    int at = 0;
    for (int c = 0; c < COLUMNS; ++c) {
        const int many = (int)(brn_rng_next(rng) % MOST) + 1 < n ? (int)(brn_rng_next(rng) % MOST) + 1 : 1;
        const int first = (int)(brn_rng_next(rng) % (uint64_t)n);
        start[c] = at;
        for (int k = 0; k < many && k < n; ++k, ++at) {
            node[at] = (first + k * 7) % n;
            for (int i = 0; i < size; ++i) {
                const bool free = held == NULL || !held[node[at] * size + i];
                value[at * size + i] = free ? brn_rng_uniform(rng, -1.0, 1.0) : 0.0;
            }
            for (int other = start[c]; other < at; ++other) { /* no node twice */
                if (node[other] == node[at]) {
                    --at;
                    break;
                }
            }
        }
    }
    start[COLUMNS] = at;
    const brn_columns columns = {COLUMNS, start, node, value};
    assert_done(ctx, brn_factor_compliance(factor, &columns, w));
    for (int c = 0; c < COLUMNS; c += 9) {
        memset(b, 0, (size_t)ndof * sizeof *b);
        for (int k = start[c]; k < start[c + 1]; ++k) {
            for (int i = 0; i < size; ++i) {
                b[node[k] * size + i] = value[k * size + i];
            }
        }
        assert_done(ctx, brn_factor_solve(factor, b, b));
        for (int other = 0; other < COLUMNS; ++other) {
            double sum = 0.0;
            for (int k = start[other]; k < start[other + 1]; ++k) {
                for (int i = 0; i < size; ++i) {
                    sum += value[k * size + i] * b[node[k] * size + i];
                }
            }
            assert_near(w[c * COLUMNS + other], sum, 1e-12); /* conditions as above */
            assert_true(w[c * COLUMNS + other] == w[other * COLUMNS + c]);
        }
    }
    free(b);
}

static void check_random(brn_ctx *ctx, brn_rng *rng, int n, int size, int stencils)
{
    const int width = n < 4 ? n : 4;
    int *node = random_stencils(rng, n, stencils, width);
    const brn_stencils list = {stencils, width, node};
    brn_block_matrix *a = NULL;
    brn_factor *factor = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, n, size, &list, 1, &a));
    assert_done(ctx, brn_factor_create(ctx, a, NULL, &factor));
    const int ndof = n * size;
    double *b = malloc((size_t)(5 * ndof) * sizeof *b);
    double *x = malloc((size_t)(5 * ndof) * sizeof *x);
    unsigned char *fixed = calloc((size_t)ndof, 1);
    assert_int_equal(brn_factor_solve(factor, b, x), BRN_ERR_RANGE);
    assert_int_equal(brn_factor_solve_rounded(factor, b, x), BRN_ERR_RANGE);
    /* The analysis serves many matrices, with and without held dofs. */
    for (int round = 0; round < 4; ++round) {
        fill_dominant(a, rng);
        double *dense = to_dense(a);
        for (int i = 0; i < 5 * ndof; ++i) {
            b[i] = brn_rng_uniform(rng, -1.0, 1.0);
        }
        for (int i = 0; i < ndof; ++i) {
            fixed[i] = round > 1 && brn_rng_next(rng) % 4 == 0;
        }
        const unsigned char *held = round > 0 ? fixed : NULL;
        assert_done(ctx, brn_factor_numeric(factor, a, held));
        check_rounded(ctx, factor, ndof, b, b + ndof);
        assert_done(ctx, brn_factor_solve(factor, b, x));
        /* Dominance by 0.5 with rows of sum below 200: condition below 1e3, entries of x below 2. */
        assert_true(residual(dense, ndof, held, x, b) < 1e-12);
        for (int i = 0; i < ndof; ++i) {
            if (held != NULL && held[i]) {
                assert_true(x[i] == b[i]);
            }
        }
        /* In place, and many at once: the columns of the single solves. */
        memcpy(x, b, (size_t)(5 * ndof) * sizeof *x);
        assert_done(ctx, brn_factor_solve_many(factor, 5, x, x));
        for (int k = 0; k < 5; ++k) {
            assert_true(residual(dense, ndof, held, x + k * ndof, b + k * ndof) < 1e-12);
        }
        check_compliance(ctx, rng, factor, n, size, held);
        brn_factor_stats stats;
        brn_factor_get_stats(factor, &stats);
        assert_true(stats.nonzeros >= ndof && stats.flops > 0.0 && stats.bytes >= 8.0 * ndof);
        assert_true(stats.pivot_min > 1e-4 && stats.pivot_min <= 1.0 + 1e-15);
        free(dense);
    }
    free(fixed);
    free(b);
    free(x);
    free(node);
    brn_factor_destroy(factor);
    brn_block_matrix_destroy(a);
}

static void test_random_patterns(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    brn_rng rng = {23};
    for (int size = 1; size <= 3; ++size) {
        check_random(ctx, &rng, 1, size, 0);
        check_random(ctx, &rng, 2, size, 1);
        check_random(ctx, &rng, 40, size, 0);
        check_random(ctx, &rng, 40, size, 15);
        check_random(ctx, &rng, 120, size, 200);
    }
    brn_ctx_destroy(ctx);
}

/* A grid with unit springs in every component and a little ground: s.p.d., large enough for METIS to be tried. */
static void grid_matrix(brn_ctx *ctx, int nx, int ny, int nz, int size, double ground, brn_block_matrix **out)
{
    int count = 0;
    int *edge = grid_edges(nx, ny, nz, &count);
    const brn_stencils list = {count, 2, edge};
    assert_done(ctx, brn_block_matrix_create(ctx, nx * ny * nz, size, &list, 1, out));
    brn_block_matrix *a = *out;
    const size_t bb = (size_t)(size * size);
    for (int i = 0; i < a->n; ++i) {
        for (int c = 0; c < size; ++c) {
            a->value[(size_t)a->start[i] * bb + (size_t)(c * (size + 1))] += ground;
        }
    }
    for (int e = 0; e < count; ++e) {
        for (int c = 0; c < size; ++c) {
            const size_t at = (size_t)(c * (size + 1));
            a->value[(size_t)a->start[edge[2 * e]] * bb + at] += 1.0;
            a->value[(size_t)a->start[edge[2 * e + 1]] * bb + at] += 1.0;
            a->value[(size_t)brn_block_matrix_find(a, edge[2 * e], edge[2 * e + 1]) * bb + at] -= 1.0;
        }
    }
    free(edge);
}

static void test_grid_and_same_bits(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 4, 7};
    uint64_t first = 0;
    openblas_set_num_threads(2);
    for (int t = 0; t < 5; ++t) {
        brn_ctx *ctx = test_ctx(threads[t]);
        brn_block_matrix *a = NULL;
        brn_factor *factor = NULL;
        grid_matrix(ctx, 13, 12, 11, 3, 0.1, &a);
        assert_done(ctx, brn_factor_create(ctx, a, NULL, &factor));
        assert_done(ctx, brn_factor_numeric(factor, a, NULL));
        const int ndof = a->n * 3;
        double *x = malloc((size_t)ndof * sizeof *x);
        double *b = malloc((size_t)ndof * sizeof *b);
        double *y = malloc((size_t)ndof * sizeof *y);
        for (int i = 0; i < ndof; ++i) {
            b[i] = sin(i);
        }
        assert_done(ctx, brn_factor_solve(factor, b, x));
        assert_done(ctx, brn_block_matrix_multiply(a, x, y));
        for (int i = 0; i < ndof; ++i) {
            assert_near(y[i], b[i], 1e-12);
        }
        const uint64_t hash = brn_hash_bytes(BRN_HASH_START, x, (size_t)ndof * sizeof *x);
        first = t == 0 ? hash : first;
        assert_int_equal(hash, first);
        brn_factor_stats stats;
        brn_factor_get_stats(factor, &stats);
        assert_in_range(stats.fronts, 2, a->n);
        assert_string_equal(stats.ordering, "metis");
        free(x);
        free(b);
        free(y);
        brn_factor_destroy(factor);
        brn_block_matrix_destroy(a);
        brn_ctx_destroy(ctx);
    }
    /* The process-wide setting came back each time. */
    assert_int_equal(openblas_get_num_threads(), 2);
}

/* Taking held nodes out of the pattern changes the cost, not the answer, and binds later calls to hold them. */
static void test_held_pattern(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_block_matrix *a = NULL;
    grid_matrix(ctx, 9, 8, 7, 3, 0.1, &a);
    const int ndof = a->n * 3;
    unsigned char *held = calloc((size_t)ndof, 1);
    double *b = malloc((size_t)ndof * sizeof *b);
    double *x[2];
    brn_factor *factor[2];
    brn_factor_stats stats[2];
    for (int i = 0; i < ndof; ++i) {
        b[i] = cos(i);
        held[i] = i / 3 % 9 == 0 || i == 40; /* whole nodes of one side, and one lone component */
    }
    for (int k = 0; k < 2; ++k) {
        x[k] = malloc((size_t)ndof * sizeof *x[k]);
        assert_done(ctx, brn_factor_create(ctx, a, k == 0 ? NULL : held, &factor[k]));
        assert_done(ctx, brn_factor_numeric(factor[k], a, held));
        assert_done(ctx, brn_factor_solve(factor[k], b, x[k]));
        brn_factor_get_stats(factor[k], &stats[k]);
    }
    for (int i = 0; i < ndof; ++i) {
        assert_near(x[1][i], x[0][i], 1e-13); /* entries of order 1, condition about 60 */
    }
    assert_true(stats[1].flops < stats[0].flops);
    assert_int_equal(brn_factor_numeric(factor[1], a, NULL), BRN_ERR_RANGE);
    /* all of them: nothing is left to factor */
    brn_factor *none = NULL;
    memset(held, 1, (size_t)ndof);
    assert_done(ctx, brn_factor_create(ctx, a, held, &none));
    assert_done(ctx, brn_factor_numeric(none, a, held));
    memset(x[0], 0, (size_t)ndof * sizeof(double));
    assert_done(ctx, brn_factor_solve(none, b, x[0]));
    assert_memory_equal(x[0], b, (size_t)ndof * sizeof(double));
    brn_factor_destroy(none);
    for (int k = 0; k < 2; ++k) {
        brn_factor_destroy(factor[k]);
        free(x[k]);
    }
    free(held);
    free(b);
    brn_block_matrix_destroy(a);
    brn_ctx_destroy(ctx);
}

static void test_singular(void **state)
{
    (void)state;
    for (int large = 0; large < 2; ++large) {
        brn_ctx *ctx = test_ctx(1);
        brn_block_matrix *a = NULL;
        brn_factor *factor = NULL;
        grid_matrix(ctx, large ? 12 : 3, large ? 12 : 2, large ? 12 : 1, 3, 0.1, &a);
        assert_done(ctx, brn_factor_create(ctx, a, NULL, &factor));
        const int node = large ? 1001 : 4;
        double *diagonal = a->value + (size_t)a->start[node] * 9 + 4;
        const double saved = *diagonal;
        *diagonal = -1.0;
        assert_int_equal(brn_factor_numeric(factor, a, NULL), BRN_ERR_SINGULAR);
        assert_non_null(
            strstr(brn_ctx_message(ctx), large ? "block row 1001, component 1" : "block row 4, component 1"));
        double *x = calloc((size_t)a->n * 3, sizeof *x);
        assert_int_equal(brn_factor_solve(factor, x, x), BRN_ERR_RANGE);
        /* Holding that dof makes it regular again; so does the right value. */
        unsigned char *fixed = calloc((size_t)a->n * 3, 1);
        fixed[node * 3 + 1] = 1;
        assert_done(ctx, brn_factor_numeric(factor, a, fixed));
        x[5] = 1.0;
        assert_done(ctx, brn_factor_solve(factor, x, x));
        *diagonal = NAN;
        assert_done(ctx, brn_factor_numeric(factor, a, fixed));
        assert_int_equal(brn_factor_numeric(factor, a, NULL), BRN_ERR_NOT_FINITE);
        assert_non_null(strstr(brn_ctx_message(ctx), large ? "(1001, 1001)" : "(4, 4)"));
        *diagonal = saved;
        assert_done(ctx, brn_factor_numeric(factor, a, NULL));
        /* Nobody holds it: either refused, or the pivot shows it. */
        for (int i = 0; i < a->n; ++i) {
            for (int c = 0; c < 3; ++c) {
                a->value[(size_t)a->start[i] * 9 + (size_t)(4 * c)] -= 0.1;
            }
        }
        if (brn_factor_numeric(factor, a, NULL) == BRN_OK) {
            brn_factor_stats stats;
            brn_factor_get_stats(factor, &stats);
            assert_true(stats.pivot_min < 1e-13);
            assert_in_range(stats.pivot_dof, 0, a->n * 3 - 1);
        }
        /* Everything held. */
        memset(fixed, 1, (size_t)a->n * 3);
        assert_done(ctx, brn_factor_numeric(factor, a, fixed));
        brn_factor_stats stats;
        brn_factor_get_stats(factor, &stats);
        assert_int_equal(stats.pivot_dof, -1);
        free(fixed);
        free(x);
        brn_factor_destroy(factor);
        brn_block_matrix_destroy(a);
        brn_ctx_destroy(ctx);
    }
}

static void test_empty_and_wrong_pattern(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_block_matrix *none = NULL;
    brn_block_matrix *some = NULL;
    brn_factor *factor = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, 0, 3, NULL, 0, &none));
    assert_done(ctx, brn_block_matrix_create(ctx, 2, 3, NULL, 0, &some));
    assert_done(ctx, brn_factor_create(ctx, none, NULL, &factor));
    assert_int_equal(brn_factor_numeric(factor, some, NULL), BRN_ERR_RANGE);
    assert_done(ctx, brn_factor_numeric(factor, none, NULL));
    double x = 1.0;
    assert_done(ctx, brn_factor_solve(factor, &x, &x));
    brn_factor_destroy(factor);
    brn_factor_destroy(NULL);
    brn_block_matrix_destroy(none);
    brn_block_matrix_destroy(some);
    brn_ctx_destroy(ctx);
}

/* ---- failing allocations ------------------------------------------------------------------------------------------ */

/* A line of 7 nodes, and a cube that also tries METIS. */
static brn_status factor_and_solve(brn_ctx *ctx, int nx, int ny, int nz)
{
    int count = 0;
    int *edge = grid_edges(nx, ny, nz, &count);
    const brn_stencils list = {count, 2, edge};
    brn_block_matrix *a = NULL;
    brn_factor *factor = NULL;
    double x[3 * 343] = {1.0};
    brn_status status = brn_block_matrix_create(ctx, nx * ny * nz, 3, &list, 1, &a);
    if (status == BRN_OK) {
        brn_rng rng = {8};
        fill_dominant(a, &rng);
        status = brn_factor_create(ctx, a, NULL, &factor);
    }
    for (int round = 0; status == BRN_OK && round < 2; ++round) {
        status = brn_factor_numeric(factor, a, NULL);
        status = status < 0 ? status : brn_factor_solve(factor, x, x);
    }
    brn_factor_destroy(factor);
    brn_block_matrix_destroy(a);
    free(edge);
    return status;
}

static brn_status factor_line(brn_ctx *ctx)
{
    return factor_and_solve(ctx, 7, 1, 1);
}

static brn_status factor_cube(brn_ctx *ctx)
{
    return factor_and_solve(ctx, 7, 7, 7);
}

static void test_every_allocation_of_ours_may_fail(void **state)
{
    (void)state;
    fail_each_allocation(factor_line, 1);
    fail_each_allocation(factor_cube, 1);
}

/* CHOLMOD's hooks take no user data, hence file variables in this test. */
static long suite_count;
static long suite_fail_at;

static bool suite_fails(void)
{
    return ++suite_count == suite_fail_at;
}

static void *suite_malloc(size_t size)
{
    return suite_fails() ? NULL : malloc(size);
}

static void *suite_calloc(size_t count, size_t size)
{
    return suite_fails() ? NULL : calloc(count, size);
}

static void *suite_realloc(void *block, size_t size)
{
    return suite_fails() ? NULL : realloc(block, size);
}

static void fail_each_suite_allocation(brn_status (*fn)(brn_ctx *ctx))
{
    void *(*const saved_malloc)(size_t) = SuiteSparse_config.malloc_func;
    void *(*const saved_calloc)(size_t, size_t) = SuiteSparse_config.calloc_func;
    void *(*const saved_realloc)(void *, size_t) = SuiteSparse_config.realloc_func;
    SuiteSparse_config.malloc_func = suite_malloc;
    SuiteSparse_config.calloc_func = suite_calloc;
    SuiteSparse_config.realloc_func = suite_realloc;
    bool finished = false;
    int failures = 0;
    for (long k = 1; !finished && k < 5000; ++k) {
        suite_count = 0;
        suite_fail_at = k;
        brn_ctx *ctx = test_ctx(1);
        const brn_status status = fn(ctx);
        finished = suite_count < k;
        /* CHOLMOD survives some failures by itself (it tries a smaller request, or one method less). */
        assert_true(status == BRN_ERR_MEMORY || status == BRN_OK);
        failures += status == BRN_ERR_MEMORY;
        brn_ctx_destroy(ctx);
    }
    SuiteSparse_config.malloc_func = saved_malloc;
    SuiteSparse_config.calloc_func = saved_calloc;
    SuiteSparse_config.realloc_func = saved_realloc;
    assert_true(finished);
    assert_true(failures > 10);
}

static void test_every_allocation_of_cholmod_may_fail(void **state)
{
    (void)state;
    fail_each_suite_allocation(factor_line);
    fail_each_suite_allocation(factor_cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_patterns),
        cmocka_unit_test(test_grid_and_same_bits),
        cmocka_unit_test(test_held_pattern),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_empty_and_wrong_pattern),
        cmocka_unit_test(test_every_allocation_of_ours_may_fail),
        cmocka_unit_test(test_every_allocation_of_cholmod_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
