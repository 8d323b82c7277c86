#include "run/session.h"

#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <string.h>

static bool on_progress(void *user, const brn_progress *now)
{
    cli_session *session = user;
    session->last_step = now->step;
    session->last_time = now->time;
    cli_progress_show(&session->progress, now);
    return cli_stop_signal() != 0;
}

static void on_log(void *user, brn_log_level level, const char *message)
{
    cli_session *session = user;
    if (level >= BRN_LOG_INFO) {
        cli_progress_clear(&session->progress);
        level == BRN_LOG_INFO ? cli_note("%s", message) : cli_warning("%s", message);
    }
}

int cli_session_open(cli_session *session, const cli_scene_input *input, const char *path, int threads,
                     bool quiet)
{
    *session = (cli_session){.progress = cli_progress_start(quiet), .last_step = -1};
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = threads;
    options.log = quiet ? NULL : on_log;
    options.log_user = session;
    if (brn_ctx_create(&options, &session->ctx) < 0) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    return cli_scene_open(session->ctx, input, path, &session->scene);
}

brn_status cli_session_run(cli_session *session, brn_run_options options, brn_summary *summary)
{
    options.progress = on_progress;
    options.progress_user = session;
    memset(summary, 0, sizeof *summary);
    cli_stop_cancels(session->ctx);
    cli_stop_catch();
    const brn_status status = brn_run(session->ctx, session->scene, &options, summary);
    cli_stop_cancels(NULL);
    cli_progress_clear(&session->progress);
    if (session->last_step < 0 && summary->steps > 0) { /* a resumed run that did no step of its own */
        session->last_step = summary->steps;
        session->last_time = summary->time_end;
    }
    return status;
}

/* A failure before the first step is the fault of the scene or the usage, unless the solver, memory or the disk failed. */
int cli_session_failure(const cli_session *session, brn_status status)
{
    const bool numeric = status == BRN_ERR_CONVERGENCE || status == BRN_ERR_NOT_FINITE ||
                         status == BRN_ERR_SINGULAR || status == BRN_ERR_MEMORY || status == BRN_ERR_FULL;
    return session->last_step >= 0 || numeric ? CLI_FAILED : CLI_USAGE;
}

void cli_session_close(cli_session *session)
{
    brn_scene_destroy(session->scene);
    brn_ctx_destroy(session->ctx);
    session->scene = NULL;
    session->ctx = NULL;
}
