/* Building and refitting. Sort key of a box: the Morton code of its centre on a cubic lattice over all centres, then its
   number; 64 bits together. (Sorting boxes of unusual size separately was tried: it helps with some mixes of sizes and costs
   as much with others.) */
#include "geom/bvh_inner.h"

#include "base/parallel.h"
#include "base/radix.h"

#include <math.h>

enum {
    BOX_BLOCK = 4096, /* boxes a block */
    NODE_BLOCK = 512, /* nodes a block */
    AXIS_BITS = 15,   /* finest lattice: 2^15 cells along the longest axis */
    ALIGNMENT = 64
};

typedef struct block_sum {
    brn_box centres;      /* bounds of the centres */
    int infinite, turned; /* first offender, -1: none */
} block_sum;

typedef struct build_job {
    brn_bvh *bvh;
    const brn_box *box;
    int n, level;
    block_sum *sum; /* [blocks] */
    brn_box centres;
    double cell_inverse; /* lattice cells a half metre: sizes are halved so that nothing overflows */
    int axis_bits, id_bits;
} build_job;

brn_status brn_bvh_create(brn_ctx *ctx, brn_bvh **out)
{
    brn_bvh *bvh = NULL;
    BRN_ALLOC(ctx, bvh, 1);
    bvh->ctx = ctx;
    *out = bvh;
    return BRN_OK;
}

void brn_bvh_destroy(brn_bvh *bvh)
{
    if (bvh == NULL) {
        return;
    }
    brn_free(bvh->ctx, bvh->memory);
    brn_free(bvh->ctx, bvh->id);
    brn_free(bvh->ctx, bvh->key);
    brn_free(bvh->ctx, bvh->key_temp);
    brn_free(bvh->ctx, bvh);
}

int brn_bvh_count(const brn_bvh *bvh)
{
    return bvh->count;
}

void brn_bvh_bounds(const brn_bvh *bvh, brn_box *out)
{
    *out = (brn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (bvh->nlevel > 0) {
        brn_bvh_node_box(bvh->level[bvh->nlevel - 1], out);
    }
}

/* ---- what the boxes are like ---------------------------------------------------------------------------------------- */

static brn_status check_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    build_job *job = arg;
    block_sum sum = {.centres = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
                     .infinite = -1,
                     .turned = -1};
    const int first = block * BOX_BLOCK, end = brn_block_end(job->n, BOX_BLOCK, block);
    for (int i = first; i < end; ++i) {
        const brn_box *box = &job->box[i];
        bool finite = true, ordered = true;
        for (int k = 0; k < 3; ++k) {
            finite &= fabs(box->lo[k]) < INFINITY && fabs(box->hi[k]) < INFINITY;
            ordered &= box->lo[k] <= box->hi[k];
            const double centre = 0.5 * box->lo[k] + 0.5 * box->hi[k];
            sum.centres.lo[k] = centre < sum.centres.lo[k] ? centre : sum.centres.lo[k];
            sum.centres.hi[k] = centre > sum.centres.hi[k] ? centre : sum.centres.hi[k];
        }
        if (!finite && sum.infinite < 0) {
            sum.infinite = i;
        }
        if (!ordered && sum.turned < 0) {
            sum.turned = i;
        }
    }
    job->sum[block] = sum;
    return BRN_OK;
}

/* Refuses invalid boxes; otherwise finds the bounds of their centres. */
static brn_status check_boxes(build_job *job)
{
    const int nblock = brn_block_count(job->n, BOX_BLOCK);
    BRN_TRY(brn_parallel_for(job->bvh->ctx, nblock, check_block, job));
    for (int block = 0; block < nblock; ++block) {
        const block_sum *sum = &job->sum[block];
        if (sum->infinite >= 0) {
            return brn_fail(job->bvh->ctx, BRN_ERR_NOT_FINITE, "box %d of %d has an infinite or NaN side",
                            sum->infinite, job->n);
        }
        if (sum->turned >= 0) {
            return brn_fail(job->bvh->ctx, BRN_ERR_RANGE, "box %d of %d ends before it begins", sum->turned,
                            job->n);
        }
        for (int k = 0; k < 3; ++k) {
            job->centres.lo[k] = fmin(job->centres.lo[k], sum->centres.lo[k]);
            job->centres.hi[k] = fmax(job->centres.hi[k], sum->centres.hi[k]);
        }
    }
    return BRN_OK;
}

/* Half the longest side. */
static double half_size(const brn_box *box)
{
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double side = 0.5 * box->hi[k] - 0.5 * box->lo[k];
        size = side > size ? side : size;
    }
    return size;
}

/* ---- order ---------------------------------------------------------------------------------------------------------- */

/* Bits 0, 1, 2, ... of a to 0, 3, 6, ... */
static uint64_t spread(uint64_t a)
{
    a = (a | a << 32) & UINT64_C(0x001f00000000ffff);
    a = (a | a << 16) & UINT64_C(0x001f0000ff0000ff);
    a = (a | a << 8) & UINT64_C(0x100f00f00f00f00f);
    a = (a | a << 4) & UINT64_C(0x10c30c30c30c30c3);
    a = (a | a << 2) & UINT64_C(0x1249249249249249);
    return a;
}

static brn_status key_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const build_job *job = arg;
    const double last = (double)((1 << job->axis_bits) - 1);
    const int end = brn_block_end(job->n, BOX_BLOCK, block);
    for (int i = block * BOX_BLOCK; i < end; ++i) {
        const brn_box *box = &job->box[i];
        uint64_t code = 0;
        for (int k = 0; k < 3; ++k) {
            const double half = 0.25 * box->lo[k] + 0.25 * box->hi[k] - 0.5 * job->centres.lo[k];
            const double cell = half * job->cell_inverse;
            code |= spread((uint64_t)(cell > 0.0 ? cell < last ? cell : last : 0.0)) << k;
        }
        job->bvh->key[i] = code << job->id_bits | (uint64_t)i;
    }
    return BRN_OK;
}

static brn_status sort_boxes(build_job *job)
{
    brn_bvh *bvh = job->bvh;
    job->id_bits = brn_radix_bits((uint64_t)job->n);
    const int room = (64 - job->id_bits) / 3;
    job->axis_bits = room < AXIS_BITS ? room : AXIS_BITS;
    const double half = half_size(&job->centres);
    const double inverse = (double)(1 << job->axis_bits) / half;
    job->cell_inverse = inverse < INFINITY ? inverse : 0.0; /* all centres (nearly) at one place: one cell */
    const int nblock = brn_block_count(job->n, BOX_BLOCK);
    BRN_TRY(brn_parallel_for(bvh->ctx, nblock, key_block, job));
    return brn_radix_sort(bvh->ctx, bvh->key, bvh->key_temp, (size_t)job->n, job->id_bits,
                          job->id_bits + 3 * job->axis_bits);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------------ */

/* Makes room for the sort, and counts the nodes of all levels. The tree that was there is not touched. */
static brn_status reserve(brn_bvh *bvh, int n, size_t *total)
{
    *total = 0;
    for (int count = n; count > 0;) {
        count = count / BRN_BVH_LANES + (count % BRN_BVH_LANES > 0);
        *total += (size_t)count;
        count = count > 1 ? count : 0;
    }
    BRN_GROW(bvh->ctx, bvh->key, bvh->key_cap, n);
    BRN_GROW(bvh->ctx, bvh->key_temp, bvh->key_temp_cap, n);
    return BRN_OK;
}

/* Larger memory if needed. The old nodes are freed only when nothing can fail any more: all of them are written again after
   this. */
static brn_status reserve_nodes(brn_bvh *bvh, int n, size_t total)
{
    BRN_GROW(bvh->ctx, bvh->id, bvh->id_cap, n);
    if (total > bvh->node_cap) {
        const size_t cap = total > 2 * bvh->node_cap ? total : 2 * bvh->node_cap;
        brn_bvh_node *fresh = brn_realloc(bvh->ctx, NULL, cap + 1, sizeof *fresh);
        if (fresh == NULL) {
            return BRN_ERR_MEMORY;
        }
        brn_free(bvh->ctx, bvh->memory);
        bvh->memory = fresh;
        bvh->node_cap = cap;
    }
    return BRN_OK;
}

static void lay_out(brn_bvh *bvh, int n)
{
    /* A node starts on a cache line, so that no load of eight doubles crosses one. */
    brn_bvh_node *next = (brn_bvh_node *)(((uintptr_t)bvh->memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    bvh->count = n;
    bvh->nlevel = 0;
    for (int count = n; count > 0;) {
        count = count / BRN_BVH_LANES + (count % BRN_BVH_LANES > 0);
        bvh->level[bvh->nlevel] = next;
        bvh->level_count[bvh->nlevel++] = count;
        next += count;
        count = count > 1 ? count : 0;
    }
}

static void put(brn_bvh_node *node, int lane, const brn_box *box)
{
    for (int k = 0; k < 3; ++k) {
        node->lo[k][lane] = box->lo[k];
        node->hi[k][lane] = box->hi[k];
    }
}

static brn_status node_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    build_job *job = arg;
    brn_bvh *bvh = job->bvh;
    const brn_box none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const int below = job->level > 0 ? bvh->level_count[job->level - 1] : bvh->count;
    const int end = brn_block_end(bvh->level_count[job->level], NODE_BLOCK, block);
    for (int v = block * NODE_BLOCK; v < end; ++v) {
        brn_bvh_node *node = &bvh->level[job->level][v];
        for (int lane = 0; lane < BRN_BVH_LANES; ++lane) {
            const int64_t child = (int64_t)v * BRN_BVH_LANES + lane;
            brn_box box = none;
            if (child < below && job->level == 0) {
                box = job->box[bvh->id[child]];
            } else if (child < below) {
                brn_bvh_node_box(&bvh->level[job->level - 1][child], &box);
            }
            put(node, lane, &box);
        }
    }
    return BRN_OK;
}

static brn_status fill_nodes(build_job *job)
{
    for (job->level = 0; job->level < job->bvh->nlevel; ++job->level) {
        const int nblock = brn_block_count(job->bvh->level_count[job->level], NODE_BLOCK);
        BRN_TRY(brn_parallel_for(job->bvh->ctx, nblock, node_block, job));
    }
    return BRN_OK;
}

static brn_status id_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const build_job *job = arg;
    const uint64_t mask = (UINT64_C(1) << job->id_bits) - 1;
    const int end = brn_block_end(job->n, BOX_BLOCK, block);
    for (int i = block * BOX_BLOCK; i < end; ++i) {
        job->bvh->id[i] = (int)(job->bvh->key[i] & mask);
    }
    return BRN_OK;
}

/* ---- interface ---------------------------------------------------------------------------------------------------------- */

static brn_status build(build_job *job)
{
    brn_bvh *bvh = job->bvh;
    size_t total = 0;
    BRN_TAKE(brn_ctx_arena(bvh->ctx), job->sum, brn_block_count(job->n, BOX_BLOCK));
    BRN_TRY(check_boxes(job));
    BRN_TRY(reserve(bvh, job->n, &total));
    if (job->n > 0) {
        BRN_TRY(sort_boxes(job));
    }
    BRN_TRY(reserve_nodes(bvh, job->n, total));
    lay_out(bvh, job->n);
    BRN_TRY(brn_parallel_for(bvh->ctx, brn_block_count(job->n, BOX_BLOCK), id_block, job));
    return fill_nodes(job);
}

static brn_status with_arena(brn_bvh *bvh, brn_status (*work)(build_job *), const brn_box *box, int n)
{
    build_job job = {.bvh = bvh, .box = box, .n = n};
    job.centres = (brn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    brn_arena *arena = brn_ctx_arena(bvh->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = work(&job);
    brn_arena_rewind(arena, mark);
    return status;
}

brn_status brn_bvh_build(brn_bvh *bvh, const brn_box *box, int n)
{
    /* Block ends and paddings are computed in int. */
    if (n < 0 || n > INT32_MAX - BOX_BLOCK) {
        return brn_fail(bvh->ctx, BRN_ERR_LIMIT, "%d boxes: must be 0 to %d", n, INT32_MAX - BOX_BLOCK);
    }
    return with_arena(bvh, build, box, n);
}

static brn_status refit(build_job *job)
{
    BRN_TAKE(brn_ctx_arena(job->bvh->ctx), job->sum, brn_block_count(job->n, BOX_BLOCK));
    BRN_TRY(check_boxes(job));
    return fill_nodes(job);
}

brn_status brn_bvh_refit(brn_bvh *bvh, const brn_box *box)
{
    return with_arena(bvh, refit, box, bvh->count);
}
