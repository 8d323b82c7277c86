#include "test.h"

#include "base/rng.h"
#include "linalg/dense.h"

static void test_inverse_and_products(void **state)
{
    (void)state;
    brn_rng rng = {7};
    for (int repeat = 0; repeat < 200; ++repeat) {
        double a[9];
        double b[9];
        double c[9];
        double inverse[9];
        for (int i = 0; i < 9; ++i) {
            a[i] = brn_rng_uniform(&rng, -1.0, 1.0) + (i % 4 == 0 ? 3.0 : 0.0);
            b[i] = brn_rng_uniform(&rng, -1.0, 1.0);
        }
        assert_near(brn_dense_inverse3(a, inverse), brn_dense_det3(a), 1e-13);
        brn_dense_multiply3(a, inverse, c);
        for (int i = 0; i < 9; ++i) {
            assert_near(c[i], i % 4 == 0 ? 1.0 : 0.0, 1e-14);
        }
        /* det(AB) = det A det B, and the transposed products against the plain one. */
        brn_dense_multiply3(a, b, c);
        assert_near(brn_dense_det3(c), brn_dense_det3(a) * brn_dense_det3(b), 1e-12);
        const double at[9] = {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
        const double bt[9] = {b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]};
        double tn[9];
        double nt[9];
        brn_dense_multiply3_tn(at, b, tn);
        brn_dense_multiply3_nt(a, bt, nt);
        double x[3];
        double y[3];
        double z[3];
        brn_dense_apply3(a, b, x);
        brn_dense_apply3_t(at, b, y);
        for (int i = 0; i < 9; ++i) {
            assert_near(tn[i], c[i], 1e-15);
            assert_near(nt[i], c[i], 1e-15);
        }
        for (int i = 0; i < 3; ++i) {
            assert_near(x[i], y[i], 1e-15);
        }
        brn_dense_cross3(b, b + 3, z);
        assert_near(brn_dense_dot3(z, b), 0.0, 1e-15);
        assert_near(brn_dense_dot3(z, b + 6), brn_dense_det3(b), 1e-14);
        const double e[4] = {a[0], a[1], a[3], a[4]};
        double f[4];
        double g[4];
        assert_near(brn_dense_inverse2(e, f), e[0] * e[3] - e[1] * e[2], 1e-14);
        brn_dense_multiply2(e, f, g);
        assert_near(g[0], 1.0, 1e-14);
        assert_near(g[1], 0.0, 1e-14);
        assert_near(g[2], 0.0, 1e-14);
        assert_near(g[3], 1.0, 1e-14);
    }
}

static void test_rotation(void **state)
{
    (void)state;
    double r[9];
    const double z[3] = {0.0, 0.0, 1e-200};
    assert_true(brn_dense_rotation(z, M_PI / 2, r));
    const double want[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    for (int i = 0; i < 9; ++i) {
        assert_near(r[i], want[i], 1e-15);
    }
    brn_rng rng = {3};
    for (int repeat = 0; repeat < 100; ++repeat) {
        const double scale = pow(10.0, brn_rng_uniform(&rng, -300.0, 300.0));
        double axis[3];
        for (int i = 0; i < 3; ++i) {
            axis[i] = scale * brn_rng_uniform(&rng, -1.0, 1.0);
        }
        const double angle = brn_rng_uniform(&rng, -10.0, 10.0);
        assert_true(brn_dense_rotation(axis, angle, r));
        double rrt[9];
        brn_dense_multiply3_nt(r, r, rrt);
        for (int i = 0; i < 9; ++i) {
            assert_near(rrt[i], i % 4 == 0 ? 1.0 : 0.0, 5e-15);
        }
        assert_near(brn_dense_det3(r), 1.0, 5e-15);
        assert_near(r[0] + r[4] + r[8], 1.0 + 2.0 * cos(angle), 5e-15);
        double turned[3];
        brn_dense_apply3(r, axis, turned);
        for (int i = 0; i < 3; ++i) {
            assert_near(turned[i], axis[i], 5e-15 * scale);
        }
    }
    const double zero[3] = {0.0, 0.0, 0.0};
    const double nan[3] = {1.0, NAN, 0.0};
    const double infinite[3] = {1.0, 0.0, INFINITY};
    assert_false(brn_dense_rotation(zero, 1.0, r));
    assert_near(r[0] + r[4] + r[8], 3.0, 0.0);
    assert_false(brn_dense_rotation(nan, 1.0, r));
    assert_false(brn_dense_rotation(infinite, 1.0, r));
    assert_false(brn_dense_rotation(want, NAN, r));
    assert_false(brn_dense_rotation(want, INFINITY, r));
}

/* A v = w v and v' v = 1, to rounding of the largest entry. */
static void check_eigen(int n, const double *a, double scale)
{
    double work[60 * 60];
    double w[60];
    double v[60 * 60];
    memcpy(work, a, (size_t)(n * n) * sizeof *a);
    assert_int_equal(brn_dense_eigen_sym(n, work, w, v), BRN_OK);
    for (int k = 0; k < n; ++k) {
        assert_true(k == 0 || w[k] >= w[k - 1]);
        for (int i = 0; i < n; ++i) {
            double av = 0.0;
            double vv = 0.0;
            for (int j = 0; j < n; ++j) {
                av += a[i * n + j] * v[j * n + k];
                vv += v[j * n + i] * v[j * n + k];
            }
            assert_near(av, w[k] * v[i * n + k], 4e-15 * n * scale);
            assert_near(vv, i == k ? 1.0 : 0.0, 4e-15 * n);
        }
    }
}

static void test_eigen_random(void **state)
{
    (void)state;
    brn_rng rng = {11};
    const int sizes[] = {1, 2, 3, 6, 9, 12, 24, 60};
    const double scales[] = {1.0, 1e-300, 1e300, 1e9};
    for (int s = 0; s < 8; ++s) {
        for (int repeat = 0; repeat < 8; ++repeat) {
            const int n = sizes[s];
            const double scale = scales[repeat % 4];
            double a[60 * 60];
            for (int i = 0; i < n; ++i) {
                for (int j = i; j < n; ++j) {
                    a[i * n + j] = scale * brn_rng_uniform(&rng, -1.0, 1.0);
                    a[j * n + i] = a[i * n + j];
                }
            }
            check_eigen(n, a, scale);
        }
    }
}

static void test_eigen_special(void **state)
{
    (void)state;
    double w[9];
    double v[81];
    /* Zero, identity (all repeated), rank one, already diagonal in descending order. */
    double zero[81] = {0};
    check_eigen(9, zero, 1.0);
    double a[81] = {0};
    for (int i = 0; i < 9; ++i) {
        a[i * 10] = 2.0;
    }
    check_eigen(9, a, 2.0);
    for (int i = 0; i < 81; ++i) {
        a[i] = 1.0;
    }
    check_eigen(9, a, 9.0);
    assert_int_equal(brn_dense_eigen_sym(9, a, w, v), BRN_OK);
    assert_near(w[8], 9.0, 1e-14);
    assert_near(w[0], 0.0, 1e-15);
    double d[9] = {3, 0, 0, 0, 2, 0, 0, 0, 1};
    assert_int_equal(brn_dense_eigen_sym(3, d, w, v), BRN_OK);
    assert_true(w[0] == 1.0 && w[1] == 2.0 && w[2] == 3.0);
    assert_true(v[2 * 3 + 0] == 1.0 && v[0 * 3 + 2] == 1.0);
    /* Entries of very different size: 2x2 closed form. */
    double g[4] = {1.0, 1e-9, 1e-9, 1e-20};
    assert_int_equal(brn_dense_eigen_sym(2, g, w, v), BRN_OK);
    assert_near(w[1], 1.0, 1e-15);
    assert_near(w[0], 1e-20 - 1e-18, 1e-30);
    double bad[4] = {1.0, NAN, 0.0, 1.0};
    assert_int_equal(brn_dense_eigen_sym(2, bad, w, v), BRN_ERR_NOT_FINITE);
    double inf[4] = {1.0, 0.0, 0.0, INFINITY};
    assert_int_equal(brn_dense_eigen_sym(2, inf, w, v), BRN_ERR_NOT_FINITE);
    assert_int_equal(brn_dense_eigen_sym(0, bad, w, v), BRN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverse_and_products),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_eigen_random),
        cmocka_unit_test(test_eigen_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
