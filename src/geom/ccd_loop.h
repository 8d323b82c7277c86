/* Additive CCD in one precision. The includer defines what geom/difference.h wants and CCD_SQRT(x), CCD_ROUNDING (u, half
   the distance of 1 and the next number), CCD_TINY (a squared length above which no square loses digits to
   underflow), CCD_ITERATIONS (their cap), CCD_CAREFUL (1: look at every feature of the start) and CCD_INLINE before
   each inclusion; there is no include guard.

   Rounding, to first order in u. R_k, V_k are the exact vertices and motions, r_k, v_k the computed ones; size bounds
   the sums of absolute components |r_k(0)|, sweep those of |r_k(0)| + |r_k(1)|. Then |r_k - R_k| <= u size and
   |v_k - V_k| <= u (|r_k(0)| + |r_k(1)| + |v_k|) <= 2 u sweep; a dot product with n (components at most 1) adds 3 u times
   the sum of its absolute terms. So b_k = n.v_k is within 5 u sweep of n.V_k, and g_k = n.r_k + t b_k, with two roundings
   of its own, within 6 u size + 8 u t sweep of n.R_k(t). The margin is 16 u (size + t sweep); it also holds the
   rounding of the sum t + step, a motion of at most u t sweep. The speed -n.V_k is taken as -b_k + 8 u sweep. The length
   of n is 1 within 4 u, so wanted distances are lengthened by 8 u; quotients are shortened by 16 u. */
#include "geom/ccd_wide.h"
#include "geom/difference.h"

#ifndef BRN_GEOM_CCD_LOOP_EDGES
# define BRN_GEOM_CCD_LOOP_EDGES
/* Vertices of the edges of the two shapes with a face, in the order of geom/difference.h. */
static const unsigned char brn_triangle_edges[3][2] = {{0, 1}, {1, 2}, {0, 2}};
static const unsigned char brn_rhomboid_edges[4][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};

/* A separation, relative to the size and sweep, with which a search in wide numbers goes on in double: far above its
   margin, 2e-15. */
# define CCD_ENOUGH_FOR_DOUBLE 1e-12
#endif

typedef struct DIFFERENCE_NAME(sweep) {
    int shape, count;
    DIFFERENCE_REAL r[4][3], v[4][3]; /* vertices at t = 0 and their motion */
    DIFFERENCE_REAL size, sweep;
} DIFFERENCE_NAME(sweep);

/* Pairs of nodes that the vertices are differences of, by shape. */
static inline void DIFFERENCE_NAME(vertex_nodes)(int shape, int k, int pair[2])
{
    pair[0] = shape == BRN_SHAPE_RHOMBOID ? (k & 1) : 0;
    pair[1] = shape == BRN_SHAPE_RHOMBOID ? 2 + (k >> 1) : k + 1;
}

static CCD_INLINE void DIFFERENCE_NAME(sweep_set)(int shape, const double x0[][3], const double x1[][3],
                                                  DIFFERENCE_NAME(sweep) * q)
{
    q->shape = shape;
    q->count = shape + 1;
    q->size = 0;
    q->sweep = 0;
    for (int k = 0; k < q->count; ++k) {
        int pair[2];
        DIFFERENCE_NAME(vertex_nodes)(shape, k, pair);
        DIFFERENCE_REAL start = 0, end = 0;
        for (int i = 0; i < 3; ++i) {
            const DIFFERENCE_REAL a = (DIFFERENCE_REAL)x0[pair[0]][i] - (DIFFERENCE_REAL)x0[pair[1]][i];
            const DIFFERENCE_REAL b = (DIFFERENCE_REAL)x1[pair[0]][i] - (DIFFERENCE_REAL)x1[pair[1]][i];
            q->r[k][i] = a;
            q->v[k][i] = b - a;
            start += a < 0 ? -a : a;
            end += b < 0 ? -b : b;
        }
        q->size = start > q->size ? start : q->size;
        q->sweep = start + end > q->sweep ? start + end : q->sweep;
    }
}

/* Unit vector n along c; false if it has no direction to be trusted. */
static CCD_INLINE int DIFFERENCE_NAME(unit)(const DIFFERENCE_REAL c[3], DIFFERENCE_REAL n[3])
{
    const DIFFERENCE_REAL length2 = DIFFERENCE_NAME(dot)(c, c), length = CCD_SQRT(length2);
    for (int i = 0; i < 3; ++i) {
        n[i] = c[i] / length;
    }
    return length2 > CCD_TINY;
}

/* Takes the part along e out of a direction c, which is good to u over a distance, or over a sine. A tilt along a side
   would cost the length of the side times the tilt; across the side it is of second order, or meets the small height
   of a narrow face. So an edge, or a side of the face, is taken out once more. */
static CCD_INLINE void DIFFERENCE_NAME(straighten)(DIFFERENCE_REAL c[3], const DIFFERENCE_REAL e[3])
{
    const DIFFERENCE_REAL s = DIFFERENCE_NAME(dot)(c, e) / DIFFERENCE_NAME(dot)(e, e);
    for (int i = 0; i < 3; ++i) {
        c[i] -= s * e[i];
    }
}

/* Unit direction from the origin to the nearest point at time t, and (unless NULL) the distance of that point, which is not
   below the true one by more than rounding. False if there is no direction that can be trusted. */
static CCD_INLINE int DIFFERENCE_NAME(direction)(const DIFFERENCE_NAME(sweep) * q, double t,
                                                 DIFFERENCE_REAL n[3], DIFFERENCE_REAL *distance)
{
    DIFFERENCE_REAL r[4][3] = {{0}}, e1[3] = {0}, e2[3] = {0};
    for (int k = 0; k < q->count; ++k) {
        for (int i = 0; i < 3; ++i) {
            r[k][i] = q->r[k][i] + (DIFFERENCE_REAL)t * q->v[k][i];
        }
    }
    for (int i = 0; i < 3 && q->count > 1; ++i) {
        e1[i] = r[1][i] - r[0][i];
        e2[i] = q->count > 2 ? r[2][i] - r[0][i] : 0;
    }
    const DIFFERENCE_REAL(*vertex)[3] = (const DIFFERENCE_REAL(*)[3])r;
    DIFFERENCE_NAME(nearest) found = {.uv = {0, 0}, .feature = BRN_FEATURE_VERTEX};
    for (int i = 0; i < 3; ++i) {
        found.c[i] = r[0][i];
    }
    if (q->shape == BRN_SHAPE_SEGMENT) {
        DIFFERENCE_NAME(nearest_segment)(vertex, e1, &found);
    } else if (q->shape != BRN_SHAPE_POINT) {
        DIFFERENCE_NAME(nearest_face)(q->shape, vertex, e1, e2, &found);
    }
    /* The distance of the point with the found coordinates, which lies in the shape whatever their error. */
    if (distance != NULL) {
        DIFFERENCE_REAL point[3];
        for (int i = 0; i < 3; ++i) {
            point[i] = r[0][i] + found.uv[0] * e1[i] + found.uv[1] * e2[i];
        }
        *distance = CCD_SQRT(DIFFERENCE_NAME(dot)(point, point));
    }
    if (found.feature >= BRN_FEATURE_EDGE) {
        const int edge = found.feature == BRN_FEATURE_FACE ? 0 : found.feature - BRN_FEATURE_EDGE;
        const unsigned char *ends =
            q->shape == BRN_SHAPE_RHOMBOID ? brn_rhomboid_edges[edge] : brn_triangle_edges[edge];
        DIFFERENCE_REAL e[3];
        for (int i = 0; i < 3; ++i) {
            e[i] = r[ends[1]][i] - r[ends[0]][i];
        }
        DIFFERENCE_NAME(straighten)(found.c, e);
    }
    return DIFFERENCE_NAME(unit)(found.c, n);
}

#if CCD_CAREFUL
/* Takes the direction c if it separates the vertices at t = 0 more than n does, by *best. */
static void DIFFERENCE_NAME(offer)(const DIFFERENCE_NAME(sweep) * q, const DIFFERENCE_REAL c[3],
                                   DIFFERENCE_REAL *best, DIFFERENCE_REAL n[3])
{
    DIFFERENCE_REAL unit[3], low = 0;
    const int sure = DIFFERENCE_NAME(unit)(c, unit);
    for (int k = 0; k < q->count; ++k) {
        const DIFFERENCE_REAL g = DIFFERENCE_NAME(dot)(unit, q->r[k]);
        low = k == 0 || g < low ? g : low;
    }
    if (sure && low > *best) {
        *best = low;
        for (int i = 0; i < 3; ++i) {
            n[i] = unit[i];
        }
    }
}

/* Improves the direction n and the distance at t = 0 of narrow faces. There the place of the projection along a side is
   uncertain by u / sine of the side, which may be more than the distance, and so is the feature that it falls on. So
   every feature offers its direction (the best one will be certified, or not) and its nearest point. */
static void DIFFERENCE_NAME(search)(const DIFFERENCE_NAME(sweep) * q, DIFFERENCE_REAL low,
                                    DIFFERENCE_REAL n[3], DIFFERENCE_REAL *distance)
{
    const int triangle = q->shape == BRN_SHAPE_TRIANGLE;
    const DIFFERENCE_REAL(*r)[3] = q->r;
    DIFFERENCE_REAL e[3], e1[3], e2[3], m1[3], m2[3], normal[3], p[3], best = low, u = 0, v = 0;
    for (int edge = 0; edge < (triangle ? 3 : 4); ++edge) {
        const unsigned char *ends = triangle ? brn_triangle_edges[edge] : brn_rhomboid_edges[edge];
        DIFFERENCE_NAME(nearest) found = {.feature = -1};
        for (int i = 0; i < 3; ++i) {
            e[i] = r[ends[1]][i] - r[ends[0]][i];
        }
        DIFFERENCE_NAME(try_edge)(r[ends[0]], r[ends[1]], e, edge, ends[0], ends[1], &found);
        const DIFFERENCE_REAL length = CCD_SQRT(found.squared);
        *distance = length < *distance ? length : *distance;
        if (found.feature >= BRN_FEATURE_EDGE) {
            DIFFERENCE_NAME(straighten)(found.c, e);
        }
        DIFFERENCE_NAME(offer)(q, found.c, &best, n);
    }
    /* The foot of the normal from the origin, improved from its own remainder. */
    for (int i = 0; i < 3; ++i) {
        e1[i] = r[1][i] - r[0][i];
        e2[i] = r[2][i] - r[0][i];
        p[i] = r[0][i];
    }
    DIFFERENCE_NAME(cross)(e1, e2, normal);
    DIFFERENCE_NAME(cross)(e2, normal, m1);
    DIFFERENCE_NAME(cross)(normal, e1, m2);
    const DIFFERENCE_REAL nn = DIFFERENCE_NAME(dot)(normal, normal);
    for (int repeat = 0; repeat < 3 && nn > CCD_TINY; ++repeat) {
        u -= DIFFERENCE_NAME(dot)(p, m1) / nn;
        v -= DIFFERENCE_NAME(dot)(p, m2) / nn;
        for (int i = 0; i < 3; ++i) {
            p[i] = r[0][i] + u * e1[i] + v * e2[i];
        }
    }
    const DIFFERENCE_REAL length = CCD_SQRT(DIFFERENCE_NAME(dot)(p, p));
    if (nn > CCD_TINY && u >= 0 && v >= 0 && (triangle ? u + v <= 1 : u <= 1 && v <= 1)) {
        *distance = length < *distance ? length : *distance;
    }
    const int behind = DIFFERENCE_NAME(dot)(normal, p) < 0;
    for (int i = 0; i < 3; ++i) {
        normal[i] = behind ? -normal[i] : normal[i];
    }
    DIFFERENCE_NAME(straighten)(normal, e1);
    DIFFERENCE_NAME(offer)(q, normal, &best, n);
}
#endif

/* Separation of the vertices along n at time t, lowered by the margin, and its rates; the least is returned. */
static CCD_INLINE DIFFERENCE_REAL DIFFERENCE_NAME(separation)(const DIFFERENCE_NAME(sweep) * q, double t,
                                                              DIFFERENCE_REAL margin,
                                                              const DIFFERENCE_REAL n[3],
                                                              DIFFERENCE_REAL g[4], DIFFERENCE_REAL b[4])
{
    DIFFERENCE_REAL low = 0;
    for (int k = 0; k < q->count; ++k) {
        b[k] = DIFFERENCE_NAME(dot)(n, q->v[k]);
        g[k] = DIFFERENCE_NAME(dot)(n, q->r[k]) + (DIFFERENCE_REAL)t * b[k] - margin;
        low = k == 0 || g[k] < low ? g[k] : low;
    }
    return low;
}

/* The largest safe time; -1 if this precision cannot certify the start. goal->wanted = 0 at the start; else the search
   goes on from goal->t. In wide numbers goal is where it may go on in double, or has goal->wanted = 0. */
static CCD_INLINE double DIFFERENCE_NAME(advance)(const DIFFERENCE_NAME(sweep) * q, double dmin, double keep,
                                                  double t_max, brn_ccd_goal *goal)
{
    const DIFFERENCE_REAL u = CCD_ROUNDING, more = 1 + 8 * u, less = 1 - 8 * u;
    DIFFERENCE_REAL wanted = goal->wanted, enough = goal->enough;
    double t = goal->wanted > 0.0 ? goal->t : 0.0;
    const int first = goal->wanted > 0.0;
    for (int iteration = first; iteration < CCD_ITERATIONS; ++iteration) {
        DIFFERENCE_REAL n[3], distance = 0, g[4], b[4];
        if (!DIFFERENCE_NAME(direction)(q, t, n, iteration == 0 ? &distance : NULL)) {
            return iteration == 0 ? -1.0 : t;
        }
        const DIFFERENCE_REAL margin = 16 * u * (q->size + (DIFFERENCE_REAL)t * q->sweep);
        DIFFERENCE_REAL low = DIFFERENCE_NAME(separation)(q, t, margin, n, g, b);
        if (iteration == 0) {
            /* The gap is at most `gap`; what is certified must be nearly as much, or the fraction would suffer. */
            const double part = keep + 0.8 * (1.0 - keep);
            DIFFERENCE_REAL gap = distance + margin - (DIFFERENCE_REAL)dmin;
#if CCD_CAREFUL
            if (q->shape >= BRN_SHAPE_TRIANGLE && gap > 8 * margin && !(low - dmin > part * gap)) {
                DIFFERENCE_NAME(search)(q, low + margin, n, &distance);
                low = DIFFERENCE_NAME(separation)(q, t, margin, n, g, b);
                gap = distance + margin - (DIFFERENCE_REAL)dmin;
            }
#endif
            if (!(gap > 0) || !(low - dmin > part * gap)) {
                return -1.0;
            }
            wanted = (dmin + keep * gap) * more;
            enough = wanted + 0.25 * keep * gap;
        } else if (!(low > enough)) {
            return t;
        }
#if CCD_CAREFUL
        if (iteration > 0 && low - wanted > (DIFFERENCE_REAL)CCD_ENOUGH_FOR_DOUBLE *
                                                (q->size + (DIFFERENCE_REAL)t * q->sweep)) {
            *goal =
                (brn_ccd_goal){t, nextafter((double)wanted, INFINITY), nextafter((double)enough, INFINITY)};
            return t;
        }
#endif
        /* The first vertex to come down to the wanted distance along n. */
        DIFFERENCE_REAL step = (DIFFERENCE_REAL)t_max;
        for (int k = 0; k < q->count; ++k) {
            const DIFFERENCE_REAL speed = 8 * u * q->sweep - b[k], room = (g[k] - wanted) * less;
            if (speed > 0 && room < speed * step) {
                step = room / speed;
            }
        }
        /* Down to a double: the margin holds the rounding of this sum, but not that of a wide number. */
        const DIFFERENCE_REAL sum = (DIFFERENCE_REAL)t + step * less * less;
        double next = (double)sum;
        next = (DIFFERENCE_REAL)next > sum ? nextafter(next, 0.0) : next;
        if (next >= t_max || step >= (DIFFERENCE_REAL)t_max) {
            return t_max;
        }
        if (!(next > t)) {
            return t;
        }
        t = next;
    }
    return t;
}
