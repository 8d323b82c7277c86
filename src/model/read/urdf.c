/* URDF: links and joints in any order; parents are brought before their children. */
#include "model/read/urdf.h"
#include "base/param.h"
#include "linalg/dense.h"

#include <string.h>

static const char *const joint_types[] = {"revolute", "continuous", "prismatic",
                                          "fixed",    "floating",   "planar"};
static const brn_joint_kind joint_kinds[] = {BRN_JOINT_REVOLUTE, BRN_JOINT_REVOLUTE, BRN_JOINT_PRISMATIC,
                                             BRN_JOINT_FIXED,    BRN_JOINT_FLOATING, BRN_JOINT_PLANAR};
enum { CONTINUOUS = 1 };

/* ---- joints -------------------------------------------------------------------------------------------------------- */

static bool has_one(const brn_joint *joint)
{
    return joint->kind == BRN_JOINT_REVOLUTE || joint->kind == BRN_JOINT_PRISMATIC;
}

static brn_status read_limit(brn_urdf *u, int element, bool bounded, brn_joint *joint)
{
    int limit = -1;
    BRN_TRY(brn_xml_only(u->xml, element, "limit", &limit));
    if (limit < 0) {
        return !bounded
                   ? BRN_OK
                   : brn_xml_fail(u->xml, element,
                                  "has no <limit lower=... upper=... effort=... velocity=...>; a joint that "
                                  "turns without end is of type continuous");
    }
    if (bounded) {
        joint->limit[0] = joint->limit[1] = 0.0; /* as the format says for what is not given */
        BRN_TRY(brn_xml_reals(u->xml, limit, "lower", 1, &joint->limit[0]));
        BRN_TRY(brn_xml_reals(u->xml, limit, "upper", 1, &joint->limit[1]));
    }
    BRN_TRY(brn_xml_reals(u->xml, limit, "effort", 1, &joint->effort));
    BRN_TRY(brn_xml_reals(u->xml, limit, "velocity", 1, &joint->velocity));
    if (!(joint->limit[0] <= joint->limit[1])) {
        return brn_xml_fail(u->xml, limit, "lower=%.9g is above upper=%.9g: exchange them", joint->limit[0],
                            joint->limit[1]);
    }
    return joint->effort >= 0.0 && joint->velocity >= 0.0
               ? BRN_OK
               : brn_xml_fail(u->xml, limit, "effort and velocity must be >= 0");
}

static brn_status read_joint(brn_urdf *u, int j)
{
    brn_xml *xml = u->xml;
    const int element = u->joint[j].element;
    const int link = u->place[u->ends[j][1]];
    brn_joint *joint = &u->robot->link[link].joint;
    const char *text = NULL;
    int type = 0;
    int axis = -1;
    int dynamics = -1;
    BRN_TRY(brn_xml_need(xml, element, "type", &text));
    BRN_TRY(brn_xml_word(xml, element, "type", joint_types, BRN_COUNT(joint_types), 0, &type));
    *joint = brn_joint_default(joint_kinds[type], u->place[u->ends[j][0]]);
    u->robot->part[link].joint = u->joint[j].name;
    u->robot->part[link].joint_line = xml->element[element].line;
    BRN_TRY(brn_urdf_origin(xml, element, &joint->frame));
    /* The format's axis is x unless it is given. */
    joint->axis[0] = 1.0;
    joint->axis[2] = 0.0;
    BRN_TRY(brn_xml_only(xml, element, "axis", &axis));
    if (axis >= 0) {
        BRN_TRY(brn_xml_reals(xml, axis, "xyz", 3, joint->axis));
        if (!(brn_dense_length3(joint->axis) > 0.0)) {
            return brn_xml_fail(xml, axis, "the axis is zero: give it a direction");
        }
    }
    BRN_TRY(brn_xml_only(xml, element, "dynamics", &dynamics));
    if (dynamics >= 0) {
        BRN_TRY(brn_xml_reals(xml, dynamics, "damping", 1, &joint->damping));
        BRN_TRY(brn_xml_reals(xml, dynamics, "friction", 1, &joint->friction));
        if (!(joint->damping >= 0.0 && joint->friction >= 0.0)) {
            return brn_xml_fail(xml, dynamics, "damping and friction must be >= 0");
        }
    }
    return read_limit(u, element, has_one(joint) && type != CONTINUOUS, joint);
}

static brn_status read_mimic(brn_urdf *u, int j)
{
    brn_robot *robot = u->robot;
    const int link = u->place[u->ends[j][1]];
    brn_robot_part *part = &robot->part[link];
    int mimic = -1;
    const char *name = NULL;
    BRN_TRY(brn_xml_only(u->xml, u->joint[j].element, "mimic", &mimic));
    if (mimic < 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_xml_need(u->xml, mimic, "joint", &name));
    BRN_TRY(brn_xml_reals(u->xml, mimic, "multiplier", 1, &part->factor));
    BRN_TRY(brn_xml_reals(u->xml, mimic, "offset", 1, &part->offset));
    part->mimic = brn_robot_joint_named(robot, name);
    if (part->mimic < 0) {
        return brn_xml_fail(u->xml, mimic, "there is no joint '%.80s' to follow", name);
    }
    if (!has_one(&robot->link[link].joint) || !has_one(&robot->link[part->mimic].joint)) {
        return brn_xml_fail(u->xml, mimic,
                            "joint '%s' cannot follow '%s': both must be revolute, continuous or prismatic",
                            part->joint, name);
    }
    return BRN_OK;
}

/* A joint that follows itself, through others or not, follows nothing. */
static brn_status check_mimics(brn_urdf *u)
{
    const brn_robot *robot = u->robot;
    for (int i = 0; i < robot->nlink; ++i) {
        int at = i;
        for (int n = 0; n < robot->nlink && at >= 0; ++n) {
            at = robot->part[at].mimic;
            if (at == i) {
                return brn_fail(
                    robot->ctx, BRN_ERR_FORMAT,
                    "%s:%d: <joint name=\"%s\">: <mimic> leads back to the joint itself: one of the "
                    "loop must not follow another",
                    robot->xml->file, robot->part[i].joint_line, robot->part[i].joint);
            }
        }
    }
    return BRN_OK;
}

/* ---- the tree ------------------------------------------------------------------------------------------------------ */

/* All elements of a name, with their names. */
static brn_status list_items(brn_urdf *u, const char *kind, brn_urdf_item **out, int *count)
{
    brn_xml *xml = u->xml;
    int total = 0;
    for (int e = brn_xml_child(xml, 0, kind); e >= 0; e = brn_xml_next(xml, e, kind)) {
        ++total;
    }
    BRN_ALLOC(xml->ctx, *out, total);
    for (int e = brn_xml_child(xml, 0, kind); e >= 0; e = brn_xml_next(xml, e, kind)) {
        if (*count >= BRN_ROBOT_LINKS_MAX) {
            return brn_xml_fail(xml, e, "more than %d of them: more are not read", BRN_ROBOT_LINKS_MAX);
        }
        brn_urdf_item *next = &(*out)[*count];
        next->element = e;
        BRN_TRY(brn_xml_need(xml, e, "name", &next->name));
        const int other = brn_urdf_find(*out, *count, next->name);
        if (other >= 0) {
            return brn_xml_fail(xml, e, "the name is taken by the %s on line %d: rename one", kind,
                                xml->element[(*out)[other].element].line);
        }
        ++*count;
    }
    return BRN_OK;
}

/* Which links a joint joins. */
static brn_status read_ends(brn_urdf *u, int j)
{
    static const char *const names[2] = {"parent", "child"};
    for (int side = 0; side < 2; ++side) {
        int end = -1;
        const char *name = NULL;
        BRN_TRY(brn_urdf_need_child(u->xml, u->joint[j].element, names[side], &end));
        BRN_TRY(brn_xml_need(u->xml, end, "link", &name));
        u->ends[j][side] = brn_urdf_find(u->link, u->nlink, name);
        if (u->ends[j][side] < 0) {
            return brn_xml_fail(u->xml, end, "there is no link '%.80s'", name);
        }
    }
    const int child = u->ends[j][1];
    if (child == u->ends[j][0]) {
        return brn_xml_fail(u->xml, u->joint[j].element, "parent and child are the same link '%s'",
                            u->link[child].name);
    }
    if (u->hangs[child] >= 0) {
        return brn_xml_fail(
            u->xml, u->joint[j].element,
            "link '%s' is already the child of joint '%s' (line %d): the links must be a tree",
            u->link[child].name, u->joint[u->hangs[child]].name,
            u->xml->element[u->joint[u->hangs[child]].element].line);
    }
    u->hangs[child] = j;
    return BRN_OK;
}

/* One link hangs on nothing: it is first. */
static brn_status find_root(brn_urdf *u)
{
    int root = -1;
    for (int i = 0; i < u->nlink; ++i) {
        if (u->hangs[i] >= 0) {
            continue;
        }
        if (root >= 0) {
            return brn_xml_fail(
                u->xml, u->link[i].element,
                "is the child of no joint, and neither is link '%s' (line %d): only one link may be "
                "the root; join the others to it",
                u->link[root].name, u->xml->element[u->link[root].element].line);
        }
        root = i;
    }
    u->order[0] = root;
    return root >= 0 ? BRN_OK
                     : brn_xml_fail(u->xml, u->link[0].element,
                                    "the links are joined in a loop: one must be the child of no joint");
}

/* Links whose parents stand already follow in the order of the file; those that remain hang on each other in a loop. */
static brn_status sort_links(brn_urdf *u)
{
    BRN_TRY(find_root(u));
    for (int i = 0; i < u->nlink; ++i) {
        u->place[i] = -1;
    }
    u->place[u->order[0]] = 0;
    int count = 1;
    for (int at = 0; at < count; ++at) {
        for (int j = 0; j < u->njoint; ++j) {
            if (u->ends[j][0] == u->order[at]) {
                u->place[u->ends[j][1]] = count;
                u->order[count++] = u->ends[j][1];
            }
        }
    }
    for (int i = 0; i < u->nlink; ++i) {
        if (u->place[i] < 0) {
            return brn_xml_fail(u->xml, u->joint[u->hangs[i]].element,
                                "link '%s' hangs on itself: the links from it upwards are joined in a loop",
                                u->link[i].name);
        }
    }
    return BRN_OK;
}

static brn_status read_all(brn_urdf *u)
{
    brn_ctx *ctx = u->robot->ctx;
    BRN_TRY(list_items(u, "link", &u->link, &u->nlink));
    BRN_TRY(list_items(u, "joint", &u->joint, &u->njoint));
    BRN_TRY(list_items(u, "material", &u->material, &u->nmaterial));
    if (u->nlink == 0) {
        return brn_xml_fail(u->xml, 0, "has no <link>");
    }
    BRN_ALLOC(ctx, u->ends, u->njoint);
    BRN_ALLOC(ctx, u->hangs, u->nlink);
    BRN_ALLOC(ctx, u->order, u->nlink);
    BRN_ALLOC(ctx, u->place, u->nlink);
    for (int i = 0; i < u->nlink; ++i) {
        u->hangs[i] = -1;
    }
    for (int j = 0; j < u->njoint; ++j) {
        BRN_TRY(read_ends(u, j));
    }
    BRN_TRY(sort_links(u));
    BRN_TRY(brn_urdf_links(u));
    for (int j = 0; j < u->njoint; ++j) {
        BRN_TRY(read_joint(u, j));
    }
    for (int j = 0; j < u->njoint; ++j) {
        BRN_TRY(read_mimic(u, j));
    }
    return check_mimics(u);
}

brn_status brn_robot_fill_urdf(brn_robot *robot, int root)
{
    brn_xml *xml = robot->xml;
    brn_urdf u = {.robot = robot, .xml = xml};
    if (!brn_xml_is(xml, root, "robot")) {
        return brn_xml_fail(xml, root, "a URDF file begins with <robot>");
    }
    for (int i = 0; i < xml->nelement; ++i) {
        if (strncmp(xml->element[i].name, "xacro:", 6) == 0) {
            return brn_xml_fail(xml, i, "this is a xacro file: expand it first (xacro in.xacro > out.urdf)");
        }
    }
    const char *name = brn_xml_get(xml, root, "name");
    robot->name = name != NULL ? name : "";
    const brn_status status = read_all(&u);
    brn_free(robot->ctx, u.link);
    brn_free(robot->ctx, u.joint);
    brn_free(robot->ctx, u.material);
    brn_free(robot->ctx, u.ends);
    brn_free(robot->ctx, u.hangs);
    brn_free(robot->ctx, u.order);
    brn_free(robot->ctx, u.place);
    return status;
}
