#include "linalg_support.h"

#include "base/hash.h"
#include "linalg/assembly.h"

/* Element results that can be computed anywhere: a hash of (list, element, place) as a number in [-1, 1). */
static double pseudo(int list, int element, int kind, int place)
{
    brn_rng rng = {((uint64_t)list << 56) ^ ((uint64_t)element << 24) ^ ((uint64_t)kind << 20) ^
                   (uint64_t)place};
    return brn_rng_uniform(&rng, -1.0, 1.0);
}

typedef struct problem {
    int size;
    const brn_stencils *lists;
    int fail_list, fail_element; /* -1: never */
    int hess_calls;
    double scale;
} problem;

static brn_status element(void *arg, int list, int first, int count, double *energy, double *grad,
                          double *hess, brn_arena *scratch)
{
    problem *p = arg;
    assert_int_equal(first % 8, 0);
    const int width = p->lists[list].width;
    const int s = p->size;
    const int gsize = width * s;
    const int hsize = width * (width + 1) / 2 * s * s;
    double *unused = NULL;
    BRN_TAKE(scratch, unused, 100);
    unused[0] = 0.0;
    for (int e = 0; e < count; ++e) {
        const int at = first + e;
        if (list == p->fail_list && at == p->fail_element) {
            return BRN_ERR_MESH;
        }
        if (energy != NULL) {
            energy[e] = p->scale * pseudo(list, at, 0, 0);
        }
        for (int i = 0; grad != NULL && i < gsize; ++i) {
            grad[e * gsize + i] = p->scale * pseudo(list, at, 1, i);
        }
        for (int i = 0; hess != NULL && i < hsize; ++i) {
            /* Diagonal blocks of an element's Hessian are symmetric. */
            hess[e * hsize + i] = p->scale * pseudo(list, at, 2, i);
        }
        for (int a = 0, b = 0; hess != NULL && a < width; b += width - a, ++a) {
            double *d = hess + e * hsize + b * s * s;
            for (int r = 0; r < s; ++r) {
                for (int c = 0; c < r; ++c) {
                    d[r * s + c] = d[c * s + r];
                }
            }
        }
    }
    if (hess != NULL) {
        __atomic_add_fetch(&p->hess_calls, 1, __ATOMIC_SEQ_CST);
    }
    return BRN_OK;
}

/* The slow obvious sum into dense arrays. */
static void dense_sum(problem *p, int nlists, int n, double *energy, double *grad, double *dense)
{
    brn_ctx *ctx = test_ctx(1);
    const int s = p->size;
    for (int l = 0; l < nlists; ++l) {
        const int width = p->lists[l].width;
        double *g = malloc((size_t)(8 * width * s) * sizeof *g);
        double *h = malloc((size_t)(8 * width * (width + 1) / 2 * s * s) * sizeof *h);
        for (int e = 0; e < p->lists[l].count; ++e) {
            const int *node = p->lists[l].node + e * width;
            double w[8];
            const int batch = e / 8 * 8;
            const int count = p->lists[l].count - batch < 8 ? p->lists[l].count - batch : 8;
            assert_int_equal(element(p, l, batch, count, w, g, h, brn_ctx_arena(ctx)), BRN_OK);
            *energy += w[e - batch];
            const double *he = h + (e - batch) * (width * (width + 1) / 2 * s * s);
            for (int a = 0; a < width; ++a) {
                for (int r = 0; r < s; ++r) {
                    grad[node[a] * s + r] += g[((e - batch) * width + a) * s + r];
                }
                for (int b = a; b < width; ++b, he += s * s) {
                    for (int r = 0; r < s; ++r) {
                        for (int c = 0; c < s; ++c) {
                            const size_t i = (size_t)(node[a] * s + r);
                            const size_t j = (size_t)(node[b] * s + c);
                            dense[i * (size_t)(n * s) + j] += he[r * s + c];
                            if (a != b) {
                                dense[j * (size_t)(n * s) + i] += he[r * s + c];
                            }
                        }
                    }
                }
            }
        }
        free(g);
        free(h);
    }
    brn_ctx_destroy(ctx);
}

static void check_assembly(int n, int size, const brn_stencils *lists, int nlists, int threads)
{
    brn_ctx *ctx = test_ctx(threads);
    problem p = {size, lists, -1, -1, 0, 1.0};
    const size_t ndof = (size_t)(n * size);
    double *grad = calloc(ndof + 1, sizeof *grad);
    double *want_grad = calloc(ndof + 1, sizeof *grad);
    double *want = calloc(ndof * ndof + 1, sizeof *want);
    double want_energy = 10.0;
    dense_sum(&p, nlists, n, &want_energy, want_grad, want);
    brn_block_matrix *a = NULL;
    brn_assembly *assembly = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, n, size, lists, nlists, &a));
    assert_done(ctx, brn_assembly_create(ctx, n, size, lists, nlists, a, &assembly));
    double energy = 10.0;
    assert_done(ctx, brn_assembly_add(assembly, element, &p, &energy, grad, a));
    assert_near(energy, want_energy, 1e-11);
    double *got = to_dense(a);
    for (size_t i = 0; i < ndof; ++i) {
        assert_near(grad[i], want_grad[i], 1e-12); /* at most 200 terms of size 1 */
    }
    for (size_t i = 0; i < ndof * ndof; ++i) {
        assert_near(got[i], want[i], 1e-12);
    }
    /* It adds; and a wanted gradient or energy alone never asks for Hessians. */
    p.hess_calls = 0;
    p.scale = -1.0;
    assert_done(ctx, brn_assembly_add(assembly, element, &p, &energy, NULL, NULL));
    assert_done(ctx, brn_assembly_add(assembly, element, &p, NULL, grad, NULL));
    assert_int_equal(p.hess_calls, 0);
    assert_near(energy, 10.0, 1e-11);
    for (size_t i = 0; i < ndof; ++i) {
        assert_near(grad[i], 0.0, 1e-12);
    }
    free(got);
    free(grad);
    free(want_grad);
    free(want);
    brn_assembly_destroy(assembly);
    brn_block_matrix_destroy(a);
    brn_ctx_destroy(ctx);
}

static void test_against_dense_sum(void **state)
{
    (void)state;
    brn_rng rng = {17};
    for (int size = 1; size <= 3; ++size) {
        const int n = 120;
        int *four = random_stencils(&rng, n, 1300, 4);
        int *eight = random_stencils(&rng, n, 300, 8);
        int *twenty = random_stencils(&rng, n, 50, 20);
        int *two = random_stencils(&rng, n, 5, 2);
        const brn_stencils lists[] = {
            {1300, 4, four}, {0, 4, NULL}, {300, 8, eight}, {50, 20, twenty}, {5, 2, two}};
        check_assembly(n, size, lists, 5, size);
        free(four);
        free(eight);
        free(twenty);
        free(two);
    }
}

static void test_repeated_node_and_empty(void **state)
{
    (void)state;
    const int node[] = {0, 2, 0, 1, 2, 1, 2, 0, 3, 3, 3, 3};
    const brn_stencils list = {3, 4, node};
    check_assembly(4, 3, &list, 1, 1);
    check_assembly(4, 2, NULL, 0, 1);
    check_assembly(0, 3, NULL, 0, 2);
}

/* Tets of a box grid with shuffled node numbers, so that slabs share many destinations. */
static int *shuffled_tets(int n, int *count)
{
    const int m = n + 1;
    const int nnode = m * m * m;
    int *name = malloc((size_t)nnode * sizeof *name);
    brn_rng rng = {1};
    for (int i = 0; i < nnode; ++i) {
        const int j = (int)(brn_rng_next(&rng) % (uint64_t)(i + 1));
        name[i] = i;
        name[i] = name[j];
        name[j] = i;
    }
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int *tet = malloc((size_t)(6 * n * n * n * 4) * sizeof *tet);
    int k = 0;
    for (int c = 0; c < n * n * n; ++c) {
        const int step[3] = {1, m, m * m};
        for (int t = 0; t < 6; ++t) {
            int at = c % n + m * (c / n % n + m * (c / (n * n)));
            tet[k++] = name[at];
            for (int d = 0; d < 3; ++d) {
                at += step[order[t][d]];
                tet[k++] = name[at];
            }
        }
    }
    free(name);
    *count = k / 4;
    return tet;
}

static void test_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    int count = 0;
    int *tet = shuffled_tets(20, &count); /* 48000 elements: two waves of slabs */
    const int n = 21 * 21 * 21;
    const brn_stencils list = {count, 4, tet};
    const int threads[] = {1, 2, 3, 4, 7};
    uint64_t first = 0;
    for (int t = 0; t < 5; ++t) {
        brn_ctx *ctx = test_ctx(threads[t]);
        problem p = {3, &list, -1, -1, 0, 1.0};
        brn_block_matrix *a = NULL;
        brn_assembly *assembly = NULL;
        assert_done(ctx, brn_block_matrix_create(ctx, n, 3, &list, 1, &a));
        assert_done(ctx, brn_assembly_create(ctx, n, 3, &list, 1, a, &assembly));
        double energy = 0.0;
        double *grad = calloc((size_t)n * 3, sizeof *grad);
        assert_done(ctx, brn_assembly_add(assembly, element, &p, &energy, grad, a));
        uint64_t hash = brn_hash_bytes(BRN_HASH_START, &energy, sizeof energy);
        hash = brn_hash_bytes(hash, grad, (size_t)n * 3 * sizeof *grad);
        hash = brn_hash_bytes(hash, a->value, (size_t)a->start[n] * 9 * sizeof *a->value);
        first = t == 0 ? hash : first;
        assert_int_equal(hash, first);
        free(grad);
        brn_assembly_destroy(assembly);
        brn_block_matrix_destroy(a);
        brn_ctx_destroy(ctx);
    }
    free(tet);
}

static brn_status hard_energies(void *arg, int list, int first, int count, double *energy, double *grad,
                                double *hess, brn_arena *scratch)
{
    (void)list;
    (void)grad;
    (void)hess;
    (void)scratch;
    const double *term = arg;
    memcpy(energy, term + first, (size_t)count * sizeof *energy);
    return BRN_OK;
}

static void test_energy_is_compensated(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    enum { N = 5000 };
    int node[N];
    double term[N];
    for (int i = 0; i < N; ++i) {
        node[i] = 0;
        term[i] = i == 0 ? 1e16 : i == N - 1 ? -1e16 : 1.0;
    }
    const brn_stencils list = {N, 1, node};
    brn_assembly *assembly = NULL;
    assert_done(ctx, brn_assembly_create(ctx, 1, 3, &list, 1, NULL, &assembly));
    double energy = 0.0;
    assert_done(ctx, brn_assembly_add(assembly, hard_energies, term, &energy, NULL, NULL));
    assert_true(energy == N - 2.0); /* a plain sum gives 0 */
    term[77] = INFINITY;
    energy = 0.0;
    assert_done(ctx, brn_assembly_add(assembly, hard_energies, term, &energy, NULL, NULL));
    assert_true(energy == INFINITY);
    term[78] = NAN;
    assert_done(ctx, brn_assembly_add(assembly, hard_energies, term, &energy, NULL, NULL));
    assert_true(isnan(energy));
    /* Built without a matrix. */
    brn_block_matrix *a = NULL;
    assert_done(ctx, brn_block_matrix_create(ctx, 1, 3, &list, 1, &a));
    assert_int_equal(brn_assembly_add(assembly, hard_energies, term, NULL, NULL, a), BRN_ERR_RANGE);
    brn_block_matrix_destroy(a);
    brn_assembly_destroy(assembly);
    brn_ctx_destroy(ctx);
}

static void test_errors(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; ++threads) {
        brn_ctx *ctx = test_ctx(threads);
        brn_rng rng = {2};
        int *node = random_stencils(&rng, 60, 2000, 4);
        const brn_stencils list = {2000, 4, node};
        const brn_stencils part = {100, 4, node};
        brn_block_matrix *a = NULL;
        brn_block_matrix *small = NULL;
        brn_assembly *assembly = NULL;
        assert_done(ctx, brn_block_matrix_create(ctx, 60, 3, &list, 1, &a));
        assert_done(ctx, brn_block_matrix_create(ctx, 60, 3, &part, 1, &small));
        /* A matrix without the pattern; another block size; a node that does not exist. */
        assert_int_equal(brn_assembly_create(ctx, 60, 3, &list, 1, small, &assembly), BRN_ERR_RANGE);
        assert_null(assembly);
        assert_int_equal(brn_assembly_create(ctx, 60, 2, &list, 1, a, &assembly), BRN_ERR_RANGE);
        assert_int_equal(brn_assembly_create(ctx, 59, 3, &list, 1, NULL, &assembly), BRN_ERR_RANGE);
        const brn_stencils wide = {1, 128, node};
        assert_int_equal(brn_assembly_create(ctx, 60, 3, &wide, 1, NULL, &assembly), BRN_ERR_RANGE);
        assert_done(ctx, brn_assembly_create(ctx, 60, 3, &list, 1, a, &assembly));
        assert_int_equal(brn_assembly_add(assembly, element, NULL, NULL, NULL, small), BRN_ERR_RANGE);
        /* The callback's status comes back. */
        problem p = {3, &list, 0, 1500, 0, 1.0};
        double energy = 0.0;
        assert_int_equal(brn_assembly_add(assembly, element, &p, &energy, NULL, a), BRN_ERR_MESH);
        brn_assembly_destroy(assembly);
        brn_assembly_destroy(NULL);
        brn_block_matrix_destroy(a);
        brn_block_matrix_destroy(small);
        free(node);
        brn_ctx_destroy(ctx);
    }
}

static brn_status create_and_add(brn_ctx *ctx)
{
    brn_rng rng = {6};
    int *node = random_stencils(&rng, 90, 1500, 4);
    const brn_stencils list = {1500, 4, node};
    problem p = {3, &list, -1, -1, 0, 1.0};
    brn_block_matrix *a = NULL;
    brn_assembly *assembly = NULL;
    double energy = 0.0;
    brn_status status = brn_block_matrix_create(ctx, 90, 3, &list, 1, &a);
    status = status < 0 ? status : brn_assembly_create(ctx, 90, 3, &list, 1, a, &assembly);
    status = status < 0 ? status : brn_assembly_add(assembly, element, &p, &energy, NULL, a);
    brn_assembly_destroy(assembly);
    brn_block_matrix_destroy(a);
    free(node);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    fail_each_allocation(create_and_add, 1);
    fail_each_allocation(create_and_add, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense_sum),
        cmocka_unit_test(test_repeated_node_and_empty),
        cmocka_unit_test(test_same_bits_for_any_thread_count),
        cmocka_unit_test(test_energy_is_compensated),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
