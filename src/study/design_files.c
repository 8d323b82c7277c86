/* What a study leaves beside its log: table.csv, best.yaml, summary.json. */
#include "base/json.h"
#include "base/os.h"
#include "study/design_inner.h"

#include <math.h>
#include <string.h>

static brn_status write_text(const brn_design *d, const char *out, const char *name, brn_text *text)
{
    char *bytes = NULL;
    BRN_TRY(brn_text_take(text, &bytes));
    char *path = brn_path_join(d->ctx, out, name);
    const brn_status status =
        path != NULL ? brn_file_write(d->ctx, path, bytes, strlen(bytes)) : BRN_ERR_MEMORY;
    brn_free(d->ctx, path);
    brn_free(d->ctx, bytes);
    return status;
}

/* ---- table.csv --------------------------------------------------------------------------------------------------------------- */

const char *const brn_design_own_columns[] = {"objective", "violation", "succeeded", "samples", "outcome",
                                              "cause",     "wall",      "cpu",       "folder",  NULL};

/* RFC 4180. */
static void add_cell(brn_text *text, const char *cell)
{
    const bool first = text->length == 0 || text->data[text->length - 1] == '\n';
    brn_text_add(text, "%s", first ? "" : ",");
    if (strpbrk(cell, ",\"\n\r") == NULL) {
        brn_text_add(text, "%s", cell);
        return;
    }
    brn_text_add(text, "\"");
    for (const char *c = cell; *c != '\0'; ++c) {
        brn_text_add(text, *c == '"' ? "\"%c" : "%c", *c);
    }
    brn_text_add(text, "\"");
}

static void add_real(brn_text *text, double value)
{
    char number[BRN_REAL_TEXT];
    add_cell(text, isnan(value) ? "" : brn_format_real(value, number));
}

/* A figure is kept as JSON: words lose their quotes, null is empty. */
static void add_figure(brn_text *text, char *figure)
{
    const size_t n = figure != NULL ? strlen(figure) : 0;
    if (n >= 2 && figure[0] == '"') {
        figure[n - 1] = '\0';
        add_cell(text, figure + 1);
        figure[n - 1] = '"';
    } else {
        add_cell(text, n == 0 || strcmp(figure, "null") == 0 ? "" : figure);
    }
}

static void add_head(const brn_design *d, brn_text *text)
{
    add_cell(text, "index");
    for (int i = 0; i < d->n; ++i) {
        add_cell(text, d->axis[i].info.name);
    }
    for (int i = 0; i < d->ncolumn; ++i) {
        add_cell(text, d->column[i].name);
    }
    add_cell(text, brn_design_own_columns[0]);
    for (int i = 0; i < d->nconstraint; ++i) {
        add_cell(text, brn_expression_text(d->constraint[i]));
    }
    for (int i = 1; brn_design_own_columns[i] != NULL; ++i) {
        add_cell(text, brn_design_own_columns[i]);
    }
    brn_text_add(text, "\n");
}

static void add_row(const brn_design *d, const brn_design_record *r, brn_text *text)
{
    brn_design_evaluation view;
    brn_design_record_view(r, &view);
    brn_text_add(text, "%lld", (long long)r->index);
    for (int i = 0; i < d->n; ++i) {
        add_real(text, r->x[i]);
    }
    for (int i = 0; i < d->ncolumn; ++i) {
        add_figure(text, r->figure[i]);
    }
    add_real(text, r->objective);
    for (int i = 0; i < d->nconstraint; ++i) {
        add_real(text, r->constraint[i]);
    }
    add_real(text, r->violation);
    if (r->succeeded < 0) {
        add_cell(text, "");
    } else {
        brn_text_add(text, ",%d", r->succeeded);
    }
    brn_text_add(text, ",%d", r->samples);
    add_cell(text, view.status);
    add_cell(text, view.reason);
    add_real(text, r->wall);
    add_real(text, r->cpu);
    add_cell(text, view.folder);
    brn_text_add(text, "\n");
}

brn_status brn_design_write_table(const brn_design *design, const char *out)
{
    brn_text text = {.ctx = design->ctx};
    add_head(design, &text);
    for (int64_t i = 0; i < design->nused; ++i) {
        add_row(design, design->used[i], &text);
    }
    return write_text(design, out, "table.csv", &text);
}

/* ---- best.yaml ------------------------------------------------------------------------------------------------------------------ */

brn_status brn_design_write_best(brn_design *design, const char *out)
{
    const brn_design_record *best = brn_design_best(design);
    if (best == NULL) {
        return BRN_OK;
    }
    brn_design_settings settings = {.ctx = design->ctx};
    brn_status status = brn_design_point_settings(design, best->x, 0, &settings, NULL);
    for (int i = 0; status >= 0 && i < settings.count; ++i) {
        status = brn_scene_set(design->scene, settings.item[i]);
    }
    brn_design_settings_clear(&settings);
    char *tree = NULL;
    status = status >= 0 ? brn_scene_print_tree(design->scene, &tree) : status;
    BRN_TRY(status);
    char number[BRN_REAL_TEXT];
    brn_text text = {.ctx = design->ctx};
    brn_text_add(&text, "# %s with the best point that was found: %s = %s\n", design->scene_path,
                 brn_design_objective(design), brn_format_real(best->objective, number));
    for (int i = 0; i < design->n; ++i) {
        brn_text_add(&text, "#   %s = %s%s%s\n", design->axis[i].info.name, brn_format_real(best->x[i], number),
                     design->axis[i].info.unit[0] != '\0' ? " " : "", design->axis[i].info.unit);
    }
    brn_text_append(&text, tree, strlen(tree));
    brn_free(design->ctx, tree);
    return write_text(design, out, "best.yaml", &text);
}

/* ---- summary.json ---------------------------------------------------------------------------------------------------------------- */

static void write_evaluation(const brn_design *d, brn_json *json, const char *key,
                             const brn_design_evaluation *e)
{
    if (e->samples == 0) {
        brn_json_raw(json, key, "null");
        return;
    }
    brn_json_open(json, key, '{');
    brn_json_int(json, "index", e->index);
    brn_json_open(json, "parameters", '{');
    for (int i = 0; i < d->n; ++i) {
        brn_json_real(json, d->axis[i].info.name, e->x[i]);
    }
    brn_json_close(json);
    brn_json_real(json, "objective", e->objective);
    brn_json_reals(json, "constraints", e->constraint, d->nconstraint);
    brn_json_real(json, "violation", e->violation);
    if (e->succeeded >= 0) {
        brn_json_int(json, "succeeded", e->succeeded);
    }
    brn_json_int(json, "samples", e->samples);
    brn_json_text(json, "status", e->status);
    brn_json_text(json, "reason", e->reason);
    brn_json_text(json, "folder", e->folder);
    brn_json_close(json);
}

brn_status brn_design_write_summary(const brn_design *design, const char *out, const brn_design_result *result)
{
    const brn_design *d = design;
    brn_json json = {.text = {.ctx = d->ctx}, .lines = 2};
    brn_json_open(&json, NULL, '{');
    brn_json_text(&json, "kind", d->kind == BRN_DESIGN_SWEEP ? "sweep" : "design");
    brn_json_text(&json, "end", result->end);
    brn_json_text(&json, "title", d->def->title);
    brn_json_text(&json, "problem", brn_scene_file(d->file));
    brn_json_text(&json, "scene", d->scene_path);
    brn_json_text(&json, "objective", brn_design_objective(d));
    brn_json_bool(&json, "maximise", brn_design_maximises(d));
    brn_json_int(&json, "evaluations", result->evaluations);
    brn_json_int(&json, "failed", result->failed);
    write_evaluation(d, &json, "start", &result->start);
    write_evaluation(d, &json, "best", &result->best);
    brn_json_real(&json, "wall_s", result->wall);
    brn_json_real(&json, "cpu_s", result->cpu);
    brn_json_text(&json, "version", BRN_VERSION);
    brn_json_close(&json);
    brn_text_add(&json.text, "\n");
    return write_text(d, out, "summary.json", &json.text);
}
