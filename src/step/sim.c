#include "step/sim.h"

#include "base/parallel.h"
#include "contact/yardstick.h"
#include "model/model_parts.h"
#include "model/rigid_pose.h"
#include "model/robot_model.h"
#include "output/figures/figure_table.h"
#include "step/ledger.h"
#include "step/scheme.h"
#include "step/stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A step is cut into at most 2^HALVINGS_MAX parts. */
enum { HALVINGS_MAX = 12, INVERSION_BLOCK = 1024 };
/* Fewer where an obstacle moved by hand may be to blame: it can stop. */
enum { HALVINGS_SHIFTING = 4 };
/* A part that gains energy by every rule is cut like one that fails, down to this share of what the method takes at a time. */
static const double PART_GAINING = 0.0625;
/* Of a part: what is left of a step after it is no part of its own. */
static const double SLIVER = 1e-6;
/* Strength of the hand that moves it, in weights of everything movable, and in forces that stop all of that within a step from
   the highest speed of an offset. */
static const double STRENGTH_WEIGHTS = 1000.0;
static const double STRENGTH_STOPS = 10.0;

/* ---- contacts ------------------------------------------------------------------------------------------------------ */

/* Reserves room for the method's points, so that copying them cannot fail. */
static brn_status make_room(brn_sim *sim, const brn_step_info *info)
{
    BRN_GROW(sim->ctx, sim->point, sim->point_capacity, info->npoint);
    return BRN_OK;
}

static void take_contacts(brn_sim *sim, const brn_step_info *info)
{
    if (info->npoint > 0) {
        memcpy(sim->point, info->point, (size_t)info->npoint * sizeof *sim->point);
    }
    sim->info = *info;
    sim->info.point = sim->point;
    brn_yardstick_bodies(sim->point, info->npoint, sim->model->nbody, sim->contact_force);
}

brn_report brn_sim_blank_report(const brn_sim *sim)
{
    brn_report report = {.gap_min = INFINITY};
    for (int i = 0; i < sim->method->nfigures; ++i) {
        report.own[i] = brn_reduce_start(sim->method->figures[i].parts);
    }
    return report;
}

/* Of the parts of a step the last one's contacts count; errors are the worst of all, and the method's own figures are
   combined as it says. */
static void add_contacts(const brn_method *method, const brn_step_info *info, brn_report *report)
{
    for (int i = 0; i < method->nfigures; ++i) {
        report->own[i] = brn_reduce(method->figures[i].parts, report->own[i], info->own[i]);
    }
    brn_yardstick y;
    brn_yardstick_measure(info->point, info->npoint, &y);
    report->contacts = info->contacts;
    report->sticking = y.sticking;
    report->slipping = y.slipping;
    report->gap_min = fmin(report->gap_min, fmin(y.gap_min, info->gap_min));
    report->penetration_max = fmax(report->penetration_max, y.penetration_max);
    report->cone_error = fmax(report->cone_error, y.cone_error);
    report->dissipation_error = fmax(report->dissipation_error, y.dissipation_error);
    report->complementarity = fmax(report->complementarity, fmax(y.complementarity, info->complementarity));
    report->complementarity_offset = info->complementarity_offset;
}

const brn_contact_point *brn_sim_contacts(const brn_sim *sim, int *count)
{
    if (count == NULL) {
        return NULL;
    }
    if (sim == NULL) {
        *count = 0;
        return NULL;
    }
    *count = sim->info.npoint;
    return sim->point;
}

const double *brn_sim_contact_forces(const brn_sim *sim)
{
    if (sim == NULL) {
        return NULL;
    }
    return sim->contact_force[0];
}

brn_status brn_sim_contact_between(const brn_sim *sim, int body, int other, brn_contact_total *out)
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, out);
    const int nbody = sim->model->nbody;
    if (body < 0 || body >= nbody || other < 0 || other >= nbody) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "bodies %d and %d: the model has %d", body, other, nbody);
    }
    brn_yardstick_pair(sim->point, sim->info.npoint, body, other, out);
    return BRN_OK;
}

/* ---- making -------------------------------------------------------------------------------------------------------- */

/* After the state was set from outside: the method's memory, the ledger, the contacts. */
static brn_status start_from(brn_sim *sim, brn_state *state, double t)
{
    brn_step_info info = {.gap_min = INFINITY};
    BRN_TRY(sim->method->reset(sim->self, state, t, &info));
    BRN_TRY(brn_ledger_start(sim->system, state, &info));
    if (t == 0.0) {
        brn_stages_start(sim->system, state);
    }
    BRN_TRY(make_room(sim, &info));
    take_contacts(sim, &info);
    return BRN_OK;
}

brn_status brn_sim_create_with(brn_ctx *ctx, const brn_model *model, const brn_method *method, brn_sim **out)
{
    *out = NULL;
    brn_sim *sim = NULL;
    BRN_ALLOC(ctx, sim, 1);
    sim->ctx = ctx;
    sim->method = method;
    brn_state_sizes sizes = {
        .nnode = model->nnode, .nrigid = brn_rigid_count(model), .njoint = model->njoint};
    if (method->sizes != NULL) {
        method->sizes(model, &sizes);
    }
    brn_state **states[] = {&sim->state, &sim->spare[0], &sim->spare[1]};
    sim->contact_force = brn_calloc(ctx, (size_t)model->nbody, sizeof *sim->contact_force);
    brn_status status = sim->contact_force != NULL ? brn_sim_own_holds(sim, model) : BRN_ERR_MEMORY;
    model = sim->model;
    for (int i = 0; i < 3 && status >= 0; ++i) {
        status = brn_state_create(ctx, &sizes, states[i]);
    }
    if (status >= 0) {
        status = brn_system_create(ctx, model, &sim->system);
    }
    if (status >= 0) {
        status = method->create(ctx, model, sim->system, &sim->self);
    }
    if (status >= 0) {
        memcpy(sim->state->node_pos, model->rest, (size_t)model->nnode * sizeof *model->rest);
        memcpy(sim->state->node_vel, model->vel0, (size_t)model->nnode * sizeof *model->vel0);
        for (int r = 0; r < model->nrobot; ++r) {
            const brn_robot_model *robot = model->robot[r];
            memcpy(&sim->state->joint_pos[robot->q_first], robot->q0,
                   (size_t)robot->tree->nq * sizeof *robot->q0);
            memcpy(&sim->state->joint_vel[robot->v_first], robot->v0,
                   (size_t)robot->tree->nv * sizeof *robot->v0);
        }
        status = start_from(sim, sim->state, 0.0);
    }
    if (status < 0) {
        brn_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return BRN_OK;
}

void brn_sim_destroy(brn_sim *sim)
{
    if (sim == NULL) {
        return;
    }
    if (sim->self != NULL) {
        sim->method->destroy(sim->self);
    }
    brn_system_destroy(sim->system);
    brn_state_destroy(sim->state);
    brn_state_destroy(sim->spare[0]);
    brn_state_destroy(sim->spare[1]);
    brn_free(sim->ctx, sim->force[0]);
    brn_free(sim->ctx, sim->force[1]);
    brn_free(sim->ctx, sim->point);
    brn_free(sim->ctx, sim->contact_force);
    brn_free(sim->ctx, sim->own.fixed);
    brn_free(sim->ctx, sim);
}

/* ---- stepping ------------------------------------------------------------------------------------------------------ */

static bool worth_a_retry(brn_status status)
{
    return status == BRN_ERR_CONVERGENCE || status == BRN_ERR_SINGULAR || status == BRN_ERR_NOT_FINITE;
}

/* Every array of the state; one that a method does not fill keeps the NaN put there. */
static bool all_finite(const brn_state *state)
{
    bool finite = true;
#define LOOK(name, count, width, what)                              \
 for (int i = 0; finite && i < state->sizes.count * (width); ++i) { \
  finite = isfinite(state->name[i]);                                \
 }
    BRN_STATE_ARRAYS(LOOK)
#undef LOOK
    return finite;
}

/* So that leftovers of an earlier attempt are not taken for this one's results. */
static void blank_rigid(brn_state *state)
{
    for (int i = 0; i < state->sizes.nrigid; ++i) {
        state->rigid_pose[7 * i] = state->rigid_vel[6 * i] = NAN;
    }
    for (int i = 0; i < state->sizes.njoint; ++i) {
        state->joint_pos[i] = state->joint_vel[i] = NAN;
    }
}

/* Adds what the method reported about an accepted part of the step. */
static void add_info(const brn_method *method, const brn_step_info *info, brn_report *report)
{
    report->lags += info->lags;
    report->residual = info->residual;
    report->intersections += info->intersections;
    add_contacts(method, info, report);
}

/* Forces and memory of the state as the new stage sees them; its contacts become those of the state. */
static brn_status enter_stage(brn_sim *sim, brn_state *state, double t, brn_step_info *info)
{
    *info = (brn_step_info){.gap_min = INFINITY};
    BRN_TRY(sim->method->reset(sim->self, state, t, info));
    return brn_ledger_enter(sim->system, state, &info->books);
}

/* The method's step from `from`, checked and booked. */
static brn_status take_step(brn_sim *sim, const brn_state *from, double t, double h, brn_state *to,
                            double *h_done, brn_report *report, brn_step_info *info)
{
    *info = (brn_step_info){.gap_min = INFINITY};
    *h_done = 0.0;
    to->step = from->step;
    blank_rigid(to);
    (void)brn_stopwatch_switch(&sim->system->watch, &sim->system->watch.phases.other);
    BRN_TRY(brn_ctx_check(sim->ctx));
    const brn_status status = sim->method->step(sim->self, from, t, h, to, h_done, info);
    report->iterations += info->iterations; /* work done, whether the result is accepted or not */
    report->fallbacks += info->fallbacks;
    BRN_TRY(status);
    if (!(*h_done > 0.0 && *h_done <= h)) {
        return brn_fail(sim->ctx, BRN_ERR_CONVERGENCE,
                        "t = %g s: method '%s' did %g s of a step of %g s and gets no further", t,
                        sim->method->table->name, *h_done, h);
    }
    if (!all_finite(to)) {
        return brn_fail(sim->ctx, BRN_ERR_NOT_FINITE,
                        "t = %g s: a position, velocity or force is no longer a finite number", t);
    }
    return brn_ledger_book(sim->system, from, to, *h_done, info);
}

static bool gains(const brn_sim *sim, const brn_state *from, const brn_state *to, const brn_step_info *info)
{
    return sim->method->dissipates && info->books.inertia && !info->books.swings &&
           brn_ledger_gains(from, to);
}

/* One attempt from `from` at fraction `done` of the step. If it makes energy from nothing it is repeated with a rule that
   cannot, or is at most as wrong; if all of them do, it was too long, unless it is as short as that. *did: the fraction that was done or
   tried. */
static brn_status attempt(brn_sim *sim, const brn_state *from, double done, double part, double shortest,
                          brn_state *to, double *did, brn_report *report, brn_step_info *info)
{
    const double step = sim->model->step;
    const double t = ((double)sim->state->step + done) * step;
    const double h = part * step;
    double h_done = 0.0;
    brn_status status = take_step(sim, from, t, h, to, &h_done, report, info);
    int *guard = &sim->system->guard;
    while (status >= 0 && gains(sim, from, to, info) && *guard < BRN_GUARDS) {
        *guard = brn_scheme_next_guard(sim->model->integrator, *guard);
        status = take_step(sim, from, t, h, to, &h_done, report, info);
    }
    const bool guarded = *guard > 0;
    *guard = 0;
    *did = h_done == h || !(h_done > 0.0) ? part : h_done / step;
    BRN_TRY(status);
    const bool long_enough = *did > shortest && sim->system->effort < sim->system->budget;
    if (long_enough && gains(sim, from, to, info)) {
        return brn_fail(sim->ctx, BRN_ERR_CONVERGENCE, "t = %g s: a step of %g s gains energy", t, h_done);
    }
    report->guarded += guarded;
    add_info(sim->method, info, report);
    bool other;
    BRN_TRY(brn_stages_follow(sim->system, from, to, t, h_done, info, &other));
    return other || info->ends_stage ? enter_stage(sim, to, t + h_done, info) : BRN_OK;
}

/* What is over after `done` of the step lets go; the state there enters that as a stage of its own. */
static brn_status let_go(brn_sim *sim, double done, brn_state *state)
{
    brn_step_info info;
    const double step = (double)sim->state->step + done;
    bool any;
    BRN_TRY(brn_sim_release(sim, step, false, state, &any));
    return any ? enter_stage(sim, state, step * sim->model->step, &info) : BRN_OK;
}

/* Takes parts of the step until it is complete; *info is what the method reported about the last one. A part is halved on
   failure (at most `halvings` times) and doubled after two successes in a row (if it stays aligned); every step starts afresh
   with the whole, so that no controller state needs saving. A method may take less at a time than it is given: then that is what is halved. */
static brn_status advance(brn_sim *sim, int halvings, brn_report *report, brn_state **reached,
                          brn_step_info *info)
{
    const brn_state *from = sim->state;
    double whole = 1.0; /* what the method takes at a time, once a part has failed */
    int level = 0;
    int successes = 0;
    double done = 0.0;
    int target = 0;
    while (done < 1.0) {
        const double length = ldexp(1.0, -level);
        const double left = brn_sim_release_next(sim, done) - done;
        const double part = left < length * (1.0 + SLIVER) ? left : length;
        double did = 0.0;
        const double shortest = level > 0 ? PART_GAINING * whole : 0.0;
        const brn_status status =
            attempt(sim, from, done, part, shortest, sim->spare[target], &did, report, info);
        if (status >= 0) {
            brn_state *to = sim->spare[target];
            from = to;
            target = 1 - target;
            done += did;
            report->substeps++;
            BRN_TRY(done < 1.0 ? let_go(sim, done, to) : BRN_OK);
            const bool aligned = whole < 1.0 || fmod(done, 2.0 * length) == 0.0;
            if (++successes >= 2 && level > 0 && aligned) {
                --level;
                successes = 0;
            }
            continue;
        }
        if (!worth_a_retry(status) || sim->system->effort >= sim->system->budget) {
            return status;
        }
        successes = 0;
        report->retries++;
        whole = level == 0 ? did : whole;
        do {
            ++level;
        } while (ldexp(1.0, -level) >= did && level <= halvings);
        if (level > halvings) {
            char why[1024];
            const char *message = brn_ctx_message(sim->ctx);
            (void)snprintf(why, sizeof why, "%s", message[0] != '\0' ? message : brn_status_name(status));
            return brn_fail(
                sim->ctx, status,
                "step %lld (t = %g s) failed down to %g of its length: %s; try a smaller time.step, or from "
                "the "
                "beginning a softer ramp of loads or motions, or a finer mesh where it is strained most",
                (long long)sim->state->step + 1, (double)sim->state->step * sim->model->step,
                ldexp(1.0, -halvings), why);
        }
    }
    *reached = sim->spare[1 - target];
    return BRN_OK;
}

/* Largest force of a hand that moves an obstacle [N]: it may throw things, but not crush them. */
static double strength(const brn_sim *sim)
{
    const double *g = sim->system->controls->gravity;
    double mass = 0.0;
    for (int b = 0; b < sim->model->nbody; ++b) {
        mass += sim->model->body[b].type != BRN_BODY_STATIC ? sim->model->body[b].mass : 0.0;
    }
    return mass * (STRENGTH_WEIGHTS * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) +
                   STRENGTH_STOPS * brn_sim_shift_speed(sim) / sim->model->step);
}

/* A step in which obstacles are moved by hand: if it fails, or takes more than a hand's strength, they stop, and it is repeated
   without their motion. */
static brn_status advance_shifting(brn_sim *sim, brn_report *report, brn_state **reached, brn_step_info *info)
{
    const brn_model *model = sim->model;
    brn_controls *c = sim->system->controls;
    const double t = brn_sim_time(sim);
    brn_status status = advance(sim, HALVINGS_SHIFTING, report, reached, info);
    const int stuck =
        status < 0 ? -1 : brn_controls_resisted(c, t + model->step, (*reached)->node_react, strength(sim));
    if (status < 0 ? !worth_a_retry(status) : stuck < 0) {
        return status;
    }
    brn_arena *arena = brn_ctx_arena(sim->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    brn_shift *before = NULL;
    BRN_TAKE(arena, before, model->nhold);
    memcpy(before, c->shift, (size_t)model->nhold * sizeof *before);
    brn_log(sim->ctx, BRN_LOG_WARNING, "t = %g s: what is moved by hand stops: %s%s", t,
            stuck < 0 ? "" : "too much is in the way of ",
            stuck < 0 ? brn_ctx_message(sim->ctx) : model->hold[stuck].name);
    brn_controls_halt(c, t);
    const brn_report tried = *report;
    *report = brn_sim_blank_report(sim);
    report->retries = tried.retries + (stuck >= 0);
    report->iterations = tried.iterations;
    sim->system->effort = 0.0;
    status = advance(sim, HALVINGS_MAX, report, reached, info);
    if (status < 0) {
        memcpy(c->shift, before, (size_t)model->nhold * sizeof *before);
    }
    brn_arena_rewind(arena, mark);
    return status;
}

/* What is over by the start of the step lets go. */
static brn_status begin_step(brn_sim *sim)
{
    brn_step_info info;
    bool any;
    BRN_TRY(brn_sim_release(sim, (double)sim->state->step, false, sim->state, &any));
    if (!any) {
        return BRN_OK;
    }
    BRN_TRY(brn_state_copy(sim->state, sim->spare[0]));
    BRN_TRY(enter_stage(sim, sim->spare[0], brn_sim_time(sim), &info));
    brn_state *old = sim->state;
    sim->state = sim->spare[0];
    sim->spare[0] = old;
    return BRN_OK;
}

static brn_status measure_state(brn_sim *sim, brn_report *report);

static brn_status do_step(brn_sim *sim, brn_report *r)
{
    brn_stopwatch *watch = &sim->system->watch;
    brn_stopwatch_start(watch);
    const double started = watch->since;
    brn_state *reached = NULL;
    brn_step_info info;
    sim->system->effort = 0.0;
    BRN_TRY(begin_step(sim));
    const brn_status moved = brn_controls_shifting(sim->system->controls, brn_sim_time(sim))
                                 ? advance_shifting(sim, r, &reached, &info)
                                 : advance(sim, HALVINGS_MAX, r, &reached, &info);
    if (moved == BRN_ERR_CANCELLED) {
        return brn_fail(sim->ctx, moved, "step %lld was cancelled: the state is the one before it",
                        (long long)sim->state->step + 1);
    }
    BRN_TRY(moved);
    BRN_TRY(make_room(sim, &info));
    /* The state reached becomes the state once it is measured; the old one becomes a spare. */
    brn_state *old = sim->state;
    reached->step = old->step + 1;
    sim->state = reached;
    const brn_status status = measure_state(sim, r);
    if (status < 0) {
        sim->state = old;
        return status;
    }
    sim->spare[reached == sim->spare[0] ? 0 : 1] = old;
    take_contacts(sim, &info);
    (void)brn_stopwatch_switch(watch, NULL);
    r->phases = watch->phases;
    r->wall = watch->since - started;
    return status;
}

brn_status brn_sim_step(brn_sim *sim, brn_report *report)
{
    BRN_GIVEN(NULL, sim);
    brn_report scratch;
    brn_report *r = report != NULL ? report : &scratch;
    bool any;
    *r = brn_sim_blank_report(sim);
    const brn_status status = do_step(sim, r);
    if (status < 0) { /* what was let go within the step is held again */
        (void)brn_sim_release(sim, (double)sim->state->step, false, sim->spare[0], &any);
    }
    return status;
}

/* ---- measuring ----------------------------------------------------------------------------------------------------- */

typedef struct inversion_job {
    const brn_element_group *group;
    const double (*x)[3];
    int *count; /* by block */
} inversion_job;

static brn_status count_inversions(void *arg, int block, brn_arena *scratch)
{
    const inversion_job *job = arg;
    const int first = block * INVERSION_BLOCK;
    const int n = brn_block_end(job->group->nelem, INVERSION_BLOCK, block) - first;
    double *jacobian = NULL;
    BRN_TAKE(scratch, jacobian, n);
    job->group->kind->stress(job->group, job->x, first, n, NULL, jacobian, NULL);
    job->count[block] = 0;
    for (int i = 0; i < n; ++i) {
        job->count[block] += !(jacobian[i] > 0.0);
    }
    return BRN_OK;
}

static brn_status inversions(brn_sim *sim, int *out)
{
    *out = 0;
    for (int i = 0; i < sim->system->npart; ++i) {
        const brn_element_group *group = sim->system->part[i];
        if (group->kind->stress == NULL) {
            continue;
        }
        brn_arena *arena = brn_ctx_arena(sim->ctx);
        const brn_arena_mark mark = brn_arena_now(arena);
        const int nblocks = brn_block_count(group->nelem, INVERSION_BLOCK);
        inversion_job job = {group, (const double(*)[3])sim->state->node_pos, NULL};
        BRN_TAKE(arena, job.count, nblocks);
        const brn_status status = brn_parallel_for(sim->ctx, nblocks, count_inversions, &job);
        for (int b = 0; b < nblocks && status >= 0; ++b) {
            *out += job.count[b];
        }
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
    }
    return BRN_OK;
}

static brn_status measure_state(brn_sim *sim, brn_report *report)
{
    report->step = sim->state->step;
    report->time = brn_sim_time(sim);
    BRN_TRY(inversions(sim, &report->inversions));
    return brn_ledger_report(sim->system, sim->state, report);
}

brn_status brn_sim_report(brn_sim *sim, brn_report *report)
{
    add_contacts(sim->method, &sim->info, report);
    return measure_state(sim, report);
}

brn_status brn_sim_stage(const brn_sim *sim, int stage, brn_stage_result *out)
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, out);
    if (!sim->model->stages.given || stage < 0 || stage >= BRN_STAGES) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "stage %d: the scene has %s", stage,
                        sim->model->stages.given ? "stages 0 to 3" : "no `stages`");
    }
    *out = sim->state->story.result[stage];
    return BRN_OK;
}

bool brn_sim_done(const brn_sim *sim)
{
    if (sim == NULL) {
        return true;
    }
    return sim->state->step >= sim->model->nstep || brn_stages_over(sim->model, sim->state);
}

double brn_sim_time(const brn_sim *sim)
{
    if (sim == NULL) {
        return NAN;
    }
    return (double)sim->state->step * sim->model->step;
}

int64_t brn_sim_step_count(const brn_sim *sim)
{
    if (sim == NULL) {
        return 0;
    }
    return sim->state->step;
}

const double *brn_sim_positions(const brn_sim *sim)
{
    if (sim == NULL) {
        return NULL;
    }
    return sim->state->node_pos;
}

const double *brn_sim_velocities(const brn_sim *sim)
{
    if (sim == NULL) {
        return NULL;
    }
    return sim->state->node_vel;
}

uint64_t brn_sim_hash(const brn_sim *sim)
{
    if (sim == NULL) {
        return 0;
    }
    return brn_state_hash(sim->state);
}

brn_status brn_sim_forces(brn_sim *sim, const double **elastic, const double **external)
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, elastic);
    BRN_GIVEN(sim->ctx, external);
    const brn_model *model = sim->model;
    for (int i = 0; i < 2; ++i) {
        if (sim->force[i] == NULL) {
            BRN_ALLOC(sim->ctx, sim->force[i], (size_t)model->nnode * 3);
        }
    }
    brn_arena *arena = brn_ctx_arena(sim->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *packed = brn_arena_take(arena, (size_t)sim->system->ndof, sizeof *packed);
    if (packed == NULL) {
        return BRN_ERR_MEMORY;
    }
    memset(packed, 0, (size_t)sim->system->ndof * sizeof *packed);
    const brn_stage stage = sim->method->stage(sim->self, sim->state, brn_sim_time(sim));
    brn_status status =
        brn_system_elastic(sim->system, sim->state->node_pos, BRN_TANGENT_EXACT, NULL, packed, NULL);
    if (status >= 0) {
        brn_system_unpack(sim->system, packed, sim->force[0]);
        memset(packed, 0, (size_t)sim->system->ndof * sizeof *packed);
        status = brn_system_loads(sim->system, sim->state->node_pos, brn_sim_time(sim), packed, NULL);
        brn_system_drag(sim->system, sim->state->node_pos, stage.inertia ? sim->state->node_vel : NULL,
                        packed);
    }
    if (status >= 0) {
        brn_system_unpack(sim->system, packed, sim->force[1]);
        for (int a = 0; a < model->nnode; ++a) {
            for (int i = 0; i < 3; ++i) {
                sim->force[0][3 * a + i] *= -1.0; /* force = -gradient */
                sim->force[1][3 * a + i] +=
                    stage.gravity * model->node_mass[a] * sim->system->controls->gravity[i];
            }
        }
        *elastic = sim->force[0];
        *external = sim->force[1];
    }
    brn_arena_rewind(arena, mark);
    return status;
}

brn_status brn_sim_edit(brn_sim *sim, const double *positions, const double *velocities)
{
    BRN_GIVEN(NULL, sim);
    const size_t bytes = (size_t)sim->model->nnode * 3 * sizeof(double);
    brn_state *edited = sim->spare[0];
    BRN_TRY(brn_state_copy(sim->state, edited));
    if (positions != NULL) {
        memcpy(edited->node_pos, positions, bytes);
    }
    if (velocities != NULL) {
        memcpy(edited->node_vel, velocities, bytes);
    }
    for (int a = 0; a < sim->model->nnode && sim->model->dim == 2; ++a) {
        edited->node_pos[3 * a + 2] = 0.0;
        edited->node_vel[3 * a + 2] = 0.0;
    }
    if (!all_finite(edited)) {
        return brn_fail(sim->ctx, BRN_ERR_NOT_FINITE,
                        "an edited position or velocity is not a finite number");
    }
    /* Tied nodes go where their handles put them, whatever was given. */
    if (positions != NULL) {
        brn_model_follow_nodes(sim->model, edited->node_pos);
    }
    if (velocities != NULL) {
        brn_model_follow_nodes(sim->model, edited->node_vel);
    }
    /* An edit comes from outside: the balance restarts from it. */
    BRN_TRY(start_from(sim, edited, brn_sim_time(sim)));
    sim->spare[0] = sim->state;
    sim->state = edited;
    return BRN_OK;
}

/* ---- checkpoints --------------------------------------------------------------------------------------------------- */

brn_status brn_sim_save(brn_sim *sim, const char *path)
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, path);
    return brn_sim_save_with(sim, path, NULL, 0);
}

brn_status brn_sim_load_with(brn_sim *sim, const char *path, double *extra, int nextra)
{
    brn_state *loaded = sim->spare[0];
    char *parts = NULL;
    BRN_TRY(brn_model_parts(sim->model, &parts));
    const brn_status status = brn_state_load(loaded, path, parts, extra, nextra);
    brn_free(sim->ctx, parts);
    BRN_TRY(status);
    BRN_TRY(brn_sim_resume_controls(sim, loaded, path));
    /* What had been let go within the last step; what ended with it lets go with the next one, as it would have. The method is told with the
       state before: the loaded one remembers what came after it. */
    bool any;
    brn_state *before = sim->state;
    BRN_TRY(brn_sim_release(sim, (double)loaded->step, true, before, &any));
    sim->spare[0] = before;
    sim->state = loaded;
    /* Contacts are not part of the state: the present ones belong to another. */
    take_contacts(sim, &(brn_step_info){.gap_min = INFINITY});
    return BRN_OK;
}

brn_status brn_sim_load(brn_sim *sim, const char *path)
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, path);
    return brn_sim_load_with(sim, path, NULL, 0);
}
