/* The resolved scene as YAML, every default explicit. Printing it, reading it and printing it again gives the same text. */
#include "scene/scene_inner.h"

#include "base/os.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct printer {
    brn_text text;
    int dimension;
} printer;

static void print_table(printer *p, const brn_table *table, const void *value, int indent);

/* ---- words ----------------------------------------------------------------------------------------------------------- */

/* A word that no YAML reader takes for a number, a boolean or null. */
static bool is_plain(const char *text)
{
    static const char *const reserved[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    for (int i = 0; i < BRN_COUNT(reserved); ++i) {
        if (strcasecmp(text, reserved[i]) == 0) {
            return false;
        }
    }
    if (text[0] == '\0' || strchr(letters, text[0]) == NULL) {
        return false;
    }
    for (const char *c = text; *c != '\0'; ++c) {
        if (strchr(letters, *c) == NULL && strchr("0123456789-./", *c) == NULL) {
            return false;
        }
    }
    return true;
}

/* Code point at a place of valid UTF-8 (libyaml gives nothing else) and its length in bytes. */
static unsigned code_point(const unsigned char *at, int *length)
{
    if (at[0] < 0x80) {
        *length = 1;
        return at[0];
    }
    *length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    unsigned code = at[0] & (0xffU >> (*length + 1));
    for (int i = 1; i < *length; ++i) {
        if ((at[i] & 0xc0) != 0x80) { /* cut off: printed as it is */
            *length = i;
            return 0xfffd;
        }
        code = code << 6 | (at[i] & 0x3fU);
    }
    return code;
}

static void print_text(printer *p, const char *text)
{
    if (is_plain(text)) {
        brn_text_add(&p->text, "%s", text);
        return;
    }
    brn_text_append(&p->text, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        int length = 1;
        const unsigned code = code_point(c, &length);
        const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
        /* Line and paragraph separators, byte order marks and what libyaml refuses to read raw. */
        const bool special = code == 0x2028 || code == 0x2029 || code == 0xfeff || (code & 0xfffe) == 0xfffe;
        if (code == '"' || code == '\\') {
            brn_text_add(&p->text, "\\%c", (int)code);
        } else if (control) {
            brn_text_add(&p->text, "\\x%02X", code);
        } else if (special) {
            brn_text_add(&p->text, "\\U%08X", code);
        } else {
            brn_text_append(&p->text, (const char *)c, (size_t)length);
        }
        c += length;
    }
    brn_text_append(&p->text, "\"", 1);
}

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

static void print_key(printer *p, const char *key, int indent)
{
    brn_text_add(&p->text, "%*s", indent, "");
    print_text(p, key);
    brn_text_append(&p->text, ":", 1);
}

static void print_reals(printer *p, const double *v, int count)
{
    char number[BRN_REAL_TEXT];
    brn_text_append(&p->text, "[", 1);
    for (int i = 0; i < count; ++i) {
        brn_text_add(&p->text, "%s%s", i > 0 ? ", " : "", brn_format_real(v[i], number));
    }
    brn_text_append(&p->text, "]", 1);
}

static void print_rows(printer *p, const brn_rows *rows, int indent)
{
    for (int i = 0; i < rows->rows; ++i) {
        brn_text_add(&p->text, "\n%*s- ", indent + 2, "");
        print_reals(p, rows->v + (size_t)i * (size_t)rows->columns, rows->columns);
    }
}

static void print_texts(printer *p, const brn_texts *texts)
{
    brn_text_append(&p->text, "[", 1);
    for (int i = 0; i < texts->count; ++i) {
        brn_text_add(&p->text, "%s", i > 0 ? ", " : "");
        print_text(p, texts->v[i]);
    }
    brn_text_append(&p->text, "]", 1);
}

static void print_ints(printer *p, const brn_ints *ints)
{
    for (int i = 0; i < ints->count; ++i) {
        brn_text_add(&p->text, "%s%d", i > 0 ? ", " : "[", ints->v[i]);
    }
    brn_text_add(&p->text, "%s", ints->count > 0 ? "]" : "[]");
}

/* False for a value that stands for "not given" and is left out. */
static bool is_given(const brn_param *param, const void *field)
{
    switch (param->kind) {
    case BRN_REAL:
    case BRN_VECTOR:
        /* A default may be NaN or infinite, a given number never is. */
        return isfinite(*(const double *)field);
    case BRN_TEXT:
        return *(const char *const *)field != NULL;
    case BRN_REALS:
        return ((const brn_reals *)field)->v != NULL;
    case BRN_INTS:
        return ((const brn_ints *)field)->v != NULL;
    case BRN_TEXTS:
        return ((const brn_texts *)field)->v != NULL;
    case BRN_ROWS:
        return ((const brn_rows *)field)->rows > 0;
    default:
        return true;
    }
}

/* The value of a simple kind, after its key and a blank. */
static void print_value(printer *p, const brn_param *param, const void *field, int indent)
{
    char number[BRN_REAL_TEXT];
    const double *v = field;
    switch (param->kind) {
    case BRN_REAL:
        brn_text_add(&p->text, "%s", brn_format_real(*v, number));
        break;
    case BRN_INT:
        brn_text_add(&p->text, "%d", *(const int *)field);
        break;
    case BRN_BOOL:
        brn_text_add(&p->text, "%s", *(const bool *)field ? "true" : "false");
        break;
    case BRN_CHOICE:
        print_text(p, param->choices[*(const int *)field]);
        break;
    case BRN_TEXT:
        print_text(p, *(const char *const *)field);
        break;
    case BRN_VECTOR:
        print_reals(p, v, p->dimension == 2 && v[2] == 0.0 && !signbit(v[2]) ? 2 : 3);
        break;
    case BRN_REALS:
        print_reals(p, ((const brn_reals *)field)->v, ((const brn_reals *)field)->count);
        break;
    case BRN_INTS:
        print_ints(p, field);
        break;
    case BRN_TEXTS:
        print_texts(p, field);
        break;
    case BRN_ROWS:
        print_rows(p, field, indent);
        break;
    default:
        break;
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------ */

/* The keys of a block under "key:"; a block with nothing to say is {}. type: of a tagged variant, else NULL. */
static void print_block(printer *p, const char *key, const char *type, const brn_table *table,
                        const void *value, int indent)
{
    print_key(p, key, indent);
    const size_t before = p->text.length;
    brn_text_append(&p->text, "\n", 1);
    const size_t start = p->text.length;
    if (type != NULL) {
        brn_text_add(&p->text, "%*stype: ", indent + 2, "");
        print_text(p, type);
        brn_text_append(&p->text, "\n", 1);
    }
    print_table(p, table, value, indent + 2);
    if (p->text.length == start) {
        p->text.length = before;
        brn_text_add(&p->text, " {}\n");
    }
}

/* The same as an entry of a list: its first line starts with a dash. */
static void print_entry(printer *p, const char *type, const brn_table *table, const void *value, int indent)
{
    const size_t start = p->text.length;
    if (type != NULL) {
        brn_text_add(&p->text, "%*stype: ", indent + 2, "");
        print_text(p, type);
        brn_text_append(&p->text, "\n", 1);
    }
    print_table(p, table, value, indent + 2);
    if (p->text.length == start) {
        brn_text_add(&p->text, "%*s- {}\n", indent, "");
    } else if (!p->text.failed) {
        p->text.data[start + (size_t)indent] = '-';
    }
}

static void print_blocks(printer *p, const brn_param *param, const brn_blocks *blocks, int indent)
{
    const bool named = param->kind == BRN_NAMED;
    if (blocks->count == 0) {
        return;
    }
    print_key(p, param->name, indent);
    brn_text_append(&p->text, "\n", 1);
    for (int i = 0; i < blocks->count; ++i) {
        const void *item = (const char *)blocks->items + (size_t)i * param->table->size;
        const brn_block *block = item;
        if (named) {
            print_block(p, block->name, NULL, param->table, item, indent + 2);
        } else {
            print_entry(p, NULL, param->table, item, indent + 2);
        }
    }
}

static void print_variants(printer *p, const brn_param *param, const brn_variants *variants, int indent)
{
    if (variants->count == 0) {
        return;
    }
    print_key(p, param->name, indent);
    brn_text_append(&p->text, "\n", 1);
    for (int i = 0; i < variants->count; ++i) {
        const brn_variant *item = &variants->items[i];
        const brn_block *block = item->value;
        if (param->kind == BRN_NAMED_TAGGED) {
            print_block(p, block->name, item->table->name, item->table, item->value, indent + 2);
        } else {
            print_entry(p, item->table->name, item->table, item->value, indent + 2);
        }
    }
}

static void print_variant(printer *p, const brn_param *param, const brn_variant *variant, int indent)
{
    if (variant->table == NULL) {
        return;
    }
    const char *word = variant->table->name;
    switch (param->kind) {
    case BRN_TAGGED:
        print_block(p, param->name, word, variant->table, variant->value, indent);
        break;
    case BRN_KEYED:
        print_key(p, param->name, indent);
        brn_text_append(&p->text, "\n", 1);
        print_block(p, word, NULL, variant->table, variant->value, indent + 2);
        break;
    default: /* BRN_KEYED_HERE */
        print_block(p, word, NULL, variant->table, variant->value, indent);
        break;
    }
}

static void print_param(printer *p, const brn_param *param, const void *field, int indent)
{
    switch (param->kind) {
    case BRN_BLOCK:
        if (param->standing || brn_block_given(field)) {
            print_block(p, param->name, NULL, param->table, field, indent);
        }
        break;
    case BRN_BLOCKS:
    case BRN_NAMED:
        print_blocks(p, param, field, indent);
        break;
    case BRN_TAGGEDS:
    case BRN_NAMED_TAGGED:
        print_variants(p, param, field, indent);
        break;
    case BRN_TAGGED:
    case BRN_KEYED:
    case BRN_KEYED_HERE:
        print_variant(p, param, field, indent);
        break;
    default:
        if (is_given(param, field)) {
            print_key(p, param->name, indent);
            if (param->kind != BRN_ROWS) {
                brn_text_append(&p->text, " ", 1);
            }
            print_value(p, param, field, indent);
            brn_text_append(&p->text, "\n", 1);
        }
        break;
    }
}

static void print_table(printer *p, const brn_table *table, const void *value, int indent)
{
    for (int i = 0; i < table->nparams; ++i) {
        print_param(p, &table->params[i], (const char *)value + table->params[i].offset, indent);
    }
}

brn_status brn_scene_print(const brn_scene *scene, const brn_schema *schema, char **text)
{
    *text = NULL;
    if (scene->def == NULL || scene->nproblem > 0) {
        return brn_fail(scene->ctx, BRN_ERR_SCENE,
                        "%s: only a resolved scene without problems can be written", scene->file);
    }
    printer p = {.text = {.ctx = scene->ctx}, .dimension = scene->dimension};
    brn_text_add(&p.text, "# A scene of brunt " BRN_VERSION
                          " as it was understood: every default is made explicit.\n");
    if (scene->method_why != NULL) {
        brn_text_add(&p.text, "# The method was chosen: %s.\n", scene->method_why);
    }
    print_table(&p, schema->root, scene->def, 0);
    return brn_text_take(&p.text, text);
}

/* ---- the tree as it was written ----------------------------------------------------------------------------------------- */

static bool is_flat(const brn_yaml *node)
{
    bool flat = true;
    for (int i = 0; i < node->count; ++i) {
        flat = flat && node->items[i]->kind == BRN_YAML_SCALAR;
    }
    return flat;
}

/* Names of files are relative to the scene, and the text may be put elsewhere. */
static bool names_file(const brn_yaml *node)
{
    return node->key != NULL && (strcmp(node->key, "file") == 0 || strcmp(node->key, "surface") == 0) &&
           node->text[0] != '/';
}

static void print_scalar(printer *p, const brn_scene *scene, const brn_yaml *node)
{
    char *path = names_file(node) ? brn_path_beside(scene->ctx, scene->file, node->text) : NULL;
    if (path != NULL && brn_file_exists(path)) {
        char *full = brn_path_full(scene->ctx, path);
        print_text(p, full != NULL ? full : path);
        brn_free(scene->ctx, full);
    } else if (node->quoted || strpbrk(node->text, ",[]{}#:\"'\n") != NULL) { /* would end it in brackets */
        print_text(p, node->text);
    } else {
        brn_text_add(&p->text, "%s", brn_yaml_is_null(node) ? "null" : node->text);
    }
    brn_free(scene->ctx, path);
}

/* In brackets, on the line. */
static void print_flow(printer *p, const brn_scene *scene, const brn_yaml *node)
{
    const bool map = node->kind == BRN_YAML_MAP;
    if (node->kind == BRN_YAML_SCALAR) {
        print_scalar(p, scene, node);
        return;
    }
    brn_text_add(&p->text, map ? "{" : "[");
    for (int i = 0; i < node->count; ++i) {
        brn_text_add(&p->text, i > 0 ? ", " : "");
        if (map) {
            print_text(p, node->items[i]->key);
            brn_text_add(&p->text, ": ");
        }
        print_flow(p, scene, node->items[i]);
    }
    brn_text_add(&p->text, map ? "}" : "]");
}

/* Maps of maps and lists of maps get lines, what is flat gets brackets. */
static void print_node(printer *p, const brn_scene *scene, const brn_yaml *node, int indent)
{
    for (int i = 0; i < node->count; ++i) {
        const brn_yaml *child = node->items[i];
        if (node->kind == BRN_YAML_MAP) {
            print_key(p, child->key, indent);
        } else {
            brn_text_add(&p->text, "%*s-", indent, "");
        }
        const bool lines = node->kind == BRN_YAML_MAP && child->kind != BRN_YAML_SCALAR && !is_flat(child);
        if (lines) {
            brn_text_add(&p->text, "\n");
            print_node(p, scene, child, indent + 2);
        } else {
            brn_text_add(&p->text, " ");
            print_flow(p, scene, child);
            brn_text_add(&p->text, "\n");
        }
    }
}

brn_status brn_scene_print_tree(const brn_scene *scene, char **text)
{
    *text = NULL;
    printer p = {.text = {.ctx = scene->ctx}};
    if (scene->root == NULL || scene->root->kind != BRN_YAML_MAP) {
        return brn_fail(scene->ctx, BRN_ERR_SCENE, "%s: there is no scene in it", scene->file);
    }
    print_node(&p, scene, scene->root, 0);
    return brn_text_take(&p.text, text);
}
