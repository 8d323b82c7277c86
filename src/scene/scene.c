#include "scene/scene_inner.h"

#include "base/os.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)BRN_SCENE_DEPTH_MAX <= (int)BRN_YAML_DEPTH_MAX,
               "the reader's stack holds a scene's depth");

/* ---- problems -------------------------------------------------------------------------------------------------- */

char *brn_scene_show(const brn_yaml *scalar, char buffer[BRN_SHOWN_TEXT])
{
    enum { SHOWN = BRN_SHOWN_TEXT - 8 };
    size_t used = 0;
    size_t n = 0;
    if (scalar->quoted) {
        buffer[used++] = '"';
    }
    for (; scalar->text[n] != '\0' && n < SHOWN; ++n) {
        const unsigned char c = (unsigned char)scalar->text[n];
        buffer[used++] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    if (scalar->text[n] != '\0') {
        /* Not in the middle of a UTF-8 character. */
        while (used > 1 && ((unsigned char)scalar->text[n] & 0xc0) == 0x80) {
            --used;
            --n;
        }
        memcpy(buffer + used, "...", 3);
        used += 3;
    }
    if (scalar->quoted) {
        buffer[used++] = '"';
    }
    buffer[used] = '\0';
    return buffer;
}

static void count_more(brn_scene *scene, int more)
{
    scene->more = more;
    (void)snprintf(scene->more_text, sizeof scene->more_text, "... and %d more", more);
}

/* Whoever uses a thing may find the same fault in it again, such as the second body of a bad material. */
static bool is_known(const brn_scene *scene, const char *text)
{
    for (int i = 0; i < scene->nproblem && text != NULL; ++i) {
        if (scene->problems[i] != NULL && strcmp(scene->problems[i], text) == 0) {
            return true;
        }
    }
    return false;
}

/* Takes over the text; counts only when the list is full. */
static void keep_problem(brn_scene *scene, char *text)
{
    ++scene->found;
    if (is_known(scene, text)) {
        brn_free(scene->ctx, text);
        return;
    }
    if (scene->nproblem < BRN_SCENE_PROBLEMS_MAX) {
        scene->problems[scene->nproblem++] = text;
        return;
    }
    brn_free(scene->ctx, text);
    count_more(scene, scene->more + 1);
}

static void tell_list(brn_scene *scene, int line, const brn_yaml *node, const char *path, const char *format,
                      va_list args)
{
    if (scene->nproblem == BRN_SCENE_PROBLEMS_MAX) {
        keep_problem(scene, NULL);
        return;
    }
    char what[4000]; /* a message lists a few dozen names at most */
    char shown[BRN_SHOWN_TEXT];
    (void)vsnprintf(what, sizeof what, format, args);
    brn_text text = {.ctx = scene->ctx};
    if (line < 0) {
        brn_text_add(&text, "--set: ");
    } else {
        brn_text_add(&text, "%s:%d: ", scene->file, line);
    }
    const bool scalar = node != NULL && node->kind == BRN_YAML_SCALAR && !brn_yaml_is_null(node);
    if (path[0] != '\0') {
        brn_text_add(&text, "%s%s%s: ", path, scalar ? " = " : "", scalar ? brn_scene_show(node, shown) : "");
    }
    brn_text_add(&text, "%s", what);
    char *taken = NULL;
    if (brn_text_take(&text, &taken) == BRN_OK) { /* else there was no memory for the text of this problem */
        brn_text_make_plain(taken);
    }
    keep_problem(scene, taken);
}

void brn_scene_tell(brn_scene *scene, int line, const brn_yaml *node, const char *path, const char *format,
                    ...)
{
    va_list args;
    va_start(args, format);
    tell_list(scene, line, node, path, format, args);
    va_end(args);
}

void brn_scene_add_problem(brn_scene *scene, const char *path, const char *format, ...)
{
    if (scene->nproblem == BRN_SCENE_PROBLEMS_MAX) {
        keep_problem(scene, NULL); /* without a search for its place */
        return;
    }
    const brn_scene_place place = brn_scene_find(scene, path);
    const int line = place.node != NULL ? place.node->line : 1;
    va_list args;
    va_start(args, format);
    tell_list(scene, line, place.found ? place.node : NULL, path, format, args);
    va_end(args);
}

void brn_scene_forget_problems(brn_scene *scene)
{
    while (scene->nproblem > scene->nproblem_load) {
        brn_free(scene->ctx, scene->problems[--scene->nproblem]);
    }
    count_more(scene, scene->more_load);
}

brn_status brn_scene_fail(brn_scene *scene)
{
    const int others = scene->nproblem + scene->more - 1;
    if (others > 0) {
        return brn_fail(scene->ctx, BRN_ERR_SCENE, "%s (and %d more)", brn_scene_problem(scene, 0), others);
    }
    return brn_fail(scene->ctx, BRN_ERR_SCENE, "%s", brn_scene_problem(scene, 0));
}

int brn_scene_found(const brn_scene *scene)
{
    return scene->found;
}

int brn_scene_problem_count(const brn_scene *scene)
{
    if (scene == NULL) {
        return 0;
    }
    return scene->nproblem + (scene->more > 0);
}

const char *brn_scene_problem(const brn_scene *scene, int index)
{
    if (scene == NULL) {
        return "";
    }
    if (index < 0 || index >= brn_scene_problem_count(scene)) {
        return "";
    }
    if (index == scene->nproblem) {
        return scene->more_text;
    }
    return scene->problems[index] != NULL ? scene->problems[index]
                                          : "out of memory while describing a problem";
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static void syntax_problem(void *user, int line, const char *path, const char *text)
{
    brn_scene_tell(user, line, NULL, path, "%s", text);
}

static brn_status build(brn_scene *scene, const char *text, size_t length, const char *name)
{
    scene->file = brn_strdup(scene->ctx, name);
    if (scene->file == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_yaml_options options = {
        .depth_max = BRN_SCENE_DEPTH_MAX,
        .nodes_max = BRN_SCENE_NODES_MAX,
        .problem = syntax_problem,
        .user = scene,
    };
    const brn_status status = brn_yaml_parse(&scene->tree_memory, text, length, &options, &scene->root);
    scene->nodes = scene->root != NULL ? scene->root->weight : 0;
    scene->nproblem_load = scene->nproblem;
    scene->more_load = scene->more;
    if (status == BRN_OK && scene->nproblem > 0) {
        return BRN_ERR_SCENE;
    }
    return status;
}

brn_status brn_scene_parse(brn_ctx *ctx, const char *text, size_t length, const char *name, brn_scene **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, text);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    name = name != NULL ? name : "scene";
    if (length > BRN_SCENE_BYTES_MAX) {
        return brn_fail(ctx, BRN_ERR_LIMIT, "%s: %zu bytes, more than the limit of %d", name, length,
                        (int)BRN_SCENE_BYTES_MAX);
    }
    brn_scene *scene = NULL;
    BRN_ALLOC(ctx, scene, 1);
    scene->ctx = ctx;
    scene->tree_memory.ctx = ctx;
    scene->def_memory.ctx = ctx;
    scene->dimension = 3;
    const brn_status status = build(scene, text, length, name);
    if (status < 0 && status != BRN_ERR_SCENE) {
        brn_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return status == BRN_ERR_SCENE ? brn_scene_fail(scene) : BRN_OK;
}

brn_status brn_scene_load(brn_ctx *ctx, const char *path, brn_scene **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, path);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    char *text = NULL;
    size_t length = 0;
    BRN_TRY(brn_file_read(ctx, path, BRN_SCENE_BYTES_MAX, &text, &length));
    const brn_status status = brn_scene_parse(ctx, text, length, path, out);
    brn_free(ctx, text);
    return status;
}

void brn_scene_destroy(brn_scene *scene)
{
    if (scene == NULL) {
        return;
    }
    for (int i = 0; i < scene->nproblem; ++i) {
        brn_free(scene->ctx, scene->problems[i]);
    }
    brn_bump_clear(&scene->tree_memory);
    brn_bump_clear(&scene->def_memory);
    brn_free(scene->ctx, scene->file);
    brn_free(scene->ctx, scene);
}

const brn_scene_def *brn_scene_get_def(const brn_scene *scene)
{
    return scene->def;
}

const char *brn_scene_method_why(const brn_scene *scene)
{
    return scene->method_why;
}

brn_ctx *brn_scene_ctx(const brn_scene *scene)
{
    return scene->ctx;
}

const char *brn_scene_file(const brn_scene *scene)
{
    return scene->file;
}
