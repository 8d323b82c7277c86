/* Joints of a robot: where they start, what drives, holds and couples them. */
#include "base/text.h"
#include "linalg/dense.h"
#include "model/robot_draft.h"

#include <string.h>

/* [1/s] A position drive without gains follows its target as a critically damped oscillator of this frequency; a velocity drive takes
   its inverse. */
static const double DRIVE_RATE = 30.0;

static const char *const ALL = "all";

/* What the scene says about a joint, entries that are not given taken from `all`. */
static brn_robot_joint_def joint_def(const brn_robot_def *def, const char *name)
{
    const brn_robot_joint_def *items = def->joints.items;
    brn_robot_joint_def out = {
        .position = NAN, .velocity = NAN, .kp = NAN, .kd = NAN, .effort = NAN, .target = NAN};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < def->joints.count; ++i) {
            if (strcmp(items[i].block.name, pass == 0 ? ALL : name) != 0) {
                continue;
            }
            const double *from[] = {&items[i].position, &items[i].velocity, &items[i].kp,
                                    &items[i].kd,       &items[i].effort,   &items[i].target};
            double *to[] = {&out.position, &out.velocity, &out.kp, &out.kd, &out.effort, &out.target};
            for (int k = 0; k < BRN_COUNT(from); ++k) {
                *to[k] = isnan(*from[k]) ? *to[k] : *from[k];
            }
            out.block = items[i].block;
            out.drive = items[i].drive != BRN_ROBOT_DRIVE_FILE ? items[i].drive : out.drive;
            out.table = items[i].table.rows > 0 ? items[i].table : out.table;
        }
    }
    return out;
}

static bool has_one(const brn_robot_model *robot, int link)
{
    return robot->tree->v_first[link + 1] - robot->tree->v_first[link] == 1;
}

/* ---- the start ------------------------------------------------------------------------------------------------------------------ */

static void check_names(brn_builder *b, const brn_robot_def *def, const brn_robot_model *robot)
{
    const brn_robot_joint_def *items = def->joints.items;
    for (int i = 0; i < def->joints.count; ++i) {
        const char *names[64];
        int count = 0;
        bool found = strcmp(items[i].block.name, ALL) == 0;
        for (int k = 0; k < robot->nlink; ++k) {
            if (!has_one(robot, k)) {
                continue;
            }
            found = found || strcmp(robot->joint_name[k], items[i].block.name) == 0;
            if (count < BRN_COUNT(names)) {
                names[count++] = robot->joint_name[k];
            }
        }
        if (found) {
            continue;
        }
        const int near = brn_nearest_word(items[i].block.name, names, count);
        if (near >= 0) {
            brn_scene_add_problem(b->scene, items[i].block.path,
                                  "the robot has no such joint with one axis; did you mean '%s'?",
                                  names[near]);
        } else {
            brn_scene_add_problem(b->scene, items[i].block.path,
                                  "the robot has no such joint with one axis; it has %d, the first is '%s'",
                                  count, count > 0 ? names[0] : "none");
        }
    }
}

static void start_joint(brn_builder *b, const brn_robot_joint_def *def, brn_robot_model *robot, int link)
{
    const double *limit = robot->tree->link[link].joint.limit;
    double *q = &robot->q0[robot->tree->q_first[link]];
    const double wanted = isnan(def->position) ? 0.0 : def->position - robot->reference[link];
    *q = fmin(fmax(wanted, limit[0]), limit[1]);
    if (!isnan(def->position) && *q != wanted) {
        brn_scene_add_problem(b->scene, def->block.path,
                              "position: %g is outside of the limits of joint '%s', %g to %g", def->position,
                              robot->joint_name[link], limit[0] + robot->reference[link],
                              limit[1] + robot->reference[link]);
    }
    robot->v0[robot->tree->v_first[link]] = isnan(def->velocity) ? 0.0 : def->velocity;
}

/* A base that the scene sets free moves as the scene says. */
static void start_base(const brn_robot_draft *draft, const brn_robot_def *def, brn_robot_model *robot)
{
    const brn_tree *tree = robot->tree;
    for (int i = 0; i < tree->nlink; ++i) {
        if (tree->link[i].joint.parent < 0 && tree->link[i].joint.kind == BRN_JOINT_FLOATING &&
            (draft->file->link[i].joint.kind == BRN_JOINT_FIXED || def->base == BRN_ROBOT_BASE_FREE)) {
            const double *axes = tree->link[i].joint.frame.rotation;
            brn_dense_apply3_t(axes, def->velocity, &robot->v0[tree->v_first[i]]);
            if (def->angular_velocity.count == 3) {
                brn_dense_apply3_t(axes, def->angular_velocity.v, &robot->v0[tree->v_first[i] + 3]);
            }
        }
    }
}

/* ---- drives ------------------------------------------------------------------------------------------------------------------------ */

/* The table of a control; errors are problems of the scene. */
static brn_status set_table(brn_builder *b, const brn_robot_joint_def *def, double standard, brn_drive *drive)
{
    const brn_rows *given = &def->table;
    drive->rows = given->rows > 0 ? given->rows : 1;
    BRN_ALLOC(b->ctx, drive->table, 2 * (size_t)drive->rows);
    drive->table[1] = isnan(def->target) ? standard : def->target;
    for (int i = 0; i < 2 * given->rows; ++i) {
        drive->table[i] = given->v[i];
    }
    for (int i = 1; i < given->rows; ++i) {
        if (!(given->v[2 * i] > given->v[2 * i - 2])) {
            brn_scene_add_problem(b->scene, def->block.path,
                                  "table: times must rise, but row %d has %g after %g", i, given->v[2 * i],
                                  given->v[2 * i - 2]);
            break;
        }
    }
    if (given->rows > 0 && !isnan(def->target)) {
        brn_scene_add_problem(b->scene, def->block.path,
                              "target: stands beside 'table'; keep one of the two");
    }
    return BRN_OK;
}

/* A drive of the scene. inertia: that the joint sees at the start. */
static brn_status add_scene_drive(brn_builder *b, const brn_robot_joint_def *def, int link, double inertia,
                                  brn_robot_model *robot)
{
    const bool position = def->drive == BRN_ROBOT_DRIVE_FILE || def->drive == BRN_ROBOT_DRIVE_POSITION;
    const double file = robot->tree->link[link].joint.effort;
    const double effort = isnan(def->effort) ? file : def->effort;
    const double start = robot->q0[robot->tree->q_first[link]] + robot->reference[link];
    brn_drive *drive = &robot->drive[robot->ndrive++];
    *drive = (brn_drive){.kind = position                                 ? BRN_DRIVE_POSITION
                                 : def->drive == BRN_ROBOT_DRIVE_VELOCITY ? BRN_DRIVE_VELOCITY
                                                                          : BRN_DRIVE_MOTOR,
                         .link = link,
                         .scale = 1.0,
                         .shift = position ? -robot->reference[link] : 0.0,
                         .effort = {-effort, effort},
                         .range = {-INFINITY, INFINITY}};
    if (position) {
        drive->stiffness = isnan(def->kp) ? inertia * DRIVE_RATE * DRIVE_RATE : def->kp;
        drive->damping = isnan(def->kd) ? 2.0 * sqrt(drive->stiffness * inertia) : def->kd;
    } else if (drive->kind == BRN_DRIVE_VELOCITY) {
        drive->damping = isnan(def->kd) ? inertia * DRIVE_RATE : def->kd;
    }
    return set_table(b, def, position ? start : 0.0, drive);
}

/* A drive of the file, with its gear. */
static brn_status add_file_drive(brn_builder *b, const brn_robot_joint_def *def, const brn_robot_drive *from,
                                 brn_robot_model *robot)
{
    brn_drive *drive = &robot->drive[robot->ndrive++];
    const double gear = from->gear;
    const double ends[2] = {gear * from->force[0], gear * from->force[1]};
    *drive = (brn_drive){.kind = from->kind,
                         .link = from->link,
                         .scale = from->kind == BRN_DRIVE_MOTOR ? gear : 1.0 / gear,
                         .shift = from->kind == BRN_DRIVE_POSITION ? -robot->reference[from->link] : 0.0,
                         .stiffness = from->kind == BRN_DRIVE_POSITION ? gear * gear * from->stiffness : 0.0,
                         .damping = from->kind != BRN_DRIVE_MOTOR ? gear * gear * from->damping : 0.0,
                         .effort = {fmin(ends[0], ends[1]), fmax(ends[0], ends[1])},
                         .range = {from->control[0], from->control[1]}};
    return set_table(b, def, 0.0, drive);
}

static brn_status drive_joint(brn_builder *b, const brn_robot *file, const brn_robot_joint_def *def, int link,
                              double inertia, brn_robot_model *robot)
{
    const bool gains = !isnan(def->kp) || !isnan(def->kd) || !isnan(def->effort);
    const bool aims = !isnan(def->target) || def->table.rows > 0;
    int own = 0;
    for (int i = 0; i < file->ndrive; ++i) {
        own += file->drive[i].link == link;
    }
    const bool by_file = def->drive == BRN_ROBOT_DRIVE_FILE && !gains && own > 0;
    for (int i = 0; i < file->ndrive && by_file; ++i) {
        if (file->drive[i].link == link && file->drive[i].gear != 0.0) {
            BRN_TRY(add_file_drive(b, def, &file->drive[i], robot));
        }
    }
    const bool by_scene =
        def->drive > BRN_ROBOT_DRIVE_NONE || (def->drive == BRN_ROBOT_DRIVE_FILE && (gains || aims));
    return by_scene && !by_file ? add_scene_drive(b, def, link, inertia, robot) : BRN_OK;
}

/* ---- springs and couplings ----------------------------------------------------------------------------------------------------------- */

static void add_springs(const brn_robot *file, brn_robot_model *robot)
{
    for (int i = 0; i < file->nlink; ++i) {
        const brn_robot_part *part = &file->part[i];
        if (part->spring > 0.0 && has_one(robot, i)) {
            robot->spring[robot->nspring++] =
                (brn_joint_spring){i, part->spring, part->rest - part->reference};
        }
    }
}

/* One joint follows another; it starts where it has to be. */
static void add_mimic(brn_robot_model *robot, int link, int leader, double factor, double offset)
{
    const brn_tree *tree = robot->tree;
    const double shift =
        (leader >= 0 ? factor * robot->reference[leader] : 0.0) + offset - robot->reference[link];
    robot->mimic[robot->nmimic++] = (brn_mimic){link, leader, leader >= 0 ? factor : 0.0, shift};
    robot->q0[tree->q_first[link]] = (leader >= 0 ? factor * robot->q0[tree->q_first[leader]] : 0.0) + shift;
    robot->v0[tree->v_first[link]] = leader >= 0 ? factor * robot->v0[tree->v_first[leader]] : 0.0;
}

/* Two frames that coincide: in each link, or in the world. */
static void add_coupling(const brn_robot *file, const brn_robot_equality *from, const brn_tree_motion *motion,
                         brn_robot_model *robot)
{
    brn_coupling *to = &robot->coupling[robot->ncoupling++];
    *to = (brn_coupling){.weld = from->kind == BRN_EQUALITY_WELD, .link = {from->link[0], from->link[1]}};
    const int first = from->link[0];
    const brn_rigid_map here = brn_robot_frame();
    const brn_rigid_map place[2] = {first >= 0 ? motion->place[first] : here,
                                    from->link[1] >= 0 ? motion->place[from->link[1]] : here};
    to->frame[0] = to->frame[1] = here;
    if (from->placed) { /* the frame of link 1, given in link 0 */
        to->frame[0] = from->frame;
        for (int i = 0; i < 3; ++i) {
            to->frame[0].origin[i] += first >= 0 ? file->part[first].origin[i] : 0.0;
            to->frame[1].origin[i] = from->link[1] >= 0 ? file->part[from->link[1]].origin[i] : 0.0;
        }
        return;
    }
    for (int i = 0; i < 3 && !to->weld; ++i) {
        to->frame[0].origin[i] = from->anchor[i] + (first >= 0 ? file->part[first].origin[i] : 0.0);
    }
    double at[3];
    brn_rigid_map_apply(&place[0], to->frame[0].origin, at);
    brn_rigid_map_undo(&place[1], at, to->frame[1].origin);
    brn_dense_multiply3_tn(place[1].rotation, place[0].rotation, to->frame[1].rotation);
}

static brn_status couple(const brn_robot *file, const brn_tree_motion *motion, brn_robot_model *robot)
{
    for (int i = 0; i < file->nlink; ++i) {
        if (file->part[i].mimic >= 0 && has_one(robot, i)) {
            add_mimic(robot, i, file->part[i].mimic, file->part[i].factor, file->part[i].offset);
        }
    }
    for (int i = 0; i < file->nequality; ++i) {
        const brn_robot_equality *from = &file->equality[i];
        if (!from->active) {
            continue;
        }
        if (from->kind != BRN_EQUALITY_JOINT) {
            add_coupling(file, from, motion, robot);
        } else if (from->link[1] >= 0 &&
                   (from->poly[2] != 0.0 || from->poly[3] != 0.0 || from->poly[4] != 0.0)) {
            return brn_fail(robot->ctx, BRN_ERR_FORMAT,
                            "%s:%d: a joint that follows another by a polynomial of degree 2 or more: only "
                            "polycoef=\"a b 0 0 0\" can be had",
                            file->xml->file, from->line);
        } else {
            add_mimic(robot, from->link[0], from->link[1], from->poly[1], from->poly[0]);
        }
    }
    return BRN_OK;
}

/* ---- all ----------------------------------------------------------------------------------------------------------------------------- */

static brn_status add_joints(brn_builder *b, const brn_robot *file, const brn_robot_def *def,
                             brn_tree_motion *motion, double *mass, brn_robot_model *robot)
{
    const brn_tree *tree = robot->tree;
    for (int i = 0; i < tree->nlink; ++i) {
        if (has_one(robot, i)) {
            const brn_robot_joint_def own = joint_def(def, robot->joint_name[i]);
            start_joint(b, &own, robot, i);
        }
    }
    brn_tree_place(tree, robot->q0, motion);
    BRN_TRY(couple(file, motion, robot));
    brn_tree_place(tree, robot->q0, motion); /* those that follow have moved */
    brn_tree_mass(tree, motion, mass);
    for (int i = 0; i < tree->nlink; ++i) {
        if (has_one(robot, i)) {
            const brn_robot_joint_def own = joint_def(def, robot->joint_name[i]);
            const int v = tree->v_first[i];
            BRN_TRY(drive_joint(b, file, &own, i, mass[v * tree->nv + v], robot));
        }
    }
    add_springs(file, robot);
    return BRN_OK;
}

brn_status brn_robot_add_joints(brn_builder *b, const brn_robot_draft *draft, brn_robot_model *robot)
{
    const brn_robot *file = draft->file;
    const brn_robot_def *def = b->def->bodies.items[robot->source].value;
    const brn_tree *tree = robot->tree;
    brn_tree_motion *motion = NULL;
    double *mass = NULL;
    BRN_ALLOC(b->ctx, robot->q0, tree->nq);
    BRN_ALLOC(b->ctx, robot->v0, tree->nv);
    BRN_ALLOC(b->ctx, robot->drive, tree->nlink + file->ndrive);
    BRN_ALLOC(b->ctx, robot->spring, tree->nlink);
    BRN_ALLOC(b->ctx, robot->mimic, tree->nlink + file->nequality);
    BRN_ALLOC(b->ctx, robot->coupling, file->nequality);
    check_names(b, def, robot);
    brn_tree_rest(tree, robot->q0);
    start_base(draft, def, robot);
    BRN_TRY(brn_tree_motion_create(tree, &motion));
    mass = brn_calloc(b->ctx, (size_t)tree->nv * (size_t)tree->nv, sizeof *mass);
    const brn_status status = mass != NULL ? add_joints(b, file, def, motion, mass, robot) : BRN_ERR_MEMORY;
    brn_free(b->ctx, mass);
    brn_tree_motion_destroy(motion);
    return status;
}
