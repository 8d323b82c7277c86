/* Bodies of a model: their meshes or shapes, their solids, initial velocities. */
#include "model/builder.h"
#include "model/material_map.h"
#include "model/placement.h"
#include "model/robot_draft.h"

#include <stdio.h>
#include <string.h>

static brn_status body_mesh(brn_builder *b, const brn_body_common *common, const brn_mesh **out)
{
    *out = NULL;
    if (common->mesh == NULL) {
        brn_builder_problem(b, &common->block, "mesh", "is needed");
        return BRN_OK;
    }
    const int index = brn_builder_find(b, &common->block, "mesh", BRN_NOUN_MESH, common->mesh);
    if (index < 0) {
        return BRN_OK;
    }
    if (!b->tried[index]) {
        b->tried[index] = true;
        const brn_mesh_def *meshes = b->def->meshes.items;
        BRN_TRY(brn_placement_mesh(b->scene, &meshes[index], b->ctx, &b->mesh[index]));
    }
    *out = b->mesh[index];
    return BRN_OK;
}

/* Checks that the mesh suits the body: right dimension, flat in 2D, no inverted cell. If not, it is a problem of the scene. */
static brn_status mesh_suits(brn_builder *b, const brn_body_common *common, const brn_mesh *mesh, bool solid,
                             bool *suits)
{
    const int dim = b->model->dim;
    *suits = b->copy;
    if (b->copy) {
        return BRN_OK;
    }
    if (solid && brn_mesh_dim(mesh) != dim) {
        brn_builder_problem(b, &common->block, "mesh",
                            "a deformable body in a %dD scene needs a mesh of %s, this one has %s", dim,
                            dim == 3 ? "tets or hexes" : "triangles",
                            brn_mesh_dim(mesh) == 3   ? "volume cells"
                            : brn_mesh_dim(mesh) == 2 ? "surface cells"
                                                      : "lines");
        return BRN_OK;
    }
    for (int a = 0; a < mesh->nnode && dim == 2; ++a) {
        if (mesh->pos[a][2] != 0.0) {
            brn_builder_problem(b, &common->block, "mesh",
                                "node %d has z = %g: a 2D scene needs a flat mesh at z = 0", a,
                                mesh->pos[a][2]);
            return BRN_OK;
        }
    }
    char who[160];
    (void)snprintf(who, sizeof who, "body '%s'", common->name);
    const brn_status status = brn_mesh_check(mesh, who);
    if (status == BRN_ERR_MEMORY) {
        return status;
    }
    if (status < 0) {
        brn_builder_problem(b, &common->block, "mesh", "%s", brn_ctx_message(b->ctx));
    }
    *suits = status >= 0;
    return BRN_OK;
}

const brn_material *brn_builder_material(brn_builder *b, const brn_deformable_def *def, brn_moduli *moduli,
                                         const brn_material_common **params)
{
    const int index = brn_builder_find(b, &def->common.block, "material", BRN_NOUN_MATERIAL, def->material);
    if (index < 0) {
        return NULL;
    }
    const brn_variant *variant = &b->def->materials.items[index];
    const brn_material *material = brn_material_of_table(variant->table);
    *params = variant->value;
    const char *reason = "";
    if (!material->moduli(variant->value, moduli, &reason)) {
        brn_scene_add_problem(b->scene, (*params)->block.path, "%s", reason);
        return NULL;
    }
    return material;
}

brn_status brn_builder_push_group(brn_builder *b, int index, brn_element_group *group)
{
    brn_model *model = b->model;
    brn_body *body = index >= 0 ? &model->body[index] : NULL;
    void *grown = brn_realloc(b->ctx, model->group, (size_t)model->ngroup + 1, sizeof *model->group);
    if (grown == NULL) {
        brn_group_destroy(group);
        return BRN_ERR_MEMORY;
    }
    model->group = grown;
    model->group[model->ngroup++] = group;
    if (body != NULL) {
        body->group_count++;
    }
    if (body != NULL && group->cell >= 0) {
        body->elem_count += group->nelem;
        model->nelem += group->nelem;
    }
    return BRN_OK;
}

static brn_status add_deformable(brn_builder *b, int index)
{
    const brn_deformable_def *def = brn_builder_def(b, index)->value;
    const brn_mesh *mesh = NULL;
    brn_material_map map = {0};
    bool suits = false;
    BRN_TRY(body_mesh(b, &def->common, &mesh));
    if (mesh != NULL) {
        BRN_TRY(mesh_suits(b, &def->common, mesh, true, &suits));
    }
    brn_status status = brn_material_map_make(b, def, suits ? mesh : NULL, &map);
    if (status >= 0 && suits && map.good) {
        b->body_mesh[index] = mesh;
        b->mass_kind[index] = def->mass;
        b->model->body[index].type = BRN_BODY_DEFORMABLE;
        status = brn_builder_add_frame(b, index, mesh);
        status = status >= 0 ? brn_builder_add_solids(b, index, mesh, &map) : status;
    }
    brn_free(b->ctx, map.of);
    return status;
}

static brn_status add_shell(brn_builder *b, int index)
{
    const brn_shell_def *def = brn_builder_def(b, index)->value;
    const brn_body_common *common = &def->soft.common;
    const brn_mesh *mesh = NULL;
    brn_moduli moduli = {0};
    const brn_material_common *params = NULL;
    BRN_TRY(body_mesh(b, common, &mesh));
    const brn_material *material = brn_builder_material(b, &def->soft, &moduli, &params);
    if (mesh == NULL || material == NULL) {
        return BRN_OK;
    }
    bool suits = false;
    BRN_TRY(mesh_suits(b, common, mesh, false, &suits));
    if (!brn_builder_check_shell(b, def, mesh, material) || !suits) {
        return BRN_OK;
    }
    b->body_mesh[index] = mesh;
    b->mass_kind[index] = def->soft.mass;
    b->model->body[index].type = BRN_BODY_SHELL;
    BRN_TRY(brn_builder_add_frame(b, index, mesh));
    return brn_builder_add_sheet(b, index, material, &moduli, params);
}

/* The form of a body's shape; errors become problems of the scene. */
static brn_status body_shape(brn_builder *b, int index, const brn_variant *variant, const brn_mesh **out)
{
    const brn_body_common *common = brn_builder_body(b, index);
    const brn_shape *shape = brn_shape_of_table(variant->table);
    brn_shape_form *form = brn_builder_form(b, index);
    if (form->mesh != NULL) { /* of the first copy */
        *out = form->mesh;
        return BRN_OK;
    }
    const brn_status status = shape->make(b->ctx, variant->value, b->model->dim, form);
    if (status < 0 && status != BRN_ERR_MEMORY) {
        brn_builder_problem(b, &common->block, "shape", "%s", brn_ctx_message(b->ctx));
        return BRN_OK;
    }
    if (status >= 0 && form->half_space && brn_repeat_count(common) > 1) {
        brn_builder_problem(b, &common->block, "repeat", "a half-space is unbounded: one is enough");
    }
    *out = form->mesh;
    return status;
}

/* The mesh of a body that may have a shape instead; NULL after adding a problem. */
static brn_status mesh_or_shape(brn_builder *b, int index, const brn_variant *shape, const brn_mesh **out)
{
    const brn_body_common *common = brn_builder_body(b, index);
    *out = NULL;
    if (shape->table != NULL && common->mesh != NULL) {
        brn_builder_problem(b, &common->block, "shape", "stands beside 'mesh'; keep one of the two");
        return BRN_OK;
    }
    if (shape->table != NULL) {
        return body_shape(b, index, shape, out);
    }
    if (common->mesh == NULL) {
        brn_builder_problem(b, &common->block, "mesh", "is needed, or a shape instead");
        return BRN_OK;
    }
    const brn_mesh *mesh = NULL;
    bool suits = false;
    BRN_TRY(body_mesh(b, common, &mesh));
    if (mesh != NULL) {
        BRN_TRY(mesh_suits(b, common, mesh, false, &suits));
    }
    *out = suits ? mesh : NULL;
    return BRN_OK;
}

static brn_status add_static(brn_builder *b, int index)
{
    const brn_static_def *def = brn_builder_def(b, index)->value;
    const brn_mesh *mesh = NULL;
    BRN_TRY(mesh_or_shape(b, index, &def->shape, &mesh));
    if (mesh == NULL) {
        return BRN_OK;
    }
    const bool wire = def->shape.table == NULL && brn_mesh_dim(mesh) == 1;
    const bool sheet = def->shape.table == NULL && brn_mesh_dim(mesh) == 2 && b->model->dim == 3;
    if (def->thickness > 0.0 && !wire && !sheet) {
        brn_builder_problem(
            b, &def->common.block, "thickness",
            "is for sheets: meshes of surface cells in a 3D scene; and wires: meshes of lines");
    }
    if (wire && !(def->thickness > 0.0)) {
        brn_builder_problem(b, &def->common.block, "thickness",
                            "is needed: the mesh has lines, so it is a wire");
    }
    b->body_mesh[index] = mesh;
    b->model->body[index].type = BRN_BODY_STATIC;
    b->model->body[index].solid = def->shape.table != NULL || brn_mesh_dim(mesh) == b->model->dim;
    BRN_TRY(brn_builder_add_frame(b, index, mesh));
    b->model->body[index].radius += 0.5 * def->thickness;
    return b->model->body[index].radius > 0.0 ? brn_builder_add_corners(b, index) : BRN_OK;
}

static brn_status add_rigid(brn_builder *b, int index)
{
    const brn_rigid_def *def = brn_builder_def(b, index)->value;
    const brn_mesh *mesh = NULL;
    BRN_TRY(mesh_or_shape(b, index, &def->shape, &mesh));
    return mesh != NULL ? brn_builder_add_rigid(b, index, mesh) : BRN_OK;
}

/* Names of copies are reserved for copies. */
static void check_copy_names(brn_builder *b, int source)
{
    const brn_body_common *common = b->def->bodies.items[source].value;
    const size_t length = strlen(common->name);
    if (common->repeat.count.count == 0) {
        return;
    }
    if (length > BRN_REPEAT_NAME_MAX) {
        brn_builder_problem(b, &common->block, "name", "is too long for copies: at most %d letters",
                            (int)BRN_REPEAT_NAME_MAX);
    }
    for (int i = 0; i < b->def->bodies.count; ++i) {
        const brn_body_common *other = b->def->bodies.items[i].value;
        if (strncmp(other->name, common->name, length) == 0 && other->name[length] == '_' &&
            other->name[length + 1] >= '0' && other->name[length + 1] <= '9') {
            brn_builder_problem(b, &other->block, "name",
                                "reads like a copy of '%s', which is repeated; choose another name",
                                common->name);
        }
    }
}

/* How many bodies each body of the scene becomes. */
static brn_status count_bodies(brn_builder *b, int *total)
{
    const int count = b->def->bodies.count;
    BRN_ALLOC(b->ctx, b->model->source, count);
    BRN_ALLOC(b->ctx, b->form, count);
    BRN_ALLOC(b->ctx, b->robot, count);
    *total = 0;
    for (int s = 0; s < count; ++s) {
        const brn_body_common *common = b->def->bodies.items[s].value;
        int copies = brn_repeat_count(common);
        check_copy_names(b, s);
        if (b->def->bodies.items[s].table == &brn_robot_table) {
            BRN_TRY(brn_robot_draft_make(b, s));
            copies = copies <= BRN_SCENE_BODIES_MAX ? copies * b->robot[s].npiece : copies;
        }
        if (copies > BRN_SCENE_BODIES_MAX - *total) {
            brn_builder_problem(b, &common->block, "repeat", "more than %d bodies in all",
                                (int)BRN_SCENE_BODIES_MAX);
            return brn_fail(b->ctx, BRN_ERR_SCENE, "%s", brn_scene_problem(b->scene, 0));
        }
        brn_source *source = &b->model->source[b->model->nsource++];
        *source = (brn_source){brn_strdup(b->ctx, common->name), *total, copies};
        if (source->name == NULL) {
            return BRN_ERR_MEMORY;
        }
        *total += copies;
    }
    return BRN_OK;
}

static brn_status add_body(brn_builder *b, int index)
{
    const brn_table *type = brn_builder_def(b, index)->table;
    return type == &brn_static_table  ? add_static(b, index)
           : type == &brn_rigid_table ? add_rigid(b, index)
           : type == &brn_shell_table ? add_shell(b, index)
                                      : add_deformable(b, index);
}

static brn_status add_robots(brn_builder *b, int source)
{
    const brn_body_common *common = b->def->bodies.items[source].value;
    const int before = brn_scene_found(b->scene);
    const int each = b->robot[source].npiece;
    for (int copy = 0; copy < brn_repeat_count(common) && each > 0; ++copy) {
        if (brn_scene_found(b->scene) == before) {
            BRN_TRY(brn_builder_add_robot(b, source, copy, b->model->source[source].first + copy * each));
        }
    }
    return BRN_OK;
}

/* A body of the scene with its copies. If the first has a problem, the others would only repeat it. */
static brn_status add_copies(brn_builder *b, int source)
{
    brn_model *model = b->model;
    const brn_body_common *common = b->def->bodies.items[source].value;
    const int before = brn_scene_found(b->scene);
    for (int copy = 0; copy < model->source[source].count; ++copy) {
        const int index = model->source[source].first + copy;
        brn_body *body = &model->body[index];
        char name[BRN_REPEAT_NAME_MAX + 64];
        model->nbody = index + 1;
        body->source = source;
        body->plane[0] = -1;
        body->handle = -1;
        body->solid = true;
        body->robot = -1;
        brn_repeat_name(common, copy, name, sizeof name);
        body->name = brn_strdup(b->ctx, common->repeat.count.count > 0 ? name : common->name);
        if (body->name == NULL) {
            return BRN_ERR_MEMORY;
        }
        b->copy = copy > 0;
        if (brn_scene_found(b->scene) == before) {
            brn_repeat_pose(b->scene, common, copy, &b->pose[index]);
            BRN_TRY(add_body(b, index));
        }
    }
    return BRN_OK;
}

brn_status brn_builder_add_bodies(brn_builder *b)
{
    int count = 0;
    BRN_TRY(count_bodies(b, &count));
    BRN_ALLOC(b->ctx, b->model->body, count);
    BRN_ALLOC(b->ctx, b->body_mesh, count);
    BRN_ALLOC(b->ctx, b->pose, count);
    BRN_ALLOC(b->ctx, b->rigid, count);
    BRN_ALLOC(b->ctx, b->mass_kind, count);
    BRN_ALLOC(b->ctx, b->mesh, b->def->meshes.count);
    BRN_ALLOC(b->ctx, b->tried, b->def->meshes.count);
    if (count == 0) {
        brn_scene_add_problem(b->scene, "bodies", "a scene needs at least one body");
    }
    for (int s = 0; s < b->def->bodies.count; ++s) {
        const bool robot = b->def->bodies.items[s].table == &brn_robot_table;
        BRN_TRY(robot ? add_robots(b, s) : add_copies(b, s));
    }
    brn_builder_fit_planes(b);
    brn_builder_add_shapes(b);
    return BRN_OK;
}

/* Velocity of a body's nodes: translation plus rotation about its centre of mass. */
static void set_velocity(brn_builder *b, int index, const double velocity[3], const brn_reals *spin)
{
    brn_model *model = b->model;
    const brn_body *body = &model->body[index];
    const int wanted = model->dim == 3 ? 3 : 1;
    if (spin->count != 0 && spin->count != wanted) {
        if (index == model->source[body->source].first) {
            brn_builder_problem(b, &brn_builder_body(b, index)->block, "angular_velocity",
                                "needs %d number%s in %dD, found %d", wanted, wanted > 1 ? "s" : "",
                                model->dim, spin->count);
        }
        return;
    }
    double w[3] = {0.0, 0.0, 0.0};
    if (spin->count > 0) {
        memcpy(wanted == 3 ? w : &w[2], spin->v, (size_t)wanted * sizeof(double));
    }
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            const int k = (i + 2) % 3;
            model->vel0[a][i] = velocity[i] + w[j] * (model->rest[a][k] - body->centre[k]) -
                                w[k] * (model->rest[a][j] - body->centre[j]);
        }
    }
}

/* Initial velocities, once the centres of mass are known. */
brn_status brn_builder_add_velocities(brn_builder *b)
{
    brn_model *model = b->model;
    BRN_ALLOC(b->ctx, model->vel0, model->nnode);
    for (int n = 0; n < model->nbody; ++n) {
        const void *def = brn_builder_def(b, n)->value;
        const brn_deformable_def *soft = def;
        const brn_rigid_def *rigid = def;
        if (brn_body_has_cells(model->body[n].type)) { /* a shell's keys start with those of a solid */
            set_velocity(b, n, soft->velocity, &soft->angular_velocity);
        } else if (model->body[n].type == BRN_BODY_RIGID && model->body[n].robot < 0) {
            set_velocity(b, n, rigid->velocity, &rigid->angular_velocity);
        }
    }
    BRN_TRY(brn_builder_move_robots(b));
    if (model->nattach > 0) { /* attached nodes move with what they are attached to */
        brn_model_follow_nodes(model, &model->vel0[0][0]);
    }
    return BRN_OK;
}
