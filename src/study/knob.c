#include "study/knob.h"

#include "base/text.h"
#include "phys/material.h"

#include <math.h>
#include <string.h>

void brn_knobs_clear(brn_knobs *k)
{
    for (int i = 0; i < k->nmodulus; ++i) {
        brn_free(k->ctx, k->modulus[i].path);
    }
    for (int i = 0; i < k->ndamping; ++i) {
        brn_free(k->ctx, k->damping[i].path);
    }
    brn_free(k->ctx, k->modulus);
    brn_free(k->ctx, k->damping);
    brn_free(k->ctx, k->body);
    brn_free(k->ctx, k->mesh_path);
    *k = (brn_knobs){0};
}

/* ---- the body ------------------------------------------------------------------------------------------------------------ */

/* The scene's body: its number there. */
static brn_status find_body(brn_ctx *ctx, const brn_model *model, const char *name, int *out)
{
    int found = -1;
    int count = 0;
    for (int i = 0; i < model->nsource; ++i) {
        const brn_source *source = &model->source[i];
        const bool soft = source->count > 0 && model->body[source->first].type == BRN_BODY_DEFORMABLE;
        if (name != NULL ? strcmp(source->name, name) == 0 : soft) {
            found = i;
            ++count;
        }
    }
    if (name != NULL && (found < 0 || model->source[found].count == 0 ||
                         model->body[model->source[found].first].type != BRN_BODY_DEFORMABLE)) {
        return brn_fail(ctx, BRN_ERR_SCENE, "there is no deformable body '%s'", name);
    }
    if (count != 1) {
        return brn_fail(ctx, BRN_ERR_SCENE,
                        count == 0 ? "there is no deformable body to coarsen"
                                   : "there are %d deformable bodies: name the one to coarsen",
                        count);
    }
    *out = found;
    return BRN_OK;
}

/* ---- the mesh ------------------------------------------------------------------------------------------------------------- */

static brn_status join_path(brn_ctx *ctx, const char *path, const char *key, char **out)
{
    brn_text text = {.ctx = ctx};
    brn_text_add(&text, "%s.%s", path, key);
    return brn_text_take(&text, out);
}

/* `resolution` or `cells` of a generator. */
static brn_status knob_of_generator(brn_knobs *k, const brn_table *table, const void *value)
{
    const brn_param *edge = brn_table_find(table, "resolution");
    const brn_param *cells = brn_table_find(table, "cells");
    const brn_block *block = value;
    if (edge != NULL && edge->kind == BRN_REAL) {
        memcpy(&k->edge, (const char *)value + edge->offset, sizeof k->edge);
        return join_path(k->ctx, block->path, "resolution", &k->mesh_path);
    }
    if (cells == NULL || (cells->kind != BRN_INTS && cells->kind != BRN_INT)) {
        return brn_fail(
            k->ctx, BRN_ERR_SCENE,
            "%s: a mesh of this kind has neither 'resolution' nor 'cells', so that it cannot be coarsened",
            block->path);
    }
    k->listed = cells->kind == BRN_INTS;
    if (k->listed) {
        brn_ints list;
        memcpy(&list, (const char *)value + cells->offset, sizeof list);
        k->ncell = list.count < 3 ? list.count : 3;
        memcpy(k->cells, list.v, (size_t)k->ncell * sizeof *k->cells);
    } else {
        k->ncell = 1;
        memcpy(k->cells, (const char *)value + cells->offset, sizeof *k->cells);
    }
    if (k->ncell < 1) {
        return brn_fail(k->ctx, BRN_ERR_SCENE, "%s.cells: give them, so that they can be made larger",
                        block->path);
    }
    return join_path(k->ctx, block->path, "cells", &k->mesh_path);
}

static brn_status find_mesh_knob(brn_knobs *k, const brn_scene_def *def, const brn_body_common *body)
{
    const brn_mesh_def *meshes = def->meshes.items;
    const brn_mesh_def *mesh = NULL;
    for (int i = 0; i < def->meshes.count; ++i) {
        mesh = body->mesh != NULL && strcmp(meshes[i].block.name, body->mesh) == 0 ? &meshes[i] : mesh;
    }
    k->edge = NAN;
    if (mesh != NULL && mesh->generator.table != NULL) {
        return knob_of_generator(k, mesh->generator.table, mesh->generator.value);
    }
    if (mesh != NULL && mesh->surface != NULL) {
        k->edge = mesh->resolution;
        return join_path(k->ctx, mesh->block.path, "resolution", &k->mesh_path);
    }
    return brn_fail(
        k->ctx, BRN_ERR_SCENE,
        "%s.mesh: comes from a file: what can be coarsened comes from a generator, or from a surface that is "
        "filled",
        body->block.path);
}

brn_status brn_knob_assign(brn_ctx *ctx, const char *path, double value, char **assignment)
{
    brn_text text = {.ctx = ctx};
    char number[BRN_REAL_TEXT];
    brn_text_add(&text, "%s=%s", path, brn_format_real(value, number));
    return brn_text_take(&text, assignment);
}

brn_status brn_knobs_mesh(const brn_knobs *k, double size, char **assignment)
{
    *assignment = NULL;
    if (!isnan(k->edge)) {
        /* Six digits are plenty, and nice to read: powers of ten above 1 are exact, so that the quotient is the nearest to them. */
        const double edge = size * k->edge;
        const double power = pow(10.0, fmax(5.0 - floor(log10(edge)), 0.0));
        return brn_knob_assign(k->ctx, k->mesh_path, size != 1.0 ? round(edge * power) / power : edge,
                               assignment);
    }
    brn_text text = {.ctx = k->ctx};
    brn_text_add(&text, "%s=%s", k->mesh_path, k->listed ? "[" : "");
    for (int i = 0; i < k->ncell; ++i) {
        brn_text_add(&text, "%s%d", i > 0 ? ", " : "", (int)fmax(1.0, fmin(round(k->cells[i] / size), 5e7)));
    }
    brn_text_add(&text, "%s", k->listed ? "]" : "");
    return brn_text_take(&text, assignment);
}

/* ---- materials ------------------------------------------------------------------------------------------------------------- */

static brn_status push(brn_ctx *ctx, brn_knob_value **list, int *count, const char *path, const char *key,
                       double value)
{
    brn_knob_value *grown = brn_realloc(ctx, *list, (size_t)*count + 1, sizeof **list);
    if (grown == NULL) {
        return BRN_ERR_MEMORY;
    }
    *list = grown;
    grown[*count] = (brn_knob_value){.value = value};
    BRN_TRY(join_path(ctx, path, key, &grown[*count].path));
    ++*count;
    return BRN_OK;
}

/* All moduli that are given; a material without any has the defaults of young and poisson. */
static brn_status add_moduli(brn_knobs *k, const brn_variant *material, double young)
{
    const brn_material_common *common = material->value;
    const char *path = common->block.path;
    const int before = k->nmodulus;
    for (int i = 0; i < material->table->nparams; ++i) {
        const brn_param *param = &material->table->params[i];
        if (param->kind == BRN_REAL && param->unit != NULL && strcmp(param->unit, "Pa") == 0) {
            double value = NAN;
            memcpy(&value, (const char *)material->value + param->offset, sizeof value);
            if (!isnan(value) && value != 0.0) {
                BRN_TRY(push(k->ctx, &k->modulus, &k->nmodulus, path, param->name, value));
            }
        }
    }
    if (k->nmodulus == before) {
        BRN_TRY(push(k->ctx, &k->modulus, &k->nmodulus, path, "young", young));
    }
    BRN_TRY(push(k->ctx, &k->damping, &k->ndamping, path, "damping.alpha", common->damping.alpha));
    return push(k->ctx, &k->damping, &k->ndamping, path, "damping.beta", common->damping.beta);
}

/* Young's modulus of a material where a body has it; < 0: it has not. */
static double young_of(const brn_model *model, const brn_scene_def *def, int body, int material)
{
    const brn_body *b = &model->body[body];
    const brn_material_common *common = def->materials.items[material].value;
    double young = -1.0;
    if (b->type == BRN_BODY_SHELL) {
        const brn_shell_def *shell = def->bodies.items[b->source].value;
        const char *name = shell->soft.material;
        return name != NULL && strcmp(name, common->block.name) == 0 ? 0.0 : -1.0;
    }
    for (int g = b->group_first; g < b->group_first + b->group_count && b->type == BRN_BODY_DEFORMABLE; ++g) {
        young = model->group[g]->material == material ? model->group[g]->young : young;
    }
    return young;
}

/* A body of the scene that has the material but not the mesh; -1: none. */
static int other_with(const brn_model *model, const brn_scene_def *def, int source, int material)
{
    const char *mesh = ((const brn_body_common *)def->bodies.items[source].value)->mesh;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body_common *other = def->bodies.items[model->body[b].source].value;
        const bool alike = other->mesh != NULL && strcmp(other->mesh, mesh) == 0;
        if (!alike && young_of(model, def, b, material) >= 0.0) {
            return b;
        }
    }
    return -1;
}

static brn_status find_moduli(brn_knobs *k, const brn_model *model, const brn_scene_def *def, int source)
{
    for (int m = 0; m < def->materials.count; ++m) {
        const double young = young_of(model, def, model->source[source].first, m);
        if (young < 0.0) {
            continue;
        }
        const int other = other_with(model, def, source, m);
        const brn_material_common *common = def->materials.items[m].value;
        if (other >= 0) {
            return brn_fail(
                k->ctx, BRN_ERR_SCENE,
                "%s: also of body '%s', which would change with it: give body '%s' a material of its own",
                common->block.path, model->body[other].name, model->source[source].name);
        }
        BRN_TRY(add_moduli(k, &def->materials.items[m], young));
    }
    return BRN_OK;
}

brn_status brn_knobs_find(brn_ctx *ctx, brn_scene *scene, const brn_model *model, const char *name,
                          brn_knobs *out)
{
    *out = (brn_knobs){.ctx = ctx, .dim = model->dim};
    const brn_scene_def *def = brn_scene_get_def(scene);
    int source = -1;
    brn_status status = find_body(ctx, model, name, &source);
    if (status >= 0) {
        const brn_body *body = &model->body[model->source[source].first];
        out->body = brn_strdup(ctx, body->name);
        status =
            out->body != NULL ? find_mesh_knob(out, def, def->bodies.items[source].value) : BRN_ERR_MEMORY;
    }
    status = status >= 0 ? find_moduli(out, model, def, source) : status;
    if (status < 0) {
        brn_knobs_clear(out);
    }
    return status;
}
