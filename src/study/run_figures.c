#include "study/run_figures.h"

#include "base/os.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

enum { SUMMARY_BYTES_MAX = 1 << 20, SUMMARY_NODES_MAX = 100000 };

static const brn_value none = {.kind = BRN_VALUE_NONE};

static void ignore_problem(void *user, int line, const char *path, const char *text)
{
    (void)user, (void)line, (void)path, (void)text;
}

static brn_status read_summary(brn_run_figures *f, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    BRN_TRY(brn_file_read(f->ctx, path, SUMMARY_BYTES_MAX, &text, &length));
    const brn_yaml_options options = {
        .depth_max = 8, .nodes_max = SUMMARY_NODES_MAX, .problem = ignore_problem};
    brn_status status = brn_yaml_parse(&f->memory, text, length, &options, &f->summary); /* JSON is YAML */
    brn_free(f->ctx, text);
    if (status == BRN_ERR_SCENE || (status >= 0 && f->summary->kind != BRN_YAML_MAP)) {
        status = brn_fail(f->ctx, BRN_ERR_FORMAT, "%s: not the summary of a run", path);
    }
    return status;
}

static brn_status read_files(brn_run_figures *f, const char *folder)
{
    char *summary = brn_path_join(f->ctx, folder, "summary.json");
    char *series = brn_path_join(f->ctx, folder, "series.csv");
    brn_status status = summary != NULL && series != NULL ? read_summary(f, summary) : BRN_ERR_MEMORY;
    status = status >= 0 ? brn_series_table_read(f->ctx, series, &f->series) : status;
    brn_free(f->ctx, summary);
    brn_free(f->ctx, series);
    return status;
}

brn_status brn_run_figures_read(brn_ctx *ctx, const char *folder, brn_run_figures *out)
{
    *out = (brn_run_figures){.ctx = ctx, .memory = {.ctx = ctx}};
    const brn_status status = read_files(out, folder);
    if (status < 0) {
        brn_bump_clear(&out->memory);
    }
    return status;
}

void brn_run_figures_clear(brn_run_figures *figures)
{
    brn_series_table_clear(&figures->series);
    brn_bump_clear(&figures->memory);
}

/* ---- values ------------------------------------------------------------------------------------------------------------------ */

static brn_value number(double value)
{
    /* an empty cell: not known */
    return isnan(value) ? none : (brn_value){.kind = BRN_VALUE_NUMBER, .number = value};
}

static brn_value summary_value(const brn_yaml *node)
{
    double value = NAN;
    if (node->kind != BRN_YAML_SCALAR || brn_yaml_is_null(node)) {
        return none;
    }
    if (!node->quoted && brn_parse_real(node->text, &value)) {
        return number(value);
    }
    return (brn_value){.kind = BRN_VALUE_WORD, .word = node->text};
}

/* Linear between rows; outside of them there is no value. */
static double value_at(const double *t, const double *v, int n, double time)
{
    for (int i = 0; i < n; ++i) {
        if (t[i] == time) {
            return v[i];
        }
        if (i > 0 && t[i - 1] < time && time < t[i]) {
            return v[i - 1] + (v[i] - v[i - 1]) * (time - t[i - 1]) / (t[i] - t[i - 1]);
        }
    }
    return NAN;
}

/* Trapezoidal rule over time, where both ends of a step are known. */
static double mean_over_time(const double *t, const double *v, int n)
{
    double area = 0.0, duration = 0.0;
    for (int i = 1; i < n; ++i) {
        if (!isnan(v[i]) && !isnan(v[i - 1])) {
            area += 0.5 * (v[i] + v[i - 1]) * (t[i] - t[i - 1]);
            duration += t[i] - t[i - 1];
        }
    }
    return duration > 0.0 ? area / duration : NAN;
}

static double extreme(const double *v, int n, bool highest)
{
    double found = NAN;
    for (int i = 0; i < n; ++i) {
        found = highest ? fmax(found, v[i]) : fmin(found, v[i]); /* NaN is the other one's */
    }
    return found;
}

static double reduce(const double *t, const double *v, int n, brn_column_use use, double time)
{
    if (n == 0) {
        return NAN;
    }
    switch (use) {
    case BRN_COLUMN_FIRST:
        return v[0];
    case BRN_COLUMN_HIGHEST:
    case BRN_COLUMN_LOWEST:
        return extreme(v, n, use == BRN_COLUMN_HIGHEST);
    case BRN_COLUMN_MEAN:
        return mean_over_time(t, v, n);
    case BRN_COLUMN_AT:
        return value_at(t, v, n, time);
    default:
        return v[n - 1];
    }
}

brn_value brn_run_figures_get(const brn_run_figures *figures, const char *name, brn_column_use use,
                              double time)
{
    const brn_yaml *key =
        use == BRN_COLUMN_PLAIN ? brn_yaml_child(figures->summary, name, strlen(name)) : NULL;
    if (key != NULL) {
        return summary_value(key);
    }
    const int column = brn_series_table_find(&figures->series, name);
    const int clock = brn_series_table_find(&figures->series, "time");
    if (column < 0 || clock < 0) {
        return none;
    }
    return number(reduce(brn_series_table_column(&figures->series, clock),
                         brn_series_table_column(&figures->series, column), figures->series.nrow, use, time));
}
