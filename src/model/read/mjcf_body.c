/* Bodies of MJCF and their joints. A body with joints at p_1 ... p_n becomes n links, each with its origin at its joint; the file's
   frame of the body stands at -p_n in the last one, parallel to it. */
#include "base/param.h"
#include "linalg/dense.h"
#include "model/read/mjcf.h"

#include <math.h>
#include <string.h>

/* Where a body hangs. */
typedef struct hook {
    int link;         /* -1: the world */
    double origin[3]; /* of the file's frame in the link */
    int class;        /* of the defaults of what stands there */
} hook;

static const char *const joint_types[] = {"hinge", "slide", "ball", "free"};
static const brn_joint_kind joint_kinds[] = {BRN_JOINT_REVOLUTE, BRN_JOINT_PRISMATIC, BRN_JOINT_BALL,
                                             BRN_JOINT_FLOATING};

/* ---- joints -------------------------------------------------------------------------------------------------------- */

static brn_status read_losses(brn_mjcf *m, const brn_mjcf_at *at, brn_joint *joint, brn_robot_part *part)
{
    BRN_TRY(brn_mjcf_reals(m, at, "damping", 1, &joint->damping));
    BRN_TRY(brn_mjcf_reals(m, at, "frictionloss", 1, &joint->friction));
    BRN_TRY(brn_mjcf_reals(m, at, "armature", 1, &joint->armature));
    BRN_TRY(brn_mjcf_reals(m, at, "stiffness", 1, &part->spring));
    if (!(joint->damping >= 0.0 && joint->friction >= 0.0 && joint->armature >= 0.0 && part->spring >= 0.0)) {
        return brn_xml_fail(m->xml, at->element,
                            "damping, frictionloss, armature and stiffness must be >= 0");
    }
    return BRN_OK;
}

/* Limits, and the rest of the spring, from q = 0: the file counts from `ref` there. */
static brn_status read_positions(brn_mjcf *m, const brn_mjcf_at *at, brn_joint *joint, brn_robot_part *part)
{
    const double unit = m->degrees && joint->kind == BRN_JOINT_REVOLUTE ? M_PI / 180.0 : 1.0;
    double range[2] = {-INFINITY, INFINITY};
    double force[2] = {-INFINITY, INFINITY};
    double reference = 0.0;
    double rest = 0.0;
    if (joint->kind != BRN_JOINT_REVOLUTE && joint->kind != BRN_JOINT_PRISMATIC) {
        return BRN_OK; /* a range of a ball is left unread, and told */
    }
    BRN_TRY(brn_mjcf_range(m, at, "range", "limited", range));
    BRN_TRY(brn_mjcf_range(m, at, "actuatorfrcrange", "actuatorfrclimited", force));
    BRN_TRY(brn_mjcf_reals(m, at, "ref", 1, &reference));
    BRN_TRY(brn_mjcf_reals(m, at, "springref", 1, &rest));
    for (int k = 0; k < 2; ++k) {
        joint->limit[k] = (range[k] - reference) * unit;
    }
    part->reference = reference * unit;
    part->rest = (rest - reference) * unit;
    /* One number stands for both directions: the smaller, which no drive exceeds. */
    joint->effort = fmax(0.0, fmin(-force[0], force[1]));
    return BRN_OK;
}

/* The joint of the link that was added last; pos: where it is in the body. */
static brn_status read_joint(brn_mjcf *m, int element, const hook *at_body, double pos[3])
{
    brn_mjcf_at at;
    brn_joint *joint = &m->robot->link[m->robot->nlink - 1].joint;
    brn_robot_part *part = &m->robot->part[m->robot->nlink - 1];
    const bool is_free = brn_xml_is(m->xml, element, "freejoint");
    int type = 3;
    BRN_TRY(brn_mjcf_open(m, element, is_free ? BRN_MJCF_PLAIN : BRN_MJCF_JOINT, at_body->class, &at));
    part->joint = brn_mjcf_name(m, element);
    part->joint_line = m->xml->element[element].line;
    if (!is_free) {
        BRN_TRY(brn_mjcf_word(m, &at, "type", joint_types, BRN_COUNT(joint_types), 0, &type));
    }
    *joint = brn_joint_default(joint_kinds[type], -1);
    memset(pos, 0, 3 * sizeof *pos);
    if (is_free) {
        return BRN_OK;
    }
    BRN_TRY(read_losses(m, &at, joint, part));
    BRN_TRY(read_positions(m, &at, joint, part));
    if (joint->kind != BRN_JOINT_FLOATING) {
        BRN_TRY(brn_mjcf_reals(m, &at, "pos", 3, pos));
        BRN_TRY(brn_mjcf_reals(m, &at, "axis", 3, joint->axis));
    }
    return brn_dense_length3(joint->axis) > 0.0
               ? BRN_OK
               : brn_xml_fail(m->xml, element, "the axis is zero: give it a direction");
}

/* A link for every joint, or one that is fixed; *out: the last of them and where the body's frame is in it. */
static brn_status read_joints(brn_mjcf *m, int body, const brn_rigid_map *frame, const hook *parent,
                              hook *out)
{
    brn_robot *robot = m->robot;
    int count = 0;
    double last[3] = {0.0, 0.0, 0.0};
    for (int e = brn_xml_child(m->xml, body, NULL); e >= 0; e = brn_xml_next(m->xml, e, NULL)) {
        double pos[3];
        if (!brn_xml_is(m->xml, e, "joint") && !brn_xml_is(m->xml, e, "freejoint")) {
            continue;
        }
        m->xml->element[e].read = true;
        BRN_TRY(brn_robot_add_link(robot));
        brn_joint *joint = &robot->link[robot->nlink - 1].joint;
        robot->part[robot->nlink - 1].line = m->xml->element[body].line;
        BRN_TRY(read_joint(m, e, out, pos));
        if (joint->kind == BRN_JOINT_FLOATING && (parent->link >= 0 || count > 0)) {
            return brn_xml_fail(m->xml, e, "a free joint must be the only one of a body of the <worldbody>");
        }
        if (count > 0 && robot->link[robot->nlink - 2].joint.kind == BRN_JOINT_FLOATING) {
            return brn_xml_fail(m->xml, e, "the body has a free joint already: it moves freely");
        }
        joint->parent = count > 0 ? robot->nlink - 2 : parent->link;
        double way[3];
        double place[3];
        for (int k = 0; k < 3; ++k) {
            way[k] = pos[k] - last[k];
            last[k] = pos[k];
        }
        joint->frame = count > 0 ? brn_robot_frame() : *frame;
        brn_rigid_map_apply(&joint->frame, way, place);
        memcpy(joint->frame.origin, place, sizeof place);
        ++count;
    }
    if (count == 0) {
        BRN_TRY(brn_robot_add_link(robot));
        brn_joint *joint = &robot->link[robot->nlink - 1].joint;
        *joint = brn_joint_default(BRN_JOINT_FIXED, parent->link);
        joint->frame = *frame;
        robot->part[robot->nlink - 1].joint_line = m->xml->element[body].line;
    }
    out->link = robot->nlink - 1;
    for (int k = 0; k < 3; ++k) {
        out->origin[k] = -last[k];
    }
    return BRN_OK;
}

/* ---- matter -------------------------------------------------------------------------------------------------------- */

static brn_status read_inertial(brn_mjcf *m, int element, const hook *at_body)
{
    brn_mjcf_at at;
    brn_rigid_map frame;
    brn_inertia own = {0};
    double full[6];
    int nfull = 0;
    int ndiagonal = 0;
    char why[BRN_INERTIA_WHY];
    const char *text = NULL;
    BRN_TRY(brn_mjcf_open(m, element, BRN_MJCF_PLAIN, 0, &at));
    BRN_TRY(brn_xml_need(m->xml, element, "pos", &text));
    BRN_TRY(brn_xml_need(m->xml, element, "mass", &text));
    BRN_TRY(brn_mjcf_frame(m, &at, &frame));
    BRN_TRY(brn_xml_reals(m->xml, element, "mass", 1, &own.mass));
    BRN_TRY(brn_xml_some(m->xml, element, "fullinertia", 6, 6, full, &nfull));
    if (nfull == 0) {
        BRN_TRY(brn_xml_some(m->xml, element, "diaginertia", 3, 3, full, &ndiagonal));
        full[3] = full[4] = full[5] = 0.0;
    }
    if (nfull + ndiagonal == 0) {
        return brn_xml_fail(m->xml, element, "needs diaginertia or fullinertia");
    }
    for (int k = 0; k < 3; ++k) {
        own.about[4 * k] = full[k];
    }
    own.about[1] = own.about[3] = full[3];
    own.about[2] = own.about[6] = full[4];
    own.about[5] = own.about[7] = full[5];
    if (!brn_inertia_check(&own, why)) {
        return brn_xml_fail(m->xml, element, "%s", why);
    }
    for (int k = 0; k < 3; ++k) {
        frame.origin[k] += at_body->origin[k];
    }
    m->robot->link[at_body->link].inertia = brn_inertia_placed(&own, &frame);
    return BRN_OK;
}

/* ---- bodies -------------------------------------------------------------------------------------------------------- */

static brn_status read_content(brn_mjcf *m, int element, const hook *at, bool weigh);

/* Bodies stand in each other as deep as a file may be (xml.h). */
static brn_status read_body(brn_mjcf *m, int element, const hook *parent)
{
    brn_mjcf_at at;
    brn_rigid_map frame;
    hook own = {.class = parent->class};
    int inertial = -1;
    BRN_TRY(brn_mjcf_class_of(m, element, "childclass", parent->class, &own.class));
    BRN_TRY(brn_mjcf_open(m, element, BRN_MJCF_PLAIN, 0, &at));
    BRN_TRY(brn_mjcf_frame(m, &at, &frame));
    for (int k = 0; k < 3; ++k) {
        frame.origin[k] += parent->origin[k];
    }
    BRN_TRY(read_joints(m, element, &frame, parent, &own));
    brn_robot_part *part = &m->robot->part[own.link];
    part->name = brn_mjcf_name(m, element);
    part->line = m->xml->element[element].line;
    memcpy(part->origin, own.origin, sizeof own.origin);
    BRN_TRY(brn_xml_only(m->xml, element, "inertial", &inertial));
    const bool by_shapes =
        m->weigh == BRN_MJCF_WEIGH_ALWAYS || (m->weigh == BRN_MJCF_WEIGH_AUTO && inertial < 0);
    if (inertial >= 0 && !by_shapes) {
        BRN_TRY(read_inertial(m, inertial, &own));
    }
    return read_content(m, element, &own, by_shapes);
}

static brn_status read_content(brn_mjcf *m, int element, const hook *at, bool weigh)
{
    for (int e = brn_xml_child(m->xml, element, "geom"); e >= 0; e = brn_xml_next(m->xml, e, "geom")) {
        BRN_TRY(brn_mjcf_geom(m, e, at->class, at->link, at->origin, weigh));
    }
    for (int e = brn_xml_child(m->xml, element, "body"); e >= 0; e = brn_xml_next(m->xml, e, "body")) {
        BRN_TRY(read_body(m, e, at));
    }
    return BRN_OK;
}

brn_status brn_mjcf_bodies(brn_mjcf *m, int worldbody)
{
    hook world = {.link = -1};
    BRN_TRY(brn_mjcf_class_of(m, worldbody, "childclass", 0, &world.class));
    return read_content(m, worldbody, &world, false);
}
