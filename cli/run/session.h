/* One run of a scene: its ctx, the scene with its overrides, progress on stderr. `run` has one, `compare` one per column. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "run/scene_input.h"
#include "terminal/progress.h"

typedef struct cli_session {
    brn_ctx *ctx;
    brn_scene *scene;
    cli_progress progress;
    int64_t last_step; /* the last one done, -1 before the first */
    double last_time;  /* [s] */
} cli_session;

/* Makes the ctx and opens the scene of `path`. On failure everything wrong is on stderr and the exit code is returned;
   CLI_DONE otherwise. Close it either way. It must not be moved while it is open. */
int cli_session_open(cli_session *session, const cli_scene_input *input, const char *path, int threads,
                     bool quiet);
/* Runs the scene with these options; progress is shown, signals stop it. */
brn_status cli_session_run(cli_session *session, brn_run_options options, brn_summary *summary);
/* The exit code of a failed run: CLI_USAGE if the scene or the usage is to blame. */
int cli_session_failure(const cli_session *session, brn_status status);
void cli_session_close(cli_session *session);

#endif
