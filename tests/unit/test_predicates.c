#include "test.h"

#include "base/rng.h"
#include "exact.h"
#include "geom/predicates.h"

/* Next to 0 the steps are 2^-200: what lies closer is below the range of the predicates. */
static double ulps(double x, int steps)
{
    if (x == 0.0) {
        return steps * 0x1p-200;
    }
    for (; steps > 0; --steps) {
        x = nextafter(x, INFINITY);
    }
    for (; steps < 0; ++steps) {
        x = nextafter(x, -INFINITY);
    }
    return x;
}

static int pick(brn_rng *rng, int lo, int hi)
{
    return lo + (int)(brn_rng_next(rng) % (uint64_t)(hi - lo + 1));
}

/* Also the symmetries: swapping two points turns the sign, a cycle of three keeps it. */
static int check2d(const double a[2], const double b[2], const double c[2])
{
    const int want = exact_orient(2, (const double *const[]){a, b, c});
    if (brn_orient2d(a, b, c) != want || brn_orient2d(b, a, c) != -want || brn_orient2d(b, c, a) != want) {
        fail_msg("orient2d of (%a %a) (%a %a) (%a %a) is %d, not %d", a[0], a[1], b[0], b[1], c[0], c[1],
                 brn_orient2d(a, b, c), want);
    }
    return want;
}

static int check3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const int want = exact_orient(3, (const double *const[]){a, b, c, d});
    if (brn_orient3d(a, b, c, d) != want || brn_orient3d(b, a, c, d) != -want ||
        brn_orient3d(d, b, c, a) != -want) {
        fail_msg("orient3d of (%a %a %a) (%a %a %a) (%a %a %a) (%a %a %a) is %d, not %d", a[0], a[1], a[2],
                 b[0], b[1], b[2], c[0], c[1], c[2], d[0], d[1], d[2], brn_orient3d(a, b, c, d), want);
    }
    return want;
}

static void test_signs_by_hand(void **state)
{
    (void)state;
    const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    assert_int_equal(brn_orient2d(o, x, y), 1);
    assert_int_equal(brn_orient2d(o, y, x), -1);
    assert_int_equal(brn_orient2d(x, x, y), 0);
    assert_int_equal(brn_orient3d(o, x, y, z), 1);
    assert_int_equal(brn_orient3d(o, y, x, z), -1);
    assert_int_equal(brn_orient3d(o, x, y, x), 0);
    /* Three decimals that look collinear; in binary they are not. */
    const double a[2] = {0.1, 0.1}, b[2] = {0.2, 0.2}, c[2] = {0.3, 0.3}, d[2] = {0.1 + 0.2, 0.3};
    assert_int_equal(brn_orient2d(a, b, c), 0);
    assert_int_equal(brn_orient2d(a, b, d), -1);
}

static void test_random(void **state)
{
    (void)state;
    brn_rng rng = {1};
    for (int i = 0; i < 20000; ++i) {
        double p[4][3];
        for (int k = 0; k < 12; ++k) {
            p[k / 3][k % 3] = ldexp(brn_rng_uniform(&rng, -1.0, 1.0), i % 3 == 0 ? pick(&rng, -60, 60) : 0);
        }
        check2d(p[0], p[1], p[2]);
        check3d(p[0], p[1], p[2], p[3]);
    }
}

/* Points on a line or plane up to rounding, moved by a few units in the last place. */
static void test_nearly_degenerate(void **state)
{
    (void)state;
    brn_rng rng = {2};
    int seen2[3] = {0}, seen3[3] = {0};
    for (int i = 0; i < 30000; ++i) {
        double p[4][3];
        const double far = i % 4 == 0 ? 1e6 : i % 4 == 1 ? 0.0 : 1.0;
        /* Half of the cases on a lattice, where exact zeros are frequent. */
        for (int k = 0; k < 9; ++k) {
            p[k / 3][k % 3] =
                far + (i % 2 == 0 ? brn_rng_uniform(&rng, -1.0, 1.0) : 0.125 * pick(&rng, -8, 8));
        }
        const double s = i % 2 == 0 ? brn_rng_uniform(&rng, -1.0, 2.0) : 0.25 * pick(&rng, -4, 8);
        const double t = i % 2 == 0 ? brn_rng_uniform(&rng, -1.0, 2.0) : 0.25 * pick(&rng, -4, 8);
        double c[2];
        for (int k = 0; k < 3; ++k) {
            p[3][k] = ulps(p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]), pick(&rng, -1, 1));
        }
        for (int k = 0; k < 2; ++k) {
            c[k] = ulps(p[0][k] + s * (p[1][k] - p[0][k]), pick(&rng, -1, 1));
        }
        seen2[1 + check2d(p[0], p[1], c)]++;
        seen3[1 + check3d(p[0], p[1], p[2], p[3])]++;
    }
    /* All three answers were asked for. */
    for (int k = 0; k < 3; ++k) {
        assert_true(seen2[k] > 100 && seen3[k] > 100);
    }
}

/* A neighbourhood of a point on a line, one unit in the last place at a time [Kettner et al. 2008 draw it]. */
static void test_ulp_grid(void **state)
{
    (void)state;
    const double q[2] = {12.0, 12.0}, r[2] = {24.0, 24.0};
    for (int i = 0; i < 40; ++i) {
        for (int j = 0; j < 40; ++j) {
            const double p[2] = {ulps(0.5, i), ulps(0.5, j)};
            assert_int_equal(check2d(p, q, r), i < j ? 1 : i > j ? -1 : 0);
        }
    }
}

/* Magnitudes mixed over the whole stated range. */
static void test_extreme_magnitudes(void **state)
{
    (void)state;
    brn_rng rng = {3};
    for (int i = 0; i < 30000; ++i) {
        double p[4][3];
        for (int k = 0; k < 12; ++k) {
            const double mantissa = (pick(&rng, 0, 1) ? 1.0 : -1.0) * brn_rng_uniform(&rng, 1.0, 2.0);
            const int scale = i % 3 == 0 ? pick(&rng, -305, 329) : pick(&rng, 0, 1) ? -300 : 320;
            p[k / 3][k % 3] = pick(&rng, 0, 4) == 0 ? 0.0 : ldexp(mantissa, scale);
        }
        /* A third nearly degenerate. */
        if (i % 3 == 2) {
            for (int k = 0; k < 3; ++k) {
                p[3][k] = 0.5 * (p[0][k] + p[1][k]);
                p[2][k] = 2.0 * p[0][k] - p[1][k];
            }
        }
        check2d(p[0], p[1], p[2]);
        check3d(p[0], p[1], p[2], p[3]);
    }
}

/* Below the range: tiny coordinates may be rounded, but nothing is invented, and multiples of 2^-356 are exact. */
static void test_tiny(void **state)
{
    (void)state;
    brn_rng rng = {4};
    for (int i = 0; i < 5000; ++i) {
        double p[4][3];
        for (int k = 0; k < 12; ++k) {
            p[k / 3][k % 3] = ldexp(pick(&rng, -20, 20), -356);
        }
        check2d(p[0], p[1], p[2]);
        check3d(p[0], p[1], p[2], p[3]);
    }
    const double a[3] = {0x1p-1074, 0, 0}, b[3] = {0, 0x1p-1074, 0}, c[3] = {0, 0, 0x1p-1074},
                 o[3] = {0, 0, 0};
    assert_int_equal(brn_orient3d(o, a, b, c), 0);
    assert_int_equal(brn_orient2d(o, a, b), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs_by_hand),      cmocka_unit_test(test_random),
        cmocka_unit_test(test_nearly_degenerate),  cmocka_unit_test(test_ulp_grid),
        cmocka_unit_test(test_extreme_magnitudes), cmocka_unit_test(test_tiny),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
