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

/* As many lanes as the machine compares at once, and the compared lanes (0 or -1) as bits. */
#if defined(__AVX512DQ__)
enum { BRN_BVH_PART = 8 };
# define BRN_BVH_BITS(mask) ((unsigned)_mm512_movepi64_mask((__m512i)(mask)))
#elif defined(__AVX__)
enum { BRN_BVH_PART = 4 };
# define BRN_BVH_BITS(mask) ((unsigned)_mm256_movemask_pd((__m256d)(mask)))
#elif defined(__SSE2__)
enum { BRN_BVH_PART = 2 };
# define BRN_BVH_BITS(mask) ((unsigned)_mm_movemask_pd((__m128d)(mask)))
#else
enum { BRN_BVH_PART = 2 };
# define BRN_BVH_BITS(mask) ((unsigned)((mask)[0] & 1) | (unsigned)((mask)[1] & 2))
#endif

typedef double brn_bvh_lanes __attribute__((vector_size(8 * BRN_BVH_PART)));
typedef int64_t brn_bvh_mask __attribute__((vector_size(8 * BRN_BVH_PART)));

/* Lanes of the node that are near the box, as bits: brn_box_near eight times. */
static inline __attribute__((always_inline)) unsigned brn_bvh_near(const brn_bvh_node *node,
                                                                   const brn_box *box, double within)
{
    unsigned bits = 0;
    /* -O2 leaves such loops as they are: 1.7 times slower. */
#pragma GCC unroll 4
    for (int l = 0; l < BRN_BVH_LANES; l += BRN_BVH_PART) {
        brn_bvh_mask near = ~(brn_bvh_mask){0};
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) {
            brn_bvh_lanes lo, hi;
            memcpy(&lo, node->lo[k] + l, sizeof lo);
            memcpy(&hi, node->hi[k] + l, sizeof hi);
            near &= (brn_bvh_mask)(lo - box->hi[k] <= within) & (brn_bvh_mask)(box->lo[k] - hi <= within);
        }
        bits |= BRN_BVH_BITS(near) << l;
    }
    return bits;
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
