#include "optimize/optimize.h"

#include "optimize/search.h"

#include <limits.h>
#include <math.h>

const char *const brn_optimizer_names[BRN_OPTIMIZERS] = {
    [BRN_OPTIMIZER_CMAES] = "cmaes",       [BRN_OPTIMIZER_COBYLA] = "cobyla",
    [BRN_OPTIMIZER_BOBYQA] = "bobyqa",     [BRN_OPTIMIZER_SUBPLEX] = "subplex",
    [BRN_OPTIMIZER_GRADIENT] = "gradient",
};

const char *const brn_optimize_end_names[BRN_OPTIMIZE_ENDS] = {
    [BRN_OPTIMIZE_BUDGET] = "budget",
    [BRN_OPTIMIZE_TOLERANCE] = "tolerance",
    [BRN_OPTIMIZE_TARGET] = "target",
    [BRN_OPTIMIZE_STALLED] = "stalled",
};

/* Matrices of n x n stay within some hundred MB, and their work within seconds. */
enum { UNKNOWNS_MAX = 1000, CONSTRAINTS_MAX = 10000, POPULATION_MAX = 1000000, RESTARTS_MAX = 20 };

brn_optimize_options brn_optimize_options_default(void)
{
    return (brn_optimize_options){.type = BRN_OPTIMIZER_CMAES,
                                  .seed = 1,
                                  .evaluations = 1000,
                                  .restarts = 9,
                                  .spread = 0.25,
                                  .tolerance = 1e-4,
                                  .target = -INFINITY,
                                  .slack = 1e-6};
}

static brn_status check_unknowns(brn_ctx *ctx, const brn_optimize_problem *p)
{
    if (!(p->n >= 1 && p->n <= UNKNOWNS_MAX)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: %d unknowns: must be 1 to %d", p->n, UNKNOWNS_MAX);
    }
    if (!(p->constraints >= 0 && p->constraints <= CONSTRAINTS_MAX)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: %d constraints: must be 0 to %d", p->constraints,
                        CONSTRAINTS_MAX);
    }
    BRN_GIVEN(ctx, p->lower);
    BRN_GIVEN(ctx, p->upper);
    BRN_GIVEN(ctx, p->start);
    for (int i = 0; i < p->n; ++i) {
        if (!(p->lower[i] < p->upper[i]) || !isfinite(p->upper[i] - p->lower[i])) {
            return brn_fail(ctx, BRN_ERR_RANGE,
                            "optimize: unknown %d lies between %g and %g: the range must be finite, and more "
                            "than a point",
                            i, p->lower[i], p->upper[i]);
        }
        if (!(p->start[i] >= p->lower[i] && p->start[i] <= p->upper[i])) {
            return brn_fail(ctx, BRN_ERR_RANGE, "optimize: unknown %d starts at %g: must be within %g and %g",
                            i, p->start[i], p->lower[i], p->upper[i]);
        }
    }
    return BRN_OK;
}

static brn_status check_options(brn_ctx *ctx, const brn_optimize_options *o)
{
    if (!((int)o->type >= 0 && (int)o->type < BRN_OPTIMIZERS)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: there is no optimizer %d", (int)o->type);
    }
    if (!(o->evaluations >= 1)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: %lld evaluations: must be at least 1",
                        (long long)o->evaluations);
    }
    if (!(o->population == 0 || (o->population >= 4 && o->population <= POPULATION_MAX))) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: population %d: must be 4 to %d, or 0", o->population,
                        POPULATION_MAX);
    }
    if (!(o->restarts >= 0 && o->restarts <= RESTARTS_MAX)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: %d restarts: must be 0 to %d", o->restarts,
                        RESTARTS_MAX);
    }
    if (!(o->spread > 0.0 && o->spread <= 1.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: spread %g: must be > 0 and <= 1", o->spread);
    }
    if (!(o->tolerance > 0.0 && o->tolerance < 1.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: tolerance %g: must be > 0 and < 1", o->tolerance);
    }
    if (!(o->target < INFINITY)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: target %g: must be a number, or -inf for none",
                        o->target);
    }
    if (!(o->slack >= 0.0 && o->slack < INFINITY)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "optimize: slack %g: must be >= 0", o->slack);
    }
    return BRN_OK;
}

/* What a method cannot do is said before anything is computed. */
static brn_status check_method(brn_ctx *ctx, const brn_optimize_problem *p, brn_optimizer type)
{
    const bool bounds_only = type == BRN_OPTIMIZER_BOBYQA || type == BRN_OPTIMIZER_SUBPLEX;
    if (bounds_only && p->constraints > 0) {
        return brn_fail(ctx, BRN_ERR_RANGE,
                        "optimize: %s knows bounds but no constraints: take cmaes, cobyla or gradient",
                        brn_optimizer_names[type]);
    }
    if (type == BRN_OPTIMIZER_BOBYQA && p->n < 2) {
        return brn_fail(ctx, BRN_ERR_RANGE,
                        "optimize: bobyqa needs two unknowns or more: take cobyla or subplex");
    }
    return BRN_OK;
}

brn_status brn_optimize(brn_ctx *ctx, const brn_optimize_problem *problem,
                        const brn_optimize_options *options, brn_optimize_result *result)
{
    BRN_GIVEN(ctx, problem);
    BRN_GIVEN(ctx, problem->evaluate);
    BRN_GIVEN(ctx, options);
    BRN_GIVEN(ctx, result);
    BRN_GIVEN(ctx, result->x);
    BRN_TRY(check_unknowns(ctx, problem));
    BRN_TRY(check_options(ctx, options));
    BRN_TRY(check_method(ctx, problem, options->type));
    brn_search search;
    brn_status status = brn_search_begin(ctx, problem, options, result, &search);
    if (status >= 0) {
        status = options->type == BRN_OPTIMIZER_CMAES ? brn_search_cmaes(&search) : brn_search_nlopt(&search);
    }
    brn_search_end(&search);
    return status < 0 ? status : BRN_OK;
}
