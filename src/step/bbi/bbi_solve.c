/* Newton's iterations on the balance of a step, each with a frictional contact problem. */
#include "step/bbi/bbi.h"

#include "step/newton_inner.h"

#include <math.h>
#include <string.h>

/* Iterations that look at geometry again. */
enum { TURNS = 6 };
/* Looks of a step: what a body meets may send others farther than they were known to go. */
enum { LOOKS = 4 };
/* Of the elements: penetrations and gaps under force below this are none. */
static const double GAP_TOLERANCE = 1e-7;
/* A factor is kept for the next iteration while the imbalance shrinks by this. */
static const double KEEP = 0.5;
/* Relative error of the contact problem in an iteration. */
static const double CONE_TOLERANCE = 1e-10;
/* Newton steps that it may take, each with a dense factorisation: as many as this number of operations, within bounds. */
static const double CONE_WORK = 3e10, CONE_STEPS_LEAST = 50.0, CONE_STEPS_MOST = 1000.0;
/* Worse than this it is of no use. */
static const double CONE_USABLE = 1e-4;
/* Of what could move in the last iteration: points as near as that are looked at in the next. */
static const double AROUND = 2.0;

/* ---- the velocity at the end ---------------------------------------------------------------------------------------------- */

/* bbi->slip + y (of free dofs) is the velocity at the end over c; in a static step, the way itself. */
static void set_slip(brn_bbi *bbi, const brn_state *in)
{
    const brn_scheme *m = bbi->newton->scheme;
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const double v = in->node_vel[brn_model_at(bbi->model, dof)];
        const bool held = bbi->model->fixed[dof] == BRN_DOF_HELD;
        bbi->slip[dof] = !m->inertia ? (held ? m->held[dof] : 0.0)
                         : held      ? (v + m->h * m->accel[dof]) / m->c
                                     : m->coast[dof] / m->c - m->drift[dof];
    }
    brn_model_follow(bbi->model, bbi->slip);
}

/* [ndof] velocity at the end over c, for a way y. */
static void end_velocity(const brn_bbi *bbi, const double *y, double *out)
{
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        out[dof] = bbi->slip[dof] + (bbi->model->fixed[dof] == BRN_DOF_HELD ? 0.0 : y[dof]);
    }
    brn_model_follow(bbi->model, out);
}

/* ---- the contact problem ---------------------------------------------------------------------------------------------------- */

/* u of all points if the step n->step is taken with the forces as they are. */
static void look_at_points(brn_bbi *bbi)
{
    brn_newton *n = bbi->newton;
    for (int i = 0; i < bbi->system->ndof; ++i) {
        n->trial[i] = n->y[i] + n->step[i];
    }
    end_velocity(bbi, n->trial, n->scratch);
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        double way[3];
        brn_bbi_look(bbi, p, n->scratch, p->u);
        brn_bbi_look(bbi, p, n->step, way);
        p->u[0] = p->touch.gap + p->depth + way[0];
    }
}

/* The problem of the chosen points: u = W (r - force) + u_0. */
static brn_status fill_cone(brn_bbi *bbi)
{
    const int dim = bbi->model->dim;
    const int n = bbi->nchosen;
    const size_t blocks = (size_t)n * (size_t)n;
    BRN_GROW(bbi->ctx, bbi->cone_w, bbi->cone_w_capacity, blocks * (size_t)(dim * dim));
    BRN_GROW(bbi->ctx, bbi->cone_q, bbi->cone_q_capacity, n * dim);
    BRN_GROW(bbi->ctx, bbi->cone_r, bbi->cone_r_capacity, n * dim);
    BRN_GROW(bbi->ctx, bbi->cone_u, bbi->cone_u_capacity, n * dim);
    BRN_GROW(bbi->ctx, bbi->cone_mu, bbi->cone_mu_capacity, n);
    BRN_GROW(bbi->ctx, bbi->cone_first, bbi->cone_first_capacity, n + 1);
    BRN_GROW(bbi->ctx, bbi->cone_column, bbi->cone_column_capacity, blocks);
    bbi->cone_first[0] = 0;
    for (int i = 0; i < n; ++i) {
        const brn_bbi_point *p = &bbi->point[bbi->chosen[i]];
        bbi->cone_first[i + 1] = (i + 1) * n;
        bbi->cone_mu[i] = p->mu;
        memcpy(&bbi->cone_q[i * dim], p->u, (size_t)dim * sizeof *bbi->cone_q);
        memcpy(&bbi->cone_r[i * dim], p->force, (size_t)dim * sizeof *bbi->cone_r);
        for (int j = 0; j < n; ++j) {
            const size_t at = (size_t)i * (size_t)n + (size_t)j;
            double *w = &bbi->cone_w[at * (size_t)(dim * dim)];
            bbi->cone_column[at] = j;
            brn_bbi_columns_look(bbi, p, &bbi->point[bbi->chosen[j]], w);
            const double *before = bbi->point[bbi->chosen[j]].force;
            for (int s = 0; s < dim * dim; ++s) {
                bbi->cone_q[i * dim + s / dim] -= w[s] * before[s % dim];
            }
        }
    }
    return BRN_OK;
}

static void choose(brn_bbi *bbi, int point)
{
    bbi->point[point].chosen = bbi->nchosen;
    bbi->chosen[bbi->nchosen++] = point;
}

/* u of all points with the forces that the contact problem found; those that would penetrate join it. */
static void choose_more(brn_bbi *bbi)
{
    const int dim = bbi->model->dim;
    const int had = bbi->nchosen;
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        if (p->chosen >= 0 && p->chosen < had) {
            memcpy(p->u, &bbi->cone_u[p->chosen * dim], (size_t)dim * sizeof *p->u);
            continue;
        }
        memcpy(p->u, &bbi->free_u[3 * i], sizeof p->u);
        for (int j = 0; j < had; ++j) {
            const brn_bbi_point *from = &bbi->point[bbi->chosen[j]];
            double w[9];
            brn_bbi_columns_look(bbi, p, from, w);
            for (int s = 0; s < dim * dim; ++s) {
                p->u[s / dim] += w[s] * (bbi->cone_r[j * dim + s % dim] - from->force[s % dim]);
            }
        }
        if (p->u[0] < 0.0) {
            choose(bbi, i);
        }
    }
}

static brn_status solve_cone(brn_bbi *bbi, brn_step_info *info)
{
    const double rows = bbi->nchosen * bbi->model->dim;
    const double steps = fmin(CONE_STEPS_MOST, fmax(CONE_STEPS_LEAST, CONE_WORK / (rows * rows * rows)));
    const brn_cone_options options = {.tolerance = CONE_TOLERANCE, .sweeps = 10000, .newton = (int)steps};
    const brn_cone_problem problem = {.dim = bbi->model->dim,
                                      .contacts = bbi->nchosen,
                                      .first = bbi->cone_first,
                                      .column = bbi->cone_column,
                                      .w = bbi->cone_w,
                                      .q = bbi->cone_q,
                                      .mu = bbi->cone_mu};
    brn_cone_report report;
    const brn_status status = brn_cone_solve(bbi->ctx, &problem, &options, bbi->cone_r, bbi->cone_u, &report);
    if (status < 0 && (status != BRN_ERR_CONVERGENCE || !(report.relative <= CONE_USABLE))) {
        return status;
    }
    info->own[BRN_BBI_CONE_ERROR] = report.relative;
    return BRN_OK;
}

/* The forces of all points for the step n->step of the free system; what they add to it. */
static brn_status answer(brn_bbi *bbi, brn_step_info *info)
{
    brn_newton *n = bbi->newton;
    const int dim = bbi->model->dim;
    look_at_points(bbi);
    bbi->nchosen = 0;
    BRN_GROW(bbi->ctx, bbi->chosen, bbi->chosen_capacity, bbi->npoint);
    BRN_GROW(bbi->ctx, bbi->free_u, bbi->free_u_capacity, 3 * bbi->npoint);
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        p->chosen = -1;
        memcpy(&bbi->free_u[3 * i], p->u, sizeof p->u);
        if (p->u[0] < 0.0 || p->force[0] > 0.0) {
            choose(bbi, i);
        }
    }
    int had = 0;
    while (bbi->nchosen > had) {
        BRN_TRY(brn_ctx_check(bbi->ctx));
        BRN_TRY(brn_bbi_columns_need(bbi));
        for (int i = 0; i < bbi->nchosen; ++i) {
            memcpy(bbi->point[bbi->chosen[i]].u, &bbi->free_u[3 * bbi->chosen[i]], sizeof bbi->point->u);
        }
        BRN_TRY(fill_cone(bbi));
        BRN_TRY(solve_cone(bbi, info));
        had = bbi->nchosen;
        choose_more(bbi);
    }
    memset(bbi->direction, 0, (size_t)bbi->system->ndof * sizeof *bbi->direction);
    for (int j = 0; j < had; ++j) {
        brn_bbi_point *p = &bbi->point[bbi->chosen[j]];
        double change[3] = {0};
        for (int k = 0; k < dim; ++k) {
            change[k] = bbi->cone_r[j * dim + k] - p->force[k];
            p->force[k] = bbi->cone_r[j * dim + k];
        }
        brn_bbi_pull(bbi, p, change, bbi->direction);
    }
    if (had > 0) {
        BRN_TRY(brn_factor_solve(n->factor, bbi->direction, bbi->direction));
        brn_model_follow(bbi->model, bbi->direction);
        for (int i = 0; i < bbi->system->ndof; ++i) {
            n->step[i] += bbi->direction[i];
        }
    }
    return BRN_OK;
}

/* ---- iterations ------------------------------------------------------------------------------------------------------------- */

/* Largest error of a gap, as a multiple of what is allowed: penetration, and distance under force. */
static double gap_error(const brn_bbi *bbi)
{
    double most = 0.0;
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_touching_point *touch = &bbi->point[i].touch;
        const double size = fmin(bbi->touching->size[touch->body[0]], bbi->touching->size[touch->body[1]]);
        const double allowed = GAP_TOLERANCE * size + 8.0 * bbi->newton->noise;
        const double gap = touch->gap + bbi->point[i].depth;
        const double error = bbi->point[i].force[0] > 0.0 ? fabs(gap) : -gap;
        most = fmax(most, error / allowed);
    }
    return most;
}

/* Moves y along the step as far as the potential falls, with the forces of contact as dead ones: with these the step is one of descent. */
static brn_status search(brn_bbi *bbi, double *length)
{
    brn_newton *n = bbi->newton;
    brn_newton_energy here;
    brn_bbi_push(bbi);
    for (int i = 0; i < bbi->system->ndof; ++i) {
        n->contact[i] = -bbi->push[i];
    }
    brn_newton_sum(n);
    BRN_TRY(brn_newton_potential(n, n->y, &here));
    return brn_newton_search(n, true, &here,
                             length); /* no further than the step: points are known only there */
}

/* The points at n->y of an iteration. After a few they stay on their sides: a vertex on the fold between two faces could change for ever. */
static brn_status find_around(brn_bbi *bbi, int iteration, double length)
{
    const double within = AROUND * length + 1e-9 * bbi->system->size;
    if (iteration > TURNS) {
        return brn_bbi_find_again(bbi, NULL);
    }
    for (int b = 0; b < bbi->model->nbody; ++b) {
        bbi->reach[b] = within;
    }
    return brn_bbi_find_again(bbi, &(brn_touching_reach){bbi->newton->x, bbi->reach, 2.0 * within});
}

/* n->step of the free system, with a new factor or the last one. */
static brn_status free_step(brn_bbi *bbi, bool keep, bool *projected, brn_step_info *info)
{
    brn_newton *n = bbi->newton;
    if (keep) {
        return brn_newton_again(n);
    }
    n->factored = false;
    brn_bbi_columns_clear(bbi);
    return brn_newton_direction(n, projected, info);
}

static brn_status iterate(brn_bbi *bbi, const brn_touching_reach *reach, brn_step_info *info)
{
    brn_newton *n = bbi->newton;
    brn_stopwatch *watch = &bbi->system->watch;
    bool projected = false;
    double length = INFINITY;
    double last = INFINITY;
    memcpy(n->stiffness, bbi->system->stiff_diagonal, (size_t)bbi->system->ndof * sizeof(double));
    for (int k = 0;; ++k) {
        BRN_TRY(brn_ctx_check(bbi->ctx));
        (void)brn_stopwatch_switch(watch, &watch->phases.candidates);
        brn_scheme_place(n->scheme, n->y, n->x);
        BRN_TRY(k == 0 ? brn_bbi_find(bbi, reach) : find_around(bbi, k, length));
        brn_bbi_push(bbi);
        (void)brn_stopwatch_switch(watch, &watch->phases.assembly);
        brn_newton_set_noise(n);
        BRN_TRY(brn_newton_forces(n, NULL));
        const double worst = brn_newton_imbalance(n, &info->residual);
        const double error = fmax(worst, gap_error(bbi));
        const bool settled = brn_newton_remaining(n) == 0.0;
        if (isnan(worst)) {
            return brn_fail(bbi->ctx, BRN_ERR_NOT_FINITE, "t = %g s: a force is not a finite number",
                            n->scheme->t);
        }
        if (k > 0 && settled && (error <= 1.0 || length <= n->noise)) {
            return BRN_OK;
        }
        if (k == n->params.iterations) {
            return brn_newton_give_up(n, k, info->residual);
        }
        BRN_TRY(brn_newton_spend(n));
        BRN_TRY(free_step(bbi, k > 0 && n->factored && error < KEEP * last, &projected, info));
        (void)brn_stopwatch_switch(watch, &watch->phases.contact);
        BRN_TRY(answer(bbi, info));
        (void)brn_stopwatch_switch(watch, &watch->phases.search);
        BRN_TRY(search(bbi, &length));
        last = error;
        info->iterations++;
    }
}

/* Whether bodies went farther than was looked and through something there; then where to look. What they ended in was found on the way. */
static brn_status look_again(brn_bbi *bbi, const brn_state *in, brn_touching_reach *reach, bool *missed)
{
    *missed = false;
    if (brn_ahead_outrun(bbi->ahead, in->node_pos, bbi->newton->x, reach)) {
        BRN_TRY(brn_touching_find(bbi->touching, in->node_pos, reach));
        for (int i = 0; i < bbi->touching->count && !*missed; ++i) {
            const brn_touching_point *touch = &bbi->touching->point[i];
            *missed = touch->bears && brn_ahead_missed(bbi->ahead, in->node_pos, touch) &&
                      !brn_bbi_knows(bbi, touch);
        }
    }
    return BRN_OK;
}

brn_status brn_bbi_solve(brn_bbi *bbi, const brn_state *in, double t, double h, brn_step_info *info)
{
    double *was = bbi->system->watch.phase;
    bool missed = true;
    brn_touching_reach reach = brn_ahead_look(bbi->ahead, in, t, h);
    brn_status status = BRN_OK;
    bbi->from = in->node_pos;
    for (int k = 0; missed && status >= 0 && k < LOOKS; ++k) {
        bbi->npoint = 0;
        memset(bbi->push, 0, (size_t)bbi->system->ndof * sizeof *bbi->push);
        BRN_TRY(brn_newton_begin(bbi->newton, in, t, h));
        set_slip(bbi, in);
        status = iterate(bbi, &reach, info);
        if (status >= 0) {
            status = look_again(bbi, in, &reach, &missed);
        }
    }
    (void)brn_stopwatch_switch(&bbi->system->watch, was);
    return status;
}
