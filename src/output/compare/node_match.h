/* Which nodes of two trajectories are the same point of the same body. */
#ifndef BRN_OUTPUT_COMPARE_NODE_MATCH_H
#define BRN_OUTPUT_COMPARE_NODE_MATCH_H

#include "output/trajectory/trajectory.h"

typedef struct brn_node_match {
    bool same_mesh; /* else n = 0 */
    int n;
    int (*node)[2]; /* [n] numbers in the two; freed with brn_free */
    int *body;      /* [n] in the first; likewise */
} brn_node_match;

/* Bodies are matched by name. The meshes are the same if every body has as many nodes in both and either the same rest
   positions (to 1e-9 of its size) or the same boundary: equal numbers alone would also match a box of 2x3x4 cells with one
   of 4x3x2. Only visible nodes of deformable and rigid bodies, those of cells and boundaries, are matched: the path of
   an obstacle is no result, and the handles of a rigid body may be far from it. */
brn_status brn_node_match_create(brn_ctx *ctx, const brn_playback_info *const info[2], brn_node_match *out);
void brn_node_match_clear(brn_ctx *ctx, brn_node_match *match);

#endif
