/* Holds that end: from then on their nodes are free. A step within which one ends is cut there. The model is the caller's and has all holds; a
   simulation in which some end has a copy whose `fixed` is its own, and everything it makes looks at that one. */
#include "step/sim.h"

#include <math.h>
#include <string.h>

/* Of a step: a hold ends with the step that begins or ends so near to its time. */
static const double SLACK = 1e-6;

brn_status brn_sim_own_holds(brn_sim *sim, const brn_model *model)
{
    bool any = false;
    for (int i = 0; i < model->nhold; ++i) {
        any = any || isfinite(model->hold[i].release);
    }
    sim->model = model;
    if (!any) {
        return BRN_OK;
    }
    const size_t ndof = (size_t)model->nrow * (size_t)model->dim;
    sim->own = *model;
    sim->own.fixed = NULL;
    BRN_ALLOC(sim->ctx, sim->own.fixed, ndof + 1);
    memcpy(sim->own.fixed, model->fixed, ndof);
    sim->model = &sim->own;
    return BRN_OK;
}

/* Sets the dofs of a hold that are held by any. */
static void set_dofs(brn_model *model, const brn_hold *hold, unsigned char to)
{
    for (int k = 0; k < hold->nnode * model->dim; ++k) {
        const int row = model->node_row[hold->node[k / model->dim]];
        const int axis = k % model->dim;
        if (row >= 0 && (hold->axes >> axis & 1u) != 0 &&
            model->fixed[row * model->dim + axis] != BRN_DOF_TIED) {
            model->fixed[row * model->dim + axis] = to;
        }
    }
}

double brn_sim_release_next(const brn_sim *sim, double done)
{
    const double step = sim->model->step;
    double next = 1.0;
    for (int i = 0; i < sim->model->nhold; ++i) {
        const double at = sim->model->hold[i].release / step - (double)sim->state->step;
        next = at > done + SLACK && at < 1.0 - SLACK ? fmin(next, at) : next;
    }
    return next;
}

brn_status brn_sim_release(brn_sim *sim, double step, bool within, brn_state *state, bool *any)
{
    brn_model *own = &sim->own;
    const double before = (step + (within ? -SLACK : SLACK)) * own->step;
    const size_t ndof = (size_t)own->nrow * (size_t)own->dim;
    brn_arena *arena = brn_ctx_arena(sim->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    unsigned char *was = NULL;
    *any = false;
    if (sim->model != own) {
        return BRN_OK;
    }
    BRN_TAKE(arena, was, ndof + 1);
    memcpy(was, own->fixed, ndof);
    for (int pass = 0; pass < 2; ++pass) { /* what another hold has stays held */
        for (int i = 0; i < own->nhold; ++i) {
            const bool over = own->hold[i].release < before;
            if (over == (pass == 0)) {
                set_dofs(own, &own->hold[i], over ? BRN_DOF_FREE : BRN_DOF_HELD);
            }
        }
    }
    *any = memcmp(was, own->fixed, ndof) != 0;
    brn_arena_rewind(arena, mark);
    if (!*any) {
        return BRN_OK;
    }
    brn_system_hold(sim->system);
    return sim->method->changed(sim->self, state, &(brn_change){.what = BRN_CHANGED_HOLDS});
}
