/* Newton's method on the convex problem with an exact line search [Castro, Permenter, Han 2022, algorithm 1]. Every direction is one of
   descent and the cost is strictly convex, so it converges from any start. */
#include "step/sap/sap_problem.h"

#include "base/arena.h"
#include "base/param.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_MAX = 48, SEARCH_MAX = 100 };

/* Longest step of a line search, and how exactly it is found [Castro, Permenter, Han 2022]. */
static const double STEP_MAX = 1.5;
static const double STEP_ERROR = 1e-8;

struct brn_sap_solver {
    brn_ctx *ctx;
    brn_block_matrix *joined; /* pattern of A and the constraints */
    brn_factor *factor;
    int factor_rows, factor_size;
    int *stencil, *place; /* rows of the constraints by width; blocks of the joined matrix that they add to */
    size_t stencil_capacity, place_capacity;
};

/* What a solve works with, from the arena. */
typedef struct work {
    const brn_sap_problem *p;
    brn_block_matrix *matrix; /* of the current iteration */
    const int **place;        /* [nconstraint] places of a constraint's pairs in the matrix */
    int n;                    /* dofs */
    double *v;
    double *change; /* A (v - start) */
    double *gradient, *push, *step, *curve,
        *momentum;              /* [n]: push = J' gamma, curve = A step, momentum = A v */
    double *vc, *dvc, *impulse; /* [3 nconstraint] */
    double *g;                  /* [9 nconstraint] */
} work;

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
    brn_free(solver->ctx, solver->stencil);
    brn_free(solver->ctx, solver->place);
    brn_free(solver->ctx, solver);
}

/* ---- pattern ---------------------------------------------------------------------------------------------------------------- */

/* A stencil of every constraint, those of one width together. */
static brn_status list_stencils(brn_sap_solver *solver, const brn_sap_problem *p,
                                brn_stencils lists[WIDTH_MAX + 1])
{
    size_t total = 0;
    int start[WIDTH_MAX + 2] = {0};
    for (int width = 1; width <= WIDTH_MAX; ++width) {
        lists[width] = (brn_stencils){.width = width};
    }
    for (int i = 0; i < p->nconstraint; ++i) {
        const int width = p->constraint[i].count;
        if (width < 1 || width > WIDTH_MAX) {
            return brn_fail(solver->ctx, BRN_ERR_LIMIT, "a constraint on %d block rows: 1 to %d are possible",
                            width, WIDTH_MAX);
        }
        lists[width].count++;
        total += (size_t)width;
    }
    BRN_GROW(solver->ctx, solver->stencil, solver->stencil_capacity, total);
    for (int width = 1; width <= WIDTH_MAX; ++width) {
        start[width + 1] = start[width] + lists[width].count * width;
        lists[width].node = solver->stencil + start[width];
    }
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        for (int k = 0; k < c->count; ++k) {
            solver->stencil[start[c->count]++] = p->block[c->first + k].row;
        }
    }
    return BRN_OK;
}

/* The matrix of A and all constraints, and where each adds to it. */
static brn_status prepare(brn_sap_solver *solver, work *w)
{
    const brn_sap_problem *p = w->p;
    brn_stencils lists[WIDTH_MAX + 1];
    BRN_TRY(list_stencils(solver, p, lists));
    BRN_TRY(brn_block_matrix_join(p->a, lists + 1, WIDTH_MAX, &solver->joined));
    w->matrix = solver->joined;
    size_t total = 0;
    size_t start[WIDTH_MAX + 1];
    for (int width = 1; width <= WIDTH_MAX; ++width) {
        start[width] = total;
        total += (size_t)lists[width].count * (size_t)(width * (width + 1) / 2);
    }
    BRN_GROW(solver->ctx, solver->place, solver->place_capacity, total);
    for (int width = 1; width <= WIDTH_MAX; ++width) {
        if (lists[width].count > 0) {
            BRN_TRY(brn_block_matrix_locate(w->matrix, &lists[width], solver->place + start[width]));
        }
    }
    for (int i = 0; i < p->nconstraint; ++i) {
        const int width = p->constraint[i].count;
        w->place[i] = solver->place + start[width];
        start[width] += (size_t)(width * (width + 1) / 2);
    }
    if (solver->factor != NULL && (solver->factor_rows != p->nrow || solver->factor_size != p->size)) {
        brn_factor_destroy(solver->factor);
        solver->factor = NULL;
    }
    if (solver->factor == NULL) {
        BRN_TRY(brn_factor_create(solver->ctx, p->a, p->fixed, &solver->factor));
        solver->factor_rows = p->nrow;
        solver->factor_size = p->size;
    }
    return brn_factor_update(solver->factor, w->matrix);
}

/* ---- Jacobian --------------------------------------------------------------------------------------------------------------- */

/* vc = J v */
static void apply(const brn_sap_problem *p, const double *v, double *vc)
{
    const int size = p->size;
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = c->first; k < c->first + c->count; ++k) {
            const double *x = &v[p->block[k].row * size];
            for (int r = 0; r < c->rows; ++r) {
                for (int s = 0; s < size; ++s) {
                    sum[r] += p->block[k].j[r * size + s] * x[s];
                }
            }
        }
        memcpy(&vc[3 * i], sum, sizeof sum);
    }
}

/* push = J' gamma */
static void apply_back(const brn_sap_problem *p, const double *impulse, double *push)
{
    const int size = p->size;
    memset(push, 0, (size_t)(p->nrow * size) * sizeof *push);
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        for (int k = c->first; k < c->first + c->count; ++k) {
            double *to = &push[p->block[k].row * size];
            for (int r = 0; r < c->rows; ++r) {
                for (int s = 0; s < size; ++s) {
                    to[s] += p->block[k].j[r * size + s] * impulse[3 * i + r];
                }
            }
        }
    }
}

/* Adds J_k' G J_l to the matrix for all pairs of blocks of a constraint. */
static void add_constraint(const work *w, int i)
{
    const brn_sap_problem *p = w->p;
    const brn_sap_constraint *c = &p->constraint[i];
    const int size = p->size;
    const double *g = &w->g[9 * i];
    const int *place = w->place[i];
    double weighed[WIDTH_MAX][9]; /* G J_l */
    bool any = false;
    for (int k = 0; k < c->rows * c->rows; ++k) {
        any = any || g[k] != 0.0;
    }
    for (int l = 0; l < c->count && any; ++l) {
        const double *j = p->block[c->first + l].j;
        for (int r = 0; r < c->rows; ++r) {
            for (int s = 0; s < size; ++s) {
                double sum = 0.0;
                for (int q = 0; q < c->rows; ++q) {
                    sum += g[r * c->rows + q] * j[q * size + s];
                }
                weighed[l][r * size + s] = sum;
            }
        }
    }
    for (int k = 0; k < c->count && any; ++k) {
        const double *j = p->block[c->first + k].j;
        for (int l = k; l < c->count; ++l, ++place) {
            const bool turned = *place < 0;
            double *to = &w->matrix->value[(size_t)(turned ? ~*place : *place) * (size_t)(size * size)];
            for (int a = 0; a < size; ++a) {
                for (int b = 0; b < size; ++b) {
                    double sum = 0.0;
                    for (int r = 0; r < c->rows; ++r) {
                        sum += j[r * size + a] * weighed[l][r * size + b];
                    }
                    to[turned ? b * size + a : a * size + b] += sum;
                }
            }
        }
    }
}

/* ---- Newton ----------------------------------------------------------------------------------------------------------------- */

static bool is_fixed(const unsigned char *fixed, int dof)
{
    return fixed != NULL && fixed[dof] != 0;
}

double brn_sap_optimality(const brn_block_matrix *a, const unsigned char *fixed, const double *unbalanced,
                          const double *momentum, const double *push)
{
    double left = 0.0;
    double moving = 0.0;
    double pushed = 0.0;
    for (int dof = 0; dof < a->n * a->size; ++dof) {
        const int row = dof / a->size;
        const int i = dof % a->size;
        const double d =
            a->value[(size_t)a->start[row] * (size_t)(a->size * a->size) + (size_t)(i * (a->size + 1))];
        if (!is_fixed(fixed, dof) && d > 0.0) {
            left += unbalanced[dof] * unbalanced[dof] / d;
            moving += momentum[dof] * momentum[dof] / d;
            pushed += push[dof] * push[dof] / d;
        }
    }
    const double most = sqrt(fmax(moving, pushed));
    return left > 0.0 ? sqrt(left) / (most > 0.0 ? most : 1.0) : left;
}

/* Impulses, G and the gradient at w->v; returns the optimality. */
static brn_status look(work *w, double *optimality)
{
    const brn_sap_problem *p = w->p;
    for (int dof = 0; dof < w->n; ++dof) {
        w->step[dof] = w->v[dof] - p->start[dof];
    }
    BRN_TRY(brn_block_matrix_multiply(p->a, w->step, w->change));
    BRN_TRY(brn_block_matrix_multiply(p->a, w->v, w->momentum));
    apply(p, w->v, w->vc);
    for (int i = 0; i < p->nconstraint; ++i) {
        (void)brn_sap_impulse(&p->constraint[i], &w->vc[3 * i], &w->impulse[3 * i], &w->g[9 * i]);
    }
    apply_back(p, w->impulse, w->push);
    for (int dof = 0; dof < w->n; ++dof) {
        w->gradient[dof] = is_fixed(p->fixed, dof) ? 0.0 : p->gradient[dof] + w->change[dof] - w->push[dof];
    }
    *optimality = brn_sap_optimality(p->a, p->fixed, w->gradient, w->momentum, w->push);
    return isfinite(*optimality) ? BRN_OK : BRN_ERR_NOT_FINITE;
}

/* Derivatives of the cost along the step; the smooth part's are slope + alpha bend. */
static double slope_at(const work *w, double alpha, double slope, double bend, double *second)
{
    const brn_sap_problem *p = w->p;
    double first = slope + alpha * bend;
    *second = bend;
    for (int i = 0; i < p->nconstraint; ++i) {
        const int rows = p->constraint[i].rows;
        const double *d = &w->dvc[3 * i];
        double v[3];
        double impulse[3];
        double g[9];
        for (int r = 0; r < rows; ++r) {
            v[r] = w->vc[3 * i + r] + alpha * d[r];
        }
        (void)brn_sap_impulse(&p->constraint[i], v, impulse, g);
        for (int r = 0; r < rows; ++r) {
            first -= impulse[r] * d[r];
            for (int s = 0; s < rows; ++s) {
                *second += d[r] * g[r * rows + s] * d[s];
            }
        }
    }
    return first;
}

/* The root of the cost's slope in (0, STEP_MAX]: Newton's method, kept between two signs. */
static double search(const work *w, double slope, double bend)
{
    double second = 0.0;
    double lo = 0.0;
    double hi = STEP_MAX;
    const double start = fabs(slope_at(w, 0.0, slope, bend, &second));
    const double whole = slope_at(w, 1.0, slope, bend, &second);
    if (fabs(whole) <= STEP_ERROR * start) {
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
        if (fabs(first) <= STEP_ERROR * start) {
            break;
        }
        *(first > 0.0 ? &hi : &lo) = alpha;
        alpha -= first / second;
    }
    return fmin(fmax(alpha, lo), hi);
}

static brn_status iterate(brn_sap_solver *solver, work *w, brn_stopwatch *watch)
{
    const brn_sap_problem *p = w->p;
    (void)brn_stopwatch_switch(watch, &watch->phases.contact);
    BRN_TRY(brn_block_matrix_load(w->matrix, p->a));
    for (int i = 0; i < p->nconstraint; ++i) {
        add_constraint(w, i);
    }
    (void)brn_stopwatch_switch(watch, &watch->phases.factor);
    BRN_TRY(brn_factor_numeric(solver->factor, w->matrix, p->fixed));
    (void)brn_stopwatch_switch(watch, &watch->phases.solve);
    for (int dof = 0; dof < w->n; ++dof) {
        w->step[dof] = -w->gradient[dof];
    }
    BRN_TRY(brn_factor_solve(solver->factor, w->step, w->step));
    (void)brn_stopwatch_switch(watch, &watch->phases.search);
    BRN_TRY(brn_block_matrix_multiply(p->a, w->step, w->curve));
    apply(p, w->step, w->dvc);
    double slope = 0.0;
    double bend = 0.0;
    for (int dof = 0; dof < w->n; ++dof) {
        slope += is_fixed(p->fixed, dof) ? 0.0 : w->step[dof] * (p->gradient[dof] + w->change[dof]);
        bend += is_fixed(p->fixed, dof) ? 0.0 : w->step[dof] * w->curve[dof];
    }
    const double alpha = p->nconstraint > 0 ? search(w, slope, bend) : 1.0;
    for (int dof = 0; dof < w->n; ++dof) {
        w->v[dof] += is_fixed(p->fixed, dof) ? 0.0 : alpha * w->step[dof];
    }
    return BRN_OK;
}

static brn_status take(brn_arena *arena, const brn_sap_problem *p, work *w)
{
    double **const vectors[] = {&w->change, &w->gradient, &w->push, &w->step, &w->curve, &w->momentum};
    w->n = p->nrow * p->size;
    for (int k = 0; k < BRN_COUNT(vectors); ++k) {
        BRN_TAKE(arena, *vectors[k], w->n + 1);
    }
    BRN_TAKE(arena, w->place, p->nconstraint + 1);
    BRN_TAKE(arena, w->vc, 3 * p->nconstraint + 1);
    BRN_TAKE(arena, w->dvc, 3 * p->nconstraint + 1);
    BRN_TAKE(arena, w->g, 9 * p->nconstraint + 1);
    return BRN_OK;
}

static brn_status solve(brn_sap_solver *solver, work *w, const brn_sap_goal *goal, brn_stopwatch *watch,
                        brn_sap_result *result)
{
    bool prepared = false;
    memcpy(w->v, w->p->start, (size_t)w->n * sizeof *w->v);
    for (;;) {
        (void)brn_stopwatch_switch(watch, &watch->phases.contact);
        BRN_TRY(look(w, &result->optimality));
        if (result->optimality <= goal->tolerance) {
            return BRN_OK;
        }
        if (result->iterations >= goal->iterations) {
            return brn_fail(solver->ctx, BRN_ERR_CONVERGENCE,
                            "optimality %.3g after %d iterations, wanted %.3g", result->optimality,
                            result->iterations, goal->tolerance);
        }
        BRN_TRY(brn_ctx_check(solver->ctx));
        if (!prepared) {
            (void)brn_stopwatch_switch(watch, &watch->phases.symbolic);
            BRN_TRY(prepare(solver, w));
            prepared = true;
        }
        BRN_TRY(iterate(solver, w, watch));
        result->iterations++;
    }
}

brn_status brn_sap_solve(brn_sap_solver *solver, const brn_sap_problem *problem, const brn_sap_goal *goal,
                         brn_stopwatch *watch, double *v, double *impulse, brn_sap_result *result)
{
    brn_arena *arena = brn_ctx_arena(solver->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *const was = watch->phase;
    work w = {.p = problem, .v = v, .impulse = impulse};
    *result = (brn_sap_result){0};
    brn_status status = take(arena, problem, &w);
    if (status >= 0) {
        status = solve(solver, &w, goal, watch, result);
    }
    (void)brn_stopwatch_switch(watch, was);
    brn_arena_rewind(arena, mark);
    return status;
}
