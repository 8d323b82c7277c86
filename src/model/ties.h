/* Tied nodes. A tied node is a fixed combination of other nodes, its masters, whose weights sum to 1:

       x_a = sum_k w_ak x_k,    so  v_a = sum_k w_ak v_k  and a force f_a acts as w_ak f_a on every master,

   in short x = T q and Q = T' f. The surface of a rigid body is tied to its handles, a region that is attached to another body to
   nodes of that body. Masters are never tied themselves. */
#ifndef BRN_MODEL_TIES_H
#define BRN_MODEL_TIES_H

#include "base/ctx.h"

typedef struct brn_ties {
    int count;
    /* In this order: ties of nodes with elements of their own, of nodes that contact may use, of nodes that only show a
       shape. The first `inner` are of the first sort, the first `live` of the first two. */
    int inner, live;
    int *node;      /* [count] ascending in each sort */
    int *start;     /* [count + 1] */
    int *master;    /* [start[count]] nodes, ascending in a tie */
    double *weight; /* [start[count]] */
    int *of_node;   /* [nnode] number of its tie, -1: not tied; NULL: there are no ties */
} brn_ties;

void brn_ties_clear(brn_ctx *ctx, brn_ties *ties);

static inline bool brn_ties_has(const brn_ties *ties, int node)
{
    return ties->of_node != NULL && ties->of_node[node] >= 0;
}

#endif
