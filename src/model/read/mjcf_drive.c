/* Drives, constraints and excluded pairs of MJCF. */
#include "base/param.h"
#include "model/read/mjcf.h"

#include <math.h>
#include <string.h>

/* ---- drives -------------------------------------------------------------------------------------------------------- */

static brn_status read_drive(brn_mjcf *m, int element, brn_drive_kind kind)
{
    static const brn_mjcf_kind kinds[] = {BRN_MJCF_MOTOR, BRN_MJCF_POSITION, BRN_MJCF_VELOCITY};
    brn_mjcf_at at;
    double gear[6] = {1.0};
    int count = 0;
    BRN_TRY(brn_mjcf_open(m, element, kinds[kind], 0, &at));
    const char *joint = brn_mjcf_get(m, &at, "joint");
    if (joint == NULL) {
        return brn_xml_fail(m->xml, element,
                            "the attribute 'joint' is missing: only drives of joints are read");
    }
    BRN_TRY(brn_robot_add_drive(m->robot));
    brn_robot_drive *drive = &m->robot->drive[m->robot->ndrive - 1];
    drive->name = brn_mjcf_name(m, element);
    drive->line = m->xml->element[element].line;
    drive->kind = kind;
    drive->link = brn_robot_joint_named(m->robot, joint);
    if (drive->link < 0) {
        return brn_xml_fail(m->xml, element, "there is no joint '%.80s'", joint);
    }
    if (brn_joint_info_of(m->robot->link[drive->link].joint.kind)->nv != 1) {
        return brn_xml_fail(m->xml, element,
                            "joint '%.80s' has more than one velocity: only hinges and slides are driven",
                            joint);
    }
    BRN_TRY(brn_mjcf_some(m, &at, "gear", 1, 6, gear, &count));
    drive->gear = gear[0];
    drive->stiffness = kind == BRN_DRIVE_POSITION ? 1.0 : 0.0;
    drive->damping = kind == BRN_DRIVE_VELOCITY ? 1.0 : 0.0;
    if (kind == BRN_DRIVE_POSITION) {
        BRN_TRY(brn_mjcf_reals(m, &at, "kp", 1, &drive->stiffness));
    }
    if (kind != BRN_DRIVE_MOTOR) {
        BRN_TRY(brn_mjcf_reals(m, &at, "kv", 1, &drive->damping));
    }
    if (!(drive->stiffness >= 0.0 && drive->damping >= 0.0)) {
        return brn_xml_fail(m->xml, element, "kp and kv must be >= 0");
    }
    BRN_TRY(brn_mjcf_range(m, &at, "ctrlrange", "ctrllimited", drive->control));
    return brn_mjcf_range(m, &at, "forcerange", "forcelimited", drive->force);
}

brn_status brn_mjcf_drives(brn_mjcf *m, int actuator)
{
    static const char *const names[] = {"motor", "position", "velocity"};
    /* In the order of the file: it is the order of the controls. */
    for (int e = brn_xml_child(m->xml, actuator, NULL); e >= 0; e = brn_xml_next(m->xml, e, NULL)) {
        for (int k = 0; k < BRN_COUNT(names); ++k) {
            if (brn_xml_is(m->xml, e, names[k])) {
                m->xml->element[e].read = true;
                BRN_TRY(read_drive(m, e, (brn_drive_kind)k));
            }
        }
    }
    return BRN_OK;
}

/* ---- constraints --------------------------------------------------------------------------------------------------- */

/* The link of a body; -1 for the world. */
static brn_status find_body(brn_mjcf *m, int element, const char *attribute, bool needed, int *out)
{
    const char *name = brn_xml_get(m->xml, element, attribute);
    *out = -1;
    if (name == NULL || strcmp(name, "world") == 0) {
        return name != NULL || !needed
                   ? BRN_OK
                   : brn_xml_fail(m->xml, element, "the attribute '%s' is missing: only bodies are read here",
                                  attribute);
    }
    *out = brn_robot_link_named(m->robot, name);
    return *out >= 0 ? BRN_OK
                     : brn_xml_fail(m->xml, element, "%s: there is no body '%.80s'", attribute, name);
}

static brn_status find_joint(brn_mjcf *m, int element, const char *attribute, bool needed, int *out)
{
    const char *name = brn_xml_get(m->xml, element, attribute);
    *out = -1;
    if (name == NULL) {
        return !needed ? BRN_OK : brn_xml_fail(m->xml, element, "the attribute '%s' is missing", attribute);
    }
    *out = brn_robot_joint_named(m->robot, name);
    if (*out < 0) {
        return brn_xml_fail(m->xml, element, "%s: there is no joint '%.80s'", attribute, name);
    }
    return brn_joint_info_of(m->robot->link[*out].joint.kind)->nv == 1
               ? BRN_OK
               : brn_xml_fail(m->xml, element, "%s: joint '%.80s' is neither a hinge nor a slide", attribute,
                              name);
}

/* relpose: place and quaternion; a quaternion of zeros, as by default, means that of the start. */
static brn_status read_pose(brn_mjcf *m, int element, brn_robot_equality *equality)
{
    double pose[7] = {0.0};
    BRN_TRY(brn_xml_reals(m->xml, element, "relpose", 7, pose));
    const double size = fabs(pose[3]) + fabs(pose[4]) + fabs(pose[5]) + fabs(pose[6]);
    equality->placed = size > 0.0;
    if (equality->placed) {
        memcpy(equality->frame.origin, pose, 3 * sizeof *pose);
        (void)brn_mjcf_turn_quaternion(&pose[3], equality->frame.rotation);
    }
    return BRN_OK;
}

static brn_status read_equality(brn_mjcf *m, int element, brn_equality_kind kind)
{
    static const char *const booleans[] = {"false", "true"};
    brn_mjcf_at at;
    int active = 1;
    BRN_TRY(brn_mjcf_open(m, element, BRN_MJCF_EQUALITY, 0, &at));
    BRN_TRY(brn_mjcf_word(m, &at, "active", booleans, 2, 1, &active));
    BRN_TRY(brn_robot_add_equality(m->robot));
    brn_robot_equality *equality = &m->robot->equality[m->robot->nequality - 1];
    equality->name = brn_mjcf_name(m, element);
    equality->line = m->xml->element[element].line;
    equality->kind = kind;
    equality->active = active == 1;
    if (kind == BRN_EQUALITY_JOINT) {
        int count = 0;
        double poly[5] = {0.0, 1.0};
        BRN_TRY(find_joint(m, element, "joint1", true, &equality->link[0]));
        BRN_TRY(find_joint(m, element, "joint2", false, &equality->link[1]));
        BRN_TRY(brn_xml_some(m->xml, element, "polycoef", 1, 5, poly, &count));
        memcpy(equality->poly, poly, sizeof poly);
    } else {
        const char *text = NULL;
        BRN_TRY(find_body(m, element, "body1", true, &equality->link[0]));
        BRN_TRY(find_body(m, element, "body2", false, &equality->link[1]));
        if (kind == BRN_EQUALITY_CONNECT) {
            BRN_TRY(brn_xml_need(m->xml, element, "anchor", &text));
        } else {
            BRN_TRY(read_pose(m, element, equality));
        }
        BRN_TRY(brn_xml_reals(m->xml, element, "anchor", 3, equality->anchor));
    }
    return equality->link[0] != equality->link[1]
               ? BRN_OK
               : brn_xml_fail(m->xml, element, "ties a thing to itself: give two different ones");
}

brn_status brn_mjcf_equalities(brn_mjcf *m, int element)
{
    static const char *const names[] = {"connect", "weld", "joint"};
    for (int e = brn_xml_child(m->xml, element, NULL); e >= 0; e = brn_xml_next(m->xml, e, NULL)) {
        for (int k = 0; k < BRN_COUNT(names); ++k) {
            if (brn_xml_is(m->xml, e, names[k])) {
                m->xml->element[e].read = true;
                BRN_TRY(read_equality(m, e, (brn_equality_kind)k));
            }
        }
    }
    return BRN_OK;
}

brn_status brn_mjcf_excludes(brn_mjcf *m, int contact)
{
    for (int e = brn_xml_child(m->xml, contact, "exclude"); e >= 0; e = brn_xml_next(m->xml, e, "exclude")) {
        int pair[2];
        (void)brn_mjcf_name(m, e);
        BRN_TRY(find_body(m, e, "body1", true, &pair[0]));
        BRN_TRY(find_body(m, e, "body2", true, &pair[1]));
        BRN_TRY(brn_robot_add_exclude(m->robot));
        memcpy(m->robot->exclude[m->robot->nexclude - 1], pair, sizeof pair);
    }
    return BRN_OK;
}
