/* Preconditioned conjugate gradients on a block matrix, block-Jacobi by default. */
#ifndef BRN_LINALG_PCG_H
#define BRN_LINALG_PCG_H

#include "linalg/block_matrix.h"

typedef struct brn_pcg_result {
    int iterations;
    double residual; /* |b - A x| / |b| at the end */
} brn_pcg_result;

/* Solves A x = b from the given x to a relative residual; fixed as in brn_factor_numeric (x keeps its entry there).
   BRN_ERR_CONVERGENCE after `cap` iterations, BRN_ERR_SINGULAR on a direction of negative curvature (x: best so far). */
brn_status brn_pcg_solve(brn_ctx *ctx, const brn_block_matrix *a, const unsigned char *fixed, const double *b,
                         double tolerance, int cap, double *x, brn_pcg_result *result);

#endif
