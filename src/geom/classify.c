/* Which smooth form gives the distance: the feature of the difference of the two simplices that is nearest to the
   origin (geom/difference.h), translated to nodes. */
#include "geom/distance.h"

#define DIFFERENCE_REAL       double
#define DIFFERENCE_NAME(x)    x
#define DIFFERENCE_FLAT_SINE2 1e-20
#include "geom/difference.h"

static const brn_stencil point_edge_stencils[] = {
    [BRN_FEATURE_VERTEX] = {BRN_PAIR_PP, 2, {0, 1}},
    [BRN_FEATURE_VERTEX + 1] = {BRN_PAIR_PP, 2, {0, 2}},
    [BRN_FEATURE_EDGE] = {BRN_PAIR_PE, 3, {0, 1, 2}},
};

static const brn_stencil point_triangle_stencils[] = {
    [BRN_FEATURE_VERTEX] = {BRN_PAIR_PP, 2, {0, 1}},
    [BRN_FEATURE_VERTEX + 1] = {BRN_PAIR_PP, 2, {0, 2}},
    [BRN_FEATURE_VERTEX + 2] = {BRN_PAIR_PP, 2, {0, 3}},
    [BRN_FEATURE_EDGE] = {BRN_PAIR_PE, 3, {0, 1, 2}},
    [BRN_FEATURE_EDGE + 1] = {BRN_PAIR_PE, 3, {0, 2, 3}},
    [BRN_FEATURE_EDGE + 2] = {BRN_PAIR_PE, 3, {0, 1, 3}},
    [BRN_FEATURE_FACE] = {BRN_PAIR_PT, 4, {0, 1, 2, 3}},
};

static const brn_stencil edge_edge_stencils[] = {
    [BRN_FEATURE_VERTEX] = {BRN_PAIR_PP, 2, {0, 2}},
    [BRN_FEATURE_VERTEX + 1] = {BRN_PAIR_PP, 2, {1, 2}},
    [BRN_FEATURE_VERTEX + 2] = {BRN_PAIR_PP, 2, {0, 3}},
    [BRN_FEATURE_VERTEX + 3] = {BRN_PAIR_PP, 2, {1, 3}},
    [BRN_FEATURE_EDGE] = {BRN_PAIR_PE, 3, {2, 0, 1}},
    [BRN_FEATURE_EDGE + 1] = {BRN_PAIR_PE, 3, {3, 0, 1}},
    [BRN_FEATURE_EDGE + 2] = {BRN_PAIR_PE, 3, {0, 2, 3}},
    [BRN_FEATURE_EDGE + 3] = {BRN_PAIR_PE, 3, {1, 2, 3}},
    [BRN_FEATURE_FACE] = {BRN_PAIR_EE, 4, {0, 1, 2, 3}},
};

static inline void minus(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k) {
        c[k] = a[k] - b[k];
    }
}

static inline nearest nearest_point_edge(const double x[3][3])
{
    nearest out;
    double r[2][3], e[3];
    minus(x[0], x[1], r[0]);
    minus(x[0], x[2], r[1]);
    minus(x[1], x[2], e);
    nearest_segment((const double(*)[3])r, e, &out);
    return out;
}

static inline nearest nearest_point_triangle(const double x[4][3])
{
    nearest out;
    double r[3][3], e1[3], e2[3];
    for (int k = 0; k < 3; ++k) {
        minus(x[0], x[k + 1], r[k]);
    }
    minus(x[1], x[2], e1);
    minus(x[1], x[3], e2);
    nearest_face(BRN_SHAPE_TRIANGLE, (const double(*)[3])r, e1, e2, &out);
    return out;
}

static inline nearest nearest_edge_edge(const double x[4][3])
{
    nearest out;
    double r[4][3], e1[3], e2[3];
    for (int k = 0; k < 4; ++k) {
        minus(x[k & 1], x[2 + (k >> 1)], r[k]);
    }
    minus(x[1], x[0], e1);
    minus(x[2], x[3], e2);
    nearest_face(BRN_SHAPE_RHOMBOID, (const double(*)[3])r, e1, e2, &out);
    return out;
}

brn_stencil brn_classify_point_edge(const double x[3][3])
{
    return point_edge_stencils[nearest_point_edge(x).feature];
}

brn_stencil brn_classify_point_triangle(const double x[4][3])
{
    return point_triangle_stencils[nearest_point_triangle(x).feature];
}

brn_stencil brn_classify_edge_edge(const double x[4][3])
{
    return edge_edge_stencils[nearest_edge_edge(x).feature];
}

double brn_distance_point_edge2(const double x[3][3])
{
    return nearest_point_edge(x).squared;
}

double brn_distance_point_triangle2(const double x[4][3])
{
    return nearest_point_triangle(x).squared;
}

double brn_distance_edge_edge2(const double x[4][3])
{
    return nearest_edge_edge(x).squared;
}

/* ---- gradients ------------------------------------------------------------------------------------------------- */

static inline double set_gradient(const nearest *found, int count, const double *w, double *g)
{
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            g[3 * i + k] = 2.0 * w[i] * found->c[k];
        }
    }
    return found->squared;
}

double brn_distance_point_edge2_gradient(const double x[3][3], double g[9])
{
    const nearest found = nearest_point_edge(x);
    const double w[3] = {1.0, found.uv[0] - 1.0, -found.uv[0]};
    return set_gradient(&found, 3, w, g);
}

double brn_distance_point_triangle2_gradient(const double x[4][3], double g[12])
{
    const nearest found = nearest_point_triangle(x);
    const double w[4] = {1.0, found.uv[0] + found.uv[1] - 1.0, -found.uv[0], -found.uv[1]};
    return set_gradient(&found, 4, w, g);
}

double brn_distance_edge_edge2_gradient(const double x[4][3], double g[12])
{
    const nearest found = nearest_edge_edge(x);
    const double w[4] = {1.0 - found.uv[0], found.uv[0], found.uv[1] - 1.0, -found.uv[1]};
    return set_gradient(&found, 4, w, g);
}
