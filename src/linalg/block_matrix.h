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
    /* The strict lower triangle by rows, for products: entry t stands for the transpose of block lower_block[t],
       which lies in row lower_row[t] < i. */
    int *lower_start; /* [n + 1] */
    int *lower_row;   /* [start[n] - n], ascending in a row */
    int *lower_block;
    size_t capacity; /* blocks that a joined matrix has room for; 0: no more than it holds */
} brn_block_matrix;

/* The pattern of a set of stencils: every pair of nodes of a stencil becomes a block; the diagonal is always there.
   list i holds count[i] stencils of width[i] nodes at node[i][count*width]. */
typedef struct brn_stencils {
    int count, width;
    const int *node;
} brn_stencils;

/* All values are 0. BRN_ERR_RANGE: a node number outside [0, n), or a bad size; BRN_ERR_LIMIT: 2^31 blocks or more. */
brn_status brn_block_matrix_create(brn_ctx *ctx, int n, int size, const brn_stencils *lists, int nlists,
                                   brn_block_matrix **out);
/* The pattern of base with a few more stencils. *joined: NULL, or the result of an earlier call, whose memory is reused. The
   values are undefined until brn_block_matrix_load. Costs one pass over the pattern, however many elements are behind base.
   On failure *joined is NULL. */
brn_status brn_block_matrix_join(const brn_block_matrix *base, const brn_stencils *lists, int nlists,
                                 brn_block_matrix **joined);
/* A = B, and 0 where B has no block; B's pattern must be a part of A's (BRN_ERR_RANGE otherwise). */
brn_status brn_block_matrix_load(brn_block_matrix *a, const brn_block_matrix *b);
/* Where the blocks of each stencil are: block [count][width*(width+1)/2], pairs p <= q of its nodes, by p then q. A
   number b >= 0 is block b = (node p, node q), ~b the transpose of block b = (node q, node p). BRN_ERR_RANGE if a pair is
   not in the pattern. */
brn_status brn_block_matrix_locate(const brn_block_matrix *a, const brn_stencils *list, int *block);
/* A second matrix of the same pattern and values. */
brn_status brn_block_matrix_copy(const brn_block_matrix *a, brn_block_matrix **out);
void brn_block_matrix_destroy(brn_block_matrix *a);
/* For code that makes patterns: fills lower_start [n + 2], zeroed, lower_row and lower_block from the upper triangle;
   BRN_ERR_RANGE names a node of the stencils outside [0, n). */
void brn_block_matrix_index_lower(brn_block_matrix *a);
brn_status brn_stencils_check(brn_ctx *ctx, int n, const brn_stencils *lists, int nlists);
void brn_block_matrix_zero(brn_block_matrix *a);
void brn_block_matrix_scale(brn_block_matrix *a, double factor);
/* Index of block (row, column), row <= column; -1 if it is not in the pattern. */
int brn_block_matrix_find(const brn_block_matrix *a, int row, int column);
/* A += factor B; B's pattern must be a part of A's (BRN_ERR_RANGE otherwise, A is then half changed). */
brn_status brn_block_matrix_add(brn_block_matrix *a, double factor, const brn_block_matrix *b);
/* y = A x, both [n][size], not the same array; deterministic for any thread count. */
brn_status brn_block_matrix_multiply(const brn_block_matrix *a, const double *x, double *y);

#endif
