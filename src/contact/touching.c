#include "contact/touching.h"

#include "base/parallel.h"
#include "contact/overlap.h"
#include "contact/past.h"
#include "geom/ccd.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINT_BLOCK = 64 }; /* of one parallel block */

/* Of the extent: overlap that is seen, however slow. */
static const double DEPTH = 0.005;
/* Of the size of a body: what ends deeper in another is not in contact but stuck in it. Nothing is looked for deeper, however wide the scene is. */
static const double STUCK = 0.05;

static brn_status list_sizes(brn_touching *t)
{
    BRN_ALLOC(t->ctx, t->size, t->model->nbody + 1);
    for (int b = 0; b < t->model->nbody; ++b) {
        const brn_body *body = &t->model->body[b];
        const double share = body->volume / (body->elem_count > 0 ? body->elem_count : 1);
        t->size[b] = body->type == BRN_BODY_STATIC  ? INFINITY
                     : body->type == BRN_BODY_SHELL ? sqrt(share / (2.0 * body->radius))
                     : t->model->dim == 3           ? cbrt(share)
                                                    : sqrt(share);
    }
    return BRN_OK;
}

static brn_status fill(brn_touching *t)
{
    BRN_TRY(list_sizes(t));
    BRN_TRY(brn_skin_create(t->ctx, t->model, &t->skin));
    BRN_TRY(brn_patches_create(t->ctx, t->skin, &t->patches));
    BRN_TRY(brn_manifolds_create(t->ctx, t->skin, &t->manifolds));
    return brn_crossings_create(t->ctx, t->skin, t->manifolds, &t->crossings);
}

brn_status brn_touching_create(brn_ctx *ctx, const brn_model *model, double extent, brn_touching **out)
{
    *out = NULL;
    brn_touching *t = NULL;
    BRN_ALLOC(ctx, t, 1);
    t->ctx = ctx;
    t->model = model;
    t->extent = extent;
    const brn_status status = fill(t);
    if (status < 0) {
        brn_touching_destroy(t);
        return status;
    }
    *out = t;
    return BRN_OK;
}

void brn_touching_destroy(brn_touching *t)
{
    if (t == NULL) {
        return;
    }
    brn_patches_destroy(t->patches);
    brn_crossings_destroy(t->crossings);
    brn_manifolds_destroy(t->manifolds);
    brn_skin_destroy(t->skin);
    brn_free(t->ctx, t->size);
    brn_free(t->ctx, t->point);
    brn_free(t->ctx, t->aside);
    brn_free(t->ctx, t);
}

/* Two directions across the normal; in 2D one. */
static void set_frame(int dim, const double normal[3], double frame[9])
{
    memset(frame, 0, 9 * sizeof *frame);
    if (dim == 2) {
        frame[0] = normal[1];
        frame[1] = -normal[0];
        memcpy(&frame[2], normal, 2 * sizeof *frame);
        return;
    }
    int least = 0;
    double axis[3] = {0};
    for (int i = 1; i < 3; ++i) {
        least = fabs(normal[i]) < fabs(normal[least]) ? i : least;
    }
    axis[least] = 1.0;
    brn_dense_cross3(normal, axis, frame);
    const double length = sqrt(brn_dense_dot3(frame, frame));
    for (int i = 0; i < 3; ++i) {
        frame[i] /= length;
    }
    brn_dense_cross3(normal, frame, frame + 3);
    memcpy(frame + 6, normal, 3 * sizeof *frame);
}

/* [m] Overlap of a body that is seen, however slow. */
static double depth_in(const brn_touching *t, int body)
{
    return fmin(DEPTH * t->extent, STUCK * brn_body_size(t->model, body));
}

/* What is deeper in a mesh than its elements, or the other's, are long is no contact but a vertex behind the plane of a face far away:
   patches are looked for as far as the fastest body goes. Shapes know their depth. */
static bool is_overlap(const brn_touching *t, const brn_patch *patch)
{
    const double elements = fmin(t->size[patch->body[0]], t->size[patch->body[1]]);
    const double deep = fmin(depth_in(t, patch->body[0]), depth_in(t, patch->body[1]));
    return patch->node[1] < 0 || patch->gap > -fmax(deep, elements);
}

/* Convex bodies meet by their manifold. */
static bool is_point(const brn_touching *t, const brn_patch *patch)
{
    return (patch->bears || patch->area > 0.0) && is_overlap(t, patch) &&
           !(brn_manifolds_has(t->manifolds, patch->body[0]) &&
             brn_manifolds_has(t->manifolds, patch->body[1]));
}

/* Of a vertex (first: 1) or where edges cross (2). */
static void set_patch(const brn_touching *t, const brn_patch *patch, int first, const double *x,
                      brn_touching_point *p)
{
    *p = (brn_touching_point){.kind = first == 1 ? BRN_TOUCHING_VERTEX : BRN_TOUCHING_EDGES,
                              .body = {patch->body[0], patch->body[1]},
                              .gap = patch->gap,
                              .area = patch->area,
                              .bears = patch->bears};
    memcpy(p->node, patch->node, sizeof p->node);
    memcpy(p->place, patch->place, sizeof p->place);
    brn_patch_lever(t->skin, patch, first, x, &p->lever);
    set_frame(t->model->dim, patch->normal, p->frame);
}

static void set_meeting(const brn_touching *t, const brn_meeting_point *m, const double *x,
                        brn_touching_point *p)
{
    *p = (brn_touching_point){.kind = BRN_TOUCHING_CONVEX,
                              .body = {m->body[0], m->body[1]},
                              .node = {-1, -1, -1, -1},
                              .gap = m->point.gap,
                              .area = INFINITY,
                              .bears = true};
    memcpy(p->place, m->point.place, sizeof p->place);
    for (int side = 0; side < 2; ++side) {
        brn_lever_add_place(&p->lever, t->model, p->body[side], p->place, side == 0 ? 1.0 : -1.0, x);
    }
    set_frame(t->model->dim, m->point.normal, p->frame);
}

/* Whether edges that would close along their normal on the way ahead go past each other. */
static bool pass_edges(const brn_touching *t, const brn_patch *patch, const double *x, const double *ahead)
{
    const double apart = t->skin->radius[patch->node[0]] + t->skin->radius[patch->node[2]];
    double closing = 0.0;
    double at[2][4][3];
    for (int k = 0; k < 4; ++k) {
        const int first = 3 * patch->node[k];
        memcpy(at[0][k], &x[first], sizeof at[0][k]);
        memcpy(at[1][k], &ahead[first], sizeof at[1][k]);
        for (int i = 0; i < 3; ++i) {
            closing -= patch->weight[k] * patch->normal[i] * (ahead[first + i] - x[first + i]);
        }
    }
    return patch->gap > 0.0 && closing > patch->gap &&
           brn_past(brn_ccd_edge_edge, (const double(*)[4][3])at, 4, apart);
}

/* Patches, crossings and meetings, numbered one after the other. */
typedef struct found {
    brn_touching *touching;
    const double *x, *ahead;
    int npatch, ncrossing, nmeeting;
    int *source; /* [count] number of each point */
} found;

static brn_status point_block(void *arg, int block, brn_arena *scratch)
{
    const found *all = arg;
    const brn_touching *t = all->touching;
    (void)scratch;
    for (int i = block * POINT_BLOCK; i < brn_block_end(t->count, POINT_BLOCK, block); ++i) {
        const int patch = all->source[i];
        const int crossing = patch - all->npatch;
        const int meeting = crossing - all->ncrossing;
        if (crossing < 0) {
            set_patch(t, &brn_patches_get(t->patches)[patch], 1, all->x, &t->point[i]);
        } else if (meeting < 0) {
            set_patch(t, &brn_crossings_get(t->crossings)[crossing], 2, all->x, &t->point[i]);
        } else {
            set_meeting(t, &brn_manifolds_get(t->manifolds)[meeting], all->x, &t->point[i]);
        }
    }
    return BRN_OK;
}

/* Which of all are points, and what they are. */
static brn_status list_points(found *all)
{
    brn_touching *t = all->touching;
    const int npatch = all->npatch + all->ncrossing;
    const int count = npatch + all->nmeeting;
    int n = 0;
    BRN_GROW(t->ctx, t->point, t->capacity, (size_t)count);
    BRN_TAKE(brn_ctx_arena(t->ctx), all->source, count + 1);
    for (int i = 0; i < count; ++i) {
        const brn_patch *patch = i < all->npatch ? &brn_patches_get(t->patches)[i]
                                 : i < npatch    ? &brn_crossings_get(t->crossings)[i - all->npatch]
                                                 : NULL;
        const bool edges = i >= all->npatch && i < npatch;
        if (patch == NULL || (is_point(t, patch) && !(edges && pass_edges(t, patch, all->x, all->ahead)))) {
            all->source[n++] = i;
        }
    }
    t->count = n;
    return brn_parallel_for(t->ctx, brn_block_count(n, POINT_BLOCK), point_block, all);
}

brn_status brn_touching_find(brn_touching *t, const double *x, const brn_contact_reach *reach)
{
    double depth = 0.0;
    for (int b = 0; b < t->model->nbody; ++b) {
        depth = t->model->body[b].type == BRN_BODY_STATIC ? depth : fmax(depth, depth_in(t, b));
    }
    t->count = 0;
    BRN_TRY(brn_patches_find(t->patches, x, reach, depth));
    BRN_TRY(brn_crossings_find(t->crossings, x, reach, depth));
    BRN_TRY(brn_manifolds_find(t->manifolds, x, reach->ahead, reach->body));
    brn_arena *arena = brn_ctx_arena(t->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    found all = {.touching = t,
                 .x = x,
                 .ahead = reach->ahead,
                 .npatch = brn_patches_count(t->patches),
                 .ncrossing = brn_crossings_count(t->crossings),
                 .nmeeting = brn_manifolds_count(t->manifolds)};
    const brn_status status = list_points(&all);
    brn_arena_rewind(arena, mark);
    return status;
}

void brn_touching_swap(brn_touching *t)
{
    brn_touching_point *point = t->point;
    const int count = t->count;
    const size_t capacity = t->capacity;
    t->point = t->aside;
    t->count = t->aside_count;
    t->capacity = t->aside_capacity;
    t->aside = point;
    t->aside_count = count;
    t->aside_capacity = capacity;
}

bool brn_touching_is_round(const brn_touching *t, const brn_touching_point *point)
{
    return point->kind == BRN_TOUCHING_VERTEX && point->node[1] >= 0 &&
           brn_patches_is_core(t->patches, point->node[0]);
}

double brn_touching_overlap(const brn_model *model, const int body[2], double gap)
{
    return fmax(0.0, -gap / fmin(brn_body_size(model, body[0]), brn_body_size(model, body[1])));
}

bool brn_touching_doubt(double overlap, const char *figure, char *text, size_t size)
{
    const bool stuck = overlap > STUCK;
    if (stuck) {
        (void)snprintf(text, size,
                       "bodies end %.2g %% of their size deep in each other (%s): a smaller time.step, finer "
                       "meshes, or method: ipc, which never overlaps",
                       100.0 * overlap, figure);
    }
    return stuck;
}

/* The deepest of the points at positions x; NULL: none. */
static brn_status find_deepest(brn_touching *t, const double *x, const brn_touching_point **deepest)
{
    brn_arena *arena = brn_ctx_arena(t->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *none = NULL;
    double most = 0.0;
    *deepest = NULL;
    BRN_TAKE(arena, none, t->model->nbody + 1);
    memset(none, 0, ((size_t)t->model->nbody + 1) * sizeof *none);
    const brn_status status = brn_touching_find(t, x, &(brn_contact_reach){x, none, none});
    brn_arena_rewind(arena, mark);
    for (int i = 0; i < t->count; ++i) {
        const brn_touching_point *p = &t->point[i];
        const double depth = p->bears ? brn_touching_overlap(t->model, p->body, p->gap) : 0.0;
        *deepest = depth > most ? p : *deepest;
        most = fmax(most, depth);
    }
    return status;
}

/* Shapes know how deep they are met, and by which way out; meshes that are deep in each other are for their surfaces to tell. */
brn_status brn_touching_begin(brn_touching *t, const double *x)
{
    const brn_touching_point *point;
    brn_overlap surfaces;
    if (t->begun) {
        return BRN_OK;
    }
    BRN_TRY(find_deepest(t, x, &point));
    BRN_TRY(brn_overlap_find(t->skin, x, &surfaces));
    t->begun = true;
    const double overlap = point != NULL ? brn_touching_overlap(t->model, point->body, point->gap) : 0.0;
    const bool known = overlap >= surfaces.share;
    const int *body = known && point != NULL ? point->body : surfaces.body;
    const double *at = known && point != NULL ? point->place : surfaces.place;
    const double depth = known && point != NULL ? -point->gap : surfaces.depth;
    if (!(fmax(overlap, surfaces.share) > STUCK)) {
        return BRN_OK;
    }
    const int written =
        snprintf(t->start, sizeof t->start,
                 "'%.40s' starts %.3g m deep in '%.40s' near [%.4g, %.4g, %.4g], where no contact leads to: ",
                 t->model->body[body[0]].name, depth, t->model->body[body[1]].name, at[0], at[1], at[2]);
    char *rest = t->start + written;
    const size_t room = sizeof t->start - (size_t)written;
    if (known && point != NULL) {
        const int dim = t->model->dim;
        const double *n = &point->frame[dim * (dim - 1)];
        (void)snprintf(rest, room, "move it by [%.3g, %.3g, %.3g]", depth * n[0], depth * n[1],
                       dim == 3 ? depth * n[2] : 0.0);
    } else {
        (void)snprintf(rest, room, "move them apart");
    }
    return BRN_OK;
}

bool brn_touching_warn(const brn_touching *t, char *text, size_t size)
{
    (void)snprintf(text, size, "%s", t->start);
    return t->start[0] != '\0';
}

brn_status brn_touching_conclude(const brn_touching *t, const double *x, double overlap, char *text,
                                 size_t size)
{
    brn_overlap deepest;
    text[0] = '\0';
    BRN_TRY(brn_overlap_find(t->skin, x, &deepest));
    if (deepest.share > fmax(STUCK, 2.0 * overlap)) {
        const double *at = deepest.place;
        (void)snprintf(text, size,
                       "bodies '%s' and '%s' end %.2g m deep in each other, %.2g %% of their size, near "
                       "[%g, %g, %g], and no contact point tells: a smaller time.step, finer meshes, or "
                       "method: ipc, which never overlaps",
                       t->model->body[deepest.body[0]].name, t->model->body[deepest.body[1]].name,
                       deepest.depth, 100.0 * deepest.share, at[0], at[1], at[2]);
    }
    return BRN_OK;
}
