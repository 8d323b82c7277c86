#include "compare/compare_run.h"

#include "run/pool.h"
#include "run/run_folder.h"
#include "run/session.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(cli_outcome) <= CLI_POOL_ANSWER_MAX, "an outcome is an answer");

int cli_compare_check(const cli_compare_job *job, char method[CLI_METHOD_SIZE])
{
    cli_session session;
    int code = cli_session_open(&session, &job->scene, job->path, 1, true);
    if (code == CLI_DONE) {
        const brn_status status = cli_scene_method(session.ctx, session.scene, method);
        if (status < 0) {
            cli_scene_print_problems(session.ctx, session.scene, status);
            code = status == BRN_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
        }
    }
    if (code != CLI_DONE) {
        (void)fprintf(stderr, "  in the run '%s'\n", job->name);
    }
    cli_session_close(&session);
    return code;
}

/* ---- in the child ---------------------------------------------------------------------------------------------------- */

static void describe_failure(const cli_session *session, brn_status status, cli_outcome *out)
{
    /* Problems of a scene are lines of their own; the first says enough in a table. */
    const char *message = brn_ctx_message(session->ctx);
    if (brn_scene_problem_count(session->scene) > 0) {
        message = brn_scene_problem(session->scene, 0);
    }
    (void)snprintf(out->status, sizeof out->status, "failed");
    (void)snprintf(out->reason, sizeof out->reason, "%s",
                   message[0] != '\0' ? message : brn_status_name(status));
}

static void report(const cli_compare_job *job, const cli_session *session, const cli_outcome *out)
{
    if (strcmp(out->status, "failed") == 0) {
        cli_error("%s: %s", job->name, out->reason);
        if (session->last_step >= 0) {
            (void)fprintf(stderr, "%s keeps everything up to step %" PRId64 ", t = %.6g s\n", job->dir,
                          session->last_step, session->last_time);
        }
    } else if (!job->quiet) {
        char wall[CLI_TEXT_SIZE];
        (void)fprintf(stderr, "%s: %s, %" PRId64 " steps in %s\n", job->name, out->status, out->summary.steps,
                      cli_duration(out->summary.wall_s, wall));
    }
}

static void run_session(const cli_compare_job *job, cli_session *session, cli_outcome *out)
{
    brn_run_options options = brn_run_options_default();
    options.out = job->dir;
    options.resume = job->resume && cli_folder_has(job->dir, "checkpoint.h5");
    options.overwrite = job->overwrite || (job->resume && !options.resume);
    if (!job->quiet) {
        const int threads = brn_ctx_threads(session->ctx);
        (void)fprintf(stderr, "%s[%d/%d] %s%s: %s -> %s, %d thread%s\n", cli_paint(stderr, CLI_BOLD),
                      job->number, job->count, job->name, cli_paint(stderr, CLI_PLAIN), job->scene.operand,
                      job->dir, threads, threads == 1 ? "" : "s");
    }
    const brn_status status = cli_session_run(session, options, &out->summary);
    out->started = out->summary.nodes > 0;
    (void)snprintf(out->status, sizeof out->status, "%s", out->summary.status);
    (void)snprintf(out->reason, sizeof out->reason, "%s", out->summary.reason);
    if (status < 0) {
        describe_failure(session, status, out);
    }
    out->summary.status = NULL;
}

static int child(void *user, void *answer)
{
    const cli_compare_job *job = user;
    cli_outcome *out = answer;
    *out = (cli_outcome){.status = "failed", .reason = "the scene could not be opened"};
    cli_session session;
    if (cli_session_open(&session, &job->scene, job->path, job->threads, job->quiet) == CLI_DONE) {
        (void)cli_scene_method(session.ctx, session.scene, out->method);
        run_session(job, &session, out);
    }
    report(job, &session, out);
    cli_session_close(&session);
    return EXIT_SUCCESS;
}

/* ---- in the parent ----------------------------------------------------------------------------------------------------- */

static void fail(cli_outcome *out, const char *format, int number)
{
    char method[CLI_METHOD_SIZE];
    memcpy(method, out->method, sizeof method);
    *out = (cli_outcome){.status = "failed"};
    memcpy(out->method, method, sizeof method);
    (void)snprintf(out->reason, sizeof out->reason, format, number);
}

void cli_compare_run(const cli_compare_job *job, cli_outcome *out)
{
    cli_pool *pool = cli_pool_create(1, sizeof *out);
    cli_compare_job copy = *job;
    cli_work_end end = {0};
    cli_outcome came;
    if (pool == NULL || !cli_pool_start(pool, &(cli_work){.call = child, .user = &copy}) ||
        !cli_pool_wait(pool, &end, &came)) {
        fail(out, "no process for the run: error %d", errno);
        end.told = true; /* nothing more to say */
        came = *out;
    } else if (end.signal != 0 && !end.told) {
        fail(out, "its process was ended by signal %d", end.signal);
    } else if (!end.told) {
        fail(out, "its process ended with code %d", end.code);
    }
    if (end.told) {
        *out = came;
    } else {
        cli_error("%s: %s", job->name, out->reason);
    }
    cli_pool_destroy(pool);
}
