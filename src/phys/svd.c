/* Singular values by one-sided Jacobi rotations [Hestenes 1958; Demmel & Veselic 1992]: columns of B = F V are turned
   pairwise until they are orthogonal; their lengths are the stretches, their directions are U. Unlike the eigenvalues
   of F^T F this is accurate for small stretches too. Rotations are found from the Gram matrix B^T B, which is
   updated within a sweep and recomputed at the start of each, so that its rounding errors do not build up.

   Lanes that have converged are turned by exactly zero, so a lane's result does not depend on the others. */
#include "phys/svd.h"

/* Relative size of b_i . b_j that counts as orthogonal: above the rounding error of the product (about 4e-16), so
   that the test is met, and small enough for a residual of a few 1e-15. */
static const double orthogonal = 2e-15;

enum { SWEEPS_MAX = 16 }; /* about 4 are used; badly scaled matrices need more */

typedef struct rotation {
    brn_lanes c, s, t; /* cosine, sine, tangent */
} rotation;

/* Entries below this (of matrices of size one) are left alone, so that squares do not underflow. */
static const double negligible = 1e-140;

/* The rotation that makes the off-diagonal entry of [[app, apq], [apq, aqq]] vanish, the smaller angle of the two:
   tan = 2 apq / (d +- sqrt(d^2 + 4 apq^2)) with d = aqq - app and the sign of d, so that nothing cancels.
   Exactly the identity where the mask is not set. */
BRN_LANES_INLINE rotation jacobi_angle(brn_lanes app, brn_lanes aqq, brn_lanes apq, brn_mask active)
{
    const brn_lanes difference = aqq - app;
    const brn_lanes twice = 2.0 * apq;
    const brn_mask turns = active & (brn_mask)(brn_lanes_abs(apq) > negligible);
    const brn_lanes root = brn_lanes_sqrt(difference * difference + twice * twice);
    const brn_lanes adjacent = brn_lanes_select(turns, brn_lanes_abs(difference) + root, brn_lanes_all(1.0));
    const brn_lanes signed_twice = brn_lanes_select((brn_mask)(difference < 0.0), -twice, twice);
    const brn_lanes opposite = (brn_lanes)((brn_mask)signed_twice & turns);
    const brn_lanes inverse = 1.0 / brn_lanes_sqrt(adjacent * adjacent + opposite * opposite);
    return (rotation){adjacent * inverse, opposite * inverse, opposite / adjacent};
}

/* Columns p and q of a row-major n-column matrix: p <- c p - s q, q <- s p + c q. */
BRN_LANES_INLINE void turn(brn_lanes *m, const int n, const int p, const int q, rotation by)
{
    for (int i = 0; i < n; ++i) {
        const brn_lanes a = m[n * i + p], b = m[n * i + q];
        m[n * i + p] = by.c * a - by.s * b;
        m[n * i + q] = by.s * a + by.c * b;
    }
}

/* The same on both sides of a symmetric 3x3 matrix; r is the third index. off[k] is the entry that lacks k. */
BRN_LANES_INLINE void turn_symmetric(brn_lanes diag[3], brn_lanes off[3], const int p, const int q,
                                     rotation by)
{
    const int r = 3 - p - q;
    const brn_lanes shift = by.t * off[r];
    diag[p] -= shift;
    diag[q] += shift;
    off[r] = brn_lanes_all(0.0);
    const brn_lanes arp = off[q], arq = off[p];
    off[q] = by.c * arp - by.s * arq;
    off[p] = by.s * arp + by.c * arq;
}

BRN_LANES_INLINE void identity(brn_lanes *m, const int n)
{
    for (int i = 0; i < n * n; ++i) {
        m[i] = brn_lanes_all(i % (n + 1) == 0 ? 1.0 : 0.0);
    }
}

/* Multiplies by a power of two so that the largest entry is in [1, 4) (a zero matrix stays zero); returns the factor
   that undoes it. */
BRN_LANES_INLINE brn_lanes normalise(const brn_lanes *f, brn_lanes *b, const int count)
{
    brn_lanes largest = brn_lanes_all(DBL_MIN);
    for (int i = 0; i < count; ++i) {
        largest = brn_lanes_max(brn_lanes_abs(f[i]), largest);
    }
    largest = brn_lanes_min(largest, brn_lanes_all(0x1p1022));
    const brn_mask exponent = (brn_mask)largest & 0x7ff0000000000000;
    const brn_lanes factor = (brn_lanes)(0x7fe0000000000000 - exponent);
    for (int i = 0; i < count; ++i) {
        b[i] = f[i] * factor;
    }
    return (brn_lanes)exponent;
}

BRN_LANES_INLINE brn_lanes column_dot(const brn_lanes *b, const int n, const int p, const int q)
{
    brn_lanes sum = b[p] * b[q];
    for (int i = 1; i < n; ++i) {
        sum += b[n * i + p] * b[n * i + q];
    }
    return sum;
}

/* Not yet orthogonal; false for underflown columns and NaN. */
BRN_LANES_INLINE brn_mask oblique(brn_lanes pp, brn_lanes qq, brn_lanes pq)
{
    return (brn_mask)(pq * pq > orthogonal * orthogonal * pp * qq) &
           (brn_mask)(brn_lanes_abs(pq) > negligible);
}

/* Exchanges columns p and q of B and V where q is longer; one of them changes sign so that det V stays +1. */
BRN_LANES_INLINE void sort_pair(brn_lanes *b, brn_lanes *v, brn_lanes *length, const int p, const int q)
{
    const brn_mask swap = (brn_mask)(length[q] > length[p]);
    const brn_lanes shorter = brn_lanes_select(swap, length[p], length[q]);
    length[p] = brn_lanes_select(swap, length[q], length[p]);
    length[q] = shorter;
    for (int i = 0; i < 3; ++i) {
        const brn_lanes bp = b[3 * i + p], vp = v[3 * i + p];
        b[3 * i + p] = brn_lanes_select(swap, b[3 * i + q], bp);
        v[3 * i + p] = brn_lanes_select(swap, v[3 * i + q], vp);
        b[3 * i + q] = brn_lanes_select(swap, -bp, b[3 * i + q]);
        v[3 * i + q] = brn_lanes_select(swap, -vp, v[3 * i + q]);
    }
}

/* A unit vector normal to the unit vector a: its product with the axis that it is least along. */
BRN_LANES_INLINE void any_normal(const brn_lanes a[3], brn_lanes out[3])
{
    const brn_lanes x = brn_lanes_abs(a[0]), y = brn_lanes_abs(a[1]), z = brn_lanes_abs(a[2]);
    const brn_mask use_x = (brn_mask)(x <= y) & (brn_mask)(x <= z);
    const brn_mask use_y = (brn_mask)(y <= z) & ~use_x;
    const brn_lanes zero = brn_lanes_all(0.0);
    const brn_lanes n[3] = {
        brn_lanes_select(use_x, zero, brn_lanes_select(use_y, -a[2], a[1])),
        brn_lanes_select(use_x, a[2], brn_lanes_select(use_y, zero, -a[0])),
        brn_lanes_select(use_x, -a[1], brn_lanes_select(use_y, a[0], zero)),
    };
    const brn_lanes scale = 1.0 / brn_lanes_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; ++i) {
        out[i] = n[i] * scale;
    }
}

/* U and s of sorted, orthogonal columns. The first two directions are made orthonormal, the third is their product,
   which fixes det U = 1 and gives s3 its sign. Columns shorter than 1e-140 of the first count as zero. */
BRN_LANES_INLINE void directions(const brn_lanes b[9], brn_lanes u[9], brn_lanes s[3])
{
    const brn_lanes axis[3] = {brn_lanes_all(1.0), brn_lanes_all(0.0), brn_lanes_all(0.0)};
    brn_lanes first[3], second[3], normal[3];
    /* u1 */
    const brn_lanes square1 = column_dot(b, 3, 0, 0);
    const brn_mask some1 = (brn_mask)(square1 > 0.0);
    const brn_lanes length1 = brn_lanes_sqrt(square1);
    const brn_lanes inverse1 = 1.0 / brn_lanes_select(some1, length1, brn_lanes_all(1.0));
    for (int i = 0; i < 3; ++i) {
        first[i] = brn_lanes_select(some1, b[3 * i] * inverse1, axis[i]);
    }
    /* u2: what is left of b2 without its part along u1 */
    const brn_lanes along = first[0] * b[1] + first[1] * b[4] + first[2] * b[7];
    for (int i = 0; i < 3; ++i) {
        second[i] = b[3 * i + 1] - along * first[i];
    }
    const brn_lanes square2 = second[0] * second[0] + second[1] * second[1] + second[2] * second[2];
    const brn_mask some2 = (brn_mask)(square2 > 1e-280);
    const brn_lanes length2 = brn_lanes_sqrt(square2);
    const brn_lanes inverse2 = 1.0 / brn_lanes_select(some2, length2, brn_lanes_all(1.0));
    any_normal(first, normal);
    for (int i = 0; i < 3; ++i) {
        second[i] = brn_lanes_select(some2, second[i] * inverse2, normal[i]);
        u[3 * i] = first[i];
        u[3 * i + 1] = second[i];
    }
    /* u3 = u1 x u2 */
    u[2] = first[1] * second[2] - first[2] * second[1];
    u[5] = first[2] * second[0] - first[0] * second[2];
    u[8] = first[0] * second[1] - first[1] * second[0];
    s[0] = length1;
    s[1] = brn_lanes_select(some2, length2, brn_lanes_all(0.0));
    s[2] = u[2] * b[2] + u[5] * b[5] + u[8] * b[8];
}

void brn_svd3(const brn_lanes f[9], brn_lanes u[9], brn_lanes s[3], brn_lanes v[9])
{
    brn_lanes b[9], q[9], length[3], off[3];
    const brn_lanes scale = normalise(f, b, 9);
    identity(q, 3);
    for (int sweep = 0; sweep < SWEEPS_MAX; ++sweep) {
        for (int k = 0; k < 3; ++k) {
            length[k] = column_dot(b, 3, k, k);
            off[k] = column_dot(b, 3, (k + 1) % 3, (k + 2) % 3);
        }
        const brn_mask active = oblique(length[0], length[1], off[2]) |
                                oblique(length[0], length[2], off[1]) | oblique(length[1], length[2], off[0]);
        if (!brn_lanes_any(active)) {
            break;
        }
        for (int r = 2; r >= 0; --r) {
            const int p = r == 0 ? 1 : 0, k = 3 - p - r;
            const rotation by = jacobi_angle(length[p], length[k], off[r], active);
            turn_symmetric(length, off, p, k, by);
            turn(b, 3, p, k, by);
            turn(q, 3, p, k, by);
        }
    }
    sort_pair(b, q, length, 0, 1);
    sort_pair(b, q, length, 0, 2);
    sort_pair(b, q, length, 1, 2);
    directions(b, u, s);
    for (int i = 0; i < 3; ++i) {
        s[i] *= scale;
    }
    memcpy(v, q, sizeof q);
}

void brn_svd2(const brn_lanes f[4], brn_lanes u[4], brn_lanes s[2], brn_lanes v[4])
{
    brn_lanes b[4], q[4];
    const brn_lanes scale = normalise(f, b, 4);
    identity(q, 2);
    /* One rotation suffices in exact arithmetic; the next ones remove its rounding error. */
    for (int sweep = 0; sweep < SWEEPS_MAX; ++sweep) {
        const brn_lanes pp = column_dot(b, 2, 0, 0), qq = column_dot(b, 2, 1, 1), pq = column_dot(b, 2, 0, 1);
        const brn_mask active = oblique(pp, qq, pq);
        if (!brn_lanes_any(active)) {
            break;
        }
        const rotation by = jacobi_angle(pp, qq, pq, active);
        turn(b, 2, 0, 1, by);
        turn(q, 2, 0, 1, by);
    }
    const brn_mask swap = (brn_mask)(column_dot(b, 2, 1, 1) > column_dot(b, 2, 0, 0));
    for (int i = 0; i < 2; ++i) {
        const brn_lanes bp = b[2 * i], vp = q[2 * i];
        b[2 * i] = brn_lanes_select(swap, b[2 * i + 1], bp);
        v[2 * i] = brn_lanes_select(swap, q[2 * i + 1], vp);
        b[2 * i + 1] = brn_lanes_select(swap, -bp, b[2 * i + 1]);
        v[2 * i + 1] = brn_lanes_select(swap, -vp, q[2 * i + 1]);
    }
    /* u1 along the longer column, u2 a right angle on: its sign goes to s2 */
    const brn_lanes length = brn_lanes_sqrt(column_dot(b, 2, 0, 0));
    const brn_mask some = (brn_mask)(length > 0.0);
    const brn_lanes inverse = 1.0 / brn_lanes_select(some, length, brn_lanes_all(1.0));
    u[0] = brn_lanes_select(some, b[0] * inverse, brn_lanes_all(1.0));
    u[2] = b[2] * inverse;
    u[1] = -u[2];
    u[3] = u[0];
    s[0] = length * scale;
    s[1] = (u[1] * b[1] + u[3] * b[3]) * scale;
}

/* Positive definite by Sylvester's criterion; a matrix on the edge counts as not. */
BRN_LANES_INLINE brn_mask definite(const brn_lanes diag[3], const brn_lanes off[3])
{
    const brn_lanes minor = diag[0] * diag[1] - off[2] * off[2];
    const brn_lanes determinant = diag[2] * minor - diag[0] * off[0] * off[0] - diag[1] * off[1] * off[1] +
                                  2.0 * off[0] * off[1] * off[2];
    return (brn_mask)(diag[0] > 0.0) & (brn_mask)(minor > 0.0) & (brn_mask)(determinant > 0.0);
}

void brn_psd3(brn_lanes diag[3], brn_lanes off[3])
{
    const brn_lanes given[6] = {diag[0], diag[1], diag[2], off[0], off[1], off[2]};
    brn_lanes m[6], q[9];
    brn_lanes *const d = m, *const o = m + 3;
    const brn_lanes scale = normalise(given, m, 6);
    const brn_mask done = definite(d, o);
    if (!brn_lanes_any(~done)) {
        return;
    }
    identity(q, 3);
    for (int sweep = 0; sweep < SWEEPS_MAX; ++sweep) {
        const brn_lanes size = brn_lanes_abs(d[0]) + brn_lanes_abs(d[1]) + brn_lanes_abs(d[2]);
        const brn_lanes rest = brn_lanes_abs(o[0]) + brn_lanes_abs(o[1]) + brn_lanes_abs(o[2]);
        const brn_mask active = (brn_mask)(rest > 1e-16 * size) & ~done;
        if (!brn_lanes_any(active)) {
            break;
        }
        for (int r = 2; r >= 0; --r) {
            const int p = r == 0 ? 1 : 0, k = 3 - p - r;
            const rotation by = jacobi_angle(d[p], d[k], o[r], active);
            turn_symmetric(d, o, p, k, by);
            turn(q, 3, p, k, by);
        }
    }
    for (int k = 0; k < 3; ++k) {
        d[k] = brn_lanes_max(d[k], brn_lanes_all(0.0)) * scale;
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const brn_lanes new_diag = q[3 * k] * q[3 * k] * d[0] + q[3 * k + 1] * q[3 * k + 1] * d[1] +
                                   q[3 * k + 2] * q[3 * k + 2] * d[2];
        const brn_lanes new_off = q[3 * i] * q[3 * j] * d[0] + q[3 * i + 1] * q[3 * j + 1] * d[1] +
                                  q[3 * i + 2] * q[3 * j + 2] * d[2];
        diag[k] = brn_lanes_select(done, diag[k], new_diag);
        off[k] = brn_lanes_select(done, off[k], new_off);
    }
}
