/* Directions from which the separation of cylinders is climbed: the optima of flat parts. Those that cannot be among the best are not
   evaluated. */
#include "geom/manifold_inner.h"

#include <string.h>

/* Cosine of directions that are nearly the same: one is enough. */
static const double similar = 0.99;

void brn_starts_try(const brn_core *a, const brn_core *b, const double way[3], double sign, brn_starts *all)
{
    double n[3] = {sign * way[0], sign * way[1], sign * way[2]};
    const bool many = all->count >= BRN_STARTS_SHALLOW;
    if (!(brn_unit3(n) > 0.0) ||
        (many && brn_dense_dot3(n, all->bound.way) - all->bound.inner < all->s[BRN_STARTS_SHALLOW - 1])) {
        return;
    }
    const double s = brn_core_separation(a, b, n);
    /* Of directions that are nearly the same one is enough; else the last goes. */
    int at = all->count < BRN_STARTS ? all->count : BRN_STARTS - 1;
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

static void try_both(const brn_core *a, const brn_core *b, const double way[3], brn_starts *all)
{
    brn_starts_try(a, b, way, 1.0, all);
    brn_starts_try(a, b, way, -1.0, all);
}

static void axis_of(const brn_core *core, double axis[3])
{
    for (int i = 0; i < 3; ++i) {
        axis[i] = core->rotation[3 * i + 2];
    }
}

/* Faces of a polytope, and its edges with the axis of the cylinder. */
static void try_polytope(const brn_core *a, const brn_core *b, const brn_core *polytope, const double axis[3],
                         brn_starts *all)
{
    const brn_hull *hull = &polytope->hull;
    for (int f = 0; f < hull->nface; ++f) {
        double n[3];
        brn_dense_apply3(polytope->rotation, hull->normal[f], n);
        brn_starts_try(a, b, n, polytope == b ? 1.0 : -1.0, all);
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
static void try_middles(const brn_core *a, const brn_core *b, const double axis[3], brn_starts *all)
{
    double way[3] = {a->origin[0] - b->origin[0], a->origin[1] - b->origin[1], a->origin[2] - b->origin[2]};
    double across[3];
    const double along = brn_dense_dot3(way, axis);
    for (int i = 0; i < 3; ++i) {
        across[i] = way[i] - along * axis[i];
    }
    brn_starts_try(a, b, way, 1.0, all);
    brn_starts_try(a, b, across, 1.0, all);
}

void brn_starts_flat(const brn_core *a, const brn_core *b, brn_starts *all)
{
    double axis[2][3];
    double n[3];
    const brn_core *core[2] = {a, b};
    all->count = 0;
    all->bound = brn_bound_of(a, b);
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
}

/* Deep in each other, rims may have the shortest way out: all around. */
void brn_starts_around(const brn_core *a, const brn_core *b, brn_starts *all)
{
    for (int k = 0; k < 27; ++k) {
        brn_starts_try(a, b, (const double[3]){k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, 1.0, all);
    }
}
