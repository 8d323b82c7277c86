/* The names that expressions of a design problem may use, and the columns of its table. */
#include "study/design_inner.h"

#include "api/series_row.h"
#include "output/figures/stage_figures.h"

#include <stdio.h>
#include <string.h>

/* ---- names that expressions may use ------------------------------------------------------------------------------------------------ */

static brn_status add_known(brn_design *d, const char *name, bool word, bool column)
{
    BRN_GROW(d->ctx, d->known, d->known_room, d->nknown + 1);
    const char *copy = brn_bump_text(&d->memory, name, strlen(name));
    if (copy == NULL) {
        return BRN_ERR_MEMORY;
    }
    d->known[d->nknown++] = (brn_known_name){copy, word, column};
    return BRN_OK;
}

static brn_status know_stages(brn_design *d)
{
    char name[128];
    for (int s = 0; s < BRN_STAGES; ++s) {
        (void)snprintf(name, sizeof name, "%s.integrator", brn_stage_name(s));
        BRN_TRY(add_known(d, name, true, false));
        for (int i = 0; i < brn_stage_figure_count(); ++i) {
            brn_figure figure;
            BRN_TRY(brn_stage_figure_get(i, &figure));
            (void)snprintf(name, sizeof name, "%s.%s", brn_stage_name(s), figure.name);
            BRN_TRY(add_known(d, name, false, false));
        }
    }
    return add_known(d, "landing.verdict", true, false);
}

brn_status brn_design_know_figures(brn_design *d, const brn_model *model)
{
    static const char *const words[] = {"status", "reason", "warnings", "method", "choices", "state_hash"};
    for (int i = 0; i < BRN_COUNT(words); ++i) {
        BRN_TRY(add_known(d, words[i], true, false));
    }
    const char *method = model->method->name;
    for (int i = 0; i < brn_figure_count(BRN_OF_RUN, method); ++i) {
        brn_figure figure;
        BRN_TRY(brn_figure_get(BRN_OF_RUN, method, i, &figure));
        BRN_TRY(add_known(d, figure.name, false, false));
    }
    if (model->stages.given) {
        BRN_TRY(know_stages(d));
    }
    brn_series_row row = {.ctx = d->ctx};
    brn_status status = brn_series_row_make(&row, model, brn_method_of_table(model->method));
    for (int i = 0; status >= 0 && i < row.count; ++i) {
        status = add_known(d, row.name[i], false, true);
    }
    brn_series_row_clear(&row);
    return status;
}

static bool check_names(brn_design *d, const char *where, const brn_expression *e, int nknown)
{
    bool word = false;
    const brn_status status = e != NULL ? brn_expression_check(d->ctx, e, d->known, nknown, &word) : BRN_OK;
    if (status < 0) {
        d->starved = d->starved || status == BRN_ERR_MEMORY;
        brn_scene_add_problem(d->file, where, "%s", brn_ctx_message(d->ctx));
    }
    return word;
}

/* The same of what must have a value. */
static void check_number(brn_design *d, const char *where, const brn_expression *e, int nknown)
{
    if (check_names(d, where, e, nknown)) {
        brn_scene_add_problem(d->file, where, "is a word; compare it, as in status == 'done'");
    }
}

/* The parameters come first in the list of names: `assign` may use no others. */
brn_status brn_design_know_parameters(brn_design *d)
{
    for (int i = 0; i < d->n; ++i) {
        BRN_TRY(add_known(d, d->axis[i].info.name, false, false));
    }
    for (int i = 0; i < d->nassign; ++i) {
        const brn_setting_def *def = (const brn_setting_def *)d->def->assign.items + i;
        check_number(d, def->block.path, d->assign[i].value, d->n);
    }
    return BRN_OK;
}

/* A column of the table, beside figures and parameters. */
static bool is_taken(const char *name)
{
    bool taken = strcmp(name, "index") == 0;
    for (int i = 0; brn_design_own_columns[i] != NULL; ++i) {
        taken = taken || strcmp(name, brn_design_own_columns[i]) == 0;
    }
    return taken;
}

void brn_design_check_names(brn_design *d)
{
    char where[64];
    for (int i = 0; i < d->n; ++i) {
        if (is_taken(d->axis[i].info.name)) {
            brn_scene_add_problem(d->file, brn_design_where(d, &d->axis[i].def->block, "name"),
                                  "is a column of the table; choose another");
        }
        for (int k = d->n; k < d->nknown; ++k) {
            if (strcmp(d->known[k].name, d->axis[i].info.name) == 0) {
                brn_scene_add_problem(d->file, brn_design_where(d, &d->axis[i].def->block, "name"),
                                      "is the name of a figure; choose another");
                break;
            }
        }
    }
    check_number(d, d->def->maximise != NULL ? "maximise" : "objective", d->objective, d->nknown);
    check_number(d, "success", d->success, d->nknown);
    for (int i = 0; i < d->nconstraint; ++i) {
        (void)snprintf(where, sizeof where, "constraints[%d]", i);
        check_number(d, where, d->constraint[i], d->nknown);
    }
    for (int i = 0; i < d->nfigure; ++i) {
        (void)snprintf(where, sizeof where, "figures[%d]", i);
        (void)check_names(d, where, d->figure[i], d->nknown);
    }
}

/* ---- columns of the table -------------------------------------------------------------------------------------------------------------- */

static brn_status add_column(brn_design *d, int room, const char *text, size_t length,
                             const brn_expression *e, int reference)
{
    char *name = brn_bump_text(&d->memory, text, length);
    if (name == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (int i = 0; i < d->ncolumn; ++i) {
        if (strcmp(d->column[i].name, name) == 0) {
            return BRN_OK;
        }
    }
    for (int i = 0; i < d->n; ++i) {
        if (strcmp(d->axis[i].info.name, name) == 0) {
            return BRN_OK; /* it has a column already */
        }
    }
    if (d->ncolumn < room) {
        d->column[d->ncolumn++] = (brn_design_column){name, e, reference};
    }
    return BRN_OK;
}

static brn_status add_references(brn_design *d, int room, const brn_expression *e)
{
    for (int i = 0; e != NULL && i < brn_expression_reference_count(e); ++i) {
        const brn_reference r = brn_expression_reference(e, i);
        BRN_TRY(add_column(d, room, r.text, (size_t)r.length, e, i));
    }
    return BRN_OK;
}

static int reference_count(const brn_expression *e)
{
    return e != NULL ? brn_expression_reference_count(e) : 0;
}

brn_status brn_design_list_columns(brn_design *d)
{
    int room = reference_count(d->objective) + reference_count(d->success) + d->nfigure;
    for (int i = 0; i < d->nconstraint; ++i) {
        room += reference_count(d->constraint[i]);
    }
    BRN_BUMP(&d->memory, d->column, room + 1);
    for (int i = 0; i < d->nfigure; ++i) {
        const char *text = brn_expression_text(d->figure[i]);
        BRN_TRY(add_column(d, room, text, strlen(text), d->figure[i], -1));
    }
    BRN_TRY(add_references(d, room, d->objective));
    for (int i = 0; i < d->nconstraint; ++i) {
        BRN_TRY(add_references(d, room, d->constraint[i]));
    }
    return add_references(d, room, d->success);
}
