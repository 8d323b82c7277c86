/* Preconditioned conjugate gradients on a block matrix, block-Jacobi preconditioner. */
#ifndef BRN_LINALG_PCG_H
#define BRN_LINALG_PCG_H

#include "linalg/block_matrix.h"

typedef struct brn_pcg_result {
    int iterations;
    double residual; /* |b - A x| / |b| over the free dofs at the end, computed afresh */
} brn_pcg_result;

/* Solves A x = b from the given x to a relative residual; fixed ([n*size], may be NULL) as in brn_factor_numeric, except
   that x keeps its entry there (rows and columns of fixed dofs do not take part). Always leaves the last iterate in x,
   which is the best in the energy norm, and fills result (NULL is fine) also on failure:
   BRN_ERR_CONVERGENCE after `cap` iterations or when rounding stops the progress before the tolerance is reached,
   BRN_ERR_SINGULAR on a direction without positive curvature or a diagonal block that is not positive definite,
   BRN_ERR_NOT_FINITE when a number overflows. Same bits for any number of threads. */
brn_status brn_pcg_solve(brn_ctx *ctx, const brn_block_matrix *a, const unsigned char *fixed, const double *b,
                         double tolerance, int cap, double *x, brn_pcg_result *result);

#endif
