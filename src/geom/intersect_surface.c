/* Self-intersections of whole surfaces: trees over edges and triangles find the pairs whose boxes meet, the exact tests
   decide while the pairs are collected, so that only true intersections are stored. */
#include "geom/intersect.h"

#include "geom/predicates.h"

#include <math.h>

struct brn_intersect {
    brn_ctx *ctx;
    brn_bvh *edges, *triangles;
    brn_bvh_pairs *pairs;
    brn_box *box;
    size_t box_cap;
};

brn_status brn_intersect_create(brn_ctx *ctx, brn_intersect **out)
{
    brn_intersect *check = NULL;
    BRN_ALLOC(ctx, check, 1);
    check->ctx = ctx;
    brn_status status = brn_bvh_create(ctx, &check->edges);
    if (status >= 0) {
        status = brn_bvh_create(ctx, &check->triangles);
    }
    if (status >= 0) {
        status = brn_bvh_pairs_create(ctx, &check->pairs);
    }
    if (status < 0) {
        brn_intersect_destroy(check);
        return status;
    }
    *out = check;
    return BRN_OK;
}

void brn_intersect_destroy(brn_intersect *check)
{
    if (check == NULL) {
        return;
    }
    brn_bvh_destroy(check->edges);
    brn_bvh_destroy(check->triangles);
    brn_bvh_pairs_destroy(check->pairs);
    brn_free(check->ctx, check->box);
    brn_free(check->ctx, check);
}

/* ---- pairs -------------------------------------------------------------------------------------------------------------- */

static bool edges_meet(const void *arg, int i, int j)
{
    const brn_surface *s = arg;
    const int *e = s->edge[i], *f = s->edge[j];
    if ((e[0] == f[0]) | (e[0] == f[1]) | (e[1] == f[0]) | (e[1] == f[1])) {
        return false;
    }
    return (s->keep == NULL || s->keep(s->keep_arg, i, j)) &&
           brn_intersect_segments2d(s->pos[e[0]], s->pos[e[1]], s->pos[f[0]], s->pos[f[1]]);
}

static bool edge_meets_triangle(const void *arg, int i, int j)
{
    const brn_surface *s = arg;
    const int *e = s->edge[i], *t = s->tri[j];
    /* Most pairs of near boxes are neighbours: one branch for all six comparisons. */
    if ((e[0] == t[0]) | (e[0] == t[1]) | (e[0] == t[2]) | (e[1] == t[0]) | (e[1] == t[1]) | (e[1] == t[2])) {
        return false;
    }
    return (s->keep == NULL || s->keep(s->keep_arg, i, j)) &&
           brn_intersect_segment_triangle(s->pos[e[0]], s->pos[e[1]], s->pos[t[0]], s->pos[t[1]],
                                          s->pos[t[2]]);
}

/* ---- places ------------------------------------------------------------------------------------------------------------- */

/* The middle of what two boxes share: where everything is flat, a place to look at. */
static void shared_middle(const brn_surface *s, const int *e, const int *other, int width, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        double lo = fmin(s->pos[e[0]][k], s->pos[e[1]][k]), hi = fmax(s->pos[e[0]][k], s->pos[e[1]][k]);
        double other_lo = INFINITY, other_hi = -INFINITY;
        for (int i = 0; i < width; ++i) {
            other_lo = fmin(other_lo, s->pos[other[i]][k]);
            other_hi = fmax(other_hi, s->pos[other[i]][k]);
        }
        lo = fmax(lo, other_lo);
        hi = fmin(hi, other_hi);
        out[k] = 0.5 * lo + 0.5 * hi;
    }
}

/* Signed height of x over the plane of the triangle (over the line of the edge), times a constant. */
static double height(const brn_surface *s, const int *other, const double x[3])
{
    const double *a = s->pos[other[0]], *b = s->pos[other[1]];
    if (s->dim == 2) {
        return (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]);
    }
    const double *c = s->pos[other[2]];
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        sum += ((b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i])) * (x[k] - a[k]);
    }
    return sum;
}

static void locate(const brn_surface *s, brn_intersection *found)
{
    const int *e = s->edge[found->edge];
    const int *other = s->dim == 2 ? s->edge[found->other] : s->tri[found->other];
    const double *p = s->pos[e[0]], *q = s->pos[e[1]];
    const double over = height(s, other, p), under = height(s, other, q);
    const double t = over / (over - under);
    if (!(t >= 0.0 && t <= 1.0)) {
        shared_middle(s, e, other, s->dim, found->point);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        found->point[k] = (1.0 - t) * p[k] + t * q[k];
    }
}

/* ---- surfaces ----------------------------------------------------------------------------------------------------------- */

static brn_status check_nodes(brn_ctx *ctx, const char *what, const int *node, int count, int width,
                              int nnode)
{
    for (size_t i = 0; i < (size_t)count * (size_t)width; ++i) {
        if (node[i] < 0 || node[i] >= nnode) {
            return brn_fail(ctx, BRN_ERR_MESH, "%s %zu has node %d: must be 0 to %d", what, i / (size_t)width,
                            node[i], nnode - 1);
        }
    }
    return BRN_OK;
}

static brn_status build_tree(brn_intersect *check, const brn_surface *s, const int *node, int count,
                             int width, brn_bvh *tree)
{
    BRN_TRY(check_nodes(check->ctx, width == 2 ? "edge" : "triangle", node, count, width, s->nnode));
    BRN_GROW(check->ctx, check->box, check->box_cap, count);
    const brn_box_sweep sweep = {.count = count, .width = width, .node = node, .x0 = s->pos};
    BRN_TRY(brn_box_sweep_all(check->ctx, &sweep, check->box));
    for (int i = 0; s->dim == 2 && i < count; ++i) {
        check->box[i].lo[2] = check->box[i].hi[2] = 0.0;
    }
    BRN_TRY(brn_bvh_build(tree, check->box, count));
    brn_box bounds;
    brn_bvh_bounds(tree, &bounds);
    for (int k = 0; count > 0 && k < 3; ++k) {
        if (bounds.lo[k] < -BRN_PREDICATE_LARGEST || bounds.hi[k] > BRN_PREDICATE_LARGEST) {
            return brn_fail(check->ctx, BRN_ERR_RANGE, "positions from %g to %g m: must be within +-%g",
                            bounds.lo[k], bounds.hi[k], BRN_PREDICATE_LARGEST);
        }
    }
    return BRN_OK;
}

brn_status brn_intersect_surface(brn_intersect *check, const brn_surface *surface, brn_intersection *found,
                                 int room, size_t *count)
{
    const brn_surface *s = surface;
    if ((s->dim != 2 && s->dim != 3) || s->nedge < 0 || s->ntri < 0) {
        return brn_fail(check->ctx, BRN_ERR_RANGE, "a surface of dimension %d, %d edges, %d triangles",
                        s->dim, s->nedge, s->ntri);
    }
    brn_bvh_query query = {.keep = s->dim == 2 ? edges_meet : edge_meets_triangle, .keep_arg = s};
    BRN_TRY(build_tree(check, s, (const int *)s->edge, s->nedge, 2, check->edges));
    if (s->dim == 2) {
        BRN_TRY(brn_bvh_query_self(check->edges, &query, check->pairs));
    } else {
        BRN_TRY(build_tree(check, s, (const int *)s->tri, s->ntri, 3, check->triangles));
        BRN_TRY(brn_bvh_query_pairs(check->edges, check->triangles, &query, check->pairs));
    }
    *count = check->pairs->count;
    for (size_t i = 0; i < *count && i < (size_t)(room > 0 ? room : 0); ++i) {
        found[i] = (brn_intersection){.edge = check->pairs->pair[i][0], .other = check->pairs->pair[i][1]};
        locate(s, &found[i]);
    }
    return BRN_OK;
}
