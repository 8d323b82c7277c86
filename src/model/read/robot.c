#include "model/read/robot.h"

#include "base/os.h"

#include <math.h>
#include <string.h>

void brn_robot_destroy(brn_robot *robot)
{
    if (robot == NULL) {
        return;
    }
    brn_ctx *ctx = robot->ctx;
    brn_free(ctx, robot->link);
    brn_free(ctx, robot->part);
    brn_free(ctx, robot->shape);
    brn_free(ctx, robot->drive);
    brn_free(ctx, robot->equality);
    brn_free(ctx, robot->exclude);
    brn_xml_destroy(robot->xml);
    brn_free(ctx, robot);
}

static brn_status fill_checked(brn_robot *robot, brn_robot_fill_fn fill)
{
    robot->xml->element[0].read = true;
    BRN_TRY(fill(robot, 0));
    BRN_TRY(brn_robot_check(robot));
    return brn_xml_unread(robot->xml, &robot->warning, &robot->nwarning);
}

brn_status brn_robot_create(brn_ctx *ctx, const char *bytes, size_t length, const char *name,
                            brn_robot_fill_fn fill, brn_robot **out)
{
    *out = NULL;
    brn_robot *robot = NULL;
    BRN_ALLOC(ctx, robot, 1);
    robot->ctx = ctx;
    robot->name = "";
    brn_status status = brn_xml_create(ctx, bytes, length, name, &robot->xml);
    if (status >= 0 && fill == NULL && brn_xml_is(robot->xml, 0, "robot")) {
        fill = brn_robot_fill_urdf;
    }
    if (status >= 0) {
        status = fill_checked(robot, fill != NULL ? fill : brn_robot_fill_mjcf);
    }
    if (status < 0) {
        brn_robot_destroy(robot);
        return status;
    }
    *out = robot;
    return BRN_OK;
}

brn_status brn_read_urdf(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_robot **out)
{
    return brn_robot_create(ctx, bytes, length, name, brn_robot_fill_urdf, out);
}

brn_status brn_read_mjcf(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_robot **out)
{
    return brn_robot_create(ctx, bytes, length, name, brn_robot_fill_mjcf, out);
}

brn_status brn_robot_read(brn_ctx *ctx, const char *path, brn_robot **out)
{
    char *bytes = NULL;
    size_t length = 0;
    *out = NULL;
    BRN_TRY(brn_file_read(ctx, path, BRN_XML_BYTES_MAX, &bytes, &length));
    const brn_status status = brn_robot_create(ctx, bytes, length, path, NULL, out);
    brn_free(ctx, bytes);
    return status;
}

/* ---- names --------------------------------------------------------------------------------------------------------- */

int brn_robot_link_named(const brn_robot *robot, const char *name)
{
    for (int i = 0; i < robot->nlink; ++i) {
        if (name[0] != '\0' && strcmp(robot->part[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int brn_robot_joint_named(const brn_robot *robot, const char *name)
{
    for (int i = 0; i < robot->nlink; ++i) {
        if (name[0] != '\0' && strcmp(robot->part[i].joint, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- items --------------------------------------------------------------------------------------------------------- */

/* Room for one more item in an array, zeroed. */
#define ADD(robot, array, count, which, most)                                                         \
 do {                                                                                                 \
  if ((robot)->count >= (most)) {                                                                     \
   return brn_fail((robot)->ctx, BRN_ERR_LIMIT, "%s: more than %d of " #array "s: more are not read", \
                   (robot)->xml->file, (int)(most));                                                  \
  }                                                                                                   \
  BRN_GROW((robot)->ctx, (robot)->array, (robot)->capacity[which], (robot)->count + 1);               \
  memset(&(robot)->array[(robot)->count], 0, sizeof *(robot)->array);                                 \
 } while (0)

brn_status brn_robot_add_link(brn_robot *robot)
{
    ADD(robot, link, nlink, 0, BRN_ROBOT_LINKS_MAX);
    ADD(robot, part, nlink, 1, BRN_ROBOT_LINKS_MAX);
    brn_robot_part *part = &robot->part[robot->nlink];
    part->name = part->joint = "";
    part->mimic = -1;
    part->factor = 1.0;
    ++robot->nlink;
    return BRN_OK;
}

brn_status brn_robot_add_shape(brn_robot *robot)
{
    ADD(robot, shape, nshape, 2, BRN_ROBOT_SHAPES_MAX);
    robot->shape[robot->nshape++] = (brn_robot_shape){
        .name = "",
        .primitive = {.dim = 3},
        .scale = {1.0, 1.0, 1.0},
        .frame = brn_robot_frame(),
        .color = {0.5, 0.5, 0.5, 1.0},
        .friction = NAN,
        .mass = NAN,
    };
    return BRN_OK;
}

brn_status brn_robot_add_drive(brn_robot *robot)
{
    ADD(robot, drive, ndrive, 3, BRN_ROBOT_ITEMS_MAX);
    robot->drive[robot->ndrive++] = (brn_robot_drive){
        .name = "", .gear = 1.0, .control = {-INFINITY, INFINITY}, .force = {-INFINITY, INFINITY}};
    return BRN_OK;
}

brn_status brn_robot_add_equality(brn_robot *robot)
{
    ADD(robot, equality, nequality, 4, BRN_ROBOT_ITEMS_MAX);
    robot->equality[robot->nequality++] = (brn_robot_equality){
        .name = "", .active = true, .link = {-1, -1}, .frame = brn_robot_frame(), .poly = {0.0, 1.0}};
    return BRN_OK;
}

brn_status brn_robot_add_exclude(brn_robot *robot)
{
    ADD(robot, exclude, nexclude, 5, BRN_ROBOT_ITEMS_MAX);
    ++robot->nexclude;
    return BRN_OK;
}

brn_rigid_map brn_robot_frame(void)
{
    return (brn_rigid_map){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/* ---- checks -------------------------------------------------------------------------------------------------------- */

static brn_status check_names(const brn_robot *robot)
{
    for (int i = 0; i < robot->nlink; ++i) {
        const brn_robot_part *part = &robot->part[i];
        const int link = brn_robot_link_named(robot, part->name);
        const int joint = brn_robot_joint_named(robot, part->joint);
        if (link >= 0 && link != i) {
            return brn_fail(robot->ctx, BRN_ERR_FORMAT,
                            "%s:%d: '%s' is the name of two links (the other is on line %d): rename one",
                            robot->xml->file, part->line, part->name, robot->part[link].line);
        }
        if (joint >= 0 && joint != i) {
            return brn_fail(robot->ctx, BRN_ERR_FORMAT,
                            "%s:%d: '%s' is the name of two joints (the other is on line %d): rename one",
                            robot->xml->file, part->joint_line, part->joint, robot->part[joint].joint_line);
        }
    }
    return BRN_OK;
}

static brn_status check_matter(const brn_robot *robot)
{
    double *mass = NULL;
    brn_status status = BRN_OK;
    BRN_ALLOC(robot->ctx, mass, robot->nlink);
    for (int i = robot->nlink - 1; i >= 0; --i) {
        const brn_joint *joint = &robot->link[i].joint;
        mass[i] += robot->link[i].inertia.mass + joint->armature + (robot->part[i].open ? 1.0 : 0.0);
        if (joint->parent >= 0) {
            mass[joint->parent] += mass[i];
        }
        if (joint->kind != BRN_JOINT_FIXED && !(mass[i] > 0.0)) {
            const brn_robot_part *part = &robot->part[i];
            status =
                brn_fail(robot->ctx, BRN_ERR_FORMAT,
                         "%s:%d: joint '%s': nothing that it moves has mass: give link '%s' inertia, or make "
                         "the joint fixed",
                         robot->xml->file, part->joint_line, part->joint, part->name);
        }
    }
    brn_free(robot->ctx, mass);
    return status;
}

brn_status brn_robot_check(brn_robot *robot)
{
    BRN_TRY(check_names(robot));
    return check_matter(robot);
}

brn_status brn_robot_sizes(brn_xml *xml, int element, const char *name, int count, double *out)
{
    const char *text = NULL;
    BRN_TRY(brn_xml_need(xml, element, name, &text));
    BRN_TRY(brn_xml_reals(xml, element, name, count, out));
    for (int k = 0; k < count; ++k) {
        if (!(out[k] > 0.0)) {
            return brn_xml_fail(xml, element, "%s=\"%.60s\": must be > 0 m", name, text);
        }
    }
    return BRN_OK;
}

brn_status brn_robot_scale(brn_xml *xml, int element, double out[3])
{
    int count = 0;
    out[0] = out[1] = out[2] = 1.0;
    BRN_TRY(brn_xml_some(xml, element, "scale", 1, 3, out, &count));
    if (count == 2) {
        return brn_xml_fail(xml, element, "scale: needs 1 number or 3, found 2");
    }
    if (count == 1) {
        out[1] = out[2] = out[0];
    }
    return out[0] != 0.0 && out[1] != 0.0 && out[2] != 0.0
               ? BRN_OK
               : brn_xml_fail(xml, element, "scale has a 0: a mesh needs an extent in every direction");
}
