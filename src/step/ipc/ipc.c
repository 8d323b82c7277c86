#include "step/ipc/ipc.h"

#include <math.h>
#include <string.h>

static const char *const solver_words[] = {"direct", "pcg", NULL};

static const brn_param params[] = {
    BRN_P_REAL(brn_ipc_params, dhat, "m", NAN, 0.0, INFINITY, BRN_OPEN,
               "gap below which parts repel each other; 1e-3 of the model's size by default"),
    BRN_P_REAL(brn_ipc_params, kappa, "Pa", NAN, 0.0, INFINITY, BRN_OPEN,
               "stiffness of the barrier, the pressure at about half of dhat; a tenth of the largest Young's "
               "modulus by default"),
    BRN_P_REAL(brn_ipc_params, friction_speed, "m/s", NAN, 0.0, INFINITY, BRN_OPEN,
               "eps_v: slower slip counts as sticking; 1e-3 model sizes a second by default"),
    BRN_P_INT(brn_ipc_params, friction_iterations, 1, 1, 1000,
              "how often a step is solved with the friction's normal forces renewed"),
    BRN_P_REAL(brn_ipc_params, tolerance, "1", 1e-4, 0.0, 1.0, BRN_OPEN,
               "Newton stops when no node would still move faster than this times the model's size a second"),
    BRN_P_INT(brn_ipc_params, iterations, 100, 1, 100000,
              "Newton iterations allowed before a step is cut in half"),
    BRN_P_CHOICE(brn_ipc_params, solver, BRN_NEWTON_DIRECT, solver_words,
                 "direct: sparse Cholesky; pcg: conjugate gradients with block-Jacobi"),
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
    brn_free(ipc->ctx, ipc->far);
    brn_free(ipc->ctx, ipc->contact);
    brn_free(ipc->ctx, ipc->slide);
    brn_free(ipc->ctx, ipc->pattern);
    brn_free(ipc->ctx, ipc);
}

/* Whether the exact test looks at an edge and a triangle (3D) or another edge (2D): two obstacles may overlap. */
static bool looked_at(const void *arg, int a, int b)
{
    const brn_skin *skin = arg;
    return skin->dim == 2 ? brn_skin_may_touch(skin, skin->edge[a], 2, skin->edge[b], 2)
                          : brn_skin_may_touch(skin, skin->edge[a], 2, skin->tri[b], 3);
}

static brn_status intersections(brn_ipc *ipc, const double *x, brn_intersection *found, int room,
                                size_t *count)
{
    const brn_skin *skin = ipc->skin;
    const brn_surface surface = {
        .dim = skin->dim,
        .nnode = ipc->model->nnode,
        .pos = (const double(*)[3])x,
        .nedge = skin->nedge,
        .edge = (const int(*)[2])skin->edge,
        .ntri = skin->ntri,
        .tri = (const int(*)[3])skin->tri,
        .keep = looked_at,
        .keep_arg = skin,
    };
    return brn_intersect_surface(ipc->intersect, &surface, found, room, count);
}

/* Refuses a start that is not free of intersections, by names and place. */
static brn_status check_start(brn_ipc *ipc, const double *x)
{
    brn_intersection first;
    size_t count = 0;
    BRN_TRY(intersections(ipc, x, &first, 1, &count));
    if (count == 0) {
        return BRN_OK;
    }
    const brn_skin *skin = ipc->skin;
    const int a = skin->node_body[skin->edge[first.edge][0]];
    const int b = skin->node_body[skin->dim == 2 ? skin->edge[first.other][0] : skin->tri[first.other][0]];
    return brn_fail(
        ipc->ctx, BRN_ERR_SCENE,
        "body '%s' and body '%s' touch or intersect at the start, near [%g, %g, %g] (%zu places): method ipc "
        "needs a gap between them",
        ipc->model->body[a].name, ipc->model->body[b].name, first.point[0], first.point[1], first.point[2],
        count);
}

/* Defaults that depend on the model. */
static void choose(brn_ipc *ipc)
{
    const brn_ipc_params *p = ipc->params;
    double stiffest = 0.0;
    for (int i = 0; i < ipc->model->nsolid; ++i) {
        const brn_moduli *m = &ipc->model->solid[i]->moduli;
        const double young = m->mu * (3.0 * m->lambda + 2.0 * m->mu) / (m->lambda + m->mu);
        stiffest = fmax(stiffest, young);
    }
    ipc->dhat = isnan(p->dhat) ? 1e-3 * ipc->system->size : p->dhat;
    ipc->kappa = isnan(p->kappa) ? 0.1 * stiffest : p->kappa;
    ipc->speed = isnan(p->friction_speed) ? 1e-3 * ipc->system->size : p->friction_speed;
}

static brn_status fill(brn_ipc *ipc)
{
    const brn_ipc_params *p = ipc->params;
    const brn_newton_params newton = {1e-10, p->iterations, BRN_NEWTON_PROJECTED, p->solver};
    choose(ipc);
    brn_ipc_fill_terms(ipc);
    BRN_ALLOC(ipc->ctx, ipc->far, (size_t)ipc->model->nnode * 3);
    BRN_TRY(brn_skin_create(ipc->ctx, ipc->model, &ipc->skin));
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

/* What the report wants to know of the end of the step. */
static brn_status measure(brn_ipc *ipc, const double *x, brn_step_info *info)
{
    size_t count = 0;
    BRN_TRY(intersections(ipc, x, NULL, 0, &count));
    info->intersections = (int)count;
    const int slides = ipc->nslide;
    ipc->nslide = 0; /* the friction potential is no stored energy */
    const brn_status status = ipc->terms.energy(ipc, x, &info->contact_energy);
    ipc->nslide = slides;
    BRN_TRY(status);
    info->contacts = ipc->ncontact;
    info->complementarity_offset = ipc->dhat;
    for (int i = 0; i < ipc->ncontact; ++i) {
        info->gap_min = fmin(info->gap_min, sqrt(ipc->contact[i].d2));
        info->complementarity = fmax(info->complementarity, sqrt(ipc->contact[i].d2));
    }
    return BRN_OK;
}

static brn_status ipc_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    brn_ipc *ipc = self;
    BRN_TRY(check_start(ipc, state->node_pos));
    BRN_TRY(brn_newton_reset(ipc->newton, state, t));
    BRN_TRY(brn_candidates_find(ipc->candidates, state->node_pos, state->node_pos, ipc->dhat));
    return measure(ipc, state->node_pos, info);
}

static brn_status ipc_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                           double *h_done, brn_step_info *info)
{
    brn_ipc *ipc = self;
    brn_newton *n = ipc->newton;
    *h_done = h;
    ipc->from = in->node_pos;
    ipc->slip_scale = ipc->speed * h;
    n->step_tolerance = ipc->params->tolerance * ipc->system->size * h;
    BRN_TRY(brn_candidates_find(ipc->candidates, in->node_pos, in->node_pos, ipc->dhat));
    BRN_TRY(brn_ipc_renew_friction(ipc, in->node_pos));
    BRN_TRY(brn_newton_begin(n, in, t, h));
    BRN_TRY(brn_newton_solve(n, info));
    for (int lag = 1; lag < ipc->params->friction_iterations && ipc->nslide > 0; ++lag) {
        BRN_TRY(brn_ipc_renew_friction(ipc, n->x));
        BRN_TRY(brn_newton_solve(n, info));
    }
    /* Friction dissipates like damping does; the barrier's own force is in the reactions. */
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *friction = brn_arena_take(arena, (size_t)ipc->system->ndof, sizeof *friction);
    if (friction == NULL) {
        return BRN_ERR_MEMORY;
    }
    memset(friction, 0, (size_t)ipc->system->ndof * sizeof *friction);
    brn_ipc_friction_gradient(ipc, n->x, friction);
    for (int i = 0; i < ipc->system->ndof; ++i) {
        n->damping[i] += friction[i]; /* finish turns the sign */
    }
    brn_arena_rewind(arena, mark);
    BRN_TRY(brn_newton_finish(n, in, out));
    return measure(ipc, out->node_pos, info);
}

const brn_method brn_ipc_method = {
    .table = &table,
    .integrators = 1u << BRN_IMPLICIT_EULER | 1u << BRN_BDF2 | 1u << BRN_NEWMARK | 1u << BRN_STATIC,
    .contact = true,
    .create = ipc_create,
    .step = ipc_step,
    .reset = ipc_reset,
    .destroy = ipc_destroy,
};
