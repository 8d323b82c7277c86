/* A polynomial fitted by least squares to samples in space, of degree 1 or 2.

   Its terms are ordered by degree, in coordinates along the principal axes of the samples, each scaled by their spread. They
   are made orthonormal over the samples one after the other, psi_k = sum_j T_kj phi_j; a term that the samples cannot tell from those before
   it (two layers of samples know no curvature across them) is left out. With that basis the value at x is
   sum_s g_s f_s, g_s = w_s sum_k psi_k(x) psi_k(x_s), with weights w_s of the samples, and sum_k psi_k(x)^2 is its leverage: how much of an
   error of the samples arrives at x. Leaving out the terms of degree 2 leaves the fit of degree 1.

   Weights are 1, or 1/(1/2 + d^2) with the distance d to a point in these coordinates: a polynomial of degree 2 that has to follow a steep
   function is then best near that point. */
#ifndef BRN_OUTPUT_TRAJECTORY_PATCH_FIT_H
#define BRN_OUTPUT_TRAJECTORY_PATCH_FIT_H

#include "base/ctx.h"

enum { BRN_FIT_TERMS = 10 };

typedef struct brn_patch_fit {
    int axes;                               /* of the polynomial: 3, of plane cells 2 */
    int nterm;                              /* 1 + axes, of degree 2 (axes + 1)(axes + 2)/2 */
    double centre[3], axis[3][3];           /* coordinates are axis (x - centre) */
    const double *near;                     /* where weights are largest; NULL: all are 1 */
    double t[BRN_FIT_TERMS][BRN_FIT_TERMS]; /* lower triangle; the row of a term left out is 0 */
} brn_patch_fit;

/* place [n][3], n > 0. Samples that are not finite leave the constant term alone. near outlives the fit. */
void brn_patch_fit_make(brn_patch_fit *fit, int axes, int degree, const double (*place)[3], int n,
                        const double *near);
/* psi at x; those beyond nterm are 0. */
void brn_patch_fit_basis(const brn_patch_fit *fit, const double x[3], double psi[BRN_FIT_TERMS]);
/* g_s of the sample at `place` for the point that has psi, by the first terms. */
double brn_patch_fit_share(const brn_patch_fit *fit, const double psi[BRN_FIT_TERMS], int terms,
                           const double place[3]);
/* Terms of degree up to `degree` that are not left out. */
int brn_patch_fit_rank(const brn_patch_fit *fit, int degree);
/* How many terms, left out or not, have at most that degree. */
static inline int brn_patch_fit_terms(const brn_patch_fit *fit, int degree)
{
    return degree == 0 ? 1 : degree == 1 ? 1 + fit->axes : (fit->axes + 1) * (fit->axes + 2) / 2;
}

#endif
