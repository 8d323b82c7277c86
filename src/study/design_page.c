/* A study to look at: study.json, its table for the viewer's page; report.html, the page of the run that is shown with that table; stl/,
   the shapes of a design to print. */
#include "base/json.h"
#include "base/os.h"
#include "study/design_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- study.json ------------------------------------------------------------------------------------------------------------- */

static void add_column(brn_json *json, const char *name, const char *role, const brn_design_axis *axis)
{
    brn_json_open(json, NULL, '{');
    brn_json_text(json, "name", name);
    brn_json_text(json, "role", role);
    if (axis != NULL) {
        brn_json_text(json, "unit", axis->info.unit);
        brn_json_real(json, "low", axis->info.min);
        brn_json_real(json, "high", axis->info.max);
        brn_json_bool(json, "log", axis->log);
    }
    brn_json_close(json);
}

/* Words have no place in a plot. */
static double number_of(const char *figure)
{
    char *end = NULL;
    const double value = figure != NULL ? strtod(figure, &end) : NAN;
    return figure != NULL && end != figure && *end == '\0' ? value : NAN;
}

static bool column_has_numbers(const brn_design *d, int column)
{
    bool any = false;
    for (int64_t i = 0; i < d->nused && !any; ++i) {
        any = !isnan(number_of(d->used[i]->figure[column]));
    }
    return any;
}

static void add_columns(const brn_design *d, brn_json *json, const bool *shown, bool judged)
{
    brn_json_open(json, "columns", '[');
    for (int i = 0; i < d->n; ++i) {
        add_column(json, d->axis[i].info.name, "parameter", &d->axis[i]);
    }
    if (d->objective != NULL) {
        add_column(json, "objective", "objective", NULL);
    }
    for (int i = 0; i < d->nconstraint; ++i) {
        add_column(json, brn_expression_text(d->constraint[i]), "constraint", NULL);
    }
    for (int i = 0; i < d->ncolumn; ++i) {
        if (shown[i]) {
            add_column(json, d->column[i].name, "figure", NULL);
        }
    }
    if (judged) {
        add_column(json, "success", "success", NULL);
    }
    brn_json_close(json);
}

static void add_row(const brn_design *d, brn_json *json, const brn_design_record *r, const bool *shown,
                    bool judged)
{
    brn_json_open(json, NULL, '[');
    for (int i = 0; i < d->n; ++i) {
        brn_json_real(json, NULL, r->x[i]);
    }
    if (d->objective != NULL) {
        brn_json_real(json, NULL, r->objective);
    }
    for (int i = 0; i < d->nconstraint; ++i) {
        brn_json_real(json, NULL, r->constraint[i]);
    }
    for (int i = 0; i < d->ncolumn; ++i) {
        if (shown[i]) {
            brn_json_real(json, NULL, number_of(r->figure[i]));
        }
    }
    if (judged) {
        brn_json_real(json, NULL,
                      r->succeeded >= 0 && r->samples > 0 ? (double)r->succeeded / r->samples : NAN);
    }
    brn_json_close(json);
}

/* Where a record stands in the table; -1: nowhere. */
static int64_t row_of(const brn_design *d, const brn_design_record *record)
{
    for (int64_t i = 0; i < d->nused; ++i) {
        if (d->used[i] == record) {
            return i;
        }
    }
    return -1;
}

static void print_study(const brn_design *d, brn_json *json, const bool *shown)
{
    const bool judged = d->success != NULL;
    brn_json_open(json, NULL, '{');
    brn_json_text(json, "kind", d->kind == BRN_DESIGN_SWEEP ? "sweep" : "design");
    brn_json_text(json, "goal", d->objective != NULL ? brn_design_objective(d) : "");
    brn_json_bool(json, "highest", brn_design_maximises(d));
    brn_json_int(json, "start",
                 d->kind == BRN_DESIGN_SEARCH && d->nused > 0 && d->used[0]->index == 0 ? 0 : -1);
    brn_json_int(json, "best", row_of(d, brn_design_best(d)));
    add_columns(d, json, shown, judged);
    brn_json_open(json, "rows", '[');
    for (int64_t i = 0; i < d->nused; ++i) {
        add_row(d, json, d->used[i], shown, judged);
    }
    brn_json_close(json);
    brn_json_close(json);
    brn_text_add(&json->text, "\n");
}

static brn_status write_study(const brn_design *d, const char *folder)
{
    bool *shown = NULL;
    BRN_ALLOC(d->ctx, shown, (size_t)d->ncolumn + 1);
    for (int i = 0; i < d->ncolumn; ++i) {
        shown[i] = column_has_numbers(d, i);
    }
    brn_json json = {.text = {.ctx = d->ctx}, .lines = 1};
    print_study(d, &json, shown);
    brn_free(d->ctx, shown);
    return brn_design_write_text(d, folder, "study.json", &json.text);
}

/* ---- the page and the shapes -------------------------------------------------------------------------------------------------- */

static brn_status export_as(brn_ctx *ctx, const char *run, const char *format, const char *out,
                            const char *name)
{
    char *path = brn_path_join(ctx, out, name);
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    int files = 0;
    brn_export_options options = brn_export_options_default();
    options.format = format;
    options.out = path;
    const brn_status status = brn_export(ctx, run, &options, &files);
    brn_free(ctx, path);
    return status;
}

brn_status brn_design_write_page(const brn_design *design, const char *out, const char *run)
{
    BRN_TRY(write_study(design, run));
    BRN_TRY(export_as(design->ctx, run, "html", out, "report.html"));
    /* Shapes are for who prints what was designed; a plane scene has none. */
    const bool plane =
        brn_scene_get_def(design->scene) != NULL && brn_scene_get_def(design->scene)->dimension == 2;
    return design->kind == BRN_DESIGN_SEARCH && !plane ? export_as(design->ctx, run, "stl", out, "stl")
                                                       : BRN_OK;
}
