#include "scene/yaml_tree.h"

#include "base/hash.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* A map or list whose end has not been read yet. */
typedef struct frame {
    brn_yaml *node;
    const char *anchor;
    size_t first;    /* its children start here in builder.children */
    const char *key; /* map: the key just read, whose value comes next */
    int key_line;
    bool drop; /* the value of this key is not kept (its key was refused) */
} frame;

typedef struct anchor {
    const char *name;
    const brn_yaml *node;
} anchor;

typedef struct builder {
    brn_ctx *ctx;
    brn_bump *memory;
    const brn_yaml_options *options;
    const char *source;
    size_t length;
    yaml_parser_t parser;
    frame frames[BRN_YAML_DEPTH_MAX];
    int depth;
    brn_yaml **children; /* of all open frames, innermost last */
    size_t nchildren, children_capacity;
    anchor anchors[BRN_YAML_ANCHORS_MAX];
    int nanchors;
    int nodes;
    brn_yaml *root;
    bool documented; /* the one document has begun */
    bool finished;
} builder;

bool brn_yaml_is_null(const brn_yaml *node)
{
    return node->kind == BRN_YAML_SCALAR && !node->quoted &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

brn_yaml *brn_yaml_child(const brn_yaml *map, const char *key, size_t n)
{
    for (int i = 0; map->kind == BRN_YAML_MAP && i < map->count; ++i) {
        if (strncmp(map->items[i]->key, key, n) == 0 && map->items[i]->key[n] == '\0') {
            return map->items[i];
        }
    }
    return NULL;
}

/* ---- problems ---------------------------------------------------------------------------------------------- */

static int line_of(const builder *b, yaml_mark_t mark)
{
    return b->options->line_fixed != 0 ? b->options->line_fixed : (int)mark.line + 1;
}

/* Where the reader stands: "bodies[3].shape", with the key just read if with_key. */
static void path_now(const builder *b, bool with_key, brn_text *path)
{
    for (int i = 0; i < b->depth; ++i) {
        const frame *f = &b->frames[i];
        const bool last = i + 1 == b->depth;
        if (last && !with_key) {
            break;
        }
        if (f->node->kind == BRN_YAML_LIST) {
            const size_t end = last ? b->nchildren : b->frames[i + 1].first;
            brn_text_add(path, "[%zu]", end - f->first);
        } else if (f->key != NULL && f->key[0] != '\0') {
            brn_text_add(path, "%s%s", path->length > 0 ? "." : "", f->key);
        }
    }
}

static void tell(builder *b, int line, bool with_key, const char *format, ...) BRN_PRINTF(4, 5);

static void tell(builder *b, int line, bool with_key, const char *format, ...)
{
    char message[600];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    brn_text path = {.ctx = b->ctx};
    path_now(b, with_key, &path);
    b->options->problem(b->options->user, line, path.data != NULL ? path.data : "", message);
    brn_text_clear(&path);
}

static bool tab_indents(const builder *b, size_t line)
{
    const char *at = b->source;
    const char *end = b->source + b->length;
    for (size_t i = 0; i < line && at != NULL; ++i) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
    while (at != NULL && at < end && *at == ' ') {
        ++at;
    }
    return at != NULL && at < end && *at == '\t';
}

static brn_status syntax_problem(builder *b)
{
    const yaml_parser_t *p = &b->parser;
    const char *what = p->problem != NULL ? p->problem : "cannot be read";
    char message[600];
    yaml_mark_t mark = p->problem_mark;
    if (p->error == YAML_MEMORY_ERROR) {
        return brn_fail(b->ctx, BRN_ERR_MEMORY, "out of memory while reading YAML");
    }
    if (p->error == YAML_READER_ERROR) {
        /* The reader knows the byte, not the line. */
        mark.line = 0;
        for (size_t i = 0; i < p->problem_offset && i < b->length; ++i) {
            mark.line += b->source[i] == '\n';
        }
        const bool control = strstr(what, "control") != NULL;
        (void)snprintf(message, sizeof message, "not a text file in UTF-8: %s at byte %zu",
                       control ? "a control character" : "an invalid byte sequence", p->problem_offset);
    } else {
        const bool tab = tab_indents(b, mark.line);
        const bool began =
            p->context != NULL && p->context_mark.line != mark.line && b->options->line_fixed == 0;
        char context[200] = "";
        if (began) {
            (void)snprintf(context, sizeof context, ", %s that began on line %d", p->context,
                           (int)p->context_mark.line + 1);
        } else if (p->context != NULL) {
            (void)snprintf(context, sizeof context, ", %s", p->context);
        }
        (void)snprintf(message, sizeof message, "not valid YAML: %s%s%s", what, context,
                       tab ? "; indent with spaces, not with tabs" : "");
    }
    b->options->problem(b->options->user, line_of(b, mark), "", message);
    return BRN_ERR_SCENE;
}

/* ---- building ------------------------------------------------------------------------------------------------ */

static brn_status node_create(builder *b, brn_yaml_kind kind, const yaml_event_t *event, brn_yaml **out)
{
    const yaml_mark_t mark = event->start_mark;
    if (b->nodes >= b->options->nodes_max) {
        tell(b, line_of(b, mark), true, "more than %d entries in all, the limit of a scene",
             b->options->nodes_max);
        return BRN_ERR_SCENE;
    }
    ++b->nodes;
    brn_yaml *node = NULL;
    BRN_BUMP(b->memory, node, 1);
    node->kind = kind;
    node->line = line_of(b, mark);
    node->weight = 1;
    node->begin = (unsigned)mark.index;
    node->end = (unsigned)event->end_mark.index;
    *out = node;
    return BRN_OK;
}

/* Adds a finished node to the map or list around it. */
static brn_status attach(builder *b, brn_yaml *node)
{
    if (b->depth == 0) {
        b->root = node;
        return BRN_OK;
    }
    frame *f = &b->frames[b->depth - 1];
    if (f->node->kind == BRN_YAML_MAP) {
        if (f->drop) {
            f->key = NULL;
            f->drop = false;
            return BRN_OK;
        }
        node->key = f->key;
        node->line = f->key_line;
        f->key = NULL;
    }
    BRN_GROW(b->ctx, b->children, b->children_capacity, b->nchildren + 1);
    b->children[b->nchildren++] = node;
    return BRN_OK;
}

static brn_status remember(builder *b, const char *name, const brn_yaml *node)
{
    if (name == NULL) {
        return BRN_OK;
    }
    if (b->nanchors == BRN_YAML_ANCHORS_MAX) {
        tell(b, node->line, true, "more than %d anchors, the limit of a scene", BRN_YAML_ANCHORS_MAX);
        return BRN_ERR_SCENE;
    }
    b->anchors[b->nanchors++] = (anchor){name, node};
    return BRN_OK;
}

static brn_status anchor_name(builder *b, const yaml_char_t *name, const char **out)
{
    *out = NULL;
    if (name != NULL) {
        *out = brn_bump_text(b->memory, (const char *)name, strlen((const char *)name));
        return *out != NULL ? BRN_OK : BRN_ERR_MEMORY;
    }
    return BRN_OK;
}

/* A tag would say how to read a value, but that is for the scene's tables to say. */
static void refuse_tag(builder *b, const yaml_char_t *tag, yaml_mark_t mark)
{
    static const char standard[] = "tag:yaml.org,2002:";
    const size_t n = sizeof standard - 1;
    if (tag != NULL) {
        const char *name = (const char *)tag;
        const bool known = strncmp(name, standard, n) == 0; /* written as !!name */
        tell(b, line_of(b, mark), true, "the tag '%s%.60s' is not used in scenes; remove it",
             known ? "!!" : "", name + (known ? n : 0));
    }
}

static bool awaits_key(const builder *b)
{
    const frame *f = b->depth > 0 ? &b->frames[b->depth - 1] : NULL;
    return f != NULL && f->node->kind == BRN_YAML_MAP && f->key == NULL;
}

/* A refused key keeps its value out of the tree, so that one mistake gives one problem. */
static brn_status read_key(builder *b, const yaml_event_t *event)
{
    frame *f = &b->frames[b->depth - 1];
    const int line = line_of(b, event->start_mark);
    const char *text = (const char *)event->data.scalar.value;
    const size_t n = event->data.scalar.length;
    f->key_line = line;
    f->drop = true;
    f->key = brn_bump_text(b->memory, text, n);
    if (f->key == NULL) {
        return BRN_ERR_MEMORY;
    }
    const bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (n == 0) {
        tell(b, line, false, "an empty key; write a name before the ':'");
    } else if (strlen(text) != n) {
        tell(b, line, false, "a key with a zero byte");
    } else if (n > BRN_YAML_KEY_MAX) {
        f->key = "";
        tell(b, line, false, "the key '%.20s...' is longer than %d bytes", text, BRN_YAML_KEY_MAX);
    } else if (event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL) {
        tell(b, line, true, "an anchor or tag on a key is not used in scenes; remove it");
    } else if (plain && strcmp(text, "<<") == 0) {
        tell(b, line, true,
             "merge keys are not used in scenes; write the keys out, or use an alias for the whole block");
    } else {
        f->drop = false;
    }
    return BRN_OK;
}

static brn_status read_scalar(builder *b, const yaml_event_t *event)
{
    if (awaits_key(b)) {
        return read_key(b, event);
    }
    const char *name = NULL;
    brn_yaml *node = NULL;
    BRN_TRY(anchor_name(b, event->data.scalar.anchor, &name));
    BRN_TRY(node_create(b, BRN_YAML_SCALAR, event, &node));
    refuse_tag(b, event->data.scalar.tag, event->start_mark);
    const char *text = (const char *)event->data.scalar.value;
    size_t n = event->data.scalar.length;
    if (memchr(text, '\0', n) != NULL) {
        tell(b, node->line, true, "a text with a zero byte");
        n = strlen(text);
    }
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = brn_bump_text(b->memory, text, n);
    if (node->text == NULL) {
        return BRN_ERR_MEMORY;
    }
    BRN_TRY(attach(b, node));
    return remember(b, name, node);
}

static brn_status copy_node(builder *b, const brn_yaml *from, brn_yaml **out)
{
    brn_yaml *copy = NULL;
    BRN_BUMP(b->memory, copy, 1);
    *copy = *from;
    copy->aliased = true;
    if (from->count > 0) {
        BRN_BUMP(b->memory, copy->items, from->count);
    }
    for (int i = 0; i < from->count; ++i) {
        BRN_TRY(copy_node(b, from->items[i], &copy->items[i]));
    }
    *out = copy;
    return BRN_OK;
}

/* Levels of maps and lists in a subtree. */
static int height(const brn_yaml *node)
{
    int most = 0;
    for (int i = 0; i < node->count; ++i) {
        const int below = height(node->items[i]);
        most = below > most ? below : most;
    }
    return most + (node->kind != BRN_YAML_SCALAR);
}

/* Its path is left out: it would fill the screen. */
static brn_status depth_problem(builder *b, int line)
{
    char message[100];
    (void)snprintf(message, sizeof message, "nested deeper than %d levels, the limit of a scene",
                   BRN_YAML_DEPTH_MAX);
    b->options->problem(b->options->user, line, "", message);
    return BRN_ERR_SCENE;
}

static brn_status read_alias(builder *b, const yaml_event_t *event)
{
    const int line = line_of(b, event->start_mark);
    const char *name = (const char *)event->data.alias.anchor;
    if (awaits_key(b)) {
        frame *f = &b->frames[b->depth - 1];
        tell(b, line, false, "an alias cannot stand for a key; write the key out");
        f->key = "";
        f->drop = true;
        return BRN_OK;
    }
    /* The latest anchor of a name counts. */
    const brn_yaml *node = NULL;
    for (int i = b->nanchors - 1; i >= 0 && node == NULL; --i) {
        node = strcmp(b->anchors[i].name, name) == 0 ? b->anchors[i].node : NULL;
    }
    if (node == NULL) {
        tell(b, line, true, "the alias *%.60s stands for nothing: there is no finished &%.60s before it",
             name, name);
        if (b->depth > 0) {
            b->frames[b->depth - 1].key = NULL; /* its key stays out of the tree */
        }
        return BRN_OK;
    }
    if (node->weight > b->options->nodes_max - b->nodes) {
        tell(b, line, true, "more than %d entries in all after aliases are expanded, the limit of a scene",
             b->options->nodes_max);
        return BRN_ERR_SCENE;
    }
    if (height(node) + b->depth > b->options->depth_max) {
        return depth_problem(b, line);
    }
    b->nodes += node->weight;
    brn_yaml *copy = NULL;
    BRN_TRY(copy_node(b, node, &copy));
    copy->key = NULL;
    copy->line = line;
    return attach(b, copy);
}

static brn_status open_frame(builder *b, brn_yaml_kind kind, const yaml_event_t *event)
{
    const bool list = kind == BRN_YAML_LIST;
    const int line = line_of(b, event->start_mark);
    if (b->depth >= b->options->depth_max) {
        return depth_problem(b, line);
    }
    if (awaits_key(b)) {
        tell(b, line, false, "a key must be a word, not a %s", list ? "list" : "block");
        return BRN_ERR_SCENE;
    }
    frame f = {.first = b->nchildren};
    BRN_TRY(anchor_name(b, list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor,
                        &f.anchor));
    refuse_tag(b, list ? event->data.sequence_start.tag : event->data.mapping_start.tag, event->start_mark);
    BRN_TRY(node_create(b, kind, event, &f.node));
    f.node->flow = list ? event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
                        : event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    b->frames[b->depth++] = f;
    return BRN_OK;
}

static void tell_twice(builder *b, brn_yaml *const *item, size_t again, size_t before)
{
    frame *f = &b->frames[b->depth - 1];
    f->key = item[again]->key; /* for the path */
    if (b->options->line_fixed != 0) {
        tell(b, item[again]->line, true, "given twice; remove one");
    } else {
        tell(b, item[again]->line, true, "given twice, first on line %d; remove one", item[before]->line);
    }
    f->key = NULL;
}

/* Reports keys given twice and keeps the first of each; open addressing, at most half full. */
static brn_status drop_twins(builder *b, brn_yaml **item, size_t *count)
{
    size_t slots = 16;
    while (slots < 2 * *count) {
        slots *= 2;
    }
    int *slot = NULL; /* index of an item plus 1 */
    BRN_ALLOC(b->ctx, slot, slots);
    size_t kept = 0;
    for (size_t i = 0; i < *count; ++i) {
        size_t at = brn_hash_text(BRN_HASH_START, item[i]->key) & (slots - 1);
        while (slot[at] != 0 && strcmp(item[slot[at] - 1]->key, item[i]->key) != 0) {
            at = (at + 1) & (slots - 1);
        }
        if (slot[at] != 0) {
            tell_twice(b, item, i, (size_t)slot[at] - 1);
            continue;
        }
        item[kept] = item[i];
        slot[at] = (int)++kept;
    }
    *count = kept;
    brn_free(b->ctx, slot);
    return BRN_OK;
}

static brn_status close_frame(builder *b, const yaml_event_t *event)
{
    frame *f = &b->frames[b->depth - 1];
    brn_yaml *node = f->node;
    brn_yaml **item = b->children != NULL ? b->children + f->first : NULL;
    size_t count = b->nchildren - f->first;
    if (node->kind == BRN_YAML_MAP && count > 1) {
        BRN_TRY(drop_twins(b, item, &count));
    }
    if (count > 0) {
        BRN_BUMP(b->memory, node->items, count);
        memcpy(node->items, item, count * sizeof *item);
    }
    node->end = (unsigned)event->end_mark.index;
    node->count = (int)count; /* nodes_max is an int */
    for (size_t i = 0; i < count; ++i) {
        node->weight += item[i]->weight;
    }
    b->nchildren = f->first;
    const char *name = f->anchor;
    --b->depth;
    BRN_TRY(attach(b, node));
    return remember(b, name, node);
}

static brn_status handle(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->documented) {
            tell(b, line_of(b, event->start_mark), false,
                 "a second document begins ('---'); a scene is one document");
            return BRN_ERR_SCENE;
        }
        b->documented = true;
        return BRN_OK;
    case YAML_SCALAR_EVENT:
        return read_scalar(b, event);
    case YAML_ALIAS_EVENT:
        return read_alias(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_frame(b, BRN_YAML_LIST, event);
    case YAML_MAPPING_START_EVENT:
        return open_frame(b, BRN_YAML_MAP, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_frame(b, event);
    case YAML_STREAM_END_EVENT:
        b->finished = true;
        return BRN_OK;
    default:
        return BRN_OK;
    }
}

brn_status brn_yaml_parse(brn_bump *memory, const char *text, size_t length, const brn_yaml_options *options,
                          brn_yaml **out)
{
    brn_ctx *ctx = memory->ctx;
    *out = NULL;
    builder *b = NULL;
    BRN_ALLOC(ctx, b, 1);
    b->ctx = ctx;
    b->memory = memory;
    b->options = options;
    b->source = text;
    b->length = length;
    if (!yaml_parser_initialize(&b->parser)) {
        brn_free(ctx, b);
        return brn_fail(ctx, BRN_ERR_MEMORY, "out of memory while reading YAML");
    }
    yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b->parser, (const unsigned char *)text, length);
    brn_status status = BRN_OK;
    /* Every event consumes input, so the loop ends with the text. */
    while (status == BRN_OK && !b->finished) {
        yaml_event_t event;
        if (!yaml_parser_parse(&b->parser, &event)) {
            status = syntax_problem(b);
            break;
        }
        status = handle(b, &event);
        yaml_event_delete(&event);
    }
    if (status == BRN_OK && b->root == NULL) {
        status = node_create(b, BRN_YAML_SCALAR, &(yaml_event_t){0}, &b->root);
        if (status == BRN_OK) {
            b->root->text = "";
        }
    }
    if (status == BRN_OK) {
        *out = b->root;
    }
    yaml_parser_delete(&b->parser);
    brn_free(ctx, b->children);
    brn_free(ctx, b);
    return status;
}
