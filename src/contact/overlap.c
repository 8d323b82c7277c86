#include "contact/overlap.h"

#include "contact/meetings.h"
#include "geom/distance.h"
#include "geom/predicates.h"
#include "linalg/dense.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct search {
    const brn_skin *skin;
    const double *x;
    brn_box *box;           /* of bodies, [nbody], and behind them room for those of the sides of one */
    brn_bvh *bodies, *tree; /* of all bodies; of the sides of one */
    brn_bvh_pairs *pairs;   /* of bodies */
    brn_intersect *check;
    brn_intersection *met;
    const brn_body *outer; /* the body that is looked into */
    const double *point;   /* from which the nearest side is looked for */
    brn_overlap *out;
} search;

double brn_body_size(const brn_model *model, int body)
{
    const double volume = model->body[body].volume;
    return model->body[body].type == BRN_BODY_STATIC ? INFINITY
           : model->dim == 3                         ? cbrt(volume)
                                                     : sqrt(volume);
}

static double size_of_pair(const search *s, int a, int b)
{
    return fmin(brn_body_size(s->skin->model, a), brn_body_size(s->skin->model, b));
}

static void keep_deepest(const search *s, double depth, int a, int b, const double place[3])
{
    const double share = depth / size_of_pair(s, a, b);
    if (share > s->out->share) {
        *s->out = (brn_overlap){.share = share, .depth = depth, .body = {a, b}};
        memcpy(s->out->place, place, sizeof s->out->place);
    }
}

/* ---- vertices inside ---------------------------------------------------------------------------------------------------------- */

static const int *side_of(const search *s, int side)
{
    return s->skin->dim == 3 ? s->outer->touch->tri[side] : s->outer->touch->edge[side];
}

static double distance2(const void *arg, int side)
{
    const search *s = arg;
    const int *node = side_of(s, side);
    double at[4][3];
    memcpy(at[0], s->point, sizeof at[0]);
    for (int i = 0; i < s->skin->dim; ++i) {
        memcpy(at[i + 1], &s->x[3 * node[i]], sizeof at[i + 1]);
    }
    return s->skin->dim == 3 ? brn_distance_point_triangle2((const double(*)[3])at)
                             : brn_distance_point_edge2((const double(*)[3])at);
}

/* In front of a side, to which nothing is nearer: outside, but for inner vertices at a sharp notch, whose neighbours will do. */
static bool in_front(const search *s, const int *node, const double p[3])
{
    const double *a = &s->x[3 * node[0]];
    const double *b = &s->x[3 * node[1]];
    return s->skin->dim == 3 ? brn_orient3d(a, b, &s->x[3 * node[2]], p) > 0 : brn_orient2d(a, b, p) < 0;
}

/* Winding takes a pass over all sides, so it is asked last. */
static void look_at_point(search *s, int node, int inner, int outer)
{
    s->point = &s->x[3 * node];
    const int side = brn_bvh_nearest(s->tree, s->point, distance2, s);
    if (side < 0 || !brn_skin_may_touch(s->skin, &node, 1, side_of(s, side), s->skin->dim) ||
        in_front(s, side_of(s, side), s->point)) {
        return;
    }
    const double depth = sqrt(distance2(s, side)) + s->skin->radius[node];
    if (depth > s->out->share * size_of_pair(s, inner, outer) &&
        fabs(brn_body_winding(s->outer, s->skin->dim, s->x, s->point)) > 0.5) {
        keep_deepest(s, depth, inner, outer, s->point);
    }
}

static bool in_box(const brn_box *box, const double p[3])
{
    bool in = true;
    for (int k = 0; k < 3; ++k) {
        in = in && p[k] >= box->lo[k] && p[k] <= box->hi[k];
    }
    return in;
}

static brn_status choose_outer(search *s, int outer)
{
    s->outer = &s->skin->model->body[outer];
    const brn_boundary *surface = s->outer->touch;
    const int dim = s->skin->dim;
    brn_box *room = s->box + s->skin->model->nbody;
    const brn_box_sweep sweep = {.count = dim == 3 ? surface->ntri : surface->nedge,
                                 .width = dim,
                                 .node = dim == 3 ? (const int *)surface->tri : (const int *)surface->edge,
                                 .x0 = (const double(*)[3])s->x};
    BRN_TRY(brn_box_sweep_all(s->skin->ctx, &sweep, room));
    return brn_bvh_build(s->tree, room, sweep.count);
}

/* Whether a body may hold vertices of another; pairs come in both orders. */
static bool may_hold(const void *arg, int outer, int inner)
{
    const brn_model *model = arg;
    const brn_body *body = &model->body[outer];
    return outer != inner && body->solid && !(body->radius > 0.0) && body->touch->nnode > 0 &&
           model->body[inner].touch->nnode > 0;
}

static brn_status look_inside(search *s)
{
    const brn_model *model = s->skin->model;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        s->box[b] = body->touch->nnode > 0 ? brn_body_touch_box(body, s->x) : (brn_box){{0.0}, {0.0}};
    }
    const brn_bvh_query query = {.keep = may_hold, .keep_arg = model};
    BRN_TRY(brn_bvh_build(s->bodies, s->box, model->nbody));
    BRN_TRY(brn_bvh_query_pairs(s->bodies, s->bodies, &query, s->pairs));
    for (size_t i = 0; i < s->pairs->count; ++i) {
        const int outer = s->pairs->pair[i][0];
        const int inner = s->pairs->pair[i][1];
        if (s->outer != &model->body[outer]) {
            BRN_TRY(choose_outer(s, outer));
        }
        const brn_boundary *points = model->body[inner].touch;
        for (int k = 0; k < points->nnode; ++k) {
            if (in_box(&s->box[outer], &s->x[3 * points->node[k]])) {
                look_at_point(s, points->node[k], inner, outer);
            }
        }
    }
    return BRN_OK;
}

/* ---- surfaces that cross ------------------------------------------------------------------------------------------------------ */

/* [m] By how much an edge and a side overlap along a direction; infinite for none. */
static double overlap_along(const search *s, const int *edge, const int *side, const double normal[3])
{
    double lo[2] = {INFINITY, INFINITY};
    double hi[2] = {-INFINITY, -INFINITY};
    const double length = sqrt(brn_dense_dot3(normal, normal));
    for (int i = 0; i < s->skin->dim + 2; ++i) {
        const int of = i < 2 ? 0 : 1;
        const double at = brn_dense_dot3(&s->x[3 * (of == 0 ? edge[i] : side[i - 2])], normal) / length;
        lo[of] = fmin(lo[of], at);
        hi[of] = fmax(hi[of], at);
    }
    return length > 0.0 ? fmin(hi[0] - lo[1], hi[1] - lo[0]) : INFINITY;
}

/* Across two edges; in 2D across the first. */
static void across(const search *s, const int *a, const int *b, double normal[3])
{
    double along[2][3] = {{0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < s->skin->dim; ++i) {
        along[0][i] = s->x[3 * a[1] + i] - s->x[3 * a[0] + i];
        along[1][i] = s->skin->dim == 3 ? s->x[3 * b[1] + i] - s->x[3 * b[0] + i] : along[1][i];
    }
    brn_dense_cross3(along[0], along[1], normal);
}

/* [m] How far an edge that meets a side must be moved to be free of it: the least overlap along the axes of separation. */
static double way_out(const search *s, const int *edge, const int *side)
{
    const int dim = s->skin->dim;
    double normal[3];
    across(s, side, side + dim - 2, normal);
    double way = overlap_along(s, edge, side, normal);
    for (int i = 0; i < (dim == 3 ? 3 : 1); ++i) {
        const int next[2] = {side[i], side[(i + 1) % dim]};
        across(s, edge, next, normal);
        way = fmin(way, overlap_along(s, edge, side, normal));
    }
    return isfinite(way) ? way : 0.0;
}

static brn_status look_at_crossings(search *s)
{
    const brn_skin *skin = s->skin;
    size_t count = 0;
    BRN_TRY(brn_meetings_list(s->check, skin, s->x, NULL, 0, &count));
    BRN_ALLOC(skin->ctx, s->met, count + 1);
    const int room = count < INT_MAX ? (int)count : INT_MAX;
    BRN_TRY(brn_meetings_list(s->check, skin, s->x, s->met, room, &count));
    for (int i = 0; i < room; ++i) {
        const int *edge = skin->edge[s->met[i].edge];
        const int *side = skin->dim == 3 ? skin->tri[s->met[i].other] : skin->edge[s->met[i].other];
        keep_deepest(s, way_out(s, edge, side), skin->node_body[edge[0]], skin->node_body[side[0]],
                     s->met[i].point);
    }
    return BRN_OK;
}

static brn_status look(search *s)
{
    const brn_model *model = s->skin->model;
    int most = 0;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_boundary *surface = model->body[b].touch;
        const int sides = model->dim == 3 ? surface->ntri : surface->nedge;
        most = sides > most ? sides : most;
    }
    BRN_ALLOC(s->skin->ctx, s->box, (size_t)model->nbody + (size_t)most + 1);
    BRN_TRY(brn_bvh_create(s->skin->ctx, &s->bodies));
    BRN_TRY(brn_bvh_create(s->skin->ctx, &s->tree));
    BRN_TRY(brn_bvh_pairs_create(s->skin->ctx, &s->pairs));
    BRN_TRY(brn_intersect_create(s->skin->ctx, &s->check));
    BRN_TRY(look_at_crossings(s));
    return look_inside(s);
}

brn_status brn_overlap_find(const brn_skin *skin, const double *x, brn_overlap *out)
{
    *out = (brn_overlap){.body = {-1, -1}};
    search s = {.skin = skin, .x = x, .out = out};
    const brn_status status = look(&s);
    brn_free(skin->ctx, s.box);
    brn_free(skin->ctx, s.met);
    brn_bvh_destroy(s.bodies);
    brn_bvh_destroy(s.tree);
    brn_bvh_pairs_destroy(s.pairs);
    brn_intersect_destroy(s.check);
    return status;
}
