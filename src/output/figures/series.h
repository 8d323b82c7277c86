/* series.csv: a header line and a row per step, each row flushed whole. Numbers read back to the same bits whatever the
   process locale; NaN is an empty cell, infinities are `inf` and `-inf`. */
#ifndef BRN_OUTPUT_FIGURES_SERIES_H
#define BRN_OUTPUT_FIGURES_SERIES_H

#include "base/ctx.h"

typedef struct brn_series brn_series;

/* keep_rows < 0: a new file; else an existing one is cut back to that many rows (its header must match, and a torn last
   line does not count as a row). Names may hold anything but line breaks. */
brn_status brn_series_open(brn_ctx *ctx, const char *path, const char *const *columns, int ncolumn,
                           int64_t keep_rows, brn_series **out);
/* values [ncolumn]. On failure (full disk) the file ends with its last whole row, and no further row is taken. */
brn_status brn_series_add(brn_series *series, const double *values);
brn_status brn_series_close(brn_series *series); /* frees also on failure; NULL is fine */

#endif
