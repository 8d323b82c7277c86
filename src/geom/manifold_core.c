/* Cores of shapes: boxes, segments and points as polytopes, support, and which edge and face of a polytope go on from there. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

/* Vertex i of a box is on the upper side of axis k if bit k of i is set. Faces: +x, -x, +y, -y, +z, -z. */
static const int box_face_start[7] = {0, 4, 8, 12, 16, 20, 24};
static const int box_face_vertex[24] = {1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3,
                                        0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1};
static const int box_ring_start[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
static const int box_ring[24] = {1, 3, 5, 0, 3, 5, 1, 2, 5, 0, 2, 5, 1, 3, 4, 0, 3, 4, 1, 2, 4, 0, 2, 4};
static const double box_normal[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
static const brn_hull_edge box_edge[12] = {
    {{0, 1}, {3, 5}}, {{2, 3}, {2, 5}}, {{4, 5}, {3, 4}}, {{6, 7}, {2, 4}},
    {{0, 2}, {1, 5}}, {{1, 3}, {0, 5}}, {{4, 6}, {1, 4}}, {{5, 7}, {0, 4}},
    {{0, 4}, {1, 3}}, {{1, 5}, {0, 3}}, {{2, 6}, {1, 2}}, {{3, 7}, {0, 2}},
};
static const int plate_face_start[5] = {0, 2, 4, 6, 8};
static const int plate_face_vertex[8] = {1, 3, 2, 0, 3, 2, 0, 1};
static const int plate_ring_start[5] = {0, 2, 4, 6, 8};
static const int plate_ring[8] = {1, 3, 0, 3, 1, 2, 0, 2};
/* A segment in the plane has two sides, so that its own normals are among those of faces. */
static const int rod_face_vertex[4] = {0, 1, 1, 0};
static const int rod_ring[4] = {0, 1, 0, 1};
static const brn_hull_edge rod_edge = {{0, 1}, {-1, -1}};

double brn_unit3(double v[3])
{
    const double length = sqrt(brn_dense_dot3(v, v));
    if (length > 0.0) {
        for (int i = 0; i < 3; ++i) {
            v[i] /= length;
        }
    }
    return length;
}

static void set_box(brn_core *core, const double *size, int dim)
{
    for (int i = 0; i < 1 << dim; ++i) {
        for (int k = 0; k < 3; ++k) {
            core->vertex[i][k] = k >= dim ? 0.0 : (i >> k & 1) != 0 ? size[k] : -size[k];
        }
    }
    for (int f = 0; f < 2 * dim; ++f) {
        core->offset[f] = size[f / 2];
    }
    const bool solid = dim == 3;
    core->hull = (brn_hull){dim,
                            1 << dim,
                            2 * dim,
                            solid ? 12 : 0,
                            core->vertex,
                            box_normal,
                            core->offset,
                            solid ? box_face_start : plate_face_start,
                            solid ? box_face_vertex : plate_face_vertex,
                            solid ? box_ring_start : plate_ring_start,
                            solid ? box_ring : plate_ring,
                            box_edge};
}

static void set_rod(brn_core *core, double half, int dim)
{
    memset(core->vertex, 0, 2 * sizeof *core->vertex);
    core->vertex[0][dim - 1] = -half;
    core->vertex[1][dim - 1] = half;
    core->offset[0] = 0.0;
    core->offset[1] = 0.0;
    const int nface = dim == 2 ? 2 : 0;
    core->hull = (brn_hull){dim,
                            2,
                            nface,
                            dim == 2 ? 0 : 1,
                            core->vertex,
                            box_normal,
                            core->offset,
                            plate_face_start,
                            rod_face_vertex,
                            plate_ring_start,
                            rod_ring,
                            &rod_edge};
}

void brn_core_set(brn_core *core, const brn_convex *shape, const brn_rigid_map *frame,
                  const brn_rigid_map *base)
{
    const brn_primitive *own = &shape->shape;
    brn_dense_multiply3_tn(base->rotation, frame->rotation, core->rotation);
    brn_rigid_map_undo(base, frame->origin, core->origin);
    core->radius = 0.0;
    core->shape = shape->hull != NULL ? NULL : own;
    if (shape->hull != NULL) {
        const double *v = shape->hull->vertex[0];
        core->hull = *shape->hull;
        core->extent = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
        for (int f = 0; f < core->hull.nface; ++f) {
            core->extent = fmax(core->extent, fabs(core->hull.offset[f]));
        }
        return;
    }
    core->extent = own->size[0];
    switch (own->kind) {
    case BRN_PRIMITIVE_BOX:
        set_box(core, own->size, own->dim);
        core->extent += own->size[1] + (own->dim == 3 ? own->size[2] : 0.0);
        break;
    case BRN_PRIMITIVE_CAPSULE:
        set_rod(core, own->size[1], own->dim);
        core->radius = own->size[0];
        core->extent += own->size[1];
        break;
    case BRN_PRIMITIVE_SPHERE:
        set_rod(core, 0.0, 3);
        core->hull.dim = own->dim;
        core->hull.nvertex = 1;
        core->hull.nedge = 0;
        core->radius = own->size[0];
        break;
    default: /* a cylinder */
        core->hull = (brn_hull){.dim = own->dim};
        core->size[0] = own->size[0];
        core->size[1] = own->size[1];
        core->extent += own->size[1];
    }
}

void brn_core_place(const brn_core *core, const double own[3], double out[3])
{
    brn_dense_apply3(core->rotation, own, out);
    for (int i = 0; i < 3; ++i) {
        out[i] += core->origin[i];
    }
}

void brn_core_turn_back(const brn_core *core, const double direction[3], double own[3])
{
    brn_dense_apply3_t(core->rotation, direction, own);
}

int brn_core_support(const brn_core *core, const double d[3], double out[3])
{
    double own[3];
    brn_core_turn_back(core, d, own);
    if (core->hull.nvertex == 0) {
        double far[3];
        (void)brn_primitive_support(core->shape, own, far);
        brn_core_place(core, far, out);
        return 0;
    }
    int best = 0;
    double most = brn_dense_dot3(core->hull.vertex[0], own);
    for (int i = 1; i < core->hull.nvertex; ++i) {
        const double height = brn_dense_dot3(core->hull.vertex[i], own);
        best = height > most ? i : best;
        most = height > most ? height : most;
    }
    brn_core_place(core, core->hull.vertex[best], out);
    return best;
}

/* Sine of the angle by which the way from vertex v to w goes down along d. */
static double descent(const brn_hull *hull, int v, int w, const double d[3])
{
    const double *x = hull->vertex[v];
    const double *y = hull->vertex[w];
    const double way[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    return brn_dense_dot3(way, d) / sqrt(brn_dense_dot3(way, way));
}

int brn_hull_facing(const brn_hull *hull, int vertex, const double d[3], double *slope, int *next)
{
    int best = -1;
    double least = INFINITY;
    double facing = -INFINITY;
    for (int r = hull->ring_start[vertex]; r < hull->ring_start[vertex + 1] && hull->nface > 0; ++r) {
        const int f = hull->ring[r];
        const int *corner = hull->face_vertex + hull->face_start[f];
        const int n = hull->face_start[f + 1] - hull->face_start[f];
        int at = 0;
        while (at < n - 1 && corner[at] != vertex) {
            ++at;
        }
        const int side[2] = {corner[(at + 1) % n], corner[(at + n - 1) % n]};
        const double one = descent(hull, vertex, side[0], d);
        const double two = descent(hull, vertex, side[1], d);
        const double low = one < two ? one : two;
        const double cosine = brn_dense_dot3(hull->normal[f], d);
        if (low < least || (low == least && cosine > facing)) {
            best = f;
            least = low;
            facing = cosine;
            *next = one < two ? side[0] : side[1];
        }
    }
    *slope = least;
    return best;
}

int brn_core_edge(const brn_core *core, const double d[3], double ends[2][3])
{
    const brn_hull *hull = &core->hull;
    const int v = brn_core_support(core, d, ends[0]);
    int next = 1 - v;
    double own[3];
    double slope;
    if (hull->nvertex < 2) {
        return 1;
    }
    brn_core_turn_back(core, d, own);
    (void)brn_hull_facing(hull, v, own, &slope, &next);
    brn_core_place(core, hull->vertex[next], ends[1]);
    return 2;
}
