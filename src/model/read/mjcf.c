/* MJCF: settings of the compiler, classes of defaults, assets, and the whole. */
#include "model/read/mjcf.h"

#include "base/param.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[BRN_MJCF_PLAIN] = {"joint",    "geom",     "mesh",    "motor",
                                                       "position", "velocity", "equality"};
static const char *const booleans[] = {"false", "true", "auto"};

/* ---- attributes with defaults -------------------------------------------------------------------------------------- */

brn_status brn_mjcf_class_of(brn_mjcf *m, int element, const char *attribute, int fallback, int *out)
{
    const char *name = brn_xml_get(m->xml, element, attribute);
    *out = fallback;
    if (name == NULL) {
        return BRN_OK;
    }
    for (int i = 0; i < m->nclass; ++i) {
        if (strcmp(m->classes[i].name, name) == 0) {
            *out = i;
            return BRN_OK;
        }
    }
    return brn_xml_fail(m->xml, element, "%s=\"%.80s\": there is no <default> of that class", attribute,
                        name);
}

brn_status brn_mjcf_open(brn_mjcf *m, int element, brn_mjcf_kind kind, int class, brn_mjcf_at *out)
{
    *out = (brn_mjcf_at){element, kind, class};
    return kind != BRN_MJCF_PLAIN ? brn_mjcf_class_of(m, element, "class", class, &out->class) : BRN_OK;
}

int brn_mjcf_next(const brn_mjcf *m, brn_mjcf_kind kind, int *class)
{
    int found = -1;
    while (kind != BRN_MJCF_PLAIN && *class >= 0 && found < 0) {
        found = m->classes[*class].element[kind];
        *class = m->classes[*class].parent;
    }
    return found;
}

/* The element that gives an attribute; the element itself if none does. Those that would give it too count as read. */
static int giver(brn_mjcf *m, const brn_mjcf_at *at, const char *name)
{
    int first = -1;
    int class = at->class;
    for (int e = at->element; e >= 0; e = brn_mjcf_next(m, at->kind, &class)) {
        if (brn_xml_get(m->xml, e, name) != NULL && first < 0) {
            first = e;
        }
    }
    return first >= 0 ? first : at->element;
}

const char *brn_mjcf_get(brn_mjcf *m, const brn_mjcf_at *at, const char *name)
{
    return brn_xml_get(m->xml, giver(m, at, name), name);
}

brn_status brn_mjcf_reals(brn_mjcf *m, const brn_mjcf_at *at, const char *name, int count, double *out)
{
    return brn_xml_reals(m->xml, giver(m, at, name), name, count, out);
}

brn_status brn_mjcf_some(brn_mjcf *m, const brn_mjcf_at *at, const char *name, int least, int most,
                         double *out, int *count)
{
    return brn_xml_some(m->xml, giver(m, at, name), name, least, most, out, count);
}

brn_status brn_mjcf_word(brn_mjcf *m, const brn_mjcf_at *at, const char *name, const char *const *words,
                         int nword, int fallback, int *out)
{
    return brn_xml_word(m->xml, giver(m, at, name), name, words, nword, fallback, out);
}

const char *brn_mjcf_name(brn_mjcf *m, int element)
{
    const char *name = brn_xml_get(m->xml, element, "name");
    return name != NULL ? name : "";
}

brn_status brn_mjcf_range(brn_mjcf *m, const brn_mjcf_at *at, const char *name, const char *limited,
                          double out[2])
{
    double range[2];
    int count = 0;
    int word = 2;
    BRN_TRY(brn_mjcf_some(m, at, name, 2, 2, range, &count));
    BRN_TRY(brn_mjcf_word(m, at, limited, booleans, BRN_COUNT(booleans), 2, &word));
    if (word == 1 && count == 0) {
        return brn_xml_fail(m->xml, at->element, "%s=\"true\", but there is no %s: give it", limited, name);
    }
    if (word == 2 && count > 0 && !m->autolimits) {
        return brn_xml_fail(
            m->xml, at->element,
            "%s is given without %s, and the compiler's autolimits is false: say %s=\"true\" or "
            "\"false\"",
            name, limited, limited);
    }
    if (word == 0 || count == 0) {
        return BRN_OK;
    }
    if (!(range[0] <= range[1])) {
        return brn_xml_fail(m->xml, giver(m, at, name), "%s=\"%.9g %.9g\": the lower comes first", name,
                            range[0], range[1]);
    }
    out[0] = range[0];
    out[1] = range[1];
    return BRN_OK;
}

/* ---- defaults ------------------------------------------------------------------------------------------------------ */

/* A <default> and those in it. The depth is that of the file, which is limited. */
static brn_status read_class(brn_mjcf *m, int element, int parent)
{
    BRN_GROW(m->xml->ctx, m->classes, m->class_capacity, m->nclass + 1);
    const int at = m->nclass;
    const char *name = brn_xml_get(m->xml, element, "class");
    if (at >= BRN_MJCF_CLASSES_MAX) {
        return brn_xml_fail(m->xml, element, "more than %d classes: more are not read", BRN_MJCF_CLASSES_MAX);
    }
    if (name == NULL && parent >= 0) {
        return brn_xml_fail(m->xml, element,
                            "the attribute 'class' is missing: only the outermost may do without");
    }
    brn_mjcf_class class = {.name = name != NULL ? name : "main", .parent = parent};
    for (int i = 0; i < at; ++i) {
        if (strcmp(m->classes[i].name, class.name) == 0) {
            return brn_xml_fail(m->xml, element, "class '%.80s' is there already: rename one", class.name);
        }
    }
    for (int k = 0; k < BRN_MJCF_PLAIN; ++k) {
        BRN_TRY(brn_xml_only(m->xml, element, kind_names[k], &class.element[k]));
    }
    m->classes[m->nclass++] = class;
    for (int e = brn_xml_child(m->xml, element, "default"); e >= 0; e = brn_xml_next(m->xml, e, "default")) {
        BRN_TRY(read_class(m, e, at));
    }
    return BRN_OK;
}

static brn_status read_classes(brn_mjcf *m)
{
    int main_class = -1;
    BRN_TRY(brn_xml_only(m->xml, 0, "default", &main_class));
    if (main_class >= 0) {
        return read_class(m, main_class, -1);
    }
    /* without defaults: a main class that gives nothing */
    BRN_GROW(m->xml->ctx, m->classes, m->class_capacity, 1);
    m->classes[0] = (brn_mjcf_class){.name = "main", .parent = -1};
    for (int k = 0; k < BRN_MJCF_PLAIN; ++k) {
        m->classes[0].element[k] = -1;
    }
    m->nclass = 1;
    return BRN_OK;
}

/* ---- compiler and assets ------------------------------------------------------------------------------------------- */

static brn_status read_compiler(brn_mjcf *m)
{
    static const char *const angles[] = {"degree", "radian"};
    static const char *const coordinates[] = {"local"};
    int e = -1;
    int word = 0;
    m->degrees = m->autolimits = true;
    m->weigh = BRN_MJCF_WEIGH_AUTO;
    m->eulerseq = "xyz";
    m->meshdir = "";
    BRN_TRY(brn_xml_only(m->xml, 0, "compiler", &e));
    if (e < 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_xml_word(m->xml, e, "angle", angles, BRN_COUNT(angles), 0, &word));
    m->degrees = word == 0;
    BRN_TRY(brn_xml_word(m->xml, e, "autolimits", booleans, 2, 1, &word));
    m->autolimits = word == 1;
    BRN_TRY(brn_xml_word(m->xml, e, "inertiafromgeom", booleans, 3, 2, &word));
    m->weigh = word == 0 ? BRN_MJCF_WEIGH_NEVER : word == 1 ? BRN_MJCF_WEIGH_ALWAYS : BRN_MJCF_WEIGH_AUTO;
    BRN_TRY(brn_xml_word(m->xml, e, "coordinate", coordinates, 1, 0, &word));
    const char *sequence = brn_xml_get(m->xml, e, "eulerseq");
    if (sequence != NULL && (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)) {
        return brn_xml_fail(m->xml, e, "eulerseq=\"%.40s\": must be three of x, y, z, X, Y, Z", sequence);
    }
    m->eulerseq = sequence != NULL ? sequence : m->eulerseq;
    const char *all = brn_xml_get(m->xml, e, "assetdir");
    const char *own = brn_xml_get(m->xml, e, "meshdir");
    m->meshdir = own != NULL ? own : all != NULL ? all : "";
    return BRN_OK;
}

/* Name of a mesh without one: that of its file without folder and extension. */
static const char *stem(brn_xml *xml, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    return brn_xml_keep(xml, base, dot != NULL ? (size_t)(dot - base) : strlen(base));
}

static brn_status read_mesh(brn_mjcf *m, int element)
{
    brn_xml *xml = m->xml;
    brn_mjcf_at at;
    const char *file = NULL;
    BRN_GROW(xml->ctx, m->mesh, m->mesh_capacity, m->nmesh + 1);
    if (m->nmesh >= BRN_MJCF_MESHES_MAX) {
        return brn_xml_fail(xml, element, "more than %d meshes: more are not read", BRN_MJCF_MESHES_MAX);
    }
    BRN_TRY(brn_mjcf_open(m, element, BRN_MJCF_MESH, 0, &at));
    BRN_TRY(brn_xml_need(xml, element, "file", &file));
    BRN_TRY(brn_robot_scale(xml, giver(m, &at, "scale"), m->mesh[m->nmesh].scale));
    const char *name = brn_xml_get(xml, element, "name");
    m->mesh[m->nmesh].name = name != NULL ? name : stem(xml, file);
    char path[4096];
    const bool beside = m->meshdir[0] == '\0' || file[0] == '/';
    const int length =
        snprintf(path, sizeof path, "%s%s%s", beside ? "" : m->meshdir, beside ? "" : "/", file);
    if (length >= (int)sizeof path) {
        return brn_xml_fail(xml, element, "the name of the file is longer than %d bytes",
                            (int)sizeof path - 1);
    }
    m->mesh[m->nmesh].file = brn_xml_keep(xml, path, (size_t)length);
    if (m->mesh[m->nmesh].file == NULL || m->mesh[m->nmesh].name == NULL) {
        return BRN_ERR_MEMORY;
    }
    ++m->nmesh;
    return BRN_OK;
}

static brn_status read_assets(brn_mjcf *m)
{
    for (int a = brn_xml_child(m->xml, 0, "asset"); a >= 0; a = brn_xml_next(m->xml, a, "asset")) {
        for (int e = brn_xml_child(m->xml, a, "mesh"); e >= 0; e = brn_xml_next(m->xml, e, "mesh")) {
            BRN_TRY(read_mesh(m, e));
        }
    }
    return BRN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

static brn_status read_sections(brn_mjcf *m, const char *name, brn_status (*read)(brn_mjcf *m, int element))
{
    for (int e = brn_xml_child(m->xml, 0, name); e >= 0; e = brn_xml_next(m->xml, e, name)) {
        BRN_TRY(read(m, e));
    }
    return BRN_OK;
}

static brn_status read_all(brn_mjcf *m)
{
    for (int i = 0; i < m->xml->nelement; ++i) {
        if (brn_xml_is(m->xml, i, "include") || brn_xml_is(m->xml, i, "replicate")) {
            return brn_xml_fail(m->xml, i, "is not read: write what it stands for into this file");
        }
    }
    BRN_TRY(read_compiler(m));
    BRN_TRY(read_classes(m));
    BRN_TRY(read_assets(m));
    BRN_TRY(read_sections(m, "worldbody", brn_mjcf_bodies));
    if (m->robot->nlink == 0) {
        return brn_xml_fail(m->xml, 0, "has no <body> in a <worldbody>");
    }
    BRN_TRY(read_sections(m, "actuator", brn_mjcf_drives));
    BRN_TRY(read_sections(m, "equality", brn_mjcf_equalities));
    return read_sections(m, "contact", brn_mjcf_excludes);
}

brn_status brn_robot_fill_mjcf(brn_robot *robot, int root)
{
    brn_mjcf m = {.robot = robot, .xml = robot->xml};
    if (!brn_xml_is(robot->xml, root, "mujoco")) {
        return brn_xml_fail(robot->xml, root, "a robot file begins with <robot> (URDF) or <mujoco> (MJCF)");
    }
    const char *name = brn_xml_get(robot->xml, root, "model");
    robot->name = name != NULL ? name : "";
    const brn_status status = read_all(&m);
    brn_free(robot->ctx, m.classes);
    brn_free(robot->ctx, m.mesh);
    return status;
}
