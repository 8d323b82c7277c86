/* CMA-ES in the unit box: generations as batches, bounds, constraints, ends, restarts with a growing population (IPOP [Auger &
   Hansen 2005]).

   Bounds: the distribution lives in all of space, and its samples are folded into the box. Within 1/20 of an edge the fold is a
   parabola, whose vertex lies on the edge: a minimum on the edge is one at a finite place, and smooth. */
#include "optimize/cmaes.h"
#include "optimize/lagrangian.h"
#include "optimize/search.h"

#include "linalg/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EDGE          0.05
#define CONDITION_MAX 1e14 /* of the covariance: more is lost in rounding */

typedef struct ranked_point {
    double cost;
    int index;
} ranked_point;

typedef struct run {
    brn_search *s;
    brn_cmaes c;
    brn_lagrangian l;
    double *unit, *value, *constraint;
    ranked_point *rank;
    int *order;
    int window;            /* generations that are looked back at */
    double *best, *median; /* [window], costs of the last generations */
} run;

/* ---- bounds --------------------------------------------------------------------------------------------------------- */

static double fold(double x)
{
    const double period = 2.0 * (1.0 + 2.0 * EDGE);
    double t = fmod(x + EDGE, period);
    t = t < 0.0 ? t + period : t;
    t = (t > 0.5 * period ? period - t : t) - EDGE;
    if (t < EDGE) {
        return (t + EDGE) * (t + EDGE) / (4.0 * EDGE);
    }
    if (t > 1.0 - EDGE) {
        return 1.0 - (1.0 + EDGE - t) * (1.0 + EDGE - t) / (4.0 * EDGE);
    }
    return t;
}

static double unfold(double unit)
{
    if (unit < EDGE) {
        return 2.0 * sqrt(EDGE * unit) - EDGE;
    }
    if (unit > 1.0 - EDGE) {
        return 1.0 + EDGE - 2.0 * sqrt(EDGE * (1.0 - unit));
    }
    return unit;
}

/* ---- one run ---------------------------------------------------------------------------------------------------------- */

static brn_status run_create(run *r, brn_search *s, int lambda, const double *start)
{
    const int n = s->problem->n;
    const size_t m = (size_t)s->problem->constraints;
    *r = (run){.s = s, .window = 120 + (int)(30.0 * n / lambda)};
    BRN_TRY(brn_cmaes_create(s->ctx, n, lambda, s->options->spread, start, &r->c));
    BRN_TRY(brn_lagrangian_create(s->ctx, n, s->problem->constraints, lambda, &r->l));
    BRN_ALLOC(s->ctx, r->unit, (size_t)lambda * (size_t)n);
    BRN_ALLOC(s->ctx, r->value, lambda);
    BRN_ALLOC(s->ctx, r->constraint, (size_t)lambda * m);
    BRN_ALLOC(s->ctx, r->rank, lambda);
    BRN_ALLOC(s->ctx, r->order, lambda);
    BRN_ALLOC(s->ctx, r->best, r->window);
    BRN_ALLOC(s->ctx, r->median, r->window);
    return BRN_OK;
}

static void run_destroy(run *r)
{
    void *const parts[] = {r->unit, r->value, r->constraint, r->rank, r->order, r->best, r->median};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        brn_free(r->s->ctx, parts[i]);
    }
    brn_cmaes_destroy(&r->c);
    brn_lagrangian_destroy(&r->l);
}

static int compare_points(const void *a, const void *b)
{
    const ranked_point *x = a;
    const ranked_point *y = b;
    const int by_cost = (x->cost > y->cost) - (x->cost < y->cost);
    return by_cost != 0 ? by_cost : x->index - y->index;
}

/* Orders the generation, and returns how many of it have a value. */
static int rank_points(run *r)
{
    const int lambda = r->c.lambda;
    const size_t m = (size_t)r->l.m;
    int ranked = 0;
    brn_lagrangian_begin(&r->l, lambda, r->value, r->constraint);
    for (int k = 0; k < lambda; ++k) {
        const double cost = brn_lagrangian_cost(&r->l, r->value[k], r->constraint + (size_t)k * m);
        const bool valued = r->value[k] < INFINITY && !isnan(cost);
        r->rank[k] = (ranked_point){valued ? cost : INFINITY, k};
        ranked += valued;
    }
    qsort(r->rank, (size_t)lambda, sizeof *r->rank, compare_points);
    for (int k = 0; k < lambda; ++k) {
        r->order[k] = r->rank[k].index;
    }
    const int at = r->c.generation % r->window;
    r->best[at] = r->rank[0].cost;
    r->median[at] = r->rank[lambda / 2].cost;
    return ranked;
}

/* Every step is short, in the covariance and in its path. Where the generation has no feasible point, multipliers are still on their
   way, and steps may become shorter yet. */
static bool steps_are_short(const run *r)
{
    bool feasible = false;
    for (int k = 0; k < r->c.lambda && !feasible; ++k) {
        feasible = r->value[k] < INFINITY &&
                   brn_search_violation(r->s, r->constraint + (size_t)k * (size_t)r->l.m) == 0.0;
    }
    double most = brn_cmaes_reach(&r->c);
    for (int i = 0; i < r->c.n; ++i) {
        most = fmax(most, r->c.sigma * fabs(r->c.pc[i]));
    }
    return most < (feasible ? 1.0 : 1e-3) * r->s->options->tolerance;
}

/* Mean of 20 generations that begin `ago` generations before the end of the window's ring. */
static double mean_of(const run *r, const double *ring, int ago)
{
    double sum = 0.0;
    for (int i = 0; i < 20; ++i) {
        const int at = (r->c.generation - ago + i) % r->window;
        sum += ring[at];
    }
    return sum / 20.0;
}

/* Values that differ by rounding only, or no better ones over the whole window; or too long a run. Costs of different generations
   cannot be compared while multipliers change, so that with constraints only the last of these counts. */
static bool is_stalled(const run *r)
{
    const int look = 10 + (int)ceil(30.0 * r->c.n / r->c.lambda);
    const int age = r->c.generation;
    const double most = 100.0 + 150.0 * (r->c.n + 3.0) * (r->c.n + 3.0) / sqrt(r->c.lambda);
    if (r->l.m > 0 || age >= most) {
        return age >= most;
    }
    if (age >= look) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int i = 1; i <= look; ++i) {
            const double best = r->best[(age - i) % r->window];
            low = fmin(low, best);
            high = fmax(high, best);
        }
        /* 1e-13: some hundred roundings of a sum. */
        if (low == high || high - low <= 1e-13 * fmax(fabs(low), fabs(high))) {
            return true;
        }
    }
    return age >= r->window && mean_of(r, r->best, 20) >= mean_of(r, r->best, r->window) &&
           mean_of(r, r->median, 20) >= mean_of(r, r->median, r->window);
}

/* One generation; *ended is set if the run is over and the search may go on elsewhere. */
static brn_status run_generation(run *r, brn_rng *rng, bool centre, bool *ended)
{
    brn_search *s = r->s;
    int count = r->c.lambda;
    brn_cmaes_sample(&r->c, rng, centre);
    for (size_t i = 0; i < (size_t)count * (size_t)r->c.n; ++i) {
        r->unit[i] = fold(r->c.x[i]);
    }
    BRN_TRY(brn_search_evaluate(s, &count, r->unit, r->value, r->constraint));
    if (s->over) {
        return BRN_OK;
    }
    const int ranked = rank_points(r);
    const brn_status status = brn_cmaes_update(&r->c, r->order, ranked);
    if (status == BRN_ERR_SINGULAR) {
        *ended = true;
        s->result->end = BRN_OPTIMIZE_STALLED;
        return BRN_OK;
    }
    BRN_TRY(status);
    brn_lagrangian_update(&r->l, ranked < r->c.mu ? ranked : r->c.mu, r->order, r->c.weight, r->value,
                          r->constraint);
    /* Steps longer than the box would only fold over and over. */
    const double reach = brn_cmaes_reach(&r->c);
    r->c.sigma = reach > 1.0 ? r->c.sigma / reach : r->c.sigma;
    const bool shortened = steps_are_short(r);
    *ended = shortened || is_stalled(r) || !(brn_cmaes_condition(&r->c) < CONDITION_MAX);
    s->result->end = shortened ? BRN_OPTIMIZE_TOLERANCE : BRN_OPTIMIZE_STALLED;
    return BRN_OK;
}

/* ---- restarts ------------------------------------------------------------------------------------------------------------ */

/* A run from `start` (in the distribution's space, replaced by where it ended) until the search or the run is over. */
static brn_status search_once(brn_search *s, int lambda, bool first, double *start, brn_rng *rng)
{
    run r;
    bool ended = false;
    brn_status status = run_create(&r, s, lambda, start);
    for (bool centre = first; status >= 0 && !ended && !s->over; centre = false) {
        status = run_generation(&r, rng, centre, &ended);
    }
    if (status >= 0) {
        memcpy(start, r.c.mean, (size_t)r.c.n * sizeof *start);
    }
    run_destroy(&r);
    return status;
}

/* Whether a run came back to what was the best point before. */
static bool came_back(const brn_search *s, const double *mean, const double *before)
{
    double away = 0.0;
    for (int i = 0; i < s->problem->n; ++i) {
        away = fmax(away, fabs(fold(mean[i]) - before[i]));
    }
    return s->result->end == BRN_OPTIMIZE_TOLERANCE && away <= 10.0 * s->options->tolerance;
}

static brn_status search_again(brn_search *s, double *mean, double *before)
{
    const int n = s->problem->n;
    brn_rng rng = {s->options->seed};
    double lambda = s->options->population > 0 ? s->options->population : 4.0 + floor(3.0 * log(n));
    /* A generation that is larger than the budget, or than memory, is of no use. */
    const double most = fmin(fmax(lambda, (double)s->options->evaluations), 0x1p28 / n);
    brn_search_start(s, mean);
    for (int i = 0; i < n; ++i) {
        mean[i] = unfold(mean[i]);
    }
    for (int again = 0; again <= s->options->restarts; ++again) {
        memcpy(before, s->unit, (size_t)n * sizeof *before);
        BRN_TRY(search_once(s, (int)fmin(lambda, most), again == 0, mean, &rng));
        /* Two runs that end in one place, and nobody asked for a value: that is the answer. */
        if (s->over || (again > 0 && s->options->target == -INFINITY && came_back(s, mean, before))) {
            break;
        }
        lambda *= 2.0;
        for (int i = 0; i < n; ++i) {
            mean[i] = brn_rng_uniform(&rng, 0.0, 1.0);
        }
    }
    return BRN_OK;
}

brn_status brn_search_cmaes(brn_search *s)
{
    const size_t n = (size_t)s->problem->n;
    double *room;
    BRN_TRY(brn_blas_reserve(s->ctx));
    BRN_ALLOC(s->ctx, room, 2 * n);
    const brn_status status = search_again(s, room, room + n);
    brn_free(s->ctx, room);
    return status;
}
