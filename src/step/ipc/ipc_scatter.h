/* Adds the small matrices of contact terms to the matrix of all rows. */
#ifndef BRN_STEP_IPC_SCATTER_H
#define BRN_STEP_IPC_SCATTER_H

#include "linalg/block_matrix.h"
#include "model/model.h"

/* One term's matrix: the 3 x 3 block of its nodes p and q is weight[p] weight[q] (NULL: 1) times that at
   block[p*down + q*right], whose rows are `stride` apart. */
typedef struct brn_ipc_term {
    const int *node;
    int count;
    const double *weight, *block;
    int down, right, stride;
} brn_ipc_term;

/* a += the terms, with the nodes' masters in place of nodes; a has every block that is needed. In parallel by rows: each adds its
   terms in their order, so any number of threads gives the same bits. */
brn_status brn_ipc_scatter(const brn_model *model, const brn_ipc_term *term, int count, brn_block_matrix *a);

#endif
