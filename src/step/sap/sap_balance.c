/* Forces in balance: elements linearised, the problem of velocities solved, until nothing is left. */
#include "step/newton_inner.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

/* Costs are sums of many terms: differences below this fraction of them are rounding. */
static const double COST_NOISE = 1e-13;
/* Positions are rounded to 1e-16 of the largest, forces of stiff elements to as much of what they would be at that strain. */
static const double NOISE = 1e-13;
enum { HALVINGS = 40 };
/* Of the tolerance: what a problem of linearised elements is solved to. With more left over, the next one does not lead downwards. */
static const double INNER = 0.1;
/* A linearisation that leaves more than this share of what was unbalanced creeps. */
static const double CREEP = 0.3;
/* Of the budget of a step: what one attempt may take. The rest is for shorter ones. */
static const double ATTEMPT = 0.2;

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
    const double share = sap->soft && !is_linear(sap) ? INNER : 1.0;
    const brn_sap_goal goal = {.tolerance = share * sap->params->tolerance,
                               .iterations = sap->params->iterations,
                               .coulomb = sap->params->law == BRN_SAP_LAW_LAGGED};
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
    info->lags = 1 + result.renewals;
    info->residual = result.optimality;
    if (sap->system->effort >= sap->system->budget) {
        return brn_fail(sap->ctx, BRN_ERR_CONVERGENCE,
                        "t = %g s: a step took more than method.budget = %g iterations, all its parts and "
                        "attempts together; try a smaller "
                        "time.step, or a larger method.budget",
                        sap->t, sap->system->budget);
    }
    if ((double)(info->iterations - sap->spent) > ATTEMPT * sap->system->budget) {
        return brn_fail(sap->ctx, BRN_ERR_CONVERGENCE,
                        "t = %g s: a step of %g s is not in balance after %lld iterations", sap->t, sap->h,
                        (long long)(info->iterations - sap->spent));
    }
    info->own[BRN_SAP_OPTIMALITY] = fmax(info->own[BRN_SAP_OPTIMALITY], result.optimality);
    return BRN_OK;
}

/* Whether what is left is rounding: it would move no node by more than NOISE of the size. Rows behind the model's (rigid bodies, joints)
   have no elements. */
static bool is_noise(const brn_sap *sap)
{
    const int dim = sap->model->dim;
    const double least = NOISE * sap->system->size / sap->h;
    for (int dof = 0; dof < sap->a->n * dim; ++dof) {
        const int row = dof / dim;
        const double *diagonal = &sap->a->value[(size_t)sap->a->start[row] * (size_t)(dim * dim)];
        const double bound = row < sap->model->nrow ? least * diagonal[dof % dim * (dim + 1)] : 0.0;
        if (!sap->fixed[dof] && !(fabs(sap->gradient[dof]) <= bound)) {
            return false;
        }
    }
    return true;
}

/* Impulse that nothing balances, with elements as they are, by the solver's measure; contact pushes by its impulses. */
static brn_status imbalance(brn_sap *sap, double *out)
{
    double *momentum = sap->start;
    brn_stopwatch *watch = &sap->system->watch;
    double *was = brn_stopwatch_switch(watch, &watch->phases.assembly);
    brn_sap_push(sap);
    BRN_TRY(brn_sap_unbalanced(sap));
    BRN_TRY(brn_block_matrix_multiply(sap->a, sap->u, momentum));
    for (int dof = 0; dof < sap->a->n * sap->model->dim; ++dof) {
        sap->gradient[dof] -= sap->pushed[dof];
    }
    *out = is_noise(sap) ? 0.0 : brn_sap_optimality(sap->a, sap->fixed, sap->gradient, momentum, sap->pushed);
    (void)brn_stopwatch_switch(watch, was);
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
   definite; then with the projected one. */
static brn_status advance(brn_sap *sap, bool first, bool *exact, double *before, brn_step_info *info)
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
        BRN_TRY(brn_sap_constrain(sap, first));
        const brn_status status = solve(sap, info);
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
    double last = INFINITY;
    for (int k = 0; k < most; ++k) {
        BRN_TRY(brn_ctx_check(sap->ctx));
        BRN_TRY(advance(sap, k == 0, &exact, before, info));
        BRN_TRY(imbalance(sap, &left));
        if (sap->soft && wanted != 1 && !(left <= sap->params->tolerance)) {
            double *was = brn_stopwatch_switch(watch, &watch->phases.search);
            BRN_TRY(back_off(sap, before));
            (void)brn_stopwatch_switch(watch, was);
            BRN_TRY(imbalance(sap, &left));
        }
        if (isnan(left)) {
            return brn_fail(sap->ctx, BRN_ERR_NOT_FINITE, "t = %g s: a force is not a finite number", sap->t);
        }
        if (!sap->soft || (left <= sap->params->tolerance && remaining(sap) == 0.0)) {
            return BRN_OK;
        }
        exact = exact || left > CREEP * last; /* the projected tangent may be many times too stiff */
        last = left;
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
    sap->spent = info->iterations;
    double *before = brn_arena_take(arena, (size_t)(sap->a->n * sap->model->dim) + 1, sizeof *before);
    const brn_status status = before != NULL ? balance(sap, before, info) : BRN_ERR_MEMORY;
    brn_arena_rewind(arena, mark);
    return status;
}
