#include "contact/candidates.h"

#include "geom/bvh.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The parts that take part, each with its tree. */
enum { POINTS, EDGES, TRIS, LONE_POINTS, LONE_EDGES, LONE_ENDS, LISTS };

typedef struct part_list {
    int count, width;
    const int *node; /* [count][width] */
    brn_bvh *tree;
} part_list;

struct brn_candidates {
    brn_ctx *ctx;
    const brn_skin *skin;
    part_list list[LISTS];
    brn_box *box; /* room for the longest list */
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
    const part_list lists[LISTS] = {
        [POINTS] = {skin->npoint, 1, skin->point, NULL},
        [EDGES] = {skin->nedge, 2, (const int *)skin->edge, NULL},
        [TRIS] = {skin->ntri, 3, (const int *)skin->tri, NULL},
        [LONE_POINTS] = {skin->nlone_point, 1, skin->lone_point, NULL},
        [LONE_EDGES] = {skin->nlone_edge, 2, (const int *)skin->lone_edge, NULL},
        [LONE_ENDS] = {skin->nlone_end, 1, skin->lone_end, NULL},
    };
    int most = 0;
    brn_status status = brn_bvh_pairs_create(ctx, &c->pairs);
    for (int i = 0; i < LISTS && status >= 0; ++i) {
        c->list[i] = lists[i];
        most = lists[i].count > most ? lists[i].count : most;
        status = brn_bvh_create(ctx, &c->list[i].tree);
    }
    if (status >= 0) {
        c->box = brn_calloc(ctx, (size_t)most, sizeof *c->box);
        status = c->box != NULL ? BRN_OK : BRN_ERR_MEMORY;
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
    for (int i = 0; i < LISTS; ++i) {
        brn_bvh_destroy(c->list[i].tree);
    }
    brn_bvh_pairs_destroy(c->pairs);
    brn_free(c->ctx, c->box);
    brn_free(c->ctx, c->item);
    brn_free(c->ctx, c);
}

/* Builds the tree over the swept boxes of a list of parts. */
static brn_status build(brn_candidates *c, part_list *list, const double *x0, const double *x1)
{
    const brn_box_sweep sweep = {.count = list->count,
                                 .width = list->width,
                                 .node = list->node,
                                 .x0 = (const double(*)[3])x0,
                                 .x1 = (const double(*)[3])x1};
    BRN_TRY(brn_box_sweep_all(c->ctx, &sweep, c->box));
    for (int i = 0; i < list->count && c->skin->round; ++i) {
        const double radius = c->skin->radius[list->node[i * list->width]];
        for (int k = 0; k < 3; ++k) {
            c->box[i].lo[k] -= radius;
            c->box[i].hi[k] += radius;
        }
    }
    return brn_bvh_build(list->tree, c->box, list->count);
}

/* ---- what to list -------------------------------------------------------------------------------------------------- */

typedef struct pair_query {
    const brn_candidates *candidates;
    const part_list *a, *b;
} pair_query;

static bool keep_pair(const void *arg, int i, int j)
{
    const pair_query *q = arg;
    return brn_skin_may_touch(q->candidates->skin, &q->a->node[i * q->a->width], q->a->width,
                              &q->b->node[j * q->b->width], q->b->width);
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

/* Shares: every piece of surface is seen from both sides (1/2), and in 3D by points and by edges (1/2 each). Of two parts
   of different size the smaller one counts: a small body on a large plate touches it with its own area. A half-space
   sees nothing: points meet it with all they have. */
static void fill(const brn_candidates *c, brn_touch kind, const pair_query *q, int i, int j,
                 brn_candidate *to)
{
    const brn_skin *skin = c->skin;
    const int *a = &q->a->node[i * q->a->width];
    const int *b = &q->b->node[j * q->b->width];
    *to = (brn_candidate){
        .kind = kind, .node = {-1, -1, -1, -1}, .offset = skin->radius[a[0]] + skin->radius[b[0]]};
    memcpy(to->node, a, (size_t)q->a->width * sizeof *a);
    memcpy(&to->node[q->a->width], b, (size_t)q->b->width * sizeof *b);
    if (kind == BRN_TOUCH_EDGE_EDGE) {
        to->area = 0.5 * fmin(skin->edge_area[i], skin->edge_area[j]);
    } else {
        const double area = fmin(skin->node_area[a[0]], mean_area(skin, b, q->b->width));
        to->area = (kind == BRN_TOUCH_POINT_TRIANGLE ? 0.25 : 0.5) * area;
    }
}

/* Appends the pairs of two lists (or of one with itself) that are near. */
static brn_status append(brn_candidates *c, brn_touch kind, int first, int second, double distance)
{
    const pair_query q = {c, &c->list[first], &c->list[second]};
    const brn_bvh_query query = {.within = distance, .keep = keep_pair, .keep_arg = &q};
    if (q.a->count == 0 || q.b->count == 0) {
        return BRN_OK;
    }
    BRN_TRY(first == second ? brn_bvh_query_self(q.a->tree, &query, c->pairs)
                            : brn_bvh_query_pairs(q.a->tree, q.b->tree, &query, c->pairs));
    if (c->pairs->count > (size_t)(INT_MAX - c->count)) {
        return brn_fail(c->ctx, BRN_ERR_LIMIT, "more than %d pairs are near each other", INT_MAX);
    }
    BRN_GROW(c->ctx, c->item, c->capacity, (size_t)c->count + c->pairs->count);
    for (size_t i = 0; i < c->pairs->count; ++i) {
        fill(c, kind, &q, c->pairs->pair[i][0], c->pairs->pair[i][1], &c->item[c->count++]);
    }
    return BRN_OK;
}

/* ---- half-spaces ----------------------------------------------------------------------------------------------------- */

static brn_status append_plane(brn_candidates *c, const int *plane, const double *x0, const double *x1,
                               double distance)
{
    const brn_skin *skin = c->skin;
    const int dim = skin->dim;
    const double *const ends[2] = {x0, x1};
    double n[2][3];
    for (int e = 0; e < 2; ++e) {
        brn_skin_plane_normal(skin, plane, ends[e], n[e]);
    }
    /* While the plane turns, distances need not lie between those of the two ends: all points count. */
    const bool turns = memcmp(n[0], n[1], sizeof n[0]) != 0;
    for (int i = 0; i < skin->npoint; ++i) {
        const int p = skin->point[i];
        if (!brn_skin_may_touch(skin, &p, 1, plane, dim)) {
            continue;
        }
        double nearest = INFINITY;
        for (int e = 0; e < 2; ++e) {
            const double d = brn_skin_plane_distance(skin, plane, &ends[e][3 * p], ends[e]);
            nearest = fmin(nearest, d - skin->radius[p]);
        }
        if (nearest > distance && !turns) {
            continue;
        }
        BRN_GROW(c->ctx, c->item, c->capacity, (size_t)c->count + 1);
        brn_candidate *to = &c->item[c->count++];
        *to = (brn_candidate){.kind = BRN_TOUCH_POINT_PLANE,
                              .node = {p, plane[0], plane[1], dim == 3 ? plane[2] : -1},
                              .area = skin->node_area[p],
                              .offset = skin->radius[p]};
    }
    return BRN_OK;
}

/* ---- all ----------------------------------------------------------------------------------------------------------------- */

brn_status brn_candidates_find(brn_candidates *c, const double *x0, const double *x1, double distance)
{
    c->count = 0;
    for (int i = 0; i < LISTS; ++i) {
        BRN_TRY(build(c, &c->list[i], x0, x1));
    }
    if (c->skin->dim == 2) {
        BRN_TRY(append(c, BRN_TOUCH_POINT_EDGE, POINTS, EDGES, distance));
    } else {
        BRN_TRY(append(c, BRN_TOUCH_POINT_EDGE, LONE_POINTS, LONE_EDGES, distance));
        /* The mollifier takes parallel edges away: two rods side by side meet by their ends. */
        BRN_TRY(append(c, BRN_TOUCH_POINT_EDGE, LONE_ENDS, LONE_EDGES, distance));
        BRN_TRY(append(c, BRN_TOUCH_POINT_TRIANGLE, POINTS, TRIS, distance));
        BRN_TRY(append(c, BRN_TOUCH_EDGE_EDGE, EDGES, EDGES, distance));
    }
    BRN_TRY(append(c, BRN_TOUCH_POINT_POINT, LONE_POINTS, LONE_POINTS, distance));
    for (int i = 0; i < c->skin->nplane; ++i) {
        BRN_TRY(append_plane(c, c->skin->plane[i], x0, x1, distance));
    }
    return BRN_OK;
}

int brn_candidates_count(const brn_candidates *c)
{
    return c->count;
}

const brn_candidate *brn_candidates_get(const brn_candidates *c)
{
    return c->item;
}

int brn_candidate_gather(const int node[4], const double *x, double out[4][3])
{
    const int count = brn_touch_count(node);
    for (int k = 0; k < count; ++k) {
        memcpy(out[k], &x[3 * node[k]], sizeof out[k]);
    }
    return count;
}
