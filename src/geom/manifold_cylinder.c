/* Gap and normal where a cylinder takes part: the largest separation s(n), which is smooth at rims and mantles.

   One step from n to a better one: a is put at a distance of delta along n, which a shift of delta - s(n) does, and n' is the
   direction of the nearest points (GJK). With d their distance, d >= delta, and s(n') = d - (delta - s(n)) n.n' >= s(n): it never gets
   worse, and stays only where the nearest points are above each other along n. Farther apart than delta shapes are not shifted, and
   one step is enough. Near an optimum of depth h, where the surface of the difference of both has a radius r of curvature, the error
   shrinks by (h + delta) / (r + delta) a step; of plane faces one step is enough.

   Shapes that are apart have one optimum. Those that are not are started from the best of the directions that are optima of flat parts:
   axes, normals of faces, cross products. Where the result is as good as one of these, that is taken: it has no error. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

enum { STEPS_MOST = 60 };

static const double apart = 0.05;  /* delta, in extents of the smaller core */
static const double still = 1e-15; /* gain that ends the search, in extents */
static const double snap = 1e-14;  /* in extents */
static const double exact = 1e-12; /* in extents */
static const double deep = 0.01;   /* in extents of the smaller core */

double brn_core_separation(const brn_core *a, const brn_core *b, const double n[3])
{
    double pa[3];
    double pb[3];
    (void)brn_core_support(a, (const double[3]){-n[0], -n[1], -n[2]}, pa);
    (void)brn_core_support(b, n, pb);
    const double way[3] = {pa[0] - pb[0], pa[1] - pb[1], pa[2] - pb[2]};
    return brn_dense_dot3(n, way);
}

static void axis_of(const brn_core *core, double axis[3])
{
    for (int i = 0; i < 3; ++i) {
        axis[i] = core->rotation[3 * i + 2];
    }
}

/* No direction is better than n. Of shapes that are apart: the overlap has points as near as the separation along n says. Of others: about
   as deep all over an area that is wide against the depth. For to leave each other they must be moved by the width of what they have in
   common, which is least across that area. */
static bool certain(const brn_core *a, const brn_core *b, double s, const double n[3], brn_spots *out)
{
    double mean[2] = {0.0, 0.0};
    double sum[3] = {0.0, 0.0, 0.0};
    double basis[9];
    int count = 0;
    bool near = false;
    out->count = 0;
    brn_overlap_faces(a, b, n, out);
    brn_overlap_rims(a, b, n, out);
    brn_part_basis(n, 3, basis);
    for (int i = 0; i < out->count; ++i) {
        near = near || out->spot[i].gap <= s + exact * (a->extent + b->extent);
    }
    if (s > 0.0 || !near) {
        return near;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < out->count; ++i) {
            if (out->spot[i].gap <= 0.5 * s) {
                const double u = brn_dense_dot3(basis, out->spot[i].b);
                const double v = brn_dense_dot3(basis + 3, out->spot[i].b);
                count += pass == 0;
                mean[0] += pass == 0 ? u : 0.0;
                mean[1] += pass == 0 ? v : 0.0;
                sum[0] += pass == 0 ? 0.0 : (u - mean[0]) * (u - mean[0]);
                sum[1] += pass == 0 ? 0.0 : (v - mean[1]) * (v - mean[1]);
                sum[2] += pass == 0 ? 0.0 : (u - mean[0]) * (v - mean[1]);
            }
        }
        mean[0] /= pass == 0 ? count : 1;
        mean[1] /= pass == 0 ? count : 1;
    }
    /* The least variance over all directions across n; the width is at least twice its root. */
    const double least = 0.5 * (sum[0] + sum[1]) - hypot(0.5 * (sum[0] - sum[1]), sum[2]);
    return count > 2 && least / count > 4.0 * s * s;
}

/* Goes on from n to next, and beyond as long as that is better: where steps are short they have a direction. Returns the separation. */
static double stride(const brn_core *a, const brn_core *b, double n[3], const double next[3], double s)
{
    double way[3];
    for (int i = 0; i < 3; ++i) {
        way[i] = next[i] - n[i];
        n[i] = next[i];
    }
    for (double length = 1.0; length < 1e3; length *= 2.0) {
        double far[3];
        for (int i = 0; i < 3; ++i) {
            far[i] = n[i] + length * way[i];
        }
        (void)brn_unit3(far);
        const double better = brn_core_separation(a, b, far);
        if (!(better > s)) {
            break;
        }
        s = better;
        memcpy(n, far, sizeof far);
    }
    return s;
}

/* Climbs from n, which becomes the optimum. Returns its separation. */
static double climb(brn_core *a, const brn_core *b, double enough, double n[3], double pa[3], double pb[3])
{
    const double delta = apart * fmin(a->extent, b->extent);
    const double gain = still * (a->extent + b->extent);
    double s = brn_core_separation(a, b, n);
    for (int step = 0; step < STEPS_MOST && s <= enough; ++step) {
        const double shift = fmax(0.0, delta - s);
        const double home[3] = {a->origin[0], a->origin[1], a->origin[2]};
        double next[3];
        for (int i = 0; i < 3; ++i) {
            a->origin[i] += shift * n[i];
        }
        const double distance = brn_core_near(a, b, n, next, pa, pb);
        memcpy(a->origin, home, sizeof home);
        for (int i = 0; i < 3; ++i) {
            pa[i] -= shift * n[i];
        }
        const double better = distance > 0.0 ? brn_core_separation(a, b, next) : s;
        if (!(better > s)) {
            break;
        }
        const double before = s;
        s = stride(a, b, n, next, better);
        if (s - before <= gain) {
            break;
        }
    }
    return s;
}

/* The normal of a flat part that is as good: the axis of a cylinder, the face of a polytope, the cross product with its edge. */
static double snap_to_flat(const brn_core *a, const brn_core *b, double s, double n[3])
{
    brn_starts all = {.count = 0, .bound = brn_bound_of(a, b)};
    const brn_core *core[2] = {a, b};
    double axis[2][3];
    for (int k = 0; k < 2; ++k) {
        const brn_core *other = core[1 - k];
        const double out = k == 0 ? -1.0 : 1.0;
        axis_of(core[k], axis[k]);
        if (core[k]->hull.nvertex == 0) {
            double c[3];
            double ends[2][3];
            const double d[3] = {-out * n[0], -out * n[1],
                                 -out * n[2]}; /* what of the other faces the cylinder */
            brn_starts_try(a, b, axis[k], brn_dense_dot3(axis[k], n) < 0.0 ? -1.0 : 1.0, &all);
            if (other->hull.nvertex > 1 && brn_core_edge(other, d, ends) == 2) {
                const double way[3] = {ends[1][0] - ends[0][0], ends[1][1] - ends[0][1],
                                       ends[1][2] - ends[0][2]};
                brn_dense_cross3(axis[k], way, c);
                brn_starts_try(a, b, c, brn_dense_dot3(c, n) < 0.0 ? -1.0 : 1.0, &all);
            }
            for (int f = 0; f < other->hull.nface; ++f) {
                brn_dense_apply3(other->rotation, other->hull.normal[f], c);
                if (brn_dense_dot3(c, d) > 1.0 - 1e-9) {
                    brn_starts_try(a, b, c, -out, &all);
                }
            }
        }
    }
    if (a->hull.nvertex == 0 && b->hull.nvertex == 0) {
        double c[3];
        brn_dense_cross3(axis[0], axis[1], c);
        brn_starts_try(a, b, c, brn_dense_dot3(c, n) < 0.0 ? -1.0 : 1.0, &all);
    }
    if (all.count > 0 && all.s[0] >= s - snap * (a->extent + b->extent)) {
        memcpy(n, all.n[0], sizeof all.n[0]);
        return all.s[0];
    }
    return s;
}

/* The best of the first `count` starts. Apart, every start leads to the same end. */
static double climb_all(brn_core *a, const brn_core *b, double enough, const brn_starts *all, int count,
                        brn_spot *best)
{
    best->gap = -INFINITY;
    for (int k = 0; k < count && k < all->count && best->gap <= 0.0; ++k) {
        brn_spot top;
        memcpy(top.n, all->n[k], sizeof top.n);
        top.gap = climb(a, b, enough, top.n, top.a, top.b);
        if (top.gap > best->gap) {
            *best = top;
        }
    }
    return best->gap;
}

brn_spot brn_axis_of_cylinders(brn_core *a, const brn_core *b, double enough, brn_spots *out)
{
    brn_starts all;
    brn_spot best = {.gap = 0.0};
    brn_starts_flat(a, b, &all);
    best.gap = all.s[0];
    memcpy(best.n, all.n[0], sizeof best.n);
    if (best.gap > enough || certain(a, b, best.gap, best.n, out)) {
        return best;
    }
    out->count = 0;
    if (climb_all(a, b, enough, &all, BRN_STARTS_SHALLOW, &best) < -deep * fmin(a->extent, b->extent)) {
        /* The shortest way out may be far from the best starts. */
        brn_starts_around(a, b, &all);
        (void)climb_all(a, b, enough, &all, BRN_STARTS, &best);
    }
    if (best.gap <= enough) {
        best.gap = snap_to_flat(a, b, best.gap, best.n);
        brn_overlap_faces(a, b, best.n, out);
        brn_overlap_rims(a, b, best.n, out);
    }
    return best;
}
