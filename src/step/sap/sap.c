#include "step/sap/sap.h"

#include "phys/solid.h"
#include "step/newton_inner.h"

#include <math.h>
#include <string.h>

/* Solves allowed while bounds of friction settle, and when they have: changes relative to the largest. */
enum { LAGS_MAX = 50, LAGS_PLAIN = 10 };
static const double LAG_SETTLED = 1e-4;
/* Costs are sums of many terms: differences below this fraction of them are rounding. */
static const double COST_NOISE = 1e-13;
enum { HALVINGS = 40 };

static const char *const law_words[] = {"sap", "lagged", NULL};

static const brn_param params[] = {
    BRN_P_CHOICE(brn_sap_params, law, BRN_SAP_LAW_LAGGED, law_words,
                 "friction. lagged: Coulomb's law, solved again with renewed normal forces until they "
                 "settle; sap: convex as "
                 "published, solved once: what slides glides on a gap of about h mu times its speed"),
    BRN_P_REAL(brn_sap_params, near_rigid, "1", 0.3, 0.0, INFINITY, BRN_OPEN,
               "stiffest contact: its period of oscillation over the step"),
    BRN_P_REAL(brn_sap_params, slip_regularisation, "1", 1e-3, 0.0, 1.0, BRN_OPEN,
               "what sticks creeps at this times the speed that the friction force would give it in a step"),
    BRN_P_REAL(brn_sap_params, tolerance, "1", 1e-6, 0.0, 1.0, BRN_OPEN,
               "unbalanced impulse at which the solver stops, relative to the momenta and impulses in play"),
    BRN_P_INT(brn_sap_params, iterations, 200, 1, 100000,
              "iterations of the solver allowed before a step is cut in half"),
    BRN_P_INT(brn_sap_params, linearisations, 0, 0, 1000,
              "how often elastic forces are linearised in a step; 0: until they are balanced, once for "
              "corotated_linear"),
};

/* The method's own figures. */
enum { OWN_OPTIMALITY, OWN_CONSTRAINTS };
static const brn_own_figure figures[] = {
    [OWN_OPTIMALITY] =
        {{.name = "sap.optimality",
          .label = "optimality",
          .unit = "1",
          .meaning = "unbalanced impulse that the solver left, relative to the momenta and impulses in play",
          .reduction = BRN_REDUCE_MAX,
          .better = BRN_BETTER_LOW},
         BRN_REDUCE_MAX},
    [OWN_CONSTRAINTS] = {{.name = "sap.constraints",
                          .label = "constraints",
                          .unit = "1",
                          .meaning =
                              "contacts that the step reckoned with, open ones that could close included",
                          .reduction = BRN_REDUCE_MAX},
                         BRN_REDUCE_MAX},
};

static const brn_table table = {
    .name = "sap",
    .help =
        "convex contact at interactive rates: rigid and deformable bodies, large steps, small penetrations",
    .size = sizeof(brn_sap_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static void sap_destroy(void *self)
{
    brn_sap *sap = self;
    if (sap == NULL) {
        return;
    }
    brn_newton_destroy(sap->newton);
    brn_patches_destroy(sap->patches);
    brn_manifolds_destroy(sap->manifolds);
    brn_skin_destroy(sap->skin);
    brn_sap_solver_destroy(sap->solver);
    brn_block_matrix_destroy(sap->a);
    void *arrays[] = {sap->reach, sap->rigid,      sap->rigid_of, sap->row_rigid, sap->node_hold, sap->place,
                      sap->fixed, sap->u,          sap->start,    sap->gradient,  sap->push,      sap->pushed,
                      sap->at,    sap->constraint, sap->block,    sap->impulse,   sap->point};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(sap->ctx, arrays[i]);
    }
    brn_free(sap->ctx, sap);
}

/* ---- what Newton's books see of contact ----------------------------------------------------------------------------------------- */

static brn_status no_energy(void *self, const double *x, double *value)
{
    (void)self;
    (void)x;
    *value = 0.0;
    return BRN_OK;
}

/* All of it dissipates: nothing is stored in a constraint. */
static void add_push(void *self, const double *x, double *grad)
{
    const brn_sap *sap = self;
    (void)x;
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        grad[dof] -= sap->push[dof];
    }
}

/* It is added once it is known. */
static brn_status no_gradient(void *self, const double *x, double *grad)
{
    (void)self;
    (void)x;
    (void)grad;
    return BRN_OK;
}

static brn_status no_hessian(void *self, const double *x, brn_block_matrix *base, brn_block_matrix **sum)
{
    (void)self;
    (void)x;
    *sum = base;
    return BRN_OK;
}

/* ---- making --------------------------------------------------------------------------------------------------------------------- */

static brn_status list_held(brn_sap *sap)
{
    const brn_model *model = sap->model;
    BRN_ALLOC(sap->ctx, sap->node_hold, model->nnode + 1);
    for (int a = 0; a < model->nnode; ++a) {
        sap->node_hold[a] = -1;
    }
    for (int b = 0; b < model->nbody; ++b) {
        const int hold = model->body[b].type == BRN_BODY_STATIC ? brn_model_body_hold(model, b) : -1;
        for (int a = model->body[b].node_first; a < model->body[b].node_first + model->body[b].node_count;
             ++a) {
            sap->node_hold[a] = hold;
        }
    }
    return BRN_OK;
}

static bool is_lagged(const brn_model *model)
{
    bool all = true;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        for (int g = body->group_first;
             g < body->group_first + body->group_count && brn_body_has_cells(body->type); ++g) {
            const brn_solid *solid = brn_solid_of_group(model->group[g]);
            all = all && solid != NULL && solid->material->lagged;
        }
    }
    return all;
}

static brn_status fill(brn_sap *sap)
{
    const brn_newton_params newton = {sap->model->integrator,  sap->params->tolerance,
                                      sap->params->iterations, 1000000,
                                      BRN_NEWTON_PROJECTED,    BRN_NEWTON_DIRECT};
    sap->terms = (brn_newton_terms){.self = sap,
                                    .energy = no_energy,
                                    .gradient = no_gradient,
                                    .dissipative = add_push,
                                    .hessian = no_hessian,
                                    .before = true};
    sap->lagged = is_lagged(sap->model);
    BRN_TRY(list_held(sap));
    BRN_TRY(brn_skin_create(sap->ctx, sap->model, &sap->skin));
    BRN_TRY(brn_patches_create(sap->ctx, sap->skin, &sap->patches));
    BRN_TRY(brn_manifolds_create(sap->ctx, sap->skin, &sap->manifolds));
    BRN_ALLOC(sap->ctx, sap->reach, sap->model->nbody + 1);
    BRN_TRY(brn_sap_solver_create(sap->ctx, &sap->solver));
    BRN_TRY(brn_newton_create(sap->ctx, sap->model, sap->system, &newton, &sap->terms, &sap->newton));
    return brn_sap_make_rows(sap);
}

static brn_status sap_create(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self)
{
    *self = NULL;
    brn_sap *sap = NULL;
    BRN_ALLOC(ctx, sap, 1);
    sap->ctx = ctx;
    sap->model = model;
    sap->system = system;
    sap->params = model->method_params;
    const brn_status status = fill(sap);
    if (status < 0) {
        sap_destroy(sap);
        return status;
    }
    *self = sap;
    return BRN_OK;
}

/* ---- stepping ------------------------------------------------------------------------------------------------------------------- */

/* Where it starts: nodes go on as they did, rigid bodies coast. */
static void set_start(brn_sap *sap, const brn_state *in)
{
    const brn_model *model = sap->model;
    const int dim = model->dim;
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        sap->u[dof] = in->node_vel[brn_model_at(model, dof)];
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        const brn_sap_rigid *r = &sap->rigid[k];
        memcpy(&sap->u[r->row * dim], r->rate, (size_t)dim * sizeof *sap->u);
        if (dim == 2) {
            sap->u[(r->row + 1) * dim] = r->rate[5];
            sap->u[(r->row + 1) * dim + 1] = 0.0;
        } else {
            memcpy(&sap->u[(r->row + 1) * dim], r->rate + 3, 3 * sizeof *sap->u);
        }
    }
}

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

/* The problem starts from u with held dofs moved to where they must be; the gradient there, from the one at u. */
static brn_status set_held(brn_sap *sap)
{
    const int count = sap->a->n * sap->model->dim;
    bool moves = false;
    memcpy(sap->start, sap->u, (size_t)count * sizeof *sap->u);
    memset(sap->pushed, 0, (size_t)count * sizeof *sap->pushed);
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        if (sap->model->fixed[dof] == BRN_DOF_HELD) {
            sap->start[dof] = sap->newton->scheme->held[dof] / sap->h;
            sap->pushed[dof] = sap->start[dof] - sap->u[dof];
            moves = moves || sap->pushed[dof] != 0.0;
        }
    }
    if (!moves) {
        return BRN_OK;
    }
    double *more = sap->u; /* replaced by the solution */
    BRN_TRY(brn_block_matrix_multiply(sap->a, sap->pushed, more));
    for (int dof = 0; dof < count; ++dof) {
        sap->gradient[dof] += more[dof];
    }
    return BRN_OK;
}

static brn_status solve(brn_sap *sap, brn_step_info *info)
{
    const int nrow = sap->a->n;
    const int dim = sap->model->dim;
    /* Where elements are linearised again anyway, one iteration at a time. */
    const bool partly = sap->soft && !is_linear(sap) && sap->params->law == BRN_SAP_LAW_SAP;
    const brn_sap_goal goal = {sap->params->tolerance, partly ? 1 : sap->params->iterations, partly};
    brn_sap_result result;
    BRN_TRY(set_held(sap));
    const brn_sap_problem problem = {.nrow = nrow,
                                     .size = dim,
                                     .a = sap->a,
                                     .fixed = sap->fixed,
                                     .start = sap->start,
                                     .gradient = sap->gradient,
                                     .nconstraint = sap->nat,
                                     .constraint = sap->constraint,
                                     .nblock = sap->nblock,
                                     .block = sap->block};
    BRN_TRY(brn_sap_solve(sap->solver, &problem, &goal, &sap->system->watch, sap->u, sap->impulse, &result));
    info->iterations += result.iterations;
    info->residual = result.optimality;
    info->own[OWN_OPTIMALITY] = fmax(info->own[OWN_OPTIMALITY], result.optimality);
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
    for (int i = 0; i < sap->nat; ++i) {
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
        BRN_TRY(brn_block_matrix_multiply(sap->a, sap->start, sap->pushed));
        for (int dof = 0; dof < sap->a->n * sap->model->dim; ++dof) {
            sap->gradient[dof] += sap->pushed[dof];
        }
        BRN_TRY(solve(sap, info));
        info->lags++;
    }
    return BRN_OK;
}

/* Impulse that nothing balances, with elements as they are, by the solver's measure. */
static brn_status imbalance(brn_sap *sap, double *out)
{
    const int dim = sap->model->dim;
    double left = 0.0;
    double momentum = 0.0;
    double push = 0.0;
    double *moving = sap->start;
    BRN_TRY(brn_sap_unbalanced(sap));
    BRN_TRY(brn_block_matrix_multiply(sap->a, sap->u, moving));
    for (int dof = 0; dof < sap->a->n * dim; ++dof) {
        const double d = sap->a->value[(size_t)sap->a->start[dof / dim] * (size_t)(dim * dim) +
                                       (size_t)(dof % dim * (dim + 1))];
        if (!sap->fixed[dof] && d > 0.0) {
            const double unbalanced = sap->gradient[dof] - sap->pushed[dof];
            left += unbalanced * unbalanced / d;
            momentum += moving[dof] * moving[dof] / d;
            push += sap->pushed[dof] * sap->pushed[dof] / d;
        }
    }
    const double scale = fmax(momentum, push);
    *out = left > 0.0 ? sqrt(left / (scale > 0.0 ? scale : 1.0)) : 0.0;
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
    memset(sap->u, 0, (size_t)sap->system->ndof * sizeof *sap->u); /* rigid bodies are where they coast to */
    BRN_TRY(brn_sap_linearise(sap, BRN_TANGENT_LAGGED));
    for (int dof = 0; dof < count; ++dof) {
        sap->start[dof] = u[dof] - sap->u[dof];
    }
    BRN_TRY(brn_block_matrix_multiply(sap->a, sap->start, sap->pushed));
    for (int dof = 0; dof < count; ++dof) {
        sap->gradient[dof] += sap->pushed[dof];
    }
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

/* Contact joins the forces that the books see. What acts on a rigid body moves it: there is no imbalance there. */
static void settle_forces(brn_sap *sap)
{
    brn_newton *n = sap->newton;
    for (int i = 0; i < sap->system->ndof; ++i) {
        n->contact[i] -= sap->push[i];
        n->unbalanced[i] =
            n->load[i] + n->carried[i] - n->inertia[i] - n->elastic[i] - n->damping[i] - n->contact[i];
    }
    brn_newton_weld(n);
    for (int row = 0; row < sap->model->nrow; ++row) {
        for (int i = 0; i < sap->model->dim && sap->row_rigid[row] >= 0; ++i) {
            const int dof = row * sap->model->dim + i;
            n->inertia[dof] += n->unbalanced[dof];
            n->unbalanced[dof] = 0.0;
        }
    }
}

static brn_status sap_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                           double *h_done, brn_step_info *info)
{
    brn_sap *sap = self;
    brn_newton *n = sap->newton;
    *h_done = h;
    sap->t = t;
    sap->h = h;
    sap->from = in->node_pos;
    BRN_TRY(brn_newton_begin(n, in, t, h));
    brn_sap_coast(sap, in);
    set_start(sap, in);
    BRN_TRY(brn_sap_find_contacts(sap, in));
    brn_arena *arena = brn_ctx_arena(sap->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *before = brn_arena_take(arena, (size_t)(sap->a->n * sap->model->dim) + 1, sizeof *before);
    const brn_status status = before != NULL ? balance(sap, before, info) : BRN_ERR_MEMORY;
    brn_arena_rewind(arena, mark);
    BRN_TRY(status);
    BRN_TRY(brn_scheme_finish(n->scheme, in, n->y, out));
    brn_sap_finish_rigid(sap, out);
    brn_model_follow_nodes(sap->model, out->node_vel);
    settle_forces(sap);
    BRN_TRY(brn_newton_book(n, in, out, &info->books));
    info->own[OWN_CONSTRAINTS] = sap->nat;
    return brn_sap_report(sap, info);
}

static brn_status sap_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    brn_sap *sap = self;
    sap->nat = 0;
    memset(sap->push, 0, (size_t)sap->system->ndof * sizeof *sap->push);
    BRN_TRY(brn_newton_reset(sap->newton, state, t, &info->books));
    return brn_sap_report(sap, info);
}

static brn_stage sap_stage(const void *self, const brn_state *state, double t)
{
    (void)state;
    return brn_newton_stage(((const brn_sap *)self)->newton, t);
}

static brn_status sap_changed(void *self, brn_state *state, const brn_change *change)
{
    return brn_newton_changed(((brn_sap *)self)->newton, state, change);
}

const brn_method brn_sap_method = {
    .table = &table,
    .integrators = 1u << BRN_TURNING_EULER | 1u << BRN_IMPLICIT_EULER | 1u << BRN_MIDPOINT,
    .contact = true,
    .bodies = 1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_STATIC | 1u << BRN_BODY_RIGID | 1u << BRN_BODY_SHELL,
    .contact_keys = 1u << BRN_CONTACT_STIFFNESS | 1u << BRN_CONTACT_RELAXATION,
    .contact_instead =
        {[BRN_CONTACT_RESTITUTION] =
             "impacts of rigid bodies are inelastic; deformable ones bounce by their elasticity"},
    .figures = figures,
    .nfigures = BRN_COUNT(figures),
    .predict = brn_newton_predict,
    .create = sap_create,
    .step = sap_step,
    .reset = sap_reset,
    .stage = sap_stage,
    .changed = sap_changed,
    .destroy = sap_destroy,
};
