/* The figures of a run that has ended, from its folder: summary.json and series.csv. */
#ifndef BRN_STUDY_RUN_FIGURES_H
#define BRN_STUDY_RUN_FIGURES_H

#include "output/figures/series_table.h"
#include "scene/yaml_tree.h"
#include "study/expression.h"

typedef struct brn_run_figures {
    brn_ctx *ctx;
    brn_bump memory;
    brn_yaml *summary;
    brn_series_table series;
} brn_run_figures;

/* After a failure there is nothing to clear. */
brn_status brn_run_figures_read(brn_ctx *ctx, const char *folder, brn_run_figures *out);
void brn_run_figures_clear(brn_run_figures *figures);
/* Keys of the summary come before columns of the series (their last value). */
brn_value brn_run_figures_get(const brn_run_figures *figures, const char *name, brn_column_use use,
                              double time);

#endif
