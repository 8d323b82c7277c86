/* A method of the tests with two stages in one run: equilibrium under loads and a ramped weight up to half of the time, then
   Newmark from what is stored. */
#include "step/newton.h"

typedef struct launch_params {
    brn_block block;
    double tolerance;
    int iterations;
} launch_params;

typedef struct launch {
    brn_ctx *ctx;
    const brn_model *model;
    brn_newton *stage[2];
} launch;

static const brn_param params[] = {
    BRN_P_REAL(launch_params, tolerance, "1", 1e-8, 0.0, 1.0, BRN_OPEN, "of Newton's method"),
    BRN_P_INT(launch_params, iterations, 50, 1, 10000, "of Newton's method"),
};

static const brn_table table = {
    .name = "launch",
    .help = "static, then dynamic",
    .size = sizeof(launch_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static brn_newton *stage_at(const launch *m, double t)
{
    return m->stage[t < 0.5 * m->model->end * (1.0 - 1e-9) ? 0 : 1];
}

static void launch_destroy(void *self)
{
    launch *m = self;
    brn_newton_destroy(m->stage[0]);
    brn_newton_destroy(m->stage[1]);
    brn_free(m->ctx, m);
}

static brn_status launch_create(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self)
{
    static const int integrators[] = {BRN_STATIC, BRN_NEWMARK};
    const launch_params *given = model->method_params;
    launch *m = NULL;
    BRN_ALLOC(ctx, m, 1);
    m->ctx = ctx;
    m->model = model;
    for (int i = 0; i < 2; ++i) {
        const brn_newton_params newton = {.integrator = integrators[i],
                                          .tolerance = given->tolerance,
                                          .iterations = given->iterations,
                                          .budget = 5000};
        const brn_status status = brn_newton_create(ctx, model, system, &newton, NULL, &m->stage[i]);
        if (status < 0) {
            launch_destroy(m);
            return status;
        }
    }
    *self = m;
    return BRN_OK;
}

static brn_status launch_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    return brn_newton_reset(stage_at(self, t), state, t, &info->books);
}

static brn_status launch_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                              double *h_done, brn_step_info *info)
{
    brn_newton *now = stage_at(self, t);
    *h_done = h;
    BRN_TRY(brn_newton_begin(now, in, t, h));
    BRN_TRY(brn_newton_solve(now, info));
    BRN_TRY(brn_newton_finish(now, in, out, &info->books));
    info->ends_stage = stage_at(self, t + h) != now;
    return BRN_OK;
}

static brn_stage launch_stage(const void *self, const brn_state *state, double t)
{
    (void)state;
    return brn_newton_stage(stage_at(self, t), t);
}

extern const brn_method brn_launch_method;
const brn_method brn_launch_method = {
    .table = &table,
    .integrators = 1u << BRN_NEWMARK,
    .bodies = 1u << BRN_BODY_DEFORMABLE,
    .predict = brn_newton_predict,
    .create = launch_create,
    .step = launch_step,
    .reset = launch_reset,
    .stage = launch_stage,
    .destroy = launch_destroy,
};
