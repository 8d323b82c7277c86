/* Scene -> model. Every problem of the scene is collected before the build gives up: a bad body does not hide a bad
   load. */
#include "base/text.h"
#include "model/builder.h"
#include "model/mass.h"
#include "model/robot_draft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 64 };

void brn_builder_problem(brn_builder *b, const brn_block *block, const char *key, const char *format, ...)
{
    char path[256];
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)snprintf(path, sizeof path, "%s.%s", block->path, key);
    brn_scene_add_problem(b->scene, path, "%s", text);
}

const brn_variant *brn_builder_def(const brn_builder *b, int body)
{
    return &b->def->bodies.items[b->model->body[body].source];
}

const brn_body_common *brn_builder_body(const brn_builder *b, int body)
{
    return brn_builder_def(b, body)->value;
}

brn_shape_form *brn_builder_form(const brn_builder *b, int body)
{
    const brn_body *of = &b->model->body[body];
    return of->robot >= 0 ? &b->robot[of->source].form[body - b->model->robot[of->robot]->body_first]
                          : &b->form[of->source];
}

/* Name of an entry; NULL if the entry has a problem of its own. */
static const char *name_of(const brn_builder *b, brn_noun noun, int index)
{
    const brn_block *block = noun == BRN_NOUN_MATERIAL ? b->def->materials.items[index].value
                             : noun == BRN_NOUN_BODY   ? b->def->bodies.items[index].value
                                                       : &((const brn_mesh_def *)b->def->meshes.items)[index];
    return block != NULL ? block->name : NULL;
}

/* Adds a problem for a word that looks like a copy of a body but is not one; false if it does not look so. */
static bool tell_copies(brn_builder *b, const brn_block *block, const char *key, const char *word)
{
    for (int i = 0; i < b->def->bodies.count; ++i) {
        const brn_body_common *body = b->def->bodies.items[i].value;
        const size_t length = body != NULL && body->name != NULL ? strlen(body->name) : 0;
        if (length == 0 || body->repeat.count.count == 0 || strncmp(word, body->name, length) != 0 ||
            word[length] != '_') {
            continue;
        }
        char first[200];
        char last[200];
        brn_repeat_name(body, 0, first, sizeof first);
        brn_repeat_name(body, brn_repeat_count(body) - 1, last, sizeof last);
        brn_builder_problem(b, block, key, "no such body; copies of '%s' are %s to %s", body->name, first,
                            last);
        return true;
    }
    return false;
}

/* Whether a word looks like a link of a robot: ROBOT/LINK. */
static bool names_link(const brn_builder *b, int body, const char *word)
{
    const brn_body_common *common = b->def->bodies.items[body].value;
    const char *slash = strchr(word, '/');
    char robot[BRN_REPEAT_NAME_MAX + 64];
    if (b->def->bodies.items[body].table != &brn_robot_table || slash == NULL) {
        return false;
    }
    (void)snprintf(robot, sizeof robot, "%.*s", (int)(slash - word), word);
    return strcmp(robot, common->name) == 0 || brn_repeat_find(common, robot) >= 0;
}

int brn_builder_find(brn_builder *b, const brn_block *block, const char *key, brn_noun noun, const char *word)
{
    static const char *const nouns[] = {"material", "mesh", "body"};
    const int counts[] = {b->def->materials.count, b->def->meshes.count, b->def->bodies.count};
    const char *names[NAMES_MAX] = {NULL};
    int count = 0;
    for (int i = 0; i < counts[noun]; ++i) {
        const char *name = name_of(b, noun, i);
        if (name != NULL &&
            (strcmp(name, word) == 0 ||
             (noun == BRN_NOUN_BODY &&
              (brn_repeat_find(b->def->bodies.items[i].value, word) >= 0 || names_link(b, i, word))))) {
            return i;
        }
        if (name != NULL && count < NAMES_MAX) {
            names[count++] = name;
        }
    }
    if (noun == BRN_NOUN_BODY && tell_copies(b, block, key, word)) {
        return -1;
    }
    const int near = brn_nearest_word(word, names, count);
    if (near >= 0) {
        brn_builder_problem(b, block, key, "no such %s; did you mean '%s'?", nouns[noun], names[near]);
        return -1;
    }
    char list[512] = "none";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list; ++i) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    brn_builder_problem(b, block, key, "no such %s; there is: %s", nouns[noun], list);
    return -1;
}

brn_body_range brn_builder_find_bodies(brn_builder *b, const brn_block *block, const char *key,
                                       const char *word)
{
    const brn_body_range link = brn_builder_robot_link(b, word);
    if (link.count > 0) {
        return link;
    }
    const int source = brn_builder_find(b, block, key, BRN_NOUN_BODY, word);
    if (source < 0) {
        return (brn_body_range){0, 0};
    }
    if (names_link(b, source, word)) {
        const brn_robot *file = b->robot[source].file;
        brn_builder_problem(b, block, key, "robot '%s' has no such link; its links are named in %s",
                            b->model->source[source].name, file != NULL ? file->xml->file : "its file");
        return (brn_body_range){0, 0};
    }
    const int copy = brn_repeat_find(b->def->bodies.items[source].value, word);
    const brn_source *from = &b->model->source[source];
    const int each =
        from->count / brn_repeat_count(b->def->bodies.items[source].value); /* a robot's bodies */
    return copy >= 0 ? (brn_body_range){from->first + copy * each, each}
                     : (brn_body_range){from->first, from->count};
}

static void check_body_name(brn_builder *b, const brn_block *block, const char *key, const char *word)
{
    if (word != NULL) {
        (void)brn_builder_find(b, block, key, BRN_NOUN_BODY, word);
    }
}

static void check_between(brn_builder *b, const brn_block *block, const brn_texts *between)
{
    for (int k = 0; k < between->count; ++k) {
        check_body_name(b, block, k == 0 ? "between[0]" : "between[1]", between->v[k]);
    }
}

static void check_pair_names(brn_builder *b)
{
    const brn_pair_def *pairs = b->def->contact.pairs.items;
    for (int i = 0; i < b->def->contact.pairs.count; ++i) {
        check_between(b, &pairs[i].block, &pairs[i].between);
    }
}

void brn_model_check_names(brn_scene *scene)
{
    brn_builder b = {.scene = scene, .def = brn_scene_get_def(scene)};
    for (int i = 0; i < b.def->bodies.count; ++i) {
        const brn_variant *body = &b.def->bodies.items[i];
        const brn_body_common *common = body->value;
        if (common != NULL && common->mesh != NULL) {
            (void)brn_builder_find(&b, &common->block, "mesh", BRN_NOUN_MESH, common->mesh);
        }
        const bool soft = body->table == &brn_deformable_table || body->table == &brn_shell_table;
        if (soft && ((const brn_deformable_def *)common)->material != NULL) {
            const brn_deformable_def *own = (const void *)common;
            const brn_part_def *parts = own->materials.items;
            (void)brn_builder_find(&b, &common->block, "material", BRN_NOUN_MATERIAL, own->material);
            for (int k = 0; k < own->materials.count; ++k) {
                if (parts[k].material != NULL) {
                    (void)brn_builder_find(&b, &parts[k].block, "material", BRN_NOUN_MATERIAL,
                                           parts[k].material);
                }
            }
        }
    }
    const brn_fixed_def *fixed = b.def->fixed.items;
    for (int i = 0; i < b.def->fixed.count; ++i) {
        check_body_name(&b, &fixed[i].block, "body", fixed[i].body);
    }
    const brn_spring_def *springs = b.def->springs.items;
    for (int i = 0; i < b.def->springs.count; ++i) {
        check_body_name(&b, &springs[i].block, "body", springs[i].body);
        check_body_name(&b, &springs[i].block, "to", springs[i].to);
    }
    const brn_attach_def *attach = b.def->attach.items;
    for (int i = 0; i < b.def->attach.count; ++i) {
        check_body_name(&b, &attach[i].block, "body", attach[i].body);
        check_body_name(&b, &attach[i].block, "to", attach[i].to);
    }
    const brn_connect_def *connect = b.def->connect.items;
    for (int i = 0; i < b.def->connect.count; ++i) {
        check_between(&b, &connect[i].block, &connect[i].between);
    }
    const brn_load_def *loads = b.def->loads.items;
    for (int i = 0; i < b.def->loads.count; ++i) {
        check_body_name(&b, &loads[i].block, "body", loads[i].body);
    }
    const brn_probe_def *probes = b.def->output.probes.items;
    for (int i = 0; i < b.def->output.probes.count; ++i) {
        check_body_name(&b, &probes[i].block, "body", probes[i].body);
    }
    check_pair_names(&b);
}

static brn_status add_settings(brn_builder *b)
{
    brn_model *model = b->model;
    const brn_scene_def *def = b->def;
    model->title = brn_strdup(b->ctx, def->title != NULL ? def->title : "");
    if (model->title == NULL) {
        return BRN_ERR_MEMORY;
    }
    model->dim = def->dimension;
    memcpy(model->gravity, def->gravity, sizeof model->gravity);
    if (model->dim == 2 && model->gravity[2] != 0.0) {
        brn_scene_add_problem(b->scene, "gravity", "a 2D scene has no z axis: write [0, -9.81]");
    }
    model->step = def->time.step;
    model->end = def->time.end;
    const double steps = model->end / model->step;
    if (!(steps < 1e15)) {
        brn_scene_add_problem(b->scene, "time",
                              "end / step = %g: too many steps, must be below 1e15: take a larger step",
                              steps);
    } else {
        model->nstep = (int64_t)ceil(steps * (1.0 - 1e-12) - 1e-12);
    }
    model->integrator = def->integrator;
    model->method = def->method.table;
    model->method_why = brn_scene_method_why(b->scene);
    model->method_params = brn_calloc(b->ctx, 1, model->method->size);
    if (model->method_params == NULL) {
        return BRN_ERR_MEMORY;
    }
    memcpy(model->method_params, def->method.value, model->method->size);
    model->contact_self = def->contact.self;
    const double thinned = fmax(model->step, model->end / 200.0);
    model->frame_every = isnan(def->output.every) ? thinned : def->output.every;
    for (int i = 0; i < def->output.fields.count; ++i) {
        model->fields[def->output.fields.choice[i]] = true;
    }
    model->write_vtu = def->output.vtu;
    model->report_mb = def->output.report;
    model->checkpoint_every = def->output.checkpoint;
    brn_builder_begin_stages(b);
    return brn_plots_copy(b->ctx, &def->output, &model->plots);
}

static brn_status build(brn_builder *b)
{
    BRN_TRY(add_settings(b));
    BRN_TRY(brn_builder_add_bodies(b));
    BRN_TRY(brn_builder_add_springs(b));
    BRN_TRY(brn_builder_add_laws(b));
    BRN_TRY(brn_builder_add_attachments(b));
    BRN_TRY(brn_builder_add_holds(b));
    BRN_TRY(brn_builder_add_connections(b));
    BRN_TRY(brn_builder_bend_sheets(b));
    BRN_TRY(brn_builder_add_loads(b));
    brn_builder_follow_body(b);
    BRN_TRY(brn_builder_add_probes(b));
    if (brn_scene_problem_count(b->scene) == 0) {
        BRN_TRY(brn_builder_close_ties(b));
    }
    if (brn_scene_problem_count(b->scene) == 0) {
        BRN_TRY(brn_model_build_mass(b->model, b->mass_kind));
        brn_builder_tell_round(b);
        BRN_TRY(brn_builder_add_velocities(b));
    }
    if (brn_scene_problem_count(b->scene) > 0) {
        return brn_fail(b->ctx, BRN_ERR_SCENE, "%s", brn_scene_problem(b->scene, 0));
    }
    return BRN_OK;
}

brn_status brn_model_build(brn_ctx *ctx, brn_scene *scene, brn_model **out)
{
    *out = NULL;
    brn_builder b = {.ctx = ctx, .scene = scene, .def = brn_scene_get_def(scene)};
    BRN_ALLOC(ctx, b.model, 1);
    b.model->ctx = ctx;
    const brn_status status = build(&b);
    for (int i = 0; b.mesh != NULL && i < b.def->meshes.count; ++i) {
        brn_mesh_destroy(b.mesh[i]);
    }
    for (int i = 0; b.form != NULL && i < b.def->bodies.count; ++i) {
        brn_mesh_destroy(b.form[i].mesh);
    }
    for (int i = 0; b.robot != NULL && i < b.def->bodies.count; ++i) {
        brn_robot_draft_clear(ctx, &b.robot[i]);
    }
    brn_free(ctx, b.mesh);
    brn_free(ctx, b.form);
    brn_free(ctx, b.robot);
    brn_free(ctx, b.pose);
    brn_free(ctx, b.rigid);
    brn_free(ctx, b.tried);
    brn_free(ctx, b.body_mesh);
    brn_free(ctx, b.mass_kind);
    brn_free(ctx, b.ties.tie);
    brn_free(ctx, b.ties.part);
    brn_free(ctx, b.fixed);
    brn_free(ctx, b.released);
    if (status < 0) {
        brn_model_destroy(b.model);
        return status;
    }
    *out = b.model;
    return BRN_OK;
}
