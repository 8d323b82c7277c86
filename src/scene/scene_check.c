/* Checks across the fields of a block that need nothing but the block itself. Names that must exist elsewhere (a
   body's mesh, a load's body) are checked where they are looked up, in model/. */
#include "scene/scene_inner.h"

#include <stdio.h>
#include <string.h>

/* A problem of a field (NULL: of the block itself). */
static void tell(brn_scene *scene, const brn_block *block, const char *field, const char *format, ...)
    BRN_PRINTF(4, 5);

static void tell(brn_scene *scene, const brn_block *block, const char *field, const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    brn_text path = {.ctx = scene->ctx};
    brn_text_add(&path, "%s%s%s", block->path, field != NULL ? "." : "", field != NULL ? field : "");
    brn_scene_add_problem(scene, path.data != NULL ? path.data : "", "%s", what);
    brn_text_clear(&path);
}

static void check_axis(brn_scene *scene, int dimension, const brn_block *block, const double axis[3])
{
    if (axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0) {
        tell(scene, block, "axis", "must not be zero");
    } else if (dimension == 2 && (axis[0] != 0.0 || axis[1] != 0.0)) {
        tell(scene, block, "axis", "must be along z in 2D: write [0, 0, 1] or leave it out");
    }
}

void brn_check_rotation(brn_scene *scene, int dimension, const void *value)
{
    const brn_rotation_def *rotation = value;
    check_axis(scene, dimension, &rotation->block, rotation->axis);
}

void brn_check_about(brn_scene *scene, int dimension, const void *value)
{
    const brn_about_def *about = value;
    check_axis(scene, dimension, &about->block, about->axis);
}

void brn_check_motion(brn_scene *scene, int dimension, const void *value)
{
    const brn_motion_def *motion = value;
    const brn_rows *table = &motion->table;
    const bool moving = motion->velocity[0] != 0.0 || motion->velocity[1] != 0.0 ||
                        motion->velocity[2] != 0.0 || motion->angular_velocity != 0.0;
    if (table->rows == 0) {
        return;
    }
    if (moving) {
        tell(scene, &motion->block, "table", "stands beside a velocity; give one of the two");
    }
    if (table->columns != 1 + dimension) {
        tell(scene, &motion->block, "table", "its rows must have %d numbers in %dD, [t, x, y%s], found %d",
             1 + dimension, dimension, dimension == 3 ? ", z" : "", table->columns);
        return;
    }
    for (int i = 1; i < table->rows; ++i) {
        const double before = table->v[(size_t)(i - 1) * (size_t)table->columns];
        const double now = table->v[(size_t)i * (size_t)table->columns];
        if (!(now > before)) {
            char field[40];
            (void)snprintf(field, sizeof field, "table[%d][0]", i);
            tell(scene, &motion->block, field, "times must increase; the row before has %g", before);
            return;
        }
    }
}

void brn_check_jitter(brn_scene *scene, int dimension, const void *value)
{
    const brn_jitter_def *jitter = value;
    const int n = jitter->position.count;
    if (n > 1 && n != dimension) {
        tell(scene, &jitter->block, "position", "must be 1 or %d numbers, found %d", dimension, n);
    }
}

void brn_check_repeat(brn_scene *scene, int dimension, const void *value)
{
    const brn_repeat_def *repeat = value;
    const brn_ints *count = &repeat->count;
    if (count->count != 1 && count->count != dimension) {
        tell(scene, &repeat->block, "count", "must be 1 number, or %d in %dD, found %d", dimension, dimension,
             count->count);
        return;
    }
    bool apart = count->v[0] == 1;
    for (int i = 0; i < dimension; ++i) {
        apart = apart || repeat->spacing[i] != 0.0;
        if (count->count > 1 && count->v[i] > 1 && repeat->spacing[i] == 0.0) {
            tell(scene, &repeat->block, "spacing", "is 0 in %c, where count is %d: copies would coincide",
                 "xyz"[i], count -> v[i]);
        }
    }
    if (count->count == 1 && !apart) {
        tell(scene, &repeat->block, "spacing", "must not be zero: copies would coincide");
    }
    double total = 1.0;
    for (int i = 0; i < count->count; ++i) {
        total *= count->v[i];
    }
    if (total > BRN_SCENE_BODIES_MAX) {
        tell(scene, &repeat->block, "count", "makes %.0f copies; at most %d bodies fit in a scene", total,
             (int)BRN_SCENE_BODIES_MAX);
    }
}

void brn_check_box(brn_scene *scene, int dimension, const void *value)
{
    const brn_box_def *box = value;
    for (int i = 0; i < dimension; ++i) {
        if (!(box->min[i] <= box->max[i])) {
            tell(scene, &box->block, "max", "must not be below min, but is in %c (%g < %g)", "xyz"[i],
                 box -> max[i], box -> min[i]);
        }
    }
}

/* A point or vector that may be absent: 3 numbers, or as many as there are dimensions. */
static void check_point(brn_scene *scene, int dimension, const brn_block *block, const char *field,
                        const brn_reals *point)
{
    if (point->count != 0 && point->count != dimension && point->count != 3) {
        tell(scene, block, field, "must be a list of %d numbers, found %d", dimension, point->count);
    }
}

void brn_check_where(brn_scene *scene, int dimension, const void *value)
{
    const brn_where_def *where = value;
    const int given = brn_block_given(&where->box.block) + brn_block_given(&where->sphere.block) +
                      (where->face != 0) + (where->nodes.count > 0) + (where->nearest.count > 0) +
                      (where->group != NULL) + where->all;
    if (given != 1) {
        tell(scene, &where->block, NULL,
             "must have exactly one of box, sphere, face, nodes, nearest, group, all: true; found %d", given);
        return;
    }
    if (dimension == 2 && where->face >= BRN_FACE_PLUS_Z) {
        tell(scene, &where->block, "face", "there is no z face in 2D");
    }
    check_point(scene, dimension, &where->block, "nearest", &where->nearest);
}

void brn_check_zone(brn_scene *scene, int dimension, const void *value)
{
    (void)dimension;
    const brn_zone_def *zone = value;
    const int given =
        brn_block_given(&zone->box.block) + brn_block_given(&zone->sphere.block) + (zone->group != NULL);
    if (given != 1) {
        tell(scene, &zone->block, NULL, "must have exactly one of box, sphere, group; found %d", given);
    }
}

void brn_check_mesh(brn_scene *scene, int dimension, const void *value)
{
    const brn_mesh_def *mesh = value;
    const int given = (mesh->generator.table != NULL) + (mesh->file != NULL) + (mesh->surface != NULL);
    if (given != 1) {
        tell(scene, &mesh->block, NULL, "must have exactly one generator, 'file' or 'surface'; found %d",
             given);
    }
    if (mesh->surface != NULL && isnan(mesh->resolution)) {
        tell(scene, &mesh->block, NULL,
             "missing key 'resolution' (edge length of the elements inside the surface)");
    }
    if (mesh->surface == NULL && !isnan(mesh->resolution)) {
        tell(scene, &mesh->block, "resolution", "is used with 'surface' only");
    }
    const int n = mesh->scale.count;
    if (n != 1 && n != dimension && n != 3) {
        tell(scene, &mesh->block, "scale", "must be 1 or %d numbers, found %d", dimension, n);
    }
}

void brn_check_fixed(brn_scene *scene, int dimension, const void *value)
{
    (void)dimension; /* z in 2D is redundant, not wrong */
    const brn_fixed_def *fixed = value;
    unsigned seen = 0;
    for (const char *c = fixed->axes; *c != '\0'; ++c) {
        const char *letter = strchr("xyz", *c);
        const unsigned bit = letter != NULL ? 1U << (letter - "xyz") : seen;
        if (letter == NULL || (seen & bit) != 0) {
            tell(scene, &fixed->block, "axes",
                 "must be some of the letters x, y, z, each once, like xyz or xz");
            return;
        }
        seen |= bit;
    }
    if (seen == 0) {
        tell(scene, &fixed->block, "axes", "must name at least one of x, y, z");
    }
}

void brn_check_spring(brn_scene *scene, int dimension, const void *value)
{
    (void)dimension;
    const brn_spring_def *spring = value;
    if (spring->to == NULL && !brn_block_given(&spring->at.block)) {
        tell(scene, &spring->block, NULL, "needs an other end: 'to' (a body), 'at' (a region), or both");
    }
}

/* A point of a connection: one that its type needs, or has no use for. */
static void check_place(brn_scene *scene, int dimension, const brn_connect_def *connect, const char *field,
                        const brn_reals *place, bool needed)
{
    const char *type = brn_connect_words[connect->type];
    if (needed && place->count == 0) {
        tell(scene, &connect->block, field, "is missing: a %s needs it", type);
    } else if (!needed && place->count > 0) {
        tell(scene, &connect->block, field, "has no meaning for a %s: leave it out", type);
    }
    check_point(scene, dimension, &connect->block, field, place);
}

void brn_check_connect(brn_scene *scene, int dimension, const void *value)
{
    const brn_connect_def *connect = value;
    const bool distance = connect->type == BRN_CONNECT_DISTANCE;
    const bool hinge = connect->type == BRN_CONNECT_HINGE;
    if (connect->between.count != 1 && connect->between.count != 2) {
        tell(scene, &connect->block, "between", "must be two bodies, or one for the world, found %d",
             connect->between.count);
    }
    if (hinge && dimension == 2) {
        tell(scene, &connect->block, "type", "is for 3D: in 2D a ball leaves the same freedom");
        return;
    }
    check_place(scene, dimension, connect, "at", &connect->at, !distance);
    check_place(scene, dimension, connect, "from", &connect->from, distance);
    check_place(scene, dimension, connect, "to", &connect->to, distance);
    check_place(scene, dimension, connect, "axis", &connect->axis, hinge);
    if (hinge && connect->axis.count == 3) {
        check_axis(scene, dimension, &connect->block, connect->axis.v);
    }
    if (!distance && !isnan(connect->length)) {
        tell(scene, &connect->block, "length", "belongs to type distance: leave it out");
    }
    if (!distance && connect->slack) {
        tell(scene, &connect->block, "slack", "belongs to type distance: leave it out");
    }
}

void brn_check_load(brn_scene *scene, int dimension, const void *value)
{
    const brn_load_def *load = value;
    const int given = (load->force.count > 0) + (load->traction.count > 0) + !isnan(load->pressure);
    if (given != 1) {
        tell(scene, &load->block, NULL, "must have exactly one of force, traction, pressure; found %d",
             given);
    }
    check_point(scene, dimension, &load->block, "force", &load->force);
    check_point(scene, dimension, &load->block, "traction", &load->traction);
}

void brn_check_pair(brn_scene *scene, int dimension, const void *value)
{
    (void)dimension;
    const brn_pair_def *pair = value;
    bool says = !isnan(pair->friction) || !pair->touch;
    for (int i = 0; i < BRN_CONTACT_KEY_COUNT; ++i) {
        says = says || !isnan(pair->key[i]);
    }
    if (!says) {
        tell(scene, &pair->block, NULL,
             "says nothing about the pair: give friction, restitution, stiffness "
             "relaxation or touch: false");
    }
}

void brn_check_ramp(brn_scene *scene, int dimension, const void *value)
{
    (void)dimension;
    const brn_ramp_def *ramp = value;
    if (!(ramp->to >= ramp->from)) {
        tell(scene, &ramp->block, "to", "must not be before 'from' (%g s)", ramp->from);
    }
}
