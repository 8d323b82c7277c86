/* Made-up continuous collision queries, ordinary and nasty, and one way to call the four kinds of pairs. */
#ifndef BRN_TESTS_UNIT_CCD_QUERIES_H
#define BRN_TESTS_UNIT_CCD_QUERIES_H

#include "base/rng.h"
#include "geom/ccd.h"
#include "geom/ccd_interval.h"
#include "geom/distance.h"

#include "geom/ccd_wide.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define DIFFERENCE_REAL       brn_wide
#define DIFFERENCE_NAME(x)    query_##x
#define DIFFERENCE_FLAT_SINE2 1e-50
#include "geom/difference.h"

enum { PAIR_POINT, PAIR_EDGE, PAIR_TRIANGLE, PAIR_EDGES, PAIR_COUNT }; /* a point and ..., or two edges */
enum {
    FAMILY_RANDOM,
    FAMILY_CLOSE,      /* a gap of 1e-1 to 1e-18, motion of 1 to 1e-6; some narrow */
    FAMILY_PARALLEL,   /* edges or sides nearly or exactly parallel */
    FAMILY_GRID,       /* coordinates out of nine: duplicates, flat, touching, coplanar motion */
    FAMILY_GRAZE,      /* made to touch at one instant, up to rounding */
    FAMILY_FAST,       /* motion of 1e3 to 1e6 sizes */
    FAMILY_PLANE,      /* all in the xy plane */
    FAMILY_DEGENERATE, /* edges of no length, flat triangles, nodes in common */
    FAMILY_CARRIED,    /* a large common motion */
    FAMILY_EXACT,      /* meets at one instant to the last bit, where a computed distance is only rounding */
    FAMILY_COUNT
};

typedef struct ccd_query {
    int pair, family;
    double x0[4][3], x1[4][3];
} ccd_query;

static inline int ccd_nodes(int pair)
{
    return pair == PAIR_EDGES ? 4 : pair + 2;
}

/* Distance of two edges or of a point and a triangle in wide arithmetic; also the squared sine between the sides. */
static inline double ccd_wide_distance(int pair, const double x[4][3], double *sine2)
{
    brn_wide r[4][3], side[2][3], cross[3];
    for (int k = 0; k < 4; ++k) {
        const int plus = pair == PAIR_EDGES ? (k & 1) : 0,
                  minus = pair == PAIR_EDGES ? 2 + (k >> 1) : (k + 1) % 4;
        for (int i = 0; i < 3; ++i) {
            r[k][i] = (brn_wide)x[plus][i] - (brn_wide)x[minus][i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        side[0][i] = r[1][i] - r[0][i];
        side[1][i] = r[2][i] - r[0][i];
    }
    query_cross(side[0], side[1], cross);
    const brn_wide lengths = query_dot(side[0], side[0]) * query_dot(side[1], side[1]);
    *sine2 = lengths > 0 ? (double)(query_dot(cross, cross) / lengths) : 0.0;
    query_nearest found = {.squared = 0};
    query_nearest_face(pair == PAIR_EDGES ? BRN_SHAPE_RHOMBOID : BRN_SHAPE_TRIANGLE, (const brn_wide(*)[3])r,
                       side[0], side[1], &found);
    return sqrt((double)found.squared);
}

/* A sine below 1e-6 between the sides, where distances in double begin to lose digits. */
static inline bool ccd_is_narrow(int pair, const double x[4][3])
{
    const int first = pair == PAIR_EDGES ? 0 : 1, from = pair == PAIR_EDGES ? 2 : 1;
    double a[3], b[3], cross2 = 0.0, aa = 0.0, bb = 0.0;
    for (int i = 0; i < 3; ++i) {
        a[i] = x[first + 1][i] - x[first][i];
        b[i] = x[3][i] - x[from][i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    for (int i = 0; i < 3; ++i) {
        const double c = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
        cross2 += c * c;
    }
    return pair >= PAIR_TRIANGLE && !(cross2 > 1e-12 * aa * bb);
}

static inline double ccd_pair_distance(int pair, const double x[4][3])
{
    double sine2;
    return ccd_is_narrow(pair, x)  ? ccd_wide_distance(pair, x, &sine2)
           : pair == PAIR_POINT    ? sqrt(brn_distance_point_point2(x))
           : pair == PAIR_EDGE     ? sqrt(brn_distance_point_edge2(x))
           : pair == PAIR_TRIANGLE ? sqrt(brn_distance_point_triangle2(x))
                                   : sqrt(brn_distance_edge_edge2(x));
}

static inline double ccd_distance_at(const ccd_query *q, double t)
{
    double x[4][3] = {{0}};
    for (int k = 0; k < ccd_nodes(q->pair); ++k) {
        for (int i = 0; i < 3; ++i) {
            x[k][i] = (1.0 - t) * q->x0[k][i] + t * q->x1[k][i];
        }
    }
    return ccd_pair_distance(q->pair, (const double(*)[3])x);
}

/* Largest absolute coordinate: the scale of rounding. */
static inline double ccd_size(const ccd_query *q)
{
    double size = 0.0;
    for (int k = 0; k < ccd_nodes(q->pair); ++k) {
        for (int i = 0; i < 3; ++i) {
            size = fmax(size, fmax(fabs(q->x0[k][i]), fabs(q->x1[k][i])));
        }
    }
    return size;
}

static inline double ccd_additive(const ccd_query *q, double dmin, double keep, double t_max)
{
    const double(*x0)[3] = (const double(*)[3])q->x0, (*x1)[3] = (const double(*)[3])q->x1;
    return q->pair == PAIR_POINT      ? brn_ccd_point_point(x0, x1, dmin, keep, t_max)
           : q->pair == PAIR_EDGE     ? brn_ccd_point_edge(x0, x1, dmin, keep, t_max)
           : q->pair == PAIR_TRIANGLE ? brn_ccd_point_triangle(x0, x1, dmin, keep, t_max)
                                      : brn_ccd_edge_edge(x0, x1, dmin, keep, t_max);
}

static inline brn_interval_hit ccd_interval(const ccd_query *q, double dmin, double tolerance, double t_max)
{
    const double(*x0)[3] = (const double(*)[3])q->x0, (*x1)[3] = (const double(*)[3])q->x1;
    return q->pair == PAIR_POINT      ? brn_interval_point_point(x0, x1, dmin, tolerance, t_max)
           : q->pair == PAIR_EDGE     ? brn_interval_point_edge(x0, x1, dmin, tolerance, t_max)
           : q->pair == PAIR_TRIANGLE ? brn_interval_point_triangle(x0, x1, dmin, tolerance, t_max)
                                      : brn_interval_edge_edge(x0, x1, dmin, tolerance, t_max);
}

/* ---- making them ----------------------------------------------------------------------------------------------- */

static inline double ccd_power(brn_rng *rng, double low, double high)
{
    return pow(10.0, brn_rng_uniform(rng, low, high));
}

static inline void ccd_noise(brn_rng *rng, double size, double x[4][3])
{
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 3; ++i) {
            x[k][i] += brn_rng_uniform(rng, -size, size);
        }
    }
}

/* Moves node 0 (edges: nodes 0 and 1) so that the two sides touch at a random place, then apart by gap. */
static inline void ccd_touch(brn_rng *rng, int pair, double gap, double x[4][3])
{
    const double u = brn_rng_uniform(rng, -0.2, 1.2), v = brn_rng_uniform(rng, -0.2, 1.2);
    const double s = fmin(fmax(u, 0.0), 1.0), r = fmin(fmax(v, 0.0), 1.0);
    double direction[3], length = 0.0;
    for (int i = 0; i < 3; ++i) {
        direction[i] = brn_rng_uniform(rng, -1.0, 1.0);
    }
    if (pair >= PAIR_TRIANGLE && brn_rng_next(rng) % 4 != 0) {
        double a[3], b[3];
        const int first = pair == PAIR_TRIANGLE ? 1 : 0, last = pair == PAIR_TRIANGLE ? 1 : 2;
        for (int i = 0; i < 3; ++i) {
            a[i] = x[first + 1][i] - x[first][i];
            b[i] = x[3][i] - x[last][i];
        }
        for (int i = 0; i < 3; ++i) {
            direction[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
        }
    }
    for (int i = 0; i < 3; ++i) {
        length += direction[i] * direction[i];
    }
    length = length > 0.0 ? sqrt(length) : 1.0;
    for (int i = 0; i < 3; ++i) {
        const double apart = gap * direction[i] / length;
        if (pair == PAIR_EDGES) {
            const double at = (1.0 - r) * x[2][i] + r * x[3][i],
                         move = at - ((1.0 - s) * x[0][i] + s * x[1][i]) + apart;
            x[0][i] += move;
            x[1][i] += move;
        } else if (pair == PAIR_TRIANGLE) {
            x[0][i] = (1.0 - s) * x[1][i] + s * ((1.0 - r) * x[2][i] + r * x[3][i]) + apart;
        } else {
            x[0][i] = (pair == PAIR_EDGE ? (1.0 - s) * x[1][i] + s * x[2][i] : x[1][i]) + apart;
        }
    }
}

static inline void ccd_grid(brn_rng *rng, double x[4][3])
{
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 3; ++i) {
            x[k][i] = 0.25 * (double)((int)(brn_rng_next(rng) % 9) - 4);
        }
    }
}

/* Two sides made parallel: both edges, an edge and the motion, or two sides of a triangle; exact or by a small
   angle. */
static inline void ccd_align(brn_rng *rng, int pair, double x[4][3])
{
    const double angle = brn_rng_next(rng) % 2 ? 0.0 : ccd_power(rng, -14.0, -2.0);
    const double ratio = brn_rng_uniform(rng, -2.0, 2.0);
    const int first = pair == PAIR_EDGES ? 0 : 1;
    for (int i = 0; i < 3; ++i) {
        const double side = x[first + 1][i] - x[first][i], from = x[pair == PAIR_EDGES ? 2 : 1][i];
        x[3][i] = from + ratio * side + angle * brn_rng_uniform(rng, -1.0, 1.0);
    }
}

static inline void ccd_degenerate(brn_rng *rng, ccd_query *q)
{
    const int n = ccd_nodes(q->pair), from = (int)(brn_rng_next(rng) % (uint64_t)n);
    const int to = (int)(brn_rng_next(rng) % (uint64_t)n), what = (int)(brn_rng_next(rng) % 4);
    if (what == 0) { /* one node twice, all the time */
        memcpy(q->x0[to], q->x0[from], sizeof q->x0[to]);
        memcpy(q->x1[to], q->x1[from], sizeof q->x1[to]);
    } else if (what == 1) { /* at the end only */
        memcpy(q->x1[to], q->x1[from], sizeof q->x1[to]);
    } else if (what == 2) { /* sides parallel at both ends */
        ccd_align(rng, q->pair, q->x0);
        ccd_align(rng, q->pair, q->x1);
    } else { /* no motion but that of one node */
        for (int k = 0; k < 4; ++k) {
            if (k != to) {
                memcpy(q->x1[k], q->x0[k], sizeof q->x1[k]);
            }
        }
    }
}

/* Integer of up to 40 bits with sign. */
static inline double ccd_integer(brn_rng *rng)
{
    return (double)(int64_t)(brn_rng_next(rng) >> 24) - 0x1p39;
}

/* Integers of at most 52 bits, so that all is exact: sides that are multiples of 2^10 meet at a multiple of 2^-10 of
   each, and at a multiple of 2^-10 of the time. */
static inline void ccd_meet(brn_rng *rng, ccd_query *q)
{
    const double u = (double)(brn_rng_next(rng) % 1025), v = (double)(brn_rng_next(rng) % 1025);
    const double inside = fmin(v, 1024.0 - u), k = (double)(1 + brn_rng_next(rng) % 1024);
    const bool together = brn_rng_next(rng) % 4 == 0; /* only one side moves */
    for (int i = 0; i < 3; ++i) {
        const double a = ccd_integer(rng), b = ccd_integer(rng), from = ccd_integer(rng),
                     motion = ccd_integer(rng);
        double middle[4] = {from, from, from + 1024.0 * a, from + 1024.0 * b};
        if (q->pair == PAIR_EDGES) {
            middle[1] = from + 1024.0 * a;
            middle[2] = from + u * a - v * b;
            middle[3] = middle[2] + 1024.0 * b;
        } else if (q->pair == PAIR_TRIANGLE) {
            middle[0] += u * a + inside * b;
        } else if (q->pair == PAIR_EDGE) {
            middle[0] += u * a;
        }
        for (int node = 0; node < 4; ++node) {
            const bool first = node == 0 || (node == 1 && q->pair == PAIR_EDGES);
            const double move = together ? (first ? motion : 0.0) : ccd_integer(rng);
            q->x0[node][i] = middle[node] - k * move;
            q->x1[node][i] = middle[node] + (1024.0 - k) * move;
        }
    }
}

static inline void ccd_shape(brn_rng *rng, ccd_query *q)
{
    switch (q->family) {
    case FAMILY_CLOSE:
        if (brn_rng_next(rng) % 4 == 0) {
            ccd_align(rng, q->pair, q->x0);
        }
        ccd_touch(rng, q->pair, ccd_power(rng, -18.0, -1.0), q->x0);
        memcpy(q->x1, q->x0, sizeof q->x1);
        ccd_noise(rng, ccd_power(rng, -6.0, 0.0), q->x1);
        break;
    case FAMILY_PARALLEL:
        ccd_align(rng, q->pair, q->x0);
        memcpy(q->x1, q->x0, sizeof q->x1);
        ccd_noise(rng, brn_rng_next(rng) % 2 ? 0.0 : 1.0, q->x1);
        for (int i = 0; i < 3; ++i) {
            const double move = brn_rng_uniform(rng, -2.0, 2.0);
            q->x1[0][i] += move;
            q->x1[1][i] += q->pair == PAIR_EDGES ? move : 0.0;
        }
        break;
    case FAMILY_GRID:
        ccd_grid(rng, q->x0);
        ccd_grid(rng, q->x1);
        break;
    case FAMILY_GRAZE: {
        /* x(1/2) touches; the motion before and after it is random. */
        double middle[4][3];
        memcpy(middle, q->x0, sizeof middle);
        ccd_touch(rng, q->pair, brn_rng_next(rng) % 2 ? 0.0 : ccd_power(rng, -17.0, -8.0), middle);
        for (int k = 0; k < 4; ++k) {
            for (int i = 0; i < 3; ++i) {
                const double move = brn_rng_uniform(rng, -1.0, 1.0);
                q->x0[k][i] = middle[k][i] - move;
                q->x1[k][i] = middle[k][i] + move;
            }
        }
        break;
    }
    case FAMILY_FAST:
        ccd_noise(rng, ccd_power(rng, 3.0, 6.0), q->x1);
        break;
    case FAMILY_DEGENERATE:
        ccd_degenerate(rng, q);
        break;
    case FAMILY_EXACT:
        ccd_meet(rng, q);
        break;
    default:
        break;
    }
    for (int k = 0; k < 4 && q->family == FAMILY_PLANE; ++k) {
        q->x0[k][2] = q->x1[k][2] = 0.0;
    }
    for (int i = 0; i < 3 && q->family == FAMILY_CARRIED; ++i) {
        const double carry = brn_rng_uniform(rng, -1e4, 1e4);
        for (int k = 0; k < 4; ++k) {
            q->x1[k][i] += carry;
        }
    }
}

static inline void ccd_query_make(brn_rng *rng, int pair, int family, ccd_query *q)
{
    memset(q, 0, sizeof *q);
    q->pair = pair;
    q->family = family;
    ccd_noise(rng, 1.0, q->x0);
    ccd_noise(rng, 1.0, q->x1);
    ccd_shape(rng, q);
    /* Half of them at another scale. */
    const double scale = brn_rng_next(rng) % 2 || family == FAMILY_EXACT ? 1.0 : ccd_power(rng, -6.0, 6.0);
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 3; ++i) {
            q->x0[k][i] = k < ccd_nodes(pair) ? scale * q->x0[k][i] : 0.0;
            q->x1[k][i] = k < ccd_nodes(pair) ? scale * q->x1[k][i] : 0.0;
        }
    }
}

#endif
