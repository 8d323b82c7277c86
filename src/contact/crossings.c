#include "contact/crossings_inner.h"

#include "base/parallel.h"

#include <stdlib.h>

enum { EDGE_BLOCK = 256, PAIR_BLOCK = 128 };
/* The tree is refitted so often before it is built anew: edges of a body stay together. Pairs do not depend on it. */
enum { TREE_AGE = 16 };

/* Cosine of 30 degrees: sides that differ by more make an edge sharp. */
static const double SHARP = 0.86602540378443865;
/* Sine of what a normal may be beyond those of the sides: 24 degrees. Faces of soft bodies tilt when an edge is pressed into them; a point that is lost
   by that is found again when the edge has sunk in. */
static const double SLACK = 0.4;

/* ---- which edges are sharp ---------------------------------------------------------------------------------------------------- */

/* Edge and sides at positions x; not finite where a triangle has no area. */
static void measure(brn_ridge *r, const double *x)
{
    const double *from = &x[3 * r->node[0]];
    double across[3];
    brn_ridge_subtract(&x[3 * r->node[1]], from, r->along);
    for (int k = 0; k < 2; ++k) {
        brn_ridge_subtract(&x[3 * r->opposite[r->opposite[1] < 0 ? 0 : k]], from, across);
        brn_dense_cross3(k == 0 ? r->along : across, k == 0 ? across : r->along, r->normal[k]);
        r->area[k] = 0.5 * brn_ridge_make_unit(r->normal[k]);
    }
    for (int i = 0; i < 3; ++i) {
        r->middle[i] = r->normal[0][i] + r->normal[1][i];
    }
    if (r->opposite[1] < 0) { /* outwards in the plane of the sheet */
        brn_dense_cross3(r->along, r->normal[0], r->middle);
    }
    (void)brn_ridge_make_unit(r->middle);
    const double cosine = brn_dense_dot3(r->middle, r->normal[0]);
    const double sine = sqrt(fmax(0.0, 1.0 - cosine * cosine));
    r->least = cosine * sqrt(1.0 - SLACK * SLACK) - sine * SLACK;
}

/* Sheets have no outside: their folds are turned so that they are convex. */
static bool is_sharp(const brn_crossings *c, brn_ridge *r, int sides)
{
    const double *rest = &c->skin->model->rest[0][0];
    double across[3];
    if (sides != 1 && sides != 2) {
        return false;
    }
    measure(r, rest);
    if (sides == 1) {
        return true;
    }
    brn_ridge_subtract(&rest[3 * r->opposite[1]], &rest[3 * r->node[0]], across);
    const bool convex = brn_dense_dot3(r->normal[0], across) < 0.0;
    const bool sheet = !c->skin->model->body[c->skin->node_body[r->node[0]]].solid;
    if (sheet && !convex) {
        const int first = r->node[0];
        r->node[0] = r->node[1];
        r->node[1] = first;
    }
    return (convex || sheet) && brn_dense_dot3(r->normal[0], r->normal[1]) < SHARP;
}

static bool by_manifold(const brn_crossings *c, const brn_ridge *r)
{
    return c->manifolds != NULL && brn_manifolds_has(c->manifolds, c->skin->node_body[r->node[0]]);
}

/* All sharp edges; none where all of them are of bodies that meet by their manifolds. */
static void list_ridges(brn_crossings *c)
{
    const brn_skin *skin = c->skin;
    for (int e = 0; e < skin->nedge; ++e) {
        c->ridge[e] = (brn_ridge){.node = {-1, -1}, .opposite = {-1, -1}};
    }
    for (int i = 0; i < 3 * skin->ntri; ++i) {
        const int *t = skin->tri[i / 3];
        const int a = t[i % 3];
        const int b = t[(i + 1) % 3];
        brn_ridge *r = &c->ridge[brn_skin_find_edge(skin, a, b)];
        const bool first = r->node[0] < 0;
        r->opposite[first ? 0 : 1] = t[(i + 2) % 3];
        if (first) {
            r->node[0] = a;
            r->node[1] = b;
        }
    }
    for (int e = 0; e < skin->nedge; ++e) {
        if (is_sharp(c, &c->ridge[e], skin->edge_sides[e])) {
            c->ridge[c->nridge] = c->ridge[e];
            c->ridge[c->nridge].loose = !by_manifold(c, &c->ridge[e]);
            c->nloose += c->ridge[c->nridge++].loose;
        }
    }
    c->nridge = c->nloose > 0 ? c->nridge : 0;
}

/* ---- making --------------------------------------------------------------------------------------------------------------------- */

static brn_status fill(brn_crossings *c)
{
    BRN_TRY(brn_bvh_create(c->ctx, &c->tree));
    BRN_TRY(brn_bvh_create(c->ctx, &c->loose_tree));
    BRN_TRY(brn_bvh_pairs_create(c->ctx, &c->pairs));
    if (c->skin->dim == 3) {
        BRN_ALLOC(c->ctx, c->ridge, c->skin->nedge + 1);
        list_ridges(c);
    }
    BRN_ALLOC(c->ctx, c->box, c->nridge + 1);
    BRN_ALLOC(c->ctx, c->loose_box, c->nloose + 1);
    BRN_ALLOC(c->ctx, c->loose, c->nloose + 1);
    for (int k = 0, n = 0; k < c->nridge; ++k) {
        if (c->ridge[k].loose) {
            c->loose[n++] = k;
        }
    }
    return BRN_OK;
}

brn_status brn_crossings_create(brn_ctx *ctx, const brn_skin *skin, const brn_manifolds *manifolds,
                                brn_crossings **out)
{
    *out = NULL;
    brn_crossings *c = NULL;
    BRN_ALLOC(ctx, c, 1);
    c->ctx = ctx;
    c->skin = skin;
    c->manifolds = manifolds;
    const brn_status status = fill(c);
    if (status < 0) {
        brn_crossings_destroy(c);
        return status;
    }
    *out = c;
    return BRN_OK;
}

void brn_crossings_destroy(brn_crossings *c)
{
    if (c == NULL) {
        return;
    }
    brn_bvh_destroy(c->tree);
    brn_bvh_destroy(c->loose_tree);
    brn_bvh_pairs_destroy(c->pairs);
    brn_free(c->ctx, c->ridge);
    brn_free(c->ctx, c->loose);
    brn_free(c->ctx, c->box);
    brn_free(c->ctx, c->loose_box);
    brn_free(c->ctx, c->item);
    brn_free(c->ctx, c);
}

/* ---- finding -------------------------------------------------------------------------------------------------------------------- */

static brn_status box_block(void *arg, int block, brn_arena *scratch)
{
    brn_crossings *c = arg;
    (void)scratch;
    for (int k = block * EDGE_BLOCK; k < brn_block_end(c->nridge, EDGE_BLOCK, block); ++k) {
        const int *node = c->ridge[k].node;
        const double margin = fmax(c->reach.body[c->skin->node_body[node[0]]], 0.5 * c->depth);
        const double r = c->skin->radius[node[0]] + margin;
        c->ridge[k].near = false;
        for (int i = 0; i < 3; ++i) {
            const double a = c->x[3 * node[0] + i];
            const double b = c->x[3 * node[1] + i];
            c->box[k].lo[i] = (a < b ? a : b) - r;
            c->box[k].hi[i] = (a < b ? b : a) + r;
        }
    }
    return BRN_OK;
}

static brn_status measure_block(void *arg, int block, brn_arena *scratch)
{
    brn_crossings *c = arg;
    (void)scratch;
    for (int k = block * EDGE_BLOCK; k < brn_block_end(c->nridge, EDGE_BLOCK, block); ++k) {
        if (c->ridge[k].near) {
            measure(&c->ridge[k], c->x);
        }
    }
    return BRN_OK;
}

/* An edge and the k-th loose one; two loose ones once. */
static bool keep(const void *arg, int i, int k)
{
    const brn_crossings *c = arg;
    const int j = c->loose[k];
    const brn_ridge *a = &c->ridge[i];
    const brn_ridge *b = &c->ridge[j];
    return !(a->loose && i >= j) && c->skin->node_body[a->node[0]] != c->skin->node_body[b->node[0]] &&
           brn_skin_may_touch(c->skin, a->node, 2, b->node, 2);
}

static int by_edges(const void *a, const void *b)
{
    const int *p = a;
    const int *q = b;
    const int k = p[0] == q[0];
    return (p[k] > q[k]) - (p[k] < q[k]);
}

/* Near pairs of edges, in ascending order. Two edges of bodies that meet by manifolds are none, and are not looked at: most of a robot's are. */
static brn_status list_pairs(brn_crossings *c)
{
    const brn_bvh_query query = {.keep = keep, .keep_arg = c};
    for (int k = 0; k < c->nloose; ++k) {
        c->loose_box[k] = c->box[c->loose[k]];
    }
    if (c->old == 0) {
        BRN_TRY(brn_bvh_build(c->tree, c->box, c->nridge));
        BRN_TRY(brn_bvh_build(c->loose_tree, c->loose_box, c->nloose));
    } else {
        BRN_TRY(brn_bvh_refit(c->tree, c->box));
        BRN_TRY(brn_bvh_refit(c->loose_tree, c->loose_box));
    }
    c->old = c->old + 1 < TREE_AGE ? c->old + 1 : 0;
    BRN_TRY(brn_bvh_query_pairs(c->tree, c->loose_tree, &query, c->pairs));
    for (size_t k = 0; k < c->pairs->count; ++k) {
        int *pair = c->pairs->pair[k];
        const int i = pair[0];
        const int j = c->loose[pair[1]];
        pair[0] = i < j ? i : j;
        pair[1] = i < j ? j : i;
    }
    if (c->pairs->count > 0) {
        qsort(c->pairs->pair, c->pairs->count, sizeof *c->pairs->pair, by_edges);
    }
    return BRN_OK;
}

static brn_status pair_block(void *arg, int block, brn_arena *scratch)
{
    brn_crossings *c = arg;
    (void)scratch;
    for (int k = block * PAIR_BLOCK; k < brn_block_end((int)c->pairs->count, PAIR_BLOCK, block); ++k) {
        const brn_ridge *const r[2] = {&c->ridge[c->pairs->pair[k][0]], &c->ridge[c->pairs->pair[k][1]]};
        brn_crossings_meet(c, r, &c->item[k]);
    }
    return BRN_OK;
}

brn_status brn_crossings_find(brn_crossings *c, const double *x, const brn_contact_reach *reach, double depth)
{
    c->x = x;
    c->reach = *reach;
    c->depth = depth;
    c->count = 0;
    BRN_TRY(brn_parallel_for(c->ctx, brn_block_count(c->nridge, EDGE_BLOCK), box_block, c));
    BRN_TRY(list_pairs(c));
    const int npair = (int)c->pairs->count;
    for (int k = 0; k < 2 * npair; ++k) {
        c->ridge[c->pairs->pair[k / 2][k % 2]].near = true;
    }
    BRN_TRY(
        brn_parallel_for(c->ctx, npair > 0 ? brn_block_count(c->nridge, EDGE_BLOCK) : 0, measure_block, c));
    BRN_GROW(c->ctx, c->item, c->capacity, (size_t)npair);
    BRN_TRY(brn_parallel_for(c->ctx, brn_block_count(npair, PAIR_BLOCK), pair_block, c));
    for (int k = 0; k < npair; ++k) {
        if (c->item[k].area > 0.0) {
            c->item[c->count++] = c->item[k];
        }
    }
    return BRN_OK;
}

int brn_crossings_count(const brn_crossings *c)
{
    return c->count;
}

const brn_patch *brn_crossings_get(const brn_crossings *c)
{
    return c->item;
}
