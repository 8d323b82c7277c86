#include "compare/compare_columns.h"

#include "terminal/terminal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE_MAX = 64 };

/* ---- lists in one word ----------------------------------------------------------------------------------------------- */

/* Length of the part of a list up to the next comma that stands outside of brackets and quotes, or to the end.
   *open: the unmatched bracket or quote, opening or closing; 0 if there is none. */
static size_t part_length(const char *text, char *open)
{
    char stack[32];
    int depth = 0;
    char quote = 0;
    *open = 0;
    size_t i = 0;
    for (; text[i] != '\0' && !(text[i] == ',' && depth == 0 && quote == 0); ++i) {
        const char c = text[i];
        if (quote != 0) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if ((c == '[' || c == '{') && depth < (int)sizeof stack) {
            stack[depth++] = c;
        } else if (c == '[' || c == '{' || c == ']' || c == '}') {
            if (depth == 0 || depth == (int)sizeof stack || stack[depth - 1] != (c == ']' ? '[' : '{')) {
                *open = c;
                return i;
            }
            --depth;
        }
    }
    *open = quote != 0 ? quote : depth > 0 ? stack[depth - 1] : 0;
    return i;
}

static char *copy_part(const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)*text)) {
        ++text;
        --length;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        --length;
    }
    return strndup(text, length);
}

/* ---- names ----------------------------------------------------------------------------------------------------------------- */

static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    bool fine = length > 0 && length <= NAME_SIZE_MAX && name[0] != '.' && name[0] != '-';
    for (size_t i = 0; i < length; ++i) {
        const char c = name[i];
        fine = fine && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                        strchr(".-_", c) != NULL);
    }
    return fine;
}

static int fail_name(const char *option, const char *name)
{
    cli_error(
        "--%s %s: '%s' cannot name a folder: up to %d letters, digits and . - _, the first neither . nor -",
        option, name, name, NAME_SIZE_MAX);
    return CLI_USAGE;
}

/* ---- variants ---------------------------------------------------------------------------------------------------------------- */

typedef struct variant {
    char *name;
    char **set;
    int nset;
} variant;

static int no_memory(void)
{
    cli_error("out of memory");
    return CLI_FAILED;
}

static int take_setting(variant *v, const char *text, const char *part, size_t length)
{
    char *setting = copy_part(part, length);
    if (setting == NULL) {
        return no_memory();
    }
    v->set[v->nset++] = setting;
    if (setting[0] != '\0' && setting[0] != '=' && strchr(setting, '=') != NULL) {
        return CLI_DONE;
    }
    cli_error("--variant %s: '%s' is not PATH=VALUE; put a value with commas in brackets or quotes:\n"
              "  --variant '%s:bodies.ball.position=[0,0,1],time.step=0.01'",
              text, setting, v->name);
    return CLI_USAGE;
}

static int parse_variant(const char *text, variant *v)
{
    const size_t head = strcspn(text, ":");
    *v = (variant){.name = strndup(text, head), .set = calloc(strlen(text) + 1, sizeof *v->set)};
    if (v->name == NULL || v->set == NULL) {
        return no_memory();
    }
    if (head == 0 || strchr(v->name, '=') != NULL) {
        cli_error("--variant %s: the name is missing: --variant NAME:PATH=VALUE,...", text);
        return CLI_USAGE;
    }
    if (!is_name(v->name)) {
        return fail_name("variant", v->name);
    }
    /* NAME alone, or "NAME:": the scene as it is. */
    const char *at = text[head] == ':' ? text + head + 1 : text + head;
    while (*at != '\0') {
        char open = 0;
        const size_t length = part_length(at, &open);
        if (open != 0) {
            cli_error("--variant %s: an unmatched '%c'", text, open);
            return CLI_USAGE;
        }
        const int code = take_setting(v, text, at, length);
        if (code != CLI_DONE) {
            return code;
        }
        at += length;
        if (*at == ',' && *++at == '\0') {
            cli_error("--variant %s: nothing follows the last comma", text);
            return CLI_USAGE;
        }
    }
    return CLI_DONE;
}

static void clear_variants(variant *v, int count)
{
    for (int i = 0; v != NULL && i < count; ++i) {
        for (int k = 0; k < v[i].nset; ++k) {
            free(v[i].set[k]);
        }
        free(v[i].set);
        free(v[i].name);
    }
    free(v);
}

/* ---- columns ------------------------------------------------------------------------------------------------------------------ */

static char *column_name(const char *method, const char *variant_name)
{
    const char *first = method != NULL ? method : "", *second = variant_name != NULL ? variant_name : "";
    const size_t size = strlen(first) + strlen(second) + 2;
    char *name = malloc(size);
    if (name != NULL) {
        (void)snprintf(name, size, "%s%s%s", first, *first != '\0' && *second != '\0' ? "-" : "", second);
    }
    return name;
}

static bool fill_column(cli_column *c, const char *method, const variant *v, const cli_list *set)
{
    const int own = v != NULL ? v->nset : 0;
    c->name = column_name(method, v != NULL ? v->name : NULL);
    c->method = method != NULL ? strdup(method) : NULL;
    c->set = calloc((size_t)(set->count + own) + 1, sizeof *c->set);
    bool fine = c->name != NULL && (method == NULL || c->method != NULL) && c->set != NULL;
    c->nset_all = set->count;
    for (int i = 0; fine && i < set->count + own; ++i) {
        c->set[i] = strdup(i < set->count ? set->items[i] : v->set[i - set->count]);
        c->nset = i + 1;
        fine = c->set[i] != NULL;
    }
    return fine;
}

static int add_column(cli_columns *columns, const char *method, const variant *v, const cli_list *set)
{
    if (columns->count == CLI_COLUMNS_MAX) {
        cli_error("more than %d runs to compare", CLI_COLUMNS_MAX);
        return CLI_USAGE;
    }
    cli_column *c = &columns->column[columns->count++];
    if (!fill_column(c, method, v, set)) {
        return no_memory();
    }
    for (int i = 0; i + 1 < columns->count; ++i) {
        if (strcmp(columns->column[i].name, c->name) == 0) {
            cli_error("two runs are called '%s': each needs a name of its own", c->name);
            return CLI_USAGE;
        }
    }
    /* OUT/compare.csv and its siblings are files of the comparison. */
    if (strncmp(c->name, "compare.", 8) == 0) {
        cli_error("'%s': names that begin with 'compare.' are reserved for the files of the comparison",
                  c->name);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* A method with every variant, or alone. */
static int add_method(cli_columns *columns, const char *method, const variant *v, int nvariant,
                      const cli_list *set)
{
    int code = nvariant == 0 ? add_column(columns, method, NULL, set) : CLI_DONE;
    for (int i = 0; i < nvariant && code == CLI_DONE; ++i) {
        code = add_column(columns, method, &v[i], set);
    }
    return code;
}

static int add_methods(cli_columns *columns, const char *methods, const variant *v, int nvariant,
                       const cli_list *set)
{
    for (const char *at = methods;; ++at) {
        const size_t length = strcspn(at, ",");
        char *method = copy_part(at, length);
        int code = CLI_DONE;
        if (method == NULL) {
            code = no_memory();
        } else if (method[0] == '\0') {
            cli_error("--methods %s: a name is missing: --methods a,b,... ('brunt info methods' lists them)",
                      methods);
            code = CLI_USAGE;
        } else if (!is_name(method)) {
            code = fail_name("methods", method);
        } else {
            code = add_method(columns, method, v, nvariant, set);
        }
        free(method);
        at += length;
        if (code != CLI_DONE || *at == '\0') {
            return code;
        }
    }
}

static int find_reference(cli_columns *columns, const char *reference)
{
    const char *names[CLI_COLUMNS_MAX];
    for (int i = 0; i < columns->count; ++i) {
        names[i] = columns->column[i].name;
        if (reference == NULL || strcmp(reference, names[i]) == 0) {
            columns->reference = i;
            return CLI_DONE;
        }
    }
    const int near = cli_nearest(reference, names, columns->count);
    cli_error("--reference %s: no run has this name%s%s%s", reference, near >= 0 ? "; did you mean '" : "",
              near >= 0 ? names[near] : "", near >= 0 ? "'?" : "");
    (void)fprintf(stderr, "  runs:");
    for (int i = 0; i < columns->count; ++i) {
        (void)fprintf(stderr, " %s", names[i]);
    }
    (void)fputc('\n', stderr);
    return CLI_USAGE;
}

int cli_columns_create(cli_columns *columns, const char *methods, const cli_list *variants,
                       const cli_list *set, const char *reference)
{
    *columns = (cli_columns){.column = calloc(CLI_COLUMNS_MAX, sizeof *columns->column)};
    variant *v = calloc((size_t)variants->count + 1, sizeof *v);
    int code = columns->column != NULL && v != NULL ? CLI_DONE : no_memory();
    for (int i = 0; i < variants->count && code == CLI_DONE; ++i) {
        code = parse_variant(variants->items[i], &v[i]);
    }
    if (code == CLI_DONE) {
        code = methods != NULL ? add_methods(columns, methods, v, variants->count, set)
                               : add_method(columns, NULL, v, variants->count, set);
    }
    clear_variants(v, variants->count);
    if (code == CLI_DONE && columns->count < 2) {
        cli_error("nothing to compare: give at least two methods or variants, such as\n"
                  "  --methods none,ipc\n"
                  "  --variant base --variant fine:time.step=0.001     (base: the scene as it is)");
        code = CLI_USAGE;
    }
    return code == CLI_DONE ? find_reference(columns, reference) : code;
}

bool cli_columns_place(cli_columns *columns, const char *out)
{
    for (int i = 0; i < columns->count; ++i) {
        cli_column *c = &columns->column[i];
        const size_t size = strlen(out) + strlen(c->name) + 2;
        c->dir = malloc(size);
        if (c->dir == NULL) {
            return false;
        }
        (void)snprintf(c->dir, size, "%s/%s", out, c->name);
    }
    return true;
}

void cli_columns_clear(cli_columns *columns)
{
    for (int i = 0; i < columns->count; ++i) {
        cli_column *c = &columns->column[i];
        for (int k = 0; k < c->nset; ++k) {
            free(c->set[k]);
        }
        free(c->set);
        free(c->method);
        free(c->dir);
        free(c->name);
    }
    free(columns->column);
    *columns = (cli_columns){0};
}
