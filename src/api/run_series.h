/* A run's series.csv, with the columns of api/series_row.h. */
#ifndef BRN_API_RUN_SERIES_H
#define BRN_API_RUN_SERIES_H

#include "output/figures/series.h"
#include "step/sim.h"

typedef struct brn_run_series brn_run_series;

/* The sim outlives the series. keep_rows as in brn_series_open. */
brn_status brn_run_series_open(const brn_sim *sim, const char *path, int64_t keep_rows, brn_run_series **out);
brn_status brn_run_series_add(brn_run_series *series, const brn_report *report);
brn_status brn_run_series_close(brn_run_series *series); /* frees also on failure; NULL is fine */

#endif
