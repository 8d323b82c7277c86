/* The columns of a run's series as the viewer's page has them: f32, thinned where there are many rows. */
#ifndef BRN_OUTPUT_FIGURES_PLOT_SERIES_H
#define BRN_OUTPUT_FIGURES_PLOT_SERIES_H

#include "base/ctx.h"

enum { BRN_PLOT_ROWS_MAX = 2000, BRN_PLOT_TOGETHER = 1000 };

/* Zeroed but for ctx. */
typedef struct brn_plot_series {
    brn_ctx *ctx;
    int ncolumn, rows;
    int64_t of;   /* rows before thinning */
    char **name;  /* [ncolumn] */
    float *value; /* [ncolumn][rows]; NaN: not known */
    int together; /* rows that are whole, where others are thinned: for one column over another; else 0 */
    float *whole; /* [ncolumn][together] */
} brn_plot_series;

/* Reads series.csv; a file that is absent or not a series counts as empty: a run can be shown without it. Beyond the
   limit, each pair of rows stands for a run of rows: the smallest and largest value of each column, in the order they came,
   so that no peak is lost (time and step are then those of the run's ends). Values of two columns in such a row did not occur together; some
   rows, from the first to the last, are kept whole beside them. After a
   failure the series can (and must) still be cleared. */
brn_status brn_plot_series_read(brn_plot_series *series, const char *path);
void brn_plot_series_clear(brn_plot_series *series);

#endif
