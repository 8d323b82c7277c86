/* Covariance matrix adaptation [Hansen 2016, arXiv:1604.00772]: a normal distribution that is sampled, told the order of its samples,
   and moved, scaled and turned by it. Equation numbers in cmaes.c are of that text. It knows neither bounds nor values. */
#ifndef BRN_OPTIMIZE_CMAES_H
#define BRN_OPTIMIZE_CMAES_H

#include "base/ctx.h"
#include "base/rng.h"

typedef struct brn_cmaes {
    brn_ctx *ctx;
    int n, lambda, mu;
    double mueff, cs, ds, cc, c1, cmu, chi; /* constants of the update */
    double *weight;                         /* [lambda], from best to worst; the last ones are negative */
    double sigma;                           /* length of steps */
    double *mean, *ps, *pc, *d;             /* [n]: mean, paths, roots of the eigenvalues */
    double *c, *b;                          /* [n][n]: covariance, its eigenvectors column by column */
    double *z, *y, *x;                      /* [lambda][n]: normal samples, b d z, mean + sigma y */
    double *step, *work;                    /* [n], of LAPACK */
    int lwork;
    int generation, turned; /* generations so far, and that of the last eigenvectors */
    double *memory;
} brn_cmaes;

brn_status brn_cmaes_create(brn_ctx *ctx, int n, int lambda, double sigma, const double *mean,
                            brn_cmaes *out);
void brn_cmaes_destroy(brn_cmaes *c);

/* Draws x[lambda][n]; with `centre` the first of them is the mean. */
void brn_cmaes_sample(brn_cmaes *c, brn_rng *rng, bool centre);

/* The samples in their order, best first; only the first `ranked` of them have a value. BRN_ERR_SINGULAR: the covariance is
   lost in rounding. */
brn_status brn_cmaes_update(brn_cmaes *c, const int *order, int ranked);

/* Largest standard deviation along an axis of the unknowns, and how oblong the distribution is. */
double brn_cmaes_reach(const brn_cmaes *c);
double brn_cmaes_condition(const brn_cmaes *c);

#endif
