/* Symmetric sparse matrices of square blocks (size 1, 2 or 3), upper triangle by block rows. */
#ifndef BRN_LINALG_BLOCK_MATRIX_H
#define BRN_LINALG_BLOCK_MATRIX_H

#include "base/ctx.h"

typedef struct brn_block_matrix {
    brn_ctx *ctx;
    int n;         /* block rows */
    int size;      /* of a block: 1, 2 or 3 */
    int *start;    /* [n + 1] */
    int *column;   /* [start[n]], ascending in a row, first entry of a row is its diagonal */
    double *value; /* [start[n]][size*size], row-major blocks; the diagonal blocks are stored whole */
} brn_block_matrix;

/* The pattern of a set of stencils: every pair of nodes of a stencil becomes a block; the diagonal is always there.
   list i holds count[i] stencils of width[i] nodes at node[i][count*width]. */
typedef struct brn_stencils {
    int count, width;
    const int *node;
} brn_stencils;

brn_status brn_block_matrix_create(brn_ctx *ctx, int n, int size, const brn_stencils *lists, int nlists,
                                   brn_block_matrix **out);
void brn_block_matrix_destroy(brn_block_matrix *a);
void brn_block_matrix_zero(brn_block_matrix *a);
/* Index of block (row, column), row <= column; -1 if it is not in the pattern. */
int brn_block_matrix_find(const brn_block_matrix *a, int row, int column);
/* y = A x, both [n][size]; deterministic for any thread count. */
brn_status brn_block_matrix_multiply(const brn_block_matrix *a, const double *x, double *y);

#endif
