/* Fill-reducing orderings of a graph through CHOLMOD (AMD, METIS, nested dissection). Private to the factorisation. */
#ifndef BRN_LINALG_ORDERING_H
#define BRN_LINALG_ORDERING_H

#include "base/ctx.h"

#include <cholmod.h>

/* The cheapest of several orderings, as many as the expected cost of the factorisation is worth: node [n] at each place
   of the elimination order, postordered. The graph is that of blocks of `size` x size entries. Scratch is left on the
   ctx's arena. */
brn_status brn_ordering_find(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph, int size, int *node,
                             const char **name);

/* The error that CHOLMOD's status stands for, in the `what` ("analysis") of a matrix of n x size dofs. */
brn_status brn_cholmod_fail(brn_ctx *ctx, const cholmod_common *cm, const char *what, int n, int size);

#endif
