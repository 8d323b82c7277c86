/* Links of a URDF file: inertia and shapes. */
#include "linalg/dense.h"
#include "model/read/urdf.h"

#include <string.h>

int brn_urdf_find(const brn_urdf_item *items, int count, const char *name)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(items[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- frames and shapes --------------------------------------------------------------------------------------------- */

brn_status brn_urdf_origin(brn_xml *xml, int parent, brn_rigid_map *out)
{
    static const double axes[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    int origin = -1;
    double rpy[3] = {0.0, 0.0, 0.0};
    *out = brn_robot_frame();
    BRN_TRY(brn_xml_only(xml, parent, "origin", &origin));
    if (origin < 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_xml_reals(xml, origin, "xyz", 3, out->origin));
    BRN_TRY(brn_xml_reals(xml, origin, "rpy", 3, rpy));
    for (int k = 0; k < 3; ++k) {
        double turn[9];
        double next[9];
        (void)brn_dense_rotation(axes[k], rpy[2 - k], turn);
        brn_dense_multiply3(out->rotation, turn, next);
        memcpy(out->rotation, next, sizeof next);
    }
    return BRN_OK;
}

static brn_status read_geometry(brn_xml *xml, int geometry, brn_robot_shape *shape)
{
    static const char *const names[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
    static const brn_primitive_kind kinds[] = {BRN_PRIMITIVE_BOX, BRN_PRIMITIVE_CYLINDER,
                                               BRN_PRIMITIVE_SPHERE, BRN_PRIMITIVE_CAPSULE,
                                               BRN_PRIMITIVE_NONE};
    double *size = shape->primitive.size;
    int found = -1;
    int which = 0;
    for (int i = 0; i < 5; ++i) {
        const int child = brn_xml_child(xml, geometry, names[i]);
        if (child >= 0 && (found >= 0 || brn_xml_next(xml, child, names[i]) >= 0)) {
            return brn_xml_fail(xml, geometry, "has two shapes: give each its own <visual> or <collision>");
        }
        which = child >= 0 ? i : which;
        found = child >= 0 ? child : found;
    }
    if (found < 0) {
        return brn_xml_fail(xml, geometry, "needs one of <box>, <cylinder>, <sphere>, <capsule>, <mesh>");
    }
    shape->primitive.kind = kinds[which];
    switch (kinds[which]) {
    case BRN_PRIMITIVE_BOX:
        BRN_TRY(brn_robot_sizes(xml, found, "size", 3, size));
        for (int k = 0; k < 3; ++k) {
            size[k] *= 0.5;
        }
        return BRN_OK;
    case BRN_PRIMITIVE_SPHERE:
        return brn_robot_sizes(xml, found, "radius", 1, size);
    case BRN_PRIMITIVE_NONE:
        BRN_TRY(brn_xml_need(xml, found, "filename", &shape->mesh));
        return brn_robot_scale(xml, found, shape->scale);
    default: /* cylinder, capsule */
        BRN_TRY(brn_robot_sizes(xml, found, "radius", 1, &size[0]));
        BRN_TRY(brn_robot_sizes(xml, found, "length", 1, &size[1]));
        size[1] *= 0.5;
        return BRN_OK;
    }
}

/* <material>: its own colour, or that of the robot's material of the same name. */
static brn_status read_color(brn_urdf *u, int visual, double color[4])
{
    int material = -1;
    int own = -1;
    BRN_TRY(brn_xml_only(u->xml, visual, "material", &material));
    if (material < 0) {
        return BRN_OK;
    }
    const char *name = brn_xml_get(u->xml, material, "name");
    const int shared = name != NULL ? brn_urdf_find(u->material, u->nmaterial, name) : -1;
    BRN_TRY(brn_xml_only(u->xml, material, "color", &own));
    if (own < 0 && shared >= 0) {
        BRN_TRY(brn_xml_only(u->xml, u->material[shared].element, "color", &own));
    }
    return own >= 0 ? brn_xml_reals(u->xml, own, "rgba", 4, color) : BRN_OK;
}

static brn_status read_shapes(brn_urdf *u, int element, int link, bool touches)
{
    const char *kind = touches ? "collision" : "visual";
    for (int e = brn_xml_child(u->xml, element, kind); e >= 0; e = brn_xml_next(u->xml, e, kind)) {
        int geometry = -1;
        BRN_TRY(brn_robot_add_shape(u->robot));
        brn_robot_shape *shape = &u->robot->shape[u->robot->nshape - 1];
        const char *name = brn_xml_get(u->xml, e, "name");
        shape->name = name != NULL ? name : "";
        shape->line = u->xml->element[e].line;
        shape->link = link;
        shape->touches = touches;
        shape->seen = !touches;
        BRN_TRY(brn_xml_only(u->xml, e, "geometry", &geometry));
        if (geometry < 0) {
            return brn_xml_fail(u->xml, e, "has no <geometry>");
        }
        BRN_TRY(read_geometry(u->xml, geometry, shape));
        BRN_TRY(brn_urdf_origin(u->xml, e, &shape->frame));
        BRN_TRY(read_color(u, e, shape->color));
    }
    return BRN_OK;
}

/* ---- links --------------------------------------------------------------------------------------------------------- */

brn_status brn_urdf_need_child(brn_xml *xml, int parent, const char *name, int *out)
{
    BRN_TRY(brn_xml_only(xml, parent, name, out));
    return *out >= 0 ? BRN_OK : brn_xml_fail(xml, parent, "has no <%s>", name);
}

static brn_status need_real(brn_xml *xml, int element, const char *name, double *out)
{
    const char *text = NULL;
    BRN_TRY(brn_xml_need(xml, element, name, &text));
    return brn_xml_reals(xml, element, name, 1, out);
}

static brn_status read_inertial(brn_xml *xml, int link, brn_inertia *out)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const int at[6][2] = {{0, 0}, {1, 3}, {2, 6}, {4, 4}, {5, 7}, {8, 8}};
    int inertial = -1;
    int mass = -1;
    int inertia = -1;
    brn_inertia own = {0};
    brn_rigid_map frame;
    char why[BRN_INERTIA_WHY];
    BRN_TRY(brn_xml_only(xml, link, "inertial", &inertial));
    if (inertial < 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_urdf_origin(xml, inertial, &frame));
    BRN_TRY(brn_urdf_need_child(xml, inertial, "mass", &mass));
    BRN_TRY(need_real(xml, mass, "value", &own.mass));
    BRN_TRY(brn_urdf_need_child(xml, inertial, "inertia", &inertia));
    bool zero = own.mass == 0.0;
    for (int k = 0; k < 6; ++k) {
        double value = 0.0;
        BRN_TRY(need_real(xml, inertia, names[k], &value));
        own.about[at[k][0]] = own.about[at[k][1]] = value;
        zero = zero && value == 0.0;
    }
    if (!zero && !brn_inertia_check(&own, why)) {
        return brn_xml_fail(xml, own.mass > 0.0 ? inertia : mass, "%s", why);
    }
    *out = brn_inertia_placed(&own, &frame);
    return BRN_OK;
}

brn_status brn_urdf_links(brn_urdf *u)
{
    for (int i = 0; i < u->nlink; ++i) {
        const int from = u->order[i];
        const int element = u->link[from].element;
        BRN_TRY(brn_robot_add_link(u->robot));
        u->robot->part[i].name = u->link[from].name;
        u->robot->part[i].line = u->robot->part[i].joint_line = u->xml->element[element].line;
        u->robot->link[i].joint = brn_joint_default(BRN_JOINT_FIXED, -1);
        BRN_TRY(read_inertial(u->xml, element, &u->robot->link[i].inertia));
        BRN_TRY(read_shapes(u, element, i, true));
        BRN_TRY(read_shapes(u, element, i, false));
    }
    return BRN_OK;
}
