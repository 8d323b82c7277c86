/* series.csv read back: every row as numbers, column by column. */
#ifndef BRN_OUTPUT_FIGURES_SERIES_TABLE_H
#define BRN_OUTPUT_FIGURES_SERIES_TABLE_H

#include "base/ctx.h"

typedef struct brn_series_table {
    brn_ctx *ctx;
    int ncolumn, nrow;
    char **name;   /* [ncolumn] as they were before quoting */
    double *value; /* [ncolumn][nrow], NaN where a cell is empty */
} brn_series_table;

/* A torn last line does not count as a row, so that a running simulation can be looked at. Anything that is
   not a series is BRN_ERR_FORMAT with its line. On failure there is nothing to clear. */
brn_status brn_series_table_read(brn_ctx *ctx, const char *path, brn_series_table *out);
void brn_series_table_clear(brn_series_table *table);
/* Number of a column, -1 if there is none of that name. */
int brn_series_table_find(const brn_series_table *table, const char *name);
const double *brn_series_table_column(const brn_series_table *table, int column); /* [nrow] */

#endif
