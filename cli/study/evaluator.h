/* Simulations of a study, each in a process of its own on this machine: the evaluator of brn_design_run. */
#ifndef CLI_EVALUATOR_H
#define CLI_EVALUATOR_H

#include <brunt/design.h>

typedef struct cli_evaluator cli_evaluator;

/* threads: of each simulation. NULL: no memory. */
cli_evaluator *cli_evaluator_create(int jobs, int threads);
void cli_evaluator_destroy(cli_evaluator *evaluator);
brn_evaluator cli_evaluator_get(cli_evaluator *evaluator);

#endif
