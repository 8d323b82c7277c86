/* With u_n = 0 the normal impulse follows from r_t, and what is left are the tangents, u_t = A r_t + b with
   A = W_tt - W_tn W_nt / W_nn and b = q_t - W_tn q_n / W_nn. A slip u_t = -l r_t with l >= 0 gives

       r_t(l) = -(A + l)^-1 b,   r_n(l) = -(q_n + W_nt r_t) / W_nn,   h(l) = (mu r_n - |r_t|) / |r_t|.

   The contact sticks if h(0) >= 0; else it slides at the root of h, which is nearly a line because 1 / |r_t| is (as in the
   secular equation of trust regions [More & Sorensen 1983]): Newton's method within a bracket. With a positive definite W h(0) < 0
   and h(inf) > 0, so that there always is a root. Where A is singular, sticking is the limit l -> 0+. */
#include "cone/cone_local.h"

#include <float.h>
#include <math.h>

enum { ITERATIONS_MAX = 100 };

/* Rounding of A, from what it is the difference of; a tangent that cannot move at all still needs a number above 0. */
static double least_of(double size, double nn)
{
    return 4.0 * DBL_EPSILON * size + 1e-30 * nn;
}

/* What is rounding alone would turn the friction of a tangent that cannot move. */
static void clean(brn_cone_block *b)
{
    for (int i = 0; i < 2; ++i) {
        b->a[i] = fabs(b->a[i]) <= b->least ? 0.0 : b->a[i];
    }
    b->skew = fabs(b->skew) <= b->least ? 0.0 : b->skew;
}

brn_cone_block brn_cone_block_make(int dim, const double *w)
{
    brn_cone_block b = {.dim = dim, .turn = {1.0, 0.0}, .nn = w[0]};
    if (dim == 2) {
        b.nt[0] = w[1];
        b.tn[0] = w[2];
        b.a[0] = b.a[1] = w[3] - w[2] * w[1] / w[0];
        b.least = least_of(fabs(w[3]) + fabs(w[2] * w[1] / w[0]), w[0]);
        clean(&b);
        return b;
    }
    double a[2][2];
    double size = 0.0;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            const double part = w[3 * (i + 1)] * w[j + 1] / w[0];
            a[i][j] = w[3 * (i + 1) + j + 1] - part;
            size = fmax(size, fabs(w[3 * (i + 1) + j + 1]) + fabs(part));
        }
    }
    const double shear = 0.5 * (a[0][1] + a[1][0]);
    const double mean = 0.5 * (a[0][0] + a[1][1]);
    const double half = 0.5 * (a[0][0] - a[1][1]);
    const double radius = hypot(half, shear);
    const double angle = 0.5 * atan2(shear, half);
    const double c = cos(angle);
    const double s = sin(angle);
    b.turn[0] = c;
    b.turn[1] = s;
    b.nt[0] = c * w[1] + s * w[2];
    b.nt[1] = c * w[2] - s * w[1];
    b.tn[0] = c * w[3] + s * w[6];
    b.tn[1] = c * w[6] - s * w[3];
    b.a[0] = mean + radius;
    b.a[1] = mean - radius;
    b.skew = 0.5 * (a[0][1] - a[1][0]);
    b.least = least_of(size, w[0]);
    clean(&b);
    return b;
}

brn_cone_slide brn_cone_slide_at(const brn_cone_block *b, double l, double qn, const double rest[2],
                                 double mu)
{
    const double mu_part = fmin(mu, 1.0);
    const double length_part = mu > 1.0 ? 1.0 / mu : 1.0;
    const double d[2] = {b->a[0] + l, b->a[1] + l};
    const double det = d[0] * d[1] + b->skew * b->skew;
    brn_cone_slide s = {
        .t = {-(d[1] * rest[0] - b->skew * rest[1]) / det, -(b->skew * rest[0] + d[0] * rest[1]) / det}};
    s.n = -(qn + b->nt[0] * s.t[0] + b->nt[1] * s.t[1]) / b->nn;
    s.length = hypot(s.t[0], s.t[1]);
    /* d r_t / dl = -(A + l)^-1 r_t */
    const double dt[2] = {-(d[1] * s.t[0] - b->skew * s.t[1]) / det,
                          -(b->skew * s.t[0] + d[0] * s.t[1]) / det};
    const double dn = -(b->nt[0] * dt[0] + b->nt[1] * dt[1]) / b->nn;
    const double dlength = (s.t[0] * dt[0] + s.t[1] * dt[1]) / s.length;
    s.h = mu_part * s.n / s.length - length_part;
    s.slope = mu_part * (dn - s.n * dlength / s.length) / s.length;
    return s;
}

/* The root of h between lo, where it is below 0, and hi. */
static brn_cone_slide find_slide(const brn_cone_block *b, double lo, double hi, double qn,
                                 const double rest[2], double mu)
{
    brn_cone_slide s = brn_cone_slide_at(b, lo, qn, rest, mu);
    double l = lo;
    for (int k = 0; k < ITERATIONS_MAX && hi - lo > 2.0 * DBL_EPSILON * hi; ++k) {
        const double next = l - s.h / s.slope;
        const bool inside = next > lo && next < hi;
        if (inside && fabs(next - l) <= DBL_EPSILON * l) {
            break;
        }
        /* where Newton's step leaves the bracket: its middle, of magnitudes while they differ */
        const double middle =
            hi > 16.0 * lo ? (lo > 0.0 ? sqrt(lo) * sqrt(hi) : 0.0625 * hi) : 0.5 * (lo + hi);
        l = inside ? next : middle;
        s = brn_cone_slide_at(b, l, qn, rest, mu);
        if (s.h == 0.0) {
            break;
        }
        if (s.h < 0.0) {
            lo = l;
        } else {
            hi = l;
        }
    }
    return s;
}

/* Tangents from those of the block to those of the frame. */
static void put(const brn_cone_block *b, double n, const double t[2], double *r)
{
    r[0] = n;
    if (b->dim == 2) {
        r[1] = t[0];
        return;
    }
    r[1] = b->turn[0] * t[0] - b->turn[1] * t[1];
    r[2] = b->turn[1] * t[0] + b->turn[0] * t[1];
}

bool brn_cone_block_solve(const brn_cone_block *b, const double *q, double mu, double *r)
{
    static const double none[2] = {0.0, 0.0};
    const double qn = q[0];
    const double plain = -qn / b->nn;
    const double third = b->dim == 3 ? q[2] : 0.0;
    if (!(qn < 0.0) || !(mu > 0.0)) {
        put(b, qn < 0.0 ? plain : 0.0, none, r);
        return true;
    }
    const double rest[2] = {b->turn[0] * q[1] + b->turn[1] * third + b->tn[0] * plain,
                            b->turn[0] * third - b->turn[1] * q[1] + b->tn[1] * plain};
    const double size = hypot(rest[0], rest[1]);
    if (!(size > 0.0)) {
        put(b, plain, none, r);
        return true;
    }
    brn_cone_slide s = brn_cone_slide_at(b, b->least, qn, rest, mu);
    if (s.h >= 0.0) {
        put(b, s.n, s.t, r);
        /* a tangent that cannot move and yet has to: friction would jam at any impulse */
        if (!(b->least * s.length <= 0.5 * size)) {
            put(b, plain, none, r);
            return false;
        }
        return true;
    }
    /* |r_t| <= |b| / l beyond the smallest eigenvalue, which makes h > 0 from here on */
    const double reach = hypot(b->nt[0], b->nt[1]);
    const double hi = (isinf(mu) ? reach : (b->nn / mu + reach)) * size / -qn + fmax(0.0, -b->a[1]);
    s = find_slide(b, b->least, fmax(2.0 * hi, 2.0 * b->least), qn, rest, mu);
    if (isinf(mu)) {
        put(b, 0.0, s.t, r);
        return true;
    }
    /* exactly on the cone, by the smaller change */
    const double shrink = mu > 1.0 ? 1.0 : mu * s.n / s.length;
    const double t[2] = {shrink * s.t[0], shrink * s.t[1]};
    put(b, mu > 1.0 ? s.length / mu : s.n, t, r);
    return s.n >= 0.0;
}
