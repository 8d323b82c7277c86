/* The line search backs off from infinite energies (inverted barrier elements) and asks for an Armijo decrease once every held
   dof is in place. A follower pressure has no potential in general; during a search it is kept as the dead force it was at the
   start. With contact it also goes further than a whole step where the potential turns out to be far softer than its tangent. */
#include "step/newton_inner.h"

#include "model/rigid_pose.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 40 };

static const double ARMIJO = 1e-4;
/* Energies are sums of many terms: differences below this fraction of them are rounding. */
static const double ENERGY_NOISE = 1e-13;
/* Elements round too, not positions alone: where a step promises less than this many times what these make of the energy, it may rise by as much;
   2.5 times were seen. To refuse a whole step for that would end where nothing is in balance. */
static const double BLIND = 8.0;
/* [rad] Smaller turns of rigid bodies stretch them too little to matter. */
static const double TURN_LEAST = 1e-3;
/* Parts of a step that are tried with deformable bodies turned. */
enum { TURNS_MOST = 4 };
/* Steps that are shorter than the one before by less than this factor hardly converge. */
static const double CREEP = 0.5;
/* By how many times what the tangent foretells the potential may rise while holds move. */
static const double RISE = 4.0;
/* How many steps long a longer one is, at least and at most. */
static const double FURTHER_LEAST = 2.0, FURTHER_MOST = 16.0;

/* What a line search needs from the potential. */
typedef struct search_limits {
    double slope, rounding; /* [J] */
    bool settled;           /* every held dof is in place */
} search_limits;

/* `scale` of the step in n->turned, with bodies turned instead of sheared; false: they hardly turn. */
static bool turn_step(brn_newton *n, double scale)
{
    double most = 0.0;
    for (int i = 0; i < n->system->ndof; ++i) {
        n->turned[i] = scale * n->step[i];
    }
    brn_scheme_place(n->scheme, n->y, n->x);
    if (n->model->ties.count > 0) {
        most = brn_rigid_turn_steps(n->model, n->x, n->turned);
    }
    if (n->rolls) {
        most = fmax(most, brn_newton_turn(n, n->x, n->turned));
    }
    brn_model_follow(n->model, n->turned);
    return most > (n->rolls ? 0.0 : TURN_LEAST);
}

/* Tries the whole step, or as much of it as is free, with rigid bodies turned instead of sheared: a straight step stretches
   a body by the square of its turn, so a stiff one could turn only in many small pieces. To first order the step is the
   same, so near the solution nothing changes. *scale: how much of it was taken; 0: none. */
static brn_status search_turned(brn_newton *n, brn_newton_energy *here, const search_limits *limits,
                                double *scale)
{
    const int ndof = n->system->ndof;
    double part = 1.0;
    *scale = 0.0;
    for (int attempt = 0; attempt < (n->rolls ? TURNS_MOST : 2) && turn_step(n, part); ++attempt) {
        double bound = 1.0;
        double load = 0.0;
        brn_newton_energy there;
        if (n->terms != NULL) {
            double *was = brn_newton_watch(n, &n->system->watch.phases.ccd);
            BRN_TRY(n->terms->bound(n->terms->self, n->x, n->turned, &bound));
            (void)brn_newton_watch(n, was);
        }
        if (bound < 1.0) {
            part *= 0.9 * bound;
            continue;
        }
        for (int i = 0; i < ndof; ++i) {
            n->trial[i] = n->y[i] + n->turned[i];
            load += (n->load[i] + n->carried[i]) * n->turned[i];
        }
        BRN_TRY(brn_newton_potential(n, n->trial, &there));
        const double noise = ENERGY_NOISE * (here->size + there.size + fabs(load)) + limits->rounding;
        if (isfinite(there.value) &&
            (!limits->settled || there.value - load <= here->value + ARMIJO * part * limits->slope + noise)) {
            for (int i = 0; i < ndof; ++i) {
                const bool there_now = part == 1.0 && n->model->fixed[i] == BRN_DOF_HELD && !n->waits;
                n->y[i] = there_now ? n->scheme->held[i] : n->trial[i];
            }
            *here = there;
            *scale = part;
            return BRN_OK;
        }
        if (!n->rolls) {
            return BRN_OK;
        }
        part *= 0.5;
    }
    return BRN_OK;
}

/* After a whole step, to n->trial with the potential *there: goes on to where a parabola through what is known has its minimum,
   if that is much further and lower. With contact the tangent is always the projected one; where a sheet is about to wrinkle it
   is many times as stiff as the potential, and whole steps would creep. *alpha: how many steps long the step has become. */
static brn_status search_further(brn_newton *n, const brn_newton_energy *here, double slope, double load,
                                 brn_newton_energy *there, double *alpha)
{
    const int ndof = n->system->ndof;
    double *further = n->turned;
    double bound = 1.0;
    brn_newton_energy far;
    const double curvature = 2.0 * (there->value - load - here->value - slope);
    const double wanted = FURTHER_MOST * curvature > -slope ? -slope / curvature : FURTHER_MOST;
    if (!(wanted >= FURTHER_LEAST)) {
        return BRN_OK;
    }
    for (int i = 0; i < ndof; ++i) {
        further[i] = wanted * n->step[i];
    }
    brn_scheme_place(n->scheme, n->y, n->x);
    double *was = brn_newton_watch(n, &n->system->watch.phases.ccd);
    BRN_TRY(n->terms->bound(n->terms->self, n->x, further, &bound));
    (void)brn_newton_watch(n, was);
    const double reach = bound * wanted;
    if (reach < FURTHER_LEAST) {
        return BRN_OK;
    }
    for (int i = 0; i < ndof; ++i) {
        further[i] = n->y[i] + reach * n->step[i];
    }
    BRN_TRY(brn_newton_potential(n, further, &far));
    if (isfinite(far.value) && far.value - reach * load < there->value - load) {
        memcpy(n->trial, further, (size_t)ndof * sizeof *n->trial);
        *there = far;
        *alpha = reach;
    }
    return BRN_OK;
}

/* [J] Half the curvature of the potential along the whole step, by the tangent: at least 0. */
static brn_status look_at_tangent(brn_newton *n, double *half)
{
    *half = 0.0;
    BRN_TRY(brn_block_matrix_multiply(n->matrix, n->step, n->scratch));
    for (int i = 0; i < n->system->ndof; ++i) {
        *half += 0.5 * n->step[i] * n->scratch[i];
    }
    *half = fmax(0.0, *half);
    return BRN_OK;
}

brn_status brn_newton_search(brn_newton *n, bool last, brn_newton_energy *here, double *length)
{
    const int ndof = n->system->ndof;
    const bool settled = n->waits || brn_newton_remaining(n) == 0.0;
    double slope = 0.0;
    double load = 0.0;     /* [J] work of the loads along the whole step */
    double driven = 0.0;   /* [J] of the slope, what is held */
    double rounding = 0.0; /* [J] of the elastic energy when every position is rounded */
    for (int i = 0; i < ndof; ++i) {
        load += (n->load[i] + n->carried[i]) * n->step[i];
        if (n->model->fixed[i] == BRN_DOF_HELD) {
            driven -= n->unbalanced[i] * n->step[i];
        } else {
            slope -= n->unbalanced[i] * n->step[i];
            rounding += n->noise * (fabs(n->elastic[i]) + n->noise * n->stiffness[i]);
        }
    }
    /* While holds move the potential need not fall; but without inertia nothing else limits a step in which the tangent is wrong: a sheet that
       bends freely at first would go straight on, and end many times as long as it was. That matters where contact is looked for as far. */
    const bool limited = n->terms != NULL && n->terms->ahead && !settled && !n->scheme->inertia;
    double bend = 0.0;
    if (limited) {
        BRN_TRY(look_at_tangent(n, &bend));
    }
    rounding *= -slope < BLIND * rounding ? BLIND : 1.0;
    if (n->rolls || (settled && n->model->ties.count > 0)) {
        const search_limits limits = {slope, rounding, settled};
        double scale = 0.0;
        BRN_TRY(search_turned(n, here, &limits, &scale));
        if (scale > 0.0) {
            *length = (n->rolls ? scale : 1.0) * brn_newton_most(n->step, ndof);
            n->taken = n->rolls ? scale : 1.0;
            return BRN_OK;
        }
    }
    double bound = 1.0;
    if (n->terms != NULL) {
        brn_scheme_place(n->scheme, n->y, n->x);
        double *was = brn_newton_watch(n, &n->system->watch.phases.ccd);
        BRN_TRY(n->terms->bound(n->terms->self, n->x, n->step, &bound));
        (void)brn_newton_watch(n, was);
    }
    const bool creeps = !last && brn_newton_most(n->step, ndof) > CREEP * *length;
    double alpha = bound;
    for (int k = 0; k < HALVINGS; ++k, alpha *= 0.5) {
        brn_newton_energy there;
        BRN_TRY(brn_ctx_check(n->ctx));
        for (int i = 0; i < ndof; ++i) {
            n->trial[i] = n->y[i] + alpha * n->step[i];
        }
        BRN_TRY(brn_newton_potential(n, n->trial, &there));
        const double noise = ENERGY_NOISE * (here->size + there.size + fabs(alpha * load)) + rounding;
        const double allowed = settled   ? ARMIJO * alpha * slope
                               : limited ? alpha * (fabs(slope) + fabs(driven)) + RISE * alpha * alpha * bend
                                         : INFINITY;
        if (isfinite(there.value) && there.value - alpha * load <= here->value + allowed + noise) {
            /* A longer step would leave more behind where the tangent is right: not the last one. */
            if (alpha == 1.0 && settled && creeps && n->terms != NULL && -slope > noise) {
                BRN_TRY(search_further(n, here, slope, load, &there, &alpha));
            }
            /* A whole step puts held dofs exactly where they belong, without rounding. */
            for (int i = 0; i < ndof; ++i) {
                const bool held = n->model->fixed[i] == BRN_DOF_HELD && !n->waits;
                n->y[i] = alpha == 1.0 && held ? n->scheme->held[i] : n->trial[i];
            }
            *here = there;
            n->taken = alpha;
            *length =
                alpha / bound * brn_newton_most(n->step, ndof); /* an obstruction is no sign of convergence */
            return BRN_OK;
        }
    }
    return brn_fail(n->ctx, BRN_ERR_CONVERGENCE,
                    "t = %g s: the line search found no step that lowers the energy", n->scheme->t);
}
