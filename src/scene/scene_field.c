/* Where a path leads in the structs of a resolved scene: what it is, with its unit, and what it is now. */
#include "scene/scene_inner.h"

#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const brn_scene *scene;
    const brn_schema *schema;
    const char *path, *rest;
    brn_scene_field *out;
} walk;

enum { WORDS_MAX = 256 };

static size_t key_length(const char *at)
{
    return strcspn(at, ".[");
}

/* The names among which the next part of the path is none. */
static brn_status fail_key(const walk *w, const char *const *words, int count)
{
    char key[80];
    const size_t n = key_length(w->rest);
    const size_t kept = n < sizeof key ? n : sizeof key - 1;
    memcpy(key, w->rest, kept);
    key[kept] = '\0';
    brn_text text = {.ctx = w->scene->ctx};
    const int near = brn_nearest_word(key, words, count);
    if (near >= 0) {
        brn_text_add(&text, "; did you mean '%.*s%s'?", (int)(w->rest - w->path), w->path, words[near]);
    }
    for (int i = 0; near < 0 && i < count && i < 20; ++i) {
        brn_text_add(&text, "%s%s", i > 0 ? ", " : "; there are ", words[i]);
    }
    const brn_status status = brn_fail(w->scene->ctx, BRN_ERR_RANGE, "the scene has no '%s' at '%s'%s", key,
                                       w->path, brn_text_shown(&text));
    brn_text_clear(&text);
    return status;
}

/* The rest of the path after a key of n bytes. */
static void advance(walk *w, size_t n)
{
    w->rest += n;
    w->rest += *w->rest == '.';
}

/* "[3]" or a name among `count` entries, -1: none. */
static int find_entry(const walk *w, const char *const *names, int count, size_t *length)
{
    if (*w->rest == '[') {
        char *end = NULL;
        const long index = strtol(w->rest + 1, &end, 10);
        *length = (size_t)(end - w->rest) + 1;
        return *end == ']' && end != w->rest + 1 && index >= 0 && index < count ? (int)index : -1;
    }
    int best = -1;
    *length = 0;
    for (int i = 0; i < count; ++i) { /* a name may have dots in it: the longest that fits */
        const size_t n = names[i] != NULL ? strlen(names[i]) : 0;
        if (n > *length && strncmp(w->rest, names[i], n) == 0 && strchr(".[", w->rest[n]) != NULL) {
            best = i;
            *length = n;
        }
    }
    return best;
}

static brn_status walk_table(walk *w, const brn_table *table, const void *value);

/* A list or map of structs or variants (either is NULL). */
static brn_status walk_entries(walk *w, const brn_param *param, const brn_blocks *blocks,
                               const brn_variants *variants)
{
    const int count = variants != NULL ? variants->count : blocks->count;
    const char **names = NULL;
    BRN_ALLOC(w->scene->ctx, names, count);
    int shown = 0;
    for (int i = 0; i < count; ++i) {
        const brn_block *block = variants != NULL
                                     ? variants->items[i].value
                                     : (const void *)((const char *)blocks->items +
                                                      (size_t)i * param->table->size);
        names[i] = block->name;
    }
    size_t length = 0;
    const int found = find_entry(w, names, count, &length);
    brn_status status = BRN_OK;
    if (found >= 0) {
        advance(w, length);
        status = variants != NULL
                     ? walk_table(w, variants->items[found].table, variants->items[found].value)
                     : walk_table(w, param->table,
                                  (const char *)blocks->items + (size_t)found * param->table->size);
    } else {
        for (int i = 0; i < count; ++i) {
            if (names[i] != NULL) {
                names[shown++] = names[i];
            }
        }
        status = fail_key(w, names, shown);
    }
    brn_free(w->scene->ctx, (void *)names);
    return status;
}

/* How many numbers a field has. */
static int entry_count(const brn_param *param, const void *field)
{
    switch (param->kind) {
    case BRN_VECTOR:
        return 3;
    case BRN_REALS:
        return ((const brn_reals *)field)->count;
    case BRN_INTS:
        return ((const brn_ints *)field)->count;
    case BRN_ROWS:
        return ((const brn_rows *)field)->rows;
    default:
        return 0;
    }
}

/* "[2]", of which count there are; -1: it is not that. */
static int take_index(walk *w, int count)
{
    char *end = NULL;
    const long index = *w->rest == '[' ? strtol(w->rest + 1, &end, 10) : -1;
    if (end == NULL || *end != ']' || end == w->rest + 1 || index < 0 || index >= count) {
        return -1;
    }
    w->rest = end + 1;
    return (int)index;
}

static brn_status walk_value(walk *w, const brn_param *param, const void *field)
{
    *w->out = (brn_scene_field){param, field, -1};
    if (*w->rest == '\0') {
        return BRN_OK;
    }
    const int count = entry_count(param, field);
    w->out->entry = take_index(w, count);
    if (param->kind == BRN_ROWS && w->out->entry >= 0) {
        const int columns = ((const brn_rows *)field)->columns;
        const int column = take_index(w, columns);
        w->out->entry = column >= 0 ? w->out->entry * columns + column : -1;
    }
    if (w->out->entry < 0 || *w->rest != '\0') {
        return brn_fail(w->scene->ctx, BRN_ERR_RANGE, "the scene has no '%s' at '%s': %.*s has %d entries",
                        w->rest, w->path, (int)(w->rest - w->path), w->path, count);
    }
    return BRN_OK;
}

static brn_status walk_param(walk *w, const brn_param *param, const void *field)
{
    switch (param->kind) {
    case BRN_BLOCK:
        return walk_table(w, param->table, field);
    case BRN_BLOCKS:
    case BRN_NAMED:
        return walk_entries(w, param, field, NULL);
    case BRN_TAGGEDS:
    case BRN_NAMED_TAGGED:
        return walk_entries(w, param, NULL, field);
    case BRN_TAGGED: {
        const brn_variant *variant = field;
        return variant->table != NULL ? walk_table(w, variant->table, variant->value) : fail_key(w, NULL, 0);
    }
    case BRN_KEYED: {
        const brn_variant *variant = field;
        const char *word = variant->table != NULL ? variant->table->name : "";
        const size_t n = key_length(w->rest);
        if (variant->table == NULL || strlen(word) != n || strncmp(word, w->rest, n) != 0) {
            return fail_key(w, &word, variant->table != NULL);
        }
        advance(w, n);
        return walk_table(w, variant->table, variant->value);
    }
    default:
        return walk_value(w, param, field);
    }
}

static brn_status walk_table(walk *w, const brn_table *table, const void *value)
{
    const size_t n = key_length(w->rest);
    const char *words[WORDS_MAX];
    int count = 0;
    if (*w->rest == '\0' && table->shorthand != NULL) { /* `rotation: 30` is its degrees */
        const brn_param *param = brn_table_find(table, table->shorthand);
        return walk_param(w, param, (const char *)value + param->offset);
    }
    for (int i = 0; i < table->nparams && count < WORDS_MAX; ++i) {
        const brn_param *param = &table->params[i];
        const void *field = (const char *)value + param->offset;
        const brn_variant *here = param->kind == BRN_KEYED_HERE ? field : NULL;
        if (here != NULL && here->table == NULL) {
            continue;
        }
        words[count] = here != NULL ? here->table->name : param->name;
        if (strlen(words[count]) == n && strncmp(words[count], w->rest, n) == 0) {
            advance(w, n);
            return here != NULL ? walk_table(w, here->table, here->value) : walk_param(w, param, field);
        }
        ++count;
    }
    return fail_key(w, words, count);
}

brn_status brn_scene_find_field(const brn_scene *scene, const brn_schema *schema, const char *path,
                                brn_scene_field *out)
{
    *out = (brn_scene_field){.entry = -1};
    walk w = {scene, schema, path, path, out};
    return walk_table(&w, schema->root, scene->def);
}

bool brn_scene_field_number(const brn_scene_field *field, double *out)
{
    const int i = field->entry;
    *out = NAN;
    switch (field->param->kind) {
    case BRN_REAL:
        *out = *(const double *)field->value;
        return true;
    case BRN_INT:
        *out = *(const int *)field->value;
        return true;
    case BRN_VECTOR:
        *out = i >= 0 ? ((const double *)field->value)[i] : NAN;
        return i >= 0;
    case BRN_REALS:
        *out = i >= 0 ? ((const brn_reals *)field->value)->v[i] : NAN;
        return i >= 0;
    case BRN_INTS:
        *out = i >= 0 ? ((const brn_ints *)field->value)->v[i] : NAN;
        return i >= 0;
    case BRN_ROWS:
        *out = i >= 0 ? ((const brn_rows *)field->value)->v[i] : NAN;
        return i >= 0;
    default:
        return false;
    }
}
