/* Broad phase: which of many axis-aligned boxes are near each other.

   The boxes are sorted along a Morton curve and packed, eight at a time, into a tree whose
   shape depends on their number alone: node v of a level holds the bounds of the nodes 8 v ... 8 v + 7 of the level
   below. At most 11 levels hold 2^31 boxes, which bounds every stack. A query of eight neighbouring boxes walks the
   tree once; pairs come out sorted, so that they depend neither on the tree nor on the number of threads. */
#ifndef BRN_GEOM_BVH_H
#define BRN_GEOM_BVH_H

#include "geom/box.h"

/* A tree over boxes, with its own copy of them. Its memory grows and is reused: building again for no more boxes than
   before allocates nothing. */
typedef struct brn_bvh brn_bvh;

brn_status brn_bvh_create(brn_ctx *ctx, brn_bvh **out); /* a tree over no boxes */
void brn_bvh_destroy(brn_bvh *bvh);
/* Builds the tree over box[n]. BRN_ERR_NOT_FINITE for an infinite or NaN side, BRN_ERR_RANGE for lo > hi; the tree then stays
   as it was. */
brn_status brn_bvh_build(brn_bvh *bvh, const brn_box *box, int n);
/* New boxes in the tree that was built for as many: cheaper, exact, slower to query the further boxes have moved apart. */
brn_status brn_bvh_refit(brn_bvh *bvh, const brn_box *box);
int brn_bvh_count(const brn_bvh *bvh);
/* Bounds of all boxes; inside out (inf, -inf) for none. */
void brn_bvh_bounds(const brn_bvh *bvh, brn_box *out);

/* Whether a pair of near boxes shall be listed. Called by many threads at once and in any order; must depend on a and b
   alone. */
typedef bool (*brn_bvh_keep_fn)(const void *arg, int a, int b);

typedef struct brn_bvh_query {
    double within; /* [m], >= 0, finite: boxes are near if no axis separates them by more (brn_box_near) */
    brn_bvh_keep_fn keep; /* NULL: every pair */
    const void *keep_arg;
} brn_bvh_query;

/* Pairs, in ascending order of (first, second). Memory is linear in the pairs kept; reused like the tree's. */
typedef struct brn_bvh_pairs {
    brn_ctx *ctx;
    size_t count;
    int (*pair)[2]; /* [count] */
    struct brn_bvh_pairs_work *work;
} brn_bvh_pairs;

brn_status brn_bvh_pairs_create(brn_ctx *ctx, brn_bvh_pairs **out);
void brn_bvh_pairs_destroy(brn_bvh_pairs *pairs);

/* All pairs (i of a, j of b) of near boxes. query NULL: overlapping ones. On failure the list is as it was. */
brn_status brn_bvh_query_pairs(const brn_bvh *a, const brn_bvh *b, const brn_bvh_query *query,
                               brn_bvh_pairs *pairs);
/* All pairs (i, j), i < j, of one tree. */
brn_status brn_bvh_query_self(const brn_bvh *bvh, const brn_bvh_query *query, brn_bvh_pairs *pairs);
/* The same result by looking at every pair of box_a[na], box_b[nb] (box_b NULL: pairs of box_a with i < j): what the tree is
   checked against. */
brn_status brn_bvh_brute_pairs(const brn_box *box_a, int na, const brn_box *box_b, int nb,
                               const brn_bvh_query *query, brn_bvh_pairs *pairs);

/* Squared distance of a query's point from an item, at least that of the item's box; infinite: not to be found. */
typedef double (*brn_bvh_distance_fn)(const void *arg, int item);
/* The item nearest to a point, the smallest number of equally near ones, whatever the tree looks like; -1: there is none.
   Looks at few items. Allocates nothing: any thread. */
int brn_bvh_nearest(const brn_bvh *bvh, const double point[3], brn_bvh_distance_fn distance2,
                    const void *arg);

#endif
