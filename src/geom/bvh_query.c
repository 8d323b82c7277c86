/* Querying. A leaf (eight boxes that are neighbours on the curve) walks the other tree with its hull; where it reaches a
   leaf, those of its boxes that are near that leaf's hull are compared with the leaf's boxes. Each block of leaves
   collects pairs in a buffer of its own; the buffers are joined and sorted at the end. */
#include "geom/bvh_inner.h"

#include "base/parallel.h"
#include "base/radix.h"

#include <math.h>

enum {
    LEAF_BLOCK = 32, /* leaves a block */
    COPY_BLOCK = 65536
};

/* Bits 8 i + j with i < j: every two boxes of a leaf once. */
#define ABOVE_DIAGONAL UINT64_C(0x0080c0e0f0f8fcfe)

/* Pairs that a block of leaves found, as first << 32 | second. */
typedef struct buffer {
    uint64_t *pair;
    size_t count, cap;
} buffer;

typedef struct brn_bvh_pairs_work {
    buffer *block; /* [nblock], all of them kept for the next query */
    size_t nblock;
    uint64_t *key, *temp; /* the joined list */
    size_t key_cap, temp_cap, pair_cap;
} brn_bvh_pairs_work;

typedef struct query_job {
    brn_ctx *ctx;
    const brn_bvh *a, *b;
    bool self;
    double within;
    brn_bvh_keep_fn keep;
    const void *keep_arg;
    brn_bvh_pairs *pairs;
    size_t *start; /* [nblock] where a block's pairs go */
    int low_bits;  /* of a joined key, for the second number */
} query_job;

brn_status brn_bvh_pairs_create(brn_ctx *ctx, brn_bvh_pairs **out)
{
    brn_bvh_pairs *pairs = NULL;
    BRN_ALLOC(ctx, pairs, 1);
    pairs->ctx = ctx;
    pairs->work = brn_calloc(ctx, 1, sizeof *pairs->work);
    if (pairs->work == NULL) {
        brn_bvh_pairs_destroy(pairs);
        return BRN_ERR_MEMORY;
    }
    *out = pairs;
    return BRN_OK;
}

void brn_bvh_pairs_destroy(brn_bvh_pairs *pairs)
{
    if (pairs == NULL) {
        return;
    }
    brn_bvh_pairs_work *work = pairs->work;
    if (work != NULL) {
        for (size_t i = 0; i < work->nblock; ++i) {
            brn_free(pairs->ctx, work->block[i].pair);
        }
        brn_free(pairs->ctx, work->block);
        brn_free(pairs->ctx, work->key);
        brn_free(pairs->ctx, work->temp);
        brn_free(pairs->ctx, work);
    }
    brn_free(pairs->ctx, pairs->pair);
    brn_free(pairs->ctx, pairs);
}

/* ---- walking the tree ------------------------------------------------------------------------------------------------- */

static brn_status found(const query_job *job, buffer *out, int a, int b)
{
    if (job->self && a > b) {
        const int swap = a;
        a = b;
        b = swap;
    }
    if (job->keep != NULL && !job->keep(job->keep_arg, a, b)) {
        return BRN_OK;
    }
    BRN_GROW(job->ctx, out->pair, out->cap, out->count + 1);
    out->pair[out->count++] = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    return BRN_OK;
}

/* Compares the boxes of two leaves. In one tree every two leaves meet once, and a leaf meets itself. */
static brn_status meet_leaf(const query_job *job, int leaf_a, int leaf_b, buffer *out)
{
    const brn_bvh_node *node_a = &job->a->level[0][leaf_a], *node_b = &job->b->level[0][leaf_b];
    unsigned lanes_a = (1u << BRN_BVH_LANES) - 1;
    if (job->b->nlevel > 1) {
        brn_box hull;
        brn_bvh_lane_box(&job->b->level[1][leaf_b / BRN_BVH_LANES], leaf_b % BRN_BVH_LANES, &hull);
        lanes_a = brn_bvh_near(node_a, &hull, job->within);
    }
    /* All near pairs of lanes as one set: two loops whose ends are hard to predict, not one a lane. */
    uint64_t near = 0;
    for (; lanes_a != 0; lanes_a &= lanes_a - 1) {
        const int lane_a = __builtin_ctz(lanes_a);
        brn_box box;
        brn_bvh_lane_box(node_a, lane_a, &box);
        near |= (uint64_t)brn_bvh_near(node_b, &box, job->within) << (BRN_BVH_LANES * lane_a);
    }
    if (job->self && leaf_a == leaf_b) {
        near &= ABOVE_DIAGONAL;
    }
    const int *id_a = job->a->id + leaf_a * BRN_BVH_LANES, *id_b = job->b->id + leaf_b * BRN_BVH_LANES;
    for (; near != 0; near &= near - 1) {
        const int bit = __builtin_ctzll(near);
        BRN_TRY(found(job, out, id_a[bit / BRN_BVH_LANES], id_b[bit % BRN_BVH_LANES]));
    }
    return BRN_OK;
}

/* Depth first; what is left to visit is one set of lanes a level, so that the stack cannot overflow. */
static brn_status walk(const query_job *job, int leaf, buffer *out)
{
    const brn_bvh *b = job->b;
    const int top = b->nlevel - 1;
    int node[BRN_BVH_LEVELS];
    unsigned left[BRN_BVH_LEVELS];
    brn_box hull;
    brn_bvh_node_box(&job->a->level[0][leaf], &hull);
    if (top == 0) {
        return meet_leaf(job, leaf, 0, out);
    }
    int level = top;
    node[top] = 0;
    left[top] = brn_bvh_near(b->level[top], &hull, job->within);
    while (level <= top) {
        if (left[level] == 0) {
            ++level;
            continue;
        }
        const int child = node[level] * BRN_BVH_LANES + __builtin_ctz(left[level]);
        left[level] &= left[level] - 1;
        /* In one tree, leaves before this one have met it already. */
        if (job->self && ((int64_t)child + 1) << (3 * (level - 1)) <= leaf) {
            continue;
        }
        if (level == 1) {
            BRN_TRY(meet_leaf(job, leaf, child, out));
            continue;
        }
        --level;
        node[level] = child;
        left[level] = brn_bvh_near(&b->level[level][child], &hull, job->within);
    }
    return BRN_OK;
}

static brn_status query_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const query_job *job = arg;
    buffer *out = &job->pairs->work->block[block];
    out->count = 0;
    const int end = brn_block_end(job->a->level_count[0], LEAF_BLOCK, block);
    for (int leaf = block * LEAF_BLOCK; leaf < end; ++leaf) {
        BRN_TRY(brn_ctx_check(job->ctx));
        BRN_TRY(walk(job, leaf, out));
    }
    return BRN_OK;
}

/* ---- joining ------------------------------------------------------------------------------------------------------------ */

static brn_status join_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const query_job *job = arg;
    const buffer *from = &job->pairs->work->block[block];
    if (from->count == 0) { /* there may be no list at all */
        return BRN_OK;
    }
    uint64_t *to = job->pairs->work->key + job->start[block];
    for (size_t i = 0; i < from->count; ++i) {
        to[i] = from->pair[i] >> 32 << job->low_bits | (uint32_t)from->pair[i];
    }
    return BRN_OK;
}

static brn_status unpack_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const query_job *job = arg;
    brn_bvh_pairs *pairs = job->pairs;
    const uint64_t mask = (UINT64_C(1) << job->low_bits) - 1;
    const size_t first = (size_t)block * COPY_BLOCK;
    const size_t end = first + COPY_BLOCK < pairs->count ? first + COPY_BLOCK : pairs->count;
    for (size_t i = first; i < end; ++i) {
        pairs->pair[i][0] = (int)(pairs->work->key[i] >> job->low_bits);
        pairs->pair[i][1] = (int)(pairs->work->key[i] & mask);
    }
    return BRN_OK;
}

/* The pairs of nblock buffers, sorted. */
static brn_status join(query_job *job, int nblock, int na, int nb)
{
    brn_bvh_pairs *pairs = job->pairs;
    brn_bvh_pairs_work *work = pairs->work;
    BRN_TAKE(brn_ctx_arena(job->ctx), job->start, nblock);
    size_t total = 0;
    for (int block = 0; block < nblock; ++block) {
        job->start[block] = total;
        total += work->block[block].count;
    }
    if (total / COPY_BLOCK >= INT32_MAX) {
        return brn_fail(job->ctx, BRN_ERR_LIMIT, "%zu pairs of near boxes are too many", total);
    }
    BRN_GROW(job->ctx, work->key, work->key_cap, total);
    BRN_GROW(job->ctx, work->temp, work->temp_cap, total);
    BRN_GROW(job->ctx, pairs->pair, work->pair_cap, total);
    /* Numbers packed tightly: fewer digits to sort by. */
    job->low_bits = brn_radix_bits((uint64_t)nb);
    BRN_TRY(brn_parallel_for(job->ctx, nblock, join_block, job));
    BRN_TRY(brn_radix_sort(job->ctx, work->key, work->temp, total, 0,
                           job->low_bits + brn_radix_bits((uint64_t)na)));
    pairs->count = total;
    return brn_parallel_for(job->ctx, (int)((total + COPY_BLOCK - 1) / COPY_BLOCK), unpack_block, job);
}

/* ---- interface ---------------------------------------------------------------------------------------------------------- */

static brn_status begin(query_job *job, const brn_bvh_query *query, brn_bvh_pairs *pairs, int nblock)
{
    brn_bvh_pairs_work *work = pairs->work;
    job->ctx = pairs->ctx;
    job->pairs = pairs;
    if (query != NULL) {
        job->within = query->within;
        job->keep = query->keep;
        job->keep_arg = query->keep_arg;
    }
    /* Unused lanes of a node are infinitely far, so that far must be less. */
    if (!(job->within >= 0.0 && job->within < INFINITY)) {
        return brn_fail(job->ctx, BRN_ERR_RANGE, "near boxes: distance %g m must be >= 0 and finite",
                        job->within);
    }
    if (work->nblock < (size_t)nblock) {
        buffer *grown = brn_realloc(job->ctx, work->block, (size_t)nblock, sizeof *grown);
        if (grown == NULL) {
            return BRN_ERR_MEMORY;
        }
        memset(grown + work->nblock, 0, ((size_t)nblock - work->nblock) * sizeof *grown);
        work->block = grown;
        work->nblock = (size_t)nblock;
    }
    return BRN_OK;
}

static brn_status query_trees(query_job *job, const brn_bvh_query *query, brn_bvh_pairs *pairs)
{
    const bool none = job->a->count == 0 || job->b->count == 0;
    const int nblock = none ? 0 : brn_block_count(job->a->level_count[0], LEAF_BLOCK);
    BRN_TRY(begin(job, query, pairs, nblock));
    brn_arena *arena = brn_ctx_arena(job->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    brn_status status = brn_parallel_for(job->ctx, nblock, query_block, job);
    if (status >= 0) {
        status = join(job, nblock, job->a->count, job->b->count);
    }
    brn_arena_rewind(arena, mark);
    return status;
}

brn_status brn_bvh_query_pairs(const brn_bvh *a, const brn_bvh *b, const brn_bvh_query *query,
                               brn_bvh_pairs *pairs)
{
    query_job job = {.a = a, .b = b};
    return query_trees(&job, query, pairs);
}

brn_status brn_bvh_query_self(const brn_bvh *bvh, const brn_bvh_query *query, brn_bvh_pairs *pairs)
{
    query_job job = {.a = bvh, .b = bvh, .self = true};
    return query_trees(&job, query, pairs);
}

static brn_status brute_all(query_job *job, const brn_box *box_a, int na, const brn_box *box_b, int nb)
{
    buffer *out = &job->pairs->work->block[0];
    out->count = 0;
    for (int i = 0; i < na; ++i) {
        for (int j = job->self ? i + 1 : 0; j < nb; ++j) {
            if (brn_box_near(&box_a[i], &box_b[j], job->within)) {
                BRN_TRY(found(job, out, i, j));
            }
        }
    }
    return join(job, 1, na, nb);
}

brn_status brn_bvh_brute_pairs(const brn_box *box_a, int na, const brn_box *box_b, int nb,
                               const brn_bvh_query *query, brn_bvh_pairs *pairs)
{
    query_job job = {.self = box_b == NULL};
    BRN_TRY(begin(&job, query, pairs, 1));
    brn_arena *arena = brn_ctx_arena(job.ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = brute_all(&job, box_a, na, job.self ? box_a : box_b, job.self ? na : nb);
    brn_arena_rewind(arena, mark);
    return status;
}
