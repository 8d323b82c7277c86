/* Newton's method on the convex problem with a line search [Castro, Permenter, Han 2022, algorithm 1]. Every direction is one of
   descent and the cost is strictly convex, so it converges from any start. */
#include "step/sap/sap_inner.h"

#include "base/parallel.h"
#include "base/param.h"

#include <math.h>
#include <string.h>

enum { SEARCH_MAX = 100, CONSTRAINTS = 128 }; /* constraints of one parallel block */

/* Of the momenta: impulses below are rounding. */
static const double ROUNDING = 1e-13;

/* Longest step of a line search [Castro, Permenter, Han 2022], and the share of the slope that may be left at its end: where all
   constraints keep their state a whole step leaves nothing, and elsewhere more exactness saves no iteration. */
static const double STEP_MAX = 1.5;
static const double SLOPE_LEFT = 0.1;
static const double STEP_ERROR = 1e-8;

/* A problem in which something slides at the start, or that has taken so many iterations, will take more. Of the steps of soft-gripper and
   hand-ball 85 % of the first kind take three and more, 5 % of the others. */
enum { FEW = 2 };

brn_status brn_sap_solver_create(brn_ctx *ctx, brn_sap_solver **out)
{
    BRN_ALLOC(ctx, *out, 1);
    (*out)->ctx = ctx;
    return BRN_OK;
}

void brn_sap_solver_destroy(brn_sap_solver *solver)
{
    if (solver == NULL) {
        return;
    }
    brn_block_matrix_destroy(solver->joined);
    brn_factor_destroy(solver->factor);
    brn_free(solver->ctx, solver->changing);
    brn_free(solver->ctx, solver->stencil);
    brn_free(solver->ctx, solver->place);
    brn_free(solver->ctx, solver->target);
    brn_free(solver->ctx, solver->target_first);
    brn_free(solver->ctx, solver->term);
    brn_free(solver->ctx, solver->sketch);
    brn_free(solver->ctx, solver->fresh);
    brn_free(solver->ctx, solver);
}

/* ---- where it stands -------------------------------------------------------------------------------------------------------- */

/* The diagonal of A in a row; 0 where fixed. */
static void weigh_row(const brn_block_matrix *a, const unsigned char *fixed, int row, double *weight)
{
    const int size = a->size;
    const double *block = &a->value[(size_t)a->start[row] * (size_t)(size * size)];
    for (int i = 0; i < size; ++i) {
        weight[i] = fixed != NULL && fixed[row * size + i] != 0 ? 0.0 : block[i * (size + 1)];
    }
}

/* |D x|^2, D = weight^-1/2 */
static double size_of(int first, int n, const double *weight, const double *x)
{
    double sum = 0.0;
    for (int dof = first; dof < n; ++dof) {
        sum += weight[dof] > 0.0 ? x[dof] * x[dof] / weight[dof] : 0.0;
    }
    return sum;
}

/* Of what is left, in the impulses that change momenta: those of the smooth part and of the constraints, which balance in the end. Momenta
   themselves are no measure: of a fast body they hide all forces when steps are short; they only say what rounding is. */
static double optimality_of(double left, double moving, double pulled, double pushed)
{
    const bool rounding = left <= ROUNDING * ROUNDING * moving;
    const double most = sqrt(rounding ? moving : fmax(pulled, pushed));
    return left > 0.0 ? sqrt(left) / (most > 0.0 ? most : 1.0) : left;
}

double brn_sap_optimality(const brn_block_matrix *a, const unsigned char *fixed, const double *unbalanced,
                          const double *momentum, const double *push)
{
    double left = 0.0;
    double moving = 0.0;
    double pushed = 0.0;
    for (int row = 0; row < a->n; ++row) {
        double weight[3];
        const int dof = row * a->size;
        weigh_row(a, fixed, row, weight);
        left += size_of(0, a->size, weight, &unbalanced[dof]);
        moving += size_of(0, a->size, weight, &momentum[dof]);
        pushed += size_of(0, a->size, weight, &push[dof]);
    }
    const double most = sqrt(fmax(moving, pushed));
    return left > 0.0 ? sqrt(left) / (most > 0.0 ? most : 1.0) : left;
}

/* What a parallel loop over the constraints works with. */
typedef struct loop {
    brn_sap_work *w;
    brn_sap_bounds bounds; /* of a look */
    double alpha;          /* of a line search */
    double (*slope)[2];    /* [blocks] first and second derivative */
} loop;

static brn_status look_block(void *arg, int block, brn_arena *scratch)
{
    const loop *job = arg;
    const brn_sap_work *w = job->w;
    const brn_sap_problem *p = w->p;
    (void)scratch;
    const int first = block * CONSTRAINTS;
    const int end = brn_block_end(p->nconstraint, CONSTRAINTS, block);
    brn_sap_apply(p, first, end, w->v, w->vc);
    for (int i = first; i < end; ++i) {
        brn_sap_constraint *c = &p->constraint[i];
        if (c->kind == BRN_SAP_CONTACT && job->bounds != BRN_SAP_BOUNDS_GIVEN) {
            const int n = c->rows - 1;
            const double normal = fmax((c->target[n] - w->vc[3 * i + n]) / c->r, 0.0);
            c->most = job->bounds == BRN_SAP_BOUNDS_CONE ? -1.0 : c->mu * normal;
        }
        (void)brn_sap_impulse(c, &w->vc[3 * i], &w->impulse[3 * i], &w->g[9 * i]);
    }
    return BRN_OK;
}

brn_status brn_sap_look(brn_sap_work *w, brn_sap_bounds bounds)
{
    const brn_sap_problem *p = w->p;
    loop job = {.w = w, .bounds = bounds};
    BRN_TRY(brn_parallel_for(w->solver->ctx, brn_block_count(p->nconstraint, CONSTRAINTS), look_block, &job));
    brn_sap_apply_back(w, w->impulse, w->push);
    for (int dof = w->first; dof < w->n; ++dof) {
        w->gradient[dof] = w->weight[dof] > 0.0 ? w->smooth[dof] - w->push[dof] : 0.0;
    }
    const double left = size_of(w->first, w->n, w->weight, w->gradient);
    w->left = sqrt(left);
    w->result->optimality = optimality_of(left, size_of(w->first, w->n, w->weight, w->momentum),
                                          size_of(w->first, w->n, w->weight, w->smooth),
                                          size_of(w->first, w->n, w->weight, w->push));
    return isfinite(w->result->optimality) ? BRN_OK : BRN_ERR_NOT_FINITE;
}

/* ---- where it goes ---------------------------------------------------------------------------------------------------------- */

/* Lists constraints that act and are not listed; true if there were any. */
static bool list_acting(brn_sap_work *w)
{
    bool more = false;
    for (int i = 0; i < w->p->nconstraint; ++i) {
        const int rows = w->p->constraint[i].rows;
        const double *g = &w->g[9 * i];
        for (int k = 0; k < rows * rows && !w->listed[i]; ++k) {
            w->listed[i] = g[k] != 0.0;
            more = more || w->listed[i];
        }
    }
    return more;
}

/* A + J' G J and its factor. A is the same in all iterations of a problem, and constraints act on few of its rows: what is below those in
   the tree of fronts is factored once. An order with these rows last makes that nearly all of the work, but is dearer as a whole: it is
   for problems of many iterations. */
static brn_status factor(brn_sap_work *w)
{
    const brn_sap_problem *p = w->p;
    brn_stopwatch *watch = w->watch;
    const bool many =
        w->many || w->result->iterations >= FEW || (w->result->iterations == 0 && brn_sap_slides(w));
    const bool again = !list_acting(w) && w->prepared && many == w->many;
    w->many = many;
    if (!again) {
        (void)brn_stopwatch_switch(watch, &watch->phases.symbolic);
        w->prepared = false;
        BRN_TRY(brn_sap_prepare(w));
    }
    (void)brn_stopwatch_switch(watch, &watch->phases.contact);
    BRN_TRY(brn_block_matrix_load(w->matrix, p->a));
    brn_sap_add_constraints(w);
    (void)brn_stopwatch_switch(watch, &watch->phases.factor);
    if (again) {
        return brn_factor_renew(w->solver->factor, w->matrix);
    }
    BRN_TRY(brn_factor_numeric(w->solver->factor, w->matrix, p->fixed));
    w->prepared = true;
    return BRN_OK;
}

brn_status brn_sap_direct(brn_sap_work *w)
{
    brn_stopwatch *watch = w->watch;
    BRN_TRY(brn_ctx_check(w->solver->ctx));
    double *const was = brn_stopwatch_switch(watch, &watch->phases.contact);
    BRN_TRY(factor(w));
    (void)brn_stopwatch_switch(watch, &watch->phases.solve);
    for (int dof = 0; dof < w->n; ++dof) {
        w->step[dof] = -w->gradient[dof];
    }
    BRN_TRY(brn_factor_solve(w->solver->factor, w->step, w->step));
    (void)brn_stopwatch_switch(watch, was);
    w->result->iterations++;
    return BRN_OK;
}

static brn_status slope_block(void *arg, int block, brn_arena *scratch)
{
    const loop *job = arg;
    const brn_sap_work *w = job->w;
    double *out = job->slope[block];
    (void)scratch;
    out[0] = 0.0;
    out[1] = 0.0;
    for (int i = block * CONSTRAINTS; i < brn_block_end(w->p->nconstraint, CONSTRAINTS, block); ++i) {
        const double *d = &w->dvc[3 * i];
        double v[3];
        for (int r = 0; r < 3; ++r) {
            v[r] = w->vc[3 * i + r] + job->alpha * d[r];
        }
        out[0] += brn_sap_slope(&w->p->constraint[i], v, d, &out[1]);
    }
    return BRN_OK;
}

/* Derivatives of the cost along the step; the smooth part's are slope + alpha bend. */
static double slope_at(brn_sap_work *w, double alpha, double slope, double bend, double *second)
{
    const int nblocks = brn_block_count(w->p->nconstraint, CONSTRAINTS);
    loop job = {.w = w, .alpha = alpha, .slope = w->slope};
    double first = slope + alpha * bend;
    *second = bend;
    (void)brn_parallel_for(w->solver->ctx, nblocks, slope_block, &job); /* cannot fail */
    for (int k = 0; k < nblocks; ++k) {
        first += w->slope[k][0];
        *second += w->slope[k][1];
    }
    return first;
}

/* Where the cost's slope vanishes in (0, STEP_MAX]: Newton's method, kept between two signs. */
static double search(brn_sap_work *w, double slope, double bend)
{
    double second = 0.0;
    double lo = 0.0;
    double hi = STEP_MAX;
    double start = slope;
    for (int k = 0; k < 3 * w->p->nconstraint; ++k) {
        start -= w->impulse[k] * w->dvc[k];
    }
    const double enough = SLOPE_LEFT * fabs(start);
    const double whole = slope_at(w, 1.0, slope, bend, &second);
    if (fabs(whole) <= enough) {
        return 1.0;
    }
    double alpha = 1.0 - whole / second;
    if (whole > 0.0) {
        hi = 1.0;
    } else {
        lo = 1.0;
        if (slope_at(w, hi, slope, bend, &second) <= 0.0) {
            return hi;
        }
    }
    for (int k = 0; k < SEARCH_MAX && hi - lo > STEP_ERROR; ++k) {
        if (!(alpha > lo && alpha < hi)) {
            alpha = 0.5 * (lo + hi);
        }
        const double first = slope_at(w, alpha, slope, bend, &second);
        if (fabs(first) <= enough) {
            break;
        }
        *(first > 0.0 ? &hi : &lo) = alpha;
        alpha -= first / second;
    }
    return fmin(fmax(alpha, lo), hi);
}

void brn_sap_move(brn_sap_work *w, double alpha)
{
    for (int dof = w->first; dof < w->n; ++dof) {
        w->v[dof] += alpha * w->step[dof];
        w->smooth[dof] += alpha * w->curve[dof];
        w->momentum[dof] += alpha * w->curve[dof];
    }
}

brn_status brn_sap_descend(brn_sap_work *w)
{
    brn_stopwatch *watch = w->watch;
    double *const was = brn_stopwatch_switch(watch, &watch->phases.search);
    BRN_TRY(brn_block_matrix_multiply(w->p->a, w->step, w->curve));
    brn_sap_apply_all(w, w->step, w->dvc);
    double slope = 0.0;
    double bend = 0.0;
    for (int dof = w->first; dof < w->n; ++dof) {
        slope += w->step[dof] * w->smooth[dof];
        bend += w->step[dof] * w->curve[dof];
    }
    brn_sap_move(w, w->p->nconstraint > 0 ? search(w, slope, bend) : 1.0);
    (void)brn_stopwatch_switch(watch, was);
    return BRN_OK;
}

brn_status brn_sap_solve_convex(brn_sap_work *w, brn_sap_bounds bounds, double tolerance)
{
    const int first = w->result->iterations;
    for (;;) {
        BRN_TRY(brn_sap_look(w, bounds));
        if (w->result->optimality <= tolerance) {
            return BRN_OK;
        }
        if (w->result->iterations - first >= w->goal->iterations) {
            return brn_fail(w->solver->ctx, BRN_ERR_CONVERGENCE,
                            "optimality %.3g after %d iterations, wanted %.3g", w->result->optimality,
                            w->result->iterations, tolerance);
        }
        BRN_TRY(brn_sap_direct(w));
        BRN_TRY(brn_sap_descend(w));
    }
}

/* ---- the whole -------------------------------------------------------------------------------------------------------------- */

static brn_status take(brn_arena *arena, brn_sap_work *w)
{
    const brn_sap_problem *p = w->p;
    double **const vectors[] = {&w->weight,   &w->smooth, &w->momentum, &w->push,
                                &w->gradient, &w->step,   &w->curve};
    w->n = p->nrow * p->size;
    for (int k = 0; k < BRN_COUNT(vectors); ++k) {
        BRN_TAKE(arena, *vectors[k], w->n + 1);
    }
    BRN_TAKE(arena, w->weighed, p->nblock + 1);
    BRN_TAKE(arena, w->active, p->nconstraint + 1);
    BRN_TAKE(arena, w->listed, p->nconstraint + 1);
    memset(w->listed, 0, (size_t)p->nconstraint + 1);
    BRN_TAKE(arena, w->vc, 3 * p->nconstraint + 1);
    BRN_TAKE(arena, w->dvc, 3 * p->nconstraint + 1);
    BRN_TAKE(arena, w->g, 9 * p->nconstraint + 1);
    BRN_TAKE(arena, w->slope, brn_block_count(p->nconstraint, CONSTRAINTS) + 1);
    return brn_sap_list_rows(arena, w);
}

static brn_status solve(brn_sap_work *w)
{
    const brn_sap_problem *p = w->p;
    const size_t bytes = (size_t)w->n * sizeof *w->v;
    for (int row = 0; row < p->nrow; ++row) {
        weigh_row(p->a, p->fixed, row, &w->weight[row * p->size]);
    }
    while (w->first < w->n && !(w->weight[w->first] > 0.0)) {
        w->first++;
    }
    memset(w->gradient, 0, bytes);
    if (p->nconstraint > 0) { /* rows that a constraint lacks; without any there may be no array */
        memset(w->impulse, 0, 3 * (size_t)p->nconstraint * sizeof *w->impulse);
    }
    memcpy(w->v, p->start, bytes);
    memcpy(w->smooth, p->gradient, bytes);
    BRN_TRY(brn_block_matrix_multiply(p->a, w->v, w->momentum));
    (void)brn_stopwatch_switch(w->watch, &w->watch->phases.contact);
    return w->goal->coulomb ? brn_sap_solve_coulomb(w)
                            : brn_sap_solve_convex(w, BRN_SAP_BOUNDS_GIVEN, w->goal->tolerance);
}

brn_status brn_sap_solve(brn_sap_solver *solver, const brn_sap_problem *problem, const brn_sap_goal *goal,
                         brn_stopwatch *watch, double *v, double *impulse, brn_sap_result *result)
{
    brn_arena *arena = brn_ctx_arena(solver->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *const was = watch->phase;
    brn_sap_work w = {.solver = solver,
                      .p = problem,
                      .goal = goal,
                      .watch = watch,
                      .result = result,
                      .v = v,
                      .impulse = impulse};
    *result = (brn_sap_result){0};
    brn_status status = take(arena, &w);
    if (status >= 0) {
        status = solve(&w);
    }
    (void)brn_stopwatch_switch(watch, was);
    brn_arena_rewind(arena, mark);
    return status;
}
