/* One run of a comparison, in a process of its own: peak_mb is its own, and whatever happens to it
   leaves the others alone. */
#ifndef CLI_COMPARE_RUN_H
#define CLI_COMPARE_RUN_H

#include "run/scene_input.h"

/* The outcome of a run. It crosses a pipe whole, so it holds no pointers (do not use summary.status and summary.stage_rule). */
typedef struct cli_outcome {
    char status[16]; /* "done", "suspect", "stopped", "failed"; "not run" */
    char reason[512];
    char method[CLI_METHOD_SIZE];
    bool started; /* summary holds figures, the folder holds a run */
    brn_summary summary;
} cli_outcome;

typedef struct cli_compare_job {
    cli_scene_input scene;
    const char *path; /* the scene's file */
    const char *name, *dir;
    int number, count; /* of the runs, from 1 */
    int threads;
    bool resume, overwrite, quiet;
} cli_compare_job;

/* Checks the scene of the job: prints everything wrong and finds its method. Exit code, CLI_DONE if all is well. */
int cli_compare_check(const cli_compare_job *job, char method[CLI_METHOD_SIZE]);
/* Runs it with progress on stderr; *out is always filled (its method stays if the run does not report one).
   Call cli_stop_share and cli_stop_catch before. */
void cli_compare_run(const cli_compare_job *job, cli_outcome *out);

#endif
