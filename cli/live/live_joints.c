/* Joints of robots that a person can move: those with a drive. The target of a position goes to where a person wants it, or back to the
   scene's, at a bounded speed: a hand may ask for the other end of the range at once, and a stiff drive would try. */
#include "live/live_private.h"

#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More of them than anybody could move are not listed: a robot has 30. */
enum { JOINTS_MAX = 200 };

/* [s] of simulated time from one end of the range to the other. */
static const double SWEEP = 1.5;

/* How far targets go to either side where neither drive nor joint has bounds, of angles and of lengths. */
static const struct {
    const char *drive;
    double angle, length;
} reaches[] = {{"position", M_PI, 0.5}, {"velocity", M_PI, 1.0}, {"torque", 10.0, 100.0}};

/* Bounds of the target; else limits of the joint, where the target is a position; else some way about where it starts. */
static void choose_range(const brn_joint_facts *facts, double start, double range[2])
{
    const bool position = strcmp(facts->drive, "position") == 0;
    double reach = 1.0;
    for (size_t i = 0; i < sizeof reaches / sizeof *reaches; ++i) {
        if (strcmp(facts->drive, reaches[i].drive) == 0) {
            reach = strcmp(facts->unit, "m") == 0 ? reaches[i].length : reaches[i].angle;
        }
    }
    for (int i = 0; i < 2; ++i) {
        range[i] = isfinite(facts->target[i]) ? facts->target[i] : position ? facts->limit[i] : INFINITY;
    }
    /* One end may be there and the other not. */
    const double low = isfinite(range[1]) ? fmin(range[1], start) : start;
    const double high = isfinite(range[0]) ? fmax(range[0], start) : start;
    range[0] = isfinite(range[0]) ? range[0] : low - reach;
    range[1] = isfinite(range[1]) ? range[1] : high + reach;
}

bool live_joints_find(cli_live *live)
{
    const int count = brn_model_joint_count(live->model);
    live->joint = calloc((size_t)count + 1, sizeof *live->joint);
    if (live->joint == NULL) {
        cli_error("out of memory");
        return false;
    }
    for (int i = 0; i < count && live->joints < JOINTS_MAX; ++i) {
        live_joint *joint = &live->joint[live->joints];
        brn_joint_state state;
        joint->number = i;
        if (brn_model_get_joint(live->model, i, &joint->facts) < 0 ||
            brn_sim_get_joint(*live->sim, i, &state) < 0) {
            cli_error("%s", brn_ctx_message(live->ctx));
            return false;
        }
        if (strcmp(joint->facts.drive, "none") != 0) {
            choose_range(&joint->facts, state.target, joint->range);
            ++live->joints;
        }
    }
    return true;
}

void live_joints_write(const cli_live *live, brn_json *out)
{
    brn_json_open(out, "joints", '[');
    for (int i = 0; i < live->joints; ++i) {
        const live_joint *joint = &live->joint[i];
        brn_joint_state state = {0};
        if (brn_sim_get_joint(*live->sim, joint->number, &state) < 0) {
            continue;
        }
        brn_json_open(out, NULL, '{');
        brn_json_int(out, "number", joint->number);
        brn_json_text(out, "robot", joint->facts.robot);
        brn_json_text(out, "name", joint->facts.name);
        brn_json_text(out, "drive", joint->facts.drive);
        brn_json_text(out, "unit", joint->facts.unit);
        brn_json_open(out, "range", '[');
        brn_json_real(out, NULL, joint->range[0]);
        brn_json_real(out, NULL, joint->range[1]);
        brn_json_close(out);
        brn_json_real(out, "target", joint->by_hand || joint->leaves ? joint->wish : state.target);
        brn_json_bool(out, "hand", joint->by_hand);
        brn_json_real(out, "position", state.position[0]);
        brn_json_real(out, "velocity", state.velocity[0]);
        brn_json_real(out, "effort", state.effort);
        brn_json_close(out);
    }
    brn_json_close(out);
}

static bool is_position(const live_joint *joint)
{
    return strcmp(joint->facts.drive, "position") == 0;
}

/* The target as the simulation has it. */
static brn_status target_of(const cli_live *live, const live_joint *joint, double *out)
{
    brn_joint_state state;
    const brn_status status = brn_sim_get_joint(*live->sim, joint->number, &state);
    *out = status >= 0 ? state.target : *out;
    return status;
}

/* The scene's target, which the simulation has then too. */
static brn_status scene_target(cli_live *live, const live_joint *joint, double *out)
{
    const brn_status status = brn_sim_set_joint_target(*live->sim, joint->number, NAN);
    return status >= 0 ? target_of(live, joint, out) : status;
}

brn_status live_joint_aim(cli_live *live, int number, double target)
{
    live_joint *joint = NULL;
    for (int i = 0; i < live->joints; ++i) {
        joint = live->joint[i].number == number ? &live->joint[i] : joint;
    }
    const bool moves = joint != NULL && (joint->by_hand || joint->leaves);
    if (joint == NULL || !is_position(joint) || (isnan(target) && !moves)) {
        const brn_status status = brn_sim_set_joint_target(*live->sim, number, target);
        if (joint != NULL && status >= 0) {
            joint->by_hand = !isnan(target);
            joint->wish = target;
        }
        return status;
    }
    if (!moves) {
        const brn_status status = target_of(live, joint, &joint->aim);
        if (status < 0) {
            return status;
        }
    }
    joint->by_hand = !isnan(target);
    joint->leaves = isnan(target);
    joint->wish = target;
    return live_joints_move(live, 0.0);
}

brn_status live_joints_move(cli_live *live, double seconds)
{
    for (int i = 0; i < live->joints; ++i) {
        live_joint *joint = &live->joint[i];
        if (!is_position(joint) || !(joint->by_hand || joint->leaves)) {
            continue;
        }
        brn_status status = joint->leaves ? scene_target(live, joint, &joint->wish) : BRN_OK;
        if (status < 0) {
            return status;
        }
        const double most = seconds / SWEEP * (joint->range[1] - joint->range[0]);
        joint->aim += fmin(fmax(joint->wish - joint->aim, -most), most);
        joint->leaves = joint->leaves && joint->aim != joint->wish;
        if (joint->leaves || joint->by_hand) {
            status = brn_sim_set_joint_target(*live->sim, joint->number, joint->aim);
        }
        if (status < 0) {
            return status;
        }
    }
    return BRN_OK;
}

void live_joints_leave(cli_live *live)
{
    for (int i = 0; i < live->joints; ++i) {
        live->joint[i].by_hand = live->joint[i].leaves = false;
    }
}
