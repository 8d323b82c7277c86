/* One value of a scene's text changed in place. The parser knows where each value stands; the new one is put there, or its key is put
   first into the map that lacks it. What comes out is read again: it must mean what brn_scene_set makes of the old one. */
#include "scene/scene_inner.h"

#include <string.h>

/* The byte of a character; libyaml counts characters, after a byte order mark. */
static size_t byte_of(const char *text, unsigned character)
{
    size_t at = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (unsigned i = 0; i < character && text[at] != '\0'; ++i) {
        ++at;
        while (((unsigned char)text[at] & 0xc0) == 0x80) {
            ++at;
        }
    }
    return at;
}

/* Keys are ordered as they like. */
static bool same_tree(const brn_yaml *a, const brn_yaml *b)
{
    if (a->kind != b->kind || a->count != b->count) {
        return false;
    }
    if (a->kind == BRN_YAML_SCALAR) {
        return strcmp(a->text, b->text) == 0 && a->quoted == b->quoted;
    }
    bool same = true;
    for (int i = 0; i < a->count && same; ++i) {
        const char *key = a->items[i]->key;
        const brn_yaml *other = a->kind == BRN_YAML_LIST ? b->items[i] : brn_yaml_child(b, key, strlen(key));
        same = other != NULL && same_tree(a->items[i], other);
    }
    return same;
}

/* "a.b" and the value as "a: {b: value}". */
static void write_entry(brn_text *out, const char *rest, const char *value)
{
    int open = 0;
    for (const char *dot = strchr(rest, '.'); dot != NULL; dot = strchr(rest, '.')) {
        brn_text_add(out, "%.*s: {", (int)(dot - rest), rest);
        rest = dot + 1;
        ++open;
    }
    brn_text_add(out, "%s: %s", rest, value);
    for (; open > 0; --open) {
        brn_text_add(out, "}");
    }
}

/* Puts the entry in front of what a map without brackets has, at its column. */
static void write_first_line(brn_text *out, const char *text, size_t begin, const char *rest,
                             const char *value)
{
    size_t line = begin;
    while (line > 0 && text[line - 1] != '\n') {
        --line;
    }
    brn_text_append(out, text, begin);
    write_entry(out, rest, value);
    brn_text_add(out, "\n%*s", (int)(begin - line), "");
    brn_text_add(out, "%s", &text[begin]);
}

/* The text with the value at the place. */
static void splice(const char *text, const brn_scene_place *place, const char *value, brn_text *out)
{
    const brn_yaml *node = place->node;
    const size_t begin = byte_of(text, node->begin);
    const size_t end = byte_of(text, node->end);
    const char *rest = place->rest + (*place->rest == '.');
    if (place->found) {
        /* An empty value stands right behind its colon. */
        brn_text_append(out, text, begin);
        brn_text_add(out, "%s%s%s", begin == end ? " " : "", value, &text[end]);
    } else if (node->kind == BRN_YAML_MAP && !node->flow) {
        write_first_line(out, text, begin, rest, value);
    } else if (node->kind == BRN_YAML_MAP) {
        brn_text_append(out, text, begin + 1);
        write_entry(out, rest, value);
        brn_text_add(out, "%s%s", node->count > 0 ? ", " : "", &text[begin + 1]);
    } else { /* nothing, or the bare name of a type */
        brn_text_append(out, text, begin);
        brn_text_add(out, "%s{", begin == end ? " " : "");
        if (begin != end && !brn_yaml_is_null(node)) {
            brn_text_add(out, "type: %s, ", node->text);
        }
        write_entry(out, rest, value);
        brn_text_add(out, "}%s", &text[end]);
    }
}

/* Whether the tree of the new text is the one wanted. */
static brn_status check(brn_ctx *ctx, const brn_scene *wanted, const char *text, const char *assignment)
{
    brn_scene *got = NULL;
    const brn_status status = brn_scene_parse(ctx, text, strlen(text), "scene", &got);
    const bool same = status >= 0 && same_tree(wanted->root, got->root);
    brn_scene_destroy(got);
    if (status == BRN_ERR_SCENE || (status >= 0 && !same)) {
        return brn_fail(ctx, BRN_ERR_SCENE,
                        "%s: cannot be changed in place: it is more than one value on one line, or has an alias",
                        assignment);
    }
    return status;
}

brn_status brn_scene_edit(brn_ctx *ctx, const char *text, const char *assignment, char **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, text);
    BRN_GIVEN(ctx, assignment);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    brn_scene *old = NULL;
    brn_scene *wanted = NULL;
    brn_text path = {.ctx = ctx};
    brn_text edited = {.ctx = ctx};
    brn_status status = brn_scene_parse(ctx, text, strlen(text), "scene", &old);
    status = status >= 0 ? brn_scene_parse(ctx, text, strlen(text), "scene", &wanted) : status;
    status = status >= 0 ? brn_scene_set(wanted, assignment) : status;
    if (status >= 0) {
        /* brn_scene_set has seen that there is a path and a '='. */
        const char *equals = strchr(assignment, '=');
        const char *start = assignment + strspn(assignment, " ");
        size_t n = (size_t)(equals - start);
        while (n > 0 && start[n - 1] == ' ') {
            --n;
        }
        brn_text_append(&path, start, n);
        if (!path.failed) {
            const brn_scene_place place = brn_scene_find(old, path.data);
            splice(text, &place, equals + 1 + strspn(equals + 1, " "), &edited);
        }
        status = path.failed || edited.failed ? BRN_ERR_MEMORY : check(ctx, wanted, edited.data, assignment);
    }
    brn_scene_destroy(old);
    brn_scene_destroy(wanted);
    brn_text_clear(&path);
    if (status < 0) {
        brn_text_clear(&edited);
        return status;
    }
    return brn_text_take(&edited, out);
}
