/* Simulations of a study, each in a process of its own on this machine: the evaluator of brn_design_run. */
#ifndef CLI_EVALUATOR_H
#define CLI_EVALUATOR_H

#include "run/pool.h"

#include <brunt/design.h>

typedef struct cli_evaluator cli_evaluator;

/* threads: of each simulation. NULL: no memory. */
cli_evaluator *cli_evaluator_create(int jobs, int threads);
void cli_evaluator_destroy(cli_evaluator *evaluator);
brn_evaluator cli_evaluator_get(cli_evaluator *evaluator);

/* One by one. BRN_REMARK_STOPPED: a signal has asked to stop. Waiting is that of cli_pool_ask. */
brn_status cli_evaluator_start(cli_evaluator *evaluator, const brn_design_job *job);
cli_pool_state cli_evaluator_ask(cli_evaluator *evaluator, int milliseconds, brn_design_outcome *out);

#endif
