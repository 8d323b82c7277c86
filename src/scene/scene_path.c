/* Paths through the tree. Keys are separated by dots, [i] is an entry of a list, and an entry that has a `name` may be
   addressed by it. A key may itself contain a dot: the longest key that fits is taken. */
#include "scene/scene_inner.h"

#include "base/os.h"

#include <stdlib.h>
#include <string.h>

/* True if the path continues with the whole word. */
static bool starts_with(const char *path, const char *word, size_t *n)
{
    *n = strlen(word);
    return *n > 0 && strncmp(path, word, *n) == 0 && (path[*n] == '\0' || path[*n] == '.' || path[*n] == '[');
}

static const char *entry_name(const brn_yaml *entry)
{
    const brn_yaml *name = brn_yaml_child(entry, "name", 4);
    return name != NULL && name->kind == BRN_YAML_SCALAR ? name->text : NULL;
}

/* The child whose key (or name) is the longest that the path starts with; -1 if none. */
static int match_word(const brn_yaml *node, const char *path, size_t *length)
{
    int best = -1;
    *length = 0;
    for (int i = 0; i < node->count; ++i) {
        const char *word = node->kind == BRN_YAML_MAP ? node->items[i]->key : entry_name(node->items[i]);
        size_t n = 0;
        if (word != NULL && starts_with(path, word, &n) && n > *length) {
            best = i;
            *length = n;
        }
    }
    return best;
}

/* "[12]": its number and length; false if it is not that. */
static bool read_index(const char *path, int *index, size_t *length)
{
    if (path[0] != '[' || path[1] < '0' || path[1] > '9') {
        return false;
    }
    char *end = NULL;
    const long value = strtol(path + 1, &end, 10);
    *index = value < 0 || value > BRN_SCENE_NODES_MAX ? BRN_SCENE_NODES_MAX : (int)value;
    *length = (size_t)(end - path) + 1;
    return *end == ']';
}

brn_scene_place brn_scene_find(const brn_scene *scene, const char *path)
{
    brn_scene_place place = {.node = scene->root, .rest = path};
    while (*place.rest != '\0' && place.node != NULL && place.node->kind != BRN_YAML_SCALAR) {
        const char *at = place.rest + (place.done > 0 && *place.rest == '.');
        size_t n = 0;
        int child = -1;
        if (*at == '[' && place.node->kind == BRN_YAML_LIST) {
            child = read_index(at, &child, &n) && child < place.node->count ? child : -1;
        } else if (*at != '[' || place.node->kind == BRN_YAML_MAP) {
            child = match_word(place.node, at, &n);
        }
        if (child < 0) {
            break;
        }
        place.parent = place.node;
        place.index = child;
        place.node = place.node->items[child];
        place.rest = at + n;
        place.done = (size_t)(place.rest - path);
        ++place.depth;
    }
    place.found = place.node != NULL && *place.rest == '\0';
    return place;
}

/* ---- files ---------------------------------------------------------------------------------------------------------------- */

typedef struct files {
    const brn_scene *scene;
    brn_text path; /* of the node at hand */
    brn_status (*add)(void *user, const char *assignment);
    void *user;
} files;

static brn_status add_file(files *f, const brn_yaml *node)
{
    brn_ctx *ctx = f->scene->ctx;
    char *path = brn_path_beside(ctx, f->scene->file, node->text);
    char *full = path != NULL ? brn_path_full(ctx, path) : NULL;
    brn_text text = {.ctx = ctx};
    brn_text_add(&text, "%s=\"%s\"", brn_text_shown(&f->path), full != NULL ? full : "");
    brn_status status = path == NULL || text.failed ? BRN_ERR_MEMORY : BRN_OK;
    if (status >= 0 && full != NULL && strpbrk(full, "\"\\") == NULL) {
        status = f->add(f->user, text.data);
    }
    brn_text_clear(&text);
    brn_free(ctx, full);
    brn_free(ctx, path);
    return status;
}

/* Keys that name a file: those of meshes, surfaces and robots. */
static bool names_file(const brn_yaml *node)
{
    return node->kind == BRN_YAML_SCALAR && node->key != NULL && node->text[0] != '/' &&
           (strcmp(node->key, "file") == 0 || strcmp(node->key, "surface") == 0);
}

/* As deep as the reader allows. */
static brn_status find_files(files *f, const brn_yaml *node)
{
    if (names_file(node)) {
        return add_file(f, node);
    }
    for (int i = 0; i < node->count; ++i) {
        const size_t length = f->path.length;
        if (node->kind == BRN_YAML_MAP) {
            brn_text_add(&f->path, "%s%s", length > 0 ? "." : "", node->items[i]->key);
        } else {
            brn_text_add(&f->path, "[%d]", i);
        }
        BRN_TRY(find_files(f, node->items[i]));
        if (f->path.failed) {
            return BRN_ERR_MEMORY;
        }
        f->path.length = length;
        f->path.data[length] = '\0';
    }
    return BRN_OK;
}

brn_status brn_scene_list_files(const brn_scene *scene, brn_status (*add)(void *user, const char *assignment),
                                void *user)
{
    files f = {.scene = scene, .path = {.ctx = scene->ctx}, .add = add, .user = user};
    const brn_status status = scene->root != NULL ? find_files(&f, scene->root) : BRN_OK;
    brn_text_clear(&f.path);
    return status;
}
