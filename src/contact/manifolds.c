#include "contact/manifolds.h"

#include "base/parallel.h"
#include "geom/bvh.h"
#include "linalg/dense.h"
#include "model/body_shape.h"
#include "model/rigid_pose.h"

#include <math.h>
#include <string.h>

enum { FRAME_BLOCK = 64, PAIR_BLOCK = 32 };

/* A mesh this near to its hull, relative to its size, is convex: what single precision leaves. */
static const double CONVEX = 1e-5;

typedef struct firm {
    int body;
    brn_convex convex;
    brn_hull *hull;         /* in coordinates about the centre of mass at rest; NULL: it has a shape */
    brn_rigid_map frame[2]; /* at x, and ahead */
    double reach;
} firm;

struct brn_manifolds {
    brn_ctx *ctx;
    const brn_skin *skin;
    int nfirm, *of; /* [nbody] number among the firm ones; -1: none */
    firm *firm;
    int nplane, *plane; /* half-spaces have no box */
    int nbox, *boxed;
    brn_box *box;
    brn_bvh *tree;
    brn_bvh_pairs *near;
    int npair, (*pair)[2];
    size_t pair_capacity, found_capacity, item_capacity;
    brn_manifold *found; /* [npair] */
    brn_meeting_point *item;
    int nitem;
    const double *x, *ahead;
};

/* ---- making ----------------------------------------------------------------------------------------------------------------- */

/* The hull of a rigid body's mesh, if that is convex. */
static brn_status make_hull(brn_manifolds *m, int body, brn_hull **out)
{
    const brn_model *model = m->skin->model;
    const brn_boundary *touch = model->body[body].touch;
    const int nside = model->dim == 3 ? touch->ntri : touch->nedge;
    const int *side = model->dim == 3 ? (const int *)touch->tri : (const int *)touch->edge;
    brn_arena *arena = brn_ctx_arena(m->ctx);
    double(*point)[3] = NULL;
    int *own = NULL;
    int *number = NULL;
    double centre[3];
    double size = 0.0;
    BRN_TAKE(arena, point, touch->nnode + 1);
    BRN_TAKE(arena, own, nside * model->dim + 1);
    BRN_TAKE(arena, number, model->body[body].node_count + 1);
    brn_body_mean(model, body, &model->rest[0][0], centre);
    for (int i = 0; i < touch->nnode; ++i) {
        number[touch->node[i] - model->body[body].node_first] = i;
        for (int k = 0; k < 3; ++k) {
            point[i][k] = model->rest[touch->node[i]][k] - (k < model->dim ? centre[k] : 0.0);
            size = fmax(size, fabs(point[i][k]));
        }
    }
    for (int i = 0; i < nside * model->dim; ++i) {
        own[i] = number[side[i] - model->body[body].node_first];
    }
    BRN_TRY(brn_hull_create(m->ctx, model->dim, (const double(*)[3])point, touch->nnode, out));
    if (brn_hull_departure(*out, (const double(*)[3])point, own, nside) > CONVEX * size) {
        brn_hull_destroy(m->ctx, *out);
        *out = NULL;
    }
    return BRN_OK;
}

static brn_status add_body(brn_manifolds *m, int body)
{
    const brn_body *b = &m->skin->model->body[body];
    firm *f = &m->firm[m->nfirm];
    *f = (firm){.body = body};
    m->of[body] = -1;
    if (b->shape.primitive.kind != BRN_PRIMITIVE_NONE) {
        f->convex.shape = b->shape.primitive;
    } else if (b->type == BRN_BODY_RIGID && b->solid) {
        brn_arena *arena = brn_ctx_arena(m->ctx);
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = make_hull(m, body, &f->hull);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
        f->convex.hull = f->hull;
    }
    if (b->shape.primitive.kind != BRN_PRIMITIVE_NONE || f->hull != NULL) {
        m->of[body] = m->nfirm++;
    }
    return BRN_OK;
}

static brn_status fill(brn_manifolds *m)
{
    const int nbody = m->skin->model->nbody;
    BRN_ALLOC(m->ctx, m->of, nbody + 1);
    BRN_ALLOC(m->ctx, m->firm, nbody + 1);
    BRN_ALLOC(m->ctx, m->plane, nbody + 1);
    BRN_ALLOC(m->ctx, m->boxed, nbody + 1);
    BRN_ALLOC(m->ctx, m->box, nbody + 1);
    BRN_TRY(brn_bvh_create(m->ctx, &m->tree));
    BRN_TRY(brn_bvh_pairs_create(m->ctx, &m->near));
    for (int b = 0; b < nbody; ++b) {
        BRN_TRY(add_body(m, b));
    }
    for (int f = 0; f < m->nfirm; ++f) {
        if (m->firm[f].hull == NULL && m->firm[f].convex.shape.kind == BRN_PRIMITIVE_PLANE) {
            m->plane[m->nplane++] = f;
        } else {
            m->boxed[m->nbox++] = f;
        }
    }
    return BRN_OK;
}

brn_status brn_manifolds_create(brn_ctx *ctx, const brn_skin *skin, brn_manifolds **out)
{
    *out = NULL;
    brn_manifolds *m = NULL;
    BRN_ALLOC(ctx, m, 1);
    m->ctx = ctx;
    m->skin = skin;
    const brn_status status = fill(m);
    if (status < 0) {
        brn_manifolds_destroy(m);
        return status;
    }
    *out = m;
    return BRN_OK;
}

void brn_manifolds_destroy(brn_manifolds *m)
{
    if (m == NULL) {
        return;
    }
    for (int f = 0; f < m->nfirm && m->firm != NULL; ++f) {
        brn_hull_destroy(m->ctx, m->firm[f].hull);
    }
    brn_bvh_destroy(m->tree);
    brn_bvh_pairs_destroy(m->near);
    void *arrays[] = {m->of, m->firm, m->plane, m->boxed, m->box, m->pair, m->found, m->item};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(m->ctx, arrays[i]);
    }
    brn_free(m->ctx, m);
}

bool brn_manifolds_has(const brn_manifolds *m, int body)
{
    return m->of[body] >= 0;
}

/* ---- finding ---------------------------------------------------------------------------------------------------------------- */

/* Where a body stands at positions x. */
static void find_frame(const brn_manifolds *m, const firm *f, const double *x, brn_rigid_map *out)
{
    brn_rigid_pose pose;
    if (f->hull == NULL) {
        brn_body_shape_frame(m->skin->model, f->body, x, out);
        return;
    }
    brn_rigid_pose_of(m->skin->model, f->body, x, x, &pose);
    (void)brn_dense_rotation(pose.rotation, sqrt(brn_dense_dot3(pose.rotation, pose.rotation)),
                             out->rotation);
    memcpy(out->origin, pose.centre, sizeof out->origin);
    out->origin[2] = m->skin->dim == 3 ? out->origin[2] : 0.0;
}

static brn_status frame_block(void *arg, int block, brn_arena *scratch)
{
    brn_manifolds *m = arg;
    (void)scratch;
    for (int k = block * FRAME_BLOCK; k < brn_block_end(m->nfirm, FRAME_BLOCK, block); ++k) {
        find_frame(m, &m->firm[k], m->x, &m->firm[k].frame[0]);
        find_frame(m, &m->firm[k], m->ahead, &m->firm[k].frame[1]);
    }
    return BRN_OK;
}

static bool may_meet(const brn_manifolds *m, int f, int g)
{
    int a[4];
    int b[4];
    const int na = brn_body_span(m->skin->model, m->firm[f].body, a);
    const int nb = brn_body_span(m->skin->model, m->firm[g].body, b);
    return brn_skin_may_touch(m->skin, a, na, b, nb);
}

static bool keep(const void *arg, int a, int b)
{
    const brn_manifolds *m = arg;
    return may_meet(m, m->boxed[a], m->boxed[b]);
}

/* Pairs in ascending order of bodies: those of half-spaces behind. */
static brn_status list_pairs(brn_manifolds *m)
{
    const brn_bvh_query query = {.keep = keep, .keep_arg = m};
    for (int k = 0; k < m->nbox; ++k) {
        const firm *f = &m->firm[m->boxed[k]];
        brn_convex_box(&f->convex, f->frame, &m->box[k]);
        for (int i = 0; i < 3; ++i) {
            m->box[k].lo[i] -= f->reach;
            m->box[k].hi[i] += f->reach;
        }
    }
    BRN_TRY(brn_bvh_build(m->tree, m->box, m->nbox));
    BRN_TRY(brn_bvh_query_self(m->tree, &query, m->near));
    BRN_GROW(m->ctx, m->pair, m->pair_capacity, m->near->count + (size_t)m->nplane * (size_t)m->nbox);
    m->npair = 0;
    for (size_t i = 0; i < m->near->count; ++i) {
        m->pair[m->npair][0] = m->boxed[m->near->pair[i][0]];
        m->pair[m->npair++][1] = m->boxed[m->near->pair[i][1]];
    }
    for (int p = 0; p < m->nplane; ++p) {
        for (int k = 0; k < m->nbox; ++k) {
            const firm *f = &m->firm[m->boxed[k]];
            const firm *plane = &m->firm[m->plane[p]];
            if (brn_manifold_reach(&f->convex, f->frame, &plane->convex, plane->frame,
                                   f->reach + plane->reach) &&
                may_meet(m, m->boxed[k], m->plane[p])) {
                m->pair[m->npair][0] = m->boxed[k];
                m->pair[m->npair++][1] = m->plane[p];
            }
        }
    }
    return BRN_OK;
}

static brn_status pair_block(void *arg, int block, brn_arena *scratch)
{
    brn_manifolds *m = arg;
    (void)scratch;
    for (int k = block * PAIR_BLOCK; k < brn_block_end(m->npair, PAIR_BLOCK, block); ++k) {
        const firm *a = &m->firm[m->pair[k][0]];
        const firm *b = &m->firm[m->pair[k][1]];
        const double within = a->reach + b->reach;
        m->found[k].count = 0;
        if (brn_manifold_reach(&a->convex, a->frame, &b->convex, b->frame, within)) {
            brn_manifold_find(&a->convex, a->frame, &b->convex, b->frame, within, &m->found[k]);
            brn_manifold_pass(&a->convex, a->frame, &b->convex, b->frame, within, &m->found[k]);
        }
    }
    return BRN_OK;
}

brn_status brn_manifolds_find(brn_manifolds *m, const double *x, const double *ahead, const double *reach)
{
    m->x = x;
    m->ahead = ahead;
    m->nitem = 0;
    for (int f = 0; f < m->nfirm; ++f) {
        m->firm[f].reach = reach[m->firm[f].body];
    }
    BRN_TRY(brn_parallel_for(m->ctx, brn_block_count(m->nfirm, FRAME_BLOCK), frame_block, m));
    BRN_TRY(list_pairs(m));
    BRN_GROW(m->ctx, m->found, m->found_capacity, (size_t)m->npair);
    BRN_TRY(brn_parallel_for(m->ctx, brn_block_count(m->npair, PAIR_BLOCK), pair_block, m));
    size_t count = 0;
    for (int k = 0; k < m->npair; ++k) {
        count += (size_t)m->found[k].count;
    }
    BRN_GROW(m->ctx, m->item, m->item_capacity, count);
    for (int k = 0; k < m->npair; ++k) {
        for (int i = 0; i < m->found[k].count; ++i) {
            m->item[m->nitem++] = (brn_meeting_point){
                {m->firm[m->pair[k][0]].body, m->firm[m->pair[k][1]].body}, m->found[k].point[i]};
        }
    }
    return BRN_OK;
}

int brn_manifolds_count(const brn_manifolds *m)
{
    return m->nitem;
}

const brn_meeting_point *brn_manifolds_get(const brn_manifolds *m)
{
    return m->item;
}
