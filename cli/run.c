/* brunt run: simulate a scene and write its folder. */
#include "commands.h"
#include "run/run_folder.h"
#include "run/session.h"
#include "terminal/options.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLI_RESUMABLE                                                                                     \
 "--resume accepts another title, time.step that divides the time done, time.end, method.events of acm, " \
 "output.every, .report, .vtu, .checkpoint"

typedef struct run_args {
    cli_scene_input scene;
    const char *out;
    int threads;
    bool resume, overwrite, no_report, quiet;
} run_args;

/* ---- the run folder -------------------------------------------------------------------------------------------------- */

/* The command that continues this run, with the overrides it was started with. step > 0: with this one. */
static void print_resume(const run_args *args, const char *dir, double step)
{
    (void)fprintf(stderr, "  brunt run %s --out %s --resume", args->scene.operand, dir);
    if (args->scene.method != NULL) {
        (void)fprintf(stderr, " --method %s", args->scene.method);
    }
    for (int i = 0; i < args->scene.set.count; ++i) {
        if (!(step > 0.0) || strncmp(args->scene.set.items[i], "time.step=", 10) != 0) {
            (void)fprintf(stderr, " --set '%s'", args->scene.set.items[i]);
        }
    }
    if (step > 0.0) {
        (void)fprintf(stderr, " --set time.step=%.12g", step);
    }
    (void)fputc('\n', stderr);
}

/* Says what to do if the folder is taken. CLI_DONE if the run may start. */
static int prepare_folder(brn_ctx *ctx, run_args *args, const char *dir)
{
    if (args->resume && args->overwrite) {
        cli_error("--resume continues a run and --overwrite replaces it: give one of them");
        return CLI_USAGE;
    }
    if (cli_folder_is_of_another(dir, CLI_HOLDS_RUN)) {
        return CLI_USAGE;
    }
    const bool taken = cli_folder_holds_run(dir);
    if (taken && !args->resume && !args->overwrite) {
        brn_lock *lock = NULL;
        if (brn_lock_take(ctx, dir, &lock) == BRN_ERR_BUSY) {
            cli_error("%s", brn_ctx_message(ctx));
            return CLI_USAGE;
        }
        brn_lock_release(lock);
        cli_error("%s already holds a run", dir);
        (void)fprintf(stderr, "  --resume     continues from its checkpoint\n"
                              "  --overwrite  replaces it\n"
                              "  --out DIR    writes somewhere else\n");
        return CLI_USAGE;
    }
    if (args->resume && !cli_folder_has(dir, "checkpoint.h5")) {
        if (!args->quiet) {
            (void)fprintf(stderr, "no checkpoint in %s: starting from the beginning\n", dir);
        }
        args->resume = false;
        args->overwrite = taken;
    }
    return CLI_DONE;
}

/* ---- the summary ------------------------------------------------------------------------------------------------------- */

/* "launch            20 -> 24 ms, newmark: leaves at 1.98 m/s, turning at 47 rad/s" */
static void print_stages(const brn_summary *s)
{
    for (int i = 0; i < BRN_STAGES; ++i) {
        const brn_stage_result *r = &s->stage[i];
        char a[CLI_TEXT_SIZE], b[CLI_TEXT_SIZE], c[CLI_TEXT_SIZE], d[CLI_TEXT_SIZE];
        if (s->stage_rule[i] == NULL) {
            continue;
        }
        const bool over = !isnan(r->end);
        (void)printf("  %-18s%s -> %s, %s: ", brn_stage_name(i), cli_quantity(r->begin, "s", a),
                     cli_quantity(over ? r->end : s->time_end, "s", b), s->stage_rule[i]);
        const double speed = sqrt(r->velocity[0] * r->velocity[0] + r->velocity[1] * r->velocity[1] +
                                  r->velocity[2] * r->velocity[2]);
        const double spin = sqrt(r->spin[0] * r->spin[0] + r->spin[1] * r->spin[1] + r->spin[2] * r->spin[2]);
        const double turn = sqrt(r->turn[0] * r->turn[0] + r->turn[1] * r->turn[1] + r->turn[2] * r->turn[2]);
        switch (i) {
        case BRN_STAGE_LOADING:
            (void)printf("%s elastic, work %s\n", cli_quantity(r->elastic, "J", c),
                         cli_quantity(r->work, "J", d));
            break;
        case BRN_STAGE_LAUNCH:
            (void)printf("%s at %s, turning at %.3g rad/s\n", over ? "leaves" : "has not left; moves",
                         cli_quantity(speed, "m/s", c), spin);
            break;
        case BRN_STAGE_FLIGHT:
            (void)printf("rises %s, goes %s, turns %.3g rad\n", cli_quantity(r->rise, "m", c),
                         cli_quantity(r->range, "m", d), turn);
            break;
        default:
            (void)printf("%s, tilted by %.3g degrees\n", brn_landing_verdict(r), r->tilt * 180.0 / M_PI);
        }
    }
}

static void print_summary(const brn_summary *s)
{
    char text[CLI_TEXT_SIZE], other[CLI_TEXT_SIZE];
    const bool done = s->status != NULL && strcmp(s->status, "done") == 0;
    (void)printf("  %-18s%s%s%s%s%s\n", "status", cli_paint(stdout, done ? CLI_GREEN : CLI_YELLOW),
                 s->status != NULL ? s->status : "?", cli_paint(stdout, CLI_PLAIN),
                 s->reason[0] != '\0' ? ": " : "", s->reason);
    (void)printf("  %-18s%d nodes, %d elements, %d unknowns\n", "size", s->nodes, s->elements, s->dofs);
    (void)printf("  %-18s%" PRId64 " (%.2f iterations each)\n", "steps", s->steps, s->iterations_per_step);
    (void)printf("  %-18s%s\n", "simulated", cli_quantity(s->time_end, "s", text));
    (void)printf("  %-18s%s wall, %s CPU, %d thread%s\n", "took", cli_duration(s->wall_s, text),
                 cli_duration(s->cpu_s, other), s->threads, s->threads == 1 ? "" : "s");
    (void)printf("  %-18s%.3g simulated s per s\n", "real-time rate", s->realtime_rate);
    (void)printf("  %-18s%s -> %s, balance error %.2e\n", "energy",
                 cli_quantity(s->energy_initial, "J", text), cli_quantity(s->energy_final, "J", other),
                 s->energy_error_max);
    (void)printf("  %-18s%s by the time integrator\n", "numerical loss",
                 cli_quantity(s->numerical_loss, "J", text));
    (void)printf("  %-18slinear %.2e, angular %.2e\n", "momentum error", s->momentum_error_max,
                 s->angular_momentum_error_max);
    if (s->contacts_max > 0) {
        (void)printf("  %-18s%d at most, %.1f on average, smallest gap %s\n", "contacts", s->contacts_max,
                     s->contacts_mean, cli_quantity(s->gap_min, "m", text));
        (void)printf("  %-18s%d sticking, %d slipping\n", "contacts at end", s->sticking, s->slipping);
        (void)printf("  %-18spenetration %s, cone %.2e N, dissipation %.2e W, complementarity %.2e m\n",
                     "contact errors", cli_quantity(s->penetration_max, "m", text), s->cone_error_max,
                     s->dissipation_error_max, s->complementarity_max);
    }
    print_stages(s);
    cli_print_lines("chosen", 18, s->choices);
    if (s->inversions > 0 || s->intersections > 0) {
        (void)printf("  %-18s%s%d inverted elements, %d intersections%s\n", "invalid",
                     cli_paint(stdout, CLI_RED), s->inversions, s->intersections,
                     cli_paint(stdout, CLI_PLAIN));
    }
    (void)printf("  %-18s%.0f MB\n", "peak memory", s->peak_mb);
    (void)printf("  %-18s%016" PRIx64 "\n", "state hash", s->state_hash);
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static bool worth_a_smaller_step(brn_status status)
{
    return status == BRN_ERR_CONVERGENCE || status == BRN_ERR_SINGULAR || status == BRN_ERR_NOT_FINITE;
}

static int report_failure(const cli_session *session, const run_args *args, const char *dir,
                          brn_status status)
{
    /* A limit that the first step meets has left a checkpoint; one that the model meets has not. */
    const bool begun = status == BRN_ERR_LIMIT && cli_folder_has(dir, "checkpoint.h5");
    const int code = begun ? CLI_FAILED : cli_session_failure(session, status);
    if (code == CLI_USAGE) {
        cli_scene_print_problems(session->ctx, session->scene, status);
        return code;
    }
    const char *message = brn_ctx_message(session->ctx);
    cli_error("the simulation could not go on: %s", message[0] != '\0' ? message : brn_status_name(status));
    if (session->last_step >= 0) {
        (void)fprintf(stderr, "%s keeps everything up to step %" PRId64 ", t = %.6g s\n", dir,
                      session->last_step, session->last_time);
    }
    const bool full = status == BRN_ERR_FULL;
    if (full || cli_folder_has(dir, "checkpoint.h5")) {
        const bool smaller = worth_a_smaller_step(status) && session->last_step > 0;
        (void)fprintf(stderr, "%s\n",
                      smaller ? "continue with a quarter of the step:"
                      : full  ? "the disk is full: once there is room, continue with"
                              : "once the cause is gone, continue with");
        print_resume(args, dir, smaller ? 0.25 * session->last_time / (double)session->last_step : 0.0);
        (void)fprintf(stderr,
                      "(" CLI_RESUMABLE "; any other change of the scene starts from the beginning, with "
                      "--overwrite)\n");
    }
    return code;
}

static int run_scene(cli_session *session, const run_args *args, const char *dir)
{
    brn_run_options options = brn_run_options_default();
    options.out = dir;
    options.resume = args->resume;
    options.overwrite = args->overwrite;
    options.report_mb = args->no_report ? 0.0 : options.report_mb;
    if (!args->quiet) {
        const int threads = brn_ctx_threads(session->ctx);
        (void)fprintf(stderr, "%s -> %s, %d thread%s\n", args->scene.operand, dir, threads,
                      threads == 1 ? "" : "s");
    }
    brn_summary summary;
    const brn_status status = cli_session_run(session, options, &summary);
    if (status < 0) {
        return report_failure(session, args, dir, status);
    }
    const bool started = summary.nodes > 0;
    if (!args->quiet && started) {
        print_summary(&summary);
        cli_folder_print(dir);
        (void)fflush(stdout);
    }
    if (status == BRN_REMARK_STOPPED && cli_stop_signal() != 0) {
        if (started) {
            (void)fprintf(stderr,
                          "stopped after step %" PRId64 ", everything so far is kept; continue with\n",
                          summary.steps);
            print_resume(args, dir, 0.0);
        } else {
            (void)fprintf(stderr, "stopped before the simulation began\n");
        }
        return 128 + cli_stop_signal(); /* what a shell expects from a process ended by a signal */
    }
    if (strcmp(summary.status, "suspect") == 0) {
        cli_error("%s", summary.reason);
        return CLI_FAILED;
    }
    return CLI_DONE;
}

static int run_with(run_args *args)
{
    char *path = cli_scene_path(args->scene.operand);
    char *named = path != NULL && args->out == NULL ? cli_scene_default_out(path) : NULL;
    const char *dir = args->out != NULL ? args->out : named;
    cli_session session = {0};
    int code = CLI_FAILED;
    if (path == NULL || dir == NULL) {
        cli_error("out of memory");
    } else {
        code = cli_session_open(&session, &args->scene, path, args->threads, args->quiet);
    }
    /* The scene first: if its name is misspelt, it does not matter whether the folder is taken. */
    if (session.scene != NULL) {
        code = prepare_folder(session.ctx, args, dir);
        code = code == CLI_DONE ? run_scene(&session, args, dir) : code;
    }
    cli_session_close(&session);
    free(named);
    free(path);
    return code;
}

int cli_run(int argc, char **argv)
{
    run_args args = {0};
    const cli_option options[] = {
        {"out", 'o', CLI_TEXT, "DIR", "run folder, made if absent (default: out/NAME of the scene)",
         &args.out, 0, 0, NULL},
        {"method", 0, CLI_TEXT, "M", "contact method instead of the scene's; see 'brunt info methods'",
         &args.scene.method, 0, 0, NULL},
        {"set", 0, CLI_LIST, "PATH=VALUE", "override one value of the scene; may be repeated",
         &args.scene.set, 0, 0, NULL},
        {"threads", 0, CLI_INT, "N", "worker threads, 0 = one per core; the results do not depend on it",
         &args.threads, 0, 1024, NULL},
        {"resume", 0, CLI_FLAG, NULL,
         "continue from the folder's checkpoint, to the same bits; time.step, time.end, title and output may "
         "change",
         &args.resume, 0, 0, NULL},
        {"overwrite", 0, CLI_FLAG, NULL, "replace the run in the folder", &args.overwrite, 0, 0, NULL},
        {"no-report", 0, CLI_FLAG, NULL, "write no report.html (its size: --set output.report=MB)",
         &args.no_report, 0, 0, NULL},
        {"quiet", 'q', CLI_FLAG, NULL, "print errors only", &args.quiet, 0, 0, NULL},
    };
    const cli_syntax syntax = {
        .command = "run",
        .summary = "Simulates a scene and writes a run folder: scene.yaml, summary.json, series.csv, "
                   "trajectory.h5,\n"
                   "checkpoint.h5, report.html. One run at a time writes into a folder. Ctrl-C stops without "
                   "the current step\n"
                   "and keeps everything; a second one ends at once.",
        .operand = "SCENE",
        .operand_help = "scene file, or a folder with scene.yaml",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt run scenes/cantilever\n"
                    "  brunt run beam.yaml --out out/fine --set time.step=1e-4 --set "
                    "'meshes.beam.box.cells=[100,10,10]'\n"
                    "  brunt run scenes/cantilever --resume\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.scene.operand);
    if (code == CLI_PARSED) {
        code = run_with(&args);
    }
    cli_list_free(&args.scene.set);
    return code;
}
