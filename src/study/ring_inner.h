/* What the files of a ring-down share: models, and the least-squares problem of the samples. Times are scaled to [0, 1] over the window, samples
   to a size of about 1. */
#ifndef BRN_STUDY_RING_INNER_H
#define BRN_STUDY_RING_INNER_H

#include "base/ctx.h"

#include <brunt/study.h>

enum {
    BRN_RING_RATES = 2 * BRN_RING_MODES + BRN_RING_DECAYS,      /* nonlinear unknowns */
    BRN_RING_COLUMNS = 2 * BRN_RING_MODES + BRN_RING_DECAYS + 2 /* linear ones */
};

/* y = offset (+ drift (t - 1/2)) + sum exp(-d t)(a cos w t + b sin w t) + sum c exp(-d t) */
typedef struct brn_ring_model {
    int modes, decays;
    bool drift;
    double rate[BRN_RING_RATES]; /* (w, d) of each mode, then d of each decay */
} brn_ring_model;

/* The problem and its last evaluation. Columns of the basis: 1, (t - 1/2), then two of each mode and one of each decay. */
typedef struct brn_ring_fit {
    brn_ctx *ctx;
    int count;
    const double *t, *y;           /* [count] */
    double rate_max;               /* largest w that the spacing of samples can show */
    double *basis;                 /* [columns][count] */
    double *factor;                /* the same, as LAPACK's QR */
    double *turned;                /* [rates + 1][count] residual's derivatives, then y, all times Q' */
    double *rest;                  /* [count] y - basis * size */
    double *work;                  /* of LAPACK */
    double tau[BRN_RING_COLUMNS];  /* of LAPACK */
    double size[BRN_RING_COLUMNS]; /* coefficients of the basis */
    double squares;                /* sum of the squared rest */
} brn_ring_fit;

brn_status brn_ring_fit_create(brn_ctx *ctx, const double *t, const double *y, int count, brn_ring_fit *out);
void brn_ring_fit_clear(brn_ring_fit *fit);

int brn_ring_columns(const brn_ring_model *model);
int brn_ring_rates(const brn_ring_model *model);

/* The best coefficients for these rates, and the rest. False: the basis is (nearly) dependent, or a rate outside its range. */
bool brn_ring_evaluate(brn_ring_fit *fit, const brn_ring_model *model);
/* After brn_ring_evaluate: derivatives of Q' rest by the rates into `turned`, [rate][count] (variable projection [Golub and Pereyra 1973]). The rows
   from the number of columns on are those for fixed coefficients with these projected out, whose products are the information matrix of the rates. */
void brn_ring_derivatives(brn_ring_fit *fit, const brn_ring_model *model);
/* Levenberg-Marquardt on the rates; the fit is then evaluated at them. False: not even the start could be. */
bool brn_ring_refine(brn_ring_fit *fit, brn_ring_model *model);

/* Starts. The strongest damped sinusoid (w, d) in the rest of the last evaluation, by matched filters. */
brn_status brn_ring_find_mode(const brn_ring_fit *fit, double *w, double *d);
/* Models of ranks 1, 2, ... by the matrix pencil of the samples [Hua and Sarkar 1990], in the band of the frequency w and about. */
enum { BRN_RING_RANKS = 10 };
brn_status brn_ring_pencil(const brn_ring_fit *fit, double w, int modes_max,
                           brn_ring_model model[BRN_RING_RANKS], int *found);

/* The model with the best score; the fit is evaluated at it. */
brn_status brn_ring_select(brn_ring_fit *fit, int modes_max, brn_ring_model *out);

/* The least that a window must have. */
enum { BRN_RING_SAMPLES = 16 };
/* First and number of the samples to fit, their start and end. */
brn_status brn_ring_find_window(brn_ctx *ctx, const double *t, const double *y, int count,
                                const brn_ring_options *options, brn_ring_down *out);
brn_status brn_ring_median(brn_ctx *ctx, const double *v, int count, double *out);

#endif
