/* Overrides: "bodies.ball.position=[0,0,1]". The value replaces the node at the path; missing keys are created, entries of
   lists are not. The new nodes have line -1, which tells that a problem comes from an override. */
#include "scene/scene_inner.h"

#include <string.h>

enum { SHOWN_MAX = 20 }; /* names that a message lists */

typedef struct value_problem {
    brn_text text; /* the first one */
} value_problem;

static void keep_first(void *user, int line, const char *path, const char *text)
{
    (void)line;
    value_problem *problem = user;
    if (problem->text.length == 0) {
        brn_text_add(&problem->text, "%s%s%s", path, path[0] != '\0' ? ": " : "", text);
    }
}

/* What a map or list holds, for messages. */
static void list_children(const brn_yaml *node, brn_text *out)
{
    int shown = 0;
    for (int i = 0; i < node->count && shown < SHOWN_MAX; ++i) {
        const brn_yaml *item = node->items[i];
        const brn_yaml *name = brn_yaml_child(item, "name", 4);
        const char *word = node->kind == BRN_YAML_MAP                      ? item->key
                           : name != NULL && name->kind == BRN_YAML_SCALAR ? name->text
                                                                           : NULL;
        if (word != NULL) {
            brn_text_add(out, "%s%s", shown > 0 ? ", " : "", word);
            ++shown;
        }
    }
    brn_text_add(out, "%s", shown == SHOWN_MAX ? ", ..." : "");
}

/* The path cannot be followed below the last node that exists. */
static brn_status fail_path(brn_scene *scene, const char *path, const brn_scene_place *place)
{
    const brn_yaml *node = place->node;
    const int n = (int)place->done;
    const char *where = n > 0 ? path : "the scene";
    const int shown = n > 0 ? n : (int)strlen(where);
    char value[BRN_SHOWN_TEXT];
    if (node->kind == BRN_YAML_SCALAR) {
        return brn_fail(scene->ctx, BRN_ERR_SCENE,
                        "--set: %s: %.*s is the value %s, there is nothing below it", path, shown, where,
                        brn_scene_show(node, value));
    }
    brn_text have = {.ctx = scene->ctx};
    list_children(node, &have);
    const char *list = have.length > 0 ? have.data : "nothing";
    brn_status status = BRN_ERR_SCENE;
    if (node->kind == BRN_YAML_MAP) {
        status = brn_fail(scene->ctx, status, "--set: %s: %.*s is a block, not a list; it has %s", path,
                          shown, where, list);
    } else if (have.length > 0) {
        status =
            brn_fail(scene->ctx, status, "--set: %s: %.*s has no entry '%s'; it has [0] to [%d], named %s",
                     path, shown, where, place->rest, node->count - 1, list);
    } else if (node->count > 0) {
        status = brn_fail(scene->ctx, status, "--set: %s: %.*s has no entry '%s'; it has [0] to [%d]", path,
                          shown, where, place->rest, node->count - 1);
    } else {
        status =
            brn_fail(scene->ctx, status, "--set: %s: %.*s is an empty list; entries are written in the file",
                     path, shown, where);
    }
    brn_text_clear(&have);
    return status;
}

/* The next key of "a.b.c": its length, 0 if there is none where one must be. */
static size_t key_length(const char *rest)
{
    return strcspn(rest, ".[]");
}

/* A bare word may stand for a variant of that type (`method: ipc`), so keys can be added below it. */
static bool is_type_word(const brn_yaml *node)
{
    const char first = node->kind == BRN_YAML_SCALAR && !node->quoted ? node->text[0] : '\0';
    return ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')) &&
           strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0 && !brn_yaml_is_null(node);
}

/* Counts the keys to create, or fails if they are not valid keys. */
static brn_status count_keys(brn_scene *scene, const char *path, const brn_scene_place *place, int *count)
{
    const char *at = place->rest + (place->done > 0 && *place->rest == '.');
    const brn_yaml *node = place->node;
    const bool open = node->kind == BRN_YAML_MAP || brn_yaml_is_null(node) || is_type_word(node);
    if (!open || *at == '[') {
        return fail_path(scene, path, place);
    }
    for (*count = 1;; ++*count) {
        const size_t n = key_length(at);
        if (n == 0 || n > BRN_YAML_KEY_MAX || at[n] == '[' || at[n] == ']') {
            return brn_fail(
                scene->ctx, BRN_ERR_SCENE,
                "--set: %s: cannot make '%s': write keys of at most %d letters with dots between them; "
                "entries of lists are written in the file",
                path, at, (int)BRN_YAML_KEY_MAX);
        }
        if (place->depth + *count >= BRN_SCENE_DEPTH_MAX) {
            return brn_fail(scene->ctx, BRN_ERR_SCENE, "--set: deeper than %d levels, the limit of a scene",
                            (int)BRN_SCENE_DEPTH_MAX);
        }
        if (at[n] == '\0') {
            return BRN_OK;
        }
        at += n + 1;
    }
}

static brn_status parse_value(brn_scene *scene, const char *path, const char *text, int level, brn_yaml **out)
{
    value_problem problem = {.text = {.ctx = scene->ctx}};
    const brn_yaml_options options = {
        .depth_max = BRN_SCENE_DEPTH_MAX - level,
        .nodes_max = BRN_SCENE_NODES_MAX - scene->nodes - level - 1,
        .line_fixed = -1,
        .problem = keep_first,
        .user = &problem,
    };
    const size_t length = strlen(text);
    if (length > BRN_SCENE_BYTES_MAX) {
        return brn_fail(scene->ctx, BRN_ERR_LIMIT, "--set: %s: the value is longer than %d bytes", path,
                        (int)BRN_SCENE_BYTES_MAX);
    }
    brn_status status = brn_yaml_parse(&scene->tree_memory, text, length, &options, out);
    if (status == BRN_OK && (problem.text.length > 0 || problem.text.failed)) {
        status = BRN_ERR_SCENE;
    }
    if (status == BRN_ERR_SCENE) {
        const char *what = problem.text.data != NULL ? problem.text.data : "cannot be read";
        status = brn_fail(scene->ctx, status, "--set: %s = %.60s: %s", path, text, what);
    }
    brn_text_clear(&problem.text);
    return status;
}

/* Wraps the value into the maps that lead to it: "a.b" makes {a: {b: value}} and hands back the entry a. */
static brn_status wrap(brn_scene *scene, const char *rest, brn_yaml *value, brn_yaml **out)
{
    brn_bump *memory = &scene->tree_memory;
    brn_yaml *first = NULL;
    brn_yaml *above = NULL;
    for (const char *at = rest;;) {
        const size_t n = key_length(at);
        const bool last = at[n] == '\0';
        brn_yaml *node = value;
        if (!last) {
            BRN_BUMP(memory, node, 1);
            BRN_BUMP(memory, node->items, 1);
            *node =
                (brn_yaml){.kind = BRN_YAML_MAP, .line = -1, .weight = 1, .count = 1, .items = node->items};
        }
        node->key = brn_bump_text(memory, at, n);
        if (node->key == NULL) {
            return BRN_ERR_MEMORY;
        }
        if (above != NULL) {
            above->items[0] = node;
        }
        first = first == NULL ? node : first;
        if (last) {
            *out = first;
            return BRN_OK;
        }
        above = node;
        at += n + 1;
    }
}

/* Adds an entry to a map; an empty scalar becomes a map, a bare word the map {type: word}. Nothing changes on failure. */
static brn_status add_entry(brn_scene *scene, brn_yaml *map, brn_yaml *child)
{
    brn_bump *memory = &scene->tree_memory;
    int count = map->kind == BRN_YAML_MAP ? map->count : 0;
    brn_yaml **items = NULL;
    BRN_BUMP(memory, items, count + 2);
    if (count > 0) {
        memcpy(items, map->items, (size_t)count * sizeof *items);
    }
    if (is_type_word(map) && strcmp(child->key, "type") != 0) {
        BRN_BUMP(memory, items[0], 1);
        *items[0] = *map;
        items[0]->key = "type";
        count = 1;
    }
    items[count] = child;
    map->kind = BRN_YAML_MAP;
    map->items = items;
    map->count = count + 1;
    return BRN_OK;
}

static brn_status assign(brn_scene *scene, const char *path, const char *text)
{
    const brn_scene_place place = brn_scene_find(scene, path);
    int made = 0;
    if (!place.found) {
        BRN_TRY(count_keys(scene, path, &place, &made));
    }
    brn_yaml *value = NULL;
    BRN_TRY(parse_value(scene, path, text, place.depth + made, &value));
    if (place.found) {
        value->key = place.node->key;
        place.parent->items[place.index] = value;
    } else {
        brn_yaml *entry = NULL;
        BRN_TRY(wrap(scene, place.rest + (place.done > 0 && *place.rest == '.'), value, &entry));
        BRN_TRY(add_entry(scene, place.node, entry));
    }
    scene->nodes += value->weight + made + 1; /* and possibly a `type` */
    return BRN_OK;
}

brn_status brn_scene_set(brn_scene *scene, const char *assignment)
{
    BRN_GIVEN(NULL, scene);
    BRN_GIVEN(scene->ctx, assignment);
    brn_ctx *ctx = scene->ctx;
    const char *equals = strchr(assignment, '=');
    if (scene->root == NULL) {
        return brn_fail(ctx, BRN_ERR_SCENE, "--set %s: %s could not be read", assignment, scene->file);
    }
    /* Blanks around the path do not count. */
    const char *start = assignment + strspn(assignment, " ");
    size_t n = equals != NULL && equals > start ? (size_t)(equals - start) : 0;
    while (n > 0 && start[n - 1] == ' ') {
        --n;
    }
    if (n == 0) {
        return brn_fail(ctx, BRN_ERR_SCENE, "--set %s: write path=value, like time.step=0.02", assignment);
    }
    brn_text path = {.ctx = ctx};
    brn_text_append(&path, start, n);
    const brn_status status = path.failed ? BRN_ERR_MEMORY : assign(scene, path.data, equals + 1);
    brn_text_clear(&path);
    BRN_TRY(status);
    /* What was resolved from the old tree no longer holds. */
    scene->def = NULL;
    brn_bump_clear(&scene->def_memory);
    brn_scene_forget_problems(scene);
    return BRN_OK;
}
