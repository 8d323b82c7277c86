/* Lowest modes of K x = lambda M x by shift-invert block Lanczos on top of the Cholesky factor. */
#ifndef BRN_LINALG_MODES_H
#define BRN_LINALG_MODES_H

#include "linalg/block_matrix.h"

typedef struct brn_modes {
    brn_ctx *ctx;
    int count, ndof;
    double *lambda; /* [count], ascending, [rad^2/s^2] */
    double *shape;  /* [count][ndof], M-orthonormal, 0 at fixed dofs, largest entry positive */
    double shift;   /* [rad^2/s^2], K + shift M was factored; modes below it count as rigid */
    /* largest |K x - lambda M x| / (|K x| + |lambda M x|) over the modes above the shift */
    double residual_max;
} brn_modes;

/* K symmetric positive semi-definite, M symmetric positive definite on the free dofs with the same block size (M's
   pattern may be a part of K's). fixed marks held dofs ([n*size], may be NULL). Rigid modes come out as lambda = 0 to
   rounding, that is up to about 1e-15 of the largest eigenvalue. Repeated eigenvalues are all found, whatever their
   multiplicity: fresh random directions are searched until they bring nothing new.
   tolerance: of the eigenvectors' residual in the shift-inverted problem, relative (1e-10 is a good choice).
   BRN_ERR_RANGE: count < 1 or more modes than free dofs; BRN_ERR_CONVERGENCE. Same bits for any number of threads. */
brn_status brn_modes_find(brn_ctx *ctx, const brn_block_matrix *k, const brn_block_matrix *m,
                          const unsigned char *fixed, int count, double tolerance, brn_modes **out);
void brn_modes_destroy(brn_modes *modes);

#endif
