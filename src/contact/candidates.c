#include "contact/candidates_inner.h"

#include "base/parallel.h"

#include <limits.h>

/* The search is repeated if the list has grown by this factor. */
enum { GROWN_MOST = 2 };
/* Or if the list has more than LONG pairs per point and the motion is shorter than SHORT of the first. */
enum { LONG = 40 };
static const double SHORT = 0.5;

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static brn_status allocate_list(brn_candidates *c, brn_part_list *list)
{
    BRN_TRY(brn_bvh_create(c->ctx, &list->tree));
    BRN_TRY(brn_bvh_create(c->ctx, &list->fresh_tree));
    BRN_ALLOC(c->ctx, list->fresh, list->count);
    BRN_GROW(c->ctx, c->box, c->box_capacity, list->count);
    BRN_GROW(c->ctx, c->fresh_box, c->fresh_box_capacity, list->count);
    return BRN_OK;
}

static brn_status allocate_nodes(brn_candidates *c)
{
    const int nnode = c->skin->model->nnode;
    BRN_ALLOC(c->ctx, c->lo, nnode);
    BRN_ALLOC(c->ctx, c->hi, nnode);
    BRN_ALLOC(c->ctx, c->reference, nnode);
    BRN_ALLOC(c->ctx, c->moved, nnode);
    BRN_ALLOC(c->ctx, c->step, nnode);
    BRN_ALLOC(c->ctx, c->length, nnode);
    BRN_ALLOC(c->ctx, c->grown, nnode);
    BRN_ALLOC(c->ctx, c->part, brn_block_count(c->skin->npoint, BRN_CANDIDATE_POINTS));
    return BRN_OK;
}

static void measure_lengths(brn_candidates *c)
{
    const brn_skin *skin = c->skin;
    double sum = 0.0;
    for (int i = 0; i < skin->npoint; ++i) {
        const int p = skin->point[i];
        c->length[p] = skin->radius[p] > 0.0 ? skin->radius[p] : INFINITY;
    }
    for (int e = 0; e < skin->nedge; ++e) {
        const double *a = skin->model->rest[skin->edge[e][0]], *b = skin->model->rest[skin->edge[e][1]];
        const double length = hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
        sum += length;
        for (int k = 0; k < 2; ++k) {
            double *least = &c->length[skin->edge[e][k]];
            *least = fmin(*least, length);
        }
    }
    const double mean = skin->nedge > 0 ? sum / skin->nedge : INFINITY;
    for (int i = 0; i < skin->npoint; ++i) {
        double *length = &c->length[skin->point[i]];
        *length = fmin(*length, mean);
        *length = isfinite(*length) ? *length : 0.0;
    }
}

brn_status brn_candidates_create(brn_ctx *ctx, const brn_skin *skin, brn_candidates **out)
{
    *out = NULL;
    brn_candidates *c = NULL;
    BRN_ALLOC(ctx, c, 1);
    c->ctx = ctx;
    c->skin = skin;
    const brn_part_list lists[BRN_PART_LISTS] = {
        [BRN_POINTS] = {.count = skin->npoint, .width = 1, .node = skin->point},
        [BRN_EDGES] = {.count = skin->nedge, .width = 2, .node = (const int *)skin->edge},
        [BRN_TRIS] = {.count = skin->ntri, .width = 3, .node = (const int *)skin->tri},
        [BRN_LONE_POINTS] = {.count = skin->nlone_point, .width = 1, .node = skin->lone_point},
        [BRN_LONE_EDGES] = {.count = skin->nlone_edge, .width = 2, .node = (const int *)skin->lone_edge},
        [BRN_LONE_ENDS] = {.count = skin->nlone_end, .width = 1, .node = skin->lone_end},
    };
    brn_status status = brn_bvh_pairs_create(ctx, &c->pairs);
    for (int i = 0; i < BRN_PART_LISTS && status >= 0; ++i) {
        c->list[i] = lists[i];
        status = allocate_list(c, &c->list[i]);
    }
    if (status >= 0) {
        status = allocate_nodes(c);
    }
    if (status < 0) {
        brn_candidates_destroy(c);
        return status;
    }
    c->distance = -1.0;
    measure_lengths(c);
    *out = c;
    return BRN_OK;
}

void brn_candidates_destroy(brn_candidates *c)
{
    if (c == NULL) {
        return;
    }
    for (int i = 0; i < BRN_PART_LISTS; ++i) {
        brn_bvh_destroy(c->list[i].tree);
        brn_bvh_destroy(c->list[i].fresh_tree);
        brn_free(c->ctx, c->list[i].fresh);
    }
    brn_bvh_pairs_destroy(c->pairs);
    void *arrays[] = {c->box, c->fresh_box, c->item,  c->apart, c->key,    c->fresh, c->temp, c->lo,
                      c->hi,  c->reference, c->moved, c->step,  c->length, c->grown, c->part};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(c->ctx, arrays[i]);
    }
    brn_free(c->ctx, c);
}

/* ---- half-spaces ----------------------------------------------------------------------------------------------------- */

/* How a half-space's plane moves: straight, or turning. */
typedef struct plane_motion {
    const int *plane;
    const double *ends[2]; /* [nnode][3] */
    double n[2][3];        /* its normals there */
    bool turns;
} plane_motion;

static plane_motion motion_of(const brn_skin *skin, const int *plane, const double *x0, const double *x1)
{
    plane_motion m = {.plane = plane, .ends = {x0, x1}};
    for (int e = 0; e < 2; ++e) {
        brn_skin_plane_normal(skin, plane, m.ends[e], m.n[e]);
    }
    m.turns = memcmp(m.n[0], m.n[1], sizeof m.n[0]) != 0;
    return m;
}

/* While the plane turns, distances need not lie between those at the two ends: all points count. */
static bool near_plane(const brn_skin *skin, const plane_motion *m, int p, double distance)
{
    double nearest = INFINITY;
    for (int e = 0; e < 2; ++e) {
        const double *n = m->n[e], *x = &m->ends[e][3 * p], *at = &m->ends[e][3 * m->plane[0]];
        const double d = n[0] * (x[0] - at[0]) + n[1] * (x[1] - at[1]) + n[2] * (x[2] - at[2]);
        nearest = fmin(nearest, d - skin->radius[p]);
    }
    return m->turns || !(nearest > distance);
}

static brn_status append_plane(brn_candidates *c, const int *plane, const double *x0, const double *x1,
                               double distance)
{
    const brn_skin *skin = c->skin;
    const int dim = skin->dim;
    const plane_motion motion = motion_of(skin, plane, x0, x1);
    for (int i = 0; i < skin->npoint; ++i) {
        const int p = skin->point[i];
        const double reach = brn_skin_reach(skin, p, plane[0]);
        if (!near_plane(skin, &motion, p, fmin(distance, reach)) ||
            !brn_skin_may_touch(skin, &p, 1, plane, dim)) {
            continue;
        }
        BRN_GROW(c->ctx, c->item, c->capacity, (size_t)c->count + 1);
        BRN_GROW(c->ctx, c->apart, c->apart_capacity, (size_t)c->count + 1);
        c->apart[c->count] = 0.0;
        brn_candidate *to = &c->item[c->count++];
        *to = (brn_candidate){.kind = BRN_TOUCH_POINT_PLANE,
                              .node = {p, plane[0], plane[1], dim == 3 ? plane[2] : -1},
                              .area = skin->node_area[p],
                              .offset = skin->radius[p],
                              .reach = reach};
    }
    return BRN_OK;
}

/* ---- all ----------------------------------------------------------------------------------------------------------------- */

/* Finds all pairs. */
static brn_status find_anew(brn_candidates *c, const brn_spare_rule *rule, double distance)
{
    c->distance = -1.0; /* unless all goes well */
    c->most = rule->most;
    brn_candidates_make_room(c, rule);
    BRN_TRY(brn_candidates_list(c, distance));
    c->distance = distance;
    return BRN_OK;
}

/* Adds pairs, if nodes that have left their room are few. */
static brn_status find_more(brn_candidates *c, const brn_spare_rule *rule, bool *done)
{
    const double distance = c->distance;
    *done = c->npair / GROWN_MOST <= c->npair_first && brn_candidates_grow_room(c, rule);
    if (*done) {
        c->distance = -1.0;
        BRN_TRY(brn_candidates_extend(c, distance));
        c->distance = distance;
    }
    return BRN_OK;
}

/* Whether the list, made for a much longer motion, is so long that a new one pays off. */
static bool too_long(const brn_candidates *c, const brn_spare_rule *rule)
{
    return c->npair / LONG > c->skin->npoint && rule->most > 0.0 && rule->most < SHORT * c->most;
}

brn_status brn_candidates_find(brn_candidates *c, const double *x0, const double *x1, double distance)
{
    const brn_spare_rule rule = brn_candidates_rule(c, x0, x1);
    bool done = distance <= c->distance && !too_long(c, &rule);
    c->count = 0;
    if (done && !(brn_candidates_cover(c, x0) && brn_candidates_cover(c, x1))) {
        BRN_TRY(find_more(c, &rule, &done));
    }
    if (!done) {
        BRN_TRY(find_anew(c, &rule, distance));
    }
    c->count = c->npair;
    for (int i = 0; i < c->skin->nplane; ++i) {
        BRN_TRY(append_plane(c, c->skin->plane[i], x0, x1, distance));
    }
    return BRN_OK;
}

static void swept_box(const brn_skin *skin, const int *node, int count, const double *const ends[2],
                      brn_box *box)
{
    *box = (brn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < 2 * count; ++i) {
        const double *x = &ends[i & 1][3 * node[i >> 1]];
        for (int k = 0; k < 3; ++k) {
            box->lo[k] = x[k] < box->lo[k] ? x[k] : box->lo[k];
            box->hi[k] = x[k] > box->hi[k] ? x[k] : box->hi[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        box->lo[k] -= skin->radius[node[0]];
        box->hi[k] += skin->radius[node[0]];
    }
}

bool brn_candidates_near(const brn_candidates *c, const brn_candidate *candidate, const double *x0,
                         const double *x1, double distance)
{
    if (candidate->kind == BRN_TOUCH_POINT_PLANE) {
        const plane_motion motion = motion_of(c->skin, candidate->node + 1, x0, x1);
        return near_plane(c->skin, &motion, candidate->node[0], fmin(distance, candidate->reach));
    }
    const double *const ends[2] = {x0, x1};
    const int first = candidate->kind == BRN_TOUCH_EDGE_EDGE ? 2 : 1;
    brn_box a;
    brn_box b;
    swept_box(c->skin, candidate->node, first, ends, &a);
    swept_box(c->skin, candidate->node + first, brn_touch_count(candidate->node) - first, ends, &b);
    return brn_box_near(&a, &b, fmin(distance, candidate->reach));
}

/* ---- distances without looking ------------------------------------------------------------------------------------- */

typedef struct move_job {
    brn_candidates *c;
    const double *x, *far;
} move_job;

static brn_status move_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const move_job *job = arg;
    brn_candidates *c = job->c;
    const int end = brn_block_end(c->skin->npoint, BRN_CANDIDATE_POINTS, block);
    for (int i = block * BRN_CANDIDATE_POINTS; i < end; ++i) {
        const int p = c->skin->point[i];
        for (int k = 0; k < 3; ++k) {
            const double x = job->x[3 * p + k];
            c->moved[p][k] = x - c->reference[p][k];
            c->step[p][k] = job->far != NULL ? job->far[3 * p + k] - x : 0.0;
        }
    }
    return BRN_OK;
}

void brn_candidates_view(brn_candidates *c, const double *x, const double *far, brn_candidate_view *out)
{
    move_job job = {c, x, far};
    const int nblocks = brn_block_count(c->skin->npoint, BRN_CANDIDATE_POINTS);
    (void)brn_parallel_for(c->ctx, nblocks, move_block, &job);
    *out = (brn_candidate_view){.count = c->count,
                                .item = c->item,
                                .apart = c->apart,
                                .moved = (const double(*)[4])c->moved,
                                .step = (const double(*)[4])c->step};
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
