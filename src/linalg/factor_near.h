/* Solution of a system with the factor of another matrix that is near: a factorisation costs as much as many substitutions, and
   from one Newton iteration to the next a matrix changes little, apart from some contacts. */
#ifndef BRN_LINALG_FACTOR_NEAR_H
#define BRN_LINALG_FACTOR_NEAR_H

#include "linalg/factor.h"

/* When a solution is good enough. */
typedef struct brn_near_goal {
    double error; /* in the norm sqrt(r . B^-1 r) of the residual r, relative to that of x = 0 */
    /* The same, if no entry of x is larger than this ([n*size]; NULL: none may be); such a solution may be the last of its
       kind. */
    const double *small;
    double error_small;
} brn_near_goal;

/* How many iterations cost half of what a factorisation costs, by its operations and entries; 0: a factorisation is so
   cheap that trying is not worth it. */
int brn_factor_near_cap(const brn_factor *factor);

/* Solves A x = b by conjugate gradients, with the factor of B, the matrix of the last numeric call, as preconditioner; fixed
   ([n*size], may be NULL) as it was there: x = b at fixed dofs, b elsewhere is for them as it is for brn_factor_solve.
   *done is false if the goal is out of reach within brn_factor_near_cap iterations, or A is not positive definite along the
   way: x is of no use then, and A wants a factor of its own. Where *done is set, x . b > 0. Same bits for any number of
   threads. */
brn_status brn_factor_solve_near(brn_factor *factor, const brn_block_matrix *a, const unsigned char *fixed,
                                 const double *b, const brn_near_goal *goal, double *x, bool *done);

#endif
