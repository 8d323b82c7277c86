/* series.csv: a header line and a row a step, each row flushed whole. */
#ifndef BRN_OUTPUT_SERIES_H
#define BRN_OUTPUT_SERIES_H

#include "base/ctx.h"

typedef struct brn_series brn_series;

/* keep_rows < 0: a new file; else an existing one is cut back to that many rows (its header must match). */
brn_status brn_series_open(brn_ctx *ctx, const char *path, const char *const *columns, int ncolumn,
                           int64_t keep_rows, brn_series **out);
brn_status brn_series_add(brn_series *series, const double *values); /* [ncolumn] */
brn_status brn_series_close(brn_series *series);                     /* frees also on failure; NULL is fine */

#endif
