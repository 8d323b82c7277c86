#include "api/run_series.h"

#include "api/series_row.h"

struct brn_run_series {
    brn_ctx *ctx;
    const brn_sim *sim;
    brn_series_row columns;
    brn_series *file;
    double *row;
};

static brn_status start(brn_run_series *series, const char *path, int64_t keep_rows)
{
    brn_series_row *columns = &series->columns;
    BRN_TRY(brn_series_row_make(columns, series->sim->model, series->sim->method));
    BRN_ALLOC(series->ctx, series->row, columns->count);
    return brn_series_open(series->ctx, path, columns->name, columns->count, keep_rows, &series->file);
}

brn_status brn_run_series_open(const brn_sim *sim, const char *path, int64_t keep_rows, brn_run_series **out)
{
    *out = NULL;
    brn_run_series *series = NULL;
    BRN_ALLOC(sim->ctx, series, 1);
    series->ctx = sim->ctx;
    series->sim = sim;
    series->columns.ctx = sim->ctx;
    const brn_status status = start(series, path, keep_rows);
    if (status < 0) {
        (void)brn_run_series_close(series);
        return status;
    }
    *out = series;
    return BRN_OK;
}

brn_status brn_run_series_add(brn_run_series *series, const brn_report *report)
{
    brn_series_row_fill(&series->columns, series->sim, report, series->row);
    return brn_series_add(series->file, series->row);
}

brn_status brn_run_series_close(brn_run_series *series)
{
    if (series == NULL) {
        return BRN_OK;
    }
    const brn_status status = brn_series_close(series->file);
    brn_series_row_clear(&series->columns);
    brn_free(series->ctx, series->row);
    brn_free(series->ctx, series);
    return status;
}
