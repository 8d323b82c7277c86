#include "api/check_plots.h"

#include "api/registry.h"
#include "api/series_row.h"

#include <stdio.h>
#include <string.h>

/* The columns of the same thing: what stands before the last dot of their names. */
static void list_columns(brn_text *out, const brn_series_row *columns, const char *word)
{
    const char *dot = strrchr(word, '.');
    const size_t n = dot != NULL ? (size_t)(dot - word) + 1 : 0;
    int listed = 0;
    for (int i = 0; i < columns->count && n > 0; ++i) {
        if (strncmp(columns->name[i], word, n) == 0) {
            brn_text_add(out, "%s%s", listed++ > 0 ? ", " : "; there is: ", columns->name[i]);
        }
    }
    if (listed == 0) {
        brn_text_add(out,
                     "; columns are figures of docs/output.md, and NAME.force_x, NAME.dx and the like of "
                     "obstacles, holds and probes");
    }
}

/* A figure of another method: the scene may be run with that, too, and this run has nothing to draw there. */
static bool of_other_method(const char *word)
{
    for (int m = 0; m < brn_method_count(); ++m) {
        const brn_method *method = brn_method_get(m);
        for (int i = 0; i < method->nfigures; ++i) {
            if (strcmp(method->figures[i].figure.name, word) == 0) {
                return true;
            }
        }
    }
    return false;
}

static brn_status check_column(brn_scene *scene, const brn_series_row *columns, const brn_block *block,
                               const char *key, const char *word)
{
    for (int i = 0; i < columns->count; ++i) {
        if (strcmp(columns->name[i], word) == 0) {
            return BRN_OK;
        }
    }
    if (of_other_method(word)) {
        return BRN_OK;
    }
    char path[256];
    brn_text text = {.ctx = brn_scene_ctx(scene)};
    char *rest = NULL;
    const int near = brn_nearest_word(word, columns->name, columns->count);
    if (near >= 0) {
        brn_text_add(&text, "; did you mean '%s'?", columns->name[near]);
    } else {
        list_columns(&text, columns, word);
    }
    BRN_TRY(brn_text_take(&text, &rest));
    (void)snprintf(path, sizeof path, "%s.%s", block->path, key);
    brn_scene_add_problem(scene, path, "this run has no such column%s", rest);
    brn_free(brn_scene_ctx(scene), rest);
    return BRN_OK;
}

static brn_status check_all(brn_scene *scene, const brn_series_row *columns)
{
    const brn_blocks *list = &brn_scene_get_def(scene)->output.plot;
    const brn_plot_def *plots = list->items;
    for (int i = 0; i < list->count; ++i) {
        BRN_TRY(check_column(scene, columns, &plots[i].block, "x", plots[i].x));
        BRN_TRY(check_column(scene, columns, &plots[i].block, "y", plots[i].y));
    }
    return BRN_OK;
}

brn_status brn_check_plots(brn_scene *scene, const brn_model *model)
{
    if (model->plots.count == 0) {
        return BRN_OK;
    }
    brn_series_row columns = {.ctx = brn_scene_ctx(scene)};
    brn_status status = brn_series_row_make(&columns, model, brn_method_of_table(model->method));
    status = status >= 0 ? check_all(scene, &columns) : status;
    brn_series_row_clear(&columns);
    BRN_TRY(status);
    return brn_scene_problem_count(scene) > 0
               ? brn_fail(columns.ctx, BRN_ERR_SCENE, "%s", brn_scene_problem(scene, 0))
               : BRN_OK;
}
