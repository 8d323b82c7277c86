/* Finds a manifold: which way for which shapes, and from spots between cores to points between surfaces. */
#include "geom/manifold.h"

#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

static const double same = 1e-9;   /* distance of two points that are one, in extents */
static const double along = 0.1;   /* sine below which edges are looked at as side by side */
static const double exact = 1e-12; /* by which the overlap may miss the gap of the axis, in extents */

/* ---- points ------------------------------------------------------------------------------------------------------------------- */

/* Spots with the gap between the surfaces in place of that between the cores, without those that are too far or double. */
static void show(const brn_core *a, const brn_core *b, double within, brn_spots *spots)
{
    const double least = same * (a->extent + b->extent);
    int kept = 0;
    for (int i = 0; i < spots->count; ++i) {
        brn_spot spot = spots->spot[i];
        spot.gap -= a->radius + b->radius;
        bool wanted = spot.gap <= within;
        for (int k = 0; k < 3; ++k) {
            spot.a[k] -= a->radius * spot.n[k];
            spot.b[k] += b->radius * spot.n[k];
        }
        for (int j = 0; j < kept && wanted; ++j) {
            double way[3];
            for (int k = 0; k < 3; ++k) {
                way[k] = 0.5 * (spot.a[k] + spot.b[k] - spots->spot[j].a[k] - spots->spot[j].b[k]);
            }
            wanted = brn_dense_dot3(way, way) > least * least;
        }
        if (wanted) {
            spots->spot[kept++] = spot;
        }
    }
    spots->count = kept;
}

/* Twice the area of the triangle of three spots, across the normal of the second. */
static double corner_area(const brn_spot *p, const brn_spot *q, const brn_spot *r)
{
    double u[3];
    double v[3];
    double c[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = p->b[k] - q->b[k];
        v[k] = r->b[k] - q->b[k];
    }
    brn_dense_cross3(u, v, c);
    return fabs(brn_dense_dot3(c, q->n));
}

/* Around their middle, counterclockwise seen along the normal of the first. */
static void sort_around(brn_spots *spots)
{
    double middle[3] = {0.0, 0.0, 0.0};
    double angle[BRN_SPOTS_MOST];
    double basis[9];
    brn_part_basis(spots->spot[0].n, 3, basis);
    for (int i = 0; i < spots->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            middle[k] += spots->spot[i].b[k] / spots->count;
        }
    }
    for (int i = 0; i < spots->count; ++i) {
        const brn_spot spot = spots->spot[i];
        const double arm[3] = {spot.b[0] - middle[0], spot.b[1] - middle[1], spot.b[2] - middle[2]};
        const double own = atan2(brn_dense_dot3(basis + 3, arm), brn_dense_dot3(basis, arm));
        int at = i;
        for (; at > 0 && angle[at - 1] > own; --at) {
            angle[at] = angle[at - 1];
            spots->spot[at] = spots->spot[at - 1];
        }
        angle[at] = own;
        spots->spot[at] = spot;
    }
}

/* Of the corners of a convex overlap, those that leave the least area go, never the nearest. */
static void thin(brn_spots *spots)
{
    if (spots->count > BRN_MANIFOLD_MOST) {
        sort_around(spots);
    }
    while (spots->count > BRN_MANIFOLD_MOST) {
        const int n = spots->count;
        int nearest = 0;
        int least = -1;
        double area = INFINITY;
        for (int i = 1; i < n; ++i) {
            nearest = spots->spot[i].gap < spots->spot[nearest].gap ? i : nearest;
        }
        for (int i = 0; i < n; ++i) {
            const double own =
                corner_area(&spots->spot[(i + n - 1) % n], &spots->spot[i], &spots->spot[(i + 1) % n]);
            if (i != nearest && own < area) {
                least = i;
                area = own;
            }
        }
        least = least < 0 ? n - 1 : least;
        memmove(&spots->spot[least], &spots->spot[least + 1], (size_t)(n - 1 - least) * sizeof *spots->spot);
        spots->count--;
    }
}

/* From the frame of b to the world. */
static void put(const brn_spots *spots, const brn_rigid_map *fb, brn_manifold *out)
{
    for (int i = 0; i < spots->count; ++i) {
        const brn_spot *spot = &spots->spot[i];
        brn_manifold_point *point = &out->point[i];
        const double middle[3] = {0.5 * (spot->a[0] + spot->b[0]), 0.5 * (spot->a[1] + spot->b[1]),
                                  0.5 * (spot->a[2] + spot->b[2])};
        brn_rigid_map_apply(fb, middle, point->place);
        brn_dense_apply3(fb->rotation, spot->n, point->normal);
        point->gap = spot->gap;
    }
    out->count = spots->count;
}

/* ---- polytopes ---------------------------------------------------------------------------------------------------------------- */

/* The spot of an axis itself: where the edges cross, or under the vertex that is deepest in the face. */
static void add_axis(const brn_core *a, const brn_core *b, const brn_axis *axis, brn_spots *out)
{
    const double back[3] = {-axis->n[0], -axis->n[1], -axis->n[2]};
    brn_spot *spot = &out->spot[out->count];
    double own[3];
    double slope;
    int next;
    (void)brn_core_support(a, back, spot->a);
    const int v = brn_core_support(b, axis->n, spot->b);
    brn_core_turn_back(b, axis->n, own);
    const int f = brn_hull_facing(&b->hull, v, own, &slope, &next);
    const bool face_of_b = f >= 0 && brn_dense_dot3(b->hull.normal[f], own) > 1.0 - exact;
    memcpy(spot->n, axis->n, sizeof spot->n);
    spot->gap = axis->s;
    if (axis->edge[0] >= 0) {
        double p[2][3];
        double q[2][3];
        for (int k = 0; k < 2; ++k) {
            brn_core_place(a, a->hull.vertex[a->hull.edge[axis->edge[0]].vertex[k]], p[k]);
            brn_core_place(b, b->hull.vertex[b->hull.edge[axis->edge[1]].vertex[k]], q[k]);
        }
        const int before = out->count;
        brn_lines_near((const double(*)[3])p, (const double(*)[3])q, out);
        out->count = before;
        for (int k = 0; k < 3; ++k) {
            const double middle = 0.5 * (spot->a[k] + spot->b[k]);
            spot->a[k] = middle + 0.5 * axis->s * axis->n[k];
            spot->b[k] = middle - 0.5 * axis->s * axis->n[k];
        }
        memcpy(spot->n, axis->n, sizeof spot->n);
        spot->gap = axis->s;
    } else {
        for (int k = 0; k < 3; ++k) {
            spot->a[k] = face_of_b ? spot->a[k] : spot->b[k] + axis->s * axis->n[k];
            spot->b[k] = face_of_b ? spot->a[k] - axis->s * axis->n[k] : spot->b[k];
        }
    }
    out->count++;
}

/* The line of a core that faces d: an edge, a segment, or with its radius the axis of a cylinder whose mantle does. */
static bool line_of(const brn_core *core, const double d[3], double ends[2][3], double *radius)
{
    double own[3];
    *radius = 0.0;
    if (core->hull.nvertex > 0) {
        return brn_core_edge(core, d, ends) == 2;
    }
    brn_core_turn_back(core, d, own);
    for (int k = 0; k < 2; ++k) {
        brn_core_place(core, (const double[3]){0.0, 0.0, k == 0 ? -core->size[1] : core->size[1]}, ends[k]);
    }
    *radius = core->size[0];
    return fabs(own[2]) < along;
}

/* From axes to mantles, whose ends are flat: spots beside an end go. None is nearer than the cores are. */
static void grow_lines(const double u[3], const double v[3], const double radius[2], const double n[3],
                       double gap, int from, brn_spots *out)
{
    int kept = from;
    for (int i = from; i < out->count; ++i) {
        brn_spot *spot = &out->spot[i];
        const double cosine[2] = {brn_dense_dot3(u, spot->n) / sqrt(brn_dense_dot3(u, u)),
                                  brn_dense_dot3(v, spot->n) / sqrt(brn_dense_dot3(v, v))};
        const double shift[2] = {radius[0] * sqrt(1.0 - cosine[0] * cosine[0]),
                                 radius[1] * sqrt(1.0 - cosine[1] * cosine[1])};
        if (fabs(cosine[0]) < along && fabs(cosine[1]) < along) {
            spot->gap -= shift[0] + shift[1];
            for (int k = 0; k < 3; ++k) {
                spot->a[k] -= shift[0] * spot->n[k];
                spot->b[k] += shift[1] * spot->n[k];
                spot->n[k] = spot->gap < gap ? n[k] : spot->n[k];
            }
            spot->gap = fmax(spot->gap, gap);
            out->spot[kept++] = *spot;
        }
    }
    out->count = kept;
}

/* Lines side by side, apart by `gap`: the ends of the stretch, with their own normals. They take the place of a spot as near that
   stands there already. */
static void add_lines(const brn_core *a, const brn_core *b, const double n[3], double gap, brn_spots *out)
{
    double p[2][3];
    double q[2][3];
    double u[3];
    double v[3];
    double c[3];
    double radius[2];
    const int before = out->count;
    if (!line_of(a, (const double[3]){-n[0], -n[1], -n[2]}, p, &radius[0]) || !line_of(b, n, q, &radius[1])) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        u[k] = p[1][k] - p[0][k];
        v[k] = q[1][k] - q[0][k];
    }
    brn_dense_cross3(u, v, c);
    if (!(brn_dense_dot3(c, c) < along * along * brn_dense_dot3(u, u) * brn_dense_dot3(v, v))) {
        return;
    }
    brn_lines_near((const double(*)[3])p, (const double(*)[3])q, out);
    if (radius[0] + radius[1] > 0.0) {
        grow_lines(u, v, radius, n, gap, before, out);
    }
    if (out->count > before &&
        brn_dense_dot3(out->spot[before].n, n) < 0.9) { /* others than those that are nearest */
        out->count = before;
    } else if (before == 1 && out->count > 1 && out->spot[1].gap <= gap + same * fabs(gap)) {
        out->count--;
        memmove(&out->spot[0], &out->spot[1], (size_t)out->count * sizeof *out->spot);
    }
}

static double lowest_of(const brn_spots *spots)
{
    double lowest = INFINITY;
    for (int i = 0; i < spots->count; ++i) {
        lowest = fmin(lowest, spots->spot[i].gap);
    }
    return lowest;
}

static void add_spot(const double pa[3], const double pb[3], const double n[3], double gap, brn_spots *out)
{
    brn_spot *spot = &out->spot[out->count++];
    memcpy(spot->a, pa, sizeof spot->a);
    memcpy(spot->b, pb, sizeof spot->b);
    memcpy(spot->n, n, sizeof spot->n);
    spot->gap = gap;
}

static void find_polytopes(const brn_core *a, const brn_core *b, double within, brn_spots *out)
{
    const double enough = within + a->radius + b->radius;
    const double missing = exact * (a->extent + b->extent);
    const bool boxes = a->shape != NULL && b->shape != NULL && a->shape->kind == BRN_PRIMITIVE_BOX &&
                       b->shape->kind == BRN_PRIMITIVE_BOX;
    const brn_axis axis = boxes ? brn_axis_of_boxes(a, b, enough) : brn_axis_of_hulls(a, b, enough);
    if (axis.s > enough) {
        return;
    }
    brn_overlap_faces(a, b, axis.n, out);
    /* The overlap has points as near as the axis says: nothing is nearer. Else the shapes are apart, nearest at vertices or edges. */
    if (lowest_of(out) <= axis.s + missing + same * fabs(axis.s)) {
        if (axis.s > 0.0 && axis.edge[0] >= 0) {
            add_lines(a, b, axis.n, axis.s, out);
        }
        return;
    }
    double n[3];
    double pa[3];
    double pb[3];
    const double distance = axis.s > -missing ? brn_core_near(a, b, axis.n, n, pa, pb) : 0.0;
    if (distance <= missing) {
        add_axis(a, b, &axis, out);
        return;
    }
    out->count = 0;
    add_spot(pa, pb, n, distance, out);
    if (b->hull.dim == 3) {
        add_lines(a, b, n, distance, out);
    }
}

/* ---- cylinders ---------------------------------------------------------------------------------------------------------------- */

static void find_cylinders(brn_core *a, const brn_core *b, double within, brn_spots *out)
{
    const double enough = within + a->radius + b->radius;
    const double missing = same * (a->extent + b->extent);
    double n[3];
    double pa[3];
    double pb[3];
    const double s = brn_axis_of_cylinders(a, b, enough, n, pa, pb);
    if (s > enough) {
        return;
    }
    brn_overlap_faces(a, b, n, out);
    brn_overlap_rims(a, b, n, out);
    if (a->hull.nface + b->hull.nface == 0 || lowest_of(out) > s + missing) {
        add_lines(a, b, n, s, out);
    }
    if (lowest_of(out) > s + missing) {
        double middle[3];
        for (int k = 0; k < 3; ++k) {
            middle[k] = 0.5 * (pa[k] + pb[k]);
            pa[k] = middle[k] + 0.5 * s * n[k];
            pb[k] = middle[k] - 0.5 * s * n[k];
        }
        add_spot(pa, pb, n, s, out);
    }
}

/* ---- which way ---------------------------------------------------------------------------------------------------------------- */

static bool is(const brn_convex *shape, brn_primitive_kind kind)
{
    return shape->hull == NULL && shape->shape.kind == kind;
}

/* A ball against a primitive: the distance of its centre. sign 1: the ball is a. */
static void find_ball(const brn_convex *ball, const brn_rigid_map *at, const brn_convex *other,
                      const brn_rigid_map *frame, double sign, double within, brn_manifold *out)
{
    brn_manifold_point *point = &out->point[0];
    double closest[3];
    point->gap = brn_primitive_distance_at(&other->shape, frame, at->origin, point->normal, closest) -
                 ball->shape.size[0];
    for (int i = 0; i < 3; ++i) {
        point->place[i] = closest[i] + 0.5 * point->gap * point->normal[i];
        point->normal[i] *= sign;
    }
    out->count = point->gap <= within ? 1 : 0;
}

static void find_segments(const brn_core *a, const brn_core *b, brn_spots *out)
{
    double p[2][3];
    double q[2][3];
    for (int k = 0; k < 2; ++k) {
        brn_core_place(a, a->hull.vertex[k], p[k]);
        brn_core_place(b, b->hull.vertex[k], q[k]);
    }
    brn_lines_near((const double(*)[3])p, (const double(*)[3])q, out);
}

void brn_manifold_find(const brn_convex *a, const brn_rigid_map *fa, const brn_convex *b,
                       const brn_rigid_map *fb, double within, brn_manifold *out)
{
    const bool halves = is(a, BRN_PRIMITIVE_PLANE) && is(b, BRN_PRIMITIVE_PLANE);
    out->count = 0;
    if (halves) {
        return;
    }
    if (is(a, BRN_PRIMITIVE_PLANE)) {
        brn_manifold_find(b, fb, a, fa, within, out);
        for (int i = 0; i < out->count; ++i) {
            for (int k = 0; k < 3; ++k) {
                out->point[i].normal[k] = -out->point[i].normal[k];
            }
        }
        return;
    }
    if (is(a, BRN_PRIMITIVE_SPHERE) && b->hull == NULL) {
        find_ball(a, fa, b, fb, 1.0, within, out);
        return;
    }
    if (is(b, BRN_PRIMITIVE_SPHERE) && a->hull == NULL) {
        find_ball(b, fb, a, fa, -1.0, within, out);
        return;
    }
    brn_core ca;
    brn_core cb;
    brn_spots spots;
    spots.count = 0;
    brn_core_set(&ca, a, fa, fb);
    if (is(b, BRN_PRIMITIVE_PLANE)) {
        cb.radius = 0.0;
        cb.extent = 0.0;
        brn_overlap_plane(&ca, b->shape.dim, &spots);
    } else {
        brn_core_set(&cb, b, fb, fb);
        if (ca.hull.dim == 3 && is(a, BRN_PRIMITIVE_CAPSULE) && is(b, BRN_PRIMITIVE_CAPSULE)) {
            find_segments(&ca, &cb, &spots);
        } else if (ca.hull.nvertex == 0 || cb.hull.nvertex == 0) {
            find_cylinders(&ca, &cb, within, &spots);
        } else {
            find_polytopes(&ca, &cb, within, &spots);
        }
    }
    show(&ca, &cb, within, &spots);
    thin(&spots);
    put(&spots, fb, out);
}
