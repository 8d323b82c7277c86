/* Axes of separation of polytopes: normals of faces, and cross products of edges whose arcs on the sphere of directions cross (the
   faces of the Minkowski difference). A cross product must be better than a face's normal by more than rounding: of
   edges nearly parallel it is nearly such a normal, and less exact. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

enum { NO_EDGE = -1 };

static const double rounding = 1e-12; /* of separations, in extents */
static const double parallel = 1e-12; /* square of the sine below which edges have no cross product */

static void take(brn_axis *best, double s, const double n[3], double sign)
{
    if (s > best->s) {
        best->s = s;
        best->edge[0] = NO_EDGE;
        for (int i = 0; i < 3; ++i) {
            best->n[i] = sign * n[i];
        }
    }
}

/* The faces of `of` against the vertices of `to`; sign 1: `of` is b, whose normals go out of it. */
static bool faces_against(const brn_core *of, const brn_core *to, double sign, double enough, brn_axis *best)
{
    const brn_hull *hull = &of->hull;
    for (int f = 0; f < hull->nface && best->s <= enough; ++f) {
        double n[3];
        double p[3];
        brn_dense_apply3(of->rotation, hull->normal[f], n);
        const double down[3] = {-n[0], -n[1], -n[2]};
        (void)brn_core_support(to, down, p);
        const double base = hull->offset[f] + brn_dense_dot3(n, of->origin);
        take(best, brn_dense_dot3(n, p) - base, n, sign);
    }
    return best->s > enough;
}

typedef struct turned_edge {
    double at[3], way[3], face[2][3];
    bool arc;
} turned_edge;

static void turn_edge(const brn_core *core, int e, double sign, turned_edge *out)
{
    const brn_hull_edge *edge = &core->hull.edge[e];
    double other[3];
    brn_core_place(core, core->hull.vertex[edge->vertex[0]], out->at);
    brn_core_place(core, core->hull.vertex[edge->vertex[1]], other);
    out->arc = edge->face[0] >= 0;
    for (int i = 0; i < 3; ++i) {
        out->way[i] = other[i] - out->at[i];
    }
    for (int k = 0; k < 2 && out->arc; ++k) {
        brn_dense_apply3(core->rotation, core->hull.normal[edge->face[k]], out->face[k]);
        for (int i = 0; i < 3; ++i) {
            out->face[k][i] *= sign;
        }
    }
}

/* n lies on the arc between the normals of the edge's two faces: n = x f0 + y f1 with x, y >= 0. */
static bool on_arc(const turned_edge *e, const double n[3])
{
    double span[3];
    double c0[3];
    double c1[3];
    if (!e->arc) {
        return true;
    }
    brn_dense_cross3(e->face[0], e->face[1], span);
    brn_dense_cross3(n, e->face[1], c0);
    brn_dense_cross3(e->face[0], n, c1);
    return brn_dense_dot3(c0, span) >= 0.0 && brn_dense_dot3(c1, span) >= 0.0;
}

static void try_edges(const brn_core *a, const brn_core *b, const int e[2], const turned_edge edge[2],
                      brn_axis *best)
{
    double n[3];
    brn_dense_cross3(edge[0].way, edge[1].way, n);
    const double square = brn_dense_dot3(n, n);
    if (!(square >
          parallel * brn_dense_dot3(edge[0].way, edge[0].way) * brn_dense_dot3(edge[1].way, edge[1].way))) {
        return;
    }
    (void)brn_unit3(n);
    const double apart[3] = {edge[0].at[0] - edge[1].at[0], edge[0].at[1] - edge[1].at[1],
                             edge[0].at[2] - edge[1].at[2]};
    const double along = brn_dense_dot3(apart, n);
    /* Both edges support where n lies on both arcs; which of the two signs, the arcs say, or the side, of two segments. */
    for (int k = 0; k < 2; ++k) {
        const double sign = (along < 0.0) == (k == 0) ? -1.0 : 1.0;
        const double s = sign * along;
        const double margin = best->edge[0] < 0 ? rounding * (a->extent + b->extent) : 0.0;
        const double way[3] = {sign * n[0], sign * n[1], sign * n[2]};
        if (s > best->s + margin && on_arc(&edge[0], way) && on_arc(&edge[1], way)) {
            double pa[3];
            double pb[3];
            const double back[3] = {-way[0], -way[1], -way[2]};
            (void)brn_core_support(a, back, pa);
            (void)brn_core_support(b, way, pb);
            const double real = brn_dense_dot3(way, pa) - brn_dense_dot3(way, pb);
            if (real > best->s + margin) {
                take(best, real, way, 1.0);
                memcpy(best->edge, e, sizeof best->edge);
            }
        }
    }
}

brn_axis brn_axis_of_hulls(const brn_core *a, const brn_core *b, double enough)
{
    brn_axis best = {.n = {0.0, 0.0, 0.0}, .s = -INFINITY, .edge = {NO_EDGE, NO_EDGE}};
    if (faces_against(b, a, 1.0, enough, &best) || faces_against(a, b, -1.0, enough, &best)) {
        return best;
    }
    for (int i = 0; i < a->hull.nedge; ++i) {
        turned_edge edge[2];
        turn_edge(a, i, -1.0, &edge[0]);
        for (int j = 0; j < b->hull.nedge && best.s <= enough; ++j) {
            turn_edge(b, j, 1.0, &edge[1]);
            try_edges(a, b, (const int[2]){i, j}, edge, &best);
        }
    }
    return best;
}

/* ---- two boxes ---------------------------------------------------------------------------------------------------------------- */

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
    brn_axis best = {.n = {0.0, 0.0, 0.0}, .s = -INFINITY, .edge = {NO_EDGE, NO_EDGE}};
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
        take(&best, fabs(t[i]) - reach, n, t[i] < 0.0 ? -1.0 : 1.0);
        take(&best, fabs(along) - across, (const double[3]){r[i], r[3 + i], r[6 + i]},
             along < 0.0 ? -1.0 : 1.0);
    }
    if (best.s > enough || dim == 2) {
        return best;
    }
    int pair[2] = {NO_EDGE, NO_EDGE};
    const double margin = rounding * (a->extent + b->extent);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double n[3];
            const double s = cross_of_boxes(a, b, sa, i, j, n);
            if (s > best.s + (pair[0] == NO_EDGE ? margin : 0.0)) {
                take(&best, s, n, 1.0);
                pair[0] = j;
                pair[1] = i;
            }
        }
    }
    if (pair[0] != NO_EDGE) {
        const double back[3] = {-best.n[0], -best.n[1], -best.n[2]};
        best.edge[0] = box_edge_along(a, pair[0], back);
        best.edge[1] = box_edge_along(b, pair[1], best.n);
    }
    return best;
}
