/* The local methods of NLopt in the unit box: COBYLA [Powell 1994], BOBYQA [Powell 2009], Sbplx [Rowan 1990] and SLSQP [Kraft 1994].
   All four are deterministic; those of NLopt that draw from its random numbers, which belong to the process, are not used.

   NLopt asks for value and constraints of a point one after another, and for derivatives at the same time: all are kept from the
   last point. Points without a value get one that is worse than all so far by the spread of these, and the largest of each
   constraint: models and simplices shrink back from there, where infinity would break them. */
#include "optimize/search.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <nlopt.h>
#include <string.h>

typedef struct local {
    brn_search *s;
    nlopt_opt opt;
    brn_status status;     /* of the first failure: the rest of the search only ends */
    long failures;         /* points without value since NLopt was started */
    bool known, steep;     /* there are numbers of `at`; derivatives too */
    double *at;            /* [n], the last point */
    double value;          /* there */
    double *constraint;    /* [m] */
    double *gradient;      /* [n] */
    double *jacobian;      /* [m][n] */
    double *points;        /* [2n + 1][n], of a batch */
    double *values, *rows; /* [2n + 1], [2n + 1][m] */
    int *slot;    /* [2n], where in the batch the neighbours of unknowns are; -1: at a bound, there is none */
    double scale; /* NLopt is told values times this */
    double low, high, *highest; /* values so far; [m] largest constraints so far */
    double *memory;
} local;

static brn_status local_create(local *a, brn_search *s)
{
    const size_t n = (size_t)s->problem->n;
    const size_t m = (size_t)s->problem->constraints;
    const size_t batch = 2 * n + 1;
    *a = (local){.s = s, .scale = 1.0, .low = INFINITY, .high = -INFINITY};
    BRN_ALLOC(s->ctx, a->memory, 2 * n + 2 * m + m * n + batch * (n + 1 + m));
    a->at = a->memory;
    a->gradient = a->at + n;
    a->constraint = a->gradient + n;
    a->highest = a->constraint + m;
    a->jacobian = a->highest + m;
    a->points = a->jacobian + m * n;
    a->values = a->points + batch * n;
    a->rows = a->values + batch;
    BRN_ALLOC(s->ctx, a->slot, 2 * n);
    for (size_t i = 0; i < m; ++i) {
        a->highest[i] = -INFINITY;
    }
    return BRN_OK;
}

static void local_destroy(local *a)
{
    nlopt_destroy(a->opt);
    brn_free(a->s->ctx, a->memory);
    brn_free(a->s->ctx, a->slot);
}

/* Ends the search as soon as NLopt looks. */
static void stop(local *a)
{
    if (a->opt != NULL) {
        (void)nlopt_force_stop(a->opt);
    }
}

/* ---- points --------------------------------------------------------------------------------------------------------------- */

static void remember(local *a, double value, const double *constraint)
{
    a->failures += value == INFINITY;
    if (value < INFINITY) {
        a->low = fmin(a->low, value);
        a->high = fmax(a->high, value);
        for (int i = 0; i < a->s->problem->constraints; ++i) {
            a->highest[i] = fmax(a->highest[i], constraint[i]);
        }
    }
}

/* What NLopt is told of a point: its numbers, or those of one that is worse than all so far. */
static void settle(local *a, double value, const double *constraint)
{
    const size_t m = (size_t)a->s->problem->constraints;
    const bool valued = value < INFINITY;
    const double apart = a->high > a->low ? a->high - a->low : fmax(1.0, fabs(a->high));
    a->value = valued ? value : fmin(a->high + apart, DBL_MAX);
    memcpy(a->constraint, valued ? constraint : a->highest, m * sizeof *constraint);
}

/* Evaluates the first `count` of a->points together; false: the search is to end. */
static bool evaluate(local *a, int count)
{
    int done = count;
    if (a->status >= 0 && !a->s->over) {
        a->status = brn_search_evaluate(a->s, &done, a->points, a->values, a->rows);
        for (int k = 0; a->status >= 0 && k < done; ++k) {
            remember(a, a->values[k], a->rows + (size_t)k * (size_t)a->s->problem->constraints);
        }
    }
    if (a->status < 0 || a->s->over) {
        stop(a);
    }
    return a->status >= 0 && !a->s->over && done == count;
}

static bool same_point(const local *a, const double *x)
{
    return a->known && memcmp(a->at, x, (size_t)a->s->problem->n * sizeof *x) == 0;
}

/* Value and constraints of x, without derivatives. False, and the search ends: there are none. */
static bool visit(local *a, const double *x)
{
    const size_t size = (size_t)a->s->problem->n * sizeof *x;
    if (same_point(a, x)) {
        return true;
    }
    memcpy(a->points, x, size);
    if (!evaluate(a, 1)) {
        return false;
    }
    settle(a, a->values[0], a->rows);
    memcpy(a->at, x, size);
    a->known = true;
    a->steep = false;
    return true;
}

/* ---- differences ------------------------------------------------------------------------------------------------------------ */

/* Length of differences: shorter steps than the tolerance are of no interest, so noise of that length does no harm either. The
   cube root of the rounding error is best for an exact function. */
static double difference_step(const local *a)
{
    return fmin(fmax(a->s->options->tolerance, 6e-6), 0.01);
}

/* Derivatives along unknown i from its two neighbours in a batch; where one has no value, from the other alone. `base` is the number
   at the point, `of` the first number of the batch, `stride` apart. */
static double difference(const local *a, int i, double base, const double *of, size_t stride)
{
    const size_t n = (size_t)a->s->problem->n;
    double place[2], number[2];
    for (int side = 0; side < 2; ++side) {
        const int k = a->slot[2 * i + side];
        const bool valued = k >= 0 && a->values[k] < INFINITY;
        place[side] = valued ? a->points[(size_t)k * n + (size_t)i] : a->at[i];
        number[side] = valued ? of[(size_t)k * stride] : base;
    }
    return place[1] > place[0] ? (number[1] - number[0]) / (place[1] - place[0]) : 0.0;
}

/* Derivatives at a->at, whose value is known, from up to 2n points in one batch; bounds cut differences to one side. */
static bool climb(local *a)
{
    const int n = a->s->problem->n;
    const size_t m = (size_t)a->s->problem->constraints;
    const double h = difference_step(a);
    if (a->steep) {
        return true;
    }
    int count = 0;
    for (int k = 0; k < 2 * n; ++k) {
        double *point = a->points + (size_t)count * (size_t)n;
        memcpy(point, a->at, (size_t)n * sizeof *point);
        point[k / 2] = fmin(fmax(point[k / 2] + (k % 2 == 0 ? -h : h), 0.0), 1.0);
        a->slot[k] = point[k / 2] != a->at[k / 2] ? count++ : -1;
    }
    if (!evaluate(a, count)) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        a->gradient[i] = difference(a, i, a->value, a->values, 1);
        for (size_t j = 0; j < m; ++j) {
            a->jacobian[j * (size_t)n + (size_t)i] = difference(a, i, a->constraint[j], a->rows + j, m);
        }
    }
    a->steep = true;
    return true;
}

/* SLSQP takes the unit matrix for its first Hessian, so the first gradient should be about as long as the box. */
static void scale_values(local *a)
{
    double most = 0.0;
    for (int i = 0; i < a->s->problem->n; ++i) {
        most = fmax(most, fabs(a->gradient[i]));
    }
    a->scale = most > 0.0 && isfinite(1.0 / most) ? 1.0 / most : 1.0;
}

/* ---- NLopt ------------------------------------------------------------------------------------------------------------------ */

static double objective(unsigned n, const double *x, double *gradient, void *arg)
{
    local *a = arg;
    if (!visit(a, x) || (gradient != NULL && !climb(a))) {
        if (gradient != NULL) {
            memset(gradient, 0, n * sizeof *gradient);
        }
        return a->known ? a->scale * a->value : 0.0;
    }
    for (unsigned i = 0; gradient != NULL && i < n; ++i) {
        gradient[i] = a->scale * a->gradient[i];
    }
    return a->scale * a->value;
}

static void constraints(unsigned m, double *result, unsigned n, const double *x, double *jacobian, void *arg)
{
    local *a = arg;
    const bool done = visit(a, x) && (jacobian == NULL || climb(a));
    memcpy(result, a->constraint, m * sizeof *result);
    if (jacobian != NULL && done) {
        memcpy(jacobian, a->jacobian, (size_t)m * n * sizeof *jacobian);
    } else if (jacobian != NULL) {
        memset(jacobian, 0, (size_t)m * n * sizeof *jacobian);
    }
}

static nlopt_algorithm algorithm_of(brn_optimizer type)
{
    switch (type) {
    case BRN_OPTIMIZER_BOBYQA:
        return NLOPT_LN_BOBYQA;
    case BRN_OPTIMIZER_SUBPLEX:
        return NLOPT_LN_SBPLX;
    case BRN_OPTIMIZER_GRADIENT:
        return NLOPT_LD_SLSQP;
    default:
        return NLOPT_LN_COBYLA;
    }
}

/* The first negative code of NLopt among those of the settings, or success. */
static nlopt_result configure(local *a, double step)
{
    const brn_optimize_options *o = a->s->options;
    const int n = a->s->problem->n;
    const int m = a->s->problem->constraints;
    a->opt = nlopt_create(algorithm_of(o->type), (unsigned)n);
    if (a->opt == NULL) {
        return NLOPT_OUT_OF_MEMORY;
    }
    /* Evaluations are counted by the search; this limits rounds at points that are known. */
    const int64_t rounds = 10 * (o->evaluations < INT_MAX / 20 ? o->evaluations : INT_MAX / 20) + 1000;
    const nlopt_result set[] = {
        nlopt_set_min_objective(a->opt, objective, a),
        nlopt_set_lower_bounds1(a->opt, 0.0),
        nlopt_set_upper_bounds1(a->opt, 1.0),
        nlopt_set_initial_step1(a->opt, step),
        nlopt_set_xtol_abs1(a->opt, o->tolerance),
        nlopt_set_maxeval(a->opt, (int)rounds),
        m > 0 ? nlopt_add_inequality_mconstraint(a->opt, (unsigned)m, constraints, a, NULL) : NLOPT_SUCCESS,
    };
    for (size_t i = 0; i < sizeof set / sizeof *set; ++i) {
        if (set[i] < 0) {
            return set[i];
        }
    }
    return NLOPT_SUCCESS;
}

static brn_status conclude(const local *a, nlopt_result code)
{
    brn_search *s = a->s;
    if (a->status < 0) {
        return a->status;
    }
    if (s->over) {
        return BRN_OK;
    }
    switch (code) {
    case NLOPT_OUT_OF_MEMORY:
        return brn_fail(s->ctx, BRN_ERR_MEMORY, "optimize: NLopt ran out of memory");
    case NLOPT_INVALID_ARGS:
        return brn_fail(s->ctx, BRN_ERR_RANGE, "optimize: NLopt does not take this problem");
    case NLOPT_SUCCESS:
    case NLOPT_FTOL_REACHED:
    case NLOPT_XTOL_REACHED:
    case NLOPT_ROUNDOFF_LIMITED:
        s->result->end = BRN_OPTIMIZE_TOLERANCE;
        return BRN_OK;
    default:
        s->result->end = BRN_OPTIMIZE_STALLED;
        return BRN_OK;
    }
}

static brn_status search_local(local *a, double *x)
{
    brn_search *s = a->s;
    brn_search_start(s, x);
    if (!visit(a, x)) {
        return a->status;
    }
    if (a->values[0] == INFINITY) {
        return brn_fail(
            s->ctx, BRN_ERR_NOT_FINITE,
            "optimize: the start has no value, and %s goes on from there: start elsewhere, or take cmaes",
            brn_optimizer_names[s->options->type]);
    }
    if (s->options->type == BRN_OPTIMIZER_GRADIENT) {
        if (!climb(a)) {
            return a->status;
        }
        scale_values(a);
    }
    /* BOBYQA wants room for two steps between the bounds. Where points without value surround the start and nothing better was
       found, shorter steps may. */
    const size_t size = (size_t)s->problem->n * sizeof *x;
    for (double step = fmin(s->options->spread, 0.45);; step *= 0.25) {
        const brn_optimize_result before = *s->result;
        a->failures = 0;
        memcpy(x, s->unit, size);
        nlopt_result code = configure(a, step);
        double value;
        code = code < 0 ? code : nlopt_optimize(a->opt, x, &value);
        BRN_TRY(conclude(a, code));
        const bool improved = s->result->violation < before.violation || s->result->value < before.value;
        if (s->over || improved || a->failures == 0 || !(0.25 * step > s->options->tolerance)) {
            return BRN_OK;
        }
        nlopt_destroy(a->opt);
        a->opt = NULL;
    }
}

brn_status brn_search_nlopt(brn_search *s)
{
    local a;
    double *x;
    BRN_ALLOC(s->ctx, x, s->problem->n);
    brn_status status = local_create(&a, s);
    if (status >= 0) {
        status = search_local(&a, x);
    }
    local_destroy(&a);
    brn_free(s->ctx, x);
    return status;
}
