/* Additive CCD in one precision. The includer defines DIFFERENCE_REAL, DIFFERENCE_NAME(x), CCD_SQRT(x), CCD_ROUNDING (u,
   half the distance of 1 and the next number) and CCD_TINY (a squared length above which no square loses digits to
   underflow) and CCD_ITERATIONS (their cap) before each inclusion; there is no include guard.

   Rounding. With R_k, V_k the exact vertices and motions and r_k, v_k the computed ones, |r_k - R_k| <= u |r_k| and
   |v_k - V_k| <= u (|r_k(0)| + |r_k(1)| + |v_k|) <= 2 u sweep a component, where size and sweep bound the sums of absolute
   components of r_k(0), and of r_k(0) and r_k(1) together. A dot product with n (components at most 1) adds 3 u times the
   sum of its terms, and n's length is 1 within 4 u. So n.R_k(t) >= g_k - 4 u (size + t sweep) - ..., counted to first order
   8 u (size + t sweep); 16 u is used, which also holds the rounding of t + dt (its motion is at most u t sweep). The speed
   -n.V_k is at most -b_k + 8 u sweep likewise. Quotients are shortened by 8 u, wanted distances lengthened by 8 u. */
#include "geom/difference.h"

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

/* Unit direction from the origin to the nearest point at time t, and the distance of that point, which is not below the
   true one by more than rounding. False if it has none that can be trusted. */
static CCD_INLINE int DIFFERENCE_NAME(direction)(const DIFFERENCE_NAME(sweep) * q, double t,
                                                 DIFFERENCE_REAL n[3], DIFFERENCE_REAL *distance)
{
    static const unsigned char triangle_edges[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    static const unsigned char rhomboid_edges[4][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
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
    DIFFERENCE_NAME(nearest) found = {.c = {r[0][0], r[0][1], r[0][2]}, .feature = BRN_FEATURE_VERTEX};
    if (q->shape == BRN_SHAPE_SEGMENT) {
        DIFFERENCE_NAME(nearest_segment)(vertex, e1, &found);
    } else if (q->shape != BRN_SHAPE_POINT) {
        DIFFERENCE_NAME(nearest_face)(q->shape, vertex, e1, e2, &found);
    }
    *distance = CCD_SQRT(DIFFERENCE_NAME(dot)(found.c, found.c));
    /* A nearest point on an edge is a difference of larger vectors. A tilt along the edge would cost its length times the
       tilt; across the edge it is of second order. So project the edge out once more. */
    if (found.feature >= BRN_FEATURE_EDGE && found.feature < BRN_FEATURE_FACE) {
        const int edge = found.feature - BRN_FEATURE_EDGE;
        const unsigned char *ends =
            q->shape == BRN_SHAPE_RHOMBOID ? rhomboid_edges[edge] : triangle_edges[edge];
        DIFFERENCE_REAL e[3];
        for (int i = 0; i < 3; ++i) {
            e[i] = r[ends[1]][i] - r[ends[0]][i];
        }
        const DIFFERENCE_REAL s = DIFFERENCE_NAME(dot)(found.c, e) / DIFFERENCE_NAME(dot)(e, e);
        for (int i = 0; i < 3; ++i) {
            found.c[i] -= s * e[i];
        }
    }
    const DIFFERENCE_REAL length2 = DIFFERENCE_NAME(dot)(found.c, found.c), length = CCD_SQRT(length2);
    for (int i = 0; i < 3; ++i) {
        n[i] = found.c[i] / length;
    }
    return length2 > CCD_TINY;
}

/* The largest safe time; -1 if this precision cannot certify the start. */
static CCD_INLINE double DIFFERENCE_NAME(advance)(const DIFFERENCE_NAME(sweep) * q, double dmin, double keep,
                                                  double t_max)
{
    const DIFFERENCE_REAL u = CCD_ROUNDING, more = 1 + 8 * u, less = 1 - 8 * u;
    DIFFERENCE_REAL wanted = 0, enough = 0;
    double t = 0.0;
    for (int iteration = 0; iteration < CCD_ITERATIONS; ++iteration) {
        DIFFERENCE_REAL n[3], distance, g[4], b[4];
        if (!DIFFERENCE_NAME(direction)(q, t, n, &distance)) {
            return iteration == 0 ? -1.0 : t;
        }
        /* Separation along n, now and its rate. */
        const DIFFERENCE_REAL margin = 16 * u * (q->size + (DIFFERENCE_REAL)t * q->sweep);
        DIFFERENCE_REAL low = 0;
        for (int k = 0; k < q->count; ++k) {
            b[k] = DIFFERENCE_NAME(dot)(n, q->v[k]);
            g[k] = DIFFERENCE_NAME(dot)(n, q->r[k]) + (DIFFERENCE_REAL)t * b[k] - margin;
            low = k == 0 || g[k] < low ? g[k] : low;
        }
        if (iteration == 0) {
            /* The gap is at most `gap`; what is certified must be nearly as much, or the kept fraction would suffer. */
            const DIFFERENCE_REAL gap = distance + margin - (DIFFERENCE_REAL)dmin;
            if (!(gap > 0) || !(low - dmin > (keep + 0.8 * (1.0 - keep)) * gap)) {
                return -1.0;
            }
            wanted = (dmin + keep * gap) * more;
            enough = wanted + 0.25 * keep * gap;
        } else if (!(low > enough)) {
            return t;
        }
        /* The first vertex to come down to the wanted distance along n. */
        DIFFERENCE_REAL step = (DIFFERENCE_REAL)t_max;
        for (int k = 0; k < q->count; ++k) {
            const DIFFERENCE_REAL speed = 8 * u * q->sweep - b[k], room = (g[k] - wanted) * less;
            if (speed > 0 && room < speed * step) {
                step = room / speed;
            }
        }
        const double next = t + (double)(step * less * less);
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
