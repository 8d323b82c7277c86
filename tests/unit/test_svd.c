#include "test.h"

#include "base/rng.h"
#include "phys/svd.h"

/* About 15 rotations, each adding an error of an ulp or two, and columns 2e-15 off the right angle: measured 3.5e-15
   (residual) and 2e-15 (orthogonality) over 1e6 matrices, 3x margin. */
static const double tolerance = 1e-14;

/* Largest entry of |M^T M - 1| and |det M - 1| of a 3x3 (or 2x2) matrix. */
static double rotation_error(const double *m, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = i == j ? -1.0 : 0.0;
            for (int k = 0; k < n; ++k) {
                sum += m[n * k + i] * m[n * k + j];
            }
            worst = fmax(worst, fabs(sum));
        }
    }
    const double det = n == 2 ? m[0] * m[3] - m[1] * m[2]
                              : m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                                    m[2] * (m[3] * m[7] - m[4] * m[6]);
    return fmax(worst, fabs(det - 1.0));
}

/* Runs one batch of n x n matrices and checks every promise of the header. */
static void check_batch(double f[BRN_LANES][9], int n, double s_out[BRN_LANES][3])
{
    brn_lanes F[9], U[9], S[3], V[9];
    for (int i = 0; i < n * n; ++i) {
        for (int l = 0; l < BRN_LANES; ++l) {
            F[i][l] = f[l][i];
        }
    }
    if (n == 3) {
        brn_svd3(F, U, S, V);
    } else {
        brn_svd2(F, U, S, V);
    }
    for (int l = 0; l < BRN_LANES; ++l) {
        double u[9], v[9], s[3] = {0}, size = 0.0;
        for (int i = 0; i < n * n; ++i) {
            u[i] = U[i][l];
            v[i] = V[i][l];
            size = fmax(size, fabs(f[l][i]));
        }
        for (int i = 0; i < n; ++i) {
            s[i] = s_out[l][i] = S[i][l];
        }
        assert_true(rotation_error(u, n) <= tolerance);
        assert_true(rotation_error(v, n) <= tolerance);
        assert_true(s[0] >= 0.0);
        for (int i = 0; i + 1 < n; ++i) {
            assert_true(s[i] - fabs(s[i + 1]) >= -tolerance * size);
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = 0.0;
                for (int k = 0; k < n; ++k) {
                    sum += u[n * i + k] * s[k] * v[n * j + k];
                }
                assert_near(sum, f[l][n * i + j], tolerance * size);
            }
        }
    }
}

static void random_matrix(brn_rng *rng, int n, double *m)
{
    for (int i = 0; i < n * n; ++i) {
        m[i] = brn_rng_uniform(rng, -1.0, 1.0);
    }
}

/* Q diag(s) R^T with the rotations of two random matrices, made by the function under test and checked there. */
static void compose(brn_rng *rng, int n, const double s[3], double *out)
{
    brn_lanes f[9], u[9], t[3], v[9];
    for (int i = 0; i < n * n; ++i) {
        f[i] = brn_lanes_all(brn_rng_uniform(rng, -1.0, 1.0));
    }
    if (n == 3) {
        brn_svd3(f, u, t, v);
    } else {
        brn_svd2(f, u, t, v);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += u[n * i + k][0] * s[k] * v[n * j + k][0];
            }
            out[n * i + j] = sum;
        }
    }
}

static void test_random_matrices_of_any_scale(void **state)
{
    (void)state;
    brn_rng rng = {7};
    for (int n = 2; n <= 3; ++n) {
        for (int round = 0; round < 5000; ++round) {
            double f[BRN_LANES][9], s[BRN_LANES][3];
            for (int l = 0; l < BRN_LANES; ++l) {
                random_matrix(&rng, n, f[l]);
                const double scale = pow(10.0, brn_rng_uniform(&rng, -150.0, 150.0));
                for (int i = 0; round % 2 == 1 && i < n * n; ++i) {
                    f[l][i] *= scale;
                }
            }
            check_batch(f, n, s);
        }
    }
}

static void test_known_stretches(void **state)
{
    (void)state;
    /* distinct, repeated, near-repeated, inverted, rank 2, rank 1, very unequal, equal magnitudes of opposite sign */
    static const double known[][3] = {
        {3.0, 2.0, 1.0},
        {1.0, 1.0, 1.0},
        {2.0, 2.0, 0.5},
        {2.0, 0.5, 0.5},
        {1.0 + 1e-9, 1.0, 1.0 - 1e-9},
        {1.0 + 1e-15, 1.0, 1.0},
        {2.0, 1.0, -0.5},
        {1.0, 1.0, -1.0},
        {2.0, 1.0, 0.0},
        {1.0, 0.0, 0.0},
        {1.0, 1e-8, 1e-12},
        {1.0, 1e-5, -1e-10},
        {1.0, 1e-12, 1e-12},
        {1.0, 0.3, -0.3},
        {1e-3, 1e-3, -1e-3},
    };
    brn_rng rng = {11};
    for (size_t c = 0; c < sizeof known / sizeof *known; ++c) {
        for (int round = 0; round < 200; ++round) {
            double f[BRN_LANES][9], s[BRN_LANES][3];
            for (int l = 0; l < BRN_LANES; ++l) {
                compose(&rng, 3, known[c], f[l]);
            }
            check_batch(f, 3, s);
            for (int l = 0; l < BRN_LANES; ++l) {
                for (int i = 0; i < 3; ++i) {
                    /* rounding of the composed matrix moves a singular value by that much */
                    assert_near(s[l][i], known[c][i], tolerance * known[c][0]);
                }
            }
        }
    }
}

static void test_special_matrices(void **state)
{
    (void)state;
    enum { N = 8 }; /* a multiple of BRN_LANES */
    double f[N][9] = {
        {0},                                                       /* zero */
        {0, 0, 1, 0, 0, 0, 0, 0, 0},                               /* one entry */
        {1, 1, 1, 1, 1, 1, 1, 1, 1},                               /* rank 1 */
        {0, 1, 0, 1, 0, 0, 0, 0, 1},                               /* a reflection */
        {5e-324, 0, 0, 0, 0, 0, 0, 0, 0},                          /* the smallest number */
        {1e300, 0, 0, 0, -1e300, 0, 0, 0, 1e300},                  /* huge */
        {1, 1e-200, 0, 0, 1e-200, 0, 0, 0, 1e-250},                /* columns whose squares underflow */
        {1e-160, 1e-170, 0, 1e-165, 1e-160, 0, 1e-160, 0, 1e-200}, /* all small */
    };
    double s[N][3];
    for (int i = 0; i < N; i += BRN_LANES) {
        check_batch(f + i, 3, s + i);
    }
    assert_near(s[2][0], 3.0, 1e-14);
    assert_near(s[3][2], -1.0, 1e-15);
    double flat[N][9] = {{0},
                         {0, 1, 0, 0},
                         {1, 1, 1, 1},
                         {0, 1, 1, 0},
                         {5e-324, 0, 0, 0},
                         {1e300, 1e300, -1e300, 1e300},
                         {1, 1e-200, 0, 1e-250},
                         {-1, 0, 0, -1}};
    for (int i = 0; i < N; i += BRN_LANES) {
        check_batch(flat + i, 2, s + i);
    }
    assert_near(s[3][1], -1.0, 1e-15);
}

/* A small stretch keeps its digits, which the eigenvalues of F^T F (error 1e-16 of s1^2) would not have. */
static void test_small_stretch_is_accurate(void **state)
{
    (void)state;
    /* columns (1, 0, 0), (1, d, 0), (0, 0, d): s2 of the upper block is d/sqrt(2) (1 + O(d^2)) */
    const double d = 1e-11;
    double f[BRN_LANES][9], s[BRN_LANES][3];
    for (int l = 0; l < BRN_LANES; ++l) {
        const double m[9] = {1, 1, 0, 0, d, 0, 0, 0, d};
        memcpy(f[l], m, sizeof m);
    }
    check_batch(f, 3, s);
    assert_near(s[0][1], d, 1e-14 * d); /* the untouched axis */
    assert_near(s[0][2], d / sqrt(2.0), 1e-14 * d);
}

/* A lane's result has the same bits whatever the other lanes hold. */
static void test_lanes_are_independent(void **state)
{
    (void)state;
    brn_rng rng = {3};
    for (int round = 0; round < 500; ++round) {
        brn_lanes f[9], u[9], s[3], v[9], f1[9], u1[9], s1[3], v1[9];
        for (int i = 0; i < 9; ++i) {
            for (int l = 0; l < BRN_LANES; ++l) {
                f[i][l] = (i % 4 == 0 ? 1.0 : 0.0) + brn_rng_uniform(&rng, -1.0, 1.0) * pow(0.01, l);
            }
        }
        brn_svd3(f, u, s, v);
        const int lane = round % BRN_LANES;
        for (int i = 0; i < 9; ++i) {
            f1[i] = brn_lanes_all(f[i][lane]);
        }
        brn_svd3(f1, u1, s1, v1);
        for (int i = 0; i < 9; ++i) {
            assert_true(u[i][lane] == u1[i][0] && v[i][lane] == v1[i][0]);
        }
        assert_true(s[2][lane] == s1[2][BRN_LANES - 1]);
    }
}

/* ---- positive semi-definite part ---------------------------------------------------------------------------- */

static void test_psd_part(void **state)
{
    (void)state;
    brn_rng rng = {5};
    for (int round = 0; round < 5000; ++round) {
        /* A = Q diag(e) Q^T with known eigenvalues; its PSD part is Q diag(max(e, 0)) Q^T */
        brn_lanes diag[3], off[3], old_diag[3], old_off[3];
        double want[BRN_LANES][9], size[BRN_LANES];
        bool definite[BRN_LANES];
        for (int l = 0; l < BRN_LANES; ++l) {
            double e[3], plus[3], m[9];
            const double scale = pow(10.0, brn_rng_uniform(&rng, -100.0, 100.0));
            size[l] = 0.0;
            for (int i = 0; i < 3; ++i) {
                e[i] = scale * brn_rng_uniform(&rng, round % 3 == 0 ? 0.1 : -1.0, 1.0);
                plus[i] = fmax(e[i], 0.0);
                size[l] = fmax(size[l], fabs(e[i]));
            }
            definite[l] = e[0] > 0.0 && e[1] > 0.0 && e[2] > 0.0;
            /* the two compositions must use the same rotation */
            brn_lanes f[9], u[9], t[3], v[9];
            for (int i = 0; i < 9; ++i) {
                f[i] = brn_lanes_all(brn_rng_uniform(&rng, -1.0, 1.0));
            }
            brn_svd3(f, u, t, v);
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    m[3 * i + j] = want[l][3 * i + j] = 0.0;
                    for (int k = 0; k < 3; ++k) {
                        const double q = u[3 * i + k][0] * u[3 * j + k][0];
                        m[3 * i + j] += q * e[k];
                        want[l][3 * i + j] += q * plus[k];
                    }
                }
            }
            diag[0][l] = m[0];
            diag[1][l] = m[4];
            diag[2][l] = m[8];
            off[0][l] = m[5];
            off[1][l] = m[2];
            off[2][l] = m[1];
        }
        memcpy(old_diag, diag, sizeof diag);
        memcpy(old_off, off, sizeof off);
        brn_psd3(diag, off);
        static const int place[6] = {0, 4, 8, 5, 2, 1};
        for (int l = 0; l < BRN_LANES; ++l) {
            for (int i = 0; i < 6; ++i) {
                const double got = i < 3 ? diag[i][l] : off[i - 3][l];
                assert_near(got, want[l][place[i]], tolerance * size[l]);
                if (definite[l] && round % 3 == 0) { /* condition number below 10: clearly definite */
                    assert_true(got == (i < 3 ? old_diag[i][l] : old_off[i - 3][l]));
                }
            }
        }
    }
}

/* ---- logarithm, angle ------------------------------------------------------------------------------------------------ */

static void test_log(void **state)
{
    (void)state;
    brn_rng rng = {9};
    double worst = 0.0;
    for (int round = 0; round < 50000; ++round) {
        brn_lanes a;
        for (int l = 0; l < BRN_LANES; ++l) {
            const double wide = exp(brn_rng_uniform(&rng, -708.0, 709.0));
            const double one =
                1.0 + brn_rng_uniform(&rng, -1.0, 1.0) * pow(10.0, brn_rng_uniform(&rng, -16.0, -0.3));
            a[l] = l % 2 == 0 ? wide : one;
        }
        const brn_lanes ln = brn_lanes_log(a);
        for (int l = 0; l < BRN_LANES; ++l) {
            const double want = log(a[l]);
            const double ulp = nextafter(fabs(want), INFINITY) - fabs(want);
            worst = fmax(worst, fabs(ln[l] - want) / ulp);
        }
    }
    /* both sides round: 1 ulp is allowed by the header, half an ulp is log()'s own */
    assert_true(worst <= 1.5);
    double ln[8] = {1.0, DBL_MIN, DBL_MAX, INFINITY, NAN, 2.0, 0.5, 1.0 + DBL_EPSILON};
    for (int i = 0; i < 8; i += BRN_LANES) {
        brn_lanes_store(ln + i, brn_lanes_log(brn_lanes_load(ln + i)));
    }
    assert_true(ln[0] == 0.0 && ln[3] == INFINITY && isnan(ln[4]));
    assert_near(ln[1], log(DBL_MIN), 2e-13);
    assert_near(ln[2], log(DBL_MAX), 2e-13);
    assert_near(ln[7], DBL_EPSILON, 1e-31);
}

static void test_atan2(void **state)
{
    (void)state;
    brn_rng rng = {10};
    double worst = 0.0;
    for (int round = 0; round < 50000; ++round) {
        brn_lanes x;
        brn_lanes y;
        for (int l = 0; l < BRN_LANES; ++l) {
            const double size = exp(brn_rng_uniform(&rng, -300.0, 300.0));
            const double angle =
                brn_rng_uniform(&rng, -3.2, 3.2) * pow(10.0, brn_rng_uniform(&rng, -12.0, 0.0));
            x[l] = size * cos(l % 2 == 0 ? angle : 2.0 * angle);
            y[l] = size * sin(l % 2 == 0 ? angle : 2.0 * angle);
        }
        const brn_lanes angle = brn_lanes_atan2(y, x);
        for (int l = 0; l < BRN_LANES; ++l) {
            const double want = atan2(y[l], x[l]);
            const double ulp = nextafter(fabs(want), INFINITY) - fabs(want);
            worst = fmax(worst, fabs(angle[l] - want) / ulp);
        }
    }
    /* 2 ulp are allowed by the header, half an ulp is atan2()'s own */
    assert_true(worst <= 2.5);
    static const double special[8][2] = {{0.0, 0.0}, {0.0, 1.0},   {0.0, -1.0}, {-0.0, -1.0},
                                         {1.0, 0.0}, {-1.0, -0.0}, {-2.0, 2.0}, {3.0, -3.0}};
    for (int i = 0; i < 8; ++i) {
        const double got = brn_lanes_atan2(brn_lanes_all(special[i][0]), brn_lanes_all(special[i][1]))[0];
        assert_near(got, atan2(special[i][0], special[i][1]), 1e-15);
    }
    assert_true(isnan(brn_lanes_atan2(brn_lanes_all(NAN), brn_lanes_all(1.0))[0]));
    assert_true(isnan(brn_lanes_atan2(brn_lanes_all(1.0), brn_lanes_all(NAN))[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices_of_any_scale),
        cmocka_unit_test(test_known_stretches),
        cmocka_unit_test(test_special_matrices),
        cmocka_unit_test(test_small_stretch_is_accurate),
        cmocka_unit_test(test_lanes_are_independent),
        cmocka_unit_test(test_psd_part),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_atan2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
