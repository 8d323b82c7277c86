/* Shapes that pass each other: see brn_manifold_pass. */
#include "geom/manifold_inner.h"

#include <math.h>

/* In half thicknesses of the thinner shape: what passes may be in the other one by `hair` before, about what a contact that carries a load
   is; slower than `still`, nothing has to be passed. */
static const double hair = 5e-3;
static const double still = 1e-5;
/* Cosine of normals that are one: what a ball may lose at an edge that it rolls over is the square of the sine. */
static const double same = 0.9999;

/* Where a place of a shape in one of its frames is in the other one. */
static void lead(const brn_rigid_map *from, const brn_rigid_map *to, const double place[3], double out[3])
{
    double own[3];
    brn_rigid_map_undo(from, place, own);
    brn_rigid_map_apply(to, own, out);
}

/* The share of the motion after which the point that closes most is in the other shape by `depth`; 0: none closes its gap. */
static double share_to(const brn_manifold *now, const brn_rigid_map fa[2], const brn_rigid_map fb[2],
                       double least, double depth)
{
    double share = 0.0;
    double most = 0.0;
    for (int i = 0; i < now->count; ++i) {
        const brn_manifold_point *p = &now->point[i];
        double a[3];
        double b[3];
        lead(&fa[0], &fa[1], p->place, a);
        lead(&fb[0], &fb[1], p->place, b);
        const double closing = brn_dense_dot3(b, p->normal) - brn_dense_dot3(a, p->normal);
        if (closing > least && closing - p->gap > most) {
            most = closing - p->gap;
            share = fmin(1.0, (fmax(p->gap, 0.0) + depth) / closing);
        }
    }
    return share;
}

static void go(const brn_rigid_map frame[2], double share, brn_rigid_map out[2])
{
    out[0] = frame[0];
    out[1] = frame[1];
    for (int k = 0; k < 3; ++k) {
        out[1].origin[k] = frame[0].origin[k] + share * (frame[1].origin[k] - frame[0].origin[k]);
    }
}

/* Points of a later moment as they are at the start: the parts of both shapes that meet are not at one place yet. */
static void take_back(const brn_rigid_map fa[2], const brn_rigid_map fb[2], brn_manifold *points)
{
    for (int i = 0; i < points->count; ++i) {
        brn_manifold_point *p = &points->point[i];
        double a[3];
        double b[3];
        lead(&fa[1], &fa[0], p->place, a);
        lead(&fb[1], &fb[0], p->place, b);
        p->gap += brn_dense_dot3(a, p->normal) - brn_dense_dot3(b, p->normal);
        for (int k = 0; k < 3; ++k) {
            p->place[k] = 0.5 * (a[k] + b[k]);
        }
    }
}

/* Drops points whose normal is not that of the first: of lines along each other each has its own. */
static void keep_along(const double first[3], brn_manifold *points)
{
    const double n[3] = {first[0], first[1], first[2]};
    int count = 0;
    for (int i = 0; i < points->count; ++i) {
        if (brn_dense_dot3(points->point[i].normal, n) > same) {
            points->point[count++] = points->point[i];
        }
    }
    points->count = count;
}

/* [m] What the two are apart along n where they stand in these frames. */
static double apart_along(const brn_convex *a, const brn_rigid_map *fa, const brn_convex *b,
                          const brn_rigid_map *fb, const double n[3])
{
    brn_core ca;
    brn_core cb;
    double own[3];
    brn_core_set(&ca, a, fa, fb);
    brn_core_set(&cb, b, fb, fb);
    brn_dense_apply3_t(fb->rotation, n, own);
    return brn_core_separation(&ca, &cb, own) - ca.radius - cb.radius;
}

/* Shapes that never meet have a plane between them all the way, across the normal of where they come closest: their distance is convex along
   a straight way, so that halving finds it. False: they meet, or turn too much to tell. */
static bool pass_by(const brn_convex *a, const brn_rigid_map fa[2], const brn_convex *b,
                    const brn_rigid_map fb[2], brn_manifold *points)
{
    enum { HALVINGS = 40 };
    double lo = 0.0;
    double hi = 1.0;
    for (int k = 0; k < HALVINGS; ++k) {
        const double middle = 0.5 * (lo + hi);
        brn_rigid_map ga[2];
        brn_rigid_map gb[2];
        brn_manifold closest;
        double slope = 0.0;
        go(fa, middle, ga);
        go(fb, middle, gb);
        brn_manifold_find(a, &ga[1], b, &gb[1], INFINITY, &closest);
        const double *n = closest.point[0].normal;
        for (int i = 0; i < closest.count; ++i) {
            if (!(closest.point[i].gap > 0.0)) {
                return false;
            }
        }
        if (closest.count == 0) {
            return false;
        }
        if (apart_along(a, &fa[0], b, &fb[0], n) >= 0.0 && apart_along(a, &fa[1], b, &fb[1], n) >= 0.0) {
            keep_along(n, &closest);
            take_back(ga, gb, &closest);
            *points = closest;
            return true;
        }
        for (int i = 0; i < 3; ++i) {
            slope += n[i] * (fa[1].origin[i] - fa[0].origin[i] - fb[1].origin[i] + fb[0].origin[i]);
        }
        lo = slope < 0.0 ? middle : lo;
        hi = slope < 0.0 ? hi : middle;
    }
    return false;
}

static bool is_plane(const brn_convex *shape)
{
    return shape->hull == NULL && shape->shape.kind == BRN_PRIMITIVE_PLANE;
}

void brn_manifold_pass(const brn_convex *a, const brn_rigid_map fa[2], const brn_convex *b,
                       const brn_rigid_map fb[2], double within, brn_manifold *points)
{
    brn_core ca;
    brn_core cb;
    brn_rigid_map ga[2];
    brn_rigid_map gb[2];
    brn_manifold later;
    double own[3];
    if (points->count == 0 || is_plane(a) || is_plane(b)) { /* nothing passes a half-space */
        return;
    }
    brn_core_set(&ca, a, &fa[0], &fb[0]);
    brn_core_set(&cb, b, &fb[0], &fb[0]);
    const double thin = fmin(ca.hull.inner + ca.radius, cb.hull.inner + cb.radius);
    const double share = share_to(points, fa, fb, still * thin, thin);
    if (share == 0.0 || pass_by(a, fa, b, fb, points)) {
        return;
    }
    go(fa, share, ga);
    go(fb, share, gb);
    brn_manifold_find(a, &ga[1], b, &gb[1], within, &later);
    const double *n = later.point[0].normal;
    if (later.count == 0 || brn_dense_dot3(n, points->point[0].normal) > same) {
        return;
    }
    brn_dense_apply3_t(fb[0].rotation, n, own);
    if (brn_core_separation(&ca, &cb, own) - ca.radius - cb.radius >= -hair * thin) {
        take_back(ga, gb, &later);
        *points = later;
    }
}
