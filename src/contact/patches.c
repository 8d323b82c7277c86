#include "contact/patches_inner.h"

#include "base/parallel.h"
#include "linalg/dense.h"
#include "model/body_shape.h"

#include <math.h>
#include <string.h>

enum { SIDE_BLOCK = 1024, MEET_BLOCK = 64, AREA_BLOCK = 256 };
/* Trees are refitted so often before they are built anew: parts of a body stay together. Pairs do not depend on it. */
enum { TREE_AGE = 16 };

/* ---- making --------------------------------------------------------------------------------------------------------------------- */

/* Sides around each node, ascending. */
static void list_sides(brn_patches *p)
{
    const int n = p->nside * p->skin->dim;
    const int nnode = p->skin->model->nnode;
    for (int i = 0; i < n; ++i) {
        p->at_first[p->side[i] + 1]++;
    }
    for (int a = 0; a < nnode; ++a) {
        p->at_first[a + 1] += p->at_first[a];
    }
    for (int i = 0; i < n; ++i) {
        p->at[p->at_first[p->side[i]]++] = i / p->skin->dim;
    }
    for (int a = nnode; a > 0; --a) { /* each first has advanced to the next one's */
        p->at_first[a] = p->at_first[a - 1];
    }
    p->at_first[0] = 0;
}

/* Who has a shape, and what belongs to those who have none. */
static void list_shapes(brn_patches *p)
{
    const brn_skin *skin = p->skin;
    for (int b = 0; b < skin->model->nbody; ++b) {
        if (brn_patches_has_shape(p, b)) {
            p->shape[p->nshape++] = b;
        }
    }
    for (int s = 0; s < p->nside; ++s) {
        if (!brn_patches_has_shape(p, skin->node_body[p->side[skin->dim * s]])) {
            p->meshed[p->nmeshed++] = s;
        }
    }
    for (int i = 0; i < skin->npoint; ++i) {
        if (!brn_patches_has_shape(p, skin->node_body[skin->point[i]])) {
            p->loose[p->nloose++] = skin->point[i];
        }
    }
}

static brn_status fill(brn_patches *p)
{
    const brn_skin *skin = p->skin;
    const brn_model *model = skin->model;
    p->nside = skin->dim == 3 ? skin->ntri : skin->nedge;
    p->side = skin->dim == 3 ? (const int *)skin->tri : (const int *)skin->edge;
    const int longest = skin->npoint > p->nside ? skin->npoint : p->nside;
    BRN_ALLOC(p->ctx, p->at_first, model->nnode + 1);
    BRN_ALLOC(p->ctx, p->at, p->nside * skin->dim);
    BRN_ALLOC(p->ctx, p->vector, p->nside);
    BRN_ALLOC(p->ctx, p->vector_ahead, p->nside);
    BRN_ALLOC(p->ctx, p->shape, model->nbody);
    BRN_ALLOC(p->ctx, p->meshed, p->nside);
    BRN_ALLOC(p->ctx, p->loose, skin->npoint);
    BRN_ALLOC(p->ctx, p->frame, model->nbody);
    BRN_ALLOC(p->ctx, p->taking, 2 * model->nbody);
    BRN_ALLOC(p->ctx, p->frame_ahead, model->nbody);
    BRN_ALLOC(p->ctx, p->box, longest > model->nbody ? longest : model->nbody);
    BRN_TRY(brn_bvh_create(p->ctx, &p->points));
    BRN_TRY(brn_bvh_create(p->ctx, &p->sides));
    BRN_TRY(brn_bvh_create(p->ctx, &p->loose_points));
    BRN_TRY(brn_bvh_create(p->ctx, &p->shapes));
    BRN_TRY(brn_bvh_pairs_create(p->ctx, &p->pairs));
    list_sides(p);
    list_shapes(p);
    return BRN_OK;
}

brn_status brn_patches_create(brn_ctx *ctx, const brn_skin *skin, brn_patches **out)
{
    *out = NULL;
    brn_patches *p = NULL;
    BRN_ALLOC(ctx, p, 1);
    p->ctx = ctx;
    p->skin = skin;
    const brn_status status = fill(p);
    if (status < 0) {
        brn_patches_destroy(p);
        return status;
    }
    *out = p;
    return BRN_OK;
}

void brn_patches_destroy(brn_patches *p)
{
    if (p == NULL) {
        return;
    }
    brn_bvh_destroy(p->points);
    brn_bvh_destroy(p->sides);
    brn_bvh_destroy(p->loose_points);
    brn_bvh_destroy(p->shapes);
    brn_bvh_pairs_destroy(p->pairs);
    void *arrays[] = {p->at_first,    p->at,    p->vector, p->shape, p->frame,  p->box,   p->vector_ahead,
                      p->frame_ahead, p->group, p->draft,  p->item,  p->meshed, p->loose, p->taking};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(p->ctx, arrays[i]);
    }
    brn_free(p->ctx, p);
}

/* ---- what could meet ---------------------------------------------------------------------------------------------------------- */

void brn_patches_side_vector(const brn_patches *p, int side, const double *x, double out[3])
{
    const int dim = p->skin->dim;
    const int *node = &p->side[dim * side];
    double a[3];
    double b[3] = {0.0, 0.0, 1.0};
    for (int i = 0; i < 3; ++i) {
        a[i] = x[3 * node[1] + i] - x[3 * node[0] + i];
        b[i] = dim == 3 ? 0.5 * (x[3 * node[2] + i] - x[3 * node[0] + i]) : b[i];
    }
    brn_dense_cross3(a, b, out);
}

/* margin [m]: about the surface. */
static void box_nodes(const brn_patches *p, const int *node, int count, double margin, brn_box *box)
{
    const double r = p->skin->radius[node[0]] + margin;
    for (int i = 0; i < 3; ++i) {
        double lo = p->x[3 * node[0] + i];
        double hi = lo;
        for (int k = 1; k < count; ++k) {
            const double at = p->x[3 * node[k] + i];
            lo = at >= lo ? lo : at;
            hi = at <= hi ? hi : at;
        }
        box->lo[i] = lo - r;
        box->hi[i] = hi + r;
    }
}

/* Boxes reach as far as their bodies, and by half of what two may be deep in each other: then those that matter overlap. */
static brn_status build_points(brn_patches *p, brn_bvh *tree, const int *node, int count, double least)
{
    for (int i = 0; i < count; ++i) {
        const int body = p->skin->node_body[node[i]];
        box_nodes(p, &node[i], 1, fmax(p->reach.body[body], least), &p->box[i]);
    }
    return p->old == 0 ? brn_bvh_build(tree, p->box, count) : brn_bvh_refit(tree, p->box);
}

static brn_status build_sides(brn_patches *p)
{
    const int dim = p->skin->dim;
    for (int i = 0; i < p->nmeshed; ++i) {
        const int *node = &p->side[dim * p->meshed[i]];
        const int body = p->skin->node_body[node[0]];
        box_nodes(p, node, dim, fmax(p->reach.body[body], 0.5 * p->depth), &p->box[i]);
    }
    return p->old == 0 ? brn_bvh_build(p->sides, p->box, p->nmeshed) : brn_bvh_refit(p->sides, p->box);
}

/* Half-spaces cover all points. */
static brn_status build_shapes(brn_patches *p)
{
    for (int s = 0; s < p->nshape; ++s) {
        const int body = p->shape[s];
        const brn_primitive *primitive = &p->skin->model->body[body].shape.primitive;
        brn_box *box = &p->box[s];
        brn_body_shape_frame(p->skin->model, body, p->x, &p->frame[body]);
        brn_body_shape_frame(p->skin->model, body, p->ahead, &p->frame_ahead[body]);
        brn_bvh_bounds(p->loose_points, box);
        for (int i = 0; i < 3; ++i) {
            double way[3] = {0.0};
            double end[3];
            way[i] = 1.0;
            box->hi[i] = brn_primitive_support_at(primitive, &p->frame[body], way, end) ? end[i] : box->hi[i];
            way[i] = -1.0;
            box->lo[i] = brn_primitive_support_at(primitive, &p->frame[body], way, end) ? end[i] : box->lo[i];
            const double slack = brn_patches_shape_rim(primitive) + p->reach.body[body] +
                                 BRN_PATCHES_TOUCH * (box->hi[i] - box->lo[i]);
            box->lo[i] -= slack;
            box->hi[i] += slack;
        }
    }
    return brn_bvh_build(p->shapes, p->box, p->nloose > 0 ? p->nshape : 0);
}

static bool keep_shape(const void *arg, int i, int j)
{
    const brn_patches *p = arg;
    const brn_body_shape *shape = &p->skin->model->body[p->shape[j]].shape;
    return brn_skin_may_touch(p->skin, &p->loose[i], 1, shape->node, shape->span);
}

/* Whether a vertex is within the reach of a side of its own body: boxes reach as far as other bodies matter. */
static bool is_near_own(const brn_patches *p, int point, const int *side)
{
    const int body = p->skin->node_body[point];
    const double within = fmax(p->reach.own[body], p->depth);
    brn_box at[2];
    if (within >= 2.0 * fmax(p->reach.body[body], 0.5 * p->depth)) {
        return true;
    }
    box_nodes(p, &point, 1, 0.0, &at[0]);
    box_nodes(p, side, p->skin->dim, 0.0, &at[1]);
    return brn_box_near(&at[0], &at[1], within);
}

static bool keep_side(const void *arg, int i, int j)
{
    const brn_patches *p = arg;
    const int point = p->skin->point[i];
    const int *side = &p->side[p->skin->dim * p->meshed[j]];
    const bool own = p->skin->node_body[point] == p->skin->node_body[side[0]];
    return (!own || (p->skin->model->contact_self && is_near_own(p, point, side))) &&
           brn_skin_may_touch(p->skin, &point, 1, side, p->skin->dim);
}

/* Pairs of one vertex with the sides of one body, or with a shape. A round core meets every side: it cannot pass from one to the next as a
   vertex does, which has those around it on its other sides. */
static brn_status list_groups(brn_patches *p, bool shapes)
{
    const brn_skin *skin = p->skin;
    BRN_GROW(p->ctx, p->group, p->group_capacity, p->pairs->count);
    p->ngroup = 0;
    for (size_t i = 0; i < p->pairs->count; ++i) {
        const int *pair = p->pairs->pair[i];
        const int point = shapes ? p->loose[pair[0]] : skin->point[pair[0]];
        const int body =
            shapes ? p->shape[pair[1]] : skin->node_body[p->side[skin->dim * p->meshed[pair[1]]]];
        brn_patch_group *last = p->ngroup > 0 ? &p->group[p->ngroup - 1] : NULL;
        if (last != NULL && last->point == point && last->body == body && !brn_patches_is_core(p, point)) {
            last->end++;
        } else {
            p->group[p->ngroup++] = (brn_patch_group){point, body, (int)i, (int)i + 1};
        }
    }
    return BRN_OK;
}

/* Which bodies take part in the groups, and did not before. */
static bool list_taking(brn_patches *p, bool *fresh)
{
    bool any = false;
    memset(fresh, 0, (size_t)p->skin->model->nbody * sizeof *fresh);
    for (int i = 0; i < p->ngroup; ++i) {
        const int body[2] = {p->skin->node_body[p->group[i].point], p->group[i].body};
        for (int k = 0; k < 2; ++k) {
            fresh[body[k]] = !p->taking[body[k]];
            any = any || fresh[body[k]];
        }
    }
    return any;
}

typedef struct vector_job {
    brn_patches *patches;
    bool *fresh; /* [nbody] */
} vector_job;

static brn_status vector_block(void *arg, int block, brn_arena *scratch)
{
    const vector_job *job = arg;
    brn_patches *p = job->patches;
    (void)scratch;
    for (int s = block * SIDE_BLOCK; s < brn_block_end(p->nside, SIDE_BLOCK, block); ++s) {
        if (job->fresh[p->skin->node_body[p->side[p->skin->dim * s]]]) {
            brn_patches_side_vector(p, s, p->x, p->vector[s]);
            brn_patches_side_vector(p, s, p->ahead, p->vector_ahead[s]);
        }
    }
    return BRN_OK;
}

/* Vectors of the sides of all bodies in the groups: those far from everything have none. */
static brn_status make_vectors(brn_patches *p)
{
    const int nbody = p->skin->model->nbody;
    vector_job job = {p, p->taking + nbody};
    if (!list_taking(p, job.fresh)) {
        return BRN_OK;
    }
    BRN_TRY(brn_parallel_for(p->ctx, brn_block_count(p->nside, SIDE_BLOCK), vector_block, &job));
    for (int b = 0; b < nbody; ++b) {
        p->taking[b] = p->taking[b] || job.fresh[b];
    }
    return BRN_OK;
}

/* ---- points ------------------------------------------------------------------------------------------------------------------- */

typedef struct meet_job {
    const brn_patches *patches;
    brn_patches_meet_fn meet;
    brn_patch_draft *to;
} meet_job;

static brn_status meet_block(void *arg, int block, brn_arena *scratch)
{
    const meet_job *job = arg;
    const brn_patches *p = job->patches;
    brn_patches later = *p;
    (void)scratch;
    later.x = p->ahead;
    later.vector = p->vector_ahead;
    later.frame = p->frame_ahead;
    for (int i = block * MEET_BLOCK; i < brn_block_end(p->ngroup, MEET_BLOCK, block); ++i) {
        job->meet(p, &p->group[i], &job->to[i]);
        brn_patches_pass(p, &later, &p->group[i], job->meet, &job->to[i]);
    }
    return BRN_OK;
}

/* Appends the points of all groups. */
static brn_status meet_groups(brn_patches *p, bool shapes)
{
    BRN_TRY(list_groups(p, shapes));
    if (p->ngroup == 0) { /* there may be no list at all */
        return BRN_OK;
    }
    BRN_TRY(make_vectors(p));
    BRN_GROW(p->ctx, p->draft, p->draft_capacity, (size_t)p->ndraft + (size_t)p->ngroup);
    brn_patch_draft *from = p->draft + p->ndraft;
    meet_job job = {p, shapes ? brn_patches_meet_shape : brn_patches_meet_sides, from};
    BRN_TRY(brn_parallel_for(p->ctx, brn_block_count(p->ngroup, MEET_BLOCK), meet_block, &job));
    for (int i = 0; i < p->ngroup; ++i) {
        if (from[i].found) {
            p->draft[p->ndraft++] = from[i];
        }
    }
    return BRN_OK;
}

/* The share of its patch that a vertex carries against a body; 0: not a point against it, or one with a gap above `most`. */
static double carried(const brn_patches *p, int node, int body, double most)
{
    const bool shape = brn_patches_has_shape(p, body);
    int lo = shape ? 0 : p->nshape_draft;
    int hi = shape ? p->nshape_draft : p->ndraft;
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        const brn_patch *at = &p->draft[middle].patch;
        if (at->node[0] == node && at->body[1] == body) {
            return p->draft[middle].beside || at->gap > most ? 0.0 : p->draft[middle].carry;
        }
        if (at->node[0] < node || (at->node[0] == node && at->body[1] < body)) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return 0.0;
}

/* How much of a point's place others carry that have a gap of at most `most`. */
static double covered_by(const brn_patches *p, const brn_patch *at, double most)
{
    double covered = 0.0;
    for (int k = 1; k < 4 && at->node[k] >= 0; ++k) {
        covered -= at->weight[k] * carried(p, at->node[k], at->body[0], most);
    }
    return covered;
}

/* Of the points of a round core with the sides of a body the nearest, the first of equals, has the area of its cap. */
static bool is_nearest(const brn_patches *p, int i)
{
    const brn_patch *at = &p->draft[i].patch;
    bool nearest = true;
    for (int way = -1; way <= 1 && nearest; way += 2) {
        for (int j = i + way; j >= 0 && j < p->count && nearest; j += way) {
            const brn_patch *other = &p->draft[j].patch;
            if (other->node[0] != at->node[0] || other->body[1] != at->body[1]) {
                break;
            }
            nearest = way < 0 ? at->gap < other->gap : at->gap <= other->gap;
        }
    }
    return nearest;
}

/* Against a shape a vertex carries all; a shape's corners get what is left. A corner bears all the same where it is nearer than
   what is around it, and what is round bears before it touches. */
static brn_status area_block(void *arg, int block, brn_arena *scratch)
{
    brn_patches *p = arg;
    (void)scratch;
    for (int i = block * AREA_BLOCK; i < brn_block_end(p->count, AREA_BLOCK, block); ++i) {
        const brn_patch_draft *from = &p->draft[i];
        const brn_patch *at = &from->patch;
        const bool shape = brn_patches_has_shape(p, at->body[0]);
        const bool core = brn_patches_is_core(p, at->node[0]);
        const double near = at->gap + BRN_PATCHES_RIM * sqrt(at->area);
        const double share = core && !is_nearest(p, i) ? 0.0 : from->carry;
        p->item[i] = *at;
        p->item[i].area *= share * (1.0 - (shape ? 1.0 : 0.5) * covered_by(p, at, fmax(near, 0.0)));
        p->item[i].bears =
            core || from->wall ||
            (at->area * from->carry > 0.0 && !(shape && covered_by(p, at, near) > 1.0 - BRN_PATCHES_RIM));
    }
    return BRN_OK;
}

static brn_status find(brn_patches *p)
{
    const brn_skin *skin = p->skin;
    if (p->nshape == skin->model->nbody) {
        return BRN_OK; /* two shapes do not meet here */
    }
    const brn_bvh_query near_shape = {.keep = keep_shape, .keep_arg = p};
    const brn_bvh_query near_side = {.keep = keep_side, .keep_arg = p};
    memset(p->taking, 0, (size_t)skin->model->nbody * sizeof *p->taking);
    BRN_TRY(build_points(p, p->points, skin->point, skin->npoint, 0.5 * p->depth));
    BRN_TRY(build_points(p, p->loose_points, p->loose, p->nloose, 0.0));
    BRN_TRY(build_sides(p));
    p->old = p->old + 1 < TREE_AGE ? p->old + 1 : 0;
    BRN_TRY(build_shapes(p));
    p->ndraft = 0;
    BRN_TRY(brn_bvh_query_pairs(p->loose_points, p->shapes, &near_shape, p->pairs));
    BRN_TRY(meet_groups(p, true));
    p->nshape_draft = p->ndraft;
    BRN_TRY(brn_bvh_query_pairs(p->points, p->sides, &near_side, p->pairs));
    BRN_TRY(meet_groups(p, false));
    BRN_GROW(p->ctx, p->item, p->capacity, p->ndraft);
    p->count = p->ndraft;
    return brn_parallel_for(p->ctx, brn_block_count(p->count, AREA_BLOCK), area_block, p);
}

brn_status brn_patches_find(brn_patches *p, const double *x, const brn_contact_reach *reach, double depth)
{
    p->x = x;
    p->ahead = reach->ahead;
    p->reach = *reach;
    p->depth = depth;
    p->count = 0;
    const brn_status status = find(p);
    p->count = status < 0 ? 0 : p->count;
    return status;
}

int brn_patches_count(const brn_patches *p)
{
    return p->count;
}

const brn_patch *brn_patches_get(const brn_patches *p)
{
    return p->item;
}

/* For a body that moves as a whole the point goes to the nodes that move it. A shell acts at its middle, also on what touches
   it, as in brn_lever_of_pair: the two places are the gap apart, so that forces have no moment. */
void brn_patch_lever(const brn_skin *skin, const brn_patch *patch, int first, const double *x, brn_lever *out)
{
    int span[2][4];
    bool whole[2];
    double from[3] = {0}; /* the vertex, or the place on the edge */
    double height = 0.0;  /* of it over the other side's own nodes */
    for (int s = 0; s < 2; ++s) {
        whole[s] = brn_body_span(skin->model, patch->body[s], span[s]) > 0;
    }
    for (int k = 0; k < 4 && patch->node[k] >= 0; ++k) {
        height += patch->weight[k] * brn_dense_dot3(&x[3 * patch->node[k]], patch->normal);
        for (int i = 0; i < 3 && k < first; ++i) {
            from[i] += patch->weight[k] * x[3 * patch->node[k] + i];
        }
    }
    const double depth = !whole[0] ? 0.0 : whole[1] ? skin->radius[patch->node[0]] : height - patch->gap;
    const double down[2] = {depth, depth + patch->gap}; /* where the two sides act below it */
    out->count = 0;
    for (int s = 0; s < 2; ++s) {
        double place[3];
        for (int i = 0; i < 3; ++i) {
            place[i] = from[i] - down[s] * patch->normal[i];
        }
        if (whole[s]) {
            brn_lever_add_place(out, skin->model, patch->body[s], place, s == 0 ? 1.0 : -1.0, x);
            continue;
        }
        for (int k = s == 0 ? 0 : first; k < (s == 0 ? first : 4) && patch->node[k] >= 0; ++k) {
            brn_lever_add(out, patch->node[k], patch->weight[k]);
        }
    }
}
