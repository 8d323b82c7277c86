/* Minimise f(x) within bounds, with constraints c_i(x) <= 0, where a value costs a simulation: few evaluations, many at once.
   An optimiser is a deterministic function of its options and of the values it is told: told the same values again, it asks for the
   same points. Who keeps the values can therefore stop at any time and continue by telling them once more. */
#ifndef BRN_OPTIMIZE_OPTIMIZE_H
#define BRN_OPTIMIZE_OPTIMIZE_H

#include "base/ctx.h"

/* One word of the scene's design problem each; listed in brn_optimizer_names. */
typedef enum brn_optimizer {
    BRN_OPTIMIZER_CMAES,    /* global, evolution strategy with covariance adaptation */
    BRN_OPTIMIZER_COBYLA,   /* local, linear models, constraints (NLopt) */
    BRN_OPTIMIZER_BOBYQA,   /* local, quadratic models, bounds only (NLopt) */
    BRN_OPTIMIZER_SUBPLEX,  /* local, simplices (NLopt's Sbplx) */
    BRN_OPTIMIZER_GRADIENT, /* local, finite differences evaluated together, constraints (NLopt's SLSQP) */
    BRN_OPTIMIZERS
} brn_optimizer;

extern const char *const brn_optimizer_names[BRN_OPTIMIZERS];

typedef struct brn_optimize_problem {
    int n;                               /* unknowns, at least 1 */
    int constraints;                     /* how many c_i(x) <= 0 */
    const double *lower, *upper, *start; /* [n], finite, lower < upper, start within */
    /* Values of `count` points at once: x[count][n], value[count], constraint[count][constraints]. A value or constraint that is
       not finite: the point has no value (its simulation failed), which is worse than any other. A negative status ends the
       search and is returned; the result then holds the best of the points before. */
    brn_status (*evaluate)(void *user, int count, const double *x, double *value, double *constraint);
    void *user;
} brn_optimize_problem;

typedef struct brn_optimize_options {
    brn_optimizer type;
    uint64_t seed;
    int64_t evaluations; /* at most; a batch may be cut short by it */
    int population;      /* CMA-ES: points of a generation, at least 4; 0: 4 + floor(3 ln n) */
    int restarts;        /* CMA-ES: how often, at most, it starts again elsewhere with twice the population */
    double spread;       /* first step over the range of each unknown, 0 < spread <= 1 */
    /* the search ends when steps are shorter than this part of the range, 0 < tolerance < 1 */
    double tolerance;
    double target; /* ... or a feasible value is as low as this; -inf: none */
    double slack;  /* c_i(x) up to this counts as feasible, in the units of the constraints, >= 0 */
} brn_optimize_options;

typedef enum brn_optimize_end {
    BRN_OPTIMIZE_BUDGET,    /* no evaluations left */
    BRN_OPTIMIZE_TOLERANCE, /* steps are short */
    BRN_OPTIMIZE_TARGET,    /* a feasible value is low enough */
    BRN_OPTIMIZE_STALLED,   /* no progress, though steps are not short */
    BRN_OPTIMIZE_ENDS
} brn_optimize_end;

extern const char *const brn_optimize_end_names[BRN_OPTIMIZE_ENDS];

typedef struct brn_optimize_result {
    /* [n], the caller's: the best point, feasible if one was found; the start if no point had a value */
    double *x;
    double value;     /* there; NaN: no point had a value */
    double violation; /* largest c_i(x) there, 0 if feasible */
    int64_t evaluations;
    brn_optimize_end end;
} brn_optimize_result;

brn_optimize_options brn_optimize_options_default(void);
/* Local methods need a start that has a value (else BRN_ERR_NOT_FINITE); BOBYQA and SUBPLEX take no constraints, BOBYQA at least two
   unknowns (else BRN_ERR_RANGE). */
brn_status brn_optimize(brn_ctx *ctx, const brn_optimize_problem *problem,
                        const brn_optimize_options *options, brn_optimize_result *result);

#endif
