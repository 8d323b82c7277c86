/* Gap and normal where a cylinder takes part: the largest separation s(n), which is smooth at rims and mantles.

   One step from n to a better one: a is put at a distance of delta along n, which a shift of delta - s(n) does, and n' is the direction of
   the nearest points (GJK). With d their distance, d >= delta, and s(n') = d - (delta - s(n)) n.n' >= s(n): it never gets worse, and
   stays only where the nearest points are above each other along n. Near an optimum of depth h, where the surface of the difference
   of both has a radius r of curvature, the error shrinks by (h + delta) / (r + delta) a step; of plane faces one step is enough.

   Shapes that are apart have one optimum. Those that are not are started from the best of the directions that are optima of flat parts:
   axes, normals of faces, cross products. Where the result is as good as one of these, that is taken: it has no error. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

enum { STEPS_MOST = 60, STARTS = 8, SHALLOW = 2 };

static const double apart = 0.05;  /* delta, in extents of the smaller core */
static const double still = 1e-15; /* gain that ends the search, in extents */
static const double snap = 1e-14;  /* in extents */
static const double similar = 0.99;
static const double deep = 0.01; /* in extents of the smaller core */

double brn_core_separation(const brn_core *a, const brn_core *b, const double n[3])
{
    double pa[3];
    double pb[3];
    (void)brn_core_support(a, (const double[3]){-n[0], -n[1], -n[2]}, pa);
    (void)brn_core_support(b, n, pb);
    const double way[3] = {pa[0] - pb[0], pa[1] - pb[1], pa[2] - pb[2]};
    return brn_dense_dot3(n, way);
}

/* The best directions so far, best first. */
typedef struct starts {
    int count;
    double s[STARTS], n[STARTS][3];
} starts;

static void try_one(const brn_core *a, const brn_core *b, const double way[3], double sign, starts *all)
{
    double n[3] = {sign * way[0], sign * way[1], sign * way[2]};
    if (!(brn_unit3(n) > 0.0)) {
        return;
    }
    const double s = brn_core_separation(a, b, n);
    /* Of directions that are nearly the same one is enough; else the last goes. */
    int at = all->count < STARTS ? all->count : STARTS - 1;
    for (int i = 0; i < all->count; ++i) {
        at = brn_dense_dot3(n, all->n[i]) > similar ? i : at;
    }
    if (at < all->count && !(s > all->s[at])) {
        return;
    }
    all->count += at == all->count;
    while (at > 0 && s > all->s[at - 1]) {
        all->s[at] = all->s[at - 1];
        memcpy(all->n[at], all->n[at - 1], sizeof *all->n);
        --at;
    }
    all->s[at] = s;
    memcpy(all->n[at], n, sizeof n);
}

static void try_both(const brn_core *a, const brn_core *b, const double way[3], starts *all)
{
    try_one(a, b, way, 1.0, all);
    try_one(a, b, way, -1.0, all);
}

static void axis_of(const brn_core *core, double axis[3])
{
    for (int i = 0; i < 3; ++i) {
        axis[i] = core->rotation[3 * i + 2];
    }
}

/* Faces of a polytope, and its edges with the axis of the cylinder. */
static void try_polytope(const brn_core *a, const brn_core *b, const brn_core *polytope, const double axis[3],
                         starts *all)
{
    const brn_hull *hull = &polytope->hull;
    for (int f = 0; f < hull->nface; ++f) {
        double n[3];
        brn_dense_apply3(polytope->rotation, hull->normal[f], n);
        try_one(a, b, n, polytope == b ? 1.0 : -1.0, all);
    }
    for (int e = 0; e < hull->nedge; ++e) {
        const double *p = hull->vertex[hull->edge[e].vertex[0]];
        const double *q = hull->vertex[hull->edge[e].vertex[1]];
        const double own[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        double way[3];
        double n[3];
        brn_dense_apply3(polytope->rotation, own, way);
        brn_dense_cross3(way, axis, n);
        try_both(a, b, n, all);
    }
}

/* Between the middles, and that across the axis. */
static void try_middles(const brn_core *a, const brn_core *b, const double axis[3], starts *all)
{
    double way[3] = {a->origin[0] - b->origin[0], a->origin[1] - b->origin[1], a->origin[2] - b->origin[2]};
    double across[3];
    const double along = brn_dense_dot3(way, axis);
    for (int i = 0; i < 3; ++i) {
        across[i] = way[i] - along * axis[i];
    }
    try_one(a, b, way, 1.0, all);
    try_one(a, b, across, 1.0, all);
}

static void try_flat(const brn_core *a, const brn_core *b, starts *all)
{
    double axis[2][3];
    double n[3];
    const brn_core *core[2] = {a, b};
    all->count = 0;
    for (int k = 0; k < 2; ++k) {
        axis_of(core[k], axis[k]);
        if (core[k]->hull.nvertex == 0) {
            try_both(a, b, axis[k], all);
            try_middles(a, b, axis[k], all);
            if (core[1 - k]->hull.nvertex > 0) {
                try_polytope(a, b, core[1 - k], axis[k], all);
            }
        }
    }
    if (a->hull.nvertex == 0 && b->hull.nvertex == 0) {
        brn_dense_cross3(axis[0], axis[1], n);
        try_both(a, b, n, all);
    }
    /* Deep in each other, rims may have the shortest way out: all around. */
    for (int k = 0; k < 27; ++k) {
        const double way[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        try_one(a, b, way, 1.0, all);
    }
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
        const double shift = delta - s;
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
    starts all = {.count = 0};
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
            try_one(a, b, axis[k], brn_dense_dot3(axis[k], n) < 0.0 ? -1.0 : 1.0, &all);
            if (other->hull.nvertex > 1 && brn_core_edge(other, d, ends) == 2) {
                const double way[3] = {ends[1][0] - ends[0][0], ends[1][1] - ends[0][1],
                                       ends[1][2] - ends[0][2]};
                brn_dense_cross3(axis[k], way, c);
                try_one(a, b, c, brn_dense_dot3(c, n) < 0.0 ? -1.0 : 1.0, &all);
            }
            for (int f = 0; f < other->hull.nface; ++f) {
                brn_dense_apply3(other->rotation, other->hull.normal[f], c);
                if (brn_dense_dot3(c, d) > 1.0 - 1e-9) {
                    try_one(a, b, c, -out, &all);
                }
            }
        }
    }
    if (a->hull.nvertex == 0 && b->hull.nvertex == 0) {
        double c[3];
        brn_dense_cross3(axis[0], axis[1], c);
        try_one(a, b, c, brn_dense_dot3(c, n) < 0.0 ? -1.0 : 1.0, &all);
    }
    if (all.count > 0 && all.s[0] >= s - snap * (a->extent + b->extent)) {
        memcpy(n, all.n[0], sizeof all.n[0]);
        return all.s[0];
    }
    return s;
}

double brn_axis_of_cylinders(brn_core *a, const brn_core *b, double enough, double n[3], double pa[3],
                             double pb[3])
{
    starts all;
    double best = -INFINITY;
    const double start[3] = {a->origin[0] - b->origin[0] + 1e-3 * a->extent, a->origin[1] - b->origin[1],
                             a->origin[2] - b->origin[2]};
    double s = brn_core_near(a, b, start, n, pa, pb);
    if (s > enough) {
        return s;
    }
    if (s > 0.0) {
        all.count = 1;
        memcpy(all.n[0], n, sizeof *all.n);
    } else {
        try_flat(a, b, &all);
    }
    /* Only where they are deep in each other the shortest way out may be far from the best start. */
    for (int k = 0; k < all.count && (k < SHALLOW || best < -deep * fmin(a->extent, b->extent)); ++k) {
        double qa[3];
        double qb[3];
        s = climb(a, b, enough, all.n[k], qa, qb);
        if (s > best) {
            best = s;
            memcpy(n, all.n[k], sizeof *all.n);
            memcpy(pa, qa, sizeof qa);
            memcpy(pb, qb, sizeof qb);
        }
    }
    return snap_to_flat(a, b, best, n);
}
