/* The nearest item: depth first, nearer children first, no child that is further than the best item so far. */
#include "geom/bvh_inner.h"

#include <math.h>

/* A box's distance is rounded: a child is left out only where it is further by more than rounding can say. */
static const double slack = 1.0 - 1e-12;

typedef struct search {
    const brn_bvh *bvh;
    const double *point;
    brn_bvh_distance_fn distance2;
    const void *arg;
    double best;
    int item;
} search;

/* Squared distances of the eight boxes; unused lanes are infinitely far. */
static void lane_distances(const brn_bvh_node *node, const double point[3], double out[BRN_BVH_LANES])
{
    for (int l = 0; l < BRN_BVH_LANES; ++l) {
        double sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double below = node->lo[k][l] - point[k];
            const double above = point[k] - node->hi[k][l];
            const double d = below > above ? below : above;
            sum += d > 0.0 ? d * d : 0.0;
        }
        out[l] = slack * sum;
    }
}

static void look_at_leaf(search *s, int leaf)
{
    double far[BRN_BVH_LANES];
    lane_distances(&s->bvh->level[0][leaf], s->point, far);
    for (int l = 0; l < BRN_BVH_LANES; ++l) {
        const int place = leaf * BRN_BVH_LANES + l;
        if (place >= s->bvh->count || far[l] > s->best) {
            continue;
        }
        const int item = s->bvh->id[place];
        const double d = s->distance2(s->arg, item);
        if (d < s->best || (d == s->best && d < INFINITY && item < s->item)) {
            s->best = d;
            s->item = item;
        }
    }
}

/* Lane of the nearest child left, -1 if none is near enough. */
static int next_lane(const double far[BRN_BVH_LANES], double best)
{
    int lane = -1;
    double least = INFINITY;
    for (int l = 0; l < BRN_BVH_LANES; ++l) {
        if (far[l] < least) {
            least = far[l];
            lane = l;
        }
    }
    return least <= best ? lane : -1;
}

int brn_bvh_nearest(const brn_bvh *bvh, const double point[3], brn_bvh_distance_fn distance2, const void *arg)
{
    search s = {bvh, point, distance2, arg, INFINITY, -1};
    double far[BRN_BVH_LEVELS][BRN_BVH_LANES];
    int node[BRN_BVH_LEVELS];
    const int top = bvh->nlevel - 1;
    if (top < 0) {
        return -1;
    }
    if (top == 0) {
        look_at_leaf(&s, 0);
        return s.item;
    }
    int level = top;
    node[top] = 0;
    lane_distances(bvh->level[top], point, far[top]);
    while (level <= top) {
        const int lane = next_lane(far[level], s.best);
        if (lane < 0) {
            ++level;
            continue;
        }
        far[level][lane] = INFINITY; /* visited */
        const int child = node[level] * BRN_BVH_LANES + lane;
        if (level == 1) {
            look_at_leaf(&s, child);
            continue;
        }
        --level;
        node[level] = child;
        lane_distances(&bvh->level[level][child], point, far[level]);
    }
    return s.item;
}
