/* The columns of a run's series as the viewer's page has them: f32, thinned where there are many rows. */
#ifndef BRN_OUTPUT_SERIES_TABLE_H
#define BRN_OUTPUT_SERIES_TABLE_H

#include "base/ctx.h"

enum { BRN_SERIES_ROWS_MAX = 2000 };

/* Zeroed but for ctx. */
typedef struct brn_series_table {
    brn_ctx *ctx;
    int ncolumn, rows;
    int64_t of;   /* rows before thinning */
    char **name;  /* [ncolumn] */
    float *value; /* [ncolumn][rows]; NaN: not known */
} brn_series_table;

/* Reads series.csv; no such file is an empty table, and a row that is torn or no row of numbers ends it. With more rows
   than the limit every two rows stand for a run of rows: of each column its smallest and its largest value, in the order
   in which they came, so that no peak is lost (time and step are thereby those of the run's ends). After a failure the
   table can (and must) still be cleared. */
brn_status brn_series_table_read(brn_series_table *table, const char *path);
void brn_series_table_clear(brn_series_table *table);

#endif
