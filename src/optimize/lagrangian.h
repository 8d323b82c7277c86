/* Constraints in a search that only compares: the augmented Lagrangian with adaptive penalties [Atamna, Auger & Hansen 2017]

     h(x) = f(x) + sum_i  l_i g_i + p_i/2 g_i^2   if l_i + p_i g_i >= 0,   else  - l_i^2/(2 p_i),      g_i = c_i(x)

   whose minimum is that of f on the constraints once the multipliers l are right; they follow the constraints at the mean. A
   minimum on a constraint is thereby a smooth one of h, with steps on both sides, where a ranking that puts feasible
   points first would let steps shrink before they get there. */
#ifndef BRN_OPTIMIZE_LAGRANGIAN_H
#define BRN_OPTIMIZE_LAGRANGIAN_H

#include "base/ctx.h"

typedef struct brn_lagrangian {
    brn_ctx *ctx;
    int n, m;
    double *multiplier, *penalty; /* [m]; a penalty of 0: the constraint was never broken so far */
    double *now, *before;         /* [m]: constraints at the mean */
    double *sorted;               /* [lambda] */
    double value_before;          /* f at the mean, NaN at first */
    double *memory;
} brn_lagrangian;

brn_status brn_lagrangian_create(brn_ctx *ctx, int n, int constraints, int lambda, brn_lagrangian *out);
void brn_lagrangian_destroy(brn_lagrangian *l);

/* Penalties of constraints that are broken for the first time, from the spread of values and constraints in a generation
   (value +inf: none). */
void brn_lagrangian_begin(brn_lagrangian *l, int count, const double *value, const double *constraint);
double brn_lagrangian_cost(const brn_lagrangian *l, double value, const double *constraint);
/* Multipliers and penalties after a generation: value and constraint of its parents, weighted. */
void brn_lagrangian_update(brn_lagrangian *l, int parents, const int *order, const double *weight,
                           const double *value, const double *constraint);

#endif
