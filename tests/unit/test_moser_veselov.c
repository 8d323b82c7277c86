/* Free rotation by the equations of Moser and Veselov: against the exact solution, its order, what it keeps. */
#include "test.h"

#include "linalg/dense.h"
#include "phys/rigid/moser_veselov.h"

static const double INERTIA[3] = {0.6, 0.8, 1.0};
static const brn_spinning START = {{1.0, 0.0, 0.0, 0.0}, {1.8, 0.4, -0.9}};
/* Of Euler's equations at t = 10, from design/methods/bbi.md. */
static const double EXACT_MOMENTUM[3] = {1.765962508518, -0.695464197033, 0.779554981482};
static const double EXACT_ATTITUDE[4] = {-0.736061364161, -0.570786951240, -0.299388571831, -0.206839086105};

static double energy(const brn_spinning *b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += 0.5 * b->momentum[i] * b->momentum[i] / INERTIA[i];
    }
    return sum;
}

/* In the world. */
static void momentum(const brn_spinning *b, double out[3])
{
    const double *v = &b->attitude[1];
    double once[3];
    double twice[3];
    brn_dense_cross3(v, b->momentum, once);
    brn_dense_cross3(v, once, twice);
    for (int i = 0; i < 3; ++i) {
        out[i] = b->momentum[i] + 2.0 * (b->attitude[0] * once[i] + twice[i]);
    }
}

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static void check_kept(const brn_spinning *b, double tolerance)
{
    double l[3];
    momentum(b, l);
    assert_near(energy(b) / energy(&START), 1.0, tolerance);
    assert_true(distance(l, START.momentum, 3) < tolerance * brn_dense_length3(START.momentum));
}

static void test_exact(void **state)
{
    (void)state;
    /* The errors that the equations themselves have, printed to four digits. */
    static const double steps[] = {0.1, 0.05, 0.025, 0.01};
    static const double errors[] = {2.783e-1, 6.565e-2, 1.617e-2, 2.577e-3};
    for (int k = 0; k < 4; ++k) {
        brn_spinning b = START;
        const int count = (int)lround(10.0 / steps[k]);
        for (int i = 0; i < count; ++i) {
            assert_true(brn_moser_veselov_step(INERTIA, steps[k], &b));
        }
        assert_near(distance(b.momentum, EXACT_MOMENTUM, 3), errors[k], 6e-4 * errors[k]);
        check_kept(&b, 1e-14 * count);
    }
    brn_spinning b = START;
    brn_moser_veselov(INERTIA, 10.0, 1e-4, &b); /* second order: 1e-9 of what 0.3 rad a step leaves */
    assert_true(distance(b.momentum, EXACT_MOMENTUM, 3) < 1e-7);
    assert_true(distance(b.attitude, EXACT_ATTITUDE, 4) < 1e-7);
}

static void test_first_step(void **state)
{
    (void)state;
    static const double turn[3] = {0.15431907, 0.02204575, -0.0468728};
    brn_spinning b = START;
    assert_true(brn_moser_veselov_step(INERTIA, 0.1, &b));
    for (int i = 0; i < 3; ++i) {
        assert_near(b.attitude[1 + i] / b.attitude[0], turn[i], 6e-9);
    }
}

static void test_million(void **state)
{
    (void)state;
    brn_spinning b = START;
    for (int i = 0; i < 1000000; ++i) {
        assert_true(brn_moser_veselov_step(INERTIA, 0.05, &b));
    }
    check_kept(&b, 3e-13); /* as published for a million steps of 0.05 */
}

/* The same backwards; a plate, whose moments are the sums of each other; a body that does not turn. */
static void test_others(void **state)
{
    (void)state;
    static const double plate[3] = {0.5, 0.5, 1.0};
    brn_spinning b = START;
    brn_moser_veselov(INERTIA, 3.0, 0.02, &b);
    brn_moser_veselov(INERTIA, -3.0, 0.02, &b);
    assert_true(distance(b.momentum, START.momentum, 3) < 1e-12);
    assert_true(distance(b.attitude, START.attitude, 4) < 1e-12);
    b = START;
    for (int i = 0; i < 1000; ++i) {
        assert_true(brn_moser_veselov_step(plate, 0.1, &b));
    }
    assert_near(b.momentum[2], START.momentum[2], 1e-12); /* symmetric about its axis */
    b = (brn_spinning){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    brn_moser_veselov(plate, 1.0, 0.1, &b);
    assert_true(b.attitude[0] == 1.0 && b.momentum[1] == 0.0);
    b.momentum[0] = NAN;
    brn_moser_veselov(plate, 1.0, 0.1, &b); /* ends */
    assert_true(isnan(b.momentum[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_first_step),
        cmocka_unit_test(test_million),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
