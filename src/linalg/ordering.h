/* Fill-reducing orderings of a graph through CHOLMOD (AMD, METIS, nested dissection). Private to the factorisation. */
#ifndef BRN_LINALG_ORDERING_H
#define BRN_LINALG_ORDERING_H

#include "base/ctx.h"

#include <cholmod.h>

/* An elimination order, postordered, and what it costs. */
typedef struct brn_ordering {
    int *node;        /* [n] node at each place */
    int *count;       /* [n] entries of that column of the factor of the node graph, the diagonal included */
    double flops;     /* of a factorisation with 1x1 blocks */
    const char *name; /* of the method: "amd" | "metis" | "nested dissection" */
} brn_ordering;

/* The cheapest of several orderings, as many as the expected cost of ten factorisations is worth. The graph is that of
   blocks of `size` x size entries. node and count are the caller's; scratch is left on the ctx's arena. */
brn_status brn_ordering_find(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph, int size,
                             brn_ordering *out);
/* The same with what a single factorisation is worth. */
brn_status brn_ordering_find_quick(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph, int size,
                                   brn_ordering *out);
/* The order `node` [n], given from another graph, and what it costs on this one; only its postorder may change. */
brn_status brn_ordering_keep(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph, const int *node,
                             brn_ordering *out);
/* With the nodes marked in last [n] behind all others, by AMD under constraints. */
brn_status brn_ordering_last(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph,
                             const unsigned char *last, brn_ordering *out);

/* The error that CHOLMOD's status stands for, in the `what` ("ordering") of a matrix of n x size dofs. */
brn_status brn_cholmod_fail(brn_ctx *ctx, const cholmod_common *cm, const char *what, int n, int size);

#endif
