/* Additive CCD with a thickness dmin and any keep: its promises in exact arithmetic. */
#include "test.h"

#include "ccd_kept.h"

enum { QUERIES = 3000 };

typedef struct kept_tally {
    long queries, near, refused, stopped, early, open;
} kept_tally;

/* NULL, or what is wrong with the answer to q. */
static const char *check(const ccd_query *q, double dmin, double keep, double t_max, kept_tally *sum)
{
    const char *problem = NULL;
    const double t = ccd_additive(q, dmin, keep, t_max);
    kept k;
    kept_init(&k, q);
    const double gap = kept_gap(&k, dmin, keep);
    sum->queries++;
    sum->near += gap > 0.0 && gap < 1e-13 * k.size;
    if (!(t >= 0.0 && t <= t_max)) {
        problem = "not in [0, t_max]";
    } else if (!(gap > 0.0)) {
        problem = t > 0.0 ? "free to move from a start that is not separated" : NULL;
    } else if (t == 0.0) {
        sum->refused++;
        problem = gap > 1e-29 * k.size ? "stuck at a start that is separated" : NULL;
    } else {
        const int answer = kept_excess(&k, t) < 0.0 ? -1 : kept_on(&k, 0.0, t, 3000);
        problem = answer < 0 ? "nearer than wanted" : NULL;
        sum->open += answer == 0;
        /* stopped: nearly there, or rounding forbids to go on */
        const double left = kept_excess(&k, t) - 0.3 * keep * gap;
        sum->stopped += t < t_max;
        sum->early += t < t_max && left > 1e-14 * (k.size + t * k.speed);
    }
    kept_clear(&k);
    return problem;
}

/* Thickness for a query: none, any part of d0, nearly all of it, d0 to the last digit, a little more. */
static double thickness(brn_rng *rng, const ccd_query *q)
{
    const int what = (int)(brn_rng_next(rng) % 8);
    kept k;
    kept_init(&k, q);
    const double d0 = mpf_get_d(k.d0);
    kept_clear(&k);
    const double small = ccd_power(rng, -17.0, -1.0);
    return what == 0   ? 0.0
           : what == 1 ? d0
           : what == 2 ? d0 * (1.0 + small)
           : what == 3 ? d0 * brn_rng_uniform(rng, 0.0, 1.0)
                       : d0 * (1.0 - small);
}

static void report(const ccd_query *q, double dmin, double keep, double t_max, const char *problem)
{
    print_error("%s; pair %d, family %d, dmin %a, keep %g, t_max %g -> %a\n", problem, q->pair, q->family,
                dmin, keep, t_max, ccd_additive(q, dmin, keep, t_max));
    for (int k = 0; k < ccd_nodes(q->pair); ++k) {
        print_error("  {%a, %a, %a} -> {%a, %a, %a}\n", q->x0[k][0], q->x0[k][1], q->x0[k][2], q->x1[k][0],
                    q->x1[k][1], q->x1[k][2]);
    }
}

static void print_tally(const char *name, const kept_tally *s)
{
    print_message("%-10s %6ld queries, %6ld nearer than 1e-13, %5ld refused, %6ld stopped, %4ld early, %4ld "
                  "not settled\n",
                  name, s->queries, s->near, s->refused, s->stopped, s->early, s->open);
}

static void test_kept_distance(void **state)
{
    (void)state;
    static const char *const names[FAMILY_COUNT] = {"random", "close", "parallel",   "grid",    "graze",
                                                    "fast",   "plane", "degenerate", "carried", "exact"};
    static const double keeps[4] = {0.1, 0.5, 0.9, 0.01}, ends[4] = {1.0, 1.0, 0.37, 3.0};
    brn_rng rng = {21};
    kept_tally sum[FAMILY_COUNT] = {{0}};
    long wrong = 0, early = 0;
    for (int i = 0; i < QUERIES; ++i) {
        ccd_query q;
        ccd_query_make(&rng, i / FAMILY_COUNT % PAIR_COUNT, i % FAMILY_COUNT, &q);
        const double dmin = thickness(&rng, &q), keep = keeps[brn_rng_next(&rng) % 4];
        const double t_max = ends[brn_rng_next(&rng) % 4];
        const char *problem = check(&q, dmin, keep, t_max, &sum[q.family]);
        if (problem != NULL && ++wrong <= 5) {
            report(&q, dmin, keep, t_max, problem);
        }
    }
    for (int family = 0; family < FAMILY_COUNT; ++family) {
        print_tally(names[family], &sum[family]);
        early += sum[family].early;
    }
    assert_int_equal(wrong, 0);
    /* Those are what the cap of iterations stops: nearly as close to dmin as the digits allow. */
    assert_true(early < QUERIES / 50);
}

/* Sides (1, 0, 0) and (ratio, sine, 0), a gap along z above a point of them or beside a vertex: coordinates that can
   hold a sine down to 1e-25 and a gap down to 1e-28. */
static void make_narrow(brn_rng *rng, ccd_query *q)
{
    const double sine = ccd_power(rng, -25.0, -3.0), gap = ccd_power(rng, -28.0, -8.0);
    const double ratio = brn_rng_next(rng) % 4 ? brn_rng_uniform(rng, -2.0, 2.0) : 1.0;
    const double s = brn_rng_uniform(rng, -0.1, 1.1), t = brn_rng_uniform(rng, -0.1, 1.1);
    const double u = brn_rng_next(rng) % 4 ? s : gap * brn_rng_uniform(rng, -2.0, 2.0), v = t * (1.0 - s);
    const double triangle[4][3] = {{0.0, 0.0, gap},
                                   {-u - v * ratio, -v * sine, 0.0},
                                   {(1.0 - u) - v * ratio, -v * sine, 0.0},
                                   {-u + (1.0 - v) * ratio, (1.0 - v) * sine, 0.0}};
    const double edges[4][3] = {{-u, 0.0, 0.0},
                                {1.0 - u, 0.0, 0.0},
                                {-v * ratio, -v * sine, gap},
                                {(1.0 - v) * ratio, (1.0 - v) * sine, gap}};
    memcpy(q->x0, q->pair == PAIR_TRIANGLE ? triangle : edges, sizeof q->x0);
}

/* Sides that are parallel but for the rounding of their coordinates, and touch as well as that allows: the gap is a part
   of the last digit, and the foot of the normal far less certain than the gap even with 113 bits. */
static void make_last_digit(brn_rng *rng, ccd_query *q)
{
    for (int tries = 0; tries < 200; ++tries) {
        double sine2;
        memset(q->x0, 0, sizeof q->x0);
        ccd_noise(rng, 1.0, q->x0);
        const double ratio = brn_rng_uniform(rng, -2.0, 2.0);
        const int first = q->pair == PAIR_EDGES ? 0 : 1;
        for (int i = 0; i < 3; ++i) {
            q->x0[3][i] =
                q->x0[q->pair == PAIR_EDGES ? 2 : 1][i] + ratio * (q->x0[first + 1][i] - q->x0[first][i]);
        }
        ccd_touch(rng, q->pair, 0.0, q->x0);
        const double gap = ccd_wide_distance(q->pair, (const double(*)[3])q->x0, &sine2);
        if (gap > 0.0 && gap < 3e-18) {
            break;
        }
    }
}

static void test_narrow_starts(void **state)
{
    (void)state;
    static const char *const names[2] = {"narrow", "last digit"};
    brn_rng rng = {4};
    long wrong = 0;
    for (int kind = 0; kind < 2; ++kind) {
        kept_tally sum = {0};
        for (int i = 0; i < (kind == 0 ? QUERIES : QUERIES / 6); ++i) {
            ccd_query q = {.pair = i % 2 ? PAIR_TRIANGLE : PAIR_EDGES};
            if (kind == 0) {
                make_narrow(&rng, &q);
            } else {
                make_last_digit(&rng, &q);
            }
            memcpy(q.x1, q.x0, sizeof q.x1);
            ccd_noise(&rng, ccd_power(&rng, -6.0, 0.0), q.x1);
            const char *problem = check(&q, 0.0, 0.1, 1.0, &sum);
            if (problem != NULL && ++wrong <= 5) {
                report(&q, 0.0, 0.1, 1.0, problem);
            }
        }
        print_tally(names[kind], &sum);
    }
    assert_int_equal(wrong, 0);
}

/* A narrow triangle of the made-up queries, whose computed foot is 2.5 gaps off. */
static void test_narrow_triangle(void **state)
{
    (void)state;
    const ccd_query q = {.pair = PAIR_TRIANGLE,
                         .x0 = {{0x1.7e734b0ebfb46p-13, 0x1.1d45a257e78cbp-11, -0x1.b53ac248817e4p-13},
                                {-0x1.829019c71cf04p-11, 0x1.b1245bdfe0534p-12, 0x1.98aa376e59a6bp-12},
                                {0x1.51383c6e6d13ap-10, 0x1.6fbe76f861a1p-11, -0x1.e5d0d820ff23ep-11},
                                {-0x1.90952c94dc65ap-9, 0x1.5ac640302f9fbp-14, 0x1.f19350493101dp-10}},
                         .x1 = {{0x1.7e53a4f21d829p-13, 0x1.1d3d831bded9p-11, -0x1.b554826c32016p-13},
                                {-0x1.829c33f5a01fap-11, 0x1.b114c787b317ap-12, 0x1.98939db79664fp-12},
                                {0x1.51333b31d2ed4p-10, 0x1.6fc52a96df507p-11, -0x1.e5cf173f09b9fp-11},
                                {-0x1.909689c00b096p-9, 0x1.5a6fa89369fedp-14, 0x1.f190265530bfbp-10}}};
    kept_tally sum = {0};
    assert_null(check(&q, 0.0, 0.1, 1.0, &sum));
    assert_int_equal(sum.refused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_triangle),
        cmocka_unit_test(test_narrow_starts),
        cmocka_unit_test(test_kept_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
