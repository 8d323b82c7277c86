/* Axes of separation of polytopes: normals of faces, and cross products of edges whose arcs on the sphere of directions cross (the
   faces of the Minkowski difference). A cross product must be better than a face's normal by more than rounding: of
   edges nearly parallel it is nearly such a normal, and less exact. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

enum { EDGES_MOST = 64 };

static const double rounding = 1e-12; /* of separations, in extents */
static const double parallel = 1e-12; /* square of the sine below which edges have no cross product */

void brn_axis_take(brn_axis *best, double s, const double n[3], double sign)
{
    if (s > best->s) {
        best->s = s;
        best->edge[0] = BRN_NO_EDGE;
        for (int i = 0; i < 3; ++i) {
            best->n[i] = sign * n[i];
        }
    }
}

brn_bound brn_bound_of(const brn_core *a, const brn_core *b)
{
    brn_bound out;
    double ma[3];
    double mb[3];
    brn_core_place(a, a->hull.middle, ma);
    brn_core_place(b, b->hull.middle, mb);
    for (int i = 0; i < 3; ++i) {
        out.way[i] = ma[i] - mb[i];
    }
    out.inner = a->hull.inner + b->hull.inner;
    return out;
}

static void face_against(const brn_core *of, const brn_core *to, double sign, int f, brn_axis *best)
{
    double n[3];
    double p[3];
    brn_dense_apply3(of->rotation, of->hull.normal[f], n);
    (void)brn_core_support(to, (const double[3]){-n[0], -n[1], -n[2]}, p);
    const double base = of->hull.offset[f] + brn_dense_dot3(n, of->origin);
    brn_axis_take(best, brn_dense_dot3(n, p) - base, n, sign);
}

/* The faces of `of` against the vertices of `to`; sign 1: `of` is b, whose normals go out of it. The one that promises most is
   first, so that few others are worth a look. */
static bool faces_against(const brn_core *of, const brn_core *to, double sign, const brn_bound *most,
                          double enough, brn_axis *best)
{
    const brn_hull *hull = &of->hull;
    double way[3];
    int first = 0;
    brn_core_turn_back(of, most->way, way);
    for (int f = 1; f < hull->nface; ++f) {
        first = sign * (brn_dense_dot3(hull->normal[f], way) - brn_dense_dot3(hull->normal[first], way)) > 0.0
                    ? f
                    : first;
    }
    for (int k = -1; k < hull->nface && best->s <= enough; ++k) {
        const int f = k < 0 ? first : k;
        if (f < hull->nface &&
            (k < 0 || sign * brn_dense_dot3(hull->normal[f], way) - most->inner > best->s)) {
            face_against(of, to, sign, f, best);
        }
    }
    return best->s > enough;
}

/* An edge in the frame of work: its arc of directions is that between the normals of its faces, of a with their signs changed. */
typedef struct arc {
    double at[3], way[3], end[2][3];
    bool whole; /* of a segment: all directions across */
} arc;

static void arc_of(const brn_core *core, int e, double sign, arc *out)
{
    const brn_hull_edge *edge = &core->hull.edge[e];
    const double *p = core->hull.vertex[edge->vertex[0]];
    const double *q = core->hull.vertex[edge->vertex[1]];
    const double own[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    brn_core_place(core, p, out->at);
    brn_dense_apply3(core->rotation, own, out->way);
    out->whole = edge->face[0] < 0;
    for (int k = 0; k < 2 && !out->whole; ++k) {
        brn_dense_apply3(core->rotation, core->hull.normal[edge->face[k]], out->end[k]);
        for (int i = 0; i < 3; ++i) {
            out->end[k][i] *= sign;
        }
    }
}

/* The most that n . way can be on the arc of an edge: at way itself, projected, if that lies on it, else at an end. Way in the core's frame; sign
   -1: the arc is that of the normals reversed. */
static bool promising(const brn_core *core, int e, const double way[3], double sign, double least)
{
    const brn_hull_edge *edge = &core->hull.edge[e];
    double c[3];
    if (edge->face[0] < 0) {
        return true;
    }
    const double *n0 = core->hull.normal[edge->face[0]];
    const double *n1 = core->hull.normal[edge->face[1]];
    if (sign * brn_dense_dot3(n0, way) > least || sign * brn_dense_dot3(n1, way) > least) {
        return true;
    }
    const double *p = core->hull.vertex[edge->vertex[0]];
    const double *q = core->hull.vertex[edge->vertex[1]];
    const double own[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    brn_dense_cross3(own, way, c);
    if (!(sign * brn_dense_dot3(c, n0) < 0.0 && sign * brn_dense_dot3(c, n1) > 0.0)) {
        return false;
    }
    /* |way x edge| / |edge|: the length of way across the edge. */
    return least < 0.0 || brn_dense_dot3(c, c) > least * least * brn_dense_dot3(own, own);
}

/* Arcs cross where the ends of each lie on two sides of the plane of the other, and on the same half of the sphere. Their edges are
   along the normals of these planes [Gregorius 2013]. */
static bool arcs_cross(const arc *a, const arc *b)
{
    const double b0 = b->whole ? 1.0 : brn_dense_dot3(b->end[0], a->way);
    const double b1 = b->whole ? -1.0 : brn_dense_dot3(b->end[1], a->way);
    if (!(b0 * b1 < 0.0)) {
        return false;
    }
    const double a0 = a->whole ? 1.0 : brn_dense_dot3(a->end[0], b->way);
    const double a1 = a->whole ? -1.0 : brn_dense_dot3(a->end[1], b->way);
    return a0 * a1 < 0.0 && (a->whole || b->whole || b0 * a1 > 0.0);
}

static void try_arcs(const brn_core *a, const brn_core *b, const arc *pa, const arc *pb, const int e[2],
                     brn_axis *best)
{
    double n[3];
    brn_dense_cross3(pa->way, pb->way, n);
    const double square = brn_dense_dot3(n, n);
    if (!(square > parallel * brn_dense_dot3(pa->way, pa->way) * brn_dense_dot3(pb->way, pb->way))) {
        return;
    }
    /* Of the two directions the one on the arcs. */
    const arc *half = pb->whole ? pa : pb;
    const double facing = brn_dense_dot3(half->end[0], n) + brn_dense_dot3(half->end[1], n);
    const double scale = (facing < 0.0 ? -1.0 : 1.0) / sqrt(square);
    const double margin = best->edge[0] < 0 ? rounding * (a->extent + b->extent) : 0.0;
    for (int i = 0; i < 3; ++i) {
        n[i] *= scale;
    }
    const double apart[3] = {pa->at[0] - pb->at[0], pa->at[1] - pb->at[1], pa->at[2] - pb->at[2]};
    if (brn_dense_dot3(apart, n) > best->s + margin) {
        const double s =
            brn_core_separation(a, b, n); /* of edges nearly parallel the other may be too much */
        if (s > best->s + margin) {
            brn_axis_take(best, s, n, 1.0);
            memcpy(best->edge, e, sizeof best->edge);
        }
    }
}

/* The edges of a against some of b. */
static void edges_against(const brn_core *a, const brn_core *b, const brn_bound *most, const arc *near,
                          const int *number, int nnear, brn_axis *best)
{
    double way[3];
    brn_core_turn_back(a, most->way, way);
    for (int i = 0; i < a->hull.nedge && nnear > 0; ++i) {
        arc own;
        if (!promising(a, i, way, -1.0, best->s + most->inner)) {
            continue;
        }
        arc_of(a, i, -1.0, &own);
        for (int j = 0; j < nnear; ++j) {
            if (arcs_cross(&own, &near[j])) {
                try_arcs(a, b, &own, &near[j], (const int[2]){i, number[j]}, best);
            }
        }
    }
}

brn_axis brn_axis_of_hulls(const brn_core *a, const brn_core *b, double enough)
{
    brn_axis best = {.n = {0.0, 0.0, 0.0}, .s = -INFINITY, .edge = {BRN_NO_EDGE, BRN_NO_EDGE}};
    const brn_bound most = brn_bound_of(a, b);
    arc near[EDGES_MOST];
    int number[EDGES_MOST];
    int nnear = 0;
    double way[3];
    if (faces_against(b, a, 1.0, &most, enough, &best) || faces_against(a, b, -1.0, &most, enough, &best)) {
        return best;
    }
    brn_core_turn_back(b, most.way, way);
    for (int j = 0; j < b->hull.nedge && best.s <= enough; ++j) {
        if (promising(b, j, way, 1.0, best.s + most.inner)) {
            arc_of(b, j, 1.0, &near[nnear]);
            number[nnear++] = j;
        }
        if (nnear == EDGES_MOST || j == b->hull.nedge - 1) {
            edges_against(a, b, &most, near, number, nnear, &best);
            nnear = 0;
        }
    }
    return best;
}
