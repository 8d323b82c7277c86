#include "contact/crossings.h"

#include "base/parallel.h"
#include "geom/bvh.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { EDGE_BLOCK = 256, PAIR_BLOCK = 128 };

/* Cosine of 30 degrees: sides that differ by more make an edge sharp. */
static const double SHARP = 0.86602540378443865;
/* Sine of what a normal may be beyond those of the sides: 6 degrees. */
static const double SLACK = 0.1;
/* Edges with a smaller sine have no common normal to speak of. */
static const double PARALLEL = 1e-3;
/* Faces whose normals have a larger cosine lie on each other, and those below the other do not. */
static const double FLAT = 0.9;
static const double STEEP = 0.5;

/* A sharp edge. Seen from outside, the first triangle is on its left and the second on its right. */
typedef struct ridge {
    int node[2], opposite[2]; /* the third nodes of its triangles; -1: a rim */
    /* at positions x */
    double along[3];
    double normal[2][3], area[2]; /* outward normals of the triangles, unit; of a rim both ways */
    double middle[3], least;      /* n is a normal of the edge if n . middle >= least */
} ridge;

struct brn_crossings {
    brn_ctx *ctx;
    const brn_skin *skin;
    const brn_manifolds *manifolds;
    int nridge;
    ridge *ridge;
    brn_box *box; /* [nridge] */
    brn_bvh *tree;
    brn_bvh_pairs *pairs;
    const double *x;
    double within, depth;
    brn_patch *item; /* one for each pair, then only those found, whose area is not 0 */
    int count;
    size_t capacity;
};

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = a[i] - b[i];
    }
}

/* Returns the length before. */
static double make_unit(double v[3])
{
    const double length = sqrt(brn_dense_dot3(v, v));
    for (int i = 0; i < 3; ++i) {
        v[i] /= length;
    }
    return length;
}

/* ---- which edges are sharp ---------------------------------------------------------------------------------------------------- */

/* Edge and sides at positions x; not finite where a triangle has no area. */
static void measure(ridge *r, const double *x)
{
    const double *from = &x[3 * r->node[0]];
    double across[3];
    subtract(&x[3 * r->node[1]], from, r->along);
    for (int k = 0; k < 2; ++k) {
        subtract(&x[3 * r->opposite[r->opposite[1] < 0 ? 0 : k]], from, across);
        brn_dense_cross3(k == 0 ? r->along : across, k == 0 ? across : r->along, r->normal[k]);
        r->area[k] = 0.5 * make_unit(r->normal[k]);
    }
    for (int i = 0; i < 3; ++i) {
        r->middle[i] = r->normal[0][i] + r->normal[1][i];
    }
    if (r->opposite[1] < 0) { /* outwards in the plane of the sheet */
        brn_dense_cross3(r->along, r->normal[0], r->middle);
    }
    (void)make_unit(r->middle);
    const double cosine = brn_dense_dot3(r->middle, r->normal[0]);
    r->least = cosine * sqrt(1.0 - SLACK * SLACK) - sqrt(fmax(0.0, 1.0 - cosine * cosine)) * SLACK;
}

/* Sheets have no outside: their folds are turned so that they are convex. */
static bool is_sharp(const brn_crossings *c, ridge *r, int sides)
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
    subtract(&rest[3 * r->opposite[1]], &rest[3 * r->node[0]], across);
    const bool convex = brn_dense_dot3(r->normal[0], across) < 0.0;
    const bool sheet = !c->skin->model->body[c->skin->node_body[r->node[0]]].solid;
    if (sheet && !convex) {
        const int first = r->node[0];
        r->node[0] = r->node[1];
        r->node[1] = first;
    }
    return (convex || sheet) && brn_dense_dot3(r->normal[0], r->normal[1]) < SHARP;
}

static bool by_manifold(const brn_crossings *c, const ridge *r)
{
    return c->manifolds != NULL && brn_manifolds_has(c->manifolds, c->skin->node_body[r->node[0]]);
}

/* All sharp edges; none where all of them are of bodies that meet by their manifolds. */
static void list_ridges(brn_crossings *c)
{
    const brn_skin *skin = c->skin;
    bool others = false;
    for (int e = 0; e < skin->nedge; ++e) {
        c->ridge[e] = (ridge){.node = {-1, -1}, .opposite = {-1, -1}};
    }
    for (int i = 0; i < 3 * skin->ntri; ++i) {
        const int *t = skin->tri[i / 3];
        const int a = t[i % 3];
        const int b = t[(i + 1) % 3];
        ridge *r = &c->ridge[brn_skin_find_edge(skin, a, b)];
        const bool first = r->node[0] < 0;
        r->opposite[first ? 0 : 1] = t[(i + 2) % 3];
        if (first) {
            r->node[0] = a;
            r->node[1] = b;
        }
    }
    for (int e = 0; e < skin->nedge; ++e) {
        if (is_sharp(c, &c->ridge[e], skin->edge_sides[e])) {
            others = others || !by_manifold(c, &c->ridge[e]);
            c->ridge[c->nridge++] = c->ridge[e];
        }
    }
    c->nridge = others ? c->nridge : 0;
}

/* ---- making --------------------------------------------------------------------------------------------------------------------- */

static brn_status fill(brn_crossings *c)
{
    BRN_TRY(brn_bvh_create(c->ctx, &c->tree));
    BRN_TRY(brn_bvh_pairs_create(c->ctx, &c->pairs));
    if (c->skin->dim == 3) {
        BRN_ALLOC(c->ctx, c->ridge, c->skin->nedge + 1);
        list_ridges(c);
    }
    BRN_ALLOC(c->ctx, c->box, c->nridge + 1);
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
    brn_bvh_pairs_destroy(c->pairs);
    brn_free(c->ctx, c->ridge);
    brn_free(c->ctx, c->box);
    brn_free(c->ctx, c->item);
    brn_free(c->ctx, c);
}

/* ---- one pair ------------------------------------------------------------------------------------------------------------------- */

/* Whether sign * n is a normal of an edge. */
static bool has_normal(const ridge *r, const double n[3], double sign)
{
    return sign * brn_dense_dot3(r->middle, n) >= r->least;
}

/* Area beside an edge that faces along sign * n. */
static double facing(const ridge *r, const double n[3], double sign)
{
    const int sides = r->opposite[1] < 0 ? 1 : 2;
    double sum = 0.0;
    for (int k = 0; k < sides; ++k) {
        const double along = sign * brn_dense_dot3(r->normal[k], n);
        sum += r->area[k] * (sides == 1 ? fabs(along) : fmax(0.0, along));
    }
    return sum;
}

/* The side of an edge that faces along sign * n most, and its cosine. */
static double cosine_of(const ridge *r, const double n[3], double sign, int *side)
{
    const double cosine[2] = {sign * brn_dense_dot3(r->normal[0], n), sign * brn_dense_dot3(r->normal[1], n)};
    *side = cosine[1] > cosine[0];
    return cosine[*side];
}

static bool has_shape(const brn_crossings *c, int body)
{
    return c->skin->model->body[body].shape.primitive.kind != BRN_PRIMITIVE_NONE;
}

/* Whether a vertex at an end counts as on a face of the other edge, as in patches_nearest.c: both lie on each other. Shapes have no such
   rim. */
static bool is_at_end(const brn_crossings *c, const ridge *const r[2], const brn_patch *p)
{
    bool at_end = false;
    int side[2];
    if (has_shape(c, p->body[0]) || has_shape(c, p->body[1]) ||
        !(cosine_of(r[0], p->normal, -1.0, &side[0]) > FLAT) ||
        !(cosine_of(r[1], p->normal, 1.0, &side[1]) > FLAT)) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        const double rim = BRN_PATCHES_RIM * sqrt(r[1 - k]->area[side[1 - k]]);
        const double to_end = fmin(fabs(p->weight[2 * k]), fabs(p->weight[2 * k + 1])) *
                              sqrt(brn_dense_dot3(r[k]->along, r[k]->along));
        at_end = at_end || (to_end < rim && fabs(p->gap) < rim);
    }
    return at_end;
}

/* Whether an end of an edge is inside the other body, below another face, and less deep than the crossing. */
static bool ends_shallower(const brn_crossings *c, const ridge *const r[2], const brn_patch *p)
{
    bool shallower = false;
    for (int i = 0; i < 8 && p->gap < 0.0; ++i) {
        const ridge *other = r[1 - i / 4];
        const double *normal = other->normal[i % 2];
        double arm[3];
        subtract(&c->x[3 * r[i / 4]->node[i / 2 % 2]], &c->x[3 * other->node[0]], arm);
        const double height = brn_dense_dot3(normal, arm);
        shallower = shallower || (other->opposite[1] >= 0 && fabs(brn_dense_dot3(normal, p->normal)) < STEEP &&
                                  height < 0.0 && height > p->gap);
    }
    return shallower;
}

/* Weights of the nearest places of the two lines, and their normal, of either sign; false: they are not inside both edges. */
static bool meet_lines(const brn_crossings *c, const ridge *const r[2], brn_patch *to)
{
    double arm[3];
    double turned[3];
    brn_dense_cross3(r[0]->along, r[1]->along, to->normal);
    subtract(&c->x[3 * r[1]->node[0]], &c->x[3 * r[0]->node[0]], arm);
    const double square = brn_dense_dot3(to->normal, to->normal);
    const double lengths =
        brn_dense_dot3(r[0]->along, r[0]->along) * brn_dense_dot3(r[1]->along, r[1]->along);
    bool inside = square >= PARALLEL * PARALLEL * lengths && square > 0.0;
    for (int k = 0; k < 2 && inside; ++k) {
        const double sign = k == 0 ? 1.0 : -1.0;
        brn_dense_cross3(arm, r[1 - k]->along, turned);
        const double at = brn_dense_dot3(turned, to->normal) / square;
        to->weight[2 * k] = sign * (1.0 - at);
        to->weight[2 * k + 1] = sign * at;
        memcpy(&to->node[2 * k], r[k]->node, sizeof r[k]->node);
        to->body[k] = c->skin->node_body[r[k]->node[0]];
        inside = at >= 0.0 && at <= 1.0;
    }
    (void)make_unit(to->normal);
    return inside;
}

/* The crossing of two edges; area 0: none. */
static void meet(const brn_crossings *c, const ridge *const r[2], brn_patch *to)
{
    double between[3] = {0};
    *to = (brn_patch){.area = 0.0};
    if (!meet_lines(c, r, to)) {
        return;
    }
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 3; ++i) {
            between[i] += to->weight[k] * c->x[3 * to->node[k] + i];
        }
    }
    const double height = brn_dense_dot3(between, to->normal);
    const double radius[2] = {c->skin->radius[to->node[0]], c->skin->radius[to->node[2]]};
    const double likely = height < 0.0 ? -1.0 : 1.0;
    double sign = 0.0;
    for (int k = 0; k < 2 && sign == 0.0; ++k) {
        const double one = k == 0 ? likely : -likely;
        sign = has_normal(r[0], to->normal, -one) && has_normal(r[1], to->normal, one) ? one : 0.0;
    }
    to->gap = sign * height - radius[0] - radius[1];
    for (int i = 0; i < 3; ++i) {
        to->normal[i] *= sign;
        to->place[i] = to->weight[0] * c->x[3 * to->node[0] + i] + to->weight[1] * c->x[3 * to->node[1] + i] -
                       (radius[0] + 0.5 * to->gap) * to->normal[i];
    }
    if (sign != 0.0 && to->gap < c->within && to->gap > -c->depth && !is_at_end(c, r, to) &&
        !ends_shallower(c, r, to)) {
        to->area = 0.25 * fmin(facing(r[0], to->normal, -1.0), facing(r[1], to->normal, 1.0));
    }
}

/* ---- finding -------------------------------------------------------------------------------------------------------------------- */

static brn_status ridge_block(void *arg, int block, brn_arena *scratch)
{
    brn_crossings *c = arg;
    (void)scratch;
    for (int k = block * EDGE_BLOCK; k < brn_block_end(c->nridge, EDGE_BLOCK, block); ++k) {
        const int *node = c->ridge[k].node;
        const double r = c->skin->radius[node[0]];
        measure(&c->ridge[k], c->x);
        for (int i = 0; i < 3; ++i) {
            c->box[k].lo[i] = fmin(c->x[3 * node[0] + i], c->x[3 * node[1] + i]) - r;
            c->box[k].hi[i] = fmax(c->x[3 * node[0] + i], c->x[3 * node[1] + i]) + r;
        }
    }
    return BRN_OK;
}

static bool keep(const void *arg, int i, int j)
{
    const brn_crossings *c = arg;
    const ridge *a = &c->ridge[i];
    const ridge *b = &c->ridge[j];
    return c->skin->node_body[a->node[0]] != c->skin->node_body[b->node[0]] &&
           !(by_manifold(c, a) && by_manifold(c, b)) && brn_skin_may_touch(c->skin, a->node, 2, b->node, 2);
}

static brn_status pair_block(void *arg, int block, brn_arena *scratch)
{
    brn_crossings *c = arg;
    (void)scratch;
    for (int k = block * PAIR_BLOCK; k < brn_block_end((int)c->pairs->count, PAIR_BLOCK, block); ++k) {
        const ridge *const r[2] = {&c->ridge[c->pairs->pair[k][0]], &c->ridge[c->pairs->pair[k][1]]};
        meet(c, r, &c->item[k]);
    }
    return BRN_OK;
}

brn_status brn_crossings_find(brn_crossings *c, const double *x, double within, double depth)
{
    const brn_bvh_query query = {.within = fmax(within, depth), .keep = keep, .keep_arg = c};
    c->x = x;
    c->within = within;
    c->depth = depth;
    c->count = 0;
    BRN_TRY(brn_parallel_for(c->ctx, brn_block_count(c->nridge, EDGE_BLOCK), ridge_block, c));
    BRN_TRY(brn_bvh_build(c->tree, c->box, c->nridge));
    BRN_TRY(brn_bvh_query_self(c->tree, &query, c->pairs));
    const int npair = (int)c->pairs->count;
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
