/* A factor of which a part is found again: beside whole ones. */
#include "linalg_support.h"

#include "base/hash.h"
#include "linalg/factor.h"

enum { SIDE = 9, HEIGHT = 6, NODES = SIDE * SIDE * HEIGHT, CONTACTS = 12, WIDTH = 4 };

/* A block of nodes with contacts between some of them. */
typedef struct body {
    brn_ctx *ctx;
    brn_block_matrix *base, *joined;
    unsigned char changing[NODES], held[3 * NODES];
    double x[3 * NODES], y[3 * NODES];
} body;

static body *body_create(int threads, int size, brn_rng *rng)
{
    body *b = calloc(1, sizeof *b);
    int count = 0;
    int *edge = grid_edges(SIDE, SIDE, HEIGHT, &count);
    /* in a corner: contacts are not everywhere */
    int *node = random_stencils(rng, 2 * SIDE, CONTACTS, WIDTH);
    const brn_stencils list = {count, 2, edge};
    b->ctx = test_ctx(threads);
    assert_done(b->ctx, brn_block_matrix_create(b->ctx, NODES, size, &list, 1, &b->base));
    assert_done(b->ctx,
                brn_block_matrix_join(b->base, &(brn_stencils){CONTACTS, WIDTH, node}, 1, &b->joined));
    for (int i = 0; i < CONTACTS * WIDTH; ++i) {
        b->changing[node[i]] = 1;
    }
    for (int i = 0; i < NODES * size; ++i) {
        b->held[i] = i / size % 50 == 0 || i % 37 == 0; /* whole nodes and lone components */
    }
    fill_dominant(b->joined, rng);
    free(edge);
    free(node);
    return b;
}

static void body_destroy(body *b)
{
    brn_block_matrix_destroy(b->joined);
    brn_block_matrix_destroy(b->base);
    brn_ctx_destroy(b->ctx);
    free(b);
}

/* Other values between changing nodes, smaller than those that made it dominant. */
static void change(const body *b, brn_rng *rng)
{
    brn_block_matrix *a = b->joined;
    const int bb = a->size * a->size;
    for (int i = 0; i < a->n; ++i) {
        for (int k = a->start[i] + 1; k < a->start[i + 1]; ++k) {
            for (int e = 0; e < bb && b->changing[i] && b->changing[a->column[k]]; ++e) {
                a->value[k * bb + e] *= brn_rng_uniform(rng, -1.0, 1.0);
            }
        }
        for (int c = 0; c < a->size && b->changing[i]; ++c) {
            a->value[a->start[i] * bb + c * (a->size + 1)] += brn_rng_uniform(rng, 0.0, 10.0);
        }
    }
}

static uint64_t solve_bits(brn_factor *factor, const body *b, double *x)
{
    const int n = NODES * b->joined->size;
    for (int i = 0; i < n; ++i) {
        x[i] = sin(i);
    }
    assert_done(b->ctx, brn_factor_solve(factor, x, x));
    return brn_hash_bytes(BRN_HASH_START, x, (size_t)n * sizeof *x);
}

/* Renewed again and again: the bits of a whole factorisation with the same analysis, and the solution that an ordinary factor gives; the
   same bits with two threads. */
static void test_renew_against_whole(void **state)
{
    (void)state;
    uint64_t bits[2] = {0, 0};
    for (int run = 0; run < 4; ++run) {
        brn_rng rng = {11};
        body *b = body_create(1 + run % 2, 2 + run / 2, &rng);
        brn_factor *part = NULL;
        brn_factor *whole = NULL;
        brn_factor *plain = NULL;
        brn_factor_stats stats;
        assert_done(b->ctx, brn_factor_create(b->ctx, b->base, b->held, &part));
        assert_done(b->ctx, brn_factor_create(b->ctx, b->base, b->held, &whole));
        assert_done(b->ctx, brn_factor_create(b->ctx, b->joined, b->held, &plain));
        assert_done(b->ctx, brn_factor_update_changing(part, b->joined, b->changing));
        assert_done(b->ctx, brn_factor_update_changing(whole, b->joined, b->changing));
        brn_factor_get_stats(part, &stats);
        assert_true(stats.late > 0 && 4 * stats.late < stats.fronts); /* else nothing is tested */
        assert_done(b->ctx, brn_factor_numeric(part, b->joined, b->held));
        for (int round = 0; round < 5; ++round) {
            change(b, &rng);
            assert_done(b->ctx, brn_factor_renew(part, b->joined));
            assert_done(b->ctx, brn_factor_numeric(whole, b->joined, b->held));
            assert_done(b->ctx, brn_factor_numeric(plain, b->joined, b->held));
            const uint64_t now = solve_bits(part, b, b->x);
            assert_int_equal(now, solve_bits(whole, b, b->y));
            (void)solve_bits(plain, b, b->y);
            for (int i = 0; i < NODES * b->joined->size; ++i) {
                assert_near(b->x[i], b->y[i], 1e-13); /* dominant by 0.5 and more: entries below 2 */
            }
            bits[run % 2] = brn_hash_bytes(bits[run % 2], &now, sizeof now);
        }
        brn_factor_destroy(part);
        brn_factor_destroy(whole);
        brn_factor_destroy(plain);
        body_destroy(b);
    }
    assert_int_equal(bits[0], bits[1]);
}

/* Where all or nearly all changes, or nothing is said about it, renewing is factoring. */
static void test_everything_changes(void **state)
{
    (void)state;
    brn_rng rng = {12};
    body *b = body_create(1, 3, &rng);
    for (int run = 0; run < 2; ++run) {
        brn_factor *factor = NULL;
        brn_factor_stats stats;
        memset(b->changing, 1, sizeof b->changing);
        assert_done(b->ctx, brn_factor_create(b->ctx, b->joined, b->held, &factor));
        assert_done(b->ctx, brn_factor_update_changing(factor, b->joined, run == 0 ? b->changing : NULL));
        brn_factor_get_stats(factor, &stats);
        assert_int_equal(stats.late, 0);
        assert_done(b->ctx, brn_factor_numeric(factor, b->joined, b->held));
        change(b, &rng);
        assert_done(b->ctx, brn_factor_renew(factor, b->joined));
        const uint64_t bits = solve_bits(factor, b, b->x);
        assert_done(b->ctx, brn_factor_numeric(factor, b->joined, b->held));
        assert_int_equal(bits, solve_bits(factor, b, b->x));
        brn_factor_destroy(factor);
    }
    body_destroy(b);
}

/* What cannot be renewed, and how it goes on after a matrix that has no factor. */
static void test_refusals(void **state)
{
    (void)state;
    brn_rng rng = {13};
    body *b = body_create(1, 3, &rng);
    brn_factor *factor = NULL;
    int node = 0;
    while (!b->changing[node] || b->held[3 * node] || b->held[3 * node + 1] || b->held[3 * node + 2]) {
        ++node;
    }
    double *entry = &b->joined->value[9 * b->joined->start[node]];
    const double good = *entry;
    assert_done(b->ctx, brn_factor_create(b->ctx, b->base, b->held, &factor));
    assert_done(b->ctx, brn_factor_update_changing(factor, b->joined, b->changing));
    assert_int_equal(brn_factor_renew(factor, b->joined), BRN_ERR_RANGE);
    assert_done(b->ctx, brn_factor_numeric(factor, b->joined, b->held));
    const uint64_t bits = solve_bits(factor, b, b->x);
    *entry = -1.0;
    assert_int_equal(brn_factor_renew(factor, b->joined), BRN_ERR_SINGULAR);
    assert_int_equal(brn_factor_solve(factor, b->x, b->x), BRN_ERR_RANGE);
    *entry = NAN;
    assert_int_equal(brn_factor_renew(factor, b->joined), BRN_ERR_NOT_FINITE);
    *entry = good;
    assert_done(b->ctx, brn_factor_renew(factor, b->joined));
    assert_int_equal(solve_bits(factor, b, b->x), bits);
    /* another analysis: its fronts are empty */
    assert_done(b->ctx, brn_factor_update(factor, b->joined));
    assert_int_equal(brn_factor_renew(factor, b->joined), BRN_ERR_RANGE);
    brn_factor_destroy(factor);
    body_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_renew_against_whole),
        cmocka_unit_test(test_everything_changes),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
