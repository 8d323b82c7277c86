/* Self-intersections of whole surfaces: trees over edges and triangles find the pairs whose boxes meet, the exact tests
   decide while the pairs are collected, so that only true intersections are stored.

   Where nodes have hardly moved since the last check, pairs of slightly enlarged boxes are listed instead, and the list is
   used for as long as no node leaves its room. The same tests then decide about its pairs. */
#include "geom/intersect.h"

#include "base/parallel.h"
#include "base/param.h"
#include "geom/predicates.h"

#include <math.h>
#include <string.h>

enum { LOOK_BLOCK = 1024 };

/* A list is made where no node moves by more than SLOW mean edges between two checks. Its room lasts for SPARE_LOOKS such
   checks, but is no more than SPARE edges. */
static const double SLOW = 0.05, SPARE = 0.1, SPARE_LEAST = 0.01, SPARE_LOOKS = 8.0;

struct brn_intersect {
    brn_ctx *ctx;
    brn_bvh *edges, *triangles;
    brn_bvh_pairs *pairs;
    brn_box *box;
    size_t box_cap;
    /* The surface of the last look, and whether the pairs are the list of its rooms. */
    int dim, nnode, nedge, ntri;
    int (*edge)[2], (*tri)[3];
    double (*pos)[3];          /* [nnode] */
    double (*lo)[3], (*hi)[3]; /* [nnode] rooms */
    size_t edge_cap, tri_cap, pos_cap, lo_cap, hi_cap;
    bool known, listed;
    size_t *met; /* by block */
    size_t met_cap;
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
    void *arrays[] = {check->box, check->edge, check->tri, check->pos, check->lo, check->hi, check->met};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(check->ctx, arrays[i]);
    }
    brn_free(check->ctx, check);
}

/* ---- pairs -------------------------------------------------------------------------------------------------------------- */

static bool edges_apart(const void *arg, int i, int j)
{
    const brn_surface *s = arg;
    const int *e = s->edge[i], *f = s->edge[j];
    return !((e[0] == f[0]) | (e[0] == f[1]) | (e[1] == f[0]) | (e[1] == f[1]));
}

static bool edges_meet(const void *arg, int i, int j)
{
    const brn_surface *s = arg;
    const int *e = s->edge[i], *f = s->edge[j];
    return edges_apart(s, i, j) && (s->keep == NULL || s->keep(s->keep_arg, i, j)) &&
           brn_intersect_segments2d(s->pos[e[0]], s->pos[e[1]], s->pos[f[0]], s->pos[f[1]]);
}

/* Most pairs of near boxes are neighbours: one branch for all six comparisons. */
static bool edge_apart_triangle(const void *arg, int i, int j)
{
    const brn_surface *s = arg;
    const int *e = s->edge[i], *t = s->tri[j];
    return !((e[0] == t[0]) | (e[0] == t[1]) | (e[0] == t[2]) | (e[1] == t[0]) | (e[1] == t[1]) |
             (e[1] == t[2]));
}

static bool edge_meets_triangle(const void *arg, int i, int j)
{
    const brn_surface *s = arg;
    const int *e = s->edge[i], *t = s->tri[j];
    return edge_apart_triangle(s, i, j) && (s->keep == NULL || s->keep(s->keep_arg, i, j)) &&
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

/* Boxes of parts that move from x0 to x1, NULL: that are at x0. */
static brn_status build_tree(brn_intersect *check, const brn_surface *s, int width, const double (*x0)[3],
                             const double (*x1)[3])
{
    brn_bvh *tree = width == 2 ? check->edges : check->triangles;
    const brn_box_sweep sweep = {.count = width == 2 ? s->nedge : s->ntri,
                                 .width = width,
                                 .node = width == 2 ? (const int *)s->edge : (const int *)s->tri,
                                 .x0 = x0,
                                 .x1 = x1};
    BRN_GROW(check->ctx, check->box, check->box_cap, sweep.count);
    BRN_TRY(brn_box_sweep_all(check->ctx, &sweep, check->box));
    for (int i = 0; s->dim == 2 && i < sweep.count; ++i) {
        check->box[i].lo[2] = check->box[i].hi[2] = 0.0;
    }
    BRN_TRY(brn_bvh_build(tree, check->box, sweep.count));
    brn_box bounds;
    brn_bvh_bounds(tree, &bounds);
    for (int k = 0; sweep.count > 0 && k < 3; ++k) {
        if (bounds.lo[k] < -BRN_PREDICATE_LARGEST || bounds.hi[k] > BRN_PREDICATE_LARGEST) {
            return brn_fail(check->ctx, BRN_ERR_RANGE, "positions from %g to %g m: must be within +-%g",
                            bounds.lo[k], bounds.hi[k], BRN_PREDICATE_LARGEST);
        }
    }
    return BRN_OK;
}

/* Pairs of near boxes that pass a test. */
static brn_status find_pairs(brn_intersect *check, const brn_surface *s, const double (*x0)[3],
                             const double (*x1)[3], brn_bvh_keep_fn keep)
{
    const brn_bvh_query query = {.keep = keep, .keep_arg = s};
    BRN_TRY(build_tree(check, s, 2, x0, x1));
    if (s->dim == 2) {
        return brn_bvh_query_self(check->edges, &query, check->pairs);
    }
    BRN_TRY(build_tree(check, s, 3, x0, x1));
    return brn_bvh_query_pairs(check->edges, check->triangles, &query, check->pairs);
}

/* ---- lists -------------------------------------------------------------------------------------------------------------- */

static bool same_surface(const brn_intersect *check, const brn_surface *s)
{
    return check->known && check->dim == s->dim && check->nnode == s->nnode && check->nedge == s->nedge &&
           check->ntri == s->ntri &&
           (s->nedge == 0 || memcmp(check->edge, s->edge, (size_t)s->nedge * sizeof *s->edge) == 0) &&
           (s->ntri == 0 || memcmp(check->tri, s->tri, (size_t)s->ntri * sizeof *s->tri) == 0);
}

static brn_status remember_surface(brn_intersect *check, const brn_surface *s)
{
    check->known = check->listed = false;
    BRN_GROW(check->ctx, check->edge, check->edge_cap, s->nedge);
    BRN_GROW(check->ctx, check->tri, check->tri_cap, s->ntri);
    BRN_GROW(check->ctx, check->pos, check->pos_cap, s->nnode);
    BRN_GROW(check->ctx, check->lo, check->lo_cap, s->nnode);
    BRN_GROW(check->ctx, check->hi, check->hi_cap, s->nnode);
    for (int i = 0; i < s->nedge; ++i) {
        memcpy(check->edge[i], s->edge[i], sizeof *s->edge);
    }
    for (int i = 0; i < s->ntri; ++i) {
        memcpy(check->tri[i], s->tri[i], sizeof *s->tri);
    }
    check->dim = s->dim;
    check->nnode = s->nnode;
    check->nedge = s->nedge;
    check->ntri = s->ntri;
    check->known = true;
    return BRN_OK;
}

static void remember_positions(brn_intersect *check, const brn_surface *s)
{
    for (int a = 0; a < s->nnode; ++a) {
        memcpy(check->pos[a], s->pos[a], sizeof *s->pos);
    }
}

/* Whether no node of the surface has left its room. */
static bool in_rooms(const brn_intersect *check, const brn_surface *s)
{
    bool in = true;
    for (int i = 0; i < 2 * s->nedge + 3 * s->ntri && in; ++i) {
        const int e = i - 2 * s->nedge;
        const int a = e < 0 ? s->edge[i / 2][i % 2] : s->tri[e / 3][e % 3];
        for (int k = 0; k < s->dim; ++k) {
            in &= (check->lo[a][k] <= s->pos[a][k]) & (s->pos[a][k] <= check->hi[a][k]);
        }
    }
    return in;
}

/* Room of a node [m] for a list; 0: the surface moves too fast for one. */
static double choose_spare(const brn_intersect *check, const brn_surface *s)
{
    double length = 0.0;
    double most = 0.0;
    double largest = 0.0;
    for (int i = 0; i < s->nedge; ++i) {
        double sum = 0.0;
        for (int k = 0; k < s->dim; ++k) {
            const double moved = s->pos[s->edge[i][0]][k] - check->pos[s->edge[i][0]][k];
            const double along = s->pos[s->edge[i][1]][k] - s->pos[s->edge[i][0]][k];
            most = fmax(most, fabs(moved));
            largest = fmax(largest, fabs(s->pos[s->edge[i][0]][k]));
            sum += along * along;
        }
        length += sqrt(sum) / s->nedge;
    }
    /* At the limit of the allowed range there is no room. */
    const bool wide = largest < 0.25 * BRN_PREDICATE_LARGEST && length < 0.25 * BRN_PREDICATE_LARGEST;
    const double spare = fmin(SPARE * length, SPARE_LOOKS * most + SPARE_LEAST * length);
    return wide && most <= SLOW * length ? spare : 0.0;
}

static void choose_rooms(brn_intersect *check, const brn_surface *s, double spare)
{
    for (int a = 0; a < s->nnode; ++a) {
        for (int k = 0; k < 3; ++k) {
            check->lo[a][k] = s->pos[a][k] - spare;
            check->hi[a][k] = s->pos[a][k] + spare;
        }
    }
}

typedef struct look_job {
    brn_intersect *check;
    const brn_surface *s;
    brn_bvh_keep_fn meet;
} look_job;

/* Whether one axis has a plane between an edge and a triangle or an edge. */
static bool pair_apart(const brn_surface *s, int i, int j)
{
    const int *e = s->edge[i], *t = s->dim == 2 ? s->edge[j] : s->tri[j];
    bool apart = false;
    for (int k = 0; k < s->dim; ++k) {
        const double p = s->pos[e[0]][k], q = s->pos[e[1]][k];
        const double a = s->pos[t[0]][k], b = s->pos[t[1]][k], c = s->dim == 2 ? b : s->pos[t[2]][k];
        apart |= ((p > a) & (p > b) & (p > c) & (q > a) & (q > b) & (q > c)) |
                 ((p < a) & (p < b) & (p < c) & (q < a) & (q < b) & (q < c));
    }
    return apart;
}

static brn_status look_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const look_job *job = arg;
    const brn_bvh_pairs *pairs = job->check->pairs;
    const size_t first = (size_t)block * LOOK_BLOCK;
    const size_t end = first + LOOK_BLOCK < pairs->count ? first + LOOK_BLOCK : pairs->count;
    size_t met = 0;
    for (size_t n = first; n < end; ++n) {
        const int *pair = pairs->pair[n];
        met += !pair_apart(job->s, pair[0], pair[1]) && job->meet(job->s, pair[0], pair[1]);
    }
    job->check->met[block] = met;
    return BRN_OK;
}

/* Tests the listed pairs: how many meet, and the first of them. */
static brn_status look_over(brn_intersect *check, const brn_surface *s, brn_bvh_keep_fn meet,
                            brn_intersection *found, size_t room, size_t *count)
{
    look_job job = {check, s, meet};
    const size_t nblock = (check->pairs->count + LOOK_BLOCK - 1) / LOOK_BLOCK;
    BRN_GROW(check->ctx, check->met, check->met_cap, nblock);
    BRN_TRY(brn_parallel_for(check->ctx, (int)nblock, look_block, &job));
    *count = 0;
    for (size_t b = 0; b < nblock; ++b) {
        *count += check->met[b];
    }
    const size_t wanted = *count < room ? *count : room;
    size_t n = 0;
    for (size_t i = 0; n < wanted; ++i) {
        const int *pair = check->pairs->pair[i];
        if (meet(s, pair[0], pair[1])) {
            found[n] = (brn_intersection){.edge = pair[0], .other = pair[1]};
            locate(s, &found[n++]);
        }
    }
    return BRN_OK;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

/* A list with some room, if the surface is slow. */
static brn_status make_list(brn_intersect *check, const brn_surface *s)
{
    if (!same_surface(check, s)) {
        BRN_TRY(remember_surface(check, s));
        remember_positions(check, s);
    }
    const double spare = choose_spare(check, s);
    remember_positions(check, s);
    check->listed = false;
    if (!(spare > 0.0)) {
        return BRN_OK;
    }
    choose_rooms(check, s, spare);
    const brn_status status =
        find_pairs(check, s, (const double(*)[3])check->lo, (const double(*)[3])check->hi,
                   s->dim == 2 ? edges_apart : edge_apart_triangle);
    check->listed = status >= 0;
    return status;
}

brn_status brn_intersect_surface(brn_intersect *check, const brn_surface *surface, brn_intersection *found,
                                 int room, size_t *count)
{
    const brn_surface *s = surface;
    const brn_bvh_keep_fn meet = s->dim == 2 ? edges_meet : edge_meets_triangle;
    const size_t most = (size_t)(room > 0 ? room : 0);
    if ((s->dim != 2 && s->dim != 3) || s->nedge < 0 || s->ntri < 0) {
        return brn_fail(check->ctx, BRN_ERR_RANGE, "a surface of dimension %d, %d edges, %d triangles",
                        s->dim, s->nedge, s->ntri);
    }
    BRN_TRY(check_nodes(check->ctx, "edge", (const int *)s->edge, s->nedge, 2, s->nnode));
    if (s->dim == 3) {
        BRN_TRY(check_nodes(check->ctx, "triangle", (const int *)s->tri, s->ntri, 3, s->nnode));
    }
    if (!(check->listed && same_surface(check, s) && in_rooms(check, s))) {
        BRN_TRY(make_list(check, s));
    }
    if (check->listed) {
        return look_over(check, s, meet, found, most, count);
    }
    BRN_TRY(find_pairs(check, s, s->pos, NULL, meet));
    *count = check->pairs->count;
    for (size_t i = 0; i < *count && i < most; ++i) {
        found[i] = (brn_intersection){.edge = check->pairs->pair[i][0], .other = check->pairs->pair[i][1]};
        locate(s, &found[i]);
    }
    return BRN_OK;
}
