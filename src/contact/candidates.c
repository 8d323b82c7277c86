#include "contact/candidates.h"

#include "geom/bvh.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct brn_candidates {
    brn_ctx *ctx;
    const brn_skin *skin;
    brn_bvh *points, *edges, *tris;
    brn_box *box; /* room for the longest list of parts */
    brn_bvh_pairs *pairs;
    brn_candidate *item;
    int count;
    size_t capacity;
};

brn_status brn_candidates_create(brn_ctx *ctx, const brn_skin *skin, brn_candidates **out)
{
    *out = NULL;
    brn_candidates *c = NULL;
    BRN_ALLOC(ctx, c, 1);
    c->ctx = ctx;
    c->skin = skin;
    const int parts[] = {skin->npoint, skin->nedge, skin->ntri};
    int most = 0;
    for (int i = 0; i < 3; ++i) {
        most = parts[i] > most ? parts[i] : most;
    }
    c->box = brn_calloc(ctx, (size_t)most, sizeof *c->box);
    brn_status status = c->box != NULL ? BRN_OK : BRN_ERR_MEMORY;
    brn_bvh **trees[] = {&c->points, &c->edges, &c->tris};
    for (int i = 0; i < 3 && status >= 0; ++i) {
        status = brn_bvh_create(ctx, trees[i]);
    }
    if (status >= 0) {
        status = brn_bvh_pairs_create(ctx, &c->pairs);
    }
    if (status < 0) {
        brn_candidates_destroy(c);
        return status;
    }
    *out = c;
    return BRN_OK;
}

void brn_candidates_destroy(brn_candidates *c)
{
    if (c == NULL) {
        return;
    }
    brn_bvh_destroy(c->points);
    brn_bvh_destroy(c->edges);
    brn_bvh_destroy(c->tris);
    brn_bvh_pairs_destroy(c->pairs);
    brn_free(c->ctx, c->box);
    brn_free(c->ctx, c->item);
    brn_free(c->ctx, c);
}

/* Builds the tree over the swept boxes of n parts of `width` nodes each. */
static brn_status build(brn_candidates *c, const int *part, int n, int width, const double *x0,
                        const double *x1, brn_bvh *tree)
{
    const brn_box_sweep sweep = {
        .count = n, .width = width, .node = part, .x0 = (const double(*)[3])x0, .x1 = (const double(*)[3])x1};
    BRN_TRY(brn_box_sweep_all(c->ctx, &sweep, c->box));
    return brn_bvh_build(tree, c->box, n);
}

static bool keep_point_edge(const void *arg, int a, int b)
{
    const brn_skin *skin = arg;
    return brn_skin_may_touch(skin, &skin->point[a], 1, skin->edge[b], 2);
}

static bool keep_point_triangle(const void *arg, int a, int b)
{
    const brn_skin *skin = arg;
    return brn_skin_may_touch(skin, &skin->point[a], 1, skin->tri[b], 3);
}

static bool keep_edge_edge(const void *arg, int a, int b)
{
    const brn_skin *skin = arg;
    return brn_skin_may_touch(skin, skin->edge[a], 2, skin->edge[b], 2);
}

/* Mean share of surface of some nodes. */
static double mean_area(const brn_skin *skin, const int *node, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
        sum += skin->node_area[node[k]];
    }
    return sum / count;
}

/* Appends the pairs of the last query. Shares: every piece of surface is seen from both sides (1/2), and in 3D by points
   and by edges (1/2 each). Of two parts of different size the smaller one counts: a small body on a large plate
   touches it with its own area. */
static brn_status append(brn_candidates *c, brn_touch kind)
{
    const brn_skin *skin = c->skin;
    if (c->pairs->count > (size_t)(INT_MAX - c->count)) {
        return brn_fail(c->ctx, BRN_ERR_LIMIT, "more than %d pairs are near each other", INT_MAX);
    }
    BRN_GROW(c->ctx, c->item, c->capacity, (size_t)c->count + c->pairs->count);
    for (size_t i = 0; i < c->pairs->count; ++i) {
        const int a = c->pairs->pair[i][0];
        const int b = c->pairs->pair[i][1];
        brn_candidate *to = &c->item[c->count++];
        *to = (brn_candidate){.kind = kind, .node = {-1, -1, -1, -1}};
        if (kind == BRN_TOUCH_EDGE_EDGE) {
            memcpy(&to->node[0], skin->edge[a], 2 * sizeof(int));
            memcpy(&to->node[2], skin->edge[b], 2 * sizeof(int));
            to->area = 0.5 * fmin(skin->edge_area[a], skin->edge_area[b]);
            continue;
        }
        const int width = kind == BRN_TOUCH_POINT_EDGE ? 2 : 3;
        const int *other = width == 2 ? skin->edge[b] : skin->tri[b];
        to->node[0] = skin->point[a];
        memcpy(&to->node[1], other, (size_t)width * sizeof(int));
        const double area = fmin(skin->node_area[to->node[0]], mean_area(skin, other, width));
        to->area = (width == 2 ? 0.5 : 0.25) * area;
    }
    return BRN_OK;
}

brn_status brn_candidates_find(brn_candidates *c, const double *x0, const double *x1, double distance)
{
    const brn_skin *skin = c->skin;
    brn_bvh_query query = {.within = distance, .keep_arg = skin};
    c->count = 0;
    BRN_TRY(build(c, skin->point, skin->npoint, 1, x0, x1, c->points));
    BRN_TRY(build(c, &skin->edge[0][0], skin->nedge, 2, x0, x1, c->edges));
    if (skin->dim == 2) {
        query.keep = keep_point_edge;
        BRN_TRY(brn_bvh_query_pairs(c->points, c->edges, &query, c->pairs));
        return append(c, BRN_TOUCH_POINT_EDGE);
    }
    BRN_TRY(build(c, &skin->tri[0][0], skin->ntri, 3, x0, x1, c->tris));
    query.keep = keep_point_triangle;
    BRN_TRY(brn_bvh_query_pairs(c->points, c->tris, &query, c->pairs));
    BRN_TRY(append(c, BRN_TOUCH_POINT_TRIANGLE));
    query.keep = keep_edge_edge;
    BRN_TRY(brn_bvh_query_self(c->edges, &query, c->pairs));
    return append(c, BRN_TOUCH_EDGE_EDGE);
}

int brn_candidates_count(const brn_candidates *c)
{
    return c->count;
}

const brn_candidate *brn_candidates_get(const brn_candidates *c)
{
    return c->item;
}

int brn_candidate_gather(const brn_candidate *candidate, const double *x, double out[4][3])
{
    const int count = candidate->kind == BRN_TOUCH_POINT_EDGE ? 3 : 4;
    for (int k = 0; k < count; ++k) {
        memcpy(out[k], &x[3 * candidate->node[k]], sizeof out[k]);
    }
    return count;
}
