/* The figures of stages (brn_stage_figure_get) as keys of summary.json and of stages.json. */
#ifndef BRN_OUTPUT_FIGURES_STAGE_FIGURES_H
#define BRN_OUTPUT_FIGURES_STAGE_FIGURES_H

#include "base/json.h"

/* Members "launch.speed" and so on of an object, for the stages that were reached: those that have a rule. [BRN_STAGES] both. */
void brn_stage_figures_write(brn_json *json, const char *const *rule, const brn_stage_result *result);
/* stages.json: that object alone, while a run goes on. */
brn_status brn_stages_write(brn_ctx *ctx, const char *path, const char *const *rule,
                            const brn_stage_result *result);

#endif
