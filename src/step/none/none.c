#include "step/none/none.h"

#include <math.h>
#include <string.h>

static const char *const tangent_words[] = {"auto", "exact", "projected", NULL};
static const char *const solver_words[] = {"direct", "pcg", NULL};

static const brn_param params[] = {
    BRN_P_REAL(brn_none_params, tolerance, "1", 1e-8, 0.0, 1.0, BRN_OPEN,
               "unbalanced force at which Newton stops, relative to the largest force in play"),
    BRN_P_INT(brn_none_params, iterations, 50, 1, 10000,
              "Newton iterations allowed before a step is cut in half"),
    BRN_P_CHOICE(brn_none_params, tangent, BRN_NONE_AUTO, tangent_words,
                 "auto: exact while it is positive definite, else projected element by element"),
    BRN_P_CHOICE(brn_none_params, solver, BRN_NONE_DIRECT, solver_words,
                 "direct: sparse Cholesky; pcg: conjugate gradients with block-Jacobi"),
};

static const brn_table table = {
    .name = "none",
    .help = "elasticity without contact: bodies pass through each other",
    .size = sizeof(brn_none_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static void none_destroy(void *self)
{
    brn_none *none = self;
    if (none == NULL) {
        return;
    }
    brn_scheme_destroy(none->ctx, none->scheme);
    brn_factor_destroy(none->factor);
    double *arrays[] = {none->x,       none->y,       none->trial,    none->step,
                        none->rhs,     none->inertia, none->elastic,  none->load,
                        none->damping, none->gravity, none->stiffness};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(none->ctx, arrays[i]);
    }
    brn_free(none->ctx, none);
}

/* A static body needs supports; say so before a solver calls it singular. */
static brn_status check_supports(brn_ctx *ctx, const brn_model *model)
{
    for (int n = 0; n < model->nbody && model->integrator == BRN_STATIC; ++n) {
        const brn_body *body = &model->body[n];
        int held = 0;
        for (int dof = body->node_first * model->dim;
             dof < (body->node_first + body->node_count) * model->dim; ++dof) {
            held += model->fixed[dof];
        }
        const int needed = model->dim == 3 ? 6 : 3;
        if (held < needed) {
            return brn_fail(
                ctx, BRN_ERR_SCENE,
                "body '%s' has %d held dofs, but a static run needs at least %d to stop it from floating "
                "away: add an entry to `fixed`",
                body->name, held, needed);
        }
    }
    return BRN_OK;
}

static brn_status none_allocate(brn_none *none)
{
    BRN_TRY(brn_scheme_create(none->ctx, none->system, &none->scheme));
    double **arrays[] = {&none->y,       &none->trial, &none->step,    &none->rhs,     &none->inertia,
                         &none->elastic, &none->load,  &none->damping, &none->gravity, &none->stiffness};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        BRN_ALLOC(none->ctx, *arrays[i], none->system->ndof);
    }
    BRN_ALLOC(none->ctx, none->x, (size_t)none->model->nnode * 3);
    for (int dof = 0; dof < none->system->ndof; ++dof) {
        none->trial[dof] = none->model->gravity[dof % none->model->dim];
    }
    return brn_system_mass_apply(none->system, none->trial, none->gravity);
}

static brn_status none_create(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self)
{
    *self = NULL;
    BRN_TRY(check_supports(ctx, model));
    brn_none *none = NULL;
    BRN_ALLOC(ctx, none, 1);
    none->ctx = ctx;
    none->model = model;
    none->system = system;
    none->params = model->method_params;
    const brn_status status = none_allocate(none);
    if (status < 0) {
        none_destroy(none);
        return status;
    }
    *self = none;
    return BRN_OK;
}

brn_status brn_none_loads(brn_none *none, const double *x, double t, double *force, brn_block_matrix *matrix)
{
    memset(force, 0, (size_t)none->system->ndof * sizeof *force);
    BRN_TRY(brn_system_loads(none->system, x, t, force, matrix));
    if (none->model->integrator == BRN_STATIC) {
        const double factor = fmin(1.0, t / none->model->end);
        for (int dof = 0; dof < none->system->ndof; ++dof) {
            force[dof] += factor * none->gravity[dof];
        }
    }
    return BRN_OK;
}

void brn_none_write_forces(const brn_none *none, const double *load, const double *react,
                           const double *damping, brn_state *out)
{
    const int dim = none->model->dim;
    double *const arrays[] = {out->node_load, out->node_react, out->node_damp};
    for (int i = 0; i < BRN_COUNT(arrays) && dim == 2; ++i) {
        memset(arrays[i], 0, (size_t)none->model->nnode * 3 * sizeof(double)); /* z */
    }
    for (int dof = 0; dof < none->system->ndof; ++dof) {
        const int at = dof / dim * 3 + dof % dim;
        out->node_load[at] = load[dof];
        out->node_react[at] = none->model->fixed[dof] ? react[dof] : 0.0;
        out->node_damp[at] = damping[dof];
    }
}

/* Initial accelerations M a = loads + M g - gradient - D v, for Newmark, and the forces of the initial state. Held
   dofs start without acceleration: a sudden start of their motion belongs to the first step. */
static brn_status none_reset(void *self, brn_state *state, double t)
{
    brn_none *none = self;
    brn_system *s = none->system;
    const int ndof = s->ndof;
    brn_state_forget_all(state);
    memset(none->elastic, 0, (size_t)ndof * sizeof(double));
    memset(none->damping, 0, (size_t)ndof * sizeof(double));
    memset(none->step, 0, (size_t)ndof * sizeof(double));
    BRN_TRY(brn_system_elastic(s, state->node_pos, BRN_TANGENT_EXACT, NULL, none->elastic, NULL));
    BRN_TRY(brn_none_loads(none, state->node_pos, t, none->load, NULL));
    const bool dynamic = none->model->integrator != BRN_STATIC;
    if (s->damping != NULL && dynamic) {
        BRN_TRY(brn_system_damping_update(s, state->node_pos));
        brn_system_pack(s, state->node_vel, none->trial);
        BRN_TRY(brn_block_matrix_multiply(s->damping, none->trial, none->damping));
    }
    for (int dof = 0; dof < ndof; ++dof) {
        none->damping[dof] *= -1.0;
        none->rhs[dof] =
            none->load[dof] + none->damping[dof] - none->elastic[dof] + (dynamic ? none->gravity[dof] : 0.0);
    }
    memset(none->inertia, 0, (size_t)ndof * sizeof(double));
    if (none->model->integrator == BRN_NEWMARK) {
        double *acceleration = NULL;
        BRN_TRY(brn_system_mass_solve(s, none->rhs, none->step));
        BRN_TRY(brn_state_remember(state, "newmark.acceleration", (size_t)ndof, &acceleration));
        memcpy(acceleration, none->step, (size_t)ndof * sizeof(double));
        BRN_TRY(brn_system_mass_apply(s, none->step, none->inertia));
    }
    for (int dof = 0; dof < ndof; ++dof) {
        none->rhs[dof] = none->inertia[dof] - none->rhs[dof]; /* what the holds must supply */
    }
    brn_none_write_forces(none, none->load, none->rhs, none->damping, state);
    return BRN_OK;
}

static brn_status none_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                            double *h_done, brn_step_info *info)
{
    brn_none *none = self;
    *h_done = h;
    return none->model->integrator == BRN_SYMPLECTIC_EULER
               ? brn_none_step_explicit(none, in, t, h, out, info)
               : brn_none_step_implicit(none, in, t, h, out, info);
}

const brn_method brn_none_method = {
    .table = &table,
    .bodies = 1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_STATIC,
    .integrators = 1u << BRN_IMPLICIT_EULER | 1u << BRN_BDF2 | 1u << BRN_NEWMARK | 1u << BRN_MIDPOINT |
                   1u << BRN_SYMPLECTIC_EULER | 1u << BRN_STATIC,
    .create = none_create,
    .step = none_step,
    .reset = none_reset,
    .destroy = none_destroy,
};
