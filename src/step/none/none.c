#include "step/none/none.h"

typedef struct none_params {
    brn_block block;
    double tolerance;
    int iterations, budget, tangent, solver;
} none_params;

static const char *const tangent_words[] = {"auto", "exact", "projected", NULL};
static const char *const solver_words[] = {"direct", "pcg", NULL};

static const brn_param params[] = {
    BRN_P_REAL(none_params, tolerance, "1", 1e-8, 0.0, 1.0, BRN_OPEN,
               "unbalanced force at which Newton stops, relative to the largest force in play"),
    BRN_P_INT(none_params, iterations, 50, 1, 10000,
              "Newton iterations allowed before a step is cut in half"),
    BRN_P_INT(none_params, budget, 0, 0, 1000000000,
              "Newton iterations allowed in a step with all its parts and attempts; then the run ends; 0: "
              "1500, and up to 5000 for models of less than 1000 nodes"),
    BRN_P_CHOICE(none_params, tangent, BRN_NEWTON_AUTO, tangent_words,
                 "auto: exact while it is positive definite, else projected element by element"),
    BRN_P_CHOICE(none_params, solver, BRN_NEWTON_DIRECT, solver_words,
                 "direct: sparse Cholesky; pcg: conjugate gradients with block-Jacobi, which leave to direct "
                 "what they cannot solve"),
};

static const brn_table table = {
    .name = "none",
    .help = "elasticity without contact: bodies pass through each other",
    .size = sizeof(none_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static brn_status none_create(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self)
{
    const none_params *given = model->method_params;
    const brn_newton_params newton = {model->integrator, given->tolerance, given->iterations,
                                      given->budget,     given->tangent,   given->solver};
    brn_newton *n = NULL;
    BRN_TRY(brn_newton_create(ctx, model, system, &newton, NULL, &n));
    *self = n;
    return BRN_OK;
}

static void none_destroy(void *self)
{
    brn_newton_destroy(self);
}

static brn_status none_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    return brn_newton_reset(self, state, t, &info->books);
}

static brn_status none_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                            double *h_done, brn_step_info *info)
{
    brn_newton *n = self;
    *h_done = h;
    if (n->params.integrator == BRN_SYMPLECTIC_EULER) {
        return brn_none_step_explicit(n, in, t, h, out, info);
    }
    BRN_TRY(brn_newton_begin(n, in, t, h));
    BRN_TRY(brn_newton_solve(n, info));
    return brn_newton_finish(n, in, out, &info->books);
}

static brn_stage none_stage(const void *self, const brn_state *state, double t)
{
    const brn_newton *n = self;
    (void)state;
    brn_stage stage = brn_newton_stage(n, t);
    stage.forward = n->params.integrator == BRN_SYMPLECTIC_EULER;
    return stage;
}

static brn_status none_changed(void *self, brn_state *state, const brn_change *change)
{
    return brn_newton_changed(self, state, change);
}

const brn_method brn_none_method = {
    .table = &table,
    .releases = true,
    .integrators = 1u << BRN_TURNING_EULER | 1u << BRN_IMPLICIT_EULER | 1u << BRN_BDF2 | 1u << BRN_NEWMARK |
                   1u << BRN_MIDPOINT | 1u << BRN_SYMPLECTIC_EULER | 1u << BRN_STATIC,
    .bodies = 1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_STATIC | 1u << BRN_BODY_RIGID | 1u << BRN_BODY_SHELL,
    .contact_instead = {[BRN_CONTACT_RESTITUTION] = "bodies do not touch; leave it out",
                        [BRN_CONTACT_STIFFNESS] = "bodies do not touch; leave it out",
                        [BRN_CONTACT_RELAXATION] = "bodies do not touch; leave it out"},
    .dissipates = true,
    .predict = brn_newton_predict,
    .create = none_create,
    .step = none_step,
    .reset = none_reset,
    .stage = none_stage,
    .changed = none_changed,
    .destroy = none_destroy,
};
