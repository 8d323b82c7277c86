/* A method of the tests: symplectic Euler in three ticks a step. It stands for what event methods do: it sums its books on the
   way, its forces are for show, it ends windows early (every fourth step stops after its second tick, and what is left of
   it is done in three more), and it asks for room in the state. */
#include "step/ledger.h"
#include "step/none/none.h"

#include <string.h>

enum { TICKS = 3, TICKS_SHORT = 2, SHORT_EVERY = 4 };

typedef struct ticks_params {
    brn_block block;
    double tolerance; /* every method of the contract takes these two; there is nothing to solve here */
    int iterations;
} ticks_params;

typedef struct ticks {
    brn_ctx *ctx;
    brn_system *system;
    brn_newton *newton;
    brn_state *state[2];
} ticks;

static const brn_param params[] = {
    BRN_P_REAL(ticks_params, tolerance, "1", 1e-8, 0.0, 1.0, BRN_OPEN, "not used"),
    BRN_P_INT(ticks_params, iterations, 50, 1, 10000, "not used"),
};

static const brn_table table = {
    .name = "ticks",
    .help = "explicit, in ticks",
    .size = sizeof(ticks_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static void ticks_sizes(const brn_model *model, brn_state_sizes *sizes)
{
    (void)model;
    sizes->njoint = 1;
}

static void ticks_destroy(void *self)
{
    ticks *t = self;
    brn_newton_destroy(t->newton);
    brn_state_destroy(t->state[0]);
    brn_state_destroy(t->state[1]);
    brn_free(t->ctx, t);
}

static brn_status ticks_create(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self)
{
    const brn_newton_params newton = {.integrator = BRN_SYMPLECTIC_EULER, .tolerance = 1e-8, .iterations = 1};
    brn_state_sizes sizes = {.nnode = model->nnode};
    ticks *t = NULL;
    BRN_ALLOC(ctx, t, 1);
    t->ctx = ctx;
    t->system = system;
    ticks_sizes(model, &sizes);
    brn_status status = brn_newton_create(ctx, model, system, &newton, NULL, &t->newton);
    for (int i = 0; i < 2 && status >= 0; ++i) {
        status = brn_state_create(ctx, &sizes, &t->state[i]);
    }
    if (status < 0) {
        ticks_destroy(t);
        return status;
    }
    *self = t;
    return BRN_OK;
}

static brn_status ticks_reset(void *self, brn_state *state, double t, brn_step_info *info)
{
    state->joint_pos[0] = t;
    state->joint_vel[0] = 1.0;
    return brn_newton_reset(((ticks *)self)->newton, state, t, &info->books);
}

static brn_status ticks_step(void *self, const brn_state *in, double t, double h, brn_state *out,
                             double *h_done, brn_step_info *info)
{
    ticks *m = self;
    const double tick = h / TICKS;
    const bool first = t == (double)in->step * m->system->model->step;
    const int count = first && (in->step + 1) % SHORT_EVERY == 0 ? TICKS_SHORT : TICKS;
    brn_state *from = m->state[0];
    brn_state *to = m->state[1];
    BRN_TRY(brn_state_copy(in, from));
    for (int k = 0; k < count; ++k) {
        brn_step_info part = {0};
        BRN_TRY(brn_none_step_explicit(m->newton, from, t + k * tick, tick, to, &part));
        BRN_TRY(brn_ledger_book(m->system, from, to, tick, &part));
        brn_state *was = from;
        from = to;
        to = was;
    }
    BRN_TRY(brn_state_copy(from, out));
    *h_done = count == TICKS ? h : count * tick;
    out->joint_pos[0] = t + *h_done;
    out->joint_vel[0] = 1.0;
    info->iterations = count;
    info->books = (brn_books){
        .inertia = true,
        .summed = true,
        .work = out->ledger[BRN_LEDGER_WORK] - in->ledger[BRN_LEDGER_WORK],
        .dissipated = out->ledger[BRN_LEDGER_DISSIPATED] - in->ledger[BRN_LEDGER_DISSIPATED],
    };
    for (int i = 0; i < 6; ++i) {
        info->books.impulse[i] = out->ledger[BRN_LEDGER_IMPULSE + i] - in->ledger[BRN_LEDGER_IMPULSE + i];
    }
    return BRN_OK;
}

static brn_stage ticks_stage(const void *self, const brn_state *state, double t)
{
    (void)self;
    (void)state;
    (void)t;
    return (brn_stage){.inertia = true, .forward = true, .gravity = 1.0};
}

static brn_status ticks_predict(const brn_model *model, brn_system *system, brn_prediction *out)
{
    (void)system;
    *out = (brn_prediction){.step_min = model->step / TICKS, .steps = (double)model->nstep * TICKS};
    return BRN_OK;
}

extern const brn_method brn_ticks_method;
const brn_method brn_ticks_method = {
    .table = &table,
    .integrators = 1u << BRN_SYMPLECTIC_EULER,
    .bodies = 1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_STATIC,
    .predict = ticks_predict,
    .sizes = ticks_sizes,
    .create = ticks_create,
    .step = ticks_step,
    .reset = ticks_reset,
    .stage = ticks_stage,
    .destroy = ticks_destroy,
};
