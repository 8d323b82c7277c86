/* Sparse Cholesky: CHOLMOD behind one small interface. The node graph is ordered (METIS, or AMD for small ones) and
   expanded by the block size; the symbolic analysis is reused as long as the pattern lasts. BLAS is held at one thread
   during the call and given back as it was. */
#ifndef BRN_LINALG_FACTOR_H
#define BRN_LINALG_FACTOR_H

#include "linalg/block_matrix.h"

typedef struct brn_factor brn_factor;

typedef struct brn_factor_stats {
    double nonzeros; /* of the factor */
    double flops;    /* of one numeric factorisation */
    double bytes;    /* of the factor */
    const char *ordering;
} brn_factor_stats;

/* Symbolic analysis of the pattern. */
brn_status brn_factor_create(brn_ctx *ctx, const brn_block_matrix *a, brn_factor **out);
void brn_factor_destroy(brn_factor *factor);
/* Numeric factorisation of A with the scalar dofs marked in fixed ([n*size], may be NULL) replaced by identity rows and
   columns. BRN_ERR_SINGULAR if A is not positive definite (the message names the dof). */
brn_status brn_factor_numeric(brn_factor *factor, const brn_block_matrix *a, const unsigned char *fixed);
/* Solves A x = b; b and x ([n*size]) may be the same array. Fixed dofs: x = b. */
brn_status brn_factor_solve(brn_factor *factor, const double *b, double *x);
/* nrhs right-hand sides, column by column. */
brn_status brn_factor_solve_many(brn_factor *factor, int nrhs, const double *b, double *x);
void brn_factor_get_stats(const brn_factor *factor, brn_factor_stats *out);

#endif
