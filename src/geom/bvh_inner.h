/* What the building and the querying of a tree share. */
#ifndef BRN_GEOM_BVH_INNER_H
#define BRN_GEOM_BVH_INNER_H

#include "geom/bvh.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
# include <immintrin.h>
#endif

enum {
    BRN_BVH_LANES = 8,
    BRN_BVH_LEVELS = 11 /* 8^11 > 2^31 */
};

/* Eight boxes, side by side. Unused lanes are inside out (inf, -inf) and near to nothing. */
typedef struct brn_bvh_node {
    double lo[3][BRN_BVH_LANES], hi[3][BRN_BVH_LANES];
} brn_bvh_node;

struct brn_bvh {
    brn_ctx *ctx;
    int count;                           /* boxes */
    int nlevel;                          /* 0 for no boxes */
    int level_count[BRN_BVH_LEVELS];     /* nodes of a level: ceil(count / 8^(level + 1)) */
    brn_bvh_node *level[BRN_BVH_LEVELS]; /* into memory; 0: the boxes themselves, last: one node */
    int *id;                             /* [count] which box stands at a place */
    void *memory;                        /* the nodes, unaligned */
    uint64_t *key, *key_temp;            /* [count] sorting */
    size_t node_cap, id_cap, key_cap, key_temp_cap;
};

typedef double brn_bvh_lanes __attribute__((vector_size(8 * BRN_BVH_LANES)));
typedef int64_t brn_bvh_mask __attribute__((vector_size(8 * BRN_BVH_LANES)));

/* Bit l is set if lane l is -1; lanes are 0 or -1. */
static inline __attribute__((always_inline)) unsigned brn_bvh_bits(brn_bvh_mask mask)
{
#if defined(__AVX512DQ__)
    return (unsigned)_mm512_movepi64_mask((__m512i)mask);
#elif defined(__SSE2__)
    unsigned bits = 0;
    for (int l = 0; l < BRN_BVH_LANES; l += 2) {
        const __m128i part = {mask[l], mask[l + 1]};
        bits |= (unsigned)_mm_movemask_pd(_mm_castsi128_pd(part)) << l;
    }
    return bits;
#else
    unsigned bits = 0;
    for (int l = 0; l < BRN_BVH_LANES; ++l) {
        bits |= (unsigned)(mask[l] & 1) << l;
    }
    return bits;
#endif
}

/* Lanes of the node that are near the box, as bits: brn_box_near eight times. */
static inline __attribute__((always_inline)) unsigned brn_bvh_near(const brn_bvh_node *node,
                                                                   const brn_box *box, double within)
{
    brn_bvh_mask near = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int k = 0; k < 3; ++k) {
        brn_bvh_lanes lo, hi;
        memcpy(&lo, node->lo[k], sizeof lo);
        memcpy(&hi, node->hi[k], sizeof hi);
        near &= (brn_bvh_mask)(lo - box->hi[k] <= within) & (brn_bvh_mask)(box->lo[k] - hi <= within);
    }
    return brn_bvh_bits(near);
}

static inline void brn_bvh_lane_box(const brn_bvh_node *node, int lane, brn_box *out)
{
    for (int k = 0; k < 3; ++k) {
        out->lo[k] = node->lo[k][lane];
        out->hi[k] = node->hi[k][lane];
    }
}

/* Hull of the eight boxes. */
static inline void brn_bvh_node_box(const brn_bvh_node *node, brn_box *out)
{
    for (int k = 0; k < 3; ++k) {
        double lo = node->lo[k][0], hi = node->hi[k][0];
        for (int l = 1; l < BRN_BVH_LANES; ++l) {
            lo = node->lo[k][l] < lo ? node->lo[k][l] : lo;
            hi = node->hi[k][l] > hi ? node->hi[k][l] : hi;
        }
        out->lo[k] = lo;
        out->hi[k] = hi;
    }
}

#endif
