/* Adaptive predicates [Shewchuk 1997, Adaptive precision floating-point arithmetic and fast robust geometric predicates]:
   a rounded determinant with a bound on its error first; where the bound does not settle the sign, the determinant as
   an expansion, an exact sum of doubles that do not overlap in their bits, smallest first. Zero components are dropped,
   so that differences without rounding error (near points, lattices) automatically give short expansions.

   This file must be compiled without contraction of a * b + c (the build sets it): x = a * b and the rounding error of
   x + c are separate steps here. Products are fused explicitly. */
#include "geom/predicates.h"

#include <math.h>
#include <stdbool.h>

#if defined(__clang__)
# pragma STDC FP_CONTRACT OFF
#endif

/* Components: a difference has 2, a product of two differences 8, a 2x2 minor 16, that times a difference 64. */
enum { DIFFERENCE = 2, PRODUCT = 8, MINOR = 16, TRIPLE = 64, DETERMINANT = 192 };

typedef struct difference {
    double part[DIFFERENCE];
    int n;
} difference;

/* high + low = a + b exactly, high = fl(a + b) [Knuth 1969]. */
static inline double two_sum(double a, double b, double *low)
{
    const double high = a + b, b_part = high - a, a_part = high - b_part;
    *low = (a - a_part) + (b - b_part);
    return high;
}

/* The same for |a| >= |b| or a = 0 [Dekker 1971]. */
static inline double fast_two_sum(double a, double b, double *low)
{
    const double high = a + b;
    *low = b - (high - a);
    return high;
}

static inline double two_product(double a, double b, double *low)
{
    const double high = a * b;
    *low = fma(a, b, -high);
    return high;
}

static inline int append(double *h, int n, double value)
{
    h[n] = value;
    return n + (value != 0.0);
}

/* h = e + f, of up to m + n components [Shewchuk's linear expansion sum]: needs non-overlapping input, no more. */
static int expansion_sum(const double *e, int m, const double *f, int n, double *h)
{
    if (m == 0 || n == 0) {
        const double *from = m == 0 ? f : e;
        for (int i = 0; i < m + n; ++i) {
            h[i] = from[i];
        }
        return m + n;
    }
    int i = 0, j = 0, count = 0;
    double high = 0.0, low = 0.0;
    for (int k = 0; k < m + n; ++k) {
        /* The next component in ascending magnitude. */
        const bool from_e = j == n || (i < m && fabs(e[i]) < fabs(f[j]));
        const double next = from_e ? e[i++] : f[j++];
        double rest = 0.0;
        const double carry = fast_two_sum(next, low, &rest);
        count = append(h, count, rest);
        high = two_sum(high, carry, &low);
    }
    count = append(h, count, low);
    return append(h, count, high);
}

/* h = b e, of up to 2 m components. */
static int expansion_scale(const double *e, int m, double b, double *h)
{
    if (m == 0 || b == 0.0) {
        return 0;
    }
    double low = 0.0;
    double sum = two_product(e[0], b, &low);
    int count = append(h, 0, low);
    for (int i = 1; i < m; ++i) {
        double product_low = 0.0;
        const double product = two_product(e[i], b, &product_low);
        sum = two_sum(sum, product_low, &low);
        count = append(h, count, low);
        sum = fast_two_sum(product, sum, &low);
        count = append(h, count, low);
    }
    return append(h, count, sum);
}

/* h = e d, of up to 4 m components, m <= MINOR. */
static int expansion_times(const double *e, int m, const difference *d, double *h)
{
    double part[DIFFERENCE][2 * MINOR];
    int n[DIFFERENCE] = {0, 0};
    for (int i = 0; i < d->n; ++i) {
        n[i] = expansion_scale(e, m, d->part[i], part[i]);
    }
    return expansion_sum(part[0], n[0], part[1], n[1], h);
}

/* Tiny numbers go to multiples of 2^-356, so that products of three have all their bits above 2^-1074. */
static double settle(double x)
{
    return fabs(x) < 0x1p-305 ? (x + 0x3p-305) - 0x3p-305 : x;
}

static difference subtract(double a, double b)
{
    difference d = {.n = 0};
    double low = 0.0;
    const double high = two_sum(settle(a), -settle(b), &low);
    d.n = append(d.part, d.n, low);
    d.n = append(d.part, d.n, high);
    return d;
}

/* h = a b - c d. */
static int minor(const difference *a, const difference *b, const difference *c, const difference *d,
                 double *h)
{
    double left[PRODUCT], right[PRODUCT];
    const int n = expansion_times(a->part, a->n, b, left), m = expansion_times(c->part, c->n, d, right);
    for (int i = 0; i < m; ++i) {
        right[i] = -right[i];
    }
    return expansion_sum(left, n, right, m, h);
}

/* The largest component decides. */
static int sign_of(const double *e, int n)
{
    return n == 0 ? 0 : e[n - 1] > 0.0 ? 1 : -1;
}

static int orient2d_exact(const double a[2], const double b[2], const double c[2])
{
    const difference ux = subtract(b[0], a[0]), uy = subtract(b[1], a[1]);
    const difference vx = subtract(c[0], a[0]), vy = subtract(c[1], a[1]);
    double det[MINOR];
    return sign_of(det, minor(&ux, &vy, &uy, &vx, det));
}

static int orient3d_exact(const double a[3], const double b[3], const double c[3], const double d[3])
{
    difference u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = subtract(b[k], a[k]);
        v[k] = subtract(c[k], a[k]);
        w[k] = subtract(d[k], a[k]);
    }
    double term[3][TRIPLE], two[2 * TRIPLE], det[DETERMINANT];
    int n[3];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        double cross[MINOR];
        const int m = minor(&v[i], &w[j], &v[j], &w[i], cross);
        n[k] = expansion_times(cross, m, &u[k], term[k]);
    }
    const int m = expansion_sum(term[0], n[0], term[1], n[1], two);
    return sign_of(det, expansion_sum(two, m, term[2], n[2], det));
}

/* The rounded determinant is off by less than factor * size, as long as nothing underflows: products of numbers up to
   2^331 with an underflow in them are off by no more than 2^-740, and size > 2^-640 puts the bound above 2^-700. */
static bool settled(double det, double size, double factor)
{
    return size > 0x1p-640 && fabs(det) > factor * size;
}

int brn_orient2d(const double a[2], const double b[2], const double c[2])
{
    const double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]);
    const double det = left - right;
    /* Shewchuk's bound is (3 + 16 e) e, e = 2^-53. */
    if (settled(det, fabs(left) + fabs(right), 0x4p-53)) {
        return det > 0.0 ? 1 : -1;
    }
    return orient2d_exact(a, b, c);
}

int brn_orient3d_filter(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    const double vw[3] = {v[1] * w[2], v[2] * w[0], v[0] * w[1]},
                 wv[3] = {v[2] * w[1], v[0] * w[2], v[1] * w[0]};
    const double det = u[0] * (vw[0] - wv[0]) + u[1] * (vw[1] - wv[1]) + u[2] * (vw[2] - wv[2]);
    const double size = fabs(u[0]) * (fabs(vw[0]) + fabs(wv[0])) + fabs(u[1]) * (fabs(vw[1]) + fabs(wv[1])) +
                        fabs(u[2]) * (fabs(vw[2]) + fabs(wv[2]));
    /* Shewchuk's bound is (7 + 56 e) e. */
    return settled(det, size, 0x8p-53) ? (det > 0.0 ? 1 : -1) : 0;
}

int brn_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const int sign = brn_orient3d_filter(a, b, c, d);
    return sign != 0 ? sign : orient3d_exact(a, b, c, d);
}
