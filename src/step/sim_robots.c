/* Joints and links of robots, by numbers over all robots. */
#include "model/robot_model.h"
#include "phys/rotation.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

static bool moves(const brn_robot_model *robot, int link)
{
    return robot->tree->v_first[link + 1] > robot->tree->v_first[link];
}

/* The robot and the link of a joint; NULL: there is none of that number. */
static const brn_robot_model *find_joint(const brn_model *model, int joint, int *link)
{
    for (int r = 0; joint >= 0 && r < model->nrobot; ++r) {
        const brn_robot_model *robot = model->robot[r];
        for (*link = 0; *link < robot->nlink; ++*link) {
            if (moves(robot, *link) && joint-- == 0) {
                return robot;
            }
        }
    }
    return NULL;
}

int brn_model_joint_count(const brn_model *model)
{
    int count = 0;
    for (int r = 0; model != NULL && r < model->nrobot; ++r) {
        for (int i = 0; i < model->robot[r]->nlink; ++i) {
            count += moves(model->robot[r], i);
        }
    }
    return count;
}

/* The first drive of a link's joint; -1: none. */
static int drive_of(const brn_robot_model *robot, int link)
{
    int found = -1;
    for (int k = robot->ndrive - 1; k >= 0; --k) {
        found = robot->drive[k].link == link ? k : found;
    }
    return found;
}

/* Targets beyond it do what those at its ends do: the range of the control, of a motor also where its force ends. */
static void target_range(const brn_drive *drive, double range[2])
{
    memcpy(range, drive->range, 2 * sizeof *range);
    if (drive->kind == BRN_DRIVE_MOTOR && drive->scale != 0.0) {
        const double ends[2] = {drive->effort[0] / drive->scale, drive->effort[1] / drive->scale};
        for (int i = 0; i < 2; ++i) {
            range[i] = fmin(fmax(range[i], fmin(ends[0], ends[1])), fmax(ends[0], ends[1]));
        }
    }
}

brn_status brn_model_get_joint(const brn_model *model, int joint, brn_joint_facts *out)
{
    static const char *const drives[] = {
        [BRN_DRIVE_MOTOR] = "torque", [BRN_DRIVE_POSITION] = "position", [BRN_DRIVE_VELOCITY] = "velocity"};
    int link = 0;
    BRN_GIVEN(NULL, model);
    BRN_GIVEN(model->ctx, out);
    const brn_robot_model *robot = find_joint(model, joint, &link);
    if (robot == NULL) {
        return brn_fail(model->ctx, BRN_ERR_RANGE, "joint %d: the model has %d", joint,
                        brn_model_joint_count(model));
    }
    const brn_joint *own = &robot->tree->link[link].joint;
    const brn_joint_info *info = brn_joint_info_of(own->kind);
    const int drive = drive_of(robot, link);
    *out = (brn_joint_facts){
        .robot = robot->name,
        .name = robot->joint_name[link],
        .link = robot->link_name[link],
        .kind = info->name,
        .unit = own->kind == BRN_JOINT_REVOLUTE    ? "rad"
                : own->kind == BRN_JOINT_PRISMATIC ? "m"
                                                   : "",
        .drive = drive >= 0 ? drives[robot->drive[drive].kind] : "none",
        .positions = info->nq,
        .velocities = info->nv,
        .limit = {own->limit[0] + robot->reference[link], own->limit[1] + robot->reference[link]},
        .target = {-INFINITY, INFINITY}};
    if (drive >= 0) {
        target_range(&robot->drive[drive], out->target);
    }
    return BRN_OK;
}

/* The rest of NAME/REST, if it starts with the name of the robot. */
static const char *after_robot(const brn_robot_model *robot, const char *word)
{
    const size_t length = strlen(robot->name);
    return strncmp(word, robot->name, length) == 0 && word[length] == '/' ? word + length + 1 : NULL;
}

int brn_model_find_joint(const brn_model *model, const char *name)
{
    int number = 0;
    for (int r = 0; model != NULL && name != NULL && r < model->nrobot; ++r) {
        const brn_robot_model *robot = model->robot[r];
        const char *own = after_robot(robot, name);
        for (int i = 0; i < robot->nlink; ++i) {
            if (moves(robot, i) && own != NULL && strcmp(robot->joint_name[i], own) == 0) {
                return number;
            }
            number += moves(robot, i);
        }
    }
    return -1;
}

int brn_model_link_count(const brn_model *model)
{
    return model != NULL ? model->nlink : 0;
}

static const brn_robot_model *robot_of_link(const brn_model *model, int link)
{
    const brn_robot_model *found = NULL;
    for (int r = 0; model != NULL && r < model->nrobot; ++r) {
        const brn_robot_model *robot = model->robot[r];
        found = link >= robot->link_first && link < robot->link_first + robot->nlink ? robot : found;
    }
    return found;
}

const char *brn_model_link_name(const brn_model *model, int link)
{
    const brn_robot_model *robot = robot_of_link(model, link);
    return robot != NULL ? robot->link_name[link - robot->link_first] : NULL;
}

int brn_model_find_link(const brn_model *model, const char *name)
{
    for (int r = 0; model != NULL && name != NULL && r < model->nrobot; ++r) {
        const brn_robot_model *robot = model->robot[r];
        const char *own = after_robot(robot, name);
        for (int i = 0; i < robot->nlink && own != NULL; ++i) {
            if (strcmp(robot->link_name[i], own) == 0) {
                return robot->link_first + i;
            }
        }
    }
    return -1;
}

/* Calls what needs the places and velocities of a robot's links now. */
static brn_status with_motion(const brn_sim *sim, const brn_robot_model *robot, brn_tree_motion **motion)
{
    BRN_TRY(brn_tree_motion_create(robot->tree, motion));
    brn_tree_place(robot->tree, &sim->state->joint_pos[robot->q_first], *motion);
    brn_tree_move(robot->tree, &sim->state->joint_vel[robot->v_first], *motion);
    return BRN_OK;
}

brn_status brn_sim_get_link(const brn_sim *sim, int link, brn_link_state *out)
{
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, out);
    const brn_robot_model *robot = robot_of_link(sim->model, link);
    brn_tree_motion *motion = NULL;
    if (robot == NULL) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "link %d: the model has %d", link, sim->model->nlink);
    }
    BRN_TRY(with_motion(sim, robot, &motion));
    const int own = link - robot->link_first;
    memcpy(out->position, motion->place[own].origin, sizeof out->position);
    brn_rotation_quaternion(motion->place[own].rotation, out->rotation);
    brn_tree_velocity_at(robot->tree, motion, own, out->position, out->velocity);
    memcpy(out->angular_velocity, motion->velocity[own], sizeof out->angular_velocity);
    brn_tree_motion_destroy(motion);
    return BRN_OK;
}

/* A joint with its link placed in `motion`. */
static void read_joint(const brn_sim *sim, const brn_robot_model *robot, const brn_tree_motion *motion,
                       int link, brn_joint_state *out)
{
    const brn_tree *tree = robot->tree;
    const int q = robot->q_first + tree->q_first[link];
    const int v = robot->v_first + tree->v_first[link];
    const int drive = drive_of(robot, link);
    const brn_memory *effort = brn_state_recall(sim->state, BRN_ROBOT_EFFORT);
    const brn_memory *wrench = brn_state_recall(sim->state, BRN_ROBOT_WRENCH);
    *out = (brn_joint_state){.target = NAN};
    memcpy(out->position, &sim->state->joint_pos[q],
           (size_t)(tree->q_first[link + 1] - tree->q_first[link]) * sizeof(double));
    memcpy(out->velocity, &sim->state->joint_vel[v],
           (size_t)(tree->v_first[link + 1] - tree->v_first[link]) * sizeof(double));
    out->position[0] += robot->reference[link];
    out->effort = effort != NULL && effort->count > (size_t)v ? effort->value[v] : 0.0;
    if (drive >= 0) {
        out->target = brn_controls_drive(sim->system->controls, robot->index, drive, brn_sim_time(sim));
    }
    if (wrench == NULL || wrench->count < 6 * (size_t)sim->model->nlink) {
        return;
    }
    const double *w = &wrench->value[6 * (robot->link_first + link)];
    const double *x = motion->place[link].origin;
    for (int i = 0; i < 3; ++i) { /* torque about the link's origin */
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        out->force[i] = w[i];
        out->torque[i] = w[3 + i] - (x[j] * w[k] - x[k] * w[j]);
    }
}

brn_status brn_sim_get_joint(const brn_sim *sim, int joint, brn_joint_state *out)
{
    int link = 0;
    BRN_GIVEN(NULL, sim);
    BRN_GIVEN(sim->ctx, out);
    const brn_robot_model *robot = find_joint(sim->model, joint, &link);
    brn_tree_motion *motion = NULL;
    if (robot == NULL) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "joint %d: the model has %d", joint,
                        brn_model_joint_count(sim->model));
    }
    BRN_TRY(with_motion(sim, robot, &motion));
    read_joint(sim, robot, motion, link, out);
    brn_tree_motion_destroy(motion);
    return BRN_OK;
}

brn_status brn_sim_get_joints(const brn_sim *sim, brn_joint_state *out)
{
    for (int r = 0; r < sim->model->nrobot; ++r) {
        const brn_robot_model *robot = sim->model->robot[r];
        brn_tree_motion *motion = NULL;
        BRN_TRY(with_motion(sim, robot, &motion));
        for (int link = 0; link < robot->nlink; ++link) {
            if (moves(robot, link)) {
                read_joint(sim, robot, motion, link, out++);
            }
        }
        brn_tree_motion_destroy(motion);
    }
    return BRN_OK;
}

brn_status brn_sim_set_joint_target(brn_sim *sim, int joint, double target)
{
    int link = 0;
    BRN_GIVEN(NULL, sim);
    const brn_robot_model *robot = find_joint(sim->model, joint, &link);
    const int drive = robot != NULL ? drive_of(robot, link) : -1;
    if (drive < 0) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE, "joint %d: %s", joint,
                        robot == NULL ? "there is none of that number"
                                      : "has no drive: give it one in the scene's `joints`");
    }
    if (isinf(target)) {
        return brn_fail(sim->ctx, BRN_ERR_RANGE,
                        "target of joint '%s' = %g: must be finite, or NaN for the scene's",
                        robot->joint_name[link], target);
    }
    sim->system->controls->aim[robot->drive_first + drive] = target;
    return BRN_OK;
}
