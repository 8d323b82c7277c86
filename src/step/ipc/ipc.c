#include "step/ipc/ipc.h"

#include "linalg/dense.h"
#include "step/ipc/ipc_barrier.h"

#include <math.h>
#include <string.h>

/* Solves allowed in a step while friction's normal forces settle. Plain renewals may cycle: more friction here turns a
   block, which unloads it there. After every LAGS_PLAIN of them the share of the new forces is halved, which finds the
   mean of a cycle if that is stable. */
enum { LAGS_MAX = 100, LAGS_PLAIN = 8 };
static const double SHARE_LEAST = 0.125;
/* Forces have settled when a renewal changes them by less than this, relative to the largest. */
static const double LAG_SETTLED = 1e-5;

/* An adaptive stiffness is doubled while a gap shrinks below this fraction of the model's size, up to this factor. */
static const double GAP_SMALL = 1e-9;
static const double STIFFEN_MOST = 1048576.0;

/* Stiffness for the next step and of the last one [Pa], smallest gap [m]. */
static const char MEMORY[] = "ipc.barrier";
enum { MEMORY_SIZE = 3 };

static const char *const solver_words[] = {"direct", "pcg", NULL};
static const char *const barrier_words[] = {"c2", "lecture", NULL};

static const brn_param params[] = {
    BRN_P_REAL(brn_ipc_params, dhat, "m", NAN, 0.0, INFINITY, BRN_OPEN,
               "gap below which parts repel each other; 1e-3 of the model's size by default"),
    BRN_P_REAL(
        brn_ipc_params, kappa, "Pa", NAN, 0.0, INFINITY, BRN_OPEN,
        "stiffness of the barrier, the pressure at about half of dhat; by default it starts from a tenth of "
        "the largest Young's modulus, rises with the pressure of impacts and while gaps shrink to nothing"),
    BRN_P_CHOICE(
        brn_ipc_params, barrier, BRN_BARRIER_C2, barrier_words,
        "c2: twice differentiable, converges best; lecture: the once differentiable ones of the lecture"),
    BRN_P_BOOL(brn_ipc_params, convergent, false,
               "count what several sides of a surface see together once: forces do not depend on the mesh"),
    BRN_P_REAL(brn_ipc_params, friction_speed, "m/s", NAN, 0.0, INFINITY, BRN_OPEN,
               "eps_v: slower slip counts as sticking; 1e-3 model sizes a second by default"),
    BRN_P_INT(brn_ipc_params, friction_iterations, 1, 0, 1000,
              "how often a step is solved with the friction's normal forces renewed; 0: until they settle"),
    BRN_P_REAL(brn_ipc_params, tolerance, "1", 1e-4, 0.0, 1.0, BRN_OPEN,
               "Newton stops when no node would still move faster than this times the model's size a second"),
    BRN_P_INT(brn_ipc_params, iterations, 300, 1, 100000,
              "Newton iterations allowed before a step is cut in half"),
    BRN_P_CHOICE(brn_ipc_params, solver, BRN_NEWTON_DIRECT, solver_words,
                 "direct: sparse Cholesky; pcg: conjugate gradients with block-Jacobi"),
};

/* The method's own figures. */
enum { OWN_KAPPA, OWN_LAG_CHANGE };
static const brn_own_figure figures[] = {
    [OWN_KAPPA] = {{.name = "ipc.kappa",
                    .label = "barrier stiffness",
                    .unit = "Pa",
                    .meaning = "stiffness of the barrier in the last part of the step",
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
    void *arrays[] = {ipc->far, ipc->contact, ipc->slide, ipc->looked_at, ipc->local, ipc->point};
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

/* Where an adaptive stiffness starts [Pa]: a tenth of the stiffest deformable body's Young's modulus; among rigid bodies the
   pressure that stops a body over a hundredth of the model's size within a step. */
static double starting_stiffness(const brn_ipc *ipc)
{
    const brn_model *model = ipc->model;
    double start = 0.0;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        for (int i = 0; i < body->group_count; ++i) {
            start = fmax(start, 0.1 * model->group[body->group_first + i]->young);
        }
        double area = 0.0;
        for (int i = 0; i < body->touch->nnode && body->type == BRN_BODY_RIGID; ++i) {
            area += ipc->skin->node_area[body->touch->node[i]];
        }
        if (area > 0.0) {
            const double h = model->step;
            start = fmax(start, 1e-2 * body->mass / area * ipc->system->size / (h * h));
        }
    }
    return start > 0.0 ? start : 1.0;
}

/* Defaults that depend on the model. */
static void choose(brn_ipc *ipc)
{
    const brn_ipc_params *p = ipc->params;
    ipc->dhat = isnan(p->dhat) ? 1e-3 * ipc->system->size : p->dhat;
    ipc->kappa_start = isnan(p->kappa) ? starting_stiffness(ipc) : p->kappa;
    ipc->kappa = ipc->kappa_start;
    ipc->speed = isnan(p->friction_speed) ? 1e-3 * ipc->system->size : p->friction_speed;
}

static brn_status fill(brn_ipc *ipc)
{
    const brn_ipc_params *p = ipc->params;
    const brn_newton_params newton = {ipc->model->integrator, 1e-10, p->iterations, BRN_NEWTON_PROJECTED,
                                      p->solver};
    brn_ipc_fill_terms(ipc);
    BRN_ALLOC(ipc->ctx, ipc->far, (size_t)ipc->model->nnode * 3);
    BRN_TRY(brn_skin_create(ipc->ctx, ipc->model, &ipc->skin));
    BRN_ALLOC(ipc->ctx, ipc->looked_at, 3 * ((size_t)ipc->skin->npoint + 3 * (size_t)ipc->skin->nplane));
    choose(ipc);
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

/* The pressure that stops the surface's nodes within a step at their present speed [Pa]. A much softer barrier would let
   gaps shrink to nothing before it balances an impact. */
static double impact_pressure(const brn_ipc *ipc, const brn_state *state, double h)
{
    const brn_model *model = ipc->model;
    const brn_skin *skin = ipc->skin;
    double fastest = 0.0;
    double heaviest = 0.0; /* [kg/m^2], [kg/m] in 2D */
    for (int i = 0; i < skin->npoint; ++i) {
        const int a = skin->point[i];
        const double *v = &state->node_vel[3 * a];
        fastest = fmax(fastest, brn_dense_dot3(v, v));
        if (!skin->held[a] && skin->node_area[a] > 0.0) {
            heaviest = fmax(heaviest, model->node_mass[a] / skin->node_area[a]);
        }
    }
    return heaviest * sqrt(fastest) / h;
}

/* The stiffness for a step: what the state remembers, or more if an impact needs it. *work: the energy [J] added by its
   change since the end of the last step. */
static brn_status choose_stiffness(brn_ipc *ipc, const brn_state *in, double h, double *work)
{
    const brn_memory *memory = brn_state_recall(in, MEMORY);
    const bool known = memory != NULL && memory->count == MEMORY_SIZE;
    const double before = known ? memory->value[1] : ipc->kappa_start;
    ipc->kappa = known ? memory->value[0] : ipc->kappa_start;
    if (isnan(ipc->params->kappa)) {
        ipc->kappa = fmax(ipc->kappa, impact_pressure(ipc, in, h));
    }
    *work = 0.0;
    if (ipc->kappa != before) {
        double stored = 0.0;
        ipc->nslide = 0;
        BRN_TRY(ipc->terms.energy(ipc, in->node_pos, &stored));
        *work = stored * (1.0 - before / ipc->kappa);
    }
    return BRN_OK;
}

/* An adaptive stiffness doubles when the smallest gap is tiny and still shrinking. */
static brn_status remember_stiffness(brn_ipc *ipc, const brn_state *in, brn_state *out, double gap)
{
    const brn_memory *before = brn_state_recall(in, MEMORY);
    const double last = before != NULL && before->count == MEMORY_SIZE ? before->value[2] : INFINITY;
    double *memory = NULL;
    BRN_TRY(brn_state_remember(out, MEMORY, MEMORY_SIZE, &memory));
    const bool shrinks = gap < GAP_SMALL * ipc->system->size && gap < last;
    const bool stiffen = isnan(ipc->params->kappa) && shrinks && ipc->kappa < STIFFEN_MOST * ipc->kappa_start;
    memory[0] = stiffen ? 2.0 * ipc->kappa : ipc->kappa;
    memory[1] = ipc->kappa;
    memory[2] = gap;
    return BRN_OK;
}

/* What the report needs to know about the end of the step. */
static brn_status measure(brn_ipc *ipc, const double *x, brn_step_info *info)
{
    brn_meetings meetings = {0};
    BRN_TRY(brn_ipc_find_points(ipc, x));
    BRN_TRY(count_meetings(ipc, x, &meetings));
    info->intersections = (int)meetings.count;
    BRN_TRY(ipc->terms.energy(ipc, x, &info->contact_energy)); /* friction is gone: only what is stored */
    info->point = ipc->point;
    info->npoint = ipc->npoint;
    info->contacts = ipc->ncontact;
    info->complementarity_offset = ipc->dhat;
    info->own[OWN_KAPPA] = ipc->kappa;
    for (int i = 0; i < ipc->ncontact; ++i) {
        info->gap_min = fmin(info->gap_min, brn_pair_gap(&ipc->contact[i]));
        info->complementarity = fmax(info->complementarity, brn_pair_gap(&ipc->contact[i]));
    }
    return BRN_OK;
}

static brn_status ipc_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    brn_ipc *ipc = self;
    ipc->kappa = ipc->kappa_start;
    ipc->nslide = 0; /* nothing has slipped yet */
    BRN_TRY(check_start(ipc, state->node_pos));
    BRN_TRY(brn_newton_reset(ipc->newton, state, t, &info->books));
    return measure(ipc, state->node_pos, info);
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
    ipc->slip_scale = ipc->speed * h;
    n->step_tolerance = ipc->params->tolerance * ipc->system->size * h;
    BRN_TRY(brn_ipc_find_candidates(ipc, in->node_pos, in->node_pos));
    BRN_TRY(choose_stiffness(ipc, in, h, &info->stiffness_work));
    BRN_TRY(brn_ipc_renew_friction(ipc, in->node_pos));
    BRN_TRY(brn_newton_begin(n, in, t, h));
    BRN_TRY(solve_with_friction(ipc, info));
    BRN_TRY(brn_newton_finish(n, in, out, &info->books));
    BRN_TRY(measure(ipc, out->node_pos, info));
    if (info->intersections > 0) {
        return brn_fail(ipc->ctx, BRN_ERR_CONVERGENCE,
                        "t = %g s: gaps shrank below the rounding of positions; try a larger method.dhat or "
                        "method.kappa",
                        t);
    }
    return remember_stiffness(ipc, in, out, info->gap_min);
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

const brn_method brn_ipc_method = {
    .table = &table,
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
    .destroy = ipc_destroy,
};
