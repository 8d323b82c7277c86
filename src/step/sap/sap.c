#include "step/sap/sap.h"

#include "phys/solid.h"
#include "step/ledger.h"
#include "step/newton_inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Looks of a step: what a body meets may send others farther than they were known to go. */
enum { LOOKS = 4 };

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
    BRN_P_INT(brn_sap_params, budget, 0, 0, 1000000000,
              "iterations allowed in a step with all its parts and attempts; then the run ends; 0: 1500, and "
              "up to 5000 "
              "for models of less than 1000 nodes"),
    BRN_P_INT(brn_sap_params, linearisations, 0, 0, 1000,
              "how often elastic forces are linearised in a step; 0: until they are balanced, once for "
              "corotated_linear"),
};

/* The method's own figures. */
static const brn_own_figure figures[] = {
    [BRN_SAP_OPTIMALITY] =
        {{.name = "sap.optimality",
          .label = "optimality",
          .unit = "1",
          .meaning = "unbalanced impulse that the solver left, relative to the momenta and impulses in play",
          .reduction = BRN_REDUCE_MAX,
          .better = BRN_BETTER_LOW},
         BRN_REDUCE_MAX},
    [BRN_SAP_CONSTRAINTS] = {{.name = "sap.constraints",
                              .label = "constraints",
                              .unit = "1",
                              .meaning =
                                  "contacts that the step reckoned with, open ones that could close included",
                              .reduction = BRN_REDUCE_MAX},
                             BRN_REDUCE_MAX},
    [BRN_SAP_OVERLAP] = {{.name = "sap.overlap",
                          .label = "overlap",
                          .unit = "1",
                          .meaning =
                              "penetration of the deepest contact over the size of the smaller body, the "
                              "cube root of its volume; the run's is that of its last step",
                          .reduction = BRN_REDUCE_LAST,
                          .better = BRN_BETTER_LOW},
                         BRN_REDUCE_LAST},
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
    brn_touching_destroy(sap->touching);
    brn_ahead_destroy(sap->ahead);
    brn_sap_solver_destroy(sap->solver);
    brn_block_matrix_destroy(sap->a);
    void *arrays[] = {sap->rigid,      sap->row_rigid, sap->place,   sap->fixed,  sap->u,
                      sap->start,      sap->gradient,  sap->push,    sap->pushed, sap->at,
                      sap->constraint, sap->block,     sap->impulse, sap->point};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(sap->ctx, arrays[i]);
    }
    for (int k = 0; k < sap->ntree; ++k) {
        brn_sap_tree_destroy(sap->ctx, &sap->tree[k]);
    }
    brn_free(sap->ctx, sap->tree);
    brn_free(sap->ctx, sap->link_numbers);
    brn_free(sap->ctx, sap->towards);
    brn_free(sap->ctx, sap->carried);
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

/* All of it; brn_sap_book takes out what is held. */
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

/* What deforms: the cells of bodies, and what belongs to none (springs, bending). */
static void look_at_groups(brn_sap *sap)
{
    const brn_model *model = sap->model;
    int own = 0; /* groups of bodies come first */
    sap->lagged = true;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const int end = body->group_first + body->group_count;
        own = end > own ? end : own;
        for (int g = body->group_first; g < end && brn_body_has_cells(body->type); ++g) {
            const brn_solid *solid = brn_solid_of_group(model->group[g]);
            sap->soft = true;
            sap->lagged = sap->lagged && solid != NULL && solid->material->lagged;
        }
    }
    sap->soft = sap->soft || model->ngroup > own;
    sap->lagged = sap->lagged && model->ngroup == own;
}

static brn_status fill(brn_sap *sap)
{
    const brn_newton_params newton = {sap->model->integrator, sap->params->tolerance, sap->params->iterations,
                                      sap->params->budget,    BRN_NEWTON_PROJECTED,   BRN_NEWTON_DIRECT};
    sap->terms = (brn_newton_terms){.self = sap,
                                    .energy = no_energy,
                                    .gradient = no_gradient,
                                    .dissipative = add_push,
                                    .hessian = no_hessian,
                                    .hand = true,
                                    .before = true};
    look_at_groups(sap);
    BRN_TRY(brn_touching_create(sap->ctx, sap->model, sap->system->size, &sap->touching));
    BRN_TRY(brn_ahead_create(sap->ctx, sap->system, &sap->ahead));
    BRN_TRY(brn_sap_make_connections(sap));
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

/* Contact joins the forces that the books see. What acts on a rigid body moves it: there is no imbalance there. */
static void settle_forces(brn_sap *sap)
{
    brn_newton *n = sap->newton;
    for (int i = 0; i < sap->system->ndof; ++i) {
        n->contact[i] -= sap->push[i];
    }
    brn_sap_settle_hand(sap);
    brn_newton_sum(n);
    for (int row = 0; row < sap->model->nrow; ++row) {
        for (int i = 0; i < sap->model->dim && sap->row_rigid[row] >= 0; ++i) {
            const int dof = row * sap->model->dim + i;
            n->inertia[dof] += n->unbalanced[dof];
            n->unbalanced[dof] = 0.0;
        }
    }
}

/* Velocities and impulses. Points are looked for as far as bodies can be known to go; where loads, drives or impacts take them farther and
   they meet something, again. */
static brn_status solve(brn_sap *sap, const brn_state *in, brn_step_info *info)
{
    bool missed = true;
    BRN_TRY(brn_sap_find_contacts(sap, in));
    for (int k = 0; missed; ++k) {
        BRN_TRY(brn_sap_start(sap, in));
        BRN_TRY(brn_sap_balance(sap, info));
        missed = false;
        if (k + 1 < LOOKS) {
            BRN_TRY(brn_sap_look_again(sap, in, &missed));
        }
    }
    return BRN_OK;
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
    sap->speed = in->node_vel;
    const brn_memory *pulled = brn_state_recall(in, BRN_CONNECT_FORCE);
    sap->pulled = pulled != NULL && pulled->count > 0 ? pulled->value : NULL;
    BRN_TRY(brn_newton_begin(n, in, t, h));
    sap->share = h * h / n->scheme->s;
    BRN_TRY(solve(sap, in, info));
    BRN_TRY(brn_scheme_finish(n->scheme, in, n->y, out));
    brn_sap_finish_rigid(sap, out);
    for (int k = 0; k < sap->ntree; ++k) {
        brn_sap_finish_tree(sap, &sap->tree[k], out);
    }
    BRN_TRY(brn_sap_remember(sap, out));
    BRN_TRY(brn_sap_remember_connections(sap, out));
    brn_model_follow_nodes(sap->model, out->node_vel);
    settle_forces(sap);
    BRN_TRY(brn_newton_book(n, in, out, &info->books));
    BRN_TRY(brn_sap_book_joints(sap, in, out, &info->books));
    brn_sap_book_hand(sap, in, out, &info->books);
    brn_sap_book(sap, in, out, info);
    info->own[BRN_SAP_CONSTRAINTS] = sap->nat;
    return brn_sap_report(sap, info);
}

static brn_status sap_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    brn_sap *sap = self;
    sap->nat = sap->njoint = 0;
    sap->hand = -1;
    for (int k = 0; k < sap->ntree; ++k) { /* whatever was set from outside */
        brn_sap_pose_tree(sap, &sap->tree[k], state);
    }
    if (sap->ntree > 0) {
        brn_model_follow_nodes(sap->model, state->node_pos);
        brn_model_follow_nodes(sap->model, state->node_vel);
    }
    memset(sap->push, 0, (size_t)sap->system->ndof * sizeof *sap->push);
    double *effort = NULL;
    double *wrench = NULL;
    BRN_TRY(brn_newton_reset(sap->newton, state, t, &info->books));
    BRN_TRY(brn_touching_begin(sap->touching, state->node_pos));
    BRN_TRY(brn_sap_remember_joints(sap, state, &effort, &wrench));
    info->contact_energy = brn_sap_connections_store(sap, state, t);
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

static bool sap_doubt(const double own[BRN_OWN_FIGURES], char *text, size_t size)
{
    return brn_touching_doubt(own[BRN_SAP_OVERLAP], "sap.overlap", text, size);
}

static bool sap_warn(const void *self, char *text, size_t size)
{
    return brn_touching_warn(((const brn_sap *)self)->touching, text, size);
}

static brn_status sap_conclude(void *self, const brn_state *state, const double own[BRN_OWN_FIGURES],
                               char *text, size_t size)
{
    const brn_sap *sap = self;
    return brn_touching_conclude(sap->touching, state->node_pos, own[BRN_SAP_OVERLAP], text, size);
}

const brn_method brn_sap_method = {
    .table = &table,
    .integrators = 1u << BRN_TURNING_EULER | 1u << BRN_IMPLICIT_EULER | 1u << BRN_MIDPOINT,
    .contact = true,
    .dissipates = true,
    .bodies = 1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_STATIC | 1u << BRN_BODY_RIGID |
              1u << BRN_BODY_SHELL | 1u << BRN_BODY_ROBOT,
    .contact_keys = 1u << BRN_CONTACT_STIFFNESS | 1u << BRN_CONTACT_RELAXATION,
    .contact_instead =
        {[BRN_CONTACT_RESTITUTION] =
             "impacts of rigid bodies are inelastic; deformable ones bounce by their elasticity"},
    .connects = true,
    .figures = figures,
    .nfigures = BRN_COUNT(figures),
    .warn = sap_warn,
    .doubt = sap_doubt,
    .conclude = sap_conclude,
    .predict = brn_newton_predict,
    .create = sap_create,
    .step = sap_step,
    .reset = sap_reset,
    .stage = sap_stage,
    .changed = sap_changed,
    .destroy = sap_destroy,
};
