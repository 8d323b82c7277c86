/* Additive CCD in one precision. The includer defines what geom/difference.h wants and CCD_SQRT(x), CCD_ROUNDING (u, half
   the distance of 1 and the next number), CCD_TINY (a squared length above which no square loses digits to
   underflow), CCD_ITERATIONS (their cap) and CCD_INLINE before each inclusion; there is no include guard.

   Rounding, to first order in u. R_k, V_k are the exact vertices and motions, r_k, v_k the computed ones; size bounds
   the sums of absolute components |r_k(0)|, sweep those of |r_k(0)| + |r_k(1)|. Then |r_k - R_k| <= u size and
   |v_k - V_k| <= u (|r_k(0)| + |r_k(1)| + |v_k|) <= 2 u sweep; a dot product with n (components at most 1) adds 3 u times
   the sum of its absolute terms. So b_k = n.v_k is within 5 u sweep of n.V_k, and g_k = n.r_k + t b_k, with two roundings
   of its own, within 6 u size + 8 u t sweep of n.R_k(t). The margin is 16 u (size + t sweep); it also holds the
   rounding of the sum t + step, a motion of at most u t sweep. The speed -n.V_k is taken as -b_k + 8 u sweep. The length
   of n is 1 within 4 u, so wanted distances are lengthened by 8 u; quotients are shortened by 16 u. */
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

/* Unit direction from the origin to the nearest point at time t, and (unless NULL) the distance of that point,
   which is not below the true one by more than rounding. False if it has none that can be trusted. */
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
    /* The direction is good to u over a distance, or over a sine. A tilt along a side would cost the length of the side
       times the tilt; across the side it is of second order, or meets the small height of a narrow face. So project the
       edge, or a side of the face, out once more. */
    if (found.feature >= BRN_FEATURE_EDGE) {
        const int edge = found.feature == BRN_FEATURE_FACE ? 0 : found.feature - BRN_FEATURE_EDGE;
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
        DIFFERENCE_REAL n[3], distance = 0, g[4], b[4];
        if (!DIFFERENCE_NAME(direction)(q, t, n, iteration == 0 ? &distance : NULL)) {
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
            /* The gap is at most `gap`; what is certified must be nearly as much, or the fraction would suffer. */
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
