/* Axis-aligned boxes, closed: lo <= x <= hi. Plane geometry has lo[2] = hi[2]. */
#ifndef BRN_GEOM_BOX_H
#define BRN_GEOM_BOX_H

#include "base/ctx.h"

typedef struct brn_box {
    double lo[3], hi[3]; /* [m] */
} brn_box;

/* True if no axis separates the boxes by more than `within` >= 0. Symmetric, and never false by rounding: a rounded
   difference is at most `within` where the exact one is. For within = 0 it is exact. */
static inline bool brn_box_near(const brn_box *a, const brn_box *b, double within)
{
    bool near = true;
    for (int k = 0; k < 3; ++k) {
        near &= (a->lo[k] - b->hi[k] <= within) & (b->lo[k] - a->hi[k] <= within);
    }
    return near;
}

/* What boxes to make: item i is the hull of the nodes node[i * width + 0 ... width - 1] over a motion. */
typedef struct brn_box_sweep {
    int count, width;      /* items, nodes an item: 1 points, 2 edges, 3 triangles */
    const int *node;       /* [count][width]; NULL: items are the nodes 0 ... count - 1 (width 1) */
    const double (*x0)[3]; /* [m], positions at the start */
    const double (*x1)[3]; /* [m], at the end of straight paths; NULL: at rest */
    double margin;         /* [m], >= 0: every side moves outwards by at least this */
} brn_box_sweep;

/* Fills out[count]; out contains every point of every path exactly. Positions are not checked: the tree does that. */
brn_status brn_box_sweep_all(brn_ctx *ctx, const brn_box_sweep *sweep, brn_box *out);

#endif
