/* The simulation's thread: it steps, obeys commands between steps and leaves a snapshot where the pages find it. It takes
   the lock for a few copies only, and never while something is sent or encoded. */
#include "live/live_private.h"

#include "server/server_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double state_seconds = 0.2; /* between two states while it runs */
static const double rate_seconds = 0.5;  /* over which the rate is measured, about */
static const double late_seconds = 0.1;  /* how much lag a slow step may make up */
static const double snapshot_share = 20; /* snapshots nobody waits for take less than 1/20 of the time */

/* Private to the simulation's thread. */
typedef struct runner {
    cli_live *live;
    brn_report report;
    bool reported; /* report is of the state */
    bool running, ended, started;
    int64_t steps_left; /* > 0: pauses after this many */
    double speed;       /* [s/s], 0: as fast as it can */
    char error[LIVE_ERROR_SIZE];
    double pace_wall, pace_time;       /* both clocks where the pace was set */
    double rate_wall, rate_time, rate; /* where the measurement of the rate began; the last one */
    double told;                       /* when the state was last told */
    int64_t taken_step;                /* of the last snapshot, -1: none of this run */
    double taken_wall, taken_cost;     /* when it was taken, and how long that took */
} runner;

/* ---- telling ------------------------------------------------------------------------------------------------------------ */

static void set_pace(runner *r)
{
    r->pace_wall = r->rate_wall = cli_now();
    r->pace_time = r->rate_time = brn_sim_time(*r->live->sim);
}

/* Tells the pages; controls: what a person can change may have changed too. Joints move by themselves. */
static void tell(runner *r, bool controls)
{
    cli_live *live = r->live;
    const brn_sim *sim = *live->sim;
    brn_json *told = controls || live->joints > 0 ? live_controls(live) : NULL;
    const double now = cli_now(), time = brn_sim_time(sim);
    if (!r->running) {
        r->rate = 0.0;
    } else if (now - r->rate_wall > 0.5 * state_seconds) {
        r->rate = (time - r->rate_time) / (now - r->rate_wall);
        if (now - r->rate_wall >= rate_seconds) {
            r->rate_wall = now;
            r->rate_time = time;
        }
    }
    r->told = now;
    (void)pthread_mutex_lock(&live->lock);
    live_status *s = &live->status;
    s->running = r->running;
    s->done = brn_sim_done(sim);
    s->speed = r->speed;
    s->time = time;
    s->rate = r->rate;
    s->step = brn_sim_step_count(sim);
    memcpy(s->error, r->error, sizeof s->error);
    if (told != NULL) {
        brn_json_destroy(s->controls);
        s->controls = told;
    }
    live_tell_pages(live);
    (void)pthread_mutex_unlock(&live->lock);
}

/* Copies the state and makes the copy the newest. */
static void take_snapshot(runner *r)
{
    cli_live *live = r->live;
    const double begin = cli_now();
    const int64_t step = brn_sim_step_count(*live->sim);
    const brn_status status = brn_snapshot_take(live->writing, *live->sim, r->reported ? &r->report : NULL);
    r->taken_step = step;
    r->taken_wall = cli_now();
    r->taken_cost = r->taken_wall - begin;
    if (status < 0) {
        (void)snprintf(r->error, sizeof r->error, "%s", brn_ctx_message(live->ctx));
        tell(r, false);
        return;
    }
    (void)pthread_mutex_lock(&live->lock);
    brn_snapshot *written = live->writing;
    live->writing = live->newest;
    live->newest = written;
    live->newest_step = step;
    live->fresh = true;
    (void)pthread_cond_signal(&live->to_encoder);
    (void)pthread_mutex_unlock(&live->lock);
}

/* ---- commands ------------------------------------------------------------------------------------------------------------- */

static brn_status do_pause(runner *r, const live_command *c)
{
    (void)c;
    r->running = false;
    r->steps_left = 0;
    return BRN_OK;
}

static brn_status do_resume(runner *r, const live_command *c)
{
    (void)c;
    r->running = true;
    r->steps_left = 0;
    r->error[0] = '\0';
    set_pace(r);
    return BRN_OK;
}

static brn_status do_step(runner *r, const live_command *c)
{
    r->running = c->index[0] > 0;
    r->steps_left = c->index[0];
    r->error[0] = '\0';
    set_pace(r);
    return BRN_OK;
}

/* All changes by hand go with the old simulation. */
static brn_status do_reset(runner *r, const live_command *c)
{
    (void)c;
    cli_live *live = r->live;
    brn_sim *sim = NULL;
    const brn_status status = brn_sim_create(live->ctx, live->model, &sim);
    if (status < 0) {
        return status;
    }
    brn_sim_destroy(*live->sim);
    *live->sim = sim;
    live_joints_leave(live);
    r->reported = r->ended = false;
    r->steps_left = 0;
    r->taken_step = -1;
    r->error[0] = '\0';
    set_pace(r);
    (void)pthread_mutex_lock(&live->lock);
    live_pages_restart(live);
    (void)pthread_mutex_unlock(&live->lock);
    return BRN_OK;
}

static brn_status do_speed(runner *r, const live_command *c)
{
    if (!(c->value[0] >= 0.0 && c->value[0] <= 1e9)) {
        return BRN_ERR_RANGE;
    }
    r->speed = c->value[0];
    set_pace(r);
    return BRN_OK;
}

static brn_status do_drag(runner *r, const live_command *c)
{
    const cli_live *live = r->live;
    if (c->index[0] >= live->vertices) {
        return BRN_ERR_RANGE;
    }
    return brn_sim_drag(*live->sim, (int)live->nodes[c->index[0]], c->value, 0.0);
}

static brn_status do_release(runner *r, const live_command *c)
{
    (void)c;
    return brn_sim_drag(*r->live->sim, -1, NULL, 0.0);
}

static brn_status do_move(runner *r, const live_command *c)
{
    return brn_sim_set_offset(*r->live->sim, c->index[0], c->value);
}

static brn_status do_gravity(runner *r, const live_command *c)
{
    return brn_sim_set_gravity(*r->live->sim, c->value);
}

static brn_status do_friction(runner *r, const live_command *c)
{
    return brn_sim_set_friction(*r->live->sim, c->index[0], c->index[1], c->value[0]);
}

static brn_status do_motion(runner *r, const live_command *c)
{
    return brn_sim_set_motion_speed(*r->live->sim, c->index[0], c->value[0]);
}

static brn_status do_joint(runner *r, const live_command *c)
{
    return live_joint_aim(r->live, c->index[0], c->value[0]);
}

/* why: the message if the library has none. tells: the state shows what has changed. */
static const struct {
    brn_status (*act)(runner *r, const live_command *c);
    const char *why;
    bool tells, merges; /* merges: of several waiting commands about the same thing the last one counts */
    bool hurries;       /* does not wait for the end of a step */
    bool apart;         /* about two things: neither minds the order */
} acts[LIVE_VERBS] = {
    [LIVE_PAUSE] = {do_pause, "", true, false, true, false},
    [LIVE_RESUME] = {do_resume, "", true, false, false, false},
    [LIVE_STEP] = {do_step, "", true, false, false, false},
    [LIVE_RESET] = {do_reset, "", true, false, true, false},
    [LIVE_SPEED] = {do_speed, "speed: from 0 (as fast as it can) to 1e9", true, true, false, false},
    [LIVE_DRAG] = {do_drag, "drag: there is no such vertex", false, true, false, false},
    [LIVE_RELEASE] = {do_release, "", false, false, false, false},
    [LIVE_MOVE] = {do_move, "", false, true, false, true},
    [LIVE_GRAVITY] = {do_gravity, "", true, true, false, false},
    [LIVE_FRICTION] = {do_friction, "", true, true, false, false},
    [LIVE_MOTION] = {do_motion, "", true, true, false, true},
    [LIVE_JOINT] = {do_joint, "", true, true, false, true},
};

bool live_command_queue(cli_live *live, const live_command *command)
{
    /* A moving hand sends more than a long step can use: a command replaces a waiting one that it would undo. Not beyond a
       command whose order matters: a reset, the same verb of another page, or about something else (friction of all pairs,
       friction of one). */
    for (int i = live->queued - 1; i >= 0 && acts[command->verb].merges; --i) {
        live_command *before = &live->queue[i];
        if (before->verb != command->verb && acts[before->verb].merges) {
            continue;
        }
        if (before->verb == command->verb && before->client == command->client &&
            before->index[0] == command->index[0] && before->index[1] == command->index[1]) {
            *before = *command;
            return true;
        }
        if (before->verb != command->verb || before->client != command->client ||
            !acts[command->verb].apart) {
            break;
        }
    }
    if (live->queued == LIVE_QUEUE_MAX) {
        return false;
    }
    live->queue[live->queued++] = *command;
    if (acts[command->verb].hurries) {
        brn_ctx_cancel(live->ctx, true);
    }
    (void)pthread_cond_signal(&live->to_simulator);
    return true;
}

/* All waiting commands, in order. */
static void obey(runner *r)
{
    cli_live *live = r->live;
    live_command commands[LIVE_QUEUE_MAX];
    bool tells = false;
    (void)pthread_mutex_lock(&live->lock);
    const int count = live->queued;
    memcpy(commands, live->queue, (size_t)count * sizeof *commands);
    live->queued = 0;
    brn_ctx_cancel(live->ctx, false);
    (void)pthread_mutex_unlock(&live->lock);
    for (int i = 0; i < count; ++i) {
        const live_command *c = &commands[i];
        const brn_status status = acts[c->verb].act(r, c);
        tells = tells || acts[c->verb].tells;
        if (status < 0 && c->client != 0) {
            const char *why = acts[c->verb].why[0] != '\0' && status == BRN_ERR_RANGE
                                  ? acts[c->verb].why
                                  : brn_ctx_message(live->ctx);
            (void)pthread_mutex_lock(&live->lock);
            live_tell_error(live, c->client, why[0] != '\0' ? why : brn_status_name(status));
            (void)pthread_mutex_unlock(&live->lock);
        }
    }
    if (tells) {
        tell(r, true);
    }
}

/* ---- stepping ---------------------------------------------------------------------------------------------------------------- */

static void step(runner *r)
{
    cli_live *live = r->live;
    brn_report report;
    brn_model_info info;
    brn_model_get_info(live->model, &info);
    brn_status status = live_joints_move(live, info.step);
    status = status >= 0 ? brn_sim_step(*live->sim, &report) : status;
    const bool was_running = r->running;
    if (status == BRN_ERR_CANCELLED) {
        return; /* for a command that waits, or the end */
    }
    if (status < 0) {
        (void)snprintf(r->error, sizeof r->error, "%s", brn_ctx_message(live->ctx));
        r->running = false;
        r->steps_left = 0;
    } else {
        r->report = report;
        r->reported = true;
        if (r->steps_left > 0 && --r->steps_left == 0) {
            r->running = false;
        }
        /* The scene's end is a pause, not a wall: the simulation may continue past it. */
        if (brn_sim_done(*live->sim) && !r->ended) {
            r->ended = true;
            r->running = false;
            r->steps_left = 0;
        }
    }
    if (was_running != r->running || cli_now() - r->told >= state_seconds) {
        tell(r, false);
    }
}

/* Seconds until the next step may begin; infinity: not before something happens. */
static double seconds_to_step(runner *r)
{
    if (!r->started) {
        return fmax(1e-3, r->live->start_at - cli_now());
    }
    if (!r->running) {
        return INFINITY;
    }
    if (!(r->speed > 0.0)) {
        return 0.0;
    }
    const double now = cli_now();
    const double due = r->pace_wall + (brn_sim_time(*r->live->sim) - r->pace_time) / r->speed;
    /* Time lost in slow steps is not made up by running ahead later. */
    if (now > due + late_seconds) {
        r->pace_wall += now - due;
    }
    return due > now ? due - now : 0.0;
}

/* Under the lock: does somebody wait for this state, or is a snapshot cheap enough anyway? */
static bool snapshot_due(const runner *r)
{
    if (r->taken_step == brn_sim_step_count(*r->live->sim)) {
        return false;
    }
    return !r->running || live_frame_wanted(r->live) ||
           cli_now() - r->taken_wall >= snapshot_share * r->taken_cost;
}

/* The first page shows the start. */
static void begin(runner *r)
{
    r->started = true;
    r->running = true;
    set_pace(r);
    tell(r, false);
}

void *live_simulate(void *user)
{
    cli_live *live = user;
    runner r = {.live = live, .started = live->paused, .speed = 1.0, .taken_step = -1};
    set_pace(&r);
    tell(&r, true);
    (void)pthread_mutex_lock(&live->lock);
    while (!live->stopping) {
        const bool due = !r.started && (live->queued > 0 || cli_now() >= live->start_at);
        void (*work)(runner *) = due                ? begin
                                 : live->queued > 0 ? obey
                                 : snapshot_due(&r) ? take_snapshot
                                                    : step;
        const double seconds = work == step ? seconds_to_step(&r) : 0.0;
        if (seconds > 0.0) {
            live_wait(&live->to_simulator, &live->lock, seconds);
            continue;
        }
        (void)pthread_mutex_unlock(&live->lock);
        work(&r);
        (void)pthread_mutex_lock(&live->lock);
    }
    (void)pthread_mutex_unlock(&live->lock);
    return NULL;
}
