/* Reference text from the tables: what `brunt info` and the docs show. */
#include "scene/scene_inner.h"

#include <stdio.h>
#include <string.h>

enum { KIND_WIDTH_MAX = 46 }; /* longer descriptions are not aligned */

static void add_words(brn_text *out, const char *const *words)
{
    for (int i = 0; words[i] != NULL; ++i) {
        brn_text_add(out, "%s%s", i > 0 ? " | " : "", words[i]);
    }
}

static void add_set(brn_text *out, const brn_schema *schema, int set)
{
    const brn_table_set *tables = &schema->sets[set];
    for (int i = 0; i < tables->count; ++i) {
        brn_text_add(out, "%s%s", i > 0 ? " | " : "", tables->tables[i]->name);
    }
}

static void add_numbers(brn_text *out, const double *v, int count)
{
    for (int i = 0; i < count; ++i) {
        brn_text_add(out, "%s%g", i > 0 ? ", " : "[", v[i]);
    }
    brn_text_add(out, "]");
}

static void add_default(brn_text *out, const brn_param *param)
{
    const int count = param->kind == BRN_VECTOR ? 3 : param->count > 0 ? param->count : param->vector_count;
    if (param->required) {
        brn_text_add(out, ", required");
        return;
    }
    switch (param->kind) {
    case BRN_REAL:
    case BRN_INT:
        if (isfinite(param->standard)) {
            brn_text_add(out, ", default %g", param->standard);
        }
        break;
    case BRN_BOOL:
        brn_text_add(out, ", default %s", param->standard != 0.0 ? "true" : "false");
        break;
    case BRN_CHOICE:
        brn_text_add(out, ", default %s", param->choices[(int)param->standard]);
        break;
    case BRN_TEXT:
    case BRN_TEXTS:
    case BRN_TAGGED:
        if (param->text != NULL && param->text[0] != '\0') {
            brn_text_add(out, ", default %s", param->text);
        }
        break;
    case BRN_VECTOR:
    case BRN_REALS:
        if (param->vector != NULL && isfinite(param->vector[0])) {
            brn_text_add(out, ", default ");
            add_numbers(out, param->vector, count);
        }
        break;
    default:
        break;
    }
}

/* " [Pa] > 0" */
static void add_range(brn_text *out, const brn_param *param)
{
    char range[80];
    if (param->unit != NULL && strcmp(param->unit, "1") != 0) {
        brn_text_add(out, " [%s]", param->unit);
    }
    if (strcmp(brn_param_range_text(param, range, sizeof range), "finite") != 0) {
        brn_text_add(out, " %s", range);
    }
}

static void add_counted(brn_text *out, const brn_param *param, const char *what)
{
    if (param->count > 0) {
        brn_text_add(out, "%d ", param->count);
    }
    brn_text_add(out, "%s", what);
    if (param->kind != BRN_TEXTS) {
        add_range(out, param);
    }
}

/* "number [Pa] > 0, default 0.01" */
static void add_kind(brn_text *out, const brn_param *param, const brn_schema *schema)
{
    switch (param->kind) {
    case BRN_REAL:
        add_counted(out, param, "number");
        break;
    case BRN_INT:
        add_counted(out, param, "whole number");
        break;
    case BRN_BOOL:
        brn_text_add(out, "true | false");
        break;
    case BRN_CHOICE:
        add_words(out, param->choices);
        break;
    case BRN_TEXT:
        brn_text_add(out, "text");
        break;
    case BRN_VECTOR:
        add_counted(out, param, "vector");
        break;
    case BRN_REALS:
        add_counted(out, param, "numbers");
        break;
    case BRN_INTS:
        add_counted(out, param, "whole numbers");
        break;
    case BRN_TEXTS:
        add_counted(out, param, param->choices != NULL ? "of " : "words");
        if (param->choices != NULL) {
            add_words(out, param->choices);
        }
        break;
    case BRN_ROWS:
        add_counted(out, param, "rows of numbers");
        break;
    case BRN_BLOCK:
        brn_text_add(out, "block");
        break;
    case BRN_BLOCKS:
        brn_text_add(out, "list of blocks");
        break;
    case BRN_NAMED:
        brn_text_add(out, "blocks by name");
        break;
    case BRN_TAGGED:
        brn_text_add(out, "type: ");
        add_set(out, schema, param->set);
        break;
    case BRN_TAGGEDS:
        brn_text_add(out, "list, type: ");
        add_set(out, schema, param->set);
        break;
    case BRN_NAMED_TAGGED:
        brn_text_add(out, "by name, type: ");
        add_set(out, schema, param->set);
        break;
    case BRN_KEYED:
    case BRN_KEYED_HERE:
        brn_text_add(out, "one of ");
        add_set(out, schema, param->set);
        break;
    }
    add_default(out, param);
}

/* Makes the columns wide enough for their content. If there is no memory to measure it, `out` is marked as failed. */
static void measure(const brn_table *table, const brn_schema *schema, brn_text *out, int *name_width,
                    int *kind_width)
{
    *name_width = 0;
    *kind_width = 0;
    for (int i = 0; i < table->nparams; ++i) {
        brn_text kind = {.ctx = out->ctx};
        add_kind(&kind, &table->params[i], schema);
        out->failed = out->failed || kind.failed;
        const int name = (int)strlen(table->params[i].name);
        const int width = (int)kind.length;
        *name_width = name > *name_width ? name : *name_width;
        *kind_width = width > *kind_width && width <= KIND_WIDTH_MAX ? width : *kind_width;
        brn_text_clear(&kind);
    }
}

/* Tables whose keys have been listed already; later occurrences only refer to them. */
typedef struct seen_tables {
    const brn_table *table[64];
    int count;
} seen_tables;

static bool seen_before(seen_tables *seen, const brn_table *table)
{
    for (int i = 0; i < seen->count; ++i) {
        if (seen->table[i] == table) {
            return true;
        }
    }
    if (seen->count < BRN_COUNT(seen->table)) {
        seen->table[seen->count++] = table;
    }
    return false;
}

static void describe(const brn_table *table, const brn_schema *schema, int indent, seen_tables *seen,
                     brn_text *out)
{
    int name_width = 0;
    int kind_width = 0;
    measure(table, schema, out, &name_width, &kind_width);
    for (int i = 0; i < table->nparams; ++i) {
        const brn_param *param = &table->params[i];
        brn_text kind = {.ctx = out->ctx};
        add_kind(&kind, param, schema);
        out->failed = out->failed || kind.failed;
        brn_text_add(out, "%*s%-*s  %-*s  %s\n", indent, "", name_width, param->name, kind_width,
                     kind.data != NULL ? kind.data : "", param->help != NULL ? param->help : "");
        brn_text_clear(&kind);
        if (param->table != NULL && seen_before(seen, param->table)) {
            brn_text_add(out, "%*s(keys of '%s' as above)\n", indent + 4, "", param->table->name);
        } else if (param->table != NULL) {
            describe(param->table, schema, indent + 4, seen, out);
        }
    }
}

void brn_table_describe(const brn_table *table, const brn_schema *schema, int indent, brn_text *out)
{
    seen_tables seen = {.count = 0};
    describe(table, schema, indent, &seen, out);
}
