#include "optimize/search.h"

#include <math.h>
#include <string.h>

brn_status brn_search_begin(brn_ctx *ctx, const brn_optimize_problem *problem,
                            const brn_optimize_options *options, brn_optimize_result *result, brn_search *s)
{
    *s = (brn_search){.ctx = ctx, .problem = problem, .options = options, .result = result};
    result->value = NAN;
    result->violation = 0.0;
    result->evaluations = 0;
    result->end = BRN_OPTIMIZE_BUDGET;
    memcpy(result->x, problem->start, (size_t)problem->n * sizeof *result->x);
    BRN_ALLOC(ctx, s->unit, problem->n);
    brn_search_start(s, s->unit);
    return BRN_OK;
}

void brn_search_end(brn_search *s)
{
    brn_free(s->ctx, s->unit);
    brn_free(s->ctx, s->x);
}

void brn_search_start(const brn_search *s, double *unit)
{
    const brn_optimize_problem *p = s->problem;
    for (int i = 0; i < p->n; ++i) {
        unit[i] = (p->start[i] - p->lower[i]) / (p->upper[i] - p->lower[i]);
    }
}

double brn_search_violation(const brn_search *s, const double *constraint)
{
    double most = 0.0;
    for (int i = 0; i < s->problem->constraints; ++i) {
        most = fmax(most, constraint[i]);
    }
    return most > s->options->slack ? most : 0.0;
}

/* A point of the unit box in the problem's units; both edges are hit exactly. */
static void point_scale(const brn_optimize_problem *p, const double *unit, double *x)
{
    for (int i = 0; i < p->n; ++i) {
        const double u = fmin(fmax(unit[i], 0.0), 1.0);
        x[i] = fmin(fmax((1.0 - u) * p->lower[i] + u * p->upper[i], p->lower[i]), p->upper[i]);
    }
}

/* Makes a point the best one if it is. */
static void point_offer(brn_search *s, const double *unit, const double *x, double value,
                        const double *constraint)
{
    brn_optimize_result *r = s->result;
    if (value == INFINITY) {
        return;
    }
    const double violation = brn_search_violation(s, constraint);
    const bool better =
        isnan(r->value) || violation < r->violation || (violation == r->violation && value < r->value);
    if (better) {
        const size_t size = (size_t)s->problem->n * sizeof *x;
        memcpy(s->unit, unit, size);
        memcpy(r->x, x, size);
        r->value = value;
        r->violation = violation;
    }
}

/* A point is there with all its numbers or not at all. */
static void point_clean(int constraints, double *value, double *constraint)
{
    bool finite = isfinite(*value);
    for (int i = 0; i < constraints; ++i) {
        finite = finite && isfinite(constraint[i]);
    }
    if (!finite) {
        *value = INFINITY;
        for (int i = 0; i < constraints; ++i) {
            constraint[i] = 0.0;
        }
    }
}

brn_status brn_search_evaluate(brn_search *s, int *count, const double *unit, double *value,
                               double *constraint)
{
    const brn_optimize_problem *p = s->problem;
    brn_optimize_result *r = s->result;
    const size_t n = (size_t)p->n;
    const size_t m = (size_t)p->constraints;
    BRN_TRY(brn_ctx_check(s->ctx));
    const int64_t left = s->options->evaluations - r->evaluations;
    *count = *count < left ? *count : (int)left;
    if (*count > 0) {
        BRN_GROW(s->ctx, s->x, s->cap, (size_t)*count * n);
        for (int i = 0; i < *count; ++i) {
            point_scale(p, unit + (size_t)i * n, s->x + (size_t)i * n);
        }
        BRN_TRY(p->evaluate(p->user, *count, s->x, value, constraint));
    }
    for (int i = 0; i < *count; ++i) {
        double *c = m > 0 ? constraint + (size_t)i * m : NULL;
        point_clean(p->constraints, &value[i], c);
        point_offer(s, unit + (size_t)i * n, s->x + (size_t)i * n, value[i], c);
    }
    r->evaluations += *count;
    const bool reached = r->violation == 0.0 && r->value <= s->options->target;
    s->over = reached || r->evaluations >= s->options->evaluations;
    if (s->over) {
        r->end = reached ? BRN_OPTIMIZE_TARGET : BRN_OPTIMIZE_BUDGET;
    }
    return BRN_OK;
}
