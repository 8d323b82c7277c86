/* Both CCDs against exact arithmetic, every family of queries; slow_ccd_exact.c runs more of them. */
#include "test.h"

#include "ccd_exact_run.h"

/* Ground truth itself, where the answer is plain. */
static void test_truth_on_plain_cases(void **state)
{
    (void)state;
    ccd_query q = {.pair = PAIR_TRIANGLE,
                   .x0 = {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                   .x1 = {{0.25, 0.25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    assert_true(ccd_exact_touches(&q, 1.0));
    assert_true(ccd_exact_touches(&q, 0.5)); /* exactly then */
    assert_false(ccd_exact_touches(&q, 0.5 - 0x1p-53));
    q.x0[0][0] = q.x1[0][0] = 0.75; /* through the slanted edge */
    assert_true(ccd_exact_touches(&q, 1.0));
    q.x0[0][0] = q.x1[0][0] = 0.75 + 0x1p-53;
    assert_false(ccd_exact_touches(&q, 1.0));
    /* in the plane of the triangle: comes in by an edge; from inside to outside */
    memcpy(q.x0[0], (const double[3]){2, 0.25, 0}, sizeof q.x0[0]);
    memcpy(q.x1[0], (const double[3]){-1, 0.25, 0}, sizeof q.x1[0]);
    assert_true(ccd_exact_touches(&q, 1.0));
    assert_true(ccd_exact_touches(&q, 1.25 / 3.0 + 1e-15));
    assert_false(ccd_exact_touches(&q, 1.25 / 3.0 - 1e-15));
    q.x0[0][0] = 0.5;
    assert_true(ccd_exact_touches(&q, 0.0));
    /* parallel edges pass through each other along a line, or miss by one bit */
    ccd_query e = {.pair = PAIR_EDGES,
                   .x0 = {{0, 0, 1}, {1, 0, 1}, {0.5, 0, 0}, {3, 0, 0}},
                   .x1 = {{0, 0, -1}, {1, 0, -1}, {0.5, 0, 0}, {3, 0, 0}}};
    assert_true(ccd_exact_touches(&e, 1.0));
    e.x0[2][0] = e.x1[2][0] = 1.0;
    assert_true(ccd_exact_touches(&e, 1.0));
    e.x0[2][0] = e.x1[2][0] = 1.0 + 0x1p-52;
    assert_false(ccd_exact_touches(&e, 1.0));
    /* a point that meets another at t = 1/3 and leaves again */
    ccd_query p = {.pair = PAIR_POINT, .x0 = {{1, 1, 1}, {0, 0, 0}}, .x1 = {{-2, -2, -2}, {0, 0, 0}}};
    assert_true(ccd_exact_touches(&p, 1.0));
    assert_true(ccd_exact_touches(&p, 0.3333333333333334));
    assert_false(ccd_exact_touches(&p, 0.3333333333333333));
}

static void test_conservative_against_exact(void **state)
{
    (void)state;
    run_against_exact(5000, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth_on_plain_cases),
        cmocka_unit_test(test_conservative_against_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
