/* What every optimiser shares: the unit box, batches, the budget, the best point. */
#ifndef BRN_OPTIMIZE_SEARCH_H
#define BRN_OPTIMIZE_SEARCH_H

#include "optimize/optimize.h"

typedef struct brn_search {
    brn_ctx *ctx;
    const brn_optimize_problem *problem;
    const brn_optimize_options *options;
    brn_optimize_result *result;
    bool over;    /* budget spent or target reached: result->end says which */
    double *unit; /* [n], the best point in the unit box */
    double *x;    /* [cap][n], points of a batch as they are handed over */
    size_t cap;   /* of x, in numbers */
} brn_search;

brn_status brn_search_begin(brn_ctx *ctx, const brn_optimize_problem *problem,
                            const brn_optimize_options *options, brn_optimize_result *result, brn_search *s);
void brn_search_end(brn_search *s);

/* The start in the unit box. */
void brn_search_start(const brn_search *s, double *unit);

/* Evaluates the first *count points unit[count][n] (components outside of the box count as its edge) in one batch, or as many of
   them as the budget allows: *count becomes that, and s->over is set if the search ends here. Points without a value have
   value +inf and constraints 0. */
brn_status brn_search_evaluate(brn_search *s, int *count, const double *unit, double *value,
                               double *constraint);

/* Largest constraint, 0 if none is above the slack. */
double brn_search_violation(const brn_search *s, const double *constraint);

brn_status brn_search_cmaes(brn_search *s);
brn_status brn_search_nlopt(brn_search *s);

#endif
