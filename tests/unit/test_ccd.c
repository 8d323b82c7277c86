/* Additive and interval CCD: known times, the promise by sampling and by proof, and what must not upset them. */
#include "test.h"

#include "ccd_agree.h"

/* A point falling on a triangle, edges crossing, a point passing an edge, two points: contact at t = 1/2. */
static const ccd_query known[PAIR_COUNT] = {
    {PAIR_POINT, 0, {{1, 0, 0}, {0, 0, 0}}, {{-1, 0, 0}, {0, 0, 0}}},
    {PAIR_EDGE, 0, {{0.5, 1, 0}, {0, 0, 0}, {1, 0, 0}}, {{0.5, -1, 0}, {0, 0, 0}, {1, 0, 0}}},
    {PAIR_TRIANGLE,
     0,
     {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
    {PAIR_EDGES,
     0,
     {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}},
     {{-1, 0, -1}, {1, 0, -1}, {0, -1, 0}, {0, 1, 0}}},
};

static void test_known_times(void **state)
{
    (void)state;
    for (int pair = 0; pair < PAIR_COUNT; ++pair) {
        const ccd_query *q = &known[pair];
        /* head on: the gap shrinks linearly from 1, so it is 0.1 at t = 0.45 */
        assert_near(ccd_additive(q, 0.0, 0.1, 1.0), 0.45, 1e-13);
        assert_near(ccd_additive(q, 0.2, 0.1, 1.0), 0.36, 1e-13); /* 1 - 2 t = 0.2 + 0.1 * 0.8 */
        assert_near(ccd_additive(q, 0.0, 0.1, 0.25), 0.25, 0.0);
        assert_true(ccd_additive(q, 1.0, 0.1, 1.0) == 0.0);
        assert_true(ccd_additive(q, 2.0, 0.1, 1.0) == 0.0);
        const brn_interval_hit hit = ccd_interval(q, 0.0, 1e-9, 1.0);
        assert_true(hit.collides && !hit.exhausted && hit.time <= 0.5);
        assert_near(hit.time, 0.5, 1e-8);
        /* around the nearest point the distance is level, so that many boxes come within dmin at once */
        assert_near(ccd_interval(q, 0.2, 1e-3, 1.0).time, 0.3995, 5e-4);
        assert_false(ccd_interval(q, 0.0, 1e-9, 0.499).collides);
        assert_false(ccd_interval(q, 0.2, 1e-9, 0.399).collides);
        assert_true(ccd_interval(q, 1.0, 1e-9, 1.0).time == 0.0);
    }
}

/* The same answers to the bit at any power of two, and for a common motion or none. */
static void test_scale_and_common_motion(void **state)
{
    (void)state;
    brn_rng rng = {1};
    for (int repeat = 0; repeat < 2000; ++repeat) {
        ccd_query q;
        ccd_query_make(&rng, repeat % PAIR_COUNT, FAMILY_RANDOM, &q);
        const double t = ccd_additive(&q, 0.0, 0.1, 1.0);
        static const int powers[] = {-1000, -600, -300, 300, 500, 950};
        ccd_query scaled = q;
        const double factor = ldexp(1.0, powers[repeat % 6]);
        for (int k = 0; k < 4; ++k) {
            for (int i = 0; i < 3; ++i) {
                scaled.x0[k][i] = factor * q.x0[k][i];
                scaled.x1[k][i] = factor * q.x1[k][i];
            }
        }
        /* 2^-1000 times 1e-6 loses digits to the smallest numbers */
        assert_near(ccd_additive(&scaled, 0.0, 0.1, 1.0), t, powers[repeat % 6] < -900 ? 1e-6 : 0.0);
        const brn_interval_hit a = ccd_interval(&q, 0.0, 0.0, 1.0), b = ccd_interval(&scaled, 0.0, 0.0, 1.0);
        assert_int_equal(a.collides, b.collides);
        ccd_query still = q;
        memcpy(still.x1, q.x0, sizeof still.x1);
        const double d0 = ccd_distance_at(&still, 0.0);
        assert_near(ccd_additive(&still, 0.0, 0.1, 1.0), 1.0, d0 > 0.0 ? 0.0 : 1.0);
        for (int k = 0; k < 4; ++k) {
            for (int i = 0; i < 3; ++i) {
                still.x1[k][i] += ccd_size(&q) * 1e3; /* rounds by 1e-13 sizes, far below the gaps */
            }
        }
        assert_near(ccd_additive(&still, 0.0, 0.1, 1.0), 1.0, d0 > 1e-9 * ccd_size(&q) ? 0.0 : 1.0);
    }
}

static void test_promise_by_sampling(void **state)
{
    (void)state;
    brn_rng rng = {2};
    long stopped = 0, count = 36000;
    for (long i = 0; i < count; ++i) {
        ccd_query q;
        ccd_query_make(&rng, (int)(i % PAIR_COUNT), (int)(i / PAIR_COUNT % FAMILY_COUNT), &q);
        const double d0 = ccd_distance_at(&q, 0.0), keep = i % 3 ? 0.1 : 0.6, dmin = i % 5 ? 0.0 : 0.3 * d0;
        const double t = ccd_additive(&q, dmin, keep, 1.0), size = ccd_size(&q);
        assert_true(t >= 0.0 && t <= 1.0);
        assert_true(t > 0.0 || d0 - dmin <= 1e-15 * size);
        stopped += t < 1.0;
        for (int k = 0; k <= 50; ++k) {
            /* the samples themselves are good to a few roundings of the largest coordinate */
            const double least = dmin + keep * (d0 - dmin) - 4e-15 * size;
            if (!(ccd_distance_at(&q, t * k / 50.0) >= least)) {
                print_error("pair %d, family %d\n", q.pair, q.family);
                assert_near(ccd_distance_at(&q, t * k / 50.0), least, 0.0);
            }
        }
    }
    assert_true(stopped > count / 10 && stopped < count / 2);
}

static void test_promise_by_proof(void **state)
{
    (void)state;
    brn_rng rng = {3};
    agree_tally sum = {0};
    for (long i = 0; i < 5400; ++i) {
        ccd_query q;
        ccd_query_make(&rng, (int)(i % PAIR_COUNT), (int)(i / PAIR_COUNT % FAMILY_COUNT), &q);
        ccd_agree(&q, i % 5 ? 0.0 : 0.01 * ccd_distance_at(&q, 0.0), i % 3 ? 0.1 : 0.5, &sum);
    }
    print_message("%ld proved, %ld too close, %ld exhausted, %ld stopped far from contact\n", sum.proved,
                  sum.too_close, sum.exhausted, sum.loose);
    assert_int_equal(sum.broken, 0);
    assert_int_equal(sum.stuck, 0);
    assert_true(sum.proved > sum.queries / 2);
    assert_true(sum.exhausted <= sum.queries / 200);
    assert_true(sum.loose <= sum.queries / 200);
}

/* Gaps of a few roundings and far below: never 0, and moving apart is free. */
static void test_never_zero_for_the_closest_starts(void **state)
{
    (void)state;
    brn_rng rng = {4};
    for (int i = 0; i < 4000; ++i) {
        const double gap = pow(10.0, brn_rng_uniform(&rng, -28.0, -12.0));
        /* the triangle tilted by exact numbers: z = x, so the point above (1/4, 1/4, 1/4) is exact */
        ccd_query q = {.pair = PAIR_TRIANGLE, .x0 = {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
        q.x0[0][2] = gap;
        memcpy(q.x1, q.x0, sizeof q.x1);
        q.x1[0][2] = -1.0;
        const double t = ccd_additive(&q, 0.0, 0.1, 1.0);
        assert_true(t > 0.0);
        assert_near(t / (0.9 * gap / (1.0 + gap)), 1.0, 0.2);
        q.x1[0][2] = 1.0;
        assert_near(ccd_additive(&q, 0.0, 0.1, 1.0), 1.0, 0.0);
        q.x1[0][2] = gap; /* sliding */
        q.x1[0][0] = 100.0;
        assert_near(ccd_additive(&q, 0.0, 0.1, 1.0), 1.0, 0.0);
        ccd_query e = {.pair = PAIR_EDGES, .x0 = {{-1, 0, gap}, {1, 0, gap}, {0, -1, 0}, {0, 1, 0}}};
        memcpy(e.x1, e.x0, sizeof e.x1);
        e.x1[0][2] = e.x1[1][2] = -1.0;
        assert_true(ccd_additive(&e, 0.0, 0.1, 1.0) > 0.0);
        /* parallel edges */
        e.x0[2][0] = -1.0;
        e.x0[2][1] = 0.0;
        e.x0[3][0] = 1.0;
        e.x0[3][1] = 0.0;
        assert_true(ccd_additive(&e, 0.0, 0.1, 1.0) > 0.0);
    }
    /* whole ranges of numbers: the gap is all there is */
    const ccd_query tiny = {PAIR_POINT, 0, {{1e-200, 0, 0}, {0, 0, 0}}, {{-1e150, 0, 0}, {0, 0, 0}}};
    const ccd_query least = {PAIR_POINT, 0, {{5e-324, 0, 0}, {0, 0, 0}}, {{1, 0, 0}, {0, 0, 0}}};
    const ccd_query huge = {PAIR_POINT, 0, {{1e308, 0, 0}, {-1e308, 0, 0}}, {{-1e308, 0, 0}, {1e308, 0, 0}}};
    assert_true(ccd_additive(&tiny, 0.0, 0.1, 1.0) >= 0.0);
    assert_true(ccd_additive(&least, 0.0, 0.1, 1.0) >= 0.0);
    assert_near(ccd_additive(&huge, 0.0, 0.1, 1.0), 0.45, 1e-12);
}

static void test_bad_numbers(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int pair = 0; pair < PAIR_COUNT; ++pair) {
        for (int node = 0; node < 2 * ccd_nodes(pair); ++node) {
            for (int i = 0; i < 9; ++i) {
                ccd_query q = known[pair];
                (node % 2 ? q.x1 : q.x0)[node / 2][i % 3] = bad[i / 3];
                assert_true(ccd_additive(&q, 0.0, 0.1, 1.0) == 0.0);
                const brn_interval_hit hit = ccd_interval(&q, 0.0, 1e-6, 1.0);
                assert_true(hit.collides && hit.exhausted && hit.time == 0.0);
            }
        }
        const ccd_query *q = &known[pair];
        assert_true(ccd_additive(q, NAN, 0.1, 1.0) == 0.0);
        assert_true(ccd_additive(q, INFINITY, 0.1, 1.0) == 0.0);
        assert_true(ccd_additive(q, -1.0, 0.1, 1.0) == 0.0);
        assert_true(ccd_additive(q, 0.0, NAN, 1.0) == 0.0);
        assert_true(ccd_additive(q, 0.0, 0.1, NAN) == 0.0);
        assert_true(ccd_additive(q, 0.0, 0.1, 0.0) == 0.0);
        assert_true(ccd_additive(q, 0.0, 0.1, -1.0) == 0.0);
        assert_near(ccd_additive(q, 0.0, -5.0, 1.0), 0.4995, 1e-9); /* keep is held in [1e-3, 0.9] */
        assert_near(ccd_additive(q, 0.0, 5.0, 1.0), 0.05, 1e-9);
        assert_true(ccd_interval(q, NAN, 1e-6, 1.0).collides);
        assert_true(ccd_interval(q, 0.0, NAN, 1.0).collides);
        assert_true(ccd_interval(q, 0.0, 1e-6, NAN).collides);
    }
}

/* The same nodes twice, edges of no length, all in one point: an answer, and 0 where they touch. */
static void test_degenerate(void **state)
{
    (void)state;
    const ccd_query one = {.pair = PAIR_EDGES, .x1 = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}}};
    for (int pair = 0; pair < PAIR_COUNT; ++pair) {
        ccd_query q = one;
        q.pair = pair;
        assert_true(ccd_additive(&q, 0.0, 0.1, 1.0) == 0.0);
        assert_true(ccd_interval(&q, 0.0, 1e-6, 1.0).time == 0.0);
        memset(q.x1, 0, sizeof q.x1);
        assert_true(ccd_additive(&q, 0.0, 0.1, 1.0) == 0.0);
        assert_true(ccd_interval(&q, 0.0, 1e-6, 1.0).collides);
    }
    /* points in the clothes of edges and triangles */
    ccd_query q = {.pair = PAIR_TRIANGLE, .x0 = {{1, 0, 0}}, .x1 = {{-1, 0, 0}}};
    assert_near(ccd_additive(&q, 0.0, 0.1, 1.0), 0.45, 1e-13);
    q.pair = PAIR_EDGE;
    assert_near(ccd_additive(&q, 0.0, 0.1, 1.0), 0.45, 1e-13);
    ccd_query e = {.pair = PAIR_EDGES, .x0 = {{1, 0, 0}, {1, 0, 0}}, .x1 = {{-1, 0, 0}, {-1, 0, 0}}};
    assert_near(ccd_additive(&e, 0.0, 0.1, 1.0), 0.45, 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_times),
        cmocka_unit_test(test_scale_and_common_motion),
        cmocka_unit_test(test_promise_by_sampling),
        cmocka_unit_test(test_promise_by_proof),
        cmocka_unit_test(test_never_zero_for_the_closest_starts),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
