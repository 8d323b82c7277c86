/* What the fuzz targets of the robot readers share. */
#ifndef BRN_TESTS_FUZZ_ROBOT_FUZZ_H
#define BRN_TESTS_FUZZ_ROBOT_FUZZ_H

#include "read_fuzz.h"

#include "model/read/robot.h"

/* The robot keeps the promises of robot.h: parents before children, indices in range, limits in order, texts that end. */
static inline void robot_check(const brn_robot *robot)
{
    bool good = robot->nlink > 0 && strlen(robot->name) < 1000000;
    for (int i = 0; i < robot->nlink; ++i) {
        const brn_joint *joint = &robot->link[i].joint;
        const brn_robot_part *part = &robot->part[i];
        good = good && joint->parent >= -1 && joint->parent < i && joint->limit[0] <= joint->limit[1];
        good = good && part->mimic >= -1 && part->mimic < robot->nlink && part->line > 0;
        good = good && (part->name[0] == '\0' || brn_robot_link_named(robot, part->name) == i);
        good = good && (part->joint[0] == '\0' || brn_robot_joint_named(robot, part->joint) == i);
    }
    for (int i = 0; i < robot->nshape; ++i) {
        const brn_robot_shape *shape = &robot->shape[i];
        good = good && shape->link >= -1 && shape->link < robot->nlink && shape->line > 0 &&
               (shape->primitive.kind == BRN_PRIMITIVE_NONE) == (shape->mesh != NULL);
        good = good && (shape->primitive.kind == BRN_PRIMITIVE_NONE ||
                        shape->primitive.kind == BRN_PRIMITIVE_PLANE || shape->primitive.size[0] > 0.0);
    }
    for (int i = 0; i < robot->ndrive; ++i) {
        good = good && robot->drive[i].link >= 0 && robot->drive[i].link < robot->nlink &&
               robot->drive[i].control[0] <= robot->drive[i].control[1];
    }
    for (int i = 0; i < robot->nequality; ++i) {
        good = good && robot->equality[i].link[0] < robot->nlink && robot->equality[i].link[1] < robot->nlink;
    }
    for (int i = 0; i < robot->nwarning; ++i) {
        good = good && strlen(robot->warning[i]) > 0;
    }
    if (!good) {
        abort();
    }
}

/* A tree of it, placed and moved; it may be refused where numbers overflow, with a message. */
static inline void robot_move(brn_ctx *ctx, const brn_robot *robot)
{
    static const double gravity[3] = {0.0, 0.0, -9.81};
    brn_tree *tree = NULL;
    brn_tree_motion *motion = NULL;
    if (brn_tree_create(ctx, robot->link, robot->nlink, &tree) < 0) {
        if (brn_ctx_message(ctx)[0] == '\0') {
            abort();
        }
        return;
    }
    double *q = calloc((size_t)tree->nq + 1, sizeof *q), *v = calloc((size_t)tree->nv + 1, sizeof *v);
    if (q == NULL || v == NULL || brn_tree_motion_create(tree, &motion) < 0) {
        abort();
    }
    brn_tree_rest(tree, q);
    brn_tree_place(tree, q, motion);
    brn_tree_move(tree, v, motion);
    brn_tree_inverse(tree, motion, NULL, gravity, v);
    brn_tree_motion_destroy(motion);
    brn_tree_destroy(tree);
    free(q);
    free(v);
}

typedef brn_status (*robot_reader_fn)(brn_ctx *ctx, const char *bytes, size_t length, const char *name,
                                      brn_robot **out);

static inline int robot_fuzz(robot_reader_fn read, const uint8_t *data, size_t size)
{
    brn_ctx *ctx = fuzz_ctx();
    brn_robot *robot = NULL;
    const brn_status status = read(ctx, (const char *)data, size, "fuzz", &robot);
    if ((status == BRN_OK) != (robot != NULL) || (status < 0 && brn_ctx_message(ctx)[0] == '\0')) {
        abort();
    }
    if (robot != NULL) {
        robot_check(robot);
        robot_move(ctx, robot);
        brn_robot_destroy(robot);
    }
    return 0;
}

#endif
