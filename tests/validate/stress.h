/* Closed-form nominal stress P(F) of every material, written from the textbook formulas on the 3x3 matrix and not from
   the stretches or invariants that the library uses. P_ij: force along i per rest area with normal j.

       linear         2 mu e + lambda tr(e) 1,  e = sym F - 1
       stvk           F (2 mu E + lambda tr(E) 1)
       corotated      2 mu (F - R) + lambda (J - 1) cof F
       corotated_linear  2 mu (F - R) + lambda tr(R'F - 1) R
       neo_hookean    mu (F - F^-T) + lambda ln J F^-T
       stable_n.-h.   m (1 - 1/(I + 1)) F + (l (J - 1) - 3/4 m) cof F,  m = 4/3 mu, l = lambda + 5/6 mu, I = |F|^2
       mooney_rivlin  2 c10 J^-2/3 (F - I1/3 F^-T) + 2 c01 J^-4/3 (I1 F - F C - 2/3 I2 F^-T) + bulk ln J F^-T */
#ifndef BRN_TESTS_VALIDATE_STRESS_H
#define BRN_TESTS_VALIDATE_STRESS_H

#include "test.h"

typedef struct test_material {
    const char *name;
    const char *constants; /* as a scene has them */
} test_material;

#define TEST_YOUNG   1.0e6
#define TEST_POISSON 0.3
#define TEST_C10     1.5e5
#define TEST_C01     4.0e4
#define TEST_BULK    8.0e5

static const test_material test_materials[] = {
    {"linear", "young: 1.0e6, poisson: 0.3"},
    {"stvk", "young: 1.0e6, poisson: 0.3"},
    {"corotated", "young: 1.0e6, poisson: 0.3"},
    {"corotated_linear", "young: 1.0e6, poisson: 0.3"},
    {"neo_hookean", "young: 1.0e6, poisson: 0.3"},
    {"stable_neo_hookean", "young: 1.0e6, poisson: 0.3"},
    {"mooney_rivlin", "c10: 1.5e5, c01: 4.0e4, bulk: 8.0e5"},
};
enum { TEST_MATERIALS = sizeof test_materials / sizeof *test_materials };

/* Cofactor matrix; returns the determinant. */
static inline double cofactor(const double f[3][3], double c[3][3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
            c[i][j] = f[k][m] * f[l][n] - f[k][n] * f[l][m];
        }
    }
    return f[0][0] * c[0][0] + f[0][1] * c[0][1] + f[0][2] * c[0][2];
}

/* Rotation of the polar decomposition by Newton's iteration R <- (R + R^-T)/2 [Higham 1986]. */
static inline void polar_rotation(const double f[3][3], double r[3][3])
{
    memcpy(r, f, 9 * sizeof(double));
    for (int k = 0; k < 60; ++k) {
        double c[3][3];
        const double det = cofactor((const double(*)[3])r, c);
        for (int i = 0; i < 9; ++i) {
            (&r[0][0])[i] = 0.5 * ((&r[0][0])[i] + (&c[0][0])[i] / det);
        }
    }
}

/* A = F G */
static inline void multiply(const double f[3][3], const double g[3][3], double a[3][3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a[i][j] = f[i][0] * g[0][j] + f[i][1] * g[1][j] + f[i][2] * g[2][j];
        }
    }
}

static inline void mooney_rivlin_stress(const double f[3][3], const double fc[3][3], const double c[3][3],
                                        double p[3][3])
{
    double cof[3][3];
    const double jac = cofactor(f, cof);
    double square = 0.0;
    for (int i = 0; i < 9; ++i) {
        square += (&c[0][0])[i] * (&c[0][0])[i];
    }
    const double i1 = c[0][0] + c[1][1] + c[2][2];
    const double i2 = 0.5 * (i1 * i1 - square);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double inverse = cof[i][j] / jac;
            p[i][j] =
                2.0 * TEST_C10 * pow(jac, -2.0 / 3.0) * (f[i][j] - i1 / 3.0 * inverse) +
                2.0 * TEST_C01 * pow(jac, -4.0 / 3.0) * (i1 * f[i][j] - fc[i][j] - 2.0 / 3.0 * i2 * inverse) +
                TEST_BULK * log(jac) * inverse;
        }
    }
}

static inline void nominal_stress(const char *material, const double f[3][3], double p[3][3])
{
    const double mu = TEST_YOUNG / (2.0 * (1.0 + TEST_POISSON));
    const double lambda = TEST_YOUNG * TEST_POISSON / ((1.0 + TEST_POISSON) * (1.0 - 2.0 * TEST_POISSON));
    double c[3][3], fc[3][3], cof[3][3], r[3][3];
    const double jac = cofactor(f, cof);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c[i][j] = f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j];
        }
    }
    multiply(f, (const double(*)[3])c, fc);
    polar_rotation(f, r);
    if (strcmp(material, "mooney_rivlin") == 0) {
        mooney_rivlin_stress(f, (const double(*)[3])fc, (const double(*)[3])c, p);
        return;
    }
    const double i1 = c[0][0] + c[1][1] + c[2][2];
    const double m = 4.0 / 3.0 * mu, l = lambda + 5.0 / 6.0 * mu;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double inverse = cof[i][j] / jac;
            if (strcmp(material, "linear") == 0) {
                p[i][j] = mu * (f[i][j] + f[j][i] - 2.0 * (i == j)) +
                          lambda * (f[0][0] + f[1][1] + f[2][2] - 3.0) * (i == j);
            } else if (strcmp(material, "stvk") == 0) {
                p[i][j] = mu * (fc[i][j] - f[i][j]) + 0.5 * lambda * (i1 - 3.0) * f[i][j];
            } else if (strcmp(material, "corotated") == 0) {
                p[i][j] = 2.0 * mu * (f[i][j] - r[i][j]) + lambda * (jac - 1.0) * cof[i][j];
            } else if (strcmp(material, "corotated_linear") == 0) {
                double trace = -3.0;
                for (int k = 0; k < 9; ++k) {
                    trace += r[k / 3][k % 3] * f[k / 3][k % 3];
                }
                p[i][j] = 2.0 * mu * (f[i][j] - r[i][j]) + lambda * trace * r[i][j];
            } else if (strcmp(material, "neo_hookean") == 0) {
                p[i][j] = mu * (f[i][j] - inverse) + lambda * log(jac) * inverse;
            } else {
                assert_string_equal(material, "stable_neo_hookean");
                p[i][j] = m * (1.0 - 1.0 / (i1 + 1.0)) * f[i][j] + (l * (jac - 1.0) - 0.75 * m) * cof[i][j];
            }
        }
    }
}

/* Cauchy stress (xx, yy, zz, yz, xz, xy); the small-strain stress of the linear material. */
static inline void true_stress(const char *material, const double f[3][3], double cauchy[6])
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    double p[3][3], cof[3][3];
    nominal_stress(material, f, p);
    const double jac = cofactor(f, cof);
    for (int n = 0; n < 6; ++n) {
        const int i = at[n][0], j = at[n][1];
        cauchy[n] = strcmp(material, "linear") == 0
                        ? p[i][j]
                        : (p[i][0] * f[j][0] + p[i][1] * f[j][1] + p[i][2] * f[j][2]) / jac;
    }
}

#endif
