#include "geom/volume_bound.h"

#include <math.h>
#include <stdbool.h>

/* V(t) = r . (e x f) of three edges r, e, f that move linearly. Over [0, t_max], with the edges a at its start and c
   at its end, the Bernstein coefficients are its polar form [Farin 2002, ch. 4], linear in each edge:
     N_0 = e_a x f_a,  2 N_1 = e_a x f_c + e_c x f_a,  N_2 = e_c x f_c      (normal, quadratic)
     V_0 = r_a.N_0,  3 V_1 = r_a.2N_1 + r_c.N_0,  3 V_2 = r_a.N_2 + r_c.2N_1,  V_3 = r_c.N_2.
   In 2D one of the edges is the unit vector of z.

   Rounding, to first order in u = 2^-53. Let P_i be V_i, and Q_i be N_i, with each edge replaced by the sum of its
   absolute components and each product by that of these sums, so that P_i bounds the sum of the absolute terms of V_i
   and Q_i that of all components of N_i. Edges have an error of u (t_max = 1) or 5 u of that sum; a normal adds 4 u, a
   dot product and the sums 6 u: V_i is within 25 u P_i. Lowering it and taking off a constant K costs 2 u (P_i + K),
   and the coefficients over a part of the interval, three linear interpolations with factors in [0, 1], 9 u times the
   same interpolation of P_i + K. So coefficients lowered by 64 u (P_i + K) are below the exact ones over every part of
   the interval. The same holds for normals: 14 u and two interpolations, 48 u Q_i is taken. */

#define INLINE inline __attribute__((always_inline))
static const double ROUNDING = 0x1p-53;
/* Above all that underflow takes away while the largest edge is 2^-120 or more. */
static const double UNDERFLOW_VOLUME = 0x1p-1000, UNDERFLOW_NORMAL = 0x1p-500;

enum { UNIT_Z = -1, ITERATIONS = 100 };

typedef struct edges {
    double a[3][3], c[3][3];       /* at the start and the end of [0, t_max] */
    double start[3], end[3], most; /* their sums of absolute components or more; of all, NaN if one is */
} edges;

/* A lower bound of the wanted polynomial over [0, t_max]; for a distance without the part that is not one. */
typedef struct bound {
    double low[4];
    double distance; /* wanted distance [m], 0 for volumes: distance |N(t)| is still to be taken off */
    double normal[3][3], slack[3]; /* of N: coefficients, and what is to be added to their length */
} bound;

/* Edges from node `base` to the three others, of which one may be UNIT_Z (the third coordinate is then ignored). */
static INLINE void edges_set(const double x0[][3], const double x1[][3], int base, const int other[3],
                             double t_max, edges *q)
{
    const bool flat = other[0] == UNIT_Z || other[1] == UNIT_Z || other[2] == UNIT_Z;
    q->most = 0.0;
    for (int k = 0; k < 3; ++k) {
        double start = 0.0, end = 0.0;
        for (int i = 0; i < 3; ++i) {
            if (other[k] == UNIT_Z || (flat && i == 2)) {
                q->a[k][i] = q->c[k][i] = other[k] == UNIT_Z && i == 2;
                continue;
            }
            const double a = x0[other[k]][i] - x0[base][i], b = x1[other[k]][i] - x1[base][i];
            q->a[k][i] = a;
            q->c[k][i] = t_max == 1.0 ? b : a + t_max * (b - a);
            start += fabs(a);
            end += fabs(b);
        }
        q->most += start + end;
        q->start[k] = other[k] == UNIT_Z ? 1.0 : start;
        q->end[k] = other[k] == UNIT_Z ? 1.0 : t_max == 1.0 ? end : start + t_max * (start + end);
    }
}

static INLINE double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static INLINE void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* V_i, P_i, N_i and Q_i. */
static INLINE void coefficients(const edges *q, double v[4], double p[4], double n[3][3], double big[3])
{
    double twice[3], other[3];
    cross(q->a[1], q->a[2], n[0]);
    cross(q->a[1], q->c[2], twice);
    cross(q->c[1], q->a[2], other);
    cross(q->c[1], q->c[2], n[2]);
    for (int i = 0; i < 3; ++i) {
        twice[i] += other[i];
        n[1][i] = 0.5 * twice[i];
    }
    const double *r = q->a[0], *s = q->c[0];
    v[0] = dot(r, n[0]);
    v[1] = (dot(r, twice) + dot(s, n[0])) * (1.0 / 3.0);
    v[2] = (dot(r, n[2]) + dot(s, twice)) * (1.0 / 3.0);
    v[3] = dot(s, n[2]);
    big[0] = q->start[1] * q->start[2];
    big[1] = 0.5 * (q->start[1] * q->end[2] + q->end[1] * q->start[2]);
    big[2] = q->end[1] * q->end[2];
    p[0] = q->start[0] * big[0];
    p[1] = (2.0 * q->start[0] * big[1] + q->end[0] * big[0]) * (1.0 / 3.0);
    p[2] = (q->start[0] * big[2] + 2.0 * q->end[0] * big[1]) * (1.0 / 3.0);
    p[3] = q->end[0] * big[2];
}

static INLINE double between(double s, double a, double b)
{
    return (1.0 - s) * a + s * b;
}

/* Lower bounds of the coefficients of V over [s, e], a part of [0, 1] (of [0, t_max]). */
static void volume_part(const bound *q, double s, double e, double out[4])
{
    const double *b = q->low;
    const double s0 = between(s, b[0], b[1]), s1 = between(s, b[1], b[2]), s2 = between(s, b[2], b[3]);
    const double e0 = between(e, b[0], b[1]), e1 = between(e, b[1], b[2]), e2 = between(e, b[2], b[3]);
    const double ss0 = between(s, s0, s1), ss1 = between(s, s1, s2);
    const double ee0 = between(e, e0, e1), ee1 = between(e, e1, e2);
    out[0] = between(s, ss0, ss1);
    out[1] = between(e, ss0, ss1);
    out[2] = between(s, ee0, ee1);
    out[3] = between(e, ee0, ee1);
}

/* Takes off the wanted distance times |N(t)|, which is below the polynomial with the lengths of N's coefficients over
   the same [s, e] as coefficients; those are raised to degree three. Returns |N(s)|. */
static double take_distance(const bound *q, double s, double e, double out[4])
{
    double length2[3] = {0.0, 0.0, 0.0}, length[3];
    for (int i = 0; i < 3; ++i) {
        const double a = q->normal[0][i], b = q->normal[1][i], c = q->normal[2][i];
        const double s0 = between(s, a, b), s1 = between(s, b, c);
        const double e0 = between(e, a, b), e1 = between(e, b, c);
        const double n[3] = {between(s, s0, s1), between(e, s0, s1), between(e, e0, e1)};
        for (int k = 0; k < 3; ++k) {
            length2[k] += n[k] * n[k];
        }
    }
    const double s0 = between(s, q->slack[0], q->slack[1]), s1 = between(s, q->slack[1], q->slack[2]);
    const double e0 = between(e, q->slack[0], q->slack[1]), e1 = between(e, q->slack[1], q->slack[2]);
    const double slack[3] = {between(s, s0, s1), between(e, s0, s1), between(e, e0, e1)};
    for (int k = 0; k < 3; ++k) {
        length[k] = q->distance * (1.0 + 16.0 * ROUNDING) * (sqrt(length2[k]) + slack[k]);
    }
    out[0] -= length[0];
    out[1] -= (length[0] + 2.0 * length[1]) * (1.0 / 3.0);
    out[2] -= (2.0 * length[1] + length[2]) * (1.0 / 3.0);
    out[3] -= length[2];
    return sqrt(length2[0]);
}

/* The part of an interval, from its start, that is free by its coefficients c: all of it, or up to the place where the
   lower hull of the points (i/3, c_i) falls to zero, the first of all crossings of lines between them. */
static INLINE double free_part(const double c[4])
{
    if (c[1] >= 0.0 && c[2] >= 0.0 && c[3] >= 0.0) {
        return 1.0;
    }
    double free = 3.0;
    for (int j = 1; j < 4; ++j) {
        for (int i = 0; i < j && c[j] < 0.0; ++i) {
            const double at = c[i] >= 0.0 ? i + (j - i) * c[i] / (c[i] - c[j]) : 3.0;
            free = at < free ? at : free;
        }
    }
    return free * (1.0 / 3.0) * (1.0 - 8.0 * ROUNDING);
}

/* The largest part of [0, t_max] over which the bound is proved not negative, as a time. `first` are the coefficients
   over all of it. What is left of the volume or distance ends the search when it is below `enough`. */
static double advance(const bound *q, const double first[4], double enough, double t_max)
{
    double c[4] = {first[0], first[1], first[2], first[3]}, t = 0.0, width = 1.0, end = 1.0, area = 1.0;
    for (int iteration = 0; iteration < ITERATIONS && (t == 0.0 || c[0] > enough * area); ++iteration) {
        const double free = free_part(c);
        if (free >= 1.0) {
            t = end;
            width *= 4.0;
        } else {
            /* Rounded down, whichever way the sum was. */
            const double step = free * (end - t);
            const double next = (t + step * (1.0 - 8.0 * ROUNDING)) * (1.0 - 2.0 * ROUNDING);
            if (!(next > t)) {
                break;
            }
            t = next;
            width = sqrt(step * (end - t)); /* between what was too long and what was surely short enough */
        }
        if (t >= 1.0 || !(width > 1e-6 * t)) {
            break;
        }
        end = t + width < 1.0 ? t + width : 1.0;
        volume_part(q, t, end, c);
        if (q->distance > 0.0) {
            area = take_distance(q, t, end, c);
        }
    }
    return t >= 1.0 ? t_max : t * t_max * (1.0 - 4.0 * ROUNDING);
}

/* Coordinates and dmin multiplied by a power of two, which changes no digit, so that the largest is about 1. False if
   there is one that is not finite. */
static bool rescale(int count, int dimensions, const double x0[][3], const double x1[][3], double *dmin,
                    double out[2][4][3])
{
    double most = *dmin;
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < dimensions; ++i) {
            if (!(fabs(x0[k][i]) <= 1.7e308) || !(fabs(x1[k][i]) <= 1.7e308)) {
                return false;
            }
            most = fmax(most, fmax(fabs(x0[k][i]), fabs(x1[k][i])));
        }
    }
    int exponent;
    (void)frexp(most, &exponent);
    const double scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < dimensions; ++i) {
            out[0][k][i] = scale * x0[k][i];
            out[1][k][i] = scale * x1[k][i];
        }
    }
    *dmin *= scale;
    return true;
}

/* Scales the edges so that their cubes are in range; false if an argument is invalid. */
static INLINE bool prepare(int count, const double x0[][3], const double x1[][3], int base,
                           const int other[3], double *dmin, double *keep, double *t_max, edges *q)
{
    if (!(*t_max > 0.0) || !(*keep == *keep) || !(*dmin >= 0.0 && *dmin <= 1.7e308)) {
        return false;
    }
    *t_max = *t_max < 1e6 ? *t_max : 1e6;
    *keep = *keep > 0.0 ? (*keep < 0.99 ? *keep : 0.99) : 0.0;
    edges_set(x0, x1, base, other, *t_max, q);
    if (!(q->most <= 0x1p120 && q->most >= 0x1p-120 && *dmin <= 0x1p120)) {
        double scaled[2][4][3];
        if (!rescale(count, count - 1, x0, x1, dmin, scaled)) {
            return false;
        }
        edges_set((const double(*)[3])scaled[0], (const double(*)[3])scaled[1], base, other, *t_max, q);
    }
    return true;
}

static INLINE double volume(int count, const double x0[][3], const double x1[][3], const int other[3],
                            double keep, double t_max)
{
    edges q;
    double dmin = 0.0, v[4], p[4], n[3][3], big[3];
    if (!prepare(count, x0, x1, 0, other, &dmin, &keep, &t_max, &q)) {
        return 0.0;
    }
    coefficients(&q, v, p, n, big);
    const double error = 64.0 * ROUNDING, most = v[0] + (error * p[0] + UNDERFLOW_VOLUME);
    const double wanted = keep * most;
    bound b = {.distance = 0.0};
    for (int i = 0; i < 4; ++i) {
        b.low[i] = v[i] - wanted - (error * (p[i] + wanted) + UNDERFLOW_VOLUME);
    }
    if (!(b.low[0] > 0.0)) {
        return 0.0;
    }
    if (b.low[1] >= 0.0 && b.low[2] >= 0.0 && b.low[3] >= 0.0) {
        return t_max;
    }
    return advance(&b, b.low, 0x1p-10 * most, t_max);
}

static INLINE double distance(int count, const double x0[][3], const double x1[][3], const int other[3],
                              double dmin, double keep, double t_max)
{
    edges q;
    bound b;
    double v[4], p[4], big[3], c[4];
    if (!prepare(count, x0, x1, 1, other, &dmin, &keep, &t_max, &q)) {
        return 0.0;
    }
    coefficients(&q, v, p, b.normal, big);
    for (int i = 0; i < 4; ++i) {
        b.low[i] = v[i] - (64.0 * ROUNDING * p[i] + UNDERFLOW_VOLUME);
    }
    for (int i = 0; i < 3; ++i) {
        b.slack[i] = 48.0 * ROUNDING * big[i] + UNDERFLOW_NORMAL;
    }
    /* The most that the distance may be now. */
    const double length = sqrt(dot(b.normal[0], b.normal[0])) * (1.0 - 8.0 * ROUNDING) - b.slack[0];
    const double most =
        (v[0] + (64.0 * ROUNDING * p[0] + UNDERFLOW_VOLUME)) / length * (1.0 + 4.0 * ROUNDING);
    if (!(length > 0.0) || !(most > dmin)) {
        return 0.0;
    }
    /* Positive also for keep = dmin = 0, so that it is known to be a distance. */
    b.distance = (dmin + (keep + 0x1p-100) * (most - dmin)) * (1.0 + 4.0 * ROUNDING);
    for (int i = 0; i < 4; ++i) {
        c[i] = b.low[i];
    }
    (void)take_distance(&b, 0.0, 1.0, c);
    if (!(c[0] > 0.0)) {
        return 0.0;
    }
    if (c[1] >= 0.0 && c[2] >= 0.0 && c[3] >= 0.0) {
        return t_max;
    }
    return advance(&b, c, 0x1p-10 * (most - dmin), t_max);
}

double brn_bound_tet_volume(const double x0[4][3], const double x1[4][3], double keep, double t_max)
{
    return volume(4, x0, x1, (const int[3]){1, 2, 3}, keep, t_max);
}

double brn_bound_tri_area(const double x0[3][3], const double x1[3][3], double keep, double t_max)
{
    return volume(3, x0, x1, (const int[3]){1, 2, UNIT_Z}, keep, t_max);
}

double brn_bound_plane(const double x0[4][3], const double x1[4][3], double dmin, double keep, double t_max)
{
    return distance(4, x0, x1, (const int[3]){0, 2, 3}, dmin, keep, t_max);
}

double brn_bound_line(const double x0[3][3], const double x1[3][3], double dmin, double keep, double t_max)
{
    return distance(3, x0, x1, (const int[3]){0, UNIT_Z, 2}, dmin, keep, t_max);
}
