#include "step/bbi/bbi.h"

#include "linalg/dense.h"
#include "step/newton_inner.h"
#include "step/stages.h"

#include <math.h>
#include <string.h>

static const char *const impact_words[] = {"none", "mass", "bbi", NULL};

static const brn_param params[] = {
    BRN_P_CHOICE(
        brn_bbi_params, impact, BRN_BBI_IMPACT_BBI, impact_words,
        "velocities after an impact. bbi: those of touching points vanish, elasticity and damping share "
        "in it; mass: inertia alone does; none: as Newmark leaves them, which is right for small steps only"),
    BRN_P_REAL(brn_bbi_params, tolerance, "1", 1e-8, 0.0, 1.0, BRN_OPEN,
               "unbalanced force at which Newton stops, relative to the largest force in play"),
    BRN_P_INT(brn_bbi_params, iterations, 50, 1, 10000,
              "Newton iterations allowed before a step is cut in half"),
    BRN_P_INT(brn_bbi_params, budget, 0, 0, 1000000000,
              "Newton iterations allowed in a step with all its parts and attempts; then the run ends; 0: "
              "1500, and up to 5000 for models of less than 1000 nodes"),
    BRN_P_REAL(
        brn_bbi_params, flight, "1", 1e-3, 0.0, 1.0, 0,
        "a body that nothing touches goes on as a rigid one, and is elastic again when it meets "
        "something, once its energy of vibration is at most this share of its kinetic energy; 0: never"),
};

static const brn_own_figure figures[] = {
    [BRN_BBI_CONE_ERROR] =
        {{.name = "bbi.cone_relative",
          .label = "contact problem",
          .unit = "1",
          .meaning = "error that the solver of the frictional contact problem left, relative to what moves",
          .reduction = BRN_REDUCE_MAX,
          .better = BRN_BETTER_LOW},
         BRN_REDUCE_MAX},
    [BRN_BBI_POINTS] = {{.name = "bbi.points",
                         .label = "points",
                         .unit = "1",
                         .meaning = "contact points that the last iteration reckoned with",
                         .reduction = BRN_REDUCE_MAX},
                        BRN_REDUCE_MAX},
    [BRN_BBI_IMPACT_LOSS] =
        {{.name = "bbi.impact_loss",
          .label = "impact loss",
          .unit = "J",
          .meaning =
              "kinetic energy that the impact projection took; below 0: gave back of what the step took",
          .reduction = BRN_REDUCE_SUM},
         BRN_REDUCE_SUM},
    [BRN_BBI_OVERLAP] = {{.name = "bbi.overlap",
                          .label = "overlap",
                          .unit = "1",
                          .meaning =
                              "penetration of the deepest contact over the size of the smaller body, the "
                              "cube root of its volume; the run's is that of its last step",
                          .reduction = BRN_REDUCE_LAST,
                          .better = BRN_BETTER_LOW},
                         BRN_REDUCE_LAST},
    [BRN_BBI_FLYING_BODIES] = {{.name = "bbi.flying",
                                .label = "in flight",
                                .unit = "1",
                                .meaning = "bodies that fly as rigid ones",
                                .reduction = BRN_REDUCE_MAX},
                               BRN_REDUCE_LAST},
    [BRN_BBI_FLIGHT_LOSS] = {{.name = "bbi.flight_loss",
                              .label = "flight loss",
                              .unit = "J",
                              .meaning = "energy of vibration that bodies had when they began to fly",
                              .reduction = BRN_REDUCE_SUM},
                             BRN_REDUCE_SUM},
};

static const brn_table table = {
    .name = "bbi",
    .help = "exact friction and an impact law on implicit Newmark: mechanisms that launch and land",
    .size = sizeof(brn_bbi_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static void bbi_destroy(void *self)
{
    brn_bbi *bbi = self;
    if (bbi == NULL) {
        return;
    }
    for (int i = 0; i < BRN_STAGES; ++i) {
        bool again = false;
        for (int j = 0; j < i; ++j) {
            again = again || bbi->solver[j] == bbi->solver[i];
        }
        if (!again) {
            brn_newton_destroy(bbi->solver[i]);
        }
    }
    brn_touching_destroy(bbi->touching);
    brn_ahead_destroy(bbi->ahead);
    void *arrays[] = {bbi->reach,       bbi->own,     bbi->seen_at,   bbi->point,       bbi->seen,
                      bbi->taken,       bbi->row,     bbi->weight,    bbi->push,        bbi->coasts,
                      bbi->slip,        bbi->chosen,  bbi->direction, bbi->free_u,      bbi->cone_w,
                      bbi->cone_q,      bbi->cone_mu, bbi->cone_r,    bbi->cone_u,      bbi->cone_first,
                      bbi->cone_column, bbi->report,  bbi->cluster,   bbi->row_cluster, bbi->spin,
                      bbi->recoil,      bbi->flier,   bbi->flight,    bbi->apart,       bbi->given,
                      bbi->movable,     bbi->group,   bbi->by_mass,   bbi->moving,      bbi->here,
                      bbi->pushed,      bbi->worked};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(bbi->ctx, arrays[i]);
    }
    brn_bbi_columns_free(bbi->ctx, &bbi->columns);
    brn_cone_forget(bbi->ctx, &bbi->cone_memory);
    brn_bbi_keep_free(bbi->ctx, &bbi->kept);
    brn_block_matrix_destroy(bbi->leaning);
    brn_free(bbi->ctx, bbi);
}

/* Stiffness over mass of rigid bodies, times the square of the step: contact looks at a rigid shape while its forces strain the body, by one over
   this of what they move it. More than that costs digits of the contact problem. What is pressed between an obstacle and something heavier strains by as much
   more, so that it is as much firmer, within bounds. */
static const double FIRM = 1e3, HEAVIER = 1e3;

/* ---- contact as Newton's method sees it: dead forces --------------------------------------------------------------------- */

static brn_status push_energy(void *self, const double *x, double *value)
{
    const brn_bbi *bbi = self;
    memset(value, 0, (size_t)bbi->model->nbody * sizeof *value);
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const int at = brn_model_at(bbi->model, dof);
        value[bbi->row_cluster[dof / bbi->model->dim]] -= bbi->push[dof] * (x[at] - bbi->from[at]);
    }
    return BRN_OK;
}

static void add_push(void *self, const double *x, double *grad)
{
    const brn_bbi *bbi = self;
    (void)x;
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        grad[dof] -= bbi->push[dof];
    }
}

static brn_status push_gradient(void *self, const double *x, double *grad)
{
    add_push(self, x, grad);
    return BRN_OK;
}

static brn_status no_bound(void *self, const double *x, const double *step, double *fraction)
{
    (void)self;
    (void)x;
    (void)step;
    *fraction = 1.0;
    return BRN_OK;
}

/* A solver for every rule of the stages that there are; the launch's is there always. */
static brn_status make_solvers(brn_bbi *bbi)
{
    const brn_model_stages *stages = &bbi->model->stages;
    for (int i = 0; i < BRN_STAGES; ++i) {
        const brn_newton_params newton = {stages->integrator[i],   bbi->params->tolerance,
                                          bbi->params->iterations, bbi->params->budget,
                                          BRN_NEWTON_AUTO,         BRN_NEWTON_DIRECT};
        for (int j = 0; j < i && bbi->solver[i] == NULL; ++j) {
            bbi->solver[i] = stages->integrator[j] == stages->integrator[i] ? bbi->solver[j] : NULL;
        }
        if (bbi->solver[i] == NULL) {
            BRN_TRY(
                brn_newton_create(bbi->ctx, bbi->model, bbi->system, &newton, &bbi->terms, &bbi->solver[i]));
        }
    }
    for (int i = 0; i < BRN_STAGES; ++i) {
        bbi->solver[i]->rolls = bbi->solver[i]->shift > 0.0;
        bbi->solver[i]->part = bbi->row_cluster;
        bbi->solver[i]->group = bbi->group;
    }
    bbi->newton = bbi->solver[BRN_STAGE_LAUNCH];
    return BRN_OK;
}

/* Diagonals of boxes; what cannot move counts only where nothing can. */
static double measure_size(const brn_bbi *bbi)
{
    const brn_model *model = bbi->model;
    double most = 0.0;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        double lo[3] = {INFINITY, INFINITY, INFINITY};
        double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            for (int i = 0; i < 3; ++i) {
                lo[i] = fmin(lo[i], model->rest[a][i]);
                hi[i] = fmax(hi[i], model->rest[a][i]);
            }
        }
        const double way[3] = {hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]};
        most = body->type == BRN_BODY_STATIC ? most : fmax(most, brn_dense_length3(way));
    }
    return most > 0.0 ? most : bbi->system->size;
}

static brn_status fill(brn_bbi *bbi)
{
    const size_t ndof = (size_t)bbi->system->ndof;
    const brn_model_stages *stages = &bbi->model->stages;
    double step = INFINITY; /* of those that have inertia */
    for (int i = stages->given ? 0 : BRN_STAGE_LAUNCH; i < BRN_STAGES; ++i) {
        step = stages->integrator[i] != BRN_STATIC ? fmin(step, stages->step[i]) : step;
    }
    if (isfinite(step)) {
        BRN_TRY(brn_system_firm(bbi->system, FIRM / (step * step), HEAVIER));
    }
    bbi->terms = (brn_newton_terms){.self = bbi,
                                    .energy = push_energy,
                                    .gradient = push_gradient,
                                    .dissipative = add_push,
                                    .hessian = brn_bbi_lean,
                                    .ahead = true,
                                    .bound = no_bound};
    bbi->size = measure_size(bbi);
    BRN_TRY(brn_touching_create(bbi->ctx, bbi->model, bbi->system->size, &bbi->touching));
    BRN_TRY(brn_ahead_create(bbi->ctx, bbi->system, &bbi->ahead));
    BRN_ALLOC(bbi->ctx, bbi->reach, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->own, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->seen_at, 3 * (size_t)bbi->model->nnode + 1);
    BRN_ALLOC(bbi->ctx, bbi->push, ndof + 1);
    BRN_ALLOC(bbi->ctx, bbi->seen, ndof + 1);
    BRN_ALLOC(bbi->ctx, bbi->slip, ndof + 1);
    BRN_ALLOC(bbi->ctx, bbi->coasts, bbi->model->nrow + 1);
    BRN_ALLOC(bbi->ctx, bbi->direction, ndof + 1);
    BRN_ALLOC(bbi->ctx, bbi->recoil, ndof + 1);
    BRN_ALLOC(bbi->ctx, bbi->apart, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->movable, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->group, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->by_mass, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->moving, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->worked, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->here, bbi->model->nbody + 1);
    BRN_ALLOC(bbi->ctx, bbi->pushed, bbi->model->nbody + 1);
    BRN_TRY(brn_bbi_spin_create(bbi));
    brn_bbi_groups_bind(bbi);
    BRN_TRY(make_solvers(bbi));
    BRN_TRY(brn_bbi_keep_create(bbi));
    return brn_bbi_flight_create(bbi);
}

static brn_status bbi_create(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self)
{
    *self = NULL;
    brn_bbi *bbi = NULL;
    BRN_ALLOC(ctx, bbi, 1);
    bbi->ctx = ctx;
    bbi->model = model;
    bbi->system = system;
    bbi->params = model->method_params;
    const brn_status status = fill(bbi);
    if (status < 0) {
        bbi_destroy(bbi);
        return status;
    }
    *self = bbi;
    return BRN_OK;
}

/* ---- stepping --------------------------------------------------------------------------------------------------------------- */

/* Forces become means over the step, impact included: of H (h dv) = B lambda the rows of holds are what they supply over half a step. */
static brn_status settle_forces(brn_bbi *bbi)
{
    brn_newton *n = bbi->newton;
    const double h = n->scheme->h;
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        for (int k = 0; k < 3; ++k) {
            p->force[k] += 0.5 * p->impact[k];
        }
    }
    brn_bbi_push(bbi);
    for (int i = 0; i < bbi->system->ndof; ++i) {
        n->contact[i] = -bbi->push[i];
    }
    brn_newton_sum(n);
    if (!bbi->clamped) {
        return BRN_OK;
    }
    BRN_TRY(brn_bbi_resist(bbi, bbi->direction, n->scratch));
    for (int i = 0; i < bbi->system->ndof; ++i) {
        n->unbalanced[i] -= bbi->model->fixed[i] == BRN_DOF_HELD ? 0.5 * h * n->scratch[i] : 0.0;
    }
    return BRN_OK;
}

/* Positions, and velocities before the projection; *some: bodies that come to rest beside others, bbi->apart, which are not done yet. */
static brn_status move(brn_bbi *bbi, const brn_state *in, double t, double h, brn_state *out, bool *some,
                       brn_step_info *info)
{
    int rests;
    BRN_TRY(brn_bbi_solve(bbi, in, t, h, info));
    BRN_TRY(brn_scheme_finish(bbi->newton->scheme, in, bbi->newton->y, out));
    BRN_TRY(brn_bbi_rests(bbi, out, &rests));
    *some = rests == BRN_BBI_SOME_REST;
    if (rests != BRN_BBI_ALL_REST) {
        return BRN_OK;
    }
    BRN_TRY(brn_bbi_solve_still(bbi, in, t, h, info));
    return brn_scheme_finish(bbi->newton->scheme, in, bbi->newton->y, out);
}

/* A step in which bodies deform. */
static brn_status deform(brn_bbi *bbi, const brn_state *in, double t, double h, brn_state *out,
                         brn_step_info *info)
{
    brn_newton *n = bbi->newton;
    brn_bbi_books books;
    bool projected = false;
    bool some;
    memset(bbi->recoil, 0, (size_t)bbi->system->ndof * sizeof *bbi->recoil);
    brn_bbi_flight_go(bbi, h, info);
    BRN_TRY(move(bbi, in, t, h, out, &some, info));
    BRN_TRY(brn_bbi_warm_remember(bbi, out));
    brn_bbi_flight_put(bbi, out);
    BRN_TRY(brn_bbi_books_begin(bbi, in, out, &books));
    BRN_TRY(brn_bbi_groups_find(bbi, NULL));
    BRN_TRY(brn_bbi_project(bbi, in, out, &projected));
    BRN_TRY(brn_bbi_report(bbi, info));
    if (projected) {
        BRN_TRY(settle_forces(bbi));
    }
    BRN_TRY(brn_newton_book(n, in, out, &info->books));
    BRN_TRY(brn_bbi_guard_begin(bbi));
    info->own[BRN_BBI_POINTS] = bbi->npoint;
    BRN_TRY(brn_bbi_books_end(bbi, in, out, &books, info));
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = brn_bbi_spin_settle(bbi, in, out, &info->books);
    brn_arena_rewind(arena, mark);
    BRN_TRY(status);
    BRN_TRY(brn_bbi_guard_end(bbi, in, out, &some));
    if (some) {
        BRN_TRY(brn_bbi_rest(bbi, in, t, h, out, info));
    }
    return brn_bbi_flight_book(bbi, in, out, &info->books);
}

/* The rule of the state's stage; the longest step of what deforms: an equal part of h, and none beyond the end of loading. */
static double enter(brn_bbi *bbi, const brn_state *in, double t, double h)
{
    const brn_model_stages *stages = &bbi->model->stages;
    const int stage = stages->given ? brn_stages_now(in) : BRN_STAGE_LAUNCH;
    if (bbi->newton != bbi->solver[stage]) {
        brn_newton_drop_factor(bbi->newton); /* stages do not come back, and factors are most of the memory */
        bbi->kept.of = NULL;
        bbi->newton = bbi->solver[stage];
    }
    if (stages->given) {
        bbi->no_slip = stage == BRN_STAGE_LOADING && !stages->slip && stages->integrator[stage] == BRN_STATIC;
    }
    bbi->whole = stages->step[stage];
    const double left = stage == BRN_STAGE_LOADING ? fmin(h, stages->until - t) : h;
    return left / ceil(fmax(1.0, left / stages->step[stage] * (1.0 - 1e-9)));
}

static brn_status bbi_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                           double *h_done, brn_step_info *info)
{
    brn_bbi *bbi = self;
    const double longest = enter(bbi, in, t, h);
    bool all = false;
    *h_done = h;
    BRN_TRY(brn_bbi_flight_begin(bbi, in, t, h_done, &all));
    if (!all && longest < *h_done) {
        *h_done = longest;
        BRN_TRY(brn_bbi_flight_begin(bbi, in, t, h_done, &all));
    }
    bbi->kept.loose = bbi->kept.tried = false;
    brn_bbi_warm_forget(out);
    BRN_TRY(brn_bbi_guard_carry(in, out));
    BRN_TRY(all ? brn_bbi_flight_step(bbi, in, t, *h_done, out, info)
                : deform(bbi, in, t, *h_done, out, info));
    BRN_TRY(brn_bbi_keep_end(bbi, in, !all, out));
    return brn_bbi_flight_remember(bbi, info, out);
}

static brn_status bbi_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    brn_bbi *bbi = self;
    (void)enter(bbi, state, t, bbi->model->step);
    bbi->npoint = 0;
    memset(bbi->push, 0, (size_t)bbi->system->ndof * sizeof *bbi->push);
    bbi->from = state->node_pos;
    BRN_TRY(brn_newton_reset(bbi->newton, state, t, &info->books));
    BRN_TRY(brn_touching_begin(bbi->touching, state->node_pos));
    return brn_bbi_report(bbi, info);
}

static brn_stage bbi_stage(const void *self, const brn_state *state, double t)
{
    const brn_bbi *bbi = self;
    const int stage = bbi->model->stages.given ? brn_stages_now(state) : BRN_STAGE_LAUNCH;
    return brn_newton_stage(bbi->solver[stage], t);
}

static brn_status bbi_changed(void *self, brn_state *state, const brn_change *change)
{
    brn_bbi *bbi = self;
    for (int i = 0; i < BRN_STAGES; ++i) {
        BRN_TRY(brn_newton_changed(bbi->solver[i], state, change));
    }
    if ((change->what & BRN_CHANGED_HOLDS) != 0) {
        bbi->kept.of = NULL;
        brn_bbi_keep_forget(state);
        brn_bbi_spin_bind(bbi);
        brn_bbi_groups_bind(bbi);
    }
    return BRN_OK;
}

static bool bbi_doubt(const double own[BRN_OWN_FIGURES], char *text, size_t size)
{
    return brn_touching_doubt(own[BRN_BBI_OVERLAP], "bbi.overlap", text, size);
}

static bool bbi_warn(const void *self, char *text, size_t size)
{
    return brn_touching_warn(((const brn_bbi *)self)->touching, text, size);
}

static brn_status bbi_conclude(void *self, const brn_state *state, const double own[BRN_OWN_FIGURES],
                               char *text, size_t size)
{
    const brn_bbi *bbi = self;
    return brn_touching_conclude(bbi->touching, state->node_pos, own[BRN_BBI_OVERLAP], text, size);
}

const brn_method brn_bbi_method = {
    .table = &table,
    .releases = true,
    .integrators = 1u << BRN_NEWMARK | 1u << BRN_MIDPOINT | 1u << BRN_IMPLICIT_EULER | 1u << BRN_STATIC,
    .integrator = BRN_NEWMARK,
    .contact = true,
    .dissipates = true,
    .stages = true,
    .bodies = 1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_STATIC | 1u << BRN_BODY_RIGID | 1u << BRN_BODY_SHELL,
    .contact_instead = {[BRN_CONTACT_RESTITUTION] =
                            "bodies bounce by their elasticity and `method.impact`; rigid ones do not",
                        [BRN_CONTACT_STIFFNESS] = "contact is exact: nothing penetrates; leave it out",
                        [BRN_CONTACT_RELAXATION] = "contact is exact: nothing penetrates; leave it out"},
    .figures = figures,
    .nfigures = BRN_COUNT(figures),
    .warn = bbi_warn,
    .doubt = bbi_doubt,
    .conclude = bbi_conclude,
    .predict = brn_newton_predict,
    .create = bbi_create,
    .step = bbi_step,
    .reset = bbi_reset,
    .stage = bbi_stage,
    .changed = bbi_changed,
    .destroy = bbi_destroy,
};
