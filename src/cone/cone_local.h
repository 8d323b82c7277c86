/* One contact alone, solved exactly. */
#ifndef BRN_CONE_CONE_LOCAL_H
#define BRN_CONE_CONE_LOCAL_H

#include <stdbool.h>

/* The diagonal block of a contact, in the tangents in which the symmetric part of A = W_tt - W_tn W_nt / W_nn is diagonal:
   A = (a[0], skew; -skew, a[1]). In 2D the second tangent is a copy of the first that nothing drives. */
typedef struct brn_cone_block {
    int dim;
    double turn[2]; /* cosine and sine from the frame's tangents to these */
    double nn, nt[2], tn[2];
    double a[2], skew;
    double least; /* what stands for 0 in the search for the slip: rounding of A */
} brn_cone_block;

/* w [dim][dim], row-major, w[0] > 0. */
brn_cone_block brn_cone_block_make(int dim, const double *w);

/* Sliding with u_t = -l r_t, h = (mu r_n - |r_t|) / |r_t| over max(1, mu), and its slope in l. Tangents are the block's. */
typedef struct brn_cone_slide {
    double n, t[2], length; /* r_n, r_t, |r_t| */
    double h, slope;
} brn_cone_slide;

/* rest: b of cone_local.c. */
brn_cone_slide brn_cone_slide_at(const brn_cone_block *block, double l, double qn, const double rest[2],
                                 double mu);

/* r [dim] of u = W r + q. False: the block's laws contradict each other, which no positive definite W does; r then holds the normal
   velocity at 0 without friction. */
bool brn_cone_block_solve(const brn_cone_block *block, const double *q, double mu, double *r);

#endif
