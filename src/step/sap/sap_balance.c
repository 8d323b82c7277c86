/* Forces in balance: elements linearised, the convex problem solved, friction's bounds renewed, until nothing is left. */
#include "step/newton_inner.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

/* Solves allowed while bounds of friction settle, and when they have: changes relative to the largest. */
enum { LAGS_MAX = 50, LAGS_PLAIN = 10 };
static const double LAG_SETTLED = 1e-4;
/* Costs are sums of many terms: differences below this fraction of them are rounding. */
static const double COST_NOISE = 1e-13;
enum { HALVINGS = 40 };

/* Whether elements' forces are taken as linear through a step. */
static bool is_linear(const brn_sap *sap)
{
    return sap->params->linearisations == 1 || (sap->params->linearisations == 0 && sap->lagged);
}

/* [m] What is held is this far from where it must be. */
static double remaining(const brn_sap *sap)
{
    double most = 0.0;
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        const double way = sap->h * (sap->newton->scheme->held[dof] / sap->h - sap->u[dof]);
        most = sap->model->fixed[dof] == BRN_DOF_HELD ? fmax(most, fabs(way)) : most;
    }
    return most;
}

/* gradient += A way: what a way of the start adds to it. */
static brn_status shift_gradient(brn_sap *sap, const double *way)
{
    BRN_TRY(brn_block_matrix_multiply(sap->a, way, sap->pushed));
    for (int dof = 0; dof < sap->a->n * sap->model->dim; ++dof) {
        sap->gradient[dof] += sap->pushed[dof];
    }
    return BRN_OK;
}

/* The problem starts from u with held dofs moved to where they must be; the gradient there, from the one at u. */
static brn_status set_held(brn_sap *sap)
{
    const size_t bytes = (size_t)(sap->a->n * sap->model->dim) * sizeof *sap->u;
    const bool moves = remaining(sap) > 0.0;
    memcpy(sap->start, sap->u, bytes);
    if (!moves) {
        return BRN_OK;
    }
    memset(sap->u, 0, bytes); /* the way; replaced by the solution */
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        if (sap->model->fixed[dof] == BRN_DOF_HELD) {
            const double there = sap->newton->scheme->held[dof] / sap->h;
            sap->u[dof] = there - sap->start[dof];
            sap->start[dof] = there;
        }
    }
    return shift_gradient(sap, sap->u);
}

static brn_status solve(brn_sap *sap, brn_step_info *info)
{
    const int nrow = sap->a->n;
    const int dim = sap->model->dim;
    const brn_sap_goal goal = {sap->params->tolerance, sap->params->iterations};
    brn_sap_result result;
    BRN_TRY(set_held(sap));
    const brn_sap_problem problem = {.nrow = nrow,
                                     .size = dim,
                                     .a = sap->a,
                                     .fixed = sap->fixed,
                                     .start = sap->start,
                                     .gradient = sap->gradient,
                                     .nconstraint = sap->nat + sap->njoint,
                                     .constraint = sap->constraint,
                                     .nblock = sap->nblock,
                                     .block = sap->block};
    const brn_status status =
        brn_sap_solve(sap->solver, &problem, &goal, &sap->system->watch, sap->u, sap->impulse, &result);
    sap->system->effort += result.iterations;
    BRN_TRY(status);
    info->iterations += result.iterations;
    info->residual = result.optimality;
    if (sap->system->effort >= sap->system->budget) {
        return brn_fail(sap->ctx, BRN_ERR_CONVERGENCE,
                        "t = %g s: a step took more than method.budget = %g iterations, all its parts and "
                        "attempts together; try a smaller "
                        "time.step, or a larger method.budget",
                        sap->t, sap->system->budget);
    }
    info->own[BRN_SAP_OPTIMALITY] = fmax(info->own[BRN_SAP_OPTIMALITY], result.optimality);
    return BRN_OK;
}

/* Bounds of friction from the present normal impulses; returns the largest change of one, relative to the largest impulse. */
static double renew_bounds(brn_sap *sap, double share)
{
    const int normal = sap->model->dim - 1;
    double most = 0.0;
    double change = 0.0;
    for (int i = 0; i < sap->nat; ++i) {
        brn_sap_constraint *c = &sap->constraint[i];
        const double bound = c->mu * fmax(sap->impulse[3 * i + normal], 0.0);
        const double old = fmax(c->most, 0.0);
        most = fmax(most, fmax(bound, old));
        change = fmax(change, fabs(bound - old));
        c->most = old + (c->most < 0.0 ? 1.0 : share) * (bound - old);
    }
    return most > 0.0 ? change / most : 0.0;
}

/* Law `lagged`: solved again with the bounds that follow from the last solution until they settle. Plain renewals may cycle; after
   LAGS_PLAIN of them they go half of the way. */
static brn_status solve_lagged(brn_sap *sap, brn_step_info *info)
{
    info->lags = 1;
    for (int i = 0; i < sap->nat; ++i) { /* first by the convex law */
        sap->constraint[i].most = -1.0;
    }
    BRN_TRY(solve(sap, info));
    while (sap->params->law == BRN_SAP_LAW_LAGGED && sap->nat > 0 && info->lags < LAGS_MAX) {
        const double change = renew_bounds(sap, info->lags < LAGS_PLAIN ? 1.0 : 0.5);
        if (change <= LAG_SETTLED) {
            break;
        }
        for (int dof = 0; dof < sap->a->n * sap->model->dim; ++dof) { /* the gradient where it goes on from */
            sap->start[dof] = sap->u[dof] - sap->start[dof];
        }
        BRN_TRY(shift_gradient(sap, sap->start));
        BRN_TRY(solve(sap, info));
        info->lags++;
    }
    return BRN_OK;
}

/* Impulse that nothing balances, with elements as they are, by the solver's measure. */
static brn_status imbalance(brn_sap *sap, double *out)
{
    double *momentum = sap->start;
    BRN_TRY(brn_sap_unbalanced(sap));
    BRN_TRY(brn_block_matrix_multiply(sap->a, sap->u, momentum));
    for (int dof = 0; dof < sap->a->n * sap->model->dim; ++dof) {
        sap->gradient[dof] -= sap->pushed[dof];
    }
    *out = brn_sap_optimality(sap->a, sap->fixed, sap->gradient, momentum, sap->pushed);
    return BRN_OK;
}

/* The cost at u, elements as they are: what the convex problem approximates; its constant is arbitrary. */
static brn_status cost_of(brn_sap *sap, brn_newton_energy *out)
{
    brn_newton *n = sap->newton;
    brn_sap_place(sap);
    BRN_TRY(brn_newton_potential(n, n->y, out));
    double more = brn_sap_rigid_cost(sap);
    for (int row = 0; row < sap->model->nrow; ++row) {
        for (int i = 0; i < sap->model->dim; ++i) {
            const int dof = row * sap->model->dim + i;
            const double way = n->y[dof] - n->scheme->target[dof];
            /* rigid bodies have an inertia of their own here */
            more -= sap->row_rigid[row] >= 0
                        ? 0.5 / n->scheme->s * sap->model->node_mass[sap->model->row_node[row]] * way * way
                        : 0.0;
            more -= (n->load[dof] + n->carried[dof]) * n->y[dof];
        }
    }
    more += brn_sap_contact_cost(sap);
    out->value += more;
    out->size += fabs(more);
    return BRN_OK;
}

/* u, the solution of the linearised problem, or a part of the way to it where elements make it cost more than where it came from. */
static brn_status back_off(brn_sap *sap, const double *before)
{
    const int count = sap->a->n * sap->model->dim;
    brn_newton_energy old;
    brn_newton_energy now;
    double *after = sap->start;
    memcpy(after, sap->u, (size_t)count * sizeof *after);
    memcpy(sap->u, before, (size_t)count * sizeof *before);
    const bool far = remaining(sap) > 0.0;
    BRN_TRY(cost_of(sap, &old));
    double share = 1.0;
    for (int k = 0; k < HALVINGS; ++k, share *= 0.5) {
        for (int dof = 0; dof < count; ++dof) {
            sap->u[dof] = share < 1.0 ? before[dof] + share * (after[dof] - before[dof]) : after[dof];
        }
        BRN_TRY(cost_of(sap, &now));
        /* what is held moves by a force that the cost does not know */
        if (isfinite(now.value) && (far || now.value <= old.value + COST_NOISE * (old.size + now.size))) {
            break;
        }
    }
    if (share < 1.0) {
        brn_sap_find_impulses(sap);
    }
    return BRN_OK;
}

/* With rotations held at the start of the step forces are linear: taken there, and at u by the tangent. */
static brn_status linearise_once(brn_sap *sap, double *u)
{
    const int count = sap->a->n * sap->model->dim;
    memcpy(u, sap->u, (size_t)count * sizeof *u);
    BRN_TRY(brn_sap_linearise_start(sap));
    for (int dof = 0; dof < count; ++dof) {
        sap->start[dof] = u[dof] - sap->u[dof];
    }
    BRN_TRY(shift_gradient(sap, sap->start));
    memcpy(sap->u, u, (size_t)count * sizeof *u);
    return BRN_OK;
}

/* One linearisation at u and the solution that follows from it. *exact: with the exact tangent, which may turn out not to be positive
   definite; then with the projected one for the rest of the step. */
static brn_status advance(brn_sap *sap, bool *exact, double *before, brn_step_info *info)
{
    const size_t bytes = (size_t)(sap->a->n * sap->model->dim) * sizeof *sap->u;
    brn_stopwatch *watch = &sap->system->watch;
    memcpy(before, sap->u, bytes);
    for (;;) {
        double *was = brn_stopwatch_switch(watch, &watch->phases.assembly);
        if (is_linear(sap)) {
            BRN_TRY(linearise_once(sap, before));
        } else {
            BRN_TRY(brn_sap_linearise(sap, *exact ? BRN_TANGENT_EXACT : BRN_TANGENT_PROJECTED));
        }
        (void)brn_stopwatch_switch(watch, was);
        BRN_TRY(brn_sap_constrain(sap));
        const brn_status status = solve_lagged(sap, info);
        if (status != BRN_ERR_SINGULAR || !*exact) {
            return status;
        }
        *exact = false;
        memcpy(sap->u, before, bytes);
    }
}

/* Elements are linearised at the last solution until their forces there are balanced. Contact's are part of the balance. */
static brn_status balance(brn_sap *sap, double *before, brn_step_info *info)
{
    const int wanted = is_linear(sap) ? 1 : sap->params->linearisations;
    const int most = wanted > 0 ? wanted : sap->params->iterations;
    brn_stopwatch *watch = &sap->system->watch;
    bool exact = true;
    double left = INFINITY;
    for (int k = 0; k < most; ++k) {
        BRN_TRY(brn_ctx_check(sap->ctx));
        BRN_TRY(advance(sap, &exact, before, info));
        double *was = brn_stopwatch_switch(watch, &watch->phases.search);
        if (sap->soft && wanted != 1) {
            BRN_TRY(back_off(sap, before));
        }
        brn_sap_push(sap);
        (void)brn_stopwatch_switch(watch, &watch->phases.assembly);
        BRN_TRY(imbalance(sap, &left));
        (void)brn_stopwatch_switch(watch, was);
        if (isnan(left)) {
            return brn_fail(sap->ctx, BRN_ERR_NOT_FINITE, "t = %g s: a force is not a finite number", sap->t);
        }
        if (!sap->soft || (left <= sap->params->tolerance && remaining(sap) == 0.0)) {
            return BRN_OK;
        }
    }
    return wanted > 0
               ? BRN_OK
               : brn_fail(
                     sap->ctx, BRN_ERR_CONVERGENCE,
                     "t = %g s: elastic forces are balanced to %.2g after %d linearisations, wanted %.2g",
                     sap->t, left, most, sap->params->tolerance);
}

brn_status brn_sap_balance(brn_sap *sap, brn_step_info *info)
{
    brn_arena *arena = brn_ctx_arena(sap->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *before = brn_arena_take(arena, (size_t)(sap->a->n * sap->model->dim) + 1, sizeof *before);
    const brn_status status = before != NULL ? balance(sap, before, info) : BRN_ERR_MEMORY;
    brn_arena_rewind(arena, mark);
    return status;
}
