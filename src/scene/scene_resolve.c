/* From the tree to the structs, guided by the tables: blocks, lists of blocks, variants. */
#include "scene/scene_inner.h"

#include "base/hash.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static brn_status fill_param(brn_resolver *r, const brn_param *param, const brn_yaml *node, void *field);

/* ---- the path of the node at hand ------------------------------------------------------------------------------- */

void brn_resolve_push_key(brn_resolver *r, const char *key)
{
    if (r->path.length > 0) {
        brn_text_append(&r->path, ".", 1);
    }
    brn_text_append(&r->path, key, strlen(key));
}

void brn_resolve_push_index(brn_resolver *r, int index)
{
    char digits[16];
    const int n = snprintf(digits, sizeof digits, "[%d]", index);
    brn_text_append(&r->path, digits, (size_t)n);
}

void brn_resolve_pop(brn_resolver *r, size_t length)
{
    if (r->path.length > length) {
        r->path.length = length;
        r->path.data[length] = '\0';
    }
}

static int problems(const brn_resolver *r)
{
    return brn_scene_found(r->scene);
}

static const brn_table *find_table(const brn_table_set *set, const char *name)
{
    for (int i = 0; i < set->count; ++i) {
        if (strcmp(set->tables[i]->name, name) == 0) {
            return set->tables[i];
        }
    }
    return NULL;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

static brn_status reserve_blocks(brn_resolver *r, const brn_yaml *node, int count)
{
    if (count > BRN_SCENE_BLOCKS_MAX - r->blocks) {
        BRN_RESOLVE_TELL(r, node, "more than %d blocks in all, the limit of a scene",
                         (int)BRN_SCENE_BLOCKS_MAX);
        return BRN_ERR_SCENE;
    }
    return BRN_OK;
}

static brn_status fill_absent(brn_resolver *r, const brn_table *table, const brn_yaml *node, void *out);

/* A block that was not given: its defaults are set already, its lists and its path are not. */
static brn_status fill_absent_block(brn_resolver *r, const brn_table *table, void *out)
{
    brn_block *block = out;
    block->path = brn_bump_text(r->memory, brn_text_shown(&r->path), r->path.length);
    return block->path != NULL ? fill_absent(r, table, NULL, out) : BRN_ERR_MEMORY;
}

/* A variant that was not given, of the type that is its default. */
static brn_status fill_absent_tagged(brn_resolver *r, int set, const char *name, brn_variant *out)
{
    const brn_table *table = find_table(&r->schema->sets[set], name);
    if (table == NULL) {
        return BRN_OK;
    }
    void *value = brn_bump_take(r->memory, 1, table->size);
    if (value == NULL) {
        return BRN_ERR_MEMORY;
    }
    brn_table_defaults(table, value);
    *out = (brn_variant){table, value};
    return fill_absent_block(r, table, value);
}

/* Lists with a default inside a block that was not given, or of which only some keys were (node may be NULL). */
static brn_status fill_absent(brn_resolver *r, const brn_table *table, const brn_yaml *node, void *out)
{
    for (int i = 0; i < table->nparams; ++i) {
        const brn_param *param = &table->params[i];
        void *field = (char *)out + param->offset;
        if (node != NULL && brn_yaml_child(node, param->name, strlen(param->name)) != NULL) {
            continue;
        }
        const size_t length = r->path.length;
        brn_resolve_push_key(r, param->name);
        if (param->kind == BRN_BLOCK) {
            BRN_TRY(fill_absent_block(r, param->table, field));
        } else if (param->kind == BRN_TAGGED && param->text != NULL) {
            BRN_TRY(fill_absent_tagged(r, param->set, param->text, field));
        } else {
            BRN_TRY(brn_resolve_list_default(r, param, field));
        }
        brn_resolve_pop(r, length);
    }
    return BRN_OK;
}

/* {box: {...}}: the key names the table. */
static brn_status fill_keyed_entry(brn_resolver *r, const brn_table *table, const brn_yaml *child,
                                   brn_variant *out);

/* One key of a block. */
static brn_status fill_key(brn_resolver *r, const brn_table *table, const brn_yaml *child, bool tagged,
                           void *out)
{
    if (tagged && strcmp(child->key, "type") == 0) {
        return BRN_OK;
    }
    for (int i = 0; i < table->nparams; ++i) {
        const brn_param *param = &table->params[i];
        void *field = (char *)out + param->offset;
        if (param->kind != BRN_KEYED_HERE) {
            if (strcmp(param->name, child->key) == 0) {
                return fill_param(r, param, child, field);
            }
            continue;
        }
        const brn_table *keyed = find_table(&r->schema->sets[param->set], child->key);
        if (keyed != NULL) {
            const brn_variant *have = field;
            if (have->table != NULL) {
                brn_scene_tell(r->scene, child->line, NULL, brn_text_shown(&r->path),
                               "stands beside '%s'; keep one of the two", have->table->name);
                return BRN_OK;
            }
            return fill_keyed_entry(r, keyed, child, field);
        }
    }
    brn_resolve_tell_unknown_key(r, table, child, tagged);
    return BRN_OK;
}

static void check_required(brn_resolver *r, const brn_table *table, const brn_yaml *node, const void *out)
{
    for (int i = 0; i < table->nparams; ++i) {
        const brn_param *param = &table->params[i];
        const char *name = param->name;
        if (!param->required) {
            continue;
        }
        if (param->kind == BRN_KEYED_HERE) {
            const brn_variant *variant = (const void *)((const char *)out + param->offset);
            if (variant->table == NULL) {
                brn_resolve_tell_set(r, node, "missing key: one of ", &r->schema->sets[param->set]);
            }
            continue;
        }
        const bool bare = node->kind != BRN_YAML_MAP && table->shorthand != NULL && !brn_yaml_is_null(node);
        if (brn_yaml_child(node, name, strlen(name)) == NULL &&
            !(bare && strcmp(table->shorthand, name) == 0)) {
            brn_scene_tell(r->scene, node->line, NULL, brn_text_shown(&r->path), "missing key '%s' (%s)",
                           name, param->help);
        }
    }
}

/* A block that carries a `name` is known by it. */
static void take_name(const brn_table *table, void *out)
{
    const brn_param *param = brn_table_find(table, "name");
    brn_block *block = out;
    if (param != NULL && param->kind == BRN_TEXT && block->name == NULL) {
        block->name = *(const char *const *)((const char *)out + param->offset);
    }
}

static brn_status fill_content(brn_resolver *r, const brn_table *table, const brn_yaml *node, bool tagged,
                               void *out)
{
    if (node->kind == BRN_YAML_MAP) {
        const size_t length = r->path.length;
        for (int i = 0; i < node->count; ++i) {
            brn_resolve_push_key(r, node->items[i]->key);
            BRN_TRY(fill_key(r, table, node->items[i], tagged, out));
            brn_resolve_pop(r, length);
        }
        return BRN_OK;
    }
    if (brn_yaml_is_null(node) || (tagged && node->kind == BRN_YAML_SCALAR)) {
        return BRN_OK; /* all defaults */
    }
    if (table->shorthand != NULL) {
        const brn_param *param = brn_table_find(table, table->shorthand);
        return param != NULL ? fill_param(r, param, node, (char *)out + param->offset) : BRN_OK;
    }
    brn_resolve_tell_keys(r, node,
                          node->kind == BRN_YAML_LIST ? "must be a block, found a list; its keys: "
                                                      : "must be a block with the keys ",
                          table, tagged);
    return BRN_OK;
}

/* Fills a struct from a node. name: of a named block, else NULL. */
static brn_status fill_block(brn_resolver *r, const brn_table *table, const brn_yaml *node, const char *name,
                             bool tagged, void *out)
{
    const int before = problems(r);
    BRN_TRY(reserve_blocks(r, node, 1));
    ++r->blocks;
    brn_table_defaults(table, out);
    brn_block *block = out;
    block->line = node->line;
    block->name = name;
    block->path = brn_bump_text(r->memory, brn_text_shown(&r->path), r->path.length);
    if (block->path == NULL || r->path.failed) {
        return BRN_ERR_MEMORY;
    }
    BRN_TRY(fill_content(r, table, node, tagged, out));
    BRN_TRY(fill_absent(r, table, node, out));
    if (problems(r) == before || node->kind == BRN_YAML_MAP) {
        check_required(r, table, node, out);
    }
    take_name(table, out);
    if (table->check != NULL && problems(r) == before) {
        table->check(r->scene, r->dimension, out);
    }
    return BRN_OK;
}

/* ---- lists of blocks ----------------------------------------------------------------------------------------------- */

/* A list; or, without its brackets, its only entry; or nothing. */
static int entries(const brn_yaml *node)
{
    if (node->kind == BRN_YAML_LIST) {
        return node->count;
    }
    return brn_yaml_is_null(node) ? 0 : 1;
}

static const brn_yaml *push_entry(brn_resolver *r, const brn_yaml *node, int i)
{
    if (node->kind != BRN_YAML_LIST) {
        return node;
    }
    brn_resolve_push_index(r, i);
    return node->items[i];
}

/* Block i of a list of structs (items) or of variants. */
static const brn_block *block_at(const brn_blocks *blocks, const brn_variants *variants, size_t size, int i)
{
    if (variants != NULL) {
        return variants->items[i].value;
    }
    return (const void *)((const char *)blocks->items + (size_t)i * size);
}

/* Entries of a list are told apart by their names, so each must be unique. Either blocks or variants is NULL. */
static brn_status check_names(brn_resolver *r, const brn_blocks *blocks, const brn_variants *variants,
                              size_t size)
{
    const int count = variants != NULL ? variants->count : blocks->count;
    size_t slots = 16;
    while (slots < 2 * (size_t)count) {
        slots *= 2;
    }
    const brn_block **slot = NULL;
    BRN_ALLOC(r->ctx, slot, slots);
    for (int i = 0; i < count; ++i) {
        const brn_block *block = block_at(blocks, variants, size, i);
        if (block == NULL || block->name == NULL) {
            continue;
        }
        size_t at = brn_hash_text(BRN_HASH_START, block->name) & (slots - 1);
        while (slot[at] != NULL && strcmp(slot[at]->name, block->name) != 0) {
            at = (at + 1) & (slots - 1);
        }
        if (slot[at] == NULL) {
            slot[at] = block;
            continue;
        }
        char path[2000];
        (void)snprintf(path, sizeof path, "%s.name", block->path);
        brn_scene_add_problem(r->scene, path, "the name is taken by %s; choose another", slot[at]->path);
    }
    brn_free(r->ctx, (void *)slot);
    return BRN_OK;
}

static brn_status fill_blocks(brn_resolver *r, const brn_param *param, const brn_yaml *node, brn_blocks *out)
{
    const int count = entries(node);
    const size_t size = param->table->size;
    const size_t length = r->path.length;
    BRN_TRY(reserve_blocks(r, node, count));
    char *items = brn_bump_take(r->memory, (size_t)count, size);
    if (items == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        const brn_yaml *item = push_entry(r, node, i);
        BRN_TRY(fill_block(r, param->table, item, NULL, false, items + (size_t)i * size));
        brn_resolve_pop(r, length);
    }
    *out = (brn_blocks){count, items};
    return check_names(r, out, NULL, size);
}

/* Nothing, or a map from names; anything else is a problem. */
static bool is_named(brn_resolver *r, const brn_yaml *node, const char *noun)
{
    if (node->kind == BRN_YAML_MAP || brn_yaml_is_null(node)) {
        return true;
    }
    BRN_RESOLVE_TELL(r, node, "must be a block with a name for each %s, like {my_%s: {...}}%s", noun, noun,
                     node->kind == BRN_YAML_LIST ? ", found a list" : "");
    return false;
}

static brn_status fill_named(brn_resolver *r, const brn_param *param, const brn_yaml *node, brn_blocks *out)
{
    if (!is_named(r, node, param->table->name)) {
        return BRN_OK;
    }
    const size_t size = param->table->size;
    const size_t length = r->path.length;
    BRN_TRY(reserve_blocks(r, node, node->count));
    char *items = brn_bump_take(r->memory, (size_t)node->count, size);
    if (items == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (int i = 0; i < node->count; ++i) {
        const brn_yaml *item = node->items[i];
        brn_resolve_push_key(r, item->key);
        BRN_TRY(fill_block(r, param->table, item, item->key, false, items + (size_t)i * size));
        brn_resolve_pop(r, length);
    }
    *out = (brn_blocks){node->count, items};
    return BRN_OK;
}

/* ---- variants -------------------------------------------------------------------------------------------------------- */

static brn_status fill_variant(brn_resolver *r, const brn_table *table, const brn_yaml *node,
                               const char *name, bool tagged, brn_variant *out)
{
    BRN_TRY(reserve_blocks(r, node, 1));
    void *value = brn_bump_take(r->memory, 1, table->size);
    if (value == NULL) {
        return BRN_ERR_MEMORY;
    }
    BRN_TRY(fill_block(r, table, node, name, tagged, value));
    *out = (brn_variant){table, value};
    return BRN_OK;
}

static brn_status fill_keyed_entry(brn_resolver *r, const brn_table *table, const brn_yaml *child,
                                   brn_variant *out)
{
    return fill_variant(r, table, child, NULL, false, out);
}

/* {type: WORD, ...}, or the bare WORD with all defaults. */
static brn_status fill_tagged(brn_resolver *r, const brn_param *param, const brn_yaml *node, const char *name,
                              brn_variant *out)
{
    const brn_table_set *set = &r->schema->sets[param->set];
    const brn_yaml *type = node->kind == BRN_YAML_MAP ? brn_yaml_child(node, "type", 4) : node;
    if (type == NULL || brn_yaml_is_null(type)) {
        brn_resolve_tell_set(r, node, "missing key 'type': one of ", set);
        return BRN_OK;
    }
    const size_t length = r->path.length;
    if (type != node) {
        brn_resolve_push_key(r, "type");
    }
    const brn_table *table = type->kind == BRN_YAML_SCALAR ? find_table(set, type->text) : NULL;
    if (type->kind != BRN_YAML_SCALAR) {
        brn_resolve_tell_set(r, type,
                             type == node
                                 ? "must be a block with the key 'type', found a list; type is one of "
                                 : "must be one of ",
                             set);
    } else if (table == NULL) {
        brn_resolve_tell_unknown_type(r, set, type, type->text);
    }
    brn_resolve_pop(r, length);
    return table != NULL ? fill_variant(r, table, node, name, true, out) : BRN_OK;
}

/* Variants that could not be read are left out, so that none has a NULL table. */
static brn_status fill_taggeds(brn_resolver *r, const brn_param *param, const brn_yaml *node,
                               brn_variants *out)
{
    const bool named = param->kind == BRN_NAMED_TAGGED;
    if (named && !is_named(r, node, r->schema->sets[param->set].noun)) {
        return BRN_OK;
    }
    const int count = named ? node->count : entries(node);
    const size_t length = r->path.length;
    brn_variants list = {0};
    BRN_TRY(reserve_blocks(r, node, count));
    BRN_BUMP(r->memory, list.items, count);
    for (int i = 0; i < count; ++i) {
        const brn_yaml *item = named ? node->items[i] : push_entry(r, node, i);
        if (named) {
            brn_resolve_push_key(r, item->key);
        }
        brn_variant *slot = &list.items[list.count];
        BRN_TRY(fill_tagged(r, param, item, named ? item->key : NULL, slot));
        list.count += slot->table != NULL;
        brn_resolve_pop(r, length);
    }
    *out = list;
    return named ? BRN_OK : check_names(r, NULL, out, 0);
}

/* {box: {...}}, or the bare word with all defaults. */
static brn_status fill_keyed(brn_resolver *r, const brn_param *param, const brn_yaml *node, brn_variant *out)
{
    const brn_table_set *set = &r->schema->sets[param->set];
    const bool word = node->kind == BRN_YAML_SCALAR && !brn_yaml_is_null(node);
    if (!word && (node->kind != BRN_YAML_MAP || node->count != 1)) {
        brn_resolve_tell_set(r, node, "must be a block with exactly one key: one of ", set);
        return BRN_OK;
    }
    const char *name = word ? node->text : node->items[0]->key;
    const brn_table *table = find_table(set, name);
    const size_t length = r->path.length;
    if (!word) {
        brn_resolve_push_key(r, name);
    }
    brn_status status = BRN_OK;
    if (table == NULL) {
        brn_resolve_tell_unknown_type(
            r, set, word ? node : &(brn_yaml){.kind = BRN_YAML_MAP, .line = node->items[0]->line}, name);
    } else if (word) {
        const brn_yaml none = {.kind = BRN_YAML_MAP, .line = node->line};
        status = fill_keyed_entry(r, table, &none, out);
    } else {
        status = fill_keyed_entry(r, table, node->items[0], out);
    }
    brn_resolve_pop(r, length);
    return status;
}

static brn_status fill_param(brn_resolver *r, const brn_param *param, const brn_yaml *node, void *field)
{
    switch (param->kind) {
    case BRN_BLOCK:
        return fill_block(r, param->table, node, NULL, false, field);
    case BRN_BLOCKS:
        return fill_blocks(r, param, node, field);
    case BRN_NAMED:
        return fill_named(r, param, node, field);
    case BRN_TAGGED:
        return fill_tagged(r, param, node, NULL, field);
    case BRN_TAGGEDS:
    case BRN_NAMED_TAGGED:
        return fill_taggeds(r, param, node, field);
    case BRN_KEYED:
        return fill_keyed(r, param, node, field);
    default:
        return brn_resolve_value(r, param, node, field);
    }
}

/* ---- the scene --------------------------------------------------------------------------------------------------------- */

/* The number of a root key, or `standard` where it is absent or not a whole number (which is reported with its key). */
static int root_int(const brn_scene *scene, const char *key, int standard)
{
    const brn_yaml *node = brn_yaml_child(scene->root, key, strlen(key));
    long long value = standard;
    if (node != NULL && node->kind == BRN_YAML_SCALAR && !node->quoted && brn_parse_int(node->text, &value)) {
        return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
    }
    return standard;
}

/* What must hold before the rest can be read at all. */
static bool check_root(brn_scene *scene, const char *noun)
{
    const brn_yaml *root = scene->root;
    if (root->kind != BRN_YAML_MAP) {
        const bool empty = brn_yaml_is_null(root);
        brn_scene_tell(scene, root->line, NULL, "", "%s %s is %s%s; it begins with 'brunt: %d'",
                       empty ? "the" : "a", noun, empty ? "empty" : "a block of keys, found ",
                       empty                         ? ""
                       : root->kind == BRN_YAML_LIST ? "a list"
                                                     : "a text",
                       BRN_SCENE_VERSION);
        return false;
    }
    const int version = root_int(scene, "brunt", BRN_SCENE_VERSION);
    if (version != BRN_SCENE_VERSION) {
        brn_scene_add_problem(scene, "brunt", "this program reads version %d of the scene format",
                              BRN_SCENE_VERSION);
        return false;
    }
    return true;
}

/* What to record depends on the method: contacts where there may be some. */
static brn_status default_fields(brn_resolver *r, brn_scene_def *def)
{
    const bool touches = r->schema->touches != NULL && r->schema->touches(def->method.table);
    const brn_param fields = {.kind = BRN_TEXTS,
                              .choices = brn_field_words,
                              .text = touches ? "stress velocity contact" : "stress"};
    return def->output.fields.v == NULL ? brn_resolve_list_default(r, &fields, &def->output.fields) : BRN_OK;
}

static brn_status resolve_root(brn_scene *scene, const brn_schema *schema)
{
    brn_resolver r = {
        .ctx = scene->ctx,
        .scene = scene,
        .schema = schema,
        .memory = &scene->def_memory,
        .dimension = root_int(scene, "dimension", 3) == 2 ? 2 : 3,
        .path = {.ctx = scene->ctx},
    };
    scene->dimension = r.dimension;
    brn_scene_def *def = brn_bump_take(r.memory, 1, schema->root->size);
    if (def == NULL) {
        return BRN_ERR_MEMORY;
    }
    brn_status status = fill_block(&r, schema->root, scene->root, NULL, false, def);
    status = status >= 0 ? default_fields(&r, def) : status;
    const bool starved = r.path.failed;
    brn_text_clear(&r.path);
    BRN_TRY(status);
    if (starved) {
        return BRN_ERR_MEMORY;
    }
    brn_scene_def_standard(def, r.dimension);
    scene->def = def;
    return BRN_OK;
}

brn_status brn_scene_choose_method(brn_scene *scene, const brn_schema *schema, const char *name,
                                   const char *why)
{
    brn_resolver r = {
        .ctx = scene->ctx,
        .scene = scene,
        .schema = schema,
        .memory = &scene->def_memory,
        .dimension = scene->dimension,
        .path = {.ctx = scene->ctx},
    };
    brn_resolve_push_key(&r, "method");
    const brn_status status =
        r.path.failed ? BRN_ERR_MEMORY : fill_absent_tagged(&r, BRN_SET_METHOD, name, &scene->def->method);
    brn_text_clear(&r.path);
    scene->method_why = why;
    return status;
}

bool brn_scene_names(const brn_scene *scene, const char *path)
{
    return brn_scene_find(scene, path).found;
}

void brn_scene_choose_integrator(brn_scene *scene, int integrator)
{
    if (!brn_scene_names(scene, "integrator")) {
        scene->def->integrator = integrator;
    }
}

brn_status brn_scene_resolve(brn_scene *scene, const brn_schema *schema)
{
    scene->def = NULL;
    scene->method_why = NULL;
    brn_bump_clear(&scene->def_memory);
    brn_scene_forget_problems(scene);
    if (scene->root != NULL && check_root(scene, "scene")) {
        const brn_status status = resolve_root(scene, schema);
        if (status < 0 && status != BRN_ERR_SCENE) {
            return brn_fail(scene->ctx, status, "%s: out of memory while reading the scene", scene->file);
        }
    }
    return scene->nproblem > 0 ? brn_scene_fail(scene) : BRN_OK;
}

brn_status brn_scene_resolve_as(brn_scene *scene, const brn_table *root, const char *noun, const void **out)
{
    const brn_schema schema = {.root = root};
    *out = NULL;
    if (scene->root == NULL || !check_root(scene, noun)) {
        return brn_scene_fail(scene);
    }
    brn_resolver r = {
        .ctx = scene->ctx,
        .scene = scene,
        .schema = &schema,
        .memory = &scene->def_memory,
        .dimension = 3,
        .path = {.ctx = scene->ctx},
    };
    void *value = brn_bump_take(r.memory, 1, root->size);
    brn_status status = value != NULL ? fill_block(&r, root, scene->root, NULL, false, value) : BRN_ERR_MEMORY;
    status = r.path.failed ? BRN_ERR_MEMORY : status;
    brn_text_clear(&r.path);
    if (status < 0 && status != BRN_ERR_SCENE) {
        return brn_fail(scene->ctx, status, "%s: out of memory while reading it", scene->file);
    }
    *out = value;
    return scene->nproblem > 0 ? brn_scene_fail(scene) : BRN_OK;
}
