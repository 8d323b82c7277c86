/* Small dense kernels. Matrices are row-major; outputs must not overlap inputs unless a line says so. */
#ifndef BRN_LINALG_DENSE_H
#define BRN_LINALG_DENSE_H

#include "base/ctx.h"

#include <math.h>

static inline double brn_dense_det2(const double a[4])
{
    return a[0] * a[3] - a[1] * a[2];
}

static inline double brn_dense_det3(const double a[9])
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/* Inverse by cofactors; returns the determinant. With determinant 0 the inverse is not finite. */
static inline double brn_dense_inverse2(const double a[4], double inverse[4])
{
    const double det = brn_dense_det2(a);
    const double s = 1.0 / det;
    inverse[0] = s * a[3];
    inverse[1] = -s * a[1];
    inverse[2] = -s * a[2];
    inverse[3] = s * a[0];
    return det;
}

static inline double brn_dense_inverse3(const double a[9], double inverse[9])
{
    const double c0 = a[4] * a[8] - a[5] * a[7];
    const double c1 = a[5] * a[6] - a[3] * a[8];
    const double c2 = a[3] * a[7] - a[4] * a[6];
    const double det = a[0] * c0 + a[1] * c1 + a[2] * c2;
    const double s = 1.0 / det;
    inverse[0] = s * c0;
    inverse[1] = s * (a[2] * a[7] - a[1] * a[8]);
    inverse[2] = s * (a[1] * a[5] - a[2] * a[4]);
    inverse[3] = s * c1;
    inverse[4] = s * (a[0] * a[8] - a[2] * a[6]);
    inverse[5] = s * (a[2] * a[3] - a[0] * a[5]);
    inverse[6] = s * c2;
    inverse[7] = s * (a[1] * a[6] - a[0] * a[7]);
    inverse[8] = s * (a[0] * a[4] - a[1] * a[3]);
    return det;
}

/* c = A B */
static inline void brn_dense_multiply2(const double a[4], const double b[4], double c[4])
{
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            c[2 * i + j] = a[2 * i] * b[j] + a[2 * i + 1] * b[2 + j];
        }
    }
}

static inline void brn_dense_multiply3(const double a[9], const double b[9], double c[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

/* c = A' B */
static inline void brn_dense_multiply3_tn(const double a[9], const double b[9], double c[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
}

/* c = A B' */
static inline void brn_dense_multiply3_nt(const double a[9], const double b[9], double c[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
        }
    }
}

/* y = A x */
static inline void brn_dense_apply3(const double a[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
    }
}

/* y = A' x */
static inline void brn_dense_apply3_t(const double a[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
    }
}

static inline double brn_dense_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void brn_dense_cross3(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Length of a vector of any size: no square overflows or is lost. */
double brn_dense_length3(const double v[3]);
/* Unit vectors across the unit vector n: u x v = n. */
void brn_dense_across3(const double n[3], double u[3], double v[3]);

/* Right-handed rotation by angle [rad] about an axis of any length > 0 (Rodrigues). False, and r the identity, if the
   axis is zero or a number is not finite. */
bool brn_dense_rotation(const double axis[3], double angle, double r[9]);

/* Eigenvalues w (ascending) and orthonormal eigenvectors (column k of v belongs to w[k]) of the symmetric a [n][n] by
   cyclic Jacobi rotations; meant for n up to about 60. Only the upper triangle of a is read; a is destroyed.
   BRN_ERR_NOT_FINITE for input that is not finite (w, v are then unset). Small eigenvalues carry an absolute error
   of the order of rounding times the largest. */
brn_status brn_dense_eigen_sym(int n, double *a, double *w, double *v);

/* b = a^-1 b for a symmetric positive definite a [n][n], of which the lower triangle is read and destroyed (Cholesky).
   BRN_ERR_SINGULAR if it is not positive definite. */
brn_status brn_dense_solve_spd(int n, double *a, double *b);

#endif
