#include "step/ipc/ipc.h"

#include "linalg/dense.h"
#include "step/ipc/ipc_barrier.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Solves allowed in a step while friction's normal forces settle. Plain renewals may cycle: more friction here turns a
   block, which unloads it there. After every LAGS_PLAIN of them the share of the new forces is halved, which finds the
   mean of a cycle if that is stable. */
enum { LAGS_MAX = 100, LAGS_PLAIN = 8 };
static const double SHARE_LEAST = 0.125;
/* Forces have settled when a renewal changes them by less than this, relative to the largest. */
static const double LAG_SETTLED = 1e-5;

static const char *const solver_words[] = {"direct", "pcg", NULL};
static const char *const barrier_words[] = {"c2", "lecture", NULL};

static const brn_param params[] = {
    BRN_P_REAL(brn_ipc_params, dhat, "m", NAN, 0.0, INFINITY, BRN_OPEN,
               "gap below which parts repel each other; by default of each body 5e-6 to 1e-3 of its size, "
               "the more "
               "its weight, its speed or the holds that move it will strain it (rigid: 1e-4), and not above "
               "the gaps it starts with"),
    BRN_P_REAL(
        brn_ipc_params, kappa, "Pa", NAN, 0.0, INFINITY, BRN_OPEN,
        "stiffness of the barrier, the pressure at about half of dhat; by default a tenth of the softer "
        "body's "
        "Young's modulus (rigid: `stiffness`), more where an impact or gaps that shrink to nothing need it"),
    BRN_P_CHOICE(
        brn_ipc_params, barrier, BRN_BARRIER_C2, barrier_words,
        "c2: twice differentiable, converges best; lecture: the once differentiable ones of the lecture"),
    BRN_P_BOOL(brn_ipc_params, convergent, false,
               "count what several sides of a surface see together once: forces do not depend on the mesh"),
    BRN_P_REAL(brn_ipc_params, friction_speed, "m/s", NAN, 0.0, INFINITY, BRN_OPEN,
               "eps_v: slower slip counts as sticking; by default 1e-3 sizes of the smaller body a second, "
               "or 1e-3 of "
               "the slowest motion"),
    BRN_P_INT(brn_ipc_params, friction_iterations, 1, 0, 1000,
              "how often a step is solved with the friction's normal forces renewed; 0: until they settle"),
    BRN_P_REAL(brn_ipc_params, tolerance, "1", 1e-4, 0.0, 1.0, BRN_OPEN,
               "Newton stops when no node would still move faster than this times its body's size a second"),
    BRN_P_INT(brn_ipc_params, iterations, 300, 1, 100000,
              "Newton iterations allowed before a step is cut in half"),
    BRN_P_INT(
        brn_ipc_params, budget, 0, 0, 1000000000,
        "Newton iterations allowed in a step with all its parts and attempts, an iteration with ten "
        "contacts a node counting as two; then the run ends; 0: 1500, and up to 5000 for models of less "
        "than 1000 nodes"),
    BRN_P_CHOICE(brn_ipc_params, solver, BRN_NEWTON_DIRECT, solver_words,
                 "direct: sparse Cholesky; pcg: conjugate gradients with block-Jacobi, which leave to direct "
                 "what they cannot solve"),
};

/* The method's own figures. */
enum { OWN_KAPPA, OWN_LAG_CHANGE, OWN_THICKNESS, OWN_DHAT_MIN, OWN_DHAT_MAX, OWN_SPEED, OWN_TOLERANCE };
static const brn_own_figure figures[] = {
    [OWN_KAPPA] = {{.name = "ipc.kappa",
                    .label = "barrier stiffness",
                    .unit = "Pa",
                    .meaning = "largest stiffness of a barrier in contact in the last part of the step",
                    .reduction = BRN_REDUCE_MAX},
                   BRN_REDUCE_LAST},
    [OWN_LAG_CHANGE] =
        {{.name = "ipc.lag_change",
          .label = "friction change",
          .unit = "1",
          .meaning = "largest change of a friction force by the last renewal of normal forces, relative to "
                     "the largest force; 0: they were not renewed within the step",
          .reduction = BRN_REDUCE_MAX,
          .better = BRN_BETTER_LOW},
         BRN_REDUCE_MAX},
    [OWN_THICKNESS] = {{.name = "ipc.thickness",
                        .label = "contact thickness",
                        .unit = "1",
                        .meaning =
                            "largest gap that carries force over the largest elastic deflection of the body "
                            "it presses on, when it was pressed hardest so far, of the body where that is "
                            "most; 0: no body deforms, or "
                            "contact has pressed no harder than weights and loads",
                        .reduction = BRN_REDUCE_LAST,
                        .better = BRN_BETTER_LOW},
                       BRN_REDUCE_LAST},
    [OWN_DHAT_MIN] = {{.name = "ipc.dhat_min",
                       .label = "smallest dhat",
                       .unit = "m",
                       .meaning = "smallest gap, of all bodies', below which parts repel each other",
                       .reduction = BRN_REDUCE_LAST},
                      BRN_REDUCE_LAST},
    [OWN_DHAT_MAX] = {{.name = "ipc.dhat_max",
                       .label = "largest dhat",
                       .unit = "m",
                       .meaning = "largest gap, of all bodies', below which parts repel each other",
                       .reduction = BRN_REDUCE_LAST},
                      BRN_REDUCE_LAST},
    [OWN_SPEED] = {{.name = "ipc.friction_speed",
                    .label = "sticking speed",
                    .unit = "m/s",
                    .meaning = "largest speed, of all bodies', below which slip counts as sticking",
                    .reduction = BRN_REDUCE_LAST},
                   BRN_REDUCE_LAST},
    [OWN_TOLERANCE] = {{.name = "ipc.tolerance",
                        .label = "tolerance",
                        .unit = "m/s",
                        .meaning = "largest speed, of all bodies', below which Newton's method stops",
                        .reduction = BRN_REDUCE_LAST},
                       BRN_REDUCE_LAST},
};

static const brn_table table = {
    .name = "ipc",
    .help = "barrier contact: no intersection at any accepted step, friction and self-contact",
    .size = sizeof(brn_ipc_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static void ipc_destroy(void *self)
{
    brn_ipc *ipc = self;
    if (ipc == NULL) {
        return;
    }
    brn_newton_destroy(ipc->newton);
    brn_skin_destroy(ipc->skin);
    brn_candidates_destroy(ipc->candidates);
    brn_intersect_destroy(ipc->intersect);
    brn_block_matrix_destroy(ipc->sum);
    for (int i = 0; i < BRN_IPC_PATTERNS; ++i) {
        brn_free(ipc->ctx, ipc->pattern[i].row);
    }
    void *arrays[] = {ipc->far,   ipc->contact, ipc->slide, ipc->looked_at,
                      ipc->local, ipc->point,   ipc->body,  ipc->allowed};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(ipc->ctx, arrays[i]);
    }
    brn_free(ipc->ctx, ipc);
}

/* ---- free of intersections? ------------------------------------------------------------------------------------------- */

/* Pairs that touch or intersect at x, for which the contacts are known. */
static brn_status count_meetings(brn_ipc *ipc, const double *x, brn_meetings *meetings)
{
    brn_stopwatch *watch = &ipc->system->watch;
    double *was = brn_stopwatch_switch(watch, &watch->phases.intersection);
    const brn_status status =
        brn_meetings_add_surfaces(ipc->intersect, ipc->skin, x, ipc->contact, ipc->ncontact, meetings);
    (void)brn_stopwatch_switch(watch, was);
    return status;
}

brn_status brn_ipc_find_meetings(brn_ipc *ipc, const double *x, brn_meetings *meetings)
{
    BRN_TRY(brn_ipc_find_candidates(ipc, x, x));
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    BRN_TRY(count_meetings(ipc, x, meetings));
    brn_meetings_add_inside(ipc->skin, x, meetings);
    return BRN_OK;
}

/* Refuses a start with intersections, giving names, place and the way out. */
static brn_status check_start(brn_ipc *ipc, const double *x)
{
    brn_meetings meetings = {0};
    char advice[BRN_IPC_ADVICE] = "";
    BRN_TRY(brn_ipc_find_meetings(ipc, x, &meetings));
    if (meetings.count > 0) {
        BRN_TRY(brn_ipc_advise(ipc, x, &meetings, advice));
    }
    return brn_meetings_refuse(ipc->skin, &meetings, advice);
}

/* ---- making --------------------------------------------------------------------------------------------------------------- */

static brn_status fill(brn_ipc *ipc)
{
    const brn_ipc_params *p = ipc->params;
    const brn_newton_params newton = {ipc->model->integrator, 1e-10,    p->iterations, p->budget,
                                      BRN_NEWTON_AUTO,        p->solver};
    brn_ipc_fill_terms(ipc);
    BRN_ALLOC(ipc->ctx, ipc->far, (size_t)ipc->model->nnode * 3);
    BRN_TRY(brn_skin_create(ipc->ctx, ipc->model, &ipc->skin));
    BRN_ALLOC(ipc->ctx, ipc->looked_at, 3 * ((size_t)ipc->skin->npoint + 3 * (size_t)ipc->skin->nplane));
    BRN_ALLOC(ipc->ctx, ipc->allowed, ipc->system->ndof);
    BRN_TRY(brn_ipc_choose(ipc));
    BRN_TRY(brn_candidates_create(ipc->ctx, ipc->skin, &ipc->candidates));
    BRN_TRY(brn_intersect_create(ipc->ctx, &ipc->intersect));
    return brn_newton_create(ipc->ctx, ipc->model, ipc->system, &newton, &ipc->terms, &ipc->newton);
}

static brn_status ipc_create(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self)
{
    *self = NULL;
    brn_ipc *ipc = NULL;
    BRN_ALLOC(ctx, ipc, 1);
    ipc->ctx = ctx;
    ipc->model = model;
    ipc->system = system;
    ipc->params = model->method_params;
    const brn_status status = fill(ipc);
    if (status < 0) {
        ipc_destroy(ipc);
        return status;
    }
    *self = ipc;
    return BRN_OK;
}

/* ---- stepping --------------------------------------------------------------------------------------------------------------- */

/* What the report needs to know about the end of the step from `in`; NULL: about the start. */
static brn_status measure(brn_ipc *ipc, const brn_state *in, brn_state *out, brn_step_info *info)
{
    const double *x = out->node_pos;
    brn_meetings meetings = {0};
    BRN_TRY(brn_ipc_find_points(ipc, x));
    BRN_TRY(count_meetings(ipc, x, &meetings));
    info->intersections = (int)meetings.count;
    if (meetings.count > 0 && in != NULL) {
        return brn_ipc_tell_stuck(ipc, x, &meetings);
    }
    BRN_TRY(ipc->terms.energy(ipc, x, &info->contact_energy)); /* friction is gone: only what is stored */
    info->point = ipc->point;
    info->npoint = ipc->npoint;
    info->contacts = ipc->ncontact;
    info->own[OWN_DHAT_MIN] = ipc->dhat_least;
    info->own[OWN_DHAT_MAX] = ipc->dhat_most;
    info->own[OWN_SPEED] = ipc->speed_most;
    info->own[OWN_TOLERANCE] = ipc->params->tolerance * ipc->size_most;
    BRN_TRY(brn_ipc_measure_thickness(ipc, in, out, &info->own[OWN_THICKNESS]));
    for (int i = 0; i < ipc->ncontact; ++i) {
        const brn_contact_pair *c = &ipc->contact[i];
        const int last = c->node[brn_touch_count(c->node) - 1];
        info->gap_min = fmin(info->gap_min, brn_pair_gap(c));
        info->complementarity = fmax(info->complementarity, brn_pair_gap(c));
        info->complementarity_offset = fmax(info->complementarity_offset, c->reach);
        info->own[OWN_KAPPA] = fmax(info->own[OWN_KAPPA], brn_ipc_kappa(ipc, c->node[0], last));
    }
    return BRN_OK;
}

static brn_status ipc_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    brn_ipc *ipc = self;
    for (int b = 0; b < ipc->model->nbody; ++b) {
        ipc->body[b].kappa = ipc->body[b].kappa_start;
        ipc->body[b].dhat = ipc->body[b].dhat_start;
    }
    brn_ipc_set_reach(ipc);
    ipc->nslide = 0; /* nothing has slipped yet */
    ipc->from = NULL;
    BRN_TRY(check_start(ipc, state->node_pos));
    BRN_TRY(brn_newton_reset(ipc->newton, state, t, &info->books));
    return measure(ipc, NULL, state, info);
}

/* Renews friction at the last solution; *change: the largest resulting change of a node's friction force, relative to the
   largest such force. Renewals after the first LAGS_PLAIN go only part of the way. */
static brn_status renew_friction(brn_ipc *ipc, int lag, double *change)
{
    const int ndof = ipc->system->ndof;
    const int nold = ipc->nslide;
    const double *x = ipc->newton->x;
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    double *before = NULL;
    double *after = NULL;
    brn_ipc_slide *old = NULL;
    BRN_TAKE(arena, before, ndof);
    BRN_TAKE(arena, after, ndof);
    BRN_TAKE(arena, old, nold + 1);
    memset(before, 0, (size_t)ndof * sizeof *before);
    memset(after, 0, (size_t)ndof * sizeof *after);
    brn_ipc_friction_gradient(ipc, x, before);
    if (nold > 0) {
        memcpy(old, ipc->slide, (size_t)nold * sizeof *old);
    }
    BRN_TRY(brn_ipc_renew_friction(ipc, x));
    brn_ipc_friction_gradient(ipc, x, after);
    double scale = 0.0;
    double most = 0.0;
    for (int i = 0; i < ndof; ++i) {
        scale = fmax(scale, fmax(fabs(before[i]), fabs(after[i])));
        most = fmax(most, fabs(after[i] - before[i]));
    }
    *change = scale > 0.0 ? most / scale : 0.0;
    const double share = ldexp(1.0, -((lag - 1) / LAGS_PLAIN));
    return share < 1.0 ? brn_ipc_blend_friction(ipc, old, nold, fmax(share, SHARE_LEAST)) : BRN_OK;
}

/* Solves with friction from the normal forces at x^n, and again with renewed ones as often as requested, or until a renewal
   changes no force by more than LAG_SETTLED. If they do not settle, the step is taken as it is; the cone error shows it. */
static brn_status solve_with_friction(brn_ipc *ipc, brn_step_info *info)
{
    const int wanted = ipc->params->friction_iterations;
    const int most = wanted > 0 ? wanted : LAGS_MAX;
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    double change = INFINITY;
    info->lags = 1;
    BRN_TRY(brn_newton_solve(ipc->newton, info));
    for (int lag = 1; lag < most && (wanted > 0 || change > LAG_SETTLED); ++lag) {
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = renew_friction(ipc, wanted > 0 ? 1 : lag, &change);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
        info->own[OWN_LAG_CHANGE] = change;
        if (change == 0.0) {
            break;
        }
        BRN_TRY(brn_newton_solve(ipc->newton, info));
        info->lags++;
    }
    return BRN_OK;
}

static brn_status ipc_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                           double *h_done, brn_step_info *info)
{
    brn_ipc *ipc = self;
    brn_newton *n = ipc->newton;
    *h_done = h;
    ipc->t = t;
    ipc->h = h;
    ipc->from = in->node_pos;
    BRN_TRY(brn_ipc_choose_stiffness(ipc, in, h, &info->stiffness_work));
    n->step_allowed = ipc->allowed;
    BRN_TRY(brn_ipc_renew_friction(ipc, in->node_pos));
    BRN_TRY(brn_newton_begin(n, in, t, h));
    BRN_TRY(solve_with_friction(ipc, info));
    BRN_TRY(brn_newton_finish(n, in, out, &info->books));
    BRN_TRY(brn_meetings_check_driven(ipc->skin, ipc->system->size, ipc->t, in->node_pos, out->node_pos));
    BRN_TRY(measure(ipc, in, out, info));
    return brn_ipc_remember_stiffness(ipc, in, out);
}

static brn_stage ipc_stage(const void *self, const brn_state *state, double t)
{
    (void)state;
    return brn_newton_stage(((const brn_ipc *)self)->newton, t);
}

static brn_status ipc_changed(void *self, brn_state *state, const brn_change *change)
{
    return brn_newton_changed(((brn_ipc *)self)->newton, state, change);
}

/* Contact thicker than this fraction of the deflection is worth a warning. */
static const double THICK = 0.01;

static bool ipc_doubt(const double own[BRN_OWN_FIGURES], char *text, size_t size)
{
    const bool thick = own[OWN_THICKNESS] > THICK;
    char share[40] = "larger than";
    if (own[OWN_THICKNESS] <= 1.0) {
        (void)snprintf(share, sizeof share, "%.2g %% of", 100.0 * own[OWN_THICKNESS]);
    }
    if (thick) {
        (void)snprintf(
            text, size,
            "when contact pressed hardest, gaps that carry force were %s the elastic deflection "
            "(ipc.thickness): deflections, and forces of impacts and prescribed motions, are off by about as "
            "much; a smaller method.dhat (now %.2g to %.2g m) makes them exact",
            share, own[OWN_DHAT_MIN], own[OWN_DHAT_MAX]);
    }
    return thick;
}

const brn_method brn_ipc_method = {
    .table = &table,
    .releases = true,
    .integrators = 1u << BRN_TURNING_EULER | 1u << BRN_IMPLICIT_EULER | 1u << BRN_BDF2 | 1u << BRN_NEWMARK |
                   1u << BRN_MIDPOINT | 1u << BRN_STATIC,
    .contact = true,
    .bodies = 1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_STATIC | 1u << BRN_BODY_RIGID | 1u << BRN_BODY_SHELL,
    .contact_instead =
        {[BRN_CONTACT_RESTITUTION] =
             "how bodies bounce follows from their elasticity; reduce it by `damping` of a material",
         [BRN_CONTACT_STIFFNESS] = "its barrier has method.kappa and method.dhat instead",
         [BRN_CONTACT_RELAXATION] = "its barrier lets nothing in that could be pushed out; leave it out"},
    .figures = figures,
    .nfigures = BRN_COUNT(figures),
    .dissipates = true,
    .predict = brn_newton_predict,
    .create = ipc_create,
    .step = ipc_step,
    .reset = ipc_reset,
    .stage = ipc_stage,
    .changed = ipc_changed,
    .choices = brn_ipc_tell_choices,
    .doubt = ipc_doubt,
    .destroy = ipc_destroy,
};
