#include "output/figures/plot_series.h"

#include "output/figures/series_table.h"

#include <math.h>
#include <string.h>

/* What two rows keep of a run of rows in one column: its smallest and largest value, in the order they came. */
typedef struct extremes {
    double first, second;
} extremes;

static void widen(extremes *e, double value)
{
    if (!isfinite(value)) {
        return;
    }
    if (isnan(e->first)) {
        *e = (extremes){value, value};
        return;
    }
    const double low = fmin(e->first, e->second);
    const double high = fmax(e->first, e->second);
    if (value < low) {
        *e = (extremes){high, value};
    } else if (value > high) {
        *e = (extremes){low, value};
    }
}

static float as_float(double value)
{
    /* fmax and fmin would drop a NaN. */
    return isnan(value) ? NAN : (float)fmax(-3.4e38, fmin(3.4e38, value));
}

static void thin_column(const double *from, int64_t n, float *to, int rows)
{
    const bool whole = rows == n;
    const int64_t runs = whole ? n : rows / 2;
    int64_t row = 0;
    for (int64_t k = 0; k < runs; ++k) {
        extremes e = {NAN, NAN};
        for (; row < (k + 1) * n / runs; ++row) {
            widen(&e, from[row]);
        }
        if (whole) {
            to[k] = as_float(e.first);
        } else {
            to[2 * k] = as_float(e.first);
            to[2 * k + 1] = as_float(e.second);
        }
    }
}

/* Rows from the first to the last, the same in all columns. */
static brn_status keep_whole(const brn_series_table *table, brn_plot_series *out)
{
    out->together = BRN_PLOT_TOGETHER;
    BRN_ALLOC(out->ctx, out->whole, (size_t)out->ncolumn * (size_t)out->together);
    for (int i = 0; i < out->ncolumn; ++i) {
        const double *from = brn_series_table_column(table, i);
        for (int64_t k = 0; k < out->together; ++k) {
            out->whole[i * (int64_t)out->together + k] =
                as_float(from[k * (table->nrow - 1) / (out->together - 1)]);
        }
    }
    return BRN_OK;
}

static brn_status thin(const brn_series_table *table, brn_plot_series *out)
{
    brn_ctx *ctx = out->ctx;
    out->of = table->nrow;
    out->rows = table->nrow > BRN_PLOT_ROWS_MAX ? BRN_PLOT_ROWS_MAX : table->nrow;
    BRN_ALLOC(ctx, out->name, table->ncolumn);
    for (; out->ncolumn < table->ncolumn; ++out->ncolumn) {
        out->name[out->ncolumn] = brn_strdup(ctx, table->name[out->ncolumn]);
        if (out->name[out->ncolumn] == NULL) {
            return BRN_ERR_MEMORY;
        }
    }
    BRN_ALLOC(ctx, out->value, (size_t)out->ncolumn * (size_t)out->rows);
    for (int i = 0; i < out->ncolumn; ++i) {
        thin_column(brn_series_table_column(table, i), table->nrow,
                    out->value + (size_t)i * (size_t)out->rows, out->rows);
    }
    return out->rows < out->of ? keep_whole(table, out) : BRN_OK;
}

brn_status brn_plot_series_read(brn_plot_series *series, const char *path)
{
    brn_series_table table;
    const brn_status read = brn_series_table_read(series->ctx, path, &table);
    if (read < 0) {
        return read == BRN_ERR_FILE || read == BRN_ERR_FORMAT ? BRN_OK : read;
    }
    const brn_status status = thin(&table, series);
    brn_series_table_clear(&table);
    return status;
}

void brn_plot_series_clear(brn_plot_series *series)
{
    brn_ctx *ctx = series->ctx;
    for (int i = 0; i < series->ncolumn; ++i) {
        brn_free(ctx, series->name[i]);
    }
    brn_free(ctx, series->name);
    brn_free(ctx, series->value);
    brn_free(ctx, series->whole);
    *series = (brn_plot_series){.ctx = ctx};
}
