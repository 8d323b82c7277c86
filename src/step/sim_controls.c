/* The calls that change a simulation between its steps. */
#include "step/sim.h"

#include "model/model_parts.h"
#include "step/ledger.h"

#include <math.h>
#include <string.h>

/* Squares of larger numbers come near the limit of doubles. */
static const double LARGEST = 1e100;
static const double RATE_MOST = 1e6;

/* Highest speed of an offset, in model sizes per step and per second. */
static const double SHIFT_STEP = 0.02;
static const double SHIFT_SPEED = 2.0;

static const char MEMORY[] = "controls";

/* A vector from outside: refused if not finite; its third entry is dropped in 2D. */
static brn_status take_vector(const brn_sim *sim, const char *what, const double from[3], double to[3])
{
    for (int i = 0; i < 3; ++i) {
        const bool counts = i < sim->model->dim;
        if (counts && !(fabs(from[i]) <= LARGEST)) {
            return brn_fail(sim->ctx, BRN_ERR_RANGE, "%s[%d] = %g: must be in [%g, %g]", what, i, from[i],
                            -LARGEST, LARGEST);
        }
        to[i] = counts ? from[i] : 0.0;
    }
    return BRN_OK;
}

/* ---- gravity ----------------------------------------------------------------------------------------------------------- */

static brn_status tell(brn_sim *sim, brn_state *state, unsigned what, const double gravity[3])
{
    brn_change change = {.what = what};
    if (gravity != NULL) {
        memcpy(change.gravity, gravity, sizeof change.gravity);
    }
    return sim->method->changed != NULL ? sim->method->changed(sim->self, state, &change) : BRN_OK;
}

/* Continues the state under another gravity. On failure nothing has changed. */
static brn_status change_gravity(brn_sim *sim, brn_state *state, const double from[3], const double to[3])
{
    const double change[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    if (change[0] == 0.0 && change[1] == 0.0 && change[2] == 0.0) {
        return BRN_OK;
    }
    BRN_TRY(tell(sim, state, BRN_CHANGED_GRAVITY, change));
    brn_ledger_book_gravity(sim->system, change, state);
    return BRN_OK;
}

static void choose_drag(const brn_sim *sim, brn_drag *drag)
{
    const bool forward = sim->method->stage(sim->self, sim->state, brn_sim_time(sim)).forward;
    brn_drag_choose(drag, sim->model, sim->system->controls->gravity, sim->system->size, forward);
}

brn_status brn_sim_set_gravity(brn_sim *sim, const double gravity[3])
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, gravity);
    brn_controls *c = sim->system->controls;
    double wanted[3];
    BRN_TRY(take_vector(sim, "gravity", gravity, wanted));
    BRN_TRY(change_gravity(sim, sim->state, c->gravity, wanted));
    memcpy(c->gravity, wanted, sizeof c->gravity);
    if (c->drag.node >= 0) { /* its force is bounded by weights */
        choose_drag(sim, &c->drag);
    }
    return BRN_OK;
}

void brn_sim_get_gravity(const brn_sim *sim, double gravity[3])
{
    if (sim == NULL || gravity == NULL) {
        return;
    }
    memcpy(gravity, sim->system->controls->gravity, 3 * sizeof *gravity);
}

/* ---- friction ---------------------------------------------------------------------------------------------------------- */

brn_status brn_sim_set_friction(brn_sim *sim, int body, int other, double mu)
{
    BRN_GIVEN(NULL, sim);
    const int nbody = sim->model->nbody;
    double *friction = sim->system->controls->friction;
    const bool all = body < 0 && other < 0;
    if (!all && (body < 0 || body >= nbody || other < 0 || other >= nbody)) {
        return brn_fail(
            sim->ctx, BRN_ERR_RANGE,
            "friction of bodies %d and %d: the model has bodies 0 to %d (both below 0: every pair)", body,
            other, nbody - 1);
    }
    if (!(mu >= 0.0 && mu <= LARGEST)) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "friction = %g: must be in [0, %g]", mu, LARGEST);
    }
    for (int i = 0; i < sim->model->nkind * sim->model->nkind && all; ++i) {
        friction[i] = mu;
    }
    if (!all) {
        friction[brn_model_pair(sim->model, body, other)] = mu;
        friction[brn_model_pair(sim->model, other, body)] = mu;
    }
    return tell(sim, sim->state, BRN_CHANGED_FRICTION, NULL);
}

double brn_sim_get_friction(const brn_sim *sim, int body, int other)
{
    if (sim == NULL) {
        return NAN;
    }
    const int nbody = sim->model->nbody;
    const double *friction = sim->system->controls->friction;
    if (body >= 0 && body < nbody && other >= 0 && other < nbody) {
        return friction[brn_model_pair(sim->model, body, other)];
    }
    bool same = body < 0 && other < 0 && nbody > 0;
    for (int i = 1; i < sim->model->nkind * sim->model->nkind && same; ++i) {
        same = friction[i] == friction[0];
    }
    return same ? friction[0] : NAN;
}

/* ---- motions and obstacles ----------------------------------------------------------------------------------------------- */

brn_status brn_sim_set_motion_speed(brn_sim *sim, int motion, double factor)
{
    BRN_GIVEN(NULL, sim);
    const int hold = brn_model_motion_hold(sim->model, motion);
    if (hold < 0) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "motion %d: the scene has %d, counted from 0", motion,
                        brn_model_motion_count(sim->model));
    }
    if (!(fabs(factor) <= RATE_MOST)) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "speed of motion '%s' = %g: must be between -1e6 and 1e6",
                        sim->model->hold[hold].name, factor);
    }
    brn_controls_set_rate(sim->system->controls, hold, brn_sim_time(sim), factor);
    return tell(sim, sim->state, BRN_CHANGED_MOTION, NULL);
}

double brn_sim_get_motion_speed(const brn_sim *sim, int motion)
{
    if (sim == NULL) {
        return NAN;
    }
    const int hold = brn_model_motion_hold(sim->model, motion);
    return hold >= 0 ? sim->system->controls->clock[hold].rate : NAN;
}

static brn_status find_obstacle(const brn_sim *sim, int body, int *hold)
{
    const brn_model *model = sim->model;
    *hold = brn_model_body_hold(model, body);
    if (*hold >= 0) {
        return BRN_OK;
    }
    if (body < 0 || body >= model->nbody) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "body %d: the model has bodies 0 to %d", body,
                        model->nbody - 1);
    }
    return brn_fail(sim->ctx, BRN_ERR_RANGE, "body '%s' is not static: drag it instead",
                    model->body[body].name);
}

double brn_sim_shift_speed(const brn_sim *sim)
{
    return sim->system->size * fmin(SHIFT_STEP / sim->model->step, SHIFT_SPEED);
}

brn_status brn_sim_set_offset(brn_sim *sim, int body, const double offset[3])
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, offset);
    int hold = -1;
    double wanted[3];
    BRN_TRY(find_obstacle(sim, body, &hold));
    BRN_TRY(take_vector(sim, "offset", offset, wanted));
    brn_controls_set_offset(sim->system->controls, hold, brn_sim_time(sim), wanted, brn_sim_shift_speed(sim));
    return tell(sim, sim->state, BRN_CHANGED_MOTION, NULL);
}

brn_status brn_sim_get_offset(const brn_sim *sim, int body, double offset[3])
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, offset);
    int hold = -1;
    BRN_TRY(find_obstacle(sim, body, &hold));
    brn_controls_offset(sim->system->controls, hold, brn_sim_time(sim), offset);
    return BRN_OK;
}

/* ---- a hand -------------------------------------------------------------------------------------------------------------- */

static brn_status check_node(const brn_sim *sim, int node)
{
    const brn_model *model = sim->model;
    if (node >= model->nnode) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "node %d: the model has nodes 0 to %d", node,
                        model->nnode - 1);
    }
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        if (body->type == BRN_BODY_STATIC && node >= body->node_first &&
            node < body->node_first + body->node_count) {
            return brn_fail(
                sim->ctx, BRN_ERR_RANGE,
                "node %d belongs to body '%s', which is static and cannot be dragged: give it an offset",
                node, body->name);
        }
    }
    return BRN_OK;
}

brn_status brn_sim_drag(brn_sim *sim, int node, const double target[3], double stiffness)
{
    BRN_GIVEN(NULL, sim);
    brn_controls *c = sim->system->controls;
    if (node < 0) {
        c->drag.node = -1;
        return tell(sim, sim->state, BRN_CHANGED_DRAG, NULL);
    }
    BRN_GIVEN(sim->ctx, target);
    brn_drag drag = {.node = node, .asked = stiffness};
    BRN_TRY(check_node(sim, node));
    BRN_TRY(take_vector(sim, "target", target, drag.target));
    if (!(stiffness >= 0.0 && stiffness <= LARGEST)) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "stiffness = %g: must be in [0, %g] N/m", stiffness,
                        LARGEST);
    }
    choose_drag(sim, &drag);
    c->drag = drag;
    return tell(sim, sim->state, BRN_CHANGED_DRAG, NULL);
}

/* ---- checkpoints --------------------------------------------------------------------------------------------------------- */

brn_status brn_sim_save_with(brn_sim *sim, const char *path, const double *extra, int nextra)
{
    const brn_controls *c = sim->system->controls;
    const double t = brn_sim_time(sim);
    char *parts = NULL;
    BRN_TRY(brn_model_parts(sim->model, &parts));
    brn_status status = BRN_OK;
    if (brn_controls_differ(c, t)) {
        double *memory = NULL;
        status = brn_state_remember(sim->state, MEMORY, (size_t)brn_controls_count(c), &memory);
        if (status >= 0) {
            brn_controls_write(c, t, memory);
        }
    }
    status = status >= 0 ? brn_state_save(sim->state, path, parts, extra, nextra) : status;
    brn_state_forget(sim->state, MEMORY);
    brn_free(sim->ctx, parts);
    return status;
}

brn_status brn_sim_resume_controls(brn_sim *sim, brn_state *state, const char *path)
{
    brn_controls *c = sim->system->controls;
    const brn_memory *memory = brn_state_recall(state, MEMORY);
    const double *from = memory != NULL ? memory->value : NULL;
    bool sound = memory == NULL || memory->count == (size_t)brn_controls_count(c);
    for (size_t i = 0; from != NULL && sound && i < memory->count; ++i) {
        sound = fabs(from[i]) <= LARGEST;
    }
    if (!sound) {
        return brn_fail(sim->ctx, BRN_ERR_FORMAT, "%s: the saved places of motions and obstacles are invalid",
                        path);
    }
    BRN_TRY(change_gravity(sim, state, from != NULL ? from : sim->model->gravity, c->gravity));
    brn_controls_resume(c, (double)state->step * sim->model->step, from, brn_sim_shift_speed(sim));
    brn_state_forget(state, MEMORY);
    return BRN_OK;
}
