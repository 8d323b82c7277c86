#include "api/check_method.h"

#include "api/registry.h"
#include "model/repeat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 200 };

/* "a, b, c" */
static void add_word(char words[WORDS_MAX], const char *word)
{
    const size_t used = strlen(words);
    (void)snprintf(words + used, WORDS_MAX - used, "%s%s", used > 0 ? ", " : "", word);
}

/* Whether there is something to touch; NULL: no. */
static const char *may_touch(const brn_scene_def *def)
{
    int count = 0;
    for (int i = 0; i < def->bodies.count; ++i) {
        const brn_variant *body = &def->bodies.items[i];
        if (body->table == &brn_static_table) {
            return "there are obstacles";
        }
        count += body->value == NULL ? 0 : brn_repeat_count(body->value) > 1 ? 2 : 1;
    }
    return count > 1                              ? "there are several bodies"
           : brn_block_given(&def->contact.block) ? "there is a `contact` block"
                                                  : NULL;
}

/* Of a body that deforms; NULL: it does not. */
static brn_deformable_def *soft_body(const brn_variant *body)
{
    return body->value == NULL                                                       ? NULL
           : body->table == &brn_deformable_table || body->table == &brn_shell_table ? body->value
                                                                                     : NULL;
}

/* A method that needs masses at nodes takes them where the scene leaves it open. */
static void choose_masses(brn_scene *scene, const brn_method *method)
{
    const brn_variants *bodies = &brn_scene_get_def(scene)->bodies;
    for (int i = 0; i < bodies->count && method->lumps; ++i) {
        brn_deformable_def *soft = soft_body(&bodies->items[i]);
        char path[256];
        if (soft == NULL || soft->mass != BRN_MASS_CONSISTENT) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s.mass", soft->common.block.path);
        if (brn_scene_names(scene, path)) {
            brn_scene_add_problem(
                scene, path, "method '%s' needs masses at nodes: write lumped or uniform, or leave it out",
                method->table->name);
        } else {
            soft->mass = BRN_MASS_LUMPED;
        }
    }
}

brn_status brn_choose_method(brn_scene *scene, const brn_schema *schema)
{
    const brn_scene_def *def = brn_scene_get_def(scene);
    const brn_block *given = def->method.value;
    const char *why = given != NULL && !brn_block_given(given) ? may_touch(def) : NULL;
    for (int i = 0; why != NULL && i < brn_method_count(); ++i) {
        if (brn_method_get(i)->contact) {
            BRN_TRY(brn_scene_choose_method(scene, schema, brn_method_get(i)->table->name, why));
            break;
        }
    }
    const brn_method *method = brn_method_of_table(def->method.table);
    if (method != NULL) {
        brn_scene_choose_integrator(scene, method->integrator);
        choose_masses(scene, method);
    }
    return BRN_OK;
}

static void check_integrator(brn_scene *scene, const brn_method *method, const char *path, int integrator)
{
    if (method->integrators >> integrator & 1u) {
        return;
    }
    char words[WORDS_MAX] = "";
    for (int i = 0; brn_integrator_words[i] != NULL; ++i) {
        if (method->integrators >> i & 1u) {
            add_word(words, brn_integrator_words[i]);
        }
    }
    const char *why = brn_scene_method_why(scene);
    brn_scene_add_problem(scene, path, "method '%s' does not support it; it supports %s%s%s%s",
                          method->table->name, words, why != NULL ? " (chosen because " : "",
                          why != NULL ? why : "", why != NULL ? "; `method: none` leaves contact out)" : "");
}

static void check_body(brn_scene *scene, const brn_method *method, const brn_variant *body)
{
    const brn_body_common *common = body->value;
    const int type = brn_body_type_of_table(body->table);
    if (type < 0 || method->bodies >> type & 1u) {
        return;
    }
    char takes[WORDS_MAX] = "";
    char others[WORDS_MAX] = "";
    for (int i = 0; i < BRN_BODY_TYPE_COUNT; ++i) {
        if (method->bodies >> i & 1u) {
            add_word(takes, brn_body_tables[i]->name);
        }
    }
    for (int i = 0; i < brn_method_count(); ++i) {
        if (brn_method_get(i)->bodies >> type & 1u) {
            add_word(others, brn_method_get(i)->table->name);
        }
    }
    char path[256];
    (void)snprintf(path, sizeof path, "%s.type", common->block.path);
    brn_scene_add_problem(scene, path, "method '%s' supports %s bodies; this type is supported by %s",
                          method->table->name, takes, others[0] != '\0' ? others : "no method");
}

/* Keys of `contact` or of one of its pairs. */
static void check_keys(brn_scene *scene, const brn_method *method, const brn_block *block,
                       const double given[BRN_CONTACT_KEY_COUNT])
{
    for (int key = 0; key < BRN_CONTACT_KEY_COUNT; ++key) {
        if (isnan(given[key]) || method->contact_keys >> key & 1u) {
            continue;
        }
        char users[WORDS_MAX] = "";
        for (int i = 0; i < brn_method_count(); ++i) {
            if (brn_method_get(i)->contact_keys >> key & 1u) {
                add_word(users, brn_method_get(i)->table->name);
            }
        }
        const char *instead = method->contact_instead[key];
        char path[256];
        (void)snprintf(path, sizeof path, "%s.%s", block->path, brn_contact_key_words[key]);
        brn_scene_add_problem(scene, path, "method '%s' does not use it: %s (used by: %s)",
                              method->table->name, instead != NULL ? instead : "leave it out",
                              users[0] != '\0' ? users : "no method yet");
    }
}

/* Connections of bodies. */
static void check_connections(brn_scene *scene, const brn_method *method, const brn_blocks *connect)
{
    if (connect->count == 0 || method->connects) {
        return;
    }
    char others[WORDS_MAX] = "";
    for (int i = 0; i < brn_method_count(); ++i) {
        if (brn_method_get(i)->connects) {
            add_word(others, brn_method_get(i)->table->name);
        }
    }
    brn_scene_add_problem(
        scene, ((const brn_connect_def *)connect->items)->block.path,
        "method '%s' does not connect bodies: `attach` and `springs` work with it (connected "
        "by: %s)",
        method->table->name, others);
}

/* Holds that end. */
static void check_releases(brn_scene *scene, const brn_method *method, const brn_blocks *fixed)
{
    const brn_fixed_def *def = fixed->items;
    for (int i = 0; i < fixed->count && !method->releases; ++i) {
        if (isfinite(def[i].release)) {
            char path[256];
            (void)snprintf(path, sizeof path, "%s.release", def[i].block.path);
            brn_scene_add_problem(
                scene, path,
                "method '%s' holds a region for the whole run: leave it out, or use ipc, bbi or none",
                method->table->name);
        }
    }
}

/* Stages are told of by any method; other rules for them take one that can change its own. */
static void check_stages(brn_scene *scene, const brn_method *method, const brn_stages_def *stages)
{
    const brn_stage_def *each[] = {&stages->loading, &stages->launch, &stages->flight, &stages->landing};
    for (int i = 0; i < BRN_COUNT(each) && brn_block_given(&stages->block); ++i) {
        const brn_stage_def *def = each[i];
        char others[WORDS_MAX] = "";
        char path[256];
        if (!brn_block_given(&def->block)) {
            continue;
        }
        for (int k = 0; k < brn_method_count(); ++k) {
            if (brn_method_get(k)->stages) {
                add_word(others, brn_method_get(k)->table->name);
            }
        }
        if (!method->stages) {
            brn_scene_add_problem(
                scene, def->block.path,
                "method '%s' keeps one rule for the whole run: leave this block out (%s has "
                "rules for each stage)",
                method->table->name, others);
        } else if (def->integrator > 0) {
            (void)snprintf(path, sizeof path, "%s.integrator", def->block.path);
            check_integrator(scene, method, path, def->integrator - 1);
        }
    }
}

void brn_check_method(brn_scene *scene, const brn_method *method)
{
    const brn_scene_def *def = brn_scene_get_def(scene);
    if (method == NULL) {
        return;
    }
    check_integrator(scene, method, "integrator", def->integrator);
    check_stages(scene, method, &def->stages);
    check_releases(scene, method, &def->fixed);
    for (int i = 0; i < def->bodies.count; ++i) {
        if (def->bodies.items[i].value != NULL) {
            check_body(scene, method, &def->bodies.items[i]);
        }
    }
    check_connections(scene, method, &def->connect);
    check_keys(scene, method, &def->contact.block, def->contact.key);
    const brn_pair_def *pairs = def->contact.pairs.items;
    for (int i = 0; i < def->contact.pairs.count; ++i) {
        check_keys(scene, method, &pairs[i].block, pairs[i].key);
    }
}
