#include "test.h"

#include "base/radix.h"
#include "base/rng.h"
#include "faulty.h"
#include "geom/bvh.h"

/* ---- boxes of many sorts ---------------------------------------------------------------------------------------------- */

typedef enum box_sort {
    UNIFORM,
    CLUSTERED, /* ten tight heaps, far apart */
    MIXED,     /* sizes over twelve decades */
    IDENTICAL,
    POINTS, /* no size, on a lattice: many share faces or are equal */
    FLAT,   /* z = 0 */
    GIANTS, /* a few boxes that cover nearly everything */
    FAR,    /* small differences of huge numbers */
    BOX_SORTS
} box_sort;

static void make_box(brn_rng *rng, box_sort sort, int i, brn_box *box)
{
    for (int k = 0; k < 3; ++k) {
        double centre = brn_rng_uniform(rng, -1.0, 1.0), size = 0.05 * brn_rng_uniform(rng, 0.0, 1.0);
        if (sort == CLUSTERED) {
            centre = 1e-3 * centre + (double)((i % 10) * (k + 3) % 7) * 100.0;
            size *= 1e-2;
        } else if (sort == MIXED) {
            size = pow(10.0, brn_rng_uniform(rng, -12.0, -0.5));
        } else if (sort == IDENTICAL) {
            centre = 0.25;
            size = 0.5;
        } else if (sort == POINTS) {
            centre = floor(4.0 * centre);
            size = 0.0;
        } else if (sort == FLAT && k == 2) {
            centre = size = 0.0;
        } else if (sort == GIANTS && i % 97 == 5) {
            size = 1.5;
        } else if (sort == FAR) {
            centre = 1e9 + 1e-5 * centre;
            size *= 1e-6;
        }
        box->lo[k] = centre - size;
        box->hi[k] = centre + size;
    }
}

static void make_boxes(uint64_t seed, box_sort sort, int n, brn_box *box)
{
    brn_rng rng = {seed};
    for (int i = 0; i < n; ++i) {
        make_box(&rng, sort, i, &box[i]);
    }
}

static bool odd_sum(const void *arg, int a, int b)
{
    return (a + b + *(const int *)arg) % 2 != 0;
}

static void assert_same_pairs(const brn_bvh_pairs *got, const brn_bvh_pairs *want)
{
    assert_int_equal(got->count, want->count);
    for (size_t i = 0; i < want->count; ++i) {
        if (got->pair[i][0] != want->pair[i][0] || got->pair[i][1] != want->pair[i][1]) {
            fail_msg("pair %zu is (%d, %d), not (%d, %d)", i, got->pair[i][0], got->pair[i][1],
                     want->pair[i][0], want->pair[i][1]);
        }
    }
}

/* ---- against brute force ------------------------------------------------------------------------------------------------ */

typedef struct fixture {
    brn_ctx *ctx;
    brn_bvh *a, *b;
    brn_bvh_pairs *got, *want;
} fixture;

static void open_fixture(fixture *f, int threads)
{
    f->ctx = test_ctx(threads);
    assert_done(f->ctx, brn_bvh_create(f->ctx, &f->a));
    assert_done(f->ctx, brn_bvh_create(f->ctx, &f->b));
    assert_done(f->ctx, brn_bvh_pairs_create(f->ctx, &f->got));
    assert_done(f->ctx, brn_bvh_pairs_create(f->ctx, &f->want));
}

static void close_fixture(fixture *f)
{
    brn_bvh_destroy(f->a);
    brn_bvh_destroy(f->b);
    brn_bvh_pairs_destroy(f->got);
    brn_bvh_pairs_destroy(f->want);
    brn_ctx_destroy(f->ctx);
}

enum { MOST = 1500 };

static void test_equals_brute_force(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 513, MOST};
    static brn_box box_a[MOST], box_b[MOST];
    fixture f;
    open_fixture(&f, 2);
    const int odd = 1;
    size_t seen = 0;
    for (int sort = 0; sort < BOX_SORTS; ++sort) {
        for (int s = 0; s < 11; ++s) {
            const int n = sizes[s], m = sizes[(s * 3 + sort) % 11];
            const double scale = sort == FAR ? 1e-7 : 0.01;
            const brn_bvh_query query = {
                .within = s % 2 == 0 ? 0.0 : scale, .keep = s % 3 == 0 ? odd_sum : NULL, .keep_arg = &odd};
            make_boxes((uint64_t)(100 * sort + s), (box_sort)sort, n, box_a);
            make_boxes((uint64_t)(100 * sort + s + 50), (box_sort)sort, m, box_b);
            assert_done(f.ctx, brn_bvh_build(f.a, box_a, n));
            assert_done(f.ctx, brn_bvh_build(f.b, box_b, m));
            assert_int_equal(brn_bvh_count(f.a), n);
            assert_done(f.ctx, brn_bvh_query_self(f.a, &query, f.got));
            assert_done(f.ctx, brn_bvh_brute_pairs(box_a, n, NULL, 0, &query, f.want));
            assert_same_pairs(f.got, f.want);
            seen += f.want->count;
            assert_done(f.ctx, brn_bvh_query_pairs(f.a, f.b, &query, f.got));
            assert_done(f.ctx, brn_bvh_brute_pairs(box_a, n, box_b, m, &query, f.want));
            assert_same_pairs(f.got, f.want);
            seen += f.want->count;
            /* Other boxes in the same tree. */
            make_boxes((uint64_t)(100 * sort + s + 70), (box_sort)((sort + 1) % BOX_SORTS), n, box_a);
            assert_done(f.ctx, brn_bvh_refit(f.a, box_a));
            assert_done(f.ctx, brn_bvh_query_self(f.a, NULL, f.got));
            assert_done(f.ctx, brn_bvh_brute_pairs(box_a, n, NULL, 0, NULL, f.want));
            assert_same_pairs(f.got, f.want);
        }
    }
    assert_true(seen > 1000000);
    close_fixture(&f);
}

static void test_brute_force_is_right(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1);
    /* A row of unit cubes: 0 and 1 share a face, 1 and 2 a point, 3 stands 0.5 beyond 2 (exact in binary). */
    const brn_box box[4] = {
        {{0, 0, 0}, {1, 1, 1}}, {{1, 0, 0}, {2, 1, 1}}, {{2, 1, 1}, {3, 2, 2}}, {{3.5, 1, 1}, {4.5, 2, 2}}};
    brn_bvh_query query = {.within = 0.0};
    assert_done(f.ctx, brn_bvh_brute_pairs(box, 4, NULL, 0, &query, f.want));
    assert_int_equal(f.want->count, 2);
    assert_int_equal(f.want->pair[0][0], 0);
    assert_int_equal(f.want->pair[0][1], 1);
    assert_int_equal(f.want->pair[1][0], 1);
    assert_int_equal(f.want->pair[1][1], 2);
    query.within = 0.5;
    assert_done(f.ctx, brn_bvh_brute_pairs(box, 4, NULL, 0, &query, f.want));
    assert_int_equal(f.want->count, 3);
    query.within = nextafter(0.5, 0.0);
    assert_done(f.ctx, brn_bvh_brute_pairs(box, 4, NULL, 0, &query, f.want));
    assert_int_equal(f.want->count, 2);
    query.within = -1.0;
    assert_int_equal(brn_bvh_brute_pairs(box, 4, NULL, 0, &query, f.want), BRN_ERR_RANGE);
    query.within = NAN;
    assert_int_equal(brn_bvh_query_self(f.a, &query, f.want), BRN_ERR_RANGE);
    query.within = INFINITY;
    assert_int_equal(brn_bvh_query_self(f.a, &query, f.want), BRN_ERR_RANGE);
    assert_int_equal(f.want->count, 2);
    /* The largest distance that is one: every pair, and no more than there are. */
    query.within = 1.7e308;
    assert_done(f.ctx, brn_bvh_build(f.a, box, 4));
    assert_done(f.ctx, brn_bvh_query_self(f.a, &query, f.got));
    assert_int_equal(f.got->count, 6);
    close_fixture(&f);
}

/* ---- threads, errors, memory ---------------------------------------------------------------------------------------------- */

/* ---- the nearest ---------------------------------------------------------------------------------------------------------- */

typedef struct nearest_case {
    const brn_box *box;
    double point[3];
    int hidden; /* items with this remainder by 3 are not to be found; -1: all are */
    int looked; /* how many were looked at */
} nearest_case;

/* From the middle of the box: more than the distance of the box itself, as for what is inside it. */
static double middle_distance2(const void *arg, int item)
{
    nearest_case *c = (nearest_case *)(uintptr_t)arg;
    double sum = 0.0;
    ++c->looked;
    for (int k = 0; k < 3; ++k) {
        const double d = 0.5 * (c->box[item].lo[k] + c->box[item].hi[k]) - c->point[k];
        sum += d * d;
    }
    return item % 3 == c->hidden ? INFINITY : sum;
}

static void test_nearest(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 7, 8, 9, 64, 65, 513, MOST};
    static brn_box box[MOST];
    brn_rng rng = {5};
    fixture f;
    open_fixture(&f, 1);
    for (int sort = 0; sort < BOX_SORTS; ++sort) {
        for (int s = 0; s < 9; ++s) {
            const int n = sizes[s];
            long looked = 0;
            make_boxes((uint64_t)(7 * sort + s), (box_sort)sort, n, box);
            assert_done(f.ctx, brn_bvh_build(f.a, box, n));
            if (s % 2 == 1) { /* other boxes in the same tree */
                make_boxes((uint64_t)(7 * sort + s + 99), (box_sort)sort, n, box);
                assert_done(f.ctx, brn_bvh_refit(f.a, box));
            }
            for (int q = 0; q < 60; ++q) {
                nearest_case c = {.box = box, .hidden = q % 4 == 0 ? q / 4 % 3 : -1};
                for (int k = 0; k < 3; ++k) {
                    /* about the boxes; on the lattice of POINTS many are as near */
                    c.point[k] =
                        (sort == FAR ? 1e9 : 0.0) +
                        (sort == POINTS ? floor(brn_rng_uniform(&rng, -5.0, 5.0)) + 0.5
                                        : brn_rng_uniform(&rng, -1.0, 1.0) * (sort == FAR ? 1e-5 : 1.0));
                }
                int want = -1;
                double best = INFINITY;
                for (int i = 0; i < n; ++i) {
                    const double d = middle_distance2(&c, i);
                    want = d < best ? i : want;
                    best = d < best ? d : best;
                }
                c.looked = 0;
                assert_int_equal(brn_bvh_nearest(f.a, c.point, middle_distance2, &c), want);
                looked += c.looked;
            }
            if (n == MOST && sort == UNIFORM) {
                assert_true(looked < 60 * MOST / 10);
            }
        }
    }
    close_fixture(&f);
}

static void test_same_for_any_thread_count(void **state)
{
    (void)state;
    enum { N = 30000 }; /* several blocks in every pass */
    brn_box *box = test_calloc(N, sizeof *box);
    make_boxes(5, GIANTS, N, box);
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double mid = 0.5 * (box[i].lo[k] + box[i].hi[k]);
            box[i].lo[k] = mid + 0.3 * (box[i].lo[k] - mid);
            box[i].hi[k] = mid + 0.3 * (box[i].hi[k] - mid);
        }
    }
    fixture first;
    open_fixture(&first, 1);
    assert_done(first.ctx, brn_bvh_build(first.a, box, N));
    assert_done(first.ctx, brn_bvh_query_self(first.a, NULL, first.want));
    assert_true(first.want->count > 100000);
    static const int counts[] = {2, 3, 4, 7};
    for (int t = 0; t < 4; ++t) {
        fixture f;
        open_fixture(&f, counts[t]);
        assert_done(f.ctx, brn_bvh_build(f.a, box, N));
        assert_done(f.ctx, brn_bvh_query_self(f.a, NULL, f.got));
        assert_same_pairs(f.got, first.want);
        close_fixture(&f);
    }
    close_fixture(&first);
    test_free(box);
}

static void test_bad_boxes_are_refused(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1);
    static brn_box box[100];
    make_boxes(1, UNIFORM, 100, box);
    assert_done(f.ctx, brn_bvh_build(f.a, box, 100));
    assert_done(f.ctx, brn_bvh_query_self(f.a, NULL, f.want));
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        for (int side = 0; side < 6; ++side) {
            brn_box kept = box[57];
            (side < 3 ? box[57].lo : box[57].hi)[side % 3] = bad[i];
            assert_int_equal(brn_bvh_build(f.a, box, 100), BRN_ERR_NOT_FINITE);
            assert_non_null(strstr(brn_ctx_message(f.ctx), "box 57"));
            assert_int_equal(brn_bvh_refit(f.a, box), BRN_ERR_NOT_FINITE);
            box[57] = kept;
        }
    }
    box[3].lo[1] = box[3].hi[1] + 1.0;
    assert_int_equal(brn_bvh_build(f.a, box, 100), BRN_ERR_RANGE);
    assert_int_equal(brn_bvh_build(f.a, box, -1), BRN_ERR_LIMIT);
    /* The tree is what it was. */
    assert_int_equal(brn_bvh_count(f.a), 100);
    assert_done(f.ctx, brn_bvh_query_self(f.a, NULL, f.got));
    assert_same_pairs(f.got, f.want);
    close_fixture(&f);
}

static void test_largest_numbers(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 1);
    static brn_box box[200];
    make_boxes(2, UNIFORM, 200, box);
    for (int i = 0; i < 200; ++i) {
        for (int k = 0; k < 3; ++k) {
            box[i].lo[k] *= 1.6e308;
            box[i].hi[k] *= 1.6e308;
        }
    }
    for (int tiny = 0; tiny < 2; ++tiny) {
        assert_done(f.ctx, brn_bvh_build(f.a, box, 200));
        assert_done(f.ctx, brn_bvh_query_self(f.a, NULL, f.got));
        assert_done(f.ctx, brn_bvh_brute_pairs(box, 200, NULL, 0, NULL, f.want));
        assert_same_pairs(f.got, f.want);
        for (int i = 0; i < 200; ++i) {
            for (int k = 0; k < 3; ++k) {
                box[i].lo[k] = nearbyint(box[i].lo[k] * 1e-307) * 0x1p-1074;
                box[i].hi[k] = nearbyint(box[i].hi[k] * 1e-307) * 0x1p-1074;
            }
        }
    }
    close_fixture(&f);
}

static brn_status build_and_query(brn_ctx *ctx, void *arg)
{
    const brn_box *box = arg;
    brn_bvh *bvh = NULL;
    brn_bvh_pairs *pairs = NULL;
    brn_status status = brn_bvh_create(ctx, &bvh);
    for (int n = 10; n <= MOST && status >= 0; n *= 12) {
        const size_t before = (size_t)(n / 12 * (n / 12 - 1) / 2);
        status = brn_bvh_build(bvh, box, n);
        if (status >= 0 && pairs == NULL) {
            status = brn_bvh_pairs_create(ctx, &pairs);
        }
        if (status >= 0) {
            status = brn_bvh_query_self(bvh, NULL, pairs);
        }
        if (status < 0 && pairs != NULL && n > 10) {
            /* What was there before still stands. */
            assert_int_equal(pairs->count, before);
        }
    }
    brn_bvh_pairs_destroy(pairs);
    brn_bvh_destroy(bvh);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    static brn_box box[MOST];
    make_boxes(9, IDENTICAL, MOST, box);
    assert_true(faulty_run(build_and_query, box, 0) > 15);
}

static void test_steady_state_allocates_nothing(void **state)
{
    (void)state;
    faulty memory;
    brn_ctx *ctx = faulty_ctx(&memory, 1);
    enum { N = 20000 };
    brn_box *box = test_calloc(N, sizeof *box);
    brn_bvh *bvh = NULL;
    brn_bvh_pairs *pairs = NULL;
    assert_done(ctx, brn_bvh_create(ctx, &bvh));
    assert_done(ctx, brn_bvh_pairs_create(ctx, &pairs));
    make_boxes(4, UNIFORM, N, box);
    long calls = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
        assert_done(ctx, brn_bvh_build(bvh, box, N));
        assert_done(ctx, brn_bvh_refit(bvh, box));
        assert_done(ctx, brn_bvh_query_self(bvh, NULL, pairs));
        if (repeat > 0) {
            assert_int_equal(memory.calls, calls);
        }
        calls = memory.calls;
    }
    brn_bvh_pairs_destroy(pairs);
    brn_bvh_destroy(bvh);
    brn_ctx_destroy(ctx);
    test_free(box);
}

/* ---- parts ---------------------------------------------------------------------------------------------------------------- */

static void test_swept_boxes(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const double x0[3][3] = {{0, 0, 0}, {1, -2, 0.1}, {0.5, 5, 0}},
                 x1[3][3] = {{0, 0, 1}, {3, 0, 0}, {0, 0, 0}};
    const int edge[2][2] = {{0, 1}, {2, 1}};
    brn_box box[3];
    brn_box_sweep sweep = {.count = 2, .width = 2, .node = &edge[0][0], .x0 = x0, .x1 = x1};
    assert_done(ctx, brn_box_sweep_all(ctx, &sweep, box));
    const brn_box want = {{0, -2, 0}, {3, 0, 1}};
    assert_memory_equal(&box[0], &want, sizeof want);
    /* The margin is never rounded away: 0.1 + 1e-3 is exceeded. */
    sweep = (brn_box_sweep){.count = 3, .width = 1, .x0 = x0, .margin = 1e-3};
    assert_done(ctx, brn_box_sweep_all(ctx, &sweep, box));
    assert_true(box[1].hi[2] > 0.1 + 1e-3 && box[1].hi[2] < 0.1 + 1e-3 + 1e-15);
    assert_true(box[1].lo[1] < -2.0 - 1e-3);
    sweep.margin = NAN;
    assert_int_equal(brn_box_sweep_all(ctx, &sweep, box), BRN_ERR_RANGE);
    /* A NaN position comes out as a box that the tree refuses, wherever it stands. */
    for (int node = 0; node < 2; ++node) {
        double broken[3][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
        broken[node][1] = NAN;
        sweep = (brn_box_sweep){.count = 1, .width = 2, .node = &edge[0][0], .x0 = broken};
        assert_done(ctx, brn_box_sweep_all(ctx, &sweep, box));
        brn_bvh *bvh = NULL;
        assert_done(ctx, brn_bvh_create(ctx, &bvh));
        assert_int_equal(brn_bvh_build(bvh, box, 1), BRN_ERR_NOT_FINITE);
        brn_bvh_destroy(bvh);
    }
    brn_ctx_destroy(ctx);
}

static void test_radix_sort(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 48, 49, 5000, 8193, 70000};
    static const int bits[][2] = {{0, 64}, {0, 3}, {20, 31}, {7, 60}, {40, 64}, {5, 5}};
    enum { N = 70000 };
    uint64_t *key = test_calloc(N, sizeof *key), *temp = test_calloc(N, sizeof *temp);
    uint64_t *kept = test_calloc(N, sizeof *key);
    brn_ctx *ctx = test_ctx(2);
    for (int s = 0; s < 8; ++s) {
        for (int b = 0; b < 6; ++b) {
            const int low = bits[b][0], high = bits[b][1];
            const uint64_t mask = high > low ? (~UINT64_C(0) >> (64 - (high - low))) << low : 0;
            brn_rng rng = {(uint64_t)s};
            uint64_t total = 0, after = 0;
            for (size_t i = 0; i < sizes[s]; ++i) {
                key[i] = brn_rng_next(&rng);
                total += key[i] * key[i];
                kept[i] = key[i];
            }
            assert_done(ctx, brn_radix_sort(ctx, key, temp, sizes[s], low, high));
            for (size_t i = 0; i < sizes[s]; ++i) {
                after += key[i] * key[i];
                if (i > 0 && (key[i - 1] & mask) > (key[i] & mask)) {
                    fail_msg("%zu keys, bits %d to %d: wrong order at %zu", sizes[s], low, high, i);
                }
            }
            assert_int_equal(total, after);
            if (mask == 0) {
                assert_memory_equal(key, kept, sizes[s] * sizeof *key);
            }
        }
    }
    /* Stable: equal digits keep the order of the numbers below them. */
    for (size_t i = 0; i < N; ++i) {
        key[i] = (i * 7919 % 1000) << 20 | i;
    }
    assert_done(ctx, brn_radix_sort(ctx, key, temp, N, 20, 30));
    for (size_t i = 1; i < N; ++i) {
        assert_true(key[i - 1] < key[i]);
    }
    brn_ctx_destroy(ctx);
    test_free(key);
    test_free(temp);
    test_free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_brute_force),
        cmocka_unit_test(test_brute_force_is_right),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_same_for_any_thread_count),
        cmocka_unit_test(test_bad_boxes_are_refused),
        cmocka_unit_test(test_largest_numbers),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_steady_state_allocates_nothing),
        cmocka_unit_test(test_swept_boxes),
        cmocka_unit_test(test_radix_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
