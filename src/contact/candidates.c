#include "contact/candidates.h"

#include "base/parallel.h"
#include "geom/bvh.h"
#include "geom/separation.h"

#include <limits.h>
#include <string.h>

/* The parts that take part, each with its tree. */
enum { POINTS, EDGES, TRIS, LONE_POINTS, LONE_EDGES, LISTS };

typedef struct part_list {
    int count, width;
    const int *node; /* [count][width] */
    brn_bvh *tree;
} part_list;

enum { FILL_BLOCK = 512 };

/* How far a node may leave the way that a list was found for, in its lengths. Where some node moves by more than FAST
   of them the list will not be good for another step, but shall be for the rest of Newton's steps of this one: a part
   of the first. Else it shall serve for some more steps like this one. */
static const double SPARE = 0.1, SPARE_LEAST = 0.03, SPARE_STEPS = 8.0;
static const double FAST = 0.05, SPARE_FAST = 0.05;

struct brn_candidates {
    brn_ctx *ctx;
    const brn_skin *skin;
    part_list list[LISTS];
    brn_box *box; /* room for the longest list */
    brn_bvh_pairs *pairs;
    brn_candidate *item; /* pairs of parts, then half-spaces */
    double *apart;       /* [npair] as in brn_candidate_view; 0 for half-spaces */
    int npair, count;
    size_t capacity, apart_capacity;
    /* The pairs are good for nodes between lo and hi and for distances up to this; negative: not found yet. */
    double distance;
    double (*lo)[3], (*hi)[3]; /* [nnode] */
    double (*reference)[3];    /* [nnode] where apart was measured */
    double (*moved)[4], (*step)[4];
    double *length; /* [nnode] [m] of the shortest edge at a node, or the mean of all edges if that is less */
};

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static brn_status allocate_nodes(brn_candidates *c)
{
    const int nnode = c->skin->model->nnode;
    BRN_ALLOC(c->ctx, c->lo, nnode);
    BRN_ALLOC(c->ctx, c->hi, nnode);
    BRN_ALLOC(c->ctx, c->reference, nnode);
    BRN_ALLOC(c->ctx, c->moved, nnode);
    BRN_ALLOC(c->ctx, c->step, nnode);
    BRN_ALLOC(c->ctx, c->length, nnode);
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
    const part_list lists[LISTS] = {
        [POINTS] = {skin->npoint, 1, skin->point, NULL},
        [EDGES] = {skin->nedge, 2, (const int *)skin->edge, NULL},
        [TRIS] = {skin->ntri, 3, (const int *)skin->tri, NULL},
        [LONE_POINTS] = {skin->nlone_point, 1, skin->lone_point, NULL},
        [LONE_EDGES] = {skin->nlone_edge, 2, (const int *)skin->lone_edge, NULL},
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
    for (int i = 0; i < LISTS; ++i) {
        brn_bvh_destroy(c->list[i].tree);
    }
    brn_bvh_pairs_destroy(c->pairs);
    void *arrays[] = {c->box, c->item, c->apart, c->lo, c->hi, c->reference, c->moved, c->step, c->length};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(c->ctx, arrays[i]);
    }
    brn_free(c->ctx, c);
}

/* ---- where the list is good ------------------------------------------------------------------------------------------ */

/* The way of a node [m], as the longest of its components. */
static double way(const double *a, const double *b)
{
    return fmax(fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1])), fabs(b[2] - a[2]));
}

/* Every node may be anywhere on its way, and its spare length beyond. */
static void choose_room(brn_candidates *c, const double *x0, const double *x1)
{
    double most = 0.0;
    for (int i = 0; i < c->skin->npoint; ++i) {
        const int p = c->skin->point[i];
        most = c->length[p] > 0.0 ? fmax(most, way(&x0[3 * p], &x1[3 * p]) / c->length[p]) : most;
    }
    const bool fast = most > FAST;
    const double share = fast ? SPARE_LEAST : fmin(SPARE, SPARE_LEAST + SPARE_STEPS * most);
    for (int i = 0; i < c->skin->npoint; ++i) {
        const int p = c->skin->point[i];
        const double spare = share * c->length[p] + (fast ? SPARE_FAST * way(&x0[3 * p], &x1[3 * p]) : 0.0);
        for (int k = 0; k < 3; ++k) {
            const double a = x0[3 * p + k], b = x1[3 * p + k];
            c->lo[p][k] = (a < b ? a : b) - spare;
            c->hi[p][k] = (a < b ? b : a) + spare;
            c->reference[p][k] = a;
        }
    }
}

bool brn_candidates_cover(const brn_candidates *c, const double *x)
{
    bool inside = c->distance >= 0.0;
    for (int i = 0; i < c->skin->npoint && inside; ++i) {
        const int p = c->skin->point[i];
        for (int k = 0; k < 3; ++k) {
            inside &= (c->lo[p][k] <= x[3 * p + k]) & (x[3 * p + k] <= c->hi[p][k]);
        }
    }
    return inside;
}

/* Builds the tree over the boxes of a list of parts. */
static brn_status build(brn_candidates *c, part_list *list)
{
    const brn_box_sweep sweep = {.count = list->count,
                                 .width = list->width,
                                 .node = list->node,
                                 .x0 = (const double(*)[3])c->lo,
                                 .x1 = (const double(*)[3])c->hi};
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

/* Most near boxes have a common node: that comes first, and without branches. */
static bool keep_edges(const void *arg, int i, int j)
{
    const pair_query *q = arg;
    const int *a = &q->a->node[2 * i], *b = &q->b->node[2 * j];
    return !((a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1])) &&
           brn_skin_may_touch(q->candidates->skin, a, 2, b, 2);
}

static bool keep_point_triangle(const void *arg, int i, int j)
{
    const pair_query *q = arg;
    const int *a = &q->a->node[i], *b = &q->b->node[3 * j];
    return !((a[0] == b[0]) | (a[0] == b[1]) | (a[0] == b[2])) &&
           brn_skin_may_touch(q->candidates->skin, a, 1, b, 3);
}

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

typedef struct fill_job {
    brn_candidates *c;
    brn_touch kind;
    const pair_query *query;
    int first;       /* of the new candidates */
    double rounding; /* [m] of motions since the list was found */
} fill_job;

static brn_status fill_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const fill_job *job = arg;
    brn_candidates *c = job->c;
    const int end = brn_block_end((int)c->pairs->count, FILL_BLOCK, block);
    for (int i = block * FILL_BLOCK; i < end; ++i) {
        brn_candidate *to = &c->item[job->first + i];
        double x[4][3];
        fill(c, job->kind, job->query, c->pairs->pair[i][0], c->pairs->pair[i][1], to);
        const int count = brn_candidate_gather(to->node, &c->reference[0][0], x);
        c->apart[job->first + i] =
            brn_separation((const double(*)[3])x, count, job->kind == BRN_TOUCH_EDGE_EDGE) - job->rounding;
    }
    return BRN_OK;
}

/* Largest coordinate [m] of a tree's boxes. */
static double largest(const brn_bvh *tree)
{
    brn_box box;
    double most = 0.0;
    brn_bvh_bounds(tree, &box);
    for (int k = 0; k < 3; ++k) {
        most = fmax(most, fmax(fabs(box.lo[k]), fabs(box.hi[k])));
    }
    return most;
}

/* Appends the pairs of two lists (or of one with itself) that are near. */
static brn_status append(brn_candidates *c, brn_touch kind, int first, int second, double distance)
{
    const pair_query q = {c, &c->list[first], &c->list[second]};
    const brn_bvh_query query = {.within = distance,
                                 .keep = kind == BRN_TOUCH_EDGE_EDGE        ? keep_edges
                                         : kind == BRN_TOUCH_POINT_TRIANGLE ? keep_point_triangle
                                                                            : keep_pair,
                                 .keep_arg = &q};
    if (q.a->count == 0 || q.b->count == 0) {
        return BRN_OK;
    }
    BRN_TRY(first == second ? brn_bvh_query_self(q.a->tree, &query, c->pairs)
                            : brn_bvh_query_pairs(q.a->tree, q.b->tree, &query, c->pairs));
    if (c->pairs->count > (size_t)(INT_MAX - FILL_BLOCK - c->npair)) {
        return brn_fail(c->ctx, BRN_ERR_LIMIT, "more than %d pairs are near each other", INT_MAX);
    }
    const int count = (int)c->pairs->count;
    BRN_GROW(c->ctx, c->item, c->capacity, (size_t)c->npair + (size_t)count);
    BRN_GROW(c->ctx, c->apart, c->apart_capacity, (size_t)c->npair + (size_t)count);
    /* Motions are differences of positions, good to a rounding of the largest of them. */
    fill_job job = {c, kind, &q, c->npair, 0x1p-46 * fmax(largest(q.a->tree), largest(q.b->tree))};
    c->npair += count;
    return brn_parallel_for(c->ctx, brn_block_count(count, FILL_BLOCK), fill_block, &job);
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

/* While the plane turns, distances need not lie between those of the two ends: all points count. */
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
        if (!near_plane(skin, &motion, p, distance) || !brn_skin_may_touch(skin, &p, 1, plane, dim)) {
            continue;
        }
        BRN_GROW(c->ctx, c->item, c->capacity, (size_t)c->count + 1);
        BRN_GROW(c->ctx, c->apart, c->apart_capacity, (size_t)c->count + 1);
        c->apart[c->count] = 0.0;
        brn_candidate *to = &c->item[c->count++];
        *to = (brn_candidate){.kind = BRN_TOUCH_POINT_PLANE,
                              .node = {p, plane[0], plane[1], dim == 3 ? plane[2] : -1},
                              .area = skin->node_area[p],
                              .offset = skin->radius[p]};
    }
    return BRN_OK;
}

/* ---- all ----------------------------------------------------------------------------------------------------------------- */

static brn_status find_pairs(brn_candidates *c, const double *x0, const double *x1, double distance)
{
    c->npair = 0;
    c->distance = -1.0;
    choose_room(c, x0, x1);
    for (int i = 0; i < LISTS; ++i) {
        BRN_TRY(build(c, &c->list[i]));
    }
    if (c->skin->dim == 2) {
        BRN_TRY(append(c, BRN_TOUCH_POINT_EDGE, POINTS, EDGES, distance));
    } else {
        BRN_TRY(append(c, BRN_TOUCH_POINT_EDGE, LONE_POINTS, LONE_EDGES, distance));
        BRN_TRY(append(c, BRN_TOUCH_POINT_TRIANGLE, POINTS, TRIS, distance));
        BRN_TRY(append(c, BRN_TOUCH_EDGE_EDGE, EDGES, EDGES, distance));
    }
    BRN_TRY(append(c, BRN_TOUCH_POINT_POINT, LONE_POINTS, LONE_POINTS, distance));
    c->distance = distance;
    return BRN_OK;
}

brn_status brn_candidates_find(brn_candidates *c, const double *x0, const double *x1, double distance)
{
    c->count = 0;
    if (!(distance <= c->distance && brn_candidates_cover(c, x0) && brn_candidates_cover(c, x1))) {
        BRN_TRY(find_pairs(c, x0, x1, distance));
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
        return near_plane(c->skin, &motion, candidate->node[0], distance);
    }
    const double *const ends[2] = {x0, x1};
    const int first = candidate->kind == BRN_TOUCH_EDGE_EDGE ? 2 : 1;
    brn_box a;
    brn_box b;
    swept_box(c->skin, candidate->node, first, ends, &a);
    swept_box(c->skin, candidate->node + first, brn_touch_count(candidate->node) - first, ends, &b);
    return brn_box_near(&a, &b, distance);
}

/* ---- distances without looking ------------------------------------------------------------------------------------- */

void brn_candidates_view(brn_candidates *c, const double *x, const double *far, brn_candidate_view *out)
{
    for (int i = 0; i < c->skin->npoint; ++i) {
        const int p = c->skin->point[i];
        for (int k = 0; k < 3; ++k) {
            c->moved[p][k] = x[3 * p + k] - c->reference[p][k];
            c->step[p][k] = far != NULL ? far[3 * p + k] - x[3 * p + k] : 0.0;
        }
    }
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
