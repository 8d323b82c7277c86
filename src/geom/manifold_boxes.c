/* The axis of the largest separation of two boxes: six normals, nine cross products [Gottschalk, Lin, Manocha 1996]. */
#include "geom/manifold_inner.h"

#include <math.h>

static const double rounding = 1e-12; /* of separations, in extents */
static const double parallel = 1e-12; /* square of the sine below which edges have no cross product */

/* The edge of a box along `axis` that is farthest along d, by the order of the table of edges. */
static int box_edge_along(const brn_core *core, int axis, const double d[3])
{
    double own[3];
    brn_core_turn_back(core, d, own);
    const int low = axis == 0 ? 1 : 0;
    const int high = axis == 2 ? 1 : 2;
    return 4 * axis + (own[low] > 0.0 ? 1 : 0) + (own[high] > 0.0 ? 2 : 0);
}

/* Edge i of b with edge j of a [Gottschalk, Lin, Manocha 1996]: L = e_i x A_j, whose products with the axes are entries of R. */
static double cross_of_boxes(const brn_core *a, const brn_core *b, const double size[3], int i, int j,
                             double n[3])
{
    const double *r = a->rotation;
    const double *t = a->origin;
    const int i1 = (i + 1) % 3;
    const int i2 = (i + 2) % 3;
    const int j1 = (j + 1) % 3;
    const int j2 = (j + 2) % 3;
    const double square = r[3 * i1 + j] * r[3 * i1 + j] + r[3 * i2 + j] * r[3 * i2 + j];
    if (!(square > parallel)) {
        return -INFINITY;
    }
    const double along = t[i2] * r[3 * i1 + j] - t[i1] * r[3 * i2 + j];
    const double *other = b->shape->size;
    const double reach = size[j1] * fabs(r[3 * i + j2]) + size[j2] * fabs(r[3 * i + j1]) +
                         other[i1] * fabs(r[3 * i2 + j]) + other[i2] * fabs(r[3 * i1 + j]);
    const double length = sqrt(square);
    const double scale = (along < 0.0 ? -1.0 : 1.0) / length;
    n[i] = 0.0;
    n[i1] = -r[3 * i2 + j] * scale;
    n[i2] = r[3 * i1 + j] * scale;
    return (fabs(along) - reach) / length;
}

brn_axis brn_axis_of_boxes(const brn_core *a, const brn_core *b, double enough)
{
    const double *r = a->rotation;
    const double *t = a->origin;
    const double *sa = a->shape->size;
    const double *sb = b->shape->size;
    const int dim = b->hull.dim;
    brn_axis best = {.n = {0.0, 0.0, 0.0}, .s = -INFINITY, .edge = {BRN_NO_EDGE, BRN_NO_EDGE}};
    for (int i = 0; i < dim; ++i) {
        double reach = sb[i];
        double across = sa[i];
        double along = 0.0;
        double n[3] = {0.0, 0.0, 0.0};
        for (int j = 0; j < dim; ++j) {
            reach += fabs(r[3 * i + j]) * sa[j];
            across += fabs(r[3 * j + i]) * sb[j];
            along += r[3 * j + i] * t[j];
        }
        n[i] = 1.0;
        brn_axis_take(&best, fabs(t[i]) - reach, n, t[i] < 0.0 ? -1.0 : 1.0);
        brn_axis_take(&best, fabs(along) - across, (const double[3]){r[i], r[3 + i], r[6 + i]},
                      along < 0.0 ? -1.0 : 1.0);
    }
    if (best.s > enough || dim == 2) {
        return best;
    }
    int pair[2] = {BRN_NO_EDGE, BRN_NO_EDGE};
    const double margin = rounding * (a->extent + b->extent);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double n[3];
            const double s = cross_of_boxes(a, b, sa, i, j, n);
            if (s > best.s + (pair[0] == BRN_NO_EDGE ? margin : 0.0)) {
                brn_axis_take(&best, s, n, 1.0);
                pair[0] = j;
                pair[1] = i;
            }
        }
    }
    if (pair[0] != BRN_NO_EDGE) {
        const double back[3] = {-best.n[0], -best.n[1], -best.n[2]};
        best.edge[0] = box_edge_along(a, pair[0], back);
        best.edge[1] = box_edge_along(b, pair[1], best.n);
    }
    return best;
}
