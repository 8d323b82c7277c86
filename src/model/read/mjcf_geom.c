/* Geoms of MJCF: shapes, and matter of bodies that give no inertia themselves. */
#include "base/param.h"
#include "linalg/dense.h"
#include "model/read/mjcf.h"

#include <math.h>
#include <string.h>

static const char *const types[] = {"sphere", "capsule",   "cylinder", "box", "mesh",
                                    "plane",  "ellipsoid", "hfield",   "sdf"};
static const brn_primitive_kind kinds[] = {BRN_PRIMITIVE_SPHERE,   BRN_PRIMITIVE_CAPSULE,
                                           BRN_PRIMITIVE_CYLINDER, BRN_PRIMITIVE_BOX,
                                           BRN_PRIMITIVE_NONE,     BRN_PRIMITIVE_PLANE};
enum { MESH = 4 };

/* fromto: the axis from one point to another; the sizes that are left are the radius, or half the width of a box. */
static brn_status read_ends(brn_mjcf *m, const brn_mjcf_at *at, brn_robot_shape *shape, bool *found)
{
    double ends[6];
    double way[3];
    int count = 0;
    int nsize = 0;
    double size[3];
    const bool box = shape->primitive.kind == BRN_PRIMITIVE_BOX;
    BRN_TRY(brn_mjcf_some(m, at, "fromto", 6, 6, ends, &count));
    *found = count > 0;
    if (count == 0) {
        return BRN_OK;
    }
    if (!box && shape->primitive.kind != BRN_PRIMITIVE_CAPSULE &&
        shape->primitive.kind != BRN_PRIMITIVE_CYLINDER) {
        return brn_xml_fail(m->xml, at->element, "fromto is for capsules, cylinders and boxes");
    }
    for (int k = 0; k < 3; ++k) {
        way[k] = ends[3 + k] - ends[k];
        shape->frame.origin[k] = 0.5 * (ends[k] + ends[3 + k]);
    }
    if (!brn_mjcf_turn_z(way, shape->frame.rotation)) {
        return brn_xml_fail(m->xml, at->element, "fromto: both points are the same");
    }
    BRN_TRY(brn_mjcf_some(m, at, "size", 1, 3, size, &nsize));
    if (nsize == 0 || !(size[0] > 0.0)) {
        return brn_xml_fail(m->xml, at->element,
                            "size: must be > 0 m: the radius, or half the width of a box");
    }
    shape->primitive.size[0] = size[0];
    shape->primitive.size[1] = box ? size[0] : 0.5 * brn_dense_length3(way);
    shape->primitive.size[2] = box ? 0.5 * brn_dense_length3(way) : 0.0;
    return BRN_OK;
}

static brn_status read_size(brn_mjcf *m, const brn_mjcf_at *at, brn_robot_shape *shape)
{
    static const int needed[] = {[BRN_PRIMITIVE_SPHERE] = 1,
                                 [BRN_PRIMITIVE_CAPSULE] = 2,
                                 [BRN_PRIMITIVE_CYLINDER] = 2,
                                 [BRN_PRIMITIVE_BOX] = 3};
    const int need = needed[shape->primitive.kind];
    double size[3];
    int count = 0;
    /* Defaults may give more numbers than this shape has. */
    BRN_TRY(brn_mjcf_some(m, at, "size", 1, 3, size, &count));
    if (count < need) {
        return brn_xml_fail(m->xml, at->element, "size: needs %d number%s, found %d", need,
                            need > 1 ? "s" : "", count);
    }
    for (int k = 0; k < need; ++k) {
        if (!(size[k] > 0.0)) {
            return brn_xml_fail(m->xml, at->element, "size: %.9g: must be > 0 m", size[k]);
        }
        shape->primitive.size[k] = size[k];
    }
    return BRN_OK;
}

static brn_status find_mesh(brn_mjcf *m, const brn_mjcf_at *at, brn_robot_shape *shape)
{
    const char *name = brn_mjcf_get(m, at, "mesh");
    if (name == NULL) {
        return brn_xml_fail(m->xml, at->element, "the attribute 'mesh' is missing");
    }
    for (int i = 0; i < m->nmesh; ++i) {
        if (strcmp(m->mesh[i].name, name) == 0) {
            shape->mesh = m->mesh[i].file;
            memcpy(shape->scale, m->mesh[i].scale, sizeof shape->scale);
            return BRN_OK;
        }
    }
    return brn_xml_fail(m->xml, at->element, "mesh=\"%.80s\": there is no such <mesh> in an <asset>", name);
}

static brn_status read_shape(brn_mjcf *m, const brn_mjcf_at *at, brn_robot_shape *shape)
{
    int type = 0;
    bool ends = false;
    BRN_TRY(brn_mjcf_word(m, at, "type", types, BRN_COUNT(types),
                          brn_mjcf_get(m, at, "mesh") != NULL ? MESH : 0, &type));
    if (type >= BRN_COUNT(kinds)) {
        return brn_xml_fail(
            m->xml, at->element,
            "type=\"%s\" is not read: take a box, sphere, capsule, cylinder or mesh in its place",
            types[type]);
    }
    shape->primitive.kind = kinds[type];
    BRN_TRY(brn_mjcf_frame(m, at, &shape->frame));
    if (type == MESH) {
        return find_mesh(m, at, shape);
    }
    BRN_TRY(read_ends(m, at, shape, &ends));
    if (ends) {
        return BRN_OK;
    }
    if (shape->primitive.kind == BRN_PRIMITIVE_PLANE) {
        (void)brn_mjcf_get(m, at, "size"); /* how much of it is drawn */
        return shape->link < 0
                   ? BRN_OK
                   : brn_xml_fail(m->xml, at->element, "a plane can stand in the <worldbody> only");
    }
    return read_size(m, at, shape);
}

/* Which of the shapes touch and which are drawn alone. */
static brn_status read_use(brn_mjcf *m, const brn_mjcf_at *at, brn_robot_shape *shape)
{
    double bits[2] = {1.0, 1.0};
    double friction[3];
    int count = 0;
    BRN_TRY(brn_mjcf_reals(m, at, "contype", 1, &bits[0]));
    BRN_TRY(brn_mjcf_reals(m, at, "conaffinity", 1, &bits[1]));
    BRN_TRY(brn_mjcf_reals(m, at, "rgba", 4, shape->color));
    BRN_TRY(brn_mjcf_some(m, at, "friction", 1, 3, friction, &count));
    if (count > 0 && !(friction[0] >= 0.0)) {
        return brn_xml_fail(m->xml, at->element, "friction: %.9g: must be >= 0", friction[0]);
    }
    shape->friction = count > 0 ? friction[0] : NAN;
    shape->touches = bits[0] != 0.0 || bits[1] != 0.0;
    shape->seen = true;
    return BRN_OK;
}

/* Adds what a shape weighs to its link: by its mass if that is given, else by its density. */
static brn_status add_matter(brn_mjcf *m, const brn_mjcf_at *at, brn_robot_shape *shape)
{
    brn_inertia own;
    char why[BRN_INERTIA_WHY];
    brn_link *link = &m->robot->link[shape->link];
    if (shape->primitive.kind == BRN_PRIMITIVE_NONE) {
        shape->weighs = true;
        m->robot->part[shape->link].open = true;
        return BRN_OK;
    }
    if (!brn_inertia_of_primitive(&shape->primitive, shape->density, &own)) {
        return BRN_OK;
    }
    if (!isnan(shape->mass)) {
        (void)brn_inertia_of_primitive(&shape->primitive, 1.0, &own);
        const double density = shape->mass / own.mass;
        (void)brn_inertia_of_primitive(&shape->primitive, density, &own);
    }
    if (!brn_inertia_check(&own, why)) {
        return brn_xml_fail(m->xml, at->element, "%s", why);
    }
    own = brn_inertia_placed(&own, &shape->frame);
    link->inertia = brn_inertia_sum(&link->inertia, &own);
    return BRN_OK;
}

brn_status brn_mjcf_geom(brn_mjcf *m, int element, int class, int link, const double origin[3], bool weigh)
{
    brn_mjcf_at at;
    BRN_TRY(brn_mjcf_open(m, element, BRN_MJCF_GEOM, class, &at));
    BRN_TRY(brn_robot_add_shape(m->robot));
    brn_robot_shape *shape = &m->robot->shape[m->robot->nshape - 1];
    shape->name = brn_mjcf_name(m, element);
    shape->line = m->xml->element[element].line;
    shape->link = link;
    shape->density = 1000.0;
    BRN_TRY(read_shape(m, &at, shape));
    BRN_TRY(read_use(m, &at, shape));
    BRN_TRY(brn_mjcf_reals(m, &at, "mass", 1, &shape->mass));
    BRN_TRY(brn_mjcf_reals(m, &at, "density", 1, &shape->density));
    if (!(isnan(shape->mass) || shape->mass >= 0.0) || !(shape->density >= 0.0)) {
        return brn_xml_fail(m->xml, element, "mass and density must be >= 0");
    }
    for (int k = 0; k < 3; ++k) {
        shape->frame.origin[k] += origin[k];
    }
    const bool matter = !isnan(shape->mass) ? shape->mass > 0.0 : shape->density > 0.0;
    return weigh && link >= 0 && matter ? add_matter(m, &at, shape) : BRN_OK;
}
