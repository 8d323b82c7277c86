/* Which edges there are, who knows them, and what acts at which level. */
#include "phys/shells/folds.h"

#include "base/arena.h"
#include "base/lanes.h"

#include <stdlib.h>

enum { NEVER = 127 };

/* Half an edge: that of a triangle opposite to its node k % 3, from a to b as the triangle runs. */
typedef struct half_edge {
    int a, b;
    int next; /* of the same lower node, number + 1 */
    int edge; /* -1: it has no neighbour */
} half_edge;

typedef struct fold {
    int half[2];
    int level, nslot;
    int slot[6], slot_level[6];
} fold;

/* Scratch of a build. */
typedef struct build {
    half_edge *half; /* [3 * nelem] */
    int *head;       /* of each node */
    int lowest;      /* node */
    fold *fold;      /* [nfold] */
    int nfold;
    int *place; /* [nfold] in the order of levels */
} build;

void brn_folds_destroy(brn_folds *folds)
{
    if (folds == NULL) {
        return;
    }
    void *arrays[] = {folds->level,    folds->by_element, folds->by_face,      folds->element_end,
                      folds->face_end, folds->edge_end,   folds->batch_level,  folds->node,
                      folds->normal,   folds->cotangent,  folds->angle_of,     folds->rest,
                      folds->moment,   folds->couple,     folds->couple_level, folds->ends,
                      folds->side,     folds->slot,       folds->slot_level,   folds->target,
                      folds->inverse,  folds->angle};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        brn_free(folds->ctx, arrays[i]);
    }
    brn_free(folds->ctx, folds);
}

/* ---- edges ------------------------------------------------------------------------------------------------------------- */

static int lower(int a, int b)
{
    return a < b ? a : b;
}

/* The half edge between two nodes that is listed last; -1: none. */
static int find_half(const build *b, int p, int q)
{
    const int high = p < q ? q : p;
    int k = b->head[lower(p, q) - b->lowest] - 1;
    while (k >= 0 && (b->half[k].a < b->half[k].b ? b->half[k].b : b->half[k].a) != high) {
        k = b->half[k].next - 1;
    }
    return k;
}

/* False if two neighbours run along their edge in the same direction. */
static bool find_edges(const brn_bending *bending, build *b)
{
    const brn_element_group *group = &bending->group;
    for (int k = 0; k < 3 * group->nelem; ++k) {
        const int *node = group->conn + (size_t)(k / 3) * (size_t)group->nnode;
        half_edge *half = &b->half[k];
        *half = (half_edge){node[(k + 1) % 3], node[(k + 2) % 3], 0, -1};
        const int other = find_half(b, half->a, half->b);
        if (other >= 0) {
            if (b->half[other].a == half->a) {
                return false;
            }
            half->edge = b->half[other].edge = b->nfold;
            b->fold[b->nfold++] = (fold){.half = {other, k}, .level = NEVER};
        }
        int *head = &b->head[lower(half->a, half->b) - b->lowest];
        half->next = *head;
        *head = k + 1;
    }
    return true;
}

static size_t lane_of(int item, int width, int k)
{
    return ((size_t)(item / BRN_LANES) * (size_t)width + (size_t)k) * BRN_LANES + (size_t)(item % BRN_LANES);
}

/* Whether element t feels angle k: those of missing edges have factors of 0. */
static bool feels(const brn_bending *bending, int t, int k)
{
    bool any = false;
    for (int r = 0; r < 3; ++r) {
        any = any || bending->factor[lane_of(t, 3 * bending->nangle, r * bending->nangle + k)] != 0.0;
    }
    return any;
}

/* Who knows which edge. */
static void find_slots(const brn_folds *folds, build *b)
{
    const brn_bending *bending = folds->bending;
    const brn_element_group *group = &bending->group;
    for (int t = 0; t < group->nelem; ++t) {
        const int *node = group->conn + (size_t)t * (size_t)group->nnode;
        for (int k = 0; k < bending->nangle; ++k) {
            const unsigned char *at = brn_bending_hinge[k];
            const size_t slot = lane_of(t, bending->nangle, k);
            const int half = feels(bending, t, k) ? find_half(b, node[at[0]], node[at[1]]) : -1;
            const int edge = half >= 0 ? b->half[half].edge : -1;
            folds->angle_of[slot] = edge;
            if (edge >= 0) {
                fold *f = &b->fold[edge];
                const int level = folds->batch_level[t / BRN_LANES];
                f->slot[f->nslot] = (int)slot;
                f->slot_level[f->nslot++] = level;
                f->level = level < f->level ? level : f->level;
            }
        }
    }
}

/* ---- orders ------------------------------------------------------------------------------------------------------------ */

/* order [count] by level, stable; end[l]: how many are below level l. Items of NEVER are left out. */
static void sort_levels(const int *level, int count, int coarsest, int *order, int *end)
{
    int done = 0;
    for (int l = 0; l <= coarsest; ++l) {
        end[l] = done;
        for (int i = 0; i < count; ++i) {
            if (level[i] == l) {
                order[done++] = i;
            }
        }
    }
    end[coarsest + 1] = done;
}

/* Edges by level; batches of them, the last filled up. */
static brn_status order_edges(brn_folds *folds, build *b)
{
    int *level = NULL;
    int *order = NULL;
    brn_arena *arena = brn_ctx_arena(folds->ctx);
    BRN_TAKE(arena, level, b->nfold + 1);
    BRN_TAKE(arena, order, b->nfold + 1);
    BRN_TAKE(arena, b->place, b->nfold + 1);
    for (int i = 0; i < b->nfold; ++i) {
        level[i] = b->fold[i].level;
        b->place[i] = -1;
    }
    sort_levels(level, b->nfold, folds->coarsest, order, folds->edge_end);
    const int used = folds->edge_end[folds->coarsest + 1];
    for (int i = 0; i < used; ++i) {
        b->place[order[i]] = i;
    }
    for (int l = 0; l <= folds->coarsest + 1; ++l) {
        folds->edge_end[l] = (folds->edge_end[l] + BRN_LANES - 1) / BRN_LANES;
    }
    folds->nedge_batch = folds->edge_end[folds->coarsest + 1];
    return BRN_OK;
}

/* What edges need of others, in their order. */
static void fill_edges(brn_folds *folds, const build *b)
{
    const int nothing = folds->nbatch * folds->bending->nangle * BRN_LANES;
    const int nobody = folds->nbatch * 3 * BRN_LANES;
    for (size_t i = 0; i < (size_t)folds->nedge_batch * (size_t)folds->nslot * BRN_LANES; ++i) {
        folds->slot[i] = nothing;
    }
    for (size_t i = 0; i < (size_t)folds->nedge_batch * 2 * BRN_LANES; ++i) {
        folds->target[i] = nobody;
        folds->ends[i] = b->half[0].a;
    }
    for (int i = 0; i < b->nfold; ++i) {
        const fold *f = &b->fold[i];
        const int place = b->place[i];
        for (int s = 0; s < 2 && place >= 0; ++s) {
            const half_edge *half = &b->half[f->half[s]];
            const size_t to = lane_of(f->half[s] / 3, 3, f->half[s] % 3);
            folds->ends[lane_of(place, 2, s)] = s == 0 ? half->a : b->half[f->half[0]].b;
            folds->side[lane_of(place, 2, s)] = f->half[s] / 3;
            folds->target[lane_of(place, 2, s)] = (int)to;
            folds->couple_level[to] = (signed char)f->level;
            int *level = &folds->level[f->half[s] / 3];
            *level = f->level < *level ? f->level : *level;
        }
        for (int k = 0; k < f->nslot; ++k) {
            folds->slot[lane_of(place, folds->nslot, k)] = f->slot[k];
            folds->slot_level[lane_of(place, folds->nslot, k)] = (signed char)f->slot_level[k];
        }
    }
}

/* ---- triangles --------------------------------------------------------------------------------------------------------- */

static void fill_triangles(brn_folds *folds, const build *b)
{
    const brn_bending *bending = folds->bending;
    const brn_element_group *group = &bending->group;
    const int nangle = bending->nangle;
    for (int t = 0; t < folds->nbatch * BRN_LANES; ++t) {
        const int element = t < group->nelem ? t : group->nelem - 1;
        for (int k = 0; k < 3; ++k) {
            folds->node[lane_of(t, 3, k)] = group->conn[(size_t)element * (size_t)group->nnode + (size_t)k];
        }
        for (int k = 0; k < nangle; ++k) {
            int *angle = &folds->angle_of[lane_of(t, nangle, k)];
            const int edge = t < group->nelem && *angle >= 0 ? b->place[*angle] : -1;
            *angle = edge >= 0 ? edge : folds->nedge_batch * BRN_LANES;
            for (int r = 0; r < 3; ++r) {
                folds->rest[lane_of(t, 3, r)] += bending->factor[lane_of(t, 3 * nangle, r * nangle + k)] *
                                                 bending->rest_angle[lane_of(t, nangle, k)];
            }
        }
    }
}

static brn_status order_triangles(brn_folds *folds)
{
    int *least = NULL;
    BRN_TAKE(brn_ctx_arena(folds->ctx), least, folds->nbatch + 1);
    for (int batch = 0; batch < folds->nbatch; ++batch) {
        least[batch] = NEVER;
        for (int t = batch * BRN_LANES; t < (batch + 1) * BRN_LANES && t < folds->bending->group.nelem; ++t) {
            least[batch] = folds->level[t] < least[batch] ? folds->level[t] : least[batch];
        }
    }
    sort_levels(folds->batch_level, folds->nbatch, folds->coarsest, folds->by_element, folds->element_end);
    sort_levels(least, folds->nbatch, folds->coarsest, folds->by_face, folds->face_end);
    return BRN_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------------- */

static brn_status make_triangles(brn_folds *folds, const int *level)
{
    brn_ctx *ctx = folds->ctx;
    const brn_bending *bending = folds->bending;
    const size_t lanes = (size_t)folds->nbatch * BRN_LANES;
    BRN_ALLOC(ctx, folds->batch_level, folds->nbatch + 1);
    for (int i = 0; i < folds->nbatch; ++i) {
        folds->batch_level[i] = level[i];
        folds->coarsest = level[i] > folds->coarsest ? level[i] : folds->coarsest;
    }
    BRN_ALLOC(ctx, folds->level, lanes + 1);
    for (size_t t = 0; t < lanes; ++t) {
        folds->level[t] = NEVER;
    }
    BRN_ALLOC(ctx, folds->by_element, folds->nbatch + 1);
    BRN_ALLOC(ctx, folds->by_face, folds->nbatch + 1);
    BRN_ALLOC(ctx, folds->element_end, folds->coarsest + 2);
    BRN_ALLOC(ctx, folds->face_end, folds->coarsest + 2);
    BRN_ALLOC(ctx, folds->edge_end, folds->coarsest + 2);
    BRN_ALLOC(ctx, folds->node, 3 * lanes + 1);
    BRN_ALLOC(ctx, folds->normal, lanes + 1);
    BRN_ALLOC(ctx, folds->cotangent, 3 * lanes + 1);
    BRN_ALLOC(ctx, folds->angle_of, (size_t)bending->nangle * lanes + 1);
    BRN_ALLOC(ctx, folds->rest, 3 * lanes + 1);
    BRN_ALLOC(ctx, folds->moment, (size_t)bending->nangle * lanes + 1);
    BRN_ALLOC(ctx, folds->couple, 3 * lanes + 1);
    BRN_ALLOC(ctx, folds->couple_level, 3 * lanes + 1);
    return BRN_OK;
}

static brn_status make_edges(brn_folds *folds)
{
    brn_ctx *ctx = folds->ctx;
    const size_t lanes = (size_t)folds->nedge_batch * BRN_LANES;
    BRN_ALLOC(ctx, folds->ends, 2 * lanes + 1);
    BRN_ALLOC(ctx, folds->side, 2 * lanes + 1);
    BRN_ALLOC(ctx, folds->slot, (size_t)folds->nslot * lanes + 1);
    BRN_ALLOC(ctx, folds->slot_level, (size_t)folds->nslot * lanes + 1);
    BRN_ALLOC(ctx, folds->target, 2 * lanes + 1);
    BRN_ALLOC(ctx, folds->inverse, lanes + 1);
    BRN_ALLOC(ctx, folds->angle, lanes + 1);
    return BRN_OK;
}

static brn_status make_build(const brn_bending *bending, build *b)
{
    const brn_element_group *group = &bending->group;
    brn_arena *arena = brn_ctx_arena(group->ctx);
    int highest = -1;
    b->lowest = INT32_MAX;
    for (int i = 0; i < group->nelem * group->nnode; ++i) {
        b->lowest = lower(group->conn[i], b->lowest);
        highest = group->conn[i] > highest ? group->conn[i] : highest;
    }
    const size_t nodes = highest >= 0 ? (size_t)(highest - b->lowest) + 1 : 0;
    BRN_TAKE(arena, b->half, 3 * (size_t)group->nelem + 1);
    BRN_TAKE(arena, b->fold, 3 * (size_t)group->nelem / 2 + 1);
    BRN_TAKE(arena, b->head, nodes + 1);
    memset(b->head, 0, (nodes + 1) * sizeof *b->head);
    b->half[0] = (half_edge){0};
    return BRN_OK;
}

static brn_status create(brn_folds *folds, const int *level, bool *oriented)
{
    build b = {0};
    BRN_TRY(make_triangles(folds, level));
    BRN_TRY(make_build(folds->bending, &b));
    *oriented = find_edges(folds->bending, &b);
    if (!*oriented) {
        return BRN_OK;
    }
    find_slots(folds, &b);
    BRN_TRY(order_edges(folds, &b));
    BRN_TRY(make_edges(folds));
    fill_edges(folds, &b);
    fill_triangles(folds, &b);
    return order_triangles(folds);
}

brn_status brn_folds_create(brn_ctx *ctx, const brn_bending *bending, const int *level, brn_folds **out)
{
    brn_folds *folds = NULL;
    bool oriented = false;
    *out = NULL;
    BRN_ALLOC(ctx, folds, 1);
    folds->ctx = ctx;
    folds->bending = bending;
    folds->nbatch = (bending->group.nelem + BRN_LANES - 1) / BRN_LANES;
    folds->nslot =
        bending->nangle == 3 ? 2 : 6; /* its two triangles; and, if they know more, the four beside them */
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = create(folds, level, &oriented);
    brn_arena_rewind(arena, mark);
    if (status < 0 || !oriented) {
        brn_folds_destroy(folds);
        return status;
    }
    *out = folds;
    return BRN_OK;
}
