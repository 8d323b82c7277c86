#include "study/evaluator.h"

#include "run/pool.h"
#include "terminal/stop.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct answer {
    brn_status status;
    char reason[512];
} answer;

_Static_assert(sizeof(answer) <= CLI_POOL_ANSWER_MAX, "an answer crosses the pipe whole");

struct cli_evaluator {
    int jobs, threads;
    double limit; /* [s], for messages */
    cli_pool *pool;
};

/* What the child needs. */
typedef struct work {
    const brn_design_job *job;
    int threads;
} work;

/* ---- in the child ---------------------------------------------------------------------------------------------------- */

static bool on_progress(void *user, const brn_progress *now)
{
    (void)user, (void)now;
    return cli_stop_signal() != 0;
}

static brn_status open_scene(brn_ctx *ctx, const brn_design_job *job, brn_scene **scene)
{
    brn_status status = brn_scene_load(ctx, job->scene, scene);
    for (int i = 0; status >= 0 && i < job->nset; ++i) {
        status = brn_scene_set(*scene, job->set[i]);
    }
    return status;
}

static brn_status run_scene(brn_ctx *ctx, const brn_design_job *job, brn_scene *scene)
{
    brn_run_options options = brn_run_options_default();
    options.out = job->folder;
    options.overwrite = true;
    options.figures_only = !job->full;
    options.checkpoint_every = 0;
    options.progress = on_progress;
    brn_summary summary;
    cli_stop_cancels(ctx);
    const brn_status status = brn_run(ctx, scene, &options, &summary);
    cli_stop_cancels(NULL);
    return status;
}

static int child(void *user, void *to)
{
    const work *w = user;
    answer *out = to;
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = w->threads;
    brn_ctx *ctx = NULL;
    brn_scene *scene = NULL;
    out->status = brn_ctx_create(&options, &ctx);
    out->status = out->status >= 0 ? open_scene(ctx, w->job, &scene) : out->status;
    out->status = out->status >= 0 ? run_scene(ctx, w->job, scene) : out->status;
    if (out->status < 0) {
        const char *message = brn_scene_problem_count(scene) > 0 ? brn_scene_problem(scene, 0)
                                                                 : brn_ctx_message(ctx);
        (void)snprintf(out->reason, sizeof out->reason, "%s",
                       message[0] != '\0' ? message : brn_status_name(out->status));
    }
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}

/* ---- in the parent ----------------------------------------------------------------------------------------------------- */

static brn_status start(void *user, const brn_design_job *job)
{
    cli_evaluator *e = user;
    work w = {job, e->threads}; /* the child has a copy of everything */
    e->limit = job->limit;
    const cli_work description = {
        .number = job->number, .call = child, .user = &w, .limit = job->limit, .ends_with_parent = true};
    if (cli_stop_signal() != 0) {
        return BRN_REMARK_STOPPED;
    }
    return cli_pool_start(e->pool, &description) ? BRN_OK : BRN_ERR_LIMIT;
}

/* A program that crashes would do so again; one that was killed would not. */
static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGABRT;
}

static brn_status collect(void *user, brn_design_outcome *out)
{
    cli_evaluator *e = user;
    cli_work_end end;
    answer came;
    if (!cli_pool_wait(e->pool, &end, &came)) {
        return BRN_ERR_MISSING;
    }
    *out = (brn_design_outcome){.number = end.number, .wall = end.wall, .cpu = end.cpu};
    if (end.told) {
        out->status = came.status;
        (void)snprintf(out->reason, sizeof out->reason, "%.*s", (int)sizeof came.reason - 1, came.reason);
    } else if (end.signal == SIGXCPU) {
        out->status = BRN_ERR_LIMIT;
        (void)snprintf(out->reason, sizeof out->reason, "took more than its limit of %g s of processor time",
                       e->limit);
    } else if (end.signal != 0) {
        out->status = BRN_ERR_CANCELLED;
        out->lost = !is_crash(end.signal);
        (void)snprintf(out->reason, sizeof out->reason, "its process was ended by signal %d", end.signal);
    } else {
        out->status = BRN_ERR_CANCELLED;
        out->lost = true;
        (void)snprintf(out->reason, sizeof out->reason, "its process ended with code %d", end.code);
    }
    return BRN_OK;
}

cli_evaluator *cli_evaluator_create(int jobs, int threads)
{
    cli_evaluator *e = calloc(1, sizeof *e);
    cli_pool *pool = cli_pool_create(jobs, sizeof(answer));
    if (e == NULL || pool == NULL) {
        free(e);
        cli_pool_destroy(pool);
        return NULL;
    }
    *e = (cli_evaluator){.jobs = jobs, .threads = threads, .pool = pool};
    return e;
}

void cli_evaluator_destroy(cli_evaluator *evaluator)
{
    if (evaluator != NULL) {
        cli_pool_destroy(evaluator->pool);
    }
    free(evaluator);
}

brn_evaluator cli_evaluator_get(cli_evaluator *evaluator)
{
    return (brn_evaluator){evaluator->jobs, start, collect, evaluator};
}
